"""What is said while long work goes on."""
import io
import os
import tempfile
import unittest
from unittest import mock

try:
    import numpy  # noqa: F401
except ImportError:
    raise unittest.SkipTest("NumPy is not installed")

import saltus
from saltus import _progress

BALL = os.path.join(os.environ.get("SALTUS_ROOT", os.path.join(os.path.dirname(__file__), "..", "..")),
                    "examples", "bouncing_ball.yaml")


class Screen(io.StringIO):
    def __init__(self, terminal):
        super().__init__()
        self._terminal = terminal

    def isatty(self):
        return self._terminal


def told(step, last=1000):
    return {"step": step, "first": 0, "last": last, "t": 1e-3 * step, "end": 1e-3 * last, "contacts": 1, "residual": 1e-9}


class ProgressLines(unittest.TestCase):
    def shown(self, progress, terminal, seconds):
        """What stderr gets from ten calls within `seconds`."""
        clock = [0.0]
        with mock.patch("sys.stderr", Screen(terminal)) as screen, \
                mock.patch.object(_progress.time, "monotonic", lambda: clock[0]):
            with _progress.Reporter(progress) as report:
                for k in range(10):
                    clock[0] = seconds * (k + 1) / 10
                    if report.hook:
                        report.hook(told(100 * k))
            return screen.getvalue()

    def test_short_work_shows_nothing(self):
        self.assertEqual(self.shown(None, True, 0.4), "")

    def test_long_work_draws_a_bar_and_takes_it_away(self):
        text = self.shown(None, True, 3.0)
        self.assertIn("steps/s", text)
        self.assertIn("ETA", text)
        self.assertTrue(text.endswith("\r\033[K"))
        self.assertNotIn("\n", text)

    def test_a_file_gets_nothing_unless_it_is_asked_for(self):
        self.assertEqual(self.shown(None, False, 5.0), "")
        lines = self.shown(True, False, 5.0).splitlines()
        self.assertGreaterEqual(len(lines), 3)
        self.assertLessEqual(len(lines), 6)

    def test_false_shows_nothing(self):
        self.assertEqual(self.shown(False, True, 5.0), "")

    def test_anything_else_is_refused(self):
        with self.assertRaises(TypeError):
            saltus.run(BALL, progress="yes")

    def test_a_notebook_gets_one_output_that_is_replaced(self):
        try:
            import IPython.display  # noqa: F401
        except ImportError:
            self.skipTest("IPython is not installed")
        handle = mock.Mock()
        with mock.patch.object(_progress, "in_notebook", lambda: True), \
                mock.patch("IPython.display.display", return_value=handle) as display:
            with _progress.Reporter(True) as report:
                report.hook(told(10))
                report._next = 0
                report.hook(told(20))
        self.assertEqual(display.call_count, 1)
        self.assertEqual(handle.update.call_count, 2)


class ProgressFunctions(unittest.TestCase):
    def test_a_function_is_told_how_far_a_run_is(self):
        calls = []
        with tempfile.TemporaryDirectory() as folder:
            saltus.run(BALL, os.path.join(folder, "out.h5"), until=100, progress=calls.append)
        self.assertEqual(calls[0].step, 0)
        self.assertTrue(all(a.step <= b.step for a, b in zip(calls, calls[1:])))
        self.assertTrue(all(0 <= p.fraction <= 1 and p.steps == 100_000 and p.end == 100 for p in calls))
        self.assertIn("steps/s", str(calls[-1]))


if __name__ == "__main__":
    unittest.main()
