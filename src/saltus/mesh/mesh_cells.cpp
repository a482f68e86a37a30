// Cuts bricks into the requested kind, adds mid-edge nodes and names sides.
#include <algorithm>
#include <map>

#include "saltus/base/index_internal.h"

#include "saltus/mesh/mesh_cells_internal.h"

namespace saltus::cells {
namespace {

// Corners of the parts of a split cell; pyramids (base first) meet at the centre, node 8.
std::vector<Cell> split(ElementKind linear) {
  switch (linear) {
    case ElementKind::tri3:
      return {{0, 1, 2}, {0, 2, 3}};
    case ElementKind::tet4:
    case ElementKind::wedge6:
      return {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}};
    case ElementKind::pyramid5:
      return {{0, 1, 2, 3, 8}, {4, 7, 6, 5, 8}, {0, 4, 5, 1, 8},
              {1, 5, 6, 2, 8}, {2, 6, 7, 3, 8}, {3, 7, 4, 0, 8}};
    case ElementKind::hex8:
      return {{0, 1, 2, 3, 4, 5, 6, 7}};
    case ElementKind::quad4:
      return {{0, 1, 2, 3}};
    default:
      return {{0, 1}};
  }
}

// Splits a wedge into three tetrahedra, cutting each of its quadrilaterals from the corner with the
// lowest number, so that neighbours agree (J. Dompierre et al. 1999).
std::vector<Cell> tetrahedra(const Cell& wedge) {
  static constexpr int kTurn[6][6] = {{0, 1, 2, 3, 4, 5}, {1, 2, 0, 4, 5, 3}, {2, 0, 1, 5, 3, 4},
                                      {3, 5, 4, 0, 2, 1}, {4, 3, 5, 1, 0, 2}, {5, 4, 3, 2, 1, 0}};
  const auto first = std::ranges::min_element(wedge) - wedge.begin();
  Cell w;
  for (int k : kTurn[first]) w.push_back(wedge[index(k)]);
  if (std::min(w[1], w[5]) < std::min(w[2], w[4]))
    return {{w[0], w[1], w[2], w[5]}, {w[0], w[1], w[5], w[4]}, {w[0], w[4], w[5], w[3]}};
  return {{w[0], w[1], w[2], w[4]}, {w[0], w[4], w[2], w[5]}, {w[0], w[4], w[5], w[3]}};
}

}  // namespace

Mesh elements_of(Cells cells, ElementKind kind) {
  const ElementKind linear = linear_kind(kind);
  Mesh mesh;
  mesh.dimension = cells.dimension;
  ElementBlock block{kind, 0, {}};
  std::map<std::pair<int, int>, int> middle;
  const std::vector<Cell> parts = split(linear);
  for (Cell cell : cells.cells) {
    if (linear == ElementKind::pyramid5) {
      Vector3 centre = Vector3::Zero();
      for (int a : cell) centre += cells.nodes[index(a)] / 8.0;
      cell.push_back(static_cast<int>(cells.nodes.size()));
      cells.nodes.push_back(centre);
    }
    for (const Cell& part : parts) {
      Cell corner;
      for (int a : part) corner.push_back(cell[index(a)]);
      for (Cell node :
           linear == ElementKind::tet4 ? tetrahedra(corner) : std::vector<Cell>{corner}) {
        for (const auto& [a, b] : middle_nodes(kind)) {
          const std::pair<int, int> ends = std::minmax(node[index(a)], node[index(b)]);
          const auto [at, fresh] = middle.try_emplace(ends, static_cast<int>(cells.nodes.size()));
          if (fresh)
            cells.nodes.push_back(
                0.5 * (cells.nodes[index(ends.first)] + cells.nodes[index(ends.second)]));
          node.push_back(at->second);
        }
        block.nodes.insert(block.nodes.end(), node.begin(), node.end());
      }
    }
  }
  mesh.blocks.push_back(std::move(block));
  mesh.nodes.resize(3, static_cast<Eigen::Index>(cells.nodes.size()));
  for (std::size_t i = 0; i < cells.nodes.size(); ++i)
    mesh.nodes.col(static_cast<Eigen::Index>(i)) = cells.nodes[i];
  return mesh;
}

void place_middles(Mesh& mesh, const std::function<Vector3(int, int)>& place) {
  for (const ElementBlock& block : mesh.blocks) {
    const int corners = info(block.kind).corners;
    for (int e = 0; e < block.elements(); ++e) {
      const auto node = block.element(e);
      int at = corners;
      for (const auto& [a, b] : middle_nodes(block.kind)) {
        const auto [first, last] = std::minmax(node[index(a)], node[index(b)]);
        mesh.nodes.col(node[index(at++)]) = place(first, last);
      }
    }
  }
}

// Nodes that satisfy the condition, and faces of the boundary all of whose nodes do.
void name_side(Mesh& mesh, const std::vector<MeshFace>& outside, const std::string& name,
               const std::function<bool(const Vector3&)>& on) {
  std::vector<int>& nodes = mesh.node_sets[name];
  for (int i = 0; i < static_cast<int>(mesh.nodes.cols()); ++i)
    if (on(mesh.nodes.col(i))) nodes.push_back(i);
  if (outside.empty()) return;
  std::vector<MeshFace>& faces = mesh.face_sets[name];
  for (const MeshFace& face : outside)
    if (std::ranges::all_of(mesh.face_nodes(face), [&](int a) { return on(mesh.nodes.col(a)); }))
      faces.push_back(face);
}

void name_faces(Mesh& mesh, const std::vector<MeshFace>& outside, const std::string& name,
                const std::function<bool(int)>& corner) {
  std::vector<MeshFace>& set = mesh.face_sets[name];
  for (const MeshFace& face : outside) {
    const std::vector<int> nodes = mesh.face_nodes(face);
    const ElementKind kind = faces(mesh.kind(face.element))[index(face.face)].kind;
    if (std::all_of(nodes.begin(), nodes.begin() + info(kind).corners, corner)) set.push_back(face);
  }
  mesh.node_sets[name] = nodes_of(mesh, set);
}

}  // namespace saltus::cells
