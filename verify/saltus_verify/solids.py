"""Volume, centre and inertia of shapes of a resolved scene, in the frame of the shape."""
import numpy as np

from . import rotation


class Unknown(Exception):
    """A part of the scene that this program does not support; the text names it."""


def _tetrahedra(a, b, c):
    """Moments of the tetrahedra that triangles (a, b, c) span with the origin."""
    six = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = six.sum() / 6.0
    centre = (six[:, None] * (a + b + c)).sum(0) / 24.0 / volume
    s = a + b + c
    second = np.einsum("i,ij,ik->jk", six, s, s)
    for x in (a, b, c):
        second += np.einsum("i,ij,ik->jk", six, x, x)
    second /= 120.0  # integral of x x^T
    return volume, centre, second


def _hull(points):
    from scipy.spatial import ConvexHull
    hull = ConvexHull(points)
    inside = points.mean(0)
    tri = points[hull.simplices] - inside
    a, b, c = tri[:, 0], tri[:, 1], tri[:, 2]
    outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a) < 0.0
    b, c = np.where(outward[:, None], c, b), np.where(outward[:, None], b, c)
    volume, centre, second = _tetrahedra(a, b, c)
    second -= volume * np.outer(centre, centre)
    return volume, centre + inside, np.trace(second) * np.eye(3) - second


def moments(shape):
    """volume, centre, inertia about the centre for density 1, in the frame in which the shape is placed on its body."""
    centre = np.zeros(3)
    if "sphere" in shape:
        r = shape["sphere"]["radius"]
        volume = 4.0 / 3.0 * np.pi * r ** 3
        J = 0.4 * volume * r * r * np.eye(3)
    elif "box" in shape:
        x, y, z = shape["box"]["size"]
        volume = x * y * z
        J = volume / 12.0 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
    elif "cylinder" in shape:
        r, l = shape["cylinder"]["radius"], shape["cylinder"]["length"]
        volume = np.pi * r * r * l
        across = volume * (r * r / 4.0 + l * l / 12.0)
        J = np.diag([across, across, volume * r * r / 2.0])
    elif "capsule" in shape:
        r, l = shape["capsule"]["radius"], shape["capsule"]["length"]
        tube, ball = np.pi * r * r * l, 4.0 / 3.0 * np.pi * r ** 3
        volume = tube + ball
        along = tube * r * r / 2.0 + ball * 0.4 * r * r
        # each half of the ball: 2/5 m r^2 about its flat side, which is 3/8 r from its centre of mass
        across = tube * (r * r / 4.0 + l * l / 12.0) + ball * (0.4 * r * r + l * l / 4.0 + 3.0 / 8.0 * r * l)
        J = np.diag([across, across, along])
    elif "ellipsoid" in shape:
        a, b, c = shape["ellipsoid"]["radii"]
        volume = 4.0 / 3.0 * np.pi * a * b * c
        J = volume / 5.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    elif "hull" in shape and shape["hull"].get("points"):
        points = shape["hull"].get("scale", 1.0) * np.array(shape["hull"]["points"], dtype=float)
        volume, centre, J = _hull(points)
    else:
        raise Unknown("shape " + ", ".join(k for k in shape if k not in ("position", "rotation", "material")))
    R = rotation.matrix(rotation.of_spec(shape.get("rotation")))
    at = np.array(shape.get("position", [0, 0, 0]), dtype=float)
    return volume, at + R @ centre, R @ J @ R.T


def joined(shapes, densities):
    """mass, centre, inertia about the centre of several shapes."""
    parts = [moments(s) for s in shapes]
    mass = sum(d * p[0] for d, p in zip(densities, parts))
    centre = sum(d * p[0] * p[1] for d, p in zip(densities, parts)) / mass
    J = np.zeros((3, 3))
    for d, (volume, x, own) in zip(densities, parts):
        r = x - centre
        J += d * (own + volume * (r @ r * np.eye(3) - np.outer(r, r)))
    return mass, centre, J
