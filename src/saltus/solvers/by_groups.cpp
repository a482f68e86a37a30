// Applies a solver separately to each group of coupled contacts.
#include <algorithm>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/contact/block_delassus.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/solver_around.h"
#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

/// Contacts belong to different groups if no chain of blocks W_cd couples them. Groups that p does
/// not solve yet are passed to `inner`, ordered by their first contacts; others keep their p.
class ByGroups final : public SolverAround {
 public:
  using SolverAround::SolverAround;

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    expects(problem.W.rows() == problem.b.size() && p.size() == problem.b.size(),
            "W, b and p differ in size");
    Work& work = memory.work.get<Work>();
    blocks_of(problem, work.all);
    if (find_groups(work) <= 1) return inner_->solve(problem, limits, work.memory, p);

    SolveReport report{false, 0, residual(problem, p)};
    work.p = p;
    for (std::size_t first = 0; first < work.order.size();) {
      const std::size_t begin = first;
      while (first < work.order.size() &&
             work.root[at(work.order[first])] == work.root[at(work.order[begin])])
        ++first;
      take(problem, work, std::span(work.order).subspan(begin, first - begin));
      const Vector& b = work.b;
      const ContactProblem group{work.W, b, work.laws, work.ids};
      if (residual(group, work.x) <= limits.tolerance) continue;
      const Limits rest{.tolerance = limits.tolerance,
                        .iterations = limits.iterations - report.iterations,
                        .stop = limits.stop};
      if (rest.iterations <= 0 || limits.stopped()) break;
      report.iterations += inner_->solve(group, rest, work.memory, work.x).iterations;
      for (std::size_t k = 0; k < work.rows.size(); ++k)
        work.p[work.rows[k]] = work.x[static_cast<Eigen::Index>(k)];
    }
    const double now = residual(problem, work.p);
    if (now < report.residual) {
      report.residual = now;
      p = work.p;
    }
    report.converged = report.residual <= limits.tolerance;
    return report;
  }

 private:
  struct Work final : SolverWork {
    BlockMatrix all;
    /// for each contact, the first one of its group; contacts by group
    std::vector<int> root, order;
    std::vector<int> place;  ///< position of each contact in its group
    SolverMemory memory;
    /// of one group, with its b, laws, ids, impulses and rows in the whole problem
    BlockDelassus W;
    Vector b, x, p;
    std::vector<Law> laws;
    std::vector<int> ids, rows;
  };

  /// Finds the groups and returns their number.
  static int find_groups(Work& work) {
    const int contacts = work.all.contacts();
    work.root.resize(at(contacts));
    std::iota(work.root.begin(), work.root.end(), 0);
    const auto find = [&](int c) {
      while (work.root[at(c)] != c) c = work.root[at(c)] = work.root[at(work.root[at(c)])];
      return c;
    };
    int groups = contacts;
    for (int c = 0; c < contacts; ++c)
      for (int k = work.all.offset[at(c)]; k < work.all.offset[at(c) + 1]; ++k) {
        const int a = find(c), b = find(work.all.column[at(k)]);
        if (a == b) continue;
        work.root[at(std::max(a, b))] = std::min(a, b);
        --groups;
      }
    for (int c = 0; c < contacts; ++c) work.root[at(c)] = find(c);
    work.order.resize(at(contacts));
    std::iota(work.order.begin(), work.order.end(), 0);
    std::stable_sort(work.order.begin(), work.order.end(),
                     [&](int c, int d) { return work.root[at(c)] < work.root[at(d)]; });
    work.place.resize(at(contacts));
    return groups;
  }

  /// Extracts the problem of the given contacts, in increasing order.
  static void take(const ContactProblem& problem, Work& work, std::span<const int> contacts) {
    BlockMatrix& W = work.W.W;
    W = BlockMatrix{};
    work.laws.clear();
    work.rows.clear();
    work.ids.clear();
    for (std::size_t k = 0; k < contacts.size(); ++k)
      work.place[at(contacts[k])] = static_cast<int>(k);
    for (const int c : contacts) {
      Law law = problem.laws[at(c)];
      for (int i = 0; i < law.size; ++i) {
        work.ids.push_back(static_cast<int>(work.rows.size()));
        work.rows.push_back(law.first + i);
      }
      for (int k = work.all.offset[at(c)]; k < work.all.offset[at(c) + 1]; ++k) {
        const int d = work.all.column[at(k)];
        const double* const block = work.all.block(k);
        W.column.push_back(work.place[at(d)]);
        W.start.push_back(W.value.size());
        W.value.insert(W.value.end(), block, block + law.size * work.all.size(d));
      }
      W.offset.push_back(static_cast<int>(W.column.size()));
      law.first = W.first.back();
      W.first.push_back(law.first + law.size);
      work.laws.push_back(law);
    }
    work.W.is_symmetric = problem.W.symmetric();
    work.W.index();
    const auto n = static_cast<Eigen::Index>(work.rows.size());
    work.b.resize(n);
    work.x.resize(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      work.b[k] = problem.b[work.rows[static_cast<std::size_t>(k)]];
      work.x[k] = work.p[work.rows[static_cast<std::size_t>(k)]];
    }
  }
};

}  // namespace

std::unique_ptr<ContactSolver> make_by_groups(std::unique_ptr<ContactSolver> inner) {
  return std::make_unique<ByGroups>(std::move(inner));
}

}  // namespace saltus
