// Groups that can touch each other share one contact problem: an island.
#pragma once
#include <cmath>
#include <memory>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/state/contact_observer.h"
#include "saltus/state/contact_view.h"
#include "saltus/state/notices.h"
#include "saltus/state/state.h"

namespace saltus {

/// What the driver lends an island during one step. Trials and ends are those of all groups of the
/// model.
struct IslandStep {
  const Model& model;
  double h;       ///< [s]
  double energy;  ///< kinetic + |potential| of the start state [J]: scale of round-off in reports
  std::span<Trial> trials;
  std::span<GroupState> ends;             ///< written by Scheme::finish before check()
  std::span<const ContactMemory> before;  ///< contacts of the last step, by key
  SolverMemory& solver;
  Notices& notices;                       ///< what the step meets
  std::span<const BrokenJoint> broken{};  ///< before this step
  double kinetic = 0.0;                   ///< of the start state [J]
  bool counts = true;                     ///< false: a step that only estimates
  Stop* stop = nullptr;                   ///< asked by loops that may take long
  bool observed = false;                  ///< show() follows
};

/// The impulse that could carry the energy of the system through one of these contacts, sqrt(2 E
/// rho) [N s]: residuals of the finished state are relative to it when the contact problem itself
/// is smaller (a point at rest on its obstacle solves a problem made of round-off).
inline double impulse_scale(double energy, double rho) { return std::sqrt(2.0 * energy * rho); }
inline double impulse_scale(double energy, const Eigen::Ref<const Vector>& rho) {
  return rho.size() == 0 ? 0.0 : impulse_scale(energy, rho.maxCoeff());
}

/// Of the distance of two points: gaps that count as closed, being round-off of it [1].
inline constexpr double kClosedShare = 1e-12;

/// Work of the impulses of an island on the motion that points make by themselves [J].
struct DriftWork {
  double normal = 0.0, friction = 0.0, joints = 0.0, damping = 0.0, stops = 0.0;
};

/// Parts of the impulses of an island whose work is told by itself: friction of contacts and of
/// what slides along a coordinate of a joint; dampers on joints; stops and springs of joints,
/// without their dampers; what holds joints.
enum class ImpulseOf { friction, dampers, stops, joints };

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
  /// Called after every change of h, with the factors of schemes that keep theirs: makes what
  /// depends on h alone.
  virtual void prepare(std::span<const Trial> trials) = 0;
  /// Drops what was carried over from a step that did not count.
  virtual void forget() = 0;
  /// Predictors are made. Finds the active contacts, solves them together with the passes of the
  /// schemes and leaves the corrected iterates in the trials. Fills passes, iterations, residual,
  /// converged, impulse, contacts.
  virtual void solve(IslandStep& step, StepReport& report) = 0;
  /// The states are finished. Measures the laws and gaps on them: residual_after, gap.
  virtual void check(IslandStep& step, StepReport& report) = 0;
  /// The part of check() that measures gaps of contacts and joints, and no more.
  virtual void measure_gaps(IslandStep& step, StepReport& report) = 0;
  /// r = generalised impulses on a group [N s] of one part; false where there are none.
  virtual bool impulse(ImpulseOf part, int group, Out r) const {
    static_cast<void>(part), static_cast<void>(group), static_cast<void>(r);
    return false;
  }
  virtual const IslandJoints* joints() const { return nullptr; }
  virtual DriftWork drift_work() const { return {}; }
  /// The states are finished: what is left to do on them. Returns the energy that this adds [J].
  virtual double finish(IslandStep& step) {
    static_cast<void>(step);
    return 0.0;
  }
  /// Shows the last problem of solve(), if contacts made one.
  virtual void show(const IslandStep& step, int island, ContactObserver& observer) const = 0;
  /// Moves the finished positions out of each other:  0 <= gap(q1 (+) h w) perp p >= 0 with M w =
  /// H^T p + G^T L, joints closed. Velocities are left alone but for the rates of joints, which
  /// stay. Contacts only where the scene asks for it. Last of all; gaps have to be measured again,
  /// and where it does not succeed it fills residual, converged, failure. True when something
  /// moved.
  virtual bool project(IslandStep& step, StepReport& report) {
    static_cast<void>(step), static_cast<void>(report);
    return false;
  }
  /// Appends the contacts that carried an impulse, by increasing key.
  virtual void remember(std::vector<ContactMemory>& contacts) const = 0;
  /// Appends what contacts between surfaces and laws on joints press in the last solve() on groups
  /// with prescribed degrees of freedom, before project().
  virtual void point_impulses(std::vector<PointImpulse>& list) const { static_cast<void>(list); }
  /// Appends the contacts that are known in the step, as they were before project(); open ones with
  /// a gap above `most` may be left out.
  virtual void see(const Model& model, double most, std::vector<SeenContact>& contacts) const = 0;
};

/// Groups with fixed rows against each other and the fixed world, one pass a step: W is made once
/// for each h, and a step touches only the rows that it needs.
bool fits_fixed_island(const Model& model, std::span<const int> groups, std::span<const int> pairs);
/// Null where a group has no table of these points (one of them is prescribed to move).
std::unique_ptr<Island> fixed_island(const Model& model, std::span<const int> groups,
                                     std::vector<int> pairs);
/// Any groups, any pairs: rows and W are assembled in every pass.
std::unique_ptr<Island> general_island(const Model& model, std::vector<int> groups,
                                       std::vector<int> pairs);

}  // namespace saltus
