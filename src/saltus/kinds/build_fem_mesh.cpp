#include "saltus/kinds/build_fem_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "saltus/base/suggest.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/mesh_place.h"
#include "saltus/mesh/gmsh.h"

namespace saltus {
namespace {

Mesh box_of(const BoxCellsSpec& spec) {
  BoxMesh box;
  box.kind = spec.kind;
  for (std::size_t k = 0; k < spec.cells.size(); ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    box.cells[k] = spec.cells[k];
    box.size[axis] = spec.size[k];
    if (!spec.origin.empty()) box.origin[axis] = spec.origin[k];
  }
  return box_mesh(box);
}

Mesh shape_of(const FemMeshSpec& spec) {
  if (spec.box) return box_of(*spec.box);
  if (const auto& s = spec.cylinder)
    return cylinder_mesh({s->kind, s->radius, s->height, s->cells, s->rings, s->layers});
  if (const auto& s = spec.arch)
    return arch_mesh(
        {s->kind, s->inner, s->outer, s->angle, s->width, s->around, s->across, s->layers});
  const BallCellsSpec& s = spec.ball.value();
  return ball_mesh({s.kind, s.radius, s.half, s.cells, s.rings, s.grading});
}

std::string mesh_key(const FemMeshSpec& spec) {
  return spec.box        ? "box"
         : spec.cylinder ? "cylinder"
         : spec.arch     ? "arch"
         : spec.ball     ? "ball"
                         : "file";
}

/// Names of the sets, or the text for an empty list.
template <class Sets>
std::string names_in(const Sets& sets, std::string_view none) {
  std::vector<std::string_view> names;
  for (const auto& [name, set] : sets) names.push_back(name);
  return names.empty() ? std::string(none) : "allowed: " + list_names(names);
}
template <class Sets>
std::string suggest_in(const Sets& sets, const std::string& name, std::string_view none) {
  std::vector<std::string_view> names;
  for (const auto& [known, set] : sets) names.push_back(known);
  return names.empty() ? std::string(none) : did_you_mean(name, names);
}

/// Renumbers elements and the faces that refer to them. order: new number of each element.
void renumber(Mesh& mesh, const std::vector<int>& order) {
  const auto number = [&](int e) { return order[static_cast<std::size_t>(e)]; };
  for (auto& [name, set] : mesh.element_sets) {
    for (int& e : set) e = number(e);
    std::ranges::sort(set);
  }
  for (auto& [name, set] : mesh.face_sets) {
    for (MeshFace& face : set) face.element = number(face.element);
    std::ranges::sort(set, {}, [](const MeshFace& f) { return std::pair(f.element, f.face); });
  }
}

/// Splits blocks so that each has one element kind and one material; elements keep their order.
void split(Mesh& mesh, const std::vector<int>& material) {
  std::vector<ElementBlock> blocks;
  std::vector<int> order(material.size());
  int first = 0, next = 0;
  for (const ElementBlock& block : mesh.blocks) {
    std::set<int> there;
    for (int e = 0; e < block.elements(); ++e)
      there.insert(material[static_cast<std::size_t>(first + e)]);
    for (int m : there) {
      ElementBlock part{block.kind, m, {}};
      for (int e = 0; e < block.elements(); ++e) {
        if (material[static_cast<std::size_t>(first + e)] != m) continue;
        const auto node = block.element(e);
        part.nodes.insert(part.nodes.end(), node.begin(), node.end());
        order[static_cast<std::size_t>(first + e)] = next++;
      }
      blocks.push_back(std::move(part));
    }
    first += block.elements();
  }
  mesh.blocks = std::move(blocks);
  renumber(mesh, order);
}

/// The entries of `set` in `sets`; SceneError if the set is missing or empty.
template <class Set>
const std::vector<Set>& found_set(const std::map<std::string, std::vector<Set>>& sets,
                                  const std::string& name, std::string_view of,
                                  const std::string& path) {
  const auto found = sets.find(name);
  if (found == sets.end())
    throw SceneError(path, fmt::format("the mesh has no set of {} '{}'", of, name),
                     suggest_in(sets, name, fmt::format("it has no sets of {}", of)));
  if (found->second.empty())
    throw SceneError(path, fmt::format("the set '{}' contains no {}", name, of),
                     "another set, or another mesh");
  return found->second;
}

}  // namespace

Mesh build_mesh(const Scene& scene, const FemMeshSpec& spec, const std::string& path) {
  const std::string key = path + "." + mesh_key(spec);
  if (!spec.file) {
    try {
      return shape_of(spec);
    } catch (const UsageError& error) {
      throw SceneError(key, usage_text(error));
    }
  }
  Mesh mesh = read_gmsh(scene.resolve(*spec.file), key, spec.bars);
  mesh.nodes *= spec.scale.value_or(1.0);
  try {
    check(mesh);
  } catch (const UsageError& error) {
    throw SceneError(key, fmt::format("'{}': {}", *spec.file, usage_text(error)));
  }
  return mesh;
}

std::vector<FemMaterial> assign_materials(const FemSpec& spec, Mesh& mesh,
                                          const std::string& path) {
  std::vector<FemMaterial> materials;
  if (spec.material) {
    materials.push_back({spec.material->material(), spec.plane, spec.thickness, spec.area});
    for (ElementBlock& block : mesh.blocks) block.material = 0;
    return materials;
  }
  std::vector<int> of(static_cast<std::size_t>(mesh.elements()), -1);
  for (std::size_t k = 0; k < spec.materials.size(); ++k) {
    const SetMaterialSpec& one = spec.materials[k];
    const std::string at = fmt::format("{}.materials[{}].set", path, k);
    materials.push_back({one.material.material(), spec.plane,
                         one.thickness.value_or(spec.thickness), one.area.value_or(spec.area)});
    const auto put = [&](int e) {
      int& m = of[static_cast<std::size_t>(e)];
      if (m >= 0)
        throw SceneError(
            at,
            fmt::format("element {} ({}) is in '{}' and in '{}'", e, info(mesh.kind(e)).name,
                        spec.materials[static_cast<std::size_t>(m)].set, one.set),
            "one material per element");
      m = static_cast<int>(k);
    };
    if (one.set == "all" && !mesh.element_sets.contains("all"))
      for (int e = 0; e < mesh.elements(); ++e) put(e);
    else
      for (int e : found_set(mesh.element_sets, one.set, "elements", at)) put(e);
  }
  const auto without = std::ranges::find(of, -1);
  if (without != of.end()) {
    const auto e = static_cast<int>(without - of.begin());
    throw SceneError(path + ".materials",
                     fmt::format("element {} ({}) has no material: it is in none of the sets", e,
                                 info(mesh.kind(e)).name),
                     names_in(mesh.element_sets, "give `material`"));
  }
  split(mesh, of);
  return materials;
}

const std::vector<MeshFace>& face_set(const Mesh& mesh, const std::string& set,
                                      const std::string& path) {
  return found_set(mesh.face_sets, set, "faces", path);
}

std::vector<int> nodes_asked(const Mesh& mesh, const NodesAsked& asked, const std::string& path) {
  if (asked.set) {
    const std::string at = path + ".set";
    if (!mesh.node_sets.contains(*asked.set) && mesh.face_sets.contains(*asked.set))
      return nodes_of(mesh, face_set(mesh, *asked.set, at));
    std::vector<int> nodes = found_set(mesh.node_sets, *asked.set, "nodes", at);
    std::ranges::sort(nodes);
    return nodes;
  }
  if (asked.at) {
    const Vector3 X = to_vector3(*asked.at);
    const int node = nearest_node(mesh, X);
    const double away = (mesh.nodes.col(node) - X).norm();
    if (away <= 1e-6 * size_of(mesh)) return {node};
    const auto& x = mesh.nodes.col(node);
    throw SceneError(
        path + ".at", "there is no node at this place",
        fmt::format("the nearest, node {}, is {:.3g} m away at [{:.6g}, {:.6g}, {:.6g}]", node,
                    away, x[0], x[1], x[2]));
  }
  std::vector<int> nodes = asked.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    expect_index(nodes[i], static_cast<int>(mesh.nodes.cols()),
                 fmt::format("{}.nodes[{}]", path, i));
  std::ranges::sort(nodes);
  const auto twice = std::ranges::adjacent_find(nodes);
  if (twice != nodes.end())
    throw SceneError(path + ".nodes", fmt::format("node {} is named twice", *twice),
                     "name each node once");
  return nodes;
}

}  // namespace saltus
