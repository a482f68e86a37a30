#!/usr/bin/env python3
# Checks that files, functions and classes of src/saltus are short enough to be read. Prints "file:line: fault" lines.
#
#     tools/sizes.py [FOLDER]           FOLDER: src/saltus (default); exit 1 when there is a fault
#
# A class has the lines between its braces and those of its members that are defined outside of them.
import re
import sys
from collections import defaultdict
from pathlib import Path

from layers import report, without_comments

MOST_FILE, MOST_FUNCTION, MOST_CLASS = 500, 80, 500

CLASS = re.compile(r"\b(?:class|struct|union)\s+(?:alignas\([^)]*\)\s*)?([\w:]+)(?:\s+final)?\s*(?::[^:].*)?$", re.S)
FUNCTION = re.compile(r"([\w:~]*\b(?:operator\s*\S+?|~?\w+))\s*\(")


def plain(text):
    """Code alone: comments, preprocessor lines and what stands in quotes blanked, lines kept."""
    code = re.sub(r'"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])'", '""', without_comments(text))
    return re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", lambda m: "\n" * m.group(0).count("\n"), code, flags=re.M)


def blocks(code):
    """(kind, name, first line, last line) of classes and of functions outside of other functions."""
    stack, start, line, parens = [], 0, 1, 0
    for i, c in enumerate(code):
        if c == "\n":
            line += 1
        elif c in "()":
            parens += 1 if c == "(" else -1
        elif c == ";" and parens == 0:
            start = i + 1
        elif c == "{":
            head = code[start:i].strip()
            inside = stack[-1][0] if stack else "namespace"
            kind, name = "other", ""
            if inside in ("namespace", "class") and parens == 0:
                found = CLASS.search(head)
                if re.match(r"(?:inline )?namespace\b", head) or head.startswith("extern"):
                    kind = "namespace"
                elif found and "(" not in head[: found.start()] and not head.startswith("enum"):
                    kind, name = "class", found.group(1)
                elif FUNCTION.search(head) and "=" not in head.split("(")[0].replace("operator=", ""):
                    kind, name = "function", FUNCTION.search(head).group(1)
                    # members of a constructor may be initialised by braces: the body is the last of them
                    if re.search(r"[,:]\s*\w+$", head) and re.search(r"\)\s*:|\bnoexcept\s*:", head):
                        kind = "other"
            first = line - head.count("\n")
            stack.append((kind, name, first, [n for k, n, *_ in stack if k == "class"], parens))
            parens = 0
            if kind != "other":
                start = i + 1
        elif c == "}" and stack:
            kind, name, first, outer, parens = stack.pop()
            if kind in ("class", "function"):
                yield kind, "::".join(outer + [name]), first, line, bool(outer)
            if kind != "other" or not stack or stack[-1][0] != "namespace" and parens == 0:
                start = i + 1


def faults(source):
    classes = defaultdict(lambda: [0, None, 0])
    for path in sorted(Path(source).rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        text = path.read_text(encoding="utf-8")
        if (lines := text.count("\n")) > MOST_FILE:
            yield f"{path}:1: {lines} lines; a file has at most {MOST_FILE}"
        room = path.relative_to(source).parts[0]
        # what other files of the room may define too stays with its file
        hidden = path.name if path.suffix == ".cpp" else ""
        for kind, name, first, last, inside in blocks(plain(text)):
            size = last - first + 1
            if kind == "class":
                own = classes[room, name]
                own[0] += size
                own[1], own[2] = path, first
            elif size > MOST_FUNCTION:
                yield f"{path}:{first}: {name}() has {size} lines; a function has at most {MOST_FUNCTION}"
            if kind == "function" and "::" in name and not inside:
                parts = name.split("::")[:-1]
                own = classes[room, "::".join(parts)]
                own[0] += size
                if own[1] is None:
                    own[1], own[2] = path, first
    for (_, name), (size, path, first) in sorted(classes.items(), key=lambda entry: (str(entry[1][1]), entry[1][2])):
        if size > MOST_CLASS:
            yield f"{path}:{first}: {name} has {size} lines with its members; a class has at most {MOST_CLASS}"


if __name__ == "__main__":
    sys.exit(report(faults, lambda name: f"sizes: {name}: all files, functions and classes are short enough"))
