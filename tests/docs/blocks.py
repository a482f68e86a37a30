#!/usr/bin/env python3
"""Runs the code of a page, block after block, in one temporary folder.

    /usr/bin/python3 tests/docs/blocks.py PAGE ...

sh       by bash; ./run, examples/ and the command `saltus` are there, the build is not repeated
yaml     a scene is checked by `saltus check`
python   with the package of the build; the blocks of a page share their names
cpp      must compile; statements are put into a function

Comments directly above a block change that:

<!-- not run: REASON -->      it is only shown
<!-- file: NAME -->           it is also written to this file
<!-- before: COMMAND -->      run first, not shown; $ROOT and $BUILD are the folders, $COMPILE the compiler of cpp blocks
<!-- exit: CODE -->           a block of sh ends with this code
<!-- at: PATH -->             yaml: a part of the scene above, put in at this path, then checked; "." is the scene itself
<!-- at: PATH in FILE -->     the same with a scene in a file

Blocks of other languages (cmake, text) must be marked as not run; those of no language are figures and outputs.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    raise unittest.SkipTest("not installed: python3-yaml") from None

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mdtext  # noqa: E402
from support import BUILD, PACKAGE, ROOT, SALTUS, has_package  # noqa: E402

ORDERS = {"not run", "file", "before", "exit", "at"}
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
LIMIT = 400  # [s] of one block, on a machine that does much else

# One Python for a page: reads the text of a block as a literal, one a line, and says how it went.
SESSION = """
import ast, sys, traceback
names = {"__name__": "__main__"}
for line in sys.stdin:
    try:
        exec(compile(ast.literal_eval(line), "block", "exec"), names)
        word = "good"
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        word = "bad"
    print("\\0" + word, flush=True)
"""


class Fault(Exception):
    pass


class Page:
    def __init__(self, path):
        self.path, self.scene, self.session, self.skipped = path, None, None, []
        self.programs = []  # of Python, written by blocks above
        self.name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name
        self.counts = {"run": 0, "shown": 0}

    def run(self):
        with tempfile.TemporaryDirectory(prefix="saltus_docs_") as folder:
            self.folder = pathlib.Path(folder)
            self.furnish()
            try:
                for block in mdtext.blocks(self.path.read_text(encoding="utf-8")):
                    self.one(block)
            finally:
                if self.session:
                    self.session.kill()
                    self.session.communicate()

    def furnish(self):
        """A checkout as far as the blocks see it. The script ./run is the real one, its build step is not."""
        for name in ("examples", "run"):
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, self.folder / name)
        (self.folder / "tools").mkdir()
        (self.folder / "tools" / "setup.sh").write_text("saltus_setup() { :; }\nsaltus_build() { :; }\n")
        (self.folder / "build" / "release" / "bin").mkdir(parents=True)
        (self.folder / "build" / "release" / "bin" / "saltus").symlink_to(SALTUS)
        root, build = self.folder / ".root", self.folder / ".build"  # names without a space, which words in $COMPILE may not have
        root.symlink_to(ROOT)
        build.symlink_to(BUILD)
        self.env = {**os.environ, "PATH": f"{SALTUS.parent}:{os.environ['PATH']}", "PYTHONPATH": str(PACKAGE),
                    "MPLBACKEND": "Agg", "HOME": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1",
                    "ROOT": str(root), "BUILD": str(build),
                    "COMPILE": f"c++ -std=c++20 -fsyntax-only -DEIGEN_MAX_ALIGN_BYTES=64 -I. -I{root}/src "
                               f"-I{build}/generated/include -isystem /usr/include/eigen3"}

    def one(self, block):
        orders = dict(block.orders)
        where = f"{self.name}:{block.line}"
        try:
            if unknown := sorted(set(orders) - ORDERS):
                raise Fault(f"unknown order '{unknown[0]}' above the block")
            if "before" in orders:
                self.shell(orders["before"], 0)
            if "file" in orders:
                file = self.folder / orders["file"]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block.text)
                if block.language == "python":
                    self.programs.append(orders["file"])
            if "not run" in orders:
                if len(orders["not run"]) < 10:
                    raise Fault("says not why it is not run")
                self.counts["shown"] += 1
            elif block.language:
                getattr(self, "do_" + block.language, self.other)(block, orders)
                self.counts["run"] += 1
        except Fault as fault:
            raise Fault(f"{where}: {fault}") from None

    def shell(self, text, code):
        bash = subprocess.Popen(["bash", "-euo", "pipefail", "-c", text], cwd=self.folder, env=self.env, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                start_new_session=True)
        try:
            told, _ = bash.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(bash.pid, signal.SIGKILL)  # what bash started, too
            bash.communicate()
            raise Fault(f"still runs after {LIMIT} s:\n{text}") from None
        if bash.returncode != code:
            raise Fault(f"ended with {bash.returncode} instead of {code}:\n{text}\n{told[-3000:]}")

    def other(self, block, orders):
        raise Fault(f"nobody runs '{block.language}': mark it as not run, with the reason")

    def do_sh(self, block, orders):
        if not has_package() and any(name in block.text for name in self.programs):
            self.skipped.append(f"{self.name}:{block.line}: the Python package is not built")
            return
        self.shell(block.text, int(orders.get("exit", 0)))

    def do_yaml(self, block, orders):
        try:
            content = yaml.safe_load(block.text)
        except yaml.YAMLError as fault:
            raise Fault(f"no YAML: {fault}") from None
        if "at" in orders:
            path, _, file = orders["at"].partition(" in ")
            if not (file or self.scene):
                raise Fault("there is no scene above")
            start = "" if path == "." else path + "."
            sets = [word for key, value in content.items() for word in ("--set", f"{start}{key}={json.dumps(value)}")]
            self.check(file or self.scene, sets)
            return
        if not isinstance(content, dict) or "saltus" not in content:
            raise Fault("no scene: give its place in the scene above, or mark it as not run")
        self.scene = orders.get("file", f"block_{block.line}.yaml")
        (self.folder / self.scene).write_text(block.text)
        self.check(self.scene, [])

    def check(self, scene, words):
        done = subprocess.run([SALTUS, "check", scene, *words], cwd=self.folder, env=self.env, timeout=LIMIT,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise Fault(f"saltus check ended with {done.returncode}:\n{done.stdout}")

    def do_python(self, block, orders):
        if not has_package():
            self.skipped.append(f"{self.name}:{block.line}: the Python package is not built")
            return
        if self.session is None:
            self.session = subprocess.Popen([PYTHON, "-c", SESSION], cwd=self.folder, env=self.env, text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            self.session.stdin.write(repr(block.text) + "\n")
            self.session.stdin.flush()
        except BrokenPipeError:
            raise Fault("the Python of this page has ended") from None
        told = []
        for line in self.session.stdout:
            if line.startswith("\0"):
                if line[1:] == "good\n":
                    return
                break
            told.append(line)
        raise Fault("".join(told)[-3000:] or "Python ended")

    def do_cpp(self, block, orders):
        text = block.text
        if "int main(" not in text and "namespace saltus" not in text:
            lines = text.splitlines()
            heads = [line for line in lines if line.startswith("#")]
            body = [line for line in lines if not line.startswith("#")]
            text = "\n".join([*heads, "void block() {", *body, "}"])
        (self.folder / "block.cpp").write_text(text)
        self.shell("$COMPILE block.cpp", 0)


def main():
    failed = 0
    for name in sys.argv[1:]:
        page = Page(pathlib.Path(name).resolve())
        try:
            page.run()
            print(f"ok    {name}: {page.counts['run']} run, {page.counts['shown']} only shown", flush=True)
            for line in page.skipped:
                print(f"SKIPPED {line}")
        except Fault as fault:
            failed += 1
            print(f"FAIL  {fault}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
