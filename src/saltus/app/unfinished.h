// The note on a results file whose run is not finished.
#pragma once
#include <string>

namespace saltus::app {

/// Warns in one line that the run of a `.part` is not finished, with its steps and frames so far.
/// Nothing for other files, and for those that cannot be read.
void warn_if_unfinished(const std::string& file);

}  // namespace saltus::app
