#include <array>
#include <numbers>

#include "saltus/base/units.h"

namespace saltus {
namespace {

struct Symbol {
  std::string_view name;
  Unit unit;
};
constexpr std::array kSymbols{
    Symbol{"m", {unit::m}},           Symbol{"g", {unit::kg, -3}},
    Symbol{"s", {unit::s}},           Symbol{"Hz", {unit::Hz}},
    Symbol{"N", {unit::N}},           Symbol{"Pa", {unit::Pa}},
    Symbol{"J", {unit::N * unit::m}}, Symbol{"W", {unit::N * unit::m / unit::s}},
    Symbol{"rad", {unit::rad}},       Symbol{"deg", {unit::rad, 0, std::numbers::pi / 180.0}},
};

struct Prefix {
  std::string_view name;
  int exponent;
};
constexpr std::array kPrefixes{
    Prefix{"G", 9},  Prefix{"M", 6},       Prefix{"k", 3},       Prefix{"c", -2}, Prefix{"m", -3},
    Prefix{"u", -6}, Prefix{"\u00b5", -6}, Prefix{"\u03bc", -6}, Prefix{"n", -9}, Prefix{"p", -12}};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
}
bool is_blank_character(char c) { return c == ' ' || c == '\t'; }

std::optional<Unit> find_symbol(std::string_view name) {
  for (const Symbol& symbol : kSymbols)
    if (symbol.name == name) return symbol.unit;
  for (const Prefix& prefix : kPrefixes) {
    if (!name.starts_with(prefix.name)) continue;
    for (const Symbol& symbol : kSymbols) {
      if (symbol.name == "deg" || name.substr(prefix.name.size()) != symbol.name) continue;
      Unit unit = symbol.unit;
      unit.exponent += prefix.exponent;
      return unit;
    }
  }
  return std::nullopt;
}

/// unit := factor { ('*' | ' ') factor } [ '/' factor ];  factor := ( symbol | '1' | '(' unit ')' )
/// [ '^' digit ]
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text) {}

  std::optional<Unit> whole() {
    const auto unit = product();
    skip_space();
    return unit && at_ == text_.size() ? unit : std::nullopt;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (is_blank_character(peek())) ++at_;
  }

  std::optional<Unit> product() {
    auto left = factor();
    while (left) {
      skip_space();
      const bool division = peek() == '/';
      if (division || peek() == '*')
        ++at_;
      else if (!is_letter(peek()))
        return left;
      const auto right = factor();
      if (!right) return std::nullopt;
      const int sign = division ? -1 : 1;
      left->dimension = left->dimension * right->dimension.power(sign);
      left->exponent += sign * right->exponent;
      left->factor = division ? left->factor / right->factor : left->factor * right->factor;
      if (division) return left;
    }
    return left;
  }

  std::optional<Unit> factor() {
    skip_space();
    std::optional<Unit> unit;
    if (peek() == '(') {
      if (++depth_ > 4) return std::nullopt;
      ++at_;
      unit = product();
      --depth_;
      skip_space();
      if (peek() != ')') return std::nullopt;
      ++at_;
    } else if (peek() == '1') {
      ++at_;
      unit = Unit{};
    } else {
      const std::size_t start = at_;
      while (is_letter(peek())) ++at_;
      unit = find_symbol(text_.substr(start, at_ - start));
    }
    if (unit && peek() == '^') {
      ++at_;
      if (peek() < '1' || peek() > '6') return std::nullopt;
      const int n = text_[at_++] - '0';
      const double once = unit->factor;
      for (int i = 1; i < n; ++i) unit->factor *= once;
      unit->dimension = unit->dimension.power(n);
      unit->exponent *= n;
    }
    return unit;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<Unit> parse_unit(std::string_view text) {
  return text.size() > 40 ? std::nullopt : UnitParser(text).whole();
}

}  // namespace saltus
