"""Inserts the stored steps into their equations: momentum, motion, joints.

For each frame k > 0: groups with (q0, v0, q1, v1), the impulses of contacts and joints, and the residual of

    scheme(q0, v0, q1, v1, r) = 0,      r = H^T P + G^T L

Bounds are relative to the largest terms of the equation of a body, see docs/reference/verify.md.
"""
import numpy as np

from . import contacts, event_driven, joints, statics
from .solids import Unknown


class FrameStep:
    """Data of one frame that its checks use."""

    def __init__(self, results, model, k):
        self.k, self.results, self.model = k, results, model
        self.t1 = results.time[k]
        self.residual = 0.0  # of the contact laws, see laws.py
        self.h = results.h
        self.t0 = self.t1 - self.h
        self.q0, self.q1, self.v0, self.v1 = [], [], [], []
        for g in results.groups:
            self.q0.append(g.q0[k] if g.q0 is not None else None)
            self.q1.append(g.q[k] if g.q is not None else None)
            self.v0.append(g.v0[k] if g.v0 is not None else None)
            self.v1.append(g.v1[k] if g.v1 is not None else None)
        self.steps, self.r, self.size, self.unknown = {}, {}, {}, {}
        for g in results.groups:
            known, scheme = model.groups[g.index], model.schemes[g.index]
            if known is None or scheme is None or self.q0[g.index] is None:
                continue
            i = g.index
            self.steps[i] = scheme(known, self.t0, self.h, self.q0[i], self.v0[i], self.q1[i], self.v1[i])
            self.r[i], self.size[i] = known.no_impulse()
        self._place = {}
        # rows of rigid bodies are those in the middle of the step (files of former versions: at the contact instant)
        instant = model.scene["contact"]["instant"]
        self.arms_at = None if results.contacts.carried is None or instant == "start" else 0.5
        self.one_stage = all(g.scheme != "generalized-alpha-decoupled" for g in results.groups)

    def place(self, g, fraction=None):
        """Configuration of a group at the contact instant, or at this fraction of the step, according to the prediction."""
        if fraction is None:
            fraction = {"start": 0.0, "middle": 0.5, "end": 1.0}[self.model.scene["contact"]["instant"]]
        if (g, fraction) not in self._place:
            step = self.steps[g]
            self._place[g, fraction] = step.place(step.group, self.t0, self.h, self.q0[g], self.v0[g], fraction)
        return self._place[g, fraction]

    def ends_of_rows(self):
        """Configurations at the end of the step that enter the means of joints. Rows follow the passes: after a single pass they
        are those of the prediction."""
        if self.results.rows["passes"][self.results.row_of_frame[self.k]] > 1:
            return self.q1
        def end(g, q):
            try:
                return self.place(g, 1.0) if g in self.steps else q
            except Unknown:  # needed only by joints on this group, which then report it
                return None
        return [end(g, q) for g, q in enumerate(self.q1)]

    def centres(self, g):
        """Mass centres at mid-step, at the configuration of the joint rows."""
        group = self.steps[g].group
        return 0.5 * (group.split_q(self.q0[g])[0] + group.split_q(self.ends_of_rows()[g])[0])

    def miss(self, groups, reason):
        """Records impulses on these groups that are not implemented here: their equations are not checked in this step."""
        for g in groups:
            if g >= 0:
                self.unknown.setdefault(g, reason)

    def name(self, g, body):
        of = self.results.groups[g]
        return of.names[body] if body < len(of.names) else of.name

    def at(self):
        return f"frame {self.k}, t = {self.t1:.9g} s"


def skipped(results, model, k):
    """The reason why the step that ends at frame k cannot be checked, or None."""
    if results.step[k] == 0:
        return "first"
    row = results.row_of_frame[k]
    if "steps" in results.rows and results.rows["steps"][row] != 1:
        return "frames whose interval was covered by several steps"
    if results.rows["halvings"][row] != 0:
        return "frames whose step was halved"
    if not any(g.q0 is not None and not np.isnan(g.q0[k]).any() for g in results.groups):
        return "frames without the beginning of their step (a file of an earlier version)"
    return None


EQUATIONS = ("momentum", "momentum, angular", "motion")


def projected(results, row):
    """Whether the step has work of a projection in its ledger; True without a ledger."""
    account = results.ledger.get("projection") if results.ledger else None
    return account is None or account[row] != account[row - 1]


def check(results, model, report, frames):
    if results.by_events:
        event_driven.check(results, model, report, frames)
        return
    if results.is_static:
        statics.check(results, model, report, frames)
        return
    for g in results.groups:
        if g.velocity is None:
            continue
        if model.groups[g.index] is None:
            report.not_checked("momentum, motion", f"'{g.name}': {model.unknown.get(g.index, 'kind ' + g.kind)}")
        elif model.schemes[g.index] is None:
            report.not_checked("momentum, motion", f"'{g.name}': scheme {g.scheme}")
    for g in results.groups:
        if g.velocity is None and model.groups[g.index] is None:
            report.not_checked("contact law", f"of contacts with '{g.name}', whose motion is not implemented here")
    corrected = bool(model.scene["contact"].get("correct_positions"))
    for k in frames:
        reason = skipped(results, model, k)
        if reason:
            if reason != "first":
                report.not_checked("momentum, motion, laws", reason)
            continue
        step = FrameStep(results, model, k)
        joints.collect(step, report)
        found = step.found = contacts.collect(step, report)
        joints.fit_couplings(step)
        moved = corrected and len(found) > 0
        # If joints act on projected bodies, arms and rows of the step differ from those at its end, and rates were kept.
        unlike = moved and bool(results.joint_force) and projected(results, results.row_of_frame[k])
        for g, one in step.steps.items():
            if unlike:
                report.not_checked("momentum, laws", "in steps with joints and projected positions")
            elif g in step.unknown:
                report.not_checked("momentum", f"'{results.groups[g].name}': {step.unknown[g]}")
            else:
                one.group.check_momentum(one, step.r[g], step.size[g], report, step, g)
            if g in step.unknown and (g in step.adjusted or results.groups[g].scheme == "rig-neg"):
                report.not_checked("motion", f"'{results.groups[g].name}': {step.unknown[g]}")  # its rotation depends on the impulses
            elif moved:
                report.not_checked("motion", "in steps with contacts, because positions are projected afterwards")
            else:
                one.group.check_motion(one, report, step, g)
        if not unlike:
            contacts.check_laws(step, found, report)
        joints.check(step, report)
