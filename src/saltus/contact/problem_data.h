// A contact problem that owns its data, for files and generators.
#pragma once
#include <memory>
#include <vector>

#include "saltus/base/entry.h"
#include "saltus/contact/block_delassus.h"
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// ContactProblem of data that must outlive it:
///     const auto view = data.view();
///     solver.solve(view, ...)
class ProblemView {
 public:
  ProblemView(const Delassus& W, View b, std::span<const Law> laws, std::span<const int> ids)
      : b_(b), problem_{W, b_, laws, ids} {}
  ProblemView(const ProblemView&) = delete;
  ProblemView& operator=(const ProblemView&) = delete;

  operator const ContactProblem&() const& { return problem_; }
  operator const ContactProblem&() const&& = delete;  ///< would not outlive the statement
  const ContactProblem& operator*() const& { return problem_; }
  const ContactProblem& operator*() const&& = delete;
  const ContactProblem* operator->() const { return &problem_; }

 private:
  Eigen::Ref<const Vector> b_;
  ContactProblem problem_;
};

/// u = W p + b with the laws.
struct ContactProblemData {
  std::shared_ptr<const Delassus> W;  ///< [1/kg], never null in a complete problem
  Vector b;                           ///< [m/s]
  std::vector<Law> laws;              ///< rows in order and without holes
  std::vector<int> ids;               ///< one per row, increasing

  int rows() const { return static_cast<int>(b.size()); }
  ProblemView view() const& { return {*W, b, laws, ids}; }
  ProblemView view() const&& = delete;
};

/// W in the blocks of `laws` from its entries; entries at the same place are added. A block is
/// present if it or its mirror has a nonzero entry, and on the diagonal. Throws UsageError for a
/// place outside W.
BlockMatrix block_matrix(std::span<const Law> laws, std::span<const Entry> entries);

}  // namespace saltus
