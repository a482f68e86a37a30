// A file that appears under its final name only when it is complete.
//
//     OutputFile file("out.csv");  // creates out.csv.part; SceneError where that is impossible
//     file.write("a,b\n");         // RunError: disk full
//     file.commit();               // on the disk, and renamed to out.csv
//
// Where out.csv is a symbolic link the link stays, and all this happens to what it points to.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace saltus {

/// Writes beyond RLIMIT_FSIZE then fail with EFBIG instead of killing the program. Called once by
/// the app.
void ignore_file_size_signal();

/// What a chain of symbolic links ends at, whether that exists or not; other names as they are.
/// Throws SceneError where it has no end.
std::string link_target(const std::string& path);

/// Name of `path` while it is written.
std::string part_name(const std::string& path);
/// Whether a file is one that a run still writes or that a stopped run left, by its name.
bool is_part(std::string_view file);
/// The name that `file` has, or will have, when it is finished: without ".part".
std::string final_name(const std::string& file);

/// Whether a program has `part` open as an OutputFile. Nothing where the file or the locks of its
/// file system are not there.
std::optional<bool> is_written_now(const std::string& part);

class OutputFile {
 public:
  /// Creates and empties `<path>.part` and locks it against other writers until destruction. Throws
  /// SceneError: folder missing or unwritable, a folder, device, pipe or socket of that name,
  /// written by another program.
  explicit OutputFile(std::string path) : OutputFile(std::move(path), true) {}
  /// Continues an existing `<path>.part` as it is.
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
  /// What was written so far leaves the memory of the program. Throws RunError.
  void flush();
  /// Everything reaches the disk, then `.part` becomes path(). Throws RunError.
  void commit();
  /// The destructor leaves the `.part` where it is: an interrupted run that can be resumed.
  void keep() { open_->keep = true; }
  /// Undoes keep(): the `.part` is worthless and goes with this object.
  void discard() { open_->keep = false; }

 private:
  struct Open {
    std::string path, target, part, buffer{};
    int descriptor = -1;
    bool keep = false;
    ~Open();
  };
  OutputFile(std::string path, bool empty);
  std::unique_ptr<Open> open_;
};

}  // namespace saltus
