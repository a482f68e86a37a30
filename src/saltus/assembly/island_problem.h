// The contact problem of an island:  u = W P + b  on the contacts that their laws let in, its
// solution, and what is left of the laws on the finished state. It owns the impulses of the
// contacts of a step.
#pragma once
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "saltus/assembly/contact_history.h"
#include "saltus/assembly/contact_list.h"
#include "saltus/assembly/island_delassus.h"
#include "saltus/assembly/island_joints.h"
#include "saltus/assembly/law_needs.h"
#include "saltus/assembly/slip_iteration.h"

namespace saltus {

class IslandProblem {
 public:
  /// Motion of all contacts, in the problem or not: one a contact, or one of each of their rows.
  struct Motion {
    Vector gap;  ///< at the contact instant [m]
    Vector y0;   ///< gaps at the start [m]
    Vector Y;    ///< at the end if the rates there were 0 [m]
    Vector y;    ///< of the iterate at the end, or of the finished state [m]
    Vector u0;   ///< rates at the start [m/s]
    Vector u;    ///< of the finished state [m/s]
  };

  IslandProblem(const Model& model, ContactList& list, IslandJoints& joints);

  const LawNeeds& needs() const { return needs_; }
  Motion motion;

  /// The list has other contacts.
  void resize();
  /// Y from the gaps and rates at the start and of the prediction at the contact instant, a
  /// fraction phi of the step.
  void measure_reach(const IslandStep& step, double phi);
  /// A stage begins: impulses of the last step, none in a stage of positions; slips of the start.
  void begin(const IslandStep& step, const Stage& stage);
  /// After a stage of positions, which has closed the gaps.
  void clear_reach() {
    motion.Y.setZero();
    history_.clear_loads();
  }
  /// Which contacts are in. after_positions: a stage of positions came before, see hold().
  void admit(const IslandStep& step, const Stage& stage, bool after_positions);
  /// After a stage of positions: those that carry an impulse are held in the next.
  void hold() { history_.hold(admitted_, p_); }
  /// W of the contacts that are in. False: it is not finite.
  bool assemble(const IslandStep& step);
  /// b; false: it is not finite.
  bool right_hand_side(IslandStep& step, const Stage& stage);
  /// p; `even`: as in Limits.
  SolveReport solve(IslandStep& step, const Stage& stage, bool even);
  /// impulses() of p.
  void give();
  /// The slips that the next pass assumes. Returns by how much the parts of mu that this one
  /// assumed are off.
  double next_slips(const IslandStep& step);
  /// How much impulses changed in this pass, of all contacts or of joints and forces alone,
  /// relative to them.
  double change(const IslandStep& step, bool of_forces_alone);
  /// Rates of the finished step for damping().
  void measure_rates(const IslandStep& step);
  /// r += H^T p for member k of the list, p in the rows of the list, 0 but for contacts that are
  /// in.
  void add_impulses(const Vector& p, std::size_t k, Out r) const;
  /// Natural map of the contacts that are in, on the finished state or after a stage.
  double measure(IslandStep& step, const Stage& stage);

  /// To which the contacts of this stage are solved: the tolerance, or what was found to be enough
  /// (Limits::enough).
  double tolerance() const { return std::max(model_.options().contact.tolerance, left_); }
  /// To which they are let close, by the tolerance, in the last solve() [m/s].
  double closing() const { return closing_; }
  double h() const { return h_; }  ///< of the step [s]
  bool empty() const { return admitted_.empty(); }
  /// The contacts that are in, by place in the list, and their laws in the problem, rows by
  /// laws()[k].first.
  std::span<const int> admitted() const { return admitted_; }
  std::span<const Law> laws() const { return laws_; }
  std::span<const int> rows() const { return rows_; }  ///< of the problem, in the list
  const Delassus& W() const { return W_.W(); }
  const Vector& b() const { return b_; }
  const Vector& p() const { return p_; }  ///< as the cones of the problem see it
  /// Of the last solve(): its limits, and the p from which it began, where the step is observed.
  const Limits& limits() const { return limits_; }
  const Vector& start() const { return start_; }
  /// W_kk of row k of the problem without what laws add to it [1/kg].
  double diagonal(Eigen::Index k) const { return W_.diagonal()[k] - compliance_[k]; }
  double diagonal_of_row(Eigen::Index k) const { return W_.diagonal()[k]; }  ///< with it
  /// Impulses of all contacts in the step, one of each of their rows [N s, N m s].
  const Vector& impulses() const { return impulse_; }
  /// Normal impulse of contact i of the list.
  double normal(std::size_t i) const { return impulse_[row(i)]; }
  const ContactHistory& history() const { return history_; }
  /// The impulse of the dashpot of contact i on a joint; 0 of others.
  double damping(std::size_t i) const;

  // -- for positions alone

  /// Empty, then contacts i with no impulse.
  void clear();
  void take(std::size_t i, Law entry);
  /// After the last take(): rows of the problem.
  void size_rows();
  /// 0 <= W p + b perp p >= 0 with b = y/h, from p = 0. impulses() are p.
  SolveReport close_gaps(IslandStep& step);
  void drop_impulses() { impulse_.setZero(); }

 private:
  const ContactLaw& law(std::size_t i) const { return list_.law(i); }
  static std::size_t size(int i) { return static_cast<std::size_t>(i); }
  int row(std::size_t i) const { return list_[i].first_row; }  ///< normal row of contact i
  int group_of(std::size_t i) const;
  double way(double h, std::size_t i, double gap_end, double u_end) const;
  Admission admission(const IslandStep& step, std::size_t i) const;
  double reach(std::size_t i) const;
  RowState row_state(const IslandStep& step, std::size_t i) const;
  double tangent_term(std::size_t k, int a) const;
  bool press(const IslandStep& step, const Limits& limits, SolveReport& pressing);
  double set_steps(const Law& entry);
  template <class Velocities>
  void add_rates(const Velocities& v_of, Vector& u);

  const Model& model_;
  ContactList& list_;
  IslandJoints& joints_;
  LawNeeds needs_;
  std::vector<int> admitted_;  ///< contacts in the problem, by place in list_
  std::vector<int> rows_;      ///< rows in the problem
  std::vector<Law> laws_;      ///< one a contact admitted
  ContactHistory history_;
  SlipIteration slips_;
  std::vector<char> admits_;      ///< scratch of admit()
  std::vector<double> heaviest_;  ///< of each block of contacts
  double h_ = 0.0;                ///< of the step [s]
  Limits limits_;
  Vector start_;
  double closing_ = 0.0;
  double left_ = 0.0;  ///< residual above the tolerance with which a pass of the stage was left
  IslandDelassus W_;   ///< that of the last problem
  Vector u_free_, u_now_, ahead_, impulse_, kept_;        // a row of the list
  Vector W_p_, b_, p_, rho_, u_end_, b_start_, p_start_;  // a row of the problem
  Vector compliance_;                                     ///< what laws add to W_kk [1/kg]
  Vector pressed_;  ///< impulse beside p: (1 + e) P_c of compression, -h c of cohesion [N s]
};

}  // namespace saltus
