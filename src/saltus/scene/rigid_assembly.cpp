#include "saltus/scene/rigid_assembly.h"

#include <fmt/format.h>

#include <algorithm>

#include "saltus/kinds/build_kinds.h"
#include "saltus/schemes/registry.h"
#include "saltus/spec/body_names.h"

namespace saltus {

int RigidAssembly::draft_of(const BodySpec& body, const std::string& path) {
  const RigidSpec& spec = *body.rigid;
  if (spec.fixed) return -1;
  GroupDraft draft;
  draft.led = spec.motion.has_value();
  // prescribed motion needs no scheme; this one accepts an empty set of bodies
  draft.scheme = draft.led ? SchemeChoice(MoreauJeanOptions{}) : body.chosen_scheme();
  if (!draft.led) {
    draft.gravity = to_vector3(spec.gravity.value_or(scene_.spec.steady_gravity()));
    draft.own_gravity =
        spec.gravity.has_value() && std::holds_alternative<GravityCourse>(scene_.spec.gravity);
    draft.drag = spec.drag;
    draft.spin_drag = spec.spin_drag;
  }
  const auto same = std::ranges::find_if(drafts_, [&](const GroupDraft& other) {
    return other.led == draft.led && other.scheme == draft.scheme &&
           other.gravity == draft.gravity && other.own_gravity == draft.own_gravity &&
           other.drag == draft.drag && other.spin_drag == draft.spin_drag;
  });
  if (same != drafts_.end()) return static_cast<int>(same - drafts_.begin());
  draft.group = static_cast<int>(parts_.groups.size());
  parts_.groups.push_back(
      {body.name, draft.led ? "moving" : "rigid", nullptr, make_scheme(draft.scheme), {}});
  parts_.initial.emplace_back();
  parts_.group_path.push_back(path);
  drafts_.push_back(std::move(draft));
  return static_cast<int>(drafts_.size()) - 1;
}

void RigidAssembly::add(std::size_t entry, BuiltBody& built) {
  const BodySpec& body = scene_.spec.bodies[entry];
  const std::string path = fmt::format("bodies[{}]", entry);
  std::vector<RigidPart> made = rigid_parts(scene_, entry);
  const int draft = draft_of(body, path);
  built.own_group = false;
  if (draft >= 0) {
    built.group = drafts_[static_cast<std::size_t>(draft)].group;
    built.first = static_cast<int>(drafts_[static_cast<std::size_t>(draft)].members.size());
  }
  for (RigidPart& part : made) {
    built.origins.push_back(part.centre);
    Member member{std::move(part), entry, draft, 0, -1};
    if (draft >= 0) {
      GroupDraft& group = drafts_[static_cast<std::size_t>(draft)];
      member.body = static_cast<int>(group.members.size());
      group.members.push_back(all_.size());
    }
    all_.push_back(std::move(member));
  }
}

int RigidAssembly::colour_of(const Member& member) const {
  const auto& colour = scene_.spec.bodies[member.entry].colour;
  return colour ? saltus::colour_of(*colour) : -1;
}

void RigidAssembly::make_rigid(const GroupDraft& draft) {
  const auto g = static_cast<std::size_t>(draft.group);
  RigidSystem system;
  system.gravity = draft.gravity;
  system.drag = draft.drag;
  system.spin_drag = draft.spin_drag;
  const UniformField field = field_of(scene_, draft.own_gravity);
  const auto n = static_cast<Eigen::Index>(draft.members.size());
  GroupState state{Vector(7 * n), Vector(6 * n), {}};
  for (Eigen::Index i = 0; i < n; ++i) {
    const RigidPart& part = all_[draft.members[static_cast<std::size_t>(i)]].part;
    system.bodies.push_back(part.body);
    for (RigidLoad load : part.loads) {
      load.body = static_cast<int>(i);
      system.loads.push_back(std::move(load));
    }
    for (const UniformField::Term& term : field.terms) {
      RigidLoad load;
      load.body = static_cast<int>(i);
      load.direction = part.body.mass * term.direction;
      load.signal = term.signal;
      system.loads.push_back(std::move(load));
    }
    const Quaternion& Q = part.rotation;
    state.q.segment<7>(7 * i) << part.place.x, Q.w(), Q.x(), Q.y(), Q.z();
    state.v.segment<6>(6 * i) << part.velocity, part.spin;
  }
  parts_.groups[g].dynamics = std::make_shared<const Rigid>(std::move(system));
  parts_.initial[g] = std::move(state);
}

void RigidAssembly::make_moving(const GroupDraft& draft) {
  const auto g = static_cast<std::size_t>(draft.group);
  std::vector<PrescribedMotion> motions;
  for (std::size_t m : draft.members) motions.push_back(all_[m].part.motion);
  parts_.groups[g].dynamics = std::make_shared<const Moving>(std::move(motions));
  parts_.initial[g] = {Vector(0), Vector(0), {}};
}

void RigidAssembly::finish_groups(std::vector<BuiltBody>& bodies) {
  for (const GroupDraft& draft : drafts_) {
    Group& group = parts_.groups[static_cast<std::size_t>(draft.group)];
    group.name = all_[draft.members.front()].part.name;
    if (draft.members.size() > 1)
      for (std::size_t m : draft.members) group.bodies.push_back(all_[m].part.name);
    for (std::size_t m : draft.members) group.colours.push_back(colour_of(all_[m]));
    if (std::ranges::all_of(group.colours, [](int colour) { return colour < 0; }))
      group.colours.clear();
    try {
      draft.led ? make_moving(draft) : make_rigid(draft);
    } catch (const UsageError& error) {
      throw SceneError(parts_.group_path[static_cast<std::size_t>(draft.group)],
                       fmt::format("the group of '{}': {}", group.name, usage_text(error)));
    }
  }
  for (BuiltBody& built : bodies)
    if (!built.own_group && built.group >= 0)
      built.dynamics = parts_.groups[static_cast<std::size_t>(built.group)].dynamics;
  // Names of copies may coincide with names given in the scene.
  std::vector<const Member*> by_name;
  for (const Member& member : all_) by_name.push_back(&member);
  std::ranges::stable_sort(by_name, {}, [](const Member* m) { return m->part.name; });
  for (std::size_t i = 1; i < by_name.size(); ++i)
    if (by_name[i]->part.name == by_name[i - 1]->part.name)
      throw SceneError(fmt::format("{}.name", by_name[i]->part.path),
                       fmt::format("the name '{}' is used twice: it is also that of a copy",
                                   by_name[i]->part.name),
                       "names are unique");
}

}  // namespace saltus
