// Perturbed states of a run and their evolution.
#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "saltus/assembly/joint_angles.h"
#include "saltus/event_driven/constrained_motion.h"
#include "saltus/event_driven/ode.h"
#include "saltus/sensitivity/sensitivity.h"

namespace saltus::sensitivity {

using Groups = std::vector<GroupState>;

/// dx/dp, or the direction of a perturbation of the state: increments of positions, velocities, and
/// the instant.
struct Direction {
  Vector w, v;
  double t = 0.0;
};

/// Reason why there is no derivative.
struct Refusal {
  std::string reason;
};

/// Evaluates one step or instant of one model from a given state. Calls are independent of each
/// other.
class Runner {
 public:
  explicit Runner(const Model& model);

  const Model& model() const { return model_; }
  ConstrainedMotion& motion() { return motion_; }

  /// Moves the model to (t, groups) with these modes and computes the rows of contacts.
  void place(double t, const Groups& groups, std::span<const ContactMode> modes, double e);
  /// Calls place() and computes the rates there: dw and dv.
  void rates(double t, const Groups& groups, std::span<const ContactMode> modes, double e,
             Direction& f);
  /// Computes the state `dt` after the start of a step. Refusal: a contact with a mode is lost
  /// during the step, or the step fails.
  void step(double t0, double dt, const Groups& groups, std::span<const ContactMode> modes,
            double e, const OdeMethod& method, Groups& end);
  /// Behaviour of the contacts from t on, with the contacts of `modes` closed: impacts, and which
  /// contacts stick or slide.
  struct Begin {
    bool known = false;                  ///< false: no motion satisfies their laws
    std::vector<std::uint64_t> closing;  ///< contacts with an impact
    std::vector<ContactMode> modes;
  };
  Begin begin(double t, Groups groups, std::span<const ContactMode> modes, double scale);
  /// The last step(), with dense output.
  const OdeStep& interpolated(const OdeMethod& method);
  /// Computes the state after an impact of these contacts. `status`: outcome of each contact, which
  /// must be the same for perturbed states.
  void strike(double t, const Groups& groups, std::span<const std::uint64_t> keys, Groups& end,
              std::vector<int>& status);
  /// Index of a contact at the present state. Refusal: the contact is not detected there.
  std::size_t find(std::uint64_t key);

 private:
  Model model_;
  ConstrainedMotion motion_;
  OdeStep step_;
  JointAngles angles_;
  Vector w_, v_, dw_, dv_;
};

/// Differences about a state in the directions of the run and of one parameter.
class Difference {
 public:
  /// Values at a state of a runner, at an instant.
  using Function = std::function<Vector(Runner&, const Groups&, double t)>;
  Difference(const Model& model, const Vector& scale, double size);

  /// d/dx f . s, including s.t, at (t, groups), with increments x of at most `longest`.
  Vector along(Runner& runner, const Groups& groups, double t, const Direction& s,
               const Function& f, double longest = std::numeric_limits<double>::infinity()) const;
  /// Groups displaced by x s.
  void move(const Groups& groups, const Direction& s, double x, Groups& out) const;
  /// Increments and velocities of `groups` relative to `base`, 2 n.
  Vector local(const Groups& base, const Groups& groups) const;

 private:
  const Model& model_;
  const Vector& scale_;  ///< of w and of v, 2 n
  double size_;
  std::vector<Eigen::Index> first_;
};

std::unique_ptr<OdeMethod> make_method(OdeKind kind);

}  // namespace saltus::sensitivity
