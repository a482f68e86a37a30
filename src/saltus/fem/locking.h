// Estimates how much too stiff linear elements make a body, from a state of pure bending on its
// mesh.
#pragma once
#include <span>

#include "saltus/fem/fem.h"

namespace saltus {

/// Linear elements with full integration cannot bend without shear, nor keep their volume where
/// strain varies (docs/theory/fem.md, section 12). Excess stiffness in pure bending; 0.1: ten per
/// cent too stiff. This is an upper bound, because a mesh also has other deformation modes.
struct Locking {
  /// In the slender directions of the body, from all causes; 0: no slender direction, or quadratic
  /// elements.
  double bending = 0.0;
  double volume = 0.0;     ///< the part caused by volumetric locking, in bodies of any shape
  double thickness = 0.0;  ///< mean, across the boundary surface [m]
  double poisson = 0.0;    ///< largest Poisson ratio of the linear elements
  ElementKind kind = ElementKind::hex8;  ///< most frequent linear kind at the surface
};
Locking locking_of(const Mesh& mesh, std::span<const FemMaterial> materials);

}  // namespace saltus
