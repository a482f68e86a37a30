#include "saltus/scene_file/scene_yaml.h"

#include "saltus/base/options_read.h"
#include "saltus/base/text_check.h"
#include "saltus/scene_file/renamed_keys.h"
#include "saltus/scene_file/yaml_document.h"

namespace saltus {

Scene read_scene(const std::filesystem::path& file, std::span<const std::string> assignments) {
  return read_scene_text(read_text_file(file), file.string(), assignments, file.parent_path());
}

Scene read_scene(const std::filesystem::path& file, std::span<const std::string> assignments,
                 Faults& faults) {
  return read_scene_text(read_text_file(file), file.string(), assignments, file.parent_path(),
                         faults);
}

Scene read_scene_text(const std::string& text, const std::string& name,
                      std::span<const std::string> assignments,
                      const std::filesystem::path& folder) {
  Faults faults;
  Scene scene = read_scene_text(text, name, assignments, folder, faults);
  throw_placed(faults, scene);
  return scene;
}

Scene read_scene_text(const std::string& text, const std::string& name,
                      std::span<const std::string> assignments, const std::filesystem::path& folder,
                      Faults& faults) {
  Scene scene;
  scene.text = text;
  scene.file = name;
  scene.folder = folder;
  Node document = parse_yaml(text, name);
  if (document.kind == Node::Kind::empty)
    throw SceneError("", "is empty", "a scene starts with `saltus: 1`").at(name, 0, 0);
  const auto rename = [&] {
    for (std::string& line : rename_old_keys(document)) scene.renamed.push_back(std::move(line));
  };
  Faults assigning;
  assigning.attempt("", rename);
  assigning.throw_all();
  for (const std::string& assignment : assignments)
    assigning.attempt("", [&] {
      set_value(document, assignment);
      const std::string path = assignment.substr(0, assignment.find('='));
      if (const std::string present = present_path(path); present != path)
        scene.renamed.push_back("--set " + path + ": this path is now `" + present + "`");
    });
  assigning.attempt("", rename);
  assigning.throw_all();
  read_options(document, scene.spec, scene.places, faults);
  check(scene.spec, faults);
  if (!faults.any()) complete(scene.spec);
  return scene;
}

}  // namespace saltus
