#include "saltus/base/units.h"

#include <array>
#include <charconv>

namespace saltus {
namespace {

struct Offered {
  Dimension dimension;
  std::string_view name, examples;
};
constexpr std::array kOffered{
    Offered{unit::m, "m", "m, cm, mm, um, km"},
    Offered{unit::kg, "kg", "kg, g, mg"},
    Offered{unit::s, "s", "s, ms, us"},
    Offered{unit::rad, "rad", "rad, mrad, deg"},
    Offered{unit::Hz, "Hz", "Hz, kHz, MHz"},
    Offered{unit::m2, "m^2", "m^2, cm^2, mm^2"},
    Offered{unit::m4, "m^4", "m^4, cm^4, mm^4"},
    Offered{unit::per_s, "1/s", "1/s, 1/ms"},
    Offered{unit::rad_per_s, "rad/s", "rad/s, deg/s"},
    Offered{unit::rad_per_s / unit::s, "rad/s^2", "rad/s^2, deg/s^2"},
    Offered{unit::m_per_s2 / unit::s, "m/s^3", "m/s^3, mm/s^3"},
    Offered{unit::N / unit::s, "N/s", "N/s, kN/s"},
    Offered{unit::N_m / unit::s, "N m/s", "N m/s"},
    Offered{unit::m_per_s, "m/s", "m/s, mm/s"},
    Offered{unit::N, "N", "N, mN, kN"},
    Offered{unit::Pa, "Pa", "Pa, kPa, MPa, GPa, N/mm^2"},
    Offered{unit::Pa_s, "Pa s", "Pa s, mPa s, kg/(m s)"},
    Offered{unit::m_per_s2, "m/s^2", "m/s^2, mm/s^2"},
    Offered{unit::N_per_m, "N/m", "N/m, kN/m, N/mm"},
    Offered{unit::N_per_m3, "N/m^3", "N/m^3, N/mm^3"},
    Offered{unit::N_s_per_m, "N s/m", "N s/m, kg/s"},
    Offered{unit::N_m, "N m", "N m, kN m"},
    Offered{unit::N * unit::m2, "N m^2", "N m^2, kN m^2"},
    Offered{unit::N_m_s, "N m s", "N m s"},
    Offered{unit::N_m_per_rad, "N m/rad", "N m/rad, kN m/rad, N m/deg"},
    Offered{unit::N_m_s_per_rad, "N m s/rad", "N m s/rad, N m s/deg"},
    Offered{unit::kg_m2, "kg m^2", "kg m^2, g cm^2"},
    Offered{unit::m3_per_s2, "m^3/s^2", "m^3/s^2"},
    Offered{unit::kg_per_m, "kg/m", "kg/m, g/m, g/cm"},
    Offered{unit::kg_per_m3, "kg/m^3", "kg/m^3, g/cm^3"},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t'; }

/// Length of the number at the start of text, and of its part before the exponent; 0 if there is no
/// number.
std::pair<std::size_t, std::size_t> number_length(std::string_view text) {
  std::size_t i = 0, digits = 0;
  const auto count = [&] {
    while (i < text.size() && is_digit(text[i])) ++i, ++digits;
  };
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  count();
  if (i < text.size() && text[i] == '.') {
    ++i;
    count();
  }
  if (digits == 0) return {0, 0};
  const std::size_t mantissa = i;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    if (j < text.size() && (text[j] == '+' || text[j] == '-')) ++j;
    const std::size_t first = j;
    while (j < text.size() && is_digit(text[j])) ++j;
    if (j > first) i = j;
  }
  return {i, mantissa};
}

bool is_not_finite(std::string_view text) {
  std::string lower;
  for (char c : text)
    if (c != '.' && c != '+' && c != '-')
      lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

std::string quoted(std::string_view text) {
  return "'" + std::string(text.substr(0, 60)) + (text.size() > 60 ? "..." : "") + "'";
}

}  // namespace

Quantity parse_quantity(std::string_view text, Dimension dimension) {
  Quantity result;
  const auto wrong = [&](std::string error, std::string hint) {
    result.error = std::move(error);
    result.hint = std::move(hint);
    return result;
  };
  const std::string name = unit_name(dimension);
  const std::string expected =
      name.empty() ? "a number without unit"
                   : "a number in " + name + ", or with a unit: " + unit_examples(dimension);
  if (is_not_finite(text)) return wrong(quoted(text) + " is not a finite number", expected);
  const auto [length, mantissa] = number_length(text);
  if (length == 0) return wrong(quoted(text) + " is not a number", expected);
  const std::size_t first = text[0] == '+' || text[0] == '-' ? 1 : 0;
  if (text[first] == '0' && first + 1 < text.size() && is_digit(text[first + 1]))
    return wrong(quoted(text) + " starts with 0, which YAML parsers interpret differently",
                 "omit the zero");

  Unit unit{dimension};
  std::string_view rest = text.substr(length);
  while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
  if (!rest.empty()) {
    const auto parsed = parse_unit(rest);
    if (!parsed) return wrong(quoted(rest) + " is not a unit", expected);
    if (!(parsed->dimension == dimension))
      return wrong(quoted(rest) + " is a unit of another dimension", expected);
    unit = *parsed;
    result.with_unit = true;
  }
  int exponent = 0;
  if (length > mantissa) {
    const std::size_t skip = mantissa + (text[mantissa + 1] == '+' ? 2 : 1);
    if (std::from_chars(text.data() + skip, text.data() + length, exponent).ec != std::errc{} ||
        exponent > 100000 || exponent < -100000)
      return wrong(quoted(text) + " is outside the range of double precision", expected);
  }
  std::string decimal(text.substr(first, mantissa - first));
  decimal += "e" + std::to_string(exponent + unit.exponent);
  const auto [end, error] =
      std::from_chars(decimal.data(), decimal.data() + decimal.size(), result.value);
  if (error != std::errc{} || end != decimal.data() + decimal.size())
    return wrong(quoted(text) + " is outside the range of double precision", expected);
  result.value *= unit.factor * (text[0] == '-' ? -1.0 : 1.0);
  return result;
}

bool is_number(std::string_view text) {
  return (!text.empty() && number_length(text).first == text.size()) || is_not_finite(text);
}

std::string unit_name(Dimension dimension) {
  if (dimension == unit::one) return "";
  for (const Offered& offered : kOffered)
    if (offered.dimension == dimension) return std::string(offered.name);
  return "SI units";
}

std::string unit_examples(Dimension dimension) {
  for (const Offered& offered : kOffered)
    if (offered.dimension == dimension) return std::string(offered.examples);
  return "";
}

std::string to_text(double value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

std::string to_text(double value, Dimension dimension) {
  const std::string name = unit_name(dimension);
  return name.empty() ? to_text(value) : to_text(value) + " " + name;
}

std::string describe(const Range& range) {
  const bool low = std::isfinite(range.low), high = std::isfinite(range.high);
  if (low && high)
    return (range.low_open ? "(" : "[") + to_text(range.low) + ", " + to_text(range.high) +
           (range.high_open ? ")" : "]");
  if (low) return (range.low_open ? "> " : ">= ") + to_text(range.low);
  if (high) return (range.high_open ? "< " : "<= ") + to_text(range.high);
  return "";
}

}  // namespace saltus
