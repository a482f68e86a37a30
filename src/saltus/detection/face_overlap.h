// Where two flat parts of surfaces lie over each other, seen along a direction.
#pragma once
#include "saltus/shapes/polyhedron.h"

namespace saltus {

/// A corner of the overlap: on the flat part `subject`, over (or under) the plane of the other one,
/// `clip`.
struct OverlapCorner {
  Vector3 x = Vector3::Zero();  ///< on the subject
  double height = 0.0;          ///< of x over the plane of the clip part, along k [m]
  int subject = 0, clip = 0;    ///< codes of features (Polyhedron::codes); 0: inside the flat part
};

/// Corners of the part of a face of `subject` (or of the whole segment, face -1) that lies over a
/// face of `clip` seen along the unit vector k, which points out of clip. What lies within `snap`
/// [m] of a side counts as on it: a corner of the subject there stays, and no crossing is made. The
/// list belongs to the thread and lives until the next call.
std::span<const OverlapCorner> face_overlap(const Polyhedron& subject, int subject_face,
                                            const Polyhedron& clip, int clip_face, const Vector3& k,
                                            double snap);

}  // namespace saltus
