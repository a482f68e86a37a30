// Surfaces from files: Wavefront OBJ (v, f with any of v, v/t, v/t/n, v//n; polygons become fans)
// and STL, text or binary.
#pragma once
#include <string>
#include <string_view>

#include "saltus/shapes/shape.h"

namespace saltus {

struct SurfaceFile {
  std::vector<Vector3> vertices;              ///< [m]; equal ones of an STL file are joined
  std::vector<std::array<int, 3>> triangles;  ///< counter-clockwise seen from outside
};
/// The ending of the name decides. Throws SceneError at `path` naming the file, the line or facet,
/// and what is wrong: numbers that are not finite, indices out of range, polygons that are no fan,
/// triangles without area, a file that ends too early or goes on too long, one without a triangle.
SurfaceFile read_surface(const std::string& file, const std::string& path);

/// The same from the text of an OBJ file. Indices below 0 count back from the last vertex before
/// them. A polygon is cut from the first corner that sees all others. Texture, normals, groups,
/// materials, lines and points are passed over.
SurfaceFile read_obj_text(std::string_view text, const std::string& name,
                          const std::string& path = "");
/// The same from the bytes of an STL file. It is binary where its length fits the number of facets,
/// whatever its header says. Facets count from 1. The normals of the file are not used.
SurfaceFile read_stl_bytes(std::string_view bytes, const std::string& name,
                           const std::string& path = "");

}  // namespace saltus
