// Models: groups, pairs, laws, joints, probes and options, as checked.
#include <pybind11/stl.h>

#include "core.h"
#include "gil.h"
#include "saltus/phases/build_run.h"
#include "saltus/scene/scene_faults.h"
#include "saltus/spec/joint_spec.h"

namespace saltus::python {
namespace {

std::vector<std::string> bodies_of(const Group& group) {
  return group.bodies.empty() ? std::vector{group.name} : group.bodies;
}

py::tuple array3(const Vector3& x) { return py::make_tuple(x[0], x[1], x[2]); }

/// Number of the first body of each group among all bodies.
std::vector<int> first_bodies(const Model& model) {
  std::vector<int> first{0};
  for (const Group& group : model.groups())
    first.push_back(first.back() + static_cast<int>(std::max<std::size_t>(group.bodies.size(), 1)));
  return first;
}

/// (group, body, place) of a side; group -1: the world.
py::tuple side_tuple(int group, const PointRef& ref) {
  return py::make_tuple(group, ref.body, array3(ref.local));
}

py::list pairs_of(const Model& model) {
  py::list pairs;
  for (const ContactPair& pair : model.pairs())
    pairs.append(py::make_tuple(pair.key, side_tuple(pair.a.group, pair.a.ref),
                                side_tuple(pair.b.group, pair.b.ref), array3(pair.normal), pair.law,
                                pair.tangents, pair.distance));
  return pairs;
}

/// Name and parameters of each law.
py::list laws_of(const Model& model) {
  py::list laws;
  for (const AnyLaw& law : model.laws()) {
    py::dict numbers;
    for (const LawNumber& one : law->numbers()) numbers[text_of(one.name)] = one.value;
    laws.append(py::make_tuple(text_of(law->name()), numbers));
  }
  return laws;
}

py::list joints_of(const Model& model) {
  py::list joints;
  for (const Joint& joint : model.joints()) {
    py::list coordinates;
    for (int i = 0; i < independent_count(joint.kind); ++i)
      coordinates.append(text_of(coordinate_name(joint.kind, i)));
    joints.append(py::make_tuple(text_of(joint.name), text_of(name_of(joint.kind)),
                                 side_tuple(joint.a.group, joint.a.ref),
                                 side_tuple(joint.b.group, joint.b.ref), coordinates));
  }
  return joints;
}

/// (name, joint, coordinate, kind)
py::list actuators_of(const Model& model) {
  py::list actuators(model.actuators().size());
  for (const JointLaw& law : model.joint_laws()) {
    if (law.actuator < 0) continue;
    const auto i = static_cast<std::size_t>(law.actuator);
    constexpr std::array kKinds{"motor", "servo", "effort"};
    const Joint& joint = model.joints()[static_cast<std::size_t>(law.joint)];
    actuators[i] = py::make_tuple(text_of(law.name), text_of(joint.name),
                                  text_of(coordinate_name(joint.kind, law.coordinate)),
                                  kKinds[static_cast<std::size_t>(model.actuators()[i].kind)]);
  }
  return actuators;
}

py::list probes_of(const Model& model) {
  py::list probes;
  for (const Probe& probe : model.probes())
    probes.append(py::make_tuple(text_of(probe.name), text_of(name_of(probe.quantity)),
                                 text_of(unit_of(probe, model.joints()))));
  return probes;
}

py::dict options_of(const Model& model) {
  const StepOptions& o = model.options();
  py::dict options;
  options["h"] = o.h;
  options["end"] = o.end;
  options["instant"] = text_of(name_of(o.instant));
  options["on_failure"] = text_of(name_of(o.on_failure));
  options["solver"] = text_of(model.solver().name());
  options["tolerance"] = o.contact.tolerance;
  options["iterations"] = o.contact.iterations;
  options["pass_tolerance"] = o.pass_tolerance;
  options["pass_limit"] = o.pass_limit;
  options["ledger"] = o.ledger;
  options["correct_positions"] = o.correct_positions;
  options["joints"] = text_of(name_of(o.joints));
  options["joints_in_stages"] = o.joints_in_stages;
  options["bilateral"] = text_of(name_of(o.bilateral));
  options["mode"] = text_of(name_of(o.mode));
  options["lane"] = options["mode"];  // its former name
  options["step_tolerance"] = o.step_tolerance;
  py::dict events;
  events["method"] = text_of(name_of(o.events.method));
  events["tolerance"] = o.events.tolerance;
  events["impacts"] = text_of(name_of(o.events.impacts));
  events["zeno"] = o.events.zeno;
  events["limit"] = o.events.limit;
  events["closed"] = o.events.closed;
  events["hand_over"] = o.events.hand_over;
  options["events"] = events;
  return options;
}

/// A shared object of the engine as a Python property.
template <typename T>
py::object shared(const std::shared_ptr<const T>& of) {
  return py::cast(std::const_pointer_cast<T>(of));
}

}  // namespace

void bind_model(py::module_& m) {
  py::class_<Group>(m, "Group", "Bodies of one kind, integrated by one scheme.")
      .def_property_readonly(
          "name", [](const Group& g) { return text_of(g.name); },
          "str : name of the body, or of the first of several.")
      .def_property_readonly(
          "kind", [](const Group& g) { return text_of(g.kind); }, "str : kind of its bodies.")
      .def_property_readonly("bodies", &bodies_of, "list of str : names of its bodies.")
      .def_property_readonly(
          "scheme_name", [](const Group& g) { return text_of(g.scheme->name()); },
          "str : name of its scheme.")
      .def_property_readonly(
          "scheme", [](const Group& g) { return shared(g.scheme); },
          "Scheme : the scheme that integrates it.")
      .def_property_readonly(
          "dynamics", [](const Group& g) { return shared(g.dynamics); },
          "Dynamics : its equation of motion.")
      .def_property_readonly(
          "positions", [](const Group& g) { return g.dynamics->positions(); }, "int : size of q.")
      .def_property_readonly(
          "velocities", [](const Group& g) { return g.dynamics->velocities(); },
          "int : size of v.");

  py::class_<Model>(m, "Model",
                    R"(A checked, immutable model: groups of bodies, laws, joints, the step.

Models are built by `Scene.build()` or, in code, by `ModelParts.build()`. Copies share their data, and several
simulations can use one model.
)")
      .def_property_readonly(
          "_groups",
          [](const py::object& self) {
            py::list groups;
            for (const Group& group : self.cast<const Model&>().groups())
              groups.append(py::cast(&group, py::return_value_policy::reference_internal, self));
            return groups;
          })
      .def_property_readonly("_fixed_bodies",
                             [](const Model& model) { return model.surfaces().fixed_names; })
      .def_property_readonly(
          "accounts",
          [](const Model& model) {
            return std::vector<std::string>(model.accounts().begin(), model.accounts().end());
          },
          "list of str : names of the accounts of the ledger.")
      .def_property_readonly(
          "warnings",
          [](const Model& model) {
            return std::vector<std::string>(model.warnings().begin(), model.warnings().end());
          },
          "list of str : warnings about valid but doubtful input, one line each.")
      .def_property_readonly(
          "h", [](const Model& model) { return model.options().h; }, "float : the step [s].")
      .def_property_readonly(
          "end", [](const Model& model) { return model.options().end; },
          "float : end of the run [s].")
      .def_property_readonly("_first_bodies", &first_bodies)
      .def_property_readonly("_pairs", &pairs_of)
      .def_property_readonly("_laws", &laws_of)
      .def_property_readonly("_joints", &joints_of)
      .def_property_readonly("_probes", &probes_of)
      .def_property_readonly("_actuators", &actuators_of)
      .def_property_readonly("options", &options_of,
                             "dict : the step, the instant of contacts, the solver and its limits.")
      .def_property_readonly(
          "islands",
          [](const Model& model) {
            return std::vector<int>(model.islands().begin(), model.islands().end());
          },
          "list of int : island of each group; groups that can be in contact share an island and a "
          "contact problem.")
      .def("with_ledger", &Model::with_ledger, py::arg("ledger"),
           "The same model with (ledger=True) or without the ledger of every step.");

  // defined here, where the name Model is available for the signature
  py::class_<SceneObject, std::shared_ptr<SceneObject>>(m.attr("Scene"))
      .def(
          "build",
          [](const SceneObject& s) {
            return s.scene.spec.start ? build_run(s.scene) : build_or_find_faults(s.scene);
          },
          py::call_guard<Others>(),
          R"(The checked model of this scene.

Returns
-------
Model

Raises
------
SceneError
    With file, line and column of each faulty entry.
)");
}

}  // namespace saltus::python
