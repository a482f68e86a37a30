// What build makes of a scene, and what it says about one that will surprise.
#include "saltus/scene/build.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>

#include "saltus/advice/advice.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"
#include "support/data_folder.h"

using namespace saltus;

namespace {

using saltus_test::DataFolder;

Model model_of(const std::string& text, const std::filesystem::path& folder = {}) {
  return build(read_scene_text(text, "scene.yaml", {}, folder));
}

std::string fault_of(const std::string& text, const std::filesystem::path& folder = {}) {
  try {
    model_of(text, folder);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

std::string scene(const std::string& body, const std::string& rest = "") {
  return "saltus: 1\ntime: {end: 10 ms, rate: 10 kHz}\nbodies:\n  - name: b\n    kind: modal\n" +
         body + rest;
}

const char* kString =
    "    string: {length: 1 m, tension: 100 N, linear_density: 1 g/m, modes: 6%s}\n";
std::string string_with(const std::string& more) {
  std::string text = kString;
  return text.replace(text.find("%s"), 2, more);
}

}  // namespace

TEST_CASE("a bar has the frequencies of the textbooks, its rigid modes first") {
  const auto first = [](const std::string& bar, int mode) {
    const Model model = model_of(scene("    bar: {" + bar + "}\n"));
    return model.groups()[0].dynamics->modal()->omega[mode] / (2.0 * std::numbers::pi);
  };
  const std::string steel = "length: 0.5, young: 210 GPa, density: 7850, area: 1e-4, modes: 4";
  const double c = std::sqrt(210e9 / 7850.0), L = 0.5, pi = std::numbers::pi;
  const std::string bends = ", motion: bending, second_moment: 1e-9, ends: ";
  const double k = std::sqrt(210e9 * 1e-9 / (7850.0 * 1e-4)) / (2.0 * pi * L * L);
  CHECK(first(steel + ", motion: longitudinal, ends: fixed-free", 0) ==
        doctest::Approx(c / (4.0 * L)));
  CHECK(first(steel + ", motion: longitudinal, ends: fixed-fixed", 1) == doctest::Approx(c / L));
  CHECK(first(steel + ", motion: longitudinal, ends: free-free", 0) == 0.0);
  CHECK(first(steel + ", motion: longitudinal, ends: free-free", 1) ==
        doctest::Approx(c / (2.0 * L)));
  CHECK(first(steel + bends + "fixed-free", 0) == doctest::Approx(std::pow(1.8751040687, 2) * k));
  CHECK(first(steel + bends + "fixed-fixed", 0) == doctest::Approx(std::pow(4.7300407449, 2) * k));
  CHECK(first(steel + bends + "hinged-hinged", 0) == doctest::Approx(pi * pi * k));
  CHECK(first(steel + bends + "free-free", 1) == 0.0);
  CHECK(first(steel + bends + "free-free", 2) == doctest::Approx(std::pow(4.7300407449, 2) * k));
}

TEST_CASE("initial coordinates that are left out are zero, and rigid modes count") {
  const Model some = model_of(scene(string_with(""), "    initial: {coordinates: [1, 2]}\n"));
  CHECK(some.initial()[0].q == Vector(Eigen::Matrix<double, 6, 1>(1, 2, 0, 0, 0, 0)));
  const std::string bar = scene(
      "    bar: {length: 1, young: 1e9, density: 1000, area: 1e-4, motion: longitudinal, ends: "
      "free-free, modes: 3}\n",
      "    initial: {velocities: [1, 0, 0, 0]}\n");
  CHECK(model_of(bar).initial()[0].v[0] == 1.0);
  CHECK(fault_of(scene(string_with(""), "    initial: {coordinates: [1, 2, 3, 4, 5, 6, 7]}\n"))
            .find("7 entries for 6 modes") != std::string::npos);
}

TEST_CASE(
    "tables count their modes, places increase, and velocities alone leave coordinates at zero") {
  const DataFolder folder;
  folder.write("damping.csv", "1, 0.1\n3, 0.2\n2, 0.3\n4, 1\n5, 1\n6, 1\n");
  CHECK(
      fault_of(scene(string_with(", damping: {table: damping.csv}")), folder.path).find("row 2") !=
      std::string::npos);
  folder.write("shapes.csv", "0.1, 1, 1\n0.3, 1, 0.5\n0.2, 1, -1\n");
  const std::string modes = "    modes: {omega: [10, 20], shapes: shapes.csv}\n";
  CHECK(fault_of(scene(modes), folder.path).find("places start at 0") != std::string::npos);
  folder.write("shapes.csv", "0.1, 1, 1\n0.3, 1, 0.5\n");
  const std::string between =
      fault_of(scene(modes, "outputs:\n  - {probe: b, at: 0.2 m}\n"), folder.path);
  CHECK(between.find("scene.yaml:8:") == 0);
  CHECK(between.find("outputs[0].at") != std::string::npos);
  folder.write("v.csv", "1\n2\n");
  const Model moving = model_of(
      scene("    modes: {omega: [10, 20]}\n", "    initial: {file: v.csv, velocity_column: 1}\n"),
      folder.path);
  CHECK(moving.initial()[0].q.isZero(0.0));
  CHECK(moving.initial()[0].v[1] == 2.0);
}

TEST_CASE("a theta below one half is told to be unstable where it is") {
  const auto warned = [](const char* theta, const char* rate) {
    const std::string text = scene(
        string_with(""), std::string("    scheme: {kind: moreau-jean, theta: ") + theta + "}\n");
    return model_of(std::string(text).replace(text.find("10 kHz"), 6, rate)).warnings().size();
  };
  CHECK(warned("0", "10 kHz") == 1);
  CHECK(warned("0.4", "10 kHz") == 1);
  CHECK(warned("0.5", "1 kHz") == 0);
  // undamped modes grow at any step, damped ones beyond a limit: as the scheme does
  for (const auto& [sigma, h] : {std::pair{0.0, 1e-5}, {50.0, 1e-5}, {50.0, 1e-3}}) {
    CAPTURE(sigma);
    CAPTURE(h);
    const std::string text =
        "saltus: 1\ntime: {end: 1, step: " + std::to_string(h) +
        "}\nbodies:\n  - name: b\n    kind: modal\n    modes: {omega: [1000], sigma: [" +
        std::to_string(sigma) + "]}\n    scheme: {kind: moreau-jean, theta: 0.4}\n" +
        "    initial: {coordinates: [1]}\n";
    const Model model = model_of(text);
    Simulation sim(model);
    for (int k = 0; k < 2000; ++k) sim.advance();
    const bool grew = sim.state().energy.total() > sim.state().energy_start;
    CHECK(grew == !model.warnings().empty());
    CHECK(grew == (sigma == 0.0 || h == 1e-3));
  }
}

TEST_CASE("a scheme that is chosen for whole runs makes no model, and who chooses it is named") {
  const std::string text = fault_of(
      "saltus: 1\n"
      "time: {end: 1 s, tolerance: 1e-5, scheme: auto}\n"
      "bodies: [{name: o, kind: linear, oscillator: {mass: 1}}]\n");
  CAPTURE(text);
  CHECK(text.find("time.scheme: 'auto' is chosen for whole runs only: by `saltus run`, `saltus "
                  "study` and saltus.run(); name `mode`, `step` and the schemes of the bodies "
                  "here") != std::string::npos);
  CHECK(text.find(".h") == std::string::npos);
}

TEST_CASE("modes that contact excites at resonance or cannot move are told, others are not") {
  const auto advice = [](double z, double sigma) {  // z = omega h
    ModalData one;
    one.mass = Vector::Ones(1);
    one.omega = Vector::Constant(1, z);
    one.sigma = Vector::Constant(1, sigma);
    return contact_advice(one, 1.0, "b").value_or("");
  };
  CHECK(advice(std::numbers::pi * 1.001, 0.0).find("too strongly") != std::string::npos);
  CHECK(advice(std::numbers::pi, 0.0).find("more than a million") != std::string::npos);
  CHECK(advice(std::numbers::pi * 1.001, 0.01).empty());
  CHECK(advice(2.0 * std::numbers::pi, 0.0).find("has no effect on") != std::string::npos);
  CHECK(advice(0.5, 0.0).empty());
  CHECK(pluck_advice(0.05, 0.65, 3, "b").has_value());
  CHECK(!pluck_advice(0.64, 0.863, 862, "b").has_value());
}

TEST_CASE("a contact problem that overflows stops the run as non-finite, not as unsolved") {
  const Model model = model_of(scene(
      "    string: {length: 1 m, tension: 1e300 N, linear_density: 1 g/m, modes: 6}\n    pluck: "
      "{at: 0.3, height: 1 mm}\n",
      "contacts:\n  - {on: b, against: {points: [[0.5 m, -0.1 mm]]}, law: signorini-position}\n"));
  Simulation sim(model);
  bool finite = true;
  for (int k = 0; k < 50 && finite; ++k) finite = sim.advance().finite;
  CHECK(!finite);
}
