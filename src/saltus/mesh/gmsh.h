// Gmsh meshes: MSH files 4.1 and 2.2, text and binary, with their physical groups
// (docs/reference/mesh_files.md).
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "saltus/mesh/mesh.h"

namespace saltus {

/// Reads the body that the elements of the highest dimension d in the file fill; coordinates are in
/// [m].
///
/// Elements. All elements of dimension d, and lines that are not an edge of one of these: bars.
/// Others must be faces (surfaces of solids, lines of plane elements), edges or points of elements,
/// and only define groups. A copy of an element in another physical group (MSH 2.2) counts as that
/// element. Plane elements that face -z are reversed.
/// Dimension. 3 for solids; 2 for plane elements, which must lie in z = const (the plane becomes
/// z = 0); for bars only: 1 if y and z are constant, 2 if z is, else 3.
/// Numbers. Nodes that elements use, in the order of their tags; others are dropped. Blocks are
/// sorted by kind, then by physical groups, so that all elements of a block belong to the same
/// groups; within a block elements are sorted by tag. Materials are 0.
/// Groups. Sets have the name of the group; without one, "point 7", "curve 7", "surface 7",
/// "volume 7" by dimension and number. Groups with the same name are merged. node_sets: nodes of
/// all elements of each group. element_sets: its elements of the body, if there are any. face_sets:
/// for groups of dimension d - 1, the faces that coincide with its elements; inside the body, those
/// of the element with the lower number. A name without elements has an empty node set.
///
/// Throws SceneError at `path`, with the line of a text file or the byte of a binary one, for an
/// unsupported version, byte order or type of element, partitions, a truncated file, words that are
/// not numbers, a tag that occurs twice or has no node, an element that occurs twice in one group,
/// an inverted or degenerate element, a face without its solid, shells, a physical group with a
/// node that no element uses, or a name in `bars` that no group of lines has.
///
/// bars: names of groups whose lines are bars even along edges of other elements, such as
/// reinforcement.
Mesh read_gmsh(const std::filesystem::path& file, const std::string& path = "",
               std::span<const std::string> bars = {});
/// The same for the bytes of a file called `name`.
Mesh read_gmsh_bytes(std::string_view bytes, const std::string& name, const std::string& path = "",
                     std::span<const std::string> bars = {});

/// Writes MSH 4.1, text. Each set becomes a physical group with its name: element sets, face sets
/// (surfaces, lines) and, as points, node sets that are not the nodes of those. Coordinates are
/// preserved bit for bit, and so is the mesh in read_gmsh(write_gmsh(mesh)), up to the order of
/// blocks and elements. Throws UsageError for faults that check(mesh) finds, SceneError if the file
/// cannot be written.
void write_gmsh(const Mesh& mesh, const std::filesystem::path& file);
std::string gmsh_text(const Mesh& mesh);

}  // namespace saltus
