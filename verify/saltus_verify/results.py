"""The contents of a results file, as arrays."""
import json
import os
import stat

import h5py
import numpy as np

from .checkpoint import Slot


def _text(data):
    value = data[()]
    return value.decode() if isinstance(value, bytes) else str(value)


def _attribute(group, name, default=None):
    if name not in group.attrs:
        return default
    value = group.attrs[name]
    return value.decode() if isinstance(value, bytes) else value


def _expect_alone(group, path=""):
    """Every table must be in the file itself: links that are not hard and external storage are rejected."""
    for name in group:
        here = f"{path}/{name}"
        link = group.get(name, getlink=True)
        if isinstance(link, h5py.SoftLink):
            raise ValueError(f"{here}: is a symbolic link, which is not read")
        if not isinstance(link, h5py.HardLink):
            raise ValueError(f"{here}: is a link to another file, which is not read")
        one = group[name]
        if isinstance(one, h5py.Group):
            _expect_alone(one, here)
        elif isinstance(one, h5py.Dataset) and (one.external or one.is_virtual):
            raise ValueError(f"{here}: has its data in another file, which is not read")


class GroupData:
    """A group of identical bodies, tables of all frames."""

    def __init__(self, group):
        self.index = int(_attribute(group, "index"))
        self.name = _attribute(group, "name")
        self.kind = _attribute(group, "kind")
        self.scheme = _attribute(group, "scheme")
        self.bodies = int(_attribute(group, "bodies"))
        self.names = json.loads(_text(group["names"])) if "names" in group else [self.name]
        read = lambda g, name: np.array(g[name]) if name in g else None
        self.q = read(group, "q")
        self.velocity = read(group, "velocity")
        step = group["step"] if "step" in group else {}
        self.q0, self.v0, self.v1 = read(step, "q0"), read(step, "v0"), read(step, "v1")
        self.own_v1 = self.v1  # stored in addition to the velocity, by schemes whose state contains another one
        if self.v1 is None:
            self.v1 = self.velocity
        self.time = read(group, "time")
        self.path = group.name.lstrip("/")
        self.mesh = self._mesh(group)
        self.place, self.rotation = read(group, "place"), read(group, "rotation")

    @staticmethod
    def _mesh(group):
        if "dof" not in group or "cells" not in group:
            return None
        cells = sorted(group["cells"].values(), key=lambda c: int(_attribute(c, "index", 0)))

        def sets(name):
            of = group["sets"].get(name) if "sets" in group else None
            return {k: np.array(v) for k, v in of.items()} if of is not None else {}

        return {"nodes": np.array(group["nodes"]), "dof": np.array(group["dof"]), "dimension": int(group.attrs["dimension"]),
                "cells": [(_attribute(c, "kind"), np.array(c), _attribute(c, "material")) for c in cells],
                "elements": sets("elements"), "faces": sets("faces")}


class Contacts:
    """/contacts, rows of all frames."""
    def __init__(self, group):
        for name in ("offset", "key", "impulse", "moment", "point", "normal", "force", "gap", "status", "body",
                     "tangent", "local", "carried", "feature"):
            setattr(self, name, np.array(group[name]) if name in group else None)
        self.fixed = json.loads(_text(group["fixed"])) if "fixed" in group else []

    def rows(self, frame):
        return slice(int(self.offset[frame]), int(self.offset[frame + 1]))


class Probe:
    def __init__(self, table, path):
        self.path, self.rows = path, np.array(table)
        for name in ("name", "body", "joint", "coordinate", "quantity"):
            setattr(self, name, _attribute(table, name))
        self.index, self.delay = int(_attribute(table, "index")), float(_attribute(table, "delay", 0.0))


class NoSteps(Exception):
    """The frames do not contain the data that the verifier checks."""


def open_file(name):
    """Raises ValueError for a file that is not a results file or refers to other files."""
    if not stat.S_ISREG(os.stat(name).st_mode):  # opening a pipe would wait for its other end
        raise ValueError("not a regular file")
    file = h5py.File(name, "r")
    try:
        _expect_alone(file)
        if _attribute(file, "format") != "saltus-results":
            raise ValueError("not a results file of Saltus")
    except Exception:
        file.close()
        raise
    return file


class Results:
    def __init__(self, name):
        with open_file(name) as f:
            self.contact_tolerance = _attribute(f, "contact_tolerance")
            if int(_attribute(f, "version")) > 1:
                raise ValueError("of a later version of the format than this program supports (1)")
            self.scene = json.loads(_text(f["resolved"]))
            time = self.scene["time"]
            self.by_events = time.get("mode", time.get("lane")) == "events"  # former name
            self.is_static = time.get("mode") == "static"
            self.time = np.array(f["frames/time"])
            self.step = np.array(f["frames/step"]).astype(np.int64)
            self.crc = np.array(f["frames/crc32"]) if "frames/crc32" in f else None
            groups = [GroupData(f["bodies"][n]) for n in f["bodies"]]
            self.groups = sorted(groups, key=lambda g: g.index)
            if any(g.q is not None and g.q0 is None for g in groups) and not self.scene.get("phases"):
                raise NoSteps("its frames contain only positions and velocities, so no step can be checked; "
                              "run the scene with results: {contacts: true}")
            self.contacts = Contacts(f["contacts"])
            self.rows = {n: np.array(f["step"][n]) for n in f["step"]}
            ledger = f["ledger"]
            names = sorted(ledger, key=lambda n: int(_attribute(ledger[n], "index")))
            self.ledger = {_attribute(ledger[n], "name"): np.array(ledger[n]) for n in names}
            joints = f["joints"] if "joints" in f else {}
            order = sorted(joints, key=lambda n: int(_attribute(joints[n], "index")))
            self.joint_force = [np.array(joints[n]["force"]) for n in order]
            self.joint_torque = [np.array(joints[n]["torque"]) for n in order]
            # over any number of turns; None: no angle, or a file of a former version
            self.joint_angle = [np.array(joints[n]["angle"]) if "angle" in joints[n] else None for n in order]
            self.joint_broken = [float(_attribute(joints[n], "broken_at", np.inf)) for n in order]
            self.events = {n: np.array(f["events"][n]) for n in f["events"]} if "events" in f else {}
            self.pairs = {n: np.array(f["pairs"][n]) for n in f["pairs"]} if "pairs" in f else {}
            self.probes = [Probe(f["probes"][n], f"probes/{n}") for n in f["probes"]] if "probes" in f else []
            self.summary = json.loads(_text(f["summary"])) if "summary" in f else None
            slots = f["checkpoint"] if "checkpoint" in f else {}
            self.checkpoints = {f"checkpoint/{n}": Slot(slots[n]) for n in slots if "checksum" in slots[n].attrs}
            self.timing = np.array(f["timing/step"]) if "timing/step" in f else None
        self.row_of_frame = np.searchsorted(self.rows["time"], self.time)
        time = self.scene["time"]
        self.h = time["step"] if time.get("step") else 1.0 / time["rate"] if time.get("rate") or not self.is_static else time["end"]

    @property
    def frames(self):
        return len(self.time)

    @property
    def every_step(self):
        """Whether there is a row of each step."""
        return self.scene.get("results", {}).get("every_step", True)

    def covers(self, path):
        """Whether each number of a table is compared with others without a checksum of the table."""
        of_frames = ["q", "velocity", "step/q0", "step/v0", "step/v1"]
        covered = {"step/time", "frames/time", "frames/step", "frames/crc32", "contacts/offset"}
        covered |= {f"{g.path}/time" for g in self.groups}
        if self.crc is not None:
            covered |= {f"{g.path}/{name}" for g in self.groups for name in of_frames}
            covered |= {f"contacts/{name}" for name in ("impulse", "moment", "normal", "tangent")}
            if path.startswith("joints/") and path.endswith(("/force", "/torque")):
                return True
        slot = self.checkpoints.get("/".join(path.split("/")[:2]))
        return path in covered or (slot is not None and slot.name != 0 and not slot.too_large() and not path.endswith("/notices"))
