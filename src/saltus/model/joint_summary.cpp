#include "saltus/model/joint_summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace saltus {

std::vector<JointMember> joint_members(std::span<const Joint> joints,
                                       std::span<const Group> groups) {
  std::vector<char> held(groups.size(), 0);
  for (const Joint& joint : joints)
    for (const JointSide* side : {&joint.a, &joint.b})
      if (side->group >= 0) held[static_cast<std::size_t>(side->group)] = 1;
  std::vector<JointMember> members;
  for (std::size_t g = 0; g < held.size(); ++g)
    if (held[g]) members.push_back({static_cast<int>(g), groups[g].dynamics.get()});
  return members;
}

std::vector<std::size_t> mechanisms(const Model& model) {
  std::vector<std::size_t> of(model.joints().size());
  std::iota(of.begin(), of.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (of[i] != i) i = of[i] = of[of[i]];
    return i;
  };
  const auto join = [&](std::size_t i, std::size_t k) {
    i = root(i), k = root(k);
    of[std::max(i, k)] = std::min(i, k);
  };
  std::map<std::array<int, 2>, std::size_t> first;  // first joint of a body
  for (std::size_t i = 0; i < of.size(); ++i)
    for (const JointSide* side : {&model.joints()[i].a, &model.joints()[i].b}) {
      if (side->group < 0) continue;
      const Dynamics& body = *model.groups()[static_cast<std::size_t>(side->group)].dynamics;
      if (body.velocities() == 0) continue;
      join(first.try_emplace({side->group, body.rigid() ? side->ref.body : 0}, i).first->second, i);
    }
  for (const JointCoupling& coupling : model.couplings())
    for (const JointCoupling::Term& term : coupling.terms)
      join(static_cast<std::size_t>(coupling.terms.front().joint),
           static_cast<std::size_t>(term.joint));
  for (std::size_t i = 0; i < of.size(); ++i) of[i] = root(i);
  return of;
}

bool factorise_at_start(JointSystem& system, std::span<const JointMember> members,
                        std::span<const GroupState> initial, std::span<Factor> factor) {
  const auto state = [&](int m) -> const GroupState& {
    return initial[static_cast<std::size_t>(members[static_cast<std::size_t>(m)].group)];
  };
  for (std::size_t m = 0; m < members.size(); ++m) {
    const GroupState& x = state(static_cast<int>(m));
    members[m].body->factorise({1.0, 0.0, 0.0}, 0.0, x.q, x.v, factor[m]);
  }
  const auto places = [&](int m) -> const Vector& { return state(m).q; };
  system.make_rows(0.0, places);
  return system.factorise(
      [&](int m) -> const Factor& { return factor[static_cast<std::size_t>(m)]; });
}

std::vector<int> dependent_rows(const JointSystem& system) {
  double largest = 0.0;
  for (int i = 0; i < system.rows(); ++i) largest = std::max(largest, system.diagonal(i));
  std::vector<int> rows;
  for (const int i : system.dependent())
    if (system.diagonal(i) > 1e-14 * largest) rows.push_back(i);
  return rows;
}

JointSummary joint_summary(const Model& model) {
  if (model.joints().empty()) return {};
  const std::vector<JointMember> members = joint_members(model.joints(), model.groups());
  JointSystem system(model.joints(), model.couplings(), members);
  std::vector<Factor> factor(members.size());
  if (system.empty() || !factorise_at_start(system, members, model.initial(), factor))
    return {system.rows()};
  const std::vector<int> rows = dependent_rows(system);
  JointSummary found{system.rows(), static_cast<int>(rows.size())};
  for (const int row : rows)
    if (const std::string& name = system.name_of_row(row);
        found.redundant.empty() || found.redundant.back() != name)
      found.redundant.push_back(name);
  return found;
}

}  // namespace saltus
