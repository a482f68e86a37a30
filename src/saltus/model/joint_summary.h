// What the joints of a model hold at the start, in numbers.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "saltus/model/model.h"

namespace saltus {

struct JointSummary {
  int rows = 0;                          ///< of joints and couplings
  int dependent = 0;                     ///< of them, rows that others hold already
  std::vector<std::string> redundant{};  ///< joints and couplings of the latter, each once
};

/// At the cost of one factorisation. Both 0 without joints.
JointSummary joint_summary(const Model& model);

/// The groups that joints hold, each once.
std::vector<JointMember> joint_members(std::span<const Joint> joints,
                                       std::span<const Group> groups);
/// Of every joint the lowest number of those with which it makes one mechanism: through bodies that
/// move, and couplings.
std::vector<std::size_t> mechanisms(const Model& model);
/// Rows and S at the states of the groups at t = 0; `factor` are the masses of the members. False:
/// S is not finite.
bool factorise_at_start(JointSystem& system, std::span<const JointMember> members,
                        std::span<const GroupState> initial, std::span<Factor> factor);
/// Rows that depend on others, increasing, of a system that is factorised. Those of bodies that
/// cannot move along them anyway, as across the plane of a scene, restrict nothing and are left
/// out.
std::vector<int> dependent_rows(const JointSystem& system);

}  // namespace saltus
