// The contact problem of an island,  u = W P + b  on the contacts that their laws admit, its
// solution, and the residual of the laws in the finished state. It owns the impulses of the
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
  /// Motion of all contacts, in the problem or not: one entry per contact, or one per row.
  struct Motion {
    Vector gap;  ///< at the contact instant [m]
    Vector y0;   ///< gaps at the start [m]
    Vector Y;    ///< gaps at the end if the rates there were 0 [m]
    Vector y;    ///< gaps of the iterate at the end, or of the finished state [m]
    Vector u0;   ///< rates at the start [m/s]
    Vector u;    ///< rates of the finished state [m/s]
  };

  IslandProblem(const Model& model, ContactList& list, IslandJoints& joints);

  const LawNeeds& needs() const { return needs_; }
  Motion motion;

  void resize();  ///< call it when the contacts of the list have changed
  /// Computes Y from the gaps and rates at the start and from the prediction at the contact
  /// instant, which is a fraction phi of the step.
  void measure_reach(const IslandStep& step, double phi);
  /// A stage begins: impulses of the last step, none in a stage of positions; slips at the start.
  void begin(const IslandStep& step, const Stage& stage);
  /// After a stage of positions, which has closed the gaps.
  void clear_reach() {
    motion.Y.setZero();
    history_.clear_loads();
  }
  /// Selects the contacts. after_positions: the previous stage was a position stage, see hold().
  void admit(const IslandStep& step, const Stage& stage, bool after_positions);
  /// After a stage of positions: contacts that carry an impulse are held in the next stage.
  void hold() { history_.hold(admitted_, p_); }
  /// W of the admitted contacts. Returns false if it is not finite.
  bool assemble(const IslandStep& step);
  /// b; returns false if it is not finite.
  bool right_hand_side(IslandStep& step, const Stage& stage);
  /// p; `even`: as in Limits.
  SolveReport solve(IslandStep& step, const Stage& stage, bool even);
  /// Sets impulses() from p.
  void give();
  /// Sets the slips that the next pass assumes. Returns the error of the fractions of mu that this
  /// pass assumed.
  double next_slips(const IslandStep& step);
  /// Relative change of impulses in this pass, of all contacts or only of joint laws and forces.
  double change(const IslandStep& step, bool of_forces_alone);
  /// Rates of the finished step, for damping().
  void measure_rates(const IslandStep& step);
  /// r += H^T p for member k of the list, with p in the rows of the list, 0 except for admitted
  /// contacts.
  void add_impulses(const Vector& p, std::size_t k, Out r) const;
  /// Natural map of the admitted contacts, in the finished state or after a stage.
  double measure(IslandStep& step, const Stage& stage);

  /// Tolerance to which the contacts of this stage are solved: that of the options, or the residual
  /// that was accepted instead (Limits::enough).
  double tolerance() const { return std::max(model_.options().contact.tolerance, left_); }
  /// Closing velocity that the tolerance allows in the last solve() [m/s].
  double closing() const { return closing_; }
  double h() const { return h_; }  ///< step size [s]
  bool empty() const { return admitted_.empty(); }
  /// The admitted contacts, by their index in the list, and their laws with rows of the problem.
  std::span<const int> admitted() const { return admitted_; }
  std::span<const Law> laws() const { return laws_; }
  std::span<const int> rows() const { return rows_; }  ///< rows of the problem, in the list
  const Delassus& W() const { return W_.W(); }
  const Vector& b() const { return b_; }
  const Vector& p() const { return p_; }  ///< in the form that the cones of the problem use
  /// Of the last solve(): its limits, and the p from which it started, if the step is observed.
  const Limits& limits() const { return limits_; }
  const Vector& start() const { return start_; }
  /// W_kk of row k of the problem without the contribution of laws [1/kg].
  double diagonal(Eigen::Index k) const { return W_.diagonal()[k] - compliance_[k]; }
  /// W_kk with that contribution [1/kg].
  double diagonal_of_row(Eigen::Index k) const { return W_.diagonal()[k]; }
  /// Impulses of all contacts in the step, one per row [N s, N m s].
  const Vector& impulses() const { return impulse_; }
  /// Normal impulse of contact i of the list.
  double normal(std::size_t i) const { return impulse_[row(i)]; }
  const ContactHistory& history() const { return history_; }
  /// Impulse of the dashpot of contact i on a joint; 0 for other contacts.
  double damping(std::size_t i) const;

  // -- for corrections of positions

  /// clear() empties the problem; take() then adds contacts i without an impulse.
  void clear();
  void take(std::size_t i, Law entry);
  /// After the last take(): sizes the rows of the problem.
  void size_rows();
  /// Solves 0 <= W p + b perp p >= 0 with b = y/h, from p = 0. impulses() are then p.
  SolveReport close_gaps(IslandStep& step);
  void drop_impulses() { impulse_.setZero(); }

 private:
  const ContactLaw& law(std::size_t i) const { return list_.law(i); }
  static std::size_t size(int i) { return static_cast<std::size_t>(i); }
  int row(std::size_t i) const { return list_[i].first_row; }  ///< normal row of contact i
  int group_of(std::size_t i) const;
  Admission admission(const IslandStep& step, std::size_t i) const;
  double reach(std::size_t i) const;
  double effort(const IslandStep& step, std::size_t i) const;
  RowState row_state(const IslandStep& step, std::size_t i) const;
  double tangent_term(std::size_t k, int a) const;
  bool press(const IslandStep& step, const Limits& limits, SolveReport& pressing);
  template <class Velocities>
  void add_rates(const Velocities& v_of, Vector& u);

  const Model& model_;
  ContactList& list_;
  IslandJoints& joints_;
  LawNeeds needs_;
  std::vector<int> admitted_;  ///< contacts in the problem, as indices in list_
  std::vector<int> rows_;      ///< rows in the problem
  std::vector<Law> laws_;      ///< one per admitted contact
  ContactHistory history_;
  SlipIteration slips_;
  std::vector<char> admits_;      ///< work space of admit()
  std::vector<double> heaviest_;  ///< maximum of each block of contacts
  double h_ = 0.0;                ///< step size [s]
  Limits limits_;
  Vector start_;
  double closing_ = 0.0;
  double left_ = 0.0;  ///< residual above the tolerance with which a pass of the stage ended
  IslandDelassus W_;   ///< W of the last problem
  Vector u_free_, u_now_, ahead_, impulse_, kept_;        // one entry per row of the list
  Vector W_p_, b_, p_, rho_, u_end_, b_start_, p_start_;  // one entry per row of the problem
  Vector compliance_;                                     ///< what laws add to W_kk [1/kg]
  /// Impulse in addition to p [N s], of compression, cohesion and given forces: see press().
  Vector pressed_;
};

}  // namespace saltus
