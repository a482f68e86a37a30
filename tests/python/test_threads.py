"""Python's other threads while C++ steps: they go on, simulations step together, none is disturbed."""
import _thread
import os
import signal
import sys
import threading
import time
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit(77)

import saltus

ROOT = Path(os.environ.get("SALTUS_ROOT", Path(__file__).resolve().parents[2]))
PILE = saltus.Scene.read(ROOT / "examples/sphere_pile.yaml")
ARCH = saltus.Scene.read(ROOT / "examples/arch.yaml")


def counted_during(work):
    """How often another thread of Python counted while `work` went on, and how often alone in the same time."""
    count, stop = [0], threading.Event()

    def counting():
        while not stop.is_set():
            count[0] += 1

    thread = threading.Thread(target=counting)
    thread.start()
    start, first = time.perf_counter(), count[0]
    work()
    during, length = count[0] - first, time.perf_counter() - start
    first = count[0]
    time.sleep(length)
    alone = count[0] - first
    stop.set()
    thread.join()
    return during, alone


class Threads(unittest.TestCase):
    def test_another_thread_counts_on_during_a_run(self):
        sim = saltus.Simulation(PILE)
        during, alone = counted_during(lambda: sim.run(steps=60))
        self.assertEqual(sim.step, 60)
        self.assertGreater(during, alone / 20)  # with the GIL held it would be next to nothing

    def test_another_thread_counts_on_during_one_long_step(self):
        sim = saltus.Simulation(ROOT / "examples/wall.yaml")
        sim.run(steps=2)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(0.2)  # longer than a step: who does not give the GIL up keeps it to the end
        try:
            during, _ = counted_during(sim.advance)
        finally:
            sys.setswitchinterval(interval)
        self.assertGreater(during, 1000)

    def test_simulations_in_threads_give_the_bits_of_one_after_the_other(self):
        def run(scene, steps, out, k):
            sim = saltus.Simulation(scene)
            sim.run(steps=steps)
            out[k] = sim.state

        alone, together = {}, {}
        jobs = [(PILE, 60), (ARCH, 25), (PILE, 60)]
        for k, (scene, steps) in enumerate(jobs):
            run(scene, steps, alone, k)
        threads = [threading.Thread(target=run, args=(scene, steps, together, k))
                   for k, (scene, steps) in enumerate(jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(alone, together)

    def test_simulations_of_one_model_take_turns_and_give_the_same_bits(self):
        model = saltus.Scene.read(ROOT / "examples/soft_cube.yaml").build()  # its body shares work space
        expected = saltus.Simulation(model)
        expected.run(steps=300)
        sims = [saltus.Simulation(model), saltus.Simulation(model.with_ledger(True)), saltus.Simulation(model)]
        threads = [threading.Thread(target=sim.run, kwargs={"steps": 300}) for sim in sims]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for sim in sims:
            self.assertEqual(sim.state, expected.state)

    def test_a_simulation_may_be_asked_while_it_runs_in_another_thread(self):
        sim = saltus.Simulation(PILE)
        q = sim.groups[0].q
        thread = threading.Thread(target=sim.run, kwargs={"steps": 60})
        thread.start()
        times = []
        while thread.is_alive():
            times.append(sim.t)
            self.assertEqual(len(sim.groups[0].velocity()), 6144)
            self.assertTrue(np.isfinite(sim.probes()["a ball from the top"]))
            self.assertTrue(np.isfinite(sim.state.energy.total))
            self.assertEqual(len(q), 7168)
            sim.contacts()
        thread.join()
        self.assertEqual(times, sorted(times))
        self.assertGreater(len(set(times)), 3)  # questions were answered on the way
        alone = saltus.Simulation(PILE)
        alone.run(steps=60)
        self.assertEqual(sim.state, alone.state)

    def test_two_threads_may_step_one_simulation(self):
        sim = saltus.Simulation(ARCH)
        threads = [threading.Thread(target=sim.run, kwargs={"steps": 10}) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        alone = saltus.Simulation(ARCH)
        alone.run(steps=20)
        self.assertEqual(sim.state, alone.state)

    def test_ctrl_c_ends_a_run_between_two_steps(self):
        sim = saltus.Simulation(ROOT / "examples/bouncing_ball.yaml")
        timer = threading.Timer(0.3, _thread.interrupt_main, (signal.SIGINT,))
        timer.start()
        start = time.perf_counter()
        with self.assertRaises(KeyboardInterrupt):
            sim.run(steps=10**9)
        self.assertLess(time.perf_counter() - start, 30.0)
        timer.join()
        self.assertTrue(sim.advance().good)
        alone = saltus.Simulation(sim.model)
        alone.run(steps=min(sim.step, 2000))
        if sim.step <= 2000:
            self.assertEqual(alone.state, sim.state)


if __name__ == "__main__":
    unittest.main()
