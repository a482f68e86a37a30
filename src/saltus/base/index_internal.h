// Converts an int to an array index, for the .cpp files of the library: defined once, so that
// several files can be compiled as one unit.
#pragma once
#include <cstddef>

namespace saltus {

inline constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
inline constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace saltus
