// The smooth motion of a whole model while every closed contact keeps its mode.
//
//     M a = F + G^T L + H_N^T N + H_T^T T
//     G a + gamma = 0                          joints, twice differentiated (index 1)
//     H_N a + b_N = 0                          contacts that are closed
//     H_T a + b_T = 0                          those that stick
//     T = -mu f(|u_T|) N u_T/|u_T|             those that slide
//
// b = d/ds (H(q (+) s v) v + d(t + s)) at s = 0: what the rate of a row changes by itself. It is
// taken by differences of order 4 over set_time(), so that surfaces of any shape need nothing but
// their contacts. w and v of all groups in order.
#pragma once
#include <cstdint>
#include <vector>

#include "saltus/event_driven/constrained_correction.h"
#include "saltus/event_driven/event_contacts.h"
#include "saltus/event_driven/force_distribution.h"
#include "saltus/event_driven/group_kinematics.h"
#include "saltus/event_driven/joint_constraints.h"
#include "saltus/event_driven/ode.h"
#include "saltus/state/state.h"

namespace saltus {

class ConstrainedMotion final : public SmoothMotion {
 public:
  explicit ConstrainedMotion(const Model& model);
  ~ConstrainedMotion() override;

  /// The place from which w counts.
  void start(std::span<const GroupState> groups) { kinematics_.start(groups); }
  /// GroupKinematics::enter_smooth_interval(), set_difference_time().
  void enter_smooth_interval(double t) { kinematics_.enter_smooth_interval(t); }
  void set_time(double e) { kinematics_.set_difference_time(e); }
  /// The contacts that are closed, by key; bilateral laws are among them, and springs that are
  /// active.
  void set_modes(std::span<const ContactMode> modes);
  std::span<const ContactMode> modes() const { return modes_; }
  /// The slips of the place are those from which the step starts: a rotation of a slip by less than
  /// `fraction` of that is an error of the steps before. motion: velocities in play, relative to
  /// which a slip may be round-off.
  void mark_slips(double fraction, View motion);
  /// Rate at which friction turns the slowest slip that was marked, |a|/|u| [1/s]; acceleration: of
  /// what friction resists.
  double slip_rate(View acceleration) const;
  double still(std::size_t k) const { return still_[k]; }  ///< slips of mode k below are none [m/s]

  int size() const override { return kinematics_.size(); }
  void rates(double t, View w, View v, Out dw, Out dv) override;
  void linearise(double t, View w, View v, double g) override;
  void correct(Out x) override { correction_.apply(x); }
  std::uint64_t evaluations() const { return evaluations_; }  ///< calls of rates() so far

  // -- the place of the last go(), look() or rates()
  /// Groups at (t, w, v).
  void go(double t, View w, View v);
  /// The same at a state, from which w counts, with its modes; and the accelerations there, as
  /// rates().
  void go_to(const State& state);
  const Vector& rates_at(const State& state);
  /// go() without the rows of contacts: groups, and contacts() with their gaps.
  void look(double t, View w, View v);
  const GroupKinematics& kinematics() const { return kinematics_; }
  EventContacts& contacts() { return contacts_; }
  JointConstraints& joints() { return joints_; }
  const JointConstraints& joints() const { return joints_; }
  /// a without contacts and joints, after go() (springs that are active act).
  const Vector& free_acceleration();
  /// b of the rows of contacts, given by keys: rows in order, normal and then tangents of each, as
  /// many as `rows` says.
  void contact_bias(std::span<const std::uint64_t> keys, std::span<const int> rows, Vector& bias);
  /// True when the rates of rows change by themselves, which is computed by differences.
  bool differences() const { return !constant_rows_ && !modes_.empty(); }

  // -- after rates(), of mode k
  /// Index in contacts() of mode k; -1: its surfaces have no contact here.
  int index(std::size_t k) const { return index_[k]; }
  /// Force (N, T1, T2) of mode k on a [N].
  const Vector3& force(std::size_t k) const { return force_[k]; }
  /// Its rates u [m/s] and what the obstacles contribute to them, d [m/s].
  const Vector3& rate(std::size_t k) const { return rate_[k]; }
  const Vector3& drift(std::size_t k) const { return drift_[k]; }
  const Vector& joint_forces() const { return joint_forces_; }  ///< L, a row a joint row
  /// Of the force of every mode [N]: the largest of what is subtracted in it and in those of the
  /// contacts of its bodies.
  void force_sizes(std::vector<double>& sizes);
  /// The applied forces at the last rates() or free_acceleration() [N], [N m].
  const Vector& applied() const { return f_; }
  /// M^-1 of the applied forces.
  void applied_acceleration(Vector& a) const {
    a = f_;
    kinematics_.solve_mass(a);
  }

  // -- redundant contacts, after rates() (force_distribution.h)
  /// True when the force of mode k is one of many with the same accelerations.
  bool redundant(std::size_t k) const;
  /// Marks (ContactMode::shared) the redundant contacts of which the least force violates a law,
  /// and those of mode k.
  void mark_redundant(std::size_t k, std::span<ContactMode> modes) const;
  /// Clears the mark of those of which the least force obeys the laws with a margin.
  void unmark_redundant(std::span<ContactMode> modes) const;
  /// Forces of marked modes that obey the laws, and those of the joints that go with them. Returns
  /// the margin of the laws, as part of the largest force [1]; exact: the largest margin, else its
  /// sign alone counts. Below 0: the forces with the smallest violation.
  double distribute(bool exact = false);

 private:
  /// Row a of the contact of a mode, in lambda.
  struct ActiveRow {
    std::size_t mode;
    int a;
  };
  /// Redundant contacts, and the laws of their rows.
  struct Distribution : RedundantGroup {
    std::vector<ForceLimit> limits;
  };
  void applied_forces(Out f);
  void read_modes();
  bool coordinate_bias(std::span<const std::uint64_t> keys, std::span<const int> rows,
                       Vector& bias);
  void contact_rows(bool with_bias);
  void friction_row(std::size_t k, Vector& row);
  std::array<double, 2> friction_direction(std::size_t k, int tangents) const;
  void set_force(std::size_t r, double lambda);
  std::vector<Distribution> distributions() const;
  ForceLimit force_limit(std::size_t k, int first) const;
  double strength(std::size_t k, double slip) const;
  double spring_size(std::size_t k) const;

  const Model& model_;
  EventContacts contacts_;
  GroupKinematics kinematics_;
  JointConstraints joints_;
  ConstrainedCorrection correction_;
  bool constant_rows_ = false;  ///< rows of contacts do not change with place and time
  bool springs_ = false;        ///< some law is compliant
  std::vector<ContactMode> modes_;
  // of each mode
  std::vector<int> index_;
  std::vector<Vector3> force_, rate_, drift_;
  std::vector<Vector3> unit_;         ///< force of N = 1 of modes that slide
  std::vector<double> slip_, still_;  ///< at the start of the step; below it is none [m/s]
  double turn_ = 0.0;                 ///< of mark_slips()
  // of the active rows: B a = -bias, forces D lambda, X = M^-1 D with the joints held, S = B X
  std::vector<ActiveRow> active_;
  Matrix B_, D_, X_, S_;
  Matrix R_;  ///< joint forces -R lambda
  Vector bias_, rhs_, lambda_, scale_;
  bool redundant_ = false;  ///< S is singular
  Vector f_, a_, joint_forces_, row_;
  Vector at_w_, at_v_, at_dw_, at_dv_;  ///< of go_to() and rates_at()
  std::uint64_t evaluations_ = 0;
};

}  // namespace saltus
