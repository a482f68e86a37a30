#!/usr/bin/env python3
# The documentation becomes pages without a warning, and the pages ask no other machine for anything.
import pathlib
import re
import subprocess
import tempfile
import unittest

import support
from support import ROOT


def absent():
    """Modules that are not installed, as the Python that builds the pages sees them."""
    python = "/usr/bin/python3" if pathlib.Path("/usr/bin/python3").exists() else "python3"
    return [name for name in ("sphinx", "myst_parser", "sphinx_rtd_theme") if subprocess.run([python, "-c", f"import {name}"], capture_output=True).returncode]


def missing(file):
    """What a page or a style sheet asks for by itself that is no file of the pages."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".css":
        asked = re.findall(r"url\(['\"]?([^)'\"]*)", text) + re.findall(r"@import\s+['\"]([^'\"]*)", text)
    else:
        asked = re.findall(r"<(?:script|img|iframe|audio|video)\b[^>]*?\bsrc=\"([^\"]*)", text)
        asked += re.findall(r"<link\b[^>]*?rel=\"(?:stylesheet|preload|preconnect|icon|shortcut icon)\"[^>]*?href=\"([^\"]*)", text)
    return [a for a in asked if not a.startswith("data:") and not (file.parent / re.split("[?#]", a)[0]).is_file()]


class Asked(unittest.TestCase):
    def test_what_a_page_lacks_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "a.css").write_text("@import 'b.css'; p { background: url(//x.org/c.png) } q { background: url(a.css?1) }")
            (root / "a.html").write_text('<script src="https://x.org/a.js"></script><link rel="stylesheet" href="a.css"><img src="d.png">')
            self.assertEqual(missing(root / "a.css"), ["//x.org/c.png", "b.css"])
            self.assertEqual(missing(root / "a.html"), ["https://x.org/a.js", "d.png"])


@unittest.skipIf(absent(), f"not installed: {', '.join(absent())}")
class Pages(unittest.TestCase):
    def test_they_are_built_without_a_warning_and_work_without_a_network(self):
        with tempfile.TemporaryDirectory(prefix="saltus_pages_") as folder:
            done = subprocess.run([ROOT / "tools" / "docs.sh", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            root = pathlib.Path(folder)
            for page in support.pages():
                if page.relative_to(ROOT).parts[0] == "docs":
                    self.assertTrue((root / page.relative_to(ROOT).with_suffix(".html")).exists(), page)
            for name in ("index.html", "README.html", "CONTRIBUTING.html", "search.html", "searchindex.js"):
                self.assertTrue((root / name).exists(), name)
            for file in sorted([*root.rglob("*.html"), *root.rglob("*.css")]):
                self.assertEqual(missing(file), [], file)
            first = (root / "docs" / "index.html").read_text(encoding="utf-8")
            for link in ("theory/choose.html", "howto/sweep.html", "reference/command.html", "decisions/0012-determinism.html"):
                self.assertIn(link, first)
            self.assertIn('class="highlight-yaml', (root / "README.html").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
