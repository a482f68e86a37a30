// Numbers with units as people write them: "3.57 mm", "44.1 kHz", "6.7 g/m", "210 GPa",
// "1.8e-5 kg/(m s)".
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "saltus/base/dimension.h"

namespace saltus {

/// A unit: 10^exponent * factor times the SI unit of its dimension. The decimal part is an integer
/// so that "3.57 mm" gives exactly the double nearest to 0.00357.
struct Unit {
  Dimension dimension;
  int exponent = 0;
  double factor = 1.0;
};

/// "mm", "g/m", "kg/(m s)", "N/m^2"; nullopt if the text is not a unit. "kg/m s" is ambiguous and
/// therefore not a unit.
std::optional<Unit> parse_unit(std::string_view text);

/// A number read from text, or the reason why it could not be read.
struct Quantity {
  double value = 0.0;  ///< SI
  bool with_unit = false;
  std::string error;  ///< empty: value is valid
  std::string hint;   ///< what is allowed
};

/// Reads a finite number, either plain (then in SI units) or with a unit of the given dimension.
Quantity parse_quantity(std::string_view text, Dimension dimension);

/// Whether the whole text is a number without unit, including nan and infinity.
bool is_number(std::string_view text);

/// Name of the SI unit of a dimension, "" for plain numbers.
std::string unit_name(Dimension dimension);
/// "m, cm, mm, um, km": units to suggest for a dimension.
std::string unit_examples(Dimension dimension);

/// Shortest text that reads back to the same double; with a dimension, "0.9 s".
std::string to_text(double value);
std::string to_text(double value, Dimension dimension);

}  // namespace saltus
