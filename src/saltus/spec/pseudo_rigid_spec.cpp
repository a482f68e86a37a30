#include "saltus/spec/pseudo_rigid_spec.h"

namespace saltus {

std::optional<Fault> PseudoRigidSpec::fault() const {
  if (shape.density)
    return Fault{"shape.density", "has no meaning for a pseudo-rigid body",
                 "give material.density"};
  if (shape.plane || shape.height_field)
    return Fault{shape.plane ? "shape.plane" : "shape.height_field", "has no volume",
                 "give a shape that can deform: a box, a sphere, a hull"};
  if (shape.mesh && !shape.mesh->pieces.empty())
    return Fault{"shape.mesh.pieces", "have no meaning for a pseudo-rigid body",
                 "leave them out: the surface of the body is used for contact"};
  if (shape.surface_velocity)
    return Fault{"shape.surface_velocity", "is for rigid bodies: this surface deforms",
                 "give it to the rigid body in contact with this one"};
  if (!touches && shape.material != ShapeSpec{}.material)
    return Fault{"shape.material", "has no meaning with `touches: false`",
                 "leave it out, or `touches`"};
  if (!touches && facet)
    return Fault{"facet", "has no meaning with `touches: false`", "leave it out, or `touches`"};
  return std::nullopt;
}

}  // namespace saltus
