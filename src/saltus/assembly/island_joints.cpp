#include "saltus/assembly/island_joints.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

constexpr double kSlow = 1.0 / 16.0;  // an old factor of S must converge faster than this
constexpr int kFewRows = 12;  // up to so many joint rows factorising is cheaper than correcting
// Relative change of L: refinement that ends above it has failed.
constexpr double kUnsolved = 1e-6;

bool prescribed(const Model& model, std::span<const int> groups) {
  return std::ranges::any_of(groups, [&](int g) {
    return model.groups()[static_cast<std::size_t>(g)].dynamics->prescribed() > 0;
  });
}

std::vector<JointMember> members_of(const Model& model, std::span<const int> groups) {
  std::vector<JointMember> members;
  for (const int g : groups)
    members.push_back({g, model.groups()[static_cast<std::size_t>(g)].dynamics.get()});
  return members;
}

}  // namespace

IslandJoints::IslandJoints(const Model& model, std::span<const int> groups)
    : model_(model),
      system_(model.joints(), model.couplings(), members_of(model, groups)),
      asked_(model.options().joints),
      level_(asked_),
      bilateral_(model.options().bilateral),
      stiffness_(model, groups),
      links_(model, groups),
      loads_(model, prescribed(model, groups)),
      breakable_(model, system_) {
  const auto here = [&](const JointSide& side) {
    return std::find(groups.begin(), groups.end(), side.group) != groups.end();
  };
  if (std::none_of(model.joints().begin(), model.joints().end(),
                   [&](const Joint& joint) { return here(joint.a) || here(joint.b); }))
    return;
  loads_.reserve();
  for (const int g : groups) {
    const Dynamics& body = *model.groups()[size(g)].dynamics;
    Member m;
    m.group = g;
    m.q.resize(body.positions());
    m.axes.resize(body.positions());
    m.w.resize(body.velocities());
    for (Vector* x : {&m.r, &m.all, &m.change, &m.kept, &m.v_kept}) x->setZero(body.velocities());
    v_.push_back(m.w);
    steady_ = steady_ && (m.w.size() == 0 || model_.groups()[size(g)].scheme->axes_fixed());
    members_.push_back(std::move(m));
  }
  const bool swings = std::ranges::any_of(members_, [&](const Member& m) {
    const Scheme& scheme = *group(m).scheme;
    return m.w.size() > 0 && scheme.gain() < 1.0 && scheme.velocity_at() == 1.0 &&
           !scheme.fixed_step();
  });
  controlled_ = swings && model.options().controlled();
  if (swings) {
    jump_times_ = system_.jumps();
    std::erase_if(jump_times_, [](double t) { return t <= 0.0; });
  }
  size_vectors();
  L_.setZero(system_.rows());
}

void IslandJoints::size_vectors() {
  for (Vector* x : {&g_, &u_, &L_free_}) x->setZero(system_.rows());
  member_of_row_.clear();
}

void IslandJoints::begin(const IslandStep& step) {
  if (links_.slacken(system_, L_)) size_vectors();
  if (breakable_.set_broken(step.broken)) leave_out_broken();
  if (!jump_times_.empty()) {
    // t0 + h can differ from the next t0 by round-off, and the jump may lie between them
    const double t0 = step.trials.front().t0, t1 = t0 + step.h, round_off = 1e-9 * step.h;
    const auto next = std::ranges::lower_bound(jump_times_, t0 - round_off);
    jumps_ = next != jump_times_.end() && *next <= t1 + round_off;
    level_ = jumps_ && asked_ != JointLevel::velocity ? JointLevel::both : asked_;
    bilateral_ = jumps_ ? Bilateral::end_zero : model_.options().bilateral;
  }
  L_.setZero(system_.rows());
  stiffness_.begin();
  for (Member& m : members_) {
    m.all.setZero();
    m.kept.setZero();
    m.v_kept.setZero();
  }
  L_kept_.setZero(system_.rows());
  at_end_ = false;
  drift_work_ = 0.0;
}

// The rows are arranged again from the joints that are left, so that they do not depend on when the
// others broke: a resumed run then gives the same bits as the original one.
void IslandJoints::leave_out_broken() {
  std::vector<int> groups;
  for (const Member& m : members_) groups.push_back(m.group);
  system_ = JointSystem(model_.joints(), model_.couplings(), members_of(model_, groups),
                        breakable_.left_out());
  links_.forget();
  size_vectors();
  loads_.clear();
}

void IslandJoints::stiffen(IslandStep& step) {
  stiffness_.add(step, system_, L_);
  if (level_ == JointLevel::velocity || steady_ || at_end_ ||
      !links_.tauten(step, breakable_.left_out(), system_, L_))
    return;
  size_vectors();
  place(step);
  rates_of_gaps(step, g_);
}

void IslandJoints::slacken(IslandStep& step) {
  if (!links_.slacken(system_, L_)) return;
  size_vectors();
  place(step);
}

void IslandJoints::meet_contacts() {
  if (jumps_) level_ = JointLevel::velocity;
}

void IslandJoints::place(IslandStep& step) {
  for (Member& m : members_) {
    const Scheme& scheme = *group(m).scheme;
    const Trial& trial = step.trials[size(m.group)];
    scheme.place(*group(m).dynamics, trial, 0.5, m.q);
    scheme.place(*group(m).dynamics, trial, scheme.axes_at(), m.axes);
  }
  const double t0 = step.trials.front().t0;
  const JointSystem::Configuration q0 = [&](int m) -> const Vector & {
    return step.trials[size(members_[size(m)].group)].start->q;
  },
                                   q1 = [&](int m) -> const Vector & {
                                     return step.trials[size(members_[size(m)].group)].q;
                                   },
                                   q = [&](int m) -> const Vector & { return members_[size(m)].q; },
                                   axes = [&](int m) -> const Vector & {
                                     return members_[size(m)].axes;
                                   };
  if (at_end_)
    system_.make_rows(t0 + step.h, q1);
  else if (steady_)  // the configuration at mid-step is known, that at the end is not
    system_.make_rows({t0, t0 + step.h, q, q, q, axes});
  else
    system_.make_rows({t0, t0 + step.h, q0, q1, q, axes});
}

// L_free_ <- c - G (v_free + A^-1 r0), where G v1 = c; G is applied once, to the difference of the
// velocities.
void IslandJoints::target(IslandStep& step) {
  const bool position = level_ != JointLevel::velocity, middle = bilateral_ != Bilateral::end_zero;
  if (position) {
    if (step.trials[size(members_.front().group)].pass <= 1) rates_of_gaps(step, g_);
    L_free_ = -g_;  // from outstanding() if there was a previous pass
  } else {
    L_free_ = -system_.drift1();
    if (middle) L_free_ -= system_.drift0();
  }
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Member& member = members_[m];
    if (member.w.size() == 0) continue;
    const Trial& trial = step.trials[size(member.group)];
    if (position)
      member.w = trial.v - trial.v_free - member.v_kept;
    else if (middle)
      member.w = -(trial.start->v + trial.v_free);
    else
      member.w = -trial.v_free;
    system_.multiply_add(static_cast<int>(m), member.w, L_free_);
  }
}

// g(q)/(gain h) of the iterate, with the gain of the bodies of the row. For
//     q1 = q0 + h ((1 - gain) v0 + gain v1)
// it is
//     g/(gain h) = w + g0/(gain h),   w = G v1 + d1 + (1/gain - 1) (G v0 + d0)
// Round-off is removed from g0, the gap at the start of the step, because it would never come to
// rest. It must not be removed from g: if a body rotates, G v0 opens the gap by (h omega)^2/2 of
// its arms in every step; if this accumulated until it counts, it would come back as a velocity
// that changes its sign from step to step, against all contacts that stick.
void IslandJoints::rates_of_gaps(IslandStep& step, Vector& rates) {
  if (member_of_row_.empty())
    for (int i = 0; i < system_.rows(); ++i) member_of_row_.push_back(system_.member_of_row(i));
  system_.gaps(
      step.trials.front().t0 + step.h,
      [&](int m) -> const Vector& { return step.trials[size(members_[size(m)].group)].q; }, rates);
  opening_.setZero(rates.size());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Member& member = members_[m];
    if (member.w.size() == 0) continue;
    const Trial& trial = step.trials[size(member.group)];
    member.w = trial.v + (1.0 / trial.gain - 1.0) * trial.start->v;
    system_.multiply_add(static_cast<int>(m), member.w, opening_);
  }
  const std::span<const char> turns = system_.turns();
  const double extent = system_.extent();
  for (Eigen::Index i = 0; i < rates.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double gain = step.trials[size(members_[size(member_of_row_[k])].group)].gain,
                 noise = ConstraintProjection::kRoundOff * (turns[k] != 0 ? 1.0 : extent);
    const double w = opening_[i] + system_.drift1()[i] + (1.0 / gain - 1.0) * system_.drift0()[i];
    const double start = rates[i] - gain * step.h * w;
    // Near singular configurations of loops any round-off grows; and if bodies rotate far in a
    // step, g0 is not round-off.
    if (system_.loops() || std::abs(start) > 4.0 * noise) {
      rates[i] = std::abs(rates[i]) <= noise ? 0.0 : rates[i] / (gain * step.h);
      continue;
    }
    // Removes g0 up to `noise`, and continuously beyond; the digits that positions have lost must
    // not count at this limit.
    const double beyond = rates[i] - std::clamp(start, -noise, noise);
    rates[i] = std::abs(beyond) <= noise / 16.0 ? 0.0 : beyond / (gain * step.h);
    if (std::abs(start) <= noise) rates[i] = w;
  }
  for (Eigen::Index i = 0; links_.taut() && i < rates.size(); ++i)
    if (links_.across(i)) rates[i] = 0.0;
}

// S~ of an earlier pass serves as factor as long as it reduces the error strongly:
//     S~ (L_free - L) = c - G v_free - G A^-1 G^T L
bool IslandJoints::linearise(IslandStep& step, bool factors_kept, bool contacts) {
  const int pass = step.trials[size(members_.front().group)].pass;
  const bool corrects = !factors_kept && !contacts && !links_.taut() && pass > 1 && !at_end_ &&
                        system_.rows() > kFewRows && left_ <= kSlow * left_before_;
  const auto A = [&](int m) -> const Factor& {
    return step.trials[size(members_[size(m)].group)].A;
  };
  // At the start of the step their gaps are closed.
  if (pass <= 1 && !factors_kept && system_.loops()) {
    system_.make_rows(step.trials.front().t0, [&](int m) -> const Vector& {
      return step.trials[size(members_[size(m)].group)].start->q;
    });
    if (!system_.find_dependent(A)) return false;
    place(step);
  }
  if (at_end_ && !system_.find_dependent(A)) return false;
  if (!factors_kept && !corrects && !system_.factorise_kept(A)) return false;
  if (at_end_)
    for (Member& m : members_) {
      m.v_kept = m.kept;
      if (m.w.size() > 0) solve(step.trials[size(m.group)].A, m.v_kept);
    }
  target(step);
  if (!corrects) {
    solve_joints(step, L_free_);
    return L_free_.allFinite();
  }
  subtract_response(step, L_, L_free_);
  system_.solve(L_free_);
  L_free_ += L_;
  return L_free_.allFinite();
}

/// u -= G A^-1 G^T L
void IslandJoints::subtract_response(IslandStep& step, const Vector& L, Vector& u) {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Member& member = members_[m];
    if (member.w.size() == 0) continue;
    member.w.setZero();
    system_.transpose_add(static_cast<int>(m), L, member.w);
    solve(step.trials[size(member.group)].A, member.w);
    member.w = -member.w;
    system_.multiply_add(static_cast<int>(m), member.w, u);
  }
  links_.subtract(L, u);
}

// x <- S^-1 x. The factor is that of the symmetric part of S; if A is not symmetric, iterates
//     x <- x + S~^-1 (b - G A^-1 G^T x),
// which reduces the error by the ratio of the two parts each time.
void IslandJoints::solve_joints(IslandStep& step, Vector& x) {
  const bool exact = std::all_of(members_.begin(), members_.end(), [&](const Member& m) {
    return m.w.size() == 0 || symmetric(step.trials[size(m.group)].A);
  });
  if (!exact) right_ = x;
  system_.solve(x);
  unsolved_ = false;
  if (exact) return;
  constexpr int kMost = 30;
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMost; ++k) {
    rest_ = right_;
    subtract_response(step, x, rest_);
    system_.solve(rest_);
    const double change = rest_.norm();
    unsolved_ = change > kUnsolved * x.norm();
    if (!(change < 0.5 * before)) return;  // at round-off
    x += rest_;
    before = change;
  }
}

void IslandJoints::release(IslandStep& step) {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Trial& trial = step.trials[size(members_[m].group)];
    v_[m].setZero();
    system_.transpose_add(static_cast<int>(m), L_free_, v_[m]);
    if (v_[m].size() > 0) solve(trial.A, v_[m]);
    v_[m] += trial.v_free + members_[m].v_kept;
  }
}

// L = S^-1 (c - G (v_free + A^-1 r0) - G A^-1 r)
void IslandJoints::react(IslandStep& step) {
  u_.setZero();
  bool touched = false;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Member& member = members_[m];
    const Trial& trial = step.trials[size(member.group)];
    if (member.w.size() == 0 || trial.r.isZero(0.0)) continue;
    touched = true;
    member.w = trial.r;
    solve(trial.A, member.w);
    system_.multiply_add(static_cast<int>(m), member.w, u_);
  }
  if (touched) {
    solve_joints(step, u_);
    L_ = L_free_ - u_;
  } else {
    L_ = L_free_;
  }
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Member& member = members_[m];
    member.r.setZero();
    system_.transpose_add(static_cast<int>(m), L_, member.r);
    member.r += member.kept;
    if (crossing_ && !at_end_) member.kept = member.r;
    Vector& r = step.trials[size(member.group)].r;
    r += member.r;
    member.change = r - member.all;
    member.all = r;
  }
  stiffness_.take_back(step);
  if (crossing_ && !at_end_) {
    L_kept_ = L_;
    at_end_ = true;
  } else if (at_end_) {
    L_ += L_kept_;
  }
  drift_work_ = 0.5 * L_.dot(system_.drift0() + system_.drift1());
}

// Rows of drives whose rates jump do work on the mean of the old and the new velocities, whatever
// their prescribed rates are.
double IslandJoints::work_of_jump(IslandStep& step) {
  const std::span<const char> moved = system_.moved();
  u_.setZero();
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Trial& trial = step.trials[size(members_[m].group)];
    members_[m].w = trial.start->v + trial.v;
    system_.multiply_add(static_cast<int>(m), members_[m].w, u_);
  }
  double work = 0.0;
  for (Eigen::Index i = 0; i < u_.size(); ++i)
    if (moved[size(static_cast<int>(i))]) work -= 0.5 * L_[i] * u_[i];
  return work;
}

// Compares energies: that of the velocity correction which g still requires or, while G changes,
// that of the change of all impulses r (L alone may vary if the force distribution of redundant
// contacts is not unique), relative to the energy of the step. Convergence of G itself is not
// required at level position: if g is satisfied at once, as for slides, the step ends after one
// pass, with G and the arms of its impulses at the prediction. They act and are reported with the
// same G, which differs from that at mid-step by about h dv/2.
double IslandJoints::outstanding(IslandStep& step) {
  if (unsolved_) return std::numeric_limits<double>::infinity();
  if (level_ == JointLevel::velocity && steady_) return 0.0;
  double left = 0.0, scale = 2.0 * step.energy, most = 0.0;
  if (level_ == JointLevel::velocity) {
    for (Member& m : members_) {
      if (m.w.size() == 0) continue;
      const Trial& trial = step.trials[size(m.group)];
      m.w = m.change;
      solve(trial.A, m.w);
      left += m.change.dot(m.w);
      m.w = trial.r;
      solve(trial.A, m.w);
      most += trial.r.dot(m.w);
    }
  } else {
    // G is that of the previous pass: if reactions were chosen among many, they are final only when
    // G no longer changes
    for (Member& m : members_) {
      if (m.w.size() == 0 || system_.dependent().empty()) continue;
      const Trial& trial = step.trials[size(m.group)];
      m.w = m.change;
      solve(trial.A, m.w);
      left += m.change.dot(m.w);
    }
    rates_of_gaps(step, g_);
    const Vector& diagonal = system_.diagonal();
    for (Eigen::Index i = 0; i < L_.size(); ++i) {
      const double S = diagonal[i];
      if (!(S > 0.0) || links_.across(i)) continue;
      left += g_[i] * g_[i] / S;
      most += L_[i] * L_[i] * S;
    }
  }
  scale = std::max(scale, most);
  left += stiffness_.outstanding() + links_.energy(system_, L_);
  // From rest, or if no energies are computed, the scale is the energy that the step gives the
  // bodies.
  const double asked = step.model.options().pass_tolerance;
  if (!(left <= asked * asked * scale)) {
    double moving = 0.0;
    for (Member& m : members_) {
      if (m.w.size() == 0) continue;
      const Trial& trial = step.trials[size(m.group)];
      group(m).dynamics->multiply({1.0, 0.0, 0.0}, trial.t0 + trial.h, trial.q, trial.v, trial.v,
                                  m.w);
      moving += trial.v.dot(m.w);
    }
    scale = std::max(scale, moving);
  }
  const int pass = step.trials[size(members_.front().group)].pass;
  left_before_ = pass <= 1 ? std::numeric_limits<double>::infinity() : left_;
  constexpr double kNothing = 1e-280;  // [J]: numbers near the smallest double have no digits
  left_ = left > kNothing ? (scale > 0.0 ? std::sqrt(left / scale) : 1.0) : 0.0;
  return left_;
}

// Impulses of the step over h, and the mean over both ends of the forces that act in stages.
void IslandJoints::measure_loads(IslandStep& step) {
  if (jumps_) drift_work_ = work_of_jump(step);
  loads_.clear();
  loads_.add(system_, L_, step.h);
  breakable_.clear();
  breakable_.add(system_, L_, step.h);
  for (const Member& m : members_) loads_.add_jointed(group(m), step.trials[size(m.group)], step.h);
}

bool IslandJoints::impulse(int g, Out r) const {
  for (const Member& m : members_)
    if (m.group == g) {
      r = m.r;
      return true;
    }
  return false;
}

}  // namespace saltus
