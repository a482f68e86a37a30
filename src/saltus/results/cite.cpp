#include "saltus/results/cite.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <variant>

#include "saltus/base/error.h"
#include "saltus/contact/laws/laws.h"
#include "saltus/schemes/registry.h"
#include "saltus/solvers/registry.h"
#include "saltus/version.h"

namespace saltus {
namespace {

using CiteJson = nlohmann::json;

/// Adds those keys of a space-separated list that are not yet in `keys`.
void add_keys(std::vector<std::string>& keys, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    const std::string key(list.substr(0, end));
    if (!key.empty() && std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

/// Key of the law of this name, "" if there is none.
template <typename... Laws>
std::string_view reference_of(std::string_view name, const std::variant<Laws...>*) {
  std::string_view found;
  ((Laws::name == name ? void(found = Laws::reference) : void()), ...);
  return found;
}

std::string_view kind_of(const CiteJson& entry, const char* key) {
  if (!entry.is_object() || !entry.contains(key)) return "";
  const CiteJson& choice = entry[key];
  if (choice.is_string()) return choice.get_ref<const std::string&>();
  if (!choice.is_object() || !choice.contains("kind") || !choice["kind"].is_string()) return "";
  return choice["kind"].get_ref<const std::string&>();
}

/// The entry of a key with its braces; "" if there is none.
std::string_view entry_of(std::string_view bib, std::string_view key) {
  for (std::size_t at = bib.find("\n@"); at != std::string_view::npos;
       at = bib.find("\n@", at + 1)) {
    const std::size_t open = bib.find('{', at), comma = bib.find(',', at);
    if (comma == std::string_view::npos || bib.substr(open + 1, comma - open - 1) != key) continue;
    int depth = 0;
    for (std::size_t i = open; i < bib.size(); ++i) {
      depth += bib[i] == '{' ? 1 : bib[i] == '}' ? -1 : 0;
      if (depth == 0) return bib.substr(at + 1, i - at);
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> cited_keys(const ResultsReader& results) {
  std::vector<std::string> keys;
  for (const BodyColumn& body : results.bodies())
    for (const SchemeRow& row : schemes())
      if (row.name == body.scheme) add_keys(keys, row.reference);
  const CiteJson scene = CiteJson::parse(results.resolved(), nullptr, false);
  if (!scene.is_object()) return keys;
  const auto entries = [&](const char* name) {
    return scene.contains(name) && scene[name].is_array() ? scene[name] : CiteJson::array();
  };
  bool laws = false;
  for (const char* list : {"contacts", "surfaces"})
    for (const CiteJson& entry : entries(list)) {
      const std::string_view law = kind_of(entry, "law");
      if (law.empty()) continue;  // of materials without contact
      laws = true;
      add_keys(keys, reference_of(law, static_cast<const LawChoice*>(nullptr)));
    }
  if (laws)
    if (const SolverRow* row = find_solver(kind_of(scene, "solver")))
      add_keys(keys, row->reference);
  return keys;
}

std::string bibtex(std::span<const std::string> keys) {
  std::string text = fmt::format(
      "@software{{Saltus,\n"
      "  author  = {{{{Saltus developers}}}},\n"
      "  title   = {{Saltus: time integration of mechanical systems with impact and unilateral "
      "contact}},\n"
      "  version = {{{}}}\n"
      "}}\n",
      version());
  for (const std::string& key : keys) {
    const std::string_view entry = entry_of(references_bib(), key);
    expects(!entry.empty(), "bibtex: no entry of this key");
    text += '\n';
    text += entry;
    text += '\n';
  }
  return text;
}

}  // namespace saltus
