"""Shapes of rigid and pseudo-rigid bodies by keyword: entries of a scene, checked when they are made.

    from saltus import shapes
    shapes.box(size=[0.1, 0.1, 0.2], position=[0, 0, 0.1], material="wood")

saltus.Shape is for shapes from NumPy arrays, for ModelParts.
"""
from __future__ import annotations

from typing import Any, List

from ._core import Scene
from ._entries import Entry, Option, _described, _tables, plain, signed, taken

_COMMON = ("position", "rotation", "material", "density")
_ROOT = "bodies[].rigid.shape"
__all__ = [o.key for o in _tables()[_ROOT] if o.key not in _COMMON]


def _maker(key: str) -> Any:
    own: List[Option] = _tables()[f"{_ROOT}.{key}"]
    common = [o for o in _tables()[_ROOT] if o.key in _COMMON]
    about = next(o.help for o in _tables()[_ROOT] if o.key == key)

    def make(**options: Any) -> Entry:
        of_shape = {o.key: options.pop(o.key) for o in common if options.get(o.key) is not None}
        entry = Entry({key: taken(f"shapes.{key}", options, own)})
        entry.update(of_shape)
        body = {"name": "body", "kind": "rigid", "rigid": {"fixed": True, "shape": entry}}
        scene = {"saltus": 1, "time": {"end": 1, "step": 1}, "bodies": [body]}
        Scene.from_dict(plain(scene), name=f"saltus.shapes.{key}")
        return entry

    make.__name__ = make.__qualname__ = key
    make.__module__ = __name__
    return signed(make, [], own + common, f"""A shape: {about}.

Parameters
----------
{_described(own + common)}

Returns
-------
Entry
    For `shape` and `shapes` of bodies.

Raises
------
SceneError
    If an option is unknown, missing or out of its range.
""")


for _key in __all__:
    globals()[_key] = _maker(_key)
