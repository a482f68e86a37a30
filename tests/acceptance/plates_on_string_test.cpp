// Rigid plates that fall on a string of the exact scheme: two kinds, two schemes, eight contacts, one problem.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "../support/rigid_scene.h"
#include "saltus/bodies/modal.h"
#include "saltus/schemes/options.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// Two plates of 0.1 kg with their four lower corners above the line of a string of 60 modes, 1 m long.
Model plates_on_string(const std::shared_ptr<const Scheme>& scheme, double h) {
  ModelParts parts;
  RigidSystem system;
  system.gravity = {0.0, 0.0, -9.81};
  const Vector3 half(0.06, 0.04, 0.01);
  const SolidMoments solid = moments(Box{half});
  GroupState plates;
  plates.q.resize(14);
  plates.v.resize(12);
  for (int i = 0; i < 2; ++i) {
    RigidBody body;
    body.mass = 0.1;
    body.inertia = body.mass / solid.volume * solid.inertia;
    system.bodies.push_back(body);
    const Quaternion Q = exp_rotation(Vector3(0.02 - 0.03 * i, 0.015 + 0.01 * i, 0.1));
    plates.q.segment<7>(7 * i) << 0.3 + 0.35 * i, 0.0, 0.05 + 0.01 * i, Q.w(), Q.x(), Q.y(), Q.z();
    plates.v.segment<6>(6 * i) << 0.0, 0.0, -0.5, 0.1 - 0.3 * i, 0.2, -0.5;
  }
  parts.groups.push_back({"plates", "rigid", std::make_shared<Rigid>(system), scheme, {}});
  parts.initial.push_back(plates);
  const int modes = 60;
  Vector mass = Vector::Constant(modes, 0.02), omega(modes), sigma = Vector::Zero(modes);
  for (int j = 0; j < modes; ++j) omega[j] = 2.0 * std::numbers::pi * 60.0 * (j + 1);
  const ModalPlacement placement{Vector3::Zero(), Vector3::UnitX(), Vector3::UnitZ()};
  parts.groups.push_back(
      {"string",
       "modal",
       std::make_shared<Modal>(mass, omega, sigma, sine_shapes(1.0, modes), placement),
       make_scheme(ModalExactOptions{}),
       {}});
  parts.initial.push_back({Vector::Zero(modes), Vector::Zero(modes), {}});
  for (int i = 0; i < 2; ++i)
    for (int corner = 0; corner < 4; ++corner) {
      const Vector3 at(corner % 2 == 0 ? -half.x() : half.x(), corner < 2 ? -half.y() : half.y(),
                       -half.z());
      const double x = plates.q[7 * i] + at.x();
      add_pair(parts, {0, {i, 0, at}}, {1, {0, 0, Vector3(x, 0.0, 0.0)}}, Vector3::UnitZ(),
               newton_law(0.0));
    }
  for (const SolverRow& row : solvers())
    if (row.name == "auto") parts.solver = row.make();
  parts.options.h = h;
  parts.options.end = 1.0;
  parts.options.pass_tolerance = 1e-12;
  return Model(std::move(parts));
}

}  // namespace

TEST_CASE(
    "plates on a string of the exact scheme never raise the energy, and the laws hold at the end "
    "of each step") {
  for (const auto& [name, choice] :
       {std::pair<std::string, SchemeChoice>{"rig-neg", RigNegOptions{}},
        {"rig-mid", RigMidOptions{}}}) {
    CAPTURE(name);
    const Model model = plates_on_string(make_scheme(choice), 1.0 / 20000.0);
    Simulation sim(model);
    const double start = sim.state().energy_start;
    double residual = 0.0, highest = -1e300;
    int contacts = 0, passes = 0;
    State half;
    for (int n = 0; n < 4000; ++n) {
      if (n == 2000) half = sim.state();
      const StepReport report = sim.advance();
      REQUIRE(report.converged);
      residual = std::max(residual, report.residual_after);
      contacts = std::max(contacts, report.contacts);
      passes = std::max(passes, report.passes);
      highest = std::max(highest, sim.state().energy.total());
    }
    MESSAGE(
        fmt::format("{}: {} contacts, {} passes, residual {:.1e}, energy at most {:.2e} J above "
                    "the start of {:.3f} J",
                    name, contacts, passes, residual, highest - start, start));
    CHECK(contacts >= 4);
    CHECK(residual <= 1e-12);
    CHECK(highest <= start * (1.0 + 1e-12));
    Simulation again(model, half);
    for (int n = 2000; n < 4000; ++n) again.advance();
    for (std::size_t g = 0; g < 2; ++g) {
      const GroupState &a = sim.state().groups[g], &b = again.state().groups[g];
      CHECK(std::equal(a.q.begin(), a.q.end(), b.q.begin()));
      CHECK(std::equal(a.v.begin(), a.v.end(), b.v.begin()));
    }
  }
}
