// Heaps of which nothing is said about the solver: they run, come to rest, and rest where a closer tolerance lets them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "acceptance/run_scene.h"

namespace saltus::test {
namespace {

/// Balls, boxes or hulls in a box, off by a share of their distance that depends on their number.
std::string heap(const char* kind, int n, double friction, double light) {
  std::string text =
      "saltus: 1\ntime: {end: 0.4 s, step: 2 ms}\ngravity: [0.3, 0.2, -9.81]\nbodies:\n"
      "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n";
  const char* const walls[4] = {"[1, 0, 0]", "[-1, 0, 0]", "[0, 1, 0]", "[0, -1, 0]"};
  const char* const places[4] = {"[-0.06, 0, 0]", "[0.06, 0, 0]", "[0, -0.06, 0]", "[0, 0.06, 0]"};
  for (int k = 0; k < 4; ++k)
    text += fmt::format(
        "  - {{name: wall {}, kind: rigid, rigid: {{shape: {{plane: {{normal: {}}}, position: "
        "{}}}, "
        "fixed: true}}}}\n",
        k, walls[k], places[k]);
  const std::string shape = std::string(kind) == "ball" ? "sphere: {radius: 9.5 mm}"
                            : std::string(kind) == "box"
                                ? "box: {size: [13 mm, 10 mm, 9 mm]}"
                                : "hull: {points: [[9e-3, 0, 0], [-9e-3, 0, 0], [0, 8e-3, 0], [0, "
                                  "-8e-3, 0], [0, 0, 7e-3], "
                                  "[0, 0, -7e-3], [5e-3, 5e-3, 4e-3]]}";
  for (int i = 0; i < n; ++i) {
    const int x = i % 5, y = i / 5 % 5, z = i / 25;
    const double off = 1e-3 * ((7 * i) % 11 - 5) / 5.0;
    text += fmt::format(
        "  - {{name: b{}, kind: rigid, rigid: {{shape: {{{}}}, density: {}, position: [{}, {}, "
        "{}], "
        "rotation: {{axis: [1, {}, 2], angle: {} deg}}}}}}\n",
        i, shape, i % 3 == 0 ? 2500.0 / light : 2500.0, 0.022 * (x - 2) + off,
        0.022 * (y - 2) - off, 0.012 + 0.022 * z, i % 4, 37 * i % 180);
  }
  return text +
         fmt::format("surfaces: [{{law: {{kind: newton-impact, friction: {}}}}}]\n", friction);
}

}  // namespace

TEST_CASE(
    "heaps of balls, boxes and hulls run by default, in few iterations, and tell what they were "
    "solved to") {
  struct Row {
    const char* kind;
    double friction, light;
    int most;  ///< iterations a step, some two times of what they are
  };
  for (const Row& row :
       {Row{"ball", 0.4, 1.0, 120}, Row{"ball", 0.0, 1.0, 70}, Row{"ball", 0.9, 1e3, 2000},
        Row{"box", 0.5, 1.0, 140}, Row{"hull", 0.5, 30.0, 180}, Row{"hull", 0.0, 1.0, 90}}) {
    CAPTURE(row.kind);
    CAPTURE(row.friction);
    CAPTURE(row.light);
    long iterations = 0;
    const Shown s =
        run_text(heap(row.kind, 100, row.friction, row.light), {},
                 [&](const Simulation&, const StepReport& r) { iterations += r.iterations; });
    CHECK(s.converged);
    CHECK(s.worst_residual <= 1e-4);
    CHECK(s.sim.model().options().heap);
    CHECK(s.worst_unexplained <= 1e-11);
    MESSAGE(fmt::format("{} {}: {} iterations a step", row.kind, row.friction, iterations / 200));
    CHECK(iterations <= 200L * row.most);
  }
}

TEST_CASE(
    "a heap at rest by default lies where a closer tolerance lets it, and creeps no further") {
  const std::string text = heap("ball", 75, 0.4, 1.0);
  const Shown loose = run_text(text, {"time.end=1 s"});
  const Shown close = run_text(text, {"time.end=1 s", "solver.tolerance=1e-7"});
  const auto potential = [](const Shown& s) { return s.sim.state().energy.potential; };
  CHECK(potential(loose) == doctest::Approx(potential(close)).epsilon(0.02));
  // balls on top roll for two seconds
  const Shown sooner = run_text(text, {"time.end=2.3 s"}),
              later = run_text(text, {"time.end=2.8 s"});
  const Vector &a = sooner.sim.state().groups[0].q, &b = later.sim.state().groups[0].q;
  const Eigen::Index each = a.size() / 75;
  std::vector<double> way;
  for (Eigen::Index i = 0; i < 75; ++i)
    way.push_back((a.segment(each * i, 3) - b.segment(each * i, 3)).norm());
  std::ranges::nth_element(way, way.begin() + 37);
  const double crept = way[37];
  MESSAGE(fmt::format("crept by {:.1e} m, the median, in half a second", crept));
  CHECK(crept <= 4e-6);  // of 19 mm
}

}  // namespace saltus::test
