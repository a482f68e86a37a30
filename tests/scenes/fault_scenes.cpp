#include "fault_scenes.h"

#include <sstream>

#include "saltus/results/results.h"
#include "saltus/results/results_reader.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/study/compare.h"

namespace saltus_test {

std::vector<FaultScene> fault_scenes() {
  return {{"string", R"(saltus: 1
time: {end: 300 ms, rate: 40 kHz}
bodies:
  - name: string
    kind: modal
    string: {length: 0.7 m, tension: 70 N, linear_density: 1 g/m, modes: 60, damping: {constant: 0.8 1/s}}
    scheme: modal-exact
    pluck: {at: 0.2 m, height: 3 mm}
contacts:
  - on: string
    against: {frets: [[0.4 m, -0.5 mm]]}
    law: signorini-position
outputs:
  - {probe: string, name: pickup, at: 0.5 m}
results: {frames: 30, checkpoint_every: 2000}
)"},
          {"mixed", R"(saltus: 1
time: {end: 0.4 s, step: 1 ms}
gravity: [0, 0, -9.81]
contact: {instant: middle}
bodies:
  - name: floor
    kind: rigid
    rigid: {shape: {plane: {}}, fixed: true}
  - name: ball
    kind: rigid
    rigid: {shape: {sphere: {radius: 20 mm}}, density: 2500, position: [0, 0, 0.05], velocity: [1, 0, 0], copies: {count: [2, 2, 1], spacing: [41 mm, 45 mm, 50 mm]}}
  - name: link
    kind: rigid
    rigid: {shape: {capsule: {radius: 10 mm, length: 0.1}, rotation: {axis: [0, 1, 0], angle: 90 deg}}, density: 2000, position: [0.5, 0.5, 0.08], copies: {count: [2, 1, 1], spacing: [0.1, 0, 0]}}
  - name: block
    kind: fem
    fem:
      mesh: {box: {kind: hex8, cells: [1, 1, 1], size: [0.05, 0.05, 0.05]}}
      material: {law: neo_hooke, young: 0.5 MPa, poisson: 0.3, density: 1000}
      position: [-0.3, -0.3, 0.002]
      velocity: [0.5, 0, 0]
    rayleigh: {stiffness: 1 ms}
surfaces:
  - {law: {kind: newton-impact, restitution: 0.3, friction: 0.3}}
joints:
  - {name: pin, kind: revolute, between: [link.0, link.1], at: [0.55, 0.5, 0.08], axis: [0, 1, 0]}
outputs:
  - {probe: ball.0, name: b, at: [0, 0, 0], direction: [0, 0, 1], quantity: displacement}
results: {frames: 20, checkpoint_every: 60}
)"},
          {"events", R"(saltus: 1
time: {end: 2 s, step: 1 ms, mode: events, tolerance: 1e-10}
bodies:
  - name: table
    kind: particles
    particles: {mass: [1 kg], positions: [[0, 0, 0]]}
    prescribed: [{dof: 2, harmonic: {amplitude: 0.1 m, frequency: 2.3873241463784303 Hz, phase: -90 deg}}]
  - name: mass
    kind: particles
    particles: {mass: [1 kg], positions: [[0, 0, 0]], velocities: [[0, 0, 1.5 m/s]], gravity: [0, 0, -9.81]}
contacts:
  - {name: on the table, on: mass, against: {body: table, at: 0, normal: [0, 0, 1]}, law: {kind: newton-impact, restitution: 0.3}}
outputs:
  - {probe: mass, name: height, at: 0, quantity: displacement}
results: {frames: 40, checkpoint_every: 150}
)"}};
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int lines_that_are_no_warnings(const std::string& err) {
  std::istringstream lines(err);
  int count = 0;
  for (std::string line; std::getline(lines, line);)
    count += !line.starts_with("saltus: warning: ");
  return count;
}

bool same_results(const std::string& a, const std::string& b) {
  const saltus::ResultsReader x(a), y(b);
  return x.finished() && y.finished() && x.rows() == y.rows() && x.frames() == y.frames() &&
         !saltus::compare_results(x, y, 0.0).differs();
}

std::uint64_t checkpoint_step(const std::string& file, const FaultScene& scene) {
  const saltus::Model model = saltus::build(saltus::read_scene_text(scene.text, "scene.yaml"));
  return saltus::read_checkpoint(file, model).step;
}

}  // namespace saltus_test
