// What build makes of rigid bodies: mass, frames, groups, names, copies, locks, loads, points.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>

#include "saltus/bodies/moving.h"
#include "saltus/bodies/rigid.h"
#include "saltus/model/group_facts.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/data_files.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/spec/body_names.h"
#include "support/data_folder.h"

using namespace saltus;
using std::numbers::pi;

namespace {

using saltus_test::DataFolder;

Scene rigid_scene(const std::string& text, const std::filesystem::path& folder = {}) {
  return read_scene_text("saltus: 1\ntime: {end: 1 s, step: 1 ms}\n" + text, "scene.yaml", {},
                         folder);
}
Model rigid_model(const std::string& text, const std::filesystem::path& folder = {}) {
  return build(rigid_scene(text, folder));
}
/// A scene of one free body 'b' with these entries of `rigid`.
std::string one(const std::string& entries) {
  return "bodies: [{name: b, kind: rigid, rigid: {" + entries + "}}]\n";
}
const Rigid& rigid_of(const Model& model, std::size_t group = 0) {
  return dynamic_cast<const Rigid&>(*model.groups()[group].dynamics);
}
const RigidBody& body_of(const Model& model, std::size_t body = 0) {
  return rigid_of(model).system().bodies[body];
}
Vector3 place_of(const Model& model, Eigen::Index body = 0) {
  return model.initial()[0].q.segment<3>(7 * body);
}
Quaternion turn_of(const Model& model, Eigen::Index body = 0) {
  const auto Q = model.initial()[0].q.segment<4>(7 * body + 3);
  return {Q[0], Q[1], Q[2], Q[3]};
}
void expect_near(const Matrix& a, const Matrix& b, double tolerance) {
  CAPTURE(a);
  CAPTURE(b);
  CHECK((a - b).cwiseAbs().maxCoeff() <= tolerance);
}

/// A cube of 2 m as an OBJ file, its faces as quadrilaterals seen from outside.
const std::string kCube =
    "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n";
/// A beam whose section is an L of three unit squares, 1 m long along y.
const std::string kAngle =
    "v 0 0 0\nv 2 0 0\nv 2 0 1\nv 1 0 1\nv 1 0 2\nv 0 0 2\n"
    "v 0 1 0\nv 2 1 0\nv 2 1 1\nv 1 1 1\nv 1 1 2\nv 0 1 2\n"
    "f 1 2 3 4\nf 1 4 5 6\nf 10 9 8 7\nf 12 11 10 7\nf 1 7 8 2\nf 2 8 9 3\nf 3 9 10 4\n"
    "f 4 10 11 5\nf 5 11 12 6\nf 6 12 7 1\n";

std::string box_obj(double x0, double x1, double z0, double z1) {
  std::string text;
  for (double z : {z0, z1})
    for (const auto& [x, y] : {std::pair{x0, 0.0}, {x1, 0.0}, {x1, 1.0}, {x0, 1.0}})
      text += "v " + std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(z) + "\n";
  return text + "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n";
}
}  // namespace

TEST_CASE("a body has the mass, the centre and the inertia of its shape times the density") {
  struct Row {
    std::string shape;
    double volume;
    Vector3 principal;  ///< inertia over mass [m^2]
  };
  const double a = 0.3, b = 0.2, c = 0.1, r = 0.05, l = 0.4;
  const double ball = 4.0 / 3.0 * pi * r * r * r, tube = pi * r * r * l;
  // of a capsule: cylinder and two half balls whose centres are 3/8 r outside its ends
  const double along = (tube * r * r / 2.0 + ball * 0.4 * r * r) / (tube + ball);
  const double across = (tube * (r * r / 4.0 + l * l / 12.0) +
                         ball * (0.4 * r * r + l * l / 4.0 + 3.0 / 8.0 * l * r)) /
                        (tube + ball);
  for (const Row& row :
       {Row{"box: {size: [0.3, 0.2, 0.1]}", a * b * c,
            Vector3(b * b + c * c, a * a + c * c, a * a + b * b) / 12.0},
        Row{"sphere: {radius: 0.05}", ball, 0.4 * r * r * Vector3::Ones()},
        Row{"ellipsoid: {radii: [0.3, 0.2, 0.1]}", 4.0 / 3.0 * pi * a * b * c,
            Vector3(b * b + c * c, a * a + c * c, a * a + b * b) / 5.0},
        Row{"cylinder: {radius: 0.05, length: 0.4}", tube,
            Vector3(r * r / 4.0 + l * l / 12.0, r * r / 4.0 + l * l / 12.0, r * r / 2.0)},
        Row{"capsule: {radius: 0.05, length: 0.4}", tube + ball, Vector3(across, across, along)},
        Row{"hull: {points: [[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0.3, 0.2, 0], [0, 0, 0.1], "
            "[0.3, 0, 0.1], [0, 0.2, 0.1], [0.3, 0.2, 0.1]]}",
            a * b * c, Vector3(b * b + c * c, a * a + c * c, a * a + b * b) / 12.0}}) {
    CAPTURE(row.shape);
    const Model model = rigid_model(one("shape: {" + row.shape + "}, density: 2000"));
    const RigidBody& body = body_of(model);
    CHECK(body.mass == doctest::Approx(2000.0 * row.volume).epsilon(1e-13));
    const Matrix3 J = Vector3(body.mass * row.principal).asDiagonal();
    expect_near(body.inertia, J, 1e-13 * J.maxCoeff());
    const bool hull = row.shape.starts_with("hull");
    expect_near(place_of(model), hull ? Vector3(0.15, 0.1, 0.05) : Vector3(Vector3::Zero()), 1e-15);
  }
}

TEST_CASE("a body of two shapes sits at their mass centre, its axes are those of the scene entry") {
  // a hammer: head of 2 kg at x = 0.3, handle of 1 kg at the origin; turned by 90 degrees about z
  const Model model = rigid_model(
      one("shapes: [{box: {size: [0.1, 0.1, 0.2]}, position: [0.3, 0, 0], density: 1000}, "
          "{box: {size: [0.5, 0.05, 0.04]}, density: 1000}], position: [1, 2, 3], "
          "rotation: {axis: [0, 0, 2], angle: 90 deg}, velocity: [1, 0, 0], spin: [0, 0, 4]"));
  const RigidBody& body = body_of(model);
  CHECK(body.mass == doctest::Approx(3.0).epsilon(1e-14));
  expect_near(place_of(model), Vector3(1.0, 2.2, 3.0), 1e-15);
  CHECK(turn_of(model).angularDistance(exp_rotation(Vector3(0, 0, pi / 2))) <= 1e-15);
  const Vector3 head = Vector3(0.05, 0.05, 0.02) * 2.0 / 12.0,
                handle = Vector3(0.0025 + 0.0016, 0.25 + 0.0016, 0.25 + 0.0025) / 12.0;
  const double steiner = 2.0 * 0.1 * 0.1 + 1.0 * 0.2 * 0.2;
  const Matrix3 J = Vector3(head + handle + Vector3(0, steiner, steiner)).asDiagonal();
  expect_near(body.inertia, J, 1e-15);
  Vector v(6);
  v << 1, 0, 0, 0, 0, 4;
  CHECK(model.initial()[0].v == v);
  // the shapes moved with the origin of the frame
  const Surfaces& surfaces = model.surfaces();
  REQUIRE(surfaces.colliders.size() == 2);
  expect_near(surfaces.colliders[0].local.x, Vector3(0.1, 0, 0), 1e-16);
  expect_near(surfaces.colliders[1].local.x, Vector3(-0.2, 0, 0), 1e-16);
}

TEST_CASE("a solid cut into pieces is the same body") {
  const Model whole =
      rigid_model(one("shape: {box: {size: [0.6, 0.2, 0.1]}, rotation: {vector: "
                      "[0.1, 0.2, 0.3]}}, density: 700"));
  const Matrix3 R = exp_rotation(Vector3(0.1, 0.2, 0.3)).toRotationMatrix();
  std::string pieces;
  for (double x : {-0.2, 0.0, 0.2}) {
    const Vector3 at = R * Vector3(x, 0, 0);
    char text[256];
    std::snprintf(text, sizeof text,
                  "{box: {size: [0.2, 0.2, 0.1]}, rotation: {vector: [0.1, 0.2, 0.3]}, position: "
                  "[%.17g, %.17g, %.17g]}, ",
                  at[0], at[1], at[2]);
    pieces += text;
  }
  const Model cut = rigid_model(one("shapes: [" + pieces + "], density: 700"));
  CHECK(body_of(cut).mass == doctest::Approx(body_of(whole).mass).epsilon(1e-15));
  expect_near(body_of(cut).inertia, body_of(whole).inertia, 1e-15);
  expect_near(place_of(cut), place_of(whole), 1e-16);
}

TEST_CASE("mass instead of density scales the inertia; mass, inertia and centre need no shape") {
  const Model by_mass =
      rigid_model(one("shape: {box: {size: [3, 2, 1]}, position: [1, 0, 0]}, "
                      "mass: 12"));
  expect_near(body_of(by_mass).inertia, Matrix3(Vector3(5, 10, 13).asDiagonal()), 1e-14);
  expect_near(place_of(by_mass), Vector3(1, 0, 0), 0.0);
  const Model given = rigid_model(
      one("mass: 3, inertia: [4, 5, 6, 0.1, 0.2, 0.3], centre: [0, 0, 2], position: [1, 1, 1]"));
  Matrix3 J;
  J << 4, 0.1, 0.2, 0.1, 5, 0.3, 0.2, 0.3, 6;
  CHECK(body_of(given).inertia == J);
  CHECK(place_of(given) == Vector3(1, 1, 3));
  CHECK(given.surfaces().colliders.empty());
}

TEST_CASE("a ball stays a ball however it is turned and placed: its tangents stay symmetric") {
  const Model model = rigid_model(
      one("shape: {sphere: {radius: 0.1}, position: [0.3, 0.1, 0.7], rotation: {vector: [1, 2, "
          "3]}}, density: 7, rotation: {quaternion: [1, 2, 3, 4]}"));
  CHECK(has(rigid_of(model).traits(), Trait::symmetric));
  const Matrix3& J = body_of(model).inertia;
  CHECK(J == Matrix3(J(0, 0) * Matrix3::Identity()));
}

TEST_CASE(
    "a body may look like a closed convex surface, or like convex pieces of one that is not") {
  const DataFolder folder;
  folder.write("cube.obj", kCube);
  folder.write("angle.obj", kAngle);
  folder.write("foot.obj", box_obj(0, 2, 0, 1));
  folder.write("leg.obj", box_obj(0, 1, 1, 2));
  const Model cube =
      rigid_model(one("shape: {mesh: {file: cube.obj, scale: 0.5}}, density: 3"), folder.path);
  CHECK(body_of(cube).mass == doctest::Approx(3.0).epsilon(1e-14));
  using Hull = std::shared_ptr<const ConvexHull>;
  const Hull* hull = std::get_if<Hull>(&cube.surfaces().colliders[0].shape);
  REQUIRE(hull != nullptr);
  CHECK((*hull)->vertices.size() == 8);
  CHECK((*hull)->radius == doctest::Approx(std::sqrt(0.75)).epsilon(1e-14));

  const std::string angle = "mesh: {file: angle.obj, pieces: [foot.obj, leg.obj]}";
  const Model pieces = rigid_model(one("shape: {" + angle + "}, density: 1"), folder.path);
  CHECK(body_of(pieces).mass == doctest::Approx(3.0).epsilon(1e-14));
  expect_near(place_of(pieces), Vector3(5.0 / 6.0, 0.5, 5.0 / 6.0), 1e-15);
  REQUIRE(pieces.surfaces().colliders.size() == 2);
  for (const Collider& collider : pieces.surfaces().colliders)
    CHECK(std::holds_alternative<Hull>(collider.shape));

  const Scene scene = rigid_scene(one("shape: {" + angle + "}, density: 1"), folder.path);
  std::vector<std::string> entries;
  for (const DataFile& file : data_files(scene)) entries.push_back(file.entry);
  CHECK(entries == std::vector<std::string>{"bodies[0].rigid.shape.mesh.file",
                                            "bodies[0].rigid.shape.mesh.pieces[0]",
                                            "bodies[0].rigid.shape.mesh.pieces[1]"});
}

TEST_CASE("bodies of one scheme, gravity and drag make one group, in the order of the scene") {
  const std::string shape = "shape: {sphere: {radius: 1}}, density: 1, touches: false";
  const Model model = rigid_model(
      "gravity: [0, 0, -9.81]\nbodies:\n"
      "  - {name: a, kind: rigid, rigid: {" +
      shape +
      "}, scheme: moreau-jean}\n"
      "  - {name: weight, kind: linear, oscillator: {mass: 1, stiffness: 1}}\n"
      "  - {name: b, kind: rigid, rigid: {" +
      shape +
      "}}\n"
      "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n"
      "  - {name: c, kind: rigid, rigid: {" +
      shape +
      ", velocity: [1, 0, 0]}, scheme: moreau-jean}\n"
      "  - {name: d, kind: rigid, rigid: {" +
      shape +
      ", gravity: [0, 0, 0]}, scheme: moreau-jean}\n"
      "  - {name: e, kind: rigid, rigid: {" +
      shape + ", drag: 2, spin_drag: 3}}\n");
  const auto groups = model.groups();
  REQUIRE(groups.size() == 5);
  CHECK(groups[0].name == "a");
  CHECK(groups[0].kind == "rigid");
  CHECK(groups[0].bodies == std::vector<std::string>{"a", "c"});
  CHECK(groups[0].scheme->name() == "moreau-jean");
  CHECK(model.initial()[0].v[6] == 1.0);
  CHECK(groups[1].name == "weight");
  CHECK(groups[2].name == "b");
  CHECK(groups[2].bodies.empty());
  CHECK(groups[2].scheme->name() == "rig-mid");
  CHECK(groups[3].name == "d");
  CHECK(groups[4].name == "e");
  CHECK(rigid_of(model, 0).system().gravity == Vector3(0, 0, -9.81));
  CHECK(rigid_of(model, 3).system().gravity == Vector3::Zero());
  CHECK(rigid_of(model, 4).system().drag == 2.0);
  CHECK(rigid_of(model, 4).system().spin_drag == 3.0);
  const SceneSpec spec;
  for (const auto& [name, group] : {std::pair{"a", 0}, {"c", 0}, {"d", 3}, {"floor", -1}}) {
    BodySpec body;
    body.name = name;
    CHECK(group_of(model, body) == group);
  }
}

TEST_CASE("copies fill a grid along x, then y, then z, and have names of their own") {
  const Model model = rigid_model(
      one("shape: {box: {size: [1, 1, 1]}, position: [0, 0, 0.5]}, density: 1, position: [10, 0, "
          "0], copies: {count: [3, 1, 2], spacing: [2, 5, 1.5]}"));
  const Group& group = model.groups()[0];
  CHECK(group.name == "b.0");
  CHECK(group.bodies == std::vector<std::string>{"b.0", "b.1", "b.2", "b.3", "b.4", "b.5"});
  for (int i = 0; i < 6; ++i)
    expect_near(place_of(model, i), Vector3(10 + 2 * (i % 3), 0, 0.5 + 1.5 * (i / 3)), 1e-15);
  REQUIRE(model.surfaces().frames.size() == 6);
  CHECK(model.surfaces().frames[4].name == "b.4");
  CHECK(model.surfaces().frames[4].body == 4);
}

TEST_CASE("copies from a file have places, turns and sizes of their own") {
  const DataFolder folder;
  folder.write("at.csv", "x,y,z,qw,qx,qy,qz,size\n0,0,0,1,0,0,0,1\n1,2,3,0,0,0,2,0.5\n");
  const Model model = rigid_model(
      one("shape: {box: {size: [2, 1, 1]}, position: [1, 0, 0]}, density: 6, position: [0, 0, 10], "
          "copies: {file: at.csv}"),
      folder.path);
  CHECK(body_of(model, 0).mass == doctest::Approx(12.0).epsilon(1e-15));
  CHECK(body_of(model, 1).mass == doctest::Approx(1.5).epsilon(1e-15));
  expect_near(body_of(model, 1).inertia, body_of(model, 0).inertia / 32.0, 1e-15);
  expect_near(place_of(model, 0), Vector3(1, 0, 10), 1e-15);
  expect_near(place_of(model, 1), Vector3(1 - 0.5, 2, 13), 1e-15);  // half a turn about z
  const auto* box = std::get_if<Box>(&model.surfaces().colliders[1].shape);
  REQUIRE(box != nullptr);
  CHECK(box->half == Vector3(0.5, 0.25, 0.25));
}

TEST_CASE("copies that turn stand in a ring about the origin of the body") {
  const Model model = rigid_model(one(
      "shape: {box: {size: [0.1, 0.1, 0.1]}, position: [2, 0, 0]}, density: 1, position: [0, 0, "
      "5], copies: {count: [8, 1, 1], turn: {axis: [0, -3, 0], angle: 45 deg}}"));
  for (int i = 0; i < 8; ++i) {
    CAPTURE(i);
    expect_near(place_of(model, i),
                Vector3(2 * std::cos(i * pi / 4), 0, 5 + 2 * std::sin(i * pi / 4)), 2e-15);
    CHECK(turn_of(model, i).angularDistance(exp_rotation(Vector3(0, -i * pi / 4, 0))) <= 1e-7);
  }
}

TEST_CASE("copies from a list are where it says") {
  const Model model = rigid_model(
      one("shape: {sphere: {radius: 1}}, mass: 1, position: [0, 0, 1], copies: {at: [[5, 0, 0], "
          "[0, 5, 0]]}"));
  CHECK(place_of(model, 0) == Vector3(5, 0, 1));
  CHECK(place_of(model, 1) == Vector3(0, 5, 1));
}

TEST_CASE("a planar scene locks what would leave the plane, for bodies turned within it too") {
  using Locks = std::array<bool, 6>;
  const bool o = false, X = true;
  const std::string box = "shape: {box: {size: [0.3, 0.2, 0.1]}}, density: 1";
  struct Row {
    std::string plane, rotation;
    Locks locked;
    Vector3 normal;
  };
  for (const Row& row : {
           Row{"xy", "{axis: [0, 0, 1], angle: 20 deg}", {o, o, X, X, X, o}, Vector3::UnitZ()},
           Row{"xz", "{axis: [0, 1, 0], angle: 20 deg}", {o, X, o, X, o, X}, Vector3::UnitY()},
           Row{"yz", "{axis: [1, 0, 0], angle: 20 deg}", {X, o, o, o, X, X}, Vector3::UnitX()},
           // the body lies on its side: its z is the y of the scene
           Row{"xz", "{axis: [1, 0, 0], angle: 90 deg}", {o, X, o, X, X, o}, Vector3::UnitY()},
       }) {
    CAPTURE(row.plane);
    CAPTURE(row.rotation);
    const Model model =
        rigid_model("planar: " + row.plane + "\n" + one(box + ", rotation: " + row.rotation));
    CHECK(body_of(model).locked == row.locked);
    CHECK(model.surfaces().plane == row.normal);
  }
  const Model by_hand = rigid_model(one(box + ", locked: [y, rx, rz]"));
  CHECK(body_of(by_hand).locked == Locks{o, X, o, X, o, X});
  CHECK(by_hand.surfaces().plane == Vector3::UnitY());
  CHECK(rigid_model(one(box + ", locked: [y]")).surfaces().plane.isZero(0.0));
}

TEST_CASE("forces act at a point of the body, torques about an axis, in space or with the body") {
  // centre at (0, 0, 1) of the user's frame; the body is turned by 90 degrees about z
  const std::string body =
      "bodies: [{name: b, kind: rigid, rigid: {mass: 2, inertia: [1, 1, 1], centre: [0, 0, 1], "
      "rotation: {axis: [0, 0, 1], angle: 90 deg}}, loads: [";
  struct Row {
    std::string load;
    Vector3 force, torque;  ///< in space, in the body
  };
  for (const Row& row : {
           Row{"{force: [3, 0, 0], constant: 5}", {5, 0, 0}, {0, 0, 0}},
           Row{"{force: [1, 0, 0], point: [0, 0, 3], constant: 5}", {5, 0, 0}, {10, 0, 0}},
           Row{"{force: [1, 0, 0], frame: body, constant: 5}", {0, 5, 0}, {0, 0, 0}},
           Row{"{force: [1, 0, 0], frame: body, point: [0, 2, 1], constant: 5}",
               {0, 5, 0},
               {0, 0, -10}},
           Row{"{torque: [0, 1, 0], constant: 4}", {0, 0, 0}, {4, 0, 0}},
           Row{"{torque: [0, 2, 0], frame: body, constant: 4}", {0, 0, 0}, {0, 4, 0}},
           Row{"{force: [0, 0, 1], harmonic: {amplitude: 2, frequency: 1, phase: 60 deg}}",
               {0, 0, 1},
               {0, 0, 0}},
       }) {
    CAPTURE(row.load);
    const Model model = rigid_model(body + row.load + "]}]\n");
    Vector f(6);
    model.groups()[0].dynamics->force(0.0, model.initial()[0].q, model.initial()[0].v, f);
    expect_near(f.head(3), row.force, 1e-14);
    expect_near(f.tail(3), row.torque, 1e-14);
  }
}

TEST_CASE("what is told how to move follows its courses from its place and turn on") {
  const Model model = rigid_model(
      "bodies:\n"
      "  - {name: drum, kind: rigid, rigid: {shape: {box: {size: [1, 1, 1]}}, position: [1, 2, 3], "
      "rotation: {axis: [1, 0, 0], angle: 90 deg}, motion: {x: {rate: 2}, y: {table: [[0, 0], [1, "
      "3]]}, z: {harmonic: {amplitude: 0.5, frequency: 1}}, axis: [0, 5, 0], angle: {rate: 90 "
      "deg/s}}}}\n"
      "  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, density: 1}}\n"
      "  - {name: other, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, position: [9, 9, 9], "
      "motion: {z: {constant: 1}}}}\n"
      "surfaces: [{law: newton-impact}]\n");
  REQUIRE(model.groups().size() == 2);
  const Group& led = model.groups()[0];
  CHECK(led.kind == "moving");
  CHECK(led.bodies == std::vector<std::string>{"drum", "other"});
  std::array<Pose, 2> at;
  led.dynamics->frames(0.5, model.initial()[0].q, at);
  expect_near(at[0].x, Vector3(2, 3.5, 2.5), 1e-15);
  const Matrix3 turned = (exp_rotation(Vector3(0, pi / 4, 0)) * exp_rotation(Vector3(pi / 2, 0, 0)))
                             .toRotationMatrix();
  expect_near(at[0].R, turned, 1e-15);
  expect_near(at[1].x, Vector3(9, 9, 10), 0.0);
  // two led bodies never touch each other
  CHECK(model.surfaces().excluded == std::vector<std::array<int, 2>>{{0, 2}});
}

TEST_CASE("points of rigid bodies touch planes and other bodies, and are listened to") {
  const Model model = rigid_model(
      "gravity: [0, 0, -10]\nbodies:\n"
      "  - {name: plate, kind: rigid, rigid: {shape: {box: {size: [1, 1, 0.1]}, position: [0, 0, "
      "0.05]}, density: 1, position: [0, 0, 2], touches: false, copies: {count: [1, 1, 2], "
      "spacing: "
      "[0, 0, 1]}}}\n"
      "  - {name: weight, kind: linear, oscillator: {mass: 1, stiffness: 1}}\n"
      "contacts:\n"
      "  - {on: plate.0, at: [0.5, 0, 0], against: {plane: {point: [0, 0, 1.5]}}, law: {kind: "
      "newton-impact, friction: 0.3}}\n"
      "  - {on: plate.1, at: [[0.5, 0, 0.1], [0, 0.5, 0.1]], against: {body: plate.0, at: [0, 0, "
      "0.1], normal: [0, 0, 1]}, law: newton-impact}\n"
      "  - {on: plate.0, at: [0, 0, 0], against: {body: weight, at: 0, normal: [0, 0, 1]}, law: "
      "newton-impact}\n"
      "outputs:\n"
      "  - {probe: plate.1, at: [0.5, 0, 0.1], direction: [1, 0, 1], quantity: displacement}\n");
  REQUIRE(model.pairs().size() == 4);
  const auto x_of = [&](const ContactSide& side) {
    Vector3 x = side.ref.local;
    if (side.group < 0) return x;
    const auto g = static_cast<std::size_t>(side.group);
    model.groups()[g].dynamics->points(0.0, model.initial()[g].q, {&side.ref, 1}, x);
    return x;
  };
  struct Row {
    Vector3 a, b;
    int tangents;
  };
  const Row rows[] = {{{0.5, 0, 2}, {0, 0, 1.5}, 2},
                      {{0.5, 0, 3.1}, {0, 0, 2.1}, 0},
                      {{0, 0.5, 3.1}, {0, 0, 2.1}, 0},
                      {{0, 0, 2}, {0, 0, 0}, 0}};
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    expect_near(x_of(model.pairs()[i].a), rows[i].a, 1e-15);
    expect_near(x_of(model.pairs()[i].b), rows[i].b, 1e-15);
    CHECK(model.pairs()[i].tangents == rows[i].tangents);
  }
  const Probe& probe = model.probes()[0];
  CHECK(probe.name == "plate.1 at [0.5, 0, 0.1]");
  CHECK(probe.group == 0);
  CHECK(probe.point.body == 1);
  CHECK(probe.rest == doctest::Approx((0.5 + 3.1) / std::sqrt(2.0)).epsilon(1e-15));
}

TEST_CASE("friction of a point has one direction where the body is locked in a plane") {
  const Model model = rigid_model("planar: xz\n" + one("mass: 1, inertia: [1, 1, 1]") +
                                  "contacts: [{on: b, at: [0, 0, 0], against: {plane: {}}, law: "
                                  "{kind: newton-impact, friction: "
                                  "0.3}}]\n");
  REQUIRE(model.pairs()[0].tangents == 1);
  CHECK(std::abs(model.pairs()[0].tangent[0].x()) == doctest::Approx(1.0).epsilon(1e-15));
}

TEST_CASE("a scene of rigid bodies that is written reads back as it was") {
  const std::string text =
      "gravity: [0, 0, -9.81]\nplanar: xz\ncontact: {instant: middle, margin: 1 mm}\n"
      "bodies:\n"
      "  - {name: a, kind: rigid, rigid: {shapes: [{box: {size: [1, 1, 1]}, material: stone}, "
      "{capsule: {radius: 1, length: 2}, rotation: {axis: [0, 1, 0], angle: 90 deg}, density: 3}], "
      "density: 2, locked: [x], copies: {count: [2, 1, 1], spacing: [5, 0, 0]}}, loads: [{force: "
      "[0, "
      "0, 1], point: [1, 2, 3], constant: 1}]}\n"
      "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}, material: stone}, fixed: true, "
      "position: [0, 0, -5]}}\n"
      "  - {name: m, kind: rigid, rigid: {shape: {sphere: {radius: 1}}, position: [50, 0, 0], "
      "motion: {x: {rate: 1}}}}\n"
      "surfaces: [{materials: [stone, stone], law: {kind: newton-impact, friction: 0.5}}]\n"
      "ignore: [[a, m]]\n"
      "outputs: [{probe: a.1, at: [0, 0, 0]}]\n";
  const Scene scene = rigid_scene(text);
  const Scene again = read_scene_text(write_scene(scene.spec), "again");
  CHECK(again.spec == scene.spec);
  CHECK(build(again).groups().size() == 2);
}
