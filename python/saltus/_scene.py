"""Scenes from a file, a text, a dict, or another scene with changes."""
from __future__ import annotations

import json
import math
import operator
import os
from typing import Any, Dict, Iterable, Iterator, Mapping, Tuple, Union

from ._attach import attach
from ._core import Scene, SceneError, UsageError

Assignments = Union[None, Mapping[str, Any], Iterable[str], str]


def _plain(value: Any) -> Any:
    """Converts objects that json does not support: NumPy numbers and arrays, paths."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a {type(value).__name__} cannot be part of a scene")


def fault(path: str, message: str, hint: str = "", file: str = "") -> SceneError:
    """A SceneError with its attributes, as raised by the engine."""
    place = ": ".join(part for part in (file, path, message) if part)
    error = SceneError(place + (f"; {hint}" if hint else ""))
    error.path, error.message, error.hint, error.file = path, message, hint, file
    return error


def _faults(value: Any, path: str) -> Iterator[Tuple[str, str]]:
    """(path, message) of each value that JSON does not support."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            if not isinstance(key, str):
                yield path, f"the key {key!r} is not a text"
            else:
                yield from _faults(key, path)
                yield from _faults(one, f"{path}.{key}" if path else key)
    elif isinstance(value, (list, tuple)):
        for k, one in enumerate(value):
            yield from _faults(one, f"{path}[{k}]")
    elif isinstance(value, str):
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            yield path, f"{value!a} contains an unpaired surrogate"
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield path, f"{value} is not a finite number"
    elif isinstance(value, complex):
        yield path, f"{value} is not a real number"
    elif hasattr(value, "tolist"):
        yield from _faults(value.tolist(), path)
    elif not (value is None or isinstance(value, (int, os.PathLike))):
        yield path, f"an object of {type(value).__name__} cannot be part of a scene"


def _json(value: Any, what: str, file: str = "") -> str:
    """JSON of an entry at the path `what`, '' for a whole scene."""
    try:
        text = json.dumps(value, default=_plain, allow_nan=False, ensure_ascii=False)
        text.encode()
        return text
    except (TypeError, ValueError) as error:
        for path, wrong in _faults(value, what):
            raise fault(path, wrong, "allowed: texts, finite numbers, lists and dicts of them", file) from None
        raise fault(what, str(error), file=file) from None


def whole(name: str, value: Any, least: int, most: int = 2**31 - 1) -> int:
    """An integer, also if it is given as 10.0; UsageError for anything else."""
    try:
        number = int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or not least <= number <= most:
        raise UsageError(f"{name} is {value!r} (a whole number from {least} to {most})")
    return number


def _folder(folder: Union[None, str, os.PathLike]) -> str:
    """An absolute path, so that a scene finds its files even if the working folder changes."""
    return os.path.abspath("" if folder is None else os.fspath(folder))


def _assignments(assignments: Assignments) -> list[str]:
    """The list of "path=value" for the engine, in the form of --set of the command."""
    if assignments is None:
        return []
    if isinstance(assignments, str):
        return [assignments]
    if isinstance(assignments, Mapping):
        for path in assignments:
            if not isinstance(path, str):
                raise UsageError(f"set: {path!r} is not a path of an entry ('bodies[0].scheme.theta')")
        texts = [f"{path}={value if isinstance(value, str) else _json(value, path)}"
                 for path, value in assignments.items()]
    else:
        texts = list(assignments) if isinstance(assignments, Iterable) else []
        if not isinstance(assignments, Iterable) or not all(isinstance(one, str) for one in texts):
            raise UsageError("set must be a dict {path: value}, a text 'path=value' or a list of such texts, not "
                             f"{assignments!r}")
    for text in texts:
        for _, wrong in _faults(text, "set"):
            raise fault("set", wrong)
    return texts


def read(file: Union[str, os.PathLike], set: Assignments = None) -> Scene:
    """Reads a scene file (YAML or JSON).

    Parameters
    ----------
    file : path
    set : dict, list of str or str, optional
        Entries that override those of the file: ``{"bodies[0].scheme.theta": 1}`` or ``["time.end=2 s"]``.
        A number is in SI units, a text is read as for ``--set``, with its unit if it has one.

    Raises
    ------
    SceneError
        With file, line and column.
    """
    name, assignments = os.fspath(file), _assignments(set)
    folder = os.path.dirname(name)
    if os.path.isabs(folder):
        return Scene._read(name, assignments)
    try:
        with open(name, "rb") as source:  # bytes: the engine reports the position of invalid UTF-8
            text: Any = source.read()
    except OSError:
        return Scene._read(name, assignments)  # raises the error
    return Scene._parse(text, name, _folder(folder), assignments)


def at_once(scene: Any, set: Assignments = None) -> Scene:
    """As `of`, for work that starts immediately: data files keep the names relative to the name of the scene, which are
    those that the command stores."""
    if isinstance(scene, (str, os.PathLike)):
        return Scene._read(os.fspath(scene), _assignments(set))
    return of(scene, set)


def parse(text: str, name: str = "scene", folder: Union[None, str, os.PathLike] = None,
          set: Assignments = None) -> Scene:
    """A scene from its text.

    Parameters
    ----------
    text : str
        YAML or JSON.
    name : str
        Name of the file in errors.
    folder : path, optional
        Folder of relative file names in the scene; the working folder if not given.
    set : dict, list of str or str, optional
        As for `read`.
    """
    if not isinstance(text, str):
        hint = "; decode them: text.decode()" if isinstance(text, (bytes, bytearray)) else ""
        raise TypeError(f"the text of a scene must be a str, not {type(text).__name__}{hint}")
    if any(_faults(text, "")):
        raise fault("", "contains an unpaired surrogate", "not valid text", name)
    return Scene._parse(text, name, _folder(folder), _assignments(set))


def from_dict(entries: Mapping[str, Any], name: str = "scene", folder: Union[None, str, os.PathLike] = None,
              set: Assignments = None) -> Scene:
    """A scene from a dict with the entries of a scene file; NumPy arrays are accepted for lists.

    `name` is used as the file name in errors, file names in the entries are relative to `folder`.

    >>> saltus.Scene.from_dict({"saltus": 1, "time": {"end": "1 s", "step": 1e-3}, "bodies": [...]})
    """
    return parse(_json(dict(entries), "", name), name, folder, set)


def of(scene: Any, set: Assignments = None) -> Scene:
    """A scene from a `Scene`, a path or a dict; applied by every function to its argument `scene`."""
    if isinstance(scene, Scene):
        return with_(scene, set) if set else scene
    if isinstance(scene, Mapping):
        return from_dict(scene, set=set)
    if isinstance(scene, (str, os.PathLike)):
        return read(scene, set)
    raise TypeError(f"a scene must be a Scene, a path or a dict, not a {type(scene).__name__}")


def with_(self: Scene, set: Assignments) -> Scene:
    """This scene with other values of some entries, see `read`."""
    return self._changed(_assignments(set))


def _resolved(self: Scene) -> Dict[str, Any]:
    """dict : all entries including defaults, all numbers in SI units."""
    return json.loads(self._resolved)


def _repr(self: Scene) -> str:
    title = f": {self.title}" if self.title else ""
    return f"<saltus.Scene {self.file}{title}>"


def _eq(self: Scene, other: Any) -> Any:
    return self._resolved == other._resolved if isinstance(other, Scene) else NotImplemented


def _all_faults(self: SceneError) -> Tuple[SceneError, ...]:
    """tuple of SceneError : all faults of the scene in the order of the file; for a single fault the error itself."""
    faults: Tuple[SceneError, ...] = getattr(self, "_faults", ())
    return faults or (self,)


attach(SceneError, faults=property(_all_faults, doc=_all_faults.__doc__))
attach(
    Scene,
    read=staticmethod(read),
    parse=staticmethod(parse),
    from_dict=staticmethod(from_dict),
    of=staticmethod(of),
    with_=with_,
    resolved=property(_resolved, doc=_resolved.__doc__),
    __repr__=_repr,
    __eq__=_eq,
    __hash__=None,
)
