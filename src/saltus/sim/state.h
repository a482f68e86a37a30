// What moves: a value. Same Model and same State, same future, bit for bit.
#pragma once
#include <string_view>
#include <vector>

#include "saltus/contact/contact_solver.h"
#include "saltus/dynamics/state.h"
#include "saltus/scene/model.h"

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
  double outstanding = 0.0;     ///< velocity change that the last pass still asked for [1]
  double residual = 0.0;        ///< of the contact problem as solved [1]
  double residual_after = 0.0;  ///< of the laws on the finished state [1]
  double gap =
      0.0;  ///< smallest gap of the finished state [m], +inf without contacts; < 0: penetration
  double joint_gap = 0.0;  ///< largest |g| of the joints on the finished state [m], [rad]
  double impulse = 0.0;    ///< sum of the normal impulses [N s]
  double impact = 0.0;     ///< contact work of the step without friction and what springs store [J]
  double joints = 0.0;     ///< work of the joints on the relative motion of what they join [J]
  double friction = 0.0;   ///< work of friction, of relays too [J]
  double unexplained = 0.0;  ///< energy change of the step that no account explains [J]
  bool converged = true;
  bool finite = true;
  int halvings = 0;              ///< how often the step was cut in two
  int group = -1;                ///< where it failed
  std::string_view failure;      ///< why, in words of static life; empty: nothing is known
  double linear_residual = 0.0;  ///< largest |b - A x|/|b| of all linear iterations [1]
};

}  // namespace saltus
