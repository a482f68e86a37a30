#!/usr/bin/env python3
"""Saltus beside the libraries of Debian 12 on the same scenes: error and CPU time on ladders of steps and tolerances.

    run.py                        builds the drivers, measures all, writes bench/results/<cpu>/<date>-peers.csv and the page
    run.py --only top,string      some scenes; rows of others stay as they are in the table of the day
    run.py --without siconos      leaves peers out
    run.py --rounds 5 --limit 20  an odd number of rounds (3), CPU seconds that one rung may take (6)
    run.py --no-report            leaves docs/benchmarks.md alone

Peers that are not installed are skipped in one line. In each round all take their turn, a rung each; times are medians. The table
is written after each ladder of the first round, so that a run that is broken off leaves what it has. Limits are in CPU time: a
machine that others use makes the run longer, but leaves out nothing.
"""
import argparse
import csv
import datetime
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path = [p for p in sys.path if Path(p or ".").resolve() != HERE] + [str(HERE)]
import scenes  # noqa: E402

COLUMNS = ["scene", "peer", "version", "method", "parameter", "error", "seconds", "seconds_low", "seconds_high", "steps", "residual", "error_at_end"]
UNCHECKED = "libsiconos_unchecked.so"
ENVIRONMENT = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def halves(first, count):
    return [first / 2**k for k in range(count)]


def decades(first, last, step=1):
    return [10.0**-k for k in range(first, last + 1, step)]


TOLERANCES = decades(4, 12)
# Scene, peer, method, ladder: from coarse to fine.
CURVES = [
    ("top", "saltus", "events", decades(4, 12)),
    ("top", "saltus", "runge-kutta", halves(0.02, 7)),
    ("top", "saltus", "{kind: runge-kutta, table: dormand-prince}", halves(0.04, 7)),
    ("top", "saltus", "{kind: splitting, table: blanes-moan-6}", halves(1.25, 6)),
    ("top", "saltus", "{kind: splitting, table: blanes-moan-4}", halves(0.4, 6)),
    ("top", "saltus", "splitting", halves(0.02, 5)),
    ("top", "saltus", "rig-mid", halves(1e-3, 4)),
    ("top", "bullet", "rk4", halves(4e-3, 6)),
    ("top", "bullet", "multibody", halves(1e-3, 5)),
    ("top", "bullet", "impulses", halves(1e-3, 5)),
    ("top", "ode", "step", halves(1e-3, 6)),
    ("top", "mujoco", "rk4", halves(4e-3, 6)),
    ("top", "simbody", "merson", decades(4, 9)),
    ("top", "simbody", "feldberg", decades(4, 9)),
    ("top", "simbody", "cpodes", decades(4, 9)),
    ("top", "siconos", "moreau-jean", halves(2e-3, 4)),
    ("top", "odeint", "rkf78", TOLERANCES),
    ("top", "odeint", "dopri5", TOLERANCES),
    ("top", "odeint", "bulirsch-stoer", TOLERANCES),
    ("top", "sundials", "adams", TOLERANCES),
    ("top", "sundials", "erk8", TOLERANCES),
    ("ball", "saltus", "events", decades(4, 12, 4)),
    ("ball", "saltus", "moreau-jean", halves(0.01, 6)),
    ("ball", "siconos", "moreau-jean", halves(0.01, 7)),
    ("ball", "siconos", "events", halves(0.1, 2)),
    ("ball", "ode", "step", halves(0.01, 8)),
    ("ball", "bullet", "impulses", halves(0.01, 8)),
    ("ball", "mujoco", "newton", halves(0.005, 8)),
    ("ball", "mujoco", "rk4", halves(0.005, 8)),
    ("ball", "simbody", "merson", decades(3, 9, 2)),
    ("ball", "odeint", "dopri5", decades(4, 12, 2)),
    ("ball", "sundials", "adams", decades(4, 12, 2)),
    ("ball", "sundials", "erk5", decades(4, 12, 2)),
    ("incline", "saltus", "events", decades(4, 12, 4)),
    ("incline", "saltus", "rig-mid", halves(0.01, 7)),
    ("incline", "saltus", "point events", decades(4, 12, 4)),
    ("incline", "saltus", "point moreau-jean", halves(0.01, 7)),
    ("incline", "siconos", "nsgs", halves(0.01, 6)),
    ("incline", "ode", "step", halves(0.01, 8)),
    ("incline", "ode", "quick", halves(0.01, 8)),
    ("incline", "bullet", "impulses", halves(0.01, 8)),
    ("incline", "bullet", "mlcp", halves(0.01, 8)),
    ("incline", "mujoco", "noslip", halves(0.01, 8)),
    ("incline", "mujoco", "newton", halves(0.01, 8)),
    ("stack", "saltus", "rig-mid", halves(0.02, 4)),
    ("stack", "siconos", "nsgs", halves(0.01, 3)),
    ("stack", "ode", "quick 100", halves(0.01, 6)),
    ("stack", "ode", "quick 1000", halves(0.01, 5)),
    ("stack", "ode", "step", halves(0.01, 4)),
    ("stack", "bullet", "impulses 100", halves(0.01, 6)),
    ("stack", "bullet", "impulses 10000", halves(0.01, 4)),
    ("stack", "bullet", "nncg 1000", halves(0.01, 5)),
    ("stack", "bullet", "mlcp", halves(0.01, 4)),
    ("stack", "mujoco", "newton", halves(0.01, 5)),
    ("stack", "mujoco", "noslip", halves(0.01, 5)),
    ("wall", "saltus", "rig-mid", halves(0.02, 3)),
    ("wall", "siconos", "nsgs", halves(0.01, 2)),
    ("wall", "ode", "quick 100", halves(0.01, 5)),
    ("wall", "ode", "quick 1000", halves(0.01, 3)),
    ("wall", "bullet", "impulses 100", halves(0.01, 5)),
    ("wall", "bullet", "impulses 1000", halves(0.01, 3)),
    ("wall", "bullet", "nncg 1000", halves(0.01, 3)),
    ("wall", "mujoco", "newton", halves(0.01, 1)),
    ("wall", "mujoco", "cg", halves(0.01, 4)),
    ("pile", "saltus", "rig-pos/1e-3", halves(0.01, 4)),
    ("pile", "saltus", "rig-pos/1e-4", halves(0.01, 4)),
    ("pile", "saltus", "rig-pos/1e-6", halves(0.01, 4)),
    ("pile", "saltus", "rig-mid/1e-4", halves(0.01, 4)),
    ("pile", "siconos", "nsgs", halves(0.01, 2)),
    ("pile", "ode", "quick", halves(0.01, 5)),
    ("pile", "bullet", "impulses", halves(0.01, 5)),
    ("pile", "bullet", "nncg", halves(0.01, 5)),
    ("pile", "mujoco", "newton", halves(0.01, 4)),
    ("pile", "mujoco", "cg", halves(0.01, 4)),
    *[("heap", "saltus", method, halves(8e-3, 5)) for method in (
        "default", "rig-pos/1e-4", "rig-pos/1e-3", "rig-pos/1e-2", "rig-mid/1e-2", "rig-pos/x5", "rig-pos/x10", "rig-pos/x20")],
    *[("heap", peer, f"{method} {sweeps}", halves(8e-3, rungs)) for peer, method in (("ode", "quick"), ("bullet", "impulses"))
      for sweeps, rungs in ((10, 6), (20, 5), (50, 5), (100, 5), (300, 5))],
    ("heap", "siconos", "nsgs/1e-2", [8e-3]),
    ("chain", "saltus", "events", decades(3, 13)),
    ("chain", "saltus", "runge-kutta", halves(0.02, 6)),
    ("chain", "saltus", "rig-mid", halves(0.01, 5)),
    ("chain", "siconos", "moreau-jean", halves(0.01, 3)),
    ("chain", "ode", "step", halves(0.01, 8)),
    ("chain", "bullet", "rk4", halves(0.02, 7)),
    ("chain", "bullet", "multibody", halves(0.01, 8)),
    ("chain", "mujoco", "rk4", halves(0.02, 7)),
    ("chain", "simbody", "merson", decades(3, 10)),
    ("chain", "simbody", "cpodes", decades(3, 10)),
    ("chain", "odeint", "rkf78", decades(3, 11)),
    ("chain", "odeint", "dopri5", decades(3, 11)),
    ("chain", "sundials", "adams", decades(3, 11)),
    ("chain", "sundials", "erk8", decades(3, 11)),
    ("impact", "saltus", "events", TOLERANCES),
    ("impact", "saltus", "moreau-jean", [50 * 4**k for k in range(6)]),
    ("impact", "siconos", "moreau-jean", [50 * 4**k for k in range(5)]),
    ("impact", "simbody", "merson", decades(3, 9)),
    ("impact", "odeint", "dopri5", TOLERANCES),
    ("impact", "sundials", "adams", TOLERANCES),
    ("impact", "sundials", "erk5", TOLERANCES),
    ("friction", "saltus", "events", decades(4, 12, 4)),
    ("friction", "saltus", "moreau-jean", halves(0.01, 6)),
    ("friction", "siconos", "moreau-jean", halves(0.01, 6)),
    ("linear", "saltus", "modal-exact", [1.0]),
    ("linear", "saltus", "moreau-jean", halves(4e-3, 7)),
    ("linear", "saltus", "runge-kutta", halves(8e-3, 6)),
    ("linear", "siconos", "moreau-jean", halves(4e-3, 5)),
    ("linear", "odeint", "rkf78", TOLERANCES),
    ("linear", "odeint", "dopri5", TOLERANCES),
    ("linear", "sundials", "adams", TOLERANCES),
    ("linear", "sundials", "erk8", TOLERANCES),
]
# CPU seconds that a rung may take, in place of --limit, and above which it is measured in one round only. A rung of Siconos takes
# a quarter of an hour on the heap.
LIMITS = {"heap": (60.0, 3.0)}
LONG = {("heap", "siconos"): 300.0}
# The string has no exact answer under its law: both run the same recursion, and the column `error` is their difference [m].
STRINGS = [("string, e = 1", "1,3.6e-3,0.03"), ("string, e = 0", "0,3.6e-3,0.03"), ("string, mostly quiet", "1,3.6e-3,1"), ("string, untouched", "1,{quiet},1")]


def cpu_seconds(pid):
    """Of a process so far. A limit of the kernel (RLIMIT_CPU) would make the clock of the driver tick in steps of 4 ms."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def call(folder, peer, scene, parameter, method, limit):
    """What a driver printed, or None: it failed, or took more than 5 limits of CPU time (a driver repeats what is quick)."""
    seconds = 600 if scene == "string" else math.ceil(5.0 * limit) + 10
    command = ["/usr/bin/python3", HERE / "siconos.py"] if peer == "siconos" else [folder / peer]
    command = [str(c) for c in command] + [scene, repr(parameter), method]
    environment = ENVIRONMENT | ({"LD_PRELOAD": str(folder / UNCHECKED), "SALTUS_PEERS": str(folder)} if peer == "siconos" else {})
    # in a folder of its own: MuJoCo writes a log where it runs
    with tempfile.TemporaryDirectory() as where, tempfile.TemporaryFile("w+") as out, subprocess.Popen(
            command, stdout=out, stderr=subprocess.DEVNULL, env=environment, cwd=where) as process:
        while process.poll() is None:
            try:
                process.wait(0.5)
            except subprocess.TimeoutExpired:
                if cpu_seconds(process.pid) > seconds:
                    process.kill()
        out.seek(0)
        try:
            return json.loads(out.read().strip().splitlines()[-1])
        except (json.JSONDecodeError, IndexError):
            return None


def versions(folder):
    found = {}
    for peer in ["saltus", "siconos", "ode", "bullet", "mujoco", "simbody", "odeint", "sundials"]:
        command = ["/usr/bin/python3", str(HERE / "siconos.py")] if peer == "siconos" else [str(folder / peer)]
        try:
            done = subprocess.run(command + ["--version"], capture_output=True, text=True, check=False)
        except OSError:
            continue
        if done.returncode == 0:
            found[peer] = done.stdout.strip().splitlines()[-1]
    return found


class Rung:
    def __init__(self, scene, peer, method, parameter, argument):
        self.scene, self.peer, self.method, self.parameter, self.argument = scene, peer, method, parameter, argument
        self.seconds, self.error, self.steps, self.values, self.residual = [], math.nan, 0, None, None


def measure(arguments, installed, wanted, save):
    """All rungs of one scene; `save` is called after each ladder."""
    rungs = []
    limit, once = LIMITS.get(wanted, (arguments.limit, arguments.limit))
    limit_of = {peer: LONG.get((wanted, peer), limit) for peer in installed}
    curves = [(scene, peer, method, [(p, method) for p in ladder]) for scene, peer, method, ladder in CURVES]
    quiet = scenes.STRING["quiet_height"]
    for name, method in STRINGS:
        method = method.replace("{quiet}", repr(quiet))
        curves += [(name, peer, "modal-exact" if peer == "saltus" else "MoreauJeanBilbao", [(scenes.STRING["rate"], method)])
                   for peer in ("saltus", "siconos")]
    for number in range(arguments.rounds):
        for scene, peer, method, ladder in curves:
            driver_scene = scene.split(",")[0]
            if peer not in installed or driver_scene != wanted:
                continue
            if number == 0:
                for parameter, argument in ladder:
                    rung = Rung(scene, peer, method, parameter, argument)
                    answer = call(arguments.folder, peer, driver_scene, parameter, argument, limit_of[peer])
                    if answer is None:
                        print(f"peers: {scene} {peer} {method} {parameter:g}: no result", file=sys.stderr)
                        break
                    rung.values, rung.steps, rung.residual = answer["values"], answer["steps"], answer.get("residual")
                    rung.seconds.append(answer["seconds"])
                    rungs.append(rung)
                    if driver_scene != "string":
                        rung.error = scenes.error(scene, rung.values)
                    print(f"{scene:14} {peer:9} {method:20.20} {parameter:<9.3g} error {rung.error:.2e}  {rung.seconds[0]:.3e} s",
                          flush=True)
                    if answer["seconds"] > 0.4 * limit_of[peer]:
                        break
                save(rungs)
            else:
                for rung in [r for r in rungs if (r.scene, r.peer, r.method) == (scene, peer, method)]:
                    if rung.seconds[0] > once:
                        continue
                    answer = call(arguments.folder, peer, driver_scene, rung.parameter, rung.argument, limit_of[peer])
                    if answer:
                        rung.seconds.append(answer["seconds"])
    for scene in {r.scene for r in rungs if r.scene.startswith("string")}:
        both = [r for r in rungs if r.scene == scene]
        if len(both) == 2:
            for rung in both:
                rung.error = max(abs(a - b) for a, b in zip(both[0].values, both[1].values))
    return rungs


def cpu():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")


def write(output, today, rounds, rungs, installed):
    """Rows of other scenes that the table has already stay."""
    output.parent.mkdir(parents=True, exist_ok=True)
    if not rungs:
        return
    measured, kept = {r.scene for r in rungs}, []
    if output.exists():
        with open(output, encoding="utf-8", newline="") as file:
            kept = [row for row in csv.DictReader(line for line in file if not line.startswith("#"))
                    if row["scene"] not in measured]
    with open(output, "w", encoding="utf-8", newline="") as file:
        file.write(f"# date {today}\n# cpu {cpu()}\n# rounds {rounds}\n")
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(kept)
        for r in rungs:
            table.writerow({"scene": r.scene, "peer": r.peer, "version": installed[r.peer], "method": r.method,
                            "parameter": f"{r.parameter:.6g}", "error": f"{r.error:.4e}",
                            "seconds": f"{statistics.median(r.seconds):.4e}", "seconds_low": f"{min(r.seconds):.4e}",
                            "seconds_high": f"{max(r.seconds):.4e}", "steps": r.steps,
                            "residual": "" if r.residual is None else f"{r.residual:.2e}",
                            "error_at_end": f"{r.values[1]:.4e}" if r.scene == "heap" else ""})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="top,ball,incline,impact,friction,linear,chain,string,stack,wall,pile,heap")
    parser.add_argument("--without", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=6.0)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "peers")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--no-report", action="store_true")
    arguments = parser.parse_args()
    arguments.folder = arguments.folder.resolve()
    if arguments.rounds % 2 == 0:
        sys.exit("run.py: --rounds must be odd")
    if not arguments.no_build:
        subprocess.run([str(HERE / "build.sh"), str(arguments.folder)], check=True)
    installed = versions(arguments.folder)
    missing = sorted({peer for _, peer, _, _ in CURVES} - set(installed))
    if missing:
        print("peers: skipped, not installed: " + ", ".join(missing))
    for peer in filter(None, arguments.without.split(",")):
        installed.pop(peer, None)
    slug = re.sub(r"[^a-z0-9]+", "-", re.sub(r"\((r|tm)\)", "", cpu().lower())).strip("-")
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%F")
    output = arguments.output or ROOT / "bench" / "results" / slug / f"{today}-peers.csv"
    for scene in arguments.only.split(","):
        def save(rungs):
            write(output, today, arguments.rounds, rungs, installed)

        save(measure(arguments, installed, scene, save))
    print(output)
    if not arguments.no_report:
        subprocess.run([sys.executable, str(HERE / "report.py"), str(output)], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
