#!/bin/sh
# Runs Dayferry, of a checkout or of an installed package, on the Node 26 that comes as a dependency, or on the machine's own
# where only that starts, and says what helps where neither does. Plain sh, as it may be Node itself that does not start.
self=$0
# npm makes a link to this file the command.
while [ -h "$self" ]; do
  target=$(readlink "$self") || exit 1
  case $target in
    /*) self=$target ;;
    *) self=${self%/*}/$target ;;
  esac
done
case $self in
  */*) folder=${self%/*} ;;
  *) folder=. ;;
esac
here=$(CDPATH='' cd -- "$folder/.." && pwd -P) || exit 1

# What glibc would keep for each thread by itself is 12 MB that a daemon never uses.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
# Long answers of the service would leave holes in its heap, were it to learn from them what is long: up to 20 MB.
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-131072}"
bundle="$here/dist/daemon"
program="$bundle/dayferry.mjs"
remedy="Install it again"
# Packages come without what tells whether the bundle is made of the sources, and without sources.
if [ -f "$here/bin/stamp.sh" ]; then
  if [ ! -d "$here/node_modules" ]; then
    echo "Dayferry's packages are not installed yet: run npm ci in $here first." >&2
    exit 1
  fi
  # The bundle takes a third less memory than the sources that it was made of, as long as they are what they were.
  if ! { [ -f "$bundle/stamp" ] && read -r made <"$bundle/stamp" && [ "$made" = "$(sh "$here/bin/stamp.sh")" ]; }; then
    program="$here/src/dayferry.ts"
  fi
  remedy="Run npm ci again"
fi

# In an installed package Node lies beside it, unless another package there needs another version of it.
pinned="$here/node_modules/node/bin/node"
[ -x "$pinned" ] || pinned="${here%/*}/node/bin/node"
for node in "$pinned" "${npm_node_execpath:-}" "$(command -v node)"; do
  [ -x "$node" ] || continue
  major=$("$node" -p 'parseInt(process.versions.node)' 2>/dev/null) || continue
  if [ "$major" -ge 26 ]; then exec "$node" "$program" "$@"; fi
done

if [ -x "$pinned" ]; then
  echo "Dayferry needs Node 26. The one that npm has installed with it does not start on this machine:" >&2
  fault=$("$pinned" --version 2>&1)
  echo "  ${fault%%
*}" >&2
else
  fault=
  echo "Dayferry needs Node 26, which npm has not installed with it: install scripts may be turned off (ignore-scripts)." >&2
fi
case $fault in
  *libatomic*)
    echo "Install the system library libatomic, which small images lack, and try again:" >&2
    echo "  apt-get install libatomic1    (Debian, Ubuntu)" >&2
    echo "  dnf install libatomic         (Fedora, RHEL)" >&2
    ;;
  *)
    echo "$remedy, or install Node 26 so that \`node\` is that one, and try again." >&2
    ;;
esac
exit 1
