// Impulses of the joints of a model over time.
//
// Where joints are all that constrains a step, their loads cost as many evaluations as the step,
// and few ask for them: the paths of such steps are stored, and evaluated when somebody asks.
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
  /// Force and torque on b of a joint, as Simulation::joint_load, or their impulses.
  using Load = std::array<Vector3, 2>;

  explicit JointImpulses(const Model& model);

  /// Begins the sums.
  void begin();
  /// Adds impulses of one instant, one a joint or none at all.
  void add(std::span<const Load> impulses);
  /// Adds what loads do: six rows a joint, polynomials of the integral [N], [N m].
  void add(const StepIntegral& integral, const Matrix& loads) { add(integral, loads, impulses_); }
  /// Adds what the joints do from one fraction to another of event_state.length of a step without
  /// contacts; number: of the step.
  void add_path(long number, const EventState& event_state, const OdeStep& step, double from,
                double to);
  /// Since begin() [N s], [N m s].
  const Load& of(int joint);

 private:
  /// A part of a step, as much of it as its loads need.
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
  std::vector<Load> impulses_;  ///< but for those of the paths
  std::vector<Path> paths_;     ///< the first `stored_` of them
  std::size_t stored_ = 0;
  long evaluated_ = -1;          ///< number of the step of `loads_`
  double evaluated_over_ = 0.0;  ///< its length [s]
  Matrix loads_;
  std::unique_ptr<ConstrainedMotion> motion_;  ///< evaluates paths
};

/// Loads of the joints at the last rates() of the motion, in column k: six rows a joint. scratch:
/// one a joint.
void sample_joint_loads(ConstrainedMotion& motion, std::span<JointImpulses::Load> scratch,
                        Eigen::Index k, Matrix& loads);

}  // namespace saltus
