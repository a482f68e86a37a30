"""rig-pos, rig-neg and rig-imp (docs/theory/rig-pos.md, rig-neg.md, rig-imp.md):

    R_h = R0 exp[(h/2) W0],  x_h = x0 + (h/2) v0,  p = exp[-(h/2) W0] J W0,  W_h = J^-1 (p + (h/2) T)
    Wp  = W0 + J^-1 (h T - h W_h x J W_h + r_W),   v1 = v0 + (h f + r_v)/m,   x1 = x_h + (h/2) v1
    rig-pos: W1 = Wp.   rig-neg: W1 = J^-1 exp[-(h/2) Wp] G,  G = p + h T + r_W.   rig-imp: exp[(h/2) W1] J W1 = G
"""
import numpy as np

from . import rotation


def step_of(spec):
    kind, predicted = spec["kind"], spec.get("load_velocity", "predicted") == "predicted"

    class Step:
        gain = 0.5

        def __init__(self, group, t0, h, q0, v0, q1, v1):
            self.group, self.t0, self.h = group, t0, h
            self.x0, self.Q0 = group.split_q(q0)
            self.x1, self.Q1 = group.split_q(q1)
            self.u0, self.W0 = group.split_v(v0)
            self.u1, self.W1 = group.split_v(v1)
            self.x_h = self.x0 + 0.5 * h * self.u0
            self.Q_h = rotation.multiply(self.Q0, rotation.exponential(0.5 * h * self.W0))
            self.R_h = rotation.matrix(self.Q_h)
            self.p = self._turn(-0.5 * h * self.W0, self._J(self.W0))
            half = lambda T: rotation.apply(group.inverse_J, self.p + 0.5 * h * T)
            f, T = group.load(t0 + 0.5 * h, self.Q_h, self.u0, self.W0)
            if predicted:
                f, T = group.load(t0 + 0.5 * h, self.Q_h, self.u0 + 0.5 * h * group.inverse_mass * f, half(T))
            self.f, self.T, self.W_h = f, T, half(T)
            self.predictor = None

        def _J(self, W):
            return rotation.apply(self.group.J, W)

        @staticmethod
        def _turn(w, x):
            return rotation.apply(rotation.matrix(rotation.exponential(w)), x)

        def axes(self):
            return self.R_h

        def centre_mid(self):
            return self.x_h

        def momentum(self, r):
            g, h = self.group, self.h
            push = h * self.T - h * np.cross(self.W_h, self._J(self.W_h)) + r[:, 3:]
            G = self.p + h * self.T + r[:, 3:]
            self.predictor = self.W0 + rotation.apply(g.inverse_J, push)
            if kind == "rig-pos":
                angular = self._J(self.W1 - self.W0) - push
            elif kind == "rig-neg":
                angular = self._J(self.W1) - self._turn(-0.5 * h * self.predictor, G)
            else:
                angular = self._turn(0.5 * h * self.W1, self._J(self.W1)) - G
            linear = g.m[:, None] * (self.u1 - self.u0) - h * self.f - r[:, :3]
            linear, angular = np.where(g.locked[:, :3], 0.0, linear), np.where(g.locked[:, 3:], 0.0, angular)
            size = lambda a: np.sqrt(np.sum(a * a, -1))
            inertia = np.stack([g.m * np.maximum(size(self.u0), size(self.u1)),
                                np.maximum(size(self._J(self.W0)), size(self._J(self.W1)))], 1)
            return linear, angular, inertia, h * np.stack([size(self.f), size(self.T)], 1)

        def kinematics(self):
            h = self.h
            turn = self.predictor if kind == "rig-neg" else self.W1
            if turn is None:
                self.momentum(np.zeros((self.group.n, 6)))
                turn = self.predictor
            expected = rotation.multiply(self.Q_h, rotation.exponential(0.5 * h * turn))
            sign = np.where(np.sum(expected * self.Q1, -1, keepdims=True) < 0.0, -1.0, 1.0)
            return self.x1 - self.x_h - 0.5 * h * self.u1, self.Q1 - sign * expected

        @staticmethod
        def place(group, t0, h, q0, v0, fraction):
            if fraction == 0.0:
                return q0
            step = Step(group, t0, h, q0, v0, q0, v0)
            if fraction == 0.5:
                return np.concatenate([step.x_h, step.Q_h], 1).ravel()
            step.momentum(np.zeros((group.n, 6)))
            W1 = step.predictor
            u1 = step.u0 + h * group.inverse_mass * step.f
            return np.concatenate([step.x_h + 0.5 * h * u1,
                                   rotation.multiply(step.Q_h, rotation.exponential(0.5 * h * W1))], 1).ravel()

    return Step
