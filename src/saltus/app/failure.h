// Converts exceptions to an exit code and one line on stderr, or one line per error of a scene.
#pragma once
#include <exception>

namespace saltus::app {

/// Prints the lines and returns the exit code. `json`: also prints an object on stdout with the
/// first line and all errors of a scene.
int report_failure(std::exception_ptr error, bool json);

}  // namespace saltus::app
