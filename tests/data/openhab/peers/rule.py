"""A rule of HABApp: commands a lamp once, and ends HABApp when the lamp's state has followed."""

import os
import signal

import HABApp
from HABApp.openhab.events import ItemStateChangedEventFilter
from HABApp.openhab.items import SwitchItem


class PeerRule(HABApp.Rule):
    def __init__(self):
        super().__init__()
        self.lamp = SwitchItem.get_item("Peer_Lamp")
        self.lamp.listen_event(self.followed, ItemStateChangedEventFilter())
        self.run.soon(self.begin)

    def begin(self):
        self.openhab.post_update("stringtest", "grün")
        self.lamp.on()

    def followed(self, event):
        print(f"peer: {event.name} is {event.value}", flush=True)
        if event.value == "ON":
            # Long enough for a ping over the socket and one over REST.
            self.run.at(12, os.kill, os.getpid(), signal.SIGTERM)


PeerRule()
