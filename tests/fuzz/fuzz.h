// What the fuzz targets share: which errors may leave a reader, and files for readers that take a path.
#pragma once
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "saltus/base/error.h"

namespace saltus_fuzz {

[[noreturn]] inline void stop(const char* what, std::string_view text) {
  std::fprintf(stderr, "%s: %.*s\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}
inline void require(bool good, const char* what) {
  if (!good) stop("what was read is not whole", what);
}

/// Calls `read`. SceneError and RunError in one line are the answers to a spoilt file; UsageError is not, for the file is no
/// caller, and anything else ends the target. False: it was refused. `file`: what the line of a SceneError begins with.
template <typename Read>
bool allowed(std::string_view file, Read&& read) {
  try {
    read();
    return true;
  } catch (const saltus::SceneError& error) {
    const std::string_view line = error.what();
    if (!line.starts_with(file)) stop("an error that names no file", line);
    if (line.find('\n') != line.npos) stop("an error of several lines", line);
  } catch (const saltus::RunError& error) {
    const std::string_view line = error.what();
    if (line.find('\n') != line.npos) stop("an error of several lines", line);
  }
  return false;
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A folder of this process, in memory where there is such a one; gone when it ends.
class Folder {
 public:
  Folder()
      : path_((std::filesystem::is_directory("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                         : std::filesystem::temp_directory_path()) /
              ("saltus_fuzz_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const char* name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};
inline const Folder& folder() {
  static const Folder one;
  return one;
}

inline void write_file(const std::string& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}
inline std::string read_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Bytes as a stream of choices; 0 behind the end.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), end_(data + size) {}
  bool more() const { return data_ != end_; }
  unsigned below(std::size_t limit) {
    unsigned value = byte();
    if (limit > 256) value = 256 * value + byte();
    return limit ? static_cast<unsigned>(value % limit) : 0;
  }
  unsigned byte() { return more() ? *data_++ : 0; }

 private:
  const std::uint8_t *data_, *end_;
};

}  // namespace saltus_fuzz
