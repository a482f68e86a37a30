// The `saltus` command as a child process, in a folder of its own.
#pragma once
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace saltus_test {

/// A folder that goes with this object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  bool has(const std::string& name) const;
  /// Names of the files, sorted.
  std::vector<std::string> names() const;

 private:
  std::string path_;
};

struct Outcome {
  int code = -1;  ///< exit code; -signal where a signal ended the child
  std::string out, err;

  /// Lines on stderr.
  int error_lines() const;
};

struct Launch {
  long file_size = 0;                      ///< RLIMIT_FSIZE [bytes], 0: none
  long memory = 0;                         ///< RLIMIT_AS [bytes], 0: none
  std::string preload{};                   ///< LD_PRELOAD, "": none
  bool nobody = false;                     ///< as a user who may write nowhere; for root alone
  std::function<void(pid_t)> meanwhile{};  ///< called while the child runs
};

/// Waits until the child has a handler for the signal. False: it ended before.
bool catches(pid_t child, int signal);

/// Runs `saltus arguments...` in the folder.
Outcome saltus_command(const Folder& folder, std::vector<std::string> arguments,
                       const Launch& launch = {});

/// A string of 20 modes over one fret, 2000 steps, one probe; 19 lines.
std::string small_scene();

/// `text` with `from` replaced; fails the test if it is not there exactly once.
std::string replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace saltus_test
