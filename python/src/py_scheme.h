// Schemes written in Python, and the trials and states lent to them.
#pragma once
#include <memory>
#include <vector>

#include "py_dynamics.h"
#include "saltus/dynamics/scheme.h"

namespace saltus::python {

/// Moves a loan to `kept` if Python code still holds its array.
void keep(Loan& loan, std::vector<Loan>& kept);

/// A state of a group: lent for a call, or a separate one. Its arrays refer to the current vectors.
class StateView {
 public:
  GroupState* at = nullptr;
  bool writable = false;
  std::unique_ptr<GroupState> own{};

  GroupState& get() const {
    if (!at) throw UsageError("a state was lent for one call, which is over");
    return *at;
  }
  GroupState& to_write() const {
    if (!writable)
      throw UsageError(
          "this state is never modified: write the vectors of the trial, or the end state");
    return get();
  }
  py::object q() { return array(q_, get().q); }
  py::object v() { return array(v_, get().v); }
  py::list memory();
  void forget_memory() { memory_.clear(); }  ///< arrays still in use get a copy
  void refresh();                            ///< the engine may have swapped vectors
  void end(std::vector<Loan>& kept);  ///< of the loan: arrays still in use are moved to `kept`

 private:
  py::object array(Loan& loan, Vector& of) const {
    return py::reinterpret_borrow<py::object>(loan.over(of.data(), of.size(), writable));
  }
  Loan q_, v_;
  std::vector<Loan> memory_;
};

/// Result of prepare() of a scheme written in Python.
struct PythonPrepared final : Prepared {
  explicit PythonPrepared(py::object made) : object(made.release().ptr(), HeldObject{nullptr}) {
    std::get_deleter<HeldObject>(object)->object = object.get();
  }
  std::shared_ptr<PyObject> object;
};

/// Result of prepare() of a scheme of the engine, for Python.
struct PreparedView {
  std::shared_ptr<const Prepared> prepared;
  py::object maker;  ///< keeps the scheme alive
  const Scheme* scheme;
};

/// Work data of a step: lent for a call, or a separate one.
class TrialView {
 public:
  Trial* at = nullptr;
  std::shared_ptr<Trial> own{};
  std::unique_ptr<Prepared> own_prepared{};
  const Scheme* own_scheme = nullptr;  ///< the scheme that created it
  py::object own_scheme_object{};
  std::shared_ptr<StateView> start = std::make_shared<StateView>();
  std::shared_ptr<FactorView> A = std::make_shared<FactorView>(),
                              M = std::make_shared<FactorView>();
  std::unique_ptr<GroupState> own_start{};

  ~TrialView();
  Trial& get() const {
    if (!at) throw UsageError("a trial was lent for one step, which is over");
    return *at;
  }
  py::object vector(int which);
  void set_vector(int which, py::handle value);
  py::list work();
  void set_work(const py::object& values);
  void point(Trial& trial);
  void refresh();
  void end(std::vector<Loan>& kept);

 private:
  Loan vectors_[4];
  std::vector<Loan> work_;
};

/// Work terms of a step: lent for a call, or separate ones.
struct WorkView {
  StepWork* at = nullptr;
  std::vector<double> own_sources{};
  std::unique_ptr<StepWork> own{};
  Loan by_source{};
  StepWork& get() const {
    if (!at) throw UsageError("the work of a step was lent for one call, which is over");
    return *at;
  }
};

/// A scheme whose class is written in Python.
class PythonScheme : public Scheme, public Extended {
 public:
  PythonScheme();
  ~PythonScheme() override;
  const PythonSide& side() const { return side_; }
  void check() const override;

  std::string_view name() const override;
  unsigned needs() const override;
  unsigned refuses() const override;
  std::unique_ptr<Prepared> prepare(const Dynamics& body, double h) const override;
  void start(const Dynamics& body, const Prepared* prepared, double t, double h,
             GroupState& state) const override;
  void velocity(const Dynamics& body, const Prepared* prepared, double t, double h,
                const GroupState& state, Out v) const override;
  Energy energy(const Dynamics& body, const Prepared* prepared, double t, double h,
                const GroupState& state) const override;
  void begin(const Dynamics& body, Trial& trial) const override;
  void linearise(const Dynamics& body, Trial& trial) const override;
  double correct(const Dynamics& body, Trial& trial) const override;
  bool one_pass(const Dynamics& body) const override;
  bool free_motion(const Dynamics& body) const override;
  void finish(const Dynamics& body, Trial& trial, GroupState& end) const override;
  void place(const Dynamics& body, const Trial& trial, double fraction, Out q) const override;
  double axes_at() const override;
  bool axes_fixed() const override;
  std::span<const Stage> stages() const override;
  double velocity_at() const override;
  double gain() const override;
  void work_velocity(const Trial& trial, const GroupState& end, Out w) const override;
  void work(const Dynamics& body, Trial& trial, const GroupState& end,
            StepWork& work) const override;
  bool fixed_step() const override;
  PassLimits pass_limits() const override;
  double stability_limit(double xi) const override;

  struct Kit;

 private:
  class Lent;
  double number(int method) const;
  bool answer(int method, const Dynamics* body) const;

  PythonSide side_;
  /// objects of finished calls; protected by the GIL
  mutable std::vector<std::unique_ptr<Kit>> kits_;
  mutable std::string name_;
  mutable std::vector<Stage> stages_;
};

/// The Prepared of an engine scheme within the result of a Python prepare(); null if the scheme
/// prepares nothing. UsageError if it was not prepared.
const Prepared* prepared_of(const Scheme& scheme, py::handle object, const Dynamics& body,
                            double h);
py::object prepared_to_python(const Prepared* prepared);

/// UsageError if the size of a state does not match the body.
void fits(const Dynamics& body, const GroupState& state, const char* what);
/// Call before `scheme` (null: one written in Python) uses Trial::work.
void own_work(const Trial& trial, const Scheme* scheme);

const PythonSide* side_of(const Scheme& of);

void bind_trial(py::module_& m);         ///< Trial, GroupState, StepWork, Stage, PassLimits
void bind_scheme_tools(py::module_& m);  ///< functions shared by schemes of the engine

}  // namespace saltus::python
