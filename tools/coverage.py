#!/usr/bin/env python3
"""Lines of src/ that the tests ran, from what gcov says of a build with counters:

    cmake --preset coverage && cmake --build --preset coverage && ctest --preset coverage
    tools/coverage.py build/coverage [--lines]

Prints a line for each room, files with the most lines that were not run, and the share of all; --lines names those lines too.
A line counts as run where any object that holds it ran it. Ends with 1 where less than 90 % were run.
"""
import argparse
import collections
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LEAST = 0.9


def counts(build, root):
    """{file: {line: times it was run}} of the files in src/ of root. What gcov says of damaged counters goes to stderr."""
    of = collections.defaultdict(dict)
    notes = [os.path.join(folder, name) for folder, _, names in os.walk(build) for name in names if name.endswith(".gcno")]
    if not notes:
        sys.exit(f"{build}: no .gcno files; it is to be a build with SALTUS_COVERAGE")
    for note in sorted(notes):
        answer = subprocess.run(["gcov", "--json-format", "--stdout", os.path.abspath(note)], cwd=build,
                                capture_output=True, text=True)
        for line in answer.stderr.splitlines():
            if "cannot open data file" not in line and "no functions found" not in line:  # nothing ran it, a header
                print(line, file=sys.stderr)
        if answer.returncode != 0:
            sys.exit(f"{note}: gcov ends with {answer.returncode}; it is to be that of the compiler")
        for text in answer.stdout.splitlines():
            unit = json.loads(text)
            for file in unit["files"]:
                path = os.path.relpath(os.path.join(unit["current_working_directory"], file["file"]), root)
                if not path.startswith("src" + os.sep):
                    continue
                lines = of[path]
                for line in file["lines"]:
                    number = line["line_number"]
                    lines[number] = lines.get(number, 0) + line["count"]
    return of


def ranges(numbers):
    """[3, 4, 5, 9] -> "3-5 9"."""
    text, numbers = [], sorted(numbers)
    while numbers:
        end = 1
        while end < len(numbers) and numbers[end] == numbers[0] + end:
            end += 1
        text.append(str(numbers[0]) if end == 1 else f"{numbers[0]}-{numbers[end - 1]}")
        numbers = numbers[end:]
    return " ".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", help="folder of the build")
    parser.add_argument("--lines", action="store_true", help="name the lines that were not run")
    parser.add_argument("--root", default=ROOT, help="folder above src/, if not this one")
    options = parser.parse_args()

    of = counts(options.build, os.path.abspath(options.root))
    if not of:
        sys.exit(f"{options.build}: gcov reports no line of {options.root}/src")
    rooms = collections.Counter()
    run = collections.Counter()
    missed = {}
    for path, lines in of.items():
        room = path.split(os.sep)[2]
        rooms[room] += len(lines)
        run[room] += sum(n > 0 for n in lines.values())
        missed[path] = [number for number, n in lines.items() if n == 0]
    for room in sorted(rooms):
        print(f"{room:12} {run[room]:6} of {rooms[room]:6} lines {100 * run[room] / rooms[room]:6.1f} %")
    print()
    for path, numbers in sorted(missed.items(), key=lambda item: (-len(item[1]), item[0])):
        if numbers and (options.lines or len(numbers) >= 20):
            print(f"{len(numbers):5} of {len(of[path]):5}  {path}" + (f": {ranges(numbers)}" if options.lines else ""))
    share = sum(run.values()) / sum(rooms.values())
    print(f"\nall          {sum(run.values()):6} of {sum(rooms.values()):6} lines {100 * share:6.1f} %")
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
