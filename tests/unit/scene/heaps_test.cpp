// Which scenes are heaps, whose contacts are solved to the tolerance of heaps where none is given.
#include <doctest/doctest.h>

#include <string>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;

namespace {

StepOptions options_of(const std::string& bodies, const std::string& more = "",
                       const std::string& time = "step: 1 ms") {
  return build(read_scene_text("saltus: 1\ntime: {end: 1 s, " + time +
                                   "}\ngravity: [0, 0, -9.81]\nbodies:\n"
                                   "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, "
                                   "fixed: true}}\n" +
                                   bodies + "surfaces: [{law: newton-impact}]\n" + more,
                               "heap.yaml", {}, {}))
      .options();
}
/// n of a shape in a row, `apart` from each other.
std::string row(const std::string& name, const std::string& shape, int n, double apart,
                double z = 0.05) {
  return "  - {name: " + name + ", kind: rigid, rigid: {shape: {" + shape +
         "}, density: 1000, position: [0, 0, " + std::to_string(z) + "], copies: {count: [" +
         std::to_string(n) + ", 1, 1], spacing: [" + std::to_string(apart) + ", 0, 0]}}}\n";
}
const std::string kBall = "sphere: {radius: 50 mm}", kBox = "box: {size: [0.1, 0.1, 0.1]}";

}  // namespace

TEST_CASE(
    "more than 50 bodies that are thrown together are a heap, in which contacts are solved to "
    "1e-4") {
  for (const std::string& shape :
       {kBall, kBox, std::string("capsule: {radius: 20 mm, length: 60 mm}")}) {
    CAPTURE(shape);
    for (const int n : {50, 51, 300}) {
      CAPTURE(n);
      const StepOptions options = options_of(row("a", shape, n, 0.13, 0.2));
      CHECK(options.heap == (n > 50));
      CHECK(options.contact.tolerance == (n > 50 ? 1e-4 : 1e-9));
    }
  }
  // of balls that lie in place too
  CHECK(options_of(row("a", kBall, 60, 0.1)).heap);
}

TEST_CASE("what stands on faces, hangs on joints or is few among others is no heap") {
  CHECK_FALSE(options_of(row("a", kBox, 60, 0.1)).heap);  // a wall
  CHECK_FALSE(options_of(row("a", kBox, 60, 0.1) + row("b", kBall, 55, 0.2, 1.0)).heap);
  CHECK(options_of(row("a", kBox, 60, 0.1) + row("b", kBall, 61, 0.2, 1.0)).heap);
  std::string joints = "joints:\n";
  for (int i = 0; i + 1 < 60; ++i)
    joints += "  - {kind: ball, between: [a." + std::to_string(i) + ", a." + std::to_string(i + 1) +
              "], at: [" + std::to_string(0.13 * i + 0.065) + ", 0, 0.5]}\n";
  CHECK_FALSE(options_of(row("a", kBall, 60, 0.13, 0.5), joints).heap);
}

TEST_CASE("a step that fails is halved, unless the scene says what to do") {
  const std::string balls = row("a", kBall, 60, 0.13, 0.2);
  CHECK(options_of(balls).on_failure == OnFailure::halve);
  CHECK(options_of(balls, "on_failure: stop\n").on_failure == OnFailure::stop);
  CHECK(options_of(balls, "solver: {tolerance: 1e-7}\n").on_failure == OnFailure::halve);
  CHECK(options_of(row("a", kBall, 50, 0.13, 0.2)).on_failure == OnFailure::halve);
  CHECK(options_of(balls, "", "step: 1 ms, mode: events").on_failure == OnFailure::stop);
}

TEST_CASE("a tolerance that is given holds in heaps too, and errors that are asked for are kept") {
  const std::string balls = row("a", kBall, 60, 0.13, 0.2);
  CHECK(options_of(balls, "solver: {tolerance: 1e-7}\n").contact.tolerance == 1e-7);
  CHECK(options_of(balls, "", "step: 1 ms, mode: events").contact.tolerance == 1e-9);
  CHECK(options_of(balls, "", "step: 1 ms, tolerance: 1e-4").contact.tolerance == 1e-9);
}

TEST_CASE("more than 20 bodies that deform and touch are solved as a heap wherever they stand") {
  const auto soft = [](int n, const std::string& more = "") {
    std::string bodies;
    for (int i = 0; i < n; ++i)
      bodies += "  - {name: s" + std::to_string(i) + ", kind: fem, fem: {position: [" +
                std::to_string(0.1 * i) +
                ", 0, 0], mesh: {box: {kind: hex8, cells: [1, 1, 1], size: [0.1, 0.1, 0.1]}}, "
                "material: {law: neo_hooke, young: 1 MPa, poisson: 0.3, density: 1000}" +
                more + "}}\n";
    return bodies;
  };
  for (const int n : {3, 20, 21}) {
    CAPTURE(n);
    const StepOptions options = options_of(soft(n));
    CHECK(options.soft == (n > 20));
    CHECK(options.heap == (n > 20));
    CHECK(options.contact.tolerance == (n > 20 ? 1e-4 : 1e-9));
    CHECK(options.contact.enough == (n > 20 ? 1e-3 : 0.0));
    CHECK(options.on_failure == OnFailure::halve);
  }
  CHECK_FALSE(options_of(soft(30, ", touches: false") + row("a", kBall, 2, 0.2)).soft);
  CHECK(options_of(soft(30), "solver: {tolerance: 1.0e-7}\n").contact.tolerance == 1e-7);
  CHECK(options_of(soft(30), "solver: {tolerance: 1.0e-7}\n").contact.enough == 0.0);
  CHECK_FALSE(options_of(soft(30), "", "step: 1 ms, tolerance: 1.0e-4").soft);
}
