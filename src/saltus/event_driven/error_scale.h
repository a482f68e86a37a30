// Scale of the motion in a step, relative to which its error is measured (OdeMethod::error).
//
// Bodies connected by contacts or joints share one scale. A spring of force d^(3/2) that hits a
// body at rest moves it by t^(7/2), and a step has the same relative error in this however short it
// is: relative to the body's own velocity no step would ever be accurate.
#pragma once
#include <array>
#include <vector>

#include "saltus/event_driven/constrained_motion.h"

namespace saltus {

class ErrorScale {
 public:
  ErrorScale(const Model& model, ConstrainedMotion& motion);

  /// Determines the coupling of the groups by contacts at the state of the motion, after
  /// motion.rates(), with velocities v0.
  void find_links(const Vector& v0);
  /// Resets the round-off of the accelerations of a step to zero.
  void begin_noise() { noise_.assign(motion_.kinematics().groups().size(), 0.0); }
  /// Measures that round-off at the start of the step. pull: acceleration by only the applied
  /// forces.
  void measure_noise(const OdeStep& step, const Vector& pull);
  /// Computes values() and tolerance() for a step that was tried.
  void measure(const OdeStep& step, const Vector& pull);
  const Vector& values() const { return scale_; }  ///< of w and v, 2 n
  double tolerance() const { return tolerance_; }  ///< that the step has to meet

 private:
  /// Coefficients of a group in a row H of a contact. Velocities of size s (angular velocities
  /// times the radius of gyration) contribute at most `reach` s to the rate of the row; an elastic
  /// impact at the rate u contributes at most `gain` u to the velocity of the group.
  struct Link {
    int row, group;
    double reach, gain;
  };
  void find_joined();
  void find_links_of(std::size_t mode, int row, const Vector& v0);
  void spread_speeds();

  const Model& model_;
  ConstrainedMotion& motion_;
  std::span<const int> first_;
  bool alone_ = true;           ///< at most one group moves
  std::vector<Link> links_;     ///< of rows that couple groups, or a group to a prescribed motion
  std::vector<double> drifts_;  ///< rate of prescribed motion of these rows [m/s]
  std::vector<std::array<int, 2>> joined_;   ///< groups connected by joints and couplings
  std::vector<double> speeds_, own_speeds_;  ///< of each group
  std::vector<double> noise_;                ///< of each group: round-off of accelerations [m/s^2]
  std::vector<char> settled_;
  double tolerance_ = 0.0;
  Vector scale_, w_, change_;
};

}  // namespace saltus
