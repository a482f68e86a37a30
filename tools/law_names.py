#!/usr/bin/env python3
# Finds contact laws that are named outside the folder of the laws: who asks which law it is wants a question of ContactLaw instead.
# Prints "file:line: fault" lines.
#
#     tools/law_names.py [FOLDER]          FOLDER: src/saltus (default); exit 1 when there is a fault
import re
import sys
from pathlib import Path

from layers import report, without_comments

LAWS = "contact/laws"
OPTIONS = re.compile(r'struct (\w+) \{[^}]*?\bname = "([\w-]+)"')


def laws_of(source):
    """Class of the options and name of every law."""
    found = {}
    for path in sorted((source / LAWS).glob("*.h")):
        found |= dict(OPTIONS.findall(path.read_text(encoding="utf-8")))
    return found


def faults(source):
    source = Path(source)
    laws = laws_of(source)
    if not laws:
        yield f"{source}: no contact laws in {LAWS}"
        return
    classes = re.compile(r"\b(" + "|".join(laws) + r")(?:Law)?\b")
    # names of one word are words of other things too
    names = re.compile("|".join(re.escape(name) for name in laws.values() if "-" in name) or "(?!)")
    for path in sorted(p for p in source.rglob("*") if p.suffix in (".h", ".cpp")):
        relative = path.relative_to(source).as_posix()
        if relative.startswith(LAWS + "/"):
            continue
        code = without_comments(path.read_text(encoding="utf-8"))
        for number, line in enumerate(code.splitlines(), start=1):
            strings = re.findall(r'"(?:\\.|[^"\\])*"', line)
            bare = re.sub(r'"(?:\\.|[^"\\])*"', '""', line)
            included = re.match(r'\s*#\s*include\s*"saltus/' + LAWS + r'/(\w+)\.h"', line)
            if included and included[1] in {name.replace("-", "_") for name in laws.values()}:
                yield f"{path}:{number}: includes the law {included[1]}; include {LAWS}/laws.h"
            elif match := classes.search(bare):
                yield f"{path}:{number}: names the law {match[1]}; ask ContactLaw, or give laws.h a name for its use"
            elif not relative.startswith("schemes/") and (match := names.search(" ".join(strings))):  # a scheme has such a name
                yield f"{path}:{number}: names the law {match[0]} in a text; write the name that laws.h has for its use"


if __name__ == "__main__":
    sys.exit(report(faults, lambda name: f"law_names: {name}: contact laws are named in {LAWS} alone"))
