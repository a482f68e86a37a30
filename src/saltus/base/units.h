// Numbers with units as people write them: "3.57 mm", "44.1 kHz", "6.7 g/m", "210 GPa", "1.8e-5
// kg/(m s)".
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "saltus/base/dimension.h"

namespace saltus {

/// A unit: 10^exponent * factor of the SI unit of its dimension. The decimal part is kept as an
/// integer so that "3.57 mm" is the very double nearest to 0.00357.
struct Unit {
  Dimension dimension;
  int exponent = 0;
  double factor = 1.0;
};

/// "mm", "g/m", "kg/(m s)", "N/m^2"; nothing if it is not a unit. "kg/m s" is ambiguous and no
/// unit.
std::optional<Unit> parse_unit(std::string_view text);

/// A number read from text, or what is wrong with it.
struct Quantity {
  double value = 0.0;  ///< SI
  bool with_unit = false;
  std::string error;  ///< empty: value holds
  std::string hint;   ///< what is allowed
};

/// A finite number, alone (then SI) or with a unit of the given dimension.
Quantity parse_quantity(std::string_view text, Dimension dimension);

/// Whether the whole text is a number without unit, nan and infinity included.
bool is_number(std::string_view text);

/// Name of the SI unit of a dimension, "" for plain numbers.
std::string unit_name(Dimension dimension);
/// "m, cm, mm, um, km": units to offer for a dimension.
std::string unit_examples(Dimension dimension);

/// Shortest text that reads back to the same double; "0.9 s" with a dimension.
std::string to_text(double value);
std::string to_text(double value, Dimension dimension);

}  // namespace saltus
