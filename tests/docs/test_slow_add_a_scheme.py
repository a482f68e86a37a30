#!/usr/bin/env python3
"""docs/howto/add_a_scheme.md, followed to the letter: its new files are written, its edits made in copies, and all of them compiled,
registry and table of orders included. Linked before the library, the scheme passes the tests of orders.

The rest of the library is the one of the build, with a shorter SchemeChoice. The tests of orders meet it nowhere: only classes that
read scenes or compare runs have such a member, and functions that take one have its alternatives in their symbols."""
import pathlib
import tempfile
import unittest

from followed import Followed, follow
from support import ROOT


class AddAScheme(Followed):
    PAGE = ROOT / "docs" / "howto" / "add_a_scheme.md"

    def test_the_scheme_of_the_page_has_the_orders_of_its_row(self):
        self.assertEqual(self.build("tests/acceptance/scheme_orders_test.cpp"), ["drift_kick.cpp", "registry.cpp", "scheme_orders_test.cpp"])
        self.told("build/followed")
        text = self.told("build/followed", "--success")  # names what it tried
        for body in ("oscillator", "forced oscillator", "St Venant-Kirchhoff bar", "double pendulum"):
            self.assertIn(f"drift-kick on {body}\n", text)

    def test_a_scheme_without_a_row_is_refused_in_plain_words(self):
        code, text = self.syntax(ROOT / "src/saltus/schemes/registry.cpp")
        self.assertNotEqual(code, 0)
        said = "SchemeChoice (options.h) and kTable must name the same schemes in the same order"
        self.assertIn(said, text)
        self.assertIn(f"`{said}`", self.page)

    def test_a_page_that_does_not_fit_the_sources_is_found(self):
        good = "--- a/run\n+++ b/run\n@@ -1,2 +1,2 @@\n #!/usr/bin/env bash\n-# {}\n+# b\n"
        line = (ROOT / "run").read_text(encoding="utf-8").split("\n")[1]
        for text, word in {
            good.format(line[2:]): "",
            good.format("what is not there"): "this is there 0 times",
            good.format(line[2:]).replace("-1,2", "-1,3"): "is not what follows: 2 and 2 lines",
            good.format(line[2:]).replace("+++ b/run", "+++ b/test"): "no change of a file",
        }.items():
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                try:
                    follow(f"```diff\n{text}```\n", pathlib.Path(folder))
                    said = ""
                except ValueError as fault:
                    said = str(fault)
                self.assertIn(word, said)
                self.assertEqual(bool(said), bool(word), said)
        with self.assertRaisesRegex(ValueError, "neither a file nor a change"):
            follow("```cpp\nint x;\n```\n", self.folder)


if __name__ == "__main__":
    unittest.main()
