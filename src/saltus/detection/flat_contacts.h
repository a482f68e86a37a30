// The flat parts of two convex shapes of which one is smooth, laid over each other along the
// normal.
#pragma once
#include "saltus/detection/contact_rules.h"
#include "saltus/detection/normal_search.h"

namespace saltus {

/// Of the size: what lies so close to a rim or side is on it.
inline constexpr double kOnRim = 1e-7;
/// Of the size: gaps this close are equal.
inline constexpr double kTouching = 1e-10;

/// Appends the point of x on a and y on b with the normal of the touch, if its gap is within the
/// margin. Returns the gap of the cores there, at least touch.s.
double add_smooth(const Convex& a, const Convex& b, const Touch& touch, const Vector3& x,
                  const Vector3& y, int code_a, int code_b, double margin, ContactPoints& out);

/// Appends the corners of the overlap of the flat parts that look along the normal, the ends of
/// that of lines. Returns the least of their gaps, infinity where there are none.
double flat_contacts(const Convex& a, const Convex& b, const Touch& touch, double margin,
                     ContactPoints& out);

}  // namespace saltus
