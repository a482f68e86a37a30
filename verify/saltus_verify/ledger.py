"""The energy ledger of every step: E - E_start = sum of the accounts; and the flags of the rows."""
import numpy as np

from . import bounds


def check(results, report):
    rows = results.rows
    E = rows["kinetic"] + rows["potential"]
    time = lambda i: f"t = {rows['time'][i]:.9g} s"
    if results.ledger:
        accounts = np.stack(list(results.ledger.values()))
        scale = np.maximum.accumulate(np.maximum(np.abs(rows["kinetic"]) + np.abs(rows["potential"]),
                                                 np.abs(accounts).max(0)))
        report.largest("energy ledger", E - E[0] - accounts.sum(0), bounds.LEDGER * scale, "J", time)
    else:
        report.not_checked("energy ledger", "the run has none")
    left = int(np.sum(rows["converged"] == 0))
    if left and results.scene.get("on_failure") == "accept":
        report.not_checked("steps that did not converge", f"{left} were accepted by the scene")
    else:
        report.largest("steps that did not converge", 1.0 - rows["converged"], 0.5, "steps", time)
