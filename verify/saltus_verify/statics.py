"""Equilibria (docs/howto/statics.md):  0 = F(t, q, 0) - (1 - lambda) F(0, q(0), 0),  lambda = t/end, of bodies without contacts and
joints."""
import numpy as np

from .flat import FlatGroup

REST = 1e-7  # of the largest term of a body; passes end at changes of 1e-10


def check(results, model, report, frames):
    scene = model.scene
    if scene.get("contacts") or scene.get("surfaces") or scene.get("joints"):
        report.not_checked("equilibrium, laws", "of bodies with contacts or joints")
        return
    end = results.h * max(1, round(scene["time"]["end"] / results.h))
    for g in results.groups:
        if g.velocity is None:
            continue
        group = model.groups[g.index]
        if not isinstance(group, FlatGroup):
            report.not_checked("equilibrium", f"'{g.name}': {model.unknown.get(g.index, 'kind ' + g.kind)}")
            continue
        rest = np.zeros(group.n)
        start = group.force(0.0, group.initial()[0], rest)
        for k in frames:
            t, q = results.time[k], g.q[k]
            out = group.force(t, q, rest) - max(0.0, 1.0 - t / end) * start
            size = max(np.max(group.force_size(t, q, rest), initial=0.0), np.max(np.abs(start), initial=0.0))
            report.largest("equilibrium", out, np.full(group.n, REST * size), "N",
                           lambda i, t=t, g=g: f"t = {t:.9g} s, '{g.name}' number {i}")
