// Lemke's complementary pivoting (Lemke 1965; Cottle, Pang, Stone 1992, section 4.4) for
//     w = W z + d z0 + b,     w_e = 0, z_e free (equality),     0 <= w_i perp z_i >= 0    (1)
// in rows scaled to W_ii = 1 and max |b_i| = 1; d = 1 on unilateral rows, 0 on equality rows.
// Equality rows are pivoted first: z_e becomes basic and never leaves, w_e = 0 never enters. Then
// z0 enters, and after each pivot the complement of the variable that has just left, until z0
// leaves. Ties are broken by the lexicographic rule (lemke_tableau.h), so that no basis occurs
// twice.
#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/contact/residual.h"
#include "saltus/linear_algebra/dense_lu.h"
#include "saltus/solvers/lemke_tableau.h"
#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

using Numbers = Eigen::Map<Vector>;

/// One solve: the problem and its work space in the scratch memory of a SolverMemory.
class LemkeRun {
 public:
  LemkeRun(const ContactProblem& problem, Limits limits, SolverMemory& memory);
  SolveReport solve(Out p);

 private:
  void fill();
  void pivot_equalities();
  void pivot_complements(double threshold);
  void read(Out p) const;
  void refine(Out p);

  const ContactProblem& problem_;
  const Limits limits_;
  const int n_;
  double* const data_;
  int *const equality_, *const rows_, *const active_;
  LemkeTableau tableau_;
  Numbers scale_;  ///< D_i = W_ii^(-1/2): z = beta D z', w = beta w'/D
  Numbers u_, work_, best_, kept_;
  double beta_ = 1.0;
  int pivots_ = 0;
};

double* scratch(SolverMemory& memory, std::size_t n) {
  const std::size_t doubles = LemkeTableau::doubles(n) + 5 * n;
  if (memory.scratch.size() < doubles) memory.scratch.resize(doubles);
  return memory.scratch.data();
}

int* scratch_rows(SolverMemory& memory, std::size_t n) {
  const std::size_t integers = LemkeTableau::integers(n) + 3 * n;
  if (memory.scratch_rows.size() < integers) memory.scratch_rows.resize(integers);
  return memory.scratch_rows.data();
}

LemkeRun::LemkeRun(const ContactProblem& problem, Limits limits, SolverMemory& memory)
    : problem_(problem),
      limits_(limits),
      n_(static_cast<int>(problem.b.size())),
      data_(scratch(memory, static_cast<std::size_t>(n_))),
      equality_(scratch_rows(memory, static_cast<std::size_t>(n_))),
      rows_(equality_ + n_),
      active_(rows_ + n_),
      tableau_(n_, data_ + 5 * n_, active_ + n_, equality_),
      scale_(data_, n_),
      u_(data_ + n_, n_),
      work_(data_ + 2 * n_, n_),
      best_(data_ + 3 * n_, n_),
      kept_(data_ + 4 * n_, n_) {
  for (const Law& law : problem.laws)
    std::fill_n(equality_ + law.first, law.size, law.kind == LawKind::equality ? 1 : 0);
}

void LemkeRun::fill() {
  double trace = 0.0;
  for (int i = 0; i < n_; ++i) trace += std::max(problem_.W.entry(i, i), 0.0);
  const double mean = trace > 0.0 ? trace / n_ : 1.0;
  for (int i = 0; i < n_; ++i) {
    const double diagonal = problem_.W.entry(i, i);
    scale_[i] = 1.0 / std::sqrt(diagonal > 0.0 ? diagonal : mean);
  }
  beta_ = 0.0;
  for (int i = 0; i < n_; ++i) beta_ = std::max(beta_, std::abs(scale_[i] * problem_.b[i]));
  if (beta_ == 0.0) beta_ = 1.0;
  tableau_.start();
  for (int j = 0; j < n_ && !limits_.stopped(); ++j) {
    u_.setZero();
    problem_.W.column(j, scale_[j], u_);
    for (int i = 0; i < n_; ++i) tableau_.T(i, j) = scale_[i] * u_[i];
  }
  for (int i = 0; i < n_; ++i) {
    tableau_.T(i, n_) = equality_[i] != 0 ? 0.0 : 1.0;
    tableau_.q(i) = scale_[i] * problem_.b[i] / beta_;
  }
}

/// The largest pivot first; equality rows that depend on earlier ones are redundant, with z = 0.
void LemkeRun::pivot_equalities() {
  constexpr double kDependent = 1e-13;
  while (!limits_.stopped()) {
    double largest = kDependent;
    int row = -1, column = -1;
    for (int i = 0; i < n_; ++i) {
      if (equality_[i] == 0 || tableau_.row_of(tableau_.w(i)) < 0) continue;
      for (int j = 0; j < n_; ++j) {
        if (equality_[j] == 0 || tableau_.column_of(tableau_.z(j)) < 0) continue;
        const double size = std::abs(tableau_.T(i, j));
        if (size > largest) largest = size, row = i, column = j;
      }
    }
    if (row < 0) return;
    tableau_.pivot(row, column);
    ++pivots_;
  }
}

void LemkeRun::pivot_complements(double threshold) {
  int row = tableau_.first_row(), column = tableau_.column_of(tableau_.z0());
  while (row >= 0 && pivots_ < limits_.iterations && !limits_.stopped()) {
    const int leaves = tableau_.basic(row);
    tableau_.pivot(row, column);
    ++pivots_;
    if (leaves == tableau_.z0()) return;
    column = tableau_.column_of(tableau_.complement(leaves));
    row = tableau_.blocking_row(column, threshold);  // -1: a ray, (1) may have no solution
  }
}

void LemkeRun::read(Out p) const {
  for (int i = 0; i < n_; ++i) {
    const int row = tableau_.row_of(tableau_.z(i));
    const double z = row < 0 ? 0.0 : beta_ * scale_[i] * tableau_.q(row);
    p[i] = z > 0.0 || equality_[i] != 0 ? z : 0.0;
  }
}

/// Three steps of iterative refinement on the rows a with basic z, with the original W and b:
///     p_a <- p_a - W_aa^-1 (W p + b)_a
/// Hundreds of pivots accumulate errors in the tableau; a step is kept only if the residual falls.
void LemkeRun::refine(Out p) {
  int k = 0;
  for (int i = 0; i < n_; ++i)
    if (tableau_.row_of(tableau_.z(i)) >= 0) active_[k++] = i;
  double* const LU = data_ + 5 * n_;  // the tableau is no longer needed
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j)
      LU[static_cast<std::size_t>(i) * static_cast<std::size_t>(k) + static_cast<std::size_t>(j)] =
          scale_[active_[i]] * problem_.W.entry(active_[i], active_[j]) * scale_[active_[j]];
  double best = residual(problem_, p);
  best_ = p;
  if (!lu_factorise(k, LU, rows_, limits_.stop)) return;
  for (int step = 0; step < 3; ++step) {
    problem_.W.apply(p, u_);
    Numbers x(u_.data(), k);  // active_[i] >= i: each entry is read before it is overwritten
    for (int i = 0; i < k; ++i)
      x[i] = -scale_[active_[i]] * (u_[active_[i]] + problem_.b[active_[i]]);
    lu_solve(k, LU, rows_, x.data(), work_.data());
    for (int i = 0; i < k; ++i) {
      const double p_i = p[active_[i]] + scale_[active_[i]] * x[i];
      p[active_[i]] = p_i > 0.0 || equality_[active_[i]] != 0 ? p_i : 0.0;
    }
    const double now = residual(problem_, p);
    if (!(now < best)) break;
    best = now;
    best_ = p;
  }
  p = best_;
}

// A small threshold pivots on round-off, a large one misses blocking rows. 1e-9 fails least often
// on strings with fewer modes than points; no single value solves all of them to 1e-12.
SolveReport LemkeRun::solve(Out p) {
  constexpr double kThresholds[] = {1e-9, 1e-11, 1e-10, 1e-8, 1e-7};
  SolveReport report;
  for (int i = 0; i < n_; ++i) kept_[i] = p[i] > 0.0 || equality_[i] != 0 ? p[i] : 0.0;
  report.residual = residual(problem_, kept_);
  for (const double threshold : kThresholds) {
    fill();
    pivot_equalities();
    pivot_complements(threshold);
    if (limits_.stopped()) break;
    read(p);
    refine(p);
    const double found = residual(problem_, p);
    const bool solved = found <= limits_.tolerance;
    if (solved || !(report.residual <= found)) {
      kept_ = p;
      report.residual = found;
    }
    if (solved || pivots_ >= limits_.iterations) break;
  }
  p = kept_;
  report.converged = report.residual <= limits_.tolerance;
  report.iterations = pivots_;
  return report;
}

class Lemke final : public ContactSolver {
 public:
  std::string_view name() const override { return "lemke"; }
  bool handles(LawKind kind) const override {
    return kind == LawKind::equality || kind == LawKind::unilateral;
  }
  bool needs_symmetric() const override { return false; }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    expects(problem.W.rows() == problem.b.size() && p.size() == problem.b.size(),
            "W, b and p differ in size");
    for (const Law& law : problem.laws)
      expects(handles(law.kind), "lemke handles equality and unilateral rows only");
    return LemkeRun(problem, limits, memory).solve(p);
  }
};

}  // namespace

std::unique_ptr<ContactSolver> make_lemke() { return std::make_unique<Lemke>(); }

}  // namespace saltus
