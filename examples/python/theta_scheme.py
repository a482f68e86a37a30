"""A time integrator in Python: the theta scheme of Moreau and Jean.

    M (v1 - v0) = h F(t0 + theta h, q_theta, v_theta) + r,   v_theta = theta v1 + (1 - theta) v0
    q1 = q0 (+) h v_theta,                                   q_theta = q0 (+) h theta v_theta

It moves any body of Saltus, rigid ones included, in contact and impact: the engine hands the contact impulses over
as r. Its operations are those of the engine's own "moreau-jean", and so are its bits.

    python3 theta_scheme.py
"""
import numpy as np

import saltus


class Theta(saltus.Scheme):
    def __init__(self, theta=0.5):
        super().__init__()
        self.theta = theta

    def needs(self):
        return saltus.Trait.tangents

    def gain(self):
        return self.theta

    def one_pass(self, body):
        return saltus.Trait.affine in body.traits()

    def prepare(self, body, h):  # of each group and h: comes back as x.prepared
        return saltus.RoundOff()

    def at_theta(self, body, x, v1):
        v = self.theta * v1 + (1.0 - self.theta) * x.start.v
        return body.retract(x.start.q, x.h * self.theta * v), v

    def free_velocity(self, body, x):  # v_free = v - A^-1 (M (v - v0) - h F)
        q, v = x.prepared.at = self.at_theta(body, x, x.v)
        t = x.t_at = x.t0 + self.theta * x.h
        residual = body.multiply((1, 0, 0), t, q, v, x.v - x.start.v)
        residual -= x.h * body.force(t, q, v)
        if not x.factorised:  # A = M + h theta C + h^2 theta^2 K
            body.factorise((1, x.h * self.theta, x.h * x.h * self.theta * self.theta), t, q, v, x.A)
            x.factorised = self.one_pass(body)
        x.v_free = x.v - x.A.solve(residual)

    def place_end(self, body, x):
        x.q = body.retract(x.start.q, x.h * (self.theta * x.v + (1.0 - self.theta) * x.start.v))

    def begin(self, body, x):
        x.gain = self.theta
        x.prepared.begin()
        x.v = x.start.v
        self.free_velocity(body, x)
        x.v = x.v_free
        self.place_end(body, x)

    def linearise(self, body, x):
        if not self.one_pass(body):
            self.free_velocity(body, x)

    def correct(self, body, x):
        response = x.A.solve(x.r)
        before = x.v.copy()
        x.v = x.v_free + response
        left = 0.0
        if not self.one_pass(body):
            left = saltus.outstanding_change(body, x, x.v - before, response)
            if x.prepared.reached(body, x, left, x.v - before, x.A, *x.prepared.at):
                left = 0.0
        self.place_end(body, x)
        return left

    def finish(self, body, x, end):
        end.q, end.v = x.q, x.v

    def work(self, body, x, end, work):
        q, v = self.at_theta(body, x, end.v)
        t = x.t0 + self.theta * x.h
        saltus.book_sources(body, t, q, v, v, x.h, work.by_source)
        work.energy = body.energy(x.t0 + x.h, end.q, end.v)
        if self.theta != 0.5:  # what theta takes out of the energy
            dv = end.v - x.start.v
            work.scheme -= (self.theta - 0.5) * (dv @ (body.multiply((1, 0, 0), t, q, v, dv) - x.r))
            work.scheme -= (self.theta - 0.5) * saltus.curvature(body, t, q, v, x.h * v)


def simulation(scheme, step=1e-3, end=2.0):
    """A chain of five masses that falls on the ground and bounces."""
    K = 400.0 * (2.0 * np.eye(5) - np.eye(5, k=1) - np.eye(5, k=-1))
    K[0, 0] = K[-1, -1] = 400.0
    places = [[0.0, 0.0, 0.1 * i] for i in range(5)]
    parts = saltus.ModelParts()
    parts.options(h=step, end=end)
    chain = saltus.linear(mass=np.ones(5), stiffness=K, load=np.full(5, -9.81), places=places)
    parts.add_group("chain", chain, scheme, q=np.full(5, 0.2))
    ground = parts.add_law("newton-impact", restitution=0.6)
    parts.add_pair(saltus.Point("chain", feature=0), [0.0, 0.0, 0.0], normal=[0.0, 0.0, 1.0], law=ground)
    return saltus.Simulation(parts.build())


def main():
    mine, engine = simulation(Theta(0.5)), simulation(saltus.scheme("moreau-jean", theta=0.5))
    impacts = 0
    while mine.t < 2.0 - 5e-4:
        impacts += mine.advance().contacts
        engine.advance()
    print(f"{impacts} steps with contact, energy {mine.energy.total:.6f} J; work in J: "
          + ", ".join(f"{name} {x:.6f}" for name, x in mine.ledger.items()))
    print("the same bits as moreau-jean:", mine.state == engine.state)


if __name__ == "__main__":
    main()
