// Shapes of rigid bodies: colliders, excluded pairs, and overlaps at the start.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "saltus/base/suggest.h"
#include "saltus/base/units.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/build_shape.h"
#include "saltus/scene/build_law.h"
#include "saltus/scene/rigid_assembly.h"
#include "saltus/spec/body_names.h"

namespace saltus {
namespace {

/// Whether a motion stays in the planes across this axis of space.
bool stays(const PrescribedMotion& motion, int world) {
  const auto k = static_cast<std::size_t>(world);
  PrescribedMotion across;  // the part along the axis
  across.position[k] = motion.position[k];
  across.velocity[world] = motion.velocity[world];
  PrescribedMotion turn;
  turn.angle = motion.angle;
  turn.spin = motion.spin;
  return across.rests() &&
         (turn.rests() || std::abs(motion.axis[world]) >= (1.0 - 1e-12) * motion.axis.norm());
}

}  // namespace

void RigidAssembly::add_surfaces(SurfaceTable& table) {
  for (const GroupDraft& draft : drafts_)
    if (!draft.led) table.moved_by(draft.scheme);
  Surfaces& surfaces = parts_.surfaces;
  int last_fixed = 0;  // each fixed body is one frame of the world
  for (std::size_t i = 0; i < all_.size(); ++i) {
    Member& member = all_[i];
    if (member.part.shapes.empty()) continue;
    if (member.draft >= 0) {
      member.frame = static_cast<int>(surfaces.frames.size());
      const int group = drafts_[static_cast<std::size_t>(member.draft)].group;
      surfaces.frames.push_back({group, member.body, member.part.name});
    } else {
      member.frame = --last_fixed;
      surfaces.fixed_names.push_back(member.part.name);
      surfaces.fixed_turn.push_back(member.part.place.R);
      surfaces.fixed_colours.push_back(colour_of(member));
    }
    for (const PlacedShape& shape : member.part.shapes) {
      const int material = table.hold(
          shape.material, {static_cast<int>(i), member.part.name, moves_by_forces(member)});
      if (member.frame >= 0) table.moves(thickness(shape.shape));
      const Pose at = member.frame < 0 ? member.part.place * shape.at : shape.at;
      surfaces.colliders.push_back({shape.shape, at, member.frame, material});
      surfaces.runs.push_back(add_running(member, shape));
      collider_member_.push_back(i);
      collider_path_.push_back(shape.path);
    }
  }
  if (surfaces.colliders.size() > KeyLayout::kMostShapes)
    throw SceneError("bodies", fmt::format("have {} shapes", surfaces.colliders.size()),
                     fmt::format("allowed: {}", KeyLayout::kMostShapes));
}

/// Its index in ModelParts::running, in the axes of the frame of its collider; -1: the surface does
/// not run.
int RigidAssembly::add_running(const Member& member, const PlacedShape& shape) {
  if (!shape.runs) return -1;
  RunningSurface running = *shape.runs;
  if (member.frame < 0) running.along = member.part.place.R * running.along;
  parts_.running.push_back(running);
  return static_cast<int>(parts_.running.size()) - 1;
}

// A running surface has no effect without friction, or with a velocity along the normal of a plane,
// and must not move out of the plane of a planar scene.
void RigidAssembly::expect_running() const {
  const Surfaces& surfaces = parts_.surfaces;
  for (std::size_t c = 0; c < surfaces.colliders.size(); ++c) {
    if (surfaces.runs[c] < 0) continue;
    const Collider& collider = surfaces.colliders[c];
    const Member& member = all_[collider_member_[c]];
    const auto refuse = [&](const char* what, const char* hint) {
      throw SceneError(collider_path_[c] + ".surface_velocity", what, hint);
    };
    const auto row = surfaces.law.begin() + collider.material * surfaces.materials;
    if (std::none_of(row, row + surfaces.materials, [&](int law) {
          return law >= 0 && parts_.laws[static_cast<std::size_t>(law)]->has_friction();
        }))
      refuse("acts through friction, but no law of its material has any",
             "add friction to the law in `surfaces`");
    const Vector3& along = parts_.running[static_cast<std::size_t>(surfaces.runs[c])].along;
    const double none = 1e-12 * along.norm();
    if (std::holds_alternative<Plane>(collider.shape) &&
        collider.local.R.col(2).cross(along).norm() <= none)
      refuse("has no component in the plane: it has no effect", "give a velocity in the plane");
    const Vector3 in_space = collider.frame < 0 ? along : Vector3(member.part.place.R * along);
    if (std::abs(surfaces.plane.dot(in_space)) > none)
      refuse("has a component normal to the plane in which all bodies move",
             "give a velocity in that plane, or let bodies move in space");
  }
}

/// The surfaces that an entry of `ignore` names, in the numbers of Surfaces::excluded.
std::vector<int> RigidAssembly::named_surfaces(const std::string& name,
                                               const std::string& path) const {
  const Surfaces& surfaces = parts_.surfaces;
  const auto found = find_body(scene_.spec, name);
  if (!found)
    throw SceneError(path, fmt::format("there is no body '{}'", name), "the name of a body");
  const NamedBody& named = *found;
  std::vector<int> numbers;
  for (const Member& member : all_)
    if (member.entry == named.entry && (named.copy < 0 || member.part.name == name) &&
        !member.part.shapes.empty())
      numbers.push_back(member.frame);
  for (std::size_t s = 0; s < surfaces.boundaries.size(); ++s) {
    const std::string& of = surfaces.boundaries[s].name;
    if (find_body(scene_.spec, of)->entry == named.entry && (named.copy < 0 || of == name))
      numbers.push_back(static_cast<int>(surfaces.frames.size() + s));
  }
  if (numbers.empty())
    throw SceneError(
        path,
        fmt::format("'{}' has no {} for contact", name,
                    std::ranges::find(all_, named.entry, &Member::entry) == all_.end() ? "surface"
                                                                                       : "shape"),
        "leave the pair out");
  return numbers;
}

/// Sets of bodies that fixed joints, also by way of others, hold together; the fixed bodies are in
/// that of the world. For each entry of all_ the number of its set.
std::vector<std::size_t> RigidAssembly::welded() const {
  const std::size_t world = all_.size();
  std::vector<std::size_t> of(all_.size() + 1);
  std::iota(of.begin(), of.end(), 0u);
  const auto root = [&](std::size_t i) {
    while (of[i] != i) i = of[i] = of[of[i]];
    return i;
  };
  std::map<std::string_view, std::size_t> by_name{{kWorld, world}};
  for (std::size_t i = 0; i < all_.size(); ++i) {
    by_name.emplace(all_[i].part.name, i);
    if (all_[i].draft < 0) of[root(i)] = root(world);
  }
  for (const JointSpec& joint : scene_.spec.joints) {
    if (joint.kind != JointKind::fixed || joint.touch) continue;
    const auto a = by_name.find(joint.between[0]), b = by_name.find(joint.between[1]);
    if (a != by_name.end() && b != by_name.end()) of[root(a->second)] = root(b->second);
  }
  for (std::size_t i = 0; i < of.size(); ++i) of[i] = root(i);
  return of;
}

// Excludes pairs of `ignore`, pairs connected by a joint or held together by fixed joints, and
// pairs in which neither body moves by forces.
void RigidAssembly::find_excluded() {
  std::set<std::array<int, 2>> excluded;
  const auto exclude = [&](int f, int g) {
    if ((f >= 0 || g >= 0) && f != g) excluded.insert({std::min(f, g), std::max(f, g)});
  };
  const auto exclude_bodies = [&](const Member& a, const Member& b) {
    if (!a.part.shapes.empty() && !b.part.shapes.empty()) exclude(a.frame, b.frame);
  };
  const auto& ignore = scene_.spec.ignore;
  for (std::size_t i = 0; i < ignore.size(); ++i) {
    const std::string path = fmt::format("ignore[{}]", i);
    const std::vector<int> first = named_surfaces(ignore[i][0], path + "[0]"),
                           second = named_surfaces(ignore[i][1], path + "[1]");
    if (first.size() == 1 && first == second)
      throw SceneError(path, fmt::format("'{}' cannot ignore itself", ignore[i][0]),
                       "give two bodies; `surface: {self}` switches contact of a body with itself");
    for (const int a : first)
      for (const int b : second) exclude(a, b);
  }
  std::map<std::string_view, const Member*> by_name;
  if (!scene_.spec.joints.empty())
    for (const Member& member : all_) by_name.emplace(member.part.name, &member);
  for (const JointSpec& joint : scene_.spec.joints) {
    if (joint.touch) continue;
    const auto a = by_name.find(joint.between[0]), b = by_name.find(joint.between[1]);
    if (a != by_name.end() && b != by_name.end()) exclude_bodies(*a->second, *b->second);
  }
  if (std::ranges::any_of(scene_.spec.joints,
                          [](const JointSpec& joint) { return joint.kind == JointKind::fixed; })) {
    const std::vector<std::size_t> set = welded();
    std::vector<std::size_t> order(all_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return set[i]; });
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t k = i + 1; k < order.size() && set[order[k]] == set[order[i]]; ++k)
        exclude_bodies(all_[order[i]], all_[order[k]]);
  }
  for (const GroupDraft& draft : drafts_) {
    if (!draft.led) continue;
    for (std::size_t a : draft.members)
      for (std::size_t b : draft.members) exclude_bodies(all_[a], all_[b]);
  }
  parts_.surfaces.excluded.assign(excluded.begin(), excluded.end());
}

// If no body can leave a plane, friction has one direction, both with `planar` and with locks of
// each body; without `planar` unless a prescribed motion or a running surface leads across it.
void RigidAssembly::find_plane(bool others_in_space, bool others_in_xy) {
  if (others_in_space) return;
  for (int world = 0; world < 3; ++world) {
    bool any = others_in_xy, all = !others_in_xy || world == 2;
    for (const Member& member : all_) {
      if (member.draft >= 0 && !moves_by_forces(member))
        all = all && (scene_.spec.planar || stays(member.part.motion, world));
      if (!moves_by_forces(member)) continue;
      any = true;
      const auto& locked = member.part.body.locked;
      all = all && locked[static_cast<std::size_t>(world)];
      for (int k = 0; k < 3; ++k)
        all = all && (locked[static_cast<std::size_t>(3 + k)] ||
                      std::abs(std::abs(member.part.place.R(world, k)) - 1.0) <= 1e-12);
    }
    for (std::size_t c = 0; c < parts_.surfaces.runs.size() && !scene_.spec.planar; ++c)
      if (const int runs = parts_.surfaces.runs[c]; runs >= 0) {
        const Member& on = all_[collider_member_[c]];
        const Vector3& along = parts_.running[static_cast<std::size_t>(runs)].along;
        const Vector3 there = on.frame < 0 ? along : Vector3(on.part.place.R * along);
        all = all && std::abs(there[world]) <= 1e-12 * along.norm();
      }
    if (any && all) {
      parts_.surfaces.plane = Vector3::Unit(world);
      return;
    }
  }
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

// Three or more contact points between two shapes count as face contact.
std::vector<char> RigidAssembly::on_faces() const {
  const Surfaces& surfaces = parts_.surfaces;
  Detector detector(surfaces.colliders, surfaces.margin, surfaces.excluded);
  std::vector<DetectedContact> found;
  detector.detect(starts(), found);
  std::vector<char> stands(all_.size(), 0);
  int points = 0;  // points of the current pair; points of one pair are consecutive
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool same = i > 0 && found[i].a == found[i - 1].a && found[i].b == found[i - 1].b;
    points = same ? points + 1 : 1;
    for (const int collider : {found[i].a, found[i].b})
      if (points >= 3) stands[collider_member_[static_cast<std::size_t>(collider)]] = 1;
  }
  return stands;
}

bool RigidAssembly::is_heap() const {
  std::set<std::string_view> joined;
  for (const JointSpec& joint : scene_.spec.joints)
    joined.insert(joint.between.begin(), joint.between.end());
  std::vector<char> loose(all_.size(), 0);
  for (std::size_t i = 0; i < all_.size(); ++i)
    loose[i] = moves_by_forces(all_[i]) && !all_[i].part.shapes.empty() &&
               !joined.contains(all_[i].part.name);
  if (std::ranges::count(loose, 1) <= kHeap) return false;
  const std::vector<char> stands = on_faces();
  std::ptrdiff_t moving = 0, heaped = 0;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    moving += moves_by_forces(all_[i]);
    heaped += loose[i] && !stands[i];
  }
  return heaped > kHeap && 2 * heaped > moving;
}

// Warns of bodies that overlap at the start by more than a small fraction of the size of the
// smaller shape: names the deepest pair and the number of further pairs.
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
      fmt::format("{}: '{}' and '{}' overlap by {:.3g} mm at the start",
                  (a.draft >= 0 ? a : b).part.path, a.part.name, b.part.name, 1e3 * deepest);
  if (depth.size() == 2) text += ", and so does one more pair of bodies";
  if (depth.size() > 2)
    text += fmt::format(", and so do {} more pairs of bodies", depth.size() - 1);
  parts_.warnings.push_back(text);
}

}  // namespace saltus
