#include "saltus/scene/scene_surfaces.h"

#include <fmt/format.h>

#include <algorithm>

#include "saltus/scene/body_checks.h"
#include "saltus/scene/surface_overlaps.h"
#include "saltus/scene/surface_table.h"

namespace saltus {
namespace {

/// Checks laws of `surfaces` and bodies without a surface: others pass through them, unless
/// `contacts` names their points.
void expect_surfaces(const SceneSpec& spec, std::span<const BuiltBody> bodies, ModelParts& parts) {
  const auto first = std::ranges::find_if(spec.surfaces, &SurfaceLawSpec::touches);
  if (first == spec.surfaces.end()) return;
  const auto all = std::ranges::find_if(spec.surfaces, [](const SurfaceLawSpec& law) {
    return law.touches && law.materials.empty();
  });
  const auto law = all == spec.surfaces.end() ? first : all;
  const auto path = fmt::format("surfaces[{}]", law - spec.surfaces.begin());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodySpec& body = spec.bodies[i];
    const SurfaceLack lack = bodies[i].kind->surface_lack(body);
    if (lack.by_choice || !bodies[i].boundaries.empty()) continue;
    if (in_contacts(spec, body.name) || (lack.joint_suffices && in_joints(spec, body.name)))
      continue;
    const std::string what =
        fmt::format("'{}' (kind {}{}) has no surface", body.name, name_of(body.kind), lack.why);
    if (lack.solid && all != spec.surfaces.end())
      throw SceneError(path, what + ": bodies would pass through it",
                       "name the `materials` of the shapes that this law is for, or give "
                       "`contacts` for points of the body");
    if (lack.solid || (parts.surfaces.frames.empty() && parts.surfaces.boundaries.empty()))
      parts.warnings.push_back(path + ": " + what +
                               ": bodies pass through it; define `contacts` for its points");
  }
}

}  // namespace

void add_surfaces(const Scene& scene, std::span<const BuiltBody> bodies, RigidAssembly& rigid,
                  ModelParts& parts) {
  SurfaceTable table(scene, parts);
  rigid.add_surfaces(table);
  bool in_space = false, in_xy = false;
  int number = 0;  // number of a boundary surface, below 0; those of rigid bodies count from 0
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BuiltBody& body = bodies[i];
    if (body.boundaries.empty()) continue;
    table.moved_by(scene.spec.bodies[i].chosen_scheme());
    (body.plane ? in_xy : in_space) = true;
    for (const BuiltBoundary& boundary : body.boundaries) {
      const int material =
          table.hold(boundary.material, {--number, boundary.name, true, boundary.self});
      table.moves(boundary.thickness);
      parts.surfaces.boundaries.push_back(
          {body.group, boundary.name, boundary.boundary, material, boundary.self});
    }
  }
  table.find_laws();
  expect_surfaces(scene.spec, bodies, parts);
  if (parts.surfaces.colliders.empty() && parts.surfaces.boundaries.empty()) return;
  rigid.find_excluded();
  rigid.find_plane(in_space, in_xy);
  rigid.expect_running();
  table.find_margin();
  table.warn_of_lawless();
  rigid.warn_of_overlaps();
  warn_of_boundary_overlaps(bodies, rigid, parts);
}

void expect_surfaces_to_correct(const SceneSpec& spec, ModelParts& parts) {
  if (!spec.contact.correct_positions || parts.options.mode == TimeMode::events) return;
  const auto point = std::ranges::find_if(parts.pairs, [&](const ContactPair& pair) {
    return !parts.laws[static_cast<std::size_t>(pair.law)]->bilateral();
  });
  if (point == parts.pairs.end()) return;
  const std::string path = "contact.correct_positions";
  const bool shapes = !parts.surfaces.frames.empty() || !parts.surfaces.boundaries.empty();
  if (!shapes)
    throw SceneError(path,
                     "acts only between shapes, but here points are in contact, by `contacts`",
                     "leave it out; a shorter step, or `time: {mode: events}`, limits the "
                     "penetration of points");
  parts.warnings.push_back(
      path +
      ": acts only between shapes; penetration of the points of `contacts` is not corrected");
}

}  // namespace saltus
