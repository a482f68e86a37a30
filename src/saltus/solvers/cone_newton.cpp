#include "saltus/solvers/cone_newton.h"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

using Kind = ConeProblem::Kind;
constexpr double kProximal = 1e-10;  ///< alpha; mean diagonal of W~: 1

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// (A W~ + B) dx = -phi on the rows of one cone; A and B row by row, 3 wide.
struct Linearised {
  double A[9] = {}, B[9] = {}, phi[3] = {};

  void row(int i, double a, double b, double value) {
    A[4 * i] = a;
    B[4 * i] = b;
    phi[i] = value;
  }
};

/// W points at the diagonal block of the cone.
void linearise(const ConeProblem::Cone& cone, const double* W, const double* x, const double* v,
               Linearised& out) {
  const int size = cone.size;
  const double rho_N = 1.0 / std::max(W[0], kProximal), n = x[0] - rho_N * v[0];
  if (cone.kind == Kind::interval) {
    if (std::abs(n) < cone.bound)
      out.row(0, 1.0, 0.0, v[0]);
    else
      out.row(0, 0.0, 1.0, x[0] - std::copysign(cone.bound, n));
    return;
  }
  if (cone.kind == Kind::zero || (cone.kind != Kind::all && n <= 0.0)) {
    for (int i = 0; i < size; ++i) out.row(i, 0.0, 1.0, x[i]);
    return;
  }
  double trace = 0.0, s[3], length = 0.0;
  for (int i = 1; i < size; ++i) trace += W[i * (cone.stride + 1)];
  const double rho_T = size > 1 ? (size - 1) / std::max(trace, kProximal) : 0.0;
  for (int i = 1; i < size; ++i) {
    s[i] = x[i] - rho_T * v[i];
    length += s[i] * s[i];
  }
  length = std::sqrt(length);
  if (size == 1 || length <= n) {
    for (int i = 0; i < size; ++i) out.row(i, 1.0, 0.0, v[i]);
    return;
  }
  const double k = n / length;
  out.row(0, 1.0, 0.0, v[0]);
  for (int i = 1; i < size; ++i) {
    const double e_i = s[i] / length;
    out.A[3 * i] = rho_N * e_i;
    out.B[3 * i] = -e_i;
    for (int j = 1; j < size; ++j) {
      const double across = (i == j ? 1.0 : 0.0) - e_i * s[j] / length;
      out.A[3 * i + j] = rho_T * k * across;
      out.B[3 * i + j] = (i == j ? 1.0 : 0.0) - k * across;
    }
    out.phi[i] = x[i] - n * e_i;
  }
}

/// Rows of the cone in K <- A (W~ + alpha I) + B
void fill(const ConeProblem& problem, const ConeProblem::Cone& cone, const Linearised& rows,
          BlockMatrix& K) {
  const BlockMatrix& W = problem.W;
  const int c = cone.contact, offset = cone.first - W.first[at(c)], size = cone.size;
  for (int k = W.offset[at(c)]; k < W.offset[at(c) + 1]; ++k) {
    const int width = W.size(W.column[at(k)]);
    const double* from = W.block(k) + offset * width;
    double* to = K.value.data() + W.start[at(k)] + at(offset * width);
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < width; ++j) {
        double sum = 0.0;
        for (int l = 0; l < size; ++l) sum += rows.A[3 * i + l] * from[l * width + j];
        to[i * width + j] = sum;
      }
  }
  double* const diagonal = K.value.data() + cone.diagonal;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      diagonal[i * cone.stride + j] += kProximal * rows.A[3 * i + j] + rows.B[3 * i + j];
}

}  // namespace

bool ConeNewton::step(const ConeProblem& problem, BlockSystem& K, Vector& x) {
  v_.resize(x.size());
  change_.resize(x.size());
  problem.apply(x, v_);
  v_ += problem.b;
  for (const ConeProblem::Cone& cone : problem.cones) {
    Linearised rows;
    linearise(cone, problem.W.value.data() + cone.diagonal, x.data() + cone.first,
              v_.data() + cone.first, rows);
    fill(problem, cone, rows, K.K);
    for (int i = 0; i < cone.size; ++i) change_[cone.first + i] = -rows.phi[i];
  }
  if (!K.factorise()) return false;
  K.solve(change_, 1);
  if (!change_.allFinite()) return false;
  x += change_;
  return true;
}

}  // namespace saltus
