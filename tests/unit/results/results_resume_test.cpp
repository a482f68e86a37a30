// A run that was stopped and taken up again ends with the datasets of one that never stopped.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <filesystem>

#include "saltus/results/hdf5.h"
#include "saltus/results/results.h"
#include "saltus/results/results_reader.h"
#include "unit/results/support.h"

using namespace saltus;
using io_test::bytes_of;
using io_test::exists;
using io_test::FakeRun;
using io_test::Folder;
using io_test::message;

namespace {

constexpr std::uint64_t kSteps = 9'000;

ResultsWriter begin(const std::string& path, const Model& model) {
  return ResultsWriter(path, model, io_test::kScene, io_test::resolved());
}

/// Steps until `last`, a frame every 7 steps.
void go_on(ResultsWriter& out, FakeRun& run, std::uint64_t last) {
  while (run.state.step < last) {
    run.advance();
    out.record(run.report, run.state, run.probes);
    if (run.state.step % 7 == 0) out.frame(run.state, run.velocities);
  }
}

ResultsWriter take_up(const std::string& file, const Model& model, double end = 1.0) {
  return ResultsWriter::resume(file, model, io_test::kScene, io_test::resolved(end));
}

/// Names of the tables that differ in a bit, a size or a name.
std::string differences(const std::string& a, const std::string& b) {
  const h5::File x = h5::File::read(a), y = h5::File::read(b);
  std::string found;
  for (const char* folder :
       {"step", "ledger", "probes", "frames", "contacts", "pairs", "bodies/string",
        "bodies/string/step", "bodies/bar%2F1", "bodies/bar%2F1/step", "bodies/string/line",
        "drawing/instances", "checkpoint/a"}) {
    const h5::Group left = x.group(folder), right = y.group(folder);
    if (left.names() != right.names()) found += std::string(folder) + " ";
    for (const std::string& name : left.names()) {
      if (name == "line" || name == "step") continue;  // groups
      const std::vector<double> p = left.dataset(name).reals(), q = right.dataset(name).reals();
      const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
      if (!std::ranges::equal(p, q, {}, bits, bits))
        found += std::string(folder) + "/" + name + " ";
    }
  }
  if (x.dataset("summary").text() != y.dataset("summary").text()) found += "summary";
  return found;
}

/// The reference: never stopped.
void write_whole(const std::string& path, const Model& model, std::uint64_t steps = kSteps) {
  ResultsWriter out = begin(path, model);
  FakeRun run(model);
  out.start(run.state, run.probes);
  out.frame(run.state, run.velocities);
  go_on(out, run, steps);
  out.finish(run.state, {});
}

/// Stopped at the checkpoint of step `at`, having recorded `more` steps behind it.
void write_stopped(const std::string& path, const Model& model, std::uint64_t at,
                   std::uint64_t more) {
  ResultsWriter out = begin(path, model);
  FakeRun run(model);
  out.start(run.state, run.probes);
  out.frame(run.state, run.velocities);
  go_on(out, run, at / 2);
  out.checkpoint(run.state);
  go_on(out, run, at);
  out.checkpoint(run.state);
  go_on(out, run, at + more);
  out.drain();
}

}  // namespace

TEST_CASE("results_resumed run equals an uninterrupted one bit for bit") {
  const Folder folder;
  const Model model = io_test::make_model();
  write_whole(folder / "whole.h5", model);
  write_stopped(folder / "a.h5", model, 5'003, 1'500);
  for (std::uint64_t stop :
       {7'001u, 8'000u}) {  // twice more, once without a step behind the checkpoint
    FakeRun run(model, read_checkpoint(folder / "a.h5.part", model));
    ResultsWriter out = take_up(folder / "a.h5.part", model);
    go_on(out, run, stop);
    out.checkpoint(run.state);
    if (stop == 7'001u) go_on(out, run, stop + 100);
  }
  FakeRun run(model, read_checkpoint(folder / "a.h5.part", model));
  CHECK(run.state.step == 8'000);
  ResultsWriter out = take_up(folder / "a.h5.part", model);
  go_on(out, run, kSteps);
  out.finish(run.state, {});
  CHECK(differences(folder / "whole.h5", folder / "a.h5") == "");
  CHECK_FALSE(exists(folder / "a.h5.part"));
}

TEST_CASE("results_of a finished run can be prolonged, and stay as they are until then") {
  const Folder folder;
  const Model model = io_test::make_model();
  write_whole(folder / "whole.h5", model);
  write_whole(folder / "a.h5", model, 4'000);
  const std::string before = bytes_of(folder / "a.h5");
  {
    ResultsWriter abandoned = take_up(folder / "a.h5", model);
    CHECK(exists(folder / "a.h5.part"));
  }
  CHECK(bytes_of(folder / "a.h5") == before);
  CHECK(resumable_file(folder / "a.h5") == folder / "a.h5.part");
  FakeRun run(model, read_checkpoint(folder / "a.h5", model));
  ResultsWriter out = take_up(folder / "a.h5", model, 2.0);
  go_on(out, run, kSteps);
  out.finish(run.state, {});
  CHECK(differences(folder / "whole.h5", folder / "a.h5") == "");
  CHECK(ResultsReader(folder / "a.h5").resolved() == io_test::resolved(2.0));
}

TEST_CASE("results_torn checkpoint is passed over for the one before it") {
  const Folder folder;
  const Model model = io_test::make_model();
  write_stopped(folder / "a.h5", model, 100, 0);
  {
    h5::File file = h5::File::modify(folder / "a.h5.part");  // slot b holds step 100, a step 50
    file.remove("checkpoint/b/v");
    std::vector<double> v(8, 0.25);
    file.group("checkpoint/b").write("v", v);
    file.close();
  }
  CHECK(read_checkpoint(folder / "a.h5.part", model).step == 50);
  write_whole(folder / "whole.h5", model, 300);
  FakeRun run(model, read_checkpoint(folder / "a.h5.part", model));
  ResultsWriter out = take_up(folder / "a.h5.part", model);
  go_on(out, run, 300);
  out.finish(run.state, {});
  CHECK(differences(folder / "whole.h5", folder / "a.h5") == "");
}

TEST_CASE("results_of a scene with keys under their former names are resumed under the present") {
  const Folder folder;
  const Model model = io_test::make_model();
  const auto scene = [](const std::string& mode, const std::string& weakening) {
    return R"({"time": {"end": 1.0, ")" + mode + R"(": "events"}, "contacts": [{"law": {")" +
           weakening + R"(": {"ratio": 0.5}}}, {"law": {}}]})";
  };
  {
    FakeRun run(model);
    ResultsWriter out(folder / "a.h5", model, io_test::kScene, scene("lane", "falling"));
    go_on(out, run, 20);
    out.checkpoint(run.state);
    out.drain();
  }
  const auto attempt = [&](const std::string& resolved) {
    return message<SceneError>(
        [&] { ResultsWriter::resume(folder / "a.h5.part", model, io_test::kScene, resolved); });
  };
  CHECK(attempt(scene("form", "velocity_weakening")).find("time.") == 0);
  CHECK(attempt(scene("mode", "weakening")).find("contacts[0].law.") == 0);
  FakeRun run(model, read_checkpoint(folder / "a.h5.part", model));
  ResultsWriter out = ResultsWriter::resume(folder / "a.h5.part", model, io_test::kScene,
                                            scene("mode", "velocity_weakening"));
  go_on(out, run, 30);
  out.finish(run.state, {});
  CHECK(ResultsReader(folder / "a.h5").rows() == 30);
}

TEST_CASE("results_of another scene are not resumed, and the difference is named") {
  const Folder folder;
  const Model model = io_test::make_model();
  write_stopped(folder / "a.h5", model, 100, 0);
  const std::string file = folder / "a.h5.part";
  const std::string before = bytes_of(file);
  const auto attempt = [&](const Model& other, const std::string& resolved) {
    return message<SceneError>(
        [&] { ResultsWriter::resume(file, other, io_test::kScene, resolved); });
  };
  CHECK(attempt(model, io_test::resolved(1.0, "moreau-jean"))
            .find("bodies[0].scheme: differs from the run to be resumed: \"modal-exact\" in ") ==
        0);
  CHECK(attempt(model, io_test::resolved(0.001)).find("time.end: is earlier than the state in ") ==
        0);
  CHECK(attempt(io_test::make_model(6), io_test::resolved())
            .find("checkpoint does not belong to this scene: body 'string' has 5 coordinates, "
                  "but in the scene 6") != std::string::npos);
  CHECK(bytes_of(file) == before);
}

TEST_CASE("results_file that is missing, foreign, cut or garbled is refused in one line") {
  const Folder folder;
  const Model model = io_test::make_model();
  write_stopped(folder / "a.h5", model, 100, 0);
  const std::string good = bytes_of(folder / "a.h5.part");
  const auto attempt = [&](const std::string& bytes) {
    io_test::put(folder / "b.h5.part", bytes);
    const std::string text = message<SceneError>([&] { take_up(folder / "b.h5.part", model); });
    CHECK(text.find('\n') == std::string::npos);
    return text.find("other: ") == 0 ? "" : text;
  };
  CHECK(attempt("not a file of HDF5") != "");
  CHECK(attempt("") != "");
  for (const std::size_t part : {2u, 3u, 10u})
    CHECK(attempt(good.substr(0, good.size() - good.size() / part)) != "");
  std::string garbled = good;
  garbled[512] = 'X';  // behind the head that is no part of HDF5
  CHECK(attempt(garbled) != "");
  garbled = good;
  for (std::size_t i = 96; i < good.size(); i += 64)
    garbled[i] = static_cast<char>(garbled[i] ^ 0x5a);
  CHECK(attempt(garbled) != "");
  CHECK(message<SceneError>([&] {
          resumable_file(folder / "none.h5");
        }).find("nothing to resume") != std::string::npos);
  {
    ResultsWriter fresh = begin(folder / "c.h5", model);
    CHECK(message<SceneError>([&] {
            take_up(folder / "c.h5.part", model);
          }).find("no complete checkpoint") != std::string::npos);
  }
}

TEST_CASE("results_cannot be resumed by two runs at once") {
  const Folder folder;
  const Model model = io_test::make_model();
  write_stopped(folder / "a.h5", model, 100, 0);
  const ResultsWriter first = take_up(folder / "a.h5.part", model);
  CHECK(message<SceneError>([&] {
          take_up(folder / "a.h5.part", model);
        }).find("another run is writing it") != std::string::npos);
}

TEST_CASE("results_resumed on a full disk fail and keep the stopped run") {
  const Folder folder;
  const Model model = io_test::make_model();
  write_stopped(folder / "a.h5", model, 100, 0);
  const int result = io_test::with_file_size_limit(1'000, [&] {
    const std::string text = message<RunError>([&] { take_up(folder / "a.h5.part", model); });
    return text.find("File too large") != std::string::npos &&
                   text.find(" rows and the checkpoint of step 100; --resume") != std::string::npos
               ? 0
               : 1;
  });
  CHECK(result == 0);
  CHECK(exists(folder / "a.h5.part"));
}

TEST_CASE(
    "results_on a disk that fills up keep their last checkpoint, and go on from it to the same "
    "end") {
  const Folder folder;
  const Model model = io_test::make_model();
  {
    ResultsWriter out = begin(folder / "whole.h5", model);
    FakeRun run(model);
    out.start(run.state, run.probes);
    go_on(out, run, kSteps);
    out.finish(run.state, {});
  }
  const std::string part = folder / "a.h5.part";
  const auto size = std::filesystem::file_size(folder / "whole.h5");
  int kept = 0;
  for (const unsigned tenths : {2U, 5U, 7U, 9U, 11U}) {  // of the room that the whole file takes
    CAPTURE(tenths);
    const bool resumed = exists(part);
    const int result = io_test::with_file_size_limit(size * tenths / 10, [&] {
      FakeRun run = resumed ? FakeRun(model, read_checkpoint(part, model)) : FakeRun(model);
      std::uint64_t last = run.state.step;
      const std::string told = message<RunError>([&] {
        ResultsWriter out = resumed ? take_up(part, model) : begin(folder / "a.h5", model);
        if (!resumed) out.start(run.state, run.probes);
        while (run.state.step < kSteps) {
          go_on(out, run, run.state.step + 300);
          out.checkpoint(run.state);
          last = run.state.step;
        }
      });
      if (told.find("File too large") == std::string::npos) return 1;
      const std::string words =
          "the checkpoint of step " + std::to_string(last) + "; --resume continues from it";
      if (last == 0)
        return told.find("is removed: it contained no rows yet") == std::string::npos ? 3 : 0;
      return told.find(words) == std::string::npos ? 2 : 0;
    });
    CHECK(result == 0);
    REQUIRE(exists(part) >= resumed);
    kept += exists(part);
  }
  CHECK(kept > 1);
  const std::uint64_t step = read_checkpoint(part, model).step;
  CHECK(step > 0);
  CHECK(step < kSteps);
  FakeRun run(model, read_checkpoint(part, model));
  ResultsWriter out = take_up(part, model);
  go_on(out, run, kSteps);
  out.finish(run.state, {});
  CHECK(differences(folder / "whole.h5", folder / "a.h5") == "");
}
