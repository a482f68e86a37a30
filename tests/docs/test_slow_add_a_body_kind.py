#!/usr/bin/env python3
"""A body kind is added as CONTRIBUTING.md says, in six places of a copy of the tree: all that includes the entries of bodies is compiled
with it, before the library, which knows nothing of it, and a scene runs with a body of the kind."""
import pathlib
import re
import subprocess
import tempfile
import unittest

from followed import CACHE, copied, need_a_build
from support import BUILD, ROOT

# A float of mass m [kg] on a spring k [N/m] upwards:  m q'' + k q = -m g.
NEW = {
    "src/saltus/bodies/buoy.h": """// A float that moves along z:  m q'' + k q = -m g.
#pragma once
#include <memory>

#include "saltus/bodies/lagrangian.h"

namespace saltus {

/// mass [kg], stiffness [N/m], gravity [m/s^2]; point 0: its mass.
std::shared_ptr<const LagrangianModel> buoy(double mass, double stiffness, double gravity);

}  // namespace saltus
""",
    "src/saltus/bodies/buoy.cpp": """#include "saltus/bodies/buoy.h"

namespace saltus {
namespace {

class Buoy final : public LagrangianModel {
 public:
  Buoy(double mass, double stiffness, double gravity) : m_(mass), k_(stiffness), g_(gravity) {}
  int size() const override { return 1; }
  bool constant_mass() const override { return true; }
  bool symmetric() const override { return true; }
  void mass(View, Matrix& M) const override { M(0, 0) = m_; }
  double potential(View q) const override { return (0.5 * k_ * q[0] + m_ * g_) * q[0]; }
  void potential_force(View q, Out f) const override { f[0] = -k_ * q[0] - m_ * g_; }
  void potential_tangent(View, Matrix& K) const override { K(0, 0) = k_; }
  void applied(double, View, View, Out f) const override { f[0] = 0.0; }
  void inertial(View, View, Out f) const override { f[0] = 0.0; }
  bool has_tangents() const override { return true; }
  void tangents(double, View, View, Matrix& K, Matrix& C) const override {
    K(0, 0) = k_;
    C(0, 0) = 0.0;
  }
  int points() const override { return 1; }
  std::string point_name(int) const override { return "mass"; }
  Vector3 point(int, View q) const override { return {0.0, 0.0, q[0]}; }
  void point_jacobian(int, View, Matrix& J) const override { J.col(0) = Vector3::UnitZ(); }

 private:
  double m_, k_, g_;
};

}  // namespace

std::shared_ptr<const LagrangianModel> buoy(double mass, double stiffness, double gravity) {
  return std::make_shared<Buoy>(mass, stiffness, gravity);
}

}  // namespace saltus
""",
    "src/saltus/spec/buoy_spec.h": """// Bodies of kind buoy as a scene writes them.
#pragma once
#include "saltus/base/options.h"

namespace saltus {

struct BuoySpec {
  double mass = 0.0, stiffness = 0.0, height = 0.0;

  bool operator==(const BuoySpec&) const = default;
  static constexpr auto fields() {
    using T = BuoySpec;
    return field_rows(required("mass", &T::mass, unit::kg, kPositive, "of the float"),
                      required("stiffness", &T::stiffness, unit::N_per_m, kPositive, "of its lift"),
                      field("height", &T::height, unit::m, kAnyNumber, "of the mass at t = 0"));
  }
};

}  // namespace saltus
""",
    "src/saltus/kinds/buoy_kind.cpp": """// Bodies of kind buoy: one point, their mass.
#include "saltus/bodies/buoy.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/touch_points.h"

namespace saltus {
namespace {

class BuoyKind final : public BuiltKind {
 public:
  TouchPoint point(const NamedBuilt& of, const PlaceSpec& at,
                   const std::string& path) const override {
    return numbered_point(of, at, 1, "mass", path);
  }
  std::vector<TouchPoint> all_points(const NamedBuilt& of, const std::string& path) const override {
    return {point(of, NumberOrName(0), path)};
  }
};

BuiltBody build_buoy(const BodyEntry& entry) {
  const BuoySpec& spec = *entry.body.buoy;
  BuiltBody built;
  built.dofs = 1;
  built.initial = {Vector::Constant(1, spec.height), Vector::Zero(1), {}};
  built.dynamics = std::make_shared<const Lagrangian>(
      buoy(spec.mass, spec.stiffness, -entry.scene.spec.steady_gravity()[2]));
  built.kind = std::make_shared<const BuoyKind>();
  return built;
}

}  // namespace

KindRow buoy_kind() {
  return {.kind = BodyKind::buoy,
          .name = "buoy",
          .summary = "a float that moves up and down",
          .entries = "buoy",
          .points = "its mass, 0",
          .cases = {{"", Lagrangian(buoy(1.0, 1.0, 0.0)).traits()}},
          .build = build_buoy};
}

}  // namespace saltus
""",
}

EDITS = {
    "src/saltus/spec/body_spec.h": [
        ('#include "saltus/spec/beam_spec.h"\n', '#include "saltus/spec/beam_spec.h"\n#include "saltus/spec/buoy_spec.h"\n'),
        ("enum class BodyKind { modal,", "enum class BodyKind { buoy, modal,"),
        ('  return std::array{NamedValue{modal, "modal"},\n', '  return std::array{NamedValue{buoy, "buoy"}, NamedValue{modal, "modal"},\n'),
        ("  std::optional<BeamSpec> beam;\n", "  std::optional<BeamSpec> beam;\n  std::optional<BuoySpec> buoy;\n"),
        ('        only("kind", {"beam"}, "beam"),\n', '        only("kind", {"beam"}, "beam"),\n        only("kind", {"buoy"}, "buoy"),\n'),
        ('        where("kind", {"beam"}, exactly_one("beam")),\n',
         '        where("kind", {"beam"}, exactly_one("beam")),\n        where("kind", {"buoy"}, exactly_one("buoy")),\n'),
        ('        field("scheme", &T::scheme,\n', '        field("buoy", &T::buoy, "a float"),\n        field("scheme", &T::scheme,\n'),
    ],
    "src/saltus/kinds/kinds.cpp": [
        ("KindRow modal_kind();\n", "KindRow modal_kind();\nKindRow buoy_kind();\n"),
        ("rows{modal_kind(),", "rows{buoy_kind(), modal_kind(),"),
    ],
}

# It swings about -m g/k = -0.1 m with omega = 10/s, unless a floor at -0.15 m turns it back.
TEST = R"""#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "saltus/kinds/kinds.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"

namespace saltus {
namespace {

Scene scene_of(const std::string& body, const std::string& more = "") {
  return read_scene_text(
      "saltus: 1\ntime: {end: 1, rate: 10 kHz}\ngravity: [0, 0, -10]\n"
      "bodies: [{name: b, kind: buoy, buoy: {" + body + "}}]\n"
      "outputs: [{name: z, probe: b, at: 0, direction: [0, 0, 1], quantity: displacement}]\n" + more,
      "buoy.yaml");
}

TEST_CASE("a buoy swings about its rest") {
  Simulation sim(build(scene_of("mass: 2, stiffness: 200")));
  double worst = 0.0, lowest = 0.0;
  for (int k = 0; k < 10000; ++k) {
    sim.advance();
    const double z = 0.1 * (std::cos(10.0 * sim.state().t) - 1.0);
    worst = std::max(worst, std::abs(sim.probe(0) - z));
    lowest = std::min(lowest, sim.probe(0));
  }
  CHECK(worst < 1e-6);
  CHECK(lowest < -0.19);
}

TEST_CASE("a floor holds a buoy") {
  Simulation sim(build(scene_of("mass: 2, stiffness: 200",
                                "contacts: [{on: b, against: {plane: {point: [0, 0, -0.15], normal: [0, 0, 1]}}, "
                                "law: newton-impact}]\n")));
  double lowest = 0.0;
  for (int k = 0; k < 10000; ++k) {
    sim.advance();
    lowest = std::min(lowest, sim.probe(0));
  }
  CHECK(lowest < -0.149);
  CHECK(lowest > -0.151);
}

TEST_CASE("a buoy is described and its entries are checked") {
  CHECK(kind_row(BodyKind::buoy).name == "buoy");
  CHECK_THROWS_AS(scene_of("mass: 0, stiffness: 200"), SceneError);
  CHECK_THROWS_AS(scene_of("mass: 2, stiffness: 200, length: 1"), SceneError);
}

}  // namespace
}  // namespace saltus
"""

# The rooms between a scene and a run of it.
ROOMS = ("spec", "model", "kinds", "scene", "scene_file")


def sources_of_bodies():
    """The sources of these rooms that include the entries of bodies, by way of whatever header."""
    include = re.compile(r'#include "(saltus/[^"]+)"')
    includes = {path.relative_to(ROOT / "src").as_posix(): set(include.findall(path.read_text(encoding="utf-8")))
                for path in (ROOT / "src" / "saltus").rglob("*") if path.suffix in (".h", ".cpp")}
    known = {"saltus/spec/body_spec.h"}
    while more := {name for name, of in includes.items() if name.endswith(".h") and of & known} - known:
        known |= more
    return sorted(name for name, of in includes.items()
                  if name.endswith(".cpp") and of & known and name.split("/")[1] in ROOMS)


class AddABodyKind(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_a_build()

    def setUp(self):
        room = tempfile.TemporaryDirectory(prefix="saltus_kind_")
        self.addCleanup(room.cleanup)
        self.folder = pathlib.Path(room.name)
        for name, text in NEW.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")
        for name, edits in EDITS.items():
            file = copied(name, self.folder)
            text = file.read_text(encoding="utf-8")
            for old, new in edits:
                self.assertEqual(text.count(old), 1, f"{name}: {old}")
                text = text.replace(old, new)
            file.write_text(text, encoding="utf-8")

    def told(self, *words):
        done = subprocess.run([str(word) for word in words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        text = done.stdout
        self.assertEqual(done.returncode, 0, text if len(text) < 6000 else f"{text[:3000]}\n...\n{text[-3000:]}")
        return text

    def sources(self):
        """Some files of a room at a time, as the library is compiled: those of the folder in the place of the others."""
        rooms = {}
        for name in sorted({*sources_of_bodies(), *(name[4:] for name in NEW if name.endswith(".cpp"))}):
            rooms.setdefault(name.split("/")[1], []).append(name)
        written = []
        for room, names in rooms.items():
            for first in range(0, len(names), 10):
                file = self.folder / f"{room}_{first}.cpp"
                lines = [self.folder / "src" / name if (self.folder / "src" / name).exists() else ROOT / "src" / name
                         for name in names[first : first + 10]]
                file.write_text("".join(f'#include "{line}"\n' for line in lines), encoding="utf-8")
                written.append(file)
        test = self.folder / "buoy_test.cpp"
        test.write_text(TEST, encoding="utf-8")
        return [*written, test]

    def test_six_places_make_a_kind_that_runs(self):
        self.assertEqual(len(NEW) + len(EDITS), 6)
        page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        self.assertIn("**a body kind.** Six places:", page)
        self.told(CACHE["CMAKE_COMMAND"], "-S", ROOT / "tests/docs/followed", "-B", "build", "-G", CACHE["CMAKE_GENERATOR"],
                  f"-DCMAKE_CXX_COMPILER={CACHE['CMAKE_CXX_COMPILER']}", f"-DCMAKE_CXX_FLAGS={CACHE['CMAKE_CXX_FLAGS']} -O1",
                  f"-DROOT={ROOT}", f"-DBUILD={BUILD}", f"-DHERE={self.folder}", f"-DSOURCES={';'.join(map(str, self.sources()))}")
        self.told(CACHE["CMAKE_COMMAND"], "--build", "build", "-j", "2")
        self.told("build/followed")


if __name__ == "__main__":
    unittest.main()
