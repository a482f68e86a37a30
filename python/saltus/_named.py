"""Mappings by name that also accept numbers, and the error for attributes that a kind does not have."""
from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, Callable, Iterator, List, Union

from ._core import UsageError
from ._fixed import Fixed


class NotOfThisKind(UsageError, AttributeError):
    """An attribute that bodies of this kind do not have; hasattr() returns False."""


def number_of(names: List[str], key: Union[str, int], what: str) -> int:
    """Index of a name, or of a number as in a list. KeyError, IndexError, TypeError."""
    if isinstance(key, str):
        if key not in names:
            known = f" (there are: {', '.join(names[:20])}" + (f", ... {len(names)} of them)" if len(names) > 20
                                                               else ")") if names else " (there are none)"
            raise KeyError(f"there is no {what} {key!r}{known}")
        return names.index(key)
    try:
        place = operator.index(key)
    except TypeError:
        raise TypeError(f"a {what} is selected by its name or by one number, not by {key!r}") from None
    if not -len(names) <= place < len(names):
        raise IndexError(f"there is no {what} {place}: there are {len(names)}, counted from 0")
    return place % len(names)


class Named(Fixed, Mapping):
    """Objects by name, or by number as in a list: ``bodies["ball"]``, ``bodies[0]``, ``bodies[-1]``."""

    def __init__(self, what: str, names: List[str], make: Callable[[int], Any]) -> None:
        self._what, self._names, self._make = what, list(names), make

    def __getitem__(self, key: Union[str, int]) -> Any:
        return self._make(number_of(self._names, key, self._what))

    def __contains__(self, key: object) -> bool:
        try:
            number_of(self._names, key, self._what)  # type: ignore[arg-type]
        except (KeyError, IndexError, TypeError):
            return False
        return True

    def get(self, key: Any, default: Any = None) -> Any:
        """The object of this name or number; `default` if there is none."""
        return self[key] if key in self else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name!r}: {self._make(k)!r}" for k, name in enumerate(self._names[:20]))
        return "{" + shown + (f", ... {len(self)} of them" if len(self) > 20 else "") + "}"
