// The joints of an island within the passes of a step. With G at mid-step, on the axes that carry
// impulses:
//
//     position:  g(q1) = 0 by Newton's method over the passes,  G v1 = G v - g(q)/(gain h)
//         about the iterate (q, v)
//     velocity:
//         G v1 + d1 = 0 (end_zero), or G (v0 + v1) + d0 + d1 = 0 (mid_zero), which does no work
//     both:      position, and after the step  v1 <- v1 - M^-1 G1^T S^-1 (G1 v1 + d1)
//         with G1 at q1 (joint_projection.h)
//
// Where a drive or a support jumps in its rate, position alone would make G v1 = 2 d - G v0 of it
// with a gain of 1/2, and
// 2 d - G v1 of that: about the right rate for ever, from one side to the other. Such a step ends
// as at level both. Contacts would feel twice the jerk: where there are any it holds G v1 + d1 = 0,
// and positions are closed after the step.
//
// Under step control every step ends as at level both: what G v misses, O(h^2) of the step before,
// changes its sign in each of the steps that are compared, and no length would make them agree.
//
// Contact sees v_J = v_free + A^-1 G^T L_free and A_J^-1 = A^-1 - A^-1 G^T S^-1 G A^-1.
#pragma once
#include <vector>

#include "saltus/assembly/island.h"
#include "saltus/assembly/joint_loads.h"
#include "saltus/contact/constraint_projection.h"

namespace saltus {

class IslandJoints {
 public:
  /// groups: the members of the island, in its order.
  IslandJoints(const Model& model, std::span<const int> groups);

  bool empty() const { return system_.empty(); }  ///< no rows
  /// Joints, perhaps without rows: lines, along which springs act.
  bool present() const { return !members_.empty(); }
  const JointSystem& system() const { return system_; }
  JointSystem& system() { return system_; }

  /// A step begins: impulses 0, and the joints that are broken have no rows any more.
  void begin(const IslandStep& step);
  /// G at the place of the iterates, and the drifts.
  void place(IslandStep& step);
  /// After Scheme::linearise of every member: S and L_free. factors_kept: A and G are those of the
  /// pass before.
  /// contacts: S itself is asked for, by close() and react(). False: not finite.
  bool linearise(IslandStep& step, bool factors_kept, bool contacts);
  /// v_J of every member, for contacts.
  void release(IslandStep& step);
  /// v_J of a member after release().
  const Vector& free(std::size_t member) const { return v_[member]; }
  /// Columns X = A^-1 H^T of a member: Y += G X. First `open` sizes Y, then W -= Y^T S^-1 Y by
  /// `close`.
  void open(Eigen::Index columns);
  void gather(std::size_t member, const Matrix& X);
  void close(Matrix& W);
  /// trial.r holds the impulses of the contacts; adds G^T L.
  void react(IslandStep& step);
  /// After Scheme::correct: what g still asks of the velocities, against those of the step [1].
  double outstanding(IslandStep& step);

  /// After the last pass: loads() and breakable() of its impulses. JointProjection adds its own.
  void measure_loads(IslandStep& step);
  const JointLoads& loads() const { return loads_; }
  JointLoads& loads() { return loads_; }
  const BreakableJoints& breakable() const { return breakable_; }
  BreakableJoints& breakable() { return breakable_; }

  /// What JointProjection has to do on the ends of the step that began last: on velocities, or on
  /// positions.
  bool aligns() const { return level_ == JointLevel::both || controlled_; }
  bool closes() const {
    return jumps_ && level_ == JointLevel::velocity && asked_ != JointLevel::velocity;
  }
  /// There are contacts in the step.
  void meet_contacts();

  /// r = G^T L of the last pass on a group [N s]; false where it is no member.
  bool impulse(int group, Out r) const;
  bool jumps() const { return jumps_; }
  double drift_work() const { return drift_work_; }  ///< L . (d0 + d1)/2 [J]
  const Vector& impulses() const { return L_; }      ///< L of the last pass [N s], [N m s]

 private:
  struct Member {
    int group = 0;
    Vector q, axes, w, r;
    Vector all, change;  ///< all impulses of the last pass, and what it changed of them
  };
  struct Entry {
    Eigen::Index row;
    double value;
  };
  static std::size_t size(int i) { return static_cast<std::size_t>(i); }
  const Group& group(const Member& m) const { return model_.groups()[size(m.group)]; }
  void target(IslandStep& step);
  void solve_joints(IslandStep& step, Vector& x);
  void subtract_response(IslandStep& step, const Vector& L, Vector& u);
  void rates_of_gaps(IslandStep& step, Vector& rates);
  double work_of_jump(IslandStep& step);
  void leave_out_broken();
  void size_vectors();

  const Model& model_;
  std::vector<Member> members_;
  JointSystem system_;
  JointLevel asked_, level_;  ///< level_: of the step in work
  Bilateral bilateral_;
  bool controlled_ = false;  ///< steps are of chosen lengths
  bool jumps_ = false;       ///< a rate jumps in the step in work
  std::vector<Vector> v_;    ///< v_J of each member
  Vector right_, rest_;      ///< of solve_joints()
  Vector g_, u_, L_free_, L_;
  Vector opening_;  ///< of rates_of_gaps()
  Matrix Y_, Z_;
  JointLoads loads_;
  BreakableJoints breakable_;
  double drift_work_ = 0.0;
  bool unsolved_ = false;  ///< by the last solve_joints()
  std::vector<int> member_of_row_;
  double left_ = 0.0, left_before_ = 0.0;  ///< outstanding() of the last two passes
  bool steady_ = true;                     ///< G stays in the passes of a step
  std::vector<double> jump_times_;         ///< of rates, where position asks for more; increasing
  std::vector<std::size_t> column_;        ///< of Y: where its entries begin
  std::vector<Entry> entries_;
};

}  // namespace saltus
