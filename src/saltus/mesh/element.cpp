// Shape functions and their gradients.
//
//     simplex        L_0 = 1 - sum xi_k, L_k = xi_k;
//                    with middle nodes: corners L (2 L - 1), edges 4 L_i L_j
//     brick          prod (1 + c_k xi_k)/2, c the corner
//     serendipity    corner: prod (1 + c_k xi_k)/2 (sum c_k xi_k - (d - 1)),
//                    middle: the factor of the axis with c_k = 0 is 1 - xi_k^2
//     wedge          triangle times line
//     pyramid        (1 - z)(1 + c_1 r)(1 + c_2 s)/4 and z, with (x, y, z) = xi,
//                    r = x/(1 - z), s = y/(1 - z): gradients are polynomials in r and s only
#include "saltus/mesh/element.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

enum class Family { simplex, brick, wedge, pyramid };

constexpr std::array<ElementInfo, kElementKinds> kInfo{
    {{ElementKind::bar2, "bar2", 1, 2, 2, 1, 2.0},
     {ElementKind::bar3, "bar3", 1, 3, 2, 8, 2.0},
     {ElementKind::tri3, "tri3", 2, 3, 3, 2, 0.5},
     {ElementKind::tri6, "tri6", 2, 6, 3, 9, 0.5},
     {ElementKind::quad4, "quad4", 2, 4, 4, 3, 4.0},
     {ElementKind::quad8, "quad8", 2, 8, 4, 16, 4.0},
     {ElementKind::tet4, "tet4", 3, 4, 4, 4, 1.0 / 6.0},
     {ElementKind::tet10, "tet10", 3, 10, 4, 11, 1.0 / 6.0},
     {ElementKind::hex8, "hex8", 3, 8, 8, 5, 8.0},
     {ElementKind::hex20, "hex20", 3, 20, 8, 17, 8.0},
     {ElementKind::wedge6, "wedge6", 3, 6, 6, 6, 1.0},
     {ElementKind::pyramid5, "pyramid5", 3, 5, 5, 7, 4.0 / 3.0}}};

Family family(ElementKind kind) {
  switch (kind) {
    case ElementKind::tri3:
    case ElementKind::tri6:
    case ElementKind::tet4:
    case ElementKind::tet10:
      return Family::simplex;
    case ElementKind::wedge6:
      return Family::wedge;
    case ElementKind::pyramid5:
      return Family::pyramid;
    default:
      return Family::brick;
  }
}

using Edge = std::array<int, 2>;
constexpr std::array<Edge, 1> kLineEdges{{{0, 1}}};
constexpr std::array<Edge, 3> kTriEdges{{{0, 1}, {1, 2}, {2, 0}}};
constexpr std::array<Edge, 4> kQuadEdges{{{0, 1}, {1, 2}, {2, 3}, {3, 0}}};
constexpr std::array<Edge, 6> kTetEdges{{{0, 1}, {1, 2}, {2, 0}, {3, 0}, {2, 3}, {3, 1}}};
constexpr std::array<Edge, 12> kHexEdges{{{0, 1},
                                          {0, 3},
                                          {0, 4},
                                          {1, 2},
                                          {1, 5},
                                          {2, 3},
                                          {2, 6},
                                          {3, 7},
                                          {4, 5},
                                          {4, 7},
                                          {5, 6},
                                          {6, 7}}};

std::span<const Edge> edges(ElementKind linear) {
  switch (linear) {
    case ElementKind::bar2:
      return kLineEdges;
    case ElementKind::tri3:
      return kTriEdges;
    case ElementKind::quad4:
      return kQuadEdges;
    case ElementKind::tet4:
      return kTetEdges;
    case ElementKind::hex8:
      return kHexEdges;
    default:
      return {};
  }
}

std::vector<Vector3> corners(ElementKind linear) {
  switch (linear) {
    case ElementKind::bar2:
      return {{-1, 0, 0}, {1, 0, 0}};
    case ElementKind::tri3:
      return {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    case ElementKind::quad4:
      return {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    case ElementKind::tet4:
      return {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    case ElementKind::hex8:
      return {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
              {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    case ElementKind::wedge6:
      return {{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    default:
      return {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 1}};
  }
}

// Corners of the faces of three- and two-dimensional kinds, counterclockwise as seen from outside.
std::vector<std::vector<int>> face_corners(ElementKind linear) {
  switch (linear) {
    case ElementKind::tri3:
      return {{0, 1}, {1, 2}, {2, 0}};
    case ElementKind::quad4:
      return {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
    case ElementKind::tet4:
      return {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    case ElementKind::hex8:
      return {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    case ElementKind::wedge6:
      return {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
    case ElementKind::pyramid5:
      return {{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
    default:
      return {};
  }
}

struct Tables {
  std::vector<Vector3> nodes;
  std::vector<ElementFace> faces;

  explicit Tables(ElementKind kind) {
    const ElementKind linear = linear_kind(kind);
    const bool quadratic = info(kind).quadratic();
    nodes = corners(linear);
    if (quadratic)
      for (const Edge& e : edges(linear))
        nodes.push_back(0.5 * (nodes[index(e[0])] + nodes[index(e[1])]));
    const auto middle = [&](int a, int b) {
      int at = info(kind).corners;
      for (const Edge& e : edges(linear)) {
        if ((e[0] == a && e[1] == b) || (e[0] == b && e[1] == a)) return at;
        ++at;
      }
      return -1;
    };
    for (const std::vector<int>& corner : face_corners(linear)) {
      const std::size_t n = corner.size();
      constexpr std::array kLinear{ElementKind::bar2, ElementKind::tri3, ElementKind::quad4};
      ElementFace face{kLinear[n - 2], {}};
      std::copy(corner.begin(), corner.end(), face.node.begin());
      if (quadratic) {
        face.kind = *quadratic_kind(face.kind);
        const std::size_t sides = n == 2 ? 1 : n;
        for (std::size_t k = 0; k < sides; ++k)
          face.node[n + k] = middle(corner[k], corner[(k + 1) % n]);
      }
      faces.push_back(face);
    }
  }
};

const Tables& tables(ElementKind kind) {
  static const std::vector<Tables> kTables = [] {
    std::vector<Tables> all;
    for (const ElementInfo& i : kInfo) all.emplace_back(i.kind);
    return all;
  }();
  return kTables[static_cast<std::size_t>(kind)];
}

// Factor of one axis in a product, and its derivative.
struct AxisFactor {
  double value, slope;
  AxisFactor(double c, double x)
      : value(c == 0.0 ? 1.0 - x * x : 0.5 * (1.0 + c * x)), slope(c == 0.0 ? -2.0 * x : 0.5 * c) {}
};

struct Barycentric {
  std::array<double, 4> L{};
  std::array<Vector3, 4> slope;
  Barycentric(int d, const Vector3& xi) {
    L[0] = 1.0;
    slope[0].setZero();
    for (int k = 0; k < d; ++k) {
      L[0] -= xi[k];
      L[index(k + 1)] = xi[k];
      slope[0][k] = -1.0;
      slope[index(k + 1)] = Vector3::Unit(k);
    }
  }
};

// r and s of a pyramid; 0 at the apex
Eigen::Vector2d spread(const Vector3& xi) {
  const double below = 1.0 - xi.z();
  return std::abs(below) < 1e-14 ? Eigen::Vector2d::Zero() : Eigen::Vector2d(xi.head<2>() / below);
}

}  // namespace

const ElementInfo& info(ElementKind kind) { return kInfo[static_cast<std::size_t>(kind)]; }
std::span<const ElementInfo> element_kinds() { return kInfo; }

std::optional<ElementKind> element_of_gmsh(int type) {
  for (const ElementInfo& i : kInfo)
    if (i.gmsh == type) return i.kind;
  return {};
}

ElementKind linear_kind(ElementKind kind) {
  switch (kind) {
    case ElementKind::bar3:
      return ElementKind::bar2;
    case ElementKind::tri6:
      return ElementKind::tri3;
    case ElementKind::quad8:
      return ElementKind::quad4;
    case ElementKind::tet10:
      return ElementKind::tet4;
    case ElementKind::hex20:
      return ElementKind::hex8;
    default:
      return kind;
  }
}

std::optional<ElementKind> quadratic_kind(ElementKind kind) {
  for (const ElementInfo& i : kInfo)
    if (i.quadratic() && linear_kind(i.kind) == linear_kind(kind)) return i.kind;
  return {};
}

std::span<const Edge> middle_nodes(ElementKind kind) {
  return info(kind).quadratic() ? edges(linear_kind(kind)) : std::span<const Edge>{};
}

std::span<const Vector3> natural_nodes(ElementKind kind) { return tables(kind).nodes; }
std::span<const ElementFace> faces(ElementKind kind) { return tables(kind).faces; }

ShapeValues shape_values(ElementKind kind, const Vector3& xi) {
  const ElementInfo& e = info(kind);
  ShapeValues N(e.nodes);
  const std::span<const Vector3> node = natural_nodes(kind);
  switch (family(kind)) {
    case Family::simplex: {
      const Barycentric b(e.dimension, xi);
      for (int a = 0; a < e.corners; ++a) {
        const double L = b.L[index(a)];
        N[a] = e.quadratic() ? L * (2.0 * L - 1.0) : L;
      }
      int a = e.corners;
      for (const Edge& edge : middle_nodes(kind))
        N[a++] = 4.0 * b.L[index(edge[0])] * b.L[index(edge[1])];
      break;
    }
    case Family::brick:
      for (int a = 0; a < e.nodes; ++a) {
        const Vector3& c = node[index(a)];
        double product = 1.0, sum = 1.0 - e.dimension;
        for (int k = 0; k < e.dimension; ++k) {
          product *= AxisFactor(c[k], xi[k]).value;
          sum += c[k] * xi[k];
        }
        N[a] = e.quadratic() && a < e.corners ? product * sum : product;
      }
      break;
    case Family::wedge: {
      const Barycentric b(2, xi);
      for (int a = 0; a < 6; ++a)
        N[a] = b.L[index(a % 3)] * AxisFactor(a < 3 ? -1.0 : 1.0, xi[2]).value;
      break;
    }
    case Family::pyramid: {
      const Eigen::Vector2d r = spread(xi);
      for (int a = 0; a < 4; ++a) {
        const Vector3& c = node[index(a)];
        N[a] = 0.25 * (1.0 - xi.z()) * (1.0 + c[0] * r[0]) * (1.0 + c[1] * r[1]);
      }
      N[4] = xi.z();
      break;
    }
  }
  return N;
}

ShapeGradients shape_gradients(ElementKind kind, const Vector3& xi) {
  const ElementInfo& e = info(kind);
  ShapeGradients D(3, e.nodes);
  D.setZero();
  const std::span<const Vector3> node = natural_nodes(kind);
  switch (family(kind)) {
    case Family::simplex: {
      const Barycentric b(e.dimension, xi);
      for (int a = 0; a < e.corners; ++a)
        D.col(a) = (e.quadratic() ? 4.0 * b.L[index(a)] - 1.0 : 1.0) * b.slope[index(a)];
      int a = e.corners;
      for (const Edge& edge : middle_nodes(kind)) {
        const std::size_t i = index(edge[0]), j = index(edge[1]);
        D.col(a++) = 4.0 * (b.L[i] * b.slope[j] + b.L[j] * b.slope[i]);
      }
      break;
    }
    case Family::brick:
      for (int a = 0; a < e.nodes; ++a) {
        const Vector3& c = node[index(a)];
        const bool corner = e.quadratic() && a < e.corners;
        double product = 1.0, sum = 1.0 - e.dimension;
        for (int k = 0; k < e.dimension; ++k) {
          product *= AxisFactor(c[k], xi[k]).value;
          sum += c[k] * xi[k];
        }
        for (int k = 0; k < e.dimension; ++k) {
          double slope = AxisFactor(c[k], xi[k]).slope;
          for (int j = 0; j < e.dimension; ++j)
            if (j != k) slope *= AxisFactor(c[j], xi[j]).value;
          D(k, a) = corner ? slope * sum + product * c[k] : slope;
        }
      }
      break;
    case Family::wedge: {
      const Barycentric b(2, xi);
      for (int a = 0; a < 6; ++a) {
        const AxisFactor along(a < 3 ? -1.0 : 1.0, xi[2]);
        D.col(a) = along.value * b.slope[index(a % 3)] +
                   Vector3(0.0, 0.0, along.slope * b.L[index(a % 3)]);
      }
      break;
    }
    case Family::pyramid: {
      const Eigen::Vector2d r = spread(xi);
      for (int a = 0; a < 4; ++a) {
        const Vector3& c = node[index(a)];
        D.col(a) = 0.25 * Vector3(c[0] * (1.0 + c[1] * r[1]), c[1] * (1.0 + c[0] * r[0]),
                                  c[0] * c[1] * r[0] * r[1] - 1.0);
      }
      D.col(4) = Vector3::UnitZ();
      break;
    }
  }
  return D;
}

bool inside(ElementKind kind, const Vector3& xi, double margin) {
  const int d = info(kind).dimension;
  const auto within = [&](double x) { return std::abs(x) <= 1.0 + margin; };
  switch (family(kind)) {
    case Family::simplex: {
      const Barycentric b(d, xi);
      return std::all_of(b.L.begin(), b.L.begin() + d + 1, [&](double L) { return L >= -margin; });
    }
    case Family::brick:
      return std::all_of(xi.data(), xi.data() + d, within);
    case Family::wedge: {
      const Barycentric b(2, xi);
      return within(xi[2]) &&
             std::all_of(b.L.begin(), b.L.begin() + 3, [&](double L) { return L >= -margin; });
    }
    default:
      return xi.z() >= -margin && xi.z() <= 1.0 + margin &&
             std::abs(xi.x()) <= 1.0 - xi.z() + margin && std::abs(xi.y()) <= 1.0 - xi.z() + margin;
  }
}

}  // namespace saltus
