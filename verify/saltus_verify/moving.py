"""Bodies with prescribed motion: positions and rotations of frames are in the file, velocities come from the scene."""
import numpy as np

from . import rotation, signals


class MovingGroup:
    frames = True
    moves_by_itself = True

    def __init__(self, entries):
        """entries: scene entry, shift and turn of each body."""
        self.n = len(entries)
        self.bodies = []
        for entry, shift, turn in entries:
            spec = entry["rigid"]
            motion = spec["motion"]
            x0 = np.array(spec["position"], dtype=float) + shift
            ways = [self._course(motion.get(k)) for k in "xyz"]
            angle = self._course(motion.get("angle"))
            axis = np.array(motion["axis"], dtype=float) if motion.get("axis") else np.array([0.0, 0, 1])
            self.bodies.append((x0, rotation.multiply(turn, rotation.of_spec(spec.get("rotation"))),
                                ways, axis / np.linalg.norm(axis), angle))

    @staticmethod
    def _course(spec):
        if spec is None:
            return (lambda t: 0.0), (lambda t: 0.0)
        if spec.get("rate") is not None:
            return (lambda t: spec["rate"] * t), (lambda t: spec["rate"])
        return signals.function_of(spec), signals.rate_of(spec)

    def frame(self, t, i):
        x0, Q0, ways, axis, angle = self.bodies[i]
        x = x0 + np.array([w[0](t) for w in ways])
        return x, rotation.multiply(rotation.exponential(angle[0](t) * axis), Q0)

    def rates(self, t, i):
        _, _, ways, axis, angle = self.bodies[i]
        return np.array([w[1](t) for w in ways]), angle[1](t) * axis

    def side(self, step, g):
        return MovingSide(self, step)


class MovingSide:
    def __init__(self, group, step):
        self.group, self.step = group, step
        self.fraction = {"start": 0.0, "middle": 0.5, "end": 1.0}[step.model.scene["contact"]["instant"]]

    def _at(self, t, body, local):
        frames = {i: self.group.frame(t, i) for i in np.unique(body)}
        x = np.array([frames[i][0] for i in body])
        return x, rotation.apply(rotation.matrix(np.array([frames[i][1] for i in body])), local)

    def rate(self, end, body, feature, local):
        """Velocity of the points at the start (0) or the end (1) of the step."""
        s = self.step
        x, arm = self._at(s.t0 + self.fraction * s.h, body, local)
        t = s.t0 + end * s.h
        rates = {i: self.group.rates(t, i) for i in np.unique(body)}
        x_t, arm_t = self._at(t, body, local)
        return np.array([rates[i][0] + np.cross(rates[i][1], a) for i, a in zip(body, arm_t)])

    def mobility(self, E, body, feature, local):
        return np.zeros(E.shape[:2])

    def places(self, body, feature, local):
        s = self.step
        at = lambda t: sum(self._at(t, body, local))
        return at(s.t0 + self.fraction * s.h), at(s.t0), at(s.t1)
