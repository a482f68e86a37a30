// Reads whole text files and checks them before parsing.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// Converts byte offsets to columns as editors count them: in characters. Not thread-safe. Queries
/// in the order of the text cost the length of the text in total.
class LineTable {
 public:
  explicit LineTable(std::string_view text);
  /// `line` and `byte` count from 0, the result from 1.
  int column(int line, int byte) const;
  /// Number of bytes before that position.
  std::size_t offset(int line, int byte) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
  mutable int line_ = -1;            ///< line of the last query
  mutable std::size_t counted_ = 0;  ///< end of the part of this line that has been scanned ...
  mutable int inside_ = 0;           ///< ... and the number of UTF-8 continuation bytes in it
};

/// Whether c separates words of one line.
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Throws SceneError with line and column unless `text` is UTF-8 without control characters and its
/// lines are indented with spaces.
void check_text(std::string_view text, const std::string& source);

/// Reads the whole file, without a byte order mark; throws SceneError if it is missing, a folder or
/// larger than 256 MiB. `path`: the entry of the scene that names the file, "" for a file named on
/// the command line.
std::string read_text_file(const std::filesystem::path& file, const std::string& path = "");

}  // namespace saltus
