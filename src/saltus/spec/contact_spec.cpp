#include "saltus/spec/contact_spec.h"

#include <cmath>

namespace saltus {
namespace {

std::optional<Fault> normal_fault(const std::array<double, 3>& normal) {
  const double length = std::hypot(normal[0], normal[1], normal[2]);
  if (length > 0.0 && std::isfinite(length)) return std::nullopt;
  return Fault{"normal", "has no direction", "for example [0, 0, 1]"};
}

}  // namespace

std::optional<Fault> PlaneSpec::fault() const { return normal_fault(normal); }

std::optional<Fault> AgainstSpec::fault() const {
  const bool no_frets =
      frets && std::holds_alternative<PointList>(*frets) && std::get<PointList>(*frets).empty();
  if (no_frets) return Fault{"frets", "is an empty list", "a list of [x, h]"};
  if (points && points->empty()) return Fault{"points", "is an empty list", "a list of [x, h]"};
  if (surface_velocity && !plane && !body)
    return Fault{"surface_velocity", "is for a plane or a body",
                 "give `plane`, or make the contact at another point"};
  if (body && !normal && !row) return Fault{"body", "needs `normal`", ""};
  if (normal) return normal_fault(*normal);
  return std::nullopt;
}

std::optional<Fault> ContactSpec::fault() const {
  if (at && std::visit(
                [](const auto& list) {
                  if constexpr (requires { list.empty(); }) return list.empty();
                  return false;
                },
                *at))
    return Fault{"at", "is an empty list", "leave it out for all points"};
  if (row && against && !against->body)
    return Fault{"against", "is for a contact with another body where `row` is given",
                 "against: {body: ..., row: [...]}, or leave it out"};
  if (row && against && !against->row)
    return Fault{"against.row", "is missing: the contribution of the other body to the gap",
                 "one coefficient per coordinate of '" + *against->body + "'"};
  if (!row && against && against->row)
    return Fault{"row", "is missing: the contribution of '" + on + "' to the gap",
                 "one coefficient per coordinate"};
  if (at && against->along_body())
    return Fault{"at", "is for contacts against plane, stop or body",
                 "frets, necks, points and files define their own places"};
  return std::nullopt;
}

}  // namespace saltus
