// ModelParts: models built in code from objects of either language, or from the parts of an
// existing model.
#include <pybind11/stl.h>

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "contact_solver.h"
#include "core.h"
#include "extend.h"
#include "model_parts.h"
#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/contact/jointed.h"
#include "saltus/scene/joint_assembly.h"

namespace saltus::python {

namespace {

// ---- the parts of an existing model

/// The parts without additions of Model itself: the grouping by joints, and its own warnings.
std::shared_ptr<PartsObject> parts_of(const Model& given) {
  const Model model = given.without_applied_forces();
  auto made = std::make_shared<PartsObject>();
  ModelParts& parts = made->parts;
  const auto keep = std::make_shared<const Model>(model);
  for (const Group& group : model.groups()) {
    parts.groups.push_back(group);
    if (const auto* jointed = dynamic_cast<const Jointed*>(group.dynamics.get()))
      parts.groups.back().dynamics = {keep, &jointed->body()};
    parts.group_path.push_back(group.name);
  }
  parts.initial.assign(model.initial().begin(), model.initial().end());
  parts.pairs.assign(model.pairs().begin(), model.pairs().end());
  parts.laws.assign(model.laws().begin(), model.laws().end());
  parts.surfaces = model.surfaces();
  parts.joints.assign(model.joints().begin(), model.joints().end());
  parts.couplings.assign(model.couplings().begin(), model.couplings().end());
  parts.joint_laws.assign(model.joint_laws().begin(), model.joint_laws().end());
  parts.actuators.assign(model.actuators().begin(), model.actuators().end());
  parts.running.assign(model.running().begin(), model.running().end());
  parts.probes.assign(model.probes().begin(), model.probes().end());
  parts.solver = {keep, &model.solver()};
  parts.options = model.options();
  // one per law and joint, so that entries added later follow these
  ModelParts own = model.parts();
  parts.law_path = std::move(own.law_path);
  for (std::size_t i = parts.law_path.size(); i < parts.laws.size(); ++i)
    parts.law_path.push_back(fmt::format("laws[{}]", i));
  parts.joint_path = std::move(own.joint_path);
  for (std::size_t i = parts.joint_path.size(); i < parts.joints.size(); ++i)
    parts.joint_path.push_back(fmt::format("joints[{}]", i));
  const Model bare(parts);
  for (const std::string& text : model.warnings())
    if (std::ranges::find(bare.warnings(), text) == bare.warnings().end())
      parts.warnings.push_back(text);
  return made;
}

Model build_parts(const PartsObject& self) {
  const ModelParts& parts = self.parts;
  if (parts.groups.empty()) wrong("ModelParts: there is no group; add_group() adds one");
  if (!parts.solver) wrong("ModelParts: there is no solver");
  if (!(parts.options.h > 0.0) || !std::isfinite(parts.options.h))
    wrong("ModelParts: options(h=...) is missing: the step [s], > 0");
  if (!(parts.options.end > 0.0) || !std::isfinite(parts.options.end))
    wrong("ModelParts: options(end=...) is missing: end of the run [s], > 0");
  for (std::size_t g = 0; g < parts.groups.size(); ++g)
    expect_mass(*parts.groups[g].dynamics, parts.initial[g].q);
  // Keys must increase over the pairs and then the laws on joints, in whatever order they were
  // added.
  ModelParts numbered = parts;
  std::uint64_t key = 0;
  for (ContactPair& pair : numbered.pairs) pair.key = key++;
  for (JointLaw& law : numbered.joint_laws) law.key = key++;
  if (!numbered.joints.empty()) {
    const Model checked(numbered);
    assemble_again(numbered);
  }
  return Model(std::move(numbered));
}

// ---- groups

void set_state(PartsObject& self, const py::object& group, const std::optional<Doubles>& q,
               const std::optional<Doubles>& v) {
  const std::size_t g = self.group(group);
  const Dynamics& body = *self.parts.groups[g].dynamics;
  const std::string& name = self.parts.groups[g].name;
  GroupState& state = self.parts.initial[g];
  const auto read = [&](const std::optional<Doubles>& x, int size, const char* what, Vector& out) {
    if (!x) return;
    if (x->ndim() != 1 || x->size() != size)
      wrong("{} of group '{}' has {} elements, its dynamics {} {}", what, name, x->size(), size,
            std::string_view(what) == "q" ? "positions" : "velocities");
    for (int i = 0; i < size; ++i)
      if (!std::isfinite(x->data()[i]))
        wrong("{}[{}] of group '{}' is {}", what, i, name, x->data()[i]);
    out = Eigen::Map<const Vector>(x->data(), size);
  };
  read(q, body.positions(), "q", state.q);
  read(v, body.velocities(), "v", state.v);
}

/// hold() with a message that names the argument.
template <class T>
std::shared_ptr<const T> held(const py::object& object, const char* what) {
  if (!py::isinstance<T>(object))
    throw py::type_error(
        fmt::format("{} is {}, not a saltus.{}", what, py::repr(object).cast<std::string>(),
                    py::type::of<T>().attr("__name__").template cast<std::string>()));
  return hold<T>(object);
}

int add_group(PartsObject& self, const std::string& name, const py::object& dynamics,
              const py::object& scheme, const std::optional<Doubles>& q,
              const std::optional<Doubles>& v, const std::string& kind,
              std::vector<std::string> bodies) {
  ModelParts& parts = self.parts;
  if (name.empty()) wrong("a group needs a name");
  for (const Group& group : parts.groups)
    if (group.name == name) wrong("group '{}' already exists", name);
  Group group{name, kind, held<Dynamics>(dynamics, "dynamics"), held<Scheme>(scheme, "scheme"),
              std::move(bodies)};
  const int positions = group.dynamics->positions(), velocities = group.dynamics->velocities();
  if (!q && has(group.dynamics->traits(), Trait::rotations))
    wrong(
        "group '{}': q is required, since its positions contain rotations, for which 0 is not "
        "valid",
        name);
  if (!group.bodies.empty() && static_cast<int>(group.bodies.size()) != group.dynamics->bodies())
    wrong("group '{}' has {} names of bodies, its dynamics {} bodies", name, group.bodies.size(),
          group.dynamics->bodies());
  parts.groups.push_back(std::move(group));
  parts.initial.push_back({Vector::Zero(positions), Vector::Zero(velocities), {}});
  parts.group_path.push_back(name);
  const int index = static_cast<int>(parts.groups.size()) - 1;
  try {
    set_state(self, py::int_(index), q, v);
  } catch (...) {
    parts.groups.pop_back();
    parts.initial.pop_back();
    parts.group_path.pop_back();
    throw;
  }
  return index;
}

// ---- pairs

int law_index(const ModelParts& parts, int law) {
  if (law < 0 || law >= static_cast<int>(parts.laws.size()))
    wrong("there is no law {}; add_law() has returned {}", law,
          parts.laws.empty() ? std::string("none") : fmt::format("0 to {}", parts.laws.size() - 1));
  return law;
}

int add_pair(PartsObject& self, const py::object& a, const py::object& b, const Vector3& normal,
             int law, const std::optional<std::vector<Vector3>>& tangents, double distance) {
  ModelParts& parts = self.parts;
  ContactPair pair;
  if (!std::isfinite(distance)) wrong("distance is {}", distance);
  pair.distance = distance;
  pair.a = self.side(a, "a");
  pair.b = self.side(b, "b");
  if (pair.a.group < 0) wrong("side a of a pair must be a point of a group; the world is side b");
  pair.normal = unit(normal, "normal");
  pair.law = law_index(parts, law);
  const bool rubs = parts.laws[static_cast<std::size_t>(law)]->facts().friction.coefficient > 0.0;
  if (tangents) {
    if (tangents->size() > 2) wrong("a pair has at most 2 tangents, not {}", tangents->size());
    pair.tangents = static_cast<int>(tangents->size());
    for (std::size_t t = 0; t < tangents->size(); ++t) {
      pair.tangent[t] = unit((*tangents)[t], "tangent");
      const double along = pair.tangent[t].dot(pair.normal),
                   other = t == 1 ? pair.tangent[0].dot(pair.tangent[1]) : 0.0;
      if (std::abs(along) > 1e-12 || std::abs(other) > 1e-12)
        wrong(
            "tangents must be perpendicular to the normal and to each other, and tangent {} is not",
            t);
    }
  } else if (rubs) {
    Eigen::Index least = 0;
    pair.normal.cwiseAbs().minCoeff(&least);
    const Vector3 axis = Vector3::Unit(least);
    pair.tangents = 2;
    pair.tangent[0] = (axis - axis.dot(pair.normal) * pair.normal).normalized();
    pair.tangent[1] = pair.normal.cross(pair.tangent[0]);
  }
  if (rubs && pair.tangents == 0) wrong("law {} has friction, but the pair has no tangents", law);
  parts.pairs.push_back(pair);
  return static_cast<int>(parts.pairs.size()) - 1;
}

// ---- probes

int add_probe(PartsObject& self, const std::string& name, const py::object& at,
              const Vector3& direction, const std::string& quantity) {
  ModelParts& parts = self.parts;
  for (const Probe& other : parts.probes)
    if (other.name == name) wrong("probe '{}' already exists", name);
  const ContactSide side = self.side(at, "at");
  if (side.group < 0) wrong("a probe needs a point of a group");
  Probe probe;
  probe.name = name;
  probe.group = side.group;
  probe.point = side.ref;
  probe.direction = unit(direction, "direction");
  if (quantity == "displacement")
    probe.quantity = Probe::Quantity::displacement;
  else if (quantity != "velocity")
    wrong("quantity is '{}' (velocity or displacement)", quantity);
  const auto g = static_cast<std::size_t>(side.group);
  Vector x(3);
  parts.groups[g].dynamics->points(0.0, parts.initial[g].q, std::span(&probe.point, 1), x);
  probe.rest = probe.direction.dot(x.head<3>());
  parts.probes.push_back(std::move(probe));
  return static_cast<int>(parts.probes.size()) - 1;
}

// ---- options

template <class Choice>
void choose(Choice& out, const py::handle& value, const std::string& name) {
  const std::string text = py::str(value).cast<std::string>();
  std::vector<std::string_view> names;
  for (const auto& named : names_of(Choice{})) {
    if (named.name == text) {
      out = named.value;
      return;
    }
    names.push_back(named.name);
  }
  wrong("options: {} is '{}' ({})", name, text, did_you_mean(text, names));
}

/// The value of an option as a T; `wanted` is the type in words.
template <class T>
T option(const std::string& name, const py::handle& value, const char* wanted) {
  try {
    return value.cast<T>();
  } catch (const py::cast_error&) {
    wrong("options: {} is {} ({})", name, py::repr(value).cast<std::string>(), wanted);
  }
}

/// Sets options of event-driven integration from a dict.
void set_events(EventOptions& events, const py::handle& given) {
  static constexpr std::string_view kNames[] = {"method", "tolerance", "impacts",  "zeno",
                                                "limit",  "closed",    "hand_over"};
  if (!py::isinstance<py::dict>(given))
    wrong("options: events is {} (a dict)", py::repr(given).cast<std::string>());
  for (const auto& [key, value] : given.cast<py::dict>()) {
    const std::string name = py::str(key).cast<std::string>();
    if (name == "method")
      choose(events.method, value, "events." + name);
    else if (name == "tolerance")
      events.tolerance = option<double>("events." + name, value, "a number");
    else if (name == "impacts")
      choose(events.impacts, value, "events." + name);
    else if (name == "zeno")
      events.zeno = option<double>("events." + name, value, "a number");
    else if (name == "limit")
      events.limit = option<int>("events." + name, value, "a whole number");
    else if (name == "closed")
      events.closed = option<int>("events." + name, value, "a whole number");
    else if (name == "hand_over")
      events.hand_over = option<bool>("events." + name, value, "True or False");
    else
      wrong("options: there is no option 'events.{}' ({})", name, did_you_mean(name, kNames));
  }
}

void set_options(PartsObject& self, const py::kwargs& given) {
  StepOptions options = self.parts.options;
  const auto positive = [](const std::string& name, double x, bool zero) {
    if (!std::isfinite(x) || x < 0.0 || (x == 0.0 && !zero))
      wrong("options: {} is {} (a number {} 0)", name, x, zero ? ">=" : ">");
    return x;
  };
  const auto number = [&](const std::string& name, const py::handle& value, bool zero) {
    return positive(name, option<double>(name, value, "a number"), zero);
  };
  const auto time = [&](const std::string& name, const py::handle& value) {
    return positive(name, seconds_of("options: " + name, value), false);
  };
  const auto whole = [&](const std::string& name, const py::handle& value, bool zero) {
    const double x = number(name, value, zero);
    if (x != std::floor(x) || x > std::numeric_limits<int>::max())
      wrong("options: {} is {} (a whole number)", name, x);
    return static_cast<int>(x);
  };
  static constexpr std::string_view kNames[] = {"h",
                                                "end",
                                                "instant",
                                                "on_failure",
                                                "tolerance",
                                                "iterations",
                                                "ledger",
                                                "correct_positions",
                                                "joints_in_stages",
                                                "joints",
                                                "bilateral",
                                                "pass_tolerance",
                                                "pass_limit",
                                                "mode",
                                                "events",
                                                "step_tolerance"};
  for (const auto& [key, value] : given) {
    const std::string name = py::str(key).cast<std::string>();
    if (name == "h")
      options.h = time(name, value);
    else if (name == "end")
      options.end = time(name, value);
    else if (name == "instant")
      choose(options.instant, value, name);
    else if (name == "on_failure")
      choose(options.on_failure, value, name);
    else if (name == "tolerance")
      options.contact.tolerance = number(name, value, false);
    else if (name == "iterations")
      options.contact.iterations = whole(name, value, false);
    else if (name == "ledger")
      options.ledger = option<bool>(name, value, "True or False");
    else if (name == "correct_positions")
      options.correct_positions = option<bool>(name, value, "True or False");
    else if (name == "joints_in_stages")
      options.joints_in_stages = option<bool>(name, value, "True or False");
    else if (name == "joints")
      choose(options.joints, value, name);
    else if (name == "bilateral")
      choose(options.bilateral, value, name);
    else if (name == "pass_tolerance")
      options.pass_tolerance = number(name, value, true);
    else if (name == "pass_limit")
      options.pass_limit = whole(name, value, true);
    else if (name == "mode" || name == "lane")  // its former name
      choose(options.mode, value, name);
    else if (name == "events")
      set_events(options.events, value);
    else if (name == "step_tolerance")
      options.step_tolerance = number(name, value, true);
    else
      wrong("there is no option '{}' ({})", name, did_you_mean(name, kNames));
  }
  self.parts.options = options;
}

}  // namespace

void expect_finite(const Vector3& x, const char* what) {
  if (!x.allFinite()) wrong("{} is [{}, {}, {}] (3 finite numbers)", what, x[0], x[1], x[2]);
}

Vector3 unit(const Vector3& x, const char* what) {
  const double length = x.norm();
  if (!std::isfinite(length) || !(length > 0.0))
    wrong("{} is [{}, {}, {}], which has no direction", what, x[0], x[1], x[2]);
  return x / length;
}

std::size_t PartsObject::group(const py::handle& group) const {
  if (py::isinstance<py::str>(group)) {
    const std::string name = group.cast<std::string>();
    std::vector<std::string_view> names;
    for (std::size_t g = 0; g < parts.groups.size(); ++g) {
      if (parts.groups[g].name == name) return g;
      names.push_back(parts.groups[g].name);
    }
    wrong("there is no group '{}' ({})", name, did_you_mean(name, names));
  }
  int index = -1;
  try {
    index = group.cast<int>();
  } catch (const py::cast_error&) {
    wrong("a group is {} (expected its name or index)", py::repr(group).cast<std::string>());
  }
  if (index < 0 || index >= static_cast<int>(parts.groups.size()))
    wrong("there is no group {} of {}", index, parts.groups.size());
  return static_cast<std::size_t>(index);
}

ContactSide PartsObject::side(const py::handle& given, const char* what) const {
  ContactSide side;
  if (py::isinstance<Side>(given)) {
    const auto& s = given.cast<const Side&>();
    side.group = static_cast<int>(group(s.group));
    side.ref = s.ref;
    const Dynamics& body = *parts.groups[static_cast<std::size_t>(side.group)].dynamics;
    if (s.ref.body < 0 || s.ref.body >= body.bodies())
      wrong("{}: group '{}' has no body {}", what,
            parts.groups[static_cast<std::size_t>(side.group)].name, s.ref.body);
    return side;
  }
  try {
    side.ref.local = given.cast<Vector3>();
  } catch (const py::cast_error&) {
    wrong("{} must be a Point of a group, or a place [x, y, z] of the world", what);
  }
  expect_finite(side.ref.local, what);
  return side;
}

void bind_parts(py::module_& m) {
  py::class_<Side>(m, "Point",
                   R"(A point of a group, for pairs, joints and probes of ModelParts.

Parameters
----------
group : str or int
    Name or index.
local : sequence of 3 floats
    Position on the body in its own frame [m]; for modal bodies local[0] is the place along the body.
feature : int
    Number of the degree of freedom (linear), particle, node or named point (lagrangian).
body : int
    Number of the body in a group of several.)")
      .def(py::init([](py::object group, const Vector3& local, int feature, int body) {
             expect_finite(local, "Point: local");
             return Side{std::move(group), {body, feature, local}};
           }),
           py::arg("group"), py::arg("local") = Vector3(Vector3::Zero()), py::arg("feature") = 0,
           py::arg("body") = 0);

  using P = PartsObject;
  py::class_<P, std::shared_ptr<P>> cls(
      m, "ModelParts",
      R"(The parts of a Model: groups, laws, contact pairs of points, surfaces, joints, probes, solver.

    parts = saltus.ModelParts()
    parts.options(h=1e-3, end=1.0)
    parts.add_group("mass", saltus.linear(mass=[[2.0]], stiffness=[[50.0]]), saltus.scheme("moreau-jean"), v=[-1.0])
    wall = parts.add_law("newton-impact", restitution=0.5)
    parts.add_pair(saltus.Point("mass"), [0, 0, -0.1], normal=[0, 0, 1], law=wall)
    model = parts.build()

ModelParts.of(scene or model) starts from existing parts: scheme, solver or body of a scene can then be replaced.)");
  cls.def(py::init<>())
      .def_static("_of", &parts_of, py::arg("model"))
      .def("build", &build_parts, R"(Builds and checks the Model. Can be called again after changes.

Joints and couplings are closed as in a scene: bodies that violate one are moved, and incompatible velocities are changed
by the smallest impulse that makes them compatible, both with a line in Model.warnings. The states of these parts do not
change.

Raises
------
SceneError
    If the parts do not match, with the name of the group, law or joint; if joints cannot be closed, or drives prescribe
    motions that the bodies cannot perform.
UsageError
    If something is missing.)")
      .def("add_group", &add_group, py::arg("name"), py::arg("dynamics"), py::arg("scheme"),
           py::arg("q") = py::none(), py::arg("v") = py::none(), py::arg("kind") = "custom",
           py::arg("bodies") = std::vector<std::string>(),
           R"(Adds bodies integrated by one scheme; returns the index of the group.

Parameters
----------
name : str
dynamics : Dynamics
    From linear(), modal(), dynamics_of(entry), or an object of a class derived from Dynamics.
scheme : Scheme
    From scheme(name), or an object of a class derived from Scheme.
q : array, shape (positions,), optional
    At t = 0; zeros if not given, which is not valid for bodies with rotations.
v : array, shape (velocities,), optional
    Physical velocity at t = 0; zeros if not given.
kind : str
    For display only.
bodies : list of str
    Names of the bodies, if the group has several.)")
      .def_property_readonly(
          "groups", [](const P& self) { return self.parts.groups; },
          "List of Group, copies of the current ones.")
      .def(
          "set_scheme",
          [](P& self, const py::object& group, const py::object& scheme) {
            self.parts.groups[self.group(group)].scheme = held<Scheme>(scheme, "scheme");
          },
          py::arg("group"), py::arg("scheme"), "Replaces the scheme of a group (name or index).")
      .def(
          "set_dynamics",
          [](P& self, const py::object& group, const py::object& dynamics) {
            Group& to = self.parts.groups[self.group(group)];
            auto body = held<Dynamics>(dynamics, "dynamics");
            if (body->positions() != to.dynamics->positions() ||
                body->velocities() != to.dynamics->velocities())
              wrong(
                  "the dynamics of group '{}' have {} positions and {} velocities, the new ones {} "
                  "and {}",
                  to.name, to.dynamics->positions(), to.dynamics->velocities(), body->positions(),
                  body->velocities());
            to.dynamics = std::move(body);
          },
          py::arg("group"), py::arg("dynamics"),
          "Replaces the dynamics of a group by others of the same size.")
      .def("set_state", &set_state, py::arg("group"), py::arg("q") = py::none(),
           py::arg("v") = py::none(),
           "Sets q and v of a group at t = 0; values that are not given remain.")
      .def(
          "state",
          [](const P& self, const py::object& group) {
            const GroupState& s = self.parts.initial[self.group(group)];
            return py::make_tuple(read_only(copy_of(s.q)), read_only(copy_of(s.v)));
          },
          py::arg("group"),
          "(q, v) of a group at t = 0, read-only copies: use `set_state` to change them.")
      .def(
          "add_pair", &add_pair, py::arg("a"), py::arg("b"), py::arg("normal"), py::arg("law"),
          py::arg("tangents") = py::none(), py::arg("distance") = 0.0,
          R"(Adds two points with possible contact along a fixed normal; returns the index of the pair.

Parameters
----------
a : Point
b : Point, or place [x, y, z] in the world [m]
normal : sequence of 3 floats
    From b to a, of any length: gap = n . (x_a - x_b) - distance.
law : int
    From add_law().
tangents : list of 0 to 2 directions, optional
    Directions of friction, perpendicular to the normal and to each other; if the law has friction, by default two directions
    chosen by the program.
distance : float
    Distance of the points along the normal at which the contact closes [m].)")
      .def("add_probe", &add_probe, py::arg("name"), py::arg("at"),
           py::arg("direction") = Vector3(Vector3::UnitZ()), py::arg("quantity") = "velocity",
           "Adds a probe for a Point `at` along a direction, with a name; returns its index. "
           "quantity: 'velocity' [m/s] or 'displacement' [m].")
      .def_property(
          "solver",
          [](const P& self) {
            return py::cast(std::const_pointer_cast<ContactSolver>(self.parts.solver));
          },
          [](P& self, const py::object& solver) { self.parts.solver = solver_of(solver); },
          "ContactSolver of all contact problems; assign an object or a name.")
      .def(
          "options", &set_options,
          R"(Sets options of the step: h and end (a number [s], or a text with its unit, '1 ms'), instant, on_failure, tolerance,
iterations (of the contact solver), ledger, correct_positions, joints, bilateral, joints_in_stages, pass_tolerance, pass_limit,
mode, step_tolerance (`time.tolerance` of time stepping), events (a dict: the section `events` of scenes, and tolerance).
Values as in scenes.)")
      .def_property_readonly(
          "h", [](const P& self) { return self.parts.options.h; }, "Step [s].")
      .def_property_readonly(
          "end", [](const P& self) { return self.parts.options.end; }, "End of the run [s].")
      .def_property_readonly(
          "pairs", [](const P& self) { return self.parts.pairs.size(); }, "Number of groups.")
      .def_property_readonly(
          "laws", [](const P& self) { return self.parts.laws.size(); }, "Number of laws.")
      .def_property_readonly(
          "joints", [](const P& self) { return self.parts.joints.size(); }, "Number of joints.")
      .def_property_readonly(
          "probes", [](const P& self) { return self.parts.probes.size(); }, "Number of probes.")
      .def("__repr__", [](const P& self) {
        return fmt::format(
            "<saltus.ModelParts: {} groups, {} laws, {} pairs, {} shapes, {} joints>",
            self.parts.groups.size(), self.parts.laws.size(), self.parts.pairs.size(),
            self.parts.surfaces.colliders.size(), self.parts.joints.size());
      });
  bind_part_joints(cls);
  bind_part_surfaces(m, cls);
  bind_makers(m, cls);
  bind_law(cls);
  bind_mesh(m);
}

}  // namespace saltus::python
