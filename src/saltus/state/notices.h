// Notices of valid steps that the user should know about. Each notice is stored once, with the
// number of steps it occurred in.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace saltus {

/// One notice.
struct Notice {
  enum class Kind : std::uint8_t {
    crossed,      ///< a body passed through another between two steps
    overdamped,   ///< a damper reverses a rate within one step
    travels,      ///< a persistent contact dissipated energy as an impact does
    points,       ///< contacts redundant with joints were not followed in a step
    coincident,   ///< impacts at one instant whose order affects the result
    across,       ///< a law acted between two bodies that are far apart
    wrapped,      ///< a body turned by more than half a turn in one step
    handed_over,  ///< event-driven integration left an interval to time stepping
    contact,      ///< a contact law that does not act as intended
    open,         ///< a contact carries load from step to step across an open gap
    undirected,   ///< the axis of friction was along the normal of a contact
    turn,         ///< the number of turns of a joint angle is ambiguous
    unstable      ///< an equilibrium became unstable
  };
  Kind kind = Kind::crossed;
  int a = -1, b = -1;       ///< what the notice refers to: two numbers chosen by the caller
  std::string text;         ///< a sentence without its full stop: what, of which body, what to do
  double first = 0.0;       ///< end of the first step with this notice [s]
  std::uint64_t steps = 0;  ///< number of accepted steps with this notice
};

/// Collects notices. An interval may consist of several steps, and some of them are repeated: a
/// notice does not count if all of its steps were discarded. Adding a known notice does not
/// allocate.
class Notices {
 public:
  static constexpr int kMost = 8;  ///< per kind; further notices are not stored

  /// The current step reports this notice; text() is called only if the notice is new.
  template <class Text>
  void add(Notice::Kind kind, int a, int b, const Text& text) {
    int same = 0;
    for (Entry& one : entries_) {
      if (one.notice.kind != kind) continue;
      if (one.notice.a == a && one.notice.b == b) {
        if (one.mark == Mark::none) one.mark = Mark::pending;
        return;
      }
      ++same;
    }
    if (same >= kMost) return;
    entries_.push_back({{kind, a, b, std::string(text()), 0.0, 0}, Mark::pending});
  }
  void accept();          ///< notices of the current step count if its interval does
  void drop();            ///< notices of the current step do not count
  void commit(double t);  ///< notices of the interval that ended at t [s] count
  void discard();         ///< notices of the interval do not count
  /// Notices that counted, in the order in which they were reported.
  std::vector<Notice> all() const;

 private:
  enum class Mark : std::uint8_t { none, pending, accepted };
  struct Entry {
    Notice notice;
    Mark mark = Mark::none;
  };
  std::vector<Entry> entries_;
};

}  // namespace saltus
