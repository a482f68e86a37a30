// Files that are no contact problem: one line with the file, the object, what is wrong and what is allowed.
#include <doctest/doctest.h>
#include <hdf5.h>

#include <functional>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/exchange/fclib.h"
#include "support/fclib_tree.h"
#include "unit/results/support.h"

using namespace saltus;
using namespace saltus_test;
using io_test::Folder;
using io_test::message;

namespace {

struct Spoilt {
  const char* says;
  std::function<void(FclibTree&)> make;
};

Integers& integers(FclibTree& tree, const char* name) { return std::get<Integers>(tree.at(name)); }
Reals& reals(FclibTree& tree, const char* name) { return std::get<Reals>(tree.at(name)); }

void check_refused(const FclibTree& tree, const std::string& says) {
  const Folder folder;
  const std::string path = folder / "p.hdf5";
  write_tree(path, tree);
  const std::string text = message<SceneError>([&] { read_fclib(path, FclibRead::solutions); });
  CAPTURE(text);
  CAPTURE(says);
  CHECK(text.find(path + ": ") == 0);
  CHECK(text.find(says) != std::string::npos);
  CHECK(text.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("fclib_a local problem with a fault is refused with its place") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  const Spoilt faults[] = {
      {"/: contains no problem (one of fclib_local",
       [](auto& t) {
         t = {{"other/x", Reals{1.0}}};
       }},
      {"/fclib_global: is a second problem (one per file",
       [](auto& t) { t.merge(global_problem()); }},
      {"/fclib_local/spacedim: is missing", [](auto& t) { t.erase("fclib_local/spacedim"); }},
      {"/fclib_local/spacedim: is 4 (2 or 3)",
       [](auto& t) { t["fclib_local/spacedim"] = Integers{4}; }},
      {"/fclib_local/spacedim: is 5 (2 or 3)",
       [](auto& t) { t["fclib_local/spacedim"] = Integers{5}; }},
      {"/fclib_local/spacedim: has 2 elements (1)",
       [](auto& t) {
         t["fclib_local/spacedim"] = Integers{3, 3};
       }},
      {"/fclib_local/spacedim: is of another type (integers of at most 8 bytes)",
       [](auto& t) { t["fclib_local/spacedim"] = Reals{3.0}; }},
      {"/fclib_local/vectors/q: is missing", [](auto& t) { t.erase("fclib_local/vectors/q"); }},
      {"/fclib_local/vectors/q: is of another type (numbers of at most 8 bytes)",
       [](auto& t) { t["fclib_local/vectors/q"] = "abc"; }},
      {"/fclib_local/vectors/q: has 5 elements (3 for each contact)",
       [](auto& t) { reals(t, "fclib_local/vectors/q").pop_back(); }},
      {"/fclib_local/vectors/q: element 4 is nan (finite numbers)",
       [=](auto& t) { reals(t, "fclib_local/vectors/q")[4] = nan; }},
      {"/fclib_local: has no contact (at least 1)",
       [](auto& t) { t["fclib_local/vectors/q"] = Reals{}; }},
      {"/fclib_local/vectors/mu: is missing", [](auto& t) { t.erase("fclib_local/vectors/mu"); }},
      {"/fclib_local/vectors/mu: has 3 elements (2: one for each contact)",
       [](auto& t) { reals(t, "fclib_local/vectors/mu").push_back(0.0); }},
      {"/fclib_local/vectors/mu: element 1 is -0.5 (>= 0)",
       [](auto& t) { reals(t, "fclib_local/vectors/mu")[1] = -0.5; }},
      {"/fclib_local/vectors/mu: element 0 is inf (finite numbers)",
       [=](auto& t) { reals(t, "fclib_local/vectors/mu")[0] = infinity; }},
      {"/fclib_local/W/m: is missing", [](auto& t) { t.erase("fclib_local/W/m"); }},
      {"/fclib_local/W/nz: is missing", [](auto& t) { t.erase("fclib_local/W/nz"); }},
      {"/fclib_local/W/p: is missing", [](auto& t) { t.erase("fclib_local/W/p"); }},
      {"/fclib_local/W: is 5 x 6 (6 x 6, by the lengths of the vectors)",
       [](auto& t) { t["fclib_local/W/m"] = Integers{5}; }},
      {"/fclib_local/W: is 2147483647 x 6 (6 x 6",
       [](auto& t) { t["fclib_local/W/m"] = Integers{std::numeric_limits<std::int32_t>::max()}; }},
      {"/fclib_local/W/nz: is -3 (>= 0 triplets, -1 columns, -2 rows)",
       [](auto& t) { t["fclib_local/W/nz"] = Integers{-3}; }},
      {"/fclib_local/W/nzmax: is 13 (at least 14)",
       [](auto& t) { t["fclib_local/W/nzmax"] = Integers{13}; }},
      {"/fclib_local/W/p: has 6 elements (7, one more than rows)",
       [](auto& t) { integers(t, "fclib_local/W/p").pop_back(); }},
      {"/fclib_local/W/p: does not begin with 0",
       [](auto& t) { integers(t, "fclib_local/W/p")[0] = 1; }},
      {"/fclib_local/W/p: decreases after element 2",
       [](auto& t) { integers(t, "fclib_local/W/p")[3] = 1; }},
      {"/fclib_local/W/i: element 1 is 6 (0 to 5)",
       [](auto& t) { integers(t, "fclib_local/W/i")[1] = 6; }},
      {"/fclib_local/W/i: element 0 is -1 (0 to 5)",
       [](auto& t) { integers(t, "fclib_local/W/i")[0] = -1; }},
      {"/fclib_local/W/i: has 13 elements (at least 14)",
       [](auto& t) { integers(t, "fclib_local/W/i").pop_back(); }},
      {"/fclib_local/W/i: is of another type (integers of at most 8 bytes)",
       [](auto& t) { t["fclib_local/W/i"] = Reals(14, 0.0); }},
      {"/fclib_local/W/x: has 13 elements (at least 14)",
       [](auto& t) { reals(t, "fclib_local/W/x").pop_back(); }},
      {"/fclib_local/W/x: element 3 is inf",
       [=](auto& t) { reals(t, "fclib_local/W/x")[3] = infinity; }},
      {"/fclib_local/W/p: has 7 elements (at least 14 triplets)",
       [](auto& t) { t["fclib_local/W/nz"] = Integers{14}; }},
      {"/fclib_local/R/m: is missing",
       [](auto& t) {
         put_rows(t, "fclib_local/V", 6, 1, {1, 0, 0, 0, 0, 0});
         t["fclib_local/vectors/s"] = Reals{0.0};
       }},
      {"/fclib_local/vectors/s: is missing",
       [](auto& t) {
         put_rows(t, "fclib_local/V", 6, 1, {1, 0, 0, 0, 0, 0});
       }},
      {"/fclib_local/V: is 6 x 2 (6 x 1",
       [](auto& t) {
         put_rows(t, "fclib_local/V", 6, 2, Reals(12, 1.0));
         put_rows(t, "fclib_local/R", 1, 1, {1.0});
         t["fclib_local/vectors/s"] = Reals{0.0};
       }},
      {"/fclib_local/W: adds up to numbers that are not finite",
       [](auto& t) {
         integers(t, "fclib_local/W/i")[1] = 0;
         reals(t, "fclib_local/W/x")[0] = reals(t, "fclib_local/W/x")[1] = 1e308;
       }},
      {"/fclib_local/W: has the largest element 2e+150 (0, or 1e-100 to 1e+100)",
       [](auto& t) {
         for (double& x : reals(t, "fclib_local/W/x")) x *= 1e150;
       }},
      {"/fclib_local/vectors/q: has the largest element 1e-200 (0, or 1e-100 to 1e+100)",
       [](auto& t) { t["fclib_local/vectors/q"] = Reals{-1e-200, 0.0, 0.0, 0.0, 0.0, 0.0}; }},
      {"/solution: has no vector r", [](auto& t) { t["solution/u"] = Reals(6, 0.0); }},
      {"/solution/r: has 7 elements (6: 3 for each contact)",
       [](auto& t) { t["solution/r"] = Reals(7, 0.0); }},
      {"/solution/r: element 0 is nan", [=](auto& t) { t["solution/r"] = Reals(6, nan); }},
      {"/guesses/number_of_guesses: is missing", [](auto& t) { t["guesses/1/r"] = Reals(6, 0.0); }},
      {"/guesses/number_of_guesses: is -1 (>= 0)",
       [](auto& t) { t["guesses/number_of_guesses"] = Integers{-1}; }},
      {"/guesses/1: has no vector r",
       [](auto& t) { t["guesses/number_of_guesses"] = Integers{2'000'000'000}; }},
  };
  for (const Spoilt& fault : faults) {
    FclibTree tree = two_contacts();
    fault.make(tree);
    check_refused(tree, fault.says);
  }
}

TEST_CASE("fclib_a triplet outside of its matrix is refused, whatever the convention") {
  FclibTree tree = two_contacts();
  Reals W(36, 0.0);
  for (std::size_t i = 0; i < 6; ++i) W[7 * i] = 1.0;
  put_triplets(tree, "fclib_local/W", 6, 6, W);
  tree["fclib_local/W/nzmax"] = Integers{5};
  check_refused(tree, "/fclib_local/W/nzmax: is 5 (at least 6)");
  tree["fclib_local/W/nz"] = tree["fclib_local/W/nzmax"] = Integers{7};
  check_refused(tree, "/fclib_local/W/p: has 6 elements (at least 7 triplets)");
  tree["fclib_local/W/nz"] = Integers{6};
  integers(tree, "fclib_local/W/i")[2] = 6;
  check_refused(tree, "/fclib_local/W: entry 2 has i = 6, p = 2 (inside 6 x 6");
  integers(tree, "fclib_local/W/i")[2] = -1;
  check_refused(tree, "/fclib_local/W: entry 2 has i = -1, p = 2 (inside 6 x 6");

  // rows in i by H, in p by G
  tree = global_problem();
  put_triplets(tree, "fclib_global/G", 4, 1, {0.0, 1.0, 0.0, -1.0}, true);
  check_refused(tree, "/fclib_global/G: entry 0 has i = 0, p = 1 (inside 4 x 1");
}

TEST_CASE("fclib_a global or rolling problem with a fault is refused with its place") {
  const Spoilt faults[] = {
      {"/fclib_global/M: is singular (a regular matrix",
       [](auto& t) { put_triplets(t, "fclib_global/M", 4, 4, Reals(16, 1.0)); }},
      {"/fclib_global/M/x: has 8 elements (at least 9)",
       [](auto& t) {
         t["fclib_global/M/nzmax"] = t["fclib_global/M/nz"] = Integers{9};
         integers(t, "fclib_global/M/p").push_back(0);
         integers(t, "fclib_global/M/i").push_back(0);
       }},
      {"/fclib_global/H/m: is missing", [](auto& t) { t.erase("fclib_global/H/m"); }},
      {"/fclib_global/vectors/f: has 0 elements (at least 1)",
       [](auto& t) { t["fclib_global/vectors/f"] = Reals{}; }},
      {"/fclib_global/M: is 4 x 4 (3 x 3",
       [](auto& t) { reals(t, "fclib_global/vectors/f").pop_back(); }},
      {"/fclib_global/vectors/b: is missing", [](auto& t) { t.erase("fclib_global/vectors/b"); }},
      {"/fclib_global/vectors/w: has 4 elements (3 for each contact)",
       [](auto& t) { reals(t, "fclib_global/vectors/w").push_back(0.0); }},
      {"/solution/v: has 3 elements (4: one for each row of M)",
       [](auto& t) { t["solution/r"] = t["solution/v"] = Reals(3, 0.0); }},
      {"/solution/l: has 3 elements (1: one for each equality)",
       [](auto& t) { t["solution/r"] = t["solution/l"] = Reals(3, 0.0); }},
  };
  for (const Spoilt& fault : faults) {
    FclibTree tree = global_problem();
    fault.make(tree);
    check_refused(tree, fault.says);
  }
  FclibTree rolling;
  rolling["fclib_local_rolling/spacedim"] = Integers{2};
  check_refused(rolling, "/fclib_local_rolling/spacedim: is 2 (3 or 5 with rolling)");
  rolling["fclib_local_rolling/spacedim"] = Integers{3};
  rolling["fclib_local_rolling/vectors/q"] = Reals(3, -1.0);
  rolling["fclib_local_rolling/vectors/mu"] = Reals{0.1};
  check_refused(rolling, "/fclib_local_rolling/vectors/mu_r: is missing");
  rolling["fclib_local_rolling/vectors/mu_r"] = Reals{-0.1};
  check_refused(rolling, "/fclib_local_rolling/vectors/mu_r: element 0 is -0.1 (>= 0)");
}

TEST_CASE("fclib_what is no whole HDF5 file is refused") {
  const Folder folder;
  const auto said = [&](const std::string& name) {
    return message<SceneError>([&] { read_fclib(folder / name); });
  };
  CHECK(said("none.hdf5") == (folder / "none.hdf5") + ": cannot be read: no such file");
  std::filesystem::create_directory(folder / "folder");
  CHECK(said("folder") == (folder / "folder") + ": cannot be read: not a regular file");
  io_test::put(folder / "empty.hdf5", "");
  CHECK(said("empty.hdf5").find(": is not a complete HDF5 file") != std::string::npos);
  io_test::put(folder / "text.hdf5", "spacedim: 3\n");
  CHECK(said("text.hdf5").find(": is not a complete HDF5 file") != std::string::npos);

  write_tree(folder / "whole.hdf5", two_contacts());
  const std::string bytes = io_test::bytes_of(folder / "whole.hdf5");
  for (std::size_t length = 1; length < bytes.size(); length += 97) {
    io_test::put(folder / "cut.hdf5", bytes.substr(0, length));
    const std::string text = said("cut.hdf5");
    CAPTURE(length);
    CHECK(text.find((folder / "cut.hdf5") + ": ") == 0);
    CHECK(text.find('\n') == std::string::npos);
  }
}

TEST_CASE(
    "fclib_sizes that a file declares and does not hold are refused before anything is made") {
  const Folder folder;
  struct Row {
    const char* name;
    hsize_t count, chunk;  // chunk 0: contiguous
    const char* says;
  };
  const Row table[] = {
      {"fclib_local/vectors/q", 1'000'000'000'000, 1'000'000,
       "has 1000000000000 elements (at most"},
      {"fclib_local/vectors/q", 2'000'000'000, 1'000'000,
       "declares 2000000000 elements and contains 0 bytes (all of its data)"},
      {"fclib_local/vectors/q", 6, 0, "declares 6 elements and contains 0 bytes"},
      {"fclib_local/W/x", 2'000'000'000, 1'000'000, "declares 2000000000 elements and contains"},
      {"fclib_local/W/p", 2'000'000'000, 0, "declares 2000000000 elements and contains"},
      {"fclib_local/vectors/mu", 2'000'000'000, 0, "has 2000000000 elements (2: one for each"},
  };
  for (const Row& row : table) {
    CAPTURE(row.name);
    const std::string path = folder / "p.hdf5";
    FclibTree tree = two_contacts();
    const bool real = std::holds_alternative<Reals>(tree.at(row.name));
    tree.erase(row.name);
    write_tree(path, tree);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &row.count, nullptr),
                layout = H5Pcreate(H5P_DATASET_CREATE);
    if (row.chunk) H5Pset_chunk(layout, 1, &row.chunk);
    const hid_t set = H5Dcreate2(file, row.name, real ? H5T_IEEE_F64LE : H5T_STD_I32LE, space,
                                 H5P_DEFAULT, layout, H5P_DEFAULT);
    REQUIRE(set >= 0);
    H5Dclose(set);
    H5Pclose(layout);
    H5Sclose(space);
    H5Fclose(file);
    const std::string text = message<SceneError>([&] { read_fclib(path); });
    CAPTURE(text);
    CHECK(text.find(path + ": /" + row.name + ": " + row.says) == 0);
  }
}

TEST_CASE("fclib_compact data that are shorter than their dimensions are refused") {
  const Folder folder;
  const std::string path = folder / "p.hdf5";
  FclibTree tree = two_contacts();
  const Integers p = integers(tree, "fclib_local/W/p");
  tree.erase("fclib_local/W/p");
  write_tree(path, tree);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hsize_t count = p.size();
  const hid_t space = H5Screate_simple(1, &count, nullptr), layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_layout(layout, H5D_COMPACT);
  const hid_t set =
      H5Dcreate2(file, "fclib_local/W/p", H5T_STD_I32LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  REQUIRE(H5Dwrite(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, p.data()) >= 0);
  H5Dclose(set);
  H5Pclose(layout);
  H5Sclose(space);
  H5Fclose(file);
  CHECK(read_fclib(path).contacts == 2);

  // the layout message: version 3, compact, size of the data [bytes], the data
  std::string bytes = io_test::bytes_of(path), message_of_layout{3, 0, 28, 0};
  message_of_layout.append(reinterpret_cast<const char*>(p.data()), 28);
  const std::size_t found = bytes.find(message_of_layout);
  REQUIRE(found != std::string::npos);
  bytes[found + 2] = 20;
  io_test::put(path, bytes);
  CHECK(message<SceneError>([&] { read_fclib(path); }) ==
        path + ": /fclib_local/W/p: declares 7 elements and contains 20 bytes (all of its data)");
}

TEST_CASE("fclib_a chunk that is shorter than its dimensions is refused") {
  for (const std::size_t kept : {28, 20}) {
    const Folder folder;
    const std::string path = folder / "p.hdf5";
    FclibTree tree = two_contacts();
    const Integers p = integers(tree, "fclib_local/W/p");
    tree.erase("fclib_local/W/p");
    write_tree(path, tree);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hsize_t count = p.size(), start = 0;
    const hid_t space = H5Screate_simple(1, &count, nullptr),
                layout = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(layout, 1, &count);
    H5Pset_deflate(layout, 6);
    const hid_t set = H5Dcreate2(file, "fclib_local/W/p", H5T_NATIVE_INT32, space, H5P_DEFAULT,
                                 layout, H5P_DEFAULT);
    // as it is, the filter skipped
    REQUIRE(H5Dwrite_chunk(set, H5P_DEFAULT, 1, &start, kept, p.data()) >= 0);
    H5Dclose(set);
    H5Pclose(layout);
    H5Sclose(space);
    H5Fclose(file);
    const std::string text = message<SceneError>([&] { read_fclib(path); });
    CAPTURE(text);
    CHECK(text.empty() == (kept == 28));
    if (kept == 20)
      CHECK(text.find(": /fclib_local/W/p: declares 7 elements and contains 20 bytes") !=
            std::string::npos);
  }
}
