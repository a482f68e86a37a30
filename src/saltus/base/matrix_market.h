// Matrices from Matrix Market files (.mtx): text, either entry by entry or all values column by
// column.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/base/entry.h"

namespace saltus {

/// A matrix as a list of entries; entries with the same row and column are to be added.
struct MatrixFile {
  int rows = 0, columns = 0;
  std::vector<Entry> entries;
};

/// Reads `coordinate` and `array` files of real or integer numbers; for symmetric and
/// skew-symmetric files both triangles are returned. Throws SceneError with line and column for any
/// other kind of file, indices out of range, numbers that are not finite and a wrong number of
/// entries. `path`: the entry of the scene that names the file.
MatrixFile read_matrix_market(const std::filesystem::path& file, const std::string& path = "");

/// Reads the matrix from `text`; `name` identifies it in errors.
MatrixFile read_matrix_market_text(std::string_view text, const std::string& name,
                                   const std::string& path = "");

}  // namespace saltus
