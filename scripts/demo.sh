#!/usr/bin/env bash
# A whole conversation over files: two questions in two synthetic voices other than hers, her answers
# in demo.wav, the transcript, the replies and where the time went on standard output.
set -euo pipefail
"$(dirname "$0")/setup.sh" test
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

ready
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# $1: file, $2: text. Each as 16 kHz mono, so that they can be put together.
flite_says() { flite -voice rms -t "$2" -o "$work/raw.wav" && sox "$work/raw.wav" -r 16000 -c 1 -b 16 "$1"; }
espeak_says() { espeak-ng -v en-us+f3 -s 150 -w "$work/raw.wav" "$2" && sox "$work/raw.wav" -r 16000 -c 1 -b 16 "$1"; }

flite_says "$work/1.wav" "hey jarvis, what time is it?"
espeak_says "$work/2.wav" "hey jarvis, why is the sky blue?"
sox -n -r 16000 -c 1 -b 16 "$work/pause.wav" trim 0 3
sox "$work/pause.wav" "$work/1.wav" "$work/pause.wav" "$work/2.wav" "$work/pause.wav" "$work/questions.wav"

"$joi" hear --wav "$work/questions.wav" --out demo.wav
say "her voice is in demo.wav"
