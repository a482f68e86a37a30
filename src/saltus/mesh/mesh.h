// Finite element meshes: nodes, blocks of elements, named groups; checks and simple shapes.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "saltus/mesh/element.h"

namespace saltus {

/// Elements of one kind and one material.
struct ElementBlock {
  ElementKind kind = ElementKind::tet4;
  int material = 0;
  std::vector<int> nodes;  ///< info(kind).nodes per element, in the order of Gmsh

  int elements() const { return static_cast<int>(nodes.size()) / info(kind).nodes; }
  std::span<const int> element(int e) const {
    const auto n = static_cast<std::size_t>(info(kind).nodes);
    return std::span(nodes).subspan(static_cast<std::size_t>(e) * n, n);
  }
};

/// A face of an element; elements are numbered through all blocks.
struct MeshFace {
  int element = 0, face = 0;
  bool operator==(const MeshFace&) const = default;
};

struct Mesh {
  /// 1: along x, 2: in the plane of x and y, 3. Bars may be in any dimension, plane elements only
  /// in 2.
  int dimension = 3;
  Eigen::Matrix3Xd nodes;  ///< [m]
  std::vector<ElementBlock> blocks;
  std::map<std::string, std::vector<int>> node_sets, element_sets;
  std::map<std::string, std::vector<MeshFace>> face_sets;

  int elements() const;
  struct Place {
    int block, element;  ///< element within the block
  };
  Place place(int element) const;  ///< UsageError if it does not exist
  ElementKind kind(int element) const {
    return blocks[static_cast<std::size_t>(place(element).block)].kind;
  }
  std::span<const int> element(int element) const;
  std::vector<int> face_nodes(const MeshFace& face) const;
};

/// det of dX/dxi [m^d], d the dimension of the element: length of the tangent of a bar, signed area
/// of a plane element.
double jacobian(const Mesh& mesh, int element, const Vector3& xi);
/// The smallest jacobian at quadrature points and corners. For bars it is |dX/dxi|.
double least_jacobian(const Mesh& mesh, int element);
/// "inverted: its smallest Jacobian is -0.5, which must be > 0" or "degenerate: ...", relative to
/// the size of the element; empty: neither.
std::string shape_fault(const Mesh& mesh, int element);
/// Length, area or volume [m^d].
double measure(const Mesh& mesh, int element);

/// Throws UsageError if there are no elements, elements or groups refer to nodes that do not exist,
/// a kind does not fit the dimension, nodes lie off the plane or line, coordinates are not finite,
/// an element is inverted or degenerate (the message names it and its smallest Jacobian), or no
/// element uses a node.
void check(const Mesh& mesh);
/// Index of the connected part of each node, from 0 in the order of nodes; -1 if no element uses
/// it.
std::vector<int> parts_of(const Mesh& mesh);
/// Faces of one element only, sorted by element and face.
std::vector<MeshFace> boundary(const Mesh& mesh);
/// Nodes of faces, increasing.
std::vector<int> nodes_of(const Mesh& mesh, std::span<const MeshFace> faces);

// -- shapes. All name the sides "x0", "x1", "y0", ... as node sets, and as face sets where elements
// have faces.
/// A box from `origin` to origin + size with cells[k] cells along axis k; axes beyond the dimension
/// of the kind are 0. A cell is a brick, 6 tetrahedra, 2 wedges, 6 pyramids; a quadrilateral, 2
/// triangles; a bar.
struct BoxMesh {
  ElementKind kind = ElementKind::hex8;
  std::array<int, 3> cells{1, 1, 1};
  Vector3 size = Vector3::Ones(), origin = Vector3::Zero();
};
Mesh box_mesh(const BoxMesh& box);

/// A cylinder of three-dimensional elements around the z axis from z = 0 to `height`, with side
/// "side" and ends "z0", "z1": a square core of 2 `cells` x 2 `cells` within 4 blocks of `rings`
/// cells.
struct CylinderMesh {
  ElementKind kind = ElementKind::hex8;
  double radius = 1.0, height = 1.0;  ///< [m]
  int cells = 2, rings = 2, layers = 2;
};
Mesh cylinder_mesh(const CylinderMesh& cylinder);

/// A segment of a ring in the plane of x and y about the origin, symmetric about the y axis with
/// the crown up, from z = 0 to `width`. Sides "inner", "outer", "left", "right", "z0", "z1"; for
/// triangles and quadrilaterals only the first four. Edges along the circles are straight;
/// quadratic elements have their mid-edge nodes on the circle.
struct ArchMesh {
  ElementKind kind = ElementKind::hex8;
  double inner = 0.9, outer = 1.1;          ///< radii [m]
  double angle = 3.0;                       ///< of the segment [rad], in (0, 2 pi)
  double width = 0.2;                       ///< of three-dimensional elements [m]
  int around = 20, across = 2, layers = 2;  ///< cells along the circle, the radius, z
};
Mesh arch_mesh(const ArchMesh& arch);

/// A ball about the origin, or its half below z = 0: a cubic core with 2 `cells` along each axis
/// within 6 blocks of `rings` cells; the core of the half has `cells` cells in z. Side "sphere"
/// and, for the half, "flat" (z = 0). With grading > 1 cells become smaller towards the poles at
/// z = -radius, radius: grading is the ratio of the largest to the smallest cell along x and y, and
/// of the rings along the radius. All three-dimensional kinds except wedge6.
struct BallMesh {
  ElementKind kind = ElementKind::hex8;
  double radius = 1.0;  ///< [m]
  bool half = false;
  int cells = 2, rings = 2;
  double grading = 1.0;  ///< >= 1
};
Mesh ball_mesh(const BallMesh& ball);

/// A mesh with nodes moved to x = map(X), for curved shapes and distorted meshes.
template <class Map>
Mesh moved(Mesh mesh, const Map& map) {
  for (Eigen::Index i = 0; i < mesh.nodes.cols(); ++i) {
    const Vector3 X = mesh.nodes.col(i);
    mesh.nodes.col(i) = map(X);
  }
  return mesh;
}

}  // namespace saltus
