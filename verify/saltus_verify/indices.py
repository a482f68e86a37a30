"""Numbers that refer to something: bodies, contacts, rows of tables, kinds; and times, which are multiples of the step.

They are checked first, because the equations use them."""
import numpy as np

EPS = np.finfo(float).eps


def check(results, report):
    lengths(results, report)
    if not report.passed:
        return
    times(results, report)
    contacts(results, report)
    pairs(results, report)
    flags(results, report)
    events(results, report)


def _flag(report, name, bad, where):
    """One check for each entry of `bad`, which is true where something is wrong."""
    report.largest(name, np.asarray(bad, dtype=float), 0.5, "entries", where)


def lengths(results, report):
    """Tables with the same rows have equally many."""
    rows, frames = len(results.rows["time"]), results.frames
    same = [("step/" + n, len(x), rows) for n, x in results.rows.items()]
    same += [("ledger/" + n, len(x), rows) for n, x in results.ledger.items()]
    same += [(p.path, len(p.rows), rows) for p in results.probes]
    same += [("timing/step", len(results.timing), rows)] if results.timing is not None else []
    same += [("frames/step", len(results.step), frames)]
    for g in results.groups:
        same += [(f"{g.path}/{n}", len(x), frames) for n in ("q", "velocity", "q0", "v0", "own_v1", "time")
                 if (x := getattr(g, n)) is not None]
    c = results.contacts
    if c.offset is not None:
        same.append(("contacts/offset", len(c.offset), frames + 1))
    if c.key is not None:
        same += [(f"contacts/{n}", len(x), len(c.key)) for n in ("impulse", "moment", "point", "normal", "force", "gap", "status",
                                                                 "body", "tangent", "local", "carried", "feature")
                 if (x := getattr(c, n)) is not None]
    for name, of in (("pairs", results.pairs), ("events", results.events)):
        same += [(f"{name}/{n}", len(x), len(of["key"])) for n, x in of.items() if "key" in of]
    _flag(report, "numbers of rows", [n != m for _, n, m in same], lambda i: same[i][0])


def times(results, report):
    t, h, step = results.rows["time"], results.h, results.step
    row = lambda i: f"row {i}"
    if results.every_step:
        n = np.arange(len(t))
    else:  # rows of frames and of the last step
        n = np.unique(np.concatenate([step, [int(round(t[-1] / h))]]))[:len(t)] if len(t) else step
    bound = 4.0 * EPS * np.maximum(np.abs(t), h)
    if len(n) == len(t):
        report.largest("times of rows", t - n * h, bound, "s", row)
    else:
        _flag(report, "times of rows", [True], "their number")
    frame = lambda i: f"frame {i}"
    order = np.concatenate([[step[:1].sum() < 0], np.diff(step) <= 0]) if len(step) else []
    _flag(report, "steps of frames", np.asarray(order, dtype=bool) | (step > n.max(initial=0)), frame)
    at = np.minimum(np.searchsorted(n, step), max(len(t) - 1, 0))
    report.largest("times of frames", results.time - t[at] if len(t) else results.time, 1e-300, "s", frame)
    for g in results.groups:
        if g.time is not None:
            report.largest("times of frames", g.time - results.time, 1e-300, "s", lambda i, g=g: f"'{g.name}', frame {i}")


def _sides(results, report, name, group, body, features, fixed):
    """Groups and bodies of both sides, one row per contact."""
    count = np.array([g.bodies for g in results.groups] + [0])
    known = (group >= -1) & (group < len(results.groups))
    of = np.where(known, group, -1)
    inside = np.where(of >= 0, (body >= 0) & (body < count[of]), (body >= -1) & (body < max(fixed, 1)))
    where = lambda i: f"contact {i // 2}, side {'ab'[i % 2]}"
    _flag(report, f"{name}, bodies", ~(known & inside), where)
    _flag(report, f"{name}, features", features < -1, where)


def contacts(results, report):
    c = results.contacts
    if c.offset is None or c.key is None:
        return
    off = c.offset.astype(float)
    ends = np.concatenate([[off[0] != 0], np.diff(off) < 0, [off[-1] != len(c.key)]])
    _flag(report, "contacts of frames", ends, lambda i: f"frame {min(i, results.frames - 1)}")
    if not report.passed or len(c.key) == 0:
        return
    first = np.zeros(len(c.key) + 1, dtype=bool)
    first[c.offset.astype(np.int64)] = True
    key = c.key.astype(np.uint64)
    _flag(report, "contacts, keys", np.concatenate([[False], (key[1:] <= key[:-1]) & ~first[1:-1]]), lambda i: f"contact {i}")
    if c.status is not None:
        touched = np.any(c.impulse != 0.0, axis=1)
        unlike = (c.status < -1) | (c.status > 3) | ((c.status == 0) & touched)
        _flag(report, "contacts, status", unlike, lambda i: f"contact {i}")
    if c.body is not None and c.feature is not None:
        _sides(results, report, "contacts", c.body[:, 0::2], c.body[:, 1::2], c.feature, len(c.fixed))
        _agree_with_pairs(results, report)


def _agree_with_pairs(results, report):
    """Contacts named in the scene have the bodies of their row of /pairs."""
    c, p = results.contacts, results.pairs
    if not p or len(p["key"]) == 0:
        return
    at = np.minimum(np.searchsorted(p["key"], c.key), len(p["key"]) - 1)
    named = (p["key"][at] == c.key) & (c.status != -1)
    sides = np.stack([p["group"][at, 0], p["body"][at, 0], p["group"][at, 1], p["body"][at, 1]], 1)
    where = lambda i: f"contact {np.flatnonzero(named)[i]}"
    moves = sides[:, 0::2] >= 0
    differs = (c.body[:, 0::2] != sides[:, 0::2]) | (moves & (c.body[:, 1::2] != sides[:, 1::2]))
    _flag(report, "contacts, as in /pairs", differs.any(1)[named], where)


def pairs(results, report):
    p = results.pairs
    if not p or len(p["key"]) == 0:
        return
    where = lambda i: f"pair {i}"
    _flag(report, "pairs, keys", np.concatenate([[False], p["key"][1:] <= p["key"][:-1]]), where)
    _sides(results, report, "pairs", p["group"], p["body"], p["feature"], len(results.contacts.fixed))
    laws = len(results.scene.get("contacts") or [])
    _flag(report, "pairs, laws", (p["law"] < 0) | (p["law"] >= laws), where)
    t = p["tangent"].reshape(-1, 2, 3)
    there = np.sum(np.linalg.norm(t, axis=2) > 0.0, axis=1)
    _flag(report, "pairs, tangents", p["tangents"] != there, where)
    n = p["normal"]
    report.largest("pairs, directions", np.linalg.norm(n, axis=1) - 1.0, 1e-12, "1", where)
    length = np.linalg.norm(t, axis=2)
    report.largest("pairs, directions", np.where(length > 0.0, length - 1.0, 0.0).max(1), 1e-12, "1", where)
    report.largest("pairs, directions", np.abs(np.einsum("cak,ck->ca", t, n)).max(1), 1e-12, "1", where)


def flags(results, report):
    r = results.rows
    row = lambda i: f"row {i}"
    for name in ("contacts", "iterations", "passes", "halvings", "steps", "rejected", "events", "evaluations"):
        if name in r:
            _flag(report, "counts of rows", r[name] < 0, lambda i, name=name: f"{name}, row {i}")
    _flag(report, "counts of rows", (r["converged"] != 0) & (r["converged"] != 1), lambda i: f"converged, row {i}")
    for name in ("residual", "residual_after", "joint_gap", "error"):
        if name in r:
            _flag(report, "signs of rows", r[name] < 0.0, lambda i, name=name: f"{name}, row {i}")
    if results.timing is not None:
        _flag(report, "signs of rows", results.timing < 0.0, lambda i: f"timing, row {i}")
    if len(r["time"]) and results.every_step and results.step[:1].sum() == 0:
        start = ["contacts", "iterations", "passes", "halvings", "residual", "residual_after", "impulse", "impact", "unexplained_step"]
        _flag(report, "row of the start", [r[name][0] != 0 for name in start], lambda i: start[i])
    # nothing is solved, and no impulse acts, where no contact carries one
    idle = (r["contacts"] == 0)
    _flag(report, "rows without contacts", idle & (r["impulse"] != 0.0), row)


def events(results, report):
    e = results.events
    if not e:
        return
    where = lambda i: f"event {i}"
    t = results.rows["time"]
    outside = (e["time"] < t[0]) | (e["time"] > t[-1] + 4.0 * EPS * t[-1])
    _flag(report, "events, order", np.concatenate([[False], np.diff(e["time"]) < 0.0])[:len(outside)] | outside, where)
    _flag(report, "events, kinds", (e["kind"] < 0) | (e["kind"] > 8), where)
    _flag(report, "events, kinds", (e["kind"] >= 7) & (e["key"] != 0), where)
    _flag(report, "events, impulses", (e["kind"] > 1) & np.any(e["impulse"] != 0.0, axis=1), where)
    # contacts that stay closed may take part in the impact of others: their rate is round-off of the speeds at this time
    largest = np.zeros(len(e["time"]))
    same = np.unique(e["time"], return_inverse=True)[1].ravel()
    np.maximum.at(largest, same, np.abs(e["speed"]))
    largest = largest[same]
    _flag(report, "events, speeds", np.where(e["kind"] == 0, e["speed"] > 4.0 * EPS * largest, (e["kind"] != 1) & (e["speed"] != 0.0)), where)
    if "events" in results.rows:
        ends = np.searchsorted(e["time"], t * (1.0 + 4.0 * EPS), side="right")
        counted = np.diff(np.concatenate([[0], ends]))
        # an event at the end of a row may count in the next one
        total = np.cumsum(results.rows["events"]) - np.cumsum(counted)
        at_end = np.isin(np.arange(len(t)), np.searchsorted(t, e["time"]))
        _flag(report, "events of rows", (total != 0) & ~at_end, lambda i: f"row {i}")
        _flag(report, "events of rows", [results.rows["events"].sum() != len(e["time"])], "their sum")
