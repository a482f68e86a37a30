// The verb `verify`: checks a results file with an independent Python program.
#pragma once
#include <string>

namespace saltus::app {

struct VerifyOptions {
  std::string file;
  bool json = false, strict = false;
};
/// Returns the exit code of the verifier: 0 all checks passed, 1 a check failed, 2 the file cannot
/// be read, 3 with `strict`: all checks passed, but something was not checked.
int cmd_verify(const VerifyOptions& options);

}  // namespace saltus::app
