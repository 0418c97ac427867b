# SPDX-License-Identifier: GPL-3.0-or-later
# A terminal that is pleasant: what was probably meant, and colours only where they are seen.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "what a terminal shows, once; with sanitizers in make check-sanitize-all"; exit 0; }
escape=$(printf '\033')

refuses 2 "did you mean 'correlated'?" slowdown -P 8 -N 4 -U .3 --demand corelated
run slowdown -P 8 -N 4 -U .3 --demand gang:99
check "no guess where none helps" eval 'exits 2 && lacks err "did you mean"'
run slowdown -P 8 -N 4 -U .3 --mapping sideways
check "no guess far off" eval 'exits 2 && lacks err "did you mean"'
for line in 'platform "e5000-clmp":e5000-clump' 'application "SAMPEL":SAMPLE' 'scenario { nic = 3 }:nics' \
    'platform { name = "x", procesors = 3 }:processors' 'platfrom "x":platform' \
    'scenario { processors = 2, nics = 1, utilization = 0, mapping = "statc" }:static'; do
    echo "return ${line%:*}" > wrong.lua
    refuses 2 "did you mean ['\"]${line##*:}['\"]" predict wrong.lua
done

# Not on a terminal: never.
run predict nics-per-node
check "no colours in a file: table" lacks out "$escape"
run help predict
check "no colours in a file: help" lacks out "$escape"
run nonsense
check "no colours in a file: messages" lacks err "$escape"

if script -qec true /dev/null > /dev/null 2>&1; then
    terminal() { # terminal COMMAND...: what a terminal shows
        ran="$* on a terminal"
        script -qec "'$CLUMPMODEL' $*" /dev/null < /dev/null > out 2> err
    }
    export TERM=xterm
    terminal predict nics-per-node
    check "headings of tables are bold" has out "$escape\[1mNICs"
    terminal help predict
    check "headings of help are bold" has out "$escape\[1mUsage:$escape\[0m clumpmodel predict"
    terminal nonsense
    check "what went wrong is red" has out "$escape\[1;31mclumpmodel:$escape\[0m unknown command"
    for setting in NO_COLOR=1 TERM=dumb TERM=; do
        for words in 'predict nics-per-node' 'help predict' nonsense; do
            (export "${setting?}"; terminal $words)
            check "no colours with $setting: $words" eval '[ -s out ] && lacks out "$escape"'
        done
    done
    # Tables are as wide as the terminal: columns that have no room stand below, with the names of the
    # rows. Nothing is lost, and nothing of it happens to a file.
    if ! again; then
        locale -a 2> /dev/null | grep -qi '^C.utf-\?8$' && export LC_ALL=C.UTF-8
        screen() { sed 's/\r*$//; s/.*\r//'; } # what is seen in the end: a slow machine shows progress first, and deletes it
        places() { sed 's/\xc2\xb1/+/g'; } # characters of one place that have two bytes
        for command in 'predict clump-vs-now' 'data list platforms' 'data list sources'; do
            COLUMNS=80 "$CLUMPMODEL" $command > wide 2> err
            for width in 50 80; do
                (export COLUMNS=$width NO_COLOR=1; terminal $command)
                screen < out > narrow
                ran="$command, $width columns"
                check "$command: lines fit $width columns" eval "sed '/^[^ ]*: /d; /^See also/d; / more rows: /d; /^Mean absolute/d' narrow |
                    places | LC_ALL=C awk 'length > $width { exit 1 }'"
                tr -s ' ,' '\n' < narrow | sort -u > words
                check "$command: nothing is lost in $width columns" eval "tr -s ' ,' '\n' < wide | sort -u | comm -23 - words > out; empty out"
            done
        done
        (export COLUMNS=200 NO_COLOR=1; terminal predict clump-vs-now)
        screen < out > narrow
        "$CLUMPMODEL" predict clump-vs-now > wide
        check "the same on a wide terminal as in a file" cmp -s narrow wide
        check "a file has all columns in a line" grep -q 'Demand .*Predicted s$' <("$CLUMPMODEL" predict clump-vs-now)
        (export COLUMNS=80 NO_COLOR=1; terminal data show SAMPLE)
        check "notes and sources fit the terminal" eval "screen < out | places | LC_ALL=C awk 'length > 80 { exit 1 }'"
        check "with their words whole" has out '^    Communication on a Cluster of SMP.s. PhD thesis, University of California at.$'
        (export COLUMNS=80 NO_COLOR=1; terminal predict clump-vs-now)
        check "what names a row is repeated" has out '^Application  Demand .*Error  Predicted s'
    fi
    NO_COLOR= terminal nonsense
    check "an empty NO_COLOR says nothing" has out "$escape"
fi
