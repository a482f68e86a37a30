// What a results file holds for pictures: surfaces, lines, prescribed places, contacts.
#include "saltus/results/drawing.h"

#include <doctest/doctest.h>

#include "saltus/bodies/moving.h"
#include "saltus/results/results.h"
#include "support/rigid_scene.h"
#include "support/surface_scene.h"
#include "unit/results/support.h"

using namespace saltus;
using io_test::Folder;

namespace {

std::vector<double> table(const h5::File& file, const std::string& name) {
  return file.dataset(name).reals();
}

/// The file of a run of `steps` steps with a frame each.
h5::File recorded(const std::string& path, Simulation& sim, int steps) {
  ResultsWriter out(path, sim.model(), io_test::kScene, io_test::resolved());
  const auto frame = [&] {
    std::vector<Vector> v;
    for (std::size_t g = 0; g < sim.model().groups().size(); ++g) {
      v.emplace_back(sim.model().groups()[g].dynamics->velocities());
      sim.velocity(static_cast<int>(g), v.back());
    }
    out.frame(sim.state(), v, {}, sim.contacts());
  };
  const std::vector<double> probes(sim.model().probes().size());
  out.start(sim.state(), probes);
  frame();
  for (int k = 0; k < steps; ++k) {
    out.record(sim.advance(), sim.state(), probes);
    frame();
  }
  out.finish(sim.state(), {});
  return h5::File::read(path);
}

}  // namespace

TEST_CASE("drawing: shapes are stored once, and every collider stands where its body has it") {
  const Folder folder;
  test::RigidScene scene;
  scene.fix(Plane{}, {{0.0, 0.0, -1.0}, Matrix3::Identity()});
  for (int k = 0; k < 5; ++k) {
    test::RigidThing ball{Sphere{0.1 * (k + 1)}};
    ball.x = {2.0 * k, 0.0, 1.0};
    scene.add(ball);
  }
  scene.add({Box{{0.1, 0.2, 0.3}}, 1.0, {0.0, 3.0, 1.0}});
  scene.add({Box{{0.3, 0.1, 0.1}}, 1.0, {2.0, 3.0, 1.0}});
  Simulation sim(scene.model(test::rig_mid(), 1e-3, test::newton_law(0.0)));
  const h5::File file = recorded(folder / "a.h5", sim, 1);
  const h5::Group shapes = file.group("drawing/shapes");
  CHECK(shapes.names() == std::vector<std::string>{"0", "1", "2"});
  CHECK(shapes.group("0").text("kind") == "sphere");
  CHECK(shapes.group("1").text("kind") == "mesh");
  CHECK(shapes.group("2").text("kind") == "plane");
  CHECK(shapes.group("1").dataset("triangles").rows() == 12);
  CHECK(shapes.group("1").dataset("edges").rows() == 12);
  CHECK(file.dataset("drawing/instances/shape").integers() ==
        std::vector<std::int32_t>{0, 0, 0, 0, 0, 1, 1, 2});
  CHECK(file.dataset("drawing/instances/body").integers() ==
        std::vector<std::int32_t>{0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, -1, 0});
  const auto scale = table(file, "drawing/instances/scale");
  CHECK(scale[3 * 2] == doctest::Approx(0.3));
  CHECK(Vector3(scale.data() + 15) == Vector3(0.1, 0.2, 0.3));
  CHECK(table(file, "drawing/instances/place")[3 * 7 + 2] == -1.0);
}

TEST_CASE("drawing: a pseudo-rigid body is its boundary surface, x = centre + F X") {
  const Folder folder;
  test::SkinScene scene;
  test::SkinScene::PseudoThing cube;
  cube.shape = Box{{0.1, 0.1, 0.1}};
  cube.material.young = 1e6;
  cube.material.poisson = 0.3;
  cube.material.density = 1000.0;
  cube.x = {0.0, 0.0, 1.0};
  cube.size = 1.0;
  scene.add({cube, cube}, MoreauJeanOptions{});
  scene.parts.laws.push_back(test::newton_law(0.0));
  scene.parts.solver = find_solver("auto")->make();
  ModelParts parts = scene.parts;
  Simulation sim{Model(std::move(parts))};
  const h5::File file = recorded(folder / "a.h5", sim, 1);
  CHECK(file.group("drawing/shapes").names().size() == 1);  // equal boundary surfaces
  CHECK(file.dataset("drawing/instances/body").integers() == std::vector<std::int32_t>{0, 0, 0, 1});
  const auto points = table(file, "drawing/shapes/0/points");
  for (const double x : points) CHECK(std::abs(std::abs(x) - 0.1) < 1e-12);
  CHECK(file.dataset("drawing/shapes/0/edges").rows() == 12);
}

TEST_CASE("frames hold the line of a string: what its modes add up to at each point") {
  constexpr std::size_t kFrames =
      40;  // in one portion, more than are summed together, and not a multiple of them
  const Folder folder;
  const Model model = io_test::make_model();
  io_test::FakeRun run(model);
  std::vector<Vector> q;
  const auto frame = [&](ResultsWriter& out) {
    out.frame(run.state, run.velocities);
    q.push_back(run.state.groups[0].q);
  };
  {
    ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
    out.start(run.state, run.probes);
    frame(out);
    while (q.size() < kFrames) {
      run.advance();
      out.record(run.report, run.state, run.probes);
      frame(out);
    }
    out.finish(run.state, {});
  }
  const h5::File file = h5::File::read(folder / "a.h5");
  const auto points = table(file, "bodies/string/line/points"),
             u = table(file, "bodies/string/displacement");
  REQUIRE(points.size() == 3 * 41);  // 8 a mode, and one
  REQUIRE(u.size() == kFrames * points.size());
  CHECK(points[0] == 0.0);
  CHECK(points[3 * 40] == 1.0);
  CHECK(q.back() != q.front());
  const Modal& string = dynamic_cast<const Modal&>(*model.groups()[0].dynamics);
  Vector row(5);
  for (std::size_t i = 0; i < 41; ++i) {
    string.shapes().row(points[3 * i], row);
    for (std::size_t k = 0; k < kFrames; ++k) {
      CHECK(u[k * points.size() + 3 * i] == 0.0);
      CHECK(u[k * points.size() + 3 * i + 2] == doctest::Approx(row.dot(q[k])));
    }
  }
  // of the contacts of a state nothing but impulses is known
  CHECK(std::isnan(table(file, "contacts/gap").at(0)));
  CHECK(file.dataset("contacts/status").integers().at(0) == -1);
}

TEST_CASE("frames hold the contacts of their step: rows of every table belong together") {
  const Folder folder;
  test::RigidScene scene;
  scene.fix(Plane{});
  test::RigidThing box{Box{{0.1, 0.1, 0.1}}};
  box.x = {0.0, 0.0, 0.1};
  scene.add(box);
  test::RigidThing ball{Sphere{0.1}};
  ball.x = {1.0, 0.0, 0.1 + 0.9e-3};  // near, and not yet there
  scene.add(ball);
  Simulation sim(scene.model(test::rig_mid(), 1e-4, test::newton_law(0.0, 0.5)));
  const h5::File file = recorded(folder / "a.h5", sim, 3);
  CHECK(file.dataset("contacts/offset").counts() == std::vector<std::uint64_t>{0, 0, 5, 10, 15});
  for (const char* name :
       {"key", "impulse", "moment", "point", "normal", "force", "gap", "status", "body"})
    CHECK(file.dataset(std::string("contacts/") + name).rows() == 15);
  const auto status = file.dataset("contacts/status").integers(),
             body = file.dataset("contacts/body").integers();
  const auto force = table(file, "contacts/force"), gap = table(file, "contacts/gap");
  double weight = 0.0;
  for (std::size_t i = 10; i < 15; ++i) {
    const bool on_ball = body[4 * i + 1] == 1;
    CHECK(body[4 * i] == 0);
    CHECK(body[4 * i + 2] == -1);
    CHECK((status[i] == 0) == on_ball);
    if (on_ball) CHECK(gap[i] == doctest::Approx(0.9e-3).epsilon(1e-3));
    weight += force[3 * i + 2];
  }
  CHECK(weight == doctest::Approx(9.81));
}

TEST_CASE("frames hold where bodies are that follow a prescribed motion") {
  const Folder folder;
  PrescribedMotion motion;
  motion.velocity = {0.0, 2.0, 0.0};
  motion.spin = 3.0;
  test::MovingBody body{std::make_shared<Moving>(std::vector<PrescribedMotion>{motion}), {}, {}};
  ModelParts parts = test::one_group(body, MoreauJeanOptions{}, 0.1);
  Simulation sim{Model(std::move(parts))};
  const h5::File file = recorded(folder / "a.h5", sim, 2);
  CHECK(table(file, "bodies/body/place").at(7) == doctest::Approx(0.4));
  CHECK(table(file, "bodies/body/rotation").at(8) == doctest::Approx(std::cos(0.3)));
  CHECK(table(file, "bodies/body/rotation").at(11) == doctest::Approx(std::sin(0.3)));
}
