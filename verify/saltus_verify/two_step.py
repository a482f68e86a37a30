"""central-difference and schatzman-paoli (docs/theory/central-difference.md, schatzman-paoli.md). The state contains
w = (q0 - q_-)/h, the velocity half a step earlier:

    (M + (h/2) C) w+ = (M - (h/2) C) w + h F_D(t0, q0) + r,      q1 = q0 (+) h w+                        (1)(2)
    T = |w|_M^2/2,   V = V(q_m) - (h^2/8) |w|_K^2,   q_m = q (+) (-h w/2)                                 (7)

where F_D is the force without damping and K the tangent at q_m. With `implicit: true` V = V(q_m).
"""
import numpy as np

from .explicit import moved
from .flat import FlatStep
from .solids import Unknown

NAMES = ("central-difference", "schatzman-paoli")


def energy(group, scheme, h, q, w):
    """T and V of (7); scheme: its options."""
    q_m = moved(group, q, -0.5 * h * w) if group.frames else q - 0.5 * h * w
    kinetic, potential = group.energy(q_m, w)
    if scheme.get("implicit"):
        return kinetic, potential
    return kinetic, potential - 0.125 * h * h * (w @ stiffness_times(group, q_m, w))


def stiffness_times(group, q, w):
    """-dF/dq w"""
    if group.frames:
        if any(body.loads for body in group.bodies):
            raise Unknown("loads of bodies under a scheme of two steps")
        return np.zeros(w.shape)
    if group.affine:
        return group.product(group.K, w)
    if hasattr(group, "elastic") and not group.rK:
        return group.elastic(q, w)[2]
    raise Unknown("tangents of bodies under a scheme of two steps")


class Step(FlatStep):
    """(1) and (2) of affine bodies without frames."""

    gain = 1.0

    def momentum(self, r):
        g, h = self.group, self.h
        middle = 0.5 * (self.v0 + self.v1)
        rest = g.product(g.M, self.v1 - self.v0) - h * g.force(self.t0, self.q0, middle) - r
        inertia = g.product(np.abs(g.M), np.maximum(np.abs(self.v0), np.abs(self.v1)))
        return rest, inertia, h * g.force_size(self.t0, self.q0, np.maximum(np.abs(self.v0), np.abs(self.v1)))

    def kinematics(self):
        return self.q1 - self.q0 - self.h * self.v1, np.abs(self.q0) + np.abs(self.q1) + self.h * np.abs(self.v1)

    def operator(self):
        """A^-1, A = M + (h/2) C."""
        g = self.group
        if g.inverse is None:
            A = g.M + 0.5 * self.h * g.C
            g.inverse = 1.0 / A if np.ndim(A) <= 1 else np.linalg.inv(A)
        return g.inverse

    @staticmethod
    def place(group, t0, h, q0, v0, fraction):
        if fraction == 0.0:
            return q0
        step = Step(group, t0, h, q0, v0, q0, v0)
        v1 = v0 - group.product(step.operator(), step.momentum(np.zeros(group.n))[0])
        # gaps at mid-step are the means of both ends
        q1 = q0 + h * v1
        return q1 if fraction == 1.0 else 0.5 * (q0 + q1)
