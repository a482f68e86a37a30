// Where surfaces that deform touch rigid shapes, each other and themselves.
//
// A vertex of a boundary surface is a ball of radius 0 against a convex shape and touches one point
// of another surface; corners and edges of convex shapes and the round ones touch facets of a
// boundary surface; vertices of each of two surfaces touch the other, and sharp edges of the two
// where they cross. What a vertex of a boundary surface has found is not found again from the other
// side.
#pragma once
#include <functional>
#include <memory>

#include "saltus/detection/detector.h"

namespace saltus {

/// A surface by its vertices at the start and its facets (FacetSurface).
struct DeformingShape {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> facets;
  int material = 0;
  bool self = false;  ///< it may touch itself
};

/// A point of a boundary surface or of a collider.
struct SurfaceSide {
  int boundary = -1;  ///< -1: of a collider
  int collider = -1;  ///< or of a boundary surface
  int vertex = -1;    ///< of a boundary surface; -1: within `facet`, with weights of its vertices
  int facet = -1;
  Vector3 weight = Vector3::Zero();
};

struct SurfaceContact {
  SurfaceSide a, b;                   ///< a is of a boundary surface
  Vector3 normal = Vector3::UnitZ();  ///< from b to a, unit
  double gap = 0.0;                   ///< [m]
  std::uint64_t key = 0;  ///< increasing along the list, above those of colliders among each other
};

class SurfaceDetector {
 public:
  /// `meets[a * materials + b]`: those materials touch each other. Colliders are numbered as given,
  /// boundary surfaces after them; at most
  /// 2^20 - 1 of both and 2^22 vertices a surface. excluded: pairs of those numbers that never
  /// touch. Throws UsageError, also where a boundary surface has no vertex.
  SurfaceDetector(std::vector<DeformingShape> boundaries, std::span<const Collider> colliders,
                  double margin, int materials, const std::vector<char>& meets,
                  std::vector<std::array<int, 2>> excluded = {});
  ~SurfaceDetector();
  SurfaceDetector(SurfaceDetector&&) noexcept;

  int boundaries() const;
  /// Places of the vertices of a boundary surface [m], to be set before detect().
  std::vector<Vector3>& vertices(int boundary);
  /// All contacts with gap <= margin. frames: pose of each frame of the colliders.
  void detect(std::span<const Pose> frames, std::vector<SurfaceContact>& contacts);
  /// A point inside a closed surface, of a boundary surface, a mesh or the middle of a convex
  /// shape, deeper perhaps than detect() looks.
  struct Inside {
    std::array<int, 2>
        number{};  ///< what the point is of, and what it is in: colliders, then boundary surfaces
    int vertex = -1;              ///< of a boundary surface
    Vector3 x = Vector3::Zero();  ///< [m]
    double depth = 0.0;           ///< distance from the surface [m]
  };
  /// All of them between boundary surfaces and others that meet, where the last detect() had them.
  void inside(const std::function<void(const Inside&)>& use) const;
  /// Where the last detect() had them, and none was within the margin: heights over planes are
  /// known.
  Clearance clearance() const;

 private:
  struct Search;
  std::unique_ptr<Search> search_;
};

/// Where a vertex touches a convex shape: a ball of radius 0, but within the shape by the face on
/// the shortest way against the faces about the vertex; looks(d) as FacetSurface::looks(). False
/// where the gap is above the margin.
struct VertexTouch {
  Vector3 normal = Vector3::UnitZ();
  double gap = 0.0;
};
bool touch_convex(const Vector3& x, const Shape& shape, const Pose& at, double margin,
                  const std::function<double(const Vector3&)>& looks, VertexTouch& found);

}  // namespace saltus
