// A hundred kills, at moments drawn at random, of runs of three kinds.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <random>
#include <thread>

#include "saltus/base/error.h"
#include "scenes/fault_scenes.h"

using namespace saltus_test;

namespace {

using Clock = std::chrono::steady_clock;

void kill_then(pid_t child, Clock::duration wait) {
  const Clock::time_point until = Clock::now() + wait;
  siginfo_t info{};
  while (Clock::now() < until) {
    if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == child)
      return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  ::kill(child, SIGKILL);
}

}  // namespace

TEST_CASE(
    "a hundred kills lose nothing that a checkpoint held, and each run ends like a run in one go" *
    doctest::test_suite("slow")) {
  std::mt19937_64 random(2026);
  int killed = 0, resumed = 0;
  for (int round = 0; killed < 100 && round < 300; ++round) {
    const std::vector<FaultScene> scenes = fault_scenes();
    const FaultScene& scene = scenes[static_cast<std::size_t>(round) % scenes.size()];
    CAPTURE(scene.name);
    CAPTURE(round);
    const Folder folder;
    folder.write("scene.yaml", scene.text);
    const Clock::time_point begin = Clock::now();
    REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "whole.h5"}).code == 0);
    const Clock::duration took = Clock::now() - begin;
    std::uint64_t reached = 0;  // step of the newest checkpoint
    for (int attempt = 0;; ++attempt) {
      std::vector<std::string> words{"run", "scene.yaml", "-q", "-o", "a.h5"};
      if (folder.has("a.h5.part"))
        words.emplace_back("--resume");  // with a checkpoint or without one
      // the sixth attempt has all the time it wants
      const auto wait =
          attempt == 5 ? std::chrono::hours(1) : took * static_cast<int>(random() % 1000) / 1000;
      const Outcome outcome = saltus_command(
          folder, words, {.meanwhile = [&](pid_t child) { kill_then(child, wait); }});
      CAPTURE(outcome.err);
      if (outcome.code == 0) break;
      REQUIRE(outcome.code == -SIGKILL);
      ++killed;
      if (folder.has("a.h5")) break;  // behind the rename
      if (!folder.has("a.h5.part")) {
        CHECK(reached == 0);
        continue;
      }
      std::uint64_t now = 0;
      try {
        now = checkpoint_step(folder / "a.h5.part", scene);
      } catch (const saltus::SceneError&) {  // none yet
      }
      CHECK(now >= reached);
      resumed += now > 0;
      reached = now;
    }
    REQUIRE(folder.has("a.h5"));
    CHECK(!folder.has("a.h5.part"));
    CHECK(same_results(folder / "whole.h5", folder / "a.h5"));
    CHECK(folder.names().size() == 3);
  }
  CHECK(killed >= 100);
  CHECK(resumed > 10);
}
