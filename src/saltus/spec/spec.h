// The scene as written: plain structs that mirror the YAML file one to one, all values SI.
//
// Filled by scene_file/scene_yaml.h from a file, or in code; build() turns a SceneSpec into a
// Model. Names left out are filled in by complete(), so that a spec that was read always carries
// them.
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

namespace saltus {

class Faults;

/// The version of the scene format this program reads.
inline constexpr int kSceneVersion = 1;

/// Who says how the bodies are carried. automatic: mode, schemes and step are those that keep a
/// tolerance at least cost (study/auto_choice.h), and `tolerance` is that of the whole run.
enum class TimeScheme { bodies, automatic };
constexpr auto names_of(TimeScheme) {
  using enum TimeScheme;
  return std::array{NamedValue{bodies, "bodies"}, NamedValue{automatic, "auto"}};
}

/// How long and how fine.
struct TimeSpec {
  double end = 0.0;
  std::optional<double> rate, step;
  std::optional<TimeMode> mode;
  std::optional<double> tolerance;
  TimeScheme scheme = TimeScheme::bodies;

  bool automatic() const { return scheme == TimeScheme::automatic; }
  /// Step [s]; where it is chosen by the program the distance of rows, a 200th of the run when not
  /// given.
  double h() const {
    if (rate) return 1.0 / *rate;
    return step.value_or(automatic() ? end / 200.0 : 0.0);
  }
  TimeMode chosen_mode() const { return mode.value_or(TimeMode::stepping); }
  bool operator==(const TimeSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{where("scheme", {"bodies"}, exactly_one("rate", "step")),
                      where("scheme", {"auto"}, at_most_one("rate", "step"))};
  }
  static constexpr auto fields() {
    using T = TimeSpec;
    return field_rows(
        required("end", &T::end, unit::s, kPositive,
                 "the run goes from 0 to here, in whole steps: to the nearest one"),
        field("rate", &T::rate, unit::Hz, kPositive, "steps per second"),
        field("step", &T::step, unit::s, kPositive, "length of a step"),
        field("mode", &T::mode,
              "who carries the motion over a step: stepping, when not given, are the "
              "schemes of the bodies; events are integrators of high order that stop "
              "at every impact, lift-off, stick and slip"),
        field("tolerance", &T::tolerance, Range{.low = 0.0, .high = 0.1, .low_open = true},
              "error of a step of the integrator, relative to what moves in it: 1e-9 "
              "in event-driven integration when not given; in time stepping a step is "
              "covered with as many as keep it, and with one when not given; with `scheme: auto` "
              "that of the whole run"),
        field(
            "scheme", &T::scheme,
            "bodies: each has its own; auto: the program chooses mode, schemes and step that keep "
            "`tolerance` over the run, and estimates the error, `step` is then the longest "
            "distance of rows, a 200th of the run when not given"));
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
        field("method", &T::method,
              "integrator between events; auto takes it by tolerance, and by how stiff the forces "
              "are"),
        field("impacts", &T::impacts,
              "how contacts that touch at one instant share an impact: the law of each holds on "
              "the velocities behind it; one after the other, the fastest first; or their impulses "
              "grow together, and each gives back restitution^2 of the work that it took in"),
        field("zeno", &T::zeno, unit::m, kNotNegative,
              "bounces lower than this are summed up to the end of their Zeno sequence; 0: never"),
        field("limit", &T::limit, at_least(1), "most events in a step of `time`"),
        field("closed", &T::closed, at_least(0), "most contacts that stick or slide"),
        field("hand_over", &T::hand_over,
              "beyond `limit` or `closed` the schemes of the bodies step until it is quieter; "
              "false: the run fails"));
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
              "of the step at which gaps and normals are taken; where all laws between shapes are "
              "forces "
              "and all contacts as well, the middle"),
        field("margin", &T::margin, unit::m, kNotNegative,
              "contacts of shapes are known from this gap on; when not given a hundredth of the "
              "smallest moving shape, a quarter of it in event-driven integration"),
        field("correct_positions", &T::correct_positions,
              "after each step shapes that penetrate are moved apart within what joints allow, "
              "velocities left alone but for those joints; the work is booked as projection; "
              "points of `contacts` are not moved"));
  }
};

/// The solver of the contact problems.
struct SolverSpec {
  std::string kind = "auto";
  std::optional<double> tolerance;
  int iterations = 10000;

  bool operator==(const SolverSpec&) const = default;
  static constexpr auto fields() {
    using T = SolverSpec;
    return field_rows(
        field("kind", &T::kind,
              "name of the solver; auto takes the one that suits the laws and the size"),
        field("tolerance", &T::tolerance, kPositive,
              "relative residual of the contact problem; when not given 1e-4 where more than 50 "
              "bodies lie in a heap or more than 20 that touch deform (up to 1e-3, with a warning, "
              "where auto comes no closer), 1e-9 where "
              "shapes touch each other, 1e-12 elsewhere"),
        field("iterations", &T::iterations, at_least(1), "largest number of iterations or pivots"));
  }
};

/// A microphone on a body.
struct OutputSpec {
  enum class Quantity { velocity, displacement, reaction };
  enum class Modes { audible, all };

  std::string probe, name;
  std::optional<PlaceSpec> at;
  std::optional<std::array<double, 3>> direction;
  Quantity quantity = Quantity::velocity;
  std::optional<std::string> wav, csv;
  Modes modes = Modes::audible;
  std::optional<double> gain;

  bool operator==(const OutputSpec&) const = default;
  static constexpr auto rules() { return std::array{needs("gain", "wav")}; }
  static constexpr auto fields() {
    using T = OutputSpec;
    return field_rows(
        required("probe", &T::probe,
                 "name of a body, or of a joint, whose coordinate is heard: elbow, or "
                 "bearing.slide where it has several"),
        field("name", &T::name, "in results; made of body and place when not given"),
        field("at", &T::at, unit::m, kAnyNumber,
              "must be given for bodies: place along the body (modal, beam; there also start, "
              "end), degree of freedom (linear) or particle from 0, number of a coordinate or name "
              "of a point (lagrangian), place [x, y, z] in the frame of the body (rigid, "
              "pseudo-rigid), node, place in the undeformed mesh or set of one node (fem; of any "
              "number for reactions)"),
        field("direction", &T::direction,
              "of the component of a particle, a named point or a place on a body, of any length; "
              "along z when not given"),
        field("quantity", &T::quantity,
              "velocity is what a magnetic pick-up senses; reaction is the force that holds the "
              "prescribed degree of freedom `at`, of a node or a set of nodes (fem) their sum "
              "along `direction`; of a joint: displacement is the coordinate, an "
              "angle of it over any number of turns, velocity its rate"),
        field("wav", &T::wav, "sound file to write"),
        field("csv", &T::csv, "table to write: t, value"),
        field("modes", &T::modes,
              "audible: only modes below 0.45 of the rate enter, higher ones would alias"),
        field("gain", &T::gain, kPositive,
              "fixed factor of the sound file, in s/m (velocity) or 1/m; the peak is put at -1 "
              "dBFS when not given"));
  }
};
constexpr auto names_of(OutputSpec::Quantity) {
  using enum OutputSpec::Quantity;
  return std::array{NamedValue{velocity, "velocity"}, NamedValue{displacement, "displacement"},
                    NamedValue{reaction, "reaction"}};
}
constexpr auto names_of(OutputSpec::Modes) {
  using enum OutputSpec::Modes;
  return std::array{NamedValue{audible, "audible"}, NamedValue{all, "all"}};
}

/// What the result file holds.
struct ResultsSpec {
  int frames = 200;
  std::optional<bool> contacts;
  bool every_step = true;
  int checkpoint_every = 0;
  bool stress = false, strain = false, resultants = false;

  bool operator==(const ResultsSpec&) const = default;
  static constexpr auto fields() {
    using T = ResultsSpec;
    return field_rows(
        field("frames", &T::frames, kNotNegative, "stored states, evenly over the run; 0 for none"),
        field("contacts", &T::contacts,
              "stored states hold the contacts and the start of the step that ends there; not "
              "given: in scenes of up to 20000 shapes"),
        field("every_step", &T::every_step, "store ledger, solver and probe rows of every step"),
        field(
            "checkpoint_every", &T::checkpoint_every, kNotNegative,
            "steps between checkpoints, beside those of every 30 s of wall time, when interrupted "
            "or failed, and at the end; 0: those alone"),
        field("stress", &T::stress, "stored states hold the stress at the nodes of meshes"),
        field("strain", &T::strain, "stored states hold Green's strain at the nodes of meshes"),
        field("resultants", &T::resultants,
              "stored states hold force and moment on each face set on the surface of a mesh"));
  }
};

/// The motion that `study` measures errors against, where it is known.
struct ReferenceSpec {
  std::string file;

  bool operator==(const ReferenceSpec&) const = default;
  static constexpr auto fields() {
    return field_rows(required(
        "file", &ReferenceSpec::file,
        "CSV file with columns t [s] and one for each output it knows, under the output's name"));
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
  std::array<double, 3> gravity{0, 0, 0};
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

  bool operator==(const SceneSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = SceneSpec;
    return field_rows(
        required("saltus", &T::saltus, "version of the scene format: 1"),
        field("title", &T::title, "one line"), required("time", &T::time, "how long and how fine"),
        field("events", &T::events, "event-driven integration, with `time.mode: events` only"),
        field("contact", &T::contact, "how contacts are found"),
        field("solver", &T::solver, "solver of the contact problems"),
        field(
            "on_failure", &T::on_failure,
            "when a step does not converge: stop the run, halve the step, or go on; when it is not "
            "given: stop, in heaps halve"),
        field("gravity", &T::gravity, unit::m_per_s2, kAnyNumber,
              "on all bodies in space: rigid, pseudo-rigid, particles, beams, finite elements"),
        field("planar", &T::planar,
              "the plane in which all rigid bodies move; in space when not given"),
        required("bodies", &T::bodies, "what moves"),
        field(
            "surfaces", &T::surfaces,
            "laws between the materials of shapes; the first entry that fits two materials counts, "
            "and those that none fits never touch; beams, particles and bodies by their modes have "
            "no surface"),
        field("ignore", &T::ignore, "pairs [a, b] of bodies whose surfaces never touch each other"),
        field("contacts", &T::contacts, "points that may touch a given obstacle or body"),
        field("joint", &T::joint, "how joints are held"),
        field("joints", &T::joints, "what holds bodies to each other and to the world"),
        field("couplings", &T::couplings, "relations between coordinates of joints: gears, screws"),
        field("outputs", &T::outputs, "what to listen to"),
        field("results", &T::results, "what the result file holds"),
        field("reference", &T::reference,
              "the exact motion, for `study`; its own finest run when not given"));
  }
};

/// Throws the SceneErrors in a spec: ranges, missing and contradictory entries; where there are
/// none the first of unknown bodies. A spec that was read from a file has passed already.
void check(const SceneSpec& spec);
/// The same; adds them to `faults`. What an entry with a fault would mean to others is not checked.
void check(const SceneSpec& spec, Faults& faults);

/// Fills in the names of contacts, joints, couplings and outputs and the schemes that the scene
/// leaves out; never renames.
void complete(SceneSpec& spec);

/// A place as people read it: "0.82 m" on a modal body, else "3", "bob" or "[0.1, 0, 0.2]".
std::string place_text(const PlaceSpec& at, BodyKind kind);

/// Number of steps from 0 to time.end: the nearest whole number, at least 1.
long long step_count(const TimeSpec& time);

}  // namespace saltus
