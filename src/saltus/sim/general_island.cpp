// Any groups against each other and the world. Points are taken once a step, at the contact instant of the scene; rows
// on the body axes of each scheme, which follow the iterate for the first passes; linearisation, W and the contact
// solution are renewed in every pass, so that nonlinearity and contact converge together.
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
    Vector q, axes, x, drift0, drift1;
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
  static std::size_t size(int i) { return static_cast<std::size_t>(i); }
  double fraction() const;
  template <class Configuration>
  void gaps(double t, Configuration&& q_of, Vector& gap);
  void rows(IslandStep& step);
  void admit(IslandStep& step);
  bool assemble(IslandStep& step);
  void right_hand_side(IslandStep& step);

  const Model& model_;
  std::vector<int> pairs_;
  std::vector<Member> members_;
  std::vector<std::array<Side, 2>> sides_;
  std::vector<int> admitted_;  ///< pairs in the problem, by place in pairs_
  std::vector<Law> laws_;
  DenseDelassus W_;
  Matrix X_;
  Vector gap_, rate_, y_, b_, p_, u_, u0_, rho_, w_;
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
  gap_.resize(n);
  rate_.resize(n);
  y_.resize(n);
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
    const Group& group = model_.groups()[size(m.group)];
    const Trial& trial = step.trials[size(m.group)];
    group.scheme->place(*group.dynamics, trial, group.scheme->axes_at(), m.axes);
    group.dynamics->point_rows(m.q, m.axes, m.at, m.J);
    group.dynamics->point_drift(trial.t0, m.q, m.at, m.drift0);
    group.dynamics->point_drift(trial.t0 + trial.h, m.q, m.at, m.drift1);
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

void GeneralIsland::admit(IslandStep& step) {
  admitted_.clear();
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const ContactLaw& rule = law(i);
    const auto k = static_cast<Eigen::Index>(i);
    const Activation& active = rule.activation;
    if (rule.position_level() || rule.rule == ContactLaw::Rule::equality ||
        (gap_[k] + active.forecast * step.h * rate_[k] <= active.threshold &&
         (!active.closing_only || rate_[k] <= active.velocity_threshold)))
      admitted_.push_back(static_cast<int>(i));
  }
  laws_.clear();
  for (std::size_t k = 0; k < admitted_.size(); ++k)
    laws_.push_back({law(size(admitted_[k])).rule == ContactLaw::Rule::equality
                         ? LawKind::equality
                         : LawKind::unilateral,
                     static_cast<int>(k), 1});
}

// W = sum over the groups of H A^-1 H^T on the admitted rows
bool GeneralIsland::assemble(IslandStep& step) {
  const auto n = static_cast<Eigen::Index>(pairs_.size()),
             m = static_cast<Eigen::Index>(admitted_.size());
  Matrix all = Matrix::Zero(n, n);
  W_.is_symmetric = true;
  for (Member& member : members_) {
    const Group& group = model_.groups()[size(member.group)];
    const Factor& A = step.trials[size(member.group)].A;
    member.H.response_add(A, group.dynamics->velocities(), X_, all);
    W_.is_symmetric = W_.is_symmetric && symmetric(A);
  }
  W_.W.resize(m, m);
  for (Eigen::Index i = 0; i < m; ++i)
    for (Eigen::Index j = 0; j < m; ++j)
      W_.W(i, j) =
          all(admitted_[static_cast<std::size_t>(i)], admitted_[static_cast<std::size_t>(j)]);
  if (W_.is_symmetric) W_.W = (0.5 * (W_.W + W_.W.transpose())).eval();
  return W_.W.allFinite();
}

// position rows: b = y(q)/h + gain H (v_free - v);   velocity rows: b = H v_free + d1 + e u0
void GeneralIsland::right_hand_side(IslandStep& step) {
  const auto n = static_cast<Eigen::Index>(pairs_.size());
  bool position = false;
  for (int i : admitted_) position = position || law(size(i)).position_level();
  if (position) {
    const double t1 = step.trials.front().t0 + step.h;
    gaps(
        t1, [&](const Member& m) -> const Vector& { return step.trials[size(m.group)].q; }, y_);
  }
  Vector u_free = Vector::Zero(n), ahead = Vector::Zero(n);
  for (Member& m : members_) {
    const Trial& trial = step.trials[size(m.group)];
    m.H.multiply_add(trial.v_free, u_free);
    w_ = trial.gain * (trial.v_free - trial.v);
    m.H.multiply_add(w_, ahead);
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    for (std::size_t s = 0; s < 2; ++s)
      if (const Side& side = sides_[i][s]; side.member >= 0)
        u_free[static_cast<Eigen::Index>(i)] +=
            (s == 0 ? 1.0 : -1.0) *
            pair(i).normal.dot(members_[size(side.member)].drift1.segment<3>(3 * side.point));
  b_.resize(static_cast<Eigen::Index>(admitted_.size()));
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const int i = admitted_[k];
    const ContactLaw& rule = law(size(i));
    double b = u_free[i];
    if (rule.rule == ContactLaw::Rule::signorini_position)
      b = y_[i] / step.h + ahead[i];
    else if (rule.rule ==
             ContactLaw::Rule::schatzman_paoli)  // y_- = y0 - h u0 on the rows of this step
      b = y_[i] / step.h + ahead[i] + rule.restitution * (u0_[i] / step.h - rate_[i]);
    else if (rule.rule == ContactLaw::Rule::newton_impact)
      b += rule.restitution * rate_[i];
    b_[static_cast<Eigen::Index>(k)] = b;
  }
}

void GeneralIsland::solve(IslandStep& step, StepReport& report) {
  const double at = fraction();
  const double t = step.trials.front().t0 + at * step.h;
  for (Member& m : members_) {
    const Group& group = model_.groups()[size(m.group)];
    group.scheme->place(*group.dynamics, step.trials[size(m.group)], at, m.q);
  }
  gaps(
      t, [](const Member& m) -> const Vector& { return m.q; }, gap_);
  rows(step);
  bool paoli = false;
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    paoli = paoli || law(i).rule == ContactLaw::Rule::schatzman_paoli;
  if (paoli) {
    u0_.resize(gap_.size());  // gaps at the start [m]
    gaps(
        step.trials.front().t0,
        [&](const Member& m) -> const Vector& { return step.trials[size(m.group)].start->q; }, u0_);
  }
  admit(step);

  p_.resize(static_cast<Eigen::Index>(admitted_.size()));
  auto memory = step.before.begin();
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const std::uint64_t key = pair(size(admitted_[k])).key;
    while (memory != step.before.end() && memory->key < key) ++memory;
    p_[static_cast<Eigen::Index>(k)] =
        memory != step.before.end() && memory->key == key ? memory->impulse.x() : 0.0;
  }
  bool one_pass = true;
  for (Member& m : members_) {
    const Group& group = model_.groups()[size(m.group)];
    one_pass = one_pass && group.scheme->one_pass(*group.dynamics);
  }
  // Passes end when the largest outstanding change is below tolerance; with contact it must also have stopped falling
  // into the noise: the contact solver works to the user's tolerance from the first pass on.
  const StepOptions& options = model_.options();
  double outstanding = 0.0;
  int pass = 0;
  bool solved_all = true;
  double residual = 0.0;
  do {
    ++pass;
    if (pass > 1 && pass <= 1 + kAxesPasses && !admitted_.empty()) rows(step);
    for (Member& m : members_) {
      const Group& group = model_.groups()[size(m.group)];
      Trial& trial = step.trials[size(m.group)];
      trial.pass = pass;
      group.scheme->linearise(*group.dynamics, trial);
    }
    if (!admitted_.empty()) {
      if (!assemble(step)) {
        report.finite = false;
        break;
      }
      right_hand_side(step);
      if (!b_.allFinite()) {
        report.finite = false;
        break;
      }
      step.solver.active.clear();
      const SolveReport solved =
          model_.solver().solve({W_, b_, laws_, admitted_}, options.contact, step.solver, p_);
      report.iterations += solved.iterations;
      residual = solved.residual;
      report.finite = report.finite && p_.allFinite() && std::isfinite(solved.residual);
      solved_all = solved.converged;
    }
    outstanding = 0.0;
    Vector all = Vector::Zero(static_cast<Eigen::Index>(pairs_.size()));
    for (std::size_t k = 0; k < admitted_.size(); ++k)
      all[admitted_[k]] = p_[static_cast<Eigen::Index>(k)];
    for (Member& m : members_) {
      const Group& group = model_.groups()[size(m.group)];
      Trial& trial = step.trials[size(m.group)];
      trial.r.setZero();
      m.H.transpose_add(all, trial.r);
      outstanding = std::max(outstanding, group.scheme->correct(*group.dynamics, trial));
    }
  } while (!one_pass && outstanding > options.pass_tolerance && pass < options.pass_limit &&
           std::isfinite(outstanding));
  report.passes = std::max(report.passes, pass);
  report.residual = worse(report.residual, residual);
  if (!solved_all || !report.finite || (!one_pass && !(outstanding <= options.pass_tolerance))) {
    report.converged = false;
    report.group = members_.front().group;
  }
  for (Eigen::Index k = 0; k < p_.size(); ++k) {
    if (p_[k] != 0.0) ++report.contacts;
    if (laws_[static_cast<std::size_t>(k)].kind == LawKind::unilateral) report.impulse += p_[k];
  }
}

void GeneralIsland::check(IslandStep& step, StepReport& report) {
  const double t1 = step.trials.front().t0 + step.h;
  gaps(
      t1, [&](const Member& m) -> const Vector& { return step.ends[size(m.group)].q; }, y_);
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    if (law(i).rule != ContactLaw::Rule::equality)
      report.gap = -worse(-report.gap, -y_[static_cast<Eigen::Index>(i)]);
  if (admitted_.empty()) return;
  u_.setZero(static_cast<Eigen::Index>(pairs_.size()));
  for (Member& m : members_) m.H.multiply_add(step.ends[size(m.group)].v, u_);
  const auto n = static_cast<Eigen::Index>(admitted_.size());
  Vector u(n), rho(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const int i = admitted_[static_cast<std::size_t>(k)];
    const ContactLaw& rule = law(size(i));
    u[k] = u_[i];
    for (std::size_t s = 0; s < 2; ++s)
      if (const Side& side = sides_[size(i)][s]; side.member >= 0)
        u[k] +=
            (s == 0 ? 1.0 : -1.0) *
            pair(size(i)).normal.dot(members_[size(side.member)].drift1.segment<3>(3 * side.point));
    if (rule.rule == ContactLaw::Rule::signorini_position) u[k] = y_[i] / step.h;
    if (rule.rule == ContactLaw::Rule::schatzman_paoli)
      u[k] = y_[i] / step.h + rule.restitution * (u0_[i] / step.h - rate_[i]);
    if (rule.rule == ContactLaw::Rule::newton_impact) u[k] += rule.restitution * rate_[i];
    rho[k] = 1.0 / W_.W(k, k);
  }
  report.residual_after = worse(
      report.residual_after, natural_map(laws_, rho, u, b_, p_, impulse_scale(step.energy, rho)));
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
