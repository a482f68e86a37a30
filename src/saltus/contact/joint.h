// Constraints of a joint, g(q_a, q_b) = 0, and the coordinates along which it leaves motion free.
//
// A joint has a point and axes on each side: (x_a, R_a) on a, (x_b, R_b) on b. If the constraints
// hold, points and axes coincide except along the free coordinates. The axis of a revolute,
// prismatic or cylindrical joint, and the normal of a planar one, is the third column z. Rows are
// velocities of b relative to a: u = G v, the rate of g.
#pragma once
#include <array>
#include <string_view>

#include "saltus/math/rotation.h"

namespace saltus {

///     fixed:        no relative motion
///     ball:         the points coincide
///     socket:       a ball joint with axes, z of a: its axis, z of b: that of the other body
///     revolute:     turns about z
///     prismatic:    slides along z
///     cylindrical:  turns about z and slides along it
///     planar:       slides across z and turns about it
///     universal:    turns about z of a and x of b, which stay at right angles
///     distance:     |x_b - x_a| = length, a rigid link
///     along:        x_b - x_a has no component along z of a
///     line:         no constraint; springs and dampers act along x_b - x_a
enum class JointKind {
  fixed,
  ball,
  socket,
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

/// Number of rows of a joint of this kind, 0 to 6, and of coordinates on which laws may act:
/// revolute [rad], prismatic [m], cylindrical [rad] [m], planar [m] [m] [rad], universal [rad]
/// [rad], line [m] (its length), socket [rad] x 4, others none.
///
/// A rotation of b relative to a is a swing about an axis n perpendicular to z_a, which turns z_a
/// into z_b, after a twist about z_a. The coordinates of a socket are
///     the angle of the twist;  theta n . x_a, theta n . y_a (swing_x, swing_y);
///     theta in [0, pi], the angle between z_a and z_b (swing), which has a kink at 0.
/// Where z_b = -z_a, n and the twist are undefined.
int row_count(JointKind kind);
int coordinate_count(JointKind kind);
/// True if coordinate i is an angle [rad], false if it is a length [m].
bool is_angle(JointKind kind, int i);
/// True if coordinate i is an angle over any number of turns.
bool counts_turns(JointKind kind, int i);
/// Number of coordinates that are independent, the first ones: all but theta of a socket.
int independent_count(JointKind kind);
/// True if the kind needs the axes of a or b: those bodies must have frames (rigid bodies, bodies
/// with prescribed motion, or the world).
bool needs_axes(JointKind kind);
/// The point of a that the point rows of the joint and of its coordinates use: the material point
/// of a that is now at x_b (true), or the one at x_a.
bool under_b(JointKind kind);

/// One side in its present position: the point and axes of the joint, in space.
using JointFrame = Pose;

/// A row of G: direction . (velocity of the point of b - that of the point of a), or the same for
/// angular velocities. It is the rate of `gap` in any position of the two sides, also where the
/// constraint is violated.
struct JointRow {
  bool spin = false;
  Vector3 direction = Vector3::Zero();  ///< in space; of unit length where g = 0
  double gap = 0.0;                     ///< g, zero if the constraint holds [m], [rad]
};

/// The rows of a joint in one position.
struct JointRows {
  int size = 0;
  std::array<JointRow, 6> row;
};
/// length: of a distance joint, unused by others. If the two points of a distance joint coincide,
/// the direction is z of a.
void joint_rows(JointKind kind, double length, const JointFrame& a, const JointFrame& b,
                JointRows& rows);

/// Coordinate i: its value, as `gap`, and its rate as a row. Angles are in (-pi, pi], 0 if the axes
/// of a and b coincide. If the axes of a socket coincide, the rate of theta is that about x_a.
JointRow joint_coordinate(JointKind kind, int i, const JointFrame& a, const JointFrame& b);

/// The indices of the coordinates of a socket.
enum SocketCoordinate { kTwist, kSwingX, kSwingY, kSwing };

/// f = theta/sin(theta) as a function of c = cos(theta), f' and f''; 0 at c = -1.
std::array<double, 3> swing_ratio(double c);

/// The angle x + 2 pi n that is nearest to y [rad].
double nearest_turn(double x, double y);

}  // namespace saltus
