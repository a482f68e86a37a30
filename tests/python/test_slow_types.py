#!/usr/bin/env python3
"""Types: mypy's stubtest compares the stubs with the module name by name, mypy finds the package and its users consistent."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import mypy.stubtest  # noqa: F401
except ImportError:
    raise unittest.SkipTest("not installed: mypy") from None

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIG = ["--config-file", str(ROOT / "pyproject.toml")]
USER = '''import numpy as np
import saltus


class Mine(saltus.ContactSolver):
    def handles(self, kind: str) -> bool:
        return kind == "unilateral"

    def solve(self, problem, limits, memory, p):
        p[:] = np.maximum(0.0, -problem.b)


sim = saltus.Simulation("ball.yaml")
energy: float = sim.energy.total
report: saltus.StepReport = sim.advance(h=1e-3)
x: np.ndarray = sim.groups["ball"].q
good: bool = saltus.solve(np.eye(3), np.zeros(3), friction=0.3, solver=Mine()).converged
sim.advance(step=1e-3)  # wrong
saltus.Scene.read("ball.yaml").titel  # wrong
wrong: str = sim.t
'''


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="saltus_types_")
        cls.addClassCleanup(cls.folder.cleanup)

    def run_module(self, *words):
        return subprocess.run([sys.executable, "-m", *words], cwd=self.folder.name, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**os.environ, "MYPY_CACHE_DIR": self.folder.name})

    def test_stubs_and_module_have_the_same_names_arguments_and_kinds(self):
        done = self.run_module("mypy.stubtest", "saltus._core", "--concise")
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])

    def test_package_fits_its_types(self):
        done = self.run_module("mypy", *CONFIG, str(ROOT / "python" / "saltus"))
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])

    def test_what_a_user_gets_wrong_is_found_and_nothing_else(self):
        (pathlib.Path(self.folder.name) / "user.py").write_text(USER)
        done = self.run_module("mypy", *CONFIG, "user.py")
        found = [line.split(": ")[0] for line in done.stdout.splitlines() if ": error: " in line]
        self.assertEqual(found, ["user.py:18", "user.py:19", "user.py:20"], done.stdout)


if __name__ == "__main__":
    unittest.main()
