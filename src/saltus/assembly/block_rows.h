// Rows of contacts between rigid bodies, made in blocks of contacts and only for those of the
// problem (ContactList::lean()), and rows by bodies of six velocities.
//
// On its side s, +1 or -1, the row of a contact along d has the six numbers  s d^T J  with J of the
// point of the side. Sums run over the columns of one group after another, as in GroupRows: both
// give the same bits.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "saltus/assembly/island_contacts.h"
#include "saltus/contact/body_delassus.h"

namespace saltus {

class BlockRows {
 public:
  using Member = IslandContacts::Member;
  /// Velocities, or configurations, of all members.
  using Velocities = std::span<const Vector* const>;
  explicit BlockRows(IslandContacts& contacts)
      : contacts_(contacts), start_(contacts.members().size()) {}

  // -- without Member::H
  /// Gaps of the contacts at t, with the members at q_of.
  void gaps(double t, Velocities q_of, Vector& gap) const;
  /// rate = H v0 + d0 in the normal rows. Returns whether some point has a prescribed velocity at
  /// the end of the step.
  bool make_normal_rates(std::span<const Trial> trials, Vector& rate);
  /// u += H v in the normal rows.
  void add_normal_rates(Velocities v_of, Vector& u) const;
  /// The other rows of rate, for the contacts `admitted`; with H of the last by_bodies(), or
  /// without it.
  void make_tangent_rates(std::span<const Trial> trials, std::span<const int> admitted,
                          const BodyRows& H, Vector& rate);
  void make_tangent_rates(std::span<const Trial> trials, std::span<const int> admitted,
                          Vector& rate);
  /// Makes Member::H for the contacts `admitted`.
  void make_rows_of(std::span<const int> admitted);
  /// u += H v in the rows of the list, with H of the last by_bodies().
  void add_rates(std::span<const int> admitted, const BodyRows& H, Velocities v_of,
                 Vector& u) const;
  /// r += H^T p for one member, with p in the rows of the list.
  void add_impulses(std::span<const int> admitted, const BodyDelassus& W, const Vector& p,
                    int member, Out r) const;

  // -- also for other islands of rigid bodies
  /// H by bodies for the contacts `admitted`, with as many rows as `sizes` gives; A_b^-1 of groups
  /// of rigid bodies. lean: Member::H was not made. Returns false if a group has another form of A,
  /// or one that is not symmetric.
  bool by_bodies(std::span<const Trial> trials, std::span<const int> admitted,
                 std::span<const int> sizes, bool lean, BodyRows& H);
  /// Index of the first body of a member in the rows of the last by_bodies().
  int first_body(int member) const { return first_body_[static_cast<std::size_t>(member)]; }

 private:
  Velocities start_velocities(std::span<const Trial> trials);
  template <class Which, class Use>
  void with_rows(std::size_t begin, std::size_t end, const Which& which, const Use& use) const;
  double rate_of(const IslandContact& c, int a, const std::array<const double*, 2>& J,
                 const std::array<const double*, 2>& v) const;
  double rate_of(const IslandContact& c, int a, const BodyRows& H, std::size_t k,
                 const std::array<const double*, 2>& v) const;
  double start_rate(std::size_t i, int a) const;
  std::array<const double*, 2> body_velocities(const IslandContact& c, Velocities v_of) const;
  template <class Use>
  void for_coordinate(const IslandContact& c, const Use& use) const;
  template <class Use>
  void for_sides(const IslandContact& c, const Use& use) const;
  bool invert_masses(std::span<const Trial> trials, BodyRows& H);
  std::size_t find_bodies(std::span<const int> admitted, std::span<const int> sizes,
                          BodyRows& H) const;
  void fill(std::span<const int> admitted, std::span<const int> sizes, BodyRows& H) const;
  void fill_from_members(std::span<const int> admitted, std::span<const int> sizes,
                         BodyRows& H) const;

  IslandContacts& contacts_;
  std::vector<const Vector*> start_;  ///< velocities of each member at the start of the step
  std::vector<int> first_body_;       ///< first body of each member with velocities
};

}  // namespace saltus
