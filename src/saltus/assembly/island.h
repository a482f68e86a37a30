// Groups that can come into contact with each other have a common contact problem: an island.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/state/contact_observer.h"
#include "saltus/state/contact_view.h"
#include "saltus/state/notices.h"
#include "saltus/state/state.h"

namespace saltus {

/// Data that the driver passes to an island for one step. Trials and ends are those of all groups
/// of the model.
struct IslandStep {
  const Model& model;
  double h;       ///< [s]
  double energy;  ///< kinetic + |potential| of the start state [J]: scale of round-off in reports
  std::span<Trial> trials;
  std::span<GroupState> ends;             ///< written by Scheme::finish before check()
  std::span<const ContactMemory> before;  ///< contacts of the previous step, by key
  SolverMemory& solver;
  Notices& notices;                       ///< notices of this step
  std::span<const BrokenJoint> broken{};  ///< joints that broke before this step
  double kinetic = 0.0;                   ///< kinetic energy of the start state [J]
  bool counts = true;                     ///< false: the step is only an estimate
  Stop* stop = nullptr;                   ///< checked by loops that may take long
  bool observed = false;                  ///< show() follows
  bool divides = false;                   ///< a step that misses an impact is divided there
  bool damped = false;                    ///< passes damp their changes (Trial::damp)

  /// Passes that damped their change may be short: they count little.
  int pass_limit() const {
    const int limit = model.options().pass_limit;
    int most = 0;
    if (damped)
      for (const Trial& trial : trials) most = std::max(most, trial.damped);
    return limit + std::min(most, 2 * limit);
  }
};

/// sqrt(2 E rho) [N s], the impulse that could transfer the energy of the system through one of
/// these contacts: residuals of the finished state are relative to it if the contact problem itself
/// is smaller (the problem of a point at rest on its obstacle consists of round-off).
inline double impulse_scale(double energy, double rho) { return std::sqrt(2.0 * energy * rho); }
inline double impulse_scale(double energy, const Eigen::Ref<const Vector>& rho) {
  return rho.size() == 0 ? 0.0 : impulse_scale(energy, rho.maxCoeff());
}

/// Gaps below this fraction of the distance of two points count as closed, being round-off of it
/// [1].
inline constexpr double kClosedShare = 1e-12;

/// Work of the impulses of an island on the prescribed motion of points [J].
struct DriftWork {
  double normal = 0.0, friction = 0.0, joints = 0.0, damping = 0.0, stops = 0.0;
};

/// Parts of the impulses of an island whose work is reported separately: friction of contacts and
/// along joint coordinates; dampers on joints; stops and springs of joints, without their dampers;
/// actuators of joints; constraint impulses of joints.
enum class ImpulseOf { friction, dampers, stops, actuators, joints };

/// Impulse on a point of a group [N s].
struct PointImpulse {
  int group = 0;
  PointRef at;
  Vector3 impulse = Vector3::Zero();
};

class IslandJoints;

class Island {
 public:
  virtual ~Island() = default;
  /// Called after every change of h, with the factors of schemes that keep theirs: computes what
  /// depends only on h.
  virtual void prepare(std::span<const Trial> trials) = 0;
  /// Discards what was carried over from a step that did not count.
  virtual void forget() = 0;
  /// Requires the predictors. Finds the active contacts, solves them together with the passes of
  /// the schemes and leaves the corrected iterates in the trials. Sets passes, iterations,
  /// residual, converged, impulse, contacts.
  virtual void solve(IslandStep& step, StepReport& report) = 0;
  /// Requires the finished states. Evaluates laws and gaps on them: residual_after, gap.
  virtual void check(IslandStep& step, StepReport& report) = 0;
  /// The part of check() that only measures gaps of contacts and joints.
  virtual void measure_gaps(IslandStep& step, StepReport& report) = 0;
  /// r = generalised impulses of one part on a group [N s]; false if there are none.
  virtual bool impulse(ImpulseOf part, int group, Out r) const {
    static_cast<void>(part), static_cast<void>(group), static_cast<void>(r);
    return false;
  }
  virtual const IslandJoints* joints() const { return nullptr; }
  virtual DriftWork drift_work() const { return {}; }
  /// Last corrections of the finished states. Returns the energy that they add [J].
  virtual double finish(IslandStep& step) {
    static_cast<void>(step);
    return 0.0;
  }
  /// Passes the last problem of solve() to the observer, if there were contacts.
  virtual void show(const IslandStep& step, int island, ContactObserver& observer) const = 0;
  /// Moves overlapping bodies apart in the finished positions:  0 <= gap(q1 (+) h w) perp p >= 0
  /// with M w = H^T p + G^T L, joints closed. Velocities change only so that the rates of joints
  /// are kept. Contacts only if the scene requests it. Called last of all; gaps have to be measured
  /// again. On failure sets residual, converged, failure. Returns whether something moved.
  virtual bool project(IslandStep& step, StepReport& report) {
    static_cast<void>(step), static_cast<void>(report);
    return false;
  }
  /// Appends the contacts that carried an impulse, by increasing key.
  virtual void remember(std::vector<ContactMemory>& contacts) const = 0;
  /// Appends the impulses that contacts between surfaces and laws on joints exerted in the last
  /// solve(), before project(), on groups with prescribed degrees of freedom.
  virtual void point_impulses(std::vector<PointImpulse>& list) const { static_cast<void>(list); }
  /// Appends the contacts of the step, as they were before project(); open ones with a gap above
  /// `most` may be left out.
  virtual void see(const Model& model, double most, std::vector<SeenContact>& contacts) const = 0;
};

/// Whether fixed_island() applies: rows between groups, and between groups and the fixed world, are
/// constant, with one pass per step. W is then formed once for each h, and a step uses only the
/// rows that it needs.
bool fits_fixed_island(const Model& model, std::span<const int> groups, std::span<const int> pairs);
/// Null if a group has no table of these points (one of them has prescribed motion).
std::unique_ptr<Island> fixed_island(const Model& model, std::span<const int> groups,
                                     std::vector<int> pairs);
/// Any groups, any pairs: rows and W are assembled in every pass.
std::unique_ptr<Island> general_island(const Model& model, std::vector<int> groups,
                                       std::vector<int> pairs);

}  // namespace saltus
