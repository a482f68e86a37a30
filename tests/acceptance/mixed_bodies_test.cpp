// Rigid balls, a linear block of finite elements and a bar by its modes in one contact problem, each by a scheme of its own.
#include <cmath>
#include <set>

#include "saltus/bodies/modal.h"
#include "tests/support/surface_scene.h"

namespace saltus::test {
namespace {

constexpr double kLength = 0.4, kLine = 0.5;  // of the bar [m], [kg/m]

/// A beam that bends along z, its modes to `modes`.
std::shared_ptr<const Modal> beam(BeamEnds ends, int modes) {
  const std::vector<double> roots = beam_roots(ends, modes);
  Vector mass(modes), omega(modes), sigma = Vector::Zero(modes);
  for (int j = 0; j < modes; ++j) {
    mass[j] = kLine;
    omega[j] = 3.0 * std::pow(roots[static_cast<std::size_t>(j)] / kLength, 2);
  }
  return std::make_shared<Modal>(
      mass, omega, sigma, std::shared_ptr<const ModeShapes>(beam_shapes(ends, kLength, modes)),
      ModalPlacement{{0.0, 0.15, 0.0}, Vector3::UnitX(), Vector3::UnitZ()});
}

struct Mixed {
  SkinScene scene;
  int block = 0, balls = 0, bar = 0;
};

/// The block falls on the bar beside it, one ball on the block, another on the bar, a third on the first one.
Mixed mixed(bool supported, const SchemeChoice& of_block, const SchemeChoice& of_bar) {
  Mixed m;
  const Vector3 gravity = supported ? Vector3(0, 0, -9.81) : Vector3::Zero();
  const double r = 0.03;
  Material material{MaterialLaw::linear, 1e6, 0.3};
  material.density = 1000.0;
  FemSystem block =
      fem_box({ElementKind::hex8, {2, 2, 2}, Vector3::Constant(0.1), {0, 0, 0.004}}, material);
  block.gravity = gravity;
  m.block = m.scene.add(block, of_block, {0, 0, -0.5});
  m.balls = m.scene.add(
      std::vector<SkinScene::RigidThing>{{Sphere{r}, 0.11, {0.04, 0.06, 0.15}, {0.1, 0, -1}},
                                         {Sphere{r}, 0.11, {0.3, 0.15, 0.05}, {0, 0, -1}},
                                         {Sphere{r}, 0.11, {0.045, 0.06, 0.25}, {0, 0, -3}}},
      RigMidOptions{}, gravity);
  const BeamEnds ends = supported ? BeamEnds::fixed_free : BeamEnds::free_free;
  m.bar = m.scene.add_body("modal", beam(ends, 6), of_bar);
  GroupState rest;
  rest.q = rest.v = Vector::Zero(6);
  m.scene.parts.initial.push_back(rest);
  const auto& fem = static_cast<const Fem&>(*m.scene.parts.groups[m.block].dynamics);
  const int corner = fem.mesh().node_sets.at("z0").back();
  m.scene.parts.laws = {newton_law(0.6)};
  const auto pair = [&](std::uint64_t key, const ContactSide& a, double x) {
    ContactPair p;
    p.key = key;
    p.a = a;
    p.b = {m.bar, {0, 0, Vector3(x, 0, 0)}};
    p.law = 1;
    m.scene.parts.pairs.push_back(p);
  };
  pair(1, {m.balls, {1, 0, Vector3(0, 0, -r)}}, 0.3);
  pair(2, {m.block, fem.node_point(corner)}, 0.1);
  if (supported) m.scene.fix(Plane{}, {{0, 0, -0.02}, Matrix3::Identity()});
  return m;
}

/// "ball ball", "ball block", "block world" ...
std::string who(std::uint64_t key) {
  if (key == 1) return "ball bar";
  if (key == 2) return "block bar";
  const auto a = static_cast<int>(key >> 44) - 1, b = static_cast<int>((key >> 24) & 0xfffff);
  const auto name = [](int i) { return std::string(i < 3 ? "ball" : i == 3 ? "world" : "block"); };
  return a >= 3 ? "block " + name(b) : name(a) + " " + name(b);
}

const std::vector<std::pair<SchemeChoice, SchemeChoice>>& choices() {
  static const std::vector<std::pair<SchemeChoice, SchemeChoice>> kChoices{
      {MoreauJeanOptions{}, ModalExactOptions{}},
      {DiscreteGradientOptions{}, ModalExactOptions{}},
      {MoreauJeanOptions{}, NewmarkOptions{}}};
  return kChoices;
}

TEST_CASE(
    "rigid balls, a linear block and a modal bar meet in space: every joule and momentum kept") {
  for (const auto& [of_block, of_bar] : choices()) {
    Mixed m = mixed(false, of_block, of_bar);
    Simulation sim(m.scene.model(5e-4, newton_law(0.5, 0.3)));
    const auto momentum = [&] {
      Vector v(6);
      sim.velocity(m.bar, v);
      // of the modes of a free beam the first alone has one: int shape_0 dx = sqrt(L)
      return Vector3(momentum_of(sim).force + kLine * std::sqrt(kLength) * v[0] * Vector3::UnitZ());
    };
    const Vector3 start = momentum();
    const double scale = sim.state().energy.kinetic;
    std::set<std::string> met;
    double unexplained = 0.0, lost = 0.0, highest = 0.0;
    int failed = 0;
    for (int i = 0; i < 400; ++i) {
      const StepReport report = sim.advance();
      failed += report.converged ? 0 : 1;
      unexplained = std::max(unexplained, std::abs(account(sim, "unexplained")));
      lost = std::max(lost, (momentum() - start).norm());
      highest = std::max(highest, sim.state().energy.total() / scale);
      for (const ContactMemory& c : sim.state().contacts) met.insert(who(c.key));
    }
    MESSAGE(scheme_name(of_block) << " and " << scheme_name(of_bar) << ": unexplained "
                                  << unexplained / scale << ", momentum " << lost / start.norm()
                                  << ", energy " << sim.state().energy.total() / scale);
    CHECK(failed == 0);
    CHECK(unexplained <= 1e-9 * scale);
    CHECK(lost <= 1e-12 * start.norm());
    CHECK(highest <= 1.0 + 1e-9);
    for (const char* pair : {"ball ball", "block ball", "ball bar", "block bar"}) {
      CAPTURE(pair);
      CHECK(met.count(pair) == 1);
    }
  }
}

TEST_CASE(
    "rigid balls, a linear block and a modal bar on the ground: every joule has its account") {
  for (const auto& [of_block, of_bar] : choices()) {
    Mixed m = mixed(true, of_block, of_bar);
    Simulation sim(m.scene.model(5e-4, newton_law(0.5, 0.3)));
    const double scale = sim.state().energy.kinetic;
    std::set<std::string> met;
    double unexplained = 0.0;
    int failed = 0;
    for (int i = 0; i < 800; ++i) {
      const StepReport report = sim.advance();
      failed += report.converged ? 0 : 1;
      unexplained = std::max(unexplained, std::abs(account(sim, "unexplained")));
      for (const ContactMemory& c : sim.state().contacts) met.insert(who(c.key));
    }
    MESSAGE(scheme_name(of_block) << " and " << scheme_name(of_bar) << ": unexplained "
                                  << unexplained / scale << ", energy "
                                  << sim.state().energy.total() / scale);
    CHECK(failed == 0);
    CHECK(unexplained <= 1e-9 * scale);
    for (const char* pair : {"ball ball", "block ball", "ball bar", "block bar", "block world"}) {
      CAPTURE(pair);
      CHECK(met.count(pair) == 1);
    }
  }
}

}  // namespace
}  // namespace saltus::test
