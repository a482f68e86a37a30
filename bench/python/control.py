"""Cost of control from Python: a PD loop over twelve joints, and batches of arms on one and two threads.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python/control.py
"""
import statistics
import time

import numpy as np
import saltus


def leg(k, name, x, y):
    """Three links on hinges below a trunk: hip across, hip and knee along."""
    bodies = [{"name": f"{name}{i}", "kind": "rigid", "rigid": {
        "mass": 0.8, "inertia": [4e-3, 4e-3, 1e-3], "position": [x, y, -0.05 - 0.2 * i]}} for i in range(3)]
    above = ["trunk", f"{name}0", f"{name}1"]
    joints = [{"name": f"{name}{i}_joint", "kind": "revolute", "between": [above[i], f"{name}{i}"],
               "at": [x, y, 0.05 - 0.2 * i if i else 0.0], "axis": [1, 0, 0] if i == 0 else [0, 1, 0],
               "turn": {"torque": 0}} for i in range(3)]
    return bodies, joints


def quadruped():
    bodies = [{"name": "trunk", "kind": "rigid", "rigid": {"mass": 10, "inertia": [0.1, 0.3, 0.3], "position": [0, 0, 0.05]}}]
    joints = []
    for k, (x, y) in enumerate(((0.3, 0.15), (0.3, -0.15), (-0.3, 0.15), (-0.3, -0.15))):
        more, of = leg(k, "abcd"[k], x, y)
        bodies += more
        joints += of
    return {"saltus": 1, "time": {"end": 1, "step": 1e-3}, "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints}


def arm():
    bodies, joints = [], []
    for k in range(6):
        bodies.append({"name": f"link{k}", "kind": "rigid", "rigid": {
            "mass": 1, "inertia": [0.01, 0.01, 0.002], "position": [0, 0, -0.15 - 0.3 * k]}})
        joints.append({"name": f"joint{k}", "kind": "revolute", "between": ["world" if k == 0 else f"link{k - 1}", f"link{k}"],
                       "at": [0, 0, -0.3 * k], "axis": [0, 1, 0], "turn": {"torque": 0}})
    return {"saltus": 1, "time": {"end": 1, "step": 1e-3}, "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints}


def loop_cost(steps=2000, rounds=7):
    """Medians: cost of the loop per step, beside a run that computes the same torques itself; cost of the calls alone; step."""
    target = 0.2 * np.ones(12)

    def control(sim):
        value, rate = sim.coordinates()
        sim.set_all(effort=5.0 * (target - value) - 0.2 * rate)

    entries = quadruped()
    for joint in entries["joints"]:
        joint["turn"] = {"servo": {"target": 0.2, "stiffness": 5.0, "damping": 0.2, "hold": "step"}}
    costs, calls, own = [], [], []
    for _ in range(rounds):
        loop, held = saltus.Simulation(quadruped()), saltus.Simulation(entries)
        times = []
        for sim, options in ((loop, {"before": control}), (held, {})):
            start = time.perf_counter()
            sim.run(steps=steps, progress=False, **options)
            times.append(1e6 * (time.perf_counter() - start) / steps)
        costs.append(times[0] - times[1])
        own.append(times[1])
        start = time.perf_counter()
        for _ in range(steps):
            control(loop)
        calls.append(1e6 * (time.perf_counter() - start) / steps)
        difference = np.abs(loop.coordinates().value - held.coordinates().value).max()
    return statistics.median(costs), statistics.median(calls), statistics.median(own), difference


def batch_cost(count=256, steps=50, rounds=7):
    times = {1: [], 2: []}
    model = saltus.Simulation(arm()).model
    for _ in range(rounds):
        for threads in times:
            batch = saltus.Batch(model, count, threads=threads)
            batch.set_all(effort=np.linspace(-1, 1, count)[:, None] * np.ones(6))
            batch.advance(5)
            start = time.perf_counter()
            batch.advance(steps)
            times[threads].append(time.perf_counter() - start)
    one, two = (statistics.median(times[k]) for k in (1, 2))
    return one, two, statistics.median(a / b for a, b in zip(times[1], times[2]))


if __name__ == "__main__":
    overhead, calls, own, difference = loop_cost()
    print(f"PD loop over 12 joints: {overhead:.2f} us a step beside a step of {own:.1f} us with the same torques; its calls take "
          f"{calls:.2f} us; differs from `hold: step` by {difference:.1e} rad")
    one, two, ratio = batch_cost()
    print(f"batch of 256 arms, 50 steps: {1e3 * one:.1f} ms on one thread, {1e3 * two:.1f} ms on two: {ratio:.2f} x")
