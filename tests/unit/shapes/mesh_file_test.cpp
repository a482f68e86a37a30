#include "saltus/shapes/mesh_file.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>

#include "unit/shapes/shape_samples.h"

using namespace saltus;
using namespace saltus::samples;

namespace {

template <class Use>
std::string scene_fault(Use use) {
  try {
    use();
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

std::string obj_fault(const std::string& text) {
  return scene_fault([&] { read_obj_text(text, "k.obj", "mesh"); });
}
std::string stl_fault(const std::string& bytes) {
  return scene_fault([&] { read_stl_bytes(bytes, "k.stl", "mesh"); });
}

void put(std::string& bytes, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::string binary_stl(const Surface& s, const std::string& header = "") {
  std::string bytes = header;
  bytes.resize(80, ' ');
  put(bytes, static_cast<std::uint32_t>(s.triangles.size()));
  for (const auto& t : s.triangles) {
    bytes.append(12, '\0');
    for (int v : t)
      for (double x : s.vertices[v])
        put(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(x)));
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

std::string text_stl(const Surface& s) {
  std::string text = "solid a brick\n";
  for (const auto& t : s.triangles) {
    text += "  facet normal 0 0 0\n    outer loop\n";
    for (int v : t) {
      text += "      vertex";
      for (double x : s.vertices[v]) text += " " + number(x);
      text += "\n";
    }
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid a brick\n";
}

std::string obj(const Surface& s) {
  std::string text = "# a brick\n";
  for (const Vector3& x : s.vertices)
    text += "v " + number(x.x()) + " " + number(x.y()) + " " + number(x.z()) + "\n";
  for (const auto& [a, b, c] : s.triangles)
    text += "f " + std::to_string(a + 1) + " " + std::to_string(b + 1) + " " +
            std::to_string(c + 1) + "\n";
  return text;
}

std::shared_ptr<const TriangleMesh> mesh(const SurfaceFile& s) {
  return triangle_mesh(s.vertices, s.triangles);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
  return text;
}

const Surface kBrick = box_surface({0.25, 0.125, 0.0625}, {0.5, 0.0, 1.0});

}  // namespace

TEST_CASE("a brick is read from OBJ, text STL and binary STL files as it was written") {
  const auto folder = std::filesystem::temp_directory_path() / "saltus_mesh_file_test";
  std::filesystem::create_directories(folder);
  for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"brick.obj", obj(kBrick)},
           {"brick.STL", text_stl(kBrick)},
           {"binary.stl", binary_stl(kBrick)},
           {"named.stl", binary_stl(kBrick, "solid by its header, binary by its length")}}) {
    CAPTURE(name);
    std::ofstream(folder / name, std::ios::binary) << bytes;
    const SurfaceFile file = read_surface((folder / name).string(), "mesh");
    CHECK(file.vertices.size() == 8);
    CHECK(file.triangles.size() == 12);
    const SolidMoments m = moments(mesh(file)), expected = moments(Box{{0.25, 0.125, 0.0625}});
    CHECK(m.volume == doctest::Approx(expected.volume).epsilon(1e-15));
    CHECK((m.inertia - expected.inertia).norm() <= 1e-15 * expected.inertia.norm());
    CHECK((m.centre - Vector3(0.5, 0.0, 1.0)).norm() <= 1e-15);
  }
  const auto path_fault = [&](const std::string& name) {
    return scene_fault([&] { read_surface((folder / name).string(), "bodies[2].mesh"); });
  };
  std::ofstream(folder / "empty.obj") << "";
  std::ofstream(folder / "empty.stl") << "";
  std::ofstream(folder / "brick.ply") << "ply";
  std::filesystem::create_directories(folder / "folder.obj");
  CHECK(path_fault("none.obj").find("none.obj' does not exist") != std::string::npos);
  CHECK(path_fault("folder.obj").find("is a folder, not a file") != std::string::npos);
  CHECK(path_fault("empty.obj").find("contains no vertices") != std::string::npos);
  CHECK(path_fault("empty.stl").find("is 0 bytes long") != std::string::npos);
  CHECK(path_fault("brick.ply").find("files '.ply' are not supported; .obj or .stl") !=
        std::string::npos);
  CHECK(path_fault("brick").find("the file name has no extension") != std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("OBJ files may count back, name textures and normals, break lines and hold polygons") {
  const SurfaceFile file = read_obj_text(
      "mtllib none.mtl\r\n"
      "o pyramid\r\n"
      "v -1 -1 0 1 0 0   # with a colour\n"
      "v 1 -1 0 1.0\n"
      "v 1 1 \\\n"
      "  0\n"
      "v -1 1 0 0.5 0.5 0.5 1\n"
      "vt 0 0\nvn 0 0 -1\n"
      "g base\nusemtl stone\ns off\n"
      "f 4/1/1 3/1/1 2//1 1/1\n"
      "v 0 0 +1.5e0\n"
      "f -5 -4 -1\n"
      "f 2 3 5\nf 3 4 5\nf 4 1 5\n"
      "l 1 2 3\n\tp 1\n",
      "k.obj");
  CHECK(file.vertices.size() == 5);
  CHECK(file.triangles.size() == 6);
  CHECK(file.triangles[2] == std::array{0, 1, 4});
  CHECK(moments(mesh(file)).volume == doctest::Approx(2.0).epsilon(1e-15));
}

TEST_CASE("a face may name vertices that follow it") {
  CHECK(read_obj_text("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", "k.obj").triangles.size() == 1);
}

TEST_CASE("polygons are cut from a corner that sees all others, or refused") {
  // an arrow head: only the notch (3) and the tip (1) see all others
  const std::string arrow = "v 0 2 0\nv -1 0 0\nv 0 1 0\nv 1 0 0\n";
  for (const char* face : {"f 1 2 3 4", "f 2 3 4 1", "f 3 4 1 2", "f 4 1 2 3"}) {
    const SurfaceFile file = read_obj_text(arrow + face, "k.obj");
    REQUIRE(file.triangles.size() == 2);
    double area = 0.0;
    for (const auto& [a, b, c] : file.triangles)
      area += 0.5 *
              (file.vertices[b] - file.vertices[a]).cross(file.vertices[c] - file.vertices[a]).z();
    CHECK(area == doctest::Approx(1.0).epsilon(1e-15));
  }
  // a corner in the middle of a side
  CHECK(
      read_obj_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 1 1 0\nf 1 2 3 4\n", "k.obj").triangles.size() ==
      2);
  const std::string zigzag =
      "v 0 0 0\nv 1 3 0\nv 2 0 0\nv 3 3 0\nv 4 0 0\nv 4 4 0\nv 3 3.5 0\nv 2 1 0\nv 1 4 0\n"
      "f 1 2 3 4 5 6 7 8 9\n";
  CHECK(obj_fault(zigzag) ==
        "k.obj:10: mesh: the polygon cannot be split into a fan of triangles; use convex "
        "polygons or triangles");
}

TEST_CASE("bad OBJ files are refused with line and column") {
  const std::string v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  const auto starts = [](const std::string& text, const std::string& expected) {
    CAPTURE(text);
    CHECK(text.substr(0, expected.size()) == expected);
  };
  starts(obj_fault(""), "k.obj: mesh: contains no vertices");
  starts(obj_fault(v), "k.obj: mesh: contains no faces");
  starts(obj_fault("v 0 0 nan\n"), "k.obj:1:7: mesh: ");
  starts(obj_fault("v 0 0 0\nv 0 inf 0\n"), "k.obj:2:5: mesh: ");
  starts(obj_fault("v 0 1e999 0\n"), "k.obj:1:5: mesh: ");
  starts(obj_fault("v 0 1e60 0\n"), "k.obj:1:5: mesh: the coordinate is too large; at most 1e50");
  starts(obj_fault("v 0 a 0\n"), "k.obj:1:5: mesh: ");
  starts(obj_fault("v 0 1\n"), "k.obj:1:5: mesh: the vertex has 2 numbers; 3");
  starts(obj_fault(v + "f 1 2 4\n"),
         "k.obj:4:7: mesh: the index 4 is out of range (the file has 3 vertices)");
  starts(obj_fault(v + "f 1 2 0\n"), "k.obj:4:7: mesh: the index is 0; indices count from 1");
  starts(obj_fault(v + "f 1 2 -4\n"),
         "k.obj:4:7: mesh: the index -4 counts back past the first of 3 vertices");
  starts(obj_fault(v + "f 1 2\n"), "k.obj:4:5: mesh: the face has 2 corners; 3 or more");
  starts(obj_fault(v + "f 1 2 2\n"), "k.obj:4:7: mesh: the vertex 2 appears twice in this face");
  for (const char* corner :
       {"3/", "3/a", "3//", "3/1/", "x", "3.0", "3/1/1/1", "99999999999999999999"})
    starts(obj_fault(v + "f 1 2 " + corner + "\n"), "k.obj:4:7: mesh: '");
  starts(obj_fault(v + "v 2 0 0\nf 1 2 4\n"), "k.obj:5: mesh: the triangle has no area");
  starts(obj_fault(v + "surf 0 1 0 1\n"),
         "k.obj:4:1: mesh: 'surf' is not a supported OBJ statement");
  starts(obj_fault("\x7f"
                   "ELF\x01\n"),
         "k.obj:1:1: mesh: ");
}

TEST_CASE("corners at exactly equal places of an STL file are one vertex, the sign of 0 aside") {
  Surface s{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 1, -0.0}, {1, -0.0, 0}, {1, 1, 0x1p-40}},
            {{0, 1, 2}, {3, 4, 5}}};
  for (const std::string& bytes : {binary_stl(s), text_stl(s)}) {
    const SurfaceFile file = read_stl_bytes(bytes, "k.stl");
    CHECK(file.vertices.size() == 4);
    CHECK(file.triangles == Triangles{{0, 1, 2}, {2, 1, 3}});
    CHECK(file.vertices[3] == Vector3(1, 1, 0x1p-40));
  }
}

TEST_CASE("words of text STL files may be in capitals, and a file may hold several solids") {
  std::string text = text_stl(kBrick);
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  CHECK(read_stl_bytes(text, "k.stl").triangles.size() == 12);
  CHECK(read_stl_bytes(text + text_stl(kBrick), "k.stl").triangles.size() == 24);
}

TEST_CASE("bad STL files are refused with line or facet") {
  const std::string bytes = binary_stl(kBrick), text = text_stl(kBrick);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(stl_fault("abc") ==
        "k.stl: mesh: is 3 bytes long, too short for an STL file; 'solid ...', or 84 bytes and 50 "
        "per facet");
  CHECK(stl_fault(bytes.substr(0, bytes.size() - 1)) ==
        "k.stl: mesh: ends inside facet 12 of 12; 50 bytes per facet");
  CHECK(stl_fault(bytes.substr(0, 84 + 3 * 50)) ==
        "k.stl: mesh: ends inside facet 4 of 12; 50 bytes per facet");
  CHECK(stl_fault(binary_stl(kBrick, "solid").substr(0, 300)) ==
        "k.stl: mesh: ends inside facet 5 of 12; 50 bytes per facet");
  CHECK(stl_fault(bytes + "x") ==
        "k.stl: mesh: has 1 bytes after the last of its 12 facets; 50 bytes per facet");
  CHECK(stl_fault(binary_stl(Surface{})) == "k.stl: mesh: contains no facets");
  std::string bad = bytes, place;
  put(place, std::bit_cast<std::uint32_t>(nan));
  bad.replace(84 + 2 * 50 + 12 + 12, 4, place);
  CHECK(stl_fault(bad) == "k.stl: mesh: corner 2 of facet 3 is not finite; finite numbers");
  Surface flat = kBrick;
  flat.triangles[4][1] = flat.triangles[4][0];
  CHECK(stl_fault(binary_stl(flat)) == "k.stl: mesh: facet 5 has no area");
  CHECK(stl_fault(text_stl(flat)) == "k.stl:30: mesh: facet 5 has no area");

  CHECK(stl_fault("solid nothing\nendsolid nothing\n") ==
        "k.stl: mesh: contains no facets; facet ... endfacet");
  CHECK(stl_fault(text.substr(0, text.find("endsolid"))) ==
        "k.stl:85: mesh: ends inside or after facet 13; a facet or endsolid");
  CHECK(stl_fault(text.substr(0, text.find("endloop"))) ==
        "k.stl:7: mesh: ends inside or after facet 1; endloop");
  CHECK(stl_fault(replaced(text, "outer", "inner")) ==
        "k.stl:3:5: mesh: unexpected 'inner' in facet 1; 'outer loop'");
  CHECK(stl_fault(replaced(text, "facet normal 0 0 0", "facet normal 0 0")) ==
        "k.stl:2:18: mesh: 2 words after 'normal'; 3");
  CHECK(stl_fault(replaced(text, "vertex", "vertex 1")) ==
        "k.stl:4:28: mesh: 4 words after 'vertex'; 3");
  CHECK(stl_fault(replaced(text, "vertex 0.25", "vertex nan")).starts_with("k.stl:4:14: mesh: "));
}
