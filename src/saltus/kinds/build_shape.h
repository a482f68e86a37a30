// From ShapeSpec to what touches and what has mass.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "saltus/shapes/shape.h"
#include "saltus/spec/scene.h"

namespace saltus {

/// What a shape is asked for.
struct ShapeUse {
  std::string body;        ///< name, for messages
  bool moves = true;       ///< planes, height fields and surfaces that are not convex cannot
  bool has_volume = true;  ///< its moments are needed
  bool deforms = false;    ///< it touches with its surface as it is, convex or not
};

struct BuiltShape {
  std::vector<Shape> pieces;  ///< what touches, in the frame of the shape
  SolidMoments solid;         ///< of density 1, where it is asked for
  Pose at;                    ///< on the body
};

/// path: "bodies[0].rigid.shape". Throws SceneError naming the body.
BuiltShape build_shape(const Scene& scene, const ShapeSpec& spec, const ShapeUse& use,
                       const std::string& path);

/// The shape and its moments s times as large; not for planes, height fields and surfaces.
Shape scaled(const Shape& shape, double s);
SolidMoments scaled(const SolidMoments& solid, double s);

/// The least of its extents along its own axes [m]; infinite for planes.
double thickness(const Shape& shape);

}  // namespace saltus
