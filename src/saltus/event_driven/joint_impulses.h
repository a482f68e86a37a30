// Impulses of the joints of a model over time.
//
// If a step is constrained only by joints, their loads cost as many evaluations as the step, and
// they are rarely requested: the paths of such steps are stored and evaluated on request.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "saltus/event_driven/constrained_motion.h"
#include "saltus/event_driven/step_integral.h"

namespace saltus {

class JointImpulses {
 public:
  /// Force and torque of a joint on its body b, as Simulation::joint_load, or their impulses.
  using Load = std::array<Vector3, 2>;

  explicit JointImpulses(const Model& model);

  /// Resets the sums.
  void begin();
  /// Adds impulses of one instant: one per joint, or none.
  void add(std::span<const Load> impulses);
  /// Adds the impulses of loads: six rows per joint, polynomials of the integral [N], [N m].
  void add(const StepIntegral& integral, const Matrix& loads) { add(integral, loads, impulses_); }
  /// Adds the impulses of joints from one fraction to another of event_state.length in a step
  /// without contacts; number: index of the step.
  void add_path(long number, const EventState& event_state, const OdeStep& step, double from,
                double to);
  /// Impulse since begin() [N s], [N m s].
  const Load& of(int joint);

 private:
  /// A part of a step, with the data that its loads need.
  struct Path {
    long number = 0;
    std::vector<GroupState> start;
    OdeStep step;  ///< t0, h, v0 and the dense output
    double rate_time = 0.0, length = 0.0;
    double from = 0.0, to = 0.0;  ///< fractions of `length`
  };
  static void add(const StepIntegral& integral, const Matrix& loads, std::vector<Load>& to);
  void evaluate(const Path& path);
  void sum_paths();

  const Model& model_;
  std::vector<Load> impulses_;  ///< without those of the stored paths
  std::vector<Path> paths_;     ///< the first `stored_` are in use
  std::size_t stored_ = 0;
  long evaluated_ = -1;          ///< index of the step that `loads_` belongs to
  double evaluated_over_ = 0.0;  ///< its length [s]
  Matrix loads_;
  std::unique_ptr<ConstrainedMotion> motion_;  ///< evaluates paths
};

/// Stores the loads of the joints at the last rates() of the motion in column k: six rows per
/// joint. scratch: one entry per joint.
void sample_joint_loads(ConstrainedMotion& motion, std::span<JointImpulses::Load> scratch,
                        Eigen::Index k, Matrix& loads);

}  // namespace saltus
