// Loads and prescribed motion of a body: entries with a function of time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/build_rigid.h"

namespace saltus {
namespace {

/// Column 0 of a file must contain increasing times.
void expect_times(const Matrix& data, const std::string& file, const std::string& path) {
  if (data.rows() < 2)
    throw SceneError(path, fmt::format("'{}' has one row", file), "at least two: t [s], value");
  for (Eigen::Index i = 1; i < data.rows(); ++i)
    if (!(data(i, 0) > data(i - 1, 0)))
      throw SceneError(path,
                       fmt::format("the time {} s in row {} of '{}' does not come after {} s",
                                   data(i, 0), i + 1, file, data(i - 1, 0)),
                       "times increase");
}

/// For a prescribed degree of freedom: a jump of its velocity would act as an impulse on coupled
/// degrees of freedom.
void expect_no_jump(const Scene& scene, const Signal& signal, const std::string& path) {
  if (scene.spec.time.chosen_mode() != TimeMode::events) return;
  std::vector<double> jumps;
  signal.jumps(jumps);
  for (const double t : jumps)
    if (t > 0.0 && t < scene.spec.time.end)
      throw SceneError(path,
                       fmt::format("the velocity jumps at t = {:g} s, and event-driven integration "
                                   "supports no impacts within a body",
                                   t),
                       "`smooth: true` with ends at rest or outside the run, or `time.mode: "
                       "stepping`");
}

/// The signal plus `shift`. path: "bodies[0].loads[0]". moves: the signal is the motion of a degree
/// of freedom.
template <class Spec>
Signal signal_of(const Scene& scene, const Spec& spec, const std::string& path, double shift = 0.0,
                 bool moves = false) {
  if (spec.constant) return Signal::constant(*spec.constant + shift);
  if (spec.harmonic)
    return Signal::harmonic(spec.harmonic->amplitude,
                            2.0 * std::numbers::pi * spec.harmonic->frequency, spec.harmonic->phase,
                            spec.harmonic->mean + shift);
  std::vector<double> t, value;
  if (spec.file) {
    const Matrix data = read_table(scene, *spec.file, 2, "t [s], value", path + ".file");
    expect_times(data, *spec.file, path + ".file");
    t.assign(data.col(0).begin(), data.col(0).end());
    value.assign(data.col(1).begin(), data.col(1).end());
  }
  for (const auto& [at, y] : spec.table) {
    t.push_back(at);
    value.push_back(y);
  }
  for (double& y : value) y += shift;
  Signal signal = Signal::table(std::move(t), std::move(value), spec.smooth);
  if (moves) expect_no_jump(scene, signal, path + (spec.file ? ".file" : ".table"));
  return signal;
}

/// A coordinate with prescribed motion: signal plus rate times t.
template <Dimension D>
void course_of(const Scene& scene, const std::optional<CourseSpec<D>>& spec, double start,
               const std::string& path, Signal& signal, double& rate) {
  signal = Signal::constant(start);
  if (!spec) return;
  if (spec->rate)
    rate = *spec->rate;
  else
    signal = signal_of(scene, *spec, path, start);
}

}  // namespace

std::vector<Load> loads_of(const Scene& scene, const BodySpec& body, int dofs,
                           const std::string& path) {
  std::vector<Load> loads;
  for (std::size_t i = 0; i < body.loads.size(); ++i) {
    const LoadSpec& spec = body.loads[i];
    const std::string at = fmt::format("{}.loads[{}]", path, i);
    Load load;
    if (spec.dof) {
      expect_index(*spec.dof, dofs, at + ".dof");
      load.pattern.emplace_back(*spec.dof, 1.0);
    } else if (spec.particle) {
      expect_index(*spec.particle, dofs / 3, at + ".particle");
      const Vector3 direction = unit_vector(*spec.direction, at + ".direction");
      for (int k = 0; k < 3; ++k)
        if (direction[k] != 0.0) load.pattern.emplace_back(3 * *spec.particle + k, direction[k]);
    } else {
      if (static_cast<int>(spec.pattern.size()) != dofs)
        throw SceneError(at + ".pattern",
                         fmt::format("has {} entries for {}", spec.pattern.size(),
                                     counted(dofs, "degree of freedom")),
                         "one per degree of freedom");
      for (int k = 0; k < dofs; ++k)
        if (const double weight = spec.pattern[static_cast<std::size_t>(k)]; weight != 0.0)
          load.pattern.emplace_back(k, weight);
    }
    load.signal = signal_of(scene, spec, at);
    loads.push_back(std::move(load));
  }
  return loads;
}

std::vector<Prescribed> prescribed_of(const Scene& scene, const BodySpec& body, int dofs,
                                      const std::string& path) {
  std::vector<Prescribed> prescribed;
  std::vector<char> held(static_cast<std::size_t>(dofs), 0);
  for (std::size_t i = 0; i < body.prescribed.size(); ++i) {
    const PrescribedSpec& spec = body.prescribed[i];
    const std::string at = fmt::format("{}.prescribed[{}]", path, i);
    expect_index(spec.dof, dofs, at + ".dof");
    if (held[static_cast<std::size_t>(spec.dof)]++)
      throw SceneError(at + ".dof",
                       fmt::format("degree of freedom {} is prescribed twice", spec.dof),
                       "one motion per degree of freedom");
    prescribed.push_back({spec.dof, signal_of(scene, spec, at, 0.0, true)});
  }
  if (static_cast<int>(prescribed.size()) == dofs)
    throw SceneError(path + ".prescribed", "prescribes every degree of freedom: none is left free",
                     "leave one out");
  return prescribed;
}

template <Dimension D>
Signal course_signal(const Scene& scene, const CourseSpec<D>& spec, const std::string& path) {
  return spec.rate ? Signal::line(0.0, *spec.rate) : signal_of(scene, spec, path);
}

UniformField field_of(const Scene& scene, bool own_gravity) {
  UniformField field;
  const auto* gravity = std::get_if<GravityCourse>(&scene.spec.gravity);
  if (gravity && !own_gravity) {
    Matrix rows(gravity->table.size(), 4);
    for (std::size_t i = 0; i < gravity->table.size(); ++i)
      for (std::size_t k = 0; k < 4; ++k)
        rows(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = gravity->table[i][k];
    if (gravity->file) {
      rows = read_table(scene, *gravity->file, 4, "t [s], x, y, z [m/s^2]", "gravity.file");
      expect_times(rows, *gravity->file, "gravity.file");
    }
    for (int k = 0; k < 3; ++k) {
      if (rows.col(k + 1).isZero(0.0)) continue;
      field.terms.push_back(
          {Vector3::Unit(k),
           Signal::table({rows.col(0).begin(), rows.col(0).end()},
                         {rows.col(k + 1).begin(), rows.col(k + 1).end()}, gravity->smooth)});
    }
  }
  if (const auto& ground = scene.spec.ground)
    for (const auto& [key, k, course] :
         {std::tuple{"x", 0, &ground->x}, std::tuple{"y", 1, &ground->y},
          std::tuple{"z", 2, &ground->z}})
      if (*course)
        field.terms.push_back({-ground->scale * Vector3::Unit(k),
                               course_signal(scene, **course, std::string("ground.") + key)});
  return field;
}

std::vector<RigidLoad> rigid_loads(const Scene& scene, const BodySpec& body, const Vector3& centre,
                                   const std::string& path) {
  std::vector<RigidLoad> loads;
  for (std::size_t i = 0; i < body.loads.size(); ++i) {
    const LoadSpec& spec = body.loads[i];
    const std::string at = fmt::format("{}.loads[{}]", path, i);
    RigidLoad load;
    load.torque = spec.torque.has_value();
    load.in_body = spec.frame == LoadFrame::body;
    load.direction = load.torque ? unit_vector(*spec.torque, at + ".torque")
                                 : unit_vector(*spec.force, at + ".force");
    if (spec.point) load.at = to_vector3(*spec.point) - centre;
    load.signal = signal_of(scene, spec, at);
    loads.push_back(std::move(load));
  }
  return loads;
}

std::vector<PseudoRigidLoad> pseudo_rigid_loads(const Scene& scene, const BodySpec& body,
                                                const Vector3& centre, const std::string& path) {
  std::vector<PseudoRigidLoad> loads;
  for (std::size_t i = 0; i < body.loads.size(); ++i) {
    const LoadSpec& spec = body.loads[i];
    const std::string at = fmt::format("{}.loads[{}]", path, i);
    PseudoRigidLoad load;
    load.convected = spec.frame == LoadFrame::body;
    load.direction = unit_vector(spec.force.value(), at + ".force");
    if (spec.point) load.at = to_vector3(*spec.point) - centre;
    load.signal = signal_of(scene, spec, at);
    loads.push_back(std::move(load));
  }
  return loads;
}

RunningSurface running_surface(const Scene& scene, const SurfaceVelocitySpec& spec,
                               const std::string& path) {
  const auto* in_time = std::get_if<RunningSpec>(&spec);
  const RunningSurface made{
      to_vector3(in_time ? in_time->value : std::get<std::array<double, 3>>(spec)),
      in_time ? course_signal(scene, in_time->factor, path + ".factor") : Signal::constant(1.0)};
  if (made.along.isZero(0.0))
    throw SceneError(in_time ? path + ".value" : path, "is zero: the surface does not move",
                     "leave it out, or give its velocity, e.g. [1, 0, 0]");
  return made;
}

PrescribedMotion motion_of(const Scene& scene, const MotionSpec& spec, const Vector3& place,
                           const Quaternion& rotation, const std::string& path) {
  PrescribedMotion motion;
  course_of(scene, spec.x, place[0], path + ".x", motion.position[0], motion.velocity[0]);
  course_of(scene, spec.y, place[1], path + ".y", motion.position[1], motion.velocity[1]);
  course_of(scene, spec.z, place[2], path + ".z", motion.position[2], motion.velocity[2]);
  motion.rotation = rotation;
  if (spec.axis) motion.axis = unit_vector(*spec.axis, path + ".axis");
  course_of(scene, spec.angle, 0.0, path + ".angle", motion.angle, motion.spin);
  return motion;
}

template <Dimension D>
void follow(const Scene& scene, const CourseSpec<D>& spec, const std::string& path,
            JointCoupling& coupling) {
  const Signal signal = course_signal(scene, spec, path);
  coupling.value = [signal](double t) { return std::array{signal.value(t), signal.rate(t)}; };
  coupling.second = [signal](double t) { return signal.second(t); };
  signal.points(coupling.breaks.ends);
  signal.jumps(coupling.breaks.jumps);
}
template void follow(const Scene&, const CourseSpec<unit::rad>&, const std::string&,
                     JointCoupling&);
template void follow(const Scene&, const CourseSpec<unit::m>&, const std::string&, JointCoupling&);
template void follow(const Scene&, const CourseSpec<unit::one>&, const std::string&,
                     JointCoupling&);

template Signal course_signal(const Scene&, const CourseSpec<unit::m>&, const std::string&);
template Signal course_signal(const Scene&, const CourseSpec<unit::rad>&, const std::string&);
template Signal course_signal(const Scene&, const CourseSpec<unit::one>&, const std::string&);
template Signal course_signal(const Scene&, const CourseSpec<unit::m_per_s>&, const std::string&);
template Signal course_signal(const Scene&, const CourseSpec<unit::rad_per_s>&, const std::string&);
template Signal course_signal(const Scene&, const CourseSpec<unit::m_per_s2>&, const std::string&);
template Signal course_signal(const Scene&, const CourseSpec<unit::N>&, const std::string&);
template Signal course_signal(const Scene&, const CourseSpec<unit::N_m>&, const std::string&);

}  // namespace saltus
