// An output that names a body, and helpers with which the kinds of bodies build probes.
#pragma once
#include <memory>
#include <string>

#include "saltus/kinds/touch_points.h"

namespace saltus {

struct ProbeRequest {
  const Scene& scene;
  const OutputSpec& spec;
  const NamedBuilt& of;
  const BuiltBody& built;
  const BodySpec& body;
  std::string path;  ///< "outputs[0]"

  /// `at` is the name of a point.
  bool named() const;
  /// The number that `at` must be, 0 .. count - 1; what: "degree of freedom". Throws SceneError.
  int index(int count, const char* what) const;
  /// The point that `at` names.
  TouchPoint point() const;
  /// `direction`, or upwards if none is given.
  Vector3 direction() const;
  /// Throws SceneError if the output has a direction; own: "a coordinate has its own direction".
  void expect_no_direction(const char* own) const;
};

/// The component of a stress or strain: von Mises for a stress without one.
double component_of(const OutputSpec& spec, const Matrix3& tensor);

/// One coordinate of a body. Throws SceneError if its motion is prescribed.
std::shared_ptr<const PointTable> coordinate_table(const ProbeRequest& request, int dof);

}  // namespace saltus
