# SPDX-License-Identifier: GPL-3.0-or-later
# OTF2 archives: one that is written here (tests/otf2/write_archive.c has its events), damaged ones, and a program without libotf2.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

# What reads them is found beside the program: not from here.
mkdir alone && cp "$CLUMPMODEL" "$CLUMPMODEL-record" alone
: > some.otf2
if [ ! -x "$(alone/clumpmodel import otf2 some.otf2 --db no.db 2>&1 | sed -n 's|.*is not there (\(.*clumpmodel-otf2\)).*|\1|p')" ]; then
    alone/clumpmodel import otf2 some.otf2 --db no.db > out 2> err
    status=$?
    check "without libotf2: says what to install" eval 'exits 1 && empty out && has err "Debian: libopen-trace-format2-dev"'
    check "without libotf2: nothing is made" [ ! -e no.db ]
fi
if [ ! -x "$(dirname "$CLUMPMODEL")/clumpmodel-otf2" ] || ! pkg-config --exists otf2; then
    echo "skip - archives of OTF2: needs libopen-trace-format2-dev"
    exit 0
fi
# shellcheck disable=SC2046 # a list of options
gcc -std=c11 -I"$top" $(pkg-config --cflags otf2) -o write_archive "$top/tests/otf2/write_archive.c" $(pkg-config --libs otf2) &&
    ./write_archive made > /dev/null
check "an archive was written" [ -s made/trace.otf2 ]

run import otf2 made/trace.otf2 --name made --db a.db
check "imported" eval 'exits 0 && has out " otf2  *made  *3  *2  *20  *0.0051  *imported"'
run import otf2 made/trace.otf2 --name made --db a.db --quiet
check "once only" has out 'already there$'
cat > node.lua << 'LUA'
return scenario { application = application "made", processors = 2, nics = 1, platform = platform { name = "node", processors = 2, nics = 1,
  network = { L = 5, o_s = 2, o_r = 2, g = 3, G = 0.008 }, shared_memory = { L = 0.5, o_s = 0.5, o_r = 0.5, g = 0.5, G = 0.0005 } } }
LUA
run predict node.lua --db a.db --quiet
check "its calls are played" exits 0
run record --report made/trace.otf2
check "ranks on nodes" has out '^Ranks  *3 on 2 nodes$'
check "start" has out '^Started  *2023-11-14T22:13:20Z'
check "a receive of a communicator waits for its sender" has out '^receive  *1  *0.0009  *5.9%  *0.0006  *0.0003  *0  *1000$'
check "a wait waits for the later of two" has out '^wait  *2  *0.00065  *4.2%  *0.0004  *0.00025  *0  *192$'
check "a collective waits for the last" has out '^allreduce  *3  *0.0013  *8.5%  *0.001  *0.0003  *0  *24$'
check "a broadcast of 500 bytes" has out '^broadcast  *3  *0.0003 .* 500$'
check "messages" eval 'has out "^point-to-point  *another node  *1  *1000 " && has out "^point-to-point  *the same node  *2  *192 "'
check "nothing is without a partner" lacks out 'no partner'
run record --report made/trace.otf2 --format json
check "reported without storing" eval 'exits 0 && has out "\"origin\": \"otf2\"" && has out "\"sends_without_receive\": 0.0"'

# One-sided calls, collectives of a part of the ranks and such that do not block, regions in regions, a clock that is ahead.
# shellcheck disable=SC2046 # a list of options
gcc -std=c11 -I"$top" $(pkg-config --cflags otf2) -o write_more "$top/tests/otf2/write_more.c" $(pkg-config --libs otf2) &&
    ./write_more more > /dev/null
run record --report more/trace.otf2 --format csv
# what: calls, s in them, s waiting, bytes, by the text of the program
row() { awk -F, -v what="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $1 == what { printf "%d %.6g %.6g %d", $at["calls"], $at["seconds"], $at["waiting_s"], $at["bytes"] }' out; }
while read -r what expected; do
    check "more: $what" [ "$(row "$what")" = "$expected" ]
done <<'ROWS'
receive 1 0.0009 0.0006 1000
gather 2 0.0005 0.0003 48
allreduce 8 8e-05 0 224
broadcast 8 8e-05 0 90
wait 4 0.0016 0.0009 0
barrier 4 0.0016 0.0012 0
put 4 4e-05 0 3200
get 4 4e-05 0 1600
accumulate 4 4e-05 0 32
synchronize 8 0.00044 0 0
ROWS
check "more: a message from a node whose clock is behind" eval 'run record --report more/trace.otf2 && has out "^point-to-point  *another node  *1  *1000 "'

# Damaged ones are refused, whatever libotf2 does; nothing is stored, and nothing is left behind.
export TMPDIR=$PWD/tmp
mkdir tmp
for file in trace.otf2 trace.def trace/0.evt trace/2.evt; do
    rm -rf cut && cp -r made cut
    head -c $(($(wc -c < made/$file) / 2)) made/$file > cut/$file
    refuses 2 "cut/trace.otf2: " import otf2 cut/trace.otf2 --db b.db
done
refuses 2 "tests.otf2: No such file" import otf2 tests.otf2 --db b.db
printf 'no archive\n' > text.otf2
refuses 2 "text.otf2: it cannot be opened as an OTF2 archive" import otf2 text.otf2 --db b.db
check "nothing is stored" [ ! -e b.db ]
check "nothing is left behind" [ -z "$(ls tmp)" ]

# Small ones that ask for much: the budget, or the reason that it is no archive of a program.
# shellcheck disable=SC2046 # a list of options
gcc -std=c11 -I"$top" $(pkg-config --cflags otf2) -o write_hostile "$top/tests/otf2/write_hostile.c" $(pkg-config --libs otf2) &&
    ./write_hostile hostile > /dev/null
refuses 2 "two ranks of MPI are one process" import otf2 hostile/trace.otf2 --db b.db
refuses 2 "more ranks than --budget has" import otf2 made/trace.otf2 --db b.db --budget ranks=2
refuses 2 "more disk than a temporary folder may have" import otf2 made/trace.otf2 --db b.db --budget disk=140K
refuses 2 "more disk than a temporary folder may have" record --report made/trace.otf2 --budget disk=140K,seconds=100
refuses 2 "budget: found 'disk=1X', expected memory=BYTES,disk=BYTES" import otf2 made/trace.otf2 --budget seconds=7,disk=1X
run import otf2 made/trace.otf2 --db budget.db --budget disk=300K,ranks=3
check "within its budget" exits 0

# An archive on which the helper waits: whatever ends who waits for it ends the helper, too, and the folder goes.
cp -r made waits && rm waits/trace/2.evt && mkfifo waits/trace/2.evt
helpers() { # that read this archive: their processes
    grep -sal "[c]lumpmodel-otf2.$1/trace.otf2" /proc/[0-9]*/cmdline | sed 's|/proc/||; s|/.*||'
}
until_so() { local i; for ((i = 0; i < 3000; i++)); do "$@" && return; sleep 0.1; done; return 1; }
helper_reads() { [ -n "$(helpers "$1")" ] && [ -n "$(find tmp -name 'rank-*')" ]; }
none_reads() { [ -z "$(helpers "$1")" ]; }
nothing_left() { [ -z "$(ls -A tmp)" ]; }
for what in "import otf2 $PWD/waits/trace.otf2 --db w.db" "record --report $PWD/waits/trace.otf2"; do
    for signal in INT TERM HUP KILL; do
        # shellcheck disable=SC2086 # words
        env --default-signal=INT "$CLUMPMODEL" $what > out 2> err &
        victim=$!
        check "${what%% *}: the helper reads" until_so helper_reads "$PWD/waits"
        kill -$signal $victim
        wait $victim 2> /dev/null
        check "${what%% *}: no helper after $signal" until_so none_reads "$PWD/waits"
        check "${what%% *}: no files after $signal" until_so nothing_left
    done
done
# Who is killed with its helper leaves its files to the next one.
"$CLUMPMODEL" record --report "$PWD/waits/trace.otf2" > out 2> err &
victim=$!
until_so helper_reads "$PWD/waits"
kill -STOP $victim
kill -KILL "$(helpers "$PWD/waits")" $victim
wait $victim 2> /dev/null
check "killed together: files are left" eval '! nothing_left'
run record --report made/trace.otf2
check "and removed by the next one" eval 'exits 0 && nothing_left'
refuses 2 "longer than the 1 seconds of --budget" import otf2 "$PWD/waits/trace.otf2" --db w.db --budget seconds=1
check "late: no helper, no files" eval 'until_so none_reads "$PWD/waits" && until_so nothing_left'
check "nothing was stored" [ ! -e w.db ]
