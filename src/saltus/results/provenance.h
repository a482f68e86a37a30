// The origin of a result: everything needed to reproduce it.
#pragma once
#include <string>

namespace saltus {

struct Provenance {
  std::string version;       ///< of Saltus
  std::string commit;        ///< of its source, "unknown" outside git
  std::string compiler;      ///< name and version
  std::string flags;         ///< of the compiler
  std::string command_line;  ///< as typed, blanks quoted
  std::string cpu;           ///< model name
  std::string start_time;    ///< UTC, ISO 8601
  int threads = 1;           ///< that loops may use; results do not depend on it
};

/// Fields for this program and time; `arguments` are those of main(). No host or user name.
Provenance provenance_now(int count, const char* const* arguments);

}  // namespace saltus
