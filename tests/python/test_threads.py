"""Python's other threads while C++ steps: they go on, simulations step together, none is disturbed."""
import _thread
import os
import signal
import subprocess
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
        during = 0
        try:
            for _ in range(20):  # a busy machine may have no core for it during one of them
                during = max(during, counted_during(sim.advance)[0])
                if during > 1000:
                    break
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

    def test_simulations_of_one_model_go_on_side_by_side_with_the_same_bits(self):
        for example in ("soft_cube", "cantilever", "fishing_rod", "gripper"):
            with self.subTest(example):
                model = saltus.Scene.read(ROOT / f"examples/{example}.yaml").build()
                expected = saltus.Simulation(model)
                expected.run(steps=100)
                sims = [saltus.Simulation(model), saltus.Simulation(model.with_ledger(True)),
                        saltus.Simulation(model, threads=1), saltus.Simulation(model, threads=3)]
                begin = threading.Barrier(len(sims))

                def run(sim):
                    begin.wait()
                    sim.run(steps=100)

                threads = [threading.Thread(target=run, args=(sim,)) for sim in sims]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                for sim in sims:
                    self.assertEqual(sim.state, expected.state)

    def test_a_simulation_has_one_thread_or_more(self):
        for threads in (0, -1):
            with self.assertRaisesRegex(saltus.UsageError, r"threads is .* \(a whole number from 1 to 1024\)"):
                saltus.Simulation(ARCH, threads=threads)

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

    def test_ctrl_c_drops_the_step_in_work_and_leaves_the_last_whole_one(self):
        brick = {"kind": "rigid", "rigid": {"shape": {"box": {"size": [0.25, 0.12, 0.1]}}, "density": 2000}}
        bodies = [{"name": "floor", "kind": "rigid", "rigid": {"shape": {"plane": {}}, "fixed": True}}]
        for name, place in (("a", [0.125, 0, 0.05]), ("b", [0.25, 0, 0.15])):
            copies = {"count": [60, 1, 5], "spacing": [0.25, 0, 0.2]}
            bodies.append({"name": name, **brick, "rigid": {**brick["rigid"], "position": place, "copies": copies}})
        sim = saltus.Simulation({
            "saltus": 1, "time": {"end": "1 s", "step": "5 ms"}, "gravity": [0, 0, -9.81], "bodies": bodies,
            "solver": {"kind": "body-gauss-seidel", "tolerance": 1e-15, "iterations": 2500},
            "on_failure": "accept", "surfaces": [{"law": {"kind": "newton-impact", "friction": 0.6}}]})
        start, step = sim.state, sim.advance
        for work in (step, lambda: sim.run(steps=3)):  # a second or more each step
            timer = threading.Timer(0.3, _thread.interrupt_main, (signal.SIGINT,))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                work()
            timer.join()
            self.assertEqual(sim.step, 0)
            self.assertEqual(sim.state, start)
        sim.advance()
        alone = saltus.Simulation(sim.model)
        alone.advance()
        self.assertEqual(alone.state, sim.state)

    def test_a_run_to_a_time_that_is_past_or_beyond_counting_is_refused(self):
        sim = saltus.Simulation(ROOT / "examples/bouncing_ball.yaml")
        for until in (2e16, 1e300, -1.0):
            with self.assertRaisesRegex(saltus.UsageError, "`until` is"):
                sim.run(until=until)
        sim.run(until=0.1)
        with self.assertRaisesRegex(saltus.UsageError, "is already at 0.1 s"):
            sim.run(until=0.05)
        step = sim.step
        sim.run(until=sim.t)
        self.assertEqual(sim.step, step)

    def test_a_refusal_reads_as_a_sentence_and_knows_its_place(self):
        sim = saltus.Simulation(ROOT / "examples/bouncing_ball.yaml")
        with self.assertRaises(saltus.UsageError) as caught:
            sim.advance(-1.0)
        self.assertEqual(str(caught.exception), "the step must be positive and finite")
        self.assertRegex(caught.exception.place, r"step_driver\.cpp:\d+$")
        for group in (-1, 99):
            for ask in (sim._frames, sim._velocity, sim._reactions, lambda g: sim._view(g, False)):
                with self.assertRaisesRegex(saltus.UsageError, f"there is no group {group} of 1"):
                    ask(group)


ENDINGS = {
    "a run": "saltus.Simulation(ball).run(steps=10**12)",
    "steps": "sim = saltus.Simulation(ball)\nwhile True: sim.advance()",
    "a body in Python": "saltus.Simulation(model()).run(steps=10**12)",
    "steps of a body in Python": "sim = saltus.Simulation(model())\nwhile True: sim.advance()",
    "a watched run": "saltus.Simulation(ball).run(steps=10**12, watch=lambda sim: False)",
}
ENDING = """
import sys, threading, time, saltus
ball = sys.argv[1]
class Mass(saltus.Dynamics):
    def positions(self): return 1
    def mass(self, q): return 1.0
    def stiffness(self, t, q, v): return 1.0
    def force(self, t, q, v, f): f[0] = -q[0]
def model():
    parts = saltus.ModelParts()
    parts.options(h=1e-4, end=1.0)
    parts.add_group("mass", Mass(), saltus.scheme("moreau-jean"), q=[1.0])
    return parts.build()
threading.Thread(target=exec, args=(sys.argv[2], globals()), daemon=True).start()
time.sleep(0.15)
"""


class Endings(unittest.TestCase):
    def test_python_ends_in_peace_while_a_daemon_thread_steps(self):
        for what, code in ENDINGS.items():
            with self.subTest(what):
                done = subprocess.run([sys.executable, "-c", ENDING, str(ROOT / "examples/bouncing_ball.yaml"), code],
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
