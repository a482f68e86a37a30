// Tables as CSV.
#include "saltus/exchange/csv_write.h"

#include <doctest/doctest.h>

#include <charconv>
#include <clocale>
#include <cstring>
#include <limits>

#include "saltus/base/error.h"
#include "unit/results/support.h"

using namespace saltus;
using io_test::bytes_of;
using io_test::exists;
using io_test::Folder;

TEST_CASE("csv_write_has a header with names and units, and quotes what needs it") {
  const Folder folder;
  const std::vector<double> a{0.0, 0.5}, b{-1.0, 2e300};
  const std::array columns{CsvColumn{"time", "s", a}, CsvColumn{"pick, \"up\"", "m/s", b},
                           CsvColumn{"q0", "", a}};
  write_csv(folder / "a.csv", columns);
  CHECK(bytes_of(folder / "a.csv") ==
        "time [s],\"pick, \"\"up\"\" [m/s]\",q0\n0,-1,0\n0.5,2.0000000000000001e+300,0.5\n");
}

TEST_CASE("csv_write_numbers come back bit for bit") {
  const Folder folder;
  std::vector<double> values{0.1,
                             1.0 / 3.0,
                             -0.0,
                             5e-324,
                             std::numeric_limits<double>::max(),
                             std::numeric_limits<double>::infinity()};
  for (int k = 0; k < 1000; ++k) values.push_back(std::sin(k) * std::pow(10.0, k % 600 - 300));
  write_csv(folder / "a.csv", std::array{CsvColumn{"x", "", values}});
  const std::string text = bytes_of(folder / "a.csv");
  std::vector<double> read;
  for (std::size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1) {
    double value = 0.0;
    REQUIRE(std::from_chars(text.data() + at, text.data() + text.size(), value).ec == std::errc());
    read.push_back(value);
  }
  REQUIRE(read.size() == values.size());
  CHECK(std::memcmp(read.data(), values.data(), 8 * values.size()) == 0);
}

TEST_CASE("csv_write_does not depend on the locale of the program") {
  const Folder folder;
  const char* old = std::setlocale(LC_NUMERIC, nullptr);
  const std::string before = old ? old : "C";
  std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  const std::vector<double> x{0.5};
  write_csv(folder / "a.csv", std::array{CsvColumn{"x", "", x}});
  std::setlocale(LC_NUMERIC, before.c_str());
  CHECK(bytes_of(folder / "a.csv") == "x\n0.5\n");
}

TEST_CASE("csv_write_on a full disk fails and leaves no file") {
  const Folder folder;
  const int result = io_test::with_file_size_limit(50'000, [&] {
    const std::vector<double> x(100'000, 1.0 / 3.0);
    const std::string text = io_test::message<RunError>([&] {
      write_csv(folder / "a.csv", std::array{CsvColumn{"x", "", x}});
    });
    return text.find("write failed: File too large") != std::string::npos ? 0 : 1;
  });
  CHECK(result == 0);
  CHECK_FALSE(exists(folder / "a.csv"));
  CHECK_FALSE(exists(folder / "a.csv.part"));
}
