#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/base/matrix_market.h"
#include "saltus/base/npy.h"

using namespace saltus;

namespace {

const std::string kBanner = "%%MatrixMarket matrix ";

Matrix dense(const MatrixFile& file) {
  Matrix A = Matrix::Zero(file.rows, file.columns);
  for (const Entry& e : file.entries) A(e.row, e.column) += e.value;
  return A;
}

Matrix mtx(const std::string& text) { return dense(read_matrix_market_text(text, "k.mtx")); }

template <class Read>
std::string fault(Read read) {
  try {
    read();
  } catch (const SceneError& error) {
    CHECK(error.placed());
    return error.what();
  }
  return "";
}

std::string mtx_fault(const std::string& text) {
  return fault([&] { read_matrix_market_text(text, "k.mtx", "mass"); });
}

Matrix matrix(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix A(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows.begin()->size()));
  Eigen::Index i = 0;
  for (const auto& row : rows) {
    Eigen::Index j = 0;
    for (double a : row) A(i, j++) = a;
    ++i;
  }
  return A;
}

// A file as numpy writes it: the header padded to a multiple of 64 bytes.
std::string npy(const std::string& header, const std::string& numbers, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  const std::size_t field = version == 1 ? 2 : 4;
  std::string text = header;
  while ((bytes.size() + field + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  for (std::size_t i = 0; i < field; ++i) bytes += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  return bytes + text + numbers;
}

std::string header(const std::string& type, const std::string& shape,
                   const std::string& fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

template <class T>
std::string packed(const std::vector<T>& numbers) {
  std::string bytes;
  for (T number : numbers) {
    std::uint64_t bits = 0;
    if constexpr (sizeof(T) == 8)
      bits = std::bit_cast<std::uint64_t>(number);
    else
      bits = std::bit_cast<std::uint32_t>(number);
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes += static_cast<char>(bits >> (8 * i) & 0xFF);
  }
  return bytes;
}

Matrix read(const std::string& bytes) { return read_npy_bytes(bytes, "m.npy"); }

std::string npy_fault(const std::string& bytes) {
  return fault([&] { read_npy_bytes(bytes, "m.npy", "mass"); });
}

const std::vector<double> kSix = {1.0, 2.0, 3.0, 4.0, -5.5, 6.0};

}  // namespace

TEST_CASE("entries of a Matrix Market file are read, comments, blank lines and blanks left out") {
  const std::string text = kBanner +
                           "coordinate real general\n"
                           "% made by hand\n\n"
                           "  2 3\t3\r\n"
                           "1 1 2.5\n"
                           "% half way\n"
                           "2  3 -1e3\n"
                           "2 2 +4\n\n";
  CHECK(mtx(text) == matrix({{2.5, 0.0, 0.0}, {0.0, 4.0, -1000.0}}));
  CHECK(mtx("%%matrixmarket MATRIX Coordinate Integer GENERAL\n1 1 1\n1 1 7") == matrix({{7.0}}));
  CHECK(mtx(kBanner + "coordinate real general\n2 2 0\n") == Matrix::Zero(2, 2));
  CHECK(mtx(kBanner + "coordinate real general\n1 1 2\n1 1 2\n1 1 3\n") == matrix({{5.0}}));
}

TEST_CASE("symmetric Matrix Market files give both triangles") {
  CHECK(mtx(kBanner + "coordinate real symmetric\n2 2 2\n1 1 3\n2 1 -1\n") ==
        matrix({{3.0, -1.0}, {-1.0, 0.0}}));
  CHECK(mtx(kBanner + "coordinate real skew-symmetric\n2 2 1\n2 1 -1\n") ==
        matrix({{0.0, 1.0}, {-1.0, 0.0}}));
}

TEST_CASE("arrays of a Matrix Market file are read by columns") {
  CHECK(mtx(kBanner + "array real general\n2 3\n1\n2\n3\n4\n0\n6\n") ==
        matrix({{1.0, 3.0, 0.0}, {2.0, 4.0, 6.0}}));
  CHECK(mtx(kBanner + "array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n") ==
        matrix({{1.0, 2.0, 3.0}, {2.0, 4.0, 5.0}, {3.0, 5.0, 6.0}}));
  CHECK(mtx(kBanner + "array integer skew-symmetric\n3 3\n1\n2\n3\n") ==
        matrix({{0.0, -1.0, -2.0}, {1.0, 0.0, -3.0}, {2.0, 3.0, 0.0}}));
}

TEST_CASE("a faulty Matrix Market file is reported with file, line and column") {
  struct Row {
    std::string text, what;
  };
  const std::string c = kBanner + "coordinate real general\n", a = kBanner + "array real general\n",
                    s = kBanner + "coordinate real symmetric\n",
                    k = kBanner + "coordinate real skew-symmetric\n";
  const std::string none =
      "1:1: mass: is not a Matrix Market file; the first line is '%%MatrixMarket matrix coordinate "
      "real general'";
  const std::vector<Row> rows = {
      {"", none},
      {"1 2 3\n", none},
      {"% a comment\n", none},
      {kBanner + "coordinate real\n",
       "1:34: mass: the line has 4 words instead of 5; the first line is '%%MatrixMarket matrix "
       "coordinate real general'"},
      {"%%MatrixMarket vector coordinate real general\n",
       "1:16: mass: 'vector' files are not supported; allowed: matrix"},
      {kBanner + "pairs real general\n",
       "1:23: mass: 'pairs' matrices are not supported; allowed: coordinate, array"},
      {kBanner + "coordinate pattern general\n",
       "1:34: mass: 'pattern' matrices are not supported; allowed: real, integer"},
      {kBanner + "coordinate complex general\n",
       "1:34: mass: 'complex' matrices are not supported; allowed: real, integer"},
      {kBanner + "coordinate real hermitian\n",
       "1:39: mass: 'hermitian' matrices are not supported; allowed: general, symmetric, "
       "skew-symmetric"},
      {c, "1: mass: the size line is missing; write rows, columns and number of entries"},
      {c + "2 2\n",
       "2:3: mass: the line has 2 words instead of 3; rows, columns and number of entries"},
      {a + "2 2 4\n", "2:5: mass: the line has 3 words instead of 2; rows and columns"},
      {c + "0 2 1\n", "2:1: mass: number of rows '0' is outside 1 .. 2147483647"},
      {c + "2 x 1\n", "2:3: mass: 'x' is not a whole number; number of columns"},
      {c + "2 2 -1\n", "2:5: mass: number of entries '-1' is outside 0 .. 2147483647"},
      {s + "2 3 1\n",
       "2:1: mass: a matrix of 2 rows and 3 columns is not symmetric; write equal numbers"},
      {c + "2 2 1\n1 3 1\n", "3:3: mass: column '3' is outside 1 .. 2"},
      {c + "2 2 1\n0 1 1\n", "3:1: mass: row '0' is outside 1 .. 2"},
      {c + "2 2 1\n1.5 1 1\n", "3:1: mass: '1.5' is not a whole number; row"},
      {c + "2 2 1\n1 1\n", "3:3: mass: the line has 2 words instead of 3; row, column and value"},
      {c + "2 2 1\n1 1 nan\n", "3:5: mass: 'nan' is not a finite number; a number without unit"},
      {c + "2 2 1\n1 1 1e999\n", "3:5: mass: '1e999' is outside the range"},
      {c + "2 2 1\n1 1 one\n", "3:5: mass: 'one' is not a number"},
      {c + "2 2 2\n1 1 1\n", "3: mass: ends after 1 of 2 entries"},
      {c + "2 2 1\n1 1 1\n\n2 2 1\n", "5:1: mass: more entries than the 1 stated in the size line"},
      {s + "2 2 1\n1 2 1\n",
       "3:1: mass: an entry above the diagonal; a symmetric file contains only the lower triangle"},
      {k + "2 2 1\n2 2 1\n",
       "3:1: mass: an entry on the diagonal; a skew-symmetric file contains only entries "
       "below the diagonal"},
      {k + "2 2 1\n1 2 1\n",
       "3:1: mass: an entry above the diagonal; a skew-symmetric file contains only entries"},
      {a + "1 2\n1 2\n", "3:3: mass: the line has 2 words instead of 1; one value per line"},
      {a + "2000000000 2000000000\n1\n", "3: mass: ends after 1 of 4000000000000000000 entries"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const std::string what = mtx_fault(row.text);
    INFO(what);
    CHECK(what.starts_with("k.mtx:" + row.what));
  }
}

TEST_CASE("NumPy files of every number type, order and version are read") {
  const Matrix expected = matrix({{1.0, 2.0, 3.0}, {4.0, -5.5, 6.0}});
  CHECK(read(npy(header("<f8", "(2, 3)"), packed(kSix))) == expected);
  for (int version : {2, 3})
    CHECK(read(npy(header("<f8", "(2, 3)"), packed(kSix), version)) == expected);
  CHECK(read(npy(header("<f8", "(3, 2)", "True"), packed(kSix))) == expected.transpose());
  CHECK(read(npy(header("<f4", "(2,3)"), packed<float>({1, 2, 3, 4, -5.5F, 6}))) == expected);
  CHECK(read(npy(header("<i8", "(1, 2)"), packed<std::int64_t>({-3, 1LL << 40}))) ==
        matrix({{-3.0, std::ldexp(1.0, 40)}}));
  CHECK(read(npy(header("<i4", "(2,)"), packed<std::int32_t>({-3, 70000}))) ==
        matrix({{-3.0}, {70000.0}}));
  CHECK(read(npy("{\"shape\":(1,1),\"fortran_order\":True,\"descr\":\"<f8\"}",
                 packed<double>({2.0}))) == matrix({{2.0}}));
}

TEST_CASE("a faulty NumPy file is reported with one clear message") {
  struct Row {
    std::string bytes, what;
  };
  const std::string numbers = packed(kSix), good = npy(header("<f8", "(2, 3)"), numbers);
  const std::string unreadable =
      "has no readable header; needed: descr, fortran_order and shape, as numpy.save writes them";
  const auto nan = packed<double>({1.0, std::numeric_limits<double>::quiet_NaN()});
  const std::vector<Row> rows = {
      {"", "is not a NumPy file; write it with numpy.save"},
      {"PK\x03\x04", "is not a NumPy file; write it with numpy.save"},
      {"\x93NUMPY", "ends inside its header"},
      {good.substr(0, 9), "ends inside its header"},
      {good.substr(0, 40), "ends inside its header"},
      {npy(header("<f8", "(2, 3)"), numbers, 4),
       "has version 4 of the NumPy format; allowed: 1, 2, 3"},
      {npy("", numbers), unreadable},
      {npy("[1, 2]", numbers), unreadable},
      {npy("{'descr': '<f8', 'shape': (2, 3), }", numbers), unreadable},
      {npy("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2, 3), }", numbers), unreadable},
      {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, -3), }", numbers), unreadable},
      {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'more': 1}", numbers),
       unreadable},
      {npy(header("<f8", "(2, 3)") + " more", numbers), unreadable},
      {npy("{'descr': '<f8", numbers), unreadable},
      {npy(header(">f8", "(2, 3)"), numbers),
       "contains numbers of type '>f8'; allowed: <f8, <f4, <i8, <i4"},
      {npy(header("|b1", "(2, 3)"), numbers),
       "contains numbers of type '|b1'; allowed: <f8, <f4, <i8, <i4"},
      {npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,), }", numbers),
       "contains numbers of type '[('a', '<f8')]'; allowed: <f8, <f4, <i8, <i4"},
      {npy(header("<f8", "()"), numbers), "has 0 dimensions; allowed: one or two"},
      {npy(header("<f8", "(1, 2, 3)"), numbers), "has 3 dimensions; allowed: one or two"},
      {npy(header("<f8", "(0, 3)"), ""), "contains no numbers"},
      {npy(header("<f8", "(2, 4)"), numbers), "contains 48 bytes of numbers instead of 2 x 4 of 8"},
      {npy(header("<f8", "(2, 2)"), numbers), "contains 48 bytes of numbers instead of 2 x 2 of 8"},
      {npy(header("<f8", "(2, 3)"), numbers + "x"),
       "contains 49 bytes of numbers instead of 2 x 3 of 8"},
      {npy(header("<f8", "(4294967296, 4294967296)"), numbers),
       "contains 48 bytes of numbers instead of 4294967296 x 4294967296 of 8"},
      {npy(header("<f8", "(1, 2)"), nan), "the number in row 1, column 2 is not finite"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const std::string what = npy_fault(row.bytes);
    INFO(what);
    CHECK(what.starts_with("m.npy: mass: " + row.what));
  }
}

TEST_CASE(
    "matrix files are read from the disk; those that are not there are faults of their entry") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "saltus_matrix_files_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "m.npy", std::ios::binary) << npy(header("<f8", "(2, 3)"), packed(kSix));
  std::ofstream(folder / "m.mtx") << kBanner << "coordinate real general\n1 2 1\n1 2 9\n";
  CHECK(read_npy(folder / "m.npy")(1, 1) == -5.5);
  CHECK(dense(read_matrix_market(folder / "m.mtx")) == matrix({{0.0, 9.0}}));
  std::filesystem::remove_all(folder);
  CHECK_THROWS_WITH_AS(read_npy("no_such.npy", "mass"), "mass: 'no_such.npy' does not exist",
                       SceneError);
  CHECK_THROWS_WITH_AS(read_matrix_market("no_such.mtx", "mass"),
                       "mass: 'no_such.mtx' does not exist", SceneError);
}
