// The group /saltus of a contact problem in a file: how a run solved it. Other readers pass over
// it.
#pragma once
#include "saltus/exchange/fclib.h"
#include "saltus/exchange/fclib_file.h"

namespace saltus {

/// Throws UsageError where W is held in a form that the group has no place for.
void write_fclib_run(const h5::Group& root, const FclibRun& run);
/// None where the file has no such group. Throws SceneError where it is no whole problem.
std::optional<FclibRun> read_fclib_run(const FclibFile& file);

}  // namespace saltus
