"""Acting on a simulation between two steps: set-points of actuators, forces, positions and velocities."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._core import Simulation, State, UsageError
from ._attach import attach
from ._fixed import fixed
from ._named import NotOfThisKind, number_of

Vector = Union[Sequence[float], np.ndarray]
_KEPT: Any = ...


class Coordinates(NamedTuple):
    """All coordinates of joints [m], [rad] in the order of `Model.coordinates`, and their rates; copies, read-only."""

    value: np.ndarray
    rate: np.ndarray


def _coordinates(self: Simulation) -> Coordinates:
    """Current values and rates of all coordinates of joints, in the order of `Model.coordinates`; angles count turns."""
    value, rate = self._coordinates()
    return Coordinates(fixed(value), fixed(rate))


class JointDynamics(NamedTuple):
    """Equations of motion in the coordinates of joints: mass c'' + bias = torques and forces on the coordinates."""

    mass: np.ndarray
    bias: np.ndarray


def _joint_dynamics(self: Simulation) -> JointDynamics:
    """Mass matrix and bias of a mechanism in the coordinates of its joints, in the order of `Model.coordinates`.

    `bias` contains gravity, loads, forces of `apply` and gyroscopic forces, but no contacts, and no springs, dampers, friction and
    actuators of the coordinates: torques tau give c'' = solve(mass, tau - bias).

    Raises
    ------
    UsageError
        If coordinates depend on each other, as in a loop, or joints are driven or hold bodies that are not rigid.
    """
    mass, bias, _, _, _ = self._joint_dynamics()
    return JointDynamics(fixed(mass), fixed(bias))


def _jacobian(self: Simulation, body: Union[str, int], at: Optional[Vector] = None) -> np.ndarray:
    """Velocity of a point, and angular velocity of its body, per unit rate of each joint coordinate.

    Parameters
    ----------
    body : str or int
        A rigid body that joints connect with the world.
    at : array, shape (3,), optional
        Point in space [m]; the mass centre if not given.

    Returns
    -------
    array, shape (6, coordinates)
        Rows: velocity of the point, angular velocity, in space.
    """
    group, index, of = _body(self, body)
    if of.kind != "rigid":
        raise NotOfThisKind(f"jacobian(): {body!r} ({of.kind}) is not a rigid body")
    _, _, velocities, undetermined, first = self._joint_dynamics()
    own = slice(first[group] + 6 * index, first[group] + 6 * index + 6)
    if np.abs(undetermined[own]).max() > 1e-9:
        raise UsageError(f"jacobian(): the coordinates of joints do not determine the motion of {body!r}: it is not connected with "
                         "the world, or by joints without coordinates")
    rows = velocities[own]
    positions, rotations = self._frames(group)
    turning = rotations[index] @ rows[3:]
    moving = rows[:3].copy()
    if at is not None:
        arm = _three(at, "at") - positions[index]
        if not np.isfinite(arm).all():
            raise UsageError("jacobian(): `at` is not finite")
        moving += np.cross(turning, arm, axisa=0, axisb=0, axisc=0)
    return fixed(np.vstack([moving, turning]))


def _actuator(self: Simulation, name: str, kinds: Tuple[str, ...], what: str) -> int:
    """Number of the actuator with this name, or of the one of these kinds on the coordinate of this name."""
    actuators = self.model.actuators
    names = [one.name for one in actuators]
    if name in names:
        number = names.index(name)
        if actuators[number].kind not in kinds:
            raise UsageError(f"set(): {name!r} is a {actuators[number].kind} and has no {what}")
        return number
    found = [i for i, one in enumerate(actuators)
             if name in (one.joint, f"{one.joint}.{one.coordinate}") and one.kind in kinds]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"set(): {name!r} has several with {what}: give one of "
                         f"{', '.join(names[i] for i in found)}")
    known = ", ".join(names) if names else "the scene has none: give a joint `motor`, `servo`, `torque` or `force`"
    raise UsageError(f"set(): {name!r} has no actuator with {what} ({known})")


def _number(value: Any, key: str, name: str) -> Any:
    """A set-point as a number; None and what is not given stay."""
    if value is _KEPT or value is None:
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise UsageError(f"set(): {key} of {name!r} is {value!r} (a number or None)") from None
    if not np.isfinite(number):
        raise UsageError(f"set(): {key} of {name!r} is {number} (a finite number or None)")
    return number


def _set(self: Simulation, name: str, *, target: Optional[float] = _KEPT, velocity: Optional[float] = _KEPT,
         torque: Optional[float] = _KEPT, force: Optional[float] = _KEPT) -> None:
    """Sets values of the actuator of a joint from the next step on. They are part of the state.

    Parameters
    ----------
    name : str
        The joint, "bearing.slide" where it has several coordinates, or the actuator, "elbow.servo".
    target : float, optional
        Of a servo [rad], [m]. Unless `velocity` is set too, it then stands still.
    velocity : float, optional
        Of a motor, or the rate that the damping of a servo follows [rad/s], [m/s].
    torque, force : float, optional
        Given torque [N m] or force [N], for a coordinate with `torque` or `force` in the scene.

    None: the function of the scene again.

    Raises
    ------
    UsageError
        If the joint has no actuator that uses the value, or it is not finite.
    """
    if target is _KEPT and velocity is _KEPT and torque is _KEPT and force is _KEPT:
        raise UsageError("set(): give target, velocity, torque or force")
    if torque is not _KEPT and force is not _KEPT:
        raise UsageError("set(): give torque, for an angle, or force, for a displacement")
    target, velocity, torque, force = (_number(value, key, name) for value, key in (
        (target, "target"), (velocity, "velocity"), (torque, "torque"), (force, "force")))
    if target is not _KEPT:
        self._set(_actuator(self, name, ("servo",), "a target"), target, None if velocity is _KEPT else velocity, ...)
    elif velocity is not _KEPT:
        self._set(_actuator(self, name, ("motor", "servo"), "a velocity"), ..., velocity, ...)
    for key, value in (("torque", torque), ("force", force)):
        if value is _KEPT:
            continue
        number = _actuator(self, name, ("effort",), f"a given {key}")
        angle = self.model.actuators[number].coordinate.startswith(("turn", "twist"))
        if angle != (key == "torque"):
            raise UsageError(f"set(): {name!r} is {'an angle: give torque' if angle else 'a displacement: give force'}")
        self._set(number, ..., ..., value)


def _set_all(self: Simulation, *, target: Optional[Vector] = None, velocity: Optional[Vector] = None,
             effort: Optional[Vector] = None) -> None:
    """As `set` for all actuators at once, in a microsecond: for controllers.

    Parameters
    ----------
    target, velocity, effort : array, shape (actuators,), optional
        Values in the order of `Model.actuators`; `effort` are given torques and forces. NaN: the function of the scene;
        actuators that have no such value need NaN. An array that is not given changes nothing.

    Raises
    ------
    UsageError
        For a value that an actuator does not have or that is infinite; nothing is then changed.
    """
    self._set_all(target, velocity, effort)


def _actuator_forces(self: Simulation) -> np.ndarray:
    """Mean torques [N m] and forces [N] of all actuators in the last step, in the order of `Model.actuators`; a copy, read-only."""
    return fixed(self._actuator_forces())


def _body(self: Simulation, name: Union[str, int]) -> Tuple[int, int, Any]:
    """Group, number in the group, and the group."""
    groups = self.model._groups
    places = [(g, k, body) for g, group in enumerate(groups) for k, body in enumerate(group.bodies)]
    number = number_of([place[2] for place in places], name, "body")
    return places[number][0], places[number][1], groups[places[number][0]]


def _three(value: Optional[Vector], what: str) -> np.ndarray:
    try:
        x = np.zeros(3) if value is None else np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise UsageError(f"{what} is {value!r} (three numbers)") from None
    if x.shape != (3,):
        raise UsageError(f"{what} must be three numbers")
    return x


def _apply(self: Simulation, body: Union[str, int], force: Optional[Vector] = None, torque: Optional[Vector] = None,
           at: Union[None, int, Vector] = None, add: bool = False) -> None:
    """Applies a force and a torque to a body from the next step on, until the next call for this body.

    They are constant in space, act in every scheme as a load of the scene does, and are part of the state. Their work is in the
    account "load" of the ledger.

    Parameters
    ----------
    body : str or int
        A rigid body, or particles.
    force : array, shape (3,), optional
        In space [N]. Neither force nor torque: no force acts any more.
    torque : array, shape (3,), optional
        In space [N m], on a rigid body.
    at : array, shape (3,), or int, optional
        Rigid: point in space at which the force acts now; it moves with the body. The mass centre if not given. Particles:
        number of the particle.
    add : bool
        True: in addition to what acts on the body already.

    Raises
    ------
    UsageError
        For a body that does not exist or does not move, and numbers that are not finite.
    """
    group, index, of = _body(self, body)
    f, t = _three(force, "force"), _three(torque, "torque")
    none = force is None and torque is None
    if of.kind == "rigid":
        if isinstance(at, (int, np.integer)):
            raise UsageError("apply(): `at` is a point in space, three numbers, for a rigid body")
        place, in_space, feature = _three(at, "at"), at is not None, 0
    elif of.kind == "particles":
        count = of.positions // (3 * max(len(of.bodies), 1))
        if at is None and count > 1 and not none:
            raise UsageError(f"apply(): {body!r} has {count} particles: give the number of one as `at`")
        if at is not None and (isinstance(at, bool) or not isinstance(at, (int, np.integer))):
            raise UsageError(f"apply(): `at` is {at!r} (the number of a particle of {body!r})")
        feature = 0 if at is None else int(at)
        if not 0 <= feature < count:
            raise UsageError(f"apply(): {body!r} has no particle {feature}; it has {count}")
        place, in_space = np.zeros(3), False
    else:
        raise NotOfThisKind(f"apply(): {body!r} ({of.kind}) is neither rigid nor particles: give it `loads` in the scene")
    self._apply(group, index, [] if none else [(feature, place, f, t)], in_space, add)


def _place_one(self: Simulation, body: Union[str, int], changes: Mapping[str, Any],
               placed: Dict[int, List[np.ndarray]]) -> None:
    group, index, of = _body(self, body)
    unknown = [key for key in changes if key not in ("position", "rotation", "velocity", "angular_velocity", "q", "v")]
    if unknown:
        raise UsageError(f"place(): there is no {unknown[0]!r} (position, rotation, velocity, angular_velocity, q, v)")
    if group not in placed:
        placed[group] = [np.array(self.groups[group].q), np.array(self.groups[group].velocity())]
    q, v = placed[group]
    count = max(len(of.bodies), 1)
    Q, V = (x[len(x) // count * index:len(x) // count * (index + 1)] for x in (q, v))
    for key, part in (("q", Q), ("v", V)):
        if changes.get(key) is None:
            continue
        x = np.asarray(changes[key], dtype=float)
        if x.shape != part.shape:
            raise UsageError(f"place(): {key} of {body!r} has {part.size} numbers")
        part[:] = x
    named = [key for key in ("position", "rotation", "velocity", "angular_velocity") if changes.get(key) is not None]
    if named and of.kind != "rigid":
        raise NotOfThisKind(f"place(): {body!r} ({of.kind}) has no {named[0]}; give q and v")
    for key in named:
        x = np.asarray(changes[key], dtype=float)
        if x.shape != ((4,) if key == "rotation" else (3,)):
            raise UsageError(f"place(): {key} must be {'four' if key == 'rotation' else 'three'} numbers")
        if key == "position":
            Q[:3] = x
        elif key == "rotation":
            if not np.linalg.norm(x) > 0.0:
                raise UsageError("place(): rotation must be a quaternion (w, x, y, z) that is not zero")
            Q[3:] = x / np.linalg.norm(x)
        elif key == "velocity":
            V[:3] = x
    if "angular_velocity" in named:  # along the axes of the body, after its rotation
        w, r = Q[3], Q[4:]
        x = np.asarray(changes["angular_velocity"], dtype=float)
        V[3:] = x - 2.0 * w * np.cross(r, x) + 2.0 * np.cross(r, np.cross(r, x))


def _place(self: Simulation, body: Union[str, int, Mapping[str, Mapping[str, Any]]], **changes: Any) -> None:
    """Sets positions and velocities of a body, or of several at once, between two steps.

    What is not given stays. The change of energy does not count as work. Joints must stay closed: place all bodies of a
    mechanism in one call. Velocities that do not agree with joints or contacts change in the next step, as in an impact.

    Parameters
    ----------
    body : str, int or dict
        The body, or for several bodies a dict of name to their changes.
    changes
        The following, each optional.
    position, rotation : array, optional
        Mass centre [m], and quaternion (w, x, y, z) from the body to space, of a rigid body.
    velocity, angular_velocity : array, optional
        Of the mass centre [m/s], and in space [rad/s].
    q, v : array, optional
        All positions and physical velocities of a body of any kind.

    Raises
    ------
    UsageError
        If a joint would be open or numbers are not finite; the state is then unchanged.

    >>> sim.place("box", position=[0, 0, 1], velocity=[0, 0, 0])
    """
    placed: Dict[int, List[np.ndarray]] = {}
    if isinstance(body, Mapping):
        if changes:
            raise UsageError("place(): give either one body with its changes or a dict of bodies")
        for name, each in body.items():
            _place_one(self, name, each, placed)
    else:
        _place_one(self, body, changes, placed)
    self._place([(group, q, v) for group, (q, v) in placed.items()])


def _reset(self: Simulation, state: Optional[State] = None) -> None:
    """Continues from `state`, another state of this model; from its start if not given."""
    if state is not None and not isinstance(state, State):
        raise UsageError(f"reset(): state is {state!r} (a State, or None)")
    self._reset(state)


attach(
    Simulation,
    coordinates=_coordinates,
    joint_dynamics=_joint_dynamics,
    jacobian=_jacobian,
    set=_set,
    set_all=_set_all,
    actuator_forces=_actuator_forces,
    apply=_apply,
    place=_place,
    reset=_reset,
)
