// The size of what moves in a step, by which its error is measured (OdeMethod::error).
//
// Bodies in contact or in joints have one scale: a spring of force d^(3/2) that hits a body at rest
// moves it by t^(7/2), of which a step misses the same part however short it is, and relative to
// its own velocity no step is ever accurate.
#pragma once
#include <array>
#include <vector>

#include "saltus/event_driven/constrained_motion.h"

namespace saltus {

class ErrorScale {
 public:
  ErrorScale(const Model& model, ConstrainedMotion& motion);

  /// Reads the coupling of the groups by contacts where the motion is, after motion.rates(), with
  /// velocities v0.
  void find_links(const Vector& v0);
  /// Nothing is known of the round-off of the accelerations of a step.
  void begin_noise() { noise_.assign(motion_.kinematics().groups().size(), 0.0); }
  /// Measures it at the start of the step. pull: acceleration by the applied forces alone.
  void measure_noise(const OdeStep& step, const Vector& pull);
  /// Makes values() and tolerance() for a step that was tried.
  void measure(const OdeStep& step, const Vector& pull);
  const Vector& values() const { return scale_; }  ///< of w and v, 2 n
  double tolerance() const { return tolerance_; }  ///< that the step has to obey

 private:
  /// A group in a row H of a contact. With velocities of the size s (of turns times the radius of
  /// gyration) it makes at most `reach` s of the rate of the row; an elastic impact at the rate u
  /// makes at most `gain` u of its velocity.
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
  bool alone_ = true;           ///< no two groups move
  std::vector<Link> links_;     ///< of rows that couple groups, or a group to what moves
  std::vector<double> drifts_;  ///< of these rows: rate of prescribed motion [m/s]
  std::vector<std::array<int, 2>> joined_;   ///< groups that joints and couplings tie together
  std::vector<double> speeds_, own_speeds_;  ///< of each group
  std::vector<double> noise_;                ///< of each group, round-off of accelerations [m/s^2]
  std::vector<char> settled_;
  double tolerance_ = 0.0;
  Vector scale_, w_, change_;
};

}  // namespace saltus
