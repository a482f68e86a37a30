"""The implicit midpoint rule of rigid bodies, docs/theory/rig-mid.md:

    J (W1 - W0) + h Om x J Om = S(w) (h T + r_W),   Om = (W0 + W1)/2,  w = h Om                         (1)
    Q1 = Q0 cay(w)                                                                                       (2)
    m (v1 - v0) = h f + r_v,   x1 = x0 + h (v0 + v1)/2                                                   (3)
    Q_m = Q0 (s + 1, w/2)/sqrt(2 s (s + 1)),   S g = s g - w (w . g)/(4 (s + 1)),  s = sqrt(1 + |w|^2/4)  (4)(5)
"""
import numpy as np

from . import rotation


def stretch(w, g):
    s = np.sqrt(1.0 + 0.25 * np.sum(w * w, -1, keepdims=True))
    return s * g - w * np.sum(w * g, -1, keepdims=True) / (4.0 * (s + 1.0))


class Step:
    """One stored step of a group."""

    gain = 0.5

    positions_move = "x1 - x0 = h (v0 + v1)/2"

    def __init__(self, group, t0, h, q0, v0, q1, v1):
        self.group, self.t0, self.h = group, t0, h
        self.x0, self.Q0 = group.split_q(q0)
        self.x1, self.Q1 = group.split_q(q1)
        self.u0, self.W0 = group.split_v(v0)
        self.u1, self.W1 = group.split_v(v1)
        self.w = 0.5 * h * (self.W0 + self.W1)
        self.Q_mid = rotation.multiply(self.Q0, rotation.mean_turn(self.w))
        self.R_mid = rotation.matrix(self.Q_mid)

    def axes(self):
        """R of the axes that carry angular impulses."""
        return self.R_mid

    def centre_mid(self):
        return 0.5 * (self.x0 + self.x1)

    def work_velocity(self):
        return 0.5 * (self.u0 + self.u1), 0.5 * (self.W0 + self.W1)

    def momentum(self, r):
        """Residuals of (3) and (1) with the impulses r (bodies x 6), then (bodies x 2) the magnitudes of the terms of inertia
        and of the loads."""
        g, h = self.group, self.h
        velocity = g.load_velocity(h, (self.u0, self.u1), (self.W0, self.W1))
        f, T = g.load(self.t0 + 0.5 * h, self.Q_mid, *velocity)
        linear = g.m[:, None] * (self.u1 - self.u0) - h * f - r[:, :3]
        Om = self.w / h
        JW = lambda W: rotation.apply(g.J, W)
        angular = (JW(self.W1 - self.W0) + h * np.cross(Om, JW(Om)) - stretch(self.w, h * T + r[:, 3:]))
        angular = np.where(g.locked[:, 3:], 0.0, angular)
        linear = np.where(g.locked[:, :3], 0.0, linear)
        size = lambda a: np.sqrt(np.sum(a * a, -1))
        inertia = np.stack([g.m * np.maximum(size(self.u0), size(self.u1)),
                            np.maximum(size(JW(self.W0)), size(JW(self.W1)))], 1)
        return linear, angular, inertia, h * np.stack([size(f), size(T)], 1)

    def kinematics(self):
        """Residuals of (3) and (2) in x1 and Q1: metres, radians (bodies x 3 each)."""
        dx = self.x1 - self.x0 - 0.5 * self.h * (self.u0 + self.u1)
        expected = rotation.multiply(self.Q0, rotation.cayley(self.w))
        # the sign of a quaternion has no meaning; its length is kept at 1
        sign = np.where(np.sum(expected * self.Q1, -1, keepdims=True) < 0.0, -1.0, 1.0)
        return dx, self.Q1 - sign * expected

    @staticmethod
    def place(group, t0, h, q0, v0, fraction, q1=None):
        """The configuration at which contacts are detected: that of the motion without contacts and joints."""
        if fraction == 0.0:
            return q0
        x0, Q0 = group.split_q(q0)
        u0, W0 = group.split_v(v0)
        u1, W1 = u0.copy(), W0.copy()
        JW = lambda W: rotation.apply(group.J, W)
        linear, angular = group.response(h)
        for _ in range(30):
            w = 0.5 * h * (W0 + W1)
            Q_mid = rotation.multiply(Q0, rotation.mean_turn(w))
            f, T = group.load(t0 + 0.5 * h, Q_mid, *group.load_velocity(h, (u0, u1), (W0, W1)))
            Om = w / h
            # Newton's method for the drags
            u_next = u1 - linear * (group.m[:, None] * (u1 - u0) - h * f)
            W_next = W1 - rotation.apply(angular, JW(W1 - W0) + h * np.cross(Om, JW(Om)) - stretch(w, h * T))
            change = max(np.abs(u_next - u1).max(initial=0), np.abs(W_next - W1).max(initial=0))
            size = max(np.abs(u1).max(initial=0), np.abs(W1).max(initial=0))
            u1, W1 = u_next, W_next
            if change <= 1e-16 * size:
                break
        w = 0.5 * h * (W0 + W1)
        if fraction == 0.5:
            x, Q = x0 + 0.25 * h * (u0 + u1), rotation.multiply(Q0, rotation.mean_turn(w))
        else:
            x, Q = x0 + 0.5 * h * (u0 + u1), rotation.multiply(Q0, rotation.cayley(w))
        return np.concatenate([x, Q], 1).ravel()
