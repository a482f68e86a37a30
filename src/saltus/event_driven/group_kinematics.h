// Positions, velocities, mass matrices and applied forces of all groups of a model at an instant:
//
//     q = q0 (+) w,     v,     M(q),     F(t, q, v)
//
// w and v are vectors of all groups in order. Prescribed motions are smooth between two jumps of
// their rates; times are clamped to the interval between the jumps.
#pragma once
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "saltus/base/difference.h"
#include "saltus/model/model.h"
#include "saltus/state/state.h"

namespace saltus {

class GroupKinematics {
 public:
  explicit GroupKinematics(const Model& model);

  int size() const { return first_.back(); }  ///< velocities of all groups
  /// First velocity of each group; the last entry is the total number.
  std::span<const int> first() const { return first_; }
  /// v of all groups in one vector.
  Vector velocities(std::span<const GroupState> groups) const;

  /// Sets q0.
  void start(std::span<const GroupState> groups);
  /// Prescribed motions are evaluated in the smooth interval from t up to the next jump of their
  /// rates.
  void enter_smooth_interval(double t);
  /// Time interval for differences of rates, well below the time scale of the motion [s].
  void set_difference_time(double e) { e_ = e; }
  /// t clamped to the smooth interval.
  double inside(double t) const { return std::clamp(t, since_, until_); }

  /// Evaluates q, v and the factors of M at (t, w, v).
  void evaluate(double t, View w, View v);

  // -- at the state of the last evaluate()
  double time() const { return t_; }
  std::span<const GroupState> groups() const { return at_; }
  const Vector& q(int group) const { return at_[static_cast<std::size_t>(group)].q; }
  const Vector& v(int group) const { return at_[static_cast<std::size_t>(group)].v; }
  const Factor& mass(int group) const { return M_[static_cast<std::size_t>(group)]; }
  /// The times used for a derivative by differences.
  Difference difference() const { return {t_, e_, since_, until_}; }
  double difference_time() const { return e_; }
  /// Groups after the time s at constant velocity.
  const std::vector<GroupState>& shifted(double s);
  /// X <- M^-1 X.
  void solve_mass(Eigen::Ref<Matrix> X) const;
  /// F of the bodies [N], [N m].
  void body_forces(Out f) const;
  /// dw = rate(w, v).
  void increment_rates(View w, Out dw) const;
  /// Largest coordinate of the bodies [m]: determines the round-off of gaps.
  double extent() const;
  double extent(std::size_t g) const;  ///< of group g

  /// Sets `groups` to q of all groups, moved by w from q0.
  void move(View w, std::vector<GroupState>& groups) const;
  /// Largest velocity of a body [m/s] and largest angular velocity [rad/s], for velocities v of all
  /// groups.
  double fastest(View v) const;
  double fastest_turn(View v) const;
  /// Radius of gyration for angular velocities [m], 1 for other velocities.
  std::span<const double> radius() const { return radius_; }

 private:
  const Model& model_;
  std::vector<int> first_;
  std::vector<char> constant_, rigid_;  ///< of each group: M is constant; six velocities per body
  std::vector<double> radius_;
  std::vector<double> jumps_;  ///< of the rates of prescribed motions [s], increasing
  double t_ = 0.0, e_ = 1e-4;
  double since_ = -std::numeric_limits<double>::infinity(), until_ = -since_;
  std::vector<GroupState> start_, at_, shifted_;
  std::vector<Factor> M_;
};

}  // namespace saltus
