// Where a result comes from: what to write down so that it can be made again.
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
  int threads = 1;           ///< that loops may be shared among; no bit of a result depends on them
};

/// All fields of this program and moment; `arguments` are those of main. No host or user name.
Provenance provenance_now(int count, const char* const* arguments);

}  // namespace saltus
