// "Did you mean": the nearest of a set of names.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace saltus {

/// Letters to insert, delete, replace or swap with their neighbour; capitals and `_` against `-`
/// cost nothing.
int edit_distance(std::string_view a, std::string_view b);

/// The nearest known name, "" if none is near enough to be a slip.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

/// "did you mean `theta`? allowed: ..." or "allowed: ..."; the hint of an error about an unknown
/// name.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

/// "a, b, c".
std::string list_names(std::span<const std::string_view> names);

}  // namespace saltus
