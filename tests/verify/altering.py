"""Stored states and impulses of a results file, drawn at random, altered by 1e-6 of the largest of their kind, and judged.

A file is read once. Only the frame that holds an altered number is judged again, by what `saltus verify` does for it: its
checksum, and its equations under the bounds of the whole file. What is found so, `saltus verify` finds in a file that is
altered likewise; whole() does that, with a copy of the file, and compares.

Ends the program that imports it with 77 (skipped) where Python has no NumPy or h5py.
"""
import os
import pathlib
import shutil
import sys
import tempfile

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "verify"))

try:
    import h5py
    import numpy as np
except ImportError as fault:
    if fault.name not in ("h5py", "numpy"):
        raise
    print("skipped: no NumPy or h5py")
    sys.exit(77)

from saltus_verify import command, start
from saltus_verify.model import Model
from saltus_verify.report import Report
from saltus_verify.results import Results

SIZE = 1e-6


class Table:
    """Columns of a table of the file and of the same numbers in memory."""

    def __init__(self, path, data, columns, frame_of_row):
        self.path, self.data, self.columns, self.frame_of_row = path, data, columns, frame_of_row


class Draw:
    def __init__(self, table, row, column, change):
        self.table, self.row, self.column, self.change = table, row, column, change
        self.frame = int(table.frame_of_row[row])

    def text(self):
        return f"{self.table.path} row {self.row} column {self.column}, altered by {self.change:.3g}"


class Altering:
    def __init__(self, name):
        self.name = name
        self.results = Results(name)
        self.model = Model(self.results)
        self.paths = {}
        with h5py.File(name, "r") as file:
            self.paths = {int(g.attrs["index"]): g.name for g in file["bodies"].values()}
            joints = sorted(file.get("joints", {}).values(), key=lambda g: int(g.attrs["index"]))
            self.joints = [g.name for g in joints]

    # -- what may be altered
    def states(self):
        """Kinds: lists of tables. Places and rotations of rigid bodies are two, their velocities as well."""
        frames = np.arange(self.results.frames)
        for g in self.results.groups:
            for key, data in (("q", g.q), ("velocity", g.velocity), ("step/q0", g.q0), ("step/v0", g.v0),
                              ("step/v1", g.own_v1)):
                if data is None or data.ndim != 2:
                    continue
                columns = np.arange(data.shape[1])
                parts = [columns]
                if g.kind == "rigid":
                    first = columns % (7 if key.endswith(("q", "q0")) else 6) < 3
                    parts = [columns[first], columns[~first]]
                for part in parts:
                    yield [Table(f"{self.paths[g.index]}/{key}", data, part, frames)]

    def impulses(self):
        """Of contacts, of rolling and spinning friction; forces of all joints are one kind, torques another."""
        c, frames = self.results.contacts, np.arange(self.results.frames)
        of_row = np.repeat(frames, np.diff(c.offset.astype(np.int64)))
        yield [Table("/contacts/impulse", c.impulse, np.arange(3), of_row)]
        yield [Table("/contacts/moment", c.moment, np.arange(3), of_row)]
        for key, of in (("force", self.results.joint_force), ("torque", self.results.joint_torque)):
            yield [Table(f"{path}/{key}", data, np.arange(3), frames) for path, data in zip(self.joints, of)]

    def draws(self, of, count, seed):
        """Every number of the file as likely as any other; none where all of a kind are zero."""
        random = np.random.default_rng(seed)
        tables, sizes, tops = [], [], []
        for kind in self.states() if of == "states" else self.impulses():
            top = max((np.nanmax(np.abs(t.data[:, t.columns]), initial=0.0) for t in kind), default=0.0)
            if top > 0.0:
                tables += kind
                sizes += [t.data.shape[0] * len(t.columns) for t in kind]
                tops += [top] * len(kind)
        chosen = []
        while tables and len(chosen) < count:
            i = random.choice(len(tables), p=np.array(sizes) / sum(sizes))
            table = tables[i]
            row, column = int(random.integers(table.data.shape[0])), int(random.choice(table.columns))
            if np.isnan(table.data[row, column]):  # no step ends at the first frame
                continue
            chosen.append(Draw(table, row, column, SIZE * tops[i]))
        return chosen

    # -- what is found
    def report(self):
        """On the file as it is."""
        return command.whole(self.results, self.model)

    def found(self, draw):
        """Is it found? The checksum is asked first."""
        return self.by_checksum(draw) or self.by_equations(draw)

    def by_checksum(self, draw):
        return self._altered(draw, lambda report: start.checksums(self.results, report, [draw.frame]))

    def by_equations(self, draw):
        return self._altered(draw, lambda report: command.equations(self.results, self.model, report, [draw.frame]))

    @staticmethod
    def _altered(draw, check):
        data, at = draw.table.data, (draw.row, draw.column)
        value = data[at]
        data[at] = value + draw.change
        try:
            report = Report()
            check(report)
            return not report.passed
        finally:
            data[at] = value

    def whole(self, draw, checksums=True):
        """The verdict on a copy of the file that is altered itself: is it found?"""
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "altered.h5")
            shutil.copy(self.name, name)
            with h5py.File(name, "r+") as file:
                file[draw.table.path][draw.row, draw.column] += draw.change
            return not command.verify(name, checksums).passed
