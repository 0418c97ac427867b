# SPDX-License-Identifier: GPL-3.0-or-later
# Help is asked for: stdout, exit 0, examples that run.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

helps() { # helps REGEX ARGUMENTS...
    local message=$1
    shift
    run "$@"
    if exits 0 && empty err && has out "$message"; then pass "helps: $*"; else fail "helps: $*"; fi
}
# Every command and subcommand that there is, as the program itself completes them.
names() { "$CLUMPMODEL" completion words -- "$@" '' | cut -f 1; }
for command in $(names); do
    can_start "$command" >&2 || continue
    echo "$command"
    "$CLUMPMODEL" help "$command" | grep -q '^Commands:' && names "$command" | sed "s/^/$command /"
done > commands
ran='completion words'
check "there are commands, and commands of commands" eval 'grep -qx predict commands && grep -qx "data show" commands'
helps '^Usage: clumpmodel ' --help
helps '^Usage: clumpmodel ' -h
helps '^Usage: clumpmodel ' help
check "help: lines fit" awk 'length > 80 { exit 1 }' out
while IFS= read -r command; do
    again && { helps "^Usage: clumpmodel $command" help $command; continue; }
    for way in "$command --help" "$command -h" "--help $command" "help $command"; do
        helps "^Usage: clumpmodel $command" $way
    done
    check "$command: two or three examples" \
        awk '/^Examples:/ { e = 1; next } e && /^  clumpmodel / { n++ } END { exit !(n == 2 || n == 3) }' out
    check "$command: lines fit" awk 'length > 80 { exit 1 }' out
    check "$command is in the help of the program" eval "'$CLUMPMODEL' help ${command% *} | grep -q '${command##* }'"
done < commands
run help slowdown
check "help of slowdown names a scenario to begin with" eval "tr -s ' \n' ' ' < out | grep -q 'clumpmodel predict nics-per-node'"
helps '^clumpmodel [0-9]*\.[0-9]' --version
helps '^clumpmodel [0-9]*\.[0-9]' -V

again && exit 0

# Every example, in a folder that has the files it names; not those of calibrate, emulate and record, which measure for
# minutes and have a test of their own.
mkdir -p bin
ln -s "$CLUMPMODEL" bin/clumpmodel
PATH=$PWD/bin:$PATH
logs=$TOP/tests/logs
cp "$logs/osu_latency_v74_tcp_r1.txt" osu_latency.txt
cp "$logs/osu_bw_W16.txt" osu_bw.txt
cp "$logs/fft3d-concise.mpiP" fft3d.2.18628.1.mpiP
cp "$logs/mpi_bench_small.txt" clumpmodel-mpi-bench.txt
cp "$TOP/docs/topology/four-nics.xml" node.xml
echo 'return scenario { processors = 8, nics = nics or 4, utilization = 0.3 }' > my-cluster.lua
printf 'size,value,unit\n8,1.5,us\n16,1.6,us\n' > times.csv
printf 'processors,nics,time\n1,1,10\n8,4,10.5\n8,2,15.9\n8,1,31\n' > runs.csv
{
    clumpmodel import netgauge "$logs/loggp_tcp_64k.out" --platform lab --transport tcp
    clumpmodel import mpi-bench "$logs/mpi_bench_small.txt" --platform mine
    clumpmodel import netgauge "$logs/loggp_tcp_64k.out" --platform lab --transport tcp --db lab.db
} > /dev/null 2>&1
while IFS= read -r command; do
    "$CLUMPMODEL" help $command | sed -n '/^Examples:/,$s/^  clumpmodel /clumpmodel /p'
done < commands | grep -v '^clumpmodel \(calibrate\|emulate\|record\)' | sort -u > all
# What a manual page has word for word is run with that (tests/docs/run.sh).
sed -n '/^\.EX/,/^\.EE/{s/\\-/-/g;s/\\e/\\/g;s/\\(aq/'"'"'/g;/^clumpmodel/p}' "$TOP"/docs/man/*.[1-9] > manual
grep -vxFf manual all > examples
ran='the examples of the help'
check "examples that no manual page has" [ -s examples ]
while IFS= read -r line; do
    cp lab.db kept.db
    ran=$line
    timeout --foreground 1800 bash -c "$line" > out 2> err < /dev/null
    status=$?
    check "example runs: $line" exits 0
    mv kept.db lab.db
done < examples
