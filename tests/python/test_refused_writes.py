"""What would be lost is refused: unknown attributes, writes into copies; and a scene tells all of its faults."""
import pathlib
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    sys.exit(77)

import saltus

SCENE = {
    "saltus": 1,
    "time": {"end": 0.5, "step": 1e-3},
    "gravity": [0, 0, -9.81],
    "bodies": [
        {"name": "hand", "kind": "rigid",
         "rigid": {"mass": 2, "inertia": [1, 1, 1], "position": [0, 0, 0.01], "spin": [0, 1, 0],
                   "shape": {"sphere": {"radius": 0.01}, "material": "boundary surface"}}},
        {"name": "table", "kind": "rigid", "rigid": {"fixed": True, "shape": {"plane": {}, "material": "wood"}}},
        {"name": "mass", "kind": "linear", "oscillator": {"mass": 1, "stiffness": 4}, "initial": {"coordinates": [1]}},
    ],
    "surfaces": [{"materials": ["boundary surface", "wood"], "law": "newton-impact"}],
    "outputs": [{"probe": "mass", "at": 0, "name": "place", "quantity": "displacement"}],
}


class Refused(unittest.TestCase):
    def setUp(self):
        self.sim = saltus.Simulation(SCENE)
        self.sim.advance()

    def test_attributes_that_steer_nothing_are_refused_with_what_there_is(self):
        hand, group = self.sim.bodies["hand"], self.sim.groups["mass"]
        for name, value in (("force", [1, 0, 0]), ("velocity", [0, 0, 1]), ("q", 0), ("name", "x")):
            for view in (hand, group):
                with self.subTest(name=name, view=view), self.assertRaises(AttributeError) as raised:
                    setattr(view, name, value)
                self.assertIn(name, str(raised.exception))
                self.assertIn("apply()", str(raised.exception))
        for thing in (self.sim, self.sim.model, self.sim.state, self.sim.bodies, self.sim.contacts(),
                      self.sim.events, self.sim.advance(), saltus.Scene.of(SCENE), saltus.schemes()[0]):
            with self.subTest(type(thing).__name__), self.assertRaises(AttributeError):
                thing.stiffness = 3
        with self.assertRaises(AttributeError):
            saltus.bodies.rigid("a", mass=1, inertia=[1, 1, 1]).mass = 2
        self.assertFalse(hasattr(hand, "force"))

    def test_arrays_that_are_copies_or_views_cannot_be_written(self):
        sim = self.sim
        hand, group, contacts = sim.bodies["hand"], sim.groups["hand"], sim.contacts()
        self.assertGreater(len(contacts), 0)
        arrays = [hand.q, hand.v, hand.position, hand.rotation, hand.velocity, hand.angular_velocity, group.q, group.v,
                  group.velocity(), group.positions, group.rotations, group.reactions, contacts, contacts.gap,
                  contacts["force"], contacts.closed, sim.events, sim.state.groups[0].q, sim.state.ledger]
        for k, array in enumerate(arrays):
            with self.subTest(k), self.assertRaises(ValueError):
                array[...] = array
        with self.assertRaises(AttributeError):
            contacts.gap = 0
        free = hand.velocity.copy()
        free[:] = 5
        self.assertEqual(free[0], 5)

    def test_results_cannot_be_written(self):
        with saltus_results() as results:
            body = results.bodies["hand"]
            arrays = [results.t, results.energy, results.probes["place"], results.steps["kinetic"], results.ledger["impact"],
                      results.frames.t, body.q, body.v, body.position, body.velocity, body.angular_velocity,
                      results.contacts(-1), results.contacts(-1).closed, results.events]
            for k, array in enumerate(arrays):
                with self.subTest(k), self.assertRaises(ValueError):
                    array[...] = array
            for thing in (results, body, results.probes, results.bodies, results.frames):
                with self.assertRaises(AttributeError):
                    thing.colour = "red"

    def test_a_simulation_lists_the_warnings_of_its_steps(self):
        self.assertEqual(self.sim.warnings, [])
        self.assertIsInstance(self.sim.warnings, list)


class saltus_results:
    """A run of the scene, removed afterwards."""

    def __enter__(self):
        import os
        import tempfile

        self.folder = tempfile.TemporaryDirectory()
        return saltus.run(SCENE, os.path.join(self.folder.name, "r.h5"), progress=False)

    def __exit__(self, *_):
        self.folder.cleanup()


class Files(unittest.TestCase):
    def test_a_name_with_a_null_character_is_refused_wherever_it_enters(self):
        with tempfile.TemporaryDirectory() as folder:
            here = pathlib.Path(folder)
            saltus.run(SCENE, output=here / "a.h5")
            before = sorted(here.iterdir())
            scene = {**SCENE, "outputs": [{**SCENE["outputs"][0], "csv": "a\0.csv"}]}
            name = str(here / "a.h5")
            for k, act in enumerate((lambda: saltus.run(SCENE, output=name + "\0.h5"),
                                     lambda: saltus.run(SCENE, output=name + "\0.h5", resume=True),
                                     lambda: saltus.run(scene, output=here / "b.h5"),
                                     lambda: saltus.Results(name + "\0"),
                                     lambda: saltus.Scene.read(name + "\0"))):
                with self.subTest(k), self.assertRaises((saltus.Error, ValueError)) as raised:
                    act()
                self.assertIn("null", str(raised.exception))
                self.assertNotIn("\n", str(raised.exception))
            self.assertEqual(sorted(here.iterdir()), before)

    def test_tables_lie_beside_the_results_unless_the_call_allows_another_place(self):
        with tempfile.TemporaryDirectory() as folder:
            here = pathlib.Path(folder)
            (here / "in").mkdir()
            scene = {**SCENE, "outputs": [{**SCENE["outputs"][0], "csv": "../place.csv"}]}
            with self.assertRaises(saltus.SceneError) as raised:
                saltus.run(scene, output=here / "in/a.h5")
            self.assertIn("outputs_anywhere=True", str(raised.exception))
            self.assertEqual(list(here.rglob("*.*")), [])
            saltus.run(scene, output=here / "in/a.h5", outputs_anywhere=True)
            self.assertTrue((here / "place.csv").exists())


class AllFaults(unittest.TestCase):
    BAD = ("saltus: 1\ntime: {end: 1 kg, step: 1 ms}\nbodies:\n"
           "  - {name: a, kind: linear, oscillator: {mass: -1, stiffness: 4}}\n"
           "  - {name: b, kind: linear, oscillator: {mass: 1, stifness: 4}}\n"
           "  - {name: c, kind: linear, oscillator: {mass: 1, stiffness: 4}}\n"
           "outputs:\n  - {probe: cc, at: 0}\n")

    def test_an_exception_carries_all_faults_of_a_scene(self):
        with self.assertRaises(saltus.SceneError) as raised:
            saltus.Scene.parse(self.BAD, name="bad.yaml")
        error = raised.exception
        self.assertEqual([one.line for one in error.faults], [2, 4, 5, 8])
        self.assertEqual(str(error).split("\n"), [str(one) for one in error.faults])
        self.assertEqual((error.line, error.path, error.file), (2, "time.end", "bad.yaml"))
        self.assertTrue(all(isinstance(one, saltus.SceneError) and one.hint is not None for one in error.faults))

    def test_one_fault_is_the_error_itself(self):
        with self.assertRaises(saltus.SceneError) as raised:
            saltus.Scene.parse("saltus: 1\ntime: {end: 1 s, step: 1 ms}\nbodies: [{name: a, kind: linear}]\n")
        self.assertEqual(len(raised.exception.faults), 1)
        self.assertNotIn("\n", str(raised.exception))

    def test_building_lists_all_bodies_that_cannot_be_built(self):
        text = ("saltus: 1\ntime: {end: 1 s, step: 1 ms}\nbodies:\n"
                "  - {name: a, kind: modal, modes: {file: nowhere_a.csv}}\n"
                "  - {name: b, kind: modal, modes: {file: nowhere_b.csv}}\n")
        with self.assertRaises(saltus.SceneError) as raised:
            saltus.Scene.parse(text).build()
        self.assertEqual([one.line for one in raised.exception.faults], [4, 5])


if __name__ == "__main__":
    unittest.main()
