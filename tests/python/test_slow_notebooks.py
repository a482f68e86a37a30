#!/usr/bin/env python3
"""Every notebook of docs/notebooks runs from its first cell to its last, in an empty folder, and holds no output of an older run."""
import os
import pathlib
import tempfile
import unittest

try:
    import nbclient
    import nbformat
except ImportError as missing:
    raise unittest.SkipTest(f"not installed: {missing.name}") from None
try:
    import ipykernel  # noqa: F401
    import matplotlib  # noqa: F401
    import scipy  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"not installed: {missing.name}") from None

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


class Notebooks(unittest.TestCase):
    def test_there_are_four(self):
        self.assertEqual([file.stem for file in NOTEBOOKS],
                         ["choose_a_scheme", "friction_solvers", "masonry_arch", "string_sound_design"])

    def test_none_holds_output(self):
        for file in NOTEBOOKS:
            for cell in nbformat.read(file, as_version=4).cells:
                self.assertFalse(cell.get("outputs"), file.name)


def runs(file):
    def test(self):
        os.environ.pop("MPLBACKEND", None)  # pictures go into the notebook
        os.environ["SALTUS_EXAMPLES"] = str(ROOT / "examples")
        with tempfile.TemporaryDirectory(prefix="saltus_notebook_") as folder:
            notebook = nbformat.read(file, as_version=4)
            client = nbclient.NotebookClient(notebook, timeout=900, kernel_name="python3",
                                             resources={"metadata": {"path": folder}})
            client.execute()
        said = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
        self.assertTrue(any("image/png" in out.get("data", {}) for out in said), "no picture")
        for out in said:
            self.assertNotEqual(out.output_type, "error")
            self.assertNotIn("Warning", out.get("text", ""), "a warning on its output")
    return test


for notebook_file in NOTEBOOKS:
    setattr(Notebooks, f"test_{notebook_file.stem}_runs_from_its_first_cell_to_its_last", runs(notebook_file))

if __name__ == "__main__":
    unittest.main()
