// Lumped masses of a mesh with none at chosen nodes (Khenous, Laborde and Renard).
#pragma once
#include <span>

#include "saltus/mesh/mesh.h"

namespace saltus {

/// What stays of the total mass, its centre, and the second moments sum m X X^T (with them the
/// inertia): all of it; mass and centre; the mass.
enum class MomentsKept { inertia, centre, mass };

/// Takes the masses [kg] of `massless` nodes and gives them to the others:
/// 1. each goes in equal shares to the nearest nodes with mass, counted in elements;
/// 2. m <- m (1 + max(p(X), -0.8)), p the polynomial of degree 2 that restores the moments: of all
/// corrections d that
///    leave each node a fifth of its mass, the one with the least sum d^2/m. Where there is none
///        (fewer than about five
///    elements across the body) the same with a linear p for the centre, and where there is none
///        the masses of 1.
/// Throws UsageError: a node that is not there or named twice, no node with mass that elements join
/// with it.
MomentsKept redistribute_mass(const Mesh& mesh, std::span<const int> massless, Vector& mass);

}  // namespace saltus
