#include "saltus/io/frame_column.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace saltus {
namespace {

void copy_past_cache(const double* from, std::size_t count, double* to) {
#ifdef __SSE2__
  constexpr std::uintptr_t kAlignment = 16;
  for (; count > 0 && reinterpret_cast<std::uintptr_t>(to) % kAlignment != 0; --count)
    *to++ = *from++;
  for (; count >= 2; count -= 2, from += 2, to += 2) _mm_stream_pd(to, _mm_loadu_pd(from));
#endif
  std::copy_n(from, count, to);
}

}  // namespace

void FrameColumn::reserve(std::size_t count) {
  if (count <= capacity_) return;
  auto larger = std::make_unique_for_overwrite<double[]>(count);
  std::copy_n(values_.get(), size_, larger.get());
  values_ = std::move(larger);
  capacity_ = count;
}

double* FrameColumn::grow(std::size_t count) {
  if (size_ + count > capacity_) reserve(std::max(size_ + count, 2 * capacity_));
  size_ += count;
  return values_.get() + (size_ - count);
}

void FrameColumn::append(const Vector& row) {
  append(row.data(), static_cast<std::size_t>(row.size()));
}

void FrameColumn::append(const double* row, std::size_t count) {
  constexpr std::size_t kLong = 64;  // shorter ones are still in the cache when they are written
  double* const to = grow(count);
  if (count < kLong)
    std::copy_n(row, count, to);
  else
    copy_past_cache(row, count, to);
}

void FrameColumn::take_last(std::size_t count, FrameColumn& other) {
  append(other.end() - count, count);
  other.drop_last(count);
}

void FrameColumn::append(std::size_t count, double value) {
  std::fill_n(grow(count), count, value);
}

void FrameColumn::publish() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace saltus
