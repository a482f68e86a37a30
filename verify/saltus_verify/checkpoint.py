"""The last state: its own checksum, the hash of the summary, and the rows that it repeats (docs/reference/results.md).

Both are sums of 64-bit words w:  sum = mixed(sum ^ mixed(w)),  with the function mixed() of splitmix64."""
import numpy as np

MASK = (1 << 64) - 1
STATE = ("ledger q q_offset v v_offset memory memory_offset memory_count contact_key contact_impulse contact_moment active "
         "active_offset factor factor_offset changes").split()
BROKEN = "broken_joint broken_time broken_pull".split()
EVENTS = ("lane_times lane_counts lane_q lane_q_offset lane_v lane_v_offset lane_memory lane_memory_offset lane_memory_count "
          "lane_key lane_kind lane_direction").split()
ANGLES = "angles angles_offset lane_angles lane_angles_offset".split()
MOST = 2_000_000  # words: about three seconds


def mixed(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def all_mixed(x):
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def words_of(values):
    values = np.ascontiguousarray(values).ravel()
    return values.view("<u4").astype(np.uint64) if values.dtype.itemsize == 4 else values.view("<u8")


class Slot:
    """One of the checkpoints of a file."""

    def __init__(self, group):
        self.scalars = [float(group.attrs[n]) for n in ("t", "h", "kinetic", "potential", "energy_start")]
        self.counts = [int(group.attrs[n]) for n in ("step", "rows", "frames")]
        self.checksum = int(group.attrs["checksum"]) & MASK
        self.name = int(group.attrs.get("name_of_checkpoints", 0)) & MASK
        self.arrays = {n: np.array(table) for n, table in group.items() if n != "notices"}

    def sum(self, counts, integrator, tables, name):
        a = self.arrays
        names = STATE + (BROKEN if len(a.get("broken_joint", ())) else []) + (EVENTS if integrator is not None else [])
        names += ANGLES if len(a.get("angles", ())) else []
        for n in ("set_points", "applied"):
            names += [n, n + "_offset"] if len(a.get(n, ())) else []
        names += ["table_rows", "table_sum"] if tables and len(a.get("table_sum", ())) else []
        names += ["beside"] if tables and len(a.get("beside", ())) else []
        parts = [words_of(np.array(self.scalars)), np.array(counts, dtype=np.uint64)]
        for n in names:
            values = integrator if n == "lane_counts" else a[n]
            parts += [np.array([values.size], dtype=np.uint64), words_of(values)]
        if name:
            parts.append(np.array([name], dtype=np.uint64))
        total = 0
        for word in all_mixed(np.concatenate(parts)).tolist():
            total = mixed(total ^ word)
        return total

    def too_large(self):
        return sum(x.size for x in self.arrays.values()) > MOST

    def own_sum(self):
        return self.sum(self.counts, self.arrays.get("lane_counts"), True, self.name)

    def state_hash(self):
        integrator = self.arrays.get("lane_counts")
        if integrator is not None:
            integrator = integrator.copy()
            integrator[3] = 0  # the number of events is not part of the state
            empty = all(self.arrays[n].size == 0 for n in ("lane_memory_count", "lane_key"))
            if not integrator.any() and not np.any(self.arrays["lane_times"]) and empty:
                integrator = None
        return self.sum([self.counts[0], 0, 0], integrator, False, 0)


def check(results, report):
    rows = results.rows
    for path, slot in results.checkpoints.items():
        if slot.name == 0:  # of a version with another checksum
            continue
        if slot.too_large():
            report.not_checked(path, "it is too large to be added up here")
        else:
            report.add("checksum of the state", float(slot.own_sum() != slot.checksum), 0.5, "states", path)
    if results.summary is None or len(results.checkpoints) != 1:
        return
    path, slot = next(iter(results.checkpoints.items()))
    last = len(rows["time"]) - 1
    same = [("rows", slot.counts[1] == last + 1), ("frames", slot.counts[2] == results.frames),
            ("step", slot.counts[0] == results.summary.get("steps")), ("t", slot.scalars[0] == rows["time"][-1]),
            ("kinetic", slot.scalars[2] == rows["kinetic"][-1]), ("potential", slot.scalars[3] == rows["potential"][-1]),
            ("ledger", bool(results.scene.get("phases"))  # accounts of the last phase only
             or np.array_equal(slot.arrays["ledger"], [a[-1] for a in results.ledger.values()]))]
    if "state_hash" in results.summary and not slot.too_large():
        same.append(("state_hash of the summary", results.summary["state_hash"] == f"{slot.state_hash():016x}"))
    report.largest("last state", np.array([not good for _, good in same], dtype=float), 0.5, "entries",
                   lambda i: f"{path}, {same[i][0]}")
