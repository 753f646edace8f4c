#!/usr/bin/env python3
"""Shows on a light what Joi is doing: one LED, or a red, a green and a blue one, on a Raspberry Pi.

    python3 examples/leds.py --pins 17,27,22          red, green and blue at these GPIO numbers
    python3 examples/leds.py --pins 17                one LED for everything
    python3 examples/leds.py --spi /dev/spidev0.1 --count 3     the three lights of a ReSpeaker 2-Mics HAT
    python3 examples/leds.py --spi /dev/spidev0.1 --count 12 --power 5     the ring of a ReSpeaker 4-Mics HAT
    python3 examples/leds.py --dry-run                without hardware: prints what would be shown

It follows the event stream of Joi's control socket (docs/user/control.md) and waits for Joi when she is not
running. Pins are set with `pinctrl` (Raspberry Pi OS) or else through /sys/class/gpio, a ring of APA102 (DotStar)
lights over SPI. Python's standard library is all it needs.
"""

import argparse
import contextlib
import fcntl
import glob
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

# state: (red, green, blue), seconds of one blink or none
LIGHTS = {
    "idle": ((0, 0, 0), None),
    "listening": ((0, 0, 1), None),
    "thinking": ((0, 0, 1), 0.3),
    "speaking": ((0, 1, 0), None),
    "muted": ((1, 0, 0), None),
    "error": ((1, 0, 0), 0.5),
    "timer": ((1, 1, 0), 0.2),
    "gone": ((0, 0, 0), None),
}
NAMES = {
    (0, 0, 0): "dark",
    (1, 0, 0): "red",
    (0, 1, 0): "green",
    (0, 0, 1): "blue",
    (1, 1, 0): "yellow",
}


# ioctl of spidev: the bits per second that are written at most, and how many these lights surely take.
SPI_IOC_WR_MAX_SPEED_HZ = 0x40046B04
SPI_SPEED = 8_000_000


class Printer:
    """Says what would be shown."""

    def show(self, state, colour, blink):
        how = ", blinking" if blink else ""
        print(f"{state}: {NAMES[colour]}{how}", flush=True)

    def set(self, colour):
        pass


class Pins:
    """Light on real pins: one for any colour, or three for red, green and blue."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.write = self.pinctrl if shutil.which("pinctrl") else self.sysfs
        self.exported = {}
        self.levels = None
        self.set((0, 0, 0))

    def show(self, state, colour, blink):
        pass

    def set(self, colour):
        levels = list(colour) if len(self.numbers) == 3 else [int(any(colour))]
        if levels != self.levels:
            for number, level in zip(self.numbers, levels):
                self.write(number, level)
            self.levels = levels

    @staticmethod
    def pinctrl(number, level):
        command = ["pinctrl", "set", str(number), "op", "dh" if level else "dl"]
        subprocess.run(command, check=True)

    def sysfs(self, number, level):
        path = self.exported.get(number)
        if path is None:
            path = self.exported[number] = self.export(number)
        with open(path + "/value", "w") as value:
            value.write(str(level))

    @staticmethod
    def export(number):
        # Newer kernels count from 512 on: the first pin is the base of the chip with the header's pins.
        base = 0
        for chip in sorted(glob.glob("/sys/class/gpio/gpiochip*")):
            with open(chip + "/label") as label:
                if label.read().strip().startswith("pinctrl-"):
                    with open(chip + "/base") as file:
                        base = int(file.read())
                    break
        path = f"/sys/class/gpio/gpio{base + number}"
        if not os.path.exists(path):
            with open("/sys/class/gpio/export", "w") as export:
                export.write(str(base + number))
            time.sleep(0.1)  # until udev has given the pin to the group gpio
        with open(path + "/direction", "w") as direction:
            direction.write("out")
        return path


class Ring:
    """APA102 lights in a row, all of one colour."""

    def __init__(self, device, count, brightness):
        try:
            self.lights = os.fdopen(os.open(device, os.O_WRONLY), "wb", buffering=0)
        except OSError as error:
            sys.exit(f"leds: {device} can't be opened: {error}; is SPI switched on, and this user in the group spi?")
        # What is no SPI device takes the bytes at any speed.
        with contextlib.suppress(OSError):
            fcntl.ioctl(self.lights, SPI_IOC_WR_MAX_SPEED_HZ, struct.pack("=I", SPI_SPEED))
        self.count, self.brightness = count, brightness
        self.colour = None
        self.set((0, 0, 0))

    def show(self, state, colour, blink):
        pass

    def set(self, colour):
        if colour != self.colour:
            red, green, blue = (255 * part for part in colour)
            light = bytes([0xE0 | self.brightness, blue, green, red])
            # Half a clock for each light is behind the last one.
            self.lights.write(bytes(4) + light * self.count + bytes(4 + self.count // 16))
            self.colour = colour


def default_socket():
    """Where Joi's socket is, by the rules of docs/user/control.md."""
    runtime = os.environ.get("JOI_RUNTIME")
    if not runtime and os.environ.get("XDG_RUNTIME_DIR"):
        runtime = os.path.join(os.environ["XDG_RUNTIME_DIR"], "joi")
    if not runtime:
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        runtime = os.path.join(cache, "joi", "run")
    return os.path.join(runtime, "joi.sock")


def states(path):
    """The states as they come, and None whenever a tenth of a second has passed without one."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as joi:
        joi.connect(path)
        joi.sendall(b'{"do":"events"}\n')
        rest = b""
        while True:
            if not select.select([joi], [], [], 0.1)[0]:
                yield None
                continue
            data = joi.recv(4096)
            if not data:
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                event = json.loads(line)
                if event.get("event") == "state":
                    yield event["state"]
                elif "error" in event:
                    raise ConnectionError(event["error"])


def follow(path, light):
    """Shows the states until the connection ends."""
    colour, blink = LIGHTS["gone"]
    for state in states(path):
        if state is not None:
            colour, blink = LIGHTS.get(state, LIGHTS["idle"])
            light.show(state, colour, blink)
        is_dark = blink and int(time.monotonic() / blink) % 2
        light.set((0, 0, 0) if is_dark else colour)


def main():
    head = argparse.RawDescriptionHelpFormatter
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=head)
    arguments.add_argument("--pins", default="17,27,22", help="GPIO numbers: one, or red,green,blue")
    arguments.add_argument("--spi", metavar="DEVICE", help="APA102 lights at this device instead of pins")
    arguments.add_argument("--count", type=int, default=3, help="how many of them there are")
    arguments.add_argument("--brightness", type=int, default=4, choices=range(1, 32), metavar="1..31", help="of these")
    arguments.add_argument("--power", type=int, metavar="PIN", help="GPIO number that switches their power on")
    arguments.add_argument("--socket", default=default_socket(), help="Joi's control socket")
    arguments.add_argument("--dry-run", action="store_true", help="print instead of lighting")
    arguments.add_argument("--once", action="store_true", help="end when Joi ends")
    given = arguments.parse_args()
    pins = [int(number) for number in given.pins.split(",")]
    if len(pins) not in (1, 3):
        arguments.error("--pins takes one number, or three: red, green, blue")
    if given.power is not None and not given.dry_run:
        Pins([given.power]).set((1, 1, 1))
    if given.dry_run:
        light = Printer()
    elif given.spi:
        light = Ring(given.spi, given.count, given.brightness)
    else:
        light = Pins(pins)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        while True:
            try:
                follow(given.socket, light)
            except OSError as error:
                if given.once:
                    sys.exit(f"leds: {given.socket}: {error}")
            light.show("gone", *LIGHTS["gone"])
            light.set((0, 0, 0))
            if given.once:
                return
            time.sleep(1)
    except KeyboardInterrupt:
        pass
    finally:
        light.set((0, 0, 0))


if __name__ == "__main__":
    main()
