// Builds contact shapes and mass moments from ShapeSpec.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "saltus/shapes/shape.h"
#include "saltus/spec/scene.h"

namespace saltus {

/// How a body uses a shape.
struct ShapeUse {
  std::string body;   ///< name, for messages
  bool moves = true;  ///< not allowed for planes, height fields and surfaces that are not convex
  bool has_volume = true;  ///< its moments are required
  bool deforms = false;    ///< its surface is used for contact as it is, convex or not
};

struct BuiltShape {
  std::vector<Shape> pieces;  ///< contact shapes, in the frame of the shape
  SolidMoments solid;         ///< moments for density 1, if required
  Pose at;                    ///< placement on the body
};

/// path: "bodies[0].rigid.shape". Throws SceneError with the name of the body.
BuiltShape build_shape(const Scene& scene, const ShapeSpec& spec, const ShapeUse& use,
                       const std::string& path);

/// The shape and its moments scaled by s; not for planes, height fields and surfaces.
Shape scaled(const Shape& shape, double s);
SolidMoments scaled(const SolidMoments& solid, double s);

/// The smallest extent along its own axes [m]; infinite for planes.
double thickness(const Shape& shape);

}  // namespace saltus
