# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings of programs: what is imported, shown, exported, refused.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
cp -r "$top/tests/recordings/pair" pair

run import recording pair --db a.db
check "imported" eval 'exits 0 && has out "^pair  *recording  *halo  *2  *1  *26  *13.5  *imported"'
check "what cannot be known is said" has err 'note: pair: All ranks were on one node'
run import recording pair --db a.db --quiet
check "once only" eval 'exits 0 && has out "already there$"'
run import recording pair --name other --db a.db --quiet
check "under another name" eval 'exits 0 && has out " other .*imported"'
run data list recordings --db a.db --format csv
check "listed" eval 'has out "^halo,recording,halo,2023-11-14T22:13:20Z,2,1,13.5" && has out "^other,"'
run data show halo --db a.db
check "shown: program and ranks" eval 'has out "^Command  */home/somebody/halo 64" && has out "^Ranks  *2$" && has out "^Calls  *26$"'
check "shown: how much of it is kept" eval 'has out "^Played s  *12.5$" && has out "^of s  *12.5$"'
run record --report pair
check "reported: program and ranks" eval 'has out "^Program  */home/somebody/halo 64" && has out "^Ranks  *2 on 1 node$"'
check "reported: waiting and transferring" has out '^receive  *10  *5  *18.5%  *2.5  *2.5  *0  *10000'
check "reported: how ranks meet" has out '^  *2  *2  *16.7%'
check "reported: messages" has out '^point-to-point  *the same node  *10  *10000  *1000'
run record --report pair --format json
check "as JSON" eval 'has out "\"what\": \"receive\", \"calls\": 10, \"seconds\": 5.0, " && has out "\"origin\": \"recording\""'
run record --report pair --format csv
check "as CSV" has out '^receive,10,5,'
refuses 2 "nobody: No such file" record --report nobody
run data check --db a.db
check "the database is in order" exits 0

# Everything goes into another database.
run data merge a.db --db b.db --quiet
check "merged" eval 'exits 0 && has out merged'
if command -v sqlite3 > /dev/null; then
    for which in a b; do sqlite3 $which.db "select * from recording" | sort > $which.rows; done
    check "its recordings are there" eval 'cmp -s a.rows b.rows && [ -s a.rows ]'
fi
run import recording pair --name halo --db c.db --quiet
if command -v sqlite3 > /dev/null; then
    sqlite3 c.db 'update recording set wall = 14'
    refuses 2 "'c.db' has another recording of application 'halo' than the database" data merge c.db --db b.db
    sqlite3 c.db 'pragma foreign_keys = off; update recording set application_id = 77'
    refuses 2 "'c.db' is damaged; 'clumpmodel data check' tells more" data merge c.db --db d.db
    check "and nothing is made of it" [ ! -e d.db ]
fi
run data rename other third --db b.db
run data remove halo third --db b.db
check "removed with its source" eval 'exits 0 && has out "^source  *pair "'
run data list recordings --db b.db
check "nothing is left" has out '^No recordings.'

# What cannot be used is refused, and nothing is stored.
refuses 2 "--platform is not for recordings" import recording pair --platform lab --db d.db
refuses 2 "--name is for recordings" import csv a.csv --name x --platform lab --db d.db
refuses 2 "pair: found application 'SAMPLE', which is there already and has no recording" import recording pair --name SAMPLE --db d.db --quiet
refuses 2 "nowhere: No such file" import recording pair nowhere --db d.db --all-or-nothing
mkdir empty
refuses 2 "empty: found no file rank-NNNNNN.clumprec" import recording empty --db d.db
for bytes in 0 7 40 3000; do
    rm -rf cut && cp -r pair cut
    head -c $bytes pair/rank-000001.clumprec > cut/rank-000001.clumprec
    refuses 2 "cut/rank-000001.clumprec: byte [0-9]*: found" import recording cut --db d.db
done
rm -rf cut && cp -r pair cut
printf 'X' | dd of=cut/rank-000000.clumprec bs=1 seek=60 conv=notrunc 2> /dev/null
refuses 2 "cut/rank-000000.clumprec: byte [0-9]*: found" import recording cut --db d.db
rm -rf cut && cp -r pair cut # of two totals the other one would do, were the program killed while it wrote this one
printf 'X' | dd of=cut/rank-000000.clumprec bs=1 seek=30000 conv=notrunc 2> /dev/null
refuses 2 "cut/rank-000000.clumprec: byte [0-9]*: found totals with another checksum" import recording cut --db d.db
check "nothing was stored" [ ! -e d.db ]
rm -rf cut && cp -r pair cut && rm cut/rank-000001.clumprec
refuses 2 "operations wait for what is not in the recording: nothing was recorded of 1 of 2 ranks" import recording cut --name half --db e.db
check "and nothing is stored" [ ! -e e.db ]
run record --report cut
check "without the file of a rank: said" eval 'exits 0 && has out "ranks: nothing was recorded of 1 of 2" && has out "10 sends and 0 receives in the trace found no partner"'
run import recording pair "$top/docs/recording/halo" --name both --db f.db --all-or-nothing
check "two of one name are refused" eval 'exits 2 && has err "halo: found application .both., which is there already with another recording" && [ ! -e f.db ]'
run import recording pair "$top/docs/recording/halo" nowhere --name both --db f.db --format csv
check "or the second and what is not there" eval 'exits 2 && has err "halo: found application" && has err "nowhere: No such" && has out "^pair,recording,both,.*,imported$" && has out "halo,.*,refused$"'
printf '// a pair\n\nnum_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 1\n}\nrank 1 {\nl1: recv 8b from 0 tag 1\n}\n' | gzip > pair.goal.gz
cp "$top/tests/logs/osu_latency_v74_tcp_r1.txt" ./latency.txt && gzip latency.txt
run import auto pair latency.txt.gz pair.goal.gz --platform lab --db auto.db --format json --quiet
check "auto: recordings, schedules and logs, also compressed" eval 'exits 0 && has out "\"files\": \[" && has out "\"recordings\": \[" && has out "\"format\": \"osu\".*\"samples\": 21" && has out "\"format\": \"recording\", \"application\": \"halo\"" && has out "\"format\": \"goal\""'

# Who has only the product is told what else it takes.
mkdir alone && cp "$CLUMPMODEL" alone/clumpmodel
alone() { # ANSWER ARGUMENT... : with a clumpmodel-record that says that and ends
    printf '#!/bin/sh\n%s\n' "$1" > alone/clumpmodel-record && chmod +x alone/clumpmodel-record
    shift
    alone/clumpmodel "$@" > out 2> err
    status=$?
}
alone/clumpmodel import recording pair --db g.db > out 2> err
status=$?
check "without clumpmodel-record" eval 'exits 1 && has err "pair: recordings are read by clumpmodel-record, which cannot be started"'
alone 'printf "0\0\0" && kill $$' import recording pair --db g.db
check "clumpmodel-record is killed" eval 'exits 1 && has err "pair: clumpmodel-record ended before it was through" && [ ! -e g.db ]'
alone 'printf "2\0too large"' recommend --recording pair --platform lab
check "half of an answer is none" eval 'exits 1 && has err "pair: clumpmodel-record ended before it was through"'
for run in '4 1-' '-4 1+recording' '4 0+recording' '4 1+recording'; do # no origin, no ranks, no nodes, no SHA-256
    alone 'printf "0\000\000%s 0 0x0p+0 0x0p+0 0x0p+0\000%s\000-\000-\000-\000-\000-\000-\000-\000" '"'${run%[-+]*}' '${run#"${run%[-+]*}"}'" \
        import recording pair --db g.db
    check "a run that cannot be: $run" eval 'exits 1 && has err "pair: clumpmodel-record ended before it was through" && [ ! -e g.db ]'
done

# GOAL schedules.
printf 'num_ranks 2\nrank 0 {\nl1: calc 100\nl2: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n' > s.goal
run import goal s.goal --name s --db a.db
check "a schedule" eval 'exits 0 && has out " goal  *s  *2  *2  *imported"'
run data show s --db a.db
check "a schedule: shown" eval 'has out "^From  *goal$" && has out "each rank is taken as a node of its own"'
# What simulate refuses is not stored: both receive first, a circle, one tag for another, a message that nobody receives.
printf 'return scenario { platform = platform "e5000-clump", application = application "SAMPLE" }\n' > node.lua
for body in 'a: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\nrank 1 {\na: recv 8b from 0\nb: send 8b to 0\nb requires a' \
    'a: calc 5\nb: send 8b to 1\na requires b\nb requires a\n}\nrank 1 {\na: recv 8b from 0' \
    'a: send 8b to 1 tag 1\n}\nrank 1 {\na: recv 8b from 0 tag 2' 'a: send 8b to 1\n}\nrank 1 {\na: calc 5'; do
    printf "num_ranks 2\nrank 0 {\n$body\n}\n" > never.goal
    run simulate node.lua --schedule never.goal
    why=$(sed -n 's/.*never.goal: //p' err)
    run import goal never.goal --name never --db never.db
    check "a schedule that never ends: ${why:0:60}" eval 'exits 2 && [ -n "$why" ] && has err "never.goal: $why" && [ ! -e never.db ]'
done
printf 'num_ranks 2\nrank 0 {\nl1: fly 100\n}\n' > s.goal
refuses 2 "s.goal: line 3: found" import goal s.goal --db a.db
