// Writes MSH 4.1, text. Elements of one kind in the same sets form a block on an entity of their
// own; so do faces, and nodes of node sets that belong to no element or face of the set.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <fstream>
#include <set>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/mesh/gmsh.h"
#include "saltus/mesh/gmsh_internal.h"

namespace saltus {
namespace {

struct Entity {
  int dimension = 0, type = 0;
  std::vector<int> physical;
  std::vector<std::vector<int>> elements;  // nodes of each
};

class Writer {
 public:
  explicit Writer(const Mesh& mesh) : mesh_(mesh) {
    for (const ElementBlock& block : mesh.blocks)
      dimension_ = std::max(dimension_, info(block.kind).dimension);
  }

  std::string text() {
    put_elements();
    put_faces();
    put_nodes();
    std::string out = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
    names(out);
    entities(out);
    nodes(out);
    elements(out);
    return out;
  }

 private:
  int physical(int dimension, const std::string& name) {
    if (name.find_first_of("\"\n\r") != name.npos)
      expects(false, fmt::format("gmsh: the name '{}' cannot be written", name));
    const auto [at, fresh] = numbers_.try_emplace({dimension, name}, 0);
    if (fresh) at->second = static_cast<int>(numbers_.size());
    return at->second;
  }

  void put(int dimension, int type, const std::vector<int>& groups, std::vector<int> nodes) {
    Entity& entity = entities_[{dimension, type, groups}];
    entity.dimension = dimension;
    entity.type = type;
    entity.physical = groups;
    entity.elements.push_back(std::move(nodes));
  }

  void put_elements() {
    std::vector<std::vector<int>> groups(index(mesh_.elements()));
    for (const auto& [name, set] : mesh_.element_sets)
      for (int e : set) {
        auto& list = groups[index(e)];
        const int number = physical(info(mesh_.kind(e)).dimension, name);
        if (std::ranges::find(list, number) == list.end()) list.push_back(number);
      }
    int e = 0;
    for (const ElementBlock& block : mesh_.blocks)
      for (int k = 0; k < block.elements(); ++k, ++e) {
        const ElementInfo& kind = info(block.kind);
        const auto node = block.element(k);
        if (kind.dimension < dimension_ &&
            groups[index(e)].empty())  // otherwise the reader would skip it
          groups[index(e)] = {physical(1, "bars")};
        put(kind.dimension, kind.gmsh, groups[index(e)], {node.begin(), node.end()});
      }
  }

  void put_faces() {
    std::map<std::pair<int, int>, std::vector<int>> groups;
    for (const auto& [name, set] : mesh_.face_sets)
      for (const MeshFace& f : set) {
        auto& list = groups[{f.element, f.face}];
        const int number = physical(dimension_ - 1, name);
        if (std::ranges::find(list, number) == list.end()) list.push_back(number);
      }
    for (const auto& [face, list] : groups) {
      const ElementKind kind = faces(mesh_.kind(face.first))[index(face.second)].kind;
      put(dimension_ - 1, info(kind).gmsh, list, mesh_.face_nodes({face.first, face.second}));
    }
  }

  void put_nodes() {
    std::map<int, std::vector<int>> groups;
    for (const auto& [name, set] : mesh_.node_sets) {
      std::set<int> known;
      if (const auto at = mesh_.element_sets.find(name); at != mesh_.element_sets.end())
        for (int e : at->second) known.insert(mesh_.element(e).begin(), mesh_.element(e).end());
      if (const auto at = mesh_.face_sets.find(name); at != mesh_.face_sets.end()) {
        const std::vector<int> on = nodes_of(mesh_, at->second);
        known.insert(on.begin(), on.end());
      }
      const std::set<int> own(set.begin(), set.end());
      if (own.empty()) physical(0, name);
      for (int a : own)
        if (!known.contains(a)) groups[a].push_back(physical(0, name));
    }
    for (const auto& [node, list] : groups) put(0, gmsh::kPoint, list, {node});
  }

  void names(std::string& out) const {
    if (numbers_.empty()) return;
    out += fmt::format("$PhysicalNames\n{}\n", numbers_.size());
    for (const auto& [key, number] : numbers_)
      out += fmt::format("{} {} \"{}\"\n", key.first, number, key.second);
    out += "$EndPhysicalNames\n";
  }

  void entities(std::string& out) const {
    std::array<int, 4> count{};
    for (const auto& [key, entity] : entities_)
      count[index(entity.dimension)] +=
          entity.dimension == 0 ? static_cast<int>(entity.elements.size()) : 1;
    out += fmt::format("$Entities\n{} {} {} {}\n", count[0], count[1], count[2], count[3]);
    std::array<int, 4> tag{};
    for (const auto& [key, entity] : entities_) {
      const std::string groups =
          fmt::format("{} {}", entity.physical.size(), fmt::join(entity.physical, " "));
      if (entity.dimension == 0) {  // a point has one node
        for (const auto& element : entity.elements) {
          const Vector3 X = mesh_.nodes.col(element[0]);
          out += fmt::format("{} {} {} {} {}\n", ++tag[0], X[0], X[1], X[2], groups);
        }
        continue;
      }
      Eigen::AlignedBox3d box;
      for (const auto& element : entity.elements)
        for (int a : element) box.extend(Vector3(mesh_.nodes.col(a)));
      out +=
          fmt::format("{} {} {} {} {} {} {} {} 0\n", ++tag[index(entity.dimension)], box.min()[0],
                      box.min()[1], box.min()[2], box.max()[0], box.max()[1], box.max()[2], groups);
    }
    out += "$EndEntities\n";
  }

  // All nodes belong to the first entity of the highest dimension.
  void nodes(std::string& out) const {
    const auto count = mesh_.nodes.cols();
    out += fmt::format("$Nodes\n1 {} 1 {}\n{} 1 0 {}\n", count, count, dimension_, count);
    for (Eigen::Index i = 0; i < count; ++i) out += fmt::format("{}\n", i + 1);
    for (Eigen::Index i = 0; i < count; ++i)
      out += fmt::format("{} {} {}\n", mesh_.nodes(0, i), mesh_.nodes(1, i), mesh_.nodes(2, i));
    out += "$EndNodes\n";
  }

  void elements(std::string& out) const {
    std::size_t count = 0, blocks = 0;
    for (const auto& [key, entity] : entities_) {
      count += entity.elements.size();
      blocks += entity.dimension == 0 ? entity.elements.size() : 1;
    }
    out += fmt::format("$Elements\n{} {} 1 {}\n", blocks, count, count);
    std::array<int, 4> tag{};
    std::size_t number = 0;
    for (const auto& [key, entity] : entities_) {
      const auto head = [&](const Entity& on, std::size_t inside) {
        out +=
            fmt::format("{} {} {} {}\n", on.dimension, ++tag[index(on.dimension)], on.type, inside);
      };
      if (entity.dimension > 0) head(entity, entity.elements.size());
      for (const auto& element : entity.elements) {
        if (entity.dimension == 0) head(entity, 1);
        out += std::to_string(++number);
        for (int a : element) out += fmt::format(" {}", a + 1);
        out += '\n';
      }
    }
    out += "$EndElements\n";
  }

  const Mesh& mesh_;
  int dimension_ = 0;
  std::map<std::pair<int, std::string>, int> numbers_;
  std::map<std::tuple<int, int, std::vector<int>>, Entity> entities_;
};

}  // namespace

std::string gmsh_text(const Mesh& mesh) {
  check(mesh);
  return Writer(mesh).text();
}

void write_gmsh(const Mesh& mesh, const std::filesystem::path& file) {
  const std::string text = gmsh_text(mesh);
  std::ofstream out(file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!out.flush()) throw SceneError("", "cannot be written", "").at(file.string(), 0, 0);
}

}  // namespace saltus
