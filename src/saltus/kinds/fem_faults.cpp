#include "saltus/kinds/fem_faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "saltus/spec/scene.h"

namespace saltus {
namespace {

bool has_dimension(const Mesh& mesh, int dimension) {
  return std::ranges::any_of(mesh.blocks, [&](const ElementBlock& block) {
    return info(block.kind).dimension == dimension;
  });
}

/// The laws of all materials of the body.
std::vector<MaterialLaw> laws_of(const FemSpec& spec) {
  std::vector<MaterialLaw> laws;
  if (spec.material) laws.push_back(spec.material->law);
  for (const SetMaterialSpec& one : spec.materials) laws.push_back(one.material.law);
  return laws;
}

}  // namespace

void expect_used(const FemSpec& spec, const Mesh& mesh, const std::string& path) {
  const FemSpec standard;
  const auto unused = [&](const std::string& key, const char* of) {
    throw SceneError(path + key, fmt::format("is for {}, but the mesh has none", of),
                     "leave it out");
  };
  if (!has_dimension(mesh, 2)) {
    if (spec.plane != standard.plane) unused(".plane", "plane elements");
    if (spec.thickness != standard.thickness) unused(".thickness", "plane elements");
  }
  if (!has_dimension(mesh, 1) && spec.area != standard.area) unused(".area", "bars");
  for (std::size_t i = 0; i < spec.materials.size(); ++i) {
    const std::string at = fmt::format(".materials[{}]", i);
    if (spec.materials[i].thickness && !has_dimension(mesh, 2))
      unused(at + ".thickness", "plane elements");
    if (spec.materials[i].area && !has_dimension(mesh, 1)) unused(at + ".area", "bars");
  }
  const std::vector<MaterialLaw> laws = laws_of(spec);
  if (spec.tangent != standard.tangent && std::ranges::count(laws, MaterialLaw::corotated) == 0)
    throw SceneError(path + ".tangent", "is for the law corotated, which no material has",
                     "leave it out");
  if (!spec.touches && spec.surface != FemSurfaceSpec{})
    throw SceneError(path + ".surface", "has no meaning with `touches: false`",
                     "leave it out, or `touches`");
  const FemSolverSpec& solver = spec.solver;
  if (solver.kind != FemSolver::Kind::conjugate_gradients &&
      (solver.tolerance != standard.solver.tolerance ||
       solver.iterations != standard.solver.iterations))
    throw SceneError(path + (solver.tolerance != standard.solver.tolerance ? ".solver.tolerance"
                                                                           : ".solver.iterations"),
                     "is for conjugate_gradients",
                     "leave it out, or give `kind: conjugate_gradients`");
}

void expect_stoppable(const FemSpec& spec, const std::string& path) {
  if (spec.stops.empty()) return;
  const std::string at = path + ".stops";
  if (spec.modes) throw SceneError(at, "have no meaning with `modes`", "give `contacts`");
  if (spec.mass != MassForm::lumped)
    throw SceneError(path + ".mass", "needs lumped mass, because `stops` make nodes massless",
                     "leave it out, or give `contacts`");
  if (spec.form != FemForm::total_lagrangian)
    throw SceneError(path + ".form", "does not support stops", "leave it out, or give `contacts`");
  for (MaterialLaw law : laws_of(spec))
    if (law != MaterialLaw::linear)
      throw SceneError(at, fmt::format("need the law linear, not {}", name_of(law)),
                       "give `law: linear`, or `contacts` instead of stops");
}

void expect_reducible(const FemSpec& spec, const FemSystem& system, const std::string& path) {
  const bool keeps = !spec.modes->keep.empty();
  if (spec.surface != FemSurfaceSpec{})
    throw SceneError(path + ".surface", "has no meaning with `modes`",
                     keeps ? "give `contacts` at nodes of fem.modes.keep"
                           : "give `contacts` at places of fem.modes.at");
  for (std::size_t i = 0; i < system.loads.size() && !keeps; ++i)
    if (!system.loads[i].signal.is_constant())
      throw SceneError(fmt::format("{}.loads[{}].factor", path, i),
                       "varies in time: a body reduced to its modes accepts constant loads only",
                       "leave it out, or `modes`, or give modes.keep");
  for (const Prescribed& motion : system.prescribed)
    if (!motion.signal.is_constant() || motion.signal.value(0.0) != 0.0)
      throw SceneError(path + ".prescribed",
                       fmt::format("moves node {}: nodes of a body reduced to its modes can only "
                                   "be fixed where undeformed",
                                   motion.dof / 3),
                       "give `fixed`, or leave `modes` out");
  const auto& at = spec.modes->at;
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (at[i] == at[j])
        throw SceneError(fmt::format("{}.modes.at[{}]", path, i),
                         fmt::format("is the same place as modes.at[{}]", j),
                         "name each place once");
}

}  // namespace saltus
