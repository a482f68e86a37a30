#include "saltus/scene_file/scene_brief.h"

#include <algorithm>
#include <array>
#include <concepts>

#include "saltus/base/json_writer.h"
#include "saltus/base/node.h"
#include "saltus/base/options_write.h"
#include "saltus/base/units.h"

namespace saltus {
namespace {

constexpr std::size_t kLineLength = 100;

Node plain_node(std::string text) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = std::move(text);
  return node;
}
Node text_node(std::string text) {
  Node node = plain_node(std::move(text));
  node.quoted = true;
  return node;
}

/// The tree of a value without members that equal their defaults.
template <class T>
Node brief_node(const T& value) {
  if constexpr (kIsOptional<T>) {
    return brief_node(value.value());
  } else if constexpr (std::same_as<T, double>) {
    return plain_node(to_text(value));
  } else if constexpr (std::same_as<T, bool>) {
    return plain_node(value ? "true" : "false");
  } else if constexpr (std::integral<T>) {
    return plain_node(std::to_string(value));
  } else if constexpr (std::same_as<T, std::string>) {
    return text_node(value);
  } else if constexpr (std::same_as<T, NumberOrName>) {
    return value.is_name() ? text_node(value.name) : plain_node(to_text(value.number));
  } else if constexpr (std::is_enum_v<T>) {
    return text_node(std::string(name_of(value)));
  } else if constexpr (kIsList<T> || kIsArray<T>) {
    Node list;
    list.kind = Node::Kind::list;
    for (const auto& item : value) list.items.push_back(brief_node(item));
    return list;
  } else if constexpr (kIsVariant<T>) {
    return std::visit([](const auto& chosen) { return brief_node(chosen); }, value);
  } else {
    const T usual{};
    Node map;
    map.kind = Node::Kind::map;
    const auto add = [&](std::string_view key, Node item) {
      map.keys.push_back({std::string(key), {}});
      map.items.push_back(std::move(item));
    };
    if constexpr (NamedOptions<T>) {
      if (value == usual) return text_node(std::string(T::name));
      add("kind", text_node(std::string(T::name)));
    }
    for_each_field<T>([&](const auto& field) {
      const auto& member = value.*field.member;
      using M = std::remove_cvref_t<decltype(member)>;
      if (!is_set(member) && (kIsOptional<M> || in_rules<T>(field.key))) return;
      if (!field.required && member == usual.*field.member) return;
      add(field.key, brief_node(member));
    });
    return map;
  }
}

/// Text of characters without a special meaning in YAML needs no quotes.
std::string scalar_text(const Node& node) {
  if (!node.quoted) return node.text;
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto inside = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '/';
  };
  constexpr std::array<std::string_view, 12> kWords{
      "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity"};
  std::string lower = node.text;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const bool plain = !node.text.empty() && letter(node.text[0]) &&
                     std::ranges::all_of(node.text, inside) &&
                     std::ranges::find(kWords, lower) == kWords.end();
  return plain ? node.text : json_quoted(node.text);
}

std::string on_one_line(const Node& node) {
  if (node.kind == Node::Kind::scalar) return scalar_text(node);
  const bool map = node.kind == Node::Kind::map;
  std::string text(1, map ? '{' : '[');
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i > 0) text += ", ";
    if (map) text += node.keys[i].text + ": ";
    text += on_one_line(node.items[i]);
  }
  return text + (map ? '}' : ']');
}

void write_block(const Node& node, std::size_t indent, std::string& out);

/// Writes what follows a key or a dash: on its line if it fits, else below it.
void write_entry(const Node& node, std::size_t indent, std::size_t used, std::string& out) {
  const std::string line = on_one_line(node);
  const bool simple = node.kind == Node::Kind::scalar || node.items.empty() ||
                      (node.kind == Node::Kind::list && node.items[0].kind == Node::Kind::scalar);
  if (simple || used + line.size() <= kLineLength) {
    out += ' ' + line + '\n';
    return;
  }
  if (out.back() == ':') {
    out += '\n';
    write_block(node, indent, out);
    return;
  }
  std::string below;  // a block after a dash starts on the line of the dash
  write_block(node, indent, below);
  out += ' ' + below.substr(indent);
}

void write_block(const Node& node, std::size_t indent, std::string& out) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const bool map = node.kind == Node::Kind::map;
    const std::string head = map ? node.keys[i].text + ":" : "-";
    out += std::string(indent, ' ') + head;
    write_entry(node.items[i], indent + 2, indent + head.size() + 1, out);
  }
}

}  // namespace

std::string write_scene_briefly(const SceneSpec& spec) {
  SceneSpec brief = spec;
  for (BodySpec& body : brief.bodies) {
    BodySpec usual = body;
    usual.scheme.reset();
    if (body.scheme == usual.chosen_scheme()) body.scheme.reset();
  }
  std::string text;
  write_block(brief_node(brief), 0, text);
  return text;
}

}  // namespace saltus
