# SPDX-License-Identifier: GPL-3.0-or-later
# A terminal that is pleasant: what was probably meant, and colours only where they are seen.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
escape=$(printf '\033')

refuses 2 "expected table, json or csv; did you mean 'json'?" predict figure-8.2 --format jsn
refuses 2 "expected pooled or static; did you mean 'static'?" slowdown -P 8 -N 4 -U .3 --mapping statc
refuses 2 "did you mean 'correlated'?" slowdown -P 8 -N 4 -U .3 --demand corelated
refuses 2 "did you mean 'heat'?" predict figure-8.2 --plot a.svg --plot-kind heta
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

if command -v script > /dev/null; then
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
        for words in 'predict nics-per-node' 'help predict' nonsense 'predict figure-8.2 --plot -'; do
            (export "${setting?}"; terminal $words)
            check "no colours with $setting: $words" eval '[ -s out ] && lacks out "$escape"'
        done
    done
    NO_COLOR= terminal nonsense
    check "an empty NO_COLOR says nothing" has out "$escape"
fi
