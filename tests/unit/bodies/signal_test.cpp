#include "saltus/bodies/signal.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "saltus/base/error.h"

using namespace saltus;

namespace {

// The derivatives against central differences of the values, at places away from corners.
void check_derivatives(const Signal& signal, std::initializer_list<double> times) {
  constexpr double d = 1e-4;
  for (double t : times) {
    CAPTURE(t);
    const double before = signal.value(t - d), at = signal.value(t), after = signal.value(t + d);
    CHECK(signal.rate(t) == doctest::Approx((after - before) / (2.0 * d)).epsilon(1e-6));
    CHECK(std::abs(signal.second(t) - (after - 2.0 * at + before) / (d * d)) < 1e-5);
  }
}

// sin between 0 and pi from n pieces; its second derivative is 0 at the ends, as that of a natural spline.
double spline_error(int n) {
  std::vector<double> t, y;
  for (int i = 0; i <= n; ++i) {
    t.push_back(std::numbers::pi * i / n);
    y.push_back(std::sin(t.back()));
  }
  const Signal spline = Signal::table(t, y, true);
  double error = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const double x = std::numbers::pi * (i + 0.5) / 1000.0;
    error = std::max(error, std::abs(spline.value(x) - std::sin(x)));
  }
  return error;
}

}  // namespace

TEST_CASE("a signal that was given nothing is zero for ever") {
  const Signal none;
  CHECK(none.is_constant());
  CHECK(none.value(3.0) == 0.0);
  CHECK(none.rate(3.0) == 0.0);
  CHECK(none.second(3.0) == 0.0);
  const Signal five = Signal::constant(5.0);
  CHECK(five.is_constant());
  CHECK(five.value(-7.0) == 5.0);
  CHECK(five.rate(1.0) == 0.0);
}

TEST_CASE("a harmonic signal swings about its mean and knows its derivatives") {
  const Signal wave = Signal::harmonic(2.0, 3.0, 0.5, 10.0);
  CHECK(wave.value(0.0) == doctest::Approx(10.0 + 2.0 * std::cos(0.5)));
  CHECK(wave.rate(0.7) == doctest::Approx(-6.0 * std::sin(2.6)));
  CHECK(wave.second(0.7) == doctest::Approx(-9.0 * (wave.value(0.7) - 10.0)));
  CHECK_FALSE(wave.is_constant());
  CHECK(Signal::harmonic(0.0, 3.0).is_constant());
  CHECK(Signal::harmonic(2.0, 0.0).is_constant());
  check_derivatives(wave, {-1.0, 0.0, 0.3, 2.0});
}

TEST_CASE("a table is straight between its points and held outside") {
  const Signal table = Signal::table({0.0, 1.0, 3.0}, {1.0, 3.0, -1.0});
  CHECK(table.value(-5.0) == 1.0);
  CHECK(table.value(0.5) == 2.0);
  CHECK(table.value(1.0) == 3.0);
  CHECK(table.value(2.0) == 1.0);
  CHECK(table.value(9.0) == -1.0);
  CHECK(table.rate(-1e-9) == 0.0);
  CHECK(table.rate(0.0) == 2.0);
  CHECK(table.rate(1.0) == -2.0);
  CHECK(table.rate(3.0) == -2.0);
  CHECK(table.rate(3.0 + 1e-9) == 0.0);
  CHECK(table.second(0.5) == 0.0);
  CHECK_FALSE(table.is_constant());
  CHECK(Signal::table({0.0, 1.0}, {4.0, 4.0}).is_constant());
}

TEST_CASE("a smooth table meets its points and is the natural cubic spline") {
  const std::vector<double> t = {0.0, 0.5, 1.25, 2.0, 3.5}, y = {1.0, -0.5, 2.0, 2.5, -1.0};
  const Signal spline = Signal::table(t, y, true);
  for (std::size_t i = 0; i < t.size(); ++i) {
    CHECK(spline.value(t[i]) == doctest::Approx(y[i]).epsilon(1e-15));
    constexpr double e = 1e-9;  // rate and second derivative do not jump
    if (i == 0 || i + 1 == t.size()) continue;
    CHECK(spline.rate(t[i] - e) == doctest::Approx(spline.rate(t[i] + e)).epsilon(1e-7));
    CHECK(spline.second(t[i] - e) == doctest::Approx(spline.second(t[i] + e)).epsilon(1e-7));
  }
  CHECK(spline.second(0.0) == 0.0);
  CHECK(std::abs(spline.second(3.5)) < 1e-12);
  CHECK(spline.value(4.0) == -1.0);
  CHECK(spline.rate(4.0) == 0.0);
  check_derivatives(spline, {0.2, 0.7, 1.9, 3.0});
  const Signal line = Signal::table({0.0, 1.0, 3.0}, {1.0, 2.0, 4.0}, true);
  CHECK(line.value(2.0) == doctest::Approx(3.0).epsilon(1e-15));
  CHECK(std::abs(line.second(2.0)) < 1e-14);
  CHECK(Signal::table({0.0, 1.0}, {1.0, 2.0}, true).rate(0.5) == 1.0);
}

TEST_CASE("a smooth table of a smooth motion errs with the fourth power of its spacing") {
  const double ratio = spline_error(8) / spline_error(16);
  CHECK(ratio > 15.0);
  CHECK(ratio < 17.0);
}

TEST_CASE("no rate of a signal in an interval is above its fastest, and one comes up to it") {
  const std::vector<double> t{0.0, 0.3, 0.5, 1.2, 1.3}, y{0.0, 1.0, -2.0, 0.5, 0.4};
  for (const Signal& signal :
       {Signal{}, Signal::constant(3.0), Signal::harmonic(0.2, 7.0, 0.4, 1.0),
        Signal::harmonic(-0.2, -7.0), Signal::table(t, y), Signal::table(t, y, true)})
    for (const double from : {-0.4, 0.0, 0.1, 0.35, 0.9, 1.25, 1.4})
      for (const double length : {1e-3, 0.05, 0.3, 2.0}) {
        double most = 0.0;
        for (int i = 0; i <= 4000; ++i)
          most = std::max(most, std::abs(signal.rate(from + length * i / 4000.0)));
        CAPTURE(from);
        CAPTURE(length);
        const double fastest = signal.fastest(from, from + length);
        CHECK(fastest >= most * (1.0 - 1e-14));
        CHECK(fastest <= most * (1.0 + 1e-4) + 1e-12);
      }
}

TEST_CASE("tables that are no function of time are refused") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(Signal::table({0.0}, {1.0}), UsageError);
  CHECK_THROWS_AS(Signal::table({0.0, 1.0}, {1.0}), UsageError);
  CHECK_THROWS_AS(Signal::table({0.0, 0.0}, {1.0, 2.0}), UsageError);
  CHECK_THROWS_AS(Signal::table({1.0, 0.0}, {1.0, 2.0}), UsageError);
  CHECK_THROWS_AS(Signal::table({0.0, nan}, {1.0, 2.0}), UsageError);
  CHECK_THROWS_AS(Signal::table({0.0, 1.0}, {1.0, nan}), UsageError);
  CHECK_THROWS_AS(Signal::constant(nan), UsageError);
  CHECK_THROWS_AS(Signal::harmonic(1.0, nan), UsageError);
}

TEST_CASE(
    "a table tells its points, and where its rate jumps: at corners, and at ends that do not "
    "rest") {
  const auto jumps = [](const Signal& signal) {
    std::vector<double> t;
    signal.jumps(t);
    return t;
  };
  const auto points = [](const Signal& signal, bool between) {
    std::vector<double> t;
    signal.points(t, between);
    return t;
  };
  using List = std::vector<double>;
  const Signal bent = Signal::table({0.0, 1.0, 2.0, 3.0, 4.0}, {1.0, 1.0, 3.0, 5.0, 6.0});
  CHECK(jumps(bent) == List{1.0, 3.0, 4.0});
  CHECK(points(bent, false) == List{0.0, 1.0, 2.0, 3.0, 4.0});
  CHECK(points(bent, true) == points(bent, false));  // its rates are constant on both sides
  const Signal smooth = Signal::table({0.0, 1.0, 2.0}, {0.0, 1.0, 0.0}, true);
  CHECK(jumps(smooth) == List{0.0, 2.0});
  CHECK(points(smooth, false) == List{0.0, 1.0, 2.0});
  CHECK(points(smooth, true) == List{0.5, 1.5});
  for (const Signal& other : {Signal(), Signal::constant(1.0), Signal::harmonic(1.0, 2.0)}) {
    CHECK(jumps(other).empty());
    CHECK(points(other, false).empty());
  }
}
