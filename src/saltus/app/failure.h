// Exceptions become one line on stderr, one for each fault of a scene, and an exit code; nowhere
// else.
#pragma once
#include <exception>

namespace saltus::app {

/// Prints the lines and returns the exit code. `json`: an object on stdout with the first line, and
/// with all faults of a scene.
int report_failure(std::exception_ptr error, bool json);

}  // namespace saltus::app
