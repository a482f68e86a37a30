// The verb `verify`: a results file checked by a program of its own, in Python.
#pragma once
#include <string>

namespace saltus::app {

struct VerifyOptions {
  std::string file;
  bool json = false;
};
/// Exit code of the verifier: 0 everything that it can check holds, 1 something does not, 2 the
/// file cannot be read.
int cmd_verify(const VerifyOptions& options);

}  // namespace saltus::app
