#!/usr/bin/env python3
"""python/saltus/_core.pyi, made of the compiled module as the package leaves it: its signatures, types and docstrings.

    PYTHONPATH=build/release/python tools/stubs.py            writes the file
    PYTHONPATH=build/release/python tools/stubs.py --check    compares it; exit code 1 and the differences where it is old
"""
import ast
import difflib
import enum
import inspect
import pathlib
import re
import sys
import typing

from saltus import _core
from stub_types import VAGUE, imports, in_python, overloads, said, sections, signature

FILE = pathlib.Path(__file__).resolve().parent.parent / "python" / "saltus" / "_core.pyi"


def documented(doc, indent):
    doc = "" if re.match(r"\w+\(.*\) -> ", doc or "") else inspect.cleandoc(doc or "").replace("\\", "\\\\").replace('"""', "'''")
    if not doc:
        return " ...\n"
    lines = [indent + line if line else "" for line in f'"""{doc}'.split("\n")]
    end = f'\n{indent}"""' if len(lines) > 1 or doc.endswith('"') else '"""'
    return "\n" + "\n".join(lines) + end + "\n"


def functions(name, what, indent="", static=False):
    head = f"{indent}@staticmethod\n" if static and indent else ""
    if inspect.isfunction(what):
        return f"{head}{indent}def {name}{in_python(what)}:{documented(what.__doc__, indent + '    ')}"
    every = overloads(what.__doc__)
    head = (f"{indent}@overload\n" if len(every) > 1 else "") + head
    return "".join(f"{head}{indent}def {name}{signature(*one, static=static or not indent)}:"
                   f"{documented(one[2], indent + '    ')}" for one in every)


def property_of(name, what):
    get = what.fget
    if inspect.isfunction(get):
        kind = in_python(get).split("-> ")[-1]
        if "return" not in get.__annotations__ or kind in VAGUE | {"list", "dict", "tuple"}:
            kind = said((what.__doc__ or "").split("\n")[0].split(" : ")[0], get.__globals__) or kind
    else:
        parameters, result, own = overloads(get.__doc__)[0]
        kind = signature("()", result, inspect.cleandoc(what.__doc__ or "") if "-> " not in (what.__doc__ or "") else "").split("-> ")[-1]
    text = f"    @property\n    def {name}(self) -> {kind}:{documented(what.__doc__, ' ' * 8)}"
    if what.fset:
        text += f"    @{name}.setter\n    def {name}(self, value: {kind}) -> None: ...\n"
    return text


def class_of(name, kind):
    told = sections(inspect.cleandoc(kind.__doc__ or "")).get("Attributes", {})
    bases = [one.__name__ for one in kind.__bases__ if one.__name__ not in ("pybind11_object", "object")]
    named = hasattr(kind, "_fields")
    flag = issubclass(kind, enum.Enum)
    bases = ["NamedTuple"] if named else ["enum.IntFlag"] if flag else bases
    if type(kind) is not type and not flag:
        bases.append("metaclass=_pybind11_type")
    text = f"class {name}{'(' + ', '.join(bases) + ')' if bases else ''}:{documented(kind.__doc__, '    ')}"
    members = []
    for key, what in vars(kind).items():
        of = type(what).__name__
        if flag or named:
            if key in getattr(kind, "_fields", ()) or isinstance(what, kind):
                members.append(f"    {key}: {said(told.get(key, 'float'), {}) or 'Any'}\n" if named else f"    {key}: int\n")
        elif key in ("__doc__", "__module__", "__weakref__", "__dict__") or re.match(r"__\w+(?<!__)$", key):
            continue
        elif key == "__hash__" and what is None:
            members.append("    __hash__: ClassVar[None]  # type: ignore[assignment]\n")
        elif key == "__init__" and of == "wrapper_descriptor":  # of what only the engine makes
            members.append("    def __init__(self, *args: NoReturn, **kwargs: NoReturn) -> None: ...\n")
        elif of == "property":
            members.append(property_of(key, what))
        elif of in ("instancemethod", "function"):
            members.append(functions(key, what, "    "))
        elif of == "staticmethod":
            members.append(functions(key, what.__func__, "    ", static=True))
        elif isinstance(what, kind) or key == "__members__":
            members.append(f"    {key}: ClassVar[{name if key != '__members__' else f'dict[str, {name}]'}]\n")
        elif of not in ("wrapper_descriptor", "method_descriptor", "builtin_function_or_method"):
            members.append(f"    {key}: {said(told.get(key, ''), {}) or type(what).__name__}\n")
    return (text[:-4] + "".join(["\n"] + members) if text.endswith(" ...\n") and members else text + "".join(members))


def stubs():
    body = ""
    for name in sorted(vars(_core)):
        what = getattr(_core, name)
        if inspect.isclass(what):
            body += "\n" + class_of(name, what)
        elif callable(what):
            body += "\n" + functions(name, what)
        elif name == "__version__" or not name.startswith("__"):
            body += f"\n{name}: {'dict[str, str]' if isinstance(what, dict) else type(what).__name__}\n"
    used = "".join(f"from {m.replace('saltus.', '.', 1)} import {', '.join(sorted(n))}\n"
                   for m, n in sorted(imports.items()) if m.startswith("saltus."))
    every = {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}
    words = sorted(every & set(typing.__all__))
    modules = "".join(f"import {m}\n" for m in sorted(every & {"enum", "os", "pathlib"}))
    return ("# Made by tools/stubs.py of the module; a test compares the two.\n" + modules + f"from typing import {', '.join(words)}\n\n"
            "import numpy as np\nimport numpy.typing as npt\n\n" + used +
            "\nclass _pybind11_type(type): ...\n" + body)


if __name__ == "__main__":
    made = stubs()
    old = FILE.read_text() if FILE.exists() else ""
    if "--check" not in sys.argv:
        FILE.write_text(made)
    elif made != old:
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), made.splitlines(True), str(FILE), "tools/stubs.py"))
        sys.exit(1)
