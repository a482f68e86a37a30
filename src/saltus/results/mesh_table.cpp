#include "saltus/results/mesh_table.h"

#include <algorithm>

namespace saltus {
namespace {

ElementKind kind_named(const h5::Group& cells, const std::string& table, const std::string& name) {
  for (const ElementInfo& kind : element_kinds())
    if (kind.name == name) return kind.kind;
  throw h5::Error(cells.label() + "/" + table + ": there is no kind of element '" + name + "'");
}

/// Writes sets of integers, `width` per row, under their names.
template <class Sets, class Flat>
void write_sets(const h5::Group& body, const char* group, const Sets& sets, std::size_t width,
                const char* text, const Flat& flat) {
  const h5::Group out = body.create_group(std::string("sets/") + group);
  std::vector<std::string> names;
  for (const auto& [name, set] : sets) names.push_back(name);
  const std::vector<std::string> tables = layout::object_names(names, "set");
  std::size_t i = 0;
  for (const auto& [name, set] : sets) {
    std::vector<std::int32_t> numbers;
    for (const auto& entry : set) flat(numbers, entry);
    const h5::Dataset data =
        layout::described(out.write(tables[i], numbers, width == 1 ? 0 : width), "1", text);
    data.set("index", static_cast<std::int64_t>(i++));
    data.set("name", name);
  }
}

template <class Put>
void read_sets(const h5::Group& body, const char* group, const Put& put) {
  const h5::Group in = body.group(std::string("sets/") + group);
  for (const std::string& table : layout::in_order(in)) {
    const h5::Dataset data = in.dataset(table);
    put(data.text("name"), data.integers());
  }
}

}  // namespace

void write_mesh(const h5::Group& body, const Mesh& mesh) {
  body.set("dimension", static_cast<std::int64_t>(mesh.dimension));
  layout::described(
      body.write("nodes", std::span(mesh.nodes.data(), static_cast<std::size_t>(mesh.nodes.size())),
                 3),
      "m", "reference positions of the nodes");
  const h5::Group cells = body.create_group("cells");
  std::vector<std::string> names;
  for (const ElementBlock& block : mesh.blocks) names.emplace_back(info(block.kind).name);
  names = layout::object_names(names, "cells");
  int first = 0;
  for (std::size_t b = 0; b < names.size(); ++b) {
    const ElementBlock& block = mesh.blocks[b];
    const std::vector<std::int32_t> nodes(block.nodes.begin(), block.nodes.end());
    const h5::Dataset data = layout::described(
        cells.write(names[b], nodes, static_cast<std::size_t>(info(block.kind).nodes)), "1",
        "nodes of each element, in the order of Gmsh");
    data.set("index", static_cast<std::int64_t>(b));
    data.set("kind", info(block.kind).name);
    data.set("first", static_cast<std::int64_t>(first));
    data.set("material", static_cast<std::int64_t>(block.material));
    first += block.elements();
  }
  body.create_group("sets");
  const auto one = [](std::vector<std::int32_t>& out, int i) { out.push_back(i); };
  write_sets(body, "nodes", mesh.node_sets, 1, "nodes", one);
  write_sets(body, "elements", mesh.element_sets, 1, "elements, numbered through all cells", one);
  write_sets(body, "faces", mesh.face_sets, 2, "element, face of the element",
             [](std::vector<std::int32_t>& out, const MeshFace& f) {
               out.insert(out.end(), {f.element, f.face});
             });
}

bool has_mesh(const h5::Group& body) { return body.has("nodes") && body.has("cells"); }

Mesh read_mesh(const h5::Group& body) {
  Mesh mesh;
  const auto require = [&](bool good, const char* what) {
    if (!good) throw h5::Error(body.label() + ": " + what);
  };
  mesh.dimension = static_cast<int>(body.integer("dimension"));
  require(mesh.dimension >= 1 && mesh.dimension <= 3, "the dimension must be 1, 2 or 3");
  const h5::Dataset nodes = body.dataset("nodes");
  const std::vector<double> place = nodes.reals();
  require(nodes.columns() == 3, "nodes must have three coordinates");
  mesh.nodes = Eigen::Map<const Eigen::Matrix3Xd>(place.data(), 3,
                                                  static_cast<Eigen::Index>(place.size() / 3));
  const h5::Group cells = body.group("cells");
  const auto count = static_cast<int>(mesh.nodes.cols());
  for (const std::string& name : layout::in_order(cells)) {
    const h5::Dataset data = cells.dataset(name);
    ElementBlock block{
        kind_named(cells, name, data.text("kind")), static_cast<int>(data.integer("material")), {}};
    const std::vector<std::int32_t> list = data.integers();
    require(data.columns() == static_cast<std::size_t>(info(block.kind).nodes),
            "cells must have the number of nodes of their kind");
    require(std::ranges::all_of(list, [&](int a) { return a >= 0 && a < count; }),
            "cells must refer to existing nodes");
    block.nodes.assign(list.begin(), list.end());
    mesh.blocks.push_back(std::move(block));
  }
  const int elements = mesh.elements();
  const auto whole = [&](const std::vector<std::int32_t>& list, int below, std::size_t step) {
    for (std::size_t i = 0; i < list.size(); i += step)
      require(list[i] >= 0 && list[i] < below, "sets must refer to existing nodes and elements");
  };
  read_sets(body, "nodes", [&](const std::string& name, const std::vector<std::int32_t>& list) {
    whole(list, count, 1);
    mesh.node_sets[name].assign(list.begin(), list.end());
  });
  read_sets(body, "elements", [&](const std::string& name, const std::vector<std::int32_t>& list) {
    whole(list, elements, 1);
    mesh.element_sets[name].assign(list.begin(), list.end());
  });
  read_sets(body, "faces", [&](const std::string& name, const std::vector<std::int32_t>& list) {
    require(list.size() % 2 == 0, "face sets must be pairs of element and face");
    whole(list, elements, 2);
    for (std::size_t i = 0; i < list.size(); i += 2) {
      const int sides = static_cast<int>(faces(mesh.kind(list[i])).size());
      require(list[i + 1] >= 0 && list[i + 1] < sides, "faces must exist on their elements");
      mesh.face_sets[name].push_back({list[i], list[i + 1]});
    }
  });
  return mesh;
}

std::vector<double> read_shapes(const h5::Group& body) {
  if (!body.has("shapes")) return {};
  const h5::Dataset data = body.dataset("shapes");
  if (data.columns() == 0 || data.rows() != 3 * body.dataset("nodes").rows() ||
      data.columns() != static_cast<std::size_t>(body.integer("positions")))
    throw h5::Error(data.label() +
                    ": must have three rows per node and one column per number of q");
  return data.reals();
}

std::vector<double> by_shapes(std::span<const double> shapes, std::size_t columns,
                              std::span<const double> numbers) {
  using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(columns), frames = std::ssize(numbers) / n;
  const Eigen::Map<const ByRows> X(shapes.data(), std::ssize(shapes) / n, n),
      q(numbers.data(), frames, n);
  std::vector<double> moved(static_cast<std::size_t>(frames * X.rows()));
  for (Eigen::Index k = 0; k < frames;
       ++k)  // each frame separately, so that results do not depend on the number of frames
    Eigen::Map<Vector>(moved.data() + k * X.rows(), X.rows()).noalias() = X * q.row(k).transpose();
  return moved;
}

}  // namespace saltus
