"""Kinds beside rigid bodies, and which scheme moves what."""
from . import fem, flat, modal_exact, moreau_jean
from .solids import Unknown


def add(model):
    entries = {entry["name"]: entry for entry in model.scene["bodies"]}
    for g in model.results.groups:
        if model.groups[g.index] is not None or g.index in model.unknown or g.velocity is None:
            continue
        try:
            entry = entries.get(g.name)
            if entry and g.kind == "fem" and g.mesh:
                own = entry["fem"].get("gravity")
                group = fem.FemGroup(entry, g.mesh, own if own is not None else model.scene.get("gravity", [0, 0, 0]))
            elif entry and g.kind in flat.KINDS:
                group = flat.KINDS[g.kind](entry)
            else:
                raise Unknown(f"bodies of kind {g.kind}")
            if group.n != g.velocity.shape[1]:
                raise Unknown("its degrees of freedom do not match")
        except Unknown as reason:
            model.unknown[g.index] = str(reason)
            continue
        model.groups[g.index] = group
        model.add_named(g, group)
        if g.scheme == "moreau-jean":
            model.schemes[g.index] = moreau_jean.step_of(entry["scheme"])
        elif g.scheme == "def-lim" and g.kind == "fem" and not entry["scheme"]["iterate"]:
            model.schemes[g.index] = fem.DefLim
        elif g.scheme == "modal-exact" and g.kind == "modal":
            model.schemes[g.index] = modal_exact.Step
