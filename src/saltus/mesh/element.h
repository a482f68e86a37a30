// Isoparametric elements: shape functions, quadrature rules, faces.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "saltus/base/base.h"

namespace saltus {

/// The number in a name is the number of nodes. Lines are bar elements and edges of plane elements.
enum class ElementKind {
  bar2,
  bar3,
  tri3,
  tri6,
  quad4,
  quad8,
  tet4,
  tet10,
  hex8,
  hex20,
  wedge6,
  pyramid5
};
inline constexpr int kElementKinds = 12;
inline constexpr int kMaxElementNodes = 20;
inline constexpr int kMaxFaceNodes = 8;
inline constexpr int kMaxElementPoints = 27;  ///< of a stiffness rule

/// Nodes of an element are in the order of Gmsh: corners, then the middles of edges
/// (docs/theory/fem.md, table 1). Natural coordinates xi: [-1, 1] for lines, quadrilaterals and
/// bricks; the unit simplex for triangles and tetrahedra; triangle times [-1, 1] for wedges; base
/// [-1, 1]^2 at xi_3 = 0 and apex (0, 0, 1) for pyramids.
struct ElementInfo {
  ElementKind kind;
  std::string_view name;
  int dimension;  ///< 1, 2, 3: of the natural coordinates
  int nodes, corners;
  int gmsh;       ///< number of the type in MSH files
  double volume;  ///< of the domain of xi
  bool quadratic() const { return nodes > corners; }
};
const ElementInfo& info(ElementKind kind);
std::span<const ElementInfo> element_kinds();
std::optional<ElementKind> element_of_gmsh(int type);  ///< nothing if the type is not supported

using ShapeValues = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxElementNodes, 1>;
/// Column a is dN_a/dxi; rows beyond the dimension of the element are 0.
using ShapeGradients = Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, kMaxElementNodes>;

std::span<const Vector3> natural_nodes(ElementKind kind);
/// N_a(xi), sum 1, N_a(xi_b) = delta_ab. Allocates nothing on the heap.
ShapeValues shape_values(ElementKind kind, const Vector3& xi);
/// At the apex of a pyramid gradients depend on the direction; the values there are those on its
/// axis.
ShapeGradients shape_gradients(ElementKind kind, const Vector3& xi);
/// True if xi lies in the element, or at most `margin` outside.
bool inside(ElementKind kind, const Vector3& xi, double margin = 1e-12);

struct RulePoint {
  Vector3 xi;
  double weight;
};
/// Exact for products of two gradients on affine elements. Order of points: the first coordinate
/// varies fastest.
std::span<const RulePoint> stiffness_rule(ElementKind kind);
/// Exact for N_a N_b det J on affine elements, and on straight-sided ones of all kinds but quad8
/// and hex20.
std::span<const RulePoint> mass_rule(ElementKind kind);

/// A face (an edge of a plane element; bars have none) as an element: its nodes are
/// counterclockwise as seen from outside; an edge has the outside on its right.
struct ElementFace {
  ElementKind kind;
  std::array<int, kMaxFaceNodes> node{};  ///< node numbers in the element
};
std::span<const ElementFace> faces(ElementKind kind);  ///< none for bars

/// The two corners of each mid-edge node, from node `corners` on.
std::span<const std::array<int, 2>> middle_nodes(ElementKind kind);
/// The kind with the same corners and no other nodes, and the kind with mid-edge nodes (nothing for
/// wedge6, pyramid5).
ElementKind linear_kind(ElementKind kind);
std::optional<ElementKind> quadratic_kind(ElementKind kind);

}  // namespace saltus
