// Branch and bound over the sphere of directions. With K = a - b, h(u) = max w . u over K is the
// width of the overlap along u, and the depth is its minimum over unit u. Each triangle of
// directions u_1, u_2, u_3 stores the points w_i of K farthest along its corners. A triangle is
// finished when a lower bound of h over it reaches the depth; otherwise it is cut at its longest
// edge. One corner of the first triangles is the given direction; triangles at that corner have a
// bound of second order.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/detection/depth_proof.h"

namespace saltus {
namespace {

constexpr int kMostCuts = 3000;
// triangles; every cut adds one, and a few cuts halve the longest edge
constexpr int kMostOpen = 160;
constexpr double kWidest = 0.15;  // cosine between the given direction and the corners around it

struct Corner {
  Vector3 u, x, y;  ///< direction, farthest point of a along u and of b along -u
  Vector3 w() const { return x - y; }
};

struct Triangle {
  std::array<Corner, 3> corner;
  bool at_best;  ///< corner 0 is the given direction
};

/// h of one shape near a direction p: |B u| + x . u, where x may be any point of the shape. B is 0
/// for a polyhedron, and for a cylinder if p is its axis.
struct Rounded {
  Matrix3 B = Matrix3::Zero();
  Vector3 Bp = Vector3::Zero();
  double length = 0.0;  ///< |B p|

  Rounded(const Convex& c, const Vector3& p) {
    if (c.kind == Convex::Kind::polyhedron) return;
    Vector3 radii = c.radii;
    if (c.kind == Convex::Kind::cylinder) radii.z() = 0.0;
    B = radii.asDiagonal() * c.R.transpose();
    Bp = B * p;
    length = Bp.norm();
    if (length > 1e-9 * c.size) return;
    B.setZero();
    length = 0.0;
  }
  /// The farthest point x without the contribution that |B u| covers.
  Vector3 rest(const Convex& c, const Vector3& x) const {
    if (!(length > 0.0)) return x;
    if (c.kind == Convex::Kind::ellipsoid) return c.centre + c.shift;
    const Vector3 axis = c.R.col(2), middle = c.centre + c.shift;
    return middle + axis.dot(x - middle) * axis;
  }
};

class Proof {
 public:
  Proof(const Convex& a, const Convex& b, const Vector3& n, double depth, double tolerance)
      : a_(a),
        b_(b),
        p_(-n),
        depth_(depth),
        tolerance_(tolerance),
        rounding_(a.rounding + b.rounding),
        round_a_(a, p_),
        round_b_(b, p_) {}

  DepthProof run() {
    Eigen::Index least = 0;
    p_.cwiseAbs().minCoeff(&least);
    const Vector3 q = p_.cross(Vector3::Unit(least)).normalized(), r = p_.cross(q);
    const std::array<Vector3, 4> around{q, r, -q, -r};
    const Corner top = corner(p_), bottom = corner(-p_);
    std::array<Corner, 4> ring;
    for (std::size_t i = 0; i < 4; ++i) ring[i] = corner(around[i]);
    for (std::size_t i = 0; i < 4; ++i) {
      const Corner &c = ring[i], &d = ring[(i + 1) % 4];
      open_[at(open_count_++)] = {{bottom, d, c}, false};
      open_[at(open_count_++)] = {{top, c, d}, true};
    }
    double least_bound = std::numeric_limits<double>::infinity();
    for (int cuts = 0; open_count_ > 0 && !result_.better;) {
      const Triangle T = open_[at(--open_count_)];
      const double bound = bound_of(T);
      if (bound >= enough() || (T.at_best && reaches_depth(T))) continue;
      if (cuts < kMostCuts && open_count_ + 2 <= kMostOpen) {
        ++cuts;
        cut(T);
      } else {
        least_bound = std::min(least_bound, bound);
      }
    }
    if (result_.better) return result_;
    result_.proven = std::isinf(least_bound);
    // the cores without their balls overlap: h >= 0
    if (!result_.proven) result_.doubt = depth_ - rounding_ - std::max(least_bound, 0.0);
    return result_;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// Lower bound that h of the cores without their balls has to reach; a negative one is halved
  /// because |u| >= 1/2 in all triangles.
  double enough() const {
    const double least = depth_ - rounding_ - tolerance_;
    return least > 0.0 ? least : 0.5 * least;
  }

  Corner corner(const Vector3& u) {
    const Corner c{u, a_.support(u), b_.support(-u)};
    if (u.dot(c.w()) < depth_ - rounding_ - tolerance_) {
      result_.better = true;
      result_.n = -u;
    }
    return c;
  }

  void cut(const Triangle& T) {
    std::size_t i = 0, j = 1;
    double longest = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double length2 = (T.corner[k].u - T.corner[(k + 1) % 3].u).squaredNorm();
      if (!(length2 > longest)) continue;
      longest = length2;
      i = k;
      j = (k + 1) % 3;
    }
    const Corner middle = corner((T.corner[i].u + T.corner[j].u).normalized());
    // corner 0 belongs to both halves, or to the one that contains it
    Triangle one = T, two = T;
    one.corner[j] = middle;
    two.corner[i] = middle;
    if (i == 0) two.at_best = false;
    if (j == 0) one.at_best = false;
    open_[at(open_count_++)] = one;
    open_[at(open_count_++)] = two;
  }

  /// For u = sum c_j u_j, c >= 0, sum c = 1:
  ///     h(u) >= max_i w_i . u >= max over weights l of min_j sum_i l_i w_i . u_j,
  /// the value of a matrix game. Because |u| <= 1, h(u/|u|) may be larger where it is positive.
  double bound_of(const Triangle& T) const {
    Matrix3 G;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) G(i, j) = T.corner[at(i)].w().dot(T.corner[at(j)].u);
    double best = G.rowwise().minCoeff().maxCoeff();
    if (best >= enough()) return best;
    const Vector3 l = G.col(1).cross(G.col(2)) + G.col(2).cross(G.col(0)) +
                      G.col(0).cross(G.col(1));  // equal gains: l . (G_j - G_k) = 0
    const double sum = l.sum();
    if (sum != 0.0 && (l / sum).minCoeff() >= 0.0)
      best = std::max(best, (G.transpose() * (l / sum)).minCoeff());
    if (best >= enough()) return best;
    for (int i = 0; i < 3; ++i) {
      const Vector3 f = G.row(i), g = G.row((i + 1) % 3);
      best = std::max(best, best_mean(f, g));
    }
    return best;
  }

  /// Maximum over t in [0, 1] of the smallest component of (1 - t) f + t g: at an end, or where two
  /// components are equal.
  static double best_mean(const Vector3& f, const Vector3& g) {
    double best = std::max(f.minCoeff(), g.minCoeff());
    for (int j = 0; j < 3; ++j) {
      const int k = (j + 1) % 3;
      const double df = f[j] - f[k], dg = g[j] - g[k];
      if (!(df * dg < 0.0)) continue;
      const double t = df / (df - dg);
      best = std::max(best, ((1.0 - t) * f + t * g).minCoeff());
    }
    return best;
  }

  /// A linear part of h over the triangle at the given direction p: value at p, slopes along t_1,
  /// t_2.
  struct Linear {
    double value, one, two;
    Linear mean(double t, const Linear& other) const {
      return {(1.0 - t) * value + t * other.value, (1.0 - t) * one + t * other.one,
              (1.0 - t) * two + t * other.two};
    }
  };

  /// On u = p + t, t = c_1 t_1 + c_2 t_2 across p, c_1 + c_2 <= 1, each shape satisfies
  ///   |B(p + t)| >= |B p| + e . B t + |B t - (e . B t) e|^2 / 2 (|B p| + max |B t|),
  ///       e = B p/|B p|,
  /// and |u| <= 1 + |t|^2/2. So h(u) - depth |u| is at least the sum of a linear and a quadratic
  /// form in c. Because c_1 + c_2 <= 1, the linear form with slopes l >= 0 is at least
  /// (l . c)(c_1 + c_2), and the sum has to be copositive.
  bool reaches_depth(const Triangle& T) const {
    const Vector3 &u1 = T.corner[1].u, &u2 = T.corner[2].u;
    const double cos1 = u1.dot(p_), cos2 = u2.dot(p_);
    if (!(cos1 > kWidest && cos2 > kWidest)) return false;
    const Vector3 t1 = u1 / cos1 - p_, t2 = u2 / cos2 - p_;
    const double d = std::max(depth_, 0.0);
    double q11 = -d * t1.squaredNorm(), q12 = -d * t1.dot(t2), q22 = -d * t2.squaredNorm();
    Linear rounds{0.0, 0.0, 0.0};
    for (const Rounded* r : {&round_a_, &round_b_}) {
      if (!(r->length > 0.0)) continue;
      const Vector3 e = r->Bp / r->length, b1 = r->B * t1, b2 = r->B * t2;
      const double e1 = e.dot(b1), e2 = e.dot(b2);
      const double weight =
          1.0 / (r->length + std::sqrt(std::max(b1.squaredNorm(), b2.squaredNorm())));
      q11 += weight * (b1.squaredNorm() - e1 * e1);
      q12 += weight * (b1.dot(b2) - e1 * e2);
      q22 += weight * (b2.squaredNorm() - e2 * e2);
      rounds.value += r->length;
      rounds.one += e1;
      rounds.two += e2;
    }
    std::array<Linear, 3> linear;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3 w = round_a_.rest(a_, T.corner[i].x) - round_b_.rest(b_, T.corner[i].y);
      linear[i] = {rounds.value + w.dot(p_), rounds.one + w.dot(t1), rounds.two + w.dot(t2)};
      if (linear[i].value < depth_ - 0.25 * tolerance_)
        linear[i].value = -std::numeric_limits<double>::infinity();
      if (is_enough(linear[i], q11, q12, q22)) return true;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const Linear &f = linear[i], &g = linear[(i + 1) % 3];
      if (std::isinf(f.value) || std::isinf(g.value)) continue;
      const double df = f.one - f.two, dg = g.one - g.two;
      if (df * dg < 0.0 && is_enough(f.mean(df / (df - dg), g), q11, q12, q22)) return true;
    }
    return false;
  }

  bool is_enough(const Linear& l, double q11, double q12, double q22) const {
    const double slack = 0.25 * tolerance_;
    if (!(l.value >= depth_ - slack && l.one >= -slack && l.two >= -slack)) return false;
    const double l1 = std::max(l.one, 0.0), l2 = std::max(l.two, 0.0);
    // c_1^2 m11 + c_1 c_2 m12 + c_2^2 m22
    const double m11 = l1 + 0.5 * q11, m12 = l1 + l2 + q12, m22 = l2 + 0.5 * q22;
    return m11 >= -slack && m22 >= -slack &&
           m12 >= -2.0 * std::sqrt(std::max(m11, 0.0) * std::max(m22, 0.0)) - slack;
  }

  const Convex &a_, &b_;
  Vector3 p_;
  double depth_, tolerance_, rounding_;
  Rounded round_a_, round_b_;
  std::array<Triangle, kMostOpen> open_;
  int open_count_ = 0;
  DepthProof result_;
};

}  // namespace

DepthProof prove_depth(const Convex& a, const Convex& b, const Vector3& n, double depth,
                       double tolerance) {
  return Proof(a, b, n, depth, tolerance).run();
}

}  // namespace saltus
