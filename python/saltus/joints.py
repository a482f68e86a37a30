"""Joints of every kind by keyword: entries of a scene for `joints`.

    from saltus import joints
    joints.revolute("arm", "world", at=[0, 0, 1], axis=[0, 1, 0], turn={"motor": {"velocity": 3, "torque": 10}})
"""
from __future__ import annotations

import re
from typing import Any, List

from ._entries import Entry, Option, _described, _tables, signed, taken

_OPTIONS: List[Option] = [o for o in _tables()["joints[]"] if o.key not in ("kind", "between")]
__all__ = re.sub("^one of ", "", next(o.value for o in _tables()["joints[]"] if o.key == "kind")).split(", ")


def _maker(kind: str) -> Any:
    def make(first_body: str, second_body: str, **options: Any) -> Entry:
        entry = Entry(kind=kind, between=[first_body, second_body])
        entry.update(taken(f"joints.{kind}", options, _OPTIONS))
        return entry

    make.__name__ = make.__qualname__ = kind
    make.__module__ = __name__
    return signed(make, ["first_body", "second_body"], _OPTIONS, f"""A joint of kind {kind}.

Parameters
----------
first_body, second_body : str
    Names; "world" is the fixed frame.
{_described(_OPTIONS)}

Returns
-------
Entry
    For `joints` of saltus.Model.build() and make_scene().
""")


for _kind in __all__:
    globals()[_kind] = _maker(_kind)
