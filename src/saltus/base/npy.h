// Matrices from NumPy files (.npy).
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "saltus/base/base.h"

namespace saltus {

/// Reads an array with one dimension (a column) or two, of little-endian doubles, floats or
/// integers of 4 or 8 bytes, in C or Fortran order, format versions 1 to 3. Throws SceneError for
/// anything else, for numbers that are not finite and for a file that is shorter or longer than its
/// header specifies. `path`: the entry of the scene that names the file.
Matrix read_npy(const std::filesystem::path& file, const std::string& path = "");

/// Reads the array from the contents of a file; `name` identifies it in errors.
Matrix read_npy_bytes(std::string_view bytes, const std::string& name,
                      const std::string& path = "");

}  // namespace saltus
