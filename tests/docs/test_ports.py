#!/usr/bin/env python3
# The pages for users of Siconos, Solfec and SOFA: their scenes give the published numbers, by the command and by Python,
# and what their tables name exists.
import os
import re
import tempfile
import unittest
import warnings

import mdtext
import support
from support import ROOT, SHARED, has_package

HOWTO = ROOT / "docs" / "howto"
GOLDEN = SHARED / "golden"
PORTS = ["siconos", "solfec", "sofa"]

try:
    import h5py
    import numpy as np
except ImportError:
    h5py = None


def text_of(port):
    return (HOWTO / f"port_from_{port}.md").read_text(encoding="utf-8")


def scene(port, name):
    """The scene of a page that the page calls by this name."""
    return next(b.text for b in mdtext.blocks(text_of(port)) if ("file", name) in b.orders)


def table(file, split=","):
    lines = (GOLDEN / file).read_text().splitlines()
    return [line.split(split) for line in lines if line and not line.startswith("#")]


def numbers(file):
    return np.array([[float(cell) for cell in row] for row in table(file)])


class ByCommand:
    """Probes at every step, impulses and the last state of a scene, through `saltus run` and the results file."""

    def __init__(self, text, sets):
        with tempfile.TemporaryDirectory(prefix="saltus_port_") as folder:
            file = os.path.join(folder, "scene")
            with open(file + ".yaml", "w") as out:
                out.write(text)
            words = [word for path, value in sets.items() for word in ("--set", f"{path}={value}")]
            support.saltus("run", file + ".yaml", "-q", "-o", file + ".h5", *words)
            with h5py.File(file + ".h5") as results:
                self.probes = {name: values[:] for name, values in results["probes"].items()} if "probes" in results else {}
                self.impulse, self.contacts = results["step/impulse"][:], results["step/contacts"][:]
                body = next(iter(results["bodies"].values()))
                self.q, self.v = body["q"][-1], body["velocity"][-1]
                self.energy = results["step/kinetic"][:] + results["step/potential"][:]


class ByPython:
    """The same through the package; the state also by steps of a Simulation, which must end where the run ends."""

    def __init__(self, text, sets):
        import saltus
        with tempfile.TemporaryDirectory(prefix="saltus_port_") as folder:
            file = os.path.join(folder, "scene.yaml")
            with open(file, "w") as out:
                out.write(text)
            read = saltus.Scene.read(file, set=sets)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # runs tell what is legal and doubtful
                results = saltus.run(read, os.path.join(folder, "scene.h5"))
            steps = results.steps
            self.probes = {name: np.array(results.probes[name]) for name in re.findall(r"name: (\w+), at:", text)}
            self.impulse, self.contacts = np.array(steps["impulse"]), np.array(steps["contacts"])
            self.energy = np.array(steps["kinetic"]) + np.array(steps["potential"])
            body = re.search(r"- name: (\w+)", text)[1]
            sim = saltus.Simulation(read.build())
            for _ in range(len(self.impulse) - 1):
                sim.advance()
            self.q, self.v = np.array(sim.groups[body].q), np.array(sim.groups[body].v)
            last = np.array(results.bodies[body].q)[-1]
            assert np.array_equal(self.q, last), (self.q, last)


def known():
    """Every key of an option and every word that one may take, from the tables of the program."""
    keys, words = set(), set()
    for entry in support.described("scene"):
        words.update(re.findall(r"[\w-]+", entry["name"].split("=")[-1]) if "=" in entry["name"] else [])
        for option in entry["options"]:
            keys.add(option["key"])
            words.update(re.findall(r"[\w-]+", option["value"]))
    for topic in ("schemes", "bodies", "laws", "solvers"):
        words.update(row["name"] for row in support.described(topic))
    return keys, words


def unknown(text, keys, words):
    """Keys of `code` in the columns on our side of a page's tables that no scene has, and values that no option takes."""
    faults = []
    for row in re.findall(r"^\| (.*) \|$", text, re.M):
        for code in re.findall(r"`([^`]+)`", row.partition(" | ")[2]):
            if re.search(r"[()=/\[\]]|^saltus|^sim\.", code):
                continue  # Python, the command, a dataset
            for key, value in re.findall(r"([a-z_]+):(?: ([a-z_-]+[a-z]))?", code):
                if key not in keys:
                    faults.append(f"{code}: no option is called {key}")
                elif value and value not in keys | words and key in ("kind", "scheme", "law", "solver", "form", "start", "table", "instant", "compat"):
                    faults.append(f"{code}: {value} is no {key}")
    return faults


class Ports(unittest.TestCase):
    def each(self, port, name, sets=None):
        """The scene by the command, and by Python where the package is built."""
        yield ByCommand(scene(port, name), sets or {})
        if has_package():
            yield ByPython(scene(port, name), sets or {})

    def setUp(self):
        if h5py is None:
            self.skipTest("not installed: h5py or numpy")

    def golden(self, file):
        if not (GOLDEN / file).exists():
            self.skipTest(f"no reference data: golden/{file}")
        return file

    def near(self, have, want, tolerance, what):
        off = float(np.max(np.abs(np.asarray(have) - np.asarray(want))))
        self.assertLessEqual(off, tolerance, what)

    def test_the_ball_of_siconos_bounces_as_published(self):
        rows = numbers(self.golden("siconos/bouncing_ball_mj.csv"))
        k = rows[:, 0].astype(int)
        self.assertEqual((len(k), k[-1]), (259, 2000))
        for run in self.each("siconos", "ball.yaml"):
            self.near(run.probes["height"][k], rows[:, 2], 1e-13, "heights")
            self.near(run.probes["speed"][k], rows[:, 3], 1e-12, "speeds")
            self.near(run.impulse[k], rows[:, 5], 1e-12, "impulses")

    def test_the_string_of_siconos_meets_its_obstacle_as_published(self):
        rows = numbers(self.golden("music/golden_one_fs5000_e1.csv"))
        modes = GOLDEN / self.golden("music/one_contact_1001_modes.csv")
        k = rows[:, 0].astype(int)
        sets = {"bodies[0].string": f"{{length: 1.002 m, linear_density: 1, modes: 1001, table: '{modes}'}}"}
        self.assertEqual((len(k), k[-1]), (237, 2000))
        for run in self.each("siconos", "string.yaml", sets):
            self.near(run.probes["quarter"][k], rows[:, 3], 1e-12, "a quarter")
            self.near(run.probes["middle"][k], rows[:, 4], 1e-12, "the middle")
            self.assertEqual(list(run.contacts[k]), [int(n) for n in rows[:, 11]])

    def test_the_string_of_the_page_sounds_like_the_measured_one(self):
        rows = numbers(self.golden("music/golden_one_fs5000_e1.csv"))
        early = rows[rows[:, 0] <= 12]
        for run in self.each("siconos", "string.yaml"):
            self.assertEqual(len(run.impulse), 2001)
            self.near(run.probes["quarter"][early[:, 0].astype(int)], early[:, 3], 2e-5, "the first half period, to 2 % of the pluck")

    def test_the_top_of_solfec_turns_by_its_three_schemes_as_listed(self):
        rows = [row for row in table(self.golden("solfec/rigid_golden.csv")) if row[0] == "E_solfec_heavy_top" and row[2][:2] == "1/"]
        self.assertEqual(len(rows), 6)
        for row in rows:
            sets = {"bodies[0].scheme": row[1].lower().replace("_", "-"), "time.rate": row[2][2:]}
            L, W = np.array(row[5:14], float).reshape(3, 3), np.array(row[14:17], float)
            for run in self.each("solfec", "top.yaml", sets):
                w, x, y, z = run.q[3:7]
                have = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                                 [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                                 [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
                self.near(have, L, 1e-13, "rotation")
                self.near(run.v[3:6], W, 1e-12 * abs(W).max(), "angular velocity")

    def test_the_table_of_the_page_is_that_of_the_listed_top(self):
        rows = {row[1]: row for row in table(self.golden("solfec/rigid_golden.csv"))
                if row[0] == "E_solfec_heavy_top" and row[2] in ("1/512", "0")}
        start = float(rows["INITIAL"][17])
        shown = re.findall(r"^\| (RIG_\w+|exact) .*?\| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$", text_of("solfec"), re.M)
        self.assertEqual(len(shown), 4)
        for name, *cells in shown:
            row = rows[name if name.startswith("RIG") else "EXACT"]
            self.near([float(c) for c in cells[:3]], [float(c) for c in row[14:17]], 6e-10, name)
            self.near(float(cells[3]), float(row[17]) - start, 6e-9, name)

    def test_the_spring_of_sofa_swings_as_its_tests_say(self):
        rows = table(self.golden("sofa/sofa_unit_tests.tsv"), "\t")
        for rayleigh in ("0.1", "0"):
            listed = [row for row in rows if row[0] == "EulerImplicit" and row[5] == rayleigh]
            self.assertEqual(len(listed), 8)
            sets = {} if rayleigh == "0.1" else {"bodies[0].rayleigh": "{mass: 0, stiffness: 0}"}
            for sets in (sets, {**sets, "bodies[0].scheme": "euler-implicit"}):  # with and without compat
                for run in self.each("sofa", "spring.yaml", sets):
                    self.near([1.0 + run.probes["stretch"][int(row[8])] for row in listed], [float(row[9]) for row in listed], 1e-15, sets)

    def test_the_planet_of_sofa_comes_round_as_listed(self):
        for N, trajectory, place, energy, _, x, _ in table(self.golden("sofa/sofa_planet.tsv"), "\t"):
            sets = {"time.step": f"{11.685038540104447 / int(N):.17g}", "bodies[0].scheme.newton_tolerance": "0"}
            want = [float(c) for c in x.split(";")]
            for run in self.each("sofa", "planet.yaml", sets):
                have = [run.probes["x"][-1], run.probes["z"][-1]]
                self.assertEqual(len(run.impulse), int(N) + 1)
                self.near(have, want, 1e-9, N)
                self.near(float(np.hypot(have[0] - 1.0, have[1])), float(place), 1e-9, N)
                self.near(abs(run.energy - run.energy[0]).max() / float(energy), 1.0, 1e-3, N)

    def test_what_the_tables_name_on_our_side_exists(self):
        keys, words = known()
        for port in PORTS:
            self.assertEqual(unknown(text_of(port), keys, words), [], port)
        self.assertEqual(len(unknown("| `a` | `law: {kind: newton-impakt, fricton: 1}` |\n", keys, words)), 2)

    def test_every_port_is_found_from_the_index(self):
        index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
        for port in PORTS:
            self.assertIn(f"(howto/port_from_{port}.md)", index)


if __name__ == "__main__":
    unittest.main()
