#include "saltus/solvers/few_contacts.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/index_internal.h"
#include "saltus/contact/block_delassus.h"
#include "saltus/contact/cone.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/local_coulomb.h"

namespace saltus {
namespace {

constexpr int kContacts = 32, kFewRows = 96;
constexpr int kSweepsOfFew = 20;  ///< sweeps that are cheaper than Newton's method
constexpr int kSharedFew = 2;     ///< preceding Jacobi sweeps

/// u_c = b_c + sum_{d != c} W_cd p_d and W_cc, from either form of W.
class Rows {
 public:
  explicit Rows(const ContactProblem& problem)
      : problem_(problem), blocks_(problem.W.blocks()), dense_(problem.W.dense()) {}

  void read(int c, const double* p, double* u, double* W) const {
    const Law& law = problem_.laws[at(c)];
    for (int i = 0; i < law.size; ++i) u[i] = problem_.b[law.first + i];
    if (!blocks_) {
      const Matrix& D = *dense_;
      const int n = static_cast<int>(D.rows());
      for (int j = 0; j < n; ++j) {
        if (j == law.first) j += law.size;
        if (j >= n) break;
        if (p[j] != 0.0)
          for (int i = 0; i < law.size; ++i) u[i] += D(law.first + i, j) * p[j];
      }
      for (int i = 0; i < law.size; ++i)
        for (int j = 0; j < law.size; ++j) W[i * law.size + j] = D(law.first + i, law.first + j);
      return;
    }
    for (int k = blocks_->offset[at(c)]; k < blocks_->offset[at(c) + 1]; ++k) {
      const int d = blocks_->column[at(k)], size = blocks_->size(d);
      const double* const block = blocks_->block(k);
      if (d == c) {
        std::copy_n(block, size * size, W);
        continue;
      }
      const double* const p_d = p + blocks_->first[at(d)];
      for (int i = 0; i < law.size; ++i)
        for (int j = 0; j < size; ++j) u[i] += block[i * size + j] * p_d[j];
    }
  }

 private:
  const ContactProblem& problem_;
  const BlockMatrix* blocks_;
  const Matrix* dense_;
};

/// Solves the rows of a law without friction one after the other:
///     p_i <- Proj_K(-(u_i + sum_{j != i} W_ij p_j)/W_ii)
void solve_few_rows(const Law& law, const double* W, const double* u, double* p) {
  const Cone K(law);
  for (int i = 0; i < law.size; ++i) {
    double u_i = u[i];
    for (int j = 0; j < law.size; ++j)
      if (j != i) u_i += W[i * law.size + j] * p[j];
    const double W_ii = W[i * law.size + i];
    if (W_ii > 0.0) p[i] = K.project(-u_i / W_ii);
  }
}

/// Solves contact c with the impulses of all others fixed.
void solve_one(const Rows& rows, const ContactProblem& problem, int c, const double* p, double* W,
               double* next) {
  const Law& law = problem.laws[at(c)];
  double u[3];
  rows.read(c, p, u, W);
  std::copy_n(p + law.first, law.size, next);
  if (law.kind != LawKind::coulomb)
    solve_few_rows(law, W, u, next);
  else if (W[0] > 0.0)
    solve_coulomb(law.size, W, u, law.friction, next);
}

/// One sweep. Returns the largest change of velocity, sqrt(W_cc) |change of p_c|, relative to the
/// largest sqrt(W_cc) |p_c|.
double sweep(const Rows& rows, const ContactProblem& problem, double* p) {
  double change = 0.0, scale = 0.0;
  for (int c = 0; c < std::ssize(problem.laws); ++c) {
    const Law& law = problem.laws[at(c)];
    double W[9], next[3];
    double* const p_c = p + law.first;
    solve_one(rows, problem, c, p, W, next);
    for (int i = 0; i < law.size; ++i) {
      const double W_ii = W[i * law.size + i];
      change = std::max(change, W_ii * (next[i] - p_c[i]) * (next[i] - p_c[i]));
      scale = std::max(scale, W_ii * next[i] * next[i]);
      p_c[i] = next[i];
    }
  }
  return scale > 0.0 ? std::sqrt(change / scale) : 0.0;
}

}  // namespace

bool are_few(const ContactProblem& problem) {
  if (std::ssize(problem.laws) > kContacts || problem.b.size() > kFewRows) return false;
  if (!problem.W.blocks() && !problem.W.dense()) return false;
  for (const Law& law : problem.laws)
    if (law.kind == LawKind::rolling || law.size > 3) return false;
  return true;
}

// kSharedFew Jacobi sweeps over the contacts with friction:
//     p_c <- p_c + (solution of c alone - p_c)/n
// Rows without friction, which apply the loads (motors, limits), are solved one after the other.
void share_load(const ContactProblem& problem, Out p) {
  const Rows rows(problem);
  double W[9], next[3], data[kFewRows];
  const int contacts = static_cast<int>(problem.laws.size());
  int closing = 0, rubbing = 0;
  for (int c = 0; c < contacts; ++c) {
    const Law& law = problem.laws[at(c)];
    if (law.kind != LawKind::coulomb) continue;
    ++rubbing;
    if (p[law.first] != 0.0) continue;
    rows.read(c, p.data(), next, W);
    closing += next[0] < 0.0;
  }
  if (closing < 2) return;
  for (int k = 0; k < kSharedFew; ++k) {
    for (int c = 0; c < contacts; ++c) {
      const Law& law = problem.laws[at(c)];
      if (law.kind == LawKind::coulomb) continue;
      solve_one(rows, problem, c, p.data(), W, next);
      std::copy_n(next, law.size, p.data() + law.first);
    }
    std::copy_n(p.data(), p.size(), data);
    for (int c = 0; c < contacts; ++c) {
      const Law& law = problem.laws[at(c)];
      if (law.kind != LawKind::coulomb) continue;
      solve_one(rows, problem, c, data, W, next);
      for (int i = 0; i < law.size; ++i) {
        const double before = data[law.first + i];
        p[law.first + i] = before + (next[i] - before) / rubbing;
      }
    }
  }
}

SolveReport solve_few(const ContactProblem& problem, Limits limits, Out p) {
  double data[kFewRows];
  const auto n = p.size();
  std::copy_n(p.data(), n, data);
  const Rows rows(problem);
  const bool one = problem.laws.size() == 1;
  double before = HUGE_VAL;
  SolveReport report;
  while (report.iterations < std::min(kSweepsOfFew, limits.iterations)) {
    const double change = sweep(rows, problem, data);
    ++report.iterations;
    if (one || change <= 0.3 * limits.tolerance) break;
    const double rate = change / before;  // of the last two sweeps, extrapolated below
    if (report.iterations > 2 &&
        !(change * std::pow(rate, kSweepsOfFew - report.iterations) <= limits.tolerance))
      break;
    before = change;
  }
  const Eigen::Map<const Vector> found(data, n);
  report.residual = residual(problem, found);
  report.converged = report.residual <= limits.tolerance;
  if (report.converged)
    p = found;
  else
    report.residual = residual(problem, p);
  return report;
}

}  // namespace saltus
