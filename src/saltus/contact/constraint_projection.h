// Newton's method onto constraints g(q) = 0, of joints and of closed gaps, in the mass metric:
//
//     M dq = H^T lambda,   g(q) + H dq = 0   =>   lambda = -(H M^-1 H^T)^+ g,   q <- q (+) dq
//
// repeated until |g| is at round-off; and projection of velocities onto their constraints, which is
// linear:
//
//     M dv = H^T lambda,   H (v + dv) + d = u   =>   lambda = (H M^-1 H^T)^+ (u - H v - d)
//
// ^+ : dependent rows get the least impulses (JointSystem::solve()).
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "saltus/contact/joint_system.h"

namespace saltus {

/// When H, M and the factors are recomputed, and when the iteration ends. `reduction` is |g|
/// relative to |g| of the previous iteration.
struct ProjectionLimits {
  int iterations = 8;
  double refactorise_above = 0.3;  ///< reduction; 0: in every iteration, infinite: only once
  /// Reduction with new factors: the rest is round-off or has no solution.
  double stop_above = 0.3;
  /// Of a correction that does not decrease |g|; > 0: it is undone if no halving helps.
  int halvings = 0;
};

/// |g| before the first and after the last correction; false: the first factors were not finite.
struct ProjectionResult {
  double first = 0.0, last = 0.0;
  bool finite = true;
};

/// The iteration. Constraints:
///     double violation()      |g| at q, not negative
///     double round_off()      |g| that counts as none, at the q of the last violation()
///     bool linearise()        H, M and factors at q; false: not finite
///     void solve()            dq of the last violation() with the last factors; stores q
///     void move(double part)  q <- q of the last solve() (+) part dq
///     void revert()           q <- q of the last solve()
/// Without halvings move(1) follows each solve() and revert() is not called. A |g| of NaN ends the
/// iteration.
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

/// One correction of positions and of velocities for the joints of a JointSystem. The caller owns
/// q, v and the factors of M of its members; nothing is allocated while rows and members do not
/// change.
class ConstraintProjection {
 public:
  using Places = JointSystem::Configuration;
  using Masses = JointSystem::Factors;

  /// velocities: number of velocities of each member. `joints` must outlive this object.
  ConstraintProjection(JointSystem& joints, std::span<const Eigen::Index> velocities);

  /// g(q) of every row [m], [rad].
  const Vector& gaps(double t, const Places& q);
  const Vector& gap() const { return gap_; }  ///< of the last gaps()
  /// The largest |g| of the last gaps(); 0 if there are no rows.
  double violation() const;
  /// |g| that counts as round-off at the positions of the last gaps() [m], [rad].
  double round_off() const { return joints_.extent() * kRoundOff; }
  static constexpr double kRoundOff = 32.0 * 0x1p-52;  ///< of gaps, relative to positions

  /// H and d at q. The factors of S = H M^-1 H^T are set by factorise().
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
  /// The same in the presence of other impulses r:
  ///     dq = h M^-1 (r + H^T lambda),  lambda = -S^+ (g/h + H M^-1 r)
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
  /// lambda of the last solve, or as set by the caller.
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
