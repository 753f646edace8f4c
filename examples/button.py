#!/usr/bin/env python3
"""A button at a GPIO pin of a Raspberry Pi: pressed shortly Joi listens, as if the wake phrase had been said; held for
a second, the microphone is switched off or on.

    python3 examples/button.py --pin 23               a button between GPIO 23 and ground
    python3 examples/button.py --pin 17               that of a ReSpeaker 2-Mics HAT
    python3 examples/button.py --events FILE          without hardware: events as the kernel writes them

It asks the control socket (docs/user/control.md), and goes on where Joi does not run. The pin is read through the kernel's
GPIO device, with its own pull-up and debouncing (Linux 5.10 or newer). Python's standard library is all it needs.
"""

import argparse
import fcntl
import glob
import json
import os
import signal
import socket
import struct
import sys

# Held for as long, in seconds, a press means the switch of the microphone.
LONG = 1.0
# A contact bounces for less, in microseconds.
DEBOUNCE = 10_000

# linux/gpio.h, second version
GPIO_GET_CHIPINFO_IOCTL = 0x8044B401
GPIO_V2_GET_LINE_IOCTL = 0xC250B407
ACTIVE_LOW, INPUT, RISING, FALLING, PULL_UP, PULL_DOWN = 1 << 1, 1 << 2, 1 << 4, 1 << 5, 1 << 8, 1 << 9
ATTRIBUTE_DEBOUNCE = 3
# nanoseconds, which edge, pin, two running numbers, padding
EVENT = struct.Struct("=QIIII24x")
EDGE_PRESSED = 1


def line_request(pin, flags):
    """struct gpio_v2_line_request for one pin."""
    debounce = struct.pack("=IIIxxxxQ", ATTRIBUTE_DEBOUNCE, 0, DEBOUNCE, 1)
    config = struct.pack("=QI20x", flags, 1) + debounce.ljust(240, b"\0")
    return struct.pack("=I252x32s", pin, b"joi-button") + config + struct.pack("=II20xi", 1, 0, -1)


def header_chip():
    """The GPIO device of the pins at the board's header."""
    for chip in sorted(glob.glob("/dev/gpiochip*")):
        with open(chip, "rb") as device:
            told = fcntl.ioctl(device, GPIO_GET_CHIPINFO_IOCTL, bytes(68))
        if told[32:64].startswith(b"pinctrl-"):
            return chip
    sys.exit("button: there is no GPIO device of a Raspberry Pi; --chip names another one")


def open_pin(chip, pin, is_active_high):
    """A file of the events at a pin; pressed is the rising edge, whatever the level."""
    level = PULL_DOWN if is_active_high else ACTIVE_LOW | PULL_UP
    request = bytearray(line_request(pin, INPUT | RISING | FALLING | level))
    with open(chip, "rb") as device:
        fcntl.ioctl(device, GPIO_V2_GET_LINE_IOCTL, request)
    return os.fdopen(struct.unpack("=i", request[-4:])[0], "rb", buffering=0)


def presses(events):
    """How long each press lasted, in seconds."""
    pressed = None
    while len(event := events.read(EVENT.size)) == EVENT.size:
        moment, edge, *_ = EVENT.unpack(event)
        if edge == EDGE_PRESSED:
            pressed = moment
        elif pressed is not None:
            yield (moment - pressed) / 1e9
            pressed = None


def default_socket():
    """Where Joi's socket is, by the rules of docs/user/control.md."""
    runtime = os.environ.get("JOI_RUNTIME")
    if not runtime and os.environ.get("XDG_RUNTIME_DIR"):
        runtime = os.path.join(os.environ["XDG_RUNTIME_DIR"], "joi")
    if not runtime:
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        runtime = os.path.join(cache, "joi", "run")
    return os.path.join(runtime, "joi.sock")


def ask(path, what):
    """Asks Joi for one thing, and tells what came of it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as joi:
        joi.settimeout(10)
        joi.connect(path)
        joi.sendall(json.dumps({"do": what}).encode() + b"\n")
        answer = json.loads(joi.makefile("rb").readline() or b"{}")
    if "error" in answer:
        print(f"button: {answer['error']}", file=sys.stderr, flush=True)
    elif what == "listen":
        print("listening", flush=True)
    else:
        print("muted" if answer.get("muted") else "not muted", flush=True)


def main():
    head = argparse.RawDescriptionHelpFormatter
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=head)
    arguments.add_argument("--pin", type=int, default=23, help="GPIO number")
    arguments.add_argument("--active-high", action="store_true", help="the button leads to 3.3 V instead of ground")
    arguments.add_argument("--chip", help="the GPIO device, if not that of the header")
    arguments.add_argument("--socket", default=default_socket(), help="Joi's control socket")
    arguments.add_argument("--events", metavar="FILE", help="events out of a file instead of a pin")
    given = arguments.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        if given.events:
            events = open(given.events, "rb")
        else:
            events = open_pin(given.chip or header_chip(), given.pin, given.active_high)
    except OSError as error:
        sys.exit(f"button: the pin can't be read: {error}; is this user in the group gpio, and the pin free?")
    with events:
        for held in presses(events):
            try:
                ask(given.socket, "toggle" if held >= LONG else "listen")
            except (OSError, ValueError) as error:
                print(f"button: {given.socket}: {error}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
