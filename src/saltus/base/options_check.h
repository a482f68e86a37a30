// Checks option structs however they were filled: ranges, required entries, relations between keys,
// and what a struct says about itself in fault(). Errors carry the path of the entry; readers add
// its place.
#pragma once
#include <cmath>
#include <string>

#include "saltus/base/error.h"
#include "saltus/base/options.h"
#include "saltus/base/options_read.h"

namespace saltus {
namespace check_detail {

void check_number(double value, Dimension dimension, const Range& range, const std::string& path);
void check_integer(int value, const Range& range, const std::string& path);
/// `is_key_set` tells whether a key of the struct at `path` is set.
void check_rule(const Rule& rule, const std::function<bool(std::string_view)>& is_key_set,
                const std::string& path);

template <OptionStruct S>
void check_struct(const S& value, const std::string& path);

template <class T>
void check_value(const T& value, Dimension dimension, const Range& range, const std::string& path) {
  if constexpr (kIsOptional<T>) {
    if (value) check_value(*value, dimension, range, path);
  } else if constexpr (std::same_as<T, double>) {
    check_number(value, dimension, range, path);
  } else if constexpr (std::same_as<T, int>) {
    check_integer(value, range, path);
  } else if constexpr (kIsList<T> || kIsArray<T>) {
    for (std::size_t i = 0; i < value.size(); ++i)
      check_value(value[i], dimension, range, join_path(path, i));
  } else if constexpr (kIsVariant<T>) {
    std::visit([&](const auto& chosen) { check_value(chosen, dimension, range, path); }, value);
  } else if constexpr (OptionStruct<T>) {
    check_struct(value, path);
  }
}

template <OptionStruct S>
void check_struct(const S& value, const std::string& path) {
  for_each_field<S>([&](const auto& field) {
    const auto& member = value.*field.member;
    const std::string where = join_path(path, field.key);
    if (field.required && !is_set(member))
      throw SceneError(where, "is empty: " + std::string(field.help));
    check_value(member, field.dimension, field.range, where);
  });
  if constexpr (requires { S::rules(); }) {
    const auto is_key_set = [&](std::string_view key) {
      bool set = false;
      for_each_field<S>([&](const auto& field) {
        set = set || (field.key == key && is_set(value.*field.member));
      });
      return set;
    };
    for (const Rule& rule : S::rules()) check_rule(rule, is_key_set, path);
  }
  if constexpr (requires { value.fault(); })
    if (const std::optional<Fault> fault = value.fault())
      throw SceneError(join_path(path, fault->key), fault->message, fault->hint);
}

}  // namespace check_detail

/// Throws the first SceneError found, with its path.
template <OptionStruct S>
void check_options(const S& options, const std::string& path = "") {
  check_detail::check_struct(options, path);
}

}  // namespace saltus
