#!/usr/bin/env bash
# Talks to joi's Wyoming server with the protocol's own library and its benchmark, and has joi talk through satellites of the
# package wyoming-satellite; all of them are installed once, below the cache. Needs Python 3.10 or newer. JOI_BINARY: the joi
# to test.
set -euo pipefail

# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

python=$cache/wyoming-peers/bin/python
if [ ! -x "$cache/wyoming-peers/bin/wyoming-bench" ]; then
  python3 -m venv "$cache/wyoming-peers"
  "$python" -m pip install -q wyoming==1.10.2 wyoming-bench==2026.10.0
fi
# It needs an older library.
satellite=$cache/wyoming-satellite/bin/python
if [ ! -x "$satellite" ]; then
  python3 -m venv "$cache/wyoming-satellite"
  "$satellite" -m pip install -q wyoming-satellite==1.0.0
fi
[ -n "${JOI_BINARY:-}" ] || build build --bin joi
joi=${JOI_BINARY:-$joi}

work=$(mktemp -d)
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
export JOI_CONFIG=$work/config.toml JOI_DATA=$work/data JOI_RUNTIME=$work/run JOI_MODELS=$models
port=$((20000 + RANDOM % 20000))
cat >"$work/config.toml" <<END
[audio]
host = "alsa"
input = ["no such microphone"]
output = ["no such speaker"]
[hear.stt]
model = "tiny.en"
[satellites.wyoming]
listen = "127.0.0.1:$port"
conversation = true
connections = 32
connections_of_a_peer = 32
[satellites.rooms.kitchen]
address = "127.0.0.1:$((port + 1))"
[satellites.rooms.bath]
address = "127.0.0.1:$((port + 2))"
END
"$joi" run >"$work/run.log" 2>&1 &
started+=($!)
for ((tries = 0; ; tries++)); do
  "$cache/wyoming-peers/bin/wyoming-bench" info "127.0.0.1:$port" >"$work/info" 2>&1 && break
  [ "$tries" -lt 120 ] || fail "joi does not serve: $(tail -n 5 "$work/run.log")"
  sleep 0.5
done
cat "$work/info"

"$python" tests/peers/wyoming_client.py "$port" tests/data/jfk.wav tests/data/hear/phrase.wav
say "the protocol's own library is served"

bench() {
  "$cache/wyoming-peers/bin/wyoming-bench" "$@" | tee "$work/bench"
  ! grep -qiE "failed: [1-9]|error" "$work/bench" || fail "wyoming-bench $1: a measurement failed"
}
bench tts "127.0.0.1:$port" --mode both --rounds 1
mkdir "$work/corpus"
cp tests/data/jfk.wav "$work/corpus/"
echo "And so my fellow Americans, ask not what your country can do for you, ask what you can do for your country." \
  >"$work/corpus/jfk.txt"
bench stt "127.0.0.1:$port" --corpus "$work/corpus" --rounds 1
"$joi" status | grep satellites

# One that always sends, and one whose wake phrase is found by joi's own server.
start_satellite() {
  local name=$1 at=$2
  shift 2
  "$satellite" -m wyoming_satellite --name "$name" --uri "tcp://127.0.0.1:$at" --no-zeroconf \
    --mic-command "$python tests/peers/satellite_microphone.py $work/$name.say" \
    --snd-command "sh -c 'cat >>$work/$name.raw'" --snd-command-rate 22050 \
    --transcript-command "sh -c 'cat >>$work/$name.words'" "$@" >"$work/$name.log" 2>&1 &
  started+=($!)
}
start_satellite kitchen $((port + 1))
start_satellite bath $((port + 2)) --wake-uri "tcp://127.0.0.1:$port" --wake-word-name hey_jarvis
for ((tries = 0; ; tries++)); do
  [ "$("$joi" rooms list --json | grep -c '"state": "connected"')" != 2 ] || break
  [ "$tries" -lt 120 ] || fail "the satellites are not connected: $("$joi" rooms list)"
  sleep 0.5
done
"$joi" rooms test
"$python" tests/peers/satellite_peer.py "$work" assets/demo/conversation.wav kitchen bath
"$joi" rooms list
say "joi talks through satellites of wyoming-satellite"
