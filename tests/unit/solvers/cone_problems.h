// Contact problems with friction whose solution is known.
#pragma once
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "saltus/contact/residual.h"

namespace saltus::testing {

struct ConeCase {
  DenseDelassus W;
  Vector b, p, u;  ///< a solution (p, u); p is not unique where W is singular
  std::vector<Law> laws;
  std::vector<int> ids;
};

/// W = G G^T of rank `percent` of the rows, G with three entries in ten. A third of the contacts in space is open, a
/// third sticks, a third slides, with the velocities and impulses that follow from their status; b = u - W p. The first
/// `equalities` laws are rows u = 0.
inline ConeCase random_cones(unsigned seed, int contacts, double friction, int percent,
                             int equalities = 0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  ConeCase c;
  int rows = 0;
  for (int k = 0; k < equalities + contacts; ++k) {
    if (k < equalities)
      c.laws.push_back({.kind = LawKind::equality, .first = rows});
    else
      c.laws.push_back({.kind = LawKind::coulomb, .first = rows, .size = 3, .friction = friction});
    rows += c.laws.back().size;
  }
  c.ids.resize(static_cast<std::size_t>(rows));
  std::iota(c.ids.begin(), c.ids.end(), 0);
  Matrix G(rows, std::max(3, rows * percent / 100));
  for (double& g : G.reshaped()) g = uniform(random) < 0.3 ? normal(random) : 0.0;
  c.W.W.setZero(rows, rows);
  c.W.W.selfadjointView<Eigen::Lower>().rankUpdate(G);
  c.W.W.triangularView<Eigen::StrictlyUpper>() = c.W.W.transpose();
  c.p = c.u = Vector::Zero(rows);
  for (const Law& law : c.laws) {
    const int i = law.first;
    if (law.kind == LawKind::equality) {
      c.p[i] = normal(random);
      continue;
    }
    const double angle = 6.283185307179586 * uniform(random), push = 0.1 + uniform(random);
    const double T1 = std::cos(angle), T2 = std::sin(angle);
    const int status = (i / 3) % 3;
    if (status == 0) {
      c.u[i] = 0.1 + uniform(random);
      c.u[i + 1] = normal(random);
      c.u[i + 2] = normal(random);
    } else {
      const double share = friction * push * (status == 1 ? 0.9 * uniform(random) : 1.0);
      c.p[i] = push;
      c.p[i + 1] = share * T1;
      c.p[i + 2] = share * T2;
      if (status == 2) {
        const double slip = 0.1 + uniform(random);
        c.u[i + 1] = -slip * T1;
        c.u[i + 2] = -slip * T2;
      }
    }
  }
  c.b = c.u - c.W.W * c.p;
  return c;
}

}  // namespace saltus::testing
