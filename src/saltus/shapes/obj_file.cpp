#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "saltus/shapes/mesh_file.h"
#include "saltus/shapes/surface_text.h"

namespace saltus {
namespace {

constexpr const char* kCorner = "v, v/t, v//n or v/t/n";

constexpr std::size_t kMostCorners = 10000;  // the time to split a polygon grows with their square

// Statements that do not affect the geometry of the surface.
constexpr auto kPassedOver = std::to_array<std::string_view>(
    {"vt", "vn", "vp", "g", "o", "s", "mg", "usemtl", "mtllib", "usemap", "maplib", "l", "p",
     "bevel", "c_interp", "d_interp", "lod", "shadow_obj", "trace_obj"});

class ObjReader {
 public:
  ObjReader(std::string_view text, const std::string& name, const std::string& path)
      : in_(text, name, path, true) {}

  SurfaceFile read() {
    while (in_.next()) {
      const std::string_view keyword = in_.words()[0];
      if (keyword == "v")
        vertex();
      else if (keyword == "f")
        face();
      else if (std::ranges::find(kPassedOver, keyword) == kPassedOver.end())
        in_.fail(keyword, fmt::format("'{:.40}' is not a supported OBJ statement", keyword),
                 "v and f; textures, normals, groups and materials are ignored");
    }
    if (corners_.empty())
      in_.fail_at(0, vertices().empty() ? "contains no vertices" : "contains no faces",
                  "v and f lines");
    for (std::size_t k = 0; k < faces_.size(); ++k) cut(k);
    return std::move(surface_);
  }

 private:
  struct Face {
    std::size_t first = 0;  ///< index in corners_
    int line = 0;
  };
  struct Corner {
    std::int64_t vertex = 0;  ///< counted from 0
    std::string_view word;
  };
  std::vector<Vector3>& vertices() { return surface_.vertices; }

  // v x y z, then a weight, a colour or both, which are ignored
  void vertex() {
    const std::size_t count = in_.words().size() - 1;
    if (count != 3 && count != 4 && count != 6 && count != 7)
      in_.fail(in_.words().back(),
               fmt::format("the vertex has {} {}", count, count == 1 ? "number" : "numbers"),
               "3, optionally followed by a weight or a colour");
    for (std::size_t k = 4; k <= count; ++k) in_.number(in_.words()[k]);
    vertices().push_back(in_.place(1));
  }

  std::int64_t index(std::string_view corner, std::string_view part) const {
    std::int64_t value = 0;
    const char* end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, value);
    if (error != std::errc{} || stop != end)
      in_.fail(corner, fmt::format("'{:.40}' is not a corner of a face", corner), kCorner);
    if (value == 0) in_.fail(corner, "the index is 0", "indices count from 1");
    return value;
  }

  void face() {
    const auto& words = in_.words();
    if (words.size() < 4)
      in_.fail(words.back(), fmt::format("the face has {} corners", words.size() - 1), "3 or more");
    faces_.push_back({corners_.size(), in_.line()});
    for (std::size_t k = 1; k < words.size(); ++k) corner(words[k]);
  }

  void corner(std::string_view word) {
    const std::size_t slash = std::min(word.find('/'), word.size());
    const std::int64_t v = index(word, word.substr(0, slash));
    if (slash < word.size()) {
      const std::string_view rest = word.substr(slash + 1);
      const std::size_t second = std::min(rest.find('/'), rest.size());
      if (second > 0 || second == rest.size()) index(word, rest.substr(0, second));
      if (second < rest.size()) index(word, rest.substr(second + 1));
    }
    const auto count = static_cast<std::int64_t>(vertices().size());
    if (v < 0 && -v > count)
      in_.fail(word,
               fmt::format("the index {} counts back past the first of {}", v, vertices_of(count)),
               "define the vertices before the face");
    corners_.push_back({v < 0 ? count + v : v - 1, word});
  }

  static std::string vertices_of(std::int64_t count) {
    return fmt::format("{} {}", count, count == 1 ? "vertex" : "vertices");
  }

  // Splits into a fan from the first corner whose triangles all have the orientation of the
  // polygon.
  void cut(std::size_t face) {
    const std::size_t first = faces_[face].first;
    const std::size_t last = face + 1 < faces_.size() ? faces_[face + 1].first : corners_.size();
    polygon_.clear();
    for (std::size_t k = first; k < last; ++k) {
      const auto [v, word] = corners_[k];
      if (v >= static_cast<std::int64_t>(vertices().size()))
        in_.fail(word,
                 fmt::format("the index {} is out of range (the file has {})", v + 1,
                             vertices_of(std::ssize(vertices()))),
                 "");
      if (std::ranges::find(polygon_, static_cast<int>(v)) != polygon_.end())
        in_.fail(word, fmt::format("the vertex {} appears twice in this face", v + 1), "");
      polygon_.push_back(static_cast<int>(v));
    }
    const std::size_t n = polygon_.size();
    Vector3 area = Vector3::Zero();
    for (std::size_t k = 1; k + 1 < n; ++k) area += triangle_area(0, k, k + 1);
    for (std::size_t start = 0; start < n; ++start) {
      bool good = true;
      for (std::size_t k = 1; good && k + 1 < n; ++k)
        good = triangle_good(start, (start + k) % n, (start + k + 1) % n, area);
      if (!good) continue;
      for (std::size_t k = 1; k + 1 < n; ++k)
        surface_.triangles.push_back(
            {polygon_[start], polygon_[(start + k) % n], polygon_[(start + k + 1) % n]});
      return;
    }
    if (n == 3) in_.fail_at(faces_[face].line, "the triangle has no area", "");
    in_.fail_at(faces_[face].line, "the polygon cannot be split into a fan of triangles",
                "use convex polygons or triangles");
  }

  const Vector3& corner_at(std::size_t k) { return vertices()[polygon_[k]]; }
  Vector3 triangle_area(std::size_t i, std::size_t j, std::size_t k) {
    return area_vector(corner_at(i), corner_at(j), corner_at(k));
  }
  bool triangle_good(std::size_t i, std::size_t j, std::size_t k, const Vector3& area) {
    return has_area(corner_at(i), corner_at(j), corner_at(k)) &&
           triangle_area(i, j, k).dot(area) > 0.0;
  }

  SurfaceText in_;
  SurfaceFile surface_;
  std::vector<Face> faces_;
  std::vector<Corner> corners_;
  std::vector<int> polygon_;
};

}  // namespace

SurfaceFile read_obj_text(std::string_view text, const std::string& name, const std::string& path) {
  return ObjReader(text, name, path).read();
}

}  // namespace saltus
