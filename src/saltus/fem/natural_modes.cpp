// Lanczos with implicit restarts in the inner product of M (Spectra) on
//     y = scale (K - s M)^-1 M x,   nu = scale/(omega^2 - s).
// A Krylov space contains only one vector of each eigenspace: further vectors of multiple modes
// appear through round-off or not at all. So the search is repeated in the complement of the modes
// found, until no mode remains below the last one.
#include "saltus/fem/natural_modes.h"

#include <fmt/format.h>

#include <Spectra/SymGEigsShiftSolver.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/fem/critical_step.h"
#include "saltus/math/dense.h"

namespace saltus {
namespace {

constexpr double kZero = 1e-13;      // omega^2 below this fraction of the largest one counts as 0
constexpr double kNegative = 1e-10;  // below minus this fraction the state is unstable

/// K and M of a body at a state, as products and as a factor of K - s M.
class Pencil {
 public:
  Pencil(const Dynamics& body, View q)
      : body_(body), q_(q), v_(Vector::Zero(body.velocities())), work_(v_.size()) {}
  int size() const { return static_cast<int>(v_.size()); }
  void stiffness(View x, Out y) const { body_.multiply({0.0, 0.0, 1.0}, 0.0, q_, v_, x, y); }
  void mass(View x, Out y) const { body_.multiply({1.0, 0.0, 0.0}, 0.0, q_, v_, x, y); }
  void factorise(double shift) { body_.factorise({-shift, 0.0, 1.0}, 0.0, q_, v_, factor_); }
  void solve(Out x) const { saltus::solve(factor_, x); }
  Matrix product(const Matrix& X, bool of_mass) const {
    Matrix Y(X.rows(), X.cols());
    for (Eigen::Index j = 0; j < X.cols(); ++j) {
      work_ = X.col(j);
      of_mass ? mass(work_, Y.col(j)) : stiffness(work_, Y.col(j));
    }
    return Y;
  }
  double largest() const {
    const MotionEstimate fastest = motion_estimate(body_, 0.0, q_, v_, 0.1);
    return fastest.omega * fastest.omega;
  }

 private:
  const Dynamics& body_;
  Vector q_, v_;
  mutable Vector work_;  // work space of one call of natural_modes()
  Factor factor_;
};

/// Operator for Spectra: x = scale (K - s M)^-1 b, M-orthogonal to the modes found.
struct ShiftInvert {
  using Scalar = double;
  Pencil& pencil;
  double scale;
  const Matrix &found, &M_found;
  Eigen::Index rows() const { return pencil.size(); }
  Eigen::Index cols() const { return pencil.size(); }
  void set_shift(double shift) { pencil.factorise(scale * shift); }
  void perform_op(const double* b, double* out) const {
    Eigen::Map<Vector> x(out, rows());
    x = scale * Eigen::Map<const Vector>(b, rows());
    pencil.solve(x);
    if (found.cols() > 0)
      for (int twice = 0; twice < 2; ++twice) x -= found * (M_found.transpose() * x).eval();
  }
};
struct MassProduct {
  using Scalar = double;
  Pencil& pencil;
  Eigen::Index rows() const { return pencil.size(); }
  Eigen::Index cols() const { return pencil.size(); }
  void perform_op(const double* in, double* out) const {
    pencil.mass(Eigen::Map<const Vector>(in, rows()), Eigen::Map<Vector>(out, rows()));
  }
};

struct Pairs {
  Vector lambda;
  Matrix x;
};

/// Up to `count` of the lowest pairs that are M-orthogonal to `found` and have reached the
/// tolerance; increasing.
Pairs lanczos(Pencil& pencil, double shift, const Matrix& found, int count, double tolerance,
              int restarts) {
  const int n = pencil.size();
  const auto room = n - static_cast<int>(found.cols());
  const int wanted = std::min(count, room - 1), basis = std::min(room, 2 * wanted + 20);
  Pairs pairs;
  if (wanted < 1) return pairs;
  const Matrix M_found = pencil.product(found, true);
  const double scale = -shift;
  ShiftInvert op{pencil, scale, found, M_found};
  MassProduct mass{pencil};
  Spectra::SymGEigsShiftSolver<ShiftInvert, MassProduct, Spectra::GEigsMode::ShiftInvert> solver(
      op, mass, wanted, basis, shift / scale);
  Vector start(n);
  for (int i = 0; i < n; ++i) start[i] = std::sin(12.9898 * (i + 1)) + 0.3 * std::cos(0.37 * i);
  if (found.cols() > 0) start -= found * (M_found.transpose() * start).eval();
  solver.init(start.data());
  const auto done = solver.compute(Spectra::SortRule::LargestAlge, restarts, tolerance,
                                   Spectra::SortRule::SmallestAlge);
  if (done == 0) return pairs;
  pairs.lambda = scale * solver.eigenvalues();
  pairs.x = solver.eigenvectors();
  return pairs;
}

/// Rayleigh-Ritz pairs in the span of X.
Pairs rayleigh_ritz(const Pencil& pencil, const Matrix& X) {
  const Matrix A = X.transpose() * pencil.product(X, false);
  const Matrix B = X.transpose() * pencil.product(X, true);
  const SymmetricPairs pairs =
      symmetric_pairs(0.5 * (A + A.transpose()), 0.5 * (B + B.transpose()));
  return {pairs.values, X * pairs.vectors};
}

Matrix joined(const Matrix& A, const Matrix& B) {
  Matrix both(A.rows(), A.cols() + B.cols());
  both << A, B;
  return both;
}

/// Rough upper estimate of omega^2 of the `count`-th mode.
double scale_of(Pencil& pencil, int count, double largest) {
  const Pairs rough = lanczos(pencil, -1e-6 * largest, Matrix(pencil.size(), 0), count, 0.1, 2);
  const double last = rough.lambda.size() > 0 ? rough.lambda.maxCoeff() : 0.0;
  return std::clamp(last, 1e-9 * largest, largest);
}

Pairs sparse_modes(Pencil& pencil, int count, double largest) {
  const double shift = -0.1 * scale_of(pencil, count, largest);
  Pairs pairs = lanczos(pencil, shift, Matrix(pencil.size(), 0), count, 1e-13, 1000);
  for (int round = 0; round < 20; ++round) {
    const auto have = static_cast<int>(pairs.lambda.size());
    const double last = have < count
                            ? std::numeric_limits<double>::infinity()
                            : pairs.lambda[count - 1] - 1e-7 * (pairs.lambda[count - 1] - shift);
    const Pairs seen = lanczos(pencil, shift, pairs.x, 2, 1e-2, 10);
    if (seen.lambda.size() == 0 || !(seen.lambda[0] < last)) break;
    const Pairs more = lanczos(pencil, shift, pairs.x, 2, 1e-13, 1000);
    if (more.lambda.size() == 0) break;
    pairs = rayleigh_ritz(pencil, have == 0 ? more.x : joined(pairs.x, more.x));
  }
  if (pairs.lambda.size() < count) [[unlikely]]
    expects(false, fmt::format("natural_modes: only {} of {} modes converged", pairs.lambda.size(),
                               count));
  return rayleigh_ritz(pencil, pairs.x);
}

Pairs dense_modes(const Pencil& pencil) {
  const Matrix I = Matrix::Identity(pencil.size(), pencil.size());
  const Matrix K = pencil.product(I, false), M = pencil.product(I, true);
  expects(K.allFinite(), "natural_modes: K is not finite at this state");
  SymmetricPairs pairs = symmetric_pairs(0.5 * (K + K.transpose()), 0.5 * (M + M.transpose()));
  return {std::move(pairs.values), std::move(pairs.vectors)};
}

}  // namespace

NaturalModes natural_modes(const Dynamics& body, View q, int count) {
  expects(has(body.traits(), Trait::symmetric) && has(body.traits(), Trait::tangents),
          "natural_modes: the body must have symmetric tangents");
  const int n = body.velocities();
  if (count < 1 || count > n) [[unlikely]]
    expects(
        false,
        fmt::format("natural_modes: cannot compute {} modes of a body with {} degrees of freedom",
                    count, n));
  Pencil pencil(body, q);
  Vector Kx(n), one = Vector::Ones(n);
  pencil.stiffness(one, Kx);
  expects(Kx.allFinite(), "natural_modes: K is not finite at this state");
  Pairs pairs;
  double largest = 0.0;
  if (n <= 200 || 4 * count + 40 > n) {
    pairs = dense_modes(pencil);
    largest = pairs.lambda.cwiseAbs().maxCoeff();
  } else {
    largest = pencil.largest();
    expects(largest > 0.0, "natural_modes: K is zero at this state");
    pairs = sparse_modes(pencil, count, largest);
  }

  NaturalModes modes;
  modes.omega.resize(count);
  modes.shape = pairs.x.leftCols(count);
  const Matrix K = pencil.product(modes.shape, false), M = pencil.product(modes.shape, true);
  Matrix R = K - M * pairs.lambda.head(count).asDiagonal();
  Matrix solved = R;
  Factor mass;
  body.factorise({1.0, 0.0, 0.0}, 0.0, q, Vector::Zero(n), mass);
  solve(mass, solved);
  const double last = std::max(pairs.lambda[count - 1], kZero * largest);
  for (int j = 0; j < count; ++j) {
    const double lambda = pairs.lambda[j];
    if (lambda < -kNegative * largest) [[unlikely]]
      expects(false,
              fmt::format("natural_modes: the state is not stable (omega^2 = {:.3g})", lambda));
    modes.omega[j] = lambda <= kZero * largest ? 0.0 : std::sqrt(lambda);
    modes.residual =
        std::max(modes.residual, std::sqrt(std::max(R.col(j).dot(solved.col(j)), 0.0)) / last);
    Eigen::Index place = 0;
    modes.shape.col(j).cwiseAbs().maxCoeff(&place);
    if (modes.shape(place, j) < 0.0) modes.shape.col(j) = -modes.shape.col(j);
  }
  return modes;
}

}  // namespace saltus
