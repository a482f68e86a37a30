"""Replaces parts of models by objects written in Python."""
from __future__ import annotations

from typing import Union

from . import _core
from ._core import Dynamics, Model, Scheme

__all__ = ["with_dynamics", "with_scheme"]


def _group(model: Model, group: Union[int, str]) -> Union[int, str]:
    """The group that has a body of this name."""
    if isinstance(group, str):
        for index, one in enumerate(model._groups):
            if group == one.name or group in one.bodies:
                return index
    return group


def with_scheme(model: Model, group: Union[int, str], scheme: Scheme) -> Model:
    """The same model with another scheme for one group.

    Parameters
    ----------
    model : Model
    group : int or str
        Number of the group, or the name of one of its bodies.
    scheme : Scheme
        A scheme of the engine, ``saltus.scheme("newmark")``, or one written in Python.

    Returns
    -------
    Model

    Raises
    ------
    SceneError
        If the scheme does not support the body.
    UsageError
        If there is no such group, or the scheme lacks a method.
    """
    parts = _core.ModelParts._of(model)
    parts.set_scheme(_group(model, group), scheme)
    return parts.build()


def with_dynamics(model: Model, group: Union[int, str], dynamics: Dynamics) -> Model:
    """The same model with other dynamics, of the same size, for one group; otherwise as `with_scheme`.

    Probes of the model keep the point tables of the previous body.
    """
    parts = _core.ModelParts._of(model)
    parts.set_dynamics(_group(model, group), dynamics)
    return parts.build()
