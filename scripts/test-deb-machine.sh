# shellcheck shell=bash disable=SC2154 # root, place, arch, native, patience: test-deb.sh
# Sourced by test-deb.sh: a machine whose systemd runs, with the package on it: what the documents tell, typed word by
# word, and the life of the service. Under an emulator systemd does not run; what it would start is started there instead.

# --- a machine that is booted -----------------------------------------------------------------------------------------

# Becomes the machine's first process, in namespaces of its own ($1: the root).
boot() {
  local root=$1 device controllers
  mount --make-rprivate /
  mount --rbind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  for device in null zero full random urandom tty; do
    mknod -m 666 "$root/dev/$device" c $((0x$(stat -c %t "/dev/$device"))) $((0x$(stat -c %T "/dev/$device")))
  done
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
  # As the kernel has them: all in one hierarchy, or the memory apart.
  if grep -qw memory /proc/self/cgroup; then
    for controllers in name=systemd memory; do
      mkdir "$root/sys/fs/cgroup/${controllers#name=}"
      mount -t cgroup -o "$([ "$controllers" = memory ] || echo none,)$controllers" cgroup "$root/sys/fs/cgroup/${controllers#name=}"
    done
    mkdir "$root/sys/fs/cgroup/unified"
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup/unified"
  else
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  fi
  cd "$root" || return
  exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" /lib/systemd/systemd
}

in_machine() {
  nsenter --target "$(cat "$place/machine")" --mount --pid --uts --ipc --cgroup --root --wd -- \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

machine_is_booted() {
  apt install systemd systemd-sysv dbus
  unshare --mount --pid --uts --ipc --cgroup --fork --kill-child -- "$0" boot "$root" </dev/null >"$place/console" 2>&1 &
  local parent=$! second state=
  for second in $(seq 60); do
    sleep 1
    pgrep -P "$parent" >"$place/machine" || continue
    state=$(in_machine systemctl is-system-running 2>/dev/null) || true
    case $state in running | degraded) break ;; esac
  done
  case $state in
    running | degraded) in_machine systemctl --no-pager --failed ;;
    *)
      cat "$place/console"
      rm "$place/machine"
      return 1
      ;;
  esac
}

machine_is_off() {
  kill -KILL "$(cat "$place/machine")"
  rm "$place/machine"
}

# --- the life of the service ------------------------------------------------------------------------------------------

main_pid() { in_machine systemctl show -P MainPID joi; }

# Waits until $2 … succeeds, at most $1 seconds.
within() {
  local most=$1 second
  shift
  for second in $(seq "$most"); do
    if "$@" >/dev/null 2>&1; then
      echo "after $second s: $*"
      return
    fi
    sleep 1
  done
  echo "not within $most s: $*"
  in_machine journalctl --no-pager -n 40 -u joi
  return 1
}

# She runs as another process than $1, and answers.
is_anew() { [ "$(main_pid)" != "$1" ] && [ "$(main_pid)" != 0 ] && in_machine joi-service status; }

service_is_well() {
  in_machine systemctl show -p ExecMainStartTimestampMonotonic -p ActiveEnterTimestampMonotonic joi
  in_machine systemctl show -p ActiveState -p SubState -p NRestarts -p StatusText -p MemoryCurrent joi
  [ "$(in_machine systemctl show -P ActiveState joi)" = active ]
  [ "$(in_machine systemctl show -P NRestarts joi)" = 0 ]
  local errors
  errors=$(in_machine journalctl --no-pager -q -o cat -p err -u joi -u joi-models)
  # There is no sound device in here.
  if grep -vE 'microphone|speaker|sound|^$' <<<"$errors"; then return 1; fi
}

comes_back_after_a_kill() {
  local before
  in_machine joi-service timers add --name pasta 3 hours
  before=$(main_pid)
  in_machine bash -c "kill -KILL $before"
  within 30 is_anew "$before"
  in_machine joi-service timers | grep pasta
}

# Nothing beats any more: systemd ends her and starts her anew.
comes_back_after_hanging() {
  local before
  before=$(main_pid)
  in_machine bash -c "kill -STOP $before"
  within 90 is_anew "$before"
  in_machine journalctl --no-pager -q -o cat -u joi | grep -i watchdog
  in_machine joi-service timers | grep pasta
}

stops_in_time() {
  in_machine systemctl stop joi
  [ "$(in_machine systemctl show -P Result joi)" = success ]
  in_machine systemctl start joi
  in_machine joi-service status
}

# --- what the documents tell, word by word ----------------------------------------------------------------------------

# The commands for the Pi below the heading $2 of the document $1.
told_for_the_pi() {
  local lines
  lines=$(awk -v heading="$2" '
    /^```/ { fenced = !fenced; block = 0 }
    /^#+ / && !fenced { here = $0; sub(/^#+ /, "", here); on = here == heading }
    on && block { print }
    on && /^# on the Pi:$/ { block = 1 }' "$1")
  [ -n "$lines" ] || { echo "$1 has no commands for the Pi below \"$2\"" >&2; return 1; }
  printf '%s\n' "$lines"
}

# Where the package lives.
on_the_pi() { if [ -e "$place/machine" ]; then in_machine "$@"; else in_root "$@"; fi; }

# As if Debian asked whether to go on, and were told so.
type_in() { on_the_pi bash -c "cd /root && $1" < <(yes 2>/dev/null || true); }

a_pi_is_prepared() {
  in_root apt-get -q update
  apt install sudo python3
  echo "127.0.0.1 $(uname -n)" >>"$root/etc/hosts"
  cp --reflink=auto "$deb" "$root/root/"
  if [ "$with" = package ]; then
    cp --reflink=auto "$(newest 'joi-models_*_all.deb')" "$root/root/models.deb"
    apt install ./root/models.deb
    rm "$root/root/models.deb"
  else
    bring_models
  fi
}

# Types $1, a systemctl. Nothing may hinder it but that systemd does not run under an emulator.
type_systemctl() {
  if [ -e "$place/machine" ]; then
    type_in "$1"
  elif ! type_in "$1" >"$place/typed" 2>&1; then
    grep "not been booted with systemd" "$place/typed"
  fi
}

# What systemd would start then, in its order.
play_systemd() {
  local unit
  in_root systemctl is-enabled joi.service
  for unit in joi-models joi; do
    printf '%s starts %s\n' "$unit" "$(sed -n 's|^ExecStart=/usr/bin/joi ||p' "$root/usr/lib/systemd/system/$unit.service")"
  done
  without_network joi-service models fetch
  # shellcheck disable=SC2046 # each word is an argument
  in_root joi-service $(sed -n 's|^ExecStart=/usr/bin/joi ||p' "$root/usr/lib/systemd/system/joi.service") \
    </dev/null >"$place/service" 2>&1 &
  service=$!
  local seconds
  for seconds in $(seq "$patience"); do
    if in_root joi-service status >/dev/null 2>&1; then
      echo "she answers after $seconds s"
      return
    fi
    kill -0 "$service" 2>/dev/null || break
    sleep 1
  done
  cat "$place/service"
  return 1
}

end_played_service() {
  kill -TERM "$(in_root joi-service status --json | sed -n 's/.*"pid": *\([0-9]*\).*/\1/p')"
  wait "$service" || true
}

readme_is_followed() {
  local line lines
  lines=$(told_for_the_pi README.md "On a Raspberry Pi")
  while IFS= read -r line; do
    echo "\$ $line"
    case $line in
      *systemctl*)
        type_systemctl "$line"
        [ -e "$place/machine" ] || play_systemd
        ;;
      # There is no sound device in here, and nothing else may be wrong.
      *doctor*)
        type_in "$line" >"$place/typed" 2>&1 || echo "it ended with $?"
        cat "$place/typed"
        grep -c '^✓' "$place/typed"
        refuses grep -vE '^✗ (microphone|speaker|echo)' <(grep '^✗' "$place/typed")
        ;;
      *) type_in "$line" ;;
    esac
  done <<<"$lines"
  grep -q ' # \(pc\|pi4\|pi5\|zero2\)$' "$root/etc/joi/config.toml"
  on_the_pi runuser -u joi -- test -r /etc/joi/config.toml
  says "state" on_the_pi joi-service status
  [ -e "$place/machine" ] || end_played_service
}

button_and_lights_are_installed() {
  local line unit told lines
  lines=$(told_for_the_pi docs/user/control.md "A button and lights")
  while IFS= read -r line; do
    echo "\$ $line"
    case $line in
      *systemctl*) type_systemctl "$line" ;;
      *) type_in "$line" ;;
    esac
  done <<<"$lines"
  for unit in joi-button joi-leds; do
    told=$(in_root systemd-analyze verify --man=no "/etc/systemd/system/$unit.service" 2>&1) || true
    echo "$told"
    refuses grep "$unit" <<<"$told"
    in_root systemctl is-enabled "$unit"
    on_the_pi systemctl disable "$unit"
    rm "$root/etc/systemd/system/$unit.service"
  done
  # Where no service runs: they look for its socket, and the program in the unit's place runs.
  # shellcheck disable=SC2016 # for the shell in there
  says "leds: /run/joi/joi.sock" in_root bash -c 'JOI_RUNTIME=/run/joi python3 /usr/local/lib/joi/leds.py --once --dry-run || [ $? = 1 ]'
  # shellcheck disable=SC2016 # for the shell in there
  says "GPIO device" in_root bash -c 'JOI_RUNTIME=/run/joi python3 /usr/local/lib/joi/button.py --pin 17 || [ $? = 1 ]'
  rm -r "$root/usr/local/lib/joi"
}

forget_the_pi() {
  if [ -e "$place/machine" ]; then
    in_machine systemctl disable --now joi
    machine_is_off
  fi
  rm -f "$root"/root/joi*.deb
  purge
}
