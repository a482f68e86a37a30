#include "saltus/exchange/fclib_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/results/layout.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;
using Kind = h5::Extent::Kind;

std::size_t to_size(int i) { return static_cast<std::size_t>(i); }

h5::File open(const std::string& path) {
  layout::expect_name(path);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw SceneError("", "cannot be read: no such file").at(path, 0, 0);
  if (!fs::is_regular_file(status))
    throw SceneError("", "cannot be read: not a regular file").at(path, 0, 0);
  try {
    return h5::File::read(path);
  } catch (const h5::Foreign& e) {
    layout::foreign(path, e);
  } catch (const h5::Error& e) {
    const std::string text = e.what();
    throw SceneError("", "is not a complete HDF5 file" + text.substr(text.rfind(": ")))
        .at(path, 0, 0);
  }
}

}  // namespace

FclibFile::FclibFile(std::string path) : path_(std::move(path)), file_(open(path_)) {}

void FclibFile::fail(const std::string& object, const std::string& what,
                     const std::string& allowed) const {
  throw SceneError(object, what + " (" + allowed + ")").at(path_, 0, 0);
}

h5::Dataset FclibFile::numbers(const std::string& object, bool whole) const {
  if (!file_.has(object)) fail(object, "is missing", "every problem must have it");
  h5::Dataset data = file_.dataset(object);
  const h5::Extent extent = data.extent();
  if (extent.size > 8 || (extent.kind != Kind::integer && (whole || extent.kind != Kind::real)))
    fail(object, "is of another type",
         whole ? "integers of at most 8 bytes" : "numbers of at most 8 bytes");
  if (extent.count > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    fail(object, fmt::format("has {} elements", extent.count), "at most 2^31 - 1");
  return data;
}

void FclibFile::expect_whole(const std::string& object, const h5::Extent& extent) const {
  if (!extent.whole())
    fail(object,
         fmt::format("declares {} elements and contains {} bytes", extent.count, extent.stored),
         "all of its data");
}

std::vector<int> FclibFile::integers(const std::string& object) const {
  const h5::Dataset data = numbers(object, true);
  const h5::Extent extent = data.extent();
  expect_whole(object, extent);
  std::vector<int> values(static_cast<std::size_t>(extent.count));
  data.read(values);
  return values;
}

int FclibFile::integer(const std::string& object) const {
  const std::vector<int> values = integers(object);
  if (values.size() != 1) fail(object, fmt::format("has {} elements", values.size()), "1");
  return values[0];
}

Vector FclibFile::finite(const std::string& object, const h5::Dataset& data, int size) const {
  Vector values(size);
  data.read(std::span(values.data(), to_size(size)));
  for (int k = 0; k < size; ++k)
    if (!std::isfinite(values[k]))
      fail(object, fmt::format("element {} is {}", k, values[k]), "finite numbers");
  return values;
}

Vector FclibFile::reals(const std::string& object) const {
  const h5::Dataset data = numbers(object, false);
  const h5::Extent extent = data.extent();
  expect_whole(object, extent);
  return finite(object, data, static_cast<int>(extent.count));
}

Vector FclibFile::reals(const std::string& object, int size, const std::string& why) const {
  const h5::Dataset data = numbers(object, false);
  const h5::Extent extent = data.extent();
  if (extent.count != to_size(size))
    fail(object, fmt::format("has {} elements", extent.count), fmt::format("{}: {}", size, why));
  expect_whole(object, extent);
  return finite(object, data, size);
}

Vector FclibFile::reals_or_zeros(const std::string& object, int size,
                                 const std::string& why) const {
  const h5::Extent extent = numbers(object, false).extent();
  if (extent.stored > 0 || extent.count != to_size(size)) return reals(object, size, why);
  return Vector::Zero(size);
}

std::string FclibFile::text(const std::string& object) const {
  if (!file_.has(object)) return "";
  try {
    return file_.dataset(object).text();
  } catch (const h5::Error&) {
    return "";  // of variable length, or not a text: no result depends on it
  }
}

FclibMatrix read_fclib_matrix(const FclibFile& file, const std::string& object, int rows,
                              int columns) {
  FclibMatrix A;
  A.object = object;
  A.rows = file.integer(object + "/m");
  A.columns = file.integer(object + "/n");
  if (A.rows != rows || A.columns != columns)
    file.fail(object, fmt::format("is {} x {}", A.rows, A.columns),
              fmt::format("{} x {}, by the lengths of the vectors", rows, columns));
  const int most = file.integer(object + "/nzmax");
  A.nz = file.integer(object + "/nz");
  if (A.nz < -2)
    file.fail(object + "/nz", fmt::format("is {}", A.nz), ">= 0 triplets, -1 columns, -2 rows");
  A.p = file.integers(object + "/p");
  A.i = file.integers(object + "/i");
  A.x = file.reals(object + "/x");

  int count = A.nz;
  if (A.nz < 0) {
    const int lines = A.nz == -1 ? columns : rows;
    if (A.p.size() != to_size(lines) + 1)
      file.fail(object + "/p", fmt::format("has {} elements", A.p.size()),
                fmt::format("{}, one more than {}", lines + 1, A.nz == -1 ? "columns" : "rows"));
    if (A.p.front() != 0) file.fail(object + "/p", "does not begin with 0", "increasing from 0");
    const auto fall = std::ranges::adjacent_find(A.p, std::greater<>());
    if (fall != A.p.end())
      file.fail(object + "/p", fmt::format("decreases after element {}", fall - A.p.begin()),
                "increasing from 0");
    count = A.p.back();
  } else if (A.p.size() < to_size(count)) {
    file.fail(object + "/p", fmt::format("has {} elements", A.p.size()),
              fmt::format("at least {} triplets", count));
  }
  if (count > most)
    file.fail(object + "/nzmax", fmt::format("is {}", most), fmt::format("at least {}", count));
  for (const auto& [name, size] :
       {std::pair{"/i", A.i.size()}, {"/x", static_cast<std::size_t>(A.x.size())}})
    if (size < to_size(count))
      file.fail(object + name, fmt::format("has {} elements", size),
                fmt::format("at least {}", count));
  const int other = A.nz == -1 ? rows : columns;
  for (int k = 0; k < count && A.nz < 0; ++k)
    if (A.i[to_size(k)] < 0 || A.i[to_size(k)] >= other)
      file.fail(object + "/i", fmt::format("element {} is {}", k, A.i[to_size(k)]),
                fmt::format("0 to {}", other - 1));
  return A;
}

namespace {

/// First triplet outside the matrix if rows are given by `row`; -1: all are inside.
int outside(const FclibMatrix& A, const std::vector<int>& row, const std::vector<int>& column) {
  for (int k = 0; k < A.nz; ++k)
    if (row[to_size(k)] < 0 || row[to_size(k)] >= A.rows || column[to_size(k)] < 0 ||
        column[to_size(k)] >= A.columns)
      return k;
  return -1;
}

/// Number of columns that have an entry.
int filled(const FclibMatrix& A, const std::vector<int>& column) {
  std::vector<char> seen(to_size(A.columns));
  for (int k = 0; k < A.nz; ++k) seen[to_size(column[to_size(k)])] = 1;
  return static_cast<int>(std::ranges::count(seen, 1));
}

}  // namespace

TripletOrder triplet_order(const FclibFile& file, std::span<const FclibMatrix> matrices) {
  bool row_i = true, row_p = true;
  for (const FclibMatrix& A : matrices) {
    if (A.nz < 0) continue;
    const int by_i = outside(A, A.i, A.p), by_p = outside(A, A.p, A.i);
    if (by_i >= 0 && (by_p >= 0 || !row_p))
      file.fail(
          A.object,
          fmt::format("entry {} has i = {}, p = {}", by_i, A.i[to_size(by_i)], A.p[to_size(by_i)]),
          fmt::format("inside {} x {}, with rows in i, or in p, throughout the file", A.rows,
                      A.columns));
    if (by_p >= 0 && !row_i)
      file.fail(
          A.object,
          fmt::format("entry {} has i = {}, p = {}", by_p, A.i[to_size(by_p)], A.p[to_size(by_p)]),
          fmt::format("inside {} x {}, with rows in p as in the previous matrices", A.rows,
                      A.columns));
    row_i = row_i && by_i < 0;
    row_p = row_p && by_p < 0;
  }
  if (!row_p) return TripletOrder::row_i;
  if (!row_i) return TripletOrder::row_p;
  // Every column of a Jacobian has an entry, for either convention.
  int votes = 0;
  for (const FclibMatrix& A : matrices)
    if (A.nz >= 0) votes += filled(A, A.p) - filled(A, A.i);
  return votes < 0 ? TripletOrder::row_p : TripletOrder::row_i;
}

std::vector<Entry> entries(const FclibMatrix& A, TripletOrder order) {
  std::vector<Entry> list;
  if (A.nz >= 0) {
    const bool row_i = order == TripletOrder::row_i;
    const std::vector<int>&row = row_i ? A.i : A.p, &column = row_i ? A.p : A.i;
    list.reserve(to_size(A.nz));
    for (int k = 0; k < A.nz; ++k) list.push_back({row[to_size(k)], column[to_size(k)], A.x[k]});
    return list;
  }
  list.reserve(to_size(A.p.back()));
  for (int line = 0; line + 1 < std::ssize(A.p); ++line)
    for (int k = A.p[to_size(line)]; k < A.p[to_size(line) + 1]; ++k)
      list.push_back(A.nz == -1 ? Entry{A.i[to_size(k)], line, A.x[k]}
                                : Entry{line, A.i[to_size(k)], A.x[k]});
  return list;
}

}  // namespace saltus
