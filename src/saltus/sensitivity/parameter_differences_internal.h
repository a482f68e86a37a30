// Derivatives with respect to the parameters of a run, by finite differences of its steps and
// events.
#pragma once
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "saltus/sensitivity/stretches_internal.h"

namespace saltus::sensitivity {

class ParameterDifferences {
 public:
  ParameterDifferences(const Model& model, std::span<const SensitivityParameter> parameters,
                       const SensitivityOptions& options);

  /// Repeats the steps of the run to find their ends and the magnitude of its motion. Call this
  /// before the functions below.
  void measure(std::vector<Stretch>& stretches);

  const Model& model() const { return model_; }
  Runner& runner() { return *runner_; }
  Eigen::Index size() const { return n_; }  ///< velocities of the model
  std::span<const SensitivityParameter> parameters() const { return parameters_; }
  const SensitivityOptions& options() const { return options_; }
  double tolerance() const { return model_.options().events.tolerance; }
  const Vector& scale() const { return scale_; }  ///< of w and v, 2 n
  double time() const { return time_; }           ///< mean length of a stretch [s]
  const Difference& difference() const { return *difference_; }
  bool of_model(std::size_t j) const { return pairs_[j].plus != nullptr; }
  /// The runner of the model with a lower (sign < 0) or higher parameter j; the runner of the run
  /// if j affects only the start.
  Runner& runner(std::size_t j, double sign);

  /// dx/dp at the start.
  std::vector<Direction> at_start(const Groups& start) const;
  /// df/dp along the run: through the state, which changes by s, and through the model.
  Vector total(std::size_t j, const Groups& groups, double t, const Direction& s,
               const Difference::Function& f,
               double longest = std::numeric_limits<double>::infinity());
  /// df/dp through the model only; requires of_model().
  Vector through_model(std::size_t j, const Groups& groups, double t,
                       const Difference::Function& f);
  /// row| . x for row a of the contact with index i at the runner's present state.
  double size_of_row(std::size_t i, int a, const Vector& x);

 private:
  /// Two runners of one parameter; none if it affects only the start.
  struct Pair {
    std::unique_ptr<Runner> minus, plus;
  };

  const Model& model_;
  std::span<const SensitivityParameter> parameters_;
  SensitivityOptions options_;
  std::unique_ptr<Runner> runner_;
  Eigen::Index n_ = 0;
  std::vector<Pair> pairs_;
  Vector scale_;
  double time_ = 0.0;
  std::unique_ptr<Difference> difference_;
};

}  // namespace saltus::sensitivity
