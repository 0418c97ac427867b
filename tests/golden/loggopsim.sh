#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# loggopsim.sh PROGRAM FOLDER: writes loggopsim.csv beside itself. PROGRAM is the unit test
# test_schedule_loggopsim, which makes the schedules; FOLDER has LogGOPSim and its txt2bin.
set -eu
program=$1 simulator=$2
out=$(dirname "$0")/loggopsim.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$program" "$work" > "$work/list"
{
    echo "# LogGOPSim: end of the last rank and of all ranks together, ns; -1: messages are left"
    echo schedule,last,sum
    while read -r number L o g G O S; do
        "$simulator/txt2bin" -i "$work/$number.goal" -o "$work/bin" > "$work/log" 2>&1
        "$simulator/LogGOPSim" -f "$work/bin" -L "$L" -o "$o" -g "$g" -G "$G" -O "$O" -S "$S" > "$work/log" 2>&1
        awk -v n="$number" '
            /^Host/ { sum += $3; if ($3 > last) last = $3; hosts++ }
            / queue on host / { left = 1 }
            END { if (left || !hosts) print n ",-1,-1"; else printf "%d,%d,%d\n", n, last, sum }' "$work/log"
    done < "$work/list"
} > "$out.new"
mv "$out.new" "$out"
