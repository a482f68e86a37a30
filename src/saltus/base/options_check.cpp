#include "saltus/base/options_check.h"

#include <algorithm>

#include "saltus/base/suggest.h"
#include "saltus/base/units.h"

namespace saltus::check_detail {
namespace {

std::string allowed(const Range& range, const std::string& unit) {
  const std::string text = describe(range);
  if (text.empty()) return "";
  return "allowed: " + text + (unit.empty() ? "" : " " + unit);
}

}  // namespace

void check_number(double value, Dimension dimension, const Range& range, const std::string& path) {
  if (!std::isfinite(value))
    throw SceneError(path, "is not a finite number", allowed(range, unit_name(dimension)));
  if (!range.contains(value))
    throw SceneError(path, to_text(value, dimension) + " is out of range",
                     allowed(range, unit_name(dimension)));
}

void check_integer(int value, const Range& range, const std::string& path) {
  if (!range.contains(value))
    throw SceneError(path, std::to_string(value) + " is out of range", allowed(range, ""));
}

void check_rule(const Rule& rule, const std::function<bool(std::string_view)>& is_key_set,
                const std::string& path) {
  const auto last = std::ranges::find(rule.keys, std::string_view{});
  const std::span<const std::string_view> keys(rule.keys.begin(), last);
  std::vector<std::string_view> set;
  for (std::string_view key : keys)
    if (is_key_set(key)) set.push_back(key);
  const auto quoted = [](std::string_view key) { return "`" + std::string(key) + "`"; };
  if (rule.kind == Rule::Kind::needs) {
    if (is_key_set(keys[0]) && !is_key_set(keys[1]))
      throw SceneError(join_path(path, keys[0]), "needs " + quoted(keys[1]));
    return;
  }
  const bool exactly = rule.kind == Rule::Kind::exactly_one;
  const std::string amount = exactly ? "exactly one of " : "at least one of ";
  if (set.empty() && rule.kind != Rule::Kind::at_most_one)
    throw SceneError(path, "a key is missing", "give " + amount + list_names(keys));
  if (set.size() > 1 && rule.kind != Rule::Kind::at_least_one)
    throw SceneError(
        join_path(path, set[1]), "cannot be given together with " + quoted(set[0]),
        "give " + std::string(exactly ? "exactly" : "at most") + " one of " + list_names(keys));
}

}  // namespace saltus::check_detail
