#include "saltus/sim/stored_energy.h"

#include <algorithm>
namespace saltus {

StoredEnergy stored_energy(const Model& model, JointSystem& joints, double t,
                           std::span<const GroupState> groups) {
  StoredEnergy sum;
  for (const ContactPair& pair : model.pairs()) {
    const ContactLaw& law = model.law(pair.law);
    if (law.set_valued()) continue;
    Vector3 x[2] = {pair.a.ref.local, pair.b.ref.local};
    const ContactSide* sides[2] = {&pair.a, &pair.b};
    for (int s = 0; s < 2; ++s) {
      if (sides[s]->group < 0) continue;
      const auto g = static_cast<std::size_t>(sides[s]->group);
      model.groups()[g].dynamics->points(t, groups[g].q, std::span(&sides[s]->ref, 1), x[s]);
    }
    sum.all += law.stored_energy(pair.normal.dot(x[0] - x[1]) - pair.distance);
  }
  for (const JointLaw& at : model.joint_laws()) {
    const ContactLaw& law = model.law(at.law);
    if (law.set_valued()) continue;
    const double c = joints.coordinate(
        t, [&](int g) -> const Vector& { return groups[static_cast<std::size_t>(g)].q; }, at.joint,
        at.coordinate);
    const bool turns =
        is_angle(model.joints()[static_cast<std::size_t>(at.joint)].kind, at.coordinate);
    const double x = turns ? nearest_turn(c, at.offset) : c;
    const double V = law.stored_energy(at.sign * (x - at.offset));
    sum.all += V;
    sum.joints += V;
  }
  return sum;
}

JointSystem all_joints(const Model& model) {
  std::vector<JointMember> members;
  for (std::size_t g = 0; g < model.groups().size(); ++g)
    members.push_back({static_cast<int>(g), model.groups()[g].dynamics.get()});
  return {model.joints(), model.couplings(), std::move(members)};
}

bool has_springs(const Model& model) {
  return std::ranges::any_of(model.laws(), [](const AnyLaw& x) { return !x->set_valued(); });
}

}  // namespace saltus
