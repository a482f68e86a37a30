// Work, contact forces and joint loads over a step, as polynomials through samples at the nodes of
// Lobatto.
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

  /// True when forces of contacts and joints are integrated with the step, for the energy balance
  /// or for contacts. Else the loads of joints are computed when somebody asks for them
  /// (event_driven/joint_impulses.h).
  bool with_forces() const {
    return !motion_.modes().empty() || (ledger_ && motion_.joints().prescribed());
  }
  /// Begins with the dense output of a step: nothing is sampled.
  void begin(const OdeStep& step);
  long number() const { return number_; }  ///< of this step
  /// Samples node k, where the motion is, at t; with the forces of contacts and joints after
  /// motion.rates().
  void sample(std::size_t k, double t, bool forces_known);
  /// Makes the polynomials over [t0, t0 + length] of the step. Nodes that are not sampled yet are
  /// sampled here.
  void complete(const OdeStep& step, double length) { complete(step, length, nullptr); }
  /// The same with the defect of the dense output measured by `scale` (OdeMethod::error) at these
  /// nodes. False: it is more than a small part of what an error may be.
  bool complete_if_accurate(const OdeStep& step, double length, const Vector& scale) {
    return complete(step, length, &scale);
  }

  // -- after complete()
  StepIntegral integral(double length, double from, double to) const {
    return {power_.cols(), length, from, to};
  }
  /// Adds the work of every entry of the energy balance [J].
  void add_work(const StepIntegral& integral, std::span<double> ledger) const;
  /// Adds the impulses of the modes by key, (N, T1, T2) [N s].
  void add_impulses(const StepIntegral& integral, std::span<const ContactMode> modes,
                    std::map<std::uint64_t, Vector3>& impulses) const;
  /// Six rows a joint, as Simulation::joint_load [N], [N m].
  const Matrix& joint_loads() const { return load_; }

 private:
  bool complete(const OdeStep& step, double length, const Vector* scale);
  void sample_contact(std::size_t mode, Eigen::Index k);
  double defect(const OdeStep& step, double s, double length, const Vector& scale);

  const Model& model_;
  ConstrainedMotion& motion_;
  WorkTerms terms_;
  bool ledger_;                           ///< the energy balance is computed
  bool sources_ = false;                  ///< some body has a source that is no potential
  std::vector<std::vector<int>> source_;  ///< entry of each source of each group, -1: potential
  std::vector<std::vector<double>> source_power_;
  long number_ = 0;
  std::vector<char> sampled_;       ///< of each node
  Matrix powers_, forces_, loads_;  ///< samples, a column a node
  Matrix power_, force_, load_;     ///< Bernstein: [W] an entry; three rows a mode; six a joint
  std::vector<std::array<Vector3, 2>> joint_load_;  ///< scratch
  Vector w_, v_, dw_, dv_, slope_;
  Matrix rises_;
};

}  // namespace saltus
