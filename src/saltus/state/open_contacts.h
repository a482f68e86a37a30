// Contacts that carry load from step to step across a gap.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace saltus {

/// A contact that carried load in three consecutive steps counts as open if its gap exceeds a
/// thousandth of the displacement in the step, or a tenth under a law that closes gaps: such laws
/// leave gaps of second order where bodies rotate.
class OpenContacts {
 public:
  /// Begins a step of an island that has up to this many open contacts.
  void begin(std::size_t contacts = 0) {
    now_.clear();
    now_.reserve(contacts);
  }
  /// Adds a contact that carries load in this step as in the previous one; call in order of
  /// increasing key. gap: y at the end [m]. motion: displacement of its bodies in the step,
  /// including the one its own load would cause, h (|u| + W P) [m], the measure for bodies at rest.
  /// slack: gaps up to this count as closed [m]. Returns whether the contact counts as open.
  bool add(std::uint64_t key, double gap, double motion, bool closes_gaps, double slack) {
    constexpr double kShare = 1e-3, kTurnedShare = 0.1;
    constexpr int kSteps = 3;
    if (!(gap > std::max((closes_gaps ? kTurnedShare : kShare) * motion, slack))) return false;
    const auto last = std::ranges::lower_bound(last_, key, {}, &Open::key);
    const int steps = last != last_.end() && last->key == key ? last->steps + 1 : 2;
    now_.push_back({key, steps});
    return steps >= kSteps;
  }
  void end() { last_.swap(now_); }

 private:
  struct Open {
    std::uint64_t key;
    int steps;  ///< consecutive steps
  };
  std::vector<Open> last_, now_;
};

}  // namespace saltus
