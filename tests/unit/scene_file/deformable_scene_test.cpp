// Scenes with deformable bodies are read, written with every default, read back, and name their data files.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "saltus/scene_file/data_files.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;

namespace {

const char* const kSoft = R"(saltus: 1
time: {end: 1 s, step: 1 ms}
gravity: [0, 0, -9.81]
bodies:
  - name: block
    kind: fem
    rayleigh: {mass: 1 1/s, stiffness: 2 ms}
    fem:
      mesh: {file: block.msh, scale: 0.001}
      materials:
        - {set: steel, material: {young: 210 GPa, poisson: 0.3, density: 7850}}
        - {set: rubber, thickness: 2 mm, area: 3 mm^2, material: {law: mooney-rivlin, c10: 1 MPa, c01: 2 MPa, bulk: 1 GPa, density: 1100}}
      plane: stress
      thickness: 4 mm
      mass: consistent
      viscosity: strain_rate
      position: [1, 2, 3]
      rotation: {axis: [0, 0, 1], angle: 30 deg}
      velocity: [1, 0, 0]
      spin: [0, 0, 2]
      start: start.csv
      gravity: [0, 0, 0]
      fixed: [{set: base}, {nodes: [1, 2], axes: [x, z]}, {at: [0, 0, 1]}]
      prescribed: [{set: side, x: {rate: 1 mm/s}, z: {file: course.csv, smooth: true}}]
      loads:
        - {set: top, pressure: 1 kPa, factor: {file: factor.csv}}
        - {set: top, traction: [0, 0, -1 kPa]}
        - {at: [0, 0, 1], force: [1 N, 0, 0], factor: {harmonic: {amplitude: 1, frequency: 50 Hz}}}
      surface: {on: [top, side], material: rubber, self: true}
  - {name: bar, kind: fem, fem: {mesh: {box: {kind: bar3, cells: [4], size: [2 m]}}, material: {law: linear, young: 1, poisson: 0, density: 1}, area: 1 cm^2, touches: false}}
  - {name: arch, kind: fem, fem: {mesh: {arch: {inner: 1, outer: 1.2, angle: 90 deg}}, material: {law: corotated, young: 1, poisson: 0, density: 1}}}
  - name: jelly
    kind: pseudo-rigid
    scheme: def-exp
    loads: [{force: [0, 0, 1], frame: body, point: [0, 0, 0.1], constant: 1 N}]
    pseudo_rigid:
      shape: {hull: {file: hull.csv}, material: gel}
      material: {law: neo-hooke, young: 1 MPa, poisson: 0.4, density: 900}
      eta: 1 ms
      viscosity: strain_rate
      stretch: [1.1, 1, 0.9]
      spin: [0, 1, 0]
      copies: {file: copies.csv}
      facet: 5 mm
  - name: cable
    kind: beam
    rayleigh: {stiffness: 1 ms}
    beam:
      start: [0, 0, 1]
      end: [2 m, 0, 1]
      elements: 12
      radius: 3 mm
      inner_radius: 2 mm
      young: 5 GPa
      density: 900 kg/m^3
      velocity: [0, 1, 0]
      spin: [0, 0, 90 deg/s]
      gravity: [0, 0, -1]
      held: [{at: start, as: clamped}, {at: 50 cm, as: guided}, {at: end, as: pinned}]
      loads: [{at: 1.2, force: [1 N, 0, 0], factor: {file: pull.csv}}, {line_force: [0, 2 kN/m, 0]}]
  - {name: wire, kind: beam, beam: {start: [0, 0, 0], end: [0, 0, 1], axial: 2 kN, bending: 3 N m^2, linear_density: 4 g/m}}
  - name: pillar
    kind: fem
    fem:
      mesh: {file: pillar.msh, bars: [steel, ties]}
      material: {law: linear, young: 1, poisson: 0, density: 1}
      modes: {count: 0, keep: [{set: foot}, {nodes: [7], axes: [z, x]}, {at: [0, 0, 1 mm]}]}
outputs:
  - {probe: block, at: [0, 0, 1], direction: [1, 0, 0]}
  - {probe: bar, at: x1}
)";

}  // namespace

TEST_CASE("deformable bodies are read with their units and written back whole") {
  const Scene scene = read_scene_text(kSoft, "soft.yaml", {}, "folder");
  REQUIRE(scene.spec.bodies.size() == 7);
  const FemSpec& fem = *scene.spec.bodies[0].fem;
  CHECK(fem.mesh.scale == 0.001);
  CHECK(fem.materials[0].material.young == 210e9);
  CHECK(fem.materials[1].material.law == MaterialLaw::mooney_rivlin);
  CHECK(fem.materials[1].area == doctest::Approx(3e-6).epsilon(1e-15));
  CHECK(fem.plane == PlaneState::stress);
  CHECK(fem.fixed[1].axes == std::vector{SpaceAxis::x, SpaceAxis::z});
  CHECK(fem.prescribed[0].x->rate == 0.001);
  CHECK((*fem.loads[1].traction)[2] == -1000.0);
  CHECK(fem.surface.self);
  CHECK(scene.spec.bodies[1].fem->mesh.box->size == std::vector{2.0});
  CHECK(std::holds_alternative<DefLimOptions>(scene.spec.bodies[1].chosen_scheme()));
  const PseudoRigidSpec& jelly = *scene.spec.bodies[3].pseudo_rigid;
  CHECK(jelly.material.law == MaterialLaw::neo_hooke);
  CHECK(jelly.eta == 0.001);
  const BeamSpec& cable = *scene.spec.bodies[4].beam;
  CHECK(cable.inner_radius == doctest::Approx(0.002));
  CHECK(cable.held[1].at.number == 0.5);
  CHECK(cable.held[2].as == BeamHold::pinned);
  CHECK((*cable.loads[1].line_force)[1] == 2000.0);
  CHECK(scene.spec.bodies[5].beam->section().line_mass == doctest::Approx(0.004));
  CHECK(std::holds_alternative<MoreauJeanOptions>(scene.spec.bodies[5].chosen_scheme()));
  const FemSpec& pillar = *scene.spec.bodies[6].fem;
  CHECK(pillar.mesh.bars == std::vector<std::string>{"steel", "ties"});
  CHECK(pillar.modes->keep[1].axes == std::vector{SpaceAxis::z, SpaceAxis::x});
  CHECK(std::holds_alternative<MoreauJeanOptions>(scene.spec.bodies[6].chosen_scheme()));
  CHECK(scene.spec.outputs[0].name == "block at [0, 0, 1]");
  CHECK(scene.spec.outputs[1].name == "bar at x1");
  const std::string written = write_scene(scene.spec);
  CHECK(read_scene_text(written, "again.json").spec == scene.spec);
  CHECK(write_scene(read_scene_text(written, "again.json").spec) == written);
}

TEST_CASE("the data files of deformable bodies are those that the scene names") {
  const Scene scene = read_scene_text(kSoft, "soft.yaml", {}, "folder");
  std::vector<std::string> files;
  for (const DataFile& file : data_files(scene))
    files.push_back(file.entry + " " + file.file.filename().string());
  CHECK(files == std::vector<std::string>{"bodies[0].fem.mesh.file block.msh",
                                          "bodies[0].fem.start start.csv",
                                          "bodies[0].fem.prescribed[0].z.file course.csv",
                                          "bodies[0].fem.loads[0].factor.file factor.csv",
                                          "bodies[3].pseudo_rigid.shape.hull.file hull.csv",
                                          "bodies[3].pseudo_rigid.copies.file copies.csv",
                                          "bodies[4].beam.loads[0].factor.file pull.csv",
                                          "bodies[6].fem.mesh.file pillar.msh"});
}

TEST_CASE("`--set` reaches into meshes and materials") {
  const std::vector<std::string> set{"bodies[1].fem.mesh.box.cells=[7]",
                                     "bodies[1].fem.material.young=2 kPa"};
  const Scene scene = read_scene_text(kSoft, "soft.yaml", set, "folder");
  CHECK(scene.spec.bodies[1].fem->mesh.box->cells == std::vector{7});
  CHECK(scene.spec.bodies[1].fem->material->young == 2000.0);
}
