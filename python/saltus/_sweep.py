"""Runs of one scene with many values: one row of numbers per run."""
from __future__ import annotations

import csv
import html
import math
import os
import re
import tempfile
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core, _plots, _svg
from ._core import UsageError
from ._fixed import Fixed, fixed
from ._progress import Reporter, Shown
from ._scene import Assignments, _json, at_once, whole

Path = Union[str, os.PathLike]
_UNIT = re.compile(r"^(.*?) \[([^\[\]]*)\]$")
_TEXTS = ("status", "reason", "warnings")


def _value(value: Any, path: str) -> str:
    """One value in the form of `--set` of a sweep."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"{path}: {value} is not a finite number")
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        return _json(text, path) if "," in text and text[:1] not in "[{\"'" else text
    return _json(value, path)


def _axis(path: str, values: Any) -> str:
    """"path=values": a text is used unchanged ('1:10:0.5 kg', 'uniform(1,2) kg'), anything else is a list."""
    if isinstance(values, str):
        return f"{path}={values}"
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, (Mapping, int, float)):
        values = [values]
    if values is None or not isinstance(values, Iterable):
        raise UsageError(f"{path}: {values!r} is not a list of values (numbers or texts, or a text '1:10:0.5 kg')")
    values = list(values)
    if not values:
        raise UsageError(f"{path}: no values")
    return f"{path}=" + ",".join(_value(one, path) for one in values)


def _axes(values: Any) -> List[str]:
    """"path=values" of each axis."""
    if isinstance(values, Mapping):
        axes = [(path, of) for path, of in values.items()]
        if all(isinstance(path, str) for path, _ in axes) and axes:
            return [_axis(path, of) for path, of in axes]
    texts = [values] if isinstance(values, str) else values
    if isinstance(texts, (list, tuple)) and texts and all(isinstance(one, str) and "=" in one for one in texts):
        return list(texts)
    raise UsageError(f"values is {values!r} (a dict {{path: values}}, or texts 'path=values' as for --set)")


class Sweep(Fixed, Mapping):
    """Result of `sweep`: columns by name, as arrays with one row per run.

    Names are those of the header of ``saltus sweep``, without the unit: the paths that were varied, run, status, reason,
    warnings, steps, t_end, kinetic_end, residual, penetration, ledger.<account>, probe.<name>.max, ..., wall_time. Numbers
    that a run does not have are nan.

    >>> s["probe.height.max"], s.unit("probe.height.max")
    """

    paths: List[str]  #: paths that were varied
    threads: int
    title: str

    def __init__(self, rows: Any) -> None:
        self._rows = rows
        self._set(paths=list(rows.paths), threads=rows.threads, title=rows.title)
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "sweep.csv")
            rows.to_csv(name, True)
            with open(name, encoding="utf-8", newline="") as file:
                table = list(csv.reader(file))
        self._headers: Dict[str, str] = {}
        self._columns: Dict[str, np.ndarray] = {}
        for k, head in enumerate(table[0]):
            name = self._bare(head)
            self._headers[name] = head
            self._columns[name] = fixed(self._column([row[k] for row in table[1:]], name))
        self._short = {path.rsplit(".", 1)[-1]: path for path in self.paths
                       if sum(path.rsplit(".", 1)[-1] == other.rsplit(".", 1)[-1] for other in self.paths) == 1}

    def _bare(self, head: str) -> str:
        found = _UNIT.match(head)
        return found.group(1) if found and head not in self.paths else head

    def _column(self, cells: List[str], name: str) -> np.ndarray:
        if name in _TEXTS:
            return np.array(cells, dtype=object)
        try:
            numbers = [float(cell) if cell else math.nan for cell in cells]
        except ValueError:
            return np.array(cells, dtype=object)
        if name == "run":
            return np.array(cells, dtype=np.int64)
        return np.array(numbers)

    def name(self, of: str) -> str:
        """The name of a column, also from its name with unit or from the last part of a varied path."""
        bare = of if of in self._columns else self._bare(of)
        if bare not in self._columns:
            bare = self._short.get(of, bare)
        if bare not in self._columns:
            raise KeyError(f"no column '{of}' (there are: {', '.join(self._columns)})")
        return bare

    def header(self, of: str) -> str:
        """Name with unit, 'penetration [m]'."""
        return self._headers[self.name(of)]

    def unit(self, of: str) -> str:
        """Unit of a column, 'm', or ''."""
        name = self.name(of)
        return self._headers[name][len(name) + 2:-1] if len(self._headers[name]) > len(name) else ""

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[self.name(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """Number of columns; `runs` is the number of rows."""
        return len(self._columns)

    @property
    def runs(self) -> int:
        """int: number of runs, which is the number of rows of every column."""
        return len(self._columns["run"])

    def __contains__(self, name: object) -> bool:
        try:
            self.name(str(name))
        except KeyError:
            return False
        return True

    @property
    def columns(self) -> Dict[str, np.ndarray]:
        """dict name -> array: all columns; pandas.DataFrame(s.columns) makes a table."""
        return dict(self._columns)

    @property
    def ok(self) -> np.ndarray:
        """bool array: which runs reached their end."""
        return self._columns["status"] == "ok"

    @property
    def failures(self) -> Dict[int, str]:
        """dict run -> reason, for runs that did not reach their end."""
        return {int(run): reason for run, status, reason in
                zip(self._columns["run"], self._columns["status"], self._columns["reason"]) if status != "ok"}

    def assignments(self, run: int) -> List[str]:
        """["path=value", ...] of a run; use it as `set` of `run` to repeat that run."""
        if not 0 <= run < self._rows.runs:
            raise IndexError(f"there is no run {run}: there are {self._rows.runs}, counted from 0")
        return list(self._rows.assignments(run))

    def plot(self, x: str, y: str, ax: Any = None) -> Any:
        """Plots column y over column x by matplotlib into `ax`, one line for each combination of the other values. Returns the Axes.

        >>> s.plot("restitution", "probe.height.rms")
        """
        return _plots.sweep(self, x, y, ax)

    def to_csv(self, file: Path, times: bool = False) -> str:
        """Writes the same table as ``saltus sweep``. Returns the file name.

        Parameters
        ----------
        file : path
        times : bool
            Adds a column of wall times, which differ from sweep to sweep.
        """
        self._rows.to_csv(os.fspath(file), bool(times))
        return os.fspath(file)

    def __repr__(self) -> str:
        bad = self._rows.failed + self._rows.invalid
        return (f"<saltus.Sweep of {self.runs} runs over {', '.join(self.paths)}: {self._rows.ok} ok"
                f"{f', {bad} not' if bad else ''}>")

    def _repr_html_(self) -> str:
        probes = [name for name in self if name.startswith("probe.") and name.endswith((".last", ".max"))]
        shown = [*self.paths, "status", *probes[:4], "penetration", "residual"]
        most = 12
        rows = [[value if isinstance(value, str) else f"{value:.6g}" for value in (self[name][k] for name in shown)]
                for k in range(min(most, self.runs))]
        out = f"<b>{html.escape(self.title or 'sweep')}</b>" + _svg.table([self.header(name) for name in shown], rows)
        if self.runs > most:
            out += f"<p>and {self.runs - most} more runs</p>"
        first = self.paths[0] if self.paths else "run"
        if probes and self[first].dtype.kind == "f" and self.runs > 1:
            order = np.argsort(self[first], kind="stable")
            if len(self.paths) < 2:
                out += _svg.plot([("", self[first][order], self[probes[0]][order])], self.header(first),
                                 self.header(probes[0]), markers=True)
        bad = self.failures
        out += "".join(f"<p>run {run}: {html.escape(reason)}</p>" for run, reason in list(bad.items())[:5])
        return out


def sweep(scene: Any, values: Union[Mapping[str, Any], Sequence[str], str], threads: Optional[int] = None,
          random: Optional[int] = None, seed: Optional[int] = None, set: Assignments = None, progress: Shown = None) -> Sweep:
    """Runs a scene with every combination of values, on several threads.

    Parameters
    ----------
    scene : path, Scene or dict
    values : dict, or list of str
        Path of an entry -> its values: a list or an array of numbers (SI) or texts ('2 mm', 'newmark'), or a text in the form
        of ``saltus sweep --set``: '1:10:0.5 kg', 'uniform(1,2) kg', 'newmark,moreau-jean'. Every combination is run; the last
        path varies fastest. Or texts "path=values" as for ``--set``.
    threads : int, optional
        By default all of the machine; results do not depend on it.
    random, seed : int, optional
        Number of random samples, and the seed (0 by default).
    set : dict, list of str or str, optional
        Entries set in all runs.
    progress : None, bool or callable
        See `run`.

    Returns
    -------
    Sweep
        If `progress` stopped it, with the rows of the finished runs.

    Raises
    ------
    UsageError
        `values` of another type, no values, an invalid number of threads or samples.
    SceneError
        If no run has a valid scene: the error of the first.
    KeyboardInterrupt
        Ctrl-C.

    Examples
    --------
    >>> s = saltus.sweep("ball.yaml", {"contacts[0].law.restitution": np.linspace(0, 1, 11)})
    >>> s.plot("restitution", "probe.height.max")
    """
    axes = _axes(values)
    threads = 0 if threads is None else whole("threads", threads, 1)
    random = None if random is None else whole("random", random, 1, 2**63 - 1)
    seed = None if seed is None else whole("seed", seed, 0, 2**63 - 1)
    with Reporter(progress) as report:
        return Sweep(_core._sweep(at_once(scene, set), None, axes, threads, random, seed, report.hook))
