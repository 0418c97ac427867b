#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Try all descriptions of nodes below a folder: imported, with what was found, or refused with the reason.
# Fails where one is neither, or finds other numbers of GPUs than the file has elements of.
# usage: check.sh CLUMPMODEL FOLDER
set -uo pipefail
program=$1 imported=0 refused=0 failed=0
while read -r file; do
    found=$("$program" topology "$file" --quiet --format json 2> /tmp/topology-check.$$)
    status=$?
    read -r message < /tmp/topology-check.$$
    if [ $status -eq 0 ]; then
        of() { sed -n "s/^ *\"$1\": \"*\([^\",]*\).*/\1/p" <<< "$found" | tail -n 1; }
        gpus=$(grep -c '<gpu ' "$file") kind=$(of kind) processors=$(of processor_count)
        if [ "$gpus" -gt 0 ] && [ "$kind/$processors" != "GPU/$gpus" ]; then
            echo "WRONG     ${file##*/}: $processors $kind, expected $gpus GPUs"
            failed=$((failed + 1))
        fi
        printf 'imported  %-30s %-10s %3s %-4s %3s NICs, %s GB/s together\n' "${file##*/}" "$(of format)" "$processors" "$kind" \
            "$(of nic_count)" "$(grep -o '"total": [0-9.e+]*' <<< "$found" | head -n 1 | cut -d ' ' -f 2)"
        imported=$((imported + 1))
    elif [ $status -eq 2 ] && [ "$(wc -l < /tmp/topology-check.$$)" -eq 1 ]; then
        printf 'refused   %-30s %s\n' "${file##*/}" "${message#*"': "}"
        refused=$((refused + 1))
    else
        printf 'FAILED    %-30s status %s: %s\n' "${file##*/}" $status "$message"
        failed=$((failed + 1))
    fi
done < <(find -L "$2" -name '*.xml' -o -name '*.txt' | sort)
rm -f /tmp/topology-check.$$
echo "$imported imported, $refused refused, $failed failed"
[ $failed -eq 0 ] && [ $((imported + refused)) -gt 0 ]
