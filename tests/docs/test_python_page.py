#!/usr/bin/env python3
# The reference of the Python package is what its tool makes, and nothing public is without a docstring.
import os
import subprocess
import sys
import unittest

import support
from support import PACKAGE, ROOT

if not support.has_package():
    raise unittest.SkipTest("not built: the Python package")

PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
WRITTEN = "import python_page as p; p.FILE.read_text(encoding='utf-8') == p.page() or p.sys.exit('run tools/python_page.py')"


def run(*words):
    path = os.pathsep.join([str(PACKAGE), str(ROOT / "tools")])
    return subprocess.run([PYTHON, "-B", *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "PYTHONPATH": path})


class PythonPage(unittest.TestCase):
    def test_reference_of_the_package_is_that_of_its_tool(self):
        done = run("-c", WRITTEN)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])

    def test_every_public_name_has_a_place_and_a_docstring_that_names_its_arguments(self):
        done = run(str(ROOT / "tools" / "python_page.py"), "--check")
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])


if __name__ == "__main__":
    unittest.main()
