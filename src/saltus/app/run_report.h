// The report of `saltus run`: a table, or one JSON object.
#pragma once
#include <string>

#include "saltus/study/scene_run.h"

namespace saltus::app {

std::string run_table(const RunResult& result);
std::string run_json(const RunResult& result);

}  // namespace saltus::app
