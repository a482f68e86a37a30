// The overlap of two flat parts of surfaces, projected along a direction.
#pragma once
#include "saltus/shapes/polyhedron.h"

namespace saltus {

/// A corner of the overlap: a point on the flat part `subject`, above or below the plane of the
/// other part, `clip`.
struct OverlapCorner {
  Vector3 x = Vector3::Zero();  ///< on the subject
  double height = 0.0;          ///< height of x above the plane of the clip part, along k [m]
  int subject = 0, clip = 0;    ///< codes of features (Polyhedron::codes); 0: inside the flat part
};

/// Corners of the part of a face of `subject` (or of the whole segment, face -1) that projects onto
/// a face of `clip` along the unit vector k, which points out of clip. Points within `snap` [m] of
/// a side count as lying on it: a corner of the subject is kept there, and no crossing is computed.
/// The list belongs to the thread and is valid until the next call.
std::span<const OverlapCorner> face_overlap(const Polyhedron& subject, int subject_face,
                                            const Polyhedron& clip, int clip_face, const Vector3& k,
                                            double snap);

}  // namespace saltus
