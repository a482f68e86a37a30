// Tables of numbers from text files: cells separated by commas or blanks, `#` starts a comment, the
// first line may contain column names.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// A table read from a file, stored row by row.
struct CsvTable {
  std::string file;                ///< file name for errors
  std::vector<std::string> names;  ///< column names; empty without a header line
  int rows = 0, columns = 0;
  std::vector<double> values;  ///< rows * columns
  std::vector<int> lines;      ///< line number of each row in the file, from 1

  double at(int row, int column) const;
  std::vector<double> column(int index) const;
};

/// Reads a table with at least one row. Throws SceneError with line and column for text, NaN,
/// infinity and rows of unequal length. `path`: the entry of the scene that names the file.
CsvTable read_csv(const std::filesystem::path& file, const std::string& path = "");

/// Reads the table from `text`; `name` identifies it in errors.
CsvTable read_csv_text(std::string_view text, const std::string& name,
                       const std::string& path = "");

/// Throws SceneError unless the table has at least `least` columns; `what` lists their names, such
/// as "j, nu, sigma".
void expect_columns(const CsvTable& table, int least, std::string_view what,
                    const std::string& path);

}  // namespace saltus
