"""Types for python/saltus/_core.pyi, in the words of typing.

They are those of pybind11's signatures. Where these say only `object`, `list`, `tuple` or `dict`, what the docstring says decides,
if it is of the words of `said` below: "Factor or None : ...", "list of str : ...", "p : ndarray, shape (rows,)".
"""
import ast
import inspect
import re
import typing

from saltus import _core

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
            dtype = "np.bool_" if dtype == "bool" else dtype
            return f"npt.NDArray[{dtype}]" if given else "npt.ArrayLike"
        if head in ("int", "float", "bool"):  # float[3] in List[float[3]]: std::array
            return head
        parts = [typed(one, given) for one in (inner.elts if isinstance(inner, ast.Tuple) else [inner])]
        if head == "Optional":
            return f"{parts[0]} | None"
        names = {"List": ("Sequence", "list"), "Dict": ("Mapping", "dict"), "Tuple": ("tuple", "tuple"), "Set": ("set", "set")}
        return f"{names[head][given]}[{', '.join(parts)}]"
    raise SystemExit(f"no type of Python for {text!r}: its binding must name one")


def said(text, names={}, given=True):
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
    text = re.sub(r"array\(\[.*?\]\)", "...", text, flags=re.S)
    if "Overloaded function." in text:
        return [overloads(part)[0] for part in re.split(r"^\d+\. ", text, flags=re.M)[1:]]
    match = re.match(r"\w*(\(.*\)) -> (\S.*)\n?", text)
    if not match:
        return [("(*args, **kwargs)", "object", inspect.cleandoc(text))]
    return [(match[1], match[2], inspect.cleandoc(text[match.end():]))]


def signature(parameters, result, doc, static=False):
    """(parameters) -> result, of a function in C++."""
    args = ast.parse(f"def f{parameters}: ...").body[0].args
    told = sections(doc)
    every = args.posonlyargs + args.args
    defaults = [None] * (len(every) - len(args.defaults)) + args.defaults

    def one(arg, default):
        kind = typed(arg.annotation, False) if arg.annotation else "Any"
        docs = told.get("Parameters", {}).get(arg.arg, "")
        told_kind = said(docs, {}, False)
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
        back = said(told.get("Returns", re.match(r"[^\n]*?(?= : |\Z|\n)", doc)[0])) or back
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
