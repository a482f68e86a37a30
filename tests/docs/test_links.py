#!/usr/bin/env python3
# No dead link and no dead anchor in any page of the repository. Links into the web are looked at, not followed.
import re
import subprocess
import unittest
import urllib.parse

import mdtext
import support
from support import ROOT

TEXTS = {page: page.read_text(encoding="utf-8") for page in support.pages()}


def ignored(paths):
    """Those that git does not keep: a link to them is dead for everybody else."""
    try:
        told = subprocess.run(["git", "-C", ROOT, "check-ignore", "--stdin"], input="\n".join(paths), capture_output=True, text=True)
    except FileNotFoundError:
        return set()
    return set(told.stdout.splitlines())


def fault(page, target, texts):
    """What is wrong with a link of this page, "" if nothing is."""
    if re.match(r"[a-z][a-z+.-]*:", target):
        url = urllib.parse.urlsplit(target)
        return "" if url.scheme in ("http", "https") and "." in url.netloc else "no address of the web"
    path, _, anchor = urllib.parse.unquote(target).partition("#")
    if path.startswith("/"):
        return "starts at the root of a disk"
    file = (page.parent / path).resolve() if path else page
    if not file.is_relative_to(ROOT):
        return "leaves the repository"
    if not file.exists():
        return "there is no such file"
    if anchor:
        text = texts.get(file) or file.read_text(encoding="utf-8")
        if file.suffix != ".md" or anchor not in mdtext.anchors(text):
            return f"there is no heading #{anchor}"
    return ""


class Links(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        faults, targets = [], {}
        for page, text in TEXTS.items():
            for line, target in mdtext.links(text):
                where = f"{page.relative_to(ROOT)}:{line}: {target}"
                wrong = fault(page, target, TEXTS)
                if wrong:
                    faults.append(f"{where}: {wrong}")
                elif not re.match(r"[a-z][a-z+.-]*:", target) and not target.startswith("#"):
                    path = (page.parent / urllib.parse.unquote(target).partition("#")[0]).resolve()
                    targets.setdefault(str(path.relative_to(ROOT)), where)
        faults += [f"{targets[path]}: is not kept in the repository" for path in ignored(targets)]
        self.assertGreater(len(targets), 200)
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_dead_links_are_found(self):
        page = ROOT / "README.md"
        texts = {page: "# A head\n\n## A head\n", ROOT / "docs" / "index.md": "# Other `names`, and more\n"}
        good = ["docs/index.md", "docs/index.md#other-names-and-more", "#a-head-1", "docs", "https://example.org/a#b"]
        bad = ["docs/gone.md", "docs/index.md#gone", "#a-head-2", "/docs/index.md", "../other", "https://nowhere", "ftp://a.b/c",
               "LICENSE#terms"]
        for target in good:
            self.assertEqual(fault(page, target, texts), "", target)
        for target in bad:
            self.assertNotEqual(fault(page, target, texts), "", target)

    def test_links_are_found_as_a_reader_sees_them(self):
        text = "a [b](c.md) ![d](e.png \"f\") [g\nh](i.md#j) `[no](k.md)` [`l`](m.md)\n\n```sh\n[no](n.md)\n```\n\n    [no](o.md)\n[p]: q.md\n"
        self.assertEqual(sorted(target for _, target in mdtext.links(text)), ["c.md", "e.png", "i.md#j", "m.md", "q.md"])


if __name__ == "__main__":
    unittest.main()
