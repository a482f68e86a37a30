// Reference tables in tests/golden: rows of text cells, read as they stand.
#pragma once
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "saltus/base/base.h"

namespace saltus::test {

using TableRow = std::vector<std::string>;

inline std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(SALTUS_TEST_DATA) / "golden" / name;
}

/// Cells parted by `separator`; a cell in double quotes may hold it. Empty lines and lines that begin with # are left
/// out. A file that is not there fails the test.
inline std::vector<TableRow> read_table(const std::filesystem::path& file, char separator) {
  std::ifstream in(file);
  REQUIRE_MESSAGE(in.good(), file.string());
  std::vector<TableRow> rows;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    TableRow row(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"')
        quoted = !quoted;
      else if (c == separator && !quoted)
        row.emplace_back();
      else
        row.back() += c;
    }
    rows.push_back(row);
  }
  return rows;
}

/// "1.5", "1/16"; the whole cell must be one number.
inline double number(const std::string& cell) {
  char* end = nullptr;
  double value = std::strtod(cell.c_str(), &end);
  if (*end == '/') value /= std::strtod(end + 1, &end);
  REQUIRE_MESSAGE((end != cell.c_str() && *end == '\0'), "not a number: '" << cell << "'");
  return value;
}

/// Numbers parted by `separator`.
inline Vector numbers(const std::string& cell, char separator = ';') {
  std::vector<double> values;
  std::string one;
  for (const char c : cell + separator) {
    if (c != separator) {
      one += c;
    } else if (!one.empty()) {
      values.push_back(number(one));
      one.clear();
    }
  }
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// The value of a quantity of tests/golden/benchmarks: benchmark("B04", "stop time (apex)").
inline double benchmark(const std::string& id, const std::string& what) {
  for (const TableRow& row : read_table(golden("benchmarks/benchmarks.csv"), ','))
    if (row[0] == id && row[3] == what) return number(row[4]);
  FAIL("no such benchmark: " << id << " " << what);
  return 0.0;
}

}  // namespace saltus::test
