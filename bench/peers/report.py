#!/usr/bin/env python3
"""Writes docs/benchmarks.md and docs/pictures/peers_<scene>.svg from a table of run.py.

    report.py [TABLE.csv]      the newest of bench/results/*/ when not given
"""
import csv
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE, PICTURES = ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "pictures"

# Scene: title, what the error is, unit, the error at which times are compared.
SCENES = {
    "top": ("Heavy top", "angle between the attitudes after 10 s (some 80 turns about the axis, ten nods)", "rad", 1e-5),
    "ball": ("Bouncing ball", "largest error of the height at 30 times, six impacts with restitution 0.8", "m", 1e-4),
    "incline": ("Box on an incline", "position after 1 s: slides up, stops, stays at rest", "m", 1e-5),
    "stack": ("Stack of ten cubes", "largest displacement of a cube after 2 s at rest", "m", 1e-5),
    "wall": ("Wall of 68 bricks", "largest displacement of a brick after 2 s at rest", "m", 1e-5),
    "pile": ("Pile of 64 balls", "the larger of the deepest penetration at 3 s and the displacement of a ball from 2.5 s to 3 s", "m", 1e-4),
    "heap": ("Heap of a thousand balls", "deepest penetration over the second in which the balls are dropped", "m", 1e-3),
    "chain": ("Chain of eight rods", "largest error of a mass centre at four times up to 2 s", "m", 1e-5),
    "impact": ("Impact oscillator", "largest error in the middle of ten periods with one impact each", "m", 1e-5),
    "friction": ("Friction oscillator", "position at which it sticks", "m", 1e-5),
    "linear": ("A hundred masses between springs", "largest error of a mass after 1 s", "m", 1e-6),
}
LEVELS = {"heap": (3e-3, 1e-3, 4e-4, 3e-4)}  # errors at which times are compared one by one
NAMES = {"saltus": "Saltus", "siconos": "Siconos", "ode": "ODE", "bullet": "Bullet", "mujoco": "MuJoCo", "simbody": "Simbody",
         "odeint": "odeint", "sundials": "SUNDIALS"}
BY_HAND = {"odeint", "sundials"}  # integrators: the user writes the equations of the scene
COLOURS = {"saltus": "#d62728", "siconos": "#1f77b4", "ode": "#2ca02c", "bullet": "#9467bd", "mujoco": "#8c564b",
           "simbody": "#e377c2", "odeint": "#7f7f7f", "sundials": "#bcbd22"}


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.read().splitlines()
    about = dict(line[2:].split(" ", 1) for line in lines if line.startswith("# "))
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    for row in rows:
        for key in ("error", "seconds", "parameter"):
            if key in row:
                row[key] = float(row[key])
    return about, rows


def curves(rows, scene):
    """{(peer, method): [(error, seconds)] in the order of the ladder}"""
    found = {}
    for row in rows:
        if row["scene"] == scene:
            found.setdefault((row["peer"], row["method"]), []).append((row["error"], row["seconds"]))
    return found


def time_at(points, error):
    """CPU time at which a ladder reaches `error`, between the rungs around it on logarithmic axes; None: it does not."""
    best = None
    for k, (e, t) in enumerate(points):
        if not e <= error:
            continue
        if k > 0 and math.isfinite(points[k - 1][0]) and points[k - 1][0] > error and e > 0.0:
            a, s = points[k - 1]
            part = math.log(a / error) / math.log(a / e)
            t = min(t, s * (t / s) ** part) if s > 0.0 else t
        best = t if best is None else min(best, t)
    return best


def target_of(scene, by_curve):
    """The error asked for, or the smallest power of ten that a peer reaches where none reaches that."""
    asked = SCENES[scene][3]
    others = [e for (peer, _), points in by_curve.items() if peer != "saltus" for e, _ in points if math.isfinite(e)]
    if not others or min(others) <= asked:
        return asked
    return 10.0 ** math.ceil(math.log10(min(others)))


def number(x, digits=2):
    if x is None:
        return "-"
    if x == 0.0:
        return "0"
    return f"{x:.{digits - 1}e}".replace("e-0", "e-").replace("e+0", "e")


def seconds(x):
    if x is None:
        return "not reached"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if x >= size:
            return f"{x / size:.3g} {unit}"
    return f"{x * 1e9:.3g} ns"


def ratio(a, b):
    return "-" if a is None or b is None else f"{a / b:.2g}"


def method_name(method):
    return method.replace("{kind: ", "").replace(", table: ", " ").replace("}", "")


def summary(rows, scene):
    """(target, rows of the table by peer): best error, time at the target, with which method."""
    by_curve = curves(rows, scene)
    target, found = target_of(scene, by_curve), {}
    for (peer, method), points in by_curve.items():
        error = min((e for e, _ in points if math.isfinite(e)), default=math.inf)
        time = time_at(points, target)
        row = found.setdefault(peer, {"error": math.inf, "time": None, "with": "", "best": ""})
        if error < row["error"]:
            row["error"], row["best"] = error, method
        if time is not None and (row["time"] is None or time < row["time"]):
            row["time"], row["with"] = time, method
    return target, found


def level_table(rows, scene):
    """Time of the quickest ladder of each peer at each of LEVELS, and the ratio of Saltus to it."""
    by_curve, unit = curves(rows, scene), SCENES[scene][2]
    quickest = {}
    for (peer, method), points in by_curve.items():
        for level in LEVELS[scene]:
            time = time_at(points, level)
            if time is not None and time < quickest.get((peer, level), (math.inf, ""))[0]:
                quickest[peer, level] = time, method
    text = ["", "| library | " + " | ".join(f"time at {number(level, 1)} {unit} | by | Saltus / it" for level in LEVELS[scene]) + " |",
            "|---" + "|---|---|---" * len(LEVELS[scene]) + "|"]
    for peer in (p for p in NAMES if any(key[0] == p for key in by_curve)):
        cells = []
        for level in LEVELS[scene]:
            time, method = quickest.get((peer, level), (None, ""))
            ours = quickest.get(("saltus", level), (None, ""))[0]
            cells += [seconds(time), method_name(method), "" if peer == "saltus" else ratio(ours, time)]
        text.append(f"| {NAMES[peer]} | " + " | ".join(cells) + " |")
    return text


def end_table(rows, scene):
    """What the measure over the whole run hides, and the residual of the contact problems where a library says it."""
    text = ["", "| library | by | step | deepest over the run | at its end | residual | time |", "|---|---|---|---|---|---|---|"]
    shown = [row for row in rows if row["scene"] == scene and row.get("error_at_end") and row["parameter"] in (2e-3, 8e-3)]
    for row in shown:
        if row["peer"] == "siconos" or row["parameter"] == 2e-3:
            text.append(f"| {NAMES[row['peer']]} | {method_name(row['method'])} | {1e3 * row['parameter']:g} ms | {1e3 * row['error']:.2f} mm | "
                        f"{1e3 * float(row['error_at_end']):.2f} mm | {number(float(row['residual'])) if row['residual'] else '-'} | "
                        f"{seconds(row['seconds'])} |")
    return text


def problem_table(path):
    """Contact problems of the heap beside Siconos: the newest <date>-heap-siconos-<goal>.csv beside the table of the peers."""
    found = sorted(Path(path).resolve().parent.glob("*-heap-siconos-*.csv"))
    found = [p for p in found if p.name[:10] == found[-1].name[:10]]
    text = ["", "| required residual | instant | contacts | Saltus | its residual | Siconos | its residual | by | Siconos / Saltus |",
            "|---|---|---|---|---|---|---|---|---|"]
    for file in found:
        goal = file.stem.split("-siconos-")[1]
        for row in read(file)[1]:
            cells = [goal, f"{int(row['problem'].split('-')[1][:-2])} ms", row["contacts"], seconds(float(row["saltus_seconds"])),
                     number(float(row["saltus_residual"]))]
            if row["siconos_seconds"]:
                cells += [seconds(float(row["siconos_seconds"])), number(float(row["siconos_residual"])),
                          f"{row['siconos']} ({row['storage']})", f"{1.0 / float(row['ratio']):.3g}"]
            else:
                cells += ["> 10 s", "-", "none", f"> {10.0 / float(row['saltus_seconds']):.2g}"]
            text.append("| " + " | ".join(cells) + " |")
    return text if found else []


def picture(rows, scene):
    """Error against time, both logarithmic; the best two ladders of each peer would be hard to read, so all are drawn thin."""
    by_curve = {key: [(e, t) for e, t in points if 0.0 < e < math.inf] for key, points in curves(rows, scene).items()}
    everything = [p for points in by_curve.values() for p in points]
    low, high = (f(math.log10(e) for e, _ in everything) for f in (min, max))
    first, last = (f(math.log10(t) for _, t in everything) for f in (min, max))
    low, high, first, last = max(math.floor(low), -16), min(math.ceil(high), 2), math.floor(first), math.ceil(last)
    left, top, wide, tall = 70.0, 12.0, 500.0, 330.0

    def x(t):
        return left + wide * (math.log10(t) - first) / max(last - first, 1)

    def y(e):
        return top + tall * (high - min(max(math.log10(e), low), high)) / max(high - low, 1)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="700" height="{top + tall + 48:.0f}" font-family="sans-serif" font-size="12">',
           f'<rect width="700" height="{top + tall + 48:.0f}" fill="#ffffff"/>']
    for k in range(first, last + 1):
        out.append(f'<line x1="{x(10.0**k):.1f}" y1="{top}" x2="{x(10.0**k):.1f}" y2="{top + tall}" stroke="#dddddd"/>')
        out.append(f'<text x="{x(10.0**k):.1f}" y="{top + tall + 16}" text-anchor="middle">1e{k}</text>')
    for k in range(low, high + 1, 1 if high - low < 9 else 2):
        out.append(f'<line x1="{left}" y1="{y(10.0**k):.1f}" x2="{left + wide}" y2="{y(10.0**k):.1f}" stroke="#dddddd"/>')
        out.append(f'<text x="{left - 6}" y="{y(10.0**k) + 4:.1f}" text-anchor="end">1e{k}</text>')
    unit = SCENES[scene][2]
    out.append(f'<text x="{left + wide / 2}" y="{top + tall + 36}" text-anchor="middle">CPU time of the loop [s]</text>')
    out.append(f'<text x="16" y="{top + tall / 2}" text-anchor="middle" transform="rotate(-90 16 {top + tall / 2})">error [{unit}]</text>')
    dashes, seen = ["", "6 3", "2 3", "8 3 2 3"], {}
    for (peer, method), points in sorted(by_curve.items(), key=lambda item: item[0][0] == "saltus"):
        dash = dashes[seen.get(peer, 0) % len(dashes)]
        seen[peer] = seen.get(peer, 0) + 1
        way = " ".join(f"{x(t):.1f},{y(e):.1f}" for e, t in points)
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        width = 2.2 if peer == "saltus" else 1.2
        out.append(f'<polyline points="{way}" fill="none" stroke="{COLOURS[peer]}" stroke-width="{width}"{extra}>'
                   f"<title>{NAMES[peer]} {method_name(method)}</title></polyline>")
        out += [f'<circle cx="{x(t):.1f}" cy="{y(e):.1f}" r="2.5" fill="{COLOURS[peer]}"/>' for e, t in points]
    for k, peer in enumerate(p for p in NAMES if p in seen):
        out.append(f'<rect x="{left + wide + 14}" y="{top + 18 * k + 2}" width="14" height="4" fill="{COLOURS[peer]}"/>')
        out.append(f'<text x="{left + wide + 34}" y="{top + 18 * k + 9}">{NAMES[peer]}</text>')
    (PICTURES / f"peers_{scene}.svg").write_text("\n".join(out + ["</svg>"]) + "\n", encoding="utf-8")


HEAD = """# Saltus compared with other libraries

This page compares the accuracy and cost of Saltus with libraries available in Debian 12 on several scenes, including those in which others
are better.

Measured by `bench/peers/run.py` on {cpu}, {date}; one thread, CPU time of the loop only, {rounds} in which all libraries
ran in turn. The command writes this page and its pictures from [its table]({table}).

The scenes are identical for all libraries ([scenes.py](../bench/peers/scenes.py)): masses, sizes, friction, gravity, initial state, end time,
and the reference solution with its provenance: closed forms, and for top and chain a run of an independent integrator of order 8 at a
tolerance of 1e-13. Each method of a library is run for a sequence of steps or tolerances; *best error* is that of the finest run, *time* the
CPU time at which the fastest method reaches the given error, interpolated between two runs on logarithmic axes.

| library | version | used as | equations |
|---|---|---|---|
| Saltus | {saltus} | event-driven integration; `rig-mid`, `rig-pos`, `splitting`, `runge-kutta`, `moreau-jean`, `modal-exact`; without the energy ledger, which the others do not have | from the scene |
| Siconos | {siconos} | `MoreauJeanOSI` with theta 1/2, LCP or NSGS to 1e-8 (heap: 1e-2), `MoreauJeanBilbaoOSI`; `LsodarOSI` with events for the ball; contacts detected by Bullet | from the scene |
| ODE | {ode} | `dWorldStep` (direct), `dWorldQuickStep` with 10 to 1000 sweeps | from the scene |
| Bullet | {bullet} | `btMultiBody` with its Runge-Kutta steps; sequential impulses and conjugate gradients with 10 to 10000 sweeps, MLCP by Dantzig's method | from the scene |
| MuJoCo | {mujoco} | RK4 for smooth motion; Euler, elliptic cones, Newton's solver to 1e-12 or CG, stiffest contact that the manual allows | from the scene |
| Simbody | {simbody} | Runge-Kutta-Merson, Feldberg, CPodes (Adams); impacts as located events; no rigid contact with friction | from the scene |
| odeint | {odeint} | Runge-Kutta-Fehlberg 7(8), Dormand-Prince 5, Bulirsch-Stoer | hand-written |
| SUNDIALS | {sundials} | CVODE (Adams), ARKODE (explicit, order 5 and 8), root finding | hand-written |

odeint and SUNDIALS are integrators: the user derives and writes the right-hand side of each scene, which only has to be evaluated. They
show the minimum cost of smooth motion, and are listed separately below.
"""


def told_rounds(rounds):
    return "one round" if rounds == 1 else f"medians of {rounds} rounds"


def write(path):
    about, rows = read(path)
    versions = {row["peer"]: row["version"] for row in rows}
    known = {peer: versions.get(peer, "not measured").replace("Boost.odeint ", "Boost ").replace(NAMES[peer] + " ", "") for peer in NAMES}
    text = [HEAD.format(cpu=about.get("cpu", "?"), date=about.get("date", "?"), rounds=told_rounds(int(about.get("rounds", "1"))),
                        table="../" + Path(path).resolve().relative_to(ROOT).as_posix() if Path(path).resolve().is_relative_to(ROOT)
                        else "../bench/peers/run.py", **known)]
    if "mixed" in about:
        text += [f"Not from one run, all on this machine: {about['mixed']}.", ""]
    present = [scene for scene in SCENES if any(row["scene"] == scene for row in rows)]
    absent = [SCENES[scene][0].lower() for scene in SCENES if scene not in present]
    if int(about.get("rounds", "1")) < 3 or absent:
        text += ["**Provisional**: " + ("one round only, on a machine that others used; times may be off by half. "
                                        if int(about.get("rounds", "1")) < 3 else "")
                 + (f"Not measured yet: {', '.join(absent)}." if absent else ""), ""]
    text += ["## At a glance", "", "Ratio: time of Saltus divided by that of the fastest other library that reaches the error; below 1 Saltus is faster.", "",
             "| scene | error compared | best error of Saltus | best of the other engines | of the integrators | time of Saltus | fastest engine | ratio | fastest integrator | ratio |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for scene in present:
        target, found = summary(rows, scene)
        ours = found.get("saltus", {"error": math.inf, "time": None})
        cells = []
        for some in (lambda p: p not in BY_HAND, lambda p: p in BY_HAND):
            others = {p: r for p, r in found.items() if p != "saltus" and some(p)}
            least = min(others, key=lambda p: others[p]["error"], default=None)
            quick = min((p for p in others if others[p]["time"] is not None), key=lambda p: others[p]["time"], default=None)
            cells.append((f"{number(others[least]['error'])} {NAMES[least]}" if least else "-",
                          f"{seconds(others[quick]['time'])} {NAMES[quick]}" if quick else ("not reached" if others else "-"),
                          ratio(ours["time"], others[quick]["time"]) if quick else "-"))
        text.append(f"| [{SCENES[scene][0].lower()}](#{SCENES[scene][0].lower().replace(' ', '-')}) | {number(target, 1)} {SCENES[scene][2]} | "
                    f"{number(ours['error'])} | {cells[0][0]} | {cells[1][0]} | {seconds(ours['time'])} | {cells[0][1]} | {cells[0][2]} | "
                    f"{cells[1][1]} | {cells[1][2]} |")
    strings = [name for name in dict.fromkeys(row["scene"] for row in rows) if name.startswith("string")]
    if strings:
        text += ["", "## Modal string compared with Siconos", "",
                 "862 modes over 20 frets at 15.68 kHz, the law of `MoreauJeanBilbaoOSI`: both use the same recursion, so times are compared at the "
                 "same step; *difference* is the largest difference of displacements at the frets at the end."
                 + (f" {about['string']}." if "string" in about else ""), "",
                 "| run | time of Saltus | of Siconos | Siconos / Saltus | difference |", "|---|---|---|---|---|"]
        told = {"string, e = 1": "plucked by 3.6 mm, restitution 1, 30 ms: contacts change throughout",
                "string, e = 0": "the same, restitution 0", "string, mostly quiet": "the first for 1 s: contact during 0.06 s", "string, untouched": "plucked too gently for contact, 1 s"}
        for name in strings:
            both = {row["peer"]: row for row in rows if row["scene"] == name}
            if len(both) == 2:
                a, b = both["saltus"], both["siconos"]
                text.append(f"| {told.get(name, name)} | {seconds(a['seconds'])} | {seconds(b['seconds'])} | {b['seconds'] / a['seconds']:.0f} | "
                            f"{number(a['error'])} m |")
    for scene in present:
        target, found = summary(rows, scene)
        title, what, unit, _ = SCENES[scene]
        picture(rows, scene)
        text += ["", f"## {title}", "", f"Error: {what} [{unit}].", "",
                 f"![Error against time: {title.lower()}](pictures/peers_{scene}.svg)", "",
                 f"| library | best error | by | time at {number(target, 1)} {unit} | by | Saltus / it |", "|---|---|---|---|---|---|"]
        ours = found.get("saltus", {"time": None})["time"]
        for peer in sorted(found, key=lambda p: (p != "saltus", p in BY_HAND, found[p]["time"] or math.inf, found[p]["error"])):
            row = found[peer]
            text.append(f"| {NAMES[peer]} | {number(row['error']) if math.isfinite(row['error']) else 'none'} | {method_name(row['best'])} | "
                        f"{seconds(row['time'])} | {method_name(row['with'])} | "
                        f"{'' if peer == 'saltus' else ratio(ours, row['time'])} |")
        if scene in LEVELS:
            text += level_table(rows, scene)
        quicker = sorted((p for p in found if p != "saltus" and found[p]["time"] is not None and (ours is None or found[p]["time"] < ours)),
                         key=lambda p: found[p]["time"])
        if quicker:
            text += ["", "**Saltus is slower** than " + ", ".join(NAMES[p] for p in quicker)
                     + (": " + LOSES[scene] if scene in LOSES else ".")]
        if scene in NOTES:
            text += ["", NOTES[scene]]
        if scene == "heap":
            text += end_table(rows, scene) + ["", PROBLEMS] + problem_table(path)
    text += ["", TAIL]
    PAGE.write_text("\n".join(text) + "\n", encoding="utf-8")
    print(PAGE)


# Reasons, printed where a table shows that another is quicker; shares are of the instructions of the steps (callgrind).
LOSES = {
    "ball": "a hand-written parabola costs almost nothing. Between two impacts event-driven integration makes a step of order 8 with its dense "
            "output (16 %), searches it rigorously for the first root (23 %), and makes two more steps to the root (27 %): the same "
            "work as for any motion. The rest is the impact and the rows of results.",
    "heap": "at 2 ms a step of Saltus takes 2.4 times as long as one of ODE with 10 sweeps and 1.3 times as long as one of Bullet, also with few "
            "sweeps, with slightly less penetration. With "
            "`rig-pos` to 1e-2 in steps of 2 ms sweeps are 4 % of the samples of perf; residual and certificate, which the others do not compute, "
            "are 28 % (half of this were entries of W, which are now kept between steps), rows and W 13 %, detection 12 %, checks of the finished "
            "state 12 %.",
    "impact": "as for the ball: hand-written, the problem is two numbers and a line of code, whereas here it is a general scene.",
    "chain": "eight free bodies, 48 coordinates, are constrained by 40 rows of joints, whereas libraries with the eight angles as coordinates solve "
             "for eight unknowns. About seven tenths of the steps are factorisations of those rows, a quarter the rows themselves. Joint forces, "
             "which are part of the results, are computed on request: here they are not requested.",
}

NOTES = {
    "top": "Between impulses of its weight the top rotates in closed form (`splitting`), so the eighty turns cost nothing, and steps are as "
           "long as the nutation allows. Errors below 2e-11 are those of the reference. Saltus rotates the top about its fixed point (`locked`, "
           "the weight as a load); ODE and Siconos use a ball joint, "
           "Bullet, MuJoCo and Simbody the three angles of the joint as coordinates.",
    "ball": "MuJoCo has no restitution: it is modelled by a spring and a dashpot as stiff as the step allows. The motion between impacts is a "
            "parabola, which every integrator of order 2 or more reproduces exactly: only the accuracy of the impact times matters.",
    "incline": "Simbody's contacts are compliant, odeint and SUNDIALS have no contacts: they are omitted.",
    "stack": "In the exact solution nothing moves. Saltus computes the forces that support the cubes; the others let them sink and push them apart "
             "again, by their rules for penetration, or stop their sweeps early.",
    "heap": "Penetration is measured by the same code for all libraries after each step, outside the measured time "
            "([penetration.h](../bench/peers/penetration.h)). More "
            "sweeps do not help ODE and Bullet: only the step length matters. They push balls "
            "apart again afterwards (default error reduction 0.2; with 0.4 and 0.8 the penetration was deeper), so that little penetration remains "
            "at the end; in Saltus the penetration of a step remains. For Bullet lengths are scaled by a hundred, as its manual recommends for small "
            "bodies; in metres a step took ten times as long. ODE finds pairs by sweep and prune, which is a tenth faster here than hashing. "
            "Siconos runs without the graph checks that are compiled into Debian's package "
            "([siconos_unchecked.cpp](../bench/peers/siconos_unchecked.cpp)), seven times faster than with them; a check that could not be "
            "removed is still half of the first 0.16 s. *Residual* is the largest of a step, for Saltus and Siconos each in its own measure.",
    "chain": "Saltus, ODE and Siconos constrain eight free bodies by hinges; Bullet, MuJoCo and Simbody have eight angles as coordinates, "
             "which is less to compute, and for odeint and SUNDIALS the equations in the angles are hand-written.",
    "linear": "`modal-exact` integrates the second in one step: its only error is round-off, for any step.",
}
PROBLEMS = ("Contact problems of this heap (`rig-mid`, 2 ms, default solver), solved without warm start from the same file to the same residual, in the "
            "measure of Saltus for both: `body-gauss-seidel`, selected by name because `auto` uses `proximal-newton` for files, which is at least a hundred "
            "times slower, and the fastest of Siconos' configurations of Gauss-Seidel, proximal points, ADMM and projection (to 1e-4 five configurations at "
            "0.3 s, two of Gauss-Seidel at 0.6 and 1 s); "
            "one thread; > 10 s: no configuration finished within 10 s ([how](howto/compare_siconos.md#the-heap-of-the-benchmarks)). In a complete run "
            "Siconos spends more time on the graphs of its contacts than on their solution.")
TAIL = """## Repeating the measurements

<!-- not run: minutes of measuring beside other programs -->
```sh
apt-get install --no-install-recommends python3-siconos libode-dev libbullet-dev libmujoco-dev libsimbody-dev libsundials-dev libboost-dev
bench/peers/run.py                      # all scenes; what is not installed is skipped, in one line
bench/peers/run.py --only top,string    # some
```

Use an otherwise idle machine. A single run, for example `build/peers/bullet top 1e-3 rk4`, prints a line of JSON; methods are named in the
first lines of each driver in [bench/peers](../bench/peers/run.py)."""


if __name__ == "__main__":
    tables = sorted((ROOT / "bench" / "results").glob("*/*-peers.csv"), key=lambda p: p.name)
    if len(sys.argv) < 2 and not tables:
        sys.exit("report.py: no table; run.py makes one")
    write(sys.argv[1] if len(sys.argv) > 1 else tables[-1])
