// Factorised step operators A = m M + c C + k K, in the cheapest form for each kind of body.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

class Stop;

/// A = diag; stores 1/A_jj, or 0 if a degree of freedom is prescribed or cannot be excited [1/kg].
struct Diagonal {
  Vector inverse;
};

/// One 6 x 6 block per body, inverted [1/kg, 1/(kg m^2)]; may be unsymmetric.
struct Blocks6 {
  std::vector<Eigen::Matrix<double, 6, 6>> inverse;
};

/// Statistics of iterative solves since the last forget(), over all matrices A in that time;
/// usually one step.
struct SolveRecord {
  double residual = 0.0;  ///< largest |b - A x| / |b| [1]
  int iterations = 0;     ///< total number
  /// Why a solve ended above its tolerance, as a string with static lifetime; empty if none did.
  std::string_view failure;
};

/// Sparse rows: column[k], value[k] for k = offset[i] .. offset[i + 1] - 1. A column may occur more
/// than once.
struct SparseRows {
  std::span<const int> offset, column;
  std::span<const double> value;
};

/// Diagonal blocks of a symmetric matrix: block b covers the rows first[b] .. first[b + 1] - 1; its
/// values are value[start[b] ..], row by row.
struct DiagonalBlocks {
  std::vector<int> first{0};
  std::vector<std::size_t> start{0};
  std::vector<double> value;

  int count() const { return static_cast<int>(first.size()) - 1; }
  int rows() const { return first.back(); }
  int size(int b) const {
    return first[static_cast<std::size_t>(b) + 1] - first[static_cast<std::size_t>(b)];
  }
  double* of(int b) { return value.data() + start[static_cast<std::size_t>(b)]; }
  const double* of(int b) const { return value.data() + start[static_cast<std::size_t>(b)]; }
  void clear() {
    first.assign(1, 0);
    start.assign(1, 0);
    value.clear();
  }
  /// Appends a zero block of `size` rows; the returned pointer is valid until the next add().
  double* add(int size) {
    first.push_back(first.back() + size);
    start.push_back(start.back() + static_cast<std::size_t>(size * size));
    value.resize(start.back());
    return of(count() - 1);
  }
};

/// Maximum number of rows in a block of DiagonalBlocks.
inline constexpr int kLargestBlock = 48;

/// Operators that are large, sparse, dense, masked or supplied by the user. May be unsymmetric.
class Operator {
 public:
  virtual ~Operator() = default;
  /// X <- A^-1 X, all right-hand sides (columns) at once.
  virtual void solve(Eigen::Ref<Matrix> X) const = 0;
  virtual bool symmetric() const = 0;
  /// Appends diagonal blocks of A, one per node or body. Returns false if only the inverse of A is
  /// available; D is then unusable. whole: A has no other entries.
  virtual bool blocks(DiagonalBlocks& D, bool& whole) const {
    static_cast<void>(D), static_cast<void>(whole);
    return false;
  }
  /// y = A x, if blocks() returns true.
  virtual void multiply(View x, Out y) const;
  /// x <- A^-1 b; iterative solvers start from x.
  virtual void solve_near(View b, Out x) const {
    x = b;
    solve(x);
  }
  /// Tolerance of an iterative solve, for each column separately: |b - A x| <= tolerance |b|. 0:
  /// not iterative.
  virtual double tolerance() const { return 0.0; }
  /// W += H A^-1 H^T if that costs less than solving for all rows; otherwise returns false and
  /// leaves W unchanged.
  virtual bool response(const SparseRows& H, Eigen::Ref<Matrix> W) const {
    static_cast<void>(H), static_cast<void>(W);
    return false;
  }
  /// Statistics of iterative solvers. Default: nothing to report.
  virtual SolveRecord record() const { return {}; }
  virtual void forget() {}
  /// For iterative solvers: solves end immediately if `stop`, which must outlive them, is
  /// requested.
  virtual void stop_by(Stop* stop) { static_cast<void>(stop); }
};

/// A dense A, by LU with partial pivoting; may be unsymmetric.
class DenseOperator final : public Operator {
 public:
  DenseOperator();
  ~DenseOperator() override;
  /// Does not throw; a singular A gives non-finite solutions, which the step driver reports.
  void factorise(const Matrix& A);
  void solve(Eigen::Ref<Matrix> X) const override;
  bool symmetric() const override { return symmetric_; }
  bool blocks(DiagonalBlocks& D, bool& whole) const override;

 private:
  struct Lu;
  std::unique_ptr<Lu> lu_;
  bool symmetric_ = true;
};

/// The factor of A. Refilled in place by Dynamics::factorise, never shared between objects.
struct Factor {
  std::variant<std::monostate, Diagonal, Blocks6, std::unique_ptr<Operator>> form;
};

/// X <- A^-1 X for all columns (or a vector). A must have been factorised.
void solve(const Factor& A, Eigen::Ref<Matrix> X);
bool symmetric(const Factor& A);
/// Operator::blocks of A, and whether each row can move: for rows that cannot move, the diagonal
/// entry is 1.
bool blocks(const Factor& A, DiagonalBlocks& D, std::vector<char>& moves, bool& whole);
void multiply(const Factor& A, View x,
              Out y);  ///< y = A x, if blocks() is true and A has entries outside them
void solve_near(const Factor& A, View b, Out x);  ///< Operator::solve_near
double tolerance(const Factor& A);                ///< Operator::tolerance; 0 for the other forms
/// Operator::response of A; returns false for the other forms.
bool response(const Factor& A, const SparseRows& H, Eigen::Ref<Matrix> W);
SolveRecord record(const Factor& A);
void forget(Factor& A);  ///< begins a new record
void stop_by(Factor& A, Stop* stop);

}  // namespace saltus
