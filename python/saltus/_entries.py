"""Entries of scenes from function calls.

The functions of saltus.bodies, saltus.shapes and saltus.joints are generated from the option tables of the scene reader,
so they have every option, its unit and its default.
"""
from __future__ import annotations

import functools
import inspect
import json
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional

from . import _core
from ._core import Scheme, UsageError
from ._scene import _json, fault


class Entry(dict):
    """An entry of a scene: a dict that can be written as JSON or YAML, except for schemes written in Python."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"an entry of a scene has no attributes to set: write entry[{name!r}] = ...")

    def __or__(self, other: Mapping) -> "Entry":
        return Entry({**self, **other})


class Option(NamedTuple):
    key: str
    value: str
    default: str
    help: str
    required: bool


@functools.lru_cache(maxsize=None)
def _tables() -> Dict[str, List[Option]]:
    """Options of each map of a scene, by its path: "bodies[].rigid"."""
    out: Dict[str, List[Option]] = {}
    for topic in ("scene", "bodies"):
        for section in json.loads(_core._options(topic, "json")):
            out[section["name"]] = [Option(o["key"], o["value"], o["default"], o["help"], o["required"])
                                    for o in section["options"]]
    return out


def _name_of(key: str) -> str:
    """Appends `_` to keys that are Python keywords."""
    return key + "_" if key in ("from", "with", "in", "is", "not", "and", "or") else key


def _described(options: List[Option]) -> str:
    lines = []
    for o in options:
        more = "" if o.required else (f", default {o.default}" if o.default else ", optional")
        lines.append(f"{_name_of(o.key)} : {o.value}{more}\n    {o.help}")
    return "\n".join(lines)


def _nearest(name: str, known: List[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, 1, 0.6)
    return (f"did you mean `{near[0]}`? " if near else "") + "allowed: " + ", ".join(known)


def taken(where: str, given: Mapping[str, Any], options: List[Option]) -> Entry:
    """The options given by keyword; options with value None are left out. SceneError for an unknown or missing key."""
    known = {_name_of(o.key): o.key for o in options}
    out = Entry()
    for name, value in given.items():
        if name not in known:
            raise fault(where, f"unknown key `{name}`", _nearest(name, list(known)))
        if value is not None:
            out[known[name]] = value
    for o in options:
        if o.required and o.key not in out:
            raise fault(where, f"`{_name_of(o.key)}` is missing: {o.help}")
    return out


def signed(function: Callable, first: List[str], options: List[Option], doc: str) -> Callable:
    """`function(*first, **options)` with a signature and a docstring for its options."""
    P = inspect.Parameter
    parameters = [P(name, P.POSITIONAL_OR_KEYWORD) for name in first]
    seen = set(first)
    for o in sorted(options, key=lambda o: not o.required):
        name = _name_of(o.key)
        if name not in seen:
            parameters.append(P(name, P.KEYWORD_ONLY, default=P.empty if o.required else None))
            seen.add(name)
    setattr(function, "__signature__", inspect.Signature(parameters))
    function.__doc__ = doc
    return function


def plain(value: Any) -> Any:
    """Copies of entries that can be written: schemes of the registry are replaced by their options."""
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, Scheme):
        from .models import scheme_entry

        return scheme_entry(value)
    if hasattr(value, "tocoo"):
        rows = value.shape[0]
        if rows > 2000:
            raise UsageError(f"a matrix of {rows} rows is too large for a scene: use saltus.linear(), which keeps it sparse, "
                             "or give a file .mtx")
        return value.toarray().tolist()
    return value


def to_json(value: Any, what: str) -> str:
    return _json(plain(value), what)
