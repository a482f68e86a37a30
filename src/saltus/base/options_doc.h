// The contents of the option tables as one tree of plain data, built once per struct. The
// generators of reference pages, JSON Schema and bindings read it and so need no templates.
#pragma once
#include <string>
#include <vector>

#include "saltus/base/options.h"
#include "saltus/base/options_write.h"

namespace saltus {

/// One option, or one alternative of a choice.
struct OptionDoc {
  enum class Type { number, integer, boolean, text, name, list, map, choice };

  Type type = Type::map;
  std::string key;  ///< key of the option; name or key of an alternative
  std::string help;
  std::string default_text;  ///< as JSON; empty if required, unset or listed by the members
  bool required = false;
  Dimension dimension;  ///< dimension of a number
  Range range;          ///< range of a number or integer
  ChoiceBy by = ChoiceBy::kind;
  std::size_t count = 0;           ///< length of a list of fixed length, else 0
  std::vector<std::string> names;  ///< allowed names for Type::name
  std::vector<OptionDoc>
      children;             ///< members of a map, element of a list, alternatives of a choice
  std::vector<Rule> rules;  ///< rules of a map
};

template <class T>
OptionDoc document(Dimension dimension = unit::one, Range range = kAnyNumber);

namespace doc_detail {

template <OptionStruct S>
void document_struct(OptionDoc& doc) {
  doc.type = OptionDoc::Type::map;
  if constexpr (requires { S::help; }) doc.help = S::help;
  if constexpr (requires { S::rules(); })
    for (const Rule& rule : S::rules()) doc.rules.push_back(rule);
  const S defaults{};
  for_each_field<S>([&](const auto& field) {
    const auto& member = defaults.*field.member;
    using T = std::remove_cvref_t<decltype(member)>;
    OptionDoc child = document<T>(field.dimension, field.range);
    child.key = field.key;
    child.help = field.help;
    child.required = field.required;
    if constexpr (!kIsOptional<T> && !OptionStruct<T>)
      if (!field.required && is_set(member)) child.default_text = to_json(member, 0);
    if constexpr (kIsVariant<T>)
      child.default_text = field.required ? ""
                                          : std::visit(
                                                []<class V>(const V& value) {
                                                  if constexpr (NamedOptions<V>)
                                                    return json_quoted(V::name);
                                                  else if constexpr (std::same_as<V, double>)
                                                    return to_json(value, 0);
                                                  else
                                                    return std::string();
                                                },
                                                member);
    doc.children.push_back(std::move(child));
  });
}

}  // namespace doc_detail

template <class T>
OptionDoc document(Dimension dimension, Range range) {
  using Type = OptionDoc::Type;
  OptionDoc doc;
  doc.dimension = dimension;
  doc.range = range;
  if constexpr (kIsOptional<T>) {
    return document<typename T::value_type>(dimension, range);
  } else if constexpr (std::same_as<T, double>) {
    doc.type = Type::number;
  } else if constexpr (std::same_as<T, int>) {
    doc.type = Type::integer;
  } else if constexpr (std::same_as<T, bool>) {
    doc.type = Type::boolean;
  } else if constexpr (std::same_as<T, std::string>) {
    doc.type = Type::text;
  } else if constexpr (std::same_as<T, NumberOrName>) {
    doc.type = Type::choice;
    doc.by = ChoiceBy::shape;
    doc.children.push_back(document<double>(dimension, range));
    doc.children.push_back(document<std::string>());
    doc.children.back().key = "name";
  } else if constexpr (std::is_enum_v<T>) {
    doc.type = Type::name;
    for (const auto& named : names_of(T{})) doc.names.emplace_back(named.name);
  } else if constexpr (kIsList<T> || kIsArray<T>) {
    doc.type = Type::list;
    if constexpr (kIsArray<T>) doc.count = std::tuple_size_v<T>;
    doc.children.push_back(document<typename T::value_type>(dimension, range));
  } else if constexpr (kIsVariant<T>) {
    doc.type = Type::choice;
    doc.by = kChoiceBy<T>;
    constexpr auto names = names_of_choice<T>();
    for_each_alternative<T>([&]<class V>(std::type_identity<V>, std::size_t i) {
      doc.children.push_back(document<V>(dimension, range));
      doc.children.back().key = names[i];
    });
  } else {
    doc_detail::document_struct<T>(doc);
  }
  return doc;
}

}  // namespace saltus
