#include "saltus/contact/joint.h"

#include <cmath>
#include <numbers>

namespace saltus {
namespace {

struct Facts {
  std::string_view name;
  int rows, coordinates;
  std::array<bool, 3> angle;
  bool axes, under_b;
};

const Facts& facts(JointKind kind) {
  static constexpr std::array<Facts, 10> kFacts{{
      {"fixed", 6, 0, {}, true, false},
      {"ball", 3, 0, {}, false, false},
      {"revolute", 5, 1, {true}, true, false},
      {"prismatic", 5, 1, {false}, true, true},
      {"cylindrical", 4, 2, {true, false}, true, true},
      {"planar", 3, 3, {false, false, true}, true, true},
      {"universal", 4, 2, {true, true}, true, false},
      {"distance", 1, 0, {}, false, false},
      {"along", 1, 0, {}, false, true},
      {"line", 0, 1, {false}, false, false},
  }};
  return kFacts[static_cast<std::size_t>(kind)];
}

void add_point(JointRows& rows, const Vector3& n, double gap) {
  rows.row[static_cast<std::size_t>(rows.size++)] = {false, n, gap};
}

/// g = s a . b with a fixed in body a, b in body b:  g' = s (omega_b - omega_a) . (b x a)
void add_angle(JointRows& rows, double s, const Vector3& a, const Vector3& b) {
  rows.row[static_cast<std::size_t>(rows.size++)] = {true, s * b.cross(a), s * a.dot(b)};
}

/// x_b - x_a = 0
void join_points(JointRows& rows, const Vector3& d) {
  for (int i = 0; i < 3; ++i) add_point(rows, Vector3::Unit(i), d[i]);
}

/// z_b along z_a: g = (-y_a . z_b, x_a . z_b), rotations of b about x and y to first order.
void align_axis(JointRows& rows, const Matrix3& A, const Matrix3& B) {
  add_angle(rows, -1.0, A.col(1), B.col(2));
  add_angle(rows, 1.0, A.col(0), B.col(2));
}

/// R_b = R_a: rotation about z in addition to that of the axis.
void align_axes(JointRows& rows, const Matrix3& A, const Matrix3& B) {
  align_axis(rows, A, B);
  add_angle(rows, -1.0, A.col(0), B.col(1));
}

/// phi = atan2(p, q), p = a . c, q = a . d with a fixed in one body, c and d in the other, phi the
/// rotation of the first relative to the second:
///     phi' = (q p' - p q') / (p^2 + q^2),   p' = omega . (a x c),   q' = omega . (a x d)
/// phi' becomes the rate about `axis` in the limit p = q = 0, and where the constraints hold.
JointRow angle_of(const Vector3& a, const Vector3& c, const Vector3& d, double sign,
                  const Vector3& axis) {
  const double p = a.dot(c) + 0.0, q = a.dot(d);  // + 0.0: -0 would turn pi into -pi
  const double square = p * p + q * q;
  JointRow row{true, axis, std::atan2(p, q)};
  if (square > 0.0) row.direction = (sign / square) * a.cross(q * c - p * d);
  return row;
}

/// |x_b - x_a| and its rate.
JointRow length_of(const JointFrame& a, const JointFrame& b) {
  const Vector3 d = b.x - a.x;
  const double l = d.norm();
  return {false, l > 0.0 ? Vector3(d / l) : Vector3(a.R.col(2)), l};
}

}  // namespace

std::string_view name_of(JointKind kind) { return facts(kind).name; }
int row_count(JointKind kind) { return facts(kind).rows; }
int coordinate_count(JointKind kind) { return facts(kind).coordinates; }
bool is_angle(JointKind kind, int i) { return facts(kind).angle[static_cast<std::size_t>(i)]; }
bool needs_axes(JointKind kind) { return facts(kind).axes; }
bool under_b(JointKind kind) { return facts(kind).under_b; }

void joint_rows(JointKind kind, double length, const JointFrame& a, const JointFrame& b,
                JointRows& rows) {
  rows.size = 0;
  const Vector3 d = b.x - a.x;
  const Matrix3 &A = a.R, &B = b.R;
  switch (kind) {
    case JointKind::fixed:
      join_points(rows, d);
      align_axes(rows, A, B);
      break;
    case JointKind::ball:
      join_points(rows, d);
      break;
    case JointKind::revolute:
      join_points(rows, d);
      align_axis(rows, A, B);
      break;
    case JointKind::universal:  // z_a . x_b = 0
      join_points(rows, d);
      add_angle(rows, 1.0, A.col(2), B.col(0));
      break;
    case JointKind::prismatic:
    case JointKind::cylindrical:
      add_point(rows, A.col(0), A.col(0).dot(d));
      add_point(rows, A.col(1), A.col(1).dot(d));
      if (kind == JointKind::prismatic)
        align_axes(rows, A, B);
      else
        align_axis(rows, A, B);
      break;
    case JointKind::planar:
      add_point(rows, A.col(2), A.col(2).dot(d));
      align_axis(rows, A, B);
      break;
    case JointKind::along:
      add_point(rows, A.col(2), A.col(2).dot(d));
      break;
    case JointKind::distance: {
      const JointRow l = length_of(a, b);
      add_point(rows, l.direction, l.gap - length);
      break;
    }
    case JointKind::line:
      break;
  }
}

JointRow joint_coordinate(JointKind kind, int i, const JointFrame& a, const JointFrame& b) {
  const Matrix3 &A = a.R, &B = b.R;
  const auto slide = [&](int axis) -> JointRow {
    return {false, A.col(axis), A.col(axis).dot(b.x - a.x)};
  };
  const auto turn = [&]() -> JointRow {  // of x_b relative to x_a about z_a
    return angle_of(B.col(0), A.col(1), A.col(0), 1.0, A.col(2));
  };
  switch (kind) {
    case JointKind::revolute:
      return turn();
    case JointKind::prismatic:
      return slide(2);
    case JointKind::cylindrical:
      return i == 0 ? turn() : slide(2);
    case JointKind::planar:
      return i == 2 ? turn() : slide(i);
    case JointKind::universal:
      if (i == 0) return turn();
      // of z_b relative to z_a about x_b
      return angle_of(A.col(2), B.col(1), B.col(2), -1.0, B.col(0));
    case JointKind::line:
      return length_of(a, b);
    default:
      return {};
  }
}

double nearest_turn(double x, double y) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  return x + kTurn * std::round((y - x) / kTurn);
}

}  // namespace saltus
