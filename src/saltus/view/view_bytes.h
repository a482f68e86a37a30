// Packs arrays of numbers into one byte string, and records the position of each.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace saltus {

static_assert(std::endian::native == std::endian::little, "view data are little-endian");

template <class T>
void append_bytes(std::string& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

inline void pad_to(std::string& bytes, std::size_t multiple) {
  bytes.resize((bytes.size() + multiple - 1) / multiple * multiple, '\0');
}

/// An array in the static bytes: docs/reference/view_data.md, "Header".
struct ViewArray {
  const char* type = "f32";
  std::size_t at = 0, count = 0;  ///< at: offset, a multiple of 8 [bytes]
};

/// Appends the numbers without conversion.
template <class T>
ViewArray add_array(std::string& bytes, std::span<const T> values) {
  constexpr const char* kType = std::is_same_v<T, float>           ? "f32"
                                : std::is_same_v<T, double>        ? "f64"
                                : std::is_same_v<T, std::int16_t>  ? "i16"
                                : std::is_same_v<T, std::int32_t>  ? "i32"
                                : std::is_same_v<T, std::uint32_t> ? "u32"
                                                                   : nullptr;
  static_assert(kType != nullptr);
  pad_to(bytes, 8);
  const ViewArray array{kType, bytes.size(), values.size()};
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return array;
}

inline ViewArray add_floats(std::string& bytes, std::span<const double> values) {
  const std::vector<float> floats(values.begin(), values.end());
  return add_array<float>(bytes, floats);
}

}  // namespace saltus
