#!/usr/bin/env python3
"""Saltus beside ODE, Bullet and Siconos on scenes of rigid bodies (docs/howto/compare_rigid.md).

    compare.py settle  FOLDER               Saltus lets the piles come to rest: FOLDER/<scene>.state
    compare.py measure FOLDER [RESULT.csv]  all engines, taking turns; medians and ratios
    compare.py siconos FOLDER [RESULT.csv]  one contact problem of the pile of 1000 at rest, cold, at 1e-4
    compare.py flow    [RESULT.csv]         column and silos: run-out and exponent of the discharge
"""
import argparse
import csv
import datetime
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
from pathlib import Path

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
ENGINES = ["saltus", "ode", "bullet", "bullet64"]  # bullet in single precision, bullet64 in double
# Scene, start from rest or from a settled state, times [s], and what Saltus runs with: a tolerance with as many sweeps
# as that takes, or the sweeps of the others.
EQUAL_SWEEPS = ["tolerance=0", "sweeps=100"]
SCENES = [
    ("stack10", [], [["solver=auto", "tolerance=1e-11"]]),
    ("wall410", [], [["solver=auto", "tolerance=1e-9"]]),
    ("pile1000", ["end=0.3", "timed=0.1", "creep=0.1"], [EQUAL_SWEEPS, ["tolerance=1e-4", "sweeps=2000"]]),
    ("pile8000", ["end=0.15", "timed=0.05", "creep=0.05"],
     [EQUAL_SWEEPS, EQUAL_SWEEPS + ["threads=2"], ["tolerance=1e-4", "sweeps=2000"]]),
]
COLUMNS = ["scene", "engine", "step", "steps", "contacts", "seconds", "seconds_low", "seconds_high", "ratio", "passes",
           "iterations", "residual", "penetration", "creep", "drift", "moved", "height", "radius", "rate"]


def run(arguments, quiet=True):
    """The last line of JSON that a program printed, or None."""
    command = [str(a) for a in arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | ONE_THREAD, check=False)
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        print(f"{' '.join(command)}: code {done.returncode} {done.stderr.strip()}", file=sys.stderr)
        return None
    if not quiet:
        print(lines[-1])
    return [json.loads(line) for line in lines]


def cpu():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")),
                    platform.machine())


def default_result(root, what):
    slug = re.sub(r"\((r|tm)\)", "", cpu().lower())
    slug = re.sub(r"[^a-z0-9]+", "-", slug).strip("-")
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%F")
    return root / "results" / slug / f"{today}-{what}.csv"


def provenance(build):
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%F")
    lines = [f"date {today}", f"cpu {cpu()}"]
    for package in ["libode-dev", "libbullet-dev", "libsiconos-numerics7"]:
        version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True,
                                 check=False).stdout
        lines.append(f"{package} {version or 'unknown'}")
    version = subprocess.run([build / "saltus_time", "--version"], capture_output=True, text=True, check=False).stdout
    lines.append(f"saltus {version.strip() or 'unknown'}")
    return [f"# {line}" for line in lines]


def write(path, build, columns, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("\n".join(provenance(build)) + "\n")
        table = csv.DictWriter(file, columns, restval="", extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    print(path)


def settle(arguments):
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for scene, settings in [("pile1000", ["tolerance=1e-6", "sweeps=100", "margin=0.1"]),
                            ("pile8000", ["tolerance=1e-6", "sweeps=100", "margin=0.1"])]:
        run([arguments.build / "saltus_time", scene, "law=stewart-trinkle", f"to={arguments.folder / scene}.state"]
            + settings, quiet=False)


def configurations(arguments, scene, times, ours):
    """(program, settings) of everything that takes turns on a scene."""
    start = [f"from={arguments.folder / scene}.state"] if scene.startswith("pile") else []
    for engine in ENGINES:
        program = arguments.build / f"{engine}_time"
        if not program.exists():
            continue
        for settings in ours if engine == "saltus" else [["sweeps=100"]]:
            yield program, start + times + settings
        if engine == "bullet":
            yield program, start + times + ["sweeps=100", "directions=2"]


def measure(arguments):
    rows = []
    for scene, times, ours in SCENES:
        if arguments.only and scene not in arguments.only.split(","):
            continue
        entries = [(program, settings, []) for program, settings in configurations(arguments, scene, times, ours)]
        for _ in range(arguments.rounds):  # taking turns, so that the noise of the machine is shared
            for program, settings, found in entries:
                line = run([program, scene] + settings)
                if line:
                    found.append(line[0])
        entries = [e for e in entries if e[2]]
        medians = [statistics.median(r["seconds"] for r in found) for _, _, found in entries]
        others = [m for m, (program, _, _) in zip(medians, entries) if program.name != "saltus_time"]
        for median, (program, _, found) in zip(medians, entries):
            row = dict(found[-1])
            row |= {"seconds": f"{median:.4e}", "seconds_low": f"{min(r['seconds'] for r in found):.4e}",
                    "seconds_high": f"{max(r['seconds'] for r in found):.4e}"}
            if program.name == "saltus_time" and others:
                row["ratio"] = f"{median / min(others):.3f}"  # to the fastest of the others
            rows.append(row)
            print(f"{scene:10s} {row['engine']:75s} {1e3 * median:9.3f} ms {row['contacts']:7d} contacts"
                  f"  creep {row['creep']:.1e} m/s  {row.get('ratio', '')}", flush=True)
    write(arguments.result or default_result(arguments.root, "rigid"), arguments.build, COLUMNS, rows)


def siconos(arguments):
    """Every configuration of Siconos in the order of siconos_time --list, none longer than twice the best so far."""
    problem = arguments.folder / "pile1000.hdf5"
    lines = run([arguments.build / "saltus_time", "pile1000", f"from={arguments.folder / 'pile1000'}.state", "end=0.1",
                 "timed=0.05", "creep=0.05", "tolerance=1e-6", "sweeps=1000", f"problem={problem}"])
    if not lines:
        return
    ours = lines[1]
    rows = [{"solver": f"saltus {name}", "seconds": f"{ours[name]['seconds']:.4e}",
             "residual": f"{ours[name]['residual']:.2e}", "iterations": ours[name]["iterations"]}
            for name in ["auto", "body-gauss-seidel"]]
    program, best = arguments.build / "siconos_time", arguments.longest
    names = [line.split(",") for line in
             subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split()]
    for name, dimension in names:
        for storage in ["block", "sparse"]:
            if dimension != "3":
                continue
            limit = min(arguments.longest, max(2.0, 2.0 * best))
            done = subprocess.run([program, problem, name, storage, "1e-4", str(limit), "1"], capture_output=True,
                                  text=True, env=os.environ | ONE_THREAD, check=False)
            if done.returncode != 0 or not done.stdout.strip():
                continue
            _, info, iterations, residual, seconds, _ = done.stdout.strip().splitlines()[-1].split(",")
            best = min(best, float(seconds))
            rows.append({"solver": f"siconos {name} ({storage})", "seconds": seconds, "residual": residual,
                         "iterations": iterations, "info": info})
    fastest = min((float(r["seconds"]) for r in rows if r["solver"].startswith("siconos") and r["info"] == "0"),
                  default=math.nan)
    for row in rows:
        row["contacts"] = ours["problem"]
        row["ratio"] = f"{fastest / float(row['seconds']):.2f}"  # times faster than the best of Siconos
        print(f"{row['solver']:45s} {float(row['seconds']):.4e} s  residual {row['residual']}  {row['ratio']}")
    write(arguments.result or default_result(arguments.root, "rigid-siconos"), arguments.build,
          ["solver", "contacts", "seconds", "residual", "iterations", "info", "ratio"], rows)


def flow(arguments):
    rows = []
    rates = []
    for scene, size in [("column2000", 0.0), ("silo5", 5.0), ("silo6.5", 6.5), ("silo8", 8.0)]:
        for engine, settings in [("saltus", ["tolerance=1e-4", "sweeps=50", "law=stewart-trinkle", "margin=0.1"]),
                                 ("ode", ["sweeps=50"]), ("bullet", ["sweeps=50"])]:
            program = arguments.build / f"{engine}_time"
            if not program.exists():
                continue
            line = run([program, scene] + settings, quiet=False)
            if not line:
                continue
            rows.append(line[0])
            if engine == "saltus" and size > 0.0:
                rates.append((math.log(size - 1.4), math.log(line[0]["rate"])))
            if scene == "column2000":
                tube = 0.82  # inner radius, scenes.h
                aspect = line[0]["height"] / tube
                law = 1.24 * aspect if aspect < 1.7 else 1.6 * math.sqrt(aspect)
                print(f"{engine}: aspect {aspect:.3f}, run-out {line[0]['radius'] / tube - 1.0:.3f}, law {law:.3f}")
    if len(rates) > 1:
        x, y = statistics.fmean(r[0] for r in rates), statistics.fmean(r[1] for r in rates)
        slope = sum((a - x) * (b - y) for a, b in rates) / sum((a - x) ** 2 for a, _ in rates)
        print(f"exponent of the discharge in D - 1.4 d: {slope:.3f}")
    write(arguments.result or default_result(arguments.root, "rigid-flow"), arguments.build, COLUMNS, rows)


def main():
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description="Saltus beside ODE, Bullet and Siconos on rigid bodies")
    parser.add_argument("--build", type=Path, default=here.parent.parent / "build" / "release" / "bench")
    parser.set_defaults(root=here.parent)
    verbs = parser.add_subparsers(required=True)
    one = verbs.add_parser("settle", help="the piles at rest")
    one.add_argument("folder", type=Path)
    one.set_defaults(call=settle)
    two = verbs.add_parser("measure", help="all engines, taking turns")
    two.add_argument("folder", type=Path)
    two.add_argument("result", type=Path, nargs="?")
    two.add_argument("--rounds", type=int, default=3)
    two.add_argument("--only", default="", help="scenes, with commas between")
    two.set_defaults(call=measure)
    three = verbs.add_parser("siconos", help="one contact problem of the pile of 1000")
    three.add_argument("folder", type=Path)
    three.add_argument("result", type=Path, nargs="?")
    three.add_argument("--longest", type=float, default=30.0, help="CPU seconds for one solve")
    three.set_defaults(call=siconos)
    four = verbs.add_parser("flow", help="column and silos")
    four.add_argument("result", type=Path, nargs="?")
    four.set_defaults(call=flow)
    arguments = parser.parse_args()
    arguments.call(arguments)


if __name__ == "__main__":
    main()
