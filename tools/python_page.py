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

import saltus
from doc_text import attribute, code, markdown, prose, untyped
from stub_types import in_python

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "docs" / "reference" / "python.md"

# Every public name has its place here; "_model.Pair" is a class that is met in results and not made by hand.
TOPICS = [
    ("Scenes", "Scene"),
    ("Models", "Model Group _model.Pair _model.Side _model.LawOfModel _model.Joint _model.Actuator _model.ProbeOfModel"),
    ("Models in code", "make_scene ModelParts Point Shape scheme law contact surface coupling output dynamics_of linear modal "
     "with_scheme with_dynamics read_gmsh write_gmsh"),
    ("Simulation", "Simulation State StepReport RunReport GroupView BodyView Contacts Events Progress _simulation.Energies "
     "_simulation.Held _simulation.JointLoad _simulation.Coordinate _simulation.ContactSeen _control.Coordinates "
     "_control.JointDynamics Batch"),
    ("Runs and results", "run Results Body Joint Sound Page Comparison RunWarning"),
    ("Study and sweep", "study Study StudyScheme StudyRun sweep Sweep"),
    ("Schemes of your own", "Scheme Trial GroupState StepWork Stage Level Rows PassLimits Prepared RoundOff outstanding_change "
     "book_sources curvature"),
    ("Bodies of your own", "Dynamics Trait Combination Factor Operator SparseMatrix SparseRows Energy PointRef PointTable Source "
     "Rayleigh RigidData ModalData"),
    ("Laws of your own", "ContactLaw"),
    ("Contact problems", "solve residual contact_laws Solution ContactProblem Law Delassus ContactMeasures solver ContactSolver "
     "Limits SolveReport Attempt SolverMemory read_fclib write_fclib FclibProblem"),
    ("Registries", "schemes kinds laws solvers describe schema built _registry.Registry _registry.Row _registry.Option "
     "_registry.Built _registry.Description"),
    ("Errors", "Error SceneError RunError UsageError NotOfThisKind"),
]
MODULES = ("bodies", "joints", "shapes")  # one function a kind, with the entries of the scene
HEAD = """# Python

This page lists every class and function of the package `saltus`, with its arguments, shapes, units and errors. It is made
from the docstrings by [tools/python_page.py](../../tools/python_page.py), and a test compares the two; `help(saltus.run)` prints
the same text. [Script it in Python](../howto/python.md) shows how they are used. Numbers are in SI units, arrays are those of NumPy.

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
    return name + re.sub(r"^\(self(: \w+)?(, )?", "(", in_python(function)).replace("np.ndarray", "ndarray")


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
            hint = getattr(hint, "__forward_arg__", hint)
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


def entry(name):
    what, last = found(name), name.split(".")[-1]
    text = f"\n### {last}\n\n"
    if not inspect.isclass(what):
        stub = Stub.tree.get(last) if not inspect.isfunction(what) else None
        return text + code(Stub.written(stub, last) if stub else shown(what, last)) + \
            markdown(ast.get_docstring(stub) if stub else what.__doc__)
    made = next((node for node in Stub.tree[last].body if getattr(node, "name", "") == "__init__"), None) \
        if what.__module__ == "saltus._core" else None
    if made and "NoReturn" not in ast.unparse(made):
        text += code(Stub.written(made, last))
    doc = inspect.cleandoc(what.__doc__ or "").split("\n\nMembers:")[0]
    properties, methods = members(what)
    plain = []
    if properties:  # which take in what the section says, but for attributes that only objects have
        section = re.compile(r"^Attributes\n-+\n((?:.*\n?)*?)(?=\n\S.*\n-+\n|\Z)", re.M)
        known = {one for one, _, _ in properties}
        for names, kind, told in re.findall(r"^([\w, ]+?)(?: : (.*))?\n((?: +.*\n?)+|(?=\S|\Z))",
                                            "".join(section.findall(doc)) + "\n", re.M):
            if not known & set(names.split(", ")):
                plain.append((names, kind, told))
        doc = section.sub("", doc)
    text += markdown(doc)
    if properties:
        text += "\n**Attributes**\n\n"
        for names, kind, told in plain:
            text += f"- `{names}`{f' ({prose(kind)})' if kind else ''}{': ' + prose(' '.join(told.split())) if told.strip() else ''}\n"
        for one, kind, told in properties:
            better, told = untyped(" ".join(told.split()))
            kind = better or re.sub(r"ClassVar\[(\w+)\]", r"\1", kind)
            text += f"- `{one}` ({prose(kind)}){': ' + prose(told) if told else ''}\n"
    for one, sign, _, told in methods:
        text += f"\n#### {last}.{one}\n\n" + code(sign) + markdown(untyped(told)[1])
    return text


def anchors(text):
    """Where the headings of a text can be reached, in order, as GitHub names them."""
    seen, out = {}, []
    for title in re.findall(r"^#+ (.*)$", text, re.M):
        slug = re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        seen[slug] = seen.get(slug, -1) + 1
        out.append((title, slug + (f"-{seen[slug]}" if seen[slug] else "")))
    return out


def page():
    text = ""
    for title, names in TOPICS:
        text += f"\n## {title}\n" + "".join(entry(name) for name in names.split())
    places = iter(anchors(HEAD + text)[1:])
    index = ""
    for title, names in TOPICS:
        index += f"- [{title}](#{next(at for heading, at in places if heading == title)}): "
        index += ", ".join(f"[`{n}`](#{next(at for heading, at in places if heading == n)})"
                           for n in (name.split(".")[-1] for name in names.split())) + "\n"
    text = HEAD + index + "- [Entries](#entries): " + ", ".join(f"`{name}`" for name in MODULES) + "\n" + text
    text += "\n## Entries\n\nFunctions for the entries of a scene: `saltus.bodies.rigid(\"ball\", mass=1.0, ...)`. Their arguments are the\n" \
            "entries that [the scene format](scene.md) has under that kind; `help(saltus.bodies.rigid)` lists them. Those without\n" \
            "which it cannot be are shown.\n\n| function | what it makes |\n|---|---|\n"
    for module in MODULES:
        for name in getattr(saltus, module).__all__:
            function = getattr(getattr(saltus, module), name)
            needed = [one.name for one in inspect.signature(function).parameters.values()
                      if one.default is one.empty and one.kind != one.VAR_KEYWORD]
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
        made = [node for node in getattr(Stub.tree.get(name), "body", []) if getattr(node, "name", "") == "__init__"]
        out += [f"{name}: {arg} is not in its docstring" for node in made for arg in Stub.arguments(node)
                if not re.search(rf"\b{arg}\b", what.__doc__) and arg not in [one for one, _, _ in properties]]
        plain = issubclass(what, tuple) or hasattr(what, "__members__")  # the docstring of the class is about all of them
        out += [f"{name}.{one} is not documented" for one, _, told in properties if not told and not plain]
        out += [f"{name}.{one} has no docstring" for one, _, _, told in methods if not told]
        out += [f"{name}.{one}: {arg} is in no docstring" for one, _, args, told in methods for arg in args
                if told and not re.search(rf"\b{arg}\b", told + (what.__doc__ or ""))]
    return out


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit("\n".join(faults()) or 0)
    FILE.write_text(page(), encoding="utf-8")
