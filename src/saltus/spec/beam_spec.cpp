#include "saltus/spec/beam_spec.h"

#include <cmath>
#include <numbers>

#include "saltus/base/units.h"

namespace saltus {

double BeamSpec::length() const {
  return std::hypot(end[0] - start[0], end[1] - start[1], end[2] - start[2]);
}

BeamSection BeamSpec::section() const {
  if (axial) return {*axial, bending.value(), linear_density.value()};
  const double E = young.value(), rho = density.value();
  if (side) {
    const double a2 = *side * *side;
    return {E * a2, E * a2 * a2 / 12.0, rho * a2};
  }
  const double outer = *radius * *radius, r = inner_radius.value_or(0.0), inner = r * r;
  const double area = std::numbers::pi * (outer - inner);
  return {E * area, 0.25 * E * area * (outer + inner), rho * area};
}

std::optional<Fault> BeamSpec::fault() const {
  if (!(length() > 0.0)) return Fault{"end", "is the place of `start`", "another place"};
  struct Needed {
    const char *key, *what, *hint;
    bool there;
  };
  const bool by_size = !axial;
  for (const Needed& one :
       {Needed{"young", "Young's modulus", "in Pa, e.g. 210 GPa", young || !by_size},
        Needed{"density", "density of the material", "in kg/m^3, e.g. 7850", density || !by_size},
        Needed{"bending", "E I", "in N m^2", bending || by_size},
        Needed{"linear_density", "mass per length", "in kg/m", linear_density || by_size}})
    if (!one.there)
      return Fault{"", "`" + std::string(one.key) + "` is missing: " + one.what, one.hint};
  if (inner_radius && *inner_radius >= *radius)
    return Fault{"inner_radius", to_text(*inner_radius, unit::m) + " is not inside the radius",
                 "below " + to_text(*radius, unit::m)};
  return std::nullopt;
}

std::optional<Fault> BeamLoadSpec::fault() const {
  for (const auto& [key, given] : {std::pair{"force", force}, std::pair{"line_force", line_force}})
    if (given && *given == std::array{0.0, 0.0, 0.0})
      return Fault{key, "is zero", "leave the load out"};
  return std::nullopt;
}

}  // namespace saltus
