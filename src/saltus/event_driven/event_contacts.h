// The contacts of a model at any instant, for event-driven integration: gaps, rows and how the
// rates of rows change by themselves.
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

  /// Where all groups are and how they move: q and v, one a group.
  using Groups = std::span<const GroupState>;

  bool any() const {
    return any_;
  }  ///< false: the model has no contact, no law on a joint and no shape
  /// True when contacts are looked for between surfaces: the list then changes with the place.
  bool detects() const { return list_.detects(); }

  /// Contacts known at (t, q), by increasing key, with their gaps. Laws on angles of joints are
  /// followed from where the last settle() was.
  void find(double t, Groups at);
  /// find(), and the rows H with rates u = H v + d.
  void find_rows(double t, Groups at);
  /// ContactList::least_gap() where the last find() was.
  double least_gap(double t) {
    return list_.least_gap(t, [](const ContactList::Member& m) -> const Vector& { return m.q; });
  }
  /// Angles of joints are followed from here on.
  void settle(double t, Groups at);
  bool counts_angles() const { return list_.counts_angles(); }
  /// ContactList::lost_angle() at (t, q), since the last settle().
  int lost_angle(double t, Groups at);

  std::size_t count() const { return list_.count(); }
  std::uint64_t key(std::size_t i) const { return list_[i].key; }
  const IslandContact& contact(std::size_t i) const { return list_[i]; }
  const ContactLaw& law(std::size_t i) const { return list_.law(i); }
  /// Index of the contact with this key, -1: it is not known here.
  int index_of(std::uint64_t key) const;
  double gap(std::size_t i) const { return gap_[static_cast<Eigen::Index>(i)]; }
  /// Of row a (0 the normal, then tangents) of contact i, after find_rows() [m/s].
  double rate(std::size_t i, int a) const { return rate_[list_[i].first_row + a]; }
  /// sum_j |H_j| |x_j| of row a of contact i: what its rate is made of.
  double row_size(std::size_t i, int a, View x) const;
  /// Row a of contact i over the velocities of all groups, added to `row` times weight.
  void add_row(std::size_t i, int a, double weight, Out row) const;

  /// The bodies of the contact with this key, for messages: "'box' on 'floor'".
  std::string bodies_of(std::uint64_t key) const;

  const ContactList& list() const { return list_; }
  JointSystem& joints() { return joints_; }
  /// First velocity of each group, and after the last their number.
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
