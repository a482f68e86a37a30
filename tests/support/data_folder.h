// A new empty folder for the files of a test, removed at its end.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace saltus_test {

struct DataFolder {
  std::filesystem::path path;

  DataFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "saltus_test_XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~DataFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path / name, std::ios::binary) << bytes;
  }
};

}  // namespace saltus_test
