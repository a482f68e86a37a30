"""The theta scheme, docs/theory/moreau-jean.md:  M (v1 - v0) = h F_theta + r,   q1 = q0 + h v_theta."""
import numpy as np

from .solids import Unknown


def step_of(spec):
    theta, ends = spec["theta"], spec["quadrature"] == "ends"

    class Step:
        theta = gain = spec["theta"]

        def __init__(self, group, t0, h, q0, v0, q1, v1):
            self.group, self.t0, self.h = group, t0, h
            self.q0, self.v0, self.q1, self.v1 = q0, v0, q1, v1
            self.v_theta = theta * v1 + (1.0 - theta) * v0

        def _mean(self, function):
            t0, h = self.t0, self.h
            if ends:
                return (1.0 - theta) * function(t0, self.q0, self.v0) + theta * function(t0 + h, self.q1, self.v1)
            return function(t0 + theta * h, self.q0 + h * theta * self.v_theta, self.v_theta)

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
            """A^-1, A = M + h theta C + h^2 theta^2 K."""
            g, h = self.group, self.h
            if g.inverse is None:
                A = g.M + h * theta * g.C + (h * theta) ** 2 * g.K
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
