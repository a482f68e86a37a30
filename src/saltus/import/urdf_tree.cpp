#include "saltus/import/urdf_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"

namespace saltus {
namespace {

std::size_t urdf_slot(int i) { return static_cast<std::size_t>(i); }

struct UrdfTreeMaking {
  const UrdfRobot& robot;
  std::vector<std::string>& warnings;
  UrdfTree tree{};
  std::unordered_map<std::string_view, int> link_of{};  ///< first link of each name
  std::vector<std::size_t> mimic_order{};               ///< joints, each after its leader

  [[noreturn]] void fail(const UrdfJoint& joint, int line, const std::string& what,
                         const std::string& hint) const {
    throw SceneError(fmt::format("joint '{}'", joint.name), what, hint)
        .at(robot.file, line > 0 ? line : joint.line, 0);
  }
  void warn(const UrdfJoint& joint, int line, const std::string& what) {
    warnings.push_back(fmt::format("{}:{}: joint '{}': {}", robot.file,
                                   line > 0 ? line : joint.line, joint.name, what));
  }

  int link_named(const UrdfJoint& joint, const std::string& name, const char* role) const {
    if (const auto found = link_of.find(name); found != link_of.end()) return found->second;
    std::vector<std::string_view> names;
    for (const UrdfLink& link : robot.links) names.push_back(link.name);
    fail(joint, 0, fmt::format("there is no link '{}', its {}", name, role),
         did_you_mean(name, names));
  }

  void find_ends() {
    for (std::size_t i = 0; i < robot.links.size(); ++i)
      link_of.emplace(robot.links[i].name, static_cast<int>(i));
    tree.joint.assign(robot.links.size(), -1);
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
      const UrdfJoint& joint = robot.joints[j];
      tree.parent.push_back(link_named(joint, joint.parent, "parent"));
      tree.child.push_back(link_named(joint, joint.child, "child"));
      if (tree.parent.back() == tree.child.back())
        fail(joint, 0, fmt::format("joins the link '{}' to itself", joint.child), "two links");
      int& above = tree.joint[urdf_slot(tree.child.back())];
      if (above >= 0)
        fail(joint, 0,
             fmt::format("'{}' is already the child of joint '{}'", joint.child,
                         robot.joints[urdf_slot(above)].name),
             "one parent per link; close loops in the scene, by an entry of `joints`");
      above = static_cast<int>(j);
    }
  }

  // Every link has at most one parent joint: links that cannot be reached from a root belong to a
  // cycle.
  void find_order() {
    std::vector<int> roots;
    for (std::size_t i = 0; i < robot.links.size(); ++i)
      if (tree.joint[i] < 0) roots.push_back(static_cast<int>(i));
    if (roots.size() > 1) {
      const UrdfLink& second = robot.links[urdf_slot(roots[1])];
      throw SceneError(
          fmt::format("link '{}'", second.name),
          fmt::format("has no parent, and neither has '{}'{}",
                      robot.links[urdf_slot(roots[0])].name,
                      roots.size() > 2 ? fmt::format(", and {} more", roots.size() - 2) : ""),
          "one root; connect it to another link, for example by a fixed joint")
          .at(robot.file, second.line, 0);
    }
    std::vector<std::vector<int>> joints_below(robot.links.size());
    for (std::size_t j = 0; j < robot.joints.size(); ++j)
      joints_below[urdf_slot(tree.parent[j])].push_back(static_cast<int>(j));
    if (!roots.empty()) tree.order.push_back(tree.root = roots[0]);
    for (std::size_t k = 0; k < tree.order.size(); ++k)
      for (int j : joints_below[urdf_slot(tree.order[k])])
        tree.order.push_back(tree.child[urdf_slot(j)]);
    if (tree.order.size() == robot.links.size()) return;
    tell_cycle();
  }

  int link_above(int link) const { return tree.parent[urdf_slot(tree.joint[urdf_slot(link)])]; }
  const std::string& name_of_link(int link) const { return robot.links[urdf_slot(link)].name; }

  [[noreturn]] void tell_cycle() const {
    std::vector<bool> reached(robot.links.size());
    for (int link : tree.order) reached[urdf_slot(link)] = true;
    auto link = static_cast<int>(std::ranges::find(reached, false) - reached.begin());
    // moves into the cycle
    for (std::size_t k = 0; k < robot.links.size(); ++k) link = link_above(link);
    int last = tree.joint[urdf_slot(link)];  // the last joint of the cycle in the order of the file
    for (int up = link_above(link); up != link; up = link_above(up))
      last = std::max(last, tree.joint[urdf_slot(up)]);
    link = tree.child[urdf_slot(last)];
    std::string way = name_of_link(link);
    for (int up = link_above(link); up != link; up = link_above(up))
      way = name_of_link(up) + " -> " + way;
    fail(robot.joints[urdf_slot(last)], 0,
         fmt::format("closes a cycle of parents: {} -> {}", name_of_link(link), way),
         "a tree; close loops in the scene, by an entry of `joints`");
  }

  void find_leaders() {
    tree.leader.assign(robot.joints.size(), -1);
    std::unordered_map<std::string_view, std::size_t> joint_of;  // first joint of each name
    for (std::size_t j = 0; j < robot.joints.size(); ++j) joint_of.emplace(robot.joints[j].name, j);
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
      const UrdfJoint& joint = robot.joints[j];
      if (!joint.mimic) continue;
      const UrdfMimic& mimic = *joint.mimic;
      const auto found = joint_of.find(mimic.joint);
      if (found == joint_of.end()) {
        std::vector<std::string_view> names;
        for (const UrdfJoint& other : robot.joints) names.push_back(other.name);
        fail(joint, mimic.line, fmt::format("mimics '{}', which does not exist", mimic.joint),
             did_you_mean(mimic.joint, names));
      }
      const UrdfJoint& leader = robot.joints[found->second];
      for (const UrdfJoint* one : {&joint, &leader})
        if (!one->has_coordinate())
          fail(joint, mimic.line,
               fmt::format("{} of type {} has no coordinate to mimic",
                           one == &joint ? "a joint" : fmt::format("'{}'", one->name),
                           name_of(one->kind)),
               "revolute, continuous or prismatic");
      if (&leader == &joint) fail(joint, mimic.line, "mimics itself", "another joint");
      if (mimic.multiplier == 0.0)
        fail(joint, mimic.line, "mimics with the multiplier 0",
             "not 0; use a fixed joint for a joint that does not move");
      tree.leader[j] = static_cast<int>(found->second);
    }
    order_mimics();
  }

  // Every joint after the one that it mimics, each visited once.
  void order_mimics() {
    enum class Seen { no, above, yes };
    std::vector<Seen> seen(robot.joints.size(), Seen::no);
    std::vector<std::size_t> chain;  // from a joint up to one that is in the order or independent
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
      int next = static_cast<int>(j);
      for (; next >= 0 && seen[urdf_slot(next)] == Seen::no; next = tree.leader[urdf_slot(next)]) {
        seen[urdf_slot(next)] = Seen::above;
        chain.push_back(urdf_slot(next));
      }
      if (next >= 0 && seen[urdf_slot(next)] == Seen::above)
        fail(robot.joints[j], robot.joints[j].mimic->line, "mimics in a circle",
             "one joint of a chain of mimics must be independent");
      for (; !chain.empty(); chain.pop_back()) {
        seen[chain.back()] = Seen::yes;
        mimic_order.push_back(chain.back());
      }
    }
  }

  void check_limits() {
    for (const UrdfJoint& joint : robot.joints) {
      const bool needs =
          joint.kind == UrdfJoint::Kind::revolute || joint.kind == UrdfJoint::Kind::prismatic;
      if (!joint.limit) {
        if (joint.kind == UrdfJoint::Kind::revolute)
          fail(joint, 0, "a revolute joint has no <limit>",
               "give one, or the type continuous for a joint that rotates freely");
        if (needs)
          fail(joint, 0, "a prismatic joint has no <limit>", "lower, upper, effort, velocity");
        continue;
      }
      const UrdfLimit& limit = *joint.limit;
      if (!needs) {
        if (limit.lower || limit.upper)
          warn(joint, limit.line,
               fmt::format("a joint of type {} has no range: lower and upper are ignored",
                           name_of(joint.kind)));
        continue;
      }
      const double lower = limit.lower.value_or(0.0), upper = limit.upper.value_or(0.0);
      const char* unit = joint.turns() ? "rad" : "m";
      if (lower > upper)
        fail(joint, limit.line,
             fmt::format("lower {} {} is above upper {} {}", lower, unit, upper, unit),
             "lower <= upper; the default of both is 0");
      if (lower == upper)
        warn(joint, limit.line, fmt::format("cannot move: lower and upper are {} {}", lower, unit));
    }
  }

  // 0, or the limit closest to it; a mimic joint follows its leader.
  void find_start() {
    tree.coordinate.assign(robot.joints.size(), 0.0);
    for (const std::size_t j : mimic_order) {
      const UrdfJoint& joint = robot.joints[j];
      const bool range =
          joint.limit && joint.has_coordinate() && joint.kind != UrdfJoint::Kind::continuous;
      const double lower = range ? joint.limit->lower.value_or(0.0) : -kFar,
                   upper = range ? joint.limit->upper.value_or(0.0) : kFar;
      const char* unit = joint.turns() ? "rad" : "m";
      double& c = tree.coordinate[j];
      if (tree.leader[j] >= 0) {
        c = joint.mimic->multiplier * tree.coordinate[urdf_slot(tree.leader[j])] +
            joint.mimic->offset;
        if (c < lower || c > upper)
          warn(joint, joint.mimic->line,
               fmt::format("starts at {} {} by its mimic, outside of its limits", c, unit));
      } else {
        c = std::clamp(0.0, lower, upper);
        if (c != 0.0)
          warn(joint, joint.limit->line,
               fmt::format("0 is outside of its limits: it starts at {} {}", c, unit));
      }
    }
  }

  void find_poses() {
    tree.pose.resize(robot.links.size());
    for (int link : tree.order) {
      const int j = tree.joint[urdf_slot(link)];
      if (j < 0) continue;
      const UrdfJoint& joint = robot.joints[urdf_slot(j)];
      const double c = tree.coordinate[urdf_slot(j)];
      Pose motion;
      if (joint.turns() && c != 0.0) motion.R = exp_rotation(c * joint.axis).toRotationMatrix();
      if (joint.kind == UrdfJoint::Kind::prismatic) motion.x = c * joint.axis;
      tree.pose[urdf_slot(link)] =
          tree.pose[urdf_slot(tree.parent[urdf_slot(j)])] * joint.at * motion;
    }
  }

  static constexpr double kFar = std::numeric_limits<double>::infinity();
};

}  // namespace

UrdfTree urdf_tree(const UrdfRobot& robot, std::vector<std::string>& warnings) {
  UrdfTreeMaking m{robot, warnings};
  m.find_ends();
  m.find_order();
  m.find_leaders();
  m.check_limits();
  m.find_start();
  m.find_poses();
  return std::move(m.tree);
}

}  // namespace saltus
