# What the page of an example must show, by its results file.
import os
from dataclasses import dataclass
from pathlib import Path

from page import REPOSITORY, Data, Page

PARTS = 6  # tests over which the examples are spread, as in tests/CMakeLists.txt
PLACED = ("rigid", "pseudo-rigid", "particles")
LED = ("table",)
MOST_BYTES = 25e6  # of a page, if nothing is said

@dataclass
class Scene:
    file: Path

    @property
    def name(self):
        return self.file.stem

    def results(self, saltus):
        """Of the whole run: those in the folder $SALTUS_EXAMPLE_RESULTS, or run here."""
        stored = os.environ.get("SALTUS_EXAMPLE_RESULTS")
        return Path(stored) / f"{self.name}.h5" if stored else saltus.run(self.file)


EXAMPLES = [Scene(f) for f in sorted((REPOSITORY / "examples").glob("*.yaml"))]


def check_page(driver, file, facts, told):
    """Opens the page and compares what it shows with the results; returns what was seen, in words."""
    data = Data(file)
    header = data.header
    assert file.stat().st_size <= MOST_BYTES, f"{file.stat().st_size} bytes"
    assert header["finished"] and header["decimated"]["of"] == facts.frames == told["of"]
    assert "default-src 'none'" in data.policy() and "http" not in data.policy()
    page = Page(driver, file.as_uri())
    page.clean()
    last = header["frames"]["count"] - 1
    counts = page.ask("counts()")

    check_bodies(header, data, facts, counts)
    check_clock(page, header, facts, last)
    most = check_arrows(page, header, facts)

    # sounds: those that can be heard are there, and are not nothing
    assert counts["sounds"] == len(facts.sounds) == told["sounds"], (counts["sounds"], facts.sounds)
    silent = [s["name"] for s in header["sounds"] if not data.array(s["data"]).any()]
    assert silent == facts.silent, f"silent are {silent}, in the file {facts.silent}"
    if len(facts.sounds) > len(facts.silent):
        assert page.ask("soundPeak()") > 0.5, page.ask("soundPeak()")
    page.clean()
    return (f"{counts['instances']} shapes, {counts['triangles']} triangles, {len(header['lines'])} lines, {last + 1} frames, "
            f"up to {most} arrows, {counts['plots']} plots, {counts['sounds']} sounds, "
            f"{file.stat().st_size / 1e6:.2f} MB, ready in {page.ready_seconds:.2f} s")


def check_bodies(header, data, facts, counts):
    """Each placed shape of the file is drawn, and each body that has a place or a mesh."""
    assert {i: b["members"] for i, b in enumerate(header["bodies"])} == facts.members
    assert counts["instances"] >= facts.placed, (counts, facts.placed)
    owner = data.array(header["instances"]["body"]) if counts["instances"] else []
    drawn = {m["body"] for m in header["meshes"]} | {line["body"] for line in header["lines"]} | set(int(b) for b in owner)
    # A particle that is led along one axis (the table of vibrating_table) has no place of its own in results: it is not drawn.
    bare = [b["name"] for i, b in enumerate(header["bodies"]) if i not in drawn and facts.kinds[i] in (*PLACED, "fem", "modal")
            and b["name"] not in LED]
    assert not bare, f"nothing is drawn of {bare}"
    if facts.solid or any(m["triangles"]["count"] for m in header["meshes"]):
        assert counts["triangles"] > 0, counts


def check_clock(page, header, facts, last):
    """Scrubbed and played, the moment, the picture and the cursors of the plots go with the frame."""
    assert last > 0, "fewer than two frames"
    assert page.ask("frame()") == 0
    drawn = bool(header["instances"]["shape"]["count"] or header["meshes"] or header["lines"])
    if drawn:
        first = page.look()
        assert first and first["colours"] > 3, f"the picture is empty: {first}"
    assert page.ask("counts()")["plots"] == len(header["plots"]) >= 6
    assert page.driver.execute_script("return document.querySelectorAll('.plot .uplot canvas').length") > 0, "no plot is drawn"
    cursors = page.cursors()
    assert page.go_to(last) == last
    assert abs(page.ask("time()") - facts.time[-1]) <= 1e-9 * facts.time[-1], (page.ask("time()"), facts.time[-1])
    assert page.cursors() != cursors, "the cursors of the plots stay"
    middle = last // 2
    assert page.scrub(middle) == middle
    expected = facts.time[facts.stored(middle, header)]
    assert abs(page.ask("time()") - expected) <= 1e-9 * facts.time[-1], (page.ask("time()"), expected)
    if drawn and facts.moves:
        assert page.look()["hash"] != first["hash"], "the picture stays"
    page.go_to(0)
    assert page.play_on() > 0, "it does not play"


def check_arrows(page, header, facts):
    """The arrows are the contacts with a force of the frame; returns the largest number of them."""
    counts = [facts.arrows[facts.stored(k, header)] for k in range(header["frames"]["count"])]
    most, least = max(counts), min(counts)
    if header["contacts_left_out"] or not header["instances"]["shape"]["count"] + len(header["meshes"]) + len(header["lines"]):
        return most
    for frame in {counts.index(most), counts.index(least)}:
        page.go_to(frame)
        shown = page.ask("counts()")["arrows"]
        assert shown == counts[frame], f"frame {frame}: {shown} arrows, {counts[frame]} contacts with a force in the file"
    return most
