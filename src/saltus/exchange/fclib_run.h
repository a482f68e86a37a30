// The group /saltus of a contact problem in a file: how a run solved it. Other readers ignore it.
#pragma once
#include "saltus/exchange/fclib.h"
#include "saltus/exchange/fclib_file.h"

namespace saltus {

/// Throws UsageError if W is stored in a form that the group does not support.
void write_fclib_run(const h5::Group& root, const FclibRun& run);
/// None if the file has no such group. Throws SceneError if it is not a complete problem.
std::optional<FclibRun> read_fclib_run(const FclibFile& file);

}  // namespace saltus
