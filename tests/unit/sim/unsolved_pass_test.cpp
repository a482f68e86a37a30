// What passes of a step do where a contact problem is not solved, or left at a residual that is enough.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"
#include "saltus/solvers/registry.h"

using namespace saltus;
namespace {

/// A spinning box that falls on its edge: rig-mid takes several passes.
constexpr const char* kBox = R"(saltus: 1
time: {end: 1 s, step: 2 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: box, kind: rigid, rigid: {shape: {box: {size: [0.2, 0.1, 0.05]}}, mass: 0.3 kg, position: [0, 0, 0.1],
     rotation: {axis: [1, 2, 0.5], angle: 40 deg}, spin: [3, 9, -4]}}
surfaces:
  - {law: {kind: newton-impact, friction: 0.4}}
)";

struct Asked {
  std::vector<double> tolerance, share;
};

/// Solves, and says that it did not, or that it left the residual it is told to say.
class Told final : public ContactSolver {
 public:
  Told(Asked& asked, bool solved, double residual)
      : asked_(asked), solved_(solved), residual_(residual) {}
  std::string_view name() const override { return "told"; }
  bool handles(LawKind) const override { return true; }
  bool needs_symmetric() const override { return false; }
  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    if (limits.tolerance > 1e-7) {  // else whoever looks for contradictions asks
      asked_.tolerance.push_back(limits.tolerance);
      asked_.share.push_back(limits.share);
    }
    Limits exact = limits;
    exact.tolerance = 1e-10;
    exact.enough = 0.0;
    SolveReport report = inner_->solve(problem, exact, memory, p);
    report.converged = solved_;
    if (asked_.tolerance.size() == 1 || !solved_) report.residual = residual_;
    return report;
  }

 private:
  Asked& asked_;
  bool solved_;
  double residual_;
  std::unique_ptr<ContactSolver> inner_ = find_solver("auto")->make();
};

/// What the solver was asked in the first step that has contact.
Asked first_contact(OnFailure policy, bool solved, double residual, double enough) {
  Asked asked;
  ModelParts parts = build(read_scene_text(kBox, "scene.yaml", {}, {})).parts();
  parts.solver = std::make_shared<Told>(asked, solved, residual);
  parts.options.on_failure = policy;
  parts.options.contact.tolerance = 1e-6;
  parts.options.contact.enough = enough;
  Simulation sim{Model(std::move(parts))};
  for (int k = 0; k < 200 && asked.tolerance.empty(); ++k) sim.advance();
  return asked;
}

TEST_CASE("a step that is halved where it fails asks the solver once for each part") {
  const Asked patient = first_contact(OnFailure::stop, false, 1.0, 0.0);
  const Asked halved = first_contact(OnFailure::halve, false, 1.0, 0.0);
  REQUIRE(patient.tolerance.size() > 1);
  CHECK(halved.tolerance.size() <= 11);  // the step, and the first halves of ten halvings
}

TEST_CASE("the passes behind one that left a residual ask no more than that") {
  const Asked asked = first_contact(OnFailure::stop, true, 3e-4, 1e-3);
  REQUIRE(asked.tolerance.size() > 1);
  CHECK(asked.tolerance[0] == 1e-6);
  for (std::size_t k = 1; k < asked.tolerance.size(); ++k) {
    CHECK(asked.tolerance[k] >= 3e-4);
    CHECK(asked.tolerance[k] <= 1e-3);
  }
}

TEST_CASE("a part of a step says how long it is, in heaps alone") {
  const Asked heap = first_contact(OnFailure::halve, false, 1.0, 1e-3);
  REQUIRE(heap.share.size() > 2);
  double share = 1.0;
  for (const double x : heap.share) {
    CHECK(x <= share);
    share = x;
  }
  CHECK(heap.share[0] == 1.0);
  CHECK(share < 0.1);
  for (const double x : first_contact(OnFailure::halve, false, 1.0, 0.0).share) CHECK(x == 1.0);
}

}  // namespace
