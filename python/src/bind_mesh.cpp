// Converts finite-element meshes between arrays and files of Gmsh.
#include <pybind11/eigen.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fmt/format.h>

#include "model_parts.h"
#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/mesh/gmsh.h"

namespace saltus::python {
namespace {

ElementKind element_kind(const std::string& name) {
  std::vector<std::string_view> names;
  for (const ElementInfo& one : element_kinds()) {
    if (one.name == name) return one.kind;
    names.push_back(one.name);
  }
  wrong("there is no element '{}' ({})", name, did_you_mean(name, names));
}

using Integers = py::array_t<int, py::array::c_style | py::array::forcecast>;
using Sets = std::map<std::string, std::vector<int>>;

Mesh mesh_of(const Doubles& nodes, const py::dict& elements, const Sets& node_sets,
             const Sets& element_sets,
             const std::map<std::string, std::vector<std::array<int, 2>>>& face_sets) {
  if (nodes.ndim() != 2 || nodes.shape(1) < 1 || nodes.shape(1) > 3)
    wrong("nodes must have the shape (n, 3), or (n, 2) for plane meshes, (n, 1) for lines");
  Mesh mesh;
  mesh.dimension = static_cast<int>(nodes.shape(1));
  mesh.nodes.setZero(3, nodes.shape(0));
  for (py::ssize_t i = 0; i < nodes.shape(0); ++i)
    for (py::ssize_t k = 0; k < nodes.shape(1); ++k) mesh.nodes(k, i) = nodes.at(i, k);
  for (const auto& [key, value] : elements) {
    const std::string name = py::str(key).cast<std::string>();
    ElementBlock block;
    block.kind = element_kind(name);
    const auto of = py::cast<Integers>(py::reinterpret_borrow<py::object>(value));
    if (of.ndim() != 2 || of.shape(1) != info(block.kind).nodes)
      wrong("elements['{}'] must have the shape (n, {})", name, info(block.kind).nodes);
    for (py::ssize_t k = 0; k < of.size(); ++k)
      if (of.data()[k] < 0 || of.data()[k] >= nodes.shape(0))
        wrong("elements['{}'] refers to node {} of {}", name, of.data()[k], nodes.shape(0));
    block.nodes.assign(of.data(), of.data() + of.size());
    mesh.blocks.push_back(std::move(block));
  }
  mesh.node_sets = node_sets;
  mesh.element_sets = element_sets;
  for (const auto& [name, faces] : face_sets)
    for (const auto& [element, face] : faces) mesh.face_sets[name].push_back({element, face});
  return mesh;
}

py::dict arrays_of(const Mesh& mesh) {
  py::dict elements, faces, out;
  for (const ElementBlock& block : mesh.blocks) {
    const auto n = static_cast<py::ssize_t>(info(block.kind).nodes);
    const py::str name(std::string(info(block.kind).name));
    py::object of =
        py::array_t<int>({static_cast<py::ssize_t>(block.elements()), n}, block.nodes.data());
    if (elements.contains(name))
      of = py::module_::import("numpy").attr("concatenate")(py::make_tuple(elements[name], of));
    elements[name] = of;
  }
  for (const auto& [name, set] : mesh.face_sets) {
    py::list list;
    for (const MeshFace& face : set) list.append(py::make_tuple(face.element, face.face));
    faces[py::str(name)] = list;
  }
  out["nodes"] = Matrix(mesh.nodes.topRows(mesh.dimension).transpose());
  out["elements"] = elements;
  out["node_sets"] = mesh.node_sets;
  out["element_sets"] = mesh.element_sets;
  out["face_sets"] = faces;
  return out;
}

}  // namespace

void bind_mesh(py::module_& m) {
  m.def(
      "read_gmsh", [](const std::filesystem::path& file) { return arrays_of(read_gmsh(file)); },
      py::arg("file"), R"(Reads a mesh file of Gmsh (MSH 2.2 and 4.1) as arrays.

Returns
-------
dict
    nodes (n, d) [m]; elements: dict of kind to (m, k) numbers of nodes from 0, in the order of Gmsh; node_sets, element_sets:
    dicts of lists; face_sets: dict of lists of (element, face). Elements are numbered consecutively over all kinds.)");
  m.def(
      "write_gmsh",
      [](const std::filesystem::path& file, const Doubles& nodes, const py::dict& elements,
         const Sets& node_sets, const Sets& element_sets,
         const std::map<std::string, std::vector<std::array<int, 2>>>& face_sets) {
        write_gmsh(mesh_of(nodes, elements, node_sets, element_sets, face_sets), file);
      },
      py::arg("file"), py::arg("nodes"), py::arg("elements"), py::arg("node_sets") = Sets(),
      py::arg("element_sets") = Sets(),
      py::arg("face_sets") = std::map<std::string, std::vector<std::array<int, 2>>>(),
      R"(Writes a mesh given as arrays to a file of Gmsh, for bodies.fem(mesh={"file": ...}). Coordinates are recovered bit for bit.

Parameters
----------
file : path
nodes : array, shape (n, d)
    [m]; d = 3, or 2 in the x-y plane.
elements : dict of str to array, shape (m, k)
    Numbers of nodes from 0 in the order of Gmsh, by kind: bar2, bar3, tri3, tri6, quad4, quad8, tet4, tet10, hex8, hex20,
    wedge6, pyramid5.
node_sets, element_sets, face_sets : dict, optional
    Names for `fixed`, `loads`, `materials` and other entries of the body; faces as (element, face).

Raises
------
UsageError
    For elements that are inverted or refer to unknown nodes.
SceneError
    If the file cannot be written.)");
}

}  // namespace saltus::python
