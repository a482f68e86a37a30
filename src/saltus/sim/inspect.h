// The parts of the next step as numbers: operators, free motion, contact rows and right-hand sides
// of any scheme. Meant for people and tests, not for time stepping: everything is dense and
// computed on request. The simulation is not changed.
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

/// The next step of a model, linearised about its start. This is a copy: later changes of the
/// simulation do not affect it. For schemes of several stages it is the first stage, where an
/// impulse may change only positions. Groups and pairs are numbered as in the model (UsageError for
/// other numbers).
class Inspection {
 public:
  /// h [s]: length of the step, default StepOptions::h. UsageError: h is not positive, or differs
  /// from that of the state although a scheme has a fixed step. `instant`: the contact instant,
  /// default StepOptions::instant.
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
  /// Columns of A for the prescribed degrees of freedom of the unreduced system: n rows of the free
  /// ones, then one row per prescribed one; see Dynamics::prescribed_columns. UsageError if A is
  /// not a combination of M, C and K.
  Matrix prescribed_columns(int group) const;
  /// Initial iterate of Newton's method: v0, and the q1 that the scheme computes for v1 = v0.
  GroupState first_iterate(int group) const;
  /// v_free at the first iterate [m/s].
  const Vector& free_velocity(int group) const;
  /// Residual of the step's equation without contact at v1 = v0,  A (v0 - v_free) [N s].
  Vector residual(int group) const;
  /// The largest 2-norm of residual() over all bodies of all groups [N s].
  double residual() const;

  // -- contacts; rows of all pairs in order, for each pair the normal and then its tangents
  int rows() const;
  int row(int pair) const;               ///< normal row of a pair
  Matrix contact_rows(int group) const;  ///< H, rows() x n
  Vector gaps() const;                   ///< at the contact instant, one per pair [m]
  Vector start_output() const;           ///< u0 = H v0 + prescribed motion at t0 [m/s]
  Vector free_output() const;            ///< b_v = H v_free + prescribed motion at t1 [m/s]
  Matrix delassus() const;               ///< H A^-1 H^T over all groups, rows() x rows() [1/kg]
  /// b of the contact problem  u = W P + b: in normal rows the laws compute it (ContactLaw::row)
  /// from b_v and the gaps of the free end; tangential rows are b_v + e_T u0. UsageError for
  /// compliant contacts, whose b depends on the impulse.
  Vector right_hand_side() const;
  /// Index set I0: every pair of the model. I1: the pairs of I0 that enter the contact problem; for
  /// laws with Activation those with g + forecast h u0 <= threshold (and u0 <= velocity_threshold),
  /// for other laws all of them.
  std::vector<int> known() const;
  std::vector<int> active() const;
  bool active(int pair) const;

  // -- effect of an impulse or a velocity on the step
  /// End of the step with the generalised impulse r [N s], after one pass.
  GroupState update(int group, View r) const;
  /// q1 of the scheme for the end velocity v1, reached by the impulse A (v1 - v_free).
  Vector position(int group, View v1) const;
  /// v_free + A^-1 r, without position: only for affine groups (UsageError for others).
  Vector velocity(int group, View r) const;

  /// Summary as text: one line per group, one per pair.
  std::string text() const;

 private:
  struct LinearisedStep;
  std::unique_ptr<LinearisedStep> step_;
};

/// State after a step that changes only velocities: v1 = v_free + A^-1 r, unchanged q, t1 = t + h,
/// no contact problem. r: one vector per group, or empty for zero. The change of energy counts as
/// unexplained work. UsageError: a group is not affine, or its scheme has a memory.
State advance_velocity(const Model& model, const State& state, std::span<const Vector> r = {},
                       std::optional<double> h = {});

/// Result of a run to a given time.
struct Reached {
  StepReport report;        ///< of the last step; default-constructed if no step was needed
  std::uint64_t steps = 0;  ///< steps made
  bool stopped = false;     ///< ended by `stop` before `end`
};
/// Makes steps of StepOptions::h until t = end [s]; the last one is shortened to end there. `stop`
/// is evaluated after every step and ends the run earlier; so does a step that failed and was not
/// accepted. UsageError: `end` is before the time of the state, or off the grid of a scheme of
/// fixed step.
Reached advance_until(Simulation& sim, double end,
                      const std::function<bool(const Simulation&)>& stop = {});

/// Work of the smooth forces of a group over a finished step, one number per body [J]:
///     h [(1 - g) F(t0, q0, v0) + g F(t1, q1, v1)] . [(1 - g) v0 + g v1],
///     with g the gain of the scheme (theta)
Vector work_of_forces(const Group& group, const GroupState& before, const GroupState& after,
                      double t0, double h);

/// Text of a scheme with the value and the meaning of every option, one line each.
std::string display(const SchemeChoice& scheme);

}  // namespace saltus
