"""The theta scheme, docs/theory/moreau-jean.md:  M (v1 - v0) = h F_theta + r,   q1 = q0 + h v_theta."""
import numpy as np

from .solids import Unknown

MOST = 300  # coordinates of a group whose dashpots count


def fastest_dashpot(group, rayleigh, h):
    """Largest c/m [1/s] of motions that the step resolves, h omega < 2, or that are overdamped, c/m > 2 omega, unless C is
    proportional to K; without stiffness-proportional Rayleigh damping."""
    by_mass, by_stiffness = rayleigh.get("mass", 0.0), rayleigh.get("stiffness", 0.0)
    M, K, C = (np.diag(np.broadcast_to(A, group.n)) if A.ndim <= 1 else A for A in (group.M, group.K, group.C))
    C = C - by_mass * M - by_stiffness * K
    if group.n > MOST or not C.any():
        return by_mass
    m, V = np.linalg.eigh(M)
    root = V / np.sqrt(m)
    A = np.stack([M.ravel(), K.ravel()], 1)
    (_, b), *_ = np.linalg.lstsq(A, C.ravel(), rcond=1e-12) if K.any() else ((0.0, 0.0),)
    fit = A @ np.linalg.lstsq(A, C.ravel(), rcond=1e-12)[0]
    by_stiffness = b != 0.0 and np.linalg.norm(fit - C.ravel()) <= 1e-6 * np.linalg.norm(C) and group.n > 1
    S = K if by_stiffness else C
    X = root @ np.linalg.eigh(0.5 * root.T @ (S + S.T) @ root)[1]
    rates, squares = (np.einsum("ij,ik,kj->j", X, B, X) for B in (C, K))
    return max([by_mass, *rates[(h * h * squares < 4.0) | ((not by_stiffness) & (rates ** 2 > 4.0 * squares))]])


def step_of(spec, entry=None):
    theta, ends = spec["theta"], spec["quadrature"] == "ends"
    decaying = spec.get("dashpots") == "decaying"

    class Step:
        theta = gain = spec["theta"]

        def __init__(self, group, t0, h, q0, v0, q1, v1):
            self.group, self.t0, self.h = group, t0, h
            self.q0, self.v0, self.q1, self.v1 = q0, v0, q1, v1
            self.v_theta = theta * v1 + (1.0 - theta) * v0
            self.v_force = self.v_theta  # w v1 + (1 - w) v0
            self.w = theta
            if decaying:
                self.w = max(theta, self._weight())
                if self.w > theta:
                    self.v_force = self.w * v1 + (1.0 - self.w) * v0

        def _weight(self):
            g = self.group
            if not hasattr(g, "dashpot"):
                if not hasattr(g, "C"):
                    return theta  # its kind has no dashpots that count
                g.dashpot = fastest_dashpot(g, (entry or {}).get("rayleigh") or {}, self.h)
            z = self.h * g.dashpot
            return 1.0 - 1.0 / z if z > 2.0 else 0.5

        def _mean(self, function):
            t0, h = self.t0, self.h
            if ends:
                return (1.0 - theta) * function(t0, self.q0, self.v0) + theta * function(t0 + h, self.q1, self.v1)
            return function(t0 + theta * h, self.q0 + h * theta * self.v_theta, self.v_force)

        def momentum(self, r):
            g, h = self.group, self.h
            rest = g.product(g.M, self.v1 - self.v0) - h * self._mean(g.force) - r
            inertia = g.product(np.abs(g.M), np.maximum(np.abs(self.v0), np.abs(self.v1)))
            return rest, inertia, h * self._mean(g.force_size)

        def kinematics(self):
            rest = self.q1 - self.q0 - self.h * self.v_theta
            return rest, np.abs(self.q0) + np.abs(self.q1) + self.h * (np.abs(self.v0) + np.abs(self.v1))

        def check_more(self, report, frame, g):
            pass

        def operator(self):
            """A^-1, A = M + h w C + h^2 theta^2 K."""
            g, h = self.group, self.h
            if g.inverse is None:
                A = g.M + h * self.w * g.C + (h * theta) ** 2 * g.K
                g.inverse = 1.0 / A if np.ndim(A) <= 1 else np.linalg.inv(A)
            return g.inverse

        @staticmethod
        def place(group, t0, h, q0, v0, fraction):
            """The motion without contact; one linear solution for linear bodies."""
            if fraction == 0.0:
                return q0
            if not group.affine:
                raise Unknown("the prediction of bodies that are not affine")
            step = Step(group, t0, h, q0, v0, q0 + h * v0, v0)
            rest = step.momentum(np.zeros(group.n))[0]
            v1 = v0 - group.product(step.operator(), rest)
            # gaps at mid-step are the means of both ends
            q1 = q0 + h * (theta * v1 + (1.0 - theta) * v0)
            return q1 if fraction == 1.0 else 0.5 * (q0 + q1)

    return Step
