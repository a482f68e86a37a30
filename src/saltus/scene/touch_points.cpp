#include "saltus/scene/touch_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/suggest.h"
#include "saltus/base/units.h"
#include "saltus/scene/beam_points.h"
#include "saltus/scene/build_kinds.h"
#include "saltus/scene/mesh_place.h"
#include "saltus/spec/body_names.h"

namespace saltus {
namespace {

TouchPoint modal_point(const Modal& body, const std::string& name, double x,
                       const std::string& path) {
  if (!body.has_shapes())
    throw SceneError(path, "'" + name + "' has no points: its modes have no shapes",
                     "give bodies[].modes.shapes");
  if (!(x >= 0.0 && x <= body.shapes().length()))
    throw SceneError(path, fmt::format("{} m is not on '{}'", x, name),
                     fmt::format("between 0 and {} m", body.shapes().length()));
  Vector shape(body.positions());
  try {
    body.shapes().row(x, shape);
  } catch (const SceneError& error) {  // a table of shapes without this place
    throw SceneError(path, error.message(), error.hint());
  }
  return {{0, 0, Vector3(x, 0.0, 0.0)}, fmt::format("x = {:.4g} m", x), path};
}

/// A place of a rigid or pseudo-rigid body.
TouchPoint rigid_point(const NamedBuilt& of, const PlaceSpec& at, const std::string& path) {
  const auto* place = std::get_if<std::array<double, 3>>(&at);
  if (!place)
    throw SceneError(
        path, fmt::format("{} is not a place on '{}'", place_text(at, BodyKind::rigid), of.name),
        fmt::format("a body of kind {} takes [x, y, z] in its frame", name_of(of.body.kind)));
  const Vector3 local = to_vector3(*place) - of.built.origins[static_cast<std::size_t>(of.copy)];
  return {{of.built.first + of.copy, 0, local}, place_text(at, BodyKind::rigid), path};
}

TouchPoint node_point(const Fem& fem, int node, const std::string& path) {
  return {fem.node_point(node), fmt::format("node {}", node), path};
}

/// Nodes of a set of the mesh.
const std::vector<int>& node_set(const NamedBuilt& of, const std::string& set,
                                 const std::string& path) {
  const Mesh& mesh = of.built.fem->mesh();
  const auto found = mesh.node_sets.find(set);
  if (found != mesh.node_sets.end() && !found->second.empty()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [name, nodes] : mesh.node_sets)
    if (!nodes.empty()) names.push_back(name);
  throw SceneError(path, fmt::format("the mesh of '{}' has no set of nodes '{}'", of.name, set),
                   names.empty() ? "give a node or a place" : did_you_mean(set, names));
}

/// A place of a mesh that was reduced to its modes.
TouchPoint reduced_point(const NamedBuilt& of, const PlaceSpec& at, const std::string& path) {
  const BuiltBody& built = of.built;
  const auto count = static_cast<int>(built.along.size());
  int chosen = 0;
  if (const auto* place = std::get_if<std::array<double, 3>>(&at)) {
    const Vector3 X = to_vector3(*place);
    const auto away = [&](const Vector3& x) { return (x - X).norm(); };
    const auto near = std::ranges::min_element(built.reduced, {}, away);
    chosen = static_cast<int>(near - built.reduced.begin());
    if (away(*near) > 1e-9 * (1.0 + X.norm()))
      throw SceneError(path,
                       fmt::format("{} is none of the places of fem.modes.at of '{}'",
                                   place_text(at, of.body.kind), of.name),
                       "add it there");
  } else {
    chosen = index_at(std::get<NumberOrName>(at), count, "place of fem.modes.at", path);
  }
  const auto i = static_cast<std::size_t>(chosen);
  return {{0, 0, Vector3(built.along[i], 0.0, 0.0)}, place_text(at, of.body.kind), path};
}

/// A node, the one node of a set, or a place in the frame of the mesh.
TouchPoint fem_point(const NamedBuilt& of, const PlaceSpec& at, const std::string& path) {
  const Fem& fem = *of.built.fem;
  if (const auto* place = std::get_if<std::array<double, 3>>(&at)) {
    const auto found = find_place(fem.mesh(), of.built.placed * to_vector3(*place));
    if (!found)
      throw SceneError(
          path, fmt::format("{} is not in the mesh of '{}'", place_text(at, of.body.kind), of.name),
          "a place in the undeformed body, in the frame of the mesh");
    if (found->node >= 0) return node_point(fem, found->node, path);
    return {fem.element_point(found->element, found->xi), place_text(at, of.body.kind), path};
  }
  const NumberOrName& name = std::get<NumberOrName>(at);
  if (!name.is_name())
    return node_point(fem, index_at(name, static_cast<int>(fem.mesh().nodes.cols()), "node", path),
                      path);
  const std::vector<int>& nodes = node_set(of, name.name, path);
  if (nodes.size() != 1)
    throw SceneError(path, fmt::format("'{}' has {} nodes", name.name, nodes.size()),
                     "one point: a node, a set of one node, or a place [x, y, z]");
  return node_point(fem, nodes.front(), path);
}

}  // namespace

NamedBuilt named_built(const Scene& scene, std::span<const BuiltBody> bodies,
                       const std::string& name, const std::string& path) {
  if (const auto fault = one_body_fault(scene.spec, name, path))
    throw SceneError(fault->key, fault->message, fault->hint);
  const NamedBody found = *find_body(scene.spec, name);
  NamedBuilt named{bodies[found.entry], scene.spec.bodies[found.entry], found.copy, name};
  const auto count = static_cast<int>(named.built.origins.size());
  if (count > 0 && found.copy >= count)
    throw SceneError(path, fmt::format("there is no body '{}'", name),
                     fmt::format("'{}' stands for {} bodies, {} to {}", named.body.name, count,
                                 copy_name(named.body, 0), copy_name(named.body, count - 1)));
  if (named.built.group < 0)
    throw SceneError(path, fmt::format("'{}' is fixed: nothing of it can move", name),
                     "name a body that moves; contacts with the world are written as a plane");
  return named;
}

std::vector<std::string> point_names(const Lagrangian& body) {
  std::vector<std::string> names;
  for (int i = 0; i < body.model().points(); ++i) names.push_back(body.model().point_name(i));
  return names;
}

int index_at(const NumberOrName& at, int count, const char* what, const std::string& path) {
  const std::string allowed = allowed_indices(count);
  if (at.is_name())
    throw SceneError(path, fmt::format("'{}' is not the number of a {}", at.name, what), allowed);
  if (at.with_unit)
    throw SceneError(path, fmt::format("{} m is a length, not the number of a {}", at.number, what),
                     allowed);
  if (at.number != std::floor(at.number))
    throw SceneError(path, fmt::format("{} is not the number of a {}", at.number, what), allowed);
  if (!(at.number >= 0.0 && at.number < count))
    throw SceneError(path, fmt::format("there is no {} {}", what, at.number), allowed);
  return static_cast<int>(at.number);
}

TouchPoint touch_point(const NamedBuilt& of, const PlaceSpec& place, const std::string& path) {
  const BuiltBody& built = of.built;
  const BodySpec& body = of.body;
  if (built.kind_rigid || built.pseudo_rigid) return rigid_point(of, place, path);
  if (built.fem) return fem_point(of, place, path);
  if (built.beam) return beam_point(of, place, path);
  if (!built.reduced.empty()) return reduced_point(of, place, path);
  if (std::holds_alternative<std::array<double, 3>>(place))
    throw SceneError(
        path, fmt::format("{} is not a point of '{}'", place_text(place, body.kind), of.name),
        "places [x, y, z] are for bodies of kinds rigid, pseudo-rigid and fem");
  const NumberOrName& at = std::get<NumberOrName>(place);
  if (built.modal) {
    if (at.is_name())
      throw SceneError(path, fmt::format("'{}' is not a place on '{}'", at.name, body.name),
                       "a body of kind modal takes a place along it, in m");
    return modal_point(*built.modal, body.name, at.number, path);
  }
  if (built.lagrangian) {
    const std::vector<std::string> names = point_names(*built.lagrangian);
    const std::vector<std::string_view> known(names.begin(), names.end());
    if (!at.is_name())
      throw SceneError(path,
                       fmt::format("{} is not the name of a point of '{}'", at.number, body.name),
                       "allowed: " + list_names(known));
    const auto found = std::ranges::find(names, at.name);
    if (found == names.end())
      throw SceneError(path, fmt::format("'{}' has no point '{}'", body.name, at.name),
                       did_you_mean(at.name, known));
    return {{0, static_cast<int>(found - names.begin()), Vector3::Zero()}, at.name, path};
  }
  const char* what = built.particles ? "particle" : "degree of freedom";
  const int index = index_at(at, built.particles ? built.dofs / 3 : built.dofs, what, path);
  return {{0, index, Vector3::Zero()}, fmt::format("{} {}", what, index), path};
}

std::vector<TouchPoint> touch_points(const NamedBuilt& of, const std::optional<AtSpec>& at,
                                     const std::string& path) {
  const BuiltBody& built = of.built;
  const BodySpec& body = of.body;
  std::vector<TouchPoint> points;
  const auto add = [&](const PlaceSpec& place, const std::string& where) {
    const auto* set = std::get_if<NumberOrName>(&place);
    if (!built.fem || !set || !set->is_name()) {
      points.push_back(touch_point(of, place, where));
      return;
    }
    for (int node : node_set(of, set->name, where))
      points.push_back(node_point(*built.fem, node, where));
  };
  const auto add_each = [&](const auto& list) {
    for (std::size_t i = 0; i < list.size(); ++i) add(list[i], fmt::format("{}.at[{}]", path, i));
  };
  if (at) {
    const auto* list = std::get_if<std::vector<NumberOrName>>(&*at);
    const auto number = [](const NumberOrName& x) { return !x.is_name(); };
    if (const auto* one = std::get_if<NumberOrName>(&*at))
      add(*one, path + ".at");
    else if (list && (built.has_places() || !built.reduced.empty()) && list->size() == 3 &&
             std::ranges::all_of(*list, number))
      points.push_back(touch_point(
          of, std::array{(*list)[0].number, (*list)[1].number, (*list)[2].number}, path + ".at"));
    else if (list)
      add_each(*list);
    else
      add_each(std::get<std::vector<std::array<double, 3>>>(*at));
    return points;
  }
  if (built.fem)
    throw SceneError(
        path, "`at` is missing: what of '" + of.name + "' touches",
        "a set of nodes, a node, [x, y, z] in its frame, or a list of them; its surface "
        "touches by `surfaces`");
  if (built.has_places())
    throw SceneError(path, "`at` is missing: the place on '" + of.name + "' that touches",
                     "[x, y, z] in its frame, or a list of them; shapes touch by `surfaces`");
  if (built.beam) return beam_nodes(of, path);
  if (built.modal)
    throw SceneError(path, "`at` is missing: the place along '" + body.name + "' that touches",
                     "in m");
  if (built.lagrangian) {
    for (const std::string& name : point_names(*built.lagrangian))
      points.push_back(touch_point(of, NumberOrName(name), path + ".on"));
  } else {
    const int count = built.particles ? built.dofs / 3 : built.dofs;
    for (int i = 0; i < count; ++i)
      if (built.particles || built.free_index(i) >= 0)
        points.push_back(touch_point(of, NumberOrName(i), path + ".on"));
  }
  return points;
}

}  // namespace saltus
