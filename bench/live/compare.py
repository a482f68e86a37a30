#!/usr/bin/env python3
"""What viewers cost a live run (docs/howto/see_and_hear.md).

    compare.py measure [RESULT.csv]  rounds of one run each: alone, with clients, and two controls that leave it alone
"""
import argparse
import csv
import datetime
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LISTENERS, FETCHERS, STALLED = 50, 50, 20
# alone: nobody looks.  clients: all of them look at the run.  elsewhere: they look at a stored run, which another
# process serves.  busy: a process that computes, for as much of the time as server and clients did before.
MODES = ["alone", "clients", "elsewhere", "busy"]
FIGURES = ["cpu_ms", "own_cpu_ms", "wall_ms", "handing_percent", "handing_cpu_percent", "waiting_percent",
           "frames_a_second", "server_percent", "clients_percent", "events_a_second", "fetched_a_second"]
SPIN = """
import sys, time
share, part = float(sys.argv[1]), 0.01
while True:
    began = time.perf_counter()
    while time.perf_counter() - began < part * min(share, 1.0): pass
    time.sleep(max(0.0, part * (1.0 - share)))
"""


class Port(NamedTuple):
    number: int
    token: str  # the server rejects requests without it


def cpu_of(process):
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def serve(words, threads=0):
    """`threads` 1: steps run in one thread. The library counts processors once, before it prints the address."""
    everywhere = os.sched_getaffinity(0)
    if threads == 1:
        os.sched_setaffinity(0, {max(everywhere)})
    server = subprocess.Popen(words + ["--json"], stdout=subprocess.PIPE, text=True)
    os.sched_setaffinity(0, everywhere)
    port, token = re.search(r":(\d+)/\?token=(\w+)", json.loads(server.stdout.readline())["url"]).groups()
    port = Port(int(port), token)
    for thread in Path(f"/proc/{server.pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), everywhere)
    return server, port


def end(process):
    process.send_signal(signal.SIGINT)
    return process.communicate()[0]


def request(port, head, body=""):
    connection = socket.create_connection(("127.0.0.1", port.number))
    connection.sendall(f"{head} HTTP/1.1\r\nHost: 127.0.0.1:{port.number}\r\nContent-Length: {len(body)}\r\n"
                       f"Cookie: saltus_view_{port.number}={port.token}\r\n"
                       f"Connection: close\r\n\r\n{body}".encode())
    return connection


def control(port, what):
    with request(port, "POST /control", json.dumps(what)) as connection:
        while connection.recv(4096):
            pass


def state_of(port):
    """State of the run, from the first event that a listener receives."""
    with request(port, "GET /events") as connection:
        text = b""
        while not (found := re.search(rb"event: state\ndata: (\{.*?\})\n\n", text, re.S)):
            data = connection.recv(1 << 16)
            if not data:
                raise SystemExit("the server went away")
            text += data
    return json.loads(found.group(1))


def round_of(arguments, mode, threads, stored, share):
    """One run in one mode. `share`: what `busy` computes."""
    words = [arguments.saltus, "view", "--live", arguments.scene, "--set", f"time.end={arguments.end}"]
    server, port = serve(words, threads)
    other, clients, spin = None, None, None
    asked = port
    if mode == "elsewhere":
        other, asked = serve([arguments.saltus, "view", stored])
    if mode in ("clients", "elsewhere"):
        counts = [str(count) for count in (asked.number, asked.token, LISTENERS, FETCHERS, STALLED)]
        clients = subprocess.Popen([sys.executable, Path(__file__).with_name("clients.py"), *counts],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        time.sleep(1.5)  # until all clients are connected
    if mode == "busy":
        spin = subprocess.Popen([sys.executable, "-c", SPIN, f"{share}"])
    control(port, {"do": "set", "path": "speed", "value": 0})
    before, began = cpu_of(other or server), time.monotonic()
    control(port, {"do": "start"})
    while not state_of(port)["ended"]:
        time.sleep(0.5)
    wall = time.monotonic() - began
    used = cpu_of(other or server) - before
    heard = json.loads(clients.communicate()[0]) if clients else {"events": 0, "frames": 0, "cpu": 0.0}
    cost = json.loads(end(server).strip().splitlines()[-1])
    for process in (other, spin):
        if process:
            process.terminate() if process is spin else end(process)
    handing, handing_cpu = cost["handing_over"], cost["handing_cpu"]
    waiting = cost["waiting"]
    running = cost["stepping"] + handing + waiting
    stepping_cpu = cost["stepping_cpu"] + cost["helpers_cpu"]
    if not other:
        used -= stepping_cpu + handing_cpu
    return {"mode": mode, "threads": threads or os.cpu_count(), "steps": cost["steps"],
            "cpu_ms": 1e3 * stepping_cpu / cost["steps"], "own_cpu_ms": 1e3 * cost["stepping_cpu"] / cost["steps"],
            "wall_ms": 1e3 * cost["stepping"] / cost["steps"], "handing_percent": 100 * handing / running,
            "handing_cpu_percent": 100 * handing_cpu / (cost["stepping_cpu"] + handing_cpu),
            "waiting_percent": 100 * waiting / running, "frames_a_second": cost["frames"] / running,
            "server_percent": 100 * used / wall, "clients_percent": 100 * heard["cpu"] / wall,
            "events_a_second": heard["events"] / wall, "fetched_a_second": heard["frames"] / wall}


def cpu_name():
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return found.group(1) if found else "unknown"


def provenance(arguments, load):
    version = subprocess.run([arguments.saltus, "--version"], capture_output=True, text=True, check=False).stdout
    return [f"# date {datetime.date.today()}", f"# cpu {cpu_name()}", f"# saltus {version.strip() or 'unknown'}",
            f"# {Path(arguments.scene).name} to {arguments.end}, speed 0; clients: {LISTENERS} receive events, "
            f"{FETCHERS} fetch frames, {STALLED} read nothing",
            f"# medians of {arguments.rounds} interleaved rounds, load {load[0]:.1f} to {load[1]:.1f} on "
            f"{os.cpu_count()} processors; ratio: median over the rounds of cpu_ms relative to `alone`"]


def measure(arguments):
    kinds = [(mode, threads) for threads in (1, 0) for mode in MODES]
    found = {kind: [] for kind in kinds}
    load = [os.getloadavg()[0]] * 2
    with tempfile.TemporaryDirectory() as folder:
        stored = str(Path(folder) / "stored.h5")
        subprocess.run([arguments.saltus, "run", arguments.scene, "-q", "-o", stored, "--set", "time.end=0.1 s"],
                       check=True, cwd=folder, stderr=subprocess.DEVNULL)
        share = 0.0
        for number in range(arguments.rounds):  # interleaved, every second round backwards, so that drift affects all modes equally
            for mode, threads in kinds if number % 2 == 0 else reversed(kinds):
                row = round_of(arguments, mode, threads, stored, share)
                if mode == "clients":
                    share = (row["server_percent"] + row["clients_percent"]) / 100
                found[mode, threads].append(row)
                load = [min(load[0], os.getloadavg()[0]), max(load[1], os.getloadavg()[0])]
                print(f"{number} {row['threads']} {mode:10s}" + "".join(f" {name} {row[name]:.3g}" for name in FIGURES),
                      flush=True)
    table = []
    for (mode, threads), rows in found.items():
        ratio = [row["cpu_ms"] / alone["cpu_ms"] for row, alone in zip(rows, found["alone", threads])]
        table.append({"mode": mode, "threads": rows[0]["threads"], "steps": rows[0]["steps"],
                      "ratio": f"{statistics.median(ratio):.4f}", "ratio_low": f"{min(ratio):.4f}",
                      "ratio_high": f"{max(ratio):.4f}"} |
                     {name: f"{statistics.median(row[name] for row in rows):.4g}" for name in FIGURES})
        print("{mode:10s} {threads} threads: {ratio} of the CPU time a step alone ({ratio_low} to {ratio_high})"
              .format(**table[-1]))
    if arguments.result:
        arguments.result.parent.mkdir(parents=True, exist_ok=True)
        with open(arguments.result, "w", encoding="utf-8", newline="") as file:
            file.write("\n".join(provenance(arguments, load)) + "\n")
            out = csv.DictWriter(file, list(table[0]), lineterminator="\n")
            out.writeheader()
            out.writerows(table)
        print(arguments.result)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure"])
    parser.add_argument("result", nargs="?", type=Path)
    parser.add_argument("--saltus", default=str(ROOT / "build/release/bin/saltus"))
    parser.add_argument("--scene", default=str(ROOT / "examples/sphere_pile.yaml"))
    parser.add_argument("--end", default="0.4 s")
    parser.add_argument("--rounds", type=int, default=5)
    measure(parser.parse_args())


if __name__ == "__main__":
    main()
