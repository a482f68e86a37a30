// Any groups against each other and the world. Points are taken once a step, at the contact instant of the scene; rows
// on the body axes of each scheme, which follow the iterate for the first passes; linearisation, W and the contact
// solution are renewed in every pass, so that nonlinearity and contact converge together. Schemes with several stages
// solve one contact problem after another in the step.
#include <algorithm>
#include <cmath>

#include "saltus/contact/residual.h"
#include "saltus/contact/rows.h"
#include "saltus/sim/island.h"

namespace saltus {
namespace {

// On the axes of the prediction an impulse would turn a body wrongly in O(h). Each renewal gains an order; then the
// axes stay, lest they keep the last passes from converging.
constexpr int kAxesPasses = 3;

class GeneralIsland final : public Island {
 public:
  GeneralIsland(const Model& model, std::vector<int> groups, std::vector<int> pairs);
  void prepare(std::span<const Trial>) override {}
  void forget() override {}
  void solve(IslandStep& step, StepReport& report) override;
  void check(IslandStep& step, StepReport& report) override;
  void remember(std::vector<ContactMemory>& contacts) const override;

 private:
  /// The part of one group in the island: its points, in order of the pairs that use them.
  struct Member {
    int group;
    std::vector<PointRef> at;
    Vector q, axes, x, drift0, drift1, w;
    PointRows J;
    GroupRows H;
  };
  /// Point number of each side of a pair in its member, -1: the world.
  struct Side {
    int member = -1, point = 0;
  };

  const ContactPair& pair(std::size_t i) const {
    return model_.pairs()[static_cast<std::size_t>(pairs_[i])];
  }
  const ContactLaw& law(std::size_t i) const {
    return model_.laws()[static_cast<std::size_t>(pair(i).law)];
  }
  const Group& group(const Member& m) const { return model_.groups()[size(m.group)]; }
  static std::size_t size(int i) { return static_cast<std::size_t>(i); }
  double fraction() const;
  template <class Configuration>
  void gaps(double t, Configuration&& q_of, Vector& gap);
  void place(IslandStep& step);
  void rows(IslandStep& step);
  void admit(IslandStep& step, const Stage& stage);
  void warm_start(IslandStep& step, const Stage& stage);
  bool assemble(IslandStep& step);
  bool on_positions(const ContactLaw& rule, const Stage& stage) const {
    return stage.level == Level::position || rule.position_level();
  }
  void right_hand_side(IslandStep& step, const Stage& stage);
  void start_gaps(IslandStep& step);
  void solve_stage(IslandStep& step, const Stage& stage, StepReport& report);
  /// Natural map of the admitted rows, with u on the finished state.
  double measure(IslandStep& step, const Stage& stage, const Vector& gap_end);

  const Model& model_;
  std::vector<int> pairs_;
  std::vector<Member> members_;
  std::vector<std::array<Side, 2>> sides_;
  std::span<const Stage> stages_;
  bool one_pass_ = true;  ///< every group takes one pass
  bool straight_ = true;  ///< rows of every group are constant
  bool paoli_ = false;
  std::vector<int> admitted_;  ///< pairs in the problem, by place in pairs_
  std::vector<char> held_;     ///< pairs that carried an impulse in the position stage of this step
  std::vector<Law> laws_;
  DenseDelassus W_;
  Matrix X_;
  Vector gap_, rate_, y_, y_start_, b_, p_, p_before_, rho_, u_, u_end_;
  Vector u_free_, ahead_, p_all_;
};

GeneralIsland::GeneralIsland(const Model& model, std::vector<int> groups, std::vector<int> pairs)
    : model_(model), pairs_(std::move(pairs)) {
  for (int g : groups) {
    Member member;
    member.group = g;
    const Dynamics& body = *model.groups()[size(g)].dynamics;
    member.q.resize(body.positions());
    member.axes.resize(body.positions());
    members_.push_back(std::move(member));
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    std::array<Side, 2> sides;
    const ContactSide* ends[2] = {&pair(i).a, &pair(i).b};
    for (std::size_t s = 0; s < 2; ++s) {
      if (ends[s]->group < 0) continue;
      const auto m = std::find_if(members_.begin(), members_.end(),
                                  [&](const Member& x) { return x.group == ends[s]->group; });
      sides[s] = {static_cast<int>(m - members_.begin()), static_cast<int>(m->at.size())};
      m->at.push_back(ends[s]->ref);
    }
    sides_.push_back(sides);
  }
  for (Member& member : members_) {
    const auto n = 3 * static_cast<Eigen::Index>(member.at.size());
    member.x.resize(n);
    member.drift0.resize(n);
    member.drift1.resize(n);
  }
  const auto n = static_cast<Eigen::Index>(pairs_.size());
  for (Vector* x : {&gap_, &rate_, &y_, &y_start_, &u_free_, &ahead_, &p_all_}) x->resize(n);
  held_.resize(pairs_.size());
  for (const Member& m : members_) {
    one_pass_ = one_pass_ && group(m).scheme->one_pass(*group(m).dynamics);
    straight_ = straight_ && has(group(m).dynamics->traits(), Trait::fixed_points);
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    paoli_ = paoli_ || law(i).rule == ContactLaw::Rule::schatzman_paoli;
  stages_ = group(members_.front()).scheme->stages();
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

// gap = n . (x_a - x_b)
template <class Configuration>
void GeneralIsland::gaps(double t, Configuration&& q_of, Vector& gap) {
  for (Member& m : members_) model_.groups()[size(m.group)].dynamics->points(t, q_of(m), m.at, m.x);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const ContactPair& c = pair(i);
    Vector3 x[2] = {c.a.ref.local, c.b.ref.local};
    for (std::size_t s = 0; s < 2; ++s)
      if (sides_[i][s].member >= 0)
        x[s] = members_[size(sides_[i][s].member)].x.segment<3>(3 * sides_[i][s].point);
    gap[static_cast<Eigen::Index>(i)] = c.normal.dot(x[0] - x[1]);
  }
}

// H of all pairs, u0 = H v0 + d0
void GeneralIsland::rows(IslandStep& step) {
  const int n = static_cast<int>(pairs_.size());
  rate_.setZero();
  for (Member& m : members_) {
    const Dynamics& body = *group(m).dynamics;
    const Scheme& scheme = *group(m).scheme;
    const Trial& trial = step.trials[size(m.group)];
    const bool turns = has(body.traits(), Trait::rotations);
    if (turns) scheme.place(body, trial, scheme.axes_at(), m.axes);
    body.point_rows(m.q, turns ? m.axes : m.q, m.at, m.J);
    body.point_drift(trial.t0, m.q, m.at, m.drift0);
    body.point_drift(trial.t0 + trial.h, m.q, m.at, m.drift1);
    m.H.clear(n);
    for (int i = 0; i < n; ++i)
      for (std::size_t s = 0; s < 2; ++s) {
        const Side& side = sides_[size(i)][s];
        if (side.member < 0 || &members_[size(side.member)] != &m) continue;
        const double sign = s == 0 ? 1.0 : -1.0;
        m.H.add(i, sign, pair(size(i)).normal, m.J, side.point);
        rate_[i] += sign * pair(size(i)).normal.dot(m.drift0.segment<3>(3 * side.point));
      }
    m.H.finish();
    m.H.multiply_add(trial.start->v, rate_);
  }
}

// Position rows are all in the problem. Velocity rows where  g + w h u <= threshold  (and u <= its threshold); after a
// position stage those that carried an impulse in it or are closed after it.
void GeneralIsland::admit(IslandStep& step, const Stage& stage) {
  admitted_.clear();
  laws_.clear();
  const bool after_positions = &stage != stages_.data();
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const ContactLaw& rule = law(i);
    const auto k = static_cast<Eigen::Index>(i);
    const Activation& active = rule.activation;
    const bool equal = rule.rule == ContactLaw::Rule::equality;
    bool in;
    if (stage.level == Level::position)
      in = !equal;
    else if (equal || rule.position_level())
      in = true;
    else if (after_positions)
      in = held_[i] != 0 || y_[k] <= 0.0;
    else
      in = gap_[k] + active.forecast * step.h * rate_[k] <= active.threshold &&
           (!active.closing_only || rate_[k] <= active.velocity_threshold);
    if (!in) continue;
    laws_.push_back(
        {equal ? LawKind::equality : LawKind::unilateral, static_cast<int>(admitted_.size()), 1});
    admitted_.push_back(static_cast<int>(i));
  }
}

// W = sum over the groups of H A^-1 H^T on the admitted rows
bool GeneralIsland::assemble(IslandStep& step) {
  const auto m = static_cast<Eigen::Index>(admitted_.size());
  W_.W.setZero(m, m);
  W_.is_symmetric = true;
  for (Member& member : members_) {
    const Factor& A = step.trials[size(member.group)].A;
    member.H.response_add(A, group(member).dynamics->velocities(), admitted_, X_, W_.W);
    W_.is_symmetric = W_.is_symmetric && symmetric(A);
  }
  if (W_.is_symmetric)
    for (Eigen::Index i = 0; i < m; ++i)
      for (Eigen::Index j = 0; j < i; ++j)
        W_.W(i, j) = W_.W(j, i) = 0.5 * (W_.W(i, j) + W_.W(j, i));
  return W_.W.allFinite();
}

// position rows: b = y(q)/h + gain H (v_free - v) (+ e y_-/h);   velocity rows: b = H v_free + d1 + e u0
void GeneralIsland::right_hand_side(IslandStep& step, const Stage& stage) {
  bool position = false;
  for (int i : admitted_) position = position || on_positions(law(size(i)), stage);
  if (position)
    gaps(
        step.trials.front().t0 + step.h,
        [&](const Member& m) -> const Vector& { return step.trials[size(m.group)].q; }, y_);
  u_free_.setZero();
  ahead_.setZero();
  for (Member& m : members_) {
    const Trial& trial = step.trials[size(m.group)];
    m.H.multiply_add(trial.v_free, u_free_);
    if (!position) continue;
    m.w = trial.gain * (trial.v_free - trial.v);
    m.H.multiply_add(m.w, ahead_);
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    for (std::size_t s = 0; s < 2; ++s)
      if (const Side& side = sides_[i][s]; side.member >= 0)
        u_free_[static_cast<Eigen::Index>(i)] +=
            (s == 0 ? 1.0 : -1.0) *
            pair(i).normal.dot(members_[size(side.member)].drift1.segment<3>(3 * side.point));
  b_.resize(static_cast<Eigen::Index>(admitted_.size()));
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const int i = admitted_[k];
    const ContactLaw& rule = law(size(i));
    double b = u_free_[i];
    if (on_positions(rule, stage)) b = y_[i] / step.h + ahead_[i];
    if (rule.rule == ContactLaw::Rule::schatzman_paoli)  // y_- = y0 - h u0 on the rows of this step
      b += rule.restitution * (y_start_[i] / step.h - rate_[i]);
    else if (rule.rule == ContactLaw::Rule::newton_impact && stage.level == Level::velocity)
      b += rule.restitution * rate_[i];
    b_[static_cast<Eigen::Index>(k)] = b;
  }
}

void GeneralIsland::start_gaps(IslandStep& step) {
  gaps(
      step.trials.front().t0,
      [&](const Member& m) -> const Vector& { return step.trials[size(m.group)].start->q; },
      y_start_);
}

// Configurations at the contact instant, gaps and rows there.
void GeneralIsland::place(IslandStep& step) {
  const double at = fraction();
  for (Member& m : members_)
    group(m).scheme->place(*group(m).dynamics, step.trials[size(m.group)], at, m.q);
  gaps(
      step.trials.front().t0 + at * step.h, [](const Member& m) -> const Vector& { return m.q; },
      gap_);
  rows(step);
}

void GeneralIsland::warm_start(IslandStep& step, const Stage& stage) {
  p_.setZero(static_cast<Eigen::Index>(admitted_.size()));
  if (stage.level == Level::position) return;
  auto memory = step.before.begin();
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const std::uint64_t key = pair(size(admitted_[k])).key;
    while (memory != step.before.end() && memory->key < key) ++memory;
    if (memory != step.before.end() && memory->key == key)
      p_[static_cast<Eigen::Index>(k)] = memory->impulse.x();
  }
}

void GeneralIsland::solve(IslandStep& step, StepReport& report) {
  for (const Stage& stage : stages_) {
    const bool first = &stage == stages_.data();
    for (Member& m : members_) {
      Trial& trial = step.trials[size(m.group)];
      trial.r.setZero();
      if (first) continue;
      ++trial.stage;
      trial.pass = 0;
      group(m).scheme->begin(*group(m).dynamics, trial);
    }
    solve_stage(step, stage, report);
    if (!report.finite || !report.converged) return;
  }
  for (Eigen::Index k = 0; k < p_.size(); ++k) {
    if (p_[k] != 0.0) ++report.contacts;
    if (laws_[static_cast<std::size_t>(k)].kind == LawKind::unilateral) report.impulse += p_[k];
  }
}

void GeneralIsland::solve_stage(IslandStep& step, const Stage& stage, StepReport& report) {
  place(step);
  if (paoli_) start_gaps(step);
  if (&stage != stages_.data())  // gaps after the position stage, for admit()
    gaps(
        step.trials.front().t0 + step.h,
        [&](const Member& m) -> const Vector& { return step.trials[size(m.group)].q; }, y_);
  admit(step, stage);
  warm_start(step, stage);
  // Passes end when the largest outstanding change is below tolerance; with contact it must also have stopped falling
  // into the noise: the contact solver works to the user's tolerance from the first pass on.
  // Rows on gaps that are curved functions of q take several even where the motion takes one: the gap is linear in the
  // impulse only about the iterate.
  const bool curved_gaps =
      !straight_ && std::any_of(admitted_.begin(), admitted_.end(),
                                [&](int i) { return on_positions(law(size(i)), stage); });
  const bool once = one_pass_ && !curved_gaps;
  const StepOptions& options = model_.options();
  double outstanding = 0.0, residual = 0.0;
  int pass = 0;
  bool solved = true;
  do {
    ++pass;
    if (pass > 1 && pass <= 1 + kAxesPasses && !admitted_.empty()) rows(step);
    for (Member& m : members_) {
      Trial& trial = step.trials[size(m.group)];
      trial.pass = pass;
      group(m).scheme->linearise(*group(m).dynamics, trial);
    }
    if (!admitted_.empty()) {
      report.finite = report.finite && assemble(step);
      if (report.finite) right_hand_side(step, stage);
      if (!report.finite || !b_.allFinite()) {
        report.finite = false;
        break;
      }
      step.solver.active.clear();
      p_before_ = p_;
      const SolveReport found =
          model_.solver().solve({W_, b_, laws_, admitted_}, options.contact, step.solver, p_);
      report.iterations += found.iterations;
      residual = found.residual;
      report.finite = report.finite && p_.allFinite() && std::isfinite(found.residual);
      solved = found.converged;
    }
    p_all_.setZero();
    for (std::size_t k = 0; k < admitted_.size(); ++k)
      p_all_[admitted_[k]] = p_[static_cast<Eigen::Index>(k)];
    outstanding = 0.0;
    for (Member& m : members_) {
      Trial& trial = step.trials[size(m.group)];
      trial.r.setZero();
      m.H.transpose_add(p_all_, trial.r);
      outstanding = worse(outstanding, group(m).scheme->correct(*group(m).dynamics, trial));
    }
    if (one_pass_ && curved_gaps) {
      rho_ = W_.W.diagonal().cwiseInverse();
      const double scale = std::max(p_.cwiseAbs().maxCoeff(), impulse_scale(step.energy, rho_));
      if (scale > 0.0)
        outstanding = worse(outstanding, (p_ - p_before_).cwiseAbs().maxCoeff() / scale);
    }
  } while (!once && outstanding > options.pass_tolerance && pass < options.pass_limit &&
           std::isfinite(outstanding));
  report.passes = std::max(report.passes, pass);
  report.residual = worse(report.residual, residual);
  report.outstanding = worse(report.outstanding, once ? 0.0 : outstanding);
  if (!solved || !report.finite || (!once && !(outstanding <= options.pass_tolerance))) {
    report.converged = false;
    report.group = members_.front().group;
  }
  if (stage.level == Level::position) {
    std::fill(held_.begin(), held_.end(), '\0');
    for (std::size_t k = 0; k < admitted_.size(); ++k)
      held_[size(admitted_[k])] = p_[static_cast<Eigen::Index>(k)] > 0.0 ? 1 : 0;
    if (admitted_.empty() || !report.finite) return;
    gaps(
        step.trials.front().t0 + step.h,
        [&](const Member& m) -> const Vector& { return step.trials[size(m.group)].q; }, y_);
    report.residual_after = worse(report.residual_after, measure(step, stage, y_));
  }
}

double GeneralIsland::measure(IslandStep& step, const Stage& stage, const Vector& gap_end) {
  u_.setZero(static_cast<Eigen::Index>(pairs_.size()));
  if (stage.level == Level::velocity)
    for (Member& m : members_) m.H.multiply_add(step.ends[size(m.group)].v, u_);
  const auto n = static_cast<Eigen::Index>(admitted_.size());
  rho_.resize(n);
  u_end_.resize(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const int i = admitted_[static_cast<std::size_t>(k)];
    const ContactLaw& rule = law(size(i));
    double u = u_[i];
    for (std::size_t s = 0; s < 2; ++s)
      if (const Side& side = sides_[size(i)][s]; side.member >= 0)
        u +=
            (s == 0 ? 1.0 : -1.0) *
            pair(size(i)).normal.dot(members_[size(side.member)].drift1.segment<3>(3 * side.point));
    if (on_positions(rule, stage)) u = gap_end[i] / step.h;
    if (rule.rule == ContactLaw::Rule::schatzman_paoli)
      u += rule.restitution * (y_start_[i] / step.h - rate_[i]);
    else if (rule.rule == ContactLaw::Rule::newton_impact && stage.level == Level::velocity)
      u += rule.restitution * rate_[i];
    u_end_[k] = u;
    rho_[k] = 1.0 / W_.W(k, k);
  }
  return natural_map(laws_, rho_, u_end_, b_, p_, impulse_scale(step.energy, rho_));
}

void GeneralIsland::check(IslandStep& step, StepReport& report) {
  gaps(
      step.trials.front().t0 + step.h,
      [&](const Member& m) -> const Vector& { return step.ends[size(m.group)].q; }, y_);
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    if (law(i).rule != ContactLaw::Rule::equality)
      report.gap = -worse(-report.gap, -y_[static_cast<Eigen::Index>(i)]);
  if (!admitted_.empty())
    report.residual_after = worse(report.residual_after, measure(step, stages_.back(), y_));
}

void GeneralIsland::remember(std::vector<ContactMemory>& contacts) const {
  for (std::size_t k = 0; k < admitted_.size(); ++k)
    if (p_[static_cast<Eigen::Index>(k)] != 0.0)
      contacts.push_back({pair(size(admitted_[k])).key,
                          Vector3(p_[static_cast<Eigen::Index>(k)], 0.0, 0.0), Vector3::Zero()});
}

}  // namespace

std::unique_ptr<Island> general_island(const Model& model, std::vector<int> groups,
                                       std::vector<int> pairs) {
  return std::make_unique<GeneralIsland>(model, std::move(groups), std::move(pairs));
}

}  // namespace saltus
