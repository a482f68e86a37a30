#include "saltus/results/planes.h"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <new>

namespace saltus {
namespace {

constexpr std::size_t kStored = 65'535;  // [bytes] in a stored block at most

/// Byte k of number i goes to place i of plane k.
template <class Word>
void split_planes(const char* in, std::size_t count, char* out) {
  for (std::size_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, in + i * sizeof word, sizeof word);
    for (std::size_t k = 0; k < sizeof word; ++k) {
      out[k * count + i] = static_cast<char>(word & 0xff);
      word >>= 8;
    }
  }
}

/// A coding by frequencies pays where two bytes chosen at random agree more often than kAgree times in 256; with n random
/// bytes they do so 1 + 256/n times. 4: a plane is shortened to 6 bits a byte or fewer. Of a long plane kBlocks blocks are
/// asked, as far from each other as they can be.
bool looks_like_noise(std::span<const unsigned char> plane) {
  constexpr std::uint64_t kAgree = 4;
  constexpr std::size_t kBlocks = 16, kBlock = 256;
  const bool whole = plane.size() <= kBlocks * kBlock;
  const std::size_t blocks = whole ? 1 : kBlocks, block = whole ? plane.size() : kBlock,
                    n = blocks * block;
  std::array<std::array<std::uint32_t, 256>, 4>
      count{};  // four: equal neighbours do not wait for each other
  for (std::size_t j = 0; j < blocks; ++j) {
    const std::size_t first = whole ? 0 : j * (plane.size() - block) / (blocks - 1);
    const auto asked = plane.subspan(first, block);
    std::size_t i = 0;
    for (; i + 4 <= block; i += 4)
      for (std::size_t k = 0; k < 4; ++k) ++count[k][asked[i + k]];
    for (; i < block; ++i) ++count[0][asked[i]];
  }
  std::uint64_t squares = 0;
  for (std::size_t b = 0; b < 256; ++b) {
    const std::uint64_t c = std::uint64_t{count[0][b]} + count[1][b] + count[2][b] + count[3][b];
    squares += c * c;
  }
  return 256 * squares < std::uint64_t{n} * (kAgree * n + 256);
}

/// Returns behind what was written.
char* put_stored(char* out, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const std::size_t n = std::min(bytes.size(), kStored);
    const auto low = [](std::size_t x) { return static_cast<char>(x & 0xff); };
    const std::array<char, 5> head{0, low(n), low(n >> 8), low(~n), low(~n >> 8)};
    out = std::copy(head.begin(), head.end(), out);
    out = std::copy_n(bytes.begin(), n, out);
    bytes = bytes.subspan(n);
  }
  return out;
}

}  // namespace

struct PlaneCoder::Stream {
  z_stream z{};
  Stream() {
    // no header: parts of one stream; the strategy looks for runs alone
    if (deflateInit2(&z, 1, Z_DEFLATED, -15, 8, Z_RLE) != Z_OK) throw std::bad_alloc();
  }
  ~Stream() { deflateEnd(&z); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Room for whatever n bytes in k parts become.
  std::size_t bound(std::size_t n, std::size_t k) {
    return deflateBound(&z, n) + n / 64 + 64 * (k + 1);
  }
  /// Returns behind what was written, which ends on a whole byte.
  char* put(char* out, char* end, std::span<const char> bytes) {
    z.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    z.avail_in = static_cast<unsigned>(bytes.size());
    z.next_out = reinterpret_cast<unsigned char*>(out);
    z.avail_out = static_cast<unsigned>(end - out);
    deflate(&z, Z_FULL_FLUSH);
    return end - z.avail_out;
  }
};

PlaneCoder::PlaneCoder() : stream_(std::make_unique<Stream>()) {}
PlaneCoder::~PlaneCoder() = default;
PlaneCoder::PlaneCoder(PlaneCoder&&) noexcept = default;
PlaneCoder& PlaneCoder::operator=(PlaneCoder&&) noexcept = default;

PlaneCoder::Coded PlaneCoder::encode(std::span<const char> bytes, std::size_t element) {
  const std::size_t count = bytes.size() / element;
  planes_.resize(bytes.size());
  out_.resize(std::max(out_.size(), stream_->bound(bytes.size(), element)));
  if (element == 8)
    split_planes<std::uint64_t>(bytes.data(), count, planes_.data());
  else
    split_planes<std::uint32_t>(bytes.data(), count, planes_.data());

  char *out = out_.data(), *const out_end = out + out_.size();
  *out++ = 0x78;  // zlib: deflate, window of 32 KiB
  *out++ = 0x01;
  const auto noise = [&](std::size_t i) {
    const auto* plane = reinterpret_cast<const unsigned char*>(planes_.data() + i * count);
    return looks_like_noise({plane, count});
  };
  bool stored = noise(0);
  for (std::size_t k = 0; k < element;) {  // planes of a kind at a time
    std::size_t end = k + 1;
    bool next = stored;
    while (end < element && (next = noise(end)) == stored) ++end;
    const auto part = std::span<const char>(planes_).subspan(k * count, (end - k) * count);
    out = stored ? put_stored(out, part) : stream_->put(out, out_end, part);
    stored = next;
    k = end;
  }
  constexpr std::array<char, 5> last{1, 0, 0, -1, -1};  // an empty block
  out = std::copy(last.begin(), last.end(), out);
  const std::uint32_t check = libdeflate_adler32(1, planes_.data(), planes_.size());
  for (int shift = 24; shift >= 0; shift -= 8) *out++ = static_cast<char>((check >> shift) & 0xff);
  const auto size = static_cast<std::size_t>(out - out_.data());
  if (size < planes_.size()) return {std::span<const char>(out_).first(size), true};
  return {planes_, false};
}

}  // namespace saltus
