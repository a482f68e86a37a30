// Polynomials in Bernstein form: conversion, parts, and the first place where they become negative.
#include "saltus/math/bernstein.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "saltus/base/error.h"

using namespace saltus;
namespace {

using Polynomial = std::vector<double>;  // coefficients of Bernstein

double horner(const std::vector<double>& power, double x) {
  double sum = 0.0;
  for (std::size_t k = power.size(); k-- > 0;) sum = sum * x + power[k];
  return sum;
}

/// Coefficients of p, given by values.
template <class Function>
Polynomial through(int n, const Function& p) {
  Matrix values(1, n + 1), B;
  for (int k = 0; k <= n; ++k) values(0, k) = p(lobatto_nodes(n)[static_cast<std::size_t>(k)]);
  bernstein_through(values, B);
  return {B.data(), B.data() + n + 1};
}

/// Coefficients of p (x - root).
Polynomial times(const Polynomial& p, double root) {
  const auto n = p.size();  // degree of the product
  Polynomial out(n + 1, 0.0);
  for (std::size_t k = 0; k <= n; ++k) {
    const double up = static_cast<double>(k) / static_cast<double>(n);
    if (k > 0) out[k] += up * p[k - 1] * (1.0 - root);
    if (k < n) out[k] += (1.0 - up) * p[k] * (0.0 - root);
  }
  return out;
}

Polynomial with_roots(std::initializer_list<double> roots, double factor) {
  Polynomial p{factor};
  for (const double x : roots) p = times(p, x);
  return p;
}

TEST_CASE("a polynomial goes through its values at Lobatto's nodes, whatever its degree") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (int n = 1; n <= 16; ++n) {
    std::vector<double> power(static_cast<std::size_t>(n + 1));
    for (double& c : power) c = number(random);
    const Polynomial b = through(n, [&](double x) { return horner(power, x); });
    // The condition of the conversion grows from 12 (n = 4) over 184 (n = 8) to 4.7e4 (n = 16).
    const double round_off = 1e-15 + 2e-17 * std::pow(2.25, n);
    CAPTURE(n);
    CHECK(lobatto_nodes(n).front() == 0.0);
    CHECK(lobatto_nodes(n).back() == 1.0);
    CHECK(b.front() == power[0]);
    // b_1 = p(0) + p'(0)/n; the last digits are lost to the condition of the conversion
    CHECK(b[1] == doctest::Approx(power[0] + power[1] / n).epsilon(1e-10));
    std::vector<double> slope(b.size() - 1);
    bernstein_derivative(b, slope);
    for (double x = 0.0; x <= 1.0; x += 0.0625) {
      double derivative = 0.0, integral = 0.0;
      for (std::size_t k = 1; k < power.size(); ++k)
        derivative += static_cast<double>(k) * power[k] * std::pow(x, static_cast<double>(k - 1));
      for (std::size_t k = 0; k < power.size(); ++k)
        integral += power[k] * std::pow(x, static_cast<double>(k + 1)) / static_cast<double>(k + 1);
      CHECK(std::abs(bernstein_value(b, x) - horner(power, x)) < round_off);
      CHECK(std::abs(bernstein_value(slope, x) - derivative) < 2 * n * round_off);
      CHECK(std::abs(bernstein_integral(b, x) - integral) < round_off);
    }
  }
}

TEST_CASE("rows of values are converted one by one") {
  Matrix values(3, 5), B;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 5; ++k)
      values(i, k) = std::pow(lobatto_nodes(4)[static_cast<std::size_t>(k)], i);
  bernstein_through(values, B);
  for (int k = 0; k < 5; ++k) {
    CHECK(B(0, k) == doctest::Approx(1.0));
    CHECK(B(1, k) == doctest::Approx(k / 4.0));
    CHECK(B(2, k) == doctest::Approx(k * (k - 1) / 12.0));
  }
}

TEST_CASE("a part of a polynomial is the polynomial on the part") {
  const Polynomial p = with_roots({0.2, 0.7, 1.4, -0.3}, 3.0);
  Polynomial part(p.size());
  for (const auto& [from, to] :
       {std::pair{0.0, 1.0}, {0.25, 0.75}, {0.0, 0.1}, {0.9, 1.0}, {0.4, 0.4}}) {
    bernstein_part(p, from, to, part);
    for (double x = 0.0; x <= 1.0; x += 0.125)
      CHECK(std::abs(bernstein_value(part, x) - bernstein_value(p, from + x * (to - from))) <
            1e-15);
  }
}

struct Root {
  const char* what;
  Polynomial p;
  double noise;
  double x;  // -1: none
  double good_to;
};

TEST_CASE("the first place where a polynomial becomes negative is found") {
  const double e = 1e-6;
  const std::vector<Root> table{
      {"a constant", {1.0}, 0.0, -1.0, 0.0},
      {"a negative constant", {-1.0}, 0.0, 0.0, 0.0},
      {"zero", {0.0, 0.0, 0.0}, 0.0, -1.0, 0.0},
      {"falling", {1.0, -3.0}, 0.0, 0.25, 1e-15},
      {"rising from below", {-1.0, 3.0}, 0.0, 0.0, 0.0},
      {"a parabola and back", with_roots({0.25, 0.75}, 1.0), 0.0, 0.25, 2e-15},
      {"negative coefficients without a root", {1.0, -0.9, 1.0}, 0.0, -1.0, 0.0},
      {"its end is 0", {1.0, 0.5, 0.0}, 0.0, -1.0, 0.0},
      {"two roots close to each other", with_roots({0.3, 0.3 + e, 2.0}, -1.0), 0.0, 0.3, 1e-9},
      {"two pairs, the first counts", with_roots({0.7, 0.7 + e, 0.2, 0.2 + e}, 1.0), 0.0, 0.2,
       1e-9},
      {"their dip is below noise", with_roots({0.3, 0.3 + e, 2.0}, -1.0), 1e-12, -1.0, 0.0},
      {"their dip is above noise", with_roots({0.3, 0.3 + e, 2.0}, -1.0), 1e-13, 0.3, 1e-9},
      {"leaves 0 and comes back", with_roots({0.0, 0.6}, -1.0), 1e-14, 0.6, 2e-15},
      {"leaves 0 by its acceleration", with_roots({0.0, 0.0, 0.6}, -1.0), 1e-14, 0.6, 2e-15},
      {"leaves 0 by its jerk", with_roots({0.0, 0.0, 0.0, 0.6}, -1.0), 1e-14, 0.6, 4e-15},
      {"comes back at once", with_roots({0.0, 1e-7, 3.0}, 1.0), 1e-18, 1e-7, 1e-15},
      {"leaves 0 downwards", with_roots({0.0, 0.6}, 1.0), 1e-14, 0.0, 0.0},
      {"downwards by its acceleration", with_roots({0.0, 0.0, 2.0}, 1.0), 1e-14, 0.0, 0.0},
      {"noise at the start is no root", {-1e-13, 1.0, 1.0}, 1e-12, -1.0, 0.0},
      {"below noise at the start", {-2e-12, 1.0, 1.0}, 1e-12, 0.0, 0.0},
  };
  for (const Root& row : table) {
    CAPTURE(row.what);
    const auto x = first_negative(row.p, row.noise);
    if (row.x < 0.0) {
      CHECK(!x);
    } else {
      REQUIRE(x);
      CHECK(std::abs(*x - row.x) <= row.good_to);
    }
  }
}

TEST_CASE("a dip below noise does not hide the fall behind it") {
  const Polynomial p =
      times(with_roots({0.3, 0.3 + 1e-6}, -1.0), 0.8);  // > 0 to .8 but for a dip of 1e-13
  REQUIRE(first_negative(p, 0.0));
  CHECK(std::abs(*first_negative(p, 0.0) - 0.3) < 1e-9);
  REQUIRE(first_negative(p, 1e-12));
  CHECK(std::abs(*first_negative(p, 1e-12) - 0.8) < 4e-15);
}

TEST_CASE("a double root that is not quite one is told by the depth of its dip") {
  // (x - .37)^2 (1 + x) + d: becomes negative for d < 0, near .37 -+ sqrt(-d/1.37)
  for (const double d : {1e-9, 1e-12, -1e-12, -1e-9, -1e-6}) {
    const Polynomial p =
        through(5, [d](double x) { return (x - 0.37) * (x - 0.37) * (1.0 + x) + d; });
    CAPTURE(d);
    const auto x = first_negative(p, 1e-15);
    CHECK(x.has_value() == (d < 0.0));
    if (x) CHECK(*x == doctest::Approx(0.37 - std::sqrt(-d / 1.37)).epsilon(1e-5));
    CHECK(!first_negative(p, 1.01 * std::abs(d)));
  }
}

TEST_CASE("random polynomials fall where fine sampling sees them fall") {
  std::mt19937 random(20);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  int falls = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const int n = 1 + trial % 12;
    Polynomial p(static_cast<std::size_t>(n + 1));
    for (double& b : p) b = number(random) + (trial % 3 == 0 ? 0.5 : 0.0);
    if (trial % 2 == 0) p[0] = 0.0;
    const double noise = trial % 5 == 0 ? 1e-3 : 1e-14;
    const auto x = first_negative(p, noise);
    CAPTURE(trial);
    Polynomial clean = p;
    for (double& b : clean) {
      if (std::abs(b) > noise) break;
      b = 0.0;
    }
    const double stop = x ? *x : 1.0;
    for (int i = 0; i <= 400 && stop > 0.0; ++i)
      if (const double y = bernstein_value(clean, stop * i / 400.0); y < -noise - 1e-15) FAIL(y);
    if (!x) continue;
    ++falls;
    CHECK(std::abs(bernstein_value(clean, *x)) <= (*x > 0.0 ? 1e-13 : noise + std::abs(p[0])));
    double least = 1.0;
    for (int i = 1; i <= 2000; ++i)
      least = std::min(least, bernstein_value(clean, *x + (1.0 - *x) * i / 2000.0));
    CHECK(least < 0.0);
  }
  CHECK(falls > 1000);
}

TEST_CASE("sizes that do not fit are refused") {
  Polynomial p(40, 1.0), out(3);
  p[20] = -1.0;
  CHECK_THROWS_AS((void)first_negative(p, 0.0), UsageError);
  CHECK_THROWS_AS((void)first_negative(Polynomial{1.0, std::nan(""), 1.0}, 0.0), UsageError);
  CHECK_THROWS_AS((void)bernstein_value(p, 0.5), UsageError);
  CHECK_THROWS_AS((void)lobatto_nodes(17), UsageError);
  CHECK_THROWS_AS(bernstein_derivative(out, out), UsageError);
}

}  // namespace
