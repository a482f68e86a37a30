"""Checks of all stored frames: energy of the states, lengths of quaternions, the first frame compared with the scene, forces with
impulses, directions of contacts."""
import zlib

import numpy as np

from . import bounds, joint_geometry, modal_exact, rotation, two_step
from .contacts import contact_name
from .solids import Unknown

APART = 1e-6  # initial violations of joints that the run corrects, relative to lengths and velocities


def check(results, model, report, frames):
    frames = np.asarray(frames, dtype=int)
    energies(results, model, report, frames)
    places_off, velocities_off = joints_off(model)
    from_scene = results.step[0] == 0 and 0 in frames and not results.scene.get("start")
    if results.scene.get("start") and 0 in frames:
        report.not_checked("first frame", "the run starts from the state of a former one")
    for g in results.groups:
        known = model.groups[g.index]
        if known is None or g.q is None or g.velocity is None:
            continue
        if known.frames:
            Q = g.q.reshape(results.frames, -1, 7)[frames, :, 3:]
            width = Q.shape[1]
            report.largest("length of quaternions", np.linalg.norm(Q, axis=2) - 1.0, bounds.UNIT, "1",
                           lambda i: f"frame {frames[i // width]}, body {g.names[i % width]}")
        if from_scene:
            q, v = known.initial()
            size = max(np.abs(g.q).max(initial=0.0), 1e-300)
            rest = g.q[0] - q
            if g.index in places_off and np.abs(rest).max(initial=0.0) > bounds.START * size:
                report.not_checked("first frame, places", f"'{g.name}': the run closed violated joints")
            else:
                report.largest("first frame, places", rest, bounds.START * size, "m, 1", lambda i: f"'{g.name}', number {i}")
            size = max(np.abs(g.velocity).max(initial=0.0), 1e-300)
            rest = g.velocity[0] - v
            if g.scheme == "modal-exact":  # strongly damped modes have another start
                rest = np.where(np.exp(-2.0 * known.sigma * results.h) < 0.5, 0.0, rest)
                if any((e.get("scheme") or {}).get("start") == "raw" for e in results.scene["bodies"]):
                    rest = 0.0 * rest
                    report.not_checked("first frame, velocities", "of modal-exact with start: raw")
            if g.index in velocities_off and np.abs(rest).max(initial=0.0) > bounds.START * size:
                report.not_checked("first frame, velocities", f"'{g.name}': the run changed velocities that violate a joint")
            else:
                report.largest("first frame, velocities", rest, bounds.START * size, "m/s, rad/s",
                               lambda i: f"'{g.name}', number {i}")
    if places_off and from_scene and not model.joint_fault:
        q = [g.q[0] if g.q is not None else None for g in results.groups]
        size = max(np.abs(x).max(initial=1e-300) for x in q if x is not None)
        for n, of in enumerate(joint_gaps(model, q)):
            for gap in of:
                report.largest("first frame, joints", gap, bounds.START * max(size, 1.0), "m, rad",
                               lambda i, n=n: f"joint {model.joints[n].name}")
    directions(results, report, frames)


def joints_off(model):
    """Groups whose positions, and groups whose velocities, the run may change at the start: if a joint on them, or on groups
    connected to them, is violated in the scene, the run corrects them by the smallest change. Drives and gears may require any
    change."""
    held = [{side.group for side in (j.a, j.b) if side.group >= 0} for j in model.joints]
    if model.joint_fault:
        everything = set().union(*held) if held else {g for g in range(len(model.groups))}
        return everything, everything
    starts = [g.initial() if hasattr(g, "initial") else (None, None) for g in model.groups]
    speed = max([np.abs(v).max(initial=0.0) for _, v in starts if v is not None], default=0.0)
    dt = 1e-4 / max(speed, 1e-300)

    def gaps(t):
        return joint_gaps(model, [None if x is None else moved(g, x, v, t) for g, (x, v) in zip(model.groups, starts)])

    largest = lambda rows: np.array([max((np.abs(x).max(initial=0.0) for x in of), default=0.0) for of in rows])
    told = {n for terms in model.couplings for n, _, _ in terms}
    places = largest(gaps(0.0)) > APART
    ahead, back = gaps(dt), gaps(-dt)
    rates = largest([[(x - y) / (2.0 * dt) for x, y in zip(*of)] for of in zip(ahead, back)]) > APART * speed
    return tuple(hanging_on(held, {n for n in range(len(held)) if n in told or off[n]}) for off in (places, rates & (speed > 0.0)))


def joint_gaps(model, q):
    """The gaps of each joint with the groups at q, a list."""
    if not model.joints:
        return []
    a = model.side_frames([j.a for j in model.joints], q)
    b = model.side_frames([j.b for j in model.joints], q)
    return [[g for _, g in joint_geometry.rows(j.kind, j.length, *[(x[n:n + 1], A[n:n + 1]) for x, A in (a, b)])]
            for n, j in enumerate(model.joints)]


def hanging_on(held, joints):
    """The groups that are connected by joints to one of these joints."""
    groups = set().union(*(held[n] for n in joints))
    while True:
        more = groups.union(*(of for of in held if of & groups))
        if more == groups:
            return groups
        groups = more


def moved(group, q, v, t):
    if not group.frames:
        return q + t * v
    (x, Q), (u, w) = group.split_q(q), group.split_v(v)
    turned = [rotation.multiply(p, rotation.exponential(t * y)) for p, y in zip(Q, w)]
    return np.concatenate([np.concatenate(pair) for pair in zip(x + t * u, turned)])


FORCES = ("compliant", "hertz", "hunt-crossley", "felt")  # laws that store energy


def energies(results, model, report, frames):
    missing = [g.name for g in results.groups if g.velocity is not None and model.groups[g.index] is None]
    if missing:
        report.not_checked("energy of states", f"it needs every body, and '{missing[0]}' is not implemented here")
        return
    springs = [law for law in model.joint_laws if law.what == "spring" and law.spec["stiffness"] > 0.0]
    if model.joint_fault:
        report.not_checked("energy of states", "with joints: " + model.joint_fault)
        return
    exact = [g for g in results.groups if g.scheme == "modal-exact"]
    kind_of = lambda law: law if isinstance(law, str) else law["kind"]
    laws = [c["law"] for key in ("contacts", "surfaces") for c in results.scene.get(key) or [] if c.get("law")]
    if any(kind_of(law) in FORCES for law in laws):
        report.not_checked("energy of states", "with springs at contacts")
        return
    def parts(g, k):
        known, w = model.groups[g.index], g.v1[k]
        if g.scheme == "modal-exact":
            return modal_exact.energy(known, results.h, g.q[k], w)
        if g.scheme in two_step.NAMES:
            return two_step.energy(known, model.scheme_of(g), results.h, g.q[k], w)
        return known.energy(g.q[k], g.velocity[k])

    try:
        for g in results.groups:
            if model.groups[g.index] is not None and g.velocity is not None:
                parts(g, 0)
    except Unknown as reason:
        report.not_checked("energy of states", str(reason))
        return
    leaps = any(g.scheme in two_step.NAMES for g in results.groups)
    for k in frames:
        if any(np.isnan(g.v1[k]).any() for g in exact):
            continue
        if leaps and (results.scene["time"].get("tolerance") is not None or results.rows["halvings"][results.row_of_frame[k]] > 0):
            report.not_checked("energy of states", "of schemes of two steps after steps of another length")
            continue
        kinetic = potential = round_off = 0.0
        for g in results.groups:
            if model.groups[g.index] is None or g.velocity is None:
                continue
            known = model.groups[g.index]
            if hasattr(known, "energy_round_off"):
                round_off += known.energy_round_off(g.q[k])
            T, V = parts(g, k)
            kinetic, potential = kinetic + T, potential + V
        q = [g.q[k] if g.q is not None else None for g in results.groups]
        for law in springs:
            stored = 0.5 * law.spec["stiffness"] * model.coordinate_at(law, q, k) ** 2
            potential, round_off = potential + stored, round_off + bounds.ENERGY * stored
        row = results.row_of_frame[k]
        blur = sum(getattr(known, "energy_blur", 0.0) for known in model.groups)
        size = abs(kinetic) + abs(potential) + abs(results.rows["potential"][row]) + blur / bounds.ENERGY
        size += abs(results.rows["kinetic"][row - 1]) if row > 0 else 0.0  # energy removed in a step may leave round-off
        where = lambda: f"frame {k}, t = {results.time[k]:.9g} s"
        if exact:  # only their sum is meaningful
            total = kinetic + potential - results.rows["kinetic"][row] - results.rows["potential"][row]
            report.add("energy", total, 10.0 * bounds.ENERGY * max(size, 1e-300), "J", where)
            continue
        report.add("energy, kinetic", kinetic - results.rows["kinetic"][row], bounds.ENERGY * max(size, 1e-300), "J", where)
        report.add("energy, potential", potential - results.rows["potential"][row],
                   bounds.ENERGY * max(size, 1e-300) + round_off, "J", where)


def checksums(results, report, frames):
    """Compares the bytes of each frame with the checksum that the run stored."""
    if results.crc is None:
        report.not_checked("checksum of frames", "a file of an earlier version")
        return
    c = results.contacts
    for k in frames:
        total = 0
        for g in results.groups:
            for table in (g.q, g.velocity, g.q0, g.v0, g.own_v1):
                if table is not None:
                    total = zlib.crc32(np.ascontiguousarray(table[k]).tobytes(), total)
        rows = c.rows(k)
        for table in (c.impulse, c.moment, c.normal, c.tangent):
            total = zlib.crc32(np.ascontiguousarray(table[rows]).tobytes(), total)
        for force, torque in zip(results.joint_force, results.joint_torque):
            total = zlib.crc32(torque[k].tobytes(), zlib.crc32(force[k].tobytes(), total))
        report.add("checksum of frames", float(total != int(results.crc[k])), 0.5, "frames", f"frame {k}")


def directions(results, report, frames):
    c = results.contacts
    if c.normal is None or c.tangent is None or len(c.normal) == 0:
        return
    ends = c.offset.astype(np.int64)
    rows = np.concatenate([np.arange(ends[k], ends[k + 1]) for k in frames])
    of_frame = np.repeat(frames, ends[frames + 1] - ends[frames])
    known = ~np.isnan(c.normal[rows]).any(1) & (np.linalg.norm(c.normal[rows], axis=1) > 0.0)
    rows, of_frame = rows[known], of_frame[known]
    if rows.size == 0:
        return
    frame = lambda i: f"frame {of_frame[i]}, {contact_name(results, c.body[rows[i]][0::2], c.body[rows[i]][1::2])}"
    n, t = c.normal[rows], np.nan_to_num(c.tangent[rows]).reshape(-1, 2, 3)
    report.largest("contact frames, normals", np.linalg.norm(n, axis=1) - 1.0, bounds.UNIT, "1", frame)
    for a in range(2):
        there = np.linalg.norm(t[:, a], axis=1) > 0.0
        report.largest("contact frames, tangents",
                       np.where(there, np.abs(np.linalg.norm(t[:, a], axis=1) - 1.0) + np.abs(np.sum(t[:, a] * n, 1)), 0.0),
                       bounds.UNIT, "1", frame)
    nowhere = np.where(np.linalg.norm(t, axis=2) == 0.0, np.abs(c.impulse[rows][:, 1:]), 0.0).max(1)
    report.largest("impulses without a direction", nowhere, 1e-300, "N s", frame)
    if not results.by_events:
        p = np.einsum("ci,cij->cj", c.impulse[rows], np.concatenate([n[:, None], t], 1))
        size = np.abs(c.impulse[rows]).max(1)
        row = results.row_of_frame[of_frame]
        halved = results.rows["halvings"][row] > 0
        if "steps" in results.rows:  # the impulse is that of the last of them
            halved = halved | (results.rows["steps"][row] != 1)
        rest = np.where(halved, 0.0, np.abs(p - results.h * c.force[rows]).max(1))
        report.largest("force of contacts times h", rest, bounds.FORCE * np.maximum(size, 1e-300), "N s", frame)
