"""What the tests of the documentation share: where things are. Each test_*.py also runs alone:

    /usr/bin/python3 tests/docs/test_links.py [words of unittest]

with SALTUS_BINARY in the environment where that is not build/release/bin/saltus. CTest runs them by tests/python/run.py.
"""
import json
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SALTUS = pathlib.Path(os.environ.get("SALTUS_BINARY", ROOT / "build" / "release" / "bin" / "saltus")).resolve()
BUILD = SALTUS.parent.parent
# where the Python package is: as CTest says, or in the build
PACKAGE = pathlib.Path(next((p for p in os.environ.get("PYTHONPATH", "").split(":") if p and (pathlib.Path(p) / "saltus").is_dir()),
                            BUILD / "python"))
SHARED = pathlib.Path(os.environ.get("SALTUS_SHARED", ROOT.parent / "shared"))
AWAY = {"build", "results", "node_modules", "dist", ".git", ".cache"}


def pages():
    """Every .md of the repository, in order."""
    found = [p for p in ROOT.rglob("*.md") if not AWAY & set(p.relative_to(ROOT).parts)]
    return sorted(found)


def saltus(*words):
    """What the command prints; an exit code other than 0 is an error."""
    return subprocess.run([SALTUS, *words], check=True, capture_output=True, text=True).stdout


def described(topic):
    told = json.loads(saltus("describe", topic, "--json"))
    return told.get("entries") or told["options"]


def has_package():
    """Whether the Python package is built."""
    return any(PACKAGE.glob("saltus/_core*.so"))
