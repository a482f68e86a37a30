// Contacts with friction that have a solution, one by one, for tests and benchmarks.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace saltus::testing {

enum class Mode { open, stick, slide };

/// Positive (semi)definite blocks W = G G^T of rank 1 to 3 with b = u - W p of a p and u that obey the law: open,
/// sticking or sliding, mu = 0, 1e-3, 1 or 10. Integers where the rank is below 3 and the contact sticks: then W, p and b
/// are exact, so that the problem has a solution to the last digit.
struct ContactBlocks {
  std::mt19937_64 engine{5};
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform{0.0, 1.0};
  double mu = 0.0;
  Mode mode = Mode::open;
  std::array<double, 9> W{};
  std::array<double, 3> b{};

  int integer(int most) {
    return static_cast<int>(engine() % static_cast<unsigned>(2 * most + 1)) - most;
  }
  void next() {
    mu = std::array{0.0, 1e-3, 1.0, 10.0}[engine() % 4];
    mode = static_cast<Mode>(engine() % 3);
    const int rank = 1 + static_cast<int>(engine() % 3), family = static_cast<int>(engine() % 3);
    const bool exact = rank < 3 && (mode == Mode::stick || family == 0);
    double G[3][3];
    for (auto& row : G)
      for (double& g : row) g = exact ? integer(8) : normal(engine);
    if (exact && G[0][0] == 0.0) G[0][0] = 3.0;
    if (!exact && family == 1)  // rows of very different size
      for (auto& row : G) {
        const double size = std::pow(10.0, 4.0 * uniform(engine) - 2.0);
        for (double& g : row) g *= size;
      }
    if (!exact && family == 2 && rank == 3) {  // nearly singular
      const double size = std::pow(10.0, -6.0 * uniform(engine));
      for (auto& row : G) row[2] *= size;
    }
    double mean = 0.0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        double sum = 0.0;
        for (int k = 0; k < rank; ++k) sum += G[i][k] * G[j][k];
        W[at(3 * i + j)] = sum;
      }
      mean += W[at(4 * i)] / 3.0;
    }
    double p[3] = {}, u[3] = {};
    if (mode == Mode::open) {
      for (double& v : u) v = mean * normal(engine);
      u[0] = std::abs(u[0]);
    } else if (mode == Mode::stick && exact) {
      const int most = mu == 0.0 ? 0 : 4;
      p[0] = mu == 1e-3 ? 8192.0 : 6.0;
      p[1] = integer(most);
      p[2] = integer(most);
    } else {
      const double angle = 2.0 * std::numbers::pi * uniform(engine);
      p[0] = std::abs(normal(engine)) + 1e-3;
      const double size = mu * p[0] * (mode == Mode::stick ? std::sqrt(uniform(engine)) : 1.0);
      p[1] = size * std::cos(angle);
      p[2] = size * std::sin(angle);
      if (mode == Mode::slide) {
        const double slip = mean * std::pow(10.0, 6.0 * uniform(engine) - 4.0);
        for (int t = 1; t < 3; ++t)
          u[t] = mu == 0.0 ? mean * normal(engine) : -slip * p[t] / std::min(mu, 1.0);
      }
    }
    for (int i = 0; i < 3; ++i) {
      double sum = 0.0;
      for (int j = 0; j < 3; ++j) sum += W[at(3 * i + j)] * p[j];
      b[at(i)] = u[i] - sum;
    }
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
};

}  // namespace saltus::testing
