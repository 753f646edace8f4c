#!/usr/bin/env bash
# Makes this machine able to build and run Joi: Debian packages, Rust, room on the disk. Asks nothing and does nothing the
# second time. With "test" also installs what the tests need, with "code" clippy and rustfmt, with "lint" also what the
# other checks need, with "cross" what building for 64-bit ARM needs, with "test-cross" also what runs such a program here.
set -euo pipefail
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

packages=(build-essential cmake clang libclang-dev pkg-config libasound2-dev ca-certificates curl python3)
case ${1:-} in
  deb) packages+=(dpkg-dev lintian apt-utils gpg) ;;
  test-deb) packages+=(dpkg-dev lintian apt-utils gpg debootstrap) ;;
  test) packages+=(pulseaudio pulseaudio-utils sox espeak-ng flite systemd) ;;
  lint) packages+=(shellcheck) ;;
  cross) packages+=(gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross libasound2-dev:arm64) ;;
  test-cross) packages+=(qemu-user-static libstdc++6:arm64 libasound2:arm64) ;;
esac

# Bytes that a directory takes when all is there, in GiB, rounded up: build, models, downloads.
room_for_build=4
room_for_models=2

check_room() {
  local need=0 dir free
  [ -x "$joi" ] || [ -x "$CARGO_TARGET_DIR/$arm/release/joi" ] || need=$((need + room_for_build))
  [ -e "$models/chat-qwen2.5-coder-0.5b" ] || need=$((need + room_for_models))
  dir=$cache
  until [ -d "$dir" ]; do dir=$(dirname "$dir"); done
  free=$(df --output=avail -B1G "$dir" | tail -n 1)
  if [ "$free" -lt "$need" ]; then
    fail "$dir has ${free// /} GiB free and $need are needed to build Joi and fetch her models." \
      "Free some space, or set XDG_CACHE_HOME to another disk."
  fi
}

installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

may_be_root() {
  [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; }
}

install() {
  local command="apt-get update && apt-get install -y --no-install-recommends $*"
  local foreign=
  # Packages of another architecture are known to apt once it is told of it.
  if [[ " $* " == *:arm64\ * ]] && ! dpkg --print-foreign-architectures | grep -qx arm64; then
    foreign=arm64
    command="dpkg --add-architecture arm64 && $command"
  fi
  may_be_root || fail "these packages are missing and may not be installed from here. Run this as root, then again what you ran:
    $command"
  say "installing $*"
  [ -z "$foreign" ] || as_root dpkg --add-architecture "$foreign"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

install_packages() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null; then
    say "this is no Debian; make sure that these are installed: ${packages[*]}"
    return
  fi
  # Wheels are fetched with pip, whichever Python it belongs to.
  [ -e "$models/onnxruntime/libonnxruntime.so" ] || python3 -m pip --version >/dev/null 2>&1 || packages+=(python3-pip)
  for package in "${packages[@]}"; do
    installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] || install "${missing[@]}"
}

# Whether cargo is there and as new as Cargo.toml asks.
rust_is_good() {
  local wanted have
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
  have=$(cargo --version 2>/dev/null | cut -d' ' -f2) || return 1
  [ -n "$have" ] && printf '%s\n%s\n' "$wanted" "$have" | sort -CV
}

install_rust() {
  rust_is_good && return
  say "installing Rust"
  if command -v rustup >/dev/null; then
    rustup toolchain install stable --profile minimal -c clippy -c rustfmt || true
    rustup default stable || true
  elif curl -fsS --connect-timeout 10 --max-time 60 -o "$cache/rustup.sh" https://sh.rustup.rs; then
    sh "$cache/rustup.sh" -y --quiet --profile minimal -c clippy -c rustfmt --no-modify-path || true
  fi
  PATH=$HOME/.cargo/bin:$PATH
  hash -r
  rust_is_good && return
  # Debian keeps a recent Rust for its web browsers; in the next release it is the ordinary one.
  if command -v apt-cache >/dev/null && [ -n "$(apt-cache madison cargo-web)" ]; then
    install cargo-web rustc-web
  else
    install cargo rustc
  fi
  hash -r
  rust_is_good || fail "Rust is older than Cargo.toml asks for. Install it from https://rustup.rs, then run this again."
}

# What Rust needs to build for 64-bit ARM: rustup brings it, and Debian has it beside its own Rust.
install_rust_for_arm() {
  local libraries package
  libraries=$(rustc --print sysroot)/lib/rustlib/$arm/lib
  has_it() { compgen -G "$libraries/libcore-*.rlib" >/dev/null; }
  has_it && return
  say "installing Rust's libraries for 64-bit ARM"
  if command -v rustup >/dev/null; then
    rustup target add "$arm" || true
  elif package=$(dpkg-query -S "$(readlink -f "$(command -v rustc)")" 2>/dev/null | cut -d: -f1) &&
    [[ $package == rustc || $package == rustc-web ]]; then
    install "libstd-rust${package#rustc}-dev:arm64"
  fi
  has_it || fail "this Rust ($(command -v rustc)) lacks its libraries for $arm, and they can't be had from here." \
    "Install Rust from https://rustup.rs, run \`rustup target add $arm\`, then run this again."
}

# rustup brings them, and Debian has them beside its own Rust.
install_clippy() {
  cargo clippy --version >/dev/null 2>&1 && cargo fmt --version >/dev/null 2>&1 && return
  say "installing clippy and rustfmt"
  if command -v rustup >/dev/null; then
    rustup component add clippy rustfmt
  elif installed cargo-web; then
    install rust-web-clippy rustfmt-web
  else
    install rust-clippy rustfmt
  fi
}

# Built once, in a few minutes, outside of the checkout.
install_cargo_deny() {
  cargo deny --version >/dev/null 2>&1 && return
  say "installing cargo-deny"
  env -u CARGO_TARGET_DIR -u CMAKE_TOOLCHAIN_FILE cargo install cargo-deny --locked --quiet
}

mkdir -p "$cache"
check_room
install_packages
install_rust
case ${1:-} in
  code) install_clippy ;;
  lint)
    install_clippy
    install_cargo_deny
    ;;
  cross) install_rust_for_arm ;;
esac
