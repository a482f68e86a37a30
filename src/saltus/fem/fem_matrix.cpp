// The step operator m M + c C + k K of a mesh, and its factorisations.
#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/base/stop.h"
#include "saltus/fem/fem_internal.h"
#include "saltus/linear_algebra/factor_form.h"
#include "saltus/linear_algebra/sparse_internal.h"

namespace saltus {
namespace {

/// number of nodes from which the cost of a factorisation is estimated
constexpr int kLargeMesh = 1500;

/// A = R A0 R^T with the factor of A0 and one rotation for all nodes.
class TurnedOperator final : public Operator {
 public:
  Factor inner;
  Combination of;  ///< the combination of A0
  Matrix3 R = Matrix3::Identity();
  int dimension = 3;

  void solve(Eigen::Ref<Matrix> X) const override {
    turn(X, R.transpose());
    saltus::solve(inner, X);
    turn(X, R);
  }
  bool symmetric() const override { return saltus::symmetric(inner); }
  double tolerance() const override { return saltus::tolerance(inner); }
  /// R D R^T for the blocks D of A0, which hold whole nodes.
  bool blocks(DiagonalBlocks& D, bool& whole) const override {
    const int before = D.count();
    moves_.clear();
    if (!saltus::blocks(inner, D, moves_, whole)) return false;
    Matrix3 d;
    const Eigen::Index n = dimension;
    for (int b = before; b < D.count(); ++b) {
      const Eigen::Index size = D.size(b);
      if (size % n != 0) return false;
      Eigen::Map<Matrix> A(D.of(b), size, size);
      for (Eigen::Index i = 0; i < size; i += n)
        for (Eigen::Index j = 0; j < size; j += n) {
          d.topLeftCorner(n, n) = A.block(i, j, n, n);
          A.block(i, j, n, n) =
              R.topLeftCorner(n, n) * d.topLeftCorner(n, n) * R.topLeftCorner(n, n).transpose();
        }
    }
    return true;
  }
  void multiply(View x, Out y) const override {
    turned_ = x;
    turn(turned_, R.transpose());
    saltus::multiply(inner, turned_, y);
    turn(y, R);
  }
  /// Uses H R: an entry of H along axis i of a node becomes row i of R.
  bool response(const SparseRows& H, Eigen::Ref<Matrix> W) const override {
    const std::size_t d = index(dimension);
    offset_.clear();
    for (int k : H.offset) offset_.push_back(dimension * k);
    column_.resize(d * H.column.size());
    value_.resize(column_.size());
    for (std::size_t k = 0; k < H.column.size(); ++k) {
      const int i = H.column[k] % dimension;
      for (int c = 0; c < dimension; ++c) {
        column_[d * k + index(c)] = H.column[k] - i + c;
        value_[d * k + index(c)] = H.value[k] * R(i, c);
      }
    }
    return saltus::response(inner, {offset_, column_, value_}, W);
  }
  SolveRecord record() const override { return saltus::record(inner); }
  void forget() override { saltus::forget(inner); }

 private:
  void turn(Eigen::Ref<Matrix> X, const Matrix3& by) const {
    for (Eigen::Index j = 0; j < X.cols(); ++j)
      for (Eigen::Index i = 0; i < X.rows(); i += dimension) {
        Vector3 x = Vector3::Zero();
        x.head(dimension) = X.col(j).segment(i, dimension);
        x = (by * x).eval();
        X.col(j).segment(i, dimension) = x.head(dimension);
      }
  }

  mutable std::vector<int> offset_, column_;  // of H R; an operator belongs to one simulation
  mutable std::vector<double> value_;
  mutable Vector turned_;
  mutable std::vector<char> moves_;
};

/// Entries of A on free degrees of freedom.
SparseMatrix pattern_of(const NodeGraph& graph, const FreeDofs& dofs) {
  std::vector<Entry> entries;
  for (int row = 0; row < dofs.free(); ++row) {
    const int a = dofs.dofs()[index(row)] / 3;
    for (int k = graph.offset[index(a)]; k < graph.offset[index(a) + 1]; ++k)
      for (int axis = 0; axis < 3; ++axis)
        if (const int j = dofs[3 * graph.column[index(k)] + axis]; j >= 0)
          entries.push_back({row, j, 0.0});
  }
  return SparseMatrix(dofs.free(), entries);
}

void fill_values(const NodeMatrix& A, const FreeDofs& dofs, SparseMatrix& out) {
  const NodeGraph& graph = A.graph();
  double* value = out.value().data();
  for (int row = 0; row < dofs.free(); ++row) {
    const int a = dofs.dofs()[index(row)] / 3, i = dofs.dofs()[index(row)] % 3;
    for (int k = graph.offset[index(a)]; k < graph.offset[index(a) + 1]; ++k)
      for (int axis = 0; axis < 3; ++axis)
        if (dofs[3 * graph.column[index(k)] + axis] >= 0) *value++ = A.block(k)[3 * axis + i];
  }
}

/// Conjugate gradients, and a factorisation where they do not converge or were not chosen.
class ChosenOperator final : public Operator {
 public:
  ChosenOperator(std::shared_ptr<const NodeGraph> graph, const FreeDofs& dofs)
      : iterated_(std::move(graph), dofs.dofs(), FemSolver{}.tolerance, kMost), dofs_(dofs) {}

  NodeMatrix& matrix() { return iterated_.matrix(); }
  void refilled(bool iterates) {
    iterated_.refilled();
    // the failure belongs to a previous A
    if (!iterated_.record().failure.empty()) iterated_.forget();
    factored_ = false;
    if (!iterates) factorise();
  }
  void solve(Eigen::Ref<Matrix> X) const override {
    if (!factored_) {
      right_ = X;
      iterated_.solve(X);
      if (done()) return;
      X = right_;
    }
    factor_.solve(X);
  }
  void solve_near(View b, Out x) const override {
    if (!factored_) {
      iterated_.solve_near(b, x);
      if (done()) return;
    }
    x = b;
    factor_.solve(x);
  }
  bool symmetric() const override { return true; }
  bool blocks(DiagonalBlocks& D, bool& whole) const override { return iterated_.blocks(D, whole); }
  void multiply(View x, Out y) const override { iterated_.multiply(x, y); }
  double tolerance() const override { return factored_ ? 0.0 : iterated_.tolerance(); }
  bool response(const SparseRows& H, Eigen::Ref<Matrix> W) const override {
    return factored_ && factor_.response(H, W);
  }
  SolveRecord record() const override { return factored_ ? SolveRecord{} : iterated_.record(); }
  void forget() override { iterated_.forget(); }
  void stop_by(Stop* stop) override { iterated_.stop_by(stop); }

 private:
  /// iterations beyond which a factorisation is the better choice
  static constexpr int kMost = 300;

  /// True if the solve converged or was stopped; otherwise factorises.
  bool done() const {
    const std::string_view failure = iterated_.record().failure;
    if (failure.empty() || is_stop(failure)) return true;
    factorise();
    return false;
  }
  void factorise() const {
    if (entries_.empty()) entries_ = pattern_of(iterated_.matrix().graph(), dofs_);
    fill_values(iterated_.matrix(), dofs_, entries_);
    factor_.factorise(entries_);
    factored_ = true;
  }

  ConjugateGradients iterated_;
  const FreeDofs& dofs_;
  // an operator belongs to one simulation
  mutable SparseOperator factor_;  // of the present A, if factored_
  mutable SparseMatrix entries_;
  mutable bool factored_ = false;
  mutable Matrix right_;  // right-hand side of the present solve
};

}  // namespace

// Which nodes share a block, where elements add to it, and K0 if it is constant.
void Fem::Elements::make_pattern() {
  std::vector<std::pair<int, std::span<const int>>> elements;
  for (const fem::Block& b : blocks) elements.emplace_back(b.n, b.node);
  graph = std::make_shared<const NodeGraph>(nodes, elements);
  for (fem::Block& b : blocks) b.make_slots(*graph);
  if (!lumped) {
    mass_entry.assign(index(graph->entries()), 0.0);
    for (int a = 0; a < nodes; ++a)
      for (int k = mass.offset()[index(a)]; k < mass.offset()[index(a) + 1]; ++k)
        mass_entry[index(graph->find(a, mass.column()[index(k)]))] = mass.value()[index(k)];
  }
  if (!affine && !turns()) return;
  stiffness = NodeMatrix(graph);
  const Vector reference = Vector::Zero(3 * nodes);
  ThreadPool thread_pool;
  const ThreadPool::Shift shift(thread_pool, index(nodes));
  for (const fem::Block& b : blocks)
    fem::add_matrices(b, thread_pool, 1.0, 0.0, reference.data(), stiffness);
  stiffness.mirror_upper(thread_pool);
}

void Fem::Elements::assemble(Combination s, ElementEvaluation& at, NodeMatrix& A) const {
  ThreadPool& thread_pool = at.thread_pool;
  const ThreadPool::Shift shift(thread_pool, index(nodes));
  const double m = s.m + s.c * rayleigh().mass;
  const bool kept = !stiffness.empty();
  if (!kept) {
    A.set_zero(thread_pool);
    for (const fem::Block& b : blocks)
      fem::add_matrices(b, thread_pool, s.k + s.c * b.tangent_rate, s.c, at.u.data(), A);
    A.mirror_upper(thread_pool);
  }
  const double k = s.k + s.c * rayleigh().stiffness;
  thread_pool.blocks(index(nodes), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      if (kept) {
        const double* const from = stiffness.block(graph->offset[a]);
        double* const to = A.block(graph->offset[a]);
        const int count = 9 * (graph->offset[a + 1] - graph->offset[a]);
        for (int i = 0; i < count; ++i) to[i] = k * from[i];
      }
      const auto add = [&](int entry, double value) {
        double* const to = A.block(entry);
        for (int i = 0; i < 9; i += 4) to[i] += value;
      };
      if (lumped)
        add(graph->diagonal[a], m * nodal[static_cast<Eigen::Index>(a)]);
      else
        for (int e = graph->offset[a]; e < graph->offset[a + 1]; ++e)
          add(e, m * mass_entry[index(e)]);
    }
  });
}

void Fem::Elements::assemble(Combination s, ElementEvaluation& at) const {
  NodeMatrix& rows = at.rows;
  if (rows.empty()) {
    rows = NodeMatrix(graph);
    at.matrix = pattern_of(*graph, dofs);
  }
  assemble(s, at, rows);
  fill_values(rows, dofs, at.matrix);
}

// Conjugate gradients to 1e-10 take about 12 sqrt(kappa) products with A (Shewchuk 1994, section
// 9). Preconditioning by the blocks of the nodes reduces the largest eigenvalue to about kSpread;
// the smallest one belongs to a motion with little deformation, m M relative to the block of its
// node.
bool Fem::Elements::iteration_pays(Combination s, const NodeMatrix& A) const {
  constexpr double kProducts = 12.0, kSpread = 3.0;
  // fraction of the work of a factorisation, whose loops are faster
  constexpr double kShare = 0.25;
  std::call_once(factor_asked, [this] {
    LowerPattern nodes_of;
    nodes_of.offset.assign(1, 0);
    for (int a = 0; a < nodes; ++a) {
      for (int k = graph->offset[index(a)]; k < graph->offset[index(a) + 1]; ++k)
        if (graph->column[index(k)] <= a) nodes_of.column.push_back(graph->column[index(k)]);
      nodes_of.offset.push_back(static_cast<int>(nodes_of.column.size()));
    }
    // 27 per pair of nodes, and 9 per block
    factor_cost = 3.0 * cholesky_operations(nodes_of) / graph->entries();
  });
  const double m = s.m + s.c * rayleigh().mass;
  double kappa = 0.0;
  for (int a = 0; a < nodes; ++a) {
    const double* const D = A.block(graph->diagonal[index(a)]);
    kappa = std::max(kappa, (D[0] + D[4] + D[8]) / (3.0 * m * nodal[a]));
  }
  return kProducts * std::sqrt(kSpread * kappa) < kShare * factor_cost;
}

void Fem::Elements::factorise(Combination s, ElementEvaluation& at, Factor& A) const {
  const bool stiff = s.k != 0.0 || (s.c != 0.0 && rayleigh().stiffness > 0.0);
  if (!stiff && lumped) {
    diagonal_in(A) = ((s.m + s.c * rayleigh().mass) * mass_free.array()).inverse();
    return;
  }
  Factor* to = &A;
  if (turns()) {
    const auto same = [](const Combination& a, const Combination& b) {
      return a.m == b.m && a.c == b.c && a.k == b.k;
    };
    TurnedOperator& turned = operator_in<TurnedOperator>(A);
    turned.R = at.turn.R;
    turned.dimension = system.mesh.dimension;
    to = &turned.inner;
    if (!std::holds_alternative<std::monostate>(to->form) && same(turned.of, s)) return;
    turned.of = s;
  }
  // A constant A is factorised once.
  const bool changes = stiff && lumped && !affine && !turns();
  if (changes && system.solver.kind == FemSolver::Kind::automatic && nodes > kLargeMesh) {
    auto& chosen = operator_in<ChosenOperator>(*to, graph, dofs);
    assemble(s, at, chosen.matrix());
    chosen.refilled(iteration_pays(s, chosen.matrix()));
  } else if (stiff && system.solver.kind == FemSolver::Kind::conjugate_gradients) {
    auto& solver = operator_in<ConjugateGradients>(*to, graph, dofs.dofs(), system.solver.tolerance,
                                                   system.solver.iterations);
    assemble(s, at, solver.matrix());
    solver.refilled();
  } else {
    assemble(s, at);
    operator_in<SparseOperator>(*to).factorise(at.matrix);
  }
}

}  // namespace saltus
