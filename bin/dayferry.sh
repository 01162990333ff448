#!/bin/sh
# Runs Dayferry on the Node 26 that `npm ci` brings along, or on the machine's own where only that starts, and says what
# helps where neither does. Plain sh, as it may be Node itself that does not start.
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
if [ ! -d "$here/node_modules" ]; then
  echo "Dayferry's packages are not installed yet: run npm ci in $here first." >&2
  exit 1
fi
# What glibc would keep for each thread by itself is 12 MB that a daemon never uses.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
pinned="$here/node_modules/node/bin/node"
for node in "$pinned" "${npm_node_execpath:-}" "$(command -v node)"; do
  [ -x "$node" ] || continue
  major=$("$node" -p 'parseInt(process.versions.node)' 2>/dev/null) || continue
  if [ "$major" -ge 26 ]; then exec "$node" "$here/src/dayferry.ts" "$@"; fi
done

echo "Dayferry needs Node 26. The one that npm ci has installed does not start on this machine:" >&2
echo "  $("$pinned" --version 2>&1 | head -n 1)" >&2
case $("$pinned" --version 2>&1) in
  *libatomic*)
    echo "Install the system library libatomic, which small images lack, and try again:" >&2
    echo "  apt-get install libatomic1    (Debian, Ubuntu)" >&2
    echo "  dnf install libatomic         (Fedora, RHEL)" >&2
    ;;
  *)
    echo "Run npm ci again, or install Node 26 so that \`node\` is that one, and try again." >&2
    ;;
esac
exit 1
