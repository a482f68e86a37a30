// Lumped masses of a mesh in which chosen nodes have no mass (Khenous, Laborde and Renard).
#pragma once
#include <span>

#include "saltus/mesh/mesh.h"

namespace saltus {

/// Which moments keep their values. inertia: total mass, centre of mass and the second moments sum
/// m X X^T (and with them the inertia). centre: mass and centre. mass: only the mass.
enum class MomentsKept { inertia, centre, mass };

/// Takes the masses [kg] of `massless` nodes and distributes them to the other nodes:
/// 1. Each mass goes in equal parts to the nearest nodes with mass, counted in elements.
/// 2. m <- m (1 + max(p(X), -0.8)), where the polynomial p of degree 2 restores the moments. Of all
///    corrections d that leave each node at least a fifth of its mass, this one has the smallest
///    sum d^2/m. If there is none (fewer than about five elements across the body), a linear p
///    restores the centre; if there is none either, the masses of step 1 stay.
/// Throws UsageError: a node that does not exist or is named twice, or that no chain of elements
/// joins with a node that has mass.
MomentsKept redistribute_mass(const Mesh& mesh, std::span<const int> massless, Vector& mass);

}  // namespace saltus
