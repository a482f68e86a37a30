#!/usr/bin/env python3
"""Clients of `saltus view`, all in one thread: clients.py PORT LISTENERS FETCHERS STALLED

Listeners read /events, fetchers request the next frame twice a second over a new connection each time, and stalled
clients request /events and read nothing. They run until standard input ends, then print one line of JSON: bytes, frames,
events, CPU time.
"""
import heapq
import json
import os
import resource
import select
import socket
import sys
import time

INTERVAL = 0.5  # between two requests of a fetcher [s]


class Client:
    """One connection. `kind`: listener, fetcher or stalled."""

    def __init__(self, kind):
        self.kind, self.socket, self.frame, self.got = kind, None, 0, b""


class Crowd:
    def __init__(self, port, token, counts):
        self.port, self.token, self.poll, self.of = port, token, select.epoll(), {}
        self.bytes = self.frames = self.events = 0
        self.due = []  # (when, number, client)
        clients = [Client(kind) for kind, count in counts.items() for _ in range(count)]
        for number, client in enumerate(clients):  # one after the other, so that their requests are spread in time
            heapq.heappush(self.due, (time.monotonic() + INTERVAL * number / len(clients), number, client))
        self.number = len(clients)

    def wait_until(self, when, client):
        self.number += 1
        heapq.heappush(self.due, (when, self.number, client))

    def connect(self, client):
        path = f"/frames/{client.frame}-{client.frame}" if client.kind == "fetcher" else "/events"
        client.socket = socket.socket()
        if client.kind == "stalled":  # the socket buffers of the system soon fill up
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.got = b""
        try:
            client.socket.connect(("127.0.0.1", self.port))
            client.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n"
                                  f"Cookie: saltus_view_{self.port}={self.token}\r\n\r\n"
                                  .encode())
        except OSError:
            client.socket.close()
            return self.wait_until(time.monotonic() + INTERVAL, client)
        client.socket.setblocking(False)
        self.of[client.socket.fileno()] = client
        self.poll.register(client.socket, select.EPOLLRDHUP if client.kind == "stalled" else select.EPOLLIN)

    def end(self, client):
        self.poll.unregister(client.socket)
        del self.of[client.socket.fileno()]
        client.socket.close()
        if client.kind == "fetcher":
            body = client.got.partition(b"\r\n\r\n")[2]
            if body[:4] == b"SLTF" and body[8] == 1:  # a chunk and its number of frames
                client.frame += 1
                self.frames += 1
        self.wait_until(time.monotonic() + INTERVAL, client)

    def read(self, client):
        try:
            data = client.socket.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            return self.end(client)
        self.bytes += len(data)
        if len(client.got) < 1024:
            client.got += data[:1024]
        if client.kind == "listener":
            self.events += data.count(b"event: state")

    def stay(self, end):
        self.poll.register(end, select.EPOLLIN)
        while True:
            now = time.monotonic()
            while self.due and self.due[0][0] <= now:
                self.connect(heapq.heappop(self.due)[2])
            wait = max(0.0, self.due[0][0] - now) if self.due else -1
            for number, flags in self.poll.poll(wait):
                if number == end:
                    return
                client = self.of.get(number)
                if client and client.kind == "stalled":
                    self.end(client)
                elif client and flags:
                    self.read(client)


def main():
    port, token = int(sys.argv[1]), sys.argv[2]
    listeners, fetchers, stalled = map(int, sys.argv[3:])
    crowd = Crowd(port, token, {"listener": listeners, "fetcher": fetchers, "stalled": stalled})
    crowd.stay(sys.stdin.fileno())
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"bytes": crowd.bytes, "frames": crowd.frames, "events": crowd.events,
                      "cpu": used.ru_utime + used.ru_stime, "connected": len(crowd.of)}), flush=True)
    os._exit(0)  # without closing each connection


if __name__ == "__main__":
    main()
