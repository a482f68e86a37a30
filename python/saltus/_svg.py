"""Small line plots as inline SVG, for the notebook display of objects, without libraries or external resources."""
from __future__ import annotations

import html
import math
from typing import Iterable, List, Sequence, Tuple

import numpy as np
import numpy.typing as npt

COLOURS = ("#3465a4", "#c4561f", "#2e8b57", "#8a4fa3", "#b8860b", "#4f8a8b", "#a33b4f")
_LEFT, _TOP, _BOTTOM = 62, 8, 34
_MOST = 600  # points of a line


def thinned(x: np.ndarray, y: np.ndarray, most: int = _MOST) -> Tuple[np.ndarray, np.ndarray]:
    """At most `most` points, which keep the extremes of the others."""
    if len(x) <= most:
        return x, y
    parts = most // 2
    edges = np.linspace(0, len(x), parts + 1).astype(int)
    chosen: List[int] = []
    for a, b in zip(edges[:-1], edges[1:]):
        part = y[a:b]
        if np.isnan(part).all():
            continue
        chosen += sorted({a + int(np.nanargmin(part)), a + int(np.nanargmax(part))})
    return x[chosen], y[chosen]


def _ticks(low: float, high: float, log: bool) -> List[float]:
    if log:
        decades = range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
        every = max(1, len(decades) // 5)
        return [10.0 ** d for d in decades if d % every == 0] or [low, high]
    raw = (high - low) / 4
    scale = 10.0 ** math.floor(math.log10(raw))
    step = next(m * scale for m in (1, 2, 5, 10) if m * scale >= raw)
    return [k * step for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _number(value: float) -> str:
    return "0" if value == 0 else f"{value:.3g}".replace("e-0", "e-").replace("e+0", "e")


def plot(lines: Iterable[Tuple[str, npt.ArrayLike, npt.ArrayLike]], x: str = "", y: str = "",
         log: bool = False, markers: bool = False, size: Tuple[int, int] = (420, 220)) -> str:
    """One <svg> of lines (label, x, y); "" if no point can be shown."""
    shown = []
    for label, given_x, given_y in lines:
        xs, ys = np.asarray(given_x, dtype=float), np.asarray(given_y, dtype=float)
        good = np.isfinite(xs) & np.isfinite(ys)
        if log:
            good &= (xs > 0) & (ys > 0)
        xs, ys = thinned(xs[good], ys[good])
        if len(xs):
            shown.append((label, xs, ys))
    if not shown:
        return ""
    width, height = size
    legend = 10 + max(7 * len(label) for label, _, _ in shown) if any(label for label, _, _ in shown) else 4
    inner, tall = width - _LEFT - 8, height - _TOP - _BOTTOM
    bounds = []
    for columns in ([xs for _, xs, _ in shown], [ys for _, _, ys in shown]):
        low, high = min(column.min() for column in columns), max(column.max() for column in columns)
        if log:
            low, high = low / 1.15, high * 1.15
        elif low == high:
            low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
        bounds.append((float(low), float(high)))

    def place(value: np.ndarray, axis: int) -> np.ndarray:
        low, high = bounds[axis]
        part = np.log(value / low) / math.log(high / low) if log else (value - low) / (high - low)
        return _LEFT + inner * part if axis == 0 else _TOP + tall * (1 - part)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + legend + 20}" height="{height}" role="img" '
           f'font-family="sans-serif" font-size="11" fill="currentColor" stroke-width="1">',
           f'<rect x="{_LEFT}" y="{_TOP}" width="{inner}" height="{tall}" fill="none" stroke="currentColor" '
           f'stroke-opacity="0.35"/>']
    for value in _ticks(*bounds[0], log):
        at = float(place(np.array(value), 0))
        out.append(f'<path d="M{at:.1f} {_TOP}v{tall}" stroke="currentColor" stroke-opacity="0.12"/>'
                   f'<text x="{at:.1f}" y="{_TOP + tall + 13}" text-anchor="middle">{_number(value)}</text>')
    for value in _ticks(*bounds[1], log):
        at = float(place(np.array(value), 1))
        out.append(f'<path d="M{_LEFT} {at:.1f}h{inner}" stroke="currentColor" stroke-opacity="0.12"/>'
                   f'<text x="{_LEFT - 4}" y="{at + 4:.1f}" text-anchor="end">{_number(value)}</text>')
    out.append(f'<text x="{_LEFT + inner / 2:.0f}" y="{height - 5}" text-anchor="middle">{html.escape(x)}</text>'
               f'<text transform="translate(11 {_TOP + tall / 2:.0f}) rotate(-90)" text-anchor="middle">'
               f'{html.escape(y)}</text>')
    for k, (label, xs, ys) in enumerate(shown):
        colour = COLOURS[k % len(COLOURS)]
        dash = ' stroke-dasharray="5 3"' if k >= len(COLOURS) else ""
        px, py = place(xs, 0), place(ys, 1)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(px, py))
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"{dash}/>')
        if markers or len(xs) == 1:
            out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in zip(px, py)]
        if label:
            at = _TOP + 12 + 15 * k
            out.append(f'<path d="M{width} {at - 4}h14" stroke="{colour}" stroke-width="2"{dash}/>'
                       f'<text x="{width + 18}" y="{at}">{html.escape(label)}</text>')
    return "".join(out) + "</svg>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], mark: int = -1) -> str:
    """A small table; row `mark` is in bold."""
    cell = 'style="text-align:left;padding:1px 10px 1px 0"'
    out = ["<table style='font-size:90%'><tr>" + "".join(f"<th {cell}>{html.escape(one)}</th>" for one in head) + "</tr>"]
    for k, row in enumerate(rows):
        tag = "b" if k == mark else "span"
        out.append("<tr>" + "".join(f"<td {cell}><{tag}>{html.escape(str(one))}</{tag}></td>" for one in row) + "</tr>")
    return "".join(out) + "</table>"
