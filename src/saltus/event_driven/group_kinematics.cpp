#include "saltus/event_driven/group_kinematics.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "saltus/base/index_internal.h"

namespace saltus {

GroupKinematics::GroupKinematics(const Model& model)
    : model_(model), jumps_(model.breaks().restarts()) {
  const auto groups = model.groups();
  int sum = 0;
  for (const Group& group : groups) {
    const Dynamics& body = *group.dynamics;
    first_.push_back(sum);
    sum += body.velocities();
    constant_.push_back(has(body.traits(), Trait::constant_mass) ||
                        has(body.traits(), Trait::affine));
  }
  first_.push_back(sum);
  M_.resize(groups.size());
  radius_.assign(at(sum), 1.0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const RigidData* const rigid = groups[g].dynamics->rigid();
    rigid_.push_back(rigid != nullptr);
    for (std::size_t b = 0; rigid && b < rigid->mass.size(); ++b) {
      const double r = std::sqrt(rigid->inertia[b].trace() / (2.0 * rigid->mass[b]));
      if (std::isfinite(r) && r > 0.0)
        std::fill_n(radius_.begin() + first_[g] + 6 * static_cast<std::ptrdiff_t>(b) + 3, 3, r);
    }
  }
  at_.resize(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    at_[g].q.setZero(groups[g].dynamics->positions());
    at_[g].v.setZero(groups[g].dynamics->velocities());
  }
  shifted_ = start_ = at_;
}

Vector GroupKinematics::velocities(std::span<const GroupState> groups) const {
  Vector v(size());
  for (std::size_t g = 0; g < groups.size(); ++g)
    v.segment(first_[g], groups[g].v.size()) = groups[g].v;
  return v;
}

void GroupKinematics::start(std::span<const GroupState> groups) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    start_[g].q = groups[g].q;
    start_[g].v = groups[g].v;
  }
}

void GroupKinematics::enter_smooth_interval(double t) {
  if (jumps_.empty()) return;
  constexpr double kEver = std::numeric_limits<double>::infinity();
  const auto next = std::ranges::upper_bound(jumps_, t);
  since_ = -kEver;
  if (next != jumps_.begin()) {
    const double last = *(next - 1);
    since_ = std::nextafter(last + Breaks::kSameInstant * std::abs(last), kEver);
  }
  until_ = next == jumps_.end() ? kEver : std::nextafter(*next, -kEver);
}

void GroupKinematics::evaluate(double t, View w, View v) {
  t_ = inside(t);
  move(w, at_);
  for (std::size_t g = 0; g < at_.size(); ++g) {
    const Dynamics& body = *model_.groups()[g].dynamics;
    at_[g].v = v.segment(first_[g], body.velocities());
    if (body.velocities() > 0 &&
        (!constant_[g] || std::holds_alternative<std::monostate>(M_[g].form)))
      body.factorise({1.0, 0.0, 0.0}, t_, at_[g].q, at_[g].v, M_[g]);
  }
}

void GroupKinematics::move(View w, std::vector<GroupState>& groups) const {
  for (std::size_t g = 0; g < start_.size(); ++g) {
    const Dynamics& body = *model_.groups()[g].dynamics;
    if (body.velocities() == 0)
      groups[g].q = start_[g].q;
    else
      body.retract(start_[g].q, w.segment(first_[g], body.velocities()), groups[g].q);
  }
}

const std::vector<GroupState>& GroupKinematics::shifted(double s) {
  for (std::size_t g = 0; g < at_.size(); ++g) {
    const Dynamics& body = *model_.groups()[g].dynamics;
    shifted_[g].v = at_[g].v;
    if (body.velocities() == 0)
      shifted_[g].q = at_[g].q;
    else
      body.retract(at_[g].q, s * at_[g].v, shifted_[g].q);
  }
  return shifted_;
}

void GroupKinematics::solve_mass(Eigen::Ref<Matrix> X) const {
  for (std::size_t g = 0; g < at_.size(); ++g)
    if (const auto n = at_[g].v.size(); n > 0) solve(M_[g], X.middleRows(first_[g], n));
}

void GroupKinematics::body_forces(Out f) const {
  for (std::size_t g = 0; g < at_.size(); ++g) {
    const Dynamics& body = *model_.groups()[g].dynamics;
    if (body.velocities() > 0)
      body.force(t_, at_[g].q, at_[g].v, f.segment(first_[g], body.velocities()));
  }
}

void GroupKinematics::increment_rates(View w, Out dw) const {
  for (std::size_t g = 0; g < at_.size(); ++g)
    if (const auto n = at_[g].v.size(); n > 0)
      model_.groups()[g].dynamics->increment_rate(w.segment(first_[g], n), at_[g].v,
                                                  dw.segment(first_[g], n));
}

double GroupKinematics::fastest(View v) const {
  double most = 0.0;
  for (std::size_t g = 0; g < rigid_.size(); ++g)
    for (int i = first_[g]; i + 3 <= first_[g + 1]; i += rigid_[g] ? 6 : 3)
      most = std::max(most, v.segment<3>(i).norm());
  return most;
}

double GroupKinematics::fastest_turn(View v) const {
  double most = 0.0;
  for (std::size_t g = 0; g < rigid_.size(); ++g)
    for (int i = first_[g]; rigid_[g] && i < first_[g + 1]; i += 6)
      most = std::max(most, v.segment<3>(i + 3).norm());
  return most;
}

double GroupKinematics::extent() const {
  double most = 0.0;
  for (std::size_t g = 0; g < at_.size(); ++g) most = std::max(most, extent(g));
  return most;
}

double GroupKinematics::extent(std::size_t g) const {
  double most = 0.0;
  for (Eigen::Index i = 0; i < at_[g].q.size(); ++i)
    if (!rigid_[g] || i % 7 < 3) most = std::max(most, std::abs(at_[g].q[i]));
  return most;
}

}  // namespace saltus
