#include "saltus/results/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace saltus {
namespace {

constexpr std::uint64_t kPage = 4096;                        // [bytes]
constexpr std::size_t kMostTogether = std::size_t{1} << 20;  // [bytes]
constexpr std::uint64_t kEntry = 8 + kPage;                  // number and bytes of a page
constexpr std::uint64_t kMagic = 0x314c4e4a53544c53ULL;      // "SLTSJNL1"

constexpr std::string_view kHeadText = "Saltus results: HDF5 from byte 512 on; flushes x 2: ";
static_assert(kHeadText.size() < AtomicFile::kCount);
// attempts to open a file that is being written, 1 ms apart
constexpr int kLooks = 400, kTakes = 20;
constexpr timespec kBetween{0, 1'000'000};

/// At the very end of the file; describes the preceding appendix.
struct Trailer {
  std::uint64_t magic = kMagic, pages = 0, size = 0, checksum = 0;
};

std::uint64_t whole_pages(std::uint64_t size) { return (size + kPage - 1) / kPage * kPage; }

/// FNV-1a over 64-bit words; the appendix is a multiple of 8 bytes.
std::uint64_t checksum(const std::string& bytes, std::uint64_t size) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ size;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    hash = (hash ^ word) * 0x100000001b3ULL;
  }
  return hash;
}

/// Calls move(at, count, offset), that is pread or pwrite, until all is done or it returns 0.
template <typename Move>
int move_all(char*& at, std::size_t& count, std::uint64_t offset, Move&& move) {
  while (count > 0) {
    const ssize_t moved = move(at, count, static_cast<off_t>(offset));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return errno;
    if (moved == 0) break;
    at += moved;
    offset += static_cast<std::uint64_t>(moved);
    count -= static_cast<std::size_t>(moved);
  }
  return 0;
}

int write_all(int descriptor, std::uint64_t offset, const void* bytes, std::size_t count) {
  char* at = static_cast<char*>(const_cast<void*>(bytes));
  return move_all(at, count, offset, [&](auto... what) { return ::pwrite(descriptor, what...); });
}

/// Bytes after the end read as zeros.
int read_all(int descriptor, std::uint64_t offset, void* bytes, std::size_t count) {
  char* at = static_cast<char*>(bytes);
  const int error =
      move_all(at, count, offset, [&](auto... what) { return ::pread(descriptor, what...); });
  std::memset(at, 0, error ? 0 : count);
  return error;
}

}  // namespace

int AtomicFile::open(const char* path, int flags, bool head, std::uint64_t take) {
  descriptor_ = ::open(path, flags | O_CLOEXEC | O_NONBLOCK, 0666);
  if (descriptor_ < 0) return errno;
  writable_ = (flags & O_ACCMODE) != O_RDONLY;
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return errno;
  if (!S_ISREG(status.st_mode)) return ESPIPE;
  if (head && status.st_size == 0) {
    head_ = true;  // not part of size(): HDF5 treats a file as new only if its size is 0
    std::string bytes(kHeadText);
    bytes.resize(kHead, '\0');
    return write_all(descriptor_, 0, bytes.data(), bytes.size());
  }
  if (const int error = read_head()) return error;
  int error = ESTALE;
  for (int look = 0; error == ESTALE && look < kLooks; ++look) {
    if (look > 0) ::nanosleep(&kBetween, nullptr);
    error = read_state();
    if (error || !head_ || writable_ || size_ > take) continue;
    std::string copy(size_, '\0');
    error = read(0, copy.data(), copy.size());
    taken_ = error == 0;
    copy_ = std::move(copy);
    if (look >= kTakes) break;
  }
  if (taken_) close();
  return error;
}

bool AtomicFile::is_unborn(const char* path) {
  AtomicFile file;
  std::uint64_t count = 0;
  file.descriptor_ = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  return file.descriptor_ >= 0 && file.read_head() == 0 && file.head_ &&
         file.read_count(count) == 0 && count == 0;
}

int AtomicFile::close() {
  if (descriptor_ < 0) return 0;
  const int error = !writable_ ? 0 : expect_whole() ? ESTALE : expect_kept();
  return ::close(std::exchange(descriptor_, -1)) == 0 ? error : errno;
}

int AtomicFile::read_head() {
  std::string text(kHeadText.size() + 1, '\0');  // terminated by a zero
  const int error = read_all(descriptor_, 0, text.data(), text.size());
  head_ = text.substr(0, kHeadText.size()) == kHeadText && text.back() == '\0';
  return error;
}

int AtomicFile::read_count(std::uint64_t& count) const {
  return read_all(descriptor_, kCount, &count, sizeof count);
}

int AtomicFile::write_count() const {
  return head_ ? write_all(descriptor_, kCount, &count_, sizeof count_) : 0;
}

/// Reads the current state and its count. ESTALE: it changed meanwhile.
int AtomicFile::read_state() {
  std::uint64_t before = 0, after = 0;
  if (head_)
    if (const int error = read_count(before)) return error;
  if (const int error = read_appendix()) return error;
  if (head_)
    if (const int error = read_count(after)) return error;
  if (before != after) return ESTALE;
  count_ = before;
  if (writable_) return pages_.empty() && before % 2 == 0 ? 0 : apply();
  // A complete appendix already represents the next state. So does the file after its last page is
  // written and before the count is even again.
  if (before % 2 == 1 || !pages_.empty()) count_ = (before | 1) + 1;
  return 0;
}

/// Reads the sizes, and the pages of the appendix if there is a complete one.
int AtomicFile::read_appendix() {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return errno;
  const auto total = static_cast<std::uint64_t>(status.st_size);
  pages_.clear();
  size_ = total;
  Trailer trailer;
  if (total >= sizeof trailer)
    if (const int error = read_all(descriptor_, total - sizeof trailer, &trailer, sizeof trailer))
      return error;
  const std::uint64_t before = total - std::min<std::uint64_t>(total, sizeof trailer);
  if (before > 0 && trailer.magic == kMagic && trailer.pages <= before / kEntry) {
    std::string entries(trailer.pages * kEntry, '\0');
    if (const int error =
            read_all(descriptor_, before - entries.size(), entries.data(), entries.size()))
      return error;
    if (checksum(entries, trailer.size) == trailer.checksum) {
      size_ = trailer.size;
      for (std::size_t at = 0; at < entries.size(); at += kEntry) {
        std::uint64_t number = 0;
        std::memcpy(&number, entries.data() + at, sizeof number);
        pages_[number] = entries.substr(at + sizeof number, kPage);
      }
    }
  }
  guarded_ = whole_pages(size_);
  return 0;
}

int AtomicFile::read(std::uint64_t offset, void* bytes, std::size_t count) const {
  char* const out = static_cast<char*>(bytes);
  if (taken_) {
    const std::size_t there = copy_.copy(out, count, std::min(offset, size_));
    std::memset(out + there, 0, count - there);
    return 0;
  }
  if (const int error = read_all(descriptor_, offset, bytes, count)) return error;
  for (auto page = pages_.lower_bound(offset / kPage);
       page != pages_.end() && page->first * kPage < offset + count; ++page) {
    const std::uint64_t start = page->first * kPage, first = std::max(start, offset);
    page->second.copy(out + (first - offset), offset + count - first, first - start);
  }
  std::uint64_t now = 0;
  if (writable_) return expect_whole();
  if (!head_) return 0;
  if (const int error = read_count(now)) return error;
  return now > count_ ? ESTALE : 0;
}

int AtomicFile::write(std::uint64_t offset, const void* bytes, std::size_t count) {
  const char* at = static_cast<const char*>(bytes);
  size_ = std::max(size_, offset + count);
  while (count > 0 && offset < guarded_) {
    const std::uint64_t number = offset / kPage, within = offset % kPage;
    const std::size_t piece = std::min<std::uint64_t>(count, kPage - within);
    const auto [page, fresh] = pages_.try_emplace(number, kPage, '\0');
    if (fresh && piece < kPage)  // otherwise the old page is replaced completely
      if (const int error = read_all(descriptor_, number * kPage, page->second.data(), kPage))
        return error;
    page->second.replace(within, piece, at, piece);
    at += piece;
    offset += piece;
    count -= piece;
  }
  if (count == 0) return 0;
  if (const int error = expect_whole()) return error;
  if (const int error = write_all(descriptor_, offset, at, count)) return error;
  const bool over_mark = mark_ >= offset && mark_ < offset + count;
  if (const int error = over_mark ? 0 : expect_kept()) return error;
  written_ = std::max(written_, offset + count);
  mark(offset, at, count);
  return 0;
}

/// After bytes have been written.
void AtomicFile::mark(std::uint64_t offset, const char* bytes, std::size_t count) {
  const bool over_mark = mark_ >= offset && mark_ < offset + count;
  if (over_mark) marked_ = 0;
  if (marked_ && mark_ > offset) return;
  while (count > 0 && bytes[count - 1] == 0) --count;
  if (count == 0) return;
  mark_ = offset + count - 1;
  marked_ = bytes[count - 1];
}

/// ESTALE: the marked byte has been lost.
int AtomicFile::expect_kept() const {
  char now = 0;
  if (!marked_) return 0;
  if (const int error = read_all(descriptor_, mark_, &now, 1)) return error;
  return now == marked_ ? 0 : ESTALE;
}

int AtomicFile::expect_whole() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return errno;
  return static_cast<std::uint64_t>(status.st_size) < written_ ? ESTALE : 0;
}

int AtomicFile::commit() {
  if (!writable_) return 0;
  if (const int error = expect_whole()) return error;
  if (pages_.empty()) return apply();
  std::string appendix;
  for (const auto& [number, page] : pages_)
    appendix.append(reinterpret_cast<const char*>(&number), sizeof number).append(page);
  const Trailer trailer{kMagic, pages_.size(), size_, checksum(appendix, size_)};
  appendix.append(reinterpret_cast<const char*>(&trailer), sizeof trailer);
  // after all pages that apply() will write
  const std::uint64_t start = std::max(whole_pages(size_), guarded_);
  if (mark_ >= start) marked_ = 0;  // the file has become shorter: the appendix comes over it
  if (const int error = write_all(descriptor_, start, appendix.data(), appendix.size()))
    return error;
  if (const int error = expect_kept()) return error;
  written_ = start + appendix.size();
  return apply();
}

int AtomicFile::apply() {
  count_ |= 1;
  if (const int error = write_count()) return error;
  if (const auto first = pages_.find(0); head_ && first != pages_.end())
    std::memcpy(first->second.data() + kCount, &count_, sizeof count_);
  std::string together;  // collects adjacent pages for one write
  for (auto page = pages_.begin(); page != pages_.end();) {
    const std::uint64_t first = page->first;
    together.clear();
    for (; page != pages_.end() && page->first == first + together.size() / kPage &&
           together.size() < kMostTogether;
         ++page)
      together += page->second;
    if (const int error = write_all(descriptor_, first * kPage, together.data(), together.size()))
      return error;
    mark(first * kPage, together.data(), together.size());
  }
  // pages end before the appendix, so that a file without its end has been shortened meanwhile
  if (const int error = expect_whole()) return error;
  if (mark_ >= size_) marked_ = 0;
  if (::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) return errno;
  if (const int error = expect_kept()) return error;
  ++count_;
  if (const int error = write_count()) return error;
  written_ = size_;
  pages_.clear();
  guarded_ = whole_pages(size_);
#ifdef SYNC_FILE_RANGE_WRITE
  // Start writing to disk now instead of waiting for it at the end of the run. This is only a
  // request: errors are reported at the end.
  ::sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
  return 0;
}

}  // namespace saltus
