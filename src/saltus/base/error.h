// Errors: invalid user input throws with its place and a remedy, misuse of the library throws with
// the source line, a run that cannot finish states why. Physics never throws: failures are fields
// of StepReport.
#pragma once
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace saltus {

/// A fault in user input: a scene, a data file, an option. Exit code 2.
/// what() is one line: "file:line:col: path: message; hint" with the parts that are known.
class SceneError : public std::runtime_error {
 public:
  /// path: "bodies[0].string.modes" or "" ; hint: what is allowed, nearest valid name.
  SceneError(std::string path, std::string message, std::string hint = "");
  /// Returns this error with a place in a file; line and column count from 1, 0 = unknown.
  SceneError at(std::string file, int line, int column) const;

  const std::string& path() const { return path_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }
  bool placed() const { return !file_.empty(); }
  const std::string& file() const { return file_; }
  int line() const { return line_; }
  int column() const { return column_; }

 private:
  SceneError(std::string file, int line, int column, std::string path, std::string message,
             std::string hint);
  std::string file_, path_, message_, hint_;
  int line_ = 0, column_ = 0;
};

/// The run could not finish: disk full, non-finite values, a failed step under the stop policy.
/// Exit code 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A call violates the contract of the public API. Always checked.
class UsageError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws UsageError("file:line: text") unless the condition holds.
inline void expects(bool condition, std::string_view text,
                    std::source_location where = std::source_location::current()) {
  if (!condition) [[unlikely]]
    throw UsageError(std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": " +
                     std::string(text));
}

}  // namespace saltus
