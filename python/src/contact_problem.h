// Contact problems in Python: one that owns its data, or one of the engine that is lent for a call.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bind.h"
#include "saltus/contact/problem_data.h"

namespace saltus::python {

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// The object behind saltus.ContactProblem. A lent problem is valid until the end of its call;
/// later access throws, since its memory is gone.
class Problem {
 public:
  explicit Problem(std::shared_ptr<const ContactProblemData> data)
      : own_(std::move(data)), view_(std::in_place, *own_->W, own_->b, own_->laws, own_->ids) {}
  explicit Problem(const ContactProblem& lent) : lent_(&lent) {}
  virtual ~Problem() = default;

  void end() { lent_ = nullptr; }
  bool lent() const { return !own_; }
  bool over() const { return !own_ && lent_ == nullptr; }
  /// UsageError after the call.
  const ContactProblem& get() const;
  int rows() const { return static_cast<int>(get().b.size()); }
  const std::shared_ptr<const ContactProblemData>& data() const { return own_; }

 private:
  std::shared_ptr<const ContactProblemData> own_;
  std::optional<ProblemView> view_;
  const ContactProblem* lent_ = nullptr;
};

/// Lends a problem of the engine for one call: const ProblemLoan loan(problem); f(loan.object());
/// Needs the GIL.
class ProblemLoan {
 public:
  explicit ProblemLoan(const ContactProblem& problem)
      : problem_(std::make_shared<Problem>(problem)), object_(py::cast(problem_)) {}
  ProblemLoan(const ProblemLoan&) = delete;
  ProblemLoan& operator=(const ProblemLoan&) = delete;
  ~ProblemLoan() { problem_->end(); }
  const py::object& object() const { return object_; }

 private:
  std::shared_ptr<Problem> problem_;
  py::object object_;
};

/// One number per row of the problem; UsageError if the size is different, or if a number must be
/// finite and is not.
Eigen::Map<const Vector> rows_of(const Doubles& x, Eigen::Index rows, const char* name,
                                 bool finite = true);

std::string_view name_of(LawKind kind);
/// UsageError with the available names.
LawKind law_kind(const std::string& name);

/// The name of a report as a view that stays valid until the end of the process.
std::string_view lasting(std::string_view name);

void bind_problem(py::module_& m);  ///< Law, Delassus, ContactProblem, ContactMeasures
void bind_fclib(py::module_& m);    ///< FclibProblem, read_fclib, write_fclib

}  // namespace saltus::python
