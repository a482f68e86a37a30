#include "saltus/io/scene_yaml.h"

#include "saltus/base/options_read.h"
#include "saltus/base/text_check.h"
#include "saltus/io/yaml_document.h"

namespace saltus {

Scene read_scene(const std::filesystem::path& file, std::span<const std::string> assignments) {
  return read_scene_text(read_text_file(file), file.string(), assignments, file.parent_path());
}

Scene read_scene_text(const std::string& text, const std::string& name,
                      std::span<const std::string> assignments,
                      const std::filesystem::path& folder) {
  Scene scene;
  scene.text = text;
  scene.file = name;
  scene.folder = folder;
  Node document = parse_yaml(text, name);
  if (document.kind == Node::Kind::empty)
    throw SceneError("", "is empty", "a scene starts with `saltus: 1`").at(name, 0, 0);
  for (const std::string& assignment : assignments) set_value(document, assignment);
  try {
    read_options(document, scene.spec, scene.places);
    check(scene.spec);
  } catch (const SceneError& error) {
    rethrow_placed(error, scene);
  }
  complete(scene.spec);
  return scene;
}

}  // namespace saltus
