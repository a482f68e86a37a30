#include "py_scheme.h"

#include <array>

#include "py_operator.h"

namespace saltus::python {
namespace {

enum Method {
  kName,
  kNeeds,
  kRefuses,
  kPrepare,
  kStart,
  kVelocity,
  kEnergy,
  kBegin,
  kLinearise,
  kCorrect,
  kOnePass,
  kFreeMotion,
  kFinish,
  kPlace,
  kAxesAt,
  kAxesFixed,
  kStages,
  kVelocityAt,
  kGain,
  kWorkVelocity,
  kWork,
  kFixedStep,
  kPassLimits,
  kStabilityLimit
};
constexpr std::array kNames{
    "name",   "needs",         "refuses",   "prepare",    "start",       "velocity",
    "energy", "begin",         "linearise", "correct",    "one_pass",    "free_motion",
    "finish", "place",         "axes_at",   "axes_fixed", "stages",      "velocity_at",
    "gain",   "work_velocity", "work",      "fixed_step", "pass_limits", "stability_limit"};
static_assert(kNames.size() == kStabilityLimit + 1);

MethodTable& table_of_schemes() {
  static auto* const table = new MethodTable{typeid(Scheme), kNames};
  return *table;
}

}  // namespace

/// Objects passed to a call; reused unless Python code has kept one.
struct PythonScheme::Kit {
  std::shared_ptr<BorrowedBody> body = std::make_shared<BorrowedBody>();
  std::shared_ptr<TrialView> trial = std::make_shared<TrialView>();
  std::shared_ptr<StateView> state = std::make_shared<StateView>();
  std::shared_ptr<WorkView> work = std::make_shared<WorkView>();
  py::object body_ = py::cast(std::static_pointer_cast<Dynamics>(body)), trial_ = py::cast(trial),
             state_ = py::cast(state), work_ = py::cast(work);
};

/// A kit for one call. Ends all loans; done() reports arrays that were kept.
class PythonScheme::Lent {
 public:
  Lent(const PythonScheme& of, int method) : of_(of), method_(method) {
    if (of.kits_.empty()) {
      kit_ = std::make_unique<Kit>();
    } else {
      kit_ = std::move(of.kits_.back());
      of.kits_.pop_back();
    }
  }
  ~Lent() {
    if (!open_) return;
    std::vector<Loan> kept;
    close(kept);
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  PyObject* body(const Dynamics& body) {
    kit_->body->at = &body;
    return kit_->body_.ptr();
  }
  PyObject* trial(Trial& trial) {
    kit_->trial->point(trial);
    return kit_->trial_.ptr();
  }
  PyObject* state(const GroupState& state, bool writable) {
    kit_->state->at = const_cast<GroupState*>(&state);
    kit_->state->writable = writable;
    return kit_->state_.ptr();
  }
  PyObject* work(StepWork& work) {
    kit_->work->at = &work;
    return kit_->work_.ptr();
  }
  void done() {
    std::vector<Loan> kept;
    close(kept);
    if (kept.empty()) [[likely]]
      return;
    py::module_::import("gc").attr("collect")();
    for (const Loan& loan : kept)
      if (loan.kept())
        throw UsageError(of_.side_.name_of(method_) +
                         " kept a vector of its trial or state, which is only lent for the call: "
                         "keep a copy, x.v.copy()");
  }

 private:
  void close(std::vector<Loan>& kept) {
    open_ = false;
    Kit& kit = *kit_;
    kit.trial->end(kept);
    kit.state->end(kept);
    kit.body->at = nullptr;
    kit.state->at = nullptr;
    kit.work->at = nullptr;
    keep(kit.work->by_source, kept);
    bool alone = true;
    for (const py::object* one : {&kit.body_, &kit.trial_, &kit.state_, &kit.work_})
      alone = alone && one->ref_count() == 1;
    alone = alone && kit.trial->start.use_count() <= 2;
    if (alone && of_.kits_.size() < 8) of_.kits_.push_back(std::move(kit_));
    kit_.reset();
  }

  const PythonScheme& of_;
  int method_;
  bool open_ = true;
  std::unique_ptr<Kit> kit_;
};

// -- results of prepare()

py::object prepared_to_python(const Prepared* prepared) {
  if (!prepared) return py::none();
  const auto* made = dynamic_cast<const PythonPrepared*>(prepared);
  return made ? py::reinterpret_borrow<py::object>(made->object.get()) : py::none();
}

const Prepared* prepared_of(const Scheme& scheme, py::handle object, const Dynamics& body,
                            double h) {
  const auto own = [&](py::handle one) -> const Prepared* {
    if (!py::isinstance<PreparedView>(one)) return nullptr;
    const auto& view = one.cast<const PreparedView&>();
    return view.scheme == &scheme ? view.prepared.get() : nullptr;
  };
  if (object && !object.is_none()) {
    if (const Prepared* found = own(object)) return found;
    py::object several;
    if (py::isinstance<py::dict>(object))
      several = object.attr("values")();
    else if (py::isinstance<py::tuple>(object) || py::isinstance<py::list>(object))
      several = py::reinterpret_borrow<py::object>(object);
    else if (py::hasattr(object, "__dict__"))
      several = object.attr("__dict__").attr("values")();
    if (several)
      for (const py::handle one : several)
        if (const Prepared* found = own(one)) return found;
  }
  if (scheme.prepare(body, h) != nullptr)
    throw UsageError("scheme '" + std::string(scheme.name()) +
                     "' was not prepared: return the result of its prepare(body, h) from your own "
                     "prepare, alone or in a tuple or dict");
  return nullptr;
}

const PythonSide* side_of(const Scheme& of) {
  const auto* made = dynamic_cast<const PythonScheme*>(&of);
  return made ? &made->side() : nullptr;
}

// -- the scheme

PythonScheme::PythonScheme() : side_(table_of_schemes(), static_cast<const Scheme*>(this)) {}
PythonScheme::~PythonScheme() = default;

void PythonScheme::check() const {
  std::string lacks;
  for (const auto& [method, signature] :
       {std::pair{kBegin, "begin(body, x)"}, std::pair{kLinearise, "linearise(body, x)"},
        std::pair{kCorrect, "correct(body, x)"}, std::pair{kOnePass, "one_pass(body)"},
        std::pair{kFinish, "finish(body, x, end)"}, std::pair{kGain, "gain()"},
        std::pair{kWork, "work(body, x, end, work)"}})
    if (!side_.has(method)) lacks += (lacks.empty() ? "" : ", ") + std::string(signature);
  if (!lacks.empty())
    throw UsageError("class " + side_.class_name() + " is not complete: it has no " + lacks);
}

double PythonScheme::number(int method) const {
  const Gil gil;
  const py::object result = side_.call(method, {});
  if (!py::isinstance<py::float_>(result) && !py::isinstance<py::int_>(result) &&
      !py::hasattr(result, "__float__"))
    throw UsageError("what " + side_.name_of(method) + " returned has " + shape_text(result) +
                     ", a number is expected");
  return py::float_(result);
}

bool PythonScheme::answer(int method, const Dynamics* body) const {
  const Gil gil;
  if (!body) return py::bool_(side_.call(method, {}));
  Lent lent(*this, method);
  const bool yes = py::bool_(side_.call(method, {lent.body(*body)}));
  lent.done();
  return yes;
}

std::string_view PythonScheme::name() const {
  if (!side_.overridden(kName)) return side_.class_name();
  const Gil gil;
  if (name_.empty()) {
    std::string given = side_.ask<std::string>(kName, {}, "a str");
    if (name_.empty()) name_ = std::move(given);  // another thread may have run during the call
  }
  return name_;
}

unsigned PythonScheme::needs() const {
  return side_.overridden(kNeeds) ? static_cast<unsigned>(number(kNeeds)) : 0;
}
unsigned PythonScheme::refuses() const {
  return side_.overridden(kRefuses) ? static_cast<unsigned>(number(kRefuses)) : Scheme::refuses();
}

std::unique_ptr<Prepared> PythonScheme::prepare(const Dynamics& body, double h) const {
  if (!side_.overridden(kPrepare)) return Scheme::prepare(body, h);
  const Gil gil;
  Lent lent(*this, kPrepare);
  const py::float_ step(h);
  py::object made = side_.call(kPrepare, {lent.body(body), step.ptr()});
  lent.done();
  if (made.is_none()) return nullptr;
  return std::make_unique<PythonPrepared>(std::move(made));
}

void PythonScheme::start(const Dynamics& body, const Prepared* prepared, double t, double h,
                         GroupState& state) const {
  if (!side_.overridden(kStart)) return Scheme::start(body, prepared, t, h, state);
  const Gil gil;
  Lent lent(*this, kStart);
  const py::float_ time(t), step(h);
  side_.call(kStart, {lent.body(body), prepared_to_python(prepared).ptr(), time.ptr(), step.ptr(),
                      lent.state(state, true)});
  lent.done();
}

void PythonScheme::velocity(const Dynamics& body, const Prepared* prepared, double t, double h,
                            const GroupState& state, Out v) const {
  if (!side_.overridden(kVelocity)) return Scheme::velocity(body, prepared, t, h, state, v);
  const Gil gil;
  Lent lent(*this, kVelocity);
  const py::float_ time(t), step(h);
  mark(v.data(), v.size());
  Loan out(v.data(), v.size(), true);
  side_.written(
      kVelocity,
      side_.call(kVelocity, {lent.body(body), prepared_to_python(prepared).ptr(), time.ptr(),
                             step.ptr(), lent.state(state, false), out.get()}),
      out.get(), v, "v");
  lent.done();
  side_.returned(kVelocity, {{&out, "v"}});
}

Energy PythonScheme::energy(const Dynamics& body, const Prepared* prepared, double t, double h,
                            const GroupState& state) const {
  if (!side_.overridden(kEnergy)) return Scheme::energy(body, prepared, t, h, state);
  const Gil gil;
  Lent lent(*this, kEnergy);
  const py::float_ time(t), step(h);
  const Energy found =
      energy_of(side_.call(kEnergy, {lent.body(body), prepared_to_python(prepared).ptr(),
                                     time.ptr(), step.ptr(), lent.state(state, false)}),
                side_.name_of(kEnergy));
  lent.done();
  return found;
}

void PythonScheme::begin(const Dynamics& body, Trial& trial) const {
  if (!side_.overridden(kBegin)) side_.missing(kBegin, "(body, x)");
  const Gil gil;
  Lent lent(*this, kBegin);
  side_.call(kBegin, {lent.body(body), lent.trial(trial)});
  lent.done();
}

void PythonScheme::linearise(const Dynamics& body, Trial& trial) const {
  if (!side_.overridden(kLinearise)) side_.missing(kLinearise, "(body, x)");
  const Gil gil;
  Lent lent(*this, kLinearise);
  side_.call(kLinearise, {lent.body(body), lent.trial(trial)});
  lent.done();
}

double PythonScheme::correct(const Dynamics& body, Trial& trial) const {
  if (!side_.overridden(kCorrect)) side_.missing(kCorrect, "(body, x)");
  const Gil gil;
  Lent lent(*this, kCorrect);
  const double outstanding = [&] {
    const py::object result = side_.call(kCorrect, {lent.body(body), lent.trial(trial)});
    if (!py::hasattr(result, "__float__"))
      throw UsageError("what " + side_.name_of(kCorrect) + " returned has " + shape_text(result) +
                       ": return the remaining velocity change, 0.0 if one iteration is exact");
    return static_cast<double>(py::float_(result));
  }();
  lent.done();
  return outstanding;
}

bool PythonScheme::one_pass(const Dynamics& body) const {
  if (!side_.overridden(kOnePass)) side_.missing(kOnePass, "(body)");
  return answer(kOnePass, &body);
}
bool PythonScheme::free_motion(const Dynamics& body) const {
  return side_.overridden(kFreeMotion) ? answer(kFreeMotion, &body) : Scheme::free_motion(body);
}

void PythonScheme::finish(const Dynamics& body, Trial& trial, GroupState& end) const {
  if (!side_.overridden(kFinish)) side_.missing(kFinish, "(body, x, end)");
  const Gil gil;
  Lent lent(*this, kFinish);
  side_.call(kFinish, {lent.body(body), lent.trial(trial), lent.state(end, true)});
  lent.done();
}

void PythonScheme::place(const Dynamics& body, const Trial& trial, double fraction, Out q) const {
  if (!side_.overridden(kPlace)) return Scheme::place(body, trial, fraction, q);
  const Gil gil;
  Lent lent(*this, kPlace);
  const py::float_ at(fraction);
  mark(q.data(), q.size());
  Loan out(q.data(), q.size(), true);
  side_.written(kPlace,
                side_.call(kPlace, {lent.body(body), lent.trial(const_cast<Trial&>(trial)),
                                    at.ptr(), out.get()}),
                out.get(), q, "q");
  lent.done();
  side_.returned(kPlace, {{&out, "q"}});
}

double PythonScheme::axes_at() const {
  return side_.overridden(kAxesAt) ? number(kAxesAt) : Scheme::axes_at();
}
bool PythonScheme::axes_fixed() const {
  return side_.overridden(kAxesFixed) ? answer(kAxesFixed, nullptr) : Scheme::axes_fixed();
}

std::span<const Stage> PythonScheme::stages() const {
  if (!side_.overridden(kStages)) return Scheme::stages();
  if (stages_.empty()) {
    const Gil gil;
    std::vector<Stage> made;
    for (const py::handle stage : side_.call(kStages, {}))
      made.push_back(side_.as<Stage>(kStages, stage, "a list of Stage"));
    if (made.empty()) throw UsageError(side_.name_of(kStages) + " returned no stage");
    stages_ = std::move(made);
  }
  return stages_;
}

double PythonScheme::velocity_at() const {
  return side_.overridden(kVelocityAt) ? number(kVelocityAt) : Scheme::velocity_at();
}
double PythonScheme::gain() const {
  if (!side_.overridden(kGain)) side_.missing(kGain, "()");
  return number(kGain);
}

void PythonScheme::work_velocity(const Trial& trial, const GroupState& end, Out w) const {
  if (!side_.overridden(kWorkVelocity)) return Scheme::work_velocity(trial, end, w);
  const Gil gil;
  Lent lent(*this, kWorkVelocity);
  mark(w.data(), w.size());
  Loan out(w.data(), w.size(), true);
  side_.written(kWorkVelocity,
                side_.call(kWorkVelocity, {lent.trial(const_cast<Trial&>(trial)),
                                           lent.state(end, false), out.get()}),
                out.get(), w, "w");
  lent.done();
  side_.returned(kWorkVelocity, {{&out, "w"}});
}

void PythonScheme::work(const Dynamics& body, Trial& trial, const GroupState& end,
                        StepWork& work) const {
  if (!side_.overridden(kWork)) side_.missing(kWork, "(body, x, end, work)");
  const Gil gil;
  std::fill(work.by_source.begin(), work.by_source.end(), 0.0);
  mark(&work.energy.kinetic, 1);
  Lent lent(*this, kWork);
  side_.call(kWork, {lent.body(body), lent.trial(trial), lent.state(end, false), lent.work(work)});
  lent.done();
  if (first_marked(&work.energy.kinetic, 1) == 0)
    throw UsageError(side_.name_of(kWork) +
                     " left work.energy unwritten: set it to the energy of the end state");
}

bool PythonScheme::fixed_step() const {
  return side_.overridden(kFixedStep) ? answer(kFixedStep, nullptr) : Scheme::fixed_step();
}
PassLimits PythonScheme::pass_limits() const {
  if (!side_.overridden(kPassLimits)) return Scheme::pass_limits();
  const Gil gil;
  return side_.ask<PassLimits>(kPassLimits, {}, "a PassLimits");
}
double PythonScheme::stability_limit(double xi) const {
  if (!side_.overridden(kStabilityLimit)) return Scheme::stability_limit(xi);
  const Gil gil;
  const py::float_ ratio(xi);
  return side_.ask<double>(kStabilityLimit, {ratio.ptr()}, "a float");
}

}  // namespace saltus::python
