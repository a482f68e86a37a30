// The smooth motion of a whole model while every closed contact keeps its mode:
//
//     M a = F + G^T L + H_N^T N + H_T^T T
//     G a + gamma = 0                          joints, twice differentiated (index 1)
//     H_N a + b_N = 0                          closed contacts
//     H_T a + b_T = 0                          sticking contacts
//     T = -mu f(|u_T|) N u_T/|u_T|             sliding contacts
//
// b = d/ds (H(q (+) s v) v + d(t + s)) at s = 0 is the part of the rate change that does not depend
// on a. It is computed by differences of order 4 over set_time(), so that surfaces of any shape
// need only provide their contacts. w and v contain all groups in order.
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

  /// Sets the configuration that increments w start from.
  void start(std::span<const GroupState> groups) { kinematics_.start(groups); }
  /// GroupKinematics::enter_smooth_interval(), set_difference_time().
  void enter_smooth_interval(double t) { kinematics_.enter_smooth_interval(t); }
  void set_time(double e) { kinematics_.set_difference_time(e); }
  /// Sets the closed contacts, sorted by key; they include bilateral laws and active springs.
  void set_modes(std::span<const ContactMode> modes);
  std::span<const ContactMode> modes() const { return modes_; }
  /// Stores the present slips as those at the start of the step. A rotation of a slip by less than
  /// `fraction` of it is attributed to errors of earlier steps. motion: velocity scale, relative to
  /// which a slip may be round-off.
  void mark_slips(double fraction, View motion);
  /// Rate at which friction changes the direction of the slowest marked slip, |a|/|u| [1/s];
  /// acceleration: the one that friction resists.
  double slip_rate(View acceleration) const;
  /// smaller slips of mode k count as zero [m/s]
  double still(std::size_t k) const { return still_[k]; }

  int size() const override { return kinematics_.size(); }
  void rates(double t, View w, View v, Out dw, Out dv) override;
  void linearise(double t, View w, View v, double g) override;
  void correct(Out x) override { correction_.apply(x); }
  std::uint64_t evaluations() const { return evaluations_; }  ///< calls of rates() so far

  // -- at the state of the last go(), look() or rates()
  /// Evaluates the groups at (t, w, v).
  void go(double t, View w, View v);
  /// As go(), but at a state, which increments w then start from, with the modes of the state.
  void go_to(const State& state);
  /// As go_to(), and returns the accelerations as rates() does.
  const Vector& rates_at(const State& state);
  /// As go() without the rows of contacts: groups, and contacts() with their gaps.
  void look(double t, View w, View v);
  const GroupKinematics& kinematics() const { return kinematics_; }
  EventContacts& contacts() { return contacts_; }
  JointConstraints& joints() { return joints_; }
  const JointConstraints& joints() const { return joints_; }
  /// a without contacts and joints, but with active springs, after go().
  const Vector& free_acceleration();
  /// b of the rows of contacts given by keys: for each contact the normal and then its tangents, as
  /// many rows as `rows` specifies.
  void contact_bias(std::span<const std::uint64_t> keys, std::span<const int> rows, Vector& bias);
  /// True if the rates of rows change independently of a, which is computed by differences.
  bool differences() const { return !constant_rows_ && !modes_.empty(); }

  // -- after rates(), of mode k
  /// Index in contacts() of mode k; -1: its surfaces have no contact here.
  int index(std::size_t k) const { return index_[k]; }
  /// Force (N, T1, T2) of mode k on a [N].
  const Vector3& force(std::size_t k) const { return force_[k]; }
  /// Its rates u [m/s] and the contribution of prescribed motions to them, d [m/s].
  const Vector3& rate(std::size_t k) const { return rate_[k]; }
  const Vector3& drift(std::size_t k) const { return drift_[k]; }
  const Vector& joint_forces() const { return joint_forces_; }  ///< L, one entry per joint row
  /// For the force of every mode [N]: the largest of the terms that are subtracted in it and in the
  /// forces of other contacts of its bodies.
  void force_sizes(std::vector<double>& sizes);
  /// The applied forces at the last rates() or free_acceleration() [N], [N m].
  const Vector& applied() const { return f_; }
  /// The applied forces and those of motors that keep their velocity, after rates().
  void driving_forces(Vector& f) const {
    f = f_;
    for (std::size_t k = 0; k < modes_.size(); ++k)
      if (index_[k] >= 0 && contacts_.contact(static_cast<std::size_t>(index_[k])).actuated &&
          contacts_.law(static_cast<std::size_t>(index_[k])).set_valued())
        contacts_.add_row(static_cast<std::size_t>(index_[k]), 0, force_[k][0], f);
  }
  /// M^-1 times the applied forces.
  void applied_acceleration(Vector& a) const {
    a = f_;
    kinematics_.solve_mass(a);
  }

  // -- redundant contacts, after rates() (force_distribution.h)
  /// True if the force of mode k is one of many that give the same accelerations.
  bool redundant(std::size_t k) const;
  /// Marks (ContactMode::shared) the redundant contacts whose smallest forces violate a law, and
  /// those of mode k.
  void mark_redundant(std::size_t k, std::span<ContactMode> modes) const;
  /// Clears the mark of contacts whose smallest forces obey the laws with a margin.
  void unmark_redundant(std::span<ContactMode> modes) const;
  /// Computes forces of marked modes that obey the laws, and the corresponding joint forces.
  /// Returns the margin of the laws as a fraction of the largest force [1]: the largest margin if
  /// `exact`, otherwise only its sign is reliable. If it is below 0, the forces are those with the
  /// smallest violation.
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
  bool constant_rows_ = false;  ///< rows of contacts do not depend on configuration and time
  bool springs_ = false;        ///< some law is compliant
  std::vector<ContactMode> modes_;
  // of each mode
  std::vector<int> index_;
  std::vector<Vector3> force_, rate_, drift_;
  std::vector<Vector3> unit_;  ///< force of sliding modes for N = 1
  /// at the start of the step; smaller slips count as zero [m/s]
  std::vector<double> slip_, still_;
  double turn_ = 0.0;  ///< `fraction` of mark_slips()
  // of the active rows: B a = -bias, forces D lambda, X = M^-1 D with joints eliminated, S = B X
  std::vector<ActiveRow> active_;
  Matrix B_, D_, X_, S_;
  Matrix R_;  ///< joint forces -R lambda
  Vector bias_, rhs_, lambda_, scale_;
  bool redundant_ = false;  ///< S is singular
  Vector f_, a_, joint_forces_, row_;
  Vector at_w_, at_v_, at_dw_, at_dv_;  ///< for go_to() and rates_at()
  std::uint64_t evaluations_ = 0;
};

}  // namespace saltus
