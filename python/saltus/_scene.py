"""Scenes from what people have at hand: a file, a text, a dict, another scene with changes."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterable, Mapping, Union

from ._core import Scene, SceneError

Assignments = Union[None, Mapping[str, Any], Iterable[str], str]


def _plain(value: Any) -> Any:
    """What json cannot write by itself: NumPy's numbers and arrays, paths."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a {type(value).__name__} cannot stand in a scene")


def _json(value: Any, what: str) -> str:
    try:
        return json.dumps(value, default=_plain, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise SceneError(f"{what}: {error}") from None


def _assignments(assignments: Assignments) -> list[str]:
    """The list of "path=value" that the engine reads, as behind --set of the command."""
    if assignments is None:
        return []
    if isinstance(assignments, str):
        return [assignments]
    if isinstance(assignments, Mapping):
        return [f"{path}={value if isinstance(value, str) else _json(value, path)}"
                for path, value in assignments.items()]
    return [str(one) for one in assignments]


def read(file: Union[str, os.PathLike], set: Assignments = None) -> Scene:
    """Reads a scene file (YAML or JSON).

    Parameters
    ----------
    file : path
    set : dict, list of str or str, optional
        Entries that override what the file says: ``{"bodies[0].scheme.theta": 1}`` or ``["time.end=2 s"]``.
        A number is in SI units, a text is read as behind ``--set``, with a unit if it has one.

    Raises
    ------
    SceneError
        With file, line and column.
    """
    return Scene._read(os.fspath(file), _assignments(set))


def parse(text: str, name: str = "scene", folder: Union[None, str, os.PathLike] = None,
          set: Assignments = None) -> Scene:
    """A scene from its text.

    Parameters
    ----------
    text : str
        YAML or JSON.
    name : str
        Stands for the file in errors.
    folder : path, optional
        Files that the scene names are relative to it; the present one if not given.
    set : dict, list of str or str, optional
        As for `read`.
    """
    return Scene._parse(text, name, os.fspath(folder) if folder is not None else "", _assignments(set))


def from_dict(entries: Mapping[str, Any], name: str = "scene", folder: Union[None, str, os.PathLike] = None,
              set: Assignments = None) -> Scene:
    """A scene from a dict with the entries of a scene file; arrays of NumPy may stand for lists.

    >>> saltus.Scene.from_dict({"saltus": 1, "time": {"end": "1 s", "step": 1e-3}, "bodies": [...]})
    """
    return parse(_json(dict(entries), name), name, folder, set)


def of(scene: Any, set: Assignments = None) -> Scene:
    """A scene from a `Scene`, a path or a dict; what every function does with its argument `scene`."""
    if isinstance(scene, Scene):
        return with_(scene, set) if set else scene
    if isinstance(scene, Mapping):
        return from_dict(scene, set=set)
    if isinstance(scene, (str, os.PathLike)):
        return read(scene, set)
    raise TypeError(f"a scene is a Scene, a path or a dict, not a {type(scene).__name__}")


def with_(self: Scene, set: Assignments) -> Scene:
    """This scene with other values of some entries, see `read`."""
    return self._changed(_assignments(set))


def _resolved(self: Scene) -> Dict[str, Any]:
    """dict : every entry with its default spelled out, all numbers in SI units."""
    return json.loads(self._resolved)


def _repr(self: Scene) -> str:
    title = f": {self.title}" if self.title else ""
    return f"<saltus.Scene {self.file}{title}>"


def _eq(self: Scene, other: Any) -> Any:
    return self._resolved == other._resolved if isinstance(other, Scene) else NotImplemented


Scene.read = staticmethod(read)
Scene.parse = staticmethod(parse)
Scene.from_dict = staticmethod(from_dict)
Scene.of = staticmethod(of)
Scene.with_ = with_
Scene.resolved = property(_resolved, doc=_resolved.__doc__)
Scene.__repr__ = _repr
Scene.__eq__ = _eq
Scene.__hash__ = None
