// Islands with fixed contact points, such as a string on its frets or a wire under a drumhead: S of
// each group and D = sum of S A^-1 S^T are constant. A step costs one or two products with S, the
// exact solution of a small complementarity problem and one product with S^T.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/assembly/contact_table.h"
#include "saltus/assembly/contradiction.h"
#include "saltus/assembly/island.h"
#include "saltus/assembly/notice_text.h"
#include "saltus/base/index_internal.h"
#include "saltus/contact/residual.h"
#include "saltus/contact/table_delassus.h"
#include "saltus/state/failure_words.h"
#include "saltus/state/open_contacts.h"
#include "saltus/time_stepping/fixed_contacts.h"

namespace saltus {
namespace {

class FixedIsland final : public Island {
 public:
  FixedIsland(const Model& model, std::span<const int> groups, std::vector<int> pairs);
  bool has_table() const { return table_.complete(); }
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
  const ContactLaw& law(int row) const { return contacts_.law(row); }
  using Member = ContactTable::Member;
  const Group& group(const Member& m) const { return model_.groups()[at(m.group)]; }
  static Trial& trial_of(const IslandStep& step, const Member& m) {
    return step.trials[at(m.group)];
  }
  /// y of all contacts at the positions q_of(member).
  template <class Of>
  void gaps(const Of& q_of, Vector& y) {
    table_.apply(q_of, y);
    y += table_.rest();
  }
  /// v0 of the groups, in the form that the table expects.
  static auto start_rates(const IslandStep& step) {
    return [&step](const Member& m) -> const Vector& { return trial_of(step, m).start->v; };
  }
  void start_gaps(const IslandStep& step) {
    if (!y_start_valid_)
      gaps([&](const Member& m) -> const Vector& { return trial_of(step, m).start->q; }, y_start_);
  }
  void find_gain(const IslandStep& step);
  double gain(int row) const { return equal_gains_ ? gain_ : gains_[row]; }
  void admit(IslandStep& step);
  void right_hand_side(IslandStep& step);
  void measure_reach(const IslandStep& step, View u0, View u_free);
  bool solve_contacts(IslandStep& step, StepReport& report);
  void give_impulses(IslandStep& step, Eigen::Index hits);
  int not_finite(const IslandStep& step) const;
  void explain(const IslandStep& step, const ContactProblem& problem, StepReport& report) const;
  double measure(IslandStep& step);
  void find_open(IslandStep& step);
  void warm_start(IslandStep& step);

  const Model& model_;
  ContactTable table_;
  FixedContacts contacts_;
  ContactInstant instant_;

  Matrix D_;  ///< sum of S A^-1 S^T [1/kg]
  bool symmetric_ = true;
  double gain_ = 0.0;  ///< of all groups if their gains are equal
  bool equal_gains_ = true;
  Vector gains_;  ///< otherwise the smaller gain of the two sides of each contact

  /// gaps of all rows at t0, at the free end, at the finished end [m]
  Vector y_start_, y_free_, y_end_;
  bool y_start_valid_ = false, y_free_valid_ = false;
  Vector u_;                         ///< rates of all rows at the start [m/s]
  std::vector<int> admitted_, hit_;  ///< rows of the problem, and those with an impulse
  std::vector<char> loaded_;  ///< rows of the problem that carried an impulse in the previous step
  std::vector<char> lasts_;   ///< those of them whose load lasts
  std::vector<Law> law_rows_;
  SolveReport solved_;
  OpenContacts open_;
  Vector rate_, Y_, b_, p_, p_hit_, rho_, u_end_, row_values_, row_values_2_, row_values_3_;
};

FixedIsland::FixedIsland(const Model& model, std::span<const int> groups, std::vector<int> pairs)
    : model_(model),
      table_(model, groups, pairs),
      contacts_(model, std::move(pairs)),
      instant_(model.options().instant) {
  if (!table_.complete()) return;
  const std::size_t count = contacts_.count();
  const auto n = static_cast<Eigen::Index>(count);
  for (Vector* x : {&y_start_, &y_free_, &y_end_, &u_, &rate_, &Y_, &b_, &p_, &p_hit_, &rho_,
                    &u_end_, &row_values_, &row_values_2_, &row_values_3_, &gains_})
    x->resize(n);
  admitted_.reserve(count);
  hit_.reserve(count);
  loaded_.resize(count);
  lasts_.resize(count);
  law_rows_.reserve(count);
}

void FixedIsland::prepare(std::span<const Trial> trials) {
  symmetric_ = table_.response(trials, D_);
  y_start_valid_ = false;
}

// For two schemes with different gains the smaller one, which never requires more than the gap
// (IslandProblem::measure_reach).
void FixedIsland::find_gain(const IslandStep& step) {
  const auto of = [&](const Member& m) { return trial_of(step, m).gain; };
  const std::span<const Member> members = table_.members();
  gain_ = of(members.front());
  equal_gains_ = std::ranges::all_of(members, [&](const Member& m) { return of(m) == gain_; });
  if (equal_gains_) return;
  gains_.setConstant(std::numeric_limits<double>::infinity());
  for (const Member& m : members)
    for (const int i : m.contact) gains_[i] = std::min(gains_[i], of(m));
}

void FixedIsland::admit(IslandStep& step) {
  const int n = static_cast<int>(contacts_.count());
  y_free_valid_ = contacts_.reads().gaps || contacts_.reads().reach ||
                  (contacts_.reads().velocities && instant_ == ContactInstant::end);
  if (y_free_valid_)
    gaps([&](const Member& m) -> const Vector& { return trial_of(step, m).q; }, y_free_);
  admitted_.clear();
  if (!contacts_.reads().velocities) {
    for (int i = 0; i < n; ++i) admitted_.push_back(i);
    return;
  }
  if (contacts_.reads().activation_rates) table_.apply(start_rates(step), u_);
  const Vector* g = &y_free_;
  if (instant_ == ContactInstant::start) {
    start_gaps(step);
    g = &y_start_;
  } else if (instant_ == ContactInstant::middle) {
    gaps(
        [&](Member& m) -> const Vector& {
          group(m).scheme->place(*group(m).dynamics, trial_of(step, m), 0.5, m.q);
          return m.q;
        },
        y_end_);
    g = &y_end_;
  }
  if (!contacts_.reads().activation_rates) {
    for (int i = 0; i < n; ++i)
      if (law(i).admits({.h = step.h, .gap = (*g)[i]})) admitted_.push_back(i);
    return;
  }
  auto memory = step.before.begin();
  for (int i = 0; i < n; ++i)
    if (law(i).admits({.h = step.h,
                       .gap = (*g)[i],
                       .rate = u_[i],
                       .loaded = contacts_.carried(step.before, i, memory) > 0.0}))
      admitted_.push_back(i);
}

// u~ = W p + b, where the laws compute b from y_free, u_free = S v_free, u0 = S v0 and Y. If all of
// them rebound with the same e and none reads Y, S (v_free + e v0) is one product: it replaces
// u_free, and u0 is 0.
void FixedIsland::right_hand_side(IslandStep& step) {
  const auto n = static_cast<Eigen::Index>(admitted_.size());
  auto u_free = row_values_.head(n), u0 = row_values_2_.head(n);
  u0.setZero();  // not measured for laws on gaps
  find_gain(step);
  // u0 is needed whatever e is
  const bool starts = contacts_.reads().activation_rates ||
                      (contacts_.reads().reach && !(equal_gains_ && gain_ == 1.0));
  bool rates = false, restitution = false, uniform = contacts_.reads().velocities;
  const double e = law(admitted_.front()).facts().restitution;
  for (int i : admitted_) {
    const bool on_rate = !law(i).position_level();
    rates = rates || on_rate;
    restitution = restitution || (on_rate && (starts || law(i).facts().restitution != 0.0));
    uniform = uniform && on_rate && law(i).facts().restitution == e;
  }
  // For e = 0 the product is u_free.
  uniform = uniform && (!contacts_.reads().reach || (e == 0.0 && !starts));
  if (contacts_.reads().reach) start_gaps(step);
  if (uniform) {
    table_.apply_used(
        [&](Member& m) -> const Vector& {
          const Trial& trial = trial_of(step, m);
          m.v = trial.v + e * trial.start->v;
          return m.v;
        },
        u_free);
  } else if (rates) {
    table_.apply_used([&](const Member& m) -> const Vector& { return trial_of(step, m).v; },
                      u_free);
    if (restitution) table_.apply_used(start_rates(step), u0);
  }
  if (contacts_.reads().gap_before)  // y_- = y0 - h u0
    gaps(
        [&](Member& m) -> const Vector& {
          const GroupState& start = *trial_of(step, m).start;
          m.q = start.q - step.h * start.v;
          return m.q;
        },
        y_end_);
  if (contacts_.reads().reach) measure_reach(step, u0, u_free);
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto place = static_cast<std::size_t>(k);
    const int i = admitted_[place];
    lasts_[place] = loaded_[place] != 0 && law(i).load_lasts(u0[k], u_free[k]) ? 1 : 0;
    b_[k] = law(i)
                .row({.h = step.h,
                      .u0 = u0[k],
                      .y = y_free_[i],
                      .u_free = u_free[k],
                      .before = y_end_[i],
                      .reach = Y_[k],
                      .load = lasts_[place] != 0})
                .b;
  }
}

// Y is the smaller of  y_free - h (g u0 + c (u_free - u0))  and  y0 + (1 - g) h u0, where c is the
// gain of each side (as in IslandProblem::measure_reach at the end of the step). With one gain,
// c = g and the first is y_free - g h u_free.
void FixedIsland::measure_reach(const IslandStep& step, View u0, View u_free) {
  const double h = step.h;
  if (!equal_gains_)
    table_.apply_used(
        [&](Member& m) -> const Vector& {
          const Trial& trial = trial_of(step, m);
          m.v = trial.gain * (trial.v - trial.start->v);
          return m.v;
        },
        row_values_3_.head(u0.size()));
  for (Eigen::Index k = 0; k < u0.size(); ++k) {
    const int i = admitted_[static_cast<std::size_t>(k)];
    const double g = gain(i),
                 moved = equal_gains_ ? g * h * u_free[k] : h * (g * u0[k] + row_values_3_[k]);
    Y_[k] = std::min(y_free_[i] - moved, y_start_[i] + (1.0 - g) * h * u0[k]);
    if (!(Y_[k] > contacts_.closed(i)) && contacts_.closed(i) > 0.0) Y_[k] = 0.0;
  }
}

void FixedIsland::warm_start(IslandStep& step) {
  auto memory = step.before.begin();
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const double p = p_[static_cast<Eigen::Index>(k)] =
        contacts_.carried(step.before, admitted_[k], memory);
    loaded_[k] = p > 0.0 ? 1 : 0;
  }
}

void FixedIsland::solve(IslandStep& step, StepReport& report) {
  report.passes = std::max(report.passes, 1);
  if (!hit_.empty())  // of the last step; the energy balance reads r
    for (const Member& m : table_.members()) trial_of(step, m).r.setZero();
  hit_.clear();
  admit(step);
  table_.use(admitted_);
  if (admitted_.empty()) {
    step.solver.active.clear();
    step.solver.factor.clear();
    return;
  }
  if (!solve_contacts(step, report)) return;
  const auto m = static_cast<Eigen::Index>(admitted_.size());
  Eigen::Index hits = 0;
  for (Eigen::Index k = 0; k < m; ++k)
    if (p_[k] != 0.0) {
      hit_.push_back(admitted_[static_cast<std::size_t>(k)]);
      p_hit_[hits++] = p_[k];
      report.impulse += p_[k];
    }
  report.contacts += static_cast<int>(hits);
  if (hits > 0) give_impulses(step, hits);
}

/// False: the problem is not finite, and there are no impulses.
bool FixedIsland::solve_contacts(IslandStep& step, StepReport& report) {
  const auto m = static_cast<Eigen::Index>(admitted_.size());
  warm_start(step);
  right_hand_side(step);
  if (!b_.head(m).allFinite()) {
    admitted_.clear();
    table_.use(admitted_);
    report.finite = false;
    report.group = not_finite(step);
    return false;
  }
  law_rows_.clear();
  for (Eigen::Index k = 0; k < m; ++k) {
    law_rows_.push_back({LawKind::unilateral, static_cast<int>(k), 1});
  }
  const TableDelassus W(D_, admitted_, symmetric_);
  const auto b = b_.head(m);
  auto p = p_.head(m);
  const ContactProblem problem{W, b, law_rows_, admitted_};
  Limits limits = step.model.options().contact;
  limits.stop = step.stop;
  const SolveReport solved = solved_ = step.model.solver().solve(problem, limits, step.solver, p);
  report.iterations += solved.iterations;
  if (solved.attempted > 0) report.solver = solved.attempts[at(solved.attempted - 1)].solver;
  report.residual = worse(report.residual, solved.residual);
  report.speed = std::max(report.speed, solved.speed);
  report.closing = worse(report.closing, solved.closing);
  report.finite = report.finite && p.allFinite() && std::isfinite(solved.residual);
  if (!solved.converged) {
    report.converged = false;
    report.group = table_.members().front().group;
    if (report.finite) explain(step, problem, report);
  }
  return true;
}

/// The first group whose free motion is not finite; otherwise the first group.
int FixedIsland::not_finite(const IslandStep& step) const {
  for (const Member& m : table_.members())
    if (const Trial& trial = trial_of(step, m); !trial.q.allFinite() || !trial.v.allFinite())
      return m.group;
  return table_.members().front().group;
}

// Checks whether the unsolved problem has a solution at all.
void FixedIsland::explain(const IslandStep& step, const ContactProblem& problem,
                          StepReport& report) const {
  if (report.failure.empty()) report.failure = failure::kContactLimit;
  if (stop_requested(step.stop)) return;  // the problem may have been solvable
  report.detail = contradiction(
      model_, problem, [&](int k) { return contacts_.view(admitted_[at(k)]); }, step.stop);
  if (!report.detail.empty()) report.failure = failure::kContradiction;
}

// Applies impulses only to groups that receive any; the others keep their free motion.
void FixedIsland::give_impulses(IslandStep& step, Eigen::Index hits) {
  table_.use(hit_);
  for (Member& m : table_.members()) {
    Trial& trial = trial_of(step, m);
    trial.r.setZero();
    if (!table_.touches(m)) continue;
    table_.accumulate(m, p_hit_.head(hits), trial.r);
    trial.pass = 1;
    group(m).scheme->linearise(*group(m).dynamics, trial);
    group(m).scheme->correct(*group(m).dynamics, trial);
  }
}

// Checks the laws again after the steps, with newly computed gaps and velocities.
void FixedIsland::check(IslandStep& step, StepReport& report) {
  if (hit_.empty() && y_free_valid_)
    y_end_.swap(y_free_);
  else {
    if (contacts_.reads().gap_before) y_start_ = y_end_;  // y_-, kept for the residual below
    gaps([&](const Member& m) -> const Vector& { return step.ends[at(m.group)].q; }, y_end_);
  }
  measure_gaps(step, report);
  if (!hit_.empty()) report.residual_after = worse(report.residual_after, measure(step));
  y_start_.swap(y_end_);
  y_start_valid_ = true;
}

/// Residual of the natural map of the active laws, with y_- in y_start_.
double FixedIsland::measure(IslandStep& step) {
  const auto n = static_cast<Eigen::Index>(admitted_.size());
  auto u = u_end_.head(n), u0 = row_values_2_.head(n);
  u0.setZero();
  if (contacts_.reads().velocities) {
    table_.use(admitted_);
    table_.apply_used([&](const Member& m) -> const Vector& { return step.ends[at(m.group)].v; },
                      u);
    if (contacts_.reads().activation_rates ||
        std::any_of(admitted_.begin(), admitted_.end(),
                    [&](int i) { return law(i).facts().restitution != 0.0; }))
      table_.apply_used(start_rates(step), u0);
  }
  for (Eigen::Index k = 0; k < n; ++k) {
    const int i = admitted_[static_cast<std::size_t>(k)];
    rho_[k] = D_(i, i) > 0.0 ? 1.0 / D_(i, i) : 1.0;  // [kg]; 1 if the row cannot be moved
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
  return natural_map(law_rows_, rho_.head(n), u, b_.head(n), p_.head(n),
                     impulse_scale(step.energy, rho_.head(n)));
}

// Uses the rates of measure().
void FixedIsland::find_open(IslandStep& step) {
  open_.begin(contacts_.count());
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const auto place = static_cast<Eigen::Index>(k);
    const int i = admitted_[k];
    const std::uint64_t key = contacts_.key(i);
    const LawFacts& facts = law(i).facts();
    if (facts.closes_gaps && lasts_[k] == 0 && facts.restitution != 0.0) continue;  // a rebound
    const double motion = step.h * (std::abs(rate_[place]) + D_(i, i) * p_[place]);
    if (!law(i).activated() || !(p_[place] > 0.0) || loaded_[k] == 0 ||
        !open_.add(key, y_end_[i], motion, facts.closes_gaps, 0.0))
      continue;
    const ContactView view = contacts_.view(i).view;
    step.notices.add(Notice::Kind::open, view.a.group, view.b.group, [&] {
      return open_text("contacts of " + (view.b.group < 0 ? side_name(model_, view.a)
                                                          : pair_name(model_, view, "with")),
                       y_end_[i], law(i));
    });
  }
  open_.end();
}

void FixedIsland::show(const IslandStep& step, int island, ContactObserver& observer) const {
  if (admitted_.empty()) return;
  const auto m = static_cast<Eigen::Index>(admitted_.size());
  const TableDelassus W(D_, admitted_, symmetric_);
  const auto b = b_.head(m), p = p_.head(m);
  const ContactProblem problem{W, b, law_rows_, admitted_};
  observer.solved({island, step.trials.front().t0, step.h, problem, p, solved_});
}

void FixedIsland::remember(std::vector<ContactMemory>& contacts) const {
  for (std::size_t k = 0; k < hit_.size(); ++k)
    contacts.push_back({contacts_.key(hit_[k]),
                        Vector3(p_hit_[static_cast<Eigen::Index>(k)], 0.0, 0.0), Vector3::Zero()});
}

void FixedIsland::see(const Model&, double most, std::vector<SeenContact>& contacts) const {
  std::size_t hit = 0;
  for (int i = 0; i < static_cast<int>(contacts_.count()); ++i) {
    const double gap = y_start_[i];
    const bool closed = hit < hit_.size() && hit_[hit] == i;
    if (!closed && gap > most) continue;
    SeenContact& one = contacts.emplace_back(contacts_.view(i));
    if (one.view.b.group < 0) {
      // Half the gap away from the obstacle along the normal: avoids evaluating the mode shapes
      // again.
      one.placed = true;
      one.view.gap = gap;
      one.view.point = contacts_.pair(i).b.ref.local + 0.5 * gap * one.view.normal;
    }
    if (closed) {
      one.view.status = ContactView::Status::closed;
      one.view.impulse[0] = p_hit_[static_cast<Eigen::Index>(hit++)];
    }
  }
}

}  // namespace

std::unique_ptr<Island> fixed_island(const Model& model, std::span<const int> groups,
                                     std::vector<int> pairs) {
  auto island = std::make_unique<FixedIsland>(model, groups, std::move(pairs));
  return island->has_table() ? std::move(island) : nullptr;
}

}  // namespace saltus
