// JSON Schema (draft 2020-12) of scenes, for editors; from the tables the reader uses.
#pragma once
#include <string>

namespace saltus {

/// Accepts what the reader accepts, except for what only the reader can know: the dimension of a
/// unit, names of bodies, whether files exist.
std::string scene_schema(int indent = 2);

}  // namespace saltus
