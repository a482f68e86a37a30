// Finite elements: mesh, materials, what is held, loads, the state at t = 0 and the surface that touches.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include "saltus/bodies/reduction.h"
#include "saltus/bodies/skin.h"
#include "saltus/scene/build_fem_mesh.h"
#include "saltus/scene/build_kinds.h"
#include "saltus/scene/fem_faults.h"
#include "saltus/scene/mesh_place.h"

namespace saltus {
namespace {

constexpr std::array kAxisNames{"x", "y", "z"};

/// An entry of kind fem on its way.
struct FemMaking {
  const Scene& scene;
  const BodySpec& body;
  const FemSpec& spec;
  std::string path;  ///< "bodies[0].fem"
  Mesh mesh;         ///< in its own frame
  Mesh placed;       ///< where it is undeformed
  std::vector<FemMaterial> materials;
  Pose pose;

  int nodes() const { return static_cast<int>(mesh.nodes.cols()); }
  /// Why no axis past the dimension is free.
  std::string flat() const {
    return mesh.dimension == 1 ? "its mesh is a line along x" : "its mesh is plane";
  }
  /// A vector of the scene that must stay within the dimension of the mesh.
  Vector3 within(const std::array<double, 3>& given, const std::string& key,
                 const char* hint = "leave this part out") const {
    const Vector3 x = to_vector3(given);
    for (int k = mesh.dimension; k < 3; ++k)
      if (x[k] != 0.0)
        throw SceneError(key,
                         fmt::format("'{}' cannot move along {}: {}", body.name,
                                     kAxisNames[static_cast<std::size_t>(k)], flat()),
                         hint);
    return x;
  }
};

void place(FemMaking& m) {
  const FemSpec& spec = m.spec;
  m.pose.x = m.within(spec.position, m.path + ".position");
  m.pose.R = rotation_of(spec.rotation).toRotationMatrix();
  for (int k = m.mesh.dimension; k < 3; ++k)
    if ((m.pose.R.col(k) - Vector3::Unit(k)).norm() > 1e-12)
      throw SceneError(m.path + ".rotation",
                       fmt::format("turns '{}' out of its {}", m.body.name,
                                   m.mesh.dimension == 1 ? "line: its mesh is along x"
                                                         : "plane: its mesh is in that of x and y"),
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

// -- what is held

class Held {
 public:
  explicit Held(const FemMaking& m) : m_(m) {}

  void fix(const FixedNodesSpec& spec, const std::string& path) {
    std::vector<SpaceAxis> axes = spec.axes;
    if (axes.empty())
      for (int k = 0; k < m_.mesh.dimension; ++k) axes.push_back(static_cast<SpaceAxis>(k));
    for (std::size_t i = 0; i < axes.size(); ++i)
      expect_axis(static_cast<int>(axes[i]), fmt::format("{}.axes[{}]", path, i));
    for (int node : nodes_asked(m_.mesh, {spec.set, spec.nodes, spec.at}, path))
      for (SpaceAxis axis : axes) {
        const int dof = 3 * node + static_cast<int>(axis);
        if (by_.try_emplace(dof, path).second) add(dof, Signal::constant(0.0));
      }
  }
  void lead(const LedNodesSpec& spec, const std::string& path) {
    const std::vector<int> nodes = nodes_asked(m_.mesh, {spec.set, spec.nodes, spec.at}, path);
    const std::array courses{&spec.x, &spec.y, &spec.z};
    for (int axis = 0; axis < 3; ++axis) {
      const auto& course = *courses[static_cast<std::size_t>(axis)];
      if (!course) continue;
      const std::string key =
          fmt::format("{}.{}", path, kAxisNames[static_cast<std::size_t>(axis)]);
      expect_axis(axis, key);
      const Signal signal = course_signal(m_.scene, *course, key);
      for (int node : nodes) {
        const auto [known, added] = by_.try_emplace(3 * node + axis, key);
        if (!added)
          throw SceneError(key,
                           fmt::format("{} of node {} is prescribed twice, also by {}",
                                       kAxisNames[static_cast<std::size_t>(axis)], node,
                                       known->second.substr(m_.path.size() + 1)),
                           "one motion each");
        add(3 * node + axis, signal);
      }
    }
  }
  std::vector<Prescribed> list;

 private:
  void add(int dof, const Signal& signal) { list.push_back({dof, signal}); }
  void expect_axis(int axis, const std::string& key) const {
    if (axis >= m_.mesh.dimension)
      throw SceneError(key,
                       fmt::format("'{}' has no {}: {}", m_.body.name,
                                   kAxisNames[static_cast<std::size_t>(axis)], m_.flat()),
                       "leave it out");
  }
  const FemMaking& m_;
  std::map<int, std::string> by_;  ///< entry that holds a degree of freedom
};

std::vector<Prescribed> held_of(const FemMaking& m) {
  Held held(m);
  for (std::size_t i = 0; i < m.spec.fixed.size(); ++i)
    held.fix(m.spec.fixed[i], fmt::format("{}.fixed[{}]", m.path, i));
  for (std::size_t i = 0; i < m.spec.prescribed.size(); ++i)
    held.lead(m.spec.prescribed[i], fmt::format("{}.prescribed[{}]", m.path, i));
  if (std::ssize(held.list) == static_cast<std::ptrdiff_t>(m.nodes()) * m.mesh.dimension)
    throw SceneError(m.path + (m.spec.prescribed.empty() ? ".fixed" : ".prescribed"),
                     "prescribes every node: nothing is left to move", "leave some out");
  return held.list;
}

// -- loads

/// Faces of plane elements by the thickness of their elements; all faces under one where there is none.
std::map<double, std::vector<MeshFace>> by_thickness(const FemMaking& m,
                                                     const std::vector<MeshFace>& faces) {
  std::map<double, std::vector<MeshFace>> groups;
  for (const MeshFace& face : faces) {
    const Mesh::Place at = m.mesh.place(face.element);
    const int material = m.mesh.blocks[static_cast<std::size_t>(at.block)].material;
    groups[m.materials[static_cast<std::size_t>(material)].thickness].push_back(face);
  }
  return groups;
}

void append(Load& load, const Load& part) {
  load.pattern.insert(load.pattern.end(), part.pattern.begin(), part.pattern.end());
}

/// A force of unit size spread evenly over faces: its weights by nodes.
std::map<int, double> area_shares(const FemMaking& m, const std::vector<MeshFace>& faces) {
  std::map<int, double> share;
  double all = 0.0;
  for (const auto& [thickness, some] : by_thickness(m, faces)) {
    const Load area =
        traction_load(m.placed, some, Vector3::UnitX(), Signal::constant(1.0), thickness);
    for (const auto& [dof, weight] : area.pattern) {
      share[dof / 3] += weight;
      all += weight;
    }
  }
  for (auto& [node, weight] : share) weight /= all;
  return share;
}

/// The share of a force that each node takes.
std::map<int, double> shares_of(const FemMaking& m, const FemLoadSpec& spec,
                                const std::string& path) {
  if (spec.set && m.mesh.face_sets.contains(*spec.set))
    return area_shares(m, face_set(m.mesh, *spec.set, path + ".set"));
  std::map<int, double> share;
  if (spec.at) {
    const auto place = find_place(m.mesh, to_vector3(*spec.at));
    if (!place)
      throw SceneError(path + ".at", fmt::format("is not in the mesh of '{}'", m.body.name),
                       "a place in the frame of the mesh");
    if (place->node >= 0) return {{place->node, 1.0}};
    const ShapeValues N = shape_values(m.mesh.kind(place->element), place->xi);
    const auto node = m.mesh.element(place->element);
    for (Eigen::Index a = 0; a < N.size(); ++a) share[node[static_cast<std::size_t>(a)]] = N[a];
    return share;
  }
  const std::vector<int> nodes = nodes_asked(m.mesh, {spec.set, spec.nodes, spec.at}, path);
  for (int node : nodes) share[node] = 1.0 / static_cast<double>(nodes.size());
  return share;
}

Load load_of(const FemMaking& m, const FemLoadSpec& spec, const std::string& path) {
  Load load;
  load.signal =
      spec.factor ? course_signal(m.scene, *spec.factor, path + ".factor") : Signal::constant(1.0);
  if (spec.force) {
    const Vector3 force = m.within(*spec.force, path + ".force");
    for (const auto& [node, share] : shares_of(m, spec, path))
      for (int k = 0; k < 3; ++k)
        if (force[k] != 0.0) load.pattern.emplace_back(3 * node + k, share * force[k]);
    return load;
  }
  const auto& faces_known = m.mesh.face_sets;
  if (faces_known.empty() && m.mesh.node_sets.contains(*spec.set))
    throw SceneError(path + ".set",
                     fmt::format("'{}' has no faces: it is a set of nodes of bars", *spec.set),
                     "give `force`");
  for (const auto& [thickness, faces] : by_thickness(m, face_set(m.mesh, *spec.set, path + ".set")))
    append(load, spec.pressure
                     ? pressure_load(m.placed, faces, *spec.pressure, load.signal, thickness)
                     : traction_load(m.placed, faces, m.within(*spec.traction, path + ".traction"),
                                     load.signal, thickness));
  return load;
}

// -- stops

std::vector<NodeStop> stops_of(const FemMaking& m) {
  std::vector<NodeStop> stops;
  for (std::size_t i = 0; i < m.spec.stops.size(); ++i) {
    const FemStopSpec& spec = m.spec.stops[i];
    const std::string path = fmt::format("{}.stops[{}]", m.path, i);
    m.within(spec.plane.normal, path + ".plane.normal", "turn the plane");
    const Vector3 normal = unit_vector(spec.plane.normal, path + ".plane.normal");
    for (int node : nodes_asked(m.mesh, {spec.set, spec.nodes, spec.at}, path))
      stops.push_back({node, to_vector3(spec.plane.point), normal});
  }
  return stops;
}

/// A body that is put behind a plane starts pressed, with the energy of that.
std::optional<std::string> overlap_of(const FemMaking& m, std::span<const NodeStop> stops) {
  const auto gap = [&](const NodeStop& stop) {
    return stop.normal.dot(m.placed.nodes.col(stop.node) - stop.place);
  };
  const auto worst = std::ranges::min_element(stops, {}, gap);
  if (worst == stops.end() || gap(*worst) >= -1e-9 * size_of(m.mesh)) return std::nullopt;
  return fmt::format("{}.stops: node {} of '{}' starts {:.3g} mm behind its plane, pressed by it",
                     m.path, worst->node, m.body.name, -1e3 * gap(*worst));
}

// -- the state at t = 0

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

/// Displacements and velocities of all nodes, 3 each.
struct FemStart {
  Vector u, v;
};

FemStart start_of(const FemMaking& m) {
  const FemSpec& spec = m.spec;
  const Vector3 velocity = m.within(spec.velocity, m.path + ".velocity");
  const Vector3 spin = m.pose.R * to_vector3(spec.spin);
  const bool turns = !spin.isZero(0.0);
  if (turns && (m.mesh.dimension == 1 ||
                (m.mesh.dimension == 2 && (spec.spin[0] != 0.0 || spec.spin[1] != 0.0))))
    throw SceneError(m.path + ".spin",
                     fmt::format("'{}' cannot turn so: {}", m.body.name, m.flat()),
                     m.mesh.dimension == 2 ? "[0, 0, w]" : "leave it out");
  const Vector3 centre = turns ? mass_centre(m) : Vector3(Vector3::Zero());
  FemStart start{Vector::Zero(3 * m.nodes()), Vector::Zero(3 * m.nodes())};
  for (int a = 0; a < m.nodes(); ++a) {
    const Vector3 arm = m.placed.nodes.col(a) - centre;
    start.v.segment<3>(3 * a) = turns ? Vector3(velocity + spin.cross(arm)) : velocity;
  }
  if (!spec.start) return start;
  const std::string at = m.path + ".start";
  const Matrix data = read_table(m.scene, *spec.start, 3, "ux, uy, uz [m]", at);
  if (data.cols() != 3 && data.cols() != 6)
    throw SceneError(at, fmt::format("'{}' has {} columns", *spec.start, data.cols()),
                     "3: ux, uy, uz; or 6: also vx, vy, vz");
  if (data.rows() != m.nodes())
    throw SceneError(at,
                     fmt::format("'{}' has {} row{} for {} nodes", *spec.start, data.rows(),
                                 data.rows() == 1 ? "" : "s", m.nodes()),
                     "one row a node");
  for (int a = 0; a < m.nodes(); ++a) {
    start.u.segment<3>(3 * a) = data.row(a).head<3>();
    if (data.cols() == 6) start.v.segment<3>(3 * a) += data.row(a).tail<3>().transpose();
  }
  return start;
}

GroupState free_start(const FemMaking& m, const BuiltBody& built, const FemStart& start,
                      std::span<const Prescribed> held) {
  const double size = size_of(m.mesh);
  for (const Prescribed& motion : held)
    if (const double given = start.u[motion.dof], is = motion.signal.value(0.0);
        given != 0.0 && std::abs(given - is) > 1e-9 * size)
      throw SceneError(m.path + ".start",
                       fmt::format("displaces {} of node {} by {} m, its prescribed motion starts "
                                   "at {} m",
                                   kAxisNames[static_cast<std::size_t>(motion.dof % 3)],
                                   motion.dof / 3, given, is),
                       "give its start there");
  GroupState state{
      Vector::Zero(built.dynamics->positions()), Vector::Zero(built.dynamics->velocities()), {}};
  for (int dof = 0; dof < 3 * m.nodes(); ++dof)
    if (const int i = built.free_index(dof); i >= 0) {
      state.q[i] = start.u[dof];
      state.v[i] = start.v[dof];
    }
  return state;
}

// -- the surface

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

BuiltSkin skin_of_mesh(const FemMaking& m) {
  BuiltSkin built;
  built.name = m.body.name;
  built.path = m.path + ".surface";
  built.skin = skin_of(m.placed, touching_faces(m));
  built.material = m.spec.surface.material;
  built.self = m.spec.surface.self;
  built.thickness = (m.mesh.nodes.rowwise().maxCoeff() - m.mesh.nodes.rowwise().minCoeff())
                        .head(m.mesh.dimension)
                        .minCoeff();
  return built;
}

/// The body in its lowest modes about its undeformed state.
void reduce(const FemMaking& m, BuiltBody& built) {
  const FemModesSpec& spec = *m.spec.modes;
  const std::string path = m.path + ".modes";
  if (built.initial.q.cwiseAbs().maxCoeff() > 0.0 || built.initial.v.cwiseAbs().maxCoeff() > 0.0)
    throw SceneError(path, fmt::format("'{}' does not start at rest and undeformed", m.body.name),
                     "leave velocity, spin and start out");
  ModalReduction reduction;
  reduction.modes = spec.count;
  reduction.direction = unit_vector(spec.direction, path + ".direction");
  for (std::size_t i = 0; i < spec.at.size(); ++i) {
    const Vector3 X = to_vector3(spec.at[i]);
    const auto place = find_place(m.mesh, X);
    if (!place)
      throw SceneError(fmt::format("{}.at[{}]", path, i),
                       fmt::format("is not in the mesh of '{}'", m.body.name),
                       "a place in the frame of the mesh");
    reduction.points.push_back(place->node >= 0
                                   ? built.fem->node_point(place->node)
                                   : built.fem->element_point(place->element, place->xi));
    built.reduced.push_back(X);
  }
  ModalReduced reduced;
  try {
    reduced = reduce_to_modes(*built.fem, built.initial.q, reduction);
  } catch (const UsageError& error) {
    throw SceneError(path, usage_text(error));
  }
  built.modal = std::move(reduced.body);
  built.dynamics = built.modal;
  built.along = std::move(reduced.place);
  built.fem = nullptr;
  built.skins.clear();
  built.dofs = spec.count;
  built.initial = {Vector::Zero(spec.count), Vector::Zero(spec.count), {}};
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
                                  : m.within(scene.spec.gravity, "gravity",
                                             "give fem.gravity, or another gravity of the scene");
  system.prescribed = held_of(m);
  for (std::size_t i = 0; i < m.spec.loads.size(); ++i)
    system.loads.push_back(load_of(m, m.spec.loads[i], fmt::format("{}.loads[{}]", m.path, i)));
  if (m.spec.modes) expect_reducible(m.spec, system, m.path);
  std::vector<NodeStop> stops = stops_of(m);
  const FemStart start = start_of(m);
  BuiltBody built;
  built.dofs = 3 * m.nodes();
  built.placed = m.pose;
  built.plane = m.mesh.dimension < 3;
  for (const Prescribed& motion : system.prescribed) built.held.push_back(motion.dof);
  if (m.spec.touches) built.skins.push_back(skin_of_mesh(m));
  const std::vector<int> part = parts_of(m.mesh);
  if (const int last = *std::ranges::max_element(part); last > 0)
    built.warnings.push_back(
        fmt::format("{}.mesh: the mesh of '{}' is in {} parts that nothing joins", m.path,
                    body.name, last + 1));
  if (const auto overlap = overlap_of(m, stops)) built.warnings.push_back(*overlap);
  return built_at(stops.empty() ? m.path : m.path + ".stops", [&] {
    const std::vector<Prescribed> held = system.prescribed;
    system.mesh = std::move(m.placed);
    if (stops.empty()) {
      built.fem = std::make_shared<const Fem>(std::move(system));
      built.dynamics = built.fem;
    } else {
      built.massless = std::make_shared<const MasslessContact>(std::move(system), std::move(stops));
      built.fem = std::shared_ptr<const Fem>(built.massless, &built.massless->fem());
      built.dynamics = built.massless;
    }
    built.initial = free_start(m, built, start, held);
    if (m.spec.modes) reduce(m, built);
    return std::move(built);
  });
}

}  // namespace saltus
