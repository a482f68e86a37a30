#include "saltus/scene/build_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "saltus/bodies/shape_table.h"
#include "saltus/scene/build_kinds.h"
#include "saltus/scene/touch_points.h"
#include "saltus/spec/body_names.h"

namespace saltus {
namespace {

struct Asked {
  const Scene& scene;
  const OutputSpec& spec;
  const NamedBuilt& of;
  const BuiltBody& built;
  const BodySpec& body;
  std::string path;  ///< "outputs[0]"

  bool named() const {
    const auto* at = std::get_if<NumberOrName>(&*spec.at);
    return at && at->is_name();
  }
  int index(int count, const char* what) const {
    const auto* at = std::get_if<NumberOrName>(&*spec.at);
    if (!at) touch_point(of, *spec.at, path + ".at");  // says that it is no point
    return index_at(*at, count, what, path + ".at");
  }
};

using Table = std::shared_ptr<const PointTable>;

Table modal_table(const Asked& a) {
  const Modal& body = *a.built.modal;
  if (!body.has_shapes())
    throw SceneError(a.path + ".probe",
                     "'" + a.spec.probe + "' has no points: its modes have no shapes",
                     "give bodies[].modes.shapes");
  const TouchPoint point = touch_point(a.of, *a.spec.at, a.path + ".at");
  const double limit = a.spec.modes == OutputSpec::Modes::all
                           ? std::numeric_limits<double>::infinity()
                           : 2.0 * std::numbers::pi * 0.45 / a.scene.spec.time.h();
  return body.probe(point.ref.local.x(), limit);
}

/// One coordinate of a body: degree of freedom or coordinate number `dof`.
Table coordinate_table(const Asked& a, int dof) {
  const int free = a.built.free_index(dof);
  if (free < 0)
    throw SceneError(a.path + ".at",
                     fmt::format("degree of freedom {} of '{}' is prescribed: its motion is given",
                                 dof, a.body.name),
                     "probe another one");
  Matrix S = Matrix::Zero(1, a.built.dynamics->velocities());
  S(0, free) = 1.0;
  return dense_table(S, Vector::Zero(1));
}

Table particle_table(const Asked& a) {
  const TouchPoint point = touch_point(a.of, *a.spec.at, a.path + ".at");
  const std::array direction{
      unit_vector(a.spec.direction.value_or(std::array{0.0, 0.0, 1.0}), a.path + ".direction")};
  for (int axis = 0; axis < 3; ++axis)
    if (direction[0][axis] != 0.0 && a.built.free_index(3 * point.ref.feature + axis) < 0)
      throw SceneError(
          a.path + ".at",
          fmt::format("degree of freedom {} of '{}' is prescribed: its motion is given",
                      3 * point.ref.feature + axis, a.body.name),
          "give a direction without it, or probe another particle");
  Matrix S = Matrix::Zero(1, a.built.dynamics->velocities());
  for (int axis = 0; axis < 3; ++axis)
    if (direction[0][axis] != 0.0)
      S(0, a.built.free_index(3 * point.ref.feature + axis)) = direction[0][axis];
  return dense_table(S, Vector::Zero(1));
}

/// A named point, or null where `at` is the number of a coordinate.
Table lagrangian_table(const Asked& a) {
  if (a.named()) return nullptr;
  return coordinate_table(a, a.index(a.built.dofs, "coordinate"));
}

void expect_direction(const Asked& a) {
  if (!a.spec.direction || a.built.particles || (a.built.lagrangian && a.named())) return;
  throw SceneError(a.path + ".direction", "is for particles, named points and bodies in space",
                   !a.built.reduced.empty()
                       ? "a body in its modes is heard along fem.modes.direction"
                   : a.built.modal ? "a body of kind modal is heard along its own direction"
                                   : "a coordinate has its own direction");
}

/// Null: a point of the body along a direction.
Table table_of(const Asked& a) {
  if (a.built.has_places() || a.built.beam) return nullptr;
  expect_direction(a);
  if (a.built.modal) return modal_table(a);
  if (a.built.lagrangian) return lagrangian_table(a);
  if (a.built.particles) return particle_table(a);
  return coordinate_table(a, a.index(a.built.dofs, "degree of freedom"));
}

/// Weights of Simulation::reactions() in the force along a direction on a node of a mesh, or on those of a set together.
Vector node_reactions(const Asked& a) {
  const BuiltBody& built = a.built;
  if (built.dynamics->prescribed() == 0)
    throw SceneError(a.path + ".quantity",
                     fmt::format("'{}' has no reactions: {}", a.body.name,
                                 a.body.fem->modes ? "it moves in its modes"
                                                   : "nothing of it is fixed or prescribed"),
                     "allowed: velocity, displacement");
  const auto* name = std::get_if<NumberOrName>(&*a.spec.at);
  const bool set = name && name->is_name();
  const std::vector<TouchPoint> points =
      set ? touch_points(a.of, AtSpec(*name), a.path)
          : std::vector{touch_point(a.of, *a.spec.at, a.path + ".at")};
  const Vector3 along =
      unit_vector(a.spec.direction.value_or(std::array{0.0, 0.0, 1.0}), a.path + ".direction");
  Vector weight = Vector::Zero(built.dynamics->prescribed());
  std::string free;  // the first point that can move along the direction
  bool any = false;
  for (const TouchPoint& point : points) {
    bool all = true, stopped = false;
    for (int axis = 0; axis < 3; ++axis) {
      if (along[axis] == 0.0) continue;
      const auto found = std::ranges::find(built.held, 3 * point.ref.feature + axis);
      if (found == built.held.end()) {
        all = false;
        continue;
      }
      weight[found - built.held.begin()] += along[axis];
      any = true;
    }
    // the forces of stops follow those of what is held
    if (built.massless) {
      const auto stops = built.massless->stops();
      for (std::size_t i = 0; i < stops.size(); ++i) {
        const double part = stops[i].normal.dot(along);
        if (stops[i].node != point.ref.feature || part == 0.0) continue;
        weight[static_cast<Eigen::Index>(built.held.size() + i)] += part;
        stopped = stopped || part > 1.0 - 1e-12;
        any = true;
      }
    }
    if (!all && !stopped && free.empty()) free = point.name;
  }
  // what is free along the direction has no reaction: of a set it adds nothing, of one point it is a mistake
  if (!any || (!free.empty() && points.size() == 1))
    throw SceneError(
        a.path + ".at",
        points.size() == 1
            ? fmt::format("{} of '{}' is free along the direction: it has no reaction", free,
                          a.body.name)
            : fmt::format("all nodes of '{}' are free along the direction: they have no reaction",
                          name->name),
        "a node of `fixed` or `prescribed`, or of `stops` along the normal");
  return weight;
}

/// Place of the degree of freedom `at` among the prescribed ones.
int reaction_of(const Asked& a) {
  const auto& held = a.body.prescribed;
  if (held.empty())
    throw SceneError(a.path + ".quantity",
                     "'" + a.body.name + "' has no reactions: nothing of it is prescribed",
                     "allowed: velocity, displacement");
  if (a.spec.direction)
    throw SceneError(a.path + ".direction", "is for particles, named points and bodies in space",
                     "a reaction acts along its degree of freedom");
  const int dof = a.index(a.built.dofs, "degree of freedom");
  const auto found = std::ranges::find(held, dof, &PrescribedSpec::dof);
  if (found == held.end()) {
    std::string list;
    for (const PrescribedSpec& one : held)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", one.dof);
    throw SceneError(
        a.path + ".at",
        fmt::format("degree of freedom {} of '{}' is free: it has no reaction", dof, a.body.name),
        "prescribed: " + list);
  }
  return static_cast<int>(found - held.begin());
}

void add_files(const OutputSpec& spec, Probe& probe) {
  probe.wav = spec.wav.value_or("");
  probe.csv = spec.csv.value_or("");
  probe.gain = spec.gain.value_or(0.0);
}

/// A coordinate of a joint or its rate; the group is one of its two.
Probe joint_probe(const Scene& scene, std::span<const Joint> joints, const OutputSpec& spec) {
  const NamedCoordinate of = *find_coordinate(scene.spec, spec.probe);
  Probe probe;
  probe.name = spec.name;
  probe.joint = static_cast<int>(of.joint);
  probe.coordinate = of.coordinate;
  const Joint& joint = joints[of.joint];
  probe.group = std::max(joint.a.group, joint.b.group);
  probe.quantity = spec.quantity == OutputSpec::Quantity::velocity ? Probe::Quantity::joint_rate
                                                                   : Probe::Quantity::joint;
  add_files(spec, probe);
  return probe;
}

}  // namespace

Probe probe_of(const Scene& scene, std::span<const BuiltBody> bodies,
               std::span<const GroupState> initial, std::span<const Joint> joints,
               std::size_t index) {
  const OutputSpec& spec = scene.spec.outputs[index];
  const std::string path = fmt::format("outputs[{}]", index);
  if (!find_body(scene.spec, spec.probe)) return joint_probe(scene, joints, spec);
  const NamedBuilt of = named_built(scene, bodies, spec.probe, path + ".probe");
  Probe probe;
  probe.name = spec.name;
  probe.group = of.built.group;
  const Asked asked{scene, spec, of, of.built, of.body, path};
  const bool reaction = spec.quantity == OutputSpec::Quantity::reaction;
  if (reaction && of.built.fem)
    probe.table = dense_table(node_reactions(asked).transpose(), Vector::Zero(1));
  else if (reaction)
    probe.reaction = reaction_of(asked);
  else
    probe.table = table_of(asked);
  if (!probe.table && !reaction) {
    probe.point = touch_point(of, *spec.at, path + ".at").ref;
    probe.direction =
        unit_vector(spec.direction.value_or(std::array{0.0, 0.0, 1.0}), path + ".direction");
    const std::array at{probe.point};
    Vector3 x;
    of.built.dynamics->points(0.0, initial[static_cast<std::size_t>(probe.group)].q, at, x);
    probe.rest = probe.direction.dot(x);
  }
  probe.quantity = reaction ? Probe::Quantity::reaction
                   : spec.quantity == OutputSpec::Quantity::velocity
                       ? Probe::Quantity::velocity
                       : Probe::Quantity::displacement;
  add_files(spec, probe);
  return probe;
}

}  // namespace saltus
