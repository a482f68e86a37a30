// Scenes: reading, changes, resolution, building. Dicts and paths are handled in Python
// (saltus/_scene.py).
#include <pybind11/stl.h>

#include "core.h"
#include "gil.h"
#include "saltus/scene/scene_faults.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"

namespace saltus::python {
namespace {

using Assignments = std::vector<std::string>;

/// Throws all faults of a scene of which some are already known.
void refuse(const Scene& scene, Faults& faults) {
  if (!faults.any()) return;
  find_faults(scene, faults);
  throw_placed(faults, scene);
}

std::shared_ptr<SceneObject> read(const std::string& file, Assignments set) {
  const Others others;
  Faults faults;
  Scene scene = read_scene(file, set, faults);
  refuse(scene, faults);
  return std::make_shared<SceneObject>(SceneObject{std::move(scene), std::move(set)});
}

std::shared_ptr<SceneObject> parse(const std::string& text, const std::string& name,
                                   const std::string& folder, Assignments set) {
  const Others others;
  Faults faults;
  Scene scene = read_scene_text(text, name, set, folder, faults);
  refuse(scene, faults);
  return std::make_shared<SceneObject>(SceneObject{std::move(scene), std::move(set)});
}

/// Reads the text again, with more assignments after the existing ones.
std::shared_ptr<SceneObject> changed(const SceneObject& from, const Assignments& more) {
  Assignments all = from.set;
  all.insert(all.end(), more.begin(), more.end());
  return parse(from.scene.text, from.scene.file, from.scene.folder.string(), std::move(all));
}

}  // namespace

std::shared_ptr<SceneObject> scene_of(py::handle scene, py::handle set) {
  return py::module_::import("saltus")
      .attr("Scene")
      .attr("of")(scene, set)
      .cast<std::shared_ptr<SceneObject>>();
}

void bind_scene(py::module_& m) {
  py::class_<SceneObject, std::shared_ptr<SceneObject>>(
      m, "Scene", R"(A scene that was read: its entries, and their positions in the file.

A scene is immutable. Create one with `Scene.read`, `Scene.parse`, `Scene.from_dict` or, from any of these, `Scene.of`.

>>> scene = saltus.Scene.read("ball.yaml", set={"time.rate": "2 kHz"})
>>> model = scene.build()
)")
      .def_static("_read", &read, py::arg("file"), py::arg("set"))
      .def_static("_parse", &parse, py::arg("text"), py::arg("name"), py::arg("folder"),
                  py::arg("set"))
      .def("_changed", &changed, py::arg("set"))
      .def_property_readonly(
          "_resolved", [](const SceneObject& s) { return text_of(write_scene(s.scene.spec, 0)); })
      .def_property_readonly(
          "text", [](const SceneObject& s) { return text_of(s.scene.text); },
          "str : text as read, before `set`.")
      .def_property_readonly(
          "title", [](const SceneObject& s) { return text_of(s.scene.spec.title); },
          "str : the entry `title`, '' without one.")
      .def_property_readonly(
          "file", [](const SceneObject& s) { return file_name(s.scene.file); },
          "str : name given when it was read; used in error messages.")
      .def_property_readonly(
          "folder", [](const SceneObject& s) { return file_name(s.scene.folder.string()); },
          "str : folder to which file names in the scene are relative.")
      .def_property_readonly(
          "set", [](const SceneObject& s) { return s.set; },
          "list of str : the assignments 'path=value' applied to the text.")
      .def(py::pickle(
          [](const SceneObject& s) {
            return py::make_tuple(py::bytes(s.scene.text), file_name(s.scene.file),
                                  file_name(s.scene.folder.string()), s.set);
          },
          [](const py::tuple& t) {
            return parse(t[0].cast<std::string>(), t[1].cast<std::string>(),
                         t[2].cast<std::string>(), t[3].cast<Assignments>());
          }));
}

}  // namespace saltus::python
