"""Rotations: unit quaternions (w, x, y, z) in the last axis, R takes body axes to space."""
import numpy as np


def multiply(p, q):
    pw, pv, qw, qv = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    w = pw * qw - np.sum(pv * qv, axis=-1, keepdims=True)
    return np.concatenate([w, pw * qv + qw * pv + np.cross(pv, qv)], axis=-1)


def conjugate(q):
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def matrix(q):
    """R of each quaternion, also if its length is not exactly 1: R = (w^2 - v.v) I + 2 v v^T + 2 w v^."""
    w, x, y, z = (q[..., i] for i in range(4))
    n = w * w + x * x + y * y + z * z
    R = np.empty(q.shape[:-1] + (3, 3))
    R[..., 0, 0] = w * w + x * x - y * y - z * z
    R[..., 1, 1] = w * w - x * x + y * y - z * z
    R[..., 2, 2] = w * w - x * x - y * y + z * z
    R[..., 0, 1], R[..., 1, 0] = 2 * (x * y - w * z), 2 * (x * y + w * z)
    R[..., 0, 2], R[..., 2, 0] = 2 * (x * z + w * y), 2 * (x * z - w * y)
    R[..., 1, 2], R[..., 2, 1] = 2 * (y * z - w * x), 2 * (y * z + w * x)
    return R / n[..., None, None]


def exponential(w):
    """Quaternion of the turn by |w| about w."""
    a = np.linalg.norm(w, axis=-1, keepdims=True)
    small = a < 1e-4
    s = np.where(small, 0.5 - a * a / 48.0, np.sin(0.5 * a) / np.where(small, 1.0, a))
    return np.concatenate([np.cos(0.5 * a), s * w], axis=-1)


def cayley(w):
    """(1, w/2)/sqrt(1 + |w|^2/4): the turn of the midpoint rule."""
    s = np.sqrt(1.0 + 0.25 * np.sum(w * w, axis=-1, keepdims=True))
    return np.concatenate([np.ones_like(s), 0.5 * w], axis=-1) / s


def mean_turn(w):
    """Half of cayley(w): (s + 1, w/2)/sqrt(2 s (s + 1))."""
    s = np.sqrt(1.0 + 0.25 * np.sum(w * w, axis=-1, keepdims=True))
    return np.concatenate([s + 1.0, 0.5 * w], axis=-1) / np.sqrt(2.0 * s * (s + 1.0))


def apply(R, x):
    return np.einsum("...ij,...j->...i", R, x)


def apply_back(R, x):
    return np.einsum("...ji,...j->...i", R, x)


def of_spec(spec):
    """The quaternion of `rotation` of a resolved scene."""
    if spec is None:
        return np.array([1.0, 0.0, 0.0, 0.0])
    if "quaternion" in spec and spec["quaternion"] is not None:
        q = np.array(spec["quaternion"], dtype=float)
        return q / np.linalg.norm(q)
    if "vector" in spec and spec["vector"] is not None:
        return exponential(np.array(spec["vector"], dtype=float))
    axis = np.array(spec["axis"], dtype=float)
    return exponential(spec["angle"] * axis / np.linalg.norm(axis))
