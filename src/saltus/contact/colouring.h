// Which contacts may be solved at the same time.
#pragma once
#include <cstdint>
#include <vector>

#include "saltus/contact/body_delassus.h"

namespace saltus {

/// Contacts of one colour have no moving body in common. Contact c, in the order of the problem,
/// gets the first colour that none of its bodies has. A body with more than 64 contacts uses up the
/// colours: `rest` are the contacts without a colour, to be solved one by one. A body with
/// A_b^-1 = 0 is held and couples no contacts.
class Colouring {
 public:
  /// Allocates nothing once a problem size has occurred.
  void assign(const BodyRows& H);

  int colours() const { return static_cast<int>(begin_.size()) - 2; }
  std::span<const int> colour(int k) const { return part(k); }  ///< contacts, increasing
  std::span<const int> rest() const { return part(colours()); }
  /// All contacts: colour by colour, then the rest.
  std::span<const int> order() const { return order_; }
  bool held(int body) const { return held_[static_cast<std::size_t>(body)] != 0; }

 private:
  std::span<const int> part(int k) const {
    const auto i = static_cast<std::size_t>(k);
    return std::span(order_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  }
  std::vector<int> order_;
  std::vector<std::size_t> begin_{0, 0};
  std::vector<std::uint64_t> taken_;  ///< bit k of a body: it has a contact of colour k
  std::vector<std::uint8_t> held_;
};

}  // namespace saltus
