#include "saltus/assembly/contact_list.h"

#include <algorithm>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

/// With at least so many contacts rows are made only for those of the problem; H of all contacts of
/// a smaller list fits in the cache.
constexpr std::size_t kManyContacts = 500;

}  // namespace

ContactList::ContactList(const Model& model, std::vector<int> groups, std::vector<int> pairs,
                         JointSystem& joints, double margin)
    : model_(model),
      contacts_(model, groups, pairs),
      coordinates_(contacts_, joints),
      rows_(contacts_, coordinates_),
      block_rows_(contacts_),
      surfaces_(model, groups, margin),
      at_(groups.size()) {
  contacts_.end_named();
  for (std::size_t i = 0; i < count(); ++i) laws_.push_back(contacts_[i].law);
  const auto is_force = [&](int law) { return !model.law(law).set_valued(); };
  std::vector<int> of_surfaces;
  surfaces_.add_laws(of_surfaces);
  force_surfaces_ = std::ranges::any_of(of_surfaces, is_force);
  forces_alone_ =
      force_surfaces_ && std::ranges::all_of(of_surfaces, is_force) &&
      std::ranges::all_of(pairs, [&](int i) { return is_force(model.pairs()[at(i)].law); });
  laws_.insert(laws_.end(), of_surfaces.begin(), of_surfaces.end());
  std::sort(laws_.begin(), laws_.end());
  laws_.erase(std::unique(laws_.begin(), laws_.end()), laws_.end());
  number_rows();
}

void ContactList::number_rows() {
  lean_ = may_be_lean_ && count() >= kManyContacts && !contacts_.turns();
  contacts_.number_rows(!lean_, !lean_);
}

// Requires rigid bodies, or bodies that only follow a prescribed motion, and neither laws on joints
// nor running surfaces.
void ContactList::allow_lean() {
  may_be_lean_ = contacts_.pairs() == named() && model_.running().empty() && !force_surfaces_ &&
                 std::ranges::all_of(members(), [&](const Member& m) {
                   return contacts_.dynamics(m).velocities() == 0 ||
                          has(contacts_.dynamics(m).traits(), Trait::rigid);
                 });
}

void ContactList::detect(double t, std::span<const Trial> trials, double phi) {
  contacts_.clear_detected();
  if (!surfaces_.empty()) find_surfaces(t, trials, phi);
  if (phi > 0.0)
    contacts_.follow(trials);
  else
    for (Member& m : members()) m.middle.resize(0);
}

void ContactList::find_passed(std::span<const Trial> trials,
                              const SurfacePassages::ActedPairs& acted,
                              const std::function<void(const SurfacePassages::Passed&)>& use) {
  start_.clear();
  place([&](const Member& m) -> const Vector& {
    start_.push_back(&trials[static_cast<std::size_t>(m.group)].start->v);
    return trials[static_cast<std::size_t>(m.group)].start->q;
  });
  surfaces_.find_passed({trials.front().t0, trials.front().h, at_, start_}, acted, use);
}

void ContactList::find_surfaces(double t, std::span<const Trial> trials, double phi) {
  SurfaceCourse course;
  if (phi > 0.0) {
    course = {trials.front().t0, trials.front().h, phi, {}, {}, model_.options().h};
    start_.clear();
    middle_.clear();
    for (const Member& m : members()) {
      start_.push_back(&trials[at(m.group)].start->v);
      middle_.push_back(&m.middle);
    }
    course.v = start_;
    course.middle = middle_;
  }
  place([](const Member& m) -> const Vector& { return m.q; });
  const std::size_t found_count = surfaces_.find(t, at_, phi > 0.0 ? &course : nullptr);
  if (beside_.empty()) {
    contacts_.add_detected(surfaces_, found_count);
  } else {
    std::vector<SurfaceFinder::Touch> all;
    auto beside = beside_.begin();
    for (std::size_t k = 0; k < found_count; ++k) {
      const SurfaceFinder::Touch found = surfaces_.touch(k);
      for (; beside != beside_.end() && beside->key <= found.key; ++beside)
        if (beside->key < found.key) all.push_back(*beside);
      all.push_back(found);
    }
    all.insert(all.end(), beside, beside_.end());
    contacts_.add_detected(all);
    beside_.clear();
  }
  number_rows();
}

// Each contact once, by increasing key.
void ContactList::add_beside(double t) {
  const std::size_t count = surfaces_.find(t, at_);
  for (std::size_t k = 0; k < count; ++k) {
    const SurfaceFinder::Touch found = surfaces_.touch(k);
    if (!(found.gap < 0.0) || model_.law(found.law).set_valued()) continue;
    const auto place = std::ranges::lower_bound(beside_, found.key, {}, &SurfaceFinder::Touch::key);
    if (place == beside_.end() || place->key != found.key) beside_.insert(place, found);
  }
}

// A contact that the shapes no longer have keeps the gap of its points along its normal.
void ContactList::find_gaps(double t, Vector& gap) {
  std::size_t i = named();
  surfaces_.each_gap(t, at_, [&](std::uint64_t key, double found) {
    while (i < count() && contacts_[i].key < key) ++i;
    if (i < count() && contacts_[i].key == key && !law(i).set_valued())
      gap[static_cast<Eigen::Index>(i)] = found;
  });
}

void ContactList::measure_gaps(Vector& gap) const {
  for (std::size_t i = 0; i < count(); ++i) {
    const IslandContact& c = contacts_[i];
    if (c.joint_law >= 0) continue;
    Vector3 x[2];
    for (std::size_t s = 0; s < 2; ++s)
      x[s] = c.side[s].member < 0
                 ? contacts_.place(c.side[s])
                 : Vector3(members()[at(c.side[s].member)].x.segment<3>(3 * c.side[s].point));
    gap[static_cast<Eigen::Index>(i)] = c.direction[0].dot(x[0] - x[1]) + c.offset;
  }
}

void ContactList::make_rows(std::span<const Trial> trials, Vector& rate) {
  if (!lean_) return rows_.make(trials, rate);
  const double t0 = trials.front().t0;
  rows_.begin_blocks(t0, t0 + trials.front().h, block_rows_.make_normal_rates(trials, rate));
}

void ContactList::see(std::size_t i, double gap, SeenContact& seen) const {
  contacts_.see(i, seen);
  if (seen.on_joint) {
    seen.view.gap = gap;
    return;
  }
  if (i < named()) return;
  for (std::size_t s = 0; s < 2; ++s) {
    if (contacts_[i].side[s].member >= 0) continue;
    for (const int number : bodies_of(i))  // below 0 if the body is fixed
      if (number < 0) (s == 0 ? seen.view.a : seen.view.b).body = -1 - number;
  }
}

}  // namespace saltus
