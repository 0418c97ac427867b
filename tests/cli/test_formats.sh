# SPDX-License-Identifier: GPL-3.0-or-later
# Formats, terminals, and output that cannot be written.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
ok="-P 8 -N 4 -U 0.48"

run slowdown $ok
check "table is the default" has out '^Slowdown  *1.0019$'
check "the slowest only where it differs" lacks out 'Slowest'
check "after the verdict" [ "$(tail -n 3 out | head -n 1)" = 'The Clump takes 0.2% longer than the NOW.' ]
for options in "--max-nics-per-processor 2" "--mapping static" "--group-sizes 2,2,2,2"; do
    run slowdown $ok $options
    check "nothing assumed with $options" lacks out 'Assumes'
done
run slowdown -P 8 -N 1 -U 0.48
check "nothing assumed with one NIC" lacks out 'Assumes'
for format in json csv; do
    run slowdown $ok --format $format
    check "$format: no remarks" lacks out 'Assumes'
    check "$format: all digits" has out '1\.0019312373396'
done
run slowdown -P 3 -N 2 -U 0.5 --group-sizes 2,1 # 1.25, 1.25, 1
check "the slowest of groups" has out '^Slowest processor  *1.2500$'
check "and the mean" has out '^Slowdown  *1.1667$'
run slowdown -P 8 -N 4 -U .1,.2,.3,.4,.5,.6,.7,.8
check "mean of a mix" has out '^Mean slowdown  *0.9584$'
check "slowest of a mix" has out '^Slowest processor  *1.0092$'
run slowdown $ok
cp out table
run --format table slowdown $ok
check "--format before the command" cmp -s out table
run slowdown --format table $ok
check "--format after the command" cmp -s out table
run slowdown --format=table --processors=8 --nics=4 --utilization=4.8e-1
check "other spellings" cmp -s out table
run slowdown --proc 8 --nic 4 --util 0.48
check "beginnings of options" cmp -s out table
run slowdown -P8 -N4 -U.48 --
check "short options" cmp -s out table

run slowdown $ok --format json
check "JSON: one object" awk 'NR == 1 && $0 != "{" { exit 1 } { l = $0 } END { exit l != "}" }' out
for name in scenario processors nics utilization demand mapping slowdown; do
    check "JSON has $name" has out "\"$name\": "
done
check "JSON: nothing that does not apply" lacks out 'null\|NaN\|nan\|inf\|application\|measured\|gang\|phase'
run slowdown $ok --demand gang:2.5 --format json
check "JSON: demand with its size" [ "$(key demand)/$(key gang_size)" = gang:2.5/2.5 ]
echo 'return scenario { processors = 8, nics = 4, utilization = 0.48, phase_cycles = 2 }' > phase.lua
run predict phase.lua --format json
check "JSON: no equilibrium in a transient" lacks out 'mean_active\|nic_utilization\|null'
check "JSON: phase" [ "$(key phase_cycles)" = 2.0 ]
echo 'return scenario { processors = 8, nics = 4, utilization = 0.48, remote_fraction = 0.5, cost_ratio = 0.25, memory_penalty = 1.5,
    waiting_fraction = 0.125 }' > coupling.lua
run predict coupling.lua --format json
check "JSON: coupling" [ "$(key remote_fraction)/$(key cost_ratio)/$(key memory_penalty)/$(key waiting_fraction)" = 0.5/0.25/1.5/0.125 ]

run slowdown -P 2 -N 1 -U .1,.2 --format csv
check "CSV: header and a line a processor" [ "$(wc -l < out)" -eq 3 ]
check "CSV: as many fields in each" awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' out
check "CSV: names" has out '^scenario,application,platform,processors,nics,processor,utilization,demand,'
check "CSV: empty, not nan" lacks out 'nan\|inf\|null\|-,'
check "CSV: ends of lines" awk '/\r/ { exit 1 }' out

# A locale with a decimal comma changes nothing.
for locale in $(locale -a 2> /dev/null | grep -i '^\(de_DE\|fr_FR\|C\)\.utf' | head -3); do
    for format in table json csv; do
        "$CLUMPMODEL" slowdown $ok --format $format > expected
        LC_ALL=$locale run slowdown $ok --format $format
        check "$format in $locale" cmp -s out expected
    done
done

# No colours in files or pipes; none on a terminal with NO_COLOR.
run slowdown $ok
check "no escapes in a file" lacks out "$(printf '\033')"
if script -qec true /dev/null > /dev/null 2>&1; then # there may be no terminals to be had
    for command in "slowdown $ok" "slowdown -P 2 -N 1 -U .1,.2" "data list" help; do
        NO_COLOR=1 script -qec "'$CLUMPMODEL' $command" /dev/null > out 2> err < /dev/null
        check "no escapes on a terminal with NO_COLOR: $command" lacks out "$(printf '\033')"
        check "and something is there" test -s out
    done
fi

# Results that do not arrive are an error.
if [ -w /dev/full ]; then
    for command in "slowdown $ok" "slowdown $ok --format json" "slowdown $ok --format csv" help \
        "help slowdown" --version "data list" "data export" "data list --format json" \
        "slowdown -P 100000 -N 1:20000 -U 0.1 --demand correlated --format json"; do
        ran=$command
        : > out
        "$CLUMPMODEL" $command > /dev/full 2> err
        status=$?
        check "full disk: $command" exits 1
        check "full disk, message: $command" has err 'cannot write the results: No space left'
    done
fi
ran="slowdown, stdout closed"
"$CLUMPMODEL" slowdown $ok >&- 2> err
status=$?
check "closed stdout" exits 1
ran="slowdown into a pipe that nobody reads"
: > err
{ "$CLUMPMODEL" slowdown -P 100000 -N 1:20000 -U 0.1 --demand correlated 2> err; echo $? > piped; } | head -n 1 > /dev/null
status=$(cat piped)
check "a pipe that ends: killed by SIGPIPE, quietly" [ "$status" = 141 ]
check "and without a message" empty err
(trap '' PIPE; "$CLUMPMODEL" slowdown -P 100000 -N 1:20000 -U 0.1 --demand correlated 2> err; echo $? > piped) | head -n 1 > /dev/null
status=$(cat piped)
check "a pipe that ends, SIGPIPE ignored: exit 1" [ "$status" = 1 ]
check "and a message with the reason" has err 'cannot write the results: Broken pipe'
"$CLUMPMODEL" slowdown $ok > out 2>&- < /dev/null
status=$?
check "closed stderr is no matter" exits 0

# For documents of others: rows as Markdown, and as LaTeX, in which a percent sign begins a comment.
run slowdown -P 8 -N 1:4 -U 0.48 --format md
check "Markdown: a heading, its line, and four rows" sh -c '[ "$(grep -c "^|" out)" = 6 ] && [ "$(grep -c "^|---:" out)" = 1 ]'
check "Markdown: as many cells in each" sh -c "[ \"\$(grep '^|' out | tr -dc '|\\n' | sort -u | wc -l)\" = 1 ]"
run slowdown -P 8 -N 1:4 -U 0.48 --format latex
check "LaTeX: every percent sign is escaped" sh -c "sed -n '/begin/,/end/p' out | grep -q '%' && ! sed -n '/begin/,/end/p' out | grep -q '[^\\\\]%'"
check "LaTeX: begins and ends" sh -c 'grep -q "^.begin{tabular}{rrrr}" out && grep -q "^.end{tabular}" out'
printf 'return scenario { title = "a|b_c{\\\\", processors = 2, nics = {1, 2}, application = application { name = "x_1|&", utilization = 0.5 } , demand = {"independent", "correlated"} }\n' > marks.lua
run predict marks.lua --format latex
check "LaTeX: names of strangers: done" exits 0
printf 'program,share,mpi_share\n"[2pt]<b|`x_*",1,0.35\n' > strangers.csv
run recommend --cores 8 --workload strangers.csv --measured-nics 2 --format latex
check "LaTeX: a bracket is no option of the row before it" eval 'exits 0 && grep -qF "{[}2pt]\textless{}b\textbar{}\`x\_* &" out'
run recommend --cores 8 --workload strangers.csv --measured-nics 2 --format md
check "Markdown: no HTML, links or emphasis of strangers" eval 'exits 0 && grep -qF "| \[2pt]\<b\|\\\`x\_\* |" out'
