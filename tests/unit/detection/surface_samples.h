// Deforming surfaces that tests of detection put near each other.
#pragma once
#include <array>
#include <map>
#include <vector>

#include "saltus/detection/surface_detector.h"

namespace saltus::testing {

inline const std::vector<char> kAllMeet{1};

/// A grid of `cells` x `cells` squares, each of two triangles, over [0, size]^2 at z = 0, seen from above.
inline DeformingShape sheet(int cells, double size, const Vector3& origin = Vector3::Zero()) {
  DeformingShape s;
  for (int j = 0; j <= cells; ++j)
    for (int i = 0; i <= cells; ++i) s.vertices.push_back(origin + size / cells * Vector3(i, j, 0));
  for (int j = 0; j < cells; ++j)
    for (int i = 0; i < cells; ++i) {
      const int a = j * (cells + 1) + i, b = a + 1, c = b + cells + 1, d = a + cells + 1;
      s.facets.push_back({a, b, c});
      s.facets.push_back({a, c, d});
    }
  return s;
}

/// The surface of a box of 12 triangles on every `cells`^2 squares of its sides.
inline DeformingShape block(const Vector3& low, const Vector3& high, int cells) {
  DeformingShape s;
  std::map<std::array<int, 3>, int> known;
  const auto vertex = [&](const std::array<int, 3>& at) {
    const auto [it, fresh] = known.try_emplace(at, static_cast<int>(s.vertices.size()));
    if (fresh) {
      Vector3 x;
      for (int k = 0; k < 3; ++k)
        x[k] = at[k] == cells ? high[k] : low[k] + (high[k] - low[k]) * at[k] / cells;
      s.vertices.push_back(x);
    }
    return it->second;
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const int end : {0, cells})
      for (int i = 0; i < cells; ++i)
        for (int j = 0; j < cells; ++j) {
          const auto at = [&](int u, int w) {
            std::array<int, 3> x{};
            x[axis] = end;
            x[(axis + 1) % 3] = i + u;
            x[(axis + 2) % 3] = j + w;
            return vertex(x);
          };
          const int a = at(0, 0), b = at(1, 0), c = at(1, 1), d = at(0, 1);
          if (end > 0) {
            s.facets.push_back({a, b, c});
            s.facets.push_back({a, c, d});
          } else {
            s.facets.push_back({a, c, b});
            s.facets.push_back({a, d, c});
          }
        }
  return s;
}

}  // namespace saltus::testing
