#!/usr/bin/env bash
# Builds the image from the Dockerfile and tries it, with neither a container engine nor a registry of images: buildah builds in a
# chroot, on a base of Debian's packages, the Node that npm ci has installed and this machine's npm, in the place of the public base.
#   scripts/image.sh        amd64 and arm64 are built; that of this machine runs, of the other one the files are looked at
# Where something that it takes is missing it says so and ends well.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
  echo "skipped: the image is not built: $1"
  exit 0
}
[ "$(id -u)" -eq 0 ] || skip "that takes root"
for program in buildah mmdebstrap unshare nsenter setpriv; do
  command -v "$program" >/dev/null || skip "$program is not installed"
done
unshare --mount --pid --fork true 2>/dev/null || skip "this machine lets nobody make namespaces"
case $(uname -m) in
  x86_64) own=amd64 other=arm64 ;;
  aarch64) own=arm64 other=amd64 ;;
  *) skip "there is no base for $(uname -m)" ;;
esac

work=$(mktemp -d)
# A mounted container would keep the folder.
trap 'store umount --all >/dev/null 2>&1 || true; rm -rf "$work"' EXIT

store() {
  buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"
}

took() {
  echo "$1: $((SECONDS - began)) s"
  began=$SECONDS
}
began=$SECONDS

# The base: Debian, Node, npm and the account node, as the public one has them.
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
mmdebstrap --quiet --variant=minbase --include=ca-certificates,libatomic1 \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' "$suite" "$work/debian.tar" \
  >"$work/debian.log" 2>&1 || { tail -5 "$work/debian.log"; skip "Debian's packages cannot be fetched"; }
base=$(store from scratch)
store add --quiet "$base" "$work/debian.tar" / >/dev/null
store add --quiet "$base" node_modules/node/bin/node /usr/local/bin/node >/dev/null
store add --quiet "$base" "$(npm root --global 2>/dev/null)/npm" /usr/local/lib/node_modules/npm >/dev/null
# What npm needs on this machine to reach its registry.
authorities=$(npm config get cafile 2>/dev/null)
if [ -f "$authorities" ]; then
  store add --quiet "$base" "$authorities" /etc/ssl/certs/ca-certificates.crt >/dev/null
  echo "cafile=/etc/ssl/certs/ca-certificates.crt" >"$work/npmrc"
  store add --quiet "$base" "$work/npmrc" /usr/local/etc/npmrc >/dev/null
fi
store run --isolation chroot "$base" -- sh -c 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm &&
  groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node'
store commit --quiet --rm "$base" "base:$own" >/dev/null
rm "$work/debian.tar"
# Of the other processor nothing runs in a build, so that an empty base is enough to see what is laid over it.
store commit --quiet --rm "$(store from scratch)" "base:$other" >/dev/null
took "base of Debian $suite"

# A warm cache of npm is used and left as it is.
cache=$(npm config get cache 2>/dev/null)
mkdir "$work/npm"
[ -d "$cache/_cacache" ] && cp -R "$cache/_cacache" "$work/npm/"
mkdir "$work/trial"
for processor in "$own" "$other"; do
  # What --platform does: this buildah would look for a base of the other processor in a registry.
  store build --isolation chroot --format docker --layers=false --quiet --build-arg "TARGETARCH=$processor" \
    --build-arg "BASE=localhost/base:$processor" --build-arg "BUILD_BASE=localhost/base:$own" \
    --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || true)" \
    --build-arg "CREATED=$(date -u +%Y-%m-%dT%H:%M:%SZ)" --volume "$work/npm:/root/.npm" \
    --tag "dayferry:$processor" . >"$work/build.log" 2>&1 || {
    tail -40 "$work/build.log"
    exit 1
  }
  if [ "$processor" = "$other" ]; then
    built=$(store from "dayferry:$other")
    store config --arch "$other" "$built"
    store commit --quiet --rm --format docker "$built" "dayferry:$other" >/dev/null 2>&1
  fi
  store inspect --type image "dayferry:$processor" >"$work/trial/$processor.json"
  ln -s "$(store mount "$(store from "dayferry:$processor" 2>/dev/null)")" "$work/trial/$processor"
  took "image for $processor"
done
ln -s "$(store mount "$(store from "base:$own")")" "$work/trial/base"

for processor in "$own" "$other"; do
  beneath=0
  [ "$processor" = "$own" ] && beneath=$(du -s --block-size=1 "$work/trial/base/" | cut -f 1)
  above=$(($(du -s --block-size=1 "$work/trial/$processor/" | cut -f 1) - beneath))
  echo "$above" >"$work/trial/$processor.size"
  echo "image for $processor: $((above / 100000 / 10)).$((above / 100000 % 10)) MB over its base"
done

DAYFERRY_IMAGE="$work/trial" DAYFERRY_IMAGE_PROCESSOR="$own" node_modules/.bin/node node_modules/vitest/vitest.mjs run --config vitest.drills.config.ts test/install/image
took "the image was tried"
