"""Overturning of a rocking block under records of ground acceleration: time stepping beside event-driven integration.

A record counts if event-driven integration gives the same verdict at 0.97, 1 and 1.03 of its size.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python/overturning.py [records]
"""
import sys
import time

import numpy as np
import saltus


def record(number):
    """[t, a/g]: five harmonics of random phase under an envelope, zero at both ends."""
    random = np.random.default_rng(number)
    t = np.arange(0.0, 4.0001, 0.02)
    f = random.uniform(0.6, 3.0, 5)
    a = sum(np.sin(2 * np.pi * (f_k * t + random.uniform())) / f_k for f_k in f)
    a *= np.sin(np.pi * t / 4.0)**2
    a *= random.uniform(0.25, 0.9) / np.abs(a).max()
    return [[float(x), float(y)] for x, y in zip(t, a)]


def falls(table, size, mode, step):
    sim = saltus.Simulation({
        "saltus": 1, "time": {"end": 8, "step": step, "mode": mode}, "gravity": [0, 0, -9.81], "planar": "xz",
        "ground": {"x": {"table": table}, "scale": 9.81 * size},
        "bodies": [
            {"name": "floor", "kind": "rigid", "rigid": {"shape": {"box": {"size": [20, 4, 0.2]}}, "fixed": True,
                                                         "position": [0, 0, -0.1]}},
            {"name": "block", "kind": "rigid", "rigid": {"shape": {"box": {"size": [0.3, 1, 1]}}, "density": 2000,
                                                         "position": [0, 0, 0.5]}}],
        "surfaces": [{"law": {"kind": "newton-impact", "friction": 0.8}}]})
    block = sim.bodies["block"]
    sim.run(progress=False, every=max(1, round(0.02 / step)), watch=lambda _: abs(block.rotation[2]) > 0.5)
    return abs(block.rotation[2]) > 0.5  # more than 60 degrees


def main(count):
    start, clear, same, fallen, tried = time.time(), 0, 0, 0, 0
    while clear < count:
        tried += 1
        table = record(tried)
        verdicts = {falls(table, size, "events", 1e-2) for size in (0.97, 1.0, 1.03)}
        if len(verdicts) > 1:
            continue
        clear += 1
        fallen += verdicts == {True}
        agrees = falls(table, 1.0, "stepping", 1e-3) == next(iter(verdicts))
        same += agrees
        if not agrees:
            print(f"record {tried}: events {verdicts}, stepping {not next(iter(verdicts))}", flush=True)
    print(f"{same} of {clear} records have the same verdict ({fallen} overturn, {tried - clear} are not clear), "
          f"{time.time() - start:.0f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
