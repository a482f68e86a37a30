"""Models and groups: tuples for their parts, and their display."""
from __future__ import annotations

from typing import Any, NamedTuple

from ._attach import attach
from ._core import Group, Model
from ._table import table


class Side(NamedTuple):
    """One side of a contact or joint: group (-1: the world), body in it, place in its frame [m]."""

    group: int
    body: int
    at: tuple[float, float, float]


class Pair(NamedTuple):
    """Two points with possible contact along a fixed normal, which points from b to a: gap = normal . (x_a - x_b) - distance [m]."""

    key: int
    a: Side
    b: Side
    normal: tuple[float, float, float]
    law: int
    tangents: int
    distance: float = 0.0


class LawOfModel(NamedTuple):
    """A contact law with its parameters; zeros are left out."""

    name: str
    numbers: dict


class Joint(NamedTuple):
    """A joint between a and b, and the names of its free coordinates."""

    name: str
    kind: str
    a: Side
    b: Side
    coordinates: list[str]


class Actuator(NamedTuple):
    """What drives a coordinate of a joint: a motor, a servo, or a given torque or force (effort)."""

    name: str
    joint: str
    coordinate: str
    kind: str


class ProbeOfModel(NamedTuple):
    """A probe with its quantity and unit."""

    name: str
    quantity: str
    unit: str


def _pair(parts: tuple) -> Pair:
    key, a, b, *rest = parts
    return Pair(key, Side(*a), Side(*b), *rest)


def _coordinate_names(parts: tuple) -> list[str]:
    name, coordinates = parts[0], parts[4]
    return [name] if len(coordinates) == 1 else [f"{name}.{one}" for one in coordinates]


def _joint(parts: tuple) -> Joint:
    name, kind, a, b, coordinates = parts
    return Joint(name, kind, Side(*a), Side(*b), coordinates)


def bodies(model: Model) -> list[str]:
    """list of str : names of all moving bodies, in the order of their numbers in contacts."""
    return [name for group in model._groups for name in group.bodies]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 'es' if what.endswith('s') else 's'}"


def _facts(model: Model) -> str:
    what = [_counted(len(model.bodies), "body") if len(model.bodies) == 1 else f"{len(model.bodies)} bodies",
            _counted(len(model._groups), "group")]
    for number, name in ((len(model._pairs), "contact pair"), (len(model._joints), "joint"),
                         (len(model._probes), "probe")):
        if number:
            what.append(_counted(number, name))
    return ", ".join(what) + f"; step {model.h:.6g} s to {model.end:.6g} s"


def _rows(model: Model) -> list[list[Any]]:
    return [[group.name + (f" and {len(group.bodies) - 1} more" if len(group.bodies) > 1 else ""), group.kind,
             group.scheme_name, group.positions, group.velocities] for group in model._groups]


def _html(model: Model) -> str:
    return table(["group", "kind", "scheme", "positions", "velocities"], _rows(model), "Model", _facts(model),
                 model.warnings)


attach(
    Group,
    __repr__=lambda self: (f"<saltus.Group {self.name!r}: {len(self.bodies)} {self.kind}, "
                           f"{self.scheme_name}, {self.positions} positions>"),
)
attach(
    Model,
    groups=property(lambda self: self._groups,
                    doc="list of Group : bodies of one kind with one scheme."),
    bodies=property(bodies, doc=bodies.__doc__),
    pairs=property(lambda self: [_pair(one) for one in self._pairs],
                   doc="list of Pair : point pairs with possible contact; contacts of shapes are detected in each step."),
    laws=property(lambda self: [LawOfModel(*one) for one in self._laws],
                  doc="list of LawOfModel : (name, numbers) of each contact law."),
    joints=property(lambda self: [_joint(one) for one in self._joints],
                    doc="list of Joint : joints of the model."),
    coordinates=property(lambda self: [name for one in self._joints for name in _coordinate_names(one)],
                         doc="list of str : coordinates of all joints, 'elbow', or 'bearing.slide' where a joint has several."),
    actuators=property(lambda self: [Actuator(*one) for one in self._actuators],
                       doc="list of Actuator : motors, servos, and given torques and forces of joints."),
    probes=property(lambda self: [one[0] for one in self._probes],
                    doc="list of str : names of the probes."),
    probe_table=property(lambda self: [ProbeOfModel(*one) for one in self._probes],
                         doc="list of ProbeOfModel : (name, quantity, unit) of each probe."),
    __repr__=lambda self: f"<saltus.Model {_facts(self)}>",
    _repr_html_=_html,
)
