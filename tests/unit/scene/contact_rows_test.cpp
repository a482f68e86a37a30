// What can be wrong with contacts by rows over coordinates, and with the distance of two points: each row a contact and the
// message of its entry.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;

namespace {

const std::string kBodies =
    "  - {name: a, kind: linear, chain: {masses: 3, mass: 1, stiffness: 1, ends: free-free}, "
    "prescribed: [{dof: 0, harmonic: {amplitude: 0.1, frequency: 1}}]}\n"
    "  - {name: p, kind: lagrangian, n_pendulum: {mass: [1, 1], length: [1, 1]}}\n"
    "  - {name: m, kind: modal, modes: {omega: [1, 2]}}\n"
    "  - {name: ball, kind: particles, particles: {mass: [1], positions: [[0, 0, 1]]}}\n"
    "  - {name: block, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 2]}}\n";

/// "contacts[0].row: ..." of a scene with this contact, "": it has no fault.
std::string fault_of_row(const std::string& contact) {
  const std::string text = "saltus: 1\ntime: {end: 0.1 s, step: 1 ms}\nbodies:\n" + kBodies +
                           "contacts:\n  - {" + contact + "}\n";
  try {
    build(read_scene_text(text, "s"));
  } catch (const SceneError& error) {
    const std::string what = error.what();
    const std::size_t at = what.find("contacts[0]");
    return at == std::string::npos ? what : what.substr(at);
  }
  return "";
}

Model model_of_row(const std::string& contact) {
  return build(read_scene_text("saltus: 1\ntime: {end: 0.1 s, step: 1 ms}\nbodies:\n" + kBodies +
                                   "contacts:\n  - {" + contact + "}\n",
                               "s"));
}

const std::string kRigid = "law: newton-impact",
                  kRough = "law: {kind: newton-impact, friction: 0.3}";

}  // namespace

TEST_CASE("faults of rows over coordinates are told in one line") {
  struct Row {
    std::string contact, message;
  };
  const Row rows[] = {
      {"on: a, row: [1, 2], " + kRigid,
       "contacts[0].row: has 2 coefficients of the 3 degrees of freedom of 'a'; one per degree of "
       "freedom, or a list of [degree of freedom, coefficient]"},
      {"on: m, row: [1, 2, 3], " + kRigid,
       "contacts[0].row: has 3 coefficients of the 2 modes of 'm'; one per mode, or a list of "
       "[mode, coefficient]"},
      {"on: a, row: [[1, 1], [3, -1]], " + kRigid,
       "contacts[0].row[1]: 'a' has no degree of freedom 3; allowed: 0 to 2"},
      {"on: a, row: [[1.5, 1]], " + kRigid,
       "contacts[0].row[0]: 'a' has no degree of freedom 1.5; allowed: 0 to 2"},
      {"on: a, row: [[1, 1], [1, -1]], " + kRigid,
       "contacts[0].row[1]: names degree of freedom 1 twice"},
      {"on: a, row: [0, 0, 0], " + kRigid,
       "contacts[0].row: is zero: no coordinate moves along it"},
      {"on: a, row: [1, 0, 0], " + kRigid,
       "contacts[0].row: has coefficients of prescribed coordinates only: no contact can move "
       "them; let another coordinate make contact, or take one out of `prescribed`"},
      {"on: a, row: [1, 2, 3], tangent: [0, 0, 0], " + kRough,
       "contacts[0].tangent: is zero: no coordinate moves along it"},
      {"on: a, row: [0, 2, 3], tangent: [0, -4, -6], " + kRough,
       "contacts[0].tangent: is parallel to `row`: sliding would open the contact; give the slip "
       "along the obstacle, independent of the gap"},
      {"on: a, row: [0, 2, 3], tangent: [1, -4, -6], " + kRough,
       "contacts[0].tangent: is parallel to `row`: sliding would open the contact; give the slip "
       "along the obstacle, independent of the gap"},
      {"on: p, row: [1, 0], tangents: [[0, 1], [1, 1]], " + kRough,
       "contacts[0].tangents[1]: is a combination of `row` and the other tangent; give the slip "
       "along the obstacle, independent of the gap"},
      {"on: a, row: [0, 1, 0], tangents: [[0, 0, 1], [0, 1, 1], [0, 2, 1]], " + kRough,
       "contacts[0].tangents: has 3 rows; at most two"},
      {"on: a, row: [0, 1, 0], " + kRough,
       "contacts[0].law: friction needs the row of the slip; give `tangent`"},
      {"on: a, row: [0, 1, 0], tangent: [0, 0, 1], law: {kind: relay, bound: 1}",
       "contacts[0].tangent: is for friction perpendicular to `row`, but relay acts along it; "
       "leave it out"},
      {"on: a, row: [0, 1, 0], offset: -2 mm, " + kRigid,
       "contacts[0].row: the gap is -2 mm at the start; change `offset` or the initial state"},
      {"on: ball, row: [0, 0, 1], " + kRigid,
       "contacts[0].row: is for bodies of kinds modal, linear and lagrangian, and 'ball' is of "
       "kind "
       "particles; give `at` and `against`"},
      {"on: block, row: [0, 0, 1, 0, 0, 0], " + kRigid,
       "contacts[0].row: is for bodies of kinds modal, linear and lagrangian, and 'block' is of "
       "kind rigid; give `at` and `against`"},
      {"on: a, " + kRigid, "contacts[0]: a key is missing; give at least one of against, row"},
      {"on: a, at: 1, row: [0, 1, 0], " + kRigid,
       "contacts[0].row: cannot be given together with `at`; give at most one of at, row"},
      {"on: a, at: 1, against: {plane: {}}, tangent: [0, 1, 0], " + kRigid,
       "contacts[0].tangent: needs `row`"},
      {"on: a, row: [0, 1, 0], against: {plane: {}}, " + kRigid,
       "contacts[0].against: is for a contact with another body where `row` is given; against: "
       "{body: ..., row: "
       "[...]}, or leave it out"},
      {"on: a, row: [0, 1, 0], against: {body: p, normal: [1, 0, 0]}, " + kRigid,
       "contacts[0].against.row: is missing: the contribution of the other body to the gap; one "
       "coefficient per coordinate of 'p'"},
      {"on: a, against: {body: p, row: [1, 0]}, " + kRigid,
       "contacts[0].row: is missing: the contribution of 'a' to the gap; one coefficient per "
       "coordinate"},
      {"on: a, row: [0, 1, 0], against: {body: p, row: [1]}, " + kRigid,
       "contacts[0].against.row: has 1 coefficient of the 2 coordinates of 'p'; one per "
       "coordinate, or a list of [coordinate, coefficient]"},
      {"on: a, row: [0, 1, 0], against: {body: a, row: [0, 0, 1]}, " + kRigid,
       "contacts[0].against.body: 'a' is the body of `on`; `row` contains all coordinates of a "
       "body"},
      {"on: a, row: [0, 1, 0], tangent: [0, 0, 1], against: {body: p, row: [1, 0]}, " + kRough,
       "contacts[0].against: has 0 tangents and 'a' has 1; the same number on both bodies; use a "
       "row of zeros if one body does not move along a tangent"},
      {"on: a, row: [0, 1, 0], against: {body: ball, row: [1, 0, 0]}, " + kRigid,
       "contacts[0].against.row: is for bodies of kinds modal, linear and lagrangian, and 'ball' "
       "is "
       "of kind particles; give `at` and `against`"},
      {"on: ball, at: 0, against: {body: block, at: [0, 0, 0], distance: 0.1, row: [1]}, " + kRigid,
       "contacts[0].against.distance: needs `normal`"},
      {"on: block, at: [0, 0, 0], against: {body: ball, at: 0, normal: [0, 0, 1], distance: "
       "1.2}, " +
           kRigid,
       "contacts[0].against.distance: [0, 0, 0] of 'block' is 1 m from particle 0 of 'ball' along "
       "the normal at the start; give a smaller distance or other places, or turn the normal, "
       "which points from the other body to this one"}};
  for (const Row& row : rows) CHECK(fault_of_row(row.contact) == row.message);
}

TEST_CASE("rows that are right make one contact, with as many tangents as its law rubs along") {
  struct Row {
    std::string contact;
    int tangents;
  };
  const Row rows[] = {
      {"on: a, row: [1, 2, 3], " + kRigid, 0},
      {"on: a, row: [[2, 1]], tangent: [[1, 1]], " + kRough, 1},
      {"on: a, row: [0, 1, 0], tangent: [0, 0, 1], " + kRigid, 0},
      {"on: a, row: [0, 1, 1], tangents: [[0, 1, -1]], " + kRough, 1},
      {"on: a, row: [0, 1, 0], tangents: [[0, 0, 1], [0, 0, 0]], against: {body: m, row: [0, 1], "
       "tangents: [[0, 0], [1, 0]]}, " +
           kRough,
       2}};
  for (const Row& row : rows) {
    CAPTURE(row.contact);
    const Model model = model_of_row(row.contact);
    REQUIRE(model.pairs().size() == 1);
    CHECK(model.pairs()[0].tangents == row.tangents);
  }
}
