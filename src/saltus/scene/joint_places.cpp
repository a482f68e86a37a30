// Positions and axes of joints on their bodies.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/units.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/touch_points.h"
#include "saltus/model/moving_points.h"
#include "saltus/scene/build_joint.h"
#include "saltus/spec/body_names.h"

namespace saltus {
namespace {

/// relative to the largest entry of a mode shape: round-off at a place that does not move
constexpr double kStill = 1e-9;

/// One side of a joint during its placement.
struct SideMaking {
  std::string name, path;  ///< of the body; "joints[0].first"
  const JointSideSpec* own = nullptr;
  const BodySpec* body = nullptr;  ///< null: the world
  int group = -1;
  PointRef ref;
  bool frame = true;  ///< the side has axes that rotate with it, or is the world
  Pose user;          ///< the user's frame of the body, in space
  Pose at;            ///< the frame to which JointSide::ref refers
  bool placed = false;
  Vector3 x = Vector3::Zero();  ///< place in space
};

void place_in_frame(SideMaking& side, const Vector3& x) {
  side.x = x;
  side.placed = true;
  if (side.frame) side.ref.local = side.at.R.transpose() * (x - side.at.x);
}

/// The body of a side, and its place if the side defines one.
SideMaking make_side(const Scene& scene, std::span<const BuiltBody> bodies, StartFrames& frames,
                     const JointSpec& joint, std::size_t k, const std::string& path) {
  SideMaking side;
  side.name = joint.between[k];
  side.path = path + (k == 0 ? ".first" : ".second");
  const auto& own = k == 0 ? joint.first : joint.second;
  if (own) side.own = &*own;
  const std::string where = fmt::format("{}.between[{}]", path, k);
  const bool world = side.name == kWorld;
  if (!world)
    if (const auto fault = one_body_fault(scene.spec, side.name, where))
      throw SceneError(fault->key, fault->message, fault->hint);
  const bool place = side.own && side.own->at;
  const auto triple = [&]() -> Vector3 {
    if (const auto* x = std::get_if<std::array<double, 3>>(&*side.own->at)) return to_vector3(*x);
    throw SceneError(side.path + ".at",
                     fmt::format("{} is not a place on '{}'",
                                 place_text(*side.own->at, BodyKind::rigid), side.name),
                     "[x, y, z] in its frame");
  };
  if (world) {
    if (place) place_in_frame(side, triple());
    return side;
  }
  const NamedBody named = *find_body(scene.spec, side.name);
  const BuiltBody& built = bodies[named.entry];
  const bool axes = built.kind->has_axes();
  if (axes && built.group < 0) {
    side.user = built.kind->fixed_frame(scene, named, where);
    if (place) place_in_frame(side, side.user * triple());
    return side;
  }
  const NamedBuilt of = named_built(scene, bodies, side.name, where);
  side.body = &of.body;
  side.group = built.group;
  if (axes) {
    side.ref.body = built.first + named.copy;
    side.at = frames.of(side.group, side.ref.body);
    side.user = {side.at * -built.origins[static_cast<std::size_t>(named.copy)], side.at.R};
    if (place) {
      side.ref = touch_point(of, *side.own->at, side.path + ".at").ref;
      side.x = side.at * side.ref.local;
      side.placed = true;
    }
    return side;
  }
  side.frame = false;
  if (!place)
    throw SceneError(
        path,
        fmt::format("the point of '{}' is missing: `{}: {{at: ...}}`", side.name,
                    k == 0 ? "first" : "second"),
        fmt::format("a body of kind {} is joined at one of its points", name_of(of.body.kind)));
  side.ref = touch_point(of, *side.own->at, side.path + ".at").ref;
  side.x = frames.point(side.group, side.ref);
  side.placed = true;
  return side;
}

/// Frame with the given z, and x perpendicular to it as close to the hint as possible.
Matrix3 axes_along(const Vector3& z, const Vector3& hint) {
  Vector3 x = hint - z.dot(hint) * z;
  if (!(x.norm() > 1e-9)) {
    int least = 0;
    z.cwiseAbs().minCoeff(&least);
    x = Vector3::Unit(least) - z[least] * z;
  }
  x.normalize();
  Matrix3 A;
  A << x, z.cross(x), z;
  return A;
}
/// Frame with the given x, and z perpendicular to it as close to the hint as possible.
Matrix3 axes_across(const Vector3& x, const Vector3& hint) {
  const Matrix3 A = axes_along(x, hint);  // (z, -y, x)
  Matrix3 B;
  B << x, -A.col(1), A.col(0);
  return B;
}
Matrix3 turned(const Matrix3& A, int axis, double angle) {
  return angle == 0.0 ? A
                      : Matrix3(A * exp_rotation(angle * Vector3::Unit(axis)).toRotationMatrix());
}

/// `axis` or `axis2` of a side in space; the common one if the side has none.
std::optional<Vector3> direction_on(const SideMaking& side, const char* key,
                                    std::optional<std::array<double, 3>> JointSideSpec::*own,
                                    const std::optional<std::array<double, 3>>& both,
                                    const std::string& path) {
  if (side.own && (side.own->*own))
    return side.user.R * unit_vector(*(side.own->*own), side.path + "." + key);
  if (both) return unit_vector(*both, path + "." + key);
  return std::nullopt;
}

/// The largest entry of dx/dq along n; over all directions if n is 0.
double motion_of(const PointRows& J, const Vector3& n) {
  if (!n.isZero(0.0)) return motion_along(J, 0, n);
  double most = 0.0;
  for (int axis = 0; axis < 3; ++axis)
    most = std::max(most, motion_along(J, 0, Vector3::Unit(axis)));
  return most;
}

/// Rejects places that cannot move, as the end of a string, a clamped end, or a fixed node: a joint
/// there would act on the other body like the world, and exert no effect on this one. along: the
/// direction that the joint constrains; 0: all.
void expect_moving(const ModelParts& parts, const BuiltBody& built, const SideMaking& side,
                   const std::string& joint, const Vector3& along) {
  const auto g = static_cast<std::size_t>(side.group);
  const Dynamics& body = *parts.groups[g].dynamics;
  if (body.velocities() == 0 || body.prescribed() > 0) return;
  const Vector& q = parts.initial[g].q;
  PointRows J;
  body.point_rows(q, q, std::span(&side.ref, 1), J);
  const double here = motion_of(J, along);
  // relative to the largest motion of its places
  const double most = std::max(kStillAlong, kStill * built.kind->largest_motion());
  if (here > most) return;
  const bool across = !along.isZero(0.0) && motion_of(J, Vector3::Zero()) > most;
  throw SceneError(
      side.path + ".at",
      fmt::format("'{}' {} there: '{}' would act on the other body like the world, and would have "
                  "no effect on '{}'",
                  side.name, across ? "does not move along `axis`" : "is fixed", joint, side.name),
      across ? "another axis" : "choose a place that moves, or `world` in `between`");
}

double start_of(const auto& laws) { return laws ? laws->start : 0.0; }

/// Requires two bodies, or two points of one body; and axes if the kind needs them.
void expect_sides(const JointSpec& spec, const std::array<SideMaking, 2>& side,
                  const std::string& path) {
  if (side[0].group >= 0 && side[0].group == side[1].group &&
      side[0].ref.body == side[1].ref.body &&
      (side[0].frame ||
       (side[0].ref.feature == side[1].ref.feature && side[0].ref.local == side[1].ref.local)))
    throw SceneError(
        path + ".between",
        fmt::format("'{}' joins {}'{}' to itself", spec.name, side[0].frame ? "" : "a point of ",
                    side[0].name),
        side[0].frame ? "name two bodies" : "name two bodies, or two points of one body");
  for (const SideMaking& one : side)
    if (needs_axes(spec.placed_kind()) && !one.frame)
      throw SceneError(
          path,
          fmt::format("'{}' is of kind {}{} and needs bodies with axes; '{}' is of kind {}, which "
                      "only has points",
                      spec.name, name_of(spec.kind),
                      spec.kind == JointKind::ball ? " with an axis" : "", one.name,
                      name_of(one.body->kind)),
          spec.kind == JointKind::ball ? "leave out the axis"
                                       : "allowed there: ball, distance, along, line");
}

/// The axes of a ball joint. Without its own axis2 the second body has the twist `start`.
std::array<Matrix3, 2> socket_axes(const JointSpec& spec, const std::array<SideMaking, 2>& side,
                                   const std::string& path) {
  using Side = JointSideSpec;
  std::array<Vector3, 2> z;
  std::array<std::optional<Vector3>, 2> x;
  for (std::size_t k = 0; k < 2; ++k) {
    z[k] = *direction_on(side[k], "axis", &Side::axis, spec.axis, path);
    const bool own = side[k].own && side[k].own->axis2;
    if (k == 0 || own) x[k] = direction_on(side[k], "axis2", &Side::axis2, spec.axis2, path);
    if (x[k] && !(z[k].cross(*x[k]).norm() > 1e-6))
      throw SceneError(own ? side[k].path + ".axis2" : path + ".axis2", "is parallel to axis",
                       "a direction perpendicular to axis");
  }
  if (!((z[0] + z[1]).norm() > 1e-6))
    throw SceneError(
        path + (side[1].own && side[1].own->axis ? ".second.axis" : ".first.axis"),
        fmt::format("the axes of '{}' are opposite, where swing and twist are undefined",
                    spec.name),
        "turn one of them round");
  if (x[1] && start_of(spec.twist) != 0.0)
    throw SceneError(path + ".twist.start", "is defined by axis2 of the two sides", "leave it out");
  const Matrix3 first = axes_along(z[0], x[0].value_or(Vector3::Zero()));
  const Matrix3 swung = Eigen::Quaterniond::FromTwoVectors(z[0], z[1]) * first;
  return {first, x[1] ? axes_along(z[1], *x[1]) : turned(swung, 2, start_of(spec.twist))};
}

/// The axes of the joint on each side, in space.
std::array<Matrix3, 2> joint_axes(const JointSpec& spec, const std::array<SideMaking, 2>& side,
                                  const std::string& path) {
  std::array<Matrix3, 2> axes{Matrix3::Identity(), Matrix3::Identity()};
  using Side = JointSideSpec;
  if (spec.kind == JointKind::universal) {
    const Vector3 z = *direction_on(side[0], "axis", &Side::axis, spec.axis, path),
                  x = *direction_on(side[1], "axis2", &Side::axis2, spec.axis2, path);
    axes[0] = turned(axes_along(z, x), 2, -start_of(spec.turn));
    axes[1] = turned(axes_across(x, z), 0, start_of(spec.turn2));
  } else if (spec.placed_kind() == JointKind::socket) {
    axes = socket_axes(spec, side, path);
  } else if (const auto z = direction_on(side[0], "axis", &Side::axis, spec.axis, path)) {
    const auto other = direction_on(side[1], "axis", &Side::axis, spec.axis, path);
    const auto x = direction_on(side[0], "axis2", &Side::axis2, spec.axis2, path);
    if (x && !(z->cross(*x).norm() > 1e-6))
      throw SceneError(
          side[0].own && side[0].own->axis2 ? side[0].path + ".axis2" : path + ".axis2",
          "is parallel to axis", "a direction in the plane");
    axes[0] = axes_along(*z, x.value_or(Vector3::Zero()));
    axes[1] = turned(axes_along(other.value_or(*z), axes[0].col(0)), 2, start_of(spec.turn));
  }
  return axes;
}

/// The places of the joint on each side, in space. If the bodies are apart along a coordinate, the
/// place of a side without its own place is shifted.
void place_sides(const JointSpec& spec, std::array<SideMaking, 2>& side,
                 const std::array<Matrix3, 2>& axes, const std::string& path) {
  const bool link = spec.kind == JointKind::distance || spec.kind == JointKind::line;
  Vector3 apart = Vector3::Zero();
  const char* apart_key = "slide";
  if (spec.kind == JointKind::prismatic || spec.kind == JointKind::cylindrical)
    apart = start_of(spec.slide) * axes[0].col(2);
  if (spec.kind == JointKind::planar) {
    apart = start_of(spec.slide) * axes[0].col(0) + start_of(spec.slide2) * axes[0].col(1);
    if (start_of(spec.slide) == 0.0) apart_key = "slide2";
  }
  const bool both_own = side[0].placed && side[1].placed;
  if (apart != Vector3::Zero() && both_own)
    throw SceneError(fmt::format("{}.{}.start", path, apart_key),
                     "is defined by the places of the two sides", "leave it out");
  if (link) {
    if (!side[0].placed) place_in_frame(side[0], to_vector3(*spec.at));
    if (!side[1].placed) place_in_frame(side[1], to_vector3(*spec.to));
  } else if (!side[0].placed) {
    if (!side[1].placed) place_in_frame(side[1], to_vector3(*spec.at));
    place_in_frame(side[0], (spec.at ? to_vector3(*spec.at) : side[1].x) - apart);
  } else if (!side[1].placed) {
    place_in_frame(side[1], (spec.at ? to_vector3(*spec.at) : side[0].x) + apart);
  }
}

}  // namespace

bool StartFrames::has(int group) const {
  const Dynamics& body = *parts_.groups[static_cast<std::size_t>(group)].dynamics;
  return saltus::has(body.traits(), Trait::rigid) || body.velocities() == 0;
}
const Pose& StartFrames::of(int group, int body) {
  const auto g = static_cast<std::size_t>(group);
  if (frames_[g].empty()) {
    frames_[g].resize(static_cast<std::size_t>(parts_.groups[g].dynamics->bodies()));
    parts_.groups[g].dynamics->frames(0.0, parts_.initial[g].q, frames_[g]);
  }
  return frames_[g][static_cast<std::size_t>(body)];
}
bool StartFrames::moves(int group) const {
  return group >= 0 && parts_.groups[static_cast<std::size_t>(group)].dynamics->velocities() > 0;
}
Vector3 StartFrames::point(int group, const PointRef& ref) {
  if (group < 0) return ref.local;
  if (has(group)) return of(group, ref.body) * ref.local;
  const auto g = static_cast<std::size_t>(group);
  Vector3 x;
  parts_.groups[g].dynamics->points(0.0, parts_.initial[g].q, std::array{ref}, x);
  return x;
}

PlacedJoint place_joint(const Scene& scene, std::span<const BuiltBody> bodies, StartFrames& frames,
                        const JointSpec& spec, const std::string& path) {
  std::array side{make_side(scene, bodies, frames, spec, 0, path),
                  make_side(scene, bodies, frames, spec, 1, path)};
  expect_sides(spec, side, path);
  const std::array<Matrix3, 2> axes = joint_axes(spec, side, path);
  place_sides(spec, side, axes, path);

  PlacedJoint placed;
  placed.a = {side[0].x, axes[0]};
  placed.b = {side[1].x, axes[1]};
  for (std::size_t k = 0; k < 2; ++k) {
    placed.body[k] = side[k].name;
    placed.spec[k] = side[k].body;
    JointSide& of = k == 0 ? placed.joint.a : placed.joint.b;
    of.group = side[k].group;
    of.ref = side[k].ref;
    of.axes = side[k].frame ? Matrix3(side[k].at.R.transpose() * axes[k]) : axes[k];
  }
  placed.joint.name = spec.name;
  placed.joint.kind = spec.placed_kind();
  if (spec.kind == JointKind::universal)
    placed.joint.start = {start_of(spec.turn), start_of(spec.turn2)};
  else if (spec.twist)
    placed.joint.start[kTwist] = spec.twist->start;
  else if (spec.turn)
    placed.joint.start[static_cast<std::size_t>(coordinate_index(spec.kind, "turn"))] =
        spec.turn->start;
  if (spec.kind == JointKind::distance) {
    placed.joint.length = spec.length.value_or((side[1].x - side[0].x).norm());
    if (!(placed.joint.length > 0.0))
      throw SceneError(path, fmt::format("'{}' has no length: its two ends coincide", spec.name),
                       "give `length`, other places, or a joint of kind ball");
    placed.joint.strength = spec.strength.value_or(0.0);
  }
  for (const SideMaking& one : side)
    if (!one.frame)
      expect_moving(frames.parts(), bodies[find_body(scene.spec, one.name)->entry], one, spec.name,
                    spec.kind == JointKind::along ? Vector3(axes[0].col(2)) : Vector3::Zero());
  if (!frames.moves(side[0].group) && !frames.moves(side[1].group))
    throw SceneError(path + ".between",
                     fmt::format("neither '{}' nor '{}' moves by forces: '{}' has no effect",
                                 side[0].name, side[1].name, spec.name),
                     "name a body that is neither fixed nor has prescribed motion");
  return placed;
}

}  // namespace saltus
