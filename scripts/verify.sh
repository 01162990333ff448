#!/usr/bin/env bash
# Runs every test in full and what `npm cit` leaves out: coverage, tests of real programs, disks, outages and damage, the image,
# the site of the documents, a day of the soak.
# Run it before a release. It takes about 40 minutes on 2 cores; as root it installs the Debian programs that it drives.
set -euo pipefail
cd "$(dirname "$0")/.."

# Tests of a program that is missing are skipped, and the end of the run names it.
install_programs() {
  local as_root=()
  if ! command -v apt-get >/dev/null; then
    echo "Debian programs are not installed: there is no apt-get."
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
      echo "Debian programs are not installed: run as root, or with sudo."
      return
    fi
    as_root=(sudo -n)
  fi
  "${as_root[@]}" apt-get -qq update || echo "The list of packages could not be updated."
  local package
  # One by one: a distribution may lack one of them.
  for package in vdirsyncer khal todoman calcurse cadaver python3-caldav python3-dateutil python3-httplib2 exim4-daemon-light \
    radicale xandikos cyrus-caldav cyrus-imapd davical php-cli sogo chromium zsh fish mandoc man-db caddy systemd varnish varnish-modules nginx-light prometheus buildah mmdebstrap faketime; do
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$package" \
      >/dev/null || echo "Could not install $package."
  done
}
install_programs

npm run -s lint
npm run -s types
npm run -s unused
npm run -s docs
THOROUGH=1 npm run -s coverage
THOROUGH=1 npm run -s drills
timeout 900 scripts/image.sh
# A glance at every server that CalDAV is compared with; the figures are for bench/caldav.ts without --short.
timeout 300 node_modules/.bin/node bench/caldav.ts --short
# bench/soak.ts days=7 runs a week.
timeout 900 node_modules/.bin/node bench/soak.ts days=1
echo "Verified."
