// What a study measures: orders, references, runs that go wrong.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "saltus/base/error.h"
#include "saltus/study/study.h"
#include "study_samples.h"

using namespace saltus;
using study_test::kStop;
using study_test::kSwing;
using study_test::scene;

namespace {

StudyOptions with(std::vector<std::string> schemes) {
  StudyOptions options;
  options.schemes = std::move(schemes);
  return options;
}

StudyResult study(const std::string& text, std::vector<std::string> schemes) {
  return run_study(scene(text), with(std::move(schemes)));
}

void expect_fault(const std::string& text, const StudyOptions& options,
                  const std::string& message) {
  CHECK_THROWS_WITH_AS(run_study(scene(text), options), message.c_str(), SceneError);
}

}  // namespace

TEST_CASE("the orders of a smooth oscillator are those of theory") {
  const StudyResult r =
      study(kSwing, {"euler-implicit", "newmark", "runge-kutta", "runge-kutta:table=rk3"});
  REQUIRE(r.schemes.size() == 4);
  const double theory[] = {1.0, 2.0, 4.0, 3.0};
  for (std::size_t s = 0; s < 4; ++s) {
    CAPTURE(r.schemes[s].label);
    REQUIRE(r.schemes[s].theory);
    CHECK(*r.schemes[s].theory == theory[s]);
    CHECK(r.schemes[s].smooth.runs >= 3);
    CHECK(std::abs(r.schemes[s].smooth.order - theory[s]) <= 0.15);
    MESSAGE(r.schemes[s].label << ": order " << r.schemes[s].smooth.order);
  }
  CHECK(r.schemes[3].label == "runge-kutta table=rk3");
  CHECK(std::isinf(r.first_impact));
  CHECK(r.smooth_times == static_cast<int>(r.times.size()) - 1);
}

TEST_CASE("the error of a study is the distance from the motion itself") {
  // cos 2t against the reference of the study, at the times of the study
  const StudyResult r = study(kSwing, {"newmark", "runge-kutta"});
  CHECK(r.reference.scheme == "runge-kutta");
  CHECK(r.reference.own_error <= 1e-12);
  CHECK(r.reference.agree == 1);
  CHECK(r.reference.others == 1);
  // newmark: the frequency is 2/h atan(h omega/2); q = cos of that, exactly
  for (const StudyRun& run : r.schemes[0].runs) {
    double off = 0.0, moved = 0.0;
    const double omega = 2.0 / run.h * std::atan(run.h);
    for (const double t : r.times) {
      off += std::abs(std::cos(omega * t) - std::cos(2.0 * t));
      moved += std::abs(std::cos(2.0 * t) - 1.0);
    }
    CHECK(run.error == doctest::Approx(off / moved).epsilon(1e-6));
  }
}

TEST_CASE("with an impact schemes fall to the first order and keep their own before it") {
  StudyOptions options = with({"moreau-jean", "newmark", "runge-kutta", "euler-implicit"});
  options.levels = 7;
  const StudyResult r = run_study(scene(kStop), options);
  CHECK(r.first_impact == doctest::Approx(std::acos(-1.0) / 3.0).epsilon(1e-3));
  for (const StudyScheme& scheme : r.schemes) {
    CAPTURE(scheme.label);
    CHECK(std::abs(scheme.smooth.order - *scheme.theory) <= 0.15);
    // one impact: the error hangs on where in the step it falls
    CHECK(std::abs(scheme.impacts.order - 1.0) <= 0.35);
    MESSAGE(scheme.label << ": smooth " << scheme.smooth.order << ", with impacts "
                         << scheme.impacts.order);
  }
}

TEST_CASE("a scheme that blows up is a row that says so, and the others are measured") {
  // explicit: h omega must stay below 2, that is h below 1 s
  StudyOptions options = with({"central-difference", "newmark"});
  options.steps = {2.0, 1.0, 0.5, 0.25};
  options.until = 400.0;
  const StudyResult r = run_study(scene(kSwing), options);
  const StudyScheme& explicit_one = r.schemes[0];
  REQUIRE(explicit_one.runs.size() == 4);
  CHECK(explicit_one.runs[0].status == StudyStatus::unstable);
  CHECK_FALSE(explicit_one.runs[0].reason.empty());
  CHECK_FALSE(explicit_one.runs[0].warnings.empty());  // the step is above the limit
  CHECK(explicit_one.runs[2].status == StudyStatus::ok);
  for (const StudyRun& run : r.schemes[1].runs) CHECK(run.status == StudyStatus::ok);
  const bool told = std::ranges::any_of(r.verdict.warnings, [](const std::string& w) {
    return w.starts_with("central-difference is unstable with h = ");
  });
  CHECK(told);
}

TEST_CASE("a step that does not converge is a row with its reason") {
  const std::string text = R"(saltus: 1
time: {end: 2 s, step: 50 ms}
bodies:
  - {name: p, kind: lagrangian, pendulum: {}, initial: {coordinates: [2]}}
)";
  const StudyResult r = study(text, {"moreau-jean", "moreau-jean:newton_iterations=2"});
  CHECK(r.observables[0].name == "positions of p");
  for (const StudyRun& run : r.schemes[0].runs) CHECK(run.status == StudyStatus::ok);
  const StudyRun& run = r.schemes[1].runs[0];
  CHECK(run.status == StudyStatus::failed);
  CHECK(run.reason.starts_with("step 1 (t = 0.2 s): "));
  CHECK(run.reason.find("passes") != std::string::npos);
  CHECK(std::isnan(run.error));
  CHECK(run.steps < 10);
}

TEST_CASE("a law that refuses a scheme is a row with its reason") {
  std::string text = kSwing +
                     "contacts:\n  - {on: mass, against: {stop: {at: -0.5, side: below}}, law: "
                     "signorini-position}\n";
  text.replace(text.find("initial:"), 0, "scheme: euler-explicit, ");
  const StudyResult r = study(text, {"moreau-jean", "euler-explicit"});
  CHECK(r.schemes[0].refused.find("gain 1") != std::string::npos);
  CHECK(r.schemes[0].runs.empty());
  CHECK(r.schemes[1].refused.empty());
  CHECK(r.schemes[1].runs.size() == 5);
  CHECK(r.verdict.scheme != 0);
}

TEST_CASE("errors are measured against the exact motion where the scene names it") {
  char name[] = "study_exact_XXXXXX";
  REQUIRE(::mkdtemp(name) != nullptr);
  const std::filesystem::path folder = std::filesystem::absolute(name);
  const auto put = [&](const std::string& file, double omega, const std::string& head) {
    std::ofstream out(folder / file);
    out.precision(17);
    out << head;
    for (int k = 0; k <= 50; ++k) out << 0.04 * k << "," << std::cos(omega * 0.04 * k) << "\n";
  };
  put("exact.csv", 2.0, "t [s],x [m]\n");
  put("slower.csv", 1.5, "t,x\n");
  put("unknown.csv", 2.0, "t,y\n");
  StudyOptions options = with({"newmark", "runge-kutta"});
  const auto run = [&](const std::string& file) {
    return run_study(scene(kSwing + "reference: {file: " + file + "}\n", folder), options);
  };
  const StudyResult exact = run("exact.csv");
  CHECK(exact.reference.file == (folder / "exact.csv").string());
  CHECK(exact.reference.own_error == 0.0);
  CHECK(exact.schemes[0].runs.back().error < 1e-3);
  CHECK(std::abs(exact.schemes[0].impacts.order - 2.0) <= 0.15);
  CHECK(exact.verdict.scheme >= 0);
  // another motion: no scheme comes near
  const StudyResult other = run("slower.csv");
  for (const StudyScheme& scheme : other.schemes)
    for (const StudyRun& r : scheme.runs) CHECK(r.error > 0.1);
  CHECK(other.verdict.scheme == -1);
  CHECK_THROWS_WITH_AS(
      run("unknown.csv"),
      ((folder / "unknown.csv").string() + ":1: there is no output 'y' in the scene; allowed: x")
          .c_str(),
      SceneError);
  options.steps = {0.03, 0.015, 0.0075};  // 0.12 s, 0.24 s ... are common
  CHECK(run("exact.csv").schemes[0].runs.back().error < 1e-3);
  options.steps = {0.0301, 0.01505};
  CHECK_THROWS_AS(run("exact.csv"), SceneError);
  std::filesystem::remove_all(folder);
}

TEST_CASE("what a study cannot be is told in a line") {
  StudyOptions options;
  options.steps = {0.02, 0.015};
  expect_fault(kSwing, options,
               "--steps: 0.015 s does not divide the largest step, 0.02 s; for example 0.02 s, so "
               "that runs have common times");
  StudyOptions probe;
  probe.probe = "y";
  expect_fault(kSwing, probe, "--probe: there is no output 'y' in the scene; allowed: x");
  StudyOptions tolerance;
  tolerance.tolerance = 0.0;
  expect_fault(kSwing, tolerance, "--tolerance: must be > 0");
  StudyOptions until;
  until.until = 0.3;
  expect_fault(kSwing, until,
               "--levels: the largest step, 0.08 s, fits only 3 times into 0.3 s; at least 8 "
               "times are required: use shorter steps or a later --until");
}
