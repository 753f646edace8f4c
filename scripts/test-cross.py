#!/usr/bin/env python3
"""Tries the programs that scripts/cross.sh built, under the emulator, beside those of this machine.

    scripts/test-cross.py ARM NATIVE MODELS CPU

ARM and NATIVE are folders with joi and joi-model, ARM also with libonnxruntime.so; MODELS is the folder of models;
CPU is the processor that is emulated, as `qemu-aarch64-static -cpu help` names it: an instruction that it lacks ends
the program. Each step tells what it saw and how long it took. Fails when one of them does. ONLY=NAME,NAME runs some.

Emulation takes 15 times as long as the machine it runs on, and more. So what a first start measures is set instead
(which models are used), and the language model is asked one short question without Joi's own prompt. No time is compared.
"""
import http.client
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EMULATOR = "qemu-aarch64-static"
# What /proc/cpuinfo tells of the part: implementer Arm, and these. Without it the emulated program sees that of this
# machine, from which ONNX Runtime learns nothing and crashes.
PARTS = {"cortex-a53": "0xd03", "cortex-a72": "0xd08", "cortex-a76": "0xd0b"}
# The longest a command may take, in seconds. It only ends what hangs.
LONGEST = 3600
# In nats: the scorer's figures are sums of logarithms over whisper's floats, which two processors add up in another
# order, and a lead is the difference of two such sums. Those of wake models are integers inside and must be equal.
TOLERANCES = {"score": 0.1, "margins": 0.1, "leads": 0.2}
JFK = "and so my fellow americans ask not what your country can do for you ask what you can do for your country"
CONFIGURATION = """
[hear.wake]
mode = "scored"
[hear.stt]
model = "base"
"""


class Failed(Exception):
    """What a step saw instead of what it should have."""


def expect(condition, told):
    if not condition:
        raise Failed(told)


class Programs:
    """The programs of one kind, with folders of their own."""

    def __init__(self, name, work, models, command):
        self.name = name
        self.command = command
        self.home = work / name
        self.home.mkdir()
        places = {
            "HOME": self.home,
            "XDG_CONFIG_HOME": self.home / "config",
            "XDG_CACHE_HOME": self.home / "cache",
            "JOI_CONFIG": self.home / "joi.toml",
            "JOI_DATA": self.home / "data",
            "JOI_RUNTIME": self.home / "run",
            "JOI_MODELS": models,
        }
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
        self.environment = kept | {name: str(place) for name, place in places.items()} | {"LANG": "C.UTF-8", "TZ": "UTC"}
        (self.home / "joi.toml").write_text(CONFIGURATION, encoding="utf-8")

    def call(self, *arguments, program="joi", **environment):
        call = [*self.command(program), *map(str, arguments)]
        return subprocess.run(
            call, cwd=ROOT, env=self.environment | environment, capture_output=True, text=True, timeout=LONGEST
        )

    def out(self, *arguments, **more):
        """What the call wrote to standard output; it must have succeeded."""
        done = self.call(*arguments, **more)
        said = (done.stderr or done.stdout).strip()[-1500:]
        expect(done.returncode == 0, f"{self.name}: joi {' '.join(map(str, arguments))} ended with {done.returncode}: {said}")
        return done.stdout


def same(what, arm, native):
    expect(arm == native, f"{what}: {arm!r:.1000} under emulation, {native!r:.1000} on this machine")


def version(arm, native):
    for program in ("joi", "joi-model"):
        same(f"{program} --version", arm.out("--version", program=program), native.out("--version", program=program))
    same("joi completions", arm.out("completions", "bash"), native.out("completions", "bash"))
    return arm.out("--version").strip()


def configuration(arm, native):
    files = []
    for programs in (arm, native):
        file = programs.home / "written.toml"
        programs.out("config", "init", JOI_CONFIG=str(file))
        programs.out("config", "check", file)
        files.append(file.read_text(encoding="utf-8"))
    same("config init", *files)
    same("config show", *(json.loads(programs.out("config", "show", "--json")) for programs in (arm, native)))
    told = []
    for programs in (arm, native):
        file = programs.home / "wrong.toml"
        file.write_text("[hear.vad]\nthreshold = 7\n[llm]\nbackand = 'local'\n", encoding="utf-8")
        done = programs.call("config", "check", file)
        told.append((done.returncode, done.stderr.replace(str(programs.home), "")))
    same("config check of a wrong file", *told)
    expect(told[0][0] == 2 and "threshold" in told[0][1], f"config check of a wrong file: {told[0]}")
    return f"{len(files[0].splitlines())} lines written, checked; a wrong file refused"


def wake(arm, native):
    # Its own words; then a question in one breath, a word that is no phrase, and breath.
    files = [ROOT / "tests/data/hear" / name for name in ("phrase.wav", "phrases.wav", "stop.wav")]
    heard = []
    for programs in (arm, native):
        done = programs.call("wake", "test", "--json", "--wav", *files)
        expect(done.returncode in (0, 1), f"{programs.name}: wake test ended with {done.returncode}: {done.stderr[-800:]}")
        heard.append([json.loads(line) for line in done.stdout.splitlines()])
    same("files heard", len(heard[0]), len(heard[1]))
    expect(heard[1][0]["wakes"], "phrase.wav woke nobody on this machine; then nothing is compared")
    models, scores, widest = 0, 0, dict.fromkeys(TOLERANCES, 0.0)
    for left, right in zip(*heard):
        name = Path(left["file"]).name
        found = [[(wake["phrase"], wake["at_s"], wake["by"]) for wake in side["wakes"]] for side in (left, right)]
        same(f"{name}: what woke her", *found)
        for one, other in zip(left["wakes"], right["wakes"]):
            limit = TOLERANCES["score"] if one["by"] == "scorer" else 0
            expect(abs(one["score"] - other["score"]) <= limit, f"{name}: {one} under emulation, {other} on this machine")
            models += one["by"] == "model"
        same(f"{name}: stretches scored", len(left["scored"]), len(right["scored"]))
        for one, other in zip(left["scored"], right["scored"]):
            same(f"{name}: stretch", (one["from_s"], one["to_s"], one["why"]), (other["from_s"], other["to_s"], other["why"]))
            for kind in ("margins", "leads"):
                same(f"{name}: {kind} of", sorted(one[kind]), sorted(other[kind]))
                for phrase, score in one[kind].items():
                    apart = abs(score - other[kind][phrase])
                    widest[kind], scores = max(widest[kind], apart), scores + 1
                    told = f"{name}: {kind} of \"{phrase}\": {score}, {other[kind][phrase]} on this machine"
                    expect(apart <= TOLERANCES[kind], told)
    expect(models and scores, f"{models} scores of models and {scores} of the scorer were there to compare")
    margins, leads = widest["margins"], widest["leads"]
    return f"{models} scores of wake models equal; of {scores} of the scorer margins within {margins:.3f}, leads within {leads:.3f}"


def transcript(arm, native):
    heard = [
        " ".join(json.loads(line)["text"].strip() for line in programs.out("listen", "--json", "--wav", "tests/data/jfk.wav").splitlines())
        for programs in (arm, native)
    ]
    same("the transcript", *heard)
    words = " ".join(re.findall(r"[a-z]+", heard[0].lower()))
    expect(words == JFK, f"heard {words!r}, said was {JFK!r}")
    return f"word for word: {heard[0]}"


def old_database(programs):
    """The database of an early version, after a command has opened it, and what it shows."""
    folder = Path(programs.environment["JOI_DATA"])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    with sqlite3.connect(folder / "joi.db") as database:
        database.executescript((ROOT / "tests/data/cross/old.sql").read_text(encoding="utf-8"))
    database.close()
    shown = programs.out("memory", "export"), [(it["kind"], it["name"]) for it in json.loads(programs.out("timers", "--json"))]
    with sqlite3.connect(folder / "joi.db") as database:
        check = database.execute("PRAGMA integrity_check").fetchall()
        steps = database.execute("PRAGMA user_version").fetchone()[0]
        dump = [line for line in database.iterdump() if "sqlite_sequence" not in line]
    database.close()
    same("integrity", check, [("ok",)])
    return shown, steps, dump


def database(arm, native):
    (shown, steps, dump), known = old_database(arm), old_database(native)
    same("what an old database shows", shown, known[0])
    same("version of the schema", steps, known[1])
    same("every table and row", dump, known[2])
    expect(steps > 3 and "boiler" in shown[0] and shown[1] == [("alarm", "bake bread")], f"shown: {shown}")
    return f"schema 3 brought to {steps}, {len(dump)} statements equal to those of this machine"


def first_question(file, folder):
    """The first question of the demo conversation, "Hey Jarvis, what time is it?", with the silence around it."""
    with wave.open(str(file)) as whole:
        parameters, sound = whole.getparams(), whole.readframes(int(4.9 * whole.getframerate()))
    cut = folder / "question.wav"
    with wave.open(str(cut), "wb") as part:
        part.setparams(parameters)
        part.writeframes(sound)
    return cut


def spoken(arm, native):
    del native
    question = first_question(ROOT / "assets/demo/conversation.wav", arm.home)
    answer = arm.home / "answer.wav"
    # A quick command needs no language model, and none is there.
    settings = ["--set=llm.backend=ollama", "--set=llm.url=http://127.0.0.1:9"]
    settings += ["--set=hear.wake.mode=stock", "--set=hear.stt.model=tiny.en"]
    turns = [json.loads(line) for line in arm.out(*settings, "hear", "--json", "--wav", question, "--out", answer).splitlines()]
    expect(len(turns) == 1, f"{len(turns)} turns: {turns}")
    turn = turns[0]
    expect(re.search(r"what time is it", turn["heard"], re.I), f"heard {turn['heard']!r}")
    expect(re.match(r"It'?s ", turn["reply"]) and not turn["model_use"], f"replied {turn['reply']!r}, model {turn['model_use']}")
    with wave.open(str(answer)) as said:
        seconds, sound = said.getnframes() / said.getframerate(), said.readframes(said.getnframes())
    loudest = max(abs(int.from_bytes(sound[at : at + 2], "little", signed=True)) for at in range(0, len(sound), 2))
    expect(loudest > 3000, f"her answer of {seconds:.1f} s is silent: its loudest sample is {loudest}")
    return f"heard {turn['heard']!r}, replied {turn['reply']!r}, {seconds:.1f} s of sound written"


class OverSocket(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=LONGEST)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(LONGEST)
        self.sock.connect(str(self.path))


def model(arm, native):
    # The server by itself with one short question: what `joi ask` has the model read first takes emulation longer than
    # anybody would wait (docs/dev/cross-build.md).
    del native
    question, place = "What is the capital of France?", arm.home / "model.sock"
    gguf = next(Path(arm.environment["JOI_MODELS"]).glob("chat-qwen2.5-coder-0.5b/*.gguf"))
    call = [*arm.command("joi-model"), "--model", gguf, "--name", "chat", "--socket", place]
    server = subprocess.Popen([*map(str, call)], env=arm.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        expect("ready" in server.stdout.readline(), "joi-model ended before it was ready")
        messages = [{"role": "user", "content": question}]
        asked = {"model": "chat", "stream": False, "options": {"temperature": 0, "num_predict": 8}, "messages": messages}
        connection = OverSocket(place)
        connection.request("POST", "/api/chat", json.dumps(asked))
        reply = json.loads(connection.getresponse().read())
    finally:
        server.terminate()
        server.wait()
    said = reply.get("message", {}).get("content", "")
    expect("Paris" in said, f"replied {reply}")
    return f"{question} {said!r}"


STEPS = {
    "version": version,
    "configuration": configuration,
    "database": database,
    "wake": wake,
    "transcript": transcript,
    "spoken": spoken,
    "model": model,
}


def models_for_arm(models, arm, folder):
    """All models as they are, and ONNX Runtime for the other processor."""
    folder.mkdir()
    for model in models.iterdir():
        if model.name != "onnxruntime":
            (folder / model.name).symlink_to(model)
    (folder / "onnxruntime").mkdir()
    (folder / "onnxruntime/libonnxruntime.so").symlink_to(arm / "libonnxruntime.so")
    return folder


def processor_told(cpu, folder):
    """A folder that the emulator puts over /: it holds the /proc/cpuinfo of the emulated processor."""
    (folder / "proc").mkdir(parents=True)
    features = "fp asimd evtstrm crc32 cpuid" + (" atomics fphp asimdhp asimdrdm lrcpc asimddp" if cpu == "cortex-a76" else "")
    core = (
        f"Features\t: {features}\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
        f"CPU variant\t: 0x0\nCPU part\t: {PARTS[cpu]}\nCPU revision\t: 3\n\n"
    )
    cores = (f"processor\t: {number}\n{core}" for number in range(os.cpu_count() or 1))
    (folder / "proc/cpuinfo").write_text("".join(cores), encoding="utf-8")
    return folder


def emulated(arm, folder, cpu):
    """The programs in one folder: joi starts joi-model beside it, which here is a script that calls the emulator."""
    folder.mkdir()
    call = [EMULATOR, "-L", str(processor_told(cpu, folder.parent / "over")), "-cpu", cpu]
    shutil.copy(arm / "joi", folder / "joi")
    script = folder / "joi-model"
    script.write_text(f'#!/bin/sh\nexec {" ".join(call)} "{arm}/joi-model" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return lambda program: [*call, folder / "joi"] if program == "joi" else [script]


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    arm, native, models = (Path(argument).resolve() for argument in sys.argv[1:4])
    cpu = sys.argv[4]
    if cpu not in PARTS:
        sys.exit(f"test-cross.py: CPU is \"{cpu}\"; it can be {', '.join(PARTS)}")
    wanted = os.environ.get("ONLY", ",".join(STEPS)).split(",")
    if unknown := [name for name in wanted if name not in STEPS]:
        sys.exit(f"test-cross.py: ONLY is \"{','.join(unknown)}\"; there is {', '.join(STEPS)}")
    failed = []
    with tempfile.TemporaryDirectory(prefix="joi-cross-") as scratch:
        work = Path(scratch)
        of_arm = Programs("arm", work, models_for_arm(models, arm, work / "models"), emulated(arm, work / "bin", cpu))
        of_native = Programs("native", work, models, lambda program: [native / program])
        for name in wanted:
            began = time.monotonic()
            try:
                told, mark = STEPS[name](of_arm, of_native), "ok"
            except (Failed, subprocess.TimeoutExpired, OSError, http.client.HTTPException) as error:
                told, mark = error, "failed"
                failed.append(name)
            print(f"{mark:6} {name:14} {time.monotonic() - began:7.1f} s  {told}", flush=True)
    if failed:
        sys.exit(f"joi: failed under emulation of {cpu}: {', '.join(failed)}")
    print(f"joi: {len(wanted)} steps, none failed, under emulation of {cpu}")


main()
