#!/usr/bin/env python3
# Checks the include arrows between the rooms of src/saltus and the form of headers. Prints "file:line: fault" lines.
#
#     tools/layers.py [FOLDER]          FOLDER: src/saltus (default); exit 1 when there is a fault
import re
import sys
from pathlib import Path

# A room may include itself, the rooms named here, and what those may include; nothing else. From the lowest to the highest.
# Bodies and schemes do not include each other, and solvers include neither.
ARROWS = {
    "base": [],
    "math": ["base"],
    "linear_algebra": ["math"],
    "shapes": ["math"],
    "detection": ["shapes", "linear_algebra"],
    "mesh": ["shapes"],
    "dynamics": ["linear_algebra"],
    "bodies": ["dynamics", "mesh"],
    "fem": ["bodies"],
    "schemes": ["dynamics"],
    "contact": ["dynamics"],
    "solvers": ["contact"],
    "spec": ["contact", "schemes", "fem"],
    "model": ["spec", "detection"],
    "advice": ["model"],
    "kinds": ["advice"],
    "statics": ["advice"],
    "scene": ["kinds", "solvers", "statics"],
    "scene_file": ["spec"],
    "import": ["scene_file"],
    "state": ["model"],
    "assembly": ["state", "scene"],
    "time_stepping": ["assembly"],
    "event_driven": ["assembly"],
    "sensitivity": ["event_driven"],
    "sim": ["time_stepping", "event_driven"],
    "results": ["sim", "scene_file"],
    "phases": ["results"],
    "exchange": ["results"],
    "view": ["exchange"],
    "convert": ["view"],
    "study": ["convert", "sensitivity", "phases"],
    "app": ["study", "import"],
}
EXCEPT = {"solvers": "dynamics"}  # a solver has (W, b, laws) alone
MAY_INCLUDE = {}
for _room, _direct in ARROWS.items():
    MAY_INCLUDE[_room] = list(dict.fromkeys(_direct + [below for room in _direct for below in MAY_INCLUDE[room]]))
for _room, _name in EXCEPT.items():
    MAY_INCLUDE[_room].remove(_name)
MOST_LINES = 8000  # of a room
MOST_COLUMNS = 100  # of a line with a comment; clang-format wraps code alone


def may_include_text(room):
    """The line of a room's README that says what it may include."""
    names = ARROWS[room]
    if not names:
        return "May include no other room."
    text = f"May include {' and '.join(names)}, and what {'it' if len(names) == 1 else 'they'} may include"
    return text + (f", but not {EXCEPT[room]}." if room in EXCEPT else ".")


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


def unnamed_names(text):
    """(name, line) of what the unnamed namespaces of a .cpp define: types, functions, constants."""
    code = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', without_comments(text))
    for opening in re.finditer(r"^namespace \{$", code, flags=re.M):
        depth, start = 0, opening.end()
        for i in range(opening.end(), len(code)):
            if code[i] == "{":
                if depth == 0:
                    head, line = code[start:i], code.count("\n", 0, i) + 1
                depth += 1
            elif code[i] == "}":
                if depth == 0:
                    break
                depth -= 1
                if depth == 0:
                    yield from ((name, line) for name in defined_by(head))
                    start = i + 1
            elif code[i] == ";" and depth == 0:
                # a declaration alone, or what follows a body, defines nothing
                if "=" in code[start:i] or code[start:i].lstrip().startswith("using"):
                    line = code.count("\n", 0, i) + 1
                    yield from ((name, line) for name in defined_by(code[start:i]))
                start = i + 1


def defined_by(head):
    """Names that a definition gives, from its text before the first brace or up to its semicolon."""
    head = re.sub(r"^\s*#.*$", "", head, flags=re.M).strip()
    kind = re.search(r"\b(?:struct|class|union|enum class|enum) (?:alignas\([^)]*\) )?(\w+)[^()=]*$", head)
    if kind:
        return [kind.group(1)]
    if re.match(r"(?:template\s*<[^{}]*>\s*)?using ", head):
        return []  # the same alias may be written twice
    constants = re.findall(r"\b(k[A-Z]\w*)(?:\[[^]]*\])* *(?:=|$)", head)
    if constants:
        return constants
    function = re.search(r"(?<![:~\w])(\w+)\(", head)
    return [function.group(1)] if function and "=" not in head else []


def readme_faults(readme, text):
    """What the room may include, and main types and a first file that are there."""
    folder = readme.parent
    if may_include_text(folder.name) not in text:
        yield f'{readme}:1: says nothing of what the room may include; write "- {may_include_text(folder.name)}"'
    code = "\n".join(without_comments(path.read_text(encoding="utf-8")) for path in folder.rglob("*.h"))
    for number, line in enumerate(text.splitlines(), start=1):
        for name in re.findall(r"`(\w+)(?:\(\))?`", line if line.startswith("- Main types:") else ""):
            if not re.search(rf"\b{name}\b", code):
                yield f"{readme}:{number}: no header of the room has `{name}`"
        for name in re.findall(r"\]\(([^)]+)\)", line):
            if not (folder / name).exists():
                yield f"{readme}:{number}: {name} is not there"


def room_faults(folder):
    """README, size, and names that files of the room compiled together would define twice."""
    readme = folder / "README.md"
    if not readme.is_file():
        yield f"{folder}: no README.md that says what the room is for, its main types and the file to read first"
    else:
        yield from readme_faults(readme, readme.read_text(encoding="utf-8"))
    lines, places = 0, {}
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        text = path.read_text(encoding="utf-8")
        lines += text.count("\n")
        if path.suffix == ".cpp":
            for name, line in unnamed_names(text):
                places.setdefault(name, []).append((path, line))
    for name, found in places.items():
        # functions may share a name where they differ in their parameters, which the compiler checks
        if (name[0].isupper() or re.match(r"k[A-Z]", name)) and len({path for path, _ in found}) > 1:
            path, line = found[-1]
            yield f"{path}:{line}: {name} is defined in an unnamed namespace of {found[0][0].name} too; the room is compiled together"
    if lines > MOST_LINES:
        yield f"{folder}: {lines} lines; a room has at most {MOST_LINES}"


def faults(source):
    source = Path(source)
    files = sorted(p for p in source.rglob("*") if p.suffix in (".h", ".cpp", ".hpp", ".inl", ".cc"))
    if not files:
        yield f"{source}: no source files"
    for room in MAY_INCLUDE:
        if (source / room).is_dir():
            yield from room_faults(source / room)
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
        for number, line in enumerate(text.splitlines(), start=1):
            if len(line) > MOST_COLUMNS and "//" in line:
                yield f"{path}:{number}: a comment of {len(line)} columns; at most {MOST_COLUMNS}"
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
