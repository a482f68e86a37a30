"""Meshes of finite elements (docs/theory/fem.md): total Lagrangian, hex8 and quad8, mesh and sets from the file.

    F = I + sum u_a grad0 N_a^T,   f_a = int P grad0 N_a dV,   M v' = loads + M g - f(u) - rM M v - rK K(u) v + r
"""
import numpy as np

from . import signals
from .flat import DefLimStep, FlatGroup
from .solids import Unknown

_Q = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=float)
_H = np.array([[x, y, z] for z in (-1, 1) for x, y in _Q], dtype=float)
FACES = {"hex8": [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]],
         "quad8": [[0, 1, 4], [1, 2, 5], [2, 3, 6], [3, 0, 7]]}


def hex8(xi):
    """N and dN/dxi at a point."""
    t = 1.0 + _H * xi
    N = t.prod(1) / 8.0
    D = np.stack([_H[:, i] * np.delete(t, i, 1).prod(1) / 8.0 for i in range(3)], 1)
    return N, D


def quad8(xi):
    x, y = xi[:2]
    N, D = np.empty(8), np.empty((8, 2))
    for a, (s, t) in enumerate(_Q):
        N[a] = (1 + s * x) * (1 + t * y) * (s * x + t * y - 1) / 4
        D[a] = [s * (1 + t * y) * (2 * s * x + t * y) / 4, t * (1 + s * x) * (s * x + 2 * t * y) / 4]
    for a, t in ((4, -1.0), (6, 1.0)):
        N[a], D[a] = (1 - x * x) * (1 + t * y) / 2, [-x * (1 + t * y), t * (1 - x * x) / 2]
    for a, s in ((5, 1.0), (7, -1.0)):
        N[a], D[a] = (1 + s * x) * (1 - y * y) / 2, [s * (1 - y * y) / 2, -y * (1 + s * x)]
    return N, D


KINDS = {"hex8": (hex8, 3, 2, 3), "quad8": (quad8, 2, 3, 4)}  # shapes, dimension, Gauss points of K and of M along an axis


def gauss(n, dimension):
    x, w = np.polynomial.legendre.leggauss(n)
    grid = np.meshgrid(*([np.arange(n)] * dimension), indexing="ij")
    index = np.stack([g.ravel() for g in grid], 1)
    return x[index], w[index].prod(1)


class Block:
    """Elements of one kind and material: gradients of the shapes and weights at their points."""

    def __init__(self, kind, cells, X, material, thickness, plane):
        shapes, d, points, _ = KINDS[kind]
        self.kind, self.cells, self.d = kind, cells, d
        xi, w = gauss(points, d)
        D = np.stack([shapes(x)[1] for x in xi])                          # point, node, xi
        J = np.einsum("eai,qaj->eqij", X[cells][:, :, :d], D)             # dX/dxi
        self.w = w * np.linalg.det(J) * thickness
        self.G = np.einsum("qaj,eqji->eqai", D, np.linalg.inv(J))
        e, q, a = self.G.shape[:3]
        self.D = self.G.transpose(0, 1, 3, 2).reshape(e, q * d, a)                                 # gradient: D u
        weighted = (self.w[:, :, None, None] * self.G).transpose(0, 2, 1, 3).reshape(e, a, q * d)  # force: D^T w P
        self.weighted, self.weighted_size = weighted, np.abs(weighted)
        E, nu = material["young"], material["poisson"]
        self.mu, self.lame, self.law = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu)), material["law"]
        if self.law not in ("linear", "st_venant_kirchhoff", "neo_hooke"):
            raise Unknown("material " + self.law)
        if d == 2 and plane == "stress":
            if self.law == "neo_hooke":
                raise Unknown("neo_hooke in plane stress")
            self.lame = 2 * self.lame * self.mu / (self.lame + 2 * self.mu)
        if d == 2 and plane != "stress" and self.law == "neo_hooke":
            raise Unknown("neo_hooke in plane strain")

        # effect of the round-off of F = I + H, 2e-16, on the forces, in units of the bound of forces
        self.blur = np.zeros(X.shape)
        part = 1e-3 * (self.lame + 2 * self.mu) * np.einsum("eq,eqai->ea", self.w, np.abs(self.G))
        np.add.at(self.blur, cells, part[:, :, None])

    def gradient(self, u):
        e, q = self.w.shape
        return (self.D @ u[self.cells][:, :, :self.d]).reshape(e, q, self.d, self.d).swapaxes(-1, -2)

    def stress(self, H):
        """First Piola-Kirchhoff stress of the displacement gradient H."""
        I, mu, lame = np.eye(self.d), self.mu, self.lame
        trace = lambda A: np.trace(A, axis1=-2, axis2=-1)[..., None, None]
        T = lambda A: np.swapaxes(A, -1, -2)
        if self.law == "linear":
            e = 0.5 * (H + T(H))
            return 2 * mu * e + lame * trace(e) * I
        F = I + H
        if self.law == "st_venant_kirchhoff":
            E = 0.5 * (H + T(H) + T(H) @ H)
            return F @ (2 * mu * E + lame * trace(E) * I)
        B = T(np.linalg.inv(F))
        return mu * (F - B) + lame * np.log(np.linalg.det(F))[..., None, None] * B

    def slope(self, H, dF):
        """dP along dF."""
        I, mu, lame = np.eye(self.d), self.mu, self.lame
        trace = lambda A: np.trace(A, axis1=-2, axis2=-1)[..., None, None]
        T = lambda A: np.swapaxes(A, -1, -2)
        if self.law == "linear":
            return self.stress(dF)
        F = I + H
        if self.law == "st_venant_kirchhoff":
            E = 0.5 * (H + T(H) + T(H) @ H)
            dE = 0.5 * (T(F) @ dF + T(dF) @ F)
            return dF @ (2 * mu * E + lame * trace(E) * I) + F @ (2 * mu * dE + lame * trace(dE) * I)
        B = T(np.linalg.inv(F))
        log = np.log(np.linalg.det(F))[..., None, None]
        return mu * dF + (mu - lame * log) * B @ T(dF) @ B + lame * np.sum(B * dF, (-2, -1))[..., None, None] * B

    def density(self, H):
        mu, lame = self.mu, self.lame
        T = np.swapaxes(H, -1, -2)
        if self.law == "neo_hooke":
            F = np.eye(self.d) + H
            log = np.log(np.linalg.det(F))
            return 0.5 * mu * (np.sum(F * F, (-2, -1)) - 3.0) - mu * log + 0.5 * lame * log ** 2
        E = 0.5 * (H + T) + (0.5 * T @ H if self.law == "st_venant_kirchhoff" else 0.0)
        return mu * np.sum(E * E, (-2, -1)) + 0.5 * lame * np.trace(E, axis1=-2, axis2=-1) ** 2

    def _gather(self, part, out):
        for i in range(self.d):
            out[:, i] += np.bincount(self.cells.ravel(), weights=part[:, :, i].ravel(), minlength=len(out))

    def scatter(self, P, f, size):
        """Forces of stresses at the points on nodes, and the sum of their magnitudes."""
        e, q = self.w.shape
        columns = P.swapaxes(-1, -2).reshape(e, q * self.d, self.d)
        self._gather(self.weighted @ columns, f)
        self._gather(self.weighted_size @ np.abs(columns), size)
        size += self.blur


def masses(kind, cells, X, density, thickness, m):
    """Lumped: row sums of the consistent mass; for quadratic elements its diagonal, scaled to the mass of the element."""
    shapes, d, _, points = KINDS[kind]
    xi, w = gauss(points, d)
    both = [shapes(x) for x in xi]
    N, D = np.stack([b[0] for b in both]), np.stack([b[1] for b in both])
    dV = density * thickness * w * np.linalg.det(np.einsum("eai,qaj->eqij", X[cells][:, :, :d], D))
    if kind == "quad8":
        diagonal = np.einsum("eq,qa->ea", dV, N * N)
        part = diagonal * (dV.sum(1) / diagonal.sum(1))[:, None]
    else:
        part = np.einsum("eq,qa->ea", dV, N)
    np.add.at(m, cells, part)


class FemGroup(FlatGroup):
    affine = False
    last = None  # last argument and result of elastic()

    def __init__(self, entry, data, gravity):
        spec = entry["fem"]
        for key, good in (("form", "total_lagrangian"), ("mass", "lumped")):
            if spec.get(key) != good:
                raise Unknown(f"finite elements with {key}: {spec.get(key)}")
        for key in ("modes", "reduction", "stops", "prescribed"):
            if spec.get(key):
                raise Unknown("finite elements with " + key)
        damping = entry.get("rayleigh") or {}
        self.rM, self.rK = damping.get("mass", 0.0), damping.get("stiffness", 0.0)
        if self.rK and spec["viscosity"] != "current_tangent":
            raise Unknown("viscosity by strain_rate")
        X, self.dof = data["nodes"], data["dof"]
        self.X, self.blocks = X, []
        self.extent = np.ptp(X, axis=0).max()
        m, first = np.zeros(len(X)), 0
        self.elements, self.face_kinds = [], []
        thickness = spec["thickness"] if data["dimension"] == 2 else 1.0
        materials = {x.get("set"): x["material"] for x in spec.get("materials") or []}
        for kind, cells, of in data["cells"]:
            if kind not in KINDS:
                raise Unknown("elements " + kind)
            material = spec.get("material")
            if material is None:
                numbers = np.arange(first, first + len(cells))
                found = [name for name in materials
                         if name in data["elements"] and np.isin(numbers, data["elements"][name]).all()]
                if len(found) != 1:
                    raise Unknown("materials of several sets")
                material = materials[found[0]]
            self.blocks.append(Block(kind, cells, X, material, thickness, spec["plane"]))
            masses(kind, cells, X, material["density"], thickness, m)
            self.elements += [(kind, c) for c in cells]
            first += len(cells)
        self.free = self.dof >= 0
        self.number = self.dof[self.free]
        n = int(self.free.sum())
        self.nodes_mass = m
        M = np.empty(n)
        M[self.number] = np.repeat(m[:, None], 3, 1)[self.free]
        weight = m[:, None] * np.array(gravity, dtype=float)
        loads = [(self.share(load, data), signals.function_of(load["factor"]) if load.get("factor") else (lambda t: 1.0))
                 for load in spec.get("loads") or []]

        def external(t):
            total = weight.copy()
            for share, factor in loads:
                total = total + factor(t) * share
            return self.reduce(total)

        v = np.tile(np.array(spec["velocity"], dtype=float), (len(X), 1))
        if any(spec["spin"]):
            raise Unknown("finite elements that start with a spin")
        self.weight = self.reduce(weight)
        super().__init__(M, np.zeros(n), np.zeros(n), (np.zeros(n), self.reduce(v)), self.rows_at, external)

    def reduce(self, full):
        out = np.empty(int(self.free.sum()))
        out[self.number] = full[self.free]
        return out

    def expand(self, q):
        full = np.zeros(self.dof.shape)
        full[self.free] = q[self.number]
        return full

    def share(self, load, data):
        """Forces of nodes of a force that is spread evenly over a set of faces."""
        if load.get("force") is None or load.get("set") not in data["faces"]:
            raise Unknown("loads other than forces on sets of faces")
        total = np.zeros(len(self.X))
        for element, face in data["faces"][load["set"]]:
            kind, cell = self.elements[element]
            nodes = cell[FACES[kind][face]]
            x = self.X[nodes]
            if kind == "quad8":
                for s, w in zip(*np.polynomial.legendre.leggauss(3)):
                    N = np.array([0.5 * s * (s - 1), 0.5 * s * (s + 1), 1 - s * s])
                    total[nodes] += w * N * np.linalg.norm(np.array([s - 0.5, s + 0.5, -2 * s]) @ x)
            else:
                for xi, w in zip(*gauss(2, 2)):
                    t = 1.0 + _Q * xi
                    D = np.stack([_Q[:, 0] * t[:, 1], _Q[:, 1] * t[:, 0]], 1) / 4
                    total[nodes] += w * t.prod(1) / 4 * np.linalg.norm(np.cross(*(D.T @ x)))
        return np.outer(total / total.sum(), np.array(load["force"], dtype=float))

    def rows_at(self, feature, local):
        """A node, or a place xi in an element."""
        feature = int(feature)
        J = np.zeros((3, self.n))
        if feature < len(self.X):
            nodes, N = [feature], [1.0]
        else:
            kind, nodes = self.elements[feature - len(self.X)]
            N = KINDS[kind][0](np.asarray(local))[0]
        for a, weight in zip(nodes, N):
            for i in range(3):
                if self.dof[a, i] >= 0:
                    J[i, self.dof[a, i]] += weight
        return np.zeros(3), J

    def elastic(self, q, x=None):
        """f(u), and K(u) x if x is given; the sizes of f and of K x term by term."""
        if self.last and np.array_equal(self.last[0], q) and (x is None or np.array_equal(self.last[1], x)):
            return self.last[2]
        u = self.expand(q)
        f, size, Kx, size_x = (np.zeros(u.shape) for _ in range(4))
        dx = self.expand(x) if x is not None else None
        for block in self.blocks:
            H = block.gradient(u)
            block.scatter(block.stress(H), f, size)
            if x is not None:
                block.scatter(block.slope(H, block.gradient(dx)), Kx, size_x)
        found = self.reduce(f), self.reduce(size), self.reduce(Kx), self.reduce(size_x)
        self.last = (q.copy(), np.full(q.shape, np.nan) if x is None else x.copy(), found)
        return found

    def force(self, t, q, v):
        f, _, Kv, _ = self.elastic(q, v if self.rK else None)
        return self.external(t) - f - self.rM * self.M * v - self.rK * Kv

    def force_size(self, t, q, v):
        _, size, _, size_v = self.elastic(q, v if self.rK else None)
        return np.abs(self.external(t)) + size + self.rM * self.M * np.abs(v) + self.rK * size_v

    def energy(self, q, v):
        u = self.expand(q)
        V, self.energy_blur = 0.0, 0.0
        for b in self.blocks:
            H = b.gradient(u)
            V += np.sum(b.w * b.density(H))
            strain = 1.0 if b.law == "neo_hooke" else np.abs(H).max(initial=0.0)  # tr C - 3 has an absolute round-off of 1e-16
            self.energy_blur += 1e-15 * (b.lame + 2 * b.mu) * strain * np.sum(b.w)
        return 0.5 * np.sum(self.M * v * v), V - self.weight @ q


class DefLim(DefLimStep):
    """docs/theory/def-lim.md:  q_h = q0 + (h/2) v0,  A (v1 - v0) = h F(t0 + h/2, q_h, v0) + r,  q1 = q_h + (h/2) v1,
    A = M + (h/2) C + (h^2/4) K at (q_h, v0)."""

    def momentum(self, r):
        if not hasattr(self, "terms"):
            g, h = self.group, self.h
            q_h, dv = self.q0 + 0.5 * h * self.v0, self.v1 - self.v0
            f, size, Kdv, size_dv = g.elastic(q_h, dv)
            damp, share = (0.0, 0.0)
            if g.rK:
                _, _, damp, share = g.elastic(q_h, self.v0)
            load = g.external(self.t0 + 0.5 * h)
            F = load - f - g.rM * g.M * self.v0 - g.rK * damp
            k = 0.5 * h * g.rK + 0.25 * h * h
            rest = (1.0 + 0.5 * h * g.rM) * g.M * dv + k * Kdv - h * F
            inertia = g.M * np.maximum(np.abs(self.v0), np.abs(self.v1))
            self.terms = rest, inertia, k * size_dv + h * (np.abs(load) + size + g.rK * share + g.rM * inertia)
        rest, inertia, force = self.terms
        return rest - r, inertia, force
