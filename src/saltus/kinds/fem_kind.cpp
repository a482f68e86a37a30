#include "saltus/kinds/fem_kind.h"

#include <fmt/format.h>

#include <algorithm>

#include "saltus/base/suggest.h"
#include "saltus/bodies/shape_table.h"
#include "saltus/fem/mesh_field_point.h"
#include "saltus/kinds/build_fem_mesh.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/mesh_place.h"
#include "saltus/kinds/probe_request.h"

namespace saltus {
namespace {

unsigned fem_traits(MaterialLaw law) {
  FemSystem system;
  system.mesh = box_mesh({});
  system.materials.emplace_back();
  system.materials.back().material.law = law;
  return Fem(std::move(system)).traits();
}

SurfaceLack mesh_surface_lack(const BodySpec& spec) {
  return {.by_choice = !spec.fem->touches, .solid = true, .why = " with `modes`"};
}

}  // namespace

KindRow fem_kind() {
  return {.kind = BodyKind::fem,
          .name = "fem",
          .summary = "a mesh of finite elements",
          .entries = "fem",
          .points = "nodes, from 0; sets of nodes; places [x, y, z] in the frame of the mesh",
          .cases = {{"", fem_traits(MaterialLaw::st_venant_kirchhoff)},
                    {"of linear material", fem_traits(MaterialLaw::linear)}},
          .build = [](const BodyEntry& e) { return build_fem(e.scene, e.body, e.path); },
          .places = true};
}

FemKind::FemKind(std::shared_ptr<const Fem> mesh, std::shared_ptr<const RedistributedMass> stops,
                 const Pose& pose, std::vector<int> prescribed)
    : fem_(std::move(mesh)),
      stopped_(std::move(stops)),
      pose_(pose),
      prescribed_(std::move(prescribed)) {}

TouchPoint FemKind::node_point(int node, const std::string& path) const {
  return {fem_->node_point(node), fmt::format("node {}", node), path};
}

/// Nodes of a set of the mesh.
const std::vector<int>& FemKind::node_set(const NamedBuilt& of, const std::string& set,
                                          const std::string& path) const {
  const Mesh& mesh = fem_->mesh();
  const auto found = mesh.node_sets.find(set);
  if (found != mesh.node_sets.end() && !found->second.empty()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [name, nodes] : mesh.node_sets)
    if (!nodes.empty()) names.push_back(name);
  throw SceneError(path, fmt::format("the mesh of '{}' has no set of nodes '{}'", of.name, set),
                   names.empty() ? "give a node or a place" : did_you_mean(set, names));
}

// A node, the one node of a set, or a place in the frame of the mesh.
TouchPoint FemKind::point(const NamedBuilt& of, const PlaceSpec& at,
                          const std::string& path) const {
  const Mesh& mesh = fem_->mesh();
  if (const auto* place = std::get_if<std::array<double, 3>>(&at)) {
    const auto found = find_place(mesh, pose_ * to_vector3(*place));
    if (!found)
      throw SceneError(
          path, fmt::format("{} is not in the mesh of '{}'", place_text(at, of.body.kind), of.name),
          "a place in the undeformed body, in the frame of the mesh");
    if (found->node >= 0) return node_point(found->node, path);
    return {fem_->element_point(found->element, found->xi), place_text(at, of.body.kind), path};
  }
  const NumberOrName& name = std::get<NumberOrName>(at);
  if (!name.is_name())
    return node_point(index_at(name, static_cast<int>(mesh.nodes.cols()), "node", path), path);
  const std::vector<int>& nodes = node_set(of, name.name, path);
  if (nodes.size() != 1)
    throw SceneError(path, fmt::format("'{}' has {} nodes", name.name, nodes.size()),
                     "one point: a node, a set of one node, or a place [x, y, z]");
  return node_point(nodes.front(), path);
}

std::vector<TouchPoint> FemKind::points(const NamedBuilt& of, const PlaceSpec& at,
                                        const std::string& path) const {
  const auto* set = std::get_if<NumberOrName>(&at);
  if (!set || !set->is_name()) return {point(of, at, path)};
  std::vector<TouchPoint> all;
  for (int node : node_set(of, set->name, path)) all.push_back(node_point(node, path));
  return all;
}

std::vector<TouchPoint> FemKind::all_points(const NamedBuilt& of, const std::string& path) const {
  throw SceneError(path, "`at` is missing: the contact points of '" + of.name + "'",
                   "a set of nodes, a node, [x, y, z] in its frame, or a list of them; for contact "
                   "of its surface use `surfaces`");
}

bool FemKind::is_prescribed(int node, int axis) const {
  return std::ranges::find(prescribed_, 3 * node + axis) != prescribed_.end();
}

std::optional<HeldPoint> FemKind::held(const PointRef& ref, const Vector3& normal) const {
  if (ref.feature >= static_cast<int>(fem_->mesh().nodes.cols())) return std::nullopt;
  for (int axis = 0; axis < 3; ++axis)
    if (normal[axis] != 0.0 && is_prescribed(ref.feature, axis))
      return HeldPoint{"prescribed",
                       "let another one make contact, or take it out of `fixed` and `prescribed`"};
  return std::nullopt;
}

int FemKind::free_index(int dof) const {
  return stopped_ ? stopped_->free_index(dof) : fem_->free_index(dof);
}

void FemKind::set_reaction(const ProbeRequest& a, Probe& probe) const {
  const int reactions = a.built.dynamics->prescribed();
  if (reactions == 0)
    throw SceneError(a.path + ".quantity",
                     fmt::format("'{}' has no reactions: {}", a.body.name,
                                 a.body.fem->modes ? "it is reduced to its modes"
                                                   : "none of its nodes is fixed or prescribed"),
                     "allowed: velocity, displacement");
  const auto* name = std::get_if<NumberOrName>(&*a.spec.at);
  const bool set = name && name->is_name();
  const std::vector<TouchPoint> points =
      set ? touch_points(a.of, AtSpec(*name), a.path) : std::vector{a.point()};
  const Vector3 along = a.direction();
  // weights of Simulation::reactions() in the force along the direction
  Vector weight = Vector::Zero(reactions);
  std::string free;  // the first point that is free along the direction
  bool any = false;
  for (const TouchPoint& point : points) {
    bool all = true, stopped = false;
    for (int axis = 0; axis < 3; ++axis) {
      if (along[axis] == 0.0) continue;
      const auto found = std::ranges::find(prescribed_, 3 * point.ref.feature + axis);
      if (found == prescribed_.end()) {
        all = false;
        continue;
      }
      weight[found - prescribed_.begin()] += along[axis];
      any = true;
    }
    // the forces of stops follow those of prescribed degrees of freedom
    if (stopped_) {
      const auto stops = stopped_->stops();
      for (std::size_t i = 0; i < stops.size(); ++i) {
        const double part = stops[i].normal.dot(along);
        if (stops[i].node != point.ref.feature || part == 0.0) continue;
        weight[static_cast<Eigen::Index>(prescribed_.size() + i)] += part;
        stopped = stopped || part > 1.0 - 1e-12;
        any = true;
      }
    }
    if (!all && !stopped && free.empty()) free = point.name;
  }
  // points that are free along the direction have no reaction: in a set they add zero, as a single
  // point they are a mistake
  if (!any || (!free.empty() && points.size() == 1))
    throw SceneError(
        a.path + ".at",
        points.size() == 1
            ? fmt::format("{} of '{}' is free along the direction: it has no reaction", free,
                          a.body.name)
            : fmt::format("all nodes of '{}' are free along the direction: they have no reaction",
                          name->name),
        "a node of `fixed` or `prescribed`, or of `stops` along the normal");
  probe.table = dense_table(weight.transpose(), Vector::Zero(1));
}

void FemKind::set_field(const ProbeRequest& a, Probe& probe) const {
  const bool strain = a.spec.quantity == OutputSpec::Quantity::strain;
  const auto point = std::make_shared<const MeshFieldPoint>(fem_, a.point().ref);
  probe.field = [=, stopped = stopped_, fem = fem_, spec = a.spec](double t, View q, View) {
    const auto work = point->borrow();
    work->all.resize(3 * fem->mesh().nodes.cols());
    stopped ? stopped->full(t, q, work->all) : fem->full(t, q, work->all);
    return component_of(spec, strain ? point->strain(*work) : point->stress(t, *work));
  };
}

double FemKind::spin(const BuiltBody&, const BodySpec& spec, const GroupState&) const {
  return to_vector3(spec.fem->spin).stableNorm();
}

SurfaceLack FemKind::surface_lack(const BodySpec& spec) const { return mesh_surface_lack(spec); }

BodyStops FemKind::stops(const BodySpec& spec, const std::string& path) const {
  if (!stopped_) return {};
  const Mesh& mesh = fem_->mesh();
  const auto all = stopped_->stops();
  BodyStops stops;
  stops.stop.assign(all.begin(), all.end());
  const auto& given = spec.fem->stops;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string at = fmt::format("{}.fem.stops[{}]", path, i);
    const std::size_t nodes =
        given[i].at ? 1 : nodes_asked(mesh, {given[i].set, given[i].nodes, given[i].at}, at).size();
    stops.path.insert(stops.path.end(), nodes, at);
  }
  stops.size = (mesh.nodes.rowwise().maxCoeff() - mesh.nodes.rowwise().minCoeff()).norm();
  return stops;
}

FemModesKind::FemModesKind(std::shared_ptr<const Modal> body, std::vector<Vector3> places,
                           std::vector<double> along)
    : ModalKind(std::move(body)), places_(std::move(places)), along_(std::move(along)) {}

TouchPoint FemModesKind::point(const NamedBuilt& of, const PlaceSpec& at,
                               const std::string& path) const {
  int chosen = 0;
  if (const auto* place = std::get_if<std::array<double, 3>>(&at)) {
    const Vector3 X = to_vector3(*place);
    const auto away = [&](const Vector3& x) { return (x - X).norm(); };
    const auto near = std::ranges::min_element(places_, {}, away);
    chosen = static_cast<int>(near - places_.begin());
    if (away(*near) > 1e-9 * (1.0 + X.norm()))
      throw SceneError(path,
                       fmt::format("{} is none of the places of fem.modes.at of '{}'",
                                   place_text(at, of.body.kind), of.name),
                       "add it there");
  } else {
    chosen = index_at(std::get<NumberOrName>(at), static_cast<int>(along_.size()),
                      "place of fem.modes.at", path);
  }
  const double x = along_[static_cast<std::size_t>(chosen)];
  return {{0, 0, Vector3(x, 0.0, 0.0)}, place_text(at, of.body.kind), path};
}

std::shared_ptr<const PointTable> FemModesKind::probe_table(const ProbeRequest& request) const {
  request.expect_no_direction("outputs of a body reduced to its modes use fem.modes.direction");
  return ModalKind::probe_table(request);
}

SurfaceLack FemModesKind::surface_lack(const BodySpec& spec) const {
  return mesh_surface_lack(spec);
}

}  // namespace saltus
