"""generalized-alpha and generalized-alpha-decoupled on bodies under a constant force, where the stored acceleration of both
is M^-1 F at all times (docs/theory/generalized-alpha.md, generalized-alpha-decoupled.md):

    v1 = v0 + M^-1 (h F + r)
    q1 = q0 + h v0 + (h^2/2) M^-1 F + (h/2) M^-1 r                                 generalized-alpha (3)
    q1 = q0 + h v0 + (h^2/2) M^-1 F + h M^-1 G^T nu,  nu >= 0, of contacts with g(q1) = 0      decoupled (1)
"""
import numpy as np

from . import bounds
from .flat import FlatStep
from .solids import Unknown


def steady(group, entry):
    """Whether the force on a body is constant in time and space."""
    return not (np.any(group.K) or np.any(group.C) or entry.get("loads") or entry.get("prescribed"))


def step_of(decoupled):
    class Step(FlatStep):
        gain = 0.5

        def __init__(self, group, t0, h, q0, v0, q1, v1):
            super().__init__(group, t0, h, q0, v0, q1, v1)
            self.F = group.force(t0, q0, v0)
            self.a = group.solve(self.F)

        def momentum(self, r):
            g = self.group
            rest = g.product(g.M, self.v1 - self.v0) - self.h * self.F - r
            return rest, g.product(np.abs(g.M), np.maximum(np.abs(self.v0), np.abs(self.v1))), self.h * np.abs(self.F)

        def kinematics(self):
            h = self.h
            jump = 0.0 if decoupled else 0.5 * h * (self.v1 - self.v0 - h * self.a)
            rest = self.q1 - self.q0 - h * self.v0 - 0.5 * h * h * self.a - jump
            way = h * (np.abs(self.v0) + np.abs(self.v1)) + h * h * np.abs(self.a)
            return rest, np.abs(self.q0) + np.abs(self.q1) + way

        def without_lift(self, rest, frame, g, report):
            """Removes from U = q1 - q~ the part that normals of closed contacts can cause."""
            found = frame.found
            if not decoupled or not np.any(rest) or len(found) == 0:
                return rest
            rows = []
            for s, sign in ((0, 1.0), (1, -1.0)):
                for c in np.flatnonzero((found.group[:, s] == g) & (found.gap <= bounds.GAP * max(1.0, np.abs(self.q1).max()))):
                    rows.append(sign * found.n[c] @ self.group.place_of(found.feature[c, s], found.local[c, s])[1])
            if not rows:
                return rest
            U = self.h * self.group.solve(np.array(rows).T)
            nu = np.linalg.lstsq(U, rest, rcond=None)[0]
            if len(rows) == 1:
                report.add("lifts of positions that pull", min(nu[0], 0.0), 1e-12 * max(abs(nu[0]), 1e-300) +
                           bounds.MOTION * np.abs(self.q1).max() / np.abs(U).max(), "N s", frame.at)
            return rest - U @ nu

        @staticmethod
        def place(group, t0, h, q0, v0, fraction):
            if fraction == 0.0:
                return q0
            raise Unknown("the prediction of generalized-alpha")

    return Step
