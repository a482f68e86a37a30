// Supports, loads and stops of a mesh.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "saltus/kinds/build_fem_internal.h"
#include "saltus/kinds/mesh_place.h"

namespace saltus {
namespace {

class Held {
 public:
  explicit Held(const FemMaking& m) : m_(m) {}

  void fix(const FixedNodesSpec& spec, const std::string& path) {
    std::vector<SpaceAxis> axes = spec.axes;
    if (axes.empty())
      for (int k = 0; k < m_.mesh.dimension; ++k) axes.push_back(static_cast<SpaceAxis>(k));
    for (std::size_t i = 0; i < axes.size(); ++i)
      m_.expect_axis(static_cast<int>(axes[i]), fmt::format("{}.axes[{}]", path, i));
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
          fmt::format("{}.{}", path, kSpaceAxes[static_cast<std::size_t>(axis)]);
      m_.expect_axis(axis, key);
      const Signal signal = course_signal(m_.scene, *course, key);
      for (int node : nodes) {
        const auto [known, added] = by_.try_emplace(3 * node + axis, key);
        if (!added)
          throw SceneError(key,
                           fmt::format("{} of node {} is prescribed twice, also by {}",
                                       kSpaceAxes[static_cast<std::size_t>(axis)], node,
                                       known->second.substr(m_.path.size() + 1)),
                           "one motion per degree of freedom");
        add(3 * node + axis, signal);
      }
    }
  }
  std::vector<Prescribed> list;

 private:
  void add(int dof, const Signal& signal) { list.push_back({dof, signal}); }
  const FemMaking& m_;
  std::map<int, std::string> by_;  ///< entry that prescribes a degree of freedom
};

/// Faces of plane elements grouped by the thickness of their elements; other meshes: all faces in
/// one group.
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

/// A force of unit size distributed evenly over faces: its nodal weights.
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

/// The fraction of a force that acts on each node.
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

}  // namespace

std::vector<Prescribed> held_of(const FemMaking& m) {
  Held held(m);
  for (std::size_t i = 0; i < m.spec.fixed.size(); ++i)
    held.fix(m.spec.fixed[i], fmt::format("{}.fixed[{}]", m.path, i));
  for (std::size_t i = 0; i < m.spec.prescribed.size(); ++i)
    held.lead(m.spec.prescribed[i], fmt::format("{}.prescribed[{}]", m.path, i));
  if (std::ssize(held.list) == static_cast<std::ptrdiff_t>(m.nodes()) * m.mesh.dimension)
    throw SceneError(m.path + (m.spec.prescribed.empty() ? ".fixed" : ".prescribed"),
                     "prescribes every node: no free node is left", "leave some out");
  return held.list;
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

/// If the body is placed beyond a plane, it starts deformed, with the corresponding elastic energy.
std::optional<std::string> overlap_of(const FemMaking& m, std::span<const NodeStop> stops) {
  const auto gap = [&](const NodeStop& stop) {
    return stop.normal.dot(m.placed.nodes.col(stop.node) - stop.place);
  };
  const auto worst = std::ranges::min_element(stops, {}, gap);
  if (worst == stops.end() || gap(*worst) >= -1e-9 * size_of(m.mesh)) return std::nullopt;
  return fmt::format(
      "{}.stops: node {} of '{}' starts {:.3g} mm beyond its plane, which deforms the body", m.path,
      worst->node, m.body.name, -1e3 * gap(*worst));
}

}  // namespace saltus
