// Whole text files, checked before anybody parses them.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// Columns as editors count them: characters, not bytes. For one thread: places asked for in the
/// order of the text cost the length of the text in all.
class LineTable {
 public:
  explicit LineTable(std::string_view text);
  /// line and byte count from 0; the result from 1.
  int column(int line, int byte) const;
  /// Bytes before that place.
  std::size_t offset(int line, int byte) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
  mutable int line_ = -1;            ///< of the last column
  mutable std::size_t counted_ = 0;  ///< end of the bytes of that line that have been counted ...
  mutable int inside_ = 0;           ///< ... and those among them that continue a character
};

/// Between words of one line.
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Throws SceneError with line and column unless text is UTF-8 without control characters and its
/// lines are indented by spaces.
void check_text(std::string_view text, const std::string& source);

/// The whole file, without a byte order mark; SceneError if it is missing, a folder or larger than
/// 256 MiB. `path`: the entry of the scene that names the file, "" for a file named on the command
/// line.
std::string read_text_file(const std::filesystem::path& file, const std::string& path = "");

}  // namespace saltus
