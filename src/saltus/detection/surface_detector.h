// Contacts of deforming surfaces with rigid shapes, with each other and with themselves.
//
// A vertex of a boundary surface acts as a ball of radius 0 against a convex shape, and has at most
// one contact point on another surface. Corners and edges of convex shapes, and round shapes, are
// in contact with facets of a boundary surface. Vertices of each of two surfaces are in contact
// with the other one, and so are sharp edges of the two where they cross. A contact found for a
// vertex of a boundary surface is not reported again from the other side.
#pragma once
#include <functional>
#include <memory>

#include "saltus/detection/detector.h"

namespace saltus {

/// A surface given by its initial vertices and its facets (FacetSurface).
struct DeformingShape {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> facets;
  int material = 0;
  bool self = false;  ///< whether contact with itself is possible
};

/// A point on a boundary surface or on a collider.
struct SurfaceSide {
  int boundary = -1;  ///< boundary surface, -1: on a collider
  int collider = -1;  ///< collider, -1: on a boundary surface
  int vertex = -1;  ///< of a boundary surface; -1: a point of `facet` with weights of its vertices
  int facet = -1;
  Vector3 weight = Vector3::Zero();
};

struct SurfaceContact {
  SurfaceSide a, b;                   ///< a is on a boundary surface
  Vector3 normal = Vector3::UnitZ();  ///< from b to a, unit
  double gap = 0.0;                   ///< [m]
  std::uint64_t key = 0;              ///< increasing along the list, above all keys of Detector
};

class SurfaceDetector {
 public:
  /// `meets[a * materials + b]`: whether those materials can be in contact. Colliders are numbered
  /// as given, boundary surfaces after them; at most 2^20 - 1 of both together and 2^22 vertices
  /// per surface. excluded: pairs of those numbers that are never in contact. Throws UsageError if
  /// a limit is exceeded or a boundary surface has no vertex.
  SurfaceDetector(std::vector<DeformingShape> boundaries, std::span<const Collider> colliders,
                  double margin, int materials, const std::vector<char>& meets,
                  std::vector<std::array<int, 2>> excluded = {});
  ~SurfaceDetector();
  SurfaceDetector(SurfaceDetector&&) noexcept;

  int boundaries() const;
  /// Positions of the vertices of a boundary surface [m]; set them before calling detect().
  std::vector<Vector3>& vertices(int boundary);
  /// Finds all contacts with gap <= margin. frames: pose of each frame of the colliders.
  void detect(std::span<const Pose> frames, std::vector<SurfaceContact>& contacts);
  /// A point inside a closed surface: a vertex of a boundary surface or a mesh, or the centre of a
  /// convex shape; possibly deeper than detect() searches.
  struct Inside {
    /// object with the point, and the object around it: colliders, then boundary surfaces
    std::array<int, 2> number{};
    int vertex = -1;              ///< of a boundary surface
    Vector3 x = Vector3::Zero();  ///< [m]
    double depth = 0.0;           ///< distance from the surface [m]
  };
  /// Reports all such points between boundary surfaces and other objects that can be in contact, at
  /// the positions of the last detect().
  void inside(const std::function<void(const Inside&)>& use) const;
  /// Clearance at the positions of the last detect(), provided that no contact was within the
  /// margin; heights over planes are exact.
  Clearance clearance() const;

 private:
  struct Search;
  std::unique_ptr<Search> search_;
};

/// Contact of a vertex with a convex shape: as for a ball of radius 0, but inside the shape the
/// face with the shortest distance measured against the facets at the vertex is used; looks(d) as
/// FacetSurface::looks(). False if the gap exceeds the margin.
struct VertexTouch {
  Vector3 normal = Vector3::UnitZ();
  double gap = 0.0;
};
bool touch_convex(const Vector3& x, const Shape& shape, const Pose& at, double margin,
                  const std::function<double(const Vector3&)>& looks, VertexTouch& found);

}  // namespace saltus
