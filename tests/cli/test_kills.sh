# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 at every system call of import, explore --shard and --merge that can change a file (tests/kill/kill_at.c): what is there then is
# whole, and what was there before or after; the same command once more gives what it gives undisturbed, and leaves nothing else.
# With CLUMP_TEST_LONG at each of them, else at every eleventh.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "is about system calls, not about how the program was built"; exit 0; }
logs=$TOP/tests/logs
step=11
[ -z "${CLUMP_TEST_LONG:-}" ] || step=1
gcc -std=c11 -o kill_at "$TOP/tests/kill/kill_at.c" || exit 1
./kill_at 0 true 2> /dev/null
[ $? -ne 77 ] || { echo "skip - kills at system calls: the system does not let processes look at others"; exit 0; }

# kills WHAT BEFORE WHOLE SAME COMMAND...: BEFORE makes the folder `place` what it was, WHOLE says whether all in it is in order,
# SAME whether it is as it should be in the end
kills() {
    local what=$1 before=$2 whole=$3 same=$4 number count bad='' left
    shift 4
    rm -rf place && mkdir place && $before
    count=$(./kill_at 0 "$CLUMPMODEL" "$@" 2>&1 > /dev/null | tail -n 1)
    ran="$*"
    check "$what: undisturbed" $same
    ls -A place > expected
    for ((number = 1; number <= count; number += step)); do
        rm -rf place && mkdir place && $before
        ./kill_at $number "$CLUMPMODEL" "$@" > out 2> err
        [ $? -eq 137 ] || bad="$bad $number:lives"
        $whole || bad="$bad $number:broken"
        "$CLUMPMODEL" "$@" > out 2> err || bad="$bad $number:again"
        $same || bad="$bad $number:other"
        left=$(ls -A place | diff - expected) || bad="$bad $number:left($left)"
    done
    check "$what: killed at $(((count + step - 1) / step)) of $count calls:${bad:- as it should be}" [ -z "$bad" ]
}
contents() { "$CLUMPMODEL" data export lab --db "$1" 2> /dev/null; } # nothing where there is no platform of this name

# A database: it opens, and has all of the log or nothing.
"$CLUMPMODEL" import auto "$logs/one_one_shm.txt" --platform lab --db old.db --quiet > /dev/null
cp old.db new.db
"$CLUMPMODEL" import auto "$logs/fi_pingpong_tcp_rdm_r1.txt" --platform lab --db new.db --quiet > /dev/null
"$CLUMPMODEL" import auto "$logs/fi_pingpong_tcp_rdm_r1.txt" --platform lab --db first.db --quiet > /dev/null
for db in old new first; do contents $db.db > $db.csv; done
none() { :; }
old() { cp old.db place/lab.db; }
opens() {
    contents place/lab.db > now.csv
    "$CLUMPMODEL" data check --db place/lab.db > checked 2>&1 || { [ ! -s place/lab.db ] && grep -q 'is empty' checked; }
}
first_whole() { [ ! -e place/lab.db ] || { opens && { [ ! -s now.csv ] || cmp -s now.csv first.csv; }; }; }
old_whole() { opens && { cmp -s now.csv old.csv || cmp -s now.csv new.csv; }; }
is_first() { opens && cmp -s now.csv first.csv; }
is_new() { opens && cmp -s now.csv new.csv; }
kills "import, no database" none first_whole is_first import auto "$logs/fi_pingpong_tcp_rdm_r1.txt" --platform lab --db place/lab.db
kills "import" old old_whole is_new import auto "$logs/fi_pingpong_tcp_rdm_r1.txt" --platform lab --db place/lab.db

# Parts: what is there can be merged or is refused, and is not taken for whole.
cat > mix.lua << 'LUA'
return scenario { title = "mix", processors = 8, nics = { 1, 2, 4, 8 }, utilization = 0.5 }
LUA
for k in 1 2; do "$CLUMPMODEL" explore mix.lua --threads 1 --shard $k/2 --part part.$k > /dev/null 2>&1; done
"$CLUMPMODEL" explore mix.lua --threads 1 --format csv > one.csv 2> /dev/null
merged() { "$CLUMPMODEL" explore mix.lua --threads 1 --merge "$1" part.2 --format csv > merged.csv 2> /dev/null; }
part_whole() { ! merged place/part.1 || cmp -s merged.csv one.csv; }
is_part() { merged place/part.1 && cmp -s merged.csv one.csv; }
kills "explore --shard" none part_whole is_part explore mix.lua --threads 1 --shard 1/2 --part place/part.1

# What is merged: the old file or the new one.
parts() { cp part.1 part.2 place && echo old > place/m.csv; }
merge_whole() { cmp -s place/m.csv one.csv || [ "$(cat place/m.csv)" = old ]; }
is_merged() { cmp -s place/m.csv one.csv && cmp -s part.1 place/part.1; }
kills "explore --merge" parts merge_whole is_merged explore mix.lua --threads 1 --merge place/part.1 place/part.2 --format csv -o place/m.csv
