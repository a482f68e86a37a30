#include "saltus/mesh/gmsh.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "mesh_measures.h"
#include "saltus/base/error.h"
#include "support/gmsh_files.h"

using namespace saltus;
using namespace saltus_test;

namespace {

Mesh read(const std::string& bytes) { return read_gmsh_bytes(bytes, "a.msh"); }

/// Elements as lists of places, in order: what a mesh is whatever its numbers are.
std::vector<std::vector<double>> geometry(const Mesh& mesh) {
  std::vector<std::vector<double>> all;
  for (int e = 0; e < mesh.elements(); ++e) {
    std::vector<double> one{static_cast<double>(mesh.kind(e))};
    for (int a : mesh.element(e))
      for (int k = 0; k < 3; ++k) one.push_back(mesh.nodes(k, a));
    all.push_back(std::move(one));
  }
  std::ranges::sort(all);
  return all;
}

std::set<std::vector<double>> places(const Mesh& mesh, const std::vector<int>& nodes) {
  std::set<std::vector<double>> all;
  for (int a : nodes) all.insert({mesh.nodes(0, a), mesh.nodes(1, a), mesh.nodes(2, a)});
  return all;
}

std::set<std::set<std::vector<double>>> places(const Mesh& mesh,
                                               const std::vector<MeshFace>& faces) {
  std::set<std::set<std::vector<double>>> all;
  for (const MeshFace& f : faces) all.insert(places(mesh, mesh.face_nodes(f)));
  return all;
}

Mesh box(ElementKind kind) {
  BoxMesh b;
  b.kind = kind;
  b.cells = {2, 3, 2};
  b.size = Vector3(1.0, 0.7, 1.0 / 3.0);
  b.origin = info(kind).dimension == 3 ? Vector3(0.1, -0.2, 0.3)
                                       : Vector3(0.1, info(kind).dimension > 1 ? -0.2 : 0.0, 0.0);
  return box_mesh(b);
}

}  // namespace

TEST_CASE("every kind of element is read from both versions, as text and binary, with its groups") {
  for (const ElementInfo& kind : element_kinds()) {
    CAPTURE(kind.name);
    const Mesh mesh = box(kind.kind);
    const GmshText file = gmsh_of(mesh);
    for (const GmshEncoding& as : gmsh_encodings()) {
      CAPTURE(as.version);
      CAPTURE(as.binary);
      CAPTURE(as.size);
      const Mesh back = read(file.encode(as));
      CHECK_NOTHROW(check(back));
      CHECK(back.dimension == mesh.dimension);
      CHECK(back.nodes == mesh.nodes);  // tags keep the order
      REQUIRE(back.blocks.size() == 1);
      CHECK(back.blocks[0].kind == kind.kind);
      CHECK(back.blocks[0].nodes == mesh.blocks[0].nodes);
      CHECK(back.element_sets.at("part 1").size() == static_cast<std::size_t>(mesh.elements()));
      CHECK(back.face_sets.size() == mesh.face_sets.size());
      for (const auto& [name, set] : mesh.face_sets) {
        CHECK(places(back, back.face_sets.at(name)) == places(mesh, set));
        CHECK(back.node_sets.at(name) == mesh.node_sets.at(name));
      }
    }
  }
}

TEST_CASE("what is written comes back: nodes to the bit, elements, groups") {
  std::vector<Mesh> meshes;
  for (const ElementInfo& kind : element_kinds()) meshes.push_back(box(kind.kind));
  ArchMesh arch;
  arch.kind = ElementKind::hex20;
  meshes.push_back(arch_mesh(arch));
  for (const Mesh& mesh : meshes) {
    CAPTURE(info(mesh.blocks[0].kind).name);
    Mesh named = mesh;
    named.element_sets["lower half"] = {1, 0};
    named.element_sets["first"] = {0};
    named.node_sets["two nodes"] = {0, 2};
    const Mesh back = read(gmsh_text(named));
    CHECK(back.nodes == mesh.nodes);
    CHECK(back.dimension == mesh.dimension);
    CHECK(geometry(back) == geometry(mesh));
    CHECK(back.element_sets.at("lower half").size() == 2);
    CHECK(back.element_sets.at("first").size() == 1);
    for (const auto& [name, set] : named.node_sets)
      CHECK(places(back, back.node_sets.at(name)) == places(named, set));
    for (const auto& [name, set] : named.face_sets)
      CHECK(places(back, back.face_sets.at(name)) == places(named, set));
  }
}

TEST_CASE("a file that is written is read again from its folder") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("saltus_gmsh_test_" + std::to_string(::getpid()) + ".msh");
  const Mesh mesh = box(ElementKind::tet10);
  write_gmsh(mesh, file);
  CHECK(read_gmsh(file).nodes == mesh.nodes);
  std::filesystem::remove(file);
  CHECK_THROWS_AS(read_gmsh(file), SceneError);
  CHECK_THROWS_AS(write_gmsh(mesh, file / "no folder"), SceneError);
}

// Two triangles on the unit square, with boundary lines, a point, and a node that only geometry knows, as Gmsh 4.11 writes them.
constexpr const char* kSquare41 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
3
0 7 "corner"
1 5 "left side"
2 6 "plate"
$EndPhysicalNames
$Entities
2 2 1 0
1 0 0 0 1 7 
9 0.5 0.5 0 0 
1 0 0 0 1 0 0 0 2 1 -2 
4 0 0 0 0 1 0 1 5 2 4 -1 
1 0 0 0 1 1 0 1 6 4 1 2 3 4 
$EndEntities
$Nodes
4 5 1 9
0 1 0 1
1
0 0 0
0 9 0 1
9
0.5 0.5 0
1 1 1 1
2
1 0 0 1
2 1 0 2
4
7
0 1 0
1 1 0
$EndNodes
$Elements
4 6 1 12
0 1 15 1
1 1 
0 9 15 1
2 9 
1 4 1 2
8 4 1 
10 1 4 
2 1 2 2
11 1 2 7 
12 1 7 4 
$EndElements
)";

TEST_CASE("a file as Gmsh writes it: groups by name, nodes that no element uses are dropped") {
  std::string text = kSquare41;
  text.replace(text.find("1 4 1 2\n8 4 1 \n10 1 4 \n"), 23, "1 4 1 1\n8 4 1 \n");
  text.replace(text.find("4 6 1 12"), 8, "4 5 1 12");
  const Mesh mesh = read(text);
  CHECK(mesh.dimension == 2);
  CHECK(mesh.nodes.cols() == 4);
  CHECK(mesh.elements() == 2);
  CHECK(mesh.blocks.size() == 1);
  CHECK(mesh.node_sets.at("corner") == std::vector<int>{0});
  CHECK(mesh.node_sets.at("left side") == std::vector<int>{0, 2});
  CHECK(mesh.node_sets.at("plate") == std::vector<int>{0, 1, 2, 3});
  CHECK(mesh.element_sets.at("plate") == std::vector<int>{0, 1});
  REQUIRE(mesh.face_sets.at("left side").size() == 1);
  CHECK(mesh.face_sets.at("left side")[0] == MeshFace{1, 2});
  CHECK(volume(mesh) == 1.0);
}

TEST_CASE("an element twice in one group is an error that names both") {
  CHECK_THROWS_WITH(read(kSquare41), doctest::Contains("element 10 (bar2) repeats element 8"));
}

namespace {

/// Two tetrahedra side by side, version 2.2.
std::string pair_22(const std::string& elements, int count) {
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 "
         "1 1\n9 0 0 5\n$EndNodes\n$Elements\n" +
         std::to_string(count) + "\n" + elements + "$EndElements\n";
}
const std::string kPair = "1 4 2 1 1 1 2 3 4\n2 4 2 2 1 2 3 4 5\n";

}  // namespace

TEST_CASE("groups without a name are called by their dimension and number") {
  const Mesh mesh = read(pair_22(kPair + "3 2 2 1 1 1 2 3\n4 15 2 3 3 4\n", 4));
  CHECK(mesh.blocks.size() == 2);
  CHECK(mesh.element_sets.at("volume 1") == std::vector<int>{0});
  CHECK(mesh.element_sets.at("volume 2") == std::vector<int>{1});
  CHECK(mesh.face_sets.at("surface 1") == std::vector<MeshFace>{{0, 0}});
  CHECK(mesh.node_sets.at("surface 1") == std::vector<int>{0, 1, 2});
  CHECK(mesh.node_sets.at("point 3") == std::vector<int>{3});
  CHECK(mesh.node_sets.size() == 4);
}

TEST_CASE("a face between two elements is that of the one of the lower number") {
  const Mesh mesh = read(pair_22(kPair + "3 2 2 7 1 2 3 4\n", 3));
  REQUIRE(mesh.face_sets.at("surface 7").size() == 1);
  CHECK(mesh.face_sets.at("surface 7")[0].element == 0);
}

TEST_CASE("an element in two groups, twice in a file 2.2, is one element") {
  const Mesh mesh = read(pair_22(kPair + "3 4 2 9 1 1 2 3 4\n", 3));
  CHECK(mesh.elements() == 2);
  CHECK(mesh.element_sets.at("volume 1") == mesh.element_sets.at("volume 9"));
}

TEST_CASE(
    "lines of a group are bars where they are no edges, and elements without a group are passed "
    "over") {
  // node 9 hangs on node 5; the line 1 2 is an edge; the line 1 5 is in no group
  const Mesh mesh = read(pair_22(kPair + "3 1 2 4 1 5 9\n4 1 2 4 1 1 2\n5 1 2 0 1 1 5\n", 5));
  CHECK(mesh.dimension == 3);
  REQUIRE(mesh.elements() == 3);
  CHECK(mesh.kind(0) == ElementKind::bar2);
  CHECK(mesh.element_sets.at("curve 4") == std::vector<int>{0});
  CHECK(mesh.node_sets.at("curve 4") == std::vector<int>{0, 1, 4, 5});
  CHECK(measure(mesh, 0) == doctest::Approx(std::sqrt(18.0)));
}

TEST_CASE("lines along edges are bars where their group is named") {
  const std::string text = pair_22(kPair + "3 1 2 4 1 1 2\n4 1 2 5 1 1 3\n", 4);
  CHECK(read(text).elements() == 2);
  const std::vector<std::string> bars{"curve 4"};
  const Mesh mesh = read_gmsh_bytes(text, "a.msh", "", bars);
  REQUIRE(mesh.elements() == 3);
  CHECK(mesh.element_sets.at("curve 4") == std::vector<int>{0});
  CHECK(!mesh.element_sets.contains("curve 5"));
  const std::vector<std::string> wrong{"curve 6"};
  CHECK_THROWS_WITH_AS(
      read_gmsh_bytes(text, "a.msh", "", wrong),
      "a.msh: no physical group 'curve 6' contains lines; give the name of a physical curve",
      SceneError);
}

TEST_CASE("plane elements move to z = 0 and are turned to look up") {
  const std::string text =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n1 0 0 2\n2 1 0 2\n3 1 1 2\n4 0 1 2\n5 0.5 "
      "0 "
      "2\n6 1 0.5 2\n7 0.5 1 2\n8 0 0.5 2\n$EndNodes\n$Elements\n1\n1 16 2 1 1 1 4 3 2 8 7 6 "
      "5\n$EndElements\n";
  const Mesh mesh = read(text);
  CHECK(mesh.dimension == 2);
  CHECK(mesh.nodes.row(2).isZero(0.0));
  CHECK(mesh.blocks[0].nodes == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(measure(mesh, 0) == doctest::Approx(1.0).epsilon(1e-15));
}

TEST_CASE("bars alone have the dimension of the space they need") {
  const auto bars = [](const char* end) {
    return std::string("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 4\n2 1 0 4\n3 ") +
           end + "\n$EndNodes\n$Elements\n2\n1 1 2 0 1 1 2\n2 1 2 0 1 2 3\n$EndElements\n";
  };
  CHECK(read(bars("2 0 4")).dimension == 1);
  CHECK(read(bars("2 1 4")).dimension == 2);
  CHECK(read(bars("2 1 5")).dimension == 3);
  CHECK(read(bars("2 1 5")).nodes.col(0) == Vector3(0.0, 0.0, 4.0));
}

TEST_CASE("sections that are not needed are passed over") {
  const std::string more =
      "$Comments\n $End of nothing\n$EndElse\n$EndComments\n$NodeData\n1\n\"x\"\n$EndNodeData\n";
  std::string text = pair_22(kPair, 2);
  text.insert(text.find("$Nodes"), more);
  CHECK(read(text + more).elements() == 2);
}

TEST_CASE("a physical name without elements is an empty group") {
  std::string text = pair_22(kPair, 2);
  text.insert(text.find("$Nodes"), "$PhysicalNames\n1\n2 5 \"no where\"\n$EndPhysicalNames\n");
  CHECK(read(text).node_sets.at("no where").empty());
}

namespace {

/// The message of the error that the file gives.
std::string said(const std::string& bytes) {
  try {
    read(bytes);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "no error";
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("faults of a mesh file are told with their line") {
  const std::string good = pair_22(kPair, 2);
  const auto expect = [&](const std::string& from, const std::string& to,
                          const std::string& words) {
    CHECK_MESSAGE(said(changed(good, from, to)).find(words) != std::string::npos,
                  said(changed(good, from, to)));
  };
  expect("$MeshFormat\n2.2", "$MeshFormat\n1.0",
         "a.msh:2: MSH version 1 is not supported; supported: 4.1 and 2.2");
  expect("2.2 0 8", "3.0 0 8", "a.msh:2: MSH version 3 is not supported;");
  expect("2.2 0 8", "4 0 8", "a.msh:2: MSH version 4 is not supported;");
  expect("$MeshFormat", "$NOD", "a.msh:1: MSH version 1.0");
  expect("$MeshFormat", "solid", "a.msh:1: is not a Gmsh file");
  expect("2.2 0 8", "2.2 0 16", "a.msh:2: numbers have 16 bytes; 8");
  expect("3 0 1 0", "3 0 x 0", "a.msh:8: 'x' is not a finite number");
  expect("3 0 1 0", "3 0 nan 0", "a.msh:8: 'nan' is not a finite number");
  expect("3 0 1 0", "3 0 1e60 0", "a.msh:8: the coordinate");
  expect("3 0 1 0", "3 0 1", "a.msh:8: the line ends where a coordinate should be");
  expect("3 0 1 0", "3 0 1 0 4", "a.msh:8: the line has the extra words '4'");
  expect("3 0 1 0", "2 0 1 0", "a.msh:8: the node 2 is defined twice");
  expect("3 0 1 0", "0 0 1 0", "a.msh:8: the node tag is 0");
  expect("1 2 3 4\n", "1 2 3 8\n",
         "a.msh:15: element 1 (tet4) has the node 8, which is not in $Nodes");
  expect("1 2 3 4\n", "1 2 3\n", "a.msh:15: element 1 (tet4) has 3 nodes; 4");
  expect("1 2 3 4\n", "1 3 2 4\n", "a.msh:15: element 1 (tet4) is inverted");
  expect("1 2 3 4\n", "1 2 3 3\n", "a.msh:15: element 1 (tet4) is degenerate");
  expect("2 4 2 2 1 2", "1 4 2 2 1 2", "a.msh:16: element 1 (tet4) is defined twice");
  expect("2 4 2 2", "2 12 2 2",
         "a.msh:16: elements of type 12 (hexahedron of 27 nodes) are not supported; "
         "elements of order 2 must have nodes on edges only");
  expect("2 4 2 2", "2 77 2 2", "a.msh:16: elements of type 77 are not supported");
  expect("$Nodes\n6", "$Nodes\n7", "a.msh:12: '$EndNodes' is not a whole number");
  expect("$Nodes\n6", "$Nodes\n5", "a.msh:11: the section $Nodes should end here");
  expect("$Nodes\n6", "$Nodes\n900000000", "a.msh:5: 900000000 nodes do not fit");
  expect("$EndElements", "$Elements\n0\n$EndElements", "a.msh:17: ");
  expect("$EndElements", "", "the file ends where $EndElements should be");
  expect("$EndNodes", "$EndNodes\nx", "a.msh:13: no section begins here");
  CHECK(said(pair_22("", 0)) == "a.msh: contains no elements");
}

TEST_CASE("a group that does not lie on the body is an error with its line") {
  CHECK(said(pair_22(kPair + "3 15 2 3 3 9\n", 3))
            .find("a.msh:17: element 3 (point) of the physical group 'point 3' has the node 9, "
                  "which no element of the body uses") != std::string::npos);
  CHECK(said(pair_22(kPair + "3 2 2 3 3 1 2 5\n", 3))
            .find("a.msh:17: element 3 (tri3) is not a face of the body") != std::string::npos);
  CHECK(read(pair_22(kPair + "3 15 2 0 3 9\n", 3)).nodes.cols() == 5);
  std::string plate = kSquare41;
  plate = changed(plate, "1 1 0\n$EndNodes", "1 1 0.5\n$EndNodes");
  plate = changed(plate, "10 1 4", "10 2 7");
  CHECK(said(plate).find("is not in the plane z = 0; use solids, or plane elements in one plane") !=
        std::string::npos);
}

TEST_CASE("faults of version 4.1 are told with their line") {
  const std::string good =
      changed(changed(changed(kSquare41, "8 4 1 \n10 1 4", "8 4 1"), "1 4 1 2", "1 4 1 1"),
              "4 6 1 12", "4 5 1 12");
  const auto expect = [&](const std::string& from, const std::string& to,
                          const std::string& words) {
    CHECK_MESSAGE(said(changed(good, from, to)).find(words) != std::string::npos,
                  said(changed(good, from, to)));
  };
  expect("4 5 1 12", "4 6 1 12", "the blocks have 5 elements, but the section announces 6");
  expect("4 5 1 12", "4 4 1 12", "more elements than the 4 of the section");
  expect("2 1 2 2", "3 1 2 2", "tri3 elements are on an entity of dimension 3; 2");
  expect("2 1 2 2", "2 8 2 2", "the surface 8 is not in $Entities");
  expect("2 6 \"plate\"", "2 6 plate", "a.msh:8: the line has no physical name");
  expect("2 6 \"plate\"", "1 5 \"plate\"", "a.msh:8: the physical curve 5 has a second name");
  expect("$Entities\n", "$PartitionedEntities\n", "a.msh:10: the mesh is partitioned");
  expect("9 0.5 0.5 0 0", "1 0.5 0.5 0 0", "the point 1 is defined twice");
}

TEST_CASE("a mesh file that is cut off anywhere is an error, never a smaller mesh") {
  const GmshText file = gmsh_of(box(ElementKind::hex8));
  for (const GmshEncoding& as : gmsh_encodings()) {
    CAPTURE(as.version);
    CAPTURE(as.binary);
    const std::string whole = file.encode(as);
    int errors = 0, tried = 0;
    for (std::size_t length = 0; length + 2 < whole.size(); length += 1 + length / 97, ++tried) {
      const std::string what = said(whole.substr(0, length));
      errors += what.starts_with("a.msh") &&
                (!as.binary || length < 30 || what.find("byte ") != what.npos);
      if (!what.starts_with("a.msh")) MESSAGE(length << " " << what);
    }
    CHECK(errors == tried);
  }
}

TEST_CASE("binary files of another byte order or word are refused by name") {
  std::string file = gmsh_of(box(ElementKind::tet4)).encode({41, true, 8});
  const std::size_t one = file.find("8\n") + 2;
  std::swap(file[one], file[one + 3]);
  CHECK(said(file).find("numbers are big-endian; write a little-endian file") != std::string::npos);
  file = changed(gmsh_of(box(ElementKind::tet4)).encode({41, true, 8}), "4.1 1 8", "4.1 1 3");
  CHECK(said(file).find("numbers have 3 bytes; 4 or 8") != std::string::npos);
}
