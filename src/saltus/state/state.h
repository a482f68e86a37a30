// The state of a run as a value. The same Model and State give the same future, bit for bit.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/contact/contact_solver.h"
#include "saltus/dynamics/state.h"
#include "saltus/model/model.h"

namespace saltus {

/// Impulses of a contact, stored for the warm start of the next step.
struct ContactMemory {
  std::uint64_t key = 0;
  Vector3 impulse = Vector3::Zero();  ///< (n, t1, t2) [N s]
  /// of rolling friction about t1, t2 and of spinning friction [N m s]
  Vector3 moment = Vector3::Zero();
};

/// A joint whose force exceeded its strength: removed from the following step on.
struct BrokenJoint {
  int joint = 0;      ///< of Model::joints()
  double t = 0.0;     ///< end of the step in which it broke [s]
  double pull = 0.0;  ///< mean joint force over that step [N]
  bool operator==(const BrokenJoint&) const = default;
};

/// Mode of a closed contact in event-driven integration.
struct ContactMode {
  enum class Kind : std::uint8_t { closed, sticks, slides };  ///< closed: without friction
  std::uint64_t key = 0;
  Kind kind = Kind::closed;
  /// slides: unit direction of the slip in the rows of the contact (t1, t2); friction at zero slip
  /// is opposite to it.
  std::array<double, 2> direction{};
  double gap = 0.0;  ///< at which the contact is kept: its gap when it closed [m], [rad]
  /// Its smallest force violates its law, but other forces that cause the same motion may not:
  /// redundant contacts need a force distribution (event_driven/force_distribution.h).
  bool shared = false;
  bool operator==(const ContactMode&) const = default;
};

/// What event-driven integration carries from interval to interval: its current step, which may end
/// after State::t.
struct EventState {
  bool active = false;             ///< State::groups contain physical q and v, no memory of schemes
  double t = 0.0;                  ///< start of the current step [s]
  double h = 0.0;                  ///< its length; 0: there is no current step
  double length = 0.0;             ///< part of it that the state follows, up to its event [s]
  double next = 0.0;               ///< length to try for the next step; 0: unknown
  std::vector<GroupState> start;   ///< q, v at t
  std::vector<ContactMode> modes;  ///< of that step, sorted by key
  double rate_time = 0.0;          ///< time over which its rates are differentiated [s]
  std::int32_t ends_with = -1;     ///< event that ends it (EventSearch::Kind), -1: none
  std::uint64_t ends_key = 0;      ///< contact of that event
  std::uint64_t crowd = 0;         ///< crowded impacts minus uncrowded ones, at least 0
  std::uint64_t stepping = 0;      ///< intervals that time stepping still has to cover
  /// basis for that number: doubles at a hand-over, halves after a success
  std::uint64_t patience = 0;
};

/// What happened at one instant of event-driven integration.
struct Event {
  /// - impact: a contact closed at nonzero speed.
  /// - rest: the Zeno sequence of bounces of a contact was summed to its end.
  /// - closes: a contact closed at zero speed.
  /// - opens, sticks, slides: the new mode of a contact.
  /// - spring: the force of a compliant contact begins or ends.
  /// - hand_over: time stepping continues from here.
  /// - take_back: event-driven integration continues from here.
  enum class Kind : std::uint8_t {
    impact,
    rest,
    closes,
    opens,
    sticks,
    slides,
    spring,
    hand_over,
    take_back
  };
  Kind kind = Kind::impact;
  double t = 0.0;                     ///< [s]
  std::uint64_t key = 0;              ///< of the contact; 0 for the last two kinds
  double speed = 0.0;                 ///< impact: rate of the gap before it [m/s], < 0
  Vector3 impulse = Vector3::Zero();  ///< impact and rest: (n, t1, t2) [N s]
  double energy = 0.0;  ///< change by all contacts of the impact, stored with its first contact [J]
};
std::string_view name_of(Event::Kind kind);

struct State {
  double t = 0.0;  ///< [s]; step * h, not a running sum
  std::uint64_t step = 0;
  double h = 0.0;                  ///< the step length that groups and solvers are prepared for [s]
  std::vector<GroupState> groups;  ///< in the order of Model::groups()
  /// contacts that carried an impulse in the last step, sorted by key
  std::vector<ContactMemory> contacts;
  std::vector<SolverMemory> solvers;  ///< one per island
  Energy energy;                      ///< of this state [J]
  double energy_start = 0.0;          ///< total at step 0 [J]
  std::vector<double> ledger;         ///< work since step 0 [J], one entry per Model::accounts()
  std::vector<BrokenJoint> broken;    ///< sorted by time, then by joint
  EventState event_state;             ///< of event-driven integration
};

/// State at t = 0, with the schemes started from the physical data of the model.
State initial_state(const Model& model);

/// Energy of a state under a model [J], recomputed: for a state that another model produced.
Energy energy_of(const Model& model, const State& state);

/// The larger of two measures of error; NaN takes precedence, so that it is never lost.
inline double worse(double a, double b) { return b > a || b != b ? b : a; }

/// An impact in a step that the contact detection missed or met late: the path of a body in the
/// step leads through another one or ends deep in it.
struct MissedImpact {
  double start = 2.0;  ///< fraction of the step before the impact; > 1: there is none
  double share = 1.0;  ///< length of a step that resolves it, as a fraction of the step
  bool halves = false;  ///< a body turns too far in the step for its path to be known

  bool any() const { return start <= 1.0; }
};

/// What one step did, and its accuracy.
struct StepReport {
  int passes = 0;
  int contacts = 0;             ///< contacts that carry an impulse
  int iterations = 0;           ///< of the contact solver
  std::string_view solver;      ///< the last one that `auto` used; empty: none
  double outstanding = 0.0;     ///< velocity change outstanding after the last pass [1]
  double residual = 0.0;        ///< of the contact problem as solved [1]
  double residual_after = 0.0;  ///< of the laws after the step [1]
  /// Smallest gap of the finished state [m], < 0: penetration. If no contact is within the margin,
  /// the gap of the nearest pair; +inf: there is no pair, or its gap is unknown
  /// (SurfaceFinder::least_gap()).
  double gap = 0.0;
  double joint_gap = 0.0;  ///< largest |g| of the joints after the step [m], [rad]
  double impulse = 0.0;    ///< sum of the normal impulses [N s]
  /// work of contacts, stops and joint springs, without friction and stored energy of springs [J]
  double impact = 0.0;
  /// work of the joints on the relative motion of the bodies they connect [J]
  double joints = 0.0;
  double friction = 0.0;     ///< work of friction, including relays [J]
  double unexplained = 0.0;  ///< energy change of the step that no work term explains [J]
  bool converged = true;
  bool finite = true;
  int halvings = 0;          ///< how often the step was halved, or cut at an impact
  int group = -1;            ///< group in which it failed
  std::string_view failure;  ///< reason, a string with static lifetime; empty: unknown
  std::string detail;        ///< contacts and bodies concerned, if they can be identified
  double speed = 0.0;        ///< largest velocity that the contact problem requires [m/s]
  double closing = 0.0;      ///< remaining closing velocity of contacts, relative to `speed` [1]
  int joint_law = -1;        ///< index into Model::joint_laws(): its angle can no longer be counted
  double linear_residual = 0.0;  ///< largest |b - A x|/|b| of all iterative linear solutions [1]
  /// number of steps in the interval; for event-driven integration those of its integrator
  int steps = 1;
  int rejected = 0;        ///< steps that were repeated with a shorter length
  double error = 0.0;      ///< largest estimated error of one step [1]; 0: not estimated
  int events = 0;          ///< located in the interval
  int evaluations = 0;     ///< of the forces, by event-driven integration
  int factorisations = 0;  ///< of stiffness matrices, in statics
  /// Negative eigenvalues of the stiffness matrices of all groups at the end, in statics: above 0,
  /// the equilibrium is unstable if no contact holds it; -1: not counted.
  int negative = -1;
  MissedImpact missed;     ///< the first one, of a step that will be divided
};

}  // namespace saltus
