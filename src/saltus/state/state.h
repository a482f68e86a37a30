// What moves: a value. Same Model and same State, same future, bit for bit.
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

/// What a contact remembers: warm start of the next step.
struct ContactMemory {
  std::uint64_t key = 0;
  Vector3 impulse = Vector3::Zero();  ///< (n, t1, t2) [N s]
  Vector3 moment =
      Vector3::Zero();  ///< of rolling friction about t1, t2 and spinning friction [N m s]
};

/// A joint that was pulled by more than its strength: gone from the step after on.
struct BrokenJoint {
  int joint = 0;      ///< of Model::joints()
  double t = 0.0;     ///< end of the step in which it broke [s]
  double pull = 0.0;  ///< mean of that step [N]
  bool operator==(const BrokenJoint&) const = default;
};

/// How a contact that touches moves in event-driven integration.
struct ContactMode {
  enum class Kind : std::uint8_t { closed, sticks, slides };  ///< closed: without friction
  std::uint64_t key = 0;
  Kind kind = Kind::closed;
  /// slides: unit direction of the slip in the rows of the contact (t1, t2), of which the friction
  /// at rest is opposite.
  std::array<double, 2> direction{};
  double gap = 0.0;  ///< at which it is held: that with which it closed [m], [rad]
  /// Its least force breaks its law, and others that do the same may not: contacts share their load
  /// (event_driven/force_distribution.h).
  bool shared = false;
  bool operator==(const ContactMode&) const = default;
};

/// What event-driven integration carries from interval to interval: its step in work, which may end
/// behind State::t.
struct EventState {
  bool active = false;             ///< State::groups hold physical q and v, no memory of schemes
  double t = 0.0;                  ///< start of the step in work [s]
  double h = 0.0;                  ///< its length; 0: none is in work
  double length = 0.0;             ///< of it the state goes, up to its event [s]
  double next = 0.0;               ///< length to try for the one after it; 0: not known
  std::vector<GroupState> start;   ///< q, v at t
  std::vector<ContactMode> modes;  ///< of that step, by key
  double rate_time = 0.0;          ///< over which its rates are differentiated [s]
  std::int32_t ends_with = -1;     ///< what ends it (EventSearch::Kind), -1: nothing
  std::uint64_t ends_key = 0;      ///< the contact that does
  std::uint64_t crowd = 0;         ///< events in a row that each came much sooner than a step
  std::uint64_t stepping = 0;      ///< intervals that the schemes still have to step
  std::uint64_t patience = 0;      ///< how many they got the last time
};

/// What happened at one instant of event-driven integration.
struct Event {
  /// impact: a contact closed with speed.  rest: its Zeno sequence of bounces was summed to its
  /// end.  closes: without speed. opens, sticks, slides: what it does from now on.  spring: a
  /// compliant contact begins or ends to press.
  /// hand_over: the schemes step from here on.  take_back: event-driven integration again.
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
  std::uint64_t key = 0;              ///< of the contact; 0 of the last two kinds
  double speed = 0.0;                 ///< of impact: rate of the gap before it [m/s], < 0
  Vector3 impulse = Vector3::Zero();  ///< of impact and rest (n, t1, t2) [N s]
  double energy =
      0.0;  ///< change by the impact, of all contacts together, on its first contact [J]
};
std::string_view name_of(Event::Kind kind);

struct State {
  double t = 0.0;  ///< [s]; step * h, not a running sum
  std::uint64_t step = 0;
  double h = 0.0;                  ///< the step that groups and solvers are prepared for [s]
  std::vector<GroupState> groups;  ///< order of Model::groups()
  std::vector<ContactMemory>
      contacts;  ///< those that carried an impulse in the last step, sorted by key
  std::vector<SolverMemory> solvers;  ///< one an island
  Energy energy;                      ///< of this state [J]
  double energy_start = 0.0;          ///< total at step 0 [J]
  std::vector<double> ledger;         ///< work since step 0 [J], one entry a Model::accounts()
  std::vector<BrokenJoint> broken;    ///< by time, then by joint
  EventState event_state;             ///< of event-driven integration
};

/// State at t = 0, the schemes started from the physical data of the model.
State initial_state(const Model& model);

/// Energy of a state under a model [J], computed anew: for one that another model made.
Energy energy_of(const Model& model, const State& state);

/// The larger of two measures of error; not a number wins, so that it is never lost.
inline double worse(double a, double b) { return b > a || b != b ? b : a; }

/// What one step did and how right it was.
struct StepReport {
  int passes = 0;
  int contacts = 0;             ///< contacts that carry an impulse
  int iterations = 0;           ///< of the contact solver
  std::string_view solver;      ///< the one that `auto` asked last; empty: none
  double outstanding = 0.0;     ///< velocity change that the last pass still asked for [1]
  double residual = 0.0;        ///< of the contact problem as solved [1]
  double residual_after = 0.0;  ///< of the laws on the finished state [1]
  /// Smallest gap of the finished state [m], < 0: penetration. Where no contact is within the
  /// margin that of the nearest pair; +inf: there is none, or it is not known
  /// (SurfaceFinder::least_gap()).
  double gap = 0.0;
  double joint_gap = 0.0;  ///< largest |g| of the joints on the finished state [m], [rad]
  double impulse = 0.0;    ///< sum of the normal impulses [N s]
  double impact =
      0.0;  ///< work of contacts, stops and springs of joints without friction and what springs
            ///< store [J]
  double joints = 0.0;       ///< work of the joints on the relative motion of what they join [J]
  double friction = 0.0;     ///< work of friction, of relays too [J]
  double unexplained = 0.0;  ///< energy change of the step that no account explains [J]
  bool converged = true;
  bool finite = true;
  int halvings = 0;          ///< how often the step was cut in two
  int group = -1;            ///< where it failed
  std::string_view failure;  ///< why, in words of static life; empty: nothing is known
  std::string detail;        ///< which contacts and bodies, where that can be said
  double speed = 0.0;        ///< largest velocity that the step asks of contacts [m/s]
  double closing =
      0.0;  ///< closing velocity that contacts were left with, relative to what the step asks of
            ///< them [1]
  int joint_law = -1;            ///< of Model::joint_laws(): its angle cannot be counted any more
  double linear_residual = 0.0;  ///< largest |b - A x|/|b| of all linear iterations [1]
  int steps =
      1;  ///< that covered the interval; of event-driven integration those of its integrator
  int rejected = 0;     ///< steps that were made again, shorter
  double error = 0.0;   ///< largest estimated error of one of them [1]; 0: not estimated
  int events = 0;       ///< located in the interval
  int evaluations = 0;  ///< of the forces, by event-driven integration
};

}  // namespace saltus
