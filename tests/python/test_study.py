"""Studies: schemes and steps compared."""
import os
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("NumPy is not installed")

import saltus

EXAMPLES = os.path.join(os.environ.get("SALTUS_ROOT", os.path.join(os.path.dirname(__file__), "..", "..")), "examples")
BALL = os.path.join(EXAMPLES, "bouncing_ball.yaml")
OSCILLATOR = {"saltus": 1, "title": "oscillator", "time": {"end": 1, "step": 0.01},
              "bodies": [{"name": "mass", "kind": "linear", "scheme": "newmark", "initial": {"coordinates": [1.0]},
                          "oscillator": {"mass": 1, "stiffness": 100}}],
              "outputs": [{"probe": "mass", "name": "x", "at": 0, "quantity": "displacement"}]}


class Studies(unittest.TestCase):
    def test_newmark_is_of_second_order_on_an_oscillator(self):
        s = saltus.study(OSCILLATOR, ["newmark", "moreau-jean"], levels=4)
        newmark = s.schemes[0]
        self.assertEqual(newmark.name, "newmark")
        self.assertAlmostEqual(newmark.order, 2.0, delta=0.1)
        self.assertEqual(newmark.theory, 2)
        errors = [run.error for run in newmark.runs]
        self.assertEqual(errors, sorted(errors, reverse=True))
        self.assertEqual(list(s.steps), sorted(s.steps, reverse=True))
        self.assertEqual(len(newmark.runs), 4)
        self.assertEqual(len(newmark.runs[0].energy), len(s.times))

    def test_the_verdict_names_a_run_within_the_tolerance(self):
        s = saltus.study(BALL, ["moreau-jean", "newmark"], levels=3, tolerance=1e-2)
        self.assertIn(s.best_scheme.name, s.verdict)
        self.assertLess(s.best.error, 1e-2)
        self.assertTrue(s.best.accurate)
        self.assertIn(s.verdict, str(s))
        table = s.table()
        self.assertEqual({len(column) for column in table.values()}, {6})
        self.assertEqual(set(table["scheme"]), {"moreau-jean", "newmark"})

    def test_pages_and_tables_are_files(self):
        s = saltus.study(BALL, ["moreau-jean"], levels=2)
        with tempfile.TemporaryDirectory() as folder:
            page = s.page(os.path.join(folder, "study.html"))
            with open(page, encoding="utf-8") as file:
                self.assertIn("<svg", file.read())
            with open(s.to_csv(os.path.join(folder, "study.csv")), encoding="utf-8") as file:
                self.assertEqual(len(file.read().splitlines()), 3)

    def test_notebooks_are_shown_a_plot_and_a_table_that_ask_nobody(self):
        shown = saltus.study(BALL, ["moreau-jean", "newmark"], levels=2)._repr_html_()
        self.assertIn("<svg", shown)
        self.assertIn("newmark", shown)
        for word in ("<script", "src=", "href=", "url("):
            self.assertNotIn(word, shown)

    def test_plots_show_error_over_step_and_over_cost(self):
        try:
            import matplotlib
            matplotlib.use("Agg")
        except ImportError:
            self.skipTest("matplotlib is not installed")
        s = saltus.study(BALL, ["moreau-jean"], levels=3)
        ax = s.plot()
        np.testing.assert_allclose(ax.lines[0].get_xdata(), [run.h for run in s.schemes[0].runs])
        np.testing.assert_allclose(ax.lines[0].get_ydata(), [run.error for run in s.schemes[0].runs])
        self.assertIn("second of motion", s.plot("work").get_xlabel())
        with self.assertRaises(saltus.UsageError):
            s.plot("colour")

    def test_what_cannot_be_studied_is_said(self):
        with self.assertRaisesRegex(saltus.SceneError, "newmark"):
            saltus.study(BALL, ["newmarc"])
        with self.assertRaises(saltus.UsageError):
            saltus.study(BALL, tolerance=0)
        with self.assertRaises(saltus.SceneError):
            saltus.study(BALL, probe="no such probe")

    def test_steps_may_be_texts_and_what_is_no_scheme_is_refused_at_once(self):
        s = saltus.study(BALL, "moreau-jean", steps=["2 ms", 1e-3], until="0.1 s")
        self.assertEqual(list(s.steps), [2e-3, 1e-3])
        for options, words in ((dict(schemes=[]), "schemes is empty"), (dict(steps=[]), "steps is empty"),
                               (dict(schemes=[saltus.scheme("newmark")]), "schemes.0.*names.*dicts"),
                               (dict(schemes=3), "names"), (dict(steps=["2 kg"]), "steps.0.*s, ms"),
                               (dict(levels=2.5), "levels"), (dict(until="soon"), "until")):
            with self.assertRaisesRegex(saltus.UsageError, words):
                saltus.study(BALL, **options)

    def test_a_function_that_says_false_stops_a_study(self):
        with self.assertRaisesRegex(saltus.RunError, "stopped"):
            saltus.study(BALL, levels=6, progress=lambda progress: False)

    def test_an_exception_of_the_function_leaves_the_study(self):
        def fail(progress):
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            saltus.study(BALL, levels=6, progress=fail)


if __name__ == "__main__":
    unittest.main()
