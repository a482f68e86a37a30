// Control characters as text, for output that must stay on one line.
#pragma once
#include <string>
#include <string_view>

namespace saltus {

/// Appends c as \n, \t or `before` and two hexadecimal digits. Returns false and appends nothing if
/// c is not a control character.
inline bool append_control(std::string& out, char c, std::string_view before) {
  static constexpr char kHex[] = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(c);
  if (code >= 0x20 && code != 0x7F) return false;
  if (c == '\n')
    out += "\\n";
  else if (c == '\t')
    out += "\\t";
  else
    ((out += before) += kHex[code >> 4]) += kHex[code & 15];
  return true;
}

}  // namespace saltus
