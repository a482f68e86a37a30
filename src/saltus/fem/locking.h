// How much too stiff linear elements make a body: measured on its mesh by a state of pure bending.
#pragma once
#include <span>

#include "saltus/fem/fem.h"

namespace saltus {

/// Linear elements of full integration cannot bend without shear, nor keep their volume where
/// strain varies (docs/theory/fem.md, section 12). Excess of stiffness in pure bending, 0.1: a
/// tenth too stiff; an upper bound, for a mesh gives way in other ways too.
struct Locking {
  double bending =
      0.0;  ///< in the slender directions of the body, of all causes; 0: it has none, or
            ///< elements are quadratic
  double volume = 0.0;     ///< the part that the change of volume causes, in bodies of any shape
  double thickness = 0.0;  ///< mean, across the boundary surface [m]
  double poisson = 0.0;    ///< the largest of its linear elements
  ElementKind kind = ElementKind::hex8;  ///< of most of the linear elements at the surface
};
Locking locking_of(const Mesh& mesh, std::span<const FemMaterial> materials);

}  // namespace saltus
