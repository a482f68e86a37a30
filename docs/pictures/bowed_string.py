#!/usr/bin/env python3
# Draws docs/pictures/bowed_string.svg from the table that the example of the bowed string writes: the velocity of the
# string at the bow over its last periods, and when it slipped, period by period, from the first stroke on. Needs Python
# alone.
#
#     saltus run examples/bowed_string.yaml -o results/bowed_string.h5
#     python3 docs/pictures/bowed_string.py [results/bowed_string.csv [picture.svg]]
import csv
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BOW = 0.2  # [m/s]
PERIOD = 2 * 0.33 / math.sqrt(44.0 / 2.63e-3)  # of the string [s]
SHOWN = 4  # periods of the upper part
EARLY = 0.25  # of a period, by which the rows of the lower part begin before it
WIDTH, TOP, BOTTOM, LEFT = 640.0, 190.0, 300.0, 62.0  # [px]
BLUE, GREY, RED = "#4c78a8", "#888888", "#e45756"


def read(file):
    with open(file, newline="") as table:
        rows = [row for row in csv.reader(table) if row and not row[0].startswith("#")]
    return [(float(t), float(v)) for t, v in rows[1:]]


def text(x, y, words, anchor="middle", turn=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turn}>{words}</text>'


def line(points, colour, width=1.0, dash=""):
    way = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
    return f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>'


def frame(y, height):
    return f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="{height}" fill="none" stroke="{GREY}"/>'


def velocity(samples, y0):
    """The last periods, over time in periods."""
    end = samples[-1][0]
    low, high = -1.6, 0.4
    x = lambda t: LEFT + WIDTH * (t - end + SHOWN * PERIOD) / (SHOWN * PERIOD)
    y = lambda v: y0 + TOP * (high - v) / (high - low)
    shown = [(x(t), y(v)) for t, v in samples if t >= end - SHOWN * PERIOD]
    out = [frame(y0, TOP), line(shown, BLUE, 1.2)]
    out.append(line([(LEFT, y(BOW)), (LEFT + WIDTH, y(BOW))], RED, 0.8, ' stroke-dasharray="5 4"'))
    out.append(text(LEFT + WIDTH - 6, y(BOW) - 5, "the bow", "end"))
    for v in (-1.5, -1.0, -0.5, 0.0):
        out.append(text(LEFT - 6, y(v) + 4, f"{v:g}", "end"))
        out.append(line([(LEFT, y(v)), (LEFT + 4, y(v))], GREY))
    for k in range(SHOWN + 1):
        out.append(text(LEFT + WIDTH * k / SHOWN, y0 + TOP + 15, k))
    out.append(text(LEFT + WIDTH / 2, y0 + TOP + 31, "last periods of the string"))
    middle = y0 + TOP / 2
    out.append(text(16, middle, "velocity at the bow [m/s]", turn=f' transform="rotate(-90 16 {middle})"'))
    return out


def pattern(samples, y0):
    """One row a period, from the start at the top: dark where the string slips."""
    periods = lambda t: t / PERIOD + EARLY
    rows = math.ceil(periods(samples[-1][0]))
    height = BOTTOM / rows
    out, since = [], None
    for t, v in samples[1:]:
        slips = abs(v - BOW) > 1e-9 * BOW
        if slips and since is None:
            since = t
        at_edge = since is not None and int(periods(t)) != int(periods(since))
        if since is not None and (not slips or at_edge or t == samples[-1][0]):
            row = int(periods(since))
            x0 = LEFT + WIDTH * (periods(since) - row)
            x1 = LEFT + WIDTH * min(1.0, periods(t) - row)
            out.append(
                f'<rect x="{x0:.2f}" y="{y0 + row * height:.2f}" width="{max(x1 - x0, 0.4):.2f}" '
                f'height="{height + 0.1:.2f}" fill="{BLUE}"/>'
            )
            since = t if slips else None
    out.append(frame(y0, BOTTOM))
    for k in range(0, rows + 1, 20):
        out.append(text(LEFT - 6, y0 + k * height + 4, k, "end"))
    for k in range(5):
        out.append(text(LEFT + WIDTH * k / 4, y0 + BOTTOM + 15, f"{k / 4 - EARLY:g}"))
    out.append(text(LEFT + WIDTH / 2, y0 + BOTTOM + 31, "time within the period; dark: the string slips under the bow"))
    middle = y0 + BOTTOM / 2
    out.append(text(16, middle, "period", turn=f' transform="rotate(-90 16 {middle})"'))
    return out


def main():
    table = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "results" / "bowed_string.csv"
    picture = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "pictures" / "bowed_string.svg"
    if not table.exists():
        sys.exit(f"bowed_string: {table} is missing; the first lines of this script make it")
    samples = read(table)
    whole = (LEFT + WIDTH + 20, TOP + BOTTOM + 115)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole[0]:.0f}" height="{whole[1]:.0f}" '
        f'viewBox="0 0 {whole[0]:.0f} {whole[1]:.0f}" font-family="sans-serif" font-size="12" fill="#333333">',
        f'<rect width="{whole[0]:.0f}" height="{whole[1]:.0f}" fill="white"/>',
    ]
    out += velocity(samples, 12.0) + pattern(samples, TOP + 65.0) + ["</svg>"]
    picture.write_text("\n".join(out) + "\n")
    print(picture)


if __name__ == "__main__":
    main()
