// The scene file as plain structs that mirror the YAML file one to one, all values SI.
//
// Filled from a file by scene_file/scene_yaml.h, or in code; build() turns a SceneSpec into a
// Model. complete() fills in missing names, so every spec that was read has them.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "saltus/base/options.h"
#include "saltus/spec/body_spec.h"
#include "saltus/spec/choices.h"
#include "saltus/spec/contact_spec.h"
#include "saltus/spec/joint_spec.h"
#include "saltus/spec/phase_spec.h"

namespace saltus {

class Faults;

/// The version of the scene format that this program reads.
inline constexpr int kSceneVersion = 1;

/// How the time integration is chosen. automatic: mode, schemes and step are those that meet a
/// tolerance at least cost (study/auto_choice.h), and `tolerance` applies to the whole run.
enum class TimeScheme { bodies, automatic };
constexpr auto names_of(TimeScheme) {
  using enum TimeScheme;
  return std::array{NamedValue{bodies, "bodies"}, NamedValue{automatic, "auto"}};
}

/// End time, step and mode of the integration.
struct TimeSpec {
  double end = 0.0;
  std::optional<double> rate, step;
  std::optional<TimeMode> mode;
  std::optional<double> tolerance;
  TimeScheme scheme = TimeScheme::bodies;

  bool automatic() const { return scheme == TimeScheme::automatic; }
  /// Step [s]; if the program chooses the step, the interval between result rows, 1/200 of the run
  /// when not given; in statics the interval between result rows, the whole run when not given.
  double h() const {
    if (rate) return 1.0 / *rate;
    return step.value_or(automatic() ? end / 200.0 : is_static() ? end : 0.0);
  }
  TimeMode chosen_mode() const { return mode.value_or(TimeMode::stepping); }
  bool is_static() const { return chosen_mode() == TimeMode::statics; }
  bool operator==(const TimeSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() { return std::array{at_most_one("rate", "step")}; }
  static constexpr auto fields() {
    using T = TimeSpec;
    return field_rows(
        required("end", &T::end, unit::s, kPositive,
                 "end time; the run starts at 0 and takes the nearest whole number of steps"),
        field("rate", &T::rate, unit::Hz, kPositive, "steps per second"),
        field("step", &T::step, unit::s, kPositive, "step length"),
        field("mode", &T::mode,
              "stepping (default): time stepping with the schemes of the bodies; events: "
              "event-driven integration of high order that stops at every impact, lift-off, stick "
              "and slip; static: equilibria without inertia, where time is the parameter of the "
              "loads: tables are functions of it, and constant loads grow from 0 at the start to "
              "their full value at the end; `step`, the whole run when not given, is the interval "
              "between result rows and the longest increment"),
        field("tolerance", &T::tolerance, Range{.low = 0.0, .high = 0.1, .low_open = true},
              "error per step of the integrator, relative to the magnitude of the motion: 1e-9 in "
              "event-driven integration when not given; in time stepping each step is divided into "
              "as many substeps as the tolerance needs, one when not given; with `scheme: auto` "
              "the tolerance of the whole run"),
        field("scheme", &T::scheme,
              "bodies: each body has its own scheme; auto: the program chooses mode, schemes and "
              "step so that the run meets `tolerance`, and estimates the error; `step` is then the "
              "longest interval between result rows, 1/200 of the run when not given"));
  }
};

/// Event-driven integration (event_driven/event_integrator.h).
struct EventSpec {
  OdeKind method = OdeKind::automatic;
  ImpactOrder impacts = ImpactOrder::simultaneous;
  double zeno = 1e-9;
  int limit = 50, closed = 20;
  bool hand_over = true;

  bool operator==(const EventSpec&) const = default;
  static constexpr auto fields() {
    using T = EventSpec;
    return field_rows(
        field(
            "method", &T::method,
            "integrator between events; auto chooses it by tolerance and stiffness of the forces"),
        field("impacts", &T::impacts,
              "simultaneous impacts: simultaneous: the law of each contact holds for the "
              "velocities after the impact; sequential: one after the other, the fastest closing "
              "contact first; energetic: the impulses grow together, and each contact returns "
              "restitution^2 of the work it absorbed"),
        field("zeno", &T::zeno, unit::m, kNotNegative,
              "bounces lower than this are replaced by the closed sum of their Zeno sequence; 0: "
              "never"),
        field("limit", &T::limit, at_least(1), "largest number of events in a step of `time`"),
        field("closed", &T::closed, at_least(0), "largest number of sticking or sliding contacts"),
        field("hand_over", &T::hand_over,
              "true: beyond `limit` or `closed` the schemes of the bodies step until events are "
              "rare again; false: the run fails"));
  }
};

struct ContactOptions {
  ContactInstant instant = ContactInstant::end;
  std::optional<double> margin;
  bool correct_positions = false;

  bool operator==(const ContactOptions&) const = default;
  static constexpr auto fields() {
    using T = ContactOptions;
    return field_rows(
        field("instant", &T::instant,
              "instant of the step at which contacts are detected and gaps are evaluated; if all "
              "contacts and all laws between shapes are force laws, the middle; rows of rigid "
              "bodies are those in the middle of the step, except with start"),
        field("margin", &T::margin, unit::m, kNotNegative,
              "contacts between shapes are detected below this gap; when not given 1/100 of the "
              "smallest moving shape, in event-driven integration a quarter of that"),
        field("correct_positions", &T::correct_positions,
              "after each step separate penetrating shapes, subject to the joints; velocities "
              "change only where joints require it; the work is recorded as projection; points of "
              "`contacts` are not moved"));
  }
};

/// Solver of the contact problems.
struct SolverSpec {
  std::string kind = "auto";
  std::optional<double> tolerance;
  int iterations = 10000;

  bool operator==(const SolverSpec&) const = default;
  static constexpr auto fields() {
    using T = SolverSpec;
    return field_rows(
        field("kind", &T::kind,
              "name of the solver; auto chooses it by contact laws and problem size"),
        field("tolerance", &T::tolerance, kPositive,
              "relative residual of the contact problem; when not given 1e-4 for heaps of more "
              "than 50 bodies or more than 20 deformable bodies in contact (up to 1e-3, with a "
              "warning, where auto does not converge further), 1e-9 for contacts between shapes, "
              "1e-12 otherwise"),
        field("iterations", &T::iterations, at_least(1), "largest number of iterations or pivots"));
  }
};

/// A recorded quantity of a body or a joint.
struct OutputSpec {
  enum class Quantity {
    velocity,
    displacement,
    reaction,
    force,
    torque,
    effort,
    power,
    place,
    angular_velocity,
    acceleration,
    energy,
    kinetic_energy,
    stress,
    strain
  };
  enum class Modes { audible, all };
  enum class Component { von_mises, xx, yy, zz, xy, yz, zx };

  std::string probe, name;
  std::optional<std::string> from;
  std::optional<PlaceSpec> at;
  std::optional<std::array<double, 3>> direction;
  Quantity quantity = Quantity::velocity;
  std::optional<Component> component;
  std::optional<std::string> wav, csv;
  Modes modes = Modes::audible;
  std::optional<double> gain;

  /// A force or torque.
  bool acts() const { return quantity == Quantity::force || quantity == Quantity::torque; }
  /// Of the actuators of a joint coordinate.
  bool drives() const { return quantity == Quantity::effort || quantity == Quantity::power; }
  /// Of a body only.
  bool of_body() const {
    return quantity == Quantity::place || quantity == Quantity::angular_velocity ||
           quantity == Quantity::acceleration || whole() || in_material();
  }
  /// Of a whole body.
  bool whole() const {
    return quantity == Quantity::angular_velocity || quantity == Quantity::energy ||
           quantity == Quantity::kinetic_energy;
  }
  bool in_material() const { return quantity == Quantity::stress || quantity == Quantity::strain; }
  bool operator==(const OutputSpec&) const = default;
  static constexpr auto rules() {
    return std::array{needs("gain", "wav"), only("quantity", {"force"}, "from"),
                      only("quantity", {"stress", "strain"}, "component")};
  }
  static constexpr auto fields() {
    using T = OutputSpec;
    return field_rows(
        required("probe", &T::probe,
                 "name of a body, or of a joint whose coordinate is recorded: elbow, or "
                 "bearing.slide if the joint has several"),
        field("name", &T::name, "name in results; made of body and place when not given"),
        field("at", &T::at, unit::m, kAnyNumber,
              "required for bodies: place along the body (modal, beam; there also start, end), "
              "degree of freedom (linear) or particle from 0, number of a coordinate or name of a "
              "point (lagrangian), place [x, y, z] in the frame of the body (rigid, pseudo-rigid), "
              "node, place in the undeformed mesh or set of one node (fem; a set of any number of "
              "nodes for reactions)"),
        field("direction", &T::direction,
              "direction of the component for a particle, a named point or a place on a body, of "
              "any length; along z when not given; of a force or torque its magnitude when not "
              "given"),
        field("from", &T::from,
              "only the contact force from this body, or from the world; from all bodies when not "
              "given"),
        field(
            "quantity", &T::quantity,
            "velocity: as measured by a magnetic pick-up; reaction: force at the prescribed degree "
            "of freedom `at`; for a node or a set of nodes (fem) their sum along `direction`; for "
            "a rigid body that is fixed or has prescribed motion the force that holds or moves it "
            "against its contacts and joints, without its own weight and inertia; for a joint: "
            "displacement is the coordinate, an angle over any number of turns, velocity "
            "its rate; force: on a body by its contacts, or by a joint on its second body; torque: "
            "by a joint on its second body, about the joint; both are means over a step, of a "
            "joint "
            "without its actuators, springs and stops; effort: "
            "torque or force of the motor, servo and given torque of a joint coordinate, mean over "
            "a "
            "step; power: effort times the rate of the coordinate; place: position of the point in "
            "space along `direction`, where displacement is measured from the start; "
            "angular_velocity: of a rigid body along `direction`; acceleration: of the point, mean "
            "over a step; energy, kinetic_energy: of the body, with the potential energy of its "
            "deformation and of constant gravity; stress, strain: Cauchy stress and Green strain "
            "at a point (fem) or of the body (pseudo-rigid), as stored in frames"),
        field("component", &T::component,
              "of a stress or strain, in space; von_mises is the default of a stress"),
        field("wav", &T::wav, "sound file to write"),
        field("csv", &T::csv, "table to write: t, value"),
        field(
            "modes", &T::modes,
            "audible: only modes below 0.45 of the rate contribute, since higher ones would alias"),
        field("gain", &T::gain, kPositive,
              "fixed scale factor of the sound file, in s/m (velocity) or 1/m; when not given the "
              "peak is scaled to -1 dBFS"));
  }
};
constexpr auto names_of(OutputSpec::Quantity) {
  using enum OutputSpec::Quantity;
  return std::array{NamedValue{velocity, "velocity"},
                    NamedValue{displacement, "displacement"},
                    NamedValue{reaction, "reaction"},
                    NamedValue{force, "force"},
                    NamedValue{torque, "torque"},
                    NamedValue{effort, "effort"},
                    NamedValue{power, "power"},
                    NamedValue{place, "place"},
                    NamedValue{angular_velocity, "angular_velocity"},
                    NamedValue{acceleration, "acceleration"},
                    NamedValue{energy, "energy"},
                    NamedValue{kinetic_energy, "kinetic_energy"},
                    NamedValue{stress, "stress"},
                    NamedValue{strain, "strain"}};
}
constexpr auto names_of(OutputSpec::Component) {
  using enum OutputSpec::Component;
  return std::array{NamedValue{von_mises, "von_mises"},
                    NamedValue{xx, "xx"},
                    NamedValue{yy, "yy"},
                    NamedValue{zz, "zz"},
                    NamedValue{xy, "xy"},
                    NamedValue{yz, "yz"},
                    NamedValue{zx, "zx"}};
}
constexpr auto names_of(OutputSpec::Modes) {
  using enum OutputSpec::Modes;
  return std::array{NamedValue{audible, "audible"}, NamedValue{all, "all"}};
}

/// Contents of the result file.
struct ResultsSpec {
  int frames = 200;
  std::optional<bool> contacts;
  bool every_step = true;
  int checkpoint_every = 0;
  double checkpoint_interval = 30.0;  ///< wall time [s]
  bool stress = false, strain = false, resultants = false;

  bool operator==(const ResultsSpec&) const = default;
  static constexpr auto fields() {
    using T = ResultsSpec;
    return field_rows(
        field("frames", &T::frames, kNotNegative,
              "number of stored states, evenly distributed over the run; 0 for none"),
        field("contacts", &T::contacts,
              "stored states contain the contacts and the start of the step that ends there; when "
              "not given: in scenes of up to 20000 shapes"),
        field("every_step", &T::every_step, "store ledger, solver and probe rows of every step"),
        field("checkpoint_every", &T::checkpoint_every, kNotNegative,
              "number of steps between checkpoints; further checkpoints are written by "
              "`checkpoint_interval`, at the start, on interruption or failure, and at the end; 0: "
              "only those"),
        field("checkpoint_interval", &T::checkpoint_interval, unit::s, kNotNegative,
              "wall time between checkpoints, longer if they would take more than a hundredth of "
              "the run; 0: none by time"),
        field("stress", &T::stress, "stored states contain the stress at the nodes of meshes"),
        field("strain", &T::strain,
              "stored states contain the Green-Lagrange strain at the nodes of meshes"),
        field("resultants", &T::resultants,
              "stored states contain force and moment on each face set on the surface of a mesh"));
  }
};

/// The reference motion against which `study` measures errors, if it is known.
struct ReferenceSpec {
  std::string file;

  bool operator==(const ReferenceSpec&) const = default;
  static constexpr auto fields() {
    return field_rows(required(
        "file", &ReferenceSpec::file,
        "CSV file with columns t [s] and one for each known output, headed by the output's name"));
  }
};

struct SceneSpec {
  int saltus = kSceneVersion;
  std::string title;
  TimeSpec time;
  std::optional<EventSpec> events;
  ContactOptions contact;
  SolverSpec solver;
  std::optional<OnFailure> on_failure;
  std::variant<std::array<double, 3>, GravityCourse> gravity = std::array{0.0, 0.0, 0.0};
  std::optional<GroundSpec> ground;
  std::optional<Planar> planar;
  std::vector<BodySpec> bodies;
  std::vector<SurfaceLawSpec> surfaces;
  std::vector<std::vector<std::string>> ignore;
  std::vector<ContactSpec> contacts;
  JointOptions joint;
  std::vector<JointSpec> joints;
  std::vector<CouplingSpec> couplings;
  std::vector<OutputSpec> outputs;
  ResultsSpec results;
  std::optional<ReferenceSpec> reference;
  std::optional<StartSpec> start;
  std::optional<std::vector<PhaseSpec>> phases;

  /// Gravity that is constant; 0 if it changes in time.
  std::array<double, 3> steady_gravity() const {
    const auto* constant = std::get_if<std::array<double, 3>>(&gravity);
    return constant ? *constant : std::array{0.0, 0.0, 0.0};
  }
  bool operator==(const SceneSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = SceneSpec;
    return field_rows(
        required("saltus", &T::saltus, "version of the scene format: 1"),
        field("title", &T::title, "title, one line"),
        required("time", &T::time, "end time, step and mode of the integration"),
        field("events", &T::events,
              "options of event-driven integration; only with `time.mode: events`"),
        field("contact", &T::contact, "contact detection"),
        field("solver", &T::solver, "solver of the contact problems"),
        field("on_failure", &T::on_failure,
              "action when a step does not converge: stop the run, halve the step, or accept it "
              "and continue; when not given: halve where every scheme can change its step"),
        field("gravity", &T::gravity, unit::m_per_s2, kAnyNumber,
              "acceleration of gravity on all bodies in space: rigid, pseudo-rigid, particles, "
              "beams, finite elements; constant, or a table or file as function of time"),
        field("ground", &T::ground,
              "acceleration of the ground, an accelerogram: positions are relative to the ground, "
              "and each of these bodies feels the opposite acceleration"),
        field("planar", &T::planar,
              "the plane in which all rigid bodies move; motion in space when not given"),
        required("bodies", &T::bodies, "the bodies of the scene"),
        field("surfaces", &T::surfaces,
              "contact laws between the materials of shapes; the first matching entry applies, and "
              "there is no contact between materials without a matching entry; beams, particles "
              "and modal bodies have no surface"),
        field("ignore", &T::ignore,
              "pairs [a, b] of bodies between whose surfaces no contact is detected"),
        field("contacts", &T::contacts, "contacts of points with a given obstacle or body"),
        field("joint", &T::joint, "enforcement of joint constraints"),
        field("joints", &T::joints, "joints between bodies, or between a body and the world"),
        field("couplings", &T::couplings, "relations between coordinates of joints: gears, screws"),
        field("outputs", &T::outputs, "recorded quantities"),
        field("results", &T::results, "contents of the result file"),
        field("reference", &T::reference,
              "the exact motion, for `study`; the finest run of the study when not given"),
        field(
            "start", &T::start,
            "the state of a former run from which bodies of the same name start; time begins at 0"),
        field("phases", &T::phases,
              "parts of the run, one after the other, between which holds, loads, gravity, drives, "
              "contacts or laws change while the bodies move on"));
  }
};

/// Throws the SceneErrors of a spec: ranges, missing and contradictory entries; if there are none,
/// the first unknown body name. A spec that was read from a file has already passed.
void check(const SceneSpec& spec);
/// As above, but adds the errors to `faults`. Entries that depend on a faulty entry are not
/// checked.
void check(const SceneSpec& spec, Faults& faults);

/// Fills in missing names of contacts, joints, couplings and outputs and missing schemes; never
/// renames.
void complete(SceneSpec& spec);

/// A place as text for users: "0.82 m" on a modal body, else "3", "bob" or "[0.1, 0, 0.2]".
std::string place_text(const PlaceSpec& at, BodyKind kind);

/// Number of steps from 0 to time.end: the nearest whole number, at least 1.
long long step_count(const TimeSpec& time);

}  // namespace saltus
