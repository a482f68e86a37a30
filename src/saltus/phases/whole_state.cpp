#include "saltus/phases/whole_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "saltus/assembly/stored_energy.h"
#include "saltus/base/error.h"
#include "saltus/sim/all_dofs.h"
#include "saltus/sim/step_in_work.h"

namespace saltus {
namespace {

/// Differences below this fraction of the size of a body, or of its velocities, are round-off.
constexpr double kRoundOff = 1e-9;

std::vector<std::string> names_of(const Group& group) {
  return group.bodies.empty() ? std::vector{group.name} : group.bodies;
}

double largest(const auto& x) {
  double most = 0.0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

/// The angles of a joint in the order of its coordinates.
std::vector<const JointAngle*> angles_of_joint(const Model& model, int joint) {
  std::vector<const JointAngle*> found;
  for (const JointAngle& of : model.angles())
    if (of.joint == joint) found.push_back(&of);
  return found;
}

/// Sets the bodies of a model to a whole state.
class Starter {
 public:
  Starter(const Model& model, const WholeState& state, double t, const StartWords& words)
      : model_(model), state_(state), t_(t), words_(words), parts_(model.parts()) {
    for (std::size_t i = 0; i < state.bodies.size(); ++i)
      for (std::size_t k = 0; k < state.bodies[i].names.size(); ++k)
        known_.emplace(state.bodies[i].names[k], Known{&state.bodies[i], k});
  }

  Model operator()() {
    for (std::size_t g = 0; g < parts_.groups.size(); ++g) place_group(g);
    for (const WholeBodies& of : state_.bodies)
      for (const std::string& name : of.names)
        if (!used_.contains(name)) tell_unused(name);
    if (!words_.with_breaks) expect_whole_joints();
    expect_closed_joints();
    Model placed(parts_);
    if (model_.angles().empty()) return placed;
    keep_turns(placed);
    return Model(std::move(parts_));
  }

 private:
  struct Known {
    const WholeBodies* of;
    std::size_t number;  ///< among them
  };

  [[noreturn]] void refuse(const std::string& message, const std::string& hint) const {
    throw SceneError(words_.path, message, hint);
  }
  void tell(const std::string& text) { parts_.warnings.push_back(words_.path + ": " + text); }

  void place_group(std::size_t g) {
    const Group& group = parts_.groups[g];
    const std::vector<std::string> names = names_of(group);
    const std::unique_ptr<AllDofs> all = all_dofs(*group.dynamics);
    for (std::size_t k = 0; k < names.size(); ++k) {
      const auto found = known_.find(names[k]);
      if (found == known_.end()) {
        if (group.dynamics->velocities() > 0 &&
            std::ranges::find(state_.led, names[k]) != state_.led.end())
          tell(fmt::format(
              "'{}' has a prescribed motion in {} and no state: it starts as the scene says",
              names[k], words_.source));
        continue;
      }
      used_.insert(names[k]);
      if (group.dynamics->velocities() == 0) {
        tell(fmt::format("'{}' follows its `motion`: its state in {} is not used", names[k],
                         words_.source));
        continue;
      }
      const Known& from = found->second;
      if (from.of->kind != group.kind)
        refuse(fmt::format("'{}' is of kind {} in {}, here of kind {}", names[k], from.of->kind,
                           words_.source, group.kind),
               "the same kind, or another name");
      if (all)
        place_all(g, *all, names[k], from);
      else
        place_part(g, names.size(), k, names[k], from);
    }
  }

  std::span<const double> part(const std::vector<double>& all, const Known& from) const {
    const std::size_t each = all.size() / from.of->names.size();
    return std::span(all).subspan(from.number * each, each);
  }

  void expect_size(const std::string& name, std::size_t in_file, std::size_t here,
                   std::string_view what) const {
    if (in_file != here)
      refuse(fmt::format("'{}' has {} {} in {}, here {}", name, in_file, what, words_.source, here),
             "the same mesh, number of modes, particles or degrees of freedom, or another name");
  }

  /// A body of a group whose q and v are complete.
  void place_part(std::size_t g, std::size_t bodies, std::size_t k, const std::string& name,
                  const Known& from) {
    GroupState& initial = parts_.initial[g];
    const auto positions = initial.q.size() / static_cast<Eigen::Index>(bodies),
               velocities = initial.v.size() / static_cast<Eigen::Index>(bodies),
               at = static_cast<Eigen::Index>(k);
    const std::span<const double> q = part(from.of->q, from), v = part(from.of->v, from);
    expect_size(name, q.size(), static_cast<std::size_t>(positions), "coordinates");
    expect_size(name, v.size(), static_cast<std::size_t>(velocities), "velocities");
    if (const RigidData* rigid = parts_.groups[g].dynamics->rigid())
      expect_free(*rigid, k, name, initial.q.segment(at * positions, positions), q, v);
    std::ranges::copy(q, initial.q.begin() + at * positions);
    std::ranges::copy(v, initial.v.begin() + at * velocities);
  }

  /// Refuses motion of a rigid body along directions that are locked.
  void expect_free(const RigidData& rigid, std::size_t k, const std::string& name, View own,
                   std::span<const double> q, std::span<const double> v) const {
    const double norm = std::hypot(std::hypot(q[3], q[4]), std::hypot(q[5], q[6]));
    if (!(std::abs(norm - 1.0) < 1e-6))
      refuse(fmt::format("the quaternion of '{}' in {} has the length {:.6g}", name, words_.source,
                         norm),
             "a unit quaternion");
    const double speed = largest(v.first(3)), size = std::max(largest(q.first(3)), largest(own));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (rigid.mass_inverse[k][static_cast<Eigen::Index>(axis)] != 0.0) continue;
      const double away = std::abs(q[axis] - own[static_cast<Eigen::Index>(axis)]);
      if (std::abs(v[axis]) > kRoundOff * speed || away > kRoundOff * size)
        refuse(fmt::format("'{}' moves along {} in {}, which the scene does not permit", name,
                           "xyz"[axis], words_.source),
               "leave out `planar`, or start it on its own under another name");
    }
  }

  /// A body with degrees of freedom that may be held.
  void place_all(std::size_t g, const AllDofs& all, const std::string& name, const Known& from) {
    const auto count = static_cast<std::size_t>(all.count());
    const std::span<const double> q = part(from.of->q, from), v = part(from.of->v, from);
    const std::vector<double> nodes = all.nodes();
    expect_size(name, from.of->nodes.size() / 3, nodes.size() / 3, "nodes");
    expect_size(name, q.size(), count, "degrees of freedom");
    expect_size(name, v.size(), count, "degrees of freedom");
    const double extent = std::max(largest(nodes), largest(from.of->nodes));
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!(std::abs(nodes[i] - from.of->nodes[i]) <= kRoundOff * extent))
        refuse(fmt::format("node {} of '{}' lies elsewhere in the mesh of {}", i / 3, name,
                           words_.source),
               "the same mesh at the same position, or another name");
    GroupState& initial = parts_.initial[g];
    for (std::size_t dof = 0; dof < count; ++dof)
      if (const int i = all.free_index(static_cast<int>(dof)); i >= 0) {
        initial.q[i] = q[dof];
        initial.v[i] = v[dof];
      }
    compare_held(all, initial, name, q, v, std::max(extent, largest(q)));
  }

  std::string dof_text(const AllDofs& all, int dof) const {
    return all.nodes().empty() ? fmt::format("degree of freedom {}", dof)
           : all.count() == std::ssize(all.nodes())
               ? fmt::format("{} of node {}", "xyz"[dof % 3], dof / 3)
               : fmt::format("degree of freedom {} of node {}", dof % 6, dof / 6);
  }

  /// Held degrees of freedom must be where the scene holds them; they may move otherwise.
  void compare_held(const AllDofs& all, const GroupState& initial, const std::string& name,
                    std::span<const double> q, std::span<const double> v, double size) {
    Vector place(all.count()), rate(all.count());
    all.values(t_, initial.q, place);
    all.rates(t_, initial.q, initial.v, rate);
    int jumping = 0, worst = 0;
    double jump = 0.0;
    const double speed = std::max(largest(v), largest(rate));
    for (int dof = 0; dof < all.count(); ++dof) {
      const auto i = static_cast<std::size_t>(dof);
      if (!all.held(dof)) continue;
      if (!(std::abs(place[dof] - q[i]) <= kRoundOff * size))
        refuse(fmt::format("{} of '{}' is at {:.9g} in {}, but the scene holds it at {:.9g}",
                           dof_text(all, dof), name, q[i], words_.source, place[dof]),
               "hold it where it is, by a prescribed motion that begins there, or leave it free");
      if (!(std::abs(rate[dof] - v[i]) <= kRoundOff * speed)) {
        ++jumping;
        if (std::abs(rate[dof] - v[i]) > jump) worst = dof;
        jump = std::max(jump, std::abs(rate[dof] - v[i]));
      }
    }
    if (jumping > 0)
      tell(fmt::format(
          "{} held degree{} of freedom of '{}' change{} velocity at once, {} by {:.3g}", jumping,
          jumping == 1 ? "" : "s", name, jumping == 1 ? "s" : "", dof_text(all, worst), jump));
  }

  void tell_unused(const std::string& name) {
    const auto& fixed = model_.surfaces().fixed_names;
    const bool held = std::ranges::find(fixed, name) != fixed.end();
    tell(fmt::format("the scene has no {}body '{}', whose state in {} is not used",
                     held ? "moving " : "", name, words_.source));
  }

  const WholeJoint* joint_in_state(const std::string& name) const {
    const auto found = std::ranges::find(state_.joints, name, &WholeJoint::name);
    return found == state_.joints.end() ? nullptr : &*found;
  }

  void expect_whole_joints() const {
    for (const Joint& joint : model_.joints())
      if (const WholeJoint* of = joint_in_state(joint.name); of && of->broken)
        refuse(fmt::format("joint '{}' is broken in {}", joint.name, words_.source),
               "take it out of `joints`");
  }

  // Joints of the former run may be open by what its scheme left; new ones must be closed.
  void expect_closed_joints() const {
    constexpr double kNew = 1e-8, kFormer = 1e-2;  // of the size of the mechanism [m], or [rad]
    constexpr double kCoupling = 1e-4;             // of drives and couplings, which may be either
    JointSystem joints = all_joints(model_);
    if (joints.empty()) return;
    Vector gap(joints.rows());
    joints.gaps(
        t_, [&](int g) -> const Vector& { return parts_.initial[static_cast<std::size_t>(g)].q; },
        gap);
    const double extent = joints.extent();
    for (int i = 0; i < joints.rows(); ++i) {
      const std::string& name = joints.name_of_row(i);
      const bool angle = joints.turns()[static_cast<std::size_t>(i)] != 0;
      const WholeJoint* former = joint_in_state(name);
      if (former && former->broken) continue;
      const bool joint =
          std::ranges::find(model_.joints(), name, &Joint::name) != model_.joints().end();
      const double most = (joint ? former ? kFormer : kNew : kCoupling) * (angle ? 1.0 : extent);
      if (std::abs(gap[i]) <= most) continue;
      if (joint)
        refuse(fmt::format("joint '{}' would be open by {:.3g} {}", name, std::abs(gap[i]),
                           angle ? "rad" : "m"),
               "joints keep the places that positions in the scene give them: all bodies of a "
               "mechanism start from the file, or none");
      refuse(fmt::format("'{}' would be violated by {:.3g} {} at t = {:.9g} s", name,
                         std::abs(gap[i]), angle ? "rad" : "m", t_),
             "a motion that begins at the present value of the coordinate");
    }
  }

  /// Moves angles by full turns to those of the state.
  void keep_turns(const Model& placed) {
    const State at = state_at(placed, t_, 0);
    for (std::size_t g = 0; g < parts_.initial.size(); ++g)
      parts_.initial[g].angles = at.groups[g].angles;
    for (int j = 0; j < std::ssize(placed.joints()); ++j) {
      const auto& joint = placed.joints()[static_cast<std::size_t>(j)];
      const WholeJoint* of = joint_in_state(joint.name);
      const std::vector<const JointAngle*> angles = angles_of_joint(placed, j);
      if (!of || of->angles.size() != angles.size()) continue;
      for (std::size_t i = 0; i < angles.size(); ++i) {
        if (!std::isfinite(of->angles[i])) continue;
        double& angle = parts_.initial[static_cast<std::size_t>(angles[i]->group)]
                            .angles[static_cast<std::size_t>(angles[i]->slot)];
        constexpr double kTurn = 2.0 * std::numbers::pi;
        angle += kTurn * std::round((of->angles[i] - angle) / kTurn);
      }
    }
  }

  const Model& model_;
  const WholeState& state_;
  double t_;
  const StartWords& words_;
  ModelParts parts_;
  std::map<std::string, Known, std::less<>> known_;
  std::set<std::string, std::less<>> used_;
};

}  // namespace

WholeState whole_state(const Simulation& sim) {
  const Model& model = sim.model();
  const State& state = sim.state();
  WholeState whole;
  whole.t = state.t;
  Vector v;
  for (std::size_t g = 0; g < model.groups().size(); ++g) {
    const Group& group = model.groups()[g];
    if (group.dynamics->velocities() == 0) continue;
    const Vector& q = state.groups[g].q;
    v.resize(group.dynamics->velocities());
    sim.velocity(static_cast<int>(g), v);
    WholeBodies& of = whole.bodies.emplace_back();
    of.kind = group.kind;
    of.names = names_of(group);
    if (const auto all = all_dofs(*group.dynamics)) {
      of.q.resize(static_cast<std::size_t>(all->count()));
      of.v.resize(of.q.size());
      all->values(state.t, q, Eigen::Map<Vector>(of.q.data(), all->count()));
      all->rates(state.t, q, v, Eigen::Map<Vector>(of.v.data(), all->count()));
      of.nodes = all->nodes();
    } else {
      of.q.assign(q.begin(), q.end());
      of.v.assign(v.begin(), v.end());
    }
  }
  for (int j = 0; j < std::ssize(model.joints()); ++j) {
    WholeJoint& joint = whole.joints.emplace_back();
    joint.name = model.joints()[static_cast<std::size_t>(j)].name;
    for (const JointAngle* of : angles_of_joint(model, j))
      joint.angles.push_back(state.groups[static_cast<std::size_t>(of->group)]
                                 .angles[static_cast<std::size_t>(of->slot)]);
    joint.broken = std::ranges::find(state.broken, j, &BrokenJoint::joint) != state.broken.end();
  }
  return whole;
}

Model started(const Model& model, const WholeState& state, double t, const StartWords& words) {
  return Starter(model, state, t, words)();
}

}  // namespace saltus
