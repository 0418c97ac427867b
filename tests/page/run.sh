#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh CLUMPMODEL FOLDER: the page that --html writes. Its engine is built again and compared byte by
# byte, computes a thousand points like the program, and the page is used in a real browser.
set -euo pipefail
program=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
cd "$(dirname "$0")/../.."
web/build.sh "$folder/engine.wasm"
cmp "$folder/engine.wasm" web/engine.wasm || {
    echo "web/engine.wasm is not what web/build.sh makes of the sources: run 'make web-engine'" >&2
    exit 1
}
echo "web/engine.wasm is what web/build.sh makes"
"$program" predict tests/page/points.lua --format csv > "$folder/points.csv"
node tests/page/engine.mjs web/engine.wasm "$folder/points.csv"
node tests/page/page.mjs "$program" "$folder"
