#!/usr/bin/env python3
"""docs/howto/add_a_law.md, followed to the letter: its new files are written, its edits made in copies, and all of them compiled with
the tests that walk the table of laws. Linked before the library, which knows nothing of it, the law passes them."""
import re
import unittest

from followed import Followed
from support import ROOT


class AddALaw(Followed):
    PAGE = ROOT / "docs" / "howto" / "add_a_law.md"

    def test_the_law_of_the_page_passes_the_tests_of_its_row(self):
        copies = {"src/saltus/contact/laws/laws.h", "tests/tables/contact_laws.h"}
        written = {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()
                   and not path.relative_to(self.folder).as_posix().startswith(("build/", "tests/support/"))}
        new = {f"src/saltus/contact/laws/exponential.{end}" for end in ("h", "cpp")}
        self.assertEqual(written, copies | new)  # with the page of laws: four places
        self.assertIn("Four places", self.page)
        self.build("tests/acceptance/contact_law_table_test.cpp")
        self.told("build/followed")
        text = self.told("build/followed", "--success")  # names what it tried
        self.assertIn("exponential, stiffness 2000 N/m, length 0.02 m", text)
        self.assertRegex(text, re.compile(r"row.label := exponential$", re.M))


if __name__ == "__main__":
    unittest.main()
