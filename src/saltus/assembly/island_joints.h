// The joints of an island within the passes of a step. With G at mid-step, on the axes that carry
// impulses:
//
//     position:  g(q1) = 0 by Newton's method over the passes,
//                G v1 = G v - g(q)/(gain h)  about the iterate (q, v)
//     velocity:  G v1 + d1 = 0 (end_zero), or
//                G (v0 + v1) + d0 + d1 = 0 (mid_zero), which does no work
//     both:      position, and after the step  v1 <- v1 - M^-1 G1^T S^-1 (G1 v1 + d1)
//                with G1 at q1 (joint_projection.h)
//
// If the rate of a drive or a support jumps, level position with a gain of 1/2 would give
// G v1 = 2 d - G v0 in this step and 2 d - G v1 in the next: rates that oscillate about the correct
// one for ever. Such a step ends as at level both. Contacts would experience twice the jump, so in
// a step with contacts G v1 + d1 = 0 holds, and positions are closed after the step.
//
// With step-size control every step ends as at level both: the error of G v, O(h^2) of the previous
// step, changes its sign in each of the steps that are compared, so that they would not agree at
// any step size.
//
// Near a position where the rows of a loop are dependent, a motion w that they hardly resist has
// g = d w in the distance d from that position. The iterate needs d1, that of the end; with d at
// mid-step the passes diverge where the step crosses the position. Such a step is made once more
// (cross()): the impulses r0 of its first pass stay, and with G1 at the end
//                v1 = v_free + A^-1 (r0 + G1^T L1),  G1 v1 = G1 v - g(q)/(gain h)
//
// Contacts are solved with v_J = v_free + A^-1 G^T L_free and A_J^-1 = A^-1 - A^-1 G^T S^-1 G A^-1.
#pragma once
#include <vector>

#include "saltus/assembly/island.h"
#include "saltus/assembly/joint_elimination.h"
#include "saltus/assembly/joint_loads.h"
#include "saltus/assembly/joint_stiffness.h"
#include "saltus/assembly/taut_links.h"
#include "saltus/contact/constraint_projection.h"

namespace saltus {

class IslandJoints {
 public:
  /// groups: the members of the island, in their order.
  IslandJoints(const Model& model, std::span<const int> groups);

  bool empty() const { return system_.empty(); }  ///< no rows
  /// Whether there are joints, perhaps without rows: lines, along which springs act.
  bool present() const { return !members_.empty(); }
  const JointSystem& system() const { return system_; }
  JointSystem& system() { return system_; }

  /// Whether cross() may help a step whose passes do not converge.
  bool crosses() const {
    return system_.loops() && level_ != JointLevel::velocity && !links_.taut();
  }
  /// Whether the steps from now on cross a position where rows are dependent.
  void cross(bool on) { crossing_ = on; }
  bool crossing() const { return crossing_; }
  /// A step begins: impulses are 0, and broken joints lose their rows.
  void begin(const IslandStep& step);
  /// G in the configuration of the iterates, and the drifts.
  void place(IslandStep& step);
  /// After Scheme::linearise of every member, if G follows the iterate: Newton's A, see
  /// JointStiffness. react() takes it back.
  void stiffen(IslandStep& step);
  void unstiffen(IslandStep& step) { stiffness_.drop(step); }  ///< instead of react()
  /// Instead of stiffen() if G stays as it is.
  void relax() { links_.relax(system_); }
  /// A step ends: system() has no rows across links any more.
  void slacken(IslandStep& step);
  bool taut() const { return links_.taut(); }  ///< system() has rows across links
  /// After Scheme::linearise of every member: S and L_free. factors_kept: A and G are those of the
  /// previous pass. contacts: close() and react() will need S itself. Returns false if S is not
  /// finite.
  bool linearise(IslandStep& step, bool factors_kept, bool contacts);
  /// v_J of every member, for contacts.
  void release(IslandStep& step);
  /// v_J of a member after release().
  const Vector& free(std::size_t member) const { return v_[member]; }
  /// With the columns X = A^-1 H^T of a member: Y += G X. Before that, open() sizes Y; after it,
  /// close() computes W -= Y^T S^-1 Y.
  void open(Eigen::Index columns) { elimination_.open(system_, columns); }
  void gather(std::size_t member, const Matrix& X) { elimination_.gather(system_, member, X); }
  void close(Matrix& W) { elimination_.close(system_, W); }
  /// trial.r holds the impulses of the contacts; adds G^T L.
  void react(IslandStep& step);
  /// After Scheme::correct: the velocity correction that g still requires, relative to the
  /// velocities of the step [1].
  double outstanding(IslandStep& step);

  /// After the last pass: sets loads() and breakable() from its impulses. JointProjection adds its
  /// own.
  void measure_loads(IslandStep& step);
  const JointLoads& loads() const { return loads_; }
  JointLoads& loads() { return loads_; }
  const BreakableJoints& breakable() const { return breakable_; }
  BreakableJoints& breakable() { return breakable_; }

  /// What JointProjection has to correct at the end of the current step: velocities (aligns()) or
  /// positions (closes()).
  bool aligns() const { return level_ == JointLevel::both || controlled_; }
  bool closes() const {
    return jumps_ && level_ == JointLevel::velocity && asked_ != JointLevel::velocity;
  }
  /// Call it if the step has contacts.
  void meet_contacts();

  /// r = G^T L of the last pass on a group [N s]; false if the group is not a member.
  bool impulse(int group, Out r) const;
  bool jumps() const { return jumps_; }
  double drift_work() const { return drift_work_; }  ///< L . (d0 + d1)/2 [J]
  const Vector& impulses() const { return L_; }      ///< L of the last pass [N s], [N m s]

 private:
  struct Member {
    int group = 0;
    Vector q, axes, w, r;
    Vector all, change;   ///< all impulses of the last pass, and their change in it
    Vector kept, v_kept;  ///< r0 and A^-1 r0 of a step that crosses
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
  JointLevel asked_, level_;  ///< level_: of the current step
  Bilateral bilateral_;
  bool controlled_ = false;  ///< the step size is controlled
  bool jumps_ = false;       ///< a rate jumps in the current step
  bool crossing_ = false;    ///< see cross()
  bool at_end_ = false;      ///< G is that of the end, and r0 is kept
  Vector L_kept_;            ///< of r0
  std::vector<Vector> v_;    ///< v_J of each member
  Vector right_, rest_;      ///< work space of solve_joints()
  Vector g_, u_, L_free_, L_;
  Vector opening_;  ///< work space of rates_of_gaps()
  JointElimination elimination_;
  JointStiffness stiffness_;
  TautLinks links_;
  JointLoads loads_;
  BreakableJoints breakable_;
  double drift_work_ = 0.0;
  bool unsolved_ = false;  ///< the last solve_joints() did not converge
  std::vector<int> member_of_row_;
  double left_ = 0.0, left_before_ = 0.0;  ///< outstanding() of the last two passes
  bool steady_ = true;                     ///< G does not change in the passes of a step
  /// Times at which rates jump, if this affects level position; increasing.
  std::vector<double> jump_times_;
};

}  // namespace saltus
