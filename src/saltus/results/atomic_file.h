// A file that changes atomically from one complete state to the next, even if a program is killed.
//
// Bytes after the end of the last complete state are written at once, because nobody reads them
// yet. Changes of earlier bytes stay in memory, page by page, until commit(). They are then
// appended to the file with a checksum, written in place, and the appendix is cut off again.
// Opening a file with a complete appendix shows the new state (opening for writing also completes
// it); without one, the old state. Readers that do not use this class ignore the appendix.
//
// A file with a head signals changes to its readers: the head contains a count that is even while
// the file is complete and odd while pages are written in place. If a reader finds another count
// than at opening, it returns ESTALE instead of bytes from two states.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace saltus {

/// All functions return 0 or an errno.
class AtomicFile {
 public:
  AtomicFile() = default;
  ~AtomicFile() { close(); }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Length of the head, the first bytes of a file, which belong to this class, and position of the
  /// count in it: 64 bits, little-endian.
  static constexpr std::uint64_t kHead = 512, kCount = 56;

  /// flags and a mode of 0666 as for open(2). head: a new file gets a head. If a file with a head
  /// is opened read-only and its state has at most `take` bytes, it is copied into memory; later
  /// reads then never return ESTALE. ESTALE here: the file was written to during all attempts.
  /// ESPIPE: not a regular file; a pipe is not waited for.
  int open(const char* path, int flags, bool head = false, std::uint64_t take = 0);
  /// True for a file of this class that was never committed because its program ended first.
  static bool is_unborn(const char* path);
  int close();
  /// Size of the current state [bytes].
  std::uint64_t size() const { return size_; }
  /// Bytes after the end read as zeros. ESTALE: the file has been written to since it was opened
  /// for reading, or a file that this object writes has been shortened.
  int read(std::uint64_t offset, void* bytes, std::size_t count) const;
  int write(std::uint64_t offset, const void* bytes, std::size_t count);
  /// Changes the size; takes effect on disk with commit().
  void resize(std::uint64_t size) { size_ = size; }
  /// Makes the current state permanent. ESTALE: another program has shortened the file since it was
  /// opened, also where later bytes have made it as long as before.
  int commit();
  bool is_writable() const { return writable_; }
  /// Length that the file must have after close() [bytes].
  std::uint64_t size_on_disk() const { return written_; }

 private:
  int read_state();
  int read_appendix();
  int read_head();
  int read_count(std::uint64_t& count) const;
  int write_count() const;
  int expect_whole() const;
  int expect_kept() const;
  void mark(std::uint64_t offset, const char* bytes, std::size_t count);
  int apply();

  int descriptor_ = -1;
  bool writable_ = false, head_ = false;
  /// Of the head; readers: the largest count with which pages_ and the file form one state.
  std::uint64_t count_ = 0;
  std::uint64_t size_ = 0;  ///< [bytes]
  /// Smallest length of the file on disk, unless another program has cut it [bytes].
  std::uint64_t written_ = 0;
  /// A byte of the file that is not 0, as far back as known; 0: none is known. Where a file was
  /// shortened and has grown again since, zeros are read.
  std::uint64_t mark_ = 0;
  char marked_ = 0;
  /// End of the region that must not change before commit(), in whole pages [bytes].
  std::uint64_t guarded_ = 0;
  std::map<std::uint64_t, std::string> pages_;  ///< pages that differ from the file, by number
  bool taken_ = false;
  std::string copy_;  ///< the state copied at opening
};

}  // namespace saltus
