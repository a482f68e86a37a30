// What steps met that their user should know although they count: each thing once, with the steps
// that met it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace saltus {

/// One thing that steps met.
struct Notice {
  enum class Kind : std::uint8_t {
    crossed,      ///< a body passed another between two steps
    overdamped,   ///< a damper turns a rate round in one step
    travels,      ///< a contact that stayed closed took energy as if it had closed
    coincident,   ///< impacts at one instant whose order decides
    across,       ///< a law held two bodies far apart
    wrapped,      ///< an angle passed half a turn
    handed_over,  ///< event-driven integration left an interval to time stepping
    contact,      ///< a contact law that does not hold as it is meant
    open,         ///< a contact carries load from step to step and stands open
    undirected    ///< the axis of friction stood along the normal of a contact
  };
  Kind kind = Kind::crossed;
  int a = -1, b = -1;       ///< what it is about, two numbers of the caller's
  std::string text;         ///< a sentence without its full stop: what, of whom, what to do
  double first = 0.0;       ///< end of the first step that met it [s]
  std::uint64_t steps = 0;  ///< that met it and count
};

/// Collects them. An interval may consist of several steps, some of which are made again: what only
/// those met that are dropped does not count. Nothing is allocated once a thing is known.
class Notices {
 public:
  static constexpr int kMost = 8;  ///< of a kind; what comes after is not kept

  /// The step in work met this; text() is called when it is new.
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
  void accept();          ///< the step in work counts, if its interval does
  void drop();            ///< it does not
  void commit(double t);  ///< the interval counts, which ended at t [s]
  void discard();         ///< it does not
  /// Those that counted, in the order in which they were met.
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
