// A file that a run still writes to: its readers see one of its flushes, never parts of two.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "saltus/results/atomic_file.h"
#include "saltus/results/layout.h"
#include "saltus/results/results.h"
#include "saltus/results/results_reader.h"
#include "unit/results/support.h"

using namespace saltus;
using io_test::FakeRun;
using io_test::Folder;

namespace {

void go_on(ResultsWriter& out, FakeRun& run, std::uint64_t last) {
  while (run.state.step < last) {
    run.advance();
    out.record(run.report, run.state, run.probes);
    if (run.state.step % 7 == 0) out.frame(run.state, run.velocities);
  }
}

std::uint64_t count_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(AtomicFile::kCount));
  std::uint64_t count = 0;
  file.read(reinterpret_cast<char*>(&count), sizeof count);
  return count;
}

}  // namespace

TEST_CASE(
    "results_reader of a growing file has the rows of its opening; who reads the file itself is "
    "told that there are more") {
  const Folder folder;
  const Model model = io_test::make_model();
  FakeRun run(model);
  ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
  out.start(run.state, run.probes);
  go_on(out, run, 5'000);
  out.drain();
  const std::uint64_t before = count_of(folder / "a.h5.part");
  CHECK(before % 2 == 0);
  const ResultsReader old(folder / "a.h5.part");
  const h5::File direct = h5::File::read(folder / "a.h5.part");
  CHECK(old.rows() == 5'001);
  CHECK(old.step("time").back() == run.state.t);
  go_on(out, run, 9'000);  // in memory: nobody sees it yet
  CHECK(old.step("kinetic").size() == 5'001);
  CHECK(count_of(folder / "a.h5.part") == before);
  out.drain();
  CHECK(count_of(folder / "a.h5.part") == before + 2);
  CHECK_THROWS_AS(direct.dataset("step/potential").reals(), h5::Changed);
  CHECK_THROWS_AS(direct.has("bodies/string/q"), h5::Changed);  // not "no"
  CHECK(old.step("potential").size() == 5'001);                 // as it was when it was opened
  CHECK(old.has("string", "q"));
  CHECK(old.body("string", "q", 0, old.frames()).size() ==
        old.frames() * old.bodies().front().positions);
  const ResultsReader later(folder / "a.h5.part");
  CHECK(later.rows() == 9'001);
  CHECK(later.step("time").back() == run.state.t);
  out.finish(run.state, {});
  const ResultsReader whole(folder / "a.h5");
  CHECK(whole.finished());
  CHECK(whole.step("potential").size() == 9'001);
}

TEST_CASE("results_writer that is dropped leaves all that was recorded, in tables of one length") {
  const Folder folder;
  const Model model = io_test::make_model();
  for (const std::uint64_t last : {1'300, 5'000, 20'000}) {
    CAPTURE(last);
    FakeRun run(model);
    {
      ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
      out.start(run.state, run.probes);
      go_on(out, run, 200);
      out.checkpoint(run.state);
      for (std::uint64_t to = 300; to <= last; to += 100) {
        go_on(out, run, to);
        out.hand_over();
      }
      go_on(out, run, last + 50);
    }
    const ResultsReader left(folder / "a.h5.part");
    CHECK_FALSE(left.finished());
    CHECK(left.rows() == last + 51);
    CHECK(left.frames() == (last + 50) / 7);
    CHECK(left.step("time").size() == last + 51);
    CHECK(left.step("kinetic").size() == last + 51);
    CHECK(left.body("string", "q", 0, left.frames()).size() ==
          left.frames() * left.bodies().front().positions);
    std::filesystem::remove(folder / "a.h5.part");
  }
}

TEST_CASE("results_file of a short run is flushed midway, and of a long one every 8192 rows") {
  const Folder folder;
  const Model model = io_test::make_model();
  for (const auto& [expected, first] :
       {std::pair<std::uint64_t, std::size_t>{400, 201}, {0, 8192}}) {
    CAPTURE(expected);
    FakeRun run(model);
    ResultsOptions options;
    options.expected_steps = expected;
    options.own_thread = false;  // so that what is flushed is there
    ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved(), options);
    const std::uint64_t empty = count_of(folder / "a.h5.part");
    out.start(run.state, run.probes);
    std::size_t rows = 1;
    while (count_of(folder / "a.h5.part") == empty && rows < 20'000) {
      run.advance();
      out.record(run.report, run.state, run.probes);
      ++rows;
      if (out.wants_drain()) out.hand_over();
    }
    CHECK(rows >= first - 1);
    CHECK(rows <= first + first / 2);
    CHECK(ResultsReader(folder / "a.h5.part").rows() == rows);
  }
}

TEST_CASE("results_file that is read while it is flushed again and again is never torn") {
  const Folder folder;
  const Model model = io_test::make_model();
  const std::string part = folder / "a.h5.part";
  const pid_t writer = ::fork();
  REQUIRE(writer >= 0);
  if (writer == 0) {
    FakeRun run(model);
    ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
    out.start(run.state, run.probes);
    for (std::uint64_t last = 50;; last += 50) {  // until it is killed
      go_on(out, run, last);
      if (last % 500 == 0)
        out.checkpoint(run.state);
      else
        out.drain();
      ::usleep(2'000);
    }
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(600);
  int whole = 0;
  std::size_t rows = 0;
  bool torn = false;
  while (std::chrono::steady_clock::now() < until || whole == 0) {
    try {
      const ResultsReader reader(part);
      const std::vector<double> time = reader.step("time"), kinetic = reader.step("kinetic"),
                                frames = reader.frame_times();
      std::vector<double> q = reader.body("string", "q", 0, reader.frames());
      if (reader.rows() == 0) continue;  // of the flush of the tables alone
      ++whole;
      torn = torn || reader.rows() % 50 != 1 || reader.frames() != (reader.rows() - 1) / 7 ||
             time.size() != reader.rows() || kinetic.size() != reader.rows() ||
             reader.rows() < rows;
      for (std::size_t k = 1; k < time.size(); ++k) torn = torn || !(time[k] > time[k - 1]);
      for (std::size_t k = 0; k < frames.size(); ++k) torn = torn || frames[k] != time[7 * (k + 1)];
      rows = reader.rows();
    } catch (const h5::Changed&) {
      torn = true;                       // what was opened stays as it was
    } catch (const SceneError& error) {  // not there yet
      if (rows > 0) FAIL(error.what());
    }
    if (whole == 0 && std::chrono::steady_clock::now() > until + std::chrono::seconds(20)) break;
  }
  ::kill(writer, SIGKILL);
  REQUIRE(::waitpid(writer, nullptr, 0) == writer);
  CHECK_FALSE(torn);
  CHECK(whole > 0);
  CHECK(rows > 50);
  const ResultsReader left(part);  // and what the killed writer left is whole
  CHECK(left.rows() >= rows);
  CHECK(left.rows() % 50 == 1);
}

TEST_CASE("results_that changed while they were read are no damaged ones, and are read again") {
  const Folder folder;
  const Model model = io_test::make_model();
  FakeRun run(model);
  ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
  out.start(run.state, run.probes);
  out.checkpoint(run.state);
  const std::string part = folder / "a.h5.part";
  const auto read = [&](int disturbed) {  // a flush lies between opening and reading, that often
    return read_settled([&, times = 0]() mutable {
      const h5::File file = layout::open(part, false);
      if (times++ < disturbed) {
        go_on(out, run, run.state.step + 10);
        out.drain();
      }
      try {
        return file.dataset("step/time").reals().size();
      } catch (const h5::Error& error) {
        layout::damaged(part, error);
      }
    });
  };
  CHECK(read(3) == 31);
  const std::string told = io_test::message<RunError>([&] { read(1'000); });
  CHECK(told ==
        part + ": the run writes faster than the file can be read; wait until it ends, or stop it");
}

TEST_CASE("results_that were never flushed hold no checkpoint yet") {
  const Folder folder;
  const std::string part = folder / "a.h5.part";
  {
    AtomicFile file;
    REQUIRE(file.open(part.c_str(), O_RDWR | O_CREAT, true) == 0);
    const std::string zeros(2'048, '\0');
    REQUIRE(file.write(AtomicFile::kHead, zeros.data(), zeros.size()) == 0);
  }
  const auto told = [&] {
    return io_test::message<SceneError>([&] { read_checkpoint(part, io_test::make_model()); });
  };
  CHECK(told().find("contains no checkpoint yet") != std::string::npos);
  CHECK(told().find("without --resume") != std::string::npos);
  io_test::put(part, std::string(4'096, '\0'));
  CHECK(told().find("is not a results file of Saltus") != std::string::npos);
}
