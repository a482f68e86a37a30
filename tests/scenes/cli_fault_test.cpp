// What a run does when the world around it fails: no room, no memory, no permission, damaged files, clocks that jump. In
// each case it says one line, loses nothing that a checkpoint held, accepts nothing that is damaged, and leaves no file
// under a final name that is not whole.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "fault_scenes.h"
#include "saltus/results/results.h"
#include "saltus/results/results_reader.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "support/skip.h"

using namespace saltus_test;

namespace fs = std::filesystem;

namespace {

/// A run in one go, for all that is compared with it.
struct Whole {
  Folder folder;
  explicit Whole(const FaultScene& scene) {
    folder.write("scene.yaml", scene.text);
    const Outcome outcome = saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "a.h5"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
  }
  std::string results() const { return folder / "a.h5"; }
};

const std::vector<std::string> kRun{"run", "scene.yaml", "-q", "-o", "a.h5"};
const std::vector<std::string> kResume{"run", "scene.yaml", "-q", "-o", "a.h5", "--resume"};

/// Of a run that could not finish: exit code and one line as documented, nothing under a final name, and what is left can be gone
/// on with. Returns whether something is left.
bool check_given_up(const Folder& folder, const FaultScene& scene, const Outcome& outcome) {
  CHECK(outcome.code == 1);
  CHECK(lines_that_are_no_warnings(outcome.err) == 1);
  CHECK(!folder.has("a.h5"));
  const bool left = folder.has("a.h5.part");
  for (const std::string& name : folder.names())
    CHECK_MESSAGE((name == "scene.yaml" || name == "a.h5.part"), name);
  if (!left) return false;
  const std::uint64_t step = checkpoint_step(folder / "a.h5.part", scene);
  if (!holds(outcome.err, "a.h5.part keeps the data written before; "))  // no memory to read it
    CHECK(holds(outcome.err, " and the checkpoint of step " + std::to_string(step) + "; "));
  CHECK(holds(outcome.err, "; resume with: "));
  CHECK(outcome.err.ends_with(" run scene.yaml -q -o a.h5 --resume\n"));
  return true;
}

void check_resumes(const Folder& folder, const Whole& whole) {
  const Outcome resumed = saltus_command(folder, kResume);
  CAPTURE(resumed.err);
  REQUIRE(resumed.code == 0);
  CHECK(same_results(whole.results(), folder / "a.h5"));
  CHECK(!folder.has("a.h5.part"));
}

}  // namespace

TEST_CASE("a run that finds no room on the disk says so and keeps its last checkpoint") {
  for (const FaultScene& scene : fault_scenes()) {
    CAPTURE(scene.name);
    const Whole whole(scene);
    const auto size = static_cast<long>(fs::file_size(whole.results()));
    int left = 0;
    for (const double share : {0.02, 0.3, 0.8, 0.97, 1.04}) {
      CAPTURE(share);
      const Folder folder;
      folder.write("scene.yaml", scene.text);
      const Outcome outcome =
          saltus_command(folder, kRun,
                         {.file_size = std::max<long>(
                              4096, static_cast<long>(share * static_cast<double>(size)))});
      CAPTURE(outcome.err);
      if (!check_given_up(folder, scene, outcome)) {
        CHECK(holds(outcome.err, "a.h5.part is removed: it contained no rows yet"));
        continue;
      }
      ++left;
      check_resumes(folder, whole);
    }
    CHECK(left > 0);
  }
}

TEST_CASE("a run whose file may not grow keeps the rows behind its last checkpoint too") {
  const Folder folder;
  folder.write("scene.yaml", R"(saltus: 1
time: {end: 20 s, step: 0.4 ms}
bodies:
  - {name: ball, kind: particles, particles: {mass: [2], positions: [[0, 0, 0.7]], gravity: [0, 0, -9.81]}}
contacts:
  - {on: ball, against: {plane: {}}, law: {kind: newton-impact, restitution: 0.6}}
results: {frames: 0}
)");
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "whole.h5"}).code == 0);
  const auto size = static_cast<long>(fs::file_size(folder / "whole.h5"));
  const Outcome outcome = saltus_command(folder, kRun, {.file_size = size * 4 / 5});
  CAPTURE(outcome.err);
  CHECK(outcome.code == 1);
  CHECK(lines_that_are_no_warnings(outcome.err) == 1);
  CHECK(holds(outcome.err, "a.h5.part keeps "));
  CHECK(holds(outcome.err, " rows and the checkpoint of step 0; resume with: "));
  {
    const saltus::ResultsReader part(folder / "a.h5.part");
    CHECK(part.rows() > 3'000);
    const std::vector<double> whole = saltus::ResultsReader(folder / "whole.h5").step("kinetic");
    const std::vector<double> kinetic = part.step("kinetic");
    CHECK(std::equal(kinetic.begin(), kinetic.end(), whole.begin()));
  }
  REQUIRE(saltus_command(folder, kResume).code == 0);
  CHECK(same_results(folder / "whole.h5", folder / "a.h5"));
}

TEST_CASE("a run whose file is cut or taken away by another program does not pass for a good one") {
  // the first rows are written behind 0.5 MB of tables; the whole file of 8 s has 16 MB
  constexpr std::uintmax_t kBegun = 600'000, kFar = 8'000'000;
  for (const bool cut : {true, false}) {
    CAPTURE(cut);
    Outcome outcome;
    bool under_way = false;  // when the fault came; a busy machine may show the file too late
    for (int end = 8; end < 8'000 && !under_way; end *= 4) {
      const Folder folder;
      folder.write("scene.yaml",
                   replaced(replaced(small_scene(), "end: 50 ms", fmt::format("end: {} s", end)),
                            ", wav: sound.wav", ""));
      const std::string part = folder / "a.h5.part";
      outcome = saltus_command(folder, kRun, {.meanwhile = [&](pid_t child) {
                                 std::error_code none;
                                 for (int k = 0; k < 20'000; ++k, ::usleep(200))
                                   if (fs::file_size(part, none) > kBegun && !none) break;
                                 ::kill(child, SIGSTOP);
                                 siginfo_t now{};  // it stands, or has ended and can still be asked
                                 ::waitid(P_PID, static_cast<id_t>(child), &now,
                                          WSTOPPED | WEXITED | WNOWAIT);
                                 if (now.si_code != CLD_STOPPED) return;
                                 under_way = fs::file_size(part, none) < kFar && !none;
                                 if (cut)
                                   fs::resize_file(part, 1'000, none);
                                 else
                                   fs::remove(part, none);
                                 ::kill(child, SIGCONT);
                               }});
      if (under_way) CHECK(!folder.has("a.h5"));
    }
    REQUIRE(under_way);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 1);
    CHECK(lines_that_are_no_warnings(outcome.err) == 1);
    CHECK(holds(outcome.err, "a.h5.part"));
    CHECK(holds(outcome.err, "another program"));
  }
}

TEST_CASE("a run on a file system that is full says so, and goes on when there is room") {
  const FaultScene scene = fault_scenes().front();
  const Whole whole(scene);
  const Folder folder;
  folder.write("scene.yaml", scene.text);
  const std::string disk = folder / "disk";
  fs::create_directory(disk);
  const auto size = static_cast<unsigned long>(fs::file_size(whole.results()));
  const std::string room = "size=" + std::to_string(size - size / 50);
  // a child: the file system is there for it and the command alone
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", disk.c_str(), "tmpfs", 0, room.c_str()) != 0)
      ::_exit(77);
    const Outcome outcome = saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "disk/a.h5"});
    const bool said = outcome.code == 1 && holds(outcome.err, "No space left on device") &&
                      outcome.error_lines() == 1 && !fs::exists(disk + "/a.h5");
    const bool kept = holds(outcome.err, "resume with: ") &&
                      fs::copy_file(disk + "/a.h5.part", folder / "a.h5.part");
    ::_exit(said && kept ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) SALTUS_SKIP("no file system can be mounted here");
  REQUIRE(WEXITSTATUS(status) == 0);
  fs::remove(disk);
  check_resumes(folder, whole);
}

TEST_CASE("a folder in which nothing may be written is named before the run begins") {
  if (::getuid() != 0) SALTUS_SKIP("needs root, to be nobody");
  const Folder folder;
  folder.write("scene.yaml", fault_scenes().front().text);
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  REQUIRE(::chmod((folder / "scene.yaml").c_str(), 0644) == 0);
  const Outcome outcome = saltus_command(folder, kRun, {.nobody = true});
  if (outcome.code == 126 || outcome.code == 127)
    SALTUS_SKIP("nobody may not run the command here");
  CAPTURE(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(outcome.error_lines() == 1);
  CHECK(holds(outcome.err, "cannot be written: Permission denied; choose a writable folder"));
  CHECK(folder.names() == std::vector<std::string>{"scene.yaml"});
}

TEST_CASE("a run that finds no memory says so, at whatever moment, and keeps its last checkpoint") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  SALTUS_SKIP("a sanitizer wants more memory than may be given");
#endif
  const FaultScene scene = fault_scenes().front();
  const Whole whole(scene);
  long enough = 0, least = 0;  // [bytes]
  constexpr long kMiB = 1 << 20;
  const auto outcome_with = [&](const Folder& folder, long memory) {
    folder.write("scene.yaml", scene.text);
    return saltus_command(folder, kRun, {.memory = memory});
  };
  // what the libraries alone take, and what a run takes
  for (long memory = 16 * kMiB; enough == 0; memory += 8 * kMiB) {
    REQUIRE(memory < 8192 * kMiB);
    const Folder folder;
    const Outcome outcome = outcome_with(folder, memory);
    if (outcome.code == 127 || outcome.code == 126 || outcome.code < 0) least = memory;
    if (outcome.code == 0) enough = memory;
  }
  least = std::max(least, enough - 40 * kMiB);
  int given_up = 0;
  constexpr int kTries = 24;
  for (int k = 1; k < kTries; ++k) {
    const long memory = least + (enough - least) * k / kTries;
    CAPTURE(memory / 1024);
    const Folder folder;
    const Outcome outcome = outcome_with(folder, memory);
    CAPTURE(outcome.err);
    if (outcome.code == 127) continue;  // the loader had none
    if (outcome.code == 0) {
      CHECK(same_results(whole.results(), folder / "a.h5"));
      continue;
    }
    ++given_up;
    CHECK((holds(outcome.err, "out of memory") || holds(outcome.err, "allocat")));
    if (check_given_up(folder, scene, outcome)) check_resumes(folder, whole);
  }
  CHECK(given_up > 0);
}

TEST_CASE("clocks that jump change no result and end no run") {
  const Folder tools;
  const std::string shim = tools / "clock.so";
  const std::string compile = "cc -shared -fPIC -O1 -o " + shim +
                              " " SALTUS_TEST_DATA "/scenes/jumping_clock.c >/dev/null 2>&1";
  if (std::system(compile.c_str()) != 0) SALTUS_SKIP("no compiler of C here");
  for (const FaultScene& scene : fault_scenes()) {
    CAPTURE(scene.name);
    const Whole whole(scene);
    const Folder folder;
    folder.write("scene.yaml", scene.text);
    const Outcome outcome =
        saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5"}, {.preload = shim});
    CAPTURE(outcome.err);
    CAPTURE(outcome.out);
    CHECK(outcome.code == 0);
    CHECK(same_results(whole.results(), folder / "a.h5"));
    for (const char* nonsense : {"nan", "inf", " -"})
      CHECK_MESSAGE(!holds(outcome.err, nonsense), nonsense);
  }
}

namespace {

/// Bytes of a `.part` of a killed run that holds checkpoints.
std::string stopped_part(const FaultScene& scene) {
  const Folder folder;
  folder.write("scene.yaml", scene.text);
  Whole whole(scene);
  const auto size = static_cast<double>(fs::file_size(whole.results()));
  for (double share = 1.06; share > 0.1; share -= 0.02) {
    const Outcome outcome =
        saltus_command(folder, kRun, {.file_size = static_cast<long>(share * size)});
    if (outcome.code == 1 && folder.has("a.h5.part")) return folder.read("a.h5.part");
  }
  FAIL("no .part with a checkpoint");
  return {};
}

/// What a resumed run makes of these bytes: it refuses them by one line and leaves them as they are, or ends like a run in one go.
bool refused_or_whole(const FaultScene& scene, const Whole& whole, const std::string& bytes) {
  const Folder folder;
  folder.write("scene.yaml", scene.text);
  folder.write("a.h5.part", bytes);
  const Outcome outcome = saltus_command(folder, kResume);
  CAPTURE(outcome.err);
  if (outcome.code == 0) {
    CHECK(same_results(whole.results(), folder / "a.h5"));
    return false;
  }
  CHECK(outcome.code == 2);
  CHECK(lines_that_are_no_warnings(outcome.err) == 1);
  CHECK(!folder.has("a.h5"));
  CHECK(folder.has("a.h5.part"));
  return true;
}

}  // namespace

TEST_SUITE("slow faults") {
  TEST_CASE("a stopped run that was damaged is refused, or goes on from what is whole in it") {
    std::mt19937 random(5);
    for (const FaultScene& scene : fault_scenes()) {
      CAPTURE(scene.name);
      const Whole whole(scene);
      const std::string part = stopped_part(scene);
      const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
      int refused = 0;
      for (int k = 0; k < 12; ++k) {
        CAPTURE(k);
        std::string bytes = part;
        if (k % 3 == 0) {  // bytes near the end, where the last checkpoint is
          for (int i = 0; i < 16; ++i)
            bytes[bytes.size() - 1 - below(std::min<std::size_t>(bytes.size(), 4096))] ^=
                static_cast<char>(1 + below(255));
        } else if (k % 3 == 1) {
          bytes[below(bytes.size())] ^= static_cast<char>(1 + below(255));
        } else {
          bytes.resize(below(bytes.size()));
        }
        refused += refused_or_whole(scene, whole, bytes);
      }
      CHECK(refused > 0);
    }
  }
}  // TEST_SUITE

TEST_CASE("the stopped run of another scene is refused") {
  const std::vector<FaultScene> scenes = fault_scenes();
  std::vector<std::string> parts;
  for (const FaultScene& scene : scenes) parts.push_back(stopped_part(scene));
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const std::size_t other = (i + 1) % scenes.size();
    CAPTURE(scenes[i].name);
    const Folder folder;
    folder.write("scene.yaml", scenes[i].text);
    folder.write("a.h5.part", parts[other]);
    const Outcome outcome = saltus_command(folder, kResume);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.error_lines() == 1);
    CHECK(holds(outcome.err, "scene"));
    CHECK(folder.read("a.h5.part") == parts[other]);
  }
}

TEST_CASE("tables with numbers that are not finite are refused before the run") {
  const std::string text = replaced(small_scene(), "{constant: 0.8 1/s}", "{table: losses.csv}");
  for (const char* number : {"nan", "inf", "-inf", "1e999", "NaN", "Infinity"}) {
    CAPTURE(number);
    const Folder folder;
    std::string losses;
    for (int j = 1; j <= 20; ++j)
      losses += std::to_string(j) + "," + (j == 7 ? number : "0.8") + "\n";
    folder.write("scene.yaml", text);
    folder.write("losses.csv", losses);
    const std::vector<std::string> before = folder.names();
    const Outcome outcome = saltus_command(folder, kRun);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.error_lines() == 1);
    CHECK(holds(outcome.err, "losses.csv"));
    CHECK(folder.names() == before);
  }
}
