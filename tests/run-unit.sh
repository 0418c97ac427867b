#!/bin/sh
# Run the unit test programs given; print what failed, and a closing line.
passed=0 failed=0
for program in "$@"; do
    log=$program.log
    if "$program" >"$log" 2>&1; then
        passed=$((passed + $(grep -c '^\[       OK \]' "$log")))
    else
        echo "== ${program##*/}"
        grep -v '^\[ RUN\|^\[       OK' "$log" | tail -n 40
        passed=$((passed + $(grep -c '^\[       OK \]' "$log")))
        count=$(grep -c '^\[  FAILED  \].*$' "$log")
        [ "$count" -gt 0 ] || count=1
        failed=$((failed + count))
    fi
done
echo "unit: $passed passed, $failed failed"
[ "$failed" = 0 ]
