#include "saltus/base/error.h"

namespace saltus {
namespace {

std::string line_of(const std::string& file, int line, int column, const std::string& path,
                    const std::string& message, const std::string& hint) {
  std::string text;
  if (!file.empty()) {
    text += file + ":";
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
    : SceneError("", 0, 0, std::move(path), std::move(message), std::move(hint)) {}

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
