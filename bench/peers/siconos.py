#!/usr/bin/env python3
"""Siconos 4.4 (python3-siconos), as its tutorials use it.

    siconos.py SCENE PARAMETER [METHOD]     PARAMETER: the step [s]; of `string` the sampling rate [Hz]
    siconos.py --version

METHOD is said at each scene. CPU time is that of the loop alone, two calls of compiled code a step; nothing is written out
in it.
"""
import json
import math
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path = [p for p in sys.path if Path(p or ".").resolve() != HERE]  # `import siconos` means the library
import numpy as np  # noqa: E402
import siconos.kernel as sk  # noqa: E402
import siconos.numerics as sn  # noqa: E402

sys.path.append(str(HERE))
import scenes  # noqa: E402

THETA = 0.5


def loop(simulation, steps, rows, look):
    """CPU seconds of the loop and what was seen."""
    values, every = [], steps // rows
    start = time.process_time()
    for k in range(1, steps + 1):
        simulation.computeOneStep()
        simulation.nextStep()
        if k % every == 0:
            look(values)
    return time.process_time() - start, values


def ball(h, method):
    """METHOD moreau-jean (an LCP by Lemke's method), as in the tutorial BouncingBallTS; events (LsodarOSI), BouncingBallED."""
    p = scenes.BALL
    body = sk.LagrangianLinearTIDS([p["height"], 0, 0], [0, 0, 0], np.diag([p["mass"]] * 2 + [0.4 * p["mass"] * p["radius"] ** 2]))
    body.setFExtPtr([-p["mass"] * scenes.GRAVITY, 0, 0])
    law = sk.NewtonImpactNSL(p["restitution"])
    contact = sk.Interaction(law, sk.LagrangianLinearTIR(np.array([[1.0, 0, 0]])))
    model = sk.NonSmoothDynamicalSystem(0, p["end"] * 1.1)
    model.insertDynamicalSystem(body)
    model.link(contact, body)
    if method == "events":
        simulation = sk.EventDriven(model, sk.TimeDiscretisation(0, h), 0)
        integrator = sk.LsodarOSI()
        simulation.insertIntegrator(integrator)
        simulation.insertNonSmoothProblem(sk.LCP(), sk.SICONOS_OSNSP_ED_IMPACT)
        simulation.insertNonSmoothProblem(sk.LCP(), sk.SICONOS_OSNSP_ED_SMOOTH_ACC)
        # rows are where the discretisation has its times; impacts are events between them
        values, rows, events = [], [p["end"] * (k + 1) / p["rows"] for k in range(p["rows"])], 0
        start = time.process_time()
        simulation.initialize()
        row = 0
        while simulation.hasNextEvent() and row < len(rows):
            simulation.advanceToEvent()
            simulation.processEvents()
            events += 1
            if abs(simulation.startingTime() - rows[row]) < 1e-9:
                values.append(float(body.q()[0]))
                row += 1
        return time.process_time() - start, values, events
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0, h), sk.MoreauJeanOSI(THETA), sk.LCP())
    steps = round(p["end"] / h)
    return *loop(simulation, steps, p["rows"], lambda values: values.append(float(body.q()[0]))), steps


def string(rate, method):
    """METHOD: e = 1 or e = 0, then the height of the pluck, then the end [s]: `1,3.6e-3,0.03`. MoreauJeanBilbaoOSI, LCP."""
    p, data = scenes.STRING, scenes.string()
    restitution, height, end = (float(x) for x in method.split(","))
    n, length = p["modes"], p["length"]
    j = np.arange(1, n + 1)
    omega, sigma = 2.0 * np.pi * np.array(data["nu"]), np.array(data["sigma"])
    q0 = scenes.pluck(height)
    body = sk.LagrangianLinearDiagonalDS(q0, np.zeros(n), omega**2, 2.0 * sigma)
    model = sk.NonSmoothDynamicalSystem(0, end * 1.1)
    model.insertDynamicalSystem(body)
    rows = [math.sqrt(2.0 / length) * np.sin(np.pi * j * x / length) for x in data["frets"]]
    for row, crown in zip(rows, data["heights"]):
        contact = sk.Interaction(sk.NewtonImpactNSL(restitution), sk.LagrangianLinearTIR(row.reshape(1, n), [-crown]))
        model.link(contact, body)
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0, 1.0 / rate), sk.MoreauJeanBilbaoOSI(), sk.LCP())
    steps = round(end * rate)
    seconds, values = loop(simulation, steps, 1, lambda out: out.extend(float(row @ np.array(body.q())) for row in rows))
    return seconds, values, steps


def impact(steps, method):
    """METHOD moreau-jean; PARAMETER: steps in half a period of the force. The force is set before each step, mean of its ends."""
    p = scenes.IMPACT
    half = math.pi / p["angular_frequency"]
    h = half / steps
    body = sk.LagrangianLinearTIDS([p["stop"]], [-p["restitution"] * p["speed"]], np.eye(1), np.eye(1), p["damping"] * np.eye(1))
    force = np.zeros(1)
    body.setFExtPtr(force)
    contact = sk.Interaction(sk.NewtonImpactNSL(p["restitution"]), sk.LagrangianLinearTIR(np.array([[-1.0]]), [p["stop"]]))
    model = sk.NonSmoothDynamicalSystem(0, 100.0)
    model.insertDynamicalSystem(body)
    model.link(contact, body)
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0, h), sk.MoreauJeanOSI(THETA), sk.LCP())
    total, values = round((2 * p["periods"] - 1) * steps), []
    drive = [p["force"] * math.cos(p["angular_frequency"] * (h * (k + 0.5) + p["phase"])) for k in range(total)]
    start = time.process_time()
    for k in range(total):
        body.setFExtPtr([drive[k]])
        simulation.computeOneStep()
        simulation.nextStep()
        if (k + 1) % round(2 * steps) == round(steps):
            values.append(float(body.q()[0]))
    return time.process_time() - start, values, total


def friction(h, method):
    """METHOD moreau-jean: the mass is pressed on a plane by what gives the bound at friction 1/2; FrictionContact in the plane."""
    p = scenes.FRICTION
    body = sk.LagrangianLinearTIDS([p["start"], 0.0], [0.0, 0.0], p["mass"] * np.eye(2), np.diag([p["stiffness"], 0.0]), np.zeros((2, 2)))
    body.setFExtPtr([0.0, -2.0 * p["bound"]])
    contact = sk.Interaction(sk.NewtonImpactFrictionNSL(0.0, 0.0, 0.5, 2), sk.LagrangianLinearTIR(np.array([[0.0, 1.0], [1.0, 0.0]])))
    model = sk.NonSmoothDynamicalSystem(0, 2.0 * p["end"])
    model.insertDynamicalSystem(body)
    model.link(contact, body)
    problem = sk.FrictionContact(2)
    problem.numericsSolverOptions().dparam[sn.SICONOS_DPARAM_TOL] = 1e-12
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0, h), sk.MoreauJeanOSI(THETA), problem)
    steps = round(p["end"] / h)
    return *loop(simulation, steps, 1, lambda values: values.append(float(body.q()[0]))), steps


def linear(h, method):
    """METHOD moreau-jean, theta = 1/2."""
    p = scenes.LINEAR
    n = p["masses"]
    q = np.zeros(n)
    q[p["plucked"]] = p["start"]
    stiffness = p["stiffness"] * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    body = sk.LagrangianLinearTIDS(q, np.zeros(n), p["mass"] * np.eye(n), stiffness, np.zeros((n, n)))
    model = sk.NonSmoothDynamicalSystem(0, 2.0 * p["end"])
    model.insertDynamicalSystem(body)
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0, h), sk.MoreauJeanOSI(THETA), sk.LCP())
    steps = round(p["end"] / h)
    return *loop(simulation, steps, 1, lambda values: values.extend(float(x) for x in body.q())), steps


class World:
    """Rigid bodies whose contacts Bullet finds, as siconos.io.mechanics_run sets them up."""

    def __init__(self, friction, gravity, end, scale=1.0, threshold=0.005):
        from siconos.mechanics.collision import SiconosContactorSet
        from siconos.mechanics.collision.bullet import SiconosBulletCollisionManager, SiconosBulletOptions
        options = SiconosBulletOptions()
        options.worldScale = scale
        options.contactBreakingThreshold = threshold
        self.manager = SiconosBulletCollisionManager(options)
        self.manager.insertNonSmoothLaw(sk.NewtonImpactFrictionNSL(0.0, 0.0, friction, 3), 0, 0)
        self.gravity, self.end, self.bodies, self.kept = gravity, end, [], []
        self.model = sk.NonSmoothDynamicalSystem(0, 2.0 * end)
        self.Set = SiconosContactorSet

    def box(self, mass, half, at, velocity=(0, 0, 0)):
        from siconos.mechanics.collision import SiconosBox
        a, b, c = (x * x for x in half)
        shape = SiconosBox(*(2.0 * x for x in half))
        shape.setInsideMargin(0.01 * min(half))
        shape.setOutsideMargin(0.0)
        self._body(shape, mass, [mass * (b + c) / 3.0, mass * (a + c) / 3.0, mass * (a + b) / 3.0], at, velocity)

    def ball(self, mass, radius, at):
        from siconos.mechanics.collision import SiconosSphere
        shape = SiconosSphere(radius)
        shape.setInsideMargin(0.0)
        shape.setOutsideMargin(0.0)
        self._body(shape, mass, [0.4 * mass * radius**2] * 3, at, (0, 0, 0))

    def _body(self, shape, mass, inertia, at, velocity):
        from siconos.mechanics.collision import RigidBodyDS, SiconosContactor
        body = RigidBodyDS([*at, 1, 0, 0, 0], [*velocity, 0, 0, 0], mass, np.diag(inertia))
        body.contactors().push_back(SiconosContactor(shape))
        body.setFExtPtr([mass * g for g in self.gravity])
        body.setNullifyMGyr(False)
        self.model.insertDynamicalSystem(body)
        self.bodies.append(body)
        self.kept.append(shape)

    def fixed(self, shape, at, turn=(1, 0, 0, 0)):
        from siconos.mechanics.collision import SiconosContactor
        contactors = self.Set()
        contactors.append(SiconosContactor(shape))
        self.manager.insertStaticContactorSet(contactors, [*at, *turn])
        self.kept += [shape, contactors]

    def floor(self):
        from siconos.mechanics.collision import SiconosPlane
        self.fixed(SiconosPlane(), [0, 0, 0])

    def run(self, h, look, tolerance=1e-8, each=None):
        """NSGS to the tolerance with at most 1000 sweeps, linearised once a step. `each`: called after each step with the residual
        of its contact problem by Siconos' measure; outside of the time."""
        simulation = sk.TimeStepping(self.model, sk.TimeDiscretisation(0, h))
        simulation.insertInteractionManager(self.manager)
        simulation.insertIntegrator(sk.MoreauJeanOSI(THETA))
        problem = sk.FrictionContact(3, sn.SICONOS_FRICTION_3D_NSGS)
        options = problem.numericsSolverOptions()
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 1000
        options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
        problem.setMaxSize(30000)
        problem.setMStorageType(sn.NM_SPARSE_BLOCK)
        problem.setNumericsVerboseMode(False)
        problem.setKeepLambdaAndYState(True)
        simulation.insertNonSmoothProblem(problem)
        simulation.setNewtonOptions(sk.SICONOS_TS_LINEAR)
        steps, values, outside = round(self.end / h), [], 0.0
        start = time.process_time()
        for k in range(1, steps + 1):
            simulation.computeOneStep()
            simulation.nextStep()
            if each:
                before = time.process_time()
                each(options.dparam[sn.SICONOS_DPARAM_RESIDU])
                outside += time.process_time() - before
            if look(k * h, k == steps):
                for body in self.bodies:
                    values.extend(float(x) for x in body.q()[:3])
        return time.process_time() - start - outside, values, steps


def incline(h, method):
    """METHOD nsgs: the box as a mass with one contact with friction, in coordinates of the slope (Bullet's points come and go)."""
    p, g = scenes.INCLINE, scenes.GRAVITY
    body = sk.LagrangianLinearTIDS([0.0, 0.0, 0.0], [p["speed"], 0.0, 0.0], p["mass"] * np.eye(3))
    body.setFExtPtr([-p["mass"] * g * math.sin(p["slope"]), 0.0, -p["mass"] * g * math.cos(p["slope"])])
    rows = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    contact = sk.Interaction(sk.NewtonImpactFrictionNSL(0.0, 0.0, p["friction"], 3), sk.LagrangianLinearTIR(rows))
    model = sk.NonSmoothDynamicalSystem(0, 2.0 * p["end"])
    model.insertDynamicalSystem(body)
    model.link(contact, body)
    problem = sk.FrictionContact(3, sn.SICONOS_FRICTION_3D_NSGS)
    problem.numericsSolverOptions().dparam[sn.SICONOS_DPARAM_TOL] = 1e-12
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0, h), sk.MoreauJeanOSI(THETA), problem)
    steps = round(p["end"] / h)

    def look(values):
        x, y, z = (float(c) for c in body.q())
        values.extend([x, y, z + p["half"][2]])

    return *loop(simulation, steps, 1, look), steps


def stack(h, method):
    """METHOD nsgs."""
    p = scenes.STACK
    world = World(p["friction"], [0, 0, -scenes.GRAVITY], p["end"])
    world.floor()
    for k in range(p["cubes"]):
        world.box(p["density"] * 8.0 * p["half"] ** 3, [p["half"]] * 3, [0, 0, p["half"] * (2 * k + 1)])
    return world.run(h, lambda t, last: last)


def wall(h, method):
    """METHOD nsgs."""
    p = scenes.WALL
    world = World(p["friction"], [0, 0, -scenes.GRAVITY], p["end"])
    world.floor()
    for centre, half in scenes.wall_bricks():
        world.box(p["density"] * 8.0 * half[0] * half[1] * half[2], half, centre)
    return world.run(h, lambda t, last: last)


def pile(h, method):
    """METHOD nsgs."""
    from siconos.mechanics.collision import SiconosBox
    p = scenes.PILE
    world = World(p["friction"], [0, 0, -scenes.GRAVITY], p["end"])
    world.floor()
    for sign in (-1.0, 1.0):
        for at, size in (([sign * (p["half"] + 0.1), 0, 1.0], (0.2, 2.0, 4.0)), ([0, sign * (p["half"] + 0.1), 1.0], (2.0, 0.2, 4.0))):
            side = SiconosBox(*size)
            side.setInsideMargin(0.001)
            side.setOutsideMargin(0.0)
            world.fixed(side, at)
    for centre in scenes.pile_centres():
        world.ball(p["density"] * 4.0 / 3.0 * math.pi * p["radius"] ** 3, p["radius"], centre)
    return world.run(h, lambda t, last: last or abs(t - p["seen"]) < 0.5 * h)


def heap(h, method):
    """METHOD nsgs/TOLERANCE."""
    import ctypes
    from siconos.mechanics.collision import SiconosPlane
    library = ctypes.CDLL(str(Path(os.environ.get("SALTUS_PEERS", HERE.parent.parent / "build" / "peers")) / "libpenetration.so"))
    deepest = library.deepest_penetration
    deepest.restype, deepest.argtypes = ctypes.c_double, [ctypes.c_void_p, ctypes.c_int]
    p = scenes.HEAP
    world = World(p["friction"], p["gravity"], p["end"], scale=100.0, threshold=0.02)  # Bullet's own, in its units: 0.2 mm
    world.floor()
    c = math.sqrt(0.5)  # turns that take e_z into the normal of a wall
    for sign in (-1.0, 1.0):
        for at, turn in (([sign * p["half"], 0, 0], [c, 0, -sign * c, 0]), ([0, sign * p["half"], 0], [c, sign * c, 0, 0])):
            world.fixed(SiconosPlane(), at, turn)
    first, side, spacing = p["first"], range(p["side"]), p["spacing"]
    for x, y, z in ((i, j, k) for k in side for j in side for i in side):
        world.ball(p["density"] * 4.0 / 3.0 * math.pi * p["radius"] ** 3, p["radius"],
                   [first[0] + x * spacing, first[1] + y * spacing, first[2] + z * spacing])
    seen, residuals = [], []

    def each(residual):
        centres = np.ascontiguousarray([body.q()[:3] for body in world.bodies], dtype=float)
        seen[:] = [max([deepest(centres.ctypes.data, len(centres))] + seen[:1]), deepest(centres.ctypes.data, len(centres)),
                   float(centres[:, 2].mean())]
        if math.isfinite(residual):  # it is not where nothing touches
            residuals.append(residual)

    seconds, _, steps = world.run(h, lambda t, last: False, float(method.split("/")[1]), each)
    return seconds, list(seen), steps, max(residuals)


def jointed(bodies, joints, end, h, rows, look):
    """Equality constraints on velocities, linearised in each of Newton's passes."""
    model = sk.NonSmoothDynamicalSystem(0, 2.0 * end)
    for body in bodies:
        model.insertDynamicalSystem(body)
    for joint, parts in joints:
        model.link(sk.Interaction(sk.EqualityConditionNSL(joint.numberOfConstraints()), joint), *parts)
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0, h), sk.MoreauJeanOSI(THETA), sk.MLCP())
    simulation.setNewtonOptions(sk.SICONOS_TS_NONLINEAR)
    simulation.setNewtonTolerance(1e-10)
    simulation.setNewtonMaxIteration(20)
    steps = round(end / h)
    return *loop(simulation, steps, rows, look), steps


def top(h, method):
    """METHOD moreau-jean with KneeJointR, a ball joint."""
    from siconos.mechanics.joints import KneeJointR
    p = scenes.TOP
    m, arm, c, s = p["mass"], p["arm"], math.cos(p["tilt"]), math.sin(p["tilt"])
    place = [0, -arm * s, arm * c]
    q = [*place, math.cos(0.5 * p["tilt"]), math.sin(0.5 * p["tilt"]), 0, 0]
    body = sk.NewtonEulerDS(q, [0, 0, 0, 0, 0, p["spin"]], m, np.diag([p["inertia"][0] - m * arm**2, p["inertia"][1] - m * arm**2,
                                                                        p["inertia"][2]]))
    body.setFExtPtr([0, 0, -m * scenes.GRAVITY])
    joint = KneeJointR([0, 0, 0], True, body)
    return jointed([body], [(joint, [body])], p["end"], h, 1, lambda values: values.extend(float(x) for x in body.q()[3:7]))


def chain(h, method):
    """METHOD moreau-jean with PivotJointR."""
    from siconos.mechanics.joints import PivotJointR
    p = scenes.CHAIN
    across = p["mass"] * (p["rod"] ** 2 + p["width"] ** 2) / 12.0
    bodies, joints = [], []
    for i in range(p["links"]):
        body = sk.NewtonEulerDS([(i + 0.5) * p["rod"], 0, 0, 1, 0, 0, 0], [0.0] * 6, p["mass"],
                                np.diag([p["mass"] * p["width"] ** 2 / 6.0, across, across]))
        body.setFExtPtr([0, 0, -p["mass"] * scenes.GRAVITY])
        at = [i * p["rod"], 0.0, 0.0]
        parts = [body, bodies[-1]] if bodies else [body]
        joints.append((PivotJointR(at, [0, 1, 0], True, *parts), parts))
        bodies.append(body)

    def look(values):
        for body in bodies:
            values.extend([float(body.q()[0]), float(body.q()[2])])

    return jointed(bodies, joints, p["end"], h, p["rows"], look)


SCENES = {"ball": ball, "string": string, "impact": impact, "friction": friction, "linear": linear, "incline": incline,
          "stack": stack, "wall": wall, "pile": pile, "heap": heap, "top": top, "chain": chain}


def main():
    if sys.argv[1:] == ["--version"]:
        print("Siconos 4.4")
        return 0
    if len(sys.argv) < 3 or sys.argv[1] not in SCENES:
        sys.exit(__doc__ + "scenes: " + " ".join(SCENES))
    scene, parameter, method = sys.argv[1], float(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else ""
    sn.numerics_set_verbose(0)
    best, values, steps, *more = SCENES[scene](parameter, method)
    spent, runs = best, 1
    while runs < 3 and spent < 2.0 or spent < 0.1 and runs < 5:
        again = SCENES[scene](parameter, method)[0]
        best, spent, runs = min(best, again), spent + again, runs + 1
    print(json.dumps({"scene": scene, "method": method, "parameter": parameter, "seconds": best, "steps": steps,
                      "values": values} | ({"residual": more[0]} if more else {})))
    return 0


if __name__ == "__main__":
    sys.exit(main())
