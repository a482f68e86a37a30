// A run that is killed leaves a file that is whole up to its last flush, and goes on from there bit for bit.
#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "command.h"
#include "saltus/results/results.h"
#include "saltus/results/results_reader.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"
#include "saltus/study/compare.h"
#include "support/skip.h"

using namespace saltus_test;
using saltus::ResultsReader;

namespace {

/// `small_scene` with frames and checkpoints: a run of some tens of milliseconds.
std::string killed_scene(int steps_to_checkpoint) {
  std::string text = replaced(small_scene(), "modes: 20", "modes: 100");
  text = replaced(text, "end: 50 ms", "end: 700 ms");
  text = replaced(text, ", wav: sound.wav", "");
  return replaced(text, "outputs:",
                  "results: {frames: 60, checkpoint_every: " + std::to_string(steps_to_checkpoint) +
                      "}\noutputs:");
}

/// Waits until the child is gone or the time is over, then kills it.
void kill_after(pid_t child, std::chrono::microseconds wait) {
  const auto until = std::chrono::steady_clock::now() + wait;
  while (std::chrono::steady_clock::now() < until) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == child)
      return;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  ::kill(child, SIGKILL);
}

/// Rows of a whole run and of a file that may have fewer: those that are there are the same. Returns how many.
std::size_t check_rows(const ResultsReader& whole, const ResultsReader& part) {
  const std::size_t rows = part.rows(), frames = part.frames();
  REQUIRE(rows <= whole.rows());
  REQUIRE(frames <= whole.frames());
  const auto begins = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() >= b.size() &&
           (b.empty() || std::memcmp(a.data(), b.data(), 8 * b.size()) == 0);
  };
  for (const std::string& name : part.step_names()) {
    const std::vector<double> column = part.step(name);
    CHECK(column.size() == rows);
    CHECK_MESSAGE(begins(whole.step(name), column), name);
  }
  for (const std::string& name : part.accounts())
    CHECK_MESSAGE(begins(whole.ledger(name), part.ledger(name)), name);
  for (const saltus::ProbeColumn& probe : part.probes())
    CHECK_MESSAGE(begins(whole.probe(probe.name), part.probe(probe.name)), probe.name);
  for (const saltus::BodyColumn& body : part.bodies())
    for (const char* what : {"q", "velocity", "displacement"})
      CHECK_MESSAGE(
          begins(whole.body(body.name, what, 0, frames), part.body(body.name, what, 0, frames)),
          what);
  // every table ends with the same step, not the shortest alone
  const saltus::h5::File& file = part.hdf5();
  for (const std::string& name : part.step_names())
    CHECK_MESSAGE(file.dataset("step/" + name).rows() == rows, name);
  CHECK(file.dataset("timing/step").rows() == rows);
  if (file.has("step_contacts")) {
    const std::vector<std::uint64_t> offset = file.dataset("step_contacts/offset").counts();
    CHECK(offset.size() == rows + 1);
    CHECK(file.dataset("step_contacts/key").rows() == offset.back());
    CHECK(file.dataset("step_contacts/impulse").rows() == offset.back());
  }
  return rows;
}

/// Bit for bit, as `saltus compare` does it.
bool same_results(const std::string& a, const std::string& b) {
  const ResultsReader x(a), y(b);
  return x.rows() == y.rows() && x.frames() == y.frames() &&
         !saltus::compare_results(x, y, 0.0).differs();
}

}  // namespace

TEST_CASE(
    "a run that is killed at any moment leaves what it had flushed, and --resume ends like a run "
    "in one go") {
  const Folder folder;
  folder.write("scene.yaml", killed_scene(3'000));
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "whole.h5"}).code == 0);
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  const ResultsReader whole(folder / "whole.h5");
  std::mt19937 random(17);
  int killed = 0, readable = 0, resumed = 0;
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    const std::string name = "a" + std::to_string(round) + ".h5";
    bool fresh = true;
    for (int attempt = 0; attempt < 4; ++attempt) {
      std::vector<std::string> words{"run", "scene.yaml", "-q", "-o", name};
      if (!fresh) words.emplace_back("--resume");
      // the last attempt has all the time it wants
      const double share = attempt == 3 ? 1e3 : static_cast<double>(random() % 1000) * 1.1e-3;
      const Outcome outcome = saltus_command(
          folder, words, {.meanwhile = [&](pid_t child) {
            kill_after(child,
                       std::chrono::microseconds(static_cast<long long>(share * took.count())));
          }});
      CAPTURE(outcome.err);
      if (outcome.code == 0) break;
      REQUIRE(outcome.code == -SIGKILL);
      ++killed;
      fresh = !folder.has(name + ".part");
      if (folder.has(name)) break;  // killed behind the rename
      if (fresh) continue;          // killed before there was a file
      ++resumed;                    // with a checkpoint or without one
      try {
        const ResultsReader part(folder / (name + ".part"));
        ++readable;
        check_rows(whole, part);
      } catch (const saltus::SceneError&) {
        // killed before the first flush, which holds the tables without rows
        const std::string bytes = folder.read(name + ".part");
        REQUIRE(bytes.size() < 400'000);
      }
    }
    REQUIRE(folder.has(name));
    CHECK(!folder.has(name + ".part"));
    CHECK(same_results(folder / "whole.h5", folder / name));
  }
  CHECK(killed > 3);
  CHECK(readable > 2);
  CHECK(resumed > 0);
}

namespace {

/// Writes a run with the contacts of every step until it is killed or done. Tells each checkpoint to `tell`.
/// `before`: asked before the checkpoint of step `at`, or the end if that is there.
int write_run(const saltus::Scene& scene, const std::string& path, bool resume, long long steps,
              int tell, long long at = -1, const std::function<bool()>& before = {}) {
  const saltus::Model model = saltus::build(scene);
  const std::string resolved = saltus::write_scene(scene.spec);
  saltus::ResultsOptions options;
  options.step_contacts = true;
  saltus::Simulation sim =
      resume ? saltus::Simulation(model, saltus::read_checkpoint(path + ".part", model))
             : saltus::Simulation(model);
  std::vector<double> probes(model.probes().size());
  const auto hear = [&] {
    for (std::size_t i = 0; i < probes.size(); ++i) probes[i] = sim.probe(static_cast<int>(i));
  };
  saltus::ResultsWriter out =
      resume ? saltus::ResultsWriter::resume(path + ".part", model, scene.text, resolved, options)
             : saltus::ResultsWriter(path, model, scene.text, resolved, options);
  hear();
  if (!resume) out.start(sim.state(), probes);
  while (static_cast<long long>(sim.state().step) < steps) {
    const saltus::StepReport report = sim.advance();
    hear();
    out.record(report, sim.state(), probes);
    if (sim.state().step % 100 == 0) {
      std::vector<saltus::Vector> v;
      for (const saltus::GroupState& group : sim.state().groups) v.push_back(group.v);
      out.frame(sim.state(), v, {}, sim.contacts());
    }
    const bool now = static_cast<long long>(sim.state().step) == at;
    if (now) out.drain();
    if (now && !before()) return 4;
    if (sim.state().step % 700 == 0) {
      out.checkpoint(sim.state());
      if (tell >= 0 && ::write(tell, "c", 1) != 1) return 3;
    } else if (sim.state().step % 97 == 0) {
      out.hand_over();
    }
  }
  out.finish(sim.state(), {});
  return 0;
}

/// write_run() in a child that is killed so long after its checkpoint number `count`. Returns its code, -9 where it was killed.
int killed_run(const saltus::Scene& scene, const std::string& path, bool resume, long long steps,
               int count, std::chrono::microseconds later) {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::close(pipe[0]);
    ::_exit(write_run(scene, path, resume, steps, pipe[1]));
  }
  ::close(pipe[1]);
  char mark = 0;
  for (int k = 0; k < count; ++k)
    if (::read(pipe[0], &mark, 1) != 1) break;
  kill_after(child, later);
  ::close(pipe[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_CASE(
    "contacts of every step are whole after a kill, and go on bit for bit from the checkpoint") {
  const Folder folder;
  const saltus::Scene scene = saltus::read_scene_text(killed_scene(3'000), "scene.yaml");
  constexpr long long kSteps = 4'000;
  REQUIRE(write_run(scene, folder / "whole.h5", false, kSteps, -1) == 0);
  const ResultsReader whole(folder / "whole.h5");
  std::mt19937 random(4);
  int killed = 0;
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    const std::string path = folder / ("b" + std::to_string(round) + ".h5");
    // within the flushes and checkpoints that come next: those take some hundred microseconds each
    int code = killed_run(scene, path, false, kSteps, 1 + round % 3,
                          std::chrono::microseconds(random() % 12'000));
    if (code == -SIGKILL) {
      ++killed;
      const ResultsReader part(path + ".part");
      CHECK(check_rows(whole, part) > 700U);  // row 0 and the 700 of the first checkpoint
      code = write_run(scene, path, true, kSteps, -1);
    }
    REQUIRE(code == 0);
    CHECK(same_results(folder / "whole.h5", path));
    const auto compare = [&](const char* table) {
      CHECK(whole.hdf5().dataset(table).reals() ==
            ResultsReader(path).hdf5().dataset(table).reals());
    };
    for (const char* table : {"step_contacts/offset", "step_contacts/key", "step_contacts/impulse"})
      compare(table);
  }
  CHECK(killed > 1);
}

namespace {

/// The next call of this kind ends the process, as SIGKILL would. False where the system has no such filter.
bool die_at(unsigned call, bool only_at_offset_0 = false) {
#if defined(__x86_64__) || defined(__aarch64__)
  constexpr unsigned kNumber = offsetof(seccomp_data, nr),
                     kOffset = offsetof(seccomp_data, args) + 24;
  std::vector<sock_filter> filter{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, static_cast<__u8>(only_at_offset_0 ? 3 : 1))};
  if (only_at_offset_0) {  // 32 bits of it do
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kOffset));
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
  static_cast<void>(call), static_cast<void>(only_at_offset_0);
  return false;
#endif
}

#ifdef __NR_rename
constexpr unsigned kRename = __NR_rename;
#else
constexpr unsigned kRename = __NR_renameat;
#endif

}  // namespace

TEST_CASE(
    "a death in the midst of a checkpoint or of the last rename loses nothing that was flushed "
    "before") {
  const Folder folder;
  const saltus::Scene scene = saltus::read_scene_text(killed_scene(3'000), "scene.yaml");
  const saltus::Model model = saltus::build(scene);
  constexpr long long kSteps = 900;
  REQUIRE(write_run(scene, folder / "whole.h5", false, kSteps, -1) == 0);
  const ResultsReader whole(folder / "whole.h5");
  struct Death {
    std::string where;
    unsigned call;
    bool at_0;
    long long steps;        ///< that the run is to make: 700 ends with a checkpoint
    std::size_t rows;       ///< that must be there
    std::uint64_t resumes;  ///< step from which it goes on
  };
  const std::array<Death, 5> deaths{{
      // the checkpoint of step 700 is written page by page: pages behind the old end, an appendix, then in place
      {"in the first page of a checkpoint that is written in place", __NR_pwrite64, true, kSteps,
       701, 700},
      {"when its appendix is cut off", __NR_ftruncate, false, kSteps, 701, 700},
      {"before the last checkpoint is in place", __NR_pwrite64, true, 0, 901, 900},
      {"before the file is forced to the disk", __NR_fsync, false, 0, 901, 900},
      {"before it gets its name", kRename, false, 0, 901, 900},
  }};
  for (const Death& death : deaths) {
    CAPTURE(death.where);
    const std::string path = folder / "c.h5";
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      const bool at_end = death.steps == 0;
      ::_exit(write_run(scene, path, false, kSteps, -1, at_end ? kSteps : 700,
                        [&] { return die_at(death.call, death.at_0); }));
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 4) SALTUS_SKIP("no filter of system calls");
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGSYS);
    {
      const ResultsReader part(path + ".part");
      CHECK(check_rows(whole, part) == death.rows);
    }
    CHECK(saltus::read_checkpoint(path + ".part", model).step == death.resumes);
    REQUIRE(write_run(scene, path, true, kSteps, -1) == 0);
    CHECK(same_results(folder / "whole.h5", path));
  }
}
