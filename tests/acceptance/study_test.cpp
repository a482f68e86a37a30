// Studies of the forced impact oscillator of Shaw and Holmes (benchmark B02), whose orbit is known in closed form.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "run_scene.h"
#include "saltus/study/study.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kZeta = 0.05, kOmega = 1.9, kSigma = 0.2, kRestitution = 0.7;
// phase of the force at the impact and velocity before it (B02 of the benchmarks)
constexpr double kPhase = 0.75955736738229258, kBefore = 3.2366633646490213;
constexpr double kPeriod = 2.0 * std::numbers::pi / kOmega;

/// The orbit, t behind an impact:  x'' + 2 zeta x' + x = cos(w (t + t0)),  x(0) = sigma, x'(0) = -e U.
double orbit(double t) {
  t = std::fmod(t, kPeriod);
  const double w = kOmega, d = (1 - w * w) * (1 - w * w) + 4 * kZeta * kZeta * w * w;
  const double a = (1 - w * w) / d, b = 2 * kZeta * w / d;  // a cos + b sin, the forced part
  const auto forced = [&](double s) { return a * std::cos(w * s) + b * std::sin(w * s); };
  const double rate = w * (b * std::cos(w * kPhase) - a * std::sin(w * kPhase));
  const double wd = std::sqrt(1 - kZeta * kZeta), c = kSigma - forced(kPhase);
  const double s = (-kRestitution * kBefore - rate + kZeta * c) / wd;
  return forced(t + kPhase) + std::exp(-kZeta * t) * (c * std::cos(wd * t) + s * std::sin(wd * t));
}

const char* kSchemes[] = {
    "moreau-jean",       "euler-explicit",         "euler-implicit",     "newmark",
    "runge-kutta",       "variational-symplectic", "central-difference", "schatzman-paoli",
    "generalized-alpha", "discrete-gradient"};

/// 36 ms and whole parts of it: impacts fall on ever other places of a step.
StudyOptions options_of_B02() {
  StudyOptions options;
  options.schemes.assign(std::begin(kSchemes), std::end(kSchemes));
  for (const double part : {1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0})
    options.steps.push_back(0.036 / part);
  options.tolerance = 5e-3;
  return options;
}

Scene scene_of_B02(const std::vector<std::string>& set = {}) {
  return read_scene(std::filesystem::path(SALTUS_EXAMPLES) / "impact_oscillator.yaml", set);
}

}  // namespace

TEST_CASE("the closed form of the orbit returns to the stop with the velocity of the benchmark") {
  CHECK(orbit(0.0) == doctest::Approx(kSigma).epsilon(1e-13));
  CHECK(orbit(kPeriod * (1 - 1e-12)) == doctest::Approx(kSigma).epsilon(1e-10));
  const double h = 1e-5;
  CHECK((orbit(h) - orbit(0.0)) / h == doctest::Approx(-kRestitution * kBefore).epsilon(1e-4));
  CHECK((orbit(kPeriod - h) - orbit(kPeriod - 2 * h)) / h ==
        doctest::Approx(kBefore).epsilon(1e-4));
}

TEST_CASE("ten schemes on the impact oscillator: their own order between impacts, the first with") {
  char name[] = "study_b02_XXXXXX";
  REQUIRE(::mkdtemp(name) != nullptr);
  const std::filesystem::path folder = std::filesystem::absolute(name);
  {
    std::ofstream file(folder / "orbit.csv");
    file.precision(17);
    file << "t [s],x [m]\n";
    for (int k = 0; k <= 916; ++k) file << 0.036 * k << "," << orbit(0.036 * k) << "\n";
  }
  const Scene scene = scene_of_B02({"reference.file=" + (folder / "orbit.csv").string()});
  const StudyResult r = run_study(scene, options_of_B02());
  std::filesystem::remove_all(folder);
  REQUIRE(r.schemes.size() == std::size(kSchemes));
  CHECK(r.reference.own_error == 0.0);
  CHECK(r.first_impact == doctest::Approx(kPeriod).epsilon(0.005));
  CHECK(r.smooth_times > 80);
  for (const StudyScheme& scheme : r.schemes) {
    CAPTURE(scheme.label);
    for (const StudyRun& run : scheme.runs) CHECK(run.status == StudyStatus::ok);
    REQUIRE(scheme.theory);
    CHECK(scheme.smooth.runs >= 4);
    CHECK(std::abs(scheme.smooth.order - *scheme.theory) <= 0.15);
    // Every impact falls by chance somewhere in its step, and the error of a run is the mean over ten of them: it
    // scatters by about a third, the slope over eight steps and a factor of 16 by about 0.1.
    CHECK(scheme.impacts.runs == 8);
    CHECK(std::abs(scheme.impacts.order - 1.0) <= 0.15);
    MESSAGE(scheme.label << ": smooth " << scheme.smooth.order << " (theory " << *scheme.theory
                         << "), with impacts " << scheme.impacts.order << ", error at 2.25 ms "
                         << scheme.runs.back().error);
  }
  REQUIRE(r.verdict.scheme >= 0);
  const StudyScheme& chosen = r.schemes[static_cast<std::size_t>(r.verdict.scheme)];
  CHECK(chosen.runs[static_cast<std::size_t>(r.verdict.run)].error <= 5e-3);
  MESSAGE(r.verdict.text);
}

TEST_CASE("the reference that a study makes itself is as near to the orbit as it says") {
  StudyOptions options = options_of_B02();
  options.schemes = {"moreau-jean", "newmark", "runge-kutta", "euler-explicit"};
  const StudyResult r = run_study(scene_of_B02(), options);
  CHECK(r.reference.others == 3);
  CHECK(r.reference.agree == 3);
  // a run with the step of the reference, against the closed form at the times of the study
  Scene scene = scene_of_B02({"bodies[0].scheme=" + r.reference.scheme});
  scene.spec.time.step = r.reference.h;
  Simulation sim(build(scene));
  double off = 0.0, moved = 0.0;
  const auto stride = static_cast<long>(std::lround(0.036 / r.reference.h));
  for (std::size_t k = 1; k < r.times.size(); ++k) {
    for (long i = 0; i < stride; ++i) REQUIRE(sim.advance().converged);
    off += std::abs(sim.state().groups[0].q[0] - orbit(r.times[k]));
    moved += std::abs(orbit(r.times[k]) - orbit(0.0));
  }
  MESSAGE("reference " << r.reference.scheme << ": says " << r.reference.own_error << ", is "
                       << off / moved);
  CHECK(off / moved <= 2.0 * r.reference.own_error);
  CHECK(off / moved <= 1e-3);
}

TEST_CASE("the impact oscillator of the examples hits its stop once in every period") {
  int impacts = 0;
  double last = -1.0;
  const Shown s = run_example("impact_oscillator.yaml", {},
                              [&](const Simulation& sim, const StepReport& report) {
                                if (report.contacts == 0) return;
                                const double t = sim.state().t;
                                if (last > 0.0) CHECK(std::abs(t - last - kPeriod) <= 0.05);
                                last = t;
                                ++impacts;
                              });
  CHECK(s.converged);
  CHECK(impacts == 9);
  CHECK(s.worst_unexplained <= 1e-12);
}
