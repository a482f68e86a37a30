"""The contact laws on the stored step (docs/theory/laws.md): gaps and rates of the contacts are computed from the states, and for each

    F = P - Proj_K(P - rho u^),   u^ = u~ + mu |u~_T| n,   rho = rows/trace W_cc        (docs/concepts/contact_problem.md (3))

which is zero if the law holds. It is measured like the residual of the program's solvers: |F| against max(|P|, |rho u|, sqrt(2 E rho)).
"""
import numpy as np

from . import running
from .solids import Unknown

MOST_FRICTION = 1e5  # larger coefficients act as this one


class Kinematics:
    """Rates and gaps of contacts: arrays, one row per contact; NaN if a side is unknown."""

    def __init__(self, step, found):
        n = len(found)
        self.u0, self.u1 = np.zeros((n, 3)), np.zeros((n, 3))
        self.W = np.zeros((n, 3))                 # diagonal of W_cc, without joints
        self.way_c, self.way_0 = np.zeros(n), np.zeros(n)  # gap at the contact instant and at the start, minus that at the end
        self.gain = np.full(n, np.inf)            # of the scheme, the smaller one of both sides
        self.bend = np.zeros(n)                   # largest deviation of the paths of the points from lines, by rotation and travel [m]
        self.blur = np.zeros(n)                   # error of the rates [m/s]
        for s, sign in ((0, 1.0), (1, -1.0)):
            for g in np.unique(found.group[:, s]):
                if g < 0:
                    continue
                of = np.flatnonzero(found.group[:, s] == g)
                args = (found.body[of, s], found.feature[of, s], found.local[of, s])
                try:
                    sides = side_of(step, g)
                    E, normal = found.E[of], found.n[of]
                    self.u0[of] += sign * np.einsum("cij,cj->ci", E, sides.rate(0, *args))
                    self.u1[of] += sign * np.einsum("cij,cj->ci", E, sides.rate(1, *args))
                    self.W[of] += sides.mobility(E, *args)
                    x_c, x_0, x_1 = sides.places(*args)  # x_c may be unknown
                    self.way_c[of] += sign * np.sum(normal * (x_c - x_1), 1)
                    self.way_0[of] += sign * np.sum(normal * (x_0 - x_1), 1)
                    if g in step.steps:
                        gain = getattr(step.steps[g], "gain", None)
                        self.gain[of] = np.minimum(self.gain[of], np.nan if gain is None else gain)
                    if hasattr(sides, "bend"):
                        self.bend[of] += sides.bend(*args)
                        self.blur[of] += sides.blur(*args)
                    elif g not in step.steps:  # prescribed motion
                        self.bend[of] += step.h * np.linalg.norm(sides.rate(1, *args) - sides.rate(0, *args), axis=1)
                except Unknown:
                    for x in (self.u0, self.u1, self.W, self.way_c, self.way_0):
                        x[of] = np.nan
        surfaces = running.of(step.model)
        for u, end in ((self.u0, 0), (self.u1, 1)):
            u[:, 1:] += np.einsum("cij,cj->ci", found.E[:, 1:], surfaces.drift(step, found, end))
        # travel of the contact along the surfaces: -g h a at the start and (1 - g) h a at the end, g = 1/2 in later stages
        gain = np.where(np.isinf(self.gain), np.nan, self.gain) if step.one_stage else np.full(n, 0.5)  # no side is known
        a = np.einsum("cij,cj->ci", found.E, found.carried)
        moves = np.any(a != 0.0, axis=1)
        self.bend += 0.5 * step.h ** 2 * np.linalg.norm(a, axis=1)  # the gap is that of other points at the end
        self.u0[moves] -= (step.h * gain[:, None] * a)[moves]
        self.u1[moves] += (step.h * (1.0 - gain)[:, None] * a)[moves]
        self.gap_c, self.gap_0 = found.gap + self.way_c, found.gap + self.way_0


def side_of(step, g):
    if g in step.steps:
        return step.steps[g].group.side(step, g)
    group = step.model.groups[g]
    if group is None or step.model.schemes[g] is not None or not getattr(group, "moves_by_itself", False):
        raise Unknown(f"'{step.results.groups[g].name}'")
    return group.side(step, g)


def project(x, mu):
    """Nearest point of Coulomb's cone."""
    N, T = x[:, 0], np.linalg.norm(x[:, 1:], axis=1)
    inside = T <= mu * N
    below = mu * T <= -N
    top = (N + mu * T) / (1.0 + mu * mu)
    scale = np.where(T > 0.0, mu * top / np.where(T > 0.0, T, 1.0), 0.0)
    out = np.concatenate([top[:, None], scale[:, None] * x[:, 1:]], 1)
    out[inside] = x[inside]
    out[below | (N <= 0.0) & inside] = 0.0
    return out


def law_specs(step, found):
    """The law of each contact in the resolved scene; None: unknown."""
    model, pairs = step.model, step.results.pairs
    named = len(pairs["key"]) if pairs else 0
    rules = model.scene["surfaces"]
    if len(rules) == 1 and not rules[0]["materials"] and (found.key >= named).all():
        law = rules[0].get("law")
        return [{"kind": law} if isinstance(law, str) else law] * len(found)
    scene, cache, out = model.scene, {}, []
    number = {int(k): int(l) for k, l in zip(pairs["key"], pairs["law"])} if pairs else {}
    for i in range(len(found)):
        key = int(found.key[i])
        if key in number:
            law = number[key]
            out.append(scene["contacts"][law]["law"] if law < len(scene["contacts"]) else None)
            continue
        of = tuple(map(tuple, np.stack([found.group[i], found.body[i]], 1)))
        if of not in cache:
            cache[of] = model.surface_law(*of)
        out.append(cache[of])
    whole = {}  # one object per law, common to all its contacts
    return [whole.setdefault(id(law), {"kind": law} if isinstance(law, str) else law) for law in out]


def tolerance_of(results):
    """Requested tolerance of contact problems [1]. Files of earlier versions do not contain the default."""
    if results.contact_tolerance is not None:
        return float(results.contact_tolerance)
    given = results.scene.get("solver", {}).get("tolerance")
    return given if given is not None else 1e-9 if results.scene.get("surfaces") else 1e-12


SEEN = 1e-10  # [1] of a residual: smaller ones are round-off of the states in the file
TIMES = 30.0  # by which the residual of the program may exceed the one computed here, with rows of its own


def check(step, found, report):
    if len(found) == 0 or np.isnan(found.local).any():
        return
    laws = law_specs(step, found)
    step.residual = 0.0
    missing = report.misses
    _check(step, found, laws, report)
    rows, row = step.results.rows, step.results.row_of_frame[step.k]
    if report.misses == missing and all(law and law["kind"] in MEASURED for law in laws):
        claimed = rows["residual_after"][row]
        # joints also have a residual, which is not computed here
        lowest = claimed / TIMES if not step.results.joint_force and len(found) == len(step.results.contacts.key[
            step.results.contacts.rows(step.k)]) else 0.0
        report.add("residual after the step", lowest, max(step.residual, SEEN), "1", step.at)


MEASURED = ("newton-impact", "signorini-position", "stewart-trinkle")


def _check(step, found, laws, report):
    kinds = np.array([law["kind"] if law else "" for law in laws])
    for kind in np.unique(kinds):
        of = np.flatnonzero(kinds == kind)
        if kind == "":
            report.not_checked("contact law", "contacts between surfaces of several materials")
        elif kind not in CHECKS:
            report.not_checked("contact law", kind)
        else:
            CHECKS[kind](step, found, Kinematics(step, found), [laws[i] for i in of], of, report)


def friction_of(laws):
    """mu, and the factors of the tangents that make the cone of mu circular: P_a = r_a P'_a, u'_a = r_a u_a with
    r_a = mu_a/mu along the axis, which is the first tangent, and across it."""
    pick = {}
    for law in laws:
        if id(law) not in pick:
            f = law.get("friction") or 0.0
            mu, r = (max(f["values"]), np.array(f["values"]) / max(f["values"])) if isinstance(f, dict) \
                else (f, np.ones(2))
            pick[id(law)] = (min(mu, MOST_FRICTION), r)
    found = [pick[id(law)] for law in laws]
    return np.array([f[0] for f in found], dtype=float), np.array([f[1] for f in found]).reshape(-1, 2)


def newton_impact(step, found, x, laws, of, report):
    number = lambda key: _numbers(laws, key)
    e, e_T = number("restitution"), number("restitution_tangential")
    mu, r = friction_of(laws)
    known = ~np.isnan(x.u1[of]).any(1)
    for text, bad in (("sides whose motion is not implemented here", ~known),
                      ("rolling or spinning friction", (number("rolling") > 0) | (number("spinning") > 0)),
                      ("cohesion", number("cohesion") > 0),
                      ("friction in only one direction", r.min(1) == 0),
                      ("slip: mean", np.array([law.get("slip", "end") != "end" for law in laws]) & (mu > 0))):
        if (bad & known).any() or (text.startswith("sides") and bad.any()):
            report.not_checked("contact law", "newton-impact with " + text)
        known &= ~bad
    of, mu, e, e_T, r = of[known], mu[known], e[known], e_T[known], r[known]
    laws = [law for law, k in zip(laws, known) if k]
    if of.size == 0:
        return
    h, P = step.h, found.P[of].copy()
    u0, u1, W = x.u0[of].copy(), x.u1[of].copy(), x.W[of].copy()
    for rows, scale in ((P, 1.0 / r), (u0, r), (u1, r), (W, r * r)):
        rows[:, 1:] *= scale
    there = np.linalg.norm(found.E[of], axis=2) > 0.0        # rows of the contact
    rows = np.where(mu > 0.0, there.sum(1), 1)
    there[:, 1:] &= (mu > 0.0)[:, None]
    u = np.where(there, np.concatenate([u1[:, :1] + e[:, None] * u0[:, :1], u1[:, 1:] + e_T[:, None] * u0[:, 1:]], 1), 0.0)
    u[:, 0], known = with_load(step, found, x, laws, of, e)
    if not known.all():
        report.not_checked("contact law", "newton-impact under load with a scheme whose gain is not implemented here")
        of, mu, e, e_T, P, u0, u1, W, u, there, rows = (a[known] for a in (of, mu, e, e_T, P, u0, u1, W, u, there, rows))
        laws = [law for law, k in zip(laws, known) if k]
        if of.size == 0:
            return
    rho = rows / np.maximum(np.where(there, W, 0.0).sum(1), 1e-300)
    # active contacts: g + w h u0 <= threshold at the contact instant
    none = {}
    act = [law.get("activation") or none for law in laws]
    pick = lambda key, default: _numbers(act, key, default)
    at_start = step.model.scene["contact"]["instant"] == "start"
    ahead = x.gap_c[of] + pick("forecast", 0.5 if at_start else 0.0) * h * u0[:, 0] - pick("threshold", 0.0)
    surface = found.key[of] >= 2 ** 32
    slack = 1e-6 * (step.model.scene["contact"].get("margin") or step.model.margin()) * surface
    blur = (1e-12 + 1e-8 * surface) * (found.size[of] + h * np.abs(u0[:, 0]) + 1.0 * ~surface)
    closing = np.array([bool(a.get("closing_only")) for a in act])
    closed = np.where(closing, u0[:, 0] <= pick("velocity_threshold", 0.0), True)
    surely = (ahead < slack - blur) & closed
    closing &= ~gap_closing(step.model.scene, laws)  # which keeps contacts under load active
    most = np.maximum(slack, closed_gap(step, found, of))
    never = (ahead > most + blur) | (closing & (u0[:, 0] > pick("velocity_threshold", 0.0) + 1e-12))
    where = lambda j: f"{step.at()}, {found.name(of[j])}"
    if step.one_stage:
        report.largest("contacts without cause", np.where(never, np.abs(P).max(1), 0.0),
                       1e-12 * np.maximum(np.abs(P).max(), 1e-300), "N s", where)
    active = surely | (np.abs(P).max(1) > 0.0)
    hat = u.copy()
    hat[:, 0] += mu * np.linalg.norm(u[:, 1:], axis=1)
    F = P - project(P - rho[:, None] * hat, mu)
    F[~active] = 0.0
    # an error d of the rates is one of (1 + mu) d in u^, and Proj does not increase it
    blur = rho * (1.0 + mu) * x.blur[of]
    off = judge(step, F[active], P[active], (rho[:, None] * u)[active], rho[active], "contact law", report, blur[active])
    keep_apart(step, u[active][:, 0], np.abs(np.concatenate([u0, u1], 1))[active], P[active][:, 0], rho[active], of[active],
               found, report)
    top = np.maximum(np.abs(P).max(), 1e-300)
    # the cone is no farther than Proj_K(P - rho u^), |F| from P; its distance is (|P_T| - mu P_N)/sqrt(1 + mu^2) outside
    report.largest("cone", np.maximum(np.linalg.norm(P[:, 1:], axis=1) - mu * P[:, 0], 0.0),
                   np.maximum(1e-8 * top, np.sqrt(1.0 + mu * mu) * off), "N s", where)
    report.largest("impulses that pull", np.minimum(P[:, 0], 0.0), np.maximum(1e-12 * top, off), "N s", where)


def gap_closing(scene, laws):
    """Which laws close the gaps of contacts under load: `activation.kind` if given, otherwise those without forecast, threshold and
    instant start."""
    forecast = any(isinstance(one.get("scheme"), dict) and one["scheme"].get("gamma") is not None for one in scene["bodies"])
    out = []
    for law in laws:
        a = law.get("activation") or {}
        siconos = (forecast or a.get("forecast") is not None or a.get("threshold") is not None
                   or scene["contact"]["instant"] == "start")
        out.append((a.get("kind") or ("siconos" if siconos else "gap-closing")) == "gap-closing")
    return np.array(out, dtype=bool)


def closed_gap(step, found, of):
    """Upper bound of the gap that counts as closed, a millionth of the margin between surfaces; 0 for named points. If the scene gives
    no margin it is a hundredth of a shape, of which the points show the size only roughly."""
    margin = step.model.scene["contact"].get("margin") or np.maximum(step.model.margin(), 0.02 * found.size[of])
    return 4e-6 * margin * (found.key[of] >= 2 ** 32)


def with_load(step, found, x, laws, of, e):
    """u~_N, and whether it is known. For gap-closing contacts  u1 + max(Y/h, e u0, 0)  if e = 0 or under lasting load, with Y the
    smaller of y1 - gain h u1, the gap at the end if the rate there were 0, and y0 + (1 - gain) h u0; otherwise u1 + e u0. The file
    does not contain whether load lasts: if e > 0, either may hold. If bodies rotate, the error of Y is up to `bend`."""
    h = step.h
    load = gap_closing(step.model.scene, laws)
    u1, y1, P = x.u1[of][:, 0], found.gap[of], found.P[of][:, 0]
    gain = x.gain[of] if step.one_stage else np.zeros(of.size)
    Y = np.minimum(y1 - gain * h * u1, x.gap_0[of] + (1.0 - gain) * h * x.u0[of][:, 0]) if step.one_stage else np.zeros(of.size)
    # larger Y close up to the gap that counts as closed
    blur = closed_gap(step, found, of) + x.bend[of] + 1e-12 * found.size[of]
    reach = np.clip(-h * u1, np.maximum(Y - blur, 0.0), np.maximum(Y + blur, 0.0))
    u0 = x.u0[of][:, 0]
    impact = e * u0
    under_load = np.maximum(reach / h, np.maximum(impact, 0.0))
    only = np.array([bool((law.get("activation") or {}).get("closing_only")) for law in laws]) & load & (u0 > 0.0)
    impact, under_load = (np.where(only, np.maximum(term, u0), term) for term in (impact, under_load))
    rests = np.abs(np.minimum(u1 + under_load, P)) <= np.abs(np.minimum(u1 + impact, P))
    return u1 + np.where(load & ((e == 0.0) | rests), under_load, impact), ~load | ~np.isnan(gain)


def judge(step, F, P, speed, rho, name, report, blur=0.0):
    """Returns the |F| to which the program has solved the laws."""
    if len(F) == 0:
        return 0.0
    row = step.results.row_of_frame[step.k]
    rows = step.results.rows
    energy = abs(rows["kinetic"][row]) + abs(rows["potential"][row])
    scale = max(np.linalg.norm(P), np.linalg.norm(speed), np.sqrt(2.0 * energy * rho.max(initial=0.0)), 1e-300)
    claimed = max(tolerance_of(step.model.results), rows["residual_after"][row])
    found = np.linalg.norm(F) / scale
    report.add(name, found, 10.0 * claimed + np.linalg.norm(blur) / scale, "1", step.at, count=len(F))
    step.residual = max(step.residual, found)
    return claimed * scale


def constant_gravity(scene):
    gravity = scene.get("gravity") or [0.0]
    return [0.0] if isinstance(gravity, dict) else gravity


def keep_apart(step, u_N, speeds, P_N, rho, of, found, report):
    """No contact closes: -u~_N is small relative to the velocities of the step, h g and sqrt(2 E/rho), independently of the
    impulses and coefficients of friction by which judge() divides. The bound also contains the round-off of positions, 1e-12
    of their size over h, and of impulses, 1e-14 of P/rho."""
    if len(u_N) == 0:
        return
    row, rows = step.results.row_of_frame[step.k], step.results.rows
    energy = abs(rows["kinetic"][row]) + abs(rows["potential"][row])
    falls = step.h * np.linalg.norm(np.asarray(constant_gravity(step.model.scene), dtype=float))
    scale = np.maximum(max(np.nanmax(speeds, initial=0.0), falls), np.sqrt(2.0 * energy / np.maximum(rho, 1e-300)))
    claimed = max(1e-6, tolerance_of(step.model.results), rows["residual_after"][row])
    blur = 1e-12 * np.nanmax(np.abs(found.local[of]), initial=0.0) / step.h + 1e-14 * np.abs(P_N / rho)
    where = lambda j: f"{step.at()}, {found.name(of[j])}"
    report.largest("contacts that close", np.maximum(-u_N, 0.0), 10.0 * claimed * scale + blur, "m/s", where)


def _numbers(laws, key, default=0.0):
    if len(laws) > 1 and len(set(map(id, laws))) == 1:
        return np.full(len(laws), _numbers(laws[:1], key, default)[0])
    return np.array([law.get(key) if law.get(key) is not None else default for law in laws], dtype=float)


def signorini_position(step, found, x, laws, of, report):
    """0 <= y1 perp P >= 0. A penetration counts as y1/h."""
    W = np.maximum(x.W[of][:, 0], 1e-300)
    P, speed = found.P[of][:, 0], found.gap[of] / step.h
    F = P - np.maximum(P - speed / W, 0.0)
    active = (P != 0.0) | (found.gap[of] < 0.0)
    judge(step, F[active], P[active], (speed / W)[active], 1.0 / W[active], "contact law", report)
    keep_apart(step, speed[active], np.abs(np.concatenate([x.u0[of], x.u1[of]], 1))[active], P[active], 1.0 / W[active], of[active],
               found, report)


def stewart_trinkle(step, found, x, laws, of, report):
    """0 <= u1 + max(y0, 0)/h perp P >= 0, and friction against u1_T."""
    mu, r = friction_of(laws)
    known = ~(np.isnan(x.u1[of]).any(1) | np.isnan(x.gap_0[of]))
    bad = (_numbers(laws, "rolling") > 0) | (_numbers(laws, "spinning") > 0) | (_numbers(laws, "cohesion") > 0) | (r.min(1) < 1)
    if (~known | bad).any():
        report.not_checked("contact law", "stewart-trinkle with rolling, cohesion, two coefficients or unknown sides")
    known &= ~bad
    of, mu = of[known], mu[known]
    if of.size == 0:
        return
    P, u = found.P[of], x.u1[of].copy()
    there = np.linalg.norm(found.E[of], axis=2) > 0.0
    there[:, 1:] &= (mu > 0.0)[:, None]
    u[:, 0] += np.maximum(x.gap_0[of], 0.0) / step.h
    u = np.where(there, u, 0.0)
    rho = there.sum(1) / np.maximum(np.where(there, x.W[of], 0.0).sum(1), 1e-300)
    hat = u.copy()
    hat[:, 0] += mu * np.linalg.norm(u[:, 1:], axis=1)
    F = P - project(P - rho[:, None] * hat, mu)
    judge(step, F, P, rho[:, None] * u, rho, "contact law", report)
    keep_apart(step, u[:, 0], np.abs(np.concatenate([x.u0[of], x.u1[of]], 1)), P[:, 0], rho, of, found, report)


def relay(step, found, x, laws, of, report):
    """-P in h F(s) Sgn(s), s = u1 - V or (u0 + u1)/2 - V."""
    mean = np.array([law.get("slip", "end") == "mean" for law in laws])
    u1 = x.u1[of][:, 0]
    slip = np.where(mean, 0.5 * (u1 + x.u0[of][:, 0]), u1) - _numbers(laws, "velocity")
    bound = step.h * _numbers(laws, "bound")
    for i, law in enumerate(laws):
        if weakening := law.get("velocity_weakening", law.get("falling")):  # falling: former name
            bound[i] *= weakened(weakening, abs(slip[i]))
    W = np.maximum(x.W[of][:, 0], 1e-300)
    P = found.P[of][:, 0]
    F = P - np.clip(P - slip / W, -bound, bound)
    judge(step, F, P, slip / W, 1.0 / W, "contact law", report)


def weakened(weakening, slip):
    """Fraction of the bound at rest that remains at a slip velocity: a hyperbola down to `ratio`."""
    return weakening["ratio"] + (1.0 - weakening["ratio"]) / (1.0 + slip / weakening["speed"])


def compliant(step, found, x, laws, of, report):
    """P = h N, N = k d^p - c u, d = max(-y, 0), evaluated at the end, in the middle, or as a mean that conserves energy."""
    for j, (i, law) in enumerate(zip(of, laws)):
        k, p, c = law["stiffness"], law.get("exponent", 1.0), law.get("damping", 0.0)
        at = law.get("at") or "mean"
        y0, y1 = x.gap_0[i], found.gap[i]
        V = lambda y: k * max(-y, 0.0) ** (p + 1.0) / (p + 1.0)
        force = lambda y: k * max(-y, 0.0) ** p
        if found.key[i] >= 1 << 44:  # the gaps are between shapes, not between points along one normal
            report.not_checked("contact law", "springs between shapes")
            continue
        if np.isnan(y0) or law.get("pulls"):
            report.not_checked("contact law", "compliant with sides whose motion is not implemented here, or with `pulls`")
            continue
        if at == "mean":
            far = abs(y1 - y0) > 1e-6 * max(abs(y0), abs(y1), 1e-300)
            N = (V(y0) - V(y1)) / (y1 - y0) if far else force(0.5 * (y0 + y1))
            N += c * (max(-y1, 0.0) - max(-y0, 0.0)) / step.h
        elif at == "middle":
            N = force(0.5 * (y0 + y1)) - c * 0.5 * (x.u0[i, 0] + x.u1[i, 0])
        else:
            N = force(y1) - c * x.u1[i, 0]
        N = max(N, 0.0)
        P = found.P[i, 0]
        top = np.maximum(np.abs(found.P).max(), 1e-300)
        # in a mean, round-off is divided by the difference of the gaps, y1 - y0
        blur = 1e-9 * top + 1e-13 * step.h * (V(y0) + V(y1)) / max(abs(y1 - y0), 1e-300) if at == "mean" else 1e-9 * top
        # a dashpot does not act at a distance
        if c > 0.0 and at != "mean" and P == 0.0 and min(0.5 * (y0 + y1), y1) >= 0.0:
            N = 0.0
        report.add("contact law, springs", P - step.h * N, blur, "N s",
                   lambda: f"{step.at()}, {found.name(i)}")


CHECKS = {"newton-impact": newton_impact, "signorini-position": signorini_position, "relay": relay,
          "stewart-trinkle": stewart_trinkle, "compliant": compliant}
