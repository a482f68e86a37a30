#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "saltus/app/cmd_verify.h"
#include "saltus/app/unfinished.h"
#include "saltus/base/error.h"

extern char** environ;

namespace saltus::app {
namespace {

namespace fs = std::filesystem;

// Debian's interpreter, for which python3-numpy and python3-h5py are installed.
constexpr const char* kPython = "/usr/bin/python3";

/// The verifier: share/saltus/verify relative to an installed command, or verify in the source tree
/// of a build.
fs::path verifier() {
  std::error_code none;
  for (fs::path at = fs::read_symlink("/proc/self/exe", none).parent_path(); !at.empty();
       at = at.parent_path()) {
    for (const char* folder : {"share/saltus/verify", "verify"})
      if (const fs::path file = at / folder / "verify.py"; fs::is_regular_file(file, none))
        return file;
    if (at == at.root_path()) break;
  }
  throw RunError(
      "the verifier is missing: found neither share/saltus/verify nor verify next to this program");
}

}  // namespace

int cmd_verify(const VerifyOptions& options) {
  const std::string program = verifier().string();
  warn_if_unfinished(options.file);
  std::vector<std::string> words{kPython, "-B", program, options.file};
  if (options.json) words.emplace_back("--json");
  if (options.strict) words.emplace_back("--strict");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int fault = posix_spawn(&child, kPython, nullptr, nullptr, arguments.data(), environ))
    throw RunError(std::string(kPython) + ": " + std::strerror(fault) +
                   "; install python3, python3-numpy and python3-h5py");
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw RunError(std::string(kPython) + ": " + std::strerror(errno));
  if (!WIFEXITED(status)) throw RunError(std::string(kPython) + " was stopped by a signal");
  return WEXITSTATUS(status);
}

}  // namespace saltus::app
