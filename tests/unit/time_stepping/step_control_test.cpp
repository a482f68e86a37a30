// Lengths of steps on a binary ladder, without a simulation.
#include "saltus/time_stepping/step_control.h"

#include <doctest/doctest.h>

#include <cmath>

namespace saltus {
namespace {

EventState fresh() { return {}; }

/// Error of a method of order p over what is allowed, for a step of this share of the interval: 1 at `right`.
double ratio(double length, double right, double p) { return std::pow(length / right, p); }

struct Walk {
  int taken = 0, rejected = 0;
  double longest = 0.0, shortest = 1.0, end = 0.0;
};

/// Covers an interval with a method of order p for which steps of the share `right` have just the error allowed.
Walk walk(EventState& event_state, double right, double p) {
  StepLadder ladder(event_state, 1.0);
  Walk result;
  while (!ladder.done()) {
    const double length = ladder.length(), from = ladder.at(0.0);
    CHECK(from == result.end);  // no gap, no overlap
    const double r = ratio(length, right, p);
    if (r > 1.0) {
      ladder.reject(r, false);
      ++result.rejected;
      continue;
    }
    result.end = ladder.at(1.0);
    ladder.accept(r, false);
    ++result.taken;
    result.longest = std::max(result.longest, length);
    result.shortest = std::min(result.shortest, length);
  }
  CHECK(result.end == 1.0);
  ladder.keep(event_state);
  return result;
}

}  // namespace

TEST_CASE("nothing known, the first step tried is the interval") {
  const StepLadder ladder(fresh(), 1e-3);
  CHECK(ladder.length() == 1.0);
  CHECK(ladder.at(1.0) == 1.0);
  CHECK_FALSE(ladder.done());
}

TEST_CASE(
    "the ladder settles on the longest step allowed, and keeps it from interval to interval") {
  for (const double p : {1.0, 2.0, 4.0})
    for (const double right : {0.9, 0.3, 0.1, 3e-3}) {
      CAPTURE(p);
      CAPTURE(right);
      EventState event_state;
      walk(event_state, right, p);
      Walk settled;
      for (int i = 0; i < 20; ++i) settled = walk(event_state, right, p);
      CHECK(settled.longest <= right);
      CHECK(settled.longest > (p == 2.0 ? 0.45 : 0.1) * right);
      CHECK(settled.rejected <= 0.1 * settled.taken + 1);  // longer ones are tried less and less
    }
}

TEST_CASE("what was learnt is a length: an interval of another length begins with it") {
  EventState event_state;
  event_state.next = 2.5e-4;
  CHECK(StepLadder(event_state, 1e-3).length() == 0.25);
  CHECK(StepLadder(event_state, 5e-4).length() == 0.5);
  CHECK(StepLadder(event_state, 6e-4).length() == 0.25);  // not longer than it
  CHECK(StepLadder(event_state, 1e-4).length() == 1.0);
}

TEST_CASE(
    "an impact is cut out by halves, and the steps after it are as long as the place allows") {
  const double impact = 0.3141, finest = 1e-3;
  EventState event_state;
  StepLadder ladder(event_state, 1.0);
  int tried = 0, taken = 0;
  double longest_after = 0.0;
  while (!ladder.done()) {
    REQUIRE(++tried < 100);
    const bool has_it = ladder.at(0.0) < impact && impact <= ladder.at(1.0);
    if (has_it && ladder.length() > finest) {
      ladder.reject(10.0, true);
      continue;
    }
    if (ladder.at(0.0) > impact) longest_after = std::max(longest_after, ladder.length());
    ladder.accept(0.01, has_it);
    ++taken;
  }
  CHECK(longest_after == 0.5);
  CHECK(taken <= 20);  // at most two of each length
  ladder.keep(event_state);
  CHECK(event_state.next == 1.0);  // the next interval begins as if nothing had been
}

TEST_CASE("an error that does not fall with the length is told from one that does") {
  EventState event_state;
  StepLadder bends(event_state, 1.0), smooth(event_state, 1.0);
  for (int k = 0; k < 3; ++k) {
    CHECK_FALSE(bends.stubborn());
    bends.reject(5.0, false);
    smooth.reject(50.0 * smooth.length() * smooth.length(), false);
  }
  CHECK(bends.stubborn());
  CHECK_FALSE(smooth.stubborn());
  bends.accept(0.5, false);
  CHECK_FALSE(bends.stubborn());
}

TEST_CASE("the shortest step is where rejecting ends") {
  EventState event_state;
  StepLadder ladder(event_state, 1.0);
  int tried = 0;
  while (!ladder.finest()) {
    REQUIRE(++tried < 100);
    ladder.fail();
  }
  CHECK(ladder.length() == std::ldexp(1.0, -StepLadder::kFinest));
  CHECK(ladder.reject(10.0, false) == 0);
  CHECK(ladder.finest());
}

TEST_CASE("contacts that are new are found by their keys") {
  const std::vector<Touch> before{{2, 0}, {5, 0}, {9, 1}}, now{{1, 0}, {5, 0}, {7, 1}, {9, 1}};
  std::vector<Touch> fresh;
  new_touches(before, now, fresh);
  REQUIRE(fresh.size() == 2);
  CHECK(fresh[0].key == 1);
  CHECK(fresh[1].key == 7);
  new_touches(now, now, fresh);
  CHECK(fresh.empty());
}

}  // namespace saltus
