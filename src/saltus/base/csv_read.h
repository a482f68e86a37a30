// Tables of numbers from text files: cells parted by commas or by blanks, `#` starts a comment, one
// line of column names may come first.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// A table read from a file, by rows.
struct CsvTable {
  std::string file;                ///< as named in errors
  std::vector<std::string> names;  ///< of the columns; empty without a header line
  int rows = 0, columns = 0;
  std::vector<double> values;  ///< rows * columns
  std::vector<int> lines;      ///< of each row in the file, from 1

  double at(int row, int column) const;
  std::vector<double> column(int index) const;
};

/// Reads a table; at least one row. SceneError with line and column for text, NaN, infinity and
/// ragged rows. `path`: the entry of the scene that names the file.
CsvTable read_csv(const std::filesystem::path& file, const std::string& path = "");

/// The same from text.
CsvTable read_csv_text(std::string_view text, const std::string& name,
                       const std::string& path = "");

/// Throws SceneError unless the table has at least `least` columns; `what` names them: "j, nu,
/// sigma".
void expect_columns(const CsvTable& table, int least, std::string_view what,
                    const std::string& path);

}  // namespace saltus
