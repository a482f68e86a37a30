#!/usr/bin/env python3
"""python/saltus/_core.pyi, made of the compiled module as the package leaves it: its signatures, types and docstrings.

    PYTHONPATH=build/release/python tools/stubs.py            writes the file
    PYTHONPATH=build/release/python tools/stubs.py --check    compares it; exit code 1 and the differences where it is old

Types are those of pybind11's signatures. Where these say only `object`, `list`, `tuple` or `dict`, what the docstring says decides,
if it is of the words of `said` below: "Factor or None : ...", "list of str : ...", "p : ndarray, shape (rows,)".
"""
import ast
import difflib
import enum
import inspect
import pathlib
import re
import sys
import typing

import saltus
from saltus import _core

FILE = pathlib.Path(__file__).resolve().parent.parent / "python" / "saltus" / "_core.pyi"
ARRAY = "npt.NDArray[np.float64]"
VAGUE = {"Any", "list[Any]", "tuple[Any, ...]", "dict[Any, Any]", "Sequence[Any]", "Mapping[Any, Any]"}
# What pybind11 calls a type: (as it is taken, as it is given)
SIMPLE = {"object": ("Any", "Any"), "handle": ("Any", "Any"), "list": ("Sequence[Any]", "list[Any]"),
          "tuple": ("tuple[Any, ...]", "tuple[Any, ...]"), "dict": ("Mapping[Any, Any]", "dict[Any, Any]"),
          "numpy.ndarray": ("npt.ArrayLike", "npt.NDArray[Any]"), "os.PathLike": ("str | os.PathLike[str]", "pathlib.Path"),
          "function": ("Callable[..., Any]", "Callable[..., Any]"),
          **{name: (name, name) for name in ("int", "float", "bool", "str", "bytes", "slice", "None")}}
SAID = {"ndarray": ARRAY, "array": "npt.ArrayLike", "path": "str | os.PathLike[str]", "Mapping": "Mapping[str, Any]",
        **{name: SIMPLE[name][1] for name in ("int", "float", "bool", "str", "slice", "None", "list", "tuple", "dict")}}
imports = {}  # module -> names that signatures of functions in Python need


def typed(node, given):
    """The type that pybind11 wrote, as an expression of Python, in the words of typing."""
    text = ast.unparse(node)
    if text in SIMPLE:
        return SIMPLE[text][given]
    if text.startswith("saltus._core."):
        return text[len("saltus._core."):]
    if isinstance(node, ast.Subscript):
        head, inner = ast.unparse(node.value), node.slice
        if head == "numpy.ndarray":
            dtype = ast.unparse(inner).split("[")[0].replace("numpy", "np")
            return f"npt.NDArray[{dtype}]" if given else "npt.ArrayLike"
        if head in ("int", "float", "bool"):  # float[3] in List[float[3]]: std::array
            return head
        if head == "List" and isinstance(inner, ast.Subscript) and ast.unparse(inner.value).split(".")[-1] in _core.__dict__:
            inner = inner.value
        parts = [typed(one, given) for one in (inner.elts if isinstance(inner, ast.Tuple) else [inner])]
        if head == "Optional":
            return f"{parts[0]} | None"
        names = {"List": ("Sequence", "list"), "Dict": ("Mapping", "dict"), "Tuple": ("tuple", "tuple"), "Set": ("set", "set")}
        return f"{names[head][given]}[{', '.join(parts)}]"
    raise SystemExit(f"no type of Python for {text!r}: its binding must name one")


def said(text, names, given=True):
    """The type that a docstring names, or None: "int", "list of str", "Factor or None", "ndarray, shape (n, 3)"."""
    text = re.sub(r", (shape |optional|\(|read-only).*$", "", text.strip().replace("`", ""))
    if " or " in text:
        parts = [said(one, names, given) for one in text.split(" or ")]
        return " | ".join(parts) if all(parts) else None
    if match := re.fullmatch(r"(list|tuple|sequence) of (.+)", text):
        inner = said(match[2], names, given)
        if inner and match[1] == "tuple":
            return f"tuple[{inner}, ...]"
        return inner and f"{'list' if given and match[1] == 'list' else 'Sequence'}[{inner}]"
    if match := re.fullmatch(r"dict of (\w+)(?: to (.+))?", text):
        inner = said(match[2], names, given) if match[2] else "Any"
        return inner and f"dict[{said(match[1], names) or 'Any'}, {inner}]"
    if text == "array" and given:
        return ARRAY
    if text in SAID:
        return SAID[text]
    if inspect.isclass(found := names.get(text, _core.__dict__.get(text))):
        needs(text, found)
        return text
    return None


def needs(name, what):
    """Notes where a name comes from that an annotation uses."""
    module = getattr(what, "__module__", "")
    if module not in ("saltus._core", "builtins") and name not in _core.__dict__:
        imports.setdefault(module, set()).add(name)


def sections(doc):
    """{'Parameters': {name: type}, 'Attributes': ..., 'Returns': type} of a docstring."""
    found = {}
    for head, body in re.findall(r"^(Parameters|Attributes|Returns)\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", doc, re.M | re.S):
        rows = re.findall(r"^(\S[^:\n]*?)(?: : (.*))?$", body, re.M)
        found[head] = rows[0][1] or rows[0][0] if head == "Returns" else {n: kind for names, kind in rows for n in names.split(", ")}
    return found


def value(text):
    try:
        ast.literal_eval(text)
        return text if len(text) < 30 else "..."
    except (ValueError, SyntaxError):
        return "..."


def overloads(text):
    """[(parameters, result, docstring)] of what pybind11 wrote about a function or a getter."""
    text = re.sub(r"(= )<[^<>\n]*>", r"\1...", text or "")
    text = text.replace("saltus::", "saltus._core.")
    text = re.sub(r"array\(\[.*?\]\)", "...", text, flags=re.S)
    if "Overloaded function." in text:
        return [overloads(part)[0] for part in re.split(r"^\d+\. ", text, flags=re.M)[1:]]
    match = re.match(r"\w*(\(.*\)) -> (\S.*)\n?", text)
    if not match:
        return [("(*args, **kwargs)", "object", inspect.cleandoc(text))]
    return [(match[1], match[2], inspect.cleandoc(text[match.end():]))]


def signature(parameters, result, doc, static=False, names=()):
    """(parameters) -> result, of a function in C++."""
    args = ast.parse(f"def f{parameters}: ...").body[0].args
    told, names = sections(doc), dict(names)
    every = args.posonlyargs + args.args
    defaults = [None] * (len(every) - len(args.defaults)) + args.defaults

    def one(arg, default):
        kind = typed(arg.annotation, False) if arg.annotation else "Any"
        docs = told.get("Parameters", {}).get(arg.arg, "")
        told_kind = said(docs, names, False)
        if told_kind and (kind in VAGUE or docs.startswith("ndarray") or told_kind == f"{kind} | None"):
            kind = told_kind
        name = re.sub(r"^arg(\d)$", r"__arg\1", arg.arg)
        if default is not None and ast.unparse(default) == "None" and kind != "Any" and not kind.endswith("None"):
            kind += " | None"
        return f"{name}: {kind}" + (f" = {value(ast.unparse(default))}" if default is not None else "")
    parts = [one(*pair) for pair in zip(every, defaults)]
    if not static and parts:
        parts[0] = "self"
    parts += [f"*{args.vararg.arg}: Any"] if args.vararg else ["*"] if args.kwonlyargs else []
    parts += [one(*pair) for pair in zip(args.kwonlyargs, args.kw_defaults)]
    parts += [f"**{args.kwarg.arg}: Any"] if args.kwarg else []
    back = typed(ast.parse(result, mode="eval").body, True)
    if back in VAGUE:
        back = said(told.get("Returns", re.match(r"[^\n]*?(?= : |\Z|\n)", doc)[0]), names) or back
    return f"({', '.join(parts)}) -> {back}"


def in_python(function):
    """(parameters) -> result, of a function that the package put onto a class."""
    sign = inspect.signature(function)
    names = getattr(function, "__globals__", {})
    kinds = [p.annotation for p in sign.parameters.values()] + [sign.return_annotation]
    for name in sorted(set(re.findall(r"\b[A-Za-z_]\w*", " ".join(k for k in kinds if isinstance(k, str))))):
        if name in names and not inspect.ismodule(found := names[name]):
            alias = not inspect.isclass(found) and not hasattr(typing, name)
            imports.setdefault(names["__name__"], set()).add(name) if alias else needs(name, found)
    strip = [p.replace(default=p.empty) if p.default is p.empty else p.replace(default=Shown(value(repr(p.default))))
             for p in sign.parameters.values()]
    text = str(sign.replace(parameters=strip)).replace("'", "").replace("\0", "'")
    return text if "->" in text else text + " -> Any"


class Shown:
    def __init__(self, text):
        self.text = text.replace("'", "\0")

    def __repr__(self):
        return self.text


def documented(doc, indent):
    doc = "" if re.match(r"\w+\(.*\) -> ", doc or "") else inspect.cleandoc(doc or "").replace("\\", "\\\\").replace('"""', "'''")
    if not doc:
        return " ...\n"
    lines = [indent + line if line else "" for line in f'"""{doc}'.split("\n")]
    end = f'\n{indent}"""' if len(lines) > 1 or doc.endswith('"') else '"""'
    return "\n" + "\n".join(lines) + end + "\n"


def functions(name, what, indent="", static=False, names=()):
    head = f"{indent}@staticmethod\n" if static and indent else ""
    if inspect.isfunction(what):
        return f"{head}{indent}def {name}{in_python(what)}:{documented(what.__doc__, indent + '    ')}"
    every = overloads(what.__doc__)
    head = (f"{indent}@overload\n" if len(every) > 1 else "") + head
    return "".join(f"{head}{indent}def {name}{signature(*one, static=static or not indent, names=names)}:"
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
    words = sorted({n for n in ("Any", "Callable", "ClassVar", "Iterable", "Iterator", "Mapping", "NamedTuple", "NoReturn", "Optional", "Sequence",
                                 "Union", "overload") if re.search(rf"\b{n}\b", body)})
    modules = "".join(f"import {m}\n" for m in ("enum", "os", "pathlib") if re.search(rf"\b{m}\.", body))
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
