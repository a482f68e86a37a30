// Surfaces of which some nodes are held: what holds them bears what presses on them, and what nothing moves does not touch.
#include <algorithm>
#include <cmath>

#include "tests/support/surface_scene.h"

namespace saltus::test {
namespace {

constexpr double kGravity = 10.0, kStep = 1e-3;

/// A cube of 0.1 m of 8 elements on these held sets, moved up by z.
FemSystem cube(const std::vector<std::string>& sets, const std::vector<int>& axes, double z = 0.0) {
  Material soft{MaterialLaw::linear, 1e5, 0.3};
  soft.density = 1000.0;
  FemSystem system = fem_box({ElementKind::hex8, {2, 2, 2}, Vector3::Constant(0.1)}, soft);
  system.mesh.nodes.row(2).array() += z;
  system.gravity = {0, 0, -kGravity};
  system.rayleigh.mass = 30.0;
  std::vector<int> nodes;
  for (const std::string& set : sets) {
    const std::vector<int>& more = system.mesh.node_sets.at(set);
    nodes.insert(nodes.end(), more.begin(), more.end());
  }
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  system.prescribed = fixed_nodes(nodes, axes);
  return system;
}

/// Sum of the forces that hold the nodes of a group.
Vector3 held_by(const Simulation& sim, int group, const FemSystem& system) {
  Vector3 sum = Vector3::Zero();
  const Vector& reactions = sim.reactions(group);
  for (std::size_t i = 0; i < system.prescribed.size(); ++i)
    sum[system.prescribed[i].dof % 3] += reactions[static_cast<Eigen::Index>(i)];
  return sum;
}

TEST_CASE("held nodes under a weight bear it with the block, whichever nodes it stands on") {
  const std::vector<SchemeChoice> schemes{MoreauJeanOptions{}, DefLimOptions{}, NewmarkOptions{}};
  for (const SchemeChoice& scheme : schemes) {
    CAPTURE(scheme_name(scheme));
    SkinScene scene;
    const FemSystem system = cube({"x0"}, {0, 1, 2});  // also three nodes of the top
    const int block = scene.add(system, scheme);
    RigidSystem weight;
    RigidBody body;
    body.mass = 2.0;
    body.inertia = 0.01 * Matrix3::Identity();
    weight.bodies = {body};
    weight.gravity = {0, 0, -kGravity};
    weight.drag = 40.0;
    weight.spin_drag = 1.0;
    RigidLoad press;
    press.direction = -Vector3::UnitZ();
    press.signal = Signal::constant(3.0);
    weight.loads = {press};
    const int on_top =
        scene.add_body("rigid", std::make_shared<Rigid>(weight), MoreauJeanOptions{});
    GroupState start{Vector::Zero(7), Vector::Zero(6), {}};
    start.q.head<4>() << 0.05, 0.05, 0.15, 1.0;
    scene.parts.initial.push_back(start);
    scene.parts.surfaces.frames.push_back({on_top, 0, "weight"});
    scene.parts.surfaces.colliders.push_back({Box{Vector3::Constant(0.05)}, {}, 0, 0});
    scene.parts.options.instant = ContactInstant::end;
    Simulation sim(scene.model(kStep, newton_law(0.0, 0.4)));
    int most = 0;
    for (int i = 0; i < 1700; ++i) {
      const StepReport report = sim.advance();
      REQUIRE(report.converged);
      most = std::max(most, report.contacts);
    }
    CHECK(most >= 6);  // held and free ones
    const double exact = 2.0 * kGravity + 3.0 + 1.0 * kGravity;
    const Vector3 held = held_by(sim, block, system);
    CHECK(std::abs(held.z() / exact - 1.0) <= 1e-10);
    CHECK(held.head<2>().norm() <= 1e-8 * exact);
  }
}

TEST_CASE("what nothing can move does not touch") {
  struct Case {
    const char* name;
    std::vector<std::string> held;
    std::vector<int> axes;
    int contacts;  // with the floor
  };
  // the floor is 1 mm above the lower side: its nine nodes are in it
  for (const Case& c :
       {Case{"free below", {"z1"}, {0, 1, 2}, 9}, Case{"held below", {"z0"}, {0, 1, 2}, 0},
        Case{"held below along the normal", {"z0"}, {2}, 0},
        Case{"held below across the normal", {"z0"}, {0, 1}, 9},
        Case{"held at one side", {"x0"}, {0, 1, 2}, 6}}) {
    CAPTURE(c.name);
    for (const bool mesh : {false, true}) {
      CAPTURE(mesh);
      SkinScene scene;
      scene.add(cube(c.held, c.axes, -1e-3), MoreauJeanOptions{});
      if (mesh) {  // one facet of it lies below the whole cube, its corners do not
        scene.fix(triangle_mesh({{-1, -1, 0}, {2, -1, 0}, {-1, 2, 0}, {-1, -1, -1}},
                                {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}));
      } else {
        scene.fix(Plane{});
      }
      scene.parts.options.instant = ContactInstant::end;
      Simulation sim(scene.model(kStep, newton_law(0.0, 0.3)));
      const StepReport report = sim.advance();
      CHECK(report.converged);
      CHECK(report.contacts == c.contacts);
      CHECK(std::isfinite(report.gap) == (c.contacts > 0));
    }
  }
}

TEST_CASE("a facet between held nodes is no obstacle of what is fixed, and one of a free body") {
  SkinScene scene;
  scene.add(cube({"z1", "z0"}, {0, 1, 2}), MoreauJeanOptions{});
  // a fixed ball and a free one in the middle of a facet of the top
  scene.fix(Sphere{0.01}, {{0.035, 0.015, 0.109}, Matrix3::Identity()});
  scene.add(std::vector<SkinScene::RigidThing>{{Sphere{0.01}, 1.0, {0.085, 0.065, 0.109}}},
            MoreauJeanOptions{}, {0, 0, -kGravity});
  scene.parts.options.instant = ContactInstant::end;
  Simulation sim(scene.model(kStep, newton_law(0.0)));
  const StepReport report = sim.advance();
  CHECK(report.converged);
  CHECK(report.contacts == 1);
  CHECK(report.impulse == doctest::Approx(kGravity * kStep).epsilon(1e-12));
}

}  // namespace
}  // namespace saltus::test
