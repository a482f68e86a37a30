// The data files that a scene names, and what they held when a run was made from them.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "saltus/spec/scene.h"

namespace saltus {

struct DataFile {
  std::string entry;           ///< of the scene: "bodies[0].string.table"
  std::filesystem::path file;  ///< as it is opened
};

/// In the order of the scene.
std::vector<DataFile> data_files(const Scene& scene);

/// Size and hash of a data file: two runs from equal ones had the same numbers.
struct InputFile {
  std::string entry, file;  ///< as in DataFile
  std::uint64_t size = 0;   ///< [bytes]
  std::string hash;         ///< 64-bit FNV-1a of the bytes, 16 hexadecimal digits
};

/// Reads the data files of a scene; pipes and devices, which cannot be read twice, are left out.
/// Throws SceneError where a file cannot be read.
std::vector<InputFile> input_files(const Scene& scene);

}  // namespace saltus
