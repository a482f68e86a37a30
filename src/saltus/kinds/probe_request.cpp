#include "saltus/kinds/probe_request.h"

#include <fmt/format.h>

#include "saltus/bodies/material.h"
#include "saltus/bodies/shape_table.h"
#include "saltus/kinds/build_kinds.h"

namespace saltus {

bool ProbeRequest::named() const {
  const auto* at = std::get_if<NumberOrName>(&*spec.at);
  return at && at->is_name();
}

int ProbeRequest::index(int count, const char* what) const {
  const auto* at = std::get_if<NumberOrName>(&*spec.at);
  if (!at) point();  // throws if there is no such point
  return index_at(*at, count, what, path + ".at");
}

TouchPoint ProbeRequest::point() const { return touch_point(of, *spec.at, path + ".at"); }

Vector3 ProbeRequest::direction() const {
  return unit_vector(spec.direction.value_or(std::array{0.0, 0.0, 1.0}), path + ".direction");
}

void ProbeRequest::expect_no_direction(const char* own) const {
  if (spec.direction)
    throw SceneError(path + ".direction", "is for particles, named points and bodies in space",
                     own);
}

std::shared_ptr<const PointTable> coordinate_table(const ProbeRequest& request, int dof) {
  const int free = request.built.kind->free_index(dof);
  if (free < 0)
    throw SceneError(request.path + ".at",
                     fmt::format("degree of freedom {} of '{}' is prescribed: its motion is given",
                                 dof, request.body.name),
                     "probe another one");
  Matrix S = Matrix::Zero(1, request.built.dynamics->velocities());
  S(0, free) = 1.0;
  return dense_table(S, Vector::Zero(1));
}

double component_of(const OutputSpec& spec, const Matrix3& tensor) {
  using enum OutputSpec::Component;
  switch (spec.component.value_or(von_mises)) {
    case xx:
      return tensor(0, 0);
    case yy:
      return tensor(1, 1);
    case zz:
      return tensor(2, 2);
    case xy:
      return tensor(0, 1);
    case yz:
      return tensor(1, 2);
    case zx:
      return tensor(2, 0);
    case von_mises:
      break;
  }
  return saltus::von_mises(tensor);
}

}  // namespace saltus
