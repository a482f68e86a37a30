#!/usr/bin/env python3
# The lint scripts must find faults: each case writes a small tree with one fault and expects one message about it. Lines that
# nothing ran must be found as well.
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(REPOSITORY / "tools"))
import layers  # noqa: E402
HEAD = "// A header.\n#pragma once\n"
CLEAN = {
    "base/a.h": HEAD + "#include <Eigen/Core>\n#include <vector>\n",
    "math/b.h": HEAD + '#include "saltus/base/a.h"\n#include "saltus/version.h"\n// #include "saltus/app/x.h"\n',
    "dynamics/d.h": HEAD + '#include "saltus/math/b.h"\n',
    "bodies/e.h": HEAD + '#include "saltus/dynamics/d.h"\n',
    "schemes/f.cpp": '#include <fmt/format.h>\n#include "saltus/dynamics/d.h"\n',
    "contact/g.h": HEAD,
    "solvers/h.h": HEAD + '#include "saltus/contact/g.h"\n',
    "results/i_internal.h": HEAD + "#include <hdf5.h>\n",
    "results/i.cpp": '#include "saltus/results/i_internal.h"\n#include "saltus/bodies/e.h"\n',
}
CLEAN |= {f"{room}/README.md": layers.may_include_text(room) for room in {name.split("/")[0] for name in CLEAN}}
UNNAMED = "namespace saltus {\nnamespace {\n\n%s\n}  // namespace\n}  // namespace saltus\n"

# name of the case: (files added to the clean tree, words of the message)
LAYER_FAULTS = {
    "base includes math": ({"base/x.cpp": '#include "saltus/math/b.h"\n'}, "base may not include math"),
    "schemes include bodies": ({"schemes/x.cpp": '#include "saltus/bodies/e.h"\n'}, "schemes may not include bodies"),
    "bodies include schemes": ({"bodies/x.cpp": '#  include "saltus/schemes/s.h"\n', "schemes/s.h": HEAD},
                               "bodies may not include schemes"),
    "solvers include dynamics": ({"solvers/x.cpp": '#include "saltus/dynamics/d.h"\n'},
                                 "solvers may not include dynamics"),
    "solvers include bodies": ({"solvers/x.cpp": '#include "saltus/bodies/e.h"\n'}, "solvers may not include bodies"),
    "a room without README": ({"shapes/s.h": HEAD}, "no README.md"),
    "a README that lies": ({"math/README.md": "May include app."}, "says nothing of what the room may include"),
    "a README of a type that is gone": ({"math/README.md": layers.may_include_text("math") + "\n- Main types: `Gone`.\n"},
                                      "math/README.md:2: no header of the room has `Gone`"),
    "a README of a file that is gone": ({"math/README.md": layers.may_include_text("math") + "\nRead first: [x](gone.h)\n"},
                                      "math/README.md:2: gone.h is not there"),
    "a constant of two files": ({"math/x.cpp": UNNAMED % "constexpr int kMost = 3, kLeast = 1;\n",
                                 "math/y.cpp": UNNAMED % "constexpr double kLeast = 0.5;\n"},
                                "math/y.cpp:4: kLeast is defined in an unnamed namespace of x.cpp too"),
    "a class of two files": ({"math/x.cpp": UNNAMED % "struct Part {\n  int a;\n};\n",
                              "math/y.cpp": UNNAMED % "class Part final : public Base {\n};\n"}, "Part is defined"),
    "a comment too wide to read": ({"math/x.cpp": "// " + "x" * 98 + "\n"}, "a comment of 101 columns"),
    "a room too large to know": ({"math/x.cpp": "\n" * (layers.MOST_LINES + 1)}, "a room has at most"),
    "a room nobody knows": ({"utils/x.cpp": "\n"}, "unknown room 'utils'"),
    "a file outside the rooms": ({"x.cpp": "\n"}, "unknown room 'x.cpp'"),
    "relative include": ({"math/x.cpp": '#include "b.h"\n'}, "whole path"),
    "include with angles": ({"math/x.cpp": "#include <saltus/base/a.h>\n"}, "with quotes"),
    "missing file": ({"math/x.cpp": '#include "saltus/base/gone.h"\n'}, "does not exist"),
    "no pragma once": ({"math/x.h": "// A header.\nint f();\n"}, "no #pragma once"),
    "no first comment": ({"math/x.h": "#pragma once\n"}, "first line of a header"),
    "a library in an installed header": ({"results/x.h": HEAD + "#include <hdf5.h>\n"}, "only Eigen/Core, Eigen/Geometry and std"),
    "more of Eigen in an installed header": ({"math/x.h": HEAD + "#include <Eigen/Sparse>\n"},
                                             "only Eigen/Core, Eigen/Geometry and std"),
    "internal header in an installed one": ({"results/x.h": HEAD + '#include "saltus/results/i_internal.h"\n'}, "not installed"),
}
def function_of(lines, name="f"):
    return f"int {name}() {{\n" + "  g();\n" * (lines - 3) + "  return 0;\n}\n"


SIZES_CLEAN = {"math/a.h": HEAD + "namespace saltus {\nclass A {\n public:\n  int f();\n};\n}\n",
               "math/a.cpp": "namespace saltus {\n" + function_of(80) + function_of(80, "A::f") + "}\n",
               "math/c.h": HEAD + "struct C {\n" + "".join(function_of(75, f"f{i}") for i in range(6)) + "};\n"}
SIZE_FAULTS = {
    "a long function": ({"math/b.cpp": "namespace saltus {\nnamespace {\n" + function_of(81) + "}\n}\n"}, "b.cpp:3: f() has 81 lines"),
    "a long member": ({"math/b.h": HEAD + "struct B {\n" + function_of(90, "in_class") + "};\n"}, "B::in_class() has 90 lines"),
    "a long file": ({"math/b.cpp": "\n" * 501}, "b.cpp:1: 501 lines"),
    "a class by its members outside": ({"math/b.cpp": "".join(function_of(75, f"A::f{i}") for i in range(6))}, "A has 534 lines with its members"),
}
PATH = "/" + "home/someone/project"
WORD_FAULTS = {
    "in a script": {"run.sh": "cd " + PATH + "\n"},
    "in quotes": {"src/a.cpp": 'const char* p = "' + PATH + '";\n'},
    "other folders": {"a.md": "See /" + "work/x and (/" + "root/y).\n"},
}
TERM_FAULTS = {
    "a picture for a mode": ({"src/a.h": "/// What the event lane does.\n"}, "event-driven integration"),
    "a picture for a surface": ({"docs/b.md": "Skins of soft bodies are triangles.\n"}, "boundary surface"),
    "a word of another language": ({"docs/b.md": "The pulsation of a mode.\n"}, "angular frequency"),
    "a picture for projection": ({"src/a.cpp": "// hold_ends closes the joints\n"}, "constraint projection"),
}
WORD_CLEAN = {"a.md": "friction/" + "work/ratio, $HOME/x, ${root}/" + "home/y, the work / root / home\n"}


LAW = HEAD + 'struct HardStop {\n  static constexpr std::string_view name = "hard-stop";\n};\n'
LAWS_CLEAN = {"contact/laws/hard_stop.h": LAW, "contact/laws/laws.h": HEAD + '#include "saltus/contact/laws/hard_stop.h"\n',
              "sim/a.cpp": '#include "saltus/contact/laws/laws.h"\nint stop_hard; // HardStop, "hard-stop"\n'}
LAW_FAULTS = {
    "options by name": ({"sim/b.cpp": "bool f(const LawChoice& x) { return std::holds_alternative<HardStop>(x); }\n"}, "names the law HardStop"),
    "its class": ({"app/b.h": HEAD + "HardStopLaw* f();\n"}, "names the law HardStop"),
    "its header": ({"scene/b.cpp": '#include "saltus/contact/laws/hard_stop.h"\n'}, "includes the law hard_stop"),
    "in a message": ({"study/b.cpp": 'const char* remedy = "use hard-stop";\n'}, "names the law hard-stop in a text"),
}


def run(script, files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, REPOSITORY / "tools" / script, folder], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


COUNTED = """int f(int x) {
  if (x > 1)
    return 2;
  return 3;
}
int main() { return f(0) - 3; }
"""


def coverage():
    """What is wrong with coverage.py on a program of five lines that runs four of them, None if nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        source, build = Path(folder) / "src" / "room" / "a.cpp", Path(folder) / "build"
        source.parent.mkdir(parents=True)
        source.write_text(COUNTED, encoding="utf-8")
        build.mkdir()
        ask = [sys.executable, REPOSITORY / "tools" / "coverage.py", build, "--lines", "--root", folder]
        empty = subprocess.run(ask, capture_output=True, text=True)
        if empty.returncode != 1 or "no .gcno files" not in empty.stderr:
            return f"a build without counters: {empty.returncode}, {empty.stderr}"
        subprocess.run(["g++", "--coverage", source, "-o", "a"], cwd=build, check=True)
        for runs, words in ((0, "    5 of     5  src/room/a.cpp: 1-4 6"), (1, "    1 of     5  src/room/a.cpp: 3")):
            for _ in range(runs):
                subprocess.run([build / "a"], check=True)
            done = subprocess.run(ask, capture_output=True, text=True)
            if done.returncode != 1 or words not in done.stdout.splitlines() or done.stderr:
                return f"{runs} runs: {done.returncode}\n{done.stdout}{done.stderr}expected '{words}'"
    return None


def main():
    failed = 0

    def expect(name, script, files, code, words):
        nonlocal failed
        got, text = run(script, files)
        lines = len(text.strip().splitlines())
        good = got == code and words in text and (code == 0 or lines == 1)
        if not good:
            failed += 1
            print(f"FAILED {script}, {name}: exit {got}, expected {code} and '{words}':\n{text}")

    expect("a clean tree", "layers.py", CLEAN, 0, "in order")
    expect("an empty tree", "layers.py", {}, 1, "no source files")
    for name, (files, words) in LAYER_FAULTS.items():
        expect(name, "layers.py", CLEAN | files, 1, words)
    expect("a clean tree", "words.py", WORD_CLEAN, 0, "no machine paths")
    for name, files in WORD_FAULTS.items():
        expect(name, "words.py", WORD_CLEAN | files, 1, "a path of one machine")
    for name, (files, words) in TERM_FAULTS.items():
        expect(name, "words.py", WORD_CLEAN | files, 1, words)
    expect("plain English", "words.py", {"a.md": "Planes explain asking and chops.\n"}, 0, "the terms of the field")
    expect("a clean tree", "law_names.py", LAWS_CLEAN, 0, "in contact/laws alone")
    expect("no laws", "law_names.py", CLEAN, 1, "no contact laws")
    for name, (files, words) in LAW_FAULTS.items():
        expect(name, "law_names.py", LAWS_CLEAN | files, 1, words)
    expect("a clean tree", "sizes.py", SIZES_CLEAN, 0, "short enough")
    for name, (files, words) in SIZE_FAULTS.items():
        expect(name, "sizes.py", SIZES_CLEAN | files, 1, words)
    counted = shutil.which("g++") is not None and shutil.which("gcov") is not None
    if counted:
        if fault := coverage():
            failed += 1
            print(f"FAILED coverage.py, {fault}")
    print(f"{7 + counted + len(TERM_FAULTS) + len(LAYER_FAULTS) + len(SIZE_FAULTS) + len(WORD_FAULTS) + len(LAW_FAULTS) - failed} cases passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
