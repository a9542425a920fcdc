#!/usr/bin/env bash
# The system packages the tests need. Installs what is missing, or says what to install and fails.
set -euo pipefail

missing=()
if [[ -n ${CHROMIUM:-} ]]; then
    [[ -x $CHROMIUM ]] || { echo "CHROMIUM=$CHROMIUM is not a program" >&2; exit 1; }
elif ! command -v chromium >/dev/null; then
    missing+=(chromium)
fi
# The same without windows and much else: not needed, but quicker; only Debian has it.
shell=chromium-headless-shell
if ! command -v $shell >/dev/null && apt-cache show $shell >/dev/null 2>&1 \
    && { [[ $(id -u) -eq 0 ]] || sudo -n true 2>/dev/null; }; then
    missing+=($shell)
fi
# Has the card suits and crowns.
[[ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ]] || missing+=(fonts-dejavu-core)
# The tests start their own, in folders of their own; the machine's services stay as they are.
if ! command -v initdb >/dev/null && ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; then
    missing+=(postgresql)
fi
command -v redis-server >/dev/null || missing+=(redis-server)
command -v turnserver >/dev/null || missing+=(coturn)
# Not always in the path of people who are not root.
command -v nginx >/dev/null || [[ -x /usr/sbin/nginx ]] || missing+=(nginx-light)
# Finds what there is to translate.
command -v xgettext >/dev/null || missing+=(gettext)
# Tells a process another time than the machine's.
compgen -G '/usr/lib/*/faketime/libfaketime.so.1' >/dev/null || missing+=(libfaketime)
# Only looked at: systemd-analyze reads the units of deploy/.
command -v systemd-analyze >/dev/null || missing+=(systemd)

[[ ${#missing[@]} -eq 0 ]] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "The tests need these packages, please install them: ${missing[*]}" >&2
    exit 1
elif [[ $(id -u) -eq 0 ]]; then
    as_root=(env)
elif sudo -n true 2>/dev/null; then
    as_root=(sudo -n env)
else
    echo "The tests need these packages: sudo apt-get install ${missing[*]}" >&2
    exit 1
fi

echo "Installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
    "${as_root[@]}" apt-get update || return
    if ! command -v $shell && apt-cache show $shell; then
        missing+=($shell)  # what there is may have become known only now
    fi
    "${as_root[@]}" DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${missing[@]}"
}
if ! install >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "Could not install these packages, please install them: ${missing[*]}" >&2
    exit 1
fi
