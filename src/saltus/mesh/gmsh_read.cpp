// The sections of a file MSH 2.2 or 4.1.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <set>

#include "saltus/base/error.h"
#include "saltus/base/text_check.h"
#include "saltus/mesh/gmsh.h"
#include "saltus/mesh/gmsh_internal.h"

namespace saltus::gmsh {
namespace {

constexpr const char* kVersions = "4.1 and 2.2 are read: gmsh -format msh41, or meshio convert";

// Types of Gmsh that are not read.
struct Foreign {
  int type;
  const char *name, *hint;
};
constexpr const char* kIncomplete =
    "elements of order 2 have nodes on edges alone: Mesh.SecondOrderIncomplete = 1";
constexpr const char* kLinearOnly = "wedges and pyramids are of order 1: Mesh.ElementOrder = 1";
constexpr const char* kOrder = "elements of order 1 and 2: Mesh.ElementOrder";
constexpr auto kForeign = std::to_array<Foreign>({{10, "quadrilateral of 9 nodes", kIncomplete},
                                                  {12, "hexahedron of 27 nodes", kIncomplete},
                                                  {13, "wedge of 18 nodes", kLinearOnly},
                                                  {14, "pyramid of 14 nodes", kLinearOnly},
                                                  {18, "wedge of 15 nodes", kLinearOnly},
                                                  {19, "pyramid of 13 nodes", kLinearOnly},
                                                  {20, "triangle of 9 nodes", kOrder},
                                                  {21, "triangle of 10 nodes", kOrder},
                                                  {22, "triangle of 12 nodes", kOrder},
                                                  {23, "triangle of 15 nodes", kOrder},
                                                  {24, "triangle of 15 nodes", kOrder},
                                                  {25, "triangle of 21 nodes", kOrder},
                                                  {26, "line of 4 nodes", kOrder},
                                                  {27, "line of 5 nodes", kOrder},
                                                  {28, "line of 6 nodes", kOrder},
                                                  {29, "tetrahedron of 20 nodes", kOrder},
                                                  {30, "tetrahedron of 35 nodes", kOrder},
                                                  {31, "tetrahedron of 56 nodes", kOrder},
                                                  {36, "quadrilateral of 16 nodes", kOrder},
                                                  {92, "hexahedron of 64 nodes", kOrder},
                                                  {93, "hexahedron of 125 nodes", kOrder}});

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name, const std::string& path)
      : in_(bytes, name, path) {}

  File read() {
    format();
    std::set<std::string, std::less<>> seen;
    while (in_.next_line()) {
      const std::string_view line = in_.line();
      if (!line.starts_with('$') || line.starts_with("$End") || line.size() == 1)
        in_.fail("no section begins here", "'$' and its name");
      const std::string name(line.substr(1));
      const bool once = name == "Nodes" || name == "Elements" || name == "Entities" ||
                        name == "PhysicalNames" || name == "MeshFormat";
      if (once && !(seen.insert(name).second && name != "MeshFormat"))
        in_.fail(fmt::format("a second section ${}", name), "one");
      if (name == "PartitionedEntities")
        in_.fail("the mesh is cut into partitions", "save it whole: Mesh.NumPartitions = 0");
      if (name == "PhysicalNames") {
        names();
      } else if (name == "Nodes") {
        in_.version_2 ? nodes_2() : nodes_4();
      } else if (name == "Elements") {
        in_.version_2 ? elements_2() : elements_4();
      } else if (name == "Entities" && !in_.version_2) {
        entities();
      } else {
        in_.skip(name);
        continue;
      }
      end(name);
    }
    for (const char* wanted : {"Nodes", "Elements"})
      if (!seen.contains(wanted))
        gmsh::fail(in_.origin(), in_.here(), fmt::format("there is no section ${}", wanted),
                   "the file is cut off");
    if (!in_.version_2) resolve(seen.contains("Entities"));
    file_.origin = in_.origin();
    return std::move(file_);
  }

 private:
  void end(std::string_view name) {
    const std::string wanted = fmt::format("$End{}", name);
    if (in_.line(wanted) != wanted)
      in_.fail(fmt::format("the section ${} does not end here", name), wanted);
  }

  void format() {
    const std::string_view first = in_.line("$MeshFormat");
    if (first == "$NOD") in_.fail("a file MSH 1.0", kVersions);
    if (first != "$MeshFormat") in_.fail("is no file of Gmsh", "it begins with $MeshFormat");
    in_.record("the version");
    const double version = in_.real("the version");
    const int binary = in_.integer("0 for text, 1 for binary");
    const int size = in_.integer("the bytes of a number");
    in_.done();
    in_.version_2 = version >= 2.0 && version <= 2.2;
    if (!in_.version_2 && version != 4.1)
      in_.fail(fmt::format("a file MSH {}", version), kVersions);
    if (binary != 0 && binary != 1)
      in_.fail(fmt::format("the file type {}", binary), "0 for text, 1 for binary");
    if (size != 8 && (in_.version_2 || size != 4))
      in_.fail(fmt::format("numbers of {} bytes", size), in_.version_2 ? "8" : "4 or 8");
    in_.set_size(static_cast<std::size_t>(size));
    if (binary) {
      static_assert(std::endian::native == std::endian::little);
      in_.set_binary();
      const int one = in_.integer("the number 1");
      if (one == 0x01000000) in_.fail("the bytes of numbers run from the highest", "little endian");
      if (one != 1) in_.fail(fmt::format("the test of the byte order is {}", one), "1");
    }
    end("MeshFormat");
  }

  // dimension number "name"; text in binary files too
  void names() {
    const Tag count = number(in_.line("the number of names"));
    for (Tag i = 0; i < count; ++i) {
      const std::string_view line = in_.line("a physical name");
      const std::size_t open = line.find('"'), close = line.rfind('"');
      if (open == line.npos || close == open)
        in_.fail("no physical name", "dimension number \"name\"");
      int dimension = -1, tag = 0;
      std::string_view numbers = line.substr(0, open);
      if (!two(numbers, dimension, tag) || dimension < 0 || dimension > 3)
        in_.fail("no dimension and number of a physical name", "dimension number \"name\"");
      const std::string name(line.substr(open + 1, close - open - 1));
      if (name.empty()) in_.fail("the physical name is empty", "a name, or no entry");
      if (!file_.names.try_emplace({dimension, std::abs(static_cast<Tag>(tag))}, name).second)
        in_.fail(fmt::format("the physical {} {} has a second name", kOf[dimension], tag), "one");
    }
  }
  static constexpr std::array kOf{"point", "curve", "surface", "volume"};

  static bool two(std::string_view text, int& a, int& b) {
    const auto skip = [&] {
      text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    };
    for (int* value : {&a, &b}) {
      skip();
      const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
      if (error != std::errc{}) return false;
      text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    }
    skip();
    return text.empty();
  }

  // A line with one number, which is text in binary files of version 2 too.
  Tag number(std::string_view text) {
    Tag value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size() || value < 0)
      in_.fail("no whole number >= 0 stands here alone", "how many follow");
    return value;
  }

  void add_node(Tag tag, Place at) {
    if (tag < 1) in_.fail(fmt::format("the node tag {}", tag), "tags count from 1");
    file_.nodes.push_back({tag, Vector3::Zero(), at});
  }
  void read_place(Node& node) {
    for (int k = 0; k < 3; ++k) node.x[k] = in_.coordinate("a coordinate");
  }

  void nodes_2() {
    const Tag count =
        in_.bounded(number(in_.line("the number of nodes")), in_.binary() ? 28 : 8, "nodes");
    file_.nodes.reserve(static_cast<std::size_t>(count));
    for (Tag i = 0; i < count; ++i) {
      in_.record("a node");
      const Place at = in_.here();
      add_node(in_.integer("the tag of a node"), at);
      read_place(file_.nodes.back());
      in_.done();
    }
  }

  void nodes_4() {
    in_.record("the numbers of blocks and nodes");
    const Tag blocks = in_.count("the number of blocks");
    const Tag count = in_.bounded(in_.count("the number of nodes"), in_.binary() ? 28 : 8, "nodes");
    in_.count("the least tag");
    in_.count("the largest tag");
    in_.done();
    file_.nodes.reserve(static_cast<std::size_t>(count));
    for (Tag b = 0; b < blocks; ++b) {
      in_.record("a block of nodes");
      const int dimension = dimension_of(in_.integer("the dimension of an entity"));
      in_.integer("the tag of an entity");
      const int parametric = in_.integer("0 or 1: parametric");
      if (parametric != 0 && parametric != 1)
        in_.fail(fmt::format("parametric is {}", parametric), "0 or 1");
      const Tag inside =
          in_.bounded(in_.count("the number of nodes"), in_.binary() ? 28 : 8, "nodes");
      in_.done();
      if (inside > count - std::ssize(file_.nodes))
        in_.fail(fmt::format("more nodes than the {} of the section", count), "");
      const std::size_t first = file_.nodes.size();
      for (Tag i = 0; i < inside; ++i) {
        in_.record("the tag of a node");
        add_node(in_.count("the tag of a node"), in_.here());
        in_.done();
      }
      for (std::size_t i = first; i < file_.nodes.size(); ++i) {
        in_.record("the place of a node");
        read_place(file_.nodes[i]);
        for (int k = 0; k < parametric * dimension; ++k) in_.real("a parameter of the node");
        in_.done();
      }
    }
    if (std::ssize(file_.nodes) != count)
      in_.fail(fmt::format("{} nodes in blocks, {} announced", file_.nodes.size(), count), "");
  }

  int dimension_of(int value) {
    if (value < 0 || value > 3) in_.fail(fmt::format("the dimension {}", value), "0 to 3");
    return value;
  }

  Type known(int type) {
    if (type == kPoint || element_of_gmsh(type)) return type_of(type);
    const auto foreign = std::ranges::find(kForeign, type, &Foreign::type);
    if (foreign != kForeign.end())
      in_.fail(fmt::format("elements of type {} ({}) are not read", type, foreign->name),
               foreign->hint);
    in_.fail(fmt::format("elements of type {} are not read", type),
             "1 to 9, 11, 15, 16, 17: lines, triangles, quadrilaterals, tetrahedra, hexahedra to "
             "order 2, wedges and pyramids to order 1");
  }

  void add_element(Tag tag, int type, int groups, Place at) {
    if (tag < 1) in_.fail(fmt::format("the element tag {}", tag), "tags count from 1");
    file_.elements.push_back({tag, type, file_.element_nodes.size(), groups, at});
  }

  int group_list(std::vector<Tag> list) {
    const auto [at, fresh] = lists_.try_emplace(list, static_cast<int>(file_.groups.size()));
    if (fresh) file_.groups.push_back(std::move(list));
    return at->second;
  }

  void elements_2() {
    const Tag count =
        in_.bounded(number(in_.line("the number of elements")), in_.binary() ? 8 : 6, "elements");
    while (std::ssize(file_.elements) < count) {
      if (!in_.binary()) {
        in_.record("an element");
        const int tag = in_.integer("the tag of an element");
        const int type = in_.integer("the type of an element");
        element_2(tag, type, in_.integer("the number of tags"));
        continue;
      }
      in_.record("a block of elements");
      const int type = in_.integer("the type of the elements");
      const int inside = in_.integer("the number of elements");
      const int tags = in_.integer("the number of tags");
      if (inside < 1 || inside > count - std::ssize(file_.elements))
        in_.fail(fmt::format("a block of {} elements, {} are left", inside,
                             count - std::ssize(file_.elements)));
      for (int i = 0; i < inside; ++i) {
        in_.record("an element");
        element_2(in_.integer("the tag of an element"), type, tags);
      }
    }
  }

  void element_2(Tag tag, int number, int tags) {
    const Type type = known(number);
    const Place at = in_.here();
    if (tags < 0) in_.fail(fmt::format("{} tags of an element", tags), "0 or more");
    std::vector<Tag> groups;
    for (int k = 0; k < tags; ++k) {  // physical, elementary, partitions
      const Tag value = in_.integer("a tag of an element");
      if (k == 0 && value != 0) groups.push_back(std::abs(value));
    }
    add_element(tag, number, group_list(std::move(groups)), at);
    nodes_of(type, tag);
  }

  void nodes_of(const Type& type, Tag tag) {
    if (!in_.binary())
      if (const std::size_t left = in_.left(); static_cast<int>(left) != type.nodes)
        in_.fail(fmt::format("element {} ({}) has {} nodes", tag, type.name, left),
                 std::to_string(type.nodes));
    for (int a = 0; a < type.nodes; ++a) file_.element_nodes.push_back(in_.whole("a node"));
    in_.done();
  }

  void entities() {
    in_.record("the numbers of entities");
    std::array<Tag, 4> count{};
    for (Tag& n : count) n = in_.count("a number of entities");
    in_.done();
    for (int d = 0; d < 4; ++d)
      for (Tag i = 0; i < count[static_cast<std::size_t>(d)]; ++i) {
        in_.record("an entity");
        const int tag = in_.integer("the tag of an entity");
        for (int k = 0; k < (d == 0 ? 3 : 6); ++k) in_.real("a bound of the entity");
        std::vector<Tag> groups;
        const Tag physical =
            in_.bounded(in_.count("the number of physical groups"), in_.binary() ? 4 : 2, "groups");
        for (Tag k = 0; k < physical; ++k)
          groups.push_back(std::abs(static_cast<Tag>(in_.integer("a physical group"))));
        std::ranges::sort(groups);
        groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
        if (d > 0) {
          const Tag around = in_.bounded(in_.count("the number of bounding entities"),
                                         in_.binary() ? 4 : 2, "entities");
          for (Tag k = 0; k < around; ++k) in_.integer("a bounding entity");
        }
        in_.done();
        if (!entities_.try_emplace({d, tag}, group_list(std::move(groups))).second)
          in_.fail(fmt::format("the {} {} is there twice", kOf[static_cast<std::size_t>(d)], tag),
                   "");
      }
  }

  // Element::groups is a number of used_ until all sections are read.
  void elements_4() {
    in_.record("the numbers of blocks and elements");
    const Tag blocks = in_.count("the number of blocks");
    const Tag count =
        in_.bounded(in_.count("the number of elements"), in_.binary() ? 8 : 4, "elements");
    in_.count("the least tag");
    in_.count("the largest tag");
    in_.done();
    for (Tag b = 0; b < blocks; ++b) {
      in_.record("a block of elements");
      const Place at = in_.here();
      const int dimension = dimension_of(in_.integer("the dimension of an entity"));
      const int entity = in_.integer("the tag of an entity");
      const int number = in_.integer("the type of the elements");
      const Type type = known(number);
      if (type.dimension != dimension)
        in_.fail(fmt::format("elements {} on an entity of dimension {}", type.name, dimension),
                 std::to_string(type.dimension));
      const Tag inside =
          in_.bounded(in_.count("the number of elements"), in_.binary() ? 8 : 4, "elements");
      in_.done();
      if (inside > count - std::ssize(file_.elements))
        in_.fail(fmt::format("more elements than the {} of the section", count), "");
      used_.push_back({dimension, entity, at});
      for (Tag i = 0; i < inside; ++i) {
        in_.record("an element");
        const Place place = in_.here();
        const Tag tag = in_.count("the tag of an element");
        add_element(tag, number, static_cast<int>(used_.size()) - 1, place);
        nodes_of(type, tag);
      }
    }
    if (std::ssize(file_.elements) != count)
      in_.fail(fmt::format("{} elements in blocks, {} announced", file_.elements.size(), count),
               "");
  }

  void resolve(bool entities) {
    std::vector<int> list;
    for (const auto& [dimension, entity, at] : used_) {
      const auto known = entities_.find({dimension, entity});
      if (known != entities_.end())
        list.push_back(known->second);
      else if (entities)
        gmsh::fail(in_.origin(), at,
                   fmt::format("the {} {} is not in $Entities",
                               kOf[static_cast<std::size_t>(dimension)], entity),
                   "");
      else
        list.push_back(group_list({}));
    }
    for (Element& e : file_.elements) e.groups = list[static_cast<std::size_t>(e.groups)];
  }

  struct Used {
    int dimension, entity;
    Place at;
  };
  Source in_;
  File file_;
  std::map<std::vector<Tag>, int> lists_;
  std::map<std::pair<int, int>, int> entities_;
  std::vector<Used> used_;
};

}  // namespace

Type type_of(int gmsh) {
  if (gmsh == kPoint) return {0, 1, 1, "point"};
  const ElementInfo& kind = info(*element_of_gmsh(gmsh));
  return {kind.dimension, kind.nodes, kind.corners, kind.name};
}

File read_file(std::string_view bytes, const std::string& name, const std::string& path) {
  return Reader(bytes, name, path).read();
}

}  // namespace saltus::gmsh
