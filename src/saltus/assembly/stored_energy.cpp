#include "saltus/assembly/stored_energy.h"

#include <algorithm>
#include <numeric>

#include "saltus/assembly/joint_angles.h"

namespace saltus {

Springs::Springs(const Model& model) : model_(model) {
  any_ = std::ranges::any_of(model.laws(), [](const AnyLaw& law) { return !law->set_valued(); });
  const Surfaces& surfaces = model.surfaces();
  const bool between_shapes = std::ranges::any_of(
      surfaces.law, [&](int law) { return law >= 0 && !model.law(law).set_valued(); });
  if (!between_shapes) return;
  std::vector<int> groups(model.groups().size());
  std::iota(groups.begin(), groups.end(), 0);
  const bool events = model.options().mode == TimeMode::events;
  surfaces_.emplace(model, groups, events ? surfaces.margin_of_events() : surfaces.margin);
  at_.resize(groups.size());
}

StoredEnergy Springs::stored(JointSystem& joints, double t, std::span<const GroupState> groups) {
  StoredEnergy sum;
  if (!any_) return sum;
  add_pairs(t, groups, sum);
  if (surfaces_) add_surfaces(t, groups, sum);
  add_joints(joints, t, groups, sum);
  return sum;
}

void Springs::add_pairs(double t, std::span<const GroupState> groups, StoredEnergy& sum) const {
  for (const ContactPair& pair : model_.pairs()) {
    const ContactLaw& law = model_.law(pair.law);
    if (law.set_valued()) continue;
    Vector3 x[2] = {pair.a.ref.local, pair.b.ref.local};
    const ContactSide* sides[2] = {&pair.a, &pair.b};
    for (int s = 0; s < 2; ++s) {
      if (sides[s]->group < 0) continue;
      const auto g = static_cast<std::size_t>(sides[s]->group);
      model_.groups()[g].dynamics->points(t, groups[g].q, std::span(&sides[s]->ref, 1), x[s]);
    }
    sum.all += law.stored_energy(pair.normal.dot(x[0] - x[1]) - pair.distance);
  }
}

void Springs::add_surfaces(double t, std::span<const GroupState> groups, StoredEnergy& sum) {
  for (std::size_t g = 0; g < groups.size(); ++g) at_[g] = &groups[g].q;
  const std::size_t count = surfaces_->find(t, at_);
  for (std::size_t k = 0; k < count; ++k) {
    const SurfaceFinder::Touch found = surfaces_->touch(k);
    sum.all += model_.law(found.law).stored_energy(found.gap);  // 0 for set-valued laws
  }
}

void Springs::add_joints(JointSystem& joints, double t, std::span<const GroupState> groups,
                         StoredEnergy& sum) const {
  for (const JointLaw& at : model_.joint_laws()) {
    const ContactLaw& law = model_.law(at.law);
    if (law.set_valued() || at.actuator >= 0) continue;
    const double c = joints.coordinate(
        t, [&](int g) -> const Vector& { return groups[static_cast<std::size_t>(g)].q; }, at.joint,
        at.coordinate);
    const JointAngle* const angle = model_.angle_of(at.joint, at.coordinate);
    const double x = angle ? nearest_turn(c, stored_angle(*angle, groups)) : c;
    const double V = law.stored_energy(at.sign * (x - at.offset));
    sum.all += V;
    sum.joints += V;
  }
}

JointSystem all_joints(const Model& model) {
  std::vector<JointMember> members;
  for (std::size_t g = 0; g < model.groups().size(); ++g)
    members.push_back({static_cast<int>(g), model.groups()[g].dynamics.get()});
  return {model.joints(), model.couplings(), std::move(members)};
}

}  // namespace saltus
