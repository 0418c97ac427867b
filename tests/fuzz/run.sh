#!/bin/bash
# Fuzz each entrance for a while. usage: run.sh BUILD SECONDS
# The corpus starts from the files that ship; what is found goes to BUILD/fuzz/<name>.crash-*.
# FUZZ_ONLY=import-osu, FUZZ_ONLY=store...: one of them.
set -uo pipefail
build=$1 seconds=$2 passed=0 failed=0
top=$(cd "$(dirname "$0")/../.." && pwd)
# All logs, with the byte that says what the user knows before them. Those of other formats reach
# nothing new, and are left out soon.
add_logs() { # corpus
    local log
    for log in "$top"/tests/logs/*.* "$top"/tests/fuzz/import-seeds/*; do
        case $log in
        *.md) ;;
        *) { printf '\x01' && cat "$log"; } > "$1/${log##*/}" ;;
        esac
    done
}
fuzz_one() { # program, name, dictionary, seeds...
    local program=$1 name=$2 corpus=$build/fuzz/corpus-$2 limit=65536 extra=() seed
    [ -f "$3" ] && extra=(-dict="$3")
    shift 3
    mkdir -p "$corpus"
    [ "$name" = store ] && limit=262144
    [ "$name" = recording ] && limit=81920 # a file of a rank has two totals of 32 KiB
    case $name in formula | packets | network | calibration) limit=4096 ;; esac
    for seed in "$@"; do
        [ -f "$seed" ] && cp "$seed" "$corpus/"
    done
    echo "fuzz: $name for $seconds s"
    if "$program" -max_total_time="$seconds" -max_len=$limit -timeout=20 -rss_limit_mb=2048 \
        -artifact_prefix="$build/fuzz/$name." "${extra[@]}" "$corpus" >"$build/fuzz/$name.log" 2>&1; then
        passed=$((passed + 1))
        grep '^Done\|^stat::number' "$build/fuzz/$name.log"
    else
        failed=$((failed + 1))
        tail -n 30 "$build/fuzz/$name.log"
    fi
}

for program in "$build"/fuzz/fuzz_*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    name=${program##*/fuzz_}
    case ${FUZZ_ONLY:-$name} in "$name"*) ;; *) continue ;; esac
    seeds=()
    case $name in
    import)
        for format in $(CLUMP_FUZZ_FORMAT=list "$program"); do # each importer of the program's table is an entrance
            case ${FUZZ_ONLY:-import-$format} in import | import-$format) ;; *) continue ;; esac
            mkdir -p "$build/fuzz/corpus-import-$format"
            add_logs "$build/fuzz/corpus-import-$format"
            CLUMP_FUZZ_FORMAT=$format fuzz_one "$program" "import-$format" "$top/tests/fuzz/import.dict"
        done
        continue
        ;;
    csv) seeds=("$top"/data/reference/*.csv) ;;
    runs) seeds=("$top"/docs/runs.csv "$top"/tests/fuzz/runs-seeds/*) ;;
    scenario) seeds=("$top"/scenarios/*.lua "$top"/tests/fuzz/scenario-seeds/*.lua) ;;
    formula) seeds=("$top"/tests/fuzz/formula-seeds/*) ;;
    schedule) seeds=("$top"/tests/fuzz/schedule-seeds/*.goal) ;;
    recording) # calls of some ranks: lengths and bytes that all kinds come from
        mkdir -p "$build/fuzz/seeds-recording"
        for seed in 1 2 3 4 5 6; do
            { printf '\x02' && awk -v s=$seed 'BEGIN { srand(s); for (i = 0; i < 900; i++) printf "%c", int(rand() * 127) }'; } \
                > "$build/fuzz/seeds-recording/$seed"
        done
        for seed in "$top"/docs/recording/*/*.clumprec; do # files of ranks, whose checksums the mutator mends
            { printf '\0' && cat "$seed"; } > "$build/fuzz/seeds-recording/${seed##*/}"
        done
        seeds=("$build"/fuzz/seeds-recording/*)
        ;;
    store) seeds=("$build"/reference.db) ;;
    topology) seeds=("$top"/tests/topologies/*.xml "$top"/docs/topology/*) ;;
    esac
    fuzz_one "$program" "$name" "$top/tests/fuzz/$name.dict" "${seeds[@]}"
done
echo "fuzz: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
