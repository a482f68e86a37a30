#!/usr/bin/env python3
"""What stepping from Python costs: 1000 bodies, a loop over advance() against the same loop in C++.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python/overhead.py [PROGRAM] [--rounds N]

Three loops over the same steps from the same state: `for ...: sim.advance()`, the same with a view of all
positions that is held and read, and Simulation.run, whose loop is C++; with PROGRAM, that of overhead.cpp, a fourth
one without any Python. CPU time of the thread that steps, the loops in turn, medians over the rounds; the overhead
is the median of the ratios of the rounds.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import saltus


def copies(surface, falling):
    """1000 balls of 1 cm: on a plane, or falling freely."""
    bodies = [{"name": "ball", "kind": "rigid", "rigid": {
        "shape": {"sphere": {"radius": "10 mm"}}, "density": 2500, "position": [0, 0, "9.9 mm"],
        "copies": {"count": [10, 10, 10] if falling else [40, 25, 1],
                   "spacing": ["27 mm", "27 mm", "27 mm" if falling else "1 mm"]}}}]
    if not falling:
        plane = {"shape": {"plane": {}}, "fixed": True}
        bodies.insert(0, {"name": "ground", "kind": "rigid", "rigid": plane})
    scene = {"saltus": 1, "time": {"end": "1 s", "step": "1 ms"}, "gravity": [0, 0, -9.81],
             "on_failure": "accept", "contact": {"instant": "middle"}, "bodies": bodies,
             "solver": {"kind": "body-gauss-seidel", "tolerance": 1e-4}}
    if surface:
        scene["surfaces"] = [{"law": {"kind": "newton-impact", "friction": 0.4}}]
    return scene


SCENES = {"1000 balls on a plane": copies(True, False),
          "1000 balls that fall, no contact": copies(True, True),
          "1000 balls that fall, none can touch": copies(False, True)}


def cpu(work):
    start = time.thread_time()
    work()
    return time.thread_time() - start


def loops(model, state, steps):
    """Loop by name; each starts from the same state, made beforehand."""
    def plain(sim):
        for _ in range(steps):
            sim.advance()

    def viewed(sim):
        q = sim.groups[0].q
        for _ in range(steps):
            sim.advance()
            q[2]

    return {"advance()": plain, "advance() and a view": viewed, "run()": lambda sim: sim.run(steps=steps)}


def measure(name, scene, program, rounds):
    model = saltus.Scene.from_dict(scene).build()
    warm = saltus.Simulation(model)
    warm.run(steps=20)
    state = warm.state
    start = time.perf_counter()
    warm.run(steps=50)
    steps = max(100, min(20000, int(0.4 * 50 / (time.perf_counter() - start))))
    times = {}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(scene, file)
        file.flush()
        for _ in range(rounds):
            for loop, work in loops(model, state, steps).items():
                sim = saltus.Simulation(model, state)
                times.setdefault(loop, []).append(cpu(lambda: work(sim)))
            if program:
                said = subprocess.run([program, file.name, "20", str(steps)], check=True, capture_output=True)
                times.setdefault("C++ program", []).append(float(said.stdout))
    base = "C++ program" if program else "run()"
    print(f"{name}: {steps} steps, {rounds} rounds")
    for loop, taken in times.items():
        over = statistics.median(a / b - 1.0 for a, b in zip(taken, times[base]))
        each = 1e6 * statistics.median(taken) / steps
        print(f"  {loop:22s} {each:10.2f} us a step, {100 * over:+6.2f} % over {base}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    print("load", *("%.2f" % one for one in os.getloadavg()), "on", os.cpu_count(), "processors")
    for name, scene in SCENES.items():
        measure(name, scene, options.program, options.rounds)


if __name__ == "__main__":
    main()
