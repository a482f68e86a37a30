"""Explicit Runge-Kutta methods, docs/theory/runge-kutta.md (1) to (3):

    V_i = v0 + h sum a_ij a_j,   Q_i = q0 (+) h sum a_ij V_j,   a_i = a(t0 + c_i h, Q_i, V_i)
    v1 = v_free + M^-1 r,        q1 = q_free (+) (h/2) (v1 - v_free)

Turns run in increments w of Q0 exp(w), w' = dexp^-1(w) W (docs/theory/rotations.md (6)).
"""
import numpy as np

from . import explicit, rotation

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
    """Increments of positions are numbers."""

    def moved(self, group, q, d):
        return q + d

    def slope(self, group, d, v):
        return v


class _Rigid:
    """Increments (x, w), six per body."""

    def moved(self, group, q, d):
        return explicit.moved(group, q, d)

    def slope(self, group, d, v):
        u, W = group.split_v(v)
        return np.concatenate([u, inverse_dexp(group.split_v(d)[1], W)], 1).ravel()


def step_of(spec):
    """The class of a step; None: this table or option is not implemented here."""
    table = TABLES.get(spec.get("table", "rk4"))
    if table is None or spec.get("tolerance") or spec.get("compat", "none") != "none":
        return None
    A, b = table

    class Step(explicit.Step):
        method = "runge-kutta"

        def flight(self):
            way = _Rigid() if self.group.frames else _Flat()
            slopes, pace = [], []
            for i, row in enumerate(A):
                d = self.h * sum((a * k for a, k in zip(row, slopes)), np.zeros_like(self.v0))
                V = self.v0 + self.h * sum((a * k for a, k in zip(row, pace)), np.zeros_like(self.v0))
                pace.append(self.group.acceleration(self.t0 + sum(row) * self.h, way.moved(self.group, self.q0, d), V))
                slopes.append(way.slope(self.group, d, V))
            v_free = self.v0 + self.h * sum(w * k for w, k in zip(b, pace))
            q_free = way.moved(self.group, self.q0, self.h * sum(w * k for w, k in zip(b, slopes)))
            return q_free, v_free, self.h * np.max(np.abs(pace), 0)

    return Step
