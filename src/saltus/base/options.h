// Options described once: one table per struct, plain functions, no macros.
//
//     struct MoreauJeanOptions {
//       static constexpr std::string_view name = "moreau-jean";
//       double theta = 0.5;
//       static constexpr auto fields() {
//         using T = MoreauJeanOptions;
//         return field_rows(field("theta", &T::theta, between(0, 1), "implicitness"));
//       }
//     };
//
// The table is read by options_read.h (from a document), options_check.h (structs filled in code),
// options_write.h (resolved form) and options_doc.h (reference pages, JSON Schema).
//
// Members may be double, int, bool, std::string, NumberOrName, enums (with `names_of`, see
// NamedValue), other option structs, std::optional, std::vector and std::array<double, N> of these,
// and std::variant of
//   - structs with `name`: selected by `kind: name`, or by the plain name if all else is default;
//   - structs with `key`: selected by which of these keys is present;
//   - anything else: selected by its shape (a map, a list, a list of lists or a plain value); the
//     first alternative that fits is used.
//
// A struct may add `static constexpr auto rules()` (relations between keys, see Rule) and
// `std::optional<Fault> fault() const` (checks that a table cannot express).
#pragma once
#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "saltus/base/dimension.h"

namespace saltus {

/// One member of an option struct S.
template <class S, class T>
struct Field {
  std::string_view key;
  T S::*member;
  Dimension dimension;  ///< of the number, or of each number of a list
  Range range;          ///< of the number, or of each number of a list
  std::string_view help;
  bool required = false;  ///< must be given; lists must not be empty
};

template <class S, class T>
constexpr Field<S, T> field(std::string_view key, T S::*member, Dimension dimension, Range range,
                            std::string_view help) {
  return {key, member, dimension, range, help};
}
template <class S, class T>
constexpr Field<S, T> field(std::string_view key, T S::*member, Range range,
                            std::string_view help) {
  return {key, member, unit::one, range, help};
}
template <class S, class T>
constexpr Field<S, T> field(std::string_view key, T S::*member, std::string_view help) {
  return {key, member, unit::one, kAnyNumber, help};
}
/// A member without a default; takes the arguments of `field`.
template <class S, class T, class... Args>
constexpr Field<S, T> required(std::string_view key, T S::*member, Args... args) {
  Field<S, T> f = field(key, member, args...);
  f.required = true;
  return f;
}

/// The rows of a table as a function object: it calls the function it is given with all rows. (A
/// lambda, because a std::tuple of twenty rows is slow to compile, and every file that includes the
/// scene options includes the tables.)
template <class... F>
constexpr auto field_rows(const F&... f) {
  return [f...](auto&& use) { return use(f...); };
}

/// Calls use(row, ...) with all rows of a table; a std::tuple is a table too.
template <class Rows, class Use>
constexpr decltype(auto) call_with_rows(const Rows& rows, Use&& use) {
  if constexpr (requires { std::tuple_size<Rows>::value; })
    return std::apply(use, rows);
  else
    return rows(use);
}

/// A relation between keys of one struct. A key of an optional, list or text counts as set if it is
/// not empty.
struct Rule {
  enum class Kind { exactly_one, at_most_one, at_least_one, needs, only };
  Kind kind;
  std::array<std::string_view, 10>
      keys{};  ///< unused ones are empty; `needs`: the first key requires the second
  std::string_view selector = {};  ///< key of an enum; empty: the rule always applies
  /// values of the selector for which the rule applies
  std::array<std::string_view, 3> values = {};
};
template <class... Keys>
constexpr Rule exactly_one(Keys... keys) {
  return {Rule::Kind::exactly_one, {keys...}};
}
template <class... Keys>
constexpr Rule at_most_one(Keys... keys) {
  return {Rule::Kind::at_most_one, {keys...}};
}
template <class... Keys>
constexpr Rule at_least_one(Keys... keys) {
  return {Rule::Kind::at_least_one, {keys...}};
}
constexpr Rule needs(std::string_view key, std::string_view other) {
  return {Rule::Kind::needs, {key, other}};
}
/// Applies the rule only to structs whose enum `selector` has one of `values`.
constexpr Rule where(std::string_view selector, std::array<std::string_view, 3> values, Rule rule) {
  rule.selector = selector;
  rule.values = values;
  return rule;
}
/// Keys that may be set only if the enum `selector` has one of `values`.
template <class... Keys>
constexpr Rule only(std::string_view selector, std::array<std::string_view, 3> values,
                    Keys... keys) {
  return where(selector, values, {Rule::Kind::only, {keys...}});
}

/// A fault that a struct detects in itself: `key` is relative to the struct ("ends", "omega[3]", ""
/// for the whole struct).
struct Fault {
  std::string key, message, hint;
};

/// One spelling of an enum value. An enum E used as an option has, in its namespace,
///     constexpr auto names_of(E) { return std::array{NamedValue{E::a, "a"}, ...}; }
/// The first name of a value is used for output; the others are accepted as input.
template <class E>
struct NamedValue {
  E value;
  std::string_view name;
};
template <class E>
NamedValue(E, const char*) -> NamedValue<E>;

template <class E>
constexpr std::string_view name_of(E value) {
  for (const auto& named : names_of(value))
    if (named.value == value) return named.name;
  return "?";
}

/// A number, with or without a unit, or a name: identifies a point on a body.
struct NumberOrName {
  double number = 0.0;     ///< SI
  std::string name;        ///< not empty: a name was written, `number` is unused
  bool with_unit = false;  ///< the number was written with a unit

  NumberOrName() = default;
  NumberOrName(double x) : number(x) {}
  NumberOrName(std::string text) : name(std::move(text)) {}
  bool is_name() const { return !name.empty(); }
  bool operator==(const NumberOrName& other) const {
    return number == other.number && name == other.name;
  }
};

// Categories of members that the visitors distinguish.

template <class T>
concept OptionStruct = requires {
  T::fields();
};
template <class T>
concept NamedOptions = OptionStruct<T> && std::same_as<decltype(T::name), const std::string_view>;
template <class T>
concept KeyedOptions = OptionStruct<T> && std::same_as<decltype(T::key), const std::string_view>;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsArray = false;
template <std::size_t N>
inline constexpr bool kIsArray<std::array<double, N>> = true;
template <class T>
inline constexpr bool kIsVariant = false;
template <class... T>
inline constexpr bool kIsVariant<std::variant<T...>> = true;

/// How the alternative of a std::variant is selected in a document.
enum class ChoiceBy { kind, key, shape };
template <class T>
inline constexpr ChoiceBy kChoiceBy = ChoiceBy::shape;
template <NamedOptions... T>
inline constexpr ChoiceBy kChoiceBy<std::variant<T...>> = ChoiceBy::kind;
template <KeyedOptions... T>
inline constexpr ChoiceBy kChoiceBy<std::variant<T...>> = ChoiceBy::key;

/// Calls use(field) for each row of the table of S, in order.
template <OptionStruct S, class Use>
constexpr void for_each_field(Use&& use) {
  call_with_rows(S::fields(), [&](const auto&... f) { (use(f), ...); });
}

/// Calls use(std::type_identity<T>, index) for each alternative of a std::variant type.
template <class V, class Use>
constexpr void for_each_alternative(Use&& use) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (use(std::type_identity<std::variant_alternative_t<I, V>>{}, I), ...);
  }
  (std::make_index_sequence<std::variant_size_v<V>>{});
}

/// The `name` or `key` of each alternative, in order.
template <class V>
constexpr auto names_of_choice() {
  std::array<std::string_view, std::variant_size_v<V>> names{};
  for_each_alternative<V>([&]<class T>(std::type_identity<T>, std::size_t i) {
    if constexpr (NamedOptions<T>)
      names[i] = T::name;
    else if constexpr (KeyedOptions<T>)
      names[i] = T::key;
  });
  return names;
}

/// Whether a member has a value: false for an empty optional, list or text.
template <class T>
constexpr bool is_set(const T& value) {
  if constexpr (kIsOptional<T>)
    return value.has_value();
  else if constexpr (kIsList<T> || std::same_as<T, std::string>)
    return !value.empty();
  else
    return true;
}

}  // namespace saltus
