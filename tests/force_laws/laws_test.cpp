// Hertz's law, Hunt and Crossley's and felt between shapes, against closed forms and an ODE.
#include <array>

#include "meeting.h"
#include "saltus/base/error.h"
#include "saltus/bodies/particles.h"
#include "support/contacts.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// d'' = -N(d, d')/m* from d = 0, d' = v, by RK4 in steps of about T/4e5, until N or d is 0.
struct Reference {
  double duration = 0.0, left = 0.0, deepest = 0.0, behind = 0.0;  ///< behind: d where N ends
  template <class Force>
  Reference(const Force& N, double m, double v, double about) {
    const double h = about / 4e5;
    double d = 0.0, u = v;
    const auto rate = [&](double at, double by) { return -std::max(N(at, by), 0.0) / m; };
    for (long k = 0;; ++k) {
      const double a1 = rate(d, u), u2 = u + 0.5 * h * a1, a2 = rate(d + 0.5 * h * u, u2),
                   u3 = u + 0.5 * h * a2, a3 = rate(d + 0.5 * h * u2, u3), u4 = u + h * a3,
                   a4 = rate(d + h * u3, u4);
      const double d1 = d + h / 6.0 * (u + 2.0 * u2 + 2.0 * u3 + u4),
                   u1 = u + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
      deepest = std::max(deepest, d1);
      if (u1 < 0.0 && (d1 <= 0.0 || N(d1, u1) <= 0.0)) {
        const double share = d1 <= 0.0 ? d / (d - d1) : N(d, u) / (N(d, u) - N(d1, u1));
        duration = h * (static_cast<double>(k) + share);
        left = -(u + share * (u1 - u));
        behind = std::max(d + share * (d1 - d), 0.0);
        return;
      }
      d = d1;
      u = u1;
    }
  }
};

Hertz steel() { return {2.1e11, 0.3, 0.01, {}, {}, 0.01}; }

/// Errors of a meeting in steps: that of a hundredth of `about`, and the order down to an eighth of it.
struct Falling {
  double first, order;
};
template <class Error>
Falling falling(Meeting x, double about, double end, const Error& error) {
  x.mode = TimeMode::stepping;
  const auto at = [&](double n) {
    x.h = about / n;
    const Met met = meet(x, end);
    CHECK(met.unexplained <= 1e-13);
    return error(met);
  };
  const double first = at(100.0), middle = at(200.0), last = at(800.0);
  CHECK(middle < first);
  return {first, std::log2(first / last) / 3.0};
}

}  // namespace

TEST_CASE("Hertz's stiffness is 4/3 E* sqrt(R) of both sides, hollows and rigid sides among them") {
  Hertz x{2.1e11, 0.3, 0.02, 7e10, 0.34, 0.03};
  const double E = 1.0 / (0.91 / 2.1e11 + (1.0 - 0.34 * 0.34) / 7e10),
               R = 1.0 / (50.0 + 1.0 / 0.03);
  CHECK(x.stiffness() == doctest::Approx(4.0 / 3.0 * E * std::sqrt(R)).epsilon(1e-14));
  x.radius_b = -0.03;  // in a hollow
  CHECK(x.stiffness() ==
        doctest::Approx(4.0 / 3.0 * E * std::sqrt(1.0 / (50.0 - 1.0 / 0.03))).epsilon(1e-14));
  x = {2.1e11, 0.3, 0.02, {}, {}, {}};  // alike, the other one flat
  CHECK(x.stiffness() ==
        doctest::Approx(4.0 / 3.0 * 0.5 * 2.1e11 / 0.91 * std::sqrt(0.02)).epsilon(1e-14));
  CHECK(Hertz{1.0, 0.3, 0.02, {}, 0.2, {}}.fault());
  CHECK(Hertz{1.0, 0.3, 0.02, {}, {}, -0.02}.fault());
  CHECK_FALSE(Hertz{1.0, 0.3, 0.02, {}, {}, -0.021}.fault());
}

TEST_CASE("steel balls of Hertz meet at 1 m/s as the closed form says, and part at 1 m/s") {
  const Hertz law = steel();
  for (const bool at_rest : {false, true})
    for (const TimeMode mode : {TimeMode::stepping, TimeMode::events}) {
      CAPTURE(at_rest);
      CAPTURE(static_cast<int>(mode));
      Meeting x{.law = AnyLaw(law), .mode = mode};
      x.at_rest = at_rest;
      const Elastic exact(law.stiffness(), 1.5, x.reduced(), x.v);
      CHECK(exact.duration ==
            doctest::Approx(2.9432752 * std::pow(1.25 * x.reduced() / law.stiffness(), 0.4) /
                            std::pow(x.v, 0.2))
                .epsilon(1e-7));
      x.h = exact.duration / (mode == TimeMode::events ? 200.0 : 100.0);
      const Met met = meet(x, x.gap / x.v + 1.2 * exact.duration);
      const double near = mode == TimeMode::events ? 1e-9 : 1e-3;
      CHECK(std::abs(met.duration / exact.duration - 1.0) <= near);
      CHECK(std::abs(met.left / x.v - 1.0) <= 1e-9);
      const double peak = law.stiffness() * std::pow(met.deepest, 1.5),
                   most = law.stiffness() * std::pow(exact.deepest, 1.5);
      CHECK(std::abs(peak / most - 1.0) <= 1e-3);
    }
}

TEST_CASE(
    "Hunt and Crossley's law leaves the speed of its closed form, 1 - alpha v of slow impacts") {
  // w/a - ln(1 + a w)/a^2 is the same before and after, w = v and w = -v', a = lambda/k
  const auto psi = [](double a, double w) { return w / a - std::log1p(a * w) / (a * a); };
  for (const auto& [p, a] : {std::array{1.5, 0.3}, {1.0, 0.3}, {2.5, 2.0}, {1.5, 0.015}}) {
    CAPTURE(p);
    CAPTURE(a);
    const double K = 1e10;
    Meeting x{.law = AnyLaw(HuntCrossley{K, p, a * K, {}}), .mode = TimeMode::events};
    x.plane = p == 1.0;
    x.at_rest = p == 2.5;
    const double m = x.reduced(), about = Elastic(K, p, m, x.v).duration;
    double low = 0.0, high = std::min(x.v, (1.0 - 1e-15) / a);
    for (int k = 0; k < 200; ++k) {
      const double middle = 0.5 * (low + high);
      (psi(a, -middle) < psi(a, x.v) ? low : high) = middle;
    }
    const double deepest = std::pow((p + 1.0) * m * psi(a, x.v) / K, 1.0 / (p + 1.0));
    const Reference ode(
        [&](double d, double u) { return K * std::pow(std::max(d, 0.0), p) * (1.0 + a * u); }, m,
        x.v, about);
    CHECK(std::abs(ode.left / low - 1.0) <= 1e-9);
    x.h = about / 50.0;
    const double end = x.gap / x.v + 1.6 * about;
    const Met events = meet(x, end);
    CHECK(std::abs(events.left / low - 1.0) <= 1e-10);
    CHECK(std::abs(events.duration / ode.duration - 1.0) <= 1e-9);
    CHECK(std::abs(events.deepest / deepest - 1.0) <= 1e-2);
    CHECK(events.unexplained <= 1e-13);
    const Falling error = falling(x, about, end, [&](const Met& met) {
      CHECK(std::abs(met.deepest / deepest - 1.0) <= 1e-3);
      return std::abs(met.left / low - 1.0) + std::abs(met.duration / ode.duration - 1.0);
    });
    CHECK(error.first <= 1e-3);
    CHECK(error.order > 1.5);
    CHECK(error.order < 2.7);
  }
  Meeting slow{.law = AnyLaw(HuntCrossley{1e10, 1.5, {}, 0.02}), .mode = TimeMode::events};
  slow.h = 1e-5;
  slow.v = 0.5;
  slow.gap = 1e-6;
  CHECK(std::abs(meet(slow, 2e-4).left / slow.v - (1.0 - 0.02 * 0.5)) <= 2e-4);
}

TEST_CASE("contacts under forces begin and end once, whatever the tolerance of the integrator") {
  for (const AnyLaw& law :
       {AnyLaw(HuntCrossley{1e10, 1.5, 3e9, {}}), AnyLaw(Felt{1e9, 1.5, 4e3}), AnyLaw(steel()),
        AnyLaw(HuntCrossley{1e10, 1.0, 2e10, {}}), AnyLaw(Felt{1e13, 2.5, 2e7})})
    for (const bool plane : {false, true})
      for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12})
        for (const double h : {1e-6, 3e-6, 1e-4}) {
          CAPTURE(law->description());
          CAPTURE(plane);
          CAPTURE(tolerance);
          CAPTURE(h);
          Meeting x{.law = law, .mode = TimeMode::events};
          x.plane = plane;
          x.tolerance = tolerance;
          x.h = h;
          const Met met = meet(x, 6e-4);  // two events, or it fails
          CHECK(met.left > 0.2);
          x.tolerance = 1e-12;
          CHECK(std::abs(met.left - meet(x, 6e-4).left) <= 1e2 * tolerance + 1e-9);
        }
}

TEST_CASE("a mass meets a stop at the origin under a damped force once, whatever the tolerance") {
  using At = Compliant::At;
  for (const AnyLaw& law :
       {AnyLaw(HuntCrossley{1e6, 1.5, 3e5, {}}), AnyLaw(Felt{1e7, 2.5, 1e4}),
        AnyLaw(Felt{1e5, 1.5, 1e3}), AnyLaw(Compliant{1e5, 1.0, 50.0, At::middle}),
        AnyLaw(Compliant{1e5, 1.0, 50.0, {}})})
    for (int digits = 6; digits <= 13; ++digits) {
      CAPTURE(law->description());
      CAPTURE(digits);
      ParticleSystem system;
      system.mass = Vector::Ones(1);
      const MovingBody body{std::make_shared<Particles>(system), Vector3(0.1, 0.0, 0.0),
                            Vector3(-1.0, 0.0, 0.0)};
      ModelParts parts = one_group(body, MoreauJeanOptions{}, 1e-3);
      add_stop(parts, {}, Vector3::Zero(), Vector3::UnitX(), law);
      parts.options.mode = TimeMode::events;
      parts.options.events.tolerance = std::pow(10.0, -digits);
      Simulation sim{Model(parts)};
      std::size_t springs = 0, others = 0;
      for (int k = 0; k < 300; ++k) {
        REQUIRE(sim.advance().converged);
        for (const Event& e : sim.events()) ++(e.kind == Event::Kind::spring ? springs : others);
      }
      CHECK(springs == 2);
      CHECK(others == 0);
    }
}

TEST_CASE(
    "felt and a spring with a dashpot let go before they have their length back, and lose as an "
    "ODE does") {
  for (const auto& [p, dashpot] :
       {std::pair{1.0, false}, {1.0, true}, {1.5, false}, {2.5, false}}) {
    CAPTURE(p);
    CAPTURE(dashpot);
    const double K = p == 1.0 ? 1e7 : p == 1.5 ? 1e9 : 1e13, share = 0.3;
    const double about = Elastic(K, p, 0.015, 1.0).duration, r = share * K * about / 6.0;
    Meeting x{.law = dashpot ? AnyLaw(Compliant{K, p, r, {}}) : AnyLaw(Felt{K, p, r}),
              .mode = TimeMode::events};
    const double m = x.reduced();
    const Reference ode(
        [&](double d, double u) {
          const double at = std::max(d, 0.0);
          return K * std::pow(at, p) + r * p * (p == 1.0 ? 1.0 : std::pow(at, p - 1.0)) * u;
        },
        m, x.v, about);
    CHECK(ode.behind > 0.01 * ode.deepest);
    x.h = about / 50.0;
    const double end = x.gap / x.v + 2.5 * about;
    const Met events = meet(x, end);
    CHECK(std::abs(events.left / ode.left - 1.0) <= 1e-7);
    CHECK(std::abs(events.duration / ode.duration - 1.0) <= 1e-6);
    CHECK(events.unexplained <= 1e-13);
    const Falling error =
        falling(x, about, end, [&](const Met& met) { return std::abs(met.left / ode.left - 1.0); });
    CHECK(error.first <= 2e-3);
    CHECK(error.order > 1.4);
    CHECK(error.order < 2.8);
  }
}

TEST_CASE(
    "what damped laws lose between shapes is in the account of impacts, and none of it comes "
    "back") {
  for (const AnyLaw& law : {AnyLaw(HuntCrossley{1e10, 1.5, 3e9, {}}), AnyLaw(Felt{1e9, 1.5, 4e3}),
                            AnyLaw(Compliant{1e7, 1.0, 100.0, Compliant::At::middle}),
                            AnyLaw(Compliant{1e7, 1.0, 100.0, {}})})
    for (const TimeMode mode : {TimeMode::stepping, TimeMode::events}) {
      CAPTURE(law->description());
      CAPTURE(static_cast<int>(mode));
      Meeting x{.law = law, .mode = mode};
      x.h = 1e-6;
      x.tolerance = 1e-10;
      Simulation sim{Model(parts_of(x))};
      const double E0 = sim.state().energy_start;
      double before = E0;
      for (int k = 0; k < 600; ++k) {
        const StepReport report = sim.advance();
        REQUIRE(report.converged);
        CHECK(sim.state().energy.total() <= before + 1e-9 * E0);
        before = sim.state().energy.total();
      }
      CHECK(before < 0.99 * E0);
      CHECK(std::abs(account(sim, "impact") - (before - E0)) <= 1e-8 * E0);
    }
}

TEST_CASE("options of damped laws that contradict each other are named") {
  CHECK(HuntCrossley{1.0, 1.5, 1.0, 1.0}.fault()->key == "alpha");
  CHECK(HuntCrossley{1.0, 1.5, {}, {}}.fault()->key == "damping");
  CHECK(HuntCrossley{2.0, 1.5, {}, 0.5}.lambda() == 1.5);
}
