#include "saltus/study/sweep_axis.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "saltus/base/error.h"
#include "saltus/base/units.h"

namespace saltus {
namespace {

constexpr double kStepRoundOff = 1e-9;  // of a step, by which TO may be missed

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// A number and the text after it: "0.5" and "mm".
struct Number {
  double value = 0.0;
  std::string_view digits, unit;
};

/// Empty if the text does not begin with a finite number.
std::optional<Number> read_number(std::string_view text) {
  text = trimmed(text);
  std::string_view bare = text;
  if (!bare.empty() && bare.front() == '+') bare.remove_prefix(1);
  const std::size_t first = bare.starts_with('-') ? 1 : 0;
  const bool begins = bare.size() > first && (is_digit(bare[first]) || bare[first] == '.');
  Number number;
  const auto [end, error] = std::from_chars(bare.data(), bare.data() + bare.size(), number.value);
  if (!begins || error != std::errc{} || (first == 1 && text.front() == '+')) return std::nullopt;
  number.digits = bare.substr(0, static_cast<std::size_t>(end - bare.data()));
  number.unit = trimmed(bare.substr(number.digits.size()));
  return number;
}

/// mantissa 10^exponent, for numbers with few enough digits that their sums are exact.
struct Decimal {
  long long mantissa = 0;
  int exponent = 0;
};

constexpr long long kExact = 1'000'000'000'000'000;

std::optional<Decimal> decimal_of(std::string_view digits) {
  Decimal decimal;
  bool fraction = false;
  std::size_t i = digits.starts_with('-') ? 1 : 0;
  for (; i < digits.size() && (is_digit(digits[i]) || digits[i] == '.'); ++i) {
    if (digits[i] == '.') {
      fraction = true;
      continue;
    }
    decimal.mantissa = 10 * decimal.mantissa + (digits[i] - '0');
    decimal.exponent -= fraction;
    if (decimal.mantissa > kExact) return std::nullopt;
  }
  if (i < digits.size()) {  // e-3
    std::string_view rest = digits.substr(i + 1);
    if (rest.starts_with('+')) rest.remove_prefix(1);
    int exponent = 0;
    if (std::from_chars(rest.data(), rest.data() + rest.size(), exponent).ec != std::errc{} ||
        std::abs(exponent) > 400)
      return std::nullopt;
    decimal.exponent += exponent;
  }
  if (digits.starts_with('-')) decimal.mantissa = -decimal.mantissa;
  return decimal;
}

/// Brings both to the same exponent; false if that needs too many digits.
bool align(Decimal& a, Decimal& b) {
  Decimal& high = a.exponent > b.exponent ? a : b;
  const int exponent = std::min(a.exponent, b.exponent);
  if (high.mantissa == 0) high.exponent = exponent;
  while (high.exponent > exponent) {
    high.mantissa *= 10;
    --high.exponent;
    if (std::abs(high.mantissa) > kExact) return false;
  }
  return true;
}

/// FROM + k STEP. Short numbers are added as decimals, so that 0:1:0.1 gives 0.3 instead of
/// 0.30000000000000004.
class AxisRange {
 public:
  AxisRange(const Number& from, const Number& step) : from_(from.value), step_(step.value) {
    const auto first = decimal_of(from.digits), by = decimal_of(step.digits);
    if (!first || !by) return;
    exact_from_ = *first;
    exact_step_ = *by;
    exact_ = align(exact_from_, exact_step_);
  }
  std::string value(std::uint64_t k) const {
    const auto steps = static_cast<long long>(k);
    if (exact_ && std::abs(exact_step_.mantissa) < kExact / (steps + 1)) {
      const std::string text = std::to_string(exact_from_.mantissa + steps * exact_step_.mantissa) +
                               "e" + std::to_string(exact_from_.exponent);
      double number = 0.0;
      if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{})
        return to_text(number);
    }
    return to_text(from_ + static_cast<double>(k) * step_);
  }

 private:
  double from_, step_;
  Decimal exact_from_, exact_step_;
  bool exact_ = false;
};

/// Splits at separators outside brackets and quotes.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  char quote = '\0';
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == '\\' && quote == '"')
        ++i;
      else if (c == quote)
        quote = '\0';
    } else if (c == '"' || c == '\'') {
      if (trimmed(text.substr(start, i - start)).empty() || depth > 0) quote = c;
    } else if (c == '[' || c == '{' || c == '(') {
      ++depth;
    } else if (c == ']' || c == '}' || c == ')') {
      --depth;
    } else if (c == separator && depth <= 0) {
      parts.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  parts.push_back(text.substr(start));
  return parts;
}

/// One value; a number and its unit are stored separately.
struct Value {
  std::string text, unit;
};

class AxisReader {
 public:
  explicit AxisReader(const std::string& text) : text_(text) {}

  SweepAxis operator()() {
    const std::size_t equal = text_.find('=');
    if (equal == std::string::npos || equal == 0)
      fail("is not of the form path=values", "for example bodies[0].scheme.theta=0.5:1:0.1");
    axis_.path = text_.substr(0, equal);
    const std::string_view right = std::string_view(text_).substr(equal + 1);
    if (read_draw(trimmed(right))) return std::move(axis_);
    const auto items = split(right, ',');
    for (const std::string_view item : items) {
      if (items.size() > 1 && trimmed(item).empty())
        fail("a value is missing between commas", "write ~ to remove the entry");
      if (!read_range(item)) add_value(item, items.size() == 1);
    }
    share_unit();
    return std::move(axis_);
  }

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& hint) const {
    throw SceneError(axis_.path, message, hint).at("--set " + text_.substr(0, 120), 0, 0);
  }

  static std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

  /// A single value stays unchanged, including blanks; entries of a list are trimmed.
  void add_value(std::string_view item, bool alone) {
    const auto number = read_number(item);
    if (number && (number->unit.empty() || parse_unit(number->unit)))
      values_.push_back({std::string(number->digits), std::string(number->unit)});
    else
      values_.push_back({std::string(alone ? item : trimmed(item)), ""});
  }

  /// The common unit of several numbers: each number has this unit or none.
  std::string common_unit(std::initializer_list<const Number*> numbers) const {
    std::string_view unit;
    for (const Number* number : numbers) {
      if (number->unit.empty()) continue;
      if (!parse_unit(number->unit))
        fail(quoted(number->unit) + " is not a unit", "for example 1:10:0.5 mm");
      if (!unit.empty() && number->unit != unit)
        fail("the units " + quoted(unit) + " and " + quoted(number->unit) + " differ",
             "write one unit, after the last number");
      unit = number->unit;
    }
    return std::string(unit);
  }

  bool read_range(std::string_view item) {
    const auto parts = split(item, ':');
    if (parts.size() != 3 || !read_number(parts[0])) return false;
    const auto from = read_number(parts[0]), to = read_number(parts[1]), by = read_number(parts[2]);
    for (std::size_t i = 1; i < 3; ++i)
      if (!read_number(parts[i]))
        fail(quoted(trimmed(parts[i])) + " is not a number", "a range is FROM:TO:STEP");
    const std::string unit = common_unit({&*from, &*to, &*by});
    if (by->value == 0.0) fail("the step of " + quoted(trimmed(item)) + " is 0", "FROM:TO:STEP");
    const double steps = (to->value - from->value) / by->value;
    if (steps < 0.0)
      fail("the step of " + quoted(trimmed(item)) + " leads away from TO",
           "change its sign, or swap FROM and TO");
    if (!(steps < static_cast<double>(kMostRuns)))
      fail(quoted(trimmed(item)) + " has too many values",
           "at most " + std::to_string(kMostRuns) + ": use a larger step");
    const auto last = static_cast<std::uint64_t>(std::floor(steps + kStepRoundOff));
    const AxisRange range(*from, *by);
    for (std::uint64_t k = 0; k <= last; ++k) values_.push_back({range.value(k), unit});
    return true;
  }

  /// Reads `uniform(a, b) unit` or `a..b unit`.
  bool read_draw(std::string_view text) {
    constexpr std::string_view name = "uniform(";
    std::string_view low, high, unit;
    const bool call = text.starts_with(name);
    if (call) {
      const auto inside = text.substr(name.size());
      const std::size_t end = inside.rfind(')'), comma = inside.find(',');
      if (end == std::string_view::npos || comma == std::string_view::npos || comma > end)
        fail(quoted(text) + " cannot be read", "uniform(LOW,HIGH), optionally followed by a unit");
      low = inside.substr(0, comma);
      high = inside.substr(comma + 1, end - comma - 1);
      unit = trimmed(inside.substr(end + 1));
    } else {
      const std::size_t dots = text.find("..");
      if (dots == std::string_view::npos) return false;
      low = text.substr(0, dots);
      high = text.substr(dots + 2);
    }
    const auto a = read_number(low), b = read_number(high);
    if (!a || !b) {
      if (!call) return false;
      fail(quoted(trimmed(a ? high : low)) + " is not a number", "uniform(LOW,HIGH)");
    }
    const Number behind{0.0, {}, unit};
    axis_.unit = common_unit({&*a, &*b, &behind});
    if (!(a->value < b->value))
      fail("there is no value in " + quoted(text), "the first bound must be below the second");
    axis_.drawn = true;
    axis_.low = a->value;
    axis_.high = b->value;
    return true;
  }

  /// Stores the unit in the axis if all values have the same one, else in each value.
  void share_unit() {
    bool same = true;
    for (const Value& value : values_) same = same && value.unit == values_.front().unit;
    if (same) axis_.unit = values_.front().unit;
    for (Value& value : values_)
      axis_.values.push_back(same || value.unit.empty() ? std::move(value.text)
                                                        : value.text + " " + value.unit);
  }

  const std::string& text_;
  SweepAxis axis_;
  std::vector<Value> values_;
};

/// Mixes 64 bits (the finaliser of SplitMix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

// u = top 53 bits of mix(mix(mix(seed) ^ hash(path)) ^ number)
double SweepAxis::draw(std::uint64_t seed, std::uint64_t number) const {
  const std::uint64_t bits = mixed(mixed(mixed(seed) ^ hash_of(path)) ^ number);
  const double u = static_cast<double>(bits >> 11) * 0x1p-53;
  return low + u * (high - low);
}

std::string SweepAxis::assignment(const std::string& value) const {
  return path + "=" + value + (unit.empty() ? "" : " " + unit);
}

SweepAxis read_axis(const std::string& text) { return AxisReader(text)(); }

}  // namespace saltus
