"""Kinds other than rigid bodies, and the schemes of each kind."""
from . import fem, flat, modal_exact, moreau_jean, pendulum, pseudo_rigid, runge_kutta, splitting, steady_alpha, two_step
from .solids import Unknown


def add(model):
    gravity = model.scene.get("gravity", [0, 0, 0])  # otherwise every group is unknown
    entries = {entry["name"]: entry for entry in model.scene["bodies"]}
    for g in model.results.groups:
        if model.groups[g.index] is not None or g.index in model.unknown or g.velocity is None:
            continue
        try:
            entry = entries.get(g.name)
            if entry and g.kind == "fem" and g.mesh:
                own = entry["fem"].get("gravity")
                group = fem.FemGroup(entry, g.mesh, own if own is not None else gravity)
            elif entry and g.kind == "pseudo-rigid":
                group = pseudo_rigid.PseudoRigidGroup(entry, gravity)
            elif entry and g.kind == "lagrangian":
                group = pendulum.PendulumGroup(entry)
            elif entry and g.kind == "particles":
                group = flat.particles(entry, gravity)
            elif entry and g.kind in flat.KINDS:
                group = flat.KINDS[g.kind](entry)
                if hasattr(group, "features"):
                    flat.add_rows(group, g.name, model.scene.get("contacts") or [], group.dofs)
            else:
                raise Unknown(f"bodies of kind {g.kind}")
            if group.n != g.velocity.shape[1]:
                raise Unknown("its degrees of freedom do not match")
        except Unknown as reason:
            model.unknown[g.index] = str(reason)
            continue
        model.groups[g.index] = group
        model.add_named(g, group)
        if g.kind == "pseudo-rigid":
            if g.scheme == "def-lim" and not entry["scheme"]["iterate"]:
                model.schemes[g.index] = pseudo_rigid.DefLim
        elif g.kind == "lagrangian":
            one = entry["scheme"]
            if g.scheme == "moreau-jean" and one["mass_at"] == "theta" and one["newton"].startswith("full"):
                model.schemes[g.index] = pendulum.with_mass(moreau_jean.step_of(one))
        elif g.scheme == "moreau-jean":
            model.schemes[g.index] = moreau_jean.step_of(entry["scheme"], entry)
        elif g.scheme == "def-lim" and g.kind == "fem" and not entry["scheme"]["iterate"]:
            model.schemes[g.index] = fem.DefLim
        elif g.scheme == "modal-exact" and g.kind == "modal":
            model.schemes[g.index] = modal_exact.Step
        elif g.scheme == "runge-kutta" and g.kind != "fem":
            model.schemes[g.index] = runge_kutta.step_of(entry["scheme"])
        elif g.scheme == "splitting" and g.kind != "fem":
            model.schemes[g.index] = splitting.step_of(entry["scheme"])
        elif g.scheme.startswith("generalized-alpha") and g.kind != "fem" and steady_alpha.steady(group, entry):
            model.schemes[g.index] = steady_alpha.step_of(g.scheme == "generalized-alpha-decoupled")
        elif g.scheme in two_step.NAMES and group.affine and set(entry["scheme"].values()) <= {g.scheme, "none", "half", "full", False}:
            model.schemes[g.index] = two_step.Step
