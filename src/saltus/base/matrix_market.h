// Matrices from Matrix Market files (.mtx): text, entry by entry or all values by columns.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/base/entry.h"

namespace saltus {

/// A matrix by its entries; those of one place are to be added.
struct MatrixFile {
  int rows = 0, columns = 0;
  std::vector<Entry> entries;
};

/// Reads `coordinate` and `array` files of real or integer numbers; of symmetric and skew-symmetric
/// ones both triangles are returned. SceneError with line and column for another kind of file,
/// indices outside, numbers that are not finite and a wrong number of entries. `path`: the entry of
/// the scene that names the file.
MatrixFile read_matrix_market(const std::filesystem::path& file, const std::string& path = "");

/// The same from text.
MatrixFile read_matrix_market_text(std::string_view text, const std::string& name,
                                   const std::string& path = "");

}  // namespace saltus
