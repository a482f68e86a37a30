// Runs with the settings of a user who knows nothing of checkpoints: ended at random by Ctrl-C,
// SIGTERM and SIGKILL, and resumed until they are done.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <random>
#include <thread>

#include "fault_scenes.h"
#include "saltus/results/results_reader.h"

using namespace saltus_test;

namespace {

using KillClock = std::chrono::steady_clock;

/// Sends the signal after the wait, unless the child ends before.
void signal_after(pid_t child, int signal, KillClock::duration wait) {
  const KillClock::time_point until = KillClock::now() + wait;
  siginfo_t info{};
  while (KillClock::now() < until) {
    if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == child)
      return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  ::kill(child, signal);
}

struct Killed {
  int kills = 0, resumed = 0;
};

/// Runs the scene, ended at most `most` times, until it is done, and compares it with `whole.h5` of
/// the folder.
void run_with_kills(const Folder& folder, const std::string& scene,
                    const std::vector<std::string>& more, KillClock::duration took, int most,
                    std::mt19937_64& random, Killed& killed) {
  constexpr std::array kSignals{SIGINT, SIGTERM, SIGKILL};
  for (int attempt = 0;; ++attempt) {
    std::vector<std::string> words{"run", scene, "-q", "-o", "a.h5"};
    words.insert(words.end(), more.begin(), more.end());
    const bool resumes = folder.has("a.h5.part");
    if (resumes) words.emplace_back("--resume");
    const int signal = kSignals[random() % kSignals.size()];
    const auto wait =
        attempt == most ? std::chrono::hours(1) : took * static_cast<int>(random() % 1000) / 1000;
    const Outcome outcome = saltus_command(
        folder, words, {.meanwhile = [&](pid_t child) { signal_after(child, signal, wait); }});
    CAPTURE(outcome.err);
    CAPTURE(signal);
    if (outcome.code == 0) break;
    ++killed.kills;
    killed.resumed += resumes;
    // INT and TERM kill it too while it reads its scene
    REQUIRE((outcome.code == -signal || (outcome.code == 1 && signal != SIGKILL)));
    if (folder.has("a.h5")) break;  // behind the rename
    if (!folder.has("a.h5.part")) continue;
    const Outcome info = saltus_command(folder, {"info", "a.h5.part"});
    // no table, before the first flush, or tables and the note that the run is not finished
    CHECK((holds(info.err, "its first write is not complete") ||
           holds(info.out, "run           not finished, checkpoint ")));
  }
  REQUIRE(folder.has("a.h5"));
  CHECK(!folder.has("a.h5.part"));
  CHECK(same_results(folder / "whole.h5", folder / "a.h5"));
}

Killed kill_scene(const std::string& scene, const std::vector<std::string>& more, int rounds,
                  int most, std::mt19937_64& random) {
  CAPTURE(scene);
  const Folder folder;
  const KillClock::time_point begin = KillClock::now();
  REQUIRE(saltus_command(folder, {"run", scene, "-q", "-o", "whole.h5"}).code == 0);
  const KillClock::duration took = KillClock::now() - begin;
  Killed killed;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    run_with_kills(folder, scene, more, took, most, random, killed);
    std::remove((folder / "a.h5").c_str());
  }
  return killed;
}

std::string example(const char* name) {
  return std::string(SALTUS_EXAMPLES) + "/" + name + ".yaml";
}

}  // namespace

TEST_CASE("a run with default settings that is killed or interrupted resumes to the same tables") {
  std::mt19937_64 random(7);
  for (const char* name : {"stack", "bouncing_ball_events"}) {
    const Killed killed = kill_scene(example(name), {}, 4, 2, random);
    CHECK(killed.kills > 2);
  }
}

TEST_CASE("the note that a run is not finished is one line, of every verb that reads its file") {
  const Folder folder;
  const std::string scene = example("stack");
  const Outcome full =
      saltus_command(folder, {"run", scene, "-q", "-o", "a.h5"}, {.file_size = 1'500'000});
  CAPTURE(full.err);
  REQUIRE(full.code == 1);
  CHECK(full.error_lines() == 1);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"convert", "a.h5.part", "--to", "csv"},
        {"report", "a.h5.part"},
        {"compare", "a.h5.part", "a.h5.part"}}) {
    CAPTURE(words.front());
    const Outcome outcome = saltus_command(folder, words);
    CHECK(outcome.code == 0);
    CHECK(holds(outcome.err, "saltus: warning: a.h5.part: the run is not finished; the file has "));
  }
  const Outcome missing = saltus_command(folder, {"info", "a.h5"});
  CHECK(missing.code == 2);
  CHECK(missing.err ==
        "saltus: a.h5: the run is not finished; its data so far are in a.h5.part; give that name, "
        "or finish the run with --resume\n");
}

TEST_SUITE("slow faults") {
  TEST_CASE(
      "a hundred interruptions of ten examples, by default and with short intervals, lose "
      "nothing") {
    std::mt19937_64 random(2027);
    Killed all;
    for (int round = 0; all.kills < 100 && round < 20; ++round)
      for (const char* name :
           {"arch", "stack", "dominoes", "newton_cradle", "bouncing_ball_events", "euler_disk",
            "belt", "vibrating_table", "bowed_string", "bass_on_frets"}) {
        const std::vector<std::string> more =
            round % 2 == 0 ? std::vector<std::string>{}
                           : std::vector<std::string>{"--set", "results.checkpoint_interval=10 ms"};
        const Killed killed = kill_scene(example(name), more, 1, 5, random);
        all.kills += killed.kills;
        all.resumed += killed.resumed;
      }
    CHECK(all.kills >= 100);
    CHECK(all.resumed > 50);
  }
}  // TEST_SUITE
