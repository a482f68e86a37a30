// Volume, centre and inertia: closed forms, and sums over tetrahedra between a surface and a point
// inside.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "saltus/base/error.h"
#include "saltus/shapes/geometry.h"

namespace saltus {
namespace {

constexpr double kPi = std::numbers::pi;

SolidMoments centred(double volume, const Vector3& inertia) {
  return {volume, Vector3::Zero(), inertia.asDiagonal()};
}

//     V = 4/3 pi abc,   I_x = V (b^2 + c^2)/5
SolidMoments ellipsoid_moments(const Vector3& radii) {
  const double V = 4.0 / 3.0 * kPi * radii.prod();
  const Vector3 square = radii.cwiseAbs2();
  return centred(
      V,
      V / 5.0 * Vector3(square.y() + square.z(), square.z() + square.x(), square.x() + square.y()));
}

//     V = 8 abc,   I_x = V (b^2 + c^2)/3
SolidMoments box_moments(const Vector3& half) {
  const double V = 8.0 * half.prod();
  const Vector3 square = half.cwiseAbs2();
  return centred(
      V,
      V / 3.0 * Vector3(square.y() + square.z(), square.z() + square.x(), square.x() + square.y()));
}

//     V = 2 pi r^2 h,   I_z = V r^2/2,   I_x = V (r^2/4 + h^2/3)
SolidMoments cylinder_moments(double r, double h) {
  const double V = 2.0 * kPi * r * r * h;
  const double I_x = V * (r * r / 4.0 + h * h / 3.0);
  return centred(V, {I_x, I_x, V * r * r / 2.0});
}

// Two halves of a sphere, V = 4/3 pi r^3, with their centres at h + 3/8 r:
//     I_z = 2/5 V r^2,   I_x = V (2/5 r^2 + h^2 + 3/4 h r);
// the cylinder between them adds its own moments.
SolidMoments capsule_moments(double r, double h) {
  SolidMoments m = cylinder_moments(r, h);
  const double V = 4.0 / 3.0 * kPi * r * r * r;
  const double I_x = V * (0.4 * r * r + h * h + 0.75 * h * r);
  m.volume += V;
  m.inertia.diagonal() += Vector3(I_x, I_x, V * 0.4 * r * r);
  return m;
}

Matrix3 inertia_of(const Matrix3& euler) { return euler.trace() * Matrix3::Identity() - euler; }

// Sums over the tetrahedra (0, a, b, c) of oriented triangles, positions relative to a point
// nearby:
//     d = a . (b - a) x (c - a),   V = sum d/6,   int X dV = sum d (a + b + c)/24,
//     int X X^T dV = sum d (a a^T + b b^T + c c^T + s s^T)/120,   s = a + b + c.
struct TetrahedronSums {
  CompensatedSum volume, size;
  std::array<CompensatedSum, 3> first;
  std::array<CompensatedSum, 6> second;  ///< xx, yy, zz, yz, zx, xy

  void add(const Vector3& origin, const Vector3& A, const Vector3& B, const Vector3& C) {
    const Vector3 a = A - origin, b = B - origin, c = C - origin, s = a + b + c;
    const double d = a.dot(area_vector(A, B, C));
    volume.add(d / 6.0);
    size.add(std::abs(d) / 6.0);
    for (int i = 0; i < 3; ++i) first[i].add(d * s[i] / 24.0);
    const auto product = [&](int i, int j) {
      return d * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j]) / 120.0;
    };
    for (int i = 0; i < 3; ++i) {
      second[i].add(product(i, i));
      second[3 + i].add(product((i + 1) % 3, (i + 2) % 3));
    }
  }
  Vector3 first_moment() const { return {first[0].value(), first[1].value(), first[2].value()}; }
  Matrix3 second_moment() const {
    Matrix3 S;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      S(i, i) = second[i].value();
      S(j, k) = S(k, j) = second[3 + i].value();
    }
    return S;
  }
};

// The sums are computed twice, about the centre of the box and about the resulting centre, so that
// the shift to the exact centre causes almost no cancellation.
template <class EachTriangle>
SolidMoments polyhedron_moments(const Bounds& box, EachTriangle each_triangle) {
  Vector3 origin = 0.5 * box.low + 0.5 * box.high;
  const auto sums = [&] {
    TetrahedronSums s;
    each_triangle(
        [&](const Vector3& a, const Vector3& b, const Vector3& c) { s.add(origin, a, b, c); });
    return s;
  };
  const TetrahedronSums rough = sums();
  const double volume = rough.volume.value();
  if (!(std::abs(volume) > 1e-12 * rough.size.value())) return {};
  origin += rough.first_moment() / volume;
  const TetrahedronSums fine = sums();
  SolidMoments m;
  m.volume = fine.volume.value();
  const Vector3 shift = fine.first_moment() / m.volume;
  m.centre = origin + shift;
  m.inertia = inertia_of(fine.second_moment() - m.volume * shift * shift.transpose());
  return m;
}

SolidMoments hull_moments(const ConvexHull& hull) {
  return polyhedron_moments(box_around(hull.vertices), [&](auto add) {
    for (int f = 0; f < hull.faces(); ++f)
      for (int k = hull.first[f] + 1; k + 1 < hull.first[f + 1]; ++k)
        add(hull.vertices[hull.corner[hull.first[f]]], hull.vertices[hull.corner[k]],
            hull.vertices[hull.corner[k + 1]]);
  });
}

SolidMoments mesh_moments(const TriangleMesh& mesh) {
  if (!mesh.closed) throw UsageError("the mesh has no volume: " + why_open(mesh));
  const TriangleMesh::Node& root = mesh.tree.front();
  SolidMoments m = polyhedron_moments({root.low, root.high}, [&](auto add) {
    for (const auto& t : mesh.triangles)
      add(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]);
  });
  if (m.volume == 0.0) throw UsageError("the mesh encloses no volume");
  if (m.volume < 0.0)
    throw UsageError(
        fmt::format("the mesh is turned inside out (volume {:.6g} m^3): order the corners "
                    "of triangles counter-clockwise as seen from outside",
                    m.volume));
  return m;
}

[[noreturn]] void no_volume(const char* name) {
  throw UsageError(fmt::format("a {} has no volume", name));
}

}  // namespace

SolidMoments moments(const Shape& shape) {
  struct Visitor {
    SolidMoments operator()(const Sphere& s) {
      return ellipsoid_moments(Vector3::Constant(s.radius));
    }
    SolidMoments operator()(const Ellipsoid& s) { return ellipsoid_moments(s.radii); }
    SolidMoments operator()(const Capsule& s) { return capsule_moments(s.radius, s.half_length); }
    SolidMoments operator()(const Cylinder& s) { return cylinder_moments(s.radius, s.half_length); }
    SolidMoments operator()(const Box& s) { return box_moments(s.half); }
    SolidMoments operator()(const Plane&) { no_volume("plane"); }
    SolidMoments operator()(const std::shared_ptr<const ConvexHull>& s) { return hull_moments(*s); }
    SolidMoments operator()(const std::shared_ptr<const TriangleMesh>& s) {
      return mesh_moments(*s);
    }
    SolidMoments operator()(const std::shared_ptr<const HeightField>&) {
      no_volume("height field");
    }
  };
  return std::visit(Visitor{}, shape);
}

//     V = sum V_k,   c = sum V_k c_k/V,   I = sum R_k I_k R_k^T + V_k (|d|^2 1 - d d^T),
//         d = c_k - c
SolidMoments joined(std::span<const SolidMoments> pieces, std::span<const Pose> at) {
  expects(!pieces.empty() && pieces.size() == at.size(),
          "joined: at least one piece is required, with one pose for each");
  const Vector3 origin = at[0] * pieces[0].centre;
  std::vector<Vector3> centre;  // relative to that of the first piece
  CompensatedSum volume;
  std::array<CompensatedSum, 3> first;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const Vector3 d = (at[k].x - origin) + at[k].R * pieces[k].centre;
    centre.push_back(d);
    volume.add(pieces[k].volume);
    for (int i = 0; i < 3; ++i) first[i].add(pieces[k].volume * d[i]);
  }
  SolidMoments m;
  m.volume = volume.value();
  const Vector3 mean = Vector3(first[0].value(), first[1].value(), first[2].value()) / m.volume;
  m.centre = origin + mean;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const Vector3 d = centre[k] - mean;
    const Matrix3 turned = at[k].R * pieces[k].inertia * at[k].R.transpose();
    m.inertia +=
        0.5 * (turned + turned.transpose()) + inertia_of(pieces[k].volume * d * d.transpose());
  }
  return m;
}

}  // namespace saltus
