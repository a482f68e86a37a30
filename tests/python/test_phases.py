"""Scenes with phases, and scenes that start from a former run."""
import os
import tempfile
import unittest
import warnings

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("NumPy is not installed")

import saltus

#: Two masses on a spring; the first is held at 0 for 0.1 s.
HELD = """saltus: 1
time: {end: 0.2 s, step: 1 ms}
results: {frames: 5}
bodies:
  - {name: b, kind: linear, chain: {masses: 2, mass: 1, stiffness: 100, ends: free-free},
     initial: {coordinates: [0, 0.1]}, prescribed: [{dof: 0, constant: 0}], scheme: moreau-jean}
outputs:
  - {name: end, probe: b, at: 1, quantity: displacement}
"""
PHASES = "phases: [{name: held, end: 0.1 s}, {name: free, change: ['bodies[b].prescribed=[]']}]\n"


class Phases(unittest.TestCase):
    def setUp(self):
        self._before, self._folder = os.getcwd(), tempfile.TemporaryDirectory()
        os.chdir(self._folder.name)
        warnings.simplefilter("ignore", saltus.RunWarning)

    def tearDown(self):
        os.chdir(self._before)
        self._folder.cleanup()

    def run_text(self, name, text):
        with open(name + ".yaml", "w", encoding="utf-8") as file:
            file.write(text)
        return saltus.run(name + ".yaml", name + ".h5")

    def test_a_run_of_phases_is_that_of_two_scenes(self):
        self.run_text("one", HELD + PHASES)
        self.run_text("first", HELD.replace("0.2 s", "0.1 s"))
        free = HELD.replace("0.2 s", "0.1 s").replace("prescribed: [{dof: 0, constant: 0}], ", "")
        self.run_text("second", free + "start: {file: first.h5}\n")
        one, second = saltus.Results("one.h5"), saltus.Results("second.h5")
        np.testing.assert_allclose(one.probes["end"][100:], second.probes["end"], rtol=0, atol=1e-15)

    def test_models_start_from_a_file(self):
        self.run_text("first", HELD.replace("0.2 s", "0.1 s"))
        scene = saltus.Scene.parse(HELD + "start: {file: first.h5}\n")
        sim = saltus.Simulation(scene.build())
        self.assertAlmostEqual(sim.state.groups[0].q[0], saltus.Results("first.h5").probes["end"][-1], 12)

    def test_simulations_take_no_phases(self):
        with self.assertRaisesRegex(saltus.SceneError, "phases: are run as a whole only"):
            saltus.Simulation(saltus.Scene.parse(HELD + PHASES))


if __name__ == "__main__":
    unittest.main()
