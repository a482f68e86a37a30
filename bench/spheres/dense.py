#!/usr/bin/env python3
"""Dense spheres in a box: time of a step and memory, beside what `saltus check` forecasts.

    bench/spheres/dense.py [--saltus build/release/bin/saltus] [--count 46,46,47] [--steps 6] [--threads 1,2] [--output FILE]

nx x ny x nz spheres of radius 10 mm that nearly touch, copies from a CSV file, on a plane between four walls, mu = 0.4,
rig-pos with steps of 1 ms and body-gauss-seidel of 1 and of 21 sweeps: the difference is 20 sweeps, what is left is the
step beside them (with the one setup of the solver that a step has). Steps: the mean without the first one, which allocates.
Times are CPU time and wall time of the process; memory is the largest resident size of the run.
"""
import argparse
import csv
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import time


def write_scene(folder, count, steps, sweeps):
    nx, ny, nz = count
    r, d = 0.01, 0.02
    with open(f"{folder}/spheres.csv", "w", encoding="utf-8") as file:
        for k in range(nz):
            for j in range(ny):
                file.writelines(f"{r + d * i:.6f}, {r + d * j:.6f}, {r + d * k:.6f}\n" for i in range(nx))
    walls = [((0, 0, 0), (0, 0, 1)), ((0, 0, 0), (1, 0, 0)), ((d * nx, 0, 0), (-1, 0, 0)), ((0, 0, 0), (0, 1, 0)),
             ((0, d * ny, 0), (0, -1, 0))]
    planes = ", ".join(f"{{plane: {{point: {list(p)}, normal: {list(n)}}}}}" for p, n in walls)
    with open(f"{folder}/scene.yaml", "w", encoding="utf-8") as file:
        file.write(f"""saltus: 1
time: {{end: {steps} ms, step: 1 ms}}
gravity: [0.6, 0.4, -9.81]
solver: {{kind: body-gauss-seidel, iterations: {sweeps}}}
on_failure: accept
results: {{frames: 1}}
bodies:
  - {{name: box, kind: rigid, rigid: {{shapes: [{planes}], fixed: true}}}}
  - {{name: ball, kind: rigid, scheme: rig-pos,
      rigid: {{shape: {{sphere: {{radius: 10 mm}}}}, density: 2500, copies: {{file: spheres.csv}}}}}}
surfaces:
  - {{law: {{kind: newton-impact, friction: 0.4, restitution: 0}}}}
""")


def run(saltus, folder, threads):
    """Wall and CPU time [s], largest resident size [bytes] and the hash of the last state."""
    begin = time.monotonic()
    child = subprocess.Popen([saltus, "run", "scene.yaml", "--json", "-j", str(threads)], cwd=folder,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = child.stdout.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"dense: the run ended with status {status}")
    return (time.monotonic() - begin, usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss,
            json.loads(text)["state_hash"])


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--saltus", default="build/release/bin/saltus")
    arguments.add_argument("--count", default="46,46,47")
    arguments.add_argument("--steps", type=int, default=6)
    arguments.add_argument("--threads", default="1,2")
    arguments.add_argument("--output", default="")
    options = arguments.parse_args()
    saltus, few = os.path.abspath(options.saltus), 2
    count = [int(n) for n in options.count.split(",")]
    bodies = count[0] * count[1] * count[2]
    version = subprocess.run([saltus, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    rows = []
    for threads in [int(n) for n in options.threads.split(",")]:
        row = {"date": datetime.date.today().isoformat(), "version": version, "bodies": bodies, "threads": threads}
        hashes = {}
        with tempfile.TemporaryDirectory() as folder:
            for sweeps in (1, 21):
                # a run of few steps is taken off: building the scene, and the first step
                write_scene(folder, count, few, sweeps)
                start = run(saltus, folder, threads)
                write_scene(folder, count, options.steps + few, sweeps)
                whole = run(saltus, folder, threads)
                row[f"wall_step_{sweeps}"] = (whole[0] - start[0]) / options.steps
                row[f"cpu_step_{sweeps}"] = (whole[1] - start[1]) / options.steps
                row["peak_bytes"] = max(whole[2], row.get("peak_bytes", 0))
                hashes[sweeps] = whole[3]
            check = subprocess.run([saltus, "check", "scene.yaml", "--json"], cwd=folder, capture_output=True, text=True)
            row["forecast_bytes"] = json.loads(check.stdout)["memory_bytes"]
        for kind in ("wall", "cpu"):
            row[f"{kind}_sweep"] = (row[f"{kind}_step_21"] - row[f"{kind}_step_1"]) / 20
            row[f"{kind}_beside"] = row[f"{kind}_step_1"] - row[f"{kind}_sweep"]
        row["bytes_of_a_body"] = row["peak_bytes"] / bodies
        row["state_hash"] = hashes[21]
        rows.append({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()})
        print(rows[-1], file=sys.stderr)
    with (open(options.output, "w", encoding="utf-8", newline="") if options.output else sys.stdout) as file:
        table = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
