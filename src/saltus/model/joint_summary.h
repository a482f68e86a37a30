// Numbers of rows and of redundant rows of the joints of a model at the start.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "saltus/model/model.h"

namespace saltus {

struct JointSummary {
  int rows = 0;                          ///< of joints and couplings
  int dependent = 0;                     ///< rows that depend linearly on others
  std::vector<std::string> redundant{};  ///< joints and couplings with such rows, each once
};

/// Costs one factorisation. Both are 0 without joints.
JointSummary joint_summary(const Model& model);

/// The groups that joints connect, each once.
std::vector<JointMember> joint_members(std::span<const Joint> joints,
                                       std::span<const Group> groups);
/// For every joint, the lowest index among the joints of its mechanism; moving bodies and couplings
/// connect joints to one mechanism.
std::vector<std::size_t> mechanisms(const Model& model);
/// Computes the rows and S at the states of the groups at t = 0; `factor` receives the mass factors
/// of the members. False if S is not finite.
bool factorise_at_start(JointSystem& system, std::span<const JointMember> members,
                        std::span<const GroupState> initial, std::span<Factor> factor);
/// Rows that depend on others, in increasing order, of a factorised system. Rows along which the
/// bodies cannot move anyway, such as those across the plane of a scene, restrict nothing and are
/// left out.
std::vector<int> dependent_rows(const JointSystem& system);

}  // namespace saltus
