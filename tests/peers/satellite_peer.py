"""Speaks to satellites of the package wyoming-satellite to which joi is connected, and checks what becomes of it.

Arguments: the folder of the satellites, a recording with two questions that begin with "hey jarvis", names of satellites.
Beside each NAME there are NAME.say (what is said in front of it), NAME.words (transcripts), NAME.raw (what was played).
"""

import os
import re
import sys
import time
import wave

FOLDER, RECORDING, NAMES = sys.argv[1], sys.argv[2], sys.argv[3:]


def questions() -> list[bytes]:
    """The recording, cut in the middle of its longest silence."""
    with wave.open(RECORDING) as recording:
        assert recording.getframerate() == 16000 and recording.getnchannels() == 1
        pcm = recording.readframes(recording.getnframes())
    longest, begin = (0, 0), 0
    for at in range(0, len(pcm), 2):
        if abs(int.from_bytes(pcm[at : at + 2], "little", signed=True)) > 33:
            longest, begin = max(longest, (at - begin, begin)), at
    cut = (longest[1] + longest[0] // 2) // 2 * 2
    return [pcm[:cut], pcm[cut:]]


def size(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0


def words(path: str) -> str:
    return open(path).read() if os.path.exists(path) else ""


def until(what: str, is_so) -> float:
    began = time.monotonic()
    while not is_so():
        if time.monotonic() - began > 60:
            raise SystemExit(f"tests/peers/satellite_peer.py: {what}")
        time.sleep(0.02)
    return time.monotonic()


def asked(name: str, question: bytes, expected: str) -> None:
    say, heard, played = (os.path.join(FOLDER, f"{name}.{end}") for end in ("say", "words", "raw"))
    before, sound = words(heard), size(played)
    with wave.open(say + ".part", "wb") as recording:
        recording.setnchannels(1)
        recording.setsampwidth(2)
        recording.setframerate(16000)
        recording.writeframes(question)
    os.rename(say + ".part", say)
    began = time.monotonic()
    understood = until(f"{name} got no words", lambda: words(heard) != before)
    plain = re.sub(r"[^a-z ]", "", words(heard)[len(before) :].lower()).strip()
    # One that wakes itself begins to send a moment after the phrase, in which the first word may be gone.
    assert plain.endswith(expected), f"{name}: {plain!r}"
    audible = until(f"{name} played nothing", lambda: size(played) > sound)
    # A second of sound.
    until(f"{name} played too little", lambda: size(played) > sound + 44100)
    length = len(question) / 32000
    print(f"{name}: {expected!r} understood {understood - began - length:+.2f} s, sound {audible - began - length:+.2f} s "
          "after the end of the recording")


time_question, _ = questions()
for name in NAMES:
    asked(name, time_question, "time is it")
