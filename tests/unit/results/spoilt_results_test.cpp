// Results files that were spoilt object by object: each is refused in one line, nothing is read beyond an array, and no memory is
// taken for what is only declared. tests/fuzz/results_fuzz.cpp draws many more.
#include <doctest/doctest.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <zlib.h>

#include <array>
#include <functional>
#include <limits>

#include "saltus/results/info.h"
#include "saltus/results/results.h"
#include "saltus/view/view_data.h"
#include "unit/results/support.h"

using namespace saltus;
using io_test::Folder;

namespace {

void write_run(const std::string& path) {
  const Model model = io_test::make_model();
  ResultsWriter out(path, model, io_test::kScene, io_test::resolved(), {});
  io_test::FakeRun run(model);
  out.start(run.state, run.probes);
  for (int k = 0; k < 20; ++k) {
    run.advance();
    out.record(run.report, run.state, run.probes);
    out.frame(run.state, run.velocities);
  }
  out.finish(run.state, {});
}

/// A dataset of doubles in place of another, with the attributes that give it its place.
void replace(hid_t file, const char* name, std::vector<hsize_t> size, bool chunked) {
  H5Ldelete(file, name, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr),
              layout = H5Pcreate(H5P_DATASET_CREATE), scalar = H5Screate(H5S_SCALAR);
  const std::vector<hsize_t> chunk(size.size(), 1);
  if (chunked) H5Pset_chunk(layout, static_cast<int>(chunk.size()), chunk.data());
  const hid_t data =
      H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  const hid_t index = H5Acreate2(data, "index", H5T_STD_I64LE, scalar, H5P_DEFAULT, H5P_DEFAULT);
  const std::int64_t zero = 0;
  H5Awrite(index, H5T_NATIVE_INT64, &zero);
  H5Aclose(index), H5Dclose(data), H5Sclose(scalar), H5Pclose(layout), H5Sclose(space);
}

/// All that is read of a file to tell about it and to show it.
std::string all_of(const std::string& path) {
  try {
    const ResultsReader results(path);
    info_text(results);
    info_json(results);
    ViewData view(results, {.quantised = true, .from = {}, .to = {}});
    view.header();
    view.chunk(0, view.frames());
  } catch (const SceneError& error) {
    return error.what();
  } catch (const h5::Error& error) {
    return error.what();
  }
  return "";
}

struct Spoilt {
  std::string what;
  std::function<void(hid_t)> spoil;
  const char* message;
};

}  // namespace

TEST_CASE("a results file whose objects are of other sizes is refused in one line") {
  const Folder folder;
  write_run(folder / "whole.h5");
  REQUIRE(all_of(folder / "whole.h5") == "");
  const Spoilt cases[] = {
      {"a column of 2^62 rows that holds none",
       [](hid_t f) { replace(f, "step/time", {hsize_t{1} << 62}, true); },
       "contains less data than declared"},
      {"rows and columns whose product is 2^64",
       [](hid_t f) {
         replace(f, "bodies/string/q", {hsize_t{1} << 32, hsize_t{1} << 32}, true);
       },
       "/bodies/string/q: has rows of 4294967296 numbers, not of "},
      {"a column of rows without a number",
       [](hid_t f) {
         replace(f, "step/kinetic", {21, 0}, false);
       },
       "has rows of 0 numbers, not of 1"},
      {"times of steps without a number",
       [](hid_t f) {
         replace(f, "timing/step", {100, 0}, false);
       },
       "/timing/step: has rows of 0 numbers, not of 1"},
      {"a place in the order of seven numbers",
       [](hid_t f) {
         const hsize_t seven = 7;
         const hid_t space = H5Screate_simple(1, &seven, nullptr),
                     group = H5Gopen2(f, "bodies/string", H5P_DEFAULT);
         H5Adelete(group, "index");
         const hid_t index =
             H5Acreate2(group, "index", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
         const std::int64_t many[7] = {};
         H5Awrite(index, H5T_NATIVE_INT64, many);
         H5Aclose(index), H5Gclose(group), H5Sclose(space);
       },
       "no attribute index of string"},
      {"a packed chunk that unpacks to one number",
       [](hid_t f) {
         const hid_t data = H5Dopen2(f, "step/kinetic", H5P_DEFAULT);
         const double one = 1.0;
         std::array<Bytef, 64> packed;
         uLongf size = packed.size();
         compress(packed.data(), &size, reinterpret_cast<const Bytef*>(&one), sizeof one);
         const hsize_t first = 0;
         H5Dwrite_chunk(data, H5P_DEFAULT, 0, &first, size, packed.data());
         H5Dclose(data);
       },
       "contains less data than declared"},
      {"iterations that are infinite",
       [](hid_t f) {
         replace(f, "step/iterations", {20}, true);
         const hid_t data = H5Dopen2(f, "step/iterations", H5P_DEFAULT);
         const std::vector<double> values(20, -std::numeric_limits<double>::infinity());
         H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
         H5Dclose(data);
       },
       "step/iterations: contains an invalid number"},
      {"pairs with fewer normals than bodies",
       [](hid_t f) {
         replace(f, "pairs/normal", {1, 3}, false);
       },
       "is damaged"},
      {"a body of a billion members",
       [](hid_t f) {
         const hid_t group = H5Gopen2(f, "bodies/string", H5P_DEFAULT),
                     count = H5Aopen(group, "bodies", H5P_DEFAULT);
         const std::int64_t billion = 1'000'000'000;
         H5Awrite(count, H5T_NATIVE_INT64, &billion);
         H5Aclose(count), H5Gclose(group);
       },
       "has more members than coordinates"}};
  for (const Spoilt& one : cases) {
    CAPTURE(one.what);
    std::filesystem::copy_file(folder / "whole.h5", folder / "a.h5",
                               std::filesystem::copy_options::overwrite_existing);
    const hid_t file = H5Fopen((folder / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    REQUIRE(file >= 0);
    one.spoil(file);
    H5Fclose(file);
    const std::string text = all_of(folder / "a.h5");
    CAPTURE(text);
    CHECK(text.find(one.message) != std::string::npos);
    CHECK(text.find('\n') == std::string::npos);
  }
}

TEST_CASE("a summary whose entries are of other types says nothing, and is no fault") {
  const Folder folder;
  write_run(folder / "a.h5");
  {
    h5::File file = h5::File::modify(folder / "a.h5");
    file.remove("summary");
    file.write("summary", R"({"complete": 7, "stopped": [false]})");
    file.close();
  }
  const ResultsReader results(folder / "a.h5");
  CHECK(info_text(results).find("run           complete") != std::string::npos);
  CHECK(info_json(results).find("\"complete\": true") != std::string::npos);
}

TEST_CASE("a results file that refers to other files is refused before they are opened") {
  const Folder folder;
  const std::string other = folder / "other.h5", pipe = folder / "pipe";
  write_run(other);
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);  // who opens it waits for ever
  const std::string bytes = io_test::bytes_of(other);
  const std::vector<std::function<void(hid_t)>> spoil{
      [&](hid_t file) {
        H5Ldelete(file, "step/time", H5P_DEFAULT);
        H5Lcreate_external(other.c_str(), "/step/time", file, "step/time", H5P_DEFAULT,
                           H5P_DEFAULT);
      },
      [&](hid_t file) {
        H5Lcreate_external(pipe.c_str(), "/", file, "bodies/more", H5P_DEFAULT, H5P_DEFAULT);
      },
      [&](hid_t file) {
        H5Ldelete(file, "checkpoint", H5P_DEFAULT);
        H5Lcreate_external(other.c_str(), "/checkpoint", file, "checkpoint", H5P_DEFAULT,
                           H5P_DEFAULT);
      },
      [&](hid_t file) {
        H5Ldelete(file, "summary", H5P_DEFAULT);
        H5Lcreate_soft("/scene", file, "summary", H5P_DEFAULT, H5P_DEFAULT);
      },
      [&](hid_t file) { H5Lcreate_soft("/nothing", file, "unread", H5P_DEFAULT, H5P_DEFAULT); },
      [&](hid_t file) {  // a table that nobody reads
        const hsize_t size = 3;
        const hid_t space = H5Screate_simple(1, &size, nullptr),
                    layout = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_external(layout, pipe.c_str(), 0, 8 * size);
        H5Dclose(
            H5Dcreate2(file, "unread", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
        H5Pclose(layout), H5Sclose(space);
      },
      [&](hid_t file) {  // its numbers come through the pipe
        H5Ldelete(file, "step/time", H5P_DEFAULT);
        const hsize_t size = 21;
        const hid_t space = H5Screate_simple(1, &size, nullptr),
                    layout = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_external(layout, pipe.c_str(), 0, 8 * size);
        H5Dclose(
            H5Dcreate2(file, "step/time", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
        H5Pclose(layout), H5Sclose(space);
      },
      [&](hid_t file) {
        H5Ldelete(file, "step/time", H5P_DEFAULT);
        const hsize_t size = 21;
        const hid_t space = H5Screate_simple(1, &size, nullptr),
                    layout = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_virtual(layout, space, other.c_str(), "/step/time", space);
        H5Dclose(
            H5Dcreate2(file, "step/time", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
        H5Pclose(layout), H5Sclose(space);
      }};
  for (std::size_t k = 0; k < spoil.size(); ++k) {
    CAPTURE(k);
    const std::string path = folder / "spoilt.h5";
    write_run(path);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    spoil[k](file);
    H5Fclose(file);
    const std::string told = all_of(path);
    CAPTURE(told);
    const char* const reason =
        told.find("symbolic") == std::string::npos ? "another file" : "is a symbolic link";
    CHECK(told.find(reason + std::string(", which is not read")) != std::string::npos);
    CHECK(told.find('\n') == std::string::npos);
    const Model model = io_test::make_model();
    CHECK_THROWS_AS(ResultsWriter::resume(path, model, io_test::kScene, io_test::resolved()),
                    SceneError);
    CHECK(io_test::bytes_of(other) == bytes);
  }
  CHECK(all_of(pipe).find("is not a regular file") != std::string::npos);
}
