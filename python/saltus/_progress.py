"""Progress of long work: a bar in terminals, a line in notebooks, or a user function.

All long-running functions have the argument `progress`:

None      automatic: after half a second, a bar if stderr is a terminal, a line that is updated in notebooks
False     no display
True      from the start, and one line per second if stderr is a file
callable  called with a `Progress` about twenty times a second; if it returns False, the work stops
"""
from __future__ import annotations

import html
import shutil
import sys
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Union

_AFTER = 0.5   # [s] delay of the display
_REDRAW = 0.1  # [s] between updates of the bar
_LINE = 1.0    # [s] between lines in files

Shown = Union[None, bool, Callable[["Progress"], Any]]


@dataclass(frozen=True)
class Progress:
    """State of long work.

    Attributes
    ----------
    fraction : float
        0 .. 1.
    elapsed, eta : float
        Wall time so far and, roughly, remaining [s]; eta is inf if unknown.
    step, steps : int
        Steps of a run, or of all runs of a study; 0 in a sweep.
    t, end : float
        Current time and end of the run [s].
    contacts : int
        Contacts with an impulse in the last step.
    residual : float
        Largest so far [1].
    done, runs, failed : int
        Numbers of runs of a sweep.
    rate : float
        Steps per second of wall time; in a sweep, runs per second.
    """

    fraction: float
    elapsed: float
    eta: float
    step: int = 0
    steps: int = 0
    t: float = 0.0
    end: float = 0.0
    contacts: int = 0
    residual: float = 0.0
    done: int = 0
    runs: int = 0
    failed: int = 0
    rate: float = 0.0

    def __str__(self) -> str:
        eta = "" if self.eta == float("inf") else f"  ETA {_duration(self.eta)}"
        if self.runs:
            return (f"{100 * self.fraction:3.0f} %  {self.done}/{self.runs} runs  {self.rate:.3g} runs/s{eta}  "
                    f"failed {self.failed}")
        rate = f"{1e-3 * self.rate:.0f}k" if self.rate >= 1e4 else f"{self.rate:.3g}"
        return (f"{100 * self.fraction:3.0f} %  t {self.t:.4g}/{self.end:.4g} s  {rate} steps/s{eta}  "
                f"contacts {self.contacts}  residual {self.residual:.1e}")


def _duration(seconds: float) -> str:
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02}"
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


class _Bar:
    """On a terminal: one line of stderr that is redrawn."""

    every = _REDRAW

    def __init__(self) -> None:
        self.drawn = False

    def show(self, now: Progress) -> None:
        text = str(now)
        room = shutil.get_terminal_size().columns - 1
        bar = min(20, room - len(text) - 3)
        if bar >= 5:
            full = int(now.fraction * bar)
            text = f"[{'=' * full}{' ' * (bar - full)}] {text}"
        sys.stderr.write(f"\r{text[:room]}\033[K")
        sys.stderr.flush()
        self.drawn = True

    def clear(self) -> None:
        if self.drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
        self.drawn = False


class _Lines:
    """In a file: one line per second."""

    every = _LINE

    def show(self, now: Progress) -> None:
        sys.stderr.write(f"{now}\n")
        sys.stderr.flush()

    def clear(self) -> None:
        pass


class _Cell:
    """In a notebook: one output that is replaced, without widgets."""

    every = 2 * _REDRAW

    def __init__(self) -> None:
        self.handle: Any = None

    def show(self, now: Progress) -> None:
        from IPython.display import HTML, display

        line = HTML(f'<progress value="{now.fraction:.4f}" max="1" style="width:14em;vertical-align:middle"></progress> '
                    f'<code style="white-space:pre">{html.escape(str(now))}</code>')
        if self.handle is None:
            self.handle = display(line, display_id=True)
        else:
            self.handle.update(line)

    def clear(self) -> None:
        if self.handle is None:
            return
        from IPython.display import HTML

        self.handle.update(HTML(""))
        self.handle = None


def in_notebook() -> bool:
    """Whether this runs in a notebook kernel that shows HTML. Does not import IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


class Reporter:
    """The `progress` callback of the engine, and the display. A context manager, which clears the display at its end.

        with Reporter(progress) as report:
            _core._run(..., report.hook)
    """

    def __init__(self, progress: Shown) -> None:
        self._user: Optional[Callable[[Progress], Any]] = None
        self._shown: Any = None
        self._begin = time.monotonic()
        self._next = self._begin
        if callable(progress):
            self._user = progress
        elif progress is None or progress is True:
            if in_notebook():
                self._shown = _Cell()
            elif sys.stderr is not None and sys.stderr.isatty():
                self._shown = _Bar()
            elif progress is True:
                self._shown = _Lines()
            if self._shown is not None and progress is None:
                self._next += _AFTER
        elif progress is not False:
            raise TypeError(f"progress must be None, True, False or a function, not {progress!r}")

    @property
    def hook(self) -> Optional[Callable[[Dict[str, Any]], Any]]:
        """The callback for the engine; None if there is no user function and no display."""
        return self if self._user or self._shown else None

    def __call__(self, now: Dict[str, Any]) -> Any:
        at = time.monotonic()
        if self._user is not None:
            return self._user(self._made(now, at))
        if at >= self._next:
            self._next = at + self._shown.every
            self._shown.show(self._made(now, at))
        return None

    def _made(self, now: Dict[str, Any], at: float) -> Progress:
        elapsed = at - self._begin
        if "runs" in now:
            first, done, last = 0, now["done"], now["runs"]
        else:
            first, done, last = now.get("first", 0), now["step"], now["last"]
        rate = (done - first) / elapsed if elapsed > 0 else 0.0
        common = dict(fraction=min(1.0, done / last) if last else 1.0, elapsed=elapsed, rate=rate,
                      eta=(last - done) / rate if rate > 0 else float("inf"))
        if "runs" in now:
            return Progress(done=done, runs=last, failed=now["failed"], **common)
        return Progress(step=done, steps=last, t=now["t"], end=now["end"], contacts=now["contacts"],
                        residual=now["residual"], **common)

    def __enter__(self) -> "Reporter":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._shown is not None:
            self._shown.clear()
