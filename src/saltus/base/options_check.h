// Checks option structs independently of how they were filled: ranges, required entries, relations
// between keys, and each struct's own fault(). Errors contain the path of the entry; readers add
// its place. Checking continues after each fault, but skips checks that depend on a faulty entry.
#pragma once
#include <cmath>
#include <functional>
#include <span>
#include <string>

#include "saltus/base/error.h"
#include "saltus/base/faults.h"
#include "saltus/base/options.h"
#include "saltus/base/options_read.h"

namespace saltus {
namespace check_detail {

void check_number(double value, Dimension dimension, const Range& range, const std::string& path);
void check_integer(int value, const Range& range, const std::string& path);
/// Access to the members of a struct for the rules.
struct Members {
  std::function<bool(std::string_view)> is_set;               ///< whether a key is set
  std::function<std::string_view(std::string_view)> name_of;  ///< name of the enum value of a key
};
/// Checks all rules of the struct at `path`, in order.
void check_rules(std::span<const Rule> rules, const Members& members, const std::string& path);

template <OptionStruct S>
void check_struct(const S& value, const std::string& path, Faults& faults);

/// Throws the first fault in a list of numbers; faults of structs are all added to `faults`.
template <class T>
void check_value(const T& value, Dimension dimension, const Range& range, const std::string& path,
                 Faults& faults) {
  if constexpr (kIsOptional<T>) {
    if (value) check_value(*value, dimension, range, path, faults);
  } else if constexpr (std::same_as<T, double>) {
    check_number(value, dimension, range, path);
  } else if constexpr (std::same_as<T, int>) {
    check_integer(value, range, path);
  } else if constexpr (std::same_as<T, NumberOrName>) {
    if (!value.is_name()) check_number(value.number, dimension, range, path);
  } else if constexpr (kIsList<T> || kIsArray<T>) {
    for (std::size_t i = 0; i < value.size(); ++i)
      check_value(value[i], dimension, range, join_path(path, i), faults);
  } else if constexpr (kIsVariant<T>) {
    std::visit([&](const auto& chosen) { check_value(chosen, dimension, range, path, faults); },
               value);
  } else if constexpr (OptionStruct<T>) {
    check_struct(value, path, faults);
  }
}

template <OptionStruct S>
void check_struct(const S& value, const std::string& path, Faults& faults) {
  if (!faults.known(path)) return;
  for_each_field<S>([&](const auto& field) {
    const auto& member = value.*field.member;
    const std::string where = join_path(path, field.key);
    if (!faults.known(where)) return;
    faults.attempt(where, [&] {
      if (field.required && !is_set(member))
        throw SceneError(where, "is empty: " + std::string(field.help));
      check_value(member, field.dimension, field.range, where, faults);
    });
  });
  if constexpr (requires { S::rules(); }) {
    Members members;
    members.is_set = [&](std::string_view key) {
      bool set = false;
      for_each_field<S>([&](const auto& field) {
        set = set || (field.key == key && is_set(value.*field.member));
      });
      return set;
    };
    members.name_of = [&](std::string_view key) {
      std::string_view name;
      for_each_field<S>([&](const auto& field) {
        if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value.*field.member)>>)
          if (field.key == key) name = saltus::name_of(value.*field.member);
      });
      return name;
    };
    constexpr auto rules = S::rules();
    if (faults.members_known(path))
      faults.attempt(join_path(path, "?"), [&] { check_rules(rules, members, path); });
  }
  if constexpr (requires { value.fault(); })
    if (faults.all_known(path))
      if (const std::optional<Fault> fault = value.fault()) {
        const std::string where = join_path(path, fault->key);
        faults.add(SceneError(where, fault->message, fault->hint), where);
      }
}

/// Checks a single value; throws its faults.
template <class T>
void check_value(const T& value, Dimension dimension, const Range& range, const std::string& path) {
  Faults faults;
  faults.attempt(path, [&] { check_value(value, dimension, range, path, faults); });
  faults.throw_all();
}

}  // namespace check_detail

/// Adds every fault, with its path, to `faults`.
template <OptionStruct S>
void check_options(const S& options, Faults& faults, const std::string& path = "") {
  check_detail::check_struct(options, path, faults);
}

/// Checks `options` and throws the faults.
template <OptionStruct S>
void check_options(const S& options, const std::string& path = "") {
  Faults faults;
  check_options(options, faults, path);
  faults.throw_all();
}

}  // namespace saltus
