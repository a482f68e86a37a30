// What can be wrong with rigid bodies, their shapes, copies, motions, surfaces and points: each row is a scene and the
// whole message.
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "support/data_folder.h"
#include "support/fault_rows.h"

using namespace saltus;

namespace {

/// The data files that the scenes name.
struct RigidFiles : saltus_test::DataFolder {
  RigidFiles() {
    const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    write("tetra.obj", corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    write("open.obj", corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\n");
    write("inside_out.obj", corners + "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
    write("nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    // two tetrahedra that share a corner: closed, and not convex
    write("two.obj", corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n" +
                         "v -1 0 0\nv 0 -1 0\nv 0 0 -1\nf 1 5 6\nf 1 7 5\nf 1 6 7\nf 5 7 6\n");
    write("flat.csv", "0,0,0\n1,0,0\n0,1,0\n1,1,0\n");
    write("two.csv", "1,2\n3,4\n");
    write("nan.csv", "0,0,nan\n");
    write("five.csv", "1,2,3,4,5\n");
    write("turns.csv", "0,0,0,1,0,0,0\n0,0,1,0,0,0,0\n");
    write("sizes.csv", "0,0,0,1\n0,0,1,-2\n");
  }
};

void expect_rigid_faults(const std::vector<saltus_test::FaultRow>& rows) {
  const RigidFiles folder;
  saltus_test::expect_faults("s", rows, [&](const std::string& text) {
    build(read_scene_text(text, "s", {}, folder.path));
  });
}

/// The body 'b' in line 3, its entries of `rigid` from column 39 on, and what stands in line 4.
std::string of_body(const std::string& entries, const std::string& rest = "") {
  return "saltus: 1\ntime: {end: 0.1, step: 1 ms}\nbodies: [{name: b, kind: rigid, rigid: {" +
         entries + "}}]\n" + rest + "\n";
}
std::string of_shape(const std::string& shape, const std::string& rest = "density: 1") {
  return of_body("shape: {" + shape + "}, " + rest);
}
const std::string kBall = "shape: {sphere: {radius: 1}}, density: 1";
}  // namespace

TEST_CASE(
    "a rigid body needs a mass that is one, and an inertia that some distribution of mass has") {
  expect_rigid_faults({
      {of_body("shape: {sphere: {radius: 1}}"),
       "3:33: bodies[0].rigid: has no mass; give `density` or `mass`; or `fixed: true`"},
      {of_body("mass: 1"),
       "3:33: bodies[0].rigid.inertia: is missing; a body without shapes needs mass and inertia"},
      {of_body("density: 1"),
       "3:50: bodies[0].rigid.density: needs a shape; give `shape`, or `mass` and `inertia`"},
      {of_body("shape: {sphere: {radius: 1}}, mass: 0"),
       "3:77: bodies[0].rigid.mass: 0 kg is out of range; allowed: > 0 kg"},
      {of_body("shape: {sphere: {radius: 1}}, density: -1"),
       "3:80: bodies[0].rigid.density: -1 kg/m^3 is out of range; allowed: > 0 kg/m^3"},
      {of_body("shape: {sphere: {radius: 1}}, mass: .nan"),
       "3:77: bodies[0].rigid.mass: '.nan' is not a finite number; a number in kg, or with a unit: "
       "kg, g, mg"},
      {of_body("shape: {sphere: {radius: 1}}, mass: 1, density: 1"),
       "3:77: bodies[0].rigid.mass: cannot be given together with `density`; give at most one of "
       "density, mass"},
      {of_body("shape: {sphere: {radius: 1}, density: 2}, mass: 1"),
       "3:79: bodies[0].rigid.shape.density: cannot be given together with `mass` of the body; "
       "give "
       "one of them"},
      {of_body("mass: 1, inertia: [1, 1]"),
       "3:50: bodies[0].rigid.inertia: has 2 entries; [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]"},
      {of_body("mass: 1, inertia: [1, 2, 4]"),
       "3:50: bodies[0].rigid.inertia: the inertia of 'b' has the principal moments 1, 2, 4 kg "
       "m^2, which no mass distribution has; none of them may exceed the sum of the other two"},
      {of_body("mass: 1, inertia: [1, 1, 1, 0, 0, 2]"),
       "3:50: bodies[0].rigid.inertia: the inertia of 'b' has the principal moments -1, 1, 3 kg "
       "m^2; "
       "all three must be > 0"},
      {of_body("mass: 1, inertia: [0, 1, 1]"),
       "3:50: bodies[0].rigid.inertia: the inertia of 'b' has the principal moments 0, 1, 1 kg "
       "m^2; "
       "all three must be > 0"},
      {of_body("shape: {sphere: {radius: 1}}, mass: 1, centre: [0, 0, 1]"),
       "3:80: bodies[0].rigid.centre: needs `inertia`"},
      {of_body("shape: {sphere: {radius: 1e-120}}, density: 1"),
       "3:49: bodies[0].rigid.shape.sphere: the shape of 'b': the radius must lie between 1e-50 m "
       "and 1e+50 m, not 1e-120"},
  });
}

TEST_CASE("shapes without a volume, surfaces that are open, inside out or not convex cannot move") {
  expect_rigid_faults({
      {of_shape("plane: {}"),
       "3:49: bodies[0].rigid.shape.plane: the shape of 'b': a plane cannot move; give `fixed: "
       "true`, or another shape"},
      {of_body("shape: {plane: {}}, motion: {x: {rate: 1}}"),
       "3:49: bodies[0].rigid.shape.plane: the shape of 'b': a plane cannot move; give `fixed: "
       "true`, or another shape"},
      {of_shape("height_field: {file: two.csv, spacing: [1, 1]}"),
       "3:49: bodies[0].rigid.shape.height_field: the shape of 'b': a height field cannot move; "
       "give "
       "`fixed: true`, or another shape"},
      {of_shape("mesh: {file: open.obj}"),
       "3:62: bodies[0].rigid.shape.mesh.file: the shape of 'b': 'open.obj' is not closed: 3 edges "
       "are open, the first from vertex 1 to vertex 2; close it, or give `fixed: true`"},
      {of_shape("mesh: {file: inside_out.obj}"),
       "3:62: bodies[0].rigid.shape.mesh.file: the shape of 'b': the mesh is turned inside out "
       "(volume -0.166667 m^3): order the corners of triangles counter-clockwise as seen from "
       "outside"},
      {of_shape("mesh: {file: two.obj}"),
       "3:62: bodies[0].rigid.shape.mesh.file: the shape of 'b': 'two.obj' is not convex, but its "
       "body moves; give convex `pieces`, or `hull` for its hull"},
      {of_body("shape: {mesh: {file: tetra.obj, pieces: [tetra.obj]}}, fixed: true"),
       "3:73: bodies[0].rigid.shape.mesh.pieces: the shape of 'b': pieces are for moving bodies; "
       "leave them out"},
      {of_shape("hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}"),
       "3:56: bodies[0].rigid.shape.hull.points: the shape of 'b': a convex hull needs at least "
       "4 points, not 3"},
      {of_shape("hull: {file: flat.csv}"),
       "3:62: bodies[0].rigid.shape.hull.file: the shape of 'b': the points of the convex hull lie "
       "in a plane"},
      {of_shape("box: {size: [1, 0, 1]}"),
       "3:65: bodies[0].rigid.shape.box.size[1]: 0 m is out of range; allowed: > 0 m"},
      {of_shape("box: {size: [1, 1, 1]}, sphere: {radius: 1}"),
       "3:49: bodies[0].rigid.shape.box: cannot be given together with `sphere`; give exactly one "
       "of "
       "sphere, ellipsoid, capsule, cylinder, box, plane, hull, mesh, height_field"},
      {of_shape("position: [0, 0, 1]"),
       "3:41: bodies[0].rigid.shape: a key is missing; give exactly one of sphere, ellipsoid, "
       "capsule, cylinder, box, plane, hull, mesh, height_field"},
      {of_shape("sphere: {radius: 1}, rotation: {quaternion: [0, 0, 0, 0]}"),
       "3:81: bodies[0].rigid.shape.rotation.quaternion: is zero and defines no rotation; [1, 0, "
       "0, 0] is the identity"},
      {of_shape("sphere: {radius: 1}, rotation: {axis: [0, 0, 0], angle: 1}"),
       "3:81: bodies[0].rigid.shape.rotation.axis: has no direction; for example [0, 0, 1]"},
      {of_body("shape: {plane: {}, density: 3}, fixed: true"),
       "3:69: bodies[0].rigid.shape.density: is for shapes with a volume; leave it out"},
  });
}

TEST_CASE("what stands still or is told how to move has no use for what moves others") {
  const std::string fixed = "shape: {plane: {}}, fixed: true, ";
  const std::string led = "shape: {sphere: {radius: 1}}, motion: {x: {rate: 1}}, ";
  expect_rigid_faults({
      {of_body(fixed + "velocity: [1, 0, 0]"),
       "3:74: bodies[0].rigid.velocity: has no meaning for a fixed body; leave it out"},
      {of_body(led + "spin: [1, 0, 0]"),
       "3:95: bodies[0].rigid.spin: has no meaning for a body with `motion`; leave it out"},
      {of_body(fixed + "motion: {x: {rate: 1}}"),
       "3:74: bodies[0].rigid.motion: cannot be given together with `fixed: true`; give one of "
       "them"},
      {of_body("fixed: true"),
       "3:33: bodies[0].rigid: has no shape to detect contact with; give `shape` or `shapes`"},
      {of_body("shape: {sphere: {radius: 1}}, motion: {axis: [0, 0, 1]}"),
       "3:71: bodies[0].rigid.motion: a key is missing; give at least one of x, y, z, angle"},
      {of_body("shape: {sphere: {radius: 1}}, motion: {x: {rate: 1, constant: 2}}"),
       "3:90: bodies[0].rigid.motion.x.rate: cannot be given together with `constant`; give "
       "exactly one of constant, rate, harmonic, table, file"},
      {of_body("shape: {plane: {}}, fixed: true"),
       "3:1: bodies: no body of the scene can move; at least one body that is not fixed"},
  });
}

TEST_CASE("a planar body starts and stays in its plane, and locked motions start at rest") {
  expect_rigid_faults({
      {of_body(kBall + ", velocity: [0, 1, 0]", "planar: xz"),
       "3:83: bodies[0].rigid.velocity: 'b' starts with a velocity out of the plane xz of the "
       "scene; "
       "leave it out, or `planar`"},
      {of_body(kBall + ", spin: [0, 1, 0]", "planar: xy"),
       "3:83: bodies[0].rigid.spin: 'b' starts with a rotation out of the plane xy of the scene; "
       "leave it out, or `planar`"},
      {of_body(kBall + ", rotation: {axis: [1, 0, 0], angle: 30 deg}", "planar: yx"),
       "4:9: planar: 'yx' is not known here; did you mean `xy`? allowed: xy, xz, yz"},
      {of_body(kBall + ", rotation: {axis: [1, 0, 0], angle: 30 deg}", "planar: xz"),
       "3:83: bodies[0].rigid.rotation: no axis of 'b' is normal to the plane of the scene; "
       "`planar` "
       "needs one along y"},
      {of_body(kBall + ", locked: [rz], spin: [0, 0, 1]"),
       "3:97: bodies[0].rigid.spin: 'b' starts with a rotation that is locked; leave it out, or "
       "its "
       "entry in `locked`"},
      {of_body(kBall + ", locked: [w]"),
       "3:92: bodies[0].rigid.locked[0]: 'w' is not known here; allowed: x, y, z, rx, ry, rz"},
  });
}

TEST_CASE("copies have a count along each axis, or places, turns and sizes from a file") {
  const std::string copies = kBall + ", copies: {";
  expect_rigid_faults({
      {of_body(copies + "count: [2], spacing: [1, 0, 0]}"),
       "3:92: bodies[0].rigid.copies.count: has 1 entries; along x, y and z: [10, 1, 1]"},
      {of_body(copies + "count: [2, 1, 1]}"),
       "3:83: bodies[0].rigid.copies.spacing: is missing: all copies are at the same place; "
       "distance between neighbours along x, y and z, e.g. [0.1, 0, 0]"},
      {of_body(copies + "at: [[0, 0, 0]], turn: {axis: [0, 0, 1], angle: 1}}"),
       "3:109: bodies[0].rigid.copies.turn: needs `count`"},
      {of_body(copies + "count: [2, 0, 1], spacing: [1, 1, 1]}"),
       "3:103: bodies[0].rigid.copies.count[1]: 0 is out of range; allowed: [1, 1e+06]"},
      {of_body(copies + "count: [2000, 1000, 1], spacing: [1, 1, 1]}"),
       "3:92: bodies[0].rigid.copies.count: makes more than a million bodies; fewer of them"},
      {of_body(copies + "file: five.csv}"),
       "3:98: bodies[0].rigid.copies.file: 'five.csv' has 5 columns; 3: x, y, z; 4: also a scale "
       "factor; 7: also a quaternion w, x, y, z; 8: both, the scale factor last"},
      {of_body(copies + "file: turns.csv}"),
       "3:98: bodies[0].rigid.copies.file: the quaternion in row 1 of 'turns.csv' is zero; 1, 0, "
       "0, 0 is the identity"},
      {of_body(copies + "file: sizes.csv}"),
       "3:98: bodies[0].rigid.copies.file: the scale factor in row 1 of 'sizes.csv' is -2; "
       "must "
       "be > 0"},
  });
}

TEST_CASE("bodies are named one by one, each name once") {
  const std::string pair = kBall + ", copies: {count: [2, 1, 1], spacing: [5, 0, 0]}";
  const auto contact = [](const std::string& on, const std::string& at) {
    return "contacts: [{on: " + on + ", at: " + at + ", against: {plane: {}}, law: newton-impact}]";
  };
  expect_rigid_faults({
      {of_body(pair, contact("b", "[0, 0, 0]")),
       "4:17: contacts[0].on: 'b' refers to 2 bodies, b.0 to b.1; name one of them"},
      {of_body(pair, contact("b.2", "[0, 0, 0]")),
       "4:17: contacts[0].on: there is no body 'b.2'; 'b' refers to 2 bodies, b.0 to b.1"},
      {of_body(pair, contact("c", "[0, 0, 0]")),
       "4:17: contacts[0].on: there is no body 'c'; allowed: b"},
      {of_body(kBall, contact("b", "3")),
       "4:24: contacts[0].at: 3 is not a place on 'b'; a body of kind rigid needs [x, y, z] in its "
       "frame"},
      {of_body(kBall, "contacts: [{on: b, against: {plane: {}}, law: newton-impact}]"),
       "4:12: contacts[0]: `at` is missing: the contact point on 'b'; [x, y, z] in its frame, or a "
       "list of them; for contact of its shapes use `surfaces`"},
      {of_body(kBall, contact("b", "[0, 0, -1]")),
       "4:36: contacts[0].against: the obstacle is 1000 mm inside 'b' at [0, 0, -1] at the start; "
       "lower the obstacle or change the initial state"},
      {of_body(kBall + "}}, {name: f, kind: rigid, rigid: {shape: {plane: {}}, fixed: true",
               contact("f", "[0, 0, 0]")),
       "4:17: contacts[0].on: 'f' is fixed and cannot move; name a moving body; write contacts "
       "with the world as a plane"},
      {of_body(kBall +
                   "}}, {name: f, kind: rigid, rigid: {shape: {sphere: {radius: 1}}, motion: {x: "
                   "{rate: 1}}",
               contact("f", "[0, 0, 0]")),
       "4:17: contacts[0].on: 'f' has prescribed motion, so contacts cannot change it; name "
       "another body"},
      {of_body(pair + "}}, {name: b.1, kind: rigid, rigid: {" + kBall),
       "3:140: bodies[1].name: the name 'b.1' is used twice: it is also that of a copy; names are "
       "unique"},
      {of_body(kBall, "outputs: [{probe: b, at: tip}]"),
       "4:26: outputs[0].at: tip is not a place on 'b'; a body of kind rigid needs [x, y, z] in "
       "its frame"},
      {of_body(kBall, "outputs: [{probe: b, at: [0, 0, 0], quantity: reaction}]"),
       "4:47: outputs[0].quantity: 'b' has no reactions: none of its degrees of freedom is "
       "prescribed; allowed: "
       "velocity, displacement"},
  });
}

TEST_CASE("surfaces name materials that there are, and laws that act where shapes touch") {
  const std::string floor =
      "}}, {name: f, kind: rigid, rigid: {shape: {plane: {}, material: ice}, fixed: true";
  expect_rigid_faults({
      {of_body(kBall + floor, "surfaces: [{materials: [ice, defualt], law: newton-impact}]"),
       "4:30: surfaces[0].materials[1]: no shape has the material 'defualt'; did you mean "
       "`default`? "
       "allowed: default, ice"},
      {of_body(kBall, "surfaces: [{materials: [default], law: newton-impact}]"),
       "4:13: surfaces[0].materials: has 1 entries; the names of two materials, e.g. [stone, "
       "stone]"},
      {of_body(kBall, "surfaces: [{law: {kind: relay, bound: 1}}]"),
       "4:13: surfaces[0].law: relay acts at any gap, also between shapes that are far from each "
       "other; write it as an entry of `contacts`"},
      {of_body(kBall, "surfaces: [{materials: [default, default]}]"),
       "4:12: surfaces[0].law: must be given; the contact law between the shapes, e.g. "
       "newton-impact; or `touches: false` where they pass through each other"},
      {of_body(kBall + floor, "ignore: [[b]]"),
       "4:10: ignore[0]: has 1 entries; the names of two bodies: [a, b]"},
      {of_body(kBall + floor, "ignore: [[b, b]]"),
       "4:10: ignore[0]: 'b' cannot ignore itself; give two bodies; `surface: {self}` switches "
       "contact of a body with itself"},
      {of_body(kBall + floor, "ignore: [[b, c]]"),
       "4:14: ignore[0][1]: there is no body 'c'; allowed: b, f"},
      {of_body(kBall + ", touches: false}}, {name: c, kind: rigid, rigid: {" + kBall,
               "ignore: [[b, c]]"),
       "4:11: ignore[0][0]: 'b' has no shape for contact; leave the pair out"},
  });
}

TEST_CASE("kinds and loads of other bodies are not those of rigid ones") {
  const auto one_load = [](const std::string& load) {
    return "saltus: 1\ntime: {end: 0.1, step: 1 ms}\nbodies: [{name: b, kind: rigid, loads: [" +
           load + "], rigid: {shape: {sphere: {radius: 1}}, density: 1}}]\n";
  };
  expect_rigid_faults({
      {"saltus: 1\ntime: {end: 0.1, step: 1 ms}\nbodies: [{name: b, kind: rigid}]\n",
       "3:10: bodies[0]: `rigid` is missing"},
      {of_body(kBall + "}, origin: [1, 0, 0], initial: {velocity: 1"),
       "3:103: bodies[0].initial: is for kind modal, linear, lagrangian, not for rigid; kind rigid "
       "has "
       "rigid"},
      {of_body(kBall + "}, axis: [0, 1, 0], rayleigh: {mass: 1"),
       "3:101: bodies[0].rayleigh: has no meaning for kind rigid; give rigid.drag and "
       "rigid.spin_drag"},
      {"saltus: 1\ntime: {end: 0.1, step: 1 ms}\nbodies: [{name: b, kind: rigid, axis: [0, 1, 0], "
       "rigid: {shape: {sphere: {radius: 1}}, density: 1}}]\n",
       "3:33: bodies[0].axis: has no meaning for this body; give rigid.position and "
       "rigid.rotation"},
      {one_load("{dof: 1, constant: 1}"),
       "3:47: bodies[0].loads[0].dof: has no meaning for kind rigid; give `force` or `torque`"},
      {one_load("{force: [0, 0, 0], constant: 1}"),
       "3:42: bodies[0].loads[0].force: has no direction; for example [0, 0, 1]"},
      {one_load("{torque: [0, 0, 1], point: [1, 0, 0], constant: 1}"),
       "3:61: bodies[0].loads[0].point: needs `force`"},
      {"saltus: 1\ntime: {end: 0.1, step: 1 ms}\nbodies: [{name: b, kind: particles, particles: "
       "{mass: [1], positions: [[0, 0, 0]]}, loads: [{force: [0, 0, 1], constant: 1}]}]\n",
       "3:94: bodies[0].loads[0].force: is for bodies with shapes; give `particle` and "
       "`direction`"},
      {"saltus: 1\ntime: {end: 0.1, step: 1 ms}\nbodies: [{name: b, kind: particles, particles: "
       "{mass: [1], positions: [[0, 0, 0]]}}]\noutputs: [{probe: b, at: [0, 0, 0]}]\n",
       "4:22: outputs[0].at: [0, 0, 0] is not a point of 'b'; places [x, y, z] are for bodies of "
       "kinds rigid, pseudo-rigid and fem"},
      {"saltus: 1\ntime: {end: 0.1, step: 1 ms}\nbodies: [{name: b, kind: rigid, scheme: rig-mid, "
       "rigid: {shape: {plane: {}}, fixed: true}}]\n",
       "3:41: bodies[0].scheme: has no meaning for a body that is fixed or has prescribed motion; "
       "leave it "
       "out"},
  });
}

TEST_CASE("files of shapes that cannot be read are named with the entry") {
  const RigidFiles folder;
  const auto message = [&](const std::string& text) {
    try {
      build(read_scene_text(text, "s", {}, folder.path));
    } catch (const SceneError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string path = folder.path.string();
  CHECK(message(of_shape("mesh: {file: none.obj}")) ==
        "s:3:62: bodies[0].rigid.shape.mesh.file: '" + path + "/none.obj' does not exist");
  CHECK(message(of_shape("mesh: {file: nan.obj}")) ==
        path +
            "/nan.obj:1:7: bodies[0].rigid.shape.mesh.file: 'nan' is not a finite number; a number "
            "without unit");
  CHECK(message(of_shape("hull: {file: nan.csv}")) ==
        path +
            "/nan.csv:1:5: bodies[0].rigid.shape.hull.file: 'nan' is not a finite number; a number "
            "without unit");
}

TEST_CASE("a scene that is written in code is held to the same rules") {
  SceneSpec spec;
  spec.time.end = 1.0;
  spec.time.step = 1e-3;
  BodySpec body;
  body.name = "b";
  body.kind = BodyKind::rigid;
  body.rigid.emplace();
  body.rigid->shape.emplace();
  body.rigid->shape->hull.emplace();
  body.rigid->shape->hull->points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  body.rigid->density = 1.0;
  spec.bodies = {body};
  CHECK_NOTHROW(check(spec));
  spec.bodies[0].rigid->shape->hull->points[1][2] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(
      check(spec), "bodies[0].rigid.shape.hull.points[1][2]: is not a finite number", SceneError);
}
