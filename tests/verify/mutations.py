#!/usr/bin/env python3
"""Alters stored states and impulses of a results file, one at a time, and counts those that the verifier finds.

    mutations.py FILE [--draws 100] [--seed 1] [--least 100] [--of states,impulses] [--equations]

Each draw picks one number of the states (q, velocity, q0, v0, v1 of all bodies and frames) or of the impulses (contacts,
joints), adds to it 1e-6 of the largest number of its kind, and asks for a verdict on the file. The file itself is copied
first. With --equations the checksums of the frames are left aside: what is found then breaks an equation. Ends with 1 where
fewer than `least` of a hundred were found, or where the file as it is does not pass.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import tempfile

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "verify"))

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: no NumPy or h5py")
    sys.exit(77)

from saltus_verify.command import verify

SIZE = 1e-6


def kinds_of(file, of):
    """(dataset, columns) of one kind each."""
    found = []
    if of == "states":
        for name, body in file["bodies"].items():
            rigid = body.attrs["kind"] in (b"rigid", "rigid")
            for table in ("q", "velocity", "step/q0", "step/v0", "step/v1"):
                if table not in body:
                    continue
                data = body[table]
                width = data.shape[1]
                if rigid:
                    period, split = (7, 3) if table[-1] == "q" or table.endswith("q0") else (6, 3)
                    columns = np.arange(width)
                    found.append((data.name, columns[columns % period < split]))
                    found.append((data.name, columns[columns % period >= split]))
                else:
                    found.append((data.name, np.arange(width)))
    else:
        if len(file["contacts/key"]):
            found.append(("/contacts/impulse", np.arange(3)))
            if np.any(file["contacts/moment"][:]):
                found.append(("/contacts/moment", np.arange(3)))
        for name in file.get("joints", {}):
            found.append((f"/joints/{name}/force", np.arange(3)))
            found.append((f"/joints/{name}/torque", np.arange(3)))
    return found


def largest(file, kind):
    data = file[kind[0]][:][:, kind[1]]
    return np.nanmax(np.abs(data), initial=0.0)


def draws(name, of, count, seed):
    """(dataset, row, column, change), every number of the file as likely as any other."""
    random = np.random.default_rng(seed)
    with h5py.File(name, "r") as file:
        joints = {}
        for kind in kinds_of(file, of):  # forces of all joints are one kind, torques another
            joints.setdefault(kind[0].rsplit("/", 1)[1] if kind[0].startswith("/joints/") else str(len(joints)) + kind[0],
                              []).append(kind)
        table = []
        for group in joints.values():
            top = max(largest(file, kind) for kind in group)
            if top > 0.0:
                table += [(kind, top) for kind in group]
        if not table:
            return []
        sizes = np.array([file[k[0]].shape[0] * len(k[1]) for k, _ in table], dtype=float)
        chosen = []
        while len(chosen) < count:
            kind, top = table[random.choice(len(table), p=sizes / sizes.sum())]
            row, column = int(random.integers(file[kind[0]].shape[0])), int(random.choice(kind[1]))
            value = file[kind[0]][row, column]
            if np.isnan(value):  # no step ends at the first frame
                continue
            chosen.append((kind[0], row, column, SIZE * top))
        return chosen


def altered(name, draw, checksums):
    data, row, column, change = draw
    with h5py.File(name, "r+") as file:
        value = file[data][row, column]
        file[data][row, column] = value + change
    try:
        return verify(name, checksums)
    finally:
        with h5py.File(name, "r+") as file:
            file[data][row, column] = value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", help="results, or with --program a scene")
    parser.add_argument("--program", help="the command: it runs the scene first")
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=100.0, help="of a hundred that must be found")
    parser.add_argument("--of", default="states,impulses")
    parser.add_argument("--equations", action="store_true", help="without the checksums of the frames")
    options = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "altered.h5")
        if options.program:
            subprocess.run([options.program, "run", options.file, "-o", name, "--quiet"], check=True, capture_output=True)
        else:
            shutil.copy(options.file, name)
        if not verify(name).passed:
            print("the file does not pass as it is")
            return 1
        for of in options.of.split(","):
            chosen = draws(name, of, options.draws, options.seed)
            missed = [d for d in chosen if altered(name, d, not options.equations).passed]
            print(f"{of}: {len(chosen) - len(missed)} of {len(chosen)} found")
            for data, row, column, change in missed[:10]:
                print(f"  missed: {data} row {row} column {column}, altered by {change:.3g}")
            good = good and 100.0 * (len(chosen) - len(missed)) >= options.least * len(chosen)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
