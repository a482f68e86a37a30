#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/contact/block_delassus.h"
#include "saltus/contact/body_blocks.h"
#include "saltus/contact/cone.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/local_coulomb.h"
#include "saltus/solvers/local_rolling.h"
#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

/// u += sum_k W_cd p_d, d = column[k], for contacts that all have size S. Every entry of the block
/// has its own sum: short chains of additions, and registers that contain two of them.
template <int S>
void add_blocks(const BlockMatrix& W, int begin, int end, const double* p, double* u) {
  double sum[S * S] = {};
  for (int k = begin; k < end; ++k) {
    const double* const block = W.block(k);
    const double* const p_d = p + S * W.column[at(k)];
    for (int i = 0; i < S; ++i)
      for (int j = 0; j < S; ++j) sum[S * i + j] += block[S * i + j] * p_d[j];
  }
  for (int i = 0; i < S; ++i)
    for (int j = 0; j < S; ++j) u[i] += sum[S * i + j];
}

/// The same sum for contacts of any size, rows first .. last - 1 of the blocks.
void add_blocks(const BlockMatrix& W, int begin, int end, int first, int last, const double* p,
                double* u) {
  for (int k = begin; k < end; ++k) {
    const int d = W.column[at(k)], width = W.size(d);
    const double* const block = W.block(k);
    const double* const p_d = p + W.first[at(d)];
    for (int i = first; i < last; ++i)
      for (int j = 0; j < width; ++j) u[i - first] += block[i * width + j] * p_d[j];
  }
}

/// Contacts with one row: four partial sums, each over every fourth entry.
double row_product(const BlockMatrix& W, int c, const double* p) {
  const int begin = W.offset[at(c)], end = W.offset[at(c) + 1];
  double sum[4] = {};
  int k = begin;
  for (; k + 4 <= end; k += 4)
    for (int slot = 0; slot < 4; ++slot)
      sum[slot] += *W.block(k + slot) * p[W.column[at(k + slot)]];
  for (; k < end; ++k) sum[0] += *W.block(k) * p[W.column[at(k)]];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// The change made by a sweep.
struct Change {
  double moved2 = 0.0, size2 = 0.0;
  void add(double before, double after) {
    moved2 += (after - before) * (after - before);
    size2 += after * after;
  }
};

/// Data of the sweeps for one problem.
struct Sweeps final : SolverWork {
  BlockMatrix own;  ///< used if W is not stored as blocks
  std::vector<int> touch;
  const BlockMatrix* W = nullptr;
  std::vector<int> diagonal;  ///< index of the diagonal block of each contact
  std::vector<CoulombContact> coulomb;
  Vector best;
  int uniform = 0;  ///< size of all contacts, 0 if they differ

  void set(const ContactProblem& problem, Out p) {
    const auto laws = problem.laws;
    W = problem.W.blocks();
    if (W == nullptr) {
      if (const BodyRows* const H = problem.W.bodies())
        blocks_of_bodies(*H, own, touch);
      else
        blocks_of(problem, own);
      W = &own;
    }
    expects(W->contacts() == std::ssize(laws), "the contacts of W must match the laws");
    uniform = laws.empty() ? 0 : laws.front().size;
    diagonal.resize(laws.size());
    coulomb.resize(laws.size());
    for (int c = 0; c < W->contacts(); ++c) {
      const Law& law = laws[at(c)];
      expects(law.first == W->first[at(c)] && law.size == W->size(c),
              "the contacts of W must match the laws");
      if (law.size != uniform) uniform = 0;
      diagonal[at(c)] = W->find(c, c);
      expects(diagonal[at(c)] >= 0, "W must have the diagonal block of every contact");
      const double* const W_cc = W->block(diagonal[at(c)]);
      if (law.kind == LawKind::coulomb) {
        expects(law.size <= 3, "a coulomb contact has 1 to 3 rows");
        if (W_cc[0] > 0.0) coulomb[at(c)].set(law.size, W_cc);
      } else if (law.kind == LawKind::rolling) {
        expects(law.size >= 3 && law.size <= kContactRows, "a rolling contact has 3 to 6 rows");
      } else {
        const Cone K(law);
        for (int i = law.first; i < law.first + law.size; ++i) p[i] = K.project(p[i]);
      }
    }
  }

  /// Solves contact c with the p of the other contacts fixed.
  void solve(int c, const Law& law, const double* b, double* p, Change& change) const {
    const double* const W_cc = W->block(diagonal[at(c)]);
    double* const p_c = p + law.first;
    if (law.coupled()) {
      if (!(W_cc[0] > 0.0)) return;
      double u[kContactRows], next[kContactRows];  // u_c without the contribution of p_c
      velocity(c, law, b, p, u);
      if (law.kind == LawKind::coulomb)
        coulomb[at(c)].solve(u, law.friction, next);
      else
        solve_rolling(law.size, W_cc, u, law.friction, law.rolling, law.spinning, next);
      for (int i = 0; i < law.forces(); ++i) change.add(p_c[i], next[i]);
      std::copy_n(next, law.size, p_c);
      return;
    }
    const Cone K(law);
    for (int i = 0; i < law.size; ++i) {
      const double W_ii = W_cc[i * law.size + i];
      if (!(W_ii > 0.0)) continue;
      double u = b[law.first + i];
      if (uniform == 1)
        u += row_product(*W, c, p);
      else
        add_blocks(*W, W->offset[at(c)], W->offset[at(c) + 1], i, i + 1, p, &u);
      const double next = K.project(p_c[i] - u / W_ii);
      change.add(p_c[i], next);
      p_c[i] = next;
    }
  }

 private:
  void velocity(int c, const Law& law, const double* b, const double* p, double* u) const {
    std::copy_n(b + law.first, law.size, u);
    const int own_block = diagonal[at(c)];
    const auto add = [&](int begin, int end) {
      if (uniform == 3)
        add_blocks<3>(*W, begin, end, p, u);
      else if (uniform == 2)
        add_blocks<2>(*W, begin, end, p, u);
      else
        add_blocks(*W, begin, end, 0, law.size, p, u);
    };
    add(W->offset[at(c)], own_block);
    add(own_block + 1, W->offset[at(c) + 1]);
  }
};

/// Gauss-Seidel over the contacts in fixed order c = 0, 1, ..., each solved exactly with the p of
/// the others fixed:
///     u_c = W_cc p_c + (b_c + sum_{d != c} W_cd p_d),   law_c(u_c, p_c)
/// (local_coulomb.h, local_rolling.h; rows of other laws one by one,
/// p_i <- Proj_K(p_i - u_i/W_ii)). Rows and contacts with W_ii <= 0 keep p: no impulse changes
/// their velocity.
class GaussSeidel final : public ContactSolver {
 public:
  std::string_view name() const override { return "gauss-seidel"; }
  bool handles(LawKind) const override { return true; }
  bool needs_symmetric() const override { return false; }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    const Eigen::Index n = problem.b.size();
    expects(problem.W.rows() == n && p.size() == n, "W, b and p differ in size");
    Sweeps& sweeps = memory.work.get<Sweeps>();
    sweeps.set(problem, p);

    SolveReport report{false, 0, residual(problem, p)};
    sweeps.best = p;
    // The residual is checked every ten sweeps, and once earlier, when sweeps hardly change p.
    bool moving = true, patient = false;
    while (!(report.residual <= limits.tolerance) && moving &&
           report.iterations < limits.iterations && !limits.stopped()) {
      bool calm = false;
      for (int k = 0; k < kSweeps && moving && report.iterations < limits.iterations; ++k) {
        Change change;
        for (int c = 0; c < std::ssize(problem.laws) && !limits.stopped(); ++c)
          sweeps.solve(c, problem.laws[at(c)], problem.b.data(), p.data(), change);
        if (limits.stopped()) break;
        ++report.iterations;
        moving = change.moved2 != 0.0;
        calm = change.moved2 <= limits.tolerance * limits.tolerance * change.size2;
        if (calm && !patient) break;
      }
      patient = patient || calm;
      const double now = residual(problem, p);
      if (!(now < report.residual)) continue;
      report.residual = now;
      sweeps.best = p;
    }
    p = sweeps.best;
    report.converged = report.residual <= limits.tolerance;
    return report;
  }

 private:
  static constexpr int kSweeps = 10;  ///< sweeps between two residuals
};

}  // namespace

std::unique_ptr<ContactSolver> make_gauss_seidel() { return std::make_unique<GaussSeidel>(); }

}  // namespace saltus
