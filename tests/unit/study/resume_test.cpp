// Runs that are interrupted anywhere, from before their first step on, and resumed.
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

#include "saltus/base/error.h"
#include "saltus/base/stop.h"
#include "saltus/results/results_reader.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/study/compare.h"
#include "saltus/study/scene_run.h"

using namespace saltus;

namespace {

namespace fs = std::filesystem;

struct ResumedScene {
  const char* name;
  std::string text;
};

const std::string kBalls = R"(
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, density: 900,
     position: [0, 0, 0.12], velocity: [0.6, 0, -1], copies: {count: [2, 1, 1], spacing: [0.21, 0, 0]}}}
gravity: [0, 0, -9.81]
surfaces: [{law: {kind: newton-impact, restitution: 0.5, friction: 0.3}}]
outputs: [{probe: ball.0, at: [0, 0, 0], direction: [0, 0, 1], quantity: displacement}]
results: {frames: 5}
)";

const std::string kOscillator = R"(
bodies:
  - {name: mass, kind: particles, particles: {mass: [1], positions: [[0, 0, 0.05]], gravity: [0, 0, -9.81]}}
contacts: [{on: mass, against: {plane: {}}, law: {kind: newton-impact, restitution: 0.7}}]
outputs: [{probe: mass, at: 0, quantity: displacement}]
results: {frames: 5}
)";

std::vector<ResumedScene> resumed_scenes() {
  return {{"fixed steps", "saltus: 1\ntime: {end: 60 ms, step: 3 ms}" + kBalls},
          {"steps under error control",
           "saltus: 1\ntime: {end: 0.3 s, step: 20 ms, tolerance: 1e-5}" + kOscillator},
          {"events", "saltus: 1\ntime: {end: 0.1 s, step: 8 ms, mode: events}" + kBalls},
          {"modes of a string", R"(saltus: 1
time: {end: 1 ms, rate: 20 kHz}
bodies:
  - name: string
    kind: modal
    string: {length: 0.7 m, tension: 70 N, linear_density: 1 g/m, modes: 20}
    scheme: modal-exact
    pluck: {at: 0.2 m, height: 3 mm}
contacts: [{on: string, against: {frets: [[0.4 m, -0.5 mm]]}, law: signorini-position}]
outputs: [{probe: string, at: 0.5 m}]
results: {frames: 5}
)"},
          {"schemes with memory", R"(saltus: 1
time: {end: 60 ms, step: 3 ms}
bodies:
  - {name: bar, kind: linear, chain: {masses: 4, mass: 1, stiffness: 1e4, ends: fixed-free},
     scheme: generalized-alpha, initial: {velocities: [0, 0, 0, 1]}}
contacts: [{on: bar, row: [0, 0, 0, -1], offset: 5 mm, law: {kind: newton-impact, restitution: 0.5}}]
outputs: [{probe: bar, at: 3}]
results: {frames: 5}
)"}};
}

/// One takes event-driven integration at once, the other makes two complete runs of a Runge-Kutta
/// method.
std::vector<std::string> searching_scenes() {
  return {"saltus: 1\ntime: {end: 0.5 s, step: 25 ms, scheme: auto, tolerance: 1e-4}" + kOscillator,
          R"(saltus: 1
time: {end: 2 s, step: 25 ms, scheme: auto, tolerance: 1e-5}
bodies:
  - {name: spring, kind: lagrangian, duffing: {cubic: 50}, initial: {coordinates: [0.5]}}
outputs: [{probe: spring, at: 0}]
results: {frames: 5}
)"};
}

/// Requests the stop when it is asked for the n-th time: several times in each step.
class StopAtLook final : public Stop {
 public:
  explicit StopAtLook(int n) : Stop(true), left_(n) {}
  int looks() const { return looks_; }

 private:
  bool look() noexcept override { return ++looks_ == left_; }
  const int left_;
  std::atomic<int> looks_ = 0;
};

struct PlaceToResume {
  fs::path path = fs::temp_directory_path() / ("saltus_resume_" + std::to_string(::getpid()));
  PlaceToResume() { fs::create_directories(path); }
  ~PlaceToResume() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

/// Whether the run came to its end.
bool run_until(const std::string& text, const std::string& output, bool resume, Stop* stop) {
  SceneRunOptions options;
  options.output = output;
  options.resume = resume;
  options.go_on = "this again";
  options.stop = stop;
  SceneRun run(set_up(read_scene_text(text, "scene.yaml", {}, {})), std::move(options));
  try {
    const RunResult result = run();
    CHECK((result.stopped.empty() || result.stopped.ends_with("resume with: this again")));
    return result.stopped.empty();
  } catch (const RunError& error) {  // a search stopped between two of its runs
    CHECK(std::string(error.what()).ends_with("resume with: this again"));
    return false;
  }
}

std::string differences_of(const std::string& a, const std::string& b) {
  const ResultsReader x(a), y(b);
  const Comparison all = compare_results(x, y, 0.0);
  return all.differs() || !all.same_scene ? comparison_text(all, x, y) : "";
}

/// Interrupts the run at `most` moments, evenly spread from its begin to its end.
void check_resumes_everywhere(const std::string& text, int most) {
  const PlaceToResume place;
  const std::string whole = place / "whole.h5", stopped = place / "stopped.h5";
  StopAtLook never(-1);
  REQUIRE(run_until(text, whole, false, &never));
  const int stride = std::max(1, never.looks() / most);
  REQUIRE(never.looks() >= 20);
  std::uint64_t interrupted = 0;
  for (int look = 1; look <= never.looks(); look += stride) {
    CAPTURE(look);
    StopAtLook stop(look);
    if (run_until(text, stopped, false, &stop)) continue;  // behind its last step
    ++interrupted;
    REQUIRE(run_until(text, stopped, true, nullptr));
    REQUIRE(differences_of(whole, stopped) == "");
    fs::remove(stopped);
  }
  CHECK(interrupted > 8);
}

}  // namespace

TEST_CASE("a run that is interrupted anywhere and resumed has the bits of one in one go") {
  for (const ResumedScene& scene : resumed_scenes()) {
    CAPTURE(scene.name);
    check_resumes_everywhere(scene.text, 12);
  }
}

TEST_CASE("a run that is interrupted again and again has the bits of one in one go") {
  for (const ResumedScene& scene : resumed_scenes()) {
    CAPTURE(scene.name);
    const PlaceToResume place;
    const std::string whole = place / "whole.h5", stopped = place / "stopped.h5";
    StopAtLook never(-1);
    REQUIRE(run_until(scene.text, whole, false, &never));
    int parts = 1;
    for (;; ++parts) {
      StopAtLook stop(never.looks() * 2 / 3);  // more than any step takes
      if (run_until(scene.text, stopped, parts > 1, &stop)) break;
      REQUIRE(parts < 10);
    }
    CHECK(parts > 1);
    CHECK(differences_of(whole, stopped) == "");
  }
}

TEST_CASE("a search for a scheme that is interrupted in any of its runs ends like one in one go") {
  for (const std::string& text : searching_scenes()) check_resumes_everywhere(text, 12);
}

TEST_SUITE("slow resuming") {
  TEST_CASE("a run that is interrupted within any of its steps resumes to the same bits") {
    for (const ResumedScene& scene : resumed_scenes()) {
      CAPTURE(scene.name);
      check_resumes_everywhere(scene.text, 1000);
    }
    for (const std::string& text : searching_scenes()) check_resumes_everywhere(text, 100);
  }
}  // TEST_SUITE
