// Simulations: steps without the GIL, and the state as arrays over its own memory.
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "contact_problem.h"
#include "core.h"
#include "gil.h"
#include "python_stop.h"
#include "saltus/sim/failure_text.h"
#include "saltus/study/run_warnings.h"

namespace saltus::python {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kMostSteps = 9007199254740992.0;  // 2^53: the largest integer exact in a double
double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

/// During its lifetime the thread that has the turn is inside a step.
class Stepping {
 public:
  explicit Stepping(Turn& turn) : turn_(turn) { turn_.stepping = true; }
  ~Stepping() { turn_.stepping = false; }
  Stepping(const Stepping&) = delete;
  Stepping& operator=(const Stepping&) = delete;

 private:
  Turn& turn_;
};

SimulationObject* make(const Model& model, const State* state, std::optional<int> threads) {
  const Others others;
  auto made =
      std::make_unique<SimulationObject>(state ? Simulation(model, *state) : Simulation(model));
  if (threads) made->sim.use_threads(*threads);
  return made.release();
}

/// During its lifetime `stop` can stop the steps of a simulation.
class StoppedBy {
 public:
  StoppedBy(Simulation& sim, Stop& stop) : sim_(sim) { sim_.stop_by(&stop); }
  ~StoppedBy() { sim_.stop_by(nullptr); }
  StoppedBy(const StoppedBy&) = delete;
  StoppedBy& operator=(const StoppedBy&) = delete;

 private:
  Simulation& sim_;
};

StepReport advance(SimulationObject& self, py::handle h) {
  const bool given = !h.is_none();
  const double length = given ? seconds_of("h", h) : 0.0;
  const Own sim(self);
  PythonStop stop;
  const StoppedBy by(*sim, stop);
  StepReport report;
  {
    const Others others;
    const Stepping here(self.turn);
    report = given ? sim->advance(length) : sim->advance();
  }
  stop.rethrow();
  return report;
}

/// Number of steps of the model's h up to the grid time closest to `until`, 0 for the present time.
/// UsageError.
std::uint64_t steps_to(const Simulation& sim, double until) {
  const double h = sim.model().options().h;
  const State& state = sim.state();
  const double done = static_cast<double>(state.step);
  const bool on_grid = std::abs(state.t - done * h) <= 1e-6 * h;
  const double left = on_grid ? std::round(until / h) - done : std::round((until - state.t) / h);
  if (until < state.t - h / 2)
    throw UsageError(fmt::format("run(): `until` is {} s, but the simulation is already at {} s",
                                 until, state.t));
  if (left > kMostSteps)
    throw UsageError(
        fmt::format("run(): `until` is {} s, which is {:g} steps of {} s (at most {:g})", until,
                    left, h, kMostSteps));
  return left > 0.0 ? static_cast<std::uint64_t>(left) : 0;
}

/// With the GIL: runs signal handlers, then the callback. True: stop.
bool call(const py::object& self, const py::object& callback) {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (callback.is_none()) return false;
  return into_python([&] { return py::bool_(callback(self)).cast<bool>(); });
}

RunReport run(const py::object& object, std::optional<double> until,
              std::optional<std::uint64_t> steps, const py::object& watch,
              std::optional<std::uint64_t> every, const py::object& act, const py::object& tell) {
  auto& self = object.cast<SimulationObject&>();
  const Own sim(self);
  if (until && steps) throw UsageError("run(): `until` and `steps` exclude each other");
  if (until && !std::isfinite(*until)) throw UsageError("run(): `until` must be a time [s]");
  if (every && *every == 0) throw UsageError("run(): `every` must be at least 1 step");
  const std::uint64_t count =
      steps   ? *steps
      : until ? steps_to(*sim, *until)
              : steps_to(*sim, std::max(sim->state().t, sim->model().options().end));
  const auto state = [&]() -> const State& { return sim->state(); };  // a callback may replace it
  const std::uint64_t first = state().step;
  RunReport report;
  PythonStop stop;
  constexpr auto kPause = std::chrono::milliseconds(100);
  const Others others;
  const Clock::time_point start = Clock::now();
  Clock::time_point due = start + kPause;
  while (report.steps < count && !report.stopped) {
    if (ending_here()) throw Ending{};
    if (self.turn.wanted()) {  // access by another thread between two steps
      self.turn.give();
      self.turn.take();
    }
    if (!act.is_none()) {
      const Gil gil;
      call(object, act);
    }
    const std::uint64_t before = state().step;
    StepReport step;
    {
      const Stepping here(self.turn);
      const StoppedBy by(*sim, stop);
      step = sim->advance();
    }
    stop.rethrow();
    if (state().step == before)
      throw StepFailed(failure_text(sim->model(), step, before + 1), step);
    ++report.steps;
    report.halved += step.halvings > 0;
    report.residual = worse(report.residual, step.residual);
    report.residual_after = worse(report.residual_after, step.residual_after);
    const bool called = every && report.steps % *every == 0;
    const Clock::time_point time = Clock::now();
    if (!called && time < due) continue;
    const Gil gil;
    report.stopped = call(object, called || !every ? watch : py::none());
    if (time < due) continue;
    due = Clock::now() + kPause;
    if (tell.is_none()) continue;
    py::dict now;
    now["first"] = first;
    now["step"] = state().step;
    now["last"] = first + count;
    now["t"] = state().t;
    now["end"] = state().t + static_cast<double>(count - report.steps) * sim->model().options().h;
    now["contacts"] = step.contacts;
    now["residual"] = report.residual;
    report.stopped = report.stopped || into_python([&] { return tell(now).is(py::bool_(false)); });
  }
  report.t = state().t;
  report.wall = seconds(Clock::now() - start);
  return report;
}

/// Index of a group; UsageError.
std::size_t checked(const SimulationObject& self, int group) {
  const std::size_t n = self.sim.model().groups().size();
  if (group < 0 || static_cast<std::size_t>(group) >= n)
    throw UsageError(fmt::format("there is no group {} of {}", group, n));
  return static_cast<std::size_t>(group);
}

/// q or v of a group: a read-only array over the memory of the state, which keeps the simulation
/// alive.
py::array_t<double> view(const py::object& object, int group, bool velocity) {
  auto& self = object.cast<SimulationObject&>();
  const Own sim(self, true);
  checked(self, group);
  const GroupState& state = sim->hold(group);
  const Vector& x = velocity ? state.v : state.q;
  return array_over(x.data(), x.size(), object);
}

py::array_t<double> velocity(SimulationObject& self, int group) {
  const Own sim(self);
  Vector v(sim->state().groups[checked(self, group)].v.size());
  {
    const Others others;
    sim->velocity(group, v);
  }
  return copy_of(v);
}

/// Positions and rotations (w, x, y, z) of the bodies of a group, n x 3 and n x 4; UsageError for
/// kinds without frames.
py::tuple frames(SimulationObject& self, int group) {
  const Own sim(self);
  const Group& at = sim->model().groups()[checked(self, group)];
  const Dynamics& body = *at.dynamics;
  if (!(body.traits() & static_cast<unsigned>(Trait::rigid)) && body.velocities() > 0)
    throw UsageError("bodies of the kind '" + at.kind +
                     "' have no single position and rotation; see q");
  std::vector<Pose> pose(static_cast<std::size_t>(body.bodies()));
  body.frames(sim->state().t, sim->state().groups[static_cast<std::size_t>(group)].q, pose);
  const auto n = static_cast<py::ssize_t>(pose.size());
  py::array_t<double> x({n, py::ssize_t{3}}), R({n, py::ssize_t{3}, py::ssize_t{3}});
  for (py::ssize_t i = 0; i < n; ++i)
    for (py::ssize_t a = 0; a < 3; ++a) {
      x.mutable_at(i, a) = pose[static_cast<std::size_t>(i)].x[a];
      for (py::ssize_t b = 0; b < 3; ++b)
        R.mutable_at(i, a, b) = pose[static_cast<std::size_t>(i)].R(a, b);
    }
  return py::make_tuple(x, R);
}

double or_none(const py::handle& value) {
  return value.is_none() ? SetPoint::kNone : value.cast<double>();
}

/// Each value: a number, None for the function of the scene, or no change (Ellipsis).
void set_point(SimulationObject& self, int actuator, const py::object& target,
               const py::object& velocity, const py::object& effort) {
  const Own sim(self);
  SetPoint point = sim->set_point(actuator);
  const auto take = [](const py::object& given, double& into) {
    if (!given.is(py::ellipsis())) into = or_none(given);
  };
  take(target, point.target);
  take(velocity, point.velocity);
  take(effort, point.effort);
  sim->set(actuator, point);
}

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// One number for each actuator: NaN for the function of the scene.
void set_points(SimulationObject& self, const py::object& target, const py::object& velocity,
                const py::object& effort) {
  const Own sim(self);
  const auto n = static_cast<py::ssize_t>(sim->model().actuators().size());
  const auto numbers = [n](const py::object& given, const char* what) {
    if (given.is_none()) return Numbers();
    Numbers x = Numbers::ensure(given);
    if (!x) throw UsageError(fmt::format("set_all(): `{}` is not an array of numbers", what));
    if (x.ndim() != 1 || x.shape(0) != n)
      throw UsageError(
          fmt::format("set_all(): `{}` must have {} numbers, one for each of "
                      "Model.actuators",
                      what, n));
    return x;
  };
  const Numbers t = numbers(target, "target"), u = numbers(velocity, "velocity"),
                f = numbers(effort, "effort");
  std::vector<SetPoint> all(static_cast<std::size_t>(n));
  for (py::ssize_t i = 0; i < n; ++i) {
    SetPoint& point = all[static_cast<std::size_t>(i)] = sim->set_point(static_cast<int>(i));
    if (!target.is_none()) point.target = t.data()[i];
    if (!velocity.is_none()) point.velocity = u.data()[i];
    if (!effort.is_none()) point.effort = f.data()[i];
  }
  sim->set_all(all);
}

py::array_t<double> actuator_forces(SimulationObject& self) {
  const Own sim(self);
  const std::size_t n = sim->model().actuators().size();
  py::array_t<double> forces(static_cast<py::ssize_t>(n));
  for (std::size_t i = 0; i < n; ++i)
    forces.mutable_data()[i] = sim->actuator_force(static_cast<int>(i));
  return forces;
}

py::tuple coordinates(SimulationObject& self) {
  const Own sim(self);
  std::vector<double> value, rate;
  sim->joint_coordinates(value, rate);
  const auto n = static_cast<py::ssize_t>(value.size());
  return py::make_tuple(py::array_t<double>(n, value.data()), py::array_t<double>(n, rate.data()));
}

/// (mass, bias, velocities of all groups, undetermined part, first velocity of each group)
py::tuple joint_dynamics(SimulationObject& self) {
  const Own sim(self);
  JointDynamics found;
  std::vector<int> first{0};
  {
    const Others others;
    const Model acting = sim->acting_model();
    if (!self.mechanism || !self.mechanism->is_of(acting))
      self.mechanism = std::make_unique<Mechanism>(acting);
    std::vector<GroupState> groups = sim->state().groups;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      sim->velocity(static_cast<int>(g), groups[g].v);
      first.push_back(first.back() + static_cast<int>(groups[g].v.size()));
    }
    found = self.mechanism->at(sim->state().t, groups);
  }
  return py::make_tuple(found.mass, found.bias, found.velocities, found.undetermined, first);
}

/// forces: (feature, place, force, torque) with the place on the body; given in space if `in_space`.
void apply(SimulationObject& self, int group, int body,
           const std::vector<std::tuple<int, Vector3, Vector3, Vector3>>& forces, bool in_space,
           bool add) {
  const Own sim(self);
  const std::size_t g = checked(self, group);
  std::vector<AppliedForce> all;
  if (add)
    for (const AppliedForce& one : sim->applied(group))
      if (one.at.body == body) all.push_back(one);
  for (const auto& [feature, place, force, torque] : forces) {
    Vector3 local = place;
    if (in_space) {
      std::vector<Pose> pose(static_cast<std::size_t>(sim->model().groups()[g].dynamics->bodies()));
      sim->model().groups()[g].dynamics->frames(sim->state().t, sim->state().groups[g].q, pose);
      const Pose& frame = pose[static_cast<std::size_t>(body)];
      local = frame.R.transpose() * (place - frame.x);
    }
    all.push_back({{body, feature, local}, force, torque});
  }
  const Others others;
  sim->apply(group, body, all);
}

py::list applied(SimulationObject& self, int group) {
  const Own sim(self);
  checked(self, group);
  py::list list;
  for (const AppliedForce& one : sim->applied(group))
    list.append(
        py::make_tuple(one.at.body, copy_of(Vector(one.force)), copy_of(Vector(one.torque))));
  return list;
}

void place(SimulationObject& self,
           const std::vector<std::tuple<int, Numbers, Numbers>>& placements) {
  const Own sim(self);
  std::vector<Simulation::Placement> all;
  const auto vector_of = [](const Numbers& x) {
    return Vector(Eigen::Map<const Vector>(x.data(), x.size()));
  };
  for (const auto& [group, q, v] : placements) all.push_back({group, vector_of(q), vector_of(v)});
  const Others others;
  sim->place(all);
}

void reset(SimulationObject& self, const py::object& state) {
  const Own sim(self);
  const auto* given = state.is_none() ? nullptr : state.cast<const State*>();
  const Others others;
  sim->reset(given ? *given : initial_state(sim->model().without_applied_forces()));
}

/// Passes the contact problems of a step to Python.
class PythonObserver final : public ContactObserver {
 public:
  explicit PythonObserver(SimulationObject& of) : of_(of) {}
  void solved(const SolvedContact& contact) override {
    const Gil gil;
    const ProblemLoan loan(contact.problem);
    into_python([&] {
      of_.watcher(contact.island, contact.t0, contact.h, loan.object(),
                  read_only(copy_of(contact.p)), contact.report.converged,
                  contact.report.iterations, contact.report.residual);
    });
  }

 private:
  SimulationObject& of_;
};

void observe(SimulationObject& self, const py::object& watcher) {
  const Own sim(self);
  self.sim.observe(nullptr);
  self.observer.reset();
  self.watcher = watcher.is_none() ? py::object() : watcher;
  if (!self.watcher) return;
  self.observer = std::make_unique<PythonObserver>(self);
  self.sim.observe(self.observer.get());
}

/// The watcher may refer to the simulation: a reference cycle that the garbage collector must
/// detect.
void collectable(PyHeapTypeObject* heap) {
  PyTypeObject* type = &heap->ht_type;
  type->tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->tp_traverse = [](PyObject* object, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(object));
    const auto* at = reinterpret_cast<py::detail::instance*>(object)
                         ->get_value_and_holder()
                         .value_ptr<SimulationObject>();
    if (at) Py_VISIT(at->watcher.ptr());
    return 0;
  };
  type->tp_clear = [](PyObject* object) {
    auto* at = reinterpret_cast<py::detail::instance*>(object)
                   ->get_value_and_holder()
                   .value_ptr<SimulationObject>();
    if (at) {
      at->sim.observe(nullptr);
      at->watcher = py::object();
    }
    return 0;
  };
}

}  // namespace

void bind_simulation(py::module_& m) {
  bind_reports(m);
  bind_state(m);
  bind_registry(m);
  bind_batch(m);
  const auto simple = [](auto member) {
    return [member](SimulationObject& self) {
      const Own sim(self, true);
      return member(sim->state());
    };
  };
  py::class_<SimulationObject>(m, "Simulation", py::custom_type_setup(collectable),
                               R"(Advances a state of a model.

`advance` does not raise if a step fails: check the report. Other Python threads run during a step, and several
simulations, also of one `Model`, can step in several threads, which does not change the results. Bodies, schemes and
solvers written in Python are then called by all of them, one call at a time: they must not store data between calls. After
os.fork() in one thread while another steps, the child can use its own objects, but no simulation or model of its parent.

Parameters
----------
model : Model, Scene, path or dict
    The model. A scene, a file or a dict is built first.
state : State, optional
    Initial state, from a simulation of this model; the start of the model if not given.
threads : int, optional
    Number of threads for the loops of a step; by default all of the machine. Use 1 if several simulations run in one thread
    each. Results do not depend on it.

Raises
------
SceneError
    If the scene has faults.
UsageError
    If the state belongs to another model.

>>> sim = saltus.Simulation("ball.yaml")
>>> q = sim.groups["ball"].q            # no copy: always shows the current state
>>> while sim.t < 1.0:
...     sim.advance()
)")
      .def(py::init(&make), py::arg("model"), py::arg("state") = py::none(),
           py::arg("threads") = py::none())
      .def("advance", &advance, py::arg("h") = py::none(), R"(Makes one step.

Parameters
----------
h : float or str, optional
    Length of the step, [s] or a text with its unit, '1 ms'; the step of the model if not given.

Returns
-------
StepReport
    Result of the step. A failed step leaves the state unchanged, unless the scene has `on_failure: accept`.

Raises
------
KeyboardInterrupt
    Ctrl-C: the current step is discarded, and the simulation can continue from the state before it.
)")
      .def("_run", &run)
      .def("_view", &view)
      .def("_addresses",  // of q and v in C++
           [](SimulationObject& self, int group) {
             const Own sim(self, true);
             const GroupState& state = sim->state().groups[checked(self, group)];
             return py::make_tuple(reinterpret_cast<std::uintptr_t>(state.q.data()),
                                   reinterpret_cast<std::uintptr_t>(state.v.data()));
           })
      .def("_velocity", &velocity)
      .def("_frames", &frames)
      .def("_observe", &observe)
      .def("_reactions",
           [](SimulationObject& self, int group) {
             const Own sim(self);
             checked(self, group);
             return copy_of(sim->reactions(group));
           })
      .def("_set", &set_point)
      .def("_set_all", &set_points)
      .def("_actuator_forces", &actuator_forces)
      .def("_coordinates", &coordinates)
      .def("_joint_dynamics", &joint_dynamics)
      .def("_apply", &apply)
      .def("_applied", &applied)
      .def("_place", &place)
      .def("_reset", &reset)
      .def("_joint_load",
           [](SimulationObject& self, int joint) {
             const Own sim(self);
             const auto load = sim->joint_load(joint);
             return py::make_tuple(copy_of(load[0]), copy_of(load[1]));
           })
      .def("_joint_coordinate",
           [](SimulationObject& self, int joint, int coordinate) {
             const Own sim(self);
             const auto x = sim->joint_coordinate(joint, coordinate);
             return py::make_tuple(x[0], x[1]);
           })
      .def("_probe",
           [](SimulationObject& self, int index) {
             const Own sim(self);
             return sim->probe(index);
           })
      .def("_contacts",
           [](SimulationObject& self) {
             const Own sim(self);
             return contact_array(sim->model(), sim->contacts());
           })
      .def("_events",
           [](SimulationObject& self) {
             const Own sim(self);
             return event_array(sim->events());
           })
      .def_property_readonly("_energy", simple([](const State& s) {
                               return py::make_tuple(s.energy.kinetic, s.energy.potential,
                                                     s.energy.total());
                             }))
      .def_property_readonly("_ledger", simple([](const State& s) { return s.ledger; }))
      .def_property_readonly(
          "warnings",
          [](SimulationObject& self) {
            const Own sim(self, true);
            py::list texts;
            for (const std::string& text : notice_warnings(sim->notices()))
              texts.append(text_of(text));
            return texts;
          },
          "list of str : doubtful events in steps of this object that succeeded, each reported "
          "once with the time of the first step; at most three of a kind. Warnings about the scene "
          "are in `Model.warnings`.")
      .def_property_readonly(
          "model", [](SimulationObject& self) { return Model(self.sim.model()); },
          "Model : the model, which does not change.")
      .def_property_readonly(
          "state", simple([](const State& s) { return State(s); }),
          "State : a copy of the current state, from which another simulation can continue.")
      .def_property_readonly("t", simple([](const State& s) { return s.t; }),
                             "float : time of the state [s].")
      .def_property_readonly("step", simple([](const State& s) { return s.step; }),
                             "int : steps made since t = 0.")
      .def_property_readonly("h", simple([](const State& s) { return s.h; }),
                             "float : length of the last step [s].");
}

}  // namespace saltus::python
