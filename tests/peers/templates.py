"""Compares joi-templates with hassil on the intents project's own test sentences.

Comes in: a checkout of github.com/OHF-Voice/intents (or its git directory), the fetched sentence templates, the example
program `recognise` of joi-templates. Goes out: a table by language of how many sentences each gets right: the intent, and
the intent with all slots the test names. Fails where joi-templates gets fewer right than hassil.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time

import yaml
from hassil import Intents, TextSlotList, is_template, parse_sentence, recognize_best, sample_expression
from hassil.numbers import get_rbnf_engine

AREA_OF_THE_SPEAKER = "__context_area__"


def tests_of(sources: pathlib.Path, scratch: pathlib.Path) -> pathlib.Path:
    """Returns the folder of the tests, taken out of the git directory where there is no work tree."""
    if (sources / "tests").is_dir():
        return sources / "tests"
    archive = scratch / "tests.tar"
    with archive.open("wb") as file:
        subprocess.run(["git", f"--git-dir={sources}", "archive", "HEAD", "tests"], stdout=file, check=True)
    with tarfile.open(archive) as tar:
        tar.extractall(scratch, filter="data")
    return scratch / "tests"


def spoken(name: str) -> list[dict]:
    """Returns the texts of a name, which some tests write as a template; hassil reads those itself."""
    if not is_template(name):
        return [{"text": name, "value": name}]
    texts = {text.strip() for text in sample_expression(parse_sentence(name).expression)}
    return [{"text": text, "value": name} for text in sorted(texts)]


def spoken_lists(group: dict) -> dict:
    """Returns the lists of a group with the texts of all names."""
    return {
        "names": [{**text, "context": name["context"]} for name in group["names"] for text in spoken(name["text"])],
        "areas": [text for name in group["areas"] for text in spoken(name)],
        "floors": [text for name in group["floors"] for text in spoken(name)],
        "context_area": group["context_area"],
        "sentences": group["sentences"],
    }


def groups_of(folder: pathlib.Path) -> list[dict]:
    """Returns the test files of a language: their house, and sentences with what is expected."""
    groups = []
    for path in sorted(folder.glob("*/*.yaml")):
        test = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        area = [a["name"] for a in test.get("areas") or [] if a.get("context_area")]
        expected, sentences = [], []
        for case in test.get("tests") or []:
            for sentence in case.get("sentences") or []:
                sentences.append(sentence)
                expected.append({"intent": path.parent.name, "slots": case.get("slots") or {}})
        groups.append({
            "names": [
                {"text": e["name"], "context": {"domain": e["domain"]}} for e in test.get("entities") or []
            ],
            "areas": [a["name"] for a in test.get("areas") or []],
            "floors": [f["name"] for f in test.get("floors") or []],
            "context_area": area[0] if area else AREA_OF_THE_SPEAKER,
            "sentences": sentences,
            "expected": expected,
        })
    return groups


def words_of_numbers(language: str, data: dict) -> dict[str, list[str]]:
    """Returns how the numbers of the language's ranges are spelled, as hassil spells them."""
    try:
        engine = get_rbnf_engine(language)
    except ValueError:
        return {}
    numbers = set()
    for found in data["lists"].values():
        if "range" in found:
            span = found["range"]
            for whole in range(int(span["from"]), int(span["to"]) + 1, int(span.get("step", 1))):
                numbers.add(whole)
                if span.get("fractions") == "halves":
                    numbers.add(whole + 0.5)
    spelled = {}
    for number in numbers:
        try:
            words = set(engine.format_number(number).text_by_ruleset.values())
        except ValueError:
            return {}
        words |= {word.replace("ß", "ss") for word in words}
        words |= {word.replace("-", " ") for word in words}
        spelled[f"{number:g}" if number < 1e6 else str(number)] = sorted(words)
    return spelled


def by_hassil(data: dict, groups: list[dict]) -> tuple[list, list]:
    """Returns hassil's answers and the microseconds they took."""
    intents = Intents.from_dict(data)
    answers, took = [], []
    for group in groups:
        lists = {
            "name": TextSlotList.from_tuples(
                [(name["text"], name["text"], name["context"]) for name in group["names"]], name="name"
            ),
            "area": TextSlotList.from_strings(group["areas"], name="area"),
            "floor": TextSlotList.from_strings(group["floors"], name="floor"),
        }
        for sentence in group["sentences"]:
            begin = time.perf_counter()
            found = recognize_best(
                sentence,
                intents,
                slot_lists=lists,
                intent_context={"area": group["context_area"]},
                best_slot_name="name",
            )
            took.append(int((time.perf_counter() - begin) * 1e6))
            slots = {name: slot.value for name, slot in found.entities.items()} if found else {}
            answers.append(found and {"intent": found.intent.name, "slots": slots})
    return answers, took


def is_right(answer: dict | None, expected: dict) -> bool:
    """Returns whether the intent and every slot that the test names are as expected."""
    if answer is None or answer["intent"] != expected["intent"]:
        return False
    for name, value in expected["slots"].items():
        said = answer["slots"].get(name)
        allowed = value if isinstance(value, list) else [value]
        if said not in allowed and not (isinstance(said, list) and value in said):
            return False
    return True


def counts(answers: list, expected: list) -> tuple[int, int]:
    pairs = list(zip(answers, expected))
    intents = sum(answer is not None and answer["intent"] == want["intent"] for answer, want in pairs)
    return intents, sum(is_right(answer, want) for answer, want in pairs)


def percentile(took: list[int], share: float) -> float:
    return sorted(took)[int((len(took) - 1) * share)] / 1000 if took else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("templates", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--languages", nargs="*")
    parser.add_argument("--differences", action="store_true", help="print sentences that only hassil gets right")
    options = parser.parse_args()
    worse, totals, all_took, most_kib = [], [0] * 5, ([], []), 0
    print("| language | sentences | hassil: intent | right | joi-templates: intent | right |")
    print("|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as scratch:
        tests = tests_of(options.sources, pathlib.Path(scratch))
        for path in sorted(options.templates.glob("*.json")):
            language = path.stem
            if not (tests / language).is_dir() or (options.languages and language not in options.languages):
                continue
            data = json.loads(path.read_text(encoding="utf-8"))
            groups = groups_of(tests / language)
            expected = [want for group in groups for want in group["expected"]]
            sentences = [sentence for group in groups for sentence in group["sentences"]]
            job = {"file": str(path), "numbers": words_of_numbers(language, data), "groups": [spoken_lists(group) for group in groups]}
            ran = subprocess.run([options.program], input=json.dumps(job), stdout=subprocess.PIPE, text=True, check=True)
            ours = json.loads(ran.stdout)
            most_kib = max(most_kib, ours["kib"])
            peers, took = by_hassil(data, groups)
            all_took[0].extend(took)
            all_took[1].extend(ours["microseconds"])
            row = [len(expected), *counts(peers, expected), *counts(ours["answers"], expected)]
            totals = [total + count for total, count in zip(totals, row)]
            print(f"| {language} | " + " | ".join(map(str, row)) + " |", flush=True)
            if row[4] < row[2] or row[3] < row[1]:
                worse.append(language)
            if options.differences:
                for sentence, want, peer, our in zip(sentences, expected, peers, ours["answers"]):
                    if is_right(peer, want) and not is_right(our, want):
                        print(f"  only hassil: {sentence!r} {want} {our}", file=sys.stderr)
    print("| all | " + " | ".join(map(str, totals)) + " |")
    for name, took in zip(("hassil", "joi-templates"), all_took):
        print(f"{name}: p50 {percentile(took, 0.5):.3f} ms, p99 {percentile(took, 0.99):.3f} ms a sentence")
    print(f"joi-templates: at most {most_kib} KiB more memory once a language is loaded")
    if worse or not totals[0]:
        print(f"joi-templates recognises less than hassil in: {', '.join(worse) or 'no sentences found'}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
