#include "saltus/assembly/island_problem.h"

#include <algorithm>
#include <cmath>

#include "saltus/contact/certificate.h"
#include "saltus/contact/laws/slip.h"
#include "saltus/contact/residual.h"
#include "saltus/linear_algebra/blocks_internal.h"

namespace saltus {
namespace {

/// Impulses that are nothing [N s]: what decays for ever loses its digits near the least number.
constexpr double kNoImpulse = 1e-200;

}  // namespace

IslandProblem::IslandProblem(const Model& model, ContactList& list, IslandJoints& joints)
    : model_(model), list_(list), joints_(joints) {
  for (const int i : list_.laws()) {
    const ContactLaw& law = model.law(i);
    const LawFacts& facts = law.facts();
    needs_.start_gaps = needs_.start_gaps || facts.reads_start_gap || facts.closes_gaps;
    needs_.reach = needs_.reach || facts.closes_gaps;
    needs_.forces = needs_.forces || !law.set_valued();
    needs_.follows = needs_.follows || facts.follows_passes;
    needs_.damping = needs_.damping || facts.damping > 0.0;
    needs_.activates = needs_.activates || law.activated();
    needs_.expands = needs_.expands || facts.expands;
    needs_.coheres = needs_.coheres || facts.cohesion > 0.0;
    needs_.falls = needs_.falls || law.weakens();
  }
  for (std::size_t i = 0; i < list_.named(); ++i) {
    if (list_[i].joint_law < 0) continue;
    needs_.dampers = needs_.dampers || law(i).facts().damping > 0.0;
    needs_.stops = needs_.stops || !law(i).slides_on_normal();
  }
  // Forces may be functions of a user's, of which one thread asks; the slips of the start are those of all contacts; W of bodies on
  // joints is another.
  if (!needs_.forces && !needs_.falls && joints_.empty()) list_.allow_lean();
  resize();
}

void IslandProblem::resize() {
  const auto n = static_cast<Eigen::Index>(list_.count());
  for (Vector* x : {&motion.gap, &motion.y, &motion.y0, &motion.Y}) x->resize(n);
  if (needs_.falls) slip_.resize(n);
  for (Vector* x : {&motion.u0, &motion.u, &u_free_, &u_now_, &ahead_, &impulse_})
    x->resize(list_.rows());
  held_.resize(list_.count());
  loaded_.resize(list_.count());
  lasts_.resize(list_.count());
  bonded_.resize(list_.count());
}

/// use(begin, end) on parts of 0 .. count - 1; by several threads where there are many contacts, which have laws that any of them
/// may ask.
template <class Use>
void IslandProblem::in_parts(std::size_t count, const Use& use) const {
  if (list_.lean())
    in_blocks(count, [&](std::size_t, std::size_t begin, std::size_t end) { use(begin, end); });
  else
    use(std::size_t{0}, count);
}

/// u += H v on the contacts that are in, with velocities v_of(k) of member k; without lean lists on all.
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
    list_.add_impulses(admitted_, *W, p, static_cast<int>(k), r);
  else
    list_.members()[k].H.transpose_add(p, r);
}

/// The group of the first side that is one.
int IslandProblem::group_of(std::size_t i) const {
  const IslandContact& c = list_[i];
  return list_.members()[size(c.side[0].member >= 0 ? c.side[0].member : c.side[1].member)].group;
}

// The least of
//     y0 + (1 - g) h u0
// and the same from the gap y_phi of the prediction (q~, v~) at the contact instant, on the rows there,
//     y_phi + h ((1 - phi - g) u0 - c H (v~ - v0)),   c = g at the end, phi/2 in the middle (Scheme::place).
// For points that move along lines both are one number. A point that turns was above the obstacle at the start by its arc, which the
// second does not know; a scheme with a memory of accelerations, or a support that starts within the step, shows in the second
// alone. Between schemes of two gains g is between them, and the smaller never asks for more than the gap.
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
  in_parts(list_.count(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double g = std::numeric_limits<double>::infinity();
      for (const IslandContact::Side& side : list_[i].side) {
        if (side.member < 0) continue;
        const Trial& x = step.trials[size(list_.members()[size(side.member)].group)];
        if (x.v.size() > 0) g = std::min(g, x.gain);  // what is led has none
      }
      const auto k = static_cast<Eigen::Index>(i);
      const double h = step.h, u0 = motion.u0[row(i)];
      motion.Y[k] = std::min(motion.y0[k] + (1.0 - g) * h * u0,
                             motion.gap[k] + h * ((1.0 - phi - g) * u0 - u_now_[row(i)]));
    }
  });
}

void IslandProblem::begin(const IslandStep& step, const Stage& stage) {
  h_ = step.h;
  left_ = 0.0;
  impulse_.setZero();
  std::fill(loaded_.begin(), loaded_.end(), '\0');
  std::fill(lasts_.begin(), lasts_.end(), '\0');
  // Bonds are there at t = 0; one that opened is not remembered.
  std::fill(bonded_.begin(), bonded_.end(), step.trials.front().t0 == 0.0 ? '\1' : '\0');
  if (stage.level == Level::velocity && list_.count() > 0) {
    in_parts(list_.count(), [&](std::size_t begin, std::size_t end) {
      auto memory =
          std::ranges::lower_bound(step.before, list_[begin].key, {}, &ContactMemory::key);
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint64_t key = list_[i].key;
        while (memory != step.before.end() && memory->key < key) ++memory;
        if (memory == step.before.end()) break;
        if (memory->key != key) continue;
        const IslandContact& c = list_[i];
        bonded_[i] = 1;
        for (int a = 0; a < c.rows(); ++a)
          impulse_[row(i) + a] = a == 0            ? memory->impulse[0]
                                 : a <= c.tangents ? memory->impulse[a] / c.scale[size(a - 1)]
                                                   : memory->moment[c.axis_of(a)];
        loaded_[i] = impulse_[row(i)] > 0.0 ? 1 : 0;
      }
    });
  }
  if (needs_.falls) start_slips();
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

// Gaps are those of this step where the laws of the island ask for them (Admission).
Admission IslandProblem::admission(const IslandStep& step, std::size_t i) const {
  const auto k = static_cast<Eigen::Index>(i);
  return {.h = step.h,
          .gap = i < list_.named() ? motion.gap[k] : motion.gap[k] - list_.slack(),
          .rate = motion.u0[row(i)],
          .y0 = motion.y0[k],
          .y = motion.y[k],
          .held = held_[i] != 0,
          .bonded = bonded_[i] != 0,
          .loaded = loaded(i)};
}

void IslandProblem::admit(const IslandStep& step, const Stage& stage, bool after_positions) {
  clear();
  const bool gaps_alone = stage.level == Level::position;
  admits_.resize(list_.count());
  in_parts(list_.count(), [&](std::size_t begin, std::size_t end) {
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

void IslandProblem::hold() {
  std::fill(held_.begin(), held_.end(), '\0');
  for (std::size_t k = 0; k < admitted_.size(); ++k)
    held_[size(admitted_[k])] = p_[static_cast<Eigen::Index>(k)] > 0.0 ? 1 : 0;
}

bool IslandProblem::assemble(const IslandStep& step) {
  return W_.assemble(step, list_, joints_, admitted_, rows_, laws_, needs_.forces, motion.u0);
}

double IslandProblem::way(double h, std::size_t i, double gap_end, double u_end) const {
  return list_[i].joint_law >= 0 && law(i).facts().follows_way
             ? coordinate_way(h, i, gap_end, u_end)
             : 1.0;
}

// s = (y1 - y0)/(h (u0 + u1)/2) of a spring on a joint, where it can be told from round-off: K s (y0 + y1)/2 then works on
// the velocities of the step what the spring stores, under schemes whose way is not h times the mean rate. A length has it
// from the place of the rows between: for point masses e . (d1 - d0) = (l1 - l0) (l0 + l1)/(2 l).
double IslandProblem::coordinate_way(double h, std::size_t i, double gap_end, double u_end) const {
  const JointLaw& on = model_.joint_laws()[size(list_[i].joint_law)];
  const JointKind kind = model_.joints()[size(on.joint)].kind;
  const double y0 = motion.y0[static_cast<Eigen::Index>(i)];
  if (kind == JointKind::line) {
    if (model_.groups()[size(group_of(i))].scheme->axes_fixed())
      return 1.0;                                                   // rows are not between
    const double sum = on.sign * (y0 + gap_end) + 2.0 * on.offset;  // l0 + l1
    return sum > 0.0 ? 2.0 * joints_.system().coordinate(on.joint, on.coordinate) / sum : 1.0;
  }
  // Others have ways that no rate makes where their axes turn.
  constexpr double kLeast = 1e-6;  // [rad]
  const bool turns = is_angle(kind, on.coordinate) && kind != JointKind::universal;
  const double by_rate = 0.5 * h * (motion.u0[row(i)] + u_end);
  if (!turns || !(std::abs(by_rate) > kLeast)) return 1.0;
  // Where the joint turns round the way is short, and what the ratio differs from 1 is round-off of the angles: taken from
  // pass to pass it would keep the passes from their tolerance.
  const double ratio = (gap_end - y0) / by_rate,
               angle = std::max({1.0, std::abs(on.sign * y0 + on.offset), std::abs(y0)}),
               round_off = 2.0 * std::numeric_limits<double>::epsilon() * angle;
  return std::abs(ratio - 1.0) * std::abs(by_rate) <= round_off ? 1.0 : ratio;
}

// A bond holds its point at the gap that it has. Gaps that count as closed are none: chasing round-off, a pile at rest would have
// another problem in every step.
double IslandProblem::reach(std::size_t i) const {
  if (!needs_.reach || glued(i)) return 0.0;
  const double Y = motion.Y[static_cast<Eigen::Index>(i)],
               closed =
                   i < list_.named() ? kClosedShare * std::abs(list_[i].offset) : list_.slack();
  return Y > closed ? Y : 0.0;
}
bool IslandProblem::loaded(std::size_t i) const { return loaded_[i] != 0 && !glued(i); }
bool IslandProblem::glued(std::size_t i) const {
  return bonded_[i] != 0 && law(i).facts().cohesion > 0.0;
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
             .load = lasts_[i] != 0};
  if (law(i).set_valued()) return x;
  x.u = u_now_[r];
  x.gain = step.trials[size(group_of(i))].gain;
  x.way = way(h, i, x.y, x.u);
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
    for (const int i : admitted_)
      lasts_[size(i)] = loaded(size(i)) &&
                        law(size(i)).load_lasts(motion.u0[row(size(i))], u_free_[row(size(i))]);
  compliance_.setZero();
  in_parts(admitted_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto i = size(admitted_[k]);
      const auto first = static_cast<Eigen::Index>(laws_[k].first);
      RowState x = row_state(step, i);
      x.gaps_alone = gaps_alone;
      const RowTerm term = law(i).row(x);
      b_[first] = term.b;
      compliance_[first] = term.compliance;
      for (int a = 1; a < laws_[k].size; ++a)
        b_[first + a] = u_free_[row(i) + a] + tangent_term(k, a);
      if (needs_.falls && !gaps_alone && law(i).weakens())
        law(i).strengthen(laws_[k], step.h, slip_[admitted_[k]]);
    }
  });
  if (needs_.forces) W_.add_diagonal(compliance_);
  return b_.allFinite();
}

// e_T u0 of row a > 0 of the k-th contact of the problem. Rows of moments have none.
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

// pressed_: under laws that expand (1 + e) P_c of a problem of compression,  0 <= u0 + W P_c perp P_c >= 0  with the velocities
// at the start, that of  u = W (P_x + (1 + e) P_c) + b. (With the forces of the step in the compression a body at rest would
// be thrown by its weight.) Cohesion c moves the cone: with P + h c n in the place of P, b loses W h c n. Whether there is any.
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
  for (std::size_t k = 0; needs_.coheres && k < admitted_.size(); ++k)
    if (const double c = law(size(admitted_[k])).facts().cohesion;
        c > 0.0 && bonded_[size(admitted_[k])] != 0) {
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
  // the next pass has other rows, and should not seek anew what this one has not found
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
  if (!of_forces_alone)
    change = (impulse_ - kept_).cwiseAbs().maxCoeff();
  else  // others may share their load in many ways
    for (const int i : admitted_)
      if (list_[size(i)].joint_law >= 0 || !law(size(i)).set_valued())
        change = worse(change, std::abs(impulse_[row(size(i))] - kept_[row(size(i))]));
  return scale > kNoImpulse ? change / scale : 0.0;
}

// Slip speed from which the passes begin: that of the start of the step, so that what slips goes on slipping and what
// sticks goes on sticking where the law allows both.
void IslandProblem::start_slips() {
  for (std::size_t i = 0; i < list_.count(); ++i) {
    if (!law(i).weakens()) continue;
    double s2 = 0.0;
    if (law(i).slides_on_normal())
      s2 = std::pow(motion.u0[row(i)] - law(i).facts().velocity, 2);
    else
      for (int a = 1; a <= list_[i].tangents; ++a)
        s2 += motion.u0[row(i) + a] * motion.u0[row(i) + a];
    slip_[static_cast<Eigen::Index>(i)] = std::sqrt(s2);
  }
}

// Slip of the k-th contact, u of all rows of the problem with the terms of the laws. Spins do not count.
double IslandProblem::slip_of(std::size_t k, const Vector& u) const {
  const ContactLaw& rule = law(size(admitted_[k]));
  const int rows = laws_[k].forces(), from = rule.slides_on_normal() ? 0 : 1;
  return u.segment(laws_[k].first + from, rows - from).norm() /
         (1.0 + rule.facts().friction.tangential);
}

// Each by the W of its own rows (slip.h).
double IslandProblem::next_slips(const IslandStep& step) {
  double off = 0.0;
  if (!admitted_.empty()) W_.W().apply(p_, W_p_);
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const ContactLaw& rule = law(size(admitted_[k]));
    if (!rule.weakens()) continue;
    const bool on_normal = rule.slides_on_normal();
    const Eigen::Index first = laws_[k].first + (on_normal ? 0 : 1),
                       end = laws_[k].first + laws_[k].forces();
    double w = 0.0;
    for (Eigen::Index r = first; r < end; ++r) {
      u_end_[r] = b_[r] + W_p_[r];
      w += W_.diagonal()[r] / static_cast<double>(end - first);
    }
    const double at_rest = rule.strength_at_rest() * (on_normal ? step.h : p_[first - 1]);
    const VelocityWeakening& f = rule.facts().velocity_weakening;
    double& x = slip_[admitted_[k]];
    const double s = slip_of(k, u_end_);
    off = worse(off, std::abs(f.share(s) - f.share(x)));
    x = next_slip(f, w * at_rest / (1.0 + rule.facts().friction.tangential), x, s);
  }
  return off;
}

// rho of the natural map: the inverse of the mean diagonal of W over forces, and over moments. Returns that of forces.
double IslandProblem::set_steps(const Law& entry) {
  const auto set = [&](int from, int count, double other) {
    double trace = 0.0;
    for (int a = from; a < from + count; ++a) trace += W_.diagonal()[a];
    const double rho = trace > 0.0 ? static_cast<double>(count) / trace : other;
    rho_.segment(from, count).setConstant(rho);
    return rho;
  };
  const int forces = entry.forces();
  const double rho_N = set(entry.first, forces, 1.0);  // 1 kg: nothing can move it
  if (forces < entry.size) set(entry.first + forces, entry.size - forces, rho_N);
  return rho_N;
}

double IslandProblem::measure(IslandStep& step, const Stage& stage) {
  const bool gaps_alone = stage.level == Level::position;
  motion.u.setZero();
  if (!gaps_alone)
    add_rates(
        [&](std::size_t k) -> const Vector& { return step.ends[size(list_.members()[k].group)].v; },
        motion.u);
  list_.add_drift(motion.u);
  heaviest_.assign(blocks_in(admitted_.size()), 0.0);  // of the rho of forces
  in_parts(admitted_.size(), [&](std::size_t begin, std::size_t end) {
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
                                         .way = way(step.h, i, y, motion.u[r]),
                                         .compliance = compliance_[first],
                                         .P = p_[first],
                                         .reach = reach(i),
                                         .load = lasts_[i] != 0});
      for (int a = 1; a < laws_[k].size; ++a)
        u_end_[first + a] = motion.u[r + a] + tangent_term(k, a);
      heaviest = std::max(heaviest, set_steps(laws_[k]));
      if (law(i).weakens()) law(i).strengthen(laws_[k], step.h, slip_of(k, u_end_));
    }
    if (begin < end) heaviest_[begin / kBlock] = heaviest;
  });
  const double heaviest = heaviest_.empty() ? 0.0 : *std::ranges::max_element(heaviest_);
  return natural_map(laws_, rho_, u_end_, b_, p_, impulse_scale(step.energy, heaviest));
}

double IslandProblem::damping(std::size_t i) const {
  if (list_[i].joint_law < 0 || !(law(i).facts().damping > 0.0)) return 0.0;
  if (!law(i).bilateral() && normal(i) == 0.0) return 0.0;  // a stop that is not reached
  return law(i).damping_impulse(h_, motion.u0[row(i)], u_now_[row(i)]);
}

// With the impulses that its cone is for: with the pull of cohesion, without what compression gave.
ContactView::Status IslandProblem::status(std::size_t k) const {
  const std::size_t i = size(admitted_[k]);
  const Law& entry = laws_[k];
  using Status = ContactView::Status;
  if (impulse_.segment(row(i), list_[i].rows()).isZero(0.0)) return Status::open;
  const double p = p_[entry.first];
  if (entry.kind == LawKind::box)
    return slides(entry.bound, std::abs(p), 1.0) ? Status::slides : Status::sticks;
  const int forces = entry.forces();
  if (forces < 2 || !(entry.friction > 0.0)) return Status::closed;
  const double tangential = p_.segment(entry.first + 1, forces - 1).norm();
  return slides(p, tangential, entry.friction) ? Status::slides : Status::sticks;
}

// A bond is lost where it bears all it can, P = -h c, and opens: u > 0, beyond what the solver leaves of it. Others may bear what
// is more, and it stays.
void IslandProblem::remember(std::vector<ContactMemory>& contacts) const {
  Vector u;
  const auto opens = [&](int k, double c) {
    if (u.size() == 0) {
      u.resize(b_.size());
      W_.W().apply(p_, u);
      u += b_;
    }
    return u[k] > model_.options().contact.tolerance * W_.W().scale(k) * h_ * c;
  };
  for (std::size_t k = 0; k < admitted_.size(); ++k) {
    const auto i = size(admitted_[k]);
    const IslandContact& c = list_[i];
    ContactMemory memory{c.key};
    for (int a = 0; a < c.rows(); ++a)
      (a <= c.tangents ? memory.impulse[a] : memory.moment[c.axis_of(a)]) =
          impulse_[c.first_row + a];
    memory.impulse = c.on_units(memory.impulse);
    const int first = laws_[k].first;
    const double strength = law(i).facts().cohesion;
    if (strength > 0.0 ? bonded_[i] != 0 && (p_[first] > 0.0 || !opens(first, strength))
                       : !memory.impulse.isZero(0.0))
      contacts.push_back(memory);
  }
}

}  // namespace saltus
