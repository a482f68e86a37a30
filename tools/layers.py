#!/usr/bin/env python3
# Checks the include arrows between the rooms of src/saltus and the form of headers. Prints "file:line: fault" lines.
#
#     tools/layers.py [FOLDER]          FOLDER: src/saltus (default); exit 1 when there is a fault
import re
import sys
from pathlib import Path

# A room may include itself and the rooms named here; nothing else. bodies and schemes never meet.
MAY_INCLUDE = {
    "base": [],
    "math": ["base"],
    "shapes": ["math", "base"],
    "dynamics": ["math", "base"],
    "bodies": ["dynamics", "shapes", "math", "base"],
    "schemes": ["dynamics", "math", "base"],
    "contact": ["dynamics", "shapes", "math", "base"],
    "solvers": ["contact", "math", "base"],
    "scene": ["solvers", "contact", "schemes", "bodies", "dynamics", "shapes", "math", "base"],
}
MAY_INCLUDE["events"] = ["scene"] + MAY_INCLUDE["scene"]
MAY_INCLUDE["sim"] = ["events"] + MAY_INCLUDE["events"]
MAY_INCLUDE["io"] = ["sim"] + MAY_INCLUDE["sim"]
MAY_INCLUDE["study"] = ["io"] + MAY_INCLUDE["io"]
MAY_INCLUDE["app"] = ["study"] + MAY_INCLUDE["study"]

GENERATED = {"saltus/version.h"}  # by CMake, open to all rooms
UMBRELLA = "saltus.h"             # src/saltus/saltus.h may include every installed header

# Headers that are installed give their users Eigen/Core, Eigen/Geometry and the standard library, nothing more. A header that needs
# another library is named *_internal.h, is not installed, and is included by .cpp files and other internal headers.
PUBLIC_ANGLE = re.compile(r"^(Eigen/(?:Core|Geometry)|[a-z_]+|stdint\.h|stddef\.h|immintrin\.h)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def without_comments(text):
    """The text with comments blanked, line numbers kept; strings are left alone."""
    def blank(match):
        found = match.group(0)
        return found if found[0] == '"' else re.sub(r"[^\n]", " ", found)
    return re.sub(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', blank, text, flags=re.S)


def check_include(source, relative, room, header, quoted, angle):
    """The fault of one include line, or None."""
    public_header = header and not relative.name.endswith("_internal.h")
    if angle:
        if angle.startswith("saltus/"):
            return f'write #include "{angle}", with quotes'
        if public_header and not PUBLIC_ANGLE.match(angle):
            return (f"an installed header may include only Eigen/Core, Eigen/Geometry and std, not <{angle}>; "
                    "include it in the .cpp or name this header *_internal.h")
        return None
    if not quoted.startswith("saltus/"):
        return f'"{quoted}": write the whole path, "saltus/<room>/..."'
    if quoted in GENERATED:
        return None
    if not (source / quoted.removeprefix("saltus/")).is_file():
        return f'"{quoted}" does not exist'
    if public_header and quoted.endswith("_internal.h"):
        return f'an installed header includes "{quoted}", which is not installed'
    target = quoted.split("/")[1]
    if room == UMBRELLA:
        return None if target != "app" else "the umbrella header includes app"
    if target == UMBRELLA:
        return f'"{quoted}" is for users; include what is needed'
    if target != room and target not in MAY_INCLUDE[room]:
        return f'{room} may not include {target} ("{quoted}"); allowed: {", ".join(MAY_INCLUDE[room]) or "none"}'
    return None


def faults(source):
    source = Path(source)
    files = sorted(p for p in source.rglob("*") if p.suffix in (".h", ".cpp", ".hpp", ".inl", ".cc"))
    if not files:
        yield f"{source}: no source files"
    for path in files:
        relative = path.relative_to(source)
        room = relative.parts[0]
        if room != UMBRELLA and room not in MAY_INCLUDE:
            yield f"{path}:1: unknown room '{room}'; the rooms are {', '.join(MAY_INCLUDE)}"
            continue
        if path.suffix not in (".h", ".cpp"):
            yield f"{path}:1: sources end in .cpp, headers in .h"
        text = path.read_text(encoding="utf-8")
        header = path.suffix == ".h"
        if header and not re.match(r"// \S", text):
            yield f"{path}:1: the first line of a header says in a comment '// ...' what it is for"
        code = without_comments(text)
        if header and not re.search(r"^#pragma once$", text, flags=re.M):
            yield f"{path}:1: no #pragma once"
        for number, line in enumerate(code.splitlines(), start=1):
            match = INCLUDE.match(line)
            fault = match and check_include(source, relative, room, header, match.group(1), match.group(2))
            if fault:
                yield f"{path}:{number}: {fault}"


def report(check, good):
    """Exit code of a script that prints what check(folder) finds in the folder of its first argument, src/saltus without one;
    good(name of the folder): what it says when there is nothing."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "src" / "saltus"
    found = list(check(folder))
    print("\n".join(found) if found else good(folder.name))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(report(faults, lambda name: f"layers: {name}: all include arrows and headers are in order"))
