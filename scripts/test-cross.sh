#!/usr/bin/env bash
# Builds Joi for a Raspberry Pi (TARGET=pi4) and tries it here under an emulator of its processor, beside the program
# of this machine. Takes a quarter of an hour once everything is built.
#   TARGET=pi5|pi4|zero2   what is built and tried
#   ARM=DIR                this is tried (joi, joi-model, libonnxruntime.so); nothing is built for the Pi
#   NATIVE=DIR             the programs of this machine are there; they are not built either
#   ONLY=NAME,NAME         only these steps
set -euo pipefail
"$(dirname "$0")/setup.sh" test-cross
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

target=${TARGET:-pi4}
case $target in
  pi5) cpu=cortex-a76 ;;
  pi4) cpu=cortex-a72 ;;
  zero2) cpu=cortex-a53 ;;
  *) fail "TARGET is \"$target\"; it can be pi5, pi4 or zero2" ;;
esac
if [ -z "${NATIVE:-}" ]; then
  ready
  NATIVE=$(dirname "$joi")
fi
if [ -z "${ARM:-}" ]; then
  env -u CARGO_TARGET_DIR -u CMAKE_TOOLCHAIN_FILE -u OUT scripts/cross.sh "$target"
  ARM=$cache/cross/$target
fi
exec python3 scripts/test-cross.py "$ARM" "$NATIVE" "$models" "$cpu"
