#include "saltus/scene_file/describe.h"

#include <algorithm>
#include <array>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/base/units.h"
#include "saltus/spec/spec.h"

namespace saltus {
namespace {

constexpr std::array<std::string_view, 4> kTopics{"scene", "bodies", "schemes", "laws"};

/// One table of a reference page: the members of one map.
struct Section {
  std::string title, help;
  const OptionDoc* map;
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Collects all maps below doc, in reading order; titles are paths with [] for lists and "= name"
/// for alternatives.
void collect(const OptionDoc& doc, const std::string& title, std::vector<Section>& sections) {
  using Type = OptionDoc::Type;
  if (doc.type == Type::map) {
    sections.push_back({title, doc.help, &doc});
    for (const OptionDoc& child : doc.children)
      collect(child, title == "scene" ? child.key : title + "." + child.key, sections);
  } else if (doc.type == Type::list) {
    collect(doc.children[0], title + "[]", sections);
  } else if (doc.type == Type::choice) {
    for (const OptionDoc& alternative : doc.children) {
      if (doc.by == ChoiceBy::shape)
        collect(alternative, title, sections);
      else
        collect(alternative,
                title + (doc.by == ChoiceBy::kind ? " = " : " with ") + alternative.key, sections);
    }
  }
}

std::vector<Section> sections_of(const OptionDoc& doc, const std::string& title) {
  std::vector<Section> sections;
  if (doc.type == OptionDoc::Type::choice)
    for (const OptionDoc& alternative : doc.children)
      collect(alternative, alternative.key, sections);
  else
    collect(doc, title, sections);
  return sections;
}

std::string default_of(const OptionDoc& doc) {
  if (doc.required) return "required";
  std::string text = doc.default_text;
  if (text.size() > 1 && text.front() == '"') text = text.substr(1, text.size() - 2);
  return text;
}

std::string rule_text(const Rule& whole) {
  Rule rule = whole;
  if (!rule.selector.empty() && rule.kind != Rule::Kind::only) {
    rule.selector = {};
    const auto last = std::ranges::find(rule.values, std::string_view{});
    return std::string(whole.selector) + " " + list_names({rule.values.begin(), last}) + ": " +
           rule_text(rule);
  }
  const auto last = std::ranges::find(rule.keys, std::string_view{});
  const std::string names = list_names({rule.keys.begin(), last});
  const bool single = rule.keys[1].empty();
  switch (rule.kind) {
    case Rule::Kind::only: {
      const auto end = std::ranges::find(rule.values, std::string_view{});
      return "only for " + std::string(rule.selector) + " " +
             list_names({rule.values.begin(), end}) + ": " + names;
    }
    case Rule::Kind::exactly_one:
      return (single ? "" : "exactly one of ") + names;
    case Rule::Kind::at_most_one:
      return "at most one of " + names;
    case Rule::Kind::at_least_one:
      return "at least one of " + names;
    case Rule::Kind::needs:
      break;
  }
  return std::string(rule.keys[0]) + " needs " + std::string(rule.keys[1]);
}

std::string plain(const std::vector<Section>& sections) {
  std::string out;
  for (const Section& section : sections) {
    out += (out.empty() ? "" : "\n") + section.title +
           (section.help.empty() ? "" : ": " + section.help) + "\n";
    std::size_t width = 0;
    for (const OptionDoc& row : section.map->children) width = std::max(width, row.key.size());
    for (const OptionDoc& row : section.map->children) {
      const std::string standard = default_of(row);
      out += "  " + row.key + std::string(width - row.key.size() + 2, ' ') + type_text(row);
      out += (standard.empty() ? "" : row.required ? " (required)" : " (" + standard + ")") + "\n";
      out += std::string(width + 4, ' ') + row.help + "\n";
    }
    if (section.map->children.empty()) out += "  no options\n";
    for (const Rule& rule : section.map->rules) out += "  " + rule_text(rule) + "\n";
  }
  return out;
}

std::string markdown_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

std::string sentence(std::string text) {
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text + ".";
}

std::string markdown(const std::vector<Section>& sections) {
  std::string out;
  for (const Section& section : sections) {
    out += (out.empty() ? "" : "\n") + std::string("## `") + section.title + "`\n\n";
    if (!section.help.empty()) out += sentence(section.help) + "\n\n";
    if (section.map->children.empty()) {
      out += "No options.\n";
      continue;
    }
    out += "| key | value | default | meaning |\n|---|---|---|---|\n";
    for (const OptionDoc& row : section.map->children)
      out += "| `" + row.key + "` | " + markdown_cell(type_text(row)) + " | " +
             markdown_cell(default_of(row)) + " | " + markdown_cell(row.help) + " |\n";
    std::string rules;
    for (const Rule& rule : section.map->rules)
      rules += (rules.empty() ? "" : "; ") + rule_text(rule);
    if (!rules.empty()) out += "\nRules: " + rules + ".\n";
  }
  return out;
}

void write_json(JsonWriter& out, const std::vector<Section>& sections) {
  out.begin_list();
  for (const Section& section : sections) {
    out.begin_map();
    out.key("name");
    out.text(section.title);
    out.key("help");
    out.text(section.help);
    out.key("options");
    out.begin_list();
    for (const OptionDoc& row : section.map->children) {
      out.begin_map();
      for (const auto& [key, value] : {std::pair<const char*, std::string>{"key", row.key},
                                       {"value", type_text(row)},
                                       {"default", row.required ? "" : default_of(row)},
                                       {"help", row.help}}) {
        out.key(key);
        out.text(value);
      }
      out.key("required");
      out.boolean(row.required);
      out.end_map();
    }
    out.end_list();
    out.key("rules");
    out.begin_list();
    for (const Rule& rule : section.map->rules) out.text(rule_text(rule));
    out.end_list();
    out.end_map();
  }
  out.end_list();
}

}  // namespace

std::span<const std::string_view> describe_topics() { return kTopics; }

const OptionDoc& scene_document() {
  static const OptionDoc doc = document<SceneSpec>();
  return doc;
}

std::string type_text(const OptionDoc& doc) {
  using Type = OptionDoc::Type;
  switch (doc.type) {
    case Type::number:
    case Type::integer: {
      std::string text = doc.type == Type::number ? "number" : "integer";
      if (const std::string name = unit_name(doc.dimension); !name.empty())
        text += " [" + name + "]";
      if (doc.range.bounded()) text += ", " + describe(doc.range);
      return text;
    }
    case Type::boolean:
      return "true or false";
    case Type::text:
      return "text";
    case Type::name:
      return (doc.names.size() > 1 ? "one of " : "") + joined(doc.names);
    case Type::list: {
      if (doc.children[0].type == Type::name) return "list of " + joined(doc.children[0].names);
      std::string element = type_text(doc.children[0]);  // "number [m]" becomes "numbers [m]"
      element.insert(std::min(element.find_first_of(" ,"), element.size()), "s");
      return "list of " + (doc.count > 0 ? std::to_string(doc.count) + " " : "") + element;
    }
    case Type::map:
      return "map";
    case Type::choice:
      break;
  }
  std::string text;
  for (const OptionDoc& alternative : doc.children) {
    const std::string name = doc.by == ChoiceBy::shape ? type_text(alternative) : alternative.key;
    text += (text.empty() ? "" : doc.by == ChoiceBy::shape ? " or " : ", ") + name;
  }
  return doc.by == ChoiceBy::shape
             ? text
             : (doc.by == ChoiceBy::kind ? "one of " : "map with one of ") + text;
}

std::string describe_options(std::string_view topic, DescribeFormat format) {
  if (std::ranges::find(kTopics, topic) == kTopics.end())
    throw SceneError("", "'" + std::string(topic) + "' is not known here",
                     did_you_mean(topic, kTopics));
  const OptionDoc doc = topic == "bodies"    ? document<BodySpec>()
                        : topic == "schemes" ? document<SchemeChoice>()
                        : topic == "laws"    ? document<LawChoice>()
                                             : scene_document();
  const std::vector<Section> sections = sections_of(doc, topic == "bodies" ? "bodies[]" : "scene");
  if (format == DescribeFormat::text) return plain(sections);
  if (format == DescribeFormat::markdown) return markdown(sections);
  JsonWriter out;
  write_json(out, sections);
  return out.str() + "\n";
}

}  // namespace saltus
