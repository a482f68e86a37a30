// Newton's method onto constraints g(q) = 0, those of joints and of closed gaps, in the metric of
// the masses:
//
//     M dq = H^T lambda,   g(q) + H dq = 0   =>   lambda = -(H M^-1 H^T)^+ g,   q <- q (+) dq
//
// repeated until |g| is at round-off, and onto what they ask of velocities, which is linear:
//
//     M dv = H^T lambda,   H (v + dv) + d = u   =>   lambda = (H M^-1 H^T)^+ (u - H v - d)
//
// ^+ : rows that depend on others get the least impulses (JointSystem::solve()).
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "saltus/contact/joint_system.h"

namespace saltus {

/// When H, M and the factors are made anew, and when the iteration ends. `reduction` is |g| over
/// |g| of the iteration before.
struct ProjectionLimits {
  int iterations = 8;
  double refactorise_above = 0.3;  ///< reduction; 0: in every iteration, infinite: never again
  double stop_above =
      0.3;  ///< reduction by new factors: what is left is round-off or has no solution
  int halvings =
      0;  ///< of a correction that does not decrease |g|; > 0: where none does it is undone
};

/// |g| before the first correction and after the last one; false: not even the factors were finite.
struct ProjectionResult {
  double first = 0.0, last = 0.0;
  bool finite = true;
};

/// The iteration. Constraints:
///     double violation()      |g| at q, not negative
///     double round_off()      |g| that is none, at the q of the last violation()
///     bool linearise()        H, M and factors at q; false: not finite
///     void solve()            dq of the last violation() by the last factors; remembers q
///     void move(double part)  q <- q of the last solve() (+) part dq
///     void revert()           q <- q of the last solve()
/// Without halvings move(1) follows each solve() and revert() is not called. A |g| that is no
/// number ends it.
template <class Constraints>
ProjectionResult project_positions(Constraints& constraints, const ProjectionLimits& limits) {
  double size = constraints.violation(), reduction = std::numeric_limits<double>::infinity();
  ProjectionResult result{size, size, true};
  bool factorised = false;
  for (int k = 0; k < limits.iterations && size > constraints.round_off(); ++k) {
    const bool anew = !factorised || reduction > limits.refactorise_above;
    if (anew && !constraints.linearise()) {
      result.finite = false;
      break;
    }
    factorised = true;
    constraints.solve();
    const double before = size;
    double part = 1.0;
    constraints.move(part);
    size = constraints.violation();
    for (int half = 0; half < limits.halvings && !(size < before); ++half) {
      constraints.move(part *= 0.5);
      size = constraints.violation();
    }
    if (limits.halvings > 0 && !(size < before)) {
      constraints.revert();
      size = constraints.violation();
      break;
    }
    reduction = size / before;
    if (anew && reduction > limits.stop_above) break;
  }
  result.last = size;
  return result;
}

/// One correction of both kinds for the joints of a JointSystem. The caller owns q, v and the
/// factors of M of its members; nothing is allocated while the rows and members stay.
class ConstraintProjection {
 public:
  using Places = JointSystem::Configuration;
  using Masses = JointSystem::Factors;

  /// velocities: number of those of each member. `joints` is used as long as this is.
  ConstraintProjection(JointSystem& joints, std::span<const Eigen::Index> velocities);

  /// g(q) of every row [m], [rad].
  const Vector& gaps(double t, const Places& q);
  /// The largest |g| of the last gaps(); 0 without rows.
  double violation() const;
  /// |g| that is round-off at the places of the last gaps() [m], [rad].
  double round_off() const { return joints_.extent() * kRoundOff; }
  static constexpr double kRoundOff = 32.0 * 0x1p-52;  ///< of gaps, relative to places

  /// H and d at q. The factors of S = H M^-1 H^T are those of factorise().
  void make_rows(double t, const Places& q) { joints_.make_rows(t, q); }
  bool factorise(const Masses& M) { return joints_.factorise(M); }
  /// rates <- H v + d, d at the time of make_rows().
  template <class Velocities>
  void rates(const Velocities& v_of, Vector& rates) const {
    rates = joints_.drift1();
    for (std::size_t m = 0; m < correction_.size(); ++m)
      joints_.multiply_add(static_cast<int>(m), v_of(static_cast<int>(m)), rates);
  }

  /// lambda for the last gaps(), impulses over h [s]:  dq = h M^-1 H^T lambda,  lambda = -S^+ g/h.
  void solve_positions(double h = 1.0);
  /// The same beside impulses r of others:  dq = h M^-1 (r + H^T lambda),  lambda = -S^+ (g/h + H
  /// M^-1 r).
  template <class Impulses>
  void solve_positions(double h, const Masses& M, const Impulses& r_of) {
    impulse_ = -gap_ / h;
    for (std::size_t m = 0; m < correction_.size(); ++m) {
      Vector& w = correction_[m];
      if (w.size() == 0) continue;
      w = -r_of(static_cast<int>(m));
      solve(M(static_cast<int>(m)), w);
      joints_.multiply_add(static_cast<int>(m), w, impulse_);
    }
    joints_.solve(impulse_);
  }
  /// lambda = S^+ c,  c = u - H v - d.
  void solve_velocities(const Vector& c);
  /// lambda of the last solve, or found by the caller.
  Vector& impulses() { return impulse_; }
  const Vector& impulses() const { return impulse_; }
  /// r += H^T lambda of a member.
  void add_impulses(int member, Out r) const { joints_.transpose_add(member, impulse_, r); }
  /// M^-1 H^T lambda of every member: dq/h, or dv.
  void correct(const Masses& M);
  const Vector& correction(int member) const {
    return correction_[static_cast<std::size_t>(member)];
  }

 private:
  JointSystem& joints_;
  Vector gap_, impulse_;
  std::vector<Vector> correction_;
};

}  // namespace saltus
