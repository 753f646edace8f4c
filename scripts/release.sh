#!/usr/bin/env bash
# Makes what a release is published as: an apt repository of the packages, the sources with those of every crate,
# checksums and release notes.
#   DEBS=DIR       the packages (~/.cache/joi/deb, where `make deb` and `make deb-models` put them)
#   OUT=DIR        what is made (~/.cache/joi/release); it is made anew
#   KEY=ID         the GnuPG key that signs the repository; without one it is not signed, and that is told
#   SUITE=stable   the name of the suite
#   DRAFT=1        to try it: whatever packages there are, sources that are not committed, and no crates
set -euo pipefail
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"
scripts/setup.sh deb

debs=$(realpath "${DEBS:-$cache/deb}")
out=$(realpath -m "${OUT:-$cache/release}")
suite=${SUITE:-stable}
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

compgen -G "$debs/*.deb" >/dev/null || fail "$debs has no packages; run \`make deb\` first"
if [ -z "${DRAFT:-}" ]; then
  [ -z "$(git status --porcelain --untracked-files=no)" ] ||
    fail "the sources have changes that are not committed, and would be published without them; commit them, or DRAFT=1 to try it"
  # Whoever gets a program gets its sources.
  other=$(find "$debs" -name '*.deb' ! -name "*_$version-*" ! -name "*_${version}_*" -printf '%f ' 2>/dev/null)
  [ -z "$other" ] || fail "$debs has packages of other versions than $version, whose sources these are not: $other- remove them, or DRAFT=1 to try it"
fi
if [ -n "${KEY:-}" ] && ! gpg --batch --list-secret-keys "$KEY" >/dev/null 2>&1; then
  fail "there is no secret key \"$KEY\" to sign with; \`gpg --list-secret-keys\` shows those that are there"
fi
# Only what this script has made is ever removed by it.
if [ -e "$out" ] && [ ! -e "$out/dists" ] && [ -n "$(ls -A "$out")" ]; then
  fail "$out is not a repository and not empty; give another OUT"
fi
rm -rf "$out"
mkdir -p "$out"

# Builds for one kind of machine are higher versions of the same package: they are in a component of their own, so that
# only who asks for it gets them.
component() {
  case $1 in
    *+pi5_*) echo pi5 ;;
    *+zero2_*) echo zero2 ;;
    *) echo main ;;
  esac
}

fill_pool() {
  local deb folder
  for deb in "$debs"/*.deb; do
    folder=$out/pool/$(component "$deb")/j/$(dpkg-deb -f "$deb" Package)
    mkdir -p "$folder"
    cp --reflink=auto "$deb" "$folder/"
  done
}

# A list of packages for each component and processor.
index() {
  local pool component arch lists
  for pool in "$out"/pool/*; do
    component=$(basename "$pool")
    for arch in amd64 arm64; do
      lists=dists/$suite/$component/binary-$arch
      mkdir -p "$out/$lists"
      (cd "$out" && apt-ftparchive --arch "$arch" packages "pool/$component" >"$lists/Packages")
      gzip -9nk "$out/$lists/Packages"
    done
  done
  local release=$out/dists/$suite/Release
  apt-ftparchive -o APT::FTPArchive::Release::Origin=Joi -o APT::FTPArchive::Release::Label=Joi \
    -o "APT::FTPArchive::Release::Suite=$suite" -o "APT::FTPArchive::Release::Codename=$suite" \
    -o "APT::FTPArchive::Release::Version=$version" -o "APT::FTPArchive::Release::Architectures=amd64 arm64" \
    -o "APT::FTPArchive::Release::Components=$(cd "$out/pool" && echo *)" \
    -o "APT::FTPArchive::Release::Date=$(date -u -R -d "@$SOURCE_DATE_EPOCH" | sed 's/+0000/UTC/')" \
    release "$out/dists/$suite" >"$out/.Release"
  mv "$out/.Release" "$release"
}

sign() {
  local release=$out/dists/$suite/Release
  if [ -z "${KEY:-}" ]; then
    say "not signed, since no KEY was given: apt takes it only with [trusted=yes]"
    return
  fi
  gpg --batch --yes --local-user "$KEY" --digest-algo SHA512 --clearsign --output "${release%/*}/InRelease" "$release"
  gpg --batch --yes --local-user "$KEY" --digest-algo SHA512 --armor --detach-sign --output "$release.gpg" "$release"
  gpg --batch --yes --armor --output "$out/joi.asc" --export "$KEY"
}

# The sources of exactly this with those of every crate, as the licence of espeak-ng, which is in one of them, asks for.
add_sources() {
  mkdir -p "$out/sources"
  git archive --format=tar --prefix="joi-$version/" HEAD | gzip -9n >"$out/sources/joi-$version.tar.gz"
  [ -z "${DRAFT:-}" ] || return 0
  local crates
  crates=$(mktemp -d "$cache/crates.XXXXXX")
  cargo vendor --quiet --locked --versioned-dirs "$crates/vendor" >/dev/null
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$crates" -cf - vendor |
    gzip -6n >"$out/sources/joi-$version-crates.tar.gz"
  rm -rf "$crates"
}

# The part of CHANGELOG.md that is about this version.
changes() {
  awk -v heading="## [$1]" 'index($0, heading) == 1 { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md |
    sed -e '/./,$!d'
}

write_notes() {
  local told
  told=$(changes "$version")
  if [ -n "$told" ] && [ -n "$(changes Unreleased)" ]; then
    say "CHANGELOG.md has [Unreleased] changes above [$version]: raise the version before this is published"
  fi
  if [ -z "$told" ]; then
    say "CHANGELOG.md has no section [$version]: the release notes are made of [Unreleased]"
    told=$(changes Unreleased)
  fi
  [ -n "$told" ] || fail "CHANGELOG.md has nothing about $version and nothing unreleased"
  {
    printf '# Joi %s\n\n%s\n\n## Files\n\n```\n' "$version" "$told"
    cat "$out/SHA256SUMS"
    printf '```\n\nHow to install, upgrade and remove the packages: docs/user/package.md.\n'
  } >"$out/RELEASE_NOTES.md"
}

fill_pool
index
sign
add_sources
(cd "$out" && find pool sources -type f | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
write_notes
say "the repository is in $out, the release notes are in $out/RELEASE_NOTES.md"
