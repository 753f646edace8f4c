"""Talks to joi's Wyoming server with the protocol's own library, as Home Assistant does: info, speech to text, text to
speech in both ways, wake phrases, conversation. Prints what each took.

Arguments: port, the recording of John F. Kennedy, a recording of "hey jarvis".
"""

import asyncio
import re
import sys
import time
import wave

from wyoming.asr import Transcribe, Transcript, TranscriptChunk, TranscriptStart, TranscriptStop
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.handle import Handled, NotHandled
from wyoming.info import Describe, Info
from wyoming.intent import NotRecognized, Recognize
from wyoming.ping import Ping, Pong
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeStopped, SynthesizeVoice
from wyoming.wake import Detect, Detection, NotDetected

PORT, SPEECH, WAKE = int(sys.argv[1]), sys.argv[2], sys.argv[3]
CHUNK = 1024


def check(is_it: bool, what: object) -> None:
    if not is_it:
        raise SystemExit(f"tests/peers/wyoming_client.py: {what}")


def client() -> AsyncTcpClient:
    return AsyncTcpClient("127.0.0.1", PORT)


async def until(peer: AsyncTcpClient, kind, seen=None):
    """The next event of a kind; what came before is noted in `seen`."""
    while True:
        event = await asyncio.wait_for(peer.read_event(), 300)
        check(event is not None, f"closed before {kind.__name__}")
        check(not Error.is_type(event.type), event.data)
        if seen is not None:
            seen.append((event.type, time.monotonic()))
        if kind.is_type(event.type):
            return kind.from_event(event)


async def describe() -> Info:
    async with client() as peer:
        began = time.monotonic()
        await peer.write_event(Describe().event())
        info = await until(peer, Info)
        took = time.monotonic() - began
    check(took < 1, f"info took {took:.3f} s")
    print(f"info: {took * 1000:.1f} ms")
    check(info.asr and info.tts and info.wake and info.handle and not info.satellite, info)
    check(info.asr[0].supports_transcript_streaming and info.tts[0].supports_synthesize_streaming, info)
    return info


def chunks(path: str, silence: float):
    """The chunks of a recording, with so many seconds of silence before and behind it."""
    with wave.open(path) as file:
        form = {"rate": file.getframerate(), "width": file.getsampwidth(), "channels": file.getnchannels()}
        frame = form["width"] * form["channels"]
        pause = bytes(int(silence * form["rate"]) * frame)
        sound = pause + file.readframes(file.getnframes()) + pause
    for at in range(0, len(sound), CHUNK * frame):
        timestamp = at // frame * 1000 // form["rate"]
        yield form, AudioChunk(audio=sound[at : at + CHUNK * frame], timestamp=timestamp, **form)


async def send(peer: AsyncTcpClient, path: str, pace: float, silence: float = 0) -> float:
    """Sends a recording, each chunk when it would have been spoken where `pace` is 1. Returns when the last one went."""
    began, started = time.monotonic(), False
    for form, chunk in chunks(path, silence):
        if not started:
            started = True
            await peer.write_event(AudioStart(timestamp=0, **form).event())
        await peer.write_event(chunk.event())
        if pace:
            await asyncio.sleep(max(0, began + (chunk.timestamp / 1000) * pace - time.monotonic()))
    await peer.write_event(AudioStop().event())
    return time.monotonic()


async def transcribe(pace: float, peer: AsyncTcpClient) -> None:
    seen = []
    await peer.write_event(Transcribe(language="en").event())
    ended = await send(peer, SPEECH, pace)
    transcript = await until(peer, Transcript, seen)
    took = time.monotonic() - ended
    await until(peer, TranscriptStop, seen)
    kinds = [kind for kind, _ in seen]
    check(TranscriptStart.is_type(kinds[0]) and TranscriptChunk.is_type(kinds[1]), kinds)
    words = re.sub("[^a-z ]", "", transcript.text.lower())
    check("ask not what your country can do for you" in words, transcript.text)
    how = "as spoken" if pace else "at once"
    print(f"speech to text, sent {how}: {took:.2f} s after the end, {kinds.count('transcript-chunk')} chunks: {transcript.text}")


async def synthesize(info: Info) -> None:
    voice = info.tts[0].voices[0].name
    text = "The kettle boils. Please take it off the stove, before it runs dry."
    async with client() as peer:
        for name in (None, voice):
            seen, began = [], time.monotonic()
            wish = SynthesizeVoice(name=name) if name else None
            await peer.write_event(Synthesize(text=text, voice=wish).event())
            await until(peer, AudioStop, seen)
            first = next(at for kind, at in seen if AudioChunk.is_type(kind))
            check(AudioStart.is_type(seen[0][0]), seen[0])
            count = sum(1 for kind, _ in seen if AudioChunk.is_type(kind))
            print(f"text to speech: first sound {first - began:.2f} s, all {seen[-1][1] - began:.2f} s, {count} chunks")
            check(count > 30, f"{count} chunks of sound")
    async with client() as peer:
        seen, began = [], time.monotonic()
        await peer.write_event(SynthesizeStart().event())
        await peer.write_event(SynthesizeChunk(text="The kettle boils. ").event())
        await until(peer, AudioChunk, seen)
        first = time.monotonic() - began
        await peer.write_event(SynthesizeChunk(text="Please take it off the stove. ").event())
        await peer.write_event(Synthesize(text="The kettle boils. Please take it off the stove. ").event())
        await peer.write_event(SynthesizeStop().event())
        await until(peer, SynthesizeStopped, seen)
        kinds = [kind for kind, _ in seen]
        check(kinds.count("audio-start") == kinds.count("audio-stop") == 1, kinds)
        print(f"text to speech in pieces: first sound {first:.2f} s after the first sentence")


async def detect(info: Info) -> None:
    name = next(model.name for model in info.wake[0].models if model.phrase == "hey jarvis")
    async with client() as peer:
        await peer.write_event(Detect(names=[name]).event())
        began = time.monotonic()
        ended = await send(peer, WAKE, 1, 1.5)
        detection = await until(peer, Detection)
        check(detection.name == name and detection.timestamp is not None, detection)
        print(f"wake phrase: \"{detection.name}\" at {detection.timestamp} ms of {(ended - began) * 1000:.0f} ms")
        await peer.write_event(Detect(names=[name]).event())
        await send(peer, SPEECH, 0)
        await until(peer, NotDetected)


async def converse() -> None:
    async with client() as peer:
        await peer.write_event(Transcript(text="what time is it?").event())
        handled = await until(peer, Handled)
        check(handled.text.startswith("It's "), handled)
        print(f"conversation: {handled.text}")
        await peer.write_event(Transcript(text="set a timer for ten minutes").event())
        event = await asyncio.wait_for(peer.read_event(), 300)
        check(NotHandled.is_type(event.type), event)
        await peer.write_event(Recognize(text="turn on the light").event())
        await until(peer, NotRecognized)
        await peer.write_event(Ping(text="there?").event())
        check((await until(peer, Pong)).text == "there?", "pong")


async def faults() -> None:
    async with client() as peer:
        await peer.write_event(Synthesize(text="Hello.", voice=SynthesizeVoice(name="nobody")).event())
        event = await asyncio.wait_for(peer.read_event(), 10)
        check(Error.is_type(event.type) and "nobody" in Error.from_event(event).text, event)
        check(await asyncio.wait_for(peer.read_event(), 10) is None, "open behind an error")


async def main() -> None:
    info = await describe()
    for pace in (1, 0):
        async with client() as peer:
            await transcribe(pace, peer)
            # Another one on the same connection.
            await transcribe(0, peer)
    began = time.monotonic()

    async def one() -> None:
        async with client() as peer:
            await transcribe(0, peer)

    await asyncio.gather(*(one() for _ in range(4)))
    print(f"four at once: {time.monotonic() - began:.2f} s")
    await synthesize(info)
    await detect(info)
    await converse()
    await faults()


asyncio.run(main())
