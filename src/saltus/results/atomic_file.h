// A file that changes from one whole state to the next, whenever the program dies in between.
//
// Bytes behind the end of the last whole state go to the disk at once: nobody looks at them yet.
// Changes before it stay in memory, page by page, until commit(). Then they are appended to the
// file with a checksum, written in place, and cut off again. Whoever opens a file that still
// carries such an appendix sees (or, to write, completes) the new state; without a valid one it is
// the old state. Ordinary readers ignore the appendix.
//
// A file with a head tells its readers when it changes: the head holds a count that is even while
// the file is whole and odd while pages are written in place. A reader that finds another count
// than when it opened the file says so (ESTALE) instead of handing out bytes of two states.
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

  /// The first bytes of a file with a head, which belong to this class, and where in them the count
  /// is: 64 bits, little-endian.
  static constexpr std::uint64_t kHead = 512, kCount = 56;

  /// flags and a mode of 0666 as for open(2). head: a new file gets one. A state of at most `take`
  /// bytes of a file with a head that is only read is copied into memory: nothing is ESTALE then.
  /// ESTALE: it was written to all the while.
  int open(const char* path, int flags, bool head = false, std::uint64_t take = 0);
  /// True of a file of this class that was never committed: a program died before.
  static bool is_unborn(const char* path);
  int close();
  /// Size of the present state [bytes].
  std::uint64_t size() const { return size_; }
  /// Behind the end there are zeros. ESTALE: the file has been written to since it was opened for
  /// reading.
  int read(std::uint64_t offset, void* bytes, std::size_t count) const;
  int write(std::uint64_t offset, const void* bytes, std::size_t count);
  /// Shortens or lengthens; takes effect on disk with commit().
  void resize(std::uint64_t size) { size_ = size; }
  /// Makes the present state the one that survives. ESTALE: another program has made the file
  /// shorter than what was written.
  int commit();

 private:
  int read_state();
  int read_appendix();
  int read_head();
  int read_count(std::uint64_t& count) const;
  int write_count() const;
  int expect_whole() const;
  int apply();

  int descriptor_ = -1;
  bool writable_ = false, head_ = false;
  std::uint64_t count_ =
      0;  ///< of the head; to read, the largest with which pages_ and the file are one state
  std::uint64_t size_ = 0;  ///< [bytes]
  std::uint64_t written_ =
      0;  ///< the file on disk is at least so long, or somebody else cut it [bytes]
  std::uint64_t guarded_ = 0;  ///< end of what must not change before commit(), whole pages [bytes]
  std::map<std::uint64_t, std::string> pages_;  ///< that differ from those in the file, by number
  bool taken_ = false;
  std::string copy_;  ///< the state that was taken
};

}  // namespace saltus
