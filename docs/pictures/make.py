#!/usr/bin/env python3
# Draws docs/pictures/bass_on_frets.png from the results of the main example: shapes of the string above its frets,
# energy by source over time, spectrum of the pick-up. Needs numpy, h5py and matplotlib (Debian: python3-h5py,
# python3-matplotlib).
#
#     ./run && python3 docs/pictures/make.py [results.h5 [picture.png]]
import json
import sys
from pathlib import Path

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)

ROOT = Path(__file__).resolve().parent.parent.parent
INSTANTS = [0.0, 2.5e-3, 5e-3, 7.5e-3, 10e-3, 40e-3]  # [s]; the nearest stored frame is drawn


def text(dataset):
    value = dataset[()]
    value = value if isinstance(value, (bytes, str)) else value.item()
    return value.decode() if isinstance(value, bytes) else value


def attribute(thing, name):
    value = thing.attrs[name]
    return value.decode() if isinstance(value, bytes) else value


def shapes(axes, file, scene):
    """u(x) = sum sqrt(2/L) sin(pi j x/L) q_j of some frames, and the points the string may touch."""
    body = scene["bodies"][0]
    string, name = body["string"], body["name"]
    length = string["length"]
    x = np.linspace(0.0, length, 801)
    q = file[f"bodies/{name}/q"]
    S = np.sqrt(2.0 / length) * np.sin(np.pi / length * np.outer(x, np.arange(1, q.shape[1] + 1)))
    time = file["frames/time"][:]
    frames = sorted({int(np.abs(time - t).argmin()) for t in INSTANTS})
    colours = plt.cm.viridis(np.linspace(0.0, 0.9, len(frames)))
    for frame, colour in zip(frames, colours):
        axes.plot(1e3 * x, 1e3 * (S @ q[frame]), color=colour, lw=1.2, label=f"{1e3 * time[frame]:.3g} ms")
    origin, direction = np.array(body["origin"]), np.array(body["direction"])
    along = np.array(body["axis"])
    points = file["pairs/local_b"][:].reshape(-1, 3) - origin
    at, height = points @ along, points @ direction
    axes.vlines(1e3 * at, 1e3 * (height.min() - 0.4e-3), 1e3 * height, color="0.35", lw=2)
    axes.set(xlabel="x [mm]", ylabel="displacement [mm]", xlim=(0, 1e3 * length))
    axes.legend(fontsize=7, ncol=3, loc="upper left", frameon=False)
    axes.set_title("shapes of the string above its frets", fontsize=9)


def energy(axes, file):
    """Energy still there, and where the rest went."""
    time = file["step/time"][:]
    total = file["step/kinetic"][:] + file["step/potential"][:]
    start = total[0]
    lost = {attribute(file["ledger"][key], "name"): -file["ledger"][key][:] for key in file["ledger"]}
    shown = [(name, work) for name, work in lost.items() if np.abs(work).max() > 5e-3 * start]
    stack = [total / start] + [work / start for _, work in shown]
    axes.stackplot(1e3 * time, stack, labels=["in the string"] + [f"taken by {name}" for name, _ in shown],
                   colors=["#4c78a8", "#f58518", "#e45756", "#72b7b2", "#b279a2"])
    unexplained = np.abs(lost["unexplained"]).max() / start if "unexplained" in lost else 0.0
    axes.set(xlabel="t [ms]", ylabel="energy / start", xlim=(0, 1e3 * time[-1]), ylim=(0, 1.02))
    axes.legend(fontsize=7, loc="upper right", framealpha=0.8)
    axes.set_title(f"energy by source (unexplained: {unexplained:.0e})", fontsize=9)


def spectrum(axes, file):
    """Magnitude of the first probe, Hann window over the whole run."""
    probe = next(file["probes"][key] for key in file["probes"] if file["probes"][key].attrs["index"] == 0)
    samples, rate = probe[:], float(probe.attrs["rate"])
    window = np.hanning(samples.size)
    magnitude = np.abs(np.fft.rfft((samples - samples.mean()) * window)) * 2.0 / window.sum()
    frequency = np.fft.rfftfreq(samples.size, 1.0 / rate)
    level = 20.0 * np.log10(np.maximum(magnitude, 1e-300) / magnitude.max())
    shown = (frequency > 20.0) & (frequency < 0.45 * rate)
    axes.semilogx(frequency[shown], level[shown], color="#4c78a8", lw=0.6)
    axes.set(xlabel="frequency [Hz]", ylabel="level [dB]", xlim=(20, 0.45 * rate), ylim=(-110, 5))
    axes.set_title(f"spectrum of '{attribute(probe, 'name')}' at {attribute(probe, 'at')}", fontsize=9)


def main():
    results = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "results" / "bass_on_frets.h5"
    picture = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "pictures" / "bass_on_frets.png"
    if not results.exists():
        sys.exit(f"make: {results} is missing; ./run makes it")
    with h5py.File(results, "r") as file:
        if attribute(file, "format") != "saltus-results" or int(file.attrs["version"]) != 1:
            sys.exit(f"make: {results} is not a results file of a version that this script supports")
        scene = json.loads(text(file["resolved"]))
        figure = plt.figure(figsize=(9.6, 6.0), constrained_layout=True)
        top, bottom = figure.subfigures(2, 1, height_ratios=[1.0, 1.0])
        shapes(top.subplots(), file, scene)
        left, right = bottom.subplots(1, 2)
        energy(left, file)
        spectrum(right, file)
        figure.savefig(picture, dpi=130)
    print(picture)


if __name__ == "__main__":
    main()
