// The data files that a scene names, and a hash of their content when a run was built from them.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "saltus/spec/scene.h"

namespace saltus {

struct DataFile {
  std::string entry;           ///< path in the scene: "bodies[0].string.table"
  std::filesystem::path file;  ///< path used to open the file
};

/// In the order of the scene.
std::vector<DataFile> data_files(const Scene& scene);

/// Size and hash of a data file, to detect that two runs used the same data.
struct InputFile {
  std::string entry, file;  ///< as in DataFile
  std::uint64_t size = 0;   ///< [bytes]
  std::string hash;         ///< 64-bit FNV-1a of the bytes, 16 hexadecimal digits
};

/// Reads the data files of a scene; pipes and devices, which cannot be read twice, are left out.
/// Throws SceneError if a file cannot be read.
std::vector<InputFile> input_files(const Scene& scene);

}  // namespace saltus
