// Exceptions become one line on stderr and an exit code; nowhere else.
#pragma once
#include <exception>

namespace saltus::app {

/// Prints the line and returns the exit code. `json`: an object with the same on stdout.
int report_failure(std::exception_ptr error, bool json);

}  // namespace saltus::app
