// Trial, GroupState, StepWork for Python, and properties of a scheme.
#include <pybind11/stl.h>

#include "py_operator.h"
#include "py_scheme.h"

namespace saltus::python {
namespace {

using View_ = std::shared_ptr<TrialView>;
using State_ = std::shared_ptr<StateView>;

}  // namespace

void fits(const Dynamics& body, const GroupState& state, const char* what) {
  if (state.q.size() != body.positions() || state.v.size() != body.velocities())
    throw UsageError(std::string(what) + " has " + std::to_string(state.q.size()) +
                     " positions and " + std::to_string(state.v.size()) + " velocities, the body " +
                     std::to_string(body.positions()) + " and " +
                     std::to_string(body.velocities()));
}

void bind_trial(py::module_& m) {
  py::enum_<Level>(m, "Level",
                   "What the rows of a stage constrain: positions [m] or velocities [m/s].")
      .value("position", Level::position)
      .value("velocity", Level::velocity);
  py::enum_<Rows>(m, "Rows", "Which rows are part of a stage.")
      .value("joints", Rows::joints)
      .value("normals", Rows::normals)
      .value("all", Rows::all);
  py::class_<Stage>(m, "Stage",
                    "One contact problem of a step. Position stages change q only: jump False.")
      .def(py::init([](Level level, Rows rows, bool jump) {
             return Stage{level, rows, jump};
           }),
           py::arg("level") = Level::velocity, py::arg("rows") = Rows::all, py::arg("jump") = true)
      .def_readonly("level", &Stage::level, "Level : positions or velocities.")
      .def_readonly("rows", &Stage::rows, "Rows : rows that are part of the stage.")
      .def_readonly("jump", &Stage::jump, "bool : the stage changes the velocity.");
  py::class_<PassLimits>(m, "PassLimits",
                         R"(Stopping criteria of the iterations of a step, and the data they update.

Parameters
----------
tolerance : float
    Limit of the value that correct() returns.
passes : int
    Largest number of iterations.
detect : bool
    Active contacts are detected again in every iteration.
only_one : bool
    One iteration only; the remaining change is accepted.
freeze_rows : bool
    Rows are those of the first iteration.
)")
      .def(py::init([](double tolerance, int passes, bool detect, bool only_one, bool freeze_rows) {
             return PassLimits{tolerance, passes, detect, only_one, freeze_rows};
           }),
           py::arg("tolerance") = 1e-10, py::arg("passes") = 20, py::arg("detect") = false,
           py::arg("only_one") = false, py::arg("freeze_rows") = false)
      .def_readonly("tolerance", &PassLimits::tolerance)
      .def_readonly("passes", &PassLimits::passes)
      .def_readonly("detect", &PassLimits::detect)
      .def_readonly("only_one", &PassLimits::only_one)
      .def_readonly("freeze_rows", &PassLimits::freeze_rows);
  py::class_<PreparedView, std::shared_ptr<PreparedView>>(
      m, "Prepared", "Data that a scheme of the engine computed once for (body, h).");

  py::class_<StateView, State_>(m, "GroupState",
                                R"(q, v and memory of a group, as stored by its scheme.

Parameters
----------
q, v : array
    Positions [m, rad, quaternions] and velocities [m/s, rad/s].
memory : sequence of array
    Data that the scheme keeps from step to step; smooth quantities only.

Assignment copies numbers: ``state.v = v``. States passed to a method are lent for the call.
)")
      .def(py::init([](const py::object& q, const py::object& v, const py::object& memory) {
             auto view = std::make_shared<StateView>();
             view->own = std::make_unique<GroupState>();
             view->at = view->own.get();
             view->writable = true;
             view->own->q = *Brought(q, static_cast<Eigen::Index>(py::len(q)), "q");
             view->own->v = *Brought(v, static_cast<Eigen::Index>(py::len(v)), "v");
             for (const py::handle one : memory)
               view->own->memory.push_back(
                   *Brought(one, static_cast<Eigen::Index>(py::len(one)), "a vector of memory"));
             return view;
           }),
           py::arg("q"), py::arg("v"), py::arg("memory") = py::tuple())
      .def_property(
          "q", &StateView::q,
          [](StateView& self, const py::object& value) { assign(self.to_write().q, value, "q"); },
          "ndarray : positions, the vector itself, not a copy.")
      .def_property(
          "v", &StateView::v,
          [](StateView& self, const py::object& value) { assign(self.to_write().v, value, "v"); },
          "ndarray : velocities, the vector itself, not a copy.")
      .def_property(
          "memory", &StateView::memory,
          [](StateView& self, const py::object& values) {
            std::vector<Vector> made;
            for (const py::handle one : values)
              made.push_back(
                  *Brought(one, static_cast<Eigen::Index>(py::len(one)), "a vector of memory"));
            auto& memory = self.to_write().memory;
            bool alike = made.size() == memory.size();
            for (std::size_t i = 0; alike && i < made.size(); ++i)
              alike = made[i].size() == memory[i].size();
            if (alike) {
              for (std::size_t i = 0; i < made.size(); ++i) memory[i] = made[i];
            } else {
              self.forget_memory();
              memory = std::move(made);
            }
          },
          "list of ndarray : memory of the scheme. Assign to set all of it.");

  py::class_<WorkView, std::shared_ptr<WorkView>>(m, "StepWork",
                                                  R"(Work terms of a finished step.

StepWork(sources) creates one for the given number of sources.
)")
      .def(py::init([](int sources) {
             auto view = std::make_shared<WorkView>();
             view->own_sources.assign(static_cast<std::size_t>(std::max(0, sources)), 0.0);
             view->own = std::make_unique<StepWork>(StepWork{view->own_sources});
             view->at = view->own.get();
             return view;
           }),
           py::arg("sources"))
      .def_property_readonly(
          "by_source",
          [](WorkView& self) {
            const auto all = self.get().by_source;
            return py::reinterpret_borrow<py::object>(
                self.by_source.over(all.data(), static_cast<Eigen::Index>(all.size()), true));
          },
          "ndarray : [J], one entry per source of the body, 0 for those with a potential.")
      .def_property(
          "scheme", [](const WorkView& self) { return self.get().scheme; },
          [](WorkView& self, double value) { self.get().scheme = value; },
          "float : numerical dissipation by the scheme's own formula [J], < 0 if energy is lost.")
      .def_property(
          "projection", [](const WorkView& self) { return self.get().projection; },
          [](WorkView& self, double value) { self.get().projection = value; },
          "float : work of impulses that changed q only [J].")
      .def_property(
          "energy", [](const WorkView& self) { return self.get().energy; },
          [](WorkView& self, const py::object& value) {
            self.get().energy = energy_of(value, "work.energy");
          },
          "Energy : energy of the end state [J].");

  py::class_<TrialView, View_> trial(
      m, "Trial", R"(Work data of one step of one group, lent for each call of its scheme.

q, v, r, v_free are arrays over the vectors of the engine, and can be assigned: ``x.v = x.start.v`` copies numbers. A method
of a scheme of the engine may swap them: read ``x.q`` again after such a call.

Trial(body, scheme, state, h, t0=0.0) creates one for tests: `state` is a GroupState as set by `scheme.start`.
)");
  trial.def(py::init([](const py::object& body_object, const py::object& scheme_object,
                        const StateView& state, double h, double t0) {
              const auto& body = engine_body(body_object.cast<const Dynamics&>());
              const auto& scheme = scheme_object.cast<const Scheme&>();
              fits(body, state.get(), "the state");
              auto view = std::make_shared<TrialView>();
              view->own = std::make_shared<Trial>();
              Trial& x = *view->own;
              view->own_start = std::make_unique<GroupState>(state.get());
              view->own_prepared = scheme.prepare(body, h);
              view->own_scheme = &scheme;
              view->own_scheme_object = py::make_tuple(body_object, scheme_object);
              x.t0 = t0;
              x.h = h;
              x.start = view->own_start.get();
              x.prepared = view->own_prepared.get();
              x.q = x.start->q;
              x.v = x.start->v;
              x.v_free = x.start->v;
              x.r = Vector::Zero(body.velocities());
              view->point(x);
              return view;
            }),
            py::arg("body"), py::arg("scheme"), py::arg("state"), py::arg("h"),
            py::arg("t0") = 0.0);
  const char* const docs[] = {
      "ndarray : iterate of q1.", "ndarray : iterate of v1.",
      "ndarray : impulse of the last iteration, zero at the start of a stage [N s].",
      "ndarray : the part of v1 = v_free + A^-1 r that linearise sets."};
  const char* const names[] = {"q", "v", "r", "v_free"};
  for (int i = 0; i < 4; ++i)
    trial.def_property(
        names[i], [i](TrialView& self) { return self.vector(i); },
        [i](TrialView& self, const py::object& value) { self.set_vector(i, value); }, docs[i]);
  const auto mine = [](TrialView& self) -> Trial& {
    if (!self.own) throw UsageError("this is set by the engine");
    return self.get();
  };
  trial
      .def_property_readonly(
          "t0", [](const TrialView& self) { return self.get().t0; }, "float : [s].")
      .def_property_readonly(
          "h", [](const TrialView& self) { return self.get().h; }, "float : [s].")
      .def_property_readonly(
          "start",
          [](const TrialView& self) {
            self.get();
            return self.start;
          },
          "GroupState : state at t0, never modified.")
      .def_property_readonly(
          "prepared", [](const TrialView& self) { return prepared_to_python(self.get().prepared); },
          "The return value of prepare(body, h) of the scheme.")
      .def_property(
          "stage", [](const TrialView& self) { return self.get().stage; },
          [mine](TrialView& self, int value) { mine(self).stage = value; },
          "int : index into stages().")
      .def_property(
          "pass_", [](const TrialView& self) { return self.get().pass; },
          [mine](TrialView& self, int value) { mine(self).pass = value; },
          "int : 0 in begin, then 1, 2, ... for each linearise and correct.")
      .def_property_readonly(
          "A",
          [](const TrialView& self) {
            self.get();
            return self.A;
          },
          "Factor : A of v1 = v_free + A^-1 r.")
      .def_property_readonly(
          "M",
          [](const TrialView& self) {
            self.get();
            return self.M;
          },
          "Factor : of a mass matrix that is not constant, for schemes that need it besides A.")
      .def_property(
          "factorised", [](const TrialView& self) { return self.get().factorised; },
          [](TrialView& self, bool value) { self.get().factorised = value; },
          "bool : A is valid for (body, h); set by schemes for affine bodies.")
      .def_property(
          "t_at", [](const TrialView& self) { return self.get().t_at; },
          [](TrialView& self, double value) { self.get().t_at = value; },
          "float : time at which force and tangents are evaluated, 0 until it is set [s].")
      .def_property(
          "gain", [](const TrialView& self) { return self.get().gain; },
          [](TrialView& self, double value) { self.get().gain = value; },
          "float : gain of q1 = q_free (+) gain h (v1 - v_free); set by begin.")
      .def_property(
          "failure", [](const TrialView& self) { return std::string(self.get().failure); },
          [](TrialView& self, const std::string& value) {
            self.get().failure = value.empty() ? std::string_view() : lasting(value);
          },
          "str : cause of a failed smooth stage of the step; '' if it did not fail.")
      .def_property_readonly(
          "ledger", [](const TrialView& self) { return self.get().ledger; },
          "bool : work() will be called for this step.")
      .def_property(
          "work", &TrialView::work, &TrialView::set_work,
          R"(list of ndarray : vectors of the scheme that are kept from step to step. Assign a list of arrays, or of sizes for
zeros, to create them.)");
}

}  // namespace saltus::python
