"""Simulations and states as mappings by name, and how they look."""
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
    """Energy [J]. Of modal-exact bodies only the sum has a meaning."""

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
    """A read-only array whose columns are also attributes, and that has no others."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in (self.dtype.names or ()) or not hasattr(self, name):
            raise AttributeError(
                f"{type(self).__name__} is read-only: {name!r} cannot be set; numpy.array(...) makes an array to write")
        super().__setattr__(name, value)


class Contacts(Columns):
    """Contacts: an array with one row a contact, whose columns are also attributes; read-only.

    `Simulation.contacts` holds all that the step looked at, also those that stayed open and carry nothing;
    `Results.contacts` those that a file keeps, without the open ones farther away than the margin of the surfaces.
    `closed` is the same of both.

    Attributes
    ----------
    key : int
        Number of the contact, increasing; the same contact has the same key in the next step.
    body_a, body_b : str
        Names of the bodies, also of fixed ones, '' for an obstacle that is no body.
    a, b : int
        Their numbers in `Model.bodies`, -1 for what is fixed.
    group_a, group_b : int
        Those of their groups.
    status : str
        'open', 'slides', 'sticks' or 'closed'.
    point : (3,)
        Where they touch [m].
    normal : (3,)
        Unit, from b to a.
    gap : float
        [m], < 0 where they penetrate.
    impulse : (3,)
        On a along (n, t1, t2) [N s].
    moment : (3,)
        [N m s].
    force : (3,)
        Mean of the step on a, in space [N].
    """

    @property
    def closed(self) -> "Contacts":
        """Contacts : those of them that are not open, the bodies that touch; a copy."""
        return fixed(self[self.status != "open"])


class Events(Columns):
    """What event-driven integration located: an array with one row an event, whose columns are also attributes; read-only.

    Attributes
    ----------
    t : float
        When it happened [s].
    kind : str
        'impact': a contact closed with speed; 'rest': its Zeno sequence of bounces was summed to its end; 'closes': without speed;
        'opens', 'sticks', 'slides': what it does from now on; 'spring': a compliant contact begins or ends to press;
        'hand_over': the schemes step from here on; 'take_back': event-driven integration again.
    key : int
        Of the contact, as in `Contacts`; 0 of the last two kinds.
    speed : float
        Of an impact: rate of the gap before it [m/s], negative.
    impulse : (3,)
        Of impact and rest, along (n, t1, t2) [N s].
    energy : float
        Change by the impact, of all contacts together, on the first of them [J].
    """

    def of(self, *kinds: str) -> "Events":
        """Those of these kinds; a copy.

        >>> sim.events.of("impact", "rest").t
        """
        unknown = [kind for kind in kinds if kind not in EVENT_KINDS]
        if unknown:
            raise UsageError(f"no event is of the kind {unknown[0]!r} ({', '.join(EVENT_KINDS)})")
        return fixed(self[np.isin(self.kind, kinds)])


def as_events(raw: np.ndarray) -> Events:
    """Of what C++ gives, kinds as words."""
    fields = [("t", "f8"), ("kind", EVENT_KINDS.dtype), ("key", "u8"), ("speed", "f8"), ("impulse", "f8", 3),
              ("energy", "f8")]
    rows = np.empty(len(raw), dtype=fields)
    for name in ("t", "key", "speed", "impulse", "energy"):
        rows[name] = raw[name]
    rows["kind"] = EVENT_KINDS[raw["kind"]]
    return fixed(rows.view(Events))


_INSTEAD = ("a simulation is not steered by its views: forces and motions are entries of the scene (`loads`, `motion`), "
            "another start is another scene")


class GroupView(Fixed):
    """The present state of a group of a simulation; read-only, and so are its arrays."""

    _instead = _INSTEAD

    def __init__(self, simulation: Simulation, index: int, group: Any) -> None:
        self._simulation, self._index, self._group = simulation, index, group

    @property
    def name(self) -> str:
        """Name of the body, of the first of several."""
        return self._group.name

    @property
    def kind(self) -> str:
        """Kind of its bodies."""
        return self._group.kind

    @property
    def scheme(self) -> str:
        """Name of the scheme that moves it."""
        return self._group.scheme_name

    @property
    def q(self) -> np.ndarray:
        """Positions [m], [rad], quaternions (w, x, y, z); read-only, over the memory of the state: no copy
        is made, and the array shows the present state as long as it lives."""
        return self._simulation._view(self._index, False)

    @property
    def v(self) -> np.ndarray:
        """Velocities [m/s], [rad/s] as the scheme holds them, perhaps half a step back; a view like `q`."""
        return self._simulation._view(self._index, True)

    def velocity(self) -> np.ndarray:
        """Physical velocities at the time of the state; a copy, read-only."""
        return fixed(self._simulation._velocity(self._index))

    @property
    def reactions(self) -> np.ndarray:
        """Forces that held the prescribed degrees of freedom, mean over the last step [N], [N m]; a copy,
        read-only."""
        return fixed(self._simulation._reactions(self._index))

    @property
    def positions(self) -> np.ndarray:
        """Places of the mass centres [m], (n, 3), of rigid bodies; a copy, read-only."""
        return fixed(self._simulation._frames(self._index)[0])

    @property
    def rotations(self) -> np.ndarray:
        """Rotation matrices of rigid bodies, (n, 3, 3), from the body to space; a copy, read-only."""
        return fixed(self._simulation._frames(self._index)[1])

    @property
    def bodies(self) -> list:
        """list of BodyView : of this group."""
        return [BodyView(self, k, name) for k, name in enumerate(self._group.bodies)]

    def __len__(self) -> int:
        return len(self._group.bodies)

    def __repr__(self) -> str:
        return (f"<saltus.GroupView {self.name!r}: {len(self)} {self.kind} by {self.scheme}, "
                f"{self._group.positions} positions, {self._group.velocities} velocities>")


class BodyView(Fixed):
    """The present state of one body; read-only, and so are its arrays.

    Attributes
    ----------
    group : GroupView
        The group that holds it.
    index : int
        Its number in the group.
    name : str
        As the scene has it.
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
        """Its part of the group's q, a read-only view that follows the state."""
        return self._part(self.group.q)

    @property
    def v(self) -> np.ndarray:
        """Its part of the group's v, a read-only view that follows the state."""
        return self._part(self.group.v)

    def _rigid(self, what: str) -> None:
        if self.kind != "rigid":
            raise NotOfThisKind(f"{self.name!r} ({self.kind}) has no {what}; see q and v")

    @property
    def position(self) -> np.ndarray:
        """Place of the mass centre of a rigid body, (3,), of a particle (3,), of several (particles, 3) [m]; a view."""
        if self.kind == "particles":
            q = self.q
            return q if len(q) == 3 else q.reshape(-1, 3)
        self._rigid("position")
        return self.q[:3]

    @property
    def rotation(self) -> np.ndarray:
        """Unit quaternion (w, x, y, z) from the body to space of a rigid body; a view."""
        self._rigid("rotation")
        return self.q[3:7]

    @property
    def velocity(self) -> np.ndarray:
        """Physical velocity: of a rigid body that of the mass centre, (3,), of particles as `position` [m/s], else of
        all coordinates; a copy, read-only."""
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
    """The contacts that the last step looked at on the present state, see `Contacts`: also those that stayed open,
    which carry nothing and of which results files hold the near ones alone. `.closed` are those that touch.

    Returns
    -------
    Contacts
        A copy, read-only. Empty before the first step and after one that failed.
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
    """Events : what event-driven integration (`time.mode: events`) located in the last step, by time; a copy, read-only. Empty in the
    other mode."""
    return as_events(self._events())


def _probe(self: Simulation, name: Union[str, int]) -> float:
    """Present value of the probe of this name or number, in the unit that `Model.probe_table` tells."""
    return self._probe(number_of(self.model.probes, name, "probe"))


def _probes(self: Simulation) -> Dict[str, float]:
    """Present values of all probes by name."""
    return {name: self._probe(k) for k, name in enumerate(self.model.probes)}


def _joint_load(self: Simulation, name: Union[str, int]) -> JointLoad:
    """Mean force and torque of the joint of this name or number on its body b, over the last step."""
    load = self._joint_load(number_of([one[0] for one in self.model._joints], name, "joint"))
    return JointLoad(*(fixed(part) for part in load))


def _joint_coordinate(self: Simulation, name: Union[str, int],
                      coordinate: Union[None, str, int] = None) -> Coordinate:
    """Present value and rate of a coordinate of a joint.

    Parameters
    ----------
    name : str or int
        Of the joint, or "bearing.slide" of one of its coordinates.
    coordinate : str or int, optional
        Which one of a joint that has several.
    """
    joints = self.model.joints
    names = [joint.name for joint in joints]
    if isinstance(name, str) and name not in names and coordinate is None and "." in name:
        name, coordinate = name.rsplit(".", 1)
    joint = number_of(names, name, "joint")
    free = joints[joint].coordinates
    if coordinate is None and len(free) != 1:
        raise UsageError(f"joint {names[joint]!r} has {len(free)} coordinates" +
                         (f": give one of {', '.join(free)}" if free else ""))
    return Coordinate(*self._joint_coordinate(joint, number_of(free, 0 if coordinate is None else coordinate,
                                                             "coordinate")))


class ContactSeen(NamedTuple):
    """A contact problem of a step, and what its solver made of it.

    Attributes
    ----------
    island : int
        Of which groups, see `Model.islands`.
    t, h : float
        Where the step starts and how long it is [s].
    problem : ContactProblem
        Ends with the call; copy what is to stay.
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
    """Shows every contact problem to `watcher`, a function, after each attempt at a step; None: to nobody.

    What the function raises leaves `advance` with the state as it was.
    """
    self._observe(None if watcher is None else lambda *parts: watcher(ContactSeen(*parts)))


def _run(self: Simulation, until: Union[None, float, str] = None, steps: Optional[int] = None,
         watch: Optional[Callable[[Simulation], Any]] = None, every: Optional[int] = None,
         progress: Shown = None) -> RunReport:
    """Makes steps of the model's length in C++ while other Python threads run; Ctrl-C ends it within 0.1 s, also
    inside a step, which is then dropped.

    Parameters
    ----------
    until : float or str, optional
        Time to run to, [s] or a text with its unit, '20 ms', rounded to a whole number of steps; the end of the model
        if neither is given.
    steps : int, optional
        How many steps to make instead.
    watch : callable, optional
        Called with the simulation; ends the run by something true.
    every : int, optional
        Steps between calls of `watch`: each of them if not given, so that runs can be repeated. A call costs
        0.2 microseconds and what the function does: give `every` where the steps are shorter than that.
    progress : bool or callable, optional
        None: a bar in terminals and notebooks, from half a second on; False: none. A function gets a
        `Progress` some ten times a second, and ends the run where it returns False.

    Returns
    -------
    RunReport

    Raises
    ------
    RunError
        A step failed; the state is the one before it, `error.report` what is known of it.
    KeyboardInterrupt
        The simulation is at the last whole step and can go on, with the numbers it would have had.
    """
    until = None if until is None else seconds("until", until)
    steps = None if steps is None else whole("steps", steps, 0, 2**63 - 1)
    every = None if every is None else whole("every", every, 1, 2**63 - 1)
    if watch is not None and not callable(watch):
        raise UsageError(f"watch is {watch!r} (a function of the simulation)")
    if watch is not None and every is None:
        every = 1
    with Reporter(progress) as report:
        return self._run(until, steps, watch, every, report.hook)


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
    held = self.state.groups  # a copy: a table must not hold the state in its place
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
