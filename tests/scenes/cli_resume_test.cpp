// Interrupted and continued runs give the same bits as runs in one go.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "command.h"
#include "saltus/results/results.h"
#include "saltus/results/results_reader.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus_test;
using saltus::ResultsReader;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <typename Numbers>
bool same_bits(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() &&
         (a.size() == 0 ||
          std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(a[0])) == 0);
}

void check_same_results(const std::string& a_file, const std::string& b_file) {
  const ResultsReader a(a_file), b(b_file);
  CHECK(a.finished());
  CHECK(b.finished());
  CHECK(a.rows() == b.rows());
  CHECK(a.frames() == b.frames());
  for (const std::string& name : a.step_names())
    CHECK_MESSAGE(same_bits(a.step(name), b.step(name)), name);
  for (const std::string& name : a.accounts())
    CHECK_MESSAGE(same_bits(a.ledger(name), b.ledger(name)), name);
  for (const auto& probe : a.probes())
    CHECK_MESSAGE(same_bits(a.probe(probe.name), b.probe(probe.name)), probe.name);
  CHECK(same_bits(a.frame_times(), b.frame_times()));
  for (const auto& body : a.bodies())
    for (const char* what : {"q", "velocity"})
      CHECK_MESSAGE(
          same_bits(a.body(body.name, what, 0, a.frames()), b.body(body.name, what, 0, b.frames())),
          what);
}

void check_same_checkpoint(const std::string& scene, const std::string& a_file,
                           const std::string& b_file) {
  const saltus::Model model = saltus::build(saltus::read_scene(scene));
  const saltus::State a = saltus::read_checkpoint(a_file, model),
                      b = saltus::read_checkpoint(b_file, model);
  CHECK(a.step == b.step);
  CHECK(a.t == b.t);
  CHECK(same_bits(a.ledger, b.ledger));
  CHECK(a.contacts.size() == b.contacts.size());
  REQUIRE(a.groups.size() == b.groups.size());
  for (std::size_t g = 0; g < a.groups.size(); ++g) {
    CHECK(same_bits(a.groups[g].q, b.groups[g].q));
    CHECK(same_bits(a.groups[g].v, b.groups[g].v));
    REQUIRE(a.groups[g].memory.size() == b.groups[g].memory.size());
    for (std::size_t m = 0; m < a.groups[g].memory.size(); ++m)
      CHECK(same_bits(a.groups[g].memory[m], b.groups[g].memory[m]));
  }
}

/// Sends the signal as soon as rows of the run have reached the disk.
void signal_when_under_way(pid_t child, const std::string& part, int signal) {
  for (int attempt = 0; attempt < 60'000; ++attempt) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == child)
      return;  // it was faster
    std::error_code missing;
    const auto size = std::filesystem::file_size(part, missing);
    if (!missing && size > 400'000) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(child, signal);
}

/// scene.yaml to this time and on from there, beside a run in one go: a.h5, b.h5.
void check_resumed_at(const Folder& folder, const char* until) {
  const Outcome first =
      saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "a.h5", "--until", until});
  CAPTURE(first.err);
  REQUIRE(first.code == 0);
  const Outcome resumed =
      saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "a.h5", "--resume"});
  CAPTURE(resumed.err);
  REQUIRE(resumed.code == 0);
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "b.h5"}).code == 0);
  check_same_results(folder / "a.h5", folder / "b.h5");
}

}  // namespace

TEST_CASE(
    "Ctrl-C leaves a checkpoint from which --resume takes only the remaining steps, bit for bit") {
  for (const int signal : {SIGINT, SIGTERM}) {
    CAPTURE(signal);
    const Folder folder;
    std::string text = replaced(small_scene(), "modes: 20", "modes: 800");
    folder.write("scene.yaml", replaced(text, "outputs:", "results: {frames: 40}\noutputs:"));
    Outcome stopped;
    double end = 0.5;
    std::string until;
    for (int attempt = 0; attempt < 5;
         ++attempt, end *= 3.0) {  // a fast machine may be through before the signal
      until = std::to_string(end);
      stopped = saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "--until", until},
                               {.meanwhile = [&](pid_t child) {
                                 signal_when_under_way(child, folder / "a.h5.part", signal);
                               }});
      if (stopped.code != 0) break;
    }
    CAPTURE(stopped.err);
    REQUIRE(stopped.code == 1);
    CHECK(stopped.out.empty());
    CHECK(holds(stopped.err, "interrupted after step "));
    CHECK(holds(stopped.err, "--resume"));
    CHECK(folder.has("a.h5.part"));
    const auto info =
        nlohmann::json::parse(saltus_command(folder, {"info", "a.h5.part", "--json"}).out);
    CHECK(info["finished"] == false);
    const auto at = info["checkpoint_step"].get<std::int64_t>();
    CHECK(info["steps"] == at);

    const std::vector<std::string> go_on{"run",     "scene.yaml", "-o",       "a.h5",
                                         "--until", until,        "--resume", "--json"};
    const Outcome resumed = saltus_command(folder, go_on);
    CAPTURE(resumed.err);
    REQUIRE(resumed.code == 0);
    CHECK(!folder.has("a.h5.part"));
    const auto json = nlohmann::json::parse(resumed.out);
    CHECK(json["resumed_at"] == at);
    CHECK(json["steps_now"].get<std::int64_t>() == json["steps"].get<std::int64_t>() - at);
    CHECK(json["steps_now"].get<std::int64_t>() > 0);

    const std::string sound = folder.read("sound.wav");
    const Outcome whole =
        saltus_command(folder, {"run", "scene.yaml", "-o", "b.h5", "--until", until, "--json"});
    REQUIRE(whole.code == 0);
    check_same_results(folder / "a.h5", folder / "b.h5");
    check_same_checkpoint(folder / "scene.yaml", folder / "a.h5", folder / "b.h5");
    CHECK(folder.read("sound.wav") == sound);
    const auto one = nlohmann::json::parse(whole.out);
    for (const char* key : {"steps", "time", "energy", "ledger", "contacts", "penetration",
                            "residual", "residual_after", "contact_gain", "failed_steps"})
      CHECK_MESSAGE(json[key] == one[key], key);
  }
}

TEST_CASE("a signal within a long solve ends it, and --resume makes that step again, bit for bit") {
  // 600 bricks, swept for a second or more in each of two steps
  const std::string scene = R"(saltus: 1
time: {end: 10 ms, step: 5 ms}
gravity: [0, 0, -9.81]
solver: {kind: body-gauss-seidel, tolerance: 1e-15, iterations: 2500}
on_failure: accept
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: a, kind: rigid, rigid: {shape: {box: {size: [0.25, 0.12, 0.1]}}, density: 2000,
     position: [0.125, 0, 0.05], copies: {count: [60, 1, 5], spacing: [0.25, 0, 0.2]}}}
  - {name: b, kind: rigid, rigid: {shape: {box: {size: [0.25, 0.12, 0.1]}}, density: 2000,
     position: [0.25, 0, 0.15], copies: {count: [60, 1, 5], spacing: [0.25, 0, 0.2]}}}
surfaces: [{law: {kind: newton-impact, friction: 0.6}}]
results: {frames: 2}
)";
  for (const int signal : {SIGINT, SIGTERM}) {
    CAPTURE(signal);
    const Folder folder;
    folder.write("scene.yaml", scene);
    const Outcome stopped =
        saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5"}, {.meanwhile = [&](pid_t child) {
                         if (!catches(child, signal)) return;
                         ::usleep(300'000);
                         ::kill(child, signal);
                       }});
    CAPTURE(stopped.err);
    REQUIRE(stopped.code == 1);
    CHECK(stopped.out.empty());
    CHECK(stopped.error_lines() == 1);
    CHECK(holds(stopped.err, "interrupted after step "));
    CHECK(holds(stopped.err, " of 2 "));
    const Outcome resumed =
        saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "a.h5", "--resume"});
    CAPTURE(resumed.err);
    REQUIRE(resumed.code == 0);
    REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "b.h5"}).code == 0);
    check_same_results(folder / "a.h5", folder / "b.h5");
    check_same_checkpoint(folder / "scene.yaml", folder / "a.h5", folder / "b.h5");
  }
}

TEST_CASE("a finished run goes on to a later end as if it had never stopped") {
  const Folder folder;
  const std::string results = "results: {frames: 0, checkpoint_every: 150}\n";
  folder.write("scene.yaml", replaced(small_scene(), "outputs:", results + "outputs:"));
  REQUIRE(
      saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "a.h5", "--until", "20 ms"}).code ==
      0);
  const Outcome resumed = saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "--resume"});
  CAPTURE(resumed.err);
  REQUIRE(resumed.code == 0);
  CHECK(holds(resumed.out, "2000 (1200 of them now: resumed at step 800)"));
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "b.h5"}).code == 0);
  check_same_results(folder / "a.h5", folder / "b.h5");
  check_same_checkpoint(folder / "scene.yaml", folder / "a.h5", folder / "b.h5");

  const Outcome again = saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "--resume"});
  CHECK(again.code == 0);
  CHECK(holds(again.out, "no steps remained"));
  check_same_results(folder / "a.h5", folder / "b.h5");
}

TEST_CASE("what cannot be resumed is refused with one line, and the file stays as it is") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  REQUIRE(
      saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "a.h5", "--until", "20 ms"}).code ==
      0);
  const std::string whole = folder.read("a.h5");
  const auto refused = [&](const std::vector<std::string>& more, const std::string& says) {
    std::vector<std::string> words{"run", "scene.yaml", "-o", "a.h5", "--resume"};
    words.insert(words.end(), more.begin(), more.end());
    const std::string before = folder.read("a.h5");
    const Outcome outcome = saltus_command(folder, words);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.error_lines() == 1);
    CHECK(holds(outcome.err, says));
    CHECK(!folder.has("a.h5.part"));
    CHECK(folder.read("a.h5") == before);
  };
  refused({"--set", "bodies[0].pluck.height=2 mm"}, "bodies[0].pluck.height");
  refused({"--until", "10 ms"}, "earlier than the state");
  for (const std::size_t length : {whole.size() / 2, whole.size() - 100, std::size_t{5}}) {
    CAPTURE(length);
    folder.write("a.h5", whole.substr(0, length));
    refused({}, "a.h5");
  }
  folder.write("a.h5", "this is no results file");
  refused({}, "a.h5");
}

TEST_CASE("masses, balls and mechanisms go on bit for bit under every scheme") {
  const std::string text = R"(saltus: 1
time: {end: 0.4 s, step: 1 ms}
bodies:
  - {name: ball, kind: particles, particles: {mass: [1], positions: [[0, 0, 0.1]], gravity: [0, 0, -9.81]}, scheme: SCHEME}
  - {name: spring, kind: lagrangian, duffing: {cubic: 50}, initial: {coordinates: [0.5]}, scheme: SCHEME}
  - name: chain
    kind: linear
    chain: {masses: 3, mass: 1, stiffness: 100, ends: free-free}
    prescribed: [{dof: 0, harmonic: {amplitude: 0.1, frequency: 2}}]
    scheme: SCHEME
contacts:
  - {on: ball, against: {plane: {}}, law: {kind: newton-impact, restitution: 0.5}}
  - {on: chain, row: [-0.5, 1, -0.4], offset: 60 mm, law: {kind: newton-impact, restitution: 0.5}}
  - {on: spring, row: [1], offset: -0.2, against: {body: chain, row: [0, 0.5, 1]}, law: newton-impact}
outputs:
  - {probe: ball, at: 0}
  - {probe: spring, at: 0}
results: {frames: 0}
)";
  for (const char* scheme :
       {"moreau-jean", "euler-explicit", "euler-implicit", "newmark", "variational-symplectic",
        "{kind: variational-symplectic, form: implicit}", "runge-kutta",
        "{kind: runge-kutta, table: dormand-prince, tolerance: 1e-8}", "central-difference",
        "schatzman-paoli", "generalized-alpha", "generalized-alpha-decoupled", "discrete-gradient",
        "def-exp", "def-lim"}) {
    CAPTURE(scheme);
    const Folder folder;
    std::string scene = text;
    for (std::size_t at; (at = scene.find("SCHEME")) != std::string::npos;)
      scene.replace(at, 6, scheme);
    folder.write("scene.yaml", scene);
    check_resumed_at(folder, "0.2");
    check_same_checkpoint(folder / "scene.yaml", folder / "a.h5", folder / "b.h5");
  }
}

TEST_CASE("a run whose steps follow their error goes on bit for bit") {
  const Folder folder;
  folder.write("scene.yaml", R"(saltus: 1
time: {end: 1 s, step: 10 ms, tolerance: 1e-5}
bodies:
  - {name: ball, kind: particles, particles: {mass: [1 kg], positions: [[0, 0, 1]], gravity: [0, 0, -9.81]}}
contacts:
  - {on: ball, against: {plane: {}}, law: {kind: newton-impact, restitution: 0.5}}
results: {frames: 0}
)");
  check_resumed_at(folder, "0.43");
}
