// Bodies that deform against the ground, rigid bodies, each other and themselves.
#include <cmath>
#include <numbers>

#include "saltus/base/error.h"
#include "tests/support/surface_scene.h"

namespace saltus::test {
namespace {

constexpr double kGravity = 9.81;

Material material(double young, MaterialLaw law = MaterialLaw::st_venant_kirchhoff,
                  double poisson = 0.3) {
  Material m{law, young, poisson};
  m.density = 1000.0;
  return m;
}
Vector3 mean_velocity(const Simulation& sim, int group) {
  const auto& body = static_cast<const Fem&>(*sim.model().groups()[group].dynamics);
  Vector v(body.velocities());
  sim.velocity(group, v);
  return body.momentum(sim.state().t, sim.state().groups[group].q, v).force / body.total_mass();
}

TEST_CASE("a block at rest on a plane presses on it by its weight, whatever the scheme") {
  const std::vector<SchemeChoice> schemes{MoreauJeanOptions{},       DefLimOptions{},
                                          DefExpOptions{},           NewmarkOptions{},
                                          GeneralizedAlphaOptions{}, DiscreteGradientOptions{}};
  for (const SchemeChoice& scheme : schemes) {
    CAPTURE(scheme_name(scheme));
    SkinScene scene;
    FemSystem block = fem_box({ElementKind::hex8, {2, 2, 2}, Vector3::Constant(0.1)},
                              material(1e4, MaterialLaw::linear));
    block.gravity = {0, 0, -kGravity};
    block.rayleigh.mass = 60.0;  // [1/s]: at rest after a second
    scene.add(block, scheme);
    scene.fix(Plane{});
    if (std::holds_alternative<NewmarkOptions>(scheme) ||
        std::holds_alternative<GeneralizedAlphaOptions>(scheme))
      scene.parts.options.instant = ContactInstant::end;
    Simulation sim(scene.model(2e-3, newton_law(0.0, 0.3)));
    StepReport report;
    double least = 0.0;
    for (int i = 0; i < 500; ++i) {
      report = sim.advance();
      REQUIRE(report.converged);
      least = std::min(least, report.gap);
    }
    CHECK(report.contacts == 9);
    CHECK(std::abs(report.impulse / (2e-3 * kGravity) - 1.0) <= 1e-9);  // 1 kg
    CHECK(least > -1e-6);
  }
}

TEST_CASE("a stiff block on a slope slides with g (sin a - mu cos a), or stays") {
  const double mu = 0.3;
  const std::vector<SchemeChoice> schemes{MoreauJeanOptions{}, DefLimOptions{}};
  for (const double degrees : {30.0, 10.0})
    for (const SchemeChoice& scheme : schemes) {
      CAPTURE(degrees);
      CAPTURE(scheme_name(scheme));
      const double a = degrees * std::numbers::pi / 180.0;
      SkinScene scene;
      FemSystem block = fem_box({ElementKind::hex8, {2, 2, 2}, Vector3::Constant(0.1)},
                                material(1e7, MaterialLaw::linear));
      block.gravity = {kGravity * std::sin(a), 0.0, -kGravity * std::cos(a)};
      block.rayleigh.stiffness = 1e-3;
      scene.add(block, scheme);
      scene.fix(Plane{});
      Simulation sim(scene.model(1e-3, newton_law(0.0, mu)));
      for (int i = 0; i < 250; ++i) REQUIRE(sim.advance().converged);
      const Vector3 before = mean_velocity(sim, 0);
      for (int i = 0; i < 250; ++i) REQUIRE(sim.advance().converged);
      const Vector3 gained = mean_velocity(sim, 0) - before;
      const double exact = std::max(kGravity * (std::sin(a) - mu * std::cos(a)), 0.0);
      CHECK(std::abs(gained.x() / 0.25 - exact) < 1e-9);
      CHECK(gained.tail<2>().norm() < 1e-9);
    }
}

TEST_CASE("blocks of different meshes under pressure carry it evenly") {
  // walls hold the sides; no gap opens, so that the law keeps gaps exactly
  const double pressure = 1e3;
  SkinScene scene;
  const auto block = [&](std::array<int, 3> cells, double z0, bool top) {
    FemSystem f = fem_box({ElementKind::hex8, cells, {1, 1, 0.5}, {0, 0, z0}},
                          material(1e6, MaterialLaw::linear));
    const auto hold = [&](const char* side, int axis) {
      const std::array axes{axis};
      for (Prescribed& p : fixed_nodes(f.mesh.node_sets.at(side), axes))
        f.prescribed.push_back(std::move(p));
    };
    for (const char* side : {"x0", "x1"}) hold(side, 0);
    for (const char* side : {"y0", "y1"}) hold(side, 1);
    if (top)
      f.loads.push_back(
          pressure_load(f.mesh, f.mesh.face_sets.at("z1"), pressure, Signal::constant(1.0)));
    else
      hold("z0", 2);
    f.rayleigh.mass = 60.0;
    return f;
  };
  MoreauJeanOptions implicit;
  implicit.theta = 1.0;
  scene.add(block({3, 3, 1}, 0.0, false), implicit);
  scene.add(block({4, 4, 1}, 0.5, true), implicit);
  StewartTrinkle law;
  Simulation sim(scene.model(5e-3, law));
  StepReport report;
  for (int i = 0; i < 300; ++i) {
    report = sim.advance();
    REQUIRE(report.converged);
  }
  CHECK(report.contacts >= 30);
  CHECK(report.impulse / 5e-3 == doctest::Approx(pressure).epsilon(1e-9));
  CHECK(report.gap > -1e-12);
  double off = 0.0;
  for (int g = 0; g < 2; ++g) {
    const auto& body = static_cast<const Fem&>(*sim.model().groups()[g].dynamics);
    for (int e = 0; e < body.mesh().elements(); ++e)
      for (int p = 0; p < body.stress_points(e); ++p) {
        const double s = body.stress(sim.state().t, sim.state().groups[g].q, e, p)(2, 2);
        off = std::max(off, std::abs(s + pressure) / pressure);
      }
  }
  MESSAGE("stress is off by " << off << " of the pressure");
  CHECK(off < 1e-9);
}

TEST_CASE("bodies that collide in space keep their momentum") {
  using Pseudo = SkinScene::PseudoThing;
  using Thing = SkinScene::RigidThing;
  const std::vector<SchemeChoice> schemes{MoreauJeanOptions{}, DefLimOptions{}};
  for (const SchemeChoice& scheme : schemes)
    for (int pair = 0; pair < 4; ++pair) {
      CAPTURE(scheme_name(scheme));
      CAPTURE(pair);
      SkinScene scene;
      const auto block = [&](ElementKind kind, const Vector3& origin, const Vector3& v) {
        scene.add(fem_box({kind, {2, 2, 2}, Vector3::Constant(0.1), origin}, material(1e6)), scheme,
                  v);
      };
      block(ElementKind::hex8, Vector3::Zero(), Vector3::Zero());
      if (pair == 0) block(ElementKind::tet4, {0.03, 0.04, 0.105}, {0.3, 0.1, -1.0});
      if (pair == 1)
        scene.add(
            std::vector<Pseudo>{
                {Box{Vector3::Constant(0.04)},
                 material(1e6),
                 {0.06, 0.07, 0.145},
                 {0.2, 0.0, -1.0}},
                {Box{{0.03, 0.06, 0.03}}, material(1e6), {0.05, 0.05, 0.22}, {0.0, 0.0, -2.0}}},
            scheme);
      if (pair == 2)
        scene.add(std::vector<Thing>{{Sphere{0.03}, 0.1, {0.06, 0.045, 0.135}, {0.1, 0.0, -1.0}}},
                  RigMidOptions{});
      if (pair == 3)
        scene.add(std::vector<Thing>{{Box{{0.06, 0.02, 0.02}},
                                      0.1,
                                      {0.09, 0.04, 0.16},
                                      {0.1, 0.0, -1.0},
                                      Quaternion(0.98, 0.1, 0.15, 0.05).normalized()}},
                  RigMidOptions{});
      Simulation sim(scene.model(1e-3, newton_law(0.2, 0.4)));
      const Resultant before = momentum_of(sim);
      int met = 0;
      double lost = 0.0, turned = 0.0, least = 0.0;
      for (int i = 0; i < 80; ++i) {
        const StepReport report = sim.advance();
        REQUIRE(report.converged);
        met += report.contacts;
        least = std::min(least, report.gap);
        const Resultant now = momentum_of(sim);
        lost = std::max(lost, (now.force - before.force).norm());
        turned = std::max(turned, (now.moment - before.moment).norm());
      }
      CHECK(met > 0);
      CHECK(lost <= 1e-12 * before.force.norm());
      CHECK(turned <= 1e-2 * before.moment.norm());  // impulses act on points of the prediction
      CHECK(least > -4e-3);                          // twice the way of a step
    }
}

TEST_CASE("a rubber ball bounces on a soft block and brings no energy back that it did not have") {
  SkinScene scene;
  FemSystem block = fem_box({ElementKind::hex8, {3, 3, 2}, {0.3, 0.3, 0.1}},
                            material(1e6, MaterialLaw::neo_hooke));
  const std::array axes{0, 1, 2};
  block.prescribed = fixed_nodes(block.mesh.node_sets.at("z0"), axes);
  block.gravity = {0, 0, -kGravity};
  scene.add(block, DiscreteGradientOptions{});
  scene.add(std::vector<SkinScene::PseudoThing>{{Sphere{0.05},
                                                 material(2e5, MaterialLaw::neo_hooke),
                                                 {0.14, 0.16, 0.16},
                                                 {0, 0, -1.5},
                                                 Matrix3::Identity(),
                                                 0.03}},
            DiscreteGradientOptions{}, {0, 0, -kGravity});
  Simulation sim(scene.model(5e-4, newton_law(0.0, 0.5)));
  const double scale = sim.state().energy.kinetic;
  double up = 0.0, least = 0.0, highest = -1.0;
  const double start = sim.state().energy.total();
  int met = 0;
  for (int i = 0; i < 240; ++i) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    met += report.contacts;
    up = std::max(up, sim.state().groups[1].v[11]);
    least = std::min(least, report.gap);
    highest = std::max(highest, sim.state().energy.total() - start);
  }
  MESSAGE("up with " << up << " m/s after down with 1.5, deepest " << least << " m");
  CHECK(met > 10);
  CHECK(up > 0.5);
  CHECK(up < 1.5);
  CHECK(least > -2e-3);
  CHECK(highest < 1e-6 * scale);
  CHECK(std::abs(account(sim, "unexplained")) < 1e-9 * scale);
}

TEST_CASE("deformable boxes stand on each other and on the ground") {
  SkinScene scene;
  const Material soft = material(1e5);
  scene.add(
      std::vector<SkinScene::PseudoThing>{{Box{Vector3::Constant(0.05)}, soft, {0, 0, 0.05}},
                                          {Box{{0.08, 0.03, 0.05}}, soft, {0.01, 0.005, 0.15}}},
      MoreauJeanOptions{}, {0, 0, -kGravity}, 2e-2);
  scene.fix(Plane{});
  Simulation sim(scene.model(1e-3, newton_law(0.0, 0.5)));
  StepReport report;
  for (int i = 0; i < 1500; ++i) {
    report = sim.advance();
    REQUIRE(report.converged);
  }
  // 1 kg and 0.96 kg on the ground, 0.96 kg on the box below
  CHECK(report.impulse / 1e-3 == doctest::Approx((1.96 + 0.96) * kGravity).epsilon(1e-6));
  CHECK(sim.state().groups[0].v.norm() < 1e-6);
  CHECK(report.gap > -1e-4);
}

TEST_CASE(
    "the legs of a bent strip meet where they may touch, and pass through each other where not") {
  double least[2] = {0.0, 0.0};
  for (const bool self : {false, true}) {
    // a strip of 0.5 m bent to a U whose legs are 40 mm apart, 10 mm thick
    const double radius = 0.025, leg = 0.2, thick = 0.01;
    const double arc = std::numbers::pi * radius, length = 2.0 * leg + arc;
    FemSystem strip =
        fem_box({ElementKind::hex8, {40, 1, 2}, {length, 0.03, thick}}, material(1e6));
    strip.mesh = moved(strip.mesh, [&](const Vector3& X) {
      const double s = X.x(), out = X.z() - 0.5 * thick;
      if (s < leg) return Vector3(leg - s, X.y(), -radius - out);
      if (s > length - leg) return Vector3(s - length + leg, X.y(), radius + out);
      const double a = (s - leg) / radius;
      return Vector3(-(radius + out) * std::sin(a), X.y(), -(radius + out) * std::cos(a));
    });
    SkinScene scene;
    const int group = scene.add(strip, MoreauJeanOptions{}, Vector3::Zero(), self);
    const auto& body = static_cast<const Fem&>(*scene.parts.groups[group].dynamics);
    Vector& v = scene.parts.initial[0].v;
    const int nodes = static_cast<int>(strip.mesh.nodes.cols());
    for (int i = 0; i < nodes; ++i) {
      const Vector3 X = strip.mesh.nodes.col(i);
      if (X.x() > 0.0) v[body.free_index(3 * i + 2)] = (X.z() > 0.0 ? -0.6 : 0.6) * X.x() / leg;
    }
    Simulation sim(scene.model(1e-3, newton_law(0.0, 0.2)));
    int met = 0;
    for (int i = 0; i < 100; ++i) {
      const StepReport report = sim.advance();
      REQUIRE(report.converged);
      met += report.contacts;
      Vector u(3 * nodes);
      body.full(sim.state().t, sim.state().groups[0].q, u);
      // the free ends: nodes of x0 and x1 by their height
      double high = -1.0, low = 1.0;
      for (int a : strip.mesh.node_sets.at("x0"))
        high = std::max(high, strip.mesh.nodes(2, a) + u[3 * a + 2]);
      for (int a : strip.mesh.node_sets.at("x1"))
        low = std::min(low, strip.mesh.nodes(2, a) + u[3 * a + 2]);
      least[self ? 1 : 0] = std::min(least[self ? 1 : 0], low - high);
    }
    CHECK((met > 0) == self);
    CHECK((momentum_of(sim).force).norm() < 1e-12);
  }
  MESSAGE("ends pass by " << -least[0] << " m, touching by " << -least[1] << " m");
  CHECK(least[0] < -0.02);
  CHECK(least[1] > -0.003);
}

TEST_CASE("positions of a block that struck the ground are corrected, at every contact instant") {
  for (const ContactInstant instant :
       {ContactInstant::start, ContactInstant::middle, ContactInstant::end})
    for (const bool correct : {false, true}) {
      CAPTURE(correct);
      CAPTURE(static_cast<int>(instant));
      SkinScene scene;
      scene.add(fem_box({ElementKind::tet4, {2, 2, 2}, Vector3::Constant(0.1), {0, 0, 0.0053}},
                        material(1e6, MaterialLaw::linear)),
                MoreauJeanOptions{}, {0, 0, -1.0});
      scene.fix(Plane{});
      scene.parts.options.instant = instant;
      scene.parts.options.correct_positions = correct;
      Simulation sim(scene.model(1e-3, newton_law(0.0, 0.3)));
      double least = 0.0, unexplained = 0.0;
      int met = 0;
      for (int i = 0; i < 40; ++i) {
        const StepReport report = sim.advance();
        REQUIRE(report.converged);
        met += report.contacts;
        least = std::min(least, report.gap);
        unexplained = std::max(unexplained, std::abs(report.unexplained));
      }
      CHECK(met > 0);
      CHECK(mean_velocity(sim, 0).z() > 0.0);
      CHECK((least > -2e-6) == correct);
      CHECK(least > -1.6e-3);      // 1 mm a step, and half of the next one
      CHECK(unexplained < 1e-12);  // of 0.5 J
    }
}

TEST_CASE("rolling and spinning friction are refused on a surface that deforms") {
  SkinScene scene;
  scene.add(fem_box({ElementKind::hex8, {1, 1, 1}, Vector3::Ones()}, material(1e6)),
            MoreauJeanOptions{});
  scene.fix(Plane{});
  NewtonImpact rolls = newton_law(0.0, 0.3), spins = rolls;
  rolls.rolling = spins.spinning = 0.01;
  CHECK_THROWS_WITH_AS(scene.model(1e-3, rolls), doctest::Contains("rolling friction"), SceneError);
  CHECK_THROWS_WITH_AS(scene.model(1e-3, spins), doctest::Contains("spinning friction"),
                       SceneError);
}

}  // namespace
}  // namespace saltus::test
