// From results files to sound and tables, and the files that the probes of a scene ask for.
#include "saltus/convert/convert.h"

#include <doctest/doctest.h>

#include "unit/results/support.h"

using namespace saltus;
using io_test::bytes_of;
using io_test::exists;
using io_test::FakeRun;
using io_test::Folder;
using io_test::message;

namespace {

void write_run(const std::string& path, const Model& model, int steps) {
  ResultsWriter out(path, model, io_test::kScene, io_test::resolved());
  FakeRun run(model);
  out.start(run.state, run.probes);
  for (int k = 0; k < steps; ++k) {
    run.advance();
    out.record(run.report, run.state, run.probes);
    if (k % 2 == 0) out.frame(run.state, run.velocities);
  }
  out.finish(run.state, {});
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

Model with_files(const std::string& wav, const std::string& csv, double gain = 0.0) {
  const Model plain = io_test::make_model();
  ModelParts parts;
  parts.groups.assign(plain.groups().begin(), plain.groups().end());
  parts.initial.assign(plain.initial().begin(), plain.initial().end());
  parts.pairs.assign(plain.pairs().begin(), plain.pairs().end());
  parts.laws.assign(plain.laws().begin(), plain.laws().end());
  parts.probes.assign(plain.probes().begin(), plain.probes().end());
  parts.solver = std::make_shared<io_test::NoSolver>();
  parts.options = plain.options();
  parts.probes[0].wav = wav;
  parts.probes[0].gain = gain;
  parts.probes[1].csv = csv;
  return Model(std::move(parts));
}

}  // namespace

TEST_CASE("convert_csv writes steps, ledger, probes and the frames of each body") {
  const Folder folder;
  write_run(folder / "a.h5", io_test::make_model(), 200);
  const ResultsReader results(folder / "a.h5");
  const std::string stem = default_stem(results.file());
  CHECK(stem == folder / "a");
  const std::vector<std::string> files = convert_csv(results, stem);
  CHECK(files == std::vector<std::string>{stem + ".steps.csv", stem + ".ledger.csv",
                                          stem + ".probes.csv", stem + ".string.csv",
                                          stem + ".bar%2F1.csv"});
  const std::string steps = bytes_of(files[0]), probes = bytes_of(files[2]),
                    string = bytes_of(files[3]);
  CHECK(steps.find("time [s],contacts [1],iterations [1],") == 0);
  CHECK(lines(steps) == 202);
  CHECK(probes.find("time [s],pickup [m/s],middle [m]\n0,") == 0);
  CHECK(string.find("time [s],q0,q1,q2,q3,q4,velocity0,") == 0);
  CHECK(lines(string) == 101);
  double time = 0.0, first = 0.0;
  REQUIRE(std::sscanf(string.c_str() + string.find('\n') + 1, "%lf,%lf", &time, &first) == 2);
  CHECK(time == 1.0 / 8000.0);
  CHECK(first == results.body("string", "q", 0, 1)[0]);
}

TEST_CASE("convert_wav writes one probe or all of them") {
  const Folder folder;
  write_run(folder / "a.h5", io_test::make_model(), 200);
  const ResultsReader results(folder / "a.h5");
  CHECK(convert_wav(results, folder / "b").size() == 2);
  CHECK(exists(folder / "b.pickup.wav"));
  CHECK(exists(folder / "b.middle.wav"));
  CHECK(convert_wav(results, folder / "c.wav", "middle")[0].rate.rate == 8000);
  CHECK(exists(folder / "c.wav"));
  CHECK(bytes_of(folder / "c.wav") == bytes_of(folder / "b.middle.wav"));
  CHECK(message<SceneError>([&] {
          convert_wav(results, folder / "d", "midle");
        }).find("contains no probe 'midle'; one of: pickup, middle") != std::string::npos);
}

TEST_CASE("convert_does not write over the results") {
  const Folder folder;
  write_run(folder / "a.pickup.wav", io_test::make_model(), 20);
  const std::string before = bytes_of(folder / "a.pickup.wav");
  const ResultsReader results(folder / "a.pickup.wav");
  CHECK(message<SceneError>([&] { convert_wav(results, folder / "a", "pickup"); }) ==
        folder / "a.pickup.wav" + std::string(": is the input file; choose another name with -o"));
  std::filesystem::create_symlink("a.pickup.wav", folder / "b.steps.csv");
  CHECK(message<SceneError>([&] {
          convert_csv(results, folder / "b");
        }).find("is the input file") != std::string::npos);
  CHECK(bytes_of(folder / "a.pickup.wav") == before);
}

TEST_CASE("convert_probe files of a scene are written and noted in the results") {
  const Folder folder;
  const Model model = with_files("pickup.wav", "middle.csv");
  ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
  FakeRun run(model);
  out.start(run.state, run.probes);
  for (int k = 0; k < 100; ++k) {
    run.advance();
    out.record(run.report, run.state, run.probes);
  }
  const ProbeFiles files = write_probe_files(out, model, folder.path.string(), false);
  out.finish(run.state, {});
  CHECK(files.faults.empty());
  CHECK(files.written == std::vector<std::string>{folder / "pickup.wav", folder / "middle.csv"});
  const ResultsReader results(folder / "a.h5");
  CHECK(results.probes()[0].wav_factor == files.sounds[0].factor);
  CHECK(results.probes()[1].wav_factor == 0.0);
  CHECK(bytes_of(folder / "middle.csv").find("time [s],middle [m]\n") == 0);
  CHECK(lines(bytes_of(folder / "middle.csv")) == 102);
}

TEST_CASE("convert_fault of one probe file is told and leaves the others and the results alone") {
  const Folder folder;
  const Model model = with_files("pickup.wav", "missing/middle.csv", 1e6);
  ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
  FakeRun run(model);
  run.advance();
  out.record(run.report, run.state, run.probes);
  run.advance();
  out.record(run.report, run.state, run.probes);
  const ProbeFiles files = write_probe_files(out, model, folder.path.string(), false);
  out.finish(run.state, {});
  REQUIRE(files.faults.size() == 2);
  CHECK(files.faults[0].find("pickup.wav: gain 1000000 clips") != std::string::npos);
  CHECK(files.faults[1].find("create the folder first") != std::string::npos);
  CHECK(ResultsReader(folder / "a.h5").finished());
}
