"""Pseudo-rigid bodies (docs/theory/pseudo_rigid.md): x_X = x + F (X - X0), q = (F row by row, x),

    F'' E0 = -V P(F) - V P_v(F, F'),   m x'' = m g + sum f,   E0 = int rho (X - X0)(X - X0)^T dV
"""
import numpy as np

from . import rotation, solids
from .flat import DefLimStep, FlatGroup
from .solids import Unknown

SMALL = 1e-30  # of the complex step: derivatives without differences


class PseudoRigidGroup(FlatGroup):
    affine = False

    def __init__(self, entry, gravity):
        spec = entry["pseudo_rigid"]
        shape, material = spec.get("shape"), spec["material"]
        if not shape or spec.get("shapes") or spec.get("copies") or entry.get("loads") or any(shape.get("position") or [0]):
            raise Unknown("pseudo-rigid bodies of several shapes, in copies, or with loads")
        self.law = material["law"]
        if self.law not in ("linear", "st_venant_kirchhoff", "neo_hooke"):
            raise Unknown("material " + self.law)
        self.eta, self.rate = spec.get("eta") or 0.0, spec.get("viscosity") == "strain_rate"
        if self.eta and not self.rate:
            raise Unknown("viscosity by the current tangent")
        E, nu = material["young"], material["poisson"]
        self.mu, self.lame = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))
        self.volume, centre, J = solids.moments(shape)
        mass = material["density"] * self.volume
        E0 = material["density"] * (0.5 * np.trace(J) * np.eye(3) - J)
        M = np.zeros((12, 12))
        M[:9, :9] = np.kron(np.eye(3), E0)
        M[9:, 9:] = mass * np.eye(3)
        R = rotation.matrix(rotation.of_spec(spec.get("rotation")))
        F = R @ np.diag(np.array(spec.get("stretch") or [1, 1, 1], dtype=float))
        w = np.array(spec["spin"], dtype=float)
        q = np.concatenate([F.ravel(), np.array(spec["position"], dtype=float)])
        v = np.concatenate([np.cross(w, F.T).T.ravel(), np.array(spec["velocity"], dtype=float)])
        own = spec.get("gravity")
        self.weight = np.concatenate([np.zeros(9), mass * np.array(own if own is not None else gravity, dtype=float)])
        super().__init__(M, np.zeros(12), np.zeros(12), (q, v), self.row)

    @staticmethod
    def row(feature, local):
        J = np.zeros((3, 12))
        for i in range(3):
            J[i, 3 * i:3 * i + 3] = local
        J[:, 9:] = np.eye(3)
        return np.zeros(3), J

    def stress(self, F, dF):
        """P + P_v."""
        I, mu, lame = np.eye(3), self.mu, self.lame
        if self.law == "linear":
            e = 0.5 * (F + F.T) - I
            P = 2 * mu * e + lame * np.trace(e) * I
        elif self.law == "st_venant_kirchhoff":
            E = 0.5 * (F.T @ F - I)
            P = F @ (2 * mu * E + lame * np.trace(E) * I)
        else:
            B = np.linalg.inv(F).T
            P = mu * (F - B) + lame * np.log(np.linalg.det(F)) * B
        if self.eta:
            E = 0.5 * (F.T @ dF + dF.T @ F)
            P = P + F @ (self.eta * (2 * mu * E + lame * np.trace(E) * I))
        return P

    def force(self, t, q, v):
        P = self.stress(q[:9].reshape(3, 3), v[:9].reshape(3, 3))
        return self.weight - np.concatenate([self.volume * P.ravel(), np.zeros(3)])

    def slope(self, t, q, v, dq, dv):
        """dF/dq dq + dF/dv dv."""
        return np.imag(self.force(t, q + 1j * SMALL * dq, v + 1j * SMALL * dv)) / SMALL

    def force_size(self, t, q, v):
        F = self.force(t, q, v)
        # effect of the round-off of F, 1e-16, on the stress
        stiff = 1e-3 * (self.lame + 2 * self.mu) * self.volume
        return np.abs(F) + np.concatenate([np.full(9, stiff + np.abs(F[:9]).max()), np.zeros(3)])

    def energy(self, q, v):
        F, mu, lame = q[:9].reshape(3, 3), self.mu, self.lame
        if self.law == "neo_hooke":
            log = np.log(np.linalg.det(F))
            W = 0.5 * mu * (np.sum(F * F) - 3.0) - mu * log + 0.5 * lame * log ** 2
        else:
            E = 0.5 * (F.T @ F - np.eye(3)) if self.law == "st_venant_kirchhoff" else 0.5 * (F + F.T) - np.eye(3)
            W = mu * np.sum(E * E) + 0.5 * lame * np.trace(E) ** 2
        self.energy_blur = 1e-15 * (lame + 2 * mu) * self.volume
        return 0.5 * v @ self.M @ v, self.volume * W - self.weight @ q


class DefLim(DefLimStep):
    """docs/theory/def-lim.md with tangents at (q_h, v0): M dv - h ((h/4) dF/dq + (1/2) dF/dv) dv = h F + r."""

    def __init__(self, group, *states):
        super().__init__(group, *states)
        self.terms = None

    def momentum(self, r):
        g, h = self.group, self.h
        if self.terms is None:
            q_h, dv, t = self.q0 + 0.5 * h * self.v0, self.v1 - self.v0, self.t0 + 0.5 * h
            change = h * g.slope(t, q_h, self.v0, 0.25 * h * dv, 0.5 * dv)
            rest = g.M @ dv - change - h * g.force(t, q_h, self.v0)
            inertia = np.abs(g.M) @ np.maximum(np.abs(self.v0), np.abs(self.v1))
            self.terms = rest, inertia, h * g.force_size(t, q_h, self.v0) + np.abs(change)
        rest, inertia, force = self.terms
        return rest - r, inertia, force
