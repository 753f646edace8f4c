#!/usr/bin/env python3
"""Measures what open pages cost a running joi: the time from a typed request to its first words, and resident memory.

Starts joi with the house to try and the page, without microphone and speaker. Rounds without and with ten open pages take
turns, so that a busy machine slows both. The page that asks follows the events in every round.

usage: JOI_BINARY=… scripts/bench-page.py [ROUNDS]     needs Python 3 alone
"""

import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

JOI = os.environ.get("JOI_BINARY", "joi")
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 12
ASKED = 12
PAGES = 10
ROOMS = ["/", "/why", "/day", "/house", "/memory", "/health", "/settings"]
QUICK = ["what time is it?", "what day is it?", "turn on the hall light", "turn off the hall light"]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Browser:
    """One that is signed in."""

    def __init__(self, port, code):
        self.port, self.cookie = port, None
        answer = self.request("POST", "/enter", {"code": code})
        self.cookie = answer.getheader("set-cookie").split(";")[0]
        self.key = re.search('data-key="([0-9a-f]+)"', self.page("/")).group(1)

    def request(self, method, path, fields=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Cookie": self.cookie} if self.cookie else {}
        body = urllib.parse.urlencode(fields) if fields else None
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, body, headers)
        return connection.getresponse()

    def page(self, path):
        return self.request("GET", path).read().decode()

    def events(self):
        """An open stream, behind its first event."""
        answer = self.request("GET", "/events")
        assert answer.status == 200, answer.status
        event(answer)
        return answer

    def ask(self, text):
        assert self.request("POST", "/do/now/ask", {"key": self.key, "text": text}).status == 303


def event(stream):
    """The next event and its data."""
    name = None
    while True:
        line = stream.readline().decode().rstrip()
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            return name, json.loads(line[6:])


def until(stream, wanted):
    while event(stream)[0] not in wanted:
        pass


def resident(process):
    """Resident memory in MB."""
    with open(f"/proc/{process}/status", encoding="utf8") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024


def times(browser, stream):
    """Milliseconds to the first words of quick requests."""
    taken = []
    for number in range(ASKED):
        began = time.perf_counter()
        browser.ask(QUICK[number % len(QUICK)])
        until(stream, ("words", "aside"))
        taken.append((time.perf_counter() - began) * 1000)
        until(stream, ("answered",))
    return taken


def opened(browsers):
    """Their pages: each has looked at every room, and follows the events."""
    for browser in browsers:
        for room in ROOMS:
            browser.page(room)
    return [browser.events() for browser in browsers]


class Link:
    def __init__(self, port):
        self.port = port

    def __call__(self):
        text = subprocess.run([JOI, "page", "--json"], capture_output=True, check=True, text=True).stdout
        return json.loads(text)["link"].split("#")[1]


def measure(process, link):
    browser = Browser(link.port, link())
    stream = browser.events()
    for room in ROOMS:
        browser.page(room)
    times(browser, stream)
    others = None
    alone, beside, grown = [], [], []
    for _ in range(ROUNDS):
        before = resident(process)
        alone += times(browser, stream)
        others = others or [Browser(link.port, link()) for _ in range(PAGES)]
        pages = opened(others)
        beside += times(browser, stream)
        grown.append(resident(process) - before)
        for page in pages:
            page.close()
        time.sleep(0.5)
    return alone, beside, grown


def report(alone, beside, grown):
    def row(name, taken):
        ordered = sorted(taken)
        p95 = ordered[len(ordered) * 95 // 100]
        print(f"{name}: median {statistics.median(taken):.2f} ms, p95 {p95:.2f} ms ({len(taken)} requests)")

    row("no other page", alone)
    row(f"{PAGES} more pages", beside)
    later = statistics.median(beside) - statistics.median(alone)
    print(f"later with {PAGES} more pages: {later:+.2f} ms (goal: within 5)")
    print(f"memory with {PAGES} more pages, first round: {grown[0]:+.1f} MB; "
          f"later rounds: median {statistics.median(grown[1:] or grown):+.1f}, most {max(grown[1:] or grown):+.1f} MB (goal: 10)")
    return abs(later) <= 5 and grown[0] <= 10


def main():
    house, page = free_port(), free_port()
    with tempfile.TemporaryDirectory() as work:
        config = f"{work}/config.toml"
        with open(config, "w", encoding="utf8") as file:
            file.write(f'[home]\nurl = "http://127.0.0.1:{house}"\n[page]\nlisten = "127.0.0.1:{page}"\n'
                       '[audio]\nhost = "alsa"\ninput = ["no such microphone"]\noutput = ["no such speaker"]\n'
                       '[llm]\nurl = "http://127.0.0.1:1"\n')
        os.environ |= {"JOI_CONFIG": config, "JOI_DATA": f"{work}/data", "JOI_RUNTIME": f"{work}/run"}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        demo = subprocess.Popen([JOI, "home", "demo", "--port", str(house)], **quiet)
        joi = subprocess.Popen([JOI, "run", "--discreet"], **quiet)
        try:
            for _ in range(240):
                if subprocess.run([JOI, "page", "--json"], capture_output=True, check=False).returncode == 0:
                    break
                time.sleep(0.5)
            time.sleep(15)  # models are loaded, and what a start needs is returned
            return 0 if report(*measure(joi.pid, Link(page))) else 1
        finally:
            for process in (joi, demo):
                process.terminate()
                process.wait(30)


if __name__ == "__main__":
    sys.exit(main())
