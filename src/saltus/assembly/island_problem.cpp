#include "saltus/assembly/island_problem.h"

#include <algorithm>
#include <cmath>

#include "saltus/assembly/contact_parts_internal.h"
#include "saltus/assembly/path_ratio.h"
#include "saltus/contact/certificate.h"
#include "saltus/contact/residual.h"

namespace saltus {
namespace {

/// Smaller impulses count as 0 [N s]: decaying ones lose their digits near the smallest double.
constexpr double kNoImpulse = 1e-200;

// Sets rho of the natural map: the inverse of the mean diagonal of W over forces, and over moments.
// Returns that of forces.
double set_steps(const Law& entry, const Vector& diagonal, Vector& steps) {
  const auto set = [&](int from, int count, double other) {
    double trace = 0.0;
    for (int a = from; a < from + count; ++a) trace += diagonal[a];
    const double rho = trace > 0.0 ? static_cast<double>(count) / trace : other;
    steps.segment(from, count).setConstant(rho);
    return rho;
  };
  const int forces = entry.forces();
  const double rho_N = set(entry.first, forces, 1.0);  // 1 kg: nothing can move it
  if (forces < entry.size) set(entry.first + forces, entry.size - forces, rho_N);
  return rho_N;
}

/// s of path_ratio() for a law that acts on the displacement of a coordinate; 1 for others.
double way(const Model& model, const JointSystem& joints, const IslandContact& c, int group,
           const CoordinateStep& step) {
  if (c.joint_law < 0 || !model.law(c.law).facts().follows_way) return 1.0;
  const JointLaw& on = model.joint_laws()[static_cast<std::size_t>(c.joint_law)];
  return path_ratio(model, joints, on, *model.groups()[static_cast<std::size_t>(group)].scheme,
                    step);
}

/// First row of a contact in the problem; -1 if it does not act, as an open stop.
Eigen::Index acting_row(std::span<const int> admitted, std::span<const Law> laws, std::size_t i,
                        bool acts) {
  const auto k = std::ranges::lower_bound(admitted, static_cast<int>(i)) - admitted.begin();
  return acts ? laws[static_cast<std::size_t>(k)].first : -1;
}

}  // namespace

IslandProblem::IslandProblem(const Model& model, ContactList& list, IslandJoints& joints)
    : model_(model),
      list_(list),
      joints_(joints),
      needs_(LawNeeds::of(model, list)),
      history_(list),
      slips_(list) {
  // Not for forces, which may be user functions that only one thread may call; nor for friction
  // that depends on the slip, which needs the initial slips of all contacts; nor with joints, where
  // W is another.
  if (!needs_.forces && !needs_.falls && joints_.empty()) list_.allow_lean();
  resize();
}

void IslandProblem::resize() {
  const auto n = static_cast<Eigen::Index>(list_.count());
  for (Vector* x : {&motion.gap, &motion.y, &motion.y0, &motion.Y}) x->resize(n);
  if (needs_.falls) slips_.resize();
  for (Vector* x : {&motion.u0, &motion.u, &u_free_, &u_now_, &ahead_, &impulse_})
    x->resize(list_.rows());
  history_.resize();
}

/// u += H v on the admitted contacts, with velocities v_of(k) of member k; on all contacts unless
/// the list is lean.
template <class Velocities>
void IslandProblem::add_rates(const Velocities& v_of, Vector& u) {
  if (const BodyDelassus* const W = W_.bodies(); W && list_.lean()) {
    list_.add_rates(admitted_, *W->bodies(), v_of, u);
    return;
  }
  for (std::size_t k = 0; k < list_.members().size(); ++k)
    list_.members()[k].H.multiply_add(v_of(k), u);
}

void IslandProblem::add_impulses(const Vector& p, std::size_t k, Out r) const {
  if (admitted_.empty() && list_.lean()) return;  // no rows were made
  if (const BodyDelassus* const W = W_.bodies(); W && list_.lean())
    list_.block_rows().add_impulses(admitted_, *W, p, static_cast<int>(k), r);
  else
    list_.members()[k].H.transpose_add(p, r);
}

/// The group of the first side that belongs to a group.
int IslandProblem::group_of(std::size_t i) const {
  const IslandContact& c = list_[i];
  return list_.members()[size(c.side[0].member >= 0 ? c.side[0].member : c.side[1].member)].group;
}

// The smaller of
//     y0 + (1 - g) h u0
// and the same from the gap y_phi of the prediction (q~, v~) at the contact instant,
//     y_phi + h ((1 - phi - g) u0 - c H (v~ - v0)) - h^2 a phi (g - (1 - phi)/2),
//         c = g at the end, phi/2 in the middle (Scheme::place),  a of ContactList::carried()
// For points that move along lines the two are equal. Only the first includes the arc by which a
// point on a rotating body was above the obstacle at the start; only the second includes
// accelerations that a scheme has stored, and a support that starts to move within the step.
// Between schemes of two gains g is between them, and the smaller one never requires more than the
// gap.
void IslandProblem::measure_reach(const IslandStep& step, double phi) {
  u_now_.setZero();  // H c (v~ - v0)
  for (ContactList::Member& m : list_.members()) {
    const Trial& x = step.trials[size(m.group)];
    m.w = (phi == 1.0 ? x.gain : 0.5 * phi) * (x.v - x.start->v);
    if (!list_.lean() && x.v.size() > 0) m.H.multiply_add(m.w, u_now_);
  }
  if (list_.lean())
    list_.add_normal_rates([](const ContactList::Member& m) -> const Vector& { return m.w; },
                           u_now_);
  in_parts(list_, list_.count(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double g = std::numeric_limits<double>::infinity();
      for (const IslandContact::Side& side : list_[i].side) {
        if (side.member < 0) continue;
        const Trial& x = step.trials[size(list_.members()[size(side.member)].group)];
        if (x.v.size() > 0) g = std::min(g, x.gain);  // bodies with prescribed motion have none
      }
      const auto k = static_cast<Eigen::Index>(i);
      const double h = step.h, u0 = motion.u0[row(i)];
      const double a = h * phi * (g - 0.5 * (1.0 - phi)) * list_.carried(i);
      motion.Y[k] = std::min(motion.y0[k] + (1.0 - g) * h * u0,
                             motion.gap[k] + h * ((1.0 - phi - g) * u0 - u_now_[row(i)] - a));
    }
  });
}

void IslandProblem::begin(const IslandStep& step, const Stage& stage) {
  h_ = step.h;
  left_ = 0.0;
  history_.begin(step, stage.level == Level::velocity, impulse_);
  if (needs_.falls) slips_.start(motion.u0);
}

void IslandProblem::clear() {
  admitted_.clear();
  rows_.clear();
  laws_.clear();
}

void IslandProblem::take(std::size_t i, Law entry) {
  entry.first = static_cast<int>(rows_.size());
  laws_.push_back(entry);
  admitted_.push_back(static_cast<int>(i));
  for (int a = 0; a < entry.size; ++a) rows_.push_back(row(i) + a);
}

void IslandProblem::size_rows() {
  const auto n = static_cast<Eigen::Index>(rows_.size());
  if (n == 0) return;  // the vectors keep their size for the next contact
  for (Vector* x : {&b_, &p_, &compliance_, &pressed_, &rho_, &u_end_}) x->resize(n);
  if (needs_.falls) W_p_.resize(n);
}

// The gaps are those of this step if the laws of the island need them (Admission).
Admission IslandProblem::admission(const IslandStep& step, std::size_t i) const {
  const auto k = static_cast<Eigen::Index>(i);
  return {.h = step.h,
          .gap = i < list_.named() ? motion.gap[k] : motion.gap[k] - list_.slack(),
          .rate = motion.u0[row(i)],
          .y0 = motion.y0[k],
          .y = motion.y[k],
          .held = history_.held(i),
          .bonded = history_.bonded(i),
          .loaded = history_.loaded(i)};
}

void IslandProblem::admit(const IslandStep& step, const Stage& stage, bool after_positions) {
  clear();
  const bool gaps_alone = stage.level == Level::position;
  admits_.resize(list_.count());
  in_parts(list_, list_.count(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Admission x = admission(step, i);
      x.gaps_alone = gaps_alone;
      x.after_positions = after_positions;
      admits_[i] = law(i).admits(x) ? 1 : 0;
    }
  });
  for (std::size_t i = 0; i < list_.count(); ++i) {
    if (admits_[i] == 0) continue;
    const IslandContact& c = list_[i];
    take(i, law(i).entry(
                gaps_alone ? ContactShape{} : ContactShape{c.tangents, c.rolls, c.spins, c.rows()},
                step.h));
  }
  size_rows();
  for (std::size_t k = 0; k < rows_.size(); ++k)
    p_[static_cast<Eigen::Index>(k)] = impulse_[rows_[k]];
}

bool IslandProblem::assemble(const IslandStep& step) {
  return W_.assemble(step, list_, joints_, admitted_, rows_, laws_, needs_.forces, motion.u0);
}

// A bonded contact keeps its present gap. Gaps that count as closed are 0: otherwise round-off
// would give a pile at rest a different problem in every step. Others between shapes close up to
// there, without a jump: redundant contacts, of which one exceeds that gap, would contradict each
// other by it.
double IslandProblem::reach(std::size_t i) const {
  if (!needs_.reach || history_.glued(i)) return 0.0;
  const double Y = motion.Y[static_cast<Eigen::Index>(i)],
               closed =
                   i < list_.named() ? kClosedShare * std::abs(list_[i].offset) : list_.slack();
  return !(Y > closed) ? 0.0 : i < list_.named() ? Y : Y - closed;
}

/// Mean of the given force of an actuator over the step.
double IslandProblem::effort(const IslandStep& step, std::size_t i) const {
  const double t0 = step.trials.front().t0;
  return list_.effort(i, t0, t0 + step.h);
}

RowState IslandProblem::row_state(const IslandStep& step, std::size_t i) const {
  const auto k = static_cast<Eigen::Index>(i);
  const int r = row(i);
  const double h = step.h;
  RowState x{.h = h,
             .y0 = motion.y0[k],
             .u0 = motion.u0[r],
             .y = motion.y[k],
             .u_free = u_free_[r],
             .ahead = ahead_[r],
             .before = motion.y0[k] - h * motion.u0[r],
             .reach = reach(i),
             .load = history_.lasts(i)};
  if (law(i).set_valued()) return x;
  x.u = u_now_[r];
  x.effort = effort(step, i);
  x.gain = step.trials[size(group_of(i))].gain;
  x.way = way(model_, joints_.system(), list_[i], group_of(i), {h, x.y0, x.y, x.u0, x.u});
  return x;
}

bool IslandProblem::right_hand_side(IslandStep& step, const Stage& stage) {
  const bool gaps_alone = stage.level == Level::position;
  const bool gaps = gaps_alone || std::any_of(admitted_.begin(), admitted_.end(),
                                              [&](int i) { return law(size(i)).reads_end_gap(); });
  if (gaps)
    list_.gaps(
        step.trials.front().t0 + step.h,
        [&](const ContactList::Member& m) -> const Vector& { return step.trials[size(m.group)].q; },
        motion.y);
  u_free_.setZero();
  ahead_.setZero();
  if (!joints_.empty()) joints_.release(step);
  const auto v_free = [&](std::size_t k) -> const Vector& {
    return joints_.empty() ? step.trials[size(list_.members()[k].group)].v_free : joints_.free(k);
  };
  add_rates(v_free, u_free_);
  for (std::size_t k = 0; gaps && k < list_.members().size(); ++k) {
    ContactList::Member& m = list_.members()[k];
    const Trial& trial = step.trials[size(m.group)];
    m.w = trial.gain * (v_free(k) - trial.v);
  }
  if (gaps) add_rates([&](std::size_t k) -> const Vector& { return list_.members()[k].w; }, ahead_);
  list_.add_drift(u_free_);
  if (needs_.forces) measure_rates(step);
  if (needs_.reach && step.trials.front().pass == 1)
    history_.find_lasting(admitted_, motion.u0, u_free_);
  compliance_.setZero();
  in_parts(list_, admitted_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto i = size(admitted_[k]);
      const auto first = static_cast<Eigen::Index>(laws_[k].first);
      RowState x = row_state(step, i);
      x.gaps_alone = gaps_alone;
      if (needs_.W) x.W = W_.diagonal()[first];
      const RowTerm term = law(i).row(x);
      b_[first] = term.b;
      compliance_[first] = term.compliance;
      for (int a = 1; a < laws_[k].size; ++a)
        b_[first + a] = u_free_[row(i) + a] + tangent_term(k, a);
      if (needs_.falls && !gaps_alone && law(i).weakens())
        law(i).strengthen(laws_[k], step.h, slips_[admitted_[k]]);
    }
  });
  if (needs_.forces) W_.add_diagonal(compliance_);
  return b_.allFinite();
}

// e_T u0 of row a > 0 of the k-th contact of the problem; 0 for rows of moments.
double IslandProblem::tangent_term(std::size_t k, int a) const {
  const auto i = size(admitted_[k]);
  return a < laws_[k].forces() ? law(i).facts().friction.tangential * motion.u0[row(i) + a] : 0.0;
}

void IslandProblem::measure_rates(const IslandStep& step) {
  u_now_.setZero();
  add_rates(
      [&](std::size_t k) -> const Vector& { return step.trials[size(list_.members()[k].group)].v; },
      u_now_);
  list_.add_drift(u_now_);
}

// Sets pressed_. For laws that expand it is (1 + e) P_c of a compression problem with the
// velocities at the start,
//     0 <= u0 + W P_c perp P_c >= 0,  and then  u = W (P_x + (1 + e) P_c) + b.
// (If the compression included the forces of the step, the weight of a body at rest would make it
// rebound.) Cohesion c shifts the cone: with P + h c n instead of P, b is reduced by W h c n. A
// given force T is the impulse h T.
// Returns whether pressed_ is not 0.
bool IslandProblem::press(const IslandStep& step, const Limits& limits, SolveReport& pressing) {
  bool presses = false;
  if (needs_.expands) {
    b_start_.resize(b_.size());
    p_start_.setZero(p_.size());
    for (std::size_t k = 0; k < rows_.size(); ++k)
      b_start_[static_cast<Eigen::Index>(k)] = motion.u0[rows_[k]];
    step.solver.active.clear();
    pressing =
        model_.solver().solve({W_.W(), b_start_, laws_, rows_}, limits, step.solver, p_start_);
    for (std::size_t k = 0; k < admitted_.size(); ++k)
      if (const LawFacts& facts = law(size(admitted_[k])).facts(); facts.expands) {
        const int first = laws_[k].first;
        pressed_[first] = (1.0 + facts.restitution) * p_start_[first];
        p_[first] = 0.0;
        presses = true;
      }
  }
  for (std::size_t k = 0; needs_.given && k < admitted_.size(); ++k)
    if (const auto i = size(admitted_[k]); law(i).facts().given) {
      pressed_[laws_[k].first] = step.h * effort(step, i);
      p_[laws_[k].first] = 0.0;
      presses = true;
    }
  for (std::size_t k = 0; needs_.coheres && k < admitted_.size(); ++k)
    if (const double c = law(size(admitted_[k])).facts().cohesion;
        c > 0.0 && history_.bonded(size(admitted_[k]))) {
      pressed_[laws_[k].first] -= step.h * c;
      p_[laws_[k].first] += step.h * c;  // the warm start is P
      presses = true;
    }
  return presses;
}

SolveReport IslandProblem::solve(IslandStep& step, const Stage& stage, bool even) {
  Limits limits = model_.options().contact;
  limits.tolerance = tolerance();
  if (limits.enough > 0.0) limits.share = std::min(1.0, step.h / model_.options().h);
  limits.even = even;
  limits.stop = step.stop;
  pressed_.setZero();
  SolveReport pressing{true, 0, 0.0};
  if (stage.level == Level::velocity && press(step, limits, pressing)) {
    b_start_.resize(b_.size());
    W_.W().apply(pressed_, b_start_);
    b_ += b_start_;
  }
  step.solver.active.clear();
  limits_ = limits;
  if (step.observed) start_ = p_;
  SolveReport found = model_.solver().solve({W_.W(), b_, laws_, rows_}, limits, step.solver, p_);
  // the next pass has other rows, and should not search again for what this one did not find
  if (found.converged && found.residual > limits.tolerance) left_ = 1.2 * found.residual;
  found.iterations += pressing.iterations;
  found.residual = worse(found.residual, pressing.residual);
  found.closing = worse(found.closing, pressing.closing);
  found.converged = found.converged && pressing.converged;
  closing_ = found.speed * Certificate{.contacts = laws_.size()}.allowed(limits.tolerance);
  return found;
}

SolveReport IslandProblem::close_gaps(IslandStep& step) {
  for (std::size_t k = 0; k < admitted_.size(); ++k)
    b_[static_cast<Eigen::Index>(k)] = motion.y[admitted_[k]] / step.h;
  p_.setZero();
  pressed_.setZero();
  step.solver.active.clear();
  Limits limits = model_.options().contact;
  limits.stop = step.stop;
  const SolveReport found =
      model_.solver().solve({W_.W(), b_, laws_, rows_}, limits, step.solver, p_);
  if (found.converged) give();
  return found;
}

void IslandProblem::give() {
  impulse_.swap(kept_);
  impulse_.setZero(kept_.size());
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    impulse_[rows_[k]] = p_[at] + pressed_[at];
  }
}

double IslandProblem::change(const IslandStep& step, bool of_forces_alone) {
  double scale = impulse_.cwiseAbs().maxCoeff(), change = 0.0;
  if (!rows_.empty()) {
    rho_ = W_.diagonal().cwiseInverse();
    scale = std::max(scale, impulse_scale(step.energy, rho_));
  }
  // A stiff servo at rest changes by the round-off of its coordinate only, y/(h C).
  for (std::size_t k = 0; needs_.actuators && k < admitted_.size(); ++k) {
    const auto i = size(admitted_[k]);
    const double C = compliance_[laws_[k].first];
    if (list_[i].actuated && std::abs(normal(i) - kept_[row(i)]) * h_ * C <= list_.round_off(i))
      kept_[row(i)] = normal(i);
  }
  if (!of_forces_alone)
    change = (impulse_ - kept_).cwiseAbs().maxCoeff();
  else  // the force distribution of the others may not be unique
    for (const int i : admitted_)
      if (list_[size(i)].joint_law >= 0 || !law(size(i)).set_valued())
        change = worse(change, std::abs(impulse_[row(size(i))] - kept_[row(size(i))]));
  return scale > kNoImpulse ? change / scale : 0.0;
}

double IslandProblem::next_slips(const IslandStep& step) {
  if (!admitted_.empty()) {
    W_.W().apply(p_, W_p_);
    u_end_ = b_ + W_p_;
  }
  return slips_.advance(admitted_, laws_, W_.diagonal(), u_end_, p_, step.h);
}

double IslandProblem::measure(IslandStep& step, const Stage& stage) {
  const bool gaps_alone = stage.level == Level::position;
  motion.u.setZero();
  if (!gaps_alone)
    add_rates(
        [&](std::size_t k) -> const Vector& { return step.ends[size(list_.members()[k].group)].v; },
        motion.u);
  list_.add_drift(motion.u);
  heaviest_.assign(blocks_in(admitted_.size()), 0.0);  // largest rho of forces
  in_parts(list_, admitted_.size(), [&](std::size_t begin, std::size_t end) {
    double heaviest = 0.0;
    for (std::size_t k = begin; k < end; ++k) {
      const auto i = size(admitted_[k]);
      const int r = row(i);
      const auto first = static_cast<Eigen::Index>(laws_[k].first);
      const double y0 = motion.y0[admitted_[k]], y = motion.y[admitted_[k]], u0 = motion.u0[r];
      u_end_[first] = law(i).row_at_end({.gaps_alone = gaps_alone,
                                         .h = step.h,
                                         .y0 = y0,
                                         .u0 = u0,
                                         .y = y,
                                         .u = motion.u[r],
                                         .before = y0 - step.h * u0,
                                         .way = way(model_, joints_.system(), list_[i], group_of(i),
                                                    {step.h, y0, y, u0, motion.u[r]}),
                                         .compliance = compliance_[first],
                                         .P = p_[first],
                                         .reach = reach(i),
                                         .load = history_.lasts(i),
                                         .effort = effort(step, i),
                                         .W = diagonal(first)});
      for (int a = 1; a < laws_[k].size; ++a)
        u_end_[first + a] = motion.u[r + a] + tangent_term(k, a);
      heaviest = std::max(heaviest, set_steps(laws_[k], W_.diagonal(), rho_));
      if (law(i).weakens())
        law(i).strengthen(laws_[k], step.h, SlipIteration::slip(law(i), laws_[k], u_end_));
    }
    if (begin < end) heaviest_[begin / kBlock] = heaviest;
  });
  const double heaviest = heaviest_.empty() ? 0.0 : *std::ranges::max_element(heaviest_);
  return natural_map(laws_, rho_, u_end_, b_, p_, impulse_scale(step.energy, heaviest));
}

double IslandProblem::damping(std::size_t i) const {
  if (list_[i].joint_law < 0 || !(law(i).facts().damping > 0.0)) return 0.0;
  const auto k = acting_row(admitted_, laws_, i, law(i).bilateral() || normal(i) != 0.0);
  return k < 0 ? 0.0 : law(i).damping_impulse(h_, diagonal(k), motion.u0[row(i)], u_now_[row(i)]);
}

}  // namespace saltus
