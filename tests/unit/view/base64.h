// base64 read back, apart from the code that writes it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace io_test {

/// The bytes behind base64, up to its first '=' or line end.
inline std::string bytes_of_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    const std::size_t six = kDigits.find(c);
    if (six == std::string_view::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(six);
    have += 6;
    if (have >= 8) bytes += static_cast<char>(bits >> (have -= 8) & 255u);
  }
  return bytes;
}

}  // namespace io_test
