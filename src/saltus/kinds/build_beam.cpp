// Thin elastic beams: frame and section, supports, loads, the state at t = 0.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <set>

#include "saltus/bodies/beam.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/touch_points.h"

namespace saltus {
namespace {

constexpr const char* kBeamPlaces = "start, end, or a place along it";

/// x along a beam of this length [m]: `start`, `end` or a number. name: of the beam; path: of the
/// entry. Throws SceneError if x is not on the beam.
double beam_place(double length, const NumberOrName& at, const std::string& name,
                  const std::string& path) {
  if (at.is_name()) {
    if (at.name == "start") return 0.0;
    if (at.name == "end") return length;
    throw SceneError(path, fmt::format("'{}' is not a place on '{}'", at.name, name),
                     fmt::format("{}, in m", kBeamPlaces));
  }
  if (!(at.number >= 0.0 && at.number <= length * (1.0 + 1e-12)))
    throw SceneError(path, fmt::format("{} m is not on '{}'", at.number, name),
                     fmt::format("{}, between 0 and {} m", kBeamPlaces, length));
  return std::min(at.number, length);
}

/// The number of the node that `at` refers to. path: of the entry `at`.
int beam_node(const BeamSpec& spec, const NumberOrName& at, const std::string& name,
              const std::string& path) {
  const double x = beam_place(spec.length(), at, name, path);
  const double place = x * spec.elements / spec.length();
  const double node = std::round(place);
  if (std::abs(place - node) > 1e-6)
    throw SceneError(
        path, fmt::format("'{}' has no node at x = {:.6g} m", name, x),
        fmt::format("the nearest is at {:.6g} m", node * spec.length() / spec.elements));
  return static_cast<int>(node);
}

std::vector<int> beam_held(const BeamSpec& spec, const std::string& name, const std::string& path) {
  std::vector<int> held;
  std::set<int> seen;
  for (std::size_t i = 0; i < spec.held.size(); ++i) {
    const std::string at = fmt::format("{}.held[{}].at", path, i);
    const int node = beam_node(spec, spec.held[i].at, name, at);
    if (!seen.insert(node).second)
      throw SceneError(
          at, fmt::format("names a node of '{}' that another entry already restrains", name),
          "one entry per node");
    const bool place = spec.held[i].as != BeamHold::guided;
    const bool direction = spec.held[i].as != BeamHold::pinned;
    for (int dof = 0; dof < 6; ++dof)
      if (dof < 3 ? place : direction && dof > 3) held.push_back(6 * node + dof);
  }
  return held;
}

/// Hermite shape functions at xi of an element of length l, for positions and slopes of its two
/// nodes, and their mean values over the element.
std::array<double, 4> beam_shares(double xi, double l) {
  const double x2 = xi * xi, x3 = x2 * xi;
  return {1.0 - 3.0 * x2 + 2.0 * x3, l * (xi - 2.0 * x2 + x3), 3.0 * x2 - 2.0 * x3, l * (x3 - x2)};
}
std::array<double, 4> beam_means(double l) { return {0.5, l / 12.0, 0.5, -l / 12.0}; }

/// The vector `force` [N] in the frame of the beam, distributed over the four vectors of an
/// element.
void add_shares(Load& load, int element, const std::array<double, 4>& share, const Vector3& force) {
  for (int k = 0; k < 4; ++k)
    for (int axis = 0; axis < 3; ++axis)
      if (const double weight = share[static_cast<std::size_t>(k)] * force[axis]; weight != 0.0)
        load.pattern.emplace_back(6 * element + 3 * k + axis, weight);
}

Load beam_load(const Scene& scene, const BeamSpec& spec, const BeamLoadSpec& given,
               const Matrix3& frame, const std::string& name, const std::string& path) {
  Load load;
  load.signal =
      given.factor ? course_signal(scene, *given.factor, path + ".factor") : Signal::constant(1.0);
  const double l = spec.length() / spec.elements;
  if (given.line_force) {
    const Vector3 force = l * (frame.transpose() * to_vector3(*given.line_force));
    for (int e = 0; e < spec.elements; ++e) add_shares(load, e, beam_means(l), force);
    return load;
  }
  const double place = beam_place(spec.length(), *given.at, name, path + ".at") / l;
  const int e = std::min(static_cast<int>(place), spec.elements - 1);
  add_shares(load, e, beam_shares(place - e, l), frame.transpose() * to_vector3(*given.force));
  return load;
}

GroupState beam_start(const BeamSpec& spec, const ElasticBeam& beam, const Matrix3& frame) {
  GroupState state{Vector::Zero(beam.positions()), Vector::Zero(beam.positions()), {}};
  const Vector3 velocity = frame.transpose() * to_vector3(spec.velocity);
  const Vector3 spin = frame.transpose() * to_vector3(spec.spin);
  const double l = spec.length() / spec.elements;
  for (int node = 0; node < beam.nodes(); ++node) {
    const Vector3 arm(node * l - 0.5 * spec.length(), 0.0, 0.0);
    const Vector3 place = velocity + spin.cross(arm), slope = spin.cross(Vector3::UnitX());
    for (int axis = 0; axis < 3; ++axis) {
      if (const int i = beam.free_index(6 * node + axis); i >= 0) state.v[i] = place[axis];
      if (const int i = beam.free_index(6 * node + 3 + axis); i >= 0) state.v[i] = slope[axis];
    }
  }
  return state;
}

class BeamKind final : public BuiltKind {
 public:
  explicit BeamKind(std::shared_ptr<const ElasticBeam> body) : body_(std::move(body)) {}
  TouchPoint point(const NamedBuilt& of, const PlaceSpec& at,
                   const std::string& path) const override {
    const auto* place = std::get_if<NumberOrName>(&at);
    if (!place)
      throw SceneError(path, fmt::format("'{}' does not accept a place [x, y, z]", of.name),
                       fmt::format("{}, in m", kBeamPlaces));
    return point_at(beam_place(body_->system().length, *place, of.name, path), path);
  }
  /// Its nodes that are free to move.
  std::vector<TouchPoint> all_points(const NamedBuilt&, const std::string& path) const override {
    std::vector<TouchPoint> all;
    for (int node = 0; node < body_->nodes(); ++node)
      if (body_->free_index(6 * node) >= 0)
        all.push_back(point_at(body_->system().length * node / (body_->nodes() - 1), path + ".on"));
    return all;
  }
  std::optional<HeldPoint> held(const PointRef&, const Vector3&) const override {
    return HeldPoint{"held", "let another place make contact, or take the end out of `held`"};
  }
  double spin(const BuiltBody&, const BodySpec& spec, const GroupState&) const override {
    return to_vector3(spec.beam->spin).stableNorm();
  }
  SurfaceLack surface_lack(const BodySpec&) const override { return {.solid = true}; }

 private:
  TouchPoint point_at(double x, const std::string& path) const {
    return {body_->point(x), fmt::format("x = {:.4g} m", x), path};
  }

  std::shared_ptr<const ElasticBeam> body_;
};

/// path: "bodies[0]".
BuiltBody build_beam(const Scene& scene, const BodySpec& body, const std::string& path) {
  const BeamSpec& spec = body.beam.value();
  const std::string at = path + ".beam";
  BeamSystem system;
  system.section = spec.section();
  system.length = spec.length();
  system.elements = spec.elements;
  system.origin = to_vector3(spec.start);
  system.axis = (to_vector3(spec.end) - system.origin).normalized();
  int least = 0;
  system.axis.cwiseAbs().minCoeff(&least);
  const Vector3 near = Vector3::Unit(least);
  system.across = (near - system.axis.dot(near) * system.axis).normalized();
  Matrix3 frame;
  frame << system.axis, system.across, system.axis.cross(system.across);
  system.rayleigh = rayleigh_of(body);
  system.gravity = to_vector3(spec.gravity.value_or(scene.spec.steady_gravity()));
  system.field = field_of(scene, spec.gravity.has_value());
  for (std::size_t i = 0; i < spec.loads.size(); ++i)
    system.loads.push_back(beam_load(scene, spec, spec.loads[i], frame, body.name,
                                     fmt::format("{}.loads[{}]", at, i)));
  system.held = beam_held(spec, body.name, at);
  BuiltBody built;
  built.dofs = 6 * (spec.elements + 1);
  return built_at(at, [&] {
    auto beam = std::make_shared<const ElasticBeam>(std::move(system));
    built.dynamics = beam;
    built.initial = beam_start(spec, *beam, frame);
    built.kind = std::make_shared<const BeamKind>(std::move(beam));
    return std::move(built);
  });
}

}  // namespace

KindRow beam_kind() {
  return {.kind = BodyKind::beam,
          .name = "beam",
          .summary = "a thin beam with large bending",
          .entries = "beam",
          .points = "places along the beam [m]; start, end",
          .cases = {{"", ElasticBeam({}).traits()}},
          .build = [](const BodyEntry& e) { return build_beam(e.scene, e.body, e.path); }};
}

}  // namespace saltus
