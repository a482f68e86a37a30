#!/usr/bin/env python3
"""Runs scenes with the program and verifies what it writes.

    examples.py SALTUS SCENE [SCENE ...]          SALTUS: the command

Ends with 1 where a verdict is not pass, 77 (skipped) where Python has no NumPy or h5py.
"""
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
import tempfile

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "verify"))

try:
    import h5py  # noqa: F401
    import numpy  # noqa: F401
except ImportError:
    print("skipped: no NumPy or h5py")
    sys.exit(77)

from saltus_verify.command import verify


def main():
    program, scenes = sys.argv[1], sys.argv[2:]
    good = True
    for scene in scenes:
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.h5")
            run = subprocess.run([program, "run", scene, "-o", out, "--quiet"], capture_output=True, text=True)
            if run.returncode != 0:
                print(f"{scene}: the run ends with {run.returncode}: {run.stderr}")
                good = False
                continue
            report = verify(out)
        print(f"{os.path.basename(scene)}: {'pass' if report.passed else 'FAIL: ' + ', '.join(report.failed_names())}"
              f", {len(report.quantities)} quantities, {sum(map(len, report.unchecked.values()))} not checked")
        if not report.passed:
            print(report.text())
        good = good and report.passed
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
