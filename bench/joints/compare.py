#!/usr/bin/env python3
"""A chain on hinges under Saltus beside ODE and Bullet (docs/howto/compare_joints.md).

    compare.py measure [RESULT.csv]  all engines, taking turns; medians and ratios
"""
import argparse
import math
import os
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "rigid"))
import compare as rigid  # provenance, names of results and runs of a program are those of the rigid scenes

# program, settings, links that it is run with
ENGINES = [
    ("saltus_chain", ["scheme=rig-mid"], [1, 10, 100, 1000]),
    ("saltus_chain", ["scheme=moreau-jean"], [10, 100, 1000]),
    ("ode_chain", ["solver=step"], [1, 10, 100]),  # dense: 1000 links would take seconds a step
    ("ode_chain", ["solver=quick"], [1, 10, 100, 1000]),
    ("bullet_chain", ["joints=impulses"], [1, 10, 100, 1000]),
    ("bullet_chain", ["joints=multibody"], [1, 10, 100, 1000]),
    ("bullet64_chain", ["joints=impulses"], [1, 10, 100, 1000]),
    ("bullet64_chain", ["joints=multibody"], [1, 10, 100, 1000]),
]
COLUMNS = ["links", "engine", "step", "time", "seconds", "seconds_low", "seconds_high", "per_link", "ratio", "gap",
           "energy", "tip"]


def provenance(build):
    """As for the rigid scenes, with the program that is here."""
    lines = [line for line in rigid.provenance(build) if not line.startswith(("# saltus", "# libsiconos"))]
    version = rigid.subprocess.run([build / "saltus_chain", "--version"], capture_output=True, text=True,
                                   check=False).stdout
    return lines + [f"# saltus {version.strip() or 'unknown'}",
                    f"# rounds taking turns, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"]


def write(path, build, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("\n".join(provenance(build)) + "\n")
        table = rigid.csv.DictWriter(file, COLUMNS, restval="", extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    print(path)


def measure(arguments):
    rows = []
    for links in [1, 10, 100, 1000]:
        entries = [(arguments.build / program, settings, []) for program, settings, sizes in ENGINES
                   if links in sizes and (arguments.build / program).exists()]
        for _ in range(arguments.rounds):  # taking turns, so that the noise of the machine is shared
            for program, settings, found in entries:
                line = rigid.run([program, "chain", f"links={links}", f"seconds={arguments.seconds}"] + settings)
                if line:
                    found.append(line[0])
        entries = [e for e in entries if e[2]]
        medians = [statistics.median(r["seconds"] for r in found) for _, _, found in entries]
        others = {program.name + settings[0]: m for m, (program, settings, _) in zip(medians, entries)
                  if program.name != "saltus_chain"}
        swept = [m for name, m in others.items() if "multibody" not in name]  # joints between bodies, as ours
        for median, (program, _, found) in zip(medians, entries):
            row = dict(found[-1])
            if program.name.startswith("bullet64"):
                row["engine"] = row["engine"].replace("bullet", "bullet64", 1)
            row |= {"seconds": f"{median:.4e}", "seconds_low": f"{min(r['seconds'] for r in found):.4e}",
                    "seconds_high": f"{max(r['seconds'] for r in found):.4e}", "per_link": f"{median / links:.3e}"}
            if program.name == "saltus_chain" and swept:
                row["ratio"] = f"{median / min(swept):.3f}"
            rows.append(row)
            print(f"{links:5d} {row['engine']:32s} {1e6 * median:10.2f} us  gap {row['gap']:.1e} m  "
                  f"energy {row['energy']:.1e}  {row.get('ratio', '')}", flush=True)
    several = [(math.log(r["links"]), math.log(float(r["seconds"]))) for r in rows
               if r["engine"].startswith("saltus rig-mid") and r["links"] >= 10]
    if len(several) > 1:
        x, y = statistics.fmean(s[0] for s in several), statistics.fmean(s[1] for s in several)
        slope = sum((a - x) * (b - y) for a, b in several) / sum((a - x) ** 2 for a, _ in several)
        print(f"time a step grows as n^{slope:.2f}")
    write(arguments.result or rigid.default_result(arguments.root, "joints"), arguments.build, rows)


def main():
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description="A chain under Saltus, ODE and Bullet")
    parser.add_argument("--build", type=Path, default=here.parent.parent / "build" / "release" / "bench")
    parser.set_defaults(root=here.parent)
    verbs = parser.add_subparsers(required=True)
    one = verbs.add_parser("measure", help="all engines, taking turns")
    one.add_argument("result", type=Path, nargs="?")
    one.add_argument("--rounds", type=int, default=3)
    one.add_argument("--seconds", type=float, default=10.0, help="CPU time of a run, at most")
    one.set_defaults(call=measure)
    arguments = parser.parse_args()
    arguments.call(arguments)


if __name__ == "__main__":
    main()
