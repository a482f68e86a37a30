"""Scenes, models, simulations, states: the contract of the core of the package."""
import copy
import importlib.util
import json
import os
import pickle
import subprocess
import sys
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit(77)

import saltus

ROOT = Path(os.environ.get("SALTUS_ROOT", Path(__file__).resolve().parents[2]))
BALL = ROOT / "examples/bouncing_ball.yaml"
BALLS = {
    "saltus": 1, "title": "Two balls", "time": {"end": "0.5 s", "step": 1e-3}, "gravity": [0, 0, -9.81],
    "bodies": [
        {"name": "ground", "kind": "rigid", "rigid": {"shape": {"plane": {}}, "fixed": True}},
        {"name": "low", "kind": "rigid", "rigid": {"shape": {"sphere": {"radius": 0.1}}, "density": 1000,
                                                   "position": np.array([0, 0, 0.1])}},
        {"name": "high", "kind": "rigid", "rigid": {"shape": {"sphere": {"radius": 0.1}}, "density": 500,
                                                    "position": [0.01, 0, 0.31], "spin": [1, 2, 3]}}],
    "surfaces": [{"law": {"kind": "newton-impact", "friction": 0.4, "restitution": 0.3}}]}


class Scenes(unittest.TestCase):
    def test_a_scene_comes_from_a_file_a_text_a_dict_or_a_path(self):
        scenes = [saltus.Scene.read(BALL), saltus.Scene.read(str(BALL)), saltus.Scene.of(BALL),
                  saltus.Scene.parse(BALL.read_text()),
                  saltus.Scene.from_dict(saltus.Scene.read(BALL).resolved)]
        for scene in scenes:
            self.assertEqual(scene, scenes[0])
            self.assertEqual(scene.title, "Bouncing ball")
        self.assertEqual(scenes[0].file, str(BALL))
        self.assertEqual(scenes[0].text, BALL.read_text())
        self.assertIs(saltus.Scene.of(scenes[0]), scenes[0])

    def test_entries_are_set_by_a_dict_a_list_or_a_text(self):
        wanted = saltus.Scene.read(BALL, {"time.rate": 2000, "on_failure": "halve"})
        self.assertEqual(wanted.resolved["time"]["rate"], 2000.0)
        self.assertEqual(wanted.resolved["on_failure"], "halve")
        for given in (["time.rate=2 kHz", "on_failure=halve"], {"time.rate": "2 kHz", "on_failure": "halve"},
                      {"time.rate": np.float64(2000), "on_failure": "halve"}):
            self.assertEqual(saltus.Scene.read(BALL, given), wanted)
            self.assertEqual(saltus.Scene.read(BALL).with_(given), wanted)
        twice = saltus.Scene.read(BALL, "time.rate=3 kHz").with_("time.rate=2 kHz")
        twice = twice.with_({"on_failure": "halve"})
        self.assertEqual(twice, wanted)
        self.assertEqual(len(twice.set), 3)

    def test_numbers_survive_the_way_through_a_dict(self):
        for value in (0.1, 1 / 3, 1e-300, 12345678.9, 1e22):
            scene = saltus.Scene.from_dict({**BALLS, "gravity": [0, 0, -value]})
            self.assertEqual(scene.resolved["gravity"][2], -value)

    def test_the_resolved_scene_spells_out_every_default(self):
        resolved = saltus.Scene.from_dict(BALLS).resolved
        self.assertEqual(resolved["contact"]["instant"], "end")
        self.assertEqual(resolved["time"]["end"], 0.5)
        json.dumps(resolved)

    def test_a_fault_tells_where_it_is_and_what_is_allowed(self):
        text = BALL.read_text().replace("restitution: ", "restitutoin: ")
        with self.assertRaises(saltus.SceneError) as caught:
            saltus.Scene.parse(text, "ball.yaml")
        error = caught.exception
        line = next(k for k, one in enumerate(text.splitlines(), 1) if "restitutoin" in one)
        self.assertEqual((error.file, error.line), ("ball.yaml", line))
        self.assertGreater(error.column, 0)
        self.assertIn("restitutoin", error.message)
        self.assertIn("restitution", error.hint)
        self.assertIn("contacts[0].law", error.path)
        place = f"{error.file}:{error.line}:{error.column}"
        self.assertEqual(str(error), f"{place}: {error.path}: {error.message}; {error.hint}")
        self.assertIsInstance(error, ValueError)
        self.assertIsInstance(error, saltus.Error)

    def test_faults_of_building_and_of_assignments_have_their_place_too(self):
        with self.assertRaises(saltus.SceneError) as caught:
            saltus.Scene.read(BALL, "time.rate=-1")
        self.assertIn("time.rate", str(caught.exception))
        with self.assertRaises(saltus.SceneError) as caught:
            saltus.Scene.read("no such file.yaml")
        self.assertIn("no such file.yaml", str(caught.exception))
        with self.assertRaises(saltus.SceneError) as caught:
            saltus.Simulation({**BALLS, "bodies": BALLS["bodies"][:2] + [{"name": "m", "kind": "fem", "fem": {
                "mesh": {"file": "none.msh"}, "material": {"density": 1, "young": 1}}}]})
        self.assertTrue(caught.exception.message)

    def test_an_error_is_the_same_behind_a_pickle(self):
        with self.assertRaises(saltus.SceneError) as caught:
            saltus.Scene.parse("saltus: 2", "x")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(str(again), str(caught.exception))
        self.assertEqual((again.file, again.line, again.hint), ("x", 1, caught.exception.hint))

    def test_what_cannot_stand_in_a_scene_is_refused(self):
        for value in (float("nan"), object()):
            with self.assertRaises(saltus.SceneError):
                saltus.Scene.from_dict({**BALLS, "gravity": [0, 0, value]})
        with self.assertRaises(TypeError):
            saltus.Scene.of(3)

    def test_a_fault_found_in_python_has_its_path_message_and_hint_too(self):
        cases = [(lambda: saltus.bodies.rigid("b", densty=3), "bodies.rigid", "densty", "did you mean `density`"),
                 (lambda: saltus.Scene.from_dict({**BALLS, "gravity": [0, np.nan, 0]}), "gravity[1]", "nan", "finite"),
                 (lambda: saltus.Scene.from_dict({**BALLS, "bodies": [{"rigid": {"density": np.array([1, np.inf])}}]}),
                  "bodies[0].rigid.density[1]", "inf", "finite"),
                 (lambda: saltus.Scene.from_dict({**BALLS, "title": "half \ud83d"}), "title", "an unpaired surrogate", "texts"),
                 (lambda: saltus.Scene.read(BALL, {"gravity": [0, 0, object()]}), "gravity[2]", "object", "allowed")]
        for call, path, message, hint in cases:
            with self.subTest(path), self.assertRaises(saltus.SceneError) as caught:
                call()
            error = caught.exception
            self.assertEqual(error.path, path)
            self.assertIn(message, error.message)
            self.assertIn(hint, error.hint)
            self.assertNotIn("\n", str(error))
        for given in (3, [3], {3: 4}):
            with self.assertRaisesRegex(saltus.UsageError, "path"):
                saltus.Scene.read(BALL, given)
        with self.assertRaisesRegex(TypeError, r"^the text of a scene must be a str, not bytes; decode them: text.decode\(\)$"):
            saltus.Scene.parse(b"saltus: 1")
        with self.assertRaisesRegex(TypeError, "^the text of a scene must be a str, not dict$"):
            saltus.Scene.parse({"saltus": 1})

    def test_a_scene_finds_its_files_wherever_the_process_goes(self):
        before = os.getcwd()
        try:
            os.chdir(ROOT / "examples")
            scenes = [saltus.Scene.read("mount.yaml"), saltus.Scene.parse(Path("mount.yaml").read_text()),
                      saltus.Scene.from_dict(saltus.Scene.read("mount.yaml").resolved)]
            os.chdir("/")
            scenes += [scenes[0].with_("time.end=1 ms"), pickle.loads(pickle.dumps(scenes[0]))]
            for scene in scenes:
                self.assertTrue(scene.build().bodies)
            self.assertEqual(scenes[0].file, "mount.yaml")
        finally:
            os.chdir(before)

    def test_a_scene_is_the_same_behind_a_pickle(self):
        scene = saltus.Scene.read(BALL, "time.rate=2 kHz")
        again = pickle.loads(pickle.dumps(scene))
        self.assertEqual(again, scene)
        self.assertEqual((again.file, again.folder, again.set), (scene.file, scene.folder, scene.set))


class Models(unittest.TestCase):
    def test_a_model_tells_what_it_is_made_of(self):
        model = saltus.Scene.from_dict(BALLS).build()
        self.assertEqual(model.bodies, ["low", "high"])
        self.assertEqual([(g.kind, g.bodies, g.positions, g.velocities) for g in model.groups],
                         [("rigid", ["low", "high"], 14, 12)])
        self.assertEqual((model.h, model.end), (1e-3, 0.5))
        self.assertEqual(model.laws[0].name, "newton-impact")
        self.assertEqual(model.laws[0].numbers, {"restitution": 0.3, "friction": 0.4})
        self.assertEqual(model.options["on_failure"], "halve")
        self.assertEqual(model.warnings, [])
        self.assertIn("friction", model.accounts)
        self.assertNotIn("friction", saltus.Scene.read(BALL).build().accounts)

    def test_pairs_joints_and_probes_are_told_by_name(self):
        pair = saltus.Scene.read(BALL).build().pairs[0]
        self.assertEqual((pair.a.group, pair.b.group, pair.normal), (0, -1, (0.0, 0.0, 1.0)))
        model = saltus.Scene.read(ROOT / "examples/four_bar_chain.yaml").build()
        self.assertGreater(len(model.joints), 3)
        for joint in model.joints:
            self.assertEqual((joint.kind, joint.coordinates), ("revolute", ["turn"]))
        self.assertEqual(len(model.probes), len(model.probe_table))
        self.assertTrue(all(probe.unit for probe in model.probe_table))

    def test_without_a_ledger_the_motion_is_the_same_and_the_accounts_stay_zero(self):
        model = saltus.Scene.read(BALL).build()
        sims = [saltus.Simulation(model), saltus.Simulation(model.with_ledger(False))]
        for sim in sims:
            sim.run(steps=700)
        self.assertEqual(sims[0].groups[0].q.tobytes(), sims[1].groups[0].q.tobytes())
        self.assertTrue(any(sims[0].ledger.values()))
        self.assertFalse(any(sims[1].ledger.values()))

    def test_a_group_outlives_its_model(self):
        group = saltus.Scene.read(BALL).build().groups[0]
        self.assertEqual(group.name, "ball")


class Simulations(unittest.TestCase):
    def test_a_ball_that_falls_loses_height_as_galilei_says(self):
        sim = saltus.Simulation({**BALLS, "bodies": BALLS["bodies"][2:], "surfaces": []})
        sim.run(until=0.2)
        self.assertEqual((sim.step, sim.h), (200, 1e-3))
        self.assertAlmostEqual(sim.t, 0.2)
        ball = sim.bodies["high"]
        self.assertAlmostEqual(ball.position[2], 0.31 - 0.5 * 9.81 * 0.04, delta=1e-9)
        self.assertAlmostEqual(ball.velocity[2], -9.81 * 0.2, delta=1e-9)
        self.assertAlmostEqual(float(np.linalg.norm(ball.angular_velocity)), 14 ** 0.5, delta=1e-9)
        self.assertAlmostEqual(sim.energy.kinetic + sim.energy.potential, sim.energy.total)
        self.assertAlmostEqual(sim.energy.total, sim.state.energy_start, delta=1e-9)

    def test_the_ledger_explains_the_energy(self):
        sim = saltus.Simulation(BALLS)
        sim.run()
        gained = sim.energy.total - sim.state.energy_start
        self.assertAlmostEqual(gained, sum(sim.ledger.values()), delta=1e-12)
        self.assertLess(sim.ledger["impact"], 0.0)
        self.assertLess(abs(sim.ledger["unexplained"]), 1e-9)

    def test_a_run_ends_at_the_step_nearest_to_its_time(self):
        for until, steps in ((None, 500), (0.25, 250), (0.2504, 250), (0.2506, 251), (0.0, 0)):
            sim = saltus.Simulation(BALLS)
            report = sim.run(until)
            self.assertEqual((report.steps, sim.step, report.end), (steps, steps, "reached"))
            self.assertEqual(report.t, sim.t)
        self.assertEqual(sim.run(steps=7).steps, 7)
        with self.assertRaises(saltus.UsageError):
            sim.run(until=0.005)
        self.assertEqual(sim.run(until=0.007).steps, 0)
        self.assertEqual(sim.run(until=0.01).steps, 3)

    def test_parts_of_a_run_are_the_run(self):
        whole, parts = saltus.Simulation(BALLS), saltus.Simulation(BALLS)
        whole.run()
        for until in (0.1, 0.1, 0.3, None):
            parts.run(until)
        self.assertEqual(whole.state, parts.state)

    def test_a_watch_sees_the_simulation_and_ends_the_run(self):
        sim, seen = saltus.Simulation(BALLS), []
        report = sim.run(watch=lambda s: seen.append((s.step, s.t)) or s.step >= 60, every=20)
        self.assertEqual([step for step, _ in seen], [20, 40, 60])
        self.assertEqual((report.end, report.steps, sim.step), ("stopped", 60, 60))

    def test_a_watch_sees_every_step_if_not_told_otherwise(self):
        sim, seen = saltus.Simulation(BALLS), []
        sim.run(watch=lambda s: seen.append(s.step) or s.step == 40)
        self.assertEqual(seen, list(range(1, 41)))

    def test_times_may_be_texts_with_a_unit_and_steps_any_whole_number(self):
        sim = saltus.Simulation(BALLS)
        self.assertEqual(sim.run("20 ms").steps, 20)
        self.assertEqual(sim.run(steps=10.0).steps, 10)
        self.assertEqual(sim.run(steps=np.int64(5)).steps, 5)
        self.assertTrue(sim.advance("0.5 ms").good)
        self.assertEqual(sim.h, 5e-4)
        for call, words in ((lambda: sim.run("1 kg"), "until is '1 kg'.* s, ms"), (lambda: sim.run("soon"), "until"),
                            (lambda: sim.run([1]), "number of seconds"), (lambda: sim.run(steps=-1), "steps is -1"),
                            (lambda: sim.run(steps=1.5), "steps is 1.5"), (lambda: sim.advance("far"), "h is 'far'"),
                            (lambda: sim.run(steps=1, watch=3), "watch")):
            with self.assertRaisesRegex(saltus.UsageError, words) as caught:
                call()
            self.assertNotIn("\n", str(caught.exception))

    def test_bodies_are_asked_by_name_or_by_one_number(self):
        bodies = saltus.Simulation(BALLS).bodies
        self.assertEqual((bodies[1].name, bodies[-2].name), ("high", "low"))
        with self.assertRaisesRegex(IndexError, "no body 99: there are 2"):
            bodies[99]
        for key in (slice(1, 3), 1.5, None):
            with self.assertRaisesRegex(TypeError, "by its name or by one number"):
                bodies[key]
        self.assertNotIn(7, bodies)
        self.assertNotIn("none", bodies)
        self.assertIn("low", bodies)
        self.assertIsNone(bodies.get(7))
        self.assertEqual(bodies.get("none", 3), 3)
        self.assertEqual(bodies.get("low").name, "low")

    def test_what_a_kind_of_body_has_not_is_no_attribute_of_it(self):
        ball = saltus.Simulation(BALL).bodies["ball"]
        self.assertEqual(ball.position.tolist(), ball.q.tolist())
        for name in ("rotation", "angular_velocity"):
            self.assertFalse(hasattr(ball, name))
        with self.assertRaises(saltus.UsageError):
            ball.rotation

    def test_what_a_watch_raises_leaves_the_run_between_two_steps(self):
        def watch(sim):
            raise ZeroDivisionError("no more")

        sim, plain = saltus.Simulation(BALLS), saltus.Simulation(BALLS)
        with self.assertRaisesRegex(ZeroDivisionError, "no more"):
            sim.run(watch=watch, every=30)
        self.assertEqual(sim.step, 30)
        sim.run()
        plain.run()
        self.assertEqual(sim.state, plain.state)

    def test_a_watch_may_step_and_change_nothing_else(self):
        sim, plain = saltus.Simulation(BALLS), saltus.Simulation(BALLS)
        sim.run(steps=10, watch=lambda s: s.advance() and None, every=5)
        plain.run(steps=12)
        self.assertEqual(sim.state, plain.state)

    def test_progress_is_told_to_a_function(self):
        sim, seen = saltus.Simulation(BALL), []
        report = sim.run(steps=10**8, progress=lambda now: seen.append(now) or len(seen) < 3)
        self.assertEqual((len(seen), report.end, report.steps), (3, "stopped", sim.step))
        for one in seen:
            self.assertTrue(0 < one.step < one.steps == 10**8)
            self.assertTrue(0.0 < one.fraction < 1.0 and one.elapsed > 0.0)

    def test_a_step_that_fails_is_a_report_and_a_run_that_fails_an_error(self):
        scene = saltus.Scene.read(ROOT / "examples/arch.yaml",
                                  {"solver": {"kind": "gauss-seidel", "iterations": 1}})
        sim = saltus.Simulation(scene)
        before = sim.state
        report = sim.advance()
        self.assertFalse(report.good)
        self.assertFalse(report.converged)
        self.assertEqual([g.q.tobytes() for g in sim.state.groups], [g.q.tobytes() for g in before.groups])
        with self.assertRaises(saltus.RunError) as caught:
            sim.run()
        error = caught.exception
        self.assertRegex(str(error), r"^step 1 \(t = 0.001 s\): the contacts of .* were not solved: residual ")
        self.assertIn("on_failure", str(error))
        self.assertGreater(error.report.residual, 0.0)
        self.assertIsInstance(error, RuntimeError)
        self.assertEqual(sim.step, 0)
        accepted = saltus.Simulation(scene.with_("on_failure=accept"))
        self.assertEqual(accepted.run(steps=3).steps, 3)

    def test_calls_against_the_contract_are_usage_errors(self):
        sim = saltus.Simulation(BALLS)
        for call in (lambda: sim.advance(-1.0), lambda: sim.run(until=float("nan")),
                     lambda: sim.run(until=1.0, steps=3), lambda: sim.run(steps=3, every=0),
                     lambda: saltus.Simulation(BALL, sim.state), lambda: saltus.describe("nonsense"),
                     lambda: saltus.describe("laws", "pdf")):
            self.assertRaises(saltus.UsageError, call)
        self.assertTrue(sim.advance().good)
        for call in (lambda: sim.groups["none"], lambda: sim.bodies["none"], lambda: sim.probe("none"),
                     lambda: sim.joint_load("none")):
            self.assertRaises(KeyError, call)
        self.assertRaises(IndexError, lambda: sim.groups[7])

    def test_contacts_are_rows_with_names(self):
        sim = saltus.Simulation(BALLS)
        self.assertEqual(len(sim.contacts()), 0)
        sim.run(until=0.5)
        contacts = sim.contacts()
        self.assertGreaterEqual(len(contacts), 1)
        low = contacts[(contacts.body_a == "low") & (contacts.body_b == "ground") |
                       (contacts.body_b == "low") & (contacts.body_a == "ground")]
        self.assertEqual(len(low), 1)
        sign = 1.0 if low.body_a[0] == "low" else -1.0
        self.assertAlmostEqual(sign * low.normal[0][2], 1.0)
        weight = 9.81 * 1000 * 4 / 3 * np.pi * 1e-3
        self.assertGreater(sign * low.force[0][2], 0.5 * weight)
        self.assertIn(low.status[0], ("sticks", "slides"))
        self.assertLess(abs(low.gap[0]), 1e-6)
        self.assertAlmostEqual(low.impulse[0][0], 1e-3 * np.linalg.norm(low.force[0] @ low.normal[0]))
        for name, number in ((low.body_a[0], low.a[0]), (low.body_b[0], low.b[0])):
            self.assertEqual(name, "ground" if number < 0 else sim.model.bodies[number])
        self.assertEqual(contacts.closed.key.tolist(), contacts.key[contacts.status != "open"].tolist())
        self.assertIsInstance(contacts.closed, saltus.Contacts)
        kept = contacts.copy()
        sim.run(steps=5)
        self.assertEqual(contacts.tobytes(), kept.tobytes())  # a snapshot

    def test_probes_and_joints_are_asked_by_name(self):
        sim = saltus.Simulation(ROOT / "examples/four_bar_chain.yaml")
        sim.run(steps=20)
        name = sim.model.joints[0].name
        force, torque = sim.joint_load(name)
        self.assertTrue(np.isfinite(force).all() and np.isfinite(torque).all())
        self.assertEqual(sim.joint_coordinate(name), sim.joint_coordinate(0, "turn"))
        self.assertEqual(sim.joint_coordinate(f"{name}.turn"), sim.joint_coordinate(name))
        self.assertEqual(sim.probes(), {probe: sim.probe(probe) for probe in sim.model.probes})

    def test_reactions_are_those_of_the_prescribed_motion(self):
        sim = saltus.Simulation(ROOT / "examples/dragged_slider.yaml")
        sim.run(steps=50)
        forces = [group.reactions for group in sim.groups.values()]
        self.assertGreater(sum(len(force) for force in forces), 0)
        self.assertTrue(any(force.any() for force in forces))

    @unittest.skipUnless(hasattr(saltus, "ContactProblem"), "contact problems are not part of this build")
    def test_an_observer_sees_the_contact_problems_of_a_step(self):
        sim, seen = saltus.Simulation(BALLS), []
        sim.observe(lambda c: seen.append((c.island, c.t, c.h, c.p, c.converged, c.residual)))
        sim.advance()
        self.assertEqual(len(seen), 1)
        island, t, h, p, converged, residual = seen[0]
        self.assertEqual((island, t, h, converged), (0, 0.0, 1e-3, True))
        self.assertAlmostEqual(p[0], sim.contacts().impulse[0][0])
        sim.observe(None)
        sim.advance()
        self.assertEqual(len(seen), 1)

    @unittest.skipUnless(hasattr(saltus, "ContactProblem"), "contact problems are not part of this build")
    def test_what_an_observer_raises_leaves_the_state_before_the_step(self):
        def observer(contact):
            raise LookupError("seen enough")

        sim, plain = saltus.Simulation(BALLS), saltus.Simulation(BALLS)
        for one in (sim, plain):
            one.run(steps=5)
        sim.observe(observer)
        with self.assertRaisesRegex(LookupError, "seen enough"):
            sim.advance()
        self.assertEqual(sim.step, 5)
        self.assertEqual(sim.groups[0].q.tobytes(), plain.groups[0].q.tobytes())

        def inside(contact):
            self.assertRaises(saltus.UsageError, sim.advance)  # not within itself
            self.assertRaises(saltus.UsageError, sim.contacts)
            self.assertEqual((sim.step, len(sim.groups[0].q)), (5, 14))

        sim.observe(inside)
        sim.advance()
        self.assertEqual(sim.step, 6)

    def test_a_simulation_is_not_pickled_but_its_parts_are(self):
        with self.assertRaisesRegex(TypeError, "state"):
            pickle.dumps(saltus.Simulation(BALLS))


class States(unittest.TestCase):
    def test_a_state_goes_on_with_the_same_bits_also_behind_a_pickle(self):
        for name in ("bouncing_ball", "tanpura_bridge", "arch", "mount", "four_bar_chain", "snapping_link",
                     "bowed_string", "double_pendulum"):
            with self.subTest(name):
                model = saltus.Scene.read(ROOT / f"examples/{name}.yaml").build()
                sim = saltus.Simulation(model)
                sim.run(steps=30)
                kept = sim.state
                stored = pickle.loads(pickle.dumps(kept))
                self.assertEqual(stored, kept)
                sim.run(steps=30)
                for state in (kept, stored, copy.copy(kept), copy.deepcopy(kept)):
                    again = saltus.Simulation(model, state)
                    self.assertEqual(again.state, kept)
                    again.run(steps=30)
                    self.assertEqual(again.state, sim.state)

    def test_a_wound_spring_keeps_its_turns_behind_a_pickle(self):
        for mode in ("stepping", "events"):
            with self.subTest(mode):
                model = saltus.Scene.parse("""
saltus: 1
time: {end: 2 s, step: 1 ms, mode: %s}
bodies: [{name: wheel, kind: rigid, rigid: {mass: 1, inertia: [0.01, 0.01, 0.01], spin: [0, 0, 30]}}]
joints: [{name: hub, kind: revolute, between: [world, wheel], at: [0, 0, 0], axis: [0, 0, 1], turn: {spring: {stiffness: 0.04}}}]
outputs: [{probe: hub, name: angle, quantity: displacement}]
""" % mode).build()
                sim = saltus.Simulation(model)
                sim.run(steps=600)
                self.assertGreater(sim.probe("angle"), 13.0)
                kept = sim.state
                again = saltus.Simulation(model, pickle.loads(pickle.dumps(kept)))
                self.assertEqual(again.probe("angle"), sim.probe("angle"))
                sim.run(steps=300)
                again.run(steps=300)
                self.assertEqual(again.probe("angle"), sim.probe("angle"))
                self.assertEqual(again.state, sim.state)

    def test_states_are_equal_when_all_bits_are(self):
        sim = saltus.Simulation(BALLS)
        sim.run(steps=10)
        one, other = sim.state, sim.state
        self.assertIsNot(one, other)
        self.assertEqual(one, other)
        sim.advance()
        self.assertNotEqual(one, sim.state)
        self.assertFalse(one == 3)
        with self.assertRaises(TypeError):
            hash(one)

    def test_a_state_is_a_copy(self):
        sim = saltus.Simulation(BALLS)
        state = sim.state
        q = state.groups[0].q.copy()
        sim.run(steps=50)
        self.assertEqual(state.groups[0].q.tobytes(), q.tobytes())
        self.assertEqual((state.t, state.step, state.h), (0.0, 0, 1e-3))

    def test_a_damaged_pickle_is_refused(self):
        state = saltus.Simulation(BALLS).state
        parts = state.__getstate__()
        for damaged in ((99,) + parts[1:], parts[:5] + (np.array([1], np.uint64),) + parts[6:]):
            with self.assertRaises(saltus.UsageError):
                saltus.State.__new__(saltus.State).__setstate__(damaged)

    def test_every_changed_number_of_a_pickle_is_found_by_its_digest(self):
        def changed(value):
            """All copies of a pickled value with one number, flag or length changed."""
            if isinstance(value, np.ndarray):
                for k in range(value.size):
                    copied = value.copy()
                    copied[k] = np.nextafter(copied[k], np.inf) if value.dtype.kind == "f" else copied[k] + 1
                    yield copied
                yield np.append(value, value.dtype.type(0))
            elif isinstance(value, (list, tuple)):
                for k, one in enumerate(value):
                    for other in changed(one):
                        yield type(value)([*value[:k], other, *value[k + 1:]])
                if not value:
                    yield type(value)([0.0])
                elif not (isinstance(value[-1], list) and not value[-1]):
                    yield type(value)(value[:-1])  # a missing list would be an empty one
            elif isinstance(value, bool):
                yield not value
            elif isinstance(value, int):
                yield value + 1
            else:
                yield np.nextafter(value, np.inf) if value == value else 0.0

        arm = saltus.Scene.read(ROOT / "examples/arm.yaml").build()
        for name, model in (("balls", saltus.Scene.from_dict(BALLS).build()), ("arm", arm),
                            ("events", saltus.Scene.read(ROOT / "examples/bouncing_ball_events.yaml").build())):
            sim = saltus.Simulation(model)
            sim.run(steps=40)
            parts = sim.state.__getstate__()
            count = 0
            for damaged in changed(parts):
                count += 1
                with self.subTest(name, count=count), self.assertRaises(saltus.UsageError) as raised:
                    saltus.State.__new__(saltus.State).__setstate__(damaged)
                self.assertNotIn("\n", str(raised.exception))
            self.assertGreater(count, 40)
            for damaged in ((), (3,), parts + (1,), parts[:-1] + ("digest",), parts[:4] + (7,) + parts[5:]):
                with self.assertRaises(saltus.UsageError):
                    saltus.State.__new__(saltus.State).__setstate__(damaged)

    def test_a_pickle_of_an_earlier_version_without_a_digest_is_read(self):
        sim = saltus.Simulation(BALLS)
        sim.run(steps=20)
        earlier = saltus.State.__new__(saltus.State)
        earlier.__setstate__((2,) + sim.state.__getstate__()[1:-1])
        self.assertEqual(earlier, sim.state)


class Looks(unittest.TestCase):
    def test_reprs_say_what_a_thing_is_in_one_line(self):
        sim = saltus.Simulation(BALLS)
        report, run = sim.advance(), sim.run(steps=2)
        for thing, words in ((saltus.Scene.from_dict(BALLS), ["Scene", "Two balls"]),
                             (sim.model, ["Model", "2 bodies", "0.001 s"]),
                             (sim, ["Simulation", "step 3", "0.5 s"]), (report, ["StepReport", "good"]),
                             (sim.groups[0], ["low", "rigid", "14 positions"]),
                             (sim.bodies["high"], ["high", "rigid"]),
                             (sim.state, ["State", "step 3"]), (run, ["RunReport", "2 steps"])):
            for word in words:
                self.assertIn(word, repr(thing))
            self.assertNotIn("\n", repr(thing))

    def test_tables_for_notebooks_ask_for_nothing_from_anywhere(self):
        scene = {**BALLS, "bodies": [{**body, "name": body["name"] + "<b>"} for body in BALLS["bodies"]]}
        sim = saltus.Simulation(scene)
        places = sim._addresses(0)
        for thing in (sim, sim.model, saltus.schemes(), saltus.schemes()["newmark"]):
            html = thing._repr_html_()
            self.assertIn("<table>", html)
            self.assertNotIn("http", html)
            self.assertNotIn("src=", html)
            self.assertNotIn("low<b>", html)
        self.assertEqual(places, sim._addresses(0))


class Registries(unittest.TestCase):
    def test_every_scheme_kind_law_and_solver_is_described(self):
        for rows, some in ((saltus.schemes(), "moreau-jean"), (saltus.laws(), "newton-impact"),
                           (saltus.solvers(), "auto"), (saltus.kinds(), "rigid")):
            self.assertGreater(len(rows), 5)
            self.assertEqual(rows[some].name, some)
            for row in rows:
                self.assertTrue(row.summary)
            self.assertRaises(KeyError, lambda rows=rows: rows["none"])
        theta = next(option for option in saltus.schemes()["moreau-jean"].options if option.key == "theta")
        self.assertEqual((theta.default, theta.required), ("0.5", False))
        self.assertIn("[0, 1]", theta.value)

    def test_describe_says_what_the_command_says(self):
        command = Path(os.environ.get("SALTUS_BINARY", ROOT / "build/release/bin/saltus"))
        if not command.exists():
            self.skipTest("the command is not built")
        for topic in ("schemes", "bodies", "laws", "solvers", "scene", "options"):
            said = subprocess.run([command, "describe", topic], check=True, capture_output=True, text=True)
            self.assertEqual(saltus.describe(topic).split(), said.stdout.split())
        self.assertTrue(saltus.describe("schemes", "markdown").startswith("| name |"))

    def test_the_schema_is_that_of_scenes(self):
        schema = saltus.schema()
        self.assertIn("2020-12", schema["$schema"])
        self.assertIn("bodies", schema["properties"])
        if importlib.util.find_spec("jsonschema"):
            import jsonschema
            jsonschema.validate(saltus.Scene.from_dict(BALLS).resolved, schema)

    def test_the_package_tells_what_it_was_built_from(self):
        built = saltus.built()
        self.assertEqual(built.version, saltus.__version__)
        self.assertTrue(built.compiler and built.flags and built.commit)


if __name__ == "__main__":
    unittest.main()
