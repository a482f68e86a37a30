// Surfaces from files: Wavefront OBJ (v, and f with any of v, v/t, v/t/n, v//n; polygons are split
// into fans) and STL, text or binary.
#pragma once
#include <string>
#include <string_view>

#include "saltus/shapes/shape.h"

namespace saltus {

struct SurfaceFile {
  std::vector<Vector3> vertices;  ///< [m]; coincident vertices of an STL file are merged
  std::vector<std::array<int, 3>> triangles;  ///< counter-clockwise as seen from outside
};
/// The file extension determines the format. Throws SceneError at `path` that names the file, the
/// line or facet, and the fault: numbers that are not finite, indices out of range, polygons that
/// cannot be split into a fan, triangles without area, a file that is too short or too long, one
/// without a triangle.
SurfaceFile read_surface(const std::string& file, const std::string& path);

/// Reads a surface from the text of an OBJ file. Negative indices count back from the most
/// recent vertex. A polygon is split into a fan from the first corner from which all others are
/// visible. Texture, normals, groups, materials, lines and points are ignored.
SurfaceFile read_obj_text(std::string_view text, const std::string& name,
                          const std::string& path = "");
/// Reads a surface from the bytes of an STL file. The file is binary if its length matches the
/// number of facets, whatever its header says. Facets are counted from 1. The normals in the file
/// are not used.
SurfaceFile read_stl_bytes(std::string_view bytes, const std::string& name,
                           const std::string& path = "");

}  // namespace saltus
