#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The engine for the browser.
#
#   build.sh FILE   compiles it into FILE (clang 14, wasi-libc and lld of Debian 12; same bytes every time)
#   build.sh sum    prints a digest of the sources without their comments; web/engine.sum keeps that
#                   of the sources that web/engine.wasm was made from
set -eu
cd "$(dirname "$0")/.."
modules="bounds closed_network decimal distribution demand erlang likely_states limit memory memory_groups needs node placement prediction
    scheduled station status tight_coupling transient"
sources=web/engine.c
for module in $modules; do sources="$sources model/$module.c"; done

if [ "${1:-}" = sum ]; then
    # shellcheck disable=SC2086 # a list of names
    for file in $(gcc -I. -MM $sources | tr -d '\\' | tr ' ' '\n' | grep '\.[ch]$' | sort -u) web/build.sh; do
        case $file in *.sh) cat "$file" ;; *) gcc -fpreprocessed -dD -E -P "$file" ;; esac
    done | sha256sum | cut -d ' ' -f 1
    exit
fi

objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
list=
for source in $sources; do
    object=$objects/$(basename "$source" .c).o
    clang-14 --target=wasm32-wasi -std=c11 -D_POSIX_C_SOURCE=200809L -I. -O2 -ffp-contract=off -c "$source" -o "$object"
    list="$list $object"
done
# shellcheck disable=SC2086
clang-14 --target=wasm32-wasi -mexec-model=reactor -Wl,--strip-all -Wl,--gc-sections $list -lm -o "$1"
