// Principal pivoting for the linear complementarity problem
//     u = W p + b,  u_e = 0 (equality),  0 <= u_i perp p_i >= 0 (unilateral),  W = W^T >= 0   (1)
// For a guess of the active rows a, p_a = -W_aa^-1 b_a and u = b + W(:, a) p_a (active_set.h). It
// is the solution if no active p and no inactive u is negative; otherwise those rows change sides.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/active_set.h"
#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

struct Pivots {
  int done = 0, most = 0;
  Stop* stop = nullptr;
  bool left(int count = 1) const { return done + count <= most && !stop_requested(stop); }
};

bool wants_out(const ActiveSet& a, int place) {
  return a.impulse(place) < 0.0 && !a.free(a.row(place));
}

/// p < 0 is tested strictly, u < 0 against round-off. This prevents a row with p = u = 0 from
/// entering and leaving forever: dropped at p = -delta, it has u = +S delta, S its Schur
/// complement.
bool wants_in(const ActiveSet& a, int row) {
  return a.velocity(row) < 0.0 && !a.active(row) && !a.free(row) && a.velocity(row) < -a.noise(row);
}

/// Removes all rows with p < 0 from the active rows, the last first; returns their number.
int drop_pulling(ActiveSet& a) {
  int dropped = 0;
  for (int place = a.size() - 1; place >= 0; --place)
    if (wants_out(a, place)) a.erase(place), ++dropped;
  return dropped;
}

/// Block principal pivoting (Judice, Pires 1994) in two halves: rows with p < 0 leave until there
/// are none, which needs no u; then all rows with u < 0 enter at once. Compared with exchanging
/// both together this takes 3 instead of 5 products W p for a region that moves by four points per
/// step, and a third to a tenth of the pivots if W is semidefinite. Returns false when the number
/// of rows with u < 0 has not decreased for three exchanges, or when a row depends on the active
/// rows.
bool exchange_blocks(ActiveSet& a, Pivots& pivots) {
  const std::span<int> entering = a.work();
  int fewest = std::numeric_limits<int>::max(), patience = 3;
  while (!stop_requested(pivots.stop)) {
    a.solve_impulses();
    int dropped = drop_pulling(a);
    if (dropped == 0) {
      a.solve_velocities();
      dropped = drop_pulling(a);  // refinement may change a sign
    }
    pivots.done += dropped;
    if (dropped > 0) continue;

    int count = 0;
    for (int row = 0; row < std::ssize(entering); ++row)
      if (wants_in(a, row)) entering[static_cast<std::size_t>(count++)] = row;
    if (count == 0) return true;
    if (count < fewest) {
      fewest = count;
      patience = 3;
    } else if (patience-- == 0) {
      return false;
    }
    if (!pivots.left(count)) return false;
    bool independent = true;
    for (const int row : entering.first(static_cast<std::size_t>(count))) {
      if (stop_requested(pivots.stop)) return false;
      ++pivots.done;
      independent = a.insert(row) && independent;
    }
    if (!independent) return false;
  }
  return false;
}

/// Moves p (>= 0 on unilateral rows) towards the solution for the current active rows and removes
/// the first row that would become negative, until none does: p_a = -W_aa^-1 b_a >= 0. Returns
/// false if `entered`, whose p is 0, is removed again immediately.
bool walk(ActiveSet& a, Out p, int entered, Pivots& pivots) {
  bool moved = true;
  a.solve_impulses();
  for (bool refined = false; pivots.left();) {
    // p <- p + alpha (p_a - p),  alpha = min over p_a,j < 0 of p_j/(p_j - p_a,j)
    double alpha = 1.0;
    int first = -1;
    for (int place = 0; place < a.size(); ++place) {
      if (!wants_out(a, place)) continue;
      const double p_j = p[a.row(place)], ratio = p_j / (p_j - a.impulse(place));
      if (first < 0 || ratio < alpha) alpha = ratio, first = place;
    }
    for (int place = 0; place < a.size(); ++place) {
      double& p_j = p[a.row(place)];
      p_j = first < 0 ? a.impulse(place) : p_j + alpha * (a.impulse(place) - p_j);
      if (p_j < 0.0 && !a.free(a.row(place))) p_j = 0.0;  // round-off
    }
    if (first < 0) {
      if (refined) break;
      a.solve_velocities();  // may refine p_a and so change a sign after all
      refined = true;
      continue;
    }
    if (a.row(first) == entered && alpha == 0.0) moved = false;
    p[a.row(first)] = 0.0;
    a.erase(first);
    ++pivots.done;
    a.solve_impulses();
    refined = false;
  }
  return moved;
}

/// Adds `row` although its column is W(:, a) c: along p_a - t c, p_row + t all u stay constant and
/// the energy falls, until the first p_j reaches 0 and that row is removed. Returns false if no p_j
/// does: the energy has no minimum and (1) no solution.
bool insert_dependent(ActiveSet& a, int row, Out p, Pivots& pivots) {
  do {
    const auto c = a.dependence(row);
    double t = std::numeric_limits<double>::infinity();
    int first = -1;
    for (int place = 0; place < a.size(); ++place) {
      const double c_j = c[static_cast<std::size_t>(place)];
      if (a.free(a.row(place)) || !(c_j > 0.0)) continue;
      const double ratio = p[a.row(place)] / c_j;
      if (ratio < t) t = ratio, first = place;
    }
    if (first < 0 || !pivots.left()) return false;
    for (int place = 0; place < a.size(); ++place) {
      const int j = a.row(place);
      p[j] -= c[static_cast<std::size_t>(place)] * t;
      if (!a.free(j) && p[j] < 0.0) p[j] = 0.0;
    }
    p[row] += t;
    p[a.row(first)] = 0.0;
    a.erase(first);
    ++pivots.done;
  } while (!a.insert(row));
  return true;
}

/// Exchanges one row at a time (Lawson, Hanson 1974, chapter 23). p stays >= 0 and the energy
/// 1/2 p^T W p + b^T p falls with every row that enters, so no set of rows occurs twice: this
/// terminates for every semidefinite W, whereas least-index pivoting (Murty 1974) does so only for
/// P-matrices.
void descend(ActiveSet& a, Out p, Pivots& pivots) {
  constexpr int kAgain = 1, kNever = 2;
  const std::span<int> barred = a.work();
  std::fill(barred.begin(), barred.end(), 0);
  a.write(p);
  for (int entered = -1; pivots.left();) {
    const bool moved = walk(a, p, entered, pivots);
    if (entered >= 0 && !moved) {
      barred[static_cast<std::size_t>(entered)] = kAgain;  // its u < 0 was round-off
    } else {
      for (int& bar : barred) bar &= ~kAgain;
    }
    double deepest = 0.0;
    entered = -1;
    for (int row = 0; row < p.size(); ++row) {
      if (barred[static_cast<std::size_t>(row)] != 0 || !wants_in(a, row)) continue;
      const double depth = a.depth(row);
      if (depth > deepest) deepest = depth, entered = row;
    }
    if (entered < 0) return;
    ++pivots.done;
    if (!a.insert(entered) && !insert_dependent(a, entered, p, pivots)) {
      barred[static_cast<std::size_t>(entered)] = kNever;
      entered = -1;
    }
  }
}

class PrincipalPivoting final : public ContactSolver {
 public:
  std::string_view name() const override { return "principal-pivoting"; }
  bool handles(LawKind kind) const override {
    return kind == LawKind::equality || kind == LawKind::unilateral;
  }
  bool needs_symmetric() const override { return true; }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    if (at_rest(problem, p)) {
      p.setZero();
      memory.active.clear();
      memory.factor.clear();
      memory.changes = 0;
      return {true, 0, 0.0};  // u = b >= 0: residual() would return exactly 0
    }
    Pivots pivots{0, limits.iterations, limits.stop};
    SolveReport report;
    {
      ActiveSet a(problem, memory, limits.stop);
      a.begin(p);
      report.residual = pivot(problem, a, p, pivots);
      if (report.residual > limits.tolerance && !limits.stopped()) {
        a.refactor();
        report.residual = pivot(problem, a, p, pivots);
      }
    }
    report.iterations = pivots.done;
    if (report.residual > limits.tolerance && problem.b.size() <= kLemkeRows && !limits.stopped()) {
      const SolveReport other = lemke_->solve(problem, limits, memory, p);
      report.residual = other.residual;  // residual of the better of the two, which is now in p
      report.iterations += other.iterations;
      ActiveSet(problem, memory, limits.stop).restart(p);
    }
    report.converged = report.residual <= limits.tolerance;
    return report;
  }

 private:
  static constexpr int kLemkeRows = 2000;  ///< 32 MB of tableau

  /// Checks the problem; returns true if p = 0 solves it, which can be decided without W.
  bool at_rest(const ContactProblem& problem, View p) const {
    const Eigen::Index n = problem.b.size();
    expects(problem.W.symmetric(), "principal-pivoting needs a symmetric W");
    expects(problem.W.rows() == n && p.size() == n && std::ssize(problem.ids) == n,
            "W, b, ids and p differ in size");
    bool rest = true;
    int next = 0;
    for (const Law& law : problem.laws) {
      expects(handles(law.kind), "principal-pivoting handles equality and unilateral rows only");
      expects(law.first == next && law.size > 0, "laws must cover the rows in order");
      next += law.size;
      rest = rest && law.kind == LawKind::unilateral;
    }
    expects(next == n, "laws must cover all rows");
    for (Eigen::Index i = 0; rest && i < n; ++i) rest = problem.b[i] >= 0.0;
    return rest;
  }

  static double pivot(const ContactProblem& problem, ActiveSet& a, Out p, Pivots& pivots) {
    if (exchange_blocks(a, pivots)) {
      a.write(p);
    } else {
      descend(a, p, pivots);
    }
    return residual(problem, p);
  }

  std::unique_ptr<ContactSolver> lemke_ = make_lemke();
};

}  // namespace

std::unique_ptr<ContactSolver> make_principal_pivoting() {
  return std::make_unique<PrincipalPivoting>();
}

}  // namespace saltus
