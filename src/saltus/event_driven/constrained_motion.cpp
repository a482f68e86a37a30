#include "saltus/event_driven/constrained_motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "saltus/base/index_internal.h"
#include "saltus/event_driven/constraint_rows.h"

namespace saltus {
namespace {

/// If a smaller fraction than this of the slip at the start of the step remains, the direction of
/// friction is kept, because round-off would turn it.
constexpr double kTail = 1e-3;
/// Round-off of a slip, relative to the velocity scale.
constexpr double kStillSlip = 1e-12;
/// Margin of the smallest force, relative to the largest force, above which a contact is no longer
/// marked redundant.
constexpr double kSpare = 1e-2;

/// Round-off of a velocity in force_sizes(), of which 1e-10 counts as nothing.
constexpr double kRateRound = 4.0 * 0x1p-52 / 1e-10;

}  // namespace

ConstrainedMotion::ConstrainedMotion(const Model& model)
    : model_(model),
      contacts_(model),
      kinematics_(model),
      joints_(model, kinematics_, contacts_.joints()),
      correction_(model, kinematics_, joints_) {
  const bool fixed = std::ranges::all_of(model.groups(), [](const Group& group) {
    const Dynamics& body = *group.dynamics;
    return body.velocities() > 0 && body.prescribed() == 0 &&
           has(body.traits(), Trait::fixed_points);
  });
  constant_rows_ = fixed && !contacts_.detects() && model.joint_laws().empty();
  springs_ =
      std::ranges::any_of(model.laws(), [](const AnyLaw& law) { return !law->set_valued(); });
  f_ = a_ = row_ = at_w_ = at_dw_ = at_dv_ = Vector::Zero(kinematics_.size());
}
ConstrainedMotion::~ConstrainedMotion() = default;

void ConstrainedMotion::set_modes(std::span<const ContactMode> modes) {
  modes_.assign(modes.begin(), modes.end());
  index_.assign(modes_.size(), -1);
  force_.assign(modes_.size(), Vector3::Zero());
  rate_ = drift_ = unit_ = force_;
  slip_.assign(modes_.size(), 0.0);
  still_ = slip_;
}

void ConstrainedMotion::mark_slips(double fraction, View motion) {
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    slip_[k] = std::hypot(rate_[k][1], rate_[k][2]);
    still_[k] = 0.0;
    for (int a = 1; index_[k] >= 0 && a <= contacts_.contact(at(index_[k])).tangents; ++a)
      still_[k] = std::max(still_[k], kStillSlip * contacts_.row_size(at(index_[k]), a, motion));
  }
  turn_ = fraction;
}

double ConstrainedMotion::slip_rate(View acceleration) const {
  double rate = 0.0;
  for (std::size_t k = 0; k < modes_.size(); ++k)
    for (int a = 1; index_[k] >= 0 && a <= contacts_.contact(at(index_[k])).tangents; ++a)
      if (slip_[k] > still_[k])
        rate = std::max(rate, contacts_.row_size(at(index_[k]), a, acceleration) / slip_[k]);
  return rate;
}

void ConstrainedMotion::look(double t, View w, View v) {
  kinematics_.evaluate(t, w, v);
  joints_.invalidate();
  contacts_.find(kinematics_.time(), kinematics_.groups());
}

void ConstrainedMotion::go(double t, View w, View v) {
  kinematics_.evaluate(t, w, v);
  joints_.invalidate();
  if (!modes_.empty() || springs_) {
    contacts_.find_rows(kinematics_.time(), kinematics_.groups());
    joints_.invalidate(!model_.joint_laws().empty());
    read_modes();
  }
}

void ConstrainedMotion::go_to(const State& state) {
  start(state.groups);
  set_modes(state.event_state.modes);
  at_v_ = kinematics_.velocities(state.groups);
  go(state.t, at_w_, at_v_);
}

const Vector& ConstrainedMotion::rates_at(const State& state) {
  start(state.groups);
  set_modes(state.event_state.modes);
  at_v_ = kinematics_.velocities(state.groups);
  rates(state.t, at_w_, at_v_, at_dw_, at_dv_);
  return at_dv_;
}

// Rates of the modes, and their prescribed parts.
void ConstrainedMotion::read_modes() {
  const auto groups = kinematics_.groups();
  const auto first = kinematics_.first();
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    index_[k] = contacts_.index_of(modes_[k].key);
    force_[k].setZero();
    rate_[k].setZero();
    drift_[k].setZero();
    if (index_[k] < 0) continue;
    const auto i = at(index_[k]);
    for (int a = 0; a <= contacts_.contact(i).tangents; ++a) {
      row_.setZero();
      contacts_.add_row(i, a, 1.0, row_);
      double own = 0.0;
      for (std::size_t g = 0; g < groups.size(); ++g)
        own += row_.segment(first[g], groups[g].v.size()).dot(groups[g].v);
      rate_[k][a] = contacts_.rate(i, a);
      drift_[k][a] = rate_[k][a] - own;
    }
  }
}

// mu f(s), or the bound f(s) of a relay
double ConstrainedMotion::strength(std::size_t k, double slip) const {
  return contacts_.law(at(index_[k])).strength(slip);
}

// F of the bodies, of active springs and of sliding relays.
void ConstrainedMotion::applied_forces(Out f) {
  kinematics_.body_forces(f);
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    if (index_[k] < 0) continue;
    const auto i = at(index_[k]);
    const ContactLaw& law = contacts_.law(i);
    if (!law.gives_force(modes_[k].kind == ContactMode::Kind::slides)) continue;
    // After the end of the contact the law continues as smoothly as possible, so that its end can
    // be located.
    force_[k][0] = law.facts().actuates
                       ? law.actuation(contacts_.gap(i), rate_[k][0], contacts_.effort(i))
                       : law.force(contacts_.gap(i), rate_[k][0], modes_[k].direction[0]);
    contacts_.add_row(i, 0, force_[k][0], f);
  }
}

const Vector& ConstrainedMotion::free_acceleration() {
  applied_forces(f_);
  applied_acceleration(a_);
  return a_;
}

// For laws on joint coordinates. False: some contact is of another kind.
bool ConstrainedMotion::coordinate_bias(std::span<const std::uint64_t> keys,
                                        std::span<const int> rows, Vector& bias) {
  joints_.expect_bias();
  Eigen::Index row = 0;
  for (std::size_t c = 0; c < keys.size(); ++c) {
    const int i = contacts_.index_of(keys[c]);
    if (i < 0 || contacts_.contact(at(i)).joint_law < 0 || rows[c] != 1) return false;
    const JointLaw& law = model_.joint_laws()[at(contacts_.contact(at(i)).joint_law)];
    bias[row++] = law.sign * joints_.system().coordinate_bias(law.joint, law.coordinate) +
                  contacts_.drift_rate(at(i));
  }
  return true;
}

void ConstrainedMotion::contact_bias(std::span<const std::uint64_t> keys, std::span<const int> rows,
                                     Vector& bias) {
  int m = 0;
  for (const int r : rows) m += r;
  bias.setZero(m);
  if (constant_rows_ || m == 0) return;
  if (joints_.analytic() && !model_.joint_laws().empty() && coordinate_bias(keys, rows, bias))
    return;
  // Rates of every row at the four points; NaN if the contact is not detected there.
  Matrix rate = Matrix::Constant(m, 4, std::numeric_limits<double>::quiet_NaN());
  const Difference by = kinematics_.difference();
  for (std::size_t k = 0; k < Difference::kPoints; ++k) {
    contacts_.find_rows(by.time(k), kinematics_.shifted(by.after(k)));
    int row = 0;
    for (std::size_t c = 0; c < keys.size(); ++c) {
      const int i = contacts_.index_of(keys[c]);
      for (int a = 0; a < rows[c]; ++a, ++row)
        if (i >= 0) rate(row, static_cast<Eigen::Index>(k)) = contacts_.rate(at(i), a);
    }
  }
  contacts_.find_rows(kinematics_.time(), kinematics_.groups());
  for (int row = 0; row < m; ++row) {
    double sum = 0.0;
    for (std::size_t k = 0; k < Difference::kPoints; ++k)
      sum += by.weight(k) * rate(row, static_cast<Eigen::Index>(k));
    // The contact is detected at the inner points only.
    if (!std::isfinite(sum)) sum = (rate(row, 0) - rate(row, 1)) / (by.after(0) - by.after(1));
    bias[row] = std::isfinite(sum) ? sum : 0.0;
  }
}

// B a = -bias for the active rows of contacts; D contains the directions of their forces.
void ConstrainedMotion::contact_rows(bool with_bias) {
  active_.clear();
  std::vector<std::uint64_t> keys;
  std::vector<int> rows;
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    if (index_[k] < 0) continue;
    const auto i = at(index_[k]);
    const int held = contacts_.law(i).held_rows(contacts_.contact(i).tangents,
                                                modes_[k].kind == ContactMode::Kind::sticks);
    if (held == 0) continue;
    for (int a = 0; a < held; ++a) active_.push_back({k, a});
    keys.push_back(modes_[k].key);
    rows.push_back(held);
  }
  const auto m = static_cast<Eigen::Index>(active_.size());
  B_.resize(m, size());
  D_.resize(size(), m);
  if (with_bias) contact_bias(keys, rows, bias_);
  for (std::size_t r = 0; r < active_.size(); ++r) {
    const auto [k, a] = active_[r];
    const auto row = static_cast<Eigen::Index>(r);
    row_.setZero();
    contacts_.add_row(at(index_[k]), a, 1.0, row_);
    B_.row(row) = row_;
    if (modes_[k].kind == ContactMode::Kind::slides) friction_row(k, row_);
    D_.col(row) = row_;
  }
}

// H_N -> H_N - mu d . H_T of mode k, which slides along d.
void ConstrainedMotion::friction_row(std::size_t k, Vector& row) {
  const auto i = at(index_[k]);
  const int tangents = contacts_.contact(i).tangents;
  const std::array<double, 2> d = friction_direction(k, tangents);
  const double mu = strength(k, std::hypot(rate_[k][1], tangents > 1 ? rate_[k][2] : 0.0));
  for (int b = 0; b < tangents; ++b) contacts_.add_row(i, 1 + b, -mu * d[at(b)], row);
  unit_[k] = {1.0, -mu * d[0], -mu * d[1]};
}

// u_T/|u_T| of mode k. If that is round-off, or after the end of the slip, the direction of the
// mode, so that the end can be located.
std::array<double, 2> ConstrainedMotion::friction_direction(std::size_t k, int tangents) const {
  const auto& d0 = modes_[k].direction;
  if (tangents < 2) return {d0[0], 0.0};
  const double u1 = rate_[k][1], u2 = rate_[k][2];
  const double slip = std::hypot(u1, u2);
  const double across = std::abs(u1 * d0[1] - u2 * d0[0]);
  const double along = u1 * d0[0] + u2 * d0[1];
  // A slip that begins is compared with itself; otherwise round-off would rotate it, and no step
  // could correct that.
  const double scale = slip_[k] > still_[k] ? slip_[k] : slip;
  if (slip > still_[k] && along > kTail * slip_[k] && along > 0.1 * slip && across > turn_ * scale)
    return {u1 / slip, u2 / slip};
  return {d0[0], d0[1]};
}

void ConstrainedMotion::rates(double t, View w, View v, Out dw, Out dv) {
  ++evaluations_;
  go(t, w, v);
  kinematics_.increment_rates(w, dw);
  free_acceleration();
  if (joints_.rows() > 0) joints_.constrain(a_, joint_forces_);
  contact_rows(true);
  redundant_ = false;
  const auto m = B_.rows();
  if (m == 0) {
    dv = a_;
    return;
  }
  X_ = D_;
  kinematics_.solve_mass(X_);
  scale_ = row_scale(B_, X_);
  joints_.project_out(X_, R_);
  S_ = B_.lazyProduct(X_);
  rhs_ = -bias_;
  rhs_.noalias() -= B_ * a_;
  redundant_ = solve_rows(S_, rhs_, lambda_, scale_) < m;
  a_.noalias() += X_ * lambda_;
  if (joints_.rows() > 0) joint_forces_.noalias() -= R_ * lambda_;
  for (std::size_t r = 0; r < active_.size(); ++r)
    set_force(r, lambda_[static_cast<Eigen::Index>(r)]);
  dv = a_;
}

// Sets the force of mode k from row r of lambda.
void ConstrainedMotion::set_force(std::size_t r, double lambda) {
  const auto [k, a] = active_[r];
  if (modes_[k].kind == ContactMode::Kind::slides)
    force_[k] = lambda * unit_[k];
  else
    force_[k][a] = lambda;
}

// Magnitude of the terms whose difference is the force of a row, computed for the row alone, and
// the round-off of b as a difference:
//     (|B| |M^-1 F| + |B| |contribution of joints| + |b|)/S,     eps |B| |v|/e
// Coupled contacts, such as those in a row that load each other, use the largest value of their
// group.
void ConstrainedMotion::force_sizes(std::vector<double>& sizes) {
  sizes.assign(modes_.size(), 0.0);
  for (std::size_t k = 0; k < modes_.size(); ++k)
    if (index_[k] >= 0) sizes[k] = spring_size(k);
  const auto m = B_.rows();
  if (m == 0) return;
  Vector free;
  applied_acceleration(free);
  Vector terms = a_ - free;
  terms.noalias() -= X_ * lambda_;
  terms = terms.cwiseAbs() + free.cwiseAbs();
  if (differences()) {
    const auto groups = kinematics_.groups();
    for (std::size_t g = 0; g < groups.size(); ++g)
      terms.segment(kinematics_.first()[g], groups[g].v.size()) +=
          kRateRound / kinematics_.difference_time() * groups[g].v.cwiseAbs();
  }
  const std::vector<Eigen::Index> group = row_groups(S_);
  Vector most = Vector::Zero(m);
  for (Eigen::Index r = 0; r < m; ++r) {
    const double held = std::abs(S_(r, r)) * scale_[r] * scale_[r];
    const double alone =
        held > kRedundantPivot
            ? (B_.row(r).cwiseAbs().dot(terms) + std::abs(bias_[r])) / std::abs(S_(r, r))
            : 0.0;
    double& size = most[group[static_cast<std::size_t>(r)]];
    size = std::max({size, alone, std::abs(lambda_[r])});
  }
  for (Eigen::Index r = 0; r < m; ++r) {
    double& size = sizes[active_[static_cast<std::size_t>(r)].mode];
    size = std::max(size, most[group[static_cast<std::size_t>(r)]]);
  }
}

// Magnitude of the terms in the force of a spring.
double ConstrainedMotion::spring_size(std::size_t k) const {
  const ContactLaw& law = contacts_.law(at(index_[k]));
  if (law.set_valued()) return 0.0;
  return std::abs(force_[k][0]) +
         2.0 * std::abs(law.damping_force(contacts_.gap(at(index_[k])), rate_[k][0]));
}

// Redundant groups of D^T P M^-1 D = D^T X.
std::vector<ConstrainedMotion::Distribution> ConstrainedMotion::distributions() const {
  std::vector<Distribution> found;
  if (!redundant_) return found;
  std::vector<std::size_t> mode_of_row;
  for (const ActiveRow& row : active_) mode_of_row.push_back(row.mode);
  for (RedundantGroup& group : redundant_groups(D_.transpose() * X_, mode_of_row)) {
    Distribution& one = found.emplace_back(Distribution{std::move(group), {}});
    for (std::size_t i = 0; i < one.rows.size(); ++i) {
      const auto [k, a] = active_[static_cast<std::size_t>(one.rows[i])];
      if (a == 0 && contacts_.law(at(index_[k])).bounded())
        one.limits.push_back(force_limit(k, static_cast<int>(i)));
    }
  }
  return found;
}

// Force limit of mode k, whose rows of lambda begin at `first`.
ForceLimit ConstrainedMotion::force_limit(std::size_t k, int first) const {
  if (contacts_.law(at(index_[k])).slides_on_normal())
    return {ForceLimit::Kind::bounded, first, 1, strength(k, 0.0)};
  const int tangents = contacts_.contact(at(index_[k])).tangents;
  if (modes_[k].kind != ContactMode::Kind::sticks || tangents == 0)
    return {ForceLimit::Kind::unilateral, first, 1, 0.0};
  return {ForceLimit::Kind::cone, first, 1 + tangents, strength(k, 0.0)};
}

bool ConstrainedMotion::redundant(std::size_t mode) const {
  return std::ranges::any_of(distributions(),
                             [&](const Distribution& one) { return one.contains(mode); });
}

void ConstrainedMotion::mark_redundant(std::size_t k, std::span<ContactMode> modes) const {
  for (const Distribution& one : distributions()) {
    const bool violated = least_margin(lambda_(one.rows), one.limits) < 0.0;
    if (violated || one.contains(k))
      for (const std::size_t mode : one.modes) modes[mode].shared = true;
  }
}

void ConstrainedMotion::unmark_redundant(std::span<ContactMode> modes) const {
  for (const Distribution& one : distributions()) {
    const Vector lambda = lambda_(one.rows);
    const double size = lambda.cwiseAbs().maxCoeff();
    if (least_margin(lambda, one.limits) > kSpare * size)
      for (const std::size_t mode : one.modes) modes[mode].shared = false;
  }
}

double ConstrainedMotion::distribute(bool exact) {
  double margin = 1.0;
  std::vector<char> found(modes_.size(), 0);
  for (const Distribution& one : distributions()) {
    if (std::ranges::none_of(one.modes, [&](std::size_t k) { return modes_[k].shared; })) continue;
    const Vector before = lambda_(one.rows);
    const DistributedForces here = distribute_forces(before, one.K, one.limits, exact);
    margin = std::min(margin, here.margin);
    lambda_(one.rows) = here.lambda;
    if (joints_.rows() > 0) joint_forces_ -= R_(Eigen::all, one.rows) * (here.lambda - before);
    for (const Eigen::Index r : one.rows) {
      found[active_[static_cast<std::size_t>(r)].mode] = 1;
      set_force(static_cast<std::size_t>(r), lambda_[r]);
    }
  }
  // A marked contact that is no longer redundant has a unique force, which has to obey the same
  // laws.
  for (std::size_t r = 0; r < active_.size(); ++r) {
    const auto [k, a] = active_[r];
    if (a != 0 || !modes_[k].shared || found[k] != 0) continue;
    const std::array limit{force_limit(k, static_cast<int>(r))};
    const double size = lambda_.segment(limit[0].first, limit[0].size).cwiseAbs().maxCoeff();
    if (size > 0.0) margin = std::min(margin, least_margin(lambda_, limit) / size);
  }
  return margin;
}

void ConstrainedMotion::linearise(double t, View w, View v, double g) {
  go(t, w, v);
  contact_rows(false);
  correction_.factorise(g, B_, D_);
}

}  // namespace saltus
