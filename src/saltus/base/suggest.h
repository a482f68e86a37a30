// "Did you mean": the name in a list that is closest to a given one.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace saltus {

/// Number of letters to insert, delete, replace or swap with a neighbour; differences of case and
/// between `_` and `-` are free.
int edit_distance(std::string_view a, std::string_view b);

/// The closest known name, "" if none is close enough to be a misspelling.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

/// "did you mean `theta`? allowed: ..." or "allowed: ...": the hint of an error about an unknown
/// name.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

/// "a, b, c".
std::string list_names(std::span<const std::string_view> names);

}  // namespace saltus
