// A string on its frets: the points never change, S and D = S A^-1 S^T are constant, and a step costs one or two
// products with S, the exact solution of a small complementarity problem and one product with S^T.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/contact/residual.h"
#include "saltus/contact/table_delassus.h"
#include "saltus/sim/island.h"
#include "saltus/sim/notice_text.h"
#include "saltus/sim/open_contacts.h"

namespace saltus {
namespace {

class FixedIsland final : public Island {
 public:
  FixedIsland(const Model& model, int group, std::vector<int> pairs);
  bool has_table() const { return table_ != nullptr; }
  void prepare(std::span<const Trial> trials) override;
  void forget() override { y_start_valid_ = false; }
  void solve(IslandStep& step, StepReport& report) override;
  void check(IslandStep& step, StepReport& report) override;
  void measure_gaps(IslandStep&, StepReport& report) override {
    report.gap = -worse(-report.gap, -y_end_.minCoeff<Eigen::PropagateNaN>());
  }
  void show(const IslandStep& step, int island, ContactObserver& observer) const override;
  void remember(std::vector<ContactMemory>& contacts) const override;
  void see(const Model& model, double most, std::vector<SeenContact>& contacts) const override;

 private:
  const ContactLaw& law(int row) const {
    return model_.law(law_of_[static_cast<std::size_t>(row)]);
  }
  void gaps(View q, Vector& y) {
    table_->apply(q, scratch_, y);
    y += rest_gap_;
  }
  void admit(IslandStep& step, Trial& trial);
  void right_hand_side(IslandStep& step, Trial& trial);
  double measure(IslandStep& step);
  void find_open(IslandStep& step);
  void warm_start(IslandStep& step);

  const Model& model_;
  int group_;
  std::unique_ptr<PointTable> table_;
  Vector rest_gap_;  ///< gaps at q = 0 [m]
  std::vector<std::uint64_t> key_;
  std::vector<int> law_of_, pairs_;
  bool position_ = false, velocity_ = false;
  bool before_ = false;  ///< a law on gaps reads y_-, one step before the start
  bool rates_ = false;   ///< a law lets points in by their rates
  bool reach_ = false;   ///< a law reads Y
  ContactInstant instant_;

  Matrix D_;  ///< S A^-1 S^T [1/kg]
  PointScratch scratch_;

  Vector y_start_, y_free_,
      y_end_;  ///< gaps of all rows at t0, of the free end, of the finished end [m]
  bool y_start_valid_ = false, y_free_valid_ = false;
  Vector u_, z_, w_;                 ///< rates, configurations, modal work space
  std::vector<int> admitted_, hit_;  ///< rows of the problem; those with an impulse
  std::vector<char> loaded_;  ///< rows of the problem that carried an impulse in the step before
  std::vector<char> lasts_;   ///< of them, those whose load lasts
  std::vector<Law> law_rows_;
  SolveReport solved_;
  OpenContacts open_;
  Vector rate_, Y_, b_, p_, p_hit_, rho_, u_end_, row_values_, row_values_2_;
};

FixedIsland::FixedIsland(const Model& model, int group, std::vector<int> pairs)
    : model_(model), group_(group), instant_(model.options().instant) {
  std::vector<PointRef> at;
  std::vector<Vector3> normal;
  Vector world(static_cast<Eigen::Index>(pairs.size()));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const ContactPair& pair = model.pairs()[static_cast<std::size_t>(pairs[i])];
    at.push_back(pair.a.ref);
    normal.push_back(pair.normal);
    world[static_cast<Eigen::Index>(i)] = pair.normal.dot(pair.b.ref.local) + pair.distance;
    key_.push_back(pair.key);
    law_of_.push_back(pair.law);
    pairs_.push_back(pairs[i]);
    const ContactLaw& rule = model.law(pair.law);
    (rule.position_level() ? position_ : velocity_) = true;
    before_ = before_ || rule.facts().reads_start_gap;
    reach_ = reach_ || rule.facts().closes_gaps;
    rates_ = rates_ || (rule.activated() && rule.facts().activation->reads_rate());
  }
  const Dynamics& body = *model.groups()[static_cast<std::size_t>(group)].dynamics;
  table_ = body.table(at, normal);
  if (!table_) return;  // some point moves by itself
  rest_gap_ = table_->rest() - world;
  const Eigen::Index n = rest_gap_.size();
  for (Vector* x : {&y_start_, &y_free_, &y_end_, &u_, &rate_, &Y_, &b_, &p_, &p_hit_, &rho_,
                    &u_end_, &row_values_, &row_values_2_})
    x->resize(n);
  w_.resize(body.velocities());
  z_.resize(body.positions());
  admitted_.reserve(key_.size());
  hit_.reserve(key_.size());
  loaded_.resize(key_.size());
  lasts_.resize(key_.size());
  law_rows_.reserve(key_.size());
}

void FixedIsland::prepare(std::span<const Trial> trials) {
  table_->response(trials[static_cast<std::size_t>(group_)].A, D_);
  y_start_valid_ = false;
}

void FixedIsland::admit(IslandStep& step, Trial& trial) {
  const int n = static_cast<int>(key_.size());
  y_free_valid_ = position_ || reach_ || (velocity_ && instant_ == ContactInstant::end);
  if (y_free_valid_) gaps(trial.q, y_free_);
  admitted_.clear();
  if (!velocity_) {
    for (int i = 0; i < n; ++i) admitted_.push_back(i);
    return;
  }
  if (rates_) table_->apply(trial.start->v, scratch_, u_);
  const Vector* g = &y_free_;
  if (instant_ == ContactInstant::start) {
    if (!y_start_valid_) gaps(trial.start->q, y_start_);
    g = &y_start_;
  } else if (instant_ == ContactInstant::middle) {
    const Group& group = step.model.groups()[static_cast<std::size_t>(group_)];
    group.scheme->place(*group.dynamics, trial, 0.5, z_);
    gaps(z_, y_end_);
    g = &y_end_;
  }
  for (int i = 0; i < n; ++i)
    if (law(i).admits({.h = step.h, .gap = (*g)[i], .rate = u_[i]})) admitted_.push_back(i);
}

// u~ = W p + b, b of the laws on y_free, u_free = S v_free, u0 = S v0 and Y, the lesser of y_free - g h u_free and y0 + (1 - g) h u0
// (IslandProblem::measure_reach). Where all of them rebound with the same e and none reads Y, S (v_free + e v0) is one product: it
// takes the place of u_free, and u0 is 0.
void FixedIsland::right_hand_side(IslandStep& step, Trial& trial) {
  const auto m = static_cast<Eigen::Index>(admitted_.size());
  auto u_free = row_values_.head(m), u0 = row_values_2_.head(m);
  u0.setZero();  // of laws on gaps it is not measured
  const double g = trial.gain;
  const bool starts = rates_ || (reach_ && g != 1.0);  // u0 is read whatever e
  bool rates = false, restitution = false, uniform = velocity_;
  const double e = law(admitted_.front()).facts().restitution;
  for (int i : admitted_) {
    const bool on_rate = !law(i).position_level();
    rates = rates || on_rate;
    restitution = restitution || (on_rate && (starts || law(i).facts().restitution != 0.0));
    uniform = uniform && on_rate && law(i).facts().restitution == e;
  }
  uniform = uniform && (!reach_ || (e == 0.0 && !starts));  // where e = 0 that is u_free
  if (reach_ && !y_start_valid_) gaps(trial.start->q, y_start_);
  if (uniform) {
    w_ = trial.v + e * trial.start->v;
    table_->apply(admitted_, w_, scratch_, u_free);
  } else if (rates) {
    table_->apply(admitted_, trial.v, scratch_, u_free);
    if (restitution) table_->apply(admitted_, trial.start->v, scratch_, u0);
  }
  if (before_) {  // y_- = y0 - h u0
    w_ = trial.start->q - step.h * trial.start->v;
    gaps(w_, y_end_);
  }
  for (Eigen::Index k = 0; k < m; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const int i = admitted_[at];
    lasts_[at] = loaded_[at] != 0 && law(i).load_lasts(u0[k], u_free[k]) ? 1 : 0;
    Y_[k] = std::min(y_free_[i] - g * step.h * u_free[k], y_start_[i] + (1.0 - g) * step.h * u0[k]);
    b_[k] = law(i)
                .row({.h = step.h,
                      .u0 = u0[k],
                      .y = y_free_[i],
                      .u_free = u_free[k],
                      .before = y_end_[i],
                      .reach = Y_[k],
                      .load = lasts_[at] != 0})
                .b;
  }
}

void FixedIsland::warm_start(IslandStep& step) {
  auto memory = step.before.begin();
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const std::uint64_t key = key_[static_cast<std::size_t>(admitted_[k])];
    while (memory != step.before.end() && memory->key < key) ++memory;
    const bool known = memory != step.before.end() && memory->key == key;
    const double p = p_[static_cast<Eigen::Index>(k)] = known ? memory->impulse.x() : 0.0;
    loaded_[k] = p > 0.0 ? 1 : 0;
  }
}

void FixedIsland::solve(IslandStep& step, StepReport& report) {
  Trial& trial = step.trials[static_cast<std::size_t>(group_)];
  const Group& group = step.model.groups()[static_cast<std::size_t>(group_)];
  report.passes = std::max(report.passes, 1);
  if (!hit_.empty()) trial.r.setZero();  // of the last step; the ledger reads r
  hit_.clear();
  admit(step, trial);
  if (admitted_.empty()) {
    step.solver.active.clear();
    step.solver.factor.clear();
    return;
  }
  const auto m = static_cast<Eigen::Index>(admitted_.size());
  warm_start(step);
  right_hand_side(step, trial);
  if (!b_.head(m).allFinite()) {
    admitted_.clear();
    report.finite = false;
    report.group = group_;
    return;
  }
  law_rows_.clear();
  for (Eigen::Index k = 0; k < m; ++k) {
    law_rows_.push_back({LawKind::unilateral, static_cast<int>(k), 1});
  }
  const TableDelassus W(D_, admitted_, symmetric(trial.A));
  const auto b = b_.head(m);
  auto p = p_.head(m);
  Limits limits = step.model.options().contact;
  limits.stop = step.stop;
  const SolveReport solved = solved_ =
      step.model.solver().solve({W, b, law_rows_, admitted_}, limits, step.solver, p);
  report.iterations += solved.iterations;
  report.residual = worse(report.residual, solved.residual);
  report.speed = std::max(report.speed, solved.speed);
  report.closing = worse(report.closing, solved.closing);
  report.finite = report.finite && p.allFinite() && std::isfinite(solved.residual);
  if (!solved.converged) {
    report.converged = false;
    report.group = group_;
  }
  Eigen::Index hits = 0;
  for (Eigen::Index k = 0; k < m; ++k)
    if (p[k] != 0.0) {
      hit_.push_back(admitted_[static_cast<std::size_t>(k)]);
      p_hit_[hits++] = p[k];
      report.impulse += p[k];
    }
  report.contacts += static_cast<int>(hits);
  if (hits == 0) return;
  trial.r.setZero();
  table_->accumulate(hit_, p_hit_.head(hits), scratch_, trial.r);
  trial.pass = 1;
  group.scheme->linearise(*group.dynamics, trial);
  group.scheme->correct(*group.dynamics, trial);
}

// The laws once more, on the states as they are now, with gaps and velocities measured afresh.
void FixedIsland::check(IslandStep& step, StepReport& report) {
  if (hit_.empty() && y_free_valid_)
    y_end_.swap(y_free_);
  else {
    if (before_) y_start_ = y_end_;  // y_-, kept for the residual below
    gaps(step.ends[static_cast<std::size_t>(group_)].q, y_end_);
  }
  measure_gaps(step, report);
  if (!hit_.empty()) report.residual_after = worse(report.residual_after, measure(step));
  y_start_.swap(y_end_);
  y_start_valid_ = true;
}

/// Natural map of the laws that are in, with y_- in y_start_.
double FixedIsland::measure(IslandStep& step) {
  const auto m = static_cast<Eigen::Index>(admitted_.size());
  auto u = u_end_.head(m), u0 = row_values_2_.head(m);
  u0.setZero();
  if (velocity_) {
    w_ = step.ends[static_cast<std::size_t>(group_)].v;
    table_->apply(admitted_, w_, scratch_, u);
    if (rates_ || std::any_of(admitted_.begin(), admitted_.end(),
                              [&](int i) { return law(i).facts().restitution != 0.0; }))
      table_->apply(admitted_, step.trials[static_cast<std::size_t>(group_)].start->v, scratch_,
                    u0);
  }
  for (Eigen::Index k = 0; k < m; ++k) {
    const int i = admitted_[static_cast<std::size_t>(k)];
    rho_[k] = 1.0 / D_(i, i);
    rate_[k] = u[k];
    u[k] = law(i).row_at_end({.h = step.h,
                              .u0 = u0[k],
                              .y = y_end_[i],
                              .u = u[k],
                              .before = y_start_[i],
                              .reach = Y_[k],
                              .load = lasts_[static_cast<std::size_t>(k)] != 0});
  }
  find_open(step);
  return natural_map(law_rows_, rho_.head(m), u, b_.head(m), p_.head(m),
                     impulse_scale(step.energy, rho_.head(m)));
}

// With the rates of measure().
void FixedIsland::find_open(IslandStep& step) {
  open_.begin(key_.size());
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    const int i = admitted_[k];
    const std::uint64_t key = key_[static_cast<std::size_t>(i)];
    const LawFacts& facts = law(i).facts();
    if (facts.closes_gaps && lasts_[k] == 0 && facts.restitution != 0.0) continue;  // a rebound
    const double motion = step.h * (std::abs(rate_[at]) + D_(i, i) * p_[at]);
    if (!law(i).activated() || !(p_[at] > 0.0) || loaded_[k] == 0 ||
        !open_.add(key, y_end_[i], motion, facts.closes_gaps, 0.0))
      continue;
    step.notices.add(Notice::Kind::open, group_, -1, [&] {
      return open_text(
          fmt::format("contacts of '{}'", model_.groups()[static_cast<std::size_t>(group_)].name),
          y_end_[i], law(i));
    });
  }
  open_.end();
}

void FixedIsland::show(const IslandStep& step, int island, ContactObserver& observer) const {
  if (admitted_.empty()) return;
  const auto m = static_cast<Eigen::Index>(admitted_.size());
  const Trial& trial = step.trials[static_cast<std::size_t>(group_)];
  const TableDelassus W(D_, admitted_, symmetric(trial.A));
  const auto b = b_.head(m), p = p_.head(m);
  const ContactProblem problem{W, b, law_rows_, admitted_};
  observer.solved({island, trial.t0, step.h, problem, p, solved_});
}

void FixedIsland::remember(std::vector<ContactMemory>& contacts) const {
  for (std::size_t k = 0; k < hit_.size(); ++k)
    contacts.push_back({key_[static_cast<std::size_t>(hit_[k])],
                        Vector3(p_hit_[static_cast<Eigen::Index>(k)], 0.0, 0.0), Vector3::Zero()});
}

void FixedIsland::see(const Model& model, double most, std::vector<SeenContact>& contacts) const {
  std::size_t hit = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const double gap = y_start_[static_cast<Eigen::Index>(i)];
    const bool closed = hit < hit_.size() && hit_[hit] == static_cast<int>(i);
    if (!closed && gap > most) continue;
    const ContactPair& pair = model.pairs()[static_cast<std::size_t>(pairs_[i])];
    SeenContact& seen = contacts.emplace_back();
    seen.view.key = pair.key;
    seen.view.a = {pair.a.group, pair.a.ref.body};
    seen.view.normal = pair.normal;
    // Half-way from the obstacle along the normal: the shapes of the modes are not asked for again.
    seen.placed = true;
    seen.view.gap = gap;
    seen.view.point = pair.b.ref.local + 0.5 * gap * pair.normal;
    if (closed) {
      seen.view.status = ContactView::Status::closed;
      seen.view.impulse[0] = p_hit_[static_cast<Eigen::Index>(hit++)];
    }
  }
}

}  // namespace

bool fits_fixed_island(const Model& model, std::span<const int> groups,
                       std::span<const int> pairs) {
  if (groups.size() != 1) return false;
  const Group& group = model.groups()[static_cast<std::size_t>(groups.front())];
  if (!has(group.dynamics->traits(), Trait::fixed_points) ||
      !group.scheme->one_pass(*group.dynamics))
    return false;
  return std::all_of(pairs.begin(), pairs.end(), [&](int i) {
    const ContactPair& pair = model.pairs()[static_cast<std::size_t>(i)];
    const ContactLaw& law = model.law(pair.law);
    const LawFacts& facts = law.facts();
    const bool on_gaps =
        law.position_level() && !law.activated();  // y_- is all that they read of before
    return pair.a.group == groups.front() && pair.b.group < 0 && pair.tangents == 0 &&
           law.unilateral() && law.entry({}, 1.0).kind == LawKind::unilateral && !facts.expands &&
           !facts.follows_passes && !(facts.cohesion > 0.0) &&
           (on_gaps || (facts.rebounds && !facts.reads_start_gap));
  });
}

std::unique_ptr<Island> fixed_island(const Model& model, int group, std::vector<int> pairs) {
  auto island = std::make_unique<FixedIsland>(model, group, std::move(pairs));
  return island->has_table() ? std::move(island) : nullptr;
}

}  // namespace saltus
