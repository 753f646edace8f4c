#!/usr/bin/env bash
# A whole conversation over files: two questions in two synthetic voices other than hers, her answers
# in demo.wav, the transcript, the replies and where the time went on standard output.
set -euo pipefail
"$(dirname "$0")/setup.sh"
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

ready
"$joi" hear --wav assets/demo/conversation.wav --out demo.wav
say "her voice is in demo.wav"
