// What a joint holds: g(q_a, q_b) = 0, and the coordinates along which it leaves motion free.
//
// A joint has a point and axes on each side, those of a at (x_a, R_a), those of b at (x_b, R_b);
// where the joint is closed the points and, but for what turns freely, the axes coincide. The axis
// of a revolute, prismatic, cylindrical joint, and the normal of a planar one, is the third column
// z. Rows are velocities of b against a: u = G v, the rate of g.
#pragma once
#include <array>
#include <string_view>

#include "saltus/math/rotation.h"

namespace saltus {

/// fixed:       nothing moves.                           ball:      points together.
/// revolute:    turns about z.                           prismatic: slides along z.
/// cylindrical: turns about z and slides along it.       planar:    slides across z and turns about
/// it.
/// universal:   turns about z of a and x of b, which stay at right angles.
/// distance:    |x_b - x_a| = length, a rigid link.      along:     x_b - x_a has no part along z
/// of a.
/// line:        holds nothing; springs and dampers act along x_b - x_a.
enum class JointKind {
  fixed,
  ball,
  revolute,
  prismatic,
  cylindrical,
  planar,
  universal,
  distance,
  along,
  line
};
std::string_view name_of(JointKind kind);

/// Rows that a joint of this kind has, 0 to 6, and coordinates on which laws may act: revolute
/// [rad], prismatic [m], cylindrical [rad] [m], planar [m] [m] [rad], universal [rad] [rad], line
/// [m] (its length), others none.
int row_count(JointKind kind);
int coordinate_count(JointKind kind);
/// True where coordinate i is an angle [rad], else it is a length [m].
bool is_angle(JointKind kind, int i);
/// True where the kind asks for the axes of a or b: those bodies must have frames (rigid or moved
/// ones, or the world).
bool needs_axes(JointKind kind);
/// The point of a that point rows mean, of the joint and of its coordinates: the material point of
/// a that is at x_b now (true), or that at x_a.
bool under_b(JointKind kind);

/// One side as it is now: the joint's own point and axes in space.
using JointFrame = Pose;

/// A row of G: direction . (velocity of the point of b - that of the point of a), or of the angular
/// velocities. It is the rate of `gap` wherever the two sides are, not only where they are closed.
struct JointRow {
  bool spin = false;
  Vector3 direction = Vector3::Zero();  ///< in space; unit where the joint is closed
  double gap = 0.0;                     ///< g, zero where the joint is closed [m], [rad]
};

/// The rows of a joint at one place.
struct JointRows {
  int size = 0;
  std::array<JointRow, 6> row;
};
/// length: of a distance, not used by others. Of a distance of two coincident points the direction
/// is z of a.
void joint_rows(JointKind kind, double length, const JointFrame& a, const JointFrame& b,
                JointRows& rows);

/// Coordinate i: its value and its rate as a row. Angles are in (-pi, pi], 0 where the axes of a
/// and b coincide. `gap` is the value.
JointRow joint_coordinate(JointKind kind, int i, const JointFrame& a, const JointFrame& b);

/// Of the angles x + 2 pi n the nearest to y [rad].
double nearest_turn(double x, double y);

}  // namespace saltus
