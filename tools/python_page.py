#!/usr/bin/env python3
"""docs/reference/python.md, made of the docstrings and signatures of the package `saltus`.

    PYTHONPATH=build/release/python tools/python_page.py            writes the page
    PYTHONPATH=build/release/python tools/python_page.py --check    says what is missing: names, docstrings, arguments

Signatures of the compiled part are those of python/saltus/_core.pyi (tools/stubs.py), which comes first after a change.
"""
import ast
import importlib
import inspect
import pathlib
import re
import sys
import textwrap

import saltus

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "docs" / "reference" / "python.md"
SECTION = re.compile(r"^(Parameters|Attributes|Returns|Raises|Examples)\n-+\n", re.M)

# Every public name has its place here; "_model.Pair" is a class that is met in results and not made by hand.
TOPICS = [
    ("Scenes", "Scene"),
    ("Models", "Model Group _model.Pair _model.Side _model.LawOfModel _model.Joint _model.ProbeOfModel"),
    ("Models in code", "make_scene ModelParts Point Shape scheme law contact surface coupling output dynamics_of linear modal "
     "with_scheme with_dynamics read_gmsh write_gmsh"),
    ("Simulation", "Simulation State StepReport RunReport GroupView BodyView Contacts Progress _simulation.Energies "
     "_simulation.Held _simulation.JointLoad _simulation.Coordinate _simulation.ContactSeen"),
    ("Runs and results", "run Results Body Joint Sound Page Comparison RunWarning"),
    ("Study and sweep", "study Study StudyScheme StudyRun sweep Sweep"),
    ("Schemes of your own", "Scheme Trial GroupState StepWork Stage Level Rows PassLimits Prepared RoundOff outstanding_change "
     "book_sources curvature"),
    ("Bodies of your own", "Dynamics Trait Combination Factor Operator SparseMatrix SparseRows Energy PointRef PointTable Source "
     "Rayleigh RigidData ModalData"),
    ("Contact problems", "solve residual contact_laws Solution ContactProblem Law Delassus ContactMeasures solver ContactSolver "
     "Limits SolveReport Attempt SolverMemory read_fclib write_fclib FclibProblem"),
    ("Registries", "schemes kinds laws solvers describe schema built _registry.Registry _registry.Row _registry.Option "
     "_registry.Built _registry.Description"),
    ("Errors", "Error SceneError RunError UsageError"),
]
MODULES = ("bodies", "joints", "shapes")  # one function a kind, with the entries of the scene
HEAD = """# Python

After this page you know every class and function of the package `saltus`, its arguments, shapes, units and errors. The page is
made of the docstrings by [tools/python_page.py](../../tools/python_page.py), and a test compares the two; `help(saltus.run)` shows
the same. [Script it in Python](../howto/python.md) shows them at work. Numbers are in SI units, arrays are those of NumPy.

"""


class Stub:
    """The signatures of python/saltus/_core.pyi."""

    tree = {node.name: node for node in ast.parse((ROOT / "python" / "saltus" / "_core.pyi").read_text()).body
            if isinstance(node, (ast.ClassDef, ast.FunctionDef))}

    @staticmethod
    def written(node, name):
        """name(arguments) -> result."""
        args = ast.unparse(node.args)
        args = re.sub(r"^self(: \w+)?(, )?", "", args)
        back = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__init__" else ""
        return f"{name}({args}){back}".replace("npt.NDArray[np.float64]", "ndarray").replace("npt.ArrayLike", "array")

    @classmethod
    def arguments(cls, node):
        every = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
        return [one.arg for one in every if one.arg != "self"]


def found(name):
    return getattr(importlib.import_module("saltus." + name.split(".")[0]) if "." in name else saltus, name.split(".")[-1])


def public():
    return sorted(name for name, what in vars(saltus).items() if not name.startswith("_") and not inspect.ismodule(what))


def shown(function, name):
    """name(arguments) -> result of a function in Python."""
    sign = inspect.signature(function)
    every = [one for one in sign.parameters.values() if one.name != "self"]
    text = str(sign.replace(parameters=every)).replace("'", "").replace("np.ndarray", "ndarray")
    return name + text.replace(" -> None", "") if name[0].isupper() and "." not in name else name + text


def members(kind):
    """(properties, methods): [(name, type, docstring)], [(name, signature, arguments, docstring)]."""
    properties, methods, stub = [], [], Stub.tree.get(kind.__name__) if kind.__module__ in ("saltus._core", "saltus") else None
    if stub:
        told = ast.get_docstring(stub) or ""
        for node in stub.body:
            if isinstance(node, ast.AnnAssign) and not node.target.id.startswith("_"):
                properties.append((node.target.id, ast.unparse(node.annotation), attribute(told, node.target.id)))
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            kinds = [ast.unparse(one) for one in node.decorator_list]
            doc = ast.get_docstring(node) or ""
            if "property" in kinds:
                back = ast.unparse(node.returns).replace("npt.NDArray[np.float64]", "ndarray")
                properties.append((node.name, back, doc or attribute(told, node.name)))
            elif f"{node.name}.setter" not in kinds:
                methods.append((node.name, Stub.written(node, f"{kind.__name__}.{node.name}" if "staticmethod" in kinds else node.name),
                                Stub.arguments(node), doc))
        return properties, methods
    hints = {} if hasattr(kind, "__slots__") and not hasattr(kind, "_fields") else kind.__dict__.get("__annotations__", {})
    for name, hint in hints.items():
        if not name.startswith("_"):
            properties.append((name, str(hint).replace("np.ndarray", "ndarray"), attribute(kind.__doc__ or "", name)))
    for name, what in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(what, property):
            back = what.fget.__annotations__.get("return", "")
            properties.append((name, str(back).replace("np.ndarray", "ndarray"), inspect.getdoc(what) or ""))
        elif inspect.isfunction(what) or isinstance(what, (staticmethod, classmethod)):
            function = what if inspect.isfunction(what) else what.__func__
            methods.append((name, shown(function, name), [one for one in inspect.signature(function).parameters if one != "self"],
                            inspect.getdoc(function) or ""))
    return properties, methods


def attribute(doc, name):
    """What the docstring of a class says about an attribute."""
    for names, kind, text in re.findall(r"^([\w, ]+) : (.*)\n((?: +.*\n?)*)", inspect.cleandoc(doc) + "\n", re.M):
        if name in names.split(", "):
            return " ".join(text.split()) or kind
    return " ".join(re.findall(rf"(?:^|   )(?:\w+, )*{name}(?:, \w+)* : (.*?)(?=   |$)", doc, re.M)[:1])


def prose(text):
    """Text for Markdown: what it would read as a mark is escaped, code stays."""
    parts = re.split(r"(``[^`]*``|`[^`]*`)", text)
    parts[::2] = [re.sub(r"([*|<])", r"\\\1", part).replace("](", r"]\(") for part in parts[::2]]
    return "".join(parts)


def block(text):
    """Paragraphs; what is indented or an example stays as it is."""
    out = []
    for part in re.split(r"\n\n+", text.strip("\n")):
        lines = part.split("\n")
        if lines[0].startswith("    "):
            out.append(part)
        elif lines[0].startswith(">>>"):
            out.append(textwrap.indent(part, "    "))
        else:
            cut = next((k for k, line in enumerate(lines) if k and line.startswith("    ")), len(lines))
            out.append("\n".join(prose(line) for line in lines[:cut]))
            out += ["\n".join(lines[cut:])] if cut < len(lines) else []
    return "\n\n".join(out)


def rows(text, section):
    """A list of what stands in a section."""
    out = ""
    for row in re.findall(r"^\S.*(?:\n(?: .*)?(?=\n|\Z))*", text, re.M):
        head, _, rest = row.partition("\n")
        name, _, kind = head.partition(" : ")
        rest = prose(" ".join(rest.split()))
        label = f"`{name}`" + (f" ({prose(kind)})" if kind else "") if section != "Returns" else prose(kind or name)
        out += f"- {label}{': ' + rest if rest else ''}\n"
    return out


def markdown(doc):
    doc = inspect.cleandoc(doc or "")
    parts = SECTION.split(doc)
    text = block(parts[0]) + "\n"
    for section, body in zip(parts[1::2], parts[2::2]):
        after = re.search(r"\n\n(?=\S)(?!.*\n    )", body) if section != "Examples" else None  # prose behind the last section
        body, rest = (body[:after.start()], body[after.end():]) if after else (body, "")
        listed = block(body) + "\n" if section == "Examples" else rows(body, section)
        text += f"\n**{section}**\n\n{listed}" + (f"\n{block(rest)}\n" if rest else "")
    return text.lstrip("\n")


def code(text):
    return "\n".join("    " + line for line in textwrap.wrap(text, 108, subsequent_indent="    ", break_on_hyphens=False,
                                                              break_long_words=False)) + "\n\n"


def entry(name):
    what, last = found(name), name.split(".")[-1]
    text = f"\n### {last}\n\n"
    if not inspect.isclass(what):
        stub = Stub.tree.get(last) if not inspect.isfunction(what) else None
        return text + code(Stub.written(stub, last) if stub else shown(what, last)) + markdown(what.__doc__)
    made = next((node for node in Stub.tree[last].body if getattr(node, "name", "") == "__init__"), None) \
        if what.__module__ == "saltus._core" else None
    if made and "NoReturn" not in ast.unparse(made):
        text += code(Stub.written(made, last))
    doc = inspect.cleandoc(what.__doc__ or "")
    properties, methods = members(what)
    if properties:  # which take in what the section says
        doc = re.sub(r"^Attributes\n-+\n(.*\n?)*?(?=\n\S.*\n-+\n|\Z)", "", doc, flags=re.M)
    text += markdown(doc)
    if properties:
        text += "\n**Attributes**\n\n"
        for one, kind, told in properties:
            told = " ".join(re.sub(r"^[\w ,().]{1,40} : ", "", told).split())
            text += f"- `{one}` ({prose(kind)}){': ' + prose(told) if told else ''}\n"
    for one, sign, _, told in methods:
        text += f"\n#### {last}.{one}\n\n" + code(sign) + markdown(told)
    return text


def page():
    text = HEAD
    for title, names in TOPICS:
        links = ", ".join(f"[`{n.split('.')[-1]}`](#{n.split('.')[-1].lower()})" for n in names.split())
        text += f"- [{title}](#{title.lower().replace(' ', '-')}): {links}\n"
    text += "- [Entries](#entries): " + ", ".join(f"`{name}`" for name in MODULES) + "\n"
    for title, names in TOPICS:
        text += f"\n## {title}\n" + "".join(entry(name) for name in names.split())
    text += "\n## Entries\n\nFunctions for the entries of a scene: `saltus.bodies.rigid(\"ball\", mass=1.0, ...)`. Their arguments are the\n" \
            "entries that [the scene format](scene.md) has under that kind; `help(saltus.bodies.rigid)` lists them. Those without\n" \
            "which it cannot be are shown.\n\n| function | what it makes |\n|---|---|\n"
    for module in MODULES:
        for name in getattr(saltus, module).__all__:
            function = getattr(getattr(saltus, module), name)
            needed = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty and p.kind != p.VAR_KEYWORD]
            text += f"| `{module}.{name}({', '.join(needed + ['...'])})` | {prose(function.__doc__.split(chr(10))[0])} |\n"
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in text.split("\n")))


def faults():
    """What is not documented: names without a place, docstrings and arguments that are not there."""
    placed = [name for _, names in TOPICS for name in names.split()]
    out = [f"{name} has no topic in tools/python_page.py" for name in public() if name not in placed]
    out += [f"{name} is there no more" for name in placed if "." not in name and name not in public()]
    for name in placed:
        what = found(name)
        if not (what.__doc__ or "").strip():
            out.append(f"{name} has no docstring")
        if not inspect.isclass(what):
            stub = Stub.tree.get(name) if not inspect.isfunction(what) else None
            args = Stub.arguments(stub) if stub else list(inspect.signature(what).parameters)
            out += [f"{name}: {arg} is not in its docstring" for arg in args if not re.search(rf"\b{arg}\b", what.__doc__ or "")]
            continue
        properties, methods = members(what)
        out += [f"{name}.{one} is not documented" for one, _, told in properties if not told]
        out += [f"{name}.{one} has no docstring" for one, _, _, told in methods if not told]
        out += [f"{name}.{one}: {arg} is in no docstring" for one, _, args, told in methods for arg in args
                if told and not re.search(rf"\b{arg}\b", told + (what.__doc__ or ""))]
    return out


if __name__ == "__main__":
    if "--check" in sys.argv:
        print("\n".join(faults()))
        sys.exit(1 if faults() else 0)
    FILE.write_text(page(), encoding="utf-8")
