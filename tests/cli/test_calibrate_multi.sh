# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel calibrate multi: what it prints and stores. Never how fast: that is for make bench.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "measured once; with sanitizers in make check-sanitize-all"; exit 0; }
man=$TOP/docs/man/clumpmodel-calibrate-multi.1
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
for column in 'Shared memory' Network 'Both, fractional:1024'; do
    check "a poll: $column" [ -n "$(number 'Cost of a poll' 'poll with a message' "$column")" ]
done
for table in 'Shared memory (table 7.6)' 'Network, UDP'; do
    for strategy in Alone always fractional:64 adaptive measured adaptive:s_max=128 recommended; do
        [ "$strategy" = Alone ] || [ -n "$(number "$table" g $strategy)" ] || fail "$table: no g of $strategy"
        check "$table, $strategy: L" is_latency "$(number "$table" L $strategy)" "$(number "$table" RTT $strategy)" \
            "$(number "$table" o_s $strategy)" "$(number "$table" o_r $strategy)"
    done
done
# Errors of the prediction are those of what stands beside them.
overheads='Overheads predicted'
for row in 'network, o_s, adaptive' 'shared memory, o_s, always'; do
    ratio=$(compute p/m p="$(number "$overheads" "$row" Predicted)" m="$(number "$overheads" "$row" Measured)")
    check "error of $row" near "$(number "$overheads" "$row" Error)" "$(compute r-1 r="$ratio")" "$(compute '1e-9*(1+r)' r="$ratio")"
done

# Of each scan: the best value has the least "Worst"; all from low to high are within 5% of it; what
# is recommended is one of those, and of those the nearest to table 4.1.
setting() { number Settings "$1" "$2"; }
judge() { # judge PARAMETER
    grep -F '"unit": "ratio"' all.json | grep -F "$1, time a message" |
        sed 's/.*"row": "\([0-9]*\)".*"mean": \([0-9.e+-]*\).*/\1 \2/' |
        awk -v best="$(setting "$1" Best)" -v low="$(setting "$1" 'Within 5% from')" \
            -v high="$(setting "$1" to)" -v thesis="$(setting "$1" 'Table 4.1')" \
            -v chosen="$(setting "$1" Recommended)" '
            function far(v) { d = log(v / thesis); return d < 0 ? -d : d }
            { value[NR] = $1; worst[NR] = $2; if ($1 == best) least = $2 }
            END {
                if (!least || low > best || high < best || chosen < low || chosen > high) exit 1
                for (i = 1; i <= NR; i++) {
                    if (worst[i] < least) exit 1
                    inside = value[i] >= low && value[i] <= high
                    if (inside && worst[i] > 1.0501 * least) exit 1
                    if (inside && far(value[i]) < far(chosen) - 1e-9) exit 1
                }
            }'
}
for parameter in s_max s_min k d; do
    check "scan of $parameter" judge $parameter
done
recommended=$(sed -n 's/.*"recommended": "\(adaptive:[^"]*\)".*/\1/p' all.json)
check 'the recommended settings as one text' [ -n "$recommended" ]
check 's_max in it' [ "${recommended##*s_max=}" = "$(setting s_max Recommended)" ]

run data check --db multi.db
check 'what is stored passes the check' exits 0
run data show lab --db multi.db --format json
check 'both transports are stored' eval 'has out "\"transport\": \"udp\"" && has out "\"transport\": \"shared-memory\""'
check 'the settings are stored as those of table 4.1' has out '"poll_maximum_skip".*recommended\|recommended.*"poll_maximum_skip"'
check 'samples of each run: 2 round trips of each protocol alone' \
    [ "$(grep half_round_trip out | grep -c '"single-protocol"')" -eq 4 ]
run data list sources --db multi.db --format json
check 'source: the command' has out 'clumpmodel calibrate multi --quick --runs 2'
check 'source: no host name' lacks out "$(uname -n)"

# Parts; tables as the thesis has them; what is recommended can be given back.
run calibrate multi $short --db multi.db --parts polls --no-bell
check 'polls only' eval 'exits 0 && has out "Cost of a poll (table 7.1), us" && lacks out "table 7.6"'
check 'how many samples' has out '14 samples are stored as platform .lab., source .calibrate multi'
run calibrate multi $short --db multi.db --parts loggp --strategy "$recommended" --format csv
check 'a strategy from a former calibration' eval 'exits 0 && has out "^Shared memory (table 7.6),RTT,\|^\"Shared memory"'

refuses 2 "expected a list of polls, scans, loggp" calibrate multi --parts pols --db no.db
refuses 2 "expected a list of polls" calibrate multi --parts '' --db no.db
refuses 2 "found 'often', expected always" calibrate multi --strategy often --db no.db
refuses 2 'the maximum skip must not exceed the damping d' calibrate multi --strategy adaptive:s_max=512 --db no.db
refuses 2 'whole number from 2 to 1000' calibrate multi --runs 1 --db no.db
refuses 2 'whole number from 2 to 64' calibrate multi --processes 65 --db no.db
refuses 2 'expected one of them' calibrate multi --quick --full --db no.db
refuses 2 "a platform of the reference data" calibrate multi --platform e5000-smp --db no.db
check 'refused: no database is made' [ ! -e no.db ]
for option in parts processes strategy no\\\\-bell runs quick full platform; do
    check "the man page has --$option" has "$man" "\\\\-\\\\-$option"
done
