# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel calibrate multi: what it prints and stores. Never how fast: that is for make bench.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
again && { pass "measured once; with sanitizers in make check-sanitize-all"; exit 0; }
short="--quick --runs 2 --platform lab --quiet"

run calibrate multi $short --db multi.db --format json --strategy adaptive:s_max=128
check 'exit code 0' exits 0
check 'nothing on stderr with --quiet' empty err
cp out all.json
# number TABLE ROW COLUMN: its mean.
number() {
    grep -F "\"table\": \"$1" all.json | grep -F "\"row\": \"$2\"" | grep -F "\"column\": \"$3\"" |
        sed -n 's/.*"mean": \([-+0-9.e]*\).*/\1/p' | head -n 1
}
recommended=$(sed -n 's/.*"recommended": "\(adaptive:[^"]*\)".*/\1/p' all.json)
for column in 'Shared memory' Network 'Both, fractional:1024'; do
    poll=$(number 'Cost of a poll' 'poll with a message' "$column")
    check "a poll: $column" eval 'doubt all.json "$poll" || [ -n "$poll" ]'
done
for table in 'Shared memory (table 7.6)' 'Network, UDP'; do
    for strategy in Alone always fractional:64 adaptive measured adaptive:s_max=128 ${recommended:+recommended}; do
        gap=$(number "$table" g $strategy)
        doubt all.json "$gap" || [ -n "$gap" ] || fail "$table: no g of $strategy"
        parts=("$(number "$table" L $strategy)" "$(number "$table" RTT $strategy)" "$(number "$table" o_s $strategy)"
            "$(number "$table" o_r $strategy)")
        check "$table, $strategy: L" eval 'doubt all.json "${parts[@]}" || is_latency "${parts[@]}"'
    done
done
# Errors of the prediction are those of what stands beside them.
overheads='Overheads predicted'
for row in 'network, o_s, adaptive' 'shared memory, o_s, always'; do
    predicted=$(number "$overheads" "$row" Predicted) measured=$(number "$overheads" "$row" Measured)
    doubt all.json "$predicted" && continue
    ratio=$(compute p/m p="$predicted" m="$measured")
    check "error of $row" near "$(number "$overheads" "$row" Error)" "$(compute r-1 r="$ratio")" "$(compute '1e-9*(1+r)' r="$ratio")"
done

# Of each scan: the best value has the least "Worst"; all from low to high are as good, within 5% or what the
# medians are uncertain by; what is recommended is one of those, and of those the nearest to table 4.1. A scan that
# cannot tell recommends nothing.
setting() { number Settings "$1" "$2"; }
judge() { # judge PARAMETER
    if [ -z "$(setting "$1" Recommended)" ]; then
        [ -n "$(setting "$1" 'Uncertain by')" ] || doubt all.json ''
        return
    fi
    grep -F '"unit": "ratio"' all.json | grep -F "$1, time a message" |
        sed 's/.*"row": "\([0-9]*\)".*"mean": \([0-9.e+-]*\).*/\1 \2/' |
        awk -v best="$(setting "$1" Best)" -v low="$(setting "$1" 'As good from')" \
            -v uncertain="$(setting "$1" 'Uncertain by')" \
            -v high="$(setting "$1" to)" -v thesis="$(setting "$1" 'Table 4.1')" \
            -v chosen="$(setting "$1" Recommended)" '
            function far(v) { d = log(v / thesis); return d < 0 ? -d : d }
            { value[NR] = $1; worst[NR] = $2; if ($1 == best) least = $2 }
            END {
                limit = (uncertain > 0.05 ? 1 + uncertain : 1.05) * 1.0001
                if (!least || low > best || high < best || chosen < low || chosen > high) exit 1
                for (i = 1; i <= NR; i++) {
                    if (worst[i] < least) exit 1
                    inside = value[i] >= low && value[i] <= high
                    if (inside && worst[i] > limit * least) exit 1
                    if (inside && far(value[i]) < far(chosen) - 1e-9) exit 1
                }
            }'
}
for parameter in s_max s_min k d; do
    check "scan of $parameter" judge $parameter
done
told=
for parameter in s_max s_min k d; do told=$told$(setting $parameter Recommended); done
check 'the recommended settings as one text, if a scan can tell' [ "${recommended:+some}" = "${told:+some}" ]
s_max=$(setting s_max Recommended)
check 's_max in it' eval '[ -z "$s_max" ] || [ "${recommended##*s_max=}" = "$s_max" ]'

run data check --db multi.db
check 'what is stored passes the check' exits 0
run data show lab --db multi.db --format json
check 'both transports are stored' eval 'has out "\"transport\": \"udp\"" && has out "\"transport\": \"shared-memory\""'
stored='"poll_maximum_skip".*recommended\|recommended.*"poll_maximum_skip"'
check 'what a scan can tell is stored as table 4.1 is' eval 'if [ -n "$s_max" ]; then has out "$stored"; else lacks out "$stored"; fi'
check 'samples of each run: 2 round trips of each protocol alone' \
    [ "$(grep half_round_trip out | grep -c '"single-protocol"')" -eq 4 ]
run data list sources --db multi.db --format json
check 'source: the command' has out 'clumpmodel calibrate multi --quick --runs 2'
check 'source: no host name' lacks out "$(uname -n)"

nothing() { [ "$(wc -l < out)" -le 2 ]; } # no table: all runs are doubtful
# Parts; tables as the thesis has them; what is recommended can be given back.
run calibrate multi $short --db multi.db --parts polls --no-bell
check 'polls only' eval 'exits 0 && { has out "Cost of a poll (table 7.1), us" || nothing; } && lacks out "table 7.6"'
run calibrate multi $short --db multi.db --parts loggp --strategy "${recommended:-adaptive:s_max=32}" --format csv
check 'a strategy from a former calibration' eval 'exits 0 && { has out "^Shared memory (table 7.6),RTT,\|^\"Shared memory" || nothing; }'

refuses 2 "expected a list of polls, scans, loggp" calibrate multi --parts pols --db no.db
refuses 2 "found 'often', expected always" calibrate multi --strategy often --db no.db
refuses 2 'the maximum skip must not exceed the damping d' calibrate multi --strategy adaptive:s_max=512 --db no.db
check 'refused: no database is made' [ ! -e no.db ]
