// Contents of a results file for each format of `saltus convert`.
#include <fmt/format.h>

#include <algorithm>

#include "saltus/convert/convert_members.h"
#include "saltus/convert/convert_names.h"
#include "saltus/exchange/wav.h"

namespace saltus {
namespace {

void append_word(std::string& list, const std::string& word) {
  list += (list.empty() ? "" : ", ") + word;
}

/// "rigid (20), modal (1)", in the order of the file.
std::string kinds_held(const ViewScene& scene) {
  std::vector<std::pair<std::string, int>> kinds;
  for (const ViewBody& body : scene.bodies) {
    auto known = std::ranges::find(kinds, body.kind, &std::pair<std::string, int>::first);
    if (known == kinds.end()) known = kinds.insert(kinds.end(), {body.kind, 0});
    known->second += body.members;
  }
  std::string text;
  for (const auto& [kind, count] : kinds) append_word(text, fmt::format("{} ({})", kind, count));
  return text.empty() ? "no bodies" : "bodies of kind " + text;
}

bool has_sounds(const ResultsReader& results) {
  if (results.probes().empty()) return false;
  try {
    return wav_rate(results.rate()).rate > 0;
  } catch (const SceneError&) {
    return false;
  }
}

}  // namespace

void nothing_for(const ResultsReader& results, const std::string& nothing) {
  ViewFile view(results);
  const bool contacts = has_contacts(view);
  bool mesh = false, places = false;
  for (const ViewBody& body : view.scene().bodies) {
    mesh = mesh || body.mesh;
    places = places || !body.line.empty() || has_members(body);
  }
  std::string fits;
  if (mesh) append_word(fits, "vtu");
  if (contacts || places) append_word(fits, "vtp");
  if (mesh || places) append_word(fits, "xdmf");
  append_word(fits, "csv");
  if (has_sounds(results)) append_word(fits, "wav");
  throw SceneError(
      "", "contains " + nothing,
      fmt::format("it contains {}; available: --to {}", kinds_held(view.scene()), fits))
      .at(results.file(), 0, 0);
}

}  // namespace saltus
