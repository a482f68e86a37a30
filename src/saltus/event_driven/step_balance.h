// Work, contact forces and joint loads over a step, as polynomials through samples at Lobatto
// nodes.
#pragma once
#include <array>
#include <map>
#include <span>
#include <vector>

#include "saltus/event_driven/constrained_motion.h"
#include "saltus/event_driven/step_integral.h"
#include "saltus/event_driven/work_terms.h"

namespace saltus {

class StepBalance {
 public:
  StepBalance(const Model& model, ConstrainedMotion& motion);

  /// True if forces of contacts and joints are integrated with the step, for the energy balance or
  /// for contacts. Otherwise the loads of joints are computed on request
  /// (event_driven/joint_impulses.h).
  bool with_forces() const {
    return !motion_.modes().empty() || (ledger_ && motion_.joints().prescribed());
  }
  /// Starts with the dense output of a step, without samples.
  void begin(const OdeStep& step);
  long number() const { return number_; }  ///< index of this step
  /// Samples node k at the state of the motion at t, including the forces of contacts and joints if
  /// motion.rates() was called.
  void sample(std::size_t k, double t, bool forces_known);
  /// Computes the polynomials over [t0, t0 + length] of the step, and samples the remaining nodes.
  void complete(const OdeStep& step, double length) { complete(step, length, nullptr); }
  /// As complete(), but also measures the defect of the dense output at these nodes by `scale`
  /// (OdeMethod::error). False: it exceeds a small fraction of the allowed error.
  bool complete_if_accurate(const OdeStep& step, double length, const Vector& scale) {
    return complete(step, length, &scale);
  }

  // -- after complete()
  StepIntegral integral(double length, double from, double to) const {
    return {power_.cols(), length, from, to};
  }
  /// Adds the work to every entry of the energy balance [J].
  void add_work(const StepIntegral& integral, std::span<double> ledger) const;
  /// Adds the impulses of the modes by key, (N, T1, T2) [N s].
  void add_impulses(const StepIntegral& integral, std::span<const ContactMode> modes,
                    std::map<std::uint64_t, Vector3>& impulses) const;
  /// Six rows per joint, as Simulation::joint_load [N], [N m].
  const Matrix& joint_loads() const { return load_; }

 private:
  bool complete(const OdeStep& step, double length, const Vector* scale);
  void sample_contact(std::size_t mode, Eigen::Index k);
  double defect(const OdeStep& step, double s, double length, const Vector& scale);

  const Model& model_;
  ConstrainedMotion& motion_;
  WorkTerms terms_;
  bool ledger_;                           ///< the energy balance is computed
  bool sources_ = false;                  ///< some body has a source without a potential
  std::vector<std::vector<int>> source_;  ///< entry of each source of each group, -1: potential
  std::vector<std::vector<double>> source_power_;
  long number_ = 0;
  std::vector<char> sampled_;       ///< of each node
  Matrix powers_, forces_, loads_;  ///< samples, one column per node
  /// Bernstein form: [W] per entry; three rows per mode; six per joint
  Matrix power_, force_, load_;
  std::vector<std::array<Vector3, 2>> joint_load_;  ///< scratch
  Vector w_, v_, dw_, dv_, slope_;
  Matrix rises_;
};

}  // namespace saltus
