// Point masses with springs.
#include <fmt/format.h>

#include "saltus/bodies/particles.h"
#include "saltus/bodies/shape_table.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/probe_request.h"

namespace saltus {
namespace {

struct Start {
  Vector mass;
  FullState state;
};

Start particles_start(const Scene& scene, const ParticlesSpec& spec, const std::string& path) {
  Start start;
  if (spec.file) {
    const std::string at = path + ".file";
    const Matrix data = read_table(scene, *spec.file, 4, "mass [kg], x, y, z [m]", at);
    if (data.cols() != 4 && data.cols() != 7)
      throw SceneError(at, fmt::format("'{}' has {} columns", *spec.file, data.cols()),
                       "4: mass, x, y, z; or 7: also vx, vy, vz");
    for (Eigen::Index i = 0; i < data.rows(); ++i)
      if (!(data(i, 0) > 0.0))
        throw SceneError(
            at, fmt::format("'{}' gives particle {} the mass {}", *spec.file, i, data(i, 0)),
            "must be > 0");
    start.mass = data.col(0);
    start.state = {Vector(3 * data.rows()), Vector::Zero(3 * data.rows()), at, at};
    for (Eigen::Index i = 0; i < data.rows(); ++i) {
      start.state.q.segment<3>(3 * i) = data.row(i).segment<3>(1);
      if (data.cols() == 7) start.state.v.segment<3>(3 * i) = data.row(i).segment<3>(4);
    }
    return start;
  }
  const auto n = static_cast<Eigen::Index>(spec.positions.size());
  start.mass = spec.mass.size() == 1 ? Vector(Vector::Constant(n, spec.mass[0]))
                                     : Vector(Eigen::Map<const Vector>(spec.mass.data(), n));
  start.state = {Vector(3 * n), Vector::Zero(3 * n), path + ".positions", path + ".velocities"};
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    start.state.q.segment<3>(3 * i) = to_vector3(spec.positions[k]);
    if (!spec.velocities.empty()) start.state.v.segment<3>(3 * i) = to_vector3(spec.velocities[k]);
  }
  return start;
}

unsigned particle_traits(bool springs) {
  ParticleSystem system;
  system.mass = Vector::Ones(2);
  if (springs) {
    Spring spring;
    spring.j = 1;
    spring.stiffness = 1.0;
    system.springs.push_back(spring);
  }
  return Particles(std::move(system)).traits();
}

class ParticlesKind final : public BuiltKind {
 public:
  explicit ParticlesKind(std::shared_ptr<const Particles> body) : body_(std::move(body)) {}
  TouchPoint point(const NamedBuilt& of, const PlaceSpec& at,
                   const std::string& path) const override {
    return numbered_point(of, at, of.built.dofs / 3, "particle", path);
  }
  std::vector<TouchPoint> all_points(const NamedBuilt& of, const std::string& path) const override {
    std::vector<TouchPoint> all;
    for (int i = 0; i < of.built.dofs / 3; ++i)
      all.push_back(point(of, NumberOrName(i), path + ".on"));
    return all;
  }
  std::optional<HeldPoint> held(const PointRef& ref, const Vector3& normal) const override {
    for (int axis = 0; axis < 3; ++axis)
      if (normal[axis] != 0.0 && free_index(3 * ref.feature + axis) < 0)
        return HeldPoint{"prescribed",
                         "let another one make contact, or take it out of `prescribed`"};
    return std::nullopt;
  }
  int free_index(int dof) const override { return body_->free_index(dof); }
  std::shared_ptr<const PointTable> probe_table(const ProbeRequest& request) const override {
    const int first = 3 * request.point().ref.feature;
    const Vector3 direction = request.direction();
    for (int axis = 0; axis < 3; ++axis)
      if (direction[axis] != 0.0 && free_index(first + axis) < 0)
        throw SceneError(
            request.path + ".at",
            fmt::format("degree of freedom {} of '{}' is prescribed: its motion is given",
                        first + axis, request.body.name),
            "give a direction without it, or probe another particle");
    Matrix S = Matrix::Zero(1, body_->velocities());
    for (int axis = 0; axis < 3; ++axis)
      if (direction[axis] != 0.0) S(0, free_index(first + axis)) = direction[axis];
    return dense_table(S, Vector::Zero(1));
  }
  SurfaceLack surface_lack(const BodySpec&) const override {
    return {.solid = true, .joint_suffices = true};
  }

 private:
  std::shared_ptr<const Particles> body_;
};

/// path: "bodies[0]".
BuiltBody build_particles(const Scene& scene, const BodySpec& body, const std::string& path) {
  const ParticlesSpec& spec = body.particles.value();
  const std::string at = path + ".particles";
  Start start = particles_start(scene, spec, at);
  const int count = static_cast<int>(start.mass.size());
  BuiltBody built;
  built.dofs = 3 * count;
  ParticleSystem system;
  system.mass = start.mass;
  system.gravity = to_vector3(spec.gravity.value_or(scene.spec.steady_gravity()));
  system.drag = spec.drag;
  system.rayleigh = rayleigh_of(body);
  system.loads = loads_of(scene, body, built.dofs, path);
  for (const UniformField::Term& term : field_of(scene, spec.gravity.has_value()).terms) {
    Load load{.pattern = {}, .signal = term.signal};
    for (int i = 0; i < built.dofs; ++i)
      if (term.direction[i % 3] != 0.0)
        load.pattern.emplace_back(
            i, start.mass[static_cast<std::size_t>(i / 3)] * term.direction[i % 3]);
    system.loads.push_back(std::move(load));
  }
  system.prescribed = prescribed_of(scene, body, built.dofs, path);
  built.initial = free_part(start.state, system.prescribed);
  Vector place = start.state.q;  // [m], initial position of the motion
  for (const Prescribed& motion : system.prescribed) place[motion.dof] = motion.signal.value(0.0);
  for (std::size_t k = 0; k < spec.springs.size(); ++k) {
    const SpringSpec& given = spec.springs[k];
    const std::string entry = fmt::format("{}.springs[{}]", at, k);
    Spring spring;
    spring.i = given.particle ? *given.particle : given.between[0];
    expect_index(spring.i, count, entry + (given.particle ? ".particle" : ".between[0]"));
    Vector3 other;
    if (given.particle) {
      spring.anchor = other = to_vector3(*given.anchor);
    } else {
      spring.j = given.between[1];
      expect_index(spring.j, count, entry + ".between[1]");
      other = place.segment<3>(3 * spring.j);
    }
    spring.stiffness = given.stiffness;
    spring.damping = given.damping;
    spring.length = given.length.value_or((place.segment<3>(3 * spring.i) - other).norm());
    spring.tension_only = given.tension_only;
    system.springs.push_back(spring);
  }
  return built_at(at, [&] {
    auto particles = std::make_shared<const Particles>(std::move(system));
    built.dynamics = particles;
    built.kind = std::make_shared<const ParticlesKind>(std::move(particles));
    return std::move(built);
  });
}

}  // namespace

KindRow particles_kind() {
  return {.kind = BodyKind::particles,
          .name = "particles",
          .summary = "point masses in space, with springs, gravity and drag",
          .entries = "particles",
          .points = "particles, from 0",
          .cases = {{"with springs", particle_traits(true)},
                    {"without springs", particle_traits(false)}},
          .build = [](const BodyEntry& e) { return build_particles(e.scene, e.body, e.path); }};
}

}  // namespace saltus
