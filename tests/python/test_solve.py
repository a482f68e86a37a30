"""Contact problems by themselves: saltus.solve, saltus.residual, FCLIB files."""
import os
import sys
import tempfile
import threading
import unittest

try:
    import numpy as np
except ImportError:
    sys.exit(77)
try:
    import scipy.sparse as sparse
except ImportError:
    sparse = None

import saltus
from saltus import Law


def random_problem(contacts, size, seed=0, bodies=4, moments=False):
    """W = H M^-1 H^T of contacts between bodies of 6 velocities, and b: what falls onto what."""
    rng = np.random.default_rng(seed)
    H = np.zeros((contacts * size, 6 * bodies))
    for c in range(contacts):
        for body in {c % bodies, (c + 1) % bodies}:
            H[c * size:(c + 1) * size, 6 * body:6 * body + 6] = rng.normal(size=(size, 6))
    W = H @ H.T / 2.0 + 0.3 * np.eye(contacts * size)
    return W, rng.normal(size=contacts * size)


def natural_map(W, b, laws, p):
    """The residual of the documentation in NumPy, for laws of one row and Coulomb's."""
    u, F, scale = W @ p + b, np.zeros_like(p), np.zeros_like(b)
    first = 0
    for law in laws:
        rows = slice(first, first + law.size)
        first += law.size
        rho = law.size / np.trace(W[rows, rows])
        scale[rows] = rho * b[rows]
        v = u[rows].copy()
        if law.kind == "coulomb":
            v[0] += law.friction * np.linalg.norm(v[1:])
            x = p[rows] - rho * v
            slip = np.linalg.norm(x[1:])
            if law.friction * slip <= -x[0]:
                onto = np.zeros(law.size)
            elif slip <= law.friction * x[0]:
                onto = x
            else:
                N = (x[0] + law.friction * slip) / (1 + law.friction ** 2)
                onto = np.concatenate([[N], law.friction * N * x[1:] / slip])
        else:
            x = p[rows] - rho * v
            onto = {"unilateral": np.maximum(x, 0.0), "equality": x,
                    "box": np.clip(x, -law.bound, law.bound)}[law.kind]
        F[rows] = p[rows] - onto
    return np.linalg.norm(F) / max(np.linalg.norm(p), np.linalg.norm(scale))


#: name, rows of a contact, laws of 6 contacts
FAMILIES = [
    ("unilateral", 1, [Law("unilateral")] * 6),
    ("equality", 1, [Law("equality")] * 6),
    ("box", 1, [Law("box", bound=0.2)] * 6),
    ("normal", 1, [Law("coulomb", 1, friction=0.3)] * 6),
    ("plane", 2, [Law("coulomb", 2, friction=0.3)] * 6),
    ("space", 3, [Law("coulomb", friction=0.1 * c) for c in range(6)]),
    ("rolling in the plane", 3, [Law("rolling", 3, friction=0.3, rolling=0.1)] * 6),
    ("rolling", 5, [Law("rolling", friction=0.3, rolling=0.1)] * 6),
    ("spinning", 4, [Law("rolling", 4, friction=0.3, spinning=0.1)] * 6),
    ("rolling and spinning", 6, [Law("rolling", friction=0.3, rolling=0.1, spinning=0.05)] * 6),
    ("mixed", 3, [Law("coulomb", friction=0.3)] * 4 + [Law("unilateral", 2), Law("equality"), Law("box", 3,
        bound=0.1)]),
]


class Solve(unittest.TestCase):
    def test_every_solver_solves_every_law_that_it_says_it_handles(self):
        seen = set()
        for row in saltus.solvers():
            solver = saltus.solver(row.name)
            self.assertEqual(solver.name, row.name)
            for what, size, laws in FAMILIES:
                if not all(solver.handles(law.kind) for law in laws):
                    continue
                with self.subTest(solver=row.name, laws=what):
                    W, b = random_problem(6, size)
                    s = saltus.solve(W, b, laws, solver=row.name, tolerance=1e-9, iterations=100000)
                    self.assertTrue(s.converged, s.report)
                    self.assertLessEqual(s.residual, 1e-9)
                    np.testing.assert_allclose(s.u, W @ s.p + b, atol=1e-12)
                    if not any(law.kind == "rolling" for law in laws):
                        self.assertAlmostEqual(natural_map(W, b, laws, s.p), s.residual, delta=1e-12)
                    seen.add((row.name, what))
        self.assertGreaterEqual(len(seen), 53)

    def test_solvers_agree_on_the_velocities(self):
        W, b = random_problem(6, 3, seed=3)
        u = saltus.solve(W, b, friction=0.3, tolerance=1e-12).u
        for name in ("gauss-seidel", "proximal-newton", "interior-point", "body-gauss-seidel"):
            other = saltus.solve(W, b, friction=0.3, solver=name, tolerance=1e-12, iterations=100000)
            np.testing.assert_allclose(other.u, u, atol=1e-8, err_msg=name)

    def test_a_block_on_a_slope_slides_where_its_angle_is_beyond_that_of_friction(self):
        m, g, h = 2.0, 9.81, 0.01
        for degrees, slides in ((10.0, False), (16.0, False), (17.5, True), (40.0, True)):
            a = np.radians(degrees)
            b = g * h * np.array([-np.cos(a), np.sin(a), 0.0])
            s = saltus.solve(np.eye(3) / m, b, friction=0.3, tolerance=1e-12)
            self.assertAlmostEqual(s.p[0], m * g * h * np.cos(a))
            self.assertEqual(s.measures.sliding, int(slides))
            self.assertAlmostEqual(s.u[1], g * h * (np.sin(a) - 0.3 * np.cos(a)) if slides else 0.0)

    def test_a_residual_of_any_impulses_is_that_of_the_documentation(self):
        for what, size, laws in FAMILIES:
            if any(law.kind == "rolling" for law in laws) or what == "mixed":
                continue
            W, b = random_problem(6, size, seed=5)
            p = np.random.default_rng(1).normal(size=b.size)
            self.assertAlmostEqual(saltus.residual(W, b, laws, p), natural_map(W, b, laws, p), places=13, msg=what)

    @unittest.skipIf(sparse is None, "SciPy is not installed")
    def test_sparse_matrices_of_every_format_stay_sparse_and_give_what_the_dense_one_gives(self):
        W, b = random_problem(12, 3, bodies=12)
        dense = saltus.solve(W, b, friction=0.4, tolerance=1e-12, solver="gauss-seidel", iterations=100000)
        bits = None
        for form in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia"):
            S = getattr(sparse.csr_matrix(W), "to" + form)()
            s = saltus.solve(S, b, friction=0.4, tolerance=1e-12, solver="gauss-seidel", iterations=100000)
            self.assertEqual(s.problem.W.form, "blocks")
            self.assertLess(len(s.problem.W.blocks()), 12 * 12 / 2)
            np.testing.assert_allclose(s.p, dense.p, atol=1e-9, err_msg=form)
            bits = s.p.tobytes() if bits is None else bits
            self.assertEqual(s.p.tobytes(), bits, form)
        twice = sparse.coo_matrix((np.full(2, 0.25), ([0, 0], [0, 0])), shape=(1, 1))
        self.assertAlmostEqual(saltus.solve(twice, [-1.0], "unilateral").p[0], 2.0)

    @unittest.skipIf(sparse is None, "SciPy is not installed")
    def test_a_matrix_of_thousands_of_rows_is_never_made_dense(self):
        n = 60000
        chain = sparse.diags([np.full(n, 2.1), np.full(n - 1, -1.0), np.full(n - 1, -1.0)], [0, 1, -1], format="csc")
        b = np.where(np.arange(n) % 7 == 0, -1.0, 0.5)
        s = saltus.solve(chain, b, "unilateral", solver="gauss-seidel", tolerance=1e-8)
        self.assertTrue(s.converged)
        self.assertGreaterEqual(s.p.min(), 0.0)
        self.assertGreater(s.u.min(), -1e-7)

    def test_the_operator_gives_the_matrix_back_in_every_form(self):
        W, b = random_problem(5, 3)
        for given in [W] + ([sparse.csr_matrix(W)] if sparse else []):
            problem = saltus.ContactProblem(given, b, saltus.contact_laws(15, friction=0.1))
            p = np.linspace(-1.0, 1.0, 15)
            np.testing.assert_allclose(problem.W @ p, W @ p, atol=1e-14)
            np.testing.assert_array_equal(problem.W.dense(), W)
            np.testing.assert_array_equal(np.asarray(problem.W), W)
            self.assertEqual(problem.W[2, 7], W[2, 7])
            self.assertEqual(problem.W[-1, -1], W[-1, -1])
            self.assertRaises(IndexError, lambda: problem.W[15, 0])
            full = np.zeros_like(W)
            for c, d, block in problem.W.blocks():
                full[3 * c:3 * c + 3, 3 * d:3 * d + 3] = block
            np.testing.assert_array_equal(full, W)
            if sparse:
                np.testing.assert_array_equal(problem.W.csr().toarray(), W)
            np.testing.assert_allclose(problem.velocity(p), W @ p + b, atol=1e-14)

    def test_b_of_a_problem_is_no_copy_and_cannot_be_written(self):
        problem = saltus.ContactProblem(np.eye(3), [1.0, 2.0, 3.0], [Law("coulomb", friction=0.1)])
        b = problem.b
        self.assertEqual(b.ctypes.data, problem.b.ctypes.data)
        with self.assertRaises(ValueError):
            b[0] = 0.0
        del problem
        np.testing.assert_array_equal(b, [1.0, 2.0, 3.0])

    def test_a_warm_start_from_the_solution_needs_no_iteration_and_is_left_alone(self):
        W, b = random_problem(6, 3)
        s = saltus.solve(W, b, friction=0.3, solver="gauss-seidel", tolerance=1e-10, iterations=100000)
        start = s.p.copy()
        again = saltus.solve(W, b, friction=0.3, solver="gauss-seidel", tolerance=1e-10, p0=start)
        self.assertEqual(again.report.iterations, 0)
        np.testing.assert_array_equal(again.p, s.p)
        np.testing.assert_array_equal(start, s.p)

    def test_a_memory_keeps_the_factor_of_pivoting(self):
        W, b = random_problem(6, 1)
        memory = saltus.SolverMemory()
        first = saltus.solve(W, b, "unilateral", solver="principal-pivoting", memory=memory)
        closed = int(np.count_nonzero(first.p))
        self.assertEqual(sorted(memory.active), sorted(np.flatnonzero(first.p).tolist()))
        self.assertEqual(memory.factor.size, closed * (closed + 1) // 2)
        again = saltus.solve(W, b, "unilateral", solver="principal-pivoting", memory=memory, p0=first.p)
        self.assertEqual(again.report.iterations, 0)

    def test_a_solve_that_ran_out_of_iterations_says_so_and_gives_the_best_it_found(self):
        W, b = random_problem(30, 3, bodies=30)
        s = saltus.solve(W, b, friction=0.5, solver="gauss-seidel", tolerance=1e-14, iterations=3)
        self.assertFalse(s.converged)
        self.assertEqual(s.report.iterations, 3)
        self.assertIn("NOT converged", repr(s))
        self.assertEqual(saltus.residual(s.problem, p=s.p), s.residual)
        self.assertLess(s.residual, saltus.residual(s.problem, p=np.zeros(90)))

    def test_attempts_tell_whom_the_automatic_solver_asked(self):
        W, b = random_problem(6, 3)
        s = saltus.solve(W, b, friction=0.3)
        self.assertGreaterEqual(len(s.report.attempts), 1)
        names = {row.name for row in saltus.solvers()}
        self.assertLessEqual({a.solver for a in s.report.attempts}, names)
        self.assertEqual(s.report.attempts[-1].residual, s.residual)

    def test_an_unsymmetric_matrix_goes_to_solvers_that_can(self):
        W = np.array([[2.0, 1.0], [-1.0, 2.0]])
        s = saltus.solve(W, [-1.0, -1.0], "unilateral")
        self.assertTrue(s.converged)
        self.assertFalse(s.problem.W.symmetric)
        np.testing.assert_allclose(s.p, np.linalg.solve(W, [1.0, 1.0]))

    def test_a_problem_without_contacts_is_solved_by_nothing(self):
        s = saltus.solve(np.zeros((0, 0)), [], friction=0.3)
        self.assertTrue(s.converged)
        self.assertEqual((s.p.shape, s.report.iterations, s.problem.contacts), ((0,), 0, 0))

    def test_several_threads_solve_at_once_with_the_bits_of_one(self):
        problems = [random_problem(10, 3, seed=k) for k in range(8)]
        alone = [saltus.solve(W, b, friction=0.3, tolerance=1e-10).p.tobytes() for W, b in problems]
        found = [None] * 8

        def work(k):
            found[k] = saltus.solve(*problems[k], friction=0.3, tolerance=1e-10).p.tobytes()

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, alone)


#: what is called, words of the message
FAULTS = [
    ("shapes", lambda: saltus.solve(np.eye(3), np.zeros(2), friction=0.1, dim=2),
        "W has the shape (3, 3), b has 2 elements"),
    ("not square", lambda: saltus.solve(np.ones((3, 2)), np.zeros(3), friction=0.1), "(3, 2)"),
    ("dimensions", lambda: saltus.solve(np.zeros(3), np.zeros(3), friction=0.1), "W has 1 dimensions"),
    ("b is a matrix", lambda: saltus.solve(np.eye(3), np.zeros((3, 1)), friction=0.1), "b has the shape (3, 1)"),
    ("rows", lambda: saltus.solve(np.eye(4), np.zeros(4), friction=0.1), "not a multiple of the 3 rows"),
    ("friction", lambda: saltus.solve(np.eye(6), np.zeros(6), friction=[0.1] * 3),
        "friction has the shape (3,), there are 2 contacts"),
    ("negative friction", lambda: saltus.solve(np.eye(3), np.zeros(3), friction=-0.1), "friction is -0.1"),
    ("no laws", lambda: saltus.solve(np.eye(3), np.zeros(3)), "the laws are missing"),
    ("both", lambda: saltus.solve(np.eye(3), np.zeros(3), "unilateral", friction=0.1), "laws and friction"),
    ("a name alone", lambda: saltus.solve(np.eye(3), np.zeros(3), "coulomb"),
        "laws='coulomb' is not sufficient"),
    ("laws of other rows", lambda: saltus.solve(np.eye(3), np.zeros(3), [Law("unilateral")] * 2),
        "the 2 laws have 2 rows in total, b has 3"),
    ("no law", lambda: saltus.solve(np.eye(1), np.zeros(1), ["unilateral"]), "laws[0] is 'unilateral'"),
    ("dim", lambda: saltus.solve(np.eye(4), np.zeros(4), friction=0.1, dim=4), "dim is 4"),
    ("spinning in the plane", lambda: saltus.solve(np.eye(4), np.zeros(4), friction=0.1, dim=2, spinning=0.1),
        "no spinning"),
    ("nan in W", lambda: saltus.solve(np.full((1, 1), np.nan), [1.0], "unilateral"),
        "W has elements that are not finite"),
    ("nan in b", lambda: saltus.solve(np.eye(2), [1.0, np.nan], "unilateral"), "b[1] is nan"),
    ("scale", lambda: saltus.solve(np.eye(1) * 1e200, [1.0], "unilateral"), "1e+200"),
    ("p0", lambda: saltus.solve(np.eye(2), np.zeros(2), "unilateral", p0=[1.0]), "p0 has the shape (1,)"),
    ("p0 nan", lambda: saltus.solve(np.eye(2), np.zeros(2), "unilateral", p0=[1.0, np.inf]), "p0[1]"),
    ("p", lambda: saltus.residual(np.eye(2), np.zeros(2), "unilateral", [1.0]), "p has 1 elements"),
    ("text", lambda: saltus.solve([["a"]], [1.0], "unilateral"), "W: could not convert"),
    ("complex", lambda: saltus.solve(np.eye(1) * 1j, [1.0], "unilateral"), "W is complex"),
    ("tolerance", lambda: saltus.solve(np.eye(1), [1.0], "unilateral", tolerance=0.0), "tolerance is 0"),
    ("iterations", lambda: saltus.solve(np.eye(1), [1.0], "unilateral", iterations=0), "iterations is 0"),
    ("solver", lambda: saltus.solve(np.eye(1), [1.0], "unilateral", solver="lemkes"), "did you mean `lemke`?"),
    ("no solver", lambda: saltus.solve(np.eye(1), [1.0], "unilateral", solver=3), "not 3"),
    ("laws it cannot", lambda: saltus.solve(np.eye(3), np.zeros(3), friction=0.1, solver="lemke"),
        "lemke does not handle coulomb laws (allowed here: auto"),
    ("ragged W", lambda: saltus.solve([[1.0, 2.0], [3.0]], [1.0, 1.0], "unilateral"), "all rows of equal length"),
    ("iterations", lambda: saltus.solve(np.eye(1), [1.0], "unilateral", iterations=10**12),
        "iterations is 1000000000000 (a whole number"),
    ("half an iteration", lambda: saltus.solve(np.eye(1), [1.0], "unilateral", iterations=2.5), "iterations is 2.5"),
    ("kind", lambda: Law("columb"), "did you mean `coulomb`?"),
    ("size", lambda: Law("coulomb", 4), "size 4"),
    ("unread", lambda: Law("unilateral", friction=0.1), "a unilateral law has no friction"),
    ("bound", lambda: Law("box", bound=float("inf")), "bound is inf"),
    ("ids", lambda: saltus.ContactProblem(np.eye(2), [1, 1], [Law("unilateral", 2)], ids=[3, 3]),
        "ids[1] is 3 after 3"),
    ("given twice", lambda: saltus.solve(saltus.ContactProblem(np.eye(1), [1], [Law("unilateral")]), [1.0]),
        "b is already part of"),
]


class Faults(unittest.TestCase):
    def test_solutions_are_compared_as_objects_without_an_error(self):
        one, other = (saltus.solve(np.eye(3), [-1.0, 0.5, 0.0], friction=0.3) for _ in range(2))
        self.assertEqual((one == one, one == other, one == 3), (True, False, False))
        self.assertEqual(len({one, other}), 2)

    def test_what_is_wrong_is_named(self):
        for what, call, words in FAULTS:
            with self.subTest(what):
                with self.assertRaises(saltus.UsageError) as caught:
                    call()
                self.assertIn(words, str(caught.exception))
                self.assertIsInstance(caught.exception, ValueError)

    def test_numbers_that_are_none_are_refused_wherever_they_stand(self):
        for place in ((0, 0), (1, 1), (0, 2), (2, 2)):
            for value in (np.nan, np.inf, -np.inf):
                W = np.eye(3)
                W[place] = value
                for matrix in (W, sparse.csr_matrix(W)) if sparse else (W,):
                    with self.assertRaisesRegex(saltus.UsageError, "W has elements that are not finite"):
                        saltus.solve(matrix, -np.ones(3), friction=0.5)
        for k in range(3):
            b = -np.ones(3)
            b[k] = np.nan
            with self.assertRaisesRegex(saltus.UsageError, "not.* finite"):
                saltus.solve(np.eye(3), b, friction=0.5)

    def test_a_solver_in_python_that_answers_with_a_wrong_type_is_named(self):
        class Wordy(saltus.ContactSolver):
            def handles(self, kind):
                return "yes"

            def solve(self, problem, limits, memory, p):
                return None

        with self.assertRaisesRegex(TypeError, r"Wordy.handles\(\) gave 'yes' \(True or False is expected\)"):
            saltus.solve(np.eye(1), [-1.0], "unilateral", solver=Wordy())


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "problem.hdf5")

    def test_what_was_written_is_read_bit_by_bit(self):
        for what, size, laws in FAMILIES:
            if what not in ("plane", "space", "rolling", "rolling in the plane"):
                continue
            with self.subTest(what):
                W, b = random_problem(6, size)
                W = (W + W.T) / 2
                problem = saltus.ContactProblem(W, b, laws)
                s = saltus.solve(problem, tolerance=1e-10)
                saltus.write_fclib(self.file, problem, s.p, title="six contacts", description="of a test")
                read = saltus.read_fclib(self.file)
                np.testing.assert_array_equal(read.W.dense(), W)
                np.testing.assert_array_equal(read.b, b)
                np.testing.assert_array_equal(read.solution["p"], s.p)
                self.assertEqual([repr(law) for law in read.laws], [repr(law) for law in laws])
                self.assertEqual((read.title, read.description, read.spacedim, read.contacts),
                                 ("six contacts", "of a test", size, 6))
                self.assertLessEqual(read.residual(read.solution["p"]), 1e-10)
                self.assertTrue(saltus.solve(read, tolerance=1e-9).converged)
                self.assertIsInstance(read, saltus.ContactProblem)

    def test_equalities_come_after_the_contacts(self):
        W, b = random_problem(3, 3)
        laws = [Law("coulomb", friction=0.3)] * 2 + [Law("equality")] * 3
        saltus.write_fclib(self.file, saltus.ContactProblem((W + W.T) / 2, b, laws))
        read = saltus.read_fclib(self.file)
        self.assertEqual(read.equalities, 3)
        self.assertIsNone(read.solution)
        s = saltus.solve(read, tolerance=1e-11)
        np.testing.assert_allclose(s.u[6:], 0.0, atol=1e-9)

    def test_what_the_format_cannot_hold_is_refused_by_the_law_that_is_at_fault(self):
        for laws, words in (([Law("unilateral", 3)], "law 0 is unilateral"),
                            ([Law("equality"), Law("coulomb", 2)], "law 1 is coulomb after an equality"),
                            ([Law("coulomb", 2), Law("coulomb", 1)], "law 1 is coulomb of 1 rows"),
                            ([Law("equality")] * 3, "no contact with friction")):
            with self.assertRaises(saltus.UsageError) as caught:
                saltus.write_fclib(self.file, saltus.ContactProblem(np.eye(3), np.ones(3), laws))
            self.assertIn(words, str(caught.exception))
            self.assertFalse(os.path.exists(self.file))

    def test_a_file_that_is_none_is_named(self):
        with self.assertRaises(saltus.SceneError) as caught:
            saltus.read_fclib(self.file)
        self.assertIn(self.file, str(caught.exception))
        with open(self.file, "w") as f:
            f.write("no problem")
        with self.assertRaises(saltus.SceneError):
            saltus.read_fclib(self.file)

    def test_threads_may_read_and_write_at_once(self):
        W, b = random_problem(6, 3)
        problem = saltus.ContactProblem((W + W.T) / 2, b, saltus.contact_laws(18, friction=0.2))
        faults = []

        def work(k):
            try:
                for _ in range(5):
                    name = f"{self.file}.{k}"
                    saltus.write_fclib(name, problem, title=str(k))
                    if saltus.read_fclib(name).title != str(k):
                        raise AssertionError(name)
            except Exception as e:  # told below
                faults.append(e)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(faults, [])


if __name__ == "__main__":
    unittest.main()
