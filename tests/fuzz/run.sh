#!/bin/bash
# Fuzz each entrance for a while. usage: run.sh BUILD SECONDS
# The corpus starts from the files that ship; what is found goes to BUILD/fuzz/<name>.crash-*.
set -uo pipefail
build=$1 seconds=$2 passed=0 failed=0
# Logs with the byte that chooses the format before them: its own, and the one that recognizes it.
add_logs() {
    local log number
    for log in "$top"/tests/logs/*.* "$top"/tests/fuzz/import-seeds/*; do
        case ${log##*/} in
        *.md) continue ;;
        osu*) number=0 ;;
        imb* | IMB*) number=1 ;;
        loggp* | one_one*) number=2 ;;
        logp*) number=3 ;;
        tag* | uc* | fmt*) number=4 ;;
        fi_*) number=5 ;;
        *.mpiP) number=6 ;;
        NP*) number=7 ;;
        *) number=8 ;;
        esac
        { printf "\\x0$number" && cat "$log"; } > "$1/${log##*/}"
        { printf '\x0f' && cat "$log"; } > "$1/auto-${log##*/}"
    done
}
top=$(cd "$(dirname "$0")/../.." && pwd)
for program in "$build"/fuzz/fuzz_*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    name=${program##*/fuzz_}
    corpus=$build/fuzz/corpus-$name
    mkdir -p "$corpus"
    limit=65536
    case $name in
    import) seeds=() && add_logs "$corpus" ;;
    csv) seeds=("$top"/data/reference/*.csv) ;;
    scenario) seeds=("$top"/scenarios/*.lua "$top"/tests/fuzz/scenario-seeds/*.lua) ;;
    expression) seeds=("$top"/tests/fuzz/expression-seeds/*) limit=4096 ;;
    store) seeds=("$build"/reference.db) limit=262144 ;;
    esac
    for seed in "${seeds[@]}"; do
        [ -f "$seed" ] && cp "$seed" "$corpus/"
    done
    extra=()
    [ -f "$top/tests/fuzz/$name.dict" ] && extra=(-dict="$top/tests/fuzz/$name.dict")
    echo "fuzz: $name for $seconds s"
    if "$program" -max_total_time="$seconds" -max_len=$limit -timeout=20 -rss_limit_mb=2048 \
        -artifact_prefix="$build/fuzz/$name." "${extra[@]}" "$corpus" >"$build/fuzz/$name.log" 2>&1; then
        passed=$((passed + 1))
        grep '^Done\|^stat::number' "$build/fuzz/$name.log"
    else
        failed=$((failed + 1))
        tail -n 30 "$build/fuzz/$name.log"
    fi
done
echo "fuzz: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
