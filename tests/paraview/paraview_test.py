#!/usr/bin/env python3
# What `saltus convert` writes for ParaView, read by ParaView: every example, number for number against its results file.
#
#     /usr/bin/python3 tests/paraview/paraview_test.py BINARY NAME [NAME ...]     NAME: see TESTS; "all": each of them; or of an example
#
# Only readers are used, nothing is rendered. Exit code 77, with a line "SKIPPED NAME: reason", where ParaView or h5py are not there.
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))

SKIPPED = 77
EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
PARTS = 4      # tests over which the examples are spread
FRAMES = 7     # of each run
FORMATS = ("vtu", "vtp", "xdmf")

# What the bodies of an example give: meshes (vtu, xdmf), lines (vtp, xdmf), bodies with a place (vtp, xdmf). Those that are in none
# have coordinates alone, and give at most lines where /drawing has some, and their contacts; else each format is refused in a line
# that says what fits.
MESHES = {"cantilever", "elastic_bar", "fishing_rod", "hertz", "mount", "rubber_ball", "soft_block", "soft_stack", "struck_plate"}
LINES = {"bass_on_frets", "bowed_string", "energy_of_activation", "free_string", "fretless_bass", "hammer_on_string",
         "string_on_midpoint", "string_on_plate", "tanpura_bridge"}
PLACES = {"andrews_squeezer", "arch", "arm", "block_on_incline", "block_on_slope", "bouncing_ball",
          "bouncing_ball_events", "bricard", "chain_on_drum", "dominoes", "drum", "euler_disk", "flyball_governor",
          "four_bar_chain", "gripper", "hammer_on_string", "heavy_top_pinned", "newton_cradle", "slider_crank",
          "slider_crank_clearance", "snapping_link", "soft_cube", "sphere_pile", "spinning_tops", "stack", "struck_plate",
          "tumbling_handle", "vibrating_table", "wall"}
COORDINATES = {"double_pendulum", "dragged_slider", "impact_oscillator", "impacting_bar", "woodpecker"}

# Where the whole run takes more than a second or two: to where it has something to show; and what more is stored.
UNTIL = {"andrews_squeezer": "10 ms", "arch": "0.1 s", "bowed_string": "50 ms", "chain_on_drum": "0.2 s", "dominoes": "0.3 s",
         "drum": "0.15 s", "fishing_rod": "0.2 s", "four_bar_chain": "0.3 s", "hertz": "20 ms", "rubber_ball": "0.12 s",
         "sphere_pile": "0.05 s", "stack": "0.1 s", "wall": "0.05 s", "woodpecker": "0.2 s"}
STORED = {"cantilever": ["results.stress=true", "results.strain=true"], "soft_block": ["results.stress=true"]}


def missing():
    """What these tests need and is not there; empty if all is."""
    lost = []
    for module, package in (("paraview.simple", "python3-paraview"), ("h5py", "python3-h5py")):
        try:
            __import__(module)
        except ImportError:
            lost.append(package)
    return lost


class Saltus:
    def __init__(self, binary, folder):
        self.binary, self.folder = str(binary), Path(folder)

    def do(self, *words):
        return subprocess.run([self.binary, *map(str, words)], cwd=self.folder, capture_output=True, text=True, check=False)

    def run(self, example):
        out = self.folder / f"{example}.h5"
        words = [w for text in (f"results.frames={FRAMES}", *STORED.get(example, [])) for w in ("--set", text)]
        if example in UNTIL:
            words += ["--until", UNTIL[example]]
        done = self.do("run", EXAMPLES / f"{example}.yaml", "-o", out, "-q", *words)
        assert done.returncode in (0, 1), f"saltus run: exit code {done.returncode}\n{done.stderr}"
        return out

    def convert(self, results, kind):
        """The file of each series by its name, or the line of a refusal."""
        folder = self.folder / kind
        folder.mkdir(exist_ok=True)
        done = self.do("convert", results, "--to", kind, "-o", folder / results.stem)
        if done.returncode != 0:
            assert done.returncode == 2 and done.stderr.count("\n") == 1, f"exit code {done.returncode}\n{done.stderr}"
            return done.stderr
        told = [Path(line) for line in done.stdout.splitlines()]
        lost = [p for p in told if not p.is_file()]
        assert told and not lost, f"told of and not there: {lost}"
        heads = [p for p in told if p.suffix in (".pvd", ".xdmf")]
        return {p.name[len(results.stem) + 1:].removesuffix("pvd").strip(".") or kind: p for p in heads}


def expected_series(example, facts):
    """Names of the series of each format; empty: refused."""
    vtp = set()
    if example in PLACES:
        vtp |= {"bodies", "shapes"}
    if facts.world_shapes:
        vtp.add("shapes")
    lines = any(b.line for b in facts.bodies)
    assert lines or example not in LINES, "no lines in the file"
    if lines:
        vtp.add("lines")
    if any(len(c["point"]) for c in facts.contacts):
        vtp.add("contacts")
    return {"vtu": {"vtu"} if example in MESHES else set(), "vtp": vtp,
            "xdmf": set() if example in COORDINATES and not lines else {"xdmf"}}


def check_example(saltus, example):
    from series import read_series
    from stored import Stored
    results = saltus.run(example)
    facts = Stored(results)
    assert len(facts.time) > 1
    seen = []
    for kind, names in expected_series(example, facts).items():
        files = saltus.convert(results, kind)
        if not names:
            assert isinstance(files, str), f"--to {kind} wrote {sorted(files)}"
            fits = "csv" in files and all(f in files.split("--to")[1] for f, n in expected_series(example, facts).items() if n)
            assert "holds no" in files and fits and kind not in files.split("--to")[1], files
            continue
        assert isinstance(files, dict) and set(files) == names, f"--to {kind}: {files}, expected {sorted(names)}"
        for name, file in sorted(files.items()):
            for reader, frames in read_series(file):
                numbers = [facts.check(name, k, time, parts) for k, (time, parts) in enumerate(frames)]
                assert len(numbers) == len(facts.time), f"{reader} finds {len(numbers)} of {len(facts.time)} times in {file.name}"
                seen.append(f"{name} {max(numbers)}")
    return ", ".join(seen) or "refused"


def examples(saltus, names):
    listed = MESHES | LINES | PLACES | COORDINATES
    there = {f.stem for f in EXAMPLES.glob("*.yaml")}
    assert there == listed, f"examples without a line in the list, or lines without an example: {sorted(there ^ listed)}"
    faults = []
    for name in names:
        began = time.monotonic()
        try:
            seen = check_example(saltus, name)
            print(f"{name}: {seen}, {time.monotonic() - began:.1f} s", flush=True)
        except Exception as fault:  # the others are looked at all the same
            faults.append(name)
            print(f"{name}: FAILED {type(fault).__name__}: {fault}", flush=True)
            if not isinstance(fault, AssertionError):
                traceback.print_exc()
    assert names and not faults, f"{len(faults)} of {len(names)} examples: {', '.join(faults)}"


def part(number):
    return lambda saltus: examples(saltus, sorted(MESHES | LINES | PLACES | COORDINATES)[number::PARTS])


TESTS = {f"the series of the examples are read with their numbers, part {k + 1} of {PARTS}": part(k) for k in range(PARTS)}


def main():
    single = {f.stem: (lambda saltus, n=f.stem: examples(saltus, [n])) for f in EXAMPLES.glob("*.yaml")}
    known = {**TESTS, **single}
    if len(sys.argv) < 3 or not all(n in known or n == "all" for n in sys.argv[2:]):
        print("\n".join(["paraview_test.py BINARY NAME ...", "all", *TESTS]))
        return 2
    lost = missing()
    failed = 0
    for name in TESTS if sys.argv[2] == "all" else sys.argv[2:]:
        if lost:
            print(f"SKIPPED {name}: not installed: {', '.join(lost)}")
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="saltus_paraview_") as folder:
            try:
                known[name](Saltus(Path(sys.argv[1]).resolve(), folder))
                print(f"ok    {name} ({time.monotonic() - began:.1f} s)", flush=True)
            except Exception:
                failed += 1
                print(f"FAIL  {name}\n{traceback.format_exc(limit=4)}", flush=True)
    return 1 if failed else SKIPPED if lost else 0


if __name__ == "__main__":
    sys.exit(main())
