// The contacts of a model at any instant, for event-driven integration: gaps, rows and rates.
#pragma once
#include <string>
#include <vector>

#include "saltus/assembly/contact_list.h"

namespace saltus {

class EventContacts {
 public:
  explicit EventContacts(const Model& model);
  EventContacts(const EventContacts&) = delete;
  EventContacts& operator=(const EventContacts&) = delete;

  /// Configurations and velocities of all groups: one q and v per group.
  using Groups = std::span<const GroupState>;

  /// False: the model has no contact, no law on a joint and no shape.
  bool any() const { return any_; }
  /// True if contacts are detected between surfaces: the list then changes with the configuration.
  bool detects() const { return list_.detects(); }

  /// Contacts detected at (t, q), sorted by key, with their gaps. Laws on joint angles count turns
  /// from the last settle() on.
  void find(double t, Groups at);
  /// As find(), and computes the rows H with rates u = H v + d.
  void find_rows(double t, Groups at);
  /// ContactList::least_gap() at the state of the last find().
  double least_gap(double t) {
    return list_.least_gap(t, [](const ContactList::Member& m) -> const Vector& { return m.q; });
  }
  /// A step begins with the joint angles and set-points stored in the groups.
  void settle(double t, Groups at);
  bool counts_angles() const { return list_.counts_angles(); }
  /// Whether settle() is needed.
  bool settles() const { return list_.counts_angles() || list_.actuated(); }
  /// Given force of contact i at the instant of the last find() [N], [N m].
  double effort(std::size_t i) const {
    const double t = trials_.front().t0;
    return list_.effort(i, t, t);
  }
  /// ContactList::drift_rate() at that instant.
  double drift_rate(std::size_t i) const { return list_.drift_rate(i, trials_.front().t0); }

  std::size_t count() const { return list_.count(); }
  std::uint64_t key(std::size_t i) const { return list_[i].key; }
  const IslandContact& contact(std::size_t i) const { return list_[i]; }
  const ContactLaw& law(std::size_t i) const { return list_.law(i); }
  /// Index of the contact with this key; -1: it is not detected here.
  int index_of(std::uint64_t key) const;
  double gap(std::size_t i) const { return gap_[static_cast<Eigen::Index>(i)]; }
  /// Rate of row a (0: normal, then tangents) of contact i, after find_rows() [m/s].
  double rate(std::size_t i, int a) const { return rate_[list_[i].first_row + a]; }
  /// sum_j |H_j| |x_j| of row a of contact i: the magnitude of the terms of its rate.
  double row_size(std::size_t i, int a, View x) const;
  /// Adds weight times row a of contact i to `row`, which covers the velocities of all groups.
  void add_row(std::size_t i, int a, double weight, Out row) const;

  /// The bodies of the contact with this key, for messages: "'box' on 'floor'".
  std::string bodies_of(std::uint64_t key) const;

  const ContactList& list() const { return list_; }
  JointSystem& joints() { return joints_; }
  /// First velocity of each group; the last entry is the total number.
  std::span<const int> first() const { return first_; }

 private:
  void set(double t, Groups at);

  const Model& model_;
  JointSystem joints_;  ///< of all groups: member = group
  ContactList list_;
  std::vector<Trial> trials_;
  std::vector<int> first_;
  Vector gap_, rate_;
  bool any_ = false;
};

}  // namespace saltus
