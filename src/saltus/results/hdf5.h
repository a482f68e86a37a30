// HDF5 with RAII handles and exceptions: the part of the C API that Saltus needs.
//
// Every failure throws h5::Error with the file, the object and the reason given by the operating
// system. HDF5's own messages are switched off. Names of objects are paths such as "step/time".
// Numbers are little-endian on disk. Files are written through a journal (atomic_file.h): data
// written up to a flush() survive a crash of the program.
#pragma once
#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "saltus/base/error.h"

namespace saltus::h5 {

/// One line: "out.h5.part: /step/time: cannot write: No space left on device".
class Error : public RunError {
 public:
  using RunError::RunError;
};

/// A file was written to since it was opened for reading, so data read now may belong to two
/// states. Open it again.
class Changed : public Error {
 public:
  explicit Changed(const std::string& file)
      : Error(file + ": has been written to since it was opened; read it again"), file_(file) {}
  const std::string& file() const { return file_; }

 private:
  std::string file_;
};

/// A file contains a link that is not hard, or a dataset whose storage is another file. Such
/// references are not followed, because the author of a file could then choose which files are
/// read, or written when a run is resumed.
class Foreign : public Error {
 public:
  using Error::Error;
};

enum class Type { real64, int32, uint64 };

template <typename R>
concept Numbers = std::ranges::contiguous_range<R> &&
    (std::same_as<std::ranges::range_value_t<R>, double> ||
     std::same_as<std::ranges::range_value_t<R>, std::int32_t> ||
     std::same_as<std::ranges::range_value_t<R>, std::uint64_t>);
template <Numbers R>
constexpr Type type_of() {
  using Number = std::ranges::range_value_t<R>;
  return std::same_as<Number, double>         ? Type::real64
         : std::same_as<Number, std::int32_t> ? Type::int32
                                              : Type::uint64;
}

/// Declared properties of a dataset, and the amount of its data in the file.
struct Extent {
  enum class Kind { integer, real, text, other };
  Kind kind = Kind::other;
  std::uint64_t count = 0;   ///< elements of all dimensions
  std::uint64_t chunk = 0;   ///< elements compressed together; 0: uncompressed
  std::uint64_t size = 0;    ///< of one element [bytes]
  std::uint64_t stored = 0;  ///< in the file, possibly compressed [bytes]
  bool torn = false;         ///< a chunk is shorter than its dimensions require
  /// True if the file can contain all elements; no filter shrinks data by more than a factor of
  /// about a thousand. The library itself reads beyond the end of compact data that are too short.
  bool whole() const;
};

/// Rows of `columns` numbers, or a plain column if columns is 0. `chunk` rows are shuffled and
/// compressed together.
struct Table {
  Type type = Type::real64;
  std::size_t columns = 0;
  std::size_t chunk = 4096;  ///< rows
  int gzip = 1;              ///< level 1 .. 9; 0: uncompressed
};

/// An identifier of the library. Closing a file closes all its open objects.
class Handle {
 public:
  Handle() = default;
  explicit Handle(std::int64_t id) : id_(id) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept { std::swap(id_, other.id_); }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);  // the old identifier is closed with `other`
    return *this;
  }
  std::int64_t get() const { return id_; }
  /// False if the library reports a failure (data that could not be written).
  bool reset() noexcept;

 private:
  std::int64_t id_ = -1;
};

/// State shared by the objects of one file.
struct FileState {
  std::string path;
  bool head = false;  ///< a new file gets a head (AtomicFile)
  /// Files of at most this size are copied into memory when opened [bytes].
  std::uint64_t take = 0;
  int error = 0;                    ///< errno of the first failed write; later data are lost
  bool changed = false;             ///< by another program, since it was opened for reading
  std::uint64_t size = 0;           ///< on the disk, after the file was closed [bytes]
  std::shared_ptr<void> reserve{};  ///< for a file to be written: memory for abandon()
  /// Sums of the tables appended to, by path; empty: unknown.
  std::map<std::string, std::optional<std::uint64_t>> sums{};
};

/// An attribute with its value as bytes: integers and reals of 8 bytes, little-endian, or a text.
struct Attribute {
  std::string name, bytes;
};

/// A file, group or dataset: objects that may have attributes.
class Object {
 public:
  Object() = default;
  bool is_open() const { return id_.get() >= 0; }
  bool has_attribute(const std::string& name) const;
  void set(const std::string& name, std::string_view text) const;
  void set(const std::string& name, double value) const;
  void set(const std::string& name, std::int64_t value) const;
  std::string text(const std::string& name) const;
  double real(const std::string& name) const;
  std::int64_t integer(const std::string& name) const;
  /// All attributes, ordered by name.
  std::vector<Attribute> attributes() const;
  /// "out.h5: /step/time"
  std::string label() const { return path_ == "/" ? file_->path : file_->path + ": " + path_; }

 protected:
  Object(Handle id, std::shared_ptr<FileState> file, std::string path)
      : id_(std::move(id)), file_(std::move(file)), path_(std::move(path)) {}
  [[noreturn]] void fail(std::string_view what) const;
  /// fail() if `good` is false or a write of this file has failed.
  void require(bool good, std::string_view what) const;
  void write_attribute(const std::string& name, std::int64_t type, const void* data) const;
  void read_attribute(const std::string& name, std::int64_t type, void* data) const;

  Handle id_;
  std::shared_ptr<FileState> file_;
  std::string path_;
};

class Dataset : public Object {
 public:
  Dataset() = default;
  std::size_t rows() const { return shape()[0]; }
  std::size_t columns() const { return shape()[1]; }  ///< numbers per row, 1 for plain columns
  /// Throws if rows have another length, which means that the file may be damaged.
  void expect_columns(std::size_t columns) const;

  /// Adds rows at the end of an extendible table; throws if these are not complete rows of the
  /// table in the file. Rows of a partial chunk stay in the library's cache, 1 MiB per table, until
  /// flush() or until the table is closed.
  template <Numbers R>
  void append(const R& values) {
    append(type_of<R>(), std::data(values), std::size(values));
  }
  /// Removes the rows from `rows` on; throws if there are fewer.
  void truncate(std::size_t rows);

  /// True for reals of 8 bytes and integers of 4 or 8.
  bool holds_numbers() const;
  /// A sum over every bit of the first `rows` rows of reals or integers, as read from the file:
  /// changing one number changes the sum.
  std::uint64_t sum(std::size_t rows) const;
  /// The sum of all rows, updated while they are appended; empty if there were earlier rows whose
  /// sum was not set by keep_sum().
  std::optional<std::uint64_t> kept_sum() const;
  /// Sets the sum of all existing rows.
  void keep_sum(std::uint64_t sum) { file_->sums[path_] = sum; }

  std::vector<double> reals() const { return reals(0, rows()); }
  std::vector<std::int32_t> integers() const;
  std::vector<std::uint64_t> counts() const;
  /// Rows first .. first + count - 1.
  std::vector<double> reals(std::size_t first, std::size_t count) const;
  using Object::text;
  std::string text() const;

  Extent extent() const;
  /// All elements of a dataset of any rank, in file order; their number is extent().count.
  void read(std::span<double> values) const { read(Type::real64, values.data(), values.size()); }
  void read(std::span<std::int32_t> x) const { read(Type::int32, x.data(), x.size()); }

 private:
  friend class Group;
  using Object::Object;
  std::array<std::size_t, 2> shape() const;
  void append(Type type, const void* values, std::size_t count);
  template <typename Number>
  std::vector<Number> numbers(Type type, std::size_t first, std::size_t count) const;
  std::size_t held(std::size_t first, std::size_t count) const;
  bool chunks_whole(std::uint64_t first, std::uint64_t count, const Extent& extent) const;
  Extent declared() const;
  void write_all(std::int64_t type, const void* values) const;
  void read(Type type, void* values, std::size_t count) const;
};

class Group : public Object {
 public:
  Group() = default;
  bool has(const std::string& name) const;
  bool is_group(const std::string& name) const;  ///< whether a member is a group
  std::vector<std::string> names() const;        ///< in alphabetical order
  /// Attribute of a member of any type.
  std::int64_t integer_of(const std::string& name, const std::string& attribute) const;
  Group create_group(const std::string& name) const;
  Group group(const std::string& name) const;
  /// Throws Foreign if its data are in another file.
  Dataset dataset(const std::string& name) const;
  /// An extendible table without rows.
  Dataset create(const std::string& name, Table table) const;
  /// Datasets of fixed size, uncompressed; columns 0: a plain column.
  template <Numbers R>
  Dataset write(const std::string& name, const R& values, std::size_t columns = 0) const {
    return write(name, type_of<R>(), std::data(values), std::size(values), columns, false);
  }
  Dataset write(const std::string& name, std::string_view text) const;
  /// A compressed column, in as few chunks as possible.
  template <Numbers R>
  Dataset write_compressed(const std::string& name, const R& values) const {
    return write(name, type_of<R>(), std::data(values), std::size(values), 0, true);
  }
  /// Also removes a damaged object: its name becomes free, but its bytes stay in the file.
  void remove(const std::string& name) const;
  /// Renames an object to a free name; its data stay in place.
  void rename(const std::string& from, const std::string& to) const;
  /// A second name for an object of the same file.
  void link(const std::string& target, const std::string& name) const;

 protected:
  using Object::Object;

 private:
  template <typename Member>
  Member member(std::int64_t id, const std::string& name, std::string_view what) const;
  Dataset make(const std::string& name, std::int64_t type, const Handle& space,
               const Handle& layout) const;
  Dataset write(const std::string& name, Type type, const void* values, std::size_t count,
                std::size_t columns, bool compressed) const;
  bool set_aside(const std::string& name) const;
};

class File : public Group {
 public:
  File() = default;
  using Group::create;
  static File create(const std::string& path) { return open({path}, true, true); }
  /// A file that is read while it grows: it begins with a head of AtomicFile, which other readers
  /// skip. Reads of such a file throw Changed if it has been flushed since it was opened.
  static File create_growing(const std::string& path) { return open({path, true}, true, true); }
  /// Throws Foreign like modify().
  static File read(const std::string& path) { return open({path}, false, false); }
  /// Reads the current state of a growing file into memory, so that later flushes do not change it.
  /// Files of more than `most` bytes are opened as by read().
  static File read_now(const std::string& path, std::uint64_t most) {
    return open({path, false, most}, false, false);
  }
  static File modify(const std::string& path) { return open({path}, false, true); }
  /// Makes everything written so far readable by others, also if the program dies.
  void flush() const;
  /// Throws if the last bytes do not fit on the disk.
  void close();
  /// After close(): the length that the file must have [bytes].
  std::uint64_t size_on_disk() const { return file_->size; }
  /// Releases a file that can no longer be written: data in memory are lost, nothing is thrown.
  void abandon() noexcept;

 private:
  using Group::Group;
  static File open(FileState asked, bool create, bool write);
  void expect_own_data() const;
};

/// Whether this build of the library may be used by several threads, each with its own files.
bool many_threads();

/// Escapes '/', '.' at the start and '%' as %2F, %2E and %25 for use as an HDF5 name.
std::string escaped(std::string_view name);

}  // namespace saltus::h5
