#!/usr/bin/env python3
# The viewer in headless Chromium: pages of every example, a served run, a growing one, a live one, and large ones.
#
#     /usr/bin/python3 tests/browser/browser_test.py BINARY NAME [NAME ...]      NAME: see TESTS; "all": each of them
#
# Exit code 77, with a line "SKIPPED NAME: reason", where Chromium, its driver, selenium or h5py are not there, or Chromium does not start.
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import large  # noqa: E402
import served  # noqa: E402
from examples import EXAMPLES, PARTS, check_page  # noqa: E402
from page import NoBrowser, chromium, missing  # noqa: E402
from runs import Facts, Saltus  # noqa: E402

SKIPPED = 77


def pages(saltus, scenes):
    faults = []
    with chromium() as driver:
        for scene in scenes:
            began = time.monotonic()
            try:
                results = scene.results(saltus)
                page, told = saltus.report(results)
                seen = check_page(driver, page, Facts(results), told)
                print(f"{scene.name}: {seen}, {time.monotonic() - began:.1f} s", flush=True)
            except Exception as fault:  # the others are looked at all the same
                faults.append(scene.name)
                print(f"{scene.name}: FAILED {type(fault).__name__}: {fault}", flush=True)
                if not isinstance(fault, AssertionError):
                    traceback.print_exc()
    assert scenes and not faults, f"{len(faults)} of {len(scenes)} examples: {', '.join(faults)}"


def part(number):
    return lambda saltus: pages(saltus, EXAMPLES[number::PARTS])


TESTS = {
    "the page of a bouncing ball shows and plays it":
        lambda saltus: pages(saltus, [s for s in EXAMPLES if s.name == "bouncing_ball"]),
    **{f"pages of the examples show, play and sound what was computed, part {k + 1} of {PARTS}": part(k) for k in range(PARTS)},
    "a stored run is served frame by frame": served.a_stored_run,
    "a run that still grows is followed to its end": served.a_growing_run,
    "a live run is driven by the buttons of its page": served.a_live_run,
    "ten thousand balls are drawn": large.ten_thousand_balls,
    "a mesh of a hundred thousand triangles is drawn": large.a_large_mesh,
}


def main():
    if len(sys.argv) < 3 or not all(n in TESTS or n == "all" for n in sys.argv[2:]):
        print("\n".join(["browser_test.py BINARY NAME ...", "all", *TESTS]))
        return 2
    lost = missing()
    failed = 0
    for name in TESTS if sys.argv[2] == "all" else sys.argv[2:]:
        if lost:
            print(f"SKIPPED {name}: not installed: {', '.join(lost)}")
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="saltus_browser_") as folder:
            try:
                TESTS[name](Saltus(Path(sys.argv[1]).resolve(), folder))
                print(f"ok    {name} ({time.monotonic() - began:.1f} s)", flush=True)
            except NoBrowser as reason:
                lost = [str(reason)]
                print(f"SKIPPED {name}: Chromium does not start here: {reason}", flush=True)
            except Exception:
                failed += 1
                print(f"FAIL  {name}\n{traceback.format_exc(limit=4)}", flush=True)
    return 1 if failed else SKIPPED if lost else 0


if __name__ == "__main__":
    sys.exit(main())
