// Results files: what is in them, how they come to be, and that they survive trouble.
#include "saltus/results/results.h"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstring>

#include "saltus/results/info.h"
#include "saltus/results/results_reader.h"
#include "support/skip.h"
#include "unit/results/support.h"

using namespace saltus;
using io_test::bytes_of;
using io_test::exists;
using io_test::FakeRun;
using io_test::Folder;
using io_test::message;

namespace {

/// A finished file of `steps` steps with a frame every 10 steps.
FakeRun write_run(const std::string& path, const Model& model, int steps) {
  ResultsOptions options;
  options.provenance.command_line = "saltus run test.yaml";
  options.probe_at = {"0.3 m"};
  ResultsWriter out(path, model, io_test::kScene, io_test::resolved(), options);
  FakeRun run(model);
  out.start(run.state, run.probes);
  out.frame(run.state, run.velocities);
  for (int k = 0; k < steps; ++k) {
    run.advance();
    out.record(run.report, run.state, run.probes);
    if (run.state.step % 10 == 0) out.frame(run.state, run.velocities);
  }
  out.finish(run.state, {.wall_time = 0.5});
  return run;
}

bool same(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), 8 * static_cast<std::size_t>(a.size())) == 0;
}

bool same(const State& a, const State& b) {
  bool equal = a.t == b.t && a.step == b.step && a.h == b.h && a.groups.size() == b.groups.size() &&
               a.contacts.size() == b.contacts.size() && a.solvers.size() == b.solvers.size() &&
               a.energy.kinetic == b.energy.kinetic && a.energy.potential == b.energy.potential &&
               a.energy_start == b.energy_start && a.ledger == b.ledger;
  for (std::size_t g = 0; equal && g < a.groups.size(); ++g) {
    const GroupState &x = a.groups[g], &y = b.groups[g];
    equal = same(x.q, y.q) && same(x.v, y.v) && x.memory.size() == y.memory.size();
    for (std::size_t k = 0; equal && k < x.memory.size(); ++k)
      equal = same(x.memory[k], y.memory[k]);
  }
  for (std::size_t i = 0; equal && i < a.contacts.size(); ++i)
    equal = a.contacts[i].key == b.contacts[i].key &&
            same(a.contacts[i].impulse, b.contacts[i].impulse) &&
            same(a.contacts[i].moment, b.contacts[i].moment);
  for (std::size_t i = 0; equal && i < a.solvers.size(); ++i)
    equal = a.solvers[i].active == b.solvers[i].active &&
            a.solvers[i].factor == b.solvers[i].factor &&
            a.solvers[i].changes == b.solvers[i].changes;
  return equal;
}

}  // namespace

TEST_CASE("results_file holds every row, frame and contact of the run") {
  const Folder folder;
  const Model model = io_test::make_model();
  const int steps = 10'000;  // several blocks
  write_run(folder / "a.h5", model, steps);
  CHECK_FALSE(exists(folder / "a.h5.part"));

  const ResultsReader results(folder / "a.h5");
  CHECK(results.finished());
  CHECK(results.title() == "Test");
  CHECK(results.scene() == io_test::kScene);
  CHECK(results.resolved() == io_test::resolved());
  CHECK(results.rate() == 8000.0);
  REQUIRE(results.rows() == steps + 1);
  REQUIRE(results.frames() == steps / 10 + 1);
  CHECK(results.accounts().size() == model.accounts().size());
  REQUIRE(results.probes().size() == 2);
  CHECK(results.probes()[0].name == "pickup");
  CHECK(results.probes()[0].unit == "m/s");
  CHECK(results.probes()[0].at == "0.3 m");
  CHECK(results.probes()[0].delay == 0.5 / 8000.0);  // modal-exact: backward difference
  CHECK(results.probes()[1].delay == 0.0);
  REQUIRE(results.bodies().size() == 2);
  CHECK(results.bodies()[1].name == "bar%2F1");

  const auto time = results.step("time"), gap = results.step("gap"),
             contacts = results.step("contacts"), converged = results.step("converged"),
             kinetic = results.step("kinetic"), impact = results.ledger("impact"),
             pickup = results.probe("pickup"), middle = results.probe("middle"),
             frame_time = results.frame_times(),
             q = results.body("string", "q", 0, results.frames()),
             velocity = results.body("bar%2F1", "velocity", 0, results.frames());
  const auto offset = results.hdf5().dataset("contacts/offset").counts();
  const auto key = results.hdf5().dataset("contacts/key").counts();
  const auto impulse = results.hdf5().dataset("contacts/impulse").reals();
  REQUIRE(offset.size() == results.frames() + 1);
  std::size_t account = 0;
  while (model.accounts()[account] != "impact") ++account;

  FakeRun run(model);
  std::size_t wrong = 0, frame = 0;
  for (std::size_t row = 0; row <= steps; ++row) {
    wrong += time[row] != run.state.t || kinetic[row] != run.state.energy.kinetic ||
             impact[row] != run.state.ledger[account] || pickup[row] != run.probes[0] ||
             middle[row] != run.probes[1] || contacts[row] != run.report.contacts ||
             converged[row] != (run.report.converged ? 1.0 : 0.0);
    if (row > 0) wrong += gap[row] != run.report.gap;
    if (row % 10 == 0) {
      wrong += frame_time[frame] != run.state.t;
      for (std::size_t i = 0; i < 5; ++i)
        wrong += q[5 * frame + i] != run.state.groups[0].q[static_cast<Eigen::Index>(i)];
      for (std::size_t i = 0; i < 3; ++i)
        wrong += velocity[3 * frame + i] != run.velocities[1][static_cast<Eigen::Index>(i)];
      REQUIRE(offset[frame + 1] - offset[frame] == run.state.contacts.size());
      for (std::size_t i = 0; i < run.state.contacts.size(); ++i)
        wrong += key[offset[frame] + i] != run.state.contacts[i].key ||
                 impulse[3 * (offset[frame] + i)] != run.state.contacts[i].impulse[0];
      ++frame;
    }
    run.advance();
  }
  CHECK(wrong == 0);
  CHECK(gap[0] == std::numeric_limits<double>::infinity());
}

TEST_CASE("results_summary and info tell the worst numbers and where they were") {
  const Folder folder;
  const Model model = io_test::make_model();
  write_run(folder / "a.h5", model, 100);
  const ResultsReader results(folder / "a.h5");
  const auto residual = results.step("residual");
  const auto worst = std::max_element(residual.begin(), residual.end());
  const std::string summary = results.summary(), text = info_text(results),
                    json = info_json(results);
  CHECK(summary.find("\"steps\": 100") != std::string::npos);
  CHECK(summary.find("\"failed_steps\": 5") != std::string::npos);  // 17, 34, ...
  CHECK(summary.find("\"row\": " + std::to_string(worst - residual.begin())) != std::string::npos);
  CHECK(text.find("run           complete") != std::string::npos);
  CHECK(text.find("steps         100 to 0.0125 s, 8000 Hz") != std::string::npos);
  CHECK(text.find("not converged 5 steps") != std::string::npos);
  CHECK(text.find("probe         pickup: velocity [m/s] of string at 0.3 m") != std::string::npos);
  CHECK(json.find("\"failed_steps\": 5") != std::string::npos);
  CHECK(json.find("\"finished\": true") != std::string::npos);
}

TEST_CASE("results_checkpoint brings the state back bit for bit") {
  const Folder folder;
  const Model model = io_test::make_model();
  ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
  FakeRun run(model);
  for (int k = 0; k < 60; ++k) {
    run.advance();
    out.record(run.report, run.state, run.probes);
    if (k % 7 == 0) {
      out.checkpoint(run.state);
      CHECK(same(read_checkpoint(folder / "a.h5.part", model), run.state));
    }
  }
  out.finish(run.state, {});
  CHECK(same(read_checkpoint(folder / "a.h5", model), run.state));
}

TEST_CASE("results_of a killed run are readable, up to the last flush") {
  const Folder folder;
  const Model model = io_test::make_model();
  const pid_t child = ::fork();
  if (child == 0) {
    ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
    FakeRun run(model);
    out.start(run.state, run.probes);
    for (int k = 0; k < 30'000; ++k) {
      run.advance();
      out.record(run.report, run.state, run.probes);
      if (run.state.step == 100 || run.state.step == 200) out.checkpoint(run.state);
      if (run.state.step == 20'000) out.drain();
    }
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  CHECK_FALSE(exists(folder / "a.h5"));
  const ResultsReader results(folder / "a.h5.part");
  CHECK_FALSE(results.finished());
  CHECK(results.rows() > 20'000);
  CHECK(info_text(results).find("not finished, checkpoint at step 200") != std::string::npos);
  FakeRun run(model);
  for (int k = 0; k < 200; ++k) run.advance();
  CHECK(same(read_checkpoint(folder / "a.h5.part", model), run.state));
}

TEST_CASE(
    "results_written by a thread of their own are, byte for byte, those written by the caller") {
  const Folder folder;
  const Model model = io_test::make_model();
  for (const bool own_thread : {true, false}) {
    ResultsOptions options;
    options.own_thread = own_thread;
    const std::string name = folder / (own_thread ? "a.h5" : "b.h5");
    ResultsWriter out(name, model, io_test::kScene, io_test::resolved(), options);
    FakeRun run(model);
    out.start(run.state, run.probes);
    while (run.state.step < 40'000) {
      run.advance();
      out.record(run.report, run.state, run.probes);
      if (run.state.step % 10 == 0) out.frame(run.state, run.velocities);
      if (run.state.step == 7'000) out.checkpoint(run.state);
      if (out.wants_drain()) out.hand_over();
    }
    out.finish(run.state, {});
  }
  CHECK(bytes_of(folder / "a.h5") == bytes_of(folder / "b.h5"));
}

TEST_CASE(
    "results_the start of a step stands in the frame at its end, through hand-overs and steps that "
    "failed") {
  const Folder folder;
  const Model model = io_test::make_model(100);
  ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
  FakeRun run(model);
  std::vector<std::vector<GroupState>> starts;
  while (run.state.step < 60) {
    const std::vector<GroupState> start = run.state.groups;
    const std::uint64_t k = run.state.step;
    const bool known = k % 5 != 0;
    run.advance();
    if (k % 4 == 0 && known) out.begin_step(run.state.groups);  // of a step that failed
    if (known) out.begin_step(start);
    if (k % 7 == 0) out.hand_over();
    out.record(run.report, run.state, run.probes);
    if (k % 11 == 0) out.checkpoint(run.state);
    out.frame(run.state, run.velocities);
    starts.push_back(known ? start : std::vector<GroupState>{});
  }
  out.begin_step(run.state.groups);  // and no frame
  out.finish(run.state, {});
  const h5::File file = h5::File::read(folder / "a.h5");
  const std::array names{"string", "bar%2F1"};
  for (std::size_t g = 0; g < names.size(); ++g)
    for (const bool velocity : {false, true}) {
      const std::string table =
          std::string("bodies/") + names[g] + (velocity ? "/step/v0" : "/step/q0");
      CAPTURE(table);
      const std::vector<double> stored = file.dataset(table).reals();
      const auto n = static_cast<std::size_t>(model.initial()[g].q.size());
      REQUIRE(stored.size() == n * starts.size());
      for (std::size_t k = 0; k < starts.size(); ++k)
        for (std::size_t i = 0; i < n; ++i) {
          const double is = stored[k * n + i];
          if (starts[k].empty()) {
            CHECK(std::isnan(is));
            continue;
          }
          const Vector& row = velocity ? starts[k][g].v : starts[k][g].q;
          CHECK(is == row[static_cast<Eigen::Index>(i)]);
        }
    }
}

TEST_CASE(
    "results_a fault of the thread that writes is told at the next call, and takes the part away") {
  const Folder folder;
  const Model model = io_test::make_model();
  const int status = io_test::with_file_size_limit(200'000, [&] {
    ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
    FakeRun run(model);
    out.start(run.state, run.probes);
    int calls = 0;
    const std::string told = message<RunError>([&] {
      for (; calls < 500; ++calls) {  // more than may wait, or a slow thread were never met
        for (int k = 0; k < 2'000; ++k) {
          run.advance();
          out.record(run.report, run.state, run.probes);
        }
        out.hand_over();
      }
    });
    if (told.find("File too large") == std::string::npos || calls == 0 || calls == 500) return 1;
    return message<RunError>([&] { out.drain(); }).find("an earlier write failed") ==
                   std::string::npos
               ? 2
               : 0;
  });
  CHECK(status == 0);
  CHECK_FALSE(exists(folder / "a.h5.part"));
}

TEST_CASE("results_wall times of steps stand in a table of their own") {
  const Folder folder;
  const Model model = io_test::make_model();
  ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
  FakeRun run(model);
  out.start(run.state, run.probes);
  run.advance();
  out.record(run.report, run.state, run.probes, 1.25e-6);
  out.finish(run.state, {});
  const std::vector<double> wall = h5::File::read(folder / "a.h5").dataset("timing/step").reals();
  REQUIRE(wall.size() == 2);
  CHECK(wall[0] == 0.0);
  CHECK(std::abs(wall[1] - 1.25e-6) < 1e-9);
}

TEST_CASE("results_hold the contacts of every step where they are asked for, resumed runs too") {
  const Folder folder;
  const Model model = io_test::make_model();
  ResultsOptions options;
  options.step_contacts = true;
  std::vector<std::uint64_t> key, offset{0, 0};
  FakeRun run(model);
  const auto go_on = [&](ResultsWriter& out, std::uint64_t last) {
    while (run.state.step < last) {
      run.advance();
      out.record(run.report, run.state, run.probes);
      for (const ContactMemory& contact : run.state.contacts) key.push_back(contact.key);
      offset.push_back(key.size());
    }
  };
  {
    ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved(), options);
    out.start(run.state, run.probes);
    go_on(out, 50);
    out.checkpoint(run.state);
    FakeRun lost = run;
    lost.advance();
    out.record(lost.report, lost.state, lost.probes);
    out.drain();
  }
  ResultsWriter out = ResultsWriter::resume(folder / "a.h5.part", model, io_test::kScene,
                                            io_test::resolved(), options);
  go_on(out, 90);
  out.finish(run.state, {});
  const h5::File file = h5::File::read(folder / "a.h5");
  CHECK(file.dataset("step_contacts/offset").counts() == offset);
  CHECK(file.dataset("step_contacts/key").counts() == key);
  CHECK(file.dataset("step_contacts/impulse").rows() == key.size());
}

TEST_CASE("results_frames without contacts hold places and velocities alone, resumed runs too") {
  const Folder folder;
  const Model model = io_test::make_model();
  ResultsOptions options;
  options.frame_contacts = false;
  FakeRun run(model);
  const auto go_on = [&](ResultsWriter& out, std::uint64_t last) {
    while (run.state.step < last) {
      out.begin_step(run.state.groups);
      run.advance();
      out.record(run.report, run.state, run.probes);
      out.frame(run.state, run.velocities);
    }
  };
  {
    ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved(), options);
    out.start(run.state, run.probes);
    go_on(out, 20);
    CHECK(!run.state.contacts.empty());
    out.checkpoint(run.state);
  }
  ResultsWriter out = ResultsWriter::resume(folder / "a.h5.part", model, io_test::kScene,
                                            io_test::resolved(), options);
  go_on(out, 30);
  out.finish(run.state, {});
  const h5::File file = h5::File::read(folder / "a.h5");
  CHECK(file.dataset("contacts/offset").counts() == std::vector<std::uint64_t>(31, 0));
  CHECK(file.dataset("contacts/key").rows() == 0);
  CHECK_FALSE(file.group("bodies/string").has("step"));
  CHECK(file.dataset("bodies/string/q").rows() == 30);
  CHECK(file.dataset("frames/crc32").rows() == 30);
}

TEST_CASE("results_can be read while the run goes on") {
  const Folder folder;
  const Model model = io_test::make_model();
  ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
  FakeRun run(model);
  out.start(run.state, run.probes);
  out.drain();
  CHECK(ResultsReader(folder / "a.h5.part").rows() == 1);
  run.advance();
  out.record(run.report, run.state, run.probes);
  out.drain();
  CHECK(ResultsReader(folder / "a.h5.part").rows() == 2);
}

TEST_CASE("results_without rows or a checkpoint are removed when the run gives up, others stay") {
  const Folder folder;
  const Model model = io_test::make_model();
  const FakeRun run(model);
  {
    ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
    ResultsWriter kept(folder / "b.h5", model, io_test::kScene, io_test::resolved());
    kept.checkpoint(run.state);
    CHECK(exists(folder / "a.h5.part"));
    ResultsWriter rows(folder / "c.h5", model, io_test::kScene, io_test::resolved());
    rows.start(run.state, run.probes);
    ResultsWriter worthless(folder / "d.h5", model, io_test::kScene, io_test::resolved());
    worthless.start(run.state, run.probes);
    worthless.drain();
    worthless.discard();
  }
  CHECK(ResultsReader(folder / "c.h5.part").rows() == 1);
  CHECK_FALSE(exists(folder / "d.h5.part"));
  CHECK_FALSE(exists(folder / "a.h5.part"));
  CHECK(exists(folder / "b.h5.part"));
  CHECK(resumable_file(folder / "b.h5") == folder / "b.h5.part");
}

TEST_CASE(
    "results_on a full disk fail with one line that tells what is left, and the program ends in "
    "good order") {
  const Folder folder;
  const Model model = io_test::make_model();
  for (rlim_t limit : {2'000, 20'000, 60'000, 200'000, 400'000}) {
    CAPTURE(limit);
    const int result = io_test::with_file_size_limit(limit, [&] {
      const std::string text = message<RunError>([&] {
        ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
        FakeRun run(model);
        out.checkpoint(run.state);
        for (int k = 0; k < 40'000; ++k) {
          run.advance();
          out.record(run.report, run.state, run.probes);
        }
        out.finish(run.state, {});
      });
      return text.find("File too large") != std::string::npos &&
                     text.find('\n') == std::string::npos
                 ? text.find(" and the checkpoint of step 0; --resume") != std::string::npos ? 2
                   : text.find("is removed: it contained no rows yet") != std::string::npos  ? 0
                                                                                             : 3
                 : 1;
    });
    CHECK(result == (exists(folder / "a.h5.part") ? 2 : 0));
    CHECK(result == (limit < 100'000 ? 0 : 2));
    CHECK_FALSE(exists(folder / "a.h5"));
  }
}

TEST_CASE("results_cannot be begun where no file can be") {
  const Model model = io_test::make_model();
  const std::string text = message<SceneError>(
      [&] { ResultsWriter out("/proc/a.h5", model, io_test::kScene, io_test::resolved()); });
  CHECK(text.find("/proc/a.h5.part: cannot be written: ") == 0);
}

TEST_CASE("results_reader refuses what is not a results file") {
  const Folder folder;
  const auto attempt = [&](const std::string& path) {
    return message<SceneError>([&] { ResultsReader results(path); });
  };
  CHECK(attempt(folder / "none.h5").find("cannot be read: No such file") != std::string::npos);
  io_test::put(folder / "text.h5", "text");
  CHECK(attempt(folder / "text.h5").find("is not a results file of Saltus") != std::string::npos);
  {
    h5::File file = h5::File::create(folder / "foreign.h5");
    file.write("x", std::vector{1.0});
    h5::File newer = h5::File::create(folder / "newer.h5");
    newer.set("format", "saltus-results");
    newer.set("version", std::int64_t{2});
    h5::File empty = h5::File::create(folder / "empty.h5");
    empty.set("format", "saltus-results");
    empty.set("version", std::int64_t{1});
  }
  CHECK(attempt(folder / "foreign.h5").find("is not a results file of Saltus") !=
        std::string::npos);
  CHECK(attempt(folder / "newer.h5").find("has version 2 of the results format") !=
        std::string::npos);
  CHECK(attempt(folder / "empty.h5").find("is damaged") != std::string::npos);
}

TEST_CASE("results_record is cheap") {
  const Folder folder;
  const Model model = io_test::make_model();
  ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
  const FakeRun run(model);
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < 4096; ++k) out.record(run.report, run.state, run.probes);
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    best = std::min(best, spent.count() / 4096);
    out.drain();
  }
  MESSAGE("record(): " << best << " ns a row");
  CHECK(best <
        2000.0);  // far above what it takes (50 ns), far below a write to disk or a compression
}

TEST_CASE("results_are read by h5py with the values that were written") {
  if (std::system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0)
    SALTUS_SKIP("python3 has no h5py");
  const Folder folder;
  const Model model = io_test::make_model();
  const FakeRun run = write_run(folder / "a.h5", model, 50);
  char pickup[40];
  std::snprintf(pickup, sizeof pickup, "%.17g", run.probes[0]);
  io_test::put(folder / "read.py",
               std::string("import h5py, json, sys\n"
                           "f = h5py.File(sys.argv[1], 'r')\n"
                           "assert f.attrs['format'] in ('saltus-results', b'saltus-results')\n"
                           "assert f.attrs['version'] == 1\n"
                           "assert f['step/time'].shape == (51,)\n"
                           "assert f['step/time'][50] == 50 / 8000\n"
                           "assert f['step/contacts'].dtype == 'int32'\n"
                           "assert f['probes/pickup'][50] == ") +
                   pickup +
                   "\nassert f['bodies/string/q'].shape == (6, 5)\n"
                   "assert list(f['bodies/string/time'][:]) == list(f['frames/time'][:])\n"
                   "assert f['contacts/offset'].shape == (7,)\n"
                   "assert json.loads(f['summary'].asstr()[()])['steps'] == 50\n"
                   "assert 'caf\\u00e9' in f['scene'].asstr()[()]\n"
                   "assert f['checkpoint/a/q'].shape == (8,)\n"
                   "assert list(f['pairs/key'][:]) == [7, 9]\n");
  CHECK(std::system(
            ("/usr/bin/python3 " + (folder / "read.py") + " " + (folder / "a.h5")).c_str()) == 0);
}
