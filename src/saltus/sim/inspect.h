// What the next step is made of, in numbers: operators, free motion, contact rows and right-hand
// sides of any scheme. Meant for people and tests, not for steps: everything is dense and made when
// asked for. The simulation stays as it is.
//
//     Simulation sim(model);
//     const Inspection step(sim);               // the step that sim.advance() would make
//     step.matrix(0);                           // A of group 0
//     step.active();                            // the pairs that enter the contact problem
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saltus/schemes/options.h"
#include "saltus/sim/simulation.h"

namespace saltus {

/// The next step of a model, linearised about its start. A copy: later changes of the simulation do
/// not reach it. Of schemes of several stages it is the first, where an impulse may move positions
/// alone. Groups and pairs are numbered as in the model (UsageError for others).
class Inspection {
 public:
  /// h [s]: length of the step, StepOptions::h when not given. UsageError: not positive, or another
  /// than the state's with a scheme of fixed step. `instant`: where contacts are looked for,
  /// StepOptions::instant when not given.
  explicit Inspection(const Simulation& sim, std::optional<double> h = {},
                      std::optional<ContactInstant> instant = {});
  Inspection(Model model, State state, std::optional<double> h = {},
             std::optional<ContactInstant> instant = {});
  Inspection(Inspection&&) noexcept;
  ~Inspection();

  const Model& model() const;
  double h() const;  ///< [s]

  // -- a group; n = velocities()
  Matrix matrix(int group) const;   ///< A, n x n [kg]
  Matrix inverse(int group) const;  ///< A^-1, n x n [1/kg]
  /// Columns of A for the prescribed degrees of freedom, of the unreduced system: n rows of the
  /// free ones, then one a prescribed one; see Dynamics::prescribed_columns. UsageError where A is
  /// no combination of M, C and K.
  Matrix prescribed_columns(int group) const;
  /// The iterate from which Newton's method starts: v0, and q1 as the scheme places it for v1 = v0.
  GroupState first_iterate(int group) const;
  /// v_free about the first iterate [m/s].
  const Vector& free_velocity(int group) const;
  /// Residual of the step's equation without contact at v1 = v0,  A (v0 - v_free) [N s].
  Vector residual(int group) const;
  /// The largest 2-norm of residual() over all bodies of all groups [N s].
  double residual() const;

  // -- contacts; rows of all pairs in turn, of each the normal and its tangents
  int rows() const;
  int row(int pair) const;               ///< normal row of a pair
  Matrix contact_rows(int group) const;  ///< H, rows() x n
  Vector gaps() const;                   ///< at the contact instant, one a pair [m]
  Vector start_output() const;           ///< u0 = H v0 + prescribed motion at t0 [m/s]
  Vector free_output() const;            ///< b_v = H v_free + prescribed motion at t1 [m/s]
  Matrix delassus() const;               ///< H A^-1 H^T over all groups, rows() x rows() [1/kg]
  /// b of the contact problem  u = W P + b, as the laws make it (ContactLaw::row) of b_v and the
  /// gaps of the free end; b_v of others. UsageError with compliant contacts, whose b depends on
  /// the impulse.
  Vector right_hand_side() const;
  /// Index set I0: every pair of the model. I1: those of I0 that enter the contact problem, by
  /// g + forecast h u0 <= threshold (and u0 <= velocity_threshold) for laws with Activation, all of
  /// the other laws.
  std::vector<int> known() const;
  std::vector<int> active() const;
  bool active(int pair) const;

  // -- what the step would make of an impulse or a velocity
  /// End of the step with the generalised impulse r [N s], one pass.
  GroupState update(int group, View r) const;
  /// q1 of the scheme for the end velocity v1, through the impulse A (v1 - v_free).
  Vector position(int group, View v1) const;
  /// v_free + A^-1 r, no position: of groups that are affine (UsageError of others).
  Vector velocity(int group, View r) const;

  /// All this in words: one line a group, one a pair.
  std::string text() const;

 private:
  struct LinearisedStep;
  std::unique_ptr<LinearisedStep> step_;
};

/// State after a step in which only velocities move: v1 = v_free + A^-1 r, q as it was, t1 = t + h,
/// no contact problem. r: one vector a group, or none at all for zero. The change of energy is
/// unexplained work. UsageError: a group that is not affine, or whose scheme keeps a memory.
State advance_velocity(const Model& model, const State& state, std::span<const Vector> r = {},
                       std::optional<double> h = {});

/// How a run to a time ended.
struct Reached {
  StepReport report;        ///< of the last step; none: no step was needed
  std::uint64_t steps = 0;  ///< made
  bool stopped = false;     ///< by the predicate, before `end`
};
/// Steps of StepOptions::h until t = end [s]; the last is shortened to end there. `stop`, asked
/// after every step, ends the run earlier; so does a step that failed and was not accepted.
/// UsageError: end before the time of the state, or off the grid of a scheme of fixed step.
Reached advance_until(Simulation& sim, double end,
                      const std::function<bool(const Simulation&)>& stop = {});

/// Work of the smooth forces of a group over a finished step, one number a body [J]:
///     h [(1 - g) F(t0, q0, v0) + g F(t1, q1, v1)] . [(1 - g) v0 + g v1],   g the gain of the
///     scheme (theta)
Vector work_of_forces(const Group& group, const GroupState& before, const GroupState& after,
                      double t0, double h);

/// A scheme with the value and the meaning of every option, one line each.
std::string display(const SchemeChoice& scheme);

}  // namespace saltus
