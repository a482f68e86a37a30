// Chains of links on hinges: closed to round-off, their energy kept, alone and on a drum with friction.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "run_scene.h"
#include "saltus/results/results.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// Links of 1 m and 1 kg, let go from the horizontal; the first hangs on the world.
std::string chain(int links, double end) {
  std::string text = fmt::format(R"(saltus: 1
time: {{end: {}, step: 1 ms}}
gravity: [0, 0, -9.81]
bodies:
  - name: link
    kind: rigid
    scheme: rig-mid
    rigid:
      mass: 1
      inertia: [0.0017, 0.0842, 0.0842]
      position: [0.5, 0, 0]
      copies: {{count: [{}, 1, 1], spacing: [1, 0, 0]}}
joints:
)",
                                 end, links);
  for (int i = 0; i < links; ++i)
    text += fmt::format(
        "  - {{name: pin {0}, kind: revolute, between: [{1}, link.{0}], at: [{0}, 0, 0], axis: [0, "
        "1, 0]}}\n",
        i, i > 0 ? fmt::format("link.{}", i - 1) : "world");
  return text;
}

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

/// Just before the chain meets the drum.
Scene drum_scene() {
  const std::vector<std::string> set{"time.end=0.2 s"};
  return read_scene(std::filesystem::path(SALTUS_EXAMPLES) / "chain_on_drum.yaml", set);
}

/// The chain until `end`: closed, its energy kept.
void fall(int links, double end) {
  CAPTURE(links);
  double gap = 0.0, kinetic = 0.0, error = 0.0;
  const Shown s = run_text(chain(links, end), {}, [&](const Simulation& sim, auto& report) {
    const Energy& E = sim.state().energy;
    gap = std::max(gap, report.joint_gap);
    kinetic = std::max(kinetic, E.kinetic);
    error = std::max(error, std::abs(E.total() - sim.state().energy_start));
  });
  CHECK(s.converged);
  CHECK(gap <= 1e-10);
  CHECK(kinetic > 1.0);
  CHECK(error <= 1e-9 * kinetic);
  MESSAGE(links << " links: gap " << gap << " m, energy error " << error / kinetic);
}

}  // namespace

TEST_CASE("chains that fall from the horizontal stay closed to 1e-10 m and keep their energy") {
  fall(10, 5.0);
  fall(100, 5.0);
}

TEST_SUITE("slow: mechanisms") {
  TEST_CASE("a chain of 1000 links falls for 5 s, closed to 1e-10 m, and keeps its energy") {
    fall(1000, 5.0);
  }
}

TEST_CASE(
    "a chain that falls on a drum is laid over it, its joints closed and its contacts solved") {
  double gap = 0.0;
  int most = 0;
  const Shown s = run_example("chain_on_drum.yaml", {}, [&](const Simulation&, auto& report) {
    gap = std::max(gap, report.joint_gap);
    most = std::max(most, report.contacts);
  });
  CHECK(s.converged);
  CHECK(gap <= 1e-10);
  CHECK(s.worst_residual <= 1e-8);
  CHECK(most >= 10);
  CHECK(s.worst_rise <= 1e-5);
  CHECK(s.worst_unexplained <= 1e-12);
  CHECK(s.sim.probe(0) < -1.0);  // the ends swing down
  const Vector& q = s.sim.state().groups.back().q;
  CHECK(q[7 * 49 + 2] > 0.5);  // the middle lies on the drum
  CHECK(std::abs(q[7 * 49]) < 0.2);
  MESSAGE("gap " << gap << " m, residual " << s.worst_residual << ", contacts " << most);
}

TEST_CASE("a chain on a drum goes on from a checkpoint as if it had not stopped, bit for bit") {
  const Model model = build(drum_scene());
  const auto file = std::filesystem::temp_directory_path() / "saltus_chain_on_drum.h5";
  Simulation whole(model);
  {
    ResultsWriter out(file.string(), model, "", "{}");
    out.start(whole.state(), std::vector<double>(model.probes().size(), 0.0));
    for (int k = 0; k < 160; ++k) whole.advance();
    out.checkpoint(whole.state());
    Simulation rest(model, read_checkpoint(file.string() + ".part", model));
    int contacts = 0;
    for (int k = 0; k < 40; ++k) {
      contacts = std::max(contacts, whole.advance().contacts);
      rest.advance();
    }
    CHECK(contacts > 0);
    for (std::size_t g = 0; g < whole.state().groups.size(); ++g) {
      CHECK(same_bits(whole.state().groups[g].q, rest.state().groups[g].q));
      CHECK(same_bits(whole.state().groups[g].v, rest.state().groups[g].v));
    }
  }
  std::filesystem::remove(file.string() + ".part");
}

TEST_CASE("a chain on a drum moves the same bit for bit on 1, 2 and 3 threads") {
  const tbb::global_control three(tbb::global_control::max_allowed_parallelism, 3);
  const Model model = build(drum_scene());
  std::vector<State> ends;
  int contacts = 0;
  for (int threads : {1, 2, 3}) {
    Simulation sim(model);
    tbb::task_arena arena(threads);
    arena.execute([&] {
      for (int k = 0; k < 200; ++k) contacts = std::max(contacts, sim.advance().contacts);
    });
    ends.push_back(sim.state());
  }
  CHECK(contacts > 0);
  for (const State& end : ends)
    for (std::size_t g = 0; g < end.groups.size(); ++g) {
      CHECK(same_bits(end.groups[g].q, ends[0].groups[g].q));
      CHECK(same_bits(end.groups[g].v, ends[0].groups[g].v));
    }
}
