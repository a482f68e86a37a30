// What can be wrong with deformable bodies in a scene: each row is a scene and the whole message.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/fault_rows.h"
#include "support/mesh_scene.h"

using namespace saltus;

namespace {

std::string replaced_in(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

struct MeshFiles : saltus_test::DataFolder {
  MeshFiles() {
    const std::string two = saltus_test::kTwoCubes;
    write("two.msh", two);
    write("inverted.msh", replaced_in(two, "1 2 3 4 5 6 7 8\n", "5 6 7 8 1 2 3 4\n"));
    write("cut.msh", two.substr(0, two.find("4 5 2 4 1")));
    write("shell.msh", replaced_in(two, "1 15 2 1 1 12\n", "1 21 2 3 1 1 2 3 4 5 6 7 8 9 10\n"));
    write("loose.msh", replaced_in(replaced_in(replaced_in(two, "$Nodes\n12", "$Nodes\n13"),
                                               "12 2 1 1\n", "12 2 1 1\n13 9 9 9\n"),
                                   "1 15 2 1 1 12\n", "1 15 2 1 1 13\n"));
    write("apart.msh", replaced_in(replaced_in(two, "$Nodes\n12", "$Nodes\n16"), "12 2 1 1\n",
                                   "12 2 1 1\n13 1 0 0\n14 1 1 0\n15 1 0 1\n16 1 1 1\n"));
    {  // the right cube on nodes of its own
      std::ifstream whole(path / "apart.msh");
      std::string text((std::istreambuf_iterator<char>(whole)), {});
      write("apart.msh", replaced_in(text, "5 5 2 5 2 2 9 10 3 6 11 12 7\n",
                                     "5 5 2 5 2 13 9 10 14 15 11 12 16\n"));
    }
    write("short.csv", "0,0,0\n");
    write("line.csv", "0,0,0\n0,0,0\n1,0,0\n");
    write("two.csv", "1,2\n");
    write("across.csv", "0,0,0\n0,0.1,0\n0,0,0\n");
    write("turning.csv", "0,0,0,0,0,0\n0,0,0,0,0,2\n0,0,0,0,0,0\n");
    write("speed.csv", "0,0,0,1,0,0\n0,0,0,1,0,0\n0,0,0,1,0,0\n");
  }
};

void expect_soft_faults(const std::vector<saltus_test::FaultRow>& rows) {
  const MeshFiles folder;
  for (const saltus_test::FaultRow& row : rows) {
    CAPTURE(row.text);
    std::string message;
    try {
      build(read_scene_text(row.text, "s", {}, folder.path));
    } catch (const SceneError& error) {
      message = error.what();
    }
    const std::string path = folder.path.string() + "/";
    if (const std::size_t at = message.find(path); at != message.npos)
      message.erase(at, path.size());
    CHECK(message == row.message);
  }
}

/// The body 'b' in line 3, its entries of `fem` from column 35 on; `rest`: line 4.
std::string of_fem(const std::string& entries, const std::string& rest = "",
                   const std::string& body = "") {
  return "saltus: 1\ntime: {end: 0.1, step: 1 ms}\nbodies: [{name: b, kind: fem, fem: {" + entries +
         "}" + body + "}]\n" + rest + "\n";
}
const std::string kMaterial = "material: {young: 1 MPa, poisson: 0.3, density: 1000}";
std::string of_mesh(const std::string& mesh, const std::string& rest = "") {
  return of_fem("mesh: {" + mesh + "}, " + kMaterial + rest);
}
const std::string kCube = "box: {cells: [1, 1, 1], size: [1, 1, 1]}";
const std::string kBars = "box: {kind: bar2, cells: [2], size: [1]}";
const std::string kPlane = "box: {kind: quad4, cells: [2, 1], size: [2, 1]}";
std::string of_jelly(const std::string& entries, const std::string& body = "") {
  return "saltus: 1\ntime: {end: 0.1, step: 1 ms}\nbodies: [{name: b, kind: pseudo-rigid, "
         "pseudo_rigid: {" +
         entries + "}" + body + "}]\n";
}

}  // namespace

TEST_CASE("a material has the moduli of its law, in their ranges") {
  const auto of_material = [](const std::string& material) {
    return of_fem("mesh: {" + kCube + "}, material: {" + material + "}");
  };
  expect_soft_faults({
      {of_fem("mesh: {" + kCube + "}"),
       "s:3:31: bodies[0].fem: a key is missing; give exactly one of material, materials"},
      {of_material("young: 1, poisson: 0.5, density: 1"),
       "s:3:117: bodies[0].fem.material.poisson: 0.5 is out of range; allowed: (-1, 0.5)"},
      {of_material("young: 1, poisson: 0.3"),
       "s:3:87: bodies[0].fem.material: `density` is missing: undeformed"},
      {of_material("poisson: 0.3, density: 1"),
       "s:3:87: bodies[0].fem.material: `young` is missing: Young's modulus; in Pa, e.g. 210 "
       "GPa"},
      {of_material("young: 1, density: 1"),
       "s:3:87: bodies[0].fem.material: `poisson` is missing: Poisson's ratio; in (-1, 0.5), "
       "e.g. 0.3"},
      {of_material("young: 0, poisson: 0.3, density: 1"),
       "s:3:105: bodies[0].fem.material.young: 0 Pa is out of range; allowed: > 0 Pa"},
      {of_material("law: mooney-rivlin, young: 1, c10: 1, bulk: 1, density: 1"),
       "s:3:125: bodies[0].fem.material.young: has no meaning for mooney_rivlin; give c10, "
       "c01 and bulk"},
      {of_material("law: mooney-rivlin, c10: 1, c01: -1, bulk: 1, density: 1"),
       "s:3:123: bodies[0].fem.material.c10: c10 + c01 is 0 Pa; must be > 0: half of the "
       "shear modulus"},
      {of_material("law: neo-hooke, young: 1, poisson: 0.3, bulk: 1, density: 1"),
       "s:3:144: bodies[0].fem.material.bulk: is for law mooney_rivlin, not for neo_hooke"},
      {of_material("law: hooke, young: 1, poisson: 0.3, density: 1"),
       "s:3:103: bodies[0].fem.material.law: 'hooke' is not known here; allowed: linear, "
       "st_venant_kirchhoff, neo_hooke, mooney_rivlin, corotated, st-venant-kirchhoff, "
       "neo-hooke, mooney-rivlin"},
  });
}

TEST_CASE("sets of elements give each element one material") {
  const std::string one = ", material: {young: 1, poisson: 0, density: 1}}";
  const auto of_sets = [&](const std::string& sets) {
    return of_fem("mesh: {file: two.msh}, materials: [" + sets + "]");
  };
  expect_soft_faults({
      {of_sets("{set: left" + one),
       "s:3:60: bodies[0].fem.materials: element 1 (hex8) has no material: it is in none of "
       "the sets; allowed: left, right"},
      {of_sets("{set: left" + one + ", {set: all" + one),
       "s:3:137: bodies[0].fem.materials[1].set: element 0 (hex8) is in 'left' and in 'all'; "
       "one material per element"},
      {of_sets("{set: rigth" + one),
       "s:3:78: bodies[0].fem.materials[0].set: the mesh has no set of elements 'rigth'; did "
       "you mean `right`? allowed: left, right"},
      {of_fem("mesh: {" + kCube + "}, materials: [{set: steel" + one + "]"),
       "s:3:105: bodies[0].fem.materials[0].set: the mesh has no set of elements 'steel'; it "
       "has no sets of elements"},
      {of_fem("mesh: {" + kCube + "}, " + kMaterial + ", materials: [{set: all" + one + "]"),
       "s:3:142: bodies[0].fem.materials: cannot be given together with `material`; give "
       "exactly one of material, materials"},
  });
}

TEST_CASE("meshes that are none are refused with the element, the node or the line") {
  expect_soft_faults({
      {of_mesh("file: nothing.msh"),
       "s:3:50: bodies[0].fem.mesh.file: 'nothing.msh' does not exist"},
      {of_mesh("file: inverted.msh"),
       "inverted.msh:32: bodies[0].fem.mesh.file: element 4 (hex8) is inverted: its "
       "smallest Jacobian is -0.125, which must be > 0"},
      {of_mesh("file: cut.msh"),
       "cut.msh:31: bodies[0].fem.mesh.file: the file ends where an element should be; the "
       "file is cut off"},
      {of_mesh("file: shell.msh"),
       "shell.msh:29: bodies[0].fem.mesh.file: elements of type 21 (triangle of 10 nodes) "
       "are not supported; supported: elements of order 1 and 2; set Mesh.ElementOrder"},
      {of_mesh("file: loose.msh"),
       "loose.msh:30: bodies[0].fem.mesh.file: element 1 (point) of the physical group 'tip' has "
       "the "
       "node 13, which no element of the body uses; every group must lie on elements of "
       "the body"},
      {of_mesh(kCube + ", scale: 0.1"), "s:3:93: bodies[0].fem.mesh.scale: needs `file`"},
      {of_mesh("box: {kind: hex9, cells: [1, 1, 1], size: [1, 1, 1]}"),
       "s:3:56: bodies[0].fem.mesh.box.kind: 'hex9' is not known here; did you mean `hex8`? "
       "allowed: bar2, bar3, tri3, tri6, quad4, quad8, tet4, tet10, hex8, hex20, wedge6, "
       "pyramid5"},
      {of_mesh("box: {kind: quad4, cells: [1, 1, 1], size: [1, 1]}"),
       "s:3:63: bodies[0].fem.mesh.box.cells: has 3 entries; quad4 has 2 axes"},
      {of_mesh("box: {cells: [1, 1, 0], size: [1, 1, 1]}"),
       "s:3:64: bodies[0].fem.mesh.box.cells[2]: 0 is out of range; allowed: >= 1"},
      {of_mesh("box: {cells: [1000, 1000, 1000], size: [1, 1, 1]}"),
       "s:3:50: bodies[0].fem.mesh.box.cells: are more than ten million in total; fewer cells"},
      {of_mesh("cylinder: {kind: quad4, radius: 1, height: 1}"),
       "s:3:61: bodies[0].fem.mesh.cylinder.kind: a cylinder cannot be meshed with quad4; allowed: "
       "hex8, hex20, tet4, tet10"},
      {of_mesh("arch: {inner: 1, outer: 1, angle: 1}"),
       "s:3:68: bodies[0].fem.mesh.arch.outer: is not above `inner`; the larger radius"},
      {of_mesh("ball: {kind: wedge6, radius: 1}"),
       "s:3:57: bodies[0].fem.mesh.ball.kind: a ball cannot be meshed with wedge6; allowed: hex8, "
       "hex20, tet4, tet10, pyramid5"},
      {of_fem(kMaterial),
       "s:3:31: bodies[0].fem: `mesh` is missing: geometry and its division into elements"},
  });
}

TEST_CASE("what is held is there, and each axis of a node is told one motion") {
  expect_soft_faults({
      {of_mesh(kCube, ", fixed: [{set: x2}]"),
       "s:3:156: bodies[0].fem.fixed[0].set: the mesh has no set of nodes 'x2'; did you mean "
       "`x0`? allowed: x0, x1, y0, y1, z0, z1"},
      {of_mesh(kCube, ", fixed: [{nodes: [8]}]"),
       "s:3:159: bodies[0].fem.fixed[0].nodes[0]: 8 is out of range; allowed: 0 to 7"},
      {of_mesh(kCube, ", fixed: [{nodes: [1, 1]}]"),
       "s:3:151: bodies[0].fem.fixed[0].nodes: node 1 is named twice; name each node once"},
      {of_mesh(kCube, ", fixed: [{at: [0.5, 0, 0]}]"),
       "s:3:151: bodies[0].fem.fixed[0].at: there is no node at this place; the nearest, "
       "node 0, is 0.5 m away at [0, 0, 0]"},
      {of_mesh(kCube, ", fixed: [{set: x0, nodes: [1]}]"),
       "s:3:160: bodies[0].fem.fixed[0].nodes: cannot be given together with `set`; give "
       "exactly one of set, nodes, at"},
      {of_mesh(kPlane, ", fixed: [{set: x0, axes: [z]}]"),
       "s:3:174: bodies[0].fem.fixed[0].axes[0]: 'b' has no z: its mesh is planar; leave it "
       "out"},
      {of_mesh(kCube, ", fixed: [{set: x0}, {set: x1}]"),
       "s:3:142: bodies[0].fem.fixed: prescribes every node: no free node is left; leave "
       "some out"},
      {of_mesh(kCube, ", fixed: [{set: x0}], prescribed: [{set: y0, x: {constant: 0}}]"),
       "s:3:185: bodies[0].fem.prescribed[0].x: x of node 0 is prescribed twice, also by "
       "fixed[0]; one motion per degree of freedom"},
      {of_mesh(kCube, ", prescribed: [{set: y0}]"),
       "s:3:155: bodies[0].fem.prescribed[0]: a key is missing; give at least one of x, y, z"},
      {of_fem("mesh: {" + kCube + "}, " + kMaterial, "", ", prescribed: [{dof: 1, constant: 0}]"),
       "s:3:143: bodies[0].prescribed: is for kind linear, lagrangian, particles, not for "
       "fem; kind fem has fem"},
  });
}

TEST_CASE("loads find the faces, nodes and places that they name") {
  expect_soft_faults({
      {of_mesh(kCube, ", loads: [{set: top, pressure: 1}]"),
       "s:3:156: bodies[0].fem.loads[0].set: the mesh has no set of faces 'top'; allowed: "
       "x0, x1, y0, y1, z0, z1"},
      {of_mesh(kBars, ", loads: [{set: x0, pressure: 1}]"),
       "s:3:156: bodies[0].fem.loads[0].set: 'x0' has no faces: it is a set of nodes of "
       "bars; give `force`"},
      {of_mesh(kCube, ", loads: [{nodes: [1], pressure: 1}]"),
       "s:3:173: bodies[0].fem.loads[0].pressure: needs `set`"},
      {of_mesh(kCube, ", loads: [{at: [2, 0, 0], force: [1, 0, 0]}]"),
       "s:3:151: bodies[0].fem.loads[0].at: is not in the mesh of 'b'; a place in the frame "
       "of the mesh"},
      {of_mesh(kCube, ", loads: [{set: x0, force: [0, 0, 0]}]"),
       "s:3:160: bodies[0].fem.loads[0].force: is zero; leave the load out"},
      {of_mesh(kPlane, ", loads: [{set: x0, traction: [0, 0, 1]}]"),
       "s:3:167: bodies[0].fem.loads[0].traction: 'b' cannot move along z: its mesh is planar; "
       "leave this component out"},
      {of_mesh(kCube, ", loads: [{set: x0, force: [1, 0, 0], traction: [1, 0, 0]}]"),
       "s:3:160: bodies[0].fem.loads[0].force: cannot be given together with `traction`; "
       "give exactly one of pressure, traction, force"},
      {of_fem("mesh: {" + kCube + "}, " + kMaterial, "", ", loads: [{dof: 1, constant: 0}]"),
       "s:3:143: bodies[0].loads: have no meaning for kind fem; give fem.loads"},
  });
}

TEST_CASE("placement and start fit the dimension of the mesh") {
  expect_soft_faults({
      {of_mesh(kPlane, ", position: [0, 0, 1]"),
       "s:3:149: bodies[0].fem.position: 'b' cannot move along z: its mesh is planar; leave this "
       "component out"},
      {of_mesh(kPlane, ", rotation: {axis: [1, 0, 0], angle: 1}"),
       "s:3:149: bodies[0].fem.rotation: rotates 'b' out of its plane: its mesh is in the x-y "
       "plane; give the axis [0, 0, 1]"},
      {of_mesh(kBars, ", rotation: {axis: [0, 0, 1], angle: 1}"),
       "s:3:142: bodies[0].fem.rotation: rotates 'b' out of its line: its mesh is along x; "
       "leave it out"},
      {of_mesh(kBars, ", spin: [0, 0, 1]"),
       "s:3:142: bodies[0].fem.spin: 'b' cannot rotate about this axis: its mesh is a line along "
       "x; leave "
       "it out"},
      {of_mesh(kPlane, ", spin: [1, 0, 0]"),
       "s:3:149: bodies[0].fem.spin: 'b' cannot rotate about this axis: its mesh is planar; [0, 0, "
       "w]"},
      {of_mesh(kPlane, ", velocity: [0, 0, 1]"),
       "s:3:149: bodies[0].fem.velocity: 'b' cannot move along z: its mesh is planar; leave this "
       "component out"},
      {of_mesh(kPlane, ", gravity: [0, 0, 1]"),
       "s:3:149: bodies[0].fem.gravity: 'b' cannot move along z: its mesh is planar; leave this "
       "component out"},
      {of_fem("mesh: {" + kPlane + "}, " + kMaterial, "gravity: [0, 0, -9.81]"),
       "s:4:1: gravity: 'b' cannot move along z: its mesh is planar; give fem.gravity, or "
       "another gravity of the scene"},
      {of_mesh(kBars, ", start: short.csv"),
       "s:3:149: bodies[0].fem.start: 'short.csv' has 1 row for 3 nodes; one row per node"},
      {of_mesh(kBars, ", start: two.csv"),
       "two.csv:1:1: bodies[0].fem.start: the table has 2 columns; needed: ux, uy, uz [m]"},
      {of_mesh(kBars, ", start: line.csv, fixed: [{set: x1}]"),
       "s:3:149: bodies[0].fem.start: displaces x of node 2 by 1 m, but its prescribed motion "
       "starts at 0 m; give its initial value there"},
      {of_fem("mesh: {" + kBars + "}, " + kMaterial, "", ", origin: [1, 0, 0]"),
       "s:3:143: bodies[0].origin: has no meaning for this body; give fem.position and "
       "fem.rotation"},
      {of_fem("mesh: {" + kBars + "}, " + kMaterial + ", viscosity: strain_rate"),
       "s:3:153: bodies[0].fem.viscosity: is the form of rayleigh.stiffness, which is 0; "
       "leave it out, or give rayleigh: {stiffness: 1 us}"},
  });
}

TEST_CASE("a body in its modes starts at rest, and is met at the places that it names") {
  const std::string modes = ", modes: {count: 1, at: [[0, 0, 0], [1, 0, 0]]}";
  expect_soft_faults({
      {of_mesh(kCube, modes + ", velocity: [1, 0, 0]"),
       "s:3:142: bodies[0].fem.modes: 'b' does not start at rest and undeformed; leave velocity, "
       "spin and start out"},
      {of_mesh(kCube, ", modes: {count: 1, at: [[0, 0, 2]]}"),
       "s:3:165: bodies[0].fem.modes.at[0]: is not in the mesh of 'b'; a place in the frame of the "
       "mesh"},
      {of_mesh(kCube, ", modes: {count: 0, at: [[0, 0, 0]]}"),
       "s:3:157: bodies[0].fem.modes.count: 0 is out of range; allowed: >= 1"},
      {of_fem("mesh: {" + kCube + "}, " + kMaterial + modes, "outputs: [{probe: b, at: 2}]"),
       "s:4:26: outputs[0].at: there is no place of fem.modes.at 2; allowed: 0 to 1"},
      {of_fem("mesh: {" + kCube + "}, " + kMaterial + modes,
              "outputs: [{probe: b, at: [0.5, 0, 0]}]"),
       "s:4:22: outputs[0].at: [0.5, 0, 0] is none of the places of fem.modes.at of 'b'; add it "
       "there"},
  });
}

TEST_CASE("what a mesh, a material or a form has not is refused, not passed over") {
  const std::string other = kMaterial + ", ";
  const auto of_solid = [&](const std::string& entries) { return of_mesh(kCube, ", " + entries); };
  const auto of_linear = [&](const std::string& entries) {
    return of_fem("mesh: {" + kCube +
                  "}, material: {law: linear, young: 1, poisson: 0, density: 1}, " + entries);
  };
  const std::string stop = "stops: [{set: z0, plane: {normal: [0, 0, 1]}}]";
  const std::string one = "material: {young: 1, poisson: 0, density: 1}}]";
  expect_soft_faults({
      {of_solid("plane: stress"),
       "s:3:149: bodies[0].fem.plane: is for plane elements, but the mesh has none; leave "
       "it out"},
      {of_solid("thickness: 2"),
       "s:3:153: bodies[0].fem.thickness: is for plane elements, but the mesh has none; "
       "leave it out"},
      {of_solid("area: 2"),
       "s:3:148: bodies[0].fem.area: is for bars, but the mesh has none; leave it out"},
      {of_fem("mesh: {file: two.msh}, materials: [{set: all, thickness: 2, " + one),
       "s:3:94: bodies[0].fem.materials[0].thickness: is for plane elements, but the mesh has "
       "none; leave it out"},
      {of_fem("mesh: {file: two.msh}, materials: [{set: all, area: 2, " + one),
       "s:3:89: bodies[0].fem.materials[0].area: is for bars, but the mesh has none; leave "
       "it out"},
      {of_solid("tangent: warped"),
       "s:3:151: bodies[0].fem.tangent: is for the law corotated, which no material has; "
       "leave it out"},
      {of_solid("touches: false, surface: {material: rubber}"),
       "s:3:158: bodies[0].fem.surface: has no meaning with `touches: false`; leave it "
       "out, or `touches`"},
      {of_solid("solver: {tolerance: 1e-6}"),
       "s:3:162: bodies[0].fem.solver.tolerance: is for conjugate_gradients; leave it out, "
       "or give `kind: conjugate_gradients`"},
      {of_solid("solver: {iterations: 7}"),
       "s:3:163: bodies[0].fem.solver.iterations: is for conjugate_gradients; leave it "
       "out, or give `kind: conjugate_gradients`"},
      {of_solid(stop),
       "s:3:142: bodies[0].fem.stops: need the law linear, not st_venant_kirchhoff; give "
       "`law: linear`, or `contacts` instead of stops"},
      {of_linear(stop + ", mass: consistent"),
       "s:3:200: bodies[0].fem.mass: needs lumped mass, because `stops` make nodes massless; leave "
       "it out, or give `contacts`"},
      {of_linear(stop + ", form: body_corotational"),
       "s:3:200: bodies[0].fem.form: does not support stops; leave it out, or give `contacts`"},
      {of_linear(stop + ", modes: {count: 1, at: [[0, 0, 0]]}"),
       "s:3:146: bodies[0].fem.stops: have no meaning with `modes`; give `contacts`"},
      {of_linear("modes: {count: 1, at: [[0, 0, 0]]}, surface: {self: true}"),
       "s:3:182: bodies[0].fem.surface: has no meaning with `modes`; give `contacts` at "
       "places of fem.modes.at"},
      {of_linear("modes: {count: 1, keep: [{set: z0}]}, surface: {self: true}"),
       "s:3:184: bodies[0].fem.surface: has no meaning with `modes`; give `contacts` at "
       "nodes of fem.modes.keep"},
      {of_linear("modes: {count: 1, at: [[0, 0, 0]]}, loads: [{set: x0, force: [1, 0, 0], factor: "
                 "{rate: 1}}]"),
       "s:3:218: bodies[0].fem.loads[0].factor: varies in time: a body reduced to its modes "
       "accepts constant loads only; leave it out, or `modes`, or give modes.keep"},
      {of_linear("modes: {count: 1, at: [[0, 0, 0]]}, prescribed: [{nodes: [3], x: {rate: 1}}]"),
       "s:3:182: bodies[0].fem.prescribed: moves node 3: nodes of a body reduced to its modes can "
       "only be fixed where undeformed; give `fixed`, or leave `modes` out"},
      {of_linear("modes: {count: 1, at: [[0, 0, 0], [1, 0, 0], [0, 0, 0]]}"),
       "s:3:191: bodies[0].fem.modes.at[2]: is the same place as modes.at[0]; name each place "
       "once"},
      {of_mesh(kCube + ", bars: [a]"), "s:3:86: bodies[0].fem.mesh.bars: needs `file`"},
      {of_mesh("file: two.msh, bars: [steel]"),
       "two.msh: bodies[0].fem.mesh.file: no physical group 'steel' contains lines; "
       "give the name of a physical curve"},
  });
}

TEST_CASE("a body in its modes keeps nodes that move and that hold it") {
  const auto of_kept = [&](const std::string& modes, const std::string& rest = "",
                           const std::string& scene = "") {
    return of_fem("mesh: {" + kCube +
                      "}, material: {law: linear, young: 1, poisson: 0, density: 1}" + rest +
                      ", modes: {" + modes + "}",
                  scene);
  };
  expect_soft_faults({
      {of_kept("count: 1"),
       "s:3:146: bodies[0].fem.modes: a key is missing; give exactly one of at, keep"},
      {of_kept("count: 1, at: [[0, 0, 0]], keep: [{set: z0}]"),
       "s:3:181: bodies[0].fem.modes.keep: cannot be given together with `at`; give "
       "exactly one of at, keep"},
      {of_kept("count: 1, keep: [{set: z0}], direction: [1, 0, 0]"),
       "s:3:183: bodies[0].fem.modes.direction: is for `at`; leave it out: nodes of `keep` "
       "move along all axes"},
      {of_kept("count: 1, keep: [{set: bottom}]"),
       "s:3:177: bodies[0].fem.modes.keep[0].set: the mesh has no set of nodes 'bottom'; "
       "allowed: x0, x1, y0, y1, z0, z1"},
      {of_kept("count: 1, keep: [{at: [0.5, 0, 0]}]"),
       "s:3:172: bodies[0].fem.modes.keep[0].at: there is no node at this place; the "
       "nearest, node 0, is 0.5 m away at [0, 0, 0]"},
      {of_kept("count: 1, keep: [{nodes: [0]}]"),
       "s:3:146: bodies[0].fem.modes: craig_bampton: kept and prescribed degrees of freedom "
       "together must restrain the rest of the body"},
      {of_kept("count: 99, keep: [{set: z0}]"),
       "s:3:161: bodies[0].fem.modes.count: 99 modes of 'b', but only 12 degrees of freedom are "
       "available; at most 12"},
      {of_kept("count: 1, keep: [{nodes: [0]}]", ", fixed: [{set: z0}]"),
       "s:3:191: bodies[0].fem.modes.keep[0]: node 0 of 'b' is fixed; keep another one, "
       "or take it out of `fixed`"},
      {of_kept("count: 1, keep: [{set: z0}]", ", fixed: [{set: z0}]"),
       "s:3:184: bodies[0].fem.modes.keep: all nodes that 'b' keeps are fixed; keep nodes that "
       "move"},
      {of_kept("count: 1, keep: [{set: z1}]", ", fixed: [{set: z0}]"),
       "s:3:184: bodies[0].fem.modes.keep: all free nodes of 'b' are kept; leave `modes` out"},
      {of_kept("count: 1, keep: [{set: z0}]", ", spin: [0, 0, 1]"),
       "s:3:163: bodies[0].fem.modes: 'b' does not start undeformed and without spin; "
       "leave spin and start out"},
      {of_kept("count: 1, keep: [{set: z1}]", ", velocity: [0, 0, 1], fixed: [{set: z0}]"),
       "s:3:146: bodies[0].fem.velocity: moves 'b' as a whole, although some of its nodes are "
       "fixed; "
       "leave it out, or `modes`"},
      {of_kept("count: 1, keep: [{nodes: [4]}]", ", fixed: [{set: z0}]",
               "outputs: [{probe: b, at: z0, quantity: reaction}]"),
       "s:4:40: outputs[0].quantity: 'b' has no reactions: it is reduced to its modes; allowed: "
       "velocity, displacement"},
      {of_fem("mesh: {" + kPlane + "}, " + kMaterial +
              ", modes: {count: 1, keep: [{set: x0, axes: [z]}]}"),
       "s:3:191: bodies[0].fem.modes.keep[0].axes[0]: 'b' has no z: its mesh is planar; "
       "leave it out"},
  });
}

TEST_CASE("the motion that a file starts with reaches nodes that can move so") {
  const std::string stop =
      "mesh: {" + kBars +
      "}, material: {law: linear, young: 1, poisson: 0, density: 1}, start: speed.csv, ";
  expect_soft_faults({
      {of_mesh(kBars, ", start: across.csv"),
       "s:3:149: bodies[0].fem.start: displaces y of node 1, but 'b' cannot move along it: its "
       "mesh is a line along x; 0 in this column"},
      {of_mesh(kBars, ", start: turning.csv"),
       "s:3:149: bodies[0].fem.start: gives a velocity to z of node 1, but 'b' cannot move along "
       "it: its mesh is a line along x; 0 in this column"},
      {of_mesh(kBars, ", start: speed.csv, fixed: [{set: x1}]"),
       "s:3:149: bodies[0].fem.start: gives x of node 2 the velocity 1 m/s, but its prescribed "
       "motion starts with 0 m/s; give its initial velocity there, or 0"},
  });
  const MeshFiles folder;
  const Model model = build(read_scene_text(
      of_fem(stop + "stops: [{set: x1, plane: {normal: [-1, 0, 0], point: [5, 0, 0]}}]"), "s", {},
      folder.path));
  REQUIRE(model.warnings().size() == 1);
  CHECK(model.warnings()[0] ==
        "bodies[0].fem.start: node 2 of 'b' is one of `stops` and has no mass: its initial values "
        "are not used, since its position follows from the other nodes");
}

TEST_CASE("contacts, outputs, schemes and surfaces name what a mesh has") {
  const std::string cube = "mesh: {" + kCube + "}, " + kMaterial;
  const std::string plane = ", against: {plane: {}}, law: newton-impact}]";
  expect_soft_faults({
      {of_fem(cube, "contacts: [{on: b" + plane),
       "s:4:12: contacts[0]: `at` is missing: the contact points of 'b'; a set of nodes, a node, "
       "[x, y, z] in its frame, or a list of them; for contact of its surface use `surfaces`"},
      {of_fem(cube, "contacts: [{on: b, at: bottom" + plane),
       "s:4:24: contacts[0].at: the mesh of 'b' has no set of nodes 'bottom'; allowed: x0, "
       "x1, y0, y1, z0, z1"},
      {of_fem(cube, "contacts: [{on: b, at: 8" + plane),
       "s:4:24: contacts[0].at: there is no node 8; allowed: 0 to 7"},
      {of_fem(cube, "contacts: [{on: b, at: [0, 0, 2]" + plane),
       "s:4:20: contacts[0].at: [0, 0, 2] is not in the mesh of 'b'; a place in the "
       "undeformed body, in the frame of the mesh"},
      {of_fem(cube + ", fixed: [{set: z0}]", "contacts: [{on: b, at: 0" + plane),
       "s:4:24: contacts[0].at: node 0 of 'b' is prescribed: no contact can move it; let another "
       "one make contact, or take it out of `fixed` and `prescribed`"},
      {of_fem(cube, "outputs: [{probe: b, at: z0}]"),
       "s:4:26: outputs[0].at: 'z0' has 4 nodes; one point: a node, a set of one node, or a "
       "place [x, y, z]"},
      {of_fem(cube, "outputs: [{probe: b, at: 0, quantity: reaction}]"),
       "s:4:39: outputs[0].quantity: 'b' has no reactions: none of its nodes is fixed or "
       "prescribed; allowed: velocity, displacement"},
      {of_fem(cube + ", fixed: [{set: z0, axes: [x]}]",
              "outputs: [{probe: b, at: 0, direction: [1, 1, 0], quantity: reaction}]"),
       "s:4:26: outputs[0].at: node 0 of 'b' is free along the direction: it has no reaction; a "
       "node of `fixed` or `prescribed`, or of `stops` along the normal"},
      {of_fem(cube + ", fixed: [{set: z0}]", "outputs: [{probe: b, at: z1, quantity: reaction}]"),
       "s:4:26: outputs[0].at: all nodes of 'z1' are free along the direction: they have "
       "no reaction; a node of `fixed` or `prescribed`, or of `stops` along the normal"},
      {of_fem(cube + ", surface: {on: [bottom]}"),
       "s:3:157: bodies[0].fem.surface.on[0]: the mesh has no set of faces 'bottom'; "
       "allowed: x0, x1, y0, y1, z0, z1"},
      {of_fem(cube, "surfaces: [{materials: [default, rubber], law: newton-impact}]"),
       "s:4:34: surfaces[0].materials[1]: no shape has the material 'rubber'; allowed: default"},
  });
}

TEST_CASE("a pseudo-rigid body has a shape with a volume, and a density in its material") {
  const std::string material = ", material: {young: 1, poisson: 0, density: 1}";
  const std::string ball = "shape: {sphere: {radius: 1}}" + material;
  expect_soft_faults({
      {of_jelly("shape: {plane: {}}" + material),
       "s:3:63: bodies[0].pseudo_rigid.shape.plane: has no volume; give a shape that can "
       "deform: a box, a sphere, a hull"},
      {of_jelly("shape: {sphere: {radius: 1}, density: 1}" + material),
       "s:3:93: bodies[0].pseudo_rigid.shape.density: has no meaning for a pseudo-rigid "
       "body; give material.density"},
      {of_jelly("shape: {sphere: {radius: 1}}"),
       "s:3:40: bodies[0].pseudo_rigid: `material` is missing: elastic material"},
      {of_jelly("shape: {sphere: {radius: 1}, material: gel}" + material + ", touches: false"),
       "s:3:94: bodies[0].pseudo_rigid.shape.material: has no meaning with `touches: "
       "false`; leave it out, or `touches`"},
      {of_jelly(ball + ", touches: false, facet: 0.1"),
       "s:3:154: bodies[0].pseudo_rigid.facet: has no meaning with `touches: false`; "
       "leave it out, or `touches`"},
      {of_jelly(ball + ", stretch: [1, 1, 0]"),
       "s:3:147: bodies[0].pseudo_rigid.stretch[2]: 0 is out of range; allowed: > 0"},
      {of_jelly(ball, ", rayleigh: {stiffness: 1}"),
       "s:3:132: bodies[0].rayleigh: has no meaning for kind pseudo-rigid; give "
       "pseudo_rigid.eta"},
      {of_jelly(ball, ", loads: [{torque: [0, 0, 1], constant: 1}]"),
       "s:3:141: bodies[0].loads[0].torque: is for kind rigid; give `force` at two places"},
      {of_jelly(ball, ", loads: [{dof: 1, constant: 1}]"),
       "s:3:146: bodies[0].loads[0].dof: has no meaning for kind pseudo-rigid; give `force`"},
      {of_jelly(ball, ", axis: [0, 1, 0]"),
       "s:3:132: bodies[0].axis: has no meaning for this body; give pseudo_rigid.position "
       "and pseudo_rigid.rotation"},
  });
}

TEST_CASE("a scheme that cannot move a deformable body says which can") {
  const auto refused = [](const std::string& text, const char* why) {
    CHECK_THROWS_WITH_AS(build(read_scene_text(text, "s")), doctest::Contains(why), SceneError);
    CHECK_THROWS_WITH_AS(build(read_scene_text(text, "s")),
                         doctest::Contains("allowed here: moreau-jean, "), SceneError);
    CHECK_THROWS_WITH_AS(build(read_scene_text(text, "s")), doctest::Contains("def-lim"),
                         SceneError);
  };
  refused(of_fem("mesh: {" + kCube + "}, " + kMaterial, "", ", scheme: modal-exact"),
          "'modal-exact' needs affine, modal, and 'b' (kind fem)");
  refused(of_jelly("shape: {sphere: {radius: 1}}, material: {young: 1, poisson: 0, density: 1}",
                   ", scheme: rig-mid"),
          "'rig-mid' needs rigid, and 'b' (kind pseudo-rigid)");
}

TEST_CASE("a mesh in two parts is told, and may be meant") {
  const MeshFiles folder;
  const Model model = build(read_scene_text(of_mesh("file: apart.msh"), "s", {}, folder.path));
  REQUIRE(model.warnings().size() == 1);
  CHECK(model.warnings()[0] ==
        "bodies[0].fem.mesh: the mesh of 'b' has 2 parts that are not connected");
}
