"""A body in Python: a pendulum that knocks against a wall, without and with the drag of the air.

    m l^2 q'' = -m g l sin q - c |q'| q',   V = m g l (1 - cos q);   point 0: the bob

    python3 pendulum_body.py
"""
import math

import saltus


class Pendulum(saltus.Dynamics):
    def __init__(self, mass=1.0, length=1.0, gravity=9.81, drag=0.0):
        super().__init__()
        self.inertia, self.moment = mass * length * length, mass * gravity * length
        self.length, self.drag = length, drag

    def positions(self):
        return 1

    def traits(self):
        T = saltus.Trait
        return T.second_order | T.tangents | T.symmetric | T.constant_mass | T.potential

    def mass(self, q):
        return self.inertia

    def potential(self, q):
        return self.moment * (1.0 - math.cos(q[0]))

    def potential_force(self, t, q, f):
        f[0] = -self.moment * math.sin(q[0])

    def force(self, t, q, v, f):
        f[0] = -self.moment * math.sin(q[0]) - self.drag * abs(v[0]) * v[0]

    def stiffness(self, t, q, v):  # -dF/dq, -dF/dv
        return self.moment * math.cos(q[0])

    def damping(self, t, q, v):
        return 2.0 * self.drag * abs(v[0])

    def point(self, i, q):
        return self.length * math.sin(q[0]), 0.0, -self.length * math.cos(q[0])

    def point_jacobian(self, i, q):
        return [[self.length * math.cos(q[0])], [0.0], [self.length * math.sin(q[0])]]


def simulation(body, scheme=None, step=1e-3, end=5.0):
    """The body, let go at 60 degrees, beside a wall at x = -0.3 m."""
    parts = saltus.ModelParts()
    parts.options(h=step, end=end)
    parts.add_group("pendulum", body, scheme or saltus.scheme("moreau-jean"), q=[math.radians(60.0)])
    wall = parts.add_law("newton-impact", restitution=0.8)
    parts.add_pair(saltus.Point("pendulum"), [-0.3, 0.0, 0.0], normal=[1.0, 0.0, 0.0], law=wall)
    return saltus.Simulation(parts.build())


def main():
    for drag in (0.0, 0.05):
        sim, impacts = simulation(Pendulum(drag=drag)), 0
        while sim.t < 5.0 - 5e-4:
            impacts += sim.advance().contacts
        angle = math.degrees(sim.groups[0].q[0])
        accounts = ", ".join(f"{name} {x:.4g}" for name, x in sim.ledger.items())
        print(f"drag {drag:4.2f}: {impacts} impacts, angle {angle:.3f} degrees, work in J: {accounts}")


if __name__ == "__main__":
    main()
