"""Runs and their results files."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("NumPy is not installed")

import saltus

EXAMPLES = os.path.join(os.environ.get("SALTUS_ROOT", os.path.join(os.path.dirname(__file__), "..", "..")), "examples")
BALL = os.path.join(EXAMPLES, "bouncing_ball.yaml")
COMMAND = os.environ.get("SALTUS_BINARY", "")


def has_matplotlib():
    try:
        import matplotlib
        matplotlib.use("Agg")
        return True
    except ImportError:
        return False


class InAFolder(unittest.TestCase):
    """Each test has a folder of its own, which is where it stands."""

    def setUp(self):
        self._before, self._folder = os.getcwd(), tempfile.TemporaryDirectory()
        os.chdir(self._folder.name)
        warnings.simplefilter("ignore", saltus.RunWarning)

    def tearDown(self):
        os.chdir(self._before)
        self._folder.cleanup()


class Runs(InAFolder):
    def test_run_and_the_command_write_equal_files(self):
        if not os.path.exists(COMMAND):
            self.skipTest("there is no command saltus here")
        cases = [("bouncing_ball.yaml", {}), ("dominoes.yaml", {"time.end": "0.1 s"}),
                 ("string_on_plate.yaml", {"time.end": "5 ms"}), ("andrews_squeezer.yaml", {"time.end": "5 ms"})]
        for name, values in cases:
            with self.subTest(scene=name):
                scene = os.path.join(EXAMPLES, name)
                sets = [part for path, value in values.items() for part in ("--set", f"{path}={value}")]
                subprocess.run([COMMAND, "run", scene, "-q", "-o", "command.h5", *sets], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                ours = saltus.run(scene, "python.h5", set=values)
                compared = ours.compare("command.h5")
                self.assertTrue(compared.equal, str(compared))
                self.assertTrue(compared.same_scene)
                self.assertGreater(len(compared.tables), 10)
                told = subprocess.run([COMMAND, "compare", "command.h5", "python.h5"], stdout=subprocess.DEVNULL)
                self.assertEqual(told.returncode, 0)

    def test_a_path_a_scene_and_a_dict_are_the_same_scene(self):
        a = saltus.run(BALL, "a.h5", until=0.5)
        b = saltus.run(saltus.Scene.read(BALL), "b.h5", until="0.5 s")
        c = saltus.run(a.resolved, "c.h5")
        self.assertTrue(a.compare(b).equal)
        self.assertTrue(a.compare(c).equal)
        self.assertEqual(a.t[-1], 0.5)

    def test_a_stopped_run_goes_on_to_the_same_end(self):
        values = {"time.end": "100 s"}
        calls = []

        def stop(progress):
            calls.append(progress)
            return progress.step == 0

        part = saltus.run(BALL, "out.h5", set=values, progress=stop)
        self.assertFalse(part.finished)
        self.assertEqual(part.file, "out.h5.part")
        self.assertIn("resume=True", part.stopped)
        self.assertIn("interrupted after step", part.stopped)
        self.assertEqual(len(part.t) - 1, calls[-1].step)
        resumed = saltus.run(BALL, "out.h5", set=values, resume=True)
        self.assertTrue(resumed.finished)
        self.assertTrue(resumed.compare(saltus.run(BALL, "whole.h5", set=values)).equal)
        self.assertFalse(os.path.exists("out.h5.part"))

    def test_ctrl_c_is_a_keyboard_interrupt_that_says_how_to_go_on(self):
        code = ("import saltus, sys\n"
                f"try:\n    saltus.run({BALL!r}, 'out.h5', until=1e4, set=['time.rate=1000 Hz'],\n"
                "               progress=lambda p: p.step and print('going', flush=True))\n"
                "except KeyboardInterrupt as stop:\n    print('stopped:', stop)\n    sys.exit(7)\n")
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        child.stdout.readline()
        child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=60)[0]
        self.assertEqual(child.returncode, 7, said)
        self.assertIn(f"resume with: saltus.run({BALL!r}, output='out.h5', set=['time.rate=1000 Hz'], until=10000.0, "
                      "resume=True)", said)
        self.assertGreater(len(saltus.Results("out.h5.part").t), 0)

    def test_an_exception_of_the_progress_function_leaves_run(self):
        def fail(progress):
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            saltus.run(BALL, "out.h5", progress=fail)

    def test_faults_of_scenes_say_where(self):
        with self.assertRaises(saltus.SceneError) as caught:
            saltus.run(BALL, "out.h5", set={"bodies[0].scheme": "newmarc"})
        self.assertIn("newmark", str(caught.exception))
        with self.assertRaisesRegex(saltus.SceneError, "is the scene itself"):
            saltus.run(BALL, BALL)
        with self.assertRaises(saltus.SceneError):
            saltus.run(BALL, "missing.h5", resume=True)

    def test_warnings_of_a_run_are_warnings_of_python(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with open("out.h5.part", "w") as old:
                old.write("x")
            r = saltus.run(BALL, "out.h5", until=0.1)
        self.assertEqual([str(w.message) for w in caught if w.category is saltus.RunWarning], r.warnings)
        self.assertIn("of an earlier run is now out.1.h5.part", r.warnings[0])

    def test_the_file_knows_how_it_was_made(self):
        r = saltus.run(BALL, "out.h5", until=0.1)
        self.assertTrue(r.provenance["command_line"].startswith("python3 "))
        self.assertEqual(r.provenance["version"], saltus.__version__)

    def test_other_threads_of_python_go_on_while_a_run_does(self):
        counted = []
        done = threading.Event()

        def count():
            while not done.is_set():
                counted.append(time.monotonic())
                time.sleep(0.002)

        other = threading.Thread(target=count)
        other.start()
        begin = time.monotonic()
        saltus.run(BALL, "out.h5", until=100)
        end = time.monotonic()
        done.set()
        other.join()
        during = [at for at in counted if begin < at < end]
        self.assertGreater(len(during), 5)


class Numbers(InAFolder):
    def test_the_ledger_explains_the_energy(self):
        r = saltus.run(BALL, "out.h5")
        explained = sum(r.ledger.values())
        np.testing.assert_allclose(r.energy - r.energy[0], explained, atol=1e-12)
        self.assertEqual(r.steps.unit("gap"), "m")
        self.assertEqual(r.steps["contacts"].dtype, np.int32)

    def test_a_ball_at_rest_is_carried_by_its_weight(self):
        r = saltus.run(BALL, "out.h5")
        contact = r.contacts(-1)
        self.assertEqual(len(contact), 1)
        np.testing.assert_allclose(contact["force"][0], [0, 0, 9.81], rtol=1e-9)
        np.testing.assert_allclose(contact["normal"][0], [0, 0, 1])
        self.assertEqual((contact.body_a[0], contact.body_b[0]), ("ball", ""))
        self.assertEqual((contact.a[0], contact.b[0]), (0, -1))
        self.assertEqual(contact.status[0], "closed")
        self.assertEqual(len(r.contacts(0)), 0)
        with self.assertRaises(IndexError):
            r.contacts(len(r.frames))
        for frame in (None, 1.5, "last"):
            with self.subTest(frame=frame), self.assertRaisesRegex(saltus.UsageError, "frame is .* .a whole number from"):
                r.contacts(frame)
        self.assertEqual(len(r.contacts(np.int64(-1))), 1)

    def test_contacts_between_bodies_are_those_of_all_frames_as_seen_from_the_first(self):
        boxes = "".join(f"  - {{name: {n}, kind: rigid, rigid: {{shape: {{box: {{size: [0.4, 0.4, 0.2]}}}}, density: 500, "
                        f"position: [{x}, 0, {z}]}}}}\n" for n, x, z in (("low", 0, 0.1), ("high", 0, 0.3), ("aside", 2, 0.1)))
        scene = ("saltus: 1\ntime: {end: 0.2 s, step: 1 ms}\ngravity: [0, 0, -9.81]\nresults: {frames: 7}\n"
                 "surfaces: [{law: {kind: newton-impact, friction: 0.4}}]\nbodies:\n"
                 "  - {name: floor, kind: rigid, rigid: {fixed: true, shape: {plane: {}}}}\n" + boxes)
        with open("stack.yaml", "w") as file:
            file.write(scene)
        r = saltus.run("stack.yaml", "out.h5")
        weight = 500 * 0.4 * 0.4 * 0.2 * 9.81
        on_low = r.contacts_between("low", "floor")
        np.testing.assert_allclose(on_low.resultant[1:, 2], 2 * weight, rtol=1e-8)
        self.assertTrue((on_low.body_a == "low").all() and (on_low.body_b == "floor").all())
        self.assertTrue((on_low.normal[:, 2] > 0.99).all())
        np.testing.assert_allclose(on_low.t, np.asarray(r.frames.t)[on_low.frame])
        by_high, on_high = r.contacts_between("low", "high"), r.contacts_between("high", "low")
        np.testing.assert_allclose(by_high.resultant, -on_high.resultant, atol=1e-12)
        np.testing.assert_allclose(by_high.resultant[1:, 2], -weight, rtol=1e-8)
        np.testing.assert_allclose(r.contacts_between("low").resultant[1:, 2], weight, rtol=1e-8)
        on_floor = r.contacts_between("floor", ["low", "aside"])
        np.testing.assert_allclose(on_floor.resultant[1:, 2], -3 * weight, rtol=1e-8)
        for k in range(len(r.frames)):  # against the frames one by one
            one = r.contacts(k)
            np.testing.assert_allclose(one.force[(one.body_a == "low") & (one.body_b == "floor")].sum(axis=0)
                                       - one.force[(one.body_b == "low") & (one.body_a == "floor")].sum(axis=0),
                                       on_low.resultant[k], atol=1e-12)
        self.assertEqual(len(r.contacts_between("low", "aside")), 0)
        self.assertEqual(r.contacts_between("low", "aside").resultant.shape, (len(r.frames), 3))
        with self.assertRaisesRegex(saltus.UsageError, "no body 'lwo'; did you mean `low`"):
            r.contacts_between("lwo", "floor")
        with self.assertRaisesRegex(saltus.UsageError, "in both"):
            r.contacts_between(["low", "high"], ["high"])
        with self.assertRaises(AttributeError):
            on_low.force = 0
        bare = saltus.run("stack.yaml", "bare.h5", set={"results.contacts": "false"})
        with self.assertRaisesRegex(saltus.UsageError, "contain no contacts"):
            bare.contacts_between("low", "floor")

    def test_places_of_bodies_of_every_kind(self):
        cases = [("bouncing_ball.yaml", "particles", 0.1), ("andrews_squeezer.yaml", "rigid", 1e-3),
                 ("soft_stack.yaml", "pseudo_rigid", 0.01), ("soft_cube.yaml", "fem", 2e-3),
                 ("free_string.yaml", "string", 1e-3), ("fishing_rod.yaml", "beam", 2e-3),
                 ("impact_oscillator.yaml", "linear", 0.1), ("double_pendulum.yaml", "lagrangian", 0.1)]
        kinds = set()
        for name, kind, until in cases:
            with self.subTest(scene=name):
                r = saltus.run(os.path.join(EXAMPLES, name), "out.h5", until=until)
                for body in r.groups.values():
                    kinds.add(body.kind)
                    self.assertEqual(body.q.shape, (len(r.frames), body._facts["positions"]))
                    self.assertEqual(len(body.velocity), len(r.frames))
                    if body.kind in ("linear", "lagrangian"):
                        with self.assertRaises(saltus.UsageError):
                            body.position
                        self.assertFalse(hasattr(body, "position"))
                        self.assertFalse(hasattr(body, "rotation"))
                        continue
                    x = body.position
                    self.assertEqual((len(x), x.shape[-1]), (len(r.frames), 3))
                    self.assertTrue(np.isfinite(x).all())
                    for i, member in enumerate(body.members if len(body.members) > 1 else []):
                        np.testing.assert_array_equal(r.bodies[member].position, x[:, i])
        self.assertGreaterEqual(len(kinds), 6, kinds)

    def test_a_free_ball_is_where_newton_says(self):
        r = saltus.run(BALL, "out.h5", until=0.4)
        z = r.bodies["ball"].position[:, 2]
        np.testing.assert_allclose(z, 1 - 0.5 * 9.81 * r.frames.t ** 2, atol=1e-5)
        np.testing.assert_allclose(r.bodies["ball"].velocity[:, 2], -9.81 * r.frames.t, atol=1e-9)

    def test_bodies_are_those_of_a_simulation_with_the_same_numbers(self):
        for name in ("flyball_governor.yaml", "dominoes.yaml", "bouncing_ball.yaml", "free_string.yaml",
                     "double_pendulum.yaml"):
            with self.subTest(scene=name):
                scene = saltus.Scene.read(os.path.join(EXAMPLES, name))
                sim = saltus.Simulation(scene)
                sim.run(steps=20)
                r = saltus.run(scene, "out.h5", until=sim.t)
                self.assertEqual((list(r.bodies), list(r.groups)), (list(sim.bodies), list(sim.groups)))
                for k, key in enumerate(sim.bodies):
                    live, stored = sim.bodies[k], r.bodies[k]
                    self.assertEqual((live.name, stored.name, r.bodies[key].name), (key, key, key))
                    np.testing.assert_array_equal(stored.q[-1], live.q)
                    for what in ("position", "velocity", "rotation", "angular_velocity"):
                        if hasattr(live, what):
                            np.testing.assert_allclose(getattr(stored, what)[-1], getattr(live, what), rtol=1e-12,
                                                       atol=1e-12, err_msg=f"{key}.{what}")
                with self.assertRaisesRegex(IndexError, "there are"):
                    r.bodies[99]

    def test_a_rigid_body_has_a_velocity_and_an_angular_velocity_in_space(self):
        spin = {"saltus": 1, "time": {"end": 0.1, "step": 1e-3}, "bodies": [
            {"name": "top", "kind": "rigid", "rigid": {"shape": {"sphere": {"radius": 0.1}}, "density": 1000,
             "rotation": {"axis": [1, 0, 0], "angle": "90 deg"}, "velocity": [1, 0, 0], "spin": [0, 0, 2]}}]}
        for body in (saltus.Simulation(spin).bodies["top"], saltus.run(spin, "out.h5").bodies["top"]):
            v, omega, all_of_it = (np.atleast_2d(x)[0] for x in (body.velocity, body.angular_velocity, body.v))
            np.testing.assert_allclose(v, [1, 0, 0], atol=1e-12)
            np.testing.assert_allclose(omega, [0, -2, 0], atol=1e-12)  # turned about x from its own z
            np.testing.assert_allclose(all_of_it, [1, 0, 0, 0, 0, 2], atol=1e-12)

    def test_a_file_holds_the_closed_contacts_of_a_simulation(self):
        opened = 0
        for name in ("bouncing_ball.yaml", "gripper.yaml", "hertz.yaml"):
            with self.subTest(scene=name):
                scene = saltus.Scene.read(os.path.join(EXAMPLES, name))
                sim = saltus.Simulation(scene)
                sim.run(steps=30)
                live, stored = sim.contacts(), saltus.run(scene, "out.h5", until=sim.t).contacts(-1)
                opened += int((live.status == "open").sum())
                self.assertIsInstance(stored, saltus.Contacts)
                self.assertLessEqual(len(stored), len(live))
                self.assertEqual(live.closed.key.tolist(), stored.closed.key.tolist())
                self.assertEqual(live.closed.body_a.tolist(), stored.closed.body_a.tolist())
                self.assertEqual(live.closed.body_b.tolist(), stored.closed.body_b.tolist())
                self.assertFalse(stored.impulse[stored.status == "open"].any())
        self.assertGreater(opened, 0)

    def test_joints_carry_forces(self):
        r = saltus.run(os.path.join(EXAMPLES, "andrews_squeezer.yaml"), "out.h5", until=1e-3)
        self.assertEqual(len(r.joints), 11)
        for joint in r.joints.values():
            self.assertEqual(joint.force.shape, (len(r.frames), 3))
            self.assertIsNone(joint.broken_at)
        self.assertTrue(any(np.abs(joint.force[-1]).max() > 0 for joint in r.joints.values()))

    def test_unknown_names_are_told_with_the_known_ones(self):
        r = saltus.run(BALL, "out.h5", until=0.1)
        for ask in (lambda: r.steps["energie"], lambda: r.probes["x"], lambda: r.bodies["bal"], lambda: r.ledger["none"]):
            with self.assertRaisesRegex(KeyError, "there are"):
                ask()
        with self.assertRaisesRegex(saltus.SceneError, "cannot be read|no such file|No such file"):
            saltus.Results("nothing.h5")

    def test_arrays_cannot_be_changed_by_accident(self):
        r = saltus.run(BALL, "out.h5", until=0.1)
        with self.assertRaises(ValueError):
            r.t[0] = 1

    def test_a_file_that_grows_is_read_while_it_grows(self):
        seen = []

        def look(progress):
            if progress.step == 0 or len(seen) > 1:
                return None
            if not seen:
                seen.append(saltus.Results("out.h5.part"))
            seen.append(seen[0].refresh())
            return None

        r = saltus.run(BALL, "out.h5", until=120, progress=look)
        part = seen[0]
        self.assertFalse(part.finished)
        rows = len(part.t)
        np.testing.assert_array_equal(part.steps["kinetic"], r.steps["kinetic"][:rows])
        self.assertTrue(part.refresh())
        self.assertTrue(part.finished)
        self.assertEqual(part.file, "out.h5")
        self.assertEqual(len(part.t), len(r.t))


class WhatAFileGives(InAFolder):
    def test_results_are_read_wherever_the_process_goes(self):
        here = os.getcwd()
        r = saltus.run(BALL, "bb.h5", until=0.1)
        said, html = r.info(), r._repr_html_()
        self.assertRegex(said, r"file +bb\.h5")
        self.assertNotIn(here, said + html)
        os.chdir("/")
        self.assertEqual((r.file, r.path), ("bb.h5", os.path.join(here, "bb.h5")))
        self.assertEqual(r.resolved["time"]["end"], 0.1)
        self.assertEqual((r.summary["file"], r.summary["steps"]), ("bb.h5", 100))
        self.assertEqual(r._repr_html_(), html)
        self.assertFalse(r.refresh())
        self.assertEqual(r.convert("csv")[0], os.path.join(here, "bb.steps.csv"))
        try:
            self.assertEqual(r.report(), os.path.join(here, "bb.html"))
        except saltus.RunError as error:
            self.skipTest(str(error))

    def test_files_of_others_are_not_overwritten(self):
        for name in ("thesis.tex", "out.h5"):
            with open(name, "w", encoding="utf-8") as mine:
                mine.write("my work")
        with self.assertRaisesRegex(saltus.UsageError, "'out.h5' exists and is not a results file"):
            saltus.run(BALL, "out.h5", until=0.1)
        r = saltus.run(BALL, "ball.h5", until=0.1)
        self.assertEqual(saltus.run(BALL, "ball.h5", until=0.1).t[-1], 0.1)  # its own it may
        with self.assertRaisesRegex(saltus.UsageError, "'thesis.tex' exists and is not an HTML page"):
            r.report("thesis.tex")
        for name in ("thesis.tex", "out.h5"):
            with open(name, encoding="utf-8") as mine:
                self.assertEqual(mine.read(), "my work")
        try:
            self.assertEqual([r.report("page.html"), r.report("page.html")], ["page.html"] * 2)
        except saltus.RunError as error:
            self.skipTest(str(error))

    def test_compare_finds_a_difference(self):
        a, b = saltus.run(BALL, "a.h5", until=1), saltus.run(BALL, "b.h5", until=1, set={
            "contacts[0].law.restitution": 0.667})
        compared = a.compare("b.h5")
        self.assertFalse(compared.equal)
        self.assertFalse(compared.same_scene)
        self.assertTrue(any(table["differs"] for table in compared.tables))
        self.assertTrue(a.compare(b, tolerance=10).equal)

    def test_sounds_are_the_probe_without_its_mean(self):
        r = saltus.run(os.path.join(EXAMPLES, "free_string.yaml"), "out.h5", until=0.02)
        name = next(iter(r.probes))
        rate, samples = r.sound(name)
        self.assertEqual(rate, round(r.rate))
        x = r.probes[name]
        np.testing.assert_allclose(samples, x - x.mean(), atol=1e-12 * np.abs(x).max())
        self.assertTrue(r.sound(name).wav().startswith(b"RIFF"))
        self.assertIn("data:audio/wav;base64,", r.sound(name)._repr_html_())
        with self.assertRaises(saltus.UsageError):
            r.sound("no such probe")

    def test_convert_writes_what_the_command_writes(self):
        r = saltus.run(BALL, "out.h5", until=0.5, set={"results.frames": 2})
        files = r.convert("csv")
        self.assertIn("out.steps.csv", files)
        self.assertTrue(all(os.path.exists(file) for file in files))
        self.assertTrue(r.convert("vtp", "there"))
        with self.assertRaisesRegex(saltus.SceneError, "not a format"):
            r.convert("wave")

    def test_the_contact_problem_of_a_stored_step_is_made_again(self):
        r = saltus.run(os.path.join(EXAMPLES, "block_on_incline.yaml"), "block.h5", until=0.02)
        with self.assertRaisesRegex(saltus.SceneError, "--step N"):
            r.convert("fclib")
        (file,) = r.convert("fclib", step=int(np.argmax(r.steps["contacts"] > 0)))
        problem = saltus.read_fclib(file)
        self.assertTrue(saltus.solve(problem.W, problem.b, problem.laws, tolerance=1e-10).converged)

    def test_cite_names_the_scheme(self):
        self.assertIn("@", saltus.run(BALL, "out.h5", until=0.1).cite())

    def test_the_page_of_a_run_asks_nobody(self):
        r = saltus.run(BALL, "out.h5", until=0.5)
        try:
            file = r.report("page.html")
        except saltus.RunError as error:
            self.skipTest(str(error))
        self.assertEqual(file, "page.html")
        shown = r.show()._repr_html_()
        self.assertTrue(shown.startswith("<iframe"))
        self.assertIn("srcdoc=", shown)
        self.assertNotIn(" src=", shown[:300])

    def test_notebooks_are_shown_a_table_and_a_plot_that_ask_nobody(self):
        r = saltus.run(BALL, "out.h5")
        shown = r._repr_html_()
        self.assertIn("<svg", shown)
        self.assertIn("Bouncing ball", shown)
        for word in ("<script", "src=", "href=", "@import", "url("):
            self.assertNotIn(word, shown)
        self.assertLess(len(shown), 100_000)

    def test_plots_have_the_numbers_of_the_file(self):
        if not has_matplotlib():
            self.skipTest("matplotlib is not installed")
        import matplotlib.pyplot as plt
        r = saltus.run(BALL, "out.h5")
        axes = r.plot()
        self.assertGreaterEqual(len(axes), 3)
        line = r.plot("height").lines[0]
        np.testing.assert_array_equal(line.get_ydata(), r.probes["height"])
        self.assertEqual(len(r.plot("energy").lines), 1 + sum(bool(np.any(w)) for w in r.ledger.values()))
        with self.assertRaisesRegex(saltus.UsageError, "allowed"):
            r.plot("entropy")
        plt.close("all")

    def test_without_matplotlib_a_plot_says_so_and_nothing_else_needs_it(self):
        code = ("import sys\nsys.modules['matplotlib'] = None\nimport saltus\n"
                f"r = saltus.run({BALL!r}, 'out.h5', until=0.1)\nr._repr_html_()\n"
                "try:\n    r.plot()\nexcept saltus.RunError as error:\n    print(error)\n")
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertIn("python3-matplotlib", said.stdout, said.stderr)

    def test_summary_and_scene_are_those_of_the_run(self):
        r = saltus.run(BALL, "out.h5", until=0.5)
        self.assertEqual(r.summary["steps"], 500)
        self.assertEqual(r.resolved["time"]["end"], 0.5)
        with open(BALL, encoding="utf-8") as file:
            self.assertEqual(r.scene, file.read())
        self.assertEqual(r.title, "Bouncing ball")
        self.assertIn("Bouncing ball", r.info())
        json.dumps(r.summary)


if __name__ == "__main__":
    unittest.main()
