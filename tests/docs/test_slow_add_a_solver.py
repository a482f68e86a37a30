#!/usr/bin/env python3
"""docs/howto/add_a_solver.md, followed to the letter: its file is written, its edit made in a copy, and both compiled with the tests
that go over the registry. Linked before the library, the solver passes them."""
import unittest

from followed import Followed
from support import ROOT


class AddASolver(Followed):
    PAGE = ROOT / "docs" / "howto" / "add_a_solver.md"

    def test_the_solver_of_the_page_agrees_with_the_others(self):
        written = {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()
                   and not path.relative_to(self.folder).as_posix().startswith(("build/", "tests/support/"))}
        self.assertEqual(written, {"src/saltus/solvers/over_relaxation.cpp", "src/saltus/solvers/registry.cpp"})
        self.assertIn("Four places", self.page)  # with two pages
        self.build("tests/unit/solvers/agreement.cpp")
        self.told("build/followed")
        text = self.told("build/followed", "--success")  # names what it tried
        self.assertIn("row.name := over-relaxation", text)


if __name__ == "__main__":
    unittest.main()
