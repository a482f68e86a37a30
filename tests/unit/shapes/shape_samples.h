// Random numbers, poses and polyhedra for the tests of shapes.
#pragma once
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/shapes/shape.h"

namespace saltus::samples {

/// The same numbers with every library.
class Random {
 public:
  explicit Random(unsigned seed) : bits_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(bits_() >> 11) * 0x1p-53;
  }
  Vector3 in_cube() { return {between(-1, 1), between(-1, 1), between(-1, 1)}; }
  Vector3 direction() {
    for (;;) {
      const Vector3 x = in_cube();
      if (x.norm() > 0.1 && x.norm() < 1.0) return x.normalized();
    }
  }
  Matrix3 rotation() {
    const Vector3 a = direction();
    const Vector3 b = a.cross(direction()).normalized();
    Matrix3 R;
    R << a, b, a.cross(b);
    return R;
  }
  Pose pose(double reach) { return {reach * in_cube(), rotation()}; }

 private:
  std::mt19937_64 bits_;
};

using Triangles = std::vector<std::array<int, 3>>;

struct Surface {
  std::vector<Vector3> vertices;
  Triangles triangles;

  std::shared_ptr<const TriangleMesh> mesh() const { return triangle_mesh(vertices, triangles); }
};

/// Corners (+-1, +-1, +-1) times half, moved to `middle`; vertex k has the signs of the bits of k.
inline Surface box_surface(const Vector3& half, const Vector3& middle = Vector3::Zero()) {
  Surface s;
  for (int k = 0; k < 8; ++k)
    s.vertices.push_back(
        middle + half.cwiseProduct(Vector3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
  for (const auto& [a, b, c, d] : std::vector<std::array<int, 4>>{
           {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    s.triangles.push_back({a, b, c});
    s.triangles.push_back({a, c, d});
  }
  return s;
}

/// Rings of `around` points (r cos, r sin, z) for profile points (r, z) from the lower pole to the upper; the first and
/// the last profile point lie on the axis.
inline Surface revolved(const std::vector<std::array<double, 2>>& profile, int around) {
  Surface s;
  const int rings = static_cast<int>(profile.size()) - 2;
  s.vertices.emplace_back(0.0, 0.0, profile.front()[1]);
  for (int i = 1; i <= rings; ++i)
    for (int k = 0; k < around; ++k) {
      const double a = 2.0 * std::numbers::pi * k / around;
      const auto [r, z] = profile[i];
      s.vertices.emplace_back(r * std::cos(a), r * std::sin(a), z);
    }
  s.vertices.emplace_back(0.0, 0.0, profile.back()[1]);
  const int top = static_cast<int>(s.vertices.size()) - 1;
  const auto at = [&](int ring, int k) { return 1 + ring * around + k % around; };
  for (int k = 0; k < around; ++k) {
    s.triangles.push_back({0, at(0, k + 1), at(0, k)});
    s.triangles.push_back({top, at(rings - 1, k), at(rings - 1, k + 1)});
    for (int i = 0; i + 1 < rings; ++i) {
      s.triangles.push_back({at(i, k), at(i, k + 1), at(i + 1, k + 1)});
      s.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i + 1, k)});
    }
  }
  return s;
}

/// A ring of radius R around z with a round section of radius r; no point of it is inside a convex part.
inline Surface torus(double R, double r, int along, int around) {
  Surface s;
  for (int i = 0; i < along; ++i)
    for (int k = 0; k < around; ++k) {
      const double a = 2.0 * std::numbers::pi * i / along, b = 2.0 * std::numbers::pi * k / around;
      const double reach = R + r * std::cos(b);
      s.vertices.emplace_back(reach * std::cos(a), reach * std::sin(a), r * std::sin(b));
    }
  const auto at = [&](int i, int k) { return (i % along) * around + k % around; };
  for (int i = 0; i < along; ++i)
    for (int k = 0; k < around; ++k) {
      s.triangles.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1)});
      s.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i, k + 1)});
    }
  return s;
}

inline void turn_inside_out(Surface& s) {
  for (auto& t : s.triangles) std::swap(t[1], t[2]);
}

/// The text of the UsageError that `use` throws; "" if it throws none.
template <class Use>
std::string fault(Use use) {
  try {
    use();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// Largest difference relative to the sizes: volume, inertia by its trace, centre by `length`.
inline double difference(const SolidMoments& a, const SolidMoments& b, double length) {
  return std::max({std::abs(a.volume - b.volume) / std::abs(b.volume),
                   (a.inertia - b.inertia).cwiseAbs().maxCoeff() / b.inertia.trace(),
                   (a.centre - b.centre).norm() / length});
}

}  // namespace saltus::samples
