// The overlap along the normal of the flat parts of two convex shapes, at least one of which is
// smooth.
#pragma once
#include "saltus/detection/contact_rules.h"
#include "saltus/detection/normal_search.h"

namespace saltus {

/// Relative to the size: points this close to a rim or side count as lying on it.
inline constexpr double kOnRim = 1e-7;
/// Relative to the size: gaps this close count as equal.
inline constexpr double kTouching = 1e-10;

/// Appends the point of x on a and y on b with the normal of `touch`, if its gap is within the
/// margin. Returns the gap of the cores there, at least touch.s.
double add_smooth(const Convex& a, const Convex& b, const Touch& touch, const Vector3& x,
                  const Vector3& y, int code_a, int code_b, double margin, ContactPoints& out);

/// Appends the corners of the overlap of the flat parts that face the normal, or the ends of the
/// overlap of lines. Returns the least gap, infinity if there are no such points.
double flat_contacts(const Convex& a, const Convex& b, const Touch& touch, double margin,
                     ContactPoints& out);

}  // namespace saltus
