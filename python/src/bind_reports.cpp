// Reports of a step, a run and their contacts.
#include <pybind11/stl.h>

#include "core.h"
#include "saltus/results/statistics.h"

namespace saltus::python {
namespace {

/// A row of contacts(); sides are numbers.
struct ContactRow {
  std::uint64_t key;
  std::int32_t a, b, group_a, group_b, fixed_a, fixed_b, status;
  double point[3], normal[3], gap, impulse[3], moment[3], force[3];
};

/// A row of events(); the kind is a number.
struct EventRow {
  double t;
  std::int32_t kind;
  std::uint64_t key;
  double speed, impulse[3], energy;
};

void fill(double (&to)[3], const Vector3& from) { std::copy(from.begin(), from.end(), to); }

}  // namespace

py::array contact_array(const Model& model, std::span<const ContactView> contacts) {
  std::vector<int> first{0};  // number of the first body of each group
  for (const Group& group : model.groups())
    first.push_back(first.back() + static_cast<int>(std::max<std::size_t>(group.bodies.size(), 1)));
  const auto number = [&](const ContactView::Side& side) {
    if (side.group < 0) return -1;
    const auto g = static_cast<std::size_t>(side.group);
    return first[g] + (model.groups()[g].bodies.empty() ? 0 : side.body);
  };
  py::array_t<ContactRow> rows(static_cast<py::ssize_t>(contacts.size()));
  ContactRow* row = rows.mutable_data();
  for (const ContactView& contact : contacts) {
    row->key = contact.key;
    row->a = number(contact.a);
    row->b = number(contact.b);
    row->group_a = contact.a.group;
    row->group_b = contact.b.group;
    row->fixed_a = contact.a.group < 0 ? contact.a.body : -1;
    row->fixed_b = contact.b.group < 0 ? contact.b.body : -1;
    row->status = static_cast<int>(contact.status);
    fill(row->point, contact.point);
    fill(row->normal, contact.normal);
    row->gap = contact.gap;
    fill(row->impulse, contact.impulse);
    fill(row->moment, contact.moment);
    fill(row->force, contact.force);
    ++row;
  }
  return rows;
}

py::array event_array(std::span<const Event> events) {
  py::array_t<EventRow> rows(static_cast<py::ssize_t>(events.size()));
  EventRow* row = rows.mutable_data();
  for (const Event& event : events) {
    row->t = event.t;
    row->kind = static_cast<std::int32_t>(event.kind);
    row->key = event.key;
    row->speed = event.speed;
    fill(row->impulse, event.impulse);
    row->energy = event.energy;
    ++row;
  }
  return rows;
}

void bind_reports(py::module_& m) {
  PYBIND11_NUMPY_DTYPE(EventRow, t, kind, key, speed, impulse, energy);
  m.def("_event_kinds", [] {
    std::vector<std::string> kinds;
    for (std::size_t k = 0; k < kEventKinds; ++k)
      kinds.emplace_back(name_of(static_cast<Event::Kind>(k)));
    return kinds;
  });
  PYBIND11_NUMPY_DTYPE(ContactRow, key, a, b, group_a, group_b, fixed_a, fixed_b, status, point,
                       normal, gap, impulse, moment, force);

  py::class_<StepReport>(m, "StepReport", R"(Result and accuracy of one step.

If a step failed, `good` is False and `failure` contains the known cause; the state is then the one before the step, unless
the scene has `on_failure: accept`.
)")
      .def_property_readonly(
          "good", [](const StepReport& r) { return r.converged && r.finite; },
          "bool : converged and finite.")
      .def_readonly("converged", &StepReport::converged,
                    "bool : contacts and equations of motion were solved.")
      .def_readonly("finite", &StepReport::finite, "bool : whether the motion is finite.")
      .def_readonly("passes", &StepReport::passes, "int : Newton iterations of the step.")
      .def_readonly("contacts", &StepReport::contacts, "int : contacts with an impulse.")
      .def_readonly("iterations", &StepReport::iterations,
                    "int : iterations of the contact solver.")
      .def_readonly("halvings", &StepReport::halvings, "int : number of times the step was halved.")
      .def_readonly("residual", &StepReport::residual,
                    "float : residual of the contact problem as solved [1].")
      .def_readonly("residual_after", &StepReport::residual_after,
                    "float : residual of the laws for the state after the step [1].")
      .def_readonly("outstanding", &StepReport::outstanding,
                    "float : velocity change remaining after the last iteration [1].")
      .def_readonly("linear_residual", &StepReport::linear_residual,
                    "float : largest |b - A x|/|b| of linear iterations [1].")
      .def_readonly(
          "gap", &StepReport::gap,
          "float : smallest gap [m], inf if no possible contact is near; < 0: penetration.")
      .def_readonly("joint_gap", &StepReport::joint_gap,
                    "float : largest violation of a joint [m], [rad].")
      .def_readonly("impulse", &StepReport::impulse, "float : sum of the normal impulses [N s].")
      .def_readonly("impact", &StepReport::impact,
                    "float : work of contacts, stops and springs of joints, without friction [J].")
      .def_readonly("friction", &StepReport::friction, "float : work of friction [J].")
      .def_readonly("joints", &StepReport::joints, "float : work of the joints [J].")
      .def_readonly("unexplained", &StepReport::unexplained,
                    "float : change of energy that is in no work term [J].")
      .def_readonly("steps", &StepReport::steps,
                    "int : steps used to cover the step; in event-driven integration those of its "
                    "integrator.")
      .def_readonly("rejected", &StepReport::rejected,
                    "int : rejected steps, which were repeated with a smaller length.")
      .def_readonly("error", &StepReport::error,
                    "float : largest estimated error of these steps [1]; 0: not estimated.")
      .def_readonly("events", &StepReport::events,
                    "int : events located by event-driven integration: `Simulation.events`.")
      .def_readonly("evaluations", &StepReport::evaluations,
                    "int : force evaluations of event-driven integration.")
      .def_readonly("group", &StepReport::group, "int : group that failed, -1: no single group.")
      .def_property_readonly(
          "failure", [](const StepReport& r) { return text_of(r.failure); },
          "str : cause of the failure according to the scheme; '' if unknown.")
      .def("__repr__", [](const StepReport& r) {
        py::str text("<saltus.StepReport {}: {} contacts, {} iterations, residual {:.3g}{}>");
        const bool good = r.converged && r.finite;
        return text.format(
            good ? "good" : "failed", r.contacts, r.iterations, r.residual,
            r.failure.empty() ? py::str("") : py::str(": {}").format(text_of(r.failure)));
      });

  py::class_<RunReport>(m, "RunReport", "Result of a run.")
      .def_readonly("steps", &RunReport::steps, "int : steps made.")
      .def_readonly("halved", &RunReport::halved, "int : halved steps.")
      .def_readonly("t", &RunReport::t, "float : time at the end of the run [s].")
      .def_readonly("wall", &RunReport::wall, "float : wall time [s].")
      .def_readonly("residual", &RunReport::residual,
                    "float : largest residual of all steps, as solved [1].")
      .def_readonly("residual_after", &RunReport::residual_after,
                    "float : largest residual for the states after the steps [1].")
      .def_property_readonly(
          "end", [](const RunReport& r) { return r.stopped ? "stopped" : "reached"; },
          "str : 'reached', or 'stopped' by the progress function.")
      .def("__repr__", [](const RunReport& r) {
        return py::str(
                   "<saltus.RunReport {} after {} steps, t = {:.9g} s, {:.3g} s of wall time, "
                   "residual {:.3g}>")
            .format(r.stopped ? "stopped" : "reached its end", r.steps, r.t, r.wall, r.residual);
      });
}

}  // namespace saltus::python
