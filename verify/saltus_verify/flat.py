"""Bodies whose configuration is a list of numbers: particles, linear systems, modes. M v' = F(t, q, v) + r.

Prescribed degrees of freedom are not part of q: their motion u(t) acts as a load -K u - C u' - M u''.
"""
import numpy as np

from . import bounds, signals
from .solids import Unknown


class FlatGroup:
    """One body. M, K, C: matrices, or vectors if they are diagonal. place(feature, local): (x at q = 0, J, 3 x n)."""

    frames = False
    affine = True
    drive = None  # displacement, rate and acceleration of a point by prescribed degrees of freedom

    def __init__(self, M, K, C, initial, place, load=None, energy=None):
        self.M, self.K, self.C = (np.asarray(A) for A in (M, K, C))
        self.start, self.place_of = initial, place
        self.external, self.own_energy = load, energy
        self.n = len(initial[0])
        self.inverse = None

    @staticmethod
    def product(A, x):
        return A * x if A.ndim <= 1 else A @ x

    def initial(self):
        return self.start

    def force(self, t, q, v):
        F = -self.product(self.K, q) - self.product(self.C, v)
        return F + self.external(t) if self.external else F

    def force_size(self, t, q, v):
        F = self.product(np.abs(self.K), np.abs(q)) + self.product(np.abs(self.C), np.abs(v))
        return F + np.abs(self.external(t)) if self.external else F

    def energy(self, q, v):
        if self.own_energy:
            return self.own_energy(q, v)
        return 0.5 * v @ self.product(self.M, v), 0.5 * q @ self.product(self.K, q)

    def energy_round_off(self, q):
        """Round-off of the potential [J]: if a body moves as a whole, its terms are large although their sum is small."""
        if self.own_energy:
            return 0.0
        return np.finfo(float).eps * 0.5 * np.abs(q) @ self.product(np.abs(self.K), np.abs(q))

    # -- as an equation of motion
    def solve(self, r):
        """M^-1 r, also for a matrix r."""
        if self.M.ndim <= 1:
            return r / (self.M if r.ndim == 1 or self.M.ndim == 0 else self.M[:, None])
        return np.linalg.solve(self.M, r)

    def acceleration(self, t, q, v):
        return self.solve(self.force(t, q, v))

    @staticmethod
    def rate_of_places(q, v):
        return v

    @staticmethod
    def near(q, other):
        return q

    # -- impulses
    def no_impulse(self):
        return np.zeros(self.n), np.zeros(self.n)

    def push_point(self, r, size, feature, impulse):
        J = self.place_of(feature, None)[1]
        r += impulse @ J
        size += np.abs(impulse) @ np.abs(J)

    def push_contacts(self, frame, g, body, feature, local, impulse, moment):
        for f, x, p in zip(feature, local, impulse):
            J = self.place_of(f, x)[1]
            frame.r[g] += p @ J
            frame.size[g] += np.abs(p) @ np.abs(J)

    def point(self, q, feature, local=None):
        x, J = self.place_of(feature, local)
        return x + J @ q

    def told(self, feature, t):
        """Displacement, rate and acceleration of a point by prescribed degrees of freedom, 3 numbers each."""
        return self.drive(int(feature), t) if self.drive else np.zeros((3, 3))

    # -- checks
    def residual(self, step, r):
        return step.momentum(r)[0]

    def weigh(self, part):
        d = self.M if np.ndim(self.M) <= 1 else np.diag(self.M)
        return part / np.sqrt(d)

    def check_momentum(self, step, r, size, report, frame, g):
        rest, inertia, force = step.momentum(r)
        bound = bounds.INERTIA * inertia + bounds.IMPULSE * size + bounds.FLAT_FORCE * force
        bound = np.maximum(bound, bounds.OTHERS * bound.max(initial=0.0))
        report.largest("momentum", rest, bound, "N s", lambda i: f"{frame.at()}, '{frame.results.groups[g].name}' number {i}")

    def check_motion(self, step, report, frame, g):
        rest, size = step.kinematics()
        if hasattr(step, "without_lift"):
            rest = step.without_lift(rest, frame, g, report)
        size = np.maximum(size, bounds.OTHERS * size.max(initial=0.0))
        report.largest("motion, places", rest, bounds.MOTION * size, "m",
                       lambda i: f"{frame.at()}, '{frame.results.groups[g].name}' number {i}")
        step.check_more(report, frame, g)

    def side(self, frame, g):
        return FlatSide(self, frame, g)


class FlatSide:
    def __init__(self, group, frame, g):
        self.group, self.frame, self.g = group, frame, g

    def _rows(self, feature, local):
        if self.group.drive and any(np.any(self.group.told(f, self.frame.t1)) for f in feature):
            raise Unknown("points with prescribed motion")
        return np.array([self.group.place_of(f, x)[1] for f, x in zip(feature, local)])

    def rate(self, end, body, feature, local):
        v = (self.frame.v0 if end == 0 else self.frame.v1)[self.g]
        return self._rows(feature, local) @ v

    def mobility(self, E, body, feature, local):
        A = self.frame.steps[self.g].operator()
        H = np.einsum("cki,cin->ckn", E, self._rows(feature, local))
        if np.ndim(A) <= 1:
            return np.einsum("ckn,ckn,n->ck", H, H, A)
        return np.einsum("ckn,nm,ckm->ck", H, A, H)

    def places(self, body, feature, local):
        J = self._rows(feature, local)
        try:
            x_c = J @ self.frame.place(self.g)
        except Unknown:
            x_c = np.full((len(J), 3), np.nan)
        return x_c, J @ self.frame.q0[self.g], J @ self.frame.q1[self.g]


# -- contacts by rows over coordinates:  gap = z,  slips = x, y  of a point that is  place + J q

AXES = (2, 0, 1)  # of the gap and of the slips


def _row(written, n):
    row = np.zeros(n)
    for i, c in written if written and isinstance(written[0], list) else enumerate(written):
        row[int(i)] = c
    return row


def add_rows(group, name, contacts, dofs):
    """Points of `contacts` with rows over the coordinates of this body; group.features counts the others."""
    mine = []
    for contact in contacts:
        against = contact.get("against") or {}
        if contact.get("row") and contact["on"] == name:
            mine.append((contact, 1.0, contact.get("offset") or 0.0))
        elif contact.get("row") and against.get("body") == name:
            mine.append((against, -1.0, 0.0))
    if not mine:
        return
    plain, free = group.place_of, getattr(group, "free", list(range(dofs)))

    def place(feature, local):
        if feature < group.features:
            return plain(feature, local)
        rows, sign, offset = mine[int(feature) - group.features]
        J = np.zeros((3, dofs))
        written = [rows["row"]] + ([rows["tangent"]] if rows.get("tangent") else rows.get("tangents") or [])
        for axis, row in zip(AXES, written):
            J[axis] = sign * _row(row, dofs)
        if np.any(np.delete(J, free, 1)):
            raise Unknown("rows over prescribed coordinates")
        return np.array([0.0, 0.0, offset]), J[:, free]

    group.place_of = place


# -- the kinds

def _unit(x):
    x = np.array(x, dtype=float)
    return x / np.linalg.norm(x)


def linear(entry):
    """An oscillator, a chain of masses, a bar of elements (docs/theory/linear.md)."""
    origin, axis, direction = np.array(entry["origin"], dtype=float), _unit(entry["axis"]), _unit(entry["direction"])
    pair = lambda n, i, j, a, b: [(x, y, z) for x, y, z in ((i, i, a), (j, j, a), (i, j, b), (j, i, b))
                                  if 0 <= x < n and 0 <= y < n]

    def matrix(n, entries):
        A = np.zeros((n, n))
        for i, j, x in entries:
            A[i, j] += x
        return A

    if entry.get("oscillator"):
        o = entry["oscillator"]
        M, K, C = (np.array([[o[k]]], dtype=float) for k in ("mass", "stiffness", "damping"))
        points = [(origin, direction)]
    elif entry.get("chain"):
        c = entry["chain"]
        n, first, last = c["masses"], c["ends"] != "free-free", c["ends"] == "fixed-fixed"
        M = c["mass"] * np.eye(n)
        springs = range(-1 if first else 0, n if last else n - 1)
        K = matrix(n, [e for i in springs for e in pair(n, i, i + 1, c["stiffness"], -c["stiffness"])])
        C = matrix(n, [e for i in springs for e in pair(n, i, i + 1, c["damping"], -c["damping"])])
        points = [(origin + (i + first) * c["spacing"] * axis, axis) for i in range(n)]
    elif entry.get("mesh"):
        b = entry["mesh"]
        first = 0 if b["ends"] == "free-free" else 1
        last = b["elements"] - 1 if b["ends"] == "fixed-fixed" else b["elements"]
        n, l = last - first + 1, b["length"] / b["elements"]
        k, m = b["young"] * b["area"] / l, b["density"] * b["area"] * l / 6.0
        own, other = (3.0 * m, 0.0) if b["lumped"] else (2.0 * m, m)
        K = matrix(n, [e for i in range(b["elements"]) for e in pair(n, i - first, i + 1 - first, k, -k)])
        M = matrix(n, [e for i in range(b["elements"]) for e in pair(n, i - first, i + 1 - first, own, other)])
        C = np.zeros((n, n))
        points = [(origin + l * i * axis, axis) for i in range(first, last + 1)]
    else:
        raise Unknown("linear systems from matrices")
    n = len(M)
    damping = entry.get("rayleigh") or {}
    C = C + damping.get("mass", 0.0) * M + damping.get("stiffness", 0.0) * K
    q, v = np.zeros(n), np.zeros(n)
    start = entry.get("initial") or {}
    if start.get("file"):
        raise Unknown("initial state from a file")
    for key, x in (("coordinates", q), ("velocities", v)):
        if start.get(key) is not None:
            x[:len(start[key])] = start[key]
    if start.get("velocity") is not None:
        v[:] = start["velocity"]
    held = [(p["dof"], p) for p in entry.get("prescribed") or []]
    free = [i for i in range(n) if i not in {d for d, _ in held}]
    loads = []
    for load in entry.get("loads") or []:
        if load.get("dof") is None:
            raise Unknown("loads by pattern")
        loads.append((load["dof"], signals.function_of(load)))
    drives = [(d, signals.function_of(p), signals.rate_of(p), signals.second_of(p)) for d, p in held]

    def external(t):
        F = np.zeros(n)
        for dof, value in loads:
            F[dof] += value(t)
        for d, u, rate, second in drives:
            F -= K[:, d] * u(t) + C[:, d] * rate(t) + M[:, d] * second(t)
        return F[free]

    number = {dof: k for k, dof in enumerate(free)}

    def place(feature, local):
        x, along = points[int(feature)]
        J = np.zeros((3, len(free)))
        if int(feature) in number:
            J[:, number[int(feature)]] = along
        return x, J

    def drive(feature, t):
        for d, *motion in drives:
            if d == feature:
                return np.outer([x(t) for x in motion], points[feature][1])
        return np.zeros((3, 3))

    part = np.ix_(free, free)
    own = None
    if held:
        own = lambda q, v: (_ for _ in ()).throw(Unknown("energy with prescribed degrees of freedom"))
    group = FlatGroup(M[part], K[part], C[part], (q[free], v[free]), place, external if loads or drives else None, own)
    if drives:
        group.drive = drive
    group.features, group.free, group.dofs = n, free, n
    return group


def particles(entry, gravity):
    """Point masses with springs (docs/theory/particles.md)."""
    p = entry["particles"]
    if p.get("file"):
        raise Unknown("particles from a file")
    x = np.array(p["positions"], dtype=float)
    n = len(x)
    m = np.array(p["mass"], dtype=float)
    m = np.repeat(np.full(n, m[0]) if m.size == 1 else m, 3)
    v = np.array(p["velocities"], dtype=float).ravel() if p.get("velocities") else np.zeros(3 * n)
    g = np.tile(np.array(p.get("gravity") or gravity, dtype=float), n)
    damping = entry.get("rayleigh") or {}
    if p.get("springs"):
        raise Unknown("springs between particles")
    C = p.get("drag", 0.0) + damping.get("mass", 0.0) * m
    drives = {d["dof"]: (signals.function_of(d), signals.rate_of(d), signals.second_of(d))
              for d in entry.get("prescribed") or []}
    free = np.array([i for i in range(3 * n) if i not in drives], dtype=int)
    loads = []
    for load in entry.get("loads") or []:
        value = signals.function_of(load)
        if load.get("dof") is not None:
            direction = np.eye(3 * n)[load["dof"]]
        elif load.get("particle") is not None:
            direction = np.zeros(3 * n)
            direction[3 * load["particle"]:3 * load["particle"] + 3] = _unit(load["direction"])
        else:
            raise Unknown("loads by pattern")
        loads.append((direction, value))

    total = m * g

    def external(t):
        F = total
        for direction, value in loads:
            F = F + value(t) * direction
        return F[free]

    def place(feature, local):
        J = np.zeros((3, 3 * n))
        J[:, 3 * int(feature):3 * int(feature) + 3] = np.eye(3)
        return np.zeros(3), J[:, free]

    def drive(feature, t):
        """Without springs it has no other effect (docs/theory/particles.md, section 3)."""
        out = np.zeros((3, 3))
        for axis in range(3):
            if 3 * feature + axis in drives:
                out[:, axis] = [x(t) for x in drives[3 * feature + axis]]
        return out

    m, weight = m[free], total[free]
    energy = lambda q, v: (0.5 * np.sum(m * v * v), -np.sum(weight * q))
    C = np.broadcast_to(C, 3 * n)[free]
    group = FlatGroup(m, np.zeros(len(free)), C, (x.ravel()[free], v[free]), place, external, energy)
    if drives:
        group.drive = drive
    return group


def modal(entry):
    """A string by its modes (docs/theory/modal-exact.md, section 9): u = sum sqrt(2/L) sin(j pi x/L) q_j."""
    s = entry.get("string")
    if not s or s.get("table") or entry.get("loads"):
        raise Unknown("modes other than those of a string without loads")
    L, T, line, n, B = s["length"], s["tension"], s["linear_density"], s["modes"], s["inharmonicity"]
    j = np.arange(1, n + 1, dtype=float)
    f0 = np.sqrt(T / line) / (2.0 * L)
    nu = j * f0 * (np.sqrt(1.0 + B * j * j) if s["dispersion"] == "hinged" else 1.0 + 0.5 * B * j * j)
    d = s.get("damping")
    if not d:
        sigma = np.zeros(n)
    elif "constant" in d:
        sigma = np.full(n, float(d["constant"]))
    elif d.get("model"):
        f = j * f0 if d["loss_frequency"] == "ideal" else nu
        Q = (d["thermoelastic"]
             + (d["air_viscosity"] + d["diameter"] * np.sqrt(np.pi * d["air_viscosity"] * d["air_density"] * f)) / (line * f)
             + d["loss_angle"] * B * (f / f0) ** 2)
        sigma = np.pi * f * Q
    else:
        raise Unknown("damping from a file")
    omega = 2.0 * np.pi * nu
    rayleigh = entry.get("rayleigh") or {}
    sigma = sigma + 0.5 * (rayleigh.get("mass", 0.0) + rayleigh.get("stiffness", 0.0) * omega ** 2)
    q, v = np.zeros(n), np.zeros(n)
    if entry.get("pluck"):
        at, height = entry["pluck"]["at"], entry["pluck"]["height"]
        m = min(max(int(np.floor(at / L * (n + 1) + 0.5)), 1), n)
        x, x_m = np.arange(1, n + 1) * (L / (n + 1)), m * (L / (n + 1))
        u = np.where(np.arange(1, n + 1) < m, height * x / x_m, height * (x - L) / (x_m - L))
        q = np.sqrt(2.0 / L) * L / (n + 1) * (np.sin(np.pi * np.outer(j, np.arange(1, n + 1)) / (n + 1)) @ u)
    start = entry.get("initial") or {}
    if start:
        if start.get("file"):
            raise Unknown("initial state from a file")
        for key, x in (("coordinates", q), ("velocities", v)):
            if start.get(key) is not None:
                x[:len(start[key])] = start[key]
    origin, axis, direction = np.array(entry["origin"], dtype=float), _unit(entry["axis"]), _unit(entry["direction"])
    cache = {}

    def place(feature, local):
        x = float(local[0])
        if x not in cache:
            cache[x] = np.outer(direction, np.sqrt(2.0 / L) * np.sin(np.pi * j * x / L))
        return origin + x * axis, cache[x]

    mu = np.full(n, line)
    group = FlatGroup(mu, mu * omega ** 2, 2.0 * mu * sigma, (q, v), place)
    group.omega, group.sigma, group.mu = omega, sigma, mu
    group.features, group.dofs = 1, n
    return group


KINDS = {"linear": linear, "modal": modal}  # particles need the gravity of the scene


class FlatStep:
    """Base of the steps of one body: the states at both ends, without checks."""

    gain = None  # dq1/dv1 over h; None: unknown

    def __init__(self, group, t0, h, q0, v0, q1, v1):
        self.group, self.t0, self.h = group, t0, h
        self.q0, self.v0, self.q1, self.v1 = q0, v0, q1, v1

    def check_more(self, report, frame, g):
        pass

    def operator(self):
        """M^-1, used only for the scale of the natural map."""
        M = self.group.M
        return 1.0 / M if np.ndim(M) <= 1 else np.linalg.inv(M)


class DefLimStep(FlatStep):
    """def-lim, apart from its momentum:  q1 = q0 + (h/2) (v0 + v1)."""

    gain = 0.5

    def kinematics(self):
        rest = self.q1 - self.q0 - 0.5 * self.h * (self.v0 + self.v1)
        return rest, np.abs(self.q0) + np.abs(self.q1) + self.h * (np.abs(self.v0) + np.abs(self.v1))

    @staticmethod
    def place(group, t0, h, q0, v0, fraction):
        if fraction == 0.0:
            return q0
        if fraction == 0.5:
            return q0 + 0.5 * h * v0
        raise Unknown("the prediction of def-lim, which needs its matrix")
