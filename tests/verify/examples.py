#!/usr/bin/env python3
"""Verifies results files. Of each a hundred states and a hundred impulses, drawn at random, are then altered by 1e-6 of the
largest of their kind, one at a time; each must be found.

    examples.py FOLDER          all files in it, of which there is one at least

Ends with 1 where a verdict is not pass or an altered number is not found, 77 (skipped) where Python has no NumPy or h5py.
"""
import pathlib
import sys

sys.dont_write_bytecode = True

from altering import Altering

DRAWS = 100


def main():
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.h5"))
    good = bool(files)
    for name in files:
        file = Altering(str(name))
        report = file.report()
        drawn = {of: file.draws(of, DRAWS, seed=1) for of in ("states", "impulses")}
        missed = [d for of in drawn.values() for d in of if not file.found(d)]
        print(f"{name.stem}: {'pass' if report.passed else 'FAIL: ' + ', '.join(report.failed_names())}"
              f", {len(report.quantities)} quantities, {sum(map(len, report.unchecked.values()))} not checked")
        if not report.passed:
            print(report.text())
        for d in missed:
            print(f"  altered, and not found: {d.text()}")
        good = good and report.passed and not missed and len(drawn["states"]) == DRAWS
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
