// Boundary surfaces of deformable bodies: the faces of a mesh, the surface of a shape that deforms.
#pragma once
#include <span>

#include "saltus/dynamics/boundary_surface.h"
#include "saltus/mesh/mesh.h"
#include "saltus/shapes/shape.h"

namespace saltus {

/// Of a `Fem`. Vertices are the nodes of these faces, in increasing order; a tri3 is one facet, a
/// quad4 two, a tri6 four, a quad8 six, an edge of plane elements one or two. Facets are flat;
/// their points are those of the element, which lie on its curved or warped face. Of bars, which
/// have no faces: the nodes that belong to one element alone, without facets. Throws UsageError: a
/// face that is not there or given twice.
BoundarySurface boundary_of(const Mesh& mesh, std::span<const MeshFace> faces);

/// Of body `body` of a `PseudoRigid` whose centre of mass is at `centre` [m] in the frame of the
/// shape. Boxes, hulls and meshes as they are; of round shapes vertices on the surface and facets
/// whose sides are no longer than `size` [m]. Throws UsageError: a plane or a height field, size <=
/// 0 of a round shape, more than 2^22 facets.
BoundarySurface boundary_of(const Shape& shape, int body, const Vector3& centre, double size);

}  // namespace saltus
