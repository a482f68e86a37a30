#include "saltus/assembly/joint_projection.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/state/failure_words.h"

namespace saltus {
namespace {

constexpr ProjectionLimits kClosing{.iterations = 4,
                                    .refactorise_above = std::numeric_limits<double>::infinity(),
                                    .stop_above = std::numeric_limits<double>::infinity()};
// Reduction of the residual that is required of an old factor of S.
constexpr double kOldFactor = 1.0 / 16.0;
// Up to so many joint rows factorising is cheaper than correcting.
constexpr int kFewJointRows = 12;
// Target of the residual of a projection, relative to the initial residual ...
constexpr double kProjected = 1e-12;
constexpr double kProjectedLeast = 1e-9;  // ... and the largest accepted one

// Share of its arms, and angle [rad], by which a joint at level velocity may be open.
constexpr double kOpen = 0.1;

std::vector<Eigen::Index> velocities(const Model& model, std::span<const int> groups) {
  std::vector<Eigen::Index> n;
  for (const int g : groups)
    n.push_back(model.groups()[static_cast<std::size_t>(g)].dynamics->velocities());
  return n;
}

}  // namespace

JointProjection::JointProjection(const Model& model, std::span<const int> groups,
                                 JointSystem& joints, JointLoads& loads, BreakableJoints& breakable)
    : model_(model),
      group_(joints.empty() ? std::vector<int>() : std::vector(groups.begin(), groups.end())),
      joints_(joints),
      loads_(loads),
      breakable_(breakable),
      projection_(joints, velocities(model, group_)),
      mass_(group_.size()) {}

double JointProjection::gap(IslandStep& step) {
  projection_.gaps(step.trials.front().t0 + step.h,
                   [&](int m) -> const Vector& { return end(step, m).q; });
  return projection_.violation();
}

void JointProjection::find_open(StepReport& report) const {
  if (model_.options().joints != JointLevel::velocity || !report.finite) return;
  const std::span<const char> turns = joints_.turns();
  for (std::size_t i = 0; i < model_.joints().size(); ++i) {
    const Joint& joint = model_.joints()[i];
    double arm = 0.0;
    for (const JointSide* side : {&joint.a, &joint.b})
      if (side->group >= 0) arm = std::max(arm, side->ref.local.norm());
    const auto [first, count] = joints_.rows_of(static_cast<int>(i));
    for (int row = first; row < first + count; ++row) {
      const double most = turns[at(row)] != 0 ? kOpen : kOpen * arm;
      if (!(most > 0.0) || !(std::abs(projection_.gap()[row]) > most)) continue;
      report.converged = false;
      report.group = group_.front();
      report.failure = failure::kOpenJoint;
      report.detail = joint.name;
      return;
    }
  }
}

void JointProjection::make_rows(IslandStep& step) {
  projection_.make_rows(step.trials.front().t0 + step.h,
                        [&](int m) -> const Vector& { return end(step, m).q; });
}

bool JointProjection::factorise(IslandStep& step) {
  return projection_.factorise([&](int m) -> const Factor& { return trial(step, m).A; });
}

void JointProjection::rates(IslandStep& step, Vector& u) {
  projection_.rates([&](int m) -> const Vector& { return end(step, m).v; }, u);
}

bool JointProjection::begin(IslandStep& step) {
  make_rows(step);
  rates(step, kept_rates_);
  return factorise(step);
}

/// The end states for project_positions(), with the factors of begin().
struct JointProjection::EndPositions {
  JointProjection& of;
  IslandStep& step;

  double violation() { return of.gap(step); }
  double round_off() const { return of.round_off(); }
  static bool linearise() { return true; }
  void solve() {
    of.projection_.solve_positions(step.h);
    of.projection_.correct([this](int m) -> const Factor& { return of.trial(step, m).A; });
  }
  void move(double part) {
    for (std::size_t m = 0; m < of.members(); ++m) {
      const int i = static_cast<int>(m);
      if (of.projection_.correction(i).size() == 0) continue;
      of.w_ = of.projection_.correction(i);
      of.w_ *= step.h * part;
      Vector& q = of.end(step, i).q;
      of.q_ = q;
      of.body(m).retract(of.q_, of.w_, q);
    }
  }
  static void revert() {}
};

void JointProjection::close(IslandStep& step) {
  EndPositions ends{*this, step};
  project_positions(ends, kClosing);
}

void JointProjection::add_impulses(IslandStep& step) {
  gap(step);
  projection_.solve_positions(
      step.h, [&](int m) -> const Factor& { return trial(step, m).A; },
      [&](int m) -> const Vector& { return trial(step, m).r; });
  for (std::size_t m = 0; m < members(); ++m)
    if (body(m).velocities() > 0)
      projection_.add_impulses(static_cast<int>(m), trial(step, static_cast<int>(m)).r);
}

/// v1 <- v1 + M^-1 G^T L, with L from projection_.
void JointProjection::correct_velocities(IslandStep& step, const ConstraintProjection::Masses& M) {
  loads_.add(joints_, projection_.impulses(), step.h);
  breakable_.add(joints_, projection_.impulses(), step.h);
  projection_.correct(M);
  for (std::size_t m = 0; m < members(); ++m)
    if (const Vector& dv = projection_.correction(static_cast<int>(m)); dv.size() > 0)
      end(step, static_cast<int>(m)).v += dv;
}

bool JointProjection::restore_rates(IslandStep& step) {
  make_rows(step);
  rates(step, u_);
  if (!factorise(step)) return false;
  c_ = kept_rates_ - u_;
  projection_.solve_velocities(c_);
  correct_velocities(step, [&](int m) -> const Factor& { return trial(step, m).A; });
  return projection_.impulses().allFinite();
}

/// Solves S L = c with G and M of the end. If S is close to that of the last pass, iterates with
/// its factor S~:
///     L <- L + S~^-1 (c - G M^-1 G^T L)
/// Returns false if that does not converge.
bool JointProjection::solve_by_old_factor(const ConstraintProjection::Masses& M, const Vector& c) {
  if (joints_.loops() || joints_.rows() <= kFewJointRows) return false;
  constexpr int kMost = 5;
  right_ = rest_ = c;
  Vector& L = projection_.impulses();
  L.setZero(c.size());
  const double whole = right_.norm();
  double left = whole;
  for (int k = 0; k < kMost && left > kProjected * whole; ++k) {
    joints_.solve(rest_);
    L += rest_;
    rest_ = right_;
    projection_.correct(M);
    for (std::size_t m = 0; m < members(); ++m) {
      w_ = -projection_.correction(static_cast<int>(m));
      if (w_.size() > 0) joints_.multiply_add(static_cast<int>(m), w_, rest_);
    }
    const double before = left;
    left = rest_.norm();
    if (!(left <= kOldFactor * before)) break;  // at round-off, or S has changed too much
  }
  return left <= kProjectedLeast * whole;
}

//     M dv = G^T L,  S L = -(G v1 + d1);   T(v1 + dv) - T(v1) = L . G v1 + L . S L/2
double JointProjection::project_velocities(IslandStep& step) {
  make_rows(step);
  const double t1 = step.trials.front().t0 + step.h;
  for (std::size_t m = 0; m < members(); ++m) {
    const GroupState& x = end(step, static_cast<int>(m));
    if (body(m).velocities() > 0) body(m).factorise({1.0, 0.0, 0.0}, t1, x.q, x.v, mass_[m]);
  }
  const ConstraintProjection::Masses M = [this](int m) -> const Factor& { return mass_[at(m)]; };
  rates(step, u_);
  c_ = -u_;
  u_ -= joints_.drift1();
  if (!solve_by_old_factor(M, c_)) {
    if (!projection_.factorise(M)) return std::numeric_limits<double>::quiet_NaN();
    projection_.solve_velocities(c_);
  }
  correct_velocities(step, M);
  const Vector& L = projection_.impulses();
  return L.dot(u_) + 0.5 * L.dot(c_);
}

}  // namespace saltus
