#include "saltus/study/study_schemes.h"

#include <fmt/format.h>

#include <algorithm>

#include "saltus/base/error.h"
#include "saltus/base/options_check.h"
#include "saltus/base/options_read.h"
#include "saltus/model/group_facts.h"
#include "saltus/model/scheme_fit.h"
#include "saltus/scene_file/yaml_document.h"
#include "saltus/schemes/registry.h"
#include "saltus/spec/body_names.h"

namespace saltus {
namespace {

/// A document with a scheme, so that the scene reader can read it.
struct SchemeEntry {
  SchemeChoice scheme;
  static constexpr auto fields() {
    return field_rows(required("scheme", &SchemeEntry::scheme, ""));
  }
};

/// Converts name:key=value:... to a flow map.
std::string flow_text(const std::string& text) {
  if (text.starts_with('{')) return text;
  std::string flow;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(':', from), text.size());
    const std::string part = text.substr(from, end - from);
    const std::size_t equal = part.find('=');
    if (from == 0) {
      flow = "{kind: " + part;
    } else {
      if (equal == std::string::npos || equal == 0 || equal + 1 == part.size())
        throw SceneError("--schemes", "'" + text + "': '" + part + "' is not of the form key=value",
                         "for example moreau-jean:theta=1");
      flow.append(", ").append(part, 0, equal).append(": ").append(part, equal + 1);
    }
    from = end + 1;
  }
  return flow + "}";
}

std::string label_of(const Node& map, std::string_view kind) {
  std::string label(kind);
  for (std::size_t i = 0; i < map.keys.size(); ++i)
    if (map.keys[i].text != "kind") label += " " + map.keys[i].text + "=" + map.items[i].text;
  return label;
}

}  // namespace

NamedScheme read_scheme(const std::string& text) {
  const Place place{"--schemes " + text.substr(0, 80), 0, 0};
  const auto fail = [&](const SceneError& error) -> SceneError {
    const bool own = error.path() == "scheme" || error.path() == "scheme.kind";
    return SceneError(own ? "" : error.path(), error.message(), error.hint())
        .at(place.source, 0, 0);
  };
  if (text.empty())
    throw SceneError("--schemes", "an entry is empty",
                     "write names of schemes separated by commas");
  try {
    Node document = parse_yaml("scheme: " + flow_text(text), place.source);
    SchemeEntry entry;
    Places places;
    read_options(document, entry, places);
    check_options(entry);
    return {label_of(*document.find("scheme"), scheme_name(entry.scheme)), entry.scheme};
  } catch (const SceneError& error) {
    if (error.path() == "--schemes") throw;
    throw fail(error);
  }
}

std::vector<std::string> split_schemes(const std::string& text) {
  std::vector<std::string> entries(1);
  int depth = 0;
  for (const char c : text) {
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    if (c == ',' && depth == 0)
      entries.emplace_back();
    else if (c != ' ' || !entries.back().empty())
      entries.back() += c;
  }
  for (std::string& entry : entries)
    while (!entry.empty() && entry.back() == ' ') entry.pop_back();
  return entries;
}

std::vector<NamedScheme> study_schemes(const std::vector<std::string>& asked, const Model& model) {
  const auto groups = model.groups();
  const auto fits_group = [](const Scheme& scheme) {
    return [&scheme](const Group& group) { return fits(scheme, group.dynamics->traits()); };
  };
  std::vector<NamedScheme> found;
  for (const std::string& text : asked) {
    NamedScheme named = read_scheme(text);
    const auto scheme = make_scheme(named.choice);
    if (std::ranges::none_of(groups, fits_group(*scheme))) {
      unsigned traits = ~0u;
      for (const Group& group : groups) traits &= group.dynamics->traits();
      throw SceneError("--schemes", fmt::format("'{}' supports no body of the scene", named.label),
                       "allowed here: " + schemes_for(traits));
    }
    if (std::ranges::find(found, named.label, &NamedScheme::label) == found.end())
      found.push_back(std::move(named));
  }
  if (!asked.empty()) return found;
  for (const SchemeRow& row : schemes())
    if (std::ranges::all_of(groups, fits_group(*row.make_default())))
      found.push_back(read_scheme(std::string(row.name)));
  return found;
}

Scene study_scene(const Scene& scene, const Model& model, const SchemeChoice& choice, double h,
                  double end, std::vector<std::string>* kept) {
  Scene changed = scene;
  changed.spec.time.rate.reset();
  changed.spec.time.step = h;
  changed.spec.time.end = end;
  for (OutputSpec& output : changed.spec.outputs) {
    output.wav.reset();
    output.csv.reset();
    output.gain.reset();
    output.modes = OutputSpec::Modes::all;
  }
  const auto scheme = make_scheme(choice);
  for (BodySpec& body : changed.spec.bodies) {
    if (!body.integrated()) continue;
    const auto group = static_cast<std::size_t>(group_of(model, body));
    if (fits(*scheme, model.groups()[group].dynamics->traits()))
      body.scheme = choice;
    else if (kept)
      kept->push_back(body.name + " (" + std::string(scheme_name(body.chosen_scheme())) + ")");
  }
  return changed;
}

}  // namespace saltus
