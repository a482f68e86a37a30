// A file that gets its final name only when it is complete.
//
//     OutputFile file("out.csv");  // creates out.csv.part; SceneError if that is impossible
//     file.write("a,b\n");         // RunError: disk full
//     file.commit();               // on the disk, and renamed to out.csv
//
// If out.csv is a symbolic link, the link stays and all this applies to its target.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace saltus {

/// Makes writes beyond RLIMIT_FSIZE fail with EFBIG instead of killing the program. Called once by
/// the app.
void ignore_file_size_signal();

/// The end of a chain of symbolic links, whether it exists or not; other names are returned
/// unchanged. Throws SceneError for cyclic links.
std::string link_target(const std::string& path);

/// Name of `path` while it is being written.
std::string part_name(const std::string& path);
/// Whether the name is that of a file of a running or stopped run.
bool is_part(std::string_view file);
/// The name of the finished file: without ".part".
std::string final_name(const std::string& file);

/// Whether a program has `part` open as an OutputFile. Empty if the file does not exist or its file
/// system has no locks.
std::optional<bool> is_written_now(const std::string& part);

class OutputFile {
 public:
  /// Creates and empties `<path>.part` and locks it against other writers until destruction. Throws
  /// SceneError: the folder is missing or not writable, the name is that of a folder, device, pipe
  /// or socket, or another program is writing the file.
  explicit OutputFile(std::string path) : OutputFile(std::move(path), true) {}
  /// Continues an existing `<path>.part`.
  static OutputFile adopt(std::string path) { return OutputFile(std::move(path), false); }
  /// Removes the `.part` unless commit() or keep() was called.
  ~OutputFile() = default;
  OutputFile(OutputFile&&) noexcept = default;
  OutputFile& operator=(OutputFile&&) noexcept = default;

  const std::string& path() const { return open_->path; }
  /// Name of the file while it is written, for libraries that open it by name.
  const std::string& part() const { return open_->part; }

  /// Appends bytes, buffered. Throws RunError naming the path and the reason.
  void write(std::string_view bytes);
  /// Passes everything written so far to the operating system. Throws RunError.
  void flush();
  /// Writes everything to the disk, then renames `.part` to path(). `size`: length of a file that
  /// was written by a library [bytes]. Throws RunError, also if another program has shortened it.
  void commit(std::optional<std::uint64_t> size = std::nullopt);
  /// Makes the destructor leave the `.part`, as for an interrupted run that can be resumed.
  void keep() { open_->keep = true; }
  /// Undoes keep(): the `.part` is removed with this object.
  void discard() { open_->keep = false; }

 private:
  void expect_size(std::uint64_t size) const;
  struct Open {
    std::string path, target, part, buffer{};
    std::uint64_t written = 0;  ///< by flush() [bytes]
    int descriptor = -1;
    bool keep = false;
    ~Open();
  };
  OutputFile(std::string path, bool empty);
  std::unique_ptr<Open> open_;
};

}  // namespace saltus
