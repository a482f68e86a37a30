"""The resolved scene as groups of bodies with their equations."""
import numpy as np

from . import joint_geometry, moving, rigid, rigid_leapfrog, rig_mid, rotation, runge_kutta, splitting
from .solids import Unknown


class NamedBody:
    """Position of a body of the scene: group (-1: the world); x, R of its frame at t = 0; origin of that frame in the user's frame."""

    def __init__(self, group, index, x, R, origin, frame, source=None):
        self.group, self.index, self.x, self.R, self.origin, self.frame = group, index, x, R, origin, frame
        self.source = source

    def point(self, at):
        return self.source.point_at_start(at)


class Model:
    def __init__(self, results):
        self.results, self.scene = results, results.scene
        self.groups = [None] * len(results.groups)   # model of each group; None: not implemented
        self.schemes = [None] * len(results.groups)  # class of its step
        self.unknown = {}                            # reason why a group has no model
        self.named = {}
        self._rigid()
        from . import other_kinds
        other_kinds.add(self)
        self._joints()

    def _rigid(self):
        gravity = self.scene.get("gravity", [0, 0, 0])
        if isinstance(gravity, dict) or self.scene.get("ground"):
            for g in self.results.groups:
                self.unknown[g.index] = "gravity in time or motion of the ground"
            gravity = [0, 0, 0]
        of_name = {}
        for g in self.results.groups:
            if g.kind in ("rigid", "moving"):
                for i, name in enumerate(g.names):
                    of_name[name] = (g.index, i)
        found, led = {}, {}
        for entry in self.scene["bodies"]:
            if entry["kind"] != "rigid":
                continue
            spec, name = entry["rigid"], entry["name"]
            try:
                where = rigid.places(spec.get("copies"))
            except Unknown as reason:
                for g in {g for n, (g, _) in of_name.items() if n == name or n.startswith(name + ".")}:
                    self.unknown[g] = str(reason)
                continue
            names = [name] if spec.get("copies") is None else [f"{name}.{i}" for i in range(len(where))]
            for one, (shift, turn) in zip(names, where):
                q = rotation.multiply(turn, rotation.of_spec(spec.get("rotation")))
                R = rotation.matrix(q)
                x = np.array(spec["position"], dtype=float) + shift
                if spec.get("fixed"):
                    self.named[one] = NamedBody(-1, 0, x, R, np.zeros(3), True)
                    continue
                if one not in of_name:
                    continue  # has prescribed motion
                g, i = of_name[one]
                if spec.get("motion"):
                    led.setdefault(g, {})[i] = (entry, shift, turn)
                    continue
                try:
                    body = rigid.Body(entry, shift, turn, self.scene.get("planar"), gravity)
                except Unknown as reason:
                    self.unknown[g] = str(reason)
                    continue
                found.setdefault(g, {})[i] = body
                self.named[one] = NamedBody(g, i, body.place, R, body.centre, True)
        for g, bodies in led.items():
            try:
                if len(bodies) == self.results.groups[g].bodies:
                    self.groups[g] = moving.MovingGroup([bodies[i] for i in range(len(bodies))])
            except Unknown:
                pass  # contacts with it are reported as not checked
        for g in self.results.groups:
            bodies = found.get(g.index, {})
            if g.kind != "rigid" or g.index in self.unknown:
                continue
            if len(bodies) != g.bodies:
                self.unknown[g.index] = "bodies of the scene not found"
                continue
            self.groups[g.index] = rigid.RigidGroup([bodies[i] for i in range(g.bodies)])
            if g.scheme == "rig-mid":
                self.schemes[g.index] = rig_mid.Step
            elif g.scheme in ("rig-pos", "rig-neg", "rig-imp"):
                self.schemes[g.index] = rigid_leapfrog.step_of(bodies[0].scheme)
            elif g.scheme == "runge-kutta" and bodies[0].scheme:
                self.schemes[g.index] = runge_kutta.step_of(bodies[0].scheme)
            elif g.scheme == "splitting":
                self.schemes[g.index] = splitting.step_of(bodies[0].scheme or {})

    def scheme_of(self, g):
        """Options of the scheme of a group."""
        known = self.groups[g.index]
        if known.frames:
            return known.bodies[0].scheme
        return next(entry["scheme"] for entry in self.scene["bodies"] if entry["name"] == g.name)

    def add_named(self, g, group):
        """A body without frames: joints act on its points."""
        import types
        start = group.initial()[0]
        source = types.SimpleNamespace(point_at_start=lambda at: group.point(start, at))
        self.named[g.name] = NamedBody(g.index, 0, np.zeros(3), np.eye(3), np.zeros(3), False, source)

    def body_named(self, name):
        if name in self.named:
            return self.named[name]
        raise Unknown(f"body {name}")

    def _joints(self):
        self.joints, self.joint_laws, self.couplings, self.driven, self.joint_fault = [], [], [], [], None
        try:
            for spec in self.scene.get("joints", []):
                self.joints.append(joint_geometry.place(spec, self))
            self.joint_laws = joint_geometry.laws_of(self.joints, self.start_frames)
            self.start_frames_known()
            self._find_couplings()
        except Unknown as reason:
            self.joint_fault = str(reason)

    def _find_couplings(self):
        """Rows over coordinates: drives of joints, then those of the scene; each a list of (joint, coordinate, weight)."""
        names = lambda j: [c[0] for c in joint_geometry.COORDINATES[self.joints[j].kind]]
        self.driven = [x for x in (spec.get("value") for spec in self.scene.get("couplings", [])) if x]
        for j, joint in enumerate(self.joints):
            for key in joint_geometry.LAWS:
                drive = (joint.spec.get(key) or {}).get("drive")
                if drive:
                    self.driven.append(drive)
                    self.couplings.append([(j, names(j).index(key), 1.0)])
        index = {joint.name: j for j, joint in enumerate(self.joints)}

        def term(text, weight):
            name, _, coordinate = text.rpartition(".")
            if text in index:
                return index[text], 0, weight
            return index[name], names(index[name]).index(coordinate), weight

        for spec in self.scene.get("couplings", []):
            if spec.get("gear"):
                gear = spec["gear"]
                self.couplings.append([term(gear["second"], 1.0), term(gear["first"], -gear["ratio"])])
            elif spec.get("sum"):
                self.couplings.append([term(x["of"], x["weight"]) for x in spec["sum"]])
            elif spec.get("screw"):
                j = index[spec["screw"]["joint"]]
                self.couplings.append([(j, 1, 1.0), (j, 0, -spec["screw"]["pitch"] / (2 * np.pi))])
            else:
                raise Unknown("coupling " + str(spec.get("name")))

    def side_frames(self, sides, q):
        """Points (n x 3) and axes (n x 3 x 3) of sides in space with all groups at q."""
        x = np.array([s.x if s.frame else np.zeros(3) for s in sides], dtype=float).reshape(-1, 3)
        A = np.array([s.axes for s in sides]).reshape(-1, 3, 3).copy()
        of = np.array([s.group for s in sides])
        for g in np.unique(of[of >= 0]):
            group = self.groups[g]
            if group is None or q[g] is None:
                raise Unknown(f"'{self.results.groups[g].name}'")
            here = np.flatnonzero(of == g)
            if group.frames:
                body = np.array([sides[i].body for i in here])
                place, Q = group.split_q(q[g])
                R = rotation.matrix(Q[body])
                x[here] = place[body] + rotation.apply(R, x[here])
                A[here] = R @ A[here]
            else:
                for i in here:
                    x[i] = group.point(q[g], sides[i].x)
        return x, A

    def frames_of(self, joint, q):
        (xa, A), (xb, B) = self.side_frames([joint.a], q), self.side_frames([joint.b], q)
        return (xa[0], A[0]), (xb[0], B[0])

    def coordinate_at(self, law, q, frame):
        """Argument of a law on a coordinate: its value less the offset. An angle has the turn of the frame."""
        joint = self.joints[law.joint]
        _, _, value = joint_geometry.coordinate(joint, law.coordinate, *self.frames_of(joint, q))
        if not joint_geometry.counts_turns(joint, law.coordinate):
            return value - law.offset
        known = self.results.joint_angle[law.joint]
        column = law.coordinate if joint.kind == "universal" else 0  # other kinds have one angle
        near = law.offset if known is None else known[frame, column]
        return value + 2 * np.pi * np.round((near - value) / (2 * np.pi)) - law.offset

    def start_frames_known(self):
        q = [g.initial()[0] if hasattr(g, "initial") else None for g in self.groups]
        self.side_frames([j.a for j in self.joints], q)
        self.side_frames([j.b for j in self.joints], q)

    def start_frames(self, n):
        q = [g.initial()[0] if hasattr(g, "initial") else None for g in self.groups]
        return self.frames_of(self.joints[n], q)

    def margin(self):
        """Gap below which contacts between surfaces are detected [m]."""
        return self.scene["contact"].get("margin") or 0.0

    def _materials(self):
        """Materials of the bodies with shapes: {(group, body): set}; (-1, ...) is the fixed world as a whole."""
        out = {}
        for entry in self.scene["bodies"]:
            own = entry.get(entry["kind"].replace("-", "_")) or {}
            if not own.get("touches", True):
                continue
            shapes = ([own["shape"]] if own.get("shape") else []) + list(own.get("shapes") or [])
            names = {s.get("material", "default") for s in shapes}
            if own.get("surface"):
                names.add(own["surface"].get("material", "default"))
            if own.get("material") and entry["kind"] == "fem" and not own.get("surface"):
                names.add("default")
            count = len(rigid.places(own.get("copies"))) if own.get("copies") else 1
            for i in range(count):
                name = f"{entry['name']}.{i}" if own.get("copies") else entry["name"]
                if own.get("fixed"):
                    out.setdefault((-1, -1), set()).update(names)
                    continue
                for g in self.results.groups:
                    if name in g.names:
                        out.setdefault((g.index, g.names.index(name)), set()).update(names)
        return out

    def surface_law(self, a, b):
        """The law between two bodies (group, body), if it is the same for all their shapes; otherwise None."""
        if not hasattr(self, "materials"):
            self.materials = self._materials()
        of = [self.materials.get(s if s[0] >= 0 else (-1, -1), {"default"}) for s in (a, b)]
        found = []
        for x in of[0]:
            for y in of[1]:
                rules = [r.get("law") for r in self.scene["surfaces"]  # None: no contact
                         if not r["materials"] or sorted(r["materials"]) == sorted([x, y])]
                if rules and rules[0] is not None and rules[0] not in found:
                    found.append(rules[0])
        return found[0] if len(found) == 1 else None
