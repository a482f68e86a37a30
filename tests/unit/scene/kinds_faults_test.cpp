// What can be wrong with bodies of the kinds linear, lagrangian and particles, with their contacts, outputs and schemes:
// each row is a scene and the whole message.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "support/data_folder.h"
#include "support/fault_rows.h"

using namespace saltus;

namespace {

/// The data files that the scenes name.
struct KindsFiles : saltus_test::DataFolder {
  KindsFiles() {
    write("k.csv", "2,-1\n-1,2\n");
    write("rect.csv", "1,2\n");
    write("back.csv", "0,1\n1,2\n0.5,3\n");
    write("one.csv", "0,1\n");
    write("massless.csv", "0,0,0,1\n");
    write("balls.csv", "1,0,0,1\n2,0,0,2\n");
    write("m.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 1\n2 2 2\n");
  }
};

void expect_faults(const std::vector<saltus_test::FaultRow>& rows) {
  const KindsFiles folder;
  saltus_test::expect_faults("s", rows, [&](const std::string& text) {
    build(read_scene_text(text, "s", {}, folder.path));
  });
}

/// A scene of bodies, in line 3 from column 10 on, and what stands in line 4.
std::string body(const std::string& bodies, const std::string& rest = "") {
  return "saltus: 1\ntime: {end: 0.1, step: 1 ms}\nbodies: [" + bodies + "]\n" + rest + "\n";
}
const std::string kOscillator = "{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}}";
const std::string kChain =
    "{name: a, kind: linear, chain: {masses: 3, mass: 1, stiffness: 1, ends: free-free}}";
const std::string kPendulum = "{name: a, kind: lagrangian, pendulum: {length: 1}}";
const std::string kString =
    "{name: a, kind: modal, string: {length: 1, tension: 1, linear_density: 1, modes: 3}}";
const std::string kBall =
    "{name: a, kind: particles, particles: {mass: [1], positions: [[0, 0, 1]]}}";
}  // namespace

TEST_CASE("bodies name the entries that their kind has, and those that it lacks") {
  expect_faults({
      {body("{name: a, kind: linear}"),
       "3:10: bodies[0]: a key is missing; give exactly one of oscillator, chain, mesh, matrices"},
      {body(
           "{name: a, kind: linear, string: {length: 1, tension: 1, linear_density: 1, modes: 2}}"),
       "3:34: bodies[0].string: is for kind modal, not for linear; kind linear has oscillator, "
       "chain, mesh, matrices, initial, prescribed"},
      {body("{name: a, kind: particles}"), "3:10: bodies[0]: `particles` is missing"},
      {body("{name: a, kind: linear, oscillator: {mass: 1}, chain: {masses: 2, mass: 1, stiffness: "
            "1, ends: free-free}}"),
       "3:57: bodies[0].chain: cannot be given together with `oscillator`; give exactly one of "
       "oscillator, chain, mesh, matrices"},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, axis: [0, 1, 0]}"),
       "3:71: bodies[0].axis: has no meaning for this body; leave it out"},
      {body("{name: a, kind: lagrangian}"),
       "3:10: bodies[0]: a key is missing; give exactly one of pendulum, n_pendulum, duffing, "
       "spring_pendulum, planet, planar_rod, slider_crank, stvk_bar"},
      {body("{name: a, kind: lagrangian, n_pendulum: {mass: [1, 1], length: [1]}}"),
       "3:65: bodies[0].n_pendulum.length: has 1 entries, `mass` has 2; one rod per bob"},
      {body("{name: a, kind: lagrangian, planet: {}}"),
       "3:10: bodies[0]: the forces on the body at the start are not finite; give it another "
       "place: `initial`, or particles.positions"},
      {body("{name: a, kind: lagrangian, pendulum: {length: 1}, direction: [1, 0, 0]}"),
       "3:61: bodies[0].direction: has no meaning for this body; leave it out"},
      {body("{name: a, kind: particles, particles: {mass: [1], positions: [[0, 0, 1]]}, origin: "
            "[1, 0, 0]}"),
       "3:85: bodies[0].origin: has no meaning for this body; places are in particles.positions"},
      {body("{name: a, kind: linear, mesh: {elements: 1, length: 1 m, young: 200 GPa, density: "
            "8000, area: 1 cm^2, ends: fixed-fixed}}"),
       "3:51: bodies[0].mesh.elements: one element with both ends fixed cannot move; allowed: >= "
       "2"},
      {body("{name: a, kind: linear, chain: {masses: 3, mass: -1, stiffness: 1, ends: free-free}}"),
       "3:59: bodies[0].chain.mass: -1 kg is out of range; allowed: > 0 kg"},
      {body("{name: a, kind: linear, chain: {masses: 3, mass: 1, stiffness: 1}}"),
       "3:34: bodies[0].chain: `ends` is missing: which ends are fixed; a fixed end adds a spring "
       "and a dashpot to the end mass"},
      {body("{name: a, kind: linear, chain: {masses: 3, mass: 1, stiffness: 1, ends: free}}"),
       "3:82: bodies[0].chain.ends: 'free' is not known here; allowed: free-free, fixed-free, "
       "fixed-fixed"},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, rayleigh: {mass: -1}}"),
       "3:88: bodies[0].rayleigh.mass: -1 1/s is out of range; allowed: >= 0 1/s"},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, pluck: {at: 1, height: "
            "1}}"),
       "3:71: bodies[0].pluck: is for kind modal, not for linear; kind linear has oscillator, "
       "chain, mesh, matrices, initial, prescribed"},
      {body("{name: a, kind: lagrangian, pendulum: {lenght: 1}}"),
       "3:49: bodies[0].pendulum: unknown key `lenght`; did you mean `length`? allowed: mass, "
       "length, gravity, dashpot"},
      {body("{name: a, kind: lagrangian, pendulum: {length: 1}, string: {length: 1}}"),
       "3:61: bodies[0].string: `linear_density` is missing: mass per length", 3},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, tangents: given}"),
       "3:81: bodies[0].tangents: is for kind lagrangian, not for linear; kind linear has "
       "oscillator, chain, mesh, matrices, initial, prescribed"},
  });
}

TEST_CASE(
    "matrices are square, of one size, symmetric where they must be, and the row of a bad mass is "
    "named") {
  expect_faults({
      {body("{name: a, kind: linear, matrices: {mass: [[1, 2], [2, 1]], stiffness: [1, 1]}}"),
       "3:45: bodies[0].matrices.mass: is not positive definite: the factorisation encounters a "
       "pivot that is not positive in row 1 (counted from 0); every motion needs inertia"},
      {body("{name: a, kind: linear, matrices: {mass: [[1, 2], [3, 10]]}}"),
       "3:45: bodies[0].matrices.mass: is not symmetric: row 0, column 1 contains 2, row 1, column "
       "0 contains 3 (counted from 0); a mass matrix is symmetric and positive definite"},
      {body("{name: a, kind: linear, matrices: {mass: [1, 0]}}"),
       "3:45: bodies[0].matrices.mass: is not positive definite: the factorisation encounters a "
       "pivot that is not positive in row 1 (counted from 0); every motion needs inertia"},
      {body("{name: a, kind: linear, matrices: {mass: [1, 2], stiffness: [[1]]}}"),
       "3:59: bodies[0].matrices.stiffness: is 1 x 1, `mass` is 2 x 2; all matrices of a system "
       "have the same size"},
      {body("{name: a, kind: linear, matrices: {mass: [1, 2], stiffness: [[1, 2], [3]]}}"),
       "3:79: bodies[0].matrices.stiffness[1]: has 1 numbers, the matrix has 2 rows; matrices are "
       "square"},
      {body("{name: a, kind: linear, matrices: {mass: [1, 2], stiffness: [1, 2], damping: [1, 2, "
            "3]}}"),
       "3:78: bodies[0].matrices.damping: is 3 x 3, `mass` is 2 x 2; all matrices of a system have "
       "the same size"},
      {body("{name: a, kind: linear, matrices: {mass: 5}}"),
       "3:51: bodies[0].matrices.mass: '5' is not a list; written as [a, b, c], or as lines that "
       "start with `- `"},
      {body("{name: a, kind: linear, matrices: {mass: [1, 2], load: [1]}}"),
       "3:59: bodies[0].matrices.load: has 1 entries for 2 degrees of freedom; one per degree of "
       "freedom"},
      {body("{name: a, kind: linear, matrices: {mass: m.bin}}"),
       "3:51: bodies[0].matrices.mass: 'm.bin' has no extension that identifies its format; "
       "allowed: .mtx "
       "(Matrix Market), .npy, .csv, .txt"},
      {body("{name: a, kind: linear, matrices: {mass: []}}"),
       "3:45: bodies[0].matrices.mass: is empty; rows [[a, b], [c, d]], or a diagonal"},
      {body("{name: a, kind: linear, matrices: {mass: [1, 2], stiffness: rect.csv}}"),
       "3:70: bodies[0].matrices.stiffness: 'rect.csv' contains 1 x 2 numbers; a square matrix, or "
       "one column for a diagonal"},
      {body("{name: a, kind: linear, matrices: {mass: m.mtx, load: k.csv}}"),
       "3:64: bodies[0].matrices.load: 'k.csv' contains 2 x 2 numbers; one column"},
  });
}

TEST_CASE("loads, prescribed motions and initial states fit the degrees of freedom") {
  expect_faults({
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, initial: {coordinates: "
            "[1, 2]}}"),
       "3:81: bodies[0].initial.coordinates: has 2 entries for 1 degree of freedom; one per degree "
       "of freedom; missing ones at the end are 0"},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, loads: [{dof: 1, "
            "constant: 2}]}"),
       "3:85: bodies[0].loads[0].dof: 1 is out of range; allowed: 0"},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, loads: [{dof: 0}]}"),
       "3:79: bodies[0].loads[0]: a key is missing; give exactly one of constant, harmonic, table, "
       "file"},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, loads: [{pattern: [1, "
            "2], constant: 3}]}"),
       "3:80: bodies[0].loads[0].pattern: has 2 entries for 1 degree of freedom; one per degree of "
       "freedom"},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, loads: [{dof: 0, table: "
            "[[0, 1], [0, 2]]}]}"),
       "3:105: bodies[0].loads[0].table[1][0]: the time 0 s does not come after 0 s; times "
       "increase"},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, loads: [{dof: 0, table: "
            "[[0, 1]]}]}"),
       "3:88: bodies[0].loads[0].table: has one point; at least two [t, value]; or give "
       "`constant`"},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, loads: [{dof: 0, "
            "constant: 1, smooth: true}]}"),
       "3:109: bodies[0].loads[0].smooth: is for a table or a file; leave it out"},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, loads: [{particle: 0, "
            "direction: [0, 0, 1], constant: 1}]}"),
       "3:90: bodies[0].loads[0].particle: is for kind particles; give `dof` or `pattern`"},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, prescribed: [{dof: 0, "
            "constant: 1}]}"),
       "3:71: bodies[0].prescribed: prescribes every degree of freedom: none is left free; "
       "leave one out"},
      {body("{name: a, kind: linear, chain: {masses: 3, mass: 1, stiffness: 1, ends: free-free}, "
            "prescribed: [{dof: 3, constant: 1}]}"),
       "3:113: bodies[0].prescribed[0].dof: 3 is out of range; allowed: 0 to 2"},
      {body("{name: a, kind: linear, chain: {masses: 3, mass: 1, stiffness: 1, ends: free-free}, "
            "prescribed: [{dof: 1, constant: 1}, {dof: 1, constant: 2}]}"),
       "3:136: bodies[0].prescribed[1].dof: degree of freedom 1 is prescribed twice; one motion "
       "per degree of freedom"},
      {body("{name: a, kind: linear, chain: {masses: 3, mass: 1, stiffness: 1, ends: free-free}, "
            "prescribed: [{dof: 1, constant: 1}], initial: {coordinates: [0, 2]}}"),
       "3:141: bodies[0].initial.coordinates: gives degree of freedom 1 the place 2, but its "
       "prescribed motion starts at 1; give its initial value there"},
      {body("{name: a, kind: particles, particles: {mass: [1], positions: [[0, 0, 1]]}, initial: "
            "{coordinates: [1]}}"),
       "3:85: bodies[0].initial: is for kind modal, linear, lagrangian, not for particles; kind "
       "particles has particles, prescribed"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, loads: [{dof: 2, constant: 1}]}"),
       "3:71: bodies[0].loads[0].dof: 2 is out of range; allowed: 0 to 1"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, loads: [{dof: 1, harmonic: {amplitude: "
            "1, frequency: 1}}]}"),
       "3:74: bodies[0].loads[0].harmonic: kind modal accepts constant loads only; give "
       "`constant`, or write the body as kind linear"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, loads: [{at: 1, constant: 1}]}"),
       "3:70: bodies[0].loads[0].at: the body has no points: its modes have no shapes; give "
       "bodies[].modes.shapes, or `dof`"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, prescribed: [{dof: 1, constant: 1}]}"),
       "3:57: bodies[0].prescribed: is for kind linear, lagrangian, particles, not for modal; kind "
       "modal has string, bar, modes, pluck, initial"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, initial: {velocity: 3}}"),
       "3:77: bodies[0].initial.velocity: is for bodies of kind linear; give `velocities`"},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, loads: [{dof: 0, file: "
            "back.csv}]}"),
       "3:94: bodies[0].loads[0].file: the time 0.5 s in row 3 of 'back.csv' does not come after 1 "
       "s; times increase"},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, loads: [{dof: 0, file: "
            "one.csv}]}"),
       "3:94: bodies[0].loads[0].file: 'one.csv' has one row; at least two: t [s], value"},
      {body("{name: a, kind: linear, chain: {masses: 3, mass: 1, stiffness: 1, ends: free-free}, "
            "initial: {file: one.csv}}"),
       "3:110: bodies[0].initial.file: 'one.csv' has 1 rows; one row for each of the 3 degrees of "
       "freedom is required"},
      {body("{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, loads: [{dof: 0, "
            "harmonic: {amplitude: 1}}]}"),
       "3:88: bodies[0].loads[0].harmonic: `frequency` is missing: frequency in cycles per second"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, rayleigh: {mass: 1, stiffness: 0.1}, "
            "loads: [{pattern: [1], constant: 1}]}"),
       "3:103: bodies[0].loads[0].pattern: has 1 entries for 2 modes; one per mode"},
      {body("{name: a, kind: modal, string: {length: 1, tension: 1, linear_density: 1, modes: 3}, "
            "loads: [{at: 2, constant: 1}]}"),
       "3:108: bodies[0].loads[0].at: 2 m is not on the body; between 0 and 1 m"},
  });
}

TEST_CASE("particles and springs are counted") {
  expect_faults({
      {body("{name: a, kind: particles, particles: {mass: [1], positions: [[0, 0, 1], [0, 0, 2]], "
            "velocities: [[0, 0, 0]]}}"),
       "3:95: bodies[0].particles.velocities: has 1 entries for 2 particles; one [x, y, z] for "
       "each"},
      {body("{name: a, kind: particles, particles: {mass: [1, 2, 3], positions: [[0, 0, 1], [0, 0, "
            "2]]}}"),
       "3:49: bodies[0].particles.mass: has 3 entries for 2 particles; one for each, or one for "
       "all"},
      {body("{name: a, kind: particles, particles: {mass: [1], positions: [[0, 0, 1], [0, 0, 2]], "
            "springs: [{between: [0, 2], stiffness: 1}]}}"),
       "3:119: bodies[0].particles.springs[0].between[1]: 2 is out of range; allowed: 0 to 1"},
      {body("{name: a, kind: particles, particles: {mass: [1], positions: [[0, 0, 1], [0, 0, 2]], "
            "springs: [{between: [0, 0], stiffness: 1}]}}"),
       "3:106: bodies[0].particles.springs[0].between: joins particle 0 to itself; the numbers of "
       "two particles: [i, j]"},
      {body("{name: a, kind: particles, particles: {mass: [1], positions: [[0, 0, 1], [0, 0, 2]], "
            "springs: [{between: [0], stiffness: 1}]}}"),
       "3:106: bodies[0].particles.springs[0].between: has 1 entries; the numbers of two "
       "particles: [i, j]"},
      {body("{name: a, kind: particles, particles: {mass: [1], positions: [[0, 0, 1], [0, 0, 2]], "
            "springs: [{particle: 0, stiffness: 1}]}}"),
       "3:116: bodies[0].particles.springs[0].particle: needs `anchor`"},
      {body("{name: a, kind: particles, particles: {mass: [1], positions: [[0, 0, 1]]}, "
            "prescribed: [{dof: 2, constant: 0.5}]}"),
       "3:60: bodies[0].particles.positions: gives degree of freedom 2 the place 1, but its "
       "prescribed motion starts at 0.5; give its initial value there"},
      {body("{name: a, kind: particles, particles: {file: massless.csv}}"),
       "3:55: bodies[0].particles.file: 'massless.csv' gives particle 0 the mass 0; must be > 0"},
      {body("{name: a, kind: particles, particles: {file: balls.csv, mass: [1]}}"),
       "3:55: bodies[0].particles.file: cannot be given together with `mass`; give exactly one of "
       "mass, file"},
  });
}

TEST_CASE("schemes refuse forms, orders and bodies that they do not have") {
  expect_faults({
      {body("{name: a, kind: linear, matrices: {mass: [1, 2]}, scheme: modal-exact}"),
       "3:68: bodies[0].scheme: 'modal-exact' needs modal, and 'a' (kind linear) has tangents, "
       "affine, symmetric, fixed-points, constant-mass, potential, separable; allowed here: "
       "moreau-jean, euler-explicit, euler-implicit, newmark, variational-symplectic, runge-kutta, "
       "splitting, central-difference, schatzman-paoli, generalized-alpha, "
       "generalized-alpha-decoupled, "
       "discrete-gradient, def-exp, def-lim"},
      {body("{name: a, kind: linear, matrices: {mass: [[2, 1], [1, 2]], stiffness: [[2, 1], [0, "
            "2]]}, scheme: discrete-gradient}"),
       "3:107: bodies[0].scheme: 'discrete-gradient' needs potential, and 'a' (kind linear) has "
       "tangents, affine, fixed-points, second-order, constant-mass, separable; its stiffness is "
       "not symmetric; allowed here: moreau-jean, euler-explicit, euler-implicit, newmark, "
       "variational-symplectic, runge-kutta, splitting, central-difference, schatzman-paoli, "
       "generalized-alpha, generalized-alpha-decoupled, def-exp, def-lim"},
      {body("{name: a, kind: lagrangian, n_pendulum: {mass: [1, 1], length: [1, 1]}, scheme: "
            "discrete-gradient}"),
       "3:90: bodies[0].scheme: 'discrete-gradient' needs constant-mass, and 'a' (kind lagrangian) "
       "has tangents, second-order, potential; allowed here: moreau-jean, euler-explicit, "
       "euler-implicit, newmark, runge-kutta, central-difference, schatzman-paoli, "
       "generalized-alpha, generalized-alpha-decoupled, def-exp, def-lim"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, scheme: {kind: newmark, gamma: 0.4}}"),
       "3:88: bodies[0].scheme.gamma: 0.4 is out of range; allowed: [0.5, 1]"},
      {body(
           "{name: a, kind: modal, modes: {omega: [1, 2]}, scheme: {kind: newmark, compat: seed}}"),
       "3:89: bodies[0].scheme.compat: newmark has no form 'seed'; allowed: none, sofa"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, scheme: {kind: runge-kutta, tolerance: "
            "1e-6}}"),
       "3:96: bodies[0].scheme.tolerance: applies only to table: dormand-prince, which has an "
       "error "
       "estimate; leave it out, or set table: dormand-prince"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, scheme: {kind: variational-symplectic, "
            "steps: 3}}"),
       "3:103: bodies[0].scheme.steps: applies only to form: implicit; the explicit form does not "
       "iterate"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, scheme: {kind: euler-implicit, compat: "
            "seed, trapezoidal: true}}"),
       "3:96: bodies[0].scheme.compat: 'seed' is a form of the backward rule, not of the "
       "trapezoidal one; allowed with trapezoidal: none, sofa"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, scheme: {kind: variational-symplectic, "
            "newton_tolerance: 1e-3}}"),
       "3:114: bodies[0].scheme.newton_tolerance: applies only to form: implicit; the explicit "
       "form does not iterate"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, scheme: {kind: runge-kutta, compat: "
            "seed}}"),
       "3:93: bodies[0].scheme.compat: runge-kutta has no form 'seed'; allowed: none, sofa"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, scheme: {kind: central-difference, "
            "compat: seed}}"),
       "3:100: bodies[0].scheme.compat: central-difference has no form 'seed'; allowed: none, "
       "sofa"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, scheme: {kind: variational-symplectic, "
            "compat: seed}}"),
       "3:104: bodies[0].scheme.compat: variational-symplectic has no form 'seed'; allowed: none, "
       "sofa"},
      {body("{name: a, kind: modal, modes: {omega: [1, 2]}, scheme: {kind: generalized-alpha, "
            "rho_infinity: 1.2}}"),
       "3:105: bodies[0].scheme.rho_infinity: 1.2 is out of range; allowed: [0, 1]"},
  });
}

TEST_CASE("contacts touch points that are there, that can move, and that start outside") {
  expect_faults({
      {body("{name: a, kind: linear, chain: {masses: 3, mass: 1, stiffness: 1, ends: free-free}, "
            "prescribed: [{dof: 1, constant: 1}]}",
            "contacts: [{on: a, at: 1, against: {plane: {point: [0, 0, 0]}}, law: newton-impact}]"),
       "4:24: contacts[0].at: degree of freedom 1 of 'a' is prescribed: no contact can move it; "
       "let another one make contact, or take it out of `prescribed`"},
      {body(
           kChain,
           "contacts: [{on: a, at: 3, against: {plane: {normal: [1, 0, 0]}}, law: newton-impact}]"),
       "4:24: contacts[0].at: there is no degree of freedom 3; allowed: 0 to 2"},
      {body(
           kChain,
           "contacts: [{on: a, at: 1, against: {plane: {normal: [0, 0, 1]}}, law: newton-impact}]"),
       "4:27: contacts[0].against: degree of freedom 1 of 'a' cannot move along the normal; turn "
       "the normal"},
      {body(kChain,
            "contacts: [{on: a, at: 1 m, against: {plane: {normal: [1, 0, 0]}}, law: "
            "newton-impact}]"),
       "4:24: contacts[0].at: 1 m is a length, not the number of a degree of freedom; allowed: 0 "
       "to 2"},
      {body(kChain,
            "contacts: [{on: a, at: 0.5, against: {plane: {normal: [1, 0, 0]}}, law: "
            "newton-impact}]"),
       "4:24: contacts[0].at: 0.5 is not the number of a degree of freedom; allowed: 0 to 2"},
      {body(kChain,
            "contacts: [{on: a, at: tip, against: {plane: {normal: [1, 0, 0]}}, law: "
            "newton-impact}]"),
       "4:24: contacts[0].at: 'tip' is not the number of a degree of freedom; allowed: 0 to 2"},
      {body(kChain,
            "contacts: [{on: a, at: [0, 1], against: {plane: {point: [0.5, 0, 0], normal: [1, 0, "
            "0]}}, law: newton-impact}]"),
       "4:32: contacts[0].against: the obstacle is 500 mm inside 'a' at degree of freedom 0 at the "
       "start; lower the obstacle or change the initial state"},
      {body(kChain,
            "contacts: [{on: a, at: [], against: {plane: {point: [0.5, 0, 0], normal: [1, 0, 0]}}, "
            "law: newton-impact}]"),
       "4:20: contacts[0].at: is an empty list; leave it out for all points"},
      {body(kChain,
            "contacts: [{on: a, at: 0, against: {stop: {at: 0.1, side: below}}, law: "
            "newton-impact}]"),
       "4:27: contacts[0].against: the obstacle is 100 mm inside 'a' at degree of freedom 0 at the "
       "start; lower the obstacle or change the initial state"},
      {body(kChain, "contacts: [{on: a, at: 0, against: {flat: {height: 0}}, law: newton-impact}]"),
       "4:24: contacts[0].at: is for contacts against plane, stop or body; frets, necks, points "
       "and files define their own places"},
      {body(
           kChain,
           "contacts: [{on: a, against: {body: a, at: 1, normal: [1, 0, 0]}, law: newton-impact}]"),
       "4:12: contacts[0]: 'a' has 3 points: `at` must name the contact point; for example at: 0"},
      {body(kChain,
            "contacts: [{on: a, at: 1, against: {body: a, at: 1, normal: [1, 0, 0]}, law: "
            "newton-impact}]"),
       "4:24: contacts[0].at: degree of freedom 1 of 'a' cannot be in contact with itself; two "
       "points of the "
       "body"},
      {body(kChain,
            "contacts: [{on: a, at: 0, against: {body: a, at: 1, normal: [1, 0, 0]}, law: "
            "newton-impact}]"),
       "4:27: contacts[0].against: degree of freedom 0 of 'a' is 1000 mm on the wrong side of "
       "degree of freedom "
       "1 of 'a' along the normal at the start; turn the normal, which points from the other body "
       "to this one, or change the places"},
      {body(kChain,
            "contacts: [{on: a, at: 1, against: {body: b, at: 0, normal: [1, 0, 0]}, law: "
            "newton-impact}]"),
       "4:43: contacts[0].against.body: there is no body 'b'; allowed: a"},
      {body(kChain, "contacts: [{on: a, at: 1, against: {body: a, at: 0}, law: newton-impact}]"),
       "4:43: contacts[0].against.body: needs `normal`"},
      {body(kPendulum,
            "contacts: [{on: a, at: bib, against: {plane: {point: [0, 0, -2]}}, law: "
            "newton-impact}]"),
       "4:24: contacts[0].at: 'a' has no point 'bib'; did you mean `bob`? allowed: bob"},
      {body(
           kPendulum,
           "contacts: [{on: a, at: 0, against: {plane: {point: [0, 0, -2]}}, law: newton-impact}]"),
       "4:24: contacts[0].at: 0 is not the name of a point of 'a'; allowed: bob"},
      {body(kPendulum,
            "contacts: [{on: a, at: bob, against: {plane: {point: [0, 0, -0.5]}}, law: "
            "newton-impact}]"),
       "4:29: contacts[0].against: the obstacle is 500 mm inside 'a' at bob at the start; lower "
       "the obstacle or change the initial state"},
      {body(kPendulum,
            "contacts: [{on: a, at: bob, against: {stop: {at: 0, side: below}}, law: "
            "newton-impact}]"),
       "4:39: contacts[0].against.stop: is for bodies of kind linear, and 'a' is of kind "
       "lagrangian; give plane"},
      {body(
           "{name: a, kind: particles, particles: {mass: [1], positions: [[0, 0, 1]]}, prescribed: "
           "[{dof: 2, constant: 1}]}",
           "contacts: [{on: a, at: 0, against: {plane: {normal: [0, 0, 1]}}, law: newton-impact}]"),
       "4:24: contacts[0].at: particle 0 of 'a' is prescribed: no contact can move it; let another "
       "one make contact, or take it out of `prescribed`"},
      {body(kOscillator,
            "contacts: [{on: a, against: {stop: {at: -1, side: below}}, law: signorini-position}]"),
       "4:65: contacts[0].law: a position-level law needs schemes of gain 1 on every body it acts "
       "on, but 'moreau-jean' of 'a' has gain 0.50; use newton-impact, or a scheme of gain 1 "
       "(modal-exact; moreau-jean with theta: 1)"},
      {body(kChain, "contacts: [{on: a, at: 0, against: {frets: [[0.1, 0]]}, law: newton-impact}]"),
       "4:24: contacts[0].at: is for contacts against plane, stop or body; frets, necks, points "
       "and files define their own places"},
      {body(kOscillator,
            "contacts: [{on: a, against: {plane: {normal: [0, 0, 0]}}, law: newton-impact}]"),
       "4:38: contacts[0].against.plane.normal: has no direction; for example [0, 0, 1]"},
      {body(kString,
            "contacts: [{on: a, against: {plane: {normal: [0, 0, 1]}}, law: newton-impact}]"),
       "4:12: contacts[0]: `at` is missing: the contact point along 'a'; in m"},
      {body(kString,
            "contacts: [{on: a, at: mid, against: {plane: {normal: [0, 0, 1]}}, law: "
            "newton-impact}]"),
       "4:24: contacts[0].at: 'mid' is not a place on 'a'; a body of kind modal needs a place "
       "along it, in m"},
      {body(kString,
            "contacts: [{on: a, at: 0.2, against: {flat: {height: -1}}, law: newton-impact}]"),
       "4:24: contacts[0].at: is for contacts against plane, stop or body; frets, necks, points "
       "and files define their own places"},
      {body("{name: a, kind: lagrangian, n_pendulum: {mass: [1, 1], length: [1, 1]}}",
            "contacts: [{on: a, at: bob-1, against: {plane: {point: [0, 0, -3]}}, law: "
            "newton-impact}]"),
       "4:24: contacts[0].at: 'a' has no point 'bob-1'; did you mean `bob_1`? allowed: bob_0, "
       "bob_1"},
      {body(kString,
            "contacts: [{on: a, at: 0.5, against: {stop: {at: -1, side: below}}, law: "
            "newton-impact}]"),
       "4:39: contacts[0].against.stop: is for bodies of kind linear, and 'a' is of kind modal; "
       "give points"},
      {body(kString,
            "contacts: [{on: a, at: 0.5, against: {plane: {normal: [0, 1, 0]}}, law: "
            "newton-impact}]"),
       "4:29: contacts[0].against: x = 0.5 m of 'a' cannot move along the normal; turn the normal"},
      {body(kBall, "contacts: [{on: a, against: {frets: [[0.1, 0]]}, law: newton-impact}]"),
       "4:20: contacts[0].against: 'a' (kind particles) is not a body with places along it; give "
       "plane or body"},
      {body(kOscillator, "contacts: [{on: a, against: {points: [[0.1, 0]]}, law: newton-impact}]"),
       "4:20: contacts[0].against: 'a' (kind linear) is not a body with places along it; give "
       "plane, "
       "stop or body"},
      {body(kOscillator, "contacts: [{on: a, against: {stop: {at: 0}}, law: newton-impact}]"),
       "4:30: contacts[0].against.stop: `side` is missing: side of the stop: below: q >= at; "
       "above: q <= at"},
      {body(kOscillator,
            "contacts: [{on: a, against: {stop: {at: 0, side: left}}, law: newton-impact}]"),
       "4:50: contacts[0].against.stop.side: 'left' is not known here; allowed: below, above"},
      {body(kOscillator,
            "contacts: [{on: a, against: {body: a, normal: [0, 0, 1]}, law: newton-impact}]"),
       "4:17: contacts[0].on: degree of freedom 0 of 'a' cannot be in contact with itself; two "
       "points of the "
       "body"},
  });
}

TEST_CASE("solvers that need symmetric tangents refuse a stiffness that is not") {
  expect_faults({
      {body(
           "{name: a, kind: linear, matrices: {mass: [1, 1], stiffness: [[1, 1], [0, 1]]}}",
           "solver: {kind: principal-pivoting}\ncontacts: [{on: a, at: 0, against: {stop: {at: -1, "
           "side: below}}, law: newton-impact}]"),
       "4:16: solver.kind: 'principal-pivoting' needs symmetric tangents, but 'a' (kind linear) "
       "does not have them; use lemke"},
  });
}

TEST_CASE("outputs listen to points that are there") {
  expect_faults({
      {body(kOscillator, "outputs: [{probe: a, at: 1}]"),
       "4:26: outputs[0].at: there is no degree of freedom 1; allowed: 0"},
      {body(kOscillator, "outputs: [{probe: a, at: 0.3}]"),
       "4:26: outputs[0].at: 0.3 is not the number of a degree of freedom; allowed: 0"},
      {body(kOscillator, "outputs: [{probe: a, at: 0, direction: [0, 0, 1]}]"),
       "4:29: outputs[0].direction: is for particles, named points and bodies in space; a "
       "coordinate "
       "has its own "
       "direction"},
      {body(kPendulum, "outputs: [{probe: a, at: 1}]"),
       "4:26: outputs[0].at: there is no coordinate 1; allowed: 0"},
      {body("{name: a, kind: particles, particles: {mass: [1], positions: [[0, 0, 1]]}, "
            "prescribed: [{dof: 2, constant: 1}]}",
            "outputs: [{probe: a, at: 0}]"),
       "4:26: outputs[0].at: degree of freedom 2 of 'a' is prescribed: its motion is given; give a "
       "direction without it, or probe another particle"},
      {body(kString, "outputs: [{probe: a, at: mid}]"),
       "4:26: outputs[0].at: 'mid' is not a place on 'a'; a body of kind modal needs a place along "
       "it, in m"},
      {body(kString, "outputs: [{probe: a, at: 0.5, direction: [0, 0, 1]}]"),
       "4:31: outputs[0].direction: is for particles, named points and bodies in space; outputs of "
       "a body of kind modal use its own direction"},
  });
}
