#!/usr/bin/env python3
"""Bodies that deform, in contact: time of a step and its growth with the number of bodies and elements.

    bench/fem/soft_contact.py [--saltus build/release/bin/saltus] [--only side,stack,wall,block] [--large] [--output FILE]

side: n blocks of one hex8 side by side on a plane, which do not touch each other. stack: n blocks that touch on all sides.
wall: n bricks in courses, of 2 x 1 x 1 hex8 and pseudo-rigid. block: a block of tet4 on a plane by a factor, by conjugate
gradients, by the default, and explicitly, each beside itself a metre above the plane. Steps of 1 ms, friction 0.3 (walls
0.6), solver and tolerances by default. --large: also 800 blocks, 200 bricks and 240570 elements. Times are wall time of the
steps of one run after another, as `saltus run` tells it.
"""
import argparse
import csv
import datetime
import json
import os
import subprocess
import sys
import tempfile

FLOOR = "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n"
FAILED = float("nan")


def scene(steps, step_ms, bodies, friction):
    return (f"saltus: 1\ntime: {{end: {steps * step_ms:g} ms, step: {step_ms:g} ms}}\ngravity: [0, 0, -9.81]\n"
            f"bodies:\n{FLOOR}{bodies}surfaces: [{{law: {{kind: newton-impact, friction: {friction}}}}}]\n"
            "results: {frames: 1}\n")


def solid(name, at, size, cells, young, poisson, density, kind="hex8", more="", scheme=""):
    at = [round(x, 9) for x in at]
    return (f"  - {{name: {name}, kind: fem, {scheme}fem: {{position: {at}, {more}"
            f"mesh: {{box: {{kind: {kind}, cells: {cells}, size: {size}}}}}, "
            f"material: {{law: neo_hooke, young: {young}, poisson: {poisson}, density: {density}}}}}}}\n")


def side(n):
    width = round(n ** 0.5)
    return scene(20, 1, "".join(solid(f"b{i}", [0.15 * (i % width), 0.15 * (i // width), 0], [0.1] * 3, [1] * 3,
                                      "0.5 MPa", 0.3, 1000) for i in range(n)), 0.3)


def stack(nx, ny, nz):
    return scene(20, 1, "".join(solid(f"b{i}_{j}_{k}", [0.1 * i, 0.1 * j, 0.1 * k], [0.1] * 3, [1] * 3, "0.5 MPa", 0.3,
                                      1000) for k in range(nz) for j in range(ny) for i in range(nx)), 0.3)


def wall(n, soft, steps=100):
    courses = {40: 5, 80: 8, 200: 10}[n]
    bodies = ""
    for k in range(courses):
        for i in range(n // courses):
            x, z = 0.2 * i + (0.1 if k % 2 else 0.0), 0.1 * k
            if soft:
                bodies += solid(f"b{k}_{i}", [x, 0, z], [0.2, 0.1, 0.1], [2, 1, 1], "20 MPa", 0.2, 2000)
            else:
                bodies += (f"  - {{name: b{k}_{i}, kind: pseudo-rigid, pseudo_rigid: {{position: "
                           f"{[round(x + 0.1, 9), 0.05, round(z + 0.05, 9)]}, shape: {{box: {{size: [0.2, 0.1, 0.1]}}}}, "
                           "material: {law: st_venant_kirchhoff, young: 20 MPa, poisson: 0.2, density: 2000}}}\n")
    return scene(steps, 1, bodies, 0.6)


def block(n, scheme, solver, touches, steps=10):
    cells = [n, 2 * n + (n == 27), n]
    step = {12: 0.02, 17: 0.02, 27: 0.01}[n] if scheme == "def-exp" else 1
    kind = f"solver: {{kind: {solver}}}, " if solver else ""
    return scene(steps, step, solid("b", [0, 0, 0 if touches else 1], [0.1, 0.2, 0.1], cells, "0.5 MPa", 0.3, 1000, "tet4",
                                    f"velocity: [0, 0, -0.1], {kind}", f"scheme: {scheme}, "), 0.3)


def run(saltus, folder, text):
    """Mean time of a step [s], contacts at most, largest residual, steps that failed or were halved."""
    with open(f"{folder}/scene.yaml", "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([saltus, "run", "scene.yaml", "--json"], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stderr.strip().split("\n")[-1], file=sys.stderr)
        return {"step": FAILED}
    told = json.loads(done.stdout)
    return {"step": told["step_cost"]["mean"], "contacts": int(told["contacts"]["most"]),
            "residual": told["residual"]["value"], "failed": told["failed_steps"], "halved": told["halved_steps"]}


def cases(only, large):
    if "side" in only:
        for n in [25, 50, 100, 200, 400] + [800] * large:
            yield "side", n, side(n)
    if "stack" in only:
        for size in [(2, 2, 2), (3, 3, 3), (4, 4, 4)] + [(8, 10, 10)] * large:
            yield "stack", size[0] * size[1] * size[2], stack(*size)
    if "wall" in only:
        for n in [40, 80] + [200] * large:
            for soft in (True, False):
                yield "wall, " + ("hex8" if soft else "pseudo-rigid"), n, wall(n, soft)
    if "block" in only:
        for n in [12, 17] + [27] * large:
            elements = 6 * n * n * (2 * n + (n == 27))
            for scheme, solver in [("def-lim", "direct")] * (n < 27) + [("def-lim", "cg"), ("def-lim", ""), ("def-exp", "")]:
                for touches in (False, True):
                    name = f"block, {scheme} {solver or 'by default'}{'' if touches else ', free'}"
                    yield name, elements, block(n, scheme, solver, touches)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--saltus", default="build/release/bin/saltus")
    arguments.add_argument("--only", default="side,stack,wall,block")
    arguments.add_argument("--large", action="store_true")
    arguments.add_argument("--output", default="")
    options = arguments.parse_args()
    saltus = os.path.abspath(options.saltus)
    version = subprocess.run([saltus, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, size, text in cases(options.only.split(","), options.large):
            row = {"date": datetime.date.today().isoformat(), "version": version, "scene": name, "size": size}
            row |= run(saltus, folder, text)
            rows.append({k: f"{v:.5g}" if isinstance(v, float) else v for k, v in row.items()})
            print(rows[-1], file=sys.stderr)
    with (open(options.output, "w", encoding="utf-8", newline="") if options.output else sys.stdout) as file:
        table = csv.DictWriter(file, ["date", "version", "scene", "size", "step", "contacts", "residual", "failed", "halved"],
                               lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
