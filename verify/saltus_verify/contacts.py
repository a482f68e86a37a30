"""Contacts: their impulses in the momentum of the bodies, and their laws."""
import numpy as np

from . import joints, laws
from .solids import Unknown


def contact_name(results, group, body):
    """"contact of 'ball' with 'floor'", of groups and bodies of its two sides."""
    groups, fixed = results.groups, results.contacts.fixed

    def side(g, b):
        if g < 0:
            return f"'{fixed[b]}'" if 0 <= b < len(fixed) else "what is fixed"
        names = groups[g].names
        return f"'{names[b] if 0 <= b < len(names) else groups[g].name}'"

    sides = sorted(zip(group, body), key=lambda s: s[0] < 0)
    return "contact of " + " with ".join(side(int(g), int(b)) for g, b in sides)


class Found:
    """Contacts of a frame between points: arrays, one row per contact."""

    def __init__(self, step, keep):
        c = step.results.contacts
        rows = np.arange(c.offset[step.k], c.offset[step.k + 1], dtype=np.int64)[keep]
        self.rows = rows
        self.P, self.moment = c.impulse[rows], c.moment[rows]
        self.n = c.normal[rows].copy()
        self.t = c.tangent[rows].reshape(-1, 2, 3)
        self.E = np.concatenate([self.n[:, None], self.t], 1)          # directions n, t1, t2
        self.group, self.body = c.body[rows][:, 0::2].copy(), c.body[rows][:, 1::2].copy()
        self.local = c.local[rows].reshape(-1, 2, 3).copy()
        self.feature = c.feature[rows].copy()
        self.carried = np.nan_to_num(c.carried[rows]) if c.carried is not None else np.zeros((len(rows), 3))
        self._results = step.results
        self._of_pairs(step.results.pairs, c.key[rows].astype(np.int64))
        self.gap, self.status, self.key = c.gap[rows], c.status[rows], c.key[rows]
        self.size = np.abs(self.local).max((1, 2), initial=0.0)  # of the bodies, roughly [m]
        for g, group in enumerate(step.model.groups):
            if hasattr(group, "extent"):  # its points are places in elements
                self.size = np.where((self.group == g).any(1), np.maximum(self.size, group.extent), self.size)

    def _of_pairs(self, pairs, key):
        """Points and directions of contacts named in the scene are in /pairs."""
        if not pairs or len(pairs["key"]) == 0:
            return
        i = np.minimum(np.searchsorted(pairs["key"], key), len(pairs["key"]) - 1)
        of = pairs["key"][i].astype(np.int64) == key
        i = i[of]
        self.local[of] = np.stack([pairs["local_a"][i], pairs["local_b"][i]], 1)
        self.feature[of] = pairs["feature"][i]
        self.group[of], self.body[of] = pairs["group"][i], pairs["body"][i]
        self.E[of] = np.concatenate([pairs["normal"][i][:, None], pairs["tangent"][i].reshape(-1, 2, 3)], 1)
        self.n[of] = pairs["normal"][i]

    def name(self, i):
        return contact_name(self._results, self.group[i], self.body[i])

    def __len__(self):
        return len(self.rows)


def collect(step, report):
    results, model = step.results, step.model
    c = results.contacts
    rows = c.rows(step.k)
    first_law = len(results.pairs["key"]) if results.pairs else 0
    keys = c.key[rows].astype(np.int64)
    n_laws = len(model.joint_laws)
    on_joint = np.linalg.norm(c.normal[rows], axis=1) == 0.0
    for i in np.flatnonzero(on_joint):
        row, number = rows.start + i, int(keys[i]) - first_law
        if model.joint_fault or not 0 <= number < n_laws:
            step.miss(c.body[row][0::2], "a law on a coordinate of a joint: " + (model.joint_fault or "not found"))
            continue
        law = model.joint_laws[number]
        try:
            joints.push_coordinate(step, law.joint, law.coordinate, law.sign * c.impulse[row][0])
        except Unknown as reason:
            step.miss(c.body[row][0::2], str(reason))
    found = Found(step, ~on_joint)
    if len(found) == 0:
        return found
    if np.isnan(found.local).any():
        step.miss(found.group.ravel(), "contacts without their points")
        return found
    p = np.einsum("ci,cij->cj", found.P, found.E)
    # moments about t1 and t2, and about n
    m = np.einsum("ci,cij->cj", found.moment, found.E[:, [1, 2, 0]])
    for s, sign in ((0, 1.0), (1, -1.0)):
        for g in np.unique(found.group[:, s]):
            if g < 0 or g not in step.steps:
                continue
            of = np.flatnonzero(found.group[:, s] == g)
            one = step.steps[g]
            try:
                one.group.push_contacts(step, g, found.body[of, s], found.feature[of, s], found.local[of, s],
                                        sign * p[of], sign * m[of])
            except Unknown as reason:
                step.miss([g], str(reason))
    return found


def check_laws(step, found, report):
    laws.check(step, found, report)
