"""Chains of pendulums, docs/theory/mechanisms.md:

    M_ij = mu_max(i,j) l_i l_j cos(q_i - q_j),   c_i = sum_j mu_max(i,j) l_i l_j sin(q_i - q_j) v_j^2
    V = sum mu_i g l_i (1 - cos q_i),            M(q) v' = -dV/dq - c + r
"""
import numpy as np

from .flat import FlatGroup
from .solids import Unknown


class PendulumGroup(FlatGroup):
    affine = False
    moving_mass = True

    def __init__(self, entry):
        spec = entry.get("n_pendulum")
        if not spec or entry.get("loads") or entry.get("prescribed") or entry.get("rayleigh"):
            raise Unknown("bodies of kind lagrangian other than chains of pendulums without loads and damping")
        if any(np.any(spec.get(key)) for key in ("damping", "dashpot", "stiffness")):
            raise Unknown("chains of pendulums with damping")
        m, l = np.array(spec["mass"], dtype=float), np.array(spec["length"], dtype=float)
        mu = np.cumsum(m[::-1])[::-1]
        i = np.arange(len(m))
        self.B = mu[np.maximum(i[:, None], i)] * np.outer(l, l)
        self.weight = mu * spec["gravity"] * l
        q, v = np.zeros(len(m)), np.zeros(len(m))
        start = entry.get("initial") or {}
        if start.get("file"):
            raise Unknown("initial state from a file")
        for key, x in (("coordinates", q), ("velocities", v)):
            if start.get(key) is not None:
                x[:len(start[key])] = start[key]
        super().__init__(np.diag(self.B), np.zeros(len(m)), np.zeros(len(m)), (q, v), self.no_rows)

    def no_rows(self, feature, local):
        raise Unknown("contacts of pendulums, whose rows follow the passes")

    def mass(self, q):
        return self.B * np.cos(q[:, None] - q)

    def force(self, t, q, v):
        return -self.weight * np.sin(q) - (self.B * np.sin(q[:, None] - q)) @ (v * v)

    def force_size(self, t, q, v):
        return np.abs(self.weight * np.sin(q)) + np.abs(self.B) @ (v * v)

    def energy(self, q, v):
        return 0.5 * v @ self.mass(q) @ v, self.weight @ (1.0 - np.cos(q))

    def acceleration(self, t, q, v):
        return np.linalg.solve(self.mass(q), self.force(t, q, v))


def with_mass(step):
    """moreau-jean with M at q_theta, as with `mass_at: theta`."""
    class Step(step):
        def momentum(self, r):
            g, h = self.group, self.h
            M = g.mass(self.q0 + h * self.theta * self.v_theta)
            rest = M @ (self.v1 - self.v0) - h * self._mean(g.force) - r
            inertia = np.abs(M) @ np.maximum(np.abs(self.v0), np.abs(self.v1))
            return rest, inertia, h * self._mean(g.force_size)

    return Step
