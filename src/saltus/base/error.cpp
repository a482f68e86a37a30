#include "saltus/base/error.h"

#include <string_view>
#include <utility>

#include "saltus/base/control_characters_internal.h"

namespace saltus {
namespace {

/// Names and values from user input may contain line breaks: writes them as \n, and other control
/// characters by their code.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (!append_control(out, c, "\\x")) out += c;
  return out;
}

std::string line_of(const std::string& file, int line, int column, const std::string& path,
                    const std::string& message, const std::string& hint) {
  std::string text;
  if (!file.empty()) {
    text += one_line(file) + ":";
    if (line > 0) text += std::to_string(line) + ":";
    if (line > 0 && column > 0) text += std::to_string(column) + ":";
    text += " ";
  }
  if (!path.empty()) text += path + ": ";
  text += message;
  if (!hint.empty()) text += "; " + hint;
  return text;
}

}  // namespace

SceneError::SceneError(std::string path, std::string message, std::string hint)
    : SceneError("", 0, 0, one_line(path), one_line(message), one_line(hint)) {}

SceneError::SceneError(std::string file, int line, int column, std::string path,
                       std::string message, std::string hint)
    : std::runtime_error(line_of(file, line, column, path, message, hint)),
      file_(std::move(file)),
      path_(std::move(path)),
      message_(std::move(message)),
      hint_(std::move(hint)),
      line_(line),
      column_(column) {}

SceneError SceneError::at(std::string file, int line, int column) const {
  return SceneError(std::move(file), line, column, path_, message_, hint_);
}

}  // namespace saltus
