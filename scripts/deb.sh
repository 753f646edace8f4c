#!/usr/bin/env bash
# Builds the Debian package of Joi, or the one with her models, checks it with lintian and prints where it is.
#   deb.sh          joi_VERSION_ARCH.deb
#   deb.sh models   joi-models_VERSION_all.deb, of the models that every installation needs
#   deb.sh units DIR  only the units of the package and its program joi-service, into DIR
#   ARCH=amd64|arm64          for which processors; this machine's by itself
#   TARGET=pi4|pi5|zero2      how it is built for arm64 (make cross); pi4 by itself, which runs on all of them
#   VERSION=1.2.3-1           instead of Cargo.toml's with revision 1
#   BUILT=DIR                 joi, joi-model and libonnxruntime.so are in DIR already
#   BUILT=tests               those that `make test` has built for this machine: to try the package, not to give it away
#   OUT=DIR                   where the package goes (~/.cache/joi/deb)
set -euo pipefail
arch=${ARCH:-$(dpkg --print-architecture 2>/dev/null || true)}
what=${1:-joi}
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"
command -v dpkg-deb >/dev/null || fail "the packages are built on Debian; here there is no dpkg-deb"
if [ "$what" != units ]; then
  scripts/setup.sh deb
  # The other processor's libraries, of which the dependencies are, and an emulator for what the program tells of itself.
  [ "$arch" = "$(dpkg --print-architecture)" ] || scripts/setup.sh test-cross
fi

out=${OUT:-$cache/deb}
tools=$cache/tools
version=${VERSION:-$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)-1}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date -r Cargo.lock +%s)}
export SOURCE_DATE_EPOCH

# Tools are built once, in a few minutes, outside of the checkout.
tool() {
  local name=$1 wanted=$2
  shift 2
  [ "$("$tools/bin/$name" --version 2>/dev/null | sed 's/.* //')" = "$wanted" ] && return
  say "installing $name"
  # The settings of the build are not theirs.
  (cd / && env -u CMAKE_TOOLCHAIN_FILE CARGO_TARGET_DIR="$cache/build/tools" \
    cargo install --quiet --locked --root "$tools" --version "$wanted" "$@" "$name")
}

# --- the programs ----------------------------------------------------------------------------------------------------

# For other machines than this one: what every x86-64 processor since 2013 has (debian/preinst asks for it).
build_amd64() {
  export CARGO_TARGET_DIR=$cache/deb-amd64
  local crates
  cargo fetch --locked --quiet
  crates=$(find -L "${CARGO_HOME:-$HOME/.cargo}/registry/src" -mindepth 1 -maxdepth 1 -type d -name 'index.crates.io-*' | head -n 1)
  unset CARGO_ENCODED_RUSTFLAGS CFLAGS CXXFLAGS
  # All checkouts share what takes long; cargo would not notice that a file of ours is another checkout's (env.sh).
  if [ "$(cat "$CARGO_TARGET_DIR/checkout" 2>/dev/null)" != "$PWD" ]; then
    mkdir -p "$CARGO_TARGET_DIR"
    cargo clean --quiet --release "${ours[@]/#/-p}"
    echo "$PWD" >"$CARGO_TARGET_DIR/checkout"
  fi
  GGML_NATIVE=OFF RUSTFLAGS="-C target-cpu=x86-64-v3 --remap-path-prefix=$crates=/crates" \
    build build --bin joi --bin joi-model --config 'profile.release.strip="symbols"' >&2
  BUILT=$CARGO_TARGET_DIR/release
  "$BUILT/joi" --set "models.dir=$models" models fetch onnxruntime >&2
  cp -u "$models/onnxruntime/libonnxruntime.so" "$BUILT/libonnxruntime.so"
}

# Quick to make, and with all checks.
take_from_tests() {
  local program
  [ "$arch" = "$(dpkg --print-architecture)" ] || fail "the tests build for this machine; leave BUILT unset for $arch"
  BUILT=$cache/build/deb-tests
  mkdir -p "$BUILT"
  for program in joi joi-model; do
    [ -e "$CARGO_TARGET_DIR/release/$program" ] || fail "$program is not built; run \`make test\` first"
    strip -o "$BUILT/$program" "$CARGO_TARGET_DIR/release/$program"
  done
  cp -u "$models/onnxruntime/libonnxruntime.so" "$BUILT/"
}

find_programs() {
  local file
  if [ "${BUILT:-}" = tests ]; then take_from_tests; fi
  if [ -z "${BUILT:-}" ]; then
    case $arch in
      amd64) build_amd64 ;;
      arm64)
        # The cross build has its own directories.
        env -u CARGO_TARGET_DIR -u CMAKE_TOOLCHAIN_FILE make --no-print-directory cross "TARGET=$target" >&2
        BUILT=$cache/cross/$target
        ;;
    esac
  fi
  for file in joi joi-model libonnxruntime.so; do
    [ -e "$BUILT/$file" ] || fail "$BUILT/$file is not there; build it, or leave BUILT unset"
  done
}

# Runs a program that was built, where need be in an emulator.
run_built() {
  local program=$BUILT/$1
  shift
  case $arch in
    "$(dpkg --print-architecture)") "$program" "$@" ;;
    arm64) qemu-aarch64-static -L /usr/aarch64-linux-gnu "$program" "$@" ;;
    *) fail "nothing here runs a program for $arch" ;;
  esac
}

# --- what is in the package besides ----------------------------------------------------------------------------------

# The unit of the machine: a user of her own instead of a dynamic one, and models that are fetched.
make_units() {
  local to=$1
  # Settings that Debian 12's systemd does not know are left out.
  sed -e 's|/usr/local/bin/|/usr/bin/|' -e 's|^DynamicUser=yes$|User=joi\nGroup=joi|' -e '/^Environment=JOI_MODELS=/d' \
    -e 's|^After=sound.target.*|Wants=joi-models.service\n& joi-models.service|' \
    -e '/^# .sudo make install. puts/d' -e '/^# Known to systemd 254/d' -e '/^RestartSteps=/d' -e '/^RestartMaxDelaySec=/d' \
    systemd/joi.service >"$to/joi.service"
  sed -e 's|%h/.local/bin/|/usr/bin/|' -e 's|^After=pipewire.*|Wants=joi-models.service\n& joi-models.service|' \
    -e '/^# .make install. puts/d' -e '/^# Known to systemd 254/d' -e '/^RestartSteps=/d' -e '/^RestartMaxDelaySec=/d' \
    systemd/user/joi.service >"$to/joi.user.service"
  {
    echo "# Known to systemd 254 and later: the pause before the next start grows to a minute."
    echo "[Service]"
    grep -E '^(RestartSteps|RestartMaxDelaySec)=' systemd/joi.service
  } >"$to/restart.conf"
  local line unit
  for line in User=joi Group=joi Wants=joi-models.service; do
    grep -qx "$line" "$to/joi.service" || fail "systemd/joi.service is not as scripts/deb.sh expects it: no $line in it"
  done
  for unit in "$to/joi.service" "$to/joi.user.service"; do
    for line in '^ExecStart=/usr/bin/joi run' '^After=.* joi-models.service$'; do
      grep -q "$line" "$unit" || fail "$unit is not as scripts/deb.sh expects it: nothing in it is like $line"
    done
    if grep -E '/usr/local|%h/.local/bin|DynamicUser' "$unit" >&2; then fail "$unit still has that"; fi
  done
}

# The places of the service, out of its unit.
make_wrapper() {
  local unit=$1 to=$2 name runtime data environment
  environment=$(sed -n 's/^Environment=\([A-Z_]*\)=\(.*\)$/\1=\2/p' "$unit")
  runtime=$(sed -n 's/^JOI_RUNTIME=//p' <<<"$environment")
  data=$(sed -n 's/^JOI_DATA=//p' <<<"$environment")
  if [ -z "$runtime" ] || [ -z "$data" ]; then fail "$unit names no JOI_RUNTIME or no JOI_DATA"; fi
  environment=$(while IFS= read -r name; do printf "export %s='%s'\n" "${name%%=*}" "${name#*=}"; done <<<"$environment")
  while IFS= read -r line; do
    [ "$line" != @ENVIRONMENT@ ] || line=$environment
    line=${line//@RUNTIME@/$runtime}
    printf '%s\n' "${line//@DATA@/$data}"
  done <debian/joi-service.in >"$to"
}

make_manual() {
  mkdir -p "$1"
  run_built joi man-pages "$1"
  run_built joi-model --man-page >"$1/joi-model.1"
  cp debian/joi-service.1 "$1/"
  gzip -9nf "$1"/*.1
}

# The licences of crates are in cargo-about's list, which takes minutes and depends on nothing but these files; the
# native libraries in them have their own.
make_licences() {
  local to=$1 crates crate file list
  list=$cache/build/licences-$(sed '/^\[package.metadata.deb\]/,/^\[profile/d' Cargo.toml |
    cat - Cargo.lock crates/*/Cargo.toml debian/about.* | sha256sum | cut -c1-16)
  if [ ! -s "$list" ]; then
    tool cargo-about 0.9.3 --features cli
    say "gathering the licences of the dependencies"
    "$tools/bin/cargo-about" about generate --offline --locked --workspace --fail --config debian/about.toml debian/about.hbs >"$list.new"
    mv "$list.new" "$list"
  fi
  cp "$list" "$to/THIRD-PARTY"
  crates=$(cargo metadata --format-version 1 --locked --offline | python3 -c '
import json, sys
for package in json.load(sys.stdin)["packages"]:
    print(package["name"], package["manifest_path"].rsplit("/", 1)[0])')
  while read -r crate file; do
    file=$(sed -n "s|^$crate ||p" <<<"$crates")/$file
    [ -f "$file" ] || fail "the licence $file is not there any more; look what replaced it"
    printf -- '%s\n%s: a library inside of the crate %s\n%s\n\n' "$line_of_dashes" "${file##*"$crate"-}" "$crate" "$line_of_dashes"
    cat "$file"
    echo
  done <<'LIST' >>"$to/THIRD-PARTY"
whisper-rs-sys whisper.cpp/LICENSE
llama-cpp-sys-2 llama.cpp/LICENSE
espeak-rs-sys espeak-ng/src/ucd-tools/COPYING
espeak-rs-sys espeak-ng/src/ucd-tools/COPYING.UCD
LIST
  {
    printf -- '%s\nespeak-ng: GPL-3.0-or-later; a library inside of the crate espeak-rs-sys\n%s\n\n' "$line_of_dashes" "$line_of_dashes"
    cat LICENSE-GPL
    printf -- '\n%s\nSQLite: public domain; a library inside of the crate libsqlite3-sys\n%s\n' "$line_of_dashes" "$line_of_dashes"
    printf -- '\n%s\nThe CMU Pronouncing Dictionary\n%s\n\n' "$line_of_dashes" "$line_of_dashes"
    cat assets/wake/LICENSE.cmudict
  } >>"$to/THIRD-PARTY"
}
line_of_dashes=------------------------------------------------------------------------------

# What ONNX Runtime contains, from the wheel that the library is from.
make_onnx_notice() {
  local to=$1 wheel
  wheel=$(sed -n '/^\[wheels.onnxruntime-x86_64\]/,/^$/s/^requirement = "\(.*\)"/\1/p' models/manifest.toml)
  if [ ! -s "$cache/build/$wheel.notices" ]; then
    local folder
    folder=$(mktemp -d)
    python3 -m pip --disable-pip-version-check download --quiet --no-deps --no-binary=:none: --only-binary=:all: \
      --platform manylinux_2_28_x86_64 --python-version 3.11 --dest "$folder" "$wheel"
    python3 - "$folder" >"$folder/notices" <<'PYTHON'
import pathlib, sys, zipfile
wheel = zipfile.ZipFile(next(pathlib.Path(sys.argv[1]).glob("*.whl")))
for name in ("onnxruntime/LICENSE", "onnxruntime/ThirdPartyNotices.txt"):
    print(wheel.read(name).decode("utf-8", "replace").replace("\r\n", "\n"), end="\n\n")
PYTHON
    mv "$folder/notices" "$cache/build/$wheel.notices"
    rm -r "$folder"
  fi
  cp "$cache/build/$wheel.notices" "$to"
}

# Debian's changelog: what changed is in the program's own.
make_changelog() {
  local package=$1 told=$2
  printf '%s (%s) stable; urgency=medium\n\n  * %s\n\n -- %s  %s\n' "$package" "$version" "$told" "$maintainer" \
    "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
}
maintainer=$(sed -n '/^\[package.metadata.deb\]/,/^\[/s/^maintainer = "\(.*\)"/\1/p' Cargo.toml)

check() {
  say "lintian looks at $1"
  lintian --allow-root --fail-on error,warning "$1" >&2
}

# --- the packages ----------------------------------------------------------------------------------------------------

make_joi() {
  mkdir -p "$out"
  tool cargo-deb 3.8.0
  find_programs
  local stage=$cache/build/deb-$arch triple deb
  case $arch in
    amd64) triple=x86_64-unknown-linux-gnu ;;
    arm64) triple=aarch64-unknown-linux-gnu ;;
  esac
  rm -rf "$stage"
  local release=$stage/$triple/release
  local package=$release/package
  mkdir -p "$package/doc"
  install -m 755 "$BUILT/joi" "$BUILT/joi-model" "$release/"
  install -m 644 "$BUILT/libonnxruntime.so" "$package/"
  make_units "$package"
  make_wrapper "$package/joi.service" "$package/joi-service"
  make_manual "$package/man"
  local shell
  for shell in bash zsh fish; do run_built joi completions "$shell" >"$package/joi.$shell"; done
  make_licences "$package/doc"
  make_onnx_notice "$package/doc/onnxruntime-third-party"
  cp CHANGELOG.md "$package/doc/changelog"
  cp NOTICE "$package/doc/"
  make_changelog joi "Version ${version%-*}; what is new is in changelog.gz." >"$package/doc/changelog.Debian"
  gzip -9n "$package/doc"/*
  deb=$out/joi_${version}_$arch.deb
  CARGO_TARGET_DIR=$stage "$tools/bin/cargo-deb" deb -p joi --no-build --no-strip --locked --offline --quiet \
    --target "$triple" --deb-version "$version" --output "$deb" >&2
  case $(dpkg-deb -f "$deb" Depends) in
    *:*) fail "a library for $arch is not installed here, so the dependencies are wrong: $(dpkg-deb -f "$deb" Depends)" ;;
    *libc6*) ;;
    *) fail "the dependencies are not known: $(dpkg-deb -f "$deb" Depends)" ;;
  esac
  check "$deb"
  echo "$deb"
}

# Built with dpkg-deb: cargo-deb makes no packages for all architectures, and keeps the whole of them in memory.
make_models() {
  local stage=$cache/build/deb-models deb=$out/joi-models_${version}_all.deb
  mkdir -p "$out"
  find_programs
  # Whatever language will be spoken.
  run_built joi --set language=auto --set "models.dir=$models" models fetch >&2
  rm -rf "$stage"
  mkdir -p "$stage/DEBIAN" "$stage/usr/share/doc/joi-models"
  scripts/model-package.py "$models" "$stage/usr/share/joi/models" debian/joi-models.copyright
  install -m 644 debian/joi-models.copyright "$stage/usr/share/doc/joi-models/copyright"
  install -D -m 644 debian/joi-models.lintian-overrides "$stage/usr/share/lintian/overrides/joi-models"
  make_changelog joi-models "The models of joi ${version%-*}." | gzip -9n >"$stage/usr/share/doc/joi-models/changelog.Debian.gz"
  sed -e "s|@VERSION@|$version|" -e "s|@MAINTAINER@|$maintainer|" \
    -e "s|@SIZE@|$(du -sk --apparent-size "$stage/usr" | cut -f1)|" debian/joi-models.control.in >"$stage/DEBIAN/control"
  (cd "$stage" && find usr -type f -printf '%P\0' | sort -z | sed -z 's|^|usr/|' | xargs -0 md5sum) >"$stage/DEBIAN/md5sums"
  # Weights hardly get smaller, whatever is tried.
  dpkg-deb --build --root-owner-group -Zgzip -z1 "$stage" "$deb" >/dev/null
  rm -r "$stage"
  check "$deb"
  echo "$deb"
}

target=
case $arch in
  amd64) ;;
  arm64)
    target=${TARGET:-pi4}
    # One package for all, and one for those that may take the faster one.
    [ "$target" = pi4 ] || version+=+$target
    ;;
  *) fail "ARCH is \"$arch\"; it can be amd64 or arm64" ;;
esac
case $what in
  joi) make_joi ;;
  models) make_models ;;
  units)
    mkdir -p "${2:?where to}"
    make_units "$2"
    install -m 644 debian/joi-models.service "$2/"
    install -m 644 debian/joi-models.user.service "$2/"
    make_wrapper "$2/joi.service" "$2/joi-service"
    ;;
  *) fail "deb.sh takes nothing, \"models\", or \"units DIR\"" ;;
esac
