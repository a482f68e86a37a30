#include "saltus/study/run_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "saltus/advice/advice.h"
#include "saltus/fem/fem.h"
#include "saltus/model/joint_summary.h"
#include "saltus/model/scheme_fit.h"

namespace saltus {

namespace {

/// The option that makes a run more accurate.
const char* finer_remedy(const SceneSetup& setup) {
  const StepOptions& options = setup.model.options();
  return options.mode == TimeMode::events || options.step_tolerance > 0.0
             ? "use a smaller time.tolerance"
             : "use a shorter step";
}

/// Lengths of bodies and mechanisms at joints, and the constraint violations.
struct JointMeasures {
  /// Of the bodies relative to their joints and of the mechanism [m]; 0: unknown.
  double size = 0.0;
  double places = 0.0;                 ///< largest coordinate of a joint point at the start [m]
  double lengths = 0.0, angles = 0.0;  ///< largest |g| in a state [m], [rad]
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity()), high = -low;

  void add(const JointFrame& frame) {
    low = low.cwiseMin(frame.x);
    high = high.cwiseMax(frame.x);
    size = std::max(size, (high - low).norm());
    places = std::max(places, frame.x.cwiseAbs().maxCoeff());
  }
};

/// For all joints first, then for each mechanism. size: the largest of the distances between joint
/// points, the distance of a joint point from the origin of its body, the radii of gyration, and
/// the reference length of deformable bodies.
std::vector<JointMeasures> measure_joints(const Model& model, const State& state) {
  const std::vector<JointMember> members = joint_members(model.joints(), model.groups());
  std::vector<char> broken(model.joints().size(), 0);
  for (const BrokenJoint& one : state.broken) broken[static_cast<std::size_t>(one.joint)] = 1;
  JointSystem system(model.joints(), model.couplings(), members, broken);
  const auto group = [&](int m) {
    return static_cast<std::size_t>(members[static_cast<std::size_t>(m)].group);
  };
  Vector g(system.rows());
  system.make_rows(0.0, [&](int m) -> const Vector& { return model.initial()[group(m)].q; });
  const std::vector<std::size_t> of = mechanisms(model);
  std::vector<JointMeasures> found(1 + of.size());
  const auto each = [&](std::size_t joint, const auto& use) {
    use(found[0]);
    use(found[1 + of[joint]]);
  };
  for (std::size_t i = 0; i < broken.size(); ++i) {
    if (broken[i] == 0)
      for (const JointFrame& frame : system.frames(static_cast<int>(i)))
        each(i, [&](JointMeasures& x) { x.add(frame); });
    for (const JointSide* side : {&model.joints()[i].a, &model.joints()[i].b}) {
      if (side->group < 0) continue;
      const Dynamics& body = *model.groups()[static_cast<std::size_t>(side->group)].dynamics;
      double size = body.offset();
      if (const RigidData* const rigid = body.rigid()) {
        const auto b = static_cast<std::size_t>(side->ref.body);
        const double r = std::sqrt(rigid->inertia[b].trace() / (2.0 * rigid->mass[b]));
        size = std::max(std::isfinite(r) ? r : 0.0, side->ref.local.norm());
      }
      each(i, [&](JointMeasures& x) { x.size = std::max(x.size, size); });
    }
  }
  system.gaps(
      state.t, [&](int m) -> const Vector& { return state.groups[group(m)].q; }, g);
  const std::span<const char> turns = system.turns();
  const auto open = [&](std::size_t joint, int row) {
    each(joint, [&](JointMeasures& x) {
      double& most = turns[static_cast<std::size_t>(row)] != 0 ? x.angles : x.lengths;
      most = worse(most, std::abs(g[row]));
    });
  };
  int row = 0;
  for (std::size_t i = 0; i < of.size(); ++i) {
    const auto [start, count] = system.rows_of(static_cast<int>(i));
    for (int r = start; r < start + count; ++r) open(i, r);
    if (count > 0) row = std::max(row, start + count);
  }
  for (; row < system.rows(); ++row)
    for (const JointCoupling& coupling : model.couplings())
      if (coupling.name == system.name_of_row(row))
        open(static_cast<std::size_t>(coupling.terms.front().joint), row);
  return found;
}

}  // namespace

double time_of(const Extreme& extreme, const SceneSetup& setup) {
  return static_cast<double>(extreme.row) * setup.model.options().h;
}

std::string gain_warning(const ContactGain& gain, const State& state, const SceneSetup& setup) {
  const std::string gaining = what_opens(setup.model);
  if (!gain.matters(state.ledger) || gaining.empty()) return "";
  for (const AnyLaw& law : setup.model.laws())
    if (law->bilateral() && !law->bounded() && law->facts().velocity != 0.0) return "";  // a motor
  std::vector<char> of_joint(setup.model.laws().size(), 0);  // laws of joints have no such options
  for (const JointLaw& law : setup.model.joint_laws())
    of_joint[static_cast<std::size_t>(law.law)] = 1;
  std::string opens;      // remedy: stops opening points without work, and keeps resting contacts
  bool on_rates = false;  // a law restricts rates to values that are not possible
  bool at_end = false;    // friction opposes the slip at the end of the step
  bool impacts = false;   // a law has restitution, which laws on gaps do not support
  std::string middle;     // a spring evaluates the gap in the middle of the step
  for (std::size_t i = 0; i < of_joint.size(); ++i) {
    if (of_joint[i]) continue;
    const LawFacts& law = setup.model.law(static_cast<int>(i)).facts();
    if (law.acts_in_middle) middle = fmt::format("use {} without `at: middle`", law.name);
    if (!law.activation) continue;
    impacts = impacts || law.restitution > 0.0;
    on_rates = on_rates || !law.rebounds;
    if (law.rebounds && (!law.closes_gaps || !law.activation->closing_only))
      opens = fmt::format("use `activation: {{{}closing_only: true}}` in {}",
                          law.closes_gaps ? "" : "kind: gap-closing, ", law.name);
    at_end = at_end || (law.friction.coefficient > 0.0 && law.friction.tangential != 1.0);
  }
  bool on_gaps = !impacts;  // requires schemes with gain 1 and one stage
  for (const Group& group : setup.model.groups())
    on_gaps = on_gaps && group.scheme->gain() == 1.0 && group.scheme->stages().size() == 1;
  const std::string remedy = gain.from_friction() && at_end
                                 ? fmt::format("use `slip: mean` in {}", DefaultLaw::name)
                             : setup.model.options().mode == TimeMode::events ? finer_remedy(setup)
                             : !middle.empty()                                ? middle
                             : opens.empty() && !on_rates                     ? finer_remedy(setup)
                             : on_gaps        ? fmt::format("use `law: {}`", GapLaw::name)
                             : !opens.empty() ? opens
                                              : fmt::format("use `law: {}`", DefaultLaw::name);
  return fmt::format(
      "{} added energy to the motion: {:.3g} J that no later step removed, with the largest gain "
      "in the step to t = {:.6g} s; {}",
      gaining, gain.fed(), time_of(gain.worst, setup), remedy);
}

std::string unsolved_warning(const LoopReport& loop, const SceneSetup& setup) {
  const RunStatistics& s = loop.statistics;
  if (s.failed_steps == 0) return "";
  if (!(s.residual.value > setup.model.options().contact.tolerance))
    return fmt::format(
        "the equations of motion of {} steps were accepted although not solved; {}, or raise "
        "newton_iterations",
        s.failed_steps, finer_remedy(setup));
  return fmt::format(
      "the contacts of {} steps were accepted although not solved, worst residual {:.3g}, "
      "tolerance {:.3g} (t = {:.6g} s); raise solver.iterations, or {}",
      s.failed_steps, s.residual.value, setup.model.options().contact.tolerance,
      time_of(s.residual, setup), finer_remedy(setup));
}

std::string left_warning(const LoopReport& loop, const SceneSetup& setup) {
  const RunStatistics& s = loop.statistics;
  const Limits& contact = setup.model.options().contact;
  if (s.failed_steps > 0 || !(contact.enough > 0.0) || !(s.residual.value > contact.tolerance))
    return "";
  return fmt::format(
      "contacts of {} have a residual of {:.2g} (t = {:.6g} s), because solver {} did not reach "
      "{:g}: bodies do not interpenetrate, but friction has an error of about that size; a shorter "
      "step reduces it, and with `solver: {{tolerance: {:g}}}` such a step fails instead",
      setup.model.options().soft ? "these soft bodies" : "this heap", s.residual.value,
      time_of(s.residual, setup), setup.model.solver().name(), contact.tolerance,
      contact.tolerance);
}

std::string unexplained_warning(const LoopReport& loop, const State& state,
                                const SceneSetup& setup) {
  const RunStatistics& s = loop.statistics;
  // a body that falls from rest at height 0 has a total energy of 0
  double scale = s.largest_parts;
  for (std::size_t i = 0; i + 1 < state.ledger.size(); ++i)
    scale = std::max(scale, std::abs(state.ledger[i]));
  if (state.ledger.empty() || !(std::abs(state.ledger.back()) > 0.1 * scale)) return "";
  return fmt::format(
      "no work term explains {:.3g} J, at most {:.3g} J in one step (t = {:.6g} s): the motion is "
      "not resolved; {}",
      state.ledger.back(), s.unexplained.value, time_of(s.unexplained, setup), finer_remedy(setup));
}

namespace {

/// The group with the shortest known stable step among those whose schemes have a stability limit;
/// the first one if no limit is known; null: none.
struct ExplicitGroup {
  const Group* group = nullptr;
  double longest = 0.0;  ///< longest stable step [s]; 0: unknown
};

ExplicitGroup explicit_group(const Model& model) {
  ExplicitGroup found;
  for (std::size_t g = 0; g < model.groups().size(); ++g) {
    const Group& group = model.groups()[g];
    if (group.dynamics->velocities() == 0 || any_step(*group.scheme)) continue;
    double longest = 0.0;
    if (const auto limit = step_limit(*group.dynamics, *group.scheme, model.initial()[g]))
      longest = limit->safe > 0.0 ? limit->safe : limit->about;
    if (!found.group || (longest > 0.0 && !(found.longest > 0.0 && found.longest <= longest)))
      found = {&group, longest};
  }
  return found;
}

}  // namespace

//     E1 - E0 = work of loads, drives and prescribed motion + growth,
// where the growth in a correct run is the work of dampers, contacts and friction, hence negative.
std::string growth_warning(double kinetic, const State& state, const SceneSetup& setup) {
  constexpr double kGrowth = 1e-3;
  const Model& model = setup.model;
  const StepOptions& options = model.options();
  if (options.mode == TimeMode::events || options.step_tolerance > 0.0) return "";
  double growth = 0.0, scale = kinetic;
  if (options.ledger) {
    growth = state.energy.total() - state.energy_start;
    const auto accounts = model.accounts();
    // the last three are impact, scheme, unexplained
    for (std::size_t i = 0; i + 3 < state.ledger.size(); ++i) {
      if (accounts[i] == "friction" || accounts[i] == "projection" || accounts[i] == "joints")
        continue;  // work of a method or a law is not external
      growth -= std::max(state.ledger[i], 0.0);
      scale = std::max(scale, std::abs(state.ledger[i]));
    }
  } else {
    for (const Group& one : model.groups())
      if (one.dynamics->prescribed() > 0 || one.dynamics->velocities() == 0 ||
          std::ranges::any_of(one.dynamics->sources(), [](const Source& source) {
            return !source.potential && source.name != "damping" && source.name != "gyroscopic";
          }))
        return "";
    const Energy end = energy_of(model, state);
    growth = end.total() - state.energy_start;
    scale = std::max(scale, end.kinetic);
  }
  if (!(growth > kGrowth * scale)) return "";
  const auto [group, longest] = explicit_group(model);
  if (!group) return "";
  // else the error is of first order, or larger
  const bool critical = longest > 0.0 && options.h > 0.5 * longest;
  return fmt::format(
      "the energy grew by {:.3g} J more than loads supplied, {:.2g} % of the energy of the motion: "
      "the step is too long for {}, which integrates '{}'; use steps of {:.2g} s{}",
      growth, 100.0 * growth / scale, group->scheme->name(), group->name,
      critical ? 0.5 * std::min(longest, options.h)
               : options.h * std::min(0.5, 0.8 * kGrowth * scale / growth),
      critical ? ", half of its critical step" : "");
}

std::string law_warning(const LoopReport& loop, const SceneSetup& setup) {
  const RunStatistics& s = loop.statistics;
  const double tolerance = setup.model.options().contact.tolerance;
  if (s.failed_steps == 0 && std::isnan(s.residual_after.value))
    return fmt::format(
        "the contact laws could not be checked at the end of a step (t = {:.6g} s): its numbers "
        "are too large or too small; check the magnitudes in the scene",
        time_of(s.residual_after, setup));
  if (s.failed_steps > 0 || s.residual_after.value <= std::max(1e-6, 100.0 * tolerance)) return "";
  return fmt::format(
      "the contact laws have a residual of {:.3g} at the end of a step (t = {:.6g} s); {}",
      s.residual_after.value, time_of(s.residual_after, setup), finer_remedy(setup));
}

// A velocity law allows a body to penetrate another by up to h V in the step in which they come
// into contact, but no further.
std::string sinking_warning(const LoopReport& loop, const SceneSetup& setup) {
  constexpr double kSteps = 10.0;  // in units of h V
  const StepOptions& options = setup.model.options();
  if (options.mode == TimeMode::events || options.correct_positions) return "";
  bool velocity = false, closing_only = false;
  for (const AnyLaw& law : setup.model.laws()) {
    if (!law->activated()) continue;
    velocity = true;
    closing_only =
        closing_only || (law->facts().activation->closing_only && !law->facts().closes_gaps);
  }
  const double sunk = -loop.least_gap - std::max(0.0, -loop.first_gap);
  if (!velocity || !(loop.speed > 0.0) || !(sunk > kSteps * options.h * loop.speed)) return "";
  return fmt::format(
      "bodies sank into each other by {:.3g} m, but the closing velocities of the run explain only "
      "{:.3g} m; {}",
      sunk, options.h * loop.speed,
      closing_only
          ? std::string(
                "`activation: {closing_only: true}` does not support bodies at rest: remove it")
          : fmt::format("use `contact: {{correct_positions: true}}` or `law: {{kind: {}}}`",
                        ClosingLaw::name));
}

std::string joint_warning(const Extreme& gap, const Model& model, const State& state) {
  constexpr double kOpen = 1e-6, kDrifted = 1e-3;
  const StepOptions& options = model.options();
  if (model.joints().empty() || gap.value <= 0.0) return "";
  const std::vector<JointMeasures> measures = measure_joints(model, state);
  const JointMeasures& x = measures.front();
  const double t = static_cast<double>(gap.row) * options.h;
  if (options.joints == JointLevel::velocity && options.mode == TimeMode::stepping) {
    // relative to its own size: a small mechanism may open next to a large one
    const auto size_of = [](const JointMeasures& one) { return one.size > 0.0 ? one.size : 1.0; };
    const auto drifted = std::ranges::find_if(measures, [&](const JointMeasures& one) {
      return one.angles > kDrifted || one.lengths > kDrifted * size_of(one);
    });
    // violated during the run, but closed at the end
    const bool passing = gap.value > kDrifted * std::max(size_of(x), 1.0);
    if (drifted == measures.end() && !passing) return "";
    double size = size_of(x);
    if (!passing) {
      const auto worst = std::ranges::max_element(
          measures, {}, [&](const JointMeasures& one) { return one.lengths / size_of(one); });
      size = size_of(worst->lengths > 0.0 ? *worst : *drifted);
    }
    return fmt::format(
        "joints with `level: velocity` were violated by up to {:.3g} m or rad (t = {:.6g} s), with "
        "bodies and distances of {:.3g} m; use `joint: {{level: position}}` or `both`, or a "
        "shorter step",
        gap.value, t, size);
  }
  const double reach = std::max(x.size, x.places),
               allowed = options.mode == TimeMode::events
                             ? std::max(kOpen, options.events.tolerance)
                             : kOpen;
  if (gap.value <= allowed * (reach > 0.0 ? std::min(reach, 1.0) : 1.0)) return "";
  return fmt::format(
      "joint constraints were violated by up to {:.3g} m or rad (t = {:.6g} s); check `locked`, "
      "drives and prescribed motions for conflicts",
      gap.value, t);
}

std::vector<std::string> notice_warnings(std::span<const Notice> notices) {
  constexpr int kShown = 3;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < notices.size(); ++i) {
    const Notice& one = notices[i];
    const auto same = [&](const Notice& other) { return other.kind == one.kind; };
    const auto before =
        std::count_if(notices.begin(), notices.begin() + static_cast<std::ptrdiff_t>(i), same);
    if (before >= kShown) continue;
    std::string line = fmt::format("{} (first at t = {:.6g} s, in {} step{})", one.text, one.first,
                                   one.steps, one.steps == 1 ? "" : "s");
    const auto all = std::count_if(notices.begin(), notices.end(), same);
    if (before + 1 == kShown && all > kShown)
      line += all >= Notices::kMost ? fmt::format("; {} or more others of this kind", all - kShown)
                                    : fmt::format("; {} others of this kind", all - kShown);
    lines.push_back(line);
  }
  return lines;
}

std::string inverted_warning(const State& state, const SceneSetup& setup) {
  std::string names;
  double least = 1.0;
  for (std::size_t g = 0; g < state.groups.size(); ++g) {
    const Group& group = setup.model.groups()[g];
    const auto* const fem = dynamic_cast<const Fem*>(group.dynamics.get());
    if (!fem) continue;
    const double J = fem->least_volume_ratio(state.t, state.groups[g].q);
    if (!(J <= 0.0)) continue;
    names += (names.empty() ? "" : ", ") + group.name;
    least = std::min(least, J);
  }
  if (names.empty()) return "";
  return fmt::format(
      "elements of {} are inverted at the end (det F {:.3g}), which their law allows; `law: "
      "neo_hooke` does not",
      names, least);
}

}  // namespace saltus
