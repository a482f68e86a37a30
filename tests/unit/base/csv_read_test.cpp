#include "saltus/base/csv_read.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "saltus/base/error.h"

using namespace saltus;

namespace {

std::string fault(const std::string& text) {
  try {
    read_csv_text(text, "t.csv", "bodies[0].modes.file");
  } catch (const SceneError& error) {
    CHECK(error.placed());
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("tables with commas or blanks, comments and a header are read") {
  for (const char* text :
       {"1,2.5,-3e-2\n4,5,6\n", "1 2.5 -3e-2\n4 5 6",
        "# note, with comma\n\n1, 2.5,-3e-2 # first\n 4 ,5,6\r\n", "a,b,c\n1,2.5,-3e-2\n4,5,6\n",
        "a b c\n1\t2.5\t-3e-2\n  4 5 6\n", "1,2.5,-3e-2,\n4,5,6,\n"}) {
    CAPTURE(text);
    const CsvTable table = read_csv_text(text, "t.csv");
    CHECK(table.rows == 2);
    CHECK(table.columns == 3);
    CHECK(table.values == std::vector<double>{1.0, 2.5, -0.03, 4.0, 5.0, 6.0});
    CHECK(table.column(2) == std::vector<double>{-0.03, 6.0});
    CHECK(table.at(1, 0) == 4.0);
    if (!table.names.empty()) CHECK(table.names == std::vector<std::string>{"a", "b", "c"});
  }
  CHECK(read_csv_text("# a\nx,y\n\n1,2\n3,4\n", "t").lines == std::vector<int>{4, 5});
  CHECK_THROWS_AS(read_csv_text("1,2\n", "t").at(1, 0), UsageError);
}

TEST_CASE("a faulty table is reported with file, line and column") {
  const std::string path = "bodies[0].modes.file: ";
  CHECK(fault("") == "t.csv: " + path + "contains no numbers; write at least one row of numbers");
  CHECK(fault("# only\n\n") ==
        "t.csv: " + path + "contains no numbers; write at least one row of numbers");
  CHECK(fault("a,b\n") ==
        "t.csv: " + path + "contains no numbers; write at least one row of numbers");
  CHECK(fault("1,2\n3\n") ==
        "t.csv:2:1: " + path +
            "the row has 1 cells instead of 2; all rows must have the same number of cells");
  CHECK(fault("a,b\n1,2,3\n").starts_with("t.csv:2:5: " + path + "the row has 3 cells"));
  CHECK(fault("1,2\n3, nan\n") ==
        "t.csv:2:4: " + path + "'nan' is not a finite number; a number without unit");
  CHECK(fault("1 2\n3 -inf\n").starts_with("t.csv:2:3: " + path + "'-inf' is not a finite"));
  CHECK(fault("1,1e999\n").starts_with("t.csv:1:3: " + path + "'1e999' is outside the range"));
  CHECK(fault("1,2\nx,y\n").starts_with("t.csv:2:1: " + path + "'x' is not a number"));
  CHECK(fault("a,b\nc,d\n").starts_with("t.csv:2:1: " + path + "'c' is not a number"));
  CHECK(fault("a,1\n").starts_with("t.csv:1:1: " + path + "'a' is not a number"));
  CHECK(fault("nan,nan\n").starts_with("t.csv:1:1: " + path + "'nan' is not a finite"));
  CHECK(fault("1,2\n3,,\n") == "t.csv:2:3: " + path + "a cell is empty; a number");
  CHECK(fault("1,2\n,3\n") == "t.csv:2:1: " + path + "a cell is empty; a number");
  CHECK(fault("1;2\n").starts_with("t.csv:1:1: " + path + "';2' is not a unit"));
  CHECK(fault("1 m,2\n").starts_with("t.csv:1:1: " + path + "'m' is a unit of another"));
  CHECK(fault("\u00e9\u00e9,x,1\n1,2,3\n").starts_with("t.csv:1:1: "));
}

TEST_CASE("too few columns are reported with the names of those needed") {
  const CsvTable table = read_csv_text("# h\n1,2\n", "t.csv");
  CHECK_NOTHROW(expect_columns(table, 2, "x, h", "p"));
  CHECK_THROWS_WITH_AS(expect_columns(table, 3, "j, nu [Hz], sigma [1/s]", "p"),
                       "t.csv:2:1: p: the table has 2 columns; needed: j, nu [Hz], sigma [1/s]",
                       SceneError);
}

TEST_CASE("a table file that is missing or a folder is a fault of the entry that names it") {
  CHECK_THROWS_WITH_AS(read_csv("no_such.csv", "bodies[0].string.table"),
                       "bodies[0].string.table: 'no_such.csv' does not exist", SceneError);
  CHECK_THROWS_WITH_AS(read_csv("no_such.csv"), "no_such.csv: does not exist", SceneError);
  CHECK_THROWS_WITH_AS(read_csv(".", "p"), "p: '.' is a folder, not a file", SceneError);
}

TEST_CASE("a table file with a byte order mark is read") {
  const auto file = std::filesystem::temp_directory_path() / "saltus_csv_read_test.csv";
  std::ofstream(file, std::ios::binary) << "\xEF\xBB\xBF"
                                        << "1,2\n";
  const CsvTable table = read_csv(file);
  std::filesystem::remove(file);
  CHECK(table.values == std::vector<double>{1.0, 2.0});
  CHECK(table.file == file.string());
}
