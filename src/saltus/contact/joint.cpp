#include "saltus/contact/joint.h"

#include <cmath>
#include <numbers>

namespace saltus {
namespace {

struct Facts {
  std::string_view name;
  int rows, coordinates;
  std::array<bool, 4> angle;
  bool axes, under_b;
};

const Facts& facts(JointKind kind) {
  static constexpr std::array<Facts, 11> kFacts{{
      {"fixed", 6, 0, {}, true, false},
      {"ball", 3, 0, {}, false, false},
      {"ball", 3, 4, {true, true, true, true}, true, false},
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

/// theta = atan2(|z_a x z_b|, c), c = z_a . z_b, and its rate: omega . n, n = z_a x z_b/|z_a x z_b|
JointRow swing_of(const Matrix3& A, const Matrix3& B) {
  const Vector3 u = A.col(2).cross(B.col(2));
  const double s = u.norm();
  return {true, s > 0.0 ? Vector3(u / s) : Vector3(A.col(0)),
          std::atan2(s, A.col(2).dot(B.col(2)))};
}

/// psi = atan2(x_b . y_a - y_b . x_a, x_b . x_a + y_b . y_a):
///     psi' = omega . (z_a + z_b)/(1 + z_a . z_b)
JointRow twist_of(const Matrix3& A, const Matrix3& B) {
  const double p = B.col(0).dot(A.col(1)) - B.col(1).dot(A.col(0)) + 0.0,
               q = B.col(0).dot(A.col(0)) + B.col(1).dot(A.col(1)),
               square = 1.0 + A.col(2).dot(B.col(2));
  JointRow row{true, A.col(2), std::atan2(p, q)};
  if (square > 0.0) row.direction = (A.col(2) + B.col(2)) / square;
  return row;
}

/// s = theta n . e = f(c) g, g = z_b . m, c = z_b . z_a, m = e x z_a fixed in a:
///     s' = f c' g + f g',   g' = omega . (z_b x m),   c' = omega . (z_b x z_a)
JointRow swing_along(const Matrix3& A, const Matrix3& B, const Vector3& e) {
  const Vector3 z = B.col(2), m = e.cross(A.col(2));
  const auto f = swing_ratio(z.dot(A.col(2)));
  const double g = z.dot(m);
  return {true, f[1] * g * z.cross(A.col(2)) + f[0] * z.cross(m), f[0] * g};
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
bool counts_turns(JointKind kind, int i) {
  return is_angle(kind, i) && (kind != JointKind::socket || i == kTwist);
}
int independent_count(JointKind kind) {
  return kind == JointKind::socket ? kSwing : coordinate_count(kind);
}
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
    case JointKind::socket:
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
    case JointKind::socket:
      if (i == kSwing) return swing_of(A, B);
      if (i == kTwist) return twist_of(A, B);
      return swing_along(A, B, A.col(i == kSwingX ? 0 : 1));
    default:
      return {};
  }
}

// f = theta/sin(theta) satisfies (1 - c^2) f' = c f - 1, and f = sum a_k (1 - c)^k with a_0 = 1,
// a_(k+1) = a_k (k + 1)/(2 k + 3), which converges quickly near c = 1, where the former cancels.
std::array<double, 3> swing_ratio(double c) {
  const double e = 1.0 - c, sine2 = e * (1.0 + c);
  constexpr double kNear = 0.125;
  if (e < kNear) {
    std::array<double, 3> f{};
    double a = 1.0;
    std::array<double, 3> power{1.0, 0.0, 0.0};  // (1 - c)^k and its derivatives by c
    for (int k = 0; k < 24; ++k) {
      for (std::size_t i = 0; i < 3; ++i) f[i] += a * power[i];
      power = {power[0] * e, power[1] * e - power[0], power[2] * e - 2.0 * power[1]};
      a *= (k + 1.0) / (2.0 * k + 3.0);
    }
    return f;
  }
  if (!(sine2 > 0.0)) return {};
  const double f = std::acos(c) / std::sqrt(sine2), f1 = (c * f - 1.0) / sine2;
  return {f, f1, (f + 3.0 * c * f1) / sine2};
}

double nearest_turn(double x, double y) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  return x + kTurn * std::round((y - x) / kTurn);
}

}  // namespace saltus
