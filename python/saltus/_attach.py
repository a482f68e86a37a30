"""Adds attributes written in Python to classes of the compiled part."""
from __future__ import annotations

import inspect
from typing import Any


def attach(kind: type, **members: Any) -> None:
    """Adds members to a class. Functions get the names of the members, for help() and tracebacks."""
    for name, what in members.items():
        function = what.__func__ if isinstance(what, staticmethod) else what
        if inspect.isfunction(function):
            function.__name__, function.__qualname__ = name, f"{kind.__qualname__}.{name}"
        setattr(kind, name, what)
