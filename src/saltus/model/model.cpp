#include "saltus/model/model.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <numeric>
#include <set>

#include "saltus/base/error.h"
#include "saltus/contact/certificate.h"
#include "saltus/dynamics/applied_forces.h"
#include "saltus/model/model_check.h"

namespace saltus {
namespace {

/// Sets of groups that pairs, joints, couplings or surfaces connect.
class IslandSets {
 public:
  explicit IslandSets(std::size_t groups) : root_(groups) {
    std::iota(root_.begin(), root_.end(), 0);
  }
  /// Puts both into one island.
  void join(int g, int h) {
    const int a = root(g), b = root(h);
    root_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  /// Puts all of them into one island; below 0: the world.
  void join_all(std::initializer_list<int> groups, int& known) {
    for (const int g : groups) {
      if (g < 0) continue;
      if (known >= 0) join(known, g);
      known = g;
    }
  }
  /// The island number of each group; islands are numbered in the order of their first groups.
  std::vector<int> numbers(int& count) const {
    std::vector<int> number(root_.size(), -1), of_group(root_.size());
    for (std::size_t g = 0; g < root_.size(); ++g) {
      const auto r = static_cast<std::size_t>(root(static_cast<int>(g)));
      if (number[r] < 0) number[r] = count++;
      of_group[g] = number[r];
    }
    return of_group;
  }

 private:
  /// The smallest group of the island.
  int root(int g) const {
    while (root_[static_cast<std::size_t>(g)] != g) g = root_[static_cast<std::size_t>(g)];
    return g;
  }
  std::vector<int> root_;
};

IslandSets islands_of(const ModelParts& parts) {
  IslandSets sets(parts.groups.size());
  for (const ContactPair& pair : parts.pairs)
    if (pair.b.group >= 0) sets.join(pair.a.group, pair.b.group);
  for (const Joint& joint : parts.joints) {
    int known = -1;
    sets.join_all({joint.a.group, joint.b.group}, known);
  }
  for (const JointCoupling& coupling : parts.couplings) {
    int known = -1;
    for (const JointCoupling::Term& term : coupling.terms) {
      const Joint& joint = parts.joints[static_cast<std::size_t>(term.joint)];
      sets.join_all({joint.a.group, joint.b.group}, known);
    }
  }
  // Any two groups with a surface may be in contact.
  int surfaced = -1;
  const auto join_surface = [&](int g) {
    expects(g >= 0 && g < static_cast<int>(parts.groups.size()),
            "a frame of shapes and a boundary surface must belong to a group");
    sets.join_all({g}, surfaced);
  };
  for (const Surfaces::Frame& frame : parts.surfaces.frames) join_surface(frame.group);
  for (const Surfaces::DeformingBoundary& boundary : parts.surfaces.boundaries)
    join_surface(boundary.group);
  return sets;
}

void expect_pairs(const ModelParts& parts) {
  for (const ContactPair& pair : parts.pairs) {
    expects(pair.law >= 0 && pair.law < static_cast<int>(parts.laws.size()),
            "the law of a pair must be one of the model's laws");
    expects(pair.a.group >= 0 && pair.a.group < static_cast<int>(parts.groups.size()) &&
                pair.b.group < static_cast<int>(parts.groups.size()),
            "side a of a pair must be a group, side b a group or the world (-1)");
  }
}

/// Limits that the parts do not give are the strictest limits of their schemes.
void set_pass_limits_of(StepOptions& step, std::span<const Group> groups) {
  PassLimits asked{std::numeric_limits<double>::infinity(), 1};
  for (const Group& group : groups) {
    const PassLimits limits = group.scheme->pass_limits();
    asked.tolerance = std::min(asked.tolerance, limits.tolerance);
    asked.passes = std::max(asked.passes, limits.passes);
  }
  if (!(step.pass_tolerance > 0.0)) step.pass_tolerance = asked.tolerance;
  if (step.pass_limit <= 0) step.pass_limit = asked.passes;
}

/// Model::accounts(). placed: joints are enforced at position level only, while prescribed
/// velocities jump.
std::vector<std::string> account_names(const ModelParts& parts, bool placed) {
  std::vector<std::string> names;
  for (const Group& group : parts.groups)
    for (const Source& source : group.dynamics->sources())
      if (!source.potential && std::find(names.begin(), names.end(), source.name) == names.end())
        names.push_back(source.name);
  if (std::ranges::any_of(parts.joint_laws,
                          [&](const JointLaw& one) {
                            const LawFacts& law =
                                parts.laws[static_cast<std::size_t>(one.law)]->facts();
                            return law.damping > 0.0;
                          }) &&
      std::find(names.begin(), names.end(), "damping") == names.end())
    names.emplace_back("damping");
  // Surfaces with friction that move or run are driven, and so are coordinates that are functions
  // of time.
  if ((!parts.running.empty() ||
       std::ranges::any_of(parts.couplings, [](const JointCoupling& c) { return bool(c.value); }) ||
       std::any_of(parts.laws.begin(), parts.laws.end(),
                   [](const AnyLaw& law) {
                     return law->slides_on_normal() && law->facts().velocity != 0.0;
                   })) &&
      std::find(names.begin(), names.end(), "prescribed") == names.end())
    names.emplace_back("prescribed");
  if ((!parts.couplings.empty() || !parts.joint_laws.empty() ||
       std::ranges::any_of(parts.joints,
                           [](const Joint& joint) { return row_count(joint.kind) > 0; })) &&
      std::find(names.begin(), names.end(), "joints") == names.end())
    names.emplace_back("joints");
  const bool aligned =
      parts.options.joints == JointLevel::both || parts.options.controlled() || placed;
  if (parts.options.correct_positions || (!parts.joints.empty() && aligned) ||
      std::any_of(parts.groups.begin(), parts.groups.end(),
                  [](const Group& group) { return group.scheme->stages().size() > 1; }))
    names.emplace_back("projection");
  std::set<int> of_actuators;
  for (const JointLaw& law : parts.joint_laws)
    if (law.actuator >= 0) of_actuators.insert(law.law);
  for (int i = 0; i < std::ssize(parts.laws); ++i)
    if (parts.laws[static_cast<std::size_t>(i)]->has_friction() && !of_actuators.contains(i)) {
      names.emplace_back("friction");
      break;
    }
  if (!parts.actuators.empty()) names.emplace_back("actuators");
  for (const char* name : {"impact", "scheme", "unexplained"}) names.emplace_back(name);
  return names;
}

}  // namespace

std::string_view name_of(Probe::Quantity quantity) {
  switch (quantity) {
    case Probe::Quantity::velocity:
      return "velocity";
    case Probe::Quantity::reaction:
      return "reaction";
    case Probe::Quantity::joint:
      return "coordinate";
    case Probe::Quantity::joint_rate:
      return "coordinate rate";
    case Probe::Quantity::joint_force:
    case Probe::Quantity::contact_force:
      return "force";
    case Probe::Quantity::joint_torque:
      return "torque";
    case Probe::Quantity::joint_effort:
      return "effort";
    case Probe::Quantity::joint_power:
      return "power";
    case Probe::Quantity::place:
      return "place";
    case Probe::Quantity::angular_velocity:
      return "angular velocity";
    case Probe::Quantity::acceleration:
      return "acceleration";
    case Probe::Quantity::energy:
      return "energy";
    case Probe::Quantity::kinetic_energy:
      return "kinetic energy";
    case Probe::Quantity::stress:
      return "stress";
    case Probe::Quantity::strain:
      return "strain";
    case Probe::Quantity::support:
      return "reaction";
    default:
      return "displacement";
  }
}
std::string_view unit_of(Probe::Quantity quantity) {
  switch (quantity) {
    case Probe::Quantity::velocity:
    case Probe::Quantity::joint_rate:
      return "m/s";
    case Probe::Quantity::reaction:
    case Probe::Quantity::joint_force:
    case Probe::Quantity::contact_force:
    case Probe::Quantity::support:
      return "N";
    case Probe::Quantity::joint_torque:
      return "N m";
    case Probe::Quantity::joint_effort:
      return "N";
    case Probe::Quantity::joint_power:
      return "W";
    case Probe::Quantity::angular_velocity:
      return "rad/s";
    case Probe::Quantity::acceleration:
      return "m/s^2";
    case Probe::Quantity::energy:
    case Probe::Quantity::kinetic_energy:
      return "J";
    case Probe::Quantity::stress:
      return "Pa";
    case Probe::Quantity::strain:
      return "1";
    default:
      return "m";
  }
}
std::string_view unit_of(const Probe& probe, std::span<const Joint> joints) {
  using enum Probe::Quantity;
  if (!on_coordinate(probe.quantity)) return unit_of(probe.quantity);
  const Joint& of = joints[static_cast<std::size_t>(probe.joint)];
  if (!is_angle(of.kind, probe.coordinate) || probe.quantity == joint_power)
    return unit_of(probe.quantity);
  return probe.quantity == joint ? "rad" : probe.quantity == joint_rate ? "rad/s" : "N m";
}

Model::Model(ModelParts parts) {
  set_pass_limits_of(parts.options, parts.groups);
  parts_ = std::make_shared<const ModelParts>(std::move(parts));
  warnings_ = parts_->warnings;
  expect_pairs(*parts_);
  check_joints();
  if (options().joints_in_stages) put_joints_in_stages();
  number_angles();
  number_actuators();
  islands_ = islands_of(*parts_).numbers(island_count_);
  accounts_ =
      account_names(*parts_, options().joints == JointLevel::position && !breaks().jumps.empty());
  expects(parts_->solver != nullptr, "a model needs a contact solver");
  solver_ = make_certified(parts_->solver);
  for (std::string& text : ModelCheck(*parts_, islands_).run())
    warnings_.push_back(std::move(text));
}

Breaks Model::breaks() const {
  Breaks all;
  const auto put = [](std::vector<double>& into, const std::vector<double>& of) {
    into.insert(into.end(), of.begin(), of.end());
  };
  for (const Group& group : groups()) group.dynamics->breaks(all);
  for (const JointCoupling& coupling : couplings()) {
    put(all.ends, coupling.breaks.ends);
    put(all.jumps, coupling.breaks.jumps);
  }
  for (const RunningSurface& one : running()) {  // at a corner its acceleration jumps
    one.value.points(all.ends);
    one.value.jumps(all.jumps);
  }
  for (const Actuator& one : actuators()) {
    for (const Signal* signal : {&one.target, &one.velocity, &one.effort}) signal->points(all.ends);
    one.velocity.jumps(all.turns);
    one.target.jumps(all.turns);
  }
  for (std::vector<double>* list : {&all.ends, &all.jumps, &all.turns}) {
    std::ranges::sort(*list);
    const auto again = std::unique(list->begin(), list->end(), [](double a, double b) {
      return b - a <= Breaks::kSameInstant * std::abs(a);
    });
    list->erase(again, list->end());
  }
  return all;
}

double angle_between_stops(std::span<const JointLaw> joint_laws, std::span<const AnyLaw> laws,
                           int joint, int coordinate, double angle) {
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  for (const JointLaw& law : joint_laws) {
    if (law.joint != joint || law.coordinate != coordinate ||
        !laws[static_cast<std::size_t>(law.law)]->unilateral())
      continue;
    if (law.sign > 0.0)
      low = std::max(low, law.offset);
    else
      high = std::min(high, law.offset);
  }
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const double round_off = 1e-9 * (1.0 + std::abs(angle));
  low -= round_off;
  high += round_off;
  double found = angle;
  if (angle < low) found += kTurn * std::ceil((low - angle) / kTurn);
  if (angle > high) found -= kTurn * std::ceil((angle - high) / kTurn);
  return found >= low && found <= high ? found : angle;
}

void Model::number_angles() {
  std::vector<int> next(parts_->groups.size(), 0);
  for (std::size_t i = 0; i < parts_->joints.size(); ++i) {
    const Joint& joint = parts_->joints[i];
    const int group = joint.b.group >= 0 ? joint.b.group : joint.a.group;
    if (group < 0) continue;  // refused where joints are checked
    for (int k = 0; k < coordinate_count(joint.kind); ++k)
      if (counts_turns(joint.kind, k))
        angles_.push_back({static_cast<int>(i), k, group, next[static_cast<std::size_t>(group)]++});
  }
}

void Model::number_actuators() {
  std::vector<int> next(parts_->groups.size(), 0);
  actuator_places_.resize(parts_->actuators.size());
  for (const JointLaw& law : parts_->joint_laws) {
    if (law.actuator < 0) continue;
    const Joint& joint = parts_->joints[static_cast<std::size_t>(law.joint)];
    const int group = joint.b.group >= 0 ? joint.b.group : joint.a.group;
    int& slot = next[static_cast<std::size_t>(group)];
    actuator_places_[static_cast<std::size_t>(law.actuator)] = {group, slot};
    slot += SetPoint::kSize;
  }
}

std::vector<std::size_t> Model::set_point_counts() const {
  std::vector<std::size_t> count(groups().size(), 0);
  for (const ActuatorPlace& at : actuator_places_)
    count[static_cast<std::size_t>(at.group)] += SetPoint::kSize;
  return count;
}

const JointAngle* Model::angle_of(int joint, int coordinate) const {
  const auto found = std::ranges::lower_bound(
      angles_, std::pair(joint, coordinate), {},
      [](const JointAngle& one) { return std::pair(one.joint, one.coordinate); });
  const bool there =
      found != angles_.end() && found->joint == joint && found->coordinate == coordinate;
  return there ? &*found : nullptr;
}

// Programs that know the type of a deformable body find its critical step.
bool takes_forces(const Group& group) {
  const Dynamics& body = *group.dynamics;
  return body.velocities() > 0 && (body.rigid() != nullptr || group.kind == "particles");
}

Model Model::with_applied_forces(
    const std::vector<std::shared_ptr<const std::vector<AppliedForce>>>& lists) const {
  expects(!options().joints_in_stages, "applied forces do not act on joints inside stages");
  ModelParts parts = *without_applied_forces().parts_;
  for (std::size_t g = 0; g < parts.groups.size(); ++g)
    if (takes_forces(parts.groups[g]))
      parts.groups[g].dynamics =
          std::make_shared<AppliedForces>(parts.groups[g].dynamics, lists[g]);
  return Model(std::move(parts));
}

Model Model::without_applied_forces() const {
  const auto applied = [](const Group& group) {
    return dynamic_cast<const AppliedForces*>(group.dynamics.get());
  };
  if (std::ranges::none_of(parts_->groups, applied)) return *this;
  ModelParts parts = *parts_;
  for (Group& group : parts.groups)
    if (const auto* known = applied(group)) group.dynamics = known->body();
  return Model(std::move(parts));
}

Model Model::with_ledger(bool ledger) const {
  ModelParts parts = *parts_;
  parts.options.ledger = ledger;
  return Model(std::move(parts));
}

}  // namespace saltus
