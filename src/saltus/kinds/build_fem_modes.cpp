// Reduced meshes: their lowest modes, with contacts at chosen places or at kept nodes.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "saltus/fem/reduced_mesh.h"
#include "saltus/fem/reduction.h"
#include "saltus/kinds/build_fem_internal.h"
#include "saltus/kinds/fem_kind.h"
#include "saltus/kinds/mesh_place.h"

namespace saltus {
namespace {

/// The free degrees of freedom of the nodes of `keep`, increasing.
std::vector<int> kept_of(const FemMaking& m, const std::string& path,
                         std::span<const Prescribed> prescribed) {
  const FemModesSpec& spec = *m.spec.modes;
  std::set<int> held, kept;
  for (const Prescribed& motion : prescribed) held.insert(motion.dof);
  for (std::size_t i = 0; i < spec.keep.size(); ++i) {
    const KeptNodesSpec& one = spec.keep[i];
    const std::string at = fmt::format("{}.keep[{}]", path, i);
    std::vector<SpaceAxis> axes = one.axes;
    if (axes.empty())
      for (int k = 0; k < m.mesh.dimension; ++k) axes.push_back(static_cast<SpaceAxis>(k));
    for (std::size_t k = 0; k < axes.size(); ++k)
      m.expect_axis(static_cast<int>(axes[k]), fmt::format("{}.axes[{}]", at, k));
    for (int node : nodes_asked(m.mesh, {one.set, one.nodes, one.at}, at)) {
      bool free = false;
      for (SpaceAxis axis : axes) {
        const int dof = 3 * node + static_cast<int>(axis);
        if (held.contains(dof)) continue;
        kept.insert(dof);
        free = true;
      }
      // nodes of a set may be fixed, as at corners; a node named explicitly may not
      if (!free && !one.set)
        throw SceneError(at, fmt::format("node {} of '{}' is fixed", node, m.body.name),
                         "keep another one, or take it out of `fixed`");
    }
  }
  if (kept.empty())
    throw SceneError(path + ".keep",
                     fmt::format("all nodes that '{}' keeps are fixed", m.body.name),
                     "keep nodes that move");
  return {kept.begin(), kept.end()};
}

void warn_of_fields(const FemMaking& m, BuiltBody& built) {
  const ResultsSpec& results = m.scene.spec.results;
  if (results.stress || results.strain || results.resultants)
    built.warnings.push_back(
        fmt::format("{}.modes: '{}' is reduced to its modes: stress, strain and resultants are not "
                    "stored for it",
                    m.path, m.body.name));
}

void expect_modes(const FemMaking& m, int free) {
  if (m.spec.modes->count > free)
    throw SceneError(m.path + ".modes.count",
                     fmt::format("{} modes of '{}', but only {} degrees of freedom are available",
                                 m.spec.modes->count, m.body.name, free),
                     fmt::format("at most {}", free));
}

}  // namespace

void reduce_by_points(const FemMaking& m, const Fem& fem, BuiltBody& built) {
  const FemModesSpec& spec = *m.spec.modes;
  const std::string path = m.path + ".modes";
  if (built.initial.q.cwiseAbs().maxCoeff() > 0.0 || built.initial.v.cwiseAbs().maxCoeff() > 0.0)
    throw SceneError(path, fmt::format("'{}' does not start at rest and undeformed", m.body.name),
                     "leave velocity, spin and start out");
  expect_modes(m, fem.velocities());
  ModalReduction reduction;
  reduction.modes = spec.count;
  std::vector<Vector3> places;
  reduction.direction = unit_vector(spec.direction, path + ".direction");
  for (std::size_t i = 0; i < spec.at.size(); ++i) {
    const Vector3 X = to_vector3(spec.at[i]);
    const auto place = find_place(m.mesh, X);
    if (!place)
      throw SceneError(fmt::format("{}.at[{}]", path, i),
                       fmt::format("is not in the mesh of '{}'", m.body.name),
                       "a place in the frame of the mesh");
    reduction.points.push_back(place->node >= 0 ? fem.node_point(place->node)
                                                : fem.element_point(place->element, place->xi));
    places.push_back(X);
  }
  ModalReduced reduced;
  try {
    reduced = reduce_to_modes(fem, built.initial.q, reduction);
  } catch (const UsageError& error) {
    throw SceneError(path, usage_text(error));
  }
  std::shared_ptr<const Modal> modal = std::move(reduced.body);
  built.dynamics = modal;
  built.kind = std::make_shared<const FemModesKind>(std::move(modal), std::move(places),
                                                    std::move(reduced.place));
  built.boundaries.clear();
  built.dofs = spec.count;
  built.initial = {Vector::Zero(spec.count), Vector::Zero(spec.count), {}};
  warn_of_fields(m, built);
}

void reduce_by_nodes(const FemMaking& m, const FemSystem& system, BuiltBody& built) {
  const FemModesSpec& spec = *m.spec.modes;
  const std::string path = m.path + ".modes";
  const Vector3 velocity = to_vector3(m.spec.velocity), spin = to_vector3(m.spec.spin);
  if (m.spec.start || !spin.isZero(0.0))
    throw SceneError(path,
                     fmt::format("'{}' does not start undeformed and without spin", m.body.name),
                     "leave spin and start out");
  if (!velocity.isZero(0.0) && !system.prescribed.empty())
    throw SceneError(
        m.path + ".velocity",
        fmt::format("moves '{}' as a whole, although some of its nodes are fixed", m.body.name),
        "leave it out, or `modes`");
  const std::vector<int> kept = kept_of(m, path, system.prescribed);
  if (kept.size() + system.prescribed.size() ==
      static_cast<std::size_t>(m.nodes()) * static_cast<std::size_t>(m.mesh.dimension))
    throw SceneError(path + ".keep", fmt::format("all free nodes of '{}' are kept", m.body.name),
                     "leave `modes` out");
  expect_modes(m, m.nodes() * m.mesh.dimension - static_cast<int>(kept.size()) -
                      static_cast<int>(system.prescribed.size()));
  const Vector still = Vector::Zero(3 * m.nodes());
  try {
    auto reduced = std::make_shared<const ReducedMesh>(
        craig_bampton(system, still, kept, spec.count), system.mesh);
    built.dynamics = reduced;
    built.dofs = reduced->positions();
  } catch (const UsageError& error) {
    throw SceneError(path, usage_text(error));
  }
  built.boundaries.clear();
  built.initial = {Vector::Zero(built.dofs), Vector::Zero(built.dofs), {}};
  // static shapes of kept nodes include the rigid translation of a free body
  for (std::size_t j = 0; j < kept.size(); ++j)
    built.initial.v[static_cast<Eigen::Index>(j)] = velocity[kept[j] % 3];
  warn_of_fields(m, built);
}

}  // namespace saltus
