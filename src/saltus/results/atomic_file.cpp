#include "saltus/results/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace saltus {
namespace {

constexpr std::uint64_t kPage = 4096;                    // [bytes]
constexpr std::uint64_t kEntry = 8 + kPage;              // number and bytes of a page
constexpr std::uint64_t kMagic = 0x314c4e4a53544c53ULL;  // "SLTSJNL1"

constexpr char kHeadText[] = "Saltus results: HDF5 from byte 512 on; flushes x 2: ";
static_assert(sizeof kHeadText <= AtomicFile::kCount);
constexpr std::size_t kKept = std::size_t{16} << 20;  // [bytes] for the pages of the next change
constexpr int kRun = 256;                             // pages that are written at once at most
constexpr int kLooks = 400;                           // at a file that is written to, 1 ms apart
constexpr int kTakes = 20;                            // copies of it that are begun
constexpr timespec kBetween{0, 1'000'000};

/// At the very end of the file: what stands before it.
struct Trailer {
  std::uint64_t magic = kMagic, pages = 0, size = 0, checksum = 0;
};

std::uint64_t whole_pages(std::uint64_t size) { return (size + kPage - 1) / kPage * kPage; }

/// FNV-1a over 64-bit words; the appendix is a multiple of 8 bytes.
std::uint64_t checksum(const std::vector<char>& bytes, std::uint64_t size) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ size;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    hash = (hash ^ word) * 0x100000001b3ULL;
  }
  return hash;
}

int write_all(int descriptor, std::uint64_t offset, const void* bytes, std::size_t count) {
  const char* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t put = ::pwrite(descriptor, at, count, static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    at += put;
    offset += static_cast<std::uint64_t>(put);
    count -= static_cast<std::size_t>(put);
  }
  return 0;
}

/// The same of several pieces, which it may change.
int write_all(int descriptor, std::uint64_t offset, iovec* piece, int pieces) {
  while (pieces > 0) {
    const ssize_t put = ::pwritev(descriptor, piece, pieces, static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    auto left = static_cast<std::size_t>(put);
    offset += left;
    for (; pieces > 0 && left >= piece->iov_len; ++piece, --pieces) left -= piece->iov_len;
    if (pieces > 0) {
      piece->iov_base = static_cast<char*>(piece->iov_base) + left;
      piece->iov_len -= left;
    }
  }
  return 0;
}

int read_all(int descriptor, std::uint64_t offset, void* bytes, std::size_t count) {
  char* at = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t got = ::pread(descriptor, at, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) {
      std::memset(at, 0, count);
      return 0;
    }
    at += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return 0;
}

}  // namespace

AtomicFile::~AtomicFile() { close(); }

int AtomicFile::open(const char* path, int flags, bool head) {
  descriptor_ = ::open(path, flags | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return errno;
  writable_ = (flags & O_ACCMODE) != O_RDONLY;
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return errno;
  if (head && status.st_size == 0) {
    std::array<char, kHead> bytes{};
    std::copy(std::begin(kHeadText), std::end(kHeadText), bytes.begin());
    head_ = true;  // not counted in size(): HDF5 takes a file for new only where that is 0
    return write_all(descriptor_, 0, bytes.data(), bytes.size());
  }
  std::array<char, sizeof kHeadText> text{};
  if (const int error = read_all(descriptor_, 0, text.data(), text.size())) return error;
  head_ = std::equal(text.begin(), text.end(), kHeadText);
  return recover();
}

bool AtomicFile::is_unborn(const char* path) {
  AtomicFile file;
  file.descriptor_ = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file.descriptor_ < 0) return false;
  std::array<char, sizeof kHeadText> text{};
  std::uint64_t count = 0;
  return read_all(file.descriptor_, 0, text.data(), text.size()) == 0 &&
         std::equal(text.begin(), text.end(), kHeadText) && file.read_count(count) == 0 &&
         count == 0;
}

int AtomicFile::read_count(std::uint64_t& count) const {
  return read_all(descriptor_, kCount, &count, sizeof count);
}

int AtomicFile::write_count() {
  return head_ ? write_all(descriptor_, kCount, &count_, sizeof count_) : 0;
}

int AtomicFile::close() {
  if (descriptor_ < 0) return 0;
  return ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
}

char* AtomicFile::keep(std::uint64_t number) {
  const std::size_t place = entries_.size() + sizeof number;
  entries_.resize(place + kPage);
  std::memcpy(page_at(place) - sizeof number, &number, sizeof number);
  pages_[number] = place;
  return page_at(place);
}

void AtomicFile::forget_pages() {
  pages_.clear();
  entries_.clear();
  if (entries_.capacity() > kKept) std::vector<char>().swap(entries_);  // = {} would keep it
}

/// The state that is there, with its count.
int AtomicFile::recover() {
  for (int look = 0; look < kLooks; ++look) {
    std::uint64_t before = 0, after = 0;
    if (head_)
      if (const int error = read_count(before)) return error;
    forget_pages();
    if (const int error = recover_pages()) return error;
    if (head_)
      if (const int error = read_count(after)) return error;
    if (before == after) {
      count_ = before;
      if (writable_) return pages_.empty() && before % 2 == 0 ? 0 : apply();
      // With its appendix the state is the next one already, and so it is between its last page and the even count.
      if (before % 2 == 1 || !pages_.empty()) count_ = (before | 1) + 1;
      return 0;
    }
    ::nanosleep(&kBetween, nullptr);
  }
  return EBUSY;
}

/// Reads the appendix, if there is a complete one.
int AtomicFile::recover_pages() {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return errno;
  const auto total = static_cast<std::uint64_t>(status.st_size);
  size_ = total;
  guarded_ = whole_pages(total);
  Trailer trailer;
  if (total < sizeof trailer) return 0;
  if (const int error = read_all(descriptor_, total - sizeof trailer, &trailer, sizeof trailer))
    return error;
  if (trailer.magic != kMagic || trailer.pages > total / kEntry) return 0;
  const std::uint64_t length = trailer.pages * kEntry;
  if (length + sizeof trailer > total) return 0;
  entries_.resize(length);
  if (const int error =
          read_all(descriptor_, total - sizeof trailer - length, entries_.data(), length))
    return error;
  if (checksum(entries_, trailer.size) != trailer.checksum) {
    forget_pages();
    return 0;
  }
  for (std::size_t at = 0; at < length; at += kEntry) {
    std::uint64_t number = 0;
    std::memcpy(&number, page_at(at), sizeof number);
    pages_[number] = at + sizeof number;
  }
  size_ = trailer.size;
  guarded_ = whole_pages(size_);
  return 0;
}

int AtomicFile::copy_state() {
  constexpr std::size_t kBlock = 1 << 20;
  copy_.resize(size_);
  for (std::size_t at = 0; at < copy_.size(); at += kBlock)
    if (const int error = read(at, copy_.data() + at, std::min(kBlock, copy_.size() - at)))
      return error;
  return 0;
}

int AtomicFile::take(std::uint64_t most) {
  if (!head_ || writable_) return 0;
  for (int look = 0; look < kTakes; ++look) {
    if (size_ > most) return 0;
    const int error = copy_state();
    if (error == 0) {
      taken_ = true;
      forget_pages();
      close();
    }
    if (error != ESTALE) return error;
    ::nanosleep(&kBetween, nullptr);
    if (const int again = recover()) return again;
  }
  return ESTALE;
}

int AtomicFile::read(std::uint64_t offset, void* bytes, std::size_t count) const {
  if (taken_) {
    const std::uint64_t there = offset < size_ ? std::min<std::uint64_t>(count, size_ - offset) : 0;
    if (there) std::memcpy(bytes, copy_.data() + offset, there);
    std::memset(static_cast<char*>(bytes) + there, 0, count - there);
    return 0;
  }
  if (const int error = read_all(descriptor_, offset, bytes, count)) return error;
  for (auto page = pages_.lower_bound(offset / kPage); page != pages_.end(); ++page) {
    const std::uint64_t start = page->first * kPage;
    if (start >= offset + count) break;
    const std::uint64_t first = std::max(start, offset);
    const std::uint64_t last = std::min(start + kPage, offset + count);
    std::memcpy(static_cast<char*>(bytes) + (first - offset),
                page_at(page->second) + (first - start), last - first);
  }
  if (head_ && !writable_) {
    std::uint64_t now = 0;
    if (const int error = read_count(now)) return error;
    if (now > count_) return ESTALE;
  }
  return 0;
}

int AtomicFile::write(std::uint64_t offset, const void* bytes, std::size_t count) {
  const char* at = static_cast<const char*>(bytes);
  size_ = std::max(size_, offset + count);
  while (count > 0 && offset < guarded_) {
    const std::uint64_t number = offset / kPage, within = offset % kPage;
    const std::size_t piece = std::min<std::uint64_t>(count, kPage - within);
    const auto kept = pages_.find(number);
    char* const page = kept != pages_.end() ? page_at(kept->second) : keep(number);
    if (kept == pages_.end() && piece < kPage)  // else nothing of the old one stays
      if (const int error = read_all(descriptor_, number * kPage, page, kPage)) return error;
    std::memcpy(page + within, at, piece);
    at += piece;
    offset += piece;
    count -= piece;
  }
  if (count == 0) return 0;
  if (const int error = expect_whole()) return error;
  if (const int error = write_all(descriptor_, offset, at, count)) return error;
  written_ = std::max(written_, offset + count);
  return 0;
}

int AtomicFile::expect_whole() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return errno;
  return static_cast<std::uint64_t>(status.st_size) < written_ ? ESTALE : 0;
}

int AtomicFile::commit() {
  if (!writable_) return 0;
  if (const int error = expect_whole()) return error;
  if (!pages_.empty()) {
    Trailer trailer;
    trailer.pages = pages_.size();
    trailer.size = size_;
    trailer.checksum = checksum(entries_, size_);
    const char* const first = reinterpret_cast<const char*>(&trailer);
    const std::size_t length = entries_.size();
    entries_.insert(entries_.end(), first, first + sizeof trailer);
    // Behind all pages that apply() will write.
    const std::uint64_t start = std::max(whole_pages(size_), guarded_);
    const int error = write_all(descriptor_, start, entries_.data(), entries_.size());
    entries_.resize(length);
    if (error) return error;
  }
  return apply();
}

int AtomicFile::apply() {
  count_ |= 1;
  if (const int error = write_count()) return error;
  if (const auto first = pages_.find(0); head_ && first != pages_.end())
    std::memcpy(page_at(first->second) + kCount, &count_, sizeof count_);
  std::array<iovec, kRun> run;  // pages that follow each other are written as one
  for (auto page = pages_.begin(); page != pages_.end();) {
    const std::uint64_t first = page->first;
    int pages = 0;
    for (; page != pages_.end() && pages < kRun &&
           page->first == first + static_cast<std::uint64_t>(pages);
         ++page)
      run[static_cast<std::size_t>(pages++)] = {page_at(page->second), kPage};
    if (const int error = write_all(descriptor_, first * kPage, run.data(), pages)) return error;
  }
  if (::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) return errno;
  written_ = size_;
  ++count_;
  if (const int error = write_count()) return error;
  forget_pages();
  guarded_ = whole_pages(size_);
#ifdef SYNC_FILE_RANGE_WRITE
  // The disk begins with it now and not when the run ends and waits for it. Only a request: faults show at the end.
  ::sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
  return 0;
}

}  // namespace saltus
