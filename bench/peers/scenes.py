"""The scenes of bench/peers in numbers (SI), the values compared, and the reference values with their sources.

    scenes.py header FILE    writes the numbers for the drivers in C++, namespace `scenes`
    scenes.py heap           prints the heap as a scene of Saltus
    scenes.py references     computes the numeric references again (references.json), takes minutes

Drivers print `values`; errors are computed here, so that no driver contains reference values.
"""
import json
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
GRAVITY = 9.81

# A symmetric top of 2.0387 kg whose mass centre is 1 m above a fixed point on its axis: weight 20 N, inertia about the
# fixed point (5, 5, 1) kg m^2, 50 rad/s about the axis, tilted by 0.05 rad about x.
TOP = {"mass": 20.0 / GRAVITY, "arm": 1.0, "inertia": [5.0, 5.0, 1.0], "tilt": 0.05, "spin": 50.0, "end": 10.0}

# A ball released from 1 m (its lowest point), Newton's restitution 0.8, recorded every tenth of a second.
BALL = {"mass": 1.0, "radius": 0.1, "height": 1.0, "restitution": 0.8, "end": 3.0, "rows": 30}

# A box of 1 kg pushed up a slope of 20 degrees at 3 m/s; x points up along the slope, and gravity is rotated instead.
INCLINE = {"mass": 1.0, "half": [0.1, 0.1, 0.05], "slope": math.radians(20.0), "friction": 0.5, "speed": 3.0, "end": 1.0}

# A stack of ten cubes in contact, at rest.
STACK = {"cubes": 10, "half": 0.05, "density": 1000.0, "friction": 0.5, "end": 2.0}

# Eight courses of bricks, every second one shifted by half a brick and closed by half bricks: 68 bodies at rest.
WALL = {"courses": 8, "bricks": 8, "half": [0.125, 0.06, 0.05], "density": 1800.0, "friction": 0.6, "end": 2.0}

# 64 balls fall into a box without a lid and come to rest; recorded at 2.5 s and 3 s.
PILE = {"side": 4, "radius": 0.05, "density": 2000.0, "friction": 0.5, "half": 0.22, "pitch": 0.105, "jitter": 0.004,
        "seen": 2.5, "end": 3.0}

# A thousand balls dropped into a tilted box without a lid: a lattice `first` + `spacing` * (i, j, k), restitution 0.
# The value compared is the deepest penetration during the run.
HEAP = {"side": 10, "radius": 0.01, "density": 2500.0, "friction": 0.4, "half": 0.12, "first": [-0.1, -0.1, 0.012],
        "spacing": 0.0215, "gravity": [0.6, 0.4, -9.81], "end": 1.0}

# Eight rods of 1 m, 1 kg and 0.1 m square on hinges about y, the first at the origin, released from the horizontal.
CHAIN = {"links": 8, "mass": 1.0, "rod": 1.0, "width": 0.1, "end": 2.0, "rows": 4}

# A mass on a spring and a dashpot, driven, hits a stop once per period of the force (Shaw and Holmes); starts on the orbit
# just after an impact. Recorded in the middle of each of ten periods.
IMPACT = {"damping": 0.1, "angular_frequency": 1.9, "force": 1.0, "stop": 0.2, "restitution": 0.7, "phase": 0.75955736738229258,
          "speed": 3.2366633646490213, "periods": 10}

# A mass on a spring slides on a rough floor until it sticks; recorded at 1.5 s.
FRICTION = {"mass": 1.0, "stiffness": 100.0, "bound": 1.5, "start": 0.1, "end": 1.5}

# A hundred masses between springs, fixed at both ends; one mass is displaced and released; no loss.
LINEAR = {"masses": 100, "mass": 1.0, "stiffness": 1.0e4, "start": 0.1, "plucked": 30, "end": 1.0}

# A bass string above twenty frets: 862 modes. Its numbers are computed by `string()`.
STRING = {"length": 0.863, "tension": 191.6, "density": 6.7e-3, "inharmonicity": 3.5e-5, "modes": 862, "frets": 20,
          "diameter": 1.14e-3, "loss_angle": 0.01, "thermoelastic": 1.5e-4, "pluck_at": 0.64, "height": 3.6e-3,
          "quiet_height": 1.2e-3, "crowns": [-0.203e-3, -7.994e-3, 7.434e-3], "rate": 15680.0, "end": 0.03}

SCENES = {"top": TOP, "ball": BALL, "incline": INCLINE, "stack": STACK, "wall": WALL, "pile": PILE, "chain": CHAIN,
          "heap": HEAP, "impact": IMPACT, "friction": FRICTION, "linear": LINEAR, "string": STRING}


def wall_bricks():
    """(centre, half sizes) of each brick."""
    a, b, c = WALL["half"]
    bricks = []
    for k in range(WALL["courses"]):
        z = c * (2 * k + 1)
        if k % 2 == 0:
            bricks += [((a * (2 * i + 1), 0.0, z), (a, b, c)) for i in range(WALL["bricks"])]
        else:
            bricks += [((a * (2 * i + 2), 0.0, z), (a, b, c)) for i in range(WALL["bricks"] - 1)]
            bricks += [((0.5 * a, 0.0, z), (0.5 * a, b, c)), ((2 * a * WALL["bricks"] - 0.5 * a, 0.0, z), (0.5 * a, b, c))]
    return bricks


def pile_centres():
    """Where the balls are at the start: a lattice, each ball moved by a few millimetres by a fixed sequence of numbers."""
    n, state, centres = PILE["side"], 12345, []

    def random():
        nonlocal state
        state = (1103515245 * state + 12345) % 2**31
        return 2.0 * state / 2**31 - 1.0

    for k in range(n):
        for j in range(n):
            for i in range(n):
                at = [(x - 0.5 * (n - 1)) * PILE["pitch"] + PILE["jitter"] * random() for x in (i, j)]
                centres.append((at[0], at[1], PILE["radius"] * 1.1 + k * 1.2 * PILE["pitch"]))
    return centres


def string():
    """Frequencies [Hz], decay rates [1/s], places and heights of the frets [m], modal start of the pluck of unit height."""
    s = STRING
    c0 = math.sqrt(s["tension"] / s["density"])
    f0 = c0 / (2.0 * s["length"])
    stiffness = s["inharmonicity"] * s["tension"] * s["length"] ** 2 / math.pi**2
    nu, sigma = [], []
    for j in range(1, s["modes"] + 1):
        f = j * f0
        nu.append(f * math.sqrt(1.0 + s["inharmonicity"] * j * j))
        air = (1.8e-5 + s["diameter"] * math.sqrt(math.pi * 1.8e-5 * 1.2 * f)) / (s["density"] * f)
        inner = 4.0 * math.pi**2 * s["density"] * stiffness * s["loss_angle"] * f * f / s["tension"] ** 2
        sigma.append(math.pi * f * (s["thermoelastic"] + air + inner))
    frets = [s["length"] * (1.0 - 2.0 ** (-k / 12.0)) for k in range(1, s["frets"] + 1)]
    heights = [s["crowns"][0] + s["crowns"][1] * x + s["crowns"][2] * x * x for x in frets]
    return {"nu": nu, "sigma": sigma, "frets": frets, "heights": heights}


def pluck(height):
    """Modal start of a triangle of this height, on the points of the string (numpy)."""
    import numpy as np
    n, length = STRING["modes"], STRING["length"]
    i, j = np.arange(1, n + 1), np.arange(1, n + 1)
    m = round(STRING["pluck_at"] * (n + 1) / length)
    at = m * length / (n + 1)
    x = i * length / (n + 1)
    u = np.where(i < m, height * x / at, height * (x - length) / (at - length))
    return length / (n + 1) * (math.sqrt(2.0 / length) * np.sin(np.pi * np.outer(j, i) / (n + 1))) @ u


def ball_heights():
    """Heights of the lowest point at the rows: parabolas between impacts."""
    g, e, h = GRAVITY, BALL["restitution"], BALL["height"]
    impact, speed, rows = math.sqrt(2.0 * h / g), math.sqrt(2.0 * g * h), []
    impacts = [(impact, e * speed)]
    while impacts[-1][0] < BALL["end"]:
        t, v = impacts[-1]
        impacts.append((t + 2.0 * v / g, e * v))
    for k in range(1, BALL["rows"] + 1):
        t = BALL["end"] * k / BALL["rows"]
        before = [i for i in impacts if i[0] <= t]
        if before:
            s = t - before[-1][0]
            rows.append(before[-1][1] * s - 0.5 * g * s * s)
        else:
            rows.append(h - 0.5 * g * t * t)
    return rows


def impact_places():
    """On the orbit the motion between impacts is the same in each period: the driven oscillator from the stop."""
    p = IMPACT
    z, w, t0, v0 = 0.5 * p["damping"], p["angular_frequency"], p["phase"], -p["restitution"] * p["speed"]
    d = complex(1.0 - w * w, 2.0 * z * w)
    amplitude = p["force"] / d  # x_p = Re(amplitude e^{iw(t + t0)})
    import cmath
    wd = math.sqrt(1.0 - z * z)
    c = p["stop"] - (amplitude * cmath.exp(1j * w * t0)).real
    s = (v0 - (1j * w * amplitude * cmath.exp(1j * w * t0)).real + z * c) / wd
    t = math.pi / w
    x = math.exp(-z * t) * (c * math.cos(wd * t) + s * math.sin(wd * t)) + (amplitude * cmath.exp(1j * w * (t + t0))).real
    return [x] * p["periods"]


def linear_places():
    """By its modes."""
    p = LINEAR
    n, q = p["masses"], [0.0] * p["masses"]
    for j in range(1, n + 1):
        w = 2.0 * math.sqrt(p["stiffness"] / p["mass"]) * math.sin(0.5 * math.pi * j / (n + 1))
        a = 2.0 / (n + 1) * p["start"] * math.sin(math.pi * j * (p["plucked"] + 1) / (n + 1)) * math.cos(w * p["end"])
        for i in range(n):
            q[i] += a * math.sin(math.pi * j * (i + 1) / (n + 1))
    return q


def references():
    """Top and chain: DOP853 of scipy at tolerances 1e-13 and 1e-12, whose difference is the uncertainty."""
    import numpy as np
    from scipy.integrate import solve_ivp

    inertia = np.array(TOP["inertia"])
    weight = TOP["mass"] * GRAVITY * TOP["arm"]

    def top(_, y):
        w, x, yy, z = y[:4]
        omega = y[4:]
        down = np.array([2 * (x * z - w * yy), 2 * (yy * z + w * x), 1 - 2 * (x * x + yy * yy)])  # R^T e_z
        torque = np.array([weight * down[1], -weight * down[0], 0.0])  # e_z x (-weight R^T e_z)
        turn = 0.5 * np.array([-x * omega[0] - yy * omega[1] - z * omega[2], w * omega[0] + yy * omega[2] - z * omega[1],
                               w * omega[1] + z * omega[0] - x * omega[2], w * omega[2] + x * omega[1] - yy * omega[0]])
        return np.concatenate([turn, (torque - np.cross(omega, inertia * omega)) / inertia])

    start = [math.cos(0.5 * TOP["tilt"]), math.sin(0.5 * TOP["tilt"]), 0, 0, 0, 0, TOP["spin"]]
    tops = [solve_ivp(top, [0, TOP["end"]], start, method="DOP853", rtol=r, atol=r).y[:4, -1] for r in (1e-13, 1e-12)]

    n, m, l = CHAIN["links"], CHAIN["mass"], CHAIN["rod"]
    own = m * (l * l + CHAIN["width"] ** 2) / 12.0
    # x_i = sum_{k<i} l cos a_k + (l/2) cos a_i: coefficients of the links in each mass centre
    c = np.tril(np.full((n, n), l), -1) + np.diag(np.full(n, 0.5 * l))
    product = m * c.T @ c
    load = m * GRAVITY * c.sum(axis=0)

    def chain(_, y):  # angle a below the horizontal, x = cos a, z = -sin a
        a, r = y[:n], y[n:]
        d = a[:, None] - a[None, :]
        mass = product * np.cos(d) + own * np.eye(n)
        return np.concatenate([r, np.linalg.solve(mass, load * np.cos(a) - (product * np.sin(d)) @ (r * r))])

    rows = CHAIN["end"] * np.arange(1, CHAIN["rows"] + 1) / CHAIN["rows"]
    chains = []
    for r in (1e-13, 1e-12):
        a = solve_ivp(chain, [0, CHAIN["end"]], np.zeros(2 * n), method="DOP853", rtol=r, atol=r, t_eval=rows).y[:n]
        chains.append(np.stack([c @ np.cos(a), -(c @ np.sin(a))], axis=-1).transpose(1, 0, 2).ravel())
    answers = {"top": {"values": tops[0].tolist(), "uncertainty": float(abs(tops[0] - tops[1]).max())},
               "chain": {"values": chains[0].tolist(), "uncertainty": float(abs(chains[0] - chains[1]).max())}}
    (HERE / "references.json").write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")
    return answers


def _distance(a, b):
    return max(math.dist(a[i:i + 3], b[i:i + 3]) for i in range(0, len(a), 3))


def _largest(a, b):
    return max(abs(x - y) for x, y in zip(a, b, strict=True))


def pile_error(values):
    """The larger of how far a ball goes between 2.5 s and 3 s, and the deepest penetration at 3 s."""
    half = len(values) // 2
    first, last = values[:half], values[half:]
    r, balls = PILE["radius"], [last[i:i + 3] for i in range(0, half, 3)]
    deep = max(max(r - p[2], abs(p[0]) + r - PILE["half"], abs(p[1]) + r - PILE["half"]) for p in balls)
    deep = max([deep] + [2.0 * r - math.dist(p, q) for i, p in enumerate(balls) for q in balls[:i]])
    return max(deep, _distance(first, last))


_known = {}


def _reference(name):
    if not _known:
        _known.update(json.loads((HERE / "references.json").read_text(encoding="utf-8")))
    return _known[name]["values"]


def error(scene, values):
    """Of what a driver printed; nan or inf where it is no number."""
    if not values or not all(math.isfinite(v) for v in values):
        return math.inf
    if scene == "top":  # angle between the attitudes [rad]; the half angle from the chord of the quaternions
        reference = _reference("top")
        norm = math.sqrt(sum(v * v for v in values))
        chord = min(math.dist([s * v / norm for v in values], reference) for s in (1.0, -1.0))
        return 4.0 * math.asin(min(1.0, 0.5 * chord))
    if scene == "ball":
        return _largest(values, ball_heights())
    if scene == "incline":
        g, p = GRAVITY, INCLINE
        way = p["speed"] ** 2 / (2.0 * g * (math.sin(p["slope"]) + p["friction"] * math.cos(p["slope"])))
        return math.dist(values, [way, 0.0, p["half"][2]])
    if scene == "stack":
        return _distance(values, [x for k in range(STACK["cubes"]) for x in (0.0, 0.0, STACK["half"] * (2 * k + 1))])
    if scene == "wall":
        return _distance(values, [x for centre, _ in wall_bricks() for x in centre])
    if scene == "pile":
        return pile_error(values)
    if scene == "heap":  # spheres that fill 57 % of a box have a mean height of 64 mm; above 80 mm they flew apart
        return values[0] if values[2] < 0.08 else math.inf
    if scene == "chain":
        reference = _reference("chain")
        return max(math.dist(values[i:i + 2], reference[i:i + 2]) for i in range(0, len(reference), 2))
    if scene == "impact":
        return _largest(values, impact_places())
    if scene == "friction":
        return abs(values[0] + 0.01)
    if scene == "linear":
        return _largest(values, linear_places())
    raise ValueError(scene)


def heap_scene():
    """As a new user writes it: nothing is said about the solver."""
    p = HEAP
    planes = "".join(f", {{plane: {{point: {[k * -s * p['half'] for k in n]}, normal: {[k * s for k in n]}}}}}"
                     for n in ([1, 0, 0], [0, 1, 0]) for s in (1, -1))
    return f"""saltus: 1
time: {{end: {p["end"]}, step: 2 ms}}
gravity: {p["gravity"]}
bodies:
  - {{name: box, kind: rigid, rigid: {{shapes: [{{plane: {{}}}}{planes}], fixed: true}}}}
  - {{name: ball, kind: rigid, rigid: {{shape: {{sphere: {{radius: {p["radius"]}}}}}, density: {p["density"]}, position: {p["first"]},
     copies: {{count: {[p["side"]] * 3}, spacing: {[p["spacing"]] * 3}}}}}}}
surfaces:
  - {{law: {{kind: newton-impact, friction: {p["friction"]}, restitution: 0}}}}
"""


def header(path):
    lines = ["// Written by scenes.py; the numbers of all scenes.", "#pragma once", "#include <vector>", "namespace scenes {",
             f"constexpr double kGravity = {GRAVITY!r};"]
    for name, numbers in SCENES.items():
        lines.append(f"namespace {name} {{")
        for key, value in numbers.items():
            if isinstance(value, list):
                lines.append(f"constexpr double {key}[] = {{{', '.join(map(repr, value))}}};")
            else:
                kind = "int" if isinstance(value, int) else "double"
                lines.append(f"constexpr {kind} {key} = {value!r};")
        if name == "wall":
            rows = ", ".join("{" + ", ".join(map(repr, (*c, *h))) + "}" for c, h in wall_bricks())
            lines.append(f"constexpr double bricks_at[][6] = {{{rows}}};  // centre, half sizes")
        if name == "pile":
            rows = ", ".join("{" + ", ".join(map(repr, c)) + "}" for c in pile_centres())
            lines.append(f"constexpr double centres[][3] = {{{rows}}};")
        lines.append(f"}}  // namespace {name}")
    lines.append("}  // namespace scenes")
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["header"]:
        header(sys.argv[2])
    elif sys.argv[1:2] == ["heap"]:
        print(heap_scene(), end="")
    elif sys.argv[1:2] == ["references"]:
        print(json.dumps({k: v["uncertainty"] for k, v in references().items()}))
    else:
        sys.exit(__doc__)
