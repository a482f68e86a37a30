// The index of an int, for the .cpp files of the library: one definition, so that files can be
// compiled together.
#pragma once
#include <cstddef>

namespace saltus {

inline constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
inline constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace saltus
