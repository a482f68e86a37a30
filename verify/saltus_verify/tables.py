"""Rows of every step, compared with each other, with the frames and with the summary: sums of the ledger, impulses and gaps of
contacts, residuals, probes."""
import math

import numpy as np

from . import bounds, laws, probes
from .solids import Unknown

EPS = np.finfo(float).eps


def check(results, model, report):
    ledger(results, report)
    residuals(results, report)
    of_frames(results, model, report)
    named_gaps(results, model, report)
    probes.check(results, model, report)
    summary(results, report)


def rows(results, report):
    """What needs no model."""
    ledger(results, report)
    residuals(results, report)
    summary(results, report)


def ledger(results, report):
    """Each row of the ledger changes by what the row of the step states."""
    if not results.ledger or not results.every_step:
        return
    r = results.rows
    accounts = np.stack(list(results.ledger.values()))
    size = np.abs(accounts).sum(0) + np.abs(r["kinetic"]) + np.abs(r["potential"])
    size = np.maximum(size[1:], size[:-1])
    row = lambda i: f"t = {r['time'][i + 1]:.9g} s"
    E = r["kinetic"] + r["potential"]
    # each step within a row adds to the accounts, with one round-off
    parts = np.maximum(r["steps"][1:] if "steps" in r else 1, 1) * 2.0 ** r["halvings"][1:]
    bound = (bounds.ROW + parts - 1.0) * EPS * size
    report.largest("energy of each step", np.diff(E) - np.diff(accounts, axis=1).sum(0), bound, "J", row)
    for name, column in (("unexplained", "unexplained_step"), ("impact", "impact")):
        account = results.ledger.get(name)
        # stops are in the account of joints, errors of event-driven integration in that of the scheme
        if account is None or (name == "impact" and (results.by_events or results.scene.get("joints"))):
            continue
        report.largest(f"{name} of each step", np.diff(account) - r[column][1:], bound, "J", row)


def residuals(results, report):
    r = results.rows
    row = lambda i: f"t = {r['time'][i]:.9g} s"
    idle = r["contacts"] == 0
    report.largest("residuals without contacts", np.where(idle, np.abs(r["residual"]) + np.abs(r["residual_after"]), 0.0), 1e-300,
                   "1", row)
    solved = np.where(r["converged"] == 1, r["residual"], 0.0)
    report.largest("residual of solved problems", solved, laws.tolerance_of(results) * (1.0 + 1e-9), "1", row)


def single_steps(results):
    """Which frames end a row of a single step that was not halved."""
    row = results.row_of_frame
    single = (results.step > 0) & (results.rows["halvings"][row] == 0)
    return single & (results.rows["steps"][row] == 1) if "steps" in results.rows else single


def of_frames(results, model, report):
    """Rows at the times of frames against the contacts of these frames."""
    c, r, row = results.contacts, results.rows, results.row_of_frame
    if c.gap is None or results.by_events or c.status is None or (len(c.status) and (c.status == -1).any()):
        return
    relay = "relay" in str([x.get("law") for key in ("contacts", "surfaces") for x in results.scene.get(key) or []])
    ends = c.offset.astype(np.int64)
    touched = np.any(c.impulse != 0.0, axis=1)
    on_joint = np.linalg.norm(c.normal, axis=1) == 0.0 if len(c.key) else np.zeros(0, dtype=bool)
    corrected = bool(results.scene["contact"].get("correct_positions"))
    for k in np.flatnonzero(single_steps(results)):
        rows = slice(ends[k], ends[k + 1])
        where = f"frame {k}, t = {results.time[k]:.9g} s"
        report.add("contacts of rows", int(touched[rows].sum()) - int(r["contacts"][row[k]]), 0.5, "contacts", where)
        if on_joint[rows].any():
            continue
        if not relay:
            P = c.impulse[rows, 0]
            report.add("impulse of rows", P.sum() - r["impulse"][row[k]], 1e-12 * max(np.abs(P).sum(), 1e-300), "N s", where)
        if rows.stop > rows.start and not corrected and not relay:
            _least_gap(results, report, k, rows, where)


def _least_gap(results, report, k, rows, where):
    """The smallest gap of the row is at most that of the frame's contacts. Of shapes both are measured at the end of the step, but
    not from the same points."""
    c, claimed = results.contacts, results.rows["gap"][results.row_of_frame[k]]
    least = c.gap[rows].min()
    if not math.isfinite(claimed):
        return
    shapes = (c.key[rows] >= 2 ** 32).any()
    if shapes and results.is_static:
        report.not_checked("gap of rows", "between shapes in statics")
        return
    speed = max((np.nanmax(np.abs(v[k]), initial=0.0) for g in results.groups for v in (g.velocity, g.v0) if v is not None), default=0.0)
    extent = max((np.abs(g.q[k]).max(initial=0.0) for g in results.groups if g.q is not None), default=0.0)
    blur = (bounds.REACH * results.h * speed if shapes else 0.0) + bounds.GAP * extent
    report.add("gap of rows", max(claimed - least, 0.0), max(blur, 1e-300), "m", where)
    if claimed <= 0.0:  # then its contact is in the frame
        report.add("gap of rows", claimed - least, max(blur, 1e-300), "m", where)


def named_gaps(results, model, report):
    """Gaps of contacts named in the scene, from the configurations of the frames."""
    c, p = results.contacts, results.pairs
    if c.gap is None or not p or len(p["key"]) == 0 or len(c.key) == 0 or c.status is None:
        return
    entries = results.scene.get("contacts") or []
    at = np.minimum(np.searchsorted(p["key"], c.key), len(p["key"]) - 1)
    named = (p["key"][at] == c.key) & (c.status != -1)
    frame = np.repeat(np.arange(results.frames), np.diff(c.offset.astype(np.int64)))
    for i in np.flatnonzero(named):
        j, k = at[i], frame[i]
        spec = entries[p["law"][j]]
        if spec.get("row") is not None or (spec.get("against") or {}).get("row") is not None:
            continue
        try:
            x = [_point(results, model, p["group"][j, s], p["body"][j, s], p["feature"][j, s], p[f"local_{'ab'[s]}"][j], k)
                 for s in (0, 1)]
        except Unknown:
            continue  # its table has a checksum, or is listed as not checked
        distance = (spec.get("against") or {}).get("distance") or 0.0
        gap = p["normal"][j] @ (x[0] - x[1]) - distance
        size = max(np.abs(x).max(), abs(distance))
        report.add("gaps of contacts", gap - c.gap[i], bounds.GAP * max(size, 1e-300), "m",
                   lambda i=i, k=k: f"frame {k}, contact {i}")


def _point(results, model, g, body, feature, local, k):
    if g < 0:
        return np.asarray(local)
    group = model.groups[g]
    if group is None or results.groups[g].q is None:
        raise Unknown(f"of '{results.groups[g].name}'")
    q = results.groups[g].q[k]
    if group.frames:
        return group.points(q, np.array([body]), np.asarray(local)[None])[0]
    if getattr(group, "drive", None):
        raise Unknown(f"of '{results.groups[g].name}', with prescribed points")
    return group.point(q, feature, local)


def summary(results, report):
    """The summary repeats rows: their extremes, sums and last values."""
    said, r = results.summary, results.rows
    if said is None or len(r["time"]) == 0:
        return
    E = r["kinetic"] + r["potential"]
    same = []

    def says(path, value):
        here = said
        for key in path.split("."):
            here = here.get(key) if isinstance(here, dict) else None
        value = None if isinstance(value, float) and not math.isfinite(value) else value
        same.append((path, here == value or (isinstance(value, float) and isinstance(here, (int, float))
                                             and abs(here - value) <= 2.0 * EPS * abs(value))))

    def extreme(path, values, of=None):
        """The first of the largest values; not a number if there is one."""
        measure = np.asarray(values if of is None else of, dtype=float)
        i = int(np.argmax(np.where(np.isnan(measure), np.inf, measure)))
        says(path + ".value", float(values[i]))
        says(path + ".row", i)

    says("time", float(r["time"][-1]))
    says("energy.start", float(E[0])), says("energy.end", float(E[-1]))
    says("energy.kinetic", float(r["kinetic"][-1])), says("energy.potential", float(r["potential"][-1]))
    extreme("energy.largest", E)
    for name, account in results.ledger.items():
        same.append((f"ledger.{name}", said.get("ledger", {}).get(name) == float(account[-1])))
    for name in ("residual", "residual_after", "joint_gap", "contacts"):
        extreme(name, r[name].astype(float))
    if np.isfinite(r["gap"]).any():
        extreme("gap", r["gap"], -r["gap"])
    says("penetration", float(max(0.0, -np.nanmin(r["gap"], initial=0.0))))
    extreme("unexplained_step", r["unexplained_step"], np.abs(r["unexplained_step"]))
    says("contact_steps", int((r["contacts"] > 0).sum())), says("failed_steps", int((r["converged"] == 0).sum()))
    for name, column in (("iterations", "iterations"), ("passes", "passes"), ("halvings", "halvings"), ("substeps", "steps"),
                         ("rejected", "rejected"), ("evaluations", "evaluations")):
        if column in r and name in said:
            says(name, int(r[column].sum()))
    if said.get("wall_time"):
        says("real_time_factor", float(r["time"][-1]) / said["wall_time"])
    if results.every_step:
        says("steps", len(r["time"]) - 1)
    report.largest("summary", np.array([not good for _, good in same], dtype=float), 0.5, "entries", lambda i: same[i][0])
