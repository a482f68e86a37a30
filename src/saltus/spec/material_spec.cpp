#include "saltus/spec/material_spec.h"

#include "saltus/base/units.h"

namespace saltus {

std::optional<Fault> MaterialSpec::fault() const {
  if (law == MaterialLaw::mooney_rivlin) {
    for (const auto& [key, given] : {std::pair{"young", young}, std::pair{"poisson", poisson}})
      if (given) return Fault{key, "has no meaning for mooney_rivlin", "give c10, c01 and bulk"};
    const double shear = c10.value_or(0.0) + c01.value_or(0.0);
    if (!(shear > 0.0))
      return Fault{c10 ? "c10" : "c01", "c10 + c01 is " + to_text(shear, unit::Pa),
                   "must be > 0: half of the shear modulus"};
    return std::nullopt;
  }
  if (!young) return Fault{"", "`young` is missing: Young's modulus", "in Pa, e.g. 210 GPa"};
  if (!poisson) return Fault{"", "`poisson` is missing: Poisson's ratio", "in (-1, 0.5), e.g. 0.3"};
  return std::nullopt;
}

Material MaterialSpec::material() const {
  Material material;
  material.law = law;
  material.young = young.value_or(material.young);
  material.poisson = poisson.value_or(material.poisson);
  material.c10 = c10.value_or(0.0);
  material.c01 = c01.value_or(0.0);
  material.bulk = bulk.value_or(0.0);
  material.density = density;
  return material;
}

}  // namespace saltus
