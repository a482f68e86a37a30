// Checkpoints and tables that are not what the run wrote: of another file, short of what the scheme reads, or altered by one
// bit. Each is refused in one line before anything of the file is touched.
#include <doctest/doctest.h>
#include <hdf5.h>

#include <array>
#include <cstring>
#include <fstream>

#include "saltus/results/checkpoint.h"
#include "saltus/results/results.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"
#include "unit/results/old_file.h"
#include "unit/results/support.h"

using namespace saltus;
using io_test::Folder;
using io_test::message;

namespace {

/// A ball on a floor, thrown at this speed [m/s]. `more`: of the time and the body.
Scene thrown_at(const std::string& speed, const std::string& time = "",
                const std::string& more = "") {
  return read_scene_text(
      "saltus: 1\ntime: {end: 200 ms, step: 2 ms" + time +
          "}\nbodies:\n  - {name: ball, kind: particles" + more +
          ", particles: {mass: [1 kg], positions: [[0, 0, 0.002]], velocities: [[" + speed +
          ", 0, 0]], gravity: [0, 0, -9.81]}}\ncontacts:\n  - {on: ball, against: {plane: {}}, "
          "law: "
          "{kind: newton-impact, restitution: 0.4, friction: 0.3}}\noutputs:\n  - {probe: ball, "
          "name: height, at: 0, direction: [0, 0, 1], quantity: displacement}\n",
      "thrown.yaml", {}, {});
}

/// Of a run that many are made of: all that is reserved is filled under MALLOC_PERTURB_, which takes most of the time.
ResultsOptions short_run() {
  ResultsOptions options;
  options.expected_steps = 100;
  return options;
}

/// Stopped behind the checkpoints of steps 20 and 40.
void write_stopped_run(const std::string& path, const Scene& scene) {
  const Model model = build(scene);
  Simulation sim(model);
  ResultsWriter out(path, model, "scene", write_scene(scene.spec), short_run());
  const std::vector<double> probes{0.5};
  const std::vector<Vector> velocities{Vector::Constant(3, 0.25)};
  out.start(sim.state(), probes);
  while (sim.state().step < 50) {
    const StepReport report = sim.advance();
    out.events(sim.events());
    out.record(report, sim.state(), probes);
    if (sim.state().step % 5 == 0) out.frame(sim.state(), velocities, {}, sim.contacts());
    if (sim.state().step % 20 == 0) out.checkpoint(sim.state());
  }
  out.drain();
}

std::string taken_up(const std::string& path, const Scene& scene) {
  const Model model = build(scene);
  return message<SceneError>(
      [&] { ResultsWriter::resume(path, model, "scene", write_scene(scene.spec), short_run()); });
}

/// The last bit of the first number that a table holds. False: it holds none.
bool alter(const std::string& path, const std::string& table) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
              data = H5Dopen2(file, table.c_str(), H5P_DEFAULT), type = H5Dget_type(data),
              space = H5Dget_space(data);
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  std::vector<char> bytes(count * H5Tget_size(type));
  bool good = count > 0 && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0;
  if (good) {
    bytes[0] = static_cast<char>(bytes[0] ^ 1);
    good = H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0;
  }
  H5Sclose(space), H5Tclose(type), H5Dclose(data), H5Fclose(file);
  return good;
}

}  // namespace

TEST_CASE("a checkpoint that comes from the file of another scene of the same sizes is refused") {
  const Folder folder;
  write_stopped_run(folder / "a.h5", thrown_at("2"));
  write_stopped_run(folder / "b.h5", thrown_at("3"));
  CHECK(taken_up(folder / "b.h5.part", thrown_at("3")) == "");
  write_stopped_run(folder / "b.h5", thrown_at("3"));
  const std::string part = folder / "a.h5.part";
  {
    const hid_t to = H5Fopen(part.c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
                from = H5Fopen((folder / "b.h5.part").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    REQUIRE(H5Ldelete(to, "checkpoint", H5P_DEFAULT) >= 0);
    REQUIRE(H5Ocopy(from, "checkpoint", to, "checkpoint", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(from), H5Fclose(to);
  }
  const std::string before = io_test::bytes_of(part), said = taken_up(part, thrown_at("2"));
  CAPTURE(said);
  CHECK(said.find("newest checkpoint belongs to another file") != std::string::npos);
  CHECK(said.find('\n') == std::string::npos);
  CHECK(io_test::bytes_of(part) == before);
}

TEST_CASE("a checkpoint without what its scheme remembers is refused, whatever the scheme") {
  const Folder folder;
  for (const char* scheme :
       {"generalized-alpha", "newmark", "variational-symplectic", "moreau-jean"}) {
    CAPTURE(scheme);
    const Model model = build(thrown_at("2", "", std::string(", scheme: ") + scheme));
    Simulation sim(model);
    sim.advance();
    const State whole = sim.state();
    const std::size_t vectors = whole.groups[0].memory.size();
    const auto read_back = [&](const State& state) {
      const std::string path = folder / "a.h5";
      h5::File file = h5::File::create(path);
      file.create_group("checkpoint");
      write_checkpoint(file, "a", state, {});
      file.close();
      return message<SceneError>([&] { newest_checkpoint(h5::File::read(path), path, model); });
    };
    CHECK(read_back(whole) == "");
    std::vector<State> others(2, whole);
    others[0].groups[0].memory.push_back(Vector::Zero(3));
    others[1].groups[0].memory.assign(vectors + 1, Vector::Zero(3));
    if (vectors > 0) {
      others[1].groups[0].memory.resize(vectors - 1);
      others.push_back(whole);
      others[2].groups[0].memory.back().resize(2);
    }
    for (const State& other : others) {
      const std::string said = read_back(other);
      CAPTURE(said);
      CHECK(said.find("body 'ball' lacks the memory that scheme " + std::string(scheme) +
                      " requires") != std::string::npos);
    }
  }
}

TEST_CASE("two numbers of a checkpoint that change their signs make it a torn one") {
  const Folder folder;
  const Scene scene = thrown_at("2");
  write_stopped_run(folder / "a.h5", scene);
  {
    h5::File file = h5::File::modify(folder / "a.h5.part");
    for (const std::string name : {"checkpoint/a", "checkpoint/b"}) {
      const h5::Group slot = file.group(name);
      std::vector<double> q = slot.dataset("q").reals();
      q[0] = -q[0];
      q[2] = -q[2];
      slot.remove("q");
      slot.write("q", q);
    }
    file.close();
  }
  CHECK(taken_up(folder / "a.h5.part", scene).find("no complete checkpoint") != std::string::npos);
}

TEST_CASE("a stopped run of which any number was altered is refused by the name of its table") {
  const Folder folder;
  for (const char* mode : {"", ", mode: events"}) {
    CAPTURE(mode);
    const Scene scene = thrown_at("2", mode);
    write_stopped_run(folder / "whole.h5", scene);
    std::vector<std::string> tables{
        "step/time",     "step/contacts",        "step/residual_after", "step/kinetic",
        "probes/height", "frames/time",          "frames/step",         "frames/crc32",
        "bodies/ball/q", "bodies/ball/velocity", "bodies/ball/step/q0", "contacts/offset",
        "contacts/key",  "contacts/point",       "contacts/force",      "contacts/status",
        "pairs/key",     "pairs/normal",         "pairs/tangent"};
    if (*mode != '\0')
      for (const char* column : {"time", "kind", "key", "speed", "impulse", "energy"})
        tables.push_back(std::string("events/") + column);
    for (const std::string& table : tables) {
      CAPTURE(table);
      const std::string part = folder / "a.h5.part";
      std::filesystem::copy_file(folder / "whole.h5.part", part,
                                 std::filesystem::copy_options::overwrite_existing);
      REQUIRE(alter(part, table));
      const std::string before = io_test::bytes_of(part), said = taken_up(part, scene);
      CAPTURE(said);
      CHECK(said.find("/" + table + ": contains numbers that differ from those written") !=
            std::string::npos);
      CHECK(said.find('\n') == std::string::npos);
      CHECK(io_test::bytes_of(part) == before);
    }
    CHECK(taken_up(folder / "whole.h5.part", scene) == "");
  }
}

TEST_CASE(
    "whatever byte of the object of a scene is altered, a run is taken up or refused as damaged, "
    "and can be again") {
  for (const char* name : {"resolved", "scene"}) {
    CAPTURE(name);
    const Folder folder;
    const Scene scene = thrown_at("2");
    write_stopped_run(folder / "whole.h5", scene);
    const std::string part = folder / "a.h5.part",
                      whole = io_test::bytes_of(folder / "whole.h5.part");
    H5O_info_t object{};
    hsize_t before = 0;  // the file starts with a block of its own
    {
      const hid_t file = H5Fopen((folder / "whole.h5.part").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
      REQUIRE(H5Oget_info_by_name2(file, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) >= 0);
      const hid_t made = H5Fget_create_plist(file);
      H5Pget_userblock(made, &before);
      H5Pclose(made);
      H5Fclose(file);
    }
    int taken = 0, refused = 0;
    for (std::size_t k = 0; k < 160; ++k) {
      CAPTURE(k);
      std::string bytes = whole;
      bytes[before + object.addr + k] = static_cast<char>(bytes[before + object.addr + k] ^ 0x10);
      std::ofstream(part, std::ios::binary) << bytes;
      const std::string said = taken_up(part, scene);
      CAPTURE(said);
      CHECK(said.find('\n') == std::string::npos);
      CHECK(said.find("--resume") == std::string::npos);  // which would fail again
      ++(said.empty() ? taken : refused);
      if (!said.empty()) continue;
      const std::string again = taken_up(part, scene);
      CAPTURE(again);
      CHECK(again == "");
    }
    MESSAGE(taken << " taken up, " << refused << " refused");
    CHECK(taken > 0);
    CHECK(refused > 0);
  }
}

namespace {

/// A stopped run in `folder`, of a version that summed no tables, with one checkpoint.
std::string old_stopped_run(const Folder& folder, const Scene& scene) {
  write_stopped_run(folder / "a.h5", scene);
  const std::string part = folder / "a.h5.part";
  io_test::make_old(part, build(scene), {41, 8, 0});
  return part;
}

}  // namespace

TEST_CASE("a file that is older than the sums is taken up without them") {
  const Folder folder;
  const Scene scene = thrown_at("2");
  const std::string part = old_stopped_run(folder, scene);
  CHECK(taken_up(part, scene) == "");
  CHECK(read_checkpoint(part, build(scene)).step == 40);
}

TEST_CASE("a column of steps that is a second name of the times of frames is refused as damaged") {
  const Folder folder;
  const Scene scene = thrown_at("2");
  const std::string part = old_stopped_run(folder, scene);
  const hid_t file = H5Fopen(part.c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
              data = H5Dopen2(file, "frames/time", H5P_DEFAULT);
  const hsize_t rows = 100;  // enough for the steps, until frames behind the checkpoint are cut off
  REQUIRE(H5Dset_extent(data, &rows) >= 0);
  REQUIRE(H5Ldelete(file, "step/gap", H5P_DEFAULT) >= 0);
  REQUIRE(H5Lcreate_hard(file, "frames/time", file, "step/gap", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  H5Dclose(data), H5Fclose(file);
  const std::string told = taken_up(part, scene);
  CHECK(told.find("/step/gap: rows are missing") != std::string::npos);
  CHECK(told.find("is damaged") != std::string::npos);
}

TEST_CASE("a table that would be cut within a chunk which is too short is refused as damaged") {
  const Folder folder;
  const Scene scene = thrown_at("2");
  const std::string part = old_stopped_run(folder, scene);
  const hid_t file = H5Fopen(part.c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
              data = H5Dopen2(file, "step/kinetic", H5P_DEFAULT);
  const hsize_t first = 0;
  const std::array<char, 16> bytes{};
  constexpr unsigned kAsItIs = 3;  // no filter was applied
  REQUIRE(H5Dwrite_chunk(data, H5P_DEFAULT, kAsItIs, &first, bytes.size(), bytes.data()) >= 0);
  H5Dclose(data), H5Fclose(file);
  CHECK(taken_up(part, scene).find("/step/kinetic: contains less data than declared") !=
        std::string::npos);
}

TEST_CASE("a file without the last body, probe or account of its scene is refused as damaged") {
  const Scene scene = thrown_at("2");
  for (const char* list : {"bodies", "probes", "ledger"}) {
    CAPTURE(list);
    const Folder folder;
    const std::string part = old_stopped_run(folder, scene);
    {
      h5::File file = h5::File::modify(part);
      const h5::Group group = file.group(list);
      std::string last;
      for (const std::string& name : group.names())
        if (last.empty() || group.integer_of(name, "index") > group.integer_of(last, "index"))
          last = name;
      group.remove(last);
      file.close();
    }
    CHECK(taken_up(part, scene).find("is damaged") != std::string::npos);
  }
}

namespace {

/// Lengthens a table that no run writes to by `more` rows; returns how many it had, or all ones where it cannot be lengthened.
hsize_t lengthen(const std::string& path, hsize_t more) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
              data = H5Dopen2(file, "drawing/instances/shape", H5P_DEFAULT),
              space = H5Dget_space(data);
  hsize_t rows = 0;
  H5Sget_simple_extent_dims(space, &rows, nullptr);
  if (const hsize_t now = rows + more; more > 0 && H5Dset_extent(data, &now) < 0)
    rows = ~hsize_t{0};
  H5Sclose(space), H5Dclose(data), H5Fclose(file);
  return rows;
}

}  // namespace

TEST_CASE("rows that a damaged header adds to a table which no run lengthens are cut off again") {
  const Folder folder;
  const Scene scene = thrown_at("2");
  write_stopped_run(folder / "a.h5", scene);
  const std::string part = folder / "a.h5.part";
  REQUIRE(lengthen(part, 3) == 0);
  REQUIRE(lengthen(part, 0) == 3);
  CHECK(taken_up(part, scene) == "");
  CHECK(lengthen(part, 0) == 0);
}

TEST_CASE(
    "a table that declares more rows than any disk holds is refused, not cut off chunk by chunk") {
  const Folder folder;
  const Scene scene = thrown_at("2");
  write_stopped_run(folder / "a.h5", scene);
  const std::string part = folder / "a.h5.part";
  REQUIRE(lengthen(part, hsize_t{1} << 40) == 0);
  CHECK(taken_up(part, scene).find("/drawing/instances/shape: contains less data than declared") !=
        std::string::npos);
}

// 32 x 2^60 numbers: 0 where the product is taken modulo 2^64, as HDF5 does.
TEST_CASE("a table of more numbers than can be counted is refused as damaged at once") {
  const Folder folder;
  const Scene scene = thrown_at("2");
  const std::string part = old_stopped_run(folder, scene);
  const hid_t file = H5Fopen(part.c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
              layout = H5Pcreate(H5P_DATASET_CREATE);
  constexpr std::array<hsize_t, 2> kSize{32, hsize_t{1} << 60}, kChunk{16, 1};
  const hid_t space = H5Screate_simple(2, kSize.data(), nullptr);
  H5Pset_chunk(layout, 2, kChunk.data());
  REQUIRE(H5Ldelete(file, "contacts/normal", H5P_DEFAULT) >= 0);
  const hid_t data =
      H5Dcreate2(file, "contacts/normal", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  REQUIRE(data >= 0);
  H5Dclose(data), H5Sclose(space), H5Pclose(layout), H5Fclose(file);
  CHECK(taken_up(part, scene).find("/contacts/normal: has rows of 1152921504606846976 numbers") !=
        std::string::npos);
  const h5::Extent extent = h5::File::read(part).dataset("contacts/normal").extent();
  CHECK(extent.count > std::uint64_t{1} << 60);
  CHECK(!extent.whole());
}

TEST_CASE(
    "times that are declared and not there give no length to a column that an old file lacks") {
  const Scene scene = thrown_at("2");
  for (const char* lacking : {"step/gap", "timing/step"}) {
    CAPTURE(lacking);
    const Folder folder;
    const std::string part = old_stopped_run(folder, scene);
    const hid_t file = H5Fopen(part.c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
                time = H5Dopen2(file, "step/time", H5P_DEFAULT);
    constexpr hsize_t kRows = hsize_t{1} << 62;
    REQUIRE(H5Dset_extent(time, &kRows) >= 0);
    REQUIRE(H5Ldelete(file, lacking, H5P_DEFAULT) >= 0);
    H5Dclose(time), H5Fclose(file);
    CHECK(taken_up(part, scene).find("/step/time: contains less data than declared") !=
          std::string::npos);
  }
}

TEST_CASE("a sum that is none makes the list of summed tables damaged") {
  const Scene scene = thrown_at("2");
  for (const char* sum : {"1.9e19", "-1", "1.5", "\"7\"", "null"}) {
    CAPTURE(sum);
    const Folder folder;
    write_stopped_run(folder / "a.h5", scene);
    const std::string part = folder / "a.h5.part";
    {
      h5::File file = h5::File::modify(part);
      file.remove("provenance/sums");
      file.write("provenance/sums",
                 std::string(R"({"growing": [], "fixed": {"pairs/key": )") + sum + "}}");
      file.close();
    }
    const std::string told = taken_up(part, scene);
    CHECK(told.find("/provenance/sums: is not a list of tables") != std::string::npos);
    CHECK(told.find("is damaged") != std::string::npos);
  }
}

TEST_CASE("a table whose rows have another length than those of the run is refused as damaged") {
  struct Length {
    const char* table;
    hsize_t columns;
    const char* expected;
  };
  const Scene scene = thrown_at("2");
  for (const auto& [table, columns, expected] :
       {Length{"step/kinetic", 0, "0 numbers, not of 1"},
        {"step/gap", 2, "2 numbers, not of 1"},
        {"frames/time", 0, "0 numbers, not of 1"},
        {"contacts/impulse", 1, "1 numbers, not of 3"},
        {"contacts/tangent", 3, "3 numbers, not of 6"},
        {"bodies/ball/q", 1, "1 numbers, not of 3"},
        {"bodies/ball/velocity", 6, "6 numbers, not of 3"},
        {"bodies/ball/step/v0", 0, "0 numbers, not of 3"}}) {
    CAPTURE(table);
    const Folder folder;
    const std::string part = old_stopped_run(folder, scene);
    const hid_t file = H5Fopen(part.c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
                layout = H5Pcreate(H5P_DATASET_CREATE);
    const std::array<hsize_t, 2> size{100, columns}, most{H5S_UNLIMITED, columns};
    constexpr std::array<hsize_t, 2> kChunk{16, 1};
    const hid_t space = H5Screate_simple(2, size.data(), most.data());
    if (columns > 0) H5Pset_chunk(layout, 2, kChunk.data());
    const hid_t fixed = H5Screate_simple(2, size.data(), nullptr);
    REQUIRE(H5Ldelete(file, table, H5P_DEFAULT) >= 0);
    const hid_t data = H5Dcreate2(file, table, H5T_IEEE_F64LE, columns > 0 ? space : fixed,
                                  H5P_DEFAULT, layout, H5P_DEFAULT);
    REQUIRE(data >= 0);
    H5Dclose(data), H5Sclose(space), H5Sclose(fixed), H5Pclose(layout), H5Fclose(file);
    const std::string told = taken_up(part, scene);
    CAPTURE(told);
    CHECK(told.find(std::string("/") + table + ": has rows of " + expected) != std::string::npos);
    CHECK(told.find("is damaged") != std::string::npos);
  }
}
