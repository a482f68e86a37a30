# Runs the command, and reads from results files what a page of them must show.
import contextlib
import json
import signal
import subprocess
from pathlib import Path

AUDIBLE, LONG = 8000, 0.1  # samples a second and seconds from which a probe can be heard, docs/reference/view_data.md


class Saltus:
    def __init__(self, binary, folder):
        self.binary, self.folder = str(binary), Path(folder)

    def do(self, *words):
        done = subprocess.run([self.binary, *map(str, words)], cwd=self.folder, capture_output=True, text=True, check=False)
        # 1: the run went on through a step that did not converge, as some scenes say it shall
        assert done.returncode in (0, 1), f"saltus {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}"
        return done.stdout

    def run(self, scene, *words):
        """Its results file."""
        out = self.folder / f"{Path(scene).stem}.h5"
        self.do("run", scene, "-o", out, "-q", *words)
        return out

    def report(self, results):
        """The page, and what the command says of it."""
        page = self.folder / f"{results.stem}.html"
        return page, json.loads(self.do("report", results, "-o", page, "--json"))

    def start(self, *words):
        return subprocess.Popen([self.binary, *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    @contextlib.contextmanager
    def view(self, *words):
        """Address of `saltus view words...`, which is interrupted at the end."""
        server = self.start("view", *words, "--json")
        try:
            line = server.stdout.readline()
            assert line, f"saltus view: {server.stderr.read()}"
            yield json.loads(line)["url"]
            assert server.poll() is None, f"saltus view ended by itself: {server.stderr.read()}"
        finally:
            stop(server)
        assert server.returncode == 0, f"saltus view: exit code {server.returncode}"


def stop(process):
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


class Facts:
    """What happened, by the results file."""

    def __init__(self, path):
        import h5py
        import numpy
        with h5py.File(path, "r") as f:
            self.time = f["frames/time"][:]
            self.frames = len(self.time)
            text = lambda x: x.decode() if isinstance(x, bytes) else str(x)
            bodies = [dict(g.attrs) for g in f["bodies"].values()]
            self.kinds = {int(b["index"]): text(b["kind"]) for b in bodies}
            self.members = {int(b["index"]): int(b["bodies"]) for b in bodies}
            shapes = {int(g.attrs["index"]): text(g.attrs["kind"]) for g in f["drawing/shapes"].values()}
            drawn = f["drawing/instances/shape"][:]
            self.placed = len(drawn)
            self.solid = [int(b) for s, (b, _) in zip(drawn, f["drawing/instances/body"][:]) if shapes[int(s)] != "plane"]
            self.surfaces = sum(1 for g in f["bodies"].values() if "surface" in g or "mesh" in g)
            offset = f["contacts/offset"][:].astype(int)
            force = numpy.linalg.norm(f["contacts/force"][:], axis=1) if "contacts/force" in f else numpy.zeros(offset[-1])
            known = f["contacts/status"][:] >= 0 if "contacts/status" in f else numpy.zeros(offset[-1], bool)
            seen = (force > 0) & known
            self.arrows = [int(seen[a:b].sum()) for a, b in zip(offset[:-1], offset[1:])]
            self.moves = any("q" in g and numpy.ptp(g["q"][:], axis=0).max(initial=0) > 0 for g in f["bodies"].values())
            self.sounds, self.silent = [], []
            for g in f["probes"].values() if "probes" in f else []:
                rate, row = float(g.attrs["rate"]), g[:]
                if rate >= AUDIBLE and len(row) >= LONG * rate:
                    self.sounds.append(text(g.attrs["name"]))
                    if not numpy.ptp(row[numpy.isfinite(row)]) > 0:
                        self.silent.append(text(g.attrs["name"]))

    def stored(self, frame, header):
        """Frame of the file that a frame of the page is."""
        return min(frame * header["decimated"]["every"], header["decimated"]["of"] - 1)
