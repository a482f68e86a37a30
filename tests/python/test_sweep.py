"""Sweeps: one scene with many values."""
import os
import signal
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("NumPy is not installed")

import saltus

EXAMPLES = os.path.join(os.environ.get("SALTUS_ROOT", os.path.join(os.path.dirname(__file__), "..", "..")), "examples")
BALL = os.path.join(EXAMPLES, "bouncing_ball.yaml")
E_PATH = "contacts[0].law.restitution"
COMMAND = os.environ.get("SALTUS_BINARY", "")


class Sweeps(unittest.TestCase):
    def test_a_ball_rises_again_to_the_square_of_its_restitution(self):
        e = np.linspace(0.5, 0.9, 5)
        # behind the first impact, at 0.4515 s, to its highest point at most
        s = saltus.sweep(BALL, {E_PATH: e}, set={"time.end": "0.46 s"})
        np.testing.assert_array_equal(s["restitution"], e)
        energy = s["kinetic_end"] + s["potential_end"]
        np.testing.assert_allclose(energy / 9.81, e ** 2, rtol=0.02)
        self.assertTrue(s.ok.all())
        self.assertEqual(s.unit("kinetic_end"), "J")

    def test_combinations_come_in_the_order_of_the_command(self):
        values = {E_PATH: [0.5, 0.8], "bodies[0].scheme": ["moreau-jean", "newmark"]}
        s = saltus.sweep(BALL, values, set={"time.end": "0.5 s"})
        self.assertEqual(list(s["scheme"]), ["moreau-jean", "newmark"] * 2)
        self.assertEqual(list(s[E_PATH]), [0.5, 0.5, 0.8, 0.8])
        self.assertEqual(s.assignments(3), [f"{E_PATH}=0.8", "bodies[0].scheme=newmark"])

    def test_the_table_is_that_of_the_command(self):
        if not os.path.exists(COMMAND):
            self.skipTest("there is no command saltus here")
        with tempfile.TemporaryDirectory() as folder:
            there, here = os.path.join(folder, "command.csv"), os.path.join(folder, "python.csv")
            subprocess.run([COMMAND, "sweep", BALL, "-q", "--set", f"{E_PATH}=0.5:0.9:0.1", "--set", "time.end=0.5 s",
                            "-o", there], check=True, stdout=subprocess.DEVNULL)
            saltus.sweep(BALL, {E_PATH: "0.5:0.9:0.1", "time.end": "0.5 s"}).to_csv(here)
            with open(there, "rb") as a, open(here, "rb") as b:
                self.assertEqual(a.read(), b.read())

    def test_texts_of_the_command_are_axes_too(self):
        texts = [f"{E_PATH}=0.5,0.8", "bodies[0].scheme=moreau-jean,newmark"]
        for given, runs in ((texts, 4), (texts[0], 2)):
            s = saltus.sweep(BALL, given, set={"time.end": "0.1 s"})
            self.assertEqual(s.runs, runs)
            self.assertEqual(len(s["restitution"]), runs)

    def test_a_sweep_is_a_mapping_of_its_columns(self):
        s = saltus.sweep(BALL, {E_PATH: [0.5, 0.6, 0.7]}, set={"time.end": "0.1 s"})
        self.assertEqual((s.runs, len(s)), (3, len(list(s))))
        self.assertEqual({name: len(column) for name, column in s.items()}, {name: 3 for name in s})

    def test_no_number_depends_on_the_threads(self):
        values = {E_PATH: "uniform(0.3,0.9)"}
        one = saltus.sweep(BALL, values, threads=1, random=6, seed=3, set={"time.end": "0.5 s"})
        many = saltus.sweep(BALL, values, threads=4, random=6, seed=3, set={"time.end": "0.5 s"})
        for name in one:
            if name != "wall_time" and one[name].dtype.kind == "f":
                np.testing.assert_array_equal(one[name], many[name], err_msg=name)
        self.assertEqual(len(set(one[E_PATH])), 6)

    def test_values_that_a_scene_refuses_are_rows_with_a_reason(self):
        s = saltus.sweep(BALL, {E_PATH: [0.5, -3.0]}, set={"time.end": "0.1 s"})
        self.assertEqual(list(s["status"]), ["ok", "invalid"])
        self.assertIn("restitution", s.failures[1])
        self.assertTrue(np.isnan(s["residual"][1]))

    def test_assignments_make_the_same_run_again(self):
        s = saltus.sweep(saltus.Scene.read(BALL, set={"time.end": "0.5 s"}), {E_PATH: [0.5, 0.8]})
        with tempfile.TemporaryDirectory() as folder:
            r = saltus.run(saltus.Scene.read(BALL, set={"time.end": "0.5 s"}), os.path.join(folder, "out.h5"),
                           set=s.assignments(1))
            self.assertEqual(r.probes["height"].max(), s["probe.height.max"][1])
            self.assertEqual(r.steps["kinetic"][-1], s["kinetic_end"][1])
            self.assertEqual(r.t[-1], 0.5)

    def test_notebooks_are_shown_a_table_and_a_plot_that_ask_nobody(self):
        shown = saltus.sweep(BALL, {E_PATH: [0.5, 0.6, 0.7]}, set={"time.end": "0.5 s"})._repr_html_()
        self.assertIn("<svg", shown)
        self.assertIn("restitution", shown)
        for word in ("<script", "src=", "href=", "url("):
            self.assertNotIn(word, shown)

    def test_plots_have_a_line_for_each_of_the_other_values(self):
        try:
            import matplotlib
            matplotlib.use("Agg")
        except ImportError:
            self.skipTest("matplotlib is not installed")
        s = saltus.sweep(BALL, {E_PATH: [0.5, 0.7, 0.9], "bodies[0].scheme": ["moreau-jean", "newmark"]},
                         set={"time.end": "0.5 s"})
        ax = s.plot("restitution", "kinetic_end")
        self.assertEqual(len(ax.lines), 2)
        np.testing.assert_array_equal(ax.lines[0].get_xdata(), [0.5, 0.7, 0.9])
        self.assertIn("[J]", ax.get_ylabel())

    def test_what_cannot_be_swept_is_said(self):
        with self.assertRaises(saltus.SceneError):
            saltus.sweep(BALL, {"bodies[0].nothing": [1, 2]})
        auto = saltus.Scene.read(BALL, {"time.scheme": "auto", "time.tolerance": 1e-5})
        for one_model in (lambda: saltus.sweep(auto, {"time.tolerance": [1e-5]}), lambda: saltus.Simulation(auto)):
            with self.assertRaisesRegex(saltus.SceneError, "'auto' is chosen for whole runs only: by `saltus run`"):
                one_model()
        for values in (None, [], {}, ["no path"], {3: [1]}, {E_PATH: []}, {E_PATH: None}):
            with self.subTest(values=values), self.assertRaises(saltus.UsageError):
                saltus.sweep(BALL, values)
        for options, words in ((dict(threads=1.5), "threads is 1.5"), (dict(threads=0), "threads"),
                               (dict(random=-1), "random is -1"), (dict(set=3), "set must be a dict")):
            with self.subTest(options=options), self.assertRaisesRegex(saltus.UsageError, words):
                saltus.sweep(BALL, {E_PATH: [0.5]}, **options)
        with self.assertRaises(saltus.UsageError):
            saltus.sweep(BALL, {E_PATH: [0.5]}, seed=1)
        with self.assertRaisesRegex(KeyError, "there are"):
            saltus.sweep(BALL, {E_PATH: [0.5]}, set={"time.end": "0.1 s"})["height"]

    def test_ctrl_c_ends_a_sweep(self):
        code = ("import saltus, sys\n"
                f"try:\n    saltus.sweep({BALL!r}, {{{E_PATH!r}: '0:0.99:0.001'}}, set={{'time.end': '300 s'}},\n"
                "                 progress=lambda p: print('going', flush=True))\n"
                "except KeyboardInterrupt as stop:\n    print('stopped:', stop)\n    sys.exit(7)\n")
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        child.stdout.readline()
        child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=60)[0]
        self.assertEqual(child.returncode, 7, said)
        self.assertRegex(said, r"interrupted after \d+ of 991 runs")


if __name__ == "__main__":
    unittest.main()
