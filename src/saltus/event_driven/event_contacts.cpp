#include "saltus/event_driven/event_contacts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/assembly/notice_text.h"
#include "saltus/assembly/stored_energy.h"
#include "saltus/base/index_internal.h"
#include "saltus/state/contact_view.h"

namespace saltus {
namespace {

template <class Range>
std::vector<int> numbers(const Range& range) {
  std::vector<int> all(range.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

EventContacts::EventContacts(const Model& model)
    : model_(model),
      joints_(all_joints(model)),
      list_(model, numbers(model.groups()), numbers(model.pairs()), joints_,
            model.surfaces().margin_of_events()),
      trials_(model.groups().size()) {
  int sum = 0;
  for (const Group& group : model.groups()) {
    first_.push_back(sum);
    sum += group.dynamics->velocities();
  }
  first_.push_back(sum);
  any_ = list_.count() > 0 || list_.detects();
}

void EventContacts::set(double t, Groups groups) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    trials_[g].t0 = t;
    trials_[g].h = 0.0;
    trials_[g].start = &groups[g];
    list_.members()[g].q = groups[g].q;
    list_.members()[g].axes = groups[g].q;
  }
}

void EventContacts::find(double t, Groups groups) {
  set(t, groups);
  list_.detect(t);
  gap_.resize(static_cast<Eigen::Index>(list_.count()));
  list_.gaps(
      t, [](const ContactList::Member& m) -> const Vector& { return m.q; }, gap_);
}

void EventContacts::find_rows(double t, Groups groups) {
  find(t, groups);
  if (!model_.joint_laws().empty())
    joints_.make_rows(t, [&](int m) -> const Vector& { return groups[at(m)].q; });
  rate_.resize(list_.rows());
  list_.make_rows(trials_, rate_);
}

void EventContacts::settle(double t, Groups groups) {
  set(t, groups);
  list_.begin(trials_);
}

int EventContacts::index_of(std::uint64_t key) const {
  std::size_t low = 0, high = list_.count();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (list_[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < list_.count() && list_[low].key == key ? static_cast<int>(low) : -1;
}

std::string EventContacts::bodies_of(std::uint64_t key) const {
  const int i = index_of(key);
  if (i < 0) return "a contact";
  SeenContact one;
  list_.see(at(i), 0.0, one);
  return pair_name(model_, one.view, "on");
}

double EventContacts::row_size(std::size_t i, int a, View x) const {
  const int r = list_[i].first_row + a;
  double sum = 0.0;
  for (std::size_t g = 0; g + 1 < first_.size(); ++g)
    list_.members()[g].H.each(
        r, [&](int column, double value) { sum += std::abs(value * x[first_[g] + column]); });
  return sum;
}

void EventContacts::add_row(std::size_t i, int a, double weight, Out row) const {
  const int r = list_[i].first_row + a;
  for (std::size_t g = 0; g + 1 < first_.size(); ++g)
    list_.members()[g].H.each(
        r, [&](int column, double value) { row[first_[g] + column] += weight * value; });
}

}  // namespace saltus
