// The smooth motion of a whole model while every contact that touches keeps its mode.
//
//     M a = F + G^T L + H_N^T N + H_T^T T
//     G a + gamma = 0                          joints, twice differentiated (index 1)
//     H_N a + b_N = 0                          contacts that are closed
//     H_T a + b_T = 0                          those that stick
//     T = -mu f(|u_T|) N u_T/|u_T|             those that slide
//
// b = d/ds (H(q (+) s v) v + d(t + s)) at s = 0: what the rate of a row changes by itself. It is taken by differences of order 4
// over ConstrainedMotion::set_time, so that surfaces of any shape need nothing but their contacts. w and v of all groups in order.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "saltus/base/difference.h"
#include "saltus/event_driven/event_contacts.h"
#include "saltus/event_driven/force_distribution.h"
#include "saltus/event_driven/ode.h"
#include "saltus/state/state.h"

namespace saltus {

class ConstrainedMotion final : public SmoothMotion {
 public:
  explicit ConstrainedMotion(const Model& model);
  ~ConstrainedMotion() override;

  /// Where w counts from.
  void start(std::span<const GroupState> groups);
  /// Drives and supports are those from t on, up to the next jump of their rates: places are taken at times between both.
  void take_up(double t);
  /// The contacts that are closed, by key; bilateral laws are among them, and springs that press.
  void set_modes(std::span<const ContactMode> modes);
  std::span<const ContactMode> modes() const { return modes_; }
  /// The slips of the place are those from which the step starts: what turns them by less than `share` of that
  /// is an error of the steps before. motion: velocities in play, beside which a slip may be none.
  void mark_slips(double share, View motion);
  /// Rate at which friction turns the slowest slip that was marked, |a|/|u| [1/s]; acceleration: of what friction resists.
  double slip_rate(View acceleration) const;
  double still(std::size_t k) const { return still_[k]; }  ///< slips of mode k below are none [m/s]
  /// Time over which rates are differentiated, well below what the motion changes in [s].
  void set_time(double e) { e_ = e; }

  int size() const override { return n_; }
  void rates(double t, View w, View v, Out dw, Out dv) override;
  void linearise(double t, View w, View v, double g) override;
  void correct(Out x) override;
  std::uint64_t evaluations() const { return evaluations_; }  ///< calls of rates() so far

  // -- the place of the last go() or rates()
  /// Groups at (t, w, v).
  void go(double t, View w, View v);
  /// The same without the rows of contacts: groups(), contacts() with their gaps.
  void look(double t, View w, View v);
  double time() const { return t_; }
  double inside(double t) const { return std::clamp(t, since_, until_); }  ///< see take_up()
  std::span<const GroupState> groups() const { return at_; }
  EventContacts& contacts() { return contacts_; }
  const Vector& acceleration() const { return a_; }  ///< of the last rates()

  /// True when the rates of rows change by themselves, which is known by differences.
  bool differences() const { return !still_rows_ && !modes_.empty(); }
  /// True when the force of mode k is one of many that do the same, at the last rates(): contacts share their load.
  bool shared(std::size_t k) const;
  /// Marks the modes that share a load of which the least force breaks a law, at the last rates(), and those that share that of
  /// mode k.
  void mark_shared(std::size_t k, std::span<ContactMode> modes) const;
  /// Takes the mark from those of which the least force obeys the laws with room to spare.
  void forget_shared(std::span<ContactMode> modes) const;
  /// After rates(): forces of modes marked shared that obey the laws, and those of the joints that go with them. The room that
  /// the laws have, of the largest force [1]; exact: the largest, else its sign alone counts. Below 0 no forces obey them, and
  /// those that miss them by least are taken.
  double share(bool exact = false);

  // -- after rates(), of mode k
  /// Index in contacts() of mode k; -1: its surfaces show no contact here.
  int index(std::size_t k) const { return index_[k]; }
  /// Force (N, T1, T2) of mode k on a [N].
  const Vector3& force(std::size_t k) const { return force_[k]; }
  /// Its rates u [m/s] and what the obstacles contribute to them, d [m/s].
  const Vector3& rate(std::size_t k) const { return rate_[k]; }
  const Vector3& drift(std::size_t k) const { return drift_[k]; }
  const Vector& joint_forces() const { return joint_forces_; }  ///< L, a row a joint row

  /// Of the force of every mode at the last rates() [N]: the largest of what is subtracted in it and in those of the contacts
  /// that its bodies touch.
  void force_sizes(std::vector<double>& sizes);
  /// The applied forces at the last rates() or free_acceleration() [N], [N m].
  const Vector& applied() const { return f_; }
  /// M^-1 of the applied forces, at the last rates() or free_acceleration().
  void applied_acceleration(Vector& a) {
    a = f_;
    solve_mass(a);
  }
  /// Largest velocity of a body [m/s] and largest angular velocity [rad/s], for velocities v of all groups.
  double fastest(View v) const;
  double fastest_turn(View v) const;
  /// Radius of gyration of the angular velocities [m], 1 of the other velocities.
  std::span<const double> radius() const { return radius_; }
  /// Largest coordinate of the bodies at the place [m]: the size of round-off in gaps.
  double extent() const;
  double extent(std::size_t g) const;  ///< of group g
  /// M^-1 of all columns, at the place of the last go() or rates().
  void solve_mass(Eigen::Ref<Matrix> X);
  /// a without contacts and joints, at the place of the last go() (springs that press act).
  const Vector& free_acceleration();
  /// Adds weight times force and torque of each joint on its b for the multipliers L, in space, torques about the point of b.
  void add_joint_loads(const Vector& L, double weight, std::span<std::array<Vector3, 2>> loads);
  /// Rows of the joints at the place: G, one row a row; G v + d = `rate`, and gamma.
  int joint_rows() const { return m_joints_; }
  bool joints_move() const { return joints_move_; }  ///< some of them by themselves: they do work
  void joints_here(Matrix& G, Vector& rate);
  /// The rates alone.
  void joint_rates(Vector& rate);
  void joint_rows_here();
  /// Factors of G M^-1 G^T, after joint_rows_here() or joint_rates(). Which rows depend on others is chosen where this is
  /// first called after choose_anew().
  void factor_joints(bool anew = false);
  void choose_anew() { chosen_ = false; }
  void joint_rate_of(View v, Out rate);  ///< rate += G v
  void pull(View L, Out x);              ///< x = M^-1 G^T L
  /// X <- X - M^-1 G^T R,  R = (G M^-1 G^T)^-1 G X: what joints leave of velocities.
  void free_of_joints(Matrix& X, Matrix& R);
  void joint_bias(Vector& gamma);
  /// b of the rows of contacts, given by keys: rows in order, normal and then tangents of each, as many as `rows` says.
  void contact_bias(std::span<const std::uint64_t> keys, std::span<const int> rows, Vector& bias);
  /// Largest |g| of the joints at the place, their gaps in g.
  double joint_gaps(Vector& g);
  /// q of all groups moved by w (all velocities), in `groups`.
  void move(View w, std::vector<GroupState>& groups) const;

 private:
  struct Active {
    std::size_t mode;
    int a;
  };
  Difference difference() const { return {t_, e_, since_, until_}; }
  void shift(double s, std::vector<GroupState>& groups) const;
  void applied(Out f);
  bool coordinate_bias(std::span<const std::uint64_t> keys, std::span<const int> rows,
                       Vector& bias);
  void take_joints();
  void contact_rows(bool with_bias);
  void make_constraints();
  /// Modes that share loads among themselves, their rows of lambda in order, and K of these rows.
  struct Share {
    std::vector<std::size_t> modes;
    std::vector<Eigen::Index> rows;
    std::vector<ShareLaw> laws;
    Matrix K;
  };
  std::vector<Share> shares() const;
  ShareLaw share_law(std::size_t k, int first) const;
  void put(double t, View w, View v);
  void read_modes();
  double strength(std::size_t k, double slip) const;
  double spring_size(std::size_t k) const;

  const Model& model_;
  EventContacts contacts_;
  std::vector<int> first_;
  int n_ = 0, m_joints_ = 0;
  bool shared_ = false;
  bool still_rows_ = false;      ///< rows of contacts do not change with place and time
  bool analytic_joints_ = true;  ///< JointSystem::bias() knows these groups
  bool springs_ = false;         ///< some law is compliant
  bool joints_move_ = false;     ///< bodies that are moved, or couplings that are driven
  double e_ = 1e-4, t_ = 0.0;
  double since_ = -std::numeric_limits<double>::infinity(), until_ = -since_;  ///< see take_up()
  std::vector<double> jumps_;  ///< of drives and supports
  std::vector<GroupState> start_, at_, shifted_;
  std::vector<ContactMode> modes_;
  std::vector<Active> active_;
  std::vector<Factor> M_, A_;
  std::vector<char> constant_, rigid_;  ///< of each group: M does not change; six velocities a body
  std::vector<double> radius_;
  std::vector<int> index_;
  std::vector<Vector3> force_, rate_, drift_;
  std::vector<Vector3> unit_;  ///< force of N = 1 of modes that slide
  double share_ = 0.0;
  std::vector<double> slip_,
      still_;  ///< of each mode at the start of the step; below it is none [m/s]
  Vector f_, a_, joint_forces_, bias_, joint_bias_, rhs_, lambda_, joint_rate_, scratch_;
  Vector scale_;
  Matrix B_, D_, X_, S_, Y_, SA_;
  Matrix R_, BA_, DA_;   ///< S^-1 G X of the joints; rows and directions with the joints among them
  bool chosen_ = false;  ///< which rows of the joints depend on others
  bool rows_here_ = false, bias_here_ = false;  ///< of the joints, since put()
  std::uint64_t evaluations_ = 0;
};

/// 1/sqrt of the diagonal of B X: the scale of rows B, X = M^-1 B^T.
Vector row_scale(const Matrix& B, const Matrix& X);
/// The first row of the group of every row: rows of different groups have zeros in common.
std::vector<Eigen::Index> row_groups(const Matrix& S);
/// lambda with S lambda = rhs; where S is singular the least one. `scale`: of rows and
/// columns, row_scale() of them without other constraints; empty: by the diagonal of S. The rank is returned.
int solve_rows(const Matrix& S, const Vector& rhs, Vector& lambda, const Vector& scale = {});

}  // namespace saltus
