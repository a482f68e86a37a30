"""Blocks of code, links and anchors of a page in Markdown, as GitHub reads it."""
import dataclasses
import re

FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([^\s`]*)")
COMMENT = re.compile(r"^\s*<!--\s*(.*?)\s*-->\s*$")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
LABEL = re.compile(r"^\s{0,3}\[[^\]]+\]:\s*(\S+)")
HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
NAMED = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")


@dataclasses.dataclass
class Block:
    """Code between fences. `orders` are the comments directly above it, as (word, rest) of "word: rest"."""
    line: int
    language: str
    text: str
    orders: list


def blocks(text):
    found, orders, open_ = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if open_ is None:
            comment = COMMENT.match(line)
            if fence:
                open_ = (number, fence, [])
            elif comment:
                word, _, rest = comment[1].partition(":")
                orders.append((word.strip(), rest.strip()))
            else:
                orders = []
        elif fence and fence[2].startswith(open_[1][2]) and not fence[3]:
            start, mark, lines = open_
            indent = len(mark[1])
            found.append(Block(start, mark[3], "\n".join(row[indent:] for row in lines) + "\n", orders))
            open_, orders = None, []
        else:
            open_[2].append(line)
    if open_ is not None:
        raise ValueError(f"line {open_[0]}: a block of code that does not end")
    return found


def prose(text):
    """(line number, line) of what is no code; `inline code` is emptied."""
    fence, lines = None, []
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if mark and fence is None:
            fence = mark[2]
        elif mark and mark[2].startswith(fence) and not mark[3]:
            fence = None
        elif fence is None:
            lines.append((number, line))
    return lines


def links(text):
    """(line number, target) of every link and picture; a link may go over a line's end."""
    rows = prose(text)
    whole = "\n".join(re.sub(r"(`+)(?:(?!\1).)*\1", "``", line) if not line.startswith("    ") else "" for _, line in rows)
    numbers = [number for number, _ in rows]
    for match in LINK.finditer(whole):
        yield numbers[whole.count("\n", 0, match.start())], match[1]
    for number, line in zip(numbers, whole.split("\n")):
        if label := LABEL.match(line):
            yield number, label[1]


def slug(heading):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def sections(text):
    """(level, heading, anchor, text up to the next heading of this level or above) of every heading."""
    rows, seen, found = prose(text), {}, []
    for number, line in rows:
        if heading := HEADING.match(line):
            name = slug(heading[2])
            count = seen.get(name, 0)
            seen[name] = count + 1
            found.append((len(heading[1]), heading[2], f"{name}-{count}" if count else name, number))
    lines, parts = text.splitlines(), []
    for k, (level, title, anchor, number) in enumerate(found):
        end = next((row[3] - 1 for row in found[k + 1:] if row[0] <= level), len(lines))
        parts.append((level, title, anchor, "\n".join(lines[number - 1:end])))
    return parts


def anchors(text):
    return {anchor for _, _, anchor, _ in sections(text)} | set(NAMED.findall(text))
