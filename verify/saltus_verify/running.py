"""Surfaces with a velocity relative to their shapes (docs/theory/laws.md, "Surfaces that run"), given in the scene. The key of a
contact between shapes contains their numbers: bits 63 .. 44 are the number of the first + 1, 43 .. 24 that of the other."""
import numpy as np

from . import rigid, rotation, signals
from .solids import Unknown


class Surface:
    """Of one shape: velocity(t) in the axes of its frame; name of its body."""

    def __init__(self, spec, name, fixed):
        self.along, self.value = velocity_of(spec)
        self.name, self.fixed = name, fixed


def velocity_of(spec):
    if spec is None:
        return None, None
    if isinstance(spec, dict):
        return np.array(spec["value"], dtype=float), signals.function_of(spec["factor"])
    return np.array(spec, dtype=float), lambda t: 1.0


class Running:
    def __init__(self, model):
        self.model, self.fault = model, None
        self.any = "surface_velocity" in str(model.scene)
        self.shapes = []
        if not self.any:
            return
        try:
            for entry in model.scene["bodies"]:
                self._add(entry)
            self.any = any(s.along is not None for s in self.shapes) or any(
                c["against"].get("surface_velocity") is not None for c in model.scene.get("contacts") or [])
        except Unknown as reason:
            self.fault = str(reason)

    def _add(self, entry):
        own = entry.get("rigid")
        if entry["kind"] != "rigid" or not own.get("touches", True):
            return
        shapes = ([own["shape"]] if own.get("shape") else []) + list(own.get("shapes") or [])
        copies = own.get("copies")
        for i in range(len(rigid.places(copies)) if copies else 1):
            name = f"{entry['name']}.{i}" if copies else entry["name"]
            for shape in shapes:
                for _ in (shape.get("mesh") or {}).get("pieces") or [None]:
                    self.shapes.append(Surface(shape.get("surface_velocity"), name, bool(own.get("fixed"))))

    def drift(self, step, found, end):
        """Velocity of the surface of a relative to that of b without the motion of the bodies, in space, at the start (0) or the
        end (1) of the step, one row per contact; NaN if unknown."""
        out = np.zeros((len(found), 3))
        if not self.any:
            return out
        if self.fault:
            return np.full_like(out, np.nan)
        t = step.t0 + end * step.h
        pairs = step.results.pairs
        law = {int(k): int(l) for k, l in zip(pairs["key"], pairs["law"])} if pairs else {}
        contacts = step.model.scene.get("contacts") or []
        for i, key in enumerate(int(k) for k in found.key):
            if key in law:
                along, value = velocity_of(contacts[law[key]]["against"].get("surface_velocity")) \
                    if law[key] < len(contacts) else (None, None)
                if along is not None:
                    out[i] -= value(t) * along
                continue
            for sign, number in ((1.0, (key >> 44) - 1), (-1.0, (key >> 24) & 0xFFFFF)):
                if not 0 <= number < len(self.shapes):
                    out[i] = np.nan  # a surface that deforms
                elif self.shapes[number].along is not None:
                    out[i] += sign * self.shapes[number].value(t) * self._turned(step, self.shapes[number])
        return out

    def _turned(self, step, surface):
        """Its direction in space at the contact instant."""
        model = self.model
        if surface.fixed:
            return model.named[surface.name].R @ surface.along
        instant = {"start": 0.0, "middle": 0.5, "end": 1.0}[model.scene["contact"]["instant"]]
        for g in model.results.groups:
            group = model.groups[g.index]
            if surface.name in g.names and getattr(group, "moves_by_itself", False):
                _, Q = group.frame(step.t0 + instant * step.h, g.names.index(surface.name))
                return rotation.matrix(np.array([Q]))[0] @ surface.along
        return np.full(3, np.nan)  # only its scheme determines the position of a free body at the contact instant


def of(model):
    if not hasattr(model, "running"):
        model.running = Running(model)
    return model.running
