#include "saltus/sim/interval_forces.h"

#include <algorithm>

namespace saltus {

void IntervalForces::begin(std::span<const Vector> reactions, std::size_t joints) {
  reactions_.assign(reactions.begin(), reactions.end());
  for (Vector& r : reactions_) r.setZero();
  loads_.assign(joints, {Vector3::Zero(), Vector3::Zero()});
  contacts_.clear();
  laws_.clear();
}

void IntervalForces::add_reactions(double fraction, std::span<const Vector> of_step) {
  for (std::size_t g = 0; g < reactions_.size(); ++g) reactions_[g] += fraction * of_step[g];
}

void IntervalForces::add_load(double fraction, std::size_t joint,
                              const std::array<Vector3, 2>& of_step) {
  for (std::size_t k = 0; k < 2; ++k) loads_[joint][k] += fraction * of_step[k];
}

void IntervalForces::add_contact(double fraction, double h, const ContactView& of_step) {
  if (of_step.normal.isZero(0.0)) {
    auto at = std::ranges::find(laws_, of_step.key, &std::pair<std::uint64_t, double>::first);
    if (at == laws_.end()) at = laws_.insert(at, {of_step.key, 0.0});
    at->second += fraction * of_step.impulse[0] / h;
    return;
  }
  const auto same = [](const ContactView::Side& x, const ContactView::Side& y) {
    return x.group == y.group && x.body == y.body;
  };
  auto at = std::ranges::find_if(contacts_, [&](const Pair& pair) {
    return same(pair.a, of_step.a) && same(pair.b, of_step.b);
  });
  if (at == contacts_.end()) at = contacts_.insert(at, {of_step.a, of_step.b});
  at->force += fraction * of_step.force;
}

double IntervalForces::law(std::uint64_t key) const {
  const auto at = std::ranges::find(laws_, key, &std::pair<std::uint64_t, double>::first);
  return at == laws_.end() ? 0.0 : at->second;
}

}  // namespace saltus
