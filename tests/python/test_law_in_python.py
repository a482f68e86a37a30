"""Contact laws written in Python, against those of the engine and against what they must not do."""
import sys
import threading
import unittest

try:
    import numpy as np
except ImportError:
    sys.exit(77)

import saltus

K, P, LAMBDA = 1e10, 1.5, 3e9


class HuntCrossley(saltus.ContactLaw):
    """N = d^p (k + lambda d'), d = -gap."""

    def force(self, gap, rate):
        return (-gap) ** P * (K - LAMBDA * rate)

    def stored_energy(self, gap):
        return K * (-gap) ** (P + 1) / (P + 1)


BALLS = """saltus: 1
time: {end: 0.1 ms, step: 0.5 us, mode: %s, tolerance: %s}
bodies:
  - {name: a, kind: rigid, scheme: {kind: moreau-jean, newton_tolerance: 1e-14}, rigid: {shape: {sphere: {radius: 0.01}}, mass: 0.03, position: [0, 0, 0], velocity: [0.3, 0, 0.4]}}
  - {name: b, kind: rigid, scheme: {kind: moreau-jean, newton_tolerance: 1e-14}, rigid: {shape: {sphere: {radius: 0.01}}, mass: 0.03, position: [0.012006, 0, 0.016008], velocity: [-0.3, 0, -0.4]}}
solver: {tolerance: 1e-14}
surfaces:
  - {law: {kind: hunt-crossley, stiffness: 1e10, damping: 3e9}}
"""


def text(mode):
    return BALLS % (mode, "1e-12") if mode == "events" else BALLS.replace(", tolerance: %s", "") % mode


def model(law, mode="stepping"):
    parts = saltus.ModelParts.of(saltus.Scene.parse(text(mode)))
    if law is not None:
        parts.surface_law(parts.add_law(law))
    return parts.build()


def run(law, mode="stepping", threads=None, steps=200):
    sim = saltus.Simulation(model(law, mode)) if threads is None else saltus.Simulation(model(law, mode), threads=threads)
    for _ in range(steps):
        sim.advance()
    return sim


class LawInPython(unittest.TestCase):
    def test_equals_the_law_of_the_engine(self):
        for mode in ("stepping", "events"):
            with self.subTest(mode=mode):
                own, engine = run(HuntCrossley(), mode), run(None, mode)
                self.assertLess(np.abs(own.groups["a"].v - engine.groups["a"].v).max(), 1e-12)
                self.assertLess(np.abs(own.groups["a"].q - engine.groups["a"].q).max(), 1e-12)
                self.assertLess(own.energy.total, 0.95 * 0.0075)
                self.assertLess(abs(own.energy.total - engine.energy.total), 1e-13)

    def test_a_felt_that_lets_go_equals_that_of_the_engine_by_events(self):
        class Felt(saltus.ContactLaw):
            def force(self, gap, rate):
                return (-gap) ** 0.5 * (-1e9 * gap - 6e3 * rate)

            def stored_energy(self, gap):
                return 1e9 * (-gap) ** 2.5 / 2.5

        felt = "{kind: felt, stiffness: 1e9, exponent: 1.5, damping: 4e3}"
        scene = text("events").replace("{kind: hunt-crossley, stiffness: 1e10, damping: 3e9}", felt)
        found = []
        for own in (False, True):
            parts = saltus.ModelParts.of(saltus.Scene.parse(scene))
            if own:
                parts.surface_law(parts.add_law(Felt()))
            sim = saltus.Simulation(parts.build())
            for _ in range(600):
                sim.advance()
            found.append(sim)
        self.assertLess(np.abs(found[0].groups["a"].v - found[1].groups["a"].v).max(), 1e-12)
        self.assertLess(found[0].energy.total, 0.8 * 0.0075)
        self.assertAlmostEqual(found[1].ledger["impact"], found[0].ledger["impact"], delta=1e-12)

    def test_threads_give_the_same_bits(self):
        one, two = run(HuntCrossley(), threads=1), run(HuntCrossley(), threads=2)
        self.assertTrue((one.groups["a"].v == two.groups["a"].v).all())
        made = {}

        def work(k):
            made[k] = run(HuntCrossley()).groups["a"].v.copy()

        threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for v in made.values():
            self.assertTrue((v == one.groups["a"].v).all())

    def test_a_law_that_stores_nothing_loses_all_its_work(self):
        class Push(saltus.ContactLaw):
            name = "push"

            def force(self, gap, rate):
                return 1e3 * max(-rate, 0.0)

        sim = run(Push())
        self.assertEqual(sim.energy.potential, 0.0)
        self.assertLess(sim.energy.total, 0.0075)

    def test_faults_have_one_line(self):
        def law(force=None, energy=None, **attributes):
            methods = dict(attributes)
            if force is not None:
                methods["force"] = force
            if energy is not None:
                methods["stored_energy"] = energy
            return type("Mine", (saltus.ContactLaw,), methods)()

        good = lambda self, gap, rate: -1e9 * gap
        for made, error, words in [
            (law(lambda self, gap, rate: float("nan")), saltus.UsageError, "Mine.force(gap="),
            (law(lambda self, gap, rate: "much"), TypeError, "gave 'much', a number is expected"),
            (law(lambda self, gap, rate: None), TypeError, "gave None, a number is expected"),
            (law(lambda self, gap, rate: 1 / 0), ZeroDivisionError, "division"),
            (law(lambda self, gap: 0.0), TypeError, "positional argument"),
            (law(good, lambda self, gap: float("inf")), saltus.UsageError, "gave inf, a finite number is expected"),
            (law(good, lambda self, gap: -1.0), saltus.UsageError, "an energy must be >= 0"),
        ]:
            with self.subTest(words=words):
                with self.assertRaises(error) as caught:
                    run(made)
                self.assertIn(words, str(caught.exception).split("\n")[0])
        for made, words in [(law(), "must have the method force"), (law(good, name=3), "a str is expected"),
                            (law(good, name=""), "is empty")]:
            with self.subTest(words=words), self.assertRaises(saltus.UsageError) as caught:
                model(made)
            self.assertIn(words, str(caught.exception))
        with self.assertRaises(saltus.UsageError):
            saltus.ModelParts().add_law(HuntCrossley(), stiffness=1.0)

    def test_a_simulation_goes_on_from_before_the_step_that_raised(self):
        class Once(HuntCrossley):
            fails = False

            def force(self, gap, rate):
                if Once.fails:
                    raise RuntimeError("not now")
                return super().force(gap, rate)

        sim = run(Once(), steps=40)
        Once.fails = True
        with self.assertRaises(RuntimeError):
            sim.advance()
        Once.fails = False
        for _ in range(160):
            sim.advance()
        self.assertTrue((sim.groups["a"].v == run(HuntCrossley()).groups["a"].v).all())


if __name__ == "__main__":
    unittest.main()
