#!/usr/bin/env python3
# What the program can do is documented: every row of its registries, every option, every verb, every reference.
import re
import sys
import unittest

import mdtext
import support
from support import ROOT

sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "docs" / "pictures")]
import command_page  # noqa: E402
import gallery  # noqa: E402

DOCS = ROOT / "docs"
KEY = r"[A-Z][A-Za-z]+(?:1[89]|20)[0-9]{2}[a-z]?"


def part(text, heading):
    return next((body for _, title, _, body in mdtext.sections(text) if title == heading), "")


def missing_rows(topic, heading, index):
    """Rows of a registry that the index does not lead to, or whose page or section does not name them."""
    links = dict(re.findall(r"\[`([^`]+)`\]\(([^)]+)\)", part(index, heading)))
    faults = []
    for row in support.described(topic):
        name = row["name"]
        if "." in name:  # options of a law, on the page of the scene
            continue
        if name not in links:
            faults.append(f"index.md, {heading}: no link `{name}`")
            continue
        file, _, anchor = links[name].partition("#")
        text = (DOCS / file).read_text(encoding="utf-8")
        if anchor:
            text = next((body for _, _, found, body in mdtext.sections(text) if found == anchor), "")
        if name not in text:
            faults.append(f"{links[name]}: does not name {name}")
    return faults


def missing_options(entries, text):
    """Keys of the tables of options without a line under the heading of their table."""
    bodies = {title: body for _, title, _, body in mdtext.sections(text)}
    faults = []
    for entry in entries:
        body = bodies.get(f"`{entry['name']}`")
        if body is None:
            faults.append(f"no section `{entry['name']}`")
            continue
        faults += [f"`{entry['name']}`: no line for `{o['key']}`" for o in entry["options"] if f"\n| `{o['key']}` | " not in body]
    return faults


class Registries(unittest.TestCase):
    def test_the_index_leads_to_every_row_of_the_registries(self):
        index = (DOCS / "index.md").read_text(encoding="utf-8")
        faults = [f for topic in ("schemes", "bodies", "laws", "solvers") for f in missing_rows(topic, topic.capitalize(), index)]
        self.assertFalse(faults, "\n" + "\n".join(faults))
        cut = index.replace("[`fem`](theory/fem.md)", "`fem`").replace("#interior-point)", "#which-one)").replace("theory/rig-mid.md", "theory/laws.md")
        found = [f for topic in ("schemes", "bodies", "solvers") for f in missing_rows(topic, topic.capitalize(), cut)]
        self.assertEqual(len(found), 2, found)  # `interior-point` is named in the table of #which-one as well

    def test_every_scheme_has_a_page_of_its_name(self):
        for row in support.described("schemes"):
            self.assertTrue((DOCS / "theory" / f"{row['name']}.md").exists(), row["name"])


class Scenes(unittest.TestCase):
    def test_every_option_of_a_scene_has_its_line(self):
        text = (DOCS / "reference" / "scene.md").read_text(encoding="utf-8")
        entries = support.described("scene")
        self.assertGreater(sum(len(entry["options"]) for entry in entries), 500)
        faults = missing_options(entries, text)
        self.assertFalse(faults, "\n" + "\n".join(faults))
        cut = text.replace("| `restitution` | ", "| `restituton` | ", 1)
        self.assertEqual(len(missing_options(entries, cut)), 1)


class Command(unittest.TestCase):
    def test_every_verb_and_option_of_the_command_has_its_line(self):
        page = (DOCS / "reference" / "command.md").read_text(encoding="utf-8")
        verbs = command_page.verbs(support.SALTUS)
        self.assertGreater(len(verbs), 10)
        for verb in verbs:
            body = part(page, verb)
            self.assertTrue(body, verb)
            for option in re.findall(r"--[a-z][a-z-]*", support.saltus(verb, "--help").split("Options:")[-1]):
                if option != "--help":
                    self.assertIn(option, body, f"saltus {verb} {option}")
        self.assertEqual(page, command_page.page(support.SALTUS), "make it anew: tools/command_page.py > docs/reference/command.md")

    def test_a_verb_that_the_parser_knows_is_in_the_help_of_the_command(self):
        source = (ROOT / "src" / "saltus" / "app" / "main.cpp").read_text(encoding="utf-8")
        known = re.findall(r'"([a-z]+)"', re.search(r"kVerbs\[\] = \{(.*?)\}", source, re.S)[1])
        self.assertEqual(sorted(known), sorted(command_page.verbs(support.SALTUS)))


class Gallery(unittest.TestCase):
    def test_the_gallery_says_what_its_scenes_say(self):
        text = (DOCS / "gallery.md").read_text(encoding="utf-8")
        self.assertEqual(text, gallery.page(), "make it anew: docs/pictures/gallery.py --page")
        self.assertEqual({f"gallery_{name}.png" for name in gallery.SCENES},
                         {file.name for file in (DOCS / "pictures").glob("gallery_*.png")})


class References(unittest.TestCase):
    def test_every_key_that_is_cited_is_in_the_list_of_references(self):
        known = set(re.findall(r"^@\w+\{([^,\s]+),", (DOCS / "references.bib").read_text(encoding="utf-8"), re.M))
        cited = {}
        for page in support.pages():
            for number, line in mdtext.prose(page.read_text(encoding="utf-8")):
                for group in re.findall(rf"\[({KEY}(?:[,;] {KEY})*)[^\]]*\](?!\()", line):
                    cited.update({key: f"{page.relative_to(ROOT)}:{number}" for key in re.findall(KEY, group)})
        for topic in ("schemes", "solvers"):
            for row in support.described(topic):
                cited.update({key: f"describe {topic}: {row['name']}" for key in row["references"].split()})
        for file in sorted((ROOT / "src").rglob("*.*")):
            if file.suffix in (".h", ".cpp"):
                for key in re.findall(rf"\[({KEY})\]", file.read_text(encoding="utf-8")):
                    cited.setdefault(key, file.name)
        self.assertGreater(len(cited), 40)
        self.assertEqual({key: where for key, where in cited.items() if key not in known}, {})


if __name__ == "__main__":
    unittest.main()
