"""Impulses of joints in the momentum of their bodies, and their gaps."""
import numpy as np

from . import bounds
from .joint_geometry import UNDER_B, coordinate, rows
from .signals import jumps_of
from .solids import Unknown


class Sides:
    """Both sides of all joints, means of the start and of the configuration at which the end rows are evaluated."""

    def __init__(self, step):
        joints = step.model.joints
        at = (step.q0, step.ends_of_rows())
        ends = [[step.model.side_frames([getattr(j, s) for j in joints], q) for q in at] for s in "ab"]
        mean = lambda e: (0.5 * (e[0][0] + e[1][0]), 0.5 * (e[0][1] + e[1][1]))
        self.a, self.b = mean(ends[0]), mean(ends[1])
        under = np.array([j.kind in UNDER_B for j in joints])
        self.at_a = np.where(under[:, None], self.b[0], self.a[0])  # the point at which impulses act on a
        self.at_b = self.b[0]

    def frames(self, n):
        return (self.a[0][n], self.a[1][n]), (self.b[0][n], self.b[1][n])


def _push(step, sides, sign, x, force, torque):
    """Impulses and moment impulses in space at x (n x 3 each) on sides of joints."""
    of = np.array([s.group for s in sides])
    for g in np.unique(of[of >= 0]):
        one = step.steps.get(g)
        if one is None or g in step.unknown:
            continue
        here = np.flatnonzero(of == g)
        if one.group.frames:
            body = np.array([sides[i].body for i in here])
            arm = x[here] - step.centres(g)[body]
            one.group.push(step.r[g], step.size[g], one, body, arm, sign * force[here], sign * torque[here])
        else:
            for i in here:
                one.group.push_point(step.r[g], step.size[g], sides[i].x, sign * force[i])


def _may_jump(drive, step):
    times = jumps_of(drive)
    off = 1e-9 * step.h  # times of steps are sums
    return times is None or any(step.t0 - off <= t <= step.t1 + off for t in times if t > 0.0)


def has_loops(joints):
    """Whether joints connect some bodies, or the world, in more than one way."""
    root = {}

    def find(x):
        while root.setdefault(x, x) != x:
            x = root[x]
        return x

    for joint in joints:
        a, b = (find((s.group, s.body) if s.group >= 0 else None) for s in (joint.a, joint.b))
        if a == b:
            return True
        root[a] = b
    return False


def collect(step, report):
    results, model = step.results, step.model
    step.loops = bool(results.joint_force) and has_loops(model.joints)
    step.sides = step.ends = None
    step.adjusted = set()
    if not results.joint_force:
        return
    if model.joint_fault:
        step.miss([g.index for g in results.groups if g.velocity is not None], "a joint: " + model.joint_fault)
        return
    held = {side.group for j in model.joints for side in (j.a, j.b) if side.group >= 0}
    for g in held:
        if results.groups[g].scheme not in ("rig-mid", "moreau-jean") or getattr(model.groups[g], "moves_by_itself", False):
            step.miss([g], f"joints under {results.groups[g].scheme}, or with bodies with prescribed motion")
    level = (model.scene.get("joint") or {}).get("level")
    if level == "both" or model.scene["time"].get("tolerance") is not None:  # steps with error control
        step.miss(sorted(held), "joints at level both, which change the velocities after the step")
        step.adjusted = held
    elif level != "velocity" and any(_may_jump(drive, step) for drive in model.driven):
        step.miss(sorted(held), "joints in a step in which the rate of a drive may jump")
        step.adjusted = held
    try:
        step.ends = [model.side_frames([getattr(j, s) for j in model.joints], step.q1) for s in "ab"]
        step.sides = Sides(step)
    except Unknown as reason:
        step.miss(sorted(held), f"joints on {reason}")
        return
    force = step.h * np.array([f[step.k] for f in results.joint_force])
    torque = step.h * np.array([t[step.k] for t in results.joint_torque])
    _push(step, [j.b for j in model.joints], 1.0, step.sides.at_b, force, torque)
    _push(step, [j.a for j in model.joints], -1.0, step.sides.at_a, force, torque)


def push_coordinate(step, n, i, impulse):
    """Impulse of a law on coordinate i of joint n: along its row, at the mean positions of the step."""
    joint = step.model.joints[n]
    if step.sides is None:
        raise Unknown("a law on a coordinate of a joint with unknown end positions")
    spin, direction, _ = coordinate(joint, i, *step.sides.frames(n))
    p, none = (impulse * direction)[None], np.zeros((1, 3))
    force, torque = (none, p) if spin else (p, none)
    _push(step, [joint.b], 1.0, step.sides.at_b[n][None], force, torque)
    _push(step, [joint.a], -1.0, step.sides.at_a[n][None], force, torque)


def fit_couplings(step):
    """The file does not contain the impulses of drives and gears. Each is one unknown along a known row, chosen so that the
    residual of the momentum is smallest in the metric of the masses."""
    model = step.model
    if not model.couplings or model.joint_fault or step.sides is None:
        return
    groups = [g for g in step.steps if g not in step.unknown]
    if not groups:
        return
    rest_of = lambda r: {g: step.steps[g].group.residual(step.steps[g], r[g]) for g in groups}
    weigh = lambda parts: np.concatenate([step.steps[g].group.weigh(parts[g]) for g in groups])
    kept = step.r, step.size
    columns = []
    for terms in model.couplings:
        pairs = {g: step.steps[g].group.no_impulse() for g in groups}
        step.r, step.size = {g: p[0] for g, p in pairs.items()}, {g: p[1] for g, p in pairs.items()}
        for n, i, weight in terms:
            push_coordinate(step, n, i, weight)
        columns.append((step.r, step.size))
    step.r, step.size = kept
    rest = rest_of(step.r)
    slope = [weigh(rest) - weigh(rest_of({g: step.r[g] + r[g] for g in groups})) for r, _ in columns]
    L = np.linalg.lstsq(np.stack(slope, 1), weigh(rest), rcond=None)[0]
    for x, (r, size) in zip(L, columns):
        for g in groups:
            step.r[g] += x * r[g]
            step.size[g] += abs(x) * size[g]


def check(step, report):
    """Gaps at the end of the step are at most the `joint_gap` in the file, up to round-off."""
    results, model = step.results, step.model
    if not results.joint_force:
        return
    if model.joint_fault:
        report.not_checked("joint gap", model.joint_fault)
        return
    if step.ends is None:
        report.not_checked("joint gap", "of joints with unknown end positions")
        return
    claimed = results.rows["joint_gap"][results.row_of_frame[step.k]]
    (xa, A), (xb, B) = step.ends
    extent = max(np.abs(xa).max(), np.abs(xb).max(), max((np.abs(q).max(initial=0) for q in step.q1 if q is not None)))
    broken = np.array(results.joint_broken) <= step.t1
    kinds = np.array([j.kind for j in model.joints])
    largest = 0.0
    for kind in np.unique(kinds):
        of = np.flatnonzero((kinds == kind) & ~broken)
        if of.size == 0:
            continue
        length = np.array([model.joints[n].length for n in of])
        for spin, gap in rows(kind, length, (xa[of], A[of]), (xb[of], B[of])):
            report.largest("joint gap", gap, claimed + bounds.GAP * (1.0 if spin else extent), "rad" if spin else "m",
                           lambda i: f"{step.at()}, joint {model.joints[of[i]].name}")
            largest = max(largest, np.abs(gap).max(initial=0.0))
    if not model.couplings and not broken.any():
        report.add("joint gap", max(claimed - largest, 0.0), bounds.GAP * max(extent, 1.0), "m, rad", step.at)
