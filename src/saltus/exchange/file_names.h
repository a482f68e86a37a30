// Checks that the scene, its data files and all outputs of a run are different files.
#pragma once
#include <string>

#include "saltus/spec/scene.h"

namespace saltus {

/// Throws SceneError with place if an output of a run would replace an input or another output;
/// "p.csv", "./p.csv" and links to them are one file. `results`: name of the results file, next to
/// which sounds and tables are written; "" if not yet known, then only sounds and tables are
/// compared.
void check_file_names(const Scene& scene, const std::string& results);

/// Throws SceneError with place unless each sound is named `*.wav`, each table `*.csv`, and all of
/// them lie in the folder of the results file or below it, also where links lead: the author of a
/// scene must not choose which files of its user are written. Hidden files are refused too.
void expect_outputs_beside(const Scene& scene, const std::string& results);

}  // namespace saltus
