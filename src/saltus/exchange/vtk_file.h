// Meshes and fields for ParaView and VTK: unstructured grids (.vtu) and series of them (.pvd), XML.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "saltus/mesh/mesh.h"

namespace saltus {

/// components x nodes (or elements) numbers, those of one node behind each other. Six components
/// are a symmetric tensor xx, yy, zz, xy, yz, zx.
struct VtkField {
  std::string name;
  int components = 1;
  std::span<const double> values;
};

/// One moment t [s] of a mesh whose nodes are at `places`, 3 a node. Numbers are 64-bit
/// little-endian, in base64. Throws SceneError, RunError as OutputFile.
void write_vtu(const std::string& path, double t, const Mesh& mesh, std::span<const double> places,
               std::span<const VtkField> on_nodes, std::span<const VtkField> on_cells = {});

/// One moment t [s] of points at `places`, 3 a point, as vertices, or of triangles between them, 3
/// points each. on_cells: of vertices or triangles. Else as write_vtu.
void write_vtp(const std::string& path, double t, std::span<const double> places,
               std::span<const std::uint32_t> triangles, std::span<const VtkField> on_points,
               std::span<const VtkField> on_cells = {});

/// The same of lines: the first of `line` points are one, those behind it the next, ...
void write_vtp_lines(const std::string& path, double t, std::span<const double> places,
                     std::span<const std::size_t> line, std::span<const VtkField> on_points,
                     std::span<const VtkField> on_cells = {});

/// A file of a series; files of one time are parts of one picture.
struct PvdEntry {
  double t = 0.0;  ///< [s]
  int part = 0;
  std::string file;  ///< from the folder of the .pvd
};
void write_pvd(const std::string& path, std::span<const PvdEntry> entries);

std::string base64(std::string_view bytes);   ///< RFC 4648
std::string xml_text(std::string_view text);  ///< of an attribute in quotes

/// Nodes of an element in the order of VTK, by their places in that of Gmsh.
std::span<const int> vtk_order(ElementKind kind);
int vtk_type(ElementKind kind);

}  // namespace saltus
