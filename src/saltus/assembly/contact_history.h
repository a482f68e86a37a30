// What the contacts of an island have from the step before and from an earlier stage of the step:
// loads and bonds.
#pragma once
#include <span>
#include <vector>

#include "saltus/assembly/contact_list.h"

namespace saltus {

/// Contacts by place in the list.
class ContactHistory {
 public:
  explicit ContactHistory(const ContactList& list) : list_(list) {}
  void resize();  ///< the list has other contacts

  /// A stage begins. impulse, one a row of the list: that of the step before; 0 in a stage of
  /// positions.
  void begin(const IslandStep& step, bool velocities, Vector& impulse);
  /// After a stage of positions, which has closed the gaps: no contact has a load from before.
  void clear_loads();
  /// First pass of a stage: which loads of the contacts `admitted` last, with u at the start and of
  /// the free motion, one a row of the list.
  void find_lasting(std::span<const int> admitted, const Vector& u0, const Vector& u_free);
  /// After a stage of positions: of the contacts `admitted` those with p > 0 are held in the next.
  /// p: one each.
  void hold(std::span<const int> admitted, const Vector& p);

  /// Carried an impulse in the position stage of this step.
  bool held(std::size_t i) const { return held_[i] != 0; }
  /// The cohesion of the contact has not been lost,
  bool bonded(std::size_t i) const { return bonded_[i] != 0; }
  /// and it has some.
  bool glued(std::size_t i) const;
  /// Carried an impulse in the step before, and no bond holds it.
  bool loaded(std::size_t i) const { return loaded_[i] != 0 && !glued(i); }
  /// The load lasts, as the first pass finds it.
  bool lasts(std::size_t i) const { return lasts_[i] != 0; }
  /// Loaded, and no rebound that its law still returns.
  bool rests(std::size_t i) const;

 private:
  const ContactList& list_;
  std::vector<char> bonded_, loaded_, lasts_, held_;
};

}  // namespace saltus
