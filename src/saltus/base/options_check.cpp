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

namespace {

std::span<const std::string_view> written(const auto& keys) {
  return {keys.begin(), std::ranges::find(keys, std::string_view{})};
}

bool holds(const Rule& rule, const Members& members) {
  return rule.selector.empty() ||
         std::ranges::find(rule.values, members.name_of(rule.selector)) != rule.values.end();
}

std::string quoted_key(std::string_view key) { return "`" + std::string(key) + "`"; }

void check_rule(const Rule& rule, const Members& members, const std::string& path) {
  const auto keys = written(rule.keys);
  std::vector<std::string_view> set;
  for (std::string_view key : keys)
    if (members.is_set(key)) set.push_back(key);
  if (rule.kind == Rule::Kind::needs) {
    if (members.is_set(keys[0]) && !members.is_set(keys[1]))
      throw SceneError(join_path(path, keys[0]), "needs " + quoted_key(keys[1]));
    return;
  }
  if (set.empty() && keys.size() == 1 && rule.kind != Rule::Kind::at_most_one)
    throw SceneError(path, quoted_key(keys[0]) + " is missing");
  const bool exactly = rule.kind == Rule::Kind::exactly_one;
  const std::string amount = exactly ? "exactly one of " : "at least one of ";
  if (set.empty() && rule.kind != Rule::Kind::at_most_one)
    throw SceneError(path, "a key is missing", "give " + amount + list_names(keys));
  if (set.size() > 1 && rule.kind != Rule::Kind::at_least_one)
    throw SceneError(
        join_path(path, set[1]), "cannot be given together with " + quoted_key(set[0]),
        "give " + std::string(exactly ? "exactly" : "at most") + " one of " + list_names(keys));
}

/// Throws for a key that is set although it belongs to another value of the selector.
void check_only(const Rule& rule, std::span<const Rule> rules, const Members& members,
                const std::string& path) {
  const auto keys = written(rule.keys);
  const auto misplaced = std::ranges::find_if(keys, members.is_set);
  if (misplaced == keys.end()) return;
  const std::string selector(rule.selector), value(members.name_of(rule.selector));
  std::vector<std::string_view> own;
  for (const Rule& other : rules)
    if (other.kind == Rule::Kind::only && other.selector == rule.selector && holds(other, members))
      for (std::string_view key : written(other.keys)) own.push_back(key);
  throw SceneError(
      join_path(path, *misplaced),
      "is for " + selector + " " + list_names(written(rule.values)) + ", not for " + value,
      own.empty() ? "" : selector + " " + value + " has " + list_names(own));
}

}  // namespace

void check_rules(std::span<const Rule> rules, const Members& members, const std::string& path) {
  for (const Rule& rule : rules) {
    const bool here = holds(rule, members);
    if (rule.kind == Rule::Kind::only && !here) check_only(rule, rules, members, path);
    if (rule.kind != Rule::Kind::only && here) check_rule(rule, members, path);
  }
}

}  // namespace saltus::check_detail
