// The matrix of one step of a scheme on a linear body without loads, and its eigenvalues.
#pragma once
#include <cmath>
#include <complex>

#include "dense.h"
#include "one_group.h"

namespace saltus::test {

/// All numbers of a group state in a row: q, v, memory.
inline Vector packed(const GroupState& state) {
  Eigen::Index n = state.q.size() + state.v.size();
  for (const Vector& m : state.memory) n += m.size();
  Vector x(n);
  Eigen::Index at = 0;
  const auto put = [&](const Vector& part) {
    x.segment(at, part.size()) = part;
    at += part.size();
  };
  put(state.q);
  put(state.v);
  for (const Vector& m : state.memory) put(m);
  return x;
}

inline void unpack(const Vector& x, GroupState& state) {
  Eigen::Index at = 0;
  const auto take = [&](Vector& part) {
    part = x.segment(at, part.size());
    at += part.size();
  };
  take(state.q);
  take(state.v);
  for (Vector& m : state.memory) take(m);
}

/// Column j is what one step of h makes of the j-th unit state; memory counts like q and v.
inline Matrix step_matrix(std::shared_ptr<const Dynamics> body, const SchemeChoice& scheme,
                          double h) {
  MovingBody still{body, Vector::Zero(body->positions()), Vector::Zero(body->velocities())};
  const Model model(one_group(still, scheme, h));
  const State zero = initial_state(model);
  const Eigen::Index n = packed(zero.groups[0]).size();
  Matrix S(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    State unit = zero;
    unpack(Vector::Unit(n, j), unit.groups[0]);
    Simulation sim(model, unit);
    sim.advance();
    S.col(j) = packed(sim.state().groups[0]);
  }
  return S;
}

/// D^-1 S D with rows and columns of about equal size, D of powers of 2: the same eigenvalues, better conditioned.
inline Matrix balanced(Matrix S) {
  const Eigen::Index n = S.rows();
  for (int sweep = 0; sweep < 30; ++sweep)
    for (Eigen::Index i = 0; i < n; ++i) {
      const double row = S.row(i).norm(), column = S.col(i).norm();
      if (row == 0.0 || column == 0.0) continue;
      const double d = std::exp2(std::round(0.5 * std::log2(row / column)));
      S.row(i) /= d;
      S.col(i) *= d;
    }
  return S;
}

struct Dominant {
  double radius = 0.0;  ///< largest |lambda|
  double angle = 0.0;   ///< of that eigenvalue, 0..pi [rad]
};

inline Dominant dominant(const Matrix& S) {
  Dominant at;
  for (const std::complex<double>& lambda : eigenvalues(balanced(S)))
    if (std::abs(lambda) > at.radius) at = {std::abs(lambda), std::abs(std::arg(lambda))};
  return at;
}

}  // namespace saltus::test
