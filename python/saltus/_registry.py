"""Registries: schemes, kinds of bodies, laws, solvers, and every entry of a scene."""
from __future__ import annotations

import json
from typing import Any, NamedTuple

from . import _core
from ._core import UsageError
from ._fixed import Fixed
from ._table import table

TOPICS = ("schemes", "bodies", "laws", "solvers", "options", "scene")


class Option(NamedTuple):
    """An option: its values, with unit and range, and its default."""

    key: str
    value: str
    default: str
    help: str
    required: bool


class Row(Fixed):
    """One entry of a registry.

    Attributes
    ----------
    name, summary : str
    options : list of Option
    facts : dict of str
        Further properties, also available as attributes: `order`, `needs`, ... of schemes, `handles` of solvers,
        `references`, keys of the bibliography.
    """

    def __init__(self, name: str, summary: str, options: Any = (), **facts: str) -> None:
        self._set(name=name, summary=summary, options=list(options), facts=facts)

    def __repr__(self) -> str:
        return f"<{self.name}: {self.summary}>"

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self.__dict__.get("facts", ()):
            return self.facts[name]
        raise AttributeError(f"{self.__dict__.get('name', 'Row')} has no {name!r}")

    def _repr_html_(self) -> str:
        return table(["option", "value", "default", "help"],
                     [[one.key, one.value, "required" if one.required else one.default, one.help]
                      for one in self.options],
                     self.name, self.summary, most=100)


class Registry(list):
    """A list of rows, which can also be indexed by name."""

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        for row in self:
            if row.name == key:
                return row
        raise KeyError(f"no {key!r}: there are {', '.join(row.name for row in self)}")

    def _repr_html_(self) -> str:
        return table(["name", "what it is", "references"],
                     [[row.name, row.summary, row.facts.get("references", "")] for row in self], most=100)


def _options(topic: str) -> dict:
    if topic == "solvers":
        return {}
    return {one["name"]: [Option(o["key"], o["value"], o["default"], o["help"], o["required"])
                          for o in one["options"]]
            for one in json.loads(_core._options(topic, "json"))}


def _registry(topic: str) -> Registry:
    options = _options(topic)
    return Registry(Row(options=options.get(row["name"], ()), **row) for row in _core._rows(topic))


def schemes() -> Registry:
    """The time integrators, with their options and the traits they need."""
    return _registry("schemes")


def kinds() -> Registry:
    """The kinds of bodies of a scene, and the schemes that can integrate them."""
    return _registry("bodies")


def laws() -> Registry:
    """The contact laws and their options."""
    return _registry("laws")


def solvers() -> Registry:
    """The contact solvers and the laws they support."""
    return _registry("solvers")


class Description(str):
    """A text that notebooks render as Markdown."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_markdown_(self) -> str:
        return str(self) if self.startswith(("|", "#")) else f"```\n{self}\n```"


def describe(topic: str, format: str = "text") -> Description:
    """Describes the registries and the option tables.

    Parameters
    ----------
    topic : {'schemes', 'bodies', 'laws', 'solvers', 'options', 'scene'}
    format : {'text', 'markdown'}

    Returns
    -------
    str
    """
    if topic not in TOPICS:
        raise UsageError(f"{topic!r} is not a topic: there are {', '.join(TOPICS)}")
    if format not in ("text", "markdown"):
        raise UsageError(f"{format!r} is not a format: there are text and markdown")
    parts = []
    rows = _core._rows(topic) if topic != "laws" else []  # laws are described by their option table
    facts = [key for key in (rows[0] if rows else ()) if key not in ("name", "summary")]
    lines = []
    if rows and format == "text":
        for row in rows:
            lines.append(f"{row['name']}: {row['summary']}")
            lines += [f"  {key:<11} {row[key]}" for key in facts if row[key]]
        parts.append("\n".join(lines))
    elif rows:
        head = ["name", "what it is"] + facts
        lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        lines += ["| `" + row["name"] + "` | " + " | ".join(row[key] for key in ["summary"] + facts) + " |"
                  for row in rows]
        parts.append("\n".join(lines))
    if topic != "solvers":
        parts.append(_core._options("scene" if topic == "options" else topic, format))
    return Description("\n\n".join(part.rstrip("\n") for part in parts))


def schema() -> dict:
    """The JSON Schema (draft 2020-12) of scenes, for editors and validators."""
    return json.loads(_core._schema())


class Built(NamedTuple):
    """Build information: version, commit of the source, compiler and its flags."""

    version: str
    commit: str
    compiler: str
    flags: str


def built() -> Built:
    """Version, commit, compiler and flags of the compiled part."""
    return Built(**_core._built)
