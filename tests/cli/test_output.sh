# SPDX-License-Identifier: GPL-3.0-or-later
# --output: results to a file that is whole or as it was.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
ok="slowdown -P 8 -N 4 -U 0.48"

for format in table json csv; do
    "$CLUMPMODEL" $ok --format $format > wanted
    run $ok --format $format -o file.$format
    check "$format: nothing on standard output" eval "exits 0 && empty out && empty err"
    check "$format: the same as printed" cmp -s wanted file.$format
done
run -o before.json --format json $ok
check "before the command" cmp -s before.json file.json
run --json $ok
check "--json for short" cmp -s out file.json
run $ok --format json -o -
check "- is standard output" cmp -s out file.json

run slowdown -P 8 -N 4 -U 2 -o file.json
check "wrong input: the file stays" eval "exits 2 && cmp -s before.json file.json"
echo 'error("no")' > bad.lua
run predict bad.lua -o file.json
check "a script that fails: the file stays" eval "exits 2 && cmp -s before.json file.json"
run predict bad.lua -o new.json
check "and none appears" eval "exits 2 && [ ! -e new.json ]"
echo 'return scenario { processors = 8, nics = 4, utilization = 0.5 }' > good.lua
cp good.lua kept.lua
for option in '-o good.lua' '--output ./good.lua' '-o picture.gp --plot picture.gp'; do
    run predict good.lua $option
    check "a file that is read or written already: $option" eval "exits 2 && has err 'expected another file than'"
done
check "the script is as it was" cmp -s good.lua kept.lua
: > some.db
run $ok --db some.db -o some.db
check "nor the database" eval "exits 2 && has err 'expected another file than that of --db'"
run $ok -o "$PWD/missing/file"
check "a folder that is not there" eval "exits 2 && empty out && has err 'cannot write .*/missing/file'"
run $ok -o .
check "a folder" eval "exits 2 && has err 'found a directory, expected a file'"
run $ok -o /dev/null
check "a device" eval "exits 0 && empty out && empty err"
run $ok -o /dev/full
check "what cannot be written is told" eval "exits 1 && has err 'No space left'"

# Mode and link of what is replaced stay; nothing else remains.
mkdir real
echo old > real/file
chmod 640 real/file
ln -s real/file link
run $ok --format json -o link
check "behind a link" eval "[ -L link ] && cmp -s real/file before.json"
check "with its mode" [ "$(stat -c %a real/file)" = 640 ]
check "nothing is left beside it" [ "$(ls -A real)" = file ]

# Whoever is ended by a signal leaves nothing behind, and the file as it was.
mkfifo endless
mkdir ended
for ended in 'TERM import csv - --platform lab --db ended.db' 'HUP import csv - --platform lab --db ended.db' 'TERM predict -'; do
    signal=${ended%% *}
    echo old > ended/file
    ran="${ended#* }, ended by $signal"
    "$CLUMPMODEL" ${ended#* } -o ended/file < endless > out 2> err &
    process=$!
    exec {open}> endless # it waits for what does not come
    until [ "$(ls -A ended | wc -l)" = 2 ] || ! kill -0 $process 2> /dev/null; do sleep 0.05; done
    # Again and again: one that comes just before the program waits is only noted.
    while sleep 0.1; do kill -$signal $process 2> /dev/null || break; done &
    again=$!
    wait $process 2> /dev/null
    status=$?
    kill $again 2> /dev/null
    exec {open}>&-
    check "$ran" [ "$status" -gt 128 ]
    check "the file is as it was: $ran" [ "$(cat ended/file)" = old ]
    check "nothing is left beside it: $ran" [ "$(ls -A ended)" = file ]
done

# What a command printed that then failed is what the user wants to see.
printf 'platform,application,transport,quantity,value,unit,source\nlab,,tcp,latency,-5,us,mine\n' > samples.csv
run import csv samples.csv --db lab.db
run data check --db lab.db
if [ "$status" = 1 ] && [ -s out ]; then
    mv out wanted
    run data check --db lab.db -o findings
    check "findings are results" eval "exits 1 && cmp -s findings wanted"
fi
