// Islands of any groups in contact with each other and the world. Contacts between shapes are
// detected and placed once per step. Rows refer to the body axes of each scheme and follow the
// iterate for the first passes. Linearisation, W and the contact solution are renewed in every
// pass. Schemes with several stages solve several contact problems per step in sequence.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/assembly/contact_views.h"
#include "saltus/assembly/island_projection.h"
#include "saltus/assembly/island_watch.h"
#include "saltus/assembly/island_work.h"
#include "saltus/assembly/loop_work.h"
#include "saltus/state/failure_words.h"
#include "saltus/time_stepping/damped_island.h"

namespace saltus {
namespace {

// With the axes of the prediction, an impulse would rotate a body with an error of O(h). Each
// renewal of the axes gains one order; then the axes are kept, because further changes could
// prevent the last passes from converging.
constexpr int kAxesPasses = 3;
// Joints conserve momentum and do no work only if their impulses act at the positions of the last
// pass. Their rows are therefore renewed while each pass halves the outstanding change. Near
// singular positions it does not, and the rows are kept after a few passes.
constexpr int kJointPasses = 12, kFewJointPasses = 5;
// After this many consecutive passes that do not halve the smallest change, the passes stagnate.
constexpr int kStagnant = 3;

class GeneralIsland final : public Island {
 public:
  GeneralIsland(const Model& model, std::vector<int> groups, std::vector<int> pairs);
  void prepare(std::span<const Trial>) override {}
  void forget() override {}
  void solve(IslandStep& step, StepReport& report) override;
  void check(IslandStep& step, StepReport& report) override;
  void measure_gaps(IslandStep& step, StepReport& report) override;
  bool project(IslandStep& step, StepReport& report) override;
  void show(const IslandStep& step, int island, ContactObserver& observer) const override;
  void remember(std::vector<ContactMemory>& contacts) const override {
    append_memory(model_, list_, problem_, contacts);
  }
  void point_impulses(std::vector<PointImpulse>& list) const override {
    append_point_impulses(model_, list_, problem_, joints_.system(), list);
  }
  void see(const Model& model, double most, std::vector<SeenContact>& contacts) const override;
  bool impulse(ImpulseOf part, int group, Out r) const override {
    return work_.impulse(part, group, r);
  }
  DriftWork drift_work() const override { return work_.drift_work(); }
  double finish(IslandStep& step) override {
    const double work = joints_.aligns() ? joint_projection_.project_velocities(step) : 0.0;
    unprojected_ = !std::isfinite(work);
    return unprojected_ ? 0.0 : work;
  }
  const IslandJoints* joints() const override { return joints_.empty() ? nullptr : &joints_; }

 private:
  using Member = ContactList::Member;
  /// The passes of a stage and their convergence.
  struct Passes {
    bool falls = false;   ///< slip-dependent friction is being iterated
    bool gaps = false;    ///< the motion needs one pass, rows on curved gaps several
    bool pulled = false;  ///< forces change from pass to pass
    bool once = false;
    int pass = 0;
    double outstanding = 0.0, residual = 0.0;
    double best = std::numeric_limits<double>::infinity();
    int stagnant = 0;  ///< consecutive passes that did not halve the smallest change so far
    bool solved = true, renews = true;
  };

  const ContactLaw& law(std::size_t i) const { return list_.law(i); }
  const Group& group(const Member& m) const { return model_.groups()[size(m.group)]; }
  static std::size_t size(int i) { return static_cast<std::size_t>(i); }
  double fraction() const;
  /// again: the iterates are those of an attempt that failed.
  void solve_stages(IslandStep& step, StepReport& report, bool again);
  void find_beside(IslandStep& step);
  void place(IslandStep& step);
  void rows(IslandStep& step);
  void follow(IslandStep& step);
  bool straight(const Member& m) const {
    return has(group(m).dynamics->traits(), Trait::fixed_points);
  }
  void start_gaps(IslandStep& step);
  void end_gaps(IslandStep& step);
  Passes passes(const Stage& stage) const;
  bool satisfied(const Passes& x) const;
  /// Rows and A stay constant during the passes of this step.
  bool steady() const { return steady_ && !joints_.crossing(); }
  void solve_stage(IslandStep& step, const Stage& stage, StepReport& report);
  bool pass(IslandStep& step, const Stage& stage, Passes& x, StepReport& report);
  bool solve_contacts(IslandStep& step, const Stage& stage, Passes& x, StepReport& report);
  void give_impulses(IslandStep& step, Passes& x);
  void judge(const Passes& x, Stop* stop, StepReport& report) const;

  const Model& model_;
  IslandJoints joints_;
  JointProjection joint_projection_;
  ContactList list_;
  IslandProblem problem_;
  IslandWatch watch_;
  IslandProjection projection_;
  IslandWork work_;
  LoopWork loop_work_;
  std::span<const Stage> stages_;
  bool one_pass_ = true;        ///< every group needs one pass
  bool free_motion_ = true;     ///< a step without contact needs no pass
  bool steady_ = true;          ///< rows and A of every group depend on the start of the step alone
  bool accept_one_ = true;      ///< every group needs one pass or accepts the result of one
  bool detect_ = false;         ///< active contacts are determined again in every pass
  bool straight_ = true;        ///< rows of every group are constant
  bool follows_travel_ = true;  ///< of contact points over the present step
  SolveReport solved_;          ///< of the last contact problem
  bool shown_ = false;          ///< this step has solved a contact problem
  bool unprojected_ = false;    ///< finish() found no joint impulses
  std::vector<SeenContact> seen_;  ///< contacts before project(), if it moved a body
  bool projected_ = false;
  /// smallest gap between shapes and boundary surfaces after the step [m]
  double surface_gap_ = 0.0;
};

GeneralIsland::GeneralIsland(const Model& model, std::vector<int> groups, std::vector<int> pairs)
    : model_(model),
      joints_(model, groups),
      joint_projection_(model, groups, joints_.system(), joints_.loads(), joints_.breakable()),
      list_(model, groups, std::move(pairs), joints_.system(), model.surfaces().margin),
      problem_(model, list_, joints_),
      watch_(model, list_, problem_),
      projection_(model, list_, joint_projection_, problem_),
      work_(list_, joints_, problem_),
      loop_work_(model, groups) {
  list_.follow_forces();
  for (const Member& m : list_.members()) {
    const bool one_pass = group(m).scheme->one_pass(*group(m).dynamics);
    const PassLimits limits = group(m).scheme->pass_limits();
    one_pass_ = one_pass_ && one_pass;
    free_motion_ = free_motion_ && group(m).scheme->free_motion(*group(m).dynamics);
    accept_one_ = accept_one_ && (one_pass || limits.only_one);
    detect_ = detect_ || limits.detect;
    straight_ = straight_ && straight(m);
    steady_ = steady_ && group(m).scheme->axes_fixed();
  }
  free_motion_ = free_motion_ && joints_.empty();
  steady_ = steady_ && !problem_.needs().forces && !detect_;
  stages_ = group(list_.members().front()).scheme->stages();
}

double GeneralIsland::fraction() const {
  if (list_.forces_alone()) return 0.5;  // rows of forces are evaluated at the middle: order 2
  const ContactInstant instant = model_.options().instant;
  return instant == ContactInstant::start ? 0.0 : instant == ContactInstant::middle ? 0.5 : 1.0;
}

// Recomputes the rows at the position of the iterate; for rotating bodies with its axes and
// unchanged arms. If contacts are detected in every pass, also recomputes gaps.
void GeneralIsland::follow(IslandStep& step) {
  bool moved = false;
  for (Member& m : list_.members()) {
    if (group(m).scheme->pass_limits().freeze_rows) continue;
    const bool turns = has(group(m).dynamics->traits(), Trait::rotations);
    if (turns && group(m).scheme->axes_fixed() && !detect_) continue;
    if (detect_ || (!straight(m) && !turns))
      group(m).scheme->place(*group(m).dynamics, step.trials[size(m.group)], fraction(), m.q);
    moved = moved || !straight(m);
  }
  if (detect_)
    list_.gaps(
        step.trials.front().t0 + fraction() * step.h,
        [](const Member& m) -> const Vector& { return m.q; }, problem_.motion.gap);
  if (moved || joints_.present()) rows(step);
}

// H of all contacts, u0 = H v0 + d0
void GeneralIsland::rows(IslandStep& step) {
  for (Member& m : list_.members()) {
    const Dynamics& body = *group(m).dynamics;
    const Scheme& scheme = *group(m).scheme;
    if (has(body.traits(), Trait::rotations))
      scheme.place(body, step.trials[size(m.group)], scheme.axes_at(), m.axes);
  }
  if (joints_.present()) joints_.place(step);
  list_.make_rows(step.trials, problem_.motion.u0);
}

void GeneralIsland::start_gaps(IslandStep& step) {
  const auto q0 = [&](const Member& m) -> const Vector& {
    return step.trials[size(m.group)].start->q;
  };
  list_.gaps(step.trials.front().t0, q0, problem_.motion.y0);
}

// Gaps of the iterate at the end of the step.
void GeneralIsland::end_gaps(IslandStep& step) {
  const auto q1 = [&](const Member& m) -> const Vector& { return step.trials[size(m.group)].q; };
  list_.gaps(step.trials.front().t0 + step.h, q1, problem_.motion.y);
}

// Finds compliant contacts that are compressed at the ends of the step.
void GeneralIsland::find_beside(IslandStep& step) {
  const double t0 = step.trials.front().t0;
  list_.find_beside(
      t0, [&](const Member& m) -> const Vector& { return step.trials[size(m.group)].start->q; });
  for (Member& m : list_.members())
    group(m).scheme->place(*group(m).dynamics, step.trials[size(m.group)], 1.0, m.axes);
  list_.find_beside(t0 + step.h, [](const Member& m) -> const Vector& { return m.axes; });
}

// Computes configurations, gaps and rows at the contact instant.
void GeneralIsland::place(IslandStep& step) {
  const double at = fraction();
  for (Member& m : list_.members())
    group(m).scheme->place(*group(m).dynamics, step.trials[size(m.group)], at, m.q);
  const double t = step.trials.front().t0 + at * step.h;
  if (step.trials[size(list_.members().front().group)].stage == 0) {
    if (list_.follows_forces()) find_beside(step);
    for (Member& m : list_.members())
      if (at > 0.0 && follows_travel_ && (m.rigid || list_.detects())) {
        m.middle = m.q;
        if (at != 0.5)
          group(m).scheme->place(*group(m).dynamics, step.trials[size(m.group)], 0.5, m.middle);
      }
    list_.detect(t, step.trials, follows_travel_ ? at : 0.0);
    if (list_.detects()) problem_.resize();
  } else {
    list_.follow(step.trials);
  }
  list_.gaps(
      t, [](const Member& m) -> const Vector& { return m.q; }, problem_.motion.gap);
  rows(step);
}

// Where contacts are redundant with joints, small terms decide which of them carry the load, and
// passes may alternate between them: such a step is made with the points at the detection.
void GeneralIsland::solve(IslandStep& step, StepReport& report) {
  const StepReport before = report;
  follows_travel_ = model_.options().mode != TimeMode::statics;
  solve_stages(step, report, false);
  if (joints_.empty()) return;
  loop_work_.find(joints_, step, LoopWork::kSuspect, report);
  if (report.converged || !report.detail.empty()) return;
  if (stages_.size() == 1 && joints_.crosses()) {
    report = before;
    joints_.cross(true);
    solve_stages(step, report, true);
    joints_.cross(false);
    loop_work_.find(joints_, step, LoopWork::kMost, report);
    if (report.converged) return;
  }
  if (!report.finite || !list_.follows() ||
      (report.failure != failure::kStagnation && report.failure != failure::kPassLimit))
    return;
  follows_travel_ = false;
  report = before;
  solve_stages(step, report, true);
  if (report.converged) watch_.tell_points(step);
}

void GeneralIsland::solve_stages(IslandStep& step, StepReport& report, bool again) {
  shown_ = projected_ = unprojected_ = false;
  work_.begin();
  joints_.begin(step);
  list_.begin(step.trials);
  const bool accepts = model_.options().on_failure == OnFailure::accept;
  for (const Stage& stage : stages_) {
    const bool first = &stage == stages_.data();
    for (Member& m : list_.members()) {
      Trial& trial = step.trials[size(m.group)];
      trial.r.setZero();
      if (first && !again) continue;
      if (first) trial.failure = {};
      trial.stage = first ? 0 : trial.stage + 1;
      trial.pass = 0;
      group(m).scheme->begin(*group(m).dynamics, trial);
    }
    solve_stage(step, stage, report);
    if (!report.finite || (!report.converged && !accepts)) return joints_.slacken(step);
  }
  if (!joints_.empty()) joints_.measure_loads(step);
  joints_.slacken(step);
  if (problem_.needs().dampers) problem_.measure_rates(step);
  for (const int i : problem_.admitted()) {
    const double p = problem_.normal(size(i));
    if (p != 0.0) ++report.contacts;
    if (!law(size(i)).bilateral()) report.impulse += p;
  }
}

// Rows on gaps that are curved functions of q need several passes even if the motion needs one: the
// gap is linear in the impulse only near the iterate. For springs on joints, the ratio of their
// displacements is that of the iterate.
GeneralIsland::Passes GeneralIsland::passes(const Stage& stage) const {
  const auto any = [&](const auto& is) {
    return std::any_of(problem_.admitted().begin(), problem_.admitted().end(),
                       [&](int i) { return is(list_[size(i)], law(size(i))); });
  };
  const bool curved =
      problem_.needs().follows || any([&](const IslandContact& c, const ContactLaw& rule) {
        return (!straight_ || c.joint_law >= 0) &&
               (stage.level == Level::position || rule.reads_end_gap());
      });
  Passes x;
  x.falls = problem_.needs().falls && stage.level == Level::velocity;
  x.gaps = one_pass_ && curved;
  x.pulled = problem_.needs().forces &&
             any([](const IslandContact&, const ContactLaw& rule) { return !rule.set_valued(); });
  x.once = one_pass_ ? !curved && !x.falls && joints_.empty() : accept_one_;
  return x;
}

// Impulses are known only to the tolerance of the contact solver: once the passes stagnate, a
// change within that tolerance counts as none.
bool GeneralIsland::satisfied(const Passes& x) const {
  const StepOptions& options = model_.options();
  return x.outstanding <= options.pass_tolerance ||
         (x.stagnant >= kStagnant && !problem_.empty() && x.outstanding <= problem_.tolerance());
}

void GeneralIsland::solve_stage(IslandStep& step, const Stage& stage, StepReport& report) {
  const bool after_positions = &stage != stages_.data();
  place(step);
  const LawNeeds& needs = problem_.needs();
  if (needs.start_gaps) start_gaps(step);
  if (needs.follows || needs.damping || after_positions) end_gaps(step);  // for admit()
  if (needs.reach && !after_positions) problem_.measure_reach(step, fraction());
  problem_.begin(step, stage);
  if (after_positions) problem_.clear_reach();
  problem_.admit(step, stage, after_positions);
  if (!problem_.empty()) joints_.meet_contacts();
  Passes x = passes(stage);
  if (problem_.empty() && free_motion_ && !detect_) {
    problem_.drop_impulses();
    return;
  }
  // Passes end when the largest outstanding change is below the tolerance, or stagnates in the
  // noise of the contact solver. If that solver fails, halving costs less than further passes.
  const bool halves = model_.options().on_failure == OnFailure::halve;
  while (pass(step, stage, x, report) && !x.once && !satisfied(x) && (x.solved || !halves) &&
         x.pass < step.pass_limit() && std::isfinite(x.outstanding) && !stop_requested(step.stop))
    continue;
  judge(x, step.stop, report);
  if (stage.level == Level::position) {
    problem_.hold();
    if (problem_.empty() || !report.finite) return;
    end_gaps(step);
    report.residual_after = worse(report.residual_after, problem_.measure(step, stage));
  }
}

// False: the problem is not finite, and nothing was moved.
bool GeneralIsland::pass(IslandStep& step, const Stage& stage, Passes& x, StepReport& report) {
  ++x.pass;
  const int renewals = joints_.empty()   ? kAxesPasses
                       : x.stagnant == 0 ? kJointPasses
                                         : kFewJointPasses;
  x.renews = x.renews && x.pass <= 1 + renewals;
  if (x.pass > 1 && x.renews && (!problem_.empty() || detect_ || !joints_.empty())) follow(step);
  if (x.pass > 1 && (problem_.needs().follows || detect_)) {
    end_gaps(step);
    problem_.admit(step, stage, &stage != stages_.data());
    if (!problem_.empty()) joints_.meet_contacts();
  }
  for (Member& m : list_.members()) {
    Trial& trial = step.trials[size(m.group)];
    trial.pass = x.pass;
    group(m).scheme->linearise(*group(m).dynamics, trial);
  }
  if (!joints_.empty() && x.pass > 1) x.renews ? joints_.stiffen(step) : joints_.relax();
  if (!joints_.empty())
    report.finite =
        joints_.linearise(step, x.pass > 1 && steady(), !problem_.empty()) && report.finite;
  if (!problem_.empty() && !solve_contacts(step, stage, x, report)) {
    joints_.unstiffen(step);
    return false;
  }
  const double before = x.best;
  give_impulses(step, x);
  x.best = std::min(x.best, x.outstanding);
  x.stagnant = x.outstanding > 0.5 * before ? x.stagnant + 1 : 0;
  return true;
}

bool GeneralIsland::solve_contacts(IslandStep& step, const Stage& stage, Passes& x,
                                   StepReport& report) {
  if (x.pass == 1 || !steady()) report.finite = report.finite && problem_.assemble(step);
  report.finite = report.finite && problem_.right_hand_side(step, stage);
  if (!report.finite) return false;
  // Mechanisms on wheels or feet: the load is distributed again as long as the passes converge.
  solved_ = problem_.solve(step, stage, !joints_.empty() && x.stagnant == 0);
  shown_ = true;
  report.iterations += solved_.iterations;
  if (solved_.attempted > 0) report.solver = solved_.attempts[size(solved_.attempted - 1)].solver;
  x.residual = solved_.residual;
  report.finite = problem_.p().allFinite() && std::isfinite(solved_.residual);
  report.speed = std::max(report.speed, solved_.speed);
  report.closing = worse(report.closing, solved_.closing);
  x.solved = solved_.converged;
  return true;
}

// Applies the impulses to the groups and measures the remaining change.
void GeneralIsland::give_impulses(IslandStep& step, Passes& x) {
  problem_.give();
  x.outstanding = 0.0;
  for (std::size_t k = 0; k < list_.members().size(); ++k) {
    Vector& r = step.trials[size(list_.members()[k].group)].r;
    r.setZero();
    problem_.add_impulses(problem_.impulses(), k, r);
  }
  if (!joints_.empty()) joints_.react(step);
  for (Member& m : list_.members())
    x.outstanding = worse(x.outstanding,
                          group(m).scheme->correct(*group(m).dynamics, step.trials[size(m.group)]));
  if (!joints_.empty()) x.outstanding = worse(x.outstanding, joints_.outstanding(step));
  if (x.falls && !problem_.empty()) x.outstanding = worse(x.outstanding, problem_.next_slips(step));
  if (x.gaps || x.pulled) x.outstanding = worse(x.outstanding, problem_.change(step, !x.gaps));
}

void GeneralIsland::judge(const Passes& x, Stop* stop, StepReport& report) const {
  report.passes = std::max(report.passes, x.pass);
  report.residual = worse(report.residual, x.residual);
  report.outstanding = worse(report.outstanding, x.once ? 0.0 : x.outstanding);
  if (x.solved && report.finite && (x.once || satisfied(x))) return;
  report.converged = false;
  report.group = list_.members().front().group;
  if (report.failure.empty() && report.finite)
    report.failure = !x.solved                 ? failure::kContactLimit
                     : x.stagnant >= kStagnant ? failure::kStagnation
                                               : failure::kPassLimit;
  if (!x.solved && report.finite) watch_.find_contradiction(stop, report);
}

void GeneralIsland::check(IslandStep& step, StepReport& report) {
  if (unprojected_) {
    report.finite = report.converged = false;
    report.group = list_.members().front().group;
    report.failure = failure::kNoProjection;
  }
  measure_gaps(step, report);
  if (!joints_.empty()) joint_projection_.find_open(report);
  if (list_.detects()) watch_.find_passed(step, report);
  if (!problem_.empty() && report.finite) {  // otherwise the problem may not exist
    report.residual_after = worse(report.residual_after, problem_.measure(step, stages_.back()));
    watch_.look(step, stages_.back().level == Level::velocity);
  }
  if (list_.counts_angles()) watch_.expect_counted(step, report);
}

void GeneralIsland::measure_gaps(IslandStep& step, StepReport& report) {
  const double t = step.trials.front().t0 + step.h;
  const auto end_of = [&](const Member& m) -> const Vector& { return step.ends[size(m.group)].q; };
  Vector& y = problem_.motion.y;
  list_.gaps(t, end_of, y);
  for (std::size_t i = 0; i < list_.named(); ++i)
    if (!law(i).bilateral()) report.gap = -worse(-report.gap, -y[static_cast<Eigen::Index>(i)]);
  if (list_.detects()) {
    surface_gap_ = list_.least_gap(t, end_of);
    report.gap = -worse(-report.gap, -surface_gap_);
  }
  if (!joints_.empty()) report.joint_gap = worse(report.joint_gap, joint_projection_.gap(step));
}

bool GeneralIsland::project(IslandStep& step, StepReport& report) {
  const bool closed =
      !joints_.empty() && joints_.closes() && projection_.close_joints(step, report);
  if (closed) measure_gaps(step, report);
  if (!report.finite || !model_.options().correct_positions || !list_.detects() ||
      !(surface_gap_ < -list_.slack()))
    return closed;
  seen_.clear();
  append_views(list_, problem_, seen_);
  projected_ = true;
  return projection_.separate(step, report, surface_gap_) || closed;
}

void GeneralIsland::show(const IslandStep& step, int island, ContactObserver& observer) const {
  if (!shown_ || problem_.empty()) return;
  const ContactProblem problem{problem_.W(), problem_.b(), problem_.laws(), problem_.rows()};
  observer.solved({island, step.trials.front().t0, step.h, problem, problem_.p(), solved_,
                   &problem_.limits(), &problem_.start()});
}

void GeneralIsland::see(const Model&, double, std::vector<SeenContact>& contacts) const {
  if (projected_)
    contacts.insert(contacts.end(), seen_.begin(), seen_.end());
  else
    append_views(list_, problem_, contacts);
}

}  // namespace

std::unique_ptr<Island> general_island(const Model& model, std::vector<int> groups,
                                       std::vector<int> pairs) {
  return damped_on_failure(model, groups,
                           std::make_unique<GeneralIsland>(model, groups, std::move(pairs)));
}

}  // namespace saltus
