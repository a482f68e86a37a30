"""Rigid bodies: q = (x, quaternion), v = (velocity in space, angular velocity on the body axes), seven and six numbers per body.

    m v' = f,   J W' = T - W x J W                                         (docs/theory/rotations.md)
"""
import numpy as np

from . import bounds, rotation, signals, solids
from .solids import Unknown


def places(copies):
    """Shift and turn of each copy."""
    if copies is None:
        return [(np.zeros(3), np.array([1.0, 0, 0, 0]))]
    if copies.get("file"):
        raise Unknown("copies from a file")
    if copies.get("at"):
        return [(np.array(x, dtype=float), np.array([1.0, 0, 0, 0])) for x in copies["at"]]
    nx, ny, nz = copies["count"]
    spacing = np.array(copies["spacing"], dtype=float)
    shifts = [np.array([i, j, k]) * spacing for k in range(nz) for j in range(ny) for i in range(nx)]
    turn = copies.get("turn")
    unit = np.array([1.0, 0, 0, 0])
    if not turn:
        return [(s, unit) for s in shifts]
    axis = np.array(turn["axis"], dtype=float)
    axis /= np.linalg.norm(axis)
    return [(s, rotation.exponential(n * turn["angle"] * axis)) for n, s in enumerate(shifts)]


class Load:
    def __init__(self, spec, centre):
        self.torque = spec.get("torque") is not None
        direction = np.array(spec["torque"] if self.torque else spec["force"], dtype=float)
        self.direction = direction / np.linalg.norm(direction)
        self.in_body = spec.get("frame") == "body"
        self.at = np.array(spec["point"], dtype=float) - centre if spec.get("point") else np.zeros(3)
        self.value = signals.function_of(spec)


class Body:
    """One rigid body: mass, inertia and start."""

    def __init__(self, entry, shift, turn, planar, gravity):
        spec = entry["rigid"]
        if spec.get("inertia"):
            self.mass = spec["mass"]
            self.centre = np.array(spec.get("centre") or [0, 0, 0], dtype=float)
            J = spec["inertia"]
            self.J = np.diag(np.array(J[:3], dtype=float))
            if len(J) == 6:
                for (i, j), x in zip(((0, 1), (0, 2), (1, 2)), J[3:]):
                    self.J[i, j] = self.J[j, i] = x
        else:
            shapes = ([spec["shape"]] if spec.get("shape") else []) + list(spec.get("shapes") or [])
            densities = [s.get("density") or spec.get("density") or 1.0 for s in shapes]
            mass, self.centre, J = solids.joined(shapes, densities)
            self.mass = spec.get("mass") or mass
            self.J = J * (self.mass / mass)
        self.quaternion = rotation.multiply(turn, rotation.of_spec(spec.get("rotation")))
        R = rotation.matrix(self.quaternion)
        self.place = np.array(spec["position"], dtype=float) + shift + R @ self.centre
        self.velocity = np.array(spec["velocity"] + spec["spin"], dtype=float)
        self.locked = np.array([f in spec["locked"] for f in ("x", "y", "z", "rx", "ry", "rz")])
        if planar:
            world = {"xy": 2, "xz": 1, "yz": 0}[planar]
            own = int(np.argmax(np.abs(R[world])))
            self.locked[world] = True
            for k in range(3):
                if k != own:
                    self.locked[3 + k] = True
        self.gravity = np.array(spec["gravity"] if spec.get("gravity") is not None else gravity, dtype=float)
        self.drag, self.spin_drag = spec["drag"], spec["spin_drag"]
        self.scheme = entry.get("scheme")
        self.loads = [Load(x, self.centre) for x in entry["loads"]]


class RigidGroup:
    """The bodies of one group, as arrays over bodies."""

    frames = True  # its points are given in frames of its bodies

    def __init__(self, bodies):
        self.bodies = bodies
        self.n = len(bodies)
        self.m = np.array([b.mass for b in bodies])
        self.J = np.array([b.J for b in bodies])
        self.locked = np.array([b.locked for b in bodies])
        self.gravity = np.array([b.gravity for b in bodies])
        self.drag = np.array([b.drag for b in bodies])
        self.spin_drag = np.array([b.spin_drag for b in bodies])
        self.steady = not (self.drag.any() or self.spin_drag.any() or any(b.loads for b in bodies))
        self._response = None
        free = ~self.locked
        self.inverse_mass = np.where(free[:, :3], 1.0 / self.m[:, None], 0.0)
        self.inverse_J = np.zeros_like(self.J)
        for i in range(self.n):
            k = np.flatnonzero(free[i, 3:])
            if k.size:
                self.inverse_J[np.ix_([i], k, k)] = np.linalg.inv(self.J[i][np.ix_(k, k)])

    def initial(self):
        q = np.concatenate([np.concatenate([b.place, b.quaternion]) for b in self.bodies])
        return q, np.concatenate([b.velocity for b in self.bodies])

    @staticmethod
    def split_q(q):
        q = q.reshape(-1, 7)
        return q[:, :3], q[:, 3:]

    @staticmethod
    def split_v(v):
        v = v.reshape(-1, 6)
        return v[:, :3], v[:, 3:]

    def load(self, t, quaternion, v, W):
        """f in space, T on the body axes, without the gyroscopic moment."""
        f = self.m[:, None] * self.gravity - self.drag[:, None] * v
        T = -self.spin_drag[:, None] * W
        for i, body in enumerate(self.bodies):
            for load in body.loads:
                F = load.value(t) * load.direction
                R = rotation.matrix(quaternion[i])
                inside = F if load.in_body else R.T @ F
                if load.torque:
                    T[i] += inside
                else:
                    f[i] += R @ F if load.in_body else F
                    T[i] += np.cross(load.at, inside)
        return f, T

    def drag_weights(self, h):
        """Weights w of the velocity and the spin at the end in the drags of rig-mid: 1/2, more for h c/m > 2."""
        weight = lambda z: np.where(z > 2.0, 1.0 - 1.0 / np.maximum(z, 2.0), 0.5)
        return (weight(h * self.drag * self.inverse_mass.max(1)),
                weight(h * self.spin_drag * np.linalg.eigvalsh(self.inverse_J)[:, -1]))

    def load_velocity(self, h, ends, spins):
        """Velocity and spin at which the load of rig-mid acts: (1 - w) v0 + w v1."""
        return tuple((1.0 - w)[:, None] * pair[0] + w[:, None] * pair[1] for w, pair in zip(self.drag_weights(h), (ends, spins)))

    def response(self, h):
        """A^-1 of velocities and spins, A = M + w h C."""
        if self._response is None or self._response[0] != h:
            way, turn = (w * h * c for w, c in zip(self.drag_weights(h), (self.drag, self.spin_drag)))
            linear = self.inverse_mass / (1.0 + way[:, None] * self.inverse_mass)
            self._response = h, linear, np.linalg.solve(np.eye(3) + turn[:, None, None] * self.inverse_J, self.inverse_J)
        return self._response[1:]

    # -- as an equation of motion
    def acceleration(self, t, q, v):
        _, Q = self.split_q(q)
        u, W = self.split_v(v)
        f, T = self.load(t, Q, u, W)
        turn = T - np.cross(W, rotation.apply(self.J, W))
        return np.concatenate([self.inverse_mass * f, rotation.apply(self.inverse_J, turn)], 1).ravel()

    def rate_of_places(self, q, v):
        _, Q = self.split_q(q)
        u, W = self.split_v(v)
        spin = np.concatenate([np.zeros((self.n, 1)), W], 1)
        return np.concatenate([u, 0.5 * rotation.multiply(Q, spin)], 1).ravel()

    def near(self, q, other):
        """The one of the two quaternions of a rotation that is nearer to the other argument."""
        x, Q = self.split_q(q)
        sign = np.where(np.sum(Q * self.split_q(other)[1], 1, keepdims=True) < 0.0, -1.0, 1.0)
        return np.concatenate([x, sign * Q], 1).ravel()

    def energy(self, q, v):
        x, _ = self.split_q(q)
        u, W = self.split_v(v)
        kinetic = 0.5 * (self.m @ np.sum(u * u, 1) + np.einsum("ni,nij,nj->", W, self.J, W))
        return kinetic, -float(np.sum(self.m[:, None] * self.gravity * x))

    def energy_round_off(self, q):
        """Round-off of the potential [J], whose terms may cancel."""
        x, _ = self.split_q(q)
        return 4.0 * np.finfo(float).eps * float(np.sum(self.m[:, None] * np.abs(self.gravity * x)))

    def points(self, q, body, local):
        """Positions in space of points given in the frames of bodies."""
        x, Q = self.split_q(q)
        return x[body] + rotation.apply(rotation.matrix(Q[body]), local)

    def arms(self, q, body, local):
        _, Q = self.split_q(q)
        return rotation.apply(rotation.matrix(Q[body]), local)

    def no_impulse(self):
        """Impulses of a step, and sums of magnitudes of each body: of impulses, of moments, and of impulses times their arms."""
        return np.zeros((self.n, 6)), np.zeros((self.n, 3))

    def push(self, r, size, step, body, arm, impulse, moment=None):
        """Adds impulses in space at arms from the mass centre, and moments in space."""
        turn = np.cross(arm, impulse)
        if moment is not None:
            turn = turn + moment
        np.add.at(r[:, :3], body, impulse)
        np.add.at(r[:, 3:], body, rotation.apply_back(step.axes()[body], turn))
        np.add.at(size[:, 0], body, np.linalg.norm(impulse, axis=-1))
        np.add.at(size[:, 1], body, np.linalg.norm(turn, axis=-1))
        np.add.at(size[:, 2], body, np.linalg.norm(arm, axis=-1) * np.linalg.norm(impulse, axis=-1))

    def residual(self, step, r):
        return np.concatenate(step.momentum(r)[:2], 1)

    def check_momentum(self, step, r, size, report, frame, g):
        linear, angular, inertia, force = step.momentum(r)
        bound = bounds.INERTIA * inertia + bounds.IMPULSE * (force + size[:, :2])
        bound[:, 1] += self.axes_change(step, r, size) * size[:, 1:].sum(1)
        # moments are at least the impulses times the radius of gyration
        radius = np.sqrt(np.einsum("nii->n", self.J) / self.m)
        bound[:, 1] = np.maximum(bound[:, 1], radius * bound[:, 0])
        bound = np.maximum(bound, bounds.OTHERS * bound.max(0))
        kept = frame.results.joint_force and frame.results.rows["passes"][frame.results.row_of_frame[frame.k]] > bounds.RENEWED
        if frame.loops or kept:
            # Where the passes do not contract, the rows of joints are kept: impulses act at arms of a former pass, which may turn as
            # far as any body. Near positions where rows of loops are dependent a part of them, which is not stored, acts at the
            # arms of the end.
            spin = lambda one: np.linalg.norm(np.maximum(np.abs(one.W0), np.abs(one.W1)), axis=1)
            turned = step.h * (max(spin(one).max(initial=0.0) for one in frame.steps.values() if hasattr(one, "W0")) if kept
                               else spin(step))
            rest = np.linalg.norm(angular, axis=1)
            near = (rest > bound[:, 1]) & (rest <= bound[:, 1] + turned * size[:, 1:].sum(1))
            if near.any():
                report.not_checked("momentum, angular", "in steps that keep the rows of joints, because passes do not contract" if kept else
                                   "of loops in steps near positions where the rows of their joints are dependent")
                angular = np.where(near[:, None], 0.0, angular)
        for name, unit, part, of in (("momentum", "N s", linear, bound[:, 0]),
                                     ("momentum, angular", "N m s", angular, bound[:, 1])):
            report.largest(name, np.linalg.norm(part, axis=1), of, unit, lambda i: f"{frame.at()}, body {frame.name(g, i)}")

    def check_motion(self, step, report, frame, g):
        dx, dQ = step.kinematics()
        size = np.abs(step.x1).max(1) + np.abs(step.x0).max(1) + step.h * np.abs(step.u0 + step.u1).max(1)
        where = lambda i: f"{frame.at()}, body {frame.name(g, i)}"
        report.largest("motion, places", np.abs(dx).max(1), bounds.MOTION * size, "m", where)
        report.largest("motion, rotations", np.abs(dQ).max(1), bounds.UNIT, "1", where)

    def axes_change(self, step, r, size):
        """By which angle the axes of the last pass may differ from those of the finished step, of each body. The impulses change
        the spin by dW = A^-1 r_W, hence the axes by (h/4) dW. With these the same contact rates, impulses and forces at arms
        require a spin that differs by (h/4) (dW x W, dW^2, dW A^-1 sum |arm||P|), hence axes by h/4 times this after two passes,
        which come closer in any case; with a margin for damping."""
        inverse = self.response(step.h)[1]
        change = rotation.apply(inverse, r[:, 3:])
        norm = lambda x: np.linalg.norm(x, axis=1)
        second = step.h / 4.0 * (norm(change) * (norm(change) + np.linalg.eigvalsh(inverse)[:, -1] * size[:, 2])
                                 + norm(np.cross(change, 0.5 * (step.W0 + step.W1))))
        return 8.0 / 3.0 * step.h / 4.0 * np.minimum(second, norm(change))

    def weigh(self, part):
        """A residual (bodies x 6) in the metric of the masses."""
        J = np.sqrt(np.einsum("nii->ni", self.J) / 3.0).max(1, keepdims=True)
        return np.concatenate([part[:, :3] / np.sqrt(self.m)[:, None], part[:, 3:] / J], 1).ravel()

    def push_contacts(self, frame, g, body, feature, local, impulse, moment):
        arm = self.arms(frame.place(g, frame.arms_at), body, local)
        self.push(frame.r[g], frame.size[g], frame.steps[g], body, arm, impulse, moment)

    def side(self, frame, g):
        return RigidSide(self, frame, g)


class RigidSide:
    """Points of the bodies as one side of contacts."""

    def __init__(self, group, frame, g):
        self.group, self.frame, self.g = group, frame, g
        self.step = frame.steps[g]
        self.axes = self.step.axes()

    def rate(self, end, body, feature, local):
        """Velocity of the points at the start (0) or the end (1) of the step, on the rows of the step."""
        arm = self.group.arms(self.frame.place(self.g, self.frame.arms_at), body, local)
        u, W = (self.step.u0, self.step.W0) if end == 0 else (self.step.u1, self.step.W1)
        return u[body] + np.cross(rotation.apply(self.axes[body], W[body]), arm)

    def mobility(self, E, body, feature, local):
        """d . A^-1 d of each direction d in E (contacts x 3 x 3)."""
        arm = self.group.arms(self.frame.place(self.g, self.frame.arms_at), body, local)
        turn = np.einsum("cji,ckj->cki", self.axes[body], np.cross(arm[:, None], E))
        linear, angular = self.group.response(self.step.h)
        return (np.sum(E * E * linear[body][:, None], 2)
                + np.einsum("cki,cij,ckj->ck", turn, angular[body], turn))

    def bend(self, body, feature, local):
        """Deviation from lines of points on arms r that turn by h |W0| or h |W1| [m]."""
        turn = self.step.h * (np.linalg.norm(self.step.W0, axis=1) + np.linalg.norm(self.step.W1, axis=1))
        return turn[body] ** 2 * np.linalg.norm(self.group.arms(self.frame.place(self.g, self.frame.arms_at), body, local), axis=1)

    def blur(self, body, feature, local):
        """Error of rates by the axes of the last pass, which turn the spins of both ends [m/s]. Where one pass suffices its axes
        are those of the prediction, (h/4) dW off: it does if the change of S(w) r_W that remains, (h^2/8) |W| dW^2 at least, is
        less than the tolerance of passes."""
        step, g, r = self.step, self.group, self.frame.r[self.g]
        norm = lambda x: np.linalg.norm(x, axis=1)
        change, spin = rotation.apply(g.response(step.h)[1], r[:, 3:]), np.maximum(norm(step.W0), norm(step.W1))
        radius = np.sqrt(np.einsum("nii->n", g.J) / (3.0 * g.m))
        speed = spin + np.maximum(norm(step.u0), norm(step.u1)) / radius
        row = self.frame.results.row_of_frame[self.frame.k]
        one = (self.frame.results.rows["passes"][row] == 1) | (step.h ** 2 / 8.0 * spin * norm(change) ** 2 <= bounds.PASS * speed)
        error = g.axes_change(step, r, self.frame.size[self.g]) * spin + np.where(one, step.h / 4.0 * norm(np.cross(change, step.W1)), 0.0)
        return error[body] * np.linalg.norm(g.arms(self.frame.place(self.g, self.frame.arms_at), body, local), axis=1)

    def places(self, body, feature, local):
        at = lambda q: self.group.points(q, body, local)
        return at(self.frame.place(self.g)), at(self.frame.q0[self.g]), at(self.frame.q1[self.g])
