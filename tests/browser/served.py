# Pages of `saltus view`: a stored run, a file that grows, a run that is steered.
import contextlib
import json
import signal
import time
import urllib.request
from pathlib import Path

from page import REPOSITORY, Page, chromium
from runs import Facts, stop

EXAMPLES = REPOSITORY / "examples"


def until(condition, what, seconds=60):
    """Waits for it. A page that begins anew, as when a growing run has its first contacts and so another plot, says nothing yet."""
    from selenium.common.exceptions import JavascriptException
    end = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except (JavascriptException, IndexError) as fault:
            if time.monotonic() > end:
                raise AssertionError(f"in {seconds} s it was not so: {what}") from fault
        assert time.monotonic() < end, f"in {seconds} s it was not so: {what}"
        time.sleep(0.05)


def a_stored_run(saltus):
    results = saltus.run(EXAMPLES / "stack.yaml")
    facts = Facts(results)
    with saltus.view(results) as address, chromium() as driver:
        page = Page(driver, address)
        assert page.texts(".live button") == [], "a stored run has buttons"
        assert page.ask("counts()")["instances"] >= facts.placed
        first = page.look()
        for frame in (facts.frames - 1, facts.frames // 2):  # fetched when they are wanted
            page.go_to(frame)
            until(lambda: page.ask("counts()")["arrows"] == facts.arrows[frame], f"arrows of frame {frame} are those of the file")
        assert page.look()["hash"] != first["hash"], "the picture stays"
        page.go_to(0)
        page.ask("play()")
        until(lambda: page.ask("frame()") > 2, "it plays")
        page.ask("pause()")
        page.clean()


def a_growing_run(saltus):
    """Followed from its start, the first checkpoint, to the end, when its file gets another name, by one page."""
    results = saltus.folder / "grows.h5"
    part = Path(f"{results}.part")
    with contextlib.ExitStack() as open_things:
        driver = open_things.enter_context(chromium())  # first, so that it is there while the run goes on
        # half a metre up: the first contacts come after 0.31 s and thousands of steps
        run = saltus.start("run", EXAMPLES / "sphere_pile.yaml", "-o", results, "-q", "--set", "results.frames=100",
                           "--set", "bodies[1].rigid.position=[-0.1, -0.1, 0.48]", "--set", "time.step=0.02 ms",
                           "--set", "bodies[2].rigid.position=[-0.0875, -0.0855, 0.495]",
                           "--set", "bodies[1].rigid.copies.count=[6, 6, 6]", "--set", "bodies[2].rigid.copies.count=[6, 6, 6]",
                           "--set", "outputs=[]", "--until", "0.315 s")
        try:
            until(part.exists, "the run writes its .part")
            address = first_view(open_things, saltus, part, run)
            run.send_signal(signal.SIGSTOP)  # until the page has looked, however fast the run is
            page = Page(driver, address)
            until(lambda: page.texts(".live .status")[0].startswith("Growing"), "it grows", 20)
            driver.execute_script("window.sameAsAtFirst = true;")
            plots = lambda: page.texts(".card.plot h3")
            at_first = plots()
            assert page.texts(".live button") == [], "somebody else's run has buttons"
            run.send_signal(signal.SIGCONT)
            seen = set()
            until(lambda: seen.add(page.ask("frame()")) or len(seen) > 1, "frames arrive", 300)
            until(lambda: "ended" in page.texts(".live .status")[0], "its end is told", 180)
            facts = Facts(results)
            page.go_to(facts.frames - 1)
            until(lambda: page.ask("counts()")["arrows"] == facts.arrows[-1], "its last frame is that of the file")
            assert driver.execute_script("return window.sameAsAtFirst === true"), "the page began anew"
            at_last = plots()
            assert "gap" in at_first and at_last == at_first, f"{at_first}, at the end {at_last}"
            page.clean()
            assert run.wait(60) == 0
        finally:
            if run.poll() is None:
                run.send_signal(signal.SIGCONT)
            stop(run)


def first_view(open_things, saltus, part, run):
    """Address of a view of the file, which can be read as soon as it says what the scene is."""
    for _ in range(40):
        try:
            return open_things.enter_context(saltus.view(part))
        except AssertionError:
            assert run.poll() is None, "the run ended before it could be seen"
            time.sleep(0.25)
    raise AssertionError("the .part could not be read in 10 s")


def a_live_run(saltus):
    """A block that friction holds on a slope: it stops; with less friction it comes back."""
    def header():
        with urllib.request.urlopen(address.replace("?", "view.json?")) as answer:
            return json.load(answer)

    with saltus.view("--live", EXAMPLES / "block_on_slope.yaml", "--set", "time.end=60 s") as address, chromium() as driver:
        page = Page(driver, address)
        step = lambda: step_of(page)
        status = lambda: page.texts(".live .status")[0]
        until(lambda: status().startswith("Paused"), "it waits for its start")
        assert page.ask("counts()")["instances"] == 1
        page.press("Start")
        until(lambda: page.ask("time()") > 1.2, "it runs")
        assert status().startswith("Running"), status()
        page.press("Pause")
        until(lambda: status().startswith("Paused"), "it pauses")
        page.drawn(3)
        at = page.ask("frame()")
        stopped = step()
        time.sleep(0.5)
        assert page.ask("frame()") == at and step() == stopped, "it runs on while it pauses"
        page.press("One step")
        until(lambda: step() == stopped + 1, f"one step after {stopped}")
        time.sleep(0.5)
        assert step() == stopped + 1, "more than one step"

        way = lambda: reading(page, "way")
        held = way()
        assert 0.5 < held < 1, f"the block should rest at 0.55 m: {held}"
        path = next(c["path"] for c in header()["controls"] if c["path"].endswith("friction"))
        set_number(page, path, 0.1)
        until(lambda: any(c["path"] == path and c["value"] == 0.1 for c in header()["controls"]), "the server has the friction")
        page.press("Start")
        until(lambda: way() < held - 0.3, "with less friction the block comes back")
        page.press("Restart")
        until(lambda: page.ask("time()") == 0 and status().startswith("Paused"), "it stands at its start")
        assert page.texts(".live .error") in ([], [""]), page.texts(".live .error")
        page.press("Start")
        until(lambda: page.ask("time()") > 0.1, "it runs again")
        page.clean()


def step_of(page):
    """Step of the status line, "Paused at 1.2 s, step 1200"."""
    digits = "".join(c for c in page.texts(".live .status")[0].rpartition("step")[2].split(",")[0] if c.isdigit())
    return int(digits)


def reading(page, plot):
    """What the legend of a plot says of its first row at the moment shown, in SI units."""
    page.driver.execute_script(
        """[...document.querySelectorAll('[role=tab]')].find(t => t.innerText === 'Plots').click();
        document.querySelector(`[aria-label="Plot: ${arguments[0]}"]`).scrollIntoView();""", plot)
    page.drawn(3)  # what comes into sight is drawn then
    return number_of(page.texts(f'[aria-label="Plot: {plot}"] .value')[0])


def number_of(text):
    """"554 mm" in m; nan where there is nothing."""
    words = text.replace("\u2212", "-").replace("\u202f", "").split()
    if not words or not words[0].lstrip("-")[:1].isdigit():
        return float("nan")
    return float(words[0]) * {"mm": 1e-3, "\u00b5m": 1e-6, "\u03bcm": 1e-6, "nm": 1e-9}.get(words[-1], 1.0)


def set_number(page, path, value):
    """Types a value into the field of a control."""
    page.driver.execute_script(
        """const f = document.querySelector(`.control[title="${arguments[0]}"] input[type=number]`);
        f.value = arguments[1]; f.dispatchEvent(new Event('change'));""", path, value)
