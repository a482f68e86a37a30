"""Models made in code: by entries and by objects, against the same scenes in YAML."""
import gc
import os
import sys
import tempfile
import unittest
import weakref

try:
    import numpy as np
except ImportError:
    sys.exit(77)
try:
    import scipy.sparse as sparse
except ImportError:
    sparse = None

import saltus
from saltus import bodies, joints, shapes

M = np.array([[2.0, 0.5, 0.0], [0.5, 1.5, 0.25], [0.0, 0.25, 1.0]])
K = np.array([[30.0, -10.0, 0.0], [-10.0, 25.0, -8.0], [0.0, -8.0, 20.0]])
RUBBER = {"law": "st-venant-kirchhoff", "young": 1e5, "poisson": 0.3, "density": 1000.0}

#: kind, what code says, what YAML says (below `bodies:`, and the rest)
CASES = {
    "string": (lambda: bodies.string("s", length=0.65, tension=60.0, linear_density=6e-4, modes=12,
        damping={"constant": 2.0},
                                     pluck={"at": 0.1, "height": 1e-3}), """
  - name: s
    kind: modal
    string: {length: 0.65, tension: 60 N, linear_density: 6e-4, modes: 12, damping: {constant: 2}}
    pluck: {at: 10 cm, height: 1 mm}
"""),
    "bar": (lambda: bodies.bar("b", motion="bending", ends="free-free", length=1.0, young=2e11, density=7800.0,
        area=1e-4,
                               second_moment=1e-9, modes=5, initial={"velocities": np.arange(7.0)}), """
  - name: b
    kind: modal
    bar: {motion: bending, ends: free-free, length: 1, young: 200 GPa, density: 7800, area: 1 cm^2,
        second_moment: 1e-9,
          modes: 5}
    initial: {velocities: [0, 1, 2, 3, 4, 5, 6]}
"""),
    "modes": (lambda: bodies.modes("m", omega=[10.0, 20.0], sigma=[0.1, 0.2], mass=[1.0, 2.0],
                                   initial={"coordinates": [1e-3, 2e-3]}), """
  - {name: m, kind: modal, modes: {omega: [10, 20], sigma: [0.1, 0.2], mass: [1, 2]},
      initial: {coordinates: [1e-3, 2e-3]}}
"""),
    "oscillator": (lambda: bodies.oscillator("o", mass=2.0, stiffness=50.0, damping=0.1, scheme="newmark",
                                             initial={"velocity": 1.0}), """
  - {name: o, kind: linear, oscillator: {mass: 2, stiffness: 50, damping: 0.1}, scheme: newmark,
      initial: {velocity: 1}}
"""),
    "chain": (lambda: bodies.chain("c", masses=6, mass=0.1, stiffness=100.0, ends="fixed-free",
                                   loads=[{"dof": 5, "constant": 1.0}]), """
  - name: c
    kind: linear
    chain: {masses: 6, mass: 0.1, stiffness: 100, ends: fixed-free}
    loads: [{dof: 5, constant: 1 N}]
"""),
    "mesh": (lambda: bodies.mesh("x", elements=8, length=1.0, young=1e6, density=1000.0, area=1e-3, ends="free-free",
                                 initial={"velocity": -1.0}), """
  - name: x
    kind: linear
    mesh: {elements: 8, length: 1, young: 1 MPa, density: 1000, area: 1e-3, ends: free-free}
    initial: {velocity: -1}
"""),
    "matrices": (lambda: bodies.matrices("m", mass=M, stiffness=K, damping=0.01 * K, load=np.ones(3),
                                         scheme=saltus.scheme("moreau-jean", theta=0.6)), """
  - name: m
    kind: linear
    matrices:
      mass: [[2, 0.5, 0], [0.5, 1.5, 0.25], [0, 0.25, 1]]
      stiffness: [[30, -10, 0], [-10, 25, -8], [0, -8, 20]]
      damping: [[0.3, -0.1, 0], [-0.1, 0.25, -0.08], [0, -0.08, 0.2]]
      load: [1, 1, 1]
    scheme: {kind: moreau-jean, theta: 0.6}
"""),
    "pendulum": (lambda: bodies.pendulum("p", mass=1.0, length=0.5, initial={"coordinates": [1.0]}), """
  - {name: p, kind: lagrangian, pendulum: {mass: 1, length: 0.5}, initial: {coordinates: [1]}}
"""),
    "n_pendulum": (lambda: bodies.n_pendulum("p", mass=[1.0, 0.5, 0.2], length=[1.0, 1.0, 1.0],
                                             initial={"coordinates": [1.0, 1.5, 2.0]}, scheme="runge-kutta"), """
  - name: p
    kind: lagrangian
    n_pendulum: {mass: [1, 0.5, 0.2], length: [1, 1, 1]}
    initial: {coordinates: [1, 1.5, 2]}
    scheme: runge-kutta
"""),
    "duffing": (lambda: bodies.duffing("d", cubic=5.0, initial={"coordinates": [1.0]},
        scheme="discrete-gradient"), """
  - {name: d, kind: lagrangian, duffing: {cubic: 5}, initial: {coordinates: [1]}, scheme: discrete-gradient}
"""),
    "spring_pendulum": (lambda: bodies.spring_pendulum("s", initial={"coordinates": [0.3, -1.1]}), """
  - {name: s, kind: lagrangian, spring_pendulum: {}, initial: {coordinates: [0.3, -1.1]}}
"""),
    "planet": (lambda: bodies.planet("e", mu=2.0, initial={"coordinates": [1.0, 0.0], "velocities": [0.0, 1.2]}), """
  - {name: e, kind: lagrangian, planet: {mu: 2}, initial: {coordinates: [1, 0], velocities: [0, 1.2]}}
"""),
    "planar_rod": (lambda: bodies.planar_rod("r", length=0.5, initial={"coordinates": [0.0, 1.0, 0.4]}), """
  - {name: r, kind: lagrangian, planar_rod: {length: 0.5}, initial: {coordinates: [0, 1, 0.4]}}
"""),
    "slider_crank": (lambda: bodies.slider_crank("s", tangents="differences", initial={"velocities": [150.0,
        -75.0, 0.0]}), """
  - {name: s, kind: lagrangian, slider_crank: {}, tangents: differences, initial: {velocities: [150, -75, 0]}}
"""),
    "stvk_bar": (lambda: bodies.stvk_bar("b", elements=5, length=1.0, young=1e5, density=1000.0, area=1e-3,
                                         initial={"velocities": np.linspace(0.0, 1.0, 5)}), """
  - name: b
    kind: lagrangian
    stvk_bar: {elements: 5, length: 1, young: 1e5, density: 1000, area: 1e-3}
    initial: {velocities: [0, 0.25, 0.5, 0.75, 1]}
"""),
    "particles": (lambda: bodies.particles("p", mass=[0.1], positions=np.eye(3), gravity=[0, 0, -9.81], drag=0.01,
                                           springs=[{"between": [0, 1], "stiffness": 100.0}]), """
  - name: p
    kind: particles
    particles:
      mass: [0.1]
      positions: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
      gravity: [0, 0, -9.81]
      drag: 0.01
      springs: [{between: [0, 1], stiffness: 100}]
"""),
    "rigid": (lambda: bodies.rigid("top", shape=shapes.box(size=[0.1, 0.2, 0.3]), density=700.0, spin=[0.1, 9.0, 0.1],
                                   copies={"count": [2, 1, 1], "spacing": [1, 0, 0]}), """
  - name: top
    kind: rigid
    rigid: {shape: {box: {size: [10 cm, 20 cm, 30 cm]}}, density: 700, spin: [0.1, 9, 0.1],
            copies: {count: [2, 1, 1], spacing: [1, 0, 0]}}
"""),
    "pseudo_rigid": (lambda: bodies.pseudo_rigid("ball", shape=shapes.sphere(radius=0.1), material=RUBBER,
                                                 stretch=[1.1, 1.0, 0.9]), """
  - name: ball
    kind: pseudo-rigid
    pseudo_rigid:
      shape: {sphere: {radius: 0.1}}
      material: {law: st-venant-kirchhoff, young: 1e5, poisson: 0.3, density: 1000}
      stretch: [1.1, 1, 0.9]
"""),
    "fem": (lambda: bodies.fem("f", mesh={"box": {"kind": "hex8", "cells": [3, 1, 1], "size": [0.3, 0.1, 0.1]}},
                               material=RUBBER, fixed=[{"set": "x0"}], gravity=[0, 0, -9.81]), """
  - name: f
    kind: fem
    fem:
      mesh: {box: {kind: hex8, cells: [3, 1, 1], size: [0.3, 0.1, 0.1]}}
      material: {law: st-venant-kirchhoff, young: 1e5, poisson: 0.3, density: 1000}
      fixed: [{set: x0}]
      gravity: [0, 0, -9.81]
"""),
    "reduced": (lambda: bodies.fem("f", mesh={"box": {"kind": "hex8", "cells": [4, 1, 1], "size": [0.4, 0.1, 0.1]}},
                                   material={**RUBBER, "law": "linear"}, fixed=[{"set": "x0"}], form=None,
                                   modes={"count": 4, "keep": [{"set": "x1"}]}, gravity=[0, 0, -9.81]), """
  - name: f
    kind: fem
    fem:
      mesh: {box: {kind: hex8, cells: [4, 1, 1], size: [0.4, 0.1, 0.1]}}
      material: {law: linear, young: 1e5, poisson: 0.3, density: 1000}
      fixed: [{set: x0}]
      modes: {count: 4, keep: [{set: x1}]}
      gravity: [0, 0, -9.81]
"""),
    "beam": (lambda: bodies.beam("rod", start=[0, 0, 0], end=[1, 0, 0], elements=6, radius=0.01, young=1e7,
        density=1200.0,
                                 held=[{"at": "start", "as": "clamped"}], gravity=[0, 0, -9.81]), """
  - name: rod
    kind: beam
    beam: {start: [0, 0, 0], end: [1, 0, 0], elements: 6, radius: 1 cm, young: 1e7, density: 1200,
           held: [{at: start, as: clamped}], gravity: [0, 0, -9.81]}
"""),
}


def run(model, steps=20):
    """q and v of all groups after some steps, as bytes."""
    sim = saltus.Simulation(model)
    for _ in range(steps):
        if not sim.advance().converged:
            raise AssertionError("a step failed")
    return b"".join(np.array(sim.groups[g].q).tobytes() + np.array(sim.groups[g].v).tobytes()
                    for g in range(len(model.groups)))


def of_yaml(text, rest="", step="1 ms"):
    return saltus.Scene.parse(f"saltus: 1\ntime: {{end: 1 s, step: {step}}}\nbodies:{text}{rest}").build()


class Entries(unittest.TestCase):
    def test_every_kind_runs_in_code_as_in_yaml_bit_by_bit(self):
        self.assertEqual(set(bodies.__all__) - set(CASES), set())
        moved = 0
        for kind, (entry, text) in CASES.items():
            with self.subTest(kind):
                code = saltus.Model.build([entry()], end=1.0, step=1e-3)
                start = saltus.ModelParts.of(code).state(0)
                found = run(code)
                self.assertEqual(found, run(of_yaml(text)))
                moved += found != start[0].tobytes() + start[1].tobytes()
        self.assertEqual(moved, len(CASES))

    def test_every_shape_rests_in_code_as_in_yaml(self):
        with tempfile.TemporaryDirectory() as folder:
            files = {name: os.path.join(folder, name) for name in ("block.obj", "ground.csv")}
            with open(files["block.obj"], "w") as f:
                for x in (-1, 1):
                    for y in (-1, 1):
                        for z in (-1, 1):
                            f.write(f"v {0.05 * x} {0.05 * y} {0.05 * z}\n")
                f.write("f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n")
            with open(files["ground.csv"], "w") as f:
                f.write("0,0,0\n0,0,0\n0,0,0\n")
            corners = [[x, y, z] for x in (-0.05, 0.05) for y in (-0.05, 0.05) for z in (-0.05, 0.05)]
            moving = {"sphere": (shapes.sphere(radius=0.05), "sphere: {radius: 0.05}"),
                      "ellipsoid": (shapes.ellipsoid(radii=[0.06, 0.07, 0.05]),
                          "ellipsoid: {radii: [0.06, 0.07, 0.05]}"),
                      "capsule": (shapes.capsule(radius=0.05, length=0.1), "capsule: {radius: 0.05, length: 0.1}"),
                      "cylinder": (shapes.cylinder(radius=0.05, length=0.1), "cylinder: {radius: 0.05, length: 0.1}"),
                      "box": (shapes.box(size=[0.1, 0.1, 0.1]), "box: {size: [0.1, 0.1, 0.1]}"),
                      "hull": (shapes.hull(points=corners), f"hull: {{points: {corners}}}"),
                      "mesh": (shapes.mesh(file=files["block.obj"]), f"mesh: {{file: '{files['block.obj']}'}}")}
            grounds = {"plane": (shapes.plane(), "plane: {}"),
                       "height_field": (shapes.height_field(file=files["ground.csv"], spacing=[1, 1], origin=[-1,
                           -1]),
                                        f"height_field: {{file: '{files['ground.csv']}', spacing: [1, 1], origin: [-1, -1]}}")}
            self.assertEqual(set(moving) | set(grounds), set(shapes.__all__) - {"surface_velocity"})
            law = saltus.law("newton-impact", restitution=0.5, friction=0.3)
            for name, (shape, written) in moving.items():
                for ground, (under, below) in grounds.items():
                    with self.subTest(shape=name, ground=ground):
                        code = saltus.Model.build(
                            [bodies.rigid("ground", fixed=True, shape=under),
                             bodies.rigid("body", shape=shape, density=500.0, position=[0.02, 0.03, 0.06],
                                          velocity=[0.5, 0.0, -3.0])],
                            surfaces=[saltus.surface(law)], gravity=[0, 0, -9.81], end=1.0, step=1e-3)
                        yaml = of_yaml(f"""
  - {{name: ground, kind: rigid, rigid: {{fixed: true, shape: {{{below}}}}}}}
  - {{name: body, kind: rigid, rigid: {{shape: {{{written}}}, density: 500, position: [0.02, 0.03, 0.06],
      velocity: [0.5, 0, -3]}}}}
""", "surfaces: [{law: {kind: newton-impact, restitution: 0.5, friction: 0.3}}]\ngravity: [0, 0, -9.81]\n")
                        found = run(code)
                        self.assertEqual(found, run(yaml))
                        self.assertGreater(np.frombuffer(found)[7 + 2], 0.0 if name == "sphere" else -3.0)

    def test_every_joint_holds_in_code_as_in_yaml(self):
        arm = dict(shape=shapes.box(size=[0.5, 0.1, 0.1]), density=500.0, position=[0.25, 0, 0], spin=[0.3, 0.5, 0.2])
        more = {"universal": {"axis2": [1.0, 0.0, 0.0]}, "distance": {"to": [0.3, 0.0, 0.4]},
            "line": {"to": [0.3, 0.0, 0.4]}}
        for kind in joints.__all__:
            with self.subTest(kind):
                options = {"at": [0.0, 0.0, 0.0], **({} if kind in ("ball", "distance", "line", "fixed")
                                                     else {"axis": [0.0, 1.0, 0.0]}), **more.get(kind, {})}
                made = getattr(joints, kind)("world", "arm", **options)
                code = saltus.Model.build([bodies.rigid("arm", **arm)], joints=[made], gravity=[0, 0, -9.81], end=1.0,
                                          step=1e-3)
                written = ", ".join(f"{key}: {value}" for key, value in options.items())
                yaml = of_yaml("""
  - {name: arm, kind: rigid, rigid: {shape: {box: {size: [0.5, 0.1, 0.1]}}, density: 500, position: [0.25, 0, 0],
     spin: [0.3, 0.5, 0.2]}}
""", f"joints: [{{kind: {kind}, between: [world, arm], {written}}}]\ngravity: [0, 0, -9.81]\n")
                self.assertEqual(run(code), run(yaml))
                self.assertEqual(code.joints[0].kind, kind)

    def test_contacts_couplings_and_outputs_run_in_code_as_in_yaml(self):
        wheel = dict(mass=1.0, inertia=[0.1, 0.1, 0.1])
        code = saltus.Model.build(
            [bodies.oscillator("o", mass=2.0, stiffness=50.0, origin=[0, 0, 0.01], initial={"velocity": -1.0}),
             bodies.rigid("a", spin=[0, 0, 3.0], **wheel), bodies.rigid("b", position=[1, 0, 0], **wheel)],
            contacts=[saltus.contact("o", {"plane": {}}, saltus.law("newton-impact", restitution=0.7), at=0)],
            joints=[joints.revolute("world", "a", name="ja", at=[0, 0, 0], axis=[0, 0, 1]),
                    joints.revolute("world", "b", name="jb", at=[1, 0, 0], axis=[0, 0, 1], turn={"damping": 0.5})],
            couplings=[saltus.coupling(name="gear", gear={"first": "ja", "second": "jb", "ratio": -2.0})],
            outputs=[saltus.output("o", at=0, name="mass"), saltus.output("ja", name="turn",
                quantity="displacement")],
            end=1.0, step=1e-3)
        yaml = of_yaml("""
  - {name: o, kind: linear, oscillator: {mass: 2, stiffness: 50}, origin: [0, 0, 1 cm], initial: {velocity: -1}}
  - {name: a, kind: rigid, rigid: {spin: [0, 0, 3], mass: 1, inertia: [0.1, 0.1, 0.1]}}
  - {name: b, kind: rigid, rigid: {position: [1, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}}
""", """contacts: [{on: o, at: 0, against: {plane: {}}, law: {kind: newton-impact, restitution: 0.7}}]
joints:
  - {name: ja, kind: revolute, between: [world, a], at: [0, 0, 0], axis: [0, 0, 1]}
  - {name: jb, kind: revolute, between: [world, b], at: [1, 0, 0], axis: [0, 0, 1], turn: {damping: 0.5}}
couplings: [{name: gear, gear: {first: ja, second: jb, ratio: -2}}]
outputs: [{probe: o, at: 0, name: mass}, {probe: ja, name: turn, quantity: displacement}]
""")
        self.assertEqual(run(code, 50), run(yaml, 50))
        sims = [saltus.Simulation(model) for model in (code, yaml)]
        for _ in range(50):
            for sim in sims:
                sim.advance()
        self.assertEqual(code.probes, ["mass", "turn"])
        for name in code.probes:
            self.assertEqual(sims[0].probe(name), sims[1].probe(name))
        self.assertGreater(sims[0].probe("turn"), 0.0)
        self.assertGreater(sims[0].probe("mass"), 0.5)

    def test_rows_and_distances_of_contacts_run_in_code_as_in_yaml(self):
        rows = np.array([[0.3, 1.0], [1.0, -0.3]])
        code = saltus.Model.build(
            [bodies.matrices("b", mass=[[2, 0.5], [0.5, 1]], stiffness=[300, 200],
                             initial={"coordinates": [0.02, 0.05], "velocities": [0.3, -1]}),
             bodies.particles("p", mass=[1.0], positions=[[0, 0, 1.0]], velocities=[[0, 0, -2.0]]),
             bodies.particles("r", mass=[1.0], positions=[[0, 0, 0.5]])],
            contacts=[saltus.contact("b", row=rows[0], tangent=rows[1], offset=0.01,
                                     law=saltus.law("newton-impact", restitution=0.5, friction=0.2)),
                      saltus.contact("p", {"body": "r", "normal": [0, 0, 1], "distance": 0.1}, "newton-impact")],
            end=1.0, step=1e-3)
        yaml = of_yaml("""
  - {name: b, kind: linear, matrices: {mass: [[2, 0.5], [0.5, 1]], stiffness: [300, 200]},
     initial: {coordinates: [0.02, 0.05], velocities: [0.3, -1]}}
  - {name: p, kind: particles, particles: {mass: [1], positions: [[0, 0, 1]], velocities: [[0, 0, -2]]}}
  - {name: r, kind: particles, particles: {mass: [1], positions: [[0, 0, 0.5]]}}
""", """contacts:
  - {on: b, row: [0.3, 1], tangent: [1, -0.3], offset: 1 cm, law: {kind: newton-impact, restitution: 0.5, friction: 0.2}}
  - {on: p, against: {body: r, normal: [0, 0, 1], distance: 10 cm}, law: newton-impact}
""")
        self.assertEqual(run(code, 400), run(yaml, 400))
        sim = saltus.Simulation(code)
        sim.run(until=0.4)
        self.assertAlmostEqual(sim.groups[1].q[2] - sim.groups[2].q[2], 0.1, delta=0.003)
        with self.assertRaisesRegex(saltus.SceneError, "`law` is missing"):
            saltus.contact("b", row=[1, 0])

    def test_a_mesh_of_arrays_goes_through_a_file(self):
        nodes = np.array([[x, y, z] for z in (0.0, 0.1) for y in (0.0, 0.1) for x in (0.0, 0.1, 0.2)]) + 1 / 3
        cells = np.array([[i, i + 1, i + 4, i + 3, i + 6, i + 7, i + 10, i + 9] for i in (0, 1)])
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "two.msh")
            saltus.write_gmsh(file, nodes, {"hex8": cells}, node_sets={"held": [0, 3, 6, 9]},
                element_sets={"all": [0, 1]})
            read = saltus.read_gmsh(file)
            np.testing.assert_array_equal(read["nodes"], nodes)
            np.testing.assert_array_equal(read["elements"]["hex8"], cells)
            self.assertEqual(read["node_sets"]["held"], [0, 3, 6, 9])
            body = bodies.fem("f", mesh={"file": file}, material=RUBBER, fixed=[{"set": "held"}], gravity=[0, 0,
                -9.81])
            model = saltus.Model.build([body], end=1.0, step=1e-3)
            self.assertEqual(model.groups[0].positions, 3 * 8)
            run(model)
            with self.assertRaises(saltus.UsageError) as caught:
                saltus.write_gmsh(file, nodes, {"hex9": cells})
            self.assertIn("did you mean `hex8`?", str(caught.exception))

    def test_schemes_and_the_solver_of_a_model_may_be_objects(self):
        class Asks(saltus.ContactSolver):
            calls = 0

            def solve(self, problem, limits, memory, p):
                self.calls += 1
                return saltus.solver("auto").solve(problem, limits, memory, p)

        def ball(scheme):
            return bodies.rigid("ball", shape=shapes.sphere(radius=0.1), density=700.0, position=[0, 0, 0.1],
                scheme=scheme)

        rest = dict(surfaces=[saltus.surface(saltus.law("newton-impact"))], gravity=[0, 0, -9.81], end=1.0, step=1e-3)
        floor = bodies.rigid("floor", fixed=True, shape=shapes.plane())
        expected = run(saltus.Model.build([floor, ball("rig-mid")], **rest))
        solver = Asks()
        self.assertEqual(run(saltus.Model.build([floor, ball(saltus.scheme("rig-mid"))], solver=solver, **rest)),
            expected)
        self.assertGreater(solver.calls, 10)
        self.assertEqual(run(saltus.Model.build([floor, ball({"kind": "rig-mid"})], solver=saltus.solver("auto"),
            **rest)),
                         expected)


    def test_a_scheme_written_in_python_moves_a_body_of_the_entries(self):
        expected = run(saltus.Model.build([bodies.oscillator("o", mass=2.0, stiffness=50.0, initial={"velocity": 1.0},
                                                             scheme={"kind": "moreau-jean", "theta": 0.6})],
                                          end=1.0, step=1e-3))
        mine = Passes(saltus.scheme("moreau-jean", theta=0.6))
        model = saltus.Model.build([bodies.oscillator("o", mass=2.0, stiffness=50.0, initial={"velocity": 1.0},
                                                      scheme=mine)], end=1.0, step=1e-3)
        self.assertEqual(model.groups[0].scheme_name, "Passes")
        self.assertEqual(run(model), expected)
        self.assertGreater(mine.steps, 10)
        with self.assertRaises(saltus.UsageError) as caught:
            saltus.make_scene([bodies.oscillator("o", mass=2.0, scheme=mine)], end=1.0, step=1e-3)
        self.assertIn("'Passes' is written in Python", str(caught.exception))
        ball = dict(shape=shapes.sphere(radius=0.1), density=700.0)
        with self.assertRaises(saltus.UsageError) as caught:
            saltus.Model.build([bodies.rigid("a", scheme=mine, **ball), bodies.rigid("b", position=[1, 0, 0],
                **ball)],
                               end=1.0, step=1e-3)
        self.assertIn("the bodies a, b form one group", str(caught.exception))


class Passes(saltus.Scheme):
    """Leaves everything to a scheme of the program."""

    steps = 0

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def needs(self):
        return self.inner.needs()

    def begin(self, body, x):
        self.steps += 1
        self.inner.begin(body, x)

    def linearise(self, body, x):
        self.inner.linearise(body, x)

    def correct(self, body, x):
        return self.inner.correct(body, x)

    def finish(self, body, x, end):
        self.inner.finish(body, x, end)

    def work(self, body, x, end, work):
        self.inner.work(body, x, end, work)

    def one_pass(self, body):
        return self.inner.one_pass(body)

    def gain(self):
        return self.inner.gain()


#: what is called, words of the message
FAULTS = [
    (lambda: bodies.rigid("b", shape=shapes.sphere(radius=0.1), density=-1.0),
        "bodies[0].rigid.density: -1 kg/m^3 is out of range"),
    (lambda: bodies.rigid("b", shap=shapes.sphere(radius=0.1)),
        "bodies.rigid: unknown key `shap`; did you mean `shape`?"),
    (lambda: bodies.oscillator("o"), "bodies.oscillator: `mass` is missing"),
    (lambda: bodies.oscillator("o", mass="2 m"), "bodies[0].oscillator.mass"),
    (lambda: bodies.oscillator("o", mass=2.0, scheme="newmarc"), "did you mean `newmark`?"),
    (lambda: bodies.oscillator("o", mass=2.0, pluck={"at": 1}), "unknown key `pluck`"),
    (lambda: shapes.sphere(radius=0.0), "shape.sphere.radius: 0 m is out of range"),
    (lambda: saltus.scheme("moreau-jean", theta=2), "scheme.theta: 2 is out of range; allowed: [0, 1]"),
    (lambda: saltus.scheme("moreau-jean", thta=1), "did you mean `theta`?"),
    (lambda: saltus.scheme("moro-jean"), "did you mean `moreau-jean`?"),
    (lambda: saltus.law("newton-impact", restitution=1.5), "law.restitution: 1.5 is out of range"),
    (lambda: saltus.law("newton"), "newton-impact"),
    (lambda: saltus.law("compliant"), "`stiffness` is missing"),
    (lambda: joints.revolute("a", "world", axes=[0, 0, 1]),
        "joints.revolute: unknown key `axes`; did you mean `axis`?"),
    (lambda: saltus.Model.build([bodies.oscillator("o", mass=1.0)], end=1.0, step=1e-3,
                                contacts=[saltus.contact("p", {"plane": {}}, "signorini-position")]),
                                    "contacts[0].on"),
    (lambda: saltus.Model.build([bodies.oscillator("o", mass=1.0)], end=1.0), "time"),
    (lambda: saltus.Model.build([bodies.matrices("m", mass=[[1.0, 2.0], [3.0, 9.0]])], end=1.0, step=1e-3),
        "bodies[0].matrices.mass: is not symmetric"),
]


class Faults(unittest.TestCase):
    def test_what_is_wrong_is_named_by_its_path(self):
        for call, words in FAULTS:
            with self.subTest(words):
                with self.assertRaises(saltus.SceneError) as caught:
                    call()
                self.assertIn(words, str(caught.exception))

    def test_a_maker_knows_its_options(self):
        import inspect

        signature = inspect.signature(bodies.rigid)
        self.assertIn("density", signature.parameters)
        self.assertIs(inspect.signature(bodies.oscillator).parameters["mass"].default, inspect.Parameter.empty)
        for maker in [getattr(bodies, name) for name in bodies.__all__] + [getattr(shapes,
            name) for name in shapes.__all__]:
            self.assertIn("Parameters", maker.__doc__)
        self.assertIn("number [kg/m^3], > 0", bodies.rigid.__doc__)


def chain_parts(dynamics, scheme=None):
    parts = saltus.ModelParts()
    parts.options(h=1e-3, end=1.0)
    parts.add_group("m", dynamics, scheme or saltus.scheme("moreau-jean", theta=0.6))
    return parts


class Parts(unittest.TestCase):
    def test_matrices_of_numpy_run_as_those_of_a_scene(self):
        expected = run(of_yaml(CASES["matrices"][1]))
        forms = [lambda A: A] + ([sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix] if sparse else [])
        for form in forms:
            body = saltus.linear(form(M), stiffness=form(K), damping=form(0.01 * K), load=np.ones(3))
            self.assertEqual(run(chain_parts(body).build()), expected)
        if sparse:
            entry = bodies.matrices("m", mass=sparse.csr_matrix(M), stiffness=sparse.csc_matrix(K), damping=0.01 * K,
                                    load=np.ones(3), scheme={"kind": "moreau-jean", "theta": 0.6})
            self.assertEqual(run(saltus.Model.build([entry], end=1.0, step=1e-3)), expected)

    @unittest.skipIf(sparse is None, "SciPy is not installed")
    def test_a_sparse_matrix_of_many_rows_stays_sparse(self):
        n = 20000
        stiffness = sparse.diags([np.full(n, 2e4), np.full(n - 1, -1e4), np.full(n - 1, -1e4)], [0, 1, -1])
        parts = saltus.ModelParts()
        parts.options(h=1e-3, end=1.0)
        parts.add_group("chain", saltus.linear(np.full(n, 0.1), stiffness=stiffness), saltus.scheme("moreau-jean"),
                        v=np.eye(1, n, n // 2)[0])
        sim = saltus.Simulation(parts.build())
        energy = sim.energy.total
        for _ in range(3):
            sim.advance()
        self.assertAlmostEqual(sim.energy.total, energy, places=12)
        with self.assertRaises(saltus.UsageError) as caught:
            bodies.matrices("m", mass=np.ones(n), stiffness=stiffness)
        self.assertIn("saltus.linear()", str(caught.exception))

    def test_modes_of_numpy_run_as_those_of_a_scene(self):
        expected = run(of_yaml(CASES["modes"][1]))
        parts = saltus.ModelParts()
        parts.options(h=1e-3, end=1.0)
        parts.add_group("m", saltus.modal([10.0, 20.0], sigma=[0.1, 0.2], mass=[1.0, 2.0]),
            saltus.scheme("modal-exact"),
                        q=[1e-3, 2e-3])
        self.assertEqual(run(parts.build()), expected)

    def test_a_pair_of_points_bounces_as_a_contact_of_a_scene(self):
        expected = run(of_yaml("""
  - {name: o, kind: linear, oscillator: {mass: 2}, scheme: {kind: moreau-jean}, origin: [0, 0, 1],
      loads: [{dof: 0, constant: -19.62}]}
""", "contacts: [{on: o, at: 0, against: {plane: {}}, law: {kind: newton-impact, restitution: 0.5}}]\n"), 700)
        parts = saltus.ModelParts()
        parts.options(h=1e-3, end=1.0, tolerance=1e-12)
        parts.add_group("o", saltus.linear([[2.0]], stiffness=[[0.0]], load=[-19.62], places=[[0, 0, 1]]),
                        saltus.scheme("moreau-jean"))
        law = parts.add_law("newton-impact", restitution=0.5)
        parts.add_pair(saltus.Point("o"), [0, 0, 0], normal=[0, 0, 2], law=law)
        parts.add_probe("height", saltus.Point("o"), quantity="displacement")
        model = parts.build()
        sim = saltus.Simulation(model)
        least, v = 0.0, []
        for _ in range(700):
            sim.advance()
            least = min(least, sim.probe("height"))
            v.append(float(sim.groups["o"].v[0]))
        self.assertGreater(least, -1.01)
        self.assertLess(least, -0.99)
        self.assertGreater(max(v), 0.45 * np.sqrt(2 * 9.81))
        np.testing.assert_array_equal(np.frombuffer(run(model, 700)), np.frombuffer(expected))

    def test_shapes_on_frames_rest_as_those_of_a_scene(self):
        size = np.array([0.1, 0.2, 0.1])
        law = {"kind": "newton-impact", "friction": 0.4}
        body = bodies.rigid("box", shape=shapes.box(size=size), density=500.0, position=[0, 0, 0.06],
            velocity=[0.5, 0, 0],
                            gravity=[0, 0, -9.81])
        scene = saltus.Model.build([bodies.rigid("floor", fixed=True, shape=shapes.plane()), body],
                                   surfaces=[saltus.surface(law)], contact={"margin": 0.01}, end=1.0, step=1e-3)
        parts = saltus.ModelParts()
        parts.options(h=1e-3, end=1.0, tolerance=1e-9)
        parts.add_body(body)
        parts.add_shape(saltus.Shape.plane())
        parts.add_shape(saltus.Shape.box(size), frame=parts.add_frame("box"))
        parts.surface_law(parts.add_law(law, scheme="rig-mid"))
        parts.surfaces(margin=0.01)
        model = parts.build()
        sims = [saltus.Simulation(scene), saltus.Simulation(model)]
        for _ in range(150):
            for sim in sims:
                sim.advance()
        np.testing.assert_allclose(sims[1].groups[0].q, sims[0].groups[0].q, atol=1e-9)
        self.assertAlmostEqual(sims[1].groups[0].q[2], 0.05, places=3)

    def test_shapes_of_arrays_have_moments(self):
        corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
        volume, centre, inertia = saltus.Shape.hull(corners).moments()
        self.assertAlmostEqual(volume, 1.0)
        np.testing.assert_allclose(centre, 0.5)
        np.testing.assert_allclose(inertia, np.eye(3) / 6, atol=1e-12)
        triangles = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
                              [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])
        self.assertAlmostEqual(saltus.Shape.mesh(corners, triangles).moments()[0], 1.0)
        self.assertFalse(saltus.Shape.height_field(np.zeros((2, 3)), [1, 1]).can_move)

    def test_a_joint_a_motor_and_a_coupling_turn_as_those_of_a_scene(self):
        arm = bodies.rigid("arm", mass=2.0, inertia=[0.1, 0.1, 0.1], position=[0.5, 0, 0], gravity=[0, 0, -9.81])
        expected = run(saltus.Model.build([arm], joints=[joints.revolute("world", "arm", at=[0, 0, 0], axis=[0,
            0, 1])],
                                          end=1.0, step=1e-3), 100)
        parts = saltus.ModelParts()
        parts.options(h=1e-3, end=1.0)
        parts.add_body(arm)
        parts.add_joint("hinge", "revolute", [0, 0, 0], saltus.Point("arm", [-0.5, 0, 0]))
        np.testing.assert_allclose(np.frombuffer(run(parts.build(), 100)), np.frombuffer(expected), atol=1e-12)
        driven = saltus.ModelParts.of(parts.build())
        driven.add_coupling("drive", [("hinge", 0, 1.0)], lambda t: (3.0 * t, 3.0))
        sim = saltus.Simulation(driven.build())
        for _ in range(100):
            sim.advance()
        self.assertAlmostEqual(sim.joint_coordinate("hinge")[0] if isinstance(sim.joint_coordinate("hinge"), tuple)
                               else sim.joint_coordinate("hinge"), 0.3, places=6)
        stopped = saltus.ModelParts.of(parts.build())
        stopped.set_state("arm", v=[0, 1.0, 0, 0, 0, 2.0])
        stopped.add_joint_law("hinge", stopped.add_law("newton-impact"), sign=-1.0, offset=0.1, name="stop")
        sim = saltus.Simulation(stopped.build())
        for _ in range(200):
            sim.advance()
        x, y = sim.groups[0].q[:2]
        self.assertAlmostEqual(np.arctan2(y, x), 0.1, places=2)

    def test_joints_of_parts_hold_from_the_start_as_those_of_a_scene(self):
        ball = bodies.rigid("ball", shape=shapes.sphere(radius=0.1), mass=1.0)

        def held(add, v=None):
            scene = saltus.Scene.from_dict({"saltus": 1, "time": {"end": 1, "step": 1e-3}, "bodies": [dict(ball)]})
            parts = saltus.ModelParts.of(scene)
            if v is not None:
                parts.set_state("ball", v=v)
            add(parts)
            model = parts.build()
            sim = saltus.Simulation(model)
            speeds = []
            for _ in range(4):
                sim.advance()
                speeds.append(np.array(sim.groups[0].v))
            return model.warnings, np.array(speeds), np.array(sim.groups[0].q), sim

        # pushed against a joint through its centre: the joint takes all of it
        warnings, v, q, _ = held(lambda parts: parts.add_joint("j", "ball", saltus.Point("ball"), [0.0, 0, 0]),
                                 [1.0, 0, 0, 0, 0, 0])
        self.assertEqual(warnings, ["j: the initial velocities violated 'j' by 1 m/s; they were changed by the smallest impulse that makes them compatible"])
        np.testing.assert_allclose(v, 0.0, atol=1e-15)
        np.testing.assert_allclose(q[:3], 0.0, atol=1e-15)

        # open by 1 cm: the ball moves there, and takes no energy from it
        warnings, v, q, sim = held(lambda parts: parts.add_joint("j", "ball", saltus.Point("ball"), [0.01, 0, 0]))
        self.assertEqual(warnings, ["j: 'j' was violated by 0.01 m; bodies were moved by up to 0.01 m and 0 rad (largest for 'ball')"])
        np.testing.assert_allclose(v, 0.0, atol=1e-12)
        self.assertAlmostEqual(q[0], 0.01, places=14)
        self.assertLess(abs(sim.ledger["joints"]), 1e-15)

        def drive(parts):
            parts.add_joint("j", "revolute", [0, 0, 0], saltus.Point("ball"))
            parts.add_coupling("c", [("j", 0, 1.0)], value=lambda t: (2 * t, 2.0))

        warnings, v, q, _ = held(drive)
        self.assertEqual(len(warnings), 1)
        self.assertIn("violated 'c' by 2 rad/s", warnings[0])
        hinge = joints.revolute("world", "ball", at=[0, 0, 0], axis=[0, 0, 1], turn={"drive": {"rate": 2.0}})
        sim = saltus.Simulation(saltus.Model.build([ball], joints=[hinge], end=1.0, step=1e-3))
        for speed in v:
            sim.advance()
            np.testing.assert_allclose(speed, sim.groups[0].v, atol=1e-12)
            np.testing.assert_allclose(speed, [0, 0, 0, 0, 0, 2.0], atol=2e-6)  # 2 (h omega)^2/12 omega at this step

    def test_joints_of_parts_that_cannot_hold_are_named(self):
        def parts_of(*added):
            locked = bodies.rigid("ball", shape=shapes.sphere(radius=0.1), mass=1.0, locked=["rz"])
            parts = saltus.ModelParts()
            parts.options(h=1e-3, end=1.0)
            parts.add_body(locked)
            for add in added:
                add(parts)
            return parts

        def hinge(parts):
            parts.add_joint("hinge", "revolute", [0, 0, 0], saltus.Point("ball"))

        for added, words in (
                ((hinge, lambda p: p.add_coupling("c", [("hinge", 0, 1.0)], value=lambda t: (2 * t, 2.0))),
                    "hinge: 'c' requires an initial rate along which its bodies cannot move: the residual is 2 rad/s"),
                ((hinge, lambda p: p.add_coupling("c", [("hinge", 0, 1.0)], value=lambda t: (t ** 2, 2 * t))),
                    "hinge: 'c' requires a motion along which its bodies cannot move: it is off by"),
                ((lambda p: p.add_joint("a", "ball", saltus.Point("ball"), [0, 0, 0]),
                  lambda p: p.add_joint("b", "ball", saltus.Point("ball"), [0.1, 0, 0])),
                    "cannot be closed: the bodies are apart by 0.1 m at best"),
                ((lambda p: p.add_joint("a", "ball", [0, 0, 0], [0, 0, 0]),),
                    "'a' connects no body that forces can move")):
            with self.subTest(words):
                with self.assertRaises(saltus.SceneError) as caught:
                    parts_of(*added).build()
                self.assertIn(words, str(caught.exception))
        # of parts of a scene with joints, the one that was added is named and not the first
        parts = saltus.ModelParts.of(parts_of(hinge).build())
        parts.add_joint("more", "ball", saltus.Point("ball"), [0.1, 0, 0])
        with self.assertRaisesRegex(saltus.SceneError, "^(hinge|more): '(hinge|more)' cannot be closed"):
            parts.build()

    def test_parts_of_a_model_make_it_again_with_its_warnings(self):
        examples = os.path.join(os.path.dirname(__file__), "..", "..", "examples")
        for name in ("bouncing_ball", "double_pendulum", "newton_cradle", "arm", "slider_crank", "stack",
            "flyball_governor", "chain_on_drum", "four_bar_chain"):
            with self.subTest(name):
                model = saltus.Scene.read(os.path.join(examples, name + ".yaml")).build()
                again = saltus.ModelParts.of(model).build()
                self.assertEqual(sorted(again.warnings), sorted(model.warnings))
                self.assertEqual(again.accounts, model.accounts)
                self.assertEqual(run(again, 5), run(model, 5))

    def test_a_scheme_may_be_replaced(self):
        parts = saltus.ModelParts.of(of_yaml(CASES["oscillator"][1]))
        parts.set_scheme("o", saltus.scheme("moreau-jean", theta=0.5))
        expected = run(of_yaml(CASES["oscillator"][1].replace("newmark", "{kind: moreau-jean, theta: 0.5}")))
        self.assertEqual(run(parts.build()), expected)

    def test_a_model_keeps_what_it_is_made_of(self):
        body = saltus.linear(M, stiffness=K)
        parts = chain_parts(body)
        model = parts.build()
        here = weakref.ref(parts)
        del body, parts
        gc.collect()
        self.assertIsNone(here())
        run(model)

    def test_what_does_not_fit_is_named(self):
        body = saltus.linear(M, stiffness=K)
        scheme = saltus.scheme("moreau-jean")
        parts = chain_parts(body)
        law = parts.add_law("newton-impact", friction=0.3)
        for call, words in (
                (lambda: saltus.ModelParts().build(), "there is no group"),
                (lambda: parts.add_group("m", body, scheme), "group 'm' already exists"),
                (lambda: parts.add_group("n", body, scheme, q=[1.0]),
                    "q of group 'n' has 1 elements, its dynamics 3 positions"),
                (lambda: parts.add_group("n", body, scheme, v=[1.0, np.nan, 0.0]), "v[1] of group 'n' is nan"),
                (lambda: parts.add_pair(saltus.Point("k"), [0, 0, 0], [0, 0, 1], law), "there is no group 'k'"),
                (lambda: parts.add_pair([0, 0, 0], [0, 0, 0], [0, 0, 1], law), "side a"),
                (lambda: parts.add_pair(saltus.Point("m"), [0, 0, 0], [0, 0, 0], law), "has no direction"),
                (lambda: parts.add_pair(saltus.Point("m"), [0, 0, 0], [0, 0, 1], 7), "there is no law 7"),
                (lambda: parts.add_pair(saltus.Point("m"), [0, 0, 0], [0, 0, 1], law, tangents=[[0, 0, 1]]),
                    "perpendicular to the normal and to each other"),
                (lambda: parts.add_joint("j", "hinge", [0, 0, 0], saltus.Point("m")), "there is no kind of joint 'hinge'"),
                (lambda: parts.add_shape(saltus.Shape.sphere(0.1), frame=3), "there is no frame 3"),
                (lambda: parts.options(hh=1.0), "there is no option 'hh'"),
                (lambda: parts.options(h=-1.0), "h is -1"),
                (lambda: parts.options(instant="never"), "instant is 'never'"),
                (lambda: saltus.linear(M, stiffness=np.eye(2)), "stiffness is 2 x 2, mass is 3 x 3"),
                (lambda: saltus.linear([[1.0, 2.0, 3.0]]), "not square"),
                (lambda: parts.add_pair(saltus.Point("m"), [0, 0, np.nan], [0, 0, 1], law), "b is [0, 0, nan]"),
                (lambda: parts.add_pair(saltus.Point("m"), [0, 0, 0], [0, 0, np.inf], law), "no direction"),
                (lambda: saltus.Point("m", [np.inf, 0, 0]), "local is [inf, 0, 0]"),
                (lambda: parts.add_joint("j", "ball", [0, np.nan, 0], saltus.Point("m")), "a is [0, nan, 0]"),
                (lambda: parts.add_shape(saltus.Shape.sphere(0.1), position=[np.nan, 0, 0]), "position is [nan"),
                (lambda: saltus.Shape.sphere(-1.0), "radius"),
                (lambda: saltus.Shape.sphere("1 cm"), "a length is '1 cm' (a number [m])"),
                (lambda: saltus.Shape.capsule(radius=0.1, length=None), "a length is None (a number [m])"),
                (lambda: saltus.Shape.box("1 cm"), "lengths along x, y, z are '1 cm' (3 numbers [m])"),
                (lambda: saltus.Shape.box([1, 2]), "lengths along x, y, z are [1, 2] (3 numbers [m])"),
                (lambda: saltus.Shape.mesh(np.eye(3), [[0, 1, 1.5]]),
                    "triangles[0, 2] is 1.5 (the number of a vertex, from 0 to 2)"),
                (lambda: saltus.Shape.mesh(np.eye(3), [[0, 1, 3]]), "triangles[0, 2] is 3"),
                (lambda: saltus.linear(1.0), "linear: mass is 1.0; expected an array (n, n), or (n,) for a diagonal"),
                (lambda: saltus.linear([1.0], stiffness="soft"), "linear: stiffness is 'soft'"),
                (lambda: parts.options(h="1 mm"), "options: h is '1 mm'"),
                (lambda: parts.options(end=None), "options: end is None (a number of seconds"),
                (lambda: parts.options(tolerance="fine"), "options: tolerance is 'fine' (a number)"),
                (lambda: parts.options(iterations=1.5), "options: iterations is 1.5 (a whole number)"),
                (lambda: parts.options(events={"limit": "many"}), "options: events.limit is 'many' (a whole number)"),
                (lambda: parts.options(events=3), "options: events is 3 (a dict)"),
                (lambda: parts.add_coupling("c", [("x", 0, 1.0)]), "there is no joint 'x'; add_joint() adds one"),
                (lambda: parts.add_coupling("c", [(None, 0, 1.0)]), "a joint is None (its name or index)"),
                (lambda: parts.add_frame(None), "a group is None (expected its name or index)")):
            with self.subTest(words):
                with self.assertRaises(saltus.UsageError) as caught:
                    call()
                self.assertIn(words, str(caught.exception))
        self.assertEqual([group.name for group in parts.groups], ["m"])
        parts.options(h="2 ms", end="3 s")
        self.assertEqual((parts.h, parts.end), (2e-3, 3.0))
        self.assertEqual(saltus.Shape.box(np.array([1, 2, 3])).moments()[0], 6.0)
        self.assertEqual(saltus.Shape.sphere(np.float32(1)).moments()[0], saltus.Shape.sphere(1).moments()[0])
        with self.assertRaises(saltus.SceneError) as caught:
            parts.add_law("newton-impact", friction=-1)
        self.assertIn("law.friction", str(caught.exception))
        with self.assertRaises(TypeError):
            parts.add_group("n", "body", scheme)
        wrong = chain_parts(saltus.modal([1.0]), saltus.scheme("rig-mid"))
        with self.assertRaises(saltus.SceneError) as caught:
            wrong.build()
        self.assertIn("m", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
