// What a step, a run and their contacts tell.
#include <pybind11/stl.h>

#include "core.h"
#include "saltus/results/statistics.h"

namespace saltus::python {
namespace {

/// A row of contacts(), sides as numbers.
struct ContactRow {
  std::uint64_t key;
  std::int32_t a, b, group_a, group_b, fixed_a, fixed_b, status;
  double point[3], normal[3], gap, impulse[3], moment[3], force[3];
};

/// A row of events(), the kind as a number.
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

  py::class_<StepReport>(m, "StepReport", R"(What one step did and how right it was.

A step that failed has `good` False and says in `failure` what is known; the state is then as it was before the step, unless
the scene says `on_failure: accept`.
)")
      .def_property_readonly(
          "good", [](const StepReport& r) { return r.converged && r.finite; },
          "bool : converged and finite.")
      .def_readonly("converged", &StepReport::converged,
                    "bool : contacts and equations of motion were solved.")
      .def_readonly("finite", &StepReport::finite, "bool : the motion is.")
      .def_readonly("passes", &StepReport::passes, "int : of Newton's method over the step.")
      .def_readonly("contacts", &StepReport::contacts, "int : that carry an impulse.")
      .def_readonly("iterations", &StepReport::iterations, "int : of the contact solver.")
      .def_readonly("halvings", &StepReport::halvings, "int : how often the step was cut in two.")
      .def_readonly("residual", &StepReport::residual,
                    "float : of the contact problem as solved [1].")
      .def_readonly("residual_after", &StepReport::residual_after,
                    "float : of the laws on the finished state [1].")
      .def_readonly("outstanding", &StepReport::outstanding,
                    "float : change of velocity that the last pass asked for [1].")
      .def_readonly("linear_residual", &StepReport::linear_residual,
                    "float : largest |b - A x|/|b| of linear iterations [1].")
      .def_readonly(
          "gap", &StepReport::gap,
          "float : smallest gap [m], inf where nothing is near that may touch; < 0: penetration.")
      .def_readonly("joint_gap", &StepReport::joint_gap,
                    "float : largest error of a joint [m], [rad].")
      .def_readonly("impulse", &StepReport::impulse, "float : sum of the normal impulses [N s].")
      .def_readonly("impact", &StepReport::impact,
                    "float : work of contacts, stops and springs of joints without friction [J].")
      .def_readonly("friction", &StepReport::friction, "float : work of friction [J].")
      .def_readonly("joints", &StepReport::joints, "float : work of the joints [J].")
      .def_readonly("unexplained", &StepReport::unexplained,
                    "float : change of energy that no account explains [J].")
      .def_readonly(
          "steps", &StepReport::steps,
          "int : that covered the step; in event-driven integration those of its integrator.")
      .def_readonly("rejected", &StepReport::rejected, "int : of them, made again, shorter.")
      .def_readonly("error", &StepReport::error,
                    "float : largest estimated error of one of them [1]; 0: not estimated.")
      .def_readonly("events", &StepReport::events,
                    "int : located in it, by event-driven integration: `Simulation.events`.")
      .def_readonly("evaluations", &StepReport::evaluations,
                    "int : of the forces, by event-driven integration.")
      .def_readonly("group", &StepReport::group, "int : where it failed, -1: no one group.")
      .def_property_readonly(
          "failure", [](const StepReport& r) { return text_of(r.failure); },
          "str : why, as far as the scheme knows; '' where nothing is known.")
      .def("__repr__", [](const StepReport& r) {
        py::str text("<saltus.StepReport {}: {} contacts, {} iterations, residual {:.3g}{}>");
        const bool good = r.converged && r.finite;
        return text.format(
            good ? "good" : "failed", r.contacts, r.iterations, r.residual,
            r.failure.empty() ? py::str("") : py::str(": {}").format(text_of(r.failure)));
      });

  py::class_<RunReport>(m, "RunReport", "How a run went.")
      .def_readonly("steps", &RunReport::steps, "int : made.")
      .def_readonly("halved", &RunReport::halved, "int : steps that were cut in two.")
      .def_readonly("t", &RunReport::t, "float : where it ended [s].")
      .def_readonly("wall", &RunReport::wall, "float : what it took [s].")
      .def_readonly("residual", &RunReport::residual,
                    "float : the worst of all steps, as solved [1].")
      .def_readonly("residual_after", &RunReport::residual_after,
                    "float : the worst on the finished states [1].")
      .def_property_readonly(
          "end", [](const RunReport& r) { return r.stopped ? "stopped" : "reached"; },
          "str : 'reached', or 'stopped' by the watch.")
      .def("__repr__", [](const RunReport& r) {
        return py::str(
                   "<saltus.RunReport {} after {} steps, t = {:.9g} s, {:.3g} s of wall time, "
                   "residual {:.3g}>")
            .format(r.stopped ? "stopped" : "reached its end", r.steps, r.t, r.wall, r.residual);
      });
}

}  // namespace saltus::python
