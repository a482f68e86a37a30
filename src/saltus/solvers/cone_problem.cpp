#include "saltus/solvers/cone_problem.h"

#include <cmath>
#include <iterator>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

using Kind = ConeProblem::Kind;

/// Adds the cones of one law, rows first .. first + size - 1.
void add_cones(const Law& law, int contact, std::vector<ConeProblem::Cone>& cones) {
  if (law.kind == LawKind::coulomb && law.friction > 0.0 && law.size > 1) {
    cones.push_back({Kind::second_order, law.first, law.size, contact});
    return;
  }
  for (int i = 0; i < law.size; ++i) {
    Kind kind = Kind::half_line;
    if (law.kind == LawKind::equality) kind = Kind::all;
    if (law.kind == LawKind::box) kind = law.bound > 0.0 ? Kind::interval : Kind::zero;
    if (law.kind == LawKind::coulomb && i > 0) kind = Kind::zero;
    cones.push_back({kind, law.first + i, 1, contact, law.bound});
  }
}

}  // namespace

void ConeProblem::read(const ContactProblem& problem, View diagonal) {
  const auto n = static_cast<int>(problem.b.size());
  b.resize(n);
  impulse.resize(n);
  weight.resize(n);
  cones.clear();

  // g_i for a mean diagonal of 1; a contact without mobility gets the mean of the others
  double sum = 0.0;
  int counted = 0;
  for (int c = 0; c < std::ssize(problem.laws); ++c) {
    const Law& law = problem.laws[at(c)];
    expects(law.kind != LawKind::rolling, "rolling contacts have no second-order cone");
    const bool cone = law.kind == LawKind::coulomb && law.friction > 0.0 && law.size > 1;
    double trace = 0.0;
    for (int i = 0; i < law.size; ++i) {
      const double shape = cone && i == 0 ? law.friction : 1.0;
      weight[law.first + i] = shape;
      trace += diagonal[law.first + i] / (shape * shape);
    }
    const double square = trace / law.size;
    for (int i = 0; i < law.size; ++i)
      impulse[law.first + i] = square > 0.0 ? std::sqrt(square) : 0.0;  // a_c
    if (square > 0.0) sum += square, ++counted;
    add_cones(law, c, cones);
  }
  const double mean = counted > 0 ? std::sqrt(sum / counted) : 1.0;
  double b2 = 0.0;
  for (int i = 0; i < n; ++i) {
    weight[i] *= impulse[i] > 0.0 ? impulse[i] : mean;
    b[i] = problem.b[i] / weight[i];
  }
  for (const Cone& cone : cones)
    if (cone.kind != Kind::zero)
      for (int i = cone.first; i < cone.first + cone.size; ++i) b2 += b[i] * b[i];
  const double beta = b2 > 0.0 ? std::sqrt(b2 / n) : 1.0;
  b /= beta;
  for (int i = 0; i < n; ++i) impulse[i] = beta / weight[i];
  for (Cone& cone : cones) {
    if (cone.kind == Kind::interval) cone.bound /= impulse[cone.first];
    for (int i = cone.first; i < cone.first + cone.size; ++i)
      (i == cone.first ? cone.W_NN : cone.W_TT) += diagonal[i] / (weight[i] * weight[i]);
  }
}

void ConeProblem::project(Vector& x) const {
  for (const Cone& cone : cones) {
    double& x_c = x[cone.first];
    switch (cone.kind) {
      case Kind::all:
        break;
      case Kind::zero:
        x_c = 0.0;
        break;
      case Kind::half_line:
        x_c = x_c > 0.0 ? x_c : 0.0;
        break;
      case Kind::interval:
        x_c = x_c < -cone.bound ? -cone.bound : x_c > cone.bound ? cone.bound : x_c;
        break;
      case Kind::second_order:
        project_second_order(cone.size, &x_c);
    }
  }
}

bool at_rest(const ContactProblem& problem) {
  for (const Law& law : problem.laws)
    for (int i = 0; i < law.size; ++i) {
      const double b = problem.b[law.first + i];
      const bool tangent = law.kind == LawKind::coulomb && i > 0;
      const bool normal = law.kind == LawKind::coulomb || law.kind == LawKind::unilateral;
      if (tangent ? !std::isfinite(b) : normal ? !(b >= 0.0) : b != 0.0) return false;
    }
  return true;
}

void project_second_order(int size, double* x) {
  const double slip = size == 3 ? std::sqrt(x[1] * x[1] + x[2] * x[2]) : std::abs(x[1]);
  if (slip <= x[0]) return;
  const double normal = slip <= -x[0] ? 0.0 : 0.5 * (x[0] + slip);
  const double scale = normal > 0.0 ? normal / slip : 0.0;
  x[0] = normal;
  for (int i = 1; i < size; ++i) x[i] *= scale;
}

}  // namespace saltus
