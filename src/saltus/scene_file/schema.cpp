#include "saltus/scene_file/schema.h"

#include <nlohmann/json.hpp>

#include "saltus/base/units.h"
#include "saltus/scene_file/describe.h"

namespace saltus {
namespace {

using Json = nlohmann::ordered_json;

/// A number followed by a unit; the reader checks the unit itself.
constexpr const char* kNumberWithUnit =
    "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)? "
    "*[A-Za-z\u00b5\u03bc(1][-A-Za-z\u00b5\u03bc0-9^*/() ]*$";

Json schema_of(const OptionDoc& doc);

void add_bounds(Json& json, const Range& range) {
  if (std::isfinite(range.low)) json[range.low_open ? "exclusiveMinimum" : "minimum"] = range.low;
  if (std::isfinite(range.high))
    json[range.high_open ? "exclusiveMaximum" : "maximum"] = range.high;
}

Json number(const OptionDoc& doc) {
  Json json{{"type", "number"}};
  add_bounds(json, doc.range);
  if (doc.dimension == unit::one) return json;
  return Json{
      {"anyOf", Json::array({json, Json{{"type", "string"}, {"pattern", kNumberWithUnit}}})}};
}

Json required_keys(const std::vector<std::string>& keys) { return Json{{"required", keys}}; }

/// Adds one relation between keys as conditions that must all hold.
void add_conditions(Json& all, const Rule& rule) {
  std::vector<std::string> keys;
  for (std::string_view key : rule.keys)
    if (!key.empty()) keys.emplace_back(key);
  if (rule.kind == Rule::Kind::needs) {
    all.push_back(Json{{"dependentRequired", {{keys[0], {keys[1]}}}}});
    return;
  }
  if (rule.kind == Rule::Kind::only) {
    for (const std::string& key : keys) all.push_back(Json{{"not", required_keys({key})}});
    return;
  }
  if (rule.kind != Rule::Kind::at_most_one) {
    Json any = Json::array();
    for (const std::string& key : keys) any.push_back(required_keys({key}));
    all.push_back(Json{{"anyOf", any}});
  }
  if (rule.kind == Rule::Kind::at_least_one) return;
  for (std::size_t i = 0; i < keys.size(); ++i)
    for (std::size_t j = i + 1; j < keys.size(); ++j)
      all.push_back(Json{{"not", required_keys({keys[i], keys[j]})}});
}

/// Rules that depend on the value of a key become conditional; `only` applies to all other values.
Json conditions(const std::vector<Rule>& rules) {
  Json all = Json::array();
  for (const Rule& rule : rules) {
    if (rule.selector.empty()) {
      add_conditions(all, rule);
      continue;
    }
    std::vector<std::string> values;
    for (std::string_view value : rule.values)
      if (!value.empty()) values.emplace_back(value);
    Json here{{"properties", {{std::string(rule.selector), {{"enum", values}}}}}};
    Json then = Json::array();
    add_conditions(then, rule);
    Json condition{{"if", here}};
    condition[rule.kind == Rule::Kind::only ? "else" : "then"] = Json{{"allOf", then}};
    all.push_back(condition);
  }
  return all;
}

/// `kind`: the value of the key that selects this map, or "" if no key does.
Json map(const OptionDoc& doc, const std::string& kind = "") {
  Json properties = Json::object();
  std::vector<std::string> required;
  if (!kind.empty()) {
    properties["kind"] = Json{{"const", kind}, {"description", doc.help}};
    required.push_back("kind");
  }
  for (const OptionDoc& child : doc.children) {
    properties[child.key] = schema_of(child);
    if (child.required) required.push_back(child.key);
  }
  Json json{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) json["required"] = required;
  const Json all = conditions(doc.rules);
  if (!all.empty()) json["allOf"] = all;
  return json;
}

bool all_optional(const OptionDoc& doc) {
  return std::ranges::none_of(doc.children, [](const OptionDoc& child) { return child.required; });
}

Json choice(const OptionDoc& doc) {
  Json alternatives = Json::array();
  Json names = Json::array();
  for (const OptionDoc& alternative : doc.children) {
    if (doc.by == ChoiceBy::kind && all_optional(alternative)) names.push_back(alternative.key);
    if (doc.by == ChoiceBy::kind)
      alternatives.push_back(map(alternative, alternative.key));
    else
      alternatives.push_back(schema_of(alternative));
  }
  if (!names.empty()) alternatives.insert(alternatives.begin(), Json{{"enum", names}});
  // alternatives that are distinguished by their form may both match: an empty list, a number as
  // text
  return Json{{doc.by == ChoiceBy::shape ? "anyOf" : "oneOf", alternatives}};
}

Json list(const OptionDoc& doc) {
  Json json{{"type", "array"}, {"items", schema_of(doc.children[0])}};
  if (doc.count > 0)
    json["minItems"] = json["maxItems"] = doc.count;
  else if (doc.required)
    json["minItems"] = 1;
  return json;
}

Json schema_of(const OptionDoc& doc) {
  Json json;
  switch (doc.type) {
    case OptionDoc::Type::number:
      json = number(doc);
      break;
    case OptionDoc::Type::integer:
      json = Json{{"type", "integer"}};
      add_bounds(json, doc.range);
      break;
    case OptionDoc::Type::boolean:
      json = Json{{"type", "boolean"}};
      break;
    case OptionDoc::Type::text:
      json = Json{{"type", "string"}};
      break;
    case OptionDoc::Type::name:
      json = Json{{"enum", doc.names}};
      break;
    case OptionDoc::Type::list:
      json = list(doc);
      break;
    case OptionDoc::Type::map:
      json = map(doc);
      break;
    case OptionDoc::Type::choice:
      json = choice(doc);
      break;
  }
  if (doc.type == OptionDoc::Type::text && doc.required) json["minLength"] = 1;
  std::string description = doc.help;
  if (doc.type == OptionDoc::Type::number && !(doc.dimension == unit::one))
    description +=
        " [" + unit_name(doc.dimension) + "; or with a unit: " + unit_examples(doc.dimension) + "]";
  if (!description.empty()) json["description"] = description;
  if (!doc.default_text.empty()) json["default"] = Json::parse(doc.default_text);
  return json;
}

}  // namespace

std::string scene_schema(int indent) {
  Json json{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Saltus scene"}};
  json.update(schema_of(scene_document()));
  return json.dump(indent > 0 ? indent : -1) + "\n";
}

}  // namespace saltus
