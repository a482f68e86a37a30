"""Compares runs of one scene with different schemes and steps, and recommends one."""
from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core, _plots, _svg
from ._core import UsageError, _seconds as seconds
from ._fixed import Fixed, fixed
from ._progress import Reporter, Shown
from ._scene import Assignments, _json, at_once, whole

Path = Union[str, os.PathLike]


def _number(value: Optional[float]) -> float:
    return float("nan") if value is None else float(value)


@dataclass(frozen=True)
class StudyRun:
    """One scheme with one step.

    Attributes
    ----------
    h : float
        [s]
    status : str
        'ok', 'unstable', 'failed'.
    reason : str
        Why the status is not 'ok', otherwise ''.
    error, smooth_error : float
        Relative errors, over the whole run and before the first impact; nan: not measured.
    measurable : bool
        The error is well above that of the reference.
    accurate : bool
        The error meets the tolerance.
    drift, penetration, residual : float
        Energy change by numerical errors [J], largest penetration [m], largest residual after the steps [1].
    cost : float
        Wall time per second of motion [s].
    energy : array
        At Study.times, as far as the run got [J].
    facts : dict
        All entries of study.json for the run.
    """

    h: float
    status: str
    reason: str
    error: float
    smooth_error: float
    measurable: bool
    accurate: bool
    drift: float
    penetration: float
    residual: float
    cost: float
    energy: np.ndarray
    facts: Dict[str, Any]


@dataclass(frozen=True)
class StudyScheme:
    """A scheme with its runs over the sequence of steps.

    Attributes
    ----------
    name : str
        'moreau-jean', 'moreau-jean theta=1'.
    order : float
        Fitted to the smooth part of the run; nan: not measured.
    order_with_impacts : float
        Fitted to the whole run.
    theory : float or None
        Theoretical order for smooth motion; inf: exact.
    refused : str
        Why the scene cannot use the scheme, otherwise ''.
    runs : tuple of StudyRun
        Largest step first; empty if it was refused.
    """

    name: str
    order: float
    order_with_impacts: float
    theory: Optional[float]
    refused: str
    runs: Tuple[StudyRun, ...]


class Study(Fixed):
    """Result of `study`. str() is the text that ``saltus study`` prints.

    Attributes
    ----------
    title : str
        Title of the scene.
    schemes : tuple of StudyScheme
    verdict : str
        The recommended scheme and step, with the reason; a sentence.
    best : StudyRun or None
        The recommended run; `best_scheme` is its scheme. None: no run meets the tolerance.
    steps : list of float
        Steps of the study, largest first [s].
    tolerance : float
    times : array
        Times at which the runs are compared [s].
    warnings, notes : list of str
    facts : dict
        All entries of study.json.
    """

    facts: Dict[str, Any]
    title: str
    steps: List[float]
    tolerance: float
    times: np.ndarray
    warnings: List[str]
    notes: List[str]
    verdict: str
    schemes: Tuple[StudyScheme, ...]

    def __init__(self, result: Any) -> None:
        self._result = result
        facts = json.loads(result.json())
        self._set(facts=facts, times=fixed(np.asarray(result.times)), verdict=facts["verdict"]["text"],
                  **{name: facts[name] for name in ("title", "steps", "tolerance", "warnings", "notes")})
        self._set(schemes=tuple(self._scheme(k, one) for k, one in enumerate(facts["schemes"])))

    def _scheme(self, place: int, facts: Dict[str, Any]) -> StudyScheme:
        runs = tuple(
            StudyRun(run["step"], run["status"], run["reason"], _number(run["error"]), _number(run["smooth_error"]),
                     run["error_measurable"], run["meets_tolerance"], run["energy"]["drift"], _number(run["penetration"]),
                     _number(run["residual_after"]), run["cost"]["wall_per_second"], self._result.energy(place, k), run)
            for k, run in enumerate(facts["runs"]))
        theory = facts["theoretical_order"]
        order, impacts = facts["smooth_order"], facts["order_with_impacts"]
        return StudyScheme(facts["scheme"], _number(order and order["order"]), _number(impacts and impacts["order"]),
                           float("inf") if theory == "exact" else theory, facts["refused"], runs)

    @property
    def best_scheme(self) -> Optional[StudyScheme]:
        """StudyScheme or None : scheme of the recommended run."""
        name = self.facts["verdict"]["scheme"]
        return next((scheme for scheme in self.schemes if scheme.name == name), None)

    @property
    def best(self) -> Optional[StudyRun]:
        """StudyRun or None : the recommended run."""
        scheme, h = self.best_scheme, self.facts["verdict"]["step"]
        return next((run for run in scheme.runs if run.h == h), None) if scheme else None

    @property
    def runs(self) -> List[Tuple[StudyScheme, StudyRun]]:
        """list of (StudyScheme, StudyRun): all runs."""
        return [(scheme, run) for scheme in self.schemes for run in scheme.runs]

    def table(self) -> Dict[str, np.ndarray]:
        """Columns over all runs: scheme, h [s], error, order, drift [J], penetration [m], residual, cost [s/s], status,
        accurate."""
        runs = self.runs
        return {
            "scheme": np.array([scheme.name for scheme, _ in runs], dtype=object),
            "status": np.array([run.status for _, run in runs], dtype=object),
            "accurate": np.array([run.accurate for _, run in runs], dtype=bool),
            "order": np.array([scheme.order for scheme, _ in runs], dtype=float),
            **{name: np.array([getattr(run, name) for _, run in runs], dtype=float)
               for name in ("h", "error", "smooth_error", "drift", "penetration", "residual", "cost")},
        }

    def plot(self, kind: str = "error", ax: Any = None) -> Any:
        """Plots error over step (kind='error') or over computing time ('work': work-precision diagram), by matplotlib into `ax`.
        Returns the Axes. Hollow markers: not above the error of the reference."""
        return _plots.study(self, kind, ax)

    def page(self, file: Path) -> str:
        """Writes the self-contained page of ``saltus study`` to `file`. Returns its name."""
        return _written(file, self._result.page())

    def to_csv(self, file: Path) -> str:
        """Writes one row per run to `file`, as ``saltus study`` does. Returns the name."""
        return _written(file, self._result.csv())

    def __str__(self) -> str:
        return self._result.text().rstrip("\n")

    def __repr__(self) -> str:
        return f"<saltus.Study of {len(self.schemes)} schemes, {len(self.steps)} steps: {self.verdict}>"

    def _repr_html_(self) -> str:
        head = f"<b>{html.escape(self.title or 'study')}</b><p>{html.escape(self.verdict)}</p>"
        lines = [(scheme.name, [run.h for run in scheme.runs], [run.error for run in scheme.runs])
                 for scheme in self.schemes]
        rows: List[Sequence[str]] = []
        mark = -1
        for scheme, run in self.runs:
            if run is self.best:
                mark = len(rows)
            rows.append((scheme.name, f"{scheme.order:.2f}", f"{run.h:.3g} s", f"{run.error:.2g}" if run.status == "ok"
                         else run.status, f"{run.drift:.2g} J", f"{run.penetration:.2g} m", f"{run.cost:.2g} s"))
        rows += [(scheme.name, "", "", "refused: " + scheme.refused, "", "", "")
                 for scheme in self.schemes if scheme.refused]
        beware = "".join(f"<p>{html.escape(text)}</p>" for text in [*self.warnings, *self.notes])
        return (head + _svg.plot(lines, "step [s]", "relative error", log=True, markers=True)
                + _svg.table(("scheme", "order", "step", "error", "drift", "inside", "cost per s"), rows, mark) + beware)


def _written(file: Path, text: str) -> str:
    name = os.fspath(file)
    with open(name, "w", encoding="utf-8", newline="") as out:
        out.write(text)
    return name


_SCHEME = "names of saltus.schemes(), 'moreau-jean:theta=1', or dicts {'kind': 'moreau-jean', 'theta': 1}"


def _schemes(schemes: Union[None, str, Sequence[Any]]) -> List[str]:
    """In the form of `--schemes`, one text per scheme; a dict {kind: ..., theta: ...} is accepted, too."""
    if schemes is None:
        return []
    if isinstance(schemes, (str, Mapping)):
        schemes = [schemes]
    elif not isinstance(schemes, Iterable):
        raise UsageError(f"schemes is {schemes!r} (a list of {_SCHEME})")
    schemes = list(schemes)
    if not schemes:
        raise UsageError(f"schemes is empty: give a list of {_SCHEME}, or None for all that are applicable")
    for k, one in enumerate(schemes):
        if not isinstance(one, (str, Mapping)):
            raise UsageError(f"schemes[{k}] is {one!r} ({_SCHEME})")
    return [one if isinstance(one, str) else _json(one, f"schemes[{k}]") for k, one in enumerate(schemes)]


def _steps(steps: Union[None, float, str, Sequence[Union[float, str]]]) -> List[float]:
    if steps is None:
        return []
    each = list(steps) if isinstance(steps, Iterable) and not isinstance(steps, str) else [steps]
    if not each:
        raise UsageError("steps is empty: give a list of steps, or None for those around the step of the scene")
    return [seconds(f"steps[{k}]", one) for k, one in enumerate(each)]


def study(scene: Any, schemes: Union[None, str, Sequence[Any]] = None, steps: Union[None, Sequence[Union[float, str]]] = None,
          levels: int = 5, tolerance: float = 1e-3, until: Union[None, float, str] = None, probe: Optional[str] = None,
          set: Assignments = None, progress: Shown = None) -> Study:
    """Runs a scene with several schemes and a sequence of steps, and recommends a scheme and step.

    Parameters
    ----------
    scene : path, Scene or dict
    schemes : list of str or dict, optional
        ``["moreau-jean", "moreau-jean:theta=1"]``; by default all schemes that support every body.
    steps : list of float or str, optional
        [s], or texts with a unit, '1 ms'; by default `levels` steps of 4, 2, 1, 1/2, ... times that of the scene.
    levels : int
    tolerance : float
        Relative error required for the recommendation.
    until : float or str, optional
        Replaces time.end, [s] or a text with its unit.
    probe : str, optional
        The only probe to be compared; all if not given.
    set : dict, list of str or str, optional
        Entries that override those of the scene.
    progress : None, bool or callable
        See `run`.

    Returns
    -------
    Study

    Raises
    ------
    UsageError
        No schemes, no steps, or a scheme that is neither a name nor a dict.
    SceneError
        Unknown scheme, option or probe, a scheme that supports no body, steps that are not integer fractions of the largest.
    KeyboardInterrupt
        Ctrl-C; the study has no result.

    Examples
    --------
    >>> s = saltus.study("ball.yaml", ["moreau-jean", "newmark"], levels=4)
    >>> print(s.verdict); s.plot("work")
    """
    levels = whole("levels", levels, 1, 60)
    if not isinstance(tolerance, (int, float, np.number)) or not tolerance > 0:
        raise UsageError(f"tolerance is {tolerance!r} (a number > 0)")
    if until is not None:
        until = seconds("until", until)
    if until is not None and not until > 0:
        raise UsageError(f"until is {until} (must be > 0)")
    with Reporter(progress) as report:
        return Study(_core._study(at_once(scene, set), None, _schemes(schemes), _steps(steps), levels, float(tolerance),
                                  until, probe or "", report.hook))
