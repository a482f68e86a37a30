// Reads the sections of an MSH file 2.2 or 4.1.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <set>

#include "saltus/base/error.h"
#include "saltus/base/text_check.h"
#include "saltus/mesh/gmsh.h"
#include "saltus/mesh/gmsh_internal.h"

namespace saltus::gmsh {
namespace {

constexpr const char* kVersions =
    "supported: 4.1 and 2.2; convert it with gmsh -format msh41, or meshio convert";

// Gmsh types that are not supported.
struct Foreign {
  int type;
  const char *name, *hint;
};
constexpr const char* kIncomplete =
    "elements of order 2 must have nodes on edges only: set Mesh.SecondOrderIncomplete = 1";
constexpr const char* kLinearOnly =
    "wedges and pyramids must be of order 1: set Mesh.ElementOrder = 1";
constexpr const char* kOrder = "supported: elements of order 1 and 2; set Mesh.ElementOrder";
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

constexpr std::array kEntity{"point", "curve", "surface", "volume"};

void end_section(Source& in, std::string_view name) {
  const std::string wanted = fmt::format("$End{}", name);
  if (in.line(wanted) != wanted)
    in.fail(fmt::format("the section ${} should end here", name), wanted);
}

// Reads version, byte order and size of numbers.
void read_format(Source& in) {
  const std::string_view first = in.line("$MeshFormat");
  if (first == "$NOD") in.fail("MSH version 1.0 is not supported", kVersions);
  if (first != "$MeshFormat") in.fail("is not a Gmsh file", "it must begin with $MeshFormat");
  in.record("the version");
  const double version = in.real("the version");
  const int binary = in.integer("0 for text, 1 for binary");
  const int size = in.integer("the bytes of a number");
  in.done();
  in.version_2 = version >= 2.0 && version <= 2.2;
  if (!in.version_2 && version != 4.1)
    in.fail(fmt::format("MSH version {} is not supported", version), kVersions);
  if (binary != 0 && binary != 1)
    in.fail(fmt::format("the file type is {}", binary), "0 for text, 1 for binary");
  if (size != 8 && (in.version_2 || size != 4))
    in.fail(fmt::format("numbers have {} bytes", size), in.version_2 ? "8" : "4 or 8");
  in.set_size(static_cast<std::size_t>(size));
  if (binary) {
    static_assert(std::endian::native == std::endian::little);
    in.set_binary();
    const int one = in.integer("the number 1");
    if (one == 0x01000000) in.fail("numbers are big-endian", "write a little-endian file");
    if (one != 1) in.fail(fmt::format("the test number of the byte order is {}", one), "1");
  }
  end_section(in, "MeshFormat");
}

// Parses two numbers and nothing else.
bool two_integers(std::string_view text, int& a, int& b) {
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
Tag number_alone(Source& in, std::string_view text) {
  Tag value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || value < 0)
    in.fail("the line must contain one whole number >= 0", "the number of entries that follow");
  return value;
}

// dimension number "name"; text in binary files too
std::map<std::pair<int, Tag>, std::string> read_names(Source& in) {
  std::map<std::pair<int, Tag>, std::string> names;
  const Tag count = number_alone(in, in.line("the number of names"));
  for (Tag i = 0; i < count; ++i) {
    const std::string_view line = in.line("a physical name");
    const std::size_t open = line.find('"'), close = line.rfind('"');
    if (open == line.npos || close == open)
      in.fail("the line has no physical name", "dimension number \"name\"");
    int dimension = -1, tag = 0;
    std::string_view numbers = line.substr(0, open);
    if (!two_integers(numbers, dimension, tag) || dimension < 0 || dimension > 3)
      in.fail("the line has no dimension and number of a physical name",
              "dimension number \"name\"");
    const std::string name(line.substr(open + 1, close - open - 1));
    if (name.empty()) in.fail("the physical name is empty", "give a name or remove the entry");
    if (!names.try_emplace({dimension, std::abs(static_cast<Tag>(tag))}, name).second)
      in.fail(fmt::format("the physical {} {} has a second name", kEntity[dimension], tag),
              "give one name");
  }
  return names;
}

int dimension_of(Source& in, int value) {
  if (value < 0 || value > 3) in.fail(fmt::format("the dimension is {}", value), "0 to 3");
  return value;
}

/// Section $Nodes of both versions.
class NodeSection {
 public:
  NodeSection(Source& in, std::vector<Node>& nodes) : in_(in), nodes_(nodes) {}
  void read() { in_.version_2 ? read_2() : read_4(); }

 private:
  void add_node(Tag tag, Place at) {
    if (tag < 1) in_.fail(fmt::format("the node tag is {}", tag), "tags must be at least 1");
    nodes_.push_back({tag, Vector3::Zero(), at});
  }
  void read_place(Node& node) {
    for (int k = 0; k < 3; ++k) node.x[k] = in_.coordinate("a coordinate");
  }

  void read_2() {
    const Tag count = in_.bounded(number_alone(in_, in_.line("the number of nodes")),
                                  in_.binary() ? 28 : 8, "nodes");
    nodes_.reserve(static_cast<std::size_t>(count));
    for (Tag i = 0; i < count; ++i) {
      in_.record("a node");
      const Place at = in_.here();
      add_node(in_.integer("the tag of a node"), at);
      read_place(nodes_.back());
      in_.done();
    }
  }

  void read_4() {
    in_.record("the numbers of blocks and nodes");
    const Tag blocks = in_.count("the number of blocks");
    const Tag count = in_.bounded(in_.count("the number of nodes"), in_.binary() ? 28 : 8, "nodes");
    in_.count("the smallest tag");
    in_.count("the largest tag");
    in_.done();
    nodes_.reserve(static_cast<std::size_t>(count));
    for (Tag b = 0; b < blocks; ++b) {
      in_.record("a block of nodes");
      const int dimension = dimension_of(in_, in_.integer("the dimension of an entity"));
      in_.integer("the tag of an entity");
      const int parametric = in_.integer("0 or 1: parametric");
      if (parametric != 0 && parametric != 1)
        in_.fail(fmt::format("parametric is {}", parametric), "0 or 1");
      const Tag inside =
          in_.bounded(in_.count("the number of nodes"), in_.binary() ? 28 : 8, "nodes");
      in_.done();
      if (inside > count - std::ssize(nodes_))
        in_.fail(fmt::format("the blocks have more nodes than the {} of the section", count), "");
      const std::size_t first = nodes_.size();
      for (Tag i = 0; i < inside; ++i) {
        in_.record("the tag of a node");
        add_node(in_.count("the tag of a node"), in_.here());
        in_.done();
      }
      for (std::size_t i = first; i < nodes_.size(); ++i) {
        in_.record("the position of a node");
        read_place(nodes_[i]);
        for (int k = 0; k < parametric * dimension; ++k) in_.real("a parameter of the node");
        in_.done();
      }
    }
    if (std::ssize(nodes_) != count)
      in_.fail(fmt::format("the blocks have {} nodes, but the section announces {}", nodes_.size(),
                           count),
               "");
  }

  Source& in_;
  std::vector<Node>& nodes_;
};

/// Distinct lists of physical groups.
class GroupLists {
 public:
  explicit GroupLists(std::vector<std::vector<Tag>>& groups) : groups_(groups) {}
  int number_of(std::vector<Tag> list) {
    const auto [at, fresh] = numbers_.try_emplace(list, static_cast<int>(groups_.size()));
    if (fresh) groups_.push_back(std::move(list));
    return at->second;
  }

 private:
  std::vector<std::vector<Tag>>& groups_;
  std::map<std::vector<Tag>, int> numbers_;
};

/// Section $Entities of version 4: the group list of each entity, by dimension and tag.
using EntityGroups = std::map<std::pair<int, int>, int>;

EntityGroups read_entities(Source& in, GroupLists& lists) {
  EntityGroups found;
  in.record("the numbers of entities");
  std::array<Tag, 4> count{};
  for (Tag& n : count) n = in.count("a number of entities");
  in.done();
  for (int d = 0; d < 4; ++d)
    for (Tag i = 0; i < count[static_cast<std::size_t>(d)]; ++i) {
      in.record("an entity");
      const int tag = in.integer("the tag of an entity");
      for (int k = 0; k < (d == 0 ? 3 : 6); ++k) in.real("a bound of the entity");
      std::vector<Tag> groups;
      const Tag physical =
          in.bounded(in.count("the number of physical groups"), in.binary() ? 4 : 2, "groups");
      for (Tag k = 0; k < physical; ++k)
        groups.push_back(std::abs(static_cast<Tag>(in.integer("a physical group"))));
      std::ranges::sort(groups);
      groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
      if (d > 0) {
        const Tag around = in.bounded(in.count("the number of bounding entities"),
                                      in.binary() ? 4 : 2, "entities");
        for (Tag k = 0; k < around; ++k) in.integer("a bounding entity");
      }
      in.done();
      if (!found.try_emplace({d, tag}, lists.number_of(std::move(groups))).second)
        in.fail(
            fmt::format("the {} {} is defined twice", kEntity[static_cast<std::size_t>(d)], tag),
            "");
    }
  return found;
}

Type known_type(Source& in, int type) {
  if (type == kPoint || element_of_gmsh(type)) return type_of(type);
  const auto foreign = std::ranges::find(kForeign, type, &Foreign::type);
  if (foreign != kForeign.end())
    in.fail(fmt::format("elements of type {} ({}) are not supported", type, foreign->name),
            foreign->hint);
  in.fail(fmt::format("elements of type {} are not supported", type),
          "supported: 1 to 9, 11, 15, 16, 17: lines, triangles, quadrilaterals, tetrahedra, "
          "hexahedra to order 2, wedges and pyramids to order 1");
}

/// Section $Elements of both versions.
class ElementSection {
 public:
  ElementSection(Source& in, File& file, GroupLists& lists) : in_(in), file_(file), lists_(lists) {}
  void read() { in_.version_2 ? read_2() : read_4(); }
  /// Replaces entities by group lists in version 4. `entities`: null if the file has none.
  void resolve(const EntityGroups* entities) {
    std::vector<int> list;
    for (const auto& [dimension, entity, at] : used_) {
      if (!entities)
        list.push_back(lists_.number_of({}));
      else if (const auto known = entities->find({dimension, entity}); known != entities->end())
        list.push_back(known->second);
      else
        gmsh::fail(in_.origin(), at,
                   fmt::format("the {} {} is not in $Entities",
                               kEntity[static_cast<std::size_t>(dimension)], entity),
                   "");
    }
    for (Element& e : file_.elements) e.groups = list[static_cast<std::size_t>(e.groups)];
  }

 private:
  struct Used {
    int dimension, entity;
    Place at;
  };
  void add_element(Tag tag, int type, int groups, Place at) {
    if (tag < 1) in_.fail(fmt::format("the element tag is {}", tag), "tags must be at least 1");
    file_.elements.push_back({tag, type, file_.element_nodes.size(), groups, at});
  }

  void read_2() {
    const Tag count = in_.bounded(number_alone(in_, in_.line("the number of elements")),
                                  in_.binary() ? 8 : 6, "elements");
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
        in_.fail(fmt::format("a block has {} elements, but {} are left", inside,
                             count - std::ssize(file_.elements)));
      for (int i = 0; i < inside; ++i) {
        in_.record("an element");
        element_2(in_.integer("the tag of an element"), type, tags);
      }
    }
  }

  void element_2(Tag tag, int number, int tags) {
    const Type type = known_type(in_, number);
    const Place at = in_.here();
    if (tags < 0) in_.fail(fmt::format("an element has {} tags", tags), "0 or more");
    std::vector<Tag> groups;
    for (int k = 0; k < tags; ++k) {  // physical, elementary, partitions
      const Tag value = in_.integer("a tag of an element");
      if (k == 0 && value != 0) groups.push_back(std::abs(value));
    }
    add_element(tag, number, lists_.number_of(std::move(groups)), at);
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

  // Element::groups is an index into used_ until all sections are read.
  void read_4() {
    in_.record("the numbers of blocks and elements");
    const Tag blocks = in_.count("the number of blocks");
    const Tag count =
        in_.bounded(in_.count("the number of elements"), in_.binary() ? 8 : 4, "elements");
    in_.count("the smallest tag");
    in_.count("the largest tag");
    in_.done();
    for (Tag b = 0; b < blocks; ++b) {
      in_.record("a block of elements");
      const Place at = in_.here();
      const int dimension = dimension_of(in_, in_.integer("the dimension of an entity"));
      const int entity = in_.integer("the tag of an entity");
      const int number = in_.integer("the type of the elements");
      const Type type = known_type(in_, number);
      if (type.dimension != dimension)
        in_.fail(fmt::format("{} elements are on an entity of dimension {}", type.name, dimension),
                 std::to_string(type.dimension));
      const Tag inside =
          in_.bounded(in_.count("the number of elements"), in_.binary() ? 8 : 4, "elements");
      in_.done();
      if (inside > count - std::ssize(file_.elements))
        in_.fail(fmt::format("the blocks have more elements than the {} of the section", count),
                 "");
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
      in_.fail(fmt::format("the blocks have {} elements, but the section announces {}",
                           file_.elements.size(), count),
               "");
  }

  Source& in_;
  File& file_;
  GroupLists& lists_;
  std::vector<Used> used_;
};

File read_sections(Source& in) {
  File file;
  GroupLists lists(file.groups);
  ElementSection elements(in, file, lists);
  std::optional<EntityGroups> entities;
  read_format(in);
  std::set<std::string, std::less<>> seen;
  while (in.next_line()) {
    const std::string_view line = in.line();
    if (!line.starts_with('$') || line.starts_with("$End") || line.size() == 1)
      in.fail("no section begins here", "write '$' and the name of a section");
    const std::string name(line.substr(1));
    const bool once = name == "Nodes" || name == "Elements" || name == "Entities" ||
                      name == "PhysicalNames" || name == "MeshFormat";
    if (once && !(seen.insert(name).second && name != "MeshFormat"))
      in.fail(fmt::format("the section ${} occurs twice", name), "use one");
    if (name == "PartitionedEntities")
      in.fail("the mesh is partitioned", "save it without partitions: Mesh.NumPartitions = 0");
    if (name == "PhysicalNames") {
      file.names = read_names(in);
    } else if (name == "Nodes") {
      NodeSection(in, file.nodes).read();
    } else if (name == "Elements") {
      elements.read();
    } else if (name == "Entities" && !in.version_2) {
      entities = read_entities(in, lists);
    } else {
      in.skip(name);
      continue;
    }
    end_section(in, name);
  }
  for (const char* wanted : {"Nodes", "Elements"})
    if (!seen.contains(wanted))
      gmsh::fail(in.origin(), in.here(), fmt::format("there is no section ${}", wanted),
                 "the file is cut off");
  if (!in.version_2) elements.resolve(entities ? &*entities : nullptr);
  file.origin = in.origin();
  return file;
}

}  // namespace

Type type_of(int gmsh) {
  if (gmsh == kPoint) return {0, 1, 1, "point"};
  const ElementInfo& kind = info(*element_of_gmsh(gmsh));
  return {kind.dimension, kind.nodes, kind.corners, kind.name};
}

File read_file(std::string_view bytes, const std::string& name, const std::string& path) {
  Source in(bytes, name, path);
  return read_sections(in);
}

}  // namespace saltus::gmsh
