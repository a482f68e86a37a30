"""Bodies of every kind by keyword: entries of a scene, checked when they are made.

    from saltus import bodies, shapes
    ball = bodies.rigid("ball", shape=shapes.sphere(radius=0.1), density=700, scheme=saltus.scheme("rig-mid"))
    rig = bodies.matrices("rig", mass=M, stiffness=K, scheme="moreau-jean")     # M, K: NumPy

Lengths and other numbers are in SI units; a text with a unit, "5 cm", is read as in scene files. Options of the kind
(radius, density, modes, ...) and options of every body (scheme, initial, origin, loads, ...) are given side by side.
Schemes can be names, entries, results of saltus.scheme(), or objects of classes derived from saltus.Scheme.
"""
from __future__ import annotations

from typing import Any, List

from . import _core
from ._core import Scene, Scheme
from ._entries import Entry, Option, _described, _tables, plain, signed, taken
from .models import _options_of

#: kind of the body, its entry
_KINDS = {"modal": ("string", "bar", "modes"), "linear": ("oscillator", "chain", "mesh", "matrices"),
          "lagrangian": ("pendulum", "n_pendulum", "duffing", "spring_pendulum", "planet", "planar_rod",
                         "slider_crank", "stvk_bar"),
          "particles": ("particles",), "rigid": ("rigid",), "pseudo-rigid": ("pseudo_rigid",),
          "fem": ("fem",), "beam": ("beam",)}
_ENTRIES = {entry for entries in _KINDS.values() for entry in entries}
#: options of every body, as far as the kind uses them
_OF_BODIES = ("scheme", "rayleigh", "loads", "prescribed", "pluck", "initial", "origin", "axis", "direction",
              "tangents")
#: options of bodies of these kinds only
_OF_KINDS = {"tangents": ("lagrangian",), "pluck": ("modal",), "initial": ("modal", "linear", "lagrangian"),
             "prescribed": ("linear", "lagrangian", "particles")}

__all__ = sorted(_ENTRIES)


def check(entry: Entry) -> Entry:
    """Reads and checks the entry like one of a scene, and returns it.

    Raises
    ------
    SceneError
        With the path of the option, "bodies[0].rigid.density".
    """
    given = dict(entry)
    if isinstance(given.get("scheme"), Scheme) and given["scheme"] not in _options_of:
        given.pop("scheme")
    scene = {"saltus": 1, "time": {"end": 1, "step": 1}, "bodies": [given]}
    Scene.from_dict(plain(scene), name=f"saltus.bodies {entry['name']}")
    return entry


def _maker(kind: str, key: str) -> Any:
    own: List[Option] = _tables()[f"bodies[].{key}"]
    names = {o.key for o in own}
    common = [o for o in _tables()["bodies[]"] if o.key in _OF_BODIES and o.key not in names and
              kind in _OF_KINDS.get(o.key, (kind,))]
    about = next(o.help for o in _tables()["bodies[]"] if o.key == key)

    def make(name: str, **options: Any) -> Entry:
        of_body = {o: options.pop(o) for o in [c.key for c in common] if o in options}
        entry = Entry(name=name, kind=kind)
        entry[key] = taken(f"bodies.{key}", options, own)
        entry.update((o, value) for o, value in of_body.items() if value is not None)
        return check(entry)

    make.__name__ = make.__qualname__ = key
    make.__module__ = __name__
    return signed(make, ["name"], own + common, f"""A body of kind {kind}: {about}.

Parameters
----------
name : str
    Unique; contacts, joints and outputs refer to it.
{_described(own)}
{_described(common)}

Returns
-------
Entry
    For saltus.Model.build(), make_scene() and ModelParts.add_body().

Raises
------
SceneError
    If an option is unknown, missing or out of its range.
""")


for _kind, _keys in _KINDS.items():
    for _key in _keys:
        globals()[_key] = _maker(_kind, _key)
