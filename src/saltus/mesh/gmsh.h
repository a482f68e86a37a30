// Meshes of Gmsh: files MSH 4.1 and 2.2, text and binary, with their physical groups
// (docs/reference/mesh_files.md).
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "saltus/mesh/mesh.h"

namespace saltus {

/// What the elements of the highest dimension d of the file fill; its coordinates are [m].
///
/// Elements. All of dimension d, and lines that are no edge of one of these: bars. Others must be
/// faces (surfaces of solids, lines of plane elements), edges or points of elements, and only make
/// groups. A copy of an element in another physical group (MSH 2.2) is that element. Plane elements
/// that look down, to -z, are turned over.
/// Dimension. That of space or of the plane where plane elements lie in z = const (the plane
/// becomes z = 0); bars alone: 1 where y and z are constant, 2 where z is, else 3.
/// Numbers. Nodes that elements use, in the order of their tags; others are dropped. Blocks by
/// kind, then by physical groups, so that the elements of a block are in the same ones; within a
/// block by tags. Materials are 0.
/// Groups. By name; without one "point 7", "curve 7", "surface 7", "volume 7" by dimension and
/// number. Groups of one name are joined. node_sets: nodes of all elements of each group.
/// element_sets: its elements, where it has any. face_sets: groups of dimension d - 1, the faces
/// under its elements, within the body those of the element of the lower number. A name without
/// elements has an empty node set.
///
/// Throws SceneError at `path`, with the line of a text file or the byte of a binary one: a
/// version, a byte order or a type of element that is not read, partitions, a file that ends too
/// early, words that are no numbers, a tag twice or of no node, an element twice in one group,
/// inverted or degenerate, a face without its solid, shells, a physical group with a node that no
/// element uses, a name in `bars` that no group of lines has.
///
/// bars: names of groups whose lines are bars along edges of other elements too, as reinforcement
/// is.
Mesh read_gmsh(const std::filesystem::path& file, const std::string& path = "",
               std::span<const std::string> bars = {});
/// The same from the bytes of a file called `name`.
Mesh read_gmsh_bytes(std::string_view bytes, const std::string& name, const std::string& path = "",
                     std::span<const std::string> bars = {});

/// MSH 4.1, text. Each set becomes a physical group of its name: element sets, face sets (surfaces,
/// lines), and node sets that are not the nodes of those as points. Coordinates come back to the
/// bit, and so does read_gmsh(write_gmsh(mesh)), up to the order of blocks and elements. Throws
/// UsageError for what check(mesh) finds, SceneError where the file cannot be written.
void write_gmsh(const Mesh& mesh, const std::filesystem::path& file);
std::string gmsh_text(const Mesh& mesh);

}  // namespace saltus
