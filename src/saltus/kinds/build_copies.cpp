// Copies of a body with shapes: grids, lists, files.
#include <fmt/format.h>

#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/build_rigid.h"

namespace saltus {
namespace {

std::vector<CopyPlace> copies_from_file(const Scene& scene, const std::string& file,
                                        const std::string& path) {
  const Matrix data = read_table(scene, file, 3, "x, y, z [m]", path);
  const bool turned = data.cols() >= 7, sized = data.cols() == 4 || data.cols() == 8;
  if (data.cols() != 3 && !sized && data.cols() != 7)
    throw SceneError(path, fmt::format("'{}' has {} columns", file, data.cols()),
                     "3: x, y, z; 4: also a scale factor; 7: also a quaternion w, x, y, z; 8: "
                     "both, the scale factor last");
  std::vector<CopyPlace> places;
  for (Eigen::Index i = 0; i < data.rows(); ++i) {
    CopyPlace place;
    place.shift = data.row(i).head<3>();
    if (turned) {
      const Eigen::Vector4d Q = data.row(i).segment<4>(3);
      if (!(Q.norm() > 0.0))
        throw SceneError(path, fmt::format("the quaternion in row {} of '{}' is zero", i, file),
                         "1, 0, 0, 0 is the identity");
      place.turn = Quaternion(Q[0], Q[1], Q[2], Q[3]).normalized();
    }
    if (sized) {
      place.size = data(i, data.cols() - 1);
      if (!(place.size > 0.0))
        throw SceneError(
            path, fmt::format("the scale factor in row {} of '{}' is {}", i, file, place.size),
            "must be > 0");
    }
    places.push_back(place);
  }
  return places;
}

}  // namespace

std::vector<CopyPlace> copy_places(const Scene& scene, const std::optional<CopiesSpec>& given,
                                   const std::string& path) {
  if (!given) return {CopyPlace{}};
  const CopiesSpec& copies = *given;
  if (copies.file) return copies_from_file(scene, *copies.file, path + ".file");
  std::vector<CopyPlace> places;
  for (const auto& at : copies.at) places.push_back({to_vector3(at)});
  if (!copies.at.empty()) return places;
  const Vector3 spacing = to_vector3(copies.spacing);
  for (int k = 0; k < copies.count[2]; ++k)
    for (int j = 0; j < copies.count[1]; ++j)
      for (int i = 0; i < copies.count[0]; ++i)
        places.push_back({Vector3(i, j, k).cwiseProduct(spacing)});
  if (copies.turn) {
    const Vector3 axis = to_vector3(copies.turn->axis).normalized();
    for (std::size_t n = 0; n < places.size(); ++n)
      places[n].turn = exp_rotation(static_cast<double>(n) * copies.turn->angle * axis);
  }
  return places;
}

}  // namespace saltus
