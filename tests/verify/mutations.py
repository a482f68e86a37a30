#!/usr/bin/env python3
"""Alters stored states and impulses of results files, one at a time, and counts those that the verifier finds.

    mutations.py FILE ... [--draws 100] [--seed 1] [--least 100] [--equations] [--csv TABLE]

Each draw picks one number of the states (q, velocity, q0, v0, v1 of all bodies and frames) or of the impulses (contacts,
joints), adds to it 1e-6 of the largest number of its kind, and asks for a verdict (altering.py). With --equations the
checksums of the frames are left aside: what is found then breaks an equation. Ends with 1 where fewer than `least` of a
hundred were found, where a file as it is does not pass, or where an altered copy of the file passes nevertheless.
"""
import argparse
import csv
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
import tempfile

from altering import Altering


def judge(name, options):
    """(is all found that must be, cells of the table)."""
    file, good, cells = Altering(name), True, []
    if not file.report().passed:
        print("the file does not pass as it is")
        return False, []
    for of in options.of.split(","):
        chosen = file.draws(of, options.draws, options.seed)
        by = [(file.by_checksum(d), file.by_equations(d)) for d in chosen]
        found = [e if options.equations else c or e for c, e in by]
        both, alone = sum(c or e for c, e in by), sum(e for _, e in by)
        print(f"{of}: {sum(found)} of {len(chosen)} found" + ("" if options.equations else f", {alone} by the equations alone"))
        for d in [d for d, f in zip(chosen, found) if not f][:10]:
            print(f"  missed: {d.text()}")
        for d, f in list(zip(chosen, found))[:options.whole]:
            if f and not file.whole(d, not options.equations):
                print(f"  not found in the whole file: {d.text()}")
                good = False
        good = good and 100.0 * sum(found) >= options.least * len(chosen)
        cells += [len(chosen), both, alone]
    return good, cells


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", help="results, or with --program scenes")
    parser.add_argument("--program", help="the command: it runs the scenes first")
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=100.0, help="of a hundred that must be found")
    parser.add_argument("--of", default="states,impulses")
    parser.add_argument("--equations", action="store_true", help="without the checksums of the frames")
    parser.add_argument("--whole", type=int, default=1, help="draws that are also made in a copy of the file")
    parser.add_argument("--csv", help="table to write: a row a file")
    options = parser.parse_args()
    good, rows = True, []
    for given in options.files:
        with tempfile.TemporaryDirectory() as folder:
            name = given
            if len(options.files) > 1:
                print(f"{pathlib.Path(given).stem}:")
            if options.program:
                name = os.path.join(folder, "results.h5")
                subprocess.run([options.program, "run", given, "-o", name, "--quiet"], check=True, capture_output=True)
            fine, cells = judge(name, options)
            good = good and fine
            rows.append([pathlib.Path(given).stem] + cells)
        sys.stdout.flush()
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["example"] + [f"{of} {x}" for of in options.of.split(",")
                                          for x in ("draws", "found", "by equations alone")])
            table.writerows(rows)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
