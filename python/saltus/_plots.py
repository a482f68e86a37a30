"""Plots by matplotlib, which is imported for the first plot."""
from __future__ import annotations

from typing import Any, List

import numpy as np

from ._core import RunError, UsageError

WHATS = ("energy", "residual", "penetration", "probes")


def pyplot() -> Any:
    """matplotlib.pyplot; RunError if it cannot be imported."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise RunError(f"plots need matplotlib, which cannot be imported: {error} (Debian: python3-matplotlib, "
                       "others: pip install matplotlib)") from error
    return plt


def one_axes(ax: Any) -> Any:
    return ax if ax is not None else pyplot().subplots(constrained_layout=True)[1]


def _energy(results: Any, ax: Any) -> None:
    t = results.t
    ax.plot(t, results.energy - results.energy[:1], color="black", label="energy")
    for name in results.ledger:
        if np.any(results.ledger[name]):
            ax.plot(t, results.ledger[name], label=name)
    ax.set_ylabel("change since the start [J]")
    ax.legend()


def _log(ax: Any, *arrays: np.ndarray) -> None:
    if any(np.any(array > 0) for array in arrays):
        ax.set_yscale("log")


def _residual(results: Any, ax: Any) -> None:
    solved, after = results.steps["residual"], results.steps["residual_after"]
    ax.plot(results.t, np.where(solved > 0, solved, np.nan), label="as solved")
    ax.plot(results.t, np.where(after > 0, after, np.nan), label="after the step")
    _log(ax, solved, after)
    ax.set_ylabel("residual [1]")
    ax.legend()


def _penetration(results: Any, ax: Any) -> None:
    ax.plot(results.t, np.maximum(-results.steps["gap"], 0.0))
    ax.set_ylabel("penetration [m]")


def _probe(results: Any, ax: Any, name: str) -> None:
    ax.plot(results.t, results.probes[name], label=name)
    ax.set_ylabel(f"{name} [{results.probes.unit(name)}]")


def _probes(results: Any, ax: Any) -> None:
    names = list(results.probes)
    for name in names:
        ax.plot(results.t, results.probes[name], label=f"{name} [{results.probes.unit(name)}]")
    units = sorted({results.probes.unit(name) for name in names})
    ax.set_ylabel(f"[{', '.join(units)}]")
    ax.legend()


def _column(results: Any, ax: Any, name: str) -> None:
    ax.plot(results.t, results.steps[name])
    ax.set_ylabel(f"{name} [{results.steps.unit(name)}]")


def _account(results: Any, ax: Any, name: str) -> None:
    ax.plot(results.t, results.ledger[name])
    ax.set_ylabel(f"{name} [J]")


def _drawn(results: Any, what: str, ax: Any) -> None:
    if what == "energy":
        _energy(results, ax)
    elif what == "residual":
        _residual(results, ax)
    elif what == "penetration":
        _penetration(results, ax)
    elif what == "probes" and results.probes:
        _probes(results, ax)
    elif what in results.probes:
        _probe(results, ax, what)
    elif what in results.ledger:
        _account(results, ax, what)
    elif what in results.steps:
        _column(results, ax, what)
    else:
        raise UsageError(f"'{what}' cannot be plotted (allowed: "
                         f"{', '.join([*WHATS, *results.probes, *results.ledger, *results.steps])})")
    ax.set_xlabel("t [s]")


def results(of: Any, what: Any, ax: Any) -> Any:
    """Results.plot."""
    if isinstance(what, str):
        ax = one_axes(ax)
        _drawn(of, what, ax)
        if of.title:
            ax.set_title(of.title)
        return ax
    whats: List[str] = list(what) if what is not None else ["energy", *_there(of)]
    if ax is not None:
        if len(whats) != 1:
            raise UsageError("ax is for one plot; name it: plot('energy', ax=ax)")
        return results(of, whats[0], ax)
    plt = pyplot()
    figure, axes = plt.subplots(len(whats), 1, sharex=True, squeeze=False, figsize=(7, 1 + 2.2 * len(whats)),
                                constrained_layout=True)
    for one, below in zip(whats, axes[:, 0]):
        _drawn(of, one, below)
    for above in axes[:-1, 0]:
        above.set_xlabel("")
    if of.title:
        figure.suptitle(of.title)
    return axes[:, 0]


def _there(of: Any) -> List[str]:
    """Available plots of a file besides energy."""
    there = []
    if np.any(of.steps["residual"] > 0) or np.any(of.steps["residual_after"] > 0):
        there.append("residual")
    if np.any(of.steps["gap"] < 0):
        there.append("penetration")
    if of.probes:
        there.append("probes")
    return there


def study(of: Any, kind: str, ax: Any) -> Any:
    """Study.plot: error over step or over cost."""
    if kind not in ("error", "work"):
        raise UsageError(f"'{kind}' is not a plot of a study (allowed: 'error', 'work')")
    ax = one_axes(ax)
    for scheme in of.schemes:
        x = [run.h if kind == "error" else run.cost for run in scheme.runs]
        y = [run.error for run in scheme.runs]
        good = [k for k in range(len(x)) if np.isfinite(y[k]) and y[k] > 0]
        if not good:
            continue
        line = ax.plot([x[k] for k in good], [y[k] for k in good], label=scheme.name)[0]
        for measured in (True, False):  # hollow: not reliable
            some = [k for k in good if of.schemes and scheme.runs[k].measurable is measured]
            ax.plot([x[k] for k in some], [y[k] for k in some], "o", color=line.get_color(),
                    markerfacecolor=line.get_color() if measured else "none")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.axhline(of.tolerance, color="gray", linestyle=":", linewidth=1)
    ax.set_xlabel("step [s]" if kind == "error" else "computing time per second of motion [s]")
    ax.set_ylabel("relative error [1]")
    if of.title:
        ax.set_title(of.title)
    ax.legend()
    return ax


def sweep(of: Any, x: str, y: str, ax: Any) -> Any:
    """Sweep.plot: a column over another."""
    ax = one_axes(ax)
    xs, ys = of[x], of[y]
    if ys.dtype.kind not in "fiu":
        raise UsageError(f"'{y}' contains texts, which cannot be plotted as y")
    labels = [(*(of[path][k] for path in of.paths if of.name(path) != of.name(x)),) for k in range(of.runs)]
    for label in dict.fromkeys(labels):
        rows = [k for k in range(of.runs) if labels[k] == label]
        if xs.dtype.kind in "fiu":
            rows.sort(key=lambda k: xs[k])
        many = len(set(labels)) > 1
        text = ", ".join(f"{path.rsplit('.', 1)[-1]} {value}" for path, value in
                         zip([p for p in of.paths if of.name(p) != of.name(x)], label))
        ax.plot(xs[rows], ys[rows], "o-" if len(rows) > 1 else "o", label=text if many and len(set(labels)) <= 12 else None)
    if 1 < len(set(labels)) <= 12:
        ax.legend()
    ax.set_xlabel(of.header(x))
    ax.set_ylabel(of.header(y))
    return ax
