#include "saltus/view/view_surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

namespace saltus {
namespace {

/// A face (or plane element) by nodes of the mesh: corners, then mid-edge nodes.
struct SeenFace {
  ElementKind kind;
  std::vector<int> nodes;
};

std::vector<SeenFace> seen_faces(const Mesh& mesh) {
  std::vector<SeenFace> seen;
  for (const ElementBlock& block : mesh.blocks)
    if (info(block.kind).dimension == 2)
      for (int e = 0; e < block.elements(); ++e) {
        const auto node = block.element(e);
        seen.push_back({block.kind, {node.begin(), node.end()}});
      }
  for (const MeshFace& face : boundary(mesh)) {
    const ElementKind element = mesh.kind(face.element);
    if (info(element).dimension != 3) continue;
    const ElementKind kind = faces(element)[static_cast<std::size_t>(face.face)].kind;
    seen.push_back({kind, mesh.face_nodes(face)});
  }
  return seen;
}

void split_face(const SeenFace& face, std::vector<std::array<int, 3>>& out) {
  const auto add = [&](int a, int b, int c) {
    const auto node = [&](int i) { return face.nodes[static_cast<std::size_t>(i)]; };
    out.push_back({node(a), node(b), node(c)});
  };
  const int corners = info(face.kind).corners;
  if (!info(face.kind).quadratic()) {
    for (int i = 2; i < corners; ++i) add(0, i - 1, i);
    return;
  }
  // node corners + i is the middle of the edge from corner i to the next corner
  for (int i = 0; i < corners; ++i) add(i, corners + i, corners + (i + corners - 1) % corners);
  for (int i = 2; i < corners; ++i) add(corners, corners + i - 1, corners + i);
}

Vector3 normal_of_face(const Mesh& mesh, const SeenFace& face) {
  Vector3 sum = Vector3::Zero();
  const auto corners = static_cast<std::size_t>(info(face.kind).corners);
  for (std::size_t i = 0; i < corners; ++i) {
    const Vector3 a = mesh.nodes.col(face.nodes[i]),
                  b = mesh.nodes.col(face.nodes[(i + 1) % corners]);
    sum += a.cross(b);
  }
  return sum.normalized();
}

/// Pairs of nodes: edges of one face or of more than two, and sharp edges.
std::vector<std::array<int, 2>> seen_edges(const Mesh& mesh, const std::vector<SeenFace>& seen) {
  struct Edge {
    int faces = 0, middle = -1;
    Vector3 normal;
    bool sharp = false;
  };
  constexpr double kCosine = 0.8660254037844386;  // of 30 degrees
  std::map<std::array<int, 2>, Edge> edges;
  for (const SeenFace& face : seen) {
    const auto corners = static_cast<std::size_t>(info(face.kind).corners);
    const Vector3 normal = normal_of_face(mesh, face);
    for (std::size_t i = 0; i < corners; ++i) {
      const int a = face.nodes[i], b = face.nodes[(i + 1) % corners];
      Edge& edge = edges[{std::min(a, b), std::max(a, b)}];
      if (edge.faces++ == 0)
        edge.normal = normal;
      else if (edge.normal.dot(normal) < kCosine)
        edge.sharp = true;
      if (info(face.kind).quadratic()) edge.middle = face.nodes[corners + i];
    }
  }
  std::vector<std::array<int, 2>> result;
  for (const auto& [ends, edge] : edges) {
    if (edge.faces == 2 && !edge.sharp) continue;
    if (edge.middle < 0) {
      result.push_back(ends);
    } else {
      result.push_back({ends[0], edge.middle});
      result.push_back({edge.middle, ends[1]});
    }
  }
  return result;
}

std::vector<std::array<int, 2>> bars_of(const Mesh& mesh) {
  std::vector<std::array<int, 2>> bars;
  for (const ElementBlock& block : mesh.blocks) {
    if (info(block.kind).dimension != 1) continue;
    for (int e = 0; e < block.elements(); ++e) {
      const auto node = block.element(e);
      if (node.size() == 3) {
        bars.push_back({node[0], node[2]});
        bars.push_back({node[2], node[1]});
      } else {
        bars.push_back({node[0], node[1]});
      }
    }
  }
  return bars;
}

/// The nodes along the bars if these form one open chain; otherwise none.
std::vector<int> chain_of(const std::vector<std::array<int, 2>>& bars) {
  std::map<int, std::vector<int>> next;
  for (const auto& [a, b] : bars) {
    next[a].push_back(b);
    next[b].push_back(a);
  }
  int start = -1;
  for (const auto& [node, others] : next) {
    if (others.size() > 2) return {};
    if (others.size() == 1 && start < 0) start = node;
  }
  if (start < 0) return {};
  std::vector<int> chain{start};
  for (int before = -1, at = start;;) {
    const std::vector<int>& others = next[at];
    const auto on = std::ranges::find_if(others, [&](int b) { return b != before; });
    if (on == others.end()) break;
    before = at;
    chain.push_back(at = *on);
  }
  return chain.size() == next.size() ? chain : std::vector<int>();
}

}  // namespace

ViewSurface view_surface(const Mesh& mesh) {
  const std::vector<SeenFace> seen = seen_faces(mesh);
  const std::vector<std::array<int, 2>> bars = bars_of(mesh);
  ViewSurface surface;
  if (seen.empty())
    if (surface.nodes = chain_of(bars); !surface.nodes.empty()) {
      surface.chain = true;
      return surface;
    }
  std::vector<std::array<int, 3>> triangles;
  for (const SeenFace& face : seen) split_face(face, triangles);
  std::vector<std::array<int, 2>> edges = seen_edges(mesh, seen);
  edges.insert(edges.end(), bars.begin(), bars.end());

  std::vector<int> point(static_cast<std::size_t>(mesh.nodes.cols()), -1);
  const auto use = [&](const auto& list) {
    for (const auto& entry : list)
      for (int a : entry) point[static_cast<std::size_t>(a)] = 0;
  };
  use(triangles);
  use(edges);
  for (std::size_t a = 0; a < point.size(); ++a)
    if (point[a] == 0) {
      point[a] = static_cast<int>(surface.nodes.size());
      surface.nodes.push_back(static_cast<int>(a));
    }
  const auto put = [&](const auto& list, std::vector<std::uint32_t>& out) {
    for (const auto& entry : list)
      for (int a : entry)
        out.push_back(static_cast<std::uint32_t>(point[static_cast<std::size_t>(a)]));
  };
  put(triangles, surface.triangles);
  put(edges, surface.edges);
  return surface;
}

}  // namespace saltus
