#!/usr/bin/env python3
# Makes the pictures docs/pictures/viewer_*.png of docs/howto/see_and_hear.md: runs the examples, opens their pages in
# headless Chromium. Needs what tests/browser needs.
#
#     /usr/bin/python3 docs/pictures/viewer.py build/release/bin/saltus [NAME ...]
import json
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER.parent.parent / "tests" / "browser"))
from page import REPOSITORY, Page, chromium  # noqa: E402
from runs import Saltus  # noqa: E402

SHOW = "[...document.querySelectorAll('[role=tab]')].find(t => t.innerText === '%s').click();"
NO_PLANES = """[...document.querySelectorAll('#display label')].find(l => l.innerText.trim() === 'Planes').querySelector('input').click();"""
GLASS = """const o = [...document.querySelectorAll('#display label')].find(l => l.textContent.includes('Opacity')).querySelector('input');
o.value = 0.35; o.dispatchEvent(new Event('input'));"""
# name: (example, further words of `saltus run`, moment as a share of the frames, width, height, JavaScript before)
PICTURES = {
    "pile": ("sphere_pile", ["--until", "0.5 s"], 1.0, 1000, 640, NO_PLANES + GLASS),
    "stress": ("soft_stack", ["--set", "results.stress=true"], 0.5, 1000, 640, ""),
    "sound": ("bass_on_frets", [], 0.06, 1000, 640, SHOW % "Sound"),
    "mechanism": ("arm", [], 0.3, 1000, 640, ""),
    "plots": ("dragged_slider", [], 0.45, 1000, 640, "document.querySelector('.plots .plot:last-of-type').scrollIntoView(false);"),
    "phone": ("dominoes", [], 0.5, 390, 844, ""),
}


def main():
    chosen = sys.argv[2:] or list(PICTURES)
    with tempfile.TemporaryDirectory() as folder:
        saltus = Saltus(Path(sys.argv[1]).resolve(), folder)
        for name in chosen:
            example, words, share, width, height, script = PICTURES[name]
            page, _ = saltus.report(saltus.run(REPOSITORY / "examples" / f"{example}.yaml", *words))
            with chromium(width, height) as driver:
                shown = Page(driver, page.as_uri())
                frames = driver.execute_script("return Number(document.getElementById('scrub').max)")
                driver.execute_script(script)
                shown.go_to(round(share * frames))
                shown.drawn(5)
                png = driver.get_screenshot_as_png()
                (FOLDER / f"viewer_{name}.png").write_bytes(png)
                print(name, len(png), "bytes, frame", shown.ask("frame()"), "time", shown.ask("time()"), json.dumps(shown.ask("counts()")))
                shown.clean()


if __name__ == "__main__":
    main()
