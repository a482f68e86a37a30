// A contact problem that owns its data, as files and generators make it.
#pragma once
#include <memory>
#include <vector>

#include "saltus/base/entry.h"
#include "saltus/contact/block_delassus.h"
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// The ContactProblem of data that live at least as long:  const auto view = data.view();
/// solver.solve(view, ...)
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

/// u = W p + b with its laws.
struct ContactProblemData {
  std::shared_ptr<const Delassus> W;  ///< [1/kg], never null in a problem that is complete
  Vector b;                           ///< [m/s]
  std::vector<Law> laws;              ///< rows in order and without holes
  std::vector<int> ids;               ///< one a row, increasing

  int rows() const { return static_cast<int>(b.size()); }
  ProblemView view() const& { return {*W, b, laws, ids}; }
  ProblemView view() const&& = delete;
};

/// W by the blocks of `laws` from its entries; those of one place are added. A block is there where
/// it or its mirror has an entry that is not zero, and on the diagonal. Throws UsageError for a
/// place outside.
BlockMatrix block_matrix(std::span<const Law> laws, std::span<const Entry> entries);

}  // namespace saltus
