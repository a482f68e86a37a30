// The motion of a mesh at t = 0: rigid-body motion, plus displacements and velocities from a file.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "saltus/kinds/build_fem_internal.h"
#include "saltus/kinds/mesh_place.h"

namespace saltus {
namespace {

/// int rho X dV / int rho dV.
Vector3 mass_centre(const FemMaking& m) {
  Vector3 moment = Vector3::Zero();
  double mass = 0.0;
  int number = 0;
  for (const ElementBlock& block : m.placed.blocks) {
    const FemMaterial& material = m.materials[static_cast<std::size_t>(block.material)];
    const int dimension = info(block.kind).dimension;
    const double across = dimension == 1   ? material.area
                          : dimension == 2 ? material.thickness
                                           : 1.0;
    for (int e = 0; e < block.elements(); ++e, ++number)
      for (const RulePoint& p : mass_rule(block.kind)) {
        const double dm =
            material.material.density * across * p.weight * jacobian(m.placed, number, p.xi);
        const ShapeValues N = shape_values(block.kind, p.xi);
        Vector3 X = Vector3::Zero();
        for (Eigen::Index a = 0; a < N.size(); ++a)
          X += N[a] * m.placed.nodes.col(block.element(e)[static_cast<std::size_t>(a)]);
        mass += dm;
        moment += dm * X;
      }
  }
  return moment / mass;
}

/// Displacements and velocities from the file, along the axes of space.
FemStart file_start(const FemMaking& m) {
  FemStart given{Vector::Zero(3 * m.nodes()), Vector::Zero(3 * m.nodes()), {}};
  const std::string at = m.path + ".start", file = m.spec.start.value();
  const Matrix data = read_table(m.scene, file, 3, "ux, uy, uz [m]", at);
  if (data.cols() != 3 && data.cols() != 6)
    throw SceneError(at, fmt::format("'{}' has {} columns", file, data.cols()),
                     "3: ux, uy, uz; or 6: also vx, vy, vz");
  if (data.rows() != m.nodes())
    throw SceneError(at,
                     fmt::format("'{}' has {} row{} for {} nodes", file, data.rows(),
                                 data.rows() == 1 ? "" : "s", m.nodes()),
                     "one row per node");
  for (int a = 0; a < m.nodes(); ++a) {
    given.u.segment<3>(3 * a) = data.row(a).head<3>();
    if (data.cols() == 6) given.v.segment<3>(3 * a) = data.row(a).tail<3>();
  }
  return given;
}

/// Rejects numbers that would have no effect: beyond the dimension of the mesh, on restrained
/// nodes; warns about nodes without mass.
void expect_start_used(const FemMaking& m, FemStart& given, std::span<const Prescribed> held,
                       std::span<const NodeStop> stops) {
  const std::string at = m.path + ".start";
  const auto axis_of = [](int dof) { return kSpaceAxes[static_cast<std::size_t>(dof % 3)]; };
  for (int dof = 0; dof < 3 * m.nodes(); ++dof)
    if (dof % 3 >= m.mesh.dimension && (given.u[dof] != 0.0 || given.v[dof] != 0.0))
      throw SceneError(at,
                       fmt::format("{} {} of node {}, but '{}' cannot move along it: {}",
                                   given.u[dof] != 0.0 ? "displaces" : "gives a velocity to",
                                   axis_of(dof), dof / 3, m.body.name, m.flat()),
                       "0 in this column");
  for (const Prescribed& motion : held) {
    const double u = given.u[motion.dof], is = motion.signal.value(0.0);
    if (u != 0.0 && std::abs(u - is) > 1e-9 * size_of(m.mesh))
      throw SceneError(
          at,
          fmt::format("displaces {} of node {} by {} m, but its prescribed motion starts at {} m",
                      axis_of(motion.dof), motion.dof / 3, u, is),
          "give its initial value there");
    const double v = given.v[motion.dof], rate = motion.signal.rate(0.0);
    if (v != 0.0 && std::abs(v - rate) > 1e-9 * std::max(1.0, std::abs(rate)))
      throw SceneError(at,
                       fmt::format("gives {} of node {} the velocity {} m/s, but its prescribed "
                                   "motion starts with {} m/s",
                                   axis_of(motion.dof), motion.dof / 3, v, rate),
                       "give its initial velocity there, or 0");
  }
  const auto moved = std::ranges::find_if(stops, [&](const NodeStop& stop) {
    return given.u.segment<3>(3 * stop.node).any() || given.v.segment<3>(3 * stop.node).any();
  });
  if (moved != stops.end())
    given.warnings.push_back(
        fmt::format("{}: node {} of '{}' is one of `stops` and has no mass: its initial values are "
                    "not used, since its position follows from the other nodes",
                    at, moved->node, m.body.name));
}

}  // namespace

FemStart fem_start(const FemMaking& m, std::span<const Prescribed> held,
                   std::span<const NodeStop> stops) {
  const FemSpec& spec = m.spec;
  const Vector3 velocity = m.within(spec.velocity, m.path + ".velocity");
  const Vector3 spin = m.pose.R * to_vector3(spec.spin);
  const bool turns = !spin.isZero(0.0);
  if (turns && (m.mesh.dimension == 1 ||
                (m.mesh.dimension == 2 && (spec.spin[0] != 0.0 || spec.spin[1] != 0.0))))
    throw SceneError(m.path + ".spin",
                     fmt::format("'{}' cannot rotate about this axis: {}", m.body.name, m.flat()),
                     m.mesh.dimension == 2 ? "[0, 0, w]" : "leave it out");
  const Vector3 centre = turns ? mass_centre(m) : Vector3(Vector3::Zero());
  FemStart start{Vector::Zero(3 * m.nodes()), Vector::Zero(3 * m.nodes()), {}};
  for (int a = 0; a < m.nodes(); ++a) {
    const Vector3 arm = m.placed.nodes.col(a) - centre;
    start.v.segment<3>(3 * a) = turns ? Vector3(velocity + spin.cross(arm)) : velocity;
  }
  if (!spec.start) return start;
  FemStart given = file_start(m);
  expect_start_used(m, given, held, stops);
  start.u = given.u;
  start.v += given.v;
  start.warnings = std::move(given.warnings);
  return start;
}

}  // namespace saltus
