// Bodies in a scene file. All values SI; SceneSpec (spec.h) contains them.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "saltus/base/options.h"
#include "saltus/schemes/options.h"
#include "saltus/spec/beam_spec.h"
#include "saltus/spec/damping_spec.h"
#include "saltus/spec/fem_spec.h"
#include "saltus/spec/lagrangian_spec.h"
#include "saltus/spec/linear_spec.h"
#include "saltus/spec/particles_spec.h"
#include "saltus/spec/pseudo_rigid_spec.h"
#include "saltus/spec/rigid_spec.h"
#include "saltus/spec/signal_spec.h"

namespace saltus {

/// A stiff string hinged at both ends; modes from formulas or from a table.
struct StringSpec {
  enum class Dispersion { hinged, first_order };

  double length = 0.0;
  std::optional<double> tension;
  double linear_density = 0.0;
  double inharmonicity = 0.0;
  int modes = 0;
  Dispersion dispersion = Dispersion::hinged;
  std::optional<DampingSpec> damping;
  std::optional<std::string> table;

  bool operator==(const StringSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{exactly_one("tension", "table"), at_most_one("table", "damping")};
  }
  static constexpr auto fields() {
    using T = StringSpec;
    return field_rows(
        required("length", &T::length, unit::m, kPositive, "distance between the ends"),
        field("tension", &T::tension, unit::N, kPositive, "tension at rest"),
        required("linear_density", &T::linear_density, unit::kg_per_m, kPositive,
                 "mass per length"),
        field("inharmonicity", &T::inharmonicity, kNotNegative,
              "B in nu_j = j f0 sqrt(1 + B j^2); 0 is a flexible string"),
        required("modes", &T::modes, at_least(1), "number of modes"),
        field("dispersion", &T::dispersion,
              "hinged: nu_j = j f0 sqrt(1 + B j^2); first-order: j f0 (1 + B j^2/2), "
              "its expansion, for comparison"),
        field("damping", &T::damping, "damping; no losses when not given"),
        field("table", &T::table,
              "CSV file with columns j, nu_j [Hz], sigma_j [1/s]; replaces tension, "
              "inharmonicity and damping"));
  }
};
constexpr auto names_of(StringSpec::Dispersion) {
  using enum StringSpec::Dispersion;
  return std::array{NamedValue{hinged, "hinged"}, NamedValue{first_order, "first-order"}};
}

/// A straight elastic bar, described by its modes.
struct BarSpec {
  enum class Motion { longitudinal, bending };
  enum class Ends { fixed_free, free_free, fixed_fixed, hinged_hinged };

  Motion motion = Motion::longitudinal;
  Ends ends = Ends::fixed_free;
  double length = 0.0, young = 0.0, density = 0.0, area = 0.0;
  std::optional<double> second_moment;
  int modes = 0;
  std::optional<DampingSpec> damping;

  /// Number of rigid-body modes, which come before the elastic ones.
  int rigid_modes() const {
    return ends != Ends::free_free ? 0 : motion == Motion::bending ? 2 : 1;
  }
  bool operator==(const BarSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = BarSpec;
    return field_rows(
        required("motion", &T::motion, "longitudinal, or bending (Euler-Bernoulli)"),
        required("ends", &T::ends,
                 "supports of the two ends; fixed ends of a bending bar are clamped"),
        required("length", &T::length, unit::m, kPositive, "distance between the ends"),
        required("young", &T::young, unit::Pa, kPositive, "Young's modulus"),
        required("density", &T::density, unit::kg_per_m3, kPositive, "density of the material"),
        required("area", &T::area, unit::m2, kPositive, "area of the cross section"),
        field("second_moment", &T::second_moment, unit::m4, kPositive,
              "second moment of area of the cross section; bending only"),
        required("modes", &T::modes, at_least(1), "number of elastic modes"),
        field("damping", &T::damping, "damping; no losses when not given"));
  }
};
constexpr auto names_of(BarSpec::Motion) {
  using enum BarSpec::Motion;
  return std::array{NamedValue{longitudinal, "longitudinal"}, NamedValue{bending, "bending"}};
}
constexpr auto names_of(BarSpec::Ends) {
  using enum BarSpec::Ends;
  return std::array{
      NamedValue{fixed_free, "fixed-free"},   NamedValue{free_free, "free-free"},
      NamedValue{fixed_fixed, "fixed-fixed"}, NamedValue{hinged_hinged, "hinged-hinged"},
      NamedValue{fixed_free, "clamped-free"}, NamedValue{fixed_fixed, "clamped-clamped"}};
}

/// Any body described by its modes: from a file, or as lists of equal length.
struct ModesSpec {
  std::optional<std::string> file;
  std::vector<double> omega, sigma, mass;
  std::optional<std::string> shapes;

  bool operator==(const ModesSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{exactly_one("file", "omega"), at_most_one("file", "sigma"),
                      at_most_one("file", "mass")};
  }
  static constexpr auto fields() {
    using T = ModesSpec;
    return field_rows(
        field("file", &T::file,
              "CSV file with columns omega [rad/s], sigma [1/s], mass [kg], one row per mode"),
        field("omega", &T::omega, unit::rad_per_s, kNotNegative,
              "undamped angular frequency of each mode"),
        field("sigma", &T::sigma, unit::per_s, kNotNegative,
              "decay rate of each mode; 0 when not given"),
        field("mass", &T::mass, unit::kg, kPositive, "modal mass of each mode; 1 when not given"),
        field("shapes", &T::shapes,
              "CSV file, one row per point: x [m], then the value of each mode; required by "
              "contacts and probes"));
  }
};

/// String displaced into a triangle by a pull at one point, released at rest.
struct PluckSpec {
  double at = 0.0, height = 0.0;

  bool operator==(const PluckSpec&) const = default;
  static constexpr auto fields() {
    using T = PluckSpec;
    return field_rows(
        required("at", &T::at, unit::m, kPositive, "place of the tip, from the first end"),
        required("height", &T::height, unit::m, kAnyNumber,
                 "displacement of the tip along `direction`"));
  }
};

/// Coordinates and their velocities at t = 0.
struct InitialSpec {
  std::optional<std::vector<double>> coordinates, velocities;
  std::optional<double> velocity;
  std::optional<std::string> file;
  std::optional<int> column, velocity_column;

  bool operator==(const InitialSpec&) const = default;
  static constexpr auto rules() {
    return std::array{at_least_one("coordinates", "velocities", "velocity", "file"),
                      at_most_one("file", "coordinates"),
                      at_most_one("file", "velocities", "velocity"), needs("column", "file"),
                      needs("velocity_column", "file")};
  }
  static constexpr auto fields() {
    using T = InitialSpec;
    return field_rows(
        field("coordinates", &T::coordinates,
              "q of each mode or degree of freedom; 0 when not given"),
        field("velocities", &T::velocities,
              "dq/dt of each mode or degree of freedom; 0 when not given"),
        field("velocity", &T::velocity, unit::m_per_s, kAnyNumber,
              "the same dq/dt for all degrees of freedom; kind linear"),
        field("file", &T::file, "CSV file, one row per mode or degree of freedom"),
        field("column", &T::column, at_least(1),
              "column of the file that contains q, counted from 1; 1 when no column is given"),
        field("velocity_column", &T::velocity_column, at_least(1),
              "column of the file that contains dq/dt, counted from 1; without `column` the body "
              "starts undeformed"));
  }
};

/// Damping C = mass M + stiffness K, in addition to the damping of the body.
struct RayleighSpec {
  double mass = 0.0, stiffness = 0.0;

  bool operator==(const RayleighSpec&) const = default;
  static constexpr auto fields() {
    using T = RayleighSpec;
    return field_rows(
        field("mass", &T::mass, unit::per_s, kNotNegative, "r_K in C = r_M M + r_K K"),
        field("stiffness", &T::stiffness, unit::s, kNotNegative, "r_K"));
  }
};

/// Kind of a body; each kind has its own entries in BodySpec.
enum class BodyKind { modal, linear, lagrangian, particles, rigid, pseudo_rigid, fem, beam };
constexpr auto names_of(BodyKind) {
  using enum BodyKind;
  return std::array{NamedValue{modal, "modal"},
                    NamedValue{linear, "linear"},
                    NamedValue{lagrangian, "lagrangian"},
                    NamedValue{particles, "particles"},
                    NamedValue{rigid, "rigid"},
                    NamedValue{pseudo_rigid, "pseudo-rigid"},
                    NamedValue{fem, "fem"},
                    NamedValue{beam, "beam"}};
}

/// One body and its time-stepping scheme.
/// 0xrrggbb of "#rrggbb" or of a name; -1: none of these.
int colour_of(std::string_view text);

struct BodySpec {
  std::string name;
  BodyKind kind = BodyKind::modal;
  std::optional<StringSpec> string;
  std::optional<BarSpec> bar;
  std::optional<ModesSpec> modes;
  std::optional<OscillatorSpec> oscillator;
  std::optional<ChainSpec> chain;
  std::optional<MeshSpec> mesh;
  std::optional<MatricesSpec> matrices;
  std::optional<PendulumSpec> pendulum;
  std::optional<NPendulumSpec> n_pendulum;
  std::optional<DuffingSpec> duffing;
  std::optional<SpringPendulumSpec> spring_pendulum;
  std::optional<PlanetSpec> planet;
  std::optional<PlanarRodSpec> planar_rod;
  std::optional<SliderCrankSpec> slider_crank;
  std::optional<StvkBarSpec> stvk_bar;
  std::optional<Tangents> tangents;
  std::optional<ParticlesSpec> particles;
  std::optional<RigidSpec> rigid;
  std::optional<PseudoRigidSpec> pseudo_rigid;
  std::optional<FemSpec> fem;
  std::optional<BeamSpec> beam;
  std::optional<SchemeChoice> scheme;
  std::optional<RayleighSpec> rayleigh;
  std::vector<LoadSpec> loads;
  std::vector<PrescribedSpec> prescribed;
  std::optional<PluckSpec> pluck;
  std::optional<InitialSpec> initial;
  std::array<double, 3> origin{0, 0, 0}, axis{1, 0, 0}, direction{0, 0, 1};
  std::optional<std::string> colour;

  /// The body is integrated by a scheme: it is not rigid with `fixed` or prescribed motion.
  bool integrated() const { return !rigid || rigid->free(); }
  /// The given scheme, or the default of the kind.
  SchemeChoice chosen_scheme() const;
  bool operator==(const BodySpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{
        only("kind", {"modal"}, "string", "bar", "modes", "pluck"),
        only("kind", {"linear"}, "oscillator", "chain", "mesh", "matrices"),
        only("kind", {"lagrangian"}, "pendulum", "n_pendulum", "duffing", "spring_pendulum",
             "planet", "planar_rod", "slider_crank", "stvk_bar", "tangents"),
        only("kind", {"particles"}, "particles"),
        only("kind", {"rigid"}, "rigid"),
        only("kind", {"pseudo-rigid"}, "pseudo_rigid"),
        only("kind", {"fem"}, "fem"),
        only("kind", {"beam"}, "beam"),
        only("kind", {"modal", "linear", "lagrangian"}, "initial"),
        only("kind", {"linear", "lagrangian", "particles"}, "prescribed"),
        where("kind", {"modal"}, exactly_one("string", "bar", "modes")),
        where("kind", {"linear"}, exactly_one("oscillator", "chain", "mesh", "matrices")),
        where("kind", {"lagrangian"},
              exactly_one("pendulum", "n_pendulum", "duffing", "spring_pendulum", "planet",
                          "planar_rod", "slider_crank", "stvk_bar")),
        where("kind", {"particles"}, exactly_one("particles")),
        where("kind", {"rigid"}, exactly_one("rigid")),
        where("kind", {"pseudo-rigid"}, exactly_one("pseudo_rigid")),
        where("kind", {"fem"}, exactly_one("fem")),
        where("kind", {"beam"}, exactly_one("beam")),
        at_most_one("pluck", "initial")};
  }
  static constexpr auto fields() {
    using T = BodySpec;
    return field_rows(
        required("name", &T::name, "unique name; contacts and outputs refer to it"),
        required(
            "kind", &T::kind,
            "modal: described by its modes; linear: described by its matrices; lagrangian: a "
            "mechanism in generalised coordinates; particles: point masses; rigid: rigid bodies "
            "with shapes; pseudo-rigid: bodies with shapes and homogeneous deformation; fem: "
            "meshes of finite elements; beam: thin beams with large bending"),
        field("string", &T::string, "a string hinged at both ends"),
        field("bar", &T::bar, "a straight elastic bar"),
        field("modes", &T::modes, "any body described by its modal data"),
        field("oscillator", &T::oscillator, "one mass with a spring and a dashpot"),
        field("chain", &T::chain, "equal masses on a line, connected by springs and dashpots"),
        field("mesh", &T::mesh,
              "a straight elastic bar of finite elements that moves along `axis`"),
        field("matrices", &T::matrices, "any linear system, described by its matrices"),
        field("pendulum", &T::pendulum,
              "a bob on a rod with its pivot at `origin`: q = angle [rad] from the downward "
              "vertical, positive towards x; point: bob"),
        field("n_pendulum", &T::n_pendulum,
              "bobs on rods, each suspended from the previous one: q = angles [rad] from the "
              "vertical; points: bob_0, bob_1, ..."),
        field("duffing", &T::duffing, "m q'' + c q' + k q + k3 q^3 = F along z; point: mass"),
        field("spring_pendulum", &T::spring_pendulum,
              "a bob on a spring fixed at `origin`: q = (x, z) [m] from there; point: bob"),
        field("planet", &T::planet,
              "a mass attracted by a fixed centre: q = (x, z) [m]; point: planet"),
        field("planar_rod", &T::planar_rod,
              "a thin rigid rod in the x-z plane: q = (x, z, angle from x); points: rear, front, "
              "centre"),
        field("slider_crank", &T::slider_crank,
              "crank, connecting rod and slider: q = their angles [rad] from x; points: the "
              "corners of the slider"),
        field("stvk_bar", &T::stvk_bar,
              "a bar of St Venant-Kirchhoff material fixed at x = 0: q = displacements [m] of the "
              "free nodes; points: node_1, node_2, ..."),
        field("tangents", &T::tangents,
              "tangents of a lagrangian body: provided by the model, or finite differences of its "
              "forces"),
        field("particles", &T::particles, "point masses with springs, gravity and drag"),
        field("rigid", &T::rigid, "a rigid body, or many equal ones"),
        field("pseudo_rigid", &T::pseudo_rigid,
              "a body that rotates, stretches and shears homogeneously, or many equal ones"),
        field("fem", &T::fem, "a mesh of finite elements"),
        field("beam", &T::beam, "a thin elastic beam, straight when undeformed"),
        field("scheme", &T::scheme,
              "time-stepping scheme of the body; when not given: modal-exact for kind modal, "
              "rig-mid for kind rigid, def-lim for kinds pseudo-rigid and fem (with fem.modes.at "
              "modal-exact, with fem.modes.keep moreau-jean), else moreau-jean"),
        field("rayleigh", &T::rayleigh, "damping proportional to mass and stiffness"),
        field("loads", &T::loads,
              "forces as functions of time; kind modal accepts constant forces only"),
        field("prescribed", &T::prescribed, "degrees of freedom with prescribed motion"),
        field("pluck", &T::pluck, "displaced into a triangle and released at rest"),
        field("initial", &T::initial, "state at t = 0; at rest and undeformed when not given"),
        field("origin", &T::origin, unit::m, kAnyNumber,
              "position of the first end, of the oscillator at q = 0, of a pivot"),
        field("axis", &T::axis,
              "direction of the body, of any length: x of frets, probes and plucks is measured "
              "along it; chain and mesh move along it"),
        field("direction", &T::direction,
              "direction of the displacement, of any length; longitudinal bars move along `axis`"),
        field("colour", &T::colour,
              "in pictures: #rrggbb, or black, blue, brown, cyan, green, grey, magenta, orange, "
              "pink, purple, red, white, yellow"));
  }
};

}  // namespace saltus
