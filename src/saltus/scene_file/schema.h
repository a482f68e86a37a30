// JSON Schema (draft 2020-12) of scenes, for editors; from the option tables that the reader uses.
#pragma once
#include <string>

namespace saltus {

/// Accepts all scenes that the reader accepts. It does not check the dimension of units, names of
/// bodies or whether files exist, which only the reader does.
std::string scene_schema(int indent = 2);

}  // namespace saltus
