#include "saltus/spec/shape_spec.h"

#include <cmath>

namespace saltus {

std::optional<Fault> AxisAngleSpec::fault() const {
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  if (length > 0.0 && std::isfinite(length)) return std::nullopt;
  return Fault{"axis", "has no direction", "for example [0, 0, 1]"};
}

std::optional<Fault> QuaternionSpec::fault() const {
  const double length = std::hypot(std::hypot(quaternion[0], quaternion[1]),
                                   std::hypot(quaternion[2], quaternion[3]));
  if (length > 0.0 && std::isfinite(length)) return std::nullopt;
  return Fault{"quaternion", "is zero and defines no rotation", "[1, 0, 0, 0] is the identity"};
}

std::optional<Fault> ShapeSpec::fault() const {
  if (material.empty()) return Fault{"material", "is an empty name", "leave it out"};
  if (density && (plane || height_field))
    return Fault{"density", "is for shapes with a volume", "leave it out"};
  return std::nullopt;
}

Quaternion rotation_of(const RotationSpec& rotation) {
  struct Make {
    Quaternion operator()(const AxisAngleSpec& r) const {
      const Vector3 axis(r.axis[0], r.axis[1], r.axis[2]);
      return exp_rotation(r.angle * axis.normalized());
    }
    Quaternion operator()(const QuaternionSpec& r) const {
      const auto& [w, x, y, z] = r.quaternion;
      return Quaternion(w, x, y, z).normalized();
    }
    Quaternion operator()(const RotationVectorSpec& r) const {
      return exp_rotation(Vector3(r.vector[0], r.vector[1], r.vector[2]));
    }
  };
  return std::visit(Make{}, rotation);
}

}  // namespace saltus
