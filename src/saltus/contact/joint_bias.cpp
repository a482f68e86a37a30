#include "saltus/contact/joint_bias.h"

namespace saltus {
namespace {

/// A vector, or a scalar, with its first two time derivatives.
struct Course {
  Vector3 x, x1, x2;
};
struct Value {
  double f, f1, f2;
};

/// For n fixed in a side:  n' = omega x n,  n'' = alpha x n + omega x n'
Course fixed_in(const JointMotion& m, const Vector3& n) {
  const Vector3 n1 = m.omega.cross(n);
  return {n, n1, m.alpha.cross(n) + m.omega.cross(n1)};
}

Value dot(const Course& a, const Course& b) {
  return {a.x.dot(b.x), a.x1.dot(b.x) + a.x.dot(b.x1),
          a.x2.dot(b.x) + 2.0 * a.x1.dot(b.x1) + a.x.dot(b.x2)};
}

Value operator+(const Value& a, const Value& b) { return {a.f + b.f, a.f1 + b.f1, a.f2 + b.f2}; }
Value operator-(const Value& a, const Value& b) { return {a.f - b.f, a.f1 - b.f1, a.f2 - b.f2}; }

/// l = |d|, n = d/l:  l'' = n . d'' + (|d'|^2 - (n . d')^2)/l
double length_of(const Course& d, const Vector3& otherwise) {
  const double l = d.x.norm();
  if (!(l > 0.0)) return otherwise.dot(d.x2);
  const Vector3 n = d.x / l;
  const double rate = n.dot(d.x1);
  return n.dot(d.x2) + (d.x1.squaredNorm() - rate * rate) / l;
}

/// phi = atan2(p, q), s = p^2 + q^2:  phi' = (q p' - p q')/s,  phi'' = (q p'' - p q'' - s' phi')/s
double angle_of(const Value& p, const Value& q, double otherwise) {
  const double s = p.f * p.f + q.f * q.f;
  if (!(s > 0.0)) return otherwise;
  const double rate = (q.f * p.f1 - p.f * q.f1) / s;
  return (q.f * p.f2 - p.f * q.f2 - 2.0 * (p.f * p.f1 + q.f * q.f1) * rate) / s;
}

/// Both sides, and d = x_b - x_a.
struct Sides {
  const JointFrame &at_a, &at_b;
  const JointMotion &of_a, &of_b;
  Course d;

  Sides(const JointFrame& a, const JointFrame& b, const JointMotion& m_a, const JointMotion& m_b)
      : at_a(a), at_b(b), of_a(m_a), of_b(m_b), d{b.x - a.x, m_b.v - m_a.v, m_b.a - m_a.a} {}
  Course a(int axis) const { return fixed_in(of_a, at_a.R.col(axis)); }
  Course b(int axis) const { return fixed_in(of_b, at_b.R.col(axis)); }
  double slide(int axis) const { return dot(a(axis), d).f2; }
  /// c = cos(theta), s = sin(theta):  c'' = -c theta'^2 - s theta''
  double swing() const {
    const Value c = dot(a(2), b(2));
    const double s = at_a.R.col(2).cross(at_b.R.col(2)).norm();
    if (!(s > 0.0)) return at_a.R.col(0).dot(of_b.alpha - of_a.alpha);
    const double rate = -c.f1 / s;
    return -(c.f2 + c.f * rate * rate) / s;
  }
  double twist() const {
    const Course x = b(0), y = b(1), x_a = a(0), y_a = a(1);
    const Value p = dot(x, y_a) - dot(y, x_a), q = dot(x, x_a) + dot(y, y_a);
    return angle_of(p, q, at_a.R.col(2).dot(of_b.alpha - of_a.alpha));
  }
  /// s = f(c) g:  s'' = f'' g + 2 f' g' + f g'' with the derivatives of f by time
  double swing_along(int axis) const {
    const Value c = dot(b(2), a(2));
    Value g = dot(b(2), a(axis == 0 ? 1 : 0));  // z_b . m, m = -y_a, x_a
    if (axis == 0) g = {-g.f, -g.f1, -g.f2};
    const auto f = swing_ratio(c.f);
    return (f[2] * c.f1 * c.f1 + f[1] * c.f2) * g.f + 2.0 * f[1] * c.f1 * g.f1 + f[0] * g.f2;
  }
  double turn() const {  // of x_b relative to x_a about z_a
    const Course x = b(0);
    return angle_of(dot(x, a(1)), dot(x, a(0)), at_a.R.col(2).dot(of_b.alpha - of_a.alpha));
  }
};

}  // namespace

std::array<double, 6> joint_accelerations(JointKind kind, const JointFrame& a, const JointFrame& b,
                                          const JointMotion& of_a, const JointMotion& of_b) {
  const Sides s(a, b, of_a, of_b);
  std::array<double, 6> g{};
  std::size_t n = 0;
  const auto add = [&](double rate) { g[n++] = rate; };
  const auto join_points = [&] {
    for (int i = 0; i < 3; ++i) add(s.d.x2[i]);
  };
  const auto align_axis = [&] {
    const Course z = s.b(2);
    add(-dot(s.a(1), z).f2);
    add(dot(s.a(0), z).f2);
  };
  const auto align_axes = [&] {
    align_axis();
    add(-dot(s.a(0), s.b(1)).f2);
  };
  switch (kind) {
    case JointKind::fixed:
      join_points();
      align_axes();
      break;
    case JointKind::ball:
    case JointKind::socket:
      join_points();
      break;
    case JointKind::revolute:
      join_points();
      align_axis();
      break;
    case JointKind::universal:
      join_points();
      add(dot(s.a(2), s.b(0)).f2);
      break;
    case JointKind::prismatic:
    case JointKind::cylindrical:
      add(s.slide(0));
      add(s.slide(1));
      if (kind == JointKind::prismatic)
        align_axes();
      else
        align_axis();
      break;
    case JointKind::planar:
      add(s.slide(2));
      align_axis();
      break;
    case JointKind::along:
      add(s.slide(2));
      break;
    case JointKind::distance:
      add(length_of(s.d, a.R.col(2)));
      break;
    case JointKind::line:
      break;
  }
  return g;
}

double joint_coordinate_acceleration(JointKind kind, int i, const JointFrame& a,
                                     const JointFrame& b, const JointMotion& of_a,
                                     const JointMotion& of_b) {
  const Sides s(a, b, of_a, of_b);
  switch (kind) {
    case JointKind::revolute:
      return s.turn();
    case JointKind::prismatic:
      return s.slide(2);
    case JointKind::cylindrical:
      return i == 0 ? s.turn() : s.slide(2);
    case JointKind::planar:
      return i == 2 ? s.turn() : s.slide(i);
    case JointKind::universal: {
      if (i == 0) return s.turn();
      // of z_b relative to z_a about x_b
      const Course z = s.a(2);
      return angle_of(dot(z, s.b(1)), dot(z, s.b(2)), b.R.col(0).dot(of_b.alpha - of_a.alpha));
    }
    case JointKind::line:
      return length_of(s.d, a.R.col(2));
    case JointKind::socket:
      if (i == kSwing) return s.swing();
      return i == kTwist ? s.twist() : s.swing_along(i - kSwingX);
    default:
      return 0.0;
  }
}

}  // namespace saltus
