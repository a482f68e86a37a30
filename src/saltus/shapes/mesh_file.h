// Surfaces from files: Wavefront OBJ (v, f with any of v, v/t, v/t/n, v//n; polygons become fans) and STL, text or binary.
#pragma once
#include <string>

#include "saltus/shapes/shape.h"

namespace saltus {

struct SurfaceFile {
  std::vector<Vector3> vertices;              ///< [m]; equal ones of an STL file are joined
  std::vector<std::array<int, 3>> triangles;  ///< counter-clockwise seen from outside
};
/// The ending of the name decides. Throws SceneError at `path` naming the file, the line or facet, and what is wrong.
SurfaceFile read_surface(const std::string& file, const std::string& path);

}  // namespace saltus
