"""Docstrings in the style of NumPy as Markdown."""
import inspect
import re
import textwrap

SECTION = re.compile(r"^(Parameters|Attributes|Returns|Raises|Examples)\n-+\n", re.M)


TYPED = re.compile(r"^(?:([\w ,().]{1,40}) : |((?:str|int|float|bool|array|list|dict|tuple|bytes|mapping)\b[^:\n]{0,60}|[A-Z]\w+(?=: )): )")


def attribute(doc, name):
    """What the docstring of a class says about an attribute, in a section of NumPy's style."""
    for names, kind, text in re.findall(r"^([\w, ]+?)(?: : (.*))?\n((?: +.*\n?)+|(?=\S|\n))", inspect.cleandoc(doc) + "\n", re.M):
        if name in names.split(", "):
            return " ".join(text.split()) or kind
    return ""


def untyped(text):
    """(type, text) of a docstring that begins with a type: "float : the step [s].", "array (rows,): ends of the steps [s]."."""
    match = TYPED.match(text)
    return ((match[1] or match[2]), text[match.end():]) if match else ("", text)


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
        after = re.search(r"\n\n(?=\S)(?!.*\n    )", body) if section != "Examples" else None  # prose after the last section
        body, rest = (body[:after.start()], body[after.end():]) if after else (body, "")
        listed = block(body) + "\n" if section == "Examples" else rows(body, section)
        text += f"\n**{section}**\n\n{listed}" + (f"\n{block(rest)}\n" if rest else "")
    return text.lstrip("\n")


def code(text):
    return "\n".join("    " + line for line in textwrap.wrap(text, 108, subsequent_indent="    ", break_on_hyphens=False,
                                                              break_long_words=False)) + "\n\n"
