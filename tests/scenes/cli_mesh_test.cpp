// Meshes through the command: a run with its fields, what info says of it, what convert makes of it.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "command.h"
#include "saltus/results/results_reader.h"

using namespace saltus_test;

namespace {

/// A strip pulled by 1 N, on a section of 0.01 m^2, that comes to rest in 0.3 s.
constexpr const char* kStrip = R"(saltus: 1
time: {end: 0.3 s, step: 1 ms}
bodies:
  - name: strip
    kind: fem
    fem:
      mesh: {box: {kind: quad4, cells: [6, 2], size: [1 m, 0.1 m]}}
      material: {young: 10 MPa, poisson: 0.3, density: 1000 kg/m^3}
      plane: stress
      thickness: 0.1 m
      fixed: [{set: x0}]
      loads: [{set: x1, force: [1 N, 0, 0]}]
    rayleigh: {mass: 314 1/s}
results: {frames: 4, stress: true, strain: true, resultants: true}
)";

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a run of finite elements stores stress, and the force on its support is the load") {
  const Folder folder;
  folder.write("strip.yaml", kStrip);
  const Outcome run = saltus_command(folder, {"run", "strip.yaml", "-q", "-o", "a.h5"});
  REQUIRE_MESSAGE(run.code == 0, run.err);
  const saltus::ResultsReader results(folder / "a.h5");
  REQUIRE(results.frames() == 4);
  const auto support = results.body("strip", "resultants/x0", 3, 1),
             end = results.body("strip", "resultants/x1", 3, 1);
  CHECK(support[0] == doctest::Approx(1.0).epsilon(1e-9));
  CHECK(std::abs(support[1]) < 1e-9);
  CHECK(end[0] == doctest::Approx(-1.0).epsilon(1e-9));
  const saltus::Mesh mesh = results.mesh("strip");
  const auto u = results.body("strip", "displacement", 3, 1),
             s = results.body("strip", "stress", 3, 1), e = results.body("strip", "strain", 3, 1);
  // F L/(E A), shortened where the support holds the strip from getting thinner; midway F/A
  const auto tip = static_cast<std::size_t>(mesh.node_sets.at("x1")[0]);
  CHECK(u[3 * tip] == doctest::Approx(1e-5).epsilon(0.02));
  for (std::size_t a = 0; a < static_cast<std::size_t>(mesh.nodes.cols()); ++a)
    if (std::abs(mesh.nodes(0, static_cast<Eigen::Index>(a)) - 0.5) < 1e-12) {
      CHECK(s[6 * a] == doctest::Approx(100.0).epsilon(0.01));
      CHECK(e[6 * a] == doctest::Approx(1e-5).epsilon(0.01));
    }
}

TEST_CASE("a run whose elements end inside out says so, one that ends well does not") {
  const Folder folder;
  std::string crushed = kStrip;
  crushed.replace(crushed.find("force: [1 N"), 11, "force: [-150 kN");  // 1.5 times its length
  crushed.replace(crushed.find("{young"), 1, "{law: linear, ");
  folder.write("crushed.yaml", crushed);
  folder.write("strip.yaml", kStrip);
  const Outcome run = saltus_command(folder, {"run", "crushed.yaml", "-q"});
  CHECK(run.code == 0);
  CHECK(holds(run.err, "elements of strip are inverted at the end (det F -"));
  CHECK_FALSE(holds(saltus_command(folder, {"run", "strip.yaml", "-q"}).err, "inside out"));
}

TEST_CASE("info names the mesh of a body, convert writes it for ParaView and the motion of nodes") {
  const Folder folder;
  folder.write("strip.yaml", kStrip);
  REQUIRE(saltus_command(folder, {"run", "strip.yaml", "-q", "-o", "a.h5"}).code == 0);
  CHECK(holds(saltus_command(folder, {"info", "a.h5"}).out, "21 nodes, 12 quad4"));
  const auto info = nlohmann::json::parse(saltus_command(folder, {"info", "a.h5", "--json"}).out);
  CHECK(info["bodies"][0]["nodes"] == 21);
  CHECK(info["bodies"][0]["cells"]["quad4"] == 12);
  const Outcome vtu = saltus_command(folder, {"convert", "a.h5", "--to", "vtu"});
  CHECK(vtu.code == 0);
  CHECK(vtu.out == "a.strip.0.vtu\na.strip.1.vtu\na.strip.2.vtu\na.strip.3.vtu\na.pvd\n");
  CHECK(holds(folder.read("a.pvd"), "timestep=\"0.3\" part=\"0\" file=\"a.strip.3.vtu\""));
  CHECK(holds(folder.read("a.strip.3.vtu"), "NumberOfPoints=\"21\" NumberOfCells=\"12\""));
  const Outcome nodes = saltus_command(folder, {"convert", "a.h5", "--to", "csv", "--nodes", "x1"});
  CHECK(nodes.out == "a.strip.nodes.csv\n");
  CHECK(holds(folder.read("a.strip.nodes.csv"), "time [s],6 ux [m],6 uy [m],"));
  const Outcome none = saltus_command(folder, {"convert", "a.h5", "--to", "csv", "--nodes", "x7"});
  CHECK(none.code == 2);
  CHECK(holds(none.err, "--nodes: no body contains the nodes 'x7'"));
}
