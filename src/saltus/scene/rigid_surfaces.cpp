// Shapes of rigid bodies: colliders, materials and their laws, margin, and what starts inside each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "saltus/base/suggest.h"
#include "saltus/base/units.h"
#include "saltus/scene/body_names.h"
#include "saltus/scene/build_kinds.h"
#include "saltus/scene/build_law.h"
#include "saltus/scene/build_shape.h"
#include "saltus/scene/rigid_assembly.h"

namespace saltus {
namespace {

/// Share of the size of a shape: of the smallest one for the margin, of the smaller of two for a depth that is told.
constexpr double kSmallShare = 0.01;

/// Largest number of colliders that a Detector takes.
constexpr std::size_t kMostColliders = (1u << 20) - 1;

}  // namespace

void RigidAssembly::finish_surfaces() {
  add_colliders();
  find_laws();
  if (parts_.surfaces.colliders.empty()) return;
  find_excluded();
  find_plane();
  find_margin();
  warn_of_lawless();
  warn_of_overlaps();
}

void RigidAssembly::add_colliders() {
  Surfaces& surfaces = parts_.surfaces;
  int last_fixed = 0;  // each fixed body is a frame of the world
  for (std::size_t i = 0; i < all_.size(); ++i) {
    Member& member = all_[i];
    if (member.part.shapes.empty()) continue;
    if (member.draft >= 0) {
      member.frame = static_cast<int>(surfaces.frames.size());
      const int group = drafts_[static_cast<std::size_t>(member.draft)].group;
      surfaces.frames.push_back({group, member.body, member.part.name});
    } else {
      member.frame = --last_fixed;
    }
    for (const PlacedShape& shape : member.part.shapes) {
      const auto known = std::ranges::find(materials_, shape.material);
      const auto material = static_cast<int>(known - materials_.begin());
      if (known == materials_.end()) materials_.push_back(shape.material);
      const Pose at = member.frame < 0 ? member.part.place * shape.at : shape.at;
      surfaces.colliders.push_back({shape.shape, at, member.frame, material});
      collider_member_.push_back(i);
    }
  }
  if (surfaces.colliders.size() > kMostColliders)
    throw SceneError("bodies", fmt::format("have {} shapes", surfaces.colliders.size()),
                     fmt::format("allowed: {}", kMostColliders));
}

// The first entry that fits a pair counts.
void RigidAssembly::find_laws() {
  Surfaces& surfaces = parts_.surfaces;
  const auto n = static_cast<int>(materials_.size());
  surfaces.materials = std::max(n, 1);
  surfaces.law.assign(static_cast<std::size_t>(surfaces.materials * surfaces.materials), -1);
  const GroupDraft* free = nullptr;
  bool alike = true;  // whether all schemes average over a step with one theta
  for (const GroupDraft& draft : drafts_) {
    if (draft.led) continue;
    if (!free) free = &draft;
    alike = alike && theta_of(draft.scheme) == theta_of(free->scheme);
  }
  for (std::size_t k = 0; k < scene_.spec.surfaces.size(); ++k) {
    const SurfaceLawSpec& spec = scene_.spec.surfaces[k];
    const std::string path = fmt::format("surfaces[{}]", k);
    std::array<int, 2> pair{-1, -1};
    for (std::size_t s = 0; s < spec.materials.size(); ++s) {
      const auto known = std::ranges::find(materials_, spec.materials[s]);
      if (known == materials_.end()) {
        const std::vector<std::string_view> names(materials_.begin(), materials_.end());
        throw SceneError(fmt::format("{}.materials[{}]", path, s),
                         fmt::format("no shape is made of '{}'", spec.materials[s]),
                         did_you_mean(spec.materials[s], names));
      }
      pair[s] = static_cast<int>(known - materials_.begin());
    }
    if (!free) continue;  // nothing moves by forces
    if (std::holds_alternative<Fremond>(spec.law) && !alike)
      throw SceneError(path + ".law",
                       "fremond averages with theta of the schemes, and those of the rigid bodies "
                       "differ",
                       "give all of them the same scheme");
    const auto law = static_cast<int>(parts_.laws.size());
    bool used = false;
    for (int a = 0; a < n; ++a)
      for (int b = a; b < n; ++b) {
        if (pair[0] >= 0 && !((a == pair[0] && b == pair[1]) || (a == pair[1] && b == pair[0])))
          continue;
        int& entry = surfaces.law[static_cast<std::size_t>(a * surfaces.materials + b)];
        if (entry >= 0) continue;
        entry = law;
        surfaces.law[static_cast<std::size_t>(b * surfaces.materials + a)] = law;
        used = true;
      }
    parts_.laws.push_back(
        law_of(spec.law, free->scheme, scene_.spec.contact.instant, path + ".law"));
    parts_.law_path.push_back(path + ".law");
    if (!used)
      parts_.warnings.push_back(path + ": is never read: entries above it hold for its materials");
  }
}

// Pairs of `ignore`, pairs that a joint holds, and pairs of which neither moves by forces.
void RigidAssembly::find_excluded() {
  std::set<std::array<int, 2>> excluded;
  const auto exclude = [&](const Member& a, const Member& b) {
    if ((a.frame < 0 && b.frame < 0) || a.frame == b.frame) return;
    if (a.part.shapes.empty() || b.part.shapes.empty()) return;
    excluded.insert({std::min(a.frame, b.frame), std::max(a.frame, b.frame)});
  };
  const auto& ignore = scene_.spec.ignore;
  for (std::size_t i = 0; i < ignore.size(); ++i) {
    std::array<std::vector<const Member*>, 2> sides;
    for (std::size_t s = 0; s < 2; ++s) {
      const std::string path = fmt::format("ignore[{}][{}]", i, s);
      const std::string& name = ignore[i][s];
      const auto named = find_body(scene_.spec, name);
      for (const Member& member : all_)
        if (named && member.entry == named->entry && (named->copy < 0 || member.part.name == name))
          sides[s].push_back(&member);
      if (sides[s].empty())
        throw SceneError(path, fmt::format("'{}' is no rigid body", name),
                         "bodies of other kinds have no shapes");
      if (sides[s].front()->part.shapes.empty())
        throw SceneError(path, fmt::format("'{}' has no shape that touches", name),
                         "leave the pair out");
    }
    for (const Member* a : sides[0])
      for (const Member* b : sides[1]) exclude(*a, *b);
  }
  std::map<std::string_view, const Member*> by_name;
  if (!scene_.spec.joints.empty())
    for (const Member& member : all_) by_name.emplace(member.part.name, &member);
  for (const JointSpec& joint : scene_.spec.joints) {
    if (joint.touch) continue;
    const auto a = by_name.find(joint.between[0]), b = by_name.find(joint.between[1]);
    if (a != by_name.end() && b != by_name.end()) exclude(*a->second, *b->second);
  }
  for (const GroupDraft& draft : drafts_) {
    if (!draft.led) continue;
    for (std::size_t a : draft.members)
      for (std::size_t b : draft.members) exclude(all_[a], all_[b]);
  }
  parts_.surfaces.excluded.assign(excluded.begin(), excluded.end());
}

// Where no body can leave a plane, friction has one direction, whether `planar` or locks of each body say so.
void RigidAssembly::find_plane() {
  for (int world = 0; world < 3; ++world) {
    bool any = false, all = true;
    for (const Member& member : all_) {
      if (!moves_by_forces(member)) continue;
      any = true;
      const auto& locked = member.part.body.locked;
      all = all && locked[static_cast<std::size_t>(world)];
      for (int k = 0; k < 3; ++k)
        all = all && (locked[static_cast<std::size_t>(3 + k)] ||
                      std::abs(std::abs(member.part.place.R(world, k)) - 1.0) <= 1e-12);
    }
    if (any && all) {
      parts_.surfaces.plane = Vector3::Unit(world);
      return;
    }
  }
}

void RigidAssembly::find_margin() {
  double least = std::numeric_limits<double>::infinity();
  for (const Collider& collider : parts_.surfaces.colliders)
    if (collider.frame >= 0) least = std::min(least, thickness(collider.shape));
  parts_.surfaces.margin =
      scene_.spec.contact.margin.value_or(std::isfinite(least) ? kSmallShare * least : 0.0);
}

// Two materials that could meet and have no law: told once.
void RigidAssembly::warn_of_lawless() {
  const Surfaces& surfaces = parts_.surfaces;
  const std::size_t n = materials_.size();
  // The first two bodies of each material, and the first two of them that move by forces: enough to find two that meet.
  struct Holders {
    std::vector<std::size_t> free, any;
  };
  std::vector<Holders> holders(n);
  for (std::size_t c = 0; c < surfaces.colliders.size(); ++c) {
    const std::size_t m = collider_member_[c];
    Holders& of = holders[static_cast<std::size_t>(surfaces.colliders[c].material)];
    const auto put = [m](std::vector<std::size_t>& list) {
      if (list.size() < 2 && std::ranges::find(list, m) == list.end()) list.push_back(m);
    };
    put(of.any);
    if (moves_by_forces(all_[m])) put(of.free);
  }
  const auto tell = [&](std::size_t a, std::size_t b) {
    for (std::size_t x : holders[a].free)
      for (std::size_t y : holders[b].any) {
        if (x == y) continue;
        parts_.warnings.push_back(
            fmt::format("surfaces: no law holds between '{}' and '{}': '{}' and '{}' never touch",
                        materials_[a], materials_[b], all_[x].part.name, all_[y].part.name));
        return true;
      }
    return false;
  };
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a; b < n; ++b)
      if (surfaces.law[a * n + b] < 0 && !tell(a, b) && a != b) tell(b, a);
}

bool RigidAssembly::moves_by_forces(const Member& member) const {
  return member.draft >= 0 && !drafts_[static_cast<std::size_t>(member.draft)].led;
}

std::vector<Pose> RigidAssembly::starts() const {
  std::vector<Pose> poses(parts_.surfaces.frames.size());
  for (const Member& member : all_) {
    if (member.frame < 0) continue;
    Pose& pose = poses[static_cast<std::size_t>(member.frame)];
    pose = member.part.place;
    const GroupDraft& draft = drafts_[static_cast<std::size_t>(member.draft)];
    if (!draft.led) continue;
    std::vector<Pose> group(draft.members.size());
    const auto g = static_cast<std::size_t>(draft.group);
    parts_.groups[g].dynamics->frames(0.0, parts_.initial[g].q, group);
    pose = group[static_cast<std::size_t>(member.body)];
  }
  return poses;
}

// Bodies that start inside each other by more than a small share of the size of the smaller shape: the deepest pair, and how
// many more there are.
void RigidAssembly::warn_of_overlaps() {
  const Surfaces& surfaces = parts_.surfaces;
  if (surfaces.frames.empty()) return;
  Detector detector(surfaces.colliders, 0.0, surfaces.excluded);
  std::vector<DetectedContact> found;
  detector.detect(starts(), found);
  std::map<std::array<std::size_t, 2>, double> depth;
  for (const DetectedContact& contact : found) {
    const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
    const Collider &on_a = surfaces.colliders[a], &on_b = surfaces.colliders[b];
    if (surfaces.law[static_cast<std::size_t>(on_a.material * surfaces.materials + on_b.material)] <
        0)
      continue;
    const double size = std::min(thickness(on_a.shape), thickness(on_b.shape));
    if (!(-contact.point.gap > kSmallShare * size)) continue;
    double& deepest = depth[{collider_member_[a], collider_member_[b]}];
    deepest = std::max(deepest, -contact.point.gap);
  }
  if (depth.empty()) return;
  const auto worst =
      std::ranges::max_element(depth, {}, [](const auto& pair) { return pair.second; });
  const auto& [pair, deepest] = *worst;
  const Member &a = all_[pair[0]], &b = all_[pair[1]];
  std::string text =
      fmt::format("{}: '{}' and '{}' start {:.3g} mm inside each other",
                  (a.draft >= 0 ? a : b).part.path, a.part.name, b.part.name, 1e3 * deepest);
  if (depth.size() == 2) text += ", and one more pair of bodies does";
  if (depth.size() > 2) text += fmt::format(", and {} more pairs of bodies do", depth.size() - 1);
  parts_.warnings.push_back(text);
}

}  // namespace saltus
