#!/usr/bin/env python3
"""Tries the programs that scripts/cross.sh built, under the emulator, beside those of this machine.

    scripts/test-cross.py ARM NATIVE MODELS CPU

ARM and NATIVE are folders with joi and joi-model, ARM also with libonnxruntime.so; MODELS is the folder of models;
CPU is the processor that is emulated, as `qemu-aarch64-static -cpu help` names it: an instruction that it lacks ends
the program. Each step tells what it saw and how long it took. Fails when one of them does. ONLY=NAME,NAME runs some.

Emulation takes 10 to 100 times as long as the machine it runs on. So what a start measures is set instead (which
models are used), and the limits that the language model has are raised as far as the configuration goes. No step is
left out for that, and no time is compared.
"""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EMULATOR = "qemu-aarch64-static"
# The longest a command may take, in seconds. It only ends what hangs.
LONGEST = 3600
# Scores of the scorer are sums of logarithms over whisper's floats, which the two processors round differently.
SCORE_TOLERANCE = 0.05
JFK = "And so, my fellow Americans, ask not what your country can do for you, ask what you can do for your country."
CONFIGURATION = """
[hear.wake]
mode = "scored"
[hear.stt]
model = "base"
[llm]
backend = "local"
local = "chat-qwen2.5-coder-0.5b"
temperature = 0
num_ctx = 2048
embed_model = ""
[reply]
first_word_s = 300
next_word_s = 120
whole_reply_s = 600
wake_up_s = 1800
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
    models, scores, widest = 0, 0, 0.0
    for left, right in zip(*heard):
        name = Path(left["file"]).name
        found = [[(wake["phrase"], wake["at_s"], wake["by"]) for wake in side["wakes"]] for side in (left, right)]
        same(f"{name}: what woke her", *found)
        for one, other in zip(left["wakes"], right["wakes"]):
            limit = SCORE_TOLERANCE if one["by"] == "scorer" else 0
            expect(abs(one["score"] - other["score"]) <= limit, f"{name}: {one} under emulation, {other} on this machine")
            models += one["by"] == "model"
        same(f"{name}: stretches scored", len(left["scored"]), len(right["scored"]))
        for one, other in zip(left["scored"], right["scored"]):
            same(f"{name}: stretch", (one["from_s"], one["to_s"], one["why"]), (other["from_s"], other["to_s"], other["why"]))
            for kind in ("margins", "leads"):
                same(f"{name}: {kind} of", sorted(one[kind]), sorted(other[kind]))
                for phrase, score in one[kind].items():
                    apart = abs(score - other[kind][phrase])
                    widest, scores = max(widest, apart), scores + 1
                    expect(apart <= SCORE_TOLERANCE, f"{name}: {kind} of \"{phrase}\": {score}, {other[kind][phrase]} on this machine")
    expect(models and scores, f"{models} scores of models and {scores} of the scorer were there to compare")
    return f"{models} scores of wake models equal, {scores} of the scorer within {widest:.4f} (allowed: {SCORE_TOLERANCE})"


def transcript(arm, native):
    del native
    heard = " ".join(json.loads(line)["text"].strip() for line in arm.out("listen", "--json", "--wav", "tests/data/jfk.wav").splitlines())
    expect(heard == JFK, f"heard {heard!r}, said was {JFK!r}")
    return f"word for word: {heard}"


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
    settings = ("--set", "llm.backend=ollama", "--set", "llm.url=http://127.0.0.1:9")
    turns = [json.loads(line) for line in arm.out(*settings, "hear", "--json", "--wav", question, "--out", answer).splitlines()]
    expect(len(turns) == 1, f"{len(turns)} turns: {turns}")
    turn = turns[0]
    expect(re.search(r"what time is it", turn["heard"], re.I), f"heard {turn['heard']!r}")
    expect(re.match(r"It'?s ", turn["reply"]) and not turn["model_use"], f"replied {turn['reply']!r}, model {turn['model_use']}")
    with wave.open(str(answer)) as said:
        seconds, sound = said.getnframes() / said.getframerate(), said.readframes(said.getnframes())
    loudest = max(abs(int.from_bytes(sound[at : at + 2], "little", signed=True)) for at in range(0, len(sound), 2))
    expect(loudest > 3000, f"her answer of {seconds:.1f} s is silent: its loudest sample is {loudest}")
    # What she said is understood by the program of this machine's kind that heard the question.
    heard = " ".join(json.loads(line)["text"] for line in arm.out("listen", "--json", "--wav", answer).splitlines())
    return f"heard {turn['heard']!r}, replied {turn['reply']!r}, her voice is heard as {heard.strip()!r}"


def model(arm, native):
    question = "What is the capital of France?"
    turn = json.loads(arm.out("ask", "--json", question))
    expect("Paris" in turn["reply"], f"replied {turn['reply']!r}")
    used = [use for use in turn["model_use"]]
    expect(used, "no model was called")
    return f"{question} {turn['reply']!r}"


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


def emulated(arm, folder, cpu):
    """The programs in one folder: joi starts joi-model beside it, which here is a script that calls the emulator."""
    folder.mkdir()
    shutil.copy(arm / "joi", folder / "joi")
    script = folder / "joi-model"
    script.write_text(f'#!/bin/sh\nexec {EMULATOR} -cpu {cpu} "{arm}/joi-model" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return lambda program: [EMULATOR, "-cpu", cpu, folder / "joi"] if program == "joi" else [script]


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    arm, native, models = (Path(argument).resolve() for argument in sys.argv[1:4])
    cpu = sys.argv[4]
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
            except (Failed, subprocess.TimeoutExpired) as error:
                told, mark = error, "failed"
                failed.append(name)
            print(f"{mark:6} {name:14} {time.monotonic() - began:7.1f} s  {told}", flush=True)
    if failed:
        sys.exit(f"joi: failed under emulation of {cpu}: {', '.join(failed)}")
    print(f"joi: {len(wanted)} steps, none failed, under emulation of {cpu}")


main()
