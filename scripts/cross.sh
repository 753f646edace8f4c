#!/usr/bin/env bash
# Builds Joi for a Raspberry Pi on a PC, with Debian's cross compiler and without containers:
#   cross.sh pi5|pi4|zero2
# Puts joi, joi-model and libonnxruntime.so into ~/.cache/joi/cross/TARGET and prints their sha256. The same sources
# give the same bytes, wherever they lie and wherever they are built.
#   CARGO_TARGET_DIR=DIR  where cargo builds (~/.cache/joi/cross-TARGET-..., one for each checkout, as in env.sh)
#   OUT=DIR               where the result goes
#   FEATURES=rustpotter   what is built in besides; for zero2 by itself
set -euo pipefail
target=${1:-}
case $target in
  # The same recipes are there for those who build in a container.
  pi5 | zero2) recipe=cross/$target.toml ;;
  pi4) recipe=cross/Cross.toml ;;
  *)
    echo "joi: TARGET is \"$target\"; it can be pi5, pi4 or zero2, for example: make cross TARGET=pi5" >&2
    exit 2
    ;;
esac

# There phrases are known by recordings alone: it is too slow to score them.
[ "$target" != zero2 ] || FEATURES=${FEATURES-rustpotter}

place=$(cd "$(dirname "$0")/.." && pwd -P | sha256sum | cut -c1-12)
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/joi/cross-$target-$place}
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"
out=${OUT:-$cache/cross/$target}
value() { sed -n "s/^build-args = .* $1 = \"\([^\"]*\)\".*/\1/p" "$recipe" | grep .; }
march=$(value MARCH)
mtune=$(value MTUNE)
features=$(value FEATURES)
scripts/setup.sh cross
mkdir -p "$CARGO_TARGET_DIR" "$cache/build/cross" "$out"

# At a place of their own, as in env.sh. What runs here (the build script's espeak-ng) is built for here.
for file in joi.cmake aarch64.cmake; do
  cmp -s "cmake/$file" "$cache/build/cross/$file" || cp "cmake/$file" "$cache/build/cross/$file"
done
export CMAKE_TOOLCHAIN_FILE=$cache/build/cross/aarch64.cmake HOST_CMAKE_TOOLCHAIN_FILE=$cache/build/cross/joi.cmake
export GGML_CPU_ARM_ARCH=$march

# No place of this machine gets into the program, and no time: __FILE__, panics and __DATE__ would tell them.
cargo fetch --locked --quiet
crates=$(find -L "${CARGO_HOME:-$HOME/.cargo}/registry/src" -maxdepth 2 -type d -name 'llama-cpp-sys-2-*' | head -n 1)
[ -n "$crates" ] || fail "cargo keeps the crates nowhere below ${CARGO_HOME:-$HOME/.cargo}/registry/src"
crates=$(dirname "$crates")
export JOI_REMAP_CRATES=$crates JOI_REMAP_SOURCES=$PWD
export RUSTC_WRAPPER=$PWD/scripts/cross-rustc.sh
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date -r Cargo.lock +%s)}
export SOURCE_DATE_EPOCH GIT_CEILING_DIRECTORIES=$CARGO_TARGET_DIR:$crates LC_ALL=C.UTF-8 TZ=UTC
flags="-march=$march -mtune=$mtune -ffile-prefix-map=$CARGO_TARGET_DIR=/build -ffile-prefix-map=$crates=/crates"

# Flags of the caller are for this machine.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CC CXX AR
suffix=${arm//-/_}
export "CC_$suffix=aarch64-linux-gnu-gcc" "CXX_$suffix=aarch64-linux-gnu-g++" "AR_$suffix=aarch64-linux-gnu-ar"
export "CFLAGS_$suffix=$flags" "CXXFLAGS_$suffix=$flags"
export "BINDGEN_EXTRA_CLANG_ARGS_$suffix=-isystem /usr/aarch64-linux-gnu/include"
export "CARGO_TARGET_${suffix^^}_LINKER=aarch64-linux-gnu-gcc"
# Never "target-cpu": the crate of llama.cpp hands it to GCC, which has other names for -march.
export "CARGO_TARGET_${suffix^^}_RUSTFLAGS=-C target-feature=$features"
export PKG_CONFIG_ALLOW_CROSS=1 PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig

# Stripped by the linker, not afterwards: its build ID is a sum over all that it writes, and names of symbols tell places.
build build --bin joi --bin joi-model --target "$arm" --config 'profile.release.strip="symbols"'
for program in joi joi-model; do
  install -m 755 "$CARGO_TARGET_DIR/$arm/release/$program" "$out/.$program"
  mv "$out/.$program" "$out/$program"
done
scripts/onnxruntime.py aarch64 "$out/libonnxruntime.so"
say "built for $target in $out"
cd "$out" && sha256sum joi joi-model libonnxruntime.so
