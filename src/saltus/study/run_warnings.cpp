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

/// What makes a run finer.
const char* finer_remedy(const SceneSetup& setup) {
  const StepOptions& options = setup.model.options();
  return options.mode == TimeMode::events || options.step_tolerance > 0.0
             ? "use a smaller time.tolerance"
             : "use a shorter step";
}

/// Lengths of what joints hold, and by how much they are open.
struct JointMeasures {
  double size = 0.0;  ///< of the bodies about their joints, and of the mechanism [m]; 0: not known
  double places = 0.0;  ///< largest coordinate of a point of a joint at the start [m]
  double lengths = 0.0, angles = 0.0;  ///< largest |g| of a state [m], [rad]
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity()), high = -low;

  void add(const JointFrame& frame) {
    low = low.cwiseMin(frame.x);
    high = high.cwiseMax(frame.x);
    size = std::max(size, (high - low).norm());
    places = std::max(places, frame.x.cwiseAbs().maxCoeff());
  }
};

/// Of all joints, and behind that of each mechanism. size: of the distances between the points of
/// joints, those of a point from the origin of its body, the radii of gyration, and what deformable
/// bodies measure from.
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
  std::vector<char> of_joint(setup.model.laws().size(), 0);  // which have no options of their own
  for (const JointLaw& law : setup.model.joint_laws())
    of_joint[static_cast<std::size_t>(law.law)] = 1;
  std::string
      opens;  // what ends it: points that open are turned back without work, and what rests is kept
  bool on_rates = false;  // a law restricts rates that cannot have it
  bool at_end = false;    // friction that opposes the slip at the end
  bool impacts = false;   // with a restitution, which no law on gaps has
  std::string middle;     // a spring of the gap in the middle of the step
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
  bool on_gaps = !impacts;  // which schemes of gain 1 without a problem of positions allow
  for (const Group& group : setup.model.groups())
    on_gaps = on_gaps && group.scheme->gain() == 1.0 && group.scheme->stages().size() == 1;
  const std::string remedy = setup.model.options().mode == TimeMode::events ? finer_remedy(setup)
                             : gain.by_friction() && at_end
                                 ? fmt::format("use `slip: mean` in {}", DefaultLaw::name)
                             : !middle.empty()            ? middle
                             : opens.empty() && !on_rates ? finer_remedy(setup)
                             : on_gaps        ? fmt::format("use `law: {}`", GapLaw::name)
                             : !opens.empty() ? opens
                                              : fmt::format("use `law: {}`", DefaultLaw::name);
  return fmt::format(
      "{} fed energy into the motion, {:.3g} J that no later step took back, the most in the step "
      "to "
      "t = {:.6g} s; {}",
      gaining, gain.fed(), time_of(gain.worst, setup), remedy);
}

std::string unsolved_warning(const LoopReport& loop, const SceneSetup& setup) {
  const RunStatistics& s = loop.statistics;
  if (s.failed_steps == 0) return "";
  if (!(s.residual.value > setup.model.options().contact.tolerance))
    return fmt::format(
        "the equations of motion of {} steps were not solved and the steps accepted; {}, or raise "
        "newton_iterations",
        s.failed_steps, finer_remedy(setup));
  return fmt::format(
      "the contacts of {} steps were not solved and the steps accepted, the worst with residual "
      "{:.3g}, tolerance {:.3g} (t = {:.6g} s); raise solver.iterations, or {}",
      s.failed_steps, s.residual.value, setup.model.options().contact.tolerance,
      time_of(s.residual, setup), finer_remedy(setup));
}

std::string left_warning(const LoopReport& loop, const SceneSetup& setup) {
  const RunStatistics& s = loop.statistics;
  const Limits& contact = setup.model.options().contact;
  if (s.failed_steps > 0 || !(contact.enough > 0.0) || !(s.residual.value > contact.tolerance))
    return "";
  return fmt::format(
      "contacts of {} were left with residual {:.2g} (t = {:.6g} s), where solver {} came "
      "no "
      "closer to {:g}: bodies keep apart, and friction is off by about that; a shorter step leaves "
      "less, and with `solver: {{tolerance: {:g}}}` such a step fails instead",
      setup.model.options().soft ? "these soft bodies" : "this heap", s.residual.value,
      time_of(s.residual, setup), setup.model.solver().name(), contact.tolerance,
      contact.tolerance);
}

std::string unexplained_warning(const LoopReport& loop, const State& state,
                                const SceneSetup& setup) {
  const RunStatistics& s = loop.statistics;
  double scale = s.largest_parts;  // what falls from rest at height 0 has no energy in sum
  for (std::size_t i = 0; i + 1 < state.ledger.size(); ++i)
    scale = std::max(scale, std::abs(state.ledger[i]));
  if (state.ledger.empty() || !(std::abs(state.ledger.back()) > 0.1 * scale)) return "";
  return fmt::format(
      "no account explains {:.3g} J, the most in one step {:.3g} J (t = {:.6g} s): the motion is "
      "not resolved; {}",
      state.ledger.back(), s.unexplained.value, time_of(s.unexplained, setup), finer_remedy(setup));
}

namespace {

/// Of the groups that only steps below some length move without growth the one whose length is the
/// shortest of those known, else the first; null: none.
struct ExplicitGroup {
  const Group* group = nullptr;
  double longest = 0.0;  ///< step [s]; 0: not known
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

//     E1 - E0 = work fed in by loads, drives and what is prescribed + growth,
// where the growth of a right run is what dampers, contacts and friction take, below 0.
std::string growth_warning(double kinetic, const State& state, const SceneSetup& setup) {
  constexpr double kGrowth = 1e-3;
  const Model& model = setup.model;
  const StepOptions& options = model.options();
  if (options.mode == TimeMode::events || options.step_tolerance > 0.0) return "";
  double growth = 0.0, scale = kinetic;
  if (options.ledger) {
    growth = state.energy.total() - state.energy_start;
    const auto accounts = model.accounts();
    for (std::size_t i = 0; i + 3 < state.ledger.size(); ++i) {  // then impact, scheme, unexplained
      if (accounts[i] == "friction" || accounts[i] == "projection" || accounts[i] == "joints")
        continue;  // what a method or a law makes is not fed in
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
  const bool critical =
      longest > 0.0 && options.h > 0.5 * longest;  // else of first order, or above
  return fmt::format(
      "the energy grew by {:.3g} J that no load did, {:.2g} % of what moves: the step is too long "
      "for {}, which moves '{}'; use steps of {:.2g} s{}",
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
        "the contact laws could not be tested on the finished state (t = {:.6g} s): its numbers "
        "are "
        "too large or too small; check the sizes of the data of the scene",
        time_of(s.residual_after, setup));
  if (s.failed_steps > 0 || s.residual_after.value <= std::max(1e-6, 100.0 * tolerance)) return "";
  return fmt::format(
      "the contact laws hold on the finished state with residual {:.3g} only (t = {:.6g} s); {}",
      s.residual_after.value, time_of(s.residual_after, setup), finer_remedy(setup));
}

// A velocity law lets a body into another by up to h V in the step in which it closes, and no
// further.
std::string sinking_warning(const LoopReport& loop, const SceneSetup& setup) {
  constexpr double kSteps = 10.0;  // of h V
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
      "bodies sank into each other by {:.3g} m, where the closing velocities of the run explain "
      "{:.3g} m; "
      "{}",
      sunk, options.h * loop.speed,
      closing_only
          ? std::string(
                "`activation: {closing_only: true}` lets go of bodies at rest: leave it out")
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
    // each by its own size: a small mechanism opens beside a large one
    const auto size_of = [](const JointMeasures& one) { return one.size > 0.0 ? one.size : 1.0; };
    const auto drifted = std::ranges::find_if(measures, [&](const JointMeasures& one) {
      return one.angles > kDrifted || one.lengths > kDrifted * size_of(one);
    });
    const bool passing = gap.value > kDrifted * std::max(size_of(x), 1.0);  // closed at the end
    if (drifted == measures.end() && !passing) return "";
    double size = size_of(x);
    if (!passing) {
      const auto worst = std::ranges::max_element(
          measures, {}, [&](const JointMeasures& one) { return one.lengths / size_of(one); });
      size = size_of(worst->lengths > 0.0 ? *worst : *drifted);
    }
    return fmt::format(
        "joints at level velocity opened by up to {:.3g} m or rad (t = {:.6g} s), on bodies and "
        "distances of {:.3g} m; use `joint: {{level: position}}` or both, or a shorter step",
        gap.value, t, size);
  }
  const double reach = std::max(x.size, x.places),
               allowed = options.mode == TimeMode::events
                             ? std::max(kOpen, options.events.tolerance)
                             : kOpen;
  if (gap.value <= allowed * (reach > 0.0 ? std::min(reach, 1.0) : 1.0)) return "";
  return fmt::format(
      "joints were open by up to {:.3g} m or rad (t = {:.6g} s): their bodies could not follow; "
      "see what is `locked`, and what drives and moved bodies ask for",
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
      line += all >= Notices::kMost ? fmt::format("; {} or more others alike", all - kShown)
                                    : fmt::format("; {} others alike", all - kShown);
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
      "elements of {} are turned inside out at the end (det F {:.3g}), which their law allows; "
      "`law: neo_hooke` does not",
      names, least);
}

}  // namespace saltus
