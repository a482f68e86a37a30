"""Mappings by name for simulations and states, and their display."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Callable, Dict, NamedTuple, Optional, Union

import numpy as np

from . import _scene
from ._attach import attach
from ._core import (ContactProblem, Model, RunReport, Scene, Simulation, State, StepReport, UsageError,
                    _event_kinds, _seconds as seconds)
from ._fixed import Fixed, fixed
from ._named import Named, NotOfThisKind, number_of
from ._progress import Reporter, Shown
from ._scene import whole
from ._table import table

STATUS = np.array(["open", "slides", "sticks", "closed"])
EVENT_KINDS = np.array(_event_kinds())


class Energies(NamedTuple):
    """Energy [J]. For bodies with modal-exact only the sum is meaningful."""

    kinetic: float
    potential: float
    total: float


class Held(NamedTuple):
    """q, v and the scheme's memory of a group; read-only arrays."""

    q: np.ndarray
    v: np.ndarray
    memory: list


class JointLoad(NamedTuple):
    """Force [N] and torque [N m] of a joint on its body b, in space, mean over the last step."""

    force: np.ndarray
    torque: np.ndarray


class Coordinate(NamedTuple):
    """Coordinate of a joint [m], [rad] and its rate."""

    value: float
    rate: float


class Columns(np.recarray):
    """A read-only array whose columns are also attributes; no other attributes can be set."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in (self.dtype.names or ()) or not hasattr(self, name):
            raise AttributeError(
                f"{type(self).__name__} is read-only: {name!r} cannot be set; use numpy.array(...) for a writable copy")
        super().__setattr__(name, value)


class Contacts(Columns):
    """Contacts: an array with one row per contact, whose columns are also attributes; read-only.

    `Simulation.contacts` contains all contacts of the step, including those that stayed open and have no impulse;
    `Results.contacts` those stored in the file, without open ones whose gap exceeds the margin of the surfaces.
    `closed` is the same for both.

    Attributes
    ----------
    key : int
        Number of the contact, increasing; the same contact has the same key in the next step.
    body_a, body_b : str
        Names of the bodies, also of fixed ones, '' for an obstacle that is not a body.
    a, b : int
        Their numbers in `Model.bodies`, -1 for fixed ones.
    group_a, group_b : int
        Numbers of their groups.
    status : str
        'open', 'slides', 'sticks' or 'closed'.
    point : (3,)
        Contact point [m].
    normal : (3,)
        Unit normal, from b to a.
    gap : float
        Gap [m], < 0 for penetration.
    impulse : (3,)
        On a along (n, t1, t2) [N s].
    moment : (3,)
        [N m s].
    force : (3,)
        Mean force of the step on a, in space [N].
    """

    @property
    def closed(self) -> "Contacts":
        """Contacts : the closed contacts; a copy."""
        return fixed(self[self.status != "open"])


class Events(Columns):
    """Events located by event-driven integration: an array with one row per event, whose columns are also attributes; read-only.

    Attributes
    ----------
    t : float
        Time [s].
    kind : str
        'impact': a contact closed with nonzero speed; 'rest': the Zeno sequence of its bounces was summed; 'closes': it closed
        without speed; 'opens', 'sticks', 'slides': its new state; 'spring': a compliant contact starts or stops acting;
        'hand_over': start of time stepping; 'take_back': return to event-driven integration.
    key : int
        Key of the contact, as in `Contacts`; 0 for the last two kinds.
    speed : float
        For an impact: rate of the gap before it [m/s], negative.
    impulse : (3,)
        For impact and rest, along (n, t1, t2) [N s].
    energy : float
        Energy change by simultaneous impacts, stored with the first of them [J].
    """

    def of(self, *kinds: str) -> "Events":
        """The events of these kinds; a copy.

        >>> sim.events.of("impact", "rest").t
        """
        unknown = [kind for kind in kinds if kind not in EVENT_KINDS]
        if unknown:
            raise UsageError(f"no event is of the kind {unknown[0]!r} ({', '.join(EVENT_KINDS)})")
        return fixed(self[np.isin(self.kind, kinds)])


def as_events(raw: np.ndarray) -> Events:
    """Converts the array from C++, with kinds as words."""
    fields = [("t", "f8"), ("kind", EVENT_KINDS.dtype), ("key", "u8"), ("speed", "f8"), ("impulse", "f8", 3),
              ("energy", "f8")]
    rows = np.empty(len(raw), dtype=fields)
    for name in ("t", "key", "speed", "impulse", "energy"):
        rows[name] = raw[name]
    rows["kind"] = EVENT_KINDS[raw["kind"]]
    return fixed(rows.view(Events))


_INSTEAD = ("a simulation cannot be changed through its views: apply() sets a force, set() an actuator, place() positions and "
            "velocities")


class GroupView(Fixed):
    """The current state of a group of a simulation; read-only, as are its arrays."""

    _instead = _INSTEAD

    def __init__(self, simulation: Simulation, index: int, group: Any) -> None:
        self._simulation, self._index, self._group = simulation, index, group

    @property
    def name(self) -> str:
        """Name of the body, or of the first of several."""
        return self._group.name

    @property
    def kind(self) -> str:
        """Kind of its bodies."""
        return self._group.kind

    @property
    def scheme(self) -> str:
        """Name of its scheme."""
        return self._group.scheme_name

    @property
    def q(self) -> np.ndarray:
        """Positions [m], [rad], quaternions (w, x, y, z); read-only, over the memory of the state: without a
        copy, so the array always shows the current state."""
        return self._simulation._view(self._index, False)

    @property
    def v(self) -> np.ndarray:
        """Velocities [m/s], [rad/s] as stored by the scheme, for some schemes at the middle of the previous step; a view like `q`."""
        return self._simulation._view(self._index, True)

    def velocity(self) -> np.ndarray:
        """Physical velocities at the time of the state; a copy, read-only."""
        return fixed(self._simulation._velocity(self._index))

    @property
    def reactions(self) -> np.ndarray:
        """Forces at the prescribed degrees of freedom, mean over the last step [N], [N m]; a copy,
        read-only."""
        return fixed(self._simulation._reactions(self._index))

    @property
    def positions(self) -> np.ndarray:
        """Positions of the mass centres of rigid bodies [m], (n, 3); a copy, read-only."""
        return fixed(self._simulation._frames(self._index)[0])

    @property
    def rotations(self) -> np.ndarray:
        """Rotation matrices of rigid bodies, (n, 3, 3), from the body to space; a copy, read-only."""
        return fixed(self._simulation._frames(self._index)[1])

    @property
    def bodies(self) -> list:
        """list of BodyView : bodies of this group."""
        return [BodyView(self, k, name) for k, name in enumerate(self._group.bodies)]

    def __len__(self) -> int:
        return len(self._group.bodies)

    def __repr__(self) -> str:
        return (f"<saltus.GroupView {self.name!r}: {len(self)} {self.kind} by {self.scheme}, "
                f"{self._group.positions} positions, {self._group.velocities} velocities>")


class BodyView(Fixed):
    """The current state of one body; read-only, as are its arrays.

    Attributes
    ----------
    group : GroupView
        Its group.
    index : int
        Its number in the group.
    name : str
        Name in the scene.
    """

    _instead = _INSTEAD
    group: GroupView
    index: int
    name: str

    def __init__(self, group: GroupView, index: int, name: str) -> None:
        self._set(group=group, index=index, name=name)

    def _part(self, x: np.ndarray) -> np.ndarray:
        count = max(len(self.group), 1)
        size = len(x) // count
        return x[size * self.index:size * (self.index + 1)]

    @property
    def kind(self) -> str:
        """Its kind."""
        return self.group.kind

    @property
    def q(self) -> np.ndarray:
        """Its part of the group's q, a read-only view of the current state."""
        return self._part(self.group.q)

    @property
    def v(self) -> np.ndarray:
        """Its part of the group's v, a read-only view of the current state."""
        return self._part(self.group.v)

    def _rigid(self, what: str) -> None:
        if self.kind != "rigid":
            raise NotOfThisKind(f"{self.name!r} ({self.kind}) has no {what}; see q and v")

    @property
    def position(self) -> np.ndarray:
        """Position of the mass centre of a rigid body, (3,), of a particle, (3,), or of several, (particles, 3) [m]; a view."""
        if self.kind == "particles":
            q = self.q
            return q if len(q) == 3 else q.reshape(-1, 3)
        self._rigid("position")
        return self.q[:3]

    @property
    def rotation(self) -> np.ndarray:
        """Unit quaternion (w, x, y, z) of a rigid body, from the body to space; a view."""
        self._rigid("rotation")
        return self.q[3:7]

    @property
    def velocity(self) -> np.ndarray:
        """Physical velocity: for a rigid body that of the mass centre, (3,), for particles in the form of `position` [m/s],
        otherwise of all coordinates; a copy, read-only."""
        v = self._part(self.group.velocity())
        if self.kind == "particles" and len(v) > 3:
            return v.reshape(-1, 3)
        return v[:3] if self.kind == "rigid" else v

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocity of a rigid body, (3,), in space [rad/s]; a copy, read-only. Along the axes of the body it is
        v[3:]."""
        self._rigid("angular_velocity")
        return fixed(self.group.rotations[self.index] @ self._part(self.group.velocity())[3:])

    def __repr__(self) -> str:
        where = f" at {np.array2string(self.position, precision=6)} m" if self.kind == "rigid" else ""
        return f"<saltus.BodyView {self.name!r}: {self.kind}{where}>"


def _groups(self: Simulation) -> Mapping[Union[str, int], GroupView]:
    """Mapping of name, or number, to GroupView."""
    groups = self.model._groups
    return Named("group", [group.name for group in groups], lambda k: GroupView(self, k, groups[k]))


def _bodies(self: Simulation) -> Mapping[Union[str, int], BodyView]:
    """Mapping of name, or number, to BodyView."""
    groups = self.model._groups
    places = [(g, k, name) for g, group in enumerate(groups) for k, name in enumerate(group.bodies)]
    return Named("body", [name for _, _, name in places],
                  lambda n: BodyView(GroupView(self, places[n][0], groups[places[n][0]]), *places[n][1:]))


def _energy(self: Any) -> Energies:
    """Energies : kinetic, potential, total [J]."""
    return Energies(*self._energy)


def _ledger(self: Simulation) -> Dict[str, float]:
    """dict : work on each account since t = 0 [J]."""
    return dict(zip(self.model.accounts, self._ledger))


def _contacts(self: Simulation) -> Contacts:
    """The contacts of the last step in the current state, see `Contacts`: including those that stayed open and have no
    impulse, of which results files contain only those with a small gap. `.closed` are the closed ones.

    Returns
    -------
    Contacts
        A copy, read-only. Empty before the first step and after a failed one.
    """
    raw = self._contacts()
    bodies = self.model.bodies
    names = np.array([*bodies, "", *self.model._fixed_bodies])
    fields = [("key", "u8"), ("body_a", names.dtype), ("body_b", names.dtype), ("status", STATUS.dtype)]
    fields += [(name, raw.dtype[name]) for name in
               ("point", "normal", "gap", "impulse", "moment", "force", "a", "b", "group_a", "group_b")]
    rows = np.empty(len(raw), dtype=fields)
    for name, *_ in fields:
        if name in (raw.dtype.names or ()):
            rows[name] = raw[name]
    for side in "ab":
        rows["body_" + side] = names[np.where(raw[side] >= 0, raw[side], len(bodies) + 1 + raw["fixed_" + side])]
    rows["status"] = STATUS[raw["status"]]
    return fixed(rows.view(Contacts))


def _events(self: Simulation) -> Events:
    """Events : events located by event-driven integration (`time.mode: events`) in the last step, by time; a copy, read-only.
    Empty in time stepping."""
    return as_events(self._events())


def _probe(self: Simulation, name: Union[str, int]) -> float:
    """Current value of the probe of this name or number, in the unit given by `Model.probe_table`."""
    return self._probe(number_of(self.model.probes, name, "probe"))


def _probes(self: Simulation) -> Dict[str, float]:
    """Current values of all probes by name."""
    return {name: self._probe(k) for k, name in enumerate(self.model.probes)}


def _joint_load(self: Simulation, name: Union[str, int]) -> JointLoad:
    """Mean force and torque of the joint of this name or number on its body b, over the last step."""
    load = self._joint_load(number_of([one[0] for one in self.model._joints], name, "joint"))
    return JointLoad(*(fixed(part) for part in load))


def _joint_coordinate(self: Simulation, name: Union[str, int],
                      coordinate: Union[None, str, int] = None) -> Coordinate:
    """Current value and rate of a coordinate of a joint.

    Parameters
    ----------
    name : str or int
        The joint, or one of its coordinates, "bearing.slide".
    coordinate : str or int, optional
        The coordinate, if the joint has several.
    """
    joints = self.model.joints
    names = [joint.name for joint in joints]
    if isinstance(name, str) and name not in names and coordinate is None and "." in name:
        name, coordinate = name.rsplit(".", 1)
    joint = number_of(names, name, "joint")
    free = list(joints[joint].coordinates)
    if joints[joint].kind == "ball" and free:
        free.append("swing")
    if coordinate is None and len(free) != 1:
        raise UsageError(f"joint {names[joint]!r} has {len(free)} coordinates" +
                         (f": give one of {', '.join(free)}" if free else ""))
    return Coordinate(*self._joint_coordinate(joint, number_of(free, 0 if coordinate is None else coordinate,
                                                             "coordinate")))


class ContactSeen(NamedTuple):
    """A contact problem of a step, and the result of its solver.

    Attributes
    ----------
    island : int
        The island, see `Model.islands`.
    t, h : float
        Start and length of the step [s].
    problem : ContactProblem
        Valid during the call only; use copy() to keep it.
    p : array, shape (rows,)
        Impulses [N s].
    converged, iterations, residual
        As in `SolveReport`.
    """

    island: int
    t: float
    h: float
    problem: ContactProblem
    p: np.ndarray
    converged: bool
    iterations: int
    residual: float


def _observe(self: Simulation, watcher: Optional[Callable[[ContactSeen], Any]]) -> None:
    """Calls the function `watcher` with every contact problem after each attempt at a step; None: no function.

    Exceptions of the function propagate from `advance`, which leaves the state unchanged.
    """
    self._observe(None if watcher is None else lambda *parts: watcher(ContactSeen(*parts)))


def _run(self: Simulation, until: Union[None, float, str] = None, steps: Optional[int] = None,
         watch: Optional[Callable[[Simulation], Any]] = None, every: Optional[int] = None,
         before: Optional[Callable[[Simulation], Any]] = None, progress: Shown = None) -> RunReport:
    """Makes steps of the model's step length in C++, while other Python threads can run; Ctrl-C stops it within 0.1 s, also
    inside a step, which is then discarded.

    Parameters
    ----------
    until : float or str, optional
        End time, [s] or a text with its unit, '20 ms', rounded to a whole number of steps; the end of the model if
        neither `until` nor `steps` is given.
    steps : int, optional
        Number of steps, instead of `until`.
    watch : callable, optional
        Called with the simulation; a true return value stops the run.
    every : int, optional
        Number of steps between calls of `watch`; by default 1, so that runs are reproducible. A call costs
        0.2 microseconds plus the time of the function: set `every` if steps are shorter than that.
    before : callable, optional
        Called with the simulation before every step, for controllers: it may call `set`, `apply`, `place`.
    progress : bool or callable, optional
        None: a bar in terminals and notebooks, after half a second; False: none. A function is called with a
        `Progress` about ten times a second; if it returns False, the run stops.

    Returns
    -------
    RunReport

    Raises
    ------
    RunError
        If a step failed; the state is the one before it, and `error.report` is its report.
    KeyboardInterrupt
        The simulation is at the end of the last complete step and can continue with unchanged results.
    """
    until = None if until is None else seconds("until", until)
    steps = None if steps is None else whole("steps", steps, 0, 2**63 - 1)
    every = None if every is None else whole("every", every, 1, 2**63 - 1)
    if watch is not None and not callable(watch):
        raise UsageError(f"watch is {watch!r} (a function of the simulation)")
    if before is not None and not callable(before):
        raise UsageError(f"before is {before!r} (a function of the simulation)")
    if watch is not None and every is None:
        every = 1
    with Reporter(progress) as report:
        return self._run(until, steps, watch, every, before, report.hook)


_init = Simulation.__init__


def _made(self: Simulation, model: Union[Model, Scene, str, os.PathLike, Mapping],
          state: Optional[State] = None, threads: Optional[int] = None) -> None:
    threads = None if threads is None else whole("threads", threads, 1, 1024)
    _init(self, model if isinstance(model, Model) else _scene.of(model).build(), state, threads)


def _reduce(self: Simulation) -> Any:
    raise TypeError("a simulation cannot be pickled: pickle its scene and its state")


def _repr(self: Simulation) -> str:
    energy = _energy(self)
    number = len(self.model.bodies)
    return (f"<saltus.Simulation {number} bod{'y' if number == 1 else 'ies'}, step {self.step}, "
            f"t = {self.t:.9g} s of {self.model.end:.6g} s, energy {energy.total:.6g} J>")


def _html(self: Simulation) -> str:
    held = self.state.groups  # a copy: a table must not keep views of the state
    rows = [[g.name, g.kind, g.scheme, float(np.abs(at.q).max(initial=0.0)),
             float(np.abs(g.velocity()).max(initial=0.0))] for g, at in zip(self.groups.values(), held)]
    energy = _energy(self)
    facts = f"step {self.step}, t = {self.t:.9g} s of {self.model.end:.6g} s, energy {energy.total:.6g} J"
    return table(["group", "kind", "scheme", "largest |q|", "largest |v|"], rows, "Simulation", facts)


attach(
    Simulation,
    __init__=_made,
    groups=property(_groups, doc=_groups.__doc__),
    bodies=property(_bodies, doc=_bodies.__doc__),
    energy=property(_energy, doc=_energy.__doc__),
    ledger=property(_ledger, doc=_ledger.__doc__),
    contacts=_contacts,
    events=property(_events, doc=_events.__doc__),
    probe=_probe,
    probes=_probes,
    joint_load=_joint_load,
    joint_coordinate=_joint_coordinate,
    observe=_observe,
    run=_run,
    __reduce__=_reduce,
    __repr__=_repr,
    _repr_html_=_html,
)
attach(
    State,
    groups=property(lambda self: [Held(*one) for one in self._groups],
                    doc="list of Held : (q, v, memory) of each group, read-only."),
    energy=property(_energy, doc=_energy.__doc__),
    __repr__=lambda self: f"<saltus.State step {self.step}, t = {self.t:.9g} s, {len(self._groups)} groups>",
)
