// A sum over all bits of the rows of a table.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace saltus {

inline constexpr std::uint64_t kNoRows = 0xcbf29ce484222325ULL;  ///< the sum of no rows

/// Adds numbers one after the other, so that the result does not depend on how they are split into
/// portions:
///     sum = K sum + mixed(word),      mixed(w) = x ^ (x >> 29),  x = C (w ^ (w >> 32)),
/// modulo 2^64. Each step is invertible: different sums stay different until another number differs
/// too. A polynomial in K, because saltus verify computes it by arrays; of mixed words, because the
/// lower bits of round numbers are zero, so that a sum of w itself would not notice exchanged rows.
template <typename Word>
std::uint64_t added_words(std::uint64_t sum, const void* values, std::size_t count) {
  const char* next = static_cast<const char*>(values);
  for (std::size_t i = 0; i < count; ++i, next += sizeof(Word)) {
    Word word;
    std::memcpy(&word, next, sizeof word);
    std::uint64_t mixed = word;
    mixed = (mixed ^ (mixed >> 32)) * 0xbf58476d1ce4e5b9ULL;
    sum = sum * 0x9e3779b97f4a7c15ULL + (mixed ^ (mixed >> 29));
  }
  return sum;
}

/// Adds `count` numbers of `element` bytes: 1 (of a text), 4 or 8.
inline std::uint64_t added(std::uint64_t sum, std::size_t element, const void* values,
                           std::size_t count) {
  return element == 1   ? added_words<std::uint8_t>(sum, values, count)
         : element == 4 ? added_words<std::uint32_t>(sum, values, count)
                        : added_words<std::uint64_t>(sum, values, count);
}

}  // namespace saltus
