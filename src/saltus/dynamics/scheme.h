// What a one-step time integrator must provide.
//
// A scheme carries one group of equal bodies from (q0, v0) at t0 to (q1, v1) at t0 + h. Contact
// reaches it through a single vector r = H^T P a stage, the generalised impulse [N s]:
//
//     v1 = v_free + A^-1 r,   A = m M + c C + k K  (or diagonal),  A -> M as h -> 0     (1)
//     q1 = q_free (+) gain h (v1 - v_free)                                              (2)
//
// `gain` is the scheme's own answer to a constant force, otherwise a body at rest on a plane sinks
// or climbs (tests/contract/rest_test.cpp). (+) is Dynamics::retract, so (2) holds on SO(3). A
// scheme never learns which kind of body it moves and never stores state: what is constant for one
// (group, h) is in Prepared, what changes during a step is in Trial, what survives it is in
// GroupState.
#pragma once
#include <memory>
#include <string_view>

#include "saltus/dynamics/dynamics.h"

namespace saltus {

enum class Level { position, velocity };  ///< what the rows of a stage restrict: y1 [m] or u1 [m/s]
enum class Rows { joints, normals, all };  ///< which rows enter

/// One contact problem of a step. Position stages move q alone: jump false, booked as projection.
/// The rows of a velocity stage that follows one are those that carried an impulse there or are
/// closed after it.
struct Stage {
  Level level = Level::velocity;
  Rows rows = Rows::all;
  bool jump = true;
};

/// What a scheme computes once for (group, h): coefficients, a constant factor. Dropped when h
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
  Vector v_free;  ///< left part of (1), filled by linearise
  Factor A;       ///< of (1); of affine bodies made once for each h
  double t_at =
      0.0;  ///< time of the point at which an implicit scheme has taken its force and takes its
            ///< tangents [s]
  bool factorised = false;  ///< A belongs to (group, h): set by schemes on affine bodies
  Factor M;           ///< of a mass matrix that is not constant, for schemes that need it beside A
  double gain = 0.0;  ///< of (2), set by begin
  /// Why a smooth stage of the step failed ("the step control needs ...", a string of static life),
  /// empty: it did not.
  std::string_view failure;
  bool ledger = true;        ///< work() will be called for this step
  Stop* stop = nullptr;      ///< asked by loops that may take long
  std::vector<Vector> work;  ///< scheme-private vectors
};

/// Time at which V counts in a step that asks at t: of driven bodies its start, where it holds what
/// is prescribed.
inline double held_at(const Dynamics& body, const Trial& x, double t) {
  return has(body.traits(), Trait::driven) ? x.t0 : t;
}

/// When the passes of a step end, and what they renew. Groups of an island share its passes.
struct PassLimits {
  double tolerance = 1e-10;  ///< of what correct() returns
  int passes = 20;
  /// The active contacts are found again in every pass, with gaps of the present iterate at the
  /// contact instant; false: those of the first pass stay active for the step. An island detects
  /// when one of its schemes asks for it.
  bool detect = false;
  /// One pass and no more; what it leaves is accepted, and nothing is outstanding. For an island it
  /// counts where every scheme has it or makes one pass anyway.
  bool only_one = false;
  /// H stays as the first pass found it, the axes of this scheme's group included; false: it
  /// follows the iterate.
  bool freeze_rows = false;
};

/// Where the work of a finished step went, for the ledger.
struct StepWork {
  std::span<double>
      by_source;  ///< [J], one entry a Dynamics::sources(); those with a potential stay 0
  double scheme =
      0.0;  ///< numerical dissipation by the scheme's own formula [J], < 0 when it dissipates
  double projection = 0.0;  ///< work of impulses that moved q alone (stages without jump) [J]
  Energy energy{};          ///< of the end state, as Scheme::energy, at held_at() its end
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
  /// Turns physical (q, v) at t into the scheme's own state (velocity of its kind, memory): first
  /// step, after an event, another h, an edit by the user. Default: nothing to do.
  virtual void start(const Dynamics& body, const Prepared* prepared, double t, double h,
                     GroupState& state) const;
  /// Physical velocity at t, the time of the state: output, hand-over to another scheme. Default:
  /// state.v.
  virtual void velocity(const Dynamics& body, const Prepared* prepared, double t, double h,
                        const GroupState& state, Out v) const;
  /// Energy of the state in the scheme's own measure, with what is prescribed where it is at t;
  /// default: that of the body at velocity().
  virtual Energy energy(const Dynamics& body, const Prepared* prepared, double t, double h,
                        const GroupState& state) const;

  /// First iterate q, v of this stage, and the gain. Where one_pass() holds it is the motion
  /// without contact.
  virtual void begin(const Dynamics& body, Trial& trial) const = 0;
  /// Fills v_free and A about the present iterate, trial.r included. Called once a pass.
  virtual void linearise(const Dynamics& body, Trial& trial) const = 0;
  /// Accepts trial.r; updates q, v by (1) and (2); returns the velocity change still outstanding
  /// [1]: the largest |dv|_M / max(|v0|_M, |v1|_M, |A^-1 r|_M), 0 where one_pass() holds.
  virtual double correct(const Dynamics& body, Trial& trial) const = 0;
  /// True when one pass is exact for this group (explicit schemes; implicit ones on affine bodies).
  /// begin() then leaves the free motion, and a step without contact needs neither linearise nor
  /// correct.
  virtual bool one_pass(const Dynamics& body) const = 0;
  /// True when begin() leaves the motion without contact whole, so that a step without contact
  /// needs no pass. Default: one_pass().
  virtual bool free_motion(const Dynamics& body) const { return one_pass(body); }
  /// Writes q1, v1 and memory. Gives the v of the last pass: laws hold on what finish returns. May
  /// swap with trial.
  virtual void finish(const Dynamics& body, Trial& trial, GroupState& end) const = 0;

  /// Configuration at t0 + fraction h at which contacts are looked for (0, 1/2 or 1): of the
  /// present iterate.
  virtual void place(const Dynamics& body, const Trial& trial, double fraction, Out q) const;
  /// Fraction of the step whose body axes carry angular impulses.
  virtual double axes_at() const { return 0.5; }
  /// True when place(axes_at()) is that of begin() in every pass of the step, and A too: rows and W
  /// are then made once.
  virtual bool axes_fixed() const { return false; }
  virtual std::span<const Stage> stages() const;
  /// Time to which state.v belongs, as a fraction of the step: 1/2 for backward differences.
  virtual double velocity_at() const { return 1.0; }
  /// The gain before any step, for the checks of build.
  virtual double gain() const = 0;
  /// Velocity with which impulses and forces of the finished step do their work: P . H w is the
  /// contact work. Default: (v0 + v1)/2.
  virtual void work_velocity(const Trial& trial, const GroupState& end, Out w) const;
  /// Work of the smooth forces over the finished step by the scheme's own identity, and the energy
  /// after it.
  virtual void work(const Dynamics& body, Trial& trial, const GroupState& end,
                    StepWork& work) const = 0;
  /// True: the state is tied to h (modal-exact): no change of step within a run.
  virtual bool fixed_step() const { return false; }
  virtual PassLimits pass_limits() const { return {}; }
  /// Largest stable h omega of a mode with damping ratio xi, undamped below it; infinite where
  /// there is no limit, 0 where every step grows.
  virtual double stability_limit(double xi) const;
};

}  // namespace saltus
