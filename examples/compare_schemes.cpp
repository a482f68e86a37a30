// The exact modal scheme against the theta scheme on the free bass string: order, detuning, cost.
//
// What it shows: a scene changed from code, runs without files, a state read mode by mode. Both schemes cost about the
// same; the exact one has no error at the nodes, the theta scheme (theta = 1/2) turns omega into (2/h) atan(omega h/2).
//
//     build: part of the tests; or any program that links saltus::saltus
//     run:   compare_schemes
//     prints three tables; the same are in docs/theory/modal-exact.md
//     next:  examples/bass_on_frets.yaml
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"

namespace {

using namespace saltus;
using std::numbers::pi;

std::string string_scene(int modes, const char* damping) {
  return std::string(
             "saltus: 1\ntime: {end: 20 ms, rate: 44.1 kHz}\nbodies:\n  - name: string\n    kind: "
             "modal\n") +
         "    string: {length: 0.863 m, tension: 191.6 N, linear_density: 6.7e-3 kg/m, "
         "inharmonicity: 3.5e-5, modes: " +
         std::to_string(modes) + damping + "}\n    pluck: {at: 0.64 m, height: 3.6 mm}\n";
}

Simulation simulation(int modes, const char* scheme, double rate, const char* damping) {
  const std::vector<std::string> set{std::string("bodies[0].scheme=") + scheme,
                                     "time.rate=" + std::to_string(rate)};
  return Simulation(build(read_scene_text(string_scene(modes, damping), "compare_schemes", set)));
}

/// Largest error of a modal coordinate after 20 ms, relative to the largest coordinate; the exact flow by formula.
double error(const char* scheme, double rate) {
  Simulation sim = simulation(10, scheme, rate, ", damping: {constant: 5}");
  const Vector q0 = sim.model().initial()[0].q;
  const long steps = std::lround(0.02 * rate);
  for (long k = 0; k < steps; ++k) sim.advance();
  const ModalData& m = *sim.model().groups()[0].dynamics->modal();
  double worst = 0.0;
  for (int j = 0; j < 10; ++j) {
    const double t = sim.state().t, s = m.sigma[j], w = std::sqrt(m.omega[j] * m.omega[j] - s * s);
    const double exact = std::exp(-s * t) * q0[j] * (std::cos(w * t) + s / w * std::sin(w * t));
    worst = std::max(worst, std::abs(sim.state().groups[0].q[j] - exact));
  }
  return worst / q0.cwiseAbs().maxCoeff();
}

/// Frequency of mode j as the scheme moves it, from the phase of (q, q') over one second [Hz].
double frequency(const char* scheme, int j) {
  Simulation sim = simulation(j, scheme, 44100.0, "");
  const ModalData& m = *sim.model().groups()[0].dynamics->modal();
  Vector v(j);
  double last = 0.0, total = 0.0;
  const double start = sim.state().groups[0].q[j - 1];
  for (int k = 0; k < 44100; ++k) {
    sim.advance();
    sim.velocity(0, v);
    const double phase =
        std::atan2(-v[j - 1] / m.omega[j - 1] / start, sim.state().groups[0].q[j - 1] / start);
    total += std::remainder(phase - last, 2.0 * pi);
    last = phase;
  }
  return total / (2.0 * pi * sim.state().t);
}

double microseconds_a_step(const char* scheme) {
  Simulation sim = simulation(862, scheme, 44100.0, "");
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < 2000; ++k) sim.advance();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
             .count() /
         2000.0;
}

}  // namespace

int main() {
  std::printf("error after 20 ms, 10 modes\n%12s %12s %8s %12s\n", "rate [Hz]", "theta = 1/2",
              "order", "exact");
  double before = 0.0, order = 0.0, worst_exact = 0.0;
  for (double rate : {44100.0, 88200.0, 176400.0, 352800.0}) {
    const double theta = error("moreau-jean", rate), exact = error("modal-exact", rate);
    order = before > 0.0 ? std::log2(before / theta) : 0.0;
    std::printf("%12.0f %12.2e %8.2f %12.1e\n", rate, theta, order, exact);
    before = theta;
    worst_exact = std::max(worst_exact, exact);
  }
  std::printf("\npartials at 44.1 kHz\n%6s %12s %14s %10s %14s\n", "mode", "true [Hz]",
              "theta [Hz]", "cents", "exact: cents");
  double worst = 0.0;
  for (int j : {1, 10, 40, 80, 100}) {
    const Simulation sim = simulation(j, "modal-exact", 44100.0, "");
    const double f = sim.model().groups()[0].dynamics->modal()->omega[j - 1] / (2.0 * pi);
    const double theta = frequency("moreau-jean", j), exact = frequency("modal-exact", j);
    worst = std::max(worst, std::abs(theta / (std::atan(pi * f / 44100.0) / (pi / 44100.0)) - 1.0));
    std::printf("%6d %12.3f %14.3f %10.2f %14.1e\n", j, f, theta, 1200.0 * std::log2(theta / f),
                1200.0 * std::log2(exact / f));
  }
  std::printf("theta against (2/h) atan(omega h/2): %.1e\n", worst);
  std::printf("\ncost of a step of 862 modes with its ledger\n%14s %8.2f us\n%14s %8.2f us\n",
              "theta = 1/2", microseconds_a_step("moreau-jean"), "exact",
              microseconds_a_step("modal-exact"));
  const bool as_promised = std::abs(order - 2.0) < 0.15 && worst_exact < 1e-11 && worst < 1e-9;
  return as_promised ? EXIT_SUCCESS : EXIT_FAILURE;
}
