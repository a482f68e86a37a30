#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

#include "saltus/shapes/mesh_file.h"
#include "saltus/shapes/surface_text.h"

namespace saltus {
namespace {

// A binary file has 80 bytes, the number of facets (4 bytes), and 50 bytes per facet: normal, three
// corners, 2 bytes.
constexpr std::size_t kHeader = 84, kFacet = 50;

using Facet = std::array<Vector3, 3>;

// Corners at equal positions become one vertex; vertices are ordered by first appearance in the
// file.
SurfaceFile join(const std::vector<Facet>& facets) {
  const auto corner = [&](int k) -> const Vector3& { return facets[k / 3][k % 3]; };
  std::vector<int> order(3 * facets.size()), vertex(3 * facets.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int k, int l) {
    const Vector3 &a = corner(k), &b = corner(l);
    return a != b ? std::ranges::lexicographical_compare(a, b) : k < l;
  });
  for (std::size_t i = 0; i < order.size(); ++i)  // the first corner at this position
    vertex[order[i]] =
        i > 0 && corner(order[i]) == corner(order[i - 1]) ? vertex[order[i - 1]] : order[i];
  SurfaceFile surface;
  for (int k = 0; k < static_cast<int>(vertex.size()); ++k) {
    if (vertex[k] < k) {
      vertex[k] = vertex[vertex[k]];
      continue;
    }
    vertex[k] = static_cast<int>(surface.vertices.size());
    surface.vertices.push_back(corner(k));
  }
  for (std::size_t f = 0; f < facets.size(); ++f)
    surface.triangles.push_back({vertex[3 * f], vertex[3 * f + 1], vertex[3 * f + 2]});
  return surface;
}

class StlText {
 public:
  StlText(std::string_view text, const std::string& name, const std::string& path)
      : in_(text, name, path, false) {}

  std::vector<Facet> read() {
    while (in_.next()) {
      expect("solid");
      while (next("a facet or endsolid"), !is("endsolid")) facet();
    }
    if (facets_.empty()) in_.fail_at(0, "contains no facets", "facet ... endfacet");
    return std::move(facets_);
  }

 private:
  bool is(std::string_view wanted, std::size_t place = 0) const {
    const auto lower = [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return place < in_.words().size() &&
           std::ranges::equal(in_.words()[place], wanted, {}, lower, {});
  }
  void next(const char* wanted) {
    if (!in_.next())
      in_.fail_at(in_.line(), fmt::format("ends inside or after facet {}", facets_.size() + 1),
                  wanted);
  }
  // Requires the line to start with these words, followed by `numbers` more words; -1: any number
  // of them.
  void expect(std::string_view first, std::string_view second = "", int numbers = -1) {
    const std::size_t words = second.empty() ? 1 : 2;
    const bool known = is(first) && (words == 1 || is(second, 1));
    if (!known)
      in_.fail(in_.words()[0],
               fmt::format("unexpected '{:.40}' in facet {}", in_.words()[0], facets_.size() + 1),
               fmt::format("'{}{}{}'", first, words == 1 ? "" : " ", second));
    if (numbers >= 0 && in_.words().size() != words + static_cast<std::size_t>(numbers))
      in_.fail(
          in_.words().back(),
          fmt::format("{} words after '{}'", in_.words().size() - words, in_.words()[words - 1]),
          std::to_string(numbers));
  }

  void facet() {
    const int line = in_.line();
    expect("facet", "normal", 3);
    next("outer loop");
    expect("outer", "loop", 0);
    Facet corners;
    for (Vector3& x : corners) {
      next("vertex x y z");
      expect("vertex", "", 3);
      x = in_.place(1);
    }
    next("endloop");
    expect("endloop", "", 0);
    next("endfacet");
    expect("endfacet", "", 0);
    if (!has_area(corners[0], corners[1], corners[2]))
      in_.fail_at(line, fmt::format("facet {} has no area", facets_.size() + 1), "");
    facets_.push_back(corners);
  }

  SurfaceText in_;
  std::vector<Facet> facets_;
};

std::uint32_t whole(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::vector<Facet> read_binary(std::string_view bytes, const std::string& name,
                               const std::string& path) {
  const auto fail = [&](const std::string& message, const std::string& hint) {
    throw SceneError(path, message, hint).at(name, 0, 0);
  };
  if (bytes.size() < kHeader)
    fail(fmt::format("is {} bytes long, too short for an STL file", bytes.size()),
         "'solid ...', or 84 bytes and 50 per facet");
  const std::uint64_t count = whole(bytes, 80), held = bytes.size() - kHeader;
  if (held < count * kFacet)
    fail(fmt::format("ends inside facet {} of {}", held / kFacet + 1, count), "50 bytes per facet");
  if (held > count * kFacet)
    fail(fmt::format("has {} bytes after the last of its {} facets", held - count * kFacet, count),
         "50 bytes per facet");
  if (count == 0) fail("contains no facets", "");
  std::vector<Facet> facets(count);
  for (std::size_t f = 0; f < count; ++f) {
    for (std::size_t k = 0; k < 9; ++k) {
      const std::size_t at = kHeader + kFacet * f + 12 + 4 * k;
      const double x = std::bit_cast<float>(whole(bytes, at));
      if (!std::isfinite(x))
        fail(fmt::format("corner {} of facet {} is not finite", k / 3 + 1, f + 1),
             "finite numbers");
      facets[f][k / 3][static_cast<Eigen::Index>(k % 3)] = x + 0.0;  // -0 becomes 0
    }
    if (!has_area(facets[f][0], facets[f][1], facets[f][2]))
      fail(fmt::format("facet {} has no area", f + 1), "");
  }
  return facets;
}

// Text begins with "solid" and has no control characters except tabs and line ends.
bool is_text(std::string_view bytes) {
  const std::size_t begin = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  std::string word(bytes.substr(begin, 5));
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return word == "solid" && std::ranges::none_of(bytes, [](char c) {
           return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\r' && c != '\n';
         });
}

bool fits_binary(std::string_view bytes) {
  return bytes.size() >= kHeader &&
         bytes.size() - kHeader == kFacet * static_cast<std::uint64_t>(whole(bytes, 80));
}

}  // namespace

SurfaceFile read_stl_bytes(std::string_view bytes, const std::string& name,
                           const std::string& path) {
  return join(!fits_binary(bytes) && is_text(bytes) ? StlText(bytes, name, path).read()
                                                    : read_binary(bytes, name, path));
}

}  // namespace saltus
