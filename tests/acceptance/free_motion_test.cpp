// Free motion of single modes against exact values, through a scene.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>

#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

double number(const std::string& text) {
  return std::strtod(text.c_str(), nullptr);
}  // takes subnormals, too

struct Sample {
  int i;
  double q;
};
struct Case {
  std::string omega, sigma, dt, q0, v0;
  std::vector<Sample> nodes;
};

/// tests/golden/modal/free_trajectories.csv: case, omega, sigma, dt, i, q, v_scheme, qdot.
std::map<std::string, Case> golden() {
  std::ifstream file(std::string(SALTUS_TEST_DATA) + "/golden/modal/free_trajectories.csv");
  REQUIRE(file.good());
  std::map<std::string, Case> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line.rfind("case", 0) == 0) continue;
    std::vector<std::string> cell;
    std::stringstream cells(line);
    for (std::string c; std::getline(cells, c, ',');) cell.push_back(c);
    REQUIRE(cell.size() == 8);
    Case& it = cases[cell[0]];
    it.omega = cell[1];
    it.sigma = cell[2];
    it.dt = cell[3];
    const int i = std::stoi(cell[4]);
    if (i == 0) {
      it.q0 = cell[5];
      it.v0 = cell[7];
    }
    it.nodes.push_back({i, number(cell[5])});
  }
  return cases;
}

}  // namespace

TEST_CASE(
    "a free mode is exact at every node from physical data, whatever its regime, step and mass") {
  const auto cases = golden();
  REQUIRE(cases.size() == 9);
  for (const char* mass : {"1", "2.5"})
    for (const auto& [name, c] : cases) {
      CAPTURE(mass);
      CAPTURE(name);
      const int last = c.nodes.back().i;
      const std::string text = fmt::format(
          "saltus: 1\ntime: {{end: {}, step: {}}}\nbodies:\n  - name: mode\n    kind: modal\n    "
          "modes: {{omega: [{}], "
          "sigma: [{}], mass: [{}]}}\n    scheme: modal-exact\n    initial: {{coordinates: [{}], "
          "velocities: [{}]}}\n",
          last * number(c.dt), c.dt, c.omega, c.sigma, mass, c.q0, c.v0);
      double amplitude = 0.0;
      for (const Sample& node : c.nodes) amplitude = std::max(amplitude, std::abs(node.q));
      std::map<int, double> exact;
      for (const Sample& node : c.nodes) exact[node.i] = node.q;
      double worst = 0.0;
      int compared = 0;
      const Shown s = run_text(text, {}, [&](const Simulation& sim, const StepReport&) {
        const auto it = exact.find(static_cast<int>(sim.state().step));
        if (it == exact.end()) return;
        worst = std::max(worst, std::abs(sim.state().groups[0].q[0] - it->second));
        ++compared;
      });
      CHECK(compared == static_cast<int>(exact.size()) - 1);  // all but the start
      CHECK(worst <= 1e-12 * amplitude);
      CHECK(s.worst_unexplained <= 1e-12);
      MESSAGE("case " << name << ", mass " << mass << ": error " << worst / amplitude
                      << " of the amplitude");
    }
}

namespace {

constexpr const char* kStiffString = R"(saltus: 1
time: {end: 1 s, rate: 44.1 kHz}
bodies:
  - name: string
    kind: modal
    string: {length: 1.002 m, tension: 180.5 N, linear_density: 1.17e-3 kg/m, inharmonicity: 1.78e-5, modes: 40}
    scheme: modal-exact
    initial: {coordinates: [%s]}
)";

std::string ones(int n) {
  std::string list;
  for (int j = 0; j < n; ++j) list += j == 0 ? "1" : ", 1";
  return list;
}

std::string stiff_string() {
  std::string text = kStiffString;
  return text.replace(text.find("%s"), 2, ones(40));
}

/// Phase of mode j, from q and the physical velocity: q = cos(phase), q' = -omega sin(phase).
double advance_of_phase(const Simulation& sim, int j, double& last, double& total, Vector& v) {
  sim.velocity(0, v);
  const ModalData& modes = *sim.model().groups()[0].dynamics->modal();
  const double phase = std::atan2(-v[j] / modes.omega[j], sim.state().groups[0].q[j]);
  total += std::remainder(phase - last, 2.0 * std::numbers::pi);
  last = phase;
  return total;
}

}  // namespace

TEST_CASE("the partials of a stiff string lie at j f0 sqrt(1 + B j^2), B20") {
  const std::map<int, double> exact{{1, 195.99808145170035},
                                    {2, 392.00662887493707},
                                    {10, 1961.7069627673414},
                                    {40, 7950.7092454041877}};
  std::map<int, double> last, total;
  Vector v(40);
  const Shown s = run_text(stiff_string(), {}, [&](const Simulation& sim, const StepReport&) {
    for (const auto& [j, f] : exact) advance_of_phase(sim, j - 1, last[j], total[j], v);
  });
  const double T = s.sim.state().t;
  for (const auto& [j, f] : exact) {
    CAPTURE(j);
    const double measured = total[j] / (2.0 * std::numbers::pi * T);
    CHECK(std::abs(measured / f - 1.0) <= 1e-12);
    MESSAGE("mode " << j << ": " << measured / f - 1.0);
  }
}

TEST_CASE("the theta scheme with theta = 1/2 turns omega into (2/h) atan(omega h/2), B20") {
  const double f40 = 7950.7092454041877, h = 1.0 / 44100.0, pi = std::numbers::pi;
  double last = 0.0, total = 0.0;
  Vector v(40);
  const Shown s = run_text(
      stiff_string(), {"bodies[0].scheme=moreau-jean"},
      [&](const Simulation& sim, const StepReport&) { advance_of_phase(sim, 39, last, total, v); });
  const double measured = total / (2.0 * pi * s.sim.state().t);
  CHECK(std::abs(measured / 7234.0834551553501 - 1.0) <= 1e-9);
  CHECK(std::abs(measured / (std::atan(pi * f40 * h) / (pi * h)) - 1.0) <= 1e-9);
  CHECK(s.worst_unexplained <= 1e-12);
}

TEST_CASE("damped partials decay by exp(-sigma t), B20") {
  std::string text = stiff_string();
  text.replace(text.find("modes: 40}"), 10, "modes: 40, damping: {constant: 0.6}}");
  double largest = 0.0;
  const auto physical = [](const Simulation& sim,
                           int j) {  // envelope: sqrt(q^2 + ((q' + sigma q)/omega_d)^2)
    Vector v(40);
    sim.velocity(0, v);
    const ModalData& m = *sim.model().groups()[0].dynamics->modal();
    const double q = sim.state().groups[0].q[j], od = std::sqrt(m.omega[j] * m.omega[j] - 0.36);
    return std::hypot(q, (v[j] + 0.6 * q) / od);
  };
  const Shown s = run_text(text);
  for (int j : {0, 1, 9, 39}) {
    const ModalData& m = *s.sim.model().groups()[0].dynamics->modal();
    const double start = std::hypot(1.0, 0.6 / std::sqrt(m.omega[j] * m.omega[j] - 0.36));
    const double ratio = physical(s.sim, j) / start;
    largest = std::max(largest, std::abs(ratio - 0.54881163609402643));
  }
  CHECK(largest <= 1e-10);
}
