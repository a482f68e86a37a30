#include "saltus/scene/scene.h"

#include "saltus/scene/scene_faults.h"

namespace saltus {

const Place* find_place(const Places& places, std::string_view path) {
  while (true) {
    if (const auto found = places.find(path); found != places.end()) return &found->second;
    if (path.empty()) return nullptr;
    const auto cut = path.find_last_of(".[");
    path = path.substr(0, cut == std::string_view::npos ? 0 : cut);
  }
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
