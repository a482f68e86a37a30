"""Contact solvers written in Python: by themselves and inside a simulation."""
import gc
import sys
import threading
import traceback
import unittest
import weakref

try:
    import numpy as np
    import scipy.sparse  # noqa: F401  solvers below ask for W.csr()
except ImportError:
    sys.exit(77)

import saltus


class ProjectedGaussSeidel(saltus.ContactSolver):
    """p_c <- Proj_K(p_c - rho_c (u_c + mu |u_T| n)), contact by contact."""

    name = "projected-gauss-seidel"

    def handles(self, kind):
        return kind in ("unilateral", "coulomb")

    def solve(self, problem, limits, memory, p):
        W, b = problem.W.csr(), problem.b
        rows = [W[law.rows] for law in problem.laws]
        rho = [law.size / W[law.rows, law.rows].diagonal().sum() for law in problem.laws]
        sweeps = 0
        while sweeps < limits.iterations and problem.residual(p) > limits.tolerance:
            for law, W_c, rho_c in zip(problem.laws, rows, rho):
                u = W_c @ p + b[law.rows]
                u[0] += law.friction * np.linalg.norm(u[1:])
                p[law.rows] = project(law.friction, p[law.rows] - rho_c * u)
            sweeps += 1
        return sweeps


def project(mu, x):
    """Onto the cone |x_T| <= mu x_N."""
    slip = np.linalg.norm(x[1:])
    if mu * slip <= -x[0]:
        return np.zeros_like(x)
    if slip <= mu * x[0]:
        return x
    N = (x[0] + mu * slip) / (1 + mu ** 2)
    return np.concatenate([[N], mu * N * x[1:] / slip])


class SameSweeps(saltus.ContactSolver):
    """What gauss-seidel does to unilateral rows, operation by operation."""

    name = "same-sweeps"

    def handles(self, kind):
        return kind == "unilateral"

    def solve(self, problem, limits, memory, p):
        W, b = problem.W.csr(), problem.b.tolist()
        first, column, value = W.indptr.tolist(), W.indices.tolist(), W.data.tolist()
        diagonal = W.diagonal().tolist()
        x = [one if one > 0.0 else 0.0 for one in p.tolist()]
        best, least = list(x), problem.residual(np.array(x))
        sweeps, moving, patient = 0, True, False
        while not least <= limits.tolerance and moving and sweeps < limits.iterations:
            calm = False
            for _ in range(10):
                moved = size = 0.0
                for i in range(len(x)):
                    s, k = [0.0] * 4, first[i]
                    while k + 4 <= first[i + 1]:
                        for slot in range(4):
                            s[slot] += value[k + slot] * x[column[k + slot]]
                        k += 4
                    while k < first[i + 1]:
                        s[0] += value[k] * x[column[k]]
                        k += 1
                    u = b[i] + ((s[0] + s[1]) + (s[2] + s[3]))
                    new = x[i] - u / diagonal[i]
                    new = new if new > 0.0 else 0.0
                    moved += (new - x[i]) * (new - x[i])
                    size += new * new
                    x[i] = new
                sweeps += 1
                moving = moved != 0.0
                calm = moved <= limits.tolerance * limits.tolerance * size
                if not moving or sweeps >= limits.iterations or (calm and not patient):
                    break
            patient = patient or calm
            now = problem.residual(np.array(x))
            if now < least:
                best, least = list(x), now
        p[:] = best
        return sweeps


class Asks(saltus.ContactSolver):
    """Leaves the work to a solver of the program."""

    def __init__(self, name):
        super().__init__()
        self.inner = saltus.solver(name)
        self.calls = 0

    def solve(self, problem, limits, memory, p):
        self.calls += 1
        return self.inner.solve(problem, limits, memory, p)


class Breaks(Asks):
    """Raises in a call of its choice."""

    def __init__(self, call):
        super().__init__("auto")
        self.at = call

    def solve(self, problem, limits, memory, p):
        if self.calls + 1 == self.at:
            self.calls += 1
            raise ZeroDivisionError("of my own")
        return super().solve(problem, limits, memory, p)


class Keeps(Asks):
    """Keeps what it may not keep."""

    kept = None

    def solve(self, problem, limits, memory, p):
        report = super().solve(problem, limits, memory, p)
        if Keeps.kept is None:
            Keeps.kept = (problem, memory, p, p[1:], problem.b, problem.W, problem.laws, problem.copy())
        return report


def balls(friction=0.3, solver="gauss-seidel", n=5, tolerance=1e-10):
    """Balls that fall into a heap on a floor."""
    return {"saltus": 1, "time": {"end": 0.3, "step": 2e-3}, "gravity": [0, 0, -9.81],
            "solver": {"kind": solver, "tolerance": tolerance, "iterations": 100000},
            "bodies": [{"name": "floor", "kind": "rigid", "rigid": {"fixed": True, "shape": {"plane": {}}}}] +
                      [{"name": f"ball{k}", "kind": "rigid", "scheme": {"kind": "moreau-jean", "theta": 0.5},
                        "rigid": {"shape": {"sphere": {"radius": 0.05}}, "density": 800,
                                  "position": [0.03 * (k % 2), 0.02 * (k % 3), 0.05 + 0.1 * k],
                                  "velocity": [0.2, 0.0, 0.0]}}
                       for k in range(n)],
            "surfaces": [{"law": {"kind": "newton-impact", "restitution": 0.3, "friction": friction}}]}


def simulate(scene, solver=None, steps=100, sim=None):
    """q of the last step, after `steps` steps by a solver in the place of that of the scene."""
    parts = saltus.ModelParts.of(scene)
    if solver is not None:
        parts.solver = solver
    sim = saltus.Simulation(parts.build())
    contacts = 0
    for _ in range(steps):
        report = sim.advance()
        if not report.converged:
            raise AssertionError(report)
        contacts = max(contacts, report.contacts)
    q = np.array(sim.groups[0].q)
    return q, contacts


class InASimulation(unittest.TestCase):
    def test_thirty_lines_of_python_agree_with_gauss_seidel(self):
        expected, contacts = simulate(balls())
        self.assertGreaterEqual(contacts, 3)
        found, _ = simulate(balls(), ProjectedGaussSeidel())
        np.testing.assert_allclose(found, expected, atol=1e-7)

    def test_the_same_operations_give_the_same_bits(self):
        expected, contacts = simulate(balls(friction=0.0))
        self.assertGreaterEqual(contacts, 2)
        found, _ = simulate(balls(friction=0.0), SameSweeps())
        self.assertEqual(found.tobytes(), expected.tobytes())

    def test_a_solver_that_asks_another_gives_its_bits(self):
        for name in ("auto", "proximal-newton"):
            expected, _ = simulate(balls(solver=name))
            asks = Asks(name)
            found, _ = simulate(balls(solver="auto"), asks)
            self.assertEqual(found.tobytes(), expected.tobytes(), name)
            self.assertGreater(asks.calls, 20)

    def test_parts_of_a_scene_give_its_run_bit_by_bit(self):
        scene = saltus.Scene.from_dict(balls(solver="auto"))
        sim = saltus.Simulation(scene)
        for _ in range(100):
            sim.advance()
        self.assertEqual(np.array(sim.groups[0].q).tobytes(), simulate(scene)[0].tobytes())

    def test_an_exception_leaves_advance_as_it_is_and_the_state_as_it_was(self):
        parts = saltus.ModelParts.of(balls())
        parts.solver = solver = Breaks(10)
        sim = saltus.Simulation(parts.build())
        try:
            for _ in range(1000):
                before = (sim.t, np.array(sim.groups[0].q))
                sim.advance()
            self.fail("nothing was raised")
        except ZeroDivisionError as error:
            self.assertEqual(str(error), "of my own")
            self.assertIn("solve", [frame.name for frame in traceback.extract_tb(error.__traceback__)])
        self.assertEqual(sim.t, before[0])
        np.testing.assert_array_equal(sim.groups[0].q, before[1])
        sim.advance()
        self.assertGreater(sim.t, before[0])
        self.assertGreater(solver.calls, 10)

    def test_what_a_solver_keeps_beyond_its_call_says_so_and_its_arrays_stay(self):
        Keeps.kept = None
        simulate(balls(solver="auto"), Keeps("auto"))
        problem, memory, p, tail, b, W, laws, copy = Keeps.kept
        Keeps.kept = None
        self.assertTrue(problem.over)
        self.assertEqual(repr(problem), "<saltus.ContactProblem, over>")
        for call in (lambda: problem.b, lambda: problem.W, lambda: problem.residual(p), lambda: W @ p,
                     lambda: W.csr(), lambda: memory.factor, lambda: problem.copy()):
            with self.assertRaises(saltus.UsageError) as caught:
                call()
            self.assertIn("only valid during its call", str(caught.exception))
        np.testing.assert_array_equal(p[1:], tail)
        np.testing.assert_array_equal(copy.b, b)
        self.assertEqual(len(laws), copy.contacts)
        self.assertLessEqual(copy.residual(p), 1e-10)
        self.assertTrue(saltus.solve(copy, tolerance=1e-9).converged)

    def test_a_model_keeps_its_solver_and_lets_it_go(self):
        parts = saltus.ModelParts.of(balls(n=1))
        parts.solver = Asks("auto")
        self.assertEqual(parts.solver.name, "Asks")
        alive = weakref.ref(parts.solver)
        model = parts.build()
        del parts
        gc.collect()
        sim = saltus.Simulation(model)
        for _ in range(10):
            sim.advance()
        self.assertGreater(alive().calls, 0)
        del sim, model
        gc.collect()
        self.assertIsNone(alive())

    def test_laws_that_a_solver_does_not_handle_are_refused_when_the_model_is_built(self):
        parts = saltus.ModelParts.of(balls())
        parts.solver = SameSweeps()
        with self.assertRaises(saltus.SceneError) as caught:
            parts.build()
        self.assertIn("same-sweeps", str(caught.exception))

    def test_a_solver_that_does_nothing_fails_the_step(self):
        class Nothing(saltus.ContactSolver):
            def solve(self, problem, limits, memory, p):
                p[:] = 0.0

        parts = saltus.ModelParts.of(balls(n=1))
        parts.solver = Nothing()
        sim = saltus.Simulation(parts.build())
        reports = [sim.advance() for _ in range(10)]
        self.assertFalse(all(report.converged for report in reports))

    def test_every_island_asks_the_solver_and_may_raise(self):
        names = [f"o{k}" for k in range(6)]
        scene = {"saltus": 1, "time": {"end": 1, "step": 1e-3},
                 "bodies": [{"name": name, "kind": "linear", "oscillator": {"mass": 1, "stiffness": 10 + k},
                             "origin": [0, 0, 1e-3], "initial": {"velocity": -1}} for k, name in enumerate(names)],
                 "contacts": [{"on": name, "at": 0, "against": {"plane": {}},
                               "law": {"kind": "newton-impact", "restitution": 0.5}} for name in names]}
        ends = []
        for solver in ("auto", Asks("auto")):
            parts = saltus.ModelParts.of(scene)
            parts.solver = solver
            sim = saltus.Simulation(parts.build())
            for _ in range(20):
                sim.advance()
            ends.append([float(sim.groups[name].v[0]) for name in names])
        self.assertEqual(ends[0], ends[1])
        self.assertGreater(min(ends[0]), 0.4)
        for call in (1, 4, 6):
            parts.solver = Breaks(call)
            sim = saltus.Simulation(parts.build())
            with self.assertRaises(ZeroDivisionError):
                for _ in range(20):
                    before = [float(sim.groups[name].v[0]) for name in names]
                    sim.advance()
            self.assertEqual([float(sim.groups[name].v[0]) for name in names], before)

    def test_simulations_in_several_threads_share_one_solver(self):
        expected, _ = simulate(balls(solver="auto", n=3))
        asks, found = Asks("auto"), [None] * 4

        def work(k):
            found[k] = simulate(balls(solver="auto", n=3), asks)[0].tobytes()

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected.tobytes()] * 4)


class Alone(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(2)
        H = rng.normal(size=(18, 12))
        self.W, self.b = H @ H.T + np.eye(18), rng.normal(size=18)

    def test_solve_takes_a_solver_of_ones_own(self):
        mine = saltus.solve(self.W, self.b, friction=0.3, solver=ProjectedGaussSeidel(), tolerance=1e-10,
            iterations=5000)
        theirs = saltus.solve(self.W, self.b, friction=0.3, tolerance=1e-12)
        self.assertTrue(mine.converged, mine.report)
        self.assertGreater(mine.report.iterations, 1)
        np.testing.assert_allclose(mine.p, theirs.p, atol=1e-8)

    def test_sweeps_of_python_have_the_bits_of_gauss_seidel(self):
        for tolerance in (1e-3, 1e-8, 1e-12):
            ours = saltus.solve(self.W, self.b, "unilateral", solver=SameSweeps(), tolerance=tolerance)
            theirs = saltus.solve(self.W, self.b, "unilateral", solver="gauss-seidel", tolerance=tolerance)
            self.assertEqual(ours.p.tobytes(), theirs.p.tobytes())
            self.assertEqual(ours.report.iterations, theirs.report.iterations)
            self.assertEqual(ours.residual, theirs.residual)

    def test_attempts_of_a_solver_that_asks_are_told(self):
        s = saltus.solve(self.W, self.b, friction=0.3, solver=Asks("auto"))
        self.assertEqual([a.solver for a in s.report.attempts],
                         [a.solver for a in saltus.solve(self.W, self.b, friction=0.3).report.attempts])

    def test_what_counts_is_the_residual_and_not_what_a_solver_says(self):
        class Boasts(saltus.ContactSolver):
            def solve(self, problem, limits, memory, p):
                saltus.solver("auto").solve(problem, None, None, p)
                report = saltus.solver("auto").solve(problem, None, None, p)
                p[:] = self.of
                return report

        solver = Boasts()
        for solver.of, iterations in ((1e3, None), (np.nan, None)):
            s = saltus.solve(self.W, self.b, friction=0.3, solver=solver)
            self.assertFalse(s.converged)
            self.assertFalse(s.residual <= 1e-8)

    def test_names_may_be_attributes_methods_or_left_to_the_class(self):
        class OfTheClass(saltus.ContactSolver):
            def solve(self, problem, limits, memory, p):
                pass

        class Method(OfTheClass):
            def name(self):
                return "by-method"

            needs_symmetric = True

        self.assertEqual(repr(OfTheClass()), "<saltus.ContactSolver OfTheClass>")
        self.assertEqual(repr(Method()), "<saltus.ContactSolver by-method>")
        with self.assertRaises(saltus.UsageError) as caught:
            saltus.solve([[1.0, 0.5], [0.0, 1.0]], [1.0, 1.0], "unilateral", solver=Method())
        self.assertIn("by-method needs a symmetric W", str(caught.exception))

    def test_what_is_wrong_with_a_solver_is_said(self):
        class Nothing(saltus.ContactSolver):
            pass

        class Text(saltus.ContactSolver):
            def solve(self, problem, limits, memory, p):
                return "done"

        for solver, error, words in ((Nothing(), saltus.UsageError, "Nothing must have the method solve"),
                                     (Text(), TypeError, "Text.solve() gave 'done'"),
                                     (ProjectedGaussSeidel, saltus.UsageError, "a name or a saltus.ContactSolver"),
                                     (Breaks(1), ZeroDivisionError, "of my own")):
            with self.assertRaises(error) as caught:
                saltus.solve(self.W, self.b, friction=0.3, solver=solver)
            self.assertIn(words, str(caught.exception))
        p = np.zeros(18)
        p.flags.writeable = False
        problem = saltus.ContactProblem(self.W, self.b, saltus.contact_laws(18, friction=0.3))
        with self.assertRaises(saltus.UsageError):
            saltus.solver("auto").solve(problem, None, None, p)
        self.assertRaises(TypeError, saltus.solver("auto").solve, problem, None, None, np.zeros(18, dtype=int))


if __name__ == "__main__":
    unittest.main()
