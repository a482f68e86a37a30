// Writes option structs in resolved form: all defaults included, numbers in SI units, choices with
// their `kind`. Reading the output (options_read.h) gives an equal struct.
#pragma once
#include <concepts>

#include "saltus/base/json_writer.h"
#include "saltus/base/options.h"

namespace saltus {

template <class T>
void write_value(JsonWriter& out, const T& value);

/// Whether a rule mentions this key: writing an empty value would then violate the rule.
template <OptionStruct S>
constexpr bool in_rules(std::string_view key) {
  if constexpr (requires { S::rules(); })
    for (const Rule& rule : S::rules())
      for (std::string_view other : rule.keys)
        if (other == key) return true;
  return false;
}

/// Writes the members of a struct without the braces.
template <OptionStruct S>
void write_members(JsonWriter& out, const S& value) {
  for_each_field<S>([&](const auto& field) {
    const auto& member = value.*field.member;
    using T = std::remove_cvref_t<decltype(member)>;
    if (!is_set(member) && (kIsOptional<T> || in_rules<S>(field.key))) return;
    out.key(field.key);
    write_value(out, member);
  });
}

template <class T>
void write_value(JsonWriter& out, const T& value) {
  if constexpr (kIsOptional<T>) {
    write_value(out, value.value());
  } else if constexpr (std::same_as<T, double>) {
    out.number(value);
  } else if constexpr (std::same_as<T, bool>) {
    out.boolean(value);
  } else if constexpr (std::integral<T>) {
    out.integer(value);
  } else if constexpr (std::same_as<T, std::string>) {
    out.text(value);
  } else if constexpr (std::same_as<T, NumberOrName>) {
    if (value.is_name())
      out.text(value.name);
    else
      out.number(value.number);
  } else if constexpr (std::is_enum_v<T>) {
    out.text(name_of(value));
  } else if constexpr (kIsList<T> || kIsArray<T>) {
    out.begin_list(!OptionStruct<typename T::value_type>);
    for (const auto& item : value) write_value(out, item);
    out.end_list();
  } else if constexpr (kIsVariant<T>) {
    std::visit([&](const auto& chosen) { write_value(out, chosen); }, value);
  } else {
    out.begin_map();
    if constexpr (NamedOptions<T>) {
      out.key("kind");
      out.text(T::name);
    }
    write_members(out, value);
    out.end_map();
  }
}

/// The resolved form as JSON text; indent 0: on one line.
template <class T>
std::string to_json(const T& value, int indent = 2) {
  JsonWriter out(indent);
  write_value(out, value);
  return out.str();
}

}  // namespace saltus
