"""Results files: numbers as arrays, read at the first access; plots, sounds, pages, comparisons."""
from __future__ import annotations

import base64
import html
import json
import operator
import os
import re
import tempfile
import warnings
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Union

import numpy as np

from . import _plots, _svg
from ._core import SceneError, UsageError, _ResultsFile
from ._entries import _nearest
from ._fixed import Fixed, fixed
from ._named import Named, NotOfThisKind
from ._scene import fault
from ._simulation import Contacts, Events, as_events

Path = Union[str, os.PathLike]


class Tables(Fixed, Mapping):
    """Columns by name, read at the first access and then kept."""

    def __init__(self, what: str, names: List[str], read: Callable[[str], np.ndarray], unit: Callable[[str], str]) -> None:
        self._what, self._names, self._read, self._unit = what, list(names), read, unit
        self._kept: Dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._kept:
            if name not in self._names:
                raise KeyError(f"no {self._what} '{name}' (there are: {', '.join(self._names) or 'none'})")
            self._kept[name] = fixed(self._read(name))
        return self._kept[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def unit(self, name: str) -> str:
        """Unit of a column, 'm/s'."""
        if name not in self._names:
            raise KeyError(f"no {self._what} '{name}'")
        return self._unit(name)

    def __repr__(self) -> str:
        return f"<{len(self)} {self._what}{'' if len(self) == 1 else 's'}: {', '.join(self._names)}>"


class Sound(NamedTuple):
    """The sound of a probe: ``rate, samples = results.sound("pickup")``. Notebooks show a player.

    Attributes
    ----------
    rate : int
        [Hz]
    samples : array
        Mean removed, in the unit of the probe.
    """

    rate: int
    samples: np.ndarray

    def wav(self) -> bytes:
        """A 16-bit WAV file, with the peak at -1 dBFS."""
        peak = float(np.max(np.abs(self.samples))) if len(self.samples) else 0.0
        scale = 32767 * 10 ** (-1 / 20) / peak if peak > 0 else 0.0
        data = np.round(self.samples * scale).astype("<i2").tobytes()
        number = lambda value, size: int(value).to_bytes(size, "little")  # noqa: E731
        return (b"RIFF" + number(36 + len(data), 4) + b"WAVEfmt " + number(16, 4) + number(1, 2) + number(1, 2)
                + number(self.rate, 4) + number(2 * self.rate, 4) + number(2, 2) + number(16, 2)
                + b"data" + number(len(data), 4) + data)

    def _repr_html_(self) -> str:
        coded = base64.b64encode(self.wav()).decode()
        return f'<audio controls src="data:audio/wav;base64,{coded}"></audio>'

    def __repr__(self) -> str:
        return f"<saltus.Sound {len(self.samples) / self.rate:.3g} s at {self.rate} Hz>"


class Frames(Fixed):
    """The times at which positions, velocities and contacts are stored."""

    def __init__(self, results: "Results") -> None:
        self._results = results

    @property
    def t(self) -> np.ndarray:
        """array (frames,): [s]."""
        return self._results._table("frames/time")[: len(self)]

    @property
    def step(self) -> np.ndarray:
        """array (frames,): number of the step that ends at each frame."""
        return self._results._table("frames/step")[: len(self)]

    def __len__(self) -> int:
        return self._results._file.frames

    def __repr__(self) -> str:
        return f"<{len(self)} frames>"


def _matrix(w: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of quaternions w x y z."""
    w = w / np.linalg.norm(w, axis=-1, keepdims=True)
    a, x, y, z = np.moveaxis(w, -1, 0)
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - a * z), 2 * (x * z + a * y),
            2 * (x * y + a * z), 1 - 2 * (x * x + z * z), 2 * (y * z - a * x),
            2 * (x * z - a * y), 2 * (y * z + a * x), 1 - 2 * (x * x + y * y)]
    return np.stack(rows, axis=-1).reshape(*w.shape[:-1], 3, 3)


class Body(Fixed):
    """A body, or a group of equal ones, over the frames of a file. Arrays have one row per frame.

    Attributes
    ----------
    name, kind, scheme : str
    members : list of str
        Names of the bodies of a group; for a single body its own name.
    tables : list of str
        Tables in the file besides q and velocity: ``body["stress"]``.
    """

    _instead = "results are read-only"
    members: List[str]
    name: str
    kind: str
    scheme: str
    tables: List[str]

    def __init__(self, results: "Results", facts: Dict[str, Any], member: Optional[int] = None) -> None:
        self._results, self._facts, self._member = results, facts, member
        names = json.loads(facts["names"]) if facts["names"] else []
        members = names or [facts["name"]]
        name = facts["name"] if member is None else members[member]
        self._set(name=name, members=members if member is None else [name], kind=facts["kind"],
                  scheme=facts["scheme"], tables=list(facts["tables"]))

    def __getitem__(self, table: str) -> np.ndarray:
        """A table of the file, (rows,) or (rows, columns): ``body["stress"]``, ``body["nodes"]``."""
        if table not in self._facts["tables"] and "/" not in table:
            raise KeyError(f"'{self.name}' has no table '{table}' (there are: {', '.join(self._facts['tables'])})")
        return self._results._table(f"{self._facts['path']}/{table}")

    def _rows(self, table: str, width: int = 0) -> np.ndarray:
        """(frames, columns); for a member of a group only its own columns, `width` of them."""
        frames = len(self._results.frames)
        if table not in self._facts["tables"]:
            return fixed(np.empty((frames, 0)))
        rows = self[table][:frames].reshape(frames, -1)
        if self._member is None:
            return rows
        width = width or rows.shape[1] // self._facts["members"]
        return rows[:, self._member * width:(self._member + 1) * width]

    def _each(self, rows: np.ndarray, width: int) -> np.ndarray:
        """(frames, width), for groups (frames, members, width)."""
        count = rows.shape[1] // width
        return rows if count == 1 else rows.reshape(len(rows), count, width)

    def _per_member(self, size: str, width: int) -> bool:
        return self._facts[size] == width * self._facts["members"]

    def _points(self) -> Any:
        """Points of a mesh, a string or a bar: (points, 3) at rest, (frames, 3 points) displacement; None for other bodies."""
        return self._results._file.points(self._facts["index"])

    @property
    def nodes(self) -> np.ndarray:
        """array (points, 3): points of a mesh, a string or a bar at rest [m]."""
        points = self._points()
        if points is None:
            raise NotOfThisKind(f"'{self.name}' ({self.kind}) has no nodes")
        return fixed(points[0])

    @property
    def displacement(self) -> np.ndarray:
        """array (frames, points, 3): displacement of `nodes` [m]."""
        points = self._points()
        if points is None:
            raise NotOfThisKind(f"'{self.name}' ({self.kind}) has no nodes; see .position")
        return fixed(points[1].reshape(len(points[1]), -1, 3))

    @property
    def q(self) -> np.ndarray:
        """array (frames, positions): configuration [m, rad, quaternion w x y z, modal coordinates]."""
        return self._rows("q")

    @property
    def v(self) -> np.ndarray:
        """array (frames, velocities): physical velocities of all coordinates [m/s, rad/s]; for rigid bodies the
        velocity of the mass centre in space, followed by omega along the axes of the body."""
        return self._rows("velocity")

    @property
    def velocity(self) -> np.ndarray:
        """array (frames, [members,] 3): velocity of rigid bodies and particles [m/s], in space; for other kinds as `v`."""
        v = self.v
        if self.kind == "rigid" and self._per_member("velocities", 6):
            return self._each(v.reshape(len(v), -1, 6)[:, :, :3].reshape(len(v), -1), 3)
        if self.kind == "particles" and self._per_member("velocities", 3):
            return self._each(v, 3)
        return v

    @property
    def position(self) -> np.ndarray:
        """array (frames, 3), for groups and nodes (frames, count, 3): positions in space [m].

        Mass centres of rigid and pseudo-rigid bodies, particles, frames of bodies with prescribed motion, nodes of meshes
        and beams, points along strings and bars. NotOfThisKind (a UsageError and an AttributeError) for bodies without
        geometry.
        """
        facts = self._facts
        if "centre" in facts["tables"]:
            return self._each(self._rows("centre"), 3)
        if "place" in facts["tables"]:
            return self._each(self._rows("place"), 3)
        if self.kind == "rigid" and self._per_member("positions", 7):
            q = self.q
            return self._each(q.reshape(len(q), -1, 7)[:, :, :3].reshape(len(q), -1), 3)
        if self.kind == "particles" and self._per_member("positions", 3):
            return self._each(self.q, 3)
        points = self._points()
        if points is not None:
            rest, moved = points
            return fixed(rest[None] + moved.reshape(len(moved), -1, 3))
        raise NotOfThisKind(f"'{self.name}' ({self.kind}) has no positions in this file; see q")

    @property
    def rotation(self) -> np.ndarray:
        """array (frames, [members,] 4): unit quaternion w x y z of rigid bodies."""
        if "rotation" in self._facts["tables"]:
            return self._each(self._rows("rotation"), 4)
        if self.kind == "rigid" and self._per_member("positions", 7):
            q = self.q
            return self._each(q.reshape(len(q), -1, 7)[:, :, 3:].reshape(len(q), -1), 4)
        raise NotOfThisKind(f"'{self.name}' ({self.kind}) has no rotation")

    @property
    def angular_velocity(self) -> np.ndarray:
        """array (frames, [members,] 3): angular velocity of rigid bodies, in space [rad/s]."""
        if self.kind != "rigid" or not self._per_member("velocities", 6):
            raise NotOfThisKind(f"'{self.name}' ({self.kind}) has no angular velocity")
        v = self.v
        spin = self._each(v.reshape(len(v), -1, 6)[:, :, 3:].reshape(len(v), -1), 3)
        return fixed(np.einsum("...ij,...j->...i", _matrix(self.rotation), spin))

    def __repr__(self) -> str:
        many = f", {len(self.members)} bodies" if len(self.members) > 1 else ""
        return f"<saltus.results.Body {self.name}: {self.kind} by {self.scheme}{many}>"


class Joint(Fixed):
    """A joint over the frames: force and torque on its second body, in space.

    Attributes
    ----------
    name : str
    kind : str
        Kind of the joint: "revolute".
    """

    _instead = "results are read-only"
    name: str
    kind: str

    def __init__(self, results: "Results", facts: Dict[str, Any]) -> None:
        self._results, self._facts = results, facts
        self._set(name=facts["name"], kind=facts["kind"])

    def _rows(self, table: str) -> np.ndarray:
        frames = len(self._results.frames)
        return self._results._table(f"{self._facts['path']}/{table}")[:frames].reshape(-1, 3)

    @property
    def force(self) -> np.ndarray:
        """array (frames, 3): mean force of the step that ends at the frame [N]."""
        return self._rows("force")

    @property
    def torque(self) -> np.ndarray:
        """array (frames, 3): mean torque of that step about the joint's point [N m]."""
        return self._rows("torque")

    @property
    def strength(self) -> Optional[float]:
        """Tension at which the link breaks [N]; None if it cannot break."""
        return self._facts.get("strength")

    @property
    def broken_at(self) -> Optional[float]:
        """Time at which it broke [s]; None if it did not."""
        at = self._facts.get("broken_at", np.inf)
        return None if np.isinf(at) else at

    def __repr__(self) -> str:
        return f"<saltus.results.Joint {self.name}: {self.kind}>"


def _named(what: str, members: Dict[str, Any]) -> Named:
    each = list(members.values())
    return Named(what, list(members), each.__getitem__)


def _is_page(file: str) -> bool:
    """Whether a file is missing, empty or HTML."""
    try:
        if os.path.isfile(file):
            with open(file, "rb") as page:
                start = page.read(1000).lstrip(b"\xef\xbb\xbf \t\r\n").lower()
            return not start or start.startswith((b"<!doctype html", b"<html"))
    except OSError:
        pass  # reported by the engine
    return True


_STATUS = np.array(["open", "slides", "sticks", "closed", "unknown"])  # -1: the last one


class ContactsBetween(Contacts):
    """Contacts between two bodies or sets of bodies over all frames: `Results.contacts_between`.

    Attributes
    ----------
    frame : int
        Number of the frame.
    t : float
        Its time [s].
    """

    _frames = 0

    @property
    def resultant(self) -> np.ndarray:
        """array (frames, 3): sum of the forces on a in each frame [N]."""
        total = np.zeros((self._frames, 3))
        np.add.at(total, self["frame"], self["force"])
        return fixed(total)


class Comparison(Fixed):
    """Comparison of two results: which tables differ, and by how much. str() is the text that ``saltus compare`` prints.

    Attributes
    ----------
    equal : bool
        No number differs by more than the tolerance.
    same_scene : bool
    tables : list of dict
        For each table in both: table, rows, columns, largest difference, relative, differs.
    only_a, only_b : list of str
        Tables that only one of them has.
    """

    equal: bool
    same_scene: bool
    tables: List[Dict[str, Any]]
    only_a: List[str]
    only_b: List[str]

    def __init__(self, text: str, facts: Dict[str, Any]) -> None:
        self._text = text
        self._set(equal=not facts["differs"], same_scene=facts["same_scene"], tables=facts["tables"],
                  only_a=facts["only_a"], only_b=facts["only_b"])

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        differ = sum(1 for table in self.tables if table["differs"])
        return f"<saltus.Comparison: {'equal' if self.equal else f'{differ} of {len(self.tables)} tables differ'}>"


class Page:
    """A self-contained page that is shown inside a notebook."""

    def __init__(self, text: str, height: int) -> None:
        self.text, self.height = text, height

    def _repr_html_(self) -> str:
        return (f'<iframe style="width:100%;height:{self.height}px;border:0" sandbox="allow-scripts allow-downloads" '
                f'srcdoc="{html.escape(self.text, quote=True)}"></iframe>')

    def __repr__(self) -> str:
        return f"<saltus.Page of {len(self.text) / 1e6:.2g} MB; notebooks show it>"


class Results(Fixed):
    """A results file: the result of `run`, or an existing file.

    Numbers are read at the first access and kept; `Results.refresh` rereads a file that is still being written.

    Parameters
    ----------
    file : path
        ``.h5``, or the ``.h5.part`` of a run that is in progress, was stopped or killed.

    Raises
    ------
    SceneError
        No such file, not a results file, damaged.

    Attributes
    ----------
    files : list of str
        The file, and the sounds and tables written next to it.
    steps : mapping of str to array
        Numbers of every step by name.
    ledger : mapping of str to array
        Work since the start by account [J].
    probes : mapping of str to array
        Values of the outputs in every step by name.

    Examples
    --------
    >>> r = saltus.Results("ball.h5")
    >>> r.t, r.steps["kinetic"], r.ledger["impact"], r.probes["height"]
    >>> r.bodies["ball"].position[-1]
    >>> r.contacts(-1)["force"]
    """

    _instead = "results are read-only"
    files: List[str]
    steps: Tables
    ledger: Tables
    probes: Tables

    def __init__(self, file: Path, warnings: Optional[List[str]] = None, stopped: str = "",
                 files: Optional[List[str]] = None) -> None:
        self._warnings = list(warnings or [])
        self._stopped = stopped
        self._set(files=list(files or [os.fspath(file)]))
        self._folder = os.getcwd()
        self._open(os.fspath(file))

    def _open(self, file: str) -> None:
        """Opens the file by its absolute name, so that the working folder may change; `file` is the displayed name."""
        path = os.path.join(self._folder, file)
        try:
            self._file = _ResultsFile(path)
        except SceneError as error:
            if error.file != path:
                raise
            raise fault(error.path, error.message, error.hint, file) from None
        self._name = file
        self._tables: Dict[str, np.ndarray] = {}
        rows = self._file.rows
        probes = {probe["name"]: probe for probe in self._file.probes}
        self._probe_facts = probes
        self._set(
            steps=Tables("column", self._file.step_names, lambda n: self._file.read(f"step/{n}", 0, rows),
                         self._file.step_unit),
            ledger=Tables("account", self._file.accounts, lambda n: self._file.read(f"ledger/{n}", 0, rows),
                          lambda n: "J"),
            probes=Tables("probe", list(probes), lambda n: self._file.read(f"probes/{n}", 0, rows),
                          lambda n: probes[n]["unit"]))
        self._groups: Optional[Named] = None
        self._bodies: Optional[Named] = None
        self._joints: Optional[Named] = None
        self._events: Optional[Events] = None

    def _table(self, path: str) -> np.ndarray:
        if path not in self._tables:
            self._tables[path] = fixed(self._file.read(path))
        return self._tables[path]

    def refresh(self) -> bool:
        """Rereads a file that is being written, also under its final name. True if it has more data than before."""
        file, path = self._name, os.path.join(self._folder, self._name)
        if not os.path.exists(path) and path.endswith(".part") and os.path.exists(path[:-5]):
            file = file[:-5]
        before = (self._file.rows, self._file.frames, self.finished)
        self._open(file)
        return (self._file.rows, self._file.frames, self.finished) != before

    @property
    def file(self) -> str:
        """str: name of the file as it was opened; `path` is absolute."""
        return self._name

    @property
    def path(self) -> str:
        """str: absolute name of the file."""
        return os.path.join(self._folder, self._name)

    def _as_written(self, text: str) -> str:
        """The text with the absolute name of the file replaced by the name under which it was opened, if that is still valid."""
        if os.path.isabs(self._name) or os.getcwd() != self._folder:
            return text
        return re.sub(rf"(?<![^\s'\"]){re.escape(self._folder.rstrip('/') + '/')}", "", text)

    @property
    def finished(self) -> bool:
        """bool: False for the ``.part`` of an unfinished run."""
        return self._file.finished

    @property
    def stopped(self) -> str:
        """str: why the end was not reached; '' if it was, or if the reason is unknown."""
        return self._stopped or self.summary.get("stopped", "")

    @property
    def title(self) -> str:
        """str: title of the scene, may be ''."""
        return self._file.title()

    @property
    def rate(self) -> float:
        """float: steps per second [Hz]."""
        return self._file.rate

    @property
    def t(self) -> np.ndarray:
        """array (rows,): ends of the steps [s], the start first; rows of `steps`, `ledger` and `probes`."""
        return self.steps["time"]

    @property
    def energy(self) -> np.ndarray:
        """array (rows,): kinetic and potential energy together [J]."""
        return fixed(self.steps["kinetic"] + self.steps["potential"])

    @property
    def frames(self) -> Frames:
        """Frames: len(), .t, .step."""
        return Frames(self)

    @property
    def groups(self) -> Mapping[str, Body]:
        """mapping name -> Body: groups of bodies with a common scheme, as stored in the file; a group of several bodies has
        the name of its first body."""
        if self._groups is None:
            self._groups = _named("group", {facts["name"]: Body(self, facts) for facts in self._file.bodies})
        return self._groups

    @property
    def bodies(self) -> Mapping[str, Body]:
        """mapping name -> Body: each single body, including the members of groups."""
        if self._bodies is None:
            each: Dict[str, Any] = {}
            for group in self.groups.values():
                for i, name in enumerate(group.members):
                    each[name] = group if len(group.members) == 1 else Body(self, group._facts, i)
            self._bodies = _named("body", each)
        return self._bodies

    @property
    def joints(self) -> Mapping[str, Joint]:
        """mapping name -> Joint: .force, .torque, .strength, .broken_at."""
        if self._joints is None:
            self._joints = _named("joint", {facts["name"]: Joint(self, facts) for facts in self._file.joints})
        return self._joints

    def contacts(self, frame: int) -> Contacts:
        """The contacts of a frame: the closed ones, and open ones with gaps below the margin of the surfaces, while
        `Simulation.contacts` has all. `.closed` are the closed ones.

        Parameters
        ----------
        frame : int
            Number of the frame from 0; negative numbers count from the end.

        Returns
        -------
        Contacts
            Columns, also as attributes, named as in `Simulation.contacts`: key; body_a, body_b (names, '' for obstacles
            that are not bodies); a, b (indices in `bodies`, -1); group_a, group_b (indices in `groups`, -1); status
            ('open', 'slides', 'sticks', 'closed', 'unknown'); point [m], normal (from b to a), gap [m], force on a [N], in
            space; impulse (n, t1, t2) [N s]; moment [N m s]. nan: not in older files.

        Examples
        --------
        >>> c = r.contacts(-1)
        >>> c.force[c.body_a == "ball"].sum(axis=0)
        """
        frames = len(self.frames)
        try:
            frame = operator.index(frame)
        except TypeError:
            raise UsageError(f"frame is {frame!r} (a whole number from {-frames} to {frames - 1})") from None
        if not -frames <= frame < frames:
            raise IndexError(f"frame {frame} of {frames}")
        frame %= frames
        offset = self._table("contacts/offset")
        return fixed(self._contact_rows(int(offset[frame]), int(offset[frame + 1])).view(Contacts))

    def _contact_rows(self, first: int, last: int) -> np.recarray:
        names = [body.members for body in self.groups.values()]
        starts = np.cumsum([0, *(len(members) for members in names)])
        still = self._file.fixed_bodies()
        longest = max((len(name) for members in [*names, still] for name in members), default=1)
        out = np.recarray(last - first, np.dtype(
            [("key", "u8"), ("body_a", f"U{longest}"), ("body_b", f"U{longest}"), ("a", "i4"), ("b", "i4"),
             ("group_a", "i4"), ("group_b", "i4"), ("status", "U8"), ("point", "f8", 3), ("normal", "f8", 3),
             ("gap", "f8"), ("impulse", "f8", 3), ("moment", "f8", 3), ("force", "f8", 3)]))
        for name in ("point", "normal", "gap", "impulse", "moment", "force"):
            there = self._file.has(f"contacts/{name}")
            out[name] = self._file.read(f"contacts/{name}", first, last - first) if there else np.nan
        out["key"] = self._table("contacts/key")[first:last]
        for name in ("a", "b", "group_a", "group_b"):
            out[name] = -1
        out["body_a"] = out["body_b"] = ""
        out["status"] = "unknown"
        if self._file.has("contacts/body"):
            out["status"] = _STATUS[self._table("contacts/status")[first:last]]
            of = self._table("contacts/body")[first:last].reshape(-1, 4)
            counts = np.array([len(members) for members in names])
            for side, group, member in (("a", of[:, 0], of[:, 1]), ("b", of[:, 2], of[:, 3])):
                solid = group >= 0
                member = np.minimum(member, np.where(solid, counts[group], 1) - 1)  # several particles are one body
                out["group_" + side] = group
                out[side] = np.where(solid, starts[group] + member, -1)
                out["body_" + side] = [names[g][m] if g >= 0 else still[m] if 0 <= m < len(still) else ""
                                       for g, m in zip(group, member)]
        return out

    def contacts_between(self, a: Union[str, Sequence[str]], b: Union[str, Sequence[str], None] = None) -> ContactsBetween:
        """The contacts of a on b over all frames, each as if a were its first body.

        Parameters
        ----------
        a : str or sequence of str
            Names of bodies; that of an entry with copies stands for all of them.
        b : str or sequence of str, optional
            Their partners; any but those in `a` when not given. "" is an obstacle that is not a body.

        Returns
        -------
        ContactsBetween
            Columns as those of `contacts`, in the order of frames, with frame (its number) and t [s] in front; .resultant:
            array (frames, 3), sum of the forces on a [N].

        Raises
        ------
        UsageError
            If there is no such body, or a body is in both.

        Examples
        --------
        >>> r.contacts_between("box", "floor").resultant[:, 2]
        """
        left = self._bodies_named(a, "a")
        right = None if b is None else self._bodies_named(b, "b")
        if right is not None and left & right:
            raise UsageError(f"contacts_between(): {sorted(left & right)[0]!r} is in both a and b")
        frames = len(self.frames)
        offset = self._table("contacts/offset")[:frames + 1].astype(int)
        self._expect_contacts(np.diff(offset))
        rows = self._contact_rows(0, int(offset[-1]))
        frame = np.repeat(np.arange(frames), np.diff(offset))
        first, second = np.isin(rows.body_a, sorted(left)), np.isin(rows.body_b, sorted(left))
        if right is None:
            forward, back = first & ~second, second & ~first
        else:
            forward = first & np.isin(rows.body_b, sorted(right))
            back = second & np.isin(rows.body_a, sorted(right))
        kept = forward | back
        out = np.recarray(int(kept.sum()), np.dtype([("frame", "i4"), ("t", "f8")] + rows.dtype.descr))
        out["frame"], out["t"] = frame[kept], np.asarray(self.frames.t)[frame[kept]]
        for name in rows.dtype.names:
            out[name] = rows[name][kept]
        turned = back[kept]
        for one, other in (("body_a", "body_b"), ("a", "b"), ("group_a", "group_b")):
            out[one][turned], out[other][turned] = rows[other][kept][turned], rows[one][kept][turned]
        for name in ("normal", "force"):  # impulse and moment are components along the contact's own axes
            out[name][turned] *= -1.0
        between = fixed(out.view(ContactsBetween))
        between._frames = frames
        return between

    def _expect_contacts(self, counts: np.ndarray) -> None:
        """counts: stored contacts of each frame."""
        stored = self.resolved.get("results", {}).get("contacts") is not False
        rows = np.asarray(self.frames.step).astype(int) - 1
        if stored and not counts.any() and "contacts" in self.steps and len(self.steps["contacts"]) > 0:
            inside = rows[(rows >= 0) & (rows < len(self.steps["contacts"]))]
            stored = not (np.asarray(self.steps["contacts"])[inside] > 0).any()
        if not stored:
            raise UsageError("contacts_between(): the frames of this file contain no contacts; give results: {contacts: true}")

    def _bodies_named(self, given: Union[str, Sequence[str]], what: str) -> Set[str]:
        known = {name for body in self.groups.values() for name in body.members} | set(self._file.fixed_bodies()) | {""}
        found: Set[str] = set()
        for name in [given] if isinstance(given, str) else given:
            copies = {one for one in known if re.fullmatch(re.escape(name) + r"\.\d+", one)} if name else set()
            if name in known:
                found.add(name)
            elif copies:
                found |= copies
            else:
                raise UsageError(f"contacts_between(): {what} names no body {name!r}; {_nearest(name, sorted(known - {''}))}")
        return found

    @property
    def events(self) -> Events:
        """Events: events located by event-driven integration, by time: t, kind, key, speed, impulse, energy. Empty for time
        stepping.

        >>> r.events.of("impact").t
        """
        if self._events is None:
            self._events = as_events(self._file._events())
        return self._events

    @property
    def scene(self) -> str:
        """str: text of the scene as read."""
        return self._file.scene()

    @property
    def resolved(self) -> Dict[str, Any]:
        """dict: the scene with every default and every `set`, SI units."""
        return json.loads(self._file.resolved())

    @property
    def provenance(self) -> Dict[str, str]:
        """dict: version, commit, compiler, flags, command_line, cpu, start_time, threads."""
        return self._file.provenance

    @property
    def summary(self) -> Dict[str, Any]:
        """dict: output of ``saltus info --json`` and, for finished files, cost and counts."""
        told = json.loads(self._file.info_json())
        told["file"] = self._name
        for name, value in (json.loads(self._file.summary() or "{}")).items():
            told.setdefault(name, value)
        return told

    @property
    def warnings(self) -> List[str]:
        """list of str: warnings of the run that created this object; they are not stored in files."""
        return list(self._warnings)

    def info(self) -> str:
        """The text that ``saltus info`` prints."""
        return self._as_written(self._file.info()).rstrip("\n")

    def plot(self, what: Union[None, str, List[str]] = None, ax: Any = None) -> Any:
        """Plots over time, by matplotlib.

        Parameters
        ----------
        what : str or list of str, optional
            'energy' (by source), 'residual', 'penetration', 'probes', or the name of a probe, an account or a column of
            `steps`. By default those of the first four that the file has, one below the other.
        ax : matplotlib Axes, optional
            Axes to draw into; for a single `what` only.

        Returns
        -------
        Axes, or an array of them
        """
        return _plots.results(self, what, ax)

    def sound(self, probe: str) -> Sound:
        """Rate [Hz] and samples of a probe: mean removed, decimated to a rate of sound files if the rate of the run is higher,
        not scaled. In a notebook a player.

        Raises
        ------
        UsageError
            No such probe.
        SceneError
            If no rate of sound files matches the rate of the run.
        """
        return Sound(*self._file.sound(probe))

    def convert(self, to: str, output: Optional[Path] = None, probe: str = "", nodes: str = "", step: int = 0) -> List[str]:
        """Writes the file in another format, as ``saltus convert``.

        Parameters
        ----------
        to : {'wav', 'csv', 'vtu', 'vtp', 'xdmf', 'fclib'}
        output : path, optional
            Stem of the file names; that of this file if not given.
        probe : str
            With 'wav': this probe only.
        nodes : str
            With 'csv': numbers of nodes separated by commas, or a node set.
        step : int
            With 'fclib': the step of the contact problem, from 1; the stored scene is run again up to that step.

        Returns
        -------
        list of str
            Names of the files.
        """
        files, notes = self._file.convert(to, os.fspath(output) if output is not None else "", probe, nodes, step)
        for note in notes:
            warnings.warn(self._as_written(note), stacklevel=2)
        return files if output is not None else [self._as_written(name) for name in files]

    def report(self, file: Optional[Path] = None, size: str = "25MB") -> str:
        """Writes the run as one self-contained HTML page, as ``saltus report``; returns its name.

        Parameters
        ----------
        file : path, optional
            By default next to the results.
        size : str
            Largest size; if the frames do not fit, they are thinned evenly.

        Raises
        ------
        UsageError
            If `file` exists and is not an HTML page.
        """
        name = os.fspath(file) if file is not None else ""
        if name and not _is_page(name) and not os.path.samefile(name, self.path):
            raise UsageError(f"'{name}' exists and is not an HTML page: choose another name, or remove it")
        made = self._file.report(name, size)["file"]
        return made if name else self._as_written(made)

    def show(self, height: int = 600, size: str = "10MB") -> Page:
        """The page of `report`, of at most `size`, inside a notebook, `height` pixels high; it loads no external resources."""
        with tempfile.TemporaryDirectory() as folder:
            name = self.report(os.path.join(folder, "page.html"), size)
            with open(name, encoding="utf-8") as page:
                return Page(page.read(), height)

    def cite(self) -> str:
        """BibTeX of Saltus and of the schemes, laws and solvers used in this run."""
        return self._file.bibtex()

    def compare(self, other: Union["Results", Path], tolerance: float = 0.0) -> Comparison:
        """Compares the numbers of two files, as ``saltus compare``.

        Parameters
        ----------
        other : Results or path
        tolerance : float
            Relative to the largest value of each table; 0: bit for bit.
        """
        other = other if isinstance(other, Results) else Results(other)
        text, facts = self._file.compare(other._file, float(tolerance))
        return Comparison(other._as_written(self._as_written(text)), json.loads(facts))

    def __repr__(self) -> str:
        state = "" if self.finished else ", not finished"
        return (f"<saltus.Results {self.file}: {max(self._file.rows - 1, 0)} steps, {self._file.frames} frames, "
                f"{len(self.bodies)} bodies{state}>")

    def _repr_html_(self) -> str:
        told = self.summary
        rows = [("file", self.file), ("time", f"{told['time']:.6g} s in {told['steps']} steps, {len(self.frames)} frames"
                                              + ("" if self.finished else ", not finished")),
                ("bodies", ", ".join(f"{group.name}{f' and {len(group.members) - 1} more' if len(group.members) > 1 else ''}"
                                     f" ({group.kind}, {group.scheme})" for group in list(self.groups.values())[:8])
                 + (f", {len(self.groups) - 8} more groups" if len(self.groups) > 8 else "")),
                ("energy", f"{told['energy']['start']:.6g} J, {told['energy']['end']:.6g} J at the end"),
                *((f"  {name}", f"{work:+.4g} J") for name, work in told["ledger"].items()),
                ("residual", f"{told['residual']['value']:.2g} as solved, "
                             f"{told['residual_after']['value']:.2g} after the step"),
                ("penetration", f"{told['penetration']['value']:.3g} m")]
        rows += [("warning", text) for text in self._warnings]
        head = f"<b>{html.escape(self.title or os.path.basename(self.file))}</b>"
        out = head + _svg.table(("", ""), rows)
        if self._file.rows > 1:
            t, start = self.t, self.energy[0]
            lines = [("energy", t, self.energy - start)]
            lines += [(name, t, self.ledger[name]) for name in self.ledger if np.any(self.ledger[name])]
            out += _svg.plot(lines[:8], "t [s]", "change [J]")
            for name in list(self.probes)[:2]:
                out += _svg.plot([(name, t, self.probes[name])], "t [s]", f"[{self.probes.unit(name)}]")
        return out
