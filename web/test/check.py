#!/usr/bin/env python3
# Checks of the viewer in headless Chromium: /usr/bin/python3 test/check.py FOLDER [WORD]
# FOLDER: made by make_sample.mjs; WORD: only checks whose name holds it. Exit 1 if one fails.
import json
import re
import sys
import tempfile
import time
import traceback
import zipfile
from pathlib import Path

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

sys.path.insert(0, str(Path(__file__).parent))
from browser import ask, chromium, open_page, until, wait  # noqa: E402
from common import VIEWER, check, checks, clean, folder, page, pixels, texts  # noqa: E402
from server import Server  # noqa: E402


@check
def the_page_is_one_file_without_addresses():
    text = VIEWER.read_text()
    assert len(text) < 800_000, len(text)
    assert text.count("<!--saltus-data-->") == 1
    assert not re.search(r"<(?:script|link|img)[^>]+(?:src|href)=(?![\"']?data:)", text)
    assert "Permission is hereby granted" in text  # the licences of three.js and uPlot
    lock = (VIEWER.parent.parent / "package-lock.json").read_text()
    assert "registry" not in lock


@check
def blocks_play_scrub_and_step():
    with chromium() as d:
        open_page(d, page("mixed"))
        counts = ask(d, "counts()")
        assert counts["instances"] == 15 and counts["plots"] == 9 and counts["triangles"] > 100, counts
        assert ask(d, "frame()") == 0
        first = pixels(d)
        assert first[:4] == b"\x89PNG"
        ask(d, "goTo(80)")
        wait(d, 3)
        assert ask(d, "frame()") == 80 and pixels(d) != first
        assert "frame 81 of 120" in texts(d, ".frame-number")[0]
        d.find_element(By.TAG_NAME, "body").send_keys(Keys.ARROW_RIGHT)
        wait(d, 2)
        assert ask(d, "frame()") == 81
        slider = d.find_element(By.ID, "scrub")
        d.execute_script("arguments[0].value = 10; arguments[0].dispatchEvent(new Event('input'))", slider)
        wait(d, 2)
        assert ask(d, "frame()") == 10
        d.find_element(By.ID, "play").click()
        assert until(lambda: ask(d, "frame()") > 12), "it does not play"
        ask(d, "pause()")
        k = ask(d, "frame()")
        time.sleep(0.3)
        assert ask(d, "frame()") == k
        assert "the run did not reach its end" in texts(d, ".status-line")[0]
        clean(d)


@check
def arrows_are_those_of_the_contacts():
    with chromium() as d:
        open_page(d, page("mixed"))
        counts = ask(d, "counts()")
        assert counts["contacts"] == 12 and counts["arrows"] == 10, counts  # two are open
        assert texts(d, ".statuses .value") == ["7", "2", "1", "2"], texts(d, ".statuses .value")
        d.find_element(By.CSS_SELECTOR, ".statuses button").click()  # sticks
        wait(d, 2)
        assert ask(d, "counts()")["arrows"] == 3
        d.find_element(By.TAG_NAME, "body").send_keys("c")
        wait(d, 2)
        assert ask(d, "counts()")["arrows"] == 0
        open_page(d, page("pile"))
        few = ask(d, "counts()")["arrows"]
        ask(d, "goTo(40)")
        assert until(lambda: ask(d, "counts()")["arrows"] > few + 1000), "arrows do not change with the frame"
        clean(d)


@check
def plots_and_clock_are_tied_both_ways():
    with chromium() as d:
        open_page(d, page("mixed"))
        before = texts(d, ".plot .value")[:3]
        ask(d, "goTo(100)")
        wait(d, 3)
        after = texts(d, ".plot .value")[:3]
        assert before != after and "J" in after[0], (before, after)
        over = d.find_element(By.CSS_SELECTOR, ".u-over")
        d.execute_script("""const o = arguments[0], b = o.getBoundingClientRect();
            for (const type of ['mousedown', 'mouseup']) o.dispatchEvent(new MouseEvent(type, {clientX: b.left + b.width / 2, clientY: b.top + 20, bubbles: true}))""", over)
        wait(d, 3)
        assert 55 <= ask(d, "frame()") <= 64, ask(d, "frame()")
        clean(d)


@check
def a_string_is_drawn_large_and_heard():
    with chromium() as d:
        open_page(d, page("string"))
        assert "× 20" in texts(d, ".badge")[0]
        assert ask(d, "soundPeak()") > 0.1
        assert ask(d, "counts()")["sounds"] == 1
        d.find_element(By.ID, "tab-sound").click()
        wait(d, 2)
        d.find_element(By.CSS_SELECTOR, ".sound button").click()
        assert until(lambda: ask(d, "time()") > 0.02), "the clock does not go with the sound"
        ask(d, "pause()")
        clean(d)


@check
def a_surface_is_coloured_and_exaggerated():
    with chromium() as d:
        open_page(d, page("sheet"))
        assert ask(d, "counts()")["triangles"] == 100_000
        assert texts(d, ".legend-box.field b")[0] == "von Mises, MPa"
        first = pixels(d)
        d.find_element(By.TAG_NAME, "body").send_keys("d")
        d.execute_script("const s = document.getElementById('field'); s.value = '|displacement|'; s.dispatchEvent(new Event('change'))")
        ask(d, "goTo(3)")
        wait(d, 3)
        assert texts(d, ".legend-box.field b")[0].startswith("|displacement|")
        assert pixels(d) != first
        slider = [e for e in d.find_elements(By.CSS_SELECTOR, ".display .slide") if "Exaggerate" in e.text][0].find_element(By.TAG_NAME, "input")
        d.execute_script("arguments[0].value = 1; arguments[0].dispatchEvent(new Event('input'))", slider)
        wait(d, 2)
        assert "displacements × 10" in texts(d, ".badge")[0]
        clean(d)


@check
def a_click_selects_and_measures():
    with chromium() as d:
        open_page(d, page("mixed"))
        ask(d, "select(0, 5)")
        wait(d, 2)
        facts = texts(d, "#panel-body .facts td")
        assert facts[:3] == ["keystone", "rigid", "moreau-jean"], facts
        assert any("N" in t for t in texts(d, "#panel-body .list td"))
        d.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
        canvas = d.find_element(By.CSS_SELECTOR, ".view canvas")
        box = canvas.rect
        # the sphere of the first jelly lies a little below the middle
        click = """for (const type of ['pointerdown', 'pointerup']) arguments[0].dispatchEvent(
            new PointerEvent(type, {pointerId: 1, clientX: arguments[1], clientY: arguments[2], bubbles: true}))"""
        d.execute_script("Element.prototype.setPointerCapture = () => {}")
        found = False
        for dy in range(0, 320, 20):
            d.execute_script(click, canvas, box["x"] + 0.55 * box["width"], box["y"] + 0.4 * box["height"] + dy)
            wait(d, 1)
            if d.find_element(By.CSS_SELECTOR, "#panel-body select").get_attribute("value") == "1":
                found = True
                break
        assert found, "no click met the jelly"
        d.find_element(By.TAG_NAME, "body").send_keys("m")
        for x in (0.55, 0.56):
            d.execute_script(click, canvas, box["x"] + x * box["width"], box["y"] + 0.4 * box["height"] + dy)
        wait(d, 2)
        assert "Δx" in texts(d, ".measure .badge")[0], texts(d, ".measure .badge")
        clean(d)


@check
def a_run_without_bodies_shows_its_plots():
    with chromium() as d:
        open_page(d, page("rows"))
        assert ask(d, "counts()")["plots"] == 9 and ask(d, "counts()")["instances"] == 0
        assert len(d.find_elements(By.CSS_SELECTOR, ".uplot")) >= 6
        clean(d)


@check
def without_webgl_the_plots_stay():
    with chromium(webgl=False) as d:
        open_page(d, page("mixed"))
        assert "no WebGL" in texts(d, ".plain-notice")[0]
        assert len(d.find_elements(By.CSS_SELECTOR, ".uplot")) >= 4
        ask(d, "goTo(50)")
        wait(d, 2)
        assert ask(d, "frame()") == 50
        assert ask(d, "errors") == []


@check
def a_telephone_has_no_sideways_scroll():
    for name in ("mixed", "string", "sheet", "rows", "joints"):
        with chromium(390, 844, dark=name == "string") as d:
            open_page(d, page(name))
            for tab in d.find_elements(By.CSS_SELECTOR, "[role=tab]"):
                d.execute_script("arguments[0].click()", tab)
                wait(d, 2)
                width = d.execute_script("return Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)")
                assert width <= 390, (name, tab.text, width)
            clean(d)


@check
def themes_follow_the_system_and_the_button():
    with chromium(dark=True) as d:
        open_page(d, page("mixed"))
        assert d.execute_script("return document.documentElement.dataset.theme") == "dark"
        d.find_element(By.TAG_NAME, "body").send_keys("t")
        assert d.execute_script("return document.documentElement.dataset.theme") == "light"
        d.find_element(By.TAG_NAME, "body").send_keys("?")
        assert d.find_element(By.CSS_SELECTOR, "dialog.help").is_displayed()
        clean(d)


@check
def every_button_has_a_name():
    for name in ("string", "joints", "links"):
        with chromium() as d:
            open_page(d, page(name))
            nameless = d.execute_script("""return [...document.querySelectorAll('button, input, select')]
                .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label'))).map(e => e.outerHTML)""")
            assert nameless == [], nameless


@check
def a_served_run_is_fetched_in_pieces():
    server = Server(VIEWER, folder / "served", live=False)
    try:
        with chromium() as d:
            open_page(d, server.address)
            ask(d, "goTo(100)")
            assert until(lambda: ask(d, "counts()")["contacts"] == 12)
            wait(d, 2)
            assert ask(d, "frame()") == 100
            asked = [a for a in server.asked if a.startswith("/frames/")]
            assert asked[0] == "/frames/0-31" and any(a.startswith("/frames/100-") for a in asked), asked
            clean(d)
    finally:
        server.close()


@check
def a_live_run_is_driven():
    server = Server(VIEWER, folder / "served", live=True)
    try:
        with chromium() as d:
            open_page(d, server.address)
            buttons = {b.text: b for b in d.find_elements(By.CSS_SELECTOR, ".live .buttons button")}
            assert set(buttons) == {"Start", "Pause", "One step", "Restart"}, buttons
            buttons["Start"].click()
            assert until(lambda: ask(d, "frame()") > 10), "frames do not arrive"
            assert "Running" in texts(d, ".live .status")[0]
            field = d.find_element(By.CSS_SELECTOR, ".control input[type=number]")
            field.clear()
            field.send_keys("0.25\n")
            assert until(lambda: {"do": "set", "path": "bodies[0].law.friction", "value": 0.25} in server.told), server.told
            buttons["Restart"].click()
            assert until(lambda: "cannot be restarted" in (texts(d, ".live .error") or [""])[0])
            assert until(lambda: not buttons["Pause"].get_attribute("disabled"))
            buttons["Pause"].click()
            assert until(lambda: {"do": "pause"} in server.told)
            clean(d)
    finally:
        server.close()


@check
def a_growing_file_has_no_buttons():
    server = Server(VIEWER, folder / "served", live=True)
    del server.header["controls"]
    server.running = True
    try:
        with chromium() as d:
            open_page(d, server.address)
            assert until(lambda: "Growing" in texts(d, ".live .status")[0])
            assert d.find_elements(By.CSS_SELECTOR, ".live button") == []
            assert until(lambda: ask(d, "frame()") > 8)
            clean(d)
    finally:
        server.close()


@check
def pictures_are_saved():
    with chromium(500, 400) as d, tempfile.TemporaryDirectory() as saved:
        d.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": saved})
        open_page(d, page("mixed"))
        d.find_element(By.TAG_NAME, "body").send_keys("s")
        assert until(lambda: list(Path(saved).glob("arch_000000.png"))), list(Path(saved).iterdir())
        series = d.find_element(By.CSS_SELECTOR, "[aria-label^='All frames']")
        d.execute_script("arguments[0].click()", series)
        assert until(lambda: "Picture 3 of 120" in texts(d, ".status-line")[0] or "Picture 4" in texts(d, ".status-line")[0], 60)
        d.execute_script("arguments[0].click()", series)  # enough
        assert until(lambda: list(Path(saved).glob("arch_frames.zip")))
        with zipfile.ZipFile(Path(saved) / "arch_frames.zip") as archive:
            assert archive.testzip() is None and len(archive.namelist()) >= 3
            assert archive.namelist()[1] == "arch_000001.png" and archive.read("arch_000001.png")[:4] == b"\x89PNG"
        clean(d)


@check
def what_cannot_be_read_is_told_in_one_line():
    with chromium() as d:
        text = (folder / "rows.html").read_text().replace('"version":1', '"version":9', 1)
        bad = folder / "bad.html"
        bad.write_text(text)
        open_page(d, f"file://{bad}")
        assert "version 9" in texts(d, ".notice")[0]
        open_page(d, VIEWER.as_uri())
        assert "holds no run" in texts(d, ".notice")[0]


@check
def large_runs_are_quick_enough():
    """Script without the calls of WebGL: those wait for a software renderer here."""
    for name in ("pile", "sheet", "links"):
        with chromium(800, 500) as d:
            open_page(d, page(name))
            d.execute_script("document.getElementById('tab-info').click()")
            ask(d, "play()")
            until(lambda: ask(d, "frame()") >= (6 if name == "links" else 20), 60)  # a software renderer needs long for 5000 marks
            costs = ask(d, "costs()")
            script = costs["decode"] + costs["fill"] + costs["panels"]
            print(f"    {name}: {script:.1f} ms of script a frame {json.dumps({k: round(v, 2) for k, v in costs.items()})}")
            assert script < 33, costs
            assert name != "links" or ask(d, "counts()")["joints"] == 5000
            clean(d)


import check_joints  # noqa: E402, F401: its checks come after these
import check_setpoints  # noqa: E402, F401

failed = 0
for f in checks:
    if len(sys.argv) > 2 and sys.argv[2] not in f.__name__:
        continue
    name = f.__name__.replace("_", " ")
    began = time.monotonic()
    try:
        f()
        print(f"ok    {name} ({time.monotonic() - began:.1f} s)", flush=True)
    except Exception:
        failed += 1
        print(f"FAIL  {name}\n{traceback.format_exc(limit=3)}", flush=True)
print("all passed" if not failed else f"{failed} failed")
sys.exit(1 if failed else 0)
