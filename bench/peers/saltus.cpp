// The Saltus library, one thread. METHOD `events`: event-driven integration, PARAMETER: its tolerance; otherwise METHOD is a
// scheme and PARAMETER the step.
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include "blocks.h"
#include "peer.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"
#include "saltus/version.h"

namespace {

using namespace peers;
using saltus::Simulation;

/// Steps to `end` and calls `look` for each of `rows` rows; event-driven integration makes one call per row, with steps of
/// its own inside.
template <class Look>
Outcome go(const std::string& text, double end, int rows, double parameter,
           const std::string& method, Look&& look) {
  const bool events = method == "events";
  const std::string time =
      events
          ? fmt::format("time: {{end: {:.17g}, step: {:.17g}, mode: events, tolerance: {:.17g}}}\n",
                        2.0 * end, end / rows, parameter)
          : fmt::format("time: {{end: {:.17g}, step: {:.17g}}}\n", 2.0 * end, parameter);
  // without the energy ledger, as the other engines have none
  Simulation sim(saltus::build(saltus::read_scene_text("saltus: 1\n" + time + text, "scene"))
                     .with_ledger(false));
  long inner = 0;
  Outcome outcome = march(
      end, events ? end / rows : parameter, rows,
      [&](double) {
        const double before = sim.state().t;
        const saltus::StepReport report = sim.advance();
        inner += report.steps;
        if (!report.finite || !(sim.state().t > before))
          throw std::runtime_error(std::string(report.failure));
      },
      [&](std::vector<double>& values) { look(sim, values); });
  if (events) outcome.steps = inner;
  return outcome;
}

std::string scheme_of(const std::string& method) {
  return method == "events" ? "" : "    scheme: " + method + "\n";
}

/// Positions of all moving rigid bodies, in the order of the scene.
void places(const Simulation& sim, std::vector<double>& values) {
  for (const saltus::GroupState& group : sim.state().groups)
    for (long i = 0; i < group.q.size(); i += 7)
      for (int k = 0; k < 3; ++k) values.push_back(group.q[i + k]);
}

Outcome ball(double parameter, const std::string& method) {
  using namespace scenes::ball;
  const std::string text = fmt::format(
      "bodies:\n  - name: ball\n    kind: particles\n"
      "    particles: {{mass: [{:.17g}], positions: [[0, 0, {:.17g}]], gravity: [0, 0, "
      "{:.17g}]}}\n{}"
      "contacts:\n  - {{on: ball, against: {{plane: {{}}}}, law: {{kind: newton-impact, "
      "restitution: {:.17g}}}}}\n",
      mass, height, -scenes::kGravity, scheme_of(method), restitution);
  return go(text, end, rows, parameter, method,
            [](const Simulation& sim, std::vector<double>& values) {
              values.push_back(sim.state().groups[0].q[2]);
            });
}

Outcome top(double parameter, const std::string& method) {
  using namespace scenes::top;
  const std::string text = fmt::format(
      "bodies:\n  - name: top\n    kind: rigid\n"
      "    rigid: {{mass: {:.17g}, inertia: [{:.17g}, {:.17g}, {:.17g}], locked: [x, y, z], "
      "rotation: {{vector: [{:.17g}, 0, 0]}}, "
      "spin: [0, 0, {:.17g}]}}\n"
      "    loads: [{{force: [0, 0, 1], point: [0, 0, {:.17g}], constant: {:.17g}}}]\n{}",
      mass, inertia[0], inertia[1], inertia[2], tilt, spin, arm, -mass * scenes::kGravity,
      scheme_of(method));
  return go(text, end, 1, parameter, method,
            [](const Simulation& sim, std::vector<double>& values) {
              for (int i = 3; i < 7; ++i) values.push_back(sim.state().groups[0].q[i]);
            });
}

/// `point SCHEME`, `point events`: the box is a point mass, as for Siconos; otherwise its four corners are in contact.
Outcome incline(double parameter, const std::string& asked) {
  using namespace scenes::incline;
  const bool point = asked.starts_with("point ");
  const std::string method = point ? asked.substr(6) : asked;
  if (point) {
    const std::string text = fmt::format(
        "contact: {{instant: start}}\nbodies:\n  - name: box\n    kind: particles\n"
        "    particles: {{mass: [{}], positions: [[0, 0, 0]], velocities: [[{}, 0, 0]], gravity: "
        "[{:.17g}, 0, {:.17g}]}}\n{}"
        "contacts:\n  - {{on: box, against: {{plane: {{}}}}, law: {{kind: newton-impact, friction: "
        "{}}}}}\n",
        mass, speed, -scenes::kGravity * std::sin(slope), -scenes::kGravity * std::cos(slope),
        scheme_of(method), friction);
    return go(text, end, 1, parameter, method,
              [](const Simulation& sim, std::vector<double>& values) {
                const saltus::Vector& q = sim.state().groups[0].q;
                values = {q[0], q[1], q[2] + half[2]};
              });
  }
  const std::string text = fmt::format(
      "gravity: [{:.17g}, 0, {:.17g}]\ncontact: {{instant: middle}}\nbodies:\n"
      "  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}\n"
      "  - name: box\n    kind: rigid\n"
      "    rigid: {{shape: {{box: {{size: [{}, {}, {}]}}}}, mass: {}, position: [0, 0, {:.17g}], "
      "velocity: [{}, 0, 0]}}\n{}"
      "surfaces:\n  - {{law: {{kind: newton-impact, friction: {}, activation: {{threshold: 1 "
      "um}}}}}}\n",
      -scenes::kGravity * std::sin(slope), -scenes::kGravity * std::cos(slope), 2.0 * half[0],
      2.0 * half[1], 2.0 * half[2], mass, half[2], speed, scheme_of(method), friction);
  return go(text, end, 1, parameter, method, places);
}

std::string bodies_head(double tolerance, const std::string& more = "") {
  return fmt::format(
      "gravity: [0, 0, {:.17g}]\ncontact: {{instant: middle}}\nsolver: {{{}tolerance: "
      "{}}}\non_failure: accept\nbodies:\n",
      -scenes::kGravity, more, tolerance);
}

Outcome stack(double parameter, const std::string& method) {
  using namespace scenes::stack;
  const std::string text =
      bodies_head(1e-12) +
      fmt::format(
          "  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}\n"
          "  - name: cube\n    kind: rigid\n"
          "    rigid: {{shape: {{box: {{size: [{0}, {0}, {0}]}}, position: [0, 0, {1}]}}, density: "
          "{2}, "
          "copies: {{count: [1, 1, {3}], spacing: [0, 0, {0}]}}}}\n{4}"
          "surfaces:\n  - {{law: {{kind: newton-impact, friction: {5}, activation: {{threshold: 1 "
          "um}}}}}}\n",
          2.0 * half, half, density, cubes, scheme_of(method), friction);
  return go(text, end, 1, parameter, method, places);
}

Outcome wall(double parameter, const std::string& method) {
  using namespace scenes::wall;
  std::string text = bodies_head(1e-9) +
                     "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n";
  int k = 0;
  for (const auto& b : bricks_at)
    text += fmt::format(
        "  - name: brick {}\n    kind: rigid\n    rigid: {{shape: {{box: {{size: [{}, {}, {}]}}}}, "
        "density: {}, "
        "position: [{}, {}, {}]}}\n{}",
        ++k, 2.0 * b[3], 2.0 * b[4], 2.0 * b[5], density, b[0], b[1], b[2], scheme_of(method));
  text += fmt::format(
      "surfaces:\n  - {{law: {{kind: newton-impact, friction: {}, activation: {{threshold: 1 "
      "um}}}}}}\n",
      friction);
  return go(text, end, 1, parameter, method, places);
}

/// METHOD: the scheme, optionally followed by `/` and the tolerance of the contacts.
Outcome pile(double parameter, const std::string& method) {
  using namespace scenes::pile;
  const auto cut = method.find('/');
  const std::string scheme = method.substr(0, cut),
                    tolerance = cut == std::string::npos ? "1e-6" : method.substr(cut + 1);
  std::string text =
      bodies_head(std::atof(tolerance.c_str()), "kind: body-gauss-seidel, iterations: 1000, ") +
      fmt::format(
          "  - {{name: box, kind: rigid, rigid: {{shapes: [{{plane: {{}}}}, {{plane: {{point: "
          "[-{0}, 0, 0], normal: [1, 0, 0]}}}}, "
          "{{plane: {{point: [{0}, 0, 0], normal: [-1, 0, 0]}}}}, {{plane: {{point: [0, -{0}, 0], "
          "normal: [0, 1, 0]}}}}, "
          "{{plane: {{point: [0, {0}, 0], normal: [0, -1, 0]}}}}], fixed: true}}}}\n",
          half);
  int k = 0;
  for (const auto& c : centres)
    text += fmt::format(
        "  - name: ball {}\n    kind: rigid\n    rigid: {{shape: {{sphere: {{radius: {}}}}}, "
        "density: {}, "
        "position: [{:.17g}, {:.17g}, {:.17g}]}}\n{}",
        ++k, radius, density, c[0], c[1], c[2], scheme_of(scheme));
  text += fmt::format("surfaces:\n  - {{law: {{kind: newton-impact, friction: {}}}}}\n", friction);
  return go(text, end, static_cast<int>(std::lround(end / (end - seen))), parameter, scheme,
            [](const Simulation& sim, std::vector<double>& values) {
              if (sim.state().t > seen - 1e-6) places(sim, values);
            });
}

/// METHOD: the scheme or `default`, optionally followed by `/` and the tolerance of the contacts or, as `x10`, a number of
/// sweeps; without it the solver has its default options.
Outcome heap(double parameter, const std::string& method) {
  using namespace scenes::heap;
  const auto cut = method.find('/');
  const std::string scheme = method.substr(0, cut),
                    how = cut == std::string::npos ? "" : method.substr(cut + 1);
  std::string solver;
  if (how.starts_with("x"))
    solver = fmt::format(
        "solver: {{kind: body-gauss-seidel, iterations: {}}}\non_failure: accept\n", how.substr(1));
  else if (!how.empty())
    solver = fmt::format("solver: {{tolerance: {}}}\n", how);
  const std::string text =
      fmt::format(
          "saltus: 1\ntime: {{end: {0:.17g}, step: {1:.17g}}}\ngravity: [{2}, {3}, "
          "{4}]\n{5}bodies:\n"
          "  - {{name: box, kind: rigid, rigid: {{shapes: [{{plane: {{}}}}, {{plane: {{point: "
          "[-{6}, 0, 0], normal: [1, 0, 0]}}}}, "
          "{{plane: {{point: [{6}, 0, 0], normal: [-1, 0, 0]}}}}, {{plane: {{point: [0, -{6}, 0], "
          "normal: [0, 1, 0]}}}}, "
          "{{plane: {{point: [0, {6}, 0], normal: [0, -1, 0]}}}}], fixed: true}}}}\n",
          2.0 * end, parameter, gravity[0], gravity[1], gravity[2], solver, half) +
      fmt::format(
          "  - name: ball\n    kind: rigid\n    rigid: {{shape: {{sphere: {{radius: {0}}}}}, "
          "density: {1}, position: [{2}, {3}, {4}], copies: {{count: [{5}, {5}, {5}], spacing: "
          "[{6}, "
          "{6}, {6}]}}}}\n{7}"
          "surfaces:\n  - {{law: {{kind: newton-impact, friction: {8}, restitution: 0}}}}\n",
          radius, density, first[0], first[1], first[2], side, spacing,
          scheme == "default" ? "" : scheme_of(scheme), friction);
  // without the energy ledger, as the other engines have none
  Simulation sim(saltus::build(saltus::read_scene_text(text, "scene")).with_ledger(false));
  double residual = 0.0;
  Outcome outcome = march_heap(
      parameter,
      [&](double) {
        const double before = sim.state().t;
        const saltus::StepReport report = sim.advance();
        residual = std::max(residual, report.residual);
        if (!report.finite || !(sim.state().t > before))
          throw std::runtime_error(std::string(report.failure));
      },
      [&](std::vector<double>& centres) { places(sim, centres); });
  outcome.residual = residual;
  return outcome;
}

Outcome chain(double parameter, const std::string& method) {
  using namespace scenes::chain;
  const double across = mass * (rod * rod + width * width) / 12.0;
  std::string text = fmt::format(
      "gravity: [0, 0, {:.17g}]\n{}bodies:\n", -scenes::kGravity,
      method.find("runge-kutta") != std::string::npos ? "joint: {in_stages: true}\n" : "");
  for (int i = 0; i < links; ++i)
    text += fmt::format(
        "  - name: rod {}\n    kind: rigid\n    rigid: {{mass: {}, inertia: [{:.17g}, {:.17g}, "
        "{:.17g}], position: [{}, 0, 0]}}\n{}",
        i, mass, mass * width * width / 6.0, across, across, (i + 0.5) * rod, scheme_of(method));
  text += "joints:\n";
  for (int i = 0; i < links; ++i)
    text += fmt::format(
        "  - {{kind: revolute, between: [{}, rod {}], at: [{}, 0, 0], axis: [0, 1, 0]}}\n",
        i ? fmt::format("rod {}", i - 1) : "world", i, i * rod);
  return go(text, end, rows, parameter, method,
            [](const Simulation& sim, std::vector<double>& values) {
              for (const saltus::GroupState& group : sim.state().groups)
                for (long i = 0; i < group.q.size(); i += 7) {
                  values.push_back(group.q[i]);
                  values.push_back(group.q[i + 2]);
                }
            });
}

Outcome impact(double parameter, const std::string& method) {
  using namespace scenes::impact;
  const double period = 2.0 * M_PI / angular_frequency;
  const std::string text = fmt::format(
      "bodies:\n  - name: mass\n    kind: linear\n    oscillator: {{mass: 1, stiffness: 1, "
      "damping: {}}}\n{}"
      "    loads:\n      - {{dof: 0, harmonic: {{amplitude: {}, frequency: {:.17g}, phase: "
      "{:.17g}}}}}\n"
      "    initial: {{coordinates: [{}], velocities: [{:.17g}]}}\n"
      "contacts:\n  - {{on: mass, against: {{stop: {{at: {}, side: above}}}}, law: {{kind: "
      "newton-impact, restitution: {}}}}}\n",
      damping, scheme_of(method), force, angular_frequency / (2.0 * M_PI),
      angular_frequency * phase, stop, -restitution * speed, stop, restitution);
  int row = 0;
  return go(text, (periods - 0.5) * period, 2 * periods - 1,
            method == "events" ? parameter : 0.5 * period / parameter, method,
            [&](const Simulation& sim, std::vector<double>& values) {
              if (row++ % 2 == 0) values.push_back(sim.state().groups[0].q[0]);
            });
}

Outcome friction(double parameter, const std::string& method) {
  using namespace scenes::friction;
  const std::string text = fmt::format(
      "bodies:\n  - name: mass\n    kind: linear\n    oscillator: {{mass: {}, stiffness: {}}}\n{}  "
      "  initial: {{coordinates: [{}]}}\n"
      "contacts:\n  - {{on: mass, against: {{stop: {{at: 0, side: below}}}}, law: {{kind: relay, "
      "bound: {}}}}}\n",
      mass, stiffness, scheme_of(method), start, bound);
  return go(text, end, 1, parameter, method,
            [](const Simulation& sim, std::vector<double>& values) {
              values.push_back(sim.state().groups[0].q[0]);
            });
}

Outcome linear(double parameter, const std::string& method) {
  using namespace scenes::linear;
  std::string text;
  if (method == "modal-exact") {  // the modes of the chain in closed form
    std::string omega, q;
    for (int j = 1; j <= masses; ++j) {
      omega +=
          fmt::format("{}{:.17g}", j > 1 ? ", " : "",
                      2.0 * std::sqrt(stiffness / mass) * std::sin(0.5 * M_PI * j / (masses + 1)));
      q += fmt::format("{}{:.17g}", j > 1 ? ", " : "",
                       std::sqrt(2.0 / (masses + 1)) * start *
                           std::sin(M_PI * j * (plucked + 1) / (masses + 1)));
    }
    text = fmt::format(
        "bodies:\n  - name: chain\n    kind: modal\n    modes: {{omega: [{}]}}\n    initial: "
        "{{coordinates: [{}]}}\n",
        omega, q);
    Eigen::MatrixXd shape(masses, masses);
    for (int i = 0; i < masses; ++i)
      for (int j = 0; j < masses; ++j)
        shape(i, j) =
            std::sqrt(2.0 / (masses + 1)) * std::sin(M_PI * (i + 1) * (j + 1) / (masses + 1));
    return go(text, end, 1, parameter, method,
              [&](const Simulation& sim, std::vector<double>& values) {
                const Eigen::VectorXd u = shape * sim.state().groups[0].q;
                values.assign(u.data(), u.data() + masses);
              });
  }
  std::string q;
  for (int i = 0; i < masses; ++i)
    q += fmt::format("{}{}", i ? ", " : "", i == plucked ? start : 0.0);
  text = fmt::format(
      "bodies:\n  - name: chain\n    kind: linear\n    chain: {{masses: {}, mass: {}, stiffness: "
      "{}, ends: fixed-fixed}}\n{}"
      "    initial: {{coordinates: [{}]}}\n",
      masses, mass, stiffness, scheme_of(method), q);
  return go(text, end, 1, parameter, method,
            [](const Simulation& sim, std::vector<double>& values) {
              for (int i = 0; i < masses; ++i) values.push_back(sim.state().groups[0].q[i]);
            });
}

/// METHOD: restitution, height of the pluck [m], end [s]; PARAMETER: the sampling rate [Hz]. The law on velocities of
/// MoreauJeanBilbaoOSI, raw start. Values: displacement at the frets.
Outcome string(double rate, const std::string& method) {
  using namespace scenes::string;
  double e = 1.0, high = height, until = end;
  if (std::sscanf(method.c_str(), "%lf,%lf,%lf", &e, &high, &until) != 3)
    throw std::runtime_error("method E,HEIGHT,END");
  std::string text = fmt::format(
      "contact: {{instant: start}}\nbodies:\n  - name: string\n    kind: modal\n"
      "    string: {{length: {}, tension: {}, linear_density: {}, inharmonicity: {}, modes: {}, "
      "damping: {{model: air-viscoelastic, "
      "diameter: {}, loss_angle: {}, thermoelastic: {}, loss_frequency: ideal}}}}\n"
      "    scheme: {{kind: modal-exact, start: raw}}\n    pluck: {{at: {}, height: {:.17g}}}\n"
      "contacts:\n  - {{on: string, against: {{frets: {{count: {}, scale: {}, height: [{}, {}, "
      "{}]}}}}, "
      "law: {{kind: newton-impact, restitution: {}}}}}\noutputs:\n",
      length, tension, density, inharmonicity, modes, diameter, loss_angle, thermoelastic, pluck_at,
      high, frets, length, crowns[0], crowns[1], crowns[2], e);
  for (int k = 1; k <= frets; ++k)
    text += fmt::format(
        "  - {{probe: string, name: fret {}, at: {:.17g}, quantity: displacement, modes: all}}\n",
        k, length * (1.0 - std::pow(2.0, -k / 12.0)));
  return go(text, until, 1, 1.0 / rate, method,
            [](const Simulation& sim, std::vector<double>& values) {
              for (int k = 0; k < frets; ++k) values.push_back(sim.probe(k));
            });
}

}  // namespace

int main(int argc, char** argv) {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  return main_of(argc, argv, "Saltus " + std::string(saltus::commit()),
                 {{"ball", ball},
                  {"top", top},
                  {"incline", incline},
                  {"stack", stack},
                  {"wall", wall},
                  {"pile", pile},
                  {"heap", heap},
                  {"chain", chain},
                  {"impact", impact},
                  {"friction", friction},
                  {"linear", linear},
                  {"string", string}});
}
