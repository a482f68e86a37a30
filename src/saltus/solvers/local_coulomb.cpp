// A sliding contact has  lambda p_T = -u_T,  lambda >= 0 [1/kg]: with p_N eliminated by u_N = 0,
//     (S + lambda 1) p_T = -c,    S = W_TT - W_TN W_NT/W_NN,    c = b_T - W_TN b_N/W_NN,        (1)
//     p_N = -(b_N + W_NT p_T)/W_NN.
// S is used in the principal axes of its symmetric part: if S is singular up to round-off, each
// axis keeps its digits.
#include "saltus/solvers/local_coulomb.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace saltus {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

/// With v = adj(S + lambda 1) c and D = det(S + lambda 1), (1) is p_T = -v/D, and |p_T| = mu p_N
/// becomes
///     G(lambda) = A - (W_NN/mu) |v| = 0,    A = -b_N D + W_NT v                                (2)
/// A is quadratic and v is linear in lambda; G > 0 if (1) lies inside the cone, which holds for
/// large lambda. For lambda -> infinity G/|v| tends to a straight line, so Newton's method on it
/// converges in 2 to 5 steps.
class CoulombContact::Sliding {
 public:
  Sliding(const CoulombContact& contact, double b_N, const double* c, double mu)
      : x_(contact), beta_(-b_N), ratio_(contact.W_NN_ / mu), mu_(mu), c_{c[0], c[1]} {}

  /// Impulse along the axes that solves (2); returns false if there is none.
  bool solve(double* p) {
    const double c2 = c_[0] * c_[0] + c_[1] * c_[1];
    const double s2 = x_.S_[0] * c_[0] * c_[0] + x_.S_[1] * c_[1] * c_[1];
    const double W_c = x_.W_NT_[0] * c_[0] + x_.W_NT_[1] * c_[1];
    double low = x_.lowest_;
    if (x_.singular_) {
      // |p_T| diverges towards `low`: outside the cone, or inside it if friction jams the contact
      evaluate(low);
      if (!(G_ < 0.0)) {
        if (!leave_cone(low)) return false;
        if (at_root()) return take(p);
      }
    }
    // root of the asymptote of G/|v|
    const double start = (std::sqrt(c2) * ratio_ - W_c) / beta_ - s2 / c2;
    return find(low, start, p);
  }

  /// A contact that friction jams: W z = 0 for z = (-W_NT e/W_NN, e) inside the cone, where e is an
  /// axis without mobility. (1) is solved along the other axis, and the smallest multiple of z that
  /// brings p into the cone is added. The slip along e remains.
  void wedge(double* p) const {
    const int stuck = x_.S_[1] == 0.0 ? 1 : 0;
    const double S = x_.S_[1 - stuck], other = S != 0.0 ? -c_[1 - stuck] / S : 0.0;
    const double W_e = x_.W_NT_[stuck], z = std::abs(W_e) / x_.W_NN_;
    const double push = (beta_ - x_.W_NT_[1 - stuck] * other) / x_.W_NN_;
    const double a = mu_ * mu_ * z * z - 1.0, b = mu_ * mu_ * push * z;
    const double out = other * other - mu_ * mu_ * push * push;
    double t = 0.0;  // a t^2 + 2 b t = out
    if (push < 0.0 || out > 0.0) t = (std::sqrt(std::max(b * b + a * out, 0.0)) - b) / a;
    p[0] = push + t * z;
    p[1 + stuck] = W_e > 0.0 ? -t : t;
    p[2 - stuck] = other;
  }

 private:
  void evaluate(double lambda) {
    const double m_1 = x_.S_[0] + lambda, m_2 = x_.S_[1] + lambda, k = x_.skew_;
    v_[0] = m_2 * c_[0] - k * c_[1];
    v_[1] = m_1 * c_[1] + k * c_[0];
    D_ = m_1 * m_2 + k * k;
    W_v_ = x_.W_NT_[0] * v_[0] + x_.W_NT_[1] * v_[1];
    v2_ = v_[0] * v_[0] + v_[1] * v_[1];
    size_ = std::sqrt(v2_);
    A_ = beta_ * D_ + W_v_;
    G_ = A_ - ratio_ * size_;
    trace_ = m_1 + m_2;
  }
  bool at_root() const {
    return std::abs(G_) <= 2.0 * kEpsilon * (beta_ * D_ + std::abs(W_v_) + ratio_ * size_);
  }
  /// -G/(|v| (G/|v|)')
  double newton_step() const {
    const double A_slope = beta_ * trace_ + x_.W_NT_[0] * c_[0] + x_.W_NT_[1] * c_[1];
    return -G_ / (A_slope - A_ * (v_[0] * c_[0] + v_[1] * c_[1]) / v2_);
  }
  /// Takes p_N from the cone: the remainder of G then appears in u_N.
  bool take(double* p) const {
    p[1] = -v_[0] / D_;
    p[2] = -v_[1] / D_;
    p[0] = size_ / (D_ * mu_);
    return D_ > 0.0;
  }

  /// Root between `low`, where G < 0, and infinity: Newton's method, safeguarded by bisection.
  bool find(double low, double start, double* p) {
    double lambda = start > low ? start : low, high = kInfinity;
    for (int i = 0; i < 200; ++i) {
      evaluate(lambda);
      if (at_root() && D_ > 0.0) return take(p);
      (G_ < 0.0 ? low : high) = lambda;
      const double step = newton_step();
      double next = lambda + step;
      if (next > low && next < high) {
        // the square of this, in the next step, is round-off
        if (std::abs(step) <= 1e-9 * std::abs(trace_ - std::abs(x_.S_[0] - x_.S_[1]))) {
          evaluate(next);
          return take(p);
        }
      } else {
        const double most = std::abs(x_.S_[0]) + std::abs(x_.S_[1]) + std::abs(x_.skew_);
        next = high == kInfinity               ? 4.0 * std::max(lambda, most)
               : low > 0.0 && high > 4.0 * low ? std::sqrt(low) * std::sqrt(high)
                                               : 0.5 * (low + high);
        if (!(next > low && next < high)) break;  // adjacent floating-point numbers
      }
      lambda = next;
    }
    return take(p);
  }

  /// Moves `low` to the minimum of G/|v| if G is not positive there. The minimum is a root of a
  /// cubic, with v = v_0 + lambda c and m = lambda + h:
  ///     |v|^2 = c^2 m^2 + g^2,  A = beta m^2 + a_1 m + a_0:
  ///         m^3 + (2 g^2/c^2 - a_0/beta) m + a_1 g^2/(beta c^2) = 0
  bool leave_cone(double& low) {
    const double first = low, k = x_.skew_, *S = x_.S_, *w = x_.W_NT_;
    const double c2 = c_[0] * c_[0] + c_[1] * c_[1];
    const double v_1 = S[1] * c_[0] - k * c_[1], v_2 = S[0] * c_[1] + k * c_[0];
    const double h = (v_1 * c_[0] + v_2 * c_[1]) / c2;
    const double across = v_1 * c_[1] - v_2 * c_[0], g2 = across * across / c2;
    const double slope = beta_ * (S[0] + S[1]) + w[0] * c_[0] + w[1] * c_[1];
    const double a_1 = slope - 2.0 * beta_ * h;
    const double a_0 =
        beta_ * (S[0] * S[1] + k * k) + w[0] * v_1 + w[1] * v_2 - h * slope + beta_ * h * h;
    const double P = 2.0 * g2 / c2 - a_0 / beta_, Q = a_1 * g2 / (beta_ * c2);
    double roots[3];
    const int count = cubic_roots(P, Q, roots);
    double least = kInfinity;
    for (int i = 0; i < count; ++i) {
      const double lambda = roots[i] - h;
      if (!(lambda > first)) continue;
      evaluate(lambda);
      const double depth = G_ / size_;
      if (!(depth < least) || !(D_ > 0.0)) continue;
      least = depth;
      low = lambda;
    }
    if (!(least < kInfinity)) return false;
    evaluate(low);
    return G_ < 0.0 || at_root();
  }

  /// Real roots of m^3 + P m + Q.
  static int cubic_roots(double P, double Q, double* m) {
    const double third = P / 3.0, half = 0.5 * Q,
                 discriminant = half * half + third * third * third;
    int count = 1;
    if (discriminant > 0.0) {
      const double root = std::sqrt(discriminant);
      const double a = std::cbrt(half > 0.0 ? -half - root : -half + root);
      m[0] = a == 0.0 ? 0.0 : a - third / a;
    } else {
      const double radius = std::sqrt(std::max(-third, 0.0));
      const double cosine = radius > 0.0 ? -half / (radius * radius * radius) : 1.0;
      const double angle = std::acos(std::clamp(cosine, -1.0, 1.0)) / 3.0;
      for (count = 0; count < 3; ++count)
        m[count] = 2.0 * radius * std::cos(angle - count * (2.0 * std::numbers::pi / 3.0));
    }
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < 2; ++k) {
        const double slope = 3.0 * m[i] * m[i] + P;
        if (slope != 0.0) m[i] -= ((m[i] * m[i] + P) * m[i] + Q) / slope;
      }
    return count;
  }

  const CoulombContact& x_;
  double beta_, ratio_, mu_, c_[2];
  double v_[2], D_ = 0.0, W_v_ = 0.0, v2_ = 0.0, size_ = 0.0, A_ = 0.0, G_ = 0.0, trace_ = 0.0;
};

namespace {

/// Slides along one axis, p_T = e q:
///     q (W_NN/mu + e W_NT) = -b_N,   lambda = -e c/q - S
/// Returns false if there is no such q.
bool slide_along(double S, double W_NT, double ratio, double beta, double c, double* q) {
  for (const double e : {c > 0.0 ? -1.0 : 1.0, c > 0.0 ? 1.0 : -1.0}) {
    const double W_e = ratio + e * W_NT;
    const bool against =
        e * c < 0.0;  // then lambda + S > 0, and lambda >= 0 because sticking was rejected
    if (!(W_e > 0.0) || !(against || -e * c * W_e >= S * beta)) continue;
    *q = e * beta / W_e;
    return true;
  }
  return false;
}

}  // namespace

void CoulombContact::set(int rows, const double* W) {
  tangents_ = rows - 1;
  W_NN_ = W[0];
  if (rows == 1) return;
  double S[2][2] = {}, noise = 0.0;  // twice the round-off in S
  for (int i = 0; i < tangents_; ++i) {
    W_TN_[i] = W[(1 + i) * rows];
    W_NT_[i] = W[1 + i];
    for (int j = 0; j < tangents_; ++j) {
      const double W_TT = W[(1 + i) * rows + 1 + j], coupled = W_TN_[i] * W[1 + j] / W_NN_;
      S[i][j] = W_TT - coupled;
      noise = std::max(noise, std::abs(W_TT) + std::abs(coupled));
    }
  }
  noise = std::max(8.0 * kEpsilon * noise, std::numeric_limits<double>::min());
  S_[0] = S[0][0];
  S_[1] = S[1][1];
  skew_ = 0.5 * (S[0][1] - S[1][0]);
  if (std::abs(skew_) <= 0.5 * noise) skew_ = 0.0;
  const double m = 0.5 * (S[0][1] + S[1][0]);
  axis_[0] = 1.0;
  axis_[1] = 0.0;
  if (tangents_ == 2 && m != 0.0) {  // Jacobi rotation
    const double cot = 0.5 * (S_[1] - S_[0]) / m;
    const double tan = (cot < 0.0 ? -1.0 : 1.0) / (std::abs(cot) + std::sqrt(1.0 + cot * cot));
    const double x = 1.0 / std::sqrt(1.0 + tan * tan), y = -tan * x;
    axis_[0] = x;
    axis_[1] = y;
    S_[0] -= tan * m;
    S_[1] += tan * m;
    const double along = x * W_NT_[0] + y * W_NT_[1];
    W_NT_[1] = -y * W_NT_[0] + x * W_NT_[1];
    W_NT_[0] = along;
  }
  // a mobility that is zero up to round-off is set to zero
  if (skew_ == 0.0)
    for (int i = 0; i < tangents_; ++i)
      if (std::abs(S_[i]) <= noise) S_[i] = 0.0;
  if (tangents_ == 1) return;
  const double mean = 0.5 * (S_[0] + S_[1]), half = 0.5 * (S_[0] - S_[1]);
  const double D = S_[0] * S_[1] + skew_ * skew_, split = half * half - skew_ * skew_;
  lowest_ = 0.0;
  if ((D < 0.0 || mean < 0.0) && split >= 0.0)
    lowest_ = mean < 0.0 ? std::sqrt(split) - mean : -D / (std::sqrt(split) + mean);
  singular_ = lowest_ > 0.0 || !(std::abs(D) > noise * (std::abs(S_[0]) + std::abs(S_[1])) ||
                                 (skew_ == 0.0 && S_[0] != 0.0 && S_[1] != 0.0));
}

/// Impulse without slip; returns false if there is none.
bool CoulombContact::stick(const double* c, double* p_T) const {
  if (skew_ != 0.0) {
    const double D = S_[0] * S_[1] + skew_ * skew_;
    if (singular_ && lowest_ == 0.0) return false;
    p_T[0] = -(S_[1] * c[0] - skew_ * c[1]) / D;
    p_T[1] = -(S_[0] * c[1] + skew_ * c[0]) / D;
    return true;
  }
  for (int i = 0; i < tangents_; ++i) {
    if (S_[i] == 0.0 && c[i] != 0.0) return false;
    p_T[i] = c[i] == 0.0 ? 0.0 : -c[i] / S_[i];
  }
  return true;
}

void CoulombContact::solve(const double* b, double mu, double* p) const {
  for (int i = 0; i <= tangents_; ++i) p[i] = 0.0;
  const double b_N = b[0], beta = -b_N;
  if (!(b_N < 0.0)) return;  // opens without an impulse
  const double push = beta / W_NN_;
  p[0] = push;
  if (tangents_ == 0 || mu == 0.0) return;

  double c[2] = {}, noise_c = 0.0;  // round-off in c
  for (int i = 0; i < tangents_; ++i) {
    const double carried = W_TN_[i] * push;
    c[i] = b[1 + i] + carried;
    noise_c = std::max(noise_c, 16.0 * kEpsilon * (std::abs(b[1 + i]) + std::abs(carried)));
  }
  const double x = axis_[0], y = axis_[1];
  if (tangents_ == 2) {
    const double along = x * c[0] + y * c[1];
    c[1] = -y * c[0] + x * c[1];
    c[0] = along;
  }
  // slip that is round-off, along an axis without mobility, counts as zero
  if (skew_ == 0.0)
    for (int i = 0; i < tangents_; ++i)
      if (S_[i] == 0.0 && std::abs(c[i]) <= noise_c) c[i] = 0.0;

  double q[3] = {};  // impulse along the axes
  const auto finish = [&] {
    p[0] = q[0];
    p[1] = tangents_ == 2 ? x * q[1] - y * q[2] : q[1];
    if (tangents_ == 2) p[2] = y * q[1] + x * q[2];
    bool finite = true;
    for (int i = 0; i <= tangents_; ++i) finite = finite && std::isfinite(p[i]);
    if (finite) return;
    p[0] = std::isfinite(push) ? push : 0.0;
    for (int i = 1; i <= tangents_; ++i) p[i] = 0.0;
  };
  const bool sticks = stick(c, q + 1);
  if (sticks) {
    q[0] = (beta - W_NT_[0] * q[1] - W_NT_[1] * q[2]) / W_NN_;
    if (q[0] >= 0.0 && q[1] * q[1] + q[2] * q[2] <= mu * mu * q[0] * q[0]) return finish();
  }
  const double held[3] = {q[0], q[1], q[2]};
  // sliding: directly along one axis or if all directions are equivalent, else by class Sliding
  const double ratio = W_NN_ / mu, slip = std::sqrt(c[0] * c[0] + c[1] * c[1]);
  const bool alike = S_[0] == S_[1] || c[1] == 0.0 || c[0] == 0.0;
  bool solved;
  if (tangents_ == 1) {
    solved = slide_along(S_[0], W_NT_[0], ratio, beta, c[0], q + 1);
    q[0] = std::abs(q[1]) / mu;
  } else if (skew_ == 0.0 && alike) {
    const double e[2] = {c[0] / slip, c[1] / slip};
    double along = 0.0;
    solved = slide_along(c[0] != 0.0 ? S_[0] : S_[1], W_NT_[0] * e[0] + W_NT_[1] * e[1], ratio,
                         beta, slip, &along);
    q[0] = std::abs(along) / mu;
    q[1] = along * e[0];
    q[2] = along * e[1];
  } else {
    Sliding sliding(*this, b_N, c, mu);
    solved = sliding.solve(q);
    if (!solved && skew_ == 0.0 && S_[0] * S_[1] == 0.0) {
      sliding.wedge(q);
      solved = q[0] >= 0.0 && q[1] * q[1] + q[2] * q[2] <= (1.0 + 1e-12) * mu * mu * q[0] * q[0];
    }
  }
  if (!solved) {  // some p in the cone; the residual shows it
    const bool pushes = sticks && held[0] > 0.0;
    const double p_T = std::sqrt(held[1] * held[1] + held[2] * held[2]);
    q[0] = pushes ? held[0] : push;
    for (int i = 1; i < 3; ++i) q[i] = pushes ? held[i] * (mu * held[0] / p_T) : 0.0;
  }
  finish();
}

void solve_coulomb(int rows, const double* W, const double* b, double mu, double* p) {
  if (b[0] >= 0.0)
    std::fill_n(p, rows, 0.0);  // opens without an impulse
  else
    CoulombContact(rows, W).solve(b, mu, p);
}

}  // namespace saltus
