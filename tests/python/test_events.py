"""Event-driven integration in Python: events of a step and of a file, counts of a step, states that go on."""
import copy
import os
import pickle
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit(77)

import saltus

ROOT = Path(os.environ.get("SALTUS_ROOT", Path(__file__).resolve().parents[2]))
BALL = ROOT / "examples/bouncing_ball_events.yaml"
E, G = 0.8, 9.81


def impacts(n):
    """Times of the first n impacts of the ball."""
    t = np.sqrt(2.0 / G) * (1.0 + 2.0 * np.cumsum(E ** np.arange(1, n)))
    return np.concatenate([[np.sqrt(2.0 / G)], t])


class Simulations(unittest.TestCase):
    def test_events_of_each_step_are_where_algebra_has_them(self):
        sim = saltus.Simulation(BALL)
        times, kinds, counted = [], [], 0
        self.assertEqual(len(sim.events), 0)
        while sim.t < 3.0:
            report = sim.advance()
            self.assertTrue(report.good)
            self.assertEqual(report.events, len(sim.events))
            self.assertGreaterEqual(report.evaluations, 0)
            counted += report.events
            for event in sim.events:
                times.append(event.t)
                kinds.append(str(event.kind))
                self.assertLess(event.speed, 0.0)
                self.assertAlmostEqual(event.impulse[0], -(1 + E) * event.speed, delta=1e-11)
                self.assertLess(event.energy, 0.0)
        self.assertEqual(counted, len(times))
        self.assertEqual(set(kinds), {"impact"})
        self.assertLess(np.abs(np.array(times) - impacts(len(times))).max(), 1e-12)

    def test_the_other_lane_has_none(self):
        sim = saltus.Simulation(ROOT / "examples/bouncing_ball.yaml")
        sim.run(steps=600)
        self.assertEqual(len(sim.events), 0)
        self.assertEqual(sim.advance().steps, 1)

    def test_a_state_goes_on_through_a_pickle_in_the_same_bits(self):
        sim = saltus.Simulation(BALL)
        sim.run(steps=47)
        state = sim.state
        self.assertEqual(state, copy.deepcopy(state))
        again = saltus.Simulation(sim.model, pickle.loads(pickle.dumps(state)))
        self.assertEqual(again.state, state)
        for _ in range(60):
            sim.advance()
            again.advance()
            self.assertTrue(np.array_equal(sim.events.t, again.events.t))
        self.assertEqual(sim.state, again.state)

    def test_kinds_that_are_not_there_are_told(self):
        with self.assertRaisesRegex(saltus.UsageError, "impact"):
            saltus.Simulation(BALL).events.of("bounce")


class Files(unittest.TestCase):
    def test_a_file_holds_every_event_of_its_run(self):
        with tempfile.TemporaryDirectory() as folder:
            r = saltus.run(BALL, output=os.path.join(folder, "ball.h5"))
            hits, rest = r.events.of("impact"), r.events.of("rest")
            self.assertEqual(len(hits) + len(rest), len(r.events))
            self.assertLess(np.abs(hits.t - impacts(len(hits))).max(), 1e-12)
            self.assertEqual(len(rest), 1)
            self.assertAlmostEqual(rest.t[0], np.sqrt(2.0 / G) * (1 + E) / (1 - E), delta=1e-9)
            self.assertEqual(r.steps["events"].sum(), len(r.events))
            self.assertEqual(r.summary["events"]["impact"], len(hits))
            self.assertIn("1 rest", r.info())
            self.assertTrue(r.compare(r).equal)

    def test_a_file_of_the_other_lane_holds_none(self):
        with tempfile.TemporaryDirectory() as folder:
            r = saltus.run(ROOT / "examples/bouncing_ball.yaml", set={"time.end": "0.1 s"},
                           output=os.path.join(folder, "ball.h5"))
            self.assertEqual(len(r.events), 0)
            self.assertNotIn("rejected", r.steps)


class Refused(unittest.TestCase):
    def test_a_law_that_the_lane_does_not_know(self):
        with self.assertRaisesRegex(saltus.SceneError, "signorini-position"):
            saltus.Simulation(saltus.Scene.read(BALL, set={"contacts[0].law": "signorini-position"}))


if __name__ == "__main__":
    unittest.main()
