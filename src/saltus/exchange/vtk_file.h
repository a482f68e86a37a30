// Writes meshes and fields for ParaView and VTK: unstructured grids (.vtu) and series (.pvd), XML.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "saltus/mesh/mesh.h"

namespace saltus {

/// components x nodes (or elements) numbers, those of one node in sequence. Six components are a
/// symmetric tensor xx, yy, zz, xy, yz, zx.
struct VtkField {
  std::string name;
  int components = 1;
  std::span<const double> values;
};

/// Writes a mesh with nodes at `places` (3 per node) at time t [s]. Numbers are 64-bit
/// little-endian, in base64. Throws SceneError, RunError as OutputFile.
void write_vtu(const std::string& path, double t, const Mesh& mesh, std::span<const double> places,
               std::span<const VtkField> on_nodes, std::span<const VtkField> on_cells = {});

/// Writes points at `places` (3 per point) as vertices, or triangles between them (3 points each),
/// at time t [s]. on_cells: values of the vertices or triangles. Otherwise as write_vtu.
void write_vtp(const std::string& path, double t, std::span<const double> places,
               std::span<const std::uint32_t> triangles, std::span<const VtkField> on_points,
               std::span<const VtkField> on_cells = {});

/// As above for lines: the first of `line` numbers of points form one line, the next ones the next
/// line, ...
void write_vtp_lines(const std::string& path, double t, std::span<const double> places,
                     std::span<const std::size_t> line, std::span<const VtkField> on_points,
                     std::span<const VtkField> on_cells = {});

/// A file of a series; files with the same time are parts of one picture.
struct PvdEntry {
  double t = 0.0;  ///< [s]
  int part = 0;
  std::string file;  ///< relative to the folder of the .pvd
};
void write_pvd(const std::string& path, std::span<const PvdEntry> entries);

std::string base64(std::string_view bytes);   ///< RFC 4648
std::string xml_text(std::string_view text);  ///< for an attribute in quotes

/// Nodes of an element in the order of VTK, as indices into that of Gmsh.
std::span<const int> vtk_order(ElementKind kind);
int vtk_type(ElementKind kind);

}  // namespace saltus
