// Laws that are forces between shapes: spheres against closed forms, energy that closes, and what is refused.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "meeting.h"
#include "saltus/base/error.h"
#include "support/surface_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kStiff = 1e10;

AnyLaw power_law(double stiffness, double p) {
  return AnyLaw(Compliant{stiffness, p, 0.0, Compliant::At::mean});
}

std::vector<SchemeChoice> rigid_schemes() {
  return {MoreauJeanOptions{}, RigPosOptions{}, RigNegOptions{}, RigImpOptions{}, RigMidOptions{}};
}

struct Case {
  std::string label;
  Meeting meeting;
  double K = kStiff, p = 1.5;
  double near = 1e-9;  ///< the same of places far from the origin, whose round-off is larger
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](std::string label, double K, double p, const auto& change) {
    Case one{std::move(label), {.law = power_law(K, p)}, K, p};
    change(one);
    all.push_back(std::move(one));
  };
  const auto as_is = [](Case&) {};
  add("two groups", kStiff, 1.5, as_is);
  add("one group", kStiff, 1.5, [](Case& x) { x.meeting.one_group = true; });
  add("one at rest", kStiff, 1.5, [](Case& x) { x.meeting.at_rest = true; });
  add("on a plane", kStiff, 1.5, [](Case& x) { x.meeting.plane = true; });
  add("far away", kStiff, 1.5, [](Case& x) {
    x.meeting.origin = {300.0, -200.0, 100.0};
    x.near = 1e-6;
  });
  add("linear", 1e8, 1.0, as_is);
  add("cubic, on a plane, one at rest", 1e16, 3.0, [](Case& x) { x.meeting.plane = true; });
  add("large and slow", 1e5, 1.5, [](Case& x) {
    x.meeting.r = 2.0;
    x.meeting.m = 500.0;
    x.meeting.v = 0.01;
    x.meeting.gap = 1e-4;
  });
  add("small and light", 1e9, 1.5, [](Case& x) {
    x.meeting.r = 1e-5;
    x.meeting.m = 1e-11;
    x.meeting.gap = 1e-9;
    x.meeting.one_group = true;
  });
  return all;
}

}  // namespace

TEST_CASE(
    "spheres on springs of any power meet as long and as deep as the closed form says, and part as "
    "fast") {
  for (Case& one : cases()) {
    CAPTURE(one.label);
    Meeting& x = one.meeting;
    const Elastic exact(one.K, one.p, x.reduced(), x.v);
    for (const TimeMode mode : {TimeMode::stepping, TimeMode::events}) {
      CAPTURE(static_cast<int>(mode));
      const bool events = mode == TimeMode::events;
      x.mode = mode;
      x.h = exact.duration / (events ? 20.0 : 100.0);
      const Met met = meet(x, x.gap / x.v + 1.3 * exact.duration);
      const double near = events ? one.near : 1e-3;
      CHECK(std::abs(met.duration / exact.duration - 1.0) <= near);
      CHECK(std::abs(met.deepest / exact.deepest - 1.0) <= (events ? 2e-2 : 1e-3));
      CHECK(std::abs(met.left / x.v - 1.0) <= one.near);
      CHECK(met.energy <= one.near);
      CHECK(met.unexplained <= 1e-13 + 1e-4 * one.near);
      CHECK(met.residual <= 1e-8);
    }
  }
}

TEST_CASE(
    "what spheres do on springs is of order 2, where they meet head on and where they graze") {
  for (const double aside : {0.0, 0.011}) {
    CAPTURE(aside);
    Meeting x{.law = power_law(kStiff, 1.5)};
    x.aside = aside;
    x.gap = std::sqrt(4.0 * x.r * x.r - aside * aside) - 2.0 * x.r + 1e-5;
    const double duration = Elastic(kStiff, 1.5, x.reduced(), x.v).duration, end = 2.0 * duration;
    x.mode = TimeMode::events;
    x.h = end / 20.0;
    const Met exact = meet(x, end);
    x.mode = TimeMode::stepping;
    std::vector<double> error, impact;
    for (const int n : {100, 200, 400, 800}) {
      x.h = end / n;
      const Met met = meet(x, end);
      error.push_back((met.v[0] - exact.v[0]).norm() + std::abs(met.duration - exact.duration) /
                                                           duration * (aside == 0.0 ? 1.0 : 0.0));
      impact.push_back(met.energy);
      CHECK(met.unexplained <= 1e-13);
    }
    CAPTURE(error[0]);
    CAPTURE(error[3]);
    const double order = std::log2(error[0] / error[3]) / 3.0;
    CHECK(order > 1.6);
    CHECK(order < 2.6);
    CHECK(impact[3] <= 1e-4);
  }
}

TEST_CASE("schemes of gain 1/2 keep the energy of springs between shapes, others are warned of") {
  const Elastic exact(kStiff, 1.5, 0.015, 1.0);
  const auto with = [&](const SchemeChoice& scheme) {
    Meeting x{.law = power_law(kStiff, 1.5), .scheme = scheme, .h = exact.duration / 100.0};
    return x;
  };
  for (const SchemeChoice& scheme :
       std::vector<SchemeChoice>{MoreauJeanOptions{}, RigMidOptions{}, NewmarkOptions{}}) {
    CAPTURE(std::string(make_scheme(scheme)->name()));
    const Meeting x = with(scheme);
    CHECK(Model(parts_of(x)).warnings().empty());
    const Met met = meet(x, 1.5 * exact.duration);
    CHECK(met.energy <= 1e-9);
    CHECK(std::abs(met.duration / exact.duration - 1.0) <= 1e-3);
  }
  MoreauJeanOptions late;
  late.theta = 1.0;
  for (const SchemeChoice& scheme : std::vector<SchemeChoice>{late, EulerImplicitOptions{}}) {
    CAPTURE(std::string(make_scheme(scheme)->name()));
    const Meeting x = with(scheme);
    CHECK(Model(parts_of(x)).warnings().size() >= 1);
    const Met met = meet(x, 1.5 * exact.duration);
    CHECK(std::abs(met.left - 1.0) <= 0.05);
    CHECK(met.unexplained <= 1e-13);
  }
}

TEST_CASE("steps longer than the contact neither miss it nor make energy") {
  for (const SchemeChoice& scheme : rigid_schemes())
    for (const bool plane : {false, true})
      for (const double steps : {0.3, 0.7, 1.5, 4.0})  // a contact
        for (const double before : {0.1, 0.35, 0.6, 0.85}) {
          CAPTURE(std::string(make_scheme(scheme)->name()));
          CAPTURE(plane);
          CAPTURE(steps);
          CAPTURE(before);
          Meeting x{.law = power_law(kStiff, 1.5), .scheme = scheme};
          x.plane = plane;
          x.h = Elastic(kStiff, 1.5, x.reduced(), x.v).duration / steps;
          x.gap = (3.0 + before) * x.h * x.v;
          const Met met = meet(x, 9.0 * x.h);
          CHECK(met.energy <= 1e-9);
          CHECK(met.left == doctest::Approx(x.v).epsilon(1e-9));
        }
}

TEST_CASE("a ball comes to rest at the depth of its law, under every scheme and in long steps") {
  // k d^p = m g; the steps are up to a period of small motions
  const double m = 0.7, g = 9.81, p = 2.2, depth = 4e-4, k = m * g / std::pow(depth, p),
               period = 2.0 * std::numbers::pi * std::sqrt(depth / (p * g));
  for (const SchemeChoice& scheme : rigid_schemes())
    for (const double steps : {1.0, 3.0, 17.0})
      for (const AnyLaw& law : {AnyLaw(Felt{k, p, 0.1 * k * period}),
                                AnyLaw(HuntCrossley{k, p, 0.2 * p * k * period / depth, {}})}) {
        CAPTURE(std::string(make_scheme(scheme)->name()));
        CAPTURE(steps);
        CAPTURE(law->description());
        RigidScene scene;
        RigidThing ball{Sphere{0.05}, m};
        ball.x = {3.0, -2.0, 0.05 - 0.7 * depth};
        scene.add(ball);
        scene.fix(Plane{});
        const double h = period / steps;
        Simulation sim{scene.model(make_scheme(scheme), h, law)};
        StepReport report;
        for (double t = 0.0; t < 60.0 * period; t += h) REQUIRE((report = sim.advance()).converged);
        CHECK(report.gap == doctest::Approx(-depth).epsilon(1e-8));
        CHECK(report.residual_after <= 1e-10);
      }
}

TEST_CASE("a run that is cut while spheres press goes on with the same bits") {
  for (const TimeMode mode : {TimeMode::stepping, TimeMode::events}) {
    Meeting x{.law = power_law(kStiff, 1.5), .mode = mode};
    x.h = Elastic(kStiff, 1.5, x.reduced(), x.v).duration / 40.0;
    const Model model(parts_of(x));
    Simulation whole{model};
    for (int k = 0; k < 25; ++k) whole.advance();
    CHECK(whole.state().energy.potential > 0.0);
    Simulation again{model, State(whole.state())};
    for (int k = 0; k < 40; ++k) {
      whole.advance();
      again.advance();
    }
    for (std::size_t g = 0; g < 2; ++g) {
      CHECK((whole.state().groups[g].q.array() == again.state().groups[g].q.array()).all());
      CHECK((whole.state().groups[g].v.array() == again.state().groups[g].v.array()).all());
    }
    CHECK(whole.state().energy.total() == again.state().energy.total());
  }
}

TEST_CASE("a box rests on the springs of its corners, m g/(4 k) deep") {
  for (const TimeMode mode : {TimeMode::stepping, TimeMode::events}) {
    CAPTURE(static_cast<int>(mode));
    RigidScene scene;
    scene.mode = mode;
    const double k = 1e4, depth = 2.0 * 9.81 / (4.0 * k);
    RigidThing box{Box{{0.1, 0.1, 0.05}}, 2.0};
    box.x = {0.3, 0.2, 0.05 - depth};
    scene.add(box);
    scene.fix(Plane{});
    Simulation sim{scene.model(make_scheme(MoreauJeanOptions{}), 1e-3, power_law(k, 1.0))};
    const double E0 = sim.state().energy_start;
    for (int i = 0; i < 200; ++i) {
      const StepReport report = sim.advance();
      REQUIRE(report.converged);
      CHECK(report.contacts == 4);
      CHECK(report.gap == doctest::Approx(-depth).epsilon(1e-9));
    }
    CHECK(std::abs(sim.state().energy.total() - E0) <= 1e-12);
    CHECK(speed_of(sim, 0).norm() <= 1e-11);
  }
}

TEST_CASE("a block that deforms bounces from springs, and its energy closes") {
  SkinScene scene;
  Material rubber{MaterialLaw::linear, 1e5, 0.3};
  rubber.density = 1000.0;
  FemSystem block = fem_box({ElementKind::hex8, {2, 2, 2}, Vector3::Constant(0.1)}, rubber);
  block.gravity = {0, 0, -9.81};
  scene.add(block, MoreauJeanOptions{}, {0.0, 0.0, -0.3});
  scene.fix(Plane{});
  Simulation sim(scene.model(2e-4, power_law(2e4, 1.5)));
  const double E0 = sim.state().energy_start;
  double least = 0.0, unexplained = 0.0;
  for (int i = 0; i < 400; ++i) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    least = std::min(least, report.gap);
    unexplained = std::max(unexplained, std::abs(report.unexplained));
  }
  CHECK(least < -1e-4);
  CHECK(unexplained <= 1e-10);
  CHECK(std::abs(sim.state().energy.total() - E0) <= 1e-6 * sim.state().energy.kinetic + 1e-7);
}

TEST_CASE("what laws that are forces cannot do between shapes is refused by one line") {
  const auto refused = [](ModelParts parts, const char* words) {
    CHECK_THROWS_WITH_AS(Model{std::move(parts)}, doctest::Contains(words), SceneError);
  };
  Meeting x{.law = power_law(kStiff, 1.5), .h = 1e-6};
  ModelParts parts = parts_of(x);
  parts.options.correct_positions = true;
  refused(parts, "removes penetration");
  x.law = AnyLaw(Relay{.bound = 1.0, .velocity_weakening = {}});
  refused(parts_of(x), "acts at any gap");
}
