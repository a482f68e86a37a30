#include "saltus/math/modal_coefficients.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "saltus/base/error.h"

using namespace saltus;

namespace {

constexpr double u = 0x1p-53;

std::vector<std::vector<std::string>> read_rows(const std::string& file, std::size_t columns) {
  std::ifstream in(std::string(SALTUS_TEST_DATA) + "/golden/modal/" + file);
  REQUIRE(in.good());
  std::vector<std::vector<std::string>> rows;
  bool header = true;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (std::exchange(header, false)) continue;
    std::vector<std::string> cells(1);
    for (char ch : line) {
      if (ch == ',')
        cells.emplace_back();
      else if (ch != '\r')
        cells.back() += ch;
    }
    REQUIRE(cells.size() == columns);
    rows.push_back(cells);
  }
  return rows;
}

double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

/// |value/exact - 1|, measured in long double; exact below the normal range counts absolutely.
double relative_error(double value, const std::string& exact_text) {
  const long double exact = std::strtold(exact_text.c_str(), nullptr);
  const long double scale = std::max(std::abs(exact), 0x1p-1022L);
  return static_cast<double>(std::abs(value - exact) / scale);
}

struct Case {
  double omega, sigma, h;
};
/// Every regime: undamped, light, heavy, critical, nearly critical, over-damped, drag only, free.
const std::vector<Case> regimes = {
    {100, 0, 0.01},      {100, 5, 0.01},      {1e-3, 1e-5, 0.1}, {7e6, 5e4, 6.4e-5}, {50, 50, 0.01},
    {50, 50.0001, 0.01}, {50, 49.9999, 0.01}, {50, 80, 0.01},    {1e-6, 30, 0.05},   {3, 400, 1},
    {0, 3, 0.01},        {0, 0, 0.01},        {1, 0.1, 20},      {2, 2.5, 30}};

}  // namespace

TEST_CASE("the modal coefficients meet the 120-digit table in every row and column") {
  const auto rows = read_rows("modal_coeffs.csv", 10);
  REQUIRE(rows.size() == 156);
  for (const auto& row : rows) {
    const double omega = number(row[0]), sigma = number(row[1]), h = number(row[2]);
    CAPTURE(row[0]);
    CAPTURE(row[1]);
    CAPTURE(row[2]);
    double tolerance = 16 * u;
    if (sigma < omega) {
      const double d = std::sqrt((omega - sigma) * (omega + sigma)) * h;
      tolerance = 8 * u * (1 + d * std::abs(std::cos(d / 2) / std::sin(d / 2)));
    }
    const ModalCoefficients m = modal_coefficients(omega, sigma, h);
    const ModalReport p = modal_report(omega, sigma, h);
    CHECK(relative_error(m.e, row[3]) <= 2e-15);
    CHECK(relative_error(m.n, row[4]) <= tolerance);
    CHECK(relative_error(m.beta, row[5]) <= tolerance);
    CHECK(relative_error(p.W, row[6]) <= tolerance);
    CHECK(p.gamma.has_value() == !row[7].empty());
    if (p.gamma) CHECK(relative_error(*p.gamma, row[7]) <= 1e-8);
    if (p.gamma && omega * h <= 0.5 && sigma < omega)
      CHECK(relative_error(*p.gamma, row[7]) <= 1e-14 * (1 + 1 / std::abs(*p.gamma)));
    CHECK(relative_error(p.h_sigma_star, row[8]) <= tolerance);
    CHECK(p.sigma_star == p.h_sigma_star / h);
    CHECK(relative_error(p.a, row[9]) <= tolerance);
    // A has no column: A = 1 + e - n, error relative to its terms.
    const long double A =
        1 + std::strtold(row[3].c_str(), nullptr) - std::strtold(row[4].c_str(), nullptr);
    CHECK(std::abs(static_cast<double>(p.A - A)) <= 4 * u * (1 + omega * h));
    CHECK(p.e == m.e);
    CHECK(p.n == m.n);
    CHECK(p.beta == m.beta);
    CHECK(p.free_v == m.e);
    CHECK(p.free_q == -m.n / h);
    CHECK(m.a_beta == doctest::Approx(p.a * p.beta).epsilon(4 * u));
  }
}

TEST_CASE("the scheme follows the exact free trajectories from the first node on") {
  std::map<std::string, std::vector<std::vector<std::string>>> cases;
  for (const auto& row : read_rows("free_trajectories.csv", 8)) cases[row[0]].push_back(row);
  REQUIRE(cases.size() == 9);
  for (const auto& entry : cases) {
    const auto& rows = entry.second;
    CAPTURE(entry.first);
    const double omega = number(rows[0][1]), sigma = number(rows[0][2]), h = number(rows[0][3]);
    const double q0 = number(rows[0][5]), qdot0 = number(rows[0][7]);
    double q_max = 0, qdot_max = 0;
    for (const auto& row : rows) {
      q_max = std::max(q_max, std::abs(number(row[5])));
      qdot_max = std::max(qdot_max, std::abs(number(row[7])));
    }
    const ModalCoefficients m = modal_coefficients(omega, sigma, h);
    const ModalStart start = modal_start(omega, sigma, h, q0, qdot0);
    const auto to_physical = physical_velocity(omega, sigma, h);
    REQUIRE(to_physical.has_value());
    double q = start.q1, v = start.v1;
    int node = 1;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      for (; node < number(rows[i][4]); ++node) {
        v = m.e * v - (m.n / h) * q;
        q += h * v;
      }
      const double t = node * h, exact = number(rows[i][5]);
      CHECK(std::abs(q - exact) <= 1e-12 * q_max);
      CHECK(std::abs(v - number(rows[i][6])) <= 2e-12 * q_max / h);
      CHECK(std::abs((*to_physical)(q, v) - number(rows[i][7])) <= 1e-10 * qdot_max);
      const FreeFlow f = free_flow(omega, sigma, t);
      CHECK(std::abs(f.c * q0 + f.b * qdot0 - exact) <= 1e-12 * q_max);
      CHECK(std::abs(f.vq * q0 + f.vv * qdot0 - number(rows[i][7])) <= 2e-12 * qdot_max);
    }
  }
}

TEST_CASE("the exact flow is a semigroup with determinant exp(-2 sigma tau)") {
  for (const Case& mode : regimes) {
    const double omega = mode.omega, sigma = mode.sigma, h = mode.h;
    CAPTURE(omega);
    CAPTURE(sigma);
    const double t1 = 0.3 * h, t2 = h - t1, scale = 1 + omega * h;
    const FreeFlow f1 = free_flow(omega, sigma, t1), f2 = free_flow(omega, sigma, t2);
    const FreeFlow f = free_flow(omega, sigma, h);
    const double tolerance = 16 * u * scale;
    CHECK(std::abs(f2.c * f1.c + f2.b * f1.vq - f.c) <= tolerance);
    CHECK(std::abs(f2.c * f1.b + f2.b * f1.vv - f.b) <= tolerance * h);
    CHECK(std::abs(f2.vq * f1.c + f2.vv * f1.vq - f.vq) <= tolerance * scale / h);
    CHECK(std::abs(f2.vq * f1.b + f2.vv * f1.vv - f.vv) <= tolerance * scale);
    CHECK(std::abs(f.c * f.vv - f.b * f.vq - std::exp(-2 * sigma * h)) <= tolerance * scale);
    CHECK(std::abs(f.c - f.c_minus_1 - 1) <= 4 * u);
  }
  const FreeFlow rest = free_flow(3, 1, 0);
  CHECK(rest.c == 1);
  CHECK(rest.b == 0);
  CHECK(rest.vv == 1);
  CHECK(rest.c_minus_1 == 0);
}

TEST_CASE("c - 1 keeps its digits for small steps, where c alone has none") {
  // 1 - c = x/2 - x s/3 + O(x^2), x = (omega tau)^2, s = sigma tau.
  for (double ratio : {0.0, 0.5, 1.0, 3.0}) {
    const double x = 1e-12, s = ratio * 1e-6;
    const double expected = -(x / 2 - x * s / 3);
    CHECK(std::abs(free_flow(1e-6, ratio * 1e-6, 1).c_minus_1 / expected - 1) <= 1e-9);
  }
}

TEST_CASE("the physical velocity follows from two nodes unless they are half a period apart") {
  for (const Case& mode : regimes) {
    const double omega = mode.omega, sigma = mode.sigma, h = mode.h;
    CAPTURE(omega);
    CAPTURE(sigma);
    const double q0 = 0.7, v0 = -1.3 * (omega + sigma + 1);
    const FreeFlow f = free_flow(omega, sigma, h);
    const double q1 = f.c * q0 + f.b * v0, v1 = f.vq * q0 + f.vv * v0;
    const auto v = physical_velocity(omega, sigma, h, q1, q0);
    REQUIRE(v.has_value());
    const double d = omega > sigma ? std::sqrt(omega * omega - sigma * sigma) * h : 0;
    const double amplification = d > 1 ? 1 / std::abs(std::sin(d)) : 1 + 1 / h;
    CHECK(std::abs(*v - v1) <= 64 * u * (1 + d) * amplification * (std::abs(v0) + omega * q0));
  }
  const double pi = std::acos(-1.0);
  CHECK_FALSE(physical_velocity(pi, 0, 1).has_value());
  CHECK_FALSE(physical_velocity(4 * pi, 0, 0.5, 0.1, 0.1).has_value());
  CHECK_FALSE(physical_velocity(std::sqrt(1 + pi * pi), 1, 1).has_value());
  CHECK(physical_velocity(pi * (1 + 1e-6), 0, 1).has_value());
}

TEST_CASE("the discrete energy balance holds to rounding, with impulses and in every regime") {
  for (const Case& mode : regimes) {
    const double omega = mode.omega, sigma = mode.sigma, h = mode.h;
    CAPTURE(omega);
    CAPTURE(sigma);
    const ModalCoefficients m = modal_coefficients(omega, sigma, h);
    const ModalEnergyWeights w = modal_energy_weights(omega, sigma, h);
    REQUIRE(w.scale == 1);
    CHECK(2 * w.half_a - omega * omega * h * h / 4 >= -8 * u * w.half_a);
    double v = 0.4, q = 0.4 / (omega + 1);
    const auto energy = [&] { return w.half_a * v * v + w.half_k * q * (q - h * v); };
    for (int i = 0; i < 50; ++i) {
      const double before = energy(), v_old = v, r = std::sin(1.0 + i) * 0.1 / m.beta;
      v = m.e * v - (m.n / h) * q + m.beta * r;
      q += h * v;
      const double sum = v + v_old;
      const double size = w.half_a * (v * v + v_old * v_old) + before + std::abs(r * sum) +
                          w.half_k * q * q + w.damping * sum * sum;
      CHECK(std::abs(energy() - before + w.damping * sum * sum - r * sum / 2) <= 1e-13 * size);
      CHECK(energy() >= -1e-13 * size);
    }
  }
}

TEST_CASE("where 1/beta overflows the energy identity is kept multiplied by beta") {
  const double omega = 1e100, h = 1e60;  // omega h = 1e160: beta below the normal range
  const ModalCoefficients m = modal_coefficients(omega, 0, h);
  const ModalEnergyWeights w = modal_energy_weights(omega, 0, h);
  CHECK(w.scale == m.beta);
  CHECK(m.beta < 1e-307);
  for (double value : {w.half_a, w.half_k, w.damping}) CHECK(std::isfinite(value));
  double v = 0.5, q = 2 * h;
  const double before = w.half_a * v * v + w.half_k * q * (q - h * v);
  v = m.e * v - (m.n / h) * q;
  q += h * v;
  CHECK(w.half_a * v * v + w.half_k * q * (q - h * v) == doctest::Approx(before).epsilon(1e-13));
  const ModalReport p = modal_report(omega, 0, h);
  for (double value : {p.A, p.e, p.n, p.beta, p.W, *p.gamma, p.sigma_star, p.h_sigma_star, p.a})
    CHECK_FALSE(std::isnan(value));
}

TEST_CASE("a mode of a whole number of periods per step stays put and is not excited") {
  const double omega = 2 * std::acos(-1.0);
  const ModalCoefficients m = modal_coefficients(omega, 0, 1);
  CHECK(m.beta < 1e-30);
  const ModalStart start = modal_start(omega, 0, 1, 0.3, 0);
  CHECK(start.q1 == doctest::Approx(0.3).epsilon(1e-15));
  CHECK(std::abs(start.v1) < 1e-30);
  const ModalEnergyWeights w = modal_energy_weights(omega, 0, 1);
  CHECK(w.half_a * start.v1 * start.v1 < 1e-20);
}

TEST_CASE("the published Taylor polynomials agree with the closed forms to their order") {
  // Halving h divides the error by 2^8 (1/W: next term h^8) and 2^9 (h sigma*: odd in h).
  const double omega = 1.3, sigma = 0.6;
  double errors[2][2];
  for (int k = 0; k < 2; ++k) {
    const double h = k == 0 ? 0.4 : 0.2;
    const ModalReport p = modal_report(omega, sigma, h);
    errors[k][0] = std::abs(taylor_beta(omega, sigma, h) - p.beta);
    errors[k][1] = std::abs(taylor_h_sigma_star(omega, sigma, h) - p.h_sigma_star);
  }
  CHECK(errors[0][0] < 1e-5);
  CHECK(errors[0][1] < 1e-6);
  CHECK(std::log2(errors[0][0] / errors[1][0]) == doctest::Approx(8).epsilon(0.03));
  CHECK(std::log2(errors[0][1] / errors[1][1]) == doctest::Approx(9).epsilon(0.03));
  CHECK(taylor_beta(omega, sigma, 1e-3) ==
        doctest::Approx(modal_report(omega, sigma, 1e-3).beta).epsilon(1e-15));
  CHECK(taylor_beta(5, 1, 2) > 1);  // outside |lambda| h < 2 pi they are of no use
}

TEST_CASE("the limits of gamma and W for small steps are those of the expansion") {
  // h -> 0: W -> 1 + s + (x + 4 s^2)/12, gamma -> 5/6 - (2/3) sigma^2/omega^2.
  for (double h : {1e-3, 1e-8, 1e-170})
    for (double sigma : {0.0, 0.4, 1.0, 2.0}) {
      CAPTURE(sigma);
      const ModalReport p = modal_report(1, sigma, h);
      CHECK(*p.gamma == doctest::Approx(5.0 / 6 - 2 * sigma * sigma / 3).epsilon(5 * h + 1e-14));
      const double s = sigma * h;
      CHECK(p.W ==
            doctest::Approx(1 + s + (h * h + 4 * s * s) / 12).epsilon((s + h * h) * h * h + 4 * u));
    }
}

TEST_CASE("arguments outside their range are refused") {
  CHECK_THROWS_AS(modal_coefficients(-1, 0, 1), UsageError);
  CHECK_THROWS_AS(modal_coefficients(1, -1, 1), UsageError);
  CHECK_THROWS_AS(modal_coefficients(1, 0, 0), UsageError);
  CHECK_THROWS_AS(modal_report(std::nan(""), 0, 1), UsageError);
  CHECK_THROWS_AS(free_flow(1, 0, -1), UsageError);
}
