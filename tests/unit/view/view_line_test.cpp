// Chains and bars of a linear system are drawn as lines that q moves.
#include <doctest/doctest.h>

#include "saltus/results/results.h"
#include "saltus/results/results_reader.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"
#include "saltus/view/view_file.h"
#include "saltus/view/view_live.h"
#include "saltus/view/view_tracks.h"
#include "unit/results/support.h"

using namespace saltus;

namespace {

/// A bar of four elements that flies against a wall, and a mass on a spring.
constexpr const char* kBodies = R"(saltus: 1
time: {end: 10 us, step: 1 us}
bodies:
  - name: bar
    kind: linear
    mesh: {elements: 4, length: 1 m, young: 200 GPa, density: 8000, area: 1 cm^2, ends: free-free}
    scheme: moreau-jean
    origin: [1 mm, 0, 0]
    initial: {velocity: -10 m/s}
  - name: mass
    kind: linear
    oscillator: {mass: 1 kg, stiffness: 1 N/m}
    scheme: moreau-jean
contacts:
  - on: bar
    at: 0
    against: {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}
    law: {kind: newton-impact, restitution: 0}
)";

std::vector<double> copy(std::span<const double> row) { return {row.begin(), row.end()}; }

}  // namespace

TEST_CASE(
    "a bar of linear elements is a line that moves along itself, in a file as while it runs") {
  const io_test::Folder folder;
  const Model model = build(read_scene_text(kBodies, "bar.yaml"));
  Simulation sim(model);
  {
    ResultsWriter out(folder / "a.h5", model, kBodies, io_test::resolved());
    const auto frame = [&] {
      std::vector<Vector> v;
      for (std::size_t g = 0; g < model.groups().size(); ++g) {
        v.emplace_back(model.groups()[g].dynamics->velocities());
        sim.velocity(static_cast<int>(g), v.back());
      }
      out.frame(sim.state(), v, {}, sim.contacts());
    };
    out.start(sim.state(), {});
    frame();
    for (int k = 0; k < 5; ++k) out.record(sim.advance(), sim.state(), {});
    frame();
    out.finish(sim.state(), {});
  }
  const ResultsReader results(folder / "a.h5");
  ViewFile file(results);
  const ViewBody& bar = file.scene().bodies[0];
  REQUIRE(bar.line.size() == 3 * 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(bar.line[3 * i] == doctest::Approx(1e-3 + 0.25 * static_cast<double>(i)));
    CHECK(bar.line[3 * i + 1] == 0.0);
  }
  CHECK(file.scene().bodies[1].line.empty());  // one point is no line
  CHECK(copy(file.row(0, "displacement", 0)) == std::vector<double>(15, 0.0));
  const std::vector<double> row = copy(file.row(0, "displacement", 1));
  const Vector& q = sim.state().groups[0].q;
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(row[3 * i] == doctest::Approx(q[static_cast<Eigen::Index>(i)]));
    CHECK(row[3 * i] == doctest::Approx(-10.0 * 5e-6));
    CHECK(row[3 * i + 2] == 0.0);
  }
  REQUIRE(file.scene().marks.size() == 1);  // what it flies against
  CHECK(file.scene().marks[0].body == 0);

  ViewLive now(file.scene(), model, {});
  now.look(sim);
  now.finish();
  CHECK(copy(now.row(0, "displacement", 0)) == row);

  std::vector<std::size_t> frames{0, 1};
  const ViewTracks tracks(file, frames, false);
  REQUIRE(tracks.lines.size() == 1);
  CHECK(tracks.lines[0].body == 0);
  CHECK(tracks.lines[0].exaggerate > 1.0);
}
