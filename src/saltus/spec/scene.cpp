#include "saltus/spec/scene.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace saltus {

const Place* find_place(const Places& places, std::string_view path) {
  while (true) {
    if (const auto found = places.find(path); found != places.end()) return &found->second;
    if (path.empty()) return nullptr;
    const auto cut = path.find_last_of(".[");
    path = path.substr(0, cut == std::string_view::npos ? 0 : cut);
  }
}

void throw_placed(const Faults& faults, const Scene& scene) {
  if (!faults.any()) return;
  struct Placed {
    std::tuple<bool, int, int> order;
    SceneError error;
  };
  std::vector<Placed> placed;
  for (const Faults::Entry& entry : faults.entries()) {
    const Place* place = find_place(scene.places, entry.error.path());
    if (!place || entry.error.path().empty()) place = find_place(scene.places, entry.about);
    SceneError error = entry.error;
    if (!error.placed())
      error =
          place ? error.at(place->source, place->line, place->column) : error.at(scene.file, 0, 0);
    const bool here = error.file() == scene.file || !place;
    placed.push_back({here ? std::tuple(error.file() == scene.file, error.line(), error.column())
                           : std::tuple(place->source == scene.file, place->line, place->column),
                      error});
  }
  std::ranges::stable_sort(placed, {}, &Placed::order);
  Faults sorted;
  for (const Placed& one : placed) sorted.add(one.error, "");
  if (faults.count() <= placed.size()) sorted.throw_all();
  std::vector<SceneError> errors;
  for (const Placed& one : placed) errors.push_back(one.error);
  throw SceneErrors(std::move(errors), faults.count() - placed.size());
}

void rethrow_placed(const SceneError& error, const Scene& scene) {
  if (const auto* several = dynamic_cast<const SceneErrors*>(&error)) {
    if (several->placed()) throw *several;
    Faults faults;
    for (const SceneError& one : several->all()) faults.add(one, one.path());
    throw_placed(faults, scene);
  }
  if (error.placed()) throw error;
  if (const Place* place = find_place(scene.places, error.path()))
    throw error.at(place->source, place->line, place->column);
  throw error.at(scene.file, 0, 0);
}

}  // namespace saltus
