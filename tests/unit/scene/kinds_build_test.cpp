// What build makes of bodies of the kinds linear, lagrangian and particles: equations, numbering, contacts, probes.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>

#include "saltus/scene/build.h"
#include "saltus/scene_file/data_files.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"
#include "support/data_folder.h"

using namespace saltus;
using std::numbers::pi;

namespace {

using saltus_test::DataFolder;

Scene scene_of(const std::string& text, const std::filesystem::path& folder = {}) {
  return read_scene_text("saltus: 1\ntime: {end: 1 s, step: 1 ms}\n" + text, "scene.yaml", {},
                         folder);
}
Model model_of(const std::string& text, const std::filesystem::path& folder = {}) {
  return build(scene_of(text, folder));
}
std::string one_body(const std::string& entries) {
  return "bodies: [{name: b, " + entries + "}]\n";
}

Vector force(const Model& model, double t, const Vector& q, const Vector& v) {
  const Dynamics& body = *model.groups()[0].dynamics;
  Vector f(body.velocities());
  body.force(t, q, v, f);
  return f;
}
Vector force_at_rest(const Model& model, double t) {
  const Eigen::Index n = model.groups()[0].dynamics->velocities();
  return force(model, t, Vector::Zero(n), Vector::Zero(n));
}
Vector multiply(const Model& model, Combination s, const Vector& x) {
  Vector y(x.size());
  const GroupState& at = model.initial()[0];
  model.groups()[0].dynamics->multiply(s, 0.0, at.q, at.v, x, y);
  return y;
}
/// n . (x_a - x_b) of a pair at the start.
double gap(const Model& model, std::size_t i) {
  const ContactPair& pair = model.pairs()[i];
  Vector3 x[2];
  const ContactSide* sides[2] = {&pair.a, &pair.b};
  for (int s = 0; s < 2; ++s) {
    x[s] = sides[s]->ref.local;
    if (sides[s]->group < 0) continue;
    const auto g = static_cast<std::size_t>(sides[s]->group);
    const std::array at{sides[s]->ref};
    model.groups()[g].dynamics->points(0.0, model.initial()[g].q, at, x[s]);
  }
  return pair.normal.dot(x[0] - x[1]);
}

/// A NumPy file, version 1.0, of doubles in C order.
std::string npy(const std::string& shape, const std::vector<double>& values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(header.size() % 256);
  bytes += static_cast<char>(header.size() / 256);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return bytes;
}

}  // namespace

TEST_CASE("a linear system is the same from rows, a diagonal and files of every format") {
  const DataFolder folder;
  folder.write("m.mtx",
               "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 1\n2 2 2\n");
  folder.write("m.csv", "2, 1\n1, 2\n");
  folder.write("m.npy", npy("(2, 2)", {2, 1, 1, 2}));
  folder.write("k.npy", npy("(2,)", {3, 5}));
  folder.write("k.csv", "3\n5\n");
  folder.write("load.mtx", "%%MatrixMarket matrix array real general\n2 1\n7\n-8\n");
  const Vector x{{0.3, -0.7}};
  for (const char* mass : {"[[2, 1], [1, 2]]", "m.mtx", "m.csv", "m.npy"})
    for (const char* stiffness : {"[3, 5]", "[[3, 0], [0, 5]]", "k.csv", "k.npy"}) {
      CAPTURE(mass);
      CAPTURE(stiffness);
      const Model model =
          model_of(one_body(std::string("kind: linear, matrices: {mass: ") + mass +
                            ", stiffness: " + stiffness + ", damping: [0.1, 0.2], load: load.mtx}"),
                   folder.path);
      CHECK(multiply(model, {1, 0, 0}, x).isApprox(Vector{{2 * 0.3 - 0.7, 0.3 - 2 * 0.7}}, 1e-15));
      CHECK(multiply(model, {0, 0, 1}, x).isApprox(Vector{{0.9, -3.5}}, 1e-15));
      CHECK(multiply(model, {0, 1, 0}, x).isApprox(Vector{{0.03, -0.14}}, 1e-15));
      CHECK(force_at_rest(model, 0.0) == Vector{{7, -8}});
    }
}

TEST_CASE("the data files of bodies are known, so that no output takes their place") {
  const Scene scene = scene_of(
      "bodies:\n  - {name: a, kind: linear, matrices: {mass: m.mtx, stiffness: [1], load: f.csv}, "
      "loads: [{dof: 0, file: l.csv}], prescribed: [{dof: 0, file: p.csv}]}\n"
      "  - {name: b, kind: particles, particles: {file: balls.csv}}\n");
  std::vector<std::string> entries;
  for (const DataFile& file : data_files(scene)) entries.push_back(file.entry);
  CHECK(entries == std::vector<std::string>{"bodies[0].matrices.mass", "bodies[0].matrices.load",
                                            "bodies[0].loads[0].file",
                                            "bodies[0].prescribed[0].file",
                                            "bodies[1].particles.file"});
}

TEST_CASE("degrees of freedom are counted from 0, and prescribed ones leave the state") {
  // three masses, the first led by hand: u(t) = 0.1 cos(2 pi t), springs of 10 N/m
  const Model model = model_of(
      one_body("kind: linear, chain: {masses: 3, mass: 2, stiffness: 10, ends: free-free}, "
               "prescribed: [{dof: 0, harmonic: {amplitude: 0.1 m, frequency: 1 Hz}}], "
               "initial: {coordinates: [0.1, 0.2, 0.3], velocities: [0, 4]}"));
  const Dynamics& body = *model.groups()[0].dynamics;
  CHECK(body.velocities() == 2);
  CHECK(body.prescribed() == 1);
  CHECK(model.initial()[0].q == Vector{{0.2, 0.3}});
  CHECK(model.initial()[0].v == Vector{{4, 0}});
  const Vector zero = Vector::Zero(2);
  CHECK(force(model, 0.0, zero, zero).isApprox(Vector{{1.0, 0.0}}, 1e-14));
  CHECK(force(model, 0.5, zero, zero).isApprox(Vector{{-1.0, 0.0}}, 1e-14));

  // the same numbers all alike leave the led mass alone
  const Model alike = model_of(
      one_body("kind: linear, chain: {masses: 3, mass: 2, stiffness: 10, ends: free-free}, "
               "prescribed: [{dof: 2, constant: 0}], initial: {velocity: -3 m/s}"));
  CHECK(alike.initial()[0].v == Vector{{-3, -3}});
}

TEST_CASE("loads follow their function of time on the degrees of freedom that they name") {
  const DataFolder folder;
  folder.write("ramp.csv", "0,0\n1,10\n");
  const std::string chain =
      "kind: linear, chain: {masses: 2, mass: 1, stiffness: 1, ends: free-free}, ";
  const auto at = [&](const std::string& load, double t) {
    return force_at_rest(model_of(one_body(chain + "loads: [" + load + "]"), folder.path), t);
  };
  CHECK(at("{dof: 1, constant: 3 N}", 5.0) == Vector{{0, 3}});
  CHECK(at("{pattern: [1, -2], constant: 3}", 5.0) == Vector{{3, -6}});
  CHECK(at("{dof: 0, harmonic: {amplitude: 2, frequency: 0.25, phase: 90 deg, mean: 1}}", 1.0)
            .isApprox(Vector{{1.0 - 2.0, 0.0}}, 1e-14));
  CHECK(at("{dof: 0, table: [[0, 0], [1, 10]]}", 0.25)[0] == doctest::Approx(2.5));
  CHECK(at("{dof: 0, file: ramp.csv}", 0.75)[0] == doctest::Approx(7.5));
  CHECK(at("{dof: 0, file: ramp.csv}", 9.0)[0] == 10.0);
  const Vector both = at("{dof: 0, constant: 1}, {dof: 0, constant: 2}", 0.0);
  CHECK(both == Vector{{3, 0}});

  const Model ball = model_of(one_body(
      "kind: particles, particles: {mass: [1], positions: [[0, 0, 0], [1, 0, 0]]}, "
      "loads: [{particle: 1, direction: [3, 0, 4], constant: 10}, {dof: 2, constant: 7}]"));
  CHECK(force_at_rest(ball, 0.0).isApprox(Vector{{0, 0, 7, 6, 0, 8}}, 1e-15));
}

TEST_CASE("a smooth table is a spline: its motion has the curvature that straight pieces miss") {
  const auto model = [](const char* smooth) {
    return model_of(one_body(
        std::string(
            "kind: linear, matrices: {mass: [[1, 0.5], [0.5, 1]], stiffness: [1, 1]}, prescribed: "
            "[{dof: 1, smooth: ") +
        smooth + ", table: [[0, 0], [1, 1], [2, 0]]}]"));
  };
  const Vector zero = Vector::Zero(1);
  CHECK(force(model("false"), 1.0, zero, zero)[0] == 0.0);
  CHECK(force(model("true"), 1.0, zero, zero)[0] ==
        doctest::Approx(0.5 * 3.0));  // -m12 u'', u'' = -3
}

TEST_CASE("Rayleigh damping is r_M M + r_K K on every kind") {
  const std::string damping = ", rayleigh: {mass: 0.3 1/s, stiffness: 2 ms}";
  for (const char* body :
       {"kind: linear, matrices: {mass: [[2, 1], [1, 2]], stiffness: [30, 50]}",
        "kind: lagrangian, spring_pendulum: {mass: 2, stiffness: 40}, initial: {coordinates: [0, "
        "-1.5]}",
        "kind: particles, particles: {mass: [1, 2], positions: [[0, 0, 0], [1, 0, 0]], springs: "
        "[{between: [0, 1], stiffness: 100}]}"}) {
    CAPTURE(body);
    const Model model = model_of(one_body(body + damping));
    const Eigen::Index n = model.groups()[0].dynamics->velocities();
    Vector x(n);
    for (Eigen::Index i = 0; i < n; ++i) x[i] = std::sin(1.0 + static_cast<double>(i));
    CHECK(multiply(model, {0, 1, 0}, x)
              .isApprox(0.3 * multiply(model, {1, 0, 0}, x) + 0.002 * multiply(model, {0, 0, 1}, x),
                        1e-13));
  }
  const Model modes = model_of(
      one_body("kind: modal, modes: {omega: [10, 20], sigma: [1, 2], mass: [3, 4]}" + damping));
  const Vector sigma = modes.groups()[0].dynamics->modal()->sigma;
  CHECK(sigma[0] == doctest::Approx(1.0 + 0.5 * (0.3 + 0.002 * 100.0)));
  CHECK(sigma[1] == doctest::Approx(2.0 + 0.5 * (0.3 + 0.002 * 400.0)));
}

TEST_CASE("a constant force on a string bends it as statics says") {
  // F at x = L/2 of a string under tension T: u(L/2) = F L/(4 T)
  const Model model = model_of(
      "bodies: [{name: s, kind: modal, string: {length: 2 m, tension: 50 N, linear_density: 1, "
      "modes: "
      "2001}, loads: [{at: 1 m, constant: -4 N}]}]\noutputs: [{probe: s, at: 1 m, modes: all, "
      "quantity: displacement}]\n");
  const Vector f = force_at_rest(model, 0.0);
  const ModalData& modes = *model.groups()[0].dynamics->modal();
  const Vector q = f.array() / (modes.mass.array() * modes.omega.array().square());
  PointScratch scratch;
  Vector u(1);
  model.probes()[0].table->apply(q, scratch, u);
  CHECK(u[0] == doctest::Approx(-4.0 * 2.0 / (4.0 * 50.0)).epsilon(1e-3));
}

TEST_CASE("a chain, a mesh and an oscillator lie where the frame says") {
  const Model chain = model_of(
      "bodies: [{name: b, kind: linear, chain: {masses: 2, mass: 1, stiffness: 1, ends: "
      "fixed-free, "
      "spacing: 0.5 m}, origin: [0, 3, 0], axis: [0, 0, 2]}]\ncontacts:\n  - {on: b, against: "
      "{plane: {point: [0, 0, -1], normal: [0, 0, 3]}}, law: newton-impact}\n");
  REQUIRE(chain.pairs().size() == 2);
  CHECK(gap(chain, 0) == doctest::Approx(1.5));
  CHECK(gap(chain, 1) == doctest::Approx(2.0));
  CHECK(chain.pairs()[0].normal == Vector3::UnitZ());

  const Model mesh = model_of(
      "bodies: [{name: b, kind: linear, mesh: {elements: 4, length: 2, young: 1, density: 1, area: "
      "1, "
      "ends: free-free}, origin: [1, 0, 0]}]\ncontacts:\n  - {on: b, at: [0, 4], against: {plane: "
      "{normal: [1, 0, 0]}}, law: newton-impact}\n");
  REQUIRE(mesh.pairs().size() == 2);
  CHECK(gap(mesh, 0) == doctest::Approx(1.0));
  CHECK(gap(mesh, 1) == doctest::Approx(3.0));

  // stops lie on the path of the coordinate, whatever its place and direction
  const std::string between =
      "bodies: [{name: b, kind: linear, oscillator: {mass: 1, stiffness: 1}, origin: [5, 6, 7], "
      "direction: [0, -1, 0], initial: {coordinates: [0.2]}}]\ncontacts:\n  - {on: b, against: "
      "{stop: "
      "{at: -0.1, side: below}}, law: newton-impact}\n  - {on: b, at: 0, against: {stop: {at: 0.5, "
      "side: above}}, law: newton-impact}\n";
  const Model stops = model_of(between);
  CHECK(gap(stops, 0) == doctest::Approx(0.3));
  CHECK(gap(stops, 1) == doctest::Approx(0.3));
  CHECK(stops.pairs()[0].normal == Vector3(0, -1, 0));
  CHECK(stops.pairs()[1].normal == Vector3(0, 1, 0));
}

TEST_CASE("two bodies of different kinds touch along a fixed normal") {
  const Model model = model_of(
      "bodies:\n"
      "  - {name: ball, kind: particles, particles: {mass: [1], positions: [[0, 0, 0.5], [9, 9, "
      "9]]}}\n"
      "  - {name: pan, kind: linear, oscillator: {mass: 1, stiffness: 100}, origin: [0, 0, 0.1]}\n"
      "contacts:\n"
      "  - {on: ball, at: 0, against: {body: pan, normal: [0, 0, 1]}, law: newton-impact}\n"
      "  - {on: ball, at: 1, against: {body: ball, at: 0, normal: [1, 0, 0]}, law: "
      "newton-impact}\n");
  REQUIRE(model.pairs().size() == 2);
  CHECK(model.island_count() == 1);
  CHECK(model.pairs()[0].b.group == 1);
  CHECK(gap(model, 0) == doctest::Approx(0.4));
  CHECK(model.pairs()[1].b.group == 0);
  CHECK(gap(model, 1) == doctest::Approx(9.0));
}

TEST_CASE("a ball dropped from one metre bounces with the coefficient of its law") {
  const std::string text =
      "bodies:\n  - {name: ball, kind: particles, particles: {mass: [2], positions: [[0, 0, 1]], "
      "gravity: [0, 0, -9.81]}}\n"
      "contacts:\n  - {on: ball, against: {plane: {}}, law: {kind: newton-impact, restitution: "
      "0.5}}\n"
      "outputs:\n  - {probe: ball, at: 0, quantity: displacement}\n  - {probe: ball, at: 0}\n";
  Simulation sim(model_of(text));
  double fastest = 0.0;
  for (int k = 0; k < 600; ++k) {
    const StepReport report = sim.advance();
    CHECK(report.converged);
    fastest = std::max(fastest, sim.probe(1));
  }
  CHECK(sim.state().ledger.size() == sim.model().accounts().size());
  CHECK(fastest == doctest::Approx(0.5 * std::sqrt(2.0 * 9.81)).epsilon(5e-3));
  CHECK(sim.probe(0) == sim.state().groups[0].q[2]);
  CHECK(sim.probe(1) == sim.state().groups[0].v[2]);
}

TEST_CASE("a pendulum falls onto a wall and stops there without restitution") {
  Simulation sim(model_of(
      "bodies:\n  - {name: arm, kind: lagrangian, pendulum: {mass: 1, length: 1}, initial: "
      "{coordinates: [1]}}\n"
      "contacts:\n  - {on: arm, at: bob, against: {plane: {normal: [1, 0, 0]}}, law: "
      "newton-impact}\n"
      "outputs:\n  - {probe: arm, at: 0, quantity: displacement, name: angle}\n"));
  bool touched = false;
  for (int k = 0; k < 1000; ++k) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    touched = touched || report.contacts > 0;
  }
  CHECK(touched);
  CHECK(std::abs(sim.probe(0)) < 5e-3);  // the law is one of velocities: it stops within a step
  CHECK(sim.state().energy.kinetic < 1e-3);
}

TEST_CASE("a string and a mass in contact exchange momentum and keep their energy") {
  Simulation sim(model_of(
      "bodies:\n"
      "  - {name: s, kind: modal, string: {length: 1, tension: 100, linear_density: 0.01, modes: "
      "20}, "
      "scheme: moreau-jean, pluck: {at: 0.5, height: 10 mm}}\n"
      "  - {name: m, kind: linear, oscillator: {mass: 0.01, stiffness: 10}, origin: [0.5, 0, -2 "
      "mm]}\n"
      "contacts:\n  - {on: s, at: 0.5 m, against: {body: m, normal: [0, 0, 1]}, law: {kind: "
      "newton-impact, restitution: 1, activation: {closing_only: true}}}\n"
      "outputs:\n  - {probe: m, at: 0}\n"));
  double moved = 0.0;
  for (int k = 0; k < 200; ++k) {
    REQUIRE(sim.advance().converged);
    moved = std::max(moved, std::abs(sim.probe(0)));
  }
  CHECK(moved > 0.1);
  CHECK(sim.state().energy.total() == doctest::Approx(sim.state().energy_start).epsilon(1e-9));
}

TEST_CASE("springs rest at the length of the start unless one is given, anchored ones too") {
  const auto pull = [](const std::string& springs) {
    const Model model = model_of(one_body(
        "kind: particles, particles: {mass: [1], positions: [[0, 0, 0], [3, 0, 4]], springs: [" +
        springs + "]}"));
    return force(model, 0.0, model.initial()[0].q, model.initial()[0].v);
  };
  CHECK(pull("{between: [0, 1], stiffness: 10}").isZero(1e-14));
  CHECK(pull("{between: [0, 1], stiffness: 10, length: 4}")
            .isApprox(Vector{{6, 0, 8, -6, 0, -8}}, 1e-14));
  CHECK(pull("{particle: 1, anchor: [3, 0, 0], stiffness: 10, length: 3}")
            .isApprox(Vector{{0, 0, 0, 0, 0, -10}}, 1e-14));
  CHECK(pull("{particle: 1, anchor: [3, 0, 0], stiffness: 10, length: 5, tension_only: true}")
            .isZero(1e-14));
}

TEST_CASE("particles come from a table as from the scene") {
  const DataFolder folder;
  folder.write("balls.csv", "mass,x,y,z,vx,vy,vz\n1,0,0,1,0,0,-2\n2,0,0,3,5,0,0\n");
  const Model table =
      model_of(one_body("kind: particles, particles: {file: balls.csv}"), folder.path);
  const Model listed = model_of(one_body(
      "kind: particles, particles: {mass: [1, 2], positions: [[0, 0, 1], [0, 0, 3]], velocities: "
      "[[0, 0, -2], [5, 0, 0]]}"));
  CHECK(table.initial()[0].q == listed.initial()[0].q);
  CHECK(table.initial()[0].v == listed.initial()[0].v);
  const Vector x = Vector::Ones(6);
  CHECK(multiply(table, {1, 0, 0}, x) == multiply(listed, {1, 0, 0}, x));
}

TEST_CASE("probes listen to a coordinate, or to the component of a particle") {
  const Model model = model_of(
      "bodies:\n"
      "  - {name: c, kind: linear, chain: {masses: 3, mass: 1, stiffness: 1, ends: free-free}, "
      "prescribed: [{dof: 0, constant: 0}]}\n"
      "  - {name: p, kind: particles, particles: {mass: [1], positions: [[1, 2, 3], [4, 5, 6]]}}\n"
      "outputs:\n  - {probe: c, at: 2}\n  - {probe: p, at: 1}\n"
      "  - {probe: p, at: 1, direction: [4, 3, 0]}\n");
  PointScratch scratch;
  Vector y(1);
  model.probes()[0].table->apply(Vector{{10, 20}}, scratch, y);
  CHECK(y[0] == 20.0);
  const Vector q = model.initial()[1].q;
  model.probes()[1].table->apply(q, scratch, y);
  CHECK(y[0] == 6.0);
  model.probes()[2].table->apply(q, scratch, y);
  CHECK(y[0] == doctest::Approx(0.8 * 4 + 0.6 * 5));
  CHECK(model.probes()[0].name == "c at 2");
  CHECK(model.probes()[1].name == "p at 1");
  CHECK(model.probes()[2].name == "p at 1 2");
}

TEST_CASE("a scene that names no scheme gets the one of its kind, and the resolved scene says so") {
  const std::string text =
      "bodies:\n"
      "  - {name: m, kind: modal, modes: {omega: [1]}}\n"
      "  - {name: o, kind: linear, oscillator: {mass: 1, stiffness: 2}, direction: [1, 0, 0]}\n"
      "  - {name: c, kind: linear, chain: {masses: 2, mass: 1, stiffness: 3, damping: 0.1, ends: "
      "fixed-fixed, spacing: 0.1}, rayleigh: {mass: 0.2}}\n"
      "  - {name: e, kind: linear, mesh: {elements: 3, length: 1, young: 1, density: 1, area: 1, "
      "ends: "
      "fixed-free, lumped: true}, loads: [{dof: 2, table: [[0, 1], [1, 2]], smooth: true}]}\n"
      "  - {name: k, kind: linear, matrices: {mass: [[2, 1], [1, 2]], stiffness: [1, 2], load: [1, "
      "2]}, "
      "prescribed: [{dof: 1, harmonic: {amplitude: 0.1, frequency: 2, phase: 0.3, mean: 0.1}}]}\n"
      "  - {name: p, kind: lagrangian, pendulum: {length: 2}, tangents: differences}\n"
      "  - {name: n, kind: lagrangian, n_pendulum: {mass: [1, 2, 3], length: [1, 1, 1]}}\n"
      "  - {name: d, kind: lagrangian, duffing: {cubic: 2}}\n"
      "  - {name: s, kind: lagrangian, spring_pendulum: {stiffness: 3}, origin: [0, 0, 1], "
      "initial: "
      "{coordinates: [0, -1]}}\n"
      "  - {name: q, kind: lagrangian, planet: {mu: 2}, initial: {coordinates: [1, 0], velocities: "
      "[0, "
      "1]}}\n"
      "  - {name: r, kind: lagrangian, planar_rod: {inertia: 0.2}}\n"
      "  - {name: x, kind: lagrangian, slider_crank: {torque: 0.1}}\n"
      "  - {name: v, kind: lagrangian, stvk_bar: {elements: 3}, scheme: discrete-gradient}\n"
      "  - {name: b, kind: particles, particles: {mass: [1], positions: [[0, 0, 1], [0, 0, 2]], "
      "springs: "
      "[{between: [0, 1], stiffness: 3}, {particle: 0, anchor: [0, 0, 0], stiffness: 1, length: "
      "0.5}], "
      "gravity: [0, 0, -9.81], drag: 0.1}, prescribed: [{dof: 0, constant: 0}]}\n"
      "contacts:\n"
      "  - {on: b, at: [0, 1], against: {plane: {}}, law: newton-impact}\n"
      "  - {on: b, at: 1, against: {body: b, at: 0, normal: [0, 0, 1]}, law: newton-impact}\n"
      "  - {on: n, at: bob_2, against: {plane: {point: [0, 0, -5]}}, law: newton-impact}\n"
      "  - {on: o, against: {stop: {at: -1, side: below}}, law: newton-impact}\n"
      "outputs:\n  - {probe: b, at: 1, direction: [1, 0, 0]}\n  - {probe: n, at: 2}\n";
  const Scene scene = scene_of(text);
  CHECK(std::holds_alternative<ModalExactOptions>(*scene.spec.bodies[0].scheme));
  CHECK(std::holds_alternative<MoreauJeanOptions>(*scene.spec.bodies[1].scheme));
  CHECK(std::holds_alternative<MoreauJeanOptions>(*scene.spec.bodies[5].scheme));
  CHECK(scene.spec.contacts[0].name == "b on plane");
  CHECK(scene.spec.contacts[1].name == "b on b");
  CHECK(scene.spec.contacts[3].name == "o on stop");
  for (int indent : {0, 2}) {
    const std::string resolved = write_scene(scene.spec, indent);
    const Scene again = read_scene_text(resolved, "resolved.json");
    CHECK(again.spec == scene.spec);
    CHECK(write_scene(again.spec, indent) == resolved);
  }
  const Model model = build(scene);
  CHECK(model.groups().size() == 14);
  CHECK(model.groups()[1].scheme->name() == "moreau-jean");
  CHECK(model.groups()[6].kind == "lagrangian");
  CHECK(model.pairs().size() == 5);
  Simulation sim(model);
  for (int k = 0; k < 20; ++k) REQUIRE(sim.advance().converged);
}

TEST_CASE("passes end as the strictest of the schemes that make passes asks for") {
  const auto options = [](const std::string& first, const std::string& second) {
    return model_of("bodies:\n  - {name: a, kind: lagrangian, pendulum: {}, scheme: " + first +
                    "}\n  - {name: b, kind: linear, oscillator: {mass: 1, stiffness: 1}, scheme: " +
                    second + "}\n")
        .options();
  };
  const std::string loose = "{kind: moreau-jean, newton_tolerance: 1e-6, newton_iterations: 7}";
  const std::string strict = "{kind: moreau-jean, newton_tolerance: 1e-12, newton_iterations: 40}";
  CHECK(options(loose, strict).pass_tolerance == 1e-6);  // the oscillator makes one pass
  CHECK(options(loose, strict).pass_limit == 7);
  CHECK(options(strict, loose).pass_tolerance == 1e-12);
  CHECK(options(strict, loose).pass_limit == 40);
}

TEST_CASE("the point of a mechanism is heard along a direction") {
  Simulation sim(
      model_of("bodies:\n  - {name: arm, kind: lagrangian, pendulum: {length: 2}, initial: "
               "{coordinates: [0.5], "
               "velocities: [3]}}\n"
               "outputs:\n  - {probe: arm, at: bob, quantity: displacement}\n"
               "  - {probe: arm, at: bob, direction: [2, 0, 0]}\n"));
  CHECK(sim.probe(0) == 0.0);
  CHECK(sim.probe(1) == doctest::Approx(2.0 * 3.0 * std::cos(0.5)));
  for (int k = 0; k < 10; ++k) sim.advance();
  const double q = sim.state().groups[0].q[0], v = sim.state().groups[0].v[0];
  CHECK(sim.probe(0) == doctest::Approx(2.0 * (std::cos(0.5) - std::cos(q))));
  CHECK(sim.probe(1) == doctest::Approx(2.0 * v * std::cos(q)));
}

TEST_CASE("a reaction is the force that holds a prescribed degree of freedom") {
  // two masses, springs 100 N/m between them and to the ground; the first is held 10 mm aside, the second in balance
  const std::string springs =
      "kind: linear, matrices: {mass: [1, 1], stiffness: [[100, -100], [-100, 200]]}, "
      "prescribed: [{dof: 0, constant: 0.01}], initial: {coordinates: [0.01, 0.005]}";
  Simulation sim(
      model_of(one_body(springs) + "outputs: [{probe: b, at: 0, quantity: reaction}]\n"));
  CHECK(sim.probe(0) == doctest::Approx(0.5).epsilon(1e-12));  // of the free motion, before a step
  sim.advance();
  CHECK(sim.probe(0) == doctest::Approx(0.5).epsilon(1e-12));
  CHECK_THROWS_WITH_AS(
      model_of(one_body(springs) + "outputs: [{probe: b, at: 1, quantity: reaction}]\n"),
      "scene.yaml:4:26: outputs[0].at: degree of freedom 1 of 'b' is free: it has no reaction; "
      "prescribed: 0",
      SceneError);
}

TEST_CASE("a reaction carries what lies on a prescribed support") {
  // a ball of 2 kg falls on a support that does not move, and stays there
  Simulation sim(model_of(
      "bodies:\n  - {name: ball, kind: linear, matrices: {mass: [2], load: [-19.62]}, initial: "
      "{coordinates: [0]}}\n"
      "  - {name: support, kind: linear, matrices: {mass: [1, 1], stiffness: [[50, 0], [0, 50]]}, "
      "prescribed: [{dof: 0, constant: 0}]}\n"
      "contacts: [{on: ball, at: 0, against: {body: support, at: 0, normal: [0, 0, 1]}, law: "
      "newton-impact}]\n"
      "outputs: [{probe: support, at: 0, quantity: reaction}]\n"));
  for (int k = 0; k < 5; ++k) sim.advance();
  CHECK(sim.probe(0) == doctest::Approx(19.62).epsilon(1e-10));
}
