// The checksums of everything in a finished file, which `saltus verify` compares.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "saltus/results/hdf5.h"
#include "saltus/results/results.h"
#include "saltus/results/row_sum.h"
#include "unit/results/support.h"

using namespace saltus;
using io_test::FakeRun;
using io_test::Folder;

namespace {

void run_to(ResultsWriter& out, FakeRun& run, std::uint64_t last) {
  while (run.state.step < last) {
    run.advance();
    out.record(run.report, run.state, run.probes, 1e-6);
    if (run.state.step % 5 == 0) out.frame(run.state, run.velocities);
    if (run.state.step % 7 == 0) out.hand_over();
  }
}

ResultsWriter begun(const std::string& path, const Model& model, FakeRun& run) {
  ResultsWriter out(path, model, io_test::kScene, io_test::resolved());
  out.start(run.state, run.probes);
  return out;
}

void make_whole(const std::string& path, const Model& model) {
  FakeRun run(model);
  ResultsWriter out = begun(path, model, run);
  run_to(out, run, 100);
  out.finish(run.state, {});
}

/// Ends after step 60, with rows after its last checkpoint.
void make_stopped(const std::string& path, const Model& model) {
  FakeRun run(model);
  ResultsWriter out = begun(path, model, run);
  run_to(out, run, 43);
  out.checkpoint(run.state);
  run_to(out, run, 60);
  out.drain();
}

void resume_to_end(const std::string& file, const Model& model) {
  FakeRun run(model, read_checkpoint(file, model));
  ResultsWriter out = ResultsWriter::resume(file, model, io_test::kScene, io_test::resolved());
  run_to(out, run, 100);
  out.finish(run.state, {});
}

nlohmann::json checksums(const std::string& path) {
  return nlohmann::json::parse(h5::File::read(path).dataset("provenance/checksums").text());
}

/// Without what differs from run to run.
nlohmann::json of_the_run(nlohmann::json list) {
  nlohmann::json kept = nlohmann::json::object();
  for (const auto& [path, sums] : list.items())
    if (!path.starts_with("provenance") && !path.starts_with("timing")) kept[path] = sums;
  return kept;
}

}  // namespace

TEST_CASE("a sum of rows does not depend on how they are split, and any exchange changes it") {
  const std::vector<double> x{1.0, 2.0, 0.0, -1.0, 4.0, 0.5};
  const std::uint64_t all = added(kNoRows, 8, x.data(), x.size());
  for (std::size_t k = 0; k <= x.size(); ++k)
    CHECK(added(added(kNoRows, 8, x.data(), k), 8, x.data() + k, x.size() - k) == all);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      std::vector<double> y = x;
      std::swap(y[i], y[j]);
      CHECK(added(kNoRows, 8, y.data(), y.size()) != all);
    }
  CHECK(added(kNoRows, 8, x.data(), 5) != all);
}

TEST_CASE("a finished file lists a checksum of every object") {
  const Model model = io_test::make_model();
  const Folder folder;
  make_whole(folder / "a.h5", model);
  const nlohmann::json list = checksums(folder / "a.h5");
  for (const char* table : {"step/time", "timing/step", "bodies/string/q", "frames/crc32", "scene",
                            "summary", "pairs/key", "checkpoint/a/q", "provenance/sums"})
    CHECK(list.at(table).size() == 2);
  for (const char* group : {"/", "step", "checkpoint/a", "provenance"})
    CHECK(list.at(group).size() == 1);
  const h5::File file = h5::File::read(folder / "a.h5");
  for (const char* table : {"step/gap", "contacts/impulse", "probes/pickup"}) {
    const h5::Dataset data = file.dataset(table);
    CHECK(list.at(table).at(1) == data.sum(data.rows()));
  }
}

TEST_CASE("a resumed run lists the checksums of an uninterrupted one") {
  const Model model = io_test::make_model();
  const Folder folder;
  make_whole(folder / "whole.h5", model);
  make_stopped(folder / "part.h5", model);
  resume_to_end(folder / "part.h5.part", model);
  const nlohmann::json resumed = checksums(folder / "part.h5");
  CHECK(of_the_run(resumed) == of_the_run(checksums(folder / "whole.h5")));
  const h5::File file = h5::File::read(folder / "part.h5");
  CHECK(resumed.at("timing/step").at(1) == file.dataset("timing/step").sum(101));
}

TEST_CASE("a finished file that is prolonged gets new checksums, the former ones are kept aside") {
  const Model model = io_test::make_model();
  const Folder folder;
  make_whole(folder / "a.h5", model);
  const nlohmann::json former = checksums(folder / "a.h5");
  {
    FakeRun run(model, read_checkpoint(folder / "a.h5", model));
    ResultsWriter out =
        ResultsWriter::resume(folder / "a.h5", model, io_test::kScene, io_test::resolved(2.0));
    run_to(out, run, 120);
    CHECK_FALSE(h5::File::read(folder / "a.h5.part").has("provenance/checksums"));
    out.finish(run.state, {});
  }
  const h5::File file = h5::File::read(folder / "a.h5");
  CHECK(nlohmann::json::parse(file.dataset("provenance/before_1/checksums").text()) == former);
  CHECK(checksums(folder / "a.h5").at("step/time").at(1) == file.dataset("step/time").sum(121));
}

TEST_CASE("a run whose list has sums of a former kind is resumed without comparing them") {
  const Model model = io_test::make_model();
  const Folder folder;
  make_stopped(folder / "a.h5", model);
  {
    const h5::File file = h5::File::modify(folder / "a.h5.part");
    file.rename("provenance/sums", "provenance/tables");
    file.flush();
  }
  resume_to_end(folder / "a.h5.part", model);
  make_whole(folder / "whole.h5", model);
  nlohmann::json resumed = of_the_run(checksums(folder / "a.h5")),
                 whole = of_the_run(checksums(folder / "whole.h5"));
  for (nlohmann::json* list : {&resumed, &whole})
    for (const char* path : {"checkpoint/a", "checkpoint/a/table_rows", "checkpoint/a/table_sum"})
      list->erase(path);
  CHECK(resumed == whole);
}
