// No two of the files of a run may be one: the scene, its data files, and all that is written.
#pragma once
#include <string>

#include "saltus/spec/scene.h"

namespace saltus {

/// Throws SceneError with place where a file that a run writes would replace one that it reads, or
/// another one that it writes; "p.csv", "./p.csv" and links to them are one file. `results`: name
/// of the results file, beside which sounds and tables are written; "" where it is not known yet,
/// then only sounds and tables are compared.
void check_file_names(const Scene& scene, const std::string& results);

}  // namespace saltus
