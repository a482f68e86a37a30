#!/usr/bin/env python3
# Checks that no text file of the repository names a folder of someone's machine, and that things bear the names of the
# field: a picture where a textbook has a term is a fault. Prints "file:line: fault" lines.
#
#     tools/words.py [FOLDER]           FOLDER: the repository (default); exit 1 when there is a fault
import re
import subprocess
import sys
from pathlib import Path

# Absolute folders of one machine; the names are put together here so that this file passes its own check.
FOLDERS = ["work", "root", "home", "Users"]
MACHINE_PATH = re.compile(r"(?<![\w.$}~*)\]-])/(?:" + "|".join(FOLDERS) + r")/")
# What a text may not say, and what it says instead. Words that are also plain English are left to readers.
TERMS = {
    r"lanes?": "event-driven integration, or SIMD pack",
    r"crews?": "thread pool",
    r"skins?": "boundary surface",
    r"falling friction": "velocity-weakening friction",
    r"massless contact nodes?": "mass redistribution",
    r"pulsations?": "angular frequency",
    r"hops?|hopping": "bounce, Zeno sequence",
    r"hold[ _]ends?|amend(?:s|ed|ing)?": "constraint projection",
    r"drawn[ _]way": "path",
    r"half-?way|half_way": "midway, in the middle",
    r"sweeps? by bodies": "block Gauss-Seidel in body velocities",
}
WRONG = {re.compile(r"(?<![\w.\"'/-])(?:" + word + r")(?![\w\"'-])", re.IGNORECASE): term for word, term in TERMS.items()}
# History, data of others, names that files and programs of the last version hold
FORMER = re.compile(r"CHANGELOG\.md|bench/results/|tests/fuzz/corpus/|tests/golden/|renamed_keys|tools/words\.py|tests/lint/|former name")
NOT_OURS = {"build", "results", ".git", "node_modules", "__pycache__"}


def repository_files(root):
    """Tracked and new files when root is a git checkout, else every file outside build folders."""
    if (root / ".git").exists():
        try:
            listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
                                    capture_output=True, check=True).stdout
            return [root / name for name in listed.decode().split("\0") if name]
        except (OSError, subprocess.CalledProcessError):
            pass
    return [p for p in root.rglob("*") if not NOT_OURS & set(p.relative_to(root).parts)]


def faults(root):
    for path in sorted(repository_files(root)):
        if not path.is_file() or path.is_symlink():
            continue
        name = path.relative_to(root).as_posix()
        data = path.read_bytes()
        if b"\0" in data[:8192]:
            continue  # not text
        for number, line in enumerate(data.decode("utf-8", errors="replace").splitlines(), start=1):
            match = MACHINE_PATH.search(line)
            if match:
                yield f"{path}:{number}: a path of one machine: {match.group(0)}..."
            if FORMER.search(name) or FORMER.search(line):
                continue
            for wrong, term in WRONG.items():
                if match := wrong.search(line):
                    yield f"{path}:{number}: '{match.group(0)}' is no term of the field; write {term}"


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = list(faults(root.resolve()))
    print("\n".join(found) if found else "words: no machine paths, and the terms of the field")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
