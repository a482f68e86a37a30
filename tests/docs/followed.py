"""What the tests of pages that are followed share: the new files of a page are written, its edits made in copies, and all of them
compiled before the library, which has the same functions without what the page adds."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import mdtext
from support import BUILD, ROOT

CACHE = {}


def need_a_build():
    if not (BUILD / "libsaltus.a").exists():
        raise unittest.SkipTest("the library is not in the folder of the build")
    CACHE.update(re.findall(r"^(\w+):\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M))
    if CACHE.get("SALTUS_SANITIZE") or CACHE.get("SALTUS_COVERAGE") == "ON":
        raise unittest.SkipTest("what a page adds is compiled without the flags of this build")


def copied(name, folder):
    """The file `name` of the repository in `folder`."""
    file = folder / name
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, file)
    return file


def edit(diff, folder):
    """Makes the changes of a `git diff` in a copy. Where a part begins may be out of date; how many lines it has may not."""
    head, *parts = re.split(r"^(?=@@ )", diff, flags=re.M)
    names = re.fullmatch(r"--- a/(.+)\n\+\+\+ b/(.+)\n", head)
    if not names or names[1] != names[2] or not parts:
        raise ValueError(f"this is no change of a file: {head}")
    file = copied(names[1], folder)
    text = file.read_text(encoding="utf-8")
    for part in parts:
        title, *lines = part.splitlines()
        lines = [line or " " for line in lines]
        sizes = re.match(r"@@ -\d+,(\d+) \+\d+,(\d+) @@", title)
        before, after = ([line[1:] for line in lines if line[0] != other] for other in "+-")
        if not sizes or [len(before), len(after)] != [int(size) for size in sizes.groups()]:
            raise ValueError(f"{names[1]}: {title} is not what follows: {len(before)} and {len(after)} lines")
        old, new = ("".join(line + "\n" for line in each) for each in (before, after))
        if text.count(old) != 1:
            raise ValueError(f"{names[1]}: this is there {text.count(old)} times:\n{old}")
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")


def follow(page, folder):
    """Does all that the blocks of a page say, in `folder`."""
    for block in mdtext.blocks(page):
        name = dict(block.orders).get("file")
        if block.language == "diff":
            edit(block.text, folder)
        elif name:
            if f"`{name}`" not in page:
                raise ValueError(f"line {block.line}: the page does not name {name}")
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(block.text, encoding="utf-8")
        elif block.language:
            raise ValueError(f"line {block.line}: neither a file nor a change of one")


class Followed(unittest.TestCase):
    """Of one page: PAGE."""
    PAGE = None

    @classmethod
    def setUpClass(cls):
        if cls.PAGE is None:
            raise unittest.SkipTest("no page")
        need_a_build()
        room = tempfile.TemporaryDirectory(prefix="saltus_page_")
        cls.addClassCleanup(room.cleanup)
        cls.folder, cls.page = pathlib.Path(room.name), cls.PAGE.read_text(encoding="utf-8")
        follow(cls.page, cls.folder)
        (cls.folder / "tests").mkdir(exist_ok=True)
        (cls.folder / "tests" / "support").symlink_to(ROOT / "tests" / "support")

    def run_here(self, *words):
        """The exit code, and what was said."""
        done = subprocess.run([str(word) for word in words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def told(self, *words):
        code, text = self.run_here(*words)
        self.assertEqual(code, 0, text if len(text) < 6000 else f"{text[:3000]}\n...\n{text[-3000:]}")
        return text

    def build(self, tests):
        """The program build/followed of the sources of the page with the file `tests` of the repository."""
        copied(tests, self.folder)
        sources = sorted(self.folder.rglob("*.cpp"))
        self.told(CACHE["CMAKE_COMMAND"], "-S", ROOT / "tests/docs/followed", "-B", "build", "-G", CACHE["CMAKE_GENERATOR"],
                  f"-DCMAKE_CXX_COMPILER={CACHE['CMAKE_CXX_COMPILER']}", f"-DCMAKE_CXX_FLAGS={CACHE['CMAKE_CXX_FLAGS']} -O1",
                  f"-DROOT={ROOT}", f"-DBUILD={BUILD}", f"-DHERE={self.folder}", f"-DSOURCES={';'.join(map(str, sources))}")
        self.told(CACHE["CMAKE_COMMAND"], "--build", "build", "-j", "2")
        return [file.name for file in sources]

    def syntax(self, file):
        """The exit code of the compiler for a source, with the headers of the page, and what it says."""
        return self.run_here(CACHE["CMAKE_CXX_COMPILER"], "-std=c++20", "-fsyntax-only", "-Isrc", f"-I{ROOT}/src",
                             f"-I{BUILD}/generated/include", "-isystem", "/usr/include/eigen3", file)
