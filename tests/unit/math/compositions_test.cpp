#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/math/compositions.h"

using namespace saltus;

namespace {

struct Place {
  long double q, v;
};

/// q'' = -q - q^3, 80-bit numbers: errors of order 6 are seen before round-off.
Place after(const Composition& m, long double T, int steps) {
  Place at{1.0L, 0.3L};
  const long double h = T / steps;
  for (int k = 0; k < steps; ++k) {
    for (std::size_t i = 0; i < m.kicks; ++i) {
      at.q += m.drift[i] * h * at.v;
      at.v -= m.kick[i] * h * (at.q + at.q * at.q * at.q);
    }
    at.q += m.drift[m.kicks] * h * at.v;
  }
  return at;
}

/// The largest |(q, v)| over many steps of  q'' = -q  by z, from |(q, v)| = 1.
double largest_after(const Composition& m, double z, int steps) {
  double q = 0.6, v = -0.8, largest = 0.0;
  for (int k = 0; k < steps; ++k) {
    for (std::size_t i = 0; i < m.kicks; ++i) {
      q += m.drift[i] * z * v;
      v -= m.kick[i] * z * q;
    }
    q += m.drift[m.kicks] * z * v;
    largest = std::max(largest, std::hypot(q, v));
  }
  return largest;
}

}  // namespace

TEST_CASE("compositions are symmetric, add up to the step and have the order they state") {
  const Composition* methods[] = {&kStrang, &kBlanesMoan4, &kBlanesMoan6};
  const double error_at_64[] = {4e-3, 6e-8, 6e-13};
  for (std::size_t k = 0; k < 3; ++k) {
    const Composition& m = *methods[k];
    CAPTURE(m.order);
    CHECK(std::abs(std::accumulate(m.drift.begin(), m.drift.end(), 0.0) - 1.0) <= 4e-16);
    CHECK(std::abs(std::accumulate(m.kick.begin(), m.kick.end(), 0.0) - 1.0) <= 4e-16);
    for (std::size_t i = 0; i <= m.kicks; ++i) CHECK(m.drift[i] == m.drift[m.kicks - i]);
    for (std::size_t i = 0; i < m.kicks; ++i) CHECK(m.kick[i] == m.kick[m.kicks - 1 - i]);
    const long double T = 4.0L;
    const Place exact = after(kBlanesMoan6, T, 4096);
    const auto error = [&](int steps) {
      const Place at = after(m, T, steps);
      return static_cast<double>(std::hypot(at.q - exact.q, at.v - exact.v));
    };
    const double coarse = error(32), fine = error(64);
    CAPTURE(coarse);
    CAPTURE(fine);
    CHECK(std::abs(std::log2(coarse / fine) - m.order) < 0.15);
    CHECK(fine <= error_at_64[k]);
  }
}

TEST_CASE("below the stability limit of a composition no step of an oscillator grows") {
  CHECK(std::abs(stability_limit(kStrang) - 2.0) <= 1e-9);
  for (const Composition* m : {&kStrang, &kBlanesMoan4, &kBlanesMoan6}) {
    const double limit = stability_limit(*m);
    CAPTURE(m->order);
    CAPTURE(limit);
    // close to the limit amplitudes swing far before they would grow without end: the slope of the trace tells how far
    for (double share = 0.005; share < 0.999; share += 0.005)
      CHECK(largest_after(*m, share * limit, 20'000) <= 100.0);
    CHECK(largest_after(*m, limit * (1.0 + 1e-4), 200'000) > 1e6);
  }
}
