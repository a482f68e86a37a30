#include "saltus/sim/inspect_step.h"

#include <limits>
#include <variant>

#include "saltus/math/dense.h"

namespace saltus {

InspectedStep::InspectedStep(const Group& group, const GroupState& start, double t, double h,
                             bool pass)
    : body(*group.dynamics), prepared(group.scheme->prepare(body, h)) {
  const Scheme& scheme = *group.scheme;
  trial.t0 = t;
  trial.h = h;
  trial.start = &start;
  trial.prepared = prepared.get();
  trial.q = start.q;
  trial.v = start.v;
  trial.v_free.setConstant(start.v.size(), std::numeric_limits<double>::quiet_NaN());
  trial.r.setZero(start.v.size());
  scheme.begin(body, trial);
  v_it = start.v;
  if (pass || scheme.one_pass(body) || !trial.v_free.allFinite() ||
      std::holds_alternative<std::monostate>(trial.A.form)) {
    trial.pass = 1;
    if (!scheme.one_pass(body)) v_it = trial.v;
    scheme.linearise(body, trial);
  }
  factorised = body.last();
}

Matrix InspectedStep::inverse() const {
  Matrix X = Matrix::Identity(trial.v.size(), trial.v.size());
  solve(trial.A, X);
  return X;
}

Matrix InspectedStep::multiplied() const {
  const Eigen::Index n = trial.v.size();
  Matrix A(n, n);
  Vector e = Vector::Zero(n), column(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    e[j] = 1.0;
    body.multiply(factorised->s, factorised->t, factorised->q, factorised->v, e, column);
    e[j] = 0.0;
    A.col(j) = column;
  }
  return A;
}

bool InspectedStep::combination() const {
  if (!factorised) return false;
  Vector x = Vector::Ones(trial.v.size()), y(trial.v.size());
  body.multiply(factorised->s, factorised->t, factorised->q, factorised->v, x, y);
  solve(trial.A, y);
  return (y - x).lpNorm<Eigen::Infinity>() <= 1e-6;
}

Matrix InspectedStep::matrix() const {
  if (combination()) return multiplied();
  if (const auto* diagonal = std::get_if<Diagonal>(&trial.A.form))
    return diagonal->inverse.cwiseInverse().asDiagonal();
  const Matrix B = inverse();
  return least_squares(B, Matrix::Identity(B.rows(), B.cols()));
}

}  // namespace saltus
