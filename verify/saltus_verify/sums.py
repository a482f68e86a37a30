"""Checksums of everything in a results file: the data of each table, the attributes of each object.

The sum of words w, which are the numbers of a table as integers of 4 or 8 bytes or the bytes of a text, is modulo 2^64

    sum = K sum + mixed(w) for each w,    mixed(w) = x ^ (x >> 29),  x = C (w ^ (w >> 32))

A finished file lists all sums in /provenance/checksums. The file of a run that did not end has those of its last checkpoint."""
import json

import h5py
import numpy as np

START = 0xCBF29CE484222325
K, C = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9
ALL = (1 << 64) - 1
BLOCK = 1 << 15  # words: the arrays of a block fit in the cache
ONCE = 1 << 20   # numbers read at once

LIST, ROWS = "provenance/checksums", "provenance/sums"


def _powers():
    p = [1]
    for _ in range(BLOCK):
        p.append(p[-1] * K & ALL)
    return np.array(p, dtype=np.uint64)


POWERS = _powers()


def added(total, words):
    """The sum after these unsigned integers."""
    for first in range(0, len(words), BLOCK):
        w = words[first:first + BLOCK].astype(np.uint64)
        w ^= w >> np.uint64(32)
        w *= np.uint64(C)
        w ^= w >> np.uint64(29)
        total = (total * int(POWERS[len(w)]) + int(np.dot(w, POWERS[len(w) - 1::-1] if len(w) < BLOCK else POWERS[-2::-1]))) & ALL
    return total


def of_text(total, text):
    return added(total, np.frombuffer(text, dtype=np.uint8))


def whole_text(value):
    return bytes(value).split(b"\0", 1)[0]


def of_rows(data, rows):
    """The sum of the first rows of a table of numbers, read in blocks."""
    width = int(np.prod(data.shape[1:], dtype=np.int64))
    step = max(1, ONCE // max(width, 1))
    total = START
    for first in range(0, rows, step):
        block = np.ascontiguousarray(data[first:min(first + step, rows)])
        block = block.astype(block.dtype.newbyteorder("<"), copy=False)
        total = added(total, block.ravel().view("<u4" if block.dtype.itemsize == 4 else "<u8"))
    return total


def of_data(data):
    """None for data of a kind that a run does not write."""
    if data.dtype.kind == "S" and data.shape == ():
        raw = np.empty((), dtype=data.dtype)
        data.id.read(h5py.h5s.ALL, h5py.h5s.ALL, raw, mtype=data.id.get_type())
        return of_text(START, whole_text(raw.tobytes()))
    if data.dtype.kind in "iuf" and data.dtype.itemsize in (4, 8) and data.ndim in (1, 2):
        return of_rows(data, data.shape[0])
    return None


def of_attributes(thing):
    total = START
    for name in sorted(thing.attrs, key=str.encode):
        attribute = h5py.h5a.open(thing.id, name.encode())
        value = np.empty(attribute.shape, dtype=attribute.dtype)
        attribute.read(value, mtype=attribute.get_type())
        if value.dtype.kind == "S":
            value = whole_text(value.tobytes())
        else:
            value = value.astype("<f8" if value.dtype.kind == "f" else "<i8").tobytes()
        total = of_text(of_text(of_text(total, name.encode()), b"="), value)
    return total


def things(group, path=""):
    """(path, group or table), also of second names."""
    for name in group:
        here = f"{path}/{name}" if path else name
        yield here, group[name]
        if isinstance(group[name], h5py.Group):
            yield from things(group[name], here)


def check(file, report):
    """Returns the tables without a checksum."""
    everything = dict(things(file))
    tables = [path for path, thing in everything.items() if isinstance(thing, h5py.Dataset)]
    if LIST in file:
        return _finished(file, everything, tables, report)
    return _unfinished(file, tables, report)


def _finished(file, everything, tables, report):
    def compare(what, path, good):
        report.add(f"checksums of {what}", float(not good), 0.5, what, path)

    listed = json.loads(whole_text(file[LIST][()]))
    for path, (attributes, *data) in listed.items():
        thing = file if path == "/" else everything.get(path)
        compare("objects", path, thing is not None and isinstance(thing, h5py.Dataset) == bool(data))
        if thing is None:
            continue
        compare("attributes", path, of_attributes(thing) == attributes)
        if data and isinstance(thing, h5py.Dataset):
            compare("tables", path, of_data(thing) == data[0])
    for path in everything:
        if path not in listed and path != LIST:
            report.not_checked(path, "it is not among the checksums of the run")
    return []


def _unfinished(file, tables, report):
    """Sums of the rows before the last checkpoint."""
    if ROWS not in file:
        return tables
    lists = json.loads(whole_text(file[ROWS][()]))
    slots = [s for s in file["checkpoint"].values() if "table_sum" in s] if "checkpoint" in file else []
    good = dict(lists["fixed"])
    counted = {}
    if slots:
        newest = max(slots, key=lambda s: int(s.attrs["step"]))
        counted = dict(zip(lists["growing"], zip(np.array(newest["table_rows"]).tolist(), np.array(newest["table_sum"]).tolist())))
    covered = []
    for path, (rows, total) in counted.items():
        if path == "timing/step":
            continue
        there = path in file and file[path].shape[0] >= rows
        report.add("checksums of tables", float(not (there and of_rows(file[path], rows) == total)), 0.5, "tables", path)
        if there and file[path].shape[0] == rows:
            covered.append(path)
    for path, total in good.items():
        same = path in file and of_data(file[path]) == total
        report.add("checksums of tables", float(not same), 0.5, "tables", path)
        covered.append(path)
    return [path for path in tables if path not in covered]
