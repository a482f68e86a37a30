#!/usr/bin/env python3
"""docs/reference/command.md, made of what `saltus VERB --help` prints.

    tools/command_page.py [BINARY] > docs/reference/command.md      BINARY: build/release/bin/saltus

Run it after a change of the command line; a test compares the page with the program.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The page to read about a verb, from docs/reference. A verb without an entry stands in the table alone.
MORE = {
    "run": "[first steps](../first_steps.md)",
    "check": "[first steps](../first_steps.md#3-change-a-scene-without-editing-it)",
    "study": "[choose scheme and step](../howto/choose_scheme_and_step.md)",
    "sweep": "[sweeps](../howto/sweep.md)",
    "solve": "[solve contact problems](../howto/solve_contact_problems.md)",
    "info": "[results files](results.md)",
    "report": "[see and hear](../howto/see_and_hear.md)",
    "view": "[see and hear](../howto/see_and_hear.md#in-the-browser-from-the-machine-that-ran-it)",
    "compare": "[conventions](../conventions.md#what-bit-identical-means-here)",
    "convert": "[first steps](../first_steps.md#2-look-into-the-results)",
    "import": "[import a robot](../howto/import_urdf.md)",
    "describe": "[scene format](scene.md)",
    "new": "[first steps](../first_steps.md#4-write-your-own)",
    "schema": "[scene format](scene.md)",
}

HEAD = """# Command

This page lists every verb of the command `saltus`, with its arguments and options. It is made from
`saltus VERB --help` by [tools/command_page.py](../../tools/command_page.py), and a test compares the two.

`saltus` alone prints a summary, `saltus --help` too; `saltus --version` prints version, commit and compiler. In a
checkout, `./run VERB ...` builds first and then is `saltus VERB ...`. Exit codes: [first steps](../first_steps.md#exit-codes).

"""

LINE = re.compile(r"^  (\S.*?)(?:(?:\s{2,}|(?<=\]) (?!Needs|Excludes))(.*))?$")


def printed(binary, *words):
    return subprocess.run([binary, *words], check=True, capture_output=True, text=True).stdout


def verbs(binary):
    """Names in the order of `saltus --help`; those of "also ..." lines appear once."""
    return list(dict.fromkeys(re.findall(r"^  saltus ([a-z]+)", printed(binary, "--help"), re.M)))


def parts(text):
    """(first line, usage, {heading: [(how it is written, what it means)]}) of the help of a verb."""
    lines = text.splitlines()
    usage = next(line for line in lines if line.startswith("Usage:"))[len("Usage: "):]
    tables, rows = {}, None
    for line in lines:
        if re.match(r"^[A-Z][A-Za-z ]*:$", line):
            rows = tables.setdefault(line[:-1], [])
        elif rows is not None and line.startswith(" " * 10) and rows:
            name, meaning = rows[-1]
            rows[-1] = (name, (meaning + " " + line.strip()).strip())
        elif rows is not None and (match := LINE.match(line)):
            rows.append((match[1], match[2] or ""))
    return lines[0], usage, tables


def bounds(name):
    """CLI11 writes conditions after the name: "--levels N:INT in [1 - 20] Excludes: --steps"."""
    name = name.replace(" REQUIRED", "")
    name, notes = re.sub(r":INT in \[(.*?) - (.*?)\]", "", name), re.findall(r":INT in \[(.*?) - (.*?)\]", name)
    told = [f"{low} to {high}" for low, high in notes]
    for word, meaning in ((":POSITIVE", "> 0"), (":NONNEGATIVE", ">= 0")):
        if word in name:
            name, told = name.replace(word, ""), told + [meaning]
    for word, meaning in (("Needs", "only with"), ("Excludes", "not with")):
        if match := re.search(rf" {word}: ((?:--\S+ ?)+)", name):
            name = name.replace(match[0], " ").strip()
            told.append(f"{meaning} " + " or ".join(f"`{other}`" for other in match[1].split()))
    return name, told


def page(binary):
    text = HEAD + "| verb | what it does | more |\n|---|---|---|\n"
    helps = {verb: parts(printed(binary, verb, "--help")) for verb in verbs(binary)}
    for verb, (what, _, _) in helps.items():
        text += f"| [`{verb}`](#{verb}) | {what} | {MORE.get(verb, '')} |\n"
    for verb, (what, usage, tables) in helps.items():
        text += f"\n## {verb}\n\n{what[0].upper()}{what[1:]}.\n\n    {usage}\n"
        rows = [(*row, heading) for heading, table in tables.items() for row in table if not row[0].startswith("-h,")]
        if rows:
            text += "\n| argument or option | meaning |\n|---|---|\n"
        for name, meaning, heading in rows:
            required = " REQUIRED" in name and heading == "Options"
            name, told = bounds(name)
            told = (["required"] if required else []) + told
            if heading == "Positionals":
                name = name.split()[0] + (" ..." if " ..." in name else "")
            else:
                name = name.replace(",", "`, `", 1) if re.match(r"-\w,", name) else name
            meaning = meaning.replace("|", "\\|").replace("<", "\\<")
            text += f"| `{name}` | {meaning}{' (' + ', '.join(told) + ')' if told else ''} |\n"
    return text


if __name__ == "__main__":
    sys.stdout.write(page(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "release" / "bin" / "saltus"))
