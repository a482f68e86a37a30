// OBJ and STL files: the same bytes to both readers. What is read has finite vertices, triangles of three of them, and area.
#include "fuzz.h"
#include "saltus/shapes/mesh_file.h"

using namespace saltus;
using namespace saltus_fuzz;

namespace {

void check_surface(const SurfaceFile& surface) {
  require(!surface.triangles.empty(), "triangles");
  for (const Vector3& x : surface.vertices) require(x.allFinite(), "vertices");
  for (const auto& triangle : surface.triangles)
    for (const int corner : triangle)
      require(corner >= 0 && corner < std::ssize(surface.vertices), "corners");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  allowed("a.obj", [&] { check_surface(read_obj_text(bytes, "a.obj")); });
  allowed("a.stl", [&] { check_surface(read_stl_bytes(bytes, "a.stl")); });
  return 0;
}
