// Builds a mesh from the elements of a file: finds the elements of the body, its faces and the
// groups.
#include "saltus/mesh/gmsh.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "saltus/base/index_internal.h"
#include "saltus/base/text_check.h"
#include "saltus/mesh/gmsh_internal.h"

namespace saltus {
namespace {

using gmsh::Element;
using gmsh::Tag;

// Coordinates of a plane or line agree to this fraction of the extent of the mesh.
constexpr double kFlat = 1e-9;

/// The elements of a file, each once, with their nodes by rank among the tags.
class FileElements {
 public:
  explicit FileElements(gmsh::File file) : file_(std::move(file)) {
    for (const Element& e : file_.elements) dimension_ = std::max(dimension_, type(e).dimension);
    if (file_.elements.empty()) gmsh::fail(file_.origin, 0, "contains no elements", "");
    if (dimension_ == 0)
      gmsh::fail(file_.origin, 0, "contains only points", "a mesh needs at least lines");
    find_nodes();
    check_tags();
    merge_copies();
  }

  const gmsh::File& file() const { return file_; }
  int dimension() const { return dimension_; }  // the highest one
  static gmsh::Type type(const Element& e) { return gmsh::type_of(e.type); }

  [[noreturn]] void fail(const Element& e, const std::string& what, const std::string& hint) const {
    gmsh::fail(file_.origin, e.at, fmt::format("element {} ({}) {}", e.tag, type(e).name, what),
               hint);
  }
  // Nodes of an element by their rank among the tags.
  std::span<const int> nodes(const Element& e) const {
    return std::span(rank_).subspan(e.first, index(type(e).nodes));
  }
  std::span<const Tag> groups(const Element& e) const { return file_.groups[index(e.groups)]; }
  // Name of a physical group, or "curve 7" if it has none.
  std::string name(int dimension, Tag number) const {
    static constexpr std::array kOf{"point", "curve", "surface", "volume"};
    const auto at = file_.names.find({dimension, number});
    return at != file_.names.end() ? at->second
                                   : fmt::format("{} {}", kOf[index(dimension)], number);
  }

 private:
  void find_nodes() {
    std::ranges::sort(file_.nodes, {}, [](const gmsh::Node& n) { return std::pair(n.tag, n.at); });
    for (std::size_t i = 1; i < file_.nodes.size(); ++i)
      if (file_.nodes[i].tag == file_.nodes[i - 1].tag)
        gmsh::fail(file_.origin, file_.nodes[i].at,
                   fmt::format("the node {} is defined twice", file_.nodes[i].tag), "");
    rank_.resize(file_.element_nodes.size());
    for (const Element& e : file_.elements)
      for (std::size_t k = e.first; k < e.first + index(type(e).nodes); ++k) {
        const Tag tag = file_.element_nodes[k];
        const auto at = std::ranges::lower_bound(file_.nodes, tag, {}, &gmsh::Node::tag);
        if (at == file_.nodes.end() || at->tag != tag)
          fail(e, fmt::format("has the node {}, which is not in $Nodes", tag),
               "use a tag of $Nodes");
        rank_[k] = static_cast<int>(at - file_.nodes.begin());
      }
  }

  void check_tags() {
    std::ranges::sort(file_.elements, {}, [](const Element& e) { return std::pair(e.tag, e.at); });
    for (std::size_t i = 1; i < file_.elements.size(); ++i)
      if (file_.elements[i].tag == file_.elements[i - 1].tag)
        fail(file_.elements[i], "is defined twice", "use each tag once");
  }

  // An element with the nodes of another one is that element in a further group.
  void merge_copies() {
    std::vector<std::pair<std::vector<int>, int>> all;
    for (int i = 0; i < std::ssize(file_.elements); ++i) {
      const Element& e = file_.elements[index(i)];
      std::vector<int> key(nodes(e).begin(), nodes(e).end());
      std::ranges::sort(key);
      key.push_back(e.type);
      all.emplace_back(std::move(key), i);
    }
    std::ranges::sort(all);
    std::vector<bool> gone(all.size(), false);
    for (std::size_t i = 0, j = 0; i < all.size(); i = j) {
      for (j = i + 1; j < all.size() && all[j].first == all[i].first; ++j) {
        Element& first = file_.elements[index(all[i].second)];
        const Element& copy = file_.elements[index(all[j].second)];
        std::vector<Tag> joined(groups(first).begin(), groups(first).end());
        for (Tag g : groups(copy)) {
          if (std::ranges::find(joined, g) != joined.end())
            fail(copy, fmt::format("repeats element {}", first.tag),
                 "list each element once per group");
          joined.push_back(g);
        }
        if (groups(copy).empty() || groups(first).empty())
          fail(copy, fmt::format("repeats element {}", first.tag), "list each element once");
        std::ranges::sort(joined);
        first.groups = static_cast<int>(file_.groups.size());
        file_.groups.push_back(std::move(joined));
        gone[index(all[j].second)] = true;
      }
    }
    std::vector<Element> kept;
    for (std::size_t i = 0; i < gone.size(); ++i)
      if (!gone[i]) kept.push_back(file_.elements[i]);
    file_.elements = std::move(kept);
  }

  gmsh::File file_;
  int dimension_ = 0;
  std::vector<int> rank_;  // of each entry of File::element_nodes
};

/// Elements of the mesh, and others that only define groups. The mesh contains the elements of the
/// highest dimension, the lines of the groups `bars`, and lines that are not an edge of an element.
struct BodyElements {
  std::vector<const Element*> body, marks;

  BodyElements(const FileElements& from, std::span<const std::string> bars) {
    expect_bars(from, bars);
    std::vector<std::pair<int, int>> edge;
    for (const Element& e : from.file().elements) {
      const int dimension = FileElements::type(e).dimension;
      bool part = dimension == from.dimension() || is_bar(from, e, bars);
      if (!part && dimension == 1 && !from.groups(e).empty()) {
        if (edge.empty()) edge = edges(from);
        part = !std::ranges::binary_search(
            edge, std::pair<int, int>(std::minmax(from.nodes(e)[0], from.nodes(e)[1])));
      }
      if (part)
        body.push_back(&e);
      else if (!from.groups(e).empty())
        marks.push_back(&e);
    }
  }

 private:
  static void expect_bars(const FileElements& from, std::span<const std::string> bars) {
    for (const std::string& bar : bars)
      if (std::ranges::none_of(from.file().elements, [&](const Element& e) {
            return is_bar(from, e, {&bar, 1});
          }))
        gmsh::fail(from.file().origin, 0, fmt::format("no physical group '{}' contains lines", bar),
                   "give the name of a physical curve");
  }
  static bool is_bar(const FileElements& from, const Element& e,
                     std::span<const std::string> bars) {
    return FileElements::type(e).dimension == 1 && std::ranges::any_of(from.groups(e), [&](Tag g) {
             return std::ranges::find(bars, from.name(1, g)) != bars.end();
           });
  }
  // Pairs of corners that are edges of the elements of the highest dimension, sorted.
  static std::vector<std::pair<int, int>> edges(const FileElements& from) {
    std::vector<std::pair<int, int>> all;
    for (const Element& e : from.file().elements) {
      if (FileElements::type(e).dimension != from.dimension()) continue;
      const auto node = from.nodes(e);
      for (const ElementFace& face : faces(*element_of_gmsh(e.type))) {
        const int n = info(face.kind).corners;
        for (int k = 0; k < n; ++k)
          all.push_back(std::minmax(node[index(face.node[index(k)])],
                                    node[index(face.node[index((k + 1) % n)])]));
      }
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
};

/// Builds nodes and blocks of the mesh from the elements of the body.
class MeshNumbers {
 public:
  MeshNumbers(const FileElements& from, BodyElements& elements)
      : from_(from), elements_(elements) {}

  Mesh mesh() {
    number_nodes();
    number_elements();
    flatten();
    for (int e = 0; e < std::ssize(elements_.body); ++e)
      if (const std::string fault = shape_fault(mesh_, e); !fault.empty())
        from_.fail(*elements_.body[index(e)], "is " + fault, "");
    return std::move(mesh_);
  }
  // Node of the mesh for each rank; -1: none.
  const std::vector<int>& nodes() const { return node_; }

 private:
  void number_nodes() {
    node_.assign(from_.file().nodes.size(), -1);
    for (const Element* e : elements_.body)
      for (int rank : from_.nodes(*e)) node_[index(rank)] = 0;
    int count = 0;
    for (int& i : node_)
      if (i == 0) i = count++;
    mesh_.nodes.resize(3, count);
    for (std::size_t rank = 0; rank < node_.size(); ++rank)
      if (node_[rank] >= 0) mesh_.nodes.col(node_[rank]) = from_.file().nodes[rank].x;
    for (const Element* e : elements_.marks)
      for (int rank : from_.nodes(*e))
        if (node_[index(rank)] < 0)
          from_.fail(
              *e,
              fmt::format(
                  "of the physical group '{}' has the node {}, which no element of the body uses",
                  from_.name(FileElements::type(*e).dimension, from_.groups(*e)[0]),
                  from_.file().nodes[index(rank)].tag),
              "every group must lie on elements of the body");
  }

  // Sorts the elements of the body into blocks.
  void number_elements() {
    const auto key = [&](const Element* e) {
      return std::pair(*element_of_gmsh(e->type), from_.groups(*e));
    };
    const auto before = [&](const Element* a, const Element* b) {
      const auto [kind_a, in_a] = key(a);
      const auto [kind_b, in_b] = key(b);
      if (kind_a != kind_b) return kind_a < kind_b;
      if (!std::ranges::equal(in_a, in_b)) return std::ranges::lexicographical_compare(in_a, in_b);
      return a->tag < b->tag;
    };
    std::ranges::sort(elements_.body, before);
    for (std::size_t i = 0; i < elements_.body.size(); ++i) {
      const auto [kind, in] = key(elements_.body[i]);
      if (i == 0 || kind != mesh_.blocks.back().kind ||
          !std::ranges::equal(in, key(elements_.body[i - 1]).second))
        mesh_.blocks.push_back({kind, 0, {}});
      for (int rank : from_.nodes(*elements_.body[i]))
        mesh_.blocks.back().nodes.push_back(node_[index(rank)]);
    }
  }

  // Moves plane elements to the plane z = 0 and gives bars the smallest dimension that contains
  // them.
  void flatten() {
    mesh_.dimension = from_.dimension();
    if (from_.dimension() == 3) return;
    const Vector3 low = mesh_.nodes.rowwise().minCoeff(), high = mesh_.nodes.rowwise().maxCoeff();
    const double extent = (high - low).norm();
    const auto flat = [&](int axis) { return high[axis] - low[axis] <= kFlat * extent; };
    if (from_.dimension() == 1) mesh_.dimension = !flat(2) ? 3 : flat(1) ? 1 : 2;
    if (from_.dimension() == 2 && !flat(2)) {
      for (const Element* e : elements_.body)
        for (int rank : from_.nodes(*e))
          if (from_.file().nodes[index(rank)].x.z() - low.z() > kFlat * extent)
            from_.fail(
                *e, fmt::format("is not in the plane z = {}", low.z()),
                "use solids, or plane elements in one plane z = const; shells are not supported");
    }
    if (mesh_.dimension < 3) mesh_.nodes.bottomRows(3 - mesh_.dimension).setZero();
    for (ElementBlock& block : mesh_.blocks)
      if (info(block.kind).dimension == 2) turn_over(block);
  }

  // Reverses plane elements whose corners are all clockwise.
  void turn_over(ElementBlock& block) const {
    const ElementInfo& kind = info(block.kind);
    const int n = kind.nodes, c = kind.corners;
    for (int e = 0; e < block.elements(); ++e) {
      const auto node = block.nodes.begin() + e * n;
      bool all = true;
      for (int k = 0; k < c; ++k) {
        const auto X = [&](int a) -> Eigen::Vector2d {
          return mesh_.nodes.col(*(node + (k + a) % c)).head<2>();
        };
        const Eigen::Vector2d to = X(1) - X(0), on = X(c - 1) - X(0);
        all = all && to.x() * on.y() - to.y() * on.x() < 0.0;
      }
      if (!all) continue;
      std::reverse(node + 1, node + c);
      std::reverse(node + c, node + n);
    }
  }

  const FileElements& from_;
  BodyElements& elements_;
  std::vector<int> node_;
  Mesh mesh_;
};

/// Node, element and face sets of a mesh from the physical groups.
class GroupSets {
 public:
  GroupSets(const FileElements& from, const BodyElements& elements, const std::vector<int>& node,
            Mesh& mesh)
      : from_(from), elements_(elements), node_(node), mesh_(mesh) {}

  void find() {
    for (const auto& [key, name] : from_.file().names) mesh_.node_sets[name];
    std::map<std::string, std::set<int>> node_sets;
    const auto add_nodes = [&](const std::string& name, const Element& e) {
      for (int rank : from_.nodes(e)) node_sets[name].insert(node_[index(rank)]);
    };
    for (int i = 0; i < std::ssize(elements_.body); ++i)
      for (Tag g : from_.groups(*elements_.body[index(i)])) {
        const std::string group =
            from_.name(FileElements::type(*elements_.body[index(i)]).dimension, g);
        mesh_.element_sets[group].push_back(i);
        add_nodes(group, *elements_.body[index(i)]);
      }
    find_faces();
    for (const Element* e : elements_.marks)
      for (Tag g : from_.groups(*e)) {
        const std::string group = from_.name(FileElements::type(*e).dimension, g);
        add_nodes(group, *e);
        if (FileElements::type(*e).dimension == from_.dimension() - 1 && from_.dimension() > 1)
          mesh_.face_sets[group].push_back(face_under(*e));
      }
    for (auto& [name, set] : node_sets) mesh_.node_sets[name].assign(set.begin(), set.end());
    const auto place = [](const MeshFace& f) { return std::pair(f.element, f.face); };
    for (auto& [name, set] : mesh_.face_sets) {
      std::ranges::sort(set, {}, place);
      set.erase(std::unique(set.begin(), set.end()), set.end());
    }
    for (auto& [name, set] : mesh_.element_sets) {
      std::ranges::sort(set);
      set.erase(std::unique(set.begin(), set.end()), set.end());
    }
  }

 private:
  struct Face {
    std::array<int, 4> corner;
    int element, face;
    auto operator<=>(const Face&) const = default;
  };

  // Faces of all elements, sorted by their corners.
  void find_faces() {
    const bool wanted = std::ranges::any_of(elements_.marks, [&](const Element* e) {
      return from_.dimension() > 1 && FileElements::type(*e).dimension == from_.dimension() - 1;
    });
    if (!wanted) return;
    int first = 0;
    for (const ElementBlock& block : mesh_.blocks) {
      const auto of = faces(block.kind);
      for (int e = 0; e < block.elements(); ++e, ++first)
        for (int f = 0; f < std::ssize(of); ++f) {
          std::array<int, 4> key{-1, -1, -1, -1};
          for (int k = 0; k < info(of[index(f)].kind).corners; ++k)
            key[index(k)] = block.element(e)[index(of[index(f)].node[index(k)])];
          std::ranges::sort(key);
          faces_.push_back({key, first, f});
        }
    }
    std::ranges::sort(faces_);
  }

  MeshFace face_under(const Element& e) const {
    std::array<int, 4> key{-1, -1, -1, -1};
    for (int k = 0; k < FileElements::type(e).corners; ++k)
      key[index(k)] = node_[index(from_.nodes(e)[index(k)])];
    std::ranges::sort(key);
    const auto at = std::ranges::lower_bound(faces_, Face{key, -1, -1});
    if (at == faces_.end() || at->corner != key)
      from_.fail(
          e, fmt::format("is not {} of the body", from_.dimension() == 3 ? "a face" : "an edge"),
          from_.dimension() == 3 ? "use surfaces of solids; shells are not supported"
                                 : "use edges of plane elements");
    return {at->element, at->face};
  }

  const FileElements& from_;
  const BodyElements& elements_;
  const std::vector<int>& node_;  // node of the mesh for each rank
  Mesh& mesh_;
  std::vector<Face> faces_;
};

}  // namespace

Mesh read_gmsh_bytes(std::string_view bytes, const std::string& name, const std::string& path,
                     std::span<const std::string> bars) {
  const FileElements from(gmsh::read_file(bytes, name, path));
  BodyElements elements(from, bars);
  MeshNumbers numbers(from, elements);
  Mesh mesh = numbers.mesh();
  GroupSets(from, elements, numbers.nodes(), mesh).find();
  return mesh;
}

Mesh read_gmsh(const std::filesystem::path& file, const std::string& path,
               std::span<const std::string> bars) {
  const std::string bytes = read_text_file(file, path);
  return read_gmsh_bytes(bytes, file.string(), path, bars);
}

}  // namespace saltus
