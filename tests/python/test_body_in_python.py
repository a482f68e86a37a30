"""Bodies and operators written in Python: the bits of the engine's own where the operations are the same."""
import gc
import math
import re
import unittest
import warnings
import weakref

import scheme_laws as laws
from scheme_laws import np, state_of

import saltus
from pendulum_body import Pendulum
from theta_scheme import Theta

try:
    import scipy.sparse
    import scipy.sparse.linalg
except ImportError:
    scipy = None

T = saltus.Trait
AFFINE = T.tangents | T.affine | T.symmetric | T.fixed_points | T.second_order | T.constant_mass | T.potential


def tridiagonal(n, stiffness):
    """A chain with one end fixed: K [N/m]."""
    K = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    K[-1, -1] = 1.0
    return stiffness * K


class Chain(saltus.Dynamics):
    """Equal masses in a row on springs, one end fixed, with dashpots; in matrices of the engine."""

    def __init__(self, n, mass=0.5, stiffness=400.0, damping=0.3, load=-0.7):
        super().__init__()
        self.n, self.load_, self.given = n, load, (mass, stiffness, damping)
        self.M = saltus.SparseMatrix(mass * np.eye(n))
        self.K, self.C = (saltus.SparseMatrix(tridiagonal(n, x)) for x in (stiffness, damping))

    def twin(self):
        mass, stiffness, damping = self.given
        return saltus.linear(mass=mass * np.ones(self.n), stiffness=tridiagonal(self.n, stiffness),
                             damping=tridiagonal(self.n, damping) if damping else None,
                             load=self.load_ * np.ones(self.n))

    def positions(self):
        return self.n

    def traits(self):
        return AFFINE

    def mass(self, q):
        return self.M

    def damping(self, t, q, v):
        return self.C if self.given[2] else None

    def stiffness(self, t, q, v):
        return self.K

    def force(self, t, q, v, f):
        f[:] = self.load_
        f -= self.K.multiply(q)
        if self.given[2]:
            f -= self.C.multiply(v)

    def potential_force(self, t, q, f):
        f[:] = -self.K.multiply(q)

    def potential(self, q):
        return 0.5 * self.K.inner(q, q)

    def sources(self):
        return [("elastic", True)] + ["damping"] * (self.given[2] != 0.0) + ["load"]

    def power(self, t, q, v, w, by_source):
        by_source[0] = -self.K.inner(w, q)
        if self.given[2]:
            by_source[1] = -self.C.inner(w, v)
        by_source[-1] = np.full(self.n, self.load_) @ w


class Springs(Chain):
    """The same by hand: no matrix of the engine, and one method, combination(), for all of them."""

    mass = damping = stiffness = None  # replaced below

    def force(self, t, q, v, f):
        _, k, c = self.given
        stretch, rate = np.diff(q, prepend=0.0), np.diff(v, prepend=0.0)
        pull = k * stretch + c * rate
        f[:] = self.load_ - pull
        f[:-1] += pull[1:]

    def combination(self, s, t, q, v):
        mass, k, c = self.given
        return s.m * mass * np.eye(self.n) + tridiagonal(self.n, s.c * c + s.k * k)

    def energy(self, t, q, v):
        return 0.5 * self.given[0] * (v @ v), 0.5 * self.given[1] * np.sum(np.diff(q, prepend=0.0) ** 2)


del Springs.mass, Springs.damping, Springs.stiffness


class HandMade(Springs):
    """Only what the contract itself asks for: multiply and factorise."""

    combination = None

    def multiply(self, s, t, q, v, x, y):
        y[:] = Springs.combination(self, s, t, q, v) @ x

    def factorise(self, s, t, q, v, A):
        A.dense(Springs.combination(self, s, t, q, v))


del HandMade.combination


class DoublePendulum(saltus.Dynamics):
    """M(q): two bobs on rods, angles from the vertical."""

    def __init__(self, mass=(0.9, 0.6), length=(0.5, 0.4), gravity=9.81):
        super().__init__()
        self.m, self.l, self.g = np.array(mass), np.array(length), gravity
        self.mu = np.array([self.m.sum(), self.m[1]])

    def positions(self):
        return 2

    def coupling(self, q):
        return self.mu[1] * self.l[0] * self.l[1] * math.cos(q[0] - q[1]), \
            self.mu[1] * self.l[0] * self.l[1] * math.sin(q[0] - q[1])

    def mass(self, q):
        c, _ = self.coupling(q)
        return [[self.mu[0] * self.l[0] ** 2, c], [c, self.mu[1] * self.l[1] ** 2]]

    def potential(self, q):
        return float(np.sum(self.mu * self.g * self.l * (1.0 - np.cos(q))))

    def potential_force(self, t, q, f):
        f[:] = -self.mu * self.g * self.l * np.sin(q)

    def inertial(self, q, v):
        _, s = self.coupling(q)
        return [s * v[1] ** 2, -s * v[0] ** 2]

    def force(self, t, q, v, f):
        self.potential_force(t, q, f)
        f -= self.inertial(q, v)

    def stiffness(self, t, q, v):
        c, _ = self.coupling(q)
        K = np.diag(self.mu * self.g * self.l * np.cos(q))
        a, b = -c * v[1] ** 2, -c * v[0] ** 2
        return K + np.array([[-a, a], [b, -b]])

    def damping(self, t, q, v):
        _, s = self.coupling(q)
        return np.array([[0.0, 2.0 * s * v[1]], [-2.0 * s * v[0], 0.0]])

    def point(self, i, q):
        x = (self.l * np.sin(q))[:i + 1].sum()
        return x, 0.0, -(self.l * np.cos(q))[:i + 1].sum()

    def point_jacobian(self, i, q):
        J = np.zeros((3, 2))
        J[0, :i + 1], J[2, :i + 1] = (self.l * np.cos(q))[:i + 1], (self.l * np.sin(q))[:i + 1]
        return J


class Through(saltus.Dynamics):
    """Every method handed to a body of the engine: whatever Python can be asked, it is asked."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def point_rows(self, q, axes, at, J):
        J[:] = self.inner.point_rows(q, axes, at)

    def spin_rows(self, q, axes, at, J):
        return self.inner.spin_rows(q, axes, at)

    def frames(self, t, q, x, R):
        x[:], R[:] = self.inner.frames(t, q)

    def prescribed_columns(self, s, t, q, v, columns):
        columns[:] = self.inner.prescribed_columns(s, t, q, v)


def hand_over(name):
    return lambda self, *args: getattr(self.inner, name)(*args)


for name in ("bodies", "positions", "velocities", "traits", "retract", "increment_rate", "force", "multiply",
             "factorise", "factorise_exact", "potential_force", "load", "coast", "rigid", "rayleigh", "prescribed", "reactions",
             "point_reactions", "points", "spin_drift", "point_drift", "sources", "energy", "power", "modal"):
    setattr(Through, name, hand_over(name))


def run(test, a, b, scheme, q, v, tip, normal, steps=200, h=2e-3, height=0.01, impacts=1):
    """Both bodies by the same scheme above a plane; the simulations after `steps`."""
    first = laws.Body("first", a, q, v, tip, normal)
    second = laws.Body("second", b, q, v, tip, normal)
    one, two = (laws.simulation(body, scheme, h, height=height) for body in (first, second))
    seen = 0
    for _ in range(steps):
        x, y = one.advance(), two.advance()
        test.assertEqual(x.contacts, y.contacts)
        test.assertTrue(x.converged and y.converged)
        seen += x.contacts
    test.assertGreaterEqual(seen, impacts)
    return one, two


class Twins(unittest.TestCase):
    """A body in Python moves as its twin of the engine, impacts included."""

    def chain(self, n):
        rng = np.random.default_rng(5)
        return 0.02 * rng.standard_normal(n), 0.5 * rng.standard_normal(n) - 0.5

    def test_a_chain_in_matrices_of_the_engine_has_the_bits_of_its_twin(self):
        chain = Chain(12, damping=0.0)
        q, v = self.chain(12)
        for name in ("moreau-jean", "newmark", "generalized-alpha", "central-difference", "runge-kutta"):
            with self.subTest(name):
                a, b = run(self, chain, chain.twin(), saltus.scheme(name), q, v, {"feature": 11}, [0, 0, 1])
                for x, y in zip(state_of(a), state_of(b)):
                    self.assertTrue(np.array_equal(x, y))
                self.assertLessEqual(np.abs(np.array(a.state.ledger) - np.array(b.state.ledger)).max(), 1e-13)

    def test_a_chain_by_hand_differs_from_its_twin_by_round_off(self):
        q, v = self.chain(12)
        # with dashpots the engine adds both products row by row, NumPy one after the other
        for kind in (Chain, Springs, HandMade):
            with self.subTest(kind.__name__):
                chain = kind(12)
                a, b = run(self, chain, chain.twin(), saltus.scheme("moreau-jean"), q, v, {"feature": 11},
                           [0, 0, 1])
                for x, y in zip(state_of(a), state_of(b)):
                    self.assertLessEqual(np.abs(x - y).max(), 1e-12 * np.abs(y).max())

    def test_a_pendulum_has_the_bits_of_its_twin(self):
        twin = saltus.dynamics_of({"name": "bob", "kind": "lagrangian",
                                   "pendulum": {"mass": 1.0, "length": 1.0, "gravity": 9.81}})
        for name in ("moreau-jean", "newmark", "euler-implicit", "runge-kutta", "discrete-gradient"):
            with self.subTest(name):
                a, b = run(self, Pendulum(), twin, saltus.scheme(name), [1.0], [-0.5], {}, [1, 0, 0], steps=600,
                           height=0.5)
                for x, y in zip(state_of(a), state_of(b)):
                    self.assertTrue(np.array_equal(x, y))
                self.assertEqual(a.state.ledger.tolist(), b.state.ledger.tolist())

    def test_a_mass_matrix_that_depends_on_the_angles_differs_from_its_twin_by_round_off(self):
        twin = saltus.dynamics_of({"name": "arms", "kind": "lagrangian",
                                   "n_pendulum": {"mass": [0.9, 0.6], "length": [0.5, 0.4], "gravity": 9.81}})
        for scheme in (saltus.scheme("moreau-jean"), saltus.scheme("newmark"), Theta(0.5)):
            with self.subTest(scheme.name()):
                a, b = run(self, DoublePendulum(), twin, scheme, [0.5, 0.6], [0.4, -2.5], {"feature": 1},
                           [0.6, 0, 0.8], steps=100)
                for x, y in zip(state_of(a), state_of(b)):
                    self.assertLessEqual(np.abs(x - y).max(), 1e-11)
                left = np.abs(np.array(a.state.ledger) - np.array(b.state.ledger)).max()
                self.assertLessEqual(left, 1e-11)

    def test_a_body_that_hands_every_method_over_has_the_bits_of_what_it_asks(self):
        for body in laws.bodies():
            for name in ("moreau-jean", "newmark", "rig-mid"):
                scheme = saltus.scheme(name)
                if scheme.needs() & ~body.dynamics.traits():
                    continue
                with self.subTest(f"{name} on {body.name}"):
                    a, b = run(self, body.dynamics, Through(body.dynamics), scheme, body.q, body.v, body.tip,
                               body.normal, steps=100)
                    for x, y in zip(state_of(a), state_of(b)):
                        if body.name in ("linear system", "modal bar"):  # their tables are made from rows here
                            self.assertLessEqual(np.abs(x - y).max(), 1e-14)
                        else:
                            self.assertTrue(np.array_equal(x, y))

    def test_forces_and_matrices_of_a_body_agree_with_differences_of_its_energy_and_forces(self):
        body, q, v, eps = DoublePendulum().engine, np.array([0.5, 0.6]), np.array([0.4, -2.5]), 1e-6
        for j, e in enumerate(eps * np.eye(2)):
            up, down = (body.energy(0, q + side * e, 0 * v).potential for side in (1, -1))
            slope = (up - down) / (2 * eps)
            self.assertAlmostEqual(body.potential_force(0, q)[j], -slope, delta=1e-8)
            K = (body.force(0, q - e, v) - body.force(0, q + e, v)) / (2 * eps)
            self.assertLessEqual(np.abs(body.multiply((0, 0, 1), 0.0, q, v, e / eps) - K).max(), 1e-7)
            C = (body.force(0, q, v - e) - body.force(0, q, v + e)) / (2 * eps)
            self.assertLessEqual(np.abs(body.multiply((0, 1, 0), 0.0, q, v, e / eps) - C).max(), 1e-7)
        self.assertAlmostEqual(body.power(0, q, v, v).sum(), body.force(0, q, v) @ v, delta=1e-14)
        self.assertEqual([source.name for source in body.sources()], ["potential", "inertial", "applied"])


class MovedSpring(saltus.Dynamics):
    """1 kg on a spring whose other end moves: V(t, q) = k (q - u(t))^2/2."""

    k = 100.0

    def positions(self):
        return 1

    def traits(self):
        T = saltus.Trait
        return T.tangents | T.second_order | T.constant_mass | T.potential | T.symmetric | T.affine

    def stretch(self, t, q):
        return q[0] - 0.1 * math.sin(7.0 * t)

    def force(self, t, q, v, f):
        f[0] = -self.k * self.stretch(t, q)

    def potential_force(self, t, q, f):
        self.force(t, q, None, f)

    def mass(self, q):
        return 1.0

    def stiffness(self, t, q, v):
        return self.k

    def energy(self, t, q, v):
        return 0.5 * v[0] ** 2, 0.5 * self.k * self.stretch(t, q) ** 2


class PotentialsInTime(unittest.TestCase):
    """Supports that move: V counts at the time of the state."""

    def test_the_energy_of_a_state_is_that_of_its_time_and_what_no_source_explains_is_told(self):
        for scheme in ("moreau-jean", "newmark", "runge-kutta", "discrete-gradient"):
            with self.subTest(scheme):
                parts, body = saltus.ModelParts(), MovedSpring()
                parts.add_group("body", body, saltus.scheme(scheme), q=[0.0], v=[0.0])
                parts.options(h=1e-3, end=1.0)
                sim = saltus.Simulation(parts.build())
                sim.run()
                there = body.energy(sim.t, sim.groups[0].q, sim.groups[0].velocity())
                self.assertAlmostEqual(sim.energy.total, sum(there), delta=1e-12)
                self.assertAlmostEqual(sim.energy.total, 3.3396, delta=1e-3)  # by RK4 in steps of 0.5 ms
                self.assertAlmostEqual(sum(sim.ledger.values()), sim.energy.total, delta=1e-9)

    def test_a_body_that_hands_over_to_one_with_moved_particles_moves_and_has_energy_as_that(self):
        model = saltus.Scene.of({
            "saltus": 1, "time": {"end": "0.1 s", "step": "0.5 ms"}, "bodies": [{
                "name": "body", "kind": "particles", "scheme": "moreau-jean", "particles": {
                    "mass": [1, 1], "positions": [[0, 0, 0.1], [0.5, 0, 0.1]],
                    "springs": [{"between": [0, 1], "stiffness": 400, "length": 0.4}]},
                "prescribed": [{"dof": 0, "constant": 0}, {"dof": 1, "constant": 0},
                               {"dof": 2, "harmonic": {"amplitude": 0.1, "frequency": 3}}]}]}).build()
        own, other = (saltus.Simulation(made) for made in (
            model, saltus.with_dynamics(model, 0, Through(model.groups[0].dynamics))))
        own.run()
        other.run()
        self.assertTrue(np.array_equal(own.groups[0].q, other.groups[0].q))
        self.assertEqual(own.energy.total, other.energy.total)
        self.assertLess(abs(own.ledger["unexplained"]), 1e-5 * abs(own.ledger["prescribed"]))
        self.assertAlmostEqual(other.ledger["unexplained"] + other.ledger["prescribed"],
                               own.ledger["prescribed"], delta=1e-3 * abs(own.ledger["prescribed"]))


class Lu(saltus.Operator):
    """SuperLU of SciPy."""

    def __init__(self, A):
        super().__init__()
        self.A, self.solves = A, 0
        self.lu = scipy.sparse.linalg.splu(A.tocsc())

    def solve(self, X):
        self.solves += X.shape[1]
        X[:] = self.lu.solve(np.ascontiguousarray(X))

    def symmetric(self):
        return True


class Sparse(Chain):
    """A chain that brings its own factor."""

    def __init__(self, n, *args):
        super().__init__(n, *args)
        self.made = []

    def factorise(self, s, t, q, v, A):
        mass, k, c = self.given
        K = scipy.sparse.csr_matrix(tridiagonal(self.n, 1.0))
        A.operator = Lu(s.m * mass * scipy.sparse.identity(self.n) + (s.c * c + s.k * k) * K)
        self.made.append(A.operator)


@unittest.skipIf(scipy is None, "SciPy is not there")
class Operators(unittest.TestCase):
    """A body may bring its own operator."""

    def test_a_chain_solved_by_scipy_moves_as_its_twin_to_round_off(self):
        chain = Sparse(200)
        q, v = np.zeros(200), np.full(200, -0.5)
        a, b = run(self, chain, chain.twin(), saltus.scheme("moreau-jean"), q, v, {"feature": 199}, [0, 0, 1],
                   steps=50)
        for x, y in zip(state_of(a), state_of(b)):
            self.assertLessEqual(np.abs(x - y).max(), 1e-12)
        self.assertIsInstance(chain.made[-1], Lu)
        self.assertGreater(chain.made[-1].solves, 0)

    def test_a_response_that_the_operator_gives_itself_is_used(self):
        asked = []

        class Own(Lu):
            def response(self, H, W):
                rows = scipy.sparse.csr_matrix((H.value, H.column, H.offset), (W.shape[0], self.A.shape[0]))
                W += rows @ self.lu.solve(rows.toarray().T)
                asked.append(W.shape)
                return True

        class Curved(Sparse):  # not affine: rows and W are made in every pass
            def traits(self):
                return T.tangents | T.symmetric | T.second_order | T.constant_mass | T.potential

            def factorise(self, s, t, q, v, A):
                super().factorise(s, t, q, v, A)
                A.operator = Own(A.operator.A)

        chain = Curved(20)
        a, b = run(self, chain, chain.twin(), saltus.scheme("moreau-jean"), np.zeros(20), np.full(20, -0.5),
                   {"feature": 19}, [0, 0, 1], steps=30)
        self.assertTrue(asked)
        for x, y in zip(state_of(a), state_of(b)):
            self.assertLessEqual(np.abs(x - y).max(), 1e-11)

    def test_matrices_of_scipy_are_factorised_and_multiplied_by_the_engine(self):
        class Rows(Chain):
            def mass(self, q):
                return self.given[0]

            def stiffness(self, t, q, v):
                return scipy.sparse.csr_matrix(tridiagonal(self.n, self.given[1]))

            def damping(self, t, q, v):
                return scipy.sparse.csr_matrix(tridiagonal(self.n, self.given[2]))

        chain, body = Rows(9), Chain(9).twin()
        x, q = np.arange(9.0), np.zeros(9)
        for s in ((1, 0, 0), (1, 0.1, 0.01), (0, 1, 0), (0, 0, 1)):
            np.testing.assert_allclose(chain.engine.multiply(s, 0.0, q, q, x), body.multiply(s, 0.0, q, q, x), rtol=1e-14,
                                       atol=1e-12)
        np.testing.assert_allclose(chain.engine.factorise((1, 0.1, 0.01), 0.0, q, q).solve(x),
                                   body.factorise((1, 0.1, 0.01), 0.0, q, q).solve(x), rtol=1e-13)


class Faults(unittest.TestCase):
    """One clear message for each fault."""

    def fault(self, text, error=saltus.UsageError, base=Pendulum, **methods):
        body = type("Broken", (base,), methods)()
        with self.assertRaisesRegex(error, text):
            parts = saltus.ModelParts()
            parts.options(h=1e-3, end=1.0)
            parts.add_group("body", body, saltus.scheme("moreau-jean"), q=[1.0])
            parts.add_pair(saltus.Point("body"), [-0.3, 0, 0], [1, 0, 0], parts.add_law("newton-impact"))
            sim = saltus.Simulation(parts.build())
            for _ in range(3):
                sim.advance()

    def test_missing_methods_are_named_with_their_class(self):
        self.fault(r"class Broken is not complete: it has no positions\(\), force\(t, q, v, f\), "
                   r"multiply\(s, t, q, v, x, y\), factorise\(s, t, q, v, A\)", base=saltus.Dynamics)
        self.fault(r"class Broken has no method point_rows\(q, axes, at, J\), which is required", base=saltus.Dynamics,
                   positions=lambda self: 1, force=lambda self, t, q, v, f: [0.0], mass=lambda self, q: 1.0,
                   stiffness=lambda self, q, v: 0.0, point=lambda self, i, q: [q[0], 0, 0])

    def test_matrices_without_a_time_are_called_for_one_version_more_with_a_line_that_says_so(self):
        class Before(Pendulum):
            def stiffness(self, q, v): return Pendulum.stiffness(self, 0.0, q, v)
            def multiply(self, s, q, v, x, y): y[:] = s.m * x + s.k * Pendulum.stiffness(self, 0.0, q, v) * x

        for method, form in (("stiffness", r"Before.stiffness\(q, v\) is the old form without the time argument; write stiffness\(t, q, v\)"),
                             ("multiply", r"Before.multiply\(s, q, v, x, y\) is the old form without the time argument; write multiply\(s, t, q, v, x, y\)")):
            with self.subTest(method), warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                body = Before().engine
                y = body.multiply((1.0, 0.0, 0.5), 0.3, [0.3], [0.2], [2.0])
                self.assertEqual(len([one for one in told if re.search(form, str(one.message))]), 1)
                self.assertEqual(y.tolist(),
                                 Pendulum().engine.multiply((1.0, 0.0, 0.5), 0.3, [0.3], [0.2], [2.0]).tolist())

    def test_outputs_of_another_shape_are_named(self):
        self.fault(r"what Broken.force returned has shape \(2,\), shape \(1,\) is expected", force=lambda *_: np.zeros(2))
        self.fault(r"what Broken.force returned has shape \(1,\) of complex128, shape \(1,\) is expected",
                   force=lambda *_: np.zeros(1, complex))
        self.fault(r"Broken.mass has shape \(2, 2\): a matrix must be a number, a diagonal of shape \(1,\)",
                   mass=lambda self, q: np.eye(2))
        self.fault(r"what Broken.point_jacobian returned has shape \(3,\), shape \(3, 1\) is expected",
                   point_jacobian=lambda self, i, q: [1, 0, 0])
        self.fault(r"Broken.energy must return a pair \(kinetic, potential\)", energy=lambda self, t, q, v: 3.0)

    def test_a_mass_that_is_none_or_not_positive_definite_is_found(self):
        self.fault(r"Broken.mass has no value \(None\): a matrix must be a number", mass=lambda self, q: None)
        self.fault(r"Broken.combination has no value \(None\): a matrix must be a number",
                   combination=lambda self, s, q, v: None)
        for given, element in ((0.0, "0"), (-1.0, "-1"), ([[math.nan]], "nan"), ([0.0], "0"), (math.inf, "inf")):
            with self.subTest(given=given):
                self.fault(r"Broken.mass gave a mass at the start that is not positive definite: its element "
                           rf"\[0, 0\] is {element}$", mass=lambda self, q, given=given: given)
        self.fault(r"Broken.combination gave a mass at the start that is not positive definite: its element "
                   r"\[0, 0\] is -2", combination=lambda self, s, q, v: -2.0 * s[0])

        class Two(saltus.Dynamics):
            def __init__(self, mass):
                super().__init__()
                self.M = mass

            def positions(self): return 2
            def force(self, t, q, v, f): f[:] = 0.0
            def mass(self, q): return self.M
            def stiffness(self, t, q, v): return None

        def built(mass):
            parts = saltus.ModelParts()
            parts.options(h=1e-3, end=1.0)
            parts.add_group("two", Two(mass), saltus.scheme("moreau-jean"))
            return parts.build()

        with self.assertRaisesRegex(saltus.UsageError, r"Two.mass gave a mass .*: there are v with v.Mv <= 0"):
            built(np.array([[1.0, 2.0], [2.0, 1.0]]))
        built(np.array([[1.0, 0.5], [0.5, 1.0]]))
        sparse = saltus.SparseMatrix(np.array([[1.0, 0.0], [0.0, -3.0]]))
        with self.assertRaisesRegex(saltus.UsageError, r"Two.mass gave a mass .*: its element \[1, 1\] is -3"):
            built(sparse)

    def test_no_damping_and_no_stiffness_are_none(self):
        class Free(Pendulum):
            def stiffness(self, t, q, v): return None
            def damping(self, t, q, v): return None

        y = Free().engine.multiply((1.0, 1.0, 1.0), 0.0, [0.3], [0.2], [2.0])
        self.assertEqual(y.tolist(), Pendulum().engine.multiply((1.0, 0.0, 0.0), 0.0, [0.3], [0.2], [2.0]).tolist())

    def test_a_jacobian_that_is_not_returned_is_found(self):
        self.fault(r"what Broken.point_jacobian returned has no value \(None\), shape \(3, 1\) is expected",
                   point_jacobian=lambda self, i, q: None)

    def test_traits_that_claim_what_is_not_there_are_refused(self):
        T = saltus.Trait
        oscillator = dict(positions=lambda self: 1, force=lambda self, t, q, v, f: np.zeros(1),
                          mass=lambda self, q: 1.0, stiffness=lambda self, q, v: 9.81)
        modal = T.modal | T.affine | T.second_order | T.symmetric | T.constant_mass | T.tangents
        top = dict(positions=lambda self: 7, velocities=lambda self: 6, force=lambda self, t, q, v, f: np.zeros(6),
                   mass=lambda self, q: np.ones(6))
        rigid = T.rigid | T.rotations | T.second_order
        data = saltus.RigidData(mass=[1.0, 1.0], inertia=[np.eye(3), np.eye(3)])
        two = saltus.ModalData(mass=np.ones(2), omega=np.ones(2), sigma=np.zeros(2))
        cases = [("modal-exact", [1.0], modal, dict(oscillator), "has the trait modal, but modal.. returns nothing"),
                 ("modal-exact", [1.0], modal, dict(oscillator, modal=lambda self: two),
                  "has the trait modal, but elements of modal.*mass are 2, 1 are needed, one per mode")]
        for scheme in ("rig-mid", "rig-pos", "rig-imp", "rig-neg"):
            cases += [(scheme, [0, 0, 0, 1.0, 0, 0, 0], rigid, dict(top),
                       "has the trait rigid, but rigid.. returns nothing"),
                      (scheme, [0, 0, 0, 1.0, 0, 0, 0], rigid, dict(top, rigid=lambda self: data),
                       "has the trait rigid, but elements of rigid.*mass are 2, 1 are needed, one per body")]
        for scheme, q, traits, methods, words in cases:
            with self.subTest(scheme=scheme, words=words):
                body = type("Claims", (saltus.Dynamics,), dict(methods, traits=lambda self, t=traits: t))()
                parts = saltus.ModelParts()
                parts.options(h=1e-3, end=0.05)
                parts.add_group("p", body, saltus.scheme(scheme), q=q)
                with self.assertRaisesRegex(saltus.SceneError, "p: 'p' .kind custom. " + words):
                    parts.build()
                with self.assertRaisesRegex(saltus.UsageError, "the body " + words):
                    saltus.scheme(scheme).prepare(body, 1e-3)
        with self.assertRaisesRegex(saltus.UsageError, "scheme 'modal-exact' needs modal, but the body has"):
            saltus.scheme("modal-exact").prepare(Pendulum(), 1e-3)

    def test_an_output_that_is_not_written_is_found(self):
        def wrong(self, t, q, v, f):
            f = -q  # noqa: F841

        self.fault(r"Broken.force left f\[0\] unwritten: write f\[:\] = ..., or return the value", force=wrong)

    def test_an_argument_that_is_kept_is_found_and_becomes_a_copy(self):
        kept = []

        def greedy(self, t, q, v, f):
            kept.append(q)
            f[0] = 0.0

        self.fault(r"Broken.force kept its argument q, which is only lent for the call: keep a copy, q.copy\(\)",
                   force=greedy)
        gc.collect()
        self.assertEqual(kept[0].tolist(), [1.0])

    def test_what_only_garbage_keeps_is_not_kept(self):
        def circle(self, t, q, v, f):
            def again():
                return again, q
            f[0] = -self.moment * math.sin(q[0])

        body = type("Circle", (Pendulum,), {"force": circle})()
        body.engine.force(0.0, [1.0], [0.0])

    def test_inputs_cannot_be_written(self):
        def wrong(self, t, q, v, f):
            q[0] = 0.0

        self.fault("read-only", error=ValueError, force=wrong)

    def test_exceptions_leave_as_they_are(self):
        class Mine(Exception):
            pass

        def wrong(self, *_):
            raise Mine("here")

        for name in ("force", "mass", "stiffness", "point", "point_jacobian", "potential", "positions"):
            with self.subTest(name):
                self.fault("here", error=Mine, **{name: wrong})

    def test_a_place_that_is_no_number_is_found(self):
        self.fault("Broken.point gave nan as y of point 0: a place is 3 finite numbers",
                   point=lambda self, i, q: [0.0, math.nan, 0.0])

        def wrong(self, t, q, at, x):
            x[:] = math.inf

        self.fault("Broken.points gave inf as x of point 0", points=wrong,
                   point_rows=lambda self, q, axes, at, J: np.zeros((len(at), 3, 1)))

    def test_answers_of_a_wrong_type_are_named(self):
        for name, given, wanted in (("positions", "one", "an int"), ("velocities", 1.5, "an int"),
                                    ("potential", "much", r"an energy \[J\]"), ("prescribed", [], "an int")):
            with self.subTest(name):
                self.fault(f"Broken.{name} gave .*, {wanted} is expected", error=TypeError,
                           **{name: lambda self, *_, given=given: given})

    def test_an_argument_that_is_bent_in_place_harms_no_later_call(self):
        straight = [Pendulum().engine.force(0.0, [q], [0.0])[0] for q in (0.1, 0.2, 0.3)]

        def bend(**what):
            def force(self, t, q, v, f):
                f[0] = -self.moment * math.sin(q[0])
                for name, value in what.items():
                    setattr(q, name, value)
            return type("Bent", (Pendulum,), {"force": force})()

        watched = []

        def watch(self, t, q, v, f):
            watched.append(weakref.ref(q))
            f[0] = -self.moment * math.sin(q[0])

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for body in (bend(dtype=np.float32), bend(dtype=np.int64), bend(shape=(1, 1)), bend(shape=()),
                         type("Watched", (Pendulum,), {"force": watch})()):
                for _ in range(300):
                    body.engine.force(0.0, [0.4], [0.0])
                self.assertEqual([Pendulum().engine.force(0.0, [q], [0.0])[0] for q in (0.1, 0.2, 0.3)], straight)
        self.assertEqual([of() for of in watched], [None] * 300)

    def test_an_empty_factor_is_found(self):
        self.fault("Broken.factorise left A empty", factorise=lambda self, s, q, v, A: None)

    def test_calls_with_wrong_sizes_are_told_so(self):
        body = saltus.linear(mass=[1.0, 2.0], stiffness=[3.0, 4.0])
        for call, text in ((lambda: body.force(0, [1.0], [1.0, 2.0]), r"q has shape \(1,\), shape \(2,\) is expected"),
                           (lambda: body.force(0, [1, 2], [1, 2], [0.0, 0.0]), "contiguous array of float64"),
                           (lambda: body.multiply((1, 2), 0.0, [1, 2], [1, 2], [1, 2]), "three numbers"),
                           (lambda: body.factorise((1, 0, 0), 0.0, [1, 2], [1, 2]).solve([1.0]), r"X has shape \(1,\), 2 rows"),
                           (lambda: saltus.Factor().solve([1.0]), "no matrix was factorised")):
            with self.assertRaisesRegex(saltus.UsageError, text):
                call()

    def test_a_method_of_the_base_can_be_called_by_super(self):
        class Both(Pendulum):
            def energy(self, t, q, v):
                kinetic, potential = super().energy(t, q, v)
                return kinetic, potential + 1.0

            def retract(self, q, w, out):
                super().retract(q, w, out)

        body = Both()
        self.assertEqual(body.engine.energy(0, [0.0], [2.0]).total, 3.0)
        self.assertEqual(body.engine.retract([1.0], [2.0]).tolist(), [3.0])
        with self.assertRaisesRegex(saltus.UsageError, "has no method force"):
            saltus.Dynamics.force(body, 0.0, [0.0], [0.0])


class InScenes(unittest.TestCase):
    """Bodies of a scene and of Python beside each other."""

    def test_bodies_of_scenes_called_through_python_keep_their_bits(self):
        # prescribed motion, joints, shapes, friction, beams, meshes; test_slow_examples_through_python has all
        from test_slow_examples_through_python import compare

        for stem in ("dragged_slider", "drum", "euler_disk", "gripper", "slider_crank", "soft_cube", "cantilever",
                     "hammer_on_string", "struck_plate", "bowed_string", "soft_stack"):
            with self.subTest(stem):
                compare(self, stem, 25)

    def test_a_body_in_python_takes_the_place_of_one_in_a_model(self):
        twin = saltus.dynamics_of({"name": "bob", "kind": "lagrangian",
                                   "pendulum": {"mass": 1.0, "length": 1.0, "gravity": 9.81}})
        body = laws.Body("bob", twin, [1.0], [-0.5], {}, [1, 0, 0])
        made = laws.model(body, Theta(), 2e-3, height=0.5)
        a, b = saltus.Simulation(made), saltus.Simulation(saltus.with_dynamics(made, 0, Pendulum()))
        for _ in range(300):
            a.advance()
            b.advance()
        for x, y in zip(state_of(a), state_of(b)):
            self.assertTrue(np.array_equal(x, y))
        with self.assertRaises(saltus.UsageError):
            saltus.with_dynamics(made, 0, DoublePendulum())

    def test_a_ball_in_python_stacks_on_a_chain_of_the_engine(self):
        class Ball(saltus.Dynamics):
            def positions(self):
                return 1

            def traits(self):
                return AFFINE

            def mass(self, q):
                return 0.4

            def stiffness(self, t, q, v):
                return 0.0

            def force(self, t, q, v, f):
                return [-0.4 * 9.81]

        parts = saltus.ModelParts()
        parts.options(h=1e-3, end=1.0)
        n = 4
        parts.add_group("ball", Ball(), Theta(), q=[0.05], v=[-1.0])
        chain = saltus.linear(mass=np.ones(n), stiffness=tridiagonal(n, 900.0))
        parts.add_group("chain", chain, saltus.scheme("moreau-jean"))
        law = parts.add_law("newton-impact", restitution=0.5)
        parts.add_pair(saltus.Point("ball"), saltus.Point("chain", feature=n - 1), [0, 0, 1], law)
        sim, hits = saltus.Simulation(parts.build()), 0
        for _ in range(1000):
            report = sim.advance()
            hits += report.contacts
            self.assertTrue(report.converged)
            self.assertLessEqual(report.residual_after, 1e-9)
            self.assertLessEqual(abs(report.unexplained), 1e-12 * max(1.0, laws.energy_scale(sim)))
        self.assertGreater(hits, 10)


if __name__ == "__main__":
    unittest.main()
