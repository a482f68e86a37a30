#!/usr/bin/env python3
"""The stubs of the compiled part, from which editors know its types, are those of the module and lie beside it."""
import pathlib
import subprocess
import sys
import unittest

import saltus

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Stubs(unittest.TestCase):
    def test_stubs_are_beside_the_module(self):
        beside = pathlib.Path(saltus.__file__).parent / "_core.pyi"
        self.assertTrue(beside.exists(), f"{beside} is missing: run cmake again")

    def test_stubs_are_those_that_the_tool_makes(self):
        done = subprocess.run([sys.executable, str(ROOT / "tools" / "stubs.py"), "--check"], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])


if __name__ == "__main__":
    unittest.main()
