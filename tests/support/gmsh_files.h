// Files of Gmsh in every encoding, written from the description of the format alone, to try the reader on.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "saltus/mesh/mesh.h"

namespace saltus_test {

struct GmshEncoding {
  int version = 41;  ///< 22 or 41
  bool binary = false;
  int size = 8;  ///< bytes of a size_t of version 41
};
inline std::vector<GmshEncoding> gmsh_encodings() {
  return {{22, false, 8}, {22, true, 8}, {41, false, 8}, {41, true, 8}, {41, true, 4}};
}

struct GmshText {
  struct Name {
    int dimension, number;
    std::string name;
  };
  struct Block {  ///< an entity and its elements of one type
    int dimension = 3, entity = 1, type = 4;
    std::vector<int> physical;
    std::vector<std::vector<int>> elements;  ///< tag, then tags of nodes
  };
  std::vector<Name> names;
  std::vector<std::pair<int, saltus::Vector3>> nodes;  ///< by tag
  std::vector<Block> blocks;

  std::string encode(const GmshEncoding& as) const {
    Bytes out{as, {}};
    out.text += fmt::format("$MeshFormat\n{} {} {}\n", as.version == 22 ? "2.2" : "4.1",
                            int{as.binary}, as.size);
    if (as.binary) {
      out.integer(1);
      out.text += '\n';
    }
    out.text += "$EndMeshFormat\n";
    if (!names.empty()) {
      out.text += fmt::format("$PhysicalNames\n{}\n", names.size());
      for (const Name& n : names)
        out.text += fmt::format("{} {} \"{}\"\n", n.dimension, n.number, n.name);
      out.text += "$EndPhysicalNames\n";
    }
    as.version == 22 ? body_22(out) : body_41(out);
    return out.text;
  }

 private:
  struct Bytes {
    GmshEncoding as;
    std::string text;
    template <class T>
    void raw(T value) {
      text.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void integer(int value) {
      as.binary ? raw<std::int32_t>(value) : void(text += fmt::format("{} ", value));
    }
    void size(std::size_t value) {
      if (!as.binary)
        text += fmt::format("{} ", value);
      else if (as.size == 4)
        raw(static_cast<std::uint32_t>(value));
      else
        raw(static_cast<std::uint64_t>(value));
    }
    void real(double value) {
      as.binary ? raw(value) : void(text += fmt::format("{:.17g} ", value));
    }
    void end_line() {
      if (!as.binary) text += '\n';
    }
    void end(const char* name) { text += fmt::format("{}$End{}\n", as.binary ? "\n" : "", name); }
  };
  std::size_t count() const {
    std::size_t sum = 0;
    for (const Block& b : blocks) sum += b.elements.size();
    return sum;
  }

  void body_22(Bytes& out) const {
    out.text += fmt::format("$Nodes\n{}\n", nodes.size());
    for (const auto& [tag, x] : nodes) {
      out.integer(tag);
      for (double c : x) out.real(c);
      out.end_line();
    }
    out.end("Nodes");
    std::size_t copies = 0;  // an element in several groups is there several times
    for (const Block& b : blocks)
      copies += b.elements.size() * std::max<std::size_t>(b.physical.size(), 1);
    out.text += fmt::format("$Elements\n{}\n", copies);
    int spare = 1'000'000;  // tags of copies
    for (const Block& b : blocks)
      for (std::size_t p = 0; p < std::max<std::size_t>(b.physical.size(), 1); ++p) {
        if (out.as.binary) {
          out.integer(b.type);
          out.integer(static_cast<int>(b.elements.size()));
          out.integer(2);
        }
        for (const auto& e : b.elements) {
          out.integer(p == 0 ? e[0] : spare++);
          if (!out.as.binary) {
            out.integer(b.type);
            out.integer(2);
          }
          out.integer(b.physical.empty() ? 0 : b.physical[p]);
          out.integer(b.entity);
          for (std::size_t k = 1; k < e.size(); ++k) out.integer(e[k]);
          out.end_line();
        }
      }
    out.end("Elements");
  }

  void body_41(Bytes& out) const {
    out.text += "$Entities\n";
    for (int d = 0; d < 4; ++d) {
      std::size_t n = 0;
      for (const Block& b : blocks) n += b.dimension == d;
      out.size(n);
    }
    out.end_line();
    for (int d = 0; d < 4; ++d)
      for (const Block& b : blocks) {
        if (b.dimension != d) continue;
        out.integer(b.entity);
        for (int k = 0; k < (d == 0 ? 3 : 6); ++k) out.real(0.25 * k);
        out.size(b.physical.size());
        for (int p : b.physical) out.integer(p);
        if (d > 0) {
          out.size(2);
          out.integer(1);
          out.integer(-2);
        }
        out.end_line();
      }
    out.end("Entities");
    out.text += "$Nodes\n";
    // two blocks, the second with parameters of a curve
    const std::size_t first = nodes.size() / 2;
    out.size(2);
    out.size(nodes.size());
    out.size(1);
    out.size(1000);
    out.end_line();
    for (int b = 0; b < 2; ++b) {
      const std::size_t begin = b == 0 ? 0 : first, end = b == 0 ? first : nodes.size();
      out.integer(b == 0 ? 3 : 1);
      out.integer(1);
      out.integer(b);
      out.size(end - begin);
      out.end_line();
      for (std::size_t i = begin; i < end; ++i) {
        out.size(static_cast<std::size_t>(nodes[i].first));
        out.end_line();
      }
      for (std::size_t i = begin; i < end; ++i) {
        for (double c : nodes[i].second) out.real(c);
        if (b == 1) out.real(0.5);
        out.end_line();
      }
    }
    out.end("Nodes");
    out.text += "$Elements\n";
    out.size(blocks.size());
    out.size(count());
    out.size(1);
    out.size(1000);
    out.end_line();
    for (const Block& b : blocks) {
      out.integer(b.dimension);
      out.integer(b.entity);
      out.integer(b.type);
      out.size(b.elements.size());
      out.end_line();
      for (const auto& e : b.elements) {
        for (int i : e) out.size(static_cast<std::size_t>(i));
        out.end_line();
      }
    }
    out.end("Elements");
  }
};

/// A mesh as Gmsh would save it: its blocks in groups of their own, faces of face sets as elements, gaps between the tags
/// of nodes, which are not in order.
inline GmshText gmsh_of(const saltus::Mesh& mesh) {
  using namespace saltus;
  GmshText file;
  const int nodes = static_cast<int>(mesh.nodes.cols());
  const auto tag = [](int a) { return 3 * a + 2; };
  for (int a = nodes; a-- > 0;) file.nodes.emplace_back(tag(a), mesh.nodes.col(a));
  int element = 5, entity = 0, dimension = 0;
  for (const ElementBlock& block : mesh.blocks)
    dimension = std::max(dimension, info(block.kind).dimension);
  const auto nodes_of = [&](auto&& list) {
    std::vector<int> all{element += 2};
    for (int a : list) all.push_back(tag(a));
    return all;
  };
  int number = 0;
  for (const ElementBlock& block : mesh.blocks) {
    const ElementInfo& kind = info(block.kind);
    file.names.push_back({kind.dimension, ++number, fmt::format("part {}", number)});
    GmshText::Block b{kind.dimension, ++entity, kind.gmsh, {number}, {}};
    for (int e = 0; e < block.elements(); ++e) b.elements.push_back(nodes_of(block.element(e)));
    file.blocks.push_back(std::move(b));
  }
  for (const auto& [name, set] : mesh.face_sets) {
    file.names.push_back({dimension - 1, ++number, name});
    std::map<int, GmshText::Block> by_type;
    for (const MeshFace& f : set) {
      const ElementKind kind = faces(mesh.kind(f.element))[static_cast<std::size_t>(f.face)].kind;
      GmshText::Block& b = by_type[info(kind).gmsh];
      b = {dimension - 1,
           b.elements.empty() ? ++entity : b.entity,
           info(kind).gmsh,
           {number},
           std::move(b.elements)};
      b.elements.push_back(nodes_of(mesh.face_nodes(f)));
    }
    for (auto& [type, block] : by_type) file.blocks.push_back(std::move(block));
  }
  return file;
}

}  // namespace saltus_test
