"""Bodies for schemes and bodies written in Python, and the measures of tests/contract."""
import os
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(77)

import saltus

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "python")
sys.path.insert(0, EXAMPLES)


class Body:
    """A body in motion with a point that approaches along -normal."""

    def __init__(self, name, dynamics, q, v, tip, normal, constant_rows=True):
        self.name, self.dynamics = name, dynamics
        self.q, self.v = np.array(q, float), np.array(v, float)
        self.tip, self.normal, self.constant_rows = dict(tip), np.array(normal, float), constant_rows

    @property
    def curved(self):
        return saltus.Trait.affine not in self.dynamics.traits()

    @property
    def turns(self):
        return saltus.Trait.rotations in self.dynamics.traits()

    def moved(self, q, v):
        return Body(self.name, self.dynamics, q, v, self.tip, self.normal, self.constant_rows)

    def at(self, q):
        """Place of the tip [m]."""
        return self.dynamics.engine.points(0.0, q, [saltus.PointRef(**self.tip)])[0]

    def rate(self, q, v):
        """Velocity of the tip along the normal [m/s]."""
        return self.normal @ self.dynamics.engine.point_rows(q, q, [saltus.PointRef(**self.tip)])[0] @ v


def linear_system():
    M = np.array([[1.3, 0.2, -0.1], [0.2, 1.1, 0.15], [-0.1, 0.15, 0.9]])
    C = np.array([[0.5, -0.2, 0.0], [-0.2, 0.6, -0.1], [0.0, -0.1, 0.3]])
    K = np.array([[60.0, -40.0, 0.0], [-40.0, 90.0, -50.0], [0.0, -50.0, 50.0]])
    along = np.array([[0.0, 0.6, 0.8]] * 3)
    places = np.array([[0.2 * i, 0.1, -0.3] for i in range(3)])
    dynamics = saltus.linear(mass=M, stiffness=K, damping=C, load=[0.5, -1.0, -6.0], rayleigh=(0.3, 0.004),
                             places=places, directions=along)
    return Body("linear system", dynamics, [0.02, -0.01, 0.03], [-0.3, 0.2, -0.9], {"feature": 2},
                [0.0, 0.8, 0.6])


def modal_bar():
    """Floating along a slanted line: a mode of frequency 0 and two elastic ones."""
    dynamics = saltus.modal(omega=[0.0, 20.0, 55.0], sigma=[0.0, 0.4, 1.2], mass=[2.5, 1.0, 0.7], x=[0.0, 0.5, 1.0],
                            shapes=[[1.0, -1.0, 1.0], [1.0, 0.1, -1.0], [1.0, 1.0, 1.0]], load=[-24.0, 3.0, -2.0],
                            origin=[0.4, -0.2, 1.1], axis=[0.6, 0.8, 0.0], direction=[-0.48, 0.36, 0.8])
    return Body("modal bar", dynamics, [0.010, -0.004, 0.006], [-0.8, 0.5, -0.3], {"local": [1.0, 0.0, 0.0]},
                [0.0, 0.6, 0.8])


def particles():
    entry = {"name": "particles", "kind": "particles", "particles": {
        "mass": [1.2, 0.7], "positions": [[0.05, -0.02, 0.6], [0.1, 0.1, 0.15]],
        "gravity": [0.4, -0.3, -9.81], "drag": 0.2, "springs": [{"between": [0, 1], "stiffness": 120, "length": 0.5}]}}
    return Body("particles", saltus.dynamics_of(entry), [0.05, -0.02, 0.6, 0.1, 0.1, 0.15],
                [0.2, 0.1, -0.1, 0.3, -0.2, -0.9], {"feature": 1}, [0.0, 0.6, 0.8])


def double_pendulum():
    entry = {"name": "arms", "kind": "lagrangian",
             "n_pendulum": {"mass": [0.9, 0.6], "length": [0.5, 0.4], "gravity": 9.81}}
    return Body("double pendulum", saltus.dynamics_of(entry), [0.5, 0.6], [0.4, -2.5], {"feature": 1},
                [0.6, 0.0, 0.8], constant_rows=False)


def top():
    entry = {"name": "top", "kind": "rigid",
             "rigid": {"mass": 1.3, "inertia": [0.021, 0.034, 0.047], "position": [0, 0, 1],
                       "gravity": [0.2, -0.1, -9.81]}}
    q = np.array([0.1, -0.3, 0.8, 0.7, 0.1, -0.5, 0.5])
    return Body("top", saltus.dynamics_of(entry), q, [0.3, -0.1, -1.2, 2.0, -1.5, 3.0],
                {"local": [0.11, -0.06, -0.09]}, [0.36, -0.48, 0.8], constant_rows=False)


def bodies():
    return [linear_system(), modal_bar(), particles(), double_pendulum(), top()]


def model(body, scheme, h, height=None, restitution=0.5, ledger=True):
    """The body alone, or with its tip `height` above a plane."""
    parts = saltus.ModelParts()
    parts.options(h=h, end=1.0, ledger=ledger)
    parts.add_group("body", body.dynamics, scheme, q=body.q, v=body.v)
    if height is not None:
        law = parts.add_law("newton-impact", restitution=restitution)
        place = body.at(body.q) - height * body.normal
        parts.add_pair(saltus.Point("body", **body.tip), place, body.normal, law)
    return parts.build()


def simulation(*args, **kwargs):
    return saltus.Simulation(model(*args, **kwargs))


def state_of(sim):
    """(q, v) of the only group, copies."""
    q, v, _ = sim.state._groups[0]
    return np.array(q), np.array(v)


def energy_scale(sim):
    kinetic, potential, _ = sim.state._energy
    return kinetic + abs(potential)


def increment(body, a, b):
    """w with b = a (+) w, to first order where the body turns."""
    if not body.turns:
        return b - a
    w0, w1 = a[3:], b[3:]
    turn = w0[0] * w1[1:] - w1[0] * w0[1:] - np.cross(w0[1:], w1[1:])
    return np.concatenate([b[:3] - a[:3], 2.0 * turn])


class Driven:
    """One step by hand with a given impulse."""

    def __init__(self, body, scheme, h, r):
        dynamics = body.dynamics.engine
        start = saltus.GroupState(body.q, body.v)
        scheme.start(dynamics, scheme.prepare(dynamics, h), 0.0, h, start)
        self.trial = x = saltus.Trial(dynamics, scheme, start, h)
        self.passes, self.contraction, before = 0, 0.0, 0.0
        scheme.begin(dynamics, x)
        while True:
            x.pass_ = x.pass_ + 1
            scheme.linearise(dynamics, x)
            x.r = r
            left = scheme.correct(dynamics, x)
            self.passes += 1
            if x.pass_ > 1 and left > 1e-13:
                self.contraction = max(self.contraction, left / before)
            before = left
            if scheme.one_pass(dynamics) or left <= 1e-15 or x.pass_ >= 40:
                break
        end = saltus.GroupState(body.q, body.v)
        scheme.finish(dynamics, x, end)
        self.v0, self.q, self.v, self.gain = body.v, end.q.copy(), end.v.copy(), x.gain
