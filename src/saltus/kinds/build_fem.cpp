// Finite elements: a placed mesh, its materials, and its contact surface.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "saltus/advice/locking_advice.h"
#include "saltus/fem/boundary_surface.h"
#include "saltus/kinds/build_fem_internal.h"
#include "saltus/kinds/fem_faults.h"
#include "saltus/kinds/fem_kind.h"
#include "saltus/kinds/mesh_place.h"

namespace saltus {
namespace {

void place(FemMaking& m) {
  const FemSpec& spec = m.spec;
  m.pose.x = m.within(spec.position, m.path + ".position");
  m.pose.R = rotation_of(spec.rotation).toRotationMatrix();
  for (int k = m.mesh.dimension; k < 3; ++k)
    if ((m.pose.R.col(k) - Vector3::Unit(k)).norm() > 1e-12)
      throw SceneError(m.path + ".rotation",
                       fmt::format("rotates '{}' out of its {}", m.body.name,
                                   m.mesh.dimension == 1 ? "line: its mesh is along x"
                                                         : "plane: its mesh is in the x-y plane"),
                       m.mesh.dimension == 1 ? "leave it out" : "give the axis [0, 0, 1]");
  m.placed = m.mesh;
  const bool turned = !m.pose.R.isIdentity(0.0);
  for (int a = 0; a < m.nodes(); ++a) {
    Vector3 X = m.mesh.nodes.col(a);
    if (turned) X = m.pose.R * X;
    X += m.pose.x;
    X.tail(3 - m.mesh.dimension).setZero();
    m.placed.nodes.col(a) = X;
  }
}

/// The free part of the motion at t = 0.
template <class Body>
GroupState free_start(const FemMaking& m, const Body& body, const FemStart& start) {
  GroupState state{Vector::Zero(body.positions()), Vector::Zero(body.velocities()), {}};
  for (int dof = 0; dof < 3 * m.nodes(); ++dof)
    if (const int i = body.free_index(dof); i >= 0) {
      state.q[i] = start.u[dof];
      state.v[i] = start.v[dof];
    }
  return state;
}

std::vector<MeshFace> touching_faces(const FemMaking& m) {
  const FemSurfaceSpec& surface = m.spec.surface;
  if (surface.on.empty()) return boundary(m.mesh);
  std::vector<MeshFace> faces;
  for (std::size_t i = 0; i < surface.on.size(); ++i) {
    const auto& set = face_set(m.mesh, surface.on[i], fmt::format("{}.surface.on[{}]", m.path, i));
    faces.insert(faces.end(), set.begin(), set.end());
  }
  std::ranges::sort(faces, {}, [](const MeshFace& f) { return std::pair(f.element, f.face); });
  faces.erase(std::unique(faces.begin(), faces.end()), faces.end());
  return faces;
}

BuiltBoundary boundary_of_mesh(const FemMaking& m) {
  BuiltBoundary built;
  built.name = m.body.name;
  built.path = m.path + ".surface";
  built.boundary = boundary_of(m.placed, touching_faces(m));
  built.material = m.spec.surface.material;
  built.self = m.spec.surface.self;
  built.thickness = (m.mesh.nodes.rowwise().maxCoeff() - m.mesh.nodes.rowwise().minCoeff())
                        .head(m.mesh.dimension)
                        .minCoeff();
  return built;
}

}  // namespace

BuiltBody build_fem(const Scene& scene, const BodySpec& body, const std::string& path) {
  FemMaking m{scene, body, body.fem.value(), path + ".fem", {}, {}, {}, {}};
  m.mesh = build_mesh(scene, m.spec.mesh, m.path + ".mesh");
  m.materials = assign_materials(m.spec, m.mesh, m.path);
  expect_used(m.spec, m.mesh, m.path);
  expect_stoppable(m.spec, m.path);
  place(m);
  FemSystem system;
  system.materials = m.materials;
  system.form = m.spec.form;
  system.tangent = m.spec.tangent;
  system.solver = {m.spec.solver.kind, m.spec.solver.tolerance, m.spec.solver.iterations};
  system.mass = m.spec.mass;
  system.rayleigh = rayleigh_of(body);
  system.viscosity = m.spec.viscosity;
  system.gravity = m.spec.gravity ? m.within(*m.spec.gravity, m.path + ".gravity")
                                  : m.within(scene.spec.steady_gravity(), "gravity",
                                             "give fem.gravity, or another gravity of the scene");
  system.field = field_of(scene, m.spec.gravity.has_value());
  for (UniformField::Term& term : system.field.terms) {
    const Vector3& along = term.direction;
    term.direction =
        m.within({along[0], along[1], along[2]}, scene.spec.ground ? "ground" : "gravity",
                 "gravity and ground motion along the dimensions of the mesh");
  }
  if (!system.field.terms.empty() && m.spec.modes)
    throw SceneError(m.path + ".modes",
                     "modes of a mesh do not support gravity in time or motion of the ground",
                     "leave out `modes`");
  system.prescribed = held_of(m);
  for (std::size_t i = 0; i < m.spec.loads.size(); ++i)
    system.loads.push_back(load_of(m, m.spec.loads[i], fmt::format("{}.loads[{}]", m.path, i)));
  if (m.spec.modes) expect_reducible(m.spec, system, m.path);
  std::vector<NodeStop> stops = stops_of(m);
  FemStart start = fem_start(m, system.prescribed, stops);
  BuiltBody built;
  built.warnings = std::move(start.warnings);
  built.dofs = 3 * m.nodes();
  built.plane = m.mesh.dimension < 3;
  std::vector<int> prescribed;
  for (const Prescribed& motion : system.prescribed) prescribed.push_back(motion.dof);
  if (m.spec.touches) built.boundaries.push_back(boundary_of_mesh(m));
  const std::vector<int> part = parts_of(m.mesh);
  if (const int last = *std::ranges::max_element(part); last > 0)
    built.warnings.push_back(
        fmt::format("{}.mesh: the mesh of '{}' has {} parts that are not connected", m.path,
                    body.name, last + 1));
  if (const auto overlap = overlap_of(m, stops)) built.warnings.push_back(*overlap);
  if (const auto locks =
          locking_advice(m.mesh, m.materials, body.name,
                         m.spec.fixed.empty() && m.spec.prescribed.empty() && m.spec.loads.empty()))
    built.warnings.push_back(m.path + ".mesh: " + *locks);
  return built_at(stops.empty() ? m.path : m.path + ".stops", [&] {
    system.mesh = std::move(m.placed);
    std::shared_ptr<const Fem> fem;
    std::shared_ptr<const RedistributedMass> stopped;
    if (m.spec.modes && !m.spec.modes->keep.empty()) {
      fem = std::make_shared<const Fem>(system);
      reduce_by_nodes(m, system, built);
    } else if (stops.empty()) {
      fem = std::make_shared<const Fem>(std::move(system));
      built.dynamics = fem;
      built.initial = free_start(m, *fem, start);
    } else {
      stopped = std::make_shared<const RedistributedMass>(std::move(system), std::move(stops));
      fem = std::shared_ptr<const Fem>(stopped, &stopped->fem());
      built.dynamics = stopped;
      built.initial = free_start(m, *stopped, start);
    }
    if (m.spec.modes && m.spec.modes->keep.empty())
      reduce_by_points(m, *fem, built);
    else
      built.kind = std::make_shared<const FemKind>(std::move(fem), std::move(stopped), m.pose,
                                                   std::move(prescribed));
    return std::move(built);
  });
}

}  // namespace saltus
