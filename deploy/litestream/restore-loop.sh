#!/bin/sh
# Brings a copy for `dayferry serve --read-only` up to date again and again: each state is put together beside its place, and moved
# there as a whole. Without Litestream any other way to a snapshot goes into the same loop.
#   restore-loop.sh /copy/dayferry.sqlite [SECONDS] [COMMAND]      30 s and `litestream restore` unless said otherwise
set -eu
target=$1
every=${2:-30}
command=${3:-litestream restore -config ${LITESTREAM_CONFIG:-/etc/litestream.yml} -o "$target.next" /data/dayferry.sqlite}
while :; do
  rm -f "$target.next" "$target.next-wal" "$target.next-shm"
  if target="$target" sh -c "$command" && [ -s "$target.next" ]; then
    chmod 600 "$target.next"
    mv "$target.next" "$target"
  else
    echo "the copy could not be brought up to date; the last one stays" >&2
  fi
  sleep "$every"
done
