"""Arrays over the state: no copy, always the present state, never a dangling one."""
import gc
import os
import sys
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit(77)

import saltus

ROOT = Path(os.environ.get("SALTUS_ROOT", Path(__file__).resolve().parents[2]))
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))


def address(array):
    return array.__array_interface__["data"][0]


def resident():
    """Bytes of memory in use."""
    with open("/proc/self/statm") as stat:
        return int(stat.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def views_of(sim):
    return [(group.q, group.v) for group in sim.groups.values()]


class Views(unittest.TestCase):
    def follows(self, sim, views):
        """The views are the state: the same place that C++ tells, the same numbers as a copy of it."""
        for k, ((q, v), held) in enumerate(zip(views, sim.state.groups)):
            self.assertEqual(q.tobytes(), held.q.tobytes())
            self.assertEqual(v.tobytes(), held.v.tobytes())
            if q.size:
                self.assertEqual((address(q), address(v)), sim._addresses(k))

    def test_views_of_every_example_follow_each_step_and_change_no_bit(self):
        for file in EXAMPLES:
            with self.subTest(file.stem):
                model = saltus.Scene.read(file).build()
                steps = 3 if file.stem in ("wall", "hertz") else 12
                sim, plain = saltus.Simulation(model), saltus.Simulation(model)
                for _ in range(2):  # not from the start: the vectors have changed places by then
                    sim.advance()
                views = views_of(sim)
                places = [(address(q), address(v)) for q, v in views if q.size]
                for _ in range(steps):
                    sim.advance()
                    self.follows(sim, views)
                self.assertEqual(places, [(address(q), address(v)) for q, v in views_of(sim) if q.size])
                plain.run(steps=steps + 2)
                self.assertEqual(plain.state, sim.state)

    def test_views_follow_steps_of_other_lengths(self):
        for name in ("bouncing_ball", "elastic_bar", "sphere_pile", "soft_cube", "double_pendulum"):
            with self.subTest(name):
                sim = saltus.Simulation(ROOT / f"examples/{name}.yaml")
                views = views_of(sim)
                for factor in (0.5, 0.5, 1.0, 0.25, 1.0, 1.0):
                    sim.advance(factor * sim.model.h)
                    self.follows(sim, views)

    def test_views_follow_a_step_that_fails_and_one_that_is_halved(self):
        scene = saltus.Scene.read(ROOT / "examples/arch.yaml",
                                  {"solver": {"kind": "gauss-seidel", "iterations": 1}})
        for policy in ("stop", "halve", "accept"):
            with self.subTest(policy):
                sim = saltus.Simulation(scene.with_({"on_failure": policy}))
                views = views_of(sim)
                before = sim.state
                report = sim.advance()
                self.assertFalse(report.good)
                self.follows(sim, views)
                self.assertEqual(sim.step, 1 if policy == "accept" else 0)
                if policy == "stop":
                    self.assertEqual([g.q.tobytes() for g in before.groups], [q.tobytes() for q, _ in views])

    def test_a_view_is_read_only(self):
        sim = saltus.Simulation(ROOT / "examples/bouncing_ball.yaml")
        with self.assertRaises(ValueError):
            sim.groups[0].q[0] = 1.0
        with self.assertRaises(ValueError):
            sim.bodies[0].v[:] = 1.0
        with self.assertRaises(ValueError):
            sim.state.groups[0].q[0] = 1.0

    def test_a_view_keeps_its_simulation_alive(self):
        sim = saltus.Simulation(ROOT / "examples/sphere_pile.yaml")
        sim.run(steps=3)
        part = sim.bodies["large.7"].position
        expected = part.copy()
        del sim
        gc.collect()
        rubbish = [np.full(7168, 7.0) for _ in range(200)]  # would take the memory of a state that is gone
        self.assertEqual(part.tobytes(), expected.tobytes())
        self.assertEqual(len(rubbish), 200)

    def test_asking_for_views_copies_nothing(self):
        sim = saltus.Simulation(ROOT / "examples/sphere_pile.yaml")
        size = sim.groups[0].q.nbytes
        before = resident()
        kept = [sim.groups[0].q for _ in range(2000)]
        self.assertGreater(size * len(kept), 100e6)
        self.assertLess(resident() - before, 5e6)
        self.assertEqual({address(q) for q in kept}, {sim._addresses(0)[0]})
        self.assertFalse(any(q.flags.owndata for q in kept))

    def test_bodies_are_parts_of_their_group(self):
        sim = saltus.Simulation(ROOT / "examples/sphere_pile.yaml")
        sim.run(steps=2)
        group = sim.groups[0]
        for number in (0, 17, 1023):
            body = group.bodies[number]
            self.assertEqual(address(body.q), address(group.q) + 7 * 8 * number)
            self.assertEqual(address(body.v), address(group.v) + 6 * 8 * number)
            self.assertEqual(body.position.tolist(), group.positions[number].tolist())
            w, *turn = body.rotation
            self.assertAlmostEqual(w * w + np.dot(turn, turn), 1.0)
            self.assertEqual(body.velocity.tolist(), group.velocity()[6 * number:6 * number + 3].tolist())
            self.assertIs(sim.bodies[body.name].group._simulation, sim)

    def test_a_simulation_gives_its_arrays_up_with_the_last_view(self):
        before = None
        for k in range(60):
            sim = saltus.Simulation(ROOT / "examples/sphere_pile.yaml")
            sim.advance()
            view = sim.groups[0].q
            del sim, view
            if k == 20:
                before = resident()
        self.assertLess(resident() - before, 8e6)


if __name__ == "__main__":
    unittest.main()
