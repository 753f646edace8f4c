#!/usr/bin/env bash
# Builds Joi twice for a Raspberry Pi and fails where the programs differ: once here, once from a copy of the sources at
# another place, each in an empty directory of its own. Takes as long as two builds from nothing.
#   TARGET=pi5|pi4|zero2   what is built (pi4)
#   KEEP=DIR               where the results are kept; else they are removed, unless they differ
set -euo pipefail
cd "$(dirname "$0")/.."
sources=$PWD
target=${TARGET:-pi4}
place=${KEEP:-$(mktemp -d "${TMPDIR:-/tmp}/joi-twice.XXXXXX")}
mkdir -p "$place"
for left in first second a-copy-of-the-sources; do
  [ ! -e "$place/$left" ] || { echo "joi: $place/$left is there already; remove it, or name another KEEP" >&2; exit 2; }
done

# What is under version control, as it is now; a copy has no history, which the time stamps are taken from.
copy=$place/a-copy-of-the-sources
mkdir "$copy"
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
else
  tar --exclude=./target -cf - . | tar -C "$copy" -xf -
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date -r Cargo.lock +%s)}
fi
export SOURCE_DATE_EPOCH

# Places of different lengths, so that none of them can be in a program and not be seen.
CARGO_TARGET_DIR=$place/build-1 OUT=$place/first "$sources/scripts/cross.sh" "$target" >&2
rm -rf "$place/build-1"
CARGO_TARGET_DIR=$place/the-second-build OUT=$place/second "$copy/scripts/cross.sh" "$target" >&2
rm -rf "$place/the-second-build" "$copy"

differ=0
for file in joi joi-model libonnxruntime.so; do
  one=$(sha256sum <"$place/first/$file") two=$(sha256sum <"$place/second/$file")
  if [ "$one" = "$two" ]; then
    echo "same    ${one%% *}  $file"
  else
    echo "DIFFER  ${one%% *}  ${two%% *}  $file"
    differ=$((differ + 1))
  fi
done
if [ "$differ" != 0 ]; then
  echo "joi: two builds of the same sources differ; they are in $place (diffoscope shows where)" >&2
  exit 1
fi
[ -n "${KEEP:-}" ] || rm -rf "$place"
