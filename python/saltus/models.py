"""Models in code: schemes and laws by name, scenes from entries, ModelParts from objects."""
from __future__ import annotations

import weakref
from typing import Any, List, Mapping, Optional, Sequence, Union

from . import _core
from ._attach import attach
from ._core import ContactSolver, Dynamics, Model, ModelParts, Scene, Scheme, UsageError
from ._law import ContactLaw
from ._entries import Entry, _tables, plain, taken, to_json

__all__ = ["contact", "coupling", "dynamics_of", "law", "make_scene", "output", "scheme", "surface"]

_options_of: weakref.WeakKeyDictionary[Scheme, Entry] = weakref.WeakKeyDictionary()  # schemes of the registry


def scheme(name: Union[str, Mapping], **options: Any) -> Scheme:
    """A scheme of the registry with options.

    Parameters
    ----------
    name : str
        One of schemes(); or an entry of a scene, {"kind": ..., ...}.
    **options
        As in scenes; describe("schemes") lists them.

    Returns
    -------
    Scheme
        For bodies.*(scheme=...) and ModelParts.add_group().

    Raises
    ------
    SceneError
        For an unknown scheme or option, or a value out of its range: "scheme.theta: 2 is ...".

    Examples
    --------
    >>> saltus.scheme("moreau-jean", theta=0.5)
    """
    entry = Entry(name, **options) if isinstance(name, Mapping) else Entry(kind=name, **options)
    made = _core._scheme(to_json(entry, "scheme"))
    _options_of[made] = entry
    return made


def scheme_entry(made: Scheme) -> Entry:
    """The entry of a scheme created by scheme()."""
    if made in _options_of:
        return Entry(_options_of[made])
    raise UsageError(f"scheme {made.name()!r} is written in Python or part of a model, and cannot be written in a "
                     "scene: use saltus.Model.build() or ModelParts")


def law(kind: Union[str, Mapping], **options: Any) -> Entry:
    """A contact law with options, checked: for contact(), surface() and ModelParts.add_law().

    Parameters
    ----------
    kind : str
        One of laws().
    **options
        As in scenes; describe("laws") lists them.

    Raises
    ------
    SceneError
        "law.restitution: 2 is ...".

    Examples
    --------
    >>> saltus.law("newton-impact", restitution=0.8, friction=0.3)
    """
    entry = Entry(kind, **options) if isinstance(kind, Mapping) else Entry(kind=kind, **options)
    _core._check_law(to_json(entry, "law"))
    return entry


def contact(on: str, against: Any = None, law: Any = None, at: Any = None, name: Optional[str] = None, *,
            row: Any = None, tangent: Any = None, tangents: Any = None, offset: Any = None) -> Entry:
    """A contact point of a body, or a gap defined on its coordinates: an entry of `contacts`.

    Parameters
    ----------
    on : str
        Name of the body.
    against : dict
        {"plane": {...}}, {"stop": {...}}, {"flat": {...}}, {"points": [...]},
        {"body": name, "at": ..., "normal": ..., "distance": ...}, ... With `row` {"body": name, "row": [...]}, or None.
    law : Entry, dict or str
        From law().
    at : optional
        Place on the body: a place along it, a degree of freedom, a particle or a node, depending on its kind.
    name : str, optional
    row : list of float or of [coordinate, coefficient], optional
        H of the gap y = H q + offset [m] of a body of kind linear, lagrangian or modal.
    tangent, tangents : list, optional
        Row of the slip, written like `row`; or two of them, for a friction cone.
    offset : float or str, optional
        [m]

    Examples
    --------
    >>> saltus.contact("toy", row=[0, 0, -0.02], tangent=[1, 0.01, -0.0051], offset="2.4 mm",
    ...                law=saltus.law("newton-impact", restitution=0.5, friction=0.3))
    """
    given = {"on": on, "against": against, "law": law, "at": at, "name": name, "row": row, "tangent": tangent,
             "tangents": tangents, "offset": offset}
    return taken("contacts", given, _tables()["contacts[]"])


def surface(law: Any, materials: Optional[Sequence[str]] = None) -> Entry:
    """The law between the shapes of two materials, or of all materials when not given: an entry of `surfaces`."""
    return taken("surfaces", {"law": law, "materials": materials}, _tables()["surfaces[]"])


def output(probe: str, **options: Any) -> Entry:
    """A recorded quantity: an entry of `outputs`.

    Parameters
    ----------
    probe : str
        Name of the body or joint.
    options
        As in a scene; describe("scene") lists them.
    """
    return taken("outputs", {"probe": probe, **options}, _tables()["outputs[]"])


def coupling(**options: Any) -> Entry:
    """A relation between coordinates of joints: an entry of `couplings`; options as in a scene."""
    return taken("couplings", options, _tables()["couplings[]"])


def make_scene(bodies: Sequence[Mapping], *, end: Any, step: Any = None, rate: Any = None,
               **entries: Any) -> Scene:
    """A scene from entries.

    Parameters
    ----------
    bodies : list of Entry or dict
        From saltus.bodies.
    end : float or str
        [s]
    step, rate : float or str
        [s] or [Hz], one of them.
    **entries
        The other entries of a scene: contacts, surfaces, joints, couplings, outputs, gravity, solver, ...

    Raises
    ------
    SceneError
        With the path of the entry: "bodies[0].rigid.density".
    """
    time = {"end": end}
    if step is not None:
        time["step"] = step
    if rate is not None:
        time["rate"] = rate
    return Scene.from_dict(plain({"saltus": 1, "time": time, "bodies": list(bodies), **entries}))


def _stands_for(solver: Any) -> Any:
    """The scene entry of a solver of the registry."""
    return {"kind": solver.name} if isinstance(solver, ContactSolver) else solver


def build(bodies: Sequence[Mapping], *, end: Any, step: Any = None, rate: Any = None, solver: Any = None,
          **entries: Any) -> Model:
    """A model from entries, as make_scene(...).build(); schemes and solver can also be objects written in Python.

    Parameters
    ----------
    bodies : list of Entry or dict
        From saltus.bodies; `scheme` can be an object of a class derived from Scheme.
    end, step, rate, **entries
        As for make_scene().
    solver : str, dict or ContactSolver, optional

    Examples
    --------
    >>> from saltus import bodies, shapes
    >>> model = saltus.Model.build(
    ...     [bodies.rigid("floor", fixed=True, shape=shapes.plane()),
    ...      bodies.rigid("ball", shape=shapes.sphere(radius=0.1), density=700, position=[0, 0, 1])],
    ...     surfaces=[saltus.surface(saltus.law("newton-impact", restitution=0.8))],
    ...     gravity=[0, 0, -9.81], end=2.0, step=1e-3)
    """
    written, own = [], {}
    for i, body in enumerate(bodies):
        body = dict(body)
        given = body.get("scheme")
        if isinstance(given, Scheme) and given not in _options_of:
            own[body.get("name", i)] = body.pop("scheme")
        written.append(body)
    mine = isinstance(solver, ContactSolver) and type(solver) is not ContactSolver
    if solver is not None and not mine:
        entries["solver"] = _stands_for(solver)
    model = make_scene(written, end=end, step=step, rate=rate, **entries).build()
    if not own and not mine:
        return model
    parts = of(model)
    if mine:
        parts.solver = solver
    for group in model.groups:
        schemes = {id(own.get(name, own.get(name.rsplit(".", 1)[0]))) for name in group.bodies}
        found = [own[key] for key in own if id(own[key]) in schemes]
        if not found:
            continue
        if len(schemes) > 1:
            raise UsageError(f"the bodies {', '.join(group.bodies[:4])} form one group, which needs one scheme: give "
                             "them the same object")
        parts.set_scheme(group.name, found[0])
    return parts.build()


def dynamics_of(entry: Mapping) -> Dynamics:
    """The dynamics of one body, given as an entry of saltus.bodies, for ModelParts.add_group()."""
    return _only_group(entry)[0].dynamics


def _only_group(entry: Mapping) -> Any:
    entry = dict(entry)
    if isinstance(entry.get("scheme"), Scheme) and entry["scheme"] not in _options_of:
        entry.pop("scheme")
    parts = of(make_scene([entry], end=1.0, step=1e-3).build())
    return parts.groups[0], parts.state(0)


def of(scene: Any) -> ModelParts:
    """The parts of a scene (a Scene, a path, a dict) or of a model, to be changed and built again."""
    return ModelParts._of(scene if isinstance(scene, Model) else Scene.of(scene).build())


def _add_law(self: ModelParts, law: Any, scheme: Any = "moreau-jean", **options: Any) -> int:
    """Adds a contact law; returns its index.

    Parameters
    ----------
    law : str, Entry or ContactLaw
        Name with `options`, a result of law(), or a user-defined law.
    scheme : str, Entry or Scheme
        Scheme of the body in contact; used by fremond's law, and by slips and springs that depend on theta.

    Raises
    ------
    SceneError
        For an option that is unknown or out of range.
    UsageError
        For a user-defined law without force(), or with options.
    """
    if isinstance(law, ContactLaw):
        if options:
            raise UsageError(f"{type(law).__name__} is a user-defined law and accepts no options here: {', '.join(options)}")
        return self._add_python_law(law, ContactLaw)
    entry = Entry(law, **options) if isinstance(law, Mapping) else Entry(kind=law, **options)
    if isinstance(scheme, Scheme):
        scheme = scheme_entry(scheme)
    return self._add_law(to_json(entry, "law"), to_json(scheme, "scheme"))


def _add_body(self: ModelParts, entry: Mapping, scheme: Optional[Scheme] = None) -> int:
    """Adds a body, given as an entry of saltus.bodies, with its state at t = 0; returns the index of its group.

    Its shapes only define its mass; use add_frame() and add_shape() for contact.
    """
    group, (q, v) = _only_group(entry)
    given = entry.get("scheme")
    chosen = scheme or (given if isinstance(given, Scheme) else group.scheme)
    names: List[str] = list(group.bodies) if len(group.bodies) > 1 else []
    return self.add_group(group.name, group.dynamics, chosen, q, v, group.kind, names)


attach(
    Model,
    build=staticmethod(build),
)
attach(
    ModelParts,
    of=staticmethod(of),
    add_law=_add_law,
    add_body=_add_body,
)
