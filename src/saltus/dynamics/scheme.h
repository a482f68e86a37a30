// What a one-step time integrator must provide.
//
// A scheme advances one group of equal bodies from (q0, v0) at t0 to (q1, v1) at t0 + h. Contact
// enters only through one vector per stage, r = H^T P, the generalised impulse [N s]:
//
//     v1 = v_free + A^-1 r,   A = m M + c C + k K  (or diagonal),  A -> M as h -> 0     (1)
//     q1 = q_free (+) gain h (v1 - v_free)                                              (2)
//
// `gain` has to match the scheme's own response to a constant force; otherwise a body at rest on a
// plane sinks or climbs (tests/contract/rest_test.cpp). (+) is Dynamics::retract, so (2) holds on
// SO(3). A scheme does not depend on the kind of body and stores no state: constants of one
// (group, h) are in Prepared, data of one step in Trial, and data carried to the next step in
// GroupState.
#pragma once
#include <functional>
#include <memory>
#include <string_view>

#include "saltus/dynamics/dynamics.h"

namespace saltus {

/// what the rows of a stage constrain: y1 [m] or u1 [m/s]
enum class Level { position, velocity };
enum class Rows { joints, normals, all };  ///< which rows the stage contains

/// One contact problem of a step. Position stages move only q: jump is false, and their work counts
/// as projection. A velocity stage after a position stage contains the rows that carried an impulse
/// in that stage or are closed after it.
struct Stage {
  Level level = Level::velocity;
  Rows rows = Rows::all;
  bool jump = true;
};

/// What a scheme computes once for (group, h): coefficients, a constant factor. Discarded when h
/// changes.
struct Prepared {
  virtual ~Prepared() = default;
};

/// Work data of one step of one group. Owned by the driver, reused from step to step.
struct Trial {
  double t0 = 0.0, h = 0.0;           ///< [s]
  const GroupState* start = nullptr;  ///< state at t0, never modified
  const Prepared* prepared = nullptr;
  int stage = 0;  ///< index into Scheme::stages()
  int pass = 0;   ///< 0 in begin, then 1, 2, ... for each linearise and correct; set by the driver
  Vector q, v;    ///< current iterate of q1 and v1
  Vector r;       ///< impulse of the last pass, zero when the stage begins [N s]
  Vector v_free;  ///< free velocity of (1), filled by linearise
  Factor A;       ///< of (1); computed once per h for affine bodies
  double t_at = 0.0;  ///< time at which an implicit scheme evaluates its force and its tangents [s]
  bool factorised = false;  ///< A belongs to (group, h): set by schemes on affine bodies
  Factor M;  ///< of a mass matrix that is not constant, for schemes that need it in addition to A
  double gain = 0.0;  ///< of (2), set by begin
  /// Reason why a smooth stage of the step failed ("the step control needs ...", a string with
  /// static lifetime); empty: no failure.
  std::string_view failure;
  bool ledger = true;  ///< work() will be called for this step
  bool damp = false;   ///< the passes damp changes that increase the residual; set by the driver
  int damped = 0;      ///< number of passes of the step that did
  int factorisations = 0;    ///< of A in this step, counted by schemes that report them
  Stop* stop = nullptr;      ///< checked by loops that may take long
  std::vector<Vector> work;  ///< scheme-private vectors
};

/// Time at which V is evaluated for a step that requests it at t: for driven bodies the start of
/// the step, because prescribed values stay constant during it.
inline double held_at(const Dynamics& body, const Trial& x, double t) {
  return has(body.traits(), Trait::driven) ? x.t0 : t;
}

/// When the passes of a step end, and what they update. All groups of an island share its passes.
struct PassLimits {
  double tolerance = 1e-10;  ///< for the value that correct() returns
  int passes = 20;
  /// Active contacts are determined again in every pass, with gaps of the present iterate at the
  /// contact instant; false: the contacts active in the first pass stay active for the whole step.
  /// An island does this if one of its schemes requests it.
  bool detect = false;
  /// Make exactly one pass and accept its result; no change remains outstanding. An island does
  /// this only if each of its schemes sets this flag or needs one pass anyway.
  bool only_one = false;
  /// H keeps its value of the first pass, including the axes of this scheme's group; false: it
  /// follows the iterate.
  bool freeze_rows = false;
};

/// Work terms of a finished step, for the energy balance.
struct StepWork {
  /// [J], one entry per Dynamics::sources(); those with a potential stay 0
  std::span<double> by_source;
  /// numerical dissipation by the scheme's own formula [J], < 0 when it dissipates
  double scheme = 0.0;
  double projection = 0.0;  ///< work of impulses that moved only q (stages without jump) [J]
  Energy energy{};  ///< of the end state, as Scheme::energy, at the held_at() time of its end
};

class Scheme {
 public:
  virtual ~Scheme() = default;
  virtual std::string_view name() const = 0;
  /// Trait bits that the group must have.
  virtual unsigned needs() const = 0;
  /// Trait bits that the group must not have.
  virtual unsigned refuses() const { return 0; }

  virtual std::unique_ptr<Prepared> prepare(const Dynamics& body, double h) const;
  /// Converts physical (q, v) at t into the scheme's own state (its velocity, its memory): at the
  /// first step, and after an event, a change of h or an edit by the user. Default: nothing to do.
  virtual void start(const Dynamics& body, const Prepared* prepared, double t, double h,
                     GroupState& state) const;
  /// Converts a state with its physical velocity, and otherwise as the last step of length `before`
  /// left it, for steps of h. Default: start().
  virtual void change_step(const Dynamics& body, const Prepared* prepared, double t, double before,
                           double h, GroupState& state) const;
  /// Physical velocity at t, the time of the state, for output and for hand-over to another scheme.
  /// Default: state.v.
  virtual void velocity(const Dynamics& body, const Prepared* prepared, double t, double h,
                        const GroupState& state, Out v) const;
  /// Energy of the state as the scheme measures it, with prescribed values at t. Default: energy of
  /// the body at velocity().
  virtual Energy energy(const Dynamics& body, const Prepared* prepared, double t, double h,
                        const GroupState& state) const;

  /// First iterate q, v of this stage, and the gain. If one_pass() is true, this iterate is the
  /// motion without contact.
  virtual void begin(const Dynamics& body, Trial& trial) const = 0;
  /// Fills v_free and A at the present iterate, with trial.r as given. Called once per pass.
  virtual void linearise(const Dynamics& body, Trial& trial) const = 0;
  /// Applies trial.r: updates q, v by (1) and (2). Returns the velocity change still outstanding
  /// [1], the largest |dv|_M / max(|v0|_M, |v1|_M, |A^-1 r|_M), or 0 if one_pass() is true.
  virtual double correct(const Dynamics& body, Trial& trial) const = 0;
  /// True if one pass is exact for this group (explicit schemes; implicit ones on affine bodies).
  /// begin() then computes the free motion, and a step without contact needs neither linearise nor
  /// correct.
  virtual bool one_pass(const Dynamics& body) const = 0;
  /// True if begin() computes the complete motion without contact, so that a step without contact
  /// needs no pass. Default: one_pass().
  virtual bool free_motion(const Dynamics& body) const { return one_pass(body); }
  /// Writes q1, v1 and memory. v has to be that of the last pass, because contact laws hold for
  /// what finish returns. May swap with trial.
  virtual void finish(const Dynamics& body, Trial& trial, GroupState& end) const = 0;

  /// Configuration of the present iterate at t0 + fraction h, where contacts are detected (fraction
  /// 0, 1/2 or 1).
  virtual void place(const Dynamics& body, const Trial& trial, double fraction, Out q) const;
  /// Fraction of the step whose body axes angular impulses refer to.
  virtual double axes_at() const { return 0.5; }
  /// True if place(axes_at()) and A stay as begin() made them in every pass of the step: rows and W
  /// are then computed only once.
  virtual bool axes_fixed() const { return false; }
  virtual std::span<const Stage> stages() const;
  /// Time to which state.v belongs, as a fraction of the step: 1/2 for backward differences.
  virtual double velocity_at() const { return 1.0; }
  /// The gain before any step, for the checks at build time.
  virtual double gain() const = 0;
  /// Velocity for the work of impulses and forces of the finished step: P . H w is the contact
  /// work. Default: (v0 + v1)/2.
  virtual void work_velocity(const Trial& trial, const GroupState& end, Out w) const;
  /// Work of the smooth forces over the finished step by the scheme's own identity, and the energy
  /// after the step.
  virtual void work(const Dynamics& body, Trial& trial, const GroupState& end,
                    StepWork& work) const = 0;
  /// True: the state depends on h (modal-exact), so h cannot change within a run.
  virtual bool fixed_step() const { return false; }
  virtual PassLimits pass_limits() const { return {}; }
  /// Whether motion under dashpots up to this c/m [1/s] decays without reversing, at any step.
  virtual bool damps(double /*rate*/) const { return false; }
  /// This scheme for a group whose fastest dashpot has the c/m fastest() [1/s], if it depends on
  /// it; null otherwise.
  virtual std::unique_ptr<Scheme> adapted(const std::function<double()>& /*fastest*/) const {
    return nullptr;
  }
  /// Largest stable h omega of an underdamped mode with damping ratio xi; infinite if there is no
  /// limit, 0 if every step grows.
  virtual double stability_limit(double xi) const;
};

}  // namespace saltus
