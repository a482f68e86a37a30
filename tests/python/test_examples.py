"""Every example runs in ten lines of Python, and ends where the command ends, bit for bit."""
import inspect
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit(77)

import saltus

ROOT = Path(os.environ.get("SALTUS_ROOT", Path(__file__).resolve().parents[2]))
COMMAND = Path(os.environ.get("SALTUS_BINARY", ROOT / "build/release/bin/saltus"))
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
STEPS = {"wall": 6, "hertz": 6, "arch": 20, "rubber_ball": 20}  # of the costly ones


def steps_of(file):
    return STEPS.get(file.stem, 60)


def ten_lines(file, steps):
    """Runs any scene."""
    sim = saltus.Simulation(file)
    heights = []
    while sim.step < steps:
        report = sim.advance()
        if not report.good:
            raise saltus.RunError(report.failure)
        heights.append(sim.energy.potential)
    return sim, np.array(heights)


class Examples(unittest.TestCase):
    def test_the_program_has_ten_lines(self):
        self.assertLessEqual(len(inspect.getsource(ten_lines).splitlines()), 10)
        self.assertGreater(len(EXAMPLES), 40)

    def test_a_loop_in_python_and_a_run_in_cpp_are_the_same_bits_for_every_example(self):
        for file in EXAMPLES:
            with self.subTest(file.stem):
                looped, potential = ten_lines(file, steps_of(file))
                run = saltus.Simulation(file)
                report = run.run(steps=steps_of(file))
                self.assertEqual(report.steps, steps_of(file))
                self.assertEqual(len(potential), report.steps)
                self.assertEqual(run.state, looped.state)

    def test_every_example_ends_where_the_command_ends(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("h5py is not there")
        if not COMMAND.exists():
            self.skipTest("the command is not built")
        for file in EXAMPLES:
            with self.subTest(file.stem), tempfile.TemporaryDirectory() as folder:
                model = saltus.Scene.read(file).build()
                until = steps_of(file) * model.h
                out = Path(folder) / "run.h5"
                subprocess.run([COMMAND, "run", file, "--until", repr(until), "-o", out, "-q", "--set",
                                "results.frames=0"], check=True, cwd=folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
                sim = saltus.Simulation(model)
                sim.run(until=until)
                state = sim.state
                with h5py.File(out) as stored:
                    end = max((stored["checkpoint"][slot] for slot in stored["checkpoint"]),
                              key=lambda slot: slot.attrs["step"])
                    self.assertEqual(end.attrs["step"], state.step)
                    for name, parts in (("q", [g.q for g in state.groups]),
                                        ("v", [g.v for g in state.groups]),
                                        ("memory", [m for g in state.groups for m in g.memory]),
                                        ("ledger", [state.ledger])):
                        here = np.concatenate(parts) if parts else np.empty(0)
                        there = end[name][...]
                        self.assertEqual(here.tobytes(), there.astype("<f8").tobytes(), name)
                    self.assertEqual(end.attrs["kinetic"], state.energy.kinetic)
                    self.assertEqual(end.attrs["potential"], state.energy.potential)


if __name__ == "__main__":
    unittest.main()
