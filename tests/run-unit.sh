#!/bin/sh
# Run the unit test programs given, one a processor; print what failed, and a closing line.
[ $# -gt 0 ] || { echo "unit: no programs"; exit 1; }
if [ "$1" = --one ]; then # a helper of the line below: one program, its log and its status beside it
    "$2" >"$2.log" 2>&1
    echo $? >"$2.status"
    exit 0
fi
printf '%s\n' "$@" | xargs -P "$(nproc 2>/dev/null || echo 1)" -n 1 "$0" --one

passed=0 failed=0
for program in "$@"; do
    log=$program.log
    passed=$((passed + $(grep -c '^\[       OK \]' "$log")))
    if [ "$(cat "$program.status")" != 0 ]; then
        echo "== ${program##*/}"
        grep -v '^\[ RUN\|^\[       OK' "$log" | tail -n 40
        count=$(grep -c '^\[  FAILED  \].*$' "$log")
        [ "$count" -gt 0 ] || count=1
        failed=$((failed + count))
    fi
done
echo "unit: $passed passed, $failed failed"
[ "$failed" = 0 ]
