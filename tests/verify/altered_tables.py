#!/usr/bin/env python3
"""Alters any table, text or attribute of results files, one number at a time, and counts the alterations that the verifier finds.

    altered_tables.py PROGRAM SCENE ... [--draws 100] [--seed 1] [--set KEY=VALUE] [--equations] [--least 100] [--attacks]

The program runs each scene. A draw changes one entry: a real number by a millionth of it, an integer by one, a text by one
character. All must be found by the checksums. With --equations the checksums are left aside: then the table shows which tables
the other checks cover. With --attacks whole tables are altered too, and each must be found without the checksums.
Ends with 1 if less than `least` of a hundred draws, or an attack, was not found; with 77 (skipped) without NumPy or h5py.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

sys.dont_write_bytecode = True
from altering import SIZE, Report, command, h5py, np  # ends the program with 77 (skipped) without NumPy or h5py
from saltus_verify.sums import LIST, things

warnings.simplefilter("ignore")  # altered numbers overflow


class Draw:
    """One entry of a table, or one attribute, to be altered in an open file."""

    def __init__(self, file, random):
        self.random = random
        paths = [(path, name) for path, thing in things(file) for name in [None, *thing.attrs]
                 if path != LIST and (name is not None or isinstance(thing, h5py.Dataset) and thing.size)]
        tables = [p for p in paths if p[1] is None]
        chosen = tables if random.random() < 0.9 else [p for p in paths if p[1] is not None]
        self.path, self.attribute = chosen[random.integers(len(chosen))]
        self.what = self.path if self.attribute is None else f"{self.path} @{self.attribute}"

    def altered(self, value):
        """Another value of the same type."""
        if isinstance(value, (bytes, str)):
            text = bytearray(value.encode() if isinstance(value, str) else value) or bytearray(b"x")
            i = int(self.random.integers(len(text)))
            text[i] = ord("3") if text[i] != ord("3") else ord("4")
            return bytes(text).decode(errors="replace")
        if isinstance(value, (np.integer, int)):
            kind = type(value)
            return kind(int(value) - 1 if self.random.random() < 0.5 and int(value) > 0 else int(value) + 1)
        if not np.isfinite(value):
            return 1.0
        return value * (1.0 + SIZE) if abs(value) > 1e-300 else SIZE

    def make(self, file):
        thing = file[self.path]
        if self.attribute is not None:
            value = thing.attrs[self.attribute]
            kind = thing.attrs.get_id(self.attribute).dtype
            new = self.altered(value)
            if isinstance(new, str):
                thing.attrs.create(self.attribute, np.bytes_(new.encode()))
            else:
                thing.attrs.create(self.attribute, new, dtype=kind)
        elif thing.shape == ():
            new = self.altered(thing[()])
            path, attributes = self.path, dict(thing.attrs)
            del file[path]
            file.create_dataset(path, data=np.bytes_(new.encode()))
            for name, value in attributes.items():
                file[path].attrs[name] = value
        else:
            at = tuple(int(self.random.integers(n)) for n in thing.shape)
            thing[at] = self.altered(thing[at])


def kind_of(path):
    """Tables of all bodies, joints, probes and accounts together."""
    path = re.sub(r"^(bodies|joints|probes|ledger|drawing/\w+|provenance/before)(/|_)[^/@ ]+", r"\1/*", path)
    return re.sub(r"^checkpoint/\w+.*", "checkpoint/*", path)


def found(name, equations):
    """Whether the verifier does not accept the file."""
    try:
        if equations:
            return not command.verify(name, checksums=False).passed
        report = Report()
        command.stored_sums(name, report)
        return not report.passed
    except Exception:
        return True  # no verdict: the file cannot be read


# -- whole tables, as someone would alter them who also computes the checksums again

def put(path, value):
    def make(file):
        file[path][...] = value(file[path][...])
    return make


def scrambled(x):
    return x[np.random.default_rng(1).permutation(len(x))]


ATTACKS = {
    "all probes are 5": lambda file: [put(f"probes/{n}", lambda x: 0 * x + 5.0)(file) for n in file["probes"]],
    "gaps are 0": put("step/gap", lambda x: 0.0 * np.where(np.isfinite(x), x, 0.0)),
    "residuals are 1": put("step/residual", lambda x: 0.0 * x + 1.0),
    "residuals after the step are 1": put("step/residual_after", lambda x: 0.0 * x + 1.0),
    "times are in another order": put("step/time", scrambled),
    "times of frames are in another order": put("frames/time", scrambled),
    "a body is 99999999": put("contacts/body", lambda x: np.where(x >= 0, 99999999, x)),
    "a side of a contact is -7": put("contacts/body", lambda x: 0 * x - 7),
    "steps of frames are -5": put("frames/step", lambda x: (0 * x.astype(np.int64) - 5).astype(np.uint64)),
    "steps of frames are 1": put("frames/step", lambda x: 0 * x + 1),
    "an account is 0": lambda file: put(f"ledger/{max(file['ledger'], key=lambda n: np.abs(file['ledger'][n][...]).max())}",
                                        lambda x: 0.0 * x)(file),
    "contacts are one more": put("step/contacts", lambda x: x + 1),
    "impulses are twice as large": put("step/impulse", lambda x: 2.0 * x),
    "gaps of contacts are 0.1 larger": put("contacts/gap", lambda x: x + 0.1),
    "the work of impacts is 1": put("step/impact", lambda x: 0.0 * x + 1.0),
    "the unexplained energy is 1": put("step/unexplained_step", lambda x: 0.0 * x + 1.0),
    "iterations are twice as many": put("step/iterations", lambda x: 2 * x + 1),
}


def draws(name, work, options, random, table):
    missed = []
    for _ in range(options.draws):
        shutil.copy(name, work)
        with h5py.File(work, "r+") as file:
            draw = Draw(file, random)
            draw.make(file)
        seen = found(work, options.equations)
        if not seen:
            missed.append(draw.what)
        kind = kind_of(draw.path) + (" @" if draw.attribute else "")
        table[kind][0] += seen
        table[kind][1] += 1
    return missed


def attacks(name, work):
    missed = []
    for what, make in ATTACKS.items():
        shutil.copy(name, work)
        with h5py.File(work, "r+") as file:
            before = {p: np.array(t) for p, t in things(file) if isinstance(t, h5py.Dataset) and t.shape != ()}
            make(file)
            same = all(np.array_equal(np.array(file[p]), x, equal_nan=x.dtype.kind == "f") for p, x in before.items())
        if not same and not found(work, True):
            missed.append(what)
    return missed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("scenes", nargs="+", help="scenes, or results files")
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--equations", action="store_true", help="without the checksums")
    parser.add_argument("--least", type=float, default=100.0, help="of a hundred draws that must be found")
    parser.add_argument("--attacks", action="store_true")
    options = parser.parse_args()
    good, table = True, collections.defaultdict(lambda: [0, 0])
    for number, scene in enumerate(options.scenes):
        random = np.random.default_rng([options.seed, number])
        with tempfile.TemporaryDirectory() as folder:
            name, work = scene, os.path.join(folder, "altered.h5")
            if not scene.endswith(".h5"):
                name = os.path.join(folder, "results.h5")
                changes = [word for change in options.set for word in ("--set", change)]
                subprocess.run([options.program, "run", scene, "-o", name, "--quiet", *changes], check=True, capture_output=True)
            report = command.verify(name)
            missed = draws(name, work, options, random, table)
            fooled = attacks(name, work) if options.attacks else []
        share = 100.0 * (options.draws - len(missed)) / options.draws if options.draws else 100.0
        print(f"{pathlib.Path(scene).stem}: {'pass' if report.passed else 'FAIL: ' + ', '.join(report.failed_names())}, "
              f"{options.draws - len(missed)} of {options.draws} found")
        for what in (missed if not options.equations else []) + fooled:
            print(f"  missed: {what}")
        sys.stdout.flush()
        good = good and report.passed and share >= options.least and not fooled
    for kind, (seen, all_) in sorted(table.items()):
        print(f"  {kind:<48}{seen:>6} of {all_}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
