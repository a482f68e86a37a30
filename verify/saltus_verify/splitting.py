"""Compositions of the motion without forces and of kicks, docs/theory/splitting.md (1):

    drift a_1 h, kick b_1 h, drift a_2 h, ..., kick b_s h, drift a_(s+1) h

A rigid body without forces is integrated here by the power series of its equations, W' = J^-1 (J W x W), Q' = Q W/2.
"""
import numpy as np

from . import explicit, rotation

_SERIES = 24


def _symmetric(order, a, b):
    a = a + [1.0 - 2.0 * sum(a)] if order > 2 else a
    b = b + [0.5 - sum(b)] if order > 2 else b
    return a + a[-2::-1] if order > 2 else a + a, b + b[::-1] if order > 2 else b


TABLES = {
    "strang": _symmetric(2, [0.5], [1.0]),
    "blanes-moan-4": _symmetric(4, [0.0792036964311957, 0.353172906049774, -0.0420650803577195],
                                [0.209515106613362, -0.143851773179818]),
    "blanes-moan-6": _symmetric(6, [0.0378593198406116, 0.102635633102435, -0.0258678882665587, 0.314241403071447,
                                    -0.130144459517415, 0.106417700369543, -0.00879424312851058],
                                [0.09171915262446165, 0.183983170005006, -0.05653436583288827, 0.004914688774712854,
                                 0.143761127168358, 0.328567693746804]),
}


def _cross(a, b):
    return np.stack([a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1], a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
                     a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]], -1)


def _turned(q, w):
    """q (0, w)"""
    s, v = q[..., :1], q[..., 1:]
    return np.concatenate([-np.sum(v * w, -1, keepdims=True), s * w + _cross(v, w)], -1)


def _free_turn(group, Q, W, s):
    """Q, W after s without moments; locked axes are constant. The last terms of the series limit the length of each piece."""
    J, inverse = group.J, group.inverse_J
    # coefficients of the powers of s, in ascending order
    w, Jw, q = (np.zeros((_SERIES + 1,) + x.shape) for x in (W, W, Q))
    powers = np.arange(_SERIES + 1.0)[:, None, None]
    while s != 0.0:
        w[0], Jw[0], q[0] = W, rotation.apply(J, W), Q
        for k in range(_SERIES):
            back = w[k::-1]  # a product of series: sum over i of a_i w_(k-i)
            w[k + 1] = rotation.apply(inverse, np.sum(_cross(Jw[:k + 1], back), 0)) / (k + 1)
            Jw[k + 1] = rotation.apply(J, w[k + 1])
            q[k + 1] = 0.5 * np.sum(_turned(q[:k + 1], back), 0) / (k + 1)
        reach = abs(s)
        for series, size in ((w, max(np.max(np.abs(W)), 1e-300)), (q, 1.0)):
            for k in (_SERIES - 1, _SERIES):
                last = np.max(np.abs(series[k])) / size
                if last > 0.0:
                    reach = min(reach, (1e-17 / last) ** (1.0 / k))
        piece = np.copysign(reach, s)
        W, Q = (np.sum((c * piece ** powers)[::-1], 0) for c in (w, q))  # the smallest first
        Q = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
        s -= piece
    return Q, W


def _coast(group, q, v, s):
    if not group.frames:
        return q + s * v, v
    x, Q = group.split_q(q)
    u, W = group.split_v(v)
    Q, W = _free_turn(group, Q, W, s)
    return np.concatenate([x + s * u, Q], 1).ravel(), np.concatenate([u, W], 1).ravel()


def _kick(group, t, q, v):
    """The acceleration by forces that depend only on position and time."""
    if not group.frames:
        return group.acceleration(t, q, v)
    u, W = group.split_v(v)
    f, T = group.load(t, group.split_q(q)[1], u, W)
    return np.concatenate([group.inverse_mass * f, rotation.apply(group.inverse_J, T)], 1).ravel()


def step_of(spec):
    a, b = TABLES[spec.get("table", "strang")]

    class Step(explicit.Step):
        method = "splitting"

        def flight(self):
            q, v, t, pace = self.q0, self.v0, self.t0, np.zeros_like(self.v0)
            for drift, kick in zip(a, b + [0.0]):
                q, v = _coast(self.group, q, v, drift * self.h)
                t += drift * self.h
                if kick:
                    dv = kick * self.h * _kick(self.group, t, q, v)
                    v, pace = v + dv, pace + np.abs(dv)
            return q, v, pace

    return Step
