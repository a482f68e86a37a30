// Boundary surfaces of deformable bodies: the faces of a mesh, or the surface of a shape that
// deforms.
#pragma once
#include <span>

#include "saltus/dynamics/boundary_surface.h"
#include "saltus/mesh/mesh.h"
#include "saltus/shapes/shape.h"

namespace saltus {

/// Boundary of a `Fem`. Its vertices are the nodes of these faces, in increasing order. A tri3
/// gives one facet, a quad4 two, a tri6 four, a quad8 six, and an edge of plane elements one or
/// two. Facets are flat; contact points lie on the element's own face, which may be curved or
/// warped. Bars have no faces: a mesh of bars gives the nodes that belong to only one element, and
/// no facets. Throws UsageError: a face that does not exist or is given twice.
BoundarySurface boundary_of(const Mesh& mesh, std::span<const MeshFace> faces);

/// Boundary of body `body` of a `PseudoRigid` whose centre of mass is at `centre` [m] in the frame
/// of the shape. Boxes, hulls and meshes keep their facets; round shapes get vertices on the
/// surface and facets whose edges are no longer than `size` [m]. Throws UsageError: a plane or a
/// height field, a round shape with size <= 0, more than 2^22 facets.
BoundarySurface boundary_of(const Shape& shape, int body, const Vector3& centre, double size);

}  // namespace saltus
