// Scheme: schemes of the engine called from Python, and schemes written in Python.
#include <pybind11/stl.h>

#include "py_scheme.h"
#include "saltus/model/group_facts.h"

namespace saltus::python {
namespace {

/// A trial passed to a scheme of the engine by a call from Python: sets the result of its
/// prepare(), and refreshes the views of the vectors afterwards.
class Handed {
 public:
  Handed(const Scheme& scheme, const Dynamics& body, TrialView& view)
      : view_(view), before_(view.get().prepared) {
    Trial& trial = view.get();
    if (trial.q.size() != body.positions() || trial.v.size() != body.velocities())
      throw UsageError("the trial is of another body");
    if (side_of(scheme)) return;
    own_work(trial, &scheme);
    if (view.own_scheme == &scheme) return;
    const bool python = dynamic_cast<const PythonPrepared*>(before_) != nullptr;
    trial.prepared =
        prepared_of(scheme, python ? prepared_to_python(before_) : py::none(), body, trial.h);
  }
  ~Handed() {
    view_.get().prepared = before_;
    view_.refresh();
  }
  Handed(const Handed&) = delete;
  Handed& operator=(const Handed&) = delete;
  Trial& operator*() const { return view_.get(); }

 private:
  TrialView& view_;
  const Prepared* before_;
};

/// The body itself, after checking the properties that a scheme of the engine assumes.
const Dynamics& body_of(const Scheme& scheme, const Dynamics& lent) {
  const Dynamics& body = engine_body(lent);
  if (side_of(scheme)) return body;
  constexpr unsigned kTaken = Trait::modal | Trait::rigid;
  if (const unsigned lacks = scheme.needs() & kTaken & ~body.traits(); lacks != 0)
    wrong("scheme '{}' needs {}, but the body has {}", scheme.name(), trait_names(lacks),
          trait_names(body.traits()));
  if ((scheme.needs() & kTaken) != 0)
    if (const std::string fault = claims_fault(body); !fault.empty()) wrong("the body {}", fault);
  return body;
}

const char* const kSchemeDoc =
    R"(A one-step time integrator: advances a group of bodies from (q0, v0) at t0 to (q1, v1) at t0 + h.

Contact acts through one vector r, the generalised impulse [N s]:

    v1 = v_free + A^-1 r,    q1 = q_free (+) gain h (v1 - v_free)

Schemes of the engine (``saltus.scheme("newmark")``) have this class, and a scheme written in Python may delegate any part of
its work to one. Subclass it to write a scheme; x is a `Trial`:

- ``begin(body, x)``: first iterate x.q, x.v, and x.gain; if one_pass() is true, it is the motion without contact;
- ``linearise(body, x)``: fills x.v_free and x.A at the current iterate, including x.r; once per iteration ("pass");
- ``correct(body, x) -> float``: applies x.r, updates x.q, x.v, returns the remaining relative change of velocity [1];
- ``finish(body, x, end)``: writes end.q, end.v, end.memory;
- ``work(body, x, end, work)``: fills the `StepWork` of the finished step, work.energy always;
- ``one_pass(body) -> bool``: one iteration is exact for this body;  ``gain() -> float``: before any step.

These have defaults: ``name()`` (the class's), ``needs()`` and ``refuses()`` (no trait), ``prepare(body, h)`` (any object, which
is available as x.prepared; None), ``start(body, prepared, t, h, state)``, ``velocity(body, prepared, t, h, state, v)``,
``energy(body, prepared, t, h, state)``, ``free_motion(body)``, ``place(body, x, fraction, q)``, ``axes_at()``, ``axes_fixed()``,
``stages()``, ``velocity_at()``, ``work_velocity(x, end, w)``, ``fixed_step()``, ``pass_limits()``, ``stability_limit(xi)``.

Scheme objects must not store the state of a run: data of a step belong to the trial, data kept between steps to the
GroupState. Bodies, trials and states are lent for one call; keeping one of their arrays is a UsageError.
)";

}  // namespace

void bind_scheme(py::module_& m) {
  bind_trial(m);
  bind_scheme_tools(m);
  py::class_<Scheme, PythonScheme, std::shared_ptr<Scheme>> scheme(m, "Scheme", kSchemeDoc);
  const auto call = [](const Scheme& self, auto&& method) {
    const PythonSide::Super super(side_of(self));
    return method(self);
  };
  scheme.def(py::init<>());
  scheme.def(
      "name",
      [=](const Scheme& self) {
        return std::string(call(self, [](const Scheme& s) { return s.name(); }));
      },
      "Name in messages, results and reports.");
  const auto traits = [](unsigned bits) {
    return py::module_::import("saltus._core").attr("Trait")(bits);
  };
  scheme.def(
      "needs",
      [=](const Scheme& self) {
        return traits(call(self, [](const Scheme& s) { return s.needs(); }));
      },
      "Trait : traits that the body must have.");
  scheme.def(
      "refuses",
      [=](const Scheme& self) {
        return traits(call(self, [](const Scheme& s) { return s.refuses(); }));
      },
      "Trait : traits that the body must not have.");
  scheme.def(
      "prepare",
      [](const py::object& self, const Dynamics& lent, double h) -> py::object {
        const auto& at = self.cast<const Scheme&>();
        const Dynamics& body = body_of(at, lent);
        if (side_of(at)) return py::none();
        std::shared_ptr<const Prepared> made = at.prepare(body, h);
        return made ? py::cast(std::make_shared<PreparedView>(PreparedView{made, self, &at}))
                    : py::none();
      },
      py::arg("body"), py::arg("h"), "Constant data for (body, h): a Prepared, or None.");
  scheme.def(
      "start",
      [=](const Scheme& self, const Dynamics& lent, const py::object& prepared, double t, double h,
          StateView& state) {
        const Dynamics& body = body_of(self, lent);
        fits(body, state.to_write(), "the state");
        const Prepared* own = side_of(self) ? nullptr : prepared_of(self, prepared, body, h);
        call(self, [&](const Scheme& s) { s.start(body, own, t, h, state.get()); });
        state.refresh();
      },
      py::arg("body"), py::arg("prepared"), py::arg("t"), py::arg("h"), py::arg("state"),
      "Converts the physical (q, v) at t to the scheme's own state.");
  scheme.def(
      "velocity",
      [=](const Scheme& self, const Dynamics& lent, const py::object& prepared, double t, double h,
          const StateView& state, const py::object& v) {
        const Dynamics& body = body_of(self, lent);
        fits(body, state.get(), "the state");
        Wanted out(v, body.velocities(), "v");
        const Prepared* own = side_of(self) ? nullptr : prepared_of(self, prepared, body, h);
        call(self, [&](const Scheme& s) { s.velocity(body, own, t, h, state.get(), *out); });
        return out.array();
      },
      py::arg("body"), py::arg("prepared"), py::arg("t"), py::arg("h"), py::arg("state"),
      py::arg("v") = py::none(), "Physical velocity at t, the time of the state.");
  scheme.def(
      "energy",
      [=](const Scheme& self, const Dynamics& lent, const py::object& prepared, double t, double h,
          const StateView& state) {
        const Dynamics& body = body_of(self, lent);
        fits(body, state.get(), "the state");
        const Prepared* own = side_of(self) ? nullptr : prepared_of(self, prepared, body, h);
        return call(self, [&](const Scheme& s) { return s.energy(body, own, t, h, state.get()); });
      },
      py::arg("body"), py::arg("prepared"), py::arg("t"), py::arg("h"), py::arg("state"),
      "Energy of the state as defined by the scheme [J].");
  scheme.def(
      "begin",
      [=](const Scheme& self, const Dynamics& lent, TrialView& x) {
        const Dynamics& body = body_of(self, lent);
        const Handed trial(self, body, x);
        call(self, [&](const Scheme& s) { s.begin(body, *trial); });
      },
      py::arg("body"), py::arg("x"),
      "Sets the first iterate x.q, x.v and x.gain; if one_pass() is true, the motion without "
      "contact.");
  scheme.def(
      "linearise",
      [=](const Scheme& self, const Dynamics& lent, TrialView& x) {
        const Dynamics& body = body_of(self, lent);
        const Handed trial(self, body, x);
        call(self, [&](const Scheme& s) { s.linearise(body, *trial); });
      },
      py::arg("body"), py::arg("x"),
      "Sets x.v_free and x.A at the current iterate, including x.r; once per iteration.");
  scheme.def(
      "correct",
      [=](const Scheme& self, const Dynamics& lent, TrialView& x) {
        const Dynamics& body = body_of(self, lent);
        const Handed trial(self, body, x);
        return call(self, [&](const Scheme& s) { return s.correct(body, *trial); });
      },
      py::arg("body"), py::arg("x"),
      "Applies x.r, updates x.q and x.v; returns the remaining relative change of velocity [1].");
  scheme.def(
      "one_pass",
      [=](const Scheme& self, const Dynamics& lent) {
        const Dynamics& body = body_of(self, lent);
        return call(self, [&](const Scheme& s) { return s.one_pass(body); });
      },
      py::arg("body"), "Whether one iteration is exact for this body.");
  scheme.def(
      "free_motion",
      [=](const Scheme& self, const Dynamics& lent) {
        const Dynamics& body = body_of(self, lent);
        return call(self, [&](const Scheme& s) { return s.free_motion(body); });
      },
      py::arg("body"),
      "Whether begin() computes the complete motion without contact; one_pass() by default.");
  scheme.def(
      "finish",
      [=](const Scheme& self, const Dynamics& lent, TrialView& x, StateView& end) {
        const Dynamics& body = body_of(self, lent);
        fits(body, end.to_write(), "the end state");
        {
          const Handed trial(self, body, x);
          call(self, [&](const Scheme& s) { s.finish(body, *trial, end.get()); });
        }
        end.refresh();
      },
      py::arg("body"), py::arg("x"), py::arg("end"), "Writes end.q, end.v and end.memory.");
  scheme.def(
      "place",
      [=](const Scheme& self, const Dynamics& lent, TrialView& x, double fraction,
          const py::object& q) {
        const Dynamics& body = body_of(self, lent);
        Wanted out(q, body.positions(), "q");
        const Handed trial(self, body, x);
        call(self, [&](const Scheme& s) { s.place(body, *trial, fraction, *out); });
        return out.array();
      },
      py::arg("body"), py::arg("x"), py::arg("fraction"), py::arg("q") = py::none(),
      "Configuration at t0 + fraction h of the current iterate, in which contacts are detected.");
  scheme.def(
      "axes_at",
      [=](const Scheme& self) { return call(self, [](const Scheme& s) { return s.axes_at(); }); },
      "Fraction of the step at which the body axes for angular impulses are evaluated; 0.5.");
  scheme.def(
      "axes_fixed",
      [=](const Scheme& self) {
        return call(self, [](const Scheme& s) { return s.axes_fixed(); });
      },
      "Whether rows of contacts and A are computed once per step, and not in every iteration; "
      "False.");
  scheme.def(
      "stages",
      [=](const Scheme& self) {
        const auto all = call(self, [](const Scheme& s) { return s.stages(); });
        return std::vector<Stage>(all.begin(), all.end());
      },
      "The contact problems of a step, in order; by default one on velocities.");
  scheme.def(
      "velocity_at",
      [=](const Scheme& self) {
        return call(self, [](const Scheme& s) { return s.velocity_at(); });
      },
      "Time of the velocity v, as a fraction of the step; 1.");
  scheme.def(
      "gain",
      [=](const Scheme& self) { return call(self, [](const Scheme& s) { return s.gain(); }); },
      "The gain before any step, for checks when a model is built.");
  scheme.def(
      "work_velocity",
      [=](const Scheme& self, TrialView& x, const StateView& end, const py::object& w) {
        Wanted out(w, x.get().v.size(), "w");
        call(self, [&](const Scheme& s) { s.work_velocity(x.get(), end.get(), *out); });
        return out.array();
      },
      py::arg("x"), py::arg("end"), py::arg("w") = py::none(),
      "Velocity with which the work of impulses is computed.");
  scheme.def(
      "work",
      [=](const Scheme& self, const Dynamics& lent, TrialView& x, const StateView& end,
          WorkView& work) {
        const Dynamics& body = body_of(self, lent);
        fits(body, end.get(), "the end state");
        if (work.get().by_source.size() != body.sources().size())
          throw UsageError("the StepWork is of another body");
        const Handed trial(self, body, x);
        call(self, [&](const Scheme& s) { s.work(body, *trial, end.get(), work.get()); });
      },
      py::arg("body"), py::arg("x"), py::arg("end"), py::arg("work"),
      "Sets the StepWork of the finished step [J], work.energy always.");
  scheme.def(
      "fixed_step",
      [=](const Scheme& self) {
        return call(self, [](const Scheme& s) { return s.fixed_step(); });
      },
      "Whether the state depends on h, which then must not change within a run; False.");
  scheme.def(
      "pass_limits",
      [=](const Scheme& self) {
        return call(self, [](const Scheme& s) { return s.pass_limits(); });
      },
      "Stopping criteria of the iterations of a step.");
  scheme.def(
      "stability_limit",
      [=](const Scheme& self, double xi) {
        return call(self, [xi](const Scheme& s) { return s.stability_limit(xi); });
      },
      py::arg("xi"), "Largest stable h omega of a mode with damping ratio xi.");
  scheme.def("__repr__", [](const py::object& self) {
    return "<" + std::string(py::str(py::type::of(self).attr("__name__"))) + " " +
           std::string(self.cast<const Scheme&>().name()) + ">";
  });
}

}  // namespace saltus::python
