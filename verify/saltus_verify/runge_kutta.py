"""Explicit Runge-Kutta methods, docs/theory/runge-kutta.md (1) to (3):

    V_i = v0 + h sum a_ij a_j,   Q_i = q0 (+) h sum a_ij V_j,   a_i = a(t0 + c_i h, Q_i, V_i)
    v1 = v_free + M^-1 r,        q1 = q_free (+) (h/2) (v1 - v_free)

Turns run in increments w of Q0 exp(w), w' = dexp^-1(w) W (docs/theory/rotations.md (6)).
"""
import numpy as np

from . import rotation
from .flat import FlatStep
from .solids import Unknown

TABLES = {
    "midpoint": ([[], [1 / 2]], [0, 1]),
    "heun": ([[], [1]], [1 / 2, 1 / 2]),
    "rk4": ([[], [1 / 2], [0, 1 / 2], [0, 0, 1]], [1 / 6, 1 / 3, 1 / 3, 1 / 6]),
}


def inverse_dexp(w, W):
    a = np.sqrt(np.sum(w * w, -1, keepdims=True))
    small = a < 1e-2
    b = np.where(small, 1.0, a)
    c = np.where(small, 1 / 12 + a * a / 720 + a ** 4 / 30240, (1.0 - 0.5 * b / np.tan(0.5 * b)) / (b * b))
    once = np.cross(w, W)
    return W + 0.5 * once + c * np.cross(w, once)


class _Flat:
    """Increments of places are numbers."""

    def moved(self, group, q, d):
        return q + d

    def slope(self, group, d, v):
        return v


class _Rigid:
    """Increments (x, w), six a body."""

    def moved(self, group, q, d):
        x, Q = group.split_q(q)
        dx, w = group.split_v(d)
        return np.concatenate([x + dx, rotation.multiply(Q, rotation.exponential(w))], 1).ravel()

    def slope(self, group, d, v):
        u, W = group.split_v(v)
        return np.concatenate([u, inverse_dexp(group.split_v(d)[1], W)], 1).ravel()


def step_of(spec):
    """The class of a step; None: of this table or option nothing is known here."""
    table = TABLES.get(spec.get("table", "rk4"))
    if table is None or spec.get("tolerance") or spec.get("compat", "none") != "none":
        return None
    A, b = table

    class Step(FlatStep):
        def __init__(self, group, t0, h, q0, v0, q1, v1):
            super().__init__(group, t0, h, q0, v0, q1, v1)
            if group.frames:
                (self.x0, _), (self.x1, self.Q1) = group.split_q(q0), group.split_q(q1)
                (self.u0, self.W0), (self.u1, self.W1) = group.split_v(v0), group.split_v(v1)
            self.way = _Rigid() if group.frames else _Flat()
            slopes, pace = [], []
            for i, row in enumerate(A):
                d = h * sum((a * k for a, k in zip(row, slopes)), np.zeros_like(v0))
                V = v0 + h * sum((a * k for a, k in zip(row, pace)), np.zeros_like(v0))
                pace.append(group.acceleration(t0 + sum(row) * h, self.way.moved(group, q0, d), V))
                slopes.append(self.way.slope(group, d, V))
            self.v_free = v0 + h * sum(w * k for w, k in zip(b, pace))
            self.q_free = self.way.moved(group, q0, h * sum(w * k for w, k in zip(b, slopes)))
            self.pace = h * np.max(np.abs(pace), 0)

        def axes(self):
            raise Unknown("contacts of rigid bodies under runge-kutta")

        def momentum(self, r):
            g, dv = self.group, self.v1 - self.v_free
            if not g.frames:
                return (g.product(g.M, dv) - r, g.product(np.abs(g.M), np.maximum(np.abs(self.v0), np.abs(self.v1))),
                        g.product(np.abs(g.M), self.pace))
            (du, dW), (pu, pW) = g.split_v(dv), g.split_v(self.pace)
            J = lambda W: rotation.apply(g.J, W)
            linear = np.where(g.locked[:, :3], 0.0, g.m[:, None] * du - r[:, :3])
            angular = np.where(g.locked[:, 3:], 0.0, J(dW) - r[:, 3:])
            size = lambda x: np.sqrt(np.sum(x * x, -1))
            inertia = np.stack([g.m * np.maximum(size(self.u0), size(self.u1)),
                                np.maximum(size(J(self.W0)), size(J(self.W1)))], 1)
            return linear, angular, inertia, np.stack([g.m * size(pu), size(J(pW))], 1)

        def kinematics(self):
            g = self.group
            expected = self.way.moved(g, self.q_free, 0.5 * self.h * (self.v1 - self.v_free))
            rest = self.q1 - g.near(expected, self.q1)
            if g.frames:
                return g.split_q(rest)
            return rest, np.abs(self.q0) + np.abs(self.q1) + self.h * (np.abs(self.v0) + np.abs(self.v1))

        @staticmethod
        def place(group, t0, h, q0, v0, fraction):
            if fraction == 0.0:
                return q0
            if fraction == 1.0 and not group.frames:
                return Step(group, t0, h, q0, v0, q0, v0).q_free
            raise Unknown("the prediction of runge-kutta in the middle of a step")

    return Step
