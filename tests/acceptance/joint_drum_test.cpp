// Joints and hundreds of contacts with friction in one problem: a chain of links on four feet that lies on a drum.
#include <doctest/doctest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>

#include "bench/joints/drum.h"
#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;
using saltus_bench::Drum;

namespace {

struct Lying {
  Shown shown;
  double gap = 0.0;
  int most = 0;
  int factors = 0;  ///< of all steps from `late` on
  int largest = 0;  ///< number of them in a step
};

Lying lie(const Drum& drum, double end, double late = 0.0) {
  double gap = 0.0;
  int most = 0, factors = 0, largest = 0;
  Shown shown = run_text(drum.text(end), {}, [&](const Simulation& sim, const StepReport& report) {
    gap = std::max(gap, report.joint_gap);
    most = std::max(most, report.contacts);
    if (sim.state().t > late) factors += report.iterations;
    largest = std::max(largest, report.iterations);
  });
  return {std::move(shown), gap, most, factors, largest};
}

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

}  // namespace

TEST_CASE(
    "a chain of 125 links with 500 contacts rests on a drum, solved to 1e-8 with its joints") {
  Drum drum;
  drum.level = "both";
  const Lying lying = lie(drum, 0.06);
  CHECK(lying.shown.converged);
  CHECK(lying.shown.worst_residual <= 1e-8);
  CHECK(lying.most == 500);
  CHECK(lying.gap <= 1e-10);
  const Vector& v = lying.shown.sim.state().groups.back().v;
  CHECK(v.cwiseAbs().maxCoeff() <= 1e-8);  // [m/s]
  MESSAGE("residual " << lying.shown.worst_residual << ", gap " << lying.gap << " m");
}

TEST_CASE(
    "a drum that turns to and fro drags the chain on it along, joints closed and contacts solved") {
  Drum drum;
  drum.level = "both";
  drum.sway = 1e-2;
  const Lying lying = lie(drum, 0.06);
  CHECK(lying.shown.converged);
  CHECK(lying.shown.worst_residual <= 1e-8);
  CHECK(lying.most >= 400);
  CHECK(lying.gap <= 1e-10);
  const Vector& v = lying.shown.sim.state().groups.back().v;
  CHECK(std::abs(v[6 * 62]) > 0.1);  // the link in the middle, along the drum [m/s]
  MESSAGE("residual " << lying.shown.worst_residual << ", gap " << lying.gap << " m");
}

TEST_CASE("a chain dragged by a drum moves the same bit for bit on 1, 2 and 3 threads") {
  const tbb::global_control three(tbb::global_control::max_allowed_parallelism, 3);
  Drum drum;
  drum.level = "both";
  drum.sway = 1e-2;
  const Model model = build(read_scene_text(drum.text(1.0), "drum.yaml", {}));
  std::vector<Vector> q, v;
  for (int threads : {1, 2, 3}) {
    Simulation sim(model);
    tbb::task_arena arena(threads);
    arena.execute([&] {
      for (int k = 0; k < 15; ++k) sim.advance();
    });
    q.push_back(sim.state().groups.back().q);
    v.push_back(sim.state().groups.back().v);
  }
  for (std::size_t k = 1; k < q.size(); ++k) {
    CHECK(same_bits(q[0], q[k]));
    CHECK(same_bits(v[0], v[k]));
  }
}

// The drum starts with 0.15 m/s^2 and 0.015 m/s^2. Feet stick, and hold each link many times over; what drum, hinges and feet
// contradict each other, 1e-7 of the velocities of a step, lets them slip on the surface of their cones.
TEST_CASE("a chain that sticks to a slowly turning drum is solved to 1e-9 in every step") {
  Drum drum;
  drum.level = "both";
  for (const double sway : {1e-3, 1e-4}) {
    CAPTURE(sway);
    drum.sway = sway;
    const Lying lying = lie(drum, 0.07);
    CHECK(lying.shown.converged);
    CHECK(lying.shown.worst_residual <= 1e-9);
    CHECK(lying.largest <= 150);
    CHECK(lying.gap <= 1e-10);
    MESSAGE("factors of a step at most " << lying.largest << ", mean "
                                         << lying.factors / static_cast<double>(lying.shown.steps));
  }
}

// From step to step the load changes by 1e-5 of itself, and no contact its status.
TEST_CASE("a chain that a drum drags very slowly takes about one factor a step") {
  Drum drum;
  drum.level = "both";
  drum.sway = 1e-5;
  const Lying lying = lie(drum, 0.08, 0.04);
  CHECK(lying.shown.converged);
  CHECK(lying.shown.worst_residual <= 1e-9);
  CHECK(lying.factors <= 80);  // in 40 steps
  CHECK(lying.gap <= 1e-10);
  MESSAGE("factors in 40 steps " << lying.factors);
}

TEST_CASE("a chain at rest on a drum is carried by the impulses of the step before") {
  Drum drum;
  drum.level = "both";
  drum.links = 63;
  const Lying lying = lie(drum, 0.2, 0.1);
  CHECK(lying.shown.converged);
  CHECK(lying.factors <= 20);  // in 100 steps
  const Vector& v = lying.shown.sim.state().groups.back().v;
  CHECK(v.cwiseAbs().maxCoeff() <= 1e-9);  // [m/s]
  MESSAGE("factors in 100 steps " << lying.factors);
}
