#!/usr/bin/env python3
"""Runs random valid scenes and verifies their results: none may fail a check.

    random_scenes.py PROGRAM [--count 40] [--seed 1] [--keep FOLDER]

Bodies are particles, oscillators, strings, rigid bodies in heaps, in walls, as rolling balls, with drag, on hinges, springs and
wheels, in loops, pseudo-rigid ones and finite elements, with laws, schemes, steps and starts drawn at random. Ends with 1 if a
verdict is not pass, with 77 (skipped) without NumPy or h5py.
"""
import argparse
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "verify"))

try:
    import h5py  # noqa: F401
    import numpy  # noqa: F401
except ImportError:
    print("skipped: no NumPy or h5py")
    sys.exit(77)

from saltus_verify import command


def vector(r, size):
    return [r.uniform(-size, size) for _ in range(3)]


def impact(r):
    law = {"kind": "newton-impact", "restitution": r.choice([0, 0, 0.3, r.uniform(0, 1)])}
    if r.random() < 0.7:
        law["friction"] = r.uniform(0, 1)
    return law


def particles(r):
    bodies, contacts = [], []
    for i in range(r.randint(1, 4)):
        name = f"ball {i}"
        bodies.append({"name": name, "kind": "particles", "scheme": r.choice(["moreau-jean", "moreau-jean", "generalized-alpha"]),
                       "particles": {"mass": [r.uniform(0.1, 10)], "positions": [[i, 0, r.uniform(0, 1)]],
                                     "velocities": [vector(r, 3)], "gravity": [0, 0, -9.81]}})
        contacts.append({"on": name, "against": {"plane": {"normal": r.choice([[0, 0, 1], [0.6, 0, 0.8]])}}, "law": impact(r)})
    outputs = [{"probe": "ball 0", "name": q, "at": 0, "quantity": q} for q in ("displacement", "velocity")]
    return {"time": {"end": 1, "step": 10 ** r.uniform(-3, -2)}, "bodies": bodies, "contacts": contacts, "outputs": outputs}


def events(r):
    scene = particles(r)
    for contact in scene["contacts"]:
        contact["law"].pop("friction", None)
    scene["time"] = {"end": 1, "step": 0.01, "mode": "events"}
    for body in scene["bodies"]:
        body.pop("scheme")
    return scene


def oscillator(r):
    loads = [{"dof": 0, "harmonic": {"amplitude": r.uniform(0, 2), "frequency": r.uniform(0.1, 2)}}]
    body = {"name": "mass", "kind": "linear", "scheme": "moreau-jean", "loads": loads,
            "oscillator": {"mass": r.uniform(0.5, 2), "stiffness": 10 ** r.uniform(0, 3), "damping": r.uniform(0, 0.5)},
            "initial": {"coordinates": [r.uniform(-0.2, 0.2)], "velocities": [r.uniform(-2, 2)]}}
    contact = {"on": "mass", "against": {"stop": {"at": 0.2, "side": "above"}},
               "law": {"kind": "newton-impact", "restitution": r.uniform(0, 1)}}
    return {"time": {"end": 5, "step": 10 ** r.uniform(-3, -2)}, "bodies": [body], "contacts": [contact],
            "outputs": [{"probe": "mass", "name": "x", "at": 0, "quantity": "displacement"}]}


def string(r):
    body = {"name": "string", "kind": "modal", "scheme": "modal-exact", "pluck": {"at": 0.3, "height": r.uniform(1e-4, 4e-3)},
            "string": {"length": 1, "tension": r.uniform(50, 300), "linear_density": 1e-3, "inharmonicity": 10 ** r.uniform(-6, -4),
                       "modes": r.randint(5, 60), "damping": {"constant": r.uniform(0, 2)}}}
    scene = {"time": {"end": 0.1, "rate": r.choice([22050, 44100])}, "bodies": [body],
             "outputs": [{"probe": "string", "name": q, "at": r.uniform(0.1, 0.9), "quantity": q}
                         for q in ("velocity", "displacement")]}
    if r.random() < 0.7:
        scene["contacts"] = [{"on": "string", "against": {"points": [[r.uniform(0.05, 0.95), -r.uniform(0, 2e-3)]]},
                              "law": {"kind": r.choice(["newton-impact", "signorini-position"])}}]
    return scene


def shape(r):
    a = lambda: r.uniform(0.05, 0.2)
    return r.choice([{"box": {"size": [a(), a(), a()]}}, {"sphere": {"radius": a()}}, {"cylinder": {"radius": a(), "length": a()}}])


def heap(r):
    bodies = [{"name": "floor", "kind": "rigid", "rigid": {"shape": {"plane": {}}, "fixed": True}}]
    for i in range(r.randint(1, 6)):
        spec = {"shape": shape(r), "density": r.uniform(200, 3000), "position": [r.uniform(-0.2, 0.2), r.uniform(-0.2, 0.2), 0.3 + 0.4 * i],
                "velocity": vector(r, 1), "spin": vector(r, 5), "rotation": {"axis": [1, 2, 3], "angle": r.uniform(0, 3)}}
        bodies.append({"name": f"body {i}", "kind": "rigid", "rigid": spec})
    outputs = [{"probe": "body 0", "name": f"{q}", "at": [0, 0, 0.01], "direction": vector(r, 1), "quantity": q}
               for q in ("displacement", "velocity")]
    return {"time": {"end": 0.6, "step": r.choice([1e-3, 2e-3, 5e-4])}, "gravity": [0, 0, -9.81], "bodies": bodies,
            "contact": {"instant": r.choice(["middle", "end"])}, "surfaces": [{"law": impact(r)}], "outputs": outputs}


def pendulum(r):
    n = r.randint(1, 4)
    bodies, joints, before = [], [], "world"
    for i in range(n):
        bodies.append({"name": f"rod {i}", "kind": "rigid", "rigid": {"shape": {"box": {"size": [0.5, 0.05, 0.05]}}, "density": 1000,
                                                                      "position": [0.5 * i + 0.25, 0, 0]}})
        turn = {}
        if r.random() < 0.4:
            turn["limits"] = {"lower": -r.uniform(0.2, 1), "restitution": r.uniform(0, 1)}
        if r.random() < 0.4:
            turn["spring"] = {"stiffness": r.uniform(0, 20)}
        joint = {"name": f"hinge {i}", "kind": r.choice(["revolute", "revolute", "ball"]), "between": [before, f"rod {i}"],
                 "at": [0.5 * i, 0, 0]}
        if joint["kind"] == "revolute":
            joint.update({"axis": [0, 1, 0]}, **({"turn": turn} if turn else {}))
        joints.append(joint)
        before = f"rod {i}"
    outputs = [{"probe": f"rod {n - 1}", "name": "tip", "at": [0.25, 0, 0], "direction": [0, 0, 1], "quantity": "displacement"}]
    outputs += [{"probe": j["name"], "name": j["name"], "quantity": "displacement"} for j in joints if j["kind"] == "revolute"]
    return {"time": {"end": 1, "step": r.choice([1e-3, 2e-3])}, "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints,
            "outputs": outputs}


def jelly(r):
    spec = {"shape": {"box": {"size": [0.1, 0.1, r.uniform(0.05, 0.15)]}}, "position": [0, 0, r.uniform(0.1, 0.3)],
            "material": {"law": r.choice(["neo_hooke", "st_venant_kirchhoff"]), "young": 10 ** r.uniform(4, 5), "poisson": 0.3,
                         "density": 1000},
            "eta": 1e-3, "viscosity": "strain_rate", "velocity": vector(r, 0.5), "spin": vector(r, 4)}
    bodies = [{"name": "floor", "kind": "rigid", "rigid": {"shape": {"plane": {}}, "fixed": True}},
              {"name": "jelly", "kind": "pseudo-rigid", "pseudo_rigid": spec}]
    return {"time": {"end": 0.4, "step": 5e-4}, "gravity": [0, 0, -9.81], "bodies": bodies, "surfaces": [{"law": impact(r)}],
            "outputs": [{"probe": "jelly", "name": "height", "at": [0, 0, 0.02], "direction": [0, 0, 1], "quantity": "displacement"}]}


FLOOR = {"name": "floor", "kind": "rigid", "rigid": {"shape": {"plane": {}}, "fixed": True}}
DOWN = [0, 0, -9.81]


def rigid(name, spec, scheme=None):
    return {"name": name, "kind": "rigid", "rigid": spec, **({"scheme": scheme} if scheme else {})}


def dragged(r):
    """A heap with drags that the step resolves or not."""
    scene = heap(r)
    scene["time"]["step"] = r.choice([1e-3, 5e-3, 1e-2])
    for body in scene["bodies"][1:]:
        for key, low, high in (("drag", -1, 6), ("spin_drag", -3, 3)):
            if r.random() < 0.7:
                body["rigid"][key] = 10 ** r.uniform(low, high)
    return scene


def rolling(r):
    """Balls that roll over each other with any coefficient of friction."""
    bodies = [FLOOR] + [rigid(f"ball {i}", {"shape": {"sphere": {"radius": r.uniform(0.05, 0.1)}}, "density": 10 ** r.uniform(2, 4),
                                            "position": [r.uniform(-0.1, 0.1), r.uniform(-0.1, 0.1), 0.1 + 0.25 * i],
                                            "velocity": vector(r, 1), "spin": vector(r, 20)}) for i in range(r.randint(1, 4))]
    law = {"kind": "newton-impact", "friction": 10 ** r.uniform(-1, 6), "restitution": r.choice([0, 0.5])}
    return {"time": {"end": 0.5, "step": 1e-3}, "gravity": DOWN, "bodies": bodies, "surfaces": [{"law": law}]}


def wall(r):
    """Rows of boxes without mortar, some hit by a ball."""
    size = [0.2, 0.1, r.uniform(0.05, 0.1)]
    bodies = [FLOOR]
    for row in range(r.randint(1, 4)):
        for i in range(r.randint(1, 3)):
            bodies.append(rigid(f"box {row}.{i}", {"shape": {"box": {"size": size}}, "density": 10 ** r.uniform(2, 4),
                                                   "position": [0.2 * i + 0.1 * (row % 2), 0, (row + 0.5) * size[2]]}))
    if r.random() < 0.5:
        bodies.append(rigid("ball", {"shape": {"sphere": {"radius": 0.05}}, "density": 7800, "position": [0.1, -0.5, 0.15],
                                     "velocity": [0, r.uniform(1, 5), 0]}))
    law = {"kind": "newton-impact", "friction": r.choice([0, 0.5, 10 ** r.uniform(-1, 3)]), "restitution": r.choice([0, 0.2])}
    return {"time": {"end": 0.3, "step": r.choice([1e-3, 2e-3])}, "gravity": DOWN, "bodies": bodies, "surfaces": [{"law": law}]}


def leaps(r):
    """Bodies with schemes of two steps and others, in groups of their own."""
    pick = lambda: r.choice(["central-difference", {"kind": "schatzman-paoli", "implicit": r.random() < 0.5}, "moreau-jean", "def-exp"])
    spring = {"kind": "linear", "initial": {"coordinates": [r.uniform(-0.2, 0.2) for _ in range(3)]},
              "chain": {"masses": 3, "mass": r.uniform(0.5, 2), "stiffness": 10 ** r.uniform(1, 3), "damping": r.uniform(0, 1),
                        "ends": r.choice(["free-free", "fixed-free", "fixed-fixed"])}}
    bodies = [dict(spring, name=f"chain {i}", scheme=pick()) for i in range(2)]
    bodies.append({"name": "ball", "kind": "particles", "scheme": "central-difference",
                   "particles": {"mass": [r.uniform(0.1, 10)], "positions": [[0, 0, r.uniform(0, 1)]], "velocities": [vector(r, 3)],
                                 "gravity": DOWN, "drag": r.choice([0, r.uniform(0, 2)])}})
    bodies.append(rigid("top", {"shape": shape(r), "density": 1000, "position": [5, 0, 0], "spin": vector(r, 5),
                                "gravity": DOWN, "drag": r.choice([0, 1])},
                        r.choice(["central-difference", "rig-pos", "rig-neg", "rig-imp"])))
    contacts = [{"on": "ball", "against": {"plane": {"normal": [0, 0, 1]}}, "law": impact(r)}]
    return {"time": {"end": 0.5, "step": 10 ** r.uniform(-3.5, -2.5)}, "bodies": bodies, "contacts": contacts}


def springs(r):
    """A chain of bodies on joints with springs, dampers, stops and dry friction along their coordinates."""
    bodies, joints, before = [], [], "world"
    for i in range(r.randint(1, 3)):
        bodies.append(rigid(f"rod {i}", {"shape": {"box": {"size": [0.5, 0.05, 0.08]}}, "density": 10 ** r.uniform(2, 4),
                                         "position": [0.5 * i + 0.25, 0, 0]}))
        along = lambda: {key: value for key, value in (
            ("spring", {"stiffness": 10 ** r.uniform(-1, 4), "rest": r.uniform(-0.2, 0.2)}), ("damping", r.uniform(0, 2)),
            ("friction", r.uniform(0, 1)), ("limits", {"lower": -r.uniform(0.3, 1), "upper": r.uniform(0.3, 1)})) if r.random() < 0.5}
        joint = {"name": f"joint {i}", "kind": r.choice(["ball", "ball", "revolute", "prismatic", "cylindrical", "universal"]),
                 "between": [before, f"rod {i}"], "at": [0.5 * i, 0, 0], "axis": [1, 0, r.uniform(-0.3, 0.3)]}
        if joint["kind"] == "ball":
            joint["swing"] = {"spring": {"stiffness": 10 ** r.uniform(0, 3)}, "damping": r.choice([0, 0.1]), "cone": r.uniform(0.4, 2)}
            joint["twist"] = along()
        elif joint["kind"] == "prismatic":
            joint["slide"] = along()
        else:
            joint["turn"] = along()
        if joint["kind"] == "universal":
            joint["axis"], joint["axis2"] = [1, 0, 0], [0, 1, 0]
            joint["turn2"] = along()
        joints.append(joint)
        before = f"rod {i}"
    return {"time": {"end": 0.5, "step": r.choice([1e-3, 2e-3])}, "gravity": DOWN, "bodies": bodies, "joints": joints,
            "surfaces": [{"materials": ["default", "default"], "touches": False}]}


def cart(r):
    """A body on wheels, driven by motors."""
    side, law = r.uniform(0.1, 0.2), {"kind": "newton-impact", "friction": 10 ** r.uniform(-2, 2)}
    bodies = [FLOOR, rigid("deck", {"shape": {"box": {"size": [0.6, 0.2, 0.05]}}, "density": 10 ** r.uniform(2, 4),
                                    "position": [0, 0, 0.1], "velocity": [r.uniform(-1, 1), 0, 0], "touches": False})]
    joints = []
    for i, (x, y) in enumerate(((-0.2, -side), (-0.2, side), (0.2, -side), (0.2, side))):
        bodies.append(rigid(f"wheel {i}", {"shape": {"sphere": {"radius": 0.1}}, "density": 500, "position": [x, y, 0.1]}))
        turn = r.choice([{}, {"motor": {"velocity": r.uniform(-10, 10), "torque": r.uniform(0, 5)}}, {"damping": 0.1}])
        joints.append({"name": f"axle {i}", "kind": "revolute", "between": ["deck", f"wheel {i}"], "at": [x, y, 0.1], "axis": [0, 1, 0],
                       **({"turn": turn} if turn else {})})
    return {"time": {"end": 0.5, "step": r.choice([1e-3, 2e-3])}, "gravity": DOWN, "bodies": bodies, "joints": joints,
            "surfaces": [{"law": law}]}


def four_bar(r):
    """A loop of four bars with any loads and masses, often a parallelogram."""
    long, short, angle = r.uniform(0.8, 1.2), 0.5, r.uniform(0.3, 1.5)
    other = short if r.random() < 0.5 else r.uniform(0.45, 0.6)
    b = (short * math.cos(angle), short * math.sin(angle))
    d, apart = (long, 0.0), math.dist(b, (long, 0.0))
    along = (long ** 2 - other ** 2 + apart ** 2) / (2 * apart)
    across = math.sqrt(max(long ** 2 - along ** 2, 0.0))
    u = ((d[0] - b[0]) / apart, (d[1] - b[1]) / apart)
    c = (b[0] + along * u[0] - across * u[1], b[1] + along * u[1] + across * u[0])
    bodies = []
    for name, p, q in (("crank", (0.0, 0.0), b), ("rod", b, c), ("rocker", d, c)):
        spec = {"shape": {"box": {"size": [math.dist(p, q), 0.05, 0.05]}}, "density": 10 ** r.uniform(2, 5),
                "position": [(p[0] + q[0]) / 2, 0, (p[1] + q[1]) / 2],
                "rotation": {"axis": [0, -1, 0], "angle": math.atan2(q[1] - p[1], q[0] - p[0])}}
        body = rigid(name, spec)
        if r.random() < 0.5:
            body["loads"] = [{"force": [r.uniform(-1, 1), 0, r.uniform(-1, 1)], "constant": 10 ** r.uniform(1, 5)}]
        bodies.append(body)
    joints = [{"name": f"{first} {second}", "kind": "revolute", "between": [first, second], "at": [at[0], 0, at[1]], "axis": [0, 1, 0]}
              for first, second, at in (("world", "crank", (0.0, 0.0)), ("crank", "rod", b), ("rod", "rocker", c), ("world", "rocker", d))]
    return {"time": {"end": 0.3, "step": r.choice([1e-3, 2e-3])}, "gravity": DOWN, "bodies": bodies, "joints": joints,
            "surfaces": [{"materials": ["default", "default"], "touches": False}]}


def soft(r):
    """A block of finite elements falls on a floor and slides."""
    block = {"mesh": {"box": {"kind": "hex8", "cells": [r.randint(1, 3), 1, r.randint(1, 2)], "size": [0.2, 0.1, 0.1]}},
             "material": {"law": r.choice(["linear", "neo_hooke", "st_venant_kirchhoff"]), "young": 10 ** r.uniform(5, 7),
                          "poisson": r.uniform(0, 0.4), "density": 1000},
             "position": [0, 0, r.uniform(0, 0.05)], "velocity": [r.uniform(-1, 1), 0, -r.uniform(0, 1)]}
    body = {"name": "block", "kind": "fem", "fem": block, "scheme": r.choice(["def-lim", "moreau-jean"])}
    if r.random() < 0.5:
        body["rayleigh"] = {"stiffness": 10 ** r.uniform(-4, -3), "mass": r.uniform(0, 1)}
    return {"time": {"end": 0.1, "step": r.choice([1e-3, 5e-4])}, "gravity": DOWN, "bodies": [FLOOR, body],
            "surfaces": [{"law": impact(r)}]}


def controlled(r):
    """Steps with a tolerance, which are divided."""
    scene = r.choice([particles, pendulum, heap, springs])(r)
    scene["time"] = {"end": 0.3, "step": 5e-3, "tolerance": 10 ** r.uniform(-6, -3)}
    return scene


def rigid_events(r):
    """Event-driven integration of rigid balls and a pendulum."""
    bodies = [FLOOR] + [rigid(f"ball {i}", {"shape": {"sphere": {"radius": 0.1}}, "density": 1000, "spin": vector(r, 3),
                                            "position": [0.5 * i, 0, 0.1 + r.uniform(0, 0.5)], "velocity": vector(r, 1)})
                        for i in range(r.randint(1, 3))]
    law = {"kind": "newton-impact", "restitution": r.uniform(0, 1)}
    return {"time": {"end": 0.5, "step": 0.01, "mode": "events"}, "gravity": DOWN, "bodies": bodies, "surfaces": [{"law": law}]}


KINDS = (particles, events, oscillator, string, heap, heap, pendulum, jelly, dragged, rolling, wall, leaps, springs, cart, four_bar,
         soft, controlled, rigid_events)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="folder for scenes that do not run, scenes and results of failures")
    parser.add_argument("--kind", help="only scenes of this kind")
    options = parser.parse_args()
    kinds = [kind for kind in KINDS if options.kind in (None, kind.__name__)]
    r, ran, alarms, refused = random.Random(options.seed), {}, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path, results = os.path.join(folder, "scene.yaml"), os.path.join(folder, "results.h5")
        for number in range(options.count):
            kind = kinds[number % len(kinds)]
            scene = dict(kind(r), saltus=1)
            if r.random() < 0.2:
                scene["results"] = {"every_step": False}
            pathlib.Path(path).write_text(json.dumps(scene))
            run = subprocess.run([options.program, "run", path, "-o", results, "--quiet"], capture_output=True, text=True)
            if run.returncode != 0:
                refused += 1
                print(f"{number}, {kind.__name__}: does not run: {run.stderr.strip().splitlines()[-1:]}")
                if options.keep:
                    shutil.copy(path, os.path.join(options.keep, f"{number}.yaml"))
                continue
            ran[kind.__name__] = ran.get(kind.__name__, 0) + 1
            report = command.verify(results)
            if not report.passed:
                alarms += 1
                print(f"{number}, {kind.__name__}: FAIL: {', '.join(report.failed_names())}")
                print(report.text())
                if options.keep:
                    shutil.copy(path, os.path.join(options.keep, f"{number}.yaml"))
                    shutil.copy(results, os.path.join(options.keep, f"{number}.h5"))
    print(f"{sum(ran.values())} scenes verified ({', '.join(f'{n} {k}' for k, n in ran.items())}), {alarms} failed a check, "
          f"{refused} did not run")
    return 1 if alarms or refused * 4 > options.count else 0


if __name__ == "__main__":
    sys.exit(main())
