// A clamped plate, which thin bricks meet later than a supported one.
#include <doctest/doctest.h>

#include "support/plate.h"

using namespace saltus;
using namespace saltus::test;

TEST_CASE("a thin clamped plate of quadratic bricks has the frequencies of Leissa within 1 %") {
  // A. W. Leissa 1969, table C.1: omega a^2 sqrt(rho h/D)
  const std::vector<double> exact{35.99, 73.41, 73.41, 108.27};
  double before = 10.0;
  for (const int cells : {6, 12, 24}) {
    const double off = largest_error(plate(cells, 0.01, true, 4), exact);
    CAPTURE(cells);
    CHECK(off < before / 3.0);
    before = off;
  }
  CHECK(before < 0.01);
}
