"""Objects with data of the engine: assignments would have no effect, so they raise an error."""
from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

Array = TypeVar("Array", bound=np.ndarray)


class Fixed:
    """Attributes can be set by the methods of the class only.

    Classes define `_instead`: what a user can do instead of assigning.
    """

    _instead = ""

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        kind = type(self).__name__
        names = sorted({one for one in (*dir(type(self)), *vars(self)) if not one.startswith("_")})
        what = (f"attribute {name!r} of {kind} cannot be set" if name in names else
                f"{kind} has no attribute {name!r} to set (it has: {', '.join(names)})")
        raise AttributeError(what + (f"; {self._instead}" if self._instead else ""))

    def _set(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            object.__setattr__(self, name, value)


def fixed(array: Array) -> Array:
    """The array, set read-only: use `.copy()` to change it."""
    array.flags.writeable = False
    return array
