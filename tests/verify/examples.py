#!/usr/bin/env python3
"""Runs scenes with the program and verifies what it writes. Of each file a hundred states and a hundred impulses, drawn at
random, are then altered by 1e-6 of the largest of their kind, one at a time; each must be found.

    examples.py SALTUS SCENE [SCENE ...]          SALTUS: the command

Ends with 1 where a verdict is not pass or an altered number is not found, 77 (skipped) where Python has no NumPy or h5py.
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import tempfile

from altering import Altering

DRAWS = 100


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
            file = Altering(out)
            report = file.report()
            drawn = {of: file.draws(of, DRAWS, seed=1) for of in ("states", "impulses")}
            missed = [d for of in drawn.values() for d in of if not file.found(d)]
        print(f"{os.path.basename(scene)}: {'pass' if report.passed else 'FAIL: ' + ', '.join(report.failed_names())}"
              f", {len(report.quantities)} quantities, {sum(map(len, report.unchecked.values()))} not checked")
        if not report.passed:
            print(report.text())
        for d in missed:
            print(f"  altered, and not found: {d.text()}")
        good = good and report.passed and not missed and len(drawn["states"]) == DRAWS
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
