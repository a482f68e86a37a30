#!/usr/bin/env python3
# Every block of code in the pages runs, or says why it does not.
import pathlib
import tempfile
import unittest

import blocks
import mdtext
from support import ROOT, has_package


def pages():
    """README.md, CONTRIBUTING.md and docs/ where they hold code of some language."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if any(b.language for b in mdtext.blocks(page.read_text(encoding="utf-8")))]


class Blocks(unittest.TestCase):
    def outcome(self, text):
        """"good", or the fault of a page with this text."""
        with tempfile.TemporaryDirectory(prefix="page_") as folder:
            file = pathlib.Path(folder) / "page.md"
            file.write_text(text)
            page = blocks.Page(file)
            try:
                page.run()
            except (blocks.Fault, ValueError) as fault:
                return str(fault)
            return "good" if not page.skipped else "skipped"

    def test_a_block_that_fails_is_found(self):
        scene = "saltus: 1\ntime: {end: 1 s, step: 1 ms}\nbodies:\n  - {name: m, kind: linear, oscillator: {mass: 1 kg, stiffness: 1 N/m}, scheme: newmark}\n"
        for text, word in {
            "```sh\nfalse\n```\n": "ended with 1 instead of 0",
            "```sh\nsaltus check gone.yaml\n```\n": "ended with 2",
            "<!-- exit: 2 -->\n```sh\nsaltus --version\n```\n": "ended with 0 instead of 2",
            f"```yaml\n{scene.replace('1 ms', '1 kg')}```\n": "saltus check ended with 2",
            "```yaml\nmass: 1 kg\n```\n": "no scene",
            f"```yaml\n{scene}```\n<!-- at: bodies[0].oscillator -->\n```yaml\nmas: 2 kg\n```\n": "saltus check ended with 2",
            "```cpp\nint x = \"\";\n```\n": "ended with 1",
            "```cmake\nproject(x)\n```\n": "nobody runs 'cmake'",
            "<!-- not run: -->\n```sh\nls\n```\n": "says not why",
            "<!-- no run: because of this -->\n```sh\nls\n```\n": "unknown order",
            "```sh\nls\n": "does not end",
        }.items():
            with self.subTest(text):
                self.assertIn(word, self.outcome(text))
        good = f"<!-- file: a.yaml -->\n```yaml\n{scene}```\n<!-- at: bodies[0].oscillator -->\n```yaml\nmass: 2 kg\n```\n" \
               "```sh\n./run a.yaml\nsaltus info results/a.h5\n```\n<!-- exit: 2 -->\n```sh\nsaltus check gone.yaml\n```\n" \
               "<!-- not run: only to be looked at -->\n```cmake\nproject(x)\n```\n```\nno language\n```\n```cpp\n#include <vector>\nstd::vector<int> x;\n```\n"
        self.assertEqual(self.outcome(good), "good")

    @unittest.skipUnless(has_package(), "the Python package is not built")
    def test_blocks_of_python_share_their_names_and_faults_are_found(self):
        self.assertEqual(self.outcome("```python\nimport saltus\na = 1\n```\n\n```python\nassert a == 1\n```\n"), "good")
        self.assertIn("AssertionError", self.outcome("```python\na = 1\n```\n\n```python\nassert a == 2\n```\n"))


def case(path):
    def run(self):
        page = blocks.Page(path)
        try:
            page.run()
        except blocks.Fault as fault:
            self.fail(str(fault))
        if page.skipped:
            self.skipTest(page.skipped[0])
    return run


for path in pages():
    setattr(Blocks, "test_" + str(path.relative_to(ROOT)).replace("/", "_").replace(".", "_"), case(path))


if __name__ == "__main__":
    unittest.main()
