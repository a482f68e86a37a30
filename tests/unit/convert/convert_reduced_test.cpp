// Meshes that move in their modes: what results hold of them, and what is made of it.
#include <doctest/doctest.h>

#include <filesystem>

#include "saltus/convert/convert.h"
#include "saltus/fem/mode_surface.h"
#include "saltus/fem/reduced_mesh.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"
#include "saltus/view/view_file.h"
#include "saltus/view/view_surface.h"
#include "unit/results/support.h"

using namespace saltus;
using io_test::bytes_of;
using io_test::exists;
using io_test::Folder;

namespace {

/// A block held at x0 whose load bends it; 80 nodes, 12 of them inside. `modes`: the entry fem.modes.
Model block(const std::string& modes) {
  return build(read_scene_text(R"(saltus: 1
time: {end: 2 ms, step: 0.1 ms}
bodies:
  - name: block
    kind: fem
    scheme: moreau-jean
    fem:
      mesh: {box: {kind: hex8, cells: [4, 3, 3], size: [0.4, 0.3, 0.3]}}
      material: {law: linear, young: 1e7, poisson: 0.3, density: 1000}
      fixed: [{set: x0}]
      gravity: [3, -1, -9.81]
      modes: )" + modes + "\n",
                               "block.yaml"));
}

/// Every step is a frame.
void run(const Model& model, const std::string& path) {
  ResultsWriter out(path, model, "", "{}");
  Simulation sim(model);
  const std::vector<double> probes(model.probes().size(), 0.0);
  std::vector<Vector> velocities{Vector(sim.state().groups[0].v.size())};
  out.start(sim.state(), probes);
  for (int k = 0; k < 10; ++k) {
    const StepReport report = sim.advance();
    out.record(report, sim.state(), probes);
    sim.velocity(0, velocities[0]);
    out.frame(sim.state(), velocities);
  }
  out.finish(sim.state(), {});
}

constexpr const char* kAt = "{count: 6, at: [[0.2, 0.1, 0.3], [0.4, 0.1, 0.3]]}";
constexpr const char* kKeep =
    "{count: 4, keep: [{at: [0.4, 0.3, 0.3]}, {at: [0.4, 0, 0], axes: [z]}]}";

int node_near(const Mesh& mesh, const Vector3& place) {
  int node = 0;
  (mesh.nodes.colwise() - place).colwise().norm().minCoeff(&node);
  REQUIRE((mesh.nodes.col(node) - place).norm() < 1e-12);
  return node;
}

Vector3 of_node(const std::vector<double>& row, int node) {
  return Eigen::Map<const Vector3>(row.data() + std::ptrdiff_t{3} * node);
}

}  // namespace

TEST_CASE(
    "a mesh that keeps nodes is stored by its boundary surface, which moves as the body does") {
  const Folder folder;
  const Model model = block(kKeep);
  run(model, folder / "a.h5");
  const ResultsReader results(folder / "a.h5");
  const Mesh boundary = results.mesh("block");
  CHECK(boundary.nodes.cols() == 68);
  REQUIRE(boundary.blocks.size() == 1);
  CHECK(boundary.blocks[0].kind == ElementKind::quad4);
  CHECK(boundary.blocks[0].elements() == 2 * (4 * 3 + 4 * 3 + 3 * 3));
  CHECK(boundary.node_sets.at("x1").size() == 16);
  CHECK(!results.has("block", "displacement"));  // made of q

  const auto& body = dynamic_cast<const ReducedMesh&>(*model.groups()[0].dynamics);
  const std::vector<std::int32_t> node = results.hdf5().dataset("bodies/block/node").integers();
  const std::vector<double> q = results.body("block", "q", 9, 1),
                            v = results.body("block", "velocity", 9, 1),
                            u = results.body("block", "displacement", 9, 1),
                            rate = results.node_velocity("block", 9, 1);
  REQUIRE(q.size() == 8);
  std::vector<PointRef> at;
  for (int a : node) at.push_back({0, a, Vector3::Zero()});
  Vector x(3 * std::ssize(node));
  body.points(0.0, Eigen::Map<const Vector>(q.data(), 8), at, x);
  const Vector moved =
      boundary.nodes.reshaped() + Eigen::Map<const Vector>(u.data(), std::ssize(u));
  CHECK((x - moved).norm() < 1e-14);
  CHECK(moved != Vector(boundary.nodes.reshaped()));
  const int kept = node_near(boundary, {0.4, 0.3, 0.3}),
            other = node_near(boundary, {0.4, 0.0, 0.0});
  // kept degrees of freedom come first, in the order of the nodes
  CHECK(of_node(u, other).z() == q[0]);
  CHECK(of_node(u, kept) == Vector3(q[1], q[2], q[3]));
  CHECK(of_node(rate, kept) == Vector3(v[1], v[2], v[3]));
  CHECK(of_node(u, node_near(boundary, {0.0, 0.1, 0.0})) == Vector3::Zero());  // held
}

TEST_CASE(
    "a mesh that is met at places is stored by its boundary surface, which goes with these "
    "places") {
  const Folder folder;
  const Model model = block(kAt);
  run(model, folder / "a.h5");
  const ResultsReader results(folder / "a.h5");
  const Mesh boundary = results.mesh("block");
  CHECK(boundary.nodes.cols() == 68);
  CHECK(!results.has("block", "line"));
  const auto& body = dynamic_cast<const Modal&>(*model.groups()[0].dynamics);
  for (std::size_t k : {std::size_t{0}, std::size_t{9}}) {
    const std::vector<double> q = results.body("block", "q", k, 1),
                              u = results.body("block", "displacement", k, 1);
    Vector row(6);
    for (const Vector3& place : {Vector3(0.2, 0.1, 0.3), Vector3(0.4, 0.1, 0.3)}) {
      const double along = body.placement().axis.dot(place - body.placement().origin);
      body.shapes().row(along, row);
      const double expected = row.dot(Eigen::Map<const Vector>(q.data(), 6));
      CHECK(of_node(u, node_near(boundary, place)).dot(body.placement().direction) ==
            doctest::Approx(expected).epsilon(1e-12));
      CHECK(expected < 0.0);  // it hangs
    }
  }
  // over a step the mean velocity is that of the displacements
  const std::vector<double> before = results.body("block", "displacement", 8, 1),
                            after = results.body("block", "displacement", 9, 1),
                            v0 = results.node_velocity("block", 8, 1),
                            v1 = results.node_velocity("block", 9, 1);
  const int tip = node_near(boundary, {0.4, 0.3, 0.3});
  const Vector3 mean = 0.5 * (of_node(v0, tip) + of_node(v1, tip));
  CHECK((1e-4 * mean - (of_node(after, tip) - of_node(before, tip))).norm() <
        1e-9 * 1e-4 * mean.norm() + 1e-16);
}

TEST_CASE("the viewer, ParaView and tables get a mesh that moves in its modes as any other") {
  const Folder folder;
  for (const char* modes : {kAt, kKeep}) {
    CAPTURE(modes);
    run(block(modes), folder / "a.h5");
    const ResultsReader results(folder / "a.h5");
    ViewFile view(results);
    REQUIRE(view.scene().bodies[0].mesh);
    CHECK(view_surface(*view.scene().bodies[0].mesh).triangles.size() == 3 * 2 * 66);
    CHECK(view.frames() == 10);
    for (std::size_t k : {std::size_t{7}, std::size_t{2}}) {
      const std::span<const double> row = view.row(0, "displacement", k);
      CHECK(std::vector<double>(row.begin(), row.end()) ==
            results.body("block", "displacement", k, 1));
    }
    CHECK(convert_vtu(results, folder / "a").size() == 11);
    CHECK(bytes_of(folder / "a.block.9.vtu").find("NumberOfPoints=\"68\" NumberOfCells=\"66\"") !=
          std::string::npos);
    const std::vector<std::string> tables = convert_csv(results, folder / "a");
    CHECK(std::ranges::find(tables, folder / "a.block.csv") != tables.end());
    // node 79, the last of the whole mesh, is the last of the boundary surface
    CHECK(convert_nodes(results, folder / "a", "79").size() == 1);
    CHECK(bytes_of(folder / "a.block.nodes.csv").find("time [s],79 ux [m],79 uy [m]") == 0);
    CHECK_THROWS_AS(convert_nodes(results, folder / "a", "31"), SceneError);  // inside
    std::filesystem::remove(folder / "a.h5");
  }
}
