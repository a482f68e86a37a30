// The view of a results file: header, static bytes, chunks.
#include "saltus/view/view_data.h"

#include <nlohmann/json.hpp>

#include "unit/view/view_run.h"
#include "unit/view/view_support.h"

using namespace saltus;
using io_test::Folder;
using io_test::message;
using view_test::brick_group;
using view_test::drop_group;
using view_test::particle_group;
using view_test::PutRun;
using view_test::read_contacts;
using view_test::read_track;
using view_test::ReadChunk;
using view_test::rigid_group;

namespace {

PutRun several() {
  return PutRun({rigid_group("balls", 3), brick_group("brick"), drop_group("drop"),
                 particle_group("dust", 4)});
}

ViewOptions quantised() {
  ViewOptions options;
  options.quantised = true;
  return options;
}

/// Every array of a header lies in the static bytes, at a multiple of 8.
void check_arrays(const nlohmann::json& json, std::size_t bytes) {
  if (json.is_object() && json.contains("at") && json.contains("count")) {
    const std::string type = json["type"];
    const std::size_t size = type == "f64"                    ? 8
                             : type == "i16" || type == "u16" ? 2
                             : type == "u8"                   ? 1
                                                              : 4;
    CHECK(json["at"].get<std::size_t>() % 8 == 0);
    CHECK(json["at"].get<std::size_t>() + size * json["count"].get<std::size_t>() <= bytes);
    return;
  }
  if (json.is_structured())
    for (const auto& part : json) check_arrays(part, bytes);
}

}  // namespace

TEST_CASE("the header of a file names its bodies, frames and plots, and its arrays are there") {
  const Folder folder;
  several().write(folder / "a.h5", 6, true);
  const ResultsReader results(folder / "a.h5");
  const ViewData view(results, quantised());
  const ViewHeader made = view.header();
  const auto json = nlohmann::json::parse(made.json);
  check_arrays(json, made.bytes.size());
  CHECK(json["format"] == "saltus-view");
  CHECK(json["version"] == 1);
  CHECK(json["title"] == "A </script> B");
  CHECK(json["file"] == "a.h5");
  CHECK(json["finished"] == true);
  CHECK(json["live"] == false);
  REQUIRE(json["bodies"].size() == 5);
  CHECK(json["bodies"][1]["name"] == "balls");
  CHECK(json["bodies"][1]["members"] == 3);
  CHECK(json["frames"]["count"] == 6);
  CHECK(json["decimated"] == nlohmann::json{{"every", 1}, {"of", 6}});
  CHECK(json["gravity"] == nlohmann::json{0, 0, -9.81});
  CHECK(json["contact_bytes"] == 52);
  CHECK(json["poses"].size() == 2);
  CHECK(json["affine"].size() == 1);
  REQUIRE(json["meshes"].size() == 1);
  CHECK(json["meshes"][0]["fields"][0]["name"] == "von Mises");
  CHECK(json["marks"]["body"]["count"] == 2);
  CHECK(json["marks"]["of"] == 2);
  CHECK(view_test::number_at<float>(made.bytes,
                                    json["marks"]["point"]["at"].get<std::size_t>() + 8) == -0.01f);
  CHECK(json["summary"].is_object());
  CHECK(json["provenance"].contains("compiler"));
  CHECK(json["cite"][0] == "Bilbao2009");
  std::vector<std::string> titles;
  for (const auto& plot : json["plots"])
    if (plot["title"] != "ledger" && plot["title"] != "step cost") titles.push_back(plot["title"]);
  CHECK(titles == std::vector<std::string>{"pickup", "energy", "unexplained", "residual", "gap",
                                           "contacts", "iterations"});
  CHECK(json["plots"][0]["own"] == true);
  CHECK(json["plots"][1]["own"] == false);
}

TEST_CASE("chunks hold the rows of the file, within a step of their range, however they are cut") {
  const Folder folder;
  several().write(folder / "a.h5", 9, true);
  const ResultsReader results(folder / "a.h5");
  ViewData view(results, quantised());
  ViewFile file(results);
  for (std::size_t size : {1u, 4u, 9u})
    for (std::size_t first = 0; first < 9; first += size) {
      const std::size_t count = std::min<std::size_t>(size, 9 - first);
      const std::string bytes = view.chunk(first, count);
      const ReadChunk chunk(bytes);
      CHECK(chunk.first == first);
      REQUIRE(chunk.records.size() == count);
      for (std::size_t k = 0; k < count; ++k) {
        CHECK(chunk.times[k] == results.frame_times()[first + k]);
        for (std::size_t i = 0; i < view.tracks().tracks.size(); ++i) {
          const ViewTrack& track = view.tracks().tracks[i];
          const auto read = read_track(view.tracks(), i, chunk.records[k]);
          const auto row = file.row(track.body, track.table, first + k);
          double worst = 0.0;
          for (std::size_t c = 0; c < read.size(); ++c) {
            const std::size_t a = c % track.axes;
            const double step = track.type == ViewTrack::Type::i16
                                    ? 1.0 / 32767.0
                                    : (track.hi[a] - track.lo[a]) / 65535.0;
            worst = std::max(worst, std::abs(read[c] - track.value(row, c)) / (step + 1e-300));
          }
          CHECK(worst <= 0.500001);
        }
      }
    }
  CHECK_THROWS_AS(view.chunk(9, 1), UsageError);
  CHECK_THROWS_AS(view.chunk(5, 5), UsageError);
}

TEST_CASE("a thinned view has every n-th frame and the last") {
  const Folder folder;
  several().write(folder / "a.h5", 12);
  const ResultsReader results(folder / "a.h5");
  ViewData view(results, quantised());
  view.thin(5);
  REQUIRE(view.frames() == 4);  // 0, 5, 10 and 11
  const std::string bytes = view.chunk(0, 4);
  CHECK(ReadChunk(bytes).steps == std::vector<std::uint32_t>{1, 6, 11, 12});
  const auto json = nlohmann::json::parse(view.header().json);
  CHECK(json["decimated"] == nlohmann::json{{"every", 5}, {"of", 12}});
  CHECK(json["frames"]["count"] == 4);
  view.thin(1);
  CHECK(view.frames() == 12);
  ViewOptions part;
  part.from = 3.0 / 8000.0;
  part.to = 5.0 / 8000.0;
  CHECK(ViewData(results, part).frames() == 3);
  part.from = 3.0;
  part.to = 4.0;
  CHECK_THROWS_AS(ViewData(results, part), UsageError);
}

TEST_CASE("a file from before there were drawings and places of contacts is seen without them") {
  const Folder folder;
  several().write(folder / "a.h5", 3);
  view_test::make_old(folder / "a.h5");
  const ResultsReader results(folder / "a.h5");
  ViewData view(results, {});
  const ViewHeader made = view.header();
  const auto json = nlohmann::json::parse(made.json);
  check_arrays(json, made.bytes.size());
  CHECK(json["lines"].empty());
  const std::string bytes = view.chunk(0, 3);
  CHECK(read_contacts(view.tracks(), ReadChunk(bytes).records[1]).empty());
  // bodies with a place and no shape are markers: a cube for the rigid ones, a ball for the particles
  CHECK(json["shapes"].size() == 2);
  CHECK(json["instances"]["shape"]["count"] == 8);
  for (const ViewInstance& instance : view.scene().instances) {
    CHECK(instance.scale[0] > 0.01);
    CHECK(instance.scale[0] < 1.0);
  }
}

TEST_CASE("shapes and contacts of the file are in the view") {
  const Folder folder;
  PutRun run({rigid_group("balls", 3)});
  run.write(folder / "a.h5", 3);
  view_test::put_contacts(folder / "a.h5", {0, 4, 2});
  view_test::put_drawing(folder / "a.h5", 3);
  {
    h5::File file = h5::File::modify(folder / "a.h5");
    file.group("bodies/balls").write("names", R"(["red", "", "blue"])");
    file.close();
  }
  const ResultsReader results(folder / "a.h5");
  ViewData view(results, {});
  CHECK(view.scene().bodies[1].names == std::vector<std::string>{"red", "", "blue"});
  REQUIRE(view.scene().shapes.size() == 2);
  CHECK(view.scene().shapes[0].kind == ViewShape::Kind::plane);
  CHECK(view.scene().shapes[1].triangles.size() == 12);
  REQUIRE(view.scene().instances.size() == 4);
  CHECK(view.scene().instances[0].body == -1);
  CHECK(view.scene().instances[3].member == 2);
  CHECK(view.scene().instances[3].rotation == std::array<double, 4>{0, 0, 0, 1});
  const std::string bytes = view.chunk(0, 3);
  const ReadChunk chunk(bytes);
  CHECK(read_contacts(view.tracks(), chunk.records[0]).empty());
  const auto four = read_contacts(view.tracks(), chunk.records[1]);
  REQUIRE(four.size() == 4);
  CHECK(four[3].force[2] == 4.0f);
  CHECK(four[3].body[1] == 3);
  CHECK(four[3].body[2] == -1);
  CHECK(four[3].status == 2);
  view.limit_contacts(3);
  CHECK(nlohmann::json::parse(view.header().json)["contacts_left_out"] == 1);
}

TEST_CASE("a drawing that names what is not there is told as damage") {
  const Folder folder;
  PutRun run({rigid_group("balls", 2)});
  run.write(folder / "a.h5", 2);
  view_test::put_drawing(folder / "a.h5", 3);  // one more than there are
  const ResultsReader results(folder / "a.h5");
  CHECK(message<SceneError>([&] { ViewFile file(results); }).find("is damaged") !=
        std::string::npos);
}

TEST_CASE("contacts whose status or body no number can be are told as damage, not shown") {
  const Folder folder;
  for (const char* table : {"status", "body"})
    for (const double wrong : {3e9, -3e9, std::nan("")}) {
      CAPTURE(table);
      CAPTURE(wrong);
      PutRun run({rigid_group("balls", 2)});
      run.write(folder / "a.h5", 2);
      view_test::put_contacts(folder / "a.h5", {1, 1});
      const bool bodies = table[0] == 'b';
      {
        h5::File file = h5::File::modify(folder / "a.h5");
        const h5::Group contacts = file.group("contacts");
        contacts.remove(table);
        const std::vector<double> values(bodies ? 8 : 2, wrong);
        contacts.write(table, std::span<const double>(values), bodies ? 4 : 1);
        file.close();
      }
      const ResultsReader results(folder / "a.h5");
      ViewData view(results, {});
      CHECK(message<SceneError>([&] {
              view.chunk(0, 2);
            }).find(std::string("contacts/") + table + ": contains an invalid number") !=
            std::string::npos);
    }
}

TEST_CASE("the frames of a run that is not finished are seen") {
  const Folder folder;
  PutRun run({rigid_group("balls", 2)});
  {
    ResultsWriter out(folder / "a.h5", run.model, io_test::kScene, io_test::resolved(), {});
    out.start(run.state, std::array{0.0});
    for (int k = 1; k <= 5; ++k) {
      run.at(k);
      out.record({}, run.state, std::array{0.0});
      out.frame(run.state, run.velocities);
    }
    out.drain();
    const ResultsReader results(folder / "a.h5.part");
    const ViewData view(results, {});
    CHECK(view.frames() == 5);
    const auto json = nlohmann::json::parse(view.header().json);
    CHECK(json["finished"] == false);
    CHECK(json["summary"].is_null());
  }
}

TEST_CASE("a probe is heard: samples of 16 bits within half a step of the values") {
  const Folder folder;
  PutRun run({});
  run.write(folder / "a.h5", 2000);
  const ResultsReader results(folder / "a.h5");
  const std::vector<double> values = results.probe("pickup");
  auto sounds = view_sounds(results, 1'000'000);
  REQUIRE(sounds.size() == 1);
  const ViewSound& sound = sounds[0];
  CHECK(sound.rate == 8000.0);
  CHECK(sound.body == 0);
  CHECK(sound.note == "");
  REQUIRE(sound.data.size() == values.size());
  double worst = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k)
    worst =
        std::max(worst, std::abs(sound.mean + sound.peak * sound.data[k] / 32767.0 - values[k]));
  CHECK(worst <= 0.500001 * sound.peak / 32767.0);
  sounds = view_sounds(results, 2000);  // 1000 samples: an eighth of a second
  REQUIRE(sounds.size() == 1);
  CHECK(sounds[0].data.size() == 1000);
  CHECK(sounds[0].note == "the first 0.125 s of 0.25 s");
  CHECK(view_sounds(results, 1000).empty());  // too short to be heard
}
