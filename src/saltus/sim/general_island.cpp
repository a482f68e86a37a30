// Any groups against each other and the world. Contacts between shapes are found and points taken once a step, at the contact instant of the scene; rows
// on the body axes of each scheme, which follow the iterate for the first passes; linearisation, W and the contact
// solution are renewed in every pass, so that nonlinearity and contact converge together. Schemes with several stages
// solve one contact problem after another in the step.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "saltus/base/stop.h"
#include "saltus/contact/residual.h"
#include "saltus/contact/rows.h"
#include "saltus/contact/slip.h"
#include "saltus/contact/spring.h"
#include "saltus/scene/joint_summary.h"
#include "saltus/sim/contact_list.h"
#include "saltus/sim/contact_watch.h"
#include "saltus/sim/contradiction.h"
#include "saltus/sim/failure_words.h"
#include "saltus/sim/island_delassus.h"
#include "saltus/sim/notice_text.h"

namespace saltus {
namespace {

// On the axes of the prediction an impulse would turn a body wrongly in O(h). Each renewal gains an order; then the
// axes stay, lest they keep the last passes from converging.
constexpr int kAxesPasses = 3;
// Joints keep momentum and do no work in so far as their impulses act where the last pass has the bodies: their rows are
// renewed while each pass halves what is left. Beside singular places it does not, and they stay after a few.
constexpr int kJointPasses = 12, kFewJointPasses = 5;
// Passes in a row that do not halve the smallest change: they stagnate.
constexpr int kStagnant = 3;

/// Impulses that are nothing [N s]: what decays for ever loses its digits near the least number.
constexpr double kNothing = 1e-200;

using failure::kContactLimit;
using failure::kContradiction;
using failure::kNoPlace;
using failure::kNoProjection;
using failure::kPassLimit;
using failure::kStagnation;

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
  void remember(std::vector<ContactMemory>& contacts) const override;
  void point_impulses(std::vector<PointImpulse>& list) const override;
  void see(const Model& model, double most, std::vector<SeenContact>& contacts) const override;
  bool friction(int group, Out r) const override;
  bool damping(int group, Out r) const override;
  bool joints(int group, Out r) const override {
    return !joints_.empty() && joints_.impulse(group, r);
  }
  DriftWork drift_work() const override;
  double finish(IslandStep& step) override {
    const double work = joints_.project_velocities(step);
    unprojected_ = !std::isfinite(work);
    return unprojected_ ? 0.0 : work;
  }
  const IslandJoints* joints() const override { return joints_.empty() ? nullptr : &joints_; }

 private:
  using Member = ContactList::Member;

  const ContactLaw& law(std::size_t i) const { return list_.law(i); }
  const Group& group(const Member& m) const { return model_.groups()[size(m.group)]; }
  static std::size_t size(int i) { return static_cast<std::size_t>(i); }
  int row(std::size_t i) const { return list_[i].first_row; }  ///< normal row of contact i
  /// The group of the first side that is one.
  int group_of(std::size_t i) const {
    const IslandContact& c = list_[i];
    return list_.members()[size(c.side[0].member >= 0 ? c.side[0].member : c.side[1].member)].group;
  }
  void size_vectors();
  double fraction() const;
  void place(IslandStep& step);
  void rows(IslandStep& step);
  void follow(IslandStep& step);
  bool straight(const Member& m) const {
    return has(group(m).dynamics->traits(), Trait::fixed_points);
  }
  void admit(IslandStep& step, const Stage& stage);
  void warm_start(IslandStep& step, const Stage& stage);
  bool assemble(const IslandStep& step) {
    return W_.assemble(step, list_, joints_, admitted_, problem_, laws_, springs_);
  }
  bool on_positions(const ContactLaw& rule, const Stage& stage) const {
    return stage.level == Level::position || rule.position_level();
  }
  static bool is_power(const ContactLaw& rule) {
    return rule.rule == ContactLaw::Rule::compliant && !rule.spring.linear();
  }
  /// Whether a linear spring with a dashpot is pressed by the iterate: a dashpot alone does not act at a distance.
  bool closed(std::size_t i) const {
    const double c = law(i).spring.at == ContactSpring::At::middle ? 0.5 : 1.0;
    const auto k = static_cast<Eigen::Index>(i);
    return c * y_[k] + (1.0 - c) * y_start_[k] < 0.0;
  }
  SpringStep spring(std::size_t i, double gap_end) const {
    return spring_step(law(i).spring, y_start_[static_cast<Eigen::Index>(i)], gap_end);
  }
  void right_hand_side(IslandStep& step, const Stage& stage);
  double spring_row(IslandStep& step, std::size_t k, int i);
  double way_ratio(double h, std::size_t i, double gap_end, double u_end) const;
  double law_term(const IslandStep& step, const Stage& stage, int i) const;
  double tangent_term(std::size_t k, int a) const;
  SolveReport solve_problem(IslandStep& step, const Stage& stage, bool even);
  void start_slips();
  void strengthen(double h, std::size_t k, double slip);
  double slip_of(std::size_t k, const Vector& u) const;
  double slips(const IslandStep& step);
  void find_passed(IslandStep& step);
  void find_overdamped(IslandStep& step);
  double kinetic_of(const IslandStep& step, std::size_t i) const;
  void find_mechanisms();
  void find_across(IslandStep& step);
  void start_gaps(IslandStep& step);
  void end_gaps(IslandStep& step);
  void solve_stage(IslandStep& step, const Stage& stage, StepReport& report);
  /// Natural map of the admitted rows, with u on the finished state.
  double measure(IslandStep& step, const Stage& stage, const Vector& gap_end);
  double spring_defect(const IslandStep& step, int k, int i, double gap_end) const;
  void explain(StepReport& report) const;
  double damper_impulse(std::size_t i) const;
  void expect_counted(IslandStep& step, StepReport& report);
  void masses(IslandStep& step);
  void move(IslandStep& step);
  void move_joints(IslandStep& step);
  bool close_joints(IslandStep& step, StepReport& report);
  void see_now(std::vector<SeenContact>& contacts) const;
  ContactView::Status status(std::size_t k) const;

  const Model& model_;
  IslandJoints joints_;
  ContactList list_;
  std::span<const Stage> stages_;
  bool one_pass_ = true;     ///< every group takes one pass
  bool free_motion_ = true;  ///< a step without contact needs no pass
  bool steady_ = true;       ///< rows and A of every group stay in the passes of a step
  bool accept_one_ = true;   ///< every group takes one pass or accepts what one leaves
  bool detect_ = false;      ///< active contacts are found again in every pass
  bool straight_ = true;     ///< rows of every group are constant
  bool start_gaps_ = false;  ///< a law asks for gaps at the start of the step
  bool springs_ = false;     ///< a law has a spring
  bool powers_ = false;  ///< a spring is no linear one: what it lets in changes from pass to pass
  bool damped_ = false;  ///< a spring has a dashpot
  std::vector<std::size_t> mechanism_;      ///< of every joint of the model, if damped_
  std::vector<std::array<int, 3>> joined_;  ///< mechanism, group and body, sorted
  bool dampers_ = false;                    ///< some of them act on joints
  bool activates_ = false;  ///< a law restricts velocities of points that it lets in by their gaps
  bool expands_ = false;    ///< a law of Poisson: each problem is followed by one of expansion
  bool coheres_ = false;    ///< a law has cohesion
  bool falls_ = false;      ///< friction of some law depends on the slip
  std::vector<int> admitted_;  ///< contacts in the problem, by place in list_
  std::vector<int> problem_;   ///< rows in the problem
  std::vector<char> bonded_;   ///< contacts whose cohesion has not been lost
  std::vector<char> held_;  ///< contacts that carried an impulse in the position stage of this step
  std::vector<Law> laws_;   ///< one a contact admitted
  SolveReport solved_;      ///< of the last problem
  bool shown_ = false;      ///< there is one in this step
  bool unprojected_ = false;               ///< finish() found no impulses of the joints
  std::vector<std::array<int, 2>> acted_;  ///< scratch of find_passed()
  std::vector<SeenContact> seen_;          ///< before project(), where that moved something
  bool projected_ = false;
  double h_ = 0.0;            ///< of the step [s]
  double surface_gap_ = 0.0;  ///< least one between shapes and skins on the finished state [m]
  IslandDelassus W_;          ///< that of the last problem
  ContactWatch watch_;
  Vector gap_, y_, y_start_, slip_;                            // a contact
  Vector rate_, u_, u_free_, u_now_, ahead_, p_all_, p_kept_;  // a row
  mutable Vector p_friction_;  // written before it is read; an island belongs to one simulation
  // a row of the problem; `compliance_` is what a spring adds to W_kk, `pressed_` the impulse (1 + e) P_c
  Vector W_p_;  // W p
  Vector b_, p_, rho_, u_end_, compliance_, pressed_, b_start_, p_start_;
};

GeneralIsland::GeneralIsland(const Model& model, std::vector<int> groups, std::vector<int> pairs)
    : model_(model),
      joints_(model, groups),
      list_(model, groups, std::move(pairs), joints_.system(), model.surfaces().margin),
      watch_(model, list_) {
  size_vectors();
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
  for (int i : list_.laws()) {
    const ContactLaw& rule = model.laws()[size(i)];
    using Rule = ContactLaw::Rule;
    start_gaps_ = start_gaps_ || rule.rule == Rule::schatzman_paoli ||
                  rule.rule == Rule::stewart_trinkle || rule.rule == Rule::compliant;
    springs_ = springs_ || rule.rule == Rule::compliant;
    powers_ = powers_ || is_power(rule);
    damped_ = damped_ || (rule.rule == Rule::compliant && rule.spring.damping > 0.0);
    activates_ = activates_ || rule.activated();
    expands_ = expands_ || rule.rule == Rule::poisson_impact;
    falls_ = falls_ || rule.falls();
    coheres_ = coheres_ || rule.cohesion > 0.0;
  }
  for (std::size_t i = 0; i < list_.named(); ++i)
    dampers_ = dampers_ || (list_[i].joint_law >= 0 && law(i).rule == ContactLaw::Rule::compliant &&
                            law(i).spring.damping > 0.0);
  free_motion_ = free_motion_ && joints_.empty();
  if (damped_) find_mechanisms();
  steady_ = steady_ && !springs_ && !detect_;
  stages_ = group(list_.members().front()).scheme->stages();
}

// What there is one of for each contact, or for each of their rows.
void GeneralIsland::size_vectors() {
  const auto n = static_cast<Eigen::Index>(list_.count());
  for (Vector* x : {&gap_, &y_, &y_start_, &slip_}) x->resize(n);
  for (Vector* x : {&rate_, &u_, &u_free_, &u_now_, &ahead_, &p_all_}) x->resize(list_.rows());
  held_.resize(list_.count());
  bonded_.resize(list_.count());
}

double GeneralIsland::fraction() const {
  switch (model_.options().instant) {
    case ContactInstant::start:
      return 0.0;
    case ContactInstant::middle:
      return 0.5;
    default:
      return 1.0;
  }
}

// The rows once more, at the place of the iterate; of bodies that turn on its axes, with the arms they had. Where contacts
// are found again, gaps too.
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
        [](const Member& m) -> const Vector& { return m.q; }, gap_);
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
  list_.make_rows(step.trials, rate_);
}

// Position rows are all in the problem. Velocity rows where  g + w h u <= threshold  (and u <= its threshold); after a
// position stage those that carried an impulse in it or are closed after it. Springs that are no linear ones where they
// are pressed in the present iterate.
void GeneralIsland::admit(IslandStep& step, const Stage& stage) {
  admitted_.clear();
  problem_.clear();
  laws_.clear();
  const bool after_positions = &stage != stages_.data();
  for (std::size_t i = 0; i < list_.count(); ++i) {
    const ContactLaw& rule = law(i);
    const auto k = static_cast<Eigen::Index>(i);
    bool in = true;
    if (stage.level == Level::position)
      in = !rule.bilateral();
    else if (rule.rule == ContactLaw::Rule::compliant)
      in = is_power(rule) ? spring(i, y_[k]).force > 0.0
                          : rule.spring.pulls || rule.spring.damping == 0.0 || closed(i);
    else if (after_positions && !rule.bilateral())
      in = held_[i] != 0 || y_[k] <= 0.0;
    else if (rule.activated())
      in = rule.activation.admits(i < list_.named() ? gap_[k] : gap_[k] - list_.slack(),
                                  rate_[row(i)], step.h) ||
           (rule.cohesion > 0.0 && bonded_[i] != 0);
    if (!in) continue;
    Law entry{LawKind::unilateral, static_cast<int>(problem_.size()), 1};
    if (rule.rule == ContactLaw::Rule::equality || (powers_ && is_power(rule)) ||
        (rule.rule == ContactLaw::Rule::compliant && rule.spring.pulls))
      entry.kind = LawKind::equality;
    else if (rule.rule == ContactLaw::Rule::relay) {
      entry.kind = LawKind::box;
      entry.bound = step.h * rule.bound;
    } else if (list_[i].tangents > 0 && stage.level == Level::velocity) {
      entry.kind = list_[i].rolls || list_[i].spins ? LawKind::rolling : LawKind::coulomb;
      entry.size = list_[i].rows();
      entry.friction = rule.friction;
      entry.rolling = list_[i].rolls ? rule.rolling : 0.0;
      entry.spinning = list_[i].spins ? rule.spinning : 0.0;
    }
    laws_.push_back(entry);
    admitted_.push_back(static_cast<int>(i));
    for (int a = 0; a < entry.size; ++a) problem_.push_back(row(i) + a);
  }
  const auto n = static_cast<Eigen::Index>(problem_.size());
  if (n == 0) return;  // the vectors keep their size for the next contact
  for (Vector* x : {&b_, &p_, &compliance_, &pressed_, &rho_, &u_end_, &W_p_}) x->resize(n);
  for (Eigen::Index k = 0; k < n; ++k) p_[k] = p_all_[problem_[static_cast<std::size_t>(k)]];
}

// s = (y1 - y0)/(h (u0 + u1)/2) of a spring on a joint, where it can be told from round-off: K s (y0 + y1)/2 then works on
// the velocities of the step what the spring stores, under schemes whose way is not h times the mean rate. A length has it
// from the place of the rows between: for point masses e . (d1 - d0) = (l1 - l0) (l0 + l1)/(2 l).
double GeneralIsland::way_ratio(double h, std::size_t i, double gap_end, double u_end) const {
  const ContactSpring& x = law(i).spring;
  if (list_[i].joint_law < 0 || !x.pulls || x.at != ContactSpring::At::middle) return 1.0;
  const JointLaw& on = model_.joint_laws()[size(list_[i].joint_law)];
  const JointKind kind = model_.joints()[size(on.joint)].kind;
  const double y0 = y_start_[static_cast<Eigen::Index>(i)];
  if (kind == JointKind::line) {
    if (model_.groups()[size(group_of(i))].scheme->axes_fixed())
      return 1.0;                                                   // rows are not between
    const double sum = on.sign * (y0 + gap_end) + 2.0 * on.offset;  // l0 + l1
    return sum > 0.0 ? 2.0 * joints_.system().coordinate(on.joint, on.coordinate) / sum : 1.0;
  }
  // Others have ways that no rate makes where their axes turn.
  constexpr double kLeast = 1e-6;  // [rad]
  const bool turns = is_angle(kind, on.coordinate) && kind != JointKind::universal;
  const double way = 0.5 * h * (rate_[row(i)] + u_end);
  if (!turns || !(std::abs(way) > kLeast)) return 1.0;
  // Where the joint turns round the way is short, and what the ratio differs from 1 is round-off of the angles: taken from
  // pass to pass it would keep the passes from their tolerance.
  const double ratio = (gap_end - y0) / way,
               angle = std::max({1.0, std::abs(on.sign * y0 + on.offset), std::abs(y0)}),
               round_off = 2.0 * std::numeric_limits<double>::epsilon() * angle;
  return std::abs(ratio - 1.0) * std::abs(way) <= round_off ? 1.0 : ratio;
}

// A spring on row k: y1 = y + gain h W P with y the gap of the iterate moved by v_free, y* that of the iterate; c = 1/2 in
// the middle, 1 at the end.
//     linear:  P/h = -s K (c y1 + (1 - c) y0) - C (c u1 + (1 - c) u0),  P >= 0,   s = way_ratio() of y* in the middle
//     else:    P/h = F(y*) - F'(y*) (y1 - y*),  F' = -dF/dy1
// divided by kappa = K c gain h + C c, or F' gain h:  0 <= W P + b + P/(h kappa) perp P, or its equality. Returns b.
double GeneralIsland::spring_row(IslandStep& step, std::size_t k, int i) {
  const ContactSpring& x = law(size(i)).spring;
  const int r = row(size(i));
  const double h = step.h, gain_h = step.trials[size(group_of(size(i)))].gain * h;
  double kappa, b;
  if (x.linear()) {
    const double c = x.at == ContactSpring::At::middle ? 0.5 : 1.0;
    const double y = c * (y_[i] + h * ahead_[r]) + (1.0 - c) * y_start_[i];
    const double u = c * u_free_[r] + (1.0 - c) * rate_[r];
    const double K = x.stiffness * way_ratio(h, size(i), y_[i], u_now_[r]);
    kappa = K * c * gain_h + x.damping * c;
    b = (K * y + x.damping * u) / kappa;
  } else {
    const SpringStep now = spring(size(i), y_[i]);
    kappa = now.slope * gain_h;
    b = (now.slope * h * ahead_[r] - now.force) / kappa;
  }
  compliance_[static_cast<Eigen::Index>(k)] = 1.0 / (h * kappa);
  return b;
}

// position rows: b = y(q)/h + gain H (v_free - v) (+ e y_-/h);   velocity rows: b = H v_free + d1 + e u0
void GeneralIsland::right_hand_side(IslandStep& step, const Stage& stage) {
  bool position = false;
  for (int i : admitted_)
    position = position || on_positions(law(size(i)), stage) ||
               law(size(i)).rule == ContactLaw::Rule::compliant;
  if (position) end_gaps(step);
  u_free_.setZero();
  ahead_.setZero();
  if (!joints_.empty()) joints_.release(step);
  for (std::size_t k = 0; k < list_.members().size(); ++k) {
    Member& m = list_.members()[k];
    const Trial& trial = step.trials[size(m.group)];
    const Vector& v_free = joints_.empty() ? trial.v_free : joints_.free(k);
    m.H.multiply_add(v_free, u_free_);
    if (!position) continue;
    m.w = trial.gain * (v_free - trial.v);
    m.H.multiply_add(m.w, ahead_);
  }
  list_.add_drift(u_free_);
  if (springs_) {
    u_now_.setZero();
    for (Member& m : list_.members()) m.H.multiply_add(step.trials[size(m.group)].v, u_now_);
    list_.add_drift(u_now_);
  }
  compliance_.setZero();
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const int i = admitted_[k], r = row(size(i));
    const auto first = static_cast<Eigen::Index>(laws_[k].first);
    const ContactLaw& rule = law(size(i));
    double b = u_free_[r];
    if (rule.rule == ContactLaw::Rule::compliant)
      b = spring_row(step, static_cast<std::size_t>(first), i);
    else if (on_positions(rule, stage))
      b = y_[i] / step.h + ahead_[r];
    b_[first] = b + law_term(step, stage, i);
    for (int a = 1; a < laws_[k].size; ++a) b_[first + a] = u_free_[r + a] + tangent_term(k, a);
  }
  if (!springs_) return;
  W_.add_diagonal(compliance_);
}

// A position stage knows gaps alone.
double GeneralIsland::law_term(const IslandStep& step, const Stage& stage, int i) const {
  if (stage.level == Level::position) return 0.0;
  return law(size(i)).term(y_start_[i], rate_[row(size(i))], step.h);
}

// e_T u0 of row a > 0 of the k-th contact of the problem. Rows of moments have none.
double GeneralIsland::tangent_term(std::size_t k, int a) const {
  const auto i = size(admitted_[k]);
  return a < laws_[k].forces() ? law(i).tangential * rate_[row(i) + a] : 0.0;
}

void GeneralIsland::start_gaps(IslandStep& step) {
  list_.gaps(
      step.trials.front().t0,
      [&](const Member& m) -> const Vector& { return step.trials[size(m.group)].start->q; },
      y_start_);
}

// Gaps of the iterate at the end of the step.
void GeneralIsland::end_gaps(IslandStep& step) {
  list_.gaps(
      step.trials.front().t0 + step.h,
      [&](const Member& m) -> const Vector& { return step.trials[size(m.group)].q; }, y_);
}

// Configurations at the contact instant, gaps and rows there.
void GeneralIsland::place(IslandStep& step) {
  const double at = fraction();
  for (Member& m : list_.members())
    group(m).scheme->place(*group(m).dynamics, step.trials[size(m.group)], at, m.q);
  const double t = step.trials.front().t0 + at * step.h;
  if (list_.detects() && step.trials[size(list_.members().front().group)].stage == 0) {
    list_.detect(t);
    size_vectors();
  }
  list_.gaps(
      t, [](const Member& m) -> const Vector& { return m.q; }, gap_);
  rows(step);
}

// p_all_: the impulses of the last step, zero in a position stage.
void GeneralIsland::warm_start(IslandStep& step, const Stage& stage) {
  p_all_.setZero();
  // Bonds are there at t = 0; one that opened is not remembered.
  std::fill(bonded_.begin(), bonded_.end(), step.trials.front().t0 == 0.0 ? '\1' : '\0');
  if (stage.level == Level::position) return;
  auto memory = step.before.begin();
  for (std::size_t i = 0; i < list_.count(); ++i) {
    const std::uint64_t key = list_[i].key;
    while (memory != step.before.end() && memory->key < key) ++memory;
    if (memory == step.before.end()) break;
    if (memory->key != key) continue;
    const IslandContact& c = list_[i];
    bonded_[i] = 1;
    for (int a = 0; a < c.rows(); ++a)
      p_all_[row(i) + a] = a <= c.tangents ? memory->impulse[a] : memory->moment[c.axis_of(a)];
  }
}

// One contact problem; under Poisson's law after one of compression, 0 <= u0 + W P_c perp P_c >= 0 with the velocities at
// the start, that of  u = W (P_x + (1 + e) P_c) + b. (With the forces of the step in the compression a body at rest
// would be thrown by its weight.)
// Cohesion c moves the cone: with P + h c n in the place of P, b loses W h c n.
SolveReport GeneralIsland::solve_problem(IslandStep& step, const Stage& stage, bool even) {
  Limits limits = model_.options().contact;
  limits.even = even;
  pressed_.setZero();
  SolveReport pressing{true, 0, 0.0};
  bool presses = false;
  if (expands_ && stage.level == Level::velocity) {
    b_start_.resize(b_.size());
    p_start_.setZero(p_.size());
    for (std::size_t k = 0; k < problem_.size(); ++k)
      b_start_[static_cast<Eigen::Index>(k)] = rate_[problem_[k]];
    step.solver.active.clear();
    pressing =
        model_.solver().solve({W_.W(), b_start_, laws_, problem_}, limits, step.solver, p_start_);
    for (std::size_t k = 0; k < admitted_.size(); ++k)
      if (const ContactLaw& rule = law(size(admitted_[k]));
          rule.rule == ContactLaw::Rule::poisson_impact) {
        const int first = laws_[k].first;
        pressed_[first] = (1.0 + rule.restitution) * p_start_[first];
        p_[first] = 0.0;
        presses = true;
      }
  }
  for (std::size_t k = 0; coheres_ && k < admitted_.size(); ++k)
    if (const double c = law(size(admitted_[k])).cohesion;
        c > 0.0 && stage.level == Level::velocity && bonded_[size(admitted_[k])] != 0) {
      pressed_[laws_[k].first] -= step.h * c;
      p_[laws_[k].first] += step.h * c;  // the warm start is P
      presses = true;
    }
  if (presses) {
    b_start_.resize(b_.size());
    W_.W().apply(pressed_, b_start_);
    b_ += b_start_;
  }
  step.solver.active.clear();
  SolveReport found = model_.solver().solve({W_.W(), b_, laws_, problem_}, limits, step.solver, p_);
  found.iterations += pressing.iterations;
  found.residual = worse(found.residual, pressing.residual);
  found.closing = worse(found.closing, pressing.closing);
  found.converged = found.converged && pressing.converged;
  return found;
}

// Slip speed from which the passes begin: that of the start of the step, so that what slips goes on slipping and what
// sticks goes on sticking where the law allows both.
void GeneralIsland::start_slips() {
  for (std::size_t i = 0; i < list_.count(); ++i) {
    const ContactLaw& rule = law(i);
    if (!rule.falls()) continue;
    double s2 = 0.0;
    if (rule.rule == ContactLaw::Rule::relay)
      s2 = std::pow(rate_[row(i)] - rule.velocity, 2);
    else
      for (int a = 1; a <= list_[i].tangents; ++a) s2 += rate_[row(i) + a] * rate_[row(i) + a];
    slip_[static_cast<Eigen::Index>(i)] = std::sqrt(s2);
  }
}

// Bound and coefficient of the k-th contact of the problem at a slip.
void GeneralIsland::strengthen(double h, std::size_t k, double slip) {
  const ContactLaw& rule = law(size(admitted_[k]));
  if (!rule.falls()) return;
  const double share = rule.falling.share(slip);
  laws_[k].bound = h * rule.bound * share;
  laws_[k].friction = rule.friction * share;
}

// Slip of the k-th contact, u of all rows of the problem with the terms of the laws. Spins do not count.
double GeneralIsland::slip_of(std::size_t k, const Vector& u) const {
  const ContactLaw& rule = law(size(admitted_[k]));
  const int rows = laws_[k].forces(), from = rule.rule == ContactLaw::Rule::relay ? 0 : 1;
  return u.segment(laws_[k].first + from, rows - from).norm() / (1.0 + rule.tangential);
}

// The slips that the next pass assumes, each by the W of its own rows (slip.h). Returns by how much the shares that this
// pass assumed are off.
double GeneralIsland::slips(const IslandStep& step) {
  double off = 0.0;
  if (!admitted_.empty()) W_.W().apply(p_, W_p_);
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const ContactLaw& rule = law(size(admitted_[k]));
    if (!rule.falls()) continue;
    const bool relay = rule.rule == ContactLaw::Rule::relay;
    const Eigen::Index first = laws_[k].first + (relay ? 0 : 1),
                       end = laws_[k].first + laws_[k].forces();
    double w = 0.0;
    for (Eigen::Index r = first; r < end; ++r) {
      u_end_[r] = b_[r] + W_p_[r];
      w += W_.diagonal()[r] / static_cast<double>(end - first);
    }
    const double at_rest = relay ? step.h * rule.bound : rule.friction * p_[first - 1];
    double& x = slip_[admitted_[k]];
    const double s = slip_of(k, u_end_);
    off = worse(off, std::abs(rule.falling.share(s) - rule.falling.share(x)));
    x = next_slip(rule.falling, w * at_rest / (1.0 + rule.tangential), x, s);
  }
  return off;
}

void GeneralIsland::solve(IslandStep& step, StepReport& report) {
  shown_ = projected_ = unprojected_ = false;
  h_ = step.h;
  joints_.begin(step);
  list_.begin(step.trials);
  const bool accepts = model_.options().on_failure == OnFailure::accept;
  for (const Stage& stage : stages_) {
    const bool first = &stage == stages_.data();
    for (Member& m : list_.members()) {
      Trial& trial = step.trials[size(m.group)];
      trial.r.setZero();
      if (first) continue;
      ++trial.stage;
      trial.pass = 0;
      group(m).scheme->begin(*group(m).dynamics, trial);
    }
    solve_stage(step, stage, report);
    if (!report.finite || (!report.converged && !accepts)) return;
  }
  if (!joints_.empty()) joints_.measure_loads(step);
  if (dampers_) {  // damper_impulse() reads the rates at the end
    u_now_.setZero();
    for (Member& m : list_.members()) m.H.multiply_add(step.trials[size(m.group)].v, u_now_);
    list_.add_drift(u_now_);
  }
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const double p = p_all_[row(size(admitted_[k]))];
    if (p != 0.0) ++report.contacts;
    if (!law(size(admitted_[k])).bilateral()) report.impulse += p;
  }
}

void GeneralIsland::solve_stage(IslandStep& step, const Stage& stage, StepReport& report) {
  place(step);
  if (start_gaps_) start_gaps(step);
  if (powers_ || damped_ ||
      &stage != stages_.data())  // gaps of the iterate or after the position stage, for admit()
    end_gaps(step);
  warm_start(step, stage);
  if (falls_) start_slips();
  admit(step, stage);
  if (!admitted_.empty()) joints_.meet_contacts();
  // Passes end when the largest outstanding change is below tolerance; with contact it must also have stopped falling
  // into the noise: the contact solver works to the user's tolerance from the first pass on.
  // Rows on gaps that are curved functions of q take several even where the motion takes one: the gap is linear in the
  // impulse only about the iterate.
  const bool curved_gaps = powers_ || std::any_of(admitted_.begin(), admitted_.end(), [&](int i) {
                             return (!straight_ || list_[size(i)].joint_law >= 0) &&
                                    (on_positions(law(size(i)), stage) ||
                                     law(size(i)).rule == ContactLaw::Rule::compliant);
                           });
  // Of springs on joints the ratio of their ways is that of the iterate.
  const bool pulled =
      springs_ && std::any_of(admitted_.begin(), admitted_.end(), [&](int i) {
        return list_[size(i)].joint_law >= 0 && law(size(i)).rule == ContactLaw::Rule::compliant;
      });
  const bool falls = falls_ && stage.level == Level::velocity;
  const bool once = one_pass_ ? !curved_gaps && !falls && joints_.empty() : accept_one_;
  if (admitted_.empty() && free_motion_ && !detect_) {
    p_all_.setZero();
    return;
  }
  const StepOptions& options = model_.options();
  double outstanding = 0.0, residual = 0.0;
  double best = std::numeric_limits<double>::infinity(), best_before = best;
  int stagnant = 0;  // passes in a row that did not halve the smallest change so far
  int pass = 0;
  // Impulses are known to the tolerance of the contact solver: where passes no longer come closer, a change that it allows
  // is none.
  const auto satisfied = [&] {
    return outstanding <= options.pass_tolerance || (stagnant >= kStagnant && !admitted_.empty() &&
                                                     outstanding <= options.contact.tolerance);
  };
  bool solved = true, renews = true;
  do {
    ++pass;
    const int renewals = joints_.empty() ? kAxesPasses
                         : stagnant == 0 ? kJointPasses
                                         : kFewJointPasses;
    renews = renews && pass <= 1 + renewals;
    if (pass > 1 && renews && (!admitted_.empty() || detect_ || !joints_.empty())) follow(step);
    if (pass > 1 && (powers_ || detect_)) {
      end_gaps(step);
      admit(step, stage);
      if (!admitted_.empty()) joints_.meet_contacts();
    }
    for (Member& m : list_.members()) {
      Trial& trial = step.trials[size(m.group)];
      trial.pass = pass;
      group(m).scheme->linearise(*group(m).dynamics, trial);
    }
    if (!joints_.empty())
      report.finite =
          joints_.linearise(step, pass > 1 && steady_, !admitted_.empty()) && report.finite;
    if (!admitted_.empty()) {
      if (pass == 1 || !steady_) report.finite = report.finite && assemble(step);
      if (report.finite) right_hand_side(step, stage);
      if (!report.finite || !b_.allFinite()) {
        report.finite = false;
        break;
      }
      for (std::size_t k = 0; falls && k < admitted_.size(); ++k)
        strengthen(step.h, k, slip_[admitted_[k]]);
      // Mechanisms on wheels or feet: the load is shared anew as long as passes settle.
      solved_ = solve_problem(step, stage, !joints_.empty() && stagnant == 0);
      shown_ = true;
      report.iterations += solved_.iterations;
      residual = solved_.residual;
      report.finite = report.finite && p_.allFinite() && std::isfinite(solved_.residual);
      report.speed = std::max(report.speed, solved_.speed);
      report.closing = worse(report.closing, solved_.closing);
      solved = solved_.converged;
    }
    p_kept_ = p_all_;
    p_all_.setZero();
    for (std::size_t k = 0; k < problem_.size(); ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      p_all_[problem_[k]] = p_[at] + pressed_[at];
    }
    outstanding = 0.0;
    for (Member& m : list_.members()) {
      Trial& trial = step.trials[size(m.group)];
      trial.r.setZero();
      m.H.transpose_add(p_all_, trial.r);
    }
    if (!joints_.empty()) joints_.react(step);
    for (Member& m : list_.members())
      outstanding = worse(outstanding,
                          group(m).scheme->correct(*group(m).dynamics, step.trials[size(m.group)]));
    if (!joints_.empty()) outstanding = worse(outstanding, joints_.outstanding(step));
    if (falls && !admitted_.empty()) outstanding = worse(outstanding, slips(step));
    if ((one_pass_ && curved_gaps) || pulled) {
      double scale = p_all_.cwiseAbs().maxCoeff(), change = 0.0;
      if (!problem_.empty()) {
        rho_ = W_.diagonal().cwiseInverse();
        scale = std::max(scale, impulse_scale(step.energy, rho_));
      }
      if (one_pass_ && curved_gaps)
        change = (p_all_ - p_kept_).cwiseAbs().maxCoeff();
      else  // others may share their load in many ways
        for (const int i : admitted_)
          if (list_[size(i)].joint_law >= 0)
            change = worse(change, std::abs(p_all_[row(size(i))] - p_kept_[row(size(i))]));
      if (scale > kNothing) outstanding = worse(outstanding, change / scale);
    }
    best = std::min(best, outstanding);
    stagnant = outstanding > 0.5 * best_before ? stagnant + 1 : 0;
    best_before = best;
  } while (!once && !satisfied() && pass < options.pass_limit && std::isfinite(outstanding) &&
           !stop_requested());
  report.passes = std::max(report.passes, pass);
  report.residual = worse(report.residual, residual);
  report.outstanding = worse(report.outstanding, once ? 0.0 : outstanding);
  if (!solved || !report.finite || (!once && !satisfied())) {
    report.converged = false;
    report.group = list_.members().front().group;
    if (report.failure.empty() && report.finite)
      report.failure = !solved ? kContactLimit : stagnant >= kStagnant ? kStagnation : kPassLimit;
    if (!solved && report.finite) explain(report);
  }
  if (stage.level == Level::position) {
    std::fill(held_.begin(), held_.end(), '\0');
    for (std::size_t k = 0; k < admitted_.size(); ++k)
      held_[size(admitted_[k])] = p_[static_cast<Eigen::Index>(k)] > 0.0 ? 1 : 0;
    if (admitted_.empty() || !report.finite) return;
    end_gaps(step);
    report.residual_after = worse(report.residual_after, measure(step, stage, y_));
  }
}

// Whether anything solves the contact problem that was not solved.
void GeneralIsland::explain(StepReport& report) const {
  std::vector<SeenContact> contacts(admitted_.size());
  for (std::size_t k = 0; k < admitted_.size(); ++k)
    list_.see(size(admitted_[k]), 0.0, contacts[k]);
  report.detail = contradiction(model_, {W_.W(), b_, laws_, problem_}, contacts);
  if (!report.detail.empty()) report.failure = kContradiction;
}

double GeneralIsland::measure(IslandStep& step, const Stage& stage, const Vector& gap_end) {
  u_.setZero();
  if (stage.level == Level::velocity)
    for (Member& m : list_.members()) m.H.multiply_add(step.ends[size(m.group)].v, u_);
  list_.add_drift(u_);
  double heaviest = 0.0;  // of the rho of forces
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const int i = admitted_[k], r = row(size(i));
    const auto first = static_cast<Eigen::Index>(laws_[k].first);
    const ContactLaw& rule = law(size(i));
    double u = on_positions(rule, stage) ? gap_end[i] / step.h : u_[r];
    if (rule.rule == ContactLaw::Rule::compliant)
      u = spring_defect(step, static_cast<int>(first), i, gap_end[i]);
    u_end_[first] = u + law_term(step, stage, i);
    for (int a = 1; a < laws_[k].size; ++a) u_end_[first + a] = u_[r + a] + tangent_term(k, a);
    const auto step_of = [&](Eigen::Index from, Eigen::Index count, double other) {
      double trace = 0.0;
      for (Eigen::Index a = from; a < from + count; ++a) trace += W_.diagonal()[a];
      const double rho = trace > 0.0 ? static_cast<double>(count) / trace : other;
      rho_.segment(from, count).setConstant(rho);
      return rho;
    };
    const int forces = laws_[k].forces();
    const double rho_N = step_of(first, forces, 1.0);  // 1 kg: nothing can move it
    heaviest = std::max(heaviest, rho_N);
    if (forces < laws_[k].size) step_of(first + forces, laws_[k].size - forces, rho_N);
    if (falls_) strengthen(step.h, k, slip_of(k, u_end_));
  }
  return natural_map(laws_, rho_, u_end_, b_, p_, impulse_scale(step.energy, heaviest));
}

// The row of a spring on the finished state: what spring_row() divides by kappa, with P/(h kappa).
double GeneralIsland::spring_defect(const IslandStep& step, int k, int i, double gap_end) const {
  const ContactSpring& x = law(size(i)).spring;
  const int r = row(size(i));
  double F;
  if (x.linear()) {
    const double c = x.at == ContactSpring::At::middle ? 0.5 : 1.0;
    F = -x.stiffness * way_ratio(step.h, size(i), gap_end, u_[r]) *
            (c * gap_end + (1.0 - c) * y_start_[i]) -
        x.damping * (c * u_[r] + (1.0 - c) * rate_[r]);
  } else {
    F = spring(size(i), gap_end).force;
  }
  return compliance_[k] * (p_[k] - step.h * F);
}

void GeneralIsland::check(IslandStep& step, StepReport& report) {
  if (unprojected_) {
    report.finite = report.converged = false;
    report.group = list_.members().front().group;
    report.failure = kNoProjection;
  }
  measure_gaps(step, report);
  if (list_.detects()) find_passed(step);
  if (!admitted_.empty() && report.finite) {  // else the problem may not have been made
    report.residual_after = worse(report.residual_after, measure(step, stages_.back(), y_));
    if (damped_) find_overdamped(step);
    if (activates_) find_across(step);
    watch_.look(step, list_, admitted_, p_all_, y_, rate_, u_);
  }
  if (list_.counts_angles()) expect_counted(step, report);
}

// Behind measure_gaps().
void GeneralIsland::find_passed(IslandStep& step) {
  const auto start_of = [&](const Member& m) -> const Vector& {
    return step.trials[size(m.group)].start->q;
  };
  const auto acted = [&]() -> std::span<const std::array<int, 2>> {
    acted_.clear();
    for (std::size_t i = list_.named(); i < list_.count(); ++i)
      if (p_all_[row(i)] != 0.0) acted_.push_back(list_.bodies_of(i));
    std::sort(acted_.begin(), acted_.end());
    return acted_;
  };
  list_.find_passed(step.trials.front().t0, start_of, acted,
                    [&](const SurfaceFinder::Passed& passed) {
                      step.notices.add(Notice::Kind::crossed, passed.a, passed.b,
                                       [&] { return passed_text(model_, passed, step.h); });
                    });
}

// Kinetic energy at the start of the step of the bodies that a contact is between, of a law on a joint that of its mechanism [J];
// of a body that deforms that of its group.
double GeneralIsland::kinetic_of(const IslandStep& step, std::size_t i) const {
  double sum = 0.0;
  const auto add = [&](int g, int body) {
    const Dynamics& of = *model_.groups()[size(g)].dynamics;
    if (of.velocities() == 0) return;
    const GroupState& start = *step.trials[size(g)].start;
    if (const RigidData* const data = of.rigid()) {
      const Vector3 v = start.v.segment<3>(6 * body), omega = start.v.segment<3>(6 * body + 3);
      sum += 0.5 * (data->mass[size(body)] * v.squaredNorm() +
                    omega.dot(data->inertia[size(body)] * omega));
    } else {
      sum += of.energy(step.trials[size(g)].t0, start.q, start.v).kinetic;
    }
  };
  const IslandContact& c = list_[i];
  if (c.joint_law >= 0) {
    const auto joint = size(model_.joint_laws()[size(c.joint_law)].joint);
    const auto mechanism = static_cast<int>(mechanism_[joint]);
    for (auto one = std::lower_bound(joined_.begin(), joined_.end(), std::array{mechanism, 0, 0});
         one != joined_.end() && (*one)[0] == mechanism; ++one)
      add((*one)[1], (*one)[2]);
    return sum;
  }
  for (const IslandContact::Side& side : c.side)
    if (side.member >= 0) {
      const Member& m = list_.members()[size(side.member)];
      add(m.group, m.at[size(side.point)].body);
    }
  return sum;
}

// The bodies of each mechanism, each once.
void GeneralIsland::find_mechanisms() {
  mechanism_ = mechanisms(model_);
  for (std::size_t i = 0; i < mechanism_.size(); ++i)
    for (const JointSide* side : {&model_.joints()[i].a, &model_.joints()[i].b})
      if (side->group >= 0)
        joined_.push_back(
            {static_cast<int>(mechanism_[i]), side->group,
             model_.groups()[size(side->group)].dynamics->rigid() ? side->ref.body : 0});
  std::sort(joined_.begin(), joined_.end());
  joined_.erase(std::unique(joined_.begin(), joined_.end()), joined_.end());
}

// Behind measure(). A dashpot c in the middle of the step on a row of effective mass 1/W makes
//     u1 = -(z/2 - 1)/(z/2 + 1) u0,   z = h c W,
// which has turned round for z > 2. What turns less than a ten-thousandth of the energy of its bodies, or of their
// mechanism, does not matter; what others do, and how high all of them are, hides nothing but round-off.
void GeneralIsland::find_overdamped(IslandStep& step) {
  constexpr double kMost = 2.0, kTurned = 0.02, kEnergyShare = 1e-4, kRoundOff = 1e-12;
  if (stages_.back().level != Level::velocity) return;
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const auto i = size(admitted_[k]);
    const ContactLaw& rule = law(i);
    const ContactSpring& x = rule.spring;
    const auto first = static_cast<Eigen::Index>(laws_[k].first);
    if (rule.rule != ContactLaw::Rule::compliant || x.damping == 0.0 ||
        x.at != ContactSpring::At::middle || p_[first] == 0.0)
      continue;
    const double W = W_.diagonal()[first] - compliance_[first], z = step.h * x.damping * W;
    const double u0 = rate_[row(i)], u1 = u_[row(i)];
    if (!(z > kMost) || !(u0 * u1 < 0.0) || !(std::abs(u1) > kTurned * std::abs(u0)) ||
        !(0.5 * u0 * u0 >
          std::max(kEnergyShare * kinetic_of(step, i), kRoundOff * step.energy) * W))
      continue;
    step.notices.add(Notice::Kind::overdamped, list_[i].joint_law, list_[i].law,
                     [&] { return overdamped_text(model_, list_[i].joint_law, x, z, step.h); });
  }
}

// A velocity law lets a point in by where it would be without contact: over a long step that is far behind a surface which it
// never comes near. What ends above the surface by more than its size and more than it moved is held in the air.
void GeneralIsland::find_across(IslandStep& step) {
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const auto i = size(admitted_[k]);
    const auto first = static_cast<Eigen::Index>(laws_[k].first);
    const double gap = y_[admitted_[k]], P = p_all_[row(i)];
    if (!(P > 0.0) || !law(i).activated() || !(gap > 0.0) || law(i).cohesion > 0.0) continue;
    const double fastest = std::max(std::abs(rate_[row(i)]), std::abs(u_[row(i)]));
    if (!(gap > 2.0 * step.h * fastest) || i < list_.named() || !(gap > list_.size_of(i))) continue;
    const auto [a, b] = list_.bodies_of(i);
    // the point would fall a = W P/h: sqrt(2 gap/a) is its time to the surface
    const double time = std::sqrt(2.0 * gap * step.h / (W_.diagonal()[first] * P));
    step.notices.add(Notice::Kind::across, a, b,
                     [&] { return across_text(model_, a, b, gap, step.h, time); });
  }
}

// Springs and stops of angles that are counted no longer: beyond half a turn from where they look for it, or after a step of
// more than half a turn by the mean rate, |h (u0 + u1)/2| > pi, whose ends are those of a shorter way too.
void GeneralIsland::expect_counted(IslandStep& step, StepReport& report) {
  int lost = list_.lost_angle([&](std::size_t i) { return y_[static_cast<Eigen::Index>(i)]; });
  std::string_view why = kHalfTurn;
  u_.setZero();
  for (Member& m : list_.members()) m.H.multiply_add(step.ends[size(m.group)].v, u_);
  list_.add_drift(u_);
  for (std::size_t i = 0; i < list_.named() && lost < 0; ++i)
    if (list_[i].counted &&
        std::abs(0.5 * step.h * (rate_[row(i)] + u_[row(i)])) > std::numbers::pi) {
      lost = list_[i].joint_law;
      why = kFastTurn;
    }
  if (lost < 0) return;
  report.finite = report.converged = false;
  report.group = list_.members().front().group;
  report.failure = why;
  report.joint_law = lost;
}

void GeneralIsland::measure_gaps(IslandStep& step, StepReport& report) {
  const double t = step.trials.front().t0 + step.h;
  const auto end_of = [&](const Member& m) -> const Vector& { return step.ends[size(m.group)].q; };
  list_.gaps(t, end_of, y_);
  for (std::size_t i = 0; i < list_.named(); ++i)
    if (!law(i).bilateral()) report.gap = -worse(-report.gap, -y_[static_cast<Eigen::Index>(i)]);
  if (list_.detects()) {
    surface_gap_ = list_.least_gap(t, end_of);
    report.gap = -worse(-report.gap, -surface_gap_);
  }
  if (!joints_.empty()) report.joint_gap = worse(report.joint_gap, joints_.gap(step));
}

// Positions alone, by Newton's method on the gaps: with A = M,  y + h W p >= 0 perp p >= 0,
//     q1 <- q1 (+) h M^-1 (H^T p + G^T L),   g + h G M^-1 (H^T p + G^T L) = 0.
bool GeneralIsland::project(IslandStep& step, StepReport& report) {
  const bool closed = !joints_.empty() && joints_.closes() && close_joints(step, report);
  if (closed) measure_gaps(step, report);
  if (!report.finite || !model_.options().correct_positions || !list_.detects() ||
      !(surface_gap_ < -list_.slack()))
    return closed;
  const double t = step.trials.front().t0 + step.h, deepest = -surface_gap_;
  double gap = surface_gap_;
  seen_.clear();
  see_now(seen_);
  projected_ = true;
  const auto at_end = [&](const Member& m) -> Vector& { return step.ends[size(m.group)].q; };
  for (Member& m : list_.members()) m.q = m.axes = at_end(m);
  list_.detect(t);
  size_vectors();
  p_all_.setZero();
  list_.make_rows(step.trials, rate_);
  admitted_.clear();
  problem_.clear();
  laws_.clear();
  for (std::size_t i = list_.named(); i < list_.count(); ++i) {
    laws_.push_back({LawKind::unilateral, static_cast<int>(problem_.size()), 1});
    admitted_.push_back(static_cast<int>(i));
    problem_.push_back(row(i));
  }
  const auto n = static_cast<Eigen::Index>(problem_.size());
  for (Vector* x : {&b_, &p_}) x->resize(n);
  masses(step);
  if ((!joints_.empty() && !joints_.place_ends(step)) || !assemble(step)) {
    report.finite = false;
    report.group = list_.members().front().group;
    report.failure = kNoPlace;
    return false;
  }
  constexpr int kPasses = 4;
  bool moved = closed;
  for (int pass = 0; pass < kPasses && gap < -1e-3 * deepest; ++pass) {
    list_.gaps(t, at_end, y_);
    for (Eigen::Index k = 0; k < n; ++k)
      b_[k] = y_[admitted_[static_cast<std::size_t>(k)]] / step.h;
    p_.setZero();
    step.solver.active.clear();
    const SolveReport found = model_.solver().solve({W_.W(), b_, laws_, problem_},
                                                    model_.options().contact, step.solver, p_);
    report.iterations += found.iterations;
    if (!found.converged) {
      report.converged = false;
      report.group = list_.members().front().group;
      report.failure = kNoPlace;
      break;
    }
    p_all_.setZero();
    for (Eigen::Index k = 0; k < n; ++k) p_all_[problem_[static_cast<std::size_t>(k)]] = p_[k];
    for (Member& m : list_.members()) {
      Trial& trial = step.trials[size(m.group)];
      if (trial.v.size() == 0) continue;
      trial.r.setZero();
      m.H.transpose_add(p_all_, trial.r);
    }
    move(step);
    if (!joints_.empty()) move_joints(step);  // what the turn of a move leaves of them
    moved = true;
    gap = list_.least_gap(t, at_end);
  }
  if (moved && !joints_.empty()) {
    masses(step);
    report.finite = joints_.keep_rates(step) && report.finite;
  }
  return moved;
}

/// trial.A = M at the ends, m.q.
void GeneralIsland::masses(IslandStep& step) {
  for (Member& m : list_.members()) {
    Trial& trial = step.trials[size(m.group)];
    if (trial.v.size() > 0)
      group(m).dynamics->factorise({1.0, 0.0, 0.0}, trial.t0 + trial.h, m.q, trial.start->v,
                                   trial.A);
    trial.factorised = false;
  }
}

/// The ends by h M^-1 (r + G^T L), joints closed; r is 0 behind it.
void GeneralIsland::move(IslandStep& step) {
  if (!joints_.empty()) joints_.hold_ends(step);
  for (Member& m : list_.members()) {
    Trial& trial = step.trials[size(m.group)];
    Vector& q = step.ends[size(m.group)].q;
    if (trial.v.size() == 0) continue;
    saltus::solve(trial.A, trial.r);
    trial.r *= step.h;
    group(m).dynamics->retract(q, trial.r, m.q);
    q = m.q;
    trial.r.setZero();
  }
}

void GeneralIsland::move_joints(IslandStep& step) {
  constexpr int kClosings = 4;
  double open = joints_.gap(step);
  for (int k = 0; k < kClosings && open > joints_.noise(); ++k) {
    move(step);
    open = joints_.gap(step);
  }
}

// Rates that jumped were held at the end of the step, so that its positions missed them in part of it.
bool GeneralIsland::close_joints(IslandStep& step, StepReport& report) {
  for (Member& m : list_.members()) {
    m.q = m.axes = step.ends[size(m.group)].q;
    step.trials[size(m.group)].r.setZero();
  }
  masses(step);
  report.finite = joints_.place_ends(step) && report.finite;
  if (!report.finite) return false;
  move_joints(step);
  masses(step);
  report.finite = joints_.keep_rates(step) && report.finite;
  return true;
}

void GeneralIsland::show(const IslandStep& step, int island, ContactObserver& observer) const {
  if (!shown_ || admitted_.empty()) return;
  const ContactProblem problem{W_.W(), b_, laws_, problem_};
  observer.solved({island, step.trials.front().t0, step.h, problem, p_, solved_});
}

// A bond is lost where it bears all it can, P = -h c, and opens: u > 0, beyond what the solver leaves of it. Others may bear what
// is more, and it stays.
void GeneralIsland::remember(std::vector<ContactMemory>& contacts) const {
  Vector u;
  const auto opens = [&](int k, double c) {
    if (u.size() == 0) {
      u.resize(b_.size());
      W_.W().apply(p_, u);
      u += b_;
    }
    return u[k] > model_.options().contact.tolerance * W_.W().entry(k, k) * h_ * c;
  };
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const auto i = size(admitted_[k]);
    const IslandContact& c = list_[i];
    ContactMemory memory{c.key};
    for (int a = 0; a < c.rows(); ++a)
      (a <= c.tangents ? memory.impulse[a] : memory.moment[c.axis_of(a)]) = p_all_[c.first_row + a];
    const int first = laws_[k].first;
    const double strength = law(i).cohesion;
    if (strength > 0.0 ? bonded_[i] != 0 && (p_[first] > 0.0 || !opens(first, strength))
                       : !memory.impulse.isZero(0.0))
      contacts.push_back(memory);
  }
}

void GeneralIsland::point_impulses(std::vector<PointImpulse>& list) const {
  for (std::size_t i = 0; i < list_.named(); ++i)
    if (list_[i].joint_law >= 0) {
      const JointLaw& on = model_.joint_laws()[size(list_[i].joint_law)];
      joints_.system().point_impulses(on.joint, on.coordinate, on.sign * p_all_[list_[i].first_row],
                                      [&](int g, const PointRef& at, const Vector3& p) {
                                        list.push_back({g, at, p});
                                      });
    }
  for (std::size_t i = list_.named(); i < list_.count(); ++i) {
    const IslandContact& c = list_[i];
    Vector3 p = Vector3::Zero();  // on side 0
    for (int a = 0; a <= c.tangents; ++a) p += p_all_[c.first_row + a] * c.direction[size(a)];
    if (p.isZero(0.0)) continue;
    for (std::size_t s = 0; s < 2; ++s) {
      const IslandContact::Side& side = c.side[s];
      if (side.member < 0) continue;
      const Member& m = list_.members()[size(side.member)];
      if (group(m).dynamics->prescribed() > 0)
        list.push_back({m.group, m.at[size(side.point)], s == 0 ? p : Vector3(-p)});
    }
  }
}

void GeneralIsland::see(const Model&, double, std::vector<SeenContact>& contacts) const {
  if (projected_)
    contacts.insert(contacts.end(), seen_.begin(), seen_.end());
  else
    see_now(contacts);
}

void GeneralIsland::see_now(std::vector<SeenContact>& contacts) const {
  const std::size_t first = contacts.size();
  for (std::size_t i = 0; i < list_.count(); ++i) {
    const IslandContact& c = list_[i];
    SeenContact& seen = contacts.emplace_back();
    list_.see(i, y_[static_cast<Eigen::Index>(i)], seen);
    for (int a = 0; a < c.rows(); ++a)
      (a <= c.tangents ? seen.view.impulse[a] : seen.view.moment[c.axis_of(a)]) =
          p_all_[c.first_row + a];
  }
  for (std::size_t k = 0; k < admitted_.size(); ++k)
    contacts[first + size(admitted_[k])].view.status = status(k);
}

// Of contact k of the last problem, with the impulses that its cone is for: with the pull of cohesion, without the pressing
// of Poisson's law.
ContactView::Status GeneralIsland::status(std::size_t k) const {
  const std::size_t i = size(admitted_[k]);
  const Law& entry = laws_[k];
  using Status = ContactView::Status;
  if (p_all_.segment(row(i), list_[i].rows()).isZero(0.0)) return Status::open;
  const double p = p_[entry.first];
  if (entry.kind == LawKind::box)
    return slides(entry.bound, std::abs(p), 1.0) ? Status::slides : Status::sticks;
  const int forces = entry.forces();
  if (forces < 2 || !(entry.friction > 0.0)) return Status::closed;
  const double tangential = p_.segment(entry.first + 1, forces - 1).norm();
  return slides(p, tangential, entry.friction) ? Status::slides : Status::sticks;
}

/// The part -h C (c u1 + (1 - c) u0) of a spring and damper on a joint; 0 of other contacts.
double GeneralIsland::damper_impulse(std::size_t i) const {
  const ContactLaw& rule = law(i);
  if (list_[i].joint_law < 0 || rule.rule != ContactLaw::Rule::compliant) return 0.0;
  const double c = rule.spring.at == ContactSpring::At::middle ? 0.5 : 1.0;
  return -h_ * rule.spring.damping * (c * u_now_[row(i)] + (1.0 - c) * rate_[row(i)]);
}

bool GeneralIsland::damping(int g, Out r) const {
  if (!dampers_) return false;
  for (const Member& m : list_.members()) {
    if (m.group != g) continue;
    Vector& p = p_friction_;
    p.setZero(p_all_.size());
    for (std::size_t i = 0; i < list_.named(); ++i) p[row(i)] = damper_impulse(i);
    r.setZero();
    m.H.transpose_add(p, r);
    return true;
  }
  return false;
}

// P . (d0 + d1)/2 with the velocities d of the points by themselves, and of the surface that rubs under a relay.
DriftWork GeneralIsland::drift_work() const {
  DriftWork sum;
  sum.joints = joints_.drift_work();
  for (std::size_t i = 0; i < list_.count(); ++i)
    for (int a = 0; a < list_[i].rows(); ++a) {
      const double p = p_all_[row(i) + a];
      if (p == 0.0) continue;
      double d = list_.mean_drift(i, a);
      const bool relay = law(i).rule == ContactLaw::Rule::relay, slides = a > 0 || relay;
      if (relay) d -= law(i).velocity;  // of the surface
      (slides ? sum.friction : sum.normal) += p * d;
      if (a > 0) continue;
      const double damped = damper_impulse(i) * d;
      sum.damping += damped;
      sum.normal -= damped;
    }
  return sum;
}

// Tangents, moments and relays: what acts against sliding and turning.
bool GeneralIsland::friction(int g, Out r) const {
  for (const Member& m : list_.members()) {
    if (m.group != g) continue;
    Vector& p = p_friction_;
    p = p_all_;
    for (std::size_t i = 0; i < list_.count(); ++i)
      if (law(i).rule != ContactLaw::Rule::relay) p[row(i)] = 0.0;
    r.setZero();
    m.H.transpose_add(p, r);
    return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<Island> general_island(const Model& model, std::vector<int> groups,
                                       std::vector<int> pairs) {
  return std::make_unique<GeneralIsland>(model, std::move(groups), std::move(pairs));
}

}  // namespace saltus
