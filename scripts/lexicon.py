#!/usr/bin/env python3
"""Makes assets/wake/lexicon.txt, the words that a wake phrase is told apart from.

    scripts/lexicon.py cmudict.dict ggml-tiny.en-q8_0.bin > assets/wake/lexicon.txt

In: the CMU Pronouncing Dictionary (`cmudict.dict`, BSD-2-Clause) and a whisper model of English, as
`joi models fetch` keeps it. Taken are the dictionary's words that the model writes with one token: those are
the words people use, and the token's number tells how often. The most frequent come first.

A line is a word and how it is said, one letter for each sound, without stress; a second way to say it
follows when there is one.
"""
import re
import struct
import sys

LETTERS = {
    # vowels
    "AA": "A", "AE": "X", "AH": "U", "AO": "O", "AW": "W", "AY": "I", "EH": "E", "ER": "R", "EY": "Y",
    "IH": "H", "IY": "J", "OW": "P", "OY": "Q", "UH": "V", "UW": "Z",
    # consonants
    "B": "b", "CH": "c", "D": "d", "DH": "q", "F": "f", "G": "g", "HH": "h", "JH": "j", "K": "k", "L": "l",
    "M": "m", "N": "n", "NG": "x", "P": "p", "R": "r", "S": "s", "SH": "a", "T": "t", "TH": "o", "V": "v",
    "W": "w", "Y": "y", "Z": "z", "ZH": "i",
}
MOST_SOUNDS = 9
MOST_WAYS = 2


def ways(dictionary):
    """How each word is said, in the dictionary's order."""
    said = {}
    for line in open(dictionary, encoding="latin-1"):
        word, *sounds = line.split("#")[0].split()
        word = word.split("(")[0]
        said.setdefault(word, []).append("".join(LETTERS[s.rstrip("012")] for s in sounds))
    return said


def tokens(model):
    """The vocabulary of a ggml file, by number."""
    with open(model, "rb") as file:
        file.read(4 + 11 * 4)
        mels, bins = struct.unpack("<2i", file.read(8))
        file.seek(mels * bins * 4, 1)
        (count,) = struct.unpack("<i", file.read(4))
        for _ in range(count):
            (length,) = struct.unpack("<I", file.read(4))
            yield file.read(length).decode("utf-8", "ignore")


def main(dictionary, model):
    said, taken = ways(dictionary), set()
    for token in tokens(model):
        word = token[1:].lower()
        if not re.fullmatch(r" [A-Za-z][a-z]*", token) or word in taken or (len(word) < 2 and word not in "ai"):
            continue
        short = [way for way in dict.fromkeys(said.get(word, [])) if len(way) <= MOST_SOUNDS][:MOST_WAYS]
        if short:
            taken.add(word)
            print(word, *short)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
