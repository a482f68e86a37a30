// The owner classes over the HDF5 library.
#include "saltus/results/hdf5.h"

#include <doctest/doctest.h>
#include <hdf5.h>

#include <array>
#include <csignal>
#include <limits>
#include <numeric>

#include "unit/results/support.h"

using namespace saltus;
using io_test::Folder;
using io_test::message;

TEST_CASE("hdf5_values come back bit for bit, whatever they are") {
  const Folder folder;
  const std::vector<double> reals{
      0.0, -0.0, 1e-310, 1.0 / 3.0, std::numeric_limits<double>::infinity(), -1e308};
  const std::vector<std::uint64_t> counts{0, 1, std::numeric_limits<std::uint64_t>::max()};
  const std::vector<std::int32_t> integers{-1, std::numeric_limits<std::int32_t>::min(), 7};
  {
    h5::File file = h5::File::create(folder / "a.h5");
    const h5::Group group = file.create_group("g");
    group.write("reals", reals, 3).set("unit", "m");
    group.write("counts", counts);
    group.write("integers", integers);
    group.write("nothing", std::vector<double>{}, 3);
    group.write("text", "caf\xc3\xa9\n");
    group.write("empty", "");
    group.set("n", std::int64_t{-5});
    group.set("x", 0.1);
    group.set("n", std::int64_t{-6});
    file.close();
  }
  const h5::File file = h5::File::read(folder / "a.h5");
  const h5::Group group = file.group("g");
  const std::vector<double> read = group.dataset("reals").reals();
  REQUIRE(read.size() == reals.size());
  CHECK(std::memcmp(read.data(), reals.data(), 8 * reals.size()) == 0);
  CHECK(group.dataset("reals").rows() == 2);
  CHECK(group.dataset("reals").columns() == 3);
  CHECK(group.dataset("reals").text("unit") == "m");
  CHECK(group.dataset("counts").counts() == counts);
  CHECK(group.dataset("integers").integers() == integers);
  CHECK(group.dataset("nothing").reals().empty());
  CHECK(group.dataset("text").text() == "caf\xc3\xa9\n");
  CHECK(group.dataset("empty").text().empty());
  CHECK(group.integer("n") == -6);
  CHECK(group.real("x") == 0.1);
  CHECK(file.has("g/reals"));
  CHECK_FALSE(file.has("g/none"));
  CHECK_FALSE(file.has("none/reals"));
}

TEST_CASE(
    "hdf5_rows that wait for their chunk are there for readers of the table and behind each "
    "flush") {
  const Folder folder;
  for (const int gzip : {0, 1}) {
    CAPTURE(gzip);
    h5::File file = h5::File::create(folder / "a.h5");
    h5::Dataset table = file.create("t", {h5::Type::real64, 2, 4, gzip});
    std::vector<double> all;
    const auto append = [&](std::size_t rows) {
      std::vector<double> values(2 * rows);
      for (double& x : values) x = 0.1 * static_cast<double>(all.size() + 1), all.push_back(x);
      table.append(values);
    };
    append(3);
    append(6);
    CHECK(table.rows() == 9);
    CHECK(table.reals() == all);
    append(1);
    append(2);
    file.flush();
    CHECK(h5::File::read(folder / "a.h5").dataset("t").reals() == all);
    append(4);
    CHECK(table.kept_sum() == table.sum(16));
    append(1);
    CHECK(table.kept_sum() == table.sum(17));
    file.create("u", {h5::Type::int32, 0, 8, gzip})
        .append(std::vector<std::int32_t>{1, 2, 3});  // closed before its rows are written
    file.close();
    const h5::File read = h5::File::read(folder / "a.h5");
    CHECK(read.dataset("t").reals() == all);
    CHECK(read.dataset("u").integers() == std::vector<std::int32_t>{1, 2, 3});
  }
}

TEST_CASE("hdf5_chunks that unpack to fewer bytes than their rows take are not read") {
  const Folder folder;
  h5::File file = h5::File::create(folder / "a.h5");
  h5::Dataset table = file.create("t", {h5::Type::real64, 2, 4, 1});
  std::vector<double> all(2 * 11);
  std::iota(all.begin(), all.end(), 1.0);
  table.append(all);
  file.close();
  const hid_t raw = H5Fopen((folder / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
              data = H5Dopen2(raw, "t", H5P_DEFAULT);
  const std::array<hsize_t, 2> middle{4, 0};
  const std::array<char, 40> bytes{};
  constexpr unsigned kAsItIs = 3;  // no filter was applied
  REQUIRE(H5Dwrite_chunk(data, H5P_DEFAULT, kAsItIs, middle.data(), bytes.size(), bytes.data()) >=
          0);
  H5Dclose(data), H5Fclose(raw);
  const h5::File read = h5::File::read(folder / "a.h5");
  const h5::Dataset torn = read.dataset("t");
  CHECK(torn.extent().torn);
  CHECK(torn.reals(0, 4) == std::vector<double>(all.begin(), all.begin() + 8));
  CHECK(torn.reals(8, 3) == std::vector<double>(all.begin() + 16, all.end()));
  for (const std::size_t first : {3u, 4u, 7u})
    CHECK(message<h5::Error>([&] {
            torn.reals(first, 2);
          }).find("contains less data than declared") != std::string::npos);
}

TEST_CASE("hdf5_tables grow in pieces across chunks and can be shortened") {
  const Folder folder;
  h5::File file = h5::File::create(folder / "a.h5");
  h5::Dataset table = file.create("t", {h5::Type::real64, 2, 4, 3});
  std::vector<double> all;
  for (std::size_t rows : {1u, 5u, 3u, 11u}) {
    std::vector<double> piece(2 * rows);
    std::iota(piece.begin(), piece.end(), static_cast<double>(all.size()));
    table.append(std::span<const double>(piece));
    all.insert(all.end(), piece.begin(), piece.end());
  }
  CHECK(table.rows() == 20);
  CHECK(table.reals() == all);
  CHECK(table.reals(7, 2) == std::vector<double>(all.begin() + 14, all.begin() + 18));
  table.truncate(6);
  CHECK(table.reals() == std::vector<double>(all.begin(), all.begin() + 12));
  table.append(std::span<const double>(std::array{-1.0, -2.0}));
  CHECK(table.reals(6, 1) == std::vector{-1.0, -2.0});
}

TEST_CASE("hdf5_rows that the file has of another length, or has not, are faults of the file") {
  const Folder folder;
  h5::File file = h5::File::create(folder / "a.h5");
  for (const int gzip : {0, 1}) {
    const std::string name = gzip ? "packed" : "plain";
    h5::Dataset table = file.create(name, {h5::Type::real64, 3, 4, gzip});
    table.append(std::vector<double>(6, 0.5));
    CHECK(message<h5::Error>([&] {
            table.append(std::vector<double>(4, 0.5));
          }).find("/" + name + ": has rows of 3 numbers") != std::string::npos);
    CHECK(message<h5::Error>([&] { table.truncate(3); }).find("rows are missing") !=
          std::string::npos);
    CHECK(message<h5::Error>([&] { table.reals(1, 2); }).find("rows are missing") !=
          std::string::npos);
    CHECK(table.rows() == 2);
  }
}

TEST_CASE("hdf5_two names of one table share its rows") {
  const Folder folder;
  h5::File file = h5::File::create(folder / "a.h5");
  h5::Dataset time = file.create("time", {});
  file.create_group("g");
  file.link("time", "g/time");
  time.append(std::span<const double>(std::array{1.0}));
  CHECK(file.dataset("g/time").reals() == std::vector{1.0});
}

TEST_CASE("hdf5_failures name the file and the object, and print nothing else") {
  const Folder folder;
  h5::File file = h5::File::create(folder / "a.h5");
  const std::string path = folder / "a.h5";
  CHECK(message<h5::Error>([&] {
          file.dataset("g/none");
        }).find(path + ": /g/none: cannot open: ") == 0);
  CHECK(message<h5::Error>([&] { file.text("none"); }).find(path + ": has no ") == 0);
  CHECK(message<h5::Error>([&] { h5::File::read(folder / "no.h5"); }).find("No such file") !=
        std::string::npos);
  io_test::put(folder / "text.h5", "no HDF5 at all");
  CHECK(message<h5::Error>([&] { h5::File::read(folder / "text.h5"); }).find("cannot open") !=
        std::string::npos);
  file.write("x", std::vector{1.0});
  CHECK(message<h5::Error>([&] { file.write("x", std::vector{1.0}); }).find("/x: cannot create") !=
        std::string::npos);
}

TEST_CASE("hdf5_a full disk is noticed at any size, and the program ends in good order") {
  const Folder folder;
  for (rlim_t limit = 0; limit <= 120'000; limit += 6'101) {
    CAPTURE(limit);
    const int result = io_test::with_file_size_limit(limit, [&] {
      const std::string text = message<h5::Error>([&] {
        h5::File file = h5::File::create(folder / "a.h5");
        h5::Dataset table = file.create("t", {h5::Type::real64, 0, 4096, 0});
        const std::vector<double> block(4096, 1.5);
        for (int k = 0; k < 5; ++k) table.append(std::span<const double>(block));  // 164 kB
        file.close();
      });
      return text.find("File too large") != std::string::npos ? 0 : 1;
    });
    CHECK(result == 0);
  }
}

TEST_CASE("hdf5_rows for which there is no room are noticed at once and at the next flush") {
  const Folder folder;
  const int result = io_test::with_file_size_limit(10'000, [&] {
    h5::File file = h5::File::create(folder / "a.h5");
    const std::vector<double> block(1 << 18, 1.5);  // more than waits in memory
    const std::string append = message<h5::Error>([&] {
      file.create("t", {h5::Type::real64, 0, 4096, 0}).append(std::span<const double>(block));
    });
    const std::string flush = message<h5::Error>([&] { file.flush(); });
    const std::string close = message<h5::Error>([&] { file.close(); });
    return append.find("a.h5: /t: cannot write: File too large") != std::string::npos &&
                   flush.find("a.h5: cannot write: File too large") != std::string::npos &&
                   close == flush
               ? 0
               : 1;
  });
  CHECK(result == 0);
}

TEST_CASE("hdf5_what was flushed survives the death of the program") {
  const Folder folder;
  const std::string path = folder / "a.h5";
  const pid_t child = ::fork();
  if (child == 0) {
    h5::File file = h5::File::create(path);
    h5::Dataset table = file.create("t", {h5::Type::real64, 0, 16, 1});
    const std::vector<double> block(40, 2.0);
    table.append(std::span<const double>(block));
    file.flush();
    for (int k = 0; k < 2000; ++k) table.append(std::span<const double>(block));  // not flushed
    for (int k = 0; k < 200; ++k) file.create_group("g" + std::to_string(k));
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  const std::vector<double> rows = h5::File::read(path).dataset("t").reals();
  CHECK(rows == std::vector<double>(40, 2.0));
}

TEST_CASE("hdf5_names that HDF5 cannot hold are escaped") {
  CHECK(h5::escaped("bass string") == "bass string");
  CHECK(h5::escaped("a/b.c%") == "a%2Fb.c%25");
  CHECK(h5::escaped("..") == "%2E.");
}
