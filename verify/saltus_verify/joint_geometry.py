"""Joints: their positions on the bodies, and the rows of their coordinates (docs/theory/joints.md, sections 1 and 2)."""
import numpy as np

from . import rotation
from .solids import Unknown

SOCKET = "ball with axes"
LAWS = ("turn", "turn2", "slide", "slide2", "twist")  # keys of laws on a coordinate, in their order

# free coordinates of a kind: name, whether it is an angle
COORDINATES = {
    "fixed": [], "ball": [], "revolute": [("turn", True)], "prismatic": [("slide", False)],
    "cylindrical": [("turn", True), ("slide", False)], "along": [], "distance": [],
    "planar": [("slide", False), ("slide2", False), ("turn", True)],
    "universal": [("turn", True), ("turn2", True)], "line": [("slide", False)],
    SOCKET: [("twist", True), ("swing_x", True), ("swing_y", True), ("swing", True)],
}
UNDER_B = {"prismatic", "cylindrical", "planar", "along"}  # the point of a is the projection of that of b


class Side:
    """group -1: the world. On bodies with frames `x` and `axes` are in the frame of the body."""

    def __init__(self):
        self.group, self.body = -1, 0
        self.x = np.zeros(3)
        self.axes = np.eye(3)
        self.frame = True


class Joint:
    def __init__(self, name, kind, a, b, length, spec):
        self.name, self.kind, self.a, self.b, self.length, self.spec = name, kind, a, b, length, spec


def _along(z, hint):
    x = hint - (z @ hint) * z
    if not np.linalg.norm(x) > 1e-9:
        least = int(np.argmin(np.abs(z)))
        x = np.eye(3)[least] - z[least] * z
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _turned(A, axis, angle):
    return A if angle == 0.0 else A @ rotation.matrix(rotation.exponential(angle * np.eye(3)[axis]))


def _unit(x):
    x = np.array(x, dtype=float)
    return x / np.linalg.norm(x)


def place(spec, model):
    """A joint of the resolved scene on its bodies at t = 0."""
    kind = spec["kind"]
    sides, own, at, user = [], [], [], []
    for k, key in enumerate(("first", "second")):
        side, name = Side(), spec["between"][k]
        given = spec.get(key) or {}
        R, x0, origin = np.eye(3), np.zeros(3), np.zeros(3)
        point = None
        if name != "world":
            body = model.body_named(name)
            if body.group >= 0:
                side.group, side.body = body.group, body.index
                side.frame = body.frame
            R, x0, origin = body.R, body.x, body.origin
            if given.get("at") is not None:
                if body.frame:
                    point = x0 + R @ (np.array(given["at"], dtype=float) - origin)
                else:
                    point = body.point(given["at"])
        elif given.get("at") is not None:
            point = np.array(given["at"], dtype=float)
        sides.append(side), own.append(given), at.append(point), user.append((R, x0))
    direction = lambda k, key: (user[k][0] @ _unit(own[k][key]) if own[k].get(key) is not None
                                else _unit(spec[key]) if spec.get(key) is not None else None)
    start = lambda key: (spec.get(key) or {}).get("start", 0.0)
    axes = [np.eye(3), np.eye(3)]
    z = direction(0, "axis")
    if kind == "ball" and z is not None:
        kind, hint, other = SOCKET, direction(0, "axis2"), direction(1, "axis")
        axes[0] = _along(z, np.zeros(3) if hint is None else hint)
        if own[1].get("axis2") is not None:
            axes[1] = _along(other, direction(1, "axis2"))
        else:  # the smallest rotation that turns z into the axis of the other side
            v = np.cross(z, other)
            V = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
            axes[1] = _turned((np.eye(3) + V + V @ V / (1.0 + z @ other)) @ axes[0], 2, start("twist"))
    elif kind == "universal":
        x = direction(1, "axis2")
        axes[0] = _turned(_along(z, x), 2, -start("turn"))
        A = _along(x, z)
        axes[1] = _turned(np.column_stack([x, -A[:, 1], A[:, 0]]), 0, start("turn2"))
    elif z is not None:
        hint = direction(0, "axis2")
        other = direction(1, "axis")
        axes[0] = _along(z, np.zeros(3) if hint is None else hint)
        axes[1] = _turned(_along(z if other is None else other, axes[0][:, 0]), 2, start("turn"))
    apart = np.zeros(3)
    if kind in ("prismatic", "cylindrical"):
        apart = start("slide") * axes[0][:, 2]
    if kind == "planar":
        apart = start("slide") * axes[0][:, 0] + start("slide2") * axes[0][:, 1]
    both = np.array(spec["at"], dtype=float) if spec.get("at") is not None else None
    if kind in ("distance", "line"):
        if at[0] is None:
            at[0] = both
        if at[1] is None:
            at[1] = np.array(spec["to"], dtype=float)
    else:
        if at[0] is None:
            if at[1] is None:
                at[1] = both
            at[0] = (both if both is not None else at[1]) - apart
        elif at[1] is None:
            at[1] = (both if both is not None else at[0]) + apart
    for k, side in enumerate(sides):
        R, x0 = user[k]
        if side.group < 0:
            side.x, side.axes = at[k], axes[k]
        elif side.frame:
            side.x, side.axes = R.T @ (at[k] - x0), R.T @ axes[k]
        else:
            side.x, side.axes = np.array(own[k]["at"]), axes[k]  # identifies the point
    length = spec.get("length")
    if length is None:
        length = float(np.linalg.norm(at[1] - at[0]))
    return Joint(spec["name"], kind, sides[0], sides[1], length, spec)


def rows(kind, length, a, b):
    """g of each row of joints of a kind with frames a = (x, R) and b, arrays over joints: list of (whether it is an angle, g)."""
    (xa, A), (xb, B) = a, b
    d = xb - xa
    dot = lambda x, y: np.sum(x * y, -1)
    x_a, y_a, z_a = A[..., 0], A[..., 1], A[..., 2]
    x_b, y_b, z_b = B[..., 0], B[..., 1], B[..., 2]
    points = [(False, d[..., i]) for i in range(3)]
    axis = [(True, -dot(y_a, z_b)), (True, dot(x_a, z_b))]
    axes = axis + [(True, -dot(x_a, y_b))]
    across = [(False, dot(x_a, d)), (False, dot(y_a, d))]
    return {"fixed": points + axes, "ball": points, SOCKET: points, "revolute": points + axis,
            "universal": points + [(True, dot(z_a, x_b))], "prismatic": across + axes,
            "cylindrical": across + axis, "planar": [(False, dot(z_a, d))] + axis,
            "along": [(False, dot(z_a, d))], "distance": [(False, np.linalg.norm(d, axis=-1) - length)],
            "line": []}[kind]


def _angle(a, c, d, sign, axis):
    p, q = a @ c + 0.0, a @ d
    square = p * p + q * q
    row = (sign / square) * np.cross(a, q * c - p * d) if square > 0.0 else axis
    return True, row, np.arctan2(p, q)


def _of_socket(name, A, B):
    """docs/theory/joints.md, ball joints with axes."""
    z, c, across = B[:, 2], A[:, 2] @ B[:, 2], np.cross(A[:, 2], B[:, 2])
    if name == "twist":
        value = np.arctan2(B[:, 0] @ A[:, 1] - B[:, 1] @ A[:, 0] + 0.0, B[:, 0] @ A[:, 0] + B[:, 1] @ A[:, 1])
        return True, (A[:, 2] + z) / (1.0 + c) if 1.0 + c > 0.0 else A[:, 2], value
    sine = np.linalg.norm(across)
    theta = np.arctan2(sine, c)
    if name == "swing":
        return True, across / sine if sine > 0.0 else A[:, 0], theta
    # f = theta/sin theta and its derivative by c; c is less than cos theta where A and B are means of axes
    reach, f, slope = (1.0 - c) * (1.0 + c), 1.0, -1.0 / 3.0
    if reach > 0.0:
        f = np.arccos(c) / np.sqrt(reach)
        slope = (c * f - 1.0) / reach
    m = np.cross(A[:, 0 if name == "swing_x" else 1], A[:, 2])
    return True, slope * (z @ m) * -across + f * np.cross(z, m), f * (z @ m)


def coordinate(joint, i, a, b):
    """(whether it is an angle, direction of the row, value) of coordinate i."""
    (xa, A), (xb, B) = a, b
    name, _ = COORDINATES[joint.kind][i]
    if joint.kind == "line":
        d = xb - xa
        length = np.linalg.norm(d)
        return False, d / length if length > 0.0 else A[:, 2], length
    if joint.kind == SOCKET:
        return _of_socket(name, A, B)
    if name == "turn":
        return _angle(B[:, 0], A[:, 1], A[:, 0], 1.0, A[:, 2])
    if name == "turn2":
        return _angle(A[:, 2], B[:, 1], B[:, 2], -1.0, B[:, 0])
    axis = 2 if joint.kind in ("prismatic", "cylindrical") else {"slide": 0, "slide2": 1}[name]
    return False, A[:, axis], A[:, axis] @ (xb - xa)


class CoordinateLaw:
    def __init__(self, joint, coordinate, what, sign, offset, spec):
        self.joint, self.coordinate, self.what, self.sign, self.offset, self.spec = (
            joint, coordinate, what, sign, offset, spec)


def laws_of(joints, start_frames):
    """Limits, springs, friction and actuators, in the order of their keys, which follow those of the pairs."""
    laws = []
    for n, joint in enumerate(joints):
        for key in LAWS:
            spec = joint.spec.get(key)
            if not spec:
                continue
            names = [c[0] for c in COORDINATES[joint.kind]]
            if key not in names:
                raise Unknown(f"coordinate {key} of a joint of kind {joint.kind}")
            i = names.index(key)
            limits = spec.get("limits")
            if limits:
                if limits.get("lower") is not None:
                    laws.append(CoordinateLaw(n, i, "limit", 1.0, limits["lower"], limits))
                if limits.get("upper") is not None:
                    laws.append(CoordinateLaw(n, i, "limit", -1.0, limits["upper"], limits))
            spring, damping = spec.get("spring"), spec.get("damping", 0.0)
            if spring and isinstance(spring.get("rest"), dict):  # a function of time: it acts as a servo
                laws.append(CoordinateLaw(n, i, "actuator", 1.0, 0.0, spring))
                spring = None
            if spring or damping > 0.0:
                rest = 0.0
                if joint.kind == "line":
                    rest = coordinate(joint, 0, *start_frames(n))[2]
                stiffness = 0.0
                if spring:
                    stiffness = spring["stiffness"]
                    if spring.get("rest") is not None:
                        rest = spring["rest"]
                laws.append(CoordinateLaw(n, i, "spring", 1.0, rest, {"stiffness": stiffness, "damping": damping}))
            if spec.get("friction", 0.0) > 0.0:
                laws.append(CoordinateLaw(n, i, "relay", 1.0, 0.0, {"bound": spec["friction"], "velocity": 0.0}))
            for name in ("motor", "servo"):
                if spec.get(name):
                    laws.append(CoordinateLaw(n, i, "actuator", 1.0, 0.0, spec[name]))
            if spec.get("force" if key.startswith("slide") else "torque") is not None:
                laws.append(CoordinateLaw(n, i, "actuator", 1.0, 0.0, {}))
        laws += _laws_of_swing(n, joint.spec.get("swing") or {})
    return laws


def _laws_of_swing(n, spec):
    twist, x, y, angle = range(4)
    laws = [CoordinateLaw(n, angle, "limit", -1.0, spec["cone"], spec)] if spec.get("cone") is not None else []
    spring, damping = spec.get("spring") or {}, spec.get("damping", 0.0)
    if spring or damping > 0.0:
        both = {"stiffness": spring.get("stiffness", 0.0), "damping": damping}
        laws += [CoordinateLaw(n, i, "spring", 1.0, 0.0, both) for i in (x, y)]
    return laws


def counts_turns(joint, i):
    """Whether coordinate i is an angle over any number of turns."""
    name, angle = COORDINATES[joint.kind][i]
    return angle and not name.startswith("swing")
