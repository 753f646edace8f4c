#!/usr/bin/env bash
# Installs the packages in a clean Debian 12, uses, upgrades, removes and purges them there. Needs root.
#   DEBS=DIR        the packages are there already; without it joi is built from these sources (`make deb`), joi-models
#                   where MODELS is package and there is none in ~/.cache/joi/deb
#   BUILT=tests     of the programs that `make test` has built, in minutes (deb.sh)
#   ARCH=arm64      the packages for a Raspberry Pi, in a Debian for it under an emulator of its processor
#   MODELS=package  installs joi-models; MODELS=mount (by itself where that package is not there) shows the models of
#                   this machine at the same place instead
# Debian itself is fetched once, by debootstrap, and kept as ~/.cache/joi/debootstrap/bookworm-ARCH.tar.
# At the end systemd is booted in there, and the service lives under it.
set -euo pipefail
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

[ "$(id -u)" = 0 ] || fail "test-deb.sh needs root: debootstrap and chroot do. As root, or with sudo: make test-deb"
native=$(dpkg --print-architecture)
arch=${ARCH:-$native}
debs=${DEBS:-$cache/deb}

# --- outside: packages, a clean root, a namespace ---------------------------------------------------------------------

newest() { find "$debs" -name "$1" ! -name '*+pi5*' ! -name '*+zero2*' -printf '%T@ %p\n' 2>/dev/null | sort -n | tail -n 1 | cut -d' ' -f2-; }

# The kernel hands programs for the other processor to an emulator, which it keeps open: it is found in the clean root too.
emulate() {
  local formats=/proc/sys/fs/binfmt_misc rule=/usr/lib/binfmt.d/qemu-aarch64.conf
  [ "$arch" = arm64 ] || fail "ARCH is \"$arch\"; here packages for $native and arm64 can be tried"
  scripts/setup.sh test-cross
  [ -e "$formats/register" ] || mount -t binfmt_misc binfmt_misc "$formats"
  [ -e "$formats/qemu-aarch64" ] || cat "$rule" >"$formats/register"
  grep -qx 'flags: .*F.*' "$formats/qemu-aarch64" ||
    fail "the kernel looks for the emulator in the clean root, where there is none; $formats/qemu-aarch64 needs the flag F"
}

outside() {
  scripts/setup.sh test-deb
  # An older package would be tried by the tests of a newer one.
  [ -n "${DEBS:-}" ] || ARCH=$arch OUT=$debs scripts/deb.sh >/dev/null
  if [ "${MODELS:-}" = package ] && [ -z "$(newest 'joi-models_*_all.deb')" ]; then OUT=$debs scripts/deb.sh models >/dev/null; fi
  have_root
  local place status=0
  place=$(mktemp -d "$cache/test-deb.XXXXXX")
  mkdir "$place/root"
  tar --numeric-owner -C "$place/root" -xpf "$tarball"
  # What is mounted, and what still runs, ends with the namespace.
  unshare --mount --pid --fork --kill-child -- "$0" inside "$place" || status=$?
  rm -rf --one-file-system "$place"
  return "$status"
}

tarball=$cache/debootstrap/bookworm-$arch.tar
have_root() {
  scripts/setup.sh test-deb
  [ "$arch" = "$native" ] || emulate
  if [ ! -e "$tarball" ]; then
    say "fetching a clean Debian 12"
    mkdir -p "$cache/debootstrap"
    debootstrap --variant=minbase --arch="$arch" bookworm "$cache/debootstrap/root.new" >"$cache/debootstrap/log" 2>&1 ||
      fail "debootstrap could not make it: $(tail -n 3 "$cache/debootstrap/log")"
    tar --numeric-owner -C "$cache/debootstrap/root.new" -cf "$tarball.new" .
    rm -rf --one-file-system "$cache/debootstrap/root.new"
    mv "$tarball.new" "$tarball"
  fi
}

# --- inside: the steps ------------------------------------------------------------------------------------------------

passed=0
failed=0
# Seconds until she answers; an emulator takes 15 times as long and more.
patience=120
[ "$arch" = "$native" ] || patience=1800

# Runs $2 … and tells how it went; what it printed is shown where it failed. Never in a condition: there the first command
# that fails would not end the step.
step() {
  local told=$1 log=$place/log status
  shift
  set +e
  ( set -euo pipefail; "$@" ) </dev/null >"$log" 2>&1
  status=$?
  set -e
  if [ "$status" = 0 ]; then
    echo "ok      $told"
    passed=$((passed + 1))
  else
    echo "FAILED  $told"
    sed 's/^/        /' "$log" | tail -n 40
    failed=$((failed + 1))
  fi
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ] || exit 1
  exit 0
}

in_root() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    chroot "$root" "$@"
}
without_network() { unshare --net -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 chroot "$root" "$@"; }
apt() { in_root apt-get -y -q --no-install-recommends "$@"; }

# Succeeds where $1 … fails; `!` does not end a step.
refuses() { if "$@"; then return 1; fi; }
absent() {
  local path
  for path; do
    if [ -e "$root$path" ]; then echo "$path is still there"; return 1; fi
  done
}
says() {
  local wanted=$1 told
  shift
  told=$("$@" 2>&1) || { echo "$told"; return 1; }
  echo "$told"
  grep -qiE -- "$wanted" <<<"$told" || { echo "nothing in it is like: $wanted"; return 1; }
}

# A repository of joi (and joi-models) as a release has it, signed with a key of this test.
publish() {
  export GNUPGHOME=$place/gpg
  if [ ! -d "$GNUPGHOME" ]; then
    mkdir -m 700 "$GNUPGHOME"
    gpg --batch --quiet --passphrase '' --quick-generate-key test ed25519 sign 1d
  fi
  DEBS=$place/debs OUT=$place/release KEY=test DRAFT=1 scripts/release.sh
  rm -rf "$root/srv/joi"
  cp -r --reflink=auto "$place/release" "$root/srv/joi"
  install -m 644 "$place/release/joi.asc" "$root/etc/apt/keyrings/joi.asc"
  printf 'Types: deb\nURIs: file:///srv/joi\nSuites: stable\nComponents: main\nSigned-By: /etc/apt/keyrings/joi.asc\n' \
    >"$root/etc/apt/sources.list.d/joi.sources"
  in_root apt-get -q update
}

# The same package with a higher version, and another default configuration.
make_newer() {
  local package=$place/newer
  dpkg-deb -R "$deb" "$package"
  sed -i "s/^Version: .*/Version: $newer/" "$package/DEBIAN/control"
  echo "# A remark of the newer version." >>"$package/etc/joi/config.toml"
  dpkg-deb --root-owner-group -Zgzip -z1 -b "$package" "$place/debs/joi_${newer}_$arch.deb"
}

versions_agree() {
  local told
  told=$(in_root joi --version)
  echo "$told"
  [ "$told" = "joi ${version%-*}" ]
  told=$(in_root joi-model --version)
  echo "$told"
  [ "$told" = "joi-model ${version%-*}" ]
}

libraries_are_there() {
  local told
  told=$(in_root ldd /usr/bin/joi /usr/bin/joi-model /usr/lib/joi/onnxruntime/libonnxruntime.so)
  echo "$told"
  grep -q libc.so.6 <<<"$told"
  refuses grep "not found" <<<"$told"
}

# A processor that lacks something: a /proc/cpuinfo that says so.
refuses_an_older_processor() {
  sed 's/ avx2 / /' /proc/cpuinfo >"$place/cpuinfo"
  mount --bind "$place/cpuinfo" "$root/proc/cpuinfo"
  local status=0 told
  told=$(apt install joi 2>&1) || status=$?
  umount "$root/proc/cpuinfo"
  echo "$told"
  [ "$status" != 0 ]
  grep -q 'lacks "avx2"' <<<"$told"
  absent /usr/bin/joi
}

# As a service with a dynamic user leaves its directories.
had_it_from_sources() {
  mkdir -p "$root/var/lib/private/joi" "$root/var/cache/private/joi"
  ln -s private/joi "$root/var/lib/joi"
  ln -s private/joi "$root/var/cache/joi"
  echo "hers" >"$root/var/lib/private/joi/muted.before"
  chown -R 61234:61234 "$root/var/lib/private/joi" "$root/var/cache/private/joi"
}

it_was_moved() {
  [ "$(in_root stat -c '%F %U %a' /var/lib/joi)" = "directory joi 700" ]
  [ "$(in_root stat -c '%U' /var/lib/joi/muted.before)" = joi ]
  absent /var/lib/private/joi /var/cache/private/joi
  rm "$root/var/lib/joi/muted.before"
}

user_is_there() {
  in_root id joi
  in_root id -nG joi | grep -qw audio
  [ "$(in_root stat -c '%U:%G %a' /var/lib/joi)" = "joi:joi 700" ]
  [ "$(in_root stat -c '%U:%G %a' /etc/joi/config.toml)" = "root:root 644" ]
}

manual_is_there() {
  local page
  for page in joi joi-run joi-wake-add joi-models joi-service joi-model; do
    [ -s "$root/usr/share/man/man1/$page.1.gz" ] || { echo "$page(1) is missing"; return 1; }
    gzip -dc "$root/usr/share/man/man1/$page.1.gz" >"$place/page"
    if command -v man >/dev/null; then
      LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$place/page" 2>"$place/warnings" >/dev/null
      refuses grep . "$place/warnings"
    fi
  done
}

completions_are_there() {
  # shellcheck disable=SC2016 # for the shell in there
  in_root bash -c '. /usr/share/bash-completion/completions/joi && complete -p joi'
  grep -q '^#compdef joi' "$root/usr/share/zsh/vendor-completions/_joi"
  grep -q 'complete -c joi' "$root/usr/share/fish/vendor_completions.d/joi.fish"
}

units_are_right() {
  local told unit manager
  for manager in system user; do
    for unit in joi joi-models; do
      told=$(in_root env XDG_RUNTIME_DIR=/run "systemd-analyze" "--$manager" verify --man=no "/usr/lib/systemd/$manager/$unit.service" 2>&1) || true
      echo "$told"
      # Other units of the system are not ours to judge.
      refuses grep -E "joi" <<<"$told"
    done
  done
}

# Where systemd knows pauses that grow, a link says so; here it does not, and a newer one is played.
restart_has_floor_and_ceiling() {
  local links=(/etc/systemd/system/joi.service.d/joi-restart.conf /etc/systemd/user/joi.service.d/joi-restart.conf) link
  grep -qx 'RestartSec=5s' "$root/usr/lib/systemd/system/joi.service"
  grep -qx 'WatchdogSec=30s' "$root/usr/lib/systemd/system/joi.service"
  absent "${links[@]}" /etc/systemd/system/joi.service.d
  mkdir "$root/opt/newer"
  # shellcheck disable=SC2016 # for the shell in there
  printf '#!/bin/sh\n[ "$1" != --version ] || exec echo "systemd 257 (257.9-1)"\nexec /usr/bin/systemctl "$@"\n' >"$root/opt/newer/systemctl"
  chmod 755 "$root/opt/newer/systemctl"
  in_root env PATH=/opt/newer:/usr/sbin:/usr/bin:/sbin:/bin /var/lib/dpkg/info/joi.postinst configure "$version"
  rm -r "$root/opt/newer"
  for link in "${links[@]}"; do
    says '^RestartMaxDelaySec=1min$' in_root cat "$link"
    says '^RestartSteps=5$' in_root cat "$link"
  done
  in_root /var/lib/dpkg/info/joi.postinst configure "$version"
  absent "${links[@]}" /etc/systemd/system/joi.service.d /etc/systemd/user/joi.service.d
}

# A token as docs/user/package.md tells: the unit takes it, and only root reads the file.
a_token_is_a_credential() {
  local drop=/etc/systemd/system/joi.service.d/token.conf told line
  line=$(grep -xE 'LoadCredential=.*' docs/user/package.md)
  mkdir -p "$root${drop%/*}"
  printf '[Service]\n%s\n' "$line" >"$root$drop"
  told=$(in_root systemd-analyze verify --man=no /usr/lib/systemd/system/joi.service 2>&1) || true
  echo "$told"
  refuses grep -E "joi" <<<"$told"
  grep -F "#$line" "$root/usr/lib/systemd/system/joi.service"
  rm -r "$root${drop%/*}"
}

# A button and lights need no rights but these.
pins_have_their_groups() {
  in_root getent group gpio
  in_root getent group spi
  grep -E '^SUBSYSTEM=="gpio", .*GROUP="gpio", MODE="0660"$' "$root/usr/lib/udev/rules.d/60-joi.rules"
  grep -E '^SUBSYSTEM=="spidev", .*GROUP="spi", MODE="0660"$' "$root/usr/lib/udev/rules.d/60-joi.rules"
  if udevadm verify --help >/dev/null 2>&1; then udevadm verify "$root/usr/lib/udev/rules.d/60-joi.rules"; fi
}

licences_are_there() {
  local docs=$root/usr/share/doc/joi
  gzip -dc "$docs/THIRD-PARTY.gz" >"$place/licences"
  grep -q "whisper-rs " "$place/licences"
  grep -q "GNU GENERAL PUBLIC LICENSE" "$place/licences"
  gzip -dc "$docs/onnxruntime-third-party.gz" | grep -c "Microsoft"
  gzip -dc "$docs/changelog.gz" | grep -c "Keep a Changelog"
  grep -q "GPL-3+" "$docs/copyright"
}

# She listens when the owner says so, not because a package was installed.
is_not_enabled() { [ "$(in_root systemctl is-enabled joi.service || true)" = disabled ]; }

# Without models: what is missing is told with its remedy, and ONNX Runtime, which the package has, is not missed.
doctor_is_honest() {
  local told
  local status=0
  told=$(in_root joi-service doctor --quick) || status=$?
  echo "$told"
  [ "$status" = 1 ]
  grep -q "silero-vad is missing" <<<"$told"
  grep -q "joi models fetch" <<<"$told"
  refuses grep -q "onnxruntime is missing" <<<"$told"
}

others_may_not() {
  local told status=0
  told=$(env -i PATH=/usr/sbin:/usr/bin:/bin chroot --userspec=nobody "$root" joi-service status 2>&1) || status=$?
  echo "$told"
  [ "$status" = 1 ]
  grep -q "sudo joi-service status" <<<"$told"
}

bring_models() {
  if [ "$with" = package ]; then
    apt install joi-models
  else
    mkdir -p "$root/usr/share/joi/models"
    mount --bind "$models" "$root/usr/share/joi/models"
    mount -o remount,bind,ro "$root/usr/share/joi/models"
  fi
}

nothing_is_fetched() {
  without_network joi-service models fetch
  absent /var/cache/joi/models
}

# ONNX Runtime out of /usr/lib/joi: only it speaks with a Piper voice.
voice_is_hers() {
  says "voice .*joe" without_network joi-service doctor --quick
  without_network joi-service say --out /var/lib/joi/said.wav "Dinner is ready."
  [ "$(stat -c %s "$root/var/lib/joi/said.wav")" -gt 20000 ]
  rm "$root/var/lib/joi/said.wav"
  # What ONNX Runtime's telemetry would have left.
  local traces
  traces=$(find "$root/var" "$root/root" "$root/home" -xdev \( -name Microsoft -o -name deviceid -o -name .onnxruntime \))
  echo "telemetry: $traces"
  [ -z "$traces" ]
}

data_are_hers() {
  [ "$(in_root stat -c '%U %a' /var/lib/joi/joi.db)" = "joi 600" ]
  local others
  others=$(find "$root/var/lib/joi" "$root/var/cache/joi" ! -uid "$(in_root id -u joi)")
  echo "of others: $others"
  [ -z "$others" ]
}

# What has to outlast an upgrade and a removal.
remember() {
  sed -i 's/^volume = 80$/volume = 61/' "$root/etc/joi/config.toml"
  says "volume.*61" in_root joi-service config show
  in_root joi-service timers add --name tea 90 minutes
  says "tea" in_root joi-service timers
  in_root systemctl enable joi.service
}

is_remembered() {
  grep -q '^volume = 61$' "$root/etc/joi/config.toml"
  says "tea" in_root joi-service timers
}

# As docs/user/backup.md tells: root makes and restores backups of the service, which can read what came back.
comes_back_from_a_backup() {
  local for_service lines
  lines=$(awk '/^```/ { fenced = !fenced } fenced && /^sudo env/' docs/user/backup.md)
  while IFS= read -r for_service; do
    for_service=${for_service#sudo }
    echo "$ $for_service"
    # shellcheck disable=SC2086 # each word is an argument
    in_root ${for_service/FILE//root/backup.tar.gz}
    [[ $for_service != *" backup "* ]] || rm "$root/etc/joi/config.toml"
  done <<<"$lines"
  rm "$root/root/backup.tar.gz"
  [ "$(in_root stat -c '%U:%G %a' /etc/joi/config.toml)" = "root:joi 640" ]
  is_remembered
  rm -rf "$root"/etc/joi/before-restore-* "$root"/var/lib/joi/before-restore-*
  data_are_hers
}

# An administrator has removed it and makes another one: the service can read it.
another_configuration_can_be_read() {
  mv "$root/etc/joi/config.toml" "$place/config.toml"
  in_root joi --config /etc/joi/config.toml config init
  [ "$(in_root stat -c '%U:%G %a' /etc/joi/config.toml)" = "root:root 644" ]
  in_root joi-service config check
  mv "$place/config.toml" "$root/etc/joi/config.toml"
}

upgrade() {
  make_newer
  publish
  apt -o Dpkg::Options::=--force-confold install joi
  in_root dpkg-query -W joi | grep -F "$newer"
  grep -q "of the newer version" "$root/etc/joi/config.toml.dpkg-dist"
}

remove() {
  apt remove joi
  absent /usr/bin/joi /usr/bin/joi-model /usr/lib/joi /usr/lib/systemd/system/joi.service
  grep -q '^volume = 61$' "$root/etc/joi/config.toml"
  [ -s "$root/var/lib/joi/joi.db" ]
}

purge() {
  end_what_lingers
  apt purge joi
  absent /etc/joi /var/lib/joi /var/cache/joi
  if [ "$with" = package ]; then
    apt purge joi-models
  else
    umount "$root/usr/share/joi/models"
    rmdir "$root/usr/share/joi/models" "$root/usr/share/joi"
  fi
  rm -rf "$root/srv/joi" "$root"/etc/apt/*/joi.* "$root"/var/lib/apt/lists/*joi*
  local left
  left=$(cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp \) -prune -o -name '*joi*' ! -name 'join*' -print)
  echo "left: $left"
  [ -z "$left" ]
}

# A model server stays loaded for some minutes behind a question.
end_what_lingers() {
  local user process
  user=$(in_root id -u joi)
  for process in "$root"/proc/[0-9]*; do
    if [ "$(stat -c %u "$process" 2>/dev/null)" = "$user" ]; then
      kill "${process##*/}" 2>/dev/null || true
      while [ -s "$process/cmdline" ] || [ -e "$process/exe" ]; do sleep 0.1; done
    fi
  done
}

# shellcheck source=scripts/test-deb-machine.sh
. scripts/test-deb-machine.sh

inside() {
  place=$1
  root=$place/root
  local newest_models
  mount --make-rprivate /
  mount --bind "$root" "$root"
  # The processes of this namespace.
  mount -t proc proc /proc
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  mkdir -p "$root/etc/apt/keyrings" "$place/debs"
  deb=$(newest "joi_*_$arch.deb")
  version=$(dpkg-deb -f "$deb" Version)
  newer=${version}.1
  cp --reflink=auto "$deb" "$place/debs/"
  newest_models=$(newest 'joi-models_*_all.deb')
  with=${MODELS:-$([ -n "$newest_models" ] && echo package || echo mount)}
  if [ "$with" = package ]; then cp --reflink=auto "$newest_models" "$place/debs/"; fi
  say "joi $version on a clean Debian $(cat "$root/etc/debian_version"), models by $with"

  step "a machine that had joi from make install" had_it_from_sources
  step "a signed repository, which apt trusts" publish
  [ "$failed" = 0 ] || finish
  if [ "$arch" = amd64 ]; then step "a processor without AVX2 is refused in one sentence" refuses_an_older_processor; fi
  step "apt installs joi and what it depends on" apt install joi
  [ "$failed" = 0 ] || finish
  step "data of the former service are moved to the user joi" it_was_moved
  step "joi and joi-model tell their version" versions_agree
  step "no library is missing" libraries_are_there
  step "the user joi, her directory, the configuration" user_is_there
  step "manual pages" manual_is_there
  step "completions for bash, zsh and fish" completions_are_there
  step "units without a mistake" units_are_right
  step "started again with a floor and a ceiling, where systemd knows them" restart_has_floor_and_ceiling
  step "a token as a credential of systemd" a_token_is_a_credential
  step "udev rules and groups for a button and lights" pins_have_their_groups
  step "licences, changelog, copyright" licences_are_there
  step "she is not enabled by being installed" is_not_enabled
  step "the configuration is right" says "config.toml" in_root joi-service config check
  step "only root may speak as the service" others_may_not
  step "joi doctor tells which models are missing" doctor_is_honest
  step "the models come by $with" bring_models
  step "nothing is fetched then, without a network" nothing_is_fetched
  step "every checksum of the models is right" in_root joi-service models verify
  step "she tells the time, as user joi, without a network" says '[0-9]' without_network joi-service ask "what time is it?"
  # Under an emulator her prompt takes a quarter of an hour; test-cross.sh has the model server answer there.
  if [ "$arch" = "$native" ]; then
    step "she answers with the embedded model, without a network" \
      says 'paris' without_network joi-service ask "What is the capital of France?"
  fi
  step "she speaks with ONNX Runtime of the package" voice_is_hers
  step "her data are hers alone" data_are_hers
  step "an edited configuration, a timer, an enabled service" remember
  step "docs/user/backup.md: a backup of the service, and back" comes_back_from_a_backup
  step "a configuration that is removed and made anew" another_configuration_can_be_read
  step "apt upgrades to a higher version and leaves the edited configuration" upgrade
  step "configuration and data are as they were" is_remembered
  step "the service is still enabled" says '^enabled' in_root systemctl is-enabled joi.service
  step "removed: the programs go, configuration and data stay" remove
  step "installed again" apt -o Dpkg::Options::=--force-confold install joi
  step "configuration and data are as they were" is_remembered
  step "purged: nothing is left" purge
  step "a machine that has only the file of the package" a_pi_is_prepared
  if [ "$arch" = "$native" ]; then step "systemd runs on it" machine_is_booted; fi
  step "README: on a Raspberry Pi, line by line" readme_is_followed
  if [ -e "$place/machine" ]; then
    step "systemd has started her: no failure, no error in the journal" service_is_well
    step "killed, she is started again and her timers are there" comes_back_after_a_kill
    step "hanging, she is started again by the watchdog" comes_back_after_hanging
    step "she stops in time" stops_in_time
  fi
  step "docs/user/control.md: button and lights, line by line" button_and_lights_are_installed
  step "purged: nothing is left" forget_the_pi
  finish
}

case ${1:-} in
  # Only the clean root, for who wants to know whether it can be had.
  root) have_root ;;
  inside) inside "$2" ;;
  boot) boot "$2" ;;
  '') outside ;;
  *) fail "test-deb.sh takes no argument" ;;
esac
