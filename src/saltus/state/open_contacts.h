// Contacts that carry load from step to step across a gap.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace saltus {

/// A contact that carried load in three steps in a row stands open where its gap is more than a
/// thousandth of the motion of the step, or than a tenth under a law that closes gaps: those are
/// left of what turns, in second order.
class OpenContacts {
 public:
  /// A step of an island of which so many contacts stand open at once.
  void begin(std::size_t contacts = 0) {
    now_.clear();
    now_.reserve(contacts);
  }
  /// A contact that carries load in this step, as it did in the last; by increasing key. gap y at
  /// the end [m]; motion: of its bodies in the step, with what its load alone would move them, h
  /// (|u| + W P) [m], by which what rests is judged; slack: gaps that count as closed [m]. Whether
  /// it stands open.
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
    int steps;  ///< in a row
  };
  std::vector<Open> last_, now_;
};

}  // namespace saltus
