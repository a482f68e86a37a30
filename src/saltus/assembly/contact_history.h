// Loads and bonds that the contacts of an island carry over from the previous step and from an
// earlier stage of the step.
#pragma once
#include <span>
#include <vector>

#include "saltus/assembly/contact_list.h"

namespace saltus {

/// Contacts are given by their index in the list.
class ContactHistory {
 public:
  explicit ContactHistory(const ContactList& list) : list_(list) {}
  void resize();  ///< call it when the contacts of the list have changed

  /// Starts a stage. impulse, one per row of the list: that of the previous step; 0 in a stage of
  /// positions.
  void begin(const IslandStep& step, bool velocities, Vector& impulse);
  /// After a stage of positions, which has closed the gaps: no contact has a previous load.
  void clear_loads();
  /// First pass of a stage: which loads of the contacts `admitted` are sustained, from u at the
  /// start and u of the free motion, one per row of the list.
  void find_lasting(std::span<const int> admitted, const Vector& u0, const Vector& u_free);
  /// After a stage of positions: the contacts `admitted` with p > 0 are held in the next stage. p:
  /// one per contact.
  void hold(std::span<const int> admitted, const Vector& p);

  /// Carried an impulse in the position stage of this step.
  bool held(std::size_t i) const { return held_[i] != 0; }
  /// Its cohesion is intact, if it has any.
  bool bonded(std::size_t i) const { return bonded_[i] != 0; }
  /// Bonded by a law with cohesion.
  bool glued(std::size_t i) const;
  /// Carried an impulse in the previous step, and is not held by a bond.
  bool loaded(std::size_t i) const { return loaded_[i] != 0 && !glued(i); }
  /// Its load is sustained, as found in the first pass.
  bool lasts(std::size_t i) const { return lasts_[i] != 0; }
  /// Loaded, with no rebound left that its law would return.
  bool rests(std::size_t i) const;

 private:
  const ContactList& list_;
  std::vector<char> bonded_, loaded_, lasts_, held_;
};

}  // namespace saltus
