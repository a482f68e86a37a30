"""Probes of displacements, velocities and joint coordinates, from the configurations of the frames (docs/reference/results.md)."""
import numpy as np

from . import bounds, joint_geometry, rotation
from .solids import Unknown


def check(results, model, report):
    outputs = results.scene.get("outputs") or []
    for probe in results.probes:
        try:
            spec = outputs[probe.index]
            values, size, frames = (_coordinate(results, model, probe) if probe.joint is not None
                                    else _point(results, model, probe, spec))
        except (Unknown, IndexError, KeyError):
            continue  # it has a checksum, or is listed as not checked
        rows = results.row_of_frame[frames]
        report.largest("probes", values - probe.rows[rows], bounds.PROBE * np.maximum(size, 1e-300), "",
                       lambda i, n=probe.name, rows=rows: f"'{n}', t = {results.rows['time'][rows][i]:.9g} s")


def _coordinate(results, model, probe):
    """Values of a coordinate of a joint, their sizes, frames."""
    if probe.quantity != "coordinate" or model.joint_fault:
        raise Unknown(probe.quantity)
    number = [j.name for j in model.joints].index(probe.joint)
    joint = model.joints[number]
    names = [n for n, _ in joint_geometry.COORDINATES[joint.kind]]
    if probe.coordinate not in names:
        raise Unknown(probe.coordinate)
    i, values, size = names.index(probe.coordinate), [], []
    known = results.joint_angle[number]
    for k in range(results.frames):
        q = [g.q[k] if g.q is not None else None for g in results.groups]
        a, b = model.frames_of(joint, q)
        _, _, value = joint_geometry.coordinate(joint, i, a, b)
        if joint_geometry.counts_turns(joint, i):
            near = probe.rows[results.row_of_frame[k]] if known is None else known[k, min(i, known.shape[1] - 1)]
            value += 2.0 * np.pi * np.round((near - value) / (2.0 * np.pi))
        values.append(value)
        size.append(max(1.0, abs(value), np.abs(a[0]).max(), np.abs(b[0]).max()))
    return np.array(values), np.array(size), np.arange(results.frames)


def _point(results, model, probe, spec):
    """The same of a displacement, place or velocity of a point of a body."""
    if probe.quantity not in ("displacement", "velocity", "place"):
        raise Unknown(probe.quantity)
    name = spec["probe"]
    direction = np.array(spec.get("direction") or [0.0, 0.0, 1.0], dtype=float)
    direction = direction / np.linalg.norm(direction)
    if name in model.named and model.named[name].frame and model.named[name].group >= 0:
        return _of_rigid(results, model, probe, model.named[name], np.array(spec["at"], dtype=float), direction)
    of = [g for g in results.groups if g.name == name and g.q is not None and g.bodies == 1]
    if not of:
        raise Unknown(name)
    g, group = of[0], model.groups[of[0].index]
    moves = probe.quantity == "velocity"
    state = g.v1 if moves else g.q
    known = np.flatnonzero(~np.isnan(state).any(axis=1))
    if g.kind == "modal" and group is not None and not isinstance(spec["at"], str):
        J = group.place_of(0, [spec["at"], 0.0, 0.0])[1]
        entry = next(e for e in results.scene["bodies"] if e["name"] == name)
        along = np.array(entry["direction"], dtype=float)
        row = (along / np.linalg.norm(along)) @ J
        if spec.get("modes", "audible") == "audible":
            row = np.where(group.omega <= 2.0 * np.pi * 0.45 / results.h, row, 0.0)
    elif g.kind in ("linear", "particles", "lagrangian") and isinstance(spec["at"], int):
        row = _row_of_coordinate(results, g, spec, direction)
    elif g.kind == "fem" and group is not None and hasattr(group, "X") and isinstance(spec["at"], list):
        own = next(e for e in results.scene["bodies"] if e["name"] == name)["fem"]
        R = rotation.matrix(rotation.of_spec(own.get("rotation")))
        x = np.array(own.get("position") or [0, 0, 0], dtype=float) + R @ np.array(spec["at"], dtype=float)
        node = np.flatnonzero(np.abs(group.X - x).max(1) <= 1e-12 * np.abs(group.X).max())
        if node.size != 1 or (group.dof[node[0]] < -1).any():
            raise Unknown("a place between nodes, or a node with a given motion")
        row = direction @ group.rows_at(node[0], None)[1]
    elif g.kind == "pseudo-rigid" and group is not None and isinstance(spec["at"], list):
        row = direction @ group.row(0, np.array(spec["at"], dtype=float))[1]
    else:
        raise Unknown(g.kind)
    rest = row @ group.initial()[0] if g.kind == "pseudo-rigid" and probe.quantity == "displacement" else 0.0
    values = state[known] @ row - rest
    return values, np.abs(state[known]) @ np.abs(row) + abs(rest), known


def _row_of_coordinate(results, g, spec, direction):
    entry = next(e for e in results.scene["bodies"] if e["name"] == g.name)
    own = entry.get("particles") or entry
    if own.get("prescribed") or entry.get("prescribed"):
        raise Unknown("prescribed coordinates")
    row = np.zeros(g.q.shape[1])
    if g.kind == "particles":  # a particle, whose coordinates are its place
        row[3 * spec["at"]:3 * spec["at"] + 3] = direction
    else:
        row[spec["at"]] = 1.0
    return row


def _of_rigid(results, model, probe, body, at, direction):
    g, group = results.groups[body.group], model.groups[body.group]
    if group is None or g.q is None:
        raise Unknown(g.name)
    local, moves = at - body.origin, probe.quantity == "velocity"
    x, Q = g.q.reshape(results.frames, -1, 7)[:, body.index, :3], g.q.reshape(results.frames, -1, 7)[:, body.index, 3:]
    arm = rotation.apply(rotation.matrix(Q), np.broadcast_to(local, x.shape))
    if not moves:
        start = direction @ (body.x + body.R @ local) if probe.quantity == "displacement" else 0.0
        size = np.abs(x).max(1) + np.abs(local).max() + abs(start)
        return (x + arm) @ direction - start, size, np.arange(results.frames)
    v = g.v1.reshape(results.frames, -1, 6)[:, body.index]
    known = np.flatnonzero(~np.isnan(v).any(axis=1))
    spin = rotation.apply(rotation.matrix(Q), v[:, 3:])
    values = (v[:, :3] + np.cross(spin, arm)) @ direction
    size = np.abs(v[:, :3]).max(1) + np.abs(spin).max(1) * np.abs(local).max()
    return values[known], size[known], known
