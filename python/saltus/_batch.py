"""Batches of simulations."""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _scene
from ._attach import attach
from ._control import Coordinates
from ._core import Batch, Model, Scene, State, UsageError
from ._named import number_of
from ._scene import whole

_init = Batch.__init__


def _made(self: Batch, model: Union[Model, Scene, str, os.PathLike, Mapping], count: int,
          threads: Optional[int] = None) -> None:
    threads = None if threads is None else whole("threads", threads, 1, 1024)
    _init(self, model if isinstance(model, Model) else _scene.of(model).build(), whole("count", count, 1, 2**31 - 1),
          threads)


def _advance(self: Batch, steps: int = 1) -> np.ndarray:
    """Makes steps with all simulations.

    Parameters
    ----------
    steps : int
        Number of steps of each.

    Returns
    -------
    array of bool, shape (count,)
        Whether the last step of each succeeded. A simulation whose step failed stays before it; `failure` says why.
    """
    return self._advance(whole("steps", steps, 1, 2**31 - 1))


def _set_all(self: Batch, *, target: Any = None, velocity: Any = None, effort: Any = None) -> None:
    """As `Simulation.set_all`, for all simulations; if one value is wrong, nothing changes.

    Parameters
    ----------
    target, velocity, effort : array, shape (count, actuators), optional
        Values in the order of `Model.actuators`; NaN: the function of the scene.
    """
    self._set_all(target, velocity, effort)


def _coordinates(self: Batch) -> Coordinates:
    """Values and rates of all coordinates of joints, (count, coordinates), in the order of `Model.coordinates`; copies."""
    return Coordinates(*self._coordinates())


def _group(self: Batch, group: Union[str, int]) -> int:
    return number_of([one.name for one in self.model._groups], group, "group")


def _q(self: Batch, group: Union[str, int]) -> np.ndarray:
    """Positions of the group of this name or number in all simulations, (count, positions); a copy."""
    return self._part(_group(self, group), False)


def _v(self: Batch, group: Union[str, int]) -> np.ndarray:
    """Velocities of the group of this name or number in all simulations, as its scheme stores them, (count, velocities); a copy."""
    return self._part(_group(self, group), True)


def _probes(self: Batch) -> np.ndarray:
    """Values of all probes in the order of `Model.probes`, (count, probes); a copy."""
    return self._probes()


def _state(self: Batch, index: int) -> State:
    """A copy of the state of the simulation with this index."""
    return self._state(index)


def _reset(self: Batch, index: Union[None, int, Sequence[int], np.ndarray] = None, state: Optional[State] = None) -> None:
    """Continues from another state, by default the start of the model.

    Parameters
    ----------
    index : int, list of int or array of bool, optional
        Which simulations, `~good` for those that failed; all if not given.
    state : State, optional
        The state from which they continue.
    """
    if state is not None and not isinstance(state, State):
        raise UsageError(f"reset(): state is {state!r} (a State, or None)")
    try:
        which = np.arange(len(self)) if index is None else np.atleast_1d(np.asarray(index))
    except ValueError:
        which = np.array([0.5])
    if which.dtype == bool and which.shape == (len(self),):
        which = np.flatnonzero(which)
    if which.ndim != 1 or (which.size and which.dtype.kind not in "iu"):
        raise UsageError(f"reset(): index is {index!r} (a number, a list of numbers, or an array of truth values, one for each)")
    self._reset([int(i) for i in which], state)


def _failure(self: Batch, index: int) -> str:
    """Why the last step of the simulation with this index failed; '' if it did not."""
    return self._failure(index)


attach(
    Batch,
    __init__=_made,
    advance=_advance,
    set_all=_set_all,
    coordinates=_coordinates,
    q=_q,
    v=_v,
    probes=_probes,
    state=_state,
    reset=_reset,
    failure=_failure,
    __repr__=lambda self: f"<saltus.Batch of {len(self)} simulations>",
)
