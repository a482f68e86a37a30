#include "saltus/assembly/taut_links.h"

#include <algorithm>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

constexpr double kTaut = 0.03;    ///< k S_ii from which the passes need the rows across links
constexpr double kNothing = 1e6;  ///< compliance of a row that does nothing, relative to S_ii

}  // namespace

TautLinks::TautLinks(const Model& model, std::span<const int> groups) : model_(model) {
  for (const int g : groups) members_.push_back({g, model.groups()[at(g)].dynamics.get()});
  for (int j = 0; j < std::ssize(model.joints()); ++j) {
    const Joint& joint = model.joints()[at(j)];
    if (joint.kind != JointKind::distance) continue;
    for (const JointSide* side : {&joint.a, &joint.b}) {
      if (std::ranges::find(groups, side->group) == groups.end() ||
          model.groups()[at(side->group)].dynamics->velocities() == 0)
        continue;
      links_.push_back({j, side->group});
      break;
    }
  }
}

void TautLinks::measure(const IslandStep& step, const JointSystem& system, const Vector& L) {
  for (Link& link : links_) {
    link.k = 0.0;
    const auto [first, count] = system.rows_of(link.joint);
    if (count == 0) continue;  // broken
    const auto [a, b] = system.frames(link.joint);
    const double length = (b.x - a.x).norm();
    if (length > 0.0 && L[first] < 0.0)
      link.k = -0.5 * step.trials[at(link.group)].gain * step.h * L[first] / length;
  }
}

bool TautLinks::matter(const JointSystem& system) {
  bool some = false;
  for (Link& link : links_) {
    const auto [first, count] = system.rows_of(link.joint);
    link.diagonal = count > 0 ? system.diagonal(first) : 0.0;
    some = some || link.k * link.diagonal > kTaut;
  }
  return some;
}

void TautLinks::exchange(std::span<const char> left_out, JointSystem& system, Vector& L) {
  if (!other_) other_.emplace(model_.joints(), model_.couplings(), members_, left_out, true);
  std::swap(system, *other_);
  taut_ = !taut_;
  if (taut_) {
    across_.assign(at(system.rows()), 0);
    for (const Link& link : links_) {
      const auto [first, count] = system.rows_of(link.joint);
      for (int k = 1; k < count; ++k) across_[at(first + k)] = 1;
    }
  }
  const Vector before = L;
  L.setZero(system.rows());
  Eigen::Index plain = 0;
  for (std::size_t full = 0; full < across_.size(); ++full)
    if (across_[full] == 0) {
      const auto row = static_cast<Eigen::Index>(full);
      (taut_ ? L[row] : L[plain]) = taut_ ? before[plain] : before[row];
      ++plain;
    }
}

void TautLinks::yield(bool follow, JointSystem& system) {
  compliance_.setZero(system.rows());
  for (const Link& link : links_) {
    const auto [first, count] = system.rows_of(link.joint);
    const double nothing = kNothing * link.diagonal;
    const double c = follow && link.k * nothing > 1.0 ? 1.0 / link.k : nothing;
    for (int k = 1; k < count; ++k) compliance_[first + k] = c;
  }
  system.yield(compliance_);
}

bool TautLinks::tauten(const IslandStep& step, std::span<const char> left_out, JointSystem& system,
                       Vector& L) {
  if (links_.empty()) return false;
  measure(step, system, L);
  const bool changes = !taut_ && matter(system);
  if (changes) exchange(left_out, system, L);
  if (taut_) yield(true, system);
  return changes;
}

void TautLinks::relax(JointSystem& system) {
  if (taut_) yield(false, system);
}

bool TautLinks::slacken(JointSystem& system, Vector& L) {
  if (!taut_) return false;
  exchange({}, system, L);
  return true;
}

double TautLinks::energy(const JointSystem& system, const Vector& L) const {
  double sum = 0.0;
  for (Eigen::Index i = 0; taut_ && i < L.size(); ++i)
    if (across(i)) sum += L[i] * L[i] * (system.diagonal()[i] - compliance_[i]);
  return sum;
}

}  // namespace saltus
