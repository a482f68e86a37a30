"""Schemes written in Python: the laws of tests/contract, and the bits of the engine's own scheme."""
import contextlib
import gc
import io
import resource
import threading
import unittest
import weakref

import scheme_laws as laws
from scheme_laws import Driven, bodies, energy_scale, increment, model, np, simulation, state_of

import pendulum_body
import saltus
import theta_scheme
from theta_scheme import Theta


class Through(saltus.Scheme):
    """Hands everything to a scheme of the engine."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def name(self):
        return "through " + self.inner.name()

    def needs(self):
        return self.inner.needs()

    def refuses(self):
        return self.inner.refuses()

    def prepare(self, body, h):
        return {"inner": self.inner.prepare(body, h)}

    def start(self, body, prepared, t, h, state):
        self.inner.start(body, prepared, t, h, state)

    def velocity(self, body, prepared, t, h, state, v):
        self.inner.velocity(body, prepared, t, h, state, v)

    def energy(self, body, prepared, t, h, state):
        return self.inner.energy(body, prepared, t, h, state)

    def begin(self, body, x):
        self.inner.begin(body, x)

    def linearise(self, body, x):
        self.inner.linearise(body, x)

    def correct(self, body, x):
        return self.inner.correct(body, x)

    def one_pass(self, body):
        return self.inner.one_pass(body)

    def free_motion(self, body):
        return self.inner.free_motion(body)

    def finish(self, body, x, end):
        self.inner.finish(body, x, end)

    def place(self, body, x, fraction, q):
        self.inner.place(body, x, fraction, q)

    def axes_at(self):
        return self.inner.axes_at()

    def axes_fixed(self):
        return self.inner.axes_fixed()

    def stages(self):
        return self.inner.stages()

    def velocity_at(self):
        return self.inner.velocity_at()

    def gain(self):
        return self.inner.gain()

    def work_velocity(self, x, end, w):
        self.inner.work_velocity(x, end, w)

    def work(self, body, x, end, work):
        self.inner.work(body, x, end, work)

    def fixed_step(self):
        return self.inner.fixed_step()

    def pass_limits(self):
        return self.inner.pass_limits()

    def stability_limit(self, xi):
        return self.inner.stability_limit(xi)


class Bits(unittest.TestCase):
    """The same operations give the same bits."""

    def test_a_scheme_in_python_is_the_one_of_the_engine_bit_for_bit_over_impacts(self):
        for body in bodies():
            with self.subTest(body.name):
                a = simulation(body, saltus.scheme("moreau-jean", theta=0.5), 2e-3, height=0.01)
                b = simulation(body, Theta(0.5), 2e-3, height=0.01)
                impacts = 0
                for _ in range(300):
                    one, two = a.advance(), b.advance()
                    impacts += one.contacts
                    for what in ("contacts", "passes", "iterations", "residual", "residual_after", "outstanding",
                                 "gap", "impulse", "impact", "unexplained"):
                        self.assertEqual(getattr(one, what), getattr(two, what), what)
                self.assertGreaterEqual(impacts, 1)
                self.assertTrue(a.state == b.state)

    def test_the_examples_say_what_they_promise(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            theta_scheme.main()
            pendulum_body.main()
        self.assertIn("the same bits as moreau-jean: True", said.getvalue())
        self.assertIn("drag 0.05: 4 impacts", said.getvalue())

    def test_at_another_theta_only_the_sum_of_the_dissipation_is_rounded_otherwise(self):
        # NumPy and Eigen add the terms of a dot product in different orders: the account "scheme" has one
        for body in bodies():
            with self.subTest(body.name):
                a = simulation(body, saltus.scheme("moreau-jean", theta=0.7), 2e-3, height=0.01)
                b = simulation(body, Theta(0.7), 2e-3, height=0.01)
                for _ in range(300):
                    a.advance()
                    b.advance()
                for x, y in zip(state_of(a), state_of(b)):
                    self.assertTrue(np.array_equal(x, y))
                off = np.abs(np.array(a.state.ledger) - np.array(b.state.ledger)).max()
                self.assertLessEqual(off, 1e-13 * energy_scale(a))

    def test_a_scheme_that_hands_its_work_to_one_of_the_engine_moves_as_that_one(self):
        for body in bodies():
            for name in ("newmark", "generalized-alpha", "runge-kutta", "euler-implicit", "central-difference",
                         "rig-mid", "schatzman-paoli", "generalized-alpha-decoupled", "modal-exact"):
                inner = saltus.scheme(name)
                if (inner.needs() & ~body.dynamics.traits()) or (inner.refuses() & body.dynamics.traits()):
                    continue
                with self.subTest(f"{name} on {body.name}"):
                    a = simulation(body, inner, 2e-3, height=0.01)
                    b = simulation(body, Through(inner), 2e-3, height=0.01)
                    for _ in range(100):
                        one, two = a.advance(), b.advance()
                        self.assertEqual(one.residual, two.residual)
                    self.assertTrue(a.state == b.state)


class Laws(unittest.TestCase):
    """What every scheme owes, in the words of tests/contract."""

    def pairs(self):
        for body in bodies():
            yield body, Theta(0.5)

    def test_after_an_impact_the_finished_velocity_is_minus_e_times_the_one_before(self):
        for body, scheme in self.pairs():
            for e in (0.0, 0.5, 1.0):
                with self.subTest(body=body.name, e=e):
                    defects = []
                    for h in (1e-3, 1e-4):
                        sim = simulation(body, scheme, h, height=0.0, restitution=e)
                        report = sim.advance()
                        self.assertEqual(report.contacts, 1)
                        self.assertTrue(report.converged)
                        self.assertLessEqual(report.residual_after, 1e-9)
                        q, v = state_of(sim)
                        defects.append(abs(body.rate(q, v) + e * body.rate(q, body.v)))
                    if body.constant_rows:
                        self.assertLessEqual(defects[0], 1e-12)
                    else:
                        self.assertLessEqual(defects[1], max(0.2 * defects[0], 1e-10))

    def test_an_impulse_changes_velocity_by_its_response_and_position_by_gain_h_of_that(self):
        for body, scheme in self.pairs():
            with self.subTest(body.name):
                found = []
                r = body.dynamics.multiply((1, 0, 0), 0.0, body.q, body.v, 0.5 * body.v)
                for h in (1e-2, 1e-3):
                    inverse = Driven(body, scheme, h, r).trial.A.solve(np.eye(len(r)))
                    worst = 0.0
                    for j in range(len(r)):
                        eps = 1e-4 * np.linalg.norm(r) * np.eye(len(r))[j]
                        a, b = Driven(body, scheme, h, r - eps), Driven(body, scheme, h, r + eps)
                        size, step = np.linalg.norm(inverse[:, j]), 2.0 * np.linalg.norm(eps)
                        dv, dq = (b.v - a.v) / step, increment(body, a.q, b.q) / step
                        worst = max(worst, np.linalg.norm(dv - inverse[:, j]) / size,
                                    np.linalg.norm(dq - a.gain * h * inverse[:, j]) / (h * size))
                    found.append(worst)
                if body.curved:
                    self.assertLessEqual(found[1], max(0.35 * found[0], 1e-8))
                    self.assertLessEqual(found[1], 0.01)
                else:
                    self.assertLessEqual(found[0], 1e-8)

    def test_the_passes_of_a_step_contract_and_one_is_enough_for_an_affine_body(self):
        for body, scheme in self.pairs():
            with self.subTest(body.name):
                momentum = body.dynamics.multiply((1, 0, 0), 0.0, body.q, body.v, body.v)
                step = Driven(body, scheme, 1e-2, 0.5 * momentum)
                if body.curved:
                    self.assertLess(step.contraction, 0.5)
                    self.assertLess(step.passes, 20)
                else:
                    self.assertEqual(step.passes, 1)

    def test_in_a_vanishing_step_the_momentum_changes_by_the_impulse(self):
        for body, scheme in self.pairs():
            with self.subTest(body.name):
                r = 0.5 * body.dynamics.multiply((1, 0, 0), 0.0, body.q, body.v, body.v)
                step = Driven(body, scheme, 1e-9, r)
                change = body.dynamics.multiply((1, 0, 0), 0.0, step.q, step.v, step.v - step.v0)
                self.assertLessEqual(np.linalg.norm(change - r), 1e-6 * np.linalg.norm(r))

    def test_a_column_at_rest_on_the_ground_stays_at_rest(self):
        K = np.array([[900.0, -900.0, 0.0], [-900.0, 1700.0, -800.0], [0.0, -800.0, 800.0]])
        weight = 9.81 * np.array([1.5, 0.9, 0.7])
        column = saltus.linear(mass=[1.5, 0.9, 0.7], stiffness=K, load=-weight, rayleigh=(0.2, 0.001))
        lower = -(weight[1] + weight[2]) / 900.0
        q = np.array([0.0, lower, lower - weight[2] / 800.0])
        body = laws.Body("column", column, q, np.zeros(3), {"feature": 0}, [0, 0, 1])
        for e in (0.0, 0.5):
            sim = simulation(body, Theta(0.5), 1e-2, height=0.0, restitution=e)
            for _ in range(500):
                report = sim.advance()
                self.assertTrue(report.converged)
                self.assertLessEqual(abs(report.gap), 1e-12)
            self.assertLessEqual(np.abs(state_of(sim)[0] - q).max(), 1e-12)

    def test_what_survives_a_step_with_an_impulse_is_smooth(self):
        for body, scheme in self.pairs():
            with self.subTest(body.name):
                sim = simulation(body, scheme, 2e-3, height=0.0, restitution=0.9)
                self.assertEqual(sim.advance().contacts, 1)
                again = simulation(body.moved(*state_of(sim)), scheme, 2e-3)
                for _ in range(5):
                    self.assertEqual(sim.advance().contacts, 0)
                    again.advance()
                for x, y in zip(state_of(sim), state_of(again)):
                    self.assertLessEqual(np.linalg.norm(x - y), 1e-11)

    def test_a_run_resumed_from_a_copy_of_its_state_ends_in_the_same_bits(self):
        for body, scheme in self.pairs():
            with self.subTest(body.name):
                made = model(body, scheme, 2e-3, height=0.0, restitution=0.3)
                whole = saltus.Simulation(made)
                for _ in range(50):
                    whole.advance()
                resumed = saltus.Simulation(made, whole.state)
                for _ in range(50):
                    whole.advance()
                    resumed.advance()
                self.assertTrue(whole.state == resumed.state)

    def test_the_error_of_smooth_motion_falls_with_the_order_neither_slower_nor_faster(self):
        for theta, order in ((0.5, 2.0), (1.0, 1.0)):
            for body in bodies():
                with self.subTest(body=body.name, theta=theta):
                    ends = []
                    for steps in (64, 128, 256) if theta == 0.5 else (256, 512, 1024):
                        sim = simulation(body, Theta(theta), 0.2 / steps)
                        for _ in range(steps):
                            sim.advance()
                        ends.append(np.concatenate(state_of(sim)))
                    seen = np.log2(np.linalg.norm(ends[0] - ends[1]) / np.linalg.norm(ends[1] - ends[2]))
                    self.assertLess(abs(seen - order), 0.15)

    def test_the_accounts_of_a_bouncing_body_close_to_round_off(self):
        for body in (laws.linear_system(), laws.top()):
            for theta in (0.5, 0.8):
                with self.subTest(body=body.name, theta=theta):
                    sim = simulation(body, Theta(theta), 2e-3, height=0.01, restitution=0.6)
                    impacts = 0
                    for _ in range(300):
                        report = sim.advance()
                        impacts += report.contacts
                        self.assertLessEqual(abs(report.unexplained), 1e-12 * energy_scale(sim))
                    self.assertGreaterEqual(impacts, 1)

    def test_an_impulse_that_does_more_than_it_says_is_found_in_the_account_unexplained(self):
        class Spoiled(Theta):
            def finish(self, body, x, end):
                super().finish(body, x, end)
                end.v += 1e-6 * x.A.solve(x.r)

        body = laws.linear_system()
        sim = simulation(body, Spoiled(), 1e-3, height=0.0, restitution=0.6)
        report = sim.advance()
        work = 1e-6 * report.impulse * abs(body.rate(body.q, body.v))
        self.assertGreaterEqual(abs(report.unexplained), 0.02 * work)
        self.assertLessEqual(abs(report.unexplained), 3.0 * work)


class Faults(unittest.TestCase):
    """One clear message for each fault, and a simulation that is what it was."""

    def broken(self, **methods):
        return type("Broken", (Theta,), methods)()

    def expect(self, error, text, **methods):
        """After ten good steps the methods take over: the error says `text` and the state stays."""
        scheme = type("Broken", (Theta,), {})()
        sim = simulation(laws.particles(), scheme, 2e-3, height=0.0)
        for _ in range(3):
            sim.advance()
        before = sim.state
        state = {"on": True}

        def wrap(name, method):
            good = getattr(Theta, name)
            return lambda self, *args: (method if state["on"] else good)(self, *args)

        for name, method in methods.items():
            setattr(type(scheme), name, wrap(name, method))
        with self.assertRaisesRegex(error, text):
            sim.advance()
        self.assertTrue(sim.state == before or self.same_but_solvers(sim.state, before))
        state["on"] = False
        sim.advance()
        self.assertEqual(sim.state.step, before.step + 1)

    @staticmethod
    def same_but_solvers(a, b):  # their warm start is dropped, as after every step that failed
        return (a.t, a.step, a.h) == (b.t, b.step, b.h) and np.array_equal(a.ledger, b.ledger) and all(
            np.array_equal(x, y) for x, y in zip(a._groups[0][:2], b._groups[0][:2]))

    def test_a_missing_method_is_named_with_its_class_when_the_model_is_built(self):
        class Half(saltus.Scheme):
            def begin(self, body, x):
                pass

        with self.assertRaisesRegex(
                saltus.UsageError, r"class Half is not complete: it has no linearise\(body, x\), correct\(body, x\), "
                r"one_pass\(body\), finish\(body, x, end\), gain\(\), work\(body, x, end, work\)"):
            simulation(laws.linear_system(), Half(), 1e-3)

    def test_a_scheme_that_raises_in_the_middle_of_a_step_leaves_the_simulation_as_it_was(self):
        class Mine(Exception):
            pass

        def fault(self, *args):
            raise Mine("no more")

        for name in ("begin", "linearise", "correct", "finish", "work"):
            with self.subTest(name):
                self.expect(Mine, "no more", **{name: fault})

    def test_the_exception_says_in_which_method_the_engine_called(self):
        scheme = self.broken()
        sim = simulation(laws.linear_system(), scheme, 1e-3)

        def fault(self, body, x, end):
            return 1 / 0

        type(scheme).finish = fault
        with self.assertRaises(ZeroDivisionError) as caught:
            sim.advance()
        if hasattr(caught.exception, "__notes__"):  # from Python 3.11 on
            self.assertIn("in Broken.finish, which the engine called", caught.exception.__notes__)

    def test_outputs_of_another_shape_are_named(self):
        def wrong(self, body, x):
            x.v_free = np.zeros(7)

        self.expect(saltus.UsageError, r"x.v_free has shape \(7,\), shape \(6,\) is expected", linearise=wrong)

        def none(self, body, x):
            Theta.correct(self, body, x)

        self.expect(saltus.UsageError, r"Broken.correct returned has no value \(None\)", correct=none)

    def test_a_velocity_that_is_not_written_is_found(self):
        class Forgetful(Theta):
            def velocity(self, body, prepared, t, h, state, v):
                v = state.v  # noqa: F841

        sim = simulation(laws.linear_system(), Forgetful(), 1e-3)
        with self.assertRaisesRegex(saltus.UsageError, r"Forgetful.velocity left v\[0\] unwritten"):
            sim._velocity(0)

    def test_energy_of_the_step_that_is_not_given_is_found(self):
        self.expect(saltus.UsageError, "Broken.work left work.energy unwritten",
                    work=lambda self, body, x, end, work: None)

    def test_a_vector_that_a_scheme_keeps_is_an_error_and_never_points_at_lost_memory(self):
        kept = []

        def greedy(self, body, x):
            Theta.linearise(self, body, x)
            kept.append(x.v)

        self.expect(saltus.UsageError, "Broken.linearise kept a vector of its trial or state", linearise=greedy)
        before = kept[0].copy()
        gc.collect()
        simulation(laws.particles(), Theta(), 1e-3).advance()
        self.assertTrue(np.array_equal(kept[0], before))
        self.assertTrue(kept[0].flags.writeable)
        kept[0][:] = 0.0

    def test_what_was_lent_for_a_call_says_so_afterwards(self):
        kept = {}

        class Keeper(Theta):
            def begin(self, body, x):
                super().begin(body, x)
                kept.update(body=body, x=x, start=x.start, A=x.A)

        sim = simulation(laws.linear_system(), Keeper(), 1e-3)
        sim.advance()
        for use, text in ((lambda: kept["x"].q, "a trial was lent for one step"),
                          (lambda: kept["body"].positions(), "a body was lent for one call"),
                          (lambda: kept["start"].q, "a state was lent for one call"),
                          (lambda: kept["A"].solve(np.zeros(3)), "a factor was lent for one call")):
            with self.assertRaisesRegex(saltus.UsageError, text):
                use()

    def test_the_start_of_a_step_is_never_modified(self):
        def wrong(self, body, x):
            x.start.v = x.v

        self.expect(saltus.UsageError, "this state is never modified", linearise=wrong)

        def sly(self, body, x):
            x.start.v[0] = 1.0

        self.expect(ValueError, "read-only", linearise=sly)

    def test_a_trial_serves_one_scheme_of_the_engine(self):
        one, two = saltus.scheme("newmark"), saltus.scheme("moreau-jean")

        class Mixed(Through):
            def correct(self, body, x):
                return two.correct(body, x)

        with self.assertRaisesRegex(saltus.UsageError, "the vectors of x.work belong to another scheme"):
            sim = simulation(laws.particles(), Mixed(one), 1e-3, height=0.0)
            sim.advance()

    def test_a_scheme_of_the_engine_that_was_not_prepared_says_so(self):
        class Unprepared(Through):
            def prepare(self, body, h):
                return None

        with self.assertRaisesRegex(saltus.UsageError, "was not prepared: return the result of its prepare"):
            simulation(laws.particles(), Unprepared(saltus.scheme("generalized-alpha")), 1e-3)

    def test_an_exception_in_a_thread_leaves_by_that_thread(self):
        scheme = self.broken()
        sim = simulation(laws.linear_system(), scheme, 1e-3)
        type(scheme).finish = lambda self, *args: [][0]
        caught = []

        def run():
            try:
                sim.advance()
            except IndexError as error:
                caught.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        self.assertEqual(len(caught), 1)


class Lifetime(unittest.TestCase):
    """What the engine uses lives, and nothing longer."""

    def test_a_scheme_lives_as_long_as_its_model_and_no_longer(self):
        made = model(laws.linear_system(), Theta(0.5), 1e-3)
        gc.collect()
        sim = saltus.Simulation(made)
        scheme = made._groups[0].scheme
        self.assertIsInstance(scheme, Theta)
        self.assertEqual(scheme.theta, 0.5)
        alive = weakref.ref(scheme)
        del made, scheme
        gc.collect()
        sim.advance()
        self.assertIsNotNone(alive())
        del sim
        gc.collect()
        self.assertIsNone(alive())

    def test_a_thousand_simulations_leave_no_memory_behind(self):
        body = laws.linear_system()

        def some(n):
            for _ in range(n):
                sim = simulation(body, Theta(), 1e-3, height=0.0)
                sim.advance()
                sim.advance()

        def held():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize() / 2**20

        some(200)
        gc.collect()
        before = held()
        objects = len(gc.get_objects())
        some(1000)
        gc.collect()
        self.assertLess(held() - before, 2.0)  # MiB
        self.assertLess(len(gc.get_objects()) - objects, 200)

    def test_simulations_with_schemes_in_python_run_in_several_threads_with_the_same_bits(self):
        scheme, body = Theta(), laws.particles()
        ends = [None] * 4

        def run(i):
            sim = simulation(body if i < 0 else laws.particles(), scheme, 2e-3, height=0.01)
            for _ in range(100):
                sim.advance()
            ends[i] = state_of(sim)

        threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for end in ends[1:]:
            self.assertTrue(np.array_equal(end[0], ends[0][0]) and np.array_equal(end[1], ends[0][1]))

    def test_another_scheme_takes_the_place_of_one_in_a_model(self):
        body = laws.linear_system()
        made = model(body, saltus.scheme("newmark"), 1e-3, height=0.0)
        other = saltus.with_scheme(made, "body", Theta())
        self.assertIsInstance(other._groups[0].scheme, Theta)
        self.assertEqual(made._groups[0].scheme_name, "newmark")
        right, sim = simulation(body, Theta(), 1e-3, height=0.0), saltus.Simulation(other)
        for _ in range(20):
            right.advance()
            sim.advance()
        self.assertTrue(right.state == sim.state)


if __name__ == "__main__":
    unittest.main()
