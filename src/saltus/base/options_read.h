// Reads option structs from a document. Strict: an unknown key, a wrong type, a wrong unit or a
// missing value is a SceneError with its place. After each fault reading continues with the next
// key or entry. Ranges and relations between keys are checked by check_options() (options_check.h).
#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>

#include "saltus/base/error.h"
#include "saltus/base/faults.h"
#include "saltus/base/node.h"
#include "saltus/base/options.h"
#include "saltus/base/suggest.h"

namespace saltus {

/// Place of each entry, by path: "bodies[0].string.modes".
using Places = std::map<std::string, Place, std::less<>>;

/// "bodies[0]" + "name" = "bodies[0].name".
inline std::string join_path(const std::string& path, std::string_view key) {
  return path.empty() || key.empty() ? path + std::string(key) : path + "." + std::string(key);
}
inline std::string join_path(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

/// Throws a SceneError at a place.
[[noreturn]] void fail_at(const Place& place, const std::string& path, const std::string& message,
                          const std::string& hint = "");

namespace read_detail {

/// Output of a reader in addition to the values.
struct Reading {
  Places& places;
  Faults& faults;
};

double read_number(const Node& node, const std::string& path, Dimension dimension);
int read_integer(const Node& node, const std::string& path);
bool read_boolean(const Node& node, const std::string& path);
std::string read_text(const Node& node, const std::string& path);
NumberOrName read_number_or_name(const Node& node, const std::string& path, Dimension dimension);
/// Whether a scalar is meant as text: in quotes, or neither a number nor a YAML 1.1 boolean.
bool is_text(const Node& node);
/// Position in `names` of the plain name written in the node.
std::size_t read_name(const Node& node, const std::string& path,
                      std::span<const std::string_view> names);
void expect_kind(const Node& node, Node::Kind kind, const std::string& path,
                 const std::string& hint);
/// Adds a fault for each key that is not in `known`; `owner`: the selected alternative, for the
/// message. Returns whether all keys are known.
bool expect_known(const Node& node, const std::string& path,
                  std::span<const std::string_view> known, Faults& faults,
                  std::string_view owner = "");
/// Adds a fault for a missing required key, unless an unknown key looks like a misspelling of it.
void note_missing(const Node& node, const std::string& path, std::string_view key,
                  std::string_view help, std::span<const std::string_view> known, Faults& faults);
/// Index in `keys` of the key that is present in the map; fails if none or several are.
std::size_t choose_by_key(const Node& node, const std::string& path,
                          std::span<const std::string_view> keys);
/// Index of the alternative named by the node itself or by its `kind`.
std::size_t choose_by_kind(const Node& node, const std::string& path,
                           std::span<const std::string_view> names);

template <OptionStruct S>
constexpr auto keys_of() {
  return call_with_rows(S::fields(), [](const auto&... f) {
    return std::array<std::string_view, sizeof...(f)>{f.key...};
  });
}

template <class T>
void read_value(const Node& node, const std::string& path, Dimension dimension, Reading reading,
                T& out);

/// Numbers and lists of numbers, for which only the first fault is reported.
template <class T>
inline constexpr bool kIsNumbers = std::is_arithmetic_v<T> || kIsArray<T>;
template <class T>
inline constexpr bool kIsNumbers<std::vector<T>> = kIsNumbers<T>;

/// `extra`: a further allowed key, read by the caller that selected this struct.
template <OptionStruct S>
void read_struct(const Node& node, const std::string& path, Reading reading, S& out,
                 std::string_view extra = "") {
  constexpr auto keys = keys_of<S>();
  std::vector<std::string_view> known(keys.begin(), keys.end());
  if (!extra.empty()) known.push_back(extra);
  expect_kind(node, Node::Kind::map, path, "keys: " + list_names(known));
  if constexpr (NamedOptions<S>)
    expect_known(node, path, known, reading.faults, S::name);
  else if constexpr (KeyedOptions<S>)
    expect_known(node, path, known, reading.faults, S::key);
  else
    expect_known(node, path, known, reading.faults);
  for_each_field<S>([&](const auto& field) {
    const std::string where = join_path(path, field.key);
    if (const Node* child = node.find(field.key))
      reading.faults.attempt(
          where, [&] { read_value(*child, where, field.dimension, reading, out.*field.member); });
    else if (field.required)
      note_missing(node, path, field.key, field.help, known, reading.faults);
  });
}

/// Whether a node looks like a T, down to the first element of lists; if `deep` is false, only its
/// kind is compared.
template <class T>
bool fits(const Node& node, bool deep) {
  if constexpr (kIsList<T> || kIsArray<T>)
    return node.kind == Node::Kind::list &&
           (!deep || node.items.empty() || fits<typename T::value_type>(node.items[0], deep));
  else if constexpr (std::same_as<T, std::string>)
    return node.kind == Node::Kind::scalar && is_text(node);
  else if constexpr (OptionStruct<T>)
    return node.kind == Node::Kind::map;
  else
    return node.kind == Node::Kind::scalar;
}

/// Selects an alternative by shape: the first one that fits the node, or else the first of all.
template <class V>
std::size_t choose_by_shape(const Node& node) {
  for (bool deep : {true, false}) {
    std::size_t chosen = std::variant_size_v<V>;
    for_each_alternative<V>([&]<class T>(std::type_identity<T>, std::size_t i) {
      if (chosen == std::variant_size_v<V> && fits<T>(node, deep)) chosen = i;
    });
    if (chosen < std::variant_size_v<V>) return chosen;
  }
  return 0;
}

template <class V>
void read_choice(const Node& node, const std::string& path, Dimension dimension, Reading reading,
                 V& out) {
  std::size_t chosen = 0;
  constexpr auto names = names_of_choice<V>();
  if constexpr (kChoiceBy<V> == ChoiceBy::kind) {
    chosen = choose_by_kind(node, path, names);
  } else if constexpr (kChoiceBy<V> == ChoiceBy::key) {
    std::vector<std::string_view> known;
    for_each_alternative<V>([&]<class T>(std::type_identity<T>, std::size_t) {
      for (auto key : keys_of<T>()) known.push_back(key);
    });
    expect_kind(node, Node::Kind::map, path, "a map with one of the keys: " + list_names(names));
    if (!expect_known(node, path, known, reading.faults)) {
      reading.faults.mark(path);
      return;
    }
    chosen = choose_by_key(node, path, names);
  } else {
    chosen = choose_by_shape<V>(node);
  }
  for_each_alternative<V>([&]<class T>(std::type_identity<T>, std::size_t i) {
    if constexpr (kChoiceBy<V> == ChoiceBy::shape) {
      if (i == chosen) read_value(node, path, dimension, reading, out.template emplace<T>());
    } else if (i == chosen) {
      T& value = out.template emplace<T>();
      if (node.kind == Node::Kind::scalar) {
        Node nothing;
        nothing.kind = Node::Kind::map;
        nothing.place = node.place;
        read_struct(nothing, path, reading, value);
      } else {
        read_struct(node, path, reading, value, kChoiceBy<V> == ChoiceBy::kind ? "kind" : "");
        if (const Node* kind = node.find("kind"))
          reading.places[join_path(path, "kind")] = kind->place;
      }
    }
  });
}

template <class T>
void read_value(const Node& node, const std::string& path, Dimension dimension, Reading reading,
                T& out) {
  reading.places[path] = node.place;
  if constexpr (kIsOptional<T>) {
    read_value(node, path, dimension, reading, out.emplace());
  } else if constexpr (std::same_as<T, double>) {
    out = read_number(node, path, dimension);
  } else if constexpr (std::same_as<T, int>) {
    out = read_integer(node, path);
  } else if constexpr (std::same_as<T, bool>) {
    out = read_boolean(node, path);
  } else if constexpr (std::same_as<T, std::string>) {
    out = read_text(node, path);
  } else if constexpr (std::same_as<T, NumberOrName>) {
    out = read_number_or_name(node, path, dimension);
  } else if constexpr (std::is_enum_v<T>) {
    constexpr auto named = names_of(T{});
    std::array<std::string_view, named.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = named[i].name;
    out = named[read_name(node, path, names)].value;
  } else if constexpr (kIsVariant<T>) {
    read_choice(node, path, dimension, reading, out);
  } else if constexpr (kIsList<T> || kIsArray<T>) {
    expect_kind(node, Node::Kind::list, path,
                "written as [a, b, c], or as lines that start with `- `");
    if constexpr (kIsList<T>) {
      out.clear();
      out.resize(node.items.size());
    } else if (node.items.size() != out.size()) {
      fail_at(node.place, path,
              "has " + std::to_string(node.items.size()) + " entries instead of " +
                  std::to_string(out.size()));
    }
    const std::size_t before = reading.faults.count();
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string where = join_path(path, i);
      reading.faults.attempt(where,
                             [&] { read_value(node.items[i], where, dimension, reading, out[i]); });
      if (kIsNumbers<T> && reading.faults.count() > before) break;
    }
  } else {
    read_struct(node, path, reading, out);
  }
}

/// Reads a single value; throws its faults.
template <class T>
void read_value(const Node& node, const std::string& path, Dimension dimension, Places& places,
                T& out) {
  Faults faults;
  faults.attempt(path, [&] { read_value(node, path, dimension, Reading{places, faults}, out); });
  faults.throw_all();
}

}  // namespace read_detail

/// Fills `out` from a document and records the place of every entry and all faults. Members that
/// are missing or faulty keep their values.
template <OptionStruct S>
void read_options(const Node& node, S& out, Places& places, Faults& faults,
                  const std::string& path = "") {
  places[path] = node.place;
  faults.attempt(path, [&] {
    read_detail::read_struct(node, path, read_detail::Reading{places, faults}, out);
  });
}

/// Fills `out` from a document and throws the faults.
template <OptionStruct S>
void read_options(const Node& node, S& out, Places& places, const std::string& path = "") {
  Faults faults;
  read_options(node, out, places, faults, path);
  faults.throw_all();
}

}  // namespace saltus
