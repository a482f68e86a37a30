#include "saltus/solvers/cone_newton.h"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

using Kind = ConeProblem::Kind;
constexpr double kLeast = 1e-10;  ///< lower limit of W_NN and tr W_TT; mean diagonal of W~: 1
constexpr double kSurface =
    1e-8;  ///< relative distance within which x counts as on the surface of its cone

/// Sets K dx = -phi on the rows of one cone.
void linearise(const ConeProblem::Cone& cone, const double* x, const double* v, double sharp,
               ConeRows& out, double* phi) {
  const auto row = [&](int i, double a, double b, double value) {
    out.set(i, a, b);
    phi[i] = value;
  };
  const int size = cone.size;
  const double rho_N = sharp / std::max(cone.W_NN, kLeast), n = x[0] - rho_N * v[0];
  if (cone.kind == Kind::interval) {
    if (std::abs(n) < cone.bound)
      row(0, 1.0, 0.0, v[0]);
    else
      row(0, 0.0, 1.0, x[0] - std::copysign(cone.bound, n));
    return;
  }
  if (cone.kind == Kind::zero || (cone.kind != Kind::all && n <= 0.0)) {
    for (int i = 0; i < size; ++i) row(i, 0.0, 1.0, x[i]);
    return;
  }
  double s[3], length = 0.0;
  const double rho_T = size > 1 ? sharp * (size - 1) / std::max(cone.W_TT, kLeast) : 0.0;
  for (int i = 1; i < size; ++i) {
    s[i] = x[i] - rho_T * v[i];
    length += s[i] * s[i];
  }
  length = std::sqrt(length);
  if (size == 1 || length <= n) {
    for (int i = 0; i < size; ++i) row(i, 1.0, 0.0, v[i]);
    return;
  }
  const double k = n / length;
  row(0, 1.0, 0.0, v[0]);
  for (int i = 1; i < size; ++i) {
    const double e_i = s[i] / length;
    out.A[3 * i] = rho_N * e_i;
    out.B[3 * i] = -e_i;
    for (int j = 1; j < size; ++j) {
      const double across = (i == j ? 1.0 : 0.0) - e_i * s[j] / length;
      out.A[3 * i + j] = rho_T * k * across;
      out.B[3 * i + j] = (i == j ? 1.0 : 0.0) - k * across;
    }
    phi[i] = x[i] - n * e_i;
  }
}

/// Like linearise(), but with the status of x.
void keep(const ConeProblem::Cone& cone, const double* x, const double* v, ConeRows& out,
          double* phi) {
  const int size = cone.size;
  double length = 0.0;
  for (int i = 1; i < size; ++i) length += x[i] * x[i];
  length = std::sqrt(length);
  const bool open = cone.kind == Kind::zero || (cone.barrier() && x[0] <= 0.0);
  const bool full = cone.kind == Kind::interval && std::abs(x[0]) >= (1.0 - kSurface) * cone.bound;
  const bool slips = cone.kind == Kind::second_order && length >= (1.0 - kSurface) * x[0];
  for (int i = 0; i < size; ++i) {
    const bool held = !open && !full && !(slips && i > 0);
    out.set(i, held ? 1.0 : 0.0, held ? 0.0 : 1.0);
    phi[i] = held ? v[i] : open ? x[i] : 0.0;
  }
  for (int i = 1; i < size && slips && !open; ++i) {
    out.B[3 * i] = -x[i] / length;
    phi[i] = x[i] - x[0] * x[i] / length;
  }
}

}  // namespace

/// rows_of(cone, x, v, out, phi) sets K dx = -phi on the rows of a cone
template <class Rows>
bool ConeNewton::solve(const ConeProblem& problem, ConeSystem& K, double alpha, Vector& x,
                       const Rows& rows_of) {
  v_.resize(x.size());
  change_.resize(x.size());
  rows_.resize(problem.cones.size());
  K.apply(x, v_);
  v_ += problem.b;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const ConeProblem::Cone& cone = problem.cones[k];
    ConeRows& rows = rows_[k];
    rows = {};
    rows_of(cone, x.data() + cone.first, v_.data() + cone.first, rows, change_.data() + cone.first);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) rows.B[3 * i + j] += alpha * rows.A[3 * i + j];
  }
  change_ = -change_;
  if (!K.factorise(rows_)) return false;
  K.solve(change_, 1);
  if (!change_.allFinite()) return false;
  x += change_;
  return true;
}

bool ConeNewton::step(const ConeProblem& problem, ConeSystem& K, double alpha, Vector& x,
                      double sharp) {
  return solve(problem, K, alpha, x,
               [sharp](const ConeProblem::Cone& cone, const double* x_c, const double* v,
                       ConeRows& out, double* phi) { linearise(cone, x_c, v, sharp, out, phi); });
}

bool ConeNewton::hold(const ConeProblem& problem, ConeSystem& K, double alpha, Vector& x) {
  return solve(problem, K, alpha, x, keep);
}

}  // namespace saltus
