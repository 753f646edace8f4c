#!/usr/bin/env bash
# Installs Joi as a service, or with "uninstall" takes that back; both can be repeated.
#
# Without root: for this user, below ~/.local, served by systemd's user manager; the models stay in the
# cache. As root, or with PREFIX: for the machine, below PREFIX (/usr/local), as a service of the system.
#   FLAVOUR=user|system   instead of what is guessed from that
#   DESTDIR=DIR           everything goes below DIR and nothing is started (packages, tests)
#   BUILT=DIR             the programs are in DIR already; otherwise they are built
#   MODELS=skip           installs no models (system flavour)
set -euo pipefail
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

if [ -z "${FLAVOUR:-}" ]; then
  if [ "$(id -u)" = 0 ] || [ -n "${PREFIX:-}" ]; then FLAVOUR=system; else FLAVOUR=user; fi
fi
root=${DESTDIR:-}

case $FLAVOUR in
  user)
    bin=$HOME/.local/bin
    data=${XDG_DATA_HOME:-$HOME/.local/share}
    unit=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user/joi.service
    settings=$unit.d/places.conf
    bash=$data/bash-completion/completions/joi
    zsh=$data/zsh/site-functions/_joi
    fish=${XDG_CONFIG_HOME:-$HOME/.config}/fish/completions/joi.fish
    systemctl=(systemctl --user)
    kept=("${JOI_DATA:-$data/joi} (dialogue, settings)" "$cache (models, build)" "${JOI_CONFIG:-${XDG_CONFIG_HOME:-$HOME/.config}/joi} (configuration)")
    ;;
  system)
    PREFIX=${PREFIX:-/usr/local}
    bin=$PREFIX/bin
    unit=$PREFIX/lib/systemd/system/joi.service
    shared=$PREFIX/share/joi/models
    bash=$PREFIX/share/bash-completion/completions/joi
    zsh=$PREFIX/share/zsh/site-functions/_joi
    fish=$PREFIX/share/fish/vendor_completions.d/joi.fish
    systemctl=(systemctl)
    kept=("/var/lib/joi (dialogue, settings)" "$shared (models)" "/etc/joi (configuration)")
    ;;
  *) fail "FLAVOUR is \"$FLAVOUR\"; it can be user or system" ;;
esac

# Whether a service manager runs here that can be told about it.
manager_runs() { [ -z "$root" ] && "${systemctl[@]}" show-environment >/dev/null 2>&1; }

uninstall() {
  if manager_runs; then
    "${systemctl[@]}" disable --now joi 2>/dev/null || true
  fi
  rm -f "$root$bin/joi" "$root$bin/joi-model" "$root$unit" "$root$bash" "$root$zsh" "$root$fish"
  if [ -n "${settings:-}" ]; then
    rm -f "$root$settings"
    rmdir "$root$(dirname "$settings")" 2>/dev/null || true
  fi
  if manager_runs; then
    "${systemctl[@]}" daemon-reload
  fi
  say "uninstalled. What is hers was left where it is, and can be removed by hand:"
  printf '  %s\n' "${kept[@]}" >&2
}

# Builds as the user who called sudo, so that nothing in their cache belongs to root.
find_programs() {
  if [ -n "${BUILT:-}" ]; then
    return
  elif [ "$(id -u)" = 0 ] && [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ]; then
    { read -r BUILT && read -r models; } < <(sudo -H -u "$SUDO_USER" scripts/install.sh build) || true
  else
    { read -r BUILT && read -r models; } < <(scripts/install.sh build) || true
  fi
  [ -x "${BUILT:-}/joi" ] || fail "the programs were not built; see above"
}

build_programs() {
  { scripts/setup.sh && ready; } >&2
  printf '%s\n' "$(dirname "$joi")" "$models"
}

# The unit for the systemd and the kernel that are here: an older systemd would complain about what it does not know,
# and where a user may make no namespaces the service could not start with those.
unit_file() {
  if [ "$FLAVOUR" = user ] && ! unshare --user --map-root-user true 2>/dev/null; then
    say "this kernel lets users make no namespaces: the service runs without those of its unit (docs/user/privacy.md)"
    sed '/^# Needs namespaces/,/^# end: namespaces/d' "$1" | for_this_systemd
  else
    for_this_systemd <"$1"
  fi
}

for_this_systemd() {
  local version
  version=$(systemctl --version 2>/dev/null | sed -n '1s/^systemd \([0-9]*\).*/\1/p')
  if [ -n "$version" ] && [ "$version" -lt 254 ]; then
    sed -e '/^# Known to systemd 254/d' -e '/^RestartSteps=/d' -e '/^RestartMaxDelaySec=/d'
  else
    cat
  fi
}

install_units() {
  if [ "$FLAVOUR" = system ]; then
    unit_file systemd/joi.service | sed "s|/usr/local|$PREFIX|g" | install -D -m 644 /dev/stdin "$root$unit"
    if [ ! -e "$root/etc/joi/config.toml" ]; then
      # With values that suit this machine; a package is for any.
      mkdir -p "$root/etc/joi"
      if [ -n "$root" ] || ! "$BUILT/joi" --config "$root/etc/joi/config.toml" config init >&2; then
        install -m 644 config/default.toml "$root/etc/joi/config.toml"
      fi
      chmod 644 "$root/etc/joi/config.toml"
    fi
    return
  fi
  unit_file systemd/user/joi.service | install -D -m 644 /dev/stdin "$root$unit"
  # The service's environment is not this one.
  local name lines=()
  for name in JOI_CONFIG JOI_DATA JOI_MODELS XDG_CACHE_HOME; do
    [ -z "${!name:-}" ] || lines+=("Environment=\"$name=${!name}\"")
  done
  rm -f "$root$settings"
  if [ ${#lines[@]} != 0 ]; then
    printf '%s\n' "[Service]" "${lines[@]}" "ReadWritePaths=\"-$cache\" \"-${JOI_DATA:-$data/joi}\"" |
      install -D -m 644 /dev/stdin "$root$settings"
  fi
  # A directory that is missing when the service starts can't be made by it later.
  mkdir -p "$root${JOI_DATA:-$data/joi}"
  chmod 700 "$root${JOI_DATA:-$data/joi}"
}

install_models() {
  [ "$FLAVOUR" = system ] && [ "${MODELS:-}" != skip ] || return 0
  say "copying the models to $shared"
  mkdir -p "$root$shared"
  cp -R -u --reflink=auto "$models/." "$root$shared/"
  # What was measured here holds for the service: it listens at once at its first start.
  local measured
  for measured in "$cache"/{whisper,scorer}-choice.json; do
    [ ! -e "$measured" ] || cp "$measured" "$root$shared/"
  done
  chmod -R u=rwX,go=rX "$root$shared"
}

install_completions() {
  "$BUILT/joi" completions bash | install -D -m 644 /dev/stdin "$root$bash"
  "$BUILT/joi" completions zsh | install -D -m 644 /dev/stdin "$root$zsh"
  "$BUILT/joi" completions fish | install -D -m 644 /dev/stdin "$root$fish"
}

start() {
  local now="${systemctl[*]} enable --now joi"
  [ -z "$root" ] || return 0
  if manager_runs; then
    "${systemctl[@]}" daemon-reload
    "${systemctl[@]}" enable joi
    "${systemctl[@]}" restart joi
    say "she runs; \`joi status\` shows how she is"
  elif [ "$FLAVOUR" = user ]; then
    say "no user manager of systemd runs here; after logging in:  $now"
  else
    say "systemd does not run here; once it does:  $now"
  fi
  if [ "$FLAVOUR" = user ]; then
    say "to start her with the machine, before anybody logs in:  sudo loginctl enable-linger $(id -un)"
  fi
}

case ${1:-install} in
  build) build_programs ;;
  uninstall) uninstall ;;
  install)
    find_programs
    install -D -m 755 "$BUILT/joi" "$root$bin/joi"
    install -D -m 755 "$BUILT/joi-model" "$root$bin/joi-model"
    install_units
    install_models
    install_completions
    start
    ;;
  *) fail "install.sh takes nothing or \"uninstall\"" ;;
esac
