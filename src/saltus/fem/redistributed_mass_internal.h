// The parts of RedistributedMass: components with mass, their coupling, and the local problem.
#pragma once
#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "saltus/base/entry.h"
#include "saltus/base/work_pool.h"
#include "saltus/bodies/free_dofs.h"
#include "saltus/fem/redistributed_mass.h"
#include "saltus/linear_algebra/block_pivoting.h"
#include "saltus/linear_algebra/sparse.h"
#include "saltus/math/small_cholesky.h"

namespace saltus {

/// Solves with the factorised whole mesh under the constraint that rows G_s are zero: x = y - Y
/// (G_s Y)^-1 G_s y, y = A^-1 b, Y = A^-1 G_s^T.
class HeldOperator final : public Operator {
 public:
  explicit HeldOperator(const std::vector<int>& inner) : inner_(inner) {}
  bool of(const std::vector<int>& inner) const { return &inner == &inner_; }
  /// Factorises the whole mesh if s has changed.
  void whole(const Fem& fem, Combination s, double t, const Vector& q, const Vector& v) {
    if (made_ && s.m == s_.m && s.c == s_.c && s.k == s_.k) return;
    fem.factorise(s, t, q, v, A_);
    s_ = s;
    made_ = true;
    known_ = false;
  }
  /// Sets the constrained rows of G, given as entries (column of the mesh, value).
  void hold(std::span<const int> rows, const std::vector<std::vector<Entry>>& G,
            Eigen::Index size) {
    if (known_ && std::ranges::equal(rows, held_)) return;
    known_ = true;
    held_.assign(rows.begin(), rows.end());
    const auto m = static_cast<Eigen::Index>(rows.size());
    if (Y_.rows() != size || Y_.cols() < m) {
      Y_.resize(size, m);
      R_.resize(m, m);
      part_.resize(m);
    }
    row_.clear();
    for (const int r : rows) row_.push_back(&G[static_cast<std::size_t>(r)]);
    auto Y = Y_.leftCols(m);
    Y.setZero();
    for (Eigen::Index j = 0; j < m; ++j)
      for (const Entry& e : *row_[static_cast<std::size_t>(j)]) Y(e.column, j) = e.value;
    if (m > 0) saltus::solve(A_, Y);
    for (Eigen::Index j = 0; j < m; ++j)
      for (Eigen::Index i = 0; i <= j; ++i)
        R_(i, j) = 0.5 * (product(i, Y.col(j)) + product(j, Y.col(i)));
    if (!factor_corner(R_, m)) R_.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  void solve(Eigen::Ref<Matrix> X) const override {
    const auto m = static_cast<Eigen::Index>(held_.size());
    if (all_.rows() != Y_.rows() || all_.cols() < X.cols()) all_.resize(Y_.rows(), X.cols());
    auto all = all_.leftCols(X.cols());
    all.setZero();
    for (Eigen::Index c = 0; c < X.cols(); ++c)
      for (std::size_t i = 0; i < inner_.size(); ++i)
        all(inner_[i], c) = X(static_cast<Eigen::Index>(i), c);
    saltus::solve(A_, all);
    for (Eigen::Index c = 0; c < X.cols(); ++c) {
      for (Eigen::Index i = 0; i < m; ++i) part_[i] = product(i, all.col(c));
      solve_corner(R_, m, part_.head(m));
      for (Eigen::Index i = 0; i < m; ++i) all.col(c) -= part_[i] * Y_.col(i);
      for (std::size_t i = 0; i < inner_.size(); ++i)
        X(static_cast<Eigen::Index>(i), c) = all(inner_[i], c);
    }
  }
  bool symmetric() const override { return true; }
  SolveRecord record() const override { return saltus::record(A_); }
  void forget() override { saltus::forget(A_); }

 private:
  template <class Column>
  double product(Eigen::Index row, const Column& x) const {
    double sum = 0.0;
    for (const Entry& e : *row_[static_cast<std::size_t>(row)]) sum += e.value * x[e.column];
    return sum;
  }

  const std::vector<int>& inner_;
  Factor A_;
  Combination s_;
  bool made_ = false, known_ = false;  ///< A_ belongs to s_, Y_ belongs to held_
  std::vector<int> held_;
  std::vector<const std::vector<Entry>*> row_;
  Matrix Y_, R_;         ///< R^T R = G_s Y
  mutable Matrix all_;   // an operator belongs to one simulation
  mutable Vector part_;  // likewise
};

struct RedistributedMass::Partition {
  std::vector<NodeStop> stops;
  std::unique_ptr<Fem> fem;
  std::vector<int> inner, held;  ///< components of Fem's q: with mass, massless
  std::vector<int> of_dof;       ///< component of q of each degree of freedom, -1: none
  std::vector<int> carrier;      ///< for each massless component, one of Fem's q near it; -1: none
  std::vector<std::vector<Entry>> G;  ///< per stop: entries at components of Fem's q
  Vector rest;                        ///< g at zero displacement
  // K_ic in columns c, entries at components of q; K_cc
  std::vector<int> offset{0}, row;
  std::vector<double> value;
  std::vector<int> place;  ///< position of each component of Fem's q in `inner` or in `held`
  SparseMatrix Kcc;
  Matrix X;              ///< K_cc^-1 G^T
  Matrix W;              ///< G X
  std::vector<int> rim;  ///< components of q that are coupled by K_ic, increasing

  /// Work space of one call; results of local() belong to the configuration `at`.
  struct Evaluation {
    Vector at, all, rate, other, f;  ///< components of Fem's q, except `at`
    Vector part;                     ///< one per massless component
    Vector w, lambda, small;         ///< one per stop
    SparseOperator Kcc;
    BlockPivoting problem;
    bool known = false;

    explicit Evaluation(const Partition& d);
  };
  WorkPool<Evaluation> evaluations{[this] { return std::make_unique<Evaluation>(*this); }};

  Partition(FemSystem system, std::vector<NodeStop> given);
  void check(const FemSystem& system) const;
  void number(const FemSystem& system);
  void couple();
  void split_columns(const std::vector<std::vector<Entry>>& columns);
  void make_compliance();
  void local(View q, Evaluation& to) const;
  void rates(View x, Evaluation& at, Vector& full) const;
  void spread(View x, Vector& full) const { scatter(inner, x, full); }
  void gather(const Vector& full, Out x) const { saltus::gather(inner, full, x); }
  /// Sets `rate` for the rates x. Without viscous damping no force depends on the rates of massless
  /// nodes, and they are set to zero.
  void set_rates(View x, Evaluation& at) const;
  bool viscous() const { return fem->rayleigh().stiffness > 0.0; }
};

}  // namespace saltus
