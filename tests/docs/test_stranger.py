#!/usr/bin/env python3
"""From the README alone: a stranger copies the section "Ten minutes" into a shell that knows nothing of Saltus, and gets what
it promises. Only the building is not repeated; scripts and search path are those of a fresh checkout."""
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import wave

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mdtext  # noqa: E402
from support import BUILD, ROOT, SALTUS, has_package  # noqa: E402


def section(text, title):
    start = text.index(f"## {title}\n")
    return text[start:text.index("\n## ", start + 1) + 1]


class TenMinutes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rooms = tempfile.TemporaryDirectory(prefix="saltus_stranger_")
        cls.folder = pathlib.Path(cls.rooms.name) / "a checkout"
        (cls.folder / "tools").mkdir(parents=True)
        shutil.copy(ROOT / "run", cls.folder)
        (cls.folder / "tools" / "setup.sh").write_text("saltus_setup() { :; }\nsaltus_build() { :; }\n")
        release = cls.folder / "build" / "release"
        (release / "bin").mkdir(parents=True)
        (release / "bin" / "saltus").symlink_to(SALTUS)
        (release / "python").symlink_to(BUILD / "python")
        cls.told = []
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(cls.folder), "LC_ALL": "C", "PYTHONDONTWRITEBYTECODE": "1"}
        for block in mdtext.blocks(section((ROOT / "README.md").read_text(encoding="utf-8"), "Ten minutes")):
            for word, rest in block.orders:
                if word == "file":
                    (cls.folder / rest).write_text(block.text)
            if block.language != "sh":
                continue
            for command in block.text.splitlines():
                if "pluck.py" in command and not has_package():
                    continue
                done = subprocess.run(["bash", "-c", command], cwd=cls.folder, env=env, stdin=subprocess.DEVNULL, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
                cls.told.append((command, done.returncode, done.stdout))

    @classmethod
    def tearDownClass(cls):
        cls.rooms.cleanup()

    def said(self, word):
        found = [text for command, _, text in self.told if word in command]
        self.assertTrue(found, f"no command with '{word}'")
        return "\n".join(found)

    def test_every_command_works_as_printed(self):
        for command, code, text in self.told:
            self.assertEqual(code, 0, f"{command}\n{text}")
        self.assertGreaterEqual(len(self.told), 5)

    def test_the_run_is_stored_and_heard(self):
        self.assertTrue((self.folder / "results" / "pluck.h5").is_file())
        with wave.open(str(self.folder / "results" / "pluck.wav")) as sound:
            self.assertEqual(sound.getframerate(), 44100)
            data = sound.readframes(sound.getnframes())
            wide = sound.getsampwidth()
        loudest = max(abs(int.from_bytes(data[i:i + wide], "little", signed=True)) for i in range(0, len(data), wide))
        self.assertGreater(loudest, 0.8 * 2 ** (8 * wide - 1))

    def test_what_was_changed_is_another_run(self):
        first, second = (self.folder / name for name in ("results/pluck.h5", "near_the_end.h5"))
        done = subprocess.run([SALTUS, "compare", first, second], stdout=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 3)

    def test_it_is_seen_on_a_page_that_asks_nobody(self):
        page = (self.folder / "results" / "pluck.html").read_text(encoding="utf-8")
        self.assertGreater(len(page), 500_000)
        self.assertNotIn('src="http', page)

    def test_the_sweep_has_a_row_for_each_height(self):
        with open(self.folder / "heights.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["status"] for row in rows], ["ok"] * 4)

    def test_what_to_cite_is_bibtex_of_the_program_and_the_scheme(self):
        text = self.said("--cite")
        self.assertIn("@software", text)
        self.assertIn("Bilbao", text)

    def test_python_tells_of_the_same_run(self):
        if not has_package():
            self.skipTest("the Python package is not built")
        lines = self.said("pluck.py").split("\n")
        self.assertGreaterEqual(len([line for line in lines if line.startswith(("6 cm", "16 cm", "30 cm"))]), 3)
        done = subprocess.run([SALTUS, "compare", self.folder / "pluck.h5", self.folder / "results/pluck.h5"],
                              stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
