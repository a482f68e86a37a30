#include "saltus/time_stepping/fixed_contacts.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

/// Maximum number of contacts between groups: D of this size takes 8 MB, and larger ones are mostly
/// zeros if there are many bodies.
constexpr std::size_t kMostBetweenGroups = 1000;

}  // namespace

FixedContacts::FixedContacts(const Model& model, std::vector<int> pairs)
    : model_(model), pair_(std::move(pairs)) {
  closed_.resize(std::ssize(pair_));
  for (std::size_t i = 0; i < pair_.size(); ++i) {
    const ContactPair& pair = model.pairs()[at(pair_[i])];
    key_.push_back(pair.key);
    law_.push_back(pair.law);
    closed_[static_cast<Eigen::Index>(i)] =
        pair.b.group < 0 ? 0.0 : kClosedShare * std::abs(pair.distance);
    const ContactLaw& rule = model.law(pair.law);
    (rule.position_level() ? reads_.gaps : reads_.velocities) = true;
    reads_.gap_before = reads_.gap_before || rule.facts().reads_start_gap;
    reads_.reach = reads_.reach || rule.facts().closes_gaps;
    reads_.activation_rates =
        reads_.activation_rates || (rule.activated() && rule.facts().activation->reads_rate());
  }
}

double FixedContacts::carried(std::span<const ContactMemory> before, int i, Memory& from) const {
  while (from != before.end() && from->key < key(i)) ++from;
  return from != before.end() && from->key == key(i) ? from->impulse.x() : 0.0;
}

SeenContact FixedContacts::view(int i) const {
  const ContactPair& of = pair(i);
  SeenContact seen;
  seen.view.key = of.key;
  seen.view.a = {of.a.group, of.a.ref.body};
  seen.view.normal = of.normal;
  if (of.b.group < 0) return seen;
  seen.view.b = {of.b.group, of.b.ref.body};
  seen.at = {of.a.ref, of.b.ref};
  seen.offset = -of.distance;
  return seen;
}

bool fits_fixed_island(const Model& model, std::span<const int> groups,
                       std::span<const int> pairs) {
  const auto fits = [&](int g) {
    const Group& group = model.groups()[at(g)];
    return group.dynamics->velocities() > 0 && has(group.dynamics->traits(), Trait::fixed_points) &&
           group.scheme->one_pass(*group.dynamics) && group.scheme->stages().size() == 1;
  };
  const bool world_alone = groups.size() == 1 && std::ranges::all_of(pairs, [&](int i) {
                             return model.pairs()[at(i)].b.group < 0;
                           });
  if (!world_alone && pairs.size() > kMostBetweenGroups) return false;
  return std::ranges::all_of(groups, fits) && std::ranges::all_of(pairs, [&](int i) {
           const ContactPair& pair = model.pairs()[at(i)];
           const ContactLaw& law = model.law(pair.law);
           const LawFacts& facts = law.facts();
           // These laws read no earlier gap but y_-.
           const bool on_gaps = law.position_level() && !law.activated();
           return pair.tangents == 0 && law.unilateral() &&
                  law.entry({}, 1.0).kind == LawKind::unilateral && !facts.expands &&
                  !facts.follows_passes && !(facts.cohesion > 0.0) &&
                  (on_gaps || (facts.rebounds && !facts.reads_start_gap));
         });
}

}  // namespace saltus
