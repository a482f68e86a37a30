"""The exact modal scheme, docs/theory/modal-exact.md:

    v1 = e v0 - (n/h) q0 + (beta/mu) r,   q1 = q0 + h v1                                   (6), without loads
"""
import numpy as np


def phi(y):
    return np.where(np.abs(y) < 1e-12, 1.0, -np.expm1(-y) / np.where(y == 0.0, 1.0, y))


def coefficients(group, h):
    """e, n, beta of (3), (4) in the forms (8), and c, b of (10)."""
    omega, sigma = group.omega, group.sigma
    s = sigma * h
    under = sigma <= omega
    with np.errstate(all="ignore"):
        d = np.sqrt(np.where(under, (omega - sigma) * (omega + sigma), 0.0)) * h
        sinc = lambda y: np.sinc(y / np.pi)
        n_u = np.expm1(-s) ** 2 + 4.0 * np.exp(-s) * np.sin(0.5 * d) ** 2
        ratio = np.where(omega > 0.0, sigma / np.where(omega > 0.0, omega, 1.0), 0.0) ** 2
        beta_u = ratio * phi(s) ** 2 + (1.0 - ratio) * np.exp(-s) * sinc(0.5 * d) ** 2
        rho = np.sqrt(np.where(under, 0.0, (sigma - omega) * (sigma + omega)))
        l1 = sigma + rho
        l2 = np.where(l1 > 0.0, omega ** 2 / np.where(l1 > 0.0, l1, 1.0), 0.0)
        n_o = np.expm1(-l1 * h) * np.expm1(-l2 * h)
        beta_o = phi(l1 * h) * phi(l2 * h)
    return np.exp(-2.0 * s), np.where(under, n_u, n_o), np.where(under, beta_u, beta_o)


def energy(group, h, q, v):
    """The two terms of (15); modes whose 1/beta overflows contribute 0."""
    if not hasattr(group, "coefficients"):
        group.coefficients = coefficients(group, h)
    e, _, beta = group.coefficients
    there = np.isfinite(v)
    with np.errstate(all="ignore"):
        W = 1.0 / beta
        there &= np.isfinite(W * group.mu)
        a = np.where(there, 0.5 * W * (1.0 + e), 0.0)
        kinetic = np.sum(np.where(there, group.mu * 0.5 * a * v * v, 0.0))
    return kinetic, np.sum(np.where(there, group.mu * 0.5 * group.omega ** 2 * q * (q - h * v), 0.0))


class Step:
    gain = 1.0

    def __init__(self, group, t0, h, q0, v0, q1, v1):
        self.group, self.t0, self.h = group, t0, h
        self.q0, self.v0, self.q1, self.v1 = q0, v0, q1, v1
        if not hasattr(group, "coefficients"):
            group.coefficients = coefficients(group, h)
        self.e, self.n, self.beta = group.coefficients

    def momentum(self, r):
        """In velocities times the mass of a mode: A = mu/beta is no suitable scale for modes that impulses hardly move."""
        mu, h = self.group.mu, self.h
        rest = mu * (self.v1 - self.e * self.v0 + self.n / h * self.q0) - self.beta * r
        return rest, mu * (np.abs(self.v1) + self.e * np.abs(self.v0)), mu * self.n / h * np.abs(self.q0)

    def kinematics(self):
        return self.q1 - self.q0 - self.h * self.v1, np.abs(self.q0) + np.abs(self.q1)

    def check_more(self, report, frame, g):
        """(13): the velocity of the free motion through the two nodes, if damping is below critical."""
        group, h = self.group, self.h
        omega, sigma = group.omega, group.sigma
        under = sigma < omega
        omega_d = np.sqrt(np.where(under, (omega - sigma) * (omega + sigma), 1.0))
        d = omega_d * h
        told = under & (np.abs(np.sin(d)) > 1e-3)
        sine = np.where(told, np.sin(d), 1.0)
        q_before = self.q1 - h * self.v1
        v = omega_d / sine * (np.cos(d) * self.q1 - np.exp(-sigma * h) * q_before) - sigma * self.q1
        size = np.abs(omega_d / sine) * (np.abs(self.q1) + np.abs(q_before)) * (1.0 + d / np.abs(sine)) + sigma * np.abs(self.q1)
        stored = frame.results.groups[g].velocity[frame.k]
        report.largest("physical velocity", np.where(told, stored - v, 0.0), 1e-13 * np.maximum(size, 1e-3 * size.max()), "m/s",
                       lambda i: f"{frame.at()}, mode {i + 1}")
        if not told.all():
            report.not_checked("physical velocity", "of modes with strong damping, or near a multiple of half the rate")

    def operator(self):
        return self.beta / self.group.mu

    @staticmethod
    def place(group, t0, h, q0, v0, fraction):
        if fraction == 0.0:
            return q0
        step = Step(group, t0, h, q0, v0, q0, v0)
        q1 = q0 + h * (step.e * v0 - step.n / h * q0)
        return q1 if fraction == 1.0 else 0.5 * (q0 + q1)
