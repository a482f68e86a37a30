// H of the contacts of an island, body by body: the rows of every contact, and velocities of points
// due to prescribed motion.
#pragma once
#include <span>
#include <vector>

#include "saltus/assembly/coordinate_contacts.h"
#include "saltus/assembly/island_contacts.h"

namespace saltus {

class ContactRows {
 public:
  ContactRows(IslandContacts& contacts, CoordinateContacts& coordinates)
      : contacts_(contacts), coordinates_(coordinates) {}

  /// Makes Member::H with the members at Member::q and the axes of Member::axes, prescribed motion
  /// at t0 and t1, and rate = H v0 + d0.
  void make(std::span<const Trial> trials, Vector& rate);
  /// The same for a step whose rows BlockRows made; drifts: some point has a prescribed velocity at
  /// its end.
  void begin_blocks(double t0, double t1, bool drifts) {
    t0_ = t0, t1_ = t1, drifts_ = drifts || contacts_.follows();
  }
  /// u += d1: prescribed velocity of the points at the end of the step.
  void add_drift(Vector& u) const;
  /// Prescribed velocity of the points in row a of contact i, as the mean of both ends of the step.
  double mean_drift(std::size_t i, int a) const;

 private:
  void sort_by_members();
  double surface_rate(std::size_t i, int a, double t) const;

  IslandContacts& contacts_;
  CoordinateContacts& coordinates_;
  std::vector<int> begin_, contact_;  ///< contacts of each member
  bool runs_ = false;                 ///< some surface runs
  /// Some point, body or surface of the rows has a prescribed velocity at the end of the step.
  bool drifts_ = false;
  double t0_ = 0.0, t1_ = 0.0;  ///< ends of the step of make() [s]
};

}  // namespace saltus
