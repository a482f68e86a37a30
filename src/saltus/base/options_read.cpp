#include "saltus/base/options_read.h"

#include <algorithm>
#include <charconv>

#include "saltus/base/suggest.h"
#include "saltus/base/units.h"

namespace saltus {
namespace {

/// Words that YAML 1.1 parsers interpret as booleans.
bool is_special_word(const Node& node) {
  if (node.quoted || node.kind != Node::Kind::scalar) return false;
  std::string lower;
  for (char c : node.text) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  constexpr std::array words{"yes", "no", "on", "off", "true", "false"};
  return std::ranges::find(words, lower) != words.end();
}

std::string shown(const Node& node) {
  switch (node.kind) {
    case Node::Kind::empty:
      return "nothing";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
    case Node::Kind::scalar:
      break;
  }
  const std::string text =
      "'" + node.text.substr(0, 60) + (node.text.size() > 60 ? "..." : "") + "'";
  if (node.quoted) return "the text " + text;
  return is_special_word(node) ? text + ", a YAML 1.1 boolean," : text;
}

[[noreturn]] void fail_type(const Node& node, const std::string& path, const std::string& wanted,
                            const std::string& hint = "") {
  if (node.kind == Node::Kind::empty) fail_at(node.place, path, "has no value", "write " + wanted);
  fail_at(node.place, path, shown(node) + " is not " + wanted, hint);
}

}  // namespace

void fail_at(const Place& place, const std::string& path, const std::string& message,
             const std::string& hint) {
  throw SceneError(path, message, hint).at(place.source, place.line, place.column);
}

namespace read_detail {

double read_number(const Node& node, const std::string& path, Dimension dimension) {
  const std::string wanted =
      dimension == unit::one ? "a number" : "a number in " + unit_name(dimension);
  if (node.kind != Node::Kind::scalar || is_special_word(node)) fail_type(node, path, wanted);
  const Quantity quantity = parse_quantity(node.text, dimension);
  if (!quantity.error.empty()) fail_at(node.place, path, quantity.error, quantity.hint);
  if (node.quoted && !quantity.with_unit) fail_type(node, path, wanted, "remove the quotes");
  return quantity.value;
}

int read_integer(const Node& node, const std::string& path) {
  if (node.kind != Node::Kind::scalar || is_special_word(node))
    fail_type(node, path, "a whole number");
  if (node.quoted) fail_type(node, path, "a whole number", "remove the quotes");
  const std::string_view text = node.text;
  const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
  int value = 0;
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
  const bool whole = end == text.data() + text.size();
  if (error == std::errc::result_out_of_range && whole)
    fail_at(node.place, path, shown(node) + " is too large", "whole numbers go up to 2147483647");
  if (error != std::errc{} || !whole)
    fail_type(node, path, "a whole number", "digits only, without unit or exponent");
  if (parse_quantity(text, unit::one).error.size() > 0)  // some parsers read 010 as 8, others as 10
    fail_at(node.place, path, parse_quantity(text, unit::one).error,
            parse_quantity(text, unit::one).hint);
  return value;
}

bool read_boolean(const Node& node, const std::string& path) {
  if (node.kind == Node::Kind::scalar && !node.quoted) {
    if (node.text == "true") return true;
    if (node.text == "false") return false;
  }
  fail_type(node, path, "true or false",
            node.kind == Node::Kind::scalar ? "allowed: true, false" : "");
}

std::string read_text(const Node& node, const std::string& path) {
  if (node.kind != Node::Kind::scalar) fail_type(node, path, "text");
  if (!node.quoted && (is_special_word(node) || is_number(node.text)))
    fail_type(node, path, "text", "put it in quotes if it is meant as text");
  return node.text;
}

bool is_text(const Node& node) {
  return node.quoted || !(is_special_word(node) || is_number(node.text));
}

NumberOrName read_number_or_name(const Node& node, const std::string& path, Dimension dimension) {
  const std::string wanted = dimension == unit::one
                                 ? "a number or a name"
                                 : "a number in " + unit_name(dimension) + " or a name";
  if (node.kind != Node::Kind::scalar || is_special_word(node)) fail_type(node, path, wanted);
  if (node.quoted && node.text.empty()) fail_type(node, path, wanted);
  const std::size_t first = node.text.find_first_not_of("+-.");
  const bool number =
      !node.quoted &&
      (is_number(node.text) ||
       (first != std::string::npos && node.text[first] >= '0' && node.text[first] <= '9'));
  if (!number) return NumberOrName(node.text);
  const Quantity quantity = parse_quantity(node.text, dimension);
  if (!quantity.error.empty()) fail_at(node.place, path, quantity.error, quantity.hint);
  NumberOrName value(quantity.value);
  value.with_unit = quantity.with_unit;
  return value;
}

std::size_t read_name(const Node& node, const std::string& path,
                      std::span<const std::string_view> names) {
  if (node.kind != Node::Kind::scalar || is_special_word(node))
    fail_type(node, path, "a name", "allowed: " + list_names(names));
  const auto found = std::ranges::find(names, node.text);
  if (found == names.end())
    fail_at(node.place, path, shown(node) + " is not known here", did_you_mean(node.text, names));
  return static_cast<std::size_t>(found - names.begin());
}

void expect_kind(const Node& node, Node::Kind kind, const std::string& path,
                 const std::string& hint) {
  if (node.kind != kind)
    fail_type(node, path, kind == Node::Kind::list ? "a list" : "a map of keys", hint);
}

bool expect_known(const Node& node, const std::string& path,
                  std::span<const std::string_view> known, Faults& faults, std::string_view owner) {
  bool all = true;
  for (const Node::Key& key : node.keys) {
    if (std::ranges::find(known, key.text) != known.end()) continue;
    all = false;
    faults.attempt(join_path(path, "?"), [&] {
      const std::string shown_key = "`" + key.text.substr(0, 60) + "`";
      const auto colon = key.text.find(':');
      if (colon != std::string::npos &&
          std::ranges::find(known, key.text.substr(0, colon)) != known.end())
        fail_at(key.place, path, shown_key + " needs a space after the colon");
      fail_at(key.place, path,
              owner.empty() ? "unknown key " + shown_key
                            : "`" + std::string(owner) + "` has no key " + shown_key,
              known.empty() ? "no keys are allowed here" : did_you_mean(key.text, known));
    });
  }
  return all;
}

void note_missing(const Node& node, const std::string& path, std::string_view key,
                  std::string_view help, std::span<const std::string_view> known, Faults& faults) {
  for (const Node::Key& written : node.keys) {
    if (std::ranges::find(known, written.text) != known.end()) continue;
    const std::string_view text = written.text;
    if (nearest_name(text, known) != key && text.substr(0, text.find(':')) != key) continue;
    faults.mark(join_path(path, key));
    return;
  }
  faults.attempt(join_path(path, key), [&] {
    fail_at(node.place, path, "`" + std::string(key) + "` is missing: " + std::string(help));
  });
}

std::size_t choose_by_key(const Node& node, const std::string& path,
                          std::span<const std::string_view> keys) {
  std::size_t chosen = keys.size();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Node* child = node.find(keys[i]);
    if (!child) continue;
    if (chosen < keys.size())
      fail_at(child->place, join_path(path, keys[i]),
              "cannot be given together with `" + std::string(keys[chosen]) + "`",
              "give exactly one of " + list_names(keys));
    chosen = i;
  }
  if (chosen == keys.size())
    fail_at(node.place, path, "a key is missing", "give exactly one of " + list_names(keys));
  return chosen;
}

std::size_t choose_by_kind(const Node& node, const std::string& path,
                           std::span<const std::string_view> names) {
  if (node.kind == Node::Kind::scalar) return read_name(node, path, names);
  expect_kind(node, Node::Kind::map, path,
              "a name, or {kind: name, ...}; names: " + list_names(names));
  const Node* kind = node.find("kind");
  if (!kind) fail_at(node.place, path, "`kind` is missing", "allowed: " + list_names(names));
  return read_name(*kind, join_path(path, "kind"), names);
}

}  // namespace read_detail
}  // namespace saltus
