"""Simulations give back what they took: the memory of the process stays flat over ten thousand of them."""
import gc
import os
import sys
import unittest
import weakref

try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit(77)

import saltus

SCENE = """
saltus: 1
time: {end: 1 s, step: 1 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: ground, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - name: ball
    kind: rigid
    rigid: {shape: {sphere: {radius: 0.1}}, density: 1000, position: [0, 0, 0.1]}
surfaces:
  - {law: {kind: newton-impact, friction: 0.4}}
outputs:
  - {name: height, probe: ball, at: [0, 0, 0], quantity: displacement, direction: [0, 0, 1]}
"""


models = []


def resident():
    """Bytes of memory in use."""
    with open("/proc/self/statm") as stat:
        return int(stat.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def live(number):
    """Scene, model, simulation, steps, views, contacts, states; all dropped, the model after four simulations."""
    if number % 4 == 0:
        models[:] = [saltus.Scene.parse(SCENE).build()]
    sim = saltus.Simulation(models[0])
    q = sim.groups["ball"].q
    sim.advance()
    sim.run(steps=2)
    seen = [sim.contacts(), sim.state, sim.bodies["ball"].position, sim.probes(), sim.ledger, sim.energy]
    if number % 10 == 0:
        again = saltus.Simulation(sim.model, sim.state)
        again.advance(2e-3)
        seen += [again, again.state == sim.state, repr(again), sim.model.laws]
    if number % 50 == 0:
        try:
            sim.run(until=float("nan"))
        except saltus.UsageError as error:
            seen.append(error)
        try:
            saltus.Scene.parse("saltus: 2")
        except saltus.SceneError as error:
            seen.append(error)
        sim.observe(lambda contact, sim=sim: None)  # a cycle, for the collector
    return len(q) + len(seen)


@unittest.skipUnless(os.path.exists("/proc/self/statm"), "the size of a process is not told here")
class Memory(unittest.TestCase):
    def test_ten_thousand_simulations_leave_nothing_behind(self):
        sizes = []
        for number in range(10_000):
            live(number)
            if number % 1000 == 999:  # what hangs on itself waits for the collector
                gc.collect()
                sizes.append(resident())
        self.assertLess(max(sizes) - sizes[0], 2 * 2**20, sizes)

    def test_a_simulation_that_is_watched_by_what_holds_it_is_collected(self):
        class Watcher:
            def __call__(self, contact):
                pass

        sim, watcher = saltus.Simulation(saltus.Scene.parse(SCENE)), Watcher()
        watcher.sim = sim
        sim.observe(watcher)
        gone = weakref.ref(watcher)
        del sim, watcher
        gc.collect()
        self.assertIsNone(gone())


if __name__ == "__main__":
    unittest.main()
