"""A small table for notebooks: plain HTML without external resources."""
from __future__ import annotations

from html import escape
from typing import Any, Iterable, Sequence


def cell(value: Any) -> str:
    """A float with six digits, everything else as str()."""
    return escape(f"{value:.6g}" if isinstance(value, float) else str(value))


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "", facts: str = "",
          notes: Iterable[str] = (), most: int = 20) -> str:
    """Title, a line of facts, at most `most` rows and notes below them."""
    rows = list(rows)
    text = "<div>"
    if title:
        text += f"<b>{escape(title)}</b> {escape(facts)}"
    text += "<table><thead><tr>" + "".join(f"<th>{escape(one)}</th>" for one in head) + "</tr></thead><tbody>"
    for row in rows[:most]:
        text += "<tr>" + "".join(f"<td>{cell(one)}</td>" for one in row) + "</tr>"
    text += "</tbody></table>"
    if len(rows) > most:
        text += f"<p>and {len(rows) - most} more</p>"
    for note in notes:
        text += f"<p>&#9888; {escape(note)}</p>"
    return text + "</div>"
