# A server as `saltus view --live` is, for the checks: sends made-up data and notes what it is told.
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def chunk(frames, first):
    """frames: list of (time, step, record bytes)."""
    import struct
    n = len(frames)
    head = b"SLTF" + struct.pack("<3I", first, n, 0) + struct.pack(f"<{n}d", *[f[0] for f in frames]) + struct.pack(f"<{n}I", *[f[1] for f in frames])
    at, starts = 0, [0]
    for f in frames:
        at += len(f[2])
        starts.append(at)
    head += struct.pack(f"<{n + 1}I", *starts)
    return head + bytes(-len(head) % 8) + b"".join(f[2] for f in frames)


class Server:
    def __init__(self, page, folder, live):
        folder = Path(folder)
        self.page = Path(page).read_bytes()
        self.header = json.loads((folder / "view.json").read_text())
        self.static = (folder / "static.bin").read_bytes()
        count = self.header["frames"]["count"]
        self.frames = [(0.0126 * k, 5 * k, (folder / f"frame_{k}.bin").read_bytes()) for k in range(count)]
        self.live, self.known, self.running, self.told, self.asked = live, count, False, [], []
        self.when = []  # it was told
        self.news = []  # names of events to be sent
        if live:
            self.known = 5
            self.header.update(live=True, finished=False, summary=None,
                               controls=[{"path": "bodies[0].law.friction", "label": "friction", "unit": "1", "value": 0.5, "low": 0, "high": 1}])
            self.header["frames"]["count"] = self.known
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, body, kind="application/octet-stream", status=200):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                outer.asked.append(self.path)
                frames = re.fullmatch(r"/frames/(\d+)-(\d+)", self.path)
                if self.path == "/":
                    self.answer(outer.page, "text/html; charset=utf-8")
                elif self.path == "/view.json":
                    self.answer(json.dumps(outer.header).encode(), "application/json")
                elif self.path == "/static.bin":
                    self.answer(outer.static)
                elif frames:
                    a, b = int(frames[1]), int(frames[2])
                    good = a <= b < outer.known and b - a < 512
                    self.answer(chunk(outer.frames[a:b + 1], a) if good else b"no such frames", status=200 if good else 416)
                elif self.path == "/events" and outer.live:
                    self.events()
                else:
                    self.answer(b"no such page", "text/plain", 404)

            def events(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                try:
                    while True:
                        while outer.news:
                            self.send(outer.news.pop(0), {})
                        if outer.running and outer.known < len(outer.frames):
                            outer.known += 1
                            t = outer.frames[outer.known - 1][0]
                            self.send("rows", {"time": [1.5 + t], "energy": {"kinetic": [1], "potential": [2], "total": [3]}})
                        t, step, _ = outer.frames[outer.known - 1]
                        self.send("state", {"running": outer.running, "time": t, "step": step, "frames": outer.known, "rate": 0.7})
                        time.sleep(0.05)
                except OSError:
                    pass

            def send(self, name, data):
                self.wfile.write(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())
                self.wfile.flush()

            def do_POST(self):
                order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.told.append(order)
                outer.when.append(time.monotonic())
                outer.running = {"start": True, "pause": False}.get(order["do"], outer.running)
                bad = order["do"] == "restart"
                self.answer(json.dumps({"error": "time.end: this run cannot be restarted"} if bad else {"ok": True}).encode(), "application/json")

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.http.server_port}/"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
