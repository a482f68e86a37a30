// Errors: user input throws with place and remedy, misuse of the library throws with the source
// line, a run that cannot finish says why. Physics never throws: it is a field of StepReport.
#pragma once
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace saltus {

/// A fault in what the user wrote: a scene, a data file, an option. Exit code 2.
/// what() is one line: "file:line:col: path: message; hint" with the parts that are known.
class SceneError : public std::runtime_error {
 public:
  /// path: "bodies[0].string.modes" or "" ; hint: what is allowed, nearest valid name.
  SceneError(std::string path, std::string message, std::string hint = "");
  /// The same error at a place in a file; line and column count from 1, 0 = unknown.
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

/// The run could not finish: disk full, non-finite values, physics failed under the stop policy.
/// Exit code 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The public API was used against its contract. Always checked.
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
