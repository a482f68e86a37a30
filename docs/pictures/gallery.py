#!/usr/bin/env python3
# Makes docs/gallery.md and its pictures docs/pictures/gallery_*.png: runs the examples, opens their pages in headless
# Chromium and takes the view. Captions are the first lines of the scenes. Needs what tests/browser needs.
#
#     /usr/bin/python3 docs/pictures/gallery.py build/release/bin/saltus [NAME ...]      names: those pictures alone
#     /usr/bin/python3 docs/pictures/gallery.py --page                                   the page alone
import base64
import io
import re
import sys
import tempfile
import textwrap
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
WIDTH, HEIGHT = 760, 520

GLASS = """const o = [...document.querySelectorAll('#display label')].find(l => l.textContent.includes('Opacity')).querySelector('input');
o.value = 0.35; o.dispatchEvent(new Event('input'));"""
CLOSER = """const c = document.querySelector('canvas');
for (let i = 0; i < %d; i++) c.dispatchEvent(new WheelEvent('wheel', {deltaY: -100, bubbles: true, cancelable: true}));"""
# example: (further words of `saltus run`, moment as a share of the frames, JavaScript before the picture, turns of the wheel)
SCENES = {
    "bass_on_frets": ([], 0.06, "", 0),
    "hammer_on_string": ([], 0.1, "", 2),
    "newton_cradle": ([], 0.5, "", 2),
    "dominoes": ([], 0.6, "", 4),
    "arch": ([], 1.0, "", 4),
    "wall": (["--until", "0.3 s"], 1.0, "", 1),
    "sphere_pile": (["--until", "0.5 s"], 1.0, GLASS, 2),
    "drum": (["--until", "1 s"], 1.0, GLASS, 4),
    "euler_disk": ([], 0.3, "", 6),
    "chain_on_drum": ([], 0.45, "", 2),
    "gripper": ([], 0.4, "", 6),
    "woodpecker": (["--until", "0.6 s"], 0.5, "", 0),
    "arm": ([], 0.5, "", 5),
    "soft_stack": (["--set", "results.stress=true"], 0.5, "", 1),
    "rubber_ball": ([], 0.45, "", 0),
    "fishing_rod": ([], 0.85, "", 2),
}

HEAD = """# Gallery

This page shows the motion of the examples and helps you to choose a scene to start from.

Each picture is the view of the page that `saltus report` writes for the run, or its plots; arrows are contact forces. The text is the first
comment of the scene. Page and pictures are made by [gallery.py](pictures/gallery.py).
"""


def described(example):
    """(title, first paragraph) of a scene."""
    text = (ROOT / "examples" / f"{example}.yaml").read_text(encoding="utf-8")
    lines = re.match(r"(?:#.*\n)+", text)[0].splitlines()
    rest = [line[1:].strip() for line in lines]
    words = " ".join(rest[:rest.index("")] if "" in rest else rest)
    return re.search(r"^title: (.*)$", text, re.M)[1].strip("'\""), words


def page():
    text = HEAD
    for example in SCENES:
        title, words = described(example)
        words += f" Scene: [{example}.yaml](../examples/{example}.yaml)."
        words = textwrap.fill(words, 120, break_long_words=False, break_on_hyphens=False)
        text += f"\n## {title}\n\n![{title}](pictures/gallery_{example}.png)\n\n{words}\n"
    return text


def pictures(binary, names):
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT / "tests" / "browser"))
    from PIL import Image
    from page import Page, chromium
    from runs import Saltus

    for name in names:
        words, share, script, closer = SCENES[name]
        with tempfile.TemporaryDirectory() as folder, chromium(WIDTH, HEIGHT) as driver:
            saltus = Saltus(Path(binary).resolve(), folder)
            file, _ = saltus.report(saltus.run(ROOT / "examples" / f"{name}.yaml", *words))
            shown = Page(driver, file.as_uri())
            driver.execute_script(script + CLOSER % closer)
            frames = driver.execute_script("return Number(document.getElementById('scrub').max)")
            shown.go_to(round(share * frames))
            shown.drawn(5)
            png = base64.b64decode(shown.ask("screenshot()").partition(",")[2])
            if not png:  # bodies without a place in space: the plots
                png = driver.get_screenshot_as_png()
            file = FOLDER / f"gallery_{name}.png"
            Image.open(io.BytesIO(png)).convert("RGB").quantize(48).save(file, optimize=True)
            print(name, file.stat().st_size, "bytes", flush=True)


if __name__ == "__main__":
    if sys.argv[1] != "--page":
        pictures(sys.argv[1], sys.argv[2:] or list(SCENES))
    (ROOT / "docs" / "gallery.md").write_text(page(), encoding="utf-8")
