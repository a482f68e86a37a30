# What a results file says, in the words of docs/reference/results.md: what a reader of the series must find.
import h5py
import numpy

# VTK's number of a kind of element, the same with corners alone (XDMF knows lines of any length only), and how many corners
VTK = {"bar2": (3, 4, 2), "bar3": (21, 4, 2), "tri3": (5, 5, 3), "tri6": (22, 5, 3), "quad4": (9, 9, 4), "quad8": (23, 9, 4),
       "tet4": (10, 10, 4), "tet10": (24, 10, 4), "hex8": (12, 12, 8), "hex20": (25, 12, 8), "wedge6": (13, 13, 6),
       "pyramid5": (14, 14, 5)}
BALL, CUBE = (114, 224), (8, 12)  # points and triangles of what stands for balls, and for bodies without a shape


def text(x):
    return x.decode() if isinstance(x, bytes) else str(x)


def matrix(quaternion):
    w, x, y, z = quaternion / numpy.linalg.norm(quaternion)
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def same(what, found, expected, scale=1.0):
    expected = numpy.asarray(expected, float)
    assert found.shape == expected.shape, f"{what}: {found.shape} numbers instead of {expected.shape}"
    if not expected.size:
        return
    both = numpy.isnan(expected) & numpy.isnan(found)
    off = numpy.max(numpy.abs(numpy.where(both, 0.0, found - expected)), initial=0.0)
    size = max(scale, numpy.max(numpy.abs(expected), where=numpy.isfinite(expected), initial=0.0))
    assert off <= 1e-12 * size, f"{what}: off by {off:.3g} of {size:.3g}"


class Body:
    def __init__(self, group, lines):
        self.group, self.kind, self.members = group, text(group.attrs["kind"]), int(group.attrs["bodies"])
        self.mesh = "nodes" in group
        self.lines = lines  # group of /drawing/lines, or None
        self.line = ("line" in group or lines is not None) and not self.mesh
        width = {"rigid": 7, "particles": 3}.get(self.kind, 0)
        self.width = width if "q" in group and group["q"].shape[1] == width * self.members else 0
        self.affine, self.led = "centre" in group, "place" in group
        self.placed = bool(self.width) or self.affine or self.led

    def row(self, table, k, columns=None):
        row = self.group[table][k]
        return row if columns is None else row.reshape(-1, columns)

    def places(self, k):
        if self.width:
            return self.row("q", k, self.width)[:, :3]
        return self.row("centre" if self.affine else "place", k, 3)

    def quaternions(self, k):
        if self.width == 7:
            return self.row("q", k, 7)[:, 3:]
        return self.row("rotation", k, 4) if self.led else numpy.tile([1.0, 0, 0, 0], (self.members, 1))

    def turns(self, k):
        if self.affine:
            return self.row("deformation", k, 9).reshape(-1, 3, 3)
        return numpy.array([matrix(q) for q in self.quaternions(k)])

    def rates(self, k):
        """Velocity and angular velocity in space of each member; not a number where the file does not say."""
        unknown = numpy.full((self.members, 3), numpy.nan)
        if self.width == 3:
            return self.row("velocity", k, 3), numpy.zeros((self.members, 3))
        if self.width != 7:
            return unknown, unknown
        v = self.row("velocity", k, 6)
        return v[:, :3], numpy.einsum("mij,mj->mi", self.turns(k), v[:, 3:])

    # -- meshes and lines
    def displacement(self, k):
        if "shapes" in self.group:
            return (self.group["shapes"][:] @ self.row("q", k)).reshape(-1, 3)
        if "displacement" not in self.group:  # points that one number of q each moves along an axis
            return self.row("q", k)[self.lines["column"][:].astype(int)][:, None] * self.lines["axes"][:]
        return self.row("displacement", k, 3)

    def rest(self):
        if self.mesh:
            return self.group["nodes"][:]
        return (self.group["line"] if "line" in self.group else self.lines)["points"][:]

    def node_velocity(self, k):
        if "shapes" in self.group:
            return (self.group["shapes"][:] @ self.row("velocity", k)).reshape(-1, 3)
        dof, v = self.group["dof"][:], self.row("velocity", k)
        out = numpy.where(dof >= 0, v[numpy.maximum(dof, 0)], 0.0)
        if "other_velocity" in self.group:
            other = self.row("other_velocity", k)
            out = numpy.where(dof < -1, other[numpy.maximum(-2 - dof, 0)], out)
        return out

    def cells(self, corners):
        """VTK's type and the corners of each element, in order."""
        for table in sorted(self.group["cells"].values(), key=lambda t: t.attrs["index"]):
            full, flat, count = VTK[text(table.attrs["kind"])]
            for nodes in table[:]:
                yield (flat if corners else full), tuple(int(a) for a in nodes[:count])


class Stored:
    def __init__(self, path):
        self.file = h5py.File(path)
        f = self.file
        self.time = f["frames/time"][:]
        lines = {int(g.attrs["body"]): g for g in f["drawing/lines"].values()} if "drawing/lines" in f else {}
        self.bodies = [Body(g, lines.get(int(g.attrs["index"])))
                       for g in sorted(f["bodies"].values(), key=lambda g: g.attrs["index"])]
        self.contacts = [self.contacts_of(k) for k in range(len(self.time))]
        d = f["drawing"]
        self.shapes = {int(g.attrs["index"]): g for g in d["shapes"].values()}
        self.instances = list(zip(d["instances/shape"][:], d["instances/body"][:], d["instances/place"][:],
                                  d["instances/rotation"][:], d["instances/scale"][:]))
        self.world_shapes = any(b[0] < 0 and text(self.shapes[int(s)].attrs["kind"]) != "plane" for s, b, *_ in self.instances)
        self.deep = None

    def contacts_of(self, k):
        """Those with a place that are not of a joint."""
        c, (a, b) = self.file["contacts"], self.file["contacts/offset"][k:k + 2].astype(int)
        rows = {name: c[name][a:b] for name in ("point", "normal", "force", "gap", "status", "body")}
        kept = numpy.isfinite(rows["point"][:, 0]) & (rows["normal"] != 0).any(axis=1)
        return {name: row[kept] for name, row in rows.items()}

    def check(self, series, k, time, parts):
        """Compares the parts of a frame of a series with the file; returns how many points they have."""
        assert abs(time - self.time[k]) <= 1e-12 * self.time[-1], (time, self.time[k])
        try:
            getattr(self, "check_" + series)(k, parts)
        except AssertionError as fault:
            raise AssertionError(f"{series}, frame {k}: {fault}") from None
        return sum(len(p.points) for p in parts)

    def check_bodies(self, k, parts):
        (part,) = parts
        placed = [(i, b) for i, b in enumerate(self.bodies) if b.placed]
        same("places", part.points, numpy.concatenate([b.places(k) for _, b in placed]))
        assert list(part.cells) == [(i,) for i in range(len(part.points))]
        same("rotation", part.on_points["rotation"], numpy.concatenate([b.quaternions(k) for _, b in placed]))
        rates = [b.rates(k) for _, b in placed]
        same("velocity", part.on_points["velocity"], numpy.concatenate([v for v, _ in rates]))
        same("angular velocity", part.on_points["angular velocity"], numpy.concatenate([w for _, w in rates]))
        same("body", part.on_points["body"], numpy.concatenate([numpy.full(b.members, i) for i, b in placed]))
        same("member", part.on_points["member"], numpy.concatenate([numpy.arange(b.members) for _, b in placed]))

    def check_shapes(self, k, parts):
        (part,) = parts
        poses = [(b.places(k), b.turns(k)) if b.placed else None for b in self.bodies]
        table = {i: {name: data[:] for name, data in g.items()} for i, g in self.shapes.items()}
        at = cell = 0
        drawn = set()
        for shape, (body, member), place, rotation, scale in self.instances:
            group = table[int(shape)]
            kind = text(self.shapes[int(shape)].attrs["kind"])
            drawn.add(int(body))
            if kind == "plane":
                continue
            count, triangles = (len(group["points"]), len(group["triangles"])) if kind == "mesh" else BALL
            found = part.points[at:at + count]
            to_space = lambda X: X @ matrix(rotation).T + place
            if body >= 0:
                x, F = poses[body][0][member], poses[body][1][member]
                to_space = lambda X, inner=to_space: inner(X) @ F.T + x
            if kind == "mesh":
                same("points of a shape", found, to_space(scale * group["points"]))
                assert part.cells[cell] == tuple(int(i) + at for i in group["triangles"][0]), part.cells[cell]
            elif body < 0 or not self.bodies[body].affine:
                far = numpy.linalg.norm((found - to_space(numpy.zeros((1, 3)))) @ matrix(rotation), axis=1)
                assert numpy.all(far <= max(scale) * (1 + 1e-9)) and numpy.any(far >= max(scale) * (1 - 1e-9)), "a ball"
            assert (part.on_cells["body"][cell:cell + triangles] == body).all()
            assert (part.on_cells["member"][cell:cell + triangles] == max(member, 0)).all()
            at, cell = at + count, cell + triangles
        for i, body in enumerate(self.bodies):  # those without a shape
            if i in drawn or not body.placed:
                continue
            count, triangles = BALL if body.kind == "particles" else CUBE
            for x in body.places(k):
                mean = part.points[at:at + count].mean(axis=0)
                same("middle of a marker", mean, x)
                at, cell = at + count, cell + triangles
        assert (at, cell) == (len(part.points), len(part.cells)), f"{at} points and {cell} triangles expected"

    def check_lines(self, k, parts):
        (part,) = parts
        lines = [(i, b) for i, b in enumerate(self.bodies) if b.line]
        u = numpy.concatenate([b.displacement(k) for _, b in lines])
        same("displacement", part.on_points["displacement"], u)
        same("places", part.points, numpy.concatenate([b.rest() for _, b in lines]) + u)
        assert [len(c) for c in part.cells] == [len(b.rest()) for _, b in lines]
        assert [p for c in part.cells for p in c] == list(range(len(part.points)))
        same("body", part.on_cells["body"], [i for i, _ in lines])

    def check_contacts(self, k, parts):
        (part,) = parts
        c = self.contacts[k]
        same("places", part.points, c["point"])
        assert len(part.cells) == len(part.points)
        if not len(part.points):  # an empty data set may come without arrays
            return
        for array, column in (("normal", "normal"), ("force", "force"), ("gap", "gap"), ("status", "status"), ("bodies", "body")):
            same(array, part.on_points[array], c[column], 0.0)

    def check_vtu(self, k, parts):
        meshes = [b for b in self.bodies if b.mesh]
        assert len(parts) == len(meshes), f"{len(parts)} parts, {len(meshes)} meshes"
        for body, part in zip(meshes, parts):
            self.check_mesh(body, part, k, corners=False)
            block = [b for b, t in enumerate(sorted(body.group["cells"].values(), key=lambda t: t.attrs["index"])) for _ in t]
            same("block", part.on_cells["block"], block)

    def check_mesh(self, body, part, k, corners):
        u = body.displacement(k)
        same("displacement", part.on_points["displacement"], u)
        same("places", part.points, body.rest() + u)
        same("velocity", part.on_points["velocity"], body.node_velocity(k))
        cells = list(body.cells(corners))
        assert part.types == [kind for kind, _ in cells], f"cells of types {sorted(set(part.types))}"
        found = [c[:len(e)] for c, (_, e) in zip(part.cells, cells)]
        assert found == [e for _, e in cells], "corners of elements"
        for table, array, width in (("stress", "stress", 6), ("strain", "strain", 6), ("von_mises", "von Mises", 1)):
            if table not in body.group:
                assert array not in part.on_points
                continue
            row = body.row(table, k, width) if width > 1 else body.row(table, k)
            values = part.on_points[array]
            if values.ndim == 2 and values.shape[1] == 9:  # all of a symmetric tensor, row by row
                same(array + " turned", values[:, [1, 2, 5]], values[:, [3, 6, 7]], 0.0)
                values = values[:, [0, 4, 8, 1, 5, 2]]
            same(array, values, row, 0.0)

    def check_xdmf(self, k, parts):
        drawn = [b for b in self.bodies if b.mesh or b.line or b.placed]
        assert len(parts) == len(drawn), f"{len(parts)} parts, {len(drawn)} bodies"
        for body, part in zip(drawn, parts):
            if body.mesh:
                self.check_mesh(body, part, k, corners=True)
            elif body.line:
                u = body.displacement(k)
                same("displacement", part.on_points["displacement"], u)
                same("places", part.points, body.rest() + u)
                assert list(part.cells) == [tuple(range(len(u)))]
            else:
                same("places", part.points, body.places(k))
                same("rotation", part.on_points["rotation"], body.turns(k).reshape(-1, 9))
                for name, values in zip(("velocity", "angular velocity"), body.rates(k)):
                    if name in part.on_points:
                        same(name, part.on_points[name], values)
                    else:
                        assert body.width == 0 or (body.width == 3 and name != "velocity"), f"no {name}"
