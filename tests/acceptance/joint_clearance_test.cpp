// A slider-crank with a clearance at the pin of its slider, beside its motion by events: impacts, ledger, convergence.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// The mechanism of the example by events. The crank (r) turns with w; b is the angle of the rod (l, m_2, J_2), x the place
/// of the slider (m_3). D is the distance of the centres of bore and pin, n its direction from pin to bore:
///     d = (r cos wt + l cos b - x, r sin wt + l sin b),   D = |d| <= c,   n = d/D
///     J b'' = (m_2 l/2) w^2 r sin(wt - b) - L l n . (-sin b, cos b),   m_3 x'' = L n_x,   J = J_2 + m_2 l^2/4
/// L is the force of pin on bore, 0 while D < c. Where D reaches c an impulse turns D' into -e D'; below `kSlow` the pin
/// stays on the bore, with L from D'' = 0, until L pulls. Runge-Kutta's method of order 4, events by bisection.
class WornPin {
 public:
  struct Hit {
    double t, speed, lost;  // [s], [m/s], [J]
  };
  static constexpr double kCrank = 0.05, kRod = 0.12, kWidth = 0.5e-3;
  static inline const double kTurn = 5000.0 * 2.0 * std::numbers::pi / 60.0;

  explicit WornPin(double e) : e_(e) {}

  void to(double end) {
    while (t < end - 1e-15) {
      const double h = std::min(kStep, end - t);
      if (!event(h)) {
        y_ = moved(h);
        t += h;
        continue;
      }
      double before = 0.0, after = h;
      for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (before + after);
        (event(middle) ? after : before) = middle;
      }
      y_ = moved(after);
      t += after;
      if (held_)
        held_ = false;
      else
        impact();
    }
  }
  double slider() const { return y_[1] - (kCrank + kRod); }
  double eccentricity() const { return row(t, y_).D; }
  double lost() const {
    double sum = 0.0;
    for (const Hit& hit : hits) sum += hit.lost;
    return sum;
  }

  double t = 0.0;
  std::vector<Hit> hits;

 private:
  using State = std::array<double, 4>;  // b, x, b', x'
  static constexpr double kRodMass = 0.21, kRodInertia = 2.5e-4, kSlider = 0.14;
  static constexpr double kInertia = kRodInertia + 0.25 * kRodMass * kRod * kRod;
  static constexpr double kStep = 1e-6, kSlow = 2e-3;

  struct Row {
    double D, rate, free;   // D, D', D'' without force
    double on_rod, on_pin;  // change of D' with b' and x'
    double W;               // change of D' with an impulse along n [1/kg]
  };
  static double free_turn(double t, double b) {
    return 0.5 * kRodMass * kRod * kTurn * kTurn * kCrank * std::sin(kTurn * t - b) / kInertia;
  }
  static Row row(double t, const State& y) {
    const double cw = kCrank * std::cos(kTurn * t), sw = kCrank * std::sin(kTurn * t),
                 cb = kRod * std::cos(y[0]), sb = kRod * std::sin(y[0]);
    const double dx = cw + cb - y[1], dy = sw + sb;
    const double vx = -kTurn * sw - sb * y[2] - y[3], vy = kTurn * cw + cb * y[2];
    const double turn = free_turn(t, y[0]);
    const double ax = -kTurn * kTurn * cw - cb * y[2] * y[2] - sb * turn,
                 ay = -kTurn * kTurn * sw - sb * y[2] * y[2] + cb * turn;
    Row o{};
    o.D = std::hypot(dx, dy);
    const double nx = dx / o.D, ny = dy / o.D;
    o.rate = nx * vx + ny * vy;
    o.free = nx * ax + ny * ay + (vx * vx + vy * vy - o.rate * o.rate) / o.D;
    o.on_rod = ny * cb - nx * sb;
    o.on_pin = -nx;
    o.W = o.on_rod * o.on_rod / kInertia + o.on_pin * o.on_pin / kSlider;
    return o;
  }
  State rate(double at, const State& y) const {
    State dy{y[2], y[3], free_turn(at, y[0]), 0.0};
    if (held_) {
      const Row o = row(at, y);
      dy[2] -= o.free / o.W * o.on_rod / kInertia;
      dy[3] -= o.free / o.W * o.on_pin / kSlider;
    }
    return dy;
  }
  State moved(double h) const {
    const auto ahead = [&](double a, const State& k) {
      State y = y_;
      for (std::size_t i = 0; i < 4; ++i) y[i] += a * k[i];
      return y;
    };
    const State k1 = rate(t, y_), k2 = rate(t + 0.5 * h, ahead(0.5 * h, k1)),
                k3 = rate(t + 0.5 * h, ahead(0.5 * h, k2)), k4 = rate(t + h, ahead(h, k3));
    State y = y_;
    for (std::size_t i = 0; i < 4; ++i)
      y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    return y;
  }
  bool event(double h) const {
    const Row o = row(t + h, moved(h));
    return held_ ? o.free < 0.0 : o.D > kWidth && o.rate > 0.0;
  }
  void impact() {
    const Row o = row(t, y_);
    const bool stays = e_ * o.rate < kSlow && o.free > 0.0;
    const double e = stays ? 0.0 : e_, P = (1.0 + e) * o.rate / o.W;
    y_[2] -= P * o.on_rod / kInertia;
    y_[3] -= P * o.on_pin / kSlider;
    hits.push_back({t, o.rate, 0.5 * (1.0 - e * e) * o.rate * o.rate / o.W});
    held_ = stays;
  }

  double e_;
  State y_{0.0, kCrank + kRod, -kCrank* kTurn / kRod, 0.0};
  bool held_ = false;
};

/// A run of the example with one step beside the motion by events.
struct Beside {
  double before = 0.0;       ///< largest error of the eccentricity up to 0.2 ms [m]
  double between = 0.0;      ///< of the slider between the first two impacts [m]
  double slider = 0.0;       ///< of the slider up to the end [m]
  double hit = 0.0;          ///< end of the step that the first impact is in [s]
  double first_loss = 0.0;   ///< energy lost in it [J]
  double lost = 0.0;         ///< in all contact [J]
  double unexplained = 0.0;  ///< largest of a step [E0]
  double gap = 0.0;          ///< of the joints [m], [rad]
  double depth = 0.0;        ///< of the pin in the bore [m]
  int impacts = 0;           ///< runs of steps with contact
};

double account(const Simulation& sim, const std::string& name) {
  const auto accounts = sim.model().accounts();
  const auto found = std::find(accounts.begin(), accounts.end(), name);
  REQUIRE(found != accounts.end());
  return sim.state().ledger[static_cast<std::size_t>(found - accounts.begin())];
}

Beside beside(double restitution, double h, double end) {
  const std::vector<std::string> set{
      fmt::format("joints[2].slide.limits.restitution={}", restitution)};
  Scene scene =
      read_scene(std::filesystem::path(SALTUS_EXAMPLES) / "slider_crank_clearance.yaml", set);
  scene.spec.time.step = h;
  Simulation sim(build(scene));
  const double start = sim.state().energy_start;
  WornPin exact(restitution);
  Beside b;
  bool touched = false;
  while (sim.state().t + h <= end) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    const double t = sim.state().t;
    exact.to(t);
    const double off = std::abs(sim.probe(0) - exact.slider());
    if (t < 0.2e-3) b.before = std::max(b.before, std::abs(sim.probe(2) - exact.eccentricity()));
    if (t > 0.3e-3 && t < 0.55e-3) {
      b.between = std::max(b.between, off);
      b.first_loss = -account(sim, "joints");
    }
    b.slider = std::max(b.slider, off);
    b.unexplained = worse(b.unexplained, std::abs(report.unexplained) / start);
    b.gap = worse(b.gap, report.joint_gap);
    b.depth = std::max(b.depth, sim.probe(2) - WornPin::kWidth);
    const bool touches = report.contacts > 0;
    b.impacts += touches && !touched;
    if (touches && b.hit == 0.0) b.hit = t;
    touched = touches;
  }
  b.lost = -account(sim, "joints");
  return b;
}

WornPin by_events(double restitution, double end) {
  WornPin exact(restitution);
  exact.to(end);
  return exact;
}

/// Steps with which the first impact, at t, is spread evenly over its step: t = (n + (i + 1/2)/count) h.
std::vector<double> steps_about(double t, int n, int count) {
  std::vector<double> steps;
  for (int i = 0; i < count; ++i) steps.push_back(t / (n + (i + 0.5) / count));
  return steps;
}

/// Mean errors of runs at falling steps; their order is the slope of log y over log h, by least squares.
struct Ladder {
  std::vector<double> h, y;

  double order() const {
    const double n = static_cast<double>(h.size());
    double x_mean = 0.0, y_mean = 0.0, up = 0.0, down = 0.0;
    for (std::size_t i = 0; i < h.size(); ++i) {
      x_mean += std::log(h[i]) / n;
      y_mean += std::log(y[i]) / n;
    }
    for (std::size_t i = 0; i < h.size(); ++i) {
      const double x = std::log(h[i]) - x_mean;
      up += x * (std::log(y[i]) - y_mean);
      down += x * x;
    }
    return up / down;
  }
};

}  // namespace

TEST_CASE("the bore first hits the pin at 6.819 degrees of the crank with 4.386 m/s") {
  const WornPin exact = by_events(0.9, 0.3e-3);
  REQUIRE(exact.hits.size() == 1);
  const WornPin::Hit& first = exact.hits[0];
  CHECK(WornPin::kTurn * first.t * 180.0 / std::numbers::pi ==
        doctest::Approx(6.819).epsilon(1e-4));
  CHECK(first.speed == doctest::Approx(4.386).epsilon(1e-4));
  for (const double h : {8e-6, 4e-6, 2e-6, 1e-6}) {
    CAPTURE(h);
    const Beside b = beside(0.9, h, 0.3e-3);
    CHECK(b.impacts == 1);
    CHECK(b.hit >= first.t);  // its step ends after it ...
    CHECK(b.hit <= first.t + h + 1e-3 * h);
  }
}

TEST_CASE("a pin in a worn bore: the second order before the first impact, the first after it") {
  const WornPin exact = by_events(0.9, 0.3e-3);
  const double t = exact.hits[0].t;
  constexpr int kCount = 8;
  Ladder before, between, time, loss;
  for (const int n : {8, 16, 32, 64}) {
    double sum[4] = {};
    for (const double h : steps_about(t, n, kCount)) {
      const Beside b = beside(0.9, h, 0.56e-3);
      CHECK(b.impacts == 1);
      sum[0] += b.before;
      sum[1] += b.between;
      sum[2] += std::abs(b.hit - 0.5 * h - t);
      sum[3] += std::abs(b.first_loss - exact.lost());
    }
    std::size_t i = 0;
    for (Ladder* ladder : {&before, &between, &time, &loss}) {
      ladder->h.push_back(t / (n + 0.5));
      ladder->y.push_back(sum[i++] / kCount);
    }
    MESSAGE(
        fmt::format("h {:.2e} s: before {:.1e} m, between {:.1e} m, time {:.1e} s, loss {:.1e} "
                    "of {:.4f} J",
                    before.h.back(), before.y.back(), between.y.back(), time.y.back(),
                    loss.y.back(), exact.lost()));
  }
  CHECK(before.order() > 1.9);
  CHECK(before.order() < 2.1);
  for (const Ladder& ladder : {between, time, loss}) {
    CHECK(ladder.order() > 0.95);
    CHECK(ladder.order() < 1.05);
  }
}

TEST_CASE("a pin in a worn bore: through five impacts the error falls with the step") {
  const double end = 1.14e-3;
  const WornPin exact = by_events(0.9, end);
  REQUIRE(exact.hits.size() == 5);
  constexpr int kCount = 16;
  Ladder slider, loss;
  for (const int n : {8, 16, 32, 64, 128}) {
    double sum[4] = {};
    for (const double h : steps_about(exact.hits[0].t, n, kCount)) {
      const Beside b = beside(0.9, h, end);
      sum[0] += b.slider;
      sum[1] += std::abs(b.lost - exact.lost());
      sum[2] += b.impacts;
      sum[3] = std::max(sum[3], b.depth);
      if (n >= 64) CHECK(b.impacts == 5);
    }
    slider.h.push_back(exact.hits[0].t / (n + 0.5));
    slider.y.push_back(sum[0] / kCount);
    loss.h.push_back(slider.h.back());
    loss.y.push_back(sum[1] / kCount);
    MESSAGE(fmt::format(
        "h {:.2e} s: slider {:.1e} m, loss {:.1e} of {:.4f} J, {:.2f} impacts, "
        "depth {:.1e} m",
        slider.h.back(), slider.y.back(), loss.y.back(), exact.lost(), sum[2] / kCount, sum[3]));
  }
  for (const Ladder& ladder : {slider, loss}) {
    CHECK(ladder.order() > 0.75);
    CHECK(ladder.order() < 1.25);
  }
}

TEST_CASE("without rebound the pin stays on the bore over half a turn, off by the step") {
  const double end = 6e-3;
  const WornPin exact = by_events(0.0, end);
  REQUIRE(exact.hits.size() == 2);
  constexpr int kCount = 3;
  Ladder slider, depth, loss;
  for (const int n : {16, 32, 64, 128}) {
    double sum[3] = {};
    for (const double h : steps_about(exact.hits[0].t, n, kCount)) {
      const Beside b = beside(0.0, h, end);
      sum[0] += b.slider;
      sum[1] += b.depth;
      sum[2] += std::abs(b.lost - exact.lost());
    }
    std::size_t i = 0;
    for (Ladder* ladder : {&slider, &depth, &loss}) {
      ladder->h.push_back(exact.hits[0].t / (n + 0.5));
      ladder->y.push_back(sum[i++] / kCount);
    }
    MESSAGE(fmt::format("h {:.2e} s: slider {:.1e} m, depth {:.1e} m, loss {:.1e} of {:.4f} J",
                        slider.h.back(), slider.y.back(), depth.y.back(), loss.y.back(),
                        exact.lost()));
  }
  for (const Ladder& ladder : {slider, depth, loss}) {
    CHECK(ladder.order() > 0.75);
    CHECK(ladder.order() < 1.25);
  }
}

TEST_CASE("through its impacts the energy of the slider-crank is accounted for at every step") {
  for (const double restitution : {0.0, 0.9}) {
    for (const double h : {20e-6, 5e-6}) {
      CAPTURE(restitution);
      CAPTURE(h);
      const Beside b = beside(restitution, h, 12e-3);
      CHECK(b.impacts >= (restitution > 0.0 ? 10 : 1));
      CHECK(b.lost > 0.0);
      CHECK(b.unexplained <= 1e-13);
      CHECK(b.gap <= 1e-12);
    }
  }
}
