#!/bin/sh
# Prints a checksum of everything that the bundle is made of. What is printed for the sources as they are is compared with what
# was printed when the bundle was made: times of files say little after a copy.
cd -- "$(dirname -- "$0")/.." && find src packages package-lock.json -type f | LC_ALL=C sort | xargs cksum | cksum
