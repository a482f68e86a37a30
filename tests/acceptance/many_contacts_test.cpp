// Heaps with many contacts: rows of the problem alone, and any number of threads, change no bit.
#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include <string>

#include "saltus/results/checkpoint.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"

using namespace saltus;

namespace {

/// 8 x 8 x 8 balls that nearly touch, of two sizes, fall into a box whose floor rises; more: further bodies.
std::string heap(const std::string& more = "") {
  return R"(
saltus: 1
time: {end: 20 ms, step: 1 ms}
gravity: [0.6, 0.4, -9.81]
on_failure: accept
solver: {kind: body-gauss-seidel, iterations: 20}
bodies:
  - name: floor
    kind: rigid
    rigid:
      shape: {box: {size: [1, 1, 0.1]}}
      position: [0, 0, -0.05]
      motion: {z: {rate: 0.02}}
  - {name: west, kind: rigid, rigid: {shape: {plane: {normal: [1, 0, 0]}, position: [-0.1, 0, 0]}, fixed: true}}
  - {name: south, kind: rigid, rigid: {shape: {plane: {normal: [0, 1, 0]}, position: [0, -0.1, 0]}, fixed: true}}
  - name: ball
    kind: rigid
    scheme: rig-pos
    rigid:
      shape: {sphere: {radius: 10 mm}}
      density: 2500
      position: [-0.09, -0.09, 0.01]
      copies: {count: [8, 8, 8], spacing: [20 mm, 20 mm, 20 mm]}
)" + more +
         R"(
surfaces:
  - {law: {kind: newton-impact, friction: 0.4, restitution: 0.1}}
)";
}

std::string after(const std::string& text, int threads, int steps = 20) {
  Simulation sim(build(read_scene_text(text, "heap.yaml")));
  sim.use_threads(threads);
  int most = 0;
  for (int k = 0; k < steps; ++k) most = std::max(most, sim.advance().contacts);
  CHECK(most > 600);
  return state_hash(sim.state());
}

}  // namespace

TEST_CASE("a heap of 512 balls is the same bit for bit on 1, 2, 3 and 7 threads") {
  const tbb::global_control seven(tbb::global_control::max_allowed_parallelism, 7);
  const std::string one = after(heap(), 1);
  for (const int threads : {2, 3, 7}) CHECK(after(heap(), threads) == one);
}

// Beside a surface that runs, though nothing touches it, rows are those of all contacts.
TEST_CASE("rows of the contacts of the problem alone give the bits of rows of all contacts") {
  const std::string belt = R"(
  - name: belt
    kind: rigid
    rigid: {shape: {box: {size: [1, 1, 1]}, surface_velocity: [1, 0, 0]}, position: [90, 0, 0], fixed: true}
)";
  CHECK(after(heap(belt), 1) == after(heap(), 1));
}
