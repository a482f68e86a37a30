// `saltus describe`: prints the registries and the tables of options.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "saltus/app/app.h"
#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/kinds/kinds.h"
#include "saltus/model/scheme_fit.h"
#include "saltus/scene_file/describe.h"
#include "saltus/schemes/registry.h"
#include "saltus/solvers/registry.h"

namespace saltus::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> kTopics{"schemes", "bodies",  "solvers",
                                                  "laws",    "options", "scene"};

/// An entry of a registry: its name, a summary, and facts with headings.
struct Entry {
  std::string name, summary;
  std::vector<std::pair<std::string, std::string>> facts;
};

std::string needs_of(const Scheme& scheme) {
  const unsigned refuses = scheme.refuses();
  return trait_names(scheme.needs()) + (refuses != 0 ? ", no " + trait_names(refuses) : "");
}

/// Names of the schemes that support a group with these traits.
std::vector<std::string> scheme_names(unsigned traits) {
  std::vector<std::string> names;
  for (const SchemeRow& row : schemes())
    if (fits(*row.make_default(), traits)) names.emplace_back(row.name);
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// "also a, b, not c": how `names` differ from `common`; "" if they do not.
std::string difference(const std::vector<std::string>& names,
                       const std::vector<std::string>& common) {
  const auto beyond = [](const auto& of, const auto& without) {
    std::vector<std::string> rest;
    for (const std::string& name : of)
      if (std::ranges::find(without, name) == without.end()) rest.push_back(name);
    return rest;
  };
  const std::string more = joined(beyond(names, common)), less = joined(beyond(common, names));
  std::string text = more.empty() ? "" : "also " + more;
  if (!less.empty()) text += (text.empty() ? "not " : ", not ") + less;
  return text;
}

std::vector<Entry> kind_entries() {
  std::vector<Entry> entries;
  for (const KindRow& row : kinds()) {
    const KindCase& usual = row.cases.front();
    const std::vector<std::string> common = scheme_names(usual.traits);
    std::string schemes = joined(common), traits = trait_names(usual.traits);
    for (const KindCase& other : std::span(row.cases).subspan(1)) {
      const std::string text = difference(scheme_names(other.traits), common);
      if (!text.empty()) schemes += "; " + std::string(other.what) + " " + text;
      const unsigned more = other.traits & ~usual.traits, less = usual.traits & ~other.traits;
      traits += "; " + std::string(other.what) + (more ? " also " + trait_names(more) : "") +
                (more && less ? "," : "") + (less ? " not " + trait_names(less) : "");
    }
    entries.push_back({std::string(row.name),
                       std::string(row.summary),
                       {{"entries", std::string(row.entries)},
                        {"points", std::string(row.points)},
                        {"traits", traits},
                        {"schemes", schemes}}});
  }
  return entries;
}

std::vector<Entry> entries_of(std::string_view topic) {
  if (topic == "bodies") return kind_entries();
  std::vector<Entry> entries;
  if (topic == "schemes")
    for (const SchemeRow& row : schemes()) {
      const std::unique_ptr<Scheme> scheme = row.make_default();
      entries.push_back(
          {std::string(row.name),
           std::string(row.summary),
           {{"order", std::string(row.order)},
            {"kinds", kinds_for(*scheme)},
            {"needs", needs_of(*scheme)},
            {"gain", std::string(row.gain)},
            {"step", scheme->fixed_step() ? "fixed during a run" : "may change during a run"},
            {"references", std::string(row.reference)}}});
    }
  if (topic == "solvers")
    for (const SolverRow& row : solvers())
      entries.push_back(
          {std::string(row.name),
           std::string(row.summary),
           {{"handles", std::string(row.handles)}, {"references", std::string(row.reference)}}});
  return entries;
}

std::string described_text(const std::vector<Entry>& entries) {
  std::string text;
  for (const Entry& entry : entries) {
    text += entry.name + ": " + entry.summary + "\n";
    for (const auto& [what, value] : entry.facts) text += fmt::format("  {:<11} {}\n", what, value);
  }
  return text;
}

std::string markdown_of(const std::vector<Entry>& entries) {
  std::string text = "| name | what it is |", line = "\n|---|---|";
  for (const auto& [what, value] : entries.front().facts) {
    text += " " + what + " |";
    line += "---|";
  }
  text += line + "\n";
  for (const Entry& entry : entries) {
    text += "| `" + entry.name + "` | " + entry.summary + " |";
    for (const auto& [what, value] : entry.facts) text += " " + value + " |";
    text += "\n";
  }
  return text;
}

Json described_json(const std::vector<Entry>& entries) {
  Json list = Json::array();
  for (const Entry& entry : entries) {
    Json object = {{"name", entry.name}, {"summary", entry.summary}};
    for (const auto& [what, value] : entry.facts) object[what] = value;
    list.push_back(object);
  }
  return list;
}

/// "options" means all options, which is the table of the scene.
std::string_view option_topic(std::string_view topic) {
  return topic == "options" ? "scene" : topic;
}

}  // namespace

int cmd_describe(const DescribeOptions& options) {
  if (std::find(kTopics.begin(), kTopics.end(), options.topic) == kTopics.end())
    throw SceneError("", "'" + options.topic + "' is not a topic",
                     did_you_mean(options.topic, kTopics));
  if (options.json && options.markdown)
    throw SceneError("", "--json and --markdown exclude each other", "use only one of them");
  const std::vector<Entry> entries = entries_of(options.topic);
  const bool has_options = options.topic != "solvers";
  const auto table = [&](DescribeFormat format) {
    return describe_options(option_topic(options.topic), format);
  };
  std::string text;
  if (options.json) {
    Json json = {{"topic", options.topic}};
    if (!entries.empty()) json["entries"] = described_json(entries);
    if (has_options) json["options"] = Json::parse(table(DescribeFormat::json));
    text = json.dump(1) + "\n";
  } else {
    if (!entries.empty()) text = options.markdown ? markdown_of(entries) : described_text(entries);
    if (has_options)
      text += (text.empty() ? "" : "\n") +
              table(options.markdown ? DescribeFormat::markdown : DescribeFormat::text);
  }
  std::fputs(text.c_str(), stdout);
  return kDone;
}

}  // namespace saltus::app
