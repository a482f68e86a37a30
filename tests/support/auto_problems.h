// Twelve problems of mechanics whose motion is known, for the automatic choice of mode, scheme and step.
#pragma once
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "saltus/study/study_run.h"

namespace saltus::test {

using Row = std::vector<double>;

/// y' = f(t, y) to almost all digits: the modified midpoint rule, extrapolated in the square of its substep, in long double.
class ExactOde {
 public:
  using Real = long double;
  using State = std::vector<Real>;
  using Rate = std::function<void(Real t, const State& y, State& dy)>;

  ExactOde(Rate rate, State start, Real step)
      : rate_(std::move(rate)), y_(std::move(start)), H_(step) {}

  /// Times must not decrease.
  const State& at(Real t) {
    const auto steps = static_cast<int>(std::ceil((t - t_) / H_ - 1e-9L));
    for (int i = 0; i < steps; ++i) large_step((t - t_) / static_cast<Real>(steps - i));
    t_ = t;
    return y_;
  }

 private:
  static constexpr int kColumns = 6;

  State midpoint(Real H, int substeps) const {
    const Real h = H / static_cast<Real>(substeps);
    State before = y_, now = y_, next(y_.size()), dy(y_.size());
    rate_(t_, y_, dy);
    for (std::size_t k = 0; k < y_.size(); ++k) now[k] += h * dy[k];
    for (int i = 1; i < substeps; ++i) {
      rate_(t_ + static_cast<Real>(i) * h, now, dy);
      for (std::size_t k = 0; k < y_.size(); ++k) next[k] = before[k] + 2 * h * dy[k];
      before.swap(now);
      now.swap(next);
    }
    rate_(t_ + H, now, dy);
    for (std::size_t k = 0; k < y_.size(); ++k) now[k] = (before[k] + now[k] + h * dy[k]) / 2;
    return now;
  }

  void large_step(Real H) {
    std::vector<State> row(kColumns);
    for (int j = 0; j < kColumns; ++j) {
      State value = midpoint(H, 2 * (j + 1));
      for (int k = 1; k <= j; ++k) {
        State& coarse = row[static_cast<std::size_t>(k - 1)];
        const Real ratio = static_cast<Real>(j + 1) / static_cast<Real>(j - k + 1);
        State better(value.size());
        for (std::size_t i = 0; i < value.size(); ++i)
          better[i] = value[i] + (value[i] - coarse[i]) / (ratio * ratio - 1);
        coarse.swap(value);
        value.swap(better);
      }
      row[static_cast<std::size_t>(j)] = std::move(value);
    }
    y_ = std::move(row.back());
    t_ += H;
  }

  Rate rate_;
  State y_;
  Real t_ = 0, H_;
};

struct AutoProblem {
  std::string name, scene;
  /// Values of the outputs at these times, which do not decrease.
  std::function<std::vector<Row>(const std::vector<double>& times)> exact;
};

/// Rows by a function of time alone.
inline std::function<std::vector<Row>(const std::vector<double>&)> closed_form(
    std::function<Row(double)> at) {
  return [at = std::move(at)](const std::vector<double>& times) {
    std::vector<Row> rows;
    for (const double t : times) rows.push_back(at(t));
    return rows;
  };
}
/// Rows of a motion that is integrated.
inline std::function<std::vector<Row>(const std::vector<double>&)> integrated(
    ExactOde ode, std::function<Row(const ExactOde::State&)> outputs) {
  return [ode, outputs = std::move(outputs)](const std::vector<double>& times) {
    ExactOde copy = ode;
    std::vector<Row> rows;
    for (const double t : times) rows.push_back(outputs(copy.at(t)));
    return rows;
  };
}

namespace problems {

using Real = ExactOde::Real;
using Y = ExactOde::State;
inline constexpr double kTwoPi = 2.0 * std::numbers::pi;

inline AutoProblem oscillator() {
  return {"oscillator", R"(saltus: 1
time: {end: 100 s, step: 0.5 s}
bodies: [{name: m, kind: linear, oscillator: {mass: 1, stiffness: 39.478417604357434}, initial: {coordinates: [1]}}]
outputs: [{probe: m, name: x, at: 0, quantity: displacement}]
)",
          closed_form([](double t) { return Row{std::cos(kTwoPi * t)}; })};
}

inline AutoProblem driven_oscillator() {
  // x'' + 0.2 x' + 4 x = cos 3 t from rest
  return {
      "driven oscillator", R"(saltus: 1
time: {end: 150 s, step: 0.75 s}
bodies:
  - name: m
    kind: linear
    oscillator: {mass: 1, stiffness: 4, damping: 0.2}
    loads: [{dof: 0, harmonic: {amplitude: 1, frequency: 0.47746482927568606, phase: 0}}]
outputs: [{probe: m, name: x, at: 0, quantity: displacement}]
)",
      closed_form([](double t) {
        const double w = 3.0, c = 0.2, k = 4.0, d = (k - w * w) * (k - w * w) + c * c * w * w;
        const double a = (k - w * w) / d, b = c * w / d, wd = std::sqrt(k - 0.25 * c * c);
        const double free = -a, rate = (-b * w + 0.5 * c * free) / wd;
        return Row{a * std::cos(w * t) + b * std::sin(w * t) +
                   std::exp(-0.5 * c * t) * (free * std::cos(wd * t) + rate * std::sin(wd * t))};
      })};
}

inline AutoProblem pendulum() {
  return {"pendulum", R"(saltus: 1
time: {end: 100 s, step: 0.5 s}
bodies: [{name: p, kind: lagrangian, pendulum: {length: 1, gravity: 9.81}, initial: {coordinates: [1.5707963267948966]}}]
outputs: [{probe: p, name: angle, at: 0, quantity: displacement}]
)",
          integrated(ExactOde(
                         [](Real, const Y& y, Y& dy) {
                           dy[0] = y[1];
                           dy[1] = -9.81L * std::sin(y[0]);
                         },
                         {1.5707963267948966L, 0}, 0.02L),
                     [](const Y& y) { return Row{static_cast<double>(y[0])}; })};
}

inline AutoProblem double_pendulum() {
  return {"double pendulum", R"(saltus: 1
time: {end: 4 s, step: 0.02 s}
bodies: [{name: p, kind: lagrangian, n_pendulum: {mass: [1, 1], length: [1, 1], gravity: 9.81}, initial: {coordinates: [1.2, 1.6]}}]
outputs:
  - {probe: p, name: upper, at: 0, quantity: displacement}
  - {probe: p, name: lower, at: 1, quantity: displacement}
)",
          integrated(ExactOde(
                         [](Real, const Y& y, Y& dy) {
                           // [2 c; c 1] a = -[s w2^2 + 2 g sin a1; -s w1^2 + g sin a2]
                           const Real c = std::cos(y[0] - y[1]), s = std::sin(y[0] - y[1]);
                           const Real f = -s * y[3] * y[3] - 2 * 9.81L * std::sin(y[0]),
                                      g = s * y[2] * y[2] - 9.81L * std::sin(y[1]), d = 2 - c * c;
                           dy[0] = y[2];
                           dy[1] = y[3];
                           dy[2] = (f - c * g) / d;
                           dy[3] = (2 * g - c * f) / d;
                         },
                         {1.2L, 1.6L, 0, 0}, 0.01L),
                     [](const Y& y) {
                       return Row{static_cast<double>(y[0]), static_cast<double>(y[1])};
                     })};
}

inline AutoProblem planet() {
  // Kepler's ellipse of eccentricity 0.6 with half axis 1, ten turns from the perihelion
  return {"planet", R"(saltus: 1
time: {end: 62.831853071795865 s, step: 0.31415926535897931 s}
bodies: [{name: p, kind: lagrangian, planet: {mu: 1}, initial: {coordinates: [0.4, 0], velocities: [0, 2]}}]
outputs:
  - {probe: p, name: x, at: 0, quantity: displacement}
  - {probe: p, name: z, at: 1, quantity: displacement}
)",
          closed_form([](double t) {
            const double e = 0.6, M = std::remainder(t, kTwoPi);
            double E = M;
            for (int i = 0; i < 50; ++i) E -= (E - e * std::sin(E) - M) / (1.0 - e * std::cos(E));
            return Row{std::cos(E) - e, 0.8 * std::sin(E)};
          })};
}

/// Quaternion and angular velocity in the body: Q' = Q (0, W)/2, J W' = -W x J W + M.
inline void turn(const Y& y, Y& dy, const Real J[3], const Real M[3]) {
  const Real w = y[0], x = y[1], u = y[2], z = y[3], a = y[4], b = y[5], c = y[6];
  dy[0] = (-x * a - u * b - z * c) / 2;
  dy[1] = (w * a + u * c - z * b) / 2;
  dy[2] = (w * b + z * a - x * c) / 2;
  dy[3] = (w * c + x * b - u * a) / 2;
  dy[4] = (M[0] + (J[1] - J[2]) * b * c) / J[0];
  dy[5] = (M[1] + (J[2] - J[0]) * c * a) / J[1];
  dy[6] = (M[2] + (J[0] - J[1]) * a * b) / J[2];
}

inline AutoProblem free_body() {
  return {"free rigid body", R"(saltus: 1
time: {end: 100 s, step: 0.5 s}
bodies: [{name: b, kind: rigid, rigid: {mass: 1, inertia: [1, 2, 3], position: [0, 0, 0], spin: [0.3, 1, 0.2]}}]
outputs:
  - {probe: b, name: x, at: [1, 0, 0], direction: [1, 0, 0], quantity: displacement}
  - {probe: b, name: z, at: [1, 0, 0], direction: [0, 0, 1], quantity: displacement}
)",
          integrated(ExactOde(
                         [](Real, const Y& y, Y& dy) {
                           const Real J[3] = {1, 2, 3}, M[3] = {0, 0, 0};
                           turn(y, dy, J, M);
                         },
                         {1, 0, 0, 0, 0.3L, 1, 0.2L}, 0.05L),
                     [](const Y& y) {
                       const Real w = y[0], a = y[1], b = y[2], c = y[3];
                       return Row{static_cast<double>(-2 * (b * b + c * c)),
                                  static_cast<double>(2 * (a * c - w * b))};
                     })};
}

inline AutoProblem heavy_top() {
  return {"heavy top on a ball joint", R"(saltus: 1
time: {end: 2 s, step: 10 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: top, kind: rigid, rigid: {mass: 15, inertia: [0.234375, 0.46875, 0.234375], position: [0, 1, 0], velocity: [4.61538, 0, 0], spin: [0, 150, -4.61538]}}
joints: [{name: pin, kind: ball, between: [world, top], at: [0, 0, 0]}]
outputs:
  - {probe: top, name: x, at: [0, 0, 0], direction: [1, 0, 0], quantity: displacement}
  - {probe: top, name: z, at: [0, 0, 0], direction: [0, 0, 1], quantity: displacement}
)",
          integrated(ExactOde(
                         [](Real, const Y& y, Y& dy) {
                           const Real J[3] = {15.234375L, 0.46875L, 15.234375L};
                           const Real w = y[0], a = y[1], b = y[2], c = y[3], weight = 15 * 9.81L;
                           // (0, 1, 0) x R^T (0, 0, -weight)
                           const Real M[3] = {-weight * (1 - 2 * (a * a + b * b)), 0,
                                              weight * 2 * (a * c - w * b)};
                           turn(y, dy, J, M);
                         },
                         {1, 0, 0, 0, 0, 150, -4.61538L}, 0.001L),
                     [](const Y& y) {  // R (0, 1, 0) - (0, 1, 0)
                       const Real w = y[0], a = y[1], b = y[2], c = y[3];
                       return Row{static_cast<double>(2 * (a * b - w * c)),
                                  static_cast<double>(2 * (b * c + w * a))};
                     })};
}

inline AutoProblem chain() {
  return {"chain of 20 masses", R"(saltus: 1
time: {end: 50 s, step: 0.25 s}
bodies:
  - name: c
    kind: linear
    chain: {masses: 20, mass: 1, stiffness: 100, ends: fixed-fixed}
    initial: {coordinates: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}
outputs:
  - {probe: c, name: first, at: 0, quantity: displacement}
  - {probe: c, name: middle, at: 9, quantity: displacement}
)",
          closed_form([](double t) {
            Row x(2, 0.0);
            for (int j = 1; j <= 20; ++j) {
              const double s = std::numbers::pi * j / 21.0, w = 20.0 * std::sin(0.5 * s),
                           part = 2.0 / 21.0 * std::sin(s) * std::cos(w * t);
              x[0] += part * std::sin(s);
              x[1] += part * std::sin(10.0 * s);
            }
            return x;
          })};
}

inline AutoProblem block_on_slope() {
  return {"block on a slope", R"(saltus: 1
time: {end: 1 s, step: 5 ms}
bodies:
  - name: block
    kind: particles
    particles: {mass: [1], positions: [[0, 0, 0]], velocities: [[3, 0, 0]], gravity: [-3.355217606, 0, -9.218384638]}
contacts: [{on: block, against: {plane: {normal: [0, 0, 1]}}, law: {kind: newton-impact, friction: 0.5}}]
outputs: [{probe: block, name: way, at: 0, direction: [1, 0, 0], quantity: displacement}]
)",
          closed_form([](double t) {
            const double a = 3.355217606 + 0.5 * 9.218384638, s = std::min(t, 3.0 / a);
            return Row{3.0 * s - 0.5 * a * s * s};
          })};
}

inline AutoProblem dry_friction() {
  // B21: half cycles about +-bound/k, of amplitude 0.085, 0.055, 0.025, then it rests at -0.01
  return {"oscillator with dry friction", R"(saltus: 1
time: {end: 1.2 s, step: 6 ms}
bodies: [{name: m, kind: linear, oscillator: {mass: 1, stiffness: 100}, initial: {coordinates: [0.1]}}]
contacts: [{on: m, against: {stop: {at: 0 m, side: below}}, law: {kind: relay, bound: 1.5 N}}]
outputs: [{probe: m, name: x, at: 0, quantity: displacement}]
)",
          closed_form([](double t) {
            const double half = std::numbers::pi / 10.0;
            double x0 = 0.1, sign = 1.0;
            for (int i = 0; i < 3; ++i, sign = -sign) {
              const double centre = sign * 0.015;
              if (t <= (i + 1) * half)
                return Row{centre + (x0 - centre) * std::cos(10.0 * (t - i * half))};
              x0 = 2.0 * centre - x0;
            }
            return Row{x0};
          })};
}

inline AutoProblem ball() {
  return {"bouncing ball", R"(saltus: 1
time: {end: 2 s, step: 10 ms}
bodies: [{name: b, kind: particles, particles: {mass: [1], positions: [[0, 0, 1]], gravity: [0, 0, -9.81]}}]
contacts: [{on: b, against: {plane: {normal: [0, 0, 1]}}, law: {kind: newton-impact, restitution: 0.8}}]
outputs: [{probe: b, name: height, at: 0, quantity: displacement}]
)",
          closed_form([](double t) {
            const double g = 9.81;
            double from = std::sqrt(2.0 / g), v = 0.8 * g * from;
            if (t <= from) return Row{-0.5 * g * t * t};
            while (t > from + 2.0 * v / g) {
              from += 2.0 * v / g;
              v *= 0.8;
            }
            return Row{-1.0 + v * (t - from) - 0.5 * g * (t - from) * (t - from)};
          })};
}

inline AutoProblem impact_oscillator() {
  return {"impact oscillator", R"(saltus: 1
time: {end: 165 s, step: 0.825 s}
bodies:
  - name: m
    kind: linear
    oscillator: {mass: 1, stiffness: 1, damping: 0.1}
    loads: [{dof: 0, harmonic: {amplitude: 1, frequency: 0.30239439187460115, phase: 1.443158998026356}}]
    initial: {coordinates: [0.2], velocities: [-2.2656643552543145]}
contacts: [{on: m, against: {stop: {at: 0.2 m, side: above}}, law: {kind: newton-impact, restitution: 0.7}}]
outputs: [{probe: m, name: x, at: 0, quantity: displacement}]
)",
          closed_form([](double t) {
            // x'' + 2 z x' + x = cos(w (t + t0)),  x(0) = sigma, x'(0) = -e U, behind an impact
            const double w = 1.9, z = 0.05, e = 0.7, sigma = 0.2, t0 = 0.75955736738229258,
                         U = 3.2366633646490213;
            t = std::fmod(t, kTwoPi / w);
            const double d = (1 - w * w) * (1 - w * w) + 4 * z * z * w * w;
            const double a = (1 - w * w) / d, b = 2 * z * w / d;
            const auto forced = [&](double s) { return a * std::cos(w * s) + b * std::sin(w * s); };
            const double rate = w * (b * std::cos(w * t0) - a * std::sin(w * t0));
            const double wd = std::sqrt(1 - z * z), c = sigma - forced(t0);
            const double s = (-e * U - rate + z * c) / wd;
            return Row{forced(t + t0) - sigma +
                       std::exp(-z * t) * (c * std::cos(wd * t) + s * std::sin(wd * t))};
          })};
}

}  // namespace problems

inline std::vector<AutoProblem> auto_problems() {
  using namespace problems;
  return {oscillator(),     driven_oscillator(), pendulum(),  double_pendulum(),
          planet(),         free_body(),         heavy_top(), chain(),
          block_on_slope(), dry_friction(),      ball(),      impact_oscillator()};
}

/// (1) of study.h against the exact motion; what an output shows at t = 0 is taken off both.
inline double true_error(const AutoProblem& problem, const Motion& motion,
                         const std::vector<double>& times) {
  const std::vector<Row> exact = problem.exact(times);
  double worst = 0.0;
  for (std::size_t i = 0; i < motion.width; ++i) {
    double off = 0.0, moved = 0.0;
    for (std::size_t k = 1; k < times.size(); ++k) {
      const double x = motion.row(k)[i] - motion.row(0)[i], r = exact[k][i] - exact[0][i];
      off += std::abs(x - r);
      moved += std::abs(r);
    }
    worst = std::max(worst, off / moved);
  }
  return worst;
}

}  // namespace saltus::test
