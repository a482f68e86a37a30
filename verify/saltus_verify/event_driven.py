"""Event-driven integration (docs/theory/event-driven.md): the interval that ends at a frame is integrated again, from event to event.

    M a = F + H^T N,   n . a + b = 0 on closed contacts without friction                          (1)(2)
    at an impact   gap = 0,   u- = speed,   u+ = -e u-,   M (v+ - v-) = H^T P,   energy = T+ - T-

The result is compared with q, v and the impulses of the frame. Single events are checked at all times, with W = H M^-1 H^T.
For bodies without frames and contacts named in the scene H is constant; rigid bodies are followed while they are not in
contact.
"""
import numpy as np

from . import bounds, flow
from .solids import Unknown

IMPACT, REST, CLOSES, OPENS, STICKS, SLIDES, SPRING, HAND_OVER, TAKE_BACK = range(9)


class Contact:
    """A named contact between bodies without frames: rows n, t1, t2 of each group."""

    def __init__(self, results, model, i):
        pairs = results.pairs
        self.key = int(pairs["key"][i])
        law = int(pairs["law"][i])
        laws_ = model.scene["contacts"]
        entry = laws_[law] if law < len(laws_) else None
        distance = ((entry or {}).get("against") or {}).get("distance") or 0.0
        law = entry["law"] if entry else None
        self.law = {"kind": law} if isinstance(law, str) else law
        self.E = np.concatenate([pairs["normal"][i][None], pairs["tangent"][i].reshape(2, 3)])
        self.sides, self.fixed = [], np.zeros(3)
        for s, sign, local in ((0, 1.0, "local_a"), (1, -1.0, "local_b")):
            g, feature = int(pairs["group"][i][s]), int(pairs["feature"][i][s])
            at = pairs[local][i]
            if g < 0:
                self.fixed = self.fixed + sign * at
                continue
            group = model.groups[g]
            if group is None or group.frames:
                raise Unknown(f"contacts with '{results.groups[g].name}', whose rows are not implemented here")
            x, J = group.place_of(feature, at)
            self.fixed = self.fixed + sign * x
            self.sides.append((g, group, feature, sign, self.E @ (sign * J)))
        self.fixed = self.fixed - distance * self.E[0]
        # W of each direction
        self.W = sum((np.sum(H * group.solve(H.T).T, 1) for _, group, _, _, H in self.sides), np.zeros(3))

    def told(self, t):
        return sum((sign * group.told(feature, t) for _, group, feature, sign, _ in self.sides), np.zeros((3, 3)))

    def gap(self, t, q):
        return self.E[0] @ (self.fixed + self.told(t)[0]) + sum(H[0] @ q[g] for g, _, _, _, H in self.sides)

    def rate(self, t, v):
        return self.E @ self.told(t)[1] + sum(H @ v[g] for g, _, _, _, H in self.sides)

    def size(self, q):
        return np.abs(self.fixed).max() + sum(np.abs(H[0]) @ np.abs(q[g]) for g, _, _, _, H in self.sides)

    def smooth(self):
        return self.law and self.law["kind"] == "newton-impact" and not self.law.get("friction")


class EventRecord:
    def __init__(self, results, model):
        self.results, self.model = results, model
        self.contacts, self.reasons = {}, {}
        for i in range(len(results.pairs["key"]) if results.pairs else 0):
            key = int(results.pairs["key"][i])
            try:
                self.contacts[key] = Contact(results, model, i)
            except Unknown as reason:
                self.reasons[key] = str(reason)
        e = results.events
        self.time, self.kind, self.key = e["time"], e["kind"].astype(int), e["key"].astype(np.int64)
        self.speed, self.impulse, self.energy = e["speed"], e["impulse"], e["energy"]
        self.groups = [(g.index, model.groups[g.index]) for g in results.groups if g.velocity is not None]
        self.tolerance = results.scene["time"].get("tolerance") or 1e-9
        top = lambda tables: max((np.nanmax(np.abs(x), initial=0.0) for x in tables if x is not None), default=0.0)
        # a body at rest in an obstacle's plane has a coordinate near 0 that was larger before [m, m/s]
        self.round_off = [16.0 * np.finfo(float).eps * top(x) for x in ([g.q for g in results.groups],
                                                                        [g.velocity for g in results.groups])]
        stepped = np.flatnonzero(results.rows["steps"] > 0)
        self.ends = results.rows["time"][stepped]

    def fault(self):
        """The reason why no interval can be followed, or None."""
        if self.results.joint_force:
            return "with joints"
        for g, group in self.groups:
            if group is None:
                return f"'{self.results.groups[g].name}': {self.model.unknown.get(g, 'its kind')}"
            if getattr(group, "elements", None):
                return "finite elements"
        return None

    def closed_before(self, t):
        """Keys of the contacts that closed or came to rest up to t and have not opened since."""
        closed = set()
        for i in np.flatnonzero(self.time <= t):
            if self.kind[i] in (CLOSES, REST):
                closed.add(int(self.key[i]))
            elif self.kind[i] == OPENS:
                closed.discard(int(self.key[i]))
        return closed

    def schemes_step(self, t0, t1):
        stepping = False
        for i in range(len(self.time)):
            if self.time[i] > t1:
                break
            if self.kind[i] in (HAND_OVER, TAKE_BACK):
                stepping = self.kind[i] == HAND_OVER
                if self.time[i] >= t0:
                    return True
        return stepping

    # -- motion
    def pack(self, q, v):
        return np.concatenate([x for g, _ in self.groups for x in (q[g], v[g])])

    def unpack(self, y):
        q, v, n = {}, {}, 0
        for g, group in self.groups:
            size = len(group.initial()[0])
            wide = len(group.initial()[1])
            q[g], v[g], n = y[n:n + size], y[n + size:n + size + wide], n + size + wide
        return q, v

    def rates(self, closed):
        """y' = f(t, y), y: all q and v, then the impulses of the closed contacts."""
        count = len(closed)
        rows = {g: np.array([sum((H[0] for i, _, _, _, H in c.sides if i == g), np.zeros(len(group.initial()[1])))
                             for c in closed]) for g, group in self.groups if count and not group.frames}
        W = sum((H @ self.model.groups[g].solve(H.T) for g, H in rows.items()), np.zeros((count, count)))

        def f(t, y):
            q, v = self.unpack(y)
            a, out = {}, []
            for g, group in self.groups:
                a[g] = group.acceleration(t, q[g], v[g])
            N = np.zeros(count)
            if count:
                need = np.array([c.E[0] @ c.told(t)[2] for c in closed]) + sum(H @ a[g] for g, H in rows.items())
                N = -np.linalg.lstsq(W, need, rcond=None)[0]
            for g, group in self.groups:
                if g in rows:
                    a[g] = a[g] + group.solve(rows[g].T @ N)
                out += [group.rate_of_places(q[g], v[g]), a[g]]
            return np.concatenate(out + [N])

        return f


def check(results, model, report, frames):
    if not results.events:
        report.not_checked("event-driven integration", "a file without its events")
        return
    record = EventRecord(results, model)
    alone(record, report)
    fault = record.fault()
    if fault:
        report.not_checked("motion between events", fault)
        return
    for k in frames:
        if results.step[k] > 0:
            try:
                interval(record, report, k)
            except Unknown as reason:
                report.not_checked("motion between events", str(reason))


def alone(record, report):
    """Impacts of a single contact, (1) of docs/theory/impacts.md."""
    for i in np.flatnonzero(record.kind == IMPACT):
        t, key = record.time[i], int(record.key[i])
        c = record.contacts.get(key)
        others = np.sum((record.time == t) & (record.kind == IMPACT)) > 1 or record.closed_before(t - 1e-15) - {key}
        if c is None or others or record.results.joint_force or not c.law or c.law["kind"] != "newton-impact":
            report.not_checked("law of impacts", record.reasons.get(key, "of several contacts, with joints, between shapes, "
                                                                      "or of another law than newton-impact"))
            continue
        e, mu = c.law.get("restitution") or 0.0, c.law.get("friction") or 0.0
        P, u, W = record.impulse[i], record.speed[i], c.W
        where = f"event {i}, t = {t:.9g} s"
        if mu == 0.0:
            report.add("law of impacts", P[0] + (1.0 + e) * u / W[0], 1e-12 * abs(P[0]), "N s", where)
            # energy of the bodies: uses the rate of the gap without the prescribed motion of the obstacle
            energy = P[0] * (0.5 * (1.0 - e) * u - c.E[0] @ c.told(t)[1])
            report.add("energy of impacts", record.energy[i] - energy, 1e-11 * u * u / W[0], "J", where)
        report.add("cone of impacts", max(np.linalg.norm(P[1:]) - mu * P[0], 0.0), 1e-8 * abs(P[0]), "N s", where)


def interval(record, report, k):
    results = record.results
    t1 = results.time[k]
    t0 = results.rows["time"][results.row_of_frame[k] - 1]
    at = f"frame {k}, t = {t1:.9g} s"
    if record.schemes_step(t0, t1):
        raise Unknown("intervals with time stepping")
    q0 = {g: results.groups[g].q0[k] for g, _ in record.groups}
    v0 = {g: results.groups[g].v0[k] for g, _ in record.groups}
    q1 = {g: results.groups[g].q[k] for g, _ in record.groups}
    v1 = {g: results.groups[g].v1[k] for g, _ in record.groups}
    inside = np.flatnonzero((record.time > t0) & (record.time <= t1))
    closed = record.closed_before(t0)
    rows = results.contacts.rows(k)
    stored = {int(key): P for key, P in zip(results.contacts.key[rows], results.contacts.impulse[rows])}
    touched = closed | {int(record.key[i]) for i in inside} | {key for key, P in stored.items() if np.any(P)}
    for key in touched:
        if key not in record.contacts:
            raise Unknown(record.reasons.get(key, "intervals in which shapes or limits of joints are in contact"))
        if key in closed and not record.contacts[key].smooth():
            raise Unknown("contacts that stay closed with friction, or by other laws than newton-impact")
    if any(record.kind[i] not in (IMPACT, CLOSES, OPENS) for i in inside):
        raise Unknown("intervals in which a Zeno sequence is summed, friction changes, or a spring becomes active")

    # scales: the motion in a step of the integrator, which may be longer than the interval
    n, m = np.searchsorted(record.ends, t1), np.searchsorted(record.ends, t1, side="right")
    after = record.ends[m] if m < len(record.ends) else results.rows["time"][-1]
    H = max(after - (record.ends[n - 1] if n else 0.0), results.h)
    sent = {key: np.zeros(3) for key in record.contacts}
    y, t, blur = record.pack(q0, v0), t0, 0.0
    for stop in list(inside) + [None]:
        now = record.time[stop] if stop is not None else t1
        order = sorted(closed)
        f = record.rates([record.contacts[key] for key in order])
        y, rest = flow.integrate(f, np.concatenate([y, np.zeros(len(order))]), t, now)
        blur = blur + rest[:len(rest) - len(order)]
        y, N = y[:len(y) - len(order)], y[len(y) - len(order):]
        for key, x in zip(order, N):
            sent[key][0] += x
        t = now
        if stop is not None:
            y = event(record, report, stop, y, closed, sent)
    q, v = record.unpack(y)
    blur_q, blur_v = record.unpack(blur)
    a = record.unpack(f(t1, np.concatenate([y, np.zeros(len(order))]))[:len(y)])[1]
    blur_P = 0.0
    for g, group in record.groups:
        speed, pace = np.abs(v0[g]).max(initial=0.0) + np.abs(v1[g]).max(initial=0.0), np.abs(a[g]).max(initial=0.0)
        lag_v = 10.0 * record.tolerance * (speed + pace * H) + bounds.UNIT * speed
        lag_q = lag_v * H + bounds.MOTION * (np.abs(q0[g]).max(initial=0.0) + np.abs(q1[g]).max(initial=0.0))
        name = lambda i: f"{at}, '{results.groups[g].name}' number {i}"
        report.largest("motion between events, places", q1[g] - group.near(q[g], q1[g]), lag_q + 10.0 * blur_q[g], "m, 1", name)
        report.largest("motion between events, velocities", v1[g] - v[g], lag_v + 10.0 * blur_v[g], "m/s, rad/s", name)
        blur_P = max(blur_P, lag_v + 10.0 * np.max(blur_v[g], initial=0.0))
    for key in touched:
        c, P = record.contacts[key], stored.get(key, np.zeros(3))
        size = 3e-12 * np.abs(P).max() + blur_P / c.W[0]
        report.largest("impulses between events", P - sent[key], size, "N s", lambda i: f"{at}, contact {key}")
    for key in closed:
        c = record.contacts[key]
        report.add("closed contacts, gap", c.gap(t1, q1), bounds.GAP * max(c.size(q1), c.size(q0), results.h), "m", at)
        report.add("closed contacts, rate", c.rate(t1, v1)[0],
                   1e-11 * sum(np.abs(H[0]) @ np.abs(v1[g]) for g, _, _, _, H in c.sides) + blur_P * 1e-3, "m/s", at)


def event(record, report, i, y, closed, sent):
    key, kind, t = int(record.key[i]), record.kind[i], record.time[i]
    if kind == OPENS:
        closed.discard(key)
        return y
    if kind == CLOSES:
        closed.add(key)
        return y
    c, where = record.contacts[key], f"event {i}, t = {t:.9g} s"
    q, v = record.unpack(y.copy())
    u = c.rate(t, v)
    together = np.flatnonzero((record.time == t) & (record.kind == IMPACT))
    late = len(together) > 1 and i != together[0]
    lag = (10.0 * record.tolerance + 1e-12) * (np.abs(u).max() + np.abs(c.told(t)[1]).max())
    lag += 1e-12 * sum(np.abs(H[0]) @ np.abs(v[g]) for g, _, _, _, H in c.sides)  # round-off of the rate
    report.add("impacts, gap", c.gap(t, q), 1e-12 * c.size(q) + lag * record.results.h + record.round_off[0], "m", where)
    if not late:
        report.add("impacts, speed", u[0] - record.speed[i], lag + 1e-11 * abs(record.speed[i]) + record.round_off[1], "m/s", where)
    before = sum(group.energy(q[g], v[g])[0] for g, group in record.groups)
    P = record.impulse[i]
    sent[key] += P
    for g, group, _, _, H in c.sides:
        v[g] = v[g] + group.solve(H.T @ P)
    if len(together) == 1 and c.law["kind"] == "newton-impact" and not closed - {key}:
        e = c.law.get("restitution") or 0.0
        report.add("impacts, restitution", c.rate(t, v)[0] + e * u[0], lag + 1e-11 * abs(u[0]), "m/s", where)
        change = sum(group.energy(q[g], v[g])[0] for g, group in record.groups) - before
        report.add("impacts, energy", record.energy[i] - change, (lag + 1e-10 * abs(u[0])) * np.abs(P).max() * 2.0, "J", where)
    return record.pack(q, v)
