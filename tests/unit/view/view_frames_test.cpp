// Records of frames, read back as the viewer does it.
#include "saltus/view/view_frames.h"

#include <doctest/doctest.h>

#include "saltus/base/error.h"
#include "unit/view/view_support.h"

using namespace saltus;
using view_test::MemorySource;
using view_test::read_contacts;
using view_test::read_track;
using view_test::ReadChunk;

namespace {

/// Three rigid bodies, two particles, a pseudo-rigid body, a brick and a string, in ways that have no round numbers.
MemorySource many_kinds() {
  MemorySource source;
  source.times = {0.0, 0.25, 0.5, 0.75};
  ViewBody rigid{"rigid", "rigid", "moreau-jean", 3, {}, 21, nullptr, false, {}, false, false};
  ViewBody dust{"dust", "particles", "", 2, {}, 6, nullptr, false, {}, false, false};
  ViewBody drop{"drop", "pseudo-rigid", "", 1, {}, 12, nullptr, false, {}, true, false};
  ViewBody block{"block", "fem", "", 1, {}, 24, nullptr, true, {}, false, false};
  BoxMesh box;
  box.cells = {1, 1, 1};
  block.mesh = std::make_shared<const Mesh>(box_mesh(box));
  ViewBody string{"string", "modal", "", 1, {}, 5, nullptr, false, {0, 0, 0, 1, 0, 0, 2, 0, 0},
                  false,    false};
  source.what.bodies = {rigid, dust, drop, block, string};
  source.what.shapes = {ViewShape{}};
  source.what.instances = {{0, 0, 1, {0, 0, 0}, {1, 0, 0, 0}, {0.5, 0.25, 0.5}}};
  const auto put = [&](std::size_t body, const char* table, std::size_t width) {
    for (std::size_t k = 0; k < source.times.size(); ++k) {
      std::vector<double> row;
      for (std::size_t i = 0; i < width; ++i)
        row.push_back((1.0 + static_cast<double>(body)) *
                      std::sin(3.7 * static_cast<double>(i) + 1.3 * static_cast<double>(k)));
      source.rows[{body, table}].push_back(row);
    }
  };
  put(0, "q", 21);
  for (std::vector<double>& row : source.rows[{0, "q"}])
    for (std::size_t m = 0; m < 3; ++m) {
      const double angle = row[7 * m + 3];
      row[7 * m + 3] = std::cos(angle);
      row[7 * m + 4] = 0.0;
      row[7 * m + 5] = 0.6 * std::sin(angle);
      row[7 * m + 6] = -0.8 * std::sin(angle);
    }
  put(1, "q", 6);
  put(2, "centre", 3);
  put(2, "deformation", 9);
  put(3, "displacement", 24);
  put(3, "von_mises", 8);
  put(4, "displacement", 9);
  return source;
}

std::string chunk_of(MemorySource& source, const ViewTracks& view, ViewRecordOptions options) {
  ViewRecords records(view, options);
  std::string bytes;
  std::vector<std::uint32_t> offsets{0}, steps;
  for (std::size_t k : source.all()) {
    records.append(source, k, bytes);
    offsets.push_back(static_cast<std::uint32_t>(bytes.size()));
    steps.push_back(static_cast<std::uint32_t>(source.step(k)));
  }
  return view_chunk(7, source.times, steps, offsets, bytes);
}

double largest(const std::vector<double>& row) {
  double most = 0.0;
  for (double x : row) most = std::max(most, std::abs(x));
  return most;
}

}  // namespace

TEST_CASE("a record read back is where the bodies were, to one part in 65535 of their range") {
  MemorySource source = many_kinds();
  for (bool quantised : {true, false}) {
    CAPTURE(quantised);
    const std::vector<std::size_t> all = source.all();
    const ViewTracks view(source, all, quantised);
    const std::string bytes = chunk_of(source, view, {});
    const ReadChunk chunk(bytes);
    CHECK(chunk.first == 7);
    CHECK(chunk.times == source.times);
    CHECK(chunk.steps == std::vector<std::uint32_t>{0, 10, 20, 30});
    REQUIRE(view.tracks.size() == 9);
    for (std::size_t i = 0; i < view.tracks.size(); ++i) {
      const ViewTrack& track = view.tracks[i];
      CAPTURE(track.name);
      for (std::size_t k = 0; k < 4; ++k) {
        const auto read = read_track(view, i, chunk.records[k]);
        const auto row = source.row(track.body, track.table, k);
        REQUIRE(read.size() == track.width());
        for (std::size_t c = 0; c < read.size(); ++c) {
          const std::size_t axis = c % track.axes;
          const double step =
              track.type == ViewTrack::Type::f32   ? 1e-7 * largest({row.begin(), row.end()}) * 2.0
              : track.type == ViewTrack::Type::i16 ? 1.0 / 32767.0
                                                   : (track.hi[axis] - track.lo[axis]) / 65535.0;
          CHECK(std::abs(read[c] - track.value(row, c)) <= 0.5000001 * step);
        }
      }
    }
  }
}

TEST_CASE("each body is drawn by the tracks of its kind") {
  MemorySource source = many_kinds();
  const std::vector<std::size_t> all = source.all();
  const ViewTracks view(source, all, true);
  REQUIRE(view.poses.size() == 2);
  CHECK(view.tracks[static_cast<std::size_t>(view.poses[0].position)].width() == 9);
  CHECK(view.tracks[static_cast<std::size_t>(view.poses[0].rotation)].width() == 12);
  CHECK(view.poses[1].rotation == -1);
  REQUIRE(view.affine.size() == 1);
  CHECK(view.tracks[static_cast<std::size_t>(view.affine[0].deformation)].axes == 9);
  REQUIRE(view.meshes.size() == 1);
  CHECK(view.meshes[0].triangles.size() == 36);
  REQUIRE(view.meshes[0].fields.size() == 2);
  CHECK(view.meshes[0].fields[0].name == "von Mises");
  const ViewTrack& length = view.tracks[static_cast<std::size_t>(view.meshes[0].fields[1].track)];
  const auto u = source.row(3, "displacement", 2);
  CHECK(length.value(u, 5) == doctest::Approx(std::hypot(u[15], u[16], u[17])));
  REQUIRE(view.lines.size() == 1);
  CHECK(view.lines[0].exaggerate == 1.0);  // it moves by as much as it is long
  std::size_t sum = 0;
  for (const ViewTrack& track : view.tracks) sum += track.bytes();
  CHECK(view.record_bytes == sum);
  CHECK(sum % 4 == 0);
}

TEST_CASE("the box holds what moves with its shapes, in all frames") {
  MemorySource source;
  source.times = {0.0, 1.0};
  source.what.bodies = {{"balls", "rigid", "", 2, {}, 14, nullptr, false, {}, false, false},
                        {"floor", "rigid", "", 1, {}, 7, nullptr, false, {}, false, false}};
  ViewShape plane;
  plane.kind = ViewShape::Kind::plane;
  source.what.shapes = {ViewShape{}, plane};
  source.what.instances = {{0, 0, 0, {0, 0, 0}, {1, 0, 0, 0}, {0.5, 0.5, 0.5}},
                           {1, 1, 0, {0, 0, 0}, {1, 0, 0, 0}, {1, 1, 1}}};
  source.rows[{0, "q"}] = {{1, 2, 3, 1, 0, 0, 0, 5, 5, 5, 1, 0, 0, 0},
                           {0, 2, -4, 1, 0, 0, 0, 5, 6, 5, 1, 0, 0, 0}};
  source.rows[{1, "q"}] = {{0, 0, -100, 1, 0, 0, 0}, {0, 0, -100, 1, 0, 0, 0}};
  const std::vector<std::size_t> all{0, 1};
  const ViewTracks view(source, all, true);
  CHECK(view.box == std::array<double, 6>{-0.5, 1.5, -4.5, 5.5, 6.5, 5.5});
}

TEST_CASE("a string that hardly moves is drawn with a factor that makes it seen") {
  MemorySource source;
  source.times = {0.0};
  ViewBody string{"string",           "modal", "",   1, {}, 5, nullptr, false,
                  {0, 0, 0, 1, 0, 0}, false,   false};
  source.what.bodies = {string};
  source.rows[{0, "displacement"}] = {{0, 0, 0, 0, 0, 0.002}};
  const std::vector<std::size_t> all{0};
  CHECK(ViewTracks(source, all, true).lines[0].exaggerate == 20.0);  // 0.05/0.002 = 25
  source.rows[{0, "displacement"}] = {{0, 0, 0, 0, 0, 0}};
  CHECK(ViewTracks(source, all, true).lines[0].exaggerate == 1.0);
}

TEST_CASE(
    "contacts of a record come back; of too many those with the largest forces, in their order") {
  MemorySource source = many_kinds();
  for (int i = 0; i < 5; ++i) {
    ViewContact contact;
    contact.point = {0.1 * i, 0.2, -0.3};
    contact.normal = {0.6, 0.0, 0.8};
    contact.force = {0.0, 0.0, i == 2 ? 9.0 : 1.0 + i};
    contact.gap = -1e-5 * i;
    contact.body = {0, i, -1, 0};
    contact.status = static_cast<std::uint8_t>(i % 4);
    source.touching.resize(2);
    source.touching[1].push_back(contact);
  }
  const std::vector<std::size_t> all = source.all();
  const ViewTracks view(source, all, true);
  SUBCASE("as they are") {
    const std::string bytes = chunk_of(source, view, {});
    const ReadChunk chunk(bytes);
    CHECK(read_contacts(view, chunk.records[0]).empty());
    const auto read = read_contacts(view, chunk.records[1]);
    REQUIRE(read.size() == 5);
    CHECK(read[3].point[0] == 0.3f);
    CHECK(read[3].normal[2] == 0.8f);
    CHECK(read[3].force[2] == 4.0f);
    CHECK(read[3].gap == -3e-5f);
    CHECK(read[3].body[1] == 3);
    CHECK(read[3].body[2] == -1);
    CHECK(read[3].status == 3);
  }
  SUBCASE("three of them, rounded") {
    ViewRecordOptions options;
    options.most_contacts = 3;
    options.rounded = true;
    const std::string bytes = chunk_of(source, view, options);
    const auto read = read_contacts(view, ReadChunk(bytes).records[1]);
    REQUIRE(read.size() == 3);
    CHECK(read[0].body[1] == 2);
    CHECK(read[1].body[1] == 3);
    CHECK(read[2].body[1] == 4);
    double size = 0.0;
    for (std::size_t a = 0; a < 3; ++a) size = std::max(size, view.box[a + 3] - view.box[a]);
    CHECK(std::abs(read[2].point[0] - 0.4) <= 0.5 * size / 65536 + 1e-7);
    CHECK(std::abs(read[2].normal[0] - 0.6) <= 0.5 / 32768 + 1e-7);
    CHECK(std::abs(read[2].gap + 4e-5) <= 4e-5 / 4096);
  }
}

TEST_CASE("a table with too few columns is told, not read beyond its end") {
  MemorySource source = many_kinds();
  source.rows[{0, "q"}][2].resize(20);
  const std::vector<std::size_t> all = source.all();
  CHECK_THROWS_AS(ViewTracks(source, all, true), SceneError);
}
