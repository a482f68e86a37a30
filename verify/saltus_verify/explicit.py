"""Schemes that compute the motion without contact first and then apply one impulse for the step:

    v1 = v_free + M^-1 r,      q1 = q_free (+) (h/2) (v1 - v_free)
"""
import numpy as np

from . import rotation
from .flat import FlatStep
from .solids import Unknown


def moved(group, q, d):
    """q (+) d of bodies with frames."""
    x, Q = group.split_q(q)
    dx, w = group.split_v(d)
    return np.concatenate([x + dx, rotation.multiply(Q, rotation.exponential(w))], 1).ravel()


class Step(FlatStep):
    method = ""
    gain = 0.5

    def flight(self):
        """q_free, v_free, and the magnitude of the velocity change by forces."""
        raise NotImplementedError

    def __init__(self, group, t0, h, q0, v0, q1, v1):
        super().__init__(group, t0, h, q0, v0, q1, v1)
        if group.frames:
            (self.x0, _), (self.x1, self.Q1) = group.split_q(q0), group.split_q(q1)
            (self.u0, self.W0), (self.u1, self.W1) = group.split_v(v0), group.split_v(v1)
        self.q_free, self.v_free, self.pace = self.flight()

    def axes(self):
        raise Unknown(f"contacts of rigid bodies under {self.method}")

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
        g, d = self.group, 0.5 * self.h * (self.v1 - self.v_free)
        expected = moved(g, self.q_free, d) if g.frames else self.q_free + d
        rest = self.q1 - g.near(expected, self.q1)
        if g.frames:
            return g.split_q(rest)
        return rest, np.abs(self.q0) + np.abs(self.q1) + self.h * (np.abs(self.v0) + np.abs(self.v1))

    @classmethod
    def place(cls, group, t0, h, q0, v0, fraction):
        if fraction == 0.0:
            return q0
        if fraction == 1.0 and not group.frames:
            return cls(group, t0, h, q0, v0, q0, v0).q_free
        raise Unknown(f"the prediction of {cls.method} in the middle of a step")
