#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# draw.sh CLUMPMODEL: draws the figures of the documents, as `commands` says: on each line the name
# of the figure and the arguments that make it.
set -eu
program=$(realpath "$1")
cd "$(dirname "$0")/../.."
while read -r name arguments; do
    # shellcheck disable=SC2086 # words
    "$program" $arguments --plot "docs/figures/$name.svg" > /dev/null < /dev/null
    echo "docs/figures/$name.svg"
done < docs/figures/commands
"$program" topology docs/topology/two-cards.xml --nic-speed 100 --quiet --picture docs/figures/two-cards.svg > /dev/null
echo docs/figures/two-cards.svg
