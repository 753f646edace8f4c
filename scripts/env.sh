# shellcheck shell=bash
# Sourced by the other scripts: where the build goes and with which settings. Nothing of it lies in
# the checkout, so that one that was cleaned builds in minutes less.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/joi
# shellcheck disable=SC2034 # used by setup.sh
models=${JOI_MODELS:-$cache/models}

# The native libraries are built for this processor's instructions, and their build scripts don't
# notice when the directory moves to another machine or their settings change. Nor does cargo notice that a file belongs to
# another checkout when it is the older one: a directory for each kind of processor, each checkout and these settings.
place=$({ pwd -P; uname -m; cat cmake/joi.cmake; grep -m1 -E '^(flags|Features)' /proc/cpuinfo || true; } | sha256sum | cut -c1-12)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$cache/target-$place}
# At a fixed place, since a changed path would build them again; not touched while it is the same.
export CMAKE_TOOLCHAIN_FILE=$cache/build/toolchain.cmake
if ! cmp -s cmake/joi.cmake "$CMAKE_TOOLCHAIN_FILE"; then
  mkdir -p "$cache/build"
  cp cmake/joi.cmake "$CMAKE_TOOLCHAIN_FILE"
fi
[ -d "$HOME/.cargo/bin" ] && PATH=$HOME/.cargo/bin:$PATH
joi=$CARGO_TARGET_DIR/release/joi
# shellcheck disable=SC2034 # used by setup.sh and cross.sh
arm=aarch64-unknown-linux-gnu

say() { echo "joi: $*" >&2; }
fail() {
  say "$*"
  exit 1
}

# Everything built and every model there; quick when that is so already.
ready() {
  build build --bin joi --bin joi-model
  "$joi" models fetch
}

# The names of our packages.
ours=()
for manifest in Cargo.toml crates/*/Cargo.toml; do
  ours+=("$(sed -n 's/^name = "\(.*\)"/\1/p' "$manifest" | head -n 1)")
done

# What is built in besides, by the caller's wish: FEATURES=rustpotter.
besides=()
[ -z "${FEATURES:-}" ] || besides=(--features "joi/${FEATURES//,/,joi/}")

# Tests check what joi does, not how fast: our crates are built with all checks, without optimisation, which takes a third of
# the time to build. Those that must keep up with sound in real time get the first level of it, and so do those that read
# thousands of sentences, since reading takes longer than building there; libraries are built as for a release. What can be
# left out of the program is in.
checks=(--features joi/rustpotter)
for package in "${ours[@]}"; do
  case $package in
    joi-model) continue ;;
    joi-audio | joi-hear | joi-speak | joi-language | joi-understand | joi-redact | joi-answer) level=1 ;;
    *) level=0 ;;
  esac
  for setting in debug-assertions=true overflow-checks=true "opt-level=$level"; do
    checks+=(--config "profile.release.package.$package.$setting")
  done
done
# The unit tests of all crates, and all the others.
run_unit_tests() { build test "${checks[@]}" --lib "$@"; }
run_tests() { build test "${checks[@]}" "$@"; }

# The same for tests.
ready_for_tests() {
  # One call, so that both cores are busy to the end.
  run_tests --lib --bins --test '*' --no-run
  # How fast these are is of no interest to whoever uses her.
  XDG_CACHE_HOME=$cache/build/tests JOI_MODELS=$models "$joi" models fetch
}

# Runs tests, so many minutes at most. Where one never ends, it is told what each thread of the tests waits for, and they
# are ended: tests of other checkouts are not.
limited() {
  local minutes=$1 watch status=0
  shift
  (
    for ((; minutes > 0; minutes--)); do
      sleep 60 >/dev/null 2>&1
      kill -0 $$ 2>/dev/null || exit 0
    done
    say "these tests do not end:"
    pgrep -f "^$CARGO_TARGET_DIR/release/deps/" | while read -r test; do
      for thread in "/proc/$test/task"/*; do
        say "  $(cat "/proc/$test/comm" "$thread/comm" "$thread/wchan" 2>/dev/null | tr '\n' ' ')"
      done
    done
    pkill -KILL -f "^$CARGO_TARGET_DIR/release/deps/"
  ) &
  watch=$!
  "$@" || status=$?
  kill "$watch" 2>/dev/null || true
  return "$status"
}

# The one way to call cargo: the same packages and profile every time, so that nothing is built twice.
build() {
  local status=0
  cargo "$1" --workspace --locked --release "${besides[@]}" "${@:2}" || status=$?
  # The build script of espeak-rs-sys names headers that it copies itself as what it depends on. They are newer than the
  # moment it began, so that the next call of cargo would build it, and everything that needs it, once more.
  find "$CARGO_TARGET_DIR"/{,*/}release/build/espeak-rs-sys-*/out/espeak-ng -name '*.h' -exec touch -d 2000-01-01 {} + \
    2>/dev/null || true
  return "$status"
}
