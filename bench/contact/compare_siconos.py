#!/usr/bin/env python3
# Saltus against the best configuration of Siconos, problem by problem: CPU time of a solve to a residual of 1e-8, or --goal.
# docs/howto/compare_siconos.md says how to run it and what is in the tables.
#
#     compare_siconos.py search  DATA SEARCH.csv                every configuration of Siconos on every problem of DATA
#     compare_siconos.py measure DATA SEARCH.csv RESULT.csv     the best of them and Saltus, taking turns
#     compare_siconos.py summary RESULT.csv                     prints the ratios
#
# DATA: a folder of FCLIB local problems. --build FOLDER: where the programs siconos_time and solve_time are.
import argparse
import csv
import datetime
import math
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
LONGEST = 10.0  # s of CPU time for one solve
DENSE_BELOW = 900  # rows; above, W as a matrix only costs time
SEARCH_COLUMNS = ["problem", "contacts", "configuration", "storage", "status", "tolerance", "info", "iterations",
                  "residual", "seconds", "repetitions", "limit"]
RESULT_COLUMNS = ["problem", "contacts", "siconos", "storage", "tolerance", "siconos_residual", "siconos_seconds",
                  "saltus_residual", "saltus_iterations", "saltus_seconds", "saltus_kept_seconds", "ratio"]


def run(arguments, seconds):
    """Output and exit code of a program; -1 when it has not ended long after its CPU time."""
    try:
        done = subprocess.run(["nice", "-n", "5", *map(str, arguments)], capture_output=True, text=True,
                              env=os.environ | ONE_THREAD, timeout=60 + 20 * seconds, check=False)
        return done.stdout.strip(), done.returncode
    except subprocess.TimeoutExpired:
        return "", -1


def provenance(build):
    """Comment lines at the head of a table."""
    cpu = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                if line.startswith("model name")), platform.machine())
    siconos = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "libsiconos-numerics7"], capture_output=True,
                             text=True, check=False).stdout or "unknown"
    text = run([build / "solve_time", "--version"], 1)[0] if (build / "solve_time").exists() else ""
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%F")
    lines = [f"date {today}", f"cpu {cpu}", f"siconos {siconos}"] + ([f"saltus {text}"] if text else [])
    return [f"# {line}" for line in lines]


def read_table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def problems(build, data):
    """(path, rows, contacts, dimension) of every file, small ones first."""
    found = []
    for path in sorted(Path(data).glob("*.hdf5")):
        out, code = run([build / "siconos_time", "--size", path], 1)
        if code == 0:
            contacts, dimension = map(int, out.split(","))
            found.append((path, contacts * dimension, contacts, dimension))
        else:
            print(f"{path.name}: cannot be read", file=sys.stderr)
    return sorted(found, key=lambda p: (p[1], p[0].name))


def search(arguments):
    build = arguments.build
    configurations = [line.split(",") for line in run([build / "siconos_time", "--list"], 1)[0].split()]
    done = set()
    if Path(arguments.search).exists():  # goes on where it was interrupted
        done = {(r["problem"], r["configuration"], r["storage"]) for r in read_table(arguments.search)}
    else:
        with open(arguments.search, "w", encoding="utf-8") as file:
            file.write("\n".join(provenance(build)) + "\n" + ",".join(SEARCH_COLUMNS) + "\n")
    rows = read_table(arguments.search)
    for path, size, contacts, dimension in problems(build, arguments.data):
        times = [float(r["seconds"]) for r in rows if r["problem"] == path.stem and r["status"] == "ok"]
        best = min(times, default=LONGEST)
        for name, of_dimension in configurations:
            for storage in ["block", "sparse", "dense"]:
                if int(of_dimension) != dimension or (storage == "dense" and size > DENSE_BELOW):
                    continue
                if (path.stem, name, storage) in done or name not in (arguments.only.split(",") if arguments.only else [name]):
                    continue
                limit = min(LONGEST, max(0.3, arguments.patience * best))  # slower ones cannot be the best
                out, code = run([build / "siconos_time", path, name, storage, "search", limit, arguments.goal], limit)
                row = dict.fromkeys(SEARCH_COLUMNS, "") | {"problem": path.stem, "contacts": contacts,
                                                           "configuration": name, "storage": storage,
                                                           "limit": f"{limit:.3g}"}
                if code == 0 and out:
                    row |= zip(["tolerance", "info", "iterations", "residual", "seconds", "repetitions"],
                               out.splitlines()[-1].split(","))
                    row["status"] = "ok"
                    best = min(best, float(row["seconds"]))
                else:
                    row["status"] = {3: "slow", 1: "inaccurate"}.get(code, "crashed")
                with open(arguments.search, "a", encoding="utf-8", newline="") as file:
                    csv.DictWriter(file, SEARCH_COLUMNS, lineterminator="\n").writerow(row)
        print(f"{path.stem}: {best:.3g} s", flush=True)


def measure(arguments):
    build, table = arguments.build, read_table(arguments.search)
    result = []
    for path, _, contacts, _ in problems(build, arguments.data):
        ok = [r for r in table if r["problem"] == path.stem and r["status"] == "ok"]
        ok = sorted(ok, key=lambda r: float(r["seconds"]))[:arguments.best]
        times = {k: [] for k in range(len(ok))}
        ours, kept, last = [], [], None
        for _ in range(arguments.rounds):  # taking turns, so that the noise of the machine is shared
            for k, r in enumerate(ok):
                out, code = run([build / "siconos_time", path, r["configuration"], r["storage"], r["tolerance"],
                                 4 * LONGEST, arguments.goal], LONGEST)
                if code == 0 and out:
                    times[k].append(float(out.splitlines()[-1].split(",")[4]))
            out, code = run([build / "solve_time", path, arguments.goal, arguments.solver], LONGEST)
            if code == 0 and out:
                last = out.splitlines()[-1].split(",")
                ours.append(float(last[2]))
                kept.append(float(last[4]))
        medians = {k: statistics.median(t) for k, t in times.items() if t}
        row = dict.fromkeys(RESULT_COLUMNS, "") | {"problem": path.stem, "contacts": contacts}
        if medians:
            k = min(medians, key=medians.get)
            row |= {"siconos": ok[k]["configuration"], "storage": ok[k]["storage"], "tolerance": ok[k]["tolerance"],
                    "siconos_residual": ok[k]["residual"], "siconos_seconds": f"{medians[k]:.4e}"}
        if ours:
            row |= {"saltus_residual": last[0], "saltus_iterations": last[1],
                    "saltus_seconds": f"{statistics.median(ours):.4e}",
                    "saltus_kept_seconds": f"{statistics.median(kept):.4e}"}
        if medians and ours:
            row["ratio"] = f"{statistics.median(ours) / min(medians.values()):.3f}"
        result.append(row)
        print(",".join(str(row[c]) for c in RESULT_COLUMNS), flush=True)
    with open(arguments.result, "w", encoding="utf-8", newline="") as file:
        file.write("\n".join(provenance(build)) + "\n")
        writer = csv.DictWriter(file, RESULT_COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(result)
    summary(arguments)


def summary(arguments):
    table = read_table(arguments.result)
    compared = [(float(r["ratio"]), r) for r in table if r["ratio"]]
    for ratio, r in sorted(compared, key=lambda c: -c[0]):
        print(f"{r['problem']:45s} {float(r['saltus_seconds']):.3e} s  {float(r['siconos_seconds']):.3e} s  "
              f"{ratio:8.3f}  {r['siconos']} ({r['storage']}, {r['tolerance']})")
    for r in table:
        if not r["ratio"]:
            print(f"{r['problem']:45s} not compared: " + ("Siconos failed" if r["saltus_seconds"] else "Saltus failed"))
    if not compared:
        return
    def mean(rows):
        return math.exp(statistics.fmean(math.log(ratio) for ratio, _ in rows))
    large = [c for c in compared if int(c[1]["contacts"]) >= 20]
    print(f"geometric mean of Saltus/Siconos best: {mean(compared):.3f} over {len(compared)} problems")
    if large:
        print(f"with at least 20 contacts: {mean(large):.3f} over {len(large)}")
    slow = [c for c in compared if float(c[1]["saltus_seconds"]) > 20e-6]
    if slow:
        print(f"largest ratio of those above 20 us: {max(slow, key=lambda c: c[0])[0]:.3f}")


def main():
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description="Saltus against the best configuration of Siconos")
    parser.add_argument("--build", type=Path, default=here.parent.parent / "build" / "release" / "bench")
    parser.add_argument("--goal", default="1e-8", help="residual that both reach, by our measure")
    verbs = parser.add_subparsers(required=True)
    one = verbs.add_parser("search", help="every configuration of Siconos on every problem")
    one.add_argument("data")
    one.add_argument("search")
    one.add_argument("--only", default="", help="configurations, with commas between; all when not given")
    one.add_argument("--patience", type=float, default=10.0, help="a configuration may take so many times the best so far")
    one.set_defaults(call=search)
    two = verbs.add_parser("measure", help="the best configurations and Saltus, taking turns")
    two.add_argument("data")
    two.add_argument("search")
    two.add_argument("result")
    two.add_argument("--solver", default="auto", help="ours")
    two.add_argument("--best", type=int, default=3, help="configurations a problem")
    two.add_argument("--rounds", type=int, default=5)
    two.set_defaults(call=measure)
    three = verbs.add_parser("summary", help="the ratios of a table")
    three.add_argument("result")
    three.set_defaults(call=summary)
    arguments = parser.parse_args()
    arguments.call(arguments)


if __name__ == "__main__":
    main()
