#include "saltus/base/text_check.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr std::uintmax_t kLargest = std::uintmax_t{256} << 20;

/// Length of the UTF-8 sequence at the start of text, 0 if it is invalid (overlong, surrogate, cut
/// off).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned second = byte(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

[[noreturn]] void fail(const std::string& path, const std::filesystem::path& file,
                       const std::string& message, const std::string& hint = "") {
  if (path.empty()) throw SceneError("", message, hint).at(file.string(), 0, 0);
  throw SceneError(path, "'" + file.string() + "' " + message, hint);
}

}  // namespace

LineTable::LineTable(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') starts_.push_back(i + 1);
}

int LineTable::column(int line, int byte) const {
  if (line < 0 || static_cast<std::size_t>(line) >= starts_.size()) return byte + 1;
  const std::size_t start = starts_[static_cast<std::size_t>(line)];
  const std::size_t end =
      start + std::min(text_.size() - start, static_cast<std::size_t>(std::max(0, byte)));
  // continue from the last query if it precedes this one: n queries in a line cost its length, not
  // n times its length
  if (line != line_ || end < counted_) {
    line_ = line;
    counted_ = start;
    inside_ = 0;
  }
  const auto inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  inside_ +=
      static_cast<int>(std::ranges::count_if(text_.substr(counted_, end - counted_), inside));
  counted_ = end;
  return 1 + static_cast<int>(end - start) - inside_;
}

std::size_t LineTable::offset(int line, int byte) const {
  if (line < 0 || static_cast<std::size_t>(line) >= starts_.size()) return text_.size();
  return std::min(text_.size(), starts_[static_cast<std::size_t>(line)] +
                                    static_cast<std::size_t>(std::max(0, byte)));
}

void check_text(std::string_view text, const std::string& source) {
  int line = 1, column = 1;
  bool indent = true;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text.substr(i));
    const char c = text[i];
    const auto stop = [&](const char* message, const char* hint) {
      throw SceneError("", message, hint).at(source, line, column);
    };
    if (length == 0) stop("is not UTF-8 text", "save the file as UTF-8");
    const auto code = static_cast<unsigned char>(c);
    const bool return_key = c == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if ((code < 0x20 && c != '\n' && c != '\t' && !return_key) || code == 0x7F)
      stop("has a control character; text files must not contain any", "");
    if (indent && c == '\t') stop("a tab in the indentation", "indent with spaces");
    indent = c == '\n' || (indent && c == ' ');
    column = c == '\n' ? 1 : column + 1;
    line += c == '\n' ? 1 : 0;
    i += length;
  }
}

std::string read_text_file(const std::filesystem::path& file, const std::string& path) {
  if (file.native().find('\0') != std::string::npos)
    fail(path, file, "is not a valid file name: it contains a null character");
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) fail(path, file, "does not exist");
  if (std::filesystem::is_directory(status)) fail(path, file, "is a folder, not a file");
  if (!std::filesystem::is_regular_file(status)) fail(path, file, "is not a regular file");
  const auto size = std::filesystem::file_size(file, error);
  if (error) fail(path, file, "cannot be read", error.message());
  if (size > kLargest) fail(path, file, "is larger than 256 MiB");
  std::ifstream stream(file, std::ios::binary);
  std::string text(size, '\0');
  if (!stream || !stream.read(text.data(), static_cast<std::streamsize>(size)))
    fail(path, file, "cannot be read", "check the permissions of the file");
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

}  // namespace saltus
