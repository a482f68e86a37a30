// What `check` says of the laws that hold, with all that tells one from another.
#include <doctest/doctest.h>

#include <string>

#include "command.h"

using namespace saltus_test;

TEST_CASE(
    "check names rolling and spinning friction and cohesion, and of a beam what it is made of") {
  const Folder folder;
  folder.write("scene.yaml", R"(saltus: 1
time: {end: 0.1 s, step: 1 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}, density: 1000}, position: [0, 0, 0.1]}}
  - name: rod
    kind: beam
    beam: {start: [0, 0, 1], end: [2, 0, 1], elements: 4, axial: 1 kN, bending: 1 N m^2, linear_density: 0.5 kg/m}
surfaces:
  - materials: [default, default]
    law: {kind: newton-impact, friction: 0.5, rolling: 2 mm, spinning: 3 mm, cohesion: 4 N}
)");
  const Outcome checked = saltus_command(folder, {"check", "scene.yaml"});
  REQUIRE_MESSAGE(checked.code == 0, checked.err);
  CHECK(checked.out.find(
            "newton-impact, restitution 0, friction 0.5, rolling 0.002 m, spinning 0.003 "
            "m, cohesion 4 N\n") != std::string::npos);
  CHECK(checked.out.find("rod: beam by moreau-jean, 30 degrees of freedom\n") != std::string::npos);
  CHECK(checked.out.find("mass 1 kg, 5 nodes, 4 elements (beam)\n") != std::string::npos);
}

TEST_CASE(
    "check names the present key of one that is written under its former name and a run is quiet") {
  const Folder folder;
  folder.write("scene.yaml", R"(saltus: 1
time: {end: 10 ms, step: 1 ms, lane: stepping}  # a former name
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}, density: 1000}, position: [0, 0, 0.1]}}
surfaces:
  - {law: {kind: newton-impact, friction: 0.5}}
)");
  const Outcome checked = saltus_command(folder, {"check", "scene.yaml"});
  REQUIRE_MESSAGE(checked.code == 0, checked.err);
  CHECK(checked.err == "saltus: warning: time.lane: this key is now called `mode`\n");
  const Outcome ran = saltus_command(folder, {"run", "scene.yaml", "--quiet"});
  CHECK(ran.code == 0);
  CHECK(ran.err.empty());
}
