"""Runs a scene from its start and writes a results file, as `saltus run` does."""
from __future__ import annotations

import os
import sys
import warnings
from typing import Any, List, Optional, Union

from . import _core
from ._core import RunError, SceneError, UsageError, _ResultsFile
from ._progress import Reporter, Shown, in_notebook
from ._results import Results
from ._scene import Assignments, at_once

Path = Union[str, os.PathLike]


class RunWarning(UserWarning):
    """A warning about valid but doubtful input or a doubtful run, with its remedy."""


def _command_line() -> List[str]:
    """The command stored in a results file: the script and its arguments; in notebooks only "notebook", since the arguments of
    the kernel contain folders of the user."""
    return ["notebook"] if in_notebook() else ["python3", *(one for one in sys.argv if one)]


def _until(until: Union[None, float, str]) -> str:
    """In the form of `--until`."""
    if until is None:
        return ""
    return until if isinstance(until, str) else repr(float(until))


def _call(scene: Any, arguments: dict) -> str:
    """The call that resumes a run."""
    shown = repr(os.fspath(scene)) if isinstance(scene, (str, os.PathLike)) else "scene"
    for name, value in arguments.items():
        if value is not None:
            shown += f", {name}={(os.fspath(value) if isinstance(value, os.PathLike) else value)!r}"
    return f"saltus.run({shown}, resume=True)"


def _replaceable(scene: Any, output: str) -> None:
    """UsageError if `output` is a file that was not written by a run."""
    try:
        if not os.path.isfile(output) or os.path.getsize(output) == 0:
            return
        if isinstance(scene, (str, os.PathLike)) and os.path.samefile(scene, output):
            return  # reported by the engine
    except OSError:
        return  # so are faults of the scene
    try:
        _ResultsFile(output)
    except (SceneError, RunError):
        raise UsageError(f"output: '{output}' exists and is not a results file: choose another name, or remove it"
                         ) from None


def run(scene: Any, output: Optional[Path] = None, set: Assignments = None, until: Union[None, float, str] = None,
        resume: bool = False, progress: Shown = None, dump_contact: Optional[str] = None,
        dump_folder: Optional[Path] = None, outputs_anywhere: bool = False) -> Results:
    """Runs a scene to its end and writes a results file, bit for bit the one that ``saltus run`` writes.

    Parameters
    ----------
    scene : path, Scene or dict
    output : path, optional
        Results file; ``<stem of the scene>.h5`` in the working folder if not given. During the run it is called
        ``<output>.part``. Sounds and tables of the scene's `outputs` are written next to it.
    set : dict, list of str or str, optional
        Entries that override those of the scene: ``{"time.rate": "2 kHz"}``.
    until : float [s] or str, optional
        Replaces time.end.
    resume : bool
        Resumes from the last checkpoint of `output` or its ``.part``; the scene must be the same, its end may differ.
    progress : None, bool or callable
        None: a bar if stderr is a terminal and a line in notebooks, after half a second. A function is called with a
        `Progress`; if it returns False, the run stops and can be resumed.
    dump_contact : {'worst', 'failed', 'every:N'}, optional
        Contact problems to be written as FCLIB files, in `dump_folder` or next to `output`.
    outputs_anywhere : bool
        Accepts sounds and tables of the scene outside the folder of `output` or with names that do not end in ``.wav``
        and ``.csv``, and replaces files that Saltus did not write.

    Returns
    -------
    Results
        The finished file; the ``.part`` if `progress` stopped the run (then `.finished` is False and
        `.stopped` gives the time reached).

    Raises
    ------
    SceneError
        A fault of the scene, a file that cannot be written, nothing to resume.
    UsageError
        `output` exists and is not a results file.
    RunError
        A step that failed (with `.report`), a full disk, a sound that could not be written.
    KeyboardInterrupt
        Ctrl-C: the ``.part`` contains a checkpoint, and the message says how to resume.

    Warns
    -----
    RunWarning
        Warnings of the command; also in `Results.warnings`.

    Examples
    --------
    >>> r = saltus.run("ball.yaml", until=2.0, set={"bodies[0].scheme": "moreau-jean"})
    >>> r.t[-1], r.ledger["impact"][-1]
    """
    if output is not None and not resume:
        _replaceable(scene, os.fspath(output))
    go_on = _call(scene, {"output": output, "set": set, "until": until})
    with Reporter(progress) as report:
        told = _core._run(at_once(scene, set), None, os.fspath(output) if output is not None else "", _until(until), bool(resume),
                          _command_line(), go_on, dump_contact or "",
                          os.fspath(dump_folder) if dump_folder is not None else "", bool(outputs_anywhere),
                          report.hook)
    for text in told["warnings"]:
        warnings.warn(text, RunWarning, stacklevel=2)
    if told["faults"]:
        raise RunError("; ".join(told["faults"]) + f"; everything else is in {told['file']}")
    return Results(told["file"], warnings=told["warnings"], stopped=told["stopped"], files=told["files"])
